/* SPDX-License-Identifier: Apache-2.0 */
/* YAML made to hurt: deep, wide, full of aliases. Each is refused by a limit, and quickly. */
#include "rows.h"

#include "buf.h"
#include "json_doc.h"

static fer_str repeated(fer_arena *a, const char *before, const char *unit, size_t n,
                        const char *after, size_t closing)
{
    fer_buf b;
    fer_buf_init(&b, a, 1u << 26);
    fer_buf_add_text(&b, before);
    for (size_t i = 0; i < n; i++) fer_buf_add_text(&b, unit);
    for (size_t i = 0; i < closing; i++) fer_buf_add_text(&b, after);
    return fer_buf_view(&b);
}

static const struct bomb {
    const char *name;
    const char *before, *unit;
    size_t n;
    const char *after;
    size_t closing;
    fer_code code;
    const char *says;
} bombs[] = {
    {"128 levels", "", "[", 128, "]", 128, FER_OK, ""},
    {"129 levels", "", "[", 129, "]", 129, FER_LIMIT_EXCEEDED, "json.depth: 129"},
    {"128 levels of blocks", "", "- ", 128, "a", 1, FER_OK, ""},
    {"129 levels of blocks", "", "- ", 129, "a", 1, FER_LIMIT_EXCEEDED, "json.depth: 129"},
    {"100,000 open brackets", "", "[", 100000, "", 0, FER_LIMIT_EXCEEDED, "json.depth"},
    {"50,000 open braces", "", "{a: ", 50000, "", 0, FER_LIMIT_EXCEEDED, "json.depth"},
    {"100,000 dashes", "", "- ", 100000, "", 0, FER_LIMIT_EXCEEDED, "json.depth"},
    {"100,000 question marks", "", "? ", 100000, "", 0, FER_INVALID_YAML, "string"},
    {"100,000 tags", "", "!a ", 100000, "", 0, FER_INVALID_YAML, ""},
    {"100,000 anchors of nothing", "", "&a ", 100000, "", 0, FER_INVALID_YAML, ""},
    {"100,000 documents", "", "---\n", 100000, "", 0, FER_INVALID_YAML, "a second document"},
    {"99 blank lines", "- |\n", "\n", 99, "  a", 1, FER_OK, ""},
    {"1000 blank lines, one in two", "- |\n", "\n  a\n", 1000, "", 0, FER_OK, ""},
    {"999 anchors", "", "- &a 1\n", 999, "", 0, FER_OK, ""},
    {"1000 anchors", "", "- &a 1\n", 1000, "", 0, FER_OK, ""},
    {"1001 anchors", "", "- &a 1\n", 1001, "", 0, FER_LIMIT_EXCEEDED, "yaml.anchors"},
    {"100,001 aliases of ten items", "- &a [1,2,3,4,5,6,7,8,9,10]\n", "- *a\n", 100001, "", 0,
     FER_LIMIT_EXCEEDED, "json."},
};

static void run_bomb(const struct bomb *row)
{
    fer_arena *a = fer_arena_new((size_t)256 << 20);
    fer_json *doc;
    fer_err err = {0};
    fer_str text = repeated(a, row->before, row->unit, row->n, row->after, row->closing);
    rows_must_end(60);
    fer_code code = fer_yaml_read(a, text, NULL, &doc, &err);
    rows_must_end(0);
    if (code != row->code) fail_msg("%s %s", fer_code_info(code)->name, err.message);
    if (!strstr(err.message, row->says)) fail_msg("\"%s\"", err.message);
    fer_arena_free(a);
}

/* A billion laughs: levels of nine aliases each, refused by a limit long before memory ends. */
static const struct laughs {
    const char *name;
    const fer_json_limits *(*limits)(void);
    const char *laugh;
} laughs[] = {
    {"by the limits of messages", fer_json_limits_message, "lol"},
    {"by the limits of messages, short ones", fer_json_limits_message, "1"},
    {"by the limits of files", fer_json_limits_file, "lol"},
    {"by the limits of files, short ones", fer_json_limits_file, "1"},
};

static void run_laughs(const struct laughs *row)
{
    fer_arena *a = fer_arena_new((size_t)512 << 20);
    fer_buf b;
    fer_json *doc;
    fer_err err = {0};
    fer_buf_init(&b, a, 1u << 16);
    fer_buf_add_text(&b, "a: &a [");
    for (int i = 0; i < 9; i++) fer_buf_printf(&b, "%s%s", i ? "," : "", row->laugh);
    fer_buf_add_text(&b, "]\n");
    for (char c = 'b'; c < 'm'; c++) {
        fer_buf_printf(&b, "%c: &%c [", c, c);
        for (int i = 0; i < 9; i++) fer_buf_printf(&b, "%s*%c", i ? "," : "", c - 1);
        fer_buf_add_text(&b, "]\n");
    }
    rows_must_end(60);
    assert_int_equal(fer_yaml_read(a, fer_buf_view(&b), row->limits(), &doc, &err),
                     FER_LIMIT_EXCEEDED);
    rows_must_end(0);
    if (!strstr(err.message, "json.") && !strstr(err.message, "yaml."))
        fail_msg("no limit is named: %s", err.message);
    fer_arena_free(a);
}

