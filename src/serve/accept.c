/* SPDX-License-Identifier: Apache-2.0 */
#include "accept.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static fer_str trim(fer_str s)
{
    size_t from = 0, to = s.len;
    while (from < to && is_blank(s.ptr[from])) from++;
    while (to > from && is_blank(s.ptr[to - 1])) to--;
    return fer_str_slice(s, from, to);
}

/* What stands before the next `mark`; the rest is behind it. */
static fer_str cut(fer_str *rest, char mark)
{
    size_t end = fer_str_find(*rest, 0, mark);
    fer_str part = end == SIZE_MAX ? *rest : fer_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? FER_STR("") : fer_str_slice(*rest, end + 1, rest->len);
    return trim(part);
}

/* 3: the type itself; 2: all of its kind; 1: all; 0: others. */
static unsigned nearness_of(fer_str range, fer_str media_type)
{
    size_t kind = fer_str_find(media_type, 0, '/') + 1;
    if (fer_str_eq_nocase(range, media_type)) return 3;
    if (range.len == kind + 1 && range.ptr[kind] == '*' &&
        fer_str_eq_nocase(fer_str_slice(range, 0, kind), fer_str_slice(media_type, 0, kind)))
        return 2;
    return fer_str_is(range, "*/*");
}

/* q=0, q=0. and q=0.000: everything else is more, or nothing that says no. */
static bool is_refused(fer_str parameters)
{
    while (parameters.len) {
        fer_str value = cut(&parameters, ';');
        fer_str name = cut(&value, '=');
        if (!fer_str_eq_nocase(name, FER_STR("q")) || !value.len || value.ptr[0] != '0') continue;
        size_t at = 1;
        while (at < value.len && (value.ptr[at] == '0' || value.ptr[at] == '.')) at++;
        return at == value.len;
    }
    return false;
}

void fer_accept_read(fer_accept *k, fer_str field, fer_str media_type)
{
    while (field.len) {
        fer_str parameters = cut(&field, ',');
        unsigned near = nearness_of(cut(&parameters, ';'), media_type);
        if (!near || near < k->nearness) continue;
        bool refused = is_refused(parameters);
        /* Of two that say different things of the same range, the kinder one. */
        k->taken = (near == k->nearness && k->taken) || !refused;
        k->nearness = near;
    }
}
