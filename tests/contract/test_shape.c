/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shapes and containers that tools come in: recognised, counted and named; refused
 * at the right place; and read on behind an entry that could not be read.
 */
#include <ferrule/contract.h>

#include "json_value.h"
#include "rows.h"
#include "toolset.h"

#define S      "{\"type\":\"object\"}"
#define MCP(n) "{\"name\":\"" n "\",\"inputSchema\":" S "}"
#define OWN(n) "{\"name\":\"" n "\",\"tags\":[],\"inputSchema\":" S "}"
#define CHAT(n)                                                                                    \
    "{\"type\":\"function\",\"function\":{\"name\":\"" n "\",\"parameters\":" S ",\"strict\":true}}"
#define RESP(n)   "{\"type\":\"function\",\"name\":\"" n "\",\"parameters\":" S ",\"strict\":true}"
#define CLAUDE(n) "{\"name\":\"" n "\",\"input_schema\":" S "}"
#define BARE(n)   "{\"name\":\"" n "\",\"description\":\"d\",\"parameters\":" S "}"
#define SPEC(n)   "{\"toolSpec\":{\"name\":\"" n "\",\"inputSchema\":{\"json\":" S "}}}"
#define BOM       "\xEF\xBB\xBF"

static const struct row {
    const char *name;
    const char *file; /* its ending decides the format */
    const char *text;
    const char *shape; /* of all tools; NULL: not checked */
    const char *names; /* blanks between */
    const char *found; /* rules of findings in their order */
    fer_code code;
    uint32_t line, column; /* of a failure */
    const char *says;      /* part of its message */
} rows[] = {
    /* each shape */
    {"mcp", "a.json", MCP("a"), "mcp", "a", ""},
    {"ferrule", "a.json", OWN("a"), "ferrule", "a", ""},
    {"mcp without a schema", "a.json", "{\"name\":\"a\"}", "mcp", "a", "field.required"},
    {"openai chat", "a.json", CHAT("a"), "openai", "a", ""},
    {"openai responses", "a.json", RESP("a"), "openai-responses", "a", ""},
    {"openai without parameters", "a.json", "{\"type\":\"function\",\"function\":{\"name\":\"a\"}}",
     "openai", "a", "schema.root-missing"},
    {"gemini with types in upper case", "a.json",
     "{\"functionDeclarations\":[{\"name\":\"a\",\"parameters\":{\"type\":\"OBJECT\"}}]}", "gemini",
     "a", ""},
    {"anthropic", "a.json", CLAUDE("a"), "anthropic", "a", ""},
    {"anthropic with a type", "a.json",
     "{\"type\":\"custom\",\"name\":\"a\",\"input_schema\":" S "}", "anthropic", "a", ""},
    {"gemini", "a.json", "{\"functionDeclarations\":[" BARE("a") "," BARE("b") "]}", "gemini",
     "a b", ""},
    {"gemini in snake case", "a.json", "{\"function_declarations\":[" BARE("a") "," BARE("b") "]}",
     "gemini", "a b", ""},
    {"gemini with JSON Schema", "a.json",
     "{\"functionDeclarations\":[{\"name\":\"a\",\"parametersJsonSchema\":" S
     ",\"responseJsonSchema\":{}}]}",
     "gemini", "a", ""},
    {"gemini with JSON Schema in snake case", "a.json",
     "{\"function_declarations\":[{\"name\":\"a\",\"parameters_json_schema\":" S "}]}", "gemini",
     "a", ""},
    {"bedrock", "a.json", SPEC("a"), "bedrock", "a", ""},
    {"bedrock without json", "a.json", "{\"toolSpec\":{\"name\":\"a\",\"inputSchema\":" S "}}",
     "bedrock", "a", "field.required"},
    {"bare function", "a.json", BARE("a"), "function", "a", ""},
    {"bare function with JSON Schema", "a.json",
     "{\"name\":\"a\",\"parameters_json_schema\":" S "}", "function", "a", ""},
    /* each container */
    {"list", "a.json", "[" MCP("a") "," MCP("b") "]", "mcp", "a b", ""},
    {"empty list", "a.json", "[]", NULL, "", ""},
    {"empty list with blanks", "a.json", " [ \n ] ", NULL, "", ""},
    {"tools", "a.json", "{\"tools\":[" MCP("a") "," MCP("b") "]}", "mcp", "a b", ""},
    {"tools, empty", "a.json", "{\"tools\":[]}", NULL, "", ""},
    {"functions", "a.json", "{\"functions\":[" BARE("a") "," BARE("b") "]}", "function", "a b", ""},
    {"tools/list result", "a.json", "{\"tools\":[" MCP("a") "],\"nextCursor\":\"x\",\"_meta\":{}}",
     "mcp", "a", ""},
    {"tools behind other keys", "a.json",
     "{\"source\":\"[{\\\"x\",\"o\":{\"tools\":[1]},\"tools\":[" MCP("a") "]}", "mcp", "a", ""},
    {"JSON-RPC response", "a.json",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[" MCP("a") "]}}", "mcp", "a", ""},
    {"request of the chat API", "a.json",
     "{\"model\":\"m\",\"tools\":[" CHAT("a") "," CHAT("b") "],\"messages\":[]}", "openai", "a b",
     ""},
    {"request of the Responses API", "a.json", "{\"tools\":[" RESP("a") "]}", "openai-responses",
     "a", ""},
    {"request of Anthropic", "a.json", "{\"tools\":[" CLAUDE("a") "," CLAUDE("b") "]}", "anthropic",
     "a b", ""},
    {"request of Gemini", "a.json",
     "{\"tools\":[{\"functionDeclarations\":[" BARE("a") "]},{\"functionDeclarations\":[" BARE(
         "b") "," BARE("c") "]}]}",
     "gemini", "a b c", ""},
    {"no declarations", "a.json",
     "[{\"functionDeclarations\":[]},{\"functionDeclarations\":[" BARE("b") "]}]", "gemini", "b",
     ""},
    {"request of Bedrock", "a.json", "{\"toolConfig\":{\"tools\":[" SPEC("a") "," SPEC("b") "]}}",
     "bedrock", "a b", ""},
    {"tool configuration of Bedrock", "a.json", "{\"tools\":[" SPEC("a") "]}", "bedrock", "a", ""},
    {"list of chat tools", "a.json", "[" CHAT("a") "," CHAT("b") "]", "openai", "a b", ""},
    {"escaped key", "a.json", "{\"\\u0074ools\":[" MCP("a") "]}", "mcp", "a", ""},
    {"byte order mark", "a.json", BOM "[" MCP("a") "]", "mcp", "a", ""},
    {"byte order mark before an object", "a.json", BOM " {\"tools\":[" MCP("a") "]}", "mcp", "a",
     ""},
    {"records with and without own fields", "a.json", "[" MCP("a") "," OWN("b") "," MCP("c") "]",
     NULL, "a b c", ""},
    /* A record is a record, whatever else is in it. */
    {"a tool with an unknown key tools", "a.json",
     "{\"name\":\"a\",\"inputSchema\":" S ",\"tools\":[{\"x\":1}]}", "mcp", "a", ""},
    {"a list with a name", "a.json", "{\"name\":\"pack\",\"tools\":[" MCP("a") "]}", "mcp", "a",
     ""},
    {"a list with a name in YAML", "a.yaml", "name: pack\ntools: [" MCP("a") "]\n", "mcp", "a", ""},
    /* JSON Lines */
    {"lines", "a.jsonl", MCP("a") "\n" MCP("b") "\n", "mcp", "a b", ""},
    {"lines by ndjson", "a.ndjson", MCP("a") "\n" MCP("b"), "mcp", "a b", ""},
    {"lines without a telling name", "-", MCP("a") "\n" MCP("b"), "mcp", "a b", ""},
    {"lines with blank ones", "a.jsonl", "\n \n" MCP("a") "\n\n\t\n" MCP("b") "\n\n", "mcp", "a b",
     ""},
    {"lines ended by CRLF", "a.jsonl", MCP("a") "\r\n\r\n" MCP("b") "\r\n", "mcp", "a b", ""},
    {"lines with a byte order mark", "a.jsonl", BOM MCP("a") "\n" MCP("b"), "mcp", "a b", ""},
    {"a byte order mark on a line of its own", "a.jsonl", BOM "\n" MCP("a"), "mcp", "a", ""},
    {"no lines", "a.jsonl", "", NULL, "", ""},
    {"lines of chat tools", "a.jsonl", CHAT("a") "\n" CHAT("b"), "openai", "a b", ""},
    {"one line without a telling name", "-", MCP("a"), "mcp", "a", ""},
    /* YAML */
    {"yaml", "a.yaml", "name: a\ninputSchema:\n  type: object\n", "mcp", "a", ""},
    {"yaml list", "a.yml", "- name: a\n  tags: []\n  inputSchema: {type: object}\n- " OWN("b") "\n",
     "ferrule", "a b", ""},
    {"yaml tools", "a.yaml", "tools:\n- name: a\n  input_schema: {type: object}\n", "anthropic",
     "a", ""},
    {"yaml without a telling name", "-", "tools:\n- name: a\n  inputSchema: {type: object}\n",
     "mcp", "a", ""},
    {"yaml gemini", "a.yaml", "functionDeclarations:\n- {name: a, parameters: {type: object}}\n",
     "gemini", "a", ""},
    {"yaml response", "a.yaml",
     "jsonrpc: '2.0'\nresult:\n  tools:\n  - {name: a, inputSchema: {type: object}}\n", "mcp", "a",
     ""},
    /* tools of the provider's own */
    {"web search among functions", "a.json", "[{\"type\":\"web_search\"}," RESP("a") "]",
     "openai-responses", "a", "tool.builtin"},
    {"a dated tool of Anthropic's", "a.json",
     "[" CLAUDE("a") ",{\"type\":\"bash_20250124\",\"name\":\"bash\"}]", "anthropic", "a",
     "tool.builtin"},
    {"cache point of Bedrock", "a.json",
     "{\"toolConfig\":{\"tools\":[" SPEC("a") ",{\"cachePoint\":{\"type\":\"default\"}}]}}",
     "bedrock", "a", "tool.builtin"},
    {"only such tools", "a.json", "[{\"type\":\"x\"},{\"type\":\"y\"}]", NULL, "",
     "tool.builtin tool.builtin"},
    /* mixtures */
    {"mcp then openai", "a.json", "[" MCP("a") ",\n " CHAT("b") "]", "mcp", "a", "",
     FER_MIXED_SHAPES, 2, 2, "tool 2"},
    {"chat then responses", "a.json", "[" CHAT("a") "," RESP("b") "]", "openai", "a", "",
     FER_MIXED_SHAPES, 1, 0, "tool 2"},
    {"anthropic then bedrock", "a.json", "[" CLAUDE("a") "," SPEC("b") "]", NULL, "a", "",
     FER_MIXED_SHAPES, 1, 0, NULL},
    {"bare then gemini", "a.json", "[" BARE("a") ",{\"functionDeclarations\":[]}]", NULL, "a", "",
     FER_MIXED_SHAPES, 1, 0, NULL},
    {"mixed lines", "a.jsonl", MCP("a") "\n\n  " CLAUDE("b"), "mcp", "a", "", FER_MIXED_SHAPES, 3,
     3, NULL},
    {"mixed in yaml", "a.yaml",
     "- {name: a, inputSchema: {type: object}}\n- {name: b, input_schema: {}}\n", "mcp", "a", "",
     FER_MIXED_SHAPES, 2, 3, NULL},
    /* nothing known */
    {"empty object", "a.json", "{}", NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0, "no known shape"},
    {"number", "a.json", "42", NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0, "no known shape"},
    {"null", "a.json", "null", NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0, NULL},
    {"tools is no list", "a.json", "{\"tools\":{}}", NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0, NULL},
    {"list of numbers", "a.json", "[1]", NULL, "", "", FER_UNKNOWN_SHAPE, 1, 2, "tool 1"},
    {"list of lists", "a.json", "[[]]", NULL, "", "", FER_UNKNOWN_SHAPE, 1, 2, "tool 1"},
    {"second entry unknown", "a.json", "[" MCP("a") ",\n{\"x\":1}]", "mcp", "a", "",
     FER_UNKNOWN_SHAPE, 2, 1, "tool 2"},
    {"toolSpec is no object", "a.json", "[{\"toolSpec\":1}]", NULL, "", "", FER_UNKNOWN_SHAPE, 1, 2,
     NULL},
    {"declaration is no object", "a.json", "[{\"functionDeclarations\":[7]}]", NULL, "", "",
     FER_UNKNOWN_SHAPE, 1, 27, NULL},
    {"declarations are no list", "a.json", "[{\"functionDeclarations\":{\"name\":\"a\"}}]", NULL,
     "", "", FER_UNKNOWN_SHAPE, 1, 2, NULL},
    {"list under an empty key", "a.json", "{\"\":{\"tools\":[" MCP("a") "]}}", NULL, "", "",
     FER_UNKNOWN_SHAPE, 0, 0, NULL},
    {"list under another key", "a.json", "{\"data\":{\"tools\":[" MCP("a") "]}}", NULL, "", "",
     FER_UNKNOWN_SHAPE, 0, 0, NULL},
    {"list two results down", "a.json", "{\"result\":{\"result\":{\"tools\":[" MCP("a") "]}}}",
     NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0, NULL},
    {"JSON-RPC error", "a.json",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}",
     NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0,
     "JSON-RPC error response, not a list of tools: no such method"},
    {"JSON-RPC error without a message", "a.json", "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1}}",
     NULL, "", "", FER_UNKNOWN_SHAPE, 0, 0, "no message"},
    /* broken text */
    {"empty text", "a.json", "", NULL, "", "", FER_INVALID_JSON, 1, 1, "empty"},
    {"missing comma", "a.json", "[" MCP("a") "\n " MCP("b") "]", "mcp", "a", "", FER_INVALID_JSON,
     2, 2, "comma"},
    {"comma at the end", "a.json", "[" MCP("a") ",\n]", "mcp", "a", "", FER_INVALID_JSON, 2, 1,
     "take the comma out"},
    {"comma in front", "a.json", "[,\n" MCP("a") "]", NULL, "", "", FER_INVALID_JSON, 1, 2, NULL},
    {"only a comma", "a.json", "[,]", NULL, "", "", FER_INVALID_JSON, 1, 2, NULL},
    {"two commas", "a.json", "[" MCP("a") ",\n," MCP("b") "]", "mcp", "a", "", FER_INVALID_JSON, 2,
     1, NULL},
    {"list not closed", "a.json", "[\n" MCP("a"), "mcp", "a", "", FER_INVALID_JSON, 2, 45,
     "ends too early"},
    {"list not closed behind a comma", "a.json", "[" MCP("a") ",\n", "mcp", "a", "",
     FER_INVALID_JSON, 2, 1, "ends too early"},
    {"only the bracket", "a.json", "[", NULL, "", "", FER_INVALID_JSON, 1, 2, "ends too early"},
    {"closed by a brace", "a.json", "[" MCP("a") "\n}", "mcp", "a", "", FER_INVALID_JSON, 2, 1,
     NULL},
    {"object not closed", "a.json", "{\"tools\":[" MCP("a") "]\n", "mcp", "a", "", FER_INVALID_JSON,
     2, 1, "ends too early"},
    {"text behind the list", "a.json", "[" MCP("a") "]\n x", "mcp", "a", "", FER_INVALID_JSON, 2, 2,
     "more text"},
    {"text behind the object", "a.json", "{\"tools\":[" MCP("a") "]}\n]", "mcp", "a", "",
     FER_INVALID_JSON, 2, 1, "more text"},
    {"text behind one tool", "a.json", MCP("a") "\n" MCP("b"), NULL, "", "", FER_INVALID_JSON, 2, 1,
     ".jsonl"},
    {"key twice behind the list", "a.json", "{\"tools\":[" MCP("a") "],\n \"x\":1,\"x\":2}", "mcp",
     "a", "", FER_DUPLICATE_KEY, 2, 8, "\"x\""},
    {"key twice before the list", "a.json", "{\"x\":1,\n\"x\":2,\"tools\":[" MCP("a") "]}", "mcp",
     "a", "", FER_DUPLICATE_KEY, 2, 1, NULL},
    {"the list twice", "a.json", "{\"tools\":[" MCP("a") "],\n\"tools\":[]}", "mcp", "a", "",
     FER_DUPLICATE_KEY, 2, 1, "\"tools\""},
    {"broken before the list", "a.json", "{\"x\":tru,\n\"tools\":[" MCP("a") "]}", NULL, NULL, "",
     FER_INVALID_JSON, 1, 0, NULL},
    {"broken behind the list", "a.json", "{\"tools\":[" MCP("a") "],\n\"x\":tru}", "mcp", "a", "",
     FER_INVALID_JSON, 2, 0, NULL},
    {"broken entry", "a.json", "[" MCP("a") ",\n{\"name\":'b'}," MCP("c") "]", "mcp", "a", "",
     FER_INVALID_JSON, 2, 9, "double quotes"},
    {"string not closed", "a.json", "[" MCP("a") ",\n{\"name\":\"b}]", "mcp", "a", "",
     FER_INVALID_JSON, 2, 0, NULL},
    {"key twice in an entry", "a.json", "[" MCP("a") ",\n{\"name\":\"b\",\"name\":\"c\"}]", "mcp",
     "a", "", FER_DUPLICATE_KEY, 2, 13, NULL},
    {"invalid UTF-8 in an entry", "a.json", "[{\"name\":\"\xFF\"}]", NULL, "", "", FER_INVALID_JSON,
     1, 0, NULL},
    {"columns count characters", "a.json", "[{\"name\":\"\xC3\xA4\xF0\x9F\x94\xA5\",\"name\":1}]",
     NULL, "", "", FER_DUPLICATE_KEY, 1, 15, NULL},
    {"broken line", "a.jsonl", MCP("a") "\n{\"name\":}\n" MCP("c"), "mcp", "a", "",
     FER_INVALID_JSON, 2, 9, NULL},
    {"broken yaml", "a.yaml", "tools:\n- name: [a\n", NULL, "", "", FER_INVALID_YAML, 0, 0, NULL},
};

