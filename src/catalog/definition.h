/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions: a record in Ferrule's own form whose values keep the bytes they were given in,
 * so that a schema comes out as it went in; and reading one again. Pure.
 */
#ifndef FER_DEFINITION_H
#define FER_DEFINITION_H

#include "tool.h"

/* The record of a tool whose text is still there. `ns`: for one that names none. */
fer_code fer_definition_write(fer_arena *a, const fer_tool *t, fer_str ns, fer_str *out,
                              fer_err *err);
/* The tool of a definition; the text must stay. */
fer_code fer_definition_read(fer_arena *a, fer_str text, fer_tool **out, fer_err *err);

/* The bytes of a value in the text of its document; as it would be written where there are none
 * (YAML). */
fer_code fer_value_bytes(fer_arena *a, const fer_json *doc, const yyjson_val *value, fer_str *out,
                         fer_err *err);

#endif
