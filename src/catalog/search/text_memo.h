/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that were taken in before, and the terms of their words. Half of the text of a large
 * registry is text that another tool has too: names and descriptions of parameters, tags,
 * namespaces. Each lies with its terms behind the one before it, so that no memory is touched but
 * what they need; a table of 4 bytes a slot finds them. One thread.
 *
 * A text of at most 16 bytes is its own key. Of a longer one the key is a hash of 128 bits under a
 * seed that nobody knows, and two texts with the same are taken for the same.
 */
#ifndef FER_TEXT_MEMO_H
#define FER_TEXT_MEMO_H

#include "arena.h"
#include "tokens.h"

#define FER_MEMO_BYTES 256                  /* longer texts are not remembered, */
#define FER_MEMO_WORDS (FER_MEMO_BYTES / 2) /* which have no more words than that, */
#define FER_MEMO_TERMS 64                   /* nor those with more terms */
#define FER_MEMO_LOT   8                    /* terms that are copied at once */

#define FER_MEMO_BLOCKS 1024 /* of 256 KiB: what does not fit into them is not remembered */

typedef struct fer_text_memo {
    fer_arena *arena;
    uint64_t seed[2];
    /* Texts in units of 16 bytes: a key; how many terms; the terms. The first unit is no text's. */
    uint32_t *blocks[FER_MEMO_BLOCKS];
    uint32_t used;   /* units */
    uint32_t *slots; /* bits of the hash | unit where it begins; 0: empty */
    uint32_t mask, count;
} fer_text_memo;

typedef struct fer_memo_key {
    fer_token_key text;
    uint64_t hash;
} fer_memo_key;

/* The terms of the words of a text, in order. */
typedef struct fer_memo_text {
    const uint32_t *terms;
    uint32_t count;
} fer_memo_text;

/* With so many slots, a power of two; there are more when half of them are full. False: no memory.
 */
bool fer_text_memo_init(fer_text_memo *m, fer_arena *a, uint32_t slots);
/* The key of a text that may be remembered. What is known of it is asked for, as it is looked for
 * later; ... */
fer_memo_key fer_text_memo_key(const fer_text_memo *m, fer_str text);
/* ... and again, when that has come. */
void fer_text_memo_fetch(const fer_text_memo *m, const fer_memo_key *key);
/* What is remembered, good until another one is. False: nothing. */
bool fer_text_memo_find(const fer_text_memo *m, const fer_memo_key *key, fer_memo_text *out);
/* One that is not there. The terms can be read up to a multiple of FER_MEMO_LOT. Without memory
 * nothing is remembered. */
void fer_text_memo_add(fer_text_memo *m, const fer_memo_key *key, const uint32_t *terms,
                       size_t count);

#endif
