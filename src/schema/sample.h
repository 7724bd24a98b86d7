/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances made from schemas. A place (schemas that all hold there) gets a pool of values:
 * at the borders of what it takes, one for each alternative, with optional members there and
 * not there, and near misses that break one thing. Every value was judged by the engine; none
 * is called valid or invalid by the way it was made.
 *
 * A second set of schemas may give hints: then values that these refuse come first, so that a
 * difference of the two is found where there is one. What is made depends on the schemas and
 * the seed alone. Work is bounded by the gister; pools live in its arena.
 */
#ifndef FER_SAMPLE_H
#define FER_SAMPLE_H

#include "buf.h"
#include "gist.h"

#define FER_SAMPLE_DEPTH  8     /* values inside each other */
#define FER_SAMPLE_POOL   12    /* values of a kind that a place inside another keeps */
#define FER_SAMPLE_TRIED  400   /* values that are made for one place */
#define FER_SAMPLE_CASES  16    /* combinations of alternatives at one place */
#define FER_SAMPLE_NAMES  64    /* members of an object that are varied */
#define FER_SAMPLE_LENGTH 2000  /* characters of a text, at most */
#define FER_SAMPLE_ITEMS  64    /* items of a list, and further members of an object */
#define FER_SAMPLE_TEXT   65536 /* bytes of one value */

typedef struct fer_texts {
    fer_str *list;
    size_t count, cap;
} fer_texts;

/* Values of one place, as JSON. */
typedef struct fer_pool {
    fer_texts valid;
    fer_texts invalid;
    size_t refused; /* of the valid ones, so many at the front are refused by a hint */
} fer_pool;

typedef struct fer_sampler {
    fer_gister *m;
    uint64_t seed;
    size_t keep; /* of a kind, at the outermost place */
    size_t depth;
    fer_map pools; /* by the schemas of the place */
    bool invalid;  /* near misses are wanted too */
} fer_sampler;

/* A pool that is being filled. */
typedef struct fer_making {
    fer_sampler *s;
    const fer_parts *own;
    const fer_parts *hint;
    const fer_gist *gist; /* of own, with one alternative of each choice */
    const fer_gist *aim;  /* of hint */
    fer_texts tried;
    fer_map seen;
    fer_pool pool;
    fer_texts plain; /* valid, and refused by no hint */
    size_t keep;
    unsigned types; /* that were seen so far: each is worth a value */
} fer_making;

/* The pool of a place; NULL: no memory. */
const fer_pool *fer_sample_place(fer_sampler *s, const fer_parts *own, const fer_parts *hint);

/* Judges a value and keeps it where it belongs. */
void fer_making_try(fer_making *k, fer_str json);
/* The same for a text, which is quoted. */
void fer_making_try_string(fer_making *k, fer_str text);
/* Whether more may be tried. */
bool fer_making_goes_on(const fer_making *k);

/* Candidates by type. */
void fer_sample_numbers(fer_making *k);
void fer_sample_strings(fer_making *k);
void fer_sample_arrays(fer_making *k);
void fer_sample_objects(fer_making *k);

/* The value that is least remarkable: one that no hint refuses, where there is one. */
fer_str fer_pool_plain(const fer_pool *p);

#endif
