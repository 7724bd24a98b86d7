/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory of queries that led to a successful call: a query like one of them is likely to want
 * the same tool.
 *
 * It is bounded (the oldest query makes room), belongs to one tenant, and holds no text: a word is
 * kept as a number of 16 bits. It learns how much say it should have: each query that is noted is
 * first asked of the memory as it was, and for each of a few weights it is seen how high the tool
 * would have stood, votes and what was found otherwise taken together. The weight that did best
 * is the one that is used, so a memory that foresees nothing comes to have none. One thread at a
 * time.
 */
#ifndef FER_USAGE_H
#define FER_USAGE_H

#include "arena.h"
#include "tokens.h"

#define FER_USAGE_QUERIES     16384 /* remembered, by default */
#define FER_USAGE_QUERIES_MAX 65535
#define FER_USAGE_WORDS       24  /* of a query; what comes behind them is not kept */
#define FER_USAGE_TOOLS       8   /* that one query led to; later ones are not kept */
#define FER_USAGE_NEIGHBOURS  20  /* remembered queries that have a vote */
#define FER_USAGE_WEIGHT      2.0 /* of a whole vote next to the best lexical score, at first */
#define FER_USAGE_WEIGHT_MAX  20.0
#define FER_USAGE_FOUND       64 /* tools found otherwise that a noted one is held against */

typedef struct fer_usage fer_usage;

/* `queries`: 0 for the default, else up to the maximum. Dims: of vectors, 0: none. NULL: no memory.
 */
FER_MUST_USE fer_usage *fer_usage_new(size_t queries, size_t dims);
void fer_usage_free(fer_usage *u);

/* A query, and its vector of `dims` bytes, or NULL. */
typedef struct fer_usage_query {
    fer_str text;
    const int8_t *vector;
} fer_usage_query;

/* What a search without the memory found: at most FER_USAGE_FOUND, the best lexical score as 1. */
typedef struct fer_usage_found {
    uint32_t number;
    double score;
} fer_usage_found;

/* After this query the document of that number was called, with success. */
void fer_usage_note(fer_usage *u, fer_tokeniser *t, const fer_usage_query *query,
                    const fer_usage_found *found, size_t count, uint32_t number);
/* A document that is gone. */
void fer_usage_forget(fer_usage *u, uint32_t number);
size_t fer_usage_count(const fer_usage *u);
/* Of a whole vote next to the best lexical score, from 0 to FER_USAGE_WEIGHT_MAX. */
double fer_usage_weight(const fer_usage *u);

typedef struct fer_vote {
    uint32_t number;
    double share; /* above 0, up to 1 */
} fer_vote;

typedef struct fer_votes {
    fer_vote list[FER_USAGE_NEIGHBOURS * FER_USAGE_TOOLS]; /* highest first, then by number */
    size_t count;
    double weight; /* fer_usage_weight */
} fer_votes;

void fer_usage_votes(fer_usage *u, fer_tokeniser *t, const fer_usage_query *query, fer_votes *out);

#endif
