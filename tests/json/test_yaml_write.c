/* SPDX-License-Identifier: Apache-2.0 */
/* Values as YAML: the text, and that reading it gives the same value; no memory anywhere. */
#include <ferrule/json.h>

#include <stdlib.h>

#include "buf.h"
#include "file.h"
#include "json_doc.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *json;
    const char *yaml; /* NULL: only that it comes back */
} rows[] = {
    {"word", "\"abc\"", "abc\n"},
    {"sentence", "\"Reads a file. Returns (some of) it\"", "Reads a file. Returns (some of) it\n"},
    {"colon", "\"a: b\"", "\"a: b\"\n"},
    {"comment", "\"a #b\"", "\"a #b\"\n"},
    {"empty", "\"\"", "\"\"\n"},
    {"blank at the end", "\"a \"", "\"a \"\n"},
    {"number in a string", "\"12\"", "\"12\"\n"},
    {"word that YAML takes", "[\"null\",\"Yes\",\"off\",\"y\",\"True\"]",
     "- \"null\"\n- \"Yes\"\n- \"off\"\n- \"y\"\n- \"True\"\n"},
    {"scalars", "[null,true,false,0,-1.5,1e400,18446744073709551616]",
     "- null\n- true\n- false\n- 0\n- -1.5\n- 1e400\n- 18446744073709551616\n"},
    {"empty containers", "{\"a\":{},\"b\":[]}", "a: {}\nb: []\n"},
    {"object", "{\"a\":1,\"b\":{\"c\":\"d\"}}", "a: 1\nb:\n  c: d\n"},
    {"array in object", "{\"a\":[1,2]}", "a:\n  - 1\n  - 2\n"},
    {"object in array", "[{\"a\":1,\"b\":2},{\"c\":[]}]", "- a: 1\n  b: 2\n- c: []\n"},
    {"array in array", "[[1,[2]],[3]]", "- - 1\n  - - 2\n- - 3\n"},
    {"object in array in object", "{\"k\":[{\"a\":{\"b\":[{\"c\":1}]},\"d\":2}]}",
     "k:\n  - a:\n      b:\n        - c: 1\n    d: 2\n"},
    {"keys are quoted too", "{\"on\":1,\"a b\":2,\"a:b\":3,\"\":4,\"5\":5}",
     "\"on\": 1\na b: 2\n\"a:b\": 3\n\"\": 4\n\"5\": 5\n"},
    {"lines, tabs, NUL, quotes", "[\"a\\nb\\t\\\"\\u0000\\\\\"]",
     "- \"a\\nb\\t\\\"\\u0000\\\\\"\n"},
    {"DEL, NEL, mark", "[\"\\u007f\\u0085\\ufeffx\\u2028\"]", NULL},
    {"no characters", "[\"\\ufffd\\ufffe\\uffff\"]", "- \"\xEF\xBF\xBD\\uFFFE\\uFFFF\"\n"},
    {"beyond ASCII", "{\"caf\\u00e9\":\"\\u65e5\\u672c \\ud83d\\ude00\"}", NULL},
    {"indicators",
     "[\"- a\",\"? b\",\"*c\",\"&d\",\"!e\",\"|\",\">\",\"%\",\"@\",\"`\",\"{\",\"[\",\",\",\"#\",\"'\",\"---\"]",
     NULL},
};

static fer_code attempt(fer_arena *a, const void *given)
{
    const struct row *row = given;
    fer_arena *own = a ? NULL : fer_arena_new(0);
    fer_json *doc, *back;
    fer_str text;
    fer_err err;
    bool equal = false;
    if (!a && !own) return FER_OUT_OF_MEMORY;
    fer_arena *in = a ? a : own;
    fer_code code = fer_json_read(in, fer_str_of(row->json), NULL, &doc, &err);
    if (!code) code = fer_yaml_write(in, fer_json_root(doc), &text, &err);
    if (!code && row->yaml) assert_str(text, row->yaml);
    if (!code) code = fer_yaml_read(in, text, NULL, &back, &err);
    if (code && code != FER_OUT_OF_MEMORY && code != FER_LIMIT_EXCEEDED)
        fail_msg("%s: %s\n%.*s", row->name, err.message, FER_PRI(text));
    if (!code) code = fer_json_equal(in, fer_json_root(doc), fer_json_root(back), &equal, &err);
    if (!code) assert_true(equal);
    fer_arena_free(own);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
}

/* libyaml's own allocations are not under fault injection, so the arena's alone fail. */
static void torture(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 0);
}

/* A key longer than YAML's simple keys. */
static void long_key(void)
{
    static char json[1300];
    fer_buf b;
    fer_buf_init_fixed(&b, json, sizeof json);
    fer_buf_add_text(&b, "{\"x\":{\"");
    fer_buf_add_repeat(&b, 'k', 1020);
    fer_buf_add_text(&b, "\":{\"a\":1}}}");
    fer_buf_add_char(&b, '\0');
    run(&(struct row){"long key", json, NULL});
}

/* ---- real definitions ---------------------------------------------------------------------------
 */

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static void real_definitions(void)
{
    char folder[4096];
    struct fer_file_list files;
    fer_arena *names = fer_arena_new(0);
    if (!*rows_data()) {
        print_message("# skipped: FERRULE_TEST_DATA is not there\n");
        fer_arena_free(names);
        skip();
    }
    snprintf(folder, sizeof folder, "%s/tools", rows_data());
    assert_int_equal(fer_file_walk(names, folder, 1000, is_json, &files, NULL), FER_OK);
    for (size_t i = 0; i < files.count; i++) {
        fer_arena *a = fer_arena_new(0);
        fer_str text, yaml;
        fer_json *doc, *back;
        fer_err err;
        bool equal = false;
        fer_json_limits limits = *fer_json_limits_file();
        assert_int_equal(fer_file_read(a, files.paths[i].ptr, limits.size, &text, NULL), FER_OK);
        assert_int_equal(fer_json_read(a, text, &limits, &doc, NULL), FER_OK);
        assert_int_equal(fer_yaml_write(a, fer_json_root(doc), &yaml, NULL), FER_OK);
        if (fer_yaml_read(a, yaml, &limits, &back, &err))
            fail_msg("%s: %u:%u: %s", files.paths[i].ptr, err.line, err.column, err.message);
        assert_int_equal(fer_json_equal(a, fer_json_root(doc), fer_json_root(back), &equal, NULL),
                         FER_OK);
        assert_true(equal);
        fer_arena_free(a);
    }
    fer_arena_free(names);
}

int main(void)
{
    return ROWS_RUN("yaml write", rows, run) + ROWS_RUN("yaml write: no memory", rows, torture) +
           ROWS_ONE("yaml write", long_key) + ROWS_ONE("yaml write", real_definitions);
}
