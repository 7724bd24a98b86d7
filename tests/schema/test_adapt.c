/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapting: what is changed, by which options, and that the changes listed lead to the result.
 * Without options, nothing changes; a valid instance is changed by its defaults alone.
 */
#include <ferrule/schema.h>

#include "buf.h"
#include "rows.h"

enum {
    DEFAULTS = 1,
    REPAIR = 2,
    STRIP = 4,
    NULLS = 8,
    ALL = 15,
    CONTENT = 16, /* contentSchema is checked */
};

static const struct row {
    const char *name;
    unsigned how;
    const char *schema, *instance;
    const char *becomes;
    const char *changes; /* op and place of each */
    bool valid;
} rows[] = {
    {"nothing without options", 0, "{\"type\":\"integer\"}", "\"1\"", "\"1\"", "", false},
    {"a number in quotes", REPAIR, "{\"type\":\"integer\"}", "\" 42 \"", "42", "replace ", true},
    {"no number", REPAIR, "{\"type\":\"integer\"}", "\"0x10\"", "\"0x10\"", "", false},
    {"JSON in a string", REPAIR, "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
     "\"[1,\\\"2\\\"]\"", "[1,2]", "replace , replace /1", true},
    {"a parent and its child", REPAIR,
     "{\"allOf\":[{\"type\":\"array\"},{\"properties\":{\"x\":{\"type\":\"integer\"}}}]}",
     "{\"x\":\"1\"}", "[{\"x\":\"1\"}]", "replace ", true},
    {"enum is strict", REPAIR, "{\"type\":\"string\",\"enum\":[\"1\"]}", "1", "1", "", false},
    {"enum is strict in a branch", REPAIR,
     "{\"anyOf\":[{\"type\":\"string\",\"enum\":[\"1\"]},{\"type\":\"null\"}]}", "1", "1", "",
     false},
    {"const is strict in a branch", REPAIR,
     "{\"oneOf\":[{\"type\":\"integer\",\"const\":1},{\"type\":\"null\"}]}", "\"1\"", "\"1\"", "",
     false},
    {"unknown properties", STRIP, "{\"properties\":{\"a\":{}},\"additionalProperties\":false}",
     "{\"b\":1,\"a\":2,\"c\":{}}", "{\"a\":2}", "remove /b, remove /c", true},
    {"nulls", NULLS, "{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":null,\"b\":null}",
     "{\"b\":null}", "remove /a", true},
    {"defaults", DEFAULTS,
     "{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":2}},\"required\":[\"b\"]}", "{}",
     "{\"b\":2,\"a\":1}", "add /b, add /a", true},
    {"defaults inside defaults", DEFAULTS,
     "{\"properties\":{\"a\":{\"default\":{},\"properties\":{\"b\":{\"default\":[]}}}}}", "{}",
     "{\"a\":{\"b\":[]}}", "add /a, add /a/b", true},
    {"a default that does not fit", DEFAULTS,
     "{\"properties\":{\"a\":{\"type\":\"integer\",\"default\":\"x\"},\"b\":{\"default\":1}}}",
     "{}", "{\"b\":1}", "add /b", true},
    {"a default that demands more", DEFAULTS,
     "{\"properties\":{\"a\":{\"default\":1}},\"dependentRequired\":{\"a\":[\"c\"]}}", "{}", "{}",
     "", true},
    {"defaults of the branch that matched", DEFAULTS,
     "{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"a\"},\"x\":{\"default\":1}}},"
     "{\"properties\":{\"k\":{\"const\":\"b\"},\"y\":{\"default\":2}}}]}",
     "{\"k\":\"b\"}", "{\"k\":\"b\",\"y\":2}", "add /y", true},
    {"no defaults of not and if", DEFAULTS,
     "{\"not\":{\"required\":[\"z\"],\"properties\":{\"x\":{\"default\":1}}},"
     "\"if\":{\"properties\":{\"q\":{\"default\":1}}},\"then\":{\"properties\":{\"t\":{\"default\":"
     "1}}}}",
     "{}", "{\"t\":1}", "add /t", true},
    {"no defaults beside $ref in draft-07", DEFAULTS,
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"allOf\":[{\"$ref\":"
     "\"#/definitions/a\",\"properties\":{\"x\":{\"default\":1}}}],\"definitions\":{\"a\":{"
     "\"properties\":{\"y\":{\"default\":2}}}}}",
     "{}", "{\"y\":2}", "add /y", true},
    {"what a string holds is left", ALL | CONTENT,
     "{\"items\":{\"contentMediaType\":\"application/json\",\"contentSchema\":{"
     "\"additionalProperties\":false,\"required\":[\"q\"],\"properties\":{\"q\":{\"default\":1}}}}}",
     "[\"{\\\"z\\\":1}\"]", "[\"{\\\"z\\\":1}\"]", "", false},
    {"defaults of what a string holds are left", ALL | CONTENT,
     "{\"contentMediaType\":\"application/json\",\"contentSchema\":{\"properties\":{\"q\":{"
     "\"default\":1}}}}",
     "\"{}\"", "\"{}\"", "", true},
    {"what a model sends", ALL,
     "{\"properties\":{\"n\":{\"type\":\"integer\"},\"b\":{\"type\":\"boolean\"},\"l\":{\"type\":"
     "\"array\",\"items\":{\"type\":\"string\"}},\"o\":{\"type\":\"object\",\"properties\":{\"x\":{"
     "\"type\":\"number\"}}}},\"additionalProperties\":false}",
     "{\"n\":\"42\",\"b\":\"True\",\"l\":\"a\",\"o\":\"{\\\"x\\\":\\\"1.5\\\"}\",\"extra\":1}",
     "{\"n\":42,\"b\":true,\"l\":[\"a\"],\"o\":{\"x\":1.5}}",
     "replace /n, replace /b, replace /l, replace /o, remove /extra, replace /o/x", true},
};

static void adapts(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    fer_schema *s = NULL;
    fer_json *doc;
    fer_adapted out;
    fer_str text;
    fer_buf changes;
    const fer_schema_options options = {.assert_content = row->how & CONTENT};
    const fer_adapt_options how = {row->how & DEFAULTS, row->how & REPAIR, row->how & STRIP,
                                   row->how & NULLS};
    assert_int_equal(fer_schema_compile(fer_str_of(row->schema), &options, &s, &err), FER_OK);
    assert_int_equal(fer_json_read(a, fer_str_of(row->instance), NULL, &doc, &err), FER_OK);
    assert_int_equal(fer_schema_adapt(a, s, doc, NULL, &how, NULL, &out, &err), FER_OK);
    assert_int_equal(fer_json_write(a, out.value, false, &text, &err), FER_OK);
    fer_buf_init(&changes, a, 4096);
    for (size_t i = 0; i < out.change_count; i++) {
        fer_buf_printf(&changes, "%s%s %.*s", i ? ", " : "", out.changes[i].op,
                       FER_PRI(out.changes[i].pointer));
    }
    assert_string_equal(fer_arena_copy(a, text).ptr, row->becomes);
    assert_string_equal(changes.ptr ? fer_arena_copy(a, fer_buf_view(&changes)).ptr : "",
                        row->changes);
    assert_int_equal(fer_result_valid(out.result), row->valid);
    fer_schema_unref(s);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("adapt", rows, adapts);
}
