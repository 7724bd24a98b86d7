/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proving that one schema takes everything that another one takes. Yes means proved; no
 * means only that no proof was found. Recursion is met by assuming what is being proved, but
 * for parts of a value only, never for the same value again. Work is bounded by the gister.
 */
#ifndef FER_PROVE_H
#define FER_PROVE_H

#include "gist.h"

#define FER_PROVE_PAIRS  4096 /* pairs of schemas in one proof */
#define FER_PROVE_DEPTH  48   /* schemas inside each other */
#define FER_PROVE_SPLITS 3    /* alternatives that are told apart at one place */
#define FER_PROVE_FINITE 64   /* values that are tried one by one */

struct fer_pair;

typedef struct fer_prover {
    fer_gister *m;
    struct fer_pair *pairs; /* assumed or proved, in the order they were met */
    size_t count, cap;
    size_t level; /* values inside each other */
    size_t depth;
    size_t splits;
} fer_prover;

/* What is to be shown of something: all values of one type that these schemas take ... */
typedef struct fer_claim {
    const fer_parts *all;
    const fer_gist *gist;
    unsigned type; /* one of FER_G_* */
} fer_claim;

/* Whether `b` takes everything that all of `a` take. */
bool fer_prove(fer_prover *p, const fer_parts *a, fer_part b);
/* Whether there is nothing that all of them take. */
bool fer_prove_empty(fer_prover *p, const fer_parts *parts, size_t depth);

/* For the rows of prove_rows.c: whether what a claim is about is within one instruction. */
bool fer_prove_inst(fer_prover *p, const fer_claim *c, const fer_gist_inst *b);
/* The same for a whole schema at the same place. */
bool fer_prove_here(fer_prover *p, const fer_claim *c, fer_part b);
/* What holds of a part of the value: alternatives are counted anew there. */
bool fer_prove_below(fer_prover *p, const fer_parts *a, fer_part b);
/* The schema below an instruction. */
fer_part fer_prove_child(const fer_gist_inst *i, const yyjson_val *schema);
/* Whether `larger` takes all that `smaller` takes, about the same value. */
bool fer_prove_within(fer_prover *p, fer_part smaller, fer_part larger);

/* Rows about objects (prove_objects.c). */
typedef bool fer_prove_row(fer_prover *p, const fer_claim *c, const fer_gist_inst *b);
fer_prove_row fer_prove_object, fer_prove_min_members, fer_prove_max_members, fer_prove_names,
    fer_prove_dependent;
/* The whole number at or inside a bound; false: none, or too large to tell. */
bool fer_bound_whole(const fer_gist_bound *b, bool low, int64_t *out);

#endif
