/* SPDX-License-Identifier: Apache-2.0 */
#include "intake_parts.h"

#include "arena.h"
#include "map.h"

/* Of a word: a sign comes with a pair, and words are of two signs or so. */
#define SIGN_LENGTH 0.4F
#define SIGN_BIT    31 /* of FER_INTAKE_SIGN */
/* A name is had wholly or not at all: the highest level. */
#define NAME_COUNT 1e9F
/* Words that there is room for at first: memory that is not used yet costs nothing. */
#define FEW_WORDS  256
#define FEW_SLOTS  2048
#define MANY_WORDS 16384

static void init(fer_intake *in, fer_arena *a, fer_tokeniser *t, size_t words, uint32_t slots)
{
    in->arena = a;
    in->tokeniser = t;
    fer_map_init(&in->long_terms, a);
    fer_words_init(&in->words_met, a, words, slots);
}

void fer_intake_init(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_terms *terms,
                     const fer_frozen *frozen)
{
    init(in, a, t, FEW_WORDS, FEW_SLOTS);
    in->terms = terms;
    in->frozen = frozen;
}

void fer_intake_init_many(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_text_memo *memo,
                          uint32_t slots)
{
    init(in, a, t, MANY_WORDS, slots);
    in->memo = memo;
}

/* ---- names ---------------------------------------------------------------------- */

void fer_name_add(fer_name *n, fer_str word)
{
    uint64_t seed[2] = {n->hash ^ UINT64_C(0x8EBC6AF09C88C6E3), UINT64_C(0x589965CC75374CC3)};
    n->hash = fer_token_hash_padded(word, seed);
    n->words++;
}

fer_str fer_name_term(const fer_name *n, char out[FER_NAME_BYTES])
{
    if (!n->words || n->words > FER_NAME_WORDS) return FER_STR_NONE;
    out[0] = FER_NAME_MARK;
    for (unsigned i = 1; i < FER_NAME_BYTES; i++) out[i] = (char)(n->hash >> (8 * (i - 1)));
    return (fer_str){out, FER_NAME_BYTES};
}

/* ---- terms of the document at hand ------------------------------------------------- */

static bool make_marks(fer_intake *in, uint32_t term)
{
    size_t count = in->mark_count ? in->mark_count : 1024;
    while (count <= term) count *= 2;
    struct fer_intake_mark *marks =
        fer_arena_grow(in->arena, in->marks, in->mark_count * sizeof *marks, count * sizeof *marks);
    if (!marks) return false;
    memset(marks + in->mark_count, 0, (count - in->mark_count) * sizeof *marks);
    in->marks = marks;
    in->mark_count = count;
    return true;
}

void fer_intake_round(fer_intake *in)
{
    in->stamp += UINT32_C(1) << FER_INTAKE_AT;
    if (in->stamp) return;
    /* After a million documents. */
    for (size_t i = 0; i < in->mark_count; i++) in->marks[i].stamp = 0;
    in->stamp = UINT32_C(1) << FER_INTAKE_AT;
}

bool fer_intake_meet(fer_intake *in, uint32_t term)
{
    if (term >= in->mark_count && !make_marks(in, term)) return false;
    bool first = in->marks[term].stamp != in->stamp;
    in->marks[term].stamp = in->stamp;
    return first;
}

/* What is counted of a document, out of the reach of what is written meanwhile. */
struct counting {
    struct fer_intake_mark *marks;
    uint32_t *numbers;
    float *counts;
    uint16_t *fields;
    uint32_t stamp, count;
    float weight, length;
};

static inline struct counting begin_counting(fer_intake *in, float weight)
{
    return (struct counting){in->marks, in->numbers,         in->counts, in->fields,
                             in->stamp, (uint32_t)in->count, weight,     in->length};
}

static inline void end_counting(fer_intake *in, const struct counting *c)
{
    in->count = c->count;
    in->length = c->length;
}

