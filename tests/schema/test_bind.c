/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of parameters: the schema they become, and arguments in the fields of a struct. */
#include <ferrule/schema.h>
#include <stdlib.h>

#include "must_read.h"

struct arguments {
    fer_str text;
    int64_t count;
    double ratio;
    bool force;
    const yyjson_val *any;
};

#define AT(field) offsetof(struct arguments, field)

static const fer_bind_row table[] = {
    {"text", FER_BIND_STRING, AT(text), true, "The \"text\".", NULL, "{\"minLength\":1}"},
    {"count", FER_BIND_INTEGER, AT(count), false, NULL, "3", NULL},
    {"ratio", FER_BIND_NUMBER, AT(ratio), false, "A ratio.", NULL, NULL},
    {"force", FER_BIND_BOOLEAN, AT(force), false, NULL, "true", NULL},
    {"any", FER_BIND_JSON, AT(any), false, NULL, "{\"x\":[1]}", NULL},
};

/* ---- schemas ------------------------------------------------------------- */

static const struct schema_row {
    const char *name;
    const fer_bind_row *rows;
    size_t count;
    const char *text; /* NULL: refused */
    const char *says; /* part of the message */
} schema_rows[] = {
    {"all kinds", table, FER_COUNT(table),
     "{\"type\":\"object\",\"properties\":{"
     "\"text\":{\"type\":\"string\",\"description\":\"The \\\"text\\\".\",\"minLength\":1},"
     "\"count\":{\"type\":\"integer\",\"default\":3},"
     "\"ratio\":{\"type\":\"number\",\"description\":\"A ratio.\"},"
     "\"force\":{\"type\":\"boolean\",\"default\":true},"
     "\"any\":{\"default\":{\"x\":[1]}}},"
     "\"required\":[\"text\"],\"additionalProperties\":false}",
     NULL},
    {"nothing", NULL, 0, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
     NULL},
    {"two required",
     (const fer_bind_row[]){{"a", FER_BIND_JSON, 0, true, NULL, NULL, NULL},
                            {"b", FER_BIND_JSON, 0, true, NULL, NULL, NULL}},
     2,
     "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"a\",\"b\"],"
     "\"additionalProperties\":false}",
     NULL},
    {"own keywords win",
     (const fer_bind_row[]){{"a", FER_BIND_STRING, 0, false, "one", "\"x\"",
                             "{\"type\":[\"string\",\"null\"],\"description\":\"two\","
                             "\"default\":\"y\"}"}},
     1,
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"string\",\"null\"],"
     "\"description\":\"two\",\"default\":\"y\"}},\"additionalProperties\":false}",
     NULL},
    {"a name twice",
     (const fer_bind_row[]){{"a", FER_BIND_JSON, 0, true, NULL, NULL, NULL},
                            {"a", FER_BIND_JSON, 0, true, NULL, NULL, NULL}},
     2, NULL, "`a` twice"},
    {"default of another type",
     (const fer_bind_row[]){{"a", FER_BIND_INTEGER, 0, false, NULL, "1.5", NULL}}, 1, NULL,
     "default of the parameter `a`"},
    {"default is not JSON", (const fer_bind_row[]){{"a", FER_BIND_JSON, 0, false, NULL, "x", NULL}},
     1, NULL, "is not JSON"},
    {"schema is not JSON", (const fer_bind_row[]){{"a", FER_BIND_JSON, 0, false, NULL, NULL, "{"}},
     1, NULL, "schema of the parameter `a` is not JSON"},
    {"schema is a list", (const fer_bind_row[]){{"a", FER_BIND_JSON, 0, false, NULL, NULL, "[]"}},
     1, NULL, "not an object"},
};

static fer_code schema_attempt(fer_arena *a, const void *row)
{
    const struct schema_row *r = row;
    fer_str text;
    fer_code code = fer_bind_schema(a, r->rows, r->count, &text, NULL);
    if (!code) assert_str(text, r->text);
    return code == FER_BAD_USAGE && !r->text ? FER_OK : code;
}

