/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that were taken in before, and the terms of their words. Half of the text of a large
 * registry is text that another tool has too: names and descriptions of parameters, tags,
 * namespaces. Each text has three places, in one line of the cache, of which a new one takes that
 * of the oldest; the terms go behind those of the text before, in a ring that overwrites the
 * oldest. One thread.
 *
 * A text of at most 16 bytes is its own key. Of a longer one the key is a hash of 128 bits under a
 * seed that nobody knows, and two texts with the same are taken for the same.
 */
#ifndef FER_TEXT_MEMO_H
#define FER_TEXT_MEMO_H

#include "tokens.h"

#define FER_MEMO_BYTES 256                  /* longer texts are not remembered, */
#define FER_MEMO_WORDS (FER_MEMO_BYTES / 2) /* which have no more words than that, */
#define FER_MEMO_TERMS 64                   /* nor those with more terms */
#define FER_MEMO_ROWS  32768                /* of three texts, at most */
#define FER_MEMO_WAYS  3
#define FER_MEMO_RING  16 /* terms of a row, on the whole */

/* A line of the cache. */
struct fer_memo_row {
    fer_token_key keys[FER_MEMO_WAYS]; /* the newest first; of no bytes: nobody is here */
    uint32_t at[FER_MEMO_WAYS];        /* where the terms are, among all that were ever put */
    uint8_t counts[FER_MEMO_WAYS];
    uint8_t free;
};

typedef struct fer_text_memo {
    uint64_t seed[2];
    void *memory;              /* of what follows */
    struct fer_memo_row *rows; /* from where a line begins */
    uint32_t *ring;            /* FER_MEMO_RING terms for each row */
    size_t mask, added;        /* since there are so many rows */
    uint32_t put;              /* terms that were ever put */
} fer_text_memo;

/* The terms of the words of a text, in order. */
typedef struct fer_memo_text {
    const uint32_t *terms;
    uint32_t count;
} fer_memo_text;

/* False: no memory. */
bool fer_text_memo_init(fer_text_memo *m, const uint64_t seed[2]);
void fer_text_memo_deinit(fer_text_memo *m);
/* The key of a text that may be remembered. */
fer_token_key fer_text_memo_key(const fer_text_memo *m, fer_str text);
/* Asks for what is known of a text that is looked for later. */
void fer_text_memo_fetch(const fer_text_memo *m, const fer_token_key *key);
/* What is remembered, good until another one is. False: nothing. */
bool fer_text_memo_find(const fer_text_memo *m, const fer_token_key *key, fer_memo_text *out);
void fer_text_memo_add(fer_text_memo *m, const fer_token_key *key, const uint32_t *terms,
                       size_t count);

#endif
