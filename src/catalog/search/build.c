/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frozen bytes from many documents at once. Each is taken in (intake.h), and its terms with their
 * levels go behind those of the one before; when all are there, terms are numbered and the lists
 * turned round: one pass over the documents in the order of their numbers, in which every posting
 * is written to its place. Nothing is searched meanwhile, so nothing needs to grow, or be whole.
 */
#include "errors.h"
#include "intake.h"
#include "lexical.h"
#include "sys.h"
#include "term_order.h"

/* A document that was taken in. */
struct doc {
    uint32_t *postings; /* its terms: number << 5 | level */
    uint16_t *record;   /* NULL: there is no such document */
    uint32_t terms, units;
};

struct fer_lexical_builder {
    fer_arena *arena;
    fer_tokeniser *tokeniser;
    fer_terms terms;
    fer_frozen none;  /* a frozen part without terms */
    struct doc *docs; /* by number */
    size_t doc_cap;
    uint32_t numbers, count;
    size_t postings, units; /* of all */
    fer_text_memo memo;
    fer_intake intake;
};

fer_lexical_builder *fer_lexical_builder_new(void)
{
    fer_lexical_builder *b = fer_sys_malloc(sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->arena = fer_arena_new(0);
    b->tokeniser = fer_tokeniser_new();
    if (b->arena && b->tokeniser && fer_terms_init(&b->terms, b->arena, 0) &&
        fer_text_memo_init(&b->memo, fer_arena_seed(b->arena))) {
        fer_intake_init(&b->intake, b->arena, b->tokeniser, &b->terms, &b->none, &b->memo);
        return b;
    }
    fer_lexical_builder_free(b);
    return NULL;
}

void fer_lexical_builder_free(fer_lexical_builder *b)
{
    if (!b) return;
    fer_text_memo_deinit(&b->memo);
    fer_tokeniser_free(b->tokeniser);
    fer_arena_free(b->arena);
    fer_sys_free(b);
}

/* ---- documents ------------------------------------------------------------------ */

/* A list with room for `need` items, cleared behind those that were there. NULL: no memory. */
static void *widen(fer_arena *a, void *list, size_t *cap, size_t need, size_t size)
{
    size_t more = *cap ? *cap : 1024;
    if (need <= *cap) return list;
    while (more < need) more *= 2;
    char *wider = fer_arena_grow(a, list, *cap * size, more * size);
    if (!wider) return NULL;
    memset(wider + *cap * size, 0, (more - *cap) * size);
    *cap = more;
    return wider;
}

static bool make_room(fer_lexical_builder *b, uint32_t number)
{
    void *docs = widen(b->arena, b->docs, &b->doc_cap, (size_t)number + 1, sizeof *b->docs);
    if (docs) b->docs = docs;
    return docs != NULL;
}

static bool keep_doc(fer_lexical_builder *b, struct doc *doc)
{
    const fer_intake *in = &b->intake;
    float against = fer_weigh_length(in->length);
    size_t list = in->count * sizeof(uint32_t), record = in->record.count * sizeof(uint16_t);
    uint32_t *to = fer_arena_alloc(b->arena, list + record);
    if (!to) return false;
    *doc =
        (struct doc){to, (void *)(to + in->count), (uint32_t)in->count, (uint32_t)in->record.count};
    for (size_t i = 0; i < in->count; i++) {
        uint32_t number = in->list[i].number;
        to[i] = number << FER_LEVEL_BITS | fer_weigh_level(in->list[i].count, against);
    }
    memcpy(doc->record, in->record.units, record);
    b->postings += in->count;
    b->units += in->record.count;
    return true;
}

fer_code fer_lexical_builder_add(fer_lexical_builder *b, uint32_t number, const fer_search_doc *doc,
                                 fer_err *err)
{
    if (number >= FER_LEXICAL_DOCS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a search index holds at most %u documents",
                        FER_LEXICAL_DOCS_MAX);
    assert(number >= b->numbers || !b->docs[number].record);
    if (!fer_intake_read(&b->intake, doc) || !make_room(b, number) ||
        !keep_doc(b, &b->docs[number]))
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a document of the search index");
    b->count++;
    if (number >= b->numbers) b->numbers = number + 1;
    return FER_OK;
}

/* ---- all of them ---------------------------------------------------------------- */

struct turn {
    const fer_lexical_builder *b;
    uint32_t count;                 /* of terms */
    uint32_t *numbers;              /* new ones by old */
    struct fer_frozen_entry *terms; /* by new numbers */
    uint32_t *starts;               /* of the postings of each, by new numbers */
    uint32_t *next;                 /* where the next one goes, by old numbers */
    uint32_t *postings;
    uint16_t *records;
    uint32_t *record_at;
};

static bool number_terms(struct turn *t, fer_arena *a)
{
    const fer_terms *terms = &t->b->terms;
    const struct fer_intake_mark *marks = t->b->intake.marks;
    fer_term_place *places = fer_arena_alloc(a, ((size_t)t->count + 1) * sizeof *places);
    if (!places) return false;
    for (uint32_t i = 0; i < t->count; i++)
        places[i] = fer_term_place_of(i, marks[i].docs, fer_terms_get(terms, i)->text);
    if (!fer_term_order(a, places, t->count)) return false;
    uint64_t start = 0;
    for (uint32_t n = 0; n < t->count; n++) {
        uint32_t old = places[n].which;
        t->numbers[old] = n;
        t->terms[n] = (struct fer_frozen_entry){places[n].text, marks[old].docs};
        t->starts[n] = t->next[old] = (uint32_t)start;
        start += marks[old].docs;
    }
    return true;
}

static void turn_round(struct turn *t)
{
    const fer_lexical_builder *b = t->b;
    size_t units = 0;
    for (uint32_t n = 0; n < b->numbers; n++) {
        const struct doc *doc = &b->docs[n];
        for (uint32_t i = 0; i < doc->terms; i++) {
            uint32_t *at = &t->next[doc->postings[i] >> FER_LEVEL_BITS];
            t->postings[(*at)++] = n << FER_LEVEL_BITS | doc->postings[i] % FER_LEVELS;
        }
        if (doc->record)
            units += fer_record_renumber(t->records + units, (fer_record){doc->record, doc->units},
                                         t->numbers, t->count);
        t->record_at[n + 1] = (uint32_t)units;
    }
}

static const uint32_t *postings_of(void *context, uint32_t term)
{
    const struct turn *t = context;
    return t->postings + t->starts[term];
}

static bool prepare(struct turn *t, fer_arena *a)
{
    const fer_lexical_builder *b = t->b;
    size_t terms = (size_t)t->count + 1;
    size_t units = 2 * b->units + 4 * (size_t)b->numbers + 4; /* see fer_record_renumber */
    t->numbers = fer_arena_alloc(a, terms * sizeof *t->numbers);
    t->terms = fer_arena_alloc(a, terms * sizeof *t->terms);
    t->starts = fer_arena_alloc(a, terms * sizeof *t->starts);
    t->next = fer_arena_alloc(a, terms * sizeof *t->next);
    t->postings = fer_arena_alloc(a, (b->postings + 1) * sizeof *t->postings);
    t->record_at = fer_arena_alloc_zero(a, (size_t)b->numbers + 1, sizeof *t->record_at);
    t->records = fer_arena_alloc(a, units * sizeof *t->records);
    if (!t->numbers || !t->terms || !t->starts || !t->next || !t->postings || !t->record_at ||
        !t->records)
        return false;
    return number_terms(t, a);
}

fer_code fer_lexical_builder_finish(fer_arena *a, fer_lexical_builder *b, fer_str *out,
                                    fer_err *err)
{
    fer_arena *scratch = fer_arena_new(0);
    struct turn t = {.b = b, .count = atomic_load(&b->terms.count)};
    fer_code code = FER_OUT_OF_MEMORY;
    if (b->postings >= UINT32_MAX || b->units >= UINT32_MAX / 2 || t.count >= FER_RECORD_TERMS) {
        code = fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
    } else if (scratch && prepare(&t, scratch)) {
        turn_round(&t);
        fer_frozen_source source = {.numbers = b->numbers,
                                    .docs = b->count,
                                    .term_count = t.count,
                                    .terms = t.terms,
                                    .record_at = t.record_at,
                                    .records = t.records,
                                    .postings = postings_of,
                                    .context = &t};
        code = fer_frozen_write(a, &source, out, err);
    } else {
        fer_fail(err, code, "no memory for freezing the search index");
    }
    fer_arena_free(scratch);
    return code;
}
