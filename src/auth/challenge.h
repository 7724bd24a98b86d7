/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server says to who may not ask (WWW-Authenticate, RFC 9110 11.6.1; RFC 6750 3, RFC 9728
 * 5.1): read from other servers, written by ours. Of several challenges the one of the scheme
 * Bearer counts. Pure.
 */
#ifndef FER_CHALLENGE_H
#define FER_CHALLENGE_H

#include "arena.h"

#define FER_CHALLENGE_MAX 8192 /* bytes of a challenge that is read */

/* Each `ptr` NULL: it is not said. */
typedef struct fer_challenge {
    fer_str error;    /* "invalid_token", "insufficient_scope" ... */
    fer_str text;     /* error_description */
    fer_str scope;    /* words with a blank between them */
    fer_str metadata; /* resource_metadata: a URL */
} fer_challenge;

/* False: there is no challenge of that scheme, or the text is none. */
bool fer_challenge_read(fer_arena *a, fer_str text, fer_challenge *out);
/* The value of a field; what cannot stand between quotes is left out. `ptr` NULL: no memory. */
fer_str fer_challenge_write(fer_arena *a, const fer_challenge *c);

/* Whether a list of words has one. */
bool fer_scope_has(fer_str list, fer_str word);
/* All words of two lists, each once, in their order; `ptr` NULL: no memory. */
fer_str fer_scope_union(fer_arena *a, fer_str one, fer_str other);
/* The next word of a list; false: there is none. */
bool fer_scope_next(fer_str *list, fer_str *word);

#endif
