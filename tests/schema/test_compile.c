/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling: what is no schema, references that lead nowhere, dialects, and the registry. */
#include <ferrule/schema.h>

#include "buf.h"
#include "json_doc.h"
#include "must_read.h"
#include "rows.h"

static const struct row {
    const char *name;
    fer_dialect dialect;
    const char *schema;
    fer_code code;
    const char *says; /* in the message */
    uint32_t column;  /* 0: not looked at */
} rows[] = {
    {"no JSON", 0, "{", FER_INVALID_JSON, "", 0},
    {"a key twice", 0, "{\"type\":\"null\",\"type\":\"null\"}", FER_DUPLICATE_KEY, "", 0},
    {"no schema", 0, "1", FER_INVALID_SCHEMA, "an object or a boolean", 1},
    {"no boolean in draft-04", FER_DIALECT_DRAFT4, "true", FER_INVALID_SCHEMA, "an object", 1},
    {"false in draft-04's additionalProperties", FER_DIALECT_DRAFT4,
     "{\"additionalProperties\":false,\"additionalItems\":true}", FER_OK, "", 0},
    {"a boolean elsewhere in draft-04", FER_DIALECT_DRAFT4, "{\"not\":true}", FER_INVALID_SCHEMA,
     "an object", 8},
    {"a type", 0, "{\"type\":\"strng\"}", FER_INVALID_SCHEMA, "is no type", 9},
    {"a type deep down", 0, "{\"properties\":{\"a\":{\"items\":{\"type\":5}}}}", FER_INVALID_SCHEMA,
     "/properties/a/items/type", 37},
    {"the first of two", 0, "{\"minimum\":\"1\",\"type\":\"strng\"}", FER_INVALID_SCHEMA,
     "`minimum`", 12},
    {"a map of schemas", 0, "{\"properties\":{\"a\":1}}", FER_INVALID_SCHEMA, "`properties`", 20},
    {"propertyDependencies", FER_DIALECT_V1, "{\"propertyDependencies\":{\"a\":1}}",
     FER_INVALID_SCHEMA, "objects of schemas", 0},
    {"a pattern", 0, "{\"pattern\":\"(\"}", FER_INVALID_SCHEMA, "regular expression", 12},
    {"a pattern as a name", 0, "{\"patternProperties\":{\"(\":true}}", FER_INVALID_SCHEMA,
     "regular expression", 0},
    {"the same pattern twice", 0, "{\"pattern\":\"^a\",\"patternProperties\":{\"^a\":true}}",
     FER_OK, "", 0},
    {"an anchor", 0, "{\"$anchor\":\"1a\"}", FER_INVALID_SCHEMA, "is no name", 12},
    {"a fragment in $id", 0, "{\"$id\":\"http://x.y/a#b\"}", FER_INVALID_SCHEMA, "fragment", 8},
    {"exclusiveMinimum alone", FER_DIALECT_DRAFT4, "{\"exclusiveMinimum\":true}",
     FER_INVALID_SCHEMA, "needs `minimum`", 0},
    {"$ref to nothing", 0, "{\"$ref\":\"#/$defs/a\"}", FER_INVALID_SCHEMA, "refers to nothing", 9},
    {"$ref below nothing", 0, "{\"$ref\":\"#/$defs/a/b\",\"$defs\":{\"a\":true}}",
     FER_INVALID_SCHEMA, "no \"b\"", 9},
    {"$ref to no schema", 0, "{\"$ref\":\"#/x\",\"x\":5}", FER_INVALID_SCHEMA, "not a schema", 9},
    {"$ref to an item", 0, "{\"$ref\":\"#/allOf/1\",\"allOf\":[{},{}]}", FER_OK, "", 0},
    {"$ref past the items", 0, "{\"$ref\":\"#/allOf/2\",\"allOf\":[{},{}]}", FER_INVALID_SCHEMA,
     "no \"2\"", 0},
    {"$ref to item 01", 0, "{\"$ref\":\"#/allOf/01\",\"allOf\":[{},{}]}", FER_INVALID_SCHEMA,
     "no \"01\"", 0},
    {"$ref through what nobody knows", 0, "{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"type\":\"null\"}}}",
     FER_OK, "", 0},
    {"$ref to what is no schema there", 0, "{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"type\":5}}}",
     FER_INVALID_SCHEMA, "", 0},
    {"$ref to a format that is none", 0,
     "{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"format\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1}}}}",
     FER_INVALID_SCHEMA, "`format`", 0},
    {"$ref to what is no schema below", 0,
     "{\"$ref\":\"#/x\",\"x\":{\"items\":{\"minimum\":\"abc\"}},\"default\":{}}",
     FER_INVALID_SCHEMA, "`minimum`", 0},
    {"$ref to a list of schemas that is none", 0, "{\"$ref\":\"#/x\",\"x\":{\"allOf\":{\"a\":1}}}",
     FER_INVALID_SCHEMA, "`allOf`", 0},
    {"$ref into a default", 0,
     "{\"$ref\":\"#/default\",\"default\":{\"pattern\":5,\"required\":{}}}", FER_INVALID_SCHEMA,
     "`pattern`", 0},
    {"$ref to no anchor", 0, "{\"$ref\":\"#a\"}", FER_INVALID_SCHEMA, "no such anchor", 9},
    {"$ref with half an escape", 0, "{\"$ref\":\"#/%4\"}", FER_INVALID_SCHEMA, "percent", 9},
    {"$ref elsewhere", 0, "{\"$ref\":\"http://example.com/x\"}", FER_EXTERNAL_REF,
     "nothing is fetched", 9},
    {"$ref to a file", 0, "{\"$ref\":\"file:///etc/passwd\"}", FER_EXTERNAL_REF, "", 0},
    {"$ref to a meta-schema", 0, "{\"$ref\":\"http://json-schema.org/draft-07/schema#\"}", FER_OK,
     "", 0},
    {"$ref that is not reached", 0, "{\"$defs\":{\"a\":{\"$ref\":\"#/nowhere\"}}}", FER_OK, "", 0},
    {"a dialect", 0, "{\"$schema\":\"http://example.com/mine\"}", FER_UNSUPPORTED_DIALECT,
     "is not known", 0},
    {"$schema is no string", 0, "{\"$schema\":5}", FER_INVALID_SCHEMA, "`$schema`", 0},
    {"https for http", 0,
     "{\"$schema\":\"https://json-schema.org/draft-07/schema\",\"items\":[{}]}", FER_OK, "", 0},
    {"no such dialect", (fer_dialect)5, "{}", FER_BAD_USAGE, "no dialect 5", 0},
    {"another dialect inside", 0,
     "{\"$defs\":{\"a\":{\"$id\":\"http://x.y/a\",\"$schema\":\"http://json-schema.org/draft-07/schema#"
     "\",\"items\":[{}]}},\"$ref\":\"http://x.y/a\"}",
     FER_OK, "", 0},
    {"an unknown dialect inside", 0,
     "{\"$defs\":{\"a\":{\"$id\":\"http://x.y/a\",\"$schema\":\"http://x.y/z\"}}}",
     FER_UNSUPPORTED_DIALECT, "", 0},
};

