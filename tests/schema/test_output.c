/* SPDX-License-Identifier: Apache-2.0 */
/* The standard output formats: exact texts, and what the suite's schemas of them demand. */
#include <ferrule/schema.h>

#include "buf.h"
#include "file.h"
#include "json_doc.h"
#include "must_read.h"
#include "rows.h"

static const char polygon[] =
    "{\"$id\":\"https://example.com/polygon\","
    "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"$defs\":{\"point\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"},"
    "\"y\":{\"type\":\"number\"}},\"additionalProperties\":false,\"required\":[\"x\",\"y\"]}},"
    "\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/point\"},\"minItems\":3}";

#define POINT "https://example.com/polygon#/$defs/point"

static const struct row {
    const char *name;
    const char *schema, *instance;
    fer_output format;
    bool annotations;
    const char *output;
} rows[] = {
    {"flag", "true", "1", FER_OUTPUT_FLAG, false, "{\"valid\":true}"},
    {"flag, not valid", "false", "1", FER_OUTPUT_FLAG, false, "{\"valid\":false}"},
    {"flag knows no annotations", "{\"title\":\"t\"}", "1", FER_OUTPUT_FLAG, true,
     "{\"valid\":true}"},
    {"basic", "true", "1", FER_OUTPUT_BASIC, false,
     "{\"valid\":true,\"keywordLocation\":\"\",\"instanceLocation\":\"\"}"},
    {"basic, not valid", "{\"type\":\"null\"}", "1", FER_OUTPUT_BASIC, false,
     "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"errors\":["
     "{\"valid\":false,\"keywordLocation\":\"/type\",\"absoluteKeywordLocation\":\"#/type\","
     "\"instanceLocation\":\"\",\"error\":\"The value must be null, but is the number 1.\"}]}"},
    {"basic, annotations", "{\"properties\":{\"a\":{\"title\":\"t\"}}}", "{\"a\":1}",
     FER_OUTPUT_BASIC, true,
     "{\"valid\":true,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"annotations\":["
     "{\"valid\":true,\"keywordLocation\":\"/properties\",\"absoluteKeywordLocation\":"
     "\"#/properties\",\"instanceLocation\":\"\",\"annotation\":[\"a\"]},"
     "{\"valid\":true,\"keywordLocation\":\"/properties/a/title\",\"absoluteKeywordLocation\":"
     "\"#/properties/a/title\",\"instanceLocation\":\"/a\",\"annotation\":\"t\"}]}"},
    {"list, not valid", "{\"type\":\"null\"}", "1", FER_OUTPUT_LIST, false,
     "{\"valid\":false,\"details\":[{\"valid\":false,\"evaluationPath\":\"\",\"schemaLocation\":"
     "\"#\",\"instanceLocation\":\"\",\"errors\":{\"type\":\"The value must be null, but is the "
     "number 1.\"}}]}"},
    {"list, annotations", "{\"title\":\"t\"}", "1", FER_OUTPUT_LIST, true,
     "{\"valid\":true,\"details\":[{\"valid\":true,\"evaluationPath\":\"\",\"schemaLocation\":\"#\","
     "\"instanceLocation\":\"\",\"annotations\":{\"title\":\"t\"}}]}"},
    {"hierarchical", "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}}}",
     "{\"a\":1,\"b\":2}", FER_OUTPUT_HIERARCHICAL, false,
     "{\"valid\":false,\"evaluationPath\":\"\",\"schemaLocation\":\"#\",\"instanceLocation\":\"\","
     "\"details\":[{\"valid\":false,\"evaluationPath\":\"/properties/a\",\"schemaLocation\":"
     "\"#/properties/a\",\"instanceLocation\":\"/a\",\"errors\":{\"type\":\"`a` must be null, but "
     "is the number 1.\"}},{\"valid\":false,\"evaluationPath\":\"/properties/b\","
     "\"schemaLocation\":\"#/properties/b\",\"instanceLocation\":\"/b\",\"errors\":{\"type\":\"`b` "
     "must be null, but is the number 2.\"}}]}"},
    {"hierarchical, a leaf deeper than the next",
     "{\"items\":{\"items\":{\"items\":{\"type\":"
     "\"null\"}}}}",
     "[[[1]],[[2]]]", FER_OUTPUT_HIERARCHICAL, false, NULL},
    {"detailed, core 12.4.3", polygon, "[{\"x\":2.5,\"y\":1.3},{\"x\":1,\"z\":6.7}]",
     FER_OUTPUT_DETAILED, false,
     "{\"valid\":false,\"keywordLocation\":\"\",\"absoluteKeywordLocation\":"
     "\"https://example.com/polygon#\",\"instanceLocation\":\"\",\"errors\":["
     "{\"valid\":false,\"keywordLocation\":\"/minItems\",\"absoluteKeywordLocation\":"
     "\"https://example.com/polygon#/minItems\",\"instanceLocation\":\"\",\"error\":\"The value must "
     "have at least 3 items, but has 2.\"},"
     "{\"valid\":false,\"keywordLocation\":\"/items/$ref\",\"absoluteKeywordLocation\":\"" POINT
     "\",\"instanceLocation\":\"/1\",\"errors\":["
     "{\"valid\":false,\"keywordLocation\":\"/items/$ref/required\",\"absoluteKeywordLocation\":"
     "\"" POINT "/required\",\"instanceLocation\":\"/1\",\"error\":\"`[1].y` is required, but is "
     "missing.\"},"
     "{\"valid\":false,\"keywordLocation\":\"/items/$ref/additionalProperties\","
     "\"absoluteKeywordLocation\":\"" POINT "/additionalProperties\",\"instanceLocation\":\"/1/z\","
     "\"error\":\"`[1].z` is not a known property.\"}]}]}"},
    {"detailed, one thing far down", "{\"properties\":{\"a\":{\"items\":{\"type\":\"null\"}}}}",
     "{\"a\":[null,1]}", FER_OUTPUT_DETAILED, false,
     "{\"valid\":false,\"keywordLocation\":\"/properties/a/items/type\",\"absoluteKeywordLocation\":"
     "\"#/properties/a/items/type\",\"instanceLocation\":\"/a/1\",\"error\":\"`a[1]` must be null, "
     "but is the number 1.\"}"},
    {"detailed, valid", "{\"type\":\"number\"}", "1", FER_OUTPUT_DETAILED, false,
     "{\"valid\":true,\"keywordLocation\":\"\",\"instanceLocation\":\"\"}"},
    {"detailed, one annotation", "{\"items\":{\"items\":{\"title\":\"t\"}}}", "[[1]]",
     FER_OUTPUT_DETAILED, true, NULL},
    {"detailed, annotations without any", "{\"type\":\"number\"}", "1", FER_OUTPUT_DETAILED, true,
     "{\"valid\":true,\"keywordLocation\":\"\",\"instanceLocation\":\"\"}"},
    {"detailed, not", "{\"not\":{}}", "1", FER_OUTPUT_DETAILED, false,
     "{\"valid\":false,\"keywordLocation\":\"/not\",\"absoluteKeywordLocation\":\"#/not\","
     "\"instanceLocation\":\"\",\"error\":\"The value must not fit {}, but does.\"}"},
    {"detailed, oneOf", "{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"string\"}]}", "1",
     FER_OUTPUT_DETAILED, false, NULL},
    {"detailed, if then",
     "{\"if\":{\"const\":1},\"then\":{\"const\":2},\"else\":{\"const\":3},\"title\":\"t\"}", "1",
     FER_OUTPUT_DETAILED, false, NULL},
    {"detailed, a name", "{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", FER_OUTPUT_DETAILED,
     false, NULL},
    {"basic, contains", "{\"contains\":{\"type\":\"null\"},\"minContains\":2}", "[null,1,2]",
     FER_OUTPUT_BASIC, false, NULL},
    {"basic, anyOf", "{\"anyOf\":[{\"minimum\":3},{\"maximum\":0}],\"maximum\":0}", "1",
     FER_OUTPUT_BASIC, false, NULL},
    {"list, many", "{\"allOf\":[{\"minimum\":3},{\"minimum\":4}],\"required\":[\"a\"]}", "1",
     FER_OUTPUT_LIST, false, NULL},
    {"basic, dependencies",
     "{\"dependentRequired\":{\"a\":[\"b\",\"c\"]},\"dependentSchemas\":{\"a\":{\"minProperties\":2}}}",
     "{\"a\":1}", FER_OUTPUT_BASIC, false, NULL},
    {"detailed, content", "{\"contentMediaType\":\"application/json\"}", "\"{\"",
     FER_OUTPUT_DETAILED, false, NULL},
};

