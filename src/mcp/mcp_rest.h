/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the result of a list says beside the list itself: its `_meta`, and members that nobody
 * knows, byte for byte. Pages of one list are one list here, so what they say is put together: of a
 * member that two pages have, also within `_meta`, that of the first page counts. Left out is what
 * is of the page or of the era (nextCursor, resultType, ttlMs, cacheScope).
 */
#ifndef FER_MCP_REST_H
#define FER_MCP_REST_H

#include "buf.h"
#include "json_doc.h"
#include "map.h"

typedef struct fer_mcp_rest {
    fer_buf plain, meta; /* members, with commas between */
    fer_map seen;
    bool has_meta;
} fer_mcp_rest;

/* At most `max` bytes of each kind. */
void fer_mcp_rest_init(fer_mcp_rest *r, fer_arena *a, size_t max);
/* Adds what a page says; `list` is the member that has the things. False: no room for it. */
bool fer_mcp_rest_add(fer_mcp_rest *r, const fer_json *doc, const yyjson_val *result,
                      const char *list);
/* The members in the arena, with commas between and no braces; empty: nothing was said. `.ptr`
 * NULL: no memory. */
fer_str fer_mcp_rest_text(const fer_mcp_rest *r, fer_arena *a);

#endif
