/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of one issuer, kept: read from a file, which is looked at again when it has changed, or
 * asked for over HTTP. Keys are asked for when the source is made, when they have grown old, and
 * when a token names a key that is not among them; never for each request: at most once in
 * FER_JWKS_AGAIN_MS, one request at a time, whoever waits waits for the same one. A set that cannot
 * be had or is wrong leaves the last one in place, one of a URL until that is FER_JWKS_STALE_MS
 * old; an empty one takes all keys back.
 *
 * Where requests may go is said by the rules of the HTTP client. One thread: that of the loop.
 */
#ifndef FER_JWKS_SOURCE_H
#define FER_JWKS_SOURCE_H

#include "http_client.h"
#include "jwks.h"

#define FER_JWKS_AGAIN_MS 30000    /* between two requests for keys, at least */
#define FER_JWKS_FRESH_MS 3600000  /* that keys are used before they are asked for again */
#define FER_JWKS_STALE_MS 86400000 /* that they are used where no newer ones can be had */
#define FER_JWKS_ASK_MS   10000    /* for one request */

typedef struct fer_jwks_source fer_jwks_source;

typedef struct fer_jwks_options {
    fer_str place;  /* a path, or an http or https URL */
    fer_http *http; /* of a URL; must outlive the source */
    /* Newer keys are there, or a request for them came to nothing. `old`: what was there before,
     * good until this returns; NULL: nothing, or the same. */
    void (*changed)(void *context, fer_jwks_source *s, const fer_jwks *old);
    void *context;
    int64_t again_ms; /* 0: FER_JWKS_AGAIN_MS */
} fer_jwks_options;

/* Begins to ask. FER_BAD_USAGE and the like: the file has no keys; a URL is not waited for. */
fer_code fer_jwks_source_new(const fer_jwks_options *o, fer_jwks_source **out, fer_err *err);
/* Whether the place is a URL. */
bool fer_jwks_is_url(fer_str place);
void fer_jwks_source_free(fer_jwks_source *s);

/* The keys; NULL: there are none, or none that are young enough. Good until the loop runs. */
const fer_jwks *fer_jwks_source_keys(fer_jwks_source *s);
/* Newer keys are wanted. True: they are being asked for, and `changed` will tell. */
bool fer_jwks_source_renew(fer_jwks_source *s);
/* Looks whether the file has changed, or keys have grown old; now and then. */
void fer_jwks_source_look(fer_jwks_source *s);
/* Why the last attempt came to nothing; empty: it did not. */
const char *fer_jwks_source_trouble(const fer_jwks_source *s);
/* How often keys were asked for. */
uint64_t fer_jwks_source_asked(const fer_jwks_source *s);

#endif
