/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions at their limits: of the pattern, of steps, of memory. */
#include "rows.h"

#include "regex.h"

#define STEPS ((size_t)1000000)

#define A10    "aaaaaaaaaa"
#define A100   A10 A10 A10 A10 A10 A10 A10 A10 A10 A10
#define DRAGON "\xF0\x9F\x90\xB2" /* U+1F432 */
#define ACUTE  "\xC3\xA9"         /* U+00E9 */
#define ALPHA  "\xCE\xB1"         /* U+03B1 */

static const fer_regex *must_compile(fer_arena *a, const char *pattern)
{
    const fer_regex *re = NULL;
    fer_err err;
    if (fer_regex_compile(a, fer_str_of(pattern), NULL, &re, &err))
        fail_msg("%s: %s", pattern, err.message);
    return re;
}

/* ---- limits -------------------------------------------------------------------------------- */

static const struct limit_row {
    const char *name;
    const char *pattern;
    fer_regex_limits limits;
    bool fits;
    const char *message;
} limit_rows[] = {
    {"pattern, one less", "abc", {4, 10, 100}, true, NULL},
    {"pattern, all", "abcd", {4, 10, 100}, true, NULL},
    {"pattern, one more", "abcde", {4, 10, 100}, false, "the pattern is longer than 4 bytes"},
    {"count, one less", "a{9}", {100, 10, 100}, true, NULL},
    {"count, all", "a{10}", {100, 10, 100}, true, NULL},
    {"count, one more",
     "xa{11}",
     {100, 10, 100},
     false,
     "character 3 of the pattern: a count over 10"},
    {"most, all", "a{0,10}", {100, 10, 100}, true, NULL},
    {"most, one more", "a{0,11}", {100, 10, 100}, false, "a count over 10"},
    {"least without most, all", "a{10,}", {100, 10, 100}, true, NULL},
    {"least without most, one more", "a{11,}", {100, 10, 100}, false, "a count over 10"},
    {"a count past all numbers",
     "a{18446744073709551617}",
     {100, 10, 100},
     false,
     "a count over 10"},
    {"states, one less", "abcd", {100, 10, 6}, true, NULL},
    {"states, all", "abcde", {100, 10, 6}, true, NULL},
    {"states, one more", "abcdef", {100, 10, 6}, false, "the pattern needs more than 6 states"},
    {"states of a choice", "a|b|c", {100, 10, 6}, true, NULL},
    {"states of a choice, one more", "a|b|cd", {100, 10, 6}, false, "more than 6 states"},
    {"states of a count", "a{5}", {100, 10, 6}, true, NULL},
    {"states of a count, one more", "a{6}", {100, 10, 6}, false, "more than 6 states"},
    {"states of an open count", "a{4,}", {100, 10, 6}, true, NULL},
    {"states of an open count, one more", "a{5,}", {100, 10, 6}, false, "more than 6 states"},
    {"states of a range of counts", "a{1,3}", {100, 10, 6}, true, NULL},
    {"states of a range of counts, one more", "a{2,4}", {100, 10, 6}, false, "more than 6 states"},
    {"states of a look", "(?=ab)c", {100, 10, 6}, true, NULL},
    {"states of a look, one more", "(?=abc)d", {100, 10, 6}, false, "more than 6 states"},
    {"states of a reference", "(a)\\1b", {100, 10, 6}, true, NULL},
    {"states of a reference, one more", "(a)\\1bc", {100, 10, 6}, false, "more than 6 states"},
    {"a bomb of counts",
     "((a{1,100}){1,100}){1,100}",
     {1024, 1000, 10000},
     false,
     "more than 10000 states"},
    {"a bomb past all numbers",
     "((((((((a{999}){999}){999}){999}){999}){999}){999}){999})",
     {1024, 1000, SIZE_MAX},
     false,
     "states"},
    {"the same with references",
     "(((((((((a{999}){999}){999}){999}){999}){999}){999}){999})\\1)",
     {1024, 1000, SIZE_MAX},
     false,
     "states"},
};

static void run_limit(const struct limit_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    const fer_regex *re = NULL;
    fer_code code = fer_regex_compile(a, fer_str_of(row->pattern), &row->limits, &re, &err);
    assert_int_equal(code, row->fits ? FER_OK : FER_LIMIT_EXCEEDED);
    assert_int_equal(re != NULL, row->fits);
    if (row->message && !fer_str_ends(fer_str_of(err.message), row->message))
        fail_msg("%s", err.message);
    assert_true(fer_arena_used(a) < 16384);
    fer_arena_free(a);
}

