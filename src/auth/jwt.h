/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed tokens that say who somebody is (JWT, RFC 7519; RFC 8725 says what to be careful of). A
 * token is first read, strictly and by the one reader of JSON; nothing of it is believed then. Then
 * it is held against rules: keys, algorithms, issuer, audience and times. Whatever it names itself
 * to be checked with (jku, x5u, jwk) counts for nothing. Pure: the time is given.
 */
#ifndef FER_JWT_H
#define FER_JWT_H

#include "jwks.h"

#define FER_JWT_MAX    16384 /* bytes of a token */
#define FER_JWT_LEEWAY 60    /* seconds that clocks may differ, at most */
#define FER_JWT_WORD   256   /* bytes of who it is about, and of its tenant */

/* Why a token is not good, from the first that is looked at to the last. */
typedef enum fer_jwt_fault {
    FER_JWT_GOOD,
    FER_JWT_TOO_LARGE,
    FER_JWT_MALFORMED,
    FER_JWT_ALGORITHM,
    FER_JWT_CRITICAL,
    FER_JWT_STRANGE_ISSUER,
    FER_JWT_UNKNOWN_KEY, /* a newer set of keys may have it */
    FER_JWT_SIGNATURE,
    FER_JWT_CLAIMS,
    FER_JWT_AUDIENCE,
    FER_JWT_EXPIRED,
    FER_JWT_EARLY,
    FER_JWT_TENANT,
    FER_JWT_NO_MEMORY,
    FER_JWT_FAULTS
} fer_jwt_fault;
/* By fault: its name for the records, and a sentence for who showed it. Until the signature is
 * known to be good, the sentence is the same for all. */
extern const struct fer_jwt_fault_row {
    const char *name, *text;
} fer_jwt_fault_rows[FER_JWT_FAULTS];

typedef struct fer_jwt {
    const fer_jose_alg *alg;
    fer_str kid;    /* or empty */
    fer_str issuer; /* as it says */
    fer_str text, signature;
    const struct yyjson_val *claims;
    const fer_jwk *key; /* that its signature is of; of a good one */
    int64_t expires;    /* seconds since 1970; of a good one */
} fer_jwt;

typedef struct fer_jwt_rules {
    fer_str issuer;
    const fer_str *audiences; /* one of them must be named */
    size_t audience_count;
    uint32_t algs; /* a bit for each row of fer_jose_algs */
    int64_t leeway;
} fer_jwt_rules;

/* Whether a text has the form of a token at all: three parts. */
bool fer_jwt_looks(fer_str text);
fer_jwt_fault fer_jwt_read(fer_arena *a, fer_str text, fer_jwt *out);
/* `now`: seconds since 1970. */
fer_jwt_fault fer_jwt_check(fer_jwt *t, const fer_jwt_rules *rules, const fer_jwks *keys,
                            int64_t now);

/* A claim that is a text of 1 to FER_JWT_WORD bytes without control characters; `ptr` NULL: it is
 * none. */
fer_str fer_jwt_word(const fer_jwt *t, const char *claim);

/* Claims, a JSON object, as a token that is signed with a private key. */
fer_code fer_jwt_write(fer_arena *a, const fer_jose_alg *alg, EVP_PKEY *key, fer_str kid,
                       fer_str claims, fer_str *out, fer_err *err);

#endif
