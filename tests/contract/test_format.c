/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical notation of definitions (ferrule fmt), and single tools written in Ferrule's own form.
 */
#include <ferrule/contract.h>

#include "format.h"
#include "rows.h"

#define S     "\"inputSchema\":{\"type\":\"object\"}"
#define SHOWN "  \"inputSchema\": {\n    \"type\": \"object\"\n  }"
#define BOM   "\xEF\xBB\xBF"

static const struct row {
    const char *name;
    const char *file;
    const char *text;
    const char *out; /* NULL: not compared, only formatted twice */
    fer_format read_as;
    fer_code code;
    uint32_t line, column;
} rows[] = {
    {"order of fields", "a.json",
     "{\"_meta\":{},\"backend\":[],\"tags\":[],\"description\":\"d\",\"title\":\"t\",\"version\":\"1.0.0\"," S
     ",\"namespace\":\"n\",\"effect\":\"Pure\",\"name\":\"a\"}",
     "{\n  \"name\": \"a\",\n  \"namespace\": \"n\",\n  \"version\": \"1.0.0\",\n  \"title\": \"t\",\n"
     "  \"description\": \"d\",\n  \"tags\": [],\n" SHOWN
     ",\n  \"effect\": \"Pure\",\n  \"backend\": [],\n"
     "  \"_meta\": {}\n}\n",
     FER_FORMAT_JSON},
    {"unknown keys last, in their order", "a.json",
     "{\"zz\":1,\"aa\":{\"y\":1,\"x\":2}," S ",\"name\":\"a\",\"mm\":null}",
     "{\n  \"name\": \"a\",\n" SHOWN
     ",\n  \"zz\": 1,\n  \"aa\": {\n    \"y\": 1,\n    \"x\": 2\n  },\n  \"mm\": null\n}\n",
     FER_FORMAT_JSON},
    {"keys of a schema stay", "a.json",
     "{\"inputSchema\":{\"type\":\"object\",\"description\":\"x\",\"$schema\":\"y\"},\"name\":\"a\"}",
     "{\n  \"name\": \"a\",\n  \"inputSchema\": {\n    \"type\": \"object\",\n    \"description\": \"x\",\n    \"$schema\": \"y\"\n  }\n}\n",
     FER_FORMAT_JSON},
    {"list", "a.json", "[{" S ",\"name\":\"a\"},{" S ",\"name\":\"b\"}]",
     "[\n  {\n    \"name\": \"a\",\n    \"inputSchema\": {\n      \"type\": \"object\"\n    }\n  },\n"
     "  {\n    \"name\": \"b\",\n    \"inputSchema\": {\n      \"type\": \"object\"\n    }\n  }\n]\n",
     FER_FORMAT_JSON},
    {"empty list", "a.json", " [ ] ", "[]\n", FER_FORMAT_JSON},
    {"what stands around the list stays", "a.json",
     "{\"source\":\"s\",\"tools\":[{" S ",\"name\":\"a\"}],\"nextCursor\":\"c\"}",
     "{\n  \"source\": \"s\",\n  \"tools\": [\n    {\n      \"name\": \"a\",\n      \"inputSchema\": {\n        \"type\": \"object\"\n"
     "      }\n    }\n  ],\n  \"nextCursor\": \"c\"\n}\n",
     FER_FORMAT_JSON},
    {"response", "a.json",
     "{\"result\":{\"tools\":[{" S ",\"name\":\"a\"}]},\"id\":1,\"jsonrpc\":\"2.0\"}",
     "{\n  \"result\": {\n    \"tools\": [\n      {\n        \"name\": \"a\",\n        \"inputSchema\": {\n          \"type\": \"object\"\n"
     "        }\n      }\n    ]\n  },\n  \"id\": 1,\n  \"jsonrpc\": \"2.0\"\n}\n",
     FER_FORMAT_JSON},
    {"chat is only spaced anew", "a.json",
     "[{\"function\":{\"parameters\":{},\"name\":\"a\"},\"type\":\"function\"}]",
     "[\n  {\n    \"function\": {\n      \"parameters\": {},\n      \"name\": \"a\"\n    },\n    \"type\": \"function\"\n  }\n]\n",
     FER_FORMAT_JSON},
    {"anthropic is only spaced anew", "a.json", "{\"input_schema\":{},\"name\":\"a\"}",
     "{\n  \"input_schema\": {},\n  \"name\": \"a\"\n}\n", FER_FORMAT_JSON},
    {"bedrock is only spaced anew", "a.json",
     "{\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"inputSchema\":{\"json\":{}},\"name\":\"a\"}}]}}",
     "{\n  \"toolConfig\": {\n    \"tools\": [\n      {\n        \"toolSpec\": {\n          \"inputSchema\": {\n            \"json\": {}\n"
     "          },\n          \"name\": \"a\"\n        }\n      }\n    ]\n  }\n}\n",
     FER_FORMAT_JSON},
    {"gemini is only spaced anew", "a.json",
     "{\"functionDeclarations\":[{\"parameters\":{},\"name\":\"a\"}]}",
     "{\n  \"functionDeclarations\": [\n    {\n      \"parameters\": {},\n      \"name\": \"a\"\n    }\n  ]\n}\n",
     FER_FORMAT_JSON},
    {"exact numbers", "a.json",
     "{\"name\":\"a\"," S
     ",\"x\":[1234567890123456789012345678901234567890,0.1234567890123456789012345,1e400,9007199254740993,18446744073709551616]}",
     "{\n  \"name\": \"a\",\n" SHOWN
     ",\n  \"x\": [\n    1234567890123456789012345678901234567890,\n    0.1234567890123456789012345,\n"
     "    1e400,\n    9007199254740993,\n    18446744073709551616\n  ]\n}\n",
     FER_FORMAT_JSON},
    {"characters stay", "a.json",
     "{\"name\":\"a\",\"title\":\"\\u00e4\\ud83d\\udd25\\u0000\\n\\/\"," S "}",
     "{\n  \"name\": \"a\",\n  \"title\": \"\xC3\xA4\xF0\x9F\x94\xA5\\u0000\\n/\",\n" SHOWN "\n}\n",
     FER_FORMAT_JSON},
    {"a record without its schema", "a.json", "{\"title\":\"t\",\"name\":\"a\"}",
     "{\n  \"name\": \"a\",\n  \"title\": \"t\"\n}\n", FER_FORMAT_JSON},
    {"fields of the wrong type stay", "a.json", "{" S ",\"tags\":7,\"name\":null}",
     "{\n  \"name\": null,\n  \"tags\": 7,\n" SHOWN "\n}\n", FER_FORMAT_JSON},
    {"byte order mark goes", "a.json", BOM "{" S ",\"name\":\"a\"}",
     "{\n  \"name\": \"a\",\n" SHOWN "\n}\n", FER_FORMAT_JSON},
    {"a tool with an unknown key tools", "a.json",
     "{\"tools\":[{\"title\":1,\"name\":2}]," S ",\"name\":\"a\"}",
     "{\n  \"name\": \"a\",\n" SHOWN
     ",\n  \"tools\": [\n    {\n      \"title\": 1,\n      \"name\": 2\n    }\n  ]\n}\n",
     FER_FORMAT_JSON},
    {"a list with a name keeps its keys", "a.json",
     "{\"tools\":[{" S ",\"name\":\"a\"}],\"name\":\"pack\"}",
     "{\n  \"tools\": [\n    {\n      \"name\": \"a\",\n      \"inputSchema\": {\n        \"type\": \"object\"\n      }\n    }\n  ],\n"
     "  \"name\": \"pack\"\n}\n",
     FER_FORMAT_JSON},
    /* JSON Lines */
    {"lines", "a.jsonl", "{" S ",\"name\":\"a\"}\r\n\n {\"x\":1,\"name\":\"b\"," S "} \n",
     "{\"name\":\"a\"," S "}\n{\"name\":\"b\"," S ",\"x\":1}\n", FER_FORMAT_JSON_LINES},
    {"lines without an end", "-", "{" S ",\"name\":\"a\"}\n{" S ",\"name\":\"b\"}",
     "{\"name\":\"a\"," S "}\n{\"name\":\"b\"," S "}\n", FER_FORMAT_JSON_LINES},
    {"no lines", "a.jsonl", "\n \n", "", FER_FORMAT_JSON_LINES},
    {"lines with a byte order mark", "a.jsonl", BOM "{" S ",\"name\":\"a\"}\n",
     "{\"name\":\"a\"," S "}\n", FER_FORMAT_JSON_LINES},
    {"a byte order mark on a line of its own", "a.jsonl", BOM "\n{" S ",\"name\":\"a\"}\n",
     "{\"name\":\"a\"," S "}\n", FER_FORMAT_JSON_LINES},
    /* YAML */
    {"yaml becomes JSON", "a.yaml",
     "# a tool\ninputSchema:\n  type: object\nx: [1, 2.5, yes]\nname: a\n",
     "{\n  \"name\": \"a\",\n" SHOWN ",\n  \"x\": [\n    1,\n    2.5,\n    \"yes\"\n  ]\n}\n",
     FER_FORMAT_YAML},
    {"yaml list", "a.yml", "tools:\n- {inputSchema: {type: object}, name: a}\n",
     "{\n  \"tools\": [\n    {\n      \"name\": \"a\",\n      \"inputSchema\": {\n        \"type\": \"object\"\n      }\n    }\n  ]\n}\n",
     FER_FORMAT_YAML},
    /* failures */
    {"key twice", "a.json", "{\"name\":\"a\",\n\"name\":\"b\"}", NULL, FER_FORMAT_JSON,
     FER_DUPLICATE_KEY, 2, 1},
    {"broken", "a.json", "[1,\n 2,]", NULL, FER_FORMAT_JSON, FER_INVALID_JSON, 2, 3},
    {"broken line", "a.jsonl", "{\"name\":\"a\"}\n\n {]", NULL, FER_FORMAT_JSON, FER_INVALID_JSON,
     3, 3},
    {"not tools", "a.json", "{\"compilerOptions\":{}}", NULL, FER_FORMAT_JSON, FER_UNKNOWN_SHAPE, 0,
     0},
    {"broken yaml", "a.yaml", "a: [", NULL, FER_FORMAT_YAML, FER_INVALID_YAML, 0, 0},
};

