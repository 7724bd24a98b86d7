/* SPDX-License-Identifier: Apache-2.0 */
/* Who may ask, and what each path is. */
#include "serve_http.h"

#include <unistd.h>

#include "access.h"
#include "arena.h"
#include "challenge.h"
#include "clock.h"
#include "gateway_parts.h"
#include "serve_web_parts.h"
#include "sys.h"

#define BEAT_EVERY_NS INT64_C(5000000000)

/* ---- who ------------------------------------------------------------------------------------- */

fer_guest *fer_web_guest(fer_web *w, const fer_inbound *in, fer_stranger *no)
{
    fer_guest *host = fer_front_host(w->options.front);
    *no = (fer_stranger){.reason = "token"};
    if (in->local) return in->uid == getuid() || in->uid == 0 ? host : NULL;
    if (!w->options.admit) return host;
    fer_str said;
    if (fer_inbound_find(in, "Authorization", &said) != 1) return NULL;
    fer_str token = fer_http_bearer(said);
    fer_guest *who = token.ptr ? w->options.admit(w->options.context, token, no) : NULL;
    return who && !fer_guest_is_over(who) ? who : NULL;
}

void fer_web_denied(fer_web *w, const fer_guest *who, const fer_inbound *in, const char *why)
{
    if (w->options.denied) w->options.denied(w->options.context, who, in, why);
}

/* Where nobody but us gives tokens, there is nothing to say about where to get one. */
fer_str fer_web_challenge(fer_web *w, fer_arena *a, const fer_stranger *no, fer_str scope)
{
    const fer_web_options *o = &w->options;
    fer_challenge c = {0};
    bool more = scope.len > 0 || no->narrow;
    if (more) c.error = FER_STR("insufficient_scope");
    else if (no->text) c.error = FER_STR("invalid_token");
    c.text = fer_str_of(more ? "the token lacks a scope" : no->text);
    c.scope = scope.len ? scope : o->metadata.len && o->scopes.len ? o->scopes : FER_STR_NONE;
    c.metadata = o->metadata.len ? o->metadata_url : FER_STR_NONE;
    fer_str text = fer_challenge_write(a, &c);
    return text.ptr ? text : FER_STR("Bearer realm=\"ferrule\"");
}

/* One answer, whatever was wrong with the token; only the challenge says more. */
static void refuse_stranger(fer_web *w, const fer_stranger *no, fer_exchange *x)
{
    const fer_http_field fields[] = {
        {FER_STR("WWW-Authenticate"), fer_web_challenge(w, fer_exchange_arena(x), no, FER_STR(""))},
        {FER_STR("Content-Type"), FER_STR("text/plain")}};
    fer_web_denied(w, NULL, fer_exchange_inbound(x), no->reason);
    fer_exchange_answer(x, no->narrow ? 403 : 401, fields, FER_COUNT(fields),
                        FER_STR("Show the token: Authorization: Bearer TOKEN\n"), NULL);
}

/* The guard has answered; the records shall have it. */
static void on_turned_away(void *context, const fer_inbound *in, fer_guard_verdict why)
{
    fer_web_denied(context, NULL, in, why == FER_GUARD_ORIGIN ? "origin" : "host");
}

/* ---- pages beside /mcp ------------------------------------------------------------------------
 */

static void show_health(fer_web *w, fer_guest *who, fer_exchange *x)
{
    (void)w;
    (void)who;
    fer_exchange_reply(x, 200, "text/plain", FER_STR("ok\n"));
}

static void show_ready(fer_web *w, fer_guest *who, fer_exchange *x)
{
    (void)who;
    bool ready = !w->draining && fer_front_is_ready(w->options.front);
    bool records = !w->options.gateway || fer_gateway_records(w->options.gateway);
    fer_exchange_reply(x, ready && records ? 200 : 503, "text/plain",
                       !ready    ? FER_STR("not ready\n")
                       : records ? FER_STR("ready\n")
                                 : FER_STR("not ready: the ledger cannot be written\n"));
}

/* What others do is for those alone who may do everything, or have a scope for it by name. */
static bool may_see_metrics(const fer_caller *c)
{
    if (!c || (!fer_access_narrows(&c->scopes) && !c->tenant.len)) return true;
    return fer_access_names(&c->scopes, FER_STR("metrics")) ||
           fer_access_names(&c->scopes, FER_STR("admin"));
}