/*
 * Its place among the terms. Whether a word comes again is anybody's guess, so there are no
 * branches: what there is of a new one is nothing.
 */
static inline uint32_t count_term(struct counting *c, uint32_t term)
{
    struct fer_intake_mark *m = &c->marks[term];
    uint32_t before = m->stamp ^ c->stamp; /* its place, where it was met */
    uint32_t first = before >> FER_INTAKE_AT != 0;
    uint32_t at = first ? c->count : before;
    m->stamp = c->stamp | at;
    m->docs += first;
    c->count += first;
    c->numbers[at] = term;
    c->counts[at] += c->weight;
    return at;
}

static uint32_t count_terms(const fer_intake *in)
{
    return in->terms ? atomic_load_explicit(&in->terms->count, memory_order_relaxed)
                     : in->term_count;
}

/* Marks for all terms that there are. */
static bool mark_all(fer_intake *in)
{
    uint32_t terms = count_terms(in);
    return terms <= in->mark_count || make_marks(in, terms);
}

/* ---- texts ---------------------------------------------------------------------- */

static bool is_full(const fer_intake *in)
{
    return in->words >= FER_RECORD_WORDS - 1;
}

/* Whether every term there is takes one unit of a record. */
static bool is_narrow(const fer_intake *in)
{
    return count_terms(in) <= FER_RECORD_MARK;
}

static inline size_t put_term(uint16_t *to, uint32_t term, bool narrow)
{
    if (!narrow) return fer_record_put(to, term);
    *to = (uint16_t)term;
    return 1;
}

/* In the head, every word is recorded. Where that ends. */
static inline uint16_t *count_head_terms(fer_intake *in, const uint32_t *terms, size_t count,
                                         float weight, bool narrow, uint16_t *to)
{
    const float lengths[2] = {weight, weight * SIGN_LENGTH};
    struct counting c = begin_counting(in, weight);
    for (size_t i = 0; i < count; i++) {
        uint32_t term = terms[i] & ~FER_INTAKE_SIGN;
        count_term(&c, term);
        to += put_term(to, term, narrow);
        c.length += lengths[terms[i] >> SIGN_BIT];
    }
    end_counting(in, &c);
    return to;
}

/* How many words there was room for. */
static size_t count_head(fer_intake *in, const struct fer_intake_piece *p, float weight)
{
    fer_record_writer *w = &in->writer;
    size_t room = fer_record_head_room(w, p->field), count = p->count < room ? p->count : room;
    if (!count) return 0;
    if (in->starts) fer_record_mark(w, p->field);
    in->starts = false;
    uint16_t *from = fer_record_room(w, count);
    uint16_t *to = is_narrow(in) ? count_head_terms(in, p->terms, count, weight, true, from)
                                 : count_head_terms(in, p->terms, count, weight, false, from);
    w->count += (size_t)(to - from);
    w->words += count;
    return count;
}

/* Behind it, each once for a field. */
static inline uint16_t *count_tail_terms(fer_intake *in, const uint32_t *terms, size_t count,
                                         unsigned field, bool narrow, uint16_t *to)
{
    float weight = fer_weigh_field(field);
    const float lengths[2] = {weight, weight * SIGN_LENGTH};
    struct counting c = begin_counting(in, weight);
    for (size_t i = 0; i < count; i++) {
        uint32_t term = terms[i] & ~FER_INTAKE_SIGN, at = count_term(&c, term);
        uint32_t fields = c.fields[at], known = fields >> field & 1;
        c.fields[at] = (uint16_t)(fields | 1U << field);
        to += put_term(to, term, narrow) & (known - 1);
        c.length += lengths[terms[i] >> SIGN_BIT];
    }
    end_counting(in, &c);
    return to;
}