static void formats(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    fer_format read_as = FER_FORMAT_AUTO, again_as;
    fer_str out = {NULL, 0}, again;
    fer_code code = fer_format_definitions(a, fer_str_of(row->file), fer_str_of(row->text),
                                           FER_FORMAT_AUTO, &read_as, &out, &err);
    if (code != row->code) fail_msg("%s %s", fer_code_info(code)->name, err.message);
    if (code) {
        assert_null(out.ptr); /* untouched */
        assert_int_equal(read_as, FER_FORMAT_AUTO);
        if (row->line && (err.line != row->line || err.column != row->column))
            fail_msg("at %u:%u, not %u:%u: %s", err.line, err.column, row->line, row->column,
                     err.message);
        fer_arena_free(a);
        return;
    }
    assert_int_equal(read_as, row->read_as);
    assert_str(out, row->out);
    /* Once more changes nothing. */
    fer_format same = read_as == FER_FORMAT_YAML ? FER_FORMAT_JSON : read_as;
    assert_int_equal(fer_format_definitions(a, FER_STR("-"), out, same, &again_as, &again, &err),
                     FER_OK);
    assert_true(fer_str_eq(out, again));
    fer_arena_free(a);
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_format read_as;
    fer_str out;
    fer_code code = fer_format_definitions(a, fer_str_of(row->file), fer_str_of(row->text),
                                           FER_FORMAT_AUTO, &read_as, &out, NULL);
    if (!code) assert_str(out, row->out);
    return code;
}

