/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider's error message read back: which tool it means, where in it, and by which rule.
 * Messages name an index, not the tool, or the tool and no place; each family of messages is
 * a row in blame.c. Pure.
 */
#ifndef FER_BLAME_H
#define FER_BLAME_H

#include "tool.h"

#define FER_BLAME_TEXT ((size_t)32 << 10) /* bytes of a message */

typedef struct fer_blame {
    const char *family;   /* whose messages look like this, such as "Anthropic" */
    size_t number;        /* of the tool, 1-based; 0: it is not told */
    fer_str name;         /* of the tool, or empty */
    fer_str path;         /* in the tool, in the message's own notation; may be empty */
    bool in_schema;       /* the path starts in the schema */
    fer_str keyword;      /* that the message names, or empty */
    const fer_rule *rule; /* NULL: not known */
} fer_blame;

/* Reads a message; FER_UNKNOWN_SHAPE: it is of no known family. The parts borrow the text. */
fer_code fer_blame_read(fer_str message, fer_blame *out, fer_err *err);

typedef enum fer_blame_match {
    FER_BLAME_NO,
    FER_BLAME_MAYBE, /* the message names no tool, or a longer name that ends in this one's */
    FER_BLAME_YES
} fer_blame_match;

/* Whether the message is about this tool; then the value that it means, as far as it is there. */
fer_blame_match fer_blame_tool(const fer_blame *b, const fer_tool *tool, size_t number,
                               const yyjson_val **at);

#endif
