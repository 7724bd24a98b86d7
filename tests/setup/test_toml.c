/* SPDX-License-Identifier: Apache-2.0 */
/* TOML as JSON, and one table of it set or taken out. */
#include "toml.h"

#include "json_doc.h"

#include "errors.h"
#include "rows.h"

static const struct row {
    const char *name, *text, *expected; /* JSON, or "line:column message" */
} rows[] = {
    {"nothing", "", "{}"},
    {"remarks", "# a\n\n  # b\r\n", "{}"},
    {"values", "a = 1\nb = \"x\" # c\nc = true\nd = 'C:\\x'\ne = -1.5e3\n",
     "{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":\"C:\\\\x\",\"e\":-1.5e3}"},
    {"numbers", "a = 1_000\nb = +5\nc = 0x1F\nd = inf",
     "{\"a\":1000,\"b\":5,\"c\":\"0x1F\",\"d\":\"inf\"}"},
    {"dates are texts", "a = 1979-05-27T07:32:00Z", "{\"a\":\"1979-05-27T07:32:00Z\"}"},
    {"escapes", "a = \"\\t\\\"\\\\\\u00e9\\U0001F600\"",
     "{\"a\":\"\\t\\\"\\\\\xC3\xA9\xF0\x9F\x98\x80\"}"},
    {"several lines", "a = \"\"\"\nx \\\n   y\nz\"\"\"\nb = '''\n'q'\n'''",
     "{\"a\":\"x y\\nz\",\"b\":\"'q'\\n\"}"},
    {"arrays", "a = [ 1, # one\n  2,\n]\nb = [[\"x\"], []]", "{\"a\":[1,2],\"b\":[[\"x\"],[]]}"},
    {"tables in line", "a = { b = 1, c.d = \"x\" }\ne = {}",
     "{\"a\":{\"b\":1,\"c\":{\"d\":\"x\"}},\"e\":{}}"},
    {"tables", "[a]\nb = 1\n[a.c]\nd = 2\n[e.\"f g\"]\n",
     "{\"a\":{\"b\":1,\"c\":{\"d\":2}},\"e\":{\"f g\":{}}}"},
    {"the outer one later", "[a.b]\nc = 1\n[a]\nd = 2", "{\"a\":{\"b\":{\"c\":1},\"d\":2}}"},
    {"arrays of tables", "[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 2",
     "{\"a\":[{\"b\":1},{\"c\":{\"d\":2}}]}"},
    {"a server of Codex",
     "model = \"x\"\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"p\"]\n\n[mcp_servers.files.env]\nA = \"1\"\n",
     "{\"model\":\"x\",\"mcp_servers\":{\"files\":{\"command\":\"npx\",\"args\":[\"-y\",\"p\"],\"env\":{\"A\":\"1\"}}}}"},
    {"a key twice", "a = 1\na = 2", "2:5 a key stands twice"},
    {"a table twice", "[a]\n[a]", "2:4 a table stands twice"},
    {"a table in line is whole", "a = {}\n[a.b]", "2:4 this key is no table that can be added to"},
    {"a value is no table", "a = 1\n[a.b]", "2:4 this key is no table that can be added to"},
    {"no value", "a =\n", "1:4 a value is expected here"},
    {"no equals sign", "a 1", "1:3 a key is followed by ="},
    {"a word without quotes", "a = word",
     "1:9 a text has quotes around it; true, false, numbers and dates have none"},
    {"an open string", "a = \"x\nb = 1", "1:7 a string is not closed"},
    {"an open array", "a = [1", "1:7 an array goes on with a comma or ends with ]"},
    {"two on a line", "a = 1 b = 2", "1:7 something stands behind a value; write one key a line"},
    {"no escape", "a = \"\\x\"", "1:7 this is no escape of a string"},
    {"a half of a character", "a = \"\\ud800\"", "1:12 this is no character"},
    {"a comma behind the last", "a = {b = 1,}", "1:12 no comma stands behind the last key in { }"},
};

static const struct edit {
    const char *name, *text, *block, *expected;
} edits[] = {
    {"into nothing", "", "c = 1\n", "[s.n]\nc = 1\n"},
    {"behind the rest", "a = 1", "c = 1\n", "a = 1\n\n[s.n]\nc = 1\n"},
    {"in its place", "[s.n]\nc = 0\n# of x\n[x]\n", "c = 1\n", "[s.n]\nc = 1\n# of x\n[x]\n"},
    {"the same again", "a = 1\n\n[s.n]\nc = 1\n", "c = 1\n", "a = 1\n\n[s.n]\nc = 1\n"},
    {"with what is below it", "[s.n]\nc = 0\n\n[s.n.env]\nA = '1'\n\n[s.m]\n", "c = 1\n",
     "[s.n]\nc = 1\n\n[s.m]\n"},
    {"a name in quotes", "[s.\"n\"]\nc = 0\n", "c = 1\n", "[s.n]\nc = 1\n"},
    {"a longer name is another", "[s.nn]\nc = 0\n", "c = 1\n", "[s.nn]\nc = 0\n\n[s.n]\nc = 1\n"},
    {"taken out", "a = 1\n\n[s.n]\nc = 1\n\n[x]\n", "", "a = 1\n\n\n[x]\n"},
    {"not there", "a = 1\n", "", "a = 1\n"},
    {"what looks like a head in a string", "a = \"\"\"\n[s.n]\nc = 0\n\"\"\"\n", "c = 1\n",
     "a = \"\"\"\n[s.n]\nc = 0\n\"\"\"\n\n[s.n]\nc = 1\n"},
    {"what looks like a head in an array", "[s.n]\nc = [\n[1],\n[2]\n]\nd = 2\n[x]\n", "c = 1\n",
     "[s.n]\nc = 1\n[x]\n"},
    {"what looks like a remark in a string", "[s.n]\nc = \"\"\"\n# x\n\"\"\"\n# y\n[x]\n",
     "c = 1\n", "[s.n]\nc = 1\n# y\n[x]\n"},
    {"written in line", "s = { n = { c = 0 } }\n", "c = 1\n",
     "3:4 this key is no table that can be added to"},
    {"an array of tables", "[[s]]\na = 1\n", "c = 1\n", "0:0 \"s\" is no table of tables here"},
    {"an array of tables in its place", "[[s.n]]\na = 1\n", "c = 1\n", "4:6 a table stands twice"},
    {"no TOML", "a", "c = 1\n", "1:2 a key is followed by ="},
};