static fer_code output_of(fer_arena *a, const struct row *row, fer_output format, bool annotations,
                          fer_str *out)
{
    fer_schema *s = NULL;
    fer_schema_options options = {.assert_content = true};
    fer_json *doc;
    fer_result *r = NULL;
    fer_validate_options how = {.annotations = annotations};
    fer_code code = fer_schema_compile(fer_str_of(row->schema), &options, &s, NULL);
    if (!code) code = fer_json_read(a, fer_str_of(row->instance), NULL, &doc, NULL);
    if (!code) code = fer_schema_validate(a, s, doc, NULL, &how, &r, NULL);
    if (!code) code = fer_result_output(a, r, format, out, NULL);
    fer_schema_unref(s);
    return code;
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    if (!a && !mine) return FER_OUT_OF_MEMORY;
    fer_str out;
    fer_code code = output_of(a ? a : mine, row, row->format, row->annotations, &out);
    if (!code && row->output) assert_str(out, row->output);
    fer_arena_free(mine);
    return code;
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
    rows_torture_arena(attempt, row);
    rows_torture_malloc(attempt, row);
}

/* ---- the suite's schemas ------------------------------------------------------------------------
 */

static const struct shape {
    const char *name; /* of the definition */
    fer_output format;
    const char *folder;
} shapes[] = {
    {"flag", FER_OUTPUT_FLAG, "draft2020-12"},
    {"basic", FER_OUTPUT_BASIC, "draft2020-12"},
    {"detailed", FER_OUTPUT_DETAILED, "draft2020-12"},
    {"flag", FER_OUTPUT_FLAG, "draft2019-09"},
    {"basic", FER_OUTPUT_BASIC, "draft2019-09"},
    {"detailed", FER_OUTPUT_DETAILED, "draft2019-09"},
    {"flag", FER_OUTPUT_FLAG, "v1"},
    {"basic", FER_OUTPUT_LIST, "v1"},
    {"hierarchical", FER_OUTPUT_HIERARCHICAL, "v1"},
};

