/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a pattern: its text is parsed to a tree; the simplest trees become runs
 * (regex_runs.c); others become a program, and where that is small, a deterministic
 * automaton (regex_dfa.c). A search then takes the machine that was chosen here.
 */
#include "regex.h"

#include "errors.h"
#include "regex_match.h"

struct fer_regex {
    enum {
        RUNS,
        AUTOMATON,
        PROGRAM,
        BACKTRACKING
    } machine;
    union {
        fer_re_runs runs;
        const fer_re_dfa *dfa;
        fer_re_prog prog;
    };
};

const fer_regex_limits *fer_regex_limits_default(void)
{
    static const fer_regex_limits limits = {.pattern = 1024, .repeat = 1000, .states = 10000};
    return &limits;
}

static fer_code choose(fer_arena *a, const fer_re_tree *tree, size_t size, fer_regex *re,
                       fer_err *err)
{
    fer_code code = FER_OK;
    if (fer_re_runs_make(a, tree, &re->runs, &code, err)) {
        re->machine = RUNS;
        return FER_OK;
    }
    fer_re_prog prog;
    if (!code) code = fer_re_prog_make(a, tree, size, &prog, err);
    if (code) return code;
    const fer_re_dfa *dfa = NULL;
    if (!tree->references && !tree->looks) code = fer_re_dfa_make(a, &prog, &dfa, err);
    if (code) return code;
    if (dfa) {
        re->machine = AUTOMATON;
        re->dfa = dfa;
    } else {
        re->machine = tree->references ? BACKTRACKING : PROGRAM;
        re->prog = prog;
    }
    return FER_OK;
}

fer_code fer_regex_compile(fer_arena *a, fer_str pattern, const fer_regex_limits *limits,
                           const fer_regex **out, fer_err *err)
{
    fer_re_tree tree;
    if (!limits) limits = fer_regex_limits_default();
    if (pattern.len > limits->pattern)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the pattern is longer than %zu bytes",
                        limits->pattern);
    fer_code code = fer_re_parse(a, pattern, limits, &tree, err);
    if (code) return code;
    size_t size = fer_re_prog_size(&tree);
    if (size > limits->states || size >= UINT32_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the pattern needs more than %zu states",
                        limits->states);
    fer_regex *re = fer_arena_alloc_zero(a, 1, sizeof *re);
    if (!re) return fer_arena_failed(a, err);
    code = choose(a, &tree, size, re, err);
    if (!code) *out = re;
    return code;
}

fer_code fer_regex_check(fer_arena *scratch, fer_str pattern, fer_err *err)
{
    fer_re_tree tree;
    return fer_re_parse(scratch, pattern, NULL, &tree, err);
}

fer_match fer_regex_search(const fer_regex *re, fer_str text, size_t *steps, fer_arena *scratch)
{
    if (*steps == 0) return FER_MATCH_BUDGET;
    (*steps)--;
    switch (re->machine) {
    case RUNS: return fer_re_runs_search(&re->runs, text, steps);
    case AUTOMATON: return fer_re_dfa_search(re->dfa, text, steps);
    case PROGRAM: return fer_re_run_search(&re->prog, text, steps, scratch);
    case BACKTRACKING: break;
    }
    return fer_re_back_search(&re->prog, text, steps, scratch);
}

bool fer_regex_is_linear(const fer_regex *re)
{
    return re->machine != BACKTRACKING;
}
