/* SPDX-License-Identifier: Apache-2.0 */
/* A search: the query read, swept, ranked, and what is named exactly put in front. */
#include <math.h>
#include <stdlib.h>

#include "errors.h"
#include "lexical.h"
#include "needs.h"
#include "rank.h"
#include "sys.h"

#define LOOK_AT      24   /* candidates of the first round, or as many as are wanted and some */
#define NEEDS_WORDS  6    /* different words of a query that can hold two needs */
#define NEED_LOOK_AT 16   /* candidates for one need of several */
#define NEED_HITS    10   /* of them that are raised */
#define NEED_WORTH   0.35 /* of the best hit of one need, measured in the best hit of all */
#define FETCHED      96   /* units of a record, three lines of a cache: heads of 40 words */
#define FIT_SHARE    0.08 /* of what the words of the query are worth: less than that fits nothing */

/* A hit, and where it was found. */
struct found {
    double score;
    double bonus; /* as a hit of one need */
    uint32_t number;
    uint32_t slot; /* of the tail, or FER_NONE */
    bool named;
};

struct fer_searcher {
    fer_tokeniser *tokeniser;
    fer_wording request;
    fer_query query;
    const fer_lexical *searched; /* where the query was searched for; NULL: nowhere yet */
    fer_query need;              /* one of several that the query asks for */
    struct found need_found[NEED_LOOK_AT];
    fer_rank rank;
    fer_rank_doc docs[FER_SWEEP_ROOM]; /* candidates of one part that are looked at twice ... */
    uint32_t slots[FER_SWEEP_ROOM];    /* ... and their slots */
    fer_sweep sweep;
    struct found found[FER_SWEEP_ROOM];
    uint16_t order[FER_SWEEP_ROOM]; /* places in the list that is ordered */
};
static_assert(FER_SWEEP_ROOM <= UINT16_MAX, "places are 16 bits");

fer_searcher *fer_searcher_new(void)
{
    fer_searcher *s = fer_sys_malloc_zero(sizeof *s);
    if (!s) return NULL;
    fer_rank_init(&s->rank);
    s->tokeniser = fer_tokeniser_new();
    if (s->tokeniser) return s;
    fer_sys_free(s);
    return NULL;
}

void fer_searcher_free(fer_searcher *s)
{
    if (!s) return;
    fer_tokeniser_free(s->tokeniser);
    fer_sys_free(s);
}

const fer_wording *fer_searcher_wording(const fer_searcher *s)
{
    return &s->request;
}

const fer_wording *fer_searcher_read(fer_searcher *s, fer_str text)
{
    fer_wording_read(&s->request, s->tokeniser, text);
    s->searched = NULL;
    return &s->request;
}

bool fer_searcher_has(const fer_searcher *s, const fer_lexical *ix, size_t word)
{
    assert(word < s->request.count);
    size_t term = s->searched == ix ? s->query.of_word[word] : 0;
    if (!term) return fer_lexical_has(ix, s->request.words[word].text);
    const fer_query_term *t = &s->query.terms[term - 1];
    return t->df > 0 && !t->forgiven; /* what was mended was not there */
}

/* ---- hits ----------------------------------------------------------------------- */

struct search {
    const fer_lexical *ix;
    fer_searcher *s;
    const fer_query *query;
    const fer_lexical_query *asked;
    struct found *list;
    size_t count;
};

static bool comes_before(const struct search *r, const struct found *x, const struct found *y)
{
    if (x->named != y->named) return x->named;
    if (x->score != y->score) return x->score > y->score;
    if (r->asked->before) return r->asked->before(r->asked->context, x->number, y->number);
    return x->number < y->number;
}

static fer_record record_of(const fer_lexical *ix, uint32_t number, uint32_t slot)
{
    if (slot == FER_NONE) return fer_frozen_record(&ix->frozen, number);
    return atomic_load_explicit(&ix->tail, memory_order_acquire)[slot].record;
}

/* A document that is being replaced is met twice for a moment: the later slot counts. */
static bool is_met(struct search *r, const struct found *f)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->list[i].number != f->number) continue;
        if (f->slot != FER_NONE && (r->list[i].slot == FER_NONE || f->slot > r->list[i].slot))
            r->list[i] = *f;
        return true;
    }
    return false;
}

