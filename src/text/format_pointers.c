/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Pointers (RFC 6901) and relative ones. Since draft-bhutton-relative-json-pointer-00,
 * which draft 2020-12 names, a relative one may move among the items of an array: 0-1/name.
 */
#include "formats_shared.h"

int fer_format_json_pointer(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    if (s.len > 0 && s.ptr[0] != '/') return 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '~') continue;
        if (++i == s.len || (s.ptr[i] != '0' && s.ptr[i] != '1')) return 0;
    }
    return 1;
}

/* The index behind a number without leading zeros at `at`; `at` itself where there is none. */
static size_t skip_number(fer_str s, size_t at)
{
    size_t end = at;
    if (at < s.len && s.ptr[at] == '0') return at + 1;
    while (end < s.len && fer_is_digit(s.ptr[end])) end++;
    return end;
}

static int check_relative(fer_arena *scratch, fer_str s, bool moves)
{
    size_t at = skip_number(s, 0);
    if (at == 0) return 0;
    if (moves && at < s.len && (s.ptr[at] == '+' || s.ptr[at] == '-')) {
        size_t first = at + 1;
        at = skip_number(s, first);
        if (at == first || s.ptr[first] == '0') return 0;
    }
    fer_str rest = fer_str_slice(s, at, s.len);
    return fer_str_is(rest, "#") || fer_format_json_pointer(scratch, rest);
}

int fer_format_relative_pointer(fer_arena *scratch, fer_str s)
{
    return check_relative(scratch, s, false);
}

int fer_format_relative_pointer_2020(fer_arena *scratch, fer_str s)
{
    return check_relative(scratch, s, true);
}