static void makes_schema(const struct schema_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = {"keep", 4};
    fer_err err = {0};
    fer_code code = fer_bind_schema(a, row->rows, row->count, &text, &err);
    if (row->text) {
        fer_schema *s;
        assert_int_equal(code, FER_OK);
        assert_str(text, row->text);
        if (fer_schema_compile(text, NULL, &s, &err)) fail_msg("%s", err.message);
        fer_schema_unref(s);
    } else {
        assert_int_equal(code, FER_BAD_USAGE);
        assert_str(text, "keep");
        if (!strstr(err.message, row->says)) fail_msg("it says: %s", err.message);
    }
    fer_arena_free(a);
    rows_torture_arena(schema_attempt, row);
}

/* ---- arguments ----------------------------------------------------------- */

static const struct bind_row {
    const char *name;
    const char *json; /* NULL: no arguments at all */
    fer_code code;
    const char *says;
    const char *text;
    int64_t count;
    double ratio;
    bool force;
    const char *any; /* canonical; NULL: untouched */
} bind_rows[] = {
    {"all given", "{\"text\":\"hi\",\"count\":-7,\"ratio\":0.5,\"force\":false,\"any\":[null]}",
     FER_OK, NULL, "hi", -7, 0.5, false, "[null]"},
    {"defaults", "{\"text\":\"\"}", FER_OK, NULL, "", 3, -1, true, "{\"x\":[1]}"},
    {"a whole number with a point", "{\"text\":\"\",\"count\":2.0}", FER_OK, NULL, "", 2, -1, true,
     "{\"x\":[1]}"},
    {"a whole number with an exponent", "{\"text\":\"\",\"count\":-12e2}", FER_OK, NULL, "", -1200,
     -1, true, "{\"x\":[1]}"},
    {"the least", "{\"text\":\"\",\"count\":-9223372036854775808}", FER_OK, NULL, "", INT64_MIN, -1,
     true, "{\"x\":[1]}"},
    {"the greatest", "{\"text\":\"\",\"count\":9223372036854775807}", FER_OK, NULL, "", INT64_MAX,
     -1, true, "{\"x\":[1]}"},
    {"ratio is whole", "{\"text\":\"\",\"ratio\":2}", FER_OK, NULL, "", 3, 2, true, "{\"x\":[1]}"},
    {"ratio is whole and negative", "{\"text\":\"\",\"ratio\":-2}", FER_OK, NULL, "", 3, -2, true,
     "{\"x\":[1]}"},
    {"ratio of many digits", "{\"text\":\"\",\"ratio\":0.1000000000000000055511151231257827}",
     FER_OK, NULL, "", 3, 0.1, true, "{\"x\":[1]}"},
    {"any is null", "{\"text\":\"\",\"any\":null}", FER_OK, NULL, "", 3, -1, true, "null"},
    {"what the table does not name", "{\"text\":\"\",\"more\":1}", FER_OK, NULL, "", 3, -1, true,
     "{\"x\":[1]}"},
    {"missing", "{\"count\":1}", FER_REQUIRED_MISSING, "`text` is required", "", 0, 0, false, NULL},
    {"no arguments", NULL, FER_REQUIRED_MISSING, "`text`", "", 0, 0, false, NULL},
    {"not an object", "[]", FER_INVALID_TYPE, "must be an object, but are an array", "", 0, 0,
     false, NULL},
    {"string is a number", "{\"text\":1}", FER_INVALID_TYPE,
     "`text` must be of type string, but is a number", "", 0, 0, false, NULL},
    {"string is null", "{\"text\":null}", FER_INVALID_TYPE, "but is null", "", 0, 0, false, NULL},
    {"integer has a fraction", "{\"text\":\"\",\"count\":1.5}", FER_INVALID_TYPE, "a fraction", "",
     0, 0, false, NULL},
    {"integer is a string", "{\"text\":\"\",\"count\":\"1\"}", FER_INVALID_TYPE, "a string", "", 0,
     0, false, NULL},
    {"number is a boolean", "{\"text\":\"\",\"ratio\":true}", FER_INVALID_TYPE, "type number", "",
     0, 0, false, NULL},
    {"boolean is a number", "{\"text\":\"\",\"force\":0}", FER_INVALID_TYPE, "type boolean", "", 0,
     0, false, NULL},
    {"one past the greatest", "{\"text\":\"\",\"count\":9223372036854775808}", FER_OUT_OF_RANGE,
     "`count` does not fit 64 bits", "", 0, 0, false, NULL},
    {"one below the least", "{\"text\":\"\",\"count\":-9223372036854775809}", FER_OUT_OF_RANGE,
     "64 bits", "", 0, 0, false, NULL},
    {"20 digits", "{\"text\":\"\",\"count\":99999999999999999999}", FER_OUT_OF_RANGE, "64 bits", "",
     0, 0, false, NULL},
    {"far past", "{\"text\":\"\",\"count\":1e400}", FER_OUT_OF_RANGE, "64 bits", "", 0, 0, false,
     NULL},
    {"no double", "{\"text\":\"\",\"ratio\":1e400}", FER_OUT_OF_RANGE, "a double", "", 0, 0, false,
     NULL},
};

