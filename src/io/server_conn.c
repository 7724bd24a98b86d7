/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of one connection. What is read is understood at once, until a request is whole; then
 * nothing more is, until its answer is written. What is to be written is sent at once, or when the
 * turn of the loop ends where it is little; only what the kernel does not take waits in blocks.
 */
#include <errno.h>
#include <netinet/in.h>

#include "server_parts.h"
#include "sys.h"

#define PARTS_ONCE 16 /* blocks that are sent in one call */

/* ---- writing -------------------------------------------------------------------------------- */

static void on_event(uv_poll_t *poll, int status, int events);

/* Whether bytes wait that were read already: then no others are. */
static bool has_more(const fer_conn *c)
{
    return c->pending || (c->tls && fer_tls_has_input(c->tls));
}

/* Asks for what is wanted, if that has changed: each change is a system call. */
static void set_events(fer_conn *c)
{
    int wanted = 0;
    if (c->fd < 0) return;
    if (!c->eof) wanted = has_more(c) && !c->lingering ? UV_DISCONNECT : UV_READABLE;
    if (c->waiting && !c->broken) wanted |= UV_WRITABLE;
    if (wanted == c->events) return;
    c->events = wanted;
    if (wanted) uv_poll_start(&c->poll, wanted, on_event);
    else uv_poll_stop(&c->poll);
}

/* So many bytes more wait; fewer are the negative of them, as sizes wrap. */
static void count_waiting(fer_conn *c, size_t more)
{
    c->waiting += more;
    c->server->counts.buffered += more;
}

static void drop_block(fer_conn *c)
{
    struct fer_out_block *b = c->out_first;
    count_waiting(c, b->at - b->len);
    c->out_first = b->next;
    if (!b->next) c->out_last = NULL;
    fer_sys_free(b);
}

static void took(fer_conn *c, size_t n)
{
    while (c->out_first && n >= c->out_first->len - c->out_first->at) {
        n -= c->out_first->len - c->out_first->at;
        drop_block(c);
    }
    if (!n) return;
    c->out_first->at += n;
    count_waiting(c, 0 - n);
}

static void break_off(fer_conn *c)
{
    c->broken = true;
    if (c->gathered) fer_server_gathered(c);
    while (c->out_first) drop_block(c);
    fer_server_soon(c);
}

/* Bytes that the kernel took; 0: none now; -1: it broke. */
static ssize_t send_some(int fd, const struct iovec *parts, size_t count)
{
    ssize_t n;
    do n = fer_sys_send(fd, parts, count);
    while (n < 0 && errno == EINTR);
    if (n >= 0) return n;
    return errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM ? 0 : -1;
}

static void flush(fer_conn *c)
{
    while (c->out_first && !c->broken) {
        struct iovec parts[PARTS_ONCE];
        size_t count = 0;
        for (struct fer_out_block *b = c->out_first; b && count < PARTS_ONCE; b = b->next)
            parts[count++] = (struct iovec){b->bytes + b->at, b->len - b->at};
        ssize_t n = send_some(c->fd, parts, count);
        if (n < 0) break_off(c);
        if (n <= 0) return;
        took(c, (size_t)n);
        c->window_out += (size_t)n;
    }
}

/* The rest of what was sent, from byte `at` on, in one block. */
static bool queue(fer_conn *c, const struct iovec *parts, size_t count, size_t at)
{
    size_t all = 0, done = 0;
    for (size_t i = 0; i < count; i++) all += parts[i].iov_len;
    struct fer_out_block *b = fer_sys_malloc(sizeof *b + (all - at));
    if (!b) return false;
    *b = (struct fer_out_block){.len = all - at};
    for (size_t i = 0, skip = at; i < count; i++) {
        size_t from = skip < parts[i].iov_len ? skip : parts[i].iov_len;
        size_t len = parts[i].iov_len - from;
        skip -= from;
        if (len) memcpy(b->bytes + done, (const char *)parts[i].iov_base + from, len);
        done += len;
    }
    if (c->out_last) c->out_last->next = b;
    else c->out_first = b;
    c->out_last = b;
    count_waiting(c, b->len);
    return true;
}

