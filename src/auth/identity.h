/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who the bearer of a good token is here: what its claims say, as the operator has it. A tenant is
 * one that the operator has named, found letter by letter; scopes are those that the operator gives
 * for the issuer's, or, where nothing is given for any, the issuer's own words. Pure.
 */
#ifndef FER_IDENTITY_H
#define FER_IDENTITY_H

#include "jwt.h"

#define FER_IDENTITY_SCOPES 256 /* scopes of a token, and of what is given for them */

/* What a scope of the issuer's stands for. */
typedef struct fer_grant {
    fer_str name;
    const fer_str *scopes;
    size_t count;
} fer_grant;

typedef struct fer_claim_pair {
    fer_str claim, means;
} fer_claim_pair;

typedef struct fer_claim_map {
    fer_str tenant;         /* of everybody; or empty: */
    const char *who_tenant; /* the claim that names it, */
    const fer_claim_pair *tenants;
    size_t tenant_count;
    const char *who;    /* the claim that names the principal */
    const char *scopes; /* the claim that has the scopes: words with blanks, or a list */
    const fer_grant *grants;
    size_t grant_count; /* 0: scopes are taken as they are */
} fer_claim_map;

typedef struct fer_identity {
    fer_str tenant, principal;
    const fer_str *scopes;
    size_t scope_count;
} fer_identity;

/* FER_JWT_TENANT, FER_JWT_CLAIMS, FER_JWT_NO_MEMORY. Texts live as long as the token and the map,
 * or in the arena. */
fer_jwt_fault fer_identity_read(fer_arena *a, const fer_jwt *t, const fer_claim_map *map,
                                fer_identity *out);

#endif
