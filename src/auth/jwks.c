/* SPDX-License-Identifier: Apache-2.0 */
#include "jwks.h"

#include <openssl/core_names.h>
#include <openssl/param_build.h>

#include "base64url.h"
#include "errors.h"
#include "json_doc.h"

static fer_str text_of(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_val_get(object, name);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
}

static bool bytes_of(fer_arena *a, const yyjson_val *jwk, const char *name, fer_str *out)
{
    fer_str text = text_of(jwk, name);
    return text.len && fer_base64url_read(a, text, out) && out->len;
}

/* ---- keys of OpenSSL --------------------------------------------------------------------------
 */

static EVP_PKEY *from_params(const char *type, OSSL_PARAM_BLD *b)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(b);
    EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;
    if (!params || !c || EVP_PKEY_fromdata_init(c) <= 0 ||
        EVP_PKEY_fromdata(c, &key, EVP_PKEY_PUBLIC_KEY, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(c);
    OSSL_PARAM_free(params);
    return key;
}

static EVP_PKEY *make_rsa(fer_arena *a, const yyjson_val *jwk)
{
    fer_str n, e;
    if (!bytes_of(a, jwk, "n", &n) || !bytes_of(a, jwk, "e", &e)) return NULL;
    if (n.len > FER_JOSE_RSA_MAX / 8 + 1 || e.len > 8) return NULL;
    BIGNUM *big_n = BN_bin2bn((const unsigned char *)n.ptr, (int)n.len, NULL);
    BIGNUM *big_e = BN_bin2bn((const unsigned char *)e.ptr, (int)e.len, NULL);
    OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
    int bits = big_n ? BN_num_bits(big_n) : 0;
    EVP_PKEY *key = NULL;
    if (b && big_e && BN_is_odd(big_e) && !BN_is_one(big_e) && bits >= FER_JOSE_RSA_MIN &&
        bits <= FER_JOSE_RSA_MAX && OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_N, big_n) &&
        OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_E, big_e))
        key = from_params("RSA", b);
    OSSL_PARAM_BLD_free(b);
    BN_free(big_n);
    BN_free(big_e);
    return key;
}

/* OpenSSL refuses a point that is not on the curve. */
static EVP_PKEY *make_ec(fer_arena *a, const yyjson_val *jwk, const fer_jose_alg *alg)
{
    fer_str x, y;
    unsigned char point[1 + 2 * 48] = {4}; /* not compressed */
    if (!bytes_of(a, jwk, "x", &x) || !bytes_of(a, jwk, "y", &y)) return NULL;
    if (x.len != alg->half || y.len != alg->half || 1 + 2 * alg->half > sizeof point) return NULL;
    memcpy(point + 1, x.ptr, x.len);
    memcpy(point + 1 + x.len, y.ptr, y.len);
    OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (b && OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, alg->group, 0) &&
        OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * alg->half))
        key = from_params("EC", b);
    OSSL_PARAM_BLD_free(b);
    return key;
}

static EVP_PKEY *make_okp(fer_arena *a, const yyjson_val *jwk)
{
    fer_str x;
    if (!bytes_of(a, jwk, "x", &x) || x.len != 32) return NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, (const unsigned char *)x.ptr, x.len);
}

/* ---- one key ----------------------------------------------------------------------------------
 */

static const fer_jose_alg *of_curve(fer_jose_type type, fer_str curve)
{
    for (size_t i = 0; i < fer_jose_alg_count; i++)
        if (fer_jose_algs[i].type == type && fer_jose_algs[i].curve &&
            fer_str_is(curve, fer_jose_algs[i].curve))
            return &fer_jose_algs[i];
    return NULL;
}

