/* SPDX-License-Identifier: Apache-2.0 */
#include "net_rules.h"

#include "errors.h"
#include "sys.h"

/* One thing that is allowed: names or addresses. */
typedef struct permit {
    bool is_name, below; /* below: all names that end so, "*.example.com" */
    uint16_t port;       /* 0: all */
    fer_address_block block;
    char name[FER_NET_HOST_MAX + 1];
} permit;

struct fer_net_rules {
    bool closed;
    size_t count;
    permit list[FER_NET_ALLOW_MAX];
};

/* What a name may stand for where the operator has allowed it. Of the rest a name says nothing:
 * whoever answers for it could otherwise point it at a cloud's credentials. */
static const bool named_classes[FER_ADDRESS_CLASSES] = {
    [FER_ADDRESS_PUBLIC] = true, [FER_ADDRESS_LOOPBACK] = true, [FER_ADDRESS_PRIVATE] = true};

static const uint16_t public_ports[] = {80, 443};

fer_net_rules *fer_net_rules_new(void)
{
    fer_net_rules *r = fer_sys_malloc(sizeof *r);
    if (!r) return NULL;
    r->closed = false;
    r->count = 0;
    return r;
}

void fer_net_rules_free(fer_net_rules *r)
{
    fer_sys_free(r);
}

void fer_net_rules_close(fer_net_rules *r)
{
    r->closed = true;
}

void fer_net_rules_copy(fer_net_rules *r, const fer_net_rules *from)
{
    r->closed = from->closed;
    r->count = from->count;
    memcpy(r->list, from->list, from->count * sizeof *from->list);
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || c == '-' || c == '_';
}

/* Labels of letters, digits, '-' and '_' with a dot between each two; IDNs as xn--. */
static bool is_name(fer_str s)
{
    bool in_label = false;
    if (!s.len || s.len > FER_NET_HOST_MAX) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '.' && !is_name_char(s.ptr[i])) return false;
        if (s.ptr[i] == '.' && !in_label) return false;
        in_label = s.ptr[i] != '.';
    }
    return in_label;
}

/* Whether some reader may take it for an IPv4 address: its last label is a number, 0x.. included.
 */
static bool ends_in_number(fer_str s)
{
    size_t from = s.len, digits = 0;
    while (from && s.ptr[from - 1] != '.') from--;
    fer_str label = fer_str_slice(s, from, s.len);
    if (label.len > 1 && label.ptr[0] == '0' && fer_lower(label.ptr[1]) == 'x') return true;
    while (digits < label.len && fer_is_digit(label.ptr[digits])) digits++;
    return digits == label.len;
}

static void copy_lower(char *to, fer_str from)
{
    for (size_t i = 0; i < from.len; i++) to[i] = fer_lower(from.ptr[i]);
    to[from.len] = '\0';
}

/* ---- URLs ----------------------------------------------------------------------------------- */

static fer_code bad_url(fer_err *err, const char *why)
{
    return fer_fail(err, FER_BAD_USAGE, "the URL %s", why);
}

static bool parse_port(fer_str s, uint16_t *out)
{
    uint64_t n;
    if (!fer_parse_u64(s, &n) || n == 0 || n > UINT16_MAX) return false;
    *out = (uint16_t)n;
    return true;
}

/* "host", "host:80", "[::1]", "[::1]:80" in its two parts; false where it is none of these. */
static bool split_port(fer_str s, fer_str *host, uint16_t *port)
{
    size_t end = s.len && s.ptr[0] == '[' ? fer_str_find(s, 0, ']') : fer_str_find(s, 0, ':');
    if (end == SIZE_MAX) {
        *host = s;
        return s.len && s.ptr[0] != '[';
    }
    if (s.ptr[0] == '[') {
        *host = fer_str_slice(s, 1, end++);
        if (end == s.len) return true;
    } else {
        *host = fer_str_slice(s, 0, end);
    }
    return s.ptr[end] == ':' && parse_port(fer_str_slice(s, end + 1, s.len), port);
}

static bool is_clean(fer_str url)
{
    for (size_t i = 0; i < url.len; i++) {
        if (url.ptr[i] <= ' ' || url.ptr[i] > '~' || url.ptr[i] == '\\') return false;
    }
    return true;
}

static bool starts_nocase(fer_str s, fer_str prefix)
{
    return s.len >= prefix.len && fer_str_eq_nocase(fer_str_slice(s, 0, prefix.len), prefix);
}

static fer_code take_host(fer_str host, bool bracketed, fer_net_target *out, fer_err *err)
{
    fer_address a;
    bool address = fer_address_parse(host, &a);
    if (bracketed && (!address || fer_str_find(host, 0, ':') == SIZE_MAX))
        return bad_url(err, "has in brackets what is no IPv6 address (a zone is not taken)");
    if (!address && !is_name(host))
        return bad_url(err,
                       "has no host name of letters, digits, '-' and '.' (write IDNs as xn--)");
    if (!address && ends_in_number(host))
        return bad_url(err, "has an IPv4 address that is not written as four decimal numbers");
    copy_lower(out->host, host);
    return FER_OK;
}

