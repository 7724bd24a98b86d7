/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of URIs (RFC 3986) and IRIs (RFC 3987): the parts, each by its own rule. */
#include "formats_shared.h"
#include "unicode.h"
#include "uri.h"
#include "uri_chars.h"

/* ---- characters -------------------------------------------------------------------------- */

bool fer_uri_is_unreserved(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool fer_uri_is_sub_delim(char c)
{
    return c && strchr("!$&'()*+,;=", c);
}

int fer_uri_hex(char c)
{
    if (fer_is_digit(c)) return c - '0';
    c = fer_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool fer_uri_is_escape(fer_str s, size_t at)
{
    return s.len - at >= 3 && s.ptr[at] == '%' && fer_uri_hex(s.ptr[at + 1]) >= 0 &&
           fer_uri_hex(s.ptr[at + 2]) >= 0;
}

bool fer_iri_is_ucschar(uint32_t c)
{
    if (c < 0x10000)
        return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) ||
               (c >= 0xFDF0 && c <= 0xFFEF);
    /* Planes 1 to 14 without their last two code points; plane 14 from E1000 on. */
    return c <= 0xEFFFD && (c & 0xFFFF) <= 0xFFFD && (c < 0xE0000 || c >= 0xE1000);
}

bool fer_iri_is_private(uint32_t c)
{
    return (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xF0000 && c <= 0xFFFFD) ||
           (c >= 0x100000 && c <= 0x10FFFD);
}

/* LRM, RLM and the embeddings and overrides that RFC 3987 4.1 keeps out of IRIs. */
static bool is_bidi_control(uint32_t c)
{
    return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E);
}

/* ---- parts ---------------------------------------------------------------------------------- */

enum reach {
    ASCII,        /* a URI */
    INTERNATIONAL /* an IRI */
};

/*
 * Whether a part holds nothing but unreserved characters, sub-delims, escapes, what stands in
 * `more`, and in an IRI its letters; `private_too` allows those of private use as well.
 */
static bool part_is(fer_str s, const char *more, enum reach reach, bool private_too)
{
    for (size_t at = 0; at < s.len;) {
        char c = s.ptr[at];
        if ((unsigned char)c >= 0x80) {
            if (reach == ASCII) return false;
            /* An invalid byte counts as U+FFFD, which is in neither class. */
            uint32_t point = fer_utf8_next(s, &at);
            bool allowed = fer_iri_is_ucschar(point) || (private_too && fer_iri_is_private(point));
            if (!allowed || is_bidi_control(point)) return false;
            continue;
        }
        if (c == '%') {
            if (!fer_uri_is_escape(s, at)) return false;
            at += 3;
            continue;
        }
        if (!fer_uri_is_unreserved(c) && !fer_uri_is_sub_delim(c) && !(c && strchr(more, c)))
            return false;
        at++;
    }
    return true;
}

static bool scheme_is(fer_str s)
{
    if (s.len == 0 || !fer_is_alpha(s.ptr[0])) return false;
    for (size_t i = 1; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && c != '+' && c != '-' && c != '.') return false;
    }
    return true;
}

/* IPvFuture: "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ). */
static bool future_is(fer_str s)
{
    size_t at = 1;
    if (s.len == 0 || fer_lower(s.ptr[0]) != 'v') return false;
    while (at < s.len && fer_uri_hex(s.ptr[at]) >= 0) at++;
    if (at == 1 || at + 1 >= s.len || s.ptr[at] != '.') return false;
    fer_str rest = fer_str_slice(s, at + 1, s.len);
    return fer_str_find(rest, 0, '%') == SIZE_MAX && part_is(rest, ":", ASCII, false);
}

/* "" or ":" and digits. */
static bool port_is(fer_str s)
{
    if (s.len > 0 && s.ptr[0] != ':') return false;
    for (size_t i = 1; i < s.len; i++) {
        if (!fer_is_digit(s.ptr[i])) return false;
    }
    return true;
}

static bool authority_is(fer_str s, enum reach reach)
{
    size_t at = fer_str_find(s, 0, '@');
    if (at != SIZE_MAX) {
        if (!part_is(fer_str_slice(s, 0, at), ":", reach, false)) return false;
        s = fer_str_slice(s, at + 1, s.len);
    }
    if (s.len > 0 && s.ptr[0] == '[') {
        size_t close = fer_str_find(s, 0, ']');
        if (close == SIZE_MAX) return false;
        fer_str address = fer_str_slice(s, 1, close);
        if (!fer_ip_is_v6(address) && !future_is(address)) return false;
        return port_is(fer_str_slice(s, close + 1, s.len));
    }
    size_t colon = fer_str_find(s, 0, ':');
    if (colon == SIZE_MAX) colon = s.len;
    return part_is(fer_str_slice(s, 0, colon), "", reach, false) &&
           port_is(fer_str_slice(s, colon, s.len));
}

/* ---- wholes -------------------------------------------------------------------------------------
 */

static bool reference_is(fer_str s, enum reach reach, bool absolute)
{
    fer_uri uri;
    fer_uri_split(s, &uri);
    if (absolute && !uri.has_scheme) return false;
    if (uri.has_scheme && !scheme_is(uri.scheme)) return false;
    if (uri.has_authority && !authority_is(uri.authority, reach)) return false;
    /* A first segment that begins with ":" is neither a scheme nor part of a relative path. */
    if (!uri.has_scheme && !uri.has_authority && uri.path.len && uri.path.ptr[0] == ':')
        return false;
    return part_is(uri.path, ":@/", reach, false) && part_is(uri.query, ":@/?", reach, true) &&
           part_is(uri.fragment, ":@/?", reach, false);
}

bool fer_uri_is(fer_str s)
{
    return reference_is(s, ASCII, true);
}

bool fer_uri_is_reference(fer_str s)
{
    return reference_is(s, ASCII, false);
}

bool fer_iri_is(fer_str s)
{
    return reference_is(s, INTERNATIONAL, true);
}

bool fer_iri_is_reference(fer_str s)
{
    return reference_is(s, INTERNATIONAL, false);
}
