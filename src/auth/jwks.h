/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of public keys (RFC 7517), as issuers publish it. Keys that nothing here can be checked
 * with (other types and curves, shared secrets, keys to encrypt with) are passed over; a key that
 * is wrong in itself makes the whole set wrong. Keys live as long as the arena. Pure.
 */
#ifndef FER_JWKS_H
#define FER_JWKS_H

#include "jose.h"

#define FER_JWKS_SIZE ((size_t)256 << 10) /* bytes of a set */
#define FER_JWKS_KEYS 100                 /* keys of a set */
#define FER_JWT_KID   256                 /* bytes of the ID of a key */

typedef struct fer_jwk {
    fer_str kid; /* or empty */
    fer_jose_type type;
    const char *curve;       /* of EC and OKP */
    const fer_jose_alg *alg; /* the one that it is for; NULL: any that fits */
    EVP_PKEY *key;
} fer_jwk;

typedef struct fer_jwks {
    const fer_jwk *list;
    size_t count;
} fer_jwks;

/* FER_BAD_USAGE: it is no set; FER_LIMIT_EXCEEDED. One without a key that can be used is a set: its
 * issuer has withdrawn all of them. */
fer_code fer_jwks_read(fer_arena *a, fer_str text, fer_jwks *out, fer_err *err);
/* Whether a key may check signatures of an algorithm. */
bool fer_jwk_fits(const fer_jwk *key, const fer_jose_alg *alg);
/* Whether a set has this key: the same ID and the same numbers. */
bool fer_jwks_has(const fer_jwks *set, const fer_jwk *key);

#endif
