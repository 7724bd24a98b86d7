/* SPDX-License-Identifier: Apache-2.0 */
/* A first schema from examples: what is read off them, the limits, and no memory anywhere. */
#include <ferrule/schema.h>

#include "buf.h"
#include "json_doc.h"
#include "rows.h"

/* The examples of a row are the items of one array. */
static fer_code infer(fer_arena *a, const char *text, const fer_infer_options *options,
                      fer_str *out, fer_err *err)
{
    fer_json *doc;
    size_t count = 0;
    fer_code code = fer_json_read(a, fer_str_of(text), fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val **list = fer_arena_alloc_zero(a, fer_val_len(root) + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    FER_EACH_ITEM (root, item) list[count++] = item;
    return fer_schema_infer(a, list, count, options, out, err);
}

#define CLOSED ",\"additionalProperties\":false}"

static const struct row {
    const char *name;
    const char *examples;
    const char *schema;
    fer_infer_options options;
} rows[] = {
    {"string", "[\"a\"]", "{\"type\":\"string\"}", {0}},
    {"integer", "[1,-2,18446744073709551616]", "{\"type\":\"integer\"}", {0}},
    {"one decimal makes numbers", "[1,2.5]", "{\"type\":\"number\"}", {0}},
    {"written as a decimal", "[1.0]", "{\"type\":\"number\"}", {0}},
    {"larger than a double", "[1e400]", "{\"type\":\"number\"}", {0}},
    {"boolean", "[true,false]", "{\"type\":\"boolean\"}", {0}},
    {"null only", "[null]", "{\"type\":\"null\"}", {0}},
    {"nullable", "[null,1]", "{\"type\":[\"integer\",\"null\"]}", {0}},
    {"several types, in a fixed order",
     "[null,[],1,\"x\"]",
     "{\"type\":[\"string\",\"integer\",\"array\",\"null\"],\"items\":{}}",
     {0}},
    {"empty object", "[{}]", "{\"type\":\"object\"" CLOSED, {0}},
    {"required is what all have",
     "[{\"a\":1,\"b\":2},{\"a\":3}]",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},"
     "\"required\":[\"a\"]" CLOSED,
     {0}},
    {"nothing is in all",
     "[{\"a\":1},{\"b\":1}]",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}}" CLOSED,
     {0}},
    {"open",
     "[{\"a\":1}]",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}",
     {.open = true}},
    {"nested",
     "[{\"o\":{\"x\":1}},{\"o\":{\"x\":2,\"y\":null}}]",
     "{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"},"
     "\"y\":{\"type\":\"null\"}},\"required\":[\"x\"]" CLOSED "},\"required\":[\"o\"]" CLOSED,
     {0}},
    {"array", "[[1,2],[3.5]]", "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}", {0}},
    {"empty arrays", "[[],[]]", "{\"type\":\"array\",\"items\":{}}", {0}},
    {"array of objects",
     "[[{\"id\":1},{\"id\":2,\"x\":\"y\"}]]",
     "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},"
     "\"x\":{\"type\":\"string\"}},\"required\":[\"id\"]" CLOSED "}",
     {0}},
    {"enum",
     "[\"low\",\"high\",\"low\",\"high\"]",
     "{\"type\":\"string\",\"enum\":[\"low\",\"high\"]}",
     {0}},
    {"enum and null",
     "[\"low\",\"high\",\"low\",\"high\",null]",
     "{\"type\":[\"string\",\"null\"],\"enum\":[\"low\",\"high\",null]}",
     {0}},
    {"no enum beside numbers",
     "[\"low\",\"high\",\"low\",\"high\",1]",
     "{\"type\":[\"string\",\"integer\"]}",
     {0}},
    {"no enum of one value", "[\"x\",\"x\",\"x\",\"x\"]", "{\"type\":\"string\"}", {0}},
    {"no enum where values do not come again", "[\"a\",\"b\",\"a\"]", "{\"type\":\"string\"}", {0}},
    {"no enum with the empty string", "[\"\",\"b\",\"\",\"b\"]", "{\"type\":\"string\"}", {0}},
    {"no enum when told",
     "[\"low\",\"high\",\"low\",\"high\"]",
     "{\"type\":\"string\"}",
     {.no_enums = true}},
    {"date-time",
     "[\"2026-11-16T10:00:00Z\"]",
     "{\"type\":\"string\",\"format\":\"date-time\"}",
     {0}},
    {"date", "[\"2026-11-16\",\"2024-02-29\"]", "{\"type\":\"string\",\"format\":\"date\"}", {0}},
    {"no such date", "[\"2026-11-16\",\"2026-02-30\"]", "{\"type\":\"string\"}", {0}},
    {"time", "[\"10:00:00Z\"]", "{\"type\":\"string\",\"format\":\"time\"}", {0}},
    {"duration", "[\"PT1H\"]", "{\"type\":\"string\",\"format\":\"duration\"}", {0}},
    {"uuid",
     "[\"7f1d2a3c-0000-4000-8000-123456789abc\"]",
     "{\"type\":\"string\",\"format\":\"uuid\"}",
     {0}},
    {"email", "[\"a@example.com\"]", "{\"type\":\"string\",\"format\":\"email\"}", {0}},
    {"uri", "[\"https://example.com/x\"]", "{\"type\":\"string\",\"format\":\"uri\"}", {0}},
    {"an ID is no uri", "[\"tickets:create_issue\"]", "{\"type\":\"string\"}", {0}},
    {"ipv4", "[\"10.0.0.1\"]", "{\"type\":\"string\",\"format\":\"ipv4\"}", {0}},
    {"ipv6", "[\"::1\",\"fe80::2\"]", "{\"type\":\"string\",\"format\":\"ipv6\"}", {0}},
    {"one word is no format", "[\"localhost\"]", "{\"type\":\"string\"}", {0}},
    {"a format before an enum",
     "[\"10.0.0.1\",\"10.0.0.2\",\"10.0.0.1\",\"10.0.0.2\"]",
     "{\"type\":\"string\",\"format\":\"ipv4\"}",
     {0}},
    {"no format when told", "[\"2026-11-16\"]", "{\"type\":\"string\"}", {.no_formats = true}},
    {"format and null",
     "[\"2026-11-16\",null]",
     "{\"type\":[\"string\",\"null\"],\"format\":\"date\"}",
     {0}},
    {"map by dates",
     "[{\"days\":{\"2026-11-16\":1,\"2026-11-17\":2.5}}]",
     "{\"type\":\"object\",\"properties\":{\"days\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
     "\"number\"}}},\"required\":[\"days\"]" CLOSED,
     {0}},
    {"map by numbers",
     "[[{\"12\":\"a\",\"13\":\"b\"}]]",
     "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}",
     {0}},
    {"the arguments are no map",
     "[{\"1\":1,\"2\":2}]",
     "{\"type\":\"object\",\"properties\":{\"1\":{\"type\":\"integer\"},\"2\":{\"type\":\"integer\"}},"
     "\"required\":[\"1\",\"2\"]" CLOSED,
     {0}},
    {"values of two types make no map",
     "[[{\"12\":\"a\",\"13\":1}]]",
     "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"12\":{\"type\":\"string\"},\"13\":"
     "{\"type\":\"integer\"}},\"required\":[\"12\",\"13\"]" CLOSED "}",
     {0}},
    {"map by many keys", /* 16 keys, two at a time */
     "[[{\"a\":1,\"b\":1},{\"c\":1,\"d\":1},{\"e\":1,\"f\":1},{\"g\":1,\"h\":1},{\"i\":1,\"j\":1},"
     "{\"k\":1,\"l\":1},{\"m\":1,\"n\":1},{\"o\":1,\"p\":1}]]",
     "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}}",
     {0}},
    {"keys with quotes and NUL",
     "[{\"a\\\"\\u0000\":1}]",
     "{\"type\":\"object\",\"properties\":{\"a\\\"\\u0000\":{\"type\":\"integer\"}},\"required\":"
     "[\"a\\\"\\u0000\"]" CLOSED,
     {0}},
};

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    fer_err err = {0};
    assert_int_equal(infer(a, row->examples, &row->options, &out, &err), FER_OK);
    assert_str(out, row->schema);
    fer_arena_free(a);
}

