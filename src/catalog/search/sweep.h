/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first round of a search: the `room` best documents by the sum of what their words are
 * worth, out of all. Whole numbers throughout, so the order of adding does not matter and what
 * is passed by unread could not have come in.
 *
 * Documents are dealt with in spans of 8192. In a span the words' postings are added up one
 * word after the other, but not those of the cheap words: as soon as the best are known to be
 * better than what these can be worth together, only documents that a dear word has brought near
 * are looked up in their long lists. How good the best will be at least is known before the first
 * span: of every word the index says what its 24th best posting has.
 */
#ifndef FER_SWEEP_H
#define FER_SWEEP_H

#include "query.h"
#include "sum_kernels.h"

#define FER_SPAN FER_SUMS
static_assert(FER_LEVELS == FER_GAINS, "a gain for each level");
static_assert(FER_SPAN % FER_WINDOW == 0 && (FER_SPAN & (FER_SPAN - 1)) == 0, "of whole windows");

#define FER_SWEEP_ROOM (FER_LEXICAL_HITS_MAX + 64)

typedef struct fer_candidate {
    uint64_t key;  /* score, of 32000, and the number turned around: the larger the better */
    uint32_t slot; /* of the tail; FER_NONE: a frozen document */
} fer_candidate;
static inline uint32_t fer_candidate_score(const fer_candidate *c)
{
    return (uint32_t)(c->key >> 32);
}
static inline uint32_t fer_candidate_number(const fer_candidate *c)
{
    return UINT32_MAX - (uint32_t)c->key;
}

/* One word's postings in one part of the index. */
struct fer_lane {
    fer_frozen_list list; /* of the frozen part, or flat slots of the tail */
    uint32_t from, to;    /* the postings of the span at hand, of a flat list */
    uint32_t top;         /* what a posting is worth at most */
    uint16_t gain[FER_LEVELS];
};

typedef struct fer_sweep {
    const fer_lexical *ix;
    const fer_sum_kernels *run;
    bool (*accept)(void *context, uint32_t number);
    void *context;
    size_t room, count;
    uint32_t least; /* what a document needs to come in */
    uint32_t hoped; /* the same as it was guessed; 0: it was not */
    double scale;   /* score = worth * scale */
    size_t lane_count;
    fer_candidate best[2 * FER_SWEEP_ROOM]; /* gathered; the worst are thrown out when it is full */
    struct fer_lane lanes[FER_QUERY_TERMS + 1];
    uint32_t numbers; /* of the part */
    uint32_t added;   /* postings that were added to its sums beforehand */
    size_t dear;      /* lanes from here on were not cheap in the span before ... */
    size_t wanted;    /* ... and from here on, added up all the same */
    uint16_t *sums;   /* FER_SPAN of them, 0 between spans ... */
    uint16_t *values; /* ... and those that are large enough */
    uint16_t room_of_sums[2 * FER_SPAN + FER_SUMS_MORE + FER_SUMS_ALIGN / 2];
    uint16_t places[FER_SPAN + FER_SUMS_MORE];
} fer_sweep;

/* Leaves the best in best[0 .. count), in no order; of equal ones those with lower numbers. */
void fer_sweep_run(fer_sweep *s, const fer_lexical *ix, const fer_query *q);

#endif
