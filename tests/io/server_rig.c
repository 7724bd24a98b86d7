/* SPDX-License-Identifier: Apache-2.0 */
#include "server_rig.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "rows.h"

int64_t rig_now(void)
{
    return fer_clock_mono() / 1000000;
}

/* ---- the handler ---------------------------------------------------------------------------- */

static void on_gone(fer_exchange *x, fer_gone why)
{
    rig *r = fer_exchange_owner(x);
    r->gone_count++;
    r->why = why;
}

static void on_drained(fer_exchange *x)
{
    rig *r = fer_exchange_owner(x);
    r->drained_count++;
}

static const fer_exchange_events events = {.gone = on_gone, .drained = on_drained};

static void hold(rig *r, fer_exchange *x)
{
    assert_true(r->held_count < RIG_HELD);
    r->held[r->held_count++] = x;
    fer_exchange_watch(x, &events, r);
}

/* /early... is answered, or held, by its head alone. */
static bool on_head(void *context, fer_exchange *x)
{
    rig *r = context;
    fer_str path = fer_exchange_inbound(x)->path;
    if (fer_str_is(path, "/early")) {
        fer_exchange_reply(x, 401, "text/plain", FER_STR("no"));
        return false;
    }
    if (fer_str_is(path, "/early-later")) {
        hold(r, x);
        return false;
    }
    return true;
}

static void note(rig *r, const fer_inbound *in)
{
    size_t len = strlen(r->seen);
    snprintf(r->seen + len, sizeof r->seen - len, "%.*s %.*s[%.*s] ", FER_PRI(in->method),
             FER_PRI(in->target), (int)(in->body.len > 64 ? 64 : in->body.len),
             in->body.ptr ? in->body.ptr : "");
}

static void on_request(void *context, fer_exchange *x)
{
    rig *r = context;
    const fer_inbound *in = fer_exchange_inbound(x);
    r->request_count++;
    r->at_once = in->at_once;
    note(r, in);
    if (fer_str_is(in->path, "/later")) {
        hold(r, x);
    } else if (fer_str_is(in->path, "/stream")) {
        hold(r, x);
        assert_int_equal(fer_exchange_stream(x, 200, "text/event-stream", NULL, 0, NULL), FER_OK);
    } else if (fer_str_is(in->path, "/abort")) {
        fer_exchange_abort(x);
    } else if (fer_str_is(in->path, "/close")) {
        fer_http_server_close(r->server);
        r->server = NULL;
        fer_exchange_reply(x, 200, "text/plain", FER_STR("late"));
    } else {
        fer_exchange_reply(x, 200, "text/plain", in->body);
    }
}

/* ---- the rig -------------------------------------------------------------------------------- */

void rig_open(rig *r, const fer_server_limits *limits, const fer_listen_options *listen)
{
    fer_err err = {0};
    fer_listen_options any = {0};
    *r = (rig){.handler = {.head = on_head, .request = on_request, .context = r}};
    assert_int_equal(uv_loop_init(&r->loop), 0);
    r->server = fer_http_server_new(&r->loop, &r->handler, NULL, limits);
    assert_non_null(r->server);
    if (fer_http_server_listen(r->server, listen ? listen : &any, &err))
        fail_msg("%s", err.message);
    r->port = fer_http_server_port(r->server, 0);
}

void rig_close(rig *r)
{
    fer_http_server_close(r->server);
    for (unsigned i = 0; i < r->held_count; i++)
        if (r->held[i]) fer_exchange_end(r->held[i]);
    while (uv_run(&r->loop, UV_RUN_NOWAIT)) {
    }
    assert_int_equal(uv_loop_close(&r->loop), 0);
}

void rig_turn(rig *r, unsigned ms)
{
    int64_t end = rig_now() + ms;
    do {
        uv_run(&r->loop, UV_RUN_NOWAIT);
        struct pollfd p = {uv_backend_fd(&r->loop), POLLIN, 0};
        if (ms) poll(&p, 1, 1);
    } while (rig_now() < end);
}

/* ---- clients -------------------------------------------------------------------------------- */

static void client_connect(rig_client *c, const struct sockaddr *to, socklen_t size)
{
    int on = 1;
    *c = (rig_client){.got = malloc(RIG_BYTES + 1)};
    assert_non_null(c->got);
    c->got[0] = '\0';
    c->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(c->fd >= 0);
    assert_int_equal(connect(c->fd, to, size), 0);
    if (to->sa_family == AF_INET) setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void client_open(rig *r, rig_client *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(r->port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client_connect(c, (struct sockaddr *)&to, sizeof to);
}

void client_open_unix(rig *r, rig_client *c, const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    (void)r;
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    client_connect(c, (struct sockaddr *)&to, sizeof to);
}

void client_read(rig_client *c)
{
    while (!c->closed && c->len < RIG_BYTES) {
        ssize_t n = recv(c->fd, c->got + c->len, RIG_BYTES - c->len, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (n <= 0) {
            c->closed = true;
            c->reset = n < 0;
            break;
        }
        c->len += (size_t)n;
    }
    c->got[c->len] = '\0';
}

void client_send(rig *r, rig_client *c, fer_str bytes)
{
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    for (size_t at = 0; at < bytes.len;) {
        ssize_t n = send(c->fd, bytes.ptr + at, bytes.len - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            at += (size_t)n;
            continue;
        }
        if (errno != EAGAIN) return; /* the server has closed, which the caller looks at */
        if (rig_now() > end) fail_msg("the server does not read");
        client_read(c);
        rig_turn(r, 1);
    }
}

void client_wait(rig *r, rig_client *c, const char *text)
{
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    while (client_read(c), !strstr(c->got, text)) {
        if (c->closed || rig_now() > end) fail_msg("'%s' did not come, but:\n%s", text, c->got);
        rig_turn(r, 1);
    }
}

void client_wait_closed(rig *r, rig_client *c)
{
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    while (client_read(c), !c->closed) {
        if (rig_now() > end) fail_msg("it is not closed, and said:\n%s", c->got);
        c->len = c->len == RIG_BYTES ? 0 : c->len;
        rig_turn(r, 1);
    }
}

void client_close(rig_client *c)
{
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
    free(c->got);
    c->got = NULL;
}

void client_statuses(const rig_client *c, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (const char *at = c->got; (at = strstr(at, "HTTP/1.1 ")); at += 9) {
        unsigned status = (unsigned)strtoul(at + 9, NULL, 10);
        if (!status) continue; /* the words of a refusal */
        len += (size_t)snprintf(out + len, size - len, "%s%u", len ? " " : "", status);
        assert_true(len < size);
    }
    if (c->closed) snprintf(out + len, size - len, ".");
}
