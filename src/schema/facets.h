/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that holds at one place of a schema: the schema itself, what `$ref` and
 * `allOf` add, and the one branch of an anyOf or oneOf whose only alternative is null.
 * These facets together say which types a value may have there. Work is counted: past a
 * number of steps, what has been found so far is the answer.
 */
#ifndef FER_FACETS_H
#define FER_FACETS_H

#include "program.h"

#define FER_FACETS_MAX   200    /* schemas that hold at one place */
#define FER_FACETS_DEPTH 8      /* places inside each other, or branches inside each other */
#define FER_FACETS_STEPS 200000 /* schemas, members and names that are looked at */

typedef struct fer_facet {
    const yyjson_val *schema;
    bool or_null; /* it came from a branch beside null */
} fer_facet;

typedef struct fer_facets {
    fer_facet *list;
    size_t count, cap;
} fer_facets;

/* One who looks. */
typedef struct fer_looking {
    fer_arena *arena;
    const fer_schema *program;
    size_t steps; /* left */
    bool no_memory;
} fer_looking;

/* Notes the end of memory; false. */
static inline bool fer_look_no_memory(fer_looking *l)
{
    l->no_memory = true;
    return false;
}

/* Pays for work; false: enough has been done. */
static inline bool fer_look_spend(fer_looking *l, size_t steps)
{
    bool enough = l->steps >= steps;
    l->steps = enough ? l->steps - steps : 0;
    return enough;
}

/* The value of a keyword that the dialect knows; NULL: it is not there. */
const yyjson_val *fer_look_keyword(const fer_looking *l, const yyjson_val *schema,
                                   const char *name);
/* Whether a schema is for null and nothing else, said in the usual ways. */
bool fer_look_only_null(const fer_looking *l, const yyjson_val *schema);

/* What holds where all of these schemas do, in the order of the text. False: no memory. */
bool fer_facets_gather(fer_looking *l, const yyjson_val *const *schemas, size_t count,
                       fer_facets *out);
bool fer_facets_have(const fer_facets *f, const yyjson_val *schema);

#define FER_TYPES 7
/* The names of the types that all facets allow, in the order they were named; 0: any. */
size_t fer_facets_types(fer_looking *l, const fer_facets *f, fer_str names[FER_TYPES]);

#endif