/* Records lie anywhere: all of them are asked for before the first one is looked at. */
static void fetch_records(const fer_frozen *f, const fer_sweep *found)
{
    for (size_t i = 0; i < found->count; i++) {
        uint32_t number = fer_candidate_number(&found->best[i]);
        if (number >= f->numbers) continue;
        __builtin_prefetch(&f->record_at[number]);
        __builtin_prefetch(&f->names[number]);
    }
}

/* Also behind the end of a record, and of one that is not there: it does no harm. */
static void fetch_units(fer_record record)
{
    for (size_t at = 0; at < FETCHED; at += FETCHED / 3)
        __builtin_prefetch((const void *)((uintptr_t)record.units + at * sizeof *record.units));
}

/* Candidates of one part are put together and looked at together. */
static size_t gather(struct search *r, bool tail)
{
    fer_searcher *s = r->s;
    size_t count = 0;
    for (size_t i = 0; i < s->sweep.count; i++) {
        const fer_candidate *c = &s->sweep.best[i];
        uint32_t number = fer_candidate_number(c);
        if ((c->slot != FER_NONE) != tail) continue;
        s->docs[count] = (fer_rank_doc){.number = number,
                                        .record = record_of(r->ix, number, c->slot),
                                        .worth = fer_candidate_score(c) / s->sweep.scale};
        s->slots[count] = c->slot;
        fetch_units(s->docs[count++].record);
    }
    return count;
}

static void rank_part(struct search *r, bool tail)
{
    fer_searcher *s = r->s;
    if (!tail) fetch_records(&r->ix->frozen, &s->sweep);
    size_t count = gather(r, tail);
    if (!count) return;
    fer_rank_mark_part(&s->rank, r->ix, r->query, tail);
    fer_rank_docs(&s->rank, s->docs, count);
    for (size_t i = 0; i < count; i++) {
        const fer_rank_doc *d = &s->docs[i];
        struct found f = {d->worth, 0, d->number, s->slots[i], d->named};
        if (!tail || !is_met(r, &f)) r->list[r->count++] = f;
    }
}

/* ---- their order ------------------------------------------------------------------ */

#define FEW_HITS 64 /* that are counted against each other */
static_assert(FEW_HITS % FER_RANK_SCORES == 0, "whole registers");

/* The next hit, which stands behind `place` others, among those with the same score. */
static void place_hit(const struct search *r, uint16_t *order, uint64_t *taken, uint16_t hit,
                      size_t place)
{
    size_t at = place;
    while (*taken >> at & 1) at++;
    *taken |= UINT64_C(1) << at;
    for (; at > place && comes_before(r, &r->list[hit], &r->list[order[at - 1]]); at--)
        order[at] = order[at - 1];
    order[at] = hit;
}

/*
 * Few hits without names: each is put behind as many as have more than it. Hardly a branch of it
 * hangs on the scores, which nobody could foresee. False: it is not so.
 */
static bool order_few(const struct search *r, uint16_t *order)
{
    double scores[FEW_HITS];
    uint64_t above[FEW_HITS], taken = 0;
    bool named = false;
    if (r->count > FEW_HITS) return false;
    for (size_t i = 0; i < r->count; i++) {
        scores[i] = r->list[i].score;
        named |= r->list[i].named;
    }
    for (size_t i = r->count; i % FER_RANK_SCORES; i++) scores[i] = -HUGE_VAL;
    if (!named) fer_rank_kernels_here()->above(scores, r->count, above);
    for (size_t i = 0; i < r->count && !named; i++)
        place_hit(r, order, &taken, (uint16_t)i, (size_t)above[i]);
    return !named;
}

/* Otherwise, a heap with the best on top ... */
static void sift(const struct search *r, uint16_t *heap, size_t at, size_t count)
{
    uint16_t moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_before(r, &r->list[heap[child + 1]], &r->list[heap[child]]))
            child++;
        if (!comes_before(r, &r->list[heap[child]], &r->list[moved])) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* ... that is taken away, as often as hits are wanted. */
