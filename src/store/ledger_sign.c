/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_sign.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "digest.h"
#include "sys.h"

struct fer_sign_key {
    EVP_PKEY *key;
    unsigned char half[32];
    char id[FER_SIGN_ID];
};

static fer_sign_key *finish(EVP_PKEY *key)
{
    unsigned char sum[FER_DIGEST_SIZE];
    size_t len = 32;
    fer_sign_key *k = key ? fer_sys_malloc(sizeof *k) : NULL;
    fer_digest *d = k ? fer_digest_new() : NULL;
    if (d && EVP_PKEY_get_raw_public_key(key, k->half, &len) == 1 && len == 32 &&
        fer_digest_of(d, (fer_str){(const char *)k->half, 32}, FER_STR_NONE, FER_STR_NONE, sum)) {
        fer_digest_hex(k->id, sum, FER_SIGN_ID / 2);
        fer_digest_free(d);
        k->key = key;
        return k;
    }
    fer_digest_free(d);
    fer_sys_free(k);
    EVP_PKEY_free(key);
    return NULL;
}

fer_sign_key *fer_sign_key_new(const unsigned char secret[32])
{
    return finish(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, 32));
}

fer_sign_key *fer_sign_key_public(const unsigned char public_half[32])
{
    return finish(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_half, 32));
}

void fer_sign_key_free(fer_sign_key *k)
{
    if (!k) return;
    EVP_PKEY_free(k->key);
    fer_sys_free(k);
}

void fer_sign_key_half(const fer_sign_key *k, unsigned char public_half[32])
{
    memcpy(public_half, k->half, 32);
}

const char *fer_sign_key_id(const fer_sign_key *k)
{
    return k->id;
}

bool fer_sign(const fer_sign_key *k, fer_str text, unsigned char out[FER_SIGN_SIZE])
{
    size_t len = FER_SIGN_SIZE;
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    bool ok = c && EVP_DigestSignInit(c, NULL, NULL, NULL, k->key) == 1 &&
              EVP_DigestSign(c, out, &len, (const unsigned char *)text.ptr, text.len) == 1 &&
              len == FER_SIGN_SIZE;
    EVP_MD_CTX_free(c);
    return ok;
}

bool fer_sign_holds(const fer_sign_key *k, fer_str text, const unsigned char sig[FER_SIGN_SIZE])
{
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    bool ok =
        c && EVP_DigestVerifyInit(c, NULL, NULL, NULL, k->key) == 1 &&
        EVP_DigestVerify(c, sig, FER_SIGN_SIZE, (const unsigned char *)text.ptr, text.len) == 1;
    EVP_MD_CTX_free(c);
    return ok;
}
