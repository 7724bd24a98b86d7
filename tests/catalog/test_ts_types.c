/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas as types of TypeScript, and tools as declarations. */
#include "rows.h"
#include "ts_types.h"

#include <ferrule/json.h>

static const struct row {
    const char *name;
    const char *schema;
    const char *type;
} rows[] = {
    {"a text", "{\"type\":\"string\"}", "string"},
    {"an integer", "{\"type\":\"integer\"}", "number"},
    {"several types", "{\"type\":[\"string\",\"null\"]}", "string | null"},
    {"anything", "{}", "unknown"},
    {"true", "true", "unknown"},
    {"a list", "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"}}", "Array<boolean>"},
    {"a list of anything", "{\"type\":\"array\"}", "Array<unknown>"},
    {"a tuple",
     "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"number\"}]}",
     "[string, number]"},
    {"a tuple of draft-07", "{\"type\":\"array\",\"items\":[{\"type\":\"string\"}]}", "[string]"},
    {"words", "{\"enum\":[\"a\",\"b\\\"\",1,-2,true,null]}",
     "\"a\" | \"b\\\"\" | 1 | -2 | true | null"},
    {"a constant", "{\"const\":\"x\"}", "\"x\""},
    {"no words", "{\"enum\":[]}", "never"},
    {"alternatives", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}",
     "(string | number)"},
    {"all of",
     "{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"type\":\"object\",\"properties\":{\"b\":{}}}],"
     "\"$defs\":{\"a\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}}",
     "({ a?: string } & { b?: unknown })"},
    {"an object",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b-c\":{}},"
     "\"required\":[\"a\"]}",
     "{ a: string; \"b-c\"?: unknown }"},
    {"an open object", "{\"type\":\"object\"}", "{ [key: string]: unknown }"},
    {"a closed, empty object", "{\"type\":\"object\",\"additionalProperties\":false}", "{}"},
    {"a map", "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
     "{ [key: string]: number }"},
    {"a description",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"x */\\ny\",\"type\":\"string\"}}}",
     "{ /** x * / y */ a?: string }"},
    {"no such reference", "{\"$ref\":\"#/$defs/none\"}", "unknown"},
    {"another document", "{\"$ref\":\"other.json\"}", "unknown"},
    {"a schema that refers to itself", "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}",
     "Array<Array<Array<Array<Array<Array<unknown>>>>>>"},
};

static fer_code attempt(fer_arena *a, const void *given)
{
    const struct row *row = given;
    fer_json *doc;
    fer_buf b;
    fer_err err = {0};
    fer_code code = fer_json_read(a, fer_str_of(row->schema), NULL, &doc, &err);
    if (code) return code;
    fer_buf_init(&b, a, 65536);
    fer_ts_add_type(&b, fer_json_root(doc), fer_json_root(doc));
    if (b.failure) return fer_buf_code(&b, &err);
    assert_str(fer_buf_view(&b), row->type);
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

static const struct tool_row {
    const char *name;
    const char *record;
    const char *text;
} tool_rows[] = {
    {"a tool",
     "{\"name\":\"count\",\"namespace\":\"text\",\"description\":\"Counts.\",\"inputSchema\":{\"type\":\"object\","
     "\"properties\":{\"t\":{\"type\":\"string\"}},\"required\":[\"t\"]},\"outputSchema\":{\"type\":\"object\","
     "\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}}",
     "/** Counts. */\ndeclare namespace tools.text { function count(args: { t: string }): Promise<{ n: number }>; }\n"},
    {"names that are no identifiers",
     "{\"name\":\"do-it\",\"namespace\":\"my.srv\",\"inputSchema\":{\"type\":\"object\","
     "\"additionalProperties\":false}}",
     "declare namespace tools { function run(id: \"my.srv:do-it\", args?: {}): Promise<unknown>; }\n"},
    {"a reserved word",
     "{\"name\":\"delete\",\"namespace\":\"files\",\"inputSchema\":{\"type\":\"object\","
     "\"additionalProperties\":false}}",
     "declare namespace tools { function run(id: \"files:delete\", args?: {}): Promise<unknown>; }\n"},
    {"no namespace",
     "{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false}}",
     "declare namespace tools { function run(id: \"x\", args?: {}): Promise<unknown>; }\n"},
};

static void run_tool(const struct tool_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_buf b;
    fer_err err = {0};
    assert_int_equal(fer_json_read(a, fer_str_of(row->record), NULL, &doc, &err), FER_OK);
    fer_buf_init(&b, a, 65536);
    fer_ts_add_tool(&b, fer_json_root(doc));
    assert_str(fer_buf_view(&b), row->text);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("types", rows, run) + ROWS_RUN("declarations", tool_rows, run_tool);
}
