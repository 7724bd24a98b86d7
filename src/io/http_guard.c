/* SPDX-License-Identifier: Apache-2.0 */
#include "http_guard.h"

#include <stdio.h>

#include "errors.h"
#include "net_address.h"
#include "sys.h"

#define LABEL_MAX 63 /* of a name (RFC 1035) */
#define HOST_MAX  253

struct entry {
    bool origin; /* else a host */
    size_t len;
    char text[FER_GUARD_TEXT_MAX]; /* lower case */
};

struct fer_http_guard {
    size_t count;
    struct entry entries[FER_GUARD_HOSTS_MAX];
};

fer_http_guard *fer_http_guard_new(void)
{
    fer_http_guard *g = fer_sys_malloc(sizeof *g);
    if (g) g->count = 0;
    return g;
}

void fer_http_guard_free(fer_http_guard *g)
{
    fer_sys_free(g);
}

/* ---- what operators write ------------------------------------------------------------------- */

static bool is_label(fer_str s)
{
    if (!s.len || s.len > LABEL_MAX || s.ptr[0] == '-' || s.ptr[s.len - 1] == '-') return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && c != '-' && c != '_') return false;
    }
    return true;
}

/* Labels with dots between them. What ends in a number is an address to some (WHATWG URL 3.5). */
static bool is_name(fer_str s)
{
    size_t at = 0, end;
    if (!s.len || s.len > HOST_MAX) return false;
    do {
        end = fer_str_find(s, at, '.');
        fer_str label = fer_str_slice(s, at, end == SIZE_MAX ? s.len : end);
        if (!is_label(label)) return false;
        if (end == SIZE_MAX) return !fer_is_digit(label.ptr[0]);
        at = end + 1;
    } while (at <= s.len);
    return false;
}

static bool is_host(fer_str s)
{
    fer_address address;
    if (s.len > 2 && s.ptr[0] == '[' && s.ptr[s.len - 1] == ']')
        return fer_str_find(s, 0, ':') != SIZE_MAX &&
               fer_address_parse(fer_str_slice(s, 1, s.len - 1), &address);
    if (fer_str_find(s, 0, ':') != SIZE_MAX) return false;
    return fer_address_parse(s, &address) || is_name(s);
}

/* HOST or HOST:PORT, the port without zeros in front. */
static bool is_authority(fer_str s)
{
    size_t colon = s.len;
    uint64_t port;
    while (colon && fer_is_digit(s.ptr[colon - 1])) colon--;
    if (colon == s.len || !colon || s.ptr[colon - 1] != ':') return is_host(s);
    fer_str digits = fer_str_slice(s, colon, s.len);
    return digits.ptr[0] != '0' && fer_parse_u64(digits, &port) && port <= UINT16_MAX &&
           is_host(fer_str_slice(s, 0, colon - 1));
}

static fer_code add(fer_http_guard *g, bool origin, fer_str text, fer_err *err)
{
    if (g->count == FER_GUARD_HOSTS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "more hosts and origins than guard.hosts, %d",
                        FER_GUARD_HOSTS_MAX);
    struct entry *e = &g->entries[g->count++];
    e->origin = origin;
    e->len = text.len;
    for (size_t i = 0; i < text.len; i++) e->text[i] = fer_lower(text.ptr[i]);
    return FER_OK;
}

fer_code fer_http_guard_host(fer_http_guard *g, fer_str host, fer_err *err)
{
    if (host.len > FER_GUARD_TEXT_MAX || !is_authority(host))
        return fer_fail(err, FER_BAD_USAGE,
                        "'%.*s' is not a host; write NAME, NAME:PORT, 127.0.0.1:PORT or [::1]:PORT",
                        FER_PRI(host));
    return add(g, false, host, err);
}

fer_code fer_http_guard_loopback(fer_http_guard *g, uint16_t port, fer_err *err)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "%s:%u", names[i], port);
        fer_code code = add(g, false, (fer_str){text, (size_t)len}, err);
        /* Clients do not write the port that their scheme has anyway. */
        if (!code && (port == 80 || port == 443)) code = add(g, false, fer_str_of(names[i]), err);
        if (code) return code;
    }
    return FER_OK;
}

fer_code fer_http_guard_loopback_origins(fer_http_guard *g, uint16_t port, bool secure,
                                         fer_err *err)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < FER_COUNT(names); i++) {
        char text[48];
        bool usual = port == (secure ? 443 : 80); /* browsers leave it out */
        int len = usual ? snprintf(text, sizeof text, "http%s://%s", secure ? "s" : "", names[i])
                        : snprintf(text, sizeof text, "http%s://%s:%u", secure ? "s" : "", names[i],
                                   port);
        code = add(g, true, (fer_str){text, (size_t)len}, err);
    }
    return code;
}

fer_code fer_http_guard_origin(fer_http_guard *g, fer_str origin, fer_err *err)
{
    size_t colon = fer_str_find(origin, 0, ':');
    bool good = colon != SIZE_MAX && colon + 3 < origin.len && origin.len <= FER_GUARD_TEXT_MAX &&
                memcmp(origin.ptr + colon, "://", 3) == 0 &&
                is_authority(fer_str_slice(origin, colon + 3, origin.len));
    for (size_t i = 0; good && i < colon; i++) {
        char c = origin.ptr[i];
        good = fer_is_alpha(c) || (i && (fer_is_digit(c) || c == '-' || c == '+' || c == '.'));
    }
    if (!good || !colon)
        return fer_fail(err, FER_BAD_USAGE,
                        "'%.*s' is not an origin; write https://NAME or http://NAME:PORT, nothing "
                        "behind it",
                        FER_PRI(origin));
    return add(g, true, origin, err);
}

/* ---- what clients write --------------------------------------------------------------------- */

static bool knows(const fer_http_guard *g, bool origin, fer_str text)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct entry *e = &g->entries[i];
        if (e->origin == origin && fer_str_eq_nocase((fer_str){e->text, e->len}, text)) return true;
    }
    return false;
}

fer_guard_verdict fer_http_guard_check(const fer_http_guard *g, fer_str host, fer_str origin)
{
    if (!host.len || !knows(g, false, host)) return FER_GUARD_HOST;
    if (origin.ptr && !knows(g, true, origin)) return FER_GUARD_ORIGIN;
    return FER_GUARD_PASS;
}

/* b64token of RFC 6750 2.1 */
static bool is_token(fer_str s)
{
    size_t i = 0;
    while (i < s.len && (fer_is_alpha(s.ptr[i]) || fer_is_digit(s.ptr[i]) ||
                         (s.ptr[i] && strchr("-._~+/", s.ptr[i]))))
        i++;
    if (!i) return false;
    while (i < s.len && s.ptr[i] == '=') i++;
    return i == s.len;
}

fer_str fer_http_bearer(fer_str authorization)
{
    fer_str scheme = FER_STR("Bearer ");
    if (authorization.len <= scheme.len ||
        !fer_str_eq_nocase(fer_str_slice(authorization, 0, scheme.len), scheme))
        return FER_STR_NONE;
    fer_str token = fer_str_slice(authorization, scheme.len, authorization.len);
    return is_token(token) ? token : FER_STR_NONE;
}