/* Sends what the kernel takes now; the rest waits. */
static bool send_now(fer_conn *c, const struct iovec *parts, size_t count, size_t all)
{
    ssize_t n = c->out_first ? 0 : send_some(c->fd, parts, count);
    if (n >= 0 && (size_t)n == all) return true;
    bool first = !c->out_first;
    if (n < 0 || !queue(c, parts, count, (size_t)n)) {
        break_off(c);
        return false;
    }
    if (first) {
        c->window_out = 0;
        fer_server_wait(c, FER_WAIT_STUCK);
    }
    set_events(c);
    return true;
}

bool fer_conn_leave(fer_conn *c)
{
    const struct fer_gathered *g = c->gathered;
    if (g && send_now(c, &(struct iovec){(void *)(uintptr_t)g->bytes, g->len}, 1, g->len))
        fer_server_gathered(c);
    return !c->broken && !c->waiting;
}

/* Puts it with what leaves when the turn ends, where it is little and nothing waits. */
static bool gather(fer_conn *c, const struct iovec *parts, size_t count, size_t all)
{
    size_t had = c->gathered ? c->gathered->len : 0;
    struct fer_gathered *g =
        c->out_first || all > FER_SERVER_GATHER - had ? NULL : fer_server_gather(c);
    if (!g) return false;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len) memcpy(g->bytes + g->len, parts[i].iov_base, parts[i].iov_len);
        g->len += parts[i].iov_len;
    }
    return true;
}

bool fer_conn_send_raw(fer_conn *c, const struct iovec *parts, size_t count)
{
    size_t all = 0;
    if (c->broken || c->fd < 0) return false;
    for (size_t i = 0; i < count; i++) all += parts[i].iov_len;
    if (!all || gather(c, parts, count, all)) return true;
    fer_conn_leave(c);
    return !c->broken && send_now(c, parts, count, all);
}

