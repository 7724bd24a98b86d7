/* SPDX-License-Identifier: Apache-2.0 */
/* What is written about tools beside their records: taken in within limits, and shown. Pure. */
#ifndef FER_TOOL_DOC_H
#define FER_TOOL_DOC_H

#include "buf.h"
#include "json_doc.h"
#include "view.h"

/* A documentation text brought within the limits, in the form that a fer_doc keeps. */
fer_code fer_tool_doc_normalise(fer_arena *a, fer_str json, fer_str *out, fer_err *err);
/*
 * Holds its examples against the input schema of a definition. One that is refused is a failure
 * where `strict`, else left out; `*changed` says whether `*out` is another text.
 */
fer_code fer_tool_doc_fit(fer_arena *a, fer_str json, fer_str definition, bool strict, fer_str *out,
                          bool *changed, fer_err *err);

/* Appends one example, an object with an object "args", within the limits; args keep their bytes.
 */
fer_code fer_example_add(fer_arena *a, const fer_json *doc, const yyjson_val *example, fer_buf *b,
                         fer_err *err);

/* How deep and large the arguments of an example are: the root is 1; keys and items at all levels.
 */
void fer_args_measure(const yyjson_val *args, size_t *depth, size_t *size);

#endif
