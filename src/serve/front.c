/* SPDX-License-Identifier: Apache-2.0 */
/* A server: what it holds, its beginning and its end. */
#include <assert.h>

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "meta_tools.h"
#include "news.h"
#include "parked.h"
#include "relay.h"
#include "sys.h"
#include "tasks.h"

#define SWEEP_MS 250 /* between two looks at what takes too long */
#define WAIT_MS  100 /* between two looks at whether somebody has waited long enough */

const char *const fer_serve_modes[] = {[FER_SERVE_META] = "meta",
                                       [FER_SERVE_TOOLS] = "tools",
                                       [FER_SERVE_BOTH] = "both",
                                       [FER_SERVE_TRANSPARENT] = "transparent",
                                       [FER_SERVE_TRANSPARENT + 1] = NULL};

/* ---- changes --------------------------------------------------------------------------------- */

static void on_changed(uv_timer_t *timer)
{
    fer_listen_tell_changed(timer->data);
}

/* The catalogue has changed; a moment later, when more may have, clients are told. */
static void on_event(void *context, const fer_event *event)
{
    fer_front *s = context;
    (void)event;
    fer_front_tell_soon(s);
}

void fer_front_tell_soon(fer_front *s)
{
    if (!uv_is_active((uv_handle_t *)&s->changed))
        uv_timer_start(&s->changed, on_changed, FER_SERVE_CHANGED_MS, 0);
}

/* ---- what has a deadline ----------------------------------------------------------------------
 */

static void on_sweep(uv_timer_t *timer)
{
    fer_front *s = timer->data;
    int64_t now = fer_clock_mono();
    fer_wares_sweep(&s->wares, now);
    fer_relays_sweep(s, now);
    fer_questions_sweep(s, now);
    fer_parked_sweep(s, now);
    fer_errands_sweep(s, now);
    if (!s->relays && !s->parked && !s->questions && !s->errands && !fer_wares_busy(&s->wares))
        uv_timer_stop(timer);
}

