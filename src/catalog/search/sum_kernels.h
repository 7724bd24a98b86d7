/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops over the sums of a span (sweep.h), for the processor at hand. All rows give the same
 * numbers; the first that the processor can run is taken. Sums are below 2^15, and aligned to
 * FER_SUMS_ALIGN bytes; sizes are up to FER_SUMS, and sums behind them, up to a multiple of
 * FER_SUMS_LOT, are 0.
 */
#ifndef FER_SUM_KERNELS_H
#define FER_SUM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FER_SUMS       8192
#define FER_SUMS_LOT   64
#define FER_SUMS_ALIGN 64
#define FER_SUMS_STEP  4  /* places and values are written so many at once, ... */
#define FER_SUMS_MORE  32 /* ... and there is so much room behind them */
#define FER_GAINS      32

typedef struct fer_sum_kernels {
    const char *name;
    bool (*runs_here)(void);
    /* The places of sums that are at least `floor`, which is above 0, in ascending order; all sums
     * are 0 afterwards. `values` gets theirs. How many. */
    uint32_t (*take)(uint16_t *sums, uint32_t size, uint16_t floor, uint16_t *places,
                     uint16_t *values);
    /* A step, two of them ... FER_GAINS of them, which is below 2^15; without what is behind the
     * point. */
    void (*gains)(float step, uint16_t out[FER_GAINS]);
    /* How many are at least `floor`. */
    uint32_t (*count)(const uint16_t *sums, uint32_t size, uint16_t floor);
} fer_sum_kernels;

extern const fer_sum_kernels fer_sum_kernel_rows[];
extern const size_t fer_sum_kernel_count;

const fer_sum_kernels *fer_sum_kernels_here(void);

#endif
