/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index, frozen: terms get new numbers (term_order.h), and postings and records of both parts
 * are written with these. Nothing in the result depends on the order in which documents came.
 */
#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "lexical.h"
#include "lexical_parts.h"
#include "term_order.h"

/* A term of either part. */
struct entry {
    fer_str text;
    uint32_t df;
    uint32_t frozen;      /* FER_NONE: not there */
    const fer_term *term; /* NULL: not in the tail */
};

struct freezer {
    const fer_lexical *ix;
    fer_arena *arena;
    fer_err *err;
    struct entry *entries;   /* as found */
    fer_term_place *ordered; /* by their new numbers; theirs are of entries */
    uint32_t count;
    uint32_t numbers;              /* of documents that are there are below it */
    uint32_t *of_frozen, *of_tail; /* the new numbers of old terms */
    uint32_t tail_terms;
    uint32_t *slots; /* of live documents of the tail by number, + 1 */
    uint32_t *list;  /* postings of one term */
    uint32_t *record_at;
    fer_buf records;
    uint32_t docs; /* that have one: what hostile bytes said may be more than there are */
};

/* ---- terms -------------------------------------------------------------------- */

static void add_entry(struct freezer *z, fer_str text, uint32_t frozen, const fer_term *term)
{
    size_t df = fer_lexical_df(z->ix, frozen, term);
    if (df > z->numbers) df = z->numbers; /* more than there are is a lie of the bytes */
    if (df) z->entries[z->count++] = (struct entry){text, (uint32_t)df, frozen, term};
}

static bool gather_terms(struct freezer *z)
{
    const fer_lexical *ix = z->ix;
    uint32_t tail = atomic_load_explicit(&ix->terms.count, memory_order_acquire);
    size_t most = (size_t)ix->frozen.term_count + tail;
    z->tail_terms = tail;
    z->entries = fer_arena_alloc_zero(z->arena, most, sizeof *z->entries);
    if (!z->entries) return false;
    for (uint32_t t = 0; t < ix->frozen.term_count; t++) {
        fer_str text = fer_frozen_text(&ix->frozen, t);
        if (text.len) add_entry(z, text, t, fer_terms_of_frozen(&ix->terms, t));
    }
    for (uint32_t t = 0; t < tail; t++) {
        const fer_term *term = fer_terms_get(&ix->terms, t);
        if (term->frozen == FER_NONE) add_entry(z, term->text, FER_NONE, term);
    }
    return true;
}

static bool order_terms(struct freezer *z)
{
    z->ordered = fer_arena_alloc_zero(z->arena, (size_t)z->count + 1, sizeof *z->ordered);
    if (!z->ordered) return false;
    for (uint32_t i = 0; i < z->count; i++)
        z->ordered[i] = fer_term_place_of(z->entries[i].df, z->entries[i].text, i);
    return fer_term_order(z->arena, z->ordered, z->count);
}

static bool number_terms(struct freezer *z)
{
    const fer_lexical *ix = z->ix;
    uint32_t tail = z->tail_terms;
    z->of_frozen =
        fer_arena_alloc_zero(z->arena, (size_t)ix->frozen.term_count + 1, sizeof(uint32_t));
    z->of_tail = fer_arena_alloc_zero(z->arena, (size_t)tail + 1, sizeof(uint32_t));
    if (!z->of_frozen || !z->of_tail) return false;
    for (uint32_t n = 0; n < z->count; n++) {
        const struct entry *e = &z->entries[z->ordered[n].number];
        if (e->frozen != FER_NONE) z->of_frozen[e->frozen] = n;
        if (e->term) z->of_tail[e->term->number] = n;
    }
    return true;
}

/* ---- documents ---------------------------------------------------------------- */

static const struct fer_tail_doc *tail_docs(const struct freezer *z)
{
    return atomic_load_explicit(&z->ix->tail, memory_order_acquire);
}

static bool find_slots(struct freezer *z)
{
    const fer_lexical *ix = z->ix;
    uint32_t count = atomic_load_explicit(&ix->tail_count, memory_order_acquire);
    z->slots = fer_arena_alloc_zero(z->arena, (size_t)ix->numbers + 1, sizeof *z->slots);
    if (!z->slots) return false;
    for (uint32_t s = 0; s < count; s++) {
        if (!tail_docs(z)[s].dead) z->slots[tail_docs(z)[s].number] = s + 1;
    }
    return true;
}

static bool write_record(struct freezer *z, fer_record record, bool tail)
{
    if (!fer_buf_reserve(&z->records, (2 * record.count + 4) * sizeof(uint16_t))) return false;
    uint16_t *to = (void *)(z->records.ptr + z->records.len);
    size_t units = tail ? fer_record_renumber(to, record, z->of_tail, z->tail_terms)
                        : fer_record_renumber(to, record, z->of_frozen, z->ix->frozen.term_count);
    z->records.len += units * sizeof *to;
    return true;
}

/* The record of a document, of no units where there is none. */
static fer_record record_of(const struct freezer *z, uint32_t number)
{
    if (z->slots[number]) return tail_docs(z)[z->slots[number] - 1].record;
    if (number >= z->ix->frozen.numbers || fer_lexical_is_dead(z->ix, number))
        return (fer_record){NULL, 0};
    return fer_frozen_record(&z->ix->frozen, number);
}

/* Those that were removed are not there, also where nothing is behind them. */
static void find_last(struct freezer *z)
{
    z->numbers = z->ix->numbers;
    while (z->numbers && !record_of(z, z->numbers - 1).count) z->numbers--;
}

