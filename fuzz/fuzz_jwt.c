/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed tokens and sets of keys (Z11). The input is a token, or a set of keys where it begins with
 * a brace. What must hold: a token that nobody signed is never good; Base64 that was read is
 * written the same; a set that was read has keys, and each fits some algorithm.
 */
#include "base64url.h"
#include "fuzz.h"
#include "identity.h"

static const char known[] = "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"a\","
                            "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}";

static void try_keys(fer_arena *a, fer_str text)
{
    fer_jwks keys;
    fer_err err = {0};
    fer_code code = fer_jwks_read(a, text, &keys, &err);
    HOLDS(!code || err.message[0]);
    for (size_t i = 0; !code && i < keys.count; i++) {
        bool fits = false;
        for (size_t k = 0; k < fer_jose_alg_count; k++)
            fits |= fer_jwk_fits(&keys.list[i], &fer_jose_algs[k]);
        HOLDS(fits && keys.list[i].key && fer_jwks_has(&keys, &keys.list[i]));
    }
}

static void try_token(fer_arena *a, fer_str text)
{
    static const fer_str us = {"u", 1};
    static const fer_claim_map map = {.tenant = {"t", 1}, .who = "sub", .scopes = "scope"};
    fer_jwt t;
    fer_jwks keys;
    fer_identity who;
    if (fer_jwt_read(a, text, &t)) return;
    HOLDS(t.alg && t.claims && text.len <= FER_JWT_MAX);
    HOLDS(!fer_jwks_read(a, fer_str_of(known), &keys, NULL));
    fer_jwt_rules rules = {.issuer = t.issuer, .audiences = &us, .audience_count = 1, .algs = ~0u};
    HOLDS(fer_jwt_check(&t, &rules, &keys, 0)); /* nobody has the private key */
    if (!fer_identity_read(a, &t, &map, &who)) HOLDS(who.principal.len && who.tenant.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_str text = fuzz_text(data, size), bytes;
    if (fer_base64url_read(a, text, &bytes)) HOLDS(fer_str_eq(fer_base64url_write(a, bytes), text));
    if (text.len && text.ptr[0] == '{') try_keys(a, text);
    else try_token(a, text);
    fer_arena_free(a);
    return 0;
}
