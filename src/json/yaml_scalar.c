/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_scalar.h"

#include <string.h>

static bool one_of(fer_str s, const char *const *words)
{
    for (; *words; words++) {
        if (fer_str_is(s, *words)) return true;
    }
    return false;
}

static size_t digits_from(fer_str s, size_t i)
{
    while (i < s.len && fer_is_digit(s.ptr[i])) i++;
    return i;
}

/* [-+]? ( digits ( . digits? )? | . digits ) ( [eE] [-+]? digits )? */
static bool is_core_number(fer_str s)
{
    size_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+') ? 1 : 0;
    size_t whole_end = digits_from(s, i), end = whole_end;
    bool digits = whole_end > i;
    if (end < s.len && s.ptr[end] == '.') {
        size_t frac_end = digits_from(s, end + 1);
        digits = digits || frac_end > end + 1;
        end = frac_end;
    }
    if (!digits) return false;
    if (end < s.len && (s.ptr[end] == 'e' || s.ptr[end] == 'E')) {
        size_t exp = end + 1;
        if (exp < s.len && (s.ptr[exp] == '-' || s.ptr[exp] == '+')) exp++;
        end = digits_from(s, exp);
        if (end == exp) return false;
    }
    return end == s.len;
}

/* JSON wants no plus, no leading zeros, and digits on both sides of a point. */
static void write_number(fer_buf *b, fer_str s)
{
    size_t i = 0;
    if (s.ptr[i] == '-') fer_buf_add_char(b, '-');
    if (s.ptr[i] == '-' || s.ptr[i] == '+') i++;
    while (i + 1 < s.len && s.ptr[i] == '0' && fer_is_digit(s.ptr[i + 1])) i++;
    if (s.ptr[i] == '.') fer_buf_add_char(b, '0');
    size_t end = digits_from(s, i);
    fer_buf_add(b, fer_str_slice(s, i, end));
    if (end < s.len && s.ptr[end] == '.') {
        size_t frac_end = digits_from(s, end + 1);
        if (frac_end > end + 1) fer_buf_add(b, fer_str_slice(s, end, frac_end));
        end = frac_end;
    }
    fer_buf_add(b, fer_str_slice(s, end, s.len));
}

/* 0o17 and 0x1F. False: not such a number; `*fits` tells whether 64 bits hold it. */
static bool parse_based(fer_str s, uint64_t *out, bool *fits)
{
    unsigned base = fer_str_starts(s, "0o") ? 8 : fer_str_starts(s, "0x") ? 16 : 0;
    *out = 0;
    *fits = true;
    if (!base || s.len < 3) return false;
    for (size_t i = 2; i < s.len; i++) {
        char c = fer_lower(s.ptr[i]);
        unsigned digit = fer_is_digit(c)        ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base) return false;
        *fits = *fits && *out <= (UINT64_MAX - digit) / base;
        *out = *out * base + digit;
    }
    return true;
}

enum fer_scalar fer_scalar_of(fer_str s)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    static const char *const not_json[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf",
                                           "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
                                           ".NaN",  ".NAN",  NULL};
    uint64_t based;
    bool fits;
    if (one_of(s, nulls)) return FER_SCALAR_NULL;
    if (one_of(s, trues)) return FER_SCALAR_TRUE;
    if (one_of(s, falses)) return FER_SCALAR_FALSE;
    if (one_of(s, not_json)) return FER_SCALAR_NOT_JSON;
    if (is_core_number(s)) return FER_SCALAR_NUMBER;
    return parse_based(s, &based, &fits) ? FER_SCALAR_BASED : FER_SCALAR_STRING;
}

const char *fer_scalar_write(fer_buf *b, enum fer_scalar kind, fer_str s)
{
    uint64_t based;
    bool fits;
    switch (kind) {
    case FER_SCALAR_NULL: fer_buf_add(b, FER_STR("null")); break;
    case FER_SCALAR_TRUE: fer_buf_add(b, FER_STR("true")); break;
    case FER_SCALAR_FALSE: fer_buf_add(b, FER_STR("false")); break;
    case FER_SCALAR_NUMBER: write_number(b, s); break;
    case FER_SCALAR_BASED:
        parse_based(s, &based, &fits);
        if (!fits) return "a number in base 8 or 16 has at most 64 bits here";
        fer_buf_printf(b, "%llu", (unsigned long long)based);
        break;
    case FER_SCALAR_STRING: fer_buf_add_quoted(b, s); break;
    case FER_SCALAR_NOT_JSON: return "JSON has no infinity and no NaN; put it in quotes";
    }
    return NULL;
}

bool fer_yaml_tag_of(fer_str name, enum fer_yaml_tag *out)
{
    static const char *const names[] = {"", "str", "null", "bool", "int", "float", "map", "seq"};
    fer_str prefix = FER_STR("tag:yaml.org,2002:");
    *out = fer_str_is(name, "!") ? FER_YAML_STR : FER_YAML_NONE;
    if (name.len == 0 || *out) return true;
    for (size_t i = 1; i < FER_COUNT(names) && fer_str_starts(name, prefix.ptr); i++) {
        if (!fer_str_is(fer_str_slice(name, prefix.len, name.len), names[i])) continue;
        *out = (enum fer_yaml_tag)i;
        return true;
    }
    return false;
}

bool fer_scalar_fits(enum fer_yaml_tag tag, enum fer_scalar kind, fer_str s)
{
    bool whole =
        kind == FER_SCALAR_BASED || (kind == FER_SCALAR_NUMBER && !memchr(s.ptr, '.', s.len) &&
                                     !memchr(s.ptr, 'e', s.len) && !memchr(s.ptr, 'E', s.len));
    switch (tag) {
    case FER_YAML_NONE:
    case FER_YAML_STR: return true;
    case FER_YAML_NULL: return kind == FER_SCALAR_NULL;
    case FER_YAML_BOOL: return kind == FER_SCALAR_TRUE || kind == FER_SCALAR_FALSE;
    case FER_YAML_INT: return whole;
    case FER_YAML_FLOAT:
        return kind == FER_SCALAR_NUMBER || kind == FER_SCALAR_BASED || kind == FER_SCALAR_NOT_JSON;
    default: return false;
    }
}
