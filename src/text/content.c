/* SPDX-License-Identifier: Apache-2.0 */
#include "content.h"

/* An alphabet of 2^bits characters; groups of `group` characters are filled up with '='. */
struct base {
    const char *alphabet;
    unsigned bits;
    size_t group;
    bool padded; /* the last group must be filled up */
    bool nocase;
};

static int digit_of(const struct base *b, char c)
{
    if (b->nocase && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    const char *at = c ? strchr(b->alphabet, c) : NULL;
    return at ? (int)(at - b->alphabet) : -1;
}

static fer_code decode(const struct base *b, fer_arena *a, fer_str text, fer_str *out)
{
    size_t len = text.len, pad = 0;
    while (len && text.ptr[len - 1] == '=' && pad < b->group - 1) len--, pad++;
    /* A last group must hold whole bytes, and be filled up where that is demanded. */
    size_t rest = len % b->group * b->bits % 8;
    if ((len % b->group * b->bits) % 8 >= b->bits) return FER_INVALID_FORMAT;
    if ((b->padded || pad) && text.len % b->group) return FER_INVALID_FORMAT;
    if (pad && !(len % b->group)) return FER_INVALID_FORMAT;
    char *to = fer_arena_alloc(a, len * b->bits / 8 + 1);
    if (!to) return fer_arena_code(a);
    uint64_t value = 0;
    unsigned have = 0;
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        int digit = digit_of(b, text.ptr[i]);
        if (digit < 0) return FER_INVALID_FORMAT;
        value = value << b->bits | (unsigned)digit;
        have += b->bits;
        if (have >= 8) {
            have -= 8;
            to[count++] = (char)(unsigned char)(value >> have);
        }
    }
    if (rest && (value & (((uint64_t)1 << have) - 1))) return FER_INVALID_FORMAT;
    *out = (fer_str){to, count};
    return FER_OK;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL   "abcdefghijklmnopqrstuvwxyz"

static fer_code base64(fer_arena *a, fer_str text, fer_str *out)
{
    static const struct base b = {LETTERS SMALL "0123456789+/", 6, 4, true, false};
    return decode(&b, a, text, out);
}

static fer_code base64url(fer_arena *a, fer_str text, fer_str *out)
{
    static const struct base b = {LETTERS SMALL "0123456789-_", 6, 4, false, false};
    return decode(&b, a, text, out);
}

static fer_code base32(fer_arena *a, fer_str text, fer_str *out)
{
    static const struct base b = {LETTERS "234567", 5, 8, true, false};
    return decode(&b, a, text, out);
}

static fer_code base32hex(fer_arena *a, fer_str text, fer_str *out)
{
    static const struct base b = {"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, true, false};
    return decode(&b, a, text, out);
}

static fer_code base16(fer_arena *a, fer_str text, fer_str *out)
{
    static const struct base b = {"0123456789ABCDEF", 4, 2, true, true};
    return decode(&b, a, text, out);
}

static fer_code plain(fer_arena *a, fer_str text, fer_str *out)
{
    (void)a;
    *out = text;
    return FER_OK;
}

fer_content_decode *fer_content_find(fer_str encoding)
{
    static const struct {
        const char *name;
        fer_content_decode *decode;
    } rows[] = {
        {"base64", base64}, {"base64url", base64url}, {"base32", base32}, {"base32hex", base32hex},
        {"base16", base16}, {"7bit", plain},          {"8bit", plain},    {"binary", plain},
    };
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (fer_str_eq_nocase(encoding, fer_str_of(rows[i].name))) return rows[i].decode;
    }
    return NULL;
}

bool fer_content_is_json(fer_str media_type)
{
    size_t end = fer_str_find(media_type, 0, ';');
    fer_str type = fer_str_slice(media_type, 0, end == SIZE_MAX ? media_type.len : end);
    while (type.len && type.ptr[type.len - 1] == ' ') type.len--;
    return fer_str_eq_nocase(type, FER_STR("application/json")) ||
           (type.len > 5 &&
            fer_str_eq_nocase(fer_str_slice(type, type.len - 5, type.len), FER_STR("+json")));
}
