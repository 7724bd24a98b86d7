/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth_form.h"

#include <openssl/evp.h>

#include "base64url.h"
#include "sys.h"

void fer_form_add(fer_buf *b, const char *name, fer_str value)
{
    static const char hex[] = "0123456789ABCDEF";
    if (!value.len) return;
    bool first = !b->len || b->ptr[b->len - 1] == '?' || b->ptr[b->len - 1] == '&';
    fer_buf_printf(b, "%s%s=", first ? "" : "&", name);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (fer_is_alpha((char)c) || fer_is_digit((char)c) || (c && strchr("-._~", c))) {
            fer_buf_add_char(b, (char)c);
        } else {
            fer_buf_add_char(b, '%');
            fer_buf_add_char(b, hex[c >> 4]);
            fer_buf_add_char(b, hex[c & 15]);
        }
    }
}

static int hex_of(char c)
{
    return fer_is_digit(c)                              ? c - '0'
           : fer_lower(c) >= 'a' && fer_lower(c) <= 'f' ? fer_lower(c) - 'a' + 10
                                                        : -1;
}

static fer_str decode(fer_arena *a, fer_str text)
{
    char *out = fer_arena_alloc(a, text.len + 1);
    size_t len = 0;
    if (!out) return FER_STR_NONE;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex_of(text.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_of(text.ptr[i + 2]) : -1;
            if (low < 0) return FER_STR_NONE;
            c = (char)(high << 4 | low);
            i += 2;
        }
        out[len++] = c == '+' && text.ptr[i] == '+' ? ' ' : c;
    }
    return (fer_str){out, len};
}

fer_str fer_form_get(fer_arena *a, fer_str query, const char *name)
{
    fer_str want = fer_str_of(name), found = FER_STR_NONE;
    for (size_t at = 0; at <= query.len;) {
        size_t end = fer_str_find(query, at, '&');
        if (end == SIZE_MAX) end = query.len;
        fer_str part = fer_str_slice(query, at, end);
        if (part.len > want.len && part.ptr[want.len] == '=' &&
            fer_str_eq(fer_str_slice(part, 0, want.len), want)) {
            if (found.ptr) return FER_STR_NONE;
            found = decode(a, fer_str_slice(part, want.len + 1, part.len));
        }
        at = end + 1;
    }
    return found;
}

bool fer_oauth_secret(char out[FER_OAUTH_SECRET])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char random[FER_OAUTH_SECRET - 1];
    if (fer_sys_random(random, sizeof random)) return false;
    for (size_t i = 0; i < sizeof random; i++) out[i] = digits[random[i] & 63];
    out[sizeof random] = '\0';
    return true;
}

bool fer_oauth_shown(fer_arena *a, const char *secret, fer_str *out)
{
    unsigned char hash[32];
    if (EVP_Digest(secret, strlen(secret), hash, NULL, EVP_sha256(), NULL) != 1) return false;
    *out = fer_base64url_write(a, (fer_str){(char *)hash, sizeof hash});
    return out->ptr != NULL;
}
