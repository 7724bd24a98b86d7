/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a server, and its time. Every kind of waiting takes the same time for everybody, so
 * that the lists are in order by themselves and one timer, for the first of all, does for any
 * number of connections.
 */
#include "http_server.h"

#include <fcntl.h>

#include "server_parts.h"
#include "sys.h"

const char *const fer_gone_names[FER_GONES] = {"ClientClosed", "SlowConsumer", "Shutdown"};

/* ---- time ----------------------------------------------------------------------------------- */

static void on_time(uv_timer_t *timer);

static void set_timer(fer_http_server *s, uint64_t due)
{
    uint64_t now = uv_now(s->loop);
    if (s->wait_due && s->wait_due <= due) return;
    s->wait_due = due;
    uv_timer_start(&s->wait_timer, on_time, due > now ? due - now : 1, 0);
}

static void unlink_wait(fer_conn *c)
{
    struct fer_wait_list *l = &c->server->waits[c->wait];
    if (c->wait == FER_WAITS) return;
    *(c->wait_prev ? &c->wait_prev->wait_next : &l->first) = c->wait_next;
    *(c->wait_next ? &c->wait_next->wait_prev : &l->last) = c->wait_prev;
    c->wait = FER_WAITS;
}

void fer_server_wait(fer_conn *c, enum fer_wait what)
{
    fer_http_server *s = c->server;
    unlink_wait(c);
    if (what == FER_WAITS) return;
    struct fer_wait_list *l = &s->waits[what];
    c->wait = what;
    c->due = uv_now(s->loop) + l->ms;
    c->wait_prev = l->last;
    c->wait_next = NULL;
    *(l->last ? &l->last->wait_next : &l->first) = c;
    l->last = c;
    set_timer(s, c->due);
}

static void on_time(uv_timer_t *timer)
{
    fer_http_server *s = timer->data;
    uint64_t now = uv_now(s->loop), next = UINT64_MAX;
    s->wait_due = 0;
    for (int i = 0; i < FER_WAITS && !s->closed; i++) {
        struct fer_wait_list *l = &s->waits[i];
        while (l->first && l->first->due <= now) {
            fer_conn *c = l->first;
            unlink_wait(c);
            fer_conn_time_up(c, (enum fer_wait)i);
        }
        if (l->first && l->first->due < next) next = l->first->due;
    }
    if (next != UINT64_MAX && !s->closed) set_timer(s, next);
}

/* ---- soon ----------------------------------------------------------------------------------- */

static void tell_all(fer_http_server *s)
{
    while (s->telling) {
        fer_exchange *x = s->telling;
        s->telling = x->next;
        x->telling = false;
        fer_exchange_tell_gone(x, x->why);
    }
}

static void on_soon(uv_timer_t *timer)
{
    fer_http_server *s = timer->data;
    fer_conn *list = s->soon;
    s->soon = NULL;
    while (list && !s->closed) {
        fer_conn *c = list;
        list = c->soon_next;
        c->in_soon = false;
        if (c->fd >= 0) fer_conn_step(c);
    }
    if (s->closed) return;
    tell_all(s);
    fer_server_settle(s);
}

static void wake(fer_http_server *s)
{
    if (!s->closed && !uv_is_active((uv_handle_t *)&s->soon_timer))
        uv_timer_start(&s->soon_timer, on_soon, 0, 0);
}

void fer_server_soon(fer_conn *c)
{
    if (c->in_soon) return;
    c->in_soon = true;
    c->soon_next = c->server->soon;
    c->server->soon = c;
    wake(c->server);
}

void fer_server_tell_soon(fer_exchange *x)
{
    if (x->telling) return;
    x->telling = true;
    x->next = x->server->telling;
    x->server->telling = x;
    wake(x->server);
}

/* ---- the end of a turn ----------------------------------------------------------------------- */

/* All that a turn has gathered leaves at once: what the kernel needs to send is in the processor's
 * caches then, and what made the answers was while it did. */
