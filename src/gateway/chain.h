/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain as it was read: steps, and references that are known to lead to something earlier. The
 * form of a document is checked by its own schema (docs/schemas/chain.schema.json) before; here
 * is what a schema cannot say. A chain is data: nothing in it is a program. Frozen once read.
 */
#ifndef FER_CHAIN_H
#define FER_CHAIN_H

#include <ferrule/gateway.h>

#include "json_value.h"

typedef struct fer_step fer_step;

typedef struct fer_steps {
    fer_step *list;
    size_t count;
} fer_steps;

/* Where a reference starts. */
enum fer_ref_kind {
    FER_REF_STEP,
    FER_REF_PREVIOUS,
    FER_REF_INPUT
};

typedef struct fer_ref {
    enum fer_ref_kind kind;
    size_t slot;                /* of the step, where it is one */
    fer_str text;               /* as it was written */
    fer_str pointer;            /* into its value */
    fer_str to;                 /* pointer into the arguments */
    const yyjson_val *fallback; /* or NULL: it must lead to something */
} fer_ref;

typedef struct fer_when {
    fer_ref ref;
    fer_schema *schema; /* NULL: being there is enough */
} fer_when;

struct fer_step {
    fer_str id;
    size_t slot; /* among all steps of the chain */
    fer_str tool;
    const yyjson_val *args; /* or NULL */
    fer_ref *refs;
    size_t ref_count;
    fer_when *when; /* or NULL */
    int64_t deadline_ms, timeout_ms;
    bool goes_on;        /* an error does not stop the chain */
    fer_step *fallback;  /* is run in its place after an error; or NULL */
    fer_steps *branches; /* of a group */
    size_t branch_count; /* 0: it is a call */
};

struct fer_chain {
    fer_arena *arena;
    fer_json *doc;
    fer_steps steps;
    size_t slots; /* steps in all, fallbacks included */
    int64_t deadline_ms;
};

#endif