void fer_front_watch_time(fer_front *s)
{
    if (!uv_is_active((uv_handle_t *)&s->sweep))
        uv_timer_start(&s->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
}

/* ---- what servers have beside tools -----------------------------------------------------------
 */

static void on_waited(uv_timer_t *timer)
{
    fer_front *s = timer->data;
    int64_t now = fer_clock_mono();
    fer_wares_give_up(&s->wares, now);
    fer_own_tools_give_up(s->options.gateway, now, FER_SERVE_SETTLE_MS);
    fer_front_wares_known(s);
}

/* What a transparent server can do is what its one backend can do. */
static bool needs_wares(const fer_guest *g, const fer_method *m)
{
    bool opens = g->mode == FER_SERVE_TRANSPARENT &&
                 (m->run == fer_method_initialize || m->run == fer_method_discover);
    return opens || m->flags & FER_METHOD_WARES;
}

/* Whether it waits for lists of servers that are under way. */
static bool awaits_lists(const fer_guest *g, const fer_method *m)
{
    return (m->flags & FER_METHOD_TOOLS &&
            fer_own_tools_awaits(g->server->options.gateway, g->caller)) ||
           (needs_wares(g, m) && fer_wares_awaits(g));
}

bool fer_front_must_wait(fer_ask *q)
{
    fer_guest *g = fer_ask_guest(q);
    fer_front *s = g->server;
    const fer_method *m = q->method;
    if (s->draining) return false;
    /* What a tenant is shown is asked for once the operator's lists are there. */
    if (m->flags & FER_METHOD_TOOLS && s->holding) return true;
    q->woke = true;
    bool waits = m->flags & FER_METHOD_TOOLS && s->options.gateway->own &&
                 fer_own_tools_wake(s->options.gateway, g->caller);
    if (needs_wares(g, m)) {
        fer_wares_wake(g);
        waits |= fer_wares_awaits(g);
    }
    if (!waits) return false;
    if (!s->waiting) uv_timer_start(&s->wait, on_waited, WAIT_MS, 0);
    s->waiting = true;
    return true;
}

static void run_waiting(fer_ask *q)
{
    const fer_front *s = fer_ask_front(q);
    if (!q->held || q->cancelled) return;
    bool waits = q->woke ? awaits_lists(fer_ask_guest(q), q->method) : fer_front_must_wait(q);
    if (s->draining || !waits) fer_ask_run(q);
}

/* From the loop, as whoever says so may still need what a request would change. Some may have to
 * wait still, for a tenant's own lists. */
static void on_known(uv_timer_t *timer)
{
    fer_front *s = timer->data;
    s->waiting = false;
    uv_timer_stop(&s->wait);
    fer_front_each(s, run_waiting);
    /* A request that went on may have had a list asked for that others wait for. */
    bool pending = fer_wares_pending(&s->wares) || fer_own_tools_pending(s->options.gateway);
    if (pending && !s->waiting) uv_timer_start(&s->wait, on_waited, WAIT_MS, 0);
    s->waiting |= pending;
}

void fer_front_wares_known(fer_front *s)
{
    if (s->waiting) uv_timer_start(&s->wait, on_known, 0, 0);
}

/* What a tenant is shown of tools has changed, perhaps: its clients are told, where they see it. */
static void on_own_known(void *context)
{
    fer_front *s = context;
    fer_front_wares_known(s);
    fer_front_tell_soon(s);
}

unsigned fer_guest_offers(fer_guest *g)
{
    bool any;
    unsigned can = fer_wares_can(g, &any);
    if (g->mode == FER_SERVE_TRANSPARENT) return can;
    /* Servers come, go and change their minds while a client is there, which is told once what is
     * offered: lists may be empty, and it hears when they are not any more. */
    return FER_CAN_LOG | (can & (FER_CAN_TASKS | FER_CAN_OLD_TASKS | FER_CAN_LIST_TASKS)) |
           (any ? FER_CAN_RESOURCES | FER_CAN_PROMPTS | FER_CAN_COMPLETE | FER_CAN_WATCH : 0);
}

void fer_front_leave_runners(fer_front *s, uint64_t session)
{
    fer_runner *r;
    for (size_t at = 0; session && (r = fer_gateway_runner_at(s->options.gateway, &at)) != NULL;)
        if (r->isolated && r->kind->leave) r->kind->leave(r, session);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static fer_code begin(fer_front *s, fer_err *err)
{
    fer_code code = fer_meta_new(s->arena, &s->meta, err);
    s->host = fer_guest_new(s, &(fer_guest_options){0});
    if (!s->host) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_catalog_subscribe(s->options.catalog, on_event, s, &s->listener, err);
    return code;
}

static void fill_limits(fer_front_limits *l)
{
    if (!l->asks) l->asks = FER_SERVE_ASKS_MAX;
    if (!l->listens) l->listens = FER_SERVE_LISTENS_MAX;
    if (!l->peers) l->peers = FER_SERVE_PEERS_MAX;
    if (!l->result) l->result = FER_META_RESULT;
    if (!l->parked) l->parked = FER_PARKED_MAX;
    if (l->parked_ms <= 0) l->parked_ms = FER_PARKED_MS;
    if (l->settle_ms <= 0) l->settle_ms = FER_SERVE_SETTLE_MS;
}

fer_front *fer_front_new(const fer_front_options *o)
{
    fer_arena *a = fer_arena_new(0);
    fer_front *s = a ? fer_arena_alloc_zero(a, 1, sizeof *s) : NULL;
    if (!s) {
        fer_arena_free(a);
        return NULL;
    }
    s->arena = a;
    s->options = *o;
    fill_limits(&s->options.limits);
    s->loop = fer_gateway_loop(o->gateway);
    if (begin(s, NULL)) {
        fer_guest_unref(s->host);
        fer_meta_free(s->meta);
        fer_arena_free(a);
        return NULL;
    }
    uv_timer_init(s->loop, &s->settle);
    uv_timer_init(s->loop, &s->changed);
    uv_timer_init(s->loop, &s->wait);
    uv_timer_init(s->loop, &s->sweep);
    uv_unref((uv_handle_t *)&s->settle);
    uv_unref((uv_handle_t *)&s->changed);
    uv_unref((uv_handle_t *)&s->wait);
    uv_unref((uv_handle_t *)&s->sweep);
    s->settle.data = s->changed.data = s->wait.data = s->sweep.data = s;
    s->log_level = FER_LOG_OFF;
    fer_wares_init(&s->wares, s);
    fer_news_begin(s);
    fer_gateway_on_own_known(o->gateway, on_own_known, s);
    return s;
}

static void on_timer_closed(uv_handle_t *handle)
{
    fer_front *s = handle->data;
    handle->data = NULL;
    if (s->settle.data || s->changed.data || s->wait.data || s->sweep.data) return;
    fer_arena_free(s->arena);
}

void fer_front_free(fer_front *s)
{
    if (!s) return;
    fer_parked_drain(s);
    fer_errands_drain(s);
    assert(!s->peers);
    fer_catalog_unsubscribe(s->options.catalog, s->listener);
    while (s->spare) {
        fer_talk *x = s->spare;
        s->spare = x->next;
        fer_arena_free(x->arena);
        fer_sys_free(x);
    }
    fer_gateway_on_own_known(s->options.gateway, NULL, NULL);
    fer_news_end(s);
    fer_wares_deinit(&s->wares);
    fer_guest_unref(s->host);
    assert(!s->guests);
    fer_rest_deinit(&s->kept);
    fer_meta_free(s->meta);
    uv_close((uv_handle_t *)&s->settle, on_timer_closed);
    uv_close((uv_handle_t *)&s->changed, on_timer_closed);
    uv_close((uv_handle_t *)&s->wait, on_timer_closed);
    uv_close((uv_handle_t *)&s->sweep, on_timer_closed);
}

fer_code fer_front_change_catalog(fer_front *s, fer_catalog *catalog, fer_err *err)
{
    uint64_t listener;
    if (catalog == s->options.catalog) return FER_OK;
    fer_code code = fer_catalog_subscribe(catalog, on_event, s, &listener, err);
    if (code) return code;
    fer_catalog_unsubscribe(s->options.catalog, s->listener);
    s->listener = listener;
    s->options.catalog = catalog;
    on_event(s, NULL);
    return FER_OK;
}

struct uv_loop_s *fer_front_loop(const fer_front *s)
{
    return s->loop;
}

void fer_front_count(const fer_front *s, fer_front_counts *out)
{
    *out = s->counts;
}

/* ---- all requests ---------------------------------------------------------------------------- */

/* A visit may end any number of requests, so the next one is looked for anew each time. */
static fer_ask *not_visited(const fer_peer *p, uint64_t round)
{
    fer_ask *q = p->asks;
    while (q && q->round == round) q = q->next;
    return q;
}

void fer_front_each(fer_front *s, void (*visit)(fer_ask *q))
{
    uint64_t round = ++s->rounds;
    for (fer_peer *p = s->peers, *next; p; p = next) {
        p->exchanges++; /* stays while we look at it */
        for (fer_ask *q; (q = not_visited(p, round)) != NULL;) {
            q->round = round;
            visit(q);
        }
        next = p->next;
        p->exchanges--;
        fer_peer_settle(p);
    }
}

static void on_settled(uv_timer_t *timer)
{
    fer_front_release(timer->data);
}

void fer_front_hold(fer_front *s)
{
    s->holding = true;
    uv_timer_start(&s->settle, on_settled, (uint64_t)s->options.limits.settle_ms, 0);
}

void fer_front_release(fer_front *s)
{
    if (!s->holding) return;
    s->holding = false;
    uv_timer_stop(&s->settle);
    fer_front_each(s, run_waiting);
}

bool fer_front_is_ready(const fer_front *s)
{
    return !s->holding && !s->draining;
}

static void end_listen(fer_ask *q)
{
    if (q->listens) fer_listen_end(q);
}

void fer_front_drain(fer_front *s)
{
    s->draining = true;
    fer_front_release(s);
    fer_front_each(s, run_waiting);
    fer_front_each(s, end_listen);
    fer_parked_drain(s);
    fer_errands_drain(s);
}

/* Their clients are told: it is not they who asked for it. */
static void stop_ask(fer_ask *q)
{
    if (q->listens) fer_listen_end(q);
    else if (q->held) fer_ask_fail(q, -32603, FER_STR(""), "the server is shutting down");
    else if (q->stop) q->stop(q);
}

void fer_front_cancel(fer_front *s)
{
    fer_front_each(s, stop_ask);
}

/* ---- quiet ----------------------------------------------------------------------------------- */

size_t fer_front_busy(const fer_front *s)
{
    return s->counts.asks - s->listens;
}

void fer_front_settle(fer_front *s)
{
    void (*idle)(void *context) = s->idle;
    if (!idle || fer_front_busy(s)) return;
    s->idle = NULL;
    idle(s->idle_context);
}

void fer_front_when_idle(fer_front *s, void (*done)(void *context), void *context)
{
    s->idle = done;
    s->idle_context = context;
    fer_front_settle(s);
}
