/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long request cut into needs: "Book a table for six. Then find me a nightclub nearby." asks
 * for two tools. Cut between sentences that say enough to stand alone; cutting at commas as well
 * found less on requests that are one need with many details. Pure.
 */
#ifndef FER_NEEDS_H
#define FER_NEEDS_H

#include "wording.h"

#define FER_NEEDS_MAX 8 /* the last one holds the rest */

/* Words of a request, from `first` on and before `end`. */
typedef struct fer_need {
    size_t first, end;
} fer_need;

typedef struct fer_needs {
    fer_need list[FER_NEEDS_MAX]; /* in the order of the request */
    size_t count;                 /* 1: the request is one need; 0: it has no words */
} fer_needs;

void fer_needs_cut(fer_needs *n, const fer_wording *request);
/* The part of the request that a need is. */
fer_str fer_need_text(const fer_wording *request, const fer_need *need);

#endif
