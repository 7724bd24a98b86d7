/* SPDX-License-Identifier: Apache-2.0 */
#include "jose.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "errors.h"

const fer_jose_alg fer_jose_algs[] = {
    {"RS256", FER_JOSE_RSA, "SHA256", false, NULL, NULL, 0},
    {"RS384", FER_JOSE_RSA, "SHA384", false, NULL, NULL, 0},
    {"RS512", FER_JOSE_RSA, "SHA512", false, NULL, NULL, 0},
    {"PS256", FER_JOSE_RSA, "SHA256", true, NULL, NULL, 0},
    {"PS384", FER_JOSE_RSA, "SHA384", true, NULL, NULL, 0},
    {"PS512", FER_JOSE_RSA, "SHA512", true, NULL, NULL, 0},
    {"ES256", FER_JOSE_EC, "SHA256", false, "P-256", "prime256v1", 32},
    {"ES384", FER_JOSE_EC, "SHA384", false, "P-384", "secp384r1", 48},
    {"EdDSA", FER_JOSE_OKP, NULL, false, "Ed25519", NULL, 32},
};
const size_t fer_jose_alg_count = FER_COUNT(fer_jose_algs);

const fer_jose_alg *fer_jose_find(fer_str name)
{
    for (size_t i = 0; i < fer_jose_alg_count; i++)
        if (fer_str_is(name, fer_jose_algs[i].name)) return &fer_jose_algs[i];
    return NULL;
}

/* ---- signatures of EC -------------------------------------------------------------------------
 */

/* OpenSSL wants DER; JOSE has the two numbers side by side (RFC 7518 3.4), and nothing else. */
static unsigned char *der_of(const fer_jose_alg *alg, fer_str raw, int *len)
{
    unsigned char *der = NULL;
    const unsigned char *at = (const unsigned char *)raw.ptr;
    if (raw.len != 2 * alg->half) return NULL;
    ECDSA_SIG *sig = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(at, (int)alg->half, NULL);
    BIGNUM *s = BN_bin2bn(at + alg->half, (int)alg->half, NULL);
    if (sig && r && s && ECDSA_SIG_set0(sig, r, s)) {
        r = s = NULL; /* they are the signature's */
        *len = i2d_ECDSA_SIG(sig, &der);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(sig);
    return der;
}

static bool raw_of(const fer_jose_alg *alg, const unsigned char *der, size_t len, char *out)
{
    ECDSA_SIG *sig = d2i_ECDSA_SIG(NULL, &der, (long)len);
    int half = (int)alg->half;
    bool good = sig && BN_bn2binpad(ECDSA_SIG_get0_r(sig), (unsigned char *)out, half) == half &&
                BN_bn2binpad(ECDSA_SIG_get0_s(sig), (unsigned char *)out + half, half) == half;
    ECDSA_SIG_free(sig);
    return good;
}

/* ---- signing and checking ---------------------------------------------------------------------
 */

static bool set_padding(const fer_jose_alg *alg, EVP_PKEY_CTX *c)
{
    if (alg->type != FER_JOSE_RSA) return true;
    int padding = alg->pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING;
    return EVP_PKEY_CTX_set_rsa_padding(c, padding) > 0 &&
           (!alg->pss || EVP_PKEY_CTX_set_rsa_pss_saltlen(c, RSA_PSS_SALTLEN_DIGEST) > 0);
}

static bool check(const fer_jose_alg *alg, EVP_PKEY *key, fer_str text, const unsigned char *sig,
                  size_t len)
{
    EVP_MD_CTX *m = EVP_MD_CTX_new();
    EVP_PKEY_CTX *c = NULL;
    bool good = m && EVP_DigestVerifyInit_ex(m, &c, alg->digest, NULL, NULL, key, NULL) > 0 &&
                set_padding(alg, c) &&
                EVP_DigestVerify(m, sig, len, (const unsigned char *)text.ptr, text.len) == 1;
    EVP_MD_CTX_free(m);
    return good;
}

bool fer_jose_verify(const fer_jose_alg *alg, EVP_PKEY *key, fer_str text, fer_str signature)
{
    int len = 0;
    if (alg->type != FER_JOSE_EC)
        return check(alg, key, text, (const unsigned char *)signature.ptr, signature.len);
    unsigned char *der = der_of(alg, signature, &len);
    bool good = der && len > 0 && check(alg, key, text, der, (size_t)len);
    OPENSSL_free(der);
    return good;
}

fer_code fer_jose_sign(fer_arena *a, const fer_jose_alg *alg, EVP_PKEY *key, fer_str text,
                       fer_str *out, fer_err *err)
{
    EVP_MD_CTX *m = EVP_MD_CTX_new();
    EVP_PKEY_CTX *c = NULL;
    size_t len = (size_t)EVP_PKEY_get_size(key), raw = 2 * alg->half;
    unsigned char *sig = fer_arena_alloc(a, len + 1);
    char *pair = fer_arena_alloc(a, raw + 1);
    bool good = m && sig && pair &&
                EVP_DigestSignInit_ex(m, &c, alg->digest, NULL, NULL, key, NULL) > 0 &&
                set_padding(alg, c) &&
                EVP_DigestSign(m, sig, &len, (const unsigned char *)text.ptr, text.len) == 1;
    EVP_MD_CTX_free(m);
    if (good && alg->type == FER_JOSE_EC) good = raw_of(alg, sig, len, pair);
    if (!good) return fer_fail(err, FER_BAD_USAGE, "the key cannot sign with %s", alg->name);
    *out = alg->type == FER_JOSE_EC ? (fer_str){pair, raw} : (fer_str){(char *)sig, len};
    return FER_OK;
}

/* ---- private keys -----------------------------------------------------------------------------
 */

static void free_key(void *key)
{
    EVP_PKEY_free(key);
}

static bool fits(const fer_jose_alg *alg, EVP_PKEY *key)
{
    char group[64] = "";
    if (alg->type == FER_JOSE_RSA)
        return EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= FER_JOSE_RSA_MIN;
    if (alg->type == FER_JOSE_OKP) return EVP_PKEY_is_a(key, "ED25519");
    return EVP_PKEY_is_a(key, "EC") &&
           EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1 &&
           strcmp(group, alg->group) == 0;
}

fer_code fer_jose_private(fer_arena *a, fer_str pem, const fer_jose_alg **alg, EVP_PKEY **out,
                          fer_err *err)
{
    BIO *b = pem.len && pem.len < 1 << 20 ? BIO_new_mem_buf(pem.ptr, (int)pem.len) : NULL;
    EVP_PKEY *key = b ? PEM_read_bio_PrivateKey(b, NULL, NULL, NULL) : NULL;
    BIO_free(b);
    if (!key) return fer_fail(err, FER_BAD_USAGE, "the private key is no PEM without a password");
    for (size_t i = 0; !*alg && i < fer_jose_alg_count; i++)
        if (fits(&fer_jose_algs[i], key)) *alg = &fer_jose_algs[i];
    bool good = *alg && fits(*alg, key);
    if (good && fer_arena_defer(a, free_key, key)) {
        *out = key;
        return FER_OK;
    }
    EVP_PKEY_free(key);
    return good ? fer_arena_failed(a, err)
                : fer_fail(err, FER_BAD_USAGE,
                           "the private key must be RSA of 2048 bits, P-256, P-384 or Ed25519");
}
