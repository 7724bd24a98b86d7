/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of 2026-07-28 whose server, of an older era, wants to know something: a client of that
 * version cannot be sent a request, so its own is answered by a result that asks for input, and
 * what runs for it is parked here until it comes again with the answers.
 *
 * The life of one: park -> tell, which answers whoever waits with all questions that are open ->
 * resume by a request that brings its requestState -> the answers go to the server -> the end of
 * the work answers whoever waits, or is kept for who comes; or more questions: tell again. A state
 * is good once. One that nobody comes for ends after a while, with its client's other leavings,
 * with its principal's token, when the gateway is drained, and with its server.
 *
 * The request lives on as it was, in its own memory, with a peer of its own: whatever runs for it
 * does not notice. Number and bytes are bounded; past that a server's question is refused.
 */
#ifndef FER_PARKED_H
#define FER_PARKED_H

#include "request_state.h"
#include "serve_parts.h"

#define FER_PARKED_MAX   256                /* requests of a gateway */
#define FER_PARKED_EACH  8                  /* of one client at one server */
#define FER_PARKED_HERE  16                 /* at one server, which has turns for others then */
#define FER_PARKED_BYTES ((size_t)64 << 20) /* of all of them */
#define FER_PARKED_MS    600000             /* that a client has to come again with answers */

struct fer_parked {
    fer_front *server;
    fer_parked *next, **place;
    uint64_t number;
    uint32_t round;
    fer_peer *peer;  /* the request's own; NULL: it has ended */
    fer_ask *ask;    /* the request; NULL: its answer is kept */
    fer_ask *waiter; /* who is to be answered; or NULL */
    fer_guest *guest;
    const fer_runner *runner; /* to be told from others only */
    uint64_t home;            /* the session of the client that asked; 0: none */
    size_t bytes;
    unsigned char bound[FER_STATE_BIND]; /* what its states are good for */
    int64_t until;                       /* fer_clock_mono; counts while nobody waits */
    fer_str answer;                      /* behind the ID, on the heap; or empty */
    int status;
};

/* Moves a request out of the way for which `runner` has a question; its client waits in its place.
 * NULL: it cannot be. */
fer_parked *fer_park(fer_ask *q, const fer_runner *runner);
/* Answers who waits with what is asked; where nobody does, the next who comes. */
void fer_parked_tell(fer_parked *k);
/*
 * Whether the request is a part of one that has begun. A state of a server's is taken out of its
 * wrapping (`ask->state_text`) and false returned; with one of ours, or a wrong one, it has been
 * answered or waits, and is no business of its method any more.
 */
bool fer_parked_resume(fer_ask *q);
/* What states of this process are signed with; NULL: the system has no randomness. */
const unsigned char *fer_state_key(fer_front *s);
/* The state of a server's result, for this request alone; empty: no memory. */
fer_str fer_parked_wrap(fer_ask *q, fer_str inner);

/* Those that have waited too long end, or those whose client is gone, or all that nobody waits for.
 */
void fer_parked_sweep(fer_front *s, int64_t now);
void fer_parked_leave(fer_front *s, uint64_t session);
void fer_parked_drain(fer_front *s);

#endif