static void order_many(const struct search *r, uint16_t *order, size_t wanted)
{
    uint16_t heap[FER_SWEEP_ROOM];
    size_t count = r->count;
    for (size_t i = 0; i < count; i++) heap[i] = (uint16_t)i;
    for (size_t i = count / 2; i-- > 0;) sift(r, heap, i, count);
    for (size_t i = 0; i < wanted; i++) {
        order[i] = heap[0];
        heap[0] = heap[--count];
        sift(r, heap, 0, count);
    }
}

/* The places of the first `limit` hits, best first; how many there are. */
static size_t order_hits(const struct search *r, uint16_t *order, size_t limit)
{
    size_t wanted = r->count < limit ? r->count : limit;
    if (!order_few(r, order)) order_many(r, order, wanted);
    return wanted;
}

/* ---- why ------------------------------------------------------------------------ */

/* The level of a document in a sorted list, + 1; 0: it is not there. */
static uint32_t level_in(const uint32_t *list, uint32_t count, uint32_t doc)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle] >> FER_LEVEL_BITS < doc) low = middle + 1;
        else high = middle;
    }
    if (low == count || list[low] >> FER_LEVEL_BITS != doc) return 0;
    return list[low] % FER_LEVELS + 1;
}

static uint32_t level_in_run(const fer_frozen_list *list, uint32_t number)
{
    fer_frozen_run run = fer_frozen_window(list, number >> FER_WINDOW_BITS);
    for (uint32_t i = 0; i < run.count; i++) {
        if (run.postings[i] >> FER_LEVEL_BITS == number % FER_WINDOW)
            return run.postings[i] % FER_LEVELS + 1U;
    }
    return 0;
}

static uint32_t level_of(const fer_lexical *ix, const fer_query_term *t, const struct found *f)
{
    if (f->slot != FER_NONE) {
        if (!t->tail) return 0;
        fer_term_list list = fer_term_postings(t->tail);
        return level_in(list.postings, list.count, f->slot);
    }
    if (t->frozen == FER_NONE) return 0;
    fer_frozen_list list = fer_frozen_postings(&ix->frozen, t->frozen);
    if (list.flat) return level_in(list.flat, list.df, f->number);
    return list.runs && f->number < ix->frozen.numbers ? level_in_run(&list, f->number) : 0;
}

/* The fields of a document that have a term. */
static unsigned fields_with(fer_record record, uint32_t number)
{
    fer_record_reader r;
    fer_record_item item;
    unsigned fields = 0;
    fer_record_open(&r, record);
    while ((item = fer_record_next(&r)) != FER_RECORD_END) {
        if (item == FER_RECORD_TERM && r.term == number && r.field < FER_FIELD_COUNT)
            fields |= 1U << r.field;
    }
    return fields;
}

static int by_share(const void *one, const void *other)
{
    const fer_lexical_why *x = one, *y = other;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return fer_str_cmp(x->word, y->word);
}

static bool explain(fer_arena *a, const struct search *r, const struct found *f,
                    fer_lexical_hit *hit)
{
    const fer_query *q = r->query;
    fer_lexical_why *why = fer_arena_alloc_zero(a, q->count + 1, sizeof *why);
    if (!why) return false;
    fer_record record = record_of(r->ix, f->number, f->slot);
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        uint32_t level = t->weight > 0 && !t->name ? level_of(r->ix, t, f) : 0;
        if (!level) continue;
        fer_lexical_why *w = &why[hit->why_count++];
        w->word = fer_arena_copy(a, t->word);
        w->matched = fer_arena_copy(a, t->text);
        if (!w->word.ptr || !w->matched.ptr) return false;
        w->fields = fields_with(record, f->slot == FER_NONE ? t->frozen : t->tail->number);
        w->share = t->weight * fer_weigh_level_share(level - 1) / f->score;
    }
    qsort(why, hit->why_count, sizeof *why, by_share);
    hit->why = why;
    return true;
}

/* ---- all of it -------------------------------------------------------------------- */

static size_t room_for(size_t limit)
{
    size_t room = limit + limit / 2;
    return room < LOOK_AT ? LOOK_AT : room > FER_SWEEP_ROOM ? FER_SWEEP_ROOM : room;
}

