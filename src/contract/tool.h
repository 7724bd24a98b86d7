/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tool: its record loaded from a definition in any shape, with the findings
 * about it. A tool borrows from the document it was loaded from. Pure.
 */
#ifndef FER_TOOL_H
#define FER_TOOL_H

#include "shape.h"

struct fer_tool {
    const yyjson_val *entry;  /* the definition as given */
    const yyjson_val *record; /* the object inside it that has the fields */
    enum fer_shape shape;
    const yyjson_val *values[FER_FIELD_COUNT]; /* by field; NULL: absent or of the wrong type */
    fer_str id;
    fer_str version; /* without a leading v; empty where it is not one */
    fer_str *tags;
    size_t tag_count;
    fer_backend *backends;
    size_t backend_count;
    fer_effect effect;
    fer_idempotency idempotency;
    /* Where it stands, for those who compare tools; as long as the text is there. */
    const fer_json *doc;
    size_t base;  /* of the document in the text */
    fer_str text; /* the whole of it */
    fer_str source;
};

/*
 * Loads the tool of an entry. Findings go to `drafts`, with paths below `path`. Fails
 * only without memory.
 */
fer_code fer_tool_load(fer_arena *a, enum fer_shape shape, const yyjson_val *entry,
                       const yyjson_val *record, const fer_path *path, fer_drafts *drafts,
                       fer_tool *out, fer_err *err);

#endif
