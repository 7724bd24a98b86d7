/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that a modern server wants to see in headers too (x-mcp-header, 2026-07-28): which
 * those are stands in the tool's inputSchema, at properties that a chain of `properties` leads to.
 */
#ifndef FER_MCP_MIRROR_H
#define FER_MCP_MIRROR_H

#include <ferrule/json.h>

#include "arena.h"
#include "json_value.h"
#include "mcp_link.h"

#define FER_MCP_MIRRORED_MAX 32 /* arguments of one tool that are mirrored */

/* Whether a text may say anything about headers at all; most do not. */
bool fer_mcp_mirror_may(fer_str json);
/* What is wrong with the annotations of a tool, so that it may not be used; NULL: nothing. */
const char *fer_mcp_mirror_fault(const yyjson_val *tool);
/*
 * The arguments that are mirrored, of a tool (an object with inputSchema) and the arguments of a
 * call, both JSON. One that is absent or null is left out. Fails without memory, and where one of
 * both cannot be read.
 */
fer_code fer_mcp_mirror(fer_arena *a, fer_str tool, fer_str args, fer_mcp_mirrored **out,
                        size_t *count, fer_err *err);
/* The same with those that are absent, null or of no value that a header can have: their `value` is
 * none. */
fer_code fer_mcp_mirror_all(fer_arena *a, fer_str tool, fer_str args, fer_mcp_mirrored **out,
                            size_t *count, fer_err *err);

#endif