static void show_metrics(fer_web *w, fer_guest *who, fer_exchange *x)
{
    fer_arena *a = fer_exchange_arena(x);
    fer_front_counts c;
    fer_str calls = FER_STR("");
    if (!may_see_metrics(fer_guest_caller(who))) {
        fer_web_denied(w, who, fer_exchange_inbound(x), "metrics");
        fer_exchange_reply(
            x, 403, "text/plain",
            FER_STR("This token is for some tools, or for one tenant, only: it needs "
                    "the scope scope:metrics (or scope:admin).\n"));
        return;
    }
    fer_gateway_metrics(a, w->options.gateway, &calls, NULL);
    fer_front_count(w->options.front, &c);
    fer_str own = fer_arena_printf(
        a,
        "# TYPE ferrule_mcp_requests_total counter\nferrule_mcp_requests_total %llu\n"
        "# TYPE ferrule_mcp_refused_total counter\nferrule_mcp_refused_total %llu\n"
        "# TYPE ferrule_mcp_malformed_total counter\nferrule_mcp_malformed_total %llu\n"
        "# TYPE ferrule_mcp_peers gauge\nferrule_mcp_peers %zu\n"
        "# TYPE ferrule_mcp_requests_under_way gauge\nferrule_mcp_requests_under_way %zu\n%.*s",
        (unsigned long long)c.requests, (unsigned long long)c.refused,
        (unsigned long long)c.malformed, c.peers, c.asks, FER_PRI(calls));
    fer_exchange_reply(x, own.ptr ? 200 : 500, "text/plain; version=0.0.4",
                       own.ptr ? own : FER_STR(""));
}

/* What this server is to those who give tokens for it (RFC 9728). */
static bool shows_metadata(const fer_web *w, const fer_inbound *in)
{
    const fer_web_options *o = &w->options;
    return o->metadata.len && fer_str_is(in->method, "GET") &&
           (fer_str_eq(in->path, o->metadata_paths[0]) ||
            fer_str_eq(in->path, o->metadata_paths[1]));
}

