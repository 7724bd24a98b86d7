/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a definition says: the texts that are searched, and two sums that tell one content from
 * another, the same on every day. Pure.
 */
#ifndef FER_TOOL_CONTENT_H
#define FER_TOOL_CONTENT_H

#include "body.h"
#include "search_doc.h"

typedef struct fer_content {
    fer_search_doc texts; /* borrow the body and the arena */
    uint64_t sum;         /* of the texts: what a vector is made from */
    uint64_t twin;        /* of the definition, whatever namespace and backends it has */
} fer_content;

fer_code fer_content_of(fer_arena *a, const fer_body *b, fer_content *out, fer_err *err);

#endif
