/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_marks.h"
#include "weigh.h"

#define RELATED_WORTH 0.6  /* of a related word, measured in that of the query's */
#define NAME_WORTH    0.35 /* what is added for a name that the query holds all of ... */
#define NAME_LEAST    0.05 /* ... and where there are very many tools: more have it by chance */
#define NAME_HALF     5000 /* tools among which it is worth half of what lies between */

#define MAPPED (FER_RANK_ELSEWHERE & ~FER_RANK_MARKED) /* marks below it fit into the map */

/* A term of two units has no place in the map, nor has a mark that its bytes cannot hold. */
static inline void place_mark(fer_rank *r, size_t place)
{
    fer_rank_mark *m = &r->marks[place];
    if (m->number < FER_RECORD_MARK && place < MAPPED) {
        r->map[m->number] = (uint8_t)(FER_RANK_MARKED | place);
        return;
    }
    uint16_t *bucket = &r->buckets[m->number % FER_COUNT(r->buckets)];
    if (m->number < FER_RECORD_MARK) r->map[m->number] = FER_RANK_ELSEWHERE;
    m->next = *bucket;
    *bucket = (uint16_t)place;
    r->narrow = false;
    r->scattered = true;
}

/* The mark, or 0. */
static inline size_t mark(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number == FER_NONE || r->count == FER_RANK_MARKS) return 0;
    r->marks[++r->count] = (fer_rank_mark){number, 0, (uint8_t)term, (uint8_t)likeness};
    r->others[r->count].worth = -1;
    place_mark(r, r->count);
    return r->count;
}

void fer_rank_init(fer_rank *r)
{
    memset(r->map + FER_RECORD_MARK, FER_RANK_ELSEWHERE, sizeof r->map - FER_RECORD_MARK);
    for (unsigned i = 0; i < FER_COUNT(r->alike); i++) r->alike[i] = RELATED_WORTH * i / 100;
}

static void clear_marks(fer_rank *r)
{
    for (size_t i = 1; i <= r->count; i++) {
        uint32_t number = r->marks[i].number;
        if (number < FER_RECORD_MARK) r->map[number] = 0;
    }
    if (r->scattered) memset(r->buckets, 0, sizeof r->buckets);
    r->count = 0;
    r->scattered = false;
}

size_t fer_rank_find_elsewhere(const fer_rank *r, uint32_t number)
{
    size_t at = r->buckets[number % FER_COUNT(r->buckets)];
    while (at && r->marks[at].number != number) at = r->marks[at].next;
    return at;
}

/* A word that is related to a term, unless it is marked already. */
static void mark_other(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number != FER_NONE && !fer_rank_find_mark(r, number)) mark(r, number, term, likeness);
}

/* Words that are related to terms of the query: of all terms one behind the other, so that where
 * those of one end is nothing to foresee. */
struct links {
    size_t count;
    fer_related_link list[(FER_QUERY_TERMS + 1) * FER_RELATED_MOST];
    uint8_t term[(FER_QUERY_TERMS + 1) * FER_RELATED_MOST];
    fer_rank_beside beside[FER_QUERY_TERMS + 1]; /* by term */
};

/* All that there can be are copied, and only a term's own counted. */
static void gather_links(struct links *l, const fer_query *q)
{
    l->count = 0;
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        bool any = t->related != FER_RELATED_NONE;
        size_t count;
        const fer_related_link *links = fer_related_links(any ? t->related : 0, &count);
        memcpy(l->list + l->count, links, FER_RELATED_MOST * sizeof *links);
        memset(l->term + l->count, (int)i, FER_RELATED_MOST);
        l->beside[i] = fer_rank_beside_of(t);
        l->count += any && i != q->name ? count : 0;
    }
}

/*
 * Words of the frozen part, as long as the map has room for more: about a third are nowhere in it
 * or marked already, which nobody can foresee, so that all are written, and only what is to stay is
 * counted. How many were looked at.
 */
