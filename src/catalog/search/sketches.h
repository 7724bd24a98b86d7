/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sketches of vectors: a bit for each number, whether it is above 0. A query is not made one: where
 * a bit says otherwise than the query's number, it costs as much as that number is large, in 16
 * steps. With half as many candidates that misses a fifth of what counting bits did
 * (docs/search.md).
 *
 * Sketches of 32 documents lie in a block, byte by byte: the first bytes of all, then the second
 * ones ... so that a register holds the same numbers of 32 documents. Pure.
 */
#ifndef FER_SKETCHES_H
#define FER_SKETCHES_H

#include "embed.h"

#define FER_SKETCH_BLOCK 32 /* documents */
#define FER_SKETCH_STEPS 15 /* what the largest number of a query costs */

/* What bits cost a query. */
typedef struct fer_sketch_query {
    size_t planes; /* bytes of a sketch; even */
    unsigned far;  /* what all bits together can cost */
    /* What a bit of a number costs where it is set, and where it is not: one of these is 0. */
    uint8_t set[FER_EMBED_DIMS], clear[FER_EMBED_DIMS];
    /* The same of four of them at once: two tables for each byte, of its lower and higher four. */
    uint8_t tables[FER_EMBED_DIMS / 4][16];
} fer_sketch_query;

/* Dims are a multiple of 32, here as everywhere. */
void fer_sketch_ask(fer_sketch_query *q, const int8_t *vector, size_t dims);

/* Bytes of the sketches of so many documents. */
static inline size_t fer_sketch_bytes(size_t docs, size_t dims)
{
    return (docs + FER_SKETCH_BLOCK - 1) / FER_SKETCH_BLOCK * FER_SKETCH_BLOCK * (dims / 8);
}
/* Writes the sketch of a document's vector. */
void fer_sketch_put(uint8_t *sketches, size_t number, const int8_t *vector, size_t dims);

#endif
