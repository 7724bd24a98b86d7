/* SPDX-License-Identifier: Apache-2.0 */
#include "intake.h"

#include "arena.h"
#include "map.h"

/* Of a word: a sign comes with a pair, and words are of two signs or so. */
#define SIGN_LENGTH 0.4F
/* A name is had wholly or not at all: the highest level. */
#define NAME_COUNT 1e9F
/* Words that there is room for at first: memory that is not used yet costs nothing. */
#define FEW_WORDS  256
#define MANY_WORDS 16384

static void init(fer_intake *in, fer_arena *a, fer_tokeniser *t, size_t words)
{
    in->arena = a;
    in->tokeniser = t;
    fer_map_init(&in->long_terms, a);
    fer_words_init(&in->words_met, a, words);
}

void fer_intake_init(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_terms *terms,
                     const fer_frozen *frozen)
{
    init(in, a, t, FEW_WORDS);
    in->terms = terms;
    in->frozen = frozen;
}

void fer_intake_init_many(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_text_memo *memo)
{
    init(in, a, t, MANY_WORDS);
    in->memo = memo;
}

fer_term *fer_intake_term_of(fer_intake *in, fer_str text)
{
    fer_term *term = fer_terms_find(in->terms, text);
    return term ? term : fer_terms_add(in->terms, text, fer_frozen_find(in->frozen, text));
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

/* ---- terms ---------------------------------------------------------------------- */

static bool number_long(fer_intake *in, fer_str text, uint32_t *out)
{
    void *known = fer_map_get(&in->long_terms, text);
    if (!known) {
        fer_str copy = fer_arena_copy(in->arena, text);
        void **place = copy.ptr ? fer_map_put(&in->long_terms, copy) : NULL;
        if (!place) return false;
        known = *place = (void *)(uintptr_t)(++in->term_count);
    }
    *out = (uint32_t)(uintptr_t)known - 1;
    return true;
}

/* The number of the term that has a word as its text. */
static uint32_t number_own(fer_intake *in, uint32_t number)
{
    fer_word *word = fer_words_get(&in->words_met, number);
    if (word->own == FER_NONE) word->own = in->term_count++;
    return word->own;
}

static bool number_word(fer_intake *in, const fer_token_key *key, uint32_t *out)
{
    uint64_t hash = fer_words_hash(&in->words_met, key);
    uint32_t number = fer_words_find(&in->words_met, key, hash);
    if (!number) number = fer_words_add(&in->words_met, key, hash);
    if (number) *out = number_own(in, number);
    return number != 0;
}

/* The number of the term of a text, which has zeros behind it. False: no memory. */
static bool number_term(fer_intake *in, fer_str text, uint32_t *out)
{
    if (in->terms) {
        const fer_term *term = fer_intake_term_of(in, text);
        if (term) *out = term->number;
        return term != NULL;
    }
    if (text.len > FER_TOKEN_KEY) return number_long(in, text, out);
    fer_token_key key = fer_token_key_of(text);
    return number_word(in, &key, out);
}

static uint32_t count_terms(const fer_intake *in)
{
    return in->terms ? atomic_load_explicit(&in->terms->count, memory_order_relaxed)
                     : in->term_count;
}

/* ---- words that were met --------------------------------------------------------- */

/* The term of a word that is new, or (number 0) too long to be remembered. False: no memory. */
static bool make_term(fer_intake *in, fer_token *token, uint32_t number, uint32_t *out)
{
    fer_token_finish_once(in->tokeniser, token);
    *out = FER_NONE;
    if (token->use == FER_TOKEN_STOP) return true;
    if (in->terms || !number || token->text.ptr != token->word.ptr)
        return number_term(in, token->text, out);
    *out = number_own(in, number); /* its own stem */
    return true;
}

/* The term of a word of the lot that is met for the first time, or was not found at once. */
__attribute__((noinline)) static bool meet(fer_intake *in, size_t i, uint32_t *out)
{
    const fer_token_key *key = &in->lot.word[i];
    uint32_t number = fer_words_find(&in->words_met, key, in->lot.hashes[i]);
    *out = fer_words_get(&in->words_met, number)->term;
    if (*out != FER_WORDS_NEW) return true;
    fer_str text = {(const char *)key->part, fer_token_key_len(key)};
    fer_token token = {.word = text, .text = text, .kind = (fer_token_kind)in->lot.kinds[i]};
    if (token.kind == FER_TOKEN_WORD && fer_is_digit(text.ptr[0])) token.kind = FER_TOKEN_NUMBER;
    if (!number) number = fer_words_add(&in->words_met, key, in->lot.hashes[i]);
    if (!number || !make_term(in, &token, number, out)) return false;
    if (token.kind >= FER_TOKEN_SIGN && *out != FER_NONE) *out |= FER_INTAKE_SIGN;
    fer_words_get(&in->words_met, number)->term = *out;
    return true;
}

/*
 * The terms of words that wait, stop words left out: how many. At most `room`: words that a full
 * document has no room for are not looked up, or a term that no document has would be in the
 * index. SIZE_MAX: no memory.
 */
static inline size_t look_up_some(fer_intake *in, size_t from, size_t words, bool limited,
                                  size_t room, uint32_t *to)
{
    const uint64_t *hashes = in->lot.hashes + from;
    const fer_token_key *keys = in->lot.word + from;
    const struct fer_intake_mark *marks = in->marks;
    fer_words met = in->words_met; /* nobody else's, so it is not read anew for each word */
    size_t count = 0, places = in->mark_count - 1;
    for (size_t i = 0; i < words; i++) {
        const fer_word *word = fer_words_look(&met, hashes[i]);
        uint32_t term = word->term;
        if (limited && count == room) break;
        if (!fer_token_key_eq(&word->key, &keys[i]) || term == FER_WORDS_NEW) {
            if (!meet(in, from + i, &term)) return SIZE_MAX;
            met = in->words_met;
        }
        /* Every third is a stop word: it is written, and what comes next written over it. */
        to[count] = term;
        count += term != FER_NONE;
        __builtin_prefetch(&marks[term & places]);
    }
    return count;
}

__attribute__((noinline)) static size_t look_up(fer_intake *in, size_t from, size_t words,
                                                size_t room, uint32_t *to)
{
    return words <= room ? look_up_some(in, from, words, false, 0, to)
                         : look_up_some(in, from, words, true, room, to);
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

static inline float length_of(uint32_t term, float weight)
{
    return term & FER_INTAKE_SIGN ? weight * SIGN_LENGTH : weight;
}

/* In the head, every word is recorded. How many there was room for. */
static size_t count_head(fer_intake *in, const struct fer_intake_piece *p, float weight)
{
    fer_record_writer *w = &in->writer;
    size_t room = fer_record_head_room(w, p->field), count = p->count < room ? p->count : room;
    if (!count) return 0;
    if (in->starts) fer_record_mark(w, p->field);
    in->starts = false;
    struct counting c = begin_counting(in, weight);
    uint16_t *from = fer_record_room(w, count), *to = from;
    for (size_t i = 0; i < count; i++) {
        uint32_t term = p->terms[i] & ~FER_INTAKE_SIGN;
        count_term(&c, term);
        to += fer_record_put(to, term);
        c.length += length_of(p->terms[i], weight);
    }
    end_counting(in, &c);
    w->count += (size_t)(to - from);
    w->words += count;
    return count;
}

/* Behind it, each once for a field: the terms of pieces of one field, of the first from `from` on.
 */
static void count_tail(fer_intake *in, const struct fer_intake_piece *p, size_t pieces, size_t from)
{
    fer_record_writer *w = &in->writer;
    unsigned field = p->field;
    float weight = fer_weigh_field(field);
    size_t most = 0;
    for (size_t i = 0; i < pieces; i++) most += p[i].count;
    if (most <= from) return;
    struct counting c = begin_counting(in, weight);
    uint16_t *start = fer_record_tail(w, field, most - from), *to = start;
    for (const struct fer_intake_piece *end = p + pieces; p < end; p++, from = 0) {
        for (const uint32_t *t = p->terms + from, *last = p->terms + p->count; t < last; t++) {
            uint32_t term = *t & ~FER_INTAKE_SIGN, at = count_term(&c, term);
            uint32_t fields = c.fields[at], known = fields >> field & 1;
            c.fields[at] = (uint16_t)(fields | 1U << field);
            to += fer_record_put(to, term) & (known - 1);
            c.length += length_of(*t, weight);
        }
    }
    end_counting(in, &c);
    fer_record_end_tail(w, field, (size_t)(to - start));
}

static void count_piece(fer_intake *in, const struct fer_intake_piece *p)
{
    in->starts = in->starts || p->begins;
    size_t head = count_head(in, p, fer_weigh_field(p->field));
    count_tail(in, p, 1, head);
    in->words += p->count;
}

/* Many have a word or two, so those that go behind the head are taken together. */
static void count_pieces(fer_intake *in, const struct fer_intake_piece *p, size_t pieces)
{
    for (size_t i = 0, to; i < pieces; i = to) {
        to = i + 1;
        if (fer_record_in_tail(p[i].field)) {
            in->words += p[i].count;
            for (; to < pieces && p[to].field == p[i].field; to++) in->words += p[to].count;
            count_tail(in, p + i, to - i, 0);
        } else {
            count_piece(in, &p[i]);
        }
    }
}

/* What waits is looked up, then counted. */
static bool settle(fer_intake *in)
{
    struct fer_intake_lot *lot = &in->lot;
    size_t room = FER_RECORD_WORDS - 1 - in->words, word = 0, term = 0;
    for (size_t i = 0; i < lot->pieces; i++) {
        struct fer_intake_piece *p = &lot->piece[i];
        if (p->terms) {
            if (p->count > room) p->count = (uint32_t)room;
        } else {
            size_t count = look_up(in, word, p->count, room, lot->terms + term);
            if (count == SIZE_MAX) return false;
            word += p->count;
            p->terms = lot->terms + term;
            p->count = (uint32_t)count;
            term += count;
            p->whole = p->whole && count < room;
        }
        room -= p->count;
    }
    if (!mark_all(in)) return false;
    count_pieces(in, lot->piece, lot->pieces);
    for (size_t i = 0; in->memo && i < lot->pieces; i++) {
        const struct fer_intake_piece *p = &lot->piece[i];
        if (p->whole) fer_text_memo_add(in->memo, &p->key, p->terms, p->count);
    }
    lot->words = lot->pieces = 0;
    return true;
}

/* `more` words were read: what is known of them is asked for. */
static inline void wait_for(fer_intake *in, size_t more, fer_token_kind kind)
{
    struct fer_intake_lot *lot = &in->lot;
    const fer_words met = in->words_met;
    size_t words = lot->words;
    for (size_t i = words; i < words + more; i++) {
        uint64_t hash = fer_words_hash(&met, &lot->word[i]);
        lot->hashes[i] = hash;
        lot->kinds[i] = (uint8_t)kind;
        fer_words_fetch(&met, hash);
    }
    lot->words = words + more;
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
        p->terms = NULL;
        p->count = (uint32_t)(lot->words - r->from);
        p->field = (uint8_t)r->order->text->field;
        p->begins = r->begins;
        p->whole = whole && r->begins;
        if (p->whole) p->key = r->order->key;
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
    if (!make_term(in, token, 0, &term) || !mark_all(in)) return false;
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
    in->lot.word[in->lot.words] = fer_token_key_of(token.word);
    wait_for(in, 1, token.kind);
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
        wait_for(in, more, FER_TOKEN_WORD);
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
    if (!number_term(in, whole, out) || !mark_all(in)) return false;
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
        fer_text_memo_fetch(in->memo, &order->key);
    }
    return true;
}

static bool read_fields(fer_intake *in, const fer_search_doc *doc, fer_name *name)
{
    if (!order_texts(in, doc)) return false;
    for (size_t i = 0; i < doc->count; i++) {
        bool first = i == 0 && in->order[i].text->field == FER_FIELD_NAME;
        if (!read_text(in, &in->order[i], first ? name : NULL)) return false;
        if (first) fetch_name(in, name);
    }
    return true;
}

bool fer_intake_read(fer_intake *in, const fer_search_doc *doc)
{
    fer_name name = {0, 0};
    uint32_t term;
    if (!fer_words_make_room(&in->words_met) || (!in->marks && !make_marks(in, 0))) return false;
    fer_intake_round(in);
    fer_record_begin(&in->writer);
    memset(in->counts, 0, in->count * sizeof in->counts[0]);
    memset(in->fields, 0, in->count * sizeof in->fields[0]);
    in->words = in->count = in->lot.words = in->lot.pieces = 0;
    in->length = 0;
    in->starts = false;
    if (!read_fields(in, doc, &name) || !settle(in) || !add_name(in, &name, &term)) return false;
    in->record = fer_record_finish(&in->writer, in->length, term);
    return true;
}