static size_t mark_frozen(fer_rank *r, const struct links *l)
{
    const struct fer_lexical_related *related = r->ix->related;
    const bool known = r->names;
    size_t last = r->count, i = 0;
    for (; i < l->count && last + 1 < MAPPED; i++) {
        const fer_related_link link = l->list[i];
        const struct fer_lexical_related *word = &related[link.word];
        uint32_t number = word->number;
        if (number + 1 > FER_RECORD_MARK) { /* there, and of two units */
            r->count = last;
            mark_other(r, number, l->term[i], link.likeness);
            last = r->count;
            continue;
        }
        uint8_t *place = &r->map[number & UINT16_MAX]; /* of nobody's number, none of a term */
        bool in = !*place;
        float worth = fer_rank_related_worth(r, l->beside[l->term[i]], link.likeness, word->rarity);
        r->marks[last + 1] = (fer_rank_mark){number, 0, l->term[i], link.likeness};
        r->others[last + 1].worth = known ? worth : -1;
        last += in;
        *place = in ? (uint8_t)(FER_RANK_MARKED | last) : *place;
    }
    r->count = last;
    return i;
}

static void mark_related(fer_rank *r, const fer_query *q)
{
    struct links l; /* large, and written where it is read */
    gather_links(&l, q);
    for (size_t i = !r->tail && r->ix->related ? mark_frozen(r, &l) : 0; i < l.count; i++) {
        uint32_t word = l.list[i].word;
        uint32_t number = r->ix->related ? r->ix->related[word].number : FER_NONE;
        if (r->tail)
            number = fer_rank_number_in_part(r, FER_NONE, fer_terms_related(&r->ix->terms, word));
        mark_other(r, number, l.term[i], l.list[i].likeness);
    }
}

/* Rarities that are remembered are of so many documents. */
static void count_docs(fer_rank *r)
{
    size_t docs = atomic_load_explicit(&r->ix->docs, memory_order_relaxed);
    if (docs != r->docs) memset(r->rarities, 0, sizeof r->rarities);
    r->docs = docs;
    r->name_worth = NAME_LEAST + (NAME_WORTH - NAME_LEAST) * NAME_HALF / (NAME_HALF + (double)docs);
}

static void mark_own(fer_rank *r, const fer_query *q)
{
    uint8_t of_term[FER_QUERY_TERMS + 1] = {0}; /* marks */
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        size_t m = mark(r, fer_rank_number_in_part(r, t->frozen, t->tail), i, 0);
        of_term[i] = (uint8_t)m;
        if (m) r->own[m] = (fer_rank_own){t->rarity, i < FER_RANK_NEAR ? UINT64_C(1) << i : 0, 0};
    }
    r->own_count = r->count;
    for (size_t i = 0; i < q->pair_count; i++) {
        size_t first = of_term[q->pairs[i].first], second = q->pairs[i].second;
        if (first && second < FER_RANK_NEAR) r->own[first].behind |= UINT64_C(1) << second;
    }
}

static void make_net(fer_rank *r)
{
    fer_rank_net net = {{0}, {0}};
    for (size_t i = 1; i <= r->count; i++) fer_rank_net_add(&net, r->marks[i].number);
    r->net = net;
}

static uint32_t name_of(const fer_rank *r, const fer_query *q)
{
    if (q->name == SIZE_MAX) return FER_NONE;
    return fer_rank_number_in_part(r, q->terms[q->name].frozen, q->terms[q->name].tail);
}

void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail)
{
    clear_marks(r);
    r->ix = ix;
    r->query = q;
    r->tail = tail;
    r->steady = !tail && !atomic_load_explicit(&ix->terms.of_frozen, memory_order_acquire);
    r->narrow = true;
    r->run = fer_rank_kernels_here();
    r->name = name_of(r, q);
    count_docs(r);
    r->names = r->steady && r->docs == ix->frozen.docs;
    mark_own(r, q);
    mark_related(r, q);
    if (q->count > FER_RANK_NEAR) r->narrow = false;
    if (r->narrow) make_net(r);
}
