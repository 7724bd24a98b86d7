/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rankings made into one: the share of the best lexical score, plus the share of the
 * largest cosine, plus what the memory of past calls votes, each with its weight. (Ranks alone
 * throw away how much better the first is than the second; measured, equal reciprocal ranks lose
 * five points of nDCG@10.) Pure; the order is by score, then as the caller breaks ties, then by
 * number.
 */
#ifndef FER_FUSE_H
#define FER_FUSE_H

#include "lexical.h"
#include "usage.h"
#include "vectors.h"

#define FER_FUSE_NEAR  0.6 /* weight of the cosine next to the lexical score */
#define FER_FUSE_DEPTH 24  /* hits of each ranking that are looked at, where fewer are wanted */

/* What a score is; as results call it. */
typedef enum fer_score_type {
    FER_SCORE_BM25,
    FER_SCORE_EMBEDDING,
    FER_SCORE_HYBRID
} fer_score_type;
const char *fer_score_type_name(fer_score_type type);

typedef struct fer_fused {
    uint32_t number;
    double score;                /* up to 1 */
    double lexical, near, voted; /* shares of the best of each kind, 0 to 1 */
    bool named;                  /* the query is the tool's name: always first */
    uint32_t twins;              /* others with the same content that were left out behind it */
} fer_fused;

typedef struct fer_fuse_input {
    const fer_lexical_hit *lexical; /* best first */
    size_t lexical_count;
    fer_near_hits near;     /* none: what was found otherwise */
    const fer_votes *votes; /* NULL: there is no memory */
    size_t limit;
    /* The product of a document that is not among `near`; NULL: 0. */
    int32_t (*product)(void *context, uint32_t number);
    bool (*accept)(void *context, uint32_t number); /* for votes; NULL: all */
    bool (*before)(void *context, uint32_t one, uint32_t other);
    /* What is the same in documents that say the same; NULL: nothing is collapsed. */
    uint64_t (*content)(void *context, uint32_t number);
    void *context;
} fer_fuse_input;

typedef struct fer_fused_hits {
    const fer_fused *list;
    size_t count;
    fer_score_type type; /* bm25 where there was no vector, embedding where there was no word */
} fer_fused_hits;

fer_code fer_fuse(fer_arena *a, const fer_fuse_input *in, fer_fused_hits *out, fer_err *err);

/* The content of a document for fer_fuse_input: its name and description, whatever their case,
 * punctuation, stop words and endings. */
uint64_t fer_fuse_content(fer_tokeniser *t, const fer_search_doc *doc);

#endif
