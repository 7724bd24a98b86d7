/* SPDX-License-Identifier: Apache-2.0 */
/* The words that the second round of a search looks for (rank.h), for the files that mark and find
 * them. */
#ifndef FER_RANK_MARKS_H
#define FER_RANK_MARKS_H

#include <math.h>

#include "rank.h"

#define FER_RANK_NEAR 64 /* terms whose neighbours are bits of their marks */

static inline bool fer_rank_is_own(const fer_rank *r, size_t mark)
{
    return mark <= r->own_count;
}

/* The mark of a term that has no place in the map, or 0. */
size_t fer_rank_find_elsewhere(const fer_rank *r, uint32_t number);

static inline size_t fer_rank_find_mark(const fer_rank *r, uint32_t number)
{
    unsigned at = number < FER_RECORD_MARK ? r->map[number] : FER_RANK_ELSEWHERE;
    return at == FER_RANK_ELSEWHERE ? fer_rank_find_elsewhere(r, number)
                                    : at & ~(unsigned)FER_RANK_MARKED;
}

static inline uint32_t fer_rank_number_in_part(const fer_rank *r, uint32_t frozen,
                                               const fer_term *tail)
{
    if (!r->tail) return frozen;
    return tail ? tail->number : FER_NONE;
}

/*
 * A related word is worth no more than it is itself, nor more than the query's would be. What of
 * that hangs on the query's word:
 */
typedef struct fer_rank_beside {
    double most; /* HUGE_VAL: nobody has that word */
    double count;
} fer_rank_beside;
static inline fer_rank_beside fer_rank_beside_of(const fer_query_term *t)
{
    return (fer_rank_beside){t->df ? t->rarity : HUGE_VAL, fer_query_saturate(t->count)};
}
static inline float fer_rank_related_worth(const fer_rank *r, fer_rank_beside beside,
                                           unsigned likeness, double rarity)
{
    double worth = beside.most < rarity ? beside.most : rarity;
    return (float)(r->alike[likeness] * worth * beside.count);
}

#endif
