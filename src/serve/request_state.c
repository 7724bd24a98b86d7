/* SPDX-License-Identifier: Apache-2.0 */
#include "request_state.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "content.h"
#include "errors.h"

#define FORMAT 1
#define TAG    32

struct head {
    unsigned char format, kind, none[2];
    unsigned char round[4], number[8], until[8];
};
_Static_assert(sizeof(struct head) == 24, "no gaps: it is signed as it lies");

static void put(unsigned char *to, size_t size, uint64_t n)
{
    for (size_t i = 0; i < size; i++) to[i] = (unsigned char)(n >> (8 * i));
}

static uint64_t get(const unsigned char *from, size_t size)
{
    uint64_t n = 0;
    for (size_t i = size; i-- > 0;) n = n << 8 | from[i];
    return n;
}

/* ---- what it is bound to --------------------------------------------------------------------- */

static bool add(EVP_MD_CTX *c, fer_str s)
{
    unsigned char size[8];
    put(size, sizeof size, s.len);
    return EVP_DigestUpdate(c, size, sizeof size) && EVP_DigestUpdate(c, s.ptr, s.len);
}

bool fer_state_bind(const fer_str *texts, size_t count, unsigned char out[FER_STATE_BIND])
{
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    bool fine = c && EVP_DigestInit_ex(c, EVP_sha256(), NULL);
    for (size_t i = 0; fine && i < count; i++) fine = add(c, texts[i]);
    fine = fine && EVP_DigestFinal_ex(c, out, NULL);
    EVP_MD_CTX_free(c);
    return fine;
}

/* ---- its text -------------------------------------------------------------------------------- */

/* Over the head, what it is bound to, and the state of a server. */
static fer_code sign(fer_arena *a, const unsigned char key[FER_STATE_KEY],
                     const unsigned char bind[FER_STATE_BIND], fer_str head, fer_str inner,
                     unsigned char tag[TAG], fer_err *err)
{
    size_t len = 0, size = head.len + FER_STATE_BIND + inner.len;
    unsigned char *all = fer_arena_alloc(a, size);
    if (!all) return fer_arena_failed(a, err);
    memcpy(all, head.ptr, head.len);
    memcpy(all + head.len, bind, FER_STATE_BIND);
    if (inner.len) memcpy(all + head.len + FER_STATE_BIND, inner.ptr, inner.len);
    if (!EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, FER_STATE_KEY, all, size, tag, TAG,
                   &len) ||
        len != TAG)
        return fer_fail(err, FER_OUT_OF_MEMORY, "HMAC-SHA-256 could not be computed");
    return FER_OK;
}

/* base64url without padding (RFC 4648, 5). */
static fer_code encode(fer_arena *a, fer_str bytes, fer_str *out, fer_err *err)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char *text = fer_arena_alloc(a, bytes.len / 3 * 4 + 4);
    size_t len = 0;
    if (!text) return fer_arena_failed(a, err);
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (k < left ? (unsigned char)bytes.ptr[i + k] : 0);
        for (size_t k = 0; k <= left; k++) text[len++] = alphabet[word >> (18 - 6 * k) & 63];
    }
    *out = (fer_str){text, len};
    return FER_OK;
}

fer_code fer_state_write(fer_arena *a, const unsigned char key[FER_STATE_KEY],
                         const unsigned char bind[FER_STATE_BIND], const fer_state *s, fer_str *out,
                         fer_err *err)
{
    struct head h = {.format = FORMAT, .kind = (unsigned char)s->kind};
    size_t size = sizeof h + TAG + s->inner.len;
    char *all = fer_arena_alloc(a, size);
    if (!all) return fer_arena_failed(a, err);
    put(h.round, sizeof h.round, s->round);
    put(h.number, sizeof h.number, s->number);
    put(h.until, sizeof h.until, (uint64_t)s->until);
    memcpy(all, &h, sizeof h);
    if (s->inner.len) memcpy(all + sizeof h + TAG, s->inner.ptr, s->inner.len);
    fer_code code = sign(a, key, bind, (fer_str){all, sizeof h}, s->inner,
                         (unsigned char *)all + sizeof h, err);
    return code ? code : encode(a, (fer_str){all, size}, out, err);
}

fer_code fer_state_read(fer_arena *a, const unsigned char key[FER_STATE_KEY],
                        const unsigned char bind[FER_STATE_BIND], int64_t now, fer_str text,
                        fer_state *out, fer_err *err)
{
    unsigned char tag[TAG];
    struct head h;
    fer_str all = FER_STR_NONE;
    if (text.len > FER_STATE_MAX)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN,
                        "serve.state: a requestState has at most %d bytes", FER_STATE_MAX);
    fer_code code = fer_content_find(FER_STR("base64url"))(a, text, &all);
    if (code && code != FER_INVALID_FORMAT) return fer_arena_failed(a, err);
    if (code || all.len < sizeof h + TAG)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN, "the requestState was not made here");
    fer_str inner = fer_str_slice(all, sizeof h + TAG, all.len);
    code = sign(a, key, bind, fer_str_slice(all, 0, sizeof h), inner, tag, err);
    if (code) return code;
    memcpy(&h, all.ptr, sizeof h);
    if (CRYPTO_memcmp(tag, all.ptr + sizeof h, TAG) != 0 || h.format != FORMAT)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN,
                        "the requestState was not made here, was changed, or belongs to another "
                        "request: repeat the request as it was, or begin again without it");
    *out = (fer_state){.kind = (fer_state_kind)h.kind,
                       .round = (uint32_t)get(h.round, sizeof h.round),
                       .number = get(h.number, sizeof h.number),
                       .until = (int64_t)get(h.until, sizeof h.until),
                       .inner = inner};
    if (out->until <= now)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN,
                        "the requestState has expired: begin again without it");
    return FER_OK;
}