static bool write_records(struct freezer *z)
{
    z->record_at = fer_arena_alloc_zero(z->arena, (size_t)z->numbers + 1, sizeof *z->record_at);
    if (!z->record_at) return false;
    fer_buf_init(&z->records, z->arena, UINT32_MAX);
    for (uint32_t n = 0; n < z->numbers; n++) {
        fer_record record = record_of(z, n);
        if (record.count && !write_record(z, record, z->slots[n] != 0)) return false;
        z->docs += record.count > 0;
        z->record_at[n + 1] = (uint32_t)(z->records.len / sizeof(uint16_t));
    }
    return true;
}

/* ---- postings ----------------------------------------------------------------- */

struct postings {
    uint32_t *list;
    uint32_t count, room;
    bool sorted;
};

/* The counts say how many there are; hostile bytes may have more, which are left out. */
static void add_posting(struct postings *p, uint32_t posting)
{
    if (p->count == p->room) return;
    if (p->count && p->list[p->count - 1] > posting) p->sorted = false;
    p->list[p->count++] = posting;
}

/* Of the frozen part; numbers in it may be lies. */
static bool is_there(const struct freezer *z, uint32_t number)
{
    return number < z->numbers && number < z->ix->frozen.numbers &&
           !fer_lexical_is_dead(z->ix, number);
}

static void add_frozen(struct freezer *z, uint32_t term, struct postings *p)
{
    const fer_lexical *ix = z->ix;
    fer_frozen_list list = fer_frozen_postings(&ix->frozen, term);
    for (uint32_t i = 0; list.flat && i < list.df; i++) {
        uint32_t number = list.flat[i] >> FER_LEVEL_BITS;
        if (is_there(z, number)) add_posting(p, list.flat[i]);
    }
    for (uint32_t w = 0; list.runs && w < ix->frozen.windows; w++) {
        fer_frozen_run run = fer_frozen_window(&list, w);
        uint32_t base = w << (FER_WINDOW_BITS + FER_LEVEL_BITS);
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t number = (base | run.postings[i]) >> FER_LEVEL_BITS;
            if (is_there(z, number)) add_posting(p, base | run.postings[i]);
        }
    }
}

static void add_tail(struct freezer *z, const fer_term *term, struct postings *p)
{
    fer_term_list list = fer_term_postings(term);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct fer_tail_doc *doc = &tail_docs(z)[list.postings[i] >> FER_LEVEL_BITS];
        if (!doc->dead)
            add_posting(p, doc->number << FER_LEVEL_BITS | list.postings[i] % FER_LEVELS);
    }
}

static int by_number(const void *one, const void *other)
{
    uint32_t x = *(const uint32_t *)one, y = *(const uint32_t *)other;
    return x < y ? -1 : x > y;
}

static const uint32_t *postings_of(struct freezer *z, uint32_t number)
{
    const struct entry *e = &z->entries[z->ordered[number].number];
    struct postings p = {z->list, 0, e->df, true};
    if (e->frozen != FER_NONE) add_frozen(z, e->frozen, &p);
    if (e->term) add_tail(z, e->term, &p);
    if (!p.sorted) qsort(p.list, p.count, sizeof *p.list, by_number);
    /* Fewer than were counted is a lie of the bytes, and the last one is repeated. */
    for (; p.count && p.count < p.room; p.count++) p.list[p.count] = p.list[p.count - 1];
    if (!p.count) memset(p.list, 0, p.room * sizeof *p.list);
    return z->list;
}

/* ---- all of it ---------------------------------------------------------------- */

static bool prepare(struct freezer *z)
{
    if (!find_slots(z)) return false;
    find_last(z);
    if (!gather_terms(z) || !order_terms(z) || !number_terms(z) || !write_records(z)) return false;
    uint32_t most = z->count ? fer_term_place_df(&z->ordered[0]) : 0;
    z->list = fer_arena_alloc(z->arena, ((size_t)most + 1) * sizeof *z->list);
    return z->list != NULL;
}

static fer_code write_all(struct freezer *z, fer_arena *a, fer_str *out, fer_err *err)
{
    uint32_t numbers = z->numbers;
    fer_frozen_source source = {.numbers = numbers,
                                .docs = z->docs,
                                .term_count = z->count,
                                .terms = z->ordered,
                                .record_units = z->record_at[numbers]};
    fer_frozen_writer w;
    fer_code code = fer_frozen_begin(&w, a, &source, err);
    if (code) return code;
    for (uint32_t t = 0; t < z->count; t++) fer_frozen_put_list(&w, t, postings_of(z, t));
    if (z->records.len) memcpy(fer_frozen_record_place(&w, 0), z->records.ptr, z->records.len);
    for (uint32_t n = 0; n < numbers; n++)
        fer_frozen_end_record(&w, n, z->record_at[n + 1] - z->record_at[n]);
    *out = fer_frozen_end(&w);
    return FER_OK;
}

fer_code fer_lexical_freeze(fer_arena *a, const fer_lexical *ix, fer_str *out, fer_err *err)
{
    struct freezer z = {.ix = ix, .arena = fer_arena_new(0), .err = err};
    fer_code code = FER_OUT_OF_MEMORY;
    if (z.arena && prepare(&z)) {
        code = write_all(&z, a, out, err);
    } else {
        fer_fail(err, code, "no memory for freezing the search index");
    }
    fer_arena_free(z.arena);
    return code;
}