static void count_tail(fer_intake *in, const uint32_t *terms, size_t count, unsigned field)
{
    fer_record_writer *w = &in->writer;
    if (!count) return;
    uint16_t *from = fer_record_tail(w, field, count);
    uint16_t *to = is_narrow(in) ? count_tail_terms(in, terms, count, field, true, from)
                                 : count_tail_terms(in, terms, count, field, false, from);
    fer_record_end_tail(w, field, (size_t)(to - from));
}

static void count_piece(fer_intake *in, const struct fer_intake_piece *p)
{
    in->starts = in->starts || p->begins;
    size_t head = count_head(in, p, fer_weigh_field(p->field));
    count_tail(in, p->terms + head, p->count - head, p->field);
    in->words += p->count;
}

/* Terms of pieces, side by side. How many. */
static size_t gather(const struct fer_intake_piece *p, const struct fer_intake_piece *end,
                     uint32_t *to)
{
    size_t count = 0;
    for (; p < end; count += p->count, p++) {
        for (uint32_t i = 0; i < p->count; i += FER_MEMO_LOT)
            memcpy(to + count + i, p->terms + i, FER_MEMO_LOT * sizeof *to);
    }
    return count;
}

/* Many have a word or two, so those that go behind the head are taken together. */
static void count_pieces(fer_intake *in, const struct fer_intake_piece *p, size_t pieces)
{
    const struct fer_intake_piece *end = p + pieces, *to;
    for (; p < end && !fer_record_in_tail(p->field); p++) count_piece(in, p);
    for (; p < end; p = to) {
        for (to = p + 1; to < end && to->field == p->field;) to++;
        size_t count = gather(p, to, in->gathered);
        count_tail(in, in->gathered, count, p->field);
        in->words += count;
    }
}

/* Pieces that were looked for get their terms. */
static void take_terms(struct fer_intake_lot *lot)
{
    const uint16_t *at = lot->at;
    for (size_t i = 0; i < lot->reads; i++) {
        struct fer_intake_piece *p = lot->read[i];
        const uint16_t *end = at + p->count;
        p->terms = lot->terms + *at;
        p->count = (uint32_t)(*end - *at);
        at = end;
    }
}

/* What there is no room for is cut off, and is not remembered. */
static void cut_pieces(struct fer_intake_lot *lot, size_t room)
{
    for (size_t i = 0; i < lot->pieces; i++) {
        struct fer_intake_piece *p = &lot->piece[i];
        p->whole = p->whole && p->count < room;
        if (p->count > room) p->count = (uint32_t)room;
        room -= p->count;
    }
}

static void remember_texts(fer_intake *in)
{
    const struct fer_intake_lot *lot = &in->lot;
    for (size_t i = 0; i < lot->reads; i++) {
        const struct fer_intake_piece *p = lot->read[i];
        if (p->whole) fer_text_memo_add(in->memo, p->key, p->terms, p->count);
    }
}

static void begin_lot(struct fer_intake_lot *lot)
{
    if (lot->mixed) memset(lot->kinds, FER_TOKEN_WORD, sizeof lot->kinds);
    lot->words = lot->pieces = lot->known = lot->reads = 0;
    lot->mixed = false;
}

/* What waits is looked up, then counted. */
static bool settle(fer_intake *in)
{
    struct fer_intake_lot *lot = &in->lot;
    size_t room = FER_RECORD_WORDS - 1 - in->words;
    if (!fer_intake_look_up(in, room)) return false;
    take_terms(lot);
    if (lot->words + lot->known > room) cut_pieces(lot, room);
    if (!mark_all(in)) return false;
    count_pieces(in, lot->piece, lot->pieces);
    if (in->memo) remember_texts(in);
    begin_lot(lot);
    return true;
}

/* A text that is read. */
struct reading {
    const struct fer_intake_order *order;
    fer_token_reader *tokens;
    fer_name *name; /* NULL: it is none */
    size_t from;    /* its first word that waits */
    bool begins;    /* none was handed on */
};

