/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vectors of all documents, and the search for those nearest to a few others.
 *
 * Up to FER_VECTORS_FLAT documents every vector is compared. Beyond, sketches are first
 * (sketches.h): those that are nearest to the first of the query's vectors are taken as candidates,
 * and these are compared with all. That is not exact: of the ten nearest of a full look 98 to 99 %
 * are found (docs/search.md). Order: product, then number.
 *
 * Many threads may search; whoever puts or removes is alone meanwhile.
 */
#ifndef FER_VECTORS_H
#define FER_VECTORS_H

#include "arena.h"
#include "embed.h"

#define FER_VECTORS_MAX  (UINT32_C(1) << 26) /* numbers are below it */
#define FER_VECTORS_FLAT 512
/* Compared in full, where sketches are first: one of FER_VECTORS_ONE_OF, but at least and at most
 * so many; and twice the hits that are wanted, up to the last. */
#define FER_VECTORS_ONE_OF          128
#define FER_VECTORS_CANDIDATES      128
#define FER_VECTORS_CANDIDATES_MANY 512
#define FER_VECTORS_CANDIDATES_MAX  1024
#define FER_VECTORS_HITS_MAX        1000
#define FER_VECTORS_ASKED_MAX       16 /* vectors of one query */

typedef struct fer_vectors fer_vectors;

/* NULL: no memory. Dims as an embedder's. */
FER_MUST_USE fer_vectors *fer_vectors_new(size_t dims);
void fer_vectors_free(fer_vectors *v);

/* Puts a vector, in place of the one with that number. On failure nothing has changed. */
fer_code fer_vectors_put(fer_vectors *v, uint32_t number, const int8_t *vector, fer_err *err);
bool fer_vectors_remove(fer_vectors *v, uint32_t number);
/* NULL: there is none of that number. Until the next put. */
const int8_t *fer_vectors_get(const fer_vectors *v, uint32_t number);
size_t fer_vectors_count(const fer_vectors *v);
size_t fer_vectors_bytes(const fer_vectors *v);

typedef struct fer_near_query {
    const int8_t *vectors; /* `asked` of them, the whole query first; the nearest counts */
    size_t asked;
    size_t limit;
    size_t flat;                                    /* 0: FER_VECTORS_FLAT */
    bool (*accept)(void *context, uint32_t number); /* NULL: all */
    void *context;
} fer_near_query;

typedef struct fer_near {
    uint32_t number;
    int32_t product; /* above 0: nothing else is near */
} fer_near;

typedef struct fer_near_hits {
    fer_near *list; /* best first */
    size_t count;
} fer_near_hits;

fer_code fer_vectors_search(fer_arena *a, const fer_vectors *v, const fer_near_query *query,
                            fer_near_hits *out, fer_err *err);
/* The largest product of a document with the query's vectors; 0 where it has none. */
int32_t fer_vectors_product(const fer_vectors *v, const fer_near_query *query, uint32_t number);

#endif
