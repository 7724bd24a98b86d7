/* SPDX-License-Identifier: Apache-2.0 */
/* Calls under a tool's schemas: input and output, with and without them, redacted. */
#include "rows.h"

#include <ferrule/contract.h>

#include "hide.h"

#define TOOL                                                                                                    \
    "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},"        \
    "\"token\":{\"type\":\"integer\"},\"list\":{\"items\":{\"properties\":{\"pin\":{\"type\":\"integer\"}}}}}," \
    "\"required\":[\"n\"]},\"redact\":[\"token\",\"input:list[*].pin\",\"output:n\"]"
#define OUTPUT                                                                                     \
    ",\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"

static const struct row {
    const char *name;
    const char *tool;
    bool output;
    const char *value;
    const char *message; /* of the first finding; NULL: valid */
} rows[] = {
    {"valid", TOOL "}", false, "{\"n\":1}", NULL},
    {"missing", TOOL "}", false, "{}", "`n` is required, but is missing."},
    {"a value that may be shown", TOOL "}", false, "{\"n\":\"x\"}",
     "`n` must be an integer, but is the string \"x\"."},
    {"a value that may not", TOOL "}", false, "{\"n\":1,\"token\":\"x\"}",
     "`token` must be an integer, but is a string."},
    {"one in a list", TOOL "}", false, "{\"n\":1,\"list\":[{\"pin\":\"x\"}]}",
     "`list[0].pin` must be an integer, but is a string."},
    {"no output schema", TOOL "}", true, "[1,2]", NULL},
    {"output", TOOL OUTPUT "}", true, "{\"n\":1}", NULL},
    {"output of the wrong type", TOOL OUTPUT "}", true, "[]",
     "The value must be an object, but is an array."},
    {"redacted in output only", TOOL OUTPUT "}", true, "{\"n\":\"x\"}",
     "`n` must be an integer, but is a string."},
};

static fer_code attempt(fer_arena *a, const void *what)
{
    const struct row *row = what;
    fer_toolset *set = fer_toolset_new();
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    if (!a) a = mine;
    fer_json *doc;
    fer_result *result;
    fer_code code = set && a ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) {
        code =
            fer_toolset_add(set, FER_STR("t.json"), fer_str_of(row->tool), FER_FORMAT_AUTO, NULL);
    }
    if (!code) code = fer_json_read(a, fer_str_of(row->value), NULL, &doc, NULL);
    if (!code) {
        const fer_tool *t = fer_toolset_get(set, 0);
        code = (row->output ? fer_tool_validate_output
                            : fer_tool_validate_input)(a, t, NULL, doc, NULL, NULL, &result, NULL);
    }
    if (!code) {
        size_t count;
        const fer_violation *v = fer_result_violations(result, &count);
        assert_int_equal(fer_result_valid(result), !row->message);
        if (row->message) assert_str(v[0].message, row->message);
    }
    fer_arena_free(mine);
    fer_toolset_free(set);
    return code;
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
    rows_torture_malloc(attempt, row);
}

static fer_json *empty(fer_arena *a)
{
    fer_json *doc;
    assert_int_equal(fer_json_read(a, FER_STR("{}"), NULL, &doc, NULL), FER_OK);
    return doc;
}

static void without_schemas(void)
{
    fer_err err;
    fer_result *result;
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = fer_toolset_new();
    fer_json *doc = empty(a);
    assert_int_equal(fer_tool_validate_input(a, NULL, NULL, doc, NULL, NULL, &result, &err),
                     FER_INVALID_SCHEMA);
    assert_int_equal(fer_tool_validate_output(a, NULL, NULL, doc, NULL, NULL, &result, &err),
                     FER_INVALID_SCHEMA);
    assert_int_equal(fer_toolset_add(set, FER_STR("t"),
                                     FER_STR("{\"name\":\"t\",\"inputSchema\":1}"), FER_FORMAT_JSON,
                                     NULL),
                     FER_OK);
    assert_int_equal(
        fer_tool_validate_input(a, fer_toolset_get(set, 0), NULL, doc, NULL, NULL, &result, &err),
        FER_INVALID_SCHEMA);
    assert_non_null(strstr(err.message, "has no inputSchema"));
    fer_toolset_free(set);
    fer_arena_free(a);
}

