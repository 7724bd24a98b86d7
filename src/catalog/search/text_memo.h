/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that were taken in before, and the terms of their words. Half of the text of a large
 * registry is text that another tool has too: names and descriptions of parameters, tags,
 * namespaces. Each text has two places, of which a new one takes that of the older. One thread.
 *
 * A text of at most 16 bytes is its own key. Of a longer one the key is a hash of 128 bits under a
 * seed that nobody knows, and two texts with the same are taken for the same.
 */
#ifndef FER_TEXT_MEMO_H
#define FER_TEXT_MEMO_H

#include "tokens.h"

#define FER_MEMO_BYTES 256                  /* longer texts are not remembered, */
#define FER_MEMO_WORDS (FER_MEMO_BYTES / 2) /* which have no more words than that, */
#define FER_MEMO_TERMS 27                   /* nor those with more terms */
#define FER_MEMO_ROWS  16384                /* of two texts, at most */

typedef struct fer_memo_text {
    fer_token_key key; /* of no bytes: nobody is here */
    uint32_t count;
    uint32_t terms[FER_MEMO_TERMS]; /* of its words, in order */
} fer_memo_text;

struct fer_memo_row {
    fer_memo_text texts[2]; /* the newer one first */
};

typedef struct fer_text_memo {
    uint64_t seed[2];
    struct fer_memo_row *rows;
    size_t mask, added; /* since there are so many rows */
} fer_text_memo;

/* False: no memory. */
bool fer_text_memo_init(fer_text_memo *m, const uint64_t seed[2]);
void fer_text_memo_deinit(fer_text_memo *m);
/* The key of a text that may be remembered. */
fer_token_key fer_text_memo_key(const fer_text_memo *m, fer_str text);
/* Asks for what is known of a text that is looked for later. */
void fer_text_memo_fetch(const fer_text_memo *m, const fer_token_key *key);
/* What is remembered, good until another one is; NULL: nothing. */
const fer_memo_text *fer_text_memo_find(const fer_text_memo *m, const fer_token_key *key);
void fer_text_memo_add(fer_text_memo *m, const fer_token_key *key, const uint32_t *terms,
                       size_t count);

#endif
