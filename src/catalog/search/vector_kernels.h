/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops over vectors and sketches, for the processor at hand. All rows give the same numbers,
 * bit for bit; the first that the processor can run is taken.
 */
#ifndef FER_VECTOR_KERNELS_H
#define FER_VECTOR_KERNELS_H

#include "sketches.h"

typedef struct fer_sketch_hit {
    uint16_t place, cost;
} fer_sketch_hit;

typedef struct fer_vector_kernels {
    const char *name;
    bool (*runs_here)(void);
    /* out[i] = row i . query; with numbers, row numbers[i]. Dims are a multiple of 32, bytes from
     * -127 to 127. */
    void (*products)(const int8_t *rows, const uint32_t *numbers, size_t count, const int8_t *query,
                     size_t dims, int32_t *out);
    /* Which sketches of so many blocks cost the query at most `most`, up to 65,535: their places
     * and what they cost, in ascending order. Returns how many; `out` has room for all. */
    size_t (*within)(const uint8_t *sketches, size_t blocks, const fer_sketch_query *query,
                     unsigned most, fer_sketch_hit *out);
    /* What each sketch of so many blocks leaves of what all bits together can cost. */
    void (*left)(const uint8_t *sketches, size_t blocks, const fer_sketch_query *query,
                 uint16_t *out);
    /* sum += factor * row. */
    void (*add)(int32_t *sum, const int8_t *row, int32_t factor, size_t dims);
    /* See fer_embed_unit. */
    void (*unit)(const int32_t *from, size_t dims, int8_t *out);
} fer_vector_kernels;

extern const fer_vector_kernels fer_vector_kernel_rows[];
extern const size_t fer_vector_kernel_count;

const fer_vector_kernels *fer_vector_kernels_here(void);

#endif
