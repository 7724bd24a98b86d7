/* SPDX-License-Identifier: Apache-2.0 */
#include "unicode.h"

#include <utf8proc.h>

uint32_t fer_utf8_next(fer_str s, size_t *at)
{
    unsigned char first = (unsigned char)s.ptr[*at];
    if (first < 0x80) {
        (*at)++;
        return first;
    }
    utf8proc_int32_t c;
    size_t left = s.len - *at;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.ptr + *at,
                                          (utf8proc_ssize_t)(left < 4 ? left : 4), &c);
    if (n <= 0) {
        (*at)++;
        return 0xFFFD;
    }
    *at += (size_t)n;
    return (uint32_t)c;
}

/* Whether eight bytes are ASCII, as most are. */
static bool are_ascii(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return !(word & UINT64_C(0x8080808080808080));
}

size_t fer_utf8_count(fer_str s)
{
    size_t count = 0;
    for (size_t at = 0; at < s.len; count++) {
        for (; s.len - at > 8 && are_ascii(s.ptr + at); at += 8) count += 8;
        fer_utf8_next(s, &at);
    }
    return count;
}

/* Bytes that do not go on a code point. */
size_t fer_utf8_count_valid(fer_str s)
{
    size_t count = 0, at = 0;
    for (; at + 8 <= s.len; at += 8) {
        uint64_t word;
        memcpy(&word, s.ptr + at, sizeof word);
        uint64_t goes_on = word >> 7 & ~(word >> 6) & UINT64_C(0x0101010101010101);
        count += 8 - (size_t)(goes_on * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; at < s.len; at++) count += ((unsigned char)s.ptr[at] & 0xC0) != 0x80;
    return count;
}

fer_str fer_utf8_cut(fer_str s, size_t max)
{
    size_t at = 0;
    if (s.len <= max) return s; /* a code point is a byte at least */
    for (; at < s.len && max > 0; max--) fer_utf8_next(s, &at);
    return fer_str_slice(s, 0, at);
}

uint32_t fer_unicode_lower(uint32_t c)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

bool fer_unicode_is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

size_t fer_unicode_width(fer_str s)
{
    size_t width = 0;
    for (size_t at = 0; at < s.len;) {
        uint32_t c = fer_utf8_next(s, &at);
        bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
        width += control ? 1 : (size_t)utf8proc_charwidth((utf8proc_int32_t)c);
    }
    return width;
}