fer_code fer_net_target_parse(fer_str url, fer_net_target *out, fer_err *err)
{
    fer_net_target t = {.port = 80};
    fer_str rest, host;
    if (url.len > FER_NET_URL_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the URL is longer than net.url, %d bytes",
                        FER_NET_URL_MAX);
    if (!is_clean(url)) return bad_url(err, "holds what is not printable ASCII, or a backslash");
    t.secure = starts_nocase(url, FER_STR("https://"));
    if (!t.secure && !starts_nocase(url, FER_STR("http://")))
        return bad_url(err, "does not begin with http:// or https://");
    rest = fer_str_slice(url, t.secure ? 8 : 7, url.len);
    if (t.secure) t.port = 443;
    size_t end = 0;
    while (end < rest.len && !strchr("/?#", rest.ptr[end])) end++;
    rest.len = end;
    if (fer_str_find(rest, 0, '@') != SIZE_MAX)
        return bad_url(err, "names a user or a password; credentials belong into a header");
    if (!split_port(rest, &host, &t.port))
        return bad_url(err, "has no host, or no port that is one");
    fer_code code = take_host(host, rest.ptr[0] == '[', &t, err);
    if (code) return code;
    *out = t;
    return FER_OK;
}

bool fer_net_target_same(const fer_net_target *a, const fer_net_target *b)
{
    return a->secure == b->secure && a->port == b->port && strcmp(a->host, b->host) == 0;
}

/* ---- what is allowed ------------------------------------------------------------------------ */

static bool read_permit(fer_str what, permit *p)
{
    fer_str host = what;
    *p = (permit){0};
    /* An IPv6 address without brackets has colons that begin no port. */
    if (fer_address_block_parse(what, &p->block)) return true;
    if (!split_port(what, &host, &p->port)) return false;
    if (fer_address_block_parse(host, &p->block)) return true;
    p->below = fer_str_starts(host, "*.");
    if (p->below) host = fer_str_slice(host, 2, host.len);
    if (what.ptr[0] == '[' || !is_name(host) || ends_in_number(host)) return false;
    p->is_name = true;
    copy_lower(p->name, host);
    return true;
}

static fer_code add_permit(fer_net_rules *r, const permit *p, fer_err *err)
{
    if (r->count == FER_NET_ALLOW_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "more than net.allow, %d, are allowed",
                        FER_NET_ALLOW_MAX);
    r->list[r->count++] = *p;
    return FER_OK;
}

fer_code fer_net_rules_allow(fer_net_rules *r, fer_str what, fer_err *err)
{
    permit p;
    if (!read_permit(what, &p))
        return fer_fail(err, FER_BAD_USAGE,
                        "'%.*s' is no host, address or block of addresses, with or without a port",
                        FER_PRI(what));
    return add_permit(r, &p, err);
}

fer_code fer_net_rules_allow_url(fer_net_rules *r, fer_str url, fer_err *err)
{
    fer_net_target t;
    permit p = {0};
    fer_code code = fer_net_target_parse(url, &t, err);
    if (code) return code;
    p.port = t.port;
    p.is_name = !fer_address_block_parse(fer_str_of(t.host), &p.block);
    memcpy(p.name, t.host, sizeof p.name);
    return add_permit(r, &p, err);
}

static bool names_host(const permit *p, const char *host)
{
    fer_str name = fer_str_of(p->name), asked = fer_str_of(host);
    if (!p->below) return fer_str_eq(name, asked);
    return asked.len > name.len + 1 && asked.ptr[asked.len - name.len - 1] == '.' &&
           fer_str_eq(fer_str_slice(asked, asked.len - name.len, asked.len), name);
}

static bool permits(const permit *p, const fer_net_target *t, const fer_address *a,
                    fer_address_class class)
{
    if (p->port && p->port != t->port) return false;
    return p->is_name ? named_classes[class] && names_host(p, t->host)
                      : fer_address_in(a, &p->block);
}

static bool is_public_port(uint16_t port)
{
    for (size_t i = 0; i < FER_COUNT(public_ports); i++)
        if (public_ports[i] == port) return true;
    return false;
}

fer_code fer_net_rules_address(const fer_net_rules *r, const fer_net_target *t,
                               const fer_address *address, fer_err *err)
{
    fer_address_class class = fer_address_classify(address);
    for (size_t i = 0; i < r->count; i++)
        if (permits(&r->list[i], t, address, class)) return FER_OK;
    if (class != FER_ADDRESS_PUBLIC)
        return fer_fail(err, FER_FORBIDDEN, "%s is at %s, which is not allowed", t->host,
                        fer_address_class_texts[class]);
    if (r->closed)
        return fer_fail(err, FER_FORBIDDEN, "%s port %u is not among what is allowed", t->host,
                        t->port);
    if (!is_public_port(t->port))
        return fer_fail(err, FER_FORBIDDEN, "port %u of %s is not allowed", t->port, t->host);
    return FER_OK;
}

/* Of a name it is not known yet which addresses it has: could any be allowed? */
static bool may_be_allowed(const fer_net_rules *r, const fer_net_target *t)
{
    if (!r->closed && is_public_port(t->port)) return true;
    for (size_t i = 0; i < r->count; i++) {
        const permit *p = &r->list[i];
        if (p->port && p->port != t->port) continue;
        if (!p->is_name || names_host(p, t->host)) return true;
    }
    return false;
}

fer_code fer_net_rules_target(const fer_net_rules *r, const fer_net_target *t, fer_err *err)
{
    fer_address a;
    if (fer_address_parse(fer_str_of(t->host), &a)) return fer_net_rules_address(r, t, &a, err);
    if (may_be_allowed(r, t)) return FER_OK;
    return fer_fail(err, FER_FORBIDDEN, "%s port %u is not among what is allowed", t->host,
                    t->port);
}

fer_code fer_net_rules_url(const fer_net_rules *r, fer_str url, fer_net_target *out, fer_err *err)
{
    fer_net_target t;
    fer_code code = fer_net_target_parse(url, &t, err);
    if (!code) code = fer_net_rules_target(r, &t, err);
    if (!code) *out = t;
    return code;
}
