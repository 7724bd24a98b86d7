/* SPDX-License-Identifier: Apache-2.0 */
#include "uri.h"

#include "uri_chars.h"

/* ---- taking apart ----------------------------------------------------------------------- */

/* The index of the first byte at or after `from` that is one of `stops`; the length without any. */
static size_t find_any(fer_str s, size_t from, const char *stops)
{
    for (; from < s.len; from++) {
        if (s.ptr[from] && strchr(stops, s.ptr[from])) break;
    }
    return from;
}

void fer_uri_split(fer_str text, fer_uri *out)
{
    *out = (fer_uri){0};
    size_t at = 0, end = find_any(text, 0, ":/?#");
    if (end > 0 && end < text.len && text.ptr[end] == ':') {
        out->has_scheme = true;
        out->scheme = fer_str_slice(text, 0, end);
        at = end + 1;
    }
    if (text.len - at >= 2 && text.ptr[at] == '/' && text.ptr[at + 1] == '/') {
        end = find_any(text, at + 2, "/?#");
        out->has_authority = true;
        out->authority = fer_str_slice(text, at + 2, end);
        at = end;
    }
    end = find_any(text, at, "?#");
    out->path = fer_str_slice(text, at, end);
    at = end;
    if (at < text.len && text.ptr[at] == '?') {
        end = find_any(text, at + 1, "#");
        out->has_query = true;
        out->query = fer_str_slice(text, at + 1, end);
        at = end;
    }
    if (at < text.len) {
        out->has_fragment = true;
        out->fragment = fer_str_slice(text, at + 1, text.len);
    }
}

/* ---- resolution ---------------------------------------------------------------------------- */

/* The length without the last segment and the slash before it. */
static size_t drop_segment(const char *path, size_t len)
{
    while (len > 0 && path[--len] != '/') {
    }
    return len;
}

/*
 * RFC 3986 5.2.4, in place: what is written never overtakes what is read. Linear, because a
 * byte is dropped at most once.
 */
static size_t remove_dots(char *path, size_t len)
{
    size_t in = 0, out = 0;
    while (in < len) {
        fer_str rest = {path + in, len - in};
        if (fer_str_starts(rest, "../")) {
            in += 3;
        } else if (fer_str_starts(rest, "./") || fer_str_starts(rest, "/./")) {
            in += 2;
        } else if (fer_str_is(rest, "/.")) {
            path[++in] = '/';
        } else if (fer_str_starts(rest, "/../")) {
            in += 3;
            out = drop_segment(path, out);
        } else if (fer_str_is(rest, "/..")) {
            in += 2;
            path[in] = '/';
            out = drop_segment(path, out);
        } else if (fer_str_is(rest, ".") || fer_str_is(rest, "..")) {
            in = len;
        } else {
            do {
                path[out++] = path[in++];
            } while (in < len && path[in] != '/');
        }
    }
    return out;
}

/* The two texts as one path without dot segments. `ptr` NULL: no memory. */
static fer_str plain_path(fer_arena *a, fer_str head, fer_str tail)
{
    char *path = fer_arena_alloc(a, head.len + tail.len + 1);
    if (!path) return FER_STR_NONE;
    if (head.len) memcpy(path, head.ptr, head.len);
    if (tail.len) memcpy(path + head.len, tail.ptr, tail.len);
    return (fer_str){path, remove_dots(path, head.len + tail.len)};
}

/* RFC 3986 5.2.3: what stays of the base's path before a relative one. */
static fer_str merge_head(const fer_uri *base)
{
    if (base->has_authority && base->path.len == 0) return FER_STR("/");
    size_t len = base->path.len;
    while (len > 0 && base->path.ptr[len - 1] != '/') len--;
    return fer_str_slice(base->path, 0, len);
}

/* RFC 3986 5.2.2. False: no memory. */
static bool resolve(fer_arena *a, const fer_uri *base, const fer_uri *r, fer_uri *out)
{
    bool own_authority = r->has_scheme || r->has_authority;
    *out = *r;
    if (!r->has_scheme) {
        out->scheme = base->scheme;
        out->has_scheme = base->has_scheme;
    }
    if (!own_authority) {
        out->authority = base->authority;
        out->has_authority = base->has_authority;
    }
    if (!own_authority && r->path.len == 0) {
        out->path = base->path;
        if (!r->has_query) {
            out->query = base->query;
            out->has_query = base->has_query;
        }
        return true;
    }
    bool relative = !own_authority && r->path.ptr[0] != '/';
    out->path = plain_path(a, relative ? merge_head(base) : FER_STR_NONE, r->path);
    return out->path.ptr != NULL;
}

