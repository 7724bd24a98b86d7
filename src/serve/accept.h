/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client takes, by its Accept fields (RFC 9110, 12.5.1): of the ranges that a media type is
 * in, the nearest one counts, and a weight of 0 says no. Pure.
 */
#ifndef FER_ACCEPT_H
#define FER_ACCEPT_H

#include "str.h"

/* What is known so far of one media type. */
typedef struct fer_accept {
    unsigned nearness; /* of the range that counts; 0: none does */
    bool taken;
} fer_accept;

/* Looks at one field more; there may be several. */
void fer_accept_read(fer_accept *k, fer_str field, fer_str media_type);

#endif
