/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures as JOSE has them (RFC 7518, RFC 8037), by OpenSSL: one row for each algorithm that is
 * known. All of them have a public and a private key: `none` and those with a shared secret (HS256)
 * are not on the list, so no configuration can let them in. Pure.
 */
#ifndef FER_JOSE_H
#define FER_JOSE_H

#include <openssl/evp.h>

#include "arena.h"

#define FER_JOSE_RSA_MIN 2048 /* bits of an RSA key, at least */
#define FER_JOSE_RSA_MAX 8192 /* and at most: checking takes longer with each bit */

typedef enum fer_jose_type {
    FER_JOSE_RSA,
    FER_JOSE_EC,
    FER_JOSE_OKP, /* Ed25519 */
    FER_JOSE_TYPES
} fer_jose_type;

typedef struct fer_jose_alg {
    const char *name; /* "RS256" */
    fer_jose_type type;
    const char *digest; /* NULL: the algorithm has its own */
    bool pss;           /* RSA with PSS */
    const char *curve;  /* of EC, as JWK names it */
    const char *group;  /* the same, as OpenSSL does */
    size_t half;        /* bytes of a coordinate, and of each half of a signature */
} fer_jose_alg;
extern const fer_jose_alg fer_jose_algs[];
extern const size_t fer_jose_alg_count;

/* By its name, letter by letter; NULL: there is none. */
const fer_jose_alg *fer_jose_find(fer_str name);

/* Whether the signature is that of the key over the text. */
bool fer_jose_verify(const fer_jose_alg *alg, EVP_PKEY *key, fer_str text, fer_str signature);
/* Signs with a private key of the algorithm's type. */
fer_code fer_jose_sign(fer_arena *a, const fer_jose_alg *alg, EVP_PKEY *key, fer_str text,
                       fer_str *out, fer_err *err);

/* A private key in PEM (PKCS 8), freed with the arena; and the algorithm that it is used with where
 * `*alg` is NULL. FER_BAD_USAGE: it is none that can be used. */
fer_code fer_jose_private(fer_arena *a, fer_str pem, const fer_jose_alg **alg, EVP_PKEY **out,
                          fer_err *err);

#endif
