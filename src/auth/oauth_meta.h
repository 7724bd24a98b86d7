/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What servers say about who lets one in: protected resource metadata (RFC 9728) and the metadata
 * of authorization servers (RFC 8414, OpenID Connect Discovery), where they are and what is
 * believed of them. An issuer is the one that was asked for, letter by letter; endpoints are HTTPS,
 * or on the loopback. Pure; results live in the arena.
 */
#ifndef FER_OAUTH_META_H
#define FER_OAUTH_META_H

#include "arena.h"

#define FER_OAUTH_DOC     ((size_t)256 << 10) /* bytes of one of these, and of any other answer */
#define FER_OAUTH_ISSUERS 16                  /* authorization servers of a resource */

typedef struct fer_resource_meta {
    fer_str resource;
    fer_str issuers[FER_OAUTH_ISSUERS];
    size_t issuer_count;
    fer_str scopes; /* with blanks between; `ptr` NULL: it does not say */
} fer_resource_meta;

/* How a client shows who it is where tokens are given. */
typedef enum fer_client_auth {
    FER_CLIENT_NONE,
    FER_CLIENT_BASIC,
    FER_CLIENT_POST,
    FER_CLIENT_JWT, /* private_key_jwt */
    FER_CLIENT_AUTHS
} fer_client_auth;
extern const char *const fer_client_auth_names[FER_CLIENT_AUTHS];
/* By its name; FER_CLIENT_AUTHS: none of them. */
fer_client_auth fer_client_auth_of(fer_str name);

typedef struct fer_issuer_meta {
    fer_str issuer;
    fer_str authorize, token, registration, revocation; /* endpoints; empty: there is none */
    fer_str scopes;                                     /* as above */
    unsigned auths;  /* bits of fer_client_auth; 0: it does not say */
    bool pkce;       /* S256 */
    bool says_iss;   /* RFC 9207 */
    bool takes_urls; /* of documents about clients as their IDs (CIMD) */
} fer_issuer_meta;

/* Where the n-th place for metadata of a resource is; false: there are no more. */
bool fer_resource_meta_url(fer_arena *a, fer_str resource, unsigned n, fer_str *out);
/* The same of an issuer. */
bool fer_issuer_meta_url(fer_arena *a, fer_str issuer, unsigned n, fer_str *out);

/* FER_FORBIDDEN: it is about another resource. */
fer_code fer_resource_meta_read(fer_arena *a, fer_str text, fer_str resource,
                                fer_resource_meta *out, fer_err *err);
/* FER_FORBIDDEN: it is another issuer's, or names places that tokens must not go to. */
fer_code fer_issuer_meta_read(fer_arena *a, fer_str text, fer_str issuer, fer_issuer_meta *out,
                              fer_err *err);

/* Scheme, host and port of a URL as it is written; its path begins behind. */
fer_str fer_url_origin(fer_str url);
/* Whether secrets may be sent there: HTTPS, or this machine. */
bool fer_url_is_safe(fer_str url);
bool fer_url_is_loopback(fer_str url);

#endif