/* An alias puts its copy deeper than the anchor was. */
static void alias_past_the_depth(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json_limits limits = *fer_json_limits_message();
    fer_json *doc;
    fer_err err;
    limits.depth = 4;
    fer_str fits = FER_STR("a: &x [[1]]\nb: [*x]"), deeper = FER_STR("a: &x [[1]]\nb: [[*x]]");
    assert_int_equal(fer_yaml_read(a, fits, &limits, &doc, &err), FER_OK);
    assert_int_equal(fer_yaml_read(a, deeper, &limits, &doc, &err), FER_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.message, "json.depth"));
    assert_true(err.line > 0);
    fer_arena_free(a);
}

/* Aliases of 1,024 bytes of JSON each, up to yaml.expanded and one past it. */
static void expanded_at_the_edge(void)
{
    const size_t edge = FER_YAML_EXPANDED / 1024;
    for (size_t n = edge - 1; n <= edge + 1; n++) {
        fer_arena *a = fer_arena_new(0);
        fer_buf b;
        fer_json *doc;
        fer_err err = {0};
        fer_buf_init(&b, a, 1u << 20);
        fer_buf_add_text(&b, "- &a ");
        fer_buf_add_repeat(&b, 'x', 1022);
        for (size_t i = 0; i < n; i++) fer_buf_add_text(&b, "\n- *a");
        fer_code code = fer_yaml_read(a, fer_buf_view(&b), NULL, &doc, &err);
        assert_int_equal(code, n <= edge ? FER_OK : FER_LIMIT_EXCEEDED);
        if (code) assert_non_null(strstr(err.message, "yaml.expanded:"));
        fer_arena_free(a);
    }
}

/* ---- 200,000 of anything are read, or refused, without taking their square ------- */

static const struct growth {
    const char *name;
    const char *before, *unit, *after; /* a '#' in the unit is its number */
} growths[] = {
    {"blank lines", "|\n", "\n", " a"},
    {"blank lines in quotes", "\"", "\n", "a\""},
    {"blank lines, some text between", "|\n", "\n\n\n\n\n\n\n\n\n\n a\n", ""},
    {"spaces behind a dash", "-", " ", "a"},
    {"spaces behind a key", "a:", " ", "b"},
    {"spaces behind a question mark", "?", " ", "b"},
    {"spaces behind a bracket", "[", " ", "b]"},
    {"spaces behind a marker", "---", " ", "b"},
    {"spaces before a block", "|\n", " ", "b"},
    {"a long name of a directive", "%", "a", "\n--- x"},
    {"a long directive", "%FOO ", "a", "\n--- x"},
    {"words of a directive", "%FOO ", "a ", "\n--- x"},
    {"many directives", "", "%FOO a\n", "--- x"},
    {"many handles of tags", "", "%TAG !h#! tag:x\n", "--- x"},
    {"a long tag", "!", "a", " x"},
    {"escapes in a tag", "!", "%41", " x"},
    {"a long tag in full", "!<", "a", "> x"},
    {"a long anchor", "&", "a", " x"},
    {"a long comment", "a #", "b", ""},
    {"a long key", "", "a", ": 1"},
    {"items on a line", "[", "a, ", "]"},
    {"items in a block", "", "- a\n", ""},
    {"keys on a line", "{", "k#: 1, ", "}"},
    {"keys in a block", "", "k#: 1\n", ""},
    {"lines of a string", "\"", "a\n", "\""},
    {"lines of a block", ">\n", " a\n", ""},
    {"open braces", "", "{a: ", ""},
    {"ends of documents", "a\n", "...\n", ""},
};

static void run_growth(const struct growth *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_buf b;
    fer_buf_init(&b, a, 1u << 24);
    fer_buf_add_text(&b, row->before);
    for (size_t i = 0; i < 200000; i++) {
        fer_str unit = fer_str_of(row->unit);
        size_t hash = fer_str_find(unit, 0, '#');
        if (hash == SIZE_MAX) {
            fer_buf_add(&b, unit);
        } else {
            fer_buf_add(&b, fer_str_slice(unit, 0, hash));
            fer_buf_printf(&b, "%zu", i);
            fer_buf_add(&b, fer_str_slice(unit, hash + 1, unit.len));
        }
    }
    fer_buf_add_text(&b, row->after);
    rows_must_end(60);
    (void)fer_yaml_read(a, fer_buf_view(&b), fer_json_limits_file(), &doc,
                        NULL); /* a refusal would do */
    rows_must_end(0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("yaml limits", bombs, run_bomb) + ROWS_RUN("yaml laughs", laughs, run_laughs) +
           ROWS_ONE("yaml limits", alias_past_the_depth) +
           ROWS_ONE("yaml limits", expanded_at_the_edge) +
           ROWS_RUN("yaml growth", growths, run_growth);
}