/* A result stays good while its arena does, even when the cache gives its program up. */
static void cached(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = fer_toolset_new();
    fer_schema_cache *cache = fer_schema_cache_new(1);
    fer_result *first, *second;
    fer_json *doc = empty(a);
    static const char *const texts[] = {TOOL "}",
                                        "{\"name\":\"u\",\"inputSchema\":{\"type\":\"object\"}}"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            fer_toolset_add(set, FER_STR("t"), fer_str_of(texts[i]), FER_FORMAT_JSON, NULL),
            FER_OK);
    }
    assert_int_equal(
        fer_tool_validate_input(a, fer_toolset_get(set, 0), cache, doc, NULL, NULL, &first, NULL),
        FER_OK);
    assert_int_equal(
        fer_tool_validate_input(a, fer_toolset_get(set, 1), cache, doc, NULL, NULL, &second, NULL),
        FER_OK);
    assert_int_equal(fer_schema_cache_stats(cache).dropped, 1);
    fer_schema_cache_free(cache);
    fer_str out;
    assert_int_equal(fer_result_output(a, first, FER_OUTPUT_BASIC, &out, NULL), FER_OK);
    assert_non_null(strstr(out.ptr, "required"));
    assert_true(fer_result_valid(second));
    fer_toolset_free(set);
    fer_arena_free(a);
}

/* ---- redaction paths ------------------------------------------------------------------------ */

static const struct hide_row {
    const char *name;
    const char *path;
    const char *pointer;
    fer_hides hides;
} hide_rows[] = {
    {"the same", "token", "/token", FER_HIDE_COVERS},
    {"another", "token", "/tokens", FER_HIDE_NOT},
    {"shorter", "token", "/toke", FER_HIDE_NOT},
    {"case does not count", "Token", "/tOKEN", FER_HIDE_COVERS},
    {"above it", "a", "/a/b/c", FER_HIDE_COVERS},
    {"below it", "a.b", "/a", FER_HIDE_BELOW},
    {"below the root", "a", "", FER_HIDE_BELOW},
    {"two steps", "a.b", "/a/b", FER_HIDE_COVERS},
    {"the second differs", "a.b", "/a/c", FER_HIDE_NOT},
    {"any one", "*.token", "/x/token", FER_HIDE_COVERS},
    {"any one, not two", "*.token", "/x/y/token", FER_HIDE_NOT},
    {"any number: none", "**.token", "/token", FER_HIDE_COVERS},
    {"any number: three", "**.token", "/a/b/c/token", FER_HIDE_COVERS},
    {"any number: not there yet", "**.token", "/a/b", FER_HIDE_BELOW},
    {"any number, tried again", "**.a.b", "/a/c/a/b", FER_HIDE_COVERS},
    {"any number at the end", "a.**", "/a/x", FER_HIDE_COVERS},
    {"an item", "a[0]", "/a/0", FER_HIDE_COVERS},
    {"another item", "a[0]", "/a/1", FER_HIDE_NOT},
    {"any item", "a[*].b", "/a/7/b", FER_HIDE_COVERS},
    {"an odd name", "a[\"x.y\"].b", "/a/x.y/b", FER_HIDE_COVERS},
    {"a name with a slash", "[\"x/y\"]", "/x~1y", FER_HIDE_COVERS},
    {"a name with a tilde", "x~y", "/x~0y", FER_HIDE_COVERS},
    {"two brackets", "[0][1]", "/0/1", FER_HIDE_COVERS},
    {"an open bracket", "a[0", "/a/0", FER_HIDE_COVERS},
    {"an open quote", "[\"a", "/a", FER_HIDE_COVERS},
    {"nothing hides all", "", "/a", FER_HIDE_COVERS},
};

static void run_hide(const struct hide_row *row)
{
    assert_int_equal(fer_hide_covers(fer_str_of(row->path), fer_str_of(row->pointer)), row->hides);
}

int main(void)
{
    return ROWS_RUN("tool validate", rows, run) + ROWS_ONE("tool validate", without_schemas) +
           ROWS_ONE("tool validate", cached) + ROWS_RUN("hide", hide_rows, run_hide);
}