bool fer_conn_send(fer_conn *c, const struct iovec *parts, size_t count)
{
    return c->tls ? fer_tls_send(c, parts, count) : fer_conn_send_raw(c, parts, count);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void conn_closed(uv_handle_t *handle)
{
    fer_conn *c = handle->data;
    fer_http_server *s = c->server;
    fer_sys_free(c);
    fer_server_handle_closed(s);
}

static void unlink_conn(fer_conn *c)
{
    fer_http_server *s = c->server;
    *(c->prev ? &c->prev->next : &s->conns) = c->next;
    if (c->next) c->next->prev = c->prev;
    for (fer_conn **at = &s->soon; c->in_soon && *at; at = &(*at)->soon_next) {
        if (*at != c) continue;
        *at = c->soon_next;
        c->in_soon = false;
        break;
    }
    fer_server_wait(c, FER_WAITS);
    fer_server_count_out(c);
    s->counts.connections--;
}

void fer_conn_close(fer_conn *c, fer_gone why)
{
    fer_http_server *s = c->server;
    fer_exchange *x = c->x;
    if (c->fd < 0) return;
    if (c->gathered && !c->broken) fer_conn_leave(c);
    unlink_conn(c);
    uv_close((uv_handle_t *)&c->poll, conn_closed);
    fer_sys_close(c->fd);
    c->fd = -1;
    c->x = NULL;
    while (c->out_first) drop_block(c);
    fer_sys_free(c->pending);
    c->pending = NULL;
    fer_tls_free(c->tls);
    c->tls = NULL;
    if (x) x->conn = NULL;
    if (x && x->state == FER_EXCHANGE_READ) fer_exchange_release(x);
    else if (x) fer_exchange_tell_gone(x, why);
    fer_server_conn_gone(s);
}

/* Our side is shut; what still comes is passed over until the client closes or time is up. */
static void linger(fer_conn *c)
{
    if (!fer_conn_leave(c)) return;
    if (c->eof) {
        fer_conn_close(c, FER_GONE_CLOSED);
        return;
    }
    if (c->tls) fer_tls_shut(c);
    if (!fer_conn_leave(c)) return; /* the goodbye has to go out first */
    c->lingering = true;
    fer_sys_free(c->pending);
    c->pending = NULL;
    fer_sys_shutdown(c->fd);
    fer_server_wait(c, FER_WAIT_LINGER);
    set_events(c);
}

void fer_conn_eof(fer_conn *c)
{
    c->eof = true;
    if (c->x && c->x->state != FER_EXCHANGE_READ) fer_exchange_tell_gone(c->x, FER_GONE_CLOSED);
    else if (!c->waiting && !c->pending) fer_conn_close(c, FER_GONE_CLOSED);
    set_events(c);
}

/* ---- requests ------------------------------------------------------------------------------- */

bool fer_conn_is_busy(const fer_conn *c)
{
    return (c->x && c->x->state != FER_EXCHANGE_READ) || c->waiting;
}

/* At rest: nothing of a request has come, and the answers to all are written. */
static bool is_idle(const fer_conn *c)
{
    return !c->x && !c->waiting && !c->skipping;
}

/* What there is only so much time for, as things stand. */
static enum fer_wait proper_wait(const fer_conn *c)
{
    if (c->waiting) return FER_WAIT_STUCK;
    if (c->lingering) return FER_WAIT_LINGER;
    if (c->skipping) return FER_WAIT_BODY;
    if (!c->x) return c->requests ? FER_WAIT_IDLE : FER_WAIT_HEAD;
    if (c->x->state != FER_EXCHANGE_READ) return FER_WAITS;
    return c->reader.phase == FER_READER_IN_BODY ? FER_WAIT_BODY : FER_WAIT_HEAD;
}

void fer_conn_go_on(fer_conn *c)
{
    if (c->fd < 0 || c->in_input || c->broken) return;
    if (c->last && !c->x && !c->waiting && !c->lingering) {
        linger(c);
        return;
    }
    bool now = has_more(c) ? !fer_conn_is_busy(c) : c->eof && is_idle(c);
    if (now && !c->lingering) fer_server_soon(c);
    enum fer_wait wait = proper_wait(c);
    if (wait != c->wait) fer_server_wait(c, wait);
    set_events(c);
}

/* Bytes behind a request that is at work. They are few: reading stops when there are some. */
static void put_aside(fer_conn *c, fer_str bytes)
{
    char *copy = fer_sys_malloc(bytes.len);
    if (!copy) {
        break_off(c);
        return;
    }
    memcpy(copy, bytes.ptr, bytes.len);
    fer_sys_free(c->pending);
    c->pending = copy;
    c->pending_len = bytes.len;
    c->pending_at = 0;
}

static fer_refusal guard_verdict(const fer_conn *c)
{
    const fer_http_server *s = c->server;
    const fer_inbound *in = &c->x->in;
    fer_str host = fer_inbound_get(in, "host"), origin = FER_STR_NONE;
    if (fer_inbound_find(in, "origin", &origin) > 1) return FER_REFUSE_ORIGIN;
    fer_guard_verdict v = fer_http_guard_check(s->guard, host, origin);
    if (v == FER_GUARD_HOST && c->local && !origin.ptr)
        v = fer_http_guard_check(s->local_guard, host, origin);
    return v == FER_GUARD_PASS   ? FER_REFUSE_NONE
           : v == FER_GUARD_HOST ? FER_REFUSE_OTHER_HOST
                                 : FER_REFUSE_ORIGIN;
}

/* The handler looks at the head. False: it has taken the exchange. */
static bool show_head(fer_conn *c)
{
    const fer_http_handler *h = c->server->handler;
    fer_exchange *x = c->x;
    if (!h->head) return true;
    x->state = FER_EXCHANGE_HELD;
    if (!h->head(h->context, x)) {
        c->server->counts.requests++;
        if (c->x != x) return false; /* it was answered, or the connection is gone */
        c->reader.request = NULL;    /* the handler goes on with it; the body is nobody's */
        c->skipping = true;
        return false;
    }
    x->state = FER_EXCHANGE_READ;
    if (c->x == x) return true;
    fer_exchange_release(x); /* the server was closed from there */
    return false;
}

static void head_came(fer_conn *c, bool body_follows)
{
    fer_exchange *x = c->x;
    fer_exchange_fill(x);
    c->window_len = 0;
    fer_refusal why = guard_verdict(c);
    if (why) {
        const fer_http_handler *h = c->server->handler;
        if (h->turned_away)
            h->turned_away(h->context, &x->in,
                           why == FER_REFUSE_ORIGIN ? FER_GUARD_ORIGIN : FER_GUARD_HOST);
        fer_conn_refuse(c, why);
        return;
    }
    c->requests = x->in.nth;
    c->head_now = true;
    if (show_head(c) && x->request.continues && !body_follows) fer_conn_invite(c);
}

static void whole_came(fer_conn *c)
{
    fer_http_server *s = c->server;
    fer_exchange *x = c->x;
    fer_server_wait(c, FER_WAITS); /* what is next begins now */
    if (c->skipping) {
        c->skipping = false;
        return;
    }
    size_t len = x->request.body_len;
    x->in.body = len ? (fer_str){x->request.body, len} : FER_STR_NONE;
    x->in.at_once = c->head_now;
    x->state = FER_EXCHANGE_HELD;
    s->counts.requests++;
    s->handler->request(s->handler->context, x);
}

static bool begin(fer_conn *c)
{
    c->x = fer_exchange_take(c);
    if (!c->x) {
        c->last = true;
        fer_conn_refuse(c, FER_REFUSE_MEMORY);
        return false;
    }
    fer_reader_begin(&c->reader, &c->x->request);
    return true;
}

/* One step; false: no further one now. */
static bool input_step(fer_conn *c, fer_str *bytes)
{
    if (!c->x && !c->skipping && (!bytes->len || !begin(c))) return false;
    fer_read_step step = fer_reader_feed(&c->reader, bytes);
    if (c->x) fer_exchange_count(c->x);
    switch (step) {
    case FER_READ_MORE:
        if (!c->skipping || c->reader.body_len <= FER_SERVER_SKIP_MAX) return false;
        c->last = true;
        c->skipping = false;
        return false;
    case FER_READ_REFUSED:
        if (c->skipping) c->last = true; /* it has its answer */
        else fer_conn_refuse(c, c->reader.refusal);
        c->skipping = false;
        return false;
    case FER_READ_HEAD: head_came(c, bytes->len > 0); return true;
    default: whole_came(c); return true;
    }
}

/* Whether input may go on: an exchange that was answered early still has a body to pass over. */
static bool wants_input(const fer_conn *c)
{
    if (c->fd < 0 || c->broken || c->last || c->lingering) return false;
    return !fer_conn_is_busy(c) || (c->skipping && c->reader.phase == FER_READER_IN_BODY);
}

void fer_conn_input(fer_conn *c, fer_str bytes)
{
    c->in_input = true;
    c->head_now = false;
    while (wants_input(c) && input_step(c, &bytes)) {
    }
    if (bytes.len && c->fd >= 0 && !c->broken && !c->last && !c->lingering) put_aside(c, bytes);
    c->in_input = false;
    fer_conn_go_on(c);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void read_some(fer_conn *c)
{
    char *piece = c->server->piece;
    ssize_t n;
    do n = fer_sys_recv(c->fd, piece, FER_SERVER_PIECE);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {
        fer_conn_close(c, FER_GONE_CLOSED);
    } else if (n == 0) {
        if (c->lingering) fer_conn_close(c, FER_GONE_CLOSED);
        else fer_conn_eof(c);
    } else if (!c->lingering) {
        fer_str bytes = {piece, (size_t)n};
        if (!c->tls) fer_conn_input(c, bytes);
        else if (!fer_tls_feed(c, bytes)) fer_conn_close(c, FER_GONE_CLOSED);
    }
}

/* Half of a stream's room is free again. */
static void tell_drained(fer_conn *c)
{
    fer_exchange *x = c->x;
    if (!x || !x->full || c->broken || c->waiting > c->server->limits.stream_max / 2) return;
    x->full = false;
    if (x->events && x->events->drained) x->events->drained(x);
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    fer_conn *c = poll->data;
    if (status < 0) {
        fer_conn_close(c, FER_GONE_CLOSED);
        return;
    }
    if (events & UV_WRITABLE) {
        flush(c);
        tell_drained(c);
        fer_conn_go_on(c);
    }
    if (c->fd >= 0 && (events & UV_READABLE)) read_some(c);
    else if (c->fd >= 0 && (events & UV_DISCONNECT)) fer_conn_eof(c);
}

void fer_conn_step(fer_conn *c)
{
    if (c->broken) {
        fer_conn_close(c, FER_GONE_CLOSED);
        return;
    }
    if (c->pending && !fer_conn_is_busy(c)) {
        char *bytes = c->pending;
        c->pending = NULL;
        fer_conn_input(c, (fer_str){bytes, c->pending_len});
        fer_sys_free(bytes);
    }
    if (c->fd >= 0 && !c->pending && c->tls && !fer_conn_is_busy(c) && !fer_tls_pump(c))
        fer_conn_close(c, FER_GONE_CLOSED);
    if (c->fd >= 0 && c->eof && is_idle(c) && !c->pending) fer_conn_close(c, FER_GONE_CLOSED);
}

/* ---- time ----------------------------------------------------------------------------------- */

/* In each window enough of the body must have come. */
static bool is_slow(fer_conn *c)
{
    const fer_server_limits *l = &c->server->limits;
    size_t came = c->reader.body_len - c->window_len;
    c->window_len = c->reader.body_len;
    return came < (size_t)((uint64_t)l->body_rate * l->body_ms / 1000);
}

/* Whether the client takes too little of what is to be sent. */
static bool is_slow_reader(fer_conn *c)
{
    const fer_server_limits *l = &c->server->limits;
    size_t least = (size_t)((uint64_t)l->send_rate * l->stuck_ms / 1000), taken = c->window_out;
    c->window_out = 0;
    return taken < (least ? least : 1);
}

void fer_conn_time_up(fer_conn *c, enum fer_wait what)
{
    fer_server_counts *n = &c->server->counts;
    if (what == FER_WAIT_STUCK && !is_slow_reader(c)) {
        fer_server_wait(c, FER_WAIT_STUCK);
        return;
    }
    if (what == FER_WAIT_BODY && !is_slow(c)) {
        fer_server_wait(c, FER_WAIT_BODY);
        return;
    }
    if (what == FER_WAIT_HEAD || what == FER_WAIT_BODY || what == FER_WAIT_STUCK) n->timed_out++;
    if ((what == FER_WAIT_HEAD || what == FER_WAIT_BODY) && c->x && !c->skipping) {
        fer_conn_refuse(c, FER_REFUSE_SLOW);
        fer_conn_go_on(c);
        return;
    }
    fer_conn_close(c, what == FER_WAIT_STUCK ? FER_GONE_SLOW : FER_GONE_CLOSED);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static void note_peer(fer_conn *c, const struct sockaddr *from)
{
    c->local = from->sa_family != AF_INET && from->sa_family != AF_INET6;
    if (c->local) {
        c->uid = (uid_t)-1;
        fer_sys_peer_user(c->fd, &c->uid);
        return;
    }
    fer_address_of(from, &c->peer);
    c->port = ntohs(from->sa_family == AF_INET
                        ? ((const struct sockaddr_in *)(const void *)from)->sin_port
                        : ((const struct sockaddr_in6 *)(const void *)from)->sin6_port);
}

static bool set_up(fer_conn *c)
{
    if (!fer_server_count_in(c)) return false;
    if (c->listener->tls) {
        c->tls = fer_tls_new(c->listener->tls);
        if (!c->tls) return false;
    }
    return uv_poll_init(c->server->loop, &c->poll, c->fd) == 0;
}

bool fer_conn_open(const struct fer_listener *l, int fd, const struct sockaddr *from)
{
    fer_http_server *s = l->server;
    fer_conn *c = fer_sys_malloc(sizeof *c);
    if (!c) return false;
    *c = (fer_conn){.server = s, .listener = l, .fd = fd, .wait = FER_WAITS, .id = s->next_id + 1};
    note_peer(c, from);
    if (!set_up(c)) {
        fer_server_count_out(c);
        fer_tls_free(c->tls);
        fer_sys_free(c);
        return false;
    }
    s->next_id++;
    s->handles++;
    s->counts.accepted++;
    s->counts.connections++;
    c->poll.data = c;
    fer_request_reader_init(&c->reader, &s->reader_limits);
    c->next = s->conns;
    if (s->conns) s->conns->prev = c;
    s->conns = c;
    fer_server_wait(c, FER_WAIT_HEAD);
    set_events(c);
    return true;
}