/* The words that wait become a piece. */
static void end_piece(fer_intake *in, struct reading *r, bool whole)
{
    struct fer_intake_lot *lot = &in->lot;
    if (lot->words > r->from || (whole && r->begins)) {
        struct fer_intake_piece *p = &lot->piece[lot->pieces++];
        lot->read[lot->reads++] = p;
        p->terms = NULL;
        p->count = (uint32_t)(lot->words - r->from);
        p->field = (uint8_t)r->order->text->field;
        p->begins = r->begins;
        p->whole = whole && r->begins;
        p->key = &r->order->key;
        r->begins = false;
    }
    r->from = lot->words;
}

static bool settle_part(fer_intake *in, struct reading *r)
{
    end_piece(in, r, false);
    r->from = 0;
    return settle(in);
}

/* A word too long to wait or be remembered; those before it were counted. */
static bool read_long(fer_intake *in, struct reading *r, fer_token *token)
{
    uint32_t term;
    if (is_full(in)) return true;
    if (!fer_intake_make_term(in, token, 0, &term) || !mark_all(in)) return false;
    struct fer_intake_piece p = {.terms = &term,
                                 .count = term != FER_NONE,
                                 .field = (uint8_t)r->order->text->field,
                                 .begins = r->begins};
    count_piece(in, &p);
    r->begins = false;
    return true;
}

/* One word that is not quickly found, if there is one. False: no memory. */
static bool read_other(fer_intake *in, struct reading *r)
{
    fer_token token;
    if (!fer_token_next_word(r->tokens, &token)) return true;
    if (r->name && token.kind != FER_TOKEN_PAIR) fer_name_add(r->name, token.word);
    if (token.word.len > FER_TOKEN_KEY) return settle_part(in, r) && read_long(in, r, &token);
    in->lot.kinds[in->lot.words] = (uint8_t)token.kind;
    in->lot.mixed = true;
    in->lot.word[in->lot.words++] = fer_token_key_of(token.word);
    return true;
}

static void name_words(fer_name *name, const fer_token_key *words, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        fer_name_add(name, (fer_str){(const char *)words[i].part, FER_TOKEN_KEY});
}

static bool read_words(fer_intake *in, const struct fer_intake_order *order, fer_name *name)
{
    struct fer_intake_lot *lot = &in->lot;
    fer_token_reader tokens, *t = &tokens;
    struct reading r = {order, t, name, lot->words, true};
    fer_token_reader_init(t, in->tokeniser, order->text->text);
    while (t->at < t->text.len && !is_full(in)) {
        fer_token_key *to = lot->word + lot->words;
        size_t more = fer_token_next_keys(t, to, FER_INTAKE_LOT - lot->words);
        name_words(name, to, more);
        lot->words += more;
        bool done = lot->words == FER_INTAKE_LOT ? settle_part(in, &r) : true;
        if (done && t->at < t->text.len) done = read_other(in, &r);
        if (!done) return false;
    }
    end_piece(in, &r, order->kept);
    return true;
}

static bool read_text(fer_intake *in, const struct fer_intake_order *order, fer_name *name)
{
    struct fer_intake_lot *lot = &in->lot;
    fer_memo_text known;
    size_t most = order->kept ? FER_MEMO_WORDS : 1;
    if ((lot->pieces == FER_INTAKE_LOT || FER_INTAKE_LOT - lot->words < most) && !settle(in))
        return false;
    if (!order->kept || !fer_text_memo_find(in->memo, &order->key, &known))
        return read_words(in, order, name);
    struct fer_intake_piece *p = &lot->piece[lot->pieces++];
    p->terms = known.terms;
    p->count = known.count;
    lot->known += known.count;
    p->field = (uint8_t)order->text->field;
    p->begins = true;
    p->whole = false;
    return true;
}

