/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requestState (2026-07-28): what a client is given with a result that asks for input, and brings
 * back with its answers. It is signed with a key of this process, and good for one principal, one
 * method and one set of arguments, until a moment: whatever else comes back is refused. What is
 * signed is no secret: the state names a call that is parked here, or holds the state that a server
 * of 2026-07-28 gave, which was the client's to see.
 *
 * Text: base64url of format 1, kind, 2 bytes 0, then round (4), number and end (8 each), 32 bytes
 * of HMAC-SHA-256 over all that, what it is bound to, and the state of a server; and that state.
 */
#ifndef FER_REQUEST_STATE_H
#define FER_REQUEST_STATE_H

#include "arena.h"
#include "str.h"

#define FER_STATE_KEY  32
#define FER_STATE_BIND 32
#define FER_STATE_MAX  65536 /* bytes of a state that a client brings */

typedef enum fer_state_kind {
    FER_STATE_PARKED = 1, /* `number` is that of a parked call, `round` how often it has asked */
    FER_STATE_PASSED = 2, /* `inner` is a server's */
    FER_STATE_TASK = 3    /* the name of a task: its server, of `number` bytes, '/', its own */
} fer_state_kind;

typedef struct fer_state {
    fer_state_kind kind;
    uint32_t round;
    uint64_t number;
    int64_t until; /* fer_clock_mono of this process */
    fer_str inner;
} fer_state;

/* What a state is good for: each text counts with its length. */
bool fer_state_bind(const fer_str *texts, size_t count, unsigned char out[FER_STATE_BIND]);

fer_code fer_state_write(fer_arena *a, const unsigned char key[FER_STATE_KEY],
                         const unsigned char bind[FER_STATE_BIND], const fer_state *s, fer_str *out,
                         fer_err *err);
/* FER_INVALID_PAGE_TOKEN: it is none of ours, is another's or another request's, or has ended. */
fer_code fer_state_read(fer_arena *a, const unsigned char key[FER_STATE_KEY],
                        const unsigned char bind[FER_STATE_BIND], int64_t now, fer_str text,
                        fer_state *out, fer_err *err);

#endif