static void check_tools(const struct row *row, const fer_toolset *set)
{
    char names[256] = "", found[256] = "";
    size_t count, len = 0;
    for (size_t i = 0; i < fer_toolset_count(set); i++) {
        const fer_tool *t = fer_toolset_get(set, i);
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s", i ? " " : "",
                                FER_PRI(fer_tool_name(t)));
        if (row->shape) assert_string_equal(fer_tool_shape(t), row->shape);
        /* Whatever the shape calls it, the schema is found. */
        if (!strstr(row->found, "field.required") && !strstr(row->found, "root-missing"))
            assert_non_null(fer_val_get(fer_tool_field(t, "inputSchema"), "type"));
    }
    if (row->names) assert_string_equal(names, row->names);
    const fer_finding *findings = fer_toolset_findings(set, &count);
    len = 0;
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(found + len, sizeof found - len, "%s%s", i ? " " : "",
                                findings[i].rule->id);
    assert_string_equal(found, row->found);
}

static void adds(const struct row *row)
{
    fer_err err = {0};
    fer_str name = fer_str_of(row->file), text = fer_str_of(row->text);
    fer_toolset *set = fer_toolset_new(), *silent = fer_toolset_new();
    fer_code code = fer_toolset_add(set, name, text, FER_FORMAT_AUTO, &err);
    if (code != row->code) fail_msg("%s %s", fer_code_info(code)->name, err.message);
    check_tools(row, set);
    if (code) {
        assert_int_equal(err.code, code);
        if (row->says && !strstr(err.message, row->says)) fail_msg("it says: %s", err.message);
        if (row->line && (err.line != row->line || (row->column && err.column != row->column)))
            fail_msg("at %u:%u, not %u:%u: %s", err.line, err.column, row->line, row->column,
                     err.message);
    }
    /* Nobody has to ask for the reason. */
    assert_int_equal(fer_toolset_add(silent, name, text, FER_FORMAT_AUTO, NULL), code);
    fer_toolset_free(silent);
    fer_toolset_free(set);
}

