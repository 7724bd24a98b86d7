/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machines that search, the third stage of regex.h. Each is the cheapest for some
 * patterns; regex.c chooses. All of them take what they cost from `*steps`. Pure.
 */
#ifndef FER_REGEX_MATCH_H
#define FER_REGEX_MATCH_H

#include "regex_prog.h"

/* ---- runs: ^ and sets one after the other, where no run can take what the next one needs --- */

typedef struct fer_re_item {
    const fer_set *set; /* NULL: the characters of `text`, one after the other */
    uint32_t min;       /* as many as the text has */
    uint32_t max;       /* FER_RE_NO_BOUND: none */
    const char *text;
    uint8_t bit; /* of its set in the classes; 0: it has none */
} fer_re_item;

typedef struct fer_re_runs {
    const fer_re_item *items;
    size_t count;
    const uint8_t
        *classes;         /* of each byte of ASCII, a bit for each of the first sets that has it */
    const uint8_t *fixed; /* not NULL: of each place, the bit that its byte must have, */
    size_t length;        /* and how many places there are, no more and no less */
    bool to_end;          /* ends in $ */
    fer_str literal;      /* ptr not NULL: not anchored, and just this text */
} fer_re_runs;

/* False: the tree has another form; or there is no memory, which `*code` then says. */
FER_MUST_USE bool fer_re_runs_make(fer_arena *a, const fer_re_tree *tree, fer_re_runs *out,
                                   fer_code *code, fer_err *err);
FER_MUST_USE fer_match fer_re_runs_search(const fer_re_runs *r, fer_str text, size_t *steps);

/* ---- a deterministic automaton: one look-up a character ------------------------------------- */

typedef struct fer_re_dfa fer_re_dfa;

/*
 * `*out` is NULL where the automaton would be too large, or would need memory beside the arena
 * that is not there. The program has no captures or looks.
 */
FER_MUST_USE fer_code fer_re_dfa_make(fer_arena *a, const fer_re_prog *p, const fer_re_dfa **out,
                                      fer_err *err);
FER_MUST_USE fer_match fer_re_dfa_search(const fer_re_dfa *d, fer_str text, size_t *steps);

/* ---- all paths at once, or one after the other ---------------------------------------------- */

FER_MUST_USE fer_match fer_re_run_search(const fer_re_prog *p, fer_str text, size_t *steps,
                                         fer_arena *scratch);
FER_MUST_USE fer_match fer_re_back_search(const fer_re_prog *p, fer_str text, size_t *steps,
                                          fer_arena *scratch);

#endif