/* What keeps a path from being read as something else (RFC 3986 3.3 and 4.2). */
static const char *path_guard(const fer_uri *uri)
{
    if (uri->has_authority) return "";
    if (fer_str_starts(uri->path, "//")) return "/.";
    size_t stop = find_any(uri->path, 0, ":/");
    bool colon = stop < uri->path.len && uri->path.ptr[stop] == ':';
    return colon && !uri->has_scheme ? "./" : "";
}

/* RFC 3986 5.3. */
static void add_uri(fer_buf *b, const fer_uri *uri)
{
    if (uri->has_scheme) {
        fer_buf_add(b, uri->scheme);
        fer_buf_add_char(b, ':');
    }
    if (uri->has_authority) {
        fer_buf_add_text(b, "//");
        fer_buf_add(b, uri->authority);
    }
    fer_buf_add_text(b, path_guard(uri));
    fer_buf_add(b, uri->path);
    if (uri->has_query) {
        fer_buf_add_char(b, '?');
        fer_buf_add(b, uri->query);
    }
    if (uri->has_fragment) {
        fer_buf_add_char(b, '#');
        fer_buf_add(b, uri->fragment);
    }
}

fer_str fer_uri_resolve(fer_arena *a, fer_str base, fer_str reference)
{
    fer_uri from, to, result;
    fer_buf b;
    fer_uri_split(base, &from);
    fer_uri_split(reference, &to);
    if (base.len == 0 && !to.has_scheme) return fer_arena_copy(a, reference);
    if (!resolve(a, &from, &to, &result)) return FER_STR_NONE;
    fer_buf_init(&b, a, SIZE_MAX / 2);
    add_uri(&b, &result);
    if (fer_buf_code(&b, NULL) != FER_OK) return FER_STR_NONE;
    return b.len ? fer_buf_view(&b) : FER_STR("");
}

/* ---- escapes -----------------------------------------------------------------------------------
 */

fer_code fer_uri_decode(fer_arena *a, fer_str s, fer_str *out)
{
    if (fer_str_find(s, 0, '%') == SIZE_MAX) {
        *out = s;
        return FER_OK;
    }
    char *text = fer_arena_alloc(a, s.len);
    size_t len = 0;
    if (!text) return fer_arena_code(a);
    for (size_t at = 0; at < s.len; len++) {
        if (s.ptr[at] != '%') {
            text[len] = s.ptr[at++];
            continue;
        }
        if (!fer_uri_is_escape(s, at)) return FER_INVALID_FORMAT;
        text[len] = (char)(fer_uri_hex(s.ptr[at + 1]) * 16 + fer_uri_hex(s.ptr[at + 2]));
        at += 3;
    }
    *out = (fer_str){text, len};
    return FER_OK;
}

/* What may stand in a fragment as it is: RFC 3986 section 3.5. */
static const bool fragment_plain[256] = {
    ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['0' ... '9'] = true, ['-'] = true, ['.'] = true,
    ['_'] = true,         ['~'] = true,         ['!'] = true,         ['$'] = true, ['&'] = true,
    ['\''] = true,        ['('] = true,         [')'] = true,         ['*'] = true, ['+'] = true,
    [','] = true,         [';'] = true,         ['='] = true,         [':'] = true, ['@'] = true,
    ['/'] = true,         ['?'] = true};

void fer_uri_add_fragment(fer_buf *b, fer_str fragment)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t plain = 0; /* start of the run that needs no escape */
    for (size_t i = 0; i < fragment.len; i++) {
        unsigned char byte = (unsigned char)fragment.ptr[i];
        if (fragment_plain[byte]) continue;
        fer_buf_add(b, fer_str_slice(fragment, plain, i));
        plain = i + 1;
        fer_buf_add_char(b, '%');
        fer_buf_add_char(b, digits[byte >> 4]);
        fer_buf_add_char(b, digits[byte & 0xF]);
    }
    fer_buf_add(b, fer_str_slice(fragment, plain, fragment.len));
}