/* The result, or what is wrong and where. */
static fer_code judge(fer_code code, const fer_err *err, fer_str got, const char *expected)
{
    char text[256];
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    if (code) snprintf(text, sizeof text, "%u:%u %.200s", err->line, err->column, err->message);
    assert_str(code ? fer_str_of(text) : got, expected);
    return FER_OK;
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_arena *own = a ? a : fer_arena_new(0);
    fer_err err = {0};
    fer_str json = FER_STR("");
    fer_code code = fer_toml_to_json(own, fer_str_of(row->text), &json, &err);
    code = judge(code, &err, json, row->expected);
    if (!a) fer_arena_free(own);
    return code;
}

static fer_code attempt_edit(fer_arena *a, const void *context)
{
    const struct edit *row = context;
    fer_arena *own = a ? a : fer_arena_new(0);
    fer_err err = {0};
    fer_str out = FER_STR("");
    fer_code code = fer_toml_set_table(own, fer_str_of(row->text), FER_STR("s"), FER_STR("n"),
                                       fer_str_of(row->block), &out, &err);
    code = judge(code, &err, out, row->expected);
    if (!a) fer_arena_free(own);
    return code;
}

/* Where keys and values stand; the text of a row has a mark before each of them, in their order. */
static const struct row places[] = {
    {"pairs", "@@a = @1\n@b = @\"x\"\n", "{\"a\":1,\"b\":\"x\"}"},
    {"an array", "@@a = @[@1, @[ @2]]", "{\"a\":[1,[2]]}"},
    {"in line", "@@a = @{ @b = @1, @c = @true }", "{\"a\":{\"b\":1,\"c\":true}}"},
    {"a number that JSON does not know", "a = 1\nb = @1.2.3", NULL},
};

static void place(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    size_t at[32], count = 0, len = 0;
    char text[256];
    fer_json *doc;
    fer_str json;
    fer_err err = {0};
    for (const char *c = row->text; *c; c++) {
        if (*c == '@') at[count++] = len;
        else text[len++] = *c;
    }
    fer_code code = fer_toml_read(a, (fer_str){text, len}, &doc, &err);
    if (!row->expected) {
        assert_int_not_equal(code, FER_OK);
        assert_int_equal(err.line, 2);
        assert_int_equal(err.column, 5);
    } else {
        assert_int_equal(code, FER_OK);
        assert_int_equal(fer_json_write(a, fer_json_root(doc), false, &json, NULL), FER_OK);
        assert_str(json, row->expected);
        assert_int_equal(doc->count, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(fer_json_offset(doc, &doc->vals[i]), at[i]);
    }
    fer_arena_free(a);
}

/* A table is where its head names it. */
static void place_of_table(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    assert_int_equal(fer_toml_read(a, FER_STR("# x\n[s.n]\nc = 1\n[[l]]\n"), &doc, NULL), FER_OK);
    const yyjson_val *s = fer_val_get(fer_json_root(doc), "s"), *n = fer_val_get(s, "n"),
                     *l = fer_val_get(fer_json_root(doc), "l");
    assert_int_equal(fer_json_offset(doc, s), 5);
    assert_int_equal(fer_json_offset(doc, n), 7);
    assert_int_equal(fer_json_offset(doc, fer_val_get(n, "c")), 14);
    assert_int_equal(fer_json_offset(doc, l), 18);
    fer_arena_free(a);
}

/* Values, and parts of a key, at the limit and past it. */
static void depth(void)
{
    char text[4 * FER_TOML_DEPTH + 64];
    for (unsigned more = 0; more < 2; more++) {
        size_t n = 0, deep = FER_TOML_DEPTH + more;
        fer_arena *a = fer_arena_new(0);
        fer_str json;
        n += (size_t)snprintf(text, sizeof text, "a = ");
        for (size_t i = 0; i < deep; i++) text[n++] = '[';
        for (size_t i = 0; i < deep; i++) text[n++] = ']';
        fer_code code = fer_toml_to_json(a, (fer_str){text, n}, &json, NULL);
        assert_int_equal(code, more ? FER_BAD_USAGE : FER_OK);
        n = 0;
        for (size_t i = 0; i < FER_TOML_DEPTH + more; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, i ? ".a" : "a");
        n += (size_t)snprintf(text + n, sizeof text - n, " = 1");
        code = fer_toml_to_json(a, (fer_str){text, n}, &json, NULL);
        assert_int_equal(code, more ? FER_BAD_USAGE : FER_OK);
        fer_arena_free(a);
    }
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
    rows_torture_arena(attempt, row);
}

static void run_edit(const struct edit *row)
{
    assert_int_equal(attempt_edit(NULL, row), FER_OK);
    rows_torture_arena(attempt_edit, row);
}

int main(void)
{
    return ROWS_RUN("toml", rows, run) + ROWS_RUN("toml edit", edits, run_edit) +
           ROWS_RUN("toml places", places, place) + ROWS_ONE("toml", place_of_table) +
           ROWS_ONE("toml", depth);
}
