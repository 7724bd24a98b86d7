/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites: what each makes of a schema, what it says it loses, and how a call comes back. */
#include <ferrule/convert.h>
#include <stdlib.h>

#include "buf.h"
#include "json_value.h"
#include "rows.h"

#define OBJECT(properties, more) "{\"type\":\"object\",\"properties\":{" properties "}" more "}"
#define CLOSED(properties, required)                                                               \
    OBJECT(properties, ",\"required\":[" required "],\"additionalProperties\":false")

/* One tool, converted; kept in `a`. */
static fer_code convert(fer_arena *a, const char *profile, const char *tools, bool map,
                        fer_conversion *out, fer_err *err)
{
    const fer_profile *p;
    fer_convert_options o = {.keeps_map = map};
    fer_code code = profile[0] == '{'
                        ? fer_profile_load(a, fer_str_of(profile), FER_FORMAT_JSON, &p, err)
                        : fer_profile_find(a, fer_str_of(profile), &p, err);
    fer_toolset *set = fer_toolset_new();
    if (!set) return FER_OUT_OF_MEMORY;
    if (!code) code = fer_toolset_add(set, FER_STR("-"), fer_str_of(tools), FER_FORMAT_JSON, err);
    if (!code) code = fer_toolset_convert(a, set, p, &o, out, err);
    fer_toolset_free(set);
    return code;
}

/* The schema in a definition, wherever the provider has it. */
static const yyjson_val *schema_of(const yyjson_val *entry)
{
    static const char *const keys[] = {"function",     "toolSpec",   "inputSchema",         "json",
                                       "input_schema", "parameters", "parametersJsonSchema"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        const yyjson_val *v = fer_val_get(entry, keys[i]);
        if (v) return fer_val_get(v, "type") && i != 0 ? v : schema_of(v);
    }
    return entry;
}

static fer_str schema_text(fer_arena *a, fer_str entry)
{
    fer_json *doc;
    fer_str text = FER_STR("");
    if (!entry.len || fer_json_read(a, entry, NULL, &doc, NULL)) return text;
    fer_json_write(a, schema_of(fer_json_root(doc)), false, &text, NULL);
    return text;
}

/* "R10 narrower, R09 adapter": each once, in the order of the first. */
static fer_str losses(fer_arena *a, const fer_converted *t)
{
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    fer_buf_add_text(&b, "");
    for (size_t i = 0; i < t->change_count; i++) {
        const fer_rewritten *r = &t->changes[i];
        fer_str one = fer_arena_printf(a, "%s %s", r->rule->id, fer_loss_name(r->loss));
        if (b.len && memmem(b.ptr, b.len, one.ptr, one.len)) continue;
        if (b.len) fer_buf_add_text(&b, ", ");
        fer_buf_add(&b, one);
    }
    return fer_buf_view(&b);
}

static const struct row {
    const char *name;
    const char *profile;
    const char *schema;
    const char *expected; /* the schema of the output, or what refuses it after '!' */
    const char *losses;
    const char *call, *back; /* arguments, and as they come back; NULL: not asked */
} rows[] = {
#include "convert_rows.inc"
};

static fer_str definition(fer_arena *a, const char *schema)
{
    return fer_arena_printf(a, "{\"name\":\"t\",\"inputSchema\":%s}", schema);
}

static fer_code attempt(fer_arena *given, const void *context)
{
    const struct row *row = context;
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_conversion made;
    fer_err err = {0};
    if (!a) return FER_OUT_OF_MEMORY;
    fer_str tool = definition(a, row->schema);
    fer_code code =
        tool.ptr ? convert(a, row->profile, tool.ptr, true, &made, &err) : FER_LIMIT_EXCEEDED;
    if (!given) fer_arena_free(a);
    return code;
}

static void check_call(fer_arena *a, const struct row *row, const fer_conversion *made)
{
    const fer_back_map *map;
    fer_back_call back;
    fer_err err = {0};
    fer_str call = fer_arena_printf(a, "{\"name\":\"t\",\"arguments\":%s}", row->call);
    if (fer_back_map_read(a, made->map, &map, &err) ||
        fer_back_map_call(a, map, call, &back, &err)) {
        if (row->back[0] == '!' && strstr(err.message, row->back + 1)) return;
        fail_msg("%s", err.message);
    }
    assert_str(back.arguments, row->back);
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_conversion made;
    fer_err err = {0};
    if (convert(a, row->profile, definition(a, row->schema).ptr, true, &made, &err))
        fail_msg("%s", err.message);
    assert_int_equal(made.count, 1);
    const fer_converted *t = &made.tools[0];
    if (getenv("CONVERT_ROWS")) {
        fprintf(stderr, "ROW %s | %.*s | %.*s | %.*s\n", row->name,
                FER_PRI(schema_text(a, t->entry)), FER_PRI(t->refused), FER_PRI(losses(a, t)));
    }
    if (row->expected[0] == '!') {
        if (!t->refused.len ||
            !memmem(t->refused.ptr, t->refused.len, row->expected + 1, strlen(row->expected) - 1))
            fail_msg("refused: %.*s, entry: %.*s", FER_PRI(t->refused), FER_PRI(t->entry));
    } else {
        if (t->refused.len) fail_msg("refused: %.*s", FER_PRI(t->refused));
        assert_str(schema_text(a, t->entry), row->expected);
        assert_str(losses(a, t), row->losses);
        if (row->call) check_call(a, row, &made);
    }
    fer_arena_free(a);
}