static void without_memory(void)
{
    assert_true(rows_torture_arena(attempt, &rows[0]) > 1);
    assert_true(rows_torture_arena(attempt, &rows[3]) > 1);
}

/* ---- single tools -------------------------------------------------------------------- */

static const struct written {
    const char *name;
    const char *text;
    const char *out; /* on one line */
} written[] = {
    {"a record", "{\"x\":1," S ",\"tags\":[\"B\",\"b\"],\"name\":\"a\"}",
     "{\"name\":\"a\",\"tags\":[\"B\",\"b\"]," S ",\"x\":1}"},
    {"what is wrong goes out as it came", "{\"name\":7," S ",\"notes\":[]}",
     "{\"name\":7," S ",\"notes\":[]}"},
    {"contract fields stay under _meta",
     "{" S ",\"name\":\"a\",\"_meta\":{\"ferrule\":{\"effect\":\"Pure\"}}}",
     "{\"name\":\"a\"," S ",\"_meta\":{\"ferrule\":{\"effect\":\"Pure\"}}}"},
    {"anthropic",
     "{\"input_schema\":{\"type\":\"object\"},\"cache_control\":{},\"description\":\"d\",\"name\":\"a\"}",
     "{\"name\":\"a\",\"description\":\"d\"," S ",\"cache_control\":{}}"},
    {"chat",
     "{\"type\":\"function\",\"function\":{\"strict\":true,\"parameters\":{\"type\":\"object\"},\"name\":\"a\"}}",
     "{\"name\":\"a\"," S ",\"strict\":true}"},
    {"bedrock", "{\"toolSpec\":{\"inputSchema\":{\"json\":{\"type\":\"object\"}},\"name\":\"a\"}}",
     "{\"name\":\"a\"," S "}"},
    {"gemini",
     "{\"functionDeclarations\":[{\"response\":{\"type\":\"string\"},\"parameters\":{\"type\":\"object\"},\"name\":\"a\"}]}",
     "{\"name\":\"a\"," S ",\"outputSchema\":{\"type\":\"string\"}}"},
    {"bare function", "{\"parameters\":{\"type\":\"object\"},\"name\":\"a\"}",
     "{\"name\":\"a\"," S "}"},
    {"exact numbers", "{\"name\":\"a\"," S ",\"n\":12345678901234567890123}",
     "{\"name\":\"a\"," S ",\"n\":12345678901234567890123}"},
};