static void on_turn_end(uv_prepare_t *turn_end)
{
    fer_http_server *s = turn_end->data;
    uv_prepare_stop(turn_end);
    while (s->leaving) {
        fer_conn *c = s->leaving;
        if (!fer_conn_leave(c)) fer_conn_go_on(c);
    }
}

static struct fer_gathered *find_spare(fer_http_server *s)
{
    struct fer_gathered *g = s->spare;
    if (!g) return fer_sys_malloc(sizeof *g);
    s->spare = g->next;
    s->spare_count--;
    return g;
}

struct fer_gathered *fer_server_gather(fer_conn *c)
{
    fer_http_server *s = c->server;
    if (c->gathered) return c->gathered;
    c->gathered = find_spare(s);
    if (!c->gathered) return NULL;
    c->gathered->len = 0;
    c->leaving_prev = s->leaving_last;
    c->leaving_next = NULL;
    *(s->leaving_last ? &s->leaving_last->leaving_next : &s->leaving) = c;
    s->leaving_last = c;
    uv_prepare_start(&s->turn_end, on_turn_end);
    return c->gathered;
}

void fer_server_gathered(fer_conn *c)
{
    fer_http_server *s = c->server;
    struct fer_gathered *g = c->gathered;
    c->gathered = NULL;
    *(c->leaving_prev ? &c->leaving_prev->leaving_next : &s->leaving) = c->leaving_next;
    *(c->leaving_next ? &c->leaving_next->leaving_prev : &s->leaving_last) = c->leaving_prev;
    if (s->spare_count == FER_SERVER_SPARE) {
        fer_sys_free(g);
        return;
    }
    g->next = s->spare;
    s->spare = g;
    s->spare_count++;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void fill_limits(fer_server_limits *l)
{
#define DEFAULT(field, value)                                                                      \
    if (!l->field) l->field = (value)
    DEFAULT(head_max, FER_SERVER_HEAD_MAX);
    DEFAULT(fields_max, FER_SERVER_FIELDS_MAX);
    DEFAULT(uri_max, FER_SERVER_URI_MAX);
    DEFAULT(body_max, FER_SERVER_BODY_MAX);
    DEFAULT(head_ms, FER_SERVER_HEAD_MS);
    DEFAULT(body_ms, FER_SERVER_BODY_MS);
    DEFAULT(body_rate, FER_SERVER_BODY_RATE);
    DEFAULT(idle_ms, FER_SERVER_IDLE_MS);
    DEFAULT(stuck_ms, FER_SERVER_STUCK_MS);
    DEFAULT(send_rate, FER_SERVER_SEND_RATE);
    DEFAULT(stream_max, FER_SERVER_STREAM_MAX);
    DEFAULT(conns_max, FER_SERVER_CONNS_MAX);
    DEFAULT(address_max, FER_SERVER_ADDRESS_MAX);
#undef DEFAULT
}

static bool make_guards(fer_http_server *s)
{
    s->own_guard = fer_http_guard_new();
    s->local_guard = fer_http_guard_new();
    return s->own_guard && s->local_guard &&
           !fer_http_guard_host(s->local_guard, FER_STR("localhost"), NULL);
}

static void server_free(fer_http_server *s)
{
    while (s->pool) {
        fer_exchange *x = s->pool;
        s->pool = x->next;
        fer_exchange_free(x);
    }
    while (s->spare) {
        struct fer_gathered *g = s->spare;
        s->spare = g->next;
        fer_sys_free(g);
    }
    fer_server_forget_listeners(s);
    fer_http_guard_free(s->own_guard);
    fer_http_guard_free(s->local_guard);
    if (s->reserve >= 0) fer_sys_close(s->reserve);
    fer_sys_free(s);
}

fer_http_server *fer_http_server_new(uv_loop_t *loop, const fer_http_handler *handler,
                                     const fer_http_guard *guard, const fer_server_limits *limits)
{
    fer_http_server *s = fer_sys_malloc(sizeof *s);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    s->loop = loop;
    s->handler = handler;
    s->reserve = -1;
    if (limits) s->limits = *limits;
    fill_limits(&s->limits);
    s->reader_limits = (fer_reader_limits){s->limits.head_max, s->limits.fields_max,
                                           s->limits.uri_max, s->limits.body_max};
    s->waits[FER_WAIT_HEAD].ms = s->limits.head_ms;
    s->waits[FER_WAIT_BODY].ms = s->limits.body_ms;
    s->waits[FER_WAIT_IDLE].ms = s->limits.idle_ms;
    s->waits[FER_WAIT_STUCK].ms = s->limits.stuck_ms;
    s->waits[FER_WAIT_LINGER].ms = FER_SERVER_LINGER_MS;
    if (!make_guards(s) || fer_sys_random(s->seed, sizeof s->seed)) {
        server_free(s);
        return NULL;
    }
    s->guard = guard ? guard : s->own_guard;
    s->reserve = fer_sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
    uv_timer_t *timers[] = {&s->wait_timer, &s->soon_timer, &s->pause_timer};
    for (size_t i = 0; i < FER_COUNT(timers); i++) {
        uv_timer_init(loop, timers[i]);
        timers[i]->data = s;
        s->handles++;
    }
    uv_prepare_init(loop, &s->turn_end);
    s->turn_end.data = s;
    s->handles++;
    return s;
}

fer_code fer_http_server_allow_host(fer_http_server *s, fer_str host, fer_err *err)
{
    return fer_http_guard_host(s->own_guard, host, err);
}

fer_code fer_http_server_allow_origin(fer_http_server *s, fer_str origin, fer_err *err)
{
    return fer_http_guard_origin(s->own_guard, origin, err);
}

/* Once nothing refers to it any more. */
static void free_if_over(fer_http_server *s)
{
    if (s->closed && !s->handles && !s->counts.exchanges) server_free(s);
}

void fer_server_handle_closed(fer_http_server *s)
{
    s->handles--;
    free_if_over(s);
}

void fer_server_settle(fer_http_server *s)
{
    if (s->closed) {
        free_if_over(s);
        return;
    }
    if (!s->draining || !s->drained || s->counts.connections) return;
    void (*done)(void *) = s->drained;
    s->drained = NULL;
    done(s->drain_context);
}

void fer_server_conn_gone(fer_http_server *s)
{
    if (s->draining && !s->counts.connections) wake(s);
}

static void close_listeners(fer_http_server *s)
{
    for (unsigned i = 0; i < s->listener_count; i++) fer_listener_close(s->listeners[i]);
}

void fer_http_server_drain(fer_http_server *s, void (*done)(void *context), void *context)
{
    if (s->closed) return;
    s->draining = true;
    s->drained = done;
    s->drain_context = context;
    close_listeners(s);
    for (fer_conn *c = s->conns, *next; c; c = next) {
        next = c->next;
        /* Nothing of a request has come, and nothing of an answer is left. */
        if (c->wait == FER_WAIT_IDLE || (c->wait == FER_WAIT_HEAD && !c->x))
            fer_conn_close(c, FER_GONE_SHUT);
    }
    wake(s);
}

static void handle_closed(uv_handle_t *handle)
{
    fer_server_handle_closed(handle->data);
}

void fer_http_server_close(fer_http_server *s)
{
    if (!s || s->closed) return;
    s->closed = true;
    close_listeners(s);
    while (s->conns) fer_conn_close(s->conns, FER_GONE_SHUT);
    tell_all(s);
    uv_close((uv_handle_t *)&s->wait_timer, handle_closed);
    uv_close((uv_handle_t *)&s->soon_timer, handle_closed);
    uv_close((uv_handle_t *)&s->pause_timer, handle_closed);
    uv_close((uv_handle_t *)&s->turn_end, handle_closed);
}

fer_server_counts fer_http_server_counts(const fer_http_server *s)
{
    return s->counts;
}