static void run(const struct row *row)
{
    fer_schema_options options = {.dialect = row->dialect};
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_code code = fer_schema_compile(fer_str_of(row->schema), &options, &s, &err);
    if (code != row->code) fail_msg("%s: %s", fer_code_info(code)->name, err.message);
    assert_true((s == NULL) == (code != FER_OK));
    if (code && !strstr(err.message, row->says)) fail_msg("%s", err.message);
    if (row->column) assert_int_equal(err.column, row->column);
    fer_schema_unref(s);
}

/* ---- schemas that ask themselves ------------------------------------------------------------- */

static const struct row circles[] = {
    {"$ref to itself", 0, "{\"$ref\":\"#\"}", FER_INVALID_SCHEMA, "without end", 0},
    {"two of them", 0,
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"allOf\":[{\"$ref\":"
     "\"#/$defs/a\"}]}}}",
     FER_INVALID_SCHEMA, "without end", 0},
    {"not itself", 0, "{\"not\":{\"$ref\":\"#\"}}", FER_INVALID_SCHEMA, "without end", 0},
    {"a dynamic one", 0, "{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}", FER_INVALID_SCHEMA,
     "without end", 0},
    {"a recursive one", FER_DIALECT_2019_09, "{\"$recursiveAnchor\":true,\"$recursiveRef\":\"#\"}",
     FER_INVALID_SCHEMA, "without end", 0},
    {"no such dynamic anchor", FER_DIALECT_V1, "{\"$dynamicRef\":\"a\"}", FER_INVALID_SCHEMA,
     "$dynamicAnchor", 0},
};

