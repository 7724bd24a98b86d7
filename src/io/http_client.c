/* SPDX-License-Identifier: Apache-2.0 */
/* Between curl and the loop: sockets and time. */
#include "http_client.h"

#include <stdlib.h>

#include "errors.h"
#include "http_parts.h"
#include "sys.h"

/* A socket of curl's that the loop watches. */
typedef struct watch {
    uv_poll_t poll;
    fer_http *client;
    curl_socket_t socket;
} watch;

void fer_http_handle_closed(fer_http *h)
{
    if (--h->handles || !h->closing) return;
    if (h->multi) h->curl.global_cleanup();
    fer_sys_free(h);
}

/* ---- what curl tells ------------------------------------------------------------------------ */

static void take_results(fer_http *h)
{
    CURLMsg *m;
    int left;
    while (!h->closing && (m = h->curl.multi_info_read(h->multi, &left))) {
        fer_http_call *c = NULL;
        CURLcode result = m->data.result;
        if (m->msg != CURLMSG_DONE) continue;
        h->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&c);
        if (c) fer_http_call_done(c, result);
    }
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    watch *w = poll->data;
    fer_http *h = w->client;
    int running, what = 0;
    if (status < 0) what = CURL_CSELECT_ERR;
    if (events & UV_READABLE) what |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE) what |= CURL_CSELECT_OUT;
    h->curl.multi_socket_action(h->multi, w->socket, what, &running);
    take_results(h);
}

static void on_time(uv_timer_t *timer)
{
    fer_http *h = timer->data;
    int running;
    h->curl.multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    take_results(h);
}

/* ---- what curl asks for --------------------------------------------------------------------- */

static void watch_closed(uv_handle_t *handle)
{
    watch *w = handle->data;
    fer_http *h = w->client;
    fer_sys_free(w);
    fer_http_handle_closed(h);
}

static watch *watch_new(fer_http *h, curl_socket_t socket)
{
    watch *w = fer_sys_malloc(sizeof *w);
    if (!w) return NULL;
    *w = (watch){.client = h, .socket = socket};
    if (uv_poll_init_socket(h->loop, &w->poll, socket)) {
        fer_sys_free(w);
        return NULL;
    }
    w->poll.data = w;
    h->handles++;
    h->curl.multi_assign(h->multi, socket, w);
    return w;
}

/* Never an error towards curl, which would give up all calls for it: the one concerned ends. */
static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned)
{
    fer_http *h = context;
    watch *w = assigned;
    fer_http_call *c = NULL;
    if (what == CURL_POLL_REMOVE) {
        if (!w) return 0;
        h->curl.multi_assign(h->multi, socket, NULL);
        uv_poll_stop(&w->poll);
        uv_close((uv_handle_t *)&w->poll, watch_closed);
        return 0;
    }
    if (!w) w = watch_new(h, socket);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    if (w && !uv_poll_start(&w->poll, events, on_ready)) return 0;
    h->curl.easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&c);
    if (c) fer_http_call_fail(c, FER_HTTP_MEMORY);
    fer_http_wake(h);
    return 0;
}

static int on_timeout(CURLM *multi, long ms, void *context)
{
    fer_http *h = context;
    (void)multi;
    if (h->closing) return 0;
    uv_update_time(h->loop);
    if (ms < 0) uv_timer_stop(&h->curl_timer);
    else uv_timer_start(&h->curl_timer, on_time, (uint64_t)ms, 0);
    return 0;
}

/* ---- the tick ------------------------------------------------------------------------------- */

/* Calls that end here are unlinked, but stay readable until the loop closes their timers. */
static void on_tick(uv_timer_t *timer)
{
    fer_http *h = timer->data;
    for (fer_http_call *c = h->calls, *next; c && !h->closing; c = next) {
        next = c->next;
        if (c->state != FER_HTTP_ENDED) fer_http_call_tick(c);
    }
    if (!h->closing) take_results(h);
}

void fer_http_wake(fer_http *h)
{
    if (!h->closing) uv_timer_start(&h->tick, on_tick, 0, 0);
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool set_up_multi(fer_http *h, CURLM *multi)
{
    return !h->curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) &&
           !h->curl.multi_setopt(multi, CURLMOPT_SOCKETDATA, h) &&
           !h->curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timeout) &&
           !h->curl.multi_setopt(multi, CURLMOPT_TIMERDATA, h) &&
           !h->curl.multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)FER_HTTP_HOST_CONNS);
}

fer_code fer_http_need_curl(fer_http *h, fer_err *err)
{
    if (h->multi) return FER_OK;
    fer_code code = fer_curl_load(&h->curl, err);
    if (code) return code;
    if (h->curl.global_init(CURL_GLOBAL_DEFAULT))
        return fer_fail(err, FER_OUT_OF_MEMORY, "curl does not begin");
    CURLM *multi = h->curl.multi_init();
    if (multi && set_up_multi(h, multi)) {
        h->multi = multi;
        return FER_OK;
    }
    h->curl.multi_cleanup(multi);
    h->curl.global_cleanup();
    return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for requests");
}

uv_loop_t *fer_http_loop(const fer_http *h)
{
    return h->loop;
}

/* curl itself looks at neither. */
static const char *named_by(const char *variable)
{
    const char *path = secure_getenv(variable);
    return path && path[0] ? path : NULL;
}

fer_http *fer_http_new(uv_loop_t *loop, const fer_http_options *options)
{
    fer_http *h = fer_sys_malloc(sizeof *h);
    if (!h) return NULL;
    *h = (fer_http){.loop = loop, .options = *options, .handles = 2};
    if (!options->ca_file && !options->ca_folder) {
        h->options.ca_file = named_by("SSL_CERT_FILE");
        h->options.ca_folder = named_by("SSL_CERT_DIR");
    }
    uv_timer_init(loop, &h->curl_timer);
    uv_timer_init(loop, &h->tick);
    h->curl_timer.data = h->tick.data = h;
    return h;
}

static void timer_closed(uv_handle_t *handle)
{
    fer_http_handle_closed(handle->data);
}

void fer_http_close(fer_http *h)
{
    if (!h || h->closing) return;
    h->closing = true;
    while (h->calls) fer_http_call_finish(h->calls, FER_HTTP_CANCELLED);
    if (h->multi) h->curl.multi_cleanup(h->multi);
    uv_close((uv_handle_t *)&h->curl_timer, timer_closed);
    uv_close((uv_handle_t *)&h->tick, timer_closed);
}

size_t fer_http_live(const fer_http *h)
{
    return h->live;
}

uint64_t fer_http_connections(const fer_http *h)
{
    return h->connections;
}