static void writes(const struct written *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = fer_toolset_new(), *again = fer_toolset_new();
    fer_str out;
    char before[FER_HASH_TEXT], after[FER_HASH_TEXT];
    assert_int_equal(
        fer_toolset_add(set, FER_STR("-"), fer_str_of(row->text), FER_FORMAT_JSON, NULL), FER_OK);
    assert_int_equal(fer_tool_write(a, fer_toolset_get(set, 0), false, &out, NULL), FER_OK);
    assert_str(out, row->out);
    /* What was written is the same tool. */
    assert_int_equal(fer_tool_definition_hash(a, fer_toolset_get(set, 0), before, NULL), FER_OK);
    assert_int_equal(fer_tool_write(a, fer_toolset_get(set, 0), true, &out, NULL), FER_OK);
    assert_int_equal(fer_toolset_add(again, FER_STR("-"), out, FER_FORMAT_JSON, NULL), FER_OK);
    assert_int_equal(fer_tool_definition_hash(a, fer_toolset_get(again, 0), after, NULL), FER_OK);
    assert_string_equal(before, after);
    fer_toolset_free(set);
    fer_toolset_free(again);
    fer_arena_free(a);
}

static fer_code write_attempt(fer_arena *a, const void *set)
{
    fer_str out;
    fer_code code = fer_tool_write(a, fer_toolset_get(set, 0), false, &out, NULL);
    if (!code) assert_str(out, written[0].out);
    return code;
}

static void writes_without_memory(void)
{
    fer_toolset *set = fer_toolset_new();
    assert_int_equal(
        fer_toolset_add(set, FER_STR("-"), fer_str_of(written[0].text), FER_FORMAT_JSON, NULL),
        FER_OK);
    assert_true(rows_torture_arena(write_attempt, set) > 1);
    fer_toolset_free(set);
}

int main(void)
{
    return ROWS_RUN("format", rows, formats) + ROWS_ONE("format", without_memory) +
           ROWS_RUN("write", written, writes) + ROWS_ONE("write", writes_without_memory);
}