static fer_code attempt(fer_arena *a, const void *given)
{
    const struct row *row = given;
    fer_arena *own = a ? NULL : fer_arena_new(0);
    fer_str out;
    if (!a && !own) return FER_OUT_OF_MEMORY;
    fer_code code = infer(a ? a : own, row->examples, &row->options, &out, NULL);
    if (!code) assert_str(out, row->schema);
    fer_arena_free(own);
    return code;
}

static void torture(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 0);
    assert_true(rows_torture_malloc(attempt, row) > 0);
}

/* ---- limits -----------------------------------------------------------------------------------
 */

static fer_code infer_depth(fer_arena *a, size_t depth)
{
    char text[4 * FER_INFER_DEPTH];
    fer_str out;
    memset(text, '[', depth + 1);
    memset(text + depth + 1, ']', depth + 1);
    text[2 * depth + 2] = '\0';
    return infer(a, text, NULL, &out, NULL);
}

static void depth_at_its_edge(void)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(infer_depth(a, FER_INFER_DEPTH), FER_OK);
    assert_int_equal(infer_depth(a, FER_INFER_DEPTH + 1), FER_LIMIT_EXCEEDED);
    fer_arena_free(a);
}

static void number_of_examples_at_its_edge(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    static const yyjson_val one = {.tag = YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE};
    const size_t max = FER_INFER_EXAMPLES;
    const yyjson_val **list = fer_arena_alloc_zero(a, max + 1, sizeof *list);
    assert_non_null(list);
    for (size_t i = 0; i <= max; i++) list[i] = &one;
    assert_int_equal(fer_schema_infer(a, list, max, NULL, &out, NULL), FER_OK);
    assert_int_equal(fer_schema_infer(a, list, max + 1, NULL, &out, NULL), FER_LIMIT_EXCEEDED);
    assert_int_equal(fer_schema_infer(a, list, 0, NULL, &out, NULL), FER_BAD_USAGE);
    fer_arena_free(a);
}

/* So many different strings, each twice. */
static bool makes_enum(fer_arena *a, size_t count)
{
    fer_buf b;
    fer_str out;
    fer_buf_init(&b, a, 4096);
    fer_buf_add_char(&b, '[');
    for (size_t i = 0; i < 2 * count; i++) fer_buf_printf(&b, "%s\"v%zu\"", i ? "," : "", i / 2);
    fer_buf_add_text(&b, "]");
    fer_buf_add_char(&b, '\0');
    assert_int_equal(infer(a, b.ptr, NULL, &out, NULL), FER_OK);
    return out.len > strlen("{\"type\":\"string\"}");
}

static void enum_at_its_edge(void)
{
    fer_arena *a = fer_arena_new(0);
    assert_true(makes_enum(a, FER_INFER_ENUM));
    assert_false(makes_enum(a, FER_INFER_ENUM + 1));
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("infer", rows, run) + ROWS_RUN("infer: no memory", rows, torture) +
           ROWS_ONE("infer", depth_at_its_edge) +
           ROWS_ONE("infer", number_of_examples_at_its_edge) + ROWS_ONE("infer", enum_at_its_edge);
}
