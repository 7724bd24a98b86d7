/* SPDX-License-Identifier: Apache-2.0 */
/* The helpers that write schemas: the text, that it compiles, and no memory anywhere. */
#include <ferrule/schema.h>

#include "rows.h"

static const fer_describe about = {"A \"title\"", "What it\nis.", "\"x\""};

static fer_str make_string(fer_arena *a)
{
    return fer_make_string(a, NULL);
}
static fer_str make_described(fer_arena *a)
{
    return fer_make_string(a, &about);
}
static fer_str make_empty_description(fer_arena *a)
{
    static const fer_describe nothing = {NULL, NULL, NULL};
    return fer_make_string(a, &nothing);
}
static fer_str make_pattern(fer_arena *a)
{
    return fer_make_pattern(a, "^\\d+\"?$", NULL);
}
static fer_str make_format(fer_arena *a)
{
    return fer_make_format(a, "date", NULL);
}
static fer_str make_enum(fer_arena *a)
{
    static const char *const values[] = {"low", "hi\"gh", "caf\xC3\xA9"};
    return fer_make_enum(a, values, FER_COUNT(values), NULL);
}
static fer_str make_boolean(fer_arena *a)
{
    return fer_make_boolean(a, NULL);
}
static fer_str make_integer(fer_arena *a)
{
    return fer_make_integer(a, -1, 100, NULL);
}
static fer_str make_any_integer(fer_arena *a)
{
    return fer_make_integer(a, INT64_MIN, INT64_MAX, NULL);
}
static fer_str make_large_integer(fer_arena *a)
{
    return fer_make_integer(a, INT64_MIN + 1, INT64_MAX - 1, NULL);
}
static fer_str make_number(fer_arena *a)
{
    return fer_make_number(a, NULL);
}
static fer_str make_array(fer_arena *a)
{
    return fer_make_array(a, fer_make_boolean(a, NULL), NULL);
}
static fer_str make_nullable(fer_arena *a)
{
    return fer_make_nullable(a, fer_make_boolean(a, NULL));
}
static fer_str make_object(fer_arena *a)
{
    const fer_property properties[] = {
        {"a b", fer_make_array(a, fer_make_string(a, NULL), NULL), true},
        {"c", fer_make_nullable(a, fer_make_boolean(a, NULL)), false},
        {"\"d\"", fer_make_number(a, NULL), true},
    };
    return fer_make_object(a, properties, FER_COUNT(properties), NULL);
}
static fer_str make_optional(fer_arena *a)
{
    const fer_property properties[] = {{"c", fer_make_number(a, NULL), false}};
    return fer_make_object(a, properties, 1, NULL);
}
static fer_str make_no_properties(fer_arena *a)
{
    return fer_make_object(a, NULL, 0, NULL);
}

static const struct row {
    const char *name;
    fer_str (*make)(fer_arena *a);
    const char *text;
} rows[] = {
    {"string", make_string, "{\"type\":\"string\"}"},
    {"string, described", make_described,
     "{\"type\":\"string\",\"title\":\"A \\\"title\\\"\",\"description\":\"What it\\nis.\","
     "\"default\":\"x\"}"},
    {"string, described with nothing", make_empty_description, "{\"type\":\"string\"}"},
    {"pattern", make_pattern, "{\"type\":\"string\",\"pattern\":\"^\\\\d+\\\"?$\"}"},
    {"format", make_format, "{\"type\":\"string\",\"format\":\"date\"}"},
    {"enum", make_enum, "{\"type\":\"string\",\"enum\":[\"low\",\"hi\\\"gh\",\"caf\xC3\xA9\"]}"},
    {"boolean", make_boolean, "{\"type\":\"boolean\"}"},
    {"integer", make_integer, "{\"type\":\"integer\",\"minimum\":-1,\"maximum\":100}"},
    {"any integer", make_any_integer, "{\"type\":\"integer\"}"},
    {"large integer", make_large_integer,
     "{\"type\":\"integer\",\"minimum\":-9223372036854775807,\"maximum\":9223372036854775806}"},
    {"number", make_number, "{\"type\":\"number\"}"},
    {"array", make_array, "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"}}"},
    {"nullable", make_nullable, "{\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"null\"}]}"},
    {"object", make_object,
     "{\"type\":\"object\",\"properties\":{"
     "\"a b\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
     "\"c\":{\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"null\"}]},"
     "\"\\\"d\\\"\":{\"type\":\"number\"}},"
     "\"required\":[\"a b\",\"\\\"d\\\"\"],\"additionalProperties\":false}"},
    {"object, nothing required", make_optional,
     "{\"type\":\"object\",\"properties\":{\"c\":{\"type\":\"number\"}},"
     "\"additionalProperties\":false}"},
    {"object without properties", make_no_properties,
     "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
};

static fer_code attempt(fer_arena *a, const void *row)
{
    const struct row *r = row;
    fer_str text = r->make(a);
    if (!text.ptr) return fer_arena_code(a);
    assert_str(text, r->text);
    return FER_OK;
}

static void makes(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s;
    fer_err err;
    assert_non_null(a);
    fer_str text = row->make(a);
    assert_str(text, row->text);
    if (fer_schema_compile(text, NULL, &s, &err)) fail_msg("%s", err.message);
    fer_schema_unref(s);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

/* A part that could not be made makes the whole fail. */
static void failure_goes_up(void)
{
    fer_arena *a = fer_arena_new(0);
    const fer_property property = {"a", {NULL, 0}, true};
    assert_null(fer_make_array(a, FER_STR_NONE, NULL).ptr);
    assert_null(fer_make_nullable(a, FER_STR_NONE).ptr);
    assert_null(fer_make_object(a, &property, 1, NULL).ptr);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("make", rows, makes) + ROWS_ONE("make", failure_goes_up);
}
