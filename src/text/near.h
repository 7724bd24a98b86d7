/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the known word that is nearest to a misspelt one. Pure. */
#ifndef FER_NEAR_H
#define FER_NEAR_H

#include "str.h"

/*
 * Edits (insert, delete, replace, swap of neighbours) from one text to the other,
 * case ignored; more than `max` counts as max + 1. Texts over 64 bytes are never near.
 */
size_t fer_near_distance(fer_str x, fer_str y, size_t max);

/* Keeps the best of the words it is shown. */
typedef struct fer_near {
    fer_str word; /* the misspelt one */
    fer_str best; /* ptr NULL: nothing is near */
    size_t distance;
    uint64_t letters; /* of the misspelt one: a bit for each; 0: not looked at yet */
} fer_near;
void fer_near_init(fer_near *n, fer_str word);
void fer_near_try(fer_near *n, fer_str candidate);

#endif