/* False: it is none of ours, and passed over. */
static bool is_ours(const yyjson_val *jwk, fer_jwk *out, const fer_jose_alg **by_curve)
{
    static const char *const types[FER_JOSE_TYPES] = {"RSA", "EC", "OKP"};
    fer_str kty = text_of(jwk, "kty"), use = text_of(jwk, "use"), alg = text_of(jwk, "alg");
    int type = 0;
    while (type < FER_JOSE_TYPES && !fer_str_is(kty, types[type])) type++;
    if (type == FER_JOSE_TYPES || (use.ptr && !fer_str_is(use, "sig"))) return false;
    *out = (fer_jwk){.kid = text_of(jwk, "kid"), .type = (fer_jose_type)type};
    out->alg = alg.ptr ? fer_jose_find(alg) : NULL;
    if (alg.ptr && (!out->alg || out->alg->type != out->type)) return false;
    if (out->type == FER_JOSE_RSA) return true;
    *by_curve = of_curve(out->type, text_of(jwk, "crv"));
    if (*by_curve) out->curve = (*by_curve)->curve;
    return *by_curve && (!out->alg || out->alg == *by_curve);
}

static void free_key(void *key)
{
    EVP_PKEY_free(key);
}

static fer_code take_key(fer_arena *a, const yyjson_val *jwk, fer_jwk *out, bool *ours,
                         fer_err *err)
{
    const fer_jose_alg *alg = NULL;
    *ours = fer_is_obj(jwk) && is_ours(jwk, out, &alg);
    if (!*ours) return FER_OK;
    if (out->kid.len > FER_JWT_KID)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "the ID of a key is longer than %d bytes (jwt.kid)", FER_JWT_KID);
    out->kid = out->kid.len ? fer_arena_copy(a, out->kid) : FER_STR("");
    out->key = out->type == FER_JOSE_RSA  ? make_rsa(a, jwk)
               : out->type == FER_JOSE_EC ? make_ec(a, jwk, alg)
                                          : make_okp(a, jwk);
    if (!out->key && fer_arena_starved(a)) return fer_arena_failed(a, err);
    if (!out->key)
        return fer_fail(err, FER_BAD_USAGE,
                        "the key \"%.*s\" is none: numbers that are missing, no point of its "
                        "curve, or RSA of less than 2048 or more than 8192 bits",
                        FER_PRI(fer_str_head(out->kid, 64)));
    if (out->kid.ptr && fer_arena_defer(a, free_key, out->key)) return FER_OK;
    EVP_PKEY_free(out->key);
    return fer_arena_failed(a, err);
}

/* ---- the set ----------------------------------------------------------------------------------
 */

fer_code fer_jwks_read(fer_arena *a, fer_str text, fer_jwks *out, fer_err *err)
{
    fer_json *doc;
    fer_err why = {0};
    if (text.len > FER_JWKS_SIZE)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the keys take more than %zu bytes (jwks.size)",
                        FER_JWKS_SIZE);
    if (fer_json_read(a, text, NULL, &doc, &why))
        return fer_fail(err, why.code, "the keys are no JSON: %.600s", why.message);
    const yyjson_val *keys = fer_val_get(fer_json_root(doc), "keys");
    if (!fer_is_obj(fer_json_root(doc)) || !fer_is_arr(keys))
        return fer_fail(err, FER_BAD_USAGE, "a set of keys is an object with a list of \"keys\"");
    if (fer_val_len(keys) > FER_JWKS_KEYS)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "there are more than %d keys (jwks.keys)",
                        FER_JWKS_KEYS);
    fer_jwk *list = fer_arena_alloc_zero(a, fer_val_len(keys) + 1, sizeof *list);
    size_t count = 0;
    if (!list) return fer_arena_failed(a, err);
    FER_EACH_ITEM (keys, jwk) {
        bool ours;
        fer_code code = take_key(a, jwk, &list[count], &ours, err);
        if (code) return code;
        if (ours) count++;
    }
    *out = (fer_jwks){list, count};
    return FER_OK;
}

bool fer_jwk_fits(const fer_jwk *key, const fer_jose_alg *alg)
{
    if (key->type != alg->type || (key->alg && key->alg != alg)) return false;
    return !alg->curve || (key->curve && strcmp(key->curve, alg->curve) == 0);
}

bool fer_jwks_has(const fer_jwks *set, const fer_jwk *key)
{
    for (size_t i = 0; i < set->count; i++)
        if (fer_str_eq(set->list[i].kid, key->kid) && EVP_PKEY_eq(set->list[i].key, key->key) == 1)
            return true;
    return false;
}