/* Each allocation fails once; a few rows are enough, since all take the same ways. */
static void torture(const struct row *row)
{
    size_t index = (size_t)(row - rows);
    if (index % 8 == 0) rows_torture_malloc(attempt, row);
}

/* ---- names ------------------------------------------------------------------------------ */

#define T(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}"
#define N(ns, name)                                                                                \
    "{\"namespace\":\"" ns "\",\"name\":\"" name                                                   \
    "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}"
#define TEN "abcdefghij"

static const struct name_row {
    const char *name;
    const char *profile;
    const char *tools;
    const char *expected; /* names, in order */
} name_rows[] = {
    {"as it is", "openai", "[" T("get_weather") "]", "get_weather"},
    {"a dot", "openai", "[" T("get.weather") "]", "get_weather"},
    {"a dot that is fine", "gemini", "[" T("get.weather") "]", "get.weather"},
    {"a group: all get the hash", "openai", "[" T("a.b") "," T("a_b") "]",
     "a_b_2e7336dc a_b_648fa9b3"},
    {"in any order", "openai", "[" T("a_b") "," T("a.b") "]", "a_b_648fa9b3 a_b_2e7336dc"},
    {"a digit first", "gemini", "[" T("1st") "]", "t_1st"},
    {"a letter first", "moonshot", "[" T("_x") "]", "t__x"},
    {"64 are fine", "openai", "[" T(TEN TEN TEN TEN TEN TEN "abcd") "]",
     TEN TEN TEN TEN TEN TEN "abcd"},
    {"65 are not", "openai", "[" T(TEN TEN TEN TEN TEN TEN "abcde") "]",
     TEN TEN TEN TEN TEN "abcde_55172f2b"},
    {"with its namespace", "openai", "[" N("files", "read") "]", "files__read"},
    {"a namespace that could be read twice", "openai", "[" N("a", "_b") "," N("a_", "b") "]",
     "a___b_9143732c a___b_2fda5b55"},
    {"MCP has a place for it", "mcp", "[" N("files", "read") "]", "read"},
    {"beyond ASCII", "openai",
     "[{\"name\":\"caf\\u00e9\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}]", "caf_"},
    {"the server counts", "cursor", "[" N(TEN TEN TEN TEN, TEN TEN) "]", TEN "_86b214c5"},
};

static void run_name(const struct name_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_conversion made;
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    if (convert(a, row->profile, row->tools, true, &made, &err)) fail_msg("%s", err.message);
    for (size_t i = 0; i < made.count; i++) {
        if (i) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, made.tools[i].name);
    }
    assert_str(fer_buf_view(&b), row->expected);
    fer_arena_free(a);
}

/* ---- calls in all forms ----------------------------------------------------------------- */

#define WAY "{\"name\":\"my.tool\",\"inputSchema\":" OBJECT("\"a\":{\"type\":\"integer\"}", "") "}"

static const struct call_row {
    const char *name;
    const char *call;
    const char *expected; /* after '!': the failure */
} call_rows[] = {
    {"plain", "{\"name\":\"my_tool\",\"arguments\":{\"a\":null}}",
     "{\"name\":\"my.tool\",\"arguments\":{}}"},
    {"OpenAI chat",
     "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"my_tool\",\"arguments\":\"{\\\"a\\\":1}\"}}",
     "{\"id\":\"c\",\"name\":\"my.tool\",\"arguments\":{\"a\":1}}"},
    {"OpenAI Responses",
     "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"my_tool\",\"arguments\":\"{\\\"a\\\":null}\"}",
     "{\"id\":\"c\",\"name\":\"my.tool\",\"arguments\":{}}"},
    {"Anthropic", "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"my_tool\",\"input\":{\"a\":2}}",
     "{\"id\":\"c\",\"name\":\"my.tool\",\"arguments\":{\"a\":2}}"},
    {"Gemini", "{\"functionCall\":{\"name\":\"my_tool\",\"args\":{\"a\":2}}}",
     "{\"name\":\"my.tool\",\"arguments\":{\"a\":2}}"},
    {"Bedrock", "{\"toolUse\":{\"toolUseId\":\"c\",\"name\":\"my_tool\",\"input\":{\"a\":2}}}",
     "{\"id\":\"c\",\"name\":\"my.tool\",\"arguments\":{\"a\":2}}"},
    {"MCP",
     "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"my_tool\",\"arguments\":{\"a\":2}}}",
     "{\"name\":\"my.tool\",\"arguments\":{\"a\":2}}"},
    {"another tool", "{\"name\":\"other\",\"arguments\":{}}", "!the map has no tool \"other\""},
    {"no name", "{\"arguments\":{}}", "!the call has no \"name\""},
    {"what does not fit", "{\"name\":\"my_tool\",\"arguments\":{\"a\":\"x\"}}",
     "!do not fit the converted schema"},
    {"what is missing", "{\"name\":\"my_tool\",\"arguments\":{}}",
     "!do not fit the converted schema"},
    {"no JSON", "{\"name\":\"my_tool\",\"arguments\":\"{\"}", "!"},
};