static void run_circle(const struct row *row)
{
    fer_schema_options options = {.dialect = row->dialect};
    fer_arena *a = fer_arena_new(0);
    fer_schema *s = NULL;
    fer_err err = {0};
    bool valid;
    fer_result *r;
    if (fer_schema_compile(fer_str_of(row->schema), &options, &s, &err))
        fail_msg("%s", err.message);
    const yyjson_val *v = must_read(a, FER_STR("1"), NULL);
    assert_int_equal(fer_schema_accepts(s, a, v, &valid, &err), row->code);
    if (!strstr(err.message, row->says)) fail_msg("%s", err.message);
    assert_int_equal(fer_schema_validate(a, s, NULL, v, NULL, &r, &err), row->code);
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* What the verdict need not look at does no harm, and findings leave it out. */
static void circles_beside(void)
{
    static const char *const schemas[] = {
        "{\"type\":\"null\",\"$ref\":\"#\"}",
        "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"string\",\"$ref\":\"#/anyOf/1\"}]}",
    };
    fer_arena *a = fer_arena_new(0);
    const yyjson_val *v = must_read(a, FER_STR("1"), NULL);
    for (size_t i = 0; i < FER_COUNT(schemas); i++) {
        fer_schema *s = NULL;
        fer_result *r;
        size_t count;
        assert_int_equal(fer_schema_compile(fer_str_of(schemas[i]), NULL, &s, NULL), FER_OK);
        assert_int_equal(fer_schema_validate(a, s, NULL, v, NULL, &r, NULL), FER_OK);
        fer_result_violations(r, &count);
        assert_false(fer_result_valid(r));
        assert_true(count > 0);
        fer_schema_unref(s);
    }
    fer_arena_free(a);
}

/* ---- the registry ------------------------------------------------------------------------------
 */

static fer_code attempt_registry(fer_arena *unused, const void *row)
{
    (void)unused;
    (void)row;
    fer_arena *a = fer_arena_new(0);
    fer_registry *r = fer_registry_new();
    fer_schema_options options = {.registry = r, .base_uri = FER_STR("http://x.y/base/")};
    fer_schema *s = NULL, *same = NULL;
    fer_json *doc;
    bool valid = true;
    fer_code code = a && r ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) {
        code = fer_registry_add(r, FER_STR("http://x.y/base/a#"),
                                FER_STR("{\"$defs\":{\"n\":{\"$anchor\":\"n\",\"type\":\"null\"}},"
                                        "\"$id\":\"http://x.y/other\"}"),
                                FER_DIALECT_DEFAULT, NULL);
    }
    if (!code) {
        code = fer_schema_compile(
            FER_STR("{\"anyOf\":[{\"$ref\":\"a#n\"},{\"$ref\":\"/other#/$defs/n\"}]}"), &options,
            &s, NULL);
    }
    /* The program keeps what it needs. */
    fer_registry_free(r);
    if (!code) {
        same = fer_schema_ref(s);
        fer_schema_unref(s);
        code = fer_json_read(a, FER_STR("1"), NULL, &doc, NULL);
    }
    if (!code) code = fer_schema_accepts(same, a, fer_json_root(doc), &valid, NULL);
    if (!code) assert_false(valid);
    fer_schema_unref(same);
    fer_arena_free(a);
    return code;
}

