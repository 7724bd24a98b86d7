/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which backend runs a call. Tools may have several: those of a route, in its order; else those of
 * the catalogue, as the gateway's selector likes them. Backends that are not configured here are
 * passed over. An attempt of which nothing was sent, as its backend is not there, goes on with the
 * next one.
 */
#ifndef FER_CHOOSE_H
#define FER_CHOOSE_H

#include "call.h"

/* The next backend that was not tried yet, and its runner; NULL: there is none. `*tried` is 0
 * at first: a bit for each backend. `*out` stays while routes stay as they are. */
fer_runner *fer_choose(const fer_gateway *g, const fer_ready *r, uint64_t *tried, fer_backend *out);

/* Gives the call its runner and its backend. */
fer_move fer_call_choose(fer_call *c);
/* Whether the attempt that has ended may be made at another backend. */
bool fer_call_may_fail_over(const fer_call *c);

#endif
