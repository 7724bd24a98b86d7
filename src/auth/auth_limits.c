/* SPDX-License-Identifier: Apache-2.0 */
#include "auth_limits.h"

#include "challenge.h"
#include "identity.h"
#include "jwks_source.h"
#include "oauth_pool.h"

const fer_limit_row fer_auth_limit_rows[] = {
    {"jwt.token", FER_JWT_MAX, "bytes of a signed token that a client shows"},
    {"jwt.kid", FER_JWT_KID, "bytes of the ID of a key"},
    {"jwt.leeway", FER_JWT_LEEWAY,
     "seconds that the clocks of an issuer and ours may differ, at most"},
    {"jwt.word", FER_JWT_WORD, "bytes of a principal, a tenant or a scope in a token"},
    {"jwt.scopes", FER_IDENTITY_SCOPES, "scopes that a token comes to"},
    {"jwks.size", FER_JWKS_SIZE, "bytes of an issuer's keys"},
    {"jwks.keys", FER_JWKS_KEYS, "keys of an issuer"},
    {"jwks.rsa_min", FER_JOSE_RSA_MIN, "bits of an RSA key, at least"},
    {"jwks.rsa_max", FER_JOSE_RSA_MAX, "bits of an RSA key, at most"},
    {"jwks.again", FER_JWKS_AGAIN_MS, "milliseconds between two requests for an issuer's keys"},
    {"jwks.fresh", FER_JWKS_FRESH_MS,
     "milliseconds that keys are used before they are asked for again"},
    {"jwks.stale", FER_JWKS_STALE_MS,
     "milliseconds that keys are used where no newer ones can be had"},
    {"jwks.ask", FER_JWKS_ASK_MS, "milliseconds for one request for keys"},
    {"challenge.size", FER_CHALLENGE_MAX, "bytes of a WWW-Authenticate that is read"},
    {"oauth.answer", FER_OAUTH_DOC, "bytes of what an authorization server answers"},
    {"oauth.issuers", FER_OAUTH_ISSUERS, "authorization servers of a server that are looked at"},
    {"oauth.token", FER_OAUTH_TOKEN_MAX, "bytes of a token that we are given"},
    {"oauth.ask", FER_OAUTH_ASK_MS, "milliseconds for one request to an authorization server"},
    {"oauth.early", FER_OAUTH_EARLY_MS,
     "milliseconds before its end that a token is refreshed, or a tenth of its life"},
    {"oauth.pause", FER_OAUTH_PAUSE_MS,
     "milliseconds after a failure before a token is asked for again"},
    {"oauth.turn", FER_OAUTH_TURN_MS,
     "milliseconds that another process may take to refresh the same token"},
    {"oauth.tries", FER_OAUTH_TRIES, "times that one request asks for another token"},
    {"oauth.owners", FER_OAUTH_OWNERS,
     "tenants, or principals, whose tokens for a server are in use at once"},
    {"oauth.kept", FER_OAUTH_KEPT, "of them, that are at hand, used or not"},
    {"vault.record", FER_VAULT_RECORD, "bytes of what is kept of a server"},
};
const size_t fer_auth_limit_row_count = FER_COUNT(fer_auth_limit_rows);
