/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that were too large to be shown at once, kept for a while under handles, so that the rest
 * of one can be asked for. Bounded in bytes and number: the oldest go first. A handle is random,
 * and good for the peer that it was given to, and no other. One thread.
 */
#ifndef FER_KEPT_H
#define FER_KEPT_H

#include <ferrule/common.h>

#define FER_KEPT_BYTES  ((size_t)32 << 20) /* of all results that are kept */
#define FER_KEPT_MAX    256                /* results that are kept */
#define FER_KEPT_MS     600000             /* that one is kept */
#define FER_KEPT_HANDLE 23                 /* bytes of a handle, its NUL included */

typedef struct fer_rest_one fer_rest_one;
typedef struct fer_rests {
    fer_rest_one *first; /* the newest */
    size_t count, bytes;
} fer_rests;

/* Keeps a copy of a JSON text; `out` is its handle. False: no memory, or too large. */
bool fer_rest_put(fer_rests *k, const void *owner, fer_str json, char out[FER_KEPT_HANDLE]);
/* The text of a handle, good until the next put; `ptr` NULL: it is not kept (any more). */
fer_str fer_rest_get(fer_rests *k, const void *owner, fer_str handle);
/* Those of an owner that goes. */
void fer_rest_forget(fer_rests *k, const void *owner);
void fer_rest_deinit(fer_rests *k);

#endif