/* ---- one entry broken, the others read -------------------------------------------- */

/* What a visitor sees: "2:b" a tool with its number, "3=" none of ours, "!Code@1:2" a failure. */
static const struct visit {
    const char *name;
    const char *file;
    const char *text;
    const char *trace;
} visits[] = {
    {"nothing broken", "a.json", "[" MCP("a") "," MCP("b") "]", "1:a 2:b"},
    {"key twice in entry 2 of 3", "a.json",
     "[" MCP("a") ",\n{\"name\":\"b\",\"name\":\"b\"}," MCP("c") "]", "1:a !DuplicateKey@2:13 3:c"},
    {"key twice in the first", "a.json", "{\"tools\":[{\"x\":{\"y\":1,\"y\":1}},\n" MCP("b") "]}",
     "!DuplicateKey@1:23 2:b"},
    {"key twice in the last", "a.json", "[" MCP("a") ",\n{\"x\":1,\"x\":1}]",
     "1:a !DuplicateKey@2:8"},
    {"all of them", "a.json", "[{\"x\":1,\"x\":1},\n{\"x\":1,\"x\":1}]",
     "!DuplicateKey@1:9 !DuplicateKey@2:8"},
    {"unknown entry", "a.json", "[" MCP("a") ",\n 7,{\"x\":1}," MCP("d") "]",
     "1:a !UnknownShape@2:2 !UnknownShape@2:4 4:d"},
    {"own tool in between", "a.json", "[" RESP("a") ",{\"type\":\"x\"}," RESP("c") "]",
     "1:a 2= 3:c"},
    {"lines", "a.jsonl", MCP("a") "\n{broken\n\n" MCP("c") "\n{\"x\":1,\"x\":1}\n5\n" MCP("f"),
     "1:a !InvalidJson@2:2 3:c !DuplicateKey@5:8 !UnknownShape@6:1 6:f"},
    {"declaration", "a.json", "[{\"functionDeclarations\":[" BARE("a") ",\n7," BARE("c") "]}]",
     "1:a !UnknownShape@2:1 3:c"},
    {"in yaml", "a.yaml",
     "- {name: a, inputSchema: {type: object}}\n- 7\n- {name: c, inputSchema: {type: object}}\n",
     "1:a !UnknownShape@2:3 3:c"},
    {"a key twice around the list ends it", "a.json", "{\"x\":1,\"x\":1,\"tools\":[" MCP("a") "]}",
     "1:a end:DuplicateKey@1:8"},
    {"broken syntax ends it", "a.json", "[" MCP("a") ",\n{\"name\"}," MCP("c") "]",
     "1:a end:InvalidJson@2:8"},
    {"a mixture is passed over", "a.json", "[" MCP("a") ",\n" CLAUDE("b") "," MCP("c") "]",
     "1:a !MixedShapes@2:1 3:c"},
};

