/* SPDX-License-Identifier: Apache-2.0 */
/* What curl is told about a call, and what it tells while the call runs. */
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "errors.h"
#include "http_parts.h"

/* ---- where it connects ---------------------------------------------------------------------- */

/* Asked for each socket: the very address that will be connected is looked at. */
static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *to)
{
    fer_http_call *c = context;
    fer_address address;
    fer_err err;
    if (c->client->options.unix_socket && to->family == AF_UNIX)
        return socket(AF_UNIX, to->socktype | SOCK_CLOEXEC, 0);
    if (purpose != CURLSOCKTYPE_IPCXN || !fer_address_of(&to->addr, &address)) {
        fer_http_call_fail(c, FER_HTTP_REFUSED);
        return CURL_SOCKET_BAD;
    }
    if (fer_net_rules_address(c->client->options.rules, &c->target, &address, &err)) {
        /* Another address of the name may do; if none does, this is why. */
        if (!c->err.code) c->err = err;
        return CURL_SOCKET_BAD;
    }
    c->client->connections++;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static bool is_safe(const fer_http_call *c)
{
    return fer_str_is(c->method, "GET") || fer_str_is(c->method, "HEAD");
}

/*
 * Asked when there is a connection and before anything is sent. Where a connection that was used
 * before ends without a byte of answer, curl sends the request again by another; nobody knows then
 * whether it has had its effect, so only what is safe to repeat is let through.
 */
static int on_request(void *context, char *remote, char *local, int remote_port, int local_port)
{
    fer_http_call *c = context;
    long sent = 0;
    (void)remote, (void)local, (void)remote_port, (void)local_port;
    c->curl->easy_getinfo(c->easy, CURLINFO_REQUEST_SIZE, &sent);
    bool again = c->asked && sent > 0 && !is_safe(c);
    if (again) fer_http_call_fail(c, FER_HTTP_LOST);
    c->asked = true;
    return again ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* ---- what it answers ------------------------------------------------------------------------ */

static bool leads_on(const fer_http_call *c)
{
    static const unsigned statuses[] = {301, 302, 303, 307, 308};
    for (size_t i = 0; is_safe(c) && i < FER_COUNT(statuses); i++)
        if (c->head.status == statuses[i]) return true;
    return false;
}

static fer_http_fault check_head(fer_http_call *c)
{
    curl_off_t length = -1;
    fer_str encoding = fer_http_head_get(&c->head, "content-encoding");
    if (encoding.len && !fer_str_eq_nocase(encoding, FER_STR("identity")))
        return FER_HTTP_MALFORMED;
    c->curl->easy_getinfo(c->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    bool large = length > 0 && (uint64_t)length > c->body_max && !fer_str_is(c->method, "HEAD");
    return large ? FER_HTTP_BODY_LARGE : FER_HTTP_FINE;
}

/* The lines of a head are there; those of 1xx are passed by. */
static fer_http_fault end_head(fer_http_call *c)
{
    long status = 0;
    if (c->raw.failure) return FER_HTTP_MEMORY;
    c->curl->easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 100 && status < 200) {
        c->raw.len = 0;
        return FER_HTTP_FINE;
    }
    fer_http_fault fault = fer_http_head_parse(c->arena, fer_buf_view(&c->raw), &c->head);
    if (fault) return fault;
    if (status < 100 || status > 999) return FER_HTTP_MALFORMED;
    c->head.status = (unsigned)status;
    c->head_done = true;
    if (c->redirects && leads_on(c)) c->location = fer_http_head_get(&c->head, "location");
    fault = check_head(c);
    if (!fault && !c->location.ptr && c->events.head)
        c->events.head(c->events.context, c, &c->head);
    return fault;
}

static size_t on_line(char *bytes, size_t size, size_t count, void *context)
{
    fer_http_call *c = context;
    fer_str line = {bytes, size * count};
    fer_http_fault fault = FER_HTTP_FINE;
    if (c->cancelled || c->fault) return 0;
    c->active_ns = fer_clock_mono();
    c->head_len += line.len;
    if (c->head_len > c->head_max) fault = FER_HTTP_HEAD_LARGE;
    else if (c->head_done) return line.len; /* a trailer */
    else if (fer_str_is(line, "\r\n") || fer_str_is(line, "\n")) fault = end_head(c);
    else fer_buf_add(&c->raw, line);
    if (fault) fer_http_call_fail(c, fault);
    return fault ? 0 : line.len;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    fer_http_call *c = context;
    fer_str piece = {bytes, size * count};
    if (c->cancelled || c->fault) return 0;
    if (c->paused) {
        c->held = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    c->active_ns = fer_clock_mono();
    if (piece.len > c->body_max - c->body_len) {
        fer_http_call_fail(c, FER_HTTP_BODY_LARGE);
        return 0;
    }
    if (c->body_max != SIZE_MAX) c->body_len += piece.len;
    if (!c->location.ptr && piece.len && c->events.body)
        c->events.body(c->events.context, c, piece);
    return piece.len;
}

/* ---- options -------------------------------------------------------------------------------- */

#define SET(option, value) (!c->curl->easy_setopt(c->easy, (option), (value)))

/* What curl must not do by itself, whatever is built into it or stands in the environment. */
static bool set_manners(fer_http_call *c)
{
    const fer_http_options *o = &c->client->options;
    return SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_FOLLOWLOCATION, 0L) &&
           SET(CURLOPT_PROXY, o->proxy ? o->proxy : "") && SET(CURLOPT_NETRC, 0L) &&
           SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_HTTP09_ALLOWED, 0L) &&
           /* A name that is being looked up keeps nobody who has stopped waiting. */
           SET(CURLOPT_QUICK_EXIT, 1L) && SET(CURLOPT_NOPROGRESS, 1L) &&
           SET(CURLOPT_CONNECTTIMEOUT_MS, (long)FER_HTTP_CONNECT_MS) &&
           SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS) &&
           SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
           (!o->unix_socket || SET(CURLOPT_UNIX_SOCKET_PATH, o->unix_socket)) &&
           (!o->ca_file || SET(CURLOPT_CAINFO, o->ca_file)) &&
           (!o->ca_folder || SET(CURLOPT_CAPATH, o->ca_folder));
}

