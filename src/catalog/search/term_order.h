/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which frozen terms are numbered: those that most documents have first, so that
 * frequent numbers are small; of equal ones, by a hash of the text that is always the same, and by
 * the text where even that is equal. It depends on nothing else, so the same documents make the
 * same bytes.
 */
#ifndef FER_TERM_ORDER_H
#define FER_TERM_ORDER_H

#include "arena.h"

typedef struct fer_term_place {
    uint64_t key;
    const char *text; /* borrowed */
    uint32_t len;
    uint32_t number; /* the caller's own */
} fer_term_place;

fer_term_place fer_term_place_of(uint32_t df, fer_str text, uint32_t number);
/* The same of a text of at most FER_TOKEN_KEY bytes with zeros behind it. */
fer_term_place fer_term_place_padded(uint32_t df, fer_str text, uint32_t number);
/* Documents that have it. */
static inline uint32_t fer_term_place_df(const fer_term_place *p)
{
    return UINT32_MAX - (uint32_t)(p->key >> 32);
}
static inline fer_str fer_term_place_text(const fer_term_place *p)
{
    return (fer_str){p->text, p->len};
}

/* Sorts. False: no memory. */
bool fer_term_order(fer_arena *a, fer_term_place *list, size_t count);

#endif
