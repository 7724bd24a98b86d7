/* SPDX-License-Identifier: Apache-2.0 */
#include "intake.h"

#include "arena.h"

/* Of a word: a sign comes with a pair, and words are of two signs or so. */
#define SIGN_LENGTH 0.4F
/* A name is had wholly or not at all: the highest level. */
#define NAME_COUNT 1e9F

bool fer_intake_init(fer_intake *in, fer_arena *a, fer_tokeniser *t, fer_terms *terms,
                     const fer_frozen *frozen)
{
    in->arena = a;
    in->tokeniser = t;
    in->terms = terms;
    in->frozen = frozen;
    memcpy(in->seed, fer_arena_seed(a), sizeof in->seed);
    in->seen = NULL;
    in->marks = NULL;
    in->seen_mask = in->seen_count = in->mark_count = 0;
    in->stamp = 0;
    in->lot.count = in->lot.texts = 0;
    return t != NULL;
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

/* ---- words that were seen --------------------------------------------------------- */

static uint32_t hash_of(const fer_intake *in, const fer_token_key *key)
{
    return (uint32_t)fer_token_key_hash(key, in->seed);
}

static bool widen_seen(fer_intake *in)
{
    size_t old_slots = in->seen_mask ? in->seen_mask + 1 : 0;
    size_t slots = old_slots ? 2 * old_slots : 1024;
    struct fer_seen_word *old = in->seen;
    struct fer_seen_word *seen = fer_arena_alloc_zero(in->arena, slots, sizeof *seen);
    if (!seen) return false;
    in->seen = seen;
    in->seen_mask = slots - 1;
    for (size_t i = 0; i < old_slots; i++) {
        if (!old[i].word.part[0]) continue;
        size_t at = hash_of(in, &old[i].word) & in->seen_mask;
        while (seen[at].word.part[0]) at = (at + 1) & in->seen_mask;
        seen[at] = old[i];
    }
    return true;
}

/* The term of a word that is new, or too long to be remembered. False: no memory. */
static bool make_term(fer_intake *in, fer_token *token, uint32_t *out)
{
    fer_token_finish(in->tokeniser, token);
    *out = FER_NONE;
    if (token->use == FER_TOKEN_STOP) return true;
    fer_term *term = fer_intake_term_of(in, token->text);
    if (term) *out = term->number;
    return term != NULL;
}

/* A word of the lot that is met for the first time: its hash becomes its term. */
static bool see(fer_intake *in, size_t i)
{
    const fer_token_key *word = &in->lot.words[i];
    fer_str text = {(const char *)word->part, fer_token_key_len(word)};
    fer_token token = {.word = text, .text = text, .kind = (fer_token_kind)in->lot.kinds[i]};
    uint32_t term;
    if (in->seen_count >= in->seen_mask / 2 && !widen_seen(in)) return false;
    if (!make_term(in, &token, &term)) return false;
    size_t at = in->lot.hashes[i] & in->seen_mask;
    while (in->seen[at].word.part[0]) at = (at + 1) & in->seen_mask;
    in->seen[at] = (struct fer_seen_word){*word, term};
    in->seen_count++;
    in->lot.hashes[i] = term;
    return true;
}

/* The same of one that may have been seen. */
static inline bool find_seen(fer_intake *in, size_t i)
{
    const fer_token_key *word = &in->lot.words[i];
    for (size_t at = in->lot.hashes[i] & in->seen_mask;; at = (at + 1) & in->seen_mask) {
        const struct fer_seen_word *s = &in->seen[at];
        if (fer_token_key_eq(&s->word, word)) {
            in->lot.hashes[i] = s->term;
            return true;
        }
        if (!s->word.part[0]) return see(in, i);
    }
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
    if (++in->stamp) return;
    memset(in->marks, 0, in->mark_count * sizeof *in->marks); /* after four thousand million */
    in->stamp = 1;
}

bool fer_intake_meet(fer_intake *in, uint32_t term)
{
    if (term >= in->mark_count && !make_marks(in, term)) return false;
    bool first = in->marks[term].stamp != in->stamp;
    in->marks[term].stamp = in->stamp;
    return first;
}

/* Its place in the list. NULL: no memory. */
static inline fer_intake_term *count_term(fer_intake *in, uint32_t term, float weight)
{
    if (term >= in->mark_count && !make_marks(in, term)) return NULL;
    struct fer_intake_mark *m = &in->marks[term];
    if (m->stamp != in->stamp) {
        *m = (struct fer_intake_mark){in->stamp, (uint32_t)in->count};
        in->list[in->count++] = (fer_intake_term){term, weight, 0};
    } else {
        in->list[m->at].count += weight;
    }
    return &in->list[m->at];
}

/* ---- texts ---------------------------------------------------------------------- */

/* In the head, every word; behind it, each once for a field. */
static inline void record_word(fer_intake *in, fer_intake_term *t, unsigned field, bool starts)
{
    if (!fer_record_has_head(&in->writer, field)) {
        if (t->seen >> field & 1) return;
        t->seen |= 1U << field;
    }
    fer_record_add(&in->writer, field, starts, t->number);
}

static bool is_full(const fer_intake *in)
{
    return in->words >= FER_RECORD_WORDS - 1;
}

static inline bool count_word(fer_intake *in, uint32_t term, unsigned field, float weight,
                              bool sign)
{
    if (term == FER_NONE) return true;
    fer_intake_term *t = count_term(in, term, weight);
    if (!t) return false;
    record_word(in, t, field, in->starts);
    in->length += sign ? weight * SIGN_LENGTH : weight;
    in->words++;
    in->starts = false;
    return true;
}

static bool count_text(fer_intake *in, const struct fer_intake_text *text, size_t from, size_t to)
{
    const struct fer_intake_lot *lot = &in->lot;
    float weight = fer_weigh_field(text->field);
    in->starts = in->starts || text->begins;
    for (size_t i = from; i < to; i++) {
        if (!count_word(in, lot->hashes[i], text->field, weight, lot->kinds[i] >= FER_TOKEN_SIGN))
            return false;
    }
    return true;
}

/* How many words were looked up. Those that a full document has no room for are not: a term that
 * no document has would be in the index. SIZE_MAX: no memory. */
static size_t look_up(fer_intake *in)
{
    size_t room = FER_RECORD_WORDS - 1 - in->words, i = 0;
    for (; i < in->lot.count && room; i++) {
        if (!find_seen(in, i)) return SIZE_MAX;
        uint32_t term = in->lot.hashes[i];
        room -= term != FER_NONE;
        if (term < in->mark_count) __builtin_prefetch(&in->marks[term]);
    }
    return i;
}

/* The words that wait are looked up, then counted. */
static bool settle(fer_intake *in)
{
    struct fer_intake_lot *lot = &in->lot;
    size_t count = look_up(in), from = 0;
    if (count == SIZE_MAX) return false;
    for (size_t i = 0; i < lot->texts; i++) {
        size_t end = lot->text[i].end < count ? lot->text[i].end : count;
        if (!count_text(in, &lot->text[i], from, end)) return false;
        from = end;
    }
    lot->count = lot->texts = 0;
    return true;
}

/* `more` words were read: what is known of them is asked for. */
static inline void wait_for(fer_intake *in, size_t more, fer_token_kind kind)
{
    struct fer_intake_lot *lot = &in->lot;
    for (size_t i = lot->count; i < lot->count + more; i++) {
        lot->hashes[i] = hash_of(in, &lot->words[i]);
        lot->kinds[i] = (uint8_t)kind;
        __builtin_prefetch(&in->seen[lot->hashes[i] & in->seen_mask]);
    }
    lot->count += more;
}

static void end_text(fer_intake *in, unsigned field, bool *begins)
{
    struct fer_intake_lot *lot = &in->lot;
    size_t from = lot->texts ? lot->text[lot->texts - 1].end : 0;
    if (lot->count == from) return;
    lot->text[lot->texts++] =
        (struct fer_intake_text){(uint16_t)lot->count, (uint8_t)field, *begins};
    *begins = false;
}

static void name_words(fer_name *name, const fer_token_key *words, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        fer_name_add(name, (fer_str){(const char *)words[i].part, fer_token_key_len(&words[i])});
}

/* A word too long to wait or be remembered; those before it were counted. */
static bool read_long(fer_intake *in, fer_token *token, unsigned field, bool *begins)
{
    uint32_t term;
    in->starts = in->starts || *begins;
    *begins = false;
    if (is_full(in)) return true;
    return make_term(in, token, &term) &&
           count_word(in, term, field, fer_weigh_field(field), false);
}

enum next {
    NO_MEMORY,
    NO_MORE,
    FOUND
};

/* One word that is not quickly found. */
static enum next next_other(fer_intake *in, fer_token_reader *r, unsigned field, bool *begins,
                            fer_name *name)
{
    fer_token token;
    if (!fer_token_next_word(r, &token)) return NO_MORE;
    if (name && token.kind != FER_TOKEN_PAIR) fer_name_add(name, token.word);
    if (token.word.len <= FER_TOKEN_KEY) {
        in->lot.words[in->lot.count] = fer_token_key_of(token.word);
        wait_for(in, 1, token.kind);
        return FOUND;
    }
    end_text(in, field, begins);
    return settle(in) && read_long(in, &token, field, begins) ? FOUND : NO_MEMORY;
}

static bool read_text(fer_intake *in, const fer_search_text *text, fer_name *name)
{
    struct fer_intake_lot *lot = &in->lot;
    fer_token_reader r;
    bool begins = true;
    enum next next = FOUND;
    fer_token_reader_init(&r, in->tokeniser, text->text);
    while (next == FOUND && !is_full(in)) {
        size_t more = fer_token_next_keys(&r, lot->words + lot->count, FER_INTAKE_LOT - lot->count);
        name_words(name, lot->words + lot->count, more);
        wait_for(in, more, FER_TOKEN_WORD);
        if (lot->count < FER_INTAKE_LOT) {
            next = next_other(in, &r, text->field, &begins, name);
        } else {
            end_text(in, text->field, &begins);
            if (!settle(in)) return false;
        }
    }
    end_text(in, text->field, &begins);
    return next != NO_MEMORY;
}

/* The name is read first, and its term looked for last. */
static void fetch_name(const fer_intake *in, const fer_name *name)
{
    char text[FER_NAME_BYTES];
    fer_str whole = fer_name_term(name, text);
    if (whole.len) fer_terms_fetch(in->terms, whole);
}

/* The whole name as a term; the record says which. */
static bool add_name(fer_intake *in, const fer_name *name, uint32_t *out)
{
    char text[FER_NAME_BYTES];
    fer_str whole = fer_name_term(name, text);
    *out = FER_NONE;
    if (!whole.len) return true;
    fer_term *term = fer_intake_term_of(in, whole);
    if (!term || !count_term(in, term->number, NAME_COUNT)) return false;
    *out = term->number;
    return true;
}

/* The order of fields is that of the record, whatever the order of the texts. */
static bool read_fields(fer_intake *in, const fer_search_doc *doc, fer_name *name)
{
    unsigned has = 0;
    for (size_t i = 0; i < doc->count; i++) has |= 1U << doc->texts[i].field;
    for (unsigned field = 0; field < FER_FIELD_COUNT; field++) {
        fer_name *first = field == FER_FIELD_NAME ? name : NULL;
        for (size_t i = 0; has >> field & 1 && i < doc->count; i++) {
            if (doc->texts[i].field != field) continue;
            if (!read_text(in, &doc->texts[i], first)) return false;
            if (first) fetch_name(in, name);
            first = NULL;
        }
    }
    return true;
}

bool fer_intake_read(fer_intake *in, const fer_search_doc *doc)
{
    fer_name name = {0, 0};
    uint32_t term;
    if (!in->seen && !widen_seen(in)) return false;
    fer_intake_round(in);
    fer_record_begin(&in->writer);
    in->words = in->count = in->lot.count = in->lot.texts = 0;
    in->length = 0;
    in->starts = false;
    if (!read_fields(in, doc, &name) || !settle(in) || !add_name(in, &name, &term)) return false;
    in->record = fer_record_finish(&in->writer, in->length, term);
    return true;
}