static void limits_are_as_documented(void)
{
    const fer_regex_limits *l = fer_regex_limits_default();
    assert_int_equal(l->pattern, 1024);
    assert_int_equal(l->repeat, 1000);
    assert_int_equal(l->states, 10000);
}

/* A pattern of so many groups inside each other. */
static fer_code nested(fer_arena *a, size_t depth, const char *open, bool strict)
{
    fer_regex_limits limits = {SIZE_MAX, 1000, SIZE_MAX};
    size_t len = strlen(open), size = depth * (len + 1) + 1;
    char *text = fer_arena_alloc(a, size);
    const fer_regex *re;
    assert_non_null(text);
    for (size_t i = 0; i < depth; i++) memcpy(text + i * len, open, len);
    text[depth * len] = 'a';
    memset(text + depth * len + 1, ')', depth);
    return strict ? fer_regex_check(a, (fer_str){text, size}, NULL)
                  : fer_regex_compile(a, (fer_str){text, size}, &limits, &re, NULL);
}

static void nesting_has_an_end(void)
{
    static const char *const opens[] = {"(", "(?:", "(?=", "(?<!", "(|", "(?:b|"};
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(opens); i++) {
        for (int strict = 0; strict < 2; strict++) {
            assert_int_equal(nested(a, FER_REGEX_NESTING - 1, opens[i], strict), FER_OK);
            assert_int_equal(nested(a, FER_REGEX_NESTING, opens[i], strict), FER_OK);
            assert_int_equal(nested(a, FER_REGEX_NESTING + 1, opens[i], strict),
                             FER_LIMIT_EXCEEDED);
            assert_int_equal(nested(a, 100000, opens[i], strict), FER_LIMIT_EXCEEDED);
        }
    }
    fer_arena_free(a);
}

/* ---- budget -------------------------------------------------------------------------------- */

static const struct budget_row {
    const char *name;
    const char *pattern;
    const char *text;
    fer_match answer;
    size_t steps; /* what it costs; 0: not said here */
    bool linear;
} budget_rows[] = {
    {"a run", "^[a-z]{1,64}$", "abc", FER_MATCH_YES, 4, true},
    {"a run of nothing", "^[a-z]{1,64}$", "", FER_MATCH_NO, 1, true},
    {"a run that is decided early", "^x-", "x-" A100, FER_MATCH_YES, 3, true},
    {"a run that fails early", "^x-", A100, FER_MATCH_NO, 2, true},
    {"a run past ASCII", "^" DRAGON "+$", DRAGON DRAGON, FER_MATCH_YES, 9, true},
    {"a literal", "needle", "a needle " A100, FER_MATCH_YES, 9, true},
    {"no literal", "needle", A10, FER_MATCH_NO, 11, true},
    {"an automaton", "^(?:a|b)+$", "abab", FER_MATCH_YES, 5, true},
    {"an automaton that is decided early", "a|b", "xxa" A100, FER_MATCH_YES, 5, true},
    {"an automaton past ASCII", "^(?:" DRAGON "|" ACUTE ")+$", DRAGON ACUTE "a", FER_MATCH_NO, 8,
     true},
    {"many states", "^(?:a?){400}b", A100, FER_MATCH_NO, 0, true},
    {"look-around", "^(?=.*b)a", A10, FER_MATCH_NO, 0, true},
    {"a reference", "^(a+)\\1$", A10, FER_MATCH_YES, 0, false},
    {"a bomb of repetitions", "^(a+)+$", A100 "!", FER_MATCH_NO, 102, true},
    {"a bomb of choices", "^(a|a)*$", A100 "!", FER_MATCH_NO, 102, true},
    {"a bomb of dots", "^(.*a){12}$", A100 "!", FER_MATCH_NO, 102, true},
    {"a bomb behind a look", "^(?=a)(a+)+$", A100 "!", FER_MATCH_NO, 0, true},
    {"a bomb in a look", "(?=(a+)+$)", A100 "!", FER_MATCH_NO, 0, true},
    {"a bomb of options", "^(?:a?){500}a{400}$", A100 A100 A100, FER_MATCH_NO, 0, true},
};

static void run_budget(const struct budget_row *row)
{
    fer_arena *a = fer_arena_new(0);
    const fer_regex *re = must_compile(a, row->pattern);
    fer_str text = fer_str_of(row->text);
    size_t steps = STEPS;
    rows_must_end(60);
    assert_int_equal(fer_regex_search(re, text, &steps, a), row->answer);
    assert_int_equal(fer_regex_is_linear(re), row->linear);
    size_t cost = STEPS - steps;
    if (row->steps) assert_int_equal(cost, row->steps);
    for (size_t budget = 0; budget<cost + 3; budget += cost> 1000 ? cost / 16 : 1) {
        steps = budget;
        fer_match m = fer_regex_search(re, text, &steps, a);
        assert_true(steps <= budget);
        assert_int_equal(m, budget < cost ? FER_MATCH_BUDGET : row->answer);
        if (m == FER_MATCH_BUDGET && !row->linear) assert_int_equal(steps, 0);
    }
    rows_must_end(0);
    fer_arena_free(a);
}

