/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ledger and its readers look at in a body: everything else is the writer's own. Texts are
 * as they are written in the line (escapes and all). Absent ones have no pointer.
 */
#ifndef FER_LEDGER_FACTS_H
#define FER_LEDGER_FACTS_H

#include "json_value.h"

typedef struct fer_facts {
    fer_str call;        /* callId */
    fer_str effect;      /* effect */
    fer_str status;      /* status */
    fer_str tool;        /* tool */
    fer_str correlation; /* correlationId */
    fer_str code;        /* code, or error.code */
    fer_str attempts;    /* attempts, a number's text */
    fer_str duration;    /* durationMs, a number's text */
} fer_facts;

/* Reads a body; its texts live in the arena. A body that is no JSON object is a failure. */
fer_code fer_facts_read(fer_arena *a, fer_str body, fer_facts *out, fer_err *err);
/* The same of one that was read, an object; what is plain of its texts is used in place. */
fer_code fer_facts_of(fer_arena *a, const yyjson_val *body, fer_facts *out, fer_err *err);

/*
 * The same of a body that is already as a line has it (canonical, and nothing in it to be escaped),
 * seen in one pass: its texts are slices of it, and error.code is not looked for. False: nothing is
 * known of it.
 */
bool fer_facts_scan(fer_str body, fer_facts *out);

/*
 * The callId of a body as a line has it (canonical, keys sorted), found without reading the rest:
 * empty where there is none.
 */
fer_str fer_facts_call(fer_str body);

/* Whether an ID is ns:name, so that it means every version of the tool (ns:name:version). */
bool fer_tool_is_bare(fer_str id);

#endif