struct trace {
    char text[512];
    size_t len;
};

static void note(struct trace *t, const char *what, fer_str s, const fer_err *err)
{
    t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "%s%s%.*s",
                               t->len ? " " : "", what, FER_PRI(s));
    if (err)
        t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "@%u:%u", err->line,
                                   err->column);
    assert_true(t->len < sizeof t->text);
}

static fer_code visitor(void *context, const fer_visited *visited, fer_err *err)
{
    char number[32];
    (void)err;
    if (visited->failure) {
        assert_null(visited->tool);
        assert_null(visited->item);
        note(context, "!", fer_str_of(fer_code_info(visited->failure->code)->name),
             visited->failure);
        return FER_OK;
    }
    snprintf(number, sizeof number, "%zu%s", visited->item->number, visited->tool ? ":" : "=");
    note(context, number, visited->tool ? fer_tool_name(visited->tool) : FER_STR(""), NULL);
    return FER_OK;
}

static void visits_all(const struct visit *row)
{
    for (int keep = 0; keep < 2; keep++) {
        struct trace trace = {.len = 0};
        fer_arena *kept = keep ? fer_arena_new(0) : NULL;
        fer_reader r;
        fer_err err = {0};
        assert_int_equal(fer_reader_init(&r, kept, fer_str_of(row->file), fer_str_of(row->text),
                                         FER_FORMAT_AUTO, &err),
                         FER_OK);
        fer_code code = fer_visit(&r, FER_STR("s"), NULL, visitor, &trace, &err);
        if (code) note(&trace, "end:", fer_str_of(fer_code_info(code)->name), &err);
        fer_reader_deinit(&r);
        fer_arena_free(kept);
        assert_string_equal(trace.text, row->trace);
    }
}

