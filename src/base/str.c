/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"

#include <string.h>

#include "checked.h"

bool fer_str_eq(fer_str a, fer_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

int fer_str_cmp(fer_str a, fer_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    if (order) return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

bool fer_str_starts(fer_str s, const char *prefix)
{
    fer_str p = fer_str_of(prefix);
    return s.len >= p.len && fer_str_eq(fer_str_slice(s, 0, p.len), p);
}

bool fer_str_ends(fer_str s, const char *suffix)
{
    fer_str p = fer_str_of(suffix);
    return s.len >= p.len && fer_str_eq(fer_str_slice(s, s.len - p.len, s.len), p);
}

typedef signed char wide __attribute__((vector_size(16)));

/* The bytes that are not plain, all bits of each set; those past ASCII are negative. */
static wide odd_bytes(const char *p)
{
    wide some;
    memcpy(&some, p, sizeof some);
    return (wide)(some < ' ') | (wide)(some == '"') | (wide)(some == '\\') | (wide)(some == '<') |
           (wide)(some == 0x7F);
}

static bool is_any(wide odd)
{
    uint64_t parts[2];
    memcpy(parts, &odd, sizeof parts);
    return parts[0] | parts[1];
}

bool fer_str_is_plain(fer_str s)
{
    char few[sizeof(wide)];
    wide odd = {0};
    if (s.len < sizeof few) {
        memset(few, ' ', sizeof few);
        if (s.len) memcpy(few, s.ptr, s.len);
        return !is_any(odd_bytes(few));
    }
    for (size_t at = 0; s.len - at > sizeof odd; at += sizeof odd) odd |= odd_bytes(s.ptr + at);
    return !is_any(odd | odd_bytes(s.ptr + s.len - sizeof odd));
}

static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '<';
}

size_t fer_str_next_odd(fer_str s, size_t at)
{
    while (s.len - at >= sizeof(wide) && !is_any(odd_bytes(s.ptr + at))) at += sizeof(wide);
    while (at < s.len && is_plain(s.ptr[at])) at++;
    return at;
}

/* Whether eight bytes are the same but for the case of letters: only the bit of the case differs,
 * and only where there is a letter. */
static bool same_eight(const char *a, const char *b)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    uint64_t differ = x ^ y, low = (x | ones * 0x20) & ~tops;
    /* The top bit of each byte from 'a' to 'z'. */
    uint64_t letters = (low + ones * (0x80 - 'a')) & ~(low + ones * (0x7F - 'z')) & ~x & tops;
    return !(differ & ~(ones * 0x20)) && !(differ << 2 & ~letters);
}

bool fer_str_eq_nocase(fer_str a, fer_str b)
{
    if (a.len != b.len) return false;
    size_t at = 0;
    for (; a.len - at >= 8; at += 8)
        if (!same_eight(a.ptr + at, b.ptr + at)) return false;
    if (at && at < a.len) return same_eight(a.ptr + a.len - 8, b.ptr + a.len - 8);
    for (; at < a.len; at++)
        if (fer_lower(a.ptr[at]) != fer_lower(b.ptr[at])) return false;
    return true;
}

size_t fer_str_find(fer_str s, size_t from, char c)
{
    if (from >= s.len) return SIZE_MAX;
    const char *at = memchr(s.ptr + from, c, s.len - from);
    return at ? (size_t)(at - s.ptr) : SIZE_MAX;
}

/* RFC 3629 section 4: no overlong forms, no surrogates, nothing past U+10FFFF. */
size_t fer_utf8_len(fer_str s, size_t at)
{
    static const struct {
        unsigned char low, high; /* of the first byte */
        unsigned char low_second, high_second;
        unsigned char len;
    } forms[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    const unsigned char *p = (const unsigned char *)s.ptr + at;
    size_t left = s.len - at;
    for (size_t i = 0; left && i < FER_COUNT(forms); i++) {
        size_t len = forms[i].len;
        if (p[0] < forms[i].low || p[0] > forms[i].high) continue;
        if (len > left) return 0;
        if (len > 1 && (p[1] < forms[i].low_second || p[1] > forms[i].high_second)) return 0;
        for (size_t k = 2; k < len; k++) {
            if ((p[k] & 0xC0) != 0x80) return 0;
        }
        return len;
    }
    return 0;
}

fer_str fer_str_head(fer_str s, size_t max)
{
    if (s.len <= max) return s;
    while (max > 0 && ((unsigned char)s.ptr[max] & 0xC0) == 0x80) max--;
    return (fer_str){s.ptr, max};
}

bool fer_parse_u64(fer_str s, uint64_t *out)
{
    uint64_t value = 0;
    if (s.len == 0) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!fer_is_digit(s.ptr[i])) return false;
        if (!fer_mul_u64(value, 10, &value)) return false;
        if (!fer_add_u64(value, (uint64_t)(s.ptr[i] - '0'), &value)) return false;
    }
    *out = value;
    return true;
}