/* Where a search is not linear, the budget ends it, and so does the depth of what it tries. */
static void references_end_by_budget(void)
{
    fer_arena *a = fer_arena_new(0);
    const fer_regex *re = must_compile(a, "^(?:(a+)+\\1)+$");
    size_t steps = STEPS, size = (size_t)1 << 20;
    rows_must_end(60);
    assert_int_equal(fer_regex_search(re, FER_STR(A100 "!"), &steps, a), FER_MATCH_BUDGET);
    assert_int_equal(steps, 0);
    char *text = fer_arena_alloc(a, size);
    assert_non_null(text);
    memset(text, 'a', size);
    steps = SIZE_MAX;
    re = must_compile(a, "^(a)*\\1$");
    assert_int_equal(fer_regex_search(re, (fer_str){text, size}, &steps, a), FER_MATCH_BUDGET);
    rows_must_end(0);
    fer_arena_free(a);
}

/* Linear machines leave the scratch arena as it was. */
static void scratch_is_given_back(void)
{
    fer_arena *a = fer_arena_new(0), *scratch = fer_arena_new(0);
    const fer_regex *re = must_compile(a, "(?=b)b(?<=ab)");
    for (int i = 0; i < 3; i++) {
        size_t steps = STEPS;
        assert_int_equal(fer_regex_search(re, FER_STR("aab"), &steps, scratch), FER_MATCH_YES);
        assert_int_equal(fer_arena_used(scratch), 0);
    }
    fer_arena_free(a);
    fer_arena_free(scratch);
}

/* ---- memory -------------------------------------------------------------------------------- */

static const struct memory_row {
    const char *name;
    const char *pattern;
    const char *text;
} memory_rows[] = {
    {"runs", "^[a-c" ACUTE "-\xC3\xBC\\s]{1,3}x$", "abcx"},
    {"literal", "needle", "a needle"},
    {"automaton", "(?:a|b\\b|\\p{sc=Grek}|[\\p{Lu}\\S])+x|\\d", "1"},
    {"properties", "[^\\P{L}\\p{Lu}]|[" ALPHA "\\p{Nd}\\W]", "a"},
    {"program", "(?=a)(?:ab?){300}(?<=b)", A10},
    {"references", "^(?<n>a+)(?:\\k<n>|(?!b)c)*$", A10},
    {"wrong", "(?<n>a)(?<m>b)[\\d" ACUTE "]\\k<n>\\2\\3", ""},
};

static fer_code attempt(fer_arena *a, const void *p)
{
    const struct memory_row *row = p;
    fer_arena *own = a ? NULL : fer_arena_new(0);
    if (!a && !own) return FER_OUT_OF_MEMORY;
    fer_arena *used = a ? a : own;
    const fer_regex *re = NULL;
    fer_err err = {0};
    fer_str pattern = fer_str_of(row->pattern);
    fer_code code = fer_regex_compile(used, pattern, NULL, &re, &err);
    if (code) {
        assert_null(re);
        assert_int_equal(err.code, code);
        /* A pattern that is wrong is done with. */
        if (code == FER_INVALID_FORMAT) code = FER_OK;
    } else {
        size_t steps = STEPS;
        fer_match m = fer_regex_search(re, fer_str_of(row->text), &steps, used);
        assert_int_not_equal(m, FER_MATCH_BUDGET);
        if (m == FER_MATCH_NO_MEMORY) code = fer_arena_code(used);
    }
    if (!code) {
        code = fer_regex_check(used, pattern, &err);
        if (code == FER_INVALID_FORMAT) code = FER_OK;
    }
    fer_arena_free(own);
    return code;
}

static void run_memory(const struct memory_row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 0);
    assert_true(rows_torture_malloc(attempt, row) > 0);
}

int main(void)
{
    return ROWS_RUN("regex limits", limit_rows, run_limit) +
           ROWS_RUN("regex budget", budget_rows, run_budget) +
           ROWS_RUN("regex memory", memory_rows, run_memory) +
           ROWS_ONE("regex", limits_are_as_documented) + ROWS_ONE("regex", nesting_has_an_end) +
           ROWS_ONE("regex", references_end_by_budget) + ROWS_ONE("regex", scratch_is_given_back);
}
