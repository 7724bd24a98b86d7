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
    const fer_str *text; /* borrowed */
} fer_term_place;

fer_term_place fer_term_place_of(uint32_t df, const fer_str *text);
/* Sorts. False: no memory. */
bool fer_term_order(fer_arena *a, fer_term_place *list, size_t count);

#endif