static void run_call(const struct call_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_conversion made;
    const fer_back_map *map;
    fer_back_call back;
    fer_err err = {0};
    if (convert(a, "openai-strict", WAY, true, &made, &err)) fail_msg("%s", err.message);
    if (fer_back_map_read(a, made.map, &map, &err)) fail_msg("%s", err.message);
    fer_code code = fer_back_map_call(a, map, fer_str_of(row->call), &back, &err);
    if (row->expected[0] == '!') {
        assert_true(code != FER_OK);
        if (!strstr(err.message, row->expected + 1)) fail_msg("%s", err.message);
    } else {
        if (code) fail_msg("%s", err.message);
        assert_str(back.json, row->expected);
    }
    fer_arena_free(a);
}

/* ---- maps that are none ----------------------------------------------------------------- */

static const struct map_row {
    const char *name;
    const char *text;
    const char *expected;
} map_rows[] = {
    {"no JSON", "{", ""},
    {"no version", "{\"tools\":[]}", "\"mapVersion\" is missing"},
    {"another version", "{\"mapVersion\":2,\"tools\":[]}", "its version is not 1"},
    {"no tools", "{\"mapVersion\":1}", "\"tools\" is missing"},
    {"a tool that is none", "{\"mapVersion\":1,\"tools\":[1]}", "a tool is no object"},
    {"a tool without name", "{\"mapVersion\":1,\"tools\":[{}]}", "a tool needs \"name\""},
    {"no record",
     "{\"mapVersion\":1,\"tools\":[{\"name\":\"a\",\"tool\":\"a\",\"id\":\"a\",\"shape\":\"mcp\"}]}",
     "a tool needs \"record\""},
    {"back is no schema",
     "{\"mapVersion\":1,\"tools\":[{\"name\":\"a\",\"tool\":\"a\",\"id\":\"a\",\"shape\":\"mcp\",\"record\":{},\"back\":1}]}",
     "\"back\" is no object"},
};

static void run_map(const struct map_row *row)
{
    fer_arena *a = fer_arena_new(0);
    const fer_back_map *map;
    fer_err err = {0};
    assert_true(fer_back_map_read(a, fer_str_of(row->text), &map, &err) != FER_OK);
    if (!strstr(err.message, row->expected)) fail_msg("%s", err.message);
    fer_arena_free(a);
}

/* ---- fields, sets, limits --------------------------------------------------------------- */

static void without_a_map_fields_are_lost(void)
{
    static const char tool[] =
        "{\"name\":\"t\",\"annotations\":{\"readOnlyHint\":true},\"inputSchema\":"
        "{\"type\":\"object\",\"properties\":{}}}";
    fer_arena *a = fer_arena_new(0);
    fer_conversion made;
    fer_err err = {0};
    assert_int_equal(convert(a, "openai", tool, false, &made, &err), FER_OK);
    assert_int_equal(made.refused, 1);
    assert_non_null(strstr(made.tools[0].refused.ptr, "R30 is destructive"));
    assert_int_equal(convert(a, "openai", tool, true, &made, &err), FER_OK);
    assert_int_equal(made.refused, 0);
    assert_int_equal(convert(a, "mcp", tool, false, &made, &err), FER_OK);
    assert_int_equal(made.refused, 0);
    fer_arena_free(a);
}

static void budgets_are_told_and_tools_kept(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_conversion made;
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_char(&b, '[');
    for (int i = 0; i < 16; i++) fer_buf_printf(&b, "%s" T("t%d"), i ? "," : "", i);
    fer_buf_add_text(&b, "]");
    fer_buf_add(&b, (fer_str){"", 1});
    assert_int_equal(convert(a, "tools_json", b.ptr, true, &made, &err), FER_OK);
    assert_int_equal(made.refused, 0);
    assert_int_equal(made.budget_count, 1);
    assert_string_equal(made.budgets[0].rule->id, "toolset.count");
    fer_arena_free(a);
}