static bool set_callbacks(fer_http_call *c)
{
    return SET(CURLOPT_PRIVATE, c) && SET(CURLOPT_OPENSOCKETFUNCTION, on_open) &&
           SET(CURLOPT_OPENSOCKETDATA, c) && SET(CURLOPT_PREREQFUNCTION, on_request) &&
           SET(CURLOPT_PREREQDATA, c) && SET(CURLOPT_HEADERFUNCTION, on_line) &&
           SET(CURLOPT_HEADERDATA, c) && SET(CURLOPT_WRITEFUNCTION, on_body) &&
           SET(CURLOPT_WRITEDATA, c) && SET(CURLOPT_ERRORBUFFER, c->curl_text);
}

static bool set_request(fer_http_call *c)
{
    bool ok = SET(CURLOPT_URL, c->url.ptr) && SET(CURLOPT_HTTPHEADER, c->fields) &&
              SET(CURLOPT_USERAGENT, "ferrule/" FER_VERSION);
    if (fer_str_is(c->method, "HEAD")) return ok && SET(CURLOPT_NOBODY, 1L);
    if (c->body.ptr)
        ok = ok && SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->body.len) &&
             SET(CURLOPT_POSTFIELDS, c->body.ptr);
    return ok && (fer_str_is(c->method, "GET") || SET(CURLOPT_CUSTOMREQUEST, c->method.ptr));
}

bool fer_http_call_prepare(fer_http_call *c)
{
    if (!c->easy) c->easy = c->curl->easy_init();
    fer_buf_init(&c->raw, c->arena, SIZE_MAX / 2);
    return c->easy && set_manners(c) && set_callbacks(c) && set_request(c);
}

/* ---- redirects ------------------------------------------------------------------------------ */

/* The address that `location` means as seen from the call's; NULL: none. */
static fer_str resolve(fer_http_call *c)
{
    char *text = NULL;
    fer_str out = FER_STR_NONE, relative = fer_arena_copy(c->arena, c->location);
    CURLU *u = c->curl->url();
    if (u && relative.ptr && !c->curl->url_set(u, CURLUPART_URL, c->url.ptr, 0) &&
        !c->curl->url_set(u, CURLUPART_URL, relative.ptr, 0) &&
        !c->curl->url_get(u, CURLUPART_URL, &text, 0))
        out = fer_arena_copy(c->arena, fer_str_of(text));
    c->curl->free(text);
    c->curl->url_cleanup(u);
    return out;
}

/* Nobody knows which fields are secrets, so only what surely is none goes to another origin. */
static bool is_harmless(const char *line)
{
    static const char *const names[] = {"accept", "accept-language", "user-agent"};
    fer_str s = {line, strcspn(line, ":;")};
    for (size_t i = 0; i < FER_COUNT(names); i++)
        if (fer_str_eq_nocase(s, fer_str_of(names[i]))) return true;
    return false;
}

static bool keep_harmless(fer_http_call *c)
{
    struct curl_slist *kept = NULL, *list;
    for (const struct curl_slist *f = c->fields; f; f = f->next) {
        if (!is_harmless(f->data)) continue;
        list = c->curl->slist_append(kept, f->data);
        if (!list) {
            c->curl->slist_free_all(kept);
            return false;
        }
        kept = list;
    }
    for (struct curl_slist *f = c->fields; f; f = f->next) explicit_bzero(f->data, strlen(f->data));
    c->curl->slist_free_all(c->fields);
    c->fields = kept;
    return true;
}

fer_http_fault fer_http_call_redirect(fer_http_call *c)
{
    fer_net_target to;
    fer_str url = resolve(c);
    if (!url.ptr || c->client->options.unix_socket) return FER_HTTP_REDIRECTS;
    if (fer_net_rules_url(c->client->options.rules, url, &to, &c->err)) return FER_HTTP_REFUSED;
    if (!fer_curl_agrees(c->curl, url, &to)) return FER_HTTP_REDIRECTS;
    if (c->target.secure && !to.secure) return FER_HTTP_REDIRECTS;
    if (!fer_net_target_same(&c->target, &to) && !keep_harmless(c)) return FER_HTTP_MEMORY;
    c->redirects--;
    c->target = to;
    c->url = url;
    c->location = FER_STR_NONE;
    c->head_done = c->asked = false;
    c->head_len = c->body_len = 0;
    return FER_HTTP_FINE;
}
