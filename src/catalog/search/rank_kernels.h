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
    uint8_t low[32], high[32];
} fer_rank_net;

static inline void fer_rank_net_byte(uint8_t table[32], unsigned byte)
{
    table[(byte >> 3 & 16) + (byte & 15)] |= (uint8_t)(1U << (byte >> 4 & 7));
}

static inline void fer_rank_net_add(fer_rank_net *net, uint32_t number)
{
    fer_rank_net_byte(net->low, number & 0xFF);
    fer_rank_net_byte(net->high, number >> 5 & 0xFF);
}

/* A bit for each unit, the first the lowest. */
typedef struct fer_rank_units {
    uint64_t caught[2]; /* terms of one unit that may be marked */
    uint64_t starts[2]; /* of texts, or a term of two units */
    bool wide;          /* there is a term of two units */
} fer_rank_units;

typedef struct fer_rank_kernels {
    const char *name;
    bool (*runs_here)(void);
    /* Sorts the first `count`, one at least; all of FER_RANK_UNITS can be read. */
    void (*sort)(const fer_rank_net *net, const uint16_t *units, unsigned count,
                 fer_rank_units *out);
    /* How many of the scores are above each. Both have room for a multiple of FER_RANK_SCORES, and
     * behind the last score stand ones that are above none. */
    void (*above)(const double *scores, size_t count, uint64_t *out);
} fer_rank_kernels;
#define FER_RANK_SCORES 8

extern const fer_rank_kernels fer_rank_kernel_rows[];
extern const size_t fer_rank_kernel_count;

const fer_rank_kernels *fer_rank_kernels_here(void);

#endif
