/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifiers taken apart into words: snake_case, kebab-case, dots, camelCase, PascalCase and
 * runs of capitals (HTTPServer is HTTP and Server); digits stay with what they follow. The
 * words borrow the text and keep its case; compare them without it. Pure.
 */
#ifndef FER_WORDS_H
#define FER_WORDS_H

#include "str.h"

#define FER_WORDS_MAX 24 /* words of one identifier; the last one holds the rest */

typedef struct fer_name_words {
    fer_str list[FER_WORDS_MAX];
    size_t count;
} fer_name_words;

void fer_words_split(fer_name_words *w, fer_str identifier);
/* The next word at or behind `*at`, which moves behind it; false: there is none. */
bool fer_words_next(fer_str identifier, size_t *at, fer_str *word);

/* Bytes of words, in lower case: letters, digits, and all bytes past ASCII; else 0. */
extern const unsigned char fer_word_chars[256];
static inline bool fer_is_word_char(char c)
{
    return fer_word_chars[(unsigned char)c] != 0;
}

/* Whether two words are the same but for the case of ASCII letters. */
static inline bool fer_word_is(fer_str word, const char *lower)
{
    size_t i = 0;
    for (; i < word.len && lower[i]; i++) {
        if (fer_lower(word.ptr[i]) != lower[i]) return false;
    }
    return i == word.len && !lower[i];
}

/* Ordered as strcmp, the case of the word's ASCII letters ignored. */
int fer_word_cmp(fer_str word, const char *lower);

/* A set of words, written in lower case and in order, for looking up by halving. */
typedef struct fer_word_set {
    const char *const *words;
    size_t count;
} fer_word_set;
#define FER_WORD_SET(list)                                                                         \
    {                                                                                              \
        (list), FER_COUNT(list)                                                                    \
    }
bool fer_word_in(const fer_word_set *set, fer_str word);
/* The place of a word in a sorted list, or SIZE_MAX. */
size_t fer_word_find(const char *const *sorted, size_t count, fer_str word);

#endif