/* The name is read first, and its term looked for last. */
static void fetch_name(const fer_intake *in, const fer_name *name)
{
    char text[FER_TOKEN_KEY] = {0};
    fer_str whole = fer_name_term(name, text);
    if (!whole.len) return;
    if (in->terms) {
        fer_terms_fetch(in->terms, whole);
    } else {
        fer_token_key key = fer_token_key_of(whole);
        fer_words_fetch(&in->words_met, fer_words_hash(&in->words_met, &key));
    }
}

/* The whole name as a term; the record says which. */
static bool add_name(fer_intake *in, const fer_name *name, uint32_t *out)
{
    char text[FER_TOKEN_KEY] = {0};
    fer_str whole = fer_name_term(name, text);
    *out = FER_NONE;
    if (!whole.len) return true;
    if (!fer_intake_number(in, whole, out) || !mark_all(in)) return false;
    struct counting c = begin_counting(in, NAME_COUNT);
    count_term(&c, *out);
    end_counting(in, &c);
    return true;
}

/* Names and descriptions of tools differ; what else there is mostly comes again. */
static bool is_kept(const fer_intake *in, const fer_search_text *text)
{
    return in->memo && text->field != FER_FIELD_NAME && text->field != FER_FIELD_DESCRIPTION &&
           text->text.len && text->text.len <= FER_MEMO_BYTES;
}

/* The order of fields is that of the record, whatever the order of the texts. */
static bool order_texts(fer_intake *in, const fer_search_doc *doc)
{
    uint32_t at[FER_FIELD_COUNT + 1] = {0};
    while (in->order_cap <= doc->count) {
        struct fer_intake_order *order =
            fer_arena_room(in->arena, in->order, in->order_cap, &in->order_cap, sizeof *order);
        if (!order) return false;
        in->order = order;
    }
    for (size_t i = 0; i < doc->count; i++) {
        at[doc->texts[i].field + 1]++;
        __builtin_prefetch(doc->texts[i].text.ptr);
    }
    for (unsigned field = 0; field < FER_FIELD_COUNT; field++) at[field + 1] += at[field];
    for (size_t i = 0; i < doc->count; i++) {
        const fer_search_text *text = &doc->texts[i];
        struct fer_intake_order *order = &in->order[at[text->field]++];
        order->text = text;
        order->kept = is_kept(in, text);
        if (!order->kept) continue;
        order->key = fer_text_memo_key(in->memo, text->text);
    }
    return true;
}

static bool read_fields(fer_intake *in, const fer_search_doc *doc, fer_name *name)
{
    if (!order_texts(in, doc)) return false;
    for (size_t i = 0; i < doc->count; i++) {
        if (in->order[i].kept) fer_text_memo_fetch(in->memo, &in->order[i].key);
    }
    for (size_t i = 0; i < doc->count; i++) {
        bool first = i == 0 && in->order[i].text->field == FER_FIELD_NAME;
        if (!read_text(in, &in->order[i], first ? name : NULL)) return false;
        if (first) fetch_name(in, name);
    }
    return true;
}

/* Before the first document. */
static bool begin(fer_intake *in)
{
    return fer_words_make_room(&in->words_met) && (in->terms || fer_intake_meet_stopwords(in)) &&
           (in->marks || make_marks(in, 0));
}

bool fer_intake_read(fer_intake *in, const fer_search_doc *doc)
{
    fer_name name = {0, 0};
    uint32_t term;
    if ((!in->words_met.count || !in->marks) && !begin(in)) return false;
    fer_intake_round(in);
    fer_record_begin(&in->writer);
    memset(in->counts, 0, in->count * sizeof in->counts[0]);
    memset(in->fields, 0, in->count * sizeof in->fields[0]);
    in->words = in->count = 0;
    begin_lot(&in->lot);
    in->length = 0;
    in->starts = false;
    if (!read_fields(in, doc, &name) || !settle(in) || !add_name(in, &name, &term)) return false;
    in->record = fer_record_finish(&in->writer, in->length, term);
    return true;
}
