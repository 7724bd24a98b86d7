/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "checksum.h"
#include "digest.h"
#include "errors.h"

#define FORMAT 2
#define TAG    16
#define HIDDEN 24 /* bytes of version, stamp and offset */

struct token {
    unsigned char format[4]; /* the last three are 0 */
    unsigned char version[8], stamp[8], offset[8];
    unsigned char digest[FER_DIGEST];
    unsigned char tag[TAG];
};
_Static_assert(sizeof(struct token) == 60, "no gaps: it is signed as it lies");

#define SIGNED (sizeof(struct token) - TAG)

static void put_number(unsigned char out[8], uint64_t n)
{
    for (size_t i = 0; i < 8; i++) out[i] = (unsigned char)(n >> (8 * i));
}

static uint64_t get_number(const unsigned char in[8])
{
    uint64_t n = 0;
    for (size_t i = 8; i-- > 0;) n = n << 8 | in[i];
    return n;
}

static fer_code mac(const fer_view *v, const void *bytes, size_t count, unsigned char *out,
                    size_t size, fer_err *err)
{
    unsigned char whole[EVP_MAX_MD_SIZE];
    size_t len = 0;
    if (!EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, v->key, sizeof v->key, bytes, count, whole,
                   sizeof whole, &len) ||
        len < size)
        return fer_fail(err, FER_OUT_OF_MEMORY, "HMAC-SHA-256 could not be computed");
    memcpy(out, whole, size);
    return FER_OK;
}

static fer_code sign(const fer_view *v, const struct token *t, unsigned char tag[TAG], fer_err *err)
{
    return mac(v, t, SIGNED, tag, TAG, err);
}

/*
 * Hides the numbers of a token, or shows them again: where a page ends among all tools says how
 * many there are that the caller does not see. What they are hidden with is made of the tag, and so
 * is another for each token (a synthetic IV, RFC 5297); the byte before it sets it apart from what
 * is signed, which begins with FORMAT.
 */
static fer_code mask(const fer_view *v, struct token *t, fer_err *err)
{
    unsigned char seed[1 + TAG] = {0}, pad[HIDDEN];
    unsigned char *at = (unsigned char *)t + offsetof(struct token, version);
    memcpy(seed + 1, t->tag, TAG);
    fer_code code = mac(v, seed, sizeof seed, pad, HIDDEN, err);
    for (size_t i = 0; !code && i < HIDDEN; i++) at[i] ^= pad[i];
    return code;
}
_Static_assert(offsetof(struct token, digest) - offsetof(struct token, version) == HIDDEN,
               "they lie one behind the other");

/* ---- base64url (RFC 4648, 5), without padding -------------------------------------------------
 */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode(const unsigned char *in, char *out)
{
    for (size_t i = 0; i < sizeof(struct token); i += 3) {
        uint32_t word = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) *out++ = alphabet[word >> shift & 63];
    }
}
_Static_assert(sizeof(struct token) % 3 == 0 && sizeof(struct token) / 3 * 4 == FER_TOKEN_TEXT,
               "no padding");

static bool decode(fer_str text, unsigned char *out)
{
    if (text.len != FER_TOKEN_TEXT) return false;
    for (size_t i = 0; i < text.len; i += 4) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4; k++) {
            const char *at = text.ptr[i + k] ? strchr(alphabet, text.ptr[i + k]) : NULL;
            if (!at) return false;
            word = word << 6 | (uint32_t)(at - alphabet);
        }
        *out++ = (unsigned char)(word >> 16);
        *out++ = (unsigned char)(word >> 8);
        *out++ = (unsigned char)word;
    }
    return true;
}

/* ---- the request
 * --------------------------------------------------------------------------------- */

/* Each text with its length, so that no two requests are written alike. */
static void add_text(fer_buf *b, fer_str s)
{
    fer_buf_printf(b, "%zu:", s.len);
    fer_buf_add(b, s);
}

static void add_texts(fer_buf *b, const fer_texts *list)
{
    fer_buf_printf(b, "[%zu]", list->count);
    for (size_t i = 0; i < list->count; i++) add_text(b, list->list[i]);
}

static fer_code digest_of(fer_arena *a, const fer_request *r, unsigned char out[FER_DIGEST],
                          fer_err *err)
{
    unsigned char whole[FER_DIGEST_SIZE];
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    add_text(&b, fer_str_of(r->what));
    add_text(&b, r->query);
    add_text(&b, r->more);
    if (r->filter) {
        add_texts(&b, &r->filter->namespaces);
        add_texts(&b, &r->filter->tags);
        add_texts(&b, &r->filter->categories);
        fer_buf_printf(&b, "%u", r->filter->effects);
        if (r->filter->takes) add_text(&b, r->filter->mark);
    }
    if (b.failure) return fer_buf_code(&b, err);
    fer_digest_text(fer_buf_view(&b), whole);
    memcpy(out, whole, FER_DIGEST);
    return FER_OK;
}

/* ---- tokens
 * ---------------------------------------------------------------------------------------- */

static fer_code open_token(fer_pager *p, fer_str text, fer_err *err)
{
    struct token t;
    unsigned char tag[TAG];
    const fer_view *v = p->view;
    bool read = decode(text, (unsigned char *)&t);
    fer_code code = read ? mask(v, &t, err) : FER_OK;
    if (!code && read) code = sign(v, &t, tag, err);
    if (code) return code;
    if (!read || CRYPTO_memcmp(tag, t.tag, TAG) != 0 || t.format[0] != FORMAT)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN,
                        "the page token was not made by this catalogue, or was changed; start "
                        "again without one");
    if (memcmp(t.digest, p->digest, FER_DIGEST) != 0)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN,
                        "the page token belongs to another request; ask as before, or start again "
                        "without one");
    if (get_number(t.version) != v->version || get_number(t.stamp) != p->stamp)
        return fer_fail(err, FER_STALE_PAGE_TOKEN,
                        "the catalogue has changed since the page token was made; start again "
                        "without one");
    p->offset = (size_t)get_number(t.offset);
    return FER_OK;
}

fer_code fer_pager_init(fer_pager *p, fer_arena *a, const fer_view *v, const fer_request *request,
                        const fer_page *page, fer_err *err)
{
    size_t size = page && page->size ? page->size : FER_PAGE_SIZE;
    *p =
        (fer_pager){.view = v,
                    .stamp = request->state ? fer_checksum_mix(v->stamp, request->state) : v->stamp,
                    .size = size < FER_PAGE_MAX ? size : FER_PAGE_MAX};
    fer_code code = digest_of(a, request, p->digest, err);
    if (code || !page || !page->token.len) return code;
    return open_token(p, page->token, err);
}

fer_code fer_pager_token(const fer_pager *p, fer_arena *a, size_t offset, fer_str *out,
                         fer_err *err)
{
    struct token t = {.format = {FORMAT}};
    char text[FER_TOKEN_TEXT];
    put_number(t.version, p->view->version);
    put_number(t.stamp, p->stamp);
    put_number(t.offset, offset);
    memcpy(t.digest, p->digest, FER_DIGEST);
    fer_code code = sign(p->view, &t, t.tag, err);
    if (!code) code = mask(p->view, &t, err);
    if (code) return code;
    encode((const unsigned char *)&t, text);
    fer_str copy = fer_arena_copy(a, (fer_str){text, sizeof text});
    if (!copy.ptr) return fer_arena_failed(a, err);
    *out = copy;
    return FER_OK;
}