static fer_code bind(fer_arena *a, const struct bind_row *row, const yyjson_val *arguments,
                     fer_err *err)
{
    static const yyjson_val marker;
    struct arguments into = {{"keep", 4}, -1, -1, false, &marker}, before = into;
    fer_code code = fer_bind_arguments(a, table, FER_COUNT(table), arguments, &into, err);
    if (code) {
        assert_memory_equal(&into, &before, sizeof into);
        return code;
    }
    assert_str(into.text, row->text);
    assert_int_equal(into.count, row->count);
    assert_true(into.ratio >= row->ratio && into.ratio <= row->ratio);
    assert_int_equal(into.force, row->force);
    fer_arena *mine = fer_arena_new(0);
    assert_str(must_canon(mine, into.any), row->any);
    fer_arena_free(mine);
    return FER_OK;
}

struct bind_attempt {
    const struct bind_row *row;
    const yyjson_val *arguments;
};

static fer_code bind_attempt(fer_arena *a, const void *context)
{
    const struct bind_attempt *t = context;
    fer_code code = bind(a, t->row, t->arguments, NULL);
    return code && code == t->row->code ? FER_OK : code;
}

static void binds(const struct bind_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    const yyjson_val *arguments = row->json ? must_read(a, fer_str_of(row->json), NULL) : NULL;
    assert_int_equal(bind(a, row, arguments, &err), row->code);
    if (row->says && !strstr(err.message, row->says)) fail_msg("it says: %s", err.message);
    const struct bind_attempt attempt = {row, arguments};
    rows_torture_arena(bind_attempt, &attempt);
    fer_arena_free(a);
}

/* A default that is wrong is told when it is needed, even where no schema was made. */
static void wrong_default(void)
{
    static const fer_bind_row wrong = {"a", FER_BIND_INTEGER, 0, false, NULL, "\"1\"", NULL};
    fer_arena *a = fer_arena_new(0);
    int64_t into = 5;
    fer_err err;
    assert_int_equal(fer_bind_arguments(a, &wrong, 1, NULL, &into, &err), FER_BAD_USAGE);
    assert_int_equal(into, 5);
    assert_int_equal(
        fer_bind_arguments(a, &wrong, 1, must_read(a, FER_STR("{\"a\":6}"), NULL), &into, &err),
        FER_OK);
    assert_int_equal(into, 6);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("bind schema", schema_rows, makes_schema) +
           ROWS_RUN("bind arguments", bind_rows, binds) + ROWS_ONE("bind", wrong_default);
}
