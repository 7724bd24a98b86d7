/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"

#include <string.h>

#include "checked.h"

bool fer_str_eq(fer_str a, fer_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool fer_str_is(fer_str a, const char *b)
{
    return fer_str_eq(a, fer_str_of(b));
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

bool fer_str_eq_nocase(fer_str a, fer_str b)
{
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        if (fer_lower(a.ptr[i]) != fer_lower(b.ptr[i])) return false;
    }
    return true;
}

size_t fer_str_find(fer_str s, size_t from, char c)
{
    if (from >= s.len) return SIZE_MAX;
    const char *at = memchr(s.ptr + from, c, s.len - from);
    return at ? (size_t)(at - s.ptr) : SIZE_MAX;
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
