/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of at most FER_TOKEN_KEY bytes that were met, each with a number, and which terms they are.
 * They lie side by side in the order in which they came, so that those that come often, which come
 * early, share a few lines of the cache; a table of 4 bytes a slot finds them. Where one lies may
 * change when another is added. One thread.
 */
#ifndef FER_MET_WORDS_H
#define FER_MET_WORDS_H

#include "arena.h"
#include "tokens.h"

#define FER_WORDS_NONE UINT32_MAX
#define FER_WORDS_NEW  (UINT32_MAX - 1)

typedef struct fer_word {
    fer_token_key key;
    uint32_t
        term; /* that it is a form of; FER_WORDS_NONE: a stop word; FER_WORDS_NEW: nobody asked */
    uint32_t own; /* whose text it is; FER_WORDS_NONE: no term's */
} fer_word;

typedef struct fer_words {
    fer_arena *arena;
    uint64_t seed[2];
    fer_word *list;
    size_t first, cap;
    uint32_t first_slots;
    uint32_t *slots; /* bits of the hash | number; 0: empty */
    uint32_t mask;
    uint32_t number_bits; /* of a slot */
    uint32_t count;       /* with number 0, which is none: of no bytes */
} fer_words;

/* With room for `first` words and so many slots, a power of two, which is taken when there is a
 * word. */
void fer_words_init(fer_words *w, fer_arena *a, size_t first, uint32_t slots);
/* Makes room for a word more. False: no memory. */
bool fer_words_make_room(fer_words *w);

static inline fer_word *fer_words_get(const fer_words *w, uint32_t number)
{
    return &w->list[number];
}

/* A seed that nobody knows: one multiplication does. */
static inline uint64_t fer_words_hash(const fer_words *w, const fer_token_key *key)
{
    return fer_token_mix(key->part[0] ^ w->seed[0], key->part[1] ^ w->seed[1]);
}

/* Asks for the place of a word that is looked for later. */
static inline void fer_words_fetch(const fer_words *w, uint64_t hash)
{
    __builtin_prefetch(&w->slots[(uint32_t)hash & w->mask]);
}

/*
 * The word that is looked at first; where it is another one, or none (of no bytes), the one that is
 * looked for may be elsewhere. There was room for a word before.
 */
static inline fer_word *fer_words_look(const fer_words *w, uint64_t hash)
{
    return fer_words_get(w, w->slots[(uint32_t)hash & w->mask] & w->number_bits);
}

/* The number of a word; where it is new it is added, and what it is, is not known. There was room
 * for a word before. 0: no memory. */
uint32_t fer_words_meet(fer_words *w, const fer_token_key *key, uint64_t hash);

#endif
