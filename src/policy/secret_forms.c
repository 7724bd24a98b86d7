/* SPDX-License-Identifier: Apache-2.0 */
#include "secret_forms.h"

#include "buf.h"

static const char lower_hex[] = "0123456789abcdef", upper_hex[] = "0123456789ABCDEF";
static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void add_hex(fer_buf *b, fer_str s, const char *digits)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        fer_buf_add_char(b, digits[c >> 4]);
        fer_buf_add_char(b, digits[c & 15]);
    }
}

/* RFC 3986: all but unreserved characters; some write a blank as a plus. */
static void add_percent(fer_buf *b, fer_str s, const char *digits, bool plus)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool bare = fer_is_alpha(s.ptr[i]) || fer_is_digit(s.ptr[i]) || strchr("-._~", c);
        if (bare && c) {
            fer_buf_add_char(b, s.ptr[i]);
        } else if (plus && c == ' ') {
            fer_buf_add_char(b, '+');
        } else {
            fer_buf_add_char(b, '%');
            fer_buf_add_char(b, digits[c >> 4]);
            fer_buf_add_char(b, digits[c & 15]);
        }
    }
}

/*
 * The letters that the secret alone decides where `shift` bytes (0 to 2) stand before it in its
 * group of three: letters that share bits with a neighbour are left out.
 */
static void add_base64(fer_buf *b, fer_str s, size_t shift, const char *letters)
{
    size_t bits = s.len * 8;
    size_t skip = shift ? 6 - (shift * 8) % 6 : 0; /* bits of a letter begun by the neighbour */
    if (skip == 6) skip = 0;
    for (size_t at = skip; at + 6 <= bits; at += 6) {
        unsigned value = 0;
        for (size_t k = at; k < at + 6; k++)
            value = value << 1 | ((unsigned char)s.ptr[k / 8] >> (7 - k % 8) & 1);
        fer_buf_add_char(b, letters[value]);
    }
}

/* As fer_buf_add_escaped, with the solidus escaped as some writers do. */
static void add_json(fer_buf *b, fer_str s, bool solidus)
{
    for (size_t i = 0; i < s.len; i++) {
        if (solidus && s.ptr[i] == '/') fer_buf_add_text(b, "\\/");
        else fer_buf_add_escaped(b, fer_str_slice(s, i, i + 1));
    }
}

/* Writers that keep to ASCII escape the rest, a UTF-16 unit at a time. */
static void add_json_ascii(fer_buf *b, fer_str s)
{
    for (size_t i = 0; i < s.len;) {
        size_t len = fer_utf8_len(s, i);
        if (len < 2) { /* ASCII, or no UTF-8 at all */
            fer_buf_add_escaped(b, fer_str_slice(s, i, i + 1));
            i++;
            continue;
        }
        unsigned point = (unsigned char)s.ptr[i] & (0x7fu >> len);
        for (size_t k = 1; k < len; k++) point = point << 6 | ((unsigned char)s.ptr[i + k] & 0x3f);
        i += len;
        if (point >= 0x10000) fer_buf_printf(b, "\\u%04x", 0xd800 + ((point - 0x10000) >> 10));
        fer_buf_printf(b, "\\u%04x",
                       point >= 0x10000 ? 0xdc00 + ((point - 0x10000) & 0x3ff) : point);
    }
}

/* JSON in a text of JSON. */
static void add_json_twice(fer_buf *b, fer_arena *a, fer_str s, bool ascii)
{
    fer_buf once;
    fer_buf_init(&once, a, SIZE_MAX / 4);
    if (ascii) add_json_ascii(&once, s);
    else add_json(&once, s, false);
    if (once.failure) b->failure = once.failure;
    else add_json(b, fer_buf_view(&once), false);
}

static bool keep(fer_str out[FER_SECRET_FORMS], size_t *count, const fer_buf *b)
{
    fer_str s = fer_buf_view(b);
    if (b->failure) return false;
    for (size_t i = 0; i < *count; i++)
        if (fer_str_eq(out[i], s)) return true;
    out[(*count)++] = s;
    return true;
}

enum {
    BASE64 = 11, /* the first of six: three alignments, two alphabets */
    FORMS = BASE64 + 6
};
static_assert(FORMS <= FER_SECRET_FORMS, "room for each");

bool fer_secret_forms(fer_arena *a, fer_str secret, fer_str out[FER_SECRET_FORMS], size_t *count)
{
    *count = 0;
    for (int form = 0; form < FORMS; form++) {
        fer_buf b;
        fer_buf_init(&b, a, SIZE_MAX / 4);
        switch (form) {
        case 0: fer_buf_add(&b, secret); break;
        case 1: add_json(&b, secret, false); break;
        case 2: add_json(&b, secret, true); break;
        case 3: add_percent(&b, secret, upper_hex, false); break;
        case 4: add_percent(&b, secret, lower_hex, false); break;
        case 5: add_percent(&b, secret, upper_hex, true); break;
        case 6: add_hex(&b, secret, lower_hex); break;
        case 7: add_hex(&b, secret, upper_hex); break;
        case 8: add_json_ascii(&b, secret); break;
        case 9: add_json_twice(&b, a, secret, false); break;
        case 10: add_json_twice(&b, a, secret, true); break;
        default:
            add_base64(&b, secret, (size_t)(form - BASE64) / 2,
                       (form - BASE64) % 2 ? base64url : base64);
            break;
        }
        if (!keep(out, count, &b)) return false;
    }
    return true;
}