/* A visitor's own failure ends the visit with its code. */
static fer_code refuse(void *context, const fer_visited *visited, fer_err *err)
{
    (void)visited;
    (void)err;
    (*(int *)context)++;
    return FER_CANCELLED;
}

static void visitor_may_stop(void)
{
    fer_reader r;
    int calls = 0;
    fer_str text = FER_STR("[" MCP("a") "," MCP("b") "]");
    assert_int_equal(fer_reader_init(&r, NULL, FER_STR("-"), text, FER_FORMAT_JSON, NULL), FER_OK);
    assert_int_equal(fer_visit(&r, FER_STR("s"), NULL, refuse, &calls, NULL), FER_CANCELLED);
    fer_reader_deinit(&r);
    assert_int_equal(calls, 1);
}

/* Formats: what was asked for, else by the name, else by the text. */
static const struct format {
    const char *name;
    const char *file;
    const char *text;
    fer_format asked, expected;
} formats[] = {
    {"asked for", "a.json", "{}", FER_FORMAT_YAML, FER_FORMAT_YAML},
    {"json", "a.json", "a: 1", FER_FORMAT_AUTO, FER_FORMAT_JSON},
    {"jsonl", "a.jsonl", "[]", FER_FORMAT_AUTO, FER_FORMAT_JSON_LINES},
    {"ndjson", "a.ndjson", "[]", FER_FORMAT_AUTO, FER_FORMAT_JSON_LINES},
    {"yaml", "a.yaml", "[]", FER_FORMAT_AUTO, FER_FORMAT_YAML},
    {"yml", "a.yml", "[]", FER_FORMAT_AUTO, FER_FORMAT_YAML},
    {"an object", "-", " {} ", FER_FORMAT_AUTO, FER_FORMAT_JSON},
    {"a list behind a byte order mark", "-", BOM "[]", FER_FORMAT_AUTO, FER_FORMAT_JSON},
    {"two objects", "-", "{}\n{}", FER_FORMAT_AUTO, FER_FORMAT_JSON_LINES},
    {"an open object", "-", "{", FER_FORMAT_AUTO, FER_FORMAT_JSON},
    {"words", "-", "name: a", FER_FORMAT_AUTO, FER_FORMAT_YAML},
    {"nothing", "-", "", FER_FORMAT_AUTO, FER_FORMAT_YAML},
};

static void detects(const struct format *row)
{
    assert_int_equal(fer_format_detect(fer_str_of(row->file), fer_str_of(row->text), row->asked),
                     row->expected);
}

int main(void)
{
    return ROWS_RUN("shape", rows, adds) + ROWS_RUN("visit", visits, visits_all) +
           ROWS_ONE("visit", visitor_may_stop) + ROWS_RUN("format", formats, detects);
}
