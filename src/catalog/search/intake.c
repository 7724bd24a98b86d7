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

static size_t seen_place(const fer_intake *in, const fer_token_key *key)
{
    return (size_t)fer_token_key_hash(key, in->seed) & in->seen_mask;
}

static bool widen_seen(fer_intake *in)
{
    size_t old_slots = in->seen ? in->seen_mask + 1 : 0, slots = old_slots ? 2 * old_slots : 1024;
    struct fer_seen_word *old = in->seen;
    struct fer_seen_word *seen = fer_arena_alloc_zero(in->arena, slots, sizeof *seen);
    if (!seen) return false;
    in->seen = seen;
    in->seen_mask = slots - 1;
    for (size_t i = 0; i < old_slots; i++) {
        if (!old[i].word.part[0]) continue;
        size_t at = seen_place(in, &old[i].word);
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

static bool see(fer_intake *in, fer_token *token, const fer_token_key *key, uint32_t *out)
{
    if ((!in->seen || in->seen_count >= in->seen_mask / 2) && !widen_seen(in)) return false;
    if (!make_term(in, token, out)) return false;
    size_t at = seen_place(in, key);
    while (in->seen[at].word.part[0]) at = (at + 1) & in->seen_mask;
    in->seen[at] = (struct fer_seen_word){*key, *out};
    in->seen_count++;
    return true;
}

/* The same of a word that may have been seen. */
static inline bool find_seen(fer_intake *in, fer_token *token, const fer_token_key *key,
                             uint32_t *out)
{
    if (!in->seen) return see(in, token, key, out);
    for (size_t at = seen_place(in, key);; at = (at + 1) & in->seen_mask) {
        const struct fer_seen_word *s = &in->seen[at];
        if (fer_token_key_eq(&s->word, key)) {
            *out = s->term;
            return true;
        }
        if (!s->word.part[0]) return see(in, token, key, out);
    }
}

static bool find_term(fer_intake *in, fer_token *token, uint32_t *out)
{
    if (token->word.len > FER_TOKEN_KEY) return make_term(in, token, out);
    fer_token_key key = fer_token_key_of(token->word);
    return find_seen(in, token, &key, out);
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

enum next {
    NO_MEMORY,
    NO_MORE,
    FOUND
};

/* The next word's term, FER_NONE for a stop word. */
static inline enum next next_term(fer_intake *in, fer_token_reader *r, fer_token *token,
                                  uint32_t *out)
{
    fer_token_key key;
    if (fer_token_next_key(r, &key)) {
        token->kind = FER_TOKEN_WORD;
        token->word = token->text = (fer_str){r->word, r->word_len};
        token->use = FER_TOKEN_CONTENT;
        return find_seen(in, token, &key, out) ? FOUND : NO_MEMORY;
    }
    if (!fer_token_next_word(r, token)) return NO_MORE;
    return find_term(in, token, out) ? FOUND : NO_MEMORY;
}

static bool read_text(fer_intake *in, const fer_search_text *text, fer_name *name)
{
    fer_token_reader r;
    fer_token token;
    bool starts = true;
    unsigned field = text->field;
    float weight = fer_weigh_field(field);
    enum next next = NO_MORE;
    uint32_t term;
    fer_token_reader_init(&r, in->tokeniser, text->text);
    while (in->words < FER_RECORD_WORDS - 1 && (next = next_term(in, &r, &token, &term)) == FOUND) {
        if (name && token.kind != FER_TOKEN_PAIR)
            fer_name_add(name, (fer_str){r.word, token.word.len});
        if (term == FER_NONE) continue;
        fer_intake_term *t = count_term(in, term, weight);
        if (!t) return false;
        record_word(in, t, field, starts);
        in->length += token.kind >= FER_TOKEN_SIGN ? weight * SIGN_LENGTH : weight;
        in->words++;
        starts = false;
    }
    return next != NO_MEMORY;
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
            first = NULL;
        }
    }
    return true;
}

bool fer_intake_read(fer_intake *in, const fer_search_doc *doc)
{
    fer_name name = {0, 0};
    uint32_t term;
    fer_intake_round(in);
    fer_record_begin(&in->writer);
    in->words = in->count = 0;
    in->length = 0;
    if (!read_fields(in, doc, &name) || !add_name(in, &name, &term)) return false;
    in->record = fer_record_finish(&in->writer, in->length, term);
    return true;
}
