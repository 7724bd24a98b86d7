/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients for whom an issuer vouches: their tokens are signed (auth/jwt.h), and say who they are.
 * All tokens that say the same of their bearer are one guest of the front, so that a client goes on
 * in its session when it renews its token. A guest is over when the last token that was shown for
 * it has ended, or when the key that signed it is published no more.
 *
 * Checking a signature is dear: a token that was found good is known again by its SHA-256 until it
 * ends or the keys change. Whoever has no scope that opens anything is told so: an issuer that says
 * nothing lets nobody in. Keys that cannot be had, and an issuer that has withdrawn all of them,
 * are warnings in the log, once for each reason. One thread: that of the front's loop.
 */
#ifndef FER_JWT_DOOR_H
#define FER_JWT_DOOR_H

#include "config.h"
#include "jwks_source.h"
#include "log.h"
#include "serve_http.h"

/* That issuers vouch for at a time; for another the one goes that came last the longest ago, of
 * those without a session. */
#define FER_JWT_GUESTS_MAX 10000

typedef struct fer_jwt_door fer_jwt_door;

/* FER_OK and `*out` NULL: the configuration has no issuers. `c` is copied; `log` may be NULL. */
fer_code fer_jwt_door_new(fer_front *front, const fer_config_serve *c, const fer_log *log,
                          fer_jwt_door **out, fer_err *err);
/* Before the front goes; the loop must run once more for the memory. NULL is fine. */
void fer_jwt_door_free(fer_jwt_door *d);
/* Who is told that requests that waited for keys may go on. */
void fer_jwt_door_tell(fer_jwt_door *d, fer_web *web);

/* Whose token it is; NULL: `no` says why. */
fer_guest *fer_jwt_door_admit(fer_jwt_door *d, fer_str token, fer_stranger *no);
/* Those whose time is up are over; keys that have grown old are asked for. */
void fer_jwt_door_look(fer_jwt_door *d);
/* The name of an issuer and how its keys are, for the admin API; false: there are no more. */
typedef struct fer_issuer_keys {
    fer_str name;
    size_t keys;  /* that are used */
    bool trouble; /* the last attempt to read them came to nothing */
} fer_issuer_keys;
bool fer_jwt_door_keys(const fer_jwt_door *d, size_t number, fer_issuer_keys *out);
/* What the web shows of it: fills metadata, its paths and scopes of `o`, in the arena. */
fer_code fer_jwt_door_describe(fer_arena *a, const fer_config_serve *c, fer_web_options *o,
                               fer_err *err);

#endif
