/* SPDX-License-Identifier: Apache-2.0 */
/* YAML made to hurt: deep, wide, full of aliases. Each is refused by a limit, and quickly. */
#include "rows.h"

#include <time.h>

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
    {"127 levels below an alias", "a: &x [1]\nb: ", "[", 127, "*x", 1, FER_INVALID_YAML, ""},
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
    clock_t start = clock();
    fer_code code = fer_yaml_read(a, text, NULL, &doc, &err);
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
    if (code != row->code) fail_msg("%s %s", fer_code_info(code)->name, err.message);
    if (!strstr(err.message, row->says)) fail_msg("\"%s\"", err.message);
    fer_arena_free(a);
}

/* A billion laughs: nine levels of nine aliases each. */
static void billion_laughs(void)
{
    fer_arena *a = fer_arena_new((size_t)64 << 20);
    fer_buf b;
    fer_json *doc;
    fer_err err = {0};
    fer_buf_init(&b, a, 1u << 16);
    fer_buf_add_text(&b, "a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
    for (char c = 'b'; c < 'k'; c++) {
        fer_buf_printf(&b, "%c: &%c [", c, c);
        for (int i = 0; i < 9; i++) fer_buf_printf(&b, "%s*%c", i ? "," : "", c - 1);
        fer_buf_add_text(&b, "]\n");
    }
    clock_t start = clock();
    assert_int_equal(fer_yaml_read(a, fer_buf_view(&b), NULL, &doc, &err), FER_LIMIT_EXCEEDED);
    assert_true(clock() - start < CLOCKS_PER_SEC / 2);
    if (!strstr(err.message, "json.")) fail_msg("no limit is named: %s", err.message);
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

static clock_t time_of_blank_lines(size_t n)
{
    clock_t best = 0;
    for (int i = 0; i < 3; i++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *doc;
        fer_str text = repeated(a, "|\n", "\n", n, " a", 1);
        clock_t start = clock();
        (void)fer_yaml_read(a, text, NULL, &doc, NULL); /* a refusal would do */
        clock_t taken = clock() - start;
        if (i == 0 || taken < best) best = taken;
        fer_arena_free(a);
    }
    return best;
}

/* Four times as many blank lines in a string take four times as long, not sixteen. */
static void blank_lines_in_linear_time(void)
{
    clock_t few = time_of_blank_lines(5000), many = time_of_blank_lines(20000);
    if (many > few * 9 + CLOCKS_PER_SEC / 50)
        fail_msg("5000 lines: %ld us, 20000 lines: %ld us", (long)few, (long)many);
}

int main(void)
{
    return ROWS_RUN("yaml limits", bombs, run_bomb) + ROWS_ONE("yaml limits", billion_laughs) +
           ROWS_ONE("yaml limits", alias_past_the_depth) +
           ROWS_ONE("yaml limits", blank_lines_in_linear_time);
}
