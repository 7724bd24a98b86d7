/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns as sets of texts: is there a text that these patterns match and those do not, of
 * so many characters? The answer is such a text, or that there is none, so the same question
 * decides whether one pattern takes everything that another takes, and makes examples.
 *
 * Answered by walking the automata of all patterns at once, shortest texts first. Patterns
 * with look-around, back-references or too many states have no automaton: then the answer
 * is that nobody knows. Pure; everything lives in the arena.
 */
#ifndef FER_REGEX_LANG_H
#define FER_REGEX_LANG_H

#include "arena.h"
#include "str.h"

#define FER_LANG_PATTERNS 16    /* of one question */
#define FER_LANG_STATES   20000 /* that are walked for one question */

typedef struct fer_lang fer_lang;

/* The automaton of a pattern; `*out` is NULL where it has none. Fails without memory. */
FER_MUST_USE fer_code fer_lang_make(fer_arena *a, fer_str pattern, const fer_lang **out,
                                    fer_err *err);

typedef enum fer_lang_answer {
    FER_LANG_NONE,    /* there is no such text: proved */
    FER_LANG_TEXT,    /* there is: `text` */
    FER_LANG_UNKNOWN, /* past a limit, or a pattern without automaton */
    FER_LANG_NO_MEMORY
} fer_lang_answer;

typedef struct fer_lang_question {
    const fer_lang *yes[FER_LANG_PATTERNS]; /* all of these match; NULL: has no automaton */
    size_t yes_count;
    const fer_lang *no[FER_LANG_PATTERNS]; /* none of these does */
    size_t no_count;
    uint64_t min; /* characters */
    uint64_t max; /* UINT64_MAX: any number */
} fer_lang_question;

/* One of the shortest texts, of letters and digits where that may be. */
FER_MUST_USE fer_lang_answer fer_lang_find(fer_arena *a, const fer_lang_question *q, fer_str *text);

#endif
