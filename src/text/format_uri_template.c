/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URI templates (RFC 6570 2), with the apostrophe in literals that erratum 6937 restores.
 * Operators that are reserved for later are part of the grammar and so are allowed.
 */
#include "formats_shared.h"
#include "unicode.h"
#include "uri_chars.h"

/* Each skips what it names at `at`, and gives the index behind; 0 where it does not stand there. */

static size_t skip_varchar(fer_str s, size_t at)
{
    if (at < s.len && fer_uri_is_escape(s, at)) return at + 3;
    bool plain =
        at < s.len && (fer_is_alpha(s.ptr[at]) || fer_is_digit(s.ptr[at]) || s.ptr[at] == '_');
    return plain ? at + 1 : 0;
}

/* varname = varchar *( ["."] varchar ) */
static size_t skip_varname(fer_str s, size_t at)
{
    size_t end = skip_varchar(s, at);
    if (end == 0) return 0;
    for (;;) {
        bool dot = end < s.len && s.ptr[end] == '.';
        size_t next = skip_varchar(s, end + dot);
        if (next == 0) return dot ? 0 : end;
        end = next;
    }
}

/* ":" and a number from 1 to 9999, or "*", or nothing. */
static size_t skip_modifier(fer_str s, size_t at)
{
    if (at < s.len && s.ptr[at] == '*') return at + 1;
    if (at >= s.len || s.ptr[at] != ':') return at;
    size_t first = ++at;
    while (at < s.len && at < first + 4 && fer_is_digit(s.ptr[at])) at++;
    return at > first && s.ptr[first] != '0' ? at : 0;
}

/* What follows "{", with its "}". */
static size_t skip_expression(fer_str s, size_t at)
{
    if (at < s.len && s.ptr[at] && strchr("+#./;?&=,!@|", s.ptr[at])) at++;
    for (;;) {
        at = skip_varname(s, at);
        if (at == 0) return 0;
        at = skip_modifier(s, at);
        if (at == 0 || at >= s.len) return 0;
        if (s.ptr[at] == '}') return at + 1;
        if (s.ptr[at++] != ',') return 0;
    }
}

static size_t skip_literal(fer_str s, size_t at)
{
    char c = s.ptr[at];
    if ((unsigned char)c >= 0x80) {
        uint32_t point = fer_utf8_next(s, &at);
        return fer_iri_is_ucschar(point) || fer_iri_is_private(point) ? at : 0;
    }
    if (c == '%') return fer_uri_is_escape(s, at) ? at + 3 : 0;
    return c <= 0x20 || c == 0x7F || strchr("\"<>\\^`{|}", c) ? 0 : at + 1;
}

int fer_format_uri_template(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    for (size_t at = 0; at < s.len;) {
        at = s.ptr[at] == '{' ? skip_expression(s, at + 1) : skip_literal(s, at);
        if (at == 0) return 0;
    }
    return 1;
}
