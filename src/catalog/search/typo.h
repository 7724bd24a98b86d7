/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The word that was meant, where no document has the one that was written: a letter wrong,
 * missing, too many or two swapped, behind the first one; the beginning of a word; two words
 * written as one.
 */
#ifndef FER_TYPO_H
#define FER_TYPO_H

#include "lexical_parts.h"

#define FER_TYPO_MIN   4 /* letters of a word that may be mistyped */
#define FER_PREFIX_MIN 3 /* letters of a beginning */
#define FER_TYPO_MAX   2 /* words that one may have been */

typedef struct fer_typo {
    char texts[FER_TYPO_MAX][FER_TOKEN_MAX + 1];
    size_t lens[FER_TYPO_MAX];
    size_t count; /* 0: nothing is near */
} fer_typo;

/* A word in ASCII letters, and its stem, which no document has; `last`: it may be unfinished. */
void fer_typo_mend(fer_typo *out, const fer_lexical *ix, fer_tokeniser *t, fer_str word,
                   fer_str stem, bool last);

#endif
