/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first round of a search: the `room` best documents by the sum of what their words are
 * worth, out of all. Whole numbers throughout, so the order of adding does not matter and what
 * is passed by unread could not have come in.
 *
 * Documents are dealt with in windows of 2048. In a window the words' postings are added up one
 * word after the other, the dear words first. Once the best are known to be better than what
 * the cheap words can be worth together, only documents that a dear word has brought near are
 * looked up in the long lists of the cheap ones; a window that cannot reach is passed by.
 */
#ifndef FER_SWEEP_H
#define FER_SWEEP_H

#include "query.h"
#include "sum_kernels.h"

static_assert(FER_WINDOW == FER_SUMS, "the kernels know windows");

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
    fer_frozen_run run;   /* of the window at hand, where the list has runs */
    uint32_t at;          /* the next posting of a flat list ... */
    uint32_t from;        /* ... and the first one of the window at hand */
    uint32_t top;         /* what a posting can be worth */
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
    uint32_t tops[FER_QUERY_TERMS + 1]; /* what each lane can be worth in the window at hand */
    uint16_t *sums;                     /* FER_WINDOW of them, 0 between windows, ... */
    uint16_t *peaks;                    /* ... and the largest of every four */
    uint16_t room_of_sums[FER_WINDOW + FER_WINDOW / 4 + FER_SUMS_ALIGN / 2];
    uint16_t places[FER_WINDOW], values[FER_WINDOW];
} fer_sweep;

/* Leaves the best in best[0 .. count), in no order; of equal ones those with lower numbers. */
void fer_sweep_run(fer_sweep *s, const fer_lexical *ix, const fer_query *q);

#endif
