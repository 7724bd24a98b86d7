/* SPDX-License-Identifier: Apache-2.0 */
#include "seal.h"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "buf.h"
#include "digest.h"
#include "errors.h"
#include "ledger_folder.h"
#include "print.h"
#include "sys.h"

#define VERSION 1
#define ID      4
#define NONCE   12
#define TAG     16
static_assert(FER_SEAL_EXTRA == 1 + ID + NONCE + TAG, "what sealing adds");

struct fer_seal {
    unsigned char key[FER_SEAL_KEY];
    unsigned char id[ID]; /* of the key: a record of another key says so by it */
};

/* A key for one use of one tenant: HMAC of their names, whose lengths keep them apart. */
static bool derive(const fer_seal *s, const char *use, fer_str tenant, unsigned char out[32])
{
    char text[256];
    fer_str name = fer_str_of(use);
    unsigned len = 32;
    if (name.len > 64 || tenant.len > sizeof text - 66) return false;
    text[0] = (char)name.len;
    size_t n = (size_t)(fer_put(fer_put(text + 1, name), tenant) - text);
    return HMAC(EVP_sha256(), s->key, FER_SEAL_KEY, (const unsigned char *)text, n, out, &len) !=
           NULL;
}

fer_code fer_seal_new_key(const unsigned char *key, fer_seal **out, fer_err *err)
{
    unsigned char id[32];
    fer_seal *s = fer_sys_malloc(sizeof *s);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memcpy(s->key, key, FER_SEAL_KEY);
    if (!derive(s, "key-id", FER_STR_NONE, id)) {
        fer_seal_free(s);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    memcpy(s->id, id, ID);
    *out = s;
    return FER_OK;
}

fer_code fer_seal_new(const char *path, bool make, fer_seal **out, fer_err *err)
{
    unsigned char key[FER_SEAL_KEY];
    fer_code code = fer_folder_secret(AT_FDCWD, path, make, key, err);
    if (!code) code = fer_seal_new_key(key, out, err);
    OPENSSL_cleanse(key, sizeof key);
    return code;
}

void fer_seal_free(fer_seal *s)
{
    if (!s) return;
    OPENSSL_cleanse(s, sizeof *s);
    fer_sys_free(s);
}

/* One pass of GCM in either direction; a tag that does not fit is a failure of the last step. */
static bool crypt(bool close, const unsigned char *key, const unsigned char *head, fer_str about,
                  fer_str from, unsigned char *to, unsigned char *tag)
{
    int len = 0, n = 0;
    const unsigned char *words = (const unsigned char *)about.ptr;
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    bool ok = c && EVP_CipherInit_ex2(c, EVP_aes_256_gcm(), key, head + 1 + ID, close, NULL) == 1 &&
              EVP_CipherUpdate(c, NULL, &n, head, 1 + ID) == 1 &&
              (!about.len || EVP_CipherUpdate(c, NULL, &n, words, (int)about.len) == 1);
    if (ok && from.len)
        ok = EVP_CipherUpdate(c, to, &len, (const unsigned char *)from.ptr, (int)from.len) == 1;
    if (ok && !close) ok = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, TAG, tag) == 1;
    ok = ok && EVP_CipherFinal_ex(c, to + len, &n) == 1;
    if (ok && close) ok = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, TAG, tag) == 1;
    EVP_CIPHER_CTX_free(c);
    return ok;
}

static bool is_too_long(fer_str s)
{
    return s.len > (size_t)1 << 30;
}

fer_code fer_seal_close(fer_arena *a, const fer_seal *s, fer_str tenant, fer_str about,
                        fer_str plain, fer_str *out, fer_err *err)
{
    unsigned char key[32];
    if (is_too_long(plain) || is_too_long(about))
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a sealed record has at most 1 GiB");
    unsigned char *to = fer_arena_alloc(a, plain.len + FER_SEAL_EXTRA);
    if (!to) return fer_arena_failed(a, err);
    to[0] = VERSION;
    memcpy(to + 1, s->id, ID);
    if (fer_sys_random(to + 1 + ID, NONCE) != 0)
        return fer_fail(err, FER_IO_ERROR, "the system gives no random bytes: nothing is sealed");
    unsigned char *text = to + 1 + ID + NONCE;
    bool ok = derive(s, "seal", tenant, key) &&
              crypt(true, key, to, about, plain, text, text + plain.len);
    OPENSSL_cleanse(key, sizeof key);
    if (!ok) return fer_fail(err, FER_OUT_OF_MEMORY, "sealing failed");
    *out = (fer_str){(const char *)to, plain.len + FER_SEAL_EXTRA};
    return FER_OK;
}

fer_code fer_seal_open(fer_arena *a, const fer_seal *s, fer_str tenant, fer_str about,
                       fer_str sealed, fer_str *out, fer_err *err)
{
    unsigned char key[32], tag[TAG];
    const unsigned char *head = (const unsigned char *)sealed.ptr;
    if (sealed.len < FER_SEAL_EXTRA || head[0] != VERSION || is_too_long(sealed) ||
        is_too_long(about))
        return fer_fail(err, FER_INTEGRITY_BROKEN, "this is no sealed record");
    if (CRYPTO_memcmp(head + 1, s->id, ID) != 0)
        return fer_fail(err, FER_INTEGRITY_BROKEN, "the record was sealed with another key");
    size_t len = sealed.len - FER_SEAL_EXTRA;
    unsigned char *to = fer_arena_alloc(a, len + 1);
    if (!to) return fer_arena_failed(a, err);
    memcpy(tag, head + sealed.len - TAG, TAG);
    fer_str text = {sealed.ptr + 1 + ID + NONCE, len};
    bool ok = derive(s, "seal", tenant, key) && crypt(false, key, head, about, text, to, tag);
    OPENSSL_cleanse(key, sizeof key);
    if (!ok) {
        OPENSSL_cleanse(to, len);
        return fer_fail(err, FER_INTEGRITY_BROKEN, "the record is not what was sealed");
    }
    to[len] = '\0';
    *out = (fer_str){(const char *)to, len};
    return FER_OK;
}

fer_code fer_seal_name(const fer_seal *s, fer_str tenant, const char *use, fer_str text,
                       unsigned char out[32], fer_err *err)
{
    unsigned char key[32];
    unsigned len = 32;
    bool ok =
        derive(s, use, tenant, key) &&
        HMAC(EVP_sha256(), key, sizeof key, (const unsigned char *)text.ptr, text.len, out, &len);
    OPENSSL_cleanse(key, sizeof key);
    return ok ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}