static void registry(void)
{
    fer_registry *r = fer_registry_new();
    fer_err err = {0};
    assert_int_equal(fer_registry_add(r, FER_STR("x:y"), FER_STR("{"), 0, &err), FER_INVALID_JSON);
    assert_int_equal(fer_registry_add(r, FER_STR("x:y"), FER_STR("{}"), (fer_dialect)3, &err),
                     FER_BAD_USAGE);
    assert_int_equal(fer_registry_add(r, FER_STR("x:z"), FER_STR("{\"$schema\":\"x:w\"}"), 0, &err),
                     FER_UNSUPPORTED_DIALECT);
    fer_registry_free(r);
    fer_registry_free(NULL);
    fer_schema_unref(NULL);
    assert_null(fer_schema_ref(NULL));
    assert_int_equal(attempt_registry(NULL, NULL), FER_OK);
    rows_torture_malloc(attempt_registry, NULL);
}

static const struct custom {
    const char *name;
    const char *meta;   /* under x:/meta */
    const char *schema; /* its $schema is x:/meta */
    fer_code code;
    const char *says;
} customs[] = {
    {"a meta-schema of one's own",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"properties\":{\"x-unit\":{\"type\":"
     "\"string\"}}}",
     "{\"$schema\":\"x:/meta\",\"x-unit\":\"m\"}", FER_OK, ""},
    {"what it refuses",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"properties\":{\"x-unit\":{\"type\":"
     "\"string\"}}}",
     "{\"$schema\":\"x:/meta\",\"x-unit\":5}", FER_INVALID_SCHEMA, "must be a string"},
    {"one without $schema", "{\"required\":[\"title\"]}", "{\"$schema\":\"x:/meta#\"}",
     FER_INVALID_SCHEMA, "`title`"},
    {"one that demands a vocabulary",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{\"x:/v\":true}}",
     "{\"$schema\":\"x:/meta\"}", FER_UNSUPPORTED_DIALECT, "x:/v"},
    {"one that offers a vocabulary",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{\"x:/v\":false,"
     "\"https://json-schema.org/draft/2020-12/vocab/core\":true}}",
     "{\"$schema\":\"x:/meta\",\"minimum\":\"no keyword here\"}", FER_OK, ""},
    {"one that asserts formats",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{"
     "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
     "\"https://json-schema.org/draft/2020-12/vocab/format-assertion\":true}}",
     "{\"$schema\":\"x:/meta\",\"format\":\"date\"}", FER_OK, ""},
    {"one that is no schema", "{\"type\":5}", "{\"$schema\":\"x:/meta\"}", FER_INVALID_SCHEMA, ""},
};

static void run_custom(const struct custom *row)
{
    fer_registry *r = fer_registry_new();
    fer_schema_options options = {.registry = r};
    fer_schema *s = NULL;
    fer_err err = {0};
    assert_int_equal(fer_registry_add(r, FER_STR("x:/meta"), fer_str_of(row->meta), 0, &err),
                     FER_OK);
    fer_code code = fer_schema_compile(fer_str_of(row->schema), &options, &s, &err);
    if (code != row->code) fail_msg("%s: %s", fer_code_info(code)->name, err.message);
    if (code && !strstr(err.message, row->says)) fail_msg("%s", err.message);
    fer_schema_unref(s);
    fer_registry_free(r);
}

/* ---- dialects
 * ------------------------------------------------------------------------------------ */

static const struct dialect {
    const char *name;
    fer_dialect dialect; /* 0: none */
} dialects[] = {
    {"2020-12", FER_DIALECT_2020_12},
    {"draft2020-12", FER_DIALECT_2020_12},
    {"draft-2019-09", FER_DIALECT_2019_09},
    {"draft-07", FER_DIALECT_DRAFT7},
    {"draft7", FER_DIALECT_DRAFT7},
    {"Draft 07", FER_DIALECT_DRAFT7},
    {"7", FER_DIALECT_DRAFT7},
    {"06", FER_DIALECT_DRAFT6},
    {"draft-04", FER_DIALECT_DRAFT4},
    {"v1", FER_DIALECT_V1},
    {"http://json-schema.org/draft-04/schema#", FER_DIALECT_DRAFT4},
    {"https://json-schema.org/draft/2020-12/schema", FER_DIALECT_2020_12},
    {"http://json-schema.org/schema#", FER_DIALECT_2020_12},
    {"https://json-schema.org/v1/2026", FER_DIALECT_V1},
    {"draft-03", 0},
    {"", 0},
    {"draft", 0},
    {"http://json-schema.org/draft-07/schema#x", 0},
    {"2020", FER_DIALECT_2020_12},
};

static void run_dialect(const struct dialect *row)
{
    fer_dialect found = 0;
    assert_int_equal(fer_dialect_find(fer_str_of(row->name), &found), row->dialect != 0);
    assert_int_equal(found, row->dialect);
}

static void names_of_dialects(void)
{
    static const fer_dialect all[] = {FER_DIALECT_DRAFT4,  FER_DIALECT_DRAFT6,  FER_DIALECT_DRAFT7,
                                      FER_DIALECT_2019_09, FER_DIALECT_2020_12, FER_DIALECT_V1};
    for (size_t i = 0; i < FER_COUNT(all); i++) {
        fer_dialect by_name = 0, by_uri = 0;
        assert_true(fer_dialect_find(fer_str_of(fer_dialect_name(all[i])), &by_name));
        assert_true(fer_dialect_find(fer_str_of(fer_dialect_uri(all[i])), &by_uri));
        assert_true(by_name == all[i] && by_uri == all[i]);
    }
    assert_string_equal(fer_dialect_name(FER_DIALECT_DEFAULT), "2020-12");
    assert_string_equal(fer_dialect_name((fer_dialect)5), "unknown");
    assert_string_equal(fer_dialect_uri((fer_dialect)5), "");
}

/* ---- more problems than are noted ---------------------------------------------------------------
 */

/* The first in the text is told, though only some are kept. */
static void first_of_many(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, a, 1u << 20);
    fer_buf_add_text(&b, "{\"allOf\":[{\"type\":5}");
    for (int i = 0; i < 5000; i++) fer_buf_add_text(&b, ",{\"type\":5}");
    fer_buf_add_text(&b, "]}");
    assert_int_equal(fer_schema_compile(fer_buf_view(&b), NULL, &s, &err), FER_INVALID_SCHEMA);
    assert_true(fer_str_starts(fer_str_of(err.message), "At /allOf/0/type: "));
    fer_json *doc;
    fer_schema_problem *list;
    size_t count;
    assert_int_equal(fer_json_read(a, fer_buf_view(&b), NULL, &doc, &err), FER_OK);
    assert_int_equal(fer_schema_problems(a, doc, NULL, NULL, true, &list, &count, &err), FER_OK);
    assert_int_equal(count, 1000);
    assert_true(fer_str_is(list[0].pointer, "/allOf/0/type"));
    assert_true(fer_str_is(list[999].pointer, "/allOf/999/type"));
    assert_int_equal(list[999].place.column, 11 + 999 * 11 + 8);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_ONE("compile", first_of_many) + ROWS_RUN("compile", rows, run) +
           ROWS_RUN("circles", circles, run_circle) + ROWS_ONE("circles", circles_beside) +
           ROWS_ONE("registry", registry) + ROWS_RUN("meta-schemas", customs, run_custom) +
           ROWS_RUN("dialects", dialects, run_dialect) + ROWS_ONE("dialects", names_of_dialects);
}