static void show_admin(fer_web *w, fer_guest *who, fer_exchange *x)
{
    w->options.admin(w->options.admin_context, who, x);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct fer_web_route {
    const char *path, *method;
    bool open; /* to everybody */
    bool body; /* it is read first */
    void (*run)(fer_web *w, fer_guest *who, fer_exchange *x);
} routes[] = {
    {"/mcp", "POST", false, true, fer_web_post},
    {"/mcp", "GET", false, false, fer_web_get},
    {"/mcp", "DELETE", false, false, fer_web_delete},
    {"/sse", "GET", false, false, fer_web_old_get},
    {"/message", "POST", false, true, fer_web_old_post},
    {"/healthz", "GET", true, false, show_health},
    {"/readyz", "GET", true, false, show_ready},
    {"/metrics", "GET", false, false, show_metrics},
    {"/admin/", "GET", false, false, show_admin},
};

/* A path that ends in a slash stands for all below it. */
static bool is_at(const fer_web *w, const struct fer_web_route *r, fer_str path)
{
    if (r->run == show_admin) return w->options.admin && fer_str_starts(path, r->path);
    return fer_str_is(path, r->path);
}

/* The requests of 2026-07-28 are POSTs and nothing else. */
static bool is_there(const struct fer_web_route *r, const fer_inbound *in)
{
    if (!fer_str_is(in->method, r->method)) return false;
    if (r->run == fer_web_post) return true;
    fer_str version = fer_inbound_get(in, "MCP-Protocol-Version");
    const fer_mcp_version *v = version.ptr ? fer_mcp_version_find(version) : NULL;
    return !v || !v->modern;
}

/* NULL: it is answered, or waits. */
static const struct fer_web_route *route_of(fer_web *w, fer_guest *who, const fer_stranger *no,
                                            fer_exchange *x)
{
    const fer_inbound *in = fer_exchange_inbound(x);
    const struct fer_web_route *same = NULL;
    for (size_t i = 0; i < FER_COUNT(routes); i++) {
        if (!is_at(w, &routes[i], in->path)) continue;
        same = &routes[i];
        if (!is_there(same, in)) continue;
        if (same->open || who || no->wait) return same;
        refuse_stranger(w, no, x);
        return NULL;
    }
    const fer_http_field allow = {FER_STR("Allow"), fer_str_of(same ? same->method : "")};
    if (!same && shows_metadata(w, in))
        fer_exchange_reply(x, 200, "application/json", w->options.metadata);
    else if (!same) fer_exchange_reply(x, 404, "text/plain", FER_STR("MCP is at /mcp\n"));
    else if (!same->open && !who) refuse_stranger(w, no, x);
    else
        fer_exchange_answer(x, 405,
                            fer_str_is(in->path, "/mcp")
                                ? &(fer_http_field){FER_STR("Allow"), FER_STR("POST, GET, DELETE")}
                                : &allow,
                            1, FER_STR(""), NULL);
    return NULL;
}

static void run(fer_web *w, const struct fer_web_route *r, fer_guest *who, fer_exchange *x)
{
    if (who || r->open) r->run(w, who, x);
    else fer_web_wait(w, x);
}

/* What needs no body is answered before one is read. */
static bool on_head(void *context, fer_exchange *x)
{
    fer_web *w = context;
    fer_stranger no;
    fer_guest *who = fer_web_guest(w, fer_exchange_inbound(x), &no);
    const struct fer_web_route *r = route_of(w, who, &no, x);
    if (!r) return false;
    if (!r->body) {
        run(w, r, who, x);
        return false;
    }
    w->head.exchange = x;
    w->head.route = r;
    w->head.guest = who;
    if (!w->options.gateway || !fer_gateway_is_high(w->options.gateway)) return true;
    fer_web_later(x);
    return false;
}

static void on_request(void *context, fer_exchange *x)
{
    fer_web *w = context;
    const fer_inbound *in = fer_exchange_inbound(x);
    fer_stranger no;
    if (in->at_once && w->head.exchange == x) {
        run(w, w->head.route, w->head.guest, x);
        return;
    }
    fer_guest *who = fer_web_guest(w, in, &no); /* not revoked meanwhile */
    const struct fer_web_route *r = route_of(w, who, &no, x);
    if (r) run(w, r, who, x);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* When most of a crowd has left, what it took goes back to the system. */
static void see_off(fer_web *w)
{
    size_t now = fer_http_server_counts(w->http).connections;
    if (now > w->crowd) w->crowd = now;
    if (w->crowd < FER_HTTP_CROWD || now > w->crowd / 2) return;
    w->crowd = now;
    fer_sys_trim();
}

static void on_beat(uv_timer_t *timer)
{
    fer_web *w = timer->data;
    int64_t now = fer_clock_mono();
    if (w->options.look) w->options.look(w->options.context);
    fer_inquiries_sweep(w);
    fer_sessions_sweep(w, false);
    fer_inquiries_poll(w);
    see_off(w);
    if (now - w->beaten < BEAT_EVERY_NS) return;
    w->beaten = now;
    fer_inquiries_beat(w);
}

static size_t buffered(const void *context)
{
    const fer_web *w = context;
    return fer_http_server_counts(w->http).buffered;
}

fer_web *fer_web_new(const fer_web_options *o)
{
    fer_web *w = fer_sys_malloc(sizeof *w);
    if (!w) return NULL;
    memset(w, 0, sizeof *w);
    w->options = *o;
    w->past = (fer_past_all){
        .events_max = o->events, .bytes_max = o->event_bytes, .keep_ms = o->event_ms};
    w->handler = (fer_http_handler){on_head, on_request, w, on_turned_away};
    w->http = fer_http_server_new(fer_front_loop(o->front), &w->handler, o->guard, o->limits);
    if (!w->http) {
        fer_sys_free(w);
        return NULL;
    }
    w->buffers = (fer_buffers){.bytes = buffered, .context = w};
    if (o->gateway) fer_gateway_count_buffers(o->gateway, &w->buffers);
    uv_timer_init(fer_front_loop(o->front), &w->beat);
    w->beat.data = w;
    uv_timer_start(&w->beat, on_beat, FER_HTTP_LOOK_MS, FER_HTTP_LOOK_MS);
    uv_unref((uv_handle_t *)&w->beat);
    return w;
}

fer_http_server *fer_web_server(fer_web *w)
{
    return w->http;
}

/* Streams of sessions have no end of their own; those of subscriptions the front has ended. */
void fer_web_drain(fer_web *w, void (*done)(void *context), void *context)
{
    w->draining = true;
    for (fer_inquiry *p = w->posts, *next; p; p = next) {
        next = p->next;
        fer_session *old = p->session && p->session->old ? p->session : NULL;
        if (!p->talk && old) fer_session_end(old);
        else if (!p->talk && !p->late) fer_inquiry_end(p);
    }
    fer_http_server_drain(w->http, done, context);
}

static void on_closed(uv_handle_t *handle)
{
    fer_sys_free(handle->data);
}

void fer_web_close(fer_web *w)
{
    fer_web_wait_no_more(w);
    fer_gateway_uncount_buffers(&w->buffers);
    fer_http_server_close(w->http);
    fer_sessions_sweep(w, true);
    uv_close((uv_handle_t *)&w->beat, on_closed);
}
