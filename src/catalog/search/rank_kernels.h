/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which units of a record's head (record.h) the second round of a search has to look at, for the
 * processor at hand. Most words of most documents are not asked for: a net of two tables, by some
 * bits of a term's number each, lets all marked terms through and few others. All rows give the
 * same bits; the first that the processor can run is taken.
 */
#ifndef FER_RANK_KERNELS_H
#define FER_RANK_KERNELS_H

#include "record.h"

#define FER_RANK_UNITS 128 /* that are sorted at once */

/* A bit for each byte that a part of a number can be: its lower half, and the bits from the fifth
 * on. */
typedef struct fer_rank_net {
    uint64_t low[4], high[4];
} fer_rank_net;

static inline void fer_rank_net_add(fer_rank_net *net, uint32_t number)
{
    net->low[number >> 6 & 3] |= UINT64_C(1) << (number & 63);
    net->high[number >> 11 & 3] |= UINT64_C(1) << (number >> 5 & 63);
}

/* The head of a record: what goes in, and what is found out. */
typedef struct fer_rank_head {
    const uint16_t *units; /* FER_RANK_UNITS of them can be read */
    unsigned count;        /* of its own; 0: it is not looked at */
    bool odd;              /* it has a term of two units, or a name that is too long */
    uint64_t starts[2];    /* of texts: a bit for each unit, the first the lowest */
} fer_rank_head;

/* A unit of one of several heads. */
typedef struct fer_rank_word {
    uint16_t place; /* the head << FER_RANK_PLACE, and the place in it */
    uint16_t what;  /* the unit; later on, the mark of its term */
} fer_rank_word;
#define FER_RANK_LOT   32 /* heads that are looked at together */
#define FER_RANK_PLACE 8  /* bits of a place in a head: two heads have no neighbours */
#define FER_RANK_STEP  5  /* words that most heads have at most ... */
#define FER_RANK_MORE  16 /* ... and room behind the last one */
static_assert(FER_RANK_UNITS < 1 << FER_RANK_PLACE && FER_RANK_LOT << FER_RANK_PLACE <= UINT16_MAX,
              "places are 16 bits");

typedef struct fer_rank_kernels {
    const char *name;
    bool (*runs_here)(void);
    /* Notes terms of one unit that may be marked, head by head; how many. Of odd heads none. */
    size_t (*sort)(const fer_rank_net *net, fer_rank_head *heads, unsigned count,
                   fer_rank_word *words);
    /* How many of the scores are above each. Both have room for a multiple of FER_RANK_SCORES, and
     * behind the last score stand ones that are above none. */
    void (*above)(const double *scores, size_t count, uint64_t *out);
} fer_rank_kernels;
#define FER_RANK_SCORES 8

extern const fer_rank_kernels fer_rank_kernel_rows[];
extern const size_t fer_rank_kernel_count;

const fer_rank_kernels *fer_rank_kernels_here(void);

#endif
