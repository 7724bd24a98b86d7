/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses: the dotted quad of RFC 2673 3.2 and the text forms of RFC 4291 2.2. */
#include "formats_shared.h"
#include "uri_chars.h"

#define V4_LONGEST 15 /* 255.255.255.255 */
#define V6_LONGEST 45 /* six groups and a dotted quad */
#define V6_GROUPS  8

bool fer_ip_is_v4(fer_str s)
{
    size_t at = 0;
    if (s.len > V4_LONGEST) return false;
    for (int part = 0; part < 4; part++) {
        size_t first = at;
        unsigned n = 0;
        for (; at < s.len && fer_is_digit(s.ptr[at]); at++) {
            n = n * 10 + (unsigned)(s.ptr[at] - '0');
            if (n > 255) return false;
        }
        bool leading_zero = at > first + 1 && s.ptr[first] == '0';
        if (at == first || leading_zero) return false;
        if (part < 3 && (at == s.len || s.ptr[at++] != '.')) return false;
    }
    return at == s.len;
}

bool fer_ip_is_v6(fer_str s)
{
    bool gap = fer_str_starts(s, "::");
    size_t at = gap ? 2 : 0, groups = 0;
    if (s.len < 2 || s.len > V6_LONGEST) return false;
    while (at < s.len) {
        size_t first = at;
        while (at < s.len && fer_uri_hex(s.ptr[at]) >= 0) at++;
        if (at < s.len && s.ptr[at] == '.') {
            if (!fer_ip_is_v4(fer_str_slice(s, first, s.len))) return false;
            groups += 2;
            break;
        }
        if (at == first || at > first + 4) return false;
        groups++;
        if (at == s.len) break;
        if (s.ptr[at++] != ':' || at == s.len) return false;
        if (s.ptr[at] == ':') {
            if (gap) return false;
            gap = true;
            at++;
        }
    }
    return gap ? groups < V6_GROUPS : groups == V6_GROUPS;
}

int fer_format_ipv4(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_ip_is_v4(s);
}

int fer_format_ipv6(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_ip_is_v6(s);
}
