/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of a tool that search looks at, taken from its definition: name, namespace, title,
 * tags, category, description, and from the schema of its input, at any depth, the names,
 * descriptions and values of parameters. References are not followed, but what they point at
 * under `$defs` or `definitions` is walked where it stands. The texts borrow the definition.
 */
#ifndef FER_TOOL_TEXT_H
#define FER_TOOL_TEXT_H

#include <yyjson.h>

#include "arena.h"
#include "search_doc.h"

#define FER_TOOL_TEXT_DEPTH 16  /* subschemas inside each other; what is deeper is not looked at */
#define FER_TOOL_TEXT_MAX   512 /* texts of one tool; what comes behind them is not looked at */

/* What is not part of the input's schema. Empty where there is none. */
typedef struct fer_tool_head {
    fer_str ns, name, title, category, description;
    const yyjson_val *tags; /* an array of strings, or NULL */
} fer_tool_head;

/* `schema` may be NULL or of any form: what is no schema gives no texts. */
fer_code fer_tool_text(fer_arena *a, const fer_tool_head *head, const yyjson_val *schema,
                       fer_search_doc *out, fer_err *err);

#endif
