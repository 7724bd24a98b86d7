/* SPDX-License-Identifier: Apache-2.0 */
/* What is written, held against its schema in docs/schemas. Tests run in the folder of the project.
 */
#ifndef FER_ASSERT_SHAPE_H
#define FER_ASSERT_SHAPE_H

#include <ferrule/schema.h>
#include <stdio.h>

#include "file.h"
#include "rows.h"

static inline void assert_shape(fer_arena *a, const char *name, fer_str json)
{
    char path[200];
    fer_str text;
    fer_schema *schema;
    fer_json *doc;
    fer_result *result;
    size_t count;
    fer_err err = {0};
    fer_schema_options o = {.assert_formats = true};
    snprintf(path, sizeof path, "docs/schemas/%s.schema.json", name);
    if (fer_file_read(a, path, 1 << 20, &text, &err)) fail_msg("%s", err.message);
    if (fer_schema_compile(text, &o, &schema, &err)) fail_msg("%s: %s", path, err.message);
    if (fer_json_read(a, json, fer_json_limits_file(), &doc, &err)) fail_msg("%s", err.message);
    assert_int_equal(fer_schema_validate(a, schema, doc, NULL, NULL, &result, &err), FER_OK);
    const fer_violation *v = fer_result_violations(result, &count);
    if (count) fail_msg("%.*s: %.2000s", FER_PRI(v->message), json.ptr);
    fer_schema_unref(schema);
}

#endif