/* The definition as a schema of its own: the document with a reference in place of its anyOf. */
static fer_schema *shape_schema(fer_arena *a, const struct shape *shape)
{
    char path[4096];
    fer_str text;
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_registry *registry = fer_registry_new();
    snprintf(path, sizeof path, "%s/json-schema-test-suite/output-tests/%s/output-schema.json",
             rows_data(), shape->folder);
    assert_int_equal(fer_file_read(a, path, 1 << 20, &text, &err), FER_OK);
    assert_int_equal(
        fer_registry_add(registry, FER_STR("https://example.com/output"), text, 0, &err), FER_OK);
    fer_schema_options options = {.registry = registry, .formats_note_only = true};
    fer_str ref =
        fer_arena_printf(a, "{\"$ref\":\"https://example.com/output#/$defs/%s\"}", shape->name);
    if (fer_schema_compile(ref, &options, &s, &err)) fail_msg("%s", err.message);
    fer_registry_free(registry);
    return s;
}

static void run_shape(const struct shape *shape)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s = shape_schema(a, shape);
    for (size_t i = 0; i < FER_COUNT(rows) * 2; i++) {
        fer_str out;
        bool valid;
        assert_int_equal(output_of(a, &rows[i / 2], shape->format, i % 2, &out), FER_OK);
        const yyjson_val *v = must_read(a, out, fer_json_limits_file());
        assert_int_equal(fer_schema_accepts(s, a, v, &valid, NULL), FER_OK);
        if (!valid) fail_msg("%s: %.*s", rows[i / 2].name, FER_PRI(out));
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* ---- answers that are remembered ------------------------------------------------------------- */

/* Each item is asked twice, first where nothing counts: every one has its annotations. */
static void remembered(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, a, 1u << 20);
    for (int i = 0; i < 3000; i++) fer_buf_add_text(&b, i ? ",{\"x\":1}" : "[{\"x\":1}");
    fer_buf_add_text(&b, "]");
    fer_str schema = fer_str_of(
        "{\"items\":{\"allOf\":[{\"not\":{\"not\":{\"$ref\":\"#/$defs/a\"}}},{\"$ref\":"
        "\"#/$defs/a\"}]},\"$defs\":{\"a\":{\"properties\":{\"x\":{\"title\":\"X\"}}}}}");
    const fer_validate_options options = {.annotations = true};
    fer_json *doc;
    fer_result *r;
    size_t count, titles = 0, names = 0;
    assert_int_equal(fer_json_read(a, fer_buf_view(&b), NULL, &doc, &err), FER_OK);
    assert_int_equal(fer_schema_compile(schema, NULL, &s, &err), FER_OK);
    assert_int_equal(fer_schema_validate(a, s, doc, NULL, &options, &r, &err), FER_OK);
    const fer_annotation *list = fer_result_annotations(r, &count);
    for (size_t i = 0; i < count; i++) {
        titles += fer_str_is(list[i].keyword, "title");
        names += fer_str_is(list[i].json, "[\"x\"]");
    }
    assert_int_equal(titles, 3000);
    assert_int_equal(names, 3000);
    fer_schema_unref(s);
    fer_arena_free(a);
}

int main(void)
{
    int failed = ROWS_RUN("output", rows, run) + ROWS_ONE("output", remembered);
    if (!*rows_data()) {
        printf("1..0 # SKIP no test data: set FERRULE_TEST_DATA\n");
        return failed;
    }
    return failed + ROWS_RUN("output schemas", shapes, run_shape);
}
