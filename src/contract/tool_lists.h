/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the list of tools stands in a document: itself, or under a key of one of the known
 * containers. A container is a row in tool_lists.c. Pure.
 */
#ifndef FER_TOOL_LISTS_H
#define FER_TOOL_LISTS_H

#include "json_doc.h"

typedef struct fer_tool_list {
    const char *outer; /* the key that `key` stands under; "": it is a member of the root */
    const char *key;
    const char *path;  /* a pointer to it */
    const char *title; /* what the document is called then */
} fer_tool_list;

/* The list in the object at the byte `object` of a text; NULL: there is none, or it is a tool. */
const fer_tool_list *fer_tool_list_find(fer_str text, size_t object, size_t *list);
/* The list of tools in a whole document: its path and what holds it; NULL: the root is one tool, or
 * nothing known. */
const yyjson_val *fer_tools_list(const yyjson_val *root, fer_str *path, const char **title);
/* Of two lists only one would be read: better to say so. `read` is the path of that one. */
fer_code fer_tool_list_check(const yyjson_val *root, fer_str read, fer_err *err);
/* Says why a document has no tools, with what may have been meant. */
fer_code fer_tool_list_missing(fer_str text, const fer_json *doc, fer_err *err);

#endif
