/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns as sets of texts: the texts that are found, and that there is none. */
#include "regex.h"
#include "regex_lang.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *yes;
    const char *no; /* or NULL */
    uint64_t min, max;
    fer_lang_answer answer;
    const char *text; /* or NULL: any that fits */
} rows[] = {
    {"shortest", "^a+$", NULL, 0, UINT64_MAX, FER_LANG_TEXT, "a"},
    {"at least", "^a+$", NULL, 3, UINT64_MAX, FER_LANG_TEXT, "aaa"},
    {"at most", "^a{5}$", NULL, 0, 4, FER_LANG_NONE, NULL},
    {"exactly", "^[ab]+$", NULL, 2, 2, FER_LANG_TEXT, "aa"},
    {"within", "^a+$", "^[a-z]*$", 0, UINT64_MAX, FER_LANG_NONE, NULL},
    {"not within", "^[a-z]+$", "^a+$", 0, UINT64_MAX, FER_LANG_TEXT, NULL},
    {"not anchored", "b", NULL, 0, UINT64_MAX, FER_LANG_TEXT, "b"},
    {"not anchored, within", "abc", "b", 0, UINT64_MAX, FER_LANG_NONE, NULL},
    {"past ASCII", "^[\\u0400-\\u04FF]$", NULL, 0, UINT64_MAX, FER_LANG_TEXT, "\xD0\x80"},
    {"past the BMP", "^[\\u{1F600}-\\u{1F64F}]{2}$", NULL, 0, UINT64_MAX, FER_LANG_TEXT,
     "\xF0\x9F\x98\x80\xF0\x9F\x98\x80"},
    {"classes", "^\\d+$", "^[0-9]+$", 0, UINT64_MAX, FER_LANG_NONE, NULL},
    {"letters", "^\\p{L}$", "^[A-Za-z]$", 0, UINT64_MAX, FER_LANG_TEXT, NULL},
    {"edges", "\\bfoo\\b", NULL, 0, UINT64_MAX, FER_LANG_TEXT, "foo"},
    {"edges, not within", "foo", "\\bfoo\\b", 0, UINT64_MAX, FER_LANG_TEXT, NULL},
    {"empty text", "^$", NULL, 0, UINT64_MAX, FER_LANG_TEXT, ""},
    {"nothing", "a^", NULL, 0, UINT64_MAX, FER_LANG_NONE, NULL},
    {"look-around", "^(?=a)", NULL, 0, UINT64_MAX, FER_LANG_UNKNOWN, NULL},
    {"back-reference", "^(a)\\1$", NULL, 0, UINT64_MAX, FER_LANG_UNKNOWN, NULL},
    {"min above max", "a", NULL, 2, 1, FER_LANG_NONE, NULL},
    {"the limit", "^a*$", NULL, FER_LANG_STATES - 1, UINT64_MAX, FER_LANG_TEXT, NULL},
    {"past the limit", "^a*$", NULL, FER_LANG_STATES + 1, UINT64_MAX, FER_LANG_UNKNOWN, NULL},
};

static bool matches(fer_arena *a, const char *pattern, fer_str text)
{
    const fer_regex *re;
    fer_err err;
    size_t steps = 1000000;
    assert_int_equal(fer_regex_compile(a, fer_str_of(pattern), NULL, &re, &err), FER_OK);
    return fer_regex_search(re, text, &steps, a) == FER_MATCH_YES;
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_err err;
    fer_str text;
    fer_lang_question q = {
        .yes_count = 1, .no_count = row->no != NULL, .min = row->min, .max = row->max};
    fer_code code = fer_lang_make(a, fer_str_of(row->yes), &q.yes[0], &err);
    if (!code && row->no) code = fer_lang_make(a, fer_str_of(row->no), &q.no[0], &err);
    if (code) return code;
    fer_lang_answer answer = fer_lang_find(a, &q, &text);
    if (answer == FER_LANG_NO_MEMORY) return fer_arena_code(a);
    assert_int_equal(answer, row->answer);
    if (answer != FER_LANG_TEXT) return FER_OK;
    if (row->text) assert_str(text, row->text);
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_lang_question q = {
        .yes_count = 1, .no_count = row->no != NULL, .min = row->min, .max = row->max};
    fer_str text;
    fer_err err;
    assert_int_equal(fer_lang_make(a, fer_str_of(row->yes), &q.yes[0], &err), FER_OK);
    if (row->no) assert_int_equal(fer_lang_make(a, fer_str_of(row->no), &q.no[0], &err), FER_OK);
    if (fer_lang_find(a, &q, &text) == FER_LANG_TEXT) {
        assert_true(matches(a, row->yes, text));
        if (row->no) assert_false(matches(a, row->no, text));
    }
    fer_arena_free(a);
}

static void torture(void)
{
    for (size_t i = 0; i < 6; i++) rows_torture_arena(attempt, &rows[i]);
}

int main(void)
{
    return ROWS_RUN("languages", rows, run) + ROWS_ONE("languages", torture);
}