static void find(struct search *r, size_t room)
{
    fer_sweep *sweep = &r->s->sweep;
    sweep->accept = r->asked->accept;
    sweep->context = r->asked->context;
    sweep->room = room;
    fer_sweep_run(sweep, r->ix, r->query);
    rank_part(r, false);
    rank_part(r, true);
}

/* ---- needs ------------------------------------------------------------------------ */

/* A hit of a need: `bonus` for it, whatever its place among the hits of all. */
static void raise(struct search *all, const struct found *hit, double bonus, double floor)
{
    for (size_t i = 0; i < all->count; i++) {
        struct found *f = &all->list[i];
        if (f->number != hit->number) continue;
        if (bonus > f->bonus) f->bonus = bonus;
        return;
    }
    if (all->count == FER_SWEEP_ROOM) return;
    struct found f = *hit;
    f.score = floor;
    f.bonus = bonus;
    all->list[all->count++] = f;
}

/* The score of the first of all, and the least. */
static void measure(const struct search *r, double *best, double *least)
{
    const struct found *first = r->list;
    *least = r->count ? first->score : 0;
    for (size_t i = 0; i < r->count; i++) {
        if (comes_before(r, &r->list[i], first)) first = &r->list[i];
        if (r->list[i].score < *least) *least = r->list[i].score;
    }
    *best = r->count ? first->score : 0;
}

/* The best of each need are raised, the first of them by NEED_WORTH. */
static void add_needs(struct search *all, const fer_needs *needs, size_t room)
{
    fer_searcher *s = all->s;
    double best, floor;
    measure(all, &best, &floor);
    if (all->count < room) floor = 0; /* those that were not found have nothing of the query */
    for (size_t n = 0; n < needs->count; n++) {
        struct search r = {all->ix, s, &s->need, all->asked, s->need_found, 0};
        fer_query_read_need(&s->need, &s->query, &s->request, &needs->list[n]);
        find(&r, NEED_LOOK_AT);
        size_t count = order_hits(&r, s->order, NEED_HITS);
        for (size_t rank = 0; rank < count; rank++)
            raise(all, &r.list[s->order[rank]], NEED_WORTH * best * 2 / ((double)rank + 2), floor);
    }
    for (size_t i = 0; i < all->count; i++) all->list[i].score += all->list[i].bonus;
}

static fer_code hand_over(fer_arena *a, struct search *r, size_t limit, fer_lexical_hits *out,
                          fer_err *err)
{
    size_t count = order_hits(r, r->s->order, limit);
    fer_lexical_hit *hits = fer_arena_alloc(a, (count + 1) * sizeof *hits);
    if (!hits) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count; i++) {
        const struct found *f = &r->list[r->s->order[i]];
        hits[i] = (fer_lexical_hit){.number = f->number, .score = f->score, .named = f->named};
        if (r->asked->explain && !explain(a, r, f, &hits[i])) return fer_arena_failed(a, err);
    }
    /* What is named stands first, and nothing behind it has more: order is by score. */
    for (size_t i = count; i-- > 1;)
        if (hits[i - 1].score < hits[i].score) hits[i - 1].score = hits[i].score;
    double possible = r->query->mass;
    bool fits = count > 0 && (hits[0].named || hits[0].score >= FIT_SHARE * possible);
    *out = (fer_lexical_hits){hits, count, possible, fits};
    return FER_OK;
}

fer_code fer_lexical_search(fer_arena *a, const fer_lexical *ix, fer_searcher *s,
                            const fer_lexical_query *query, fer_lexical_hits *out, fer_err *err)
{
    struct search r = {ix, s, &s->query, query, s->found, 0};
    size_t limit = query->limit < FER_LEXICAL_HITS_MAX ? query->limit : FER_LEXICAL_HITS_MAX;
    fer_needs needs;
    fer_wording_read(&s->request, s->tokeniser, query->text);
    fer_query_read(&s->query, ix, s->tokeniser, &s->request);
    s->searched = ix;
    find(&r, room_for(limit));
    if (s->query.count >= NEEDS_WORDS) {
        fer_needs_cut(&needs, &s->request);
        if (needs.count > 1) add_needs(&r, &needs, room_for(limit));
    }
    return hand_over(a, &r, limit, out, err);
}
