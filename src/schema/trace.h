/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened in a validation, as far as somebody wants to know: a tree with a unit for
 * each subschema that was asked and failed, and, where annotations are wanted, for each
 * that did not. From it come findings, the standard outputs, annotations and defaults.
 */
#ifndef FER_TRACE_H
#define FER_TRACE_H

#include "program.h"

#define FER_TRACE_UNITS 100000 /* units of one trace; what is beyond is not told */

typedef struct fer_unit {
    struct fer_unit *up, *first, *last, *next, *before;
    const fer_node *node;
    const yyjson_val *value;
    const yyjson_val *key; /* name of the subschema in its keyword; NULL: branch counts */
    size_t branch;
    uint64_t failed; /* instructions of the node that failed, as bits */
    uint8_t by;      /* number of the instruction in the unit above that asked */
    uint8_t keyword; /* enum fer_slot: which of its keywords */
    bool plain;      /* the keyword itself is the subschema */
    bool valid;
    bool dropped;          /* its annotations do not count (`not`) */
    bool told;             /* its findings have been given */
    bool lacks;            /* a member that `required` names is not there */
    struct fer_unit *same; /* asked before about the same value: what came then */
} fer_unit;

typedef struct fer_trace {
    fer_arena *arena;
    bool keep_valid; /* annotations are wanted */
    bool cut;        /* units were left out */
    size_t count;
    fer_unit *root;
    fer_unit *free; /* units to use again */
    bool hold;      /* none is used again: somebody may remember it */
} fer_trace;

/* A new unit below another. False: no memory; *out is NULL where there are too many. */
bool fer_trace_open(fer_trace *t, fer_unit *up, fer_unit **out);
/* Puts below `to` what is below `from`, which was asked the same; false: no memory. */
bool fer_trace_copy(fer_trace *t, const fer_unit *from, fer_unit *to);
/* Takes a unit off again, with all below it. */
void fer_trace_drop(fer_trace *t, fer_unit *u);
/* Takes off the units behind `mark` (NULL: all) that failed: their keyword passed all the same. */
void fer_trace_drop_failed(fer_trace *t, fer_unit *up, fer_unit *mark);

#endif
