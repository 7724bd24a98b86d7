/* SPDX-License-Identifier: Apache-2.0 */
/* Stop words and filler as a table of keys, which a tokeniser keeps: every new word is asked for.
 */
#ifndef FER_STOPWORDS_H
#define FER_STOPWORDS_H

#include "tokens.h"

#define FER_STOPWORD_SLOTS 1024 /* a power of two */

typedef struct fer_stopwords {
    fer_token_key keys[FER_STOPWORD_SLOTS]; /* of no bytes: nobody is here */
    uint8_t uses[FER_STOPWORD_SLOTS];       /* fer_token_use */
} fer_stopwords;

/* A word that is FER_TOKEN_STOP, by number; of no bytes past the last. */
fer_str fer_stopword(size_t number);

/* Of zeros. */
void fer_stopwords_init(fer_stopwords *s);
/* What a folded word, not stemmed, is; with zeros behind it, as tokens have it. */
fer_token_use fer_stopwords_use(const fer_stopwords *s, fer_str word);

#endif
