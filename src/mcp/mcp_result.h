/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the result of a tools/call says. Pure. The value of a result is, in this order: its
 * structuredContent, any JSON value; where the content is one text, that text, read as JSON where
 * it is an object or a list, and else as it is; where the content is several texts, the list of
 * them; the content itself where it is anything else; nothing where it is empty.
 */
#ifndef FER_MCP_RESULT_H
#define FER_MCP_RESULT_H

#include <ferrule/json.h>

#include "arena.h"
#include "json_value.h"

typedef enum fer_mcp_verdict {
    FER_MCP_DONE,
    FER_MCP_SAID_NO,    /* isError */
    FER_MCP_ASKS_INPUT, /* resultType input_required: nothing is done yet */
    FER_MCP_BEGAN       /* it goes on as a task: resultType task, or `task` (2025-11-25) */
} fer_mcp_verdict;

typedef struct fer_mcp_result {
    fer_mcp_verdict verdict;
    const yyjson_val *value; /* NULL: none */
    const fer_json *doc;     /* that it is in */
    fer_str message;         /* of SAID_NO: its texts; of ASKS_INPUT: a sentence */
    fer_str details;         /* of SAID_NO: its structuredContent; of ASKS_INPUT: the requests;
                                where they are objects, else empty */
} fer_mcp_result;

/* FER_INVALID_OUTPUT: it is no result of a call. */
fer_code fer_mcp_result_read(fer_arena *a, fer_str json, bool modern, fer_mcp_result *out,
                             fer_err *err);

#endif