/* A chain of definitions, each with two references to the next: 2^n values once inlined. */
static fer_str doubling(fer_arena *a, unsigned levels)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_text(
        &b,
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"p\":{\"$ref\":\"#/$defs/d0\"}},\"$defs\":{");
    for (unsigned i = 0; i < levels; i++)
        fer_buf_printf(
            &b,
            "\"d%u\":{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/d%u\"},\"y\":{\"$ref\":\"#/$defs/d%u\"}}},",
            i, i + 1, i + 1);
    fer_buf_printf(&b, "\"d%u\":{\"type\":\"string\"}}}}", levels);
    fer_buf_add(&b, (fer_str){"", 1});
    return fer_buf_view(&b);
}

static void inlining_has_a_limit(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_conversion made;
    fer_err err = {0};
    assert_int_equal(convert(a, "gemini", doubling(a, 8).ptr, true, &made, &err), FER_OK);
    assert_int_equal(made.refused, 0);
    assert_int_equal(convert(a, "gemini", doubling(a, 16).ptr, true, &made, &err), FER_OK);
    assert_int_equal(made.refused, 1);
    assert_non_null(strstr(made.tools[0].refused.ptr, "more than 20000 values"));
    fer_arena_free(a);
}

static void descriptions_are_cut(void)
{
    static const char profile[] =
        "{\"name\":\"d\",\"wire\":\"anthropic\",\"rules\":{\"description.length\":{\"max\":30,"
        "\"severity\":\"error\"}}}";
    static const struct {
        const char *text, *cut;
    } cases[] = {{"Exactly thirty characters here.", "\"Exactly thirty characters here\""},
                 {"It ends here, in a full. And goes on for long.", "\"It ends here, in a full.\""},
                 {"It fits.", "\"It fits.\""}};
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(cases); i++) {
        fer_conversion made;
        fer_err err = {0};
        fer_str tool = fer_arena_printf(
            a, "{\"name\":\"t\",\"description\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}",
            cases[i].text);
        assert_int_equal(convert(a, profile, tool.ptr, true, &made, &err), FER_OK);
        if (!strstr(made.tools[0].entry.ptr, cases[i].cut)) fail_msg("%s", made.tools[0].entry.ptr);
        assert_str(losses(a, &made.tools[0]), i < 2 ? "R26 docs-only" : "");
    }
    fer_arena_free(a);
}

static void output_schemas(void)
{
    static const char tool[] =
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}},"
        "\"outputSchema\":{\"type\":\"array\"}}";
    static const struct {
        const char *profile, *has, *losses;
    } cases[] = {
        {"mcp-2026-07-28", "\"outputSchema\":{\"type\":\"array\"}", ""},
        {"mcp-2025-06-18", "\"properties\":{\"result\":{\"type\":\"array\"}}", "R29 adapter"},
        {"openai", "\"parameters\"", "R29 docs-only"}};
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(cases); i++) {
        fer_conversion made;
        fer_err err = {0};
        assert_int_equal(convert(a, cases[i].profile, tool, true, &made, &err), FER_OK);
        if (!strstr(made.tools[0].entry.ptr, cases[i].has)) fail_msg("%s", made.tools[0].entry.ptr);
        assert_str(losses(a, &made.tools[0]), cases[i].losses);
    }
    fer_arena_free(a);
}

static void every_rewrite_has_a_row(void)
{
    size_t count;
    const fer_rewrite *list = fer_rewrites(&count);
    assert_int_equal(count, 30);
    for (size_t i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof id, "R%02zu", i + 1);
        assert_string_equal(list[i].id, id);
        assert_ptr_equal(fer_rewrite_find(fer_str_of(id)), &list[i]);
        assert_true(list[i].title[0] && list[i].classes[0] && list[i].text[0]);
    }
    assert_null(fer_rewrite_find(FER_STR("R31")));
}

int main(void)
{
    return ROWS_RUN("convert", rows, run) + ROWS_RUN("names", name_rows, run_name) +
           ROWS_RUN("calls", call_rows, run_call) + ROWS_RUN("maps", map_rows, run_map) +
           ROWS_ONE("convert", without_a_map_fields_are_lost) +
           ROWS_ONE("convert", budgets_are_told_and_tools_kept) +
           ROWS_ONE("convert", inlining_has_a_limit) +
           ROWS_ONE("convert", every_rewrite_has_a_row) +
           ROWS_ONE("convert", descriptions_are_cut) + ROWS_ONE("convert", output_schemas) +
           ROWS_RUN("torture", rows, torture);
}
