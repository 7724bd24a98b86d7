/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions for JSON Schema: ECMA-262 (15th edition) with the `u` flag, asked
 * one question, whether a pattern matches somewhere in a text. What a match captures is
 * deliberately left out, and so are flags, modifiers and the `v` flag.
 *
 * Compiling also takes what Annex B and real schemas write: `\-`, `\:`, `\_` and other
 * needless escapes of ASCII punctuation and of the space, a lone `]`, `{` or `}`, and
 * `[\w-.]` with a plain `-`. Letters and digits are not forgiven: `\Z` or `\a` would mean
 * something else to their author.
 *
 * Every pattern without a back-reference is matched in time linear in the text, whatever
 * the pattern, look-around included. Only back-references are searched for by trying,
 * and that is stopped by the budget.
 *
 * Pure. A compiled pattern is immutable, may be used by many threads at once and lives in
 * the arena that it was compiled into. A text that is not UTF-8 is safe to search; what
 * is found in it is not defined.
 */
#ifndef FER_REGEX_H
#define FER_REGEX_H

#include "arena.h"
#include "str.h"

typedef struct fer_regex fer_regex;

typedef struct fer_regex_limits {
    size_t pattern; /* bytes of a pattern; 1,024 */
    size_t repeat;  /* the largest count of a repetition; 1,000 */
    size_t states;  /* states of the automaton; 10,000 */
} fer_regex_limits;
const fer_regex_limits *fer_regex_limits_default(void);

/* How deep groups may be nested; more is FER_LIMIT_EXCEEDED. */
#define FER_REGEX_NESTING 250

/*
 * FER_INVALID_FORMAT: this is not a pattern; the message says what is wrong and at which
 * character, err->offset at which byte. FER_LIMIT_EXCEEDED: it is beyond a limit (NULL: the
 * default ones) or the arena's budget.
 */
FER_MUST_USE fer_code fer_regex_compile(fer_arena *a, fer_str pattern,
                                        const fer_regex_limits *limits, const fer_regex **out,
                                        fer_err *err);
/*
 * Whether a text is a pattern by the letter of ECMA-262 with the `u` flag, for the format
 * "regex": nothing is forgiven, and no limit is applied but that on nesting.
 */
FER_MUST_USE fer_code fer_regex_check(fer_arena *scratch, fer_str pattern, fer_err *err);

typedef enum fer_match {
    FER_MATCH_NO,
    FER_MATCH_YES,
    FER_MATCH_BUDGET,   /* the steps did not suffice */
    FER_MATCH_NO_MEMORY /* the scratch arena gave no more */
} fer_match;

/*
 * Searches the text for a match that may begin anywhere, as RegExp.prototype.test does.
 * `*steps` is what may still be spent; it is decreased by what the search cost: 1, and about
 * one step for each byte and live state. `scratch` is used on the way.
 */
FER_MUST_USE fer_match fer_regex_search(const fer_regex *re, fer_str text, size_t *steps,
                                        fer_arena *scratch);

/* True where every search is linear in the text, which is so without back-references. */
bool fer_regex_is_linear(const fer_regex *re);

#endif
