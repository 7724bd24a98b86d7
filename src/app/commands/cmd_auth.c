/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule auth login: a token for a server over HTTP. Logging in prints a URL for the
 * user's browser, which comes back to a place on the loopback; where the browser is on another
 * machine, what it was sent to is pasted here instead. Nothing is opened by this program.
 */
#include <signal.h>
#include <unistd.h>

#include "auth_site.h"
#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "http_server.h"
#include "oauth_form.h"
#include "station.h"
#include "sys.h"

#define LOGIN_MS  600000 /* for the user */
#define PASTE_MAX 8192   /* bytes of a URL that is pasted */

/* ---- logging in -------------------------------------------------------------------------------
 */

typedef struct login {
    fer_app *app;
    fer_arena *arena;
    uv_loop_t loop;
    fer_oauth_desk desk;
    fer_oauth *oauth;
    fer_http_server *server;
    fer_http_handler handler;
    fer_oauth_waiter waiter;
    uv_signal_t interrupt;
    uv_timer_t limit;
    uv_poll_t input;
    bool reads; /* standard input is watched */
    char line[PASTE_MAX];
    size_t line_len;
    bool over, back;
    fer_code code;
    char why[512];
} login;

static void on_done(fer_oauth_waiter *w, fer_code code, const char *why)
{
    login *l = (login *)((char *)w - offsetof(login, waiter));
    l->over = true;
    l->code = code;
    snprintf(l->why, sizeof l->why, "%s", why ? why : "");
}

static void on_visit(void *context, fer_str url)
{
    login *l = context;
    fer_out_printf(&l->app->out, "%.*s\n", FER_PRI(url));
    fer_out_flush(&l->app->out);
    fer_app_say(l->app,
                "open this URL in a browser. It comes back here by itself; from a browser on "
                "another machine, paste the URL that it ends at (http://127.0.0.1...)");
}

static void on_request(void *context, fer_exchange *x)
{
    login *l = context;
    const fer_inbound *in = fer_exchange_inbound(x);
    bool here = fer_str_is(in->method, "GET") && fer_str_is(in->path, "/callback") && in->query.ptr;
    if (!here) {
        fer_exchange_reply(x, 404, "text/plain", FER_STR("nothing is here\n"));
        return;
    }
    fer_str query = fer_arena_copy(l->arena, in->query);
    fer_exchange_reply(x, 200, "text/plain",
                       FER_STR("Ferrule has what it needs, and says in its terminal what came of "
                               "it. This page can be closed.\n"));
    if (query.ptr && !l->back) l->back = fer_oauth_redirected(l->oauth, query);
}

static void take_line(login *l)
{
    fer_str line = {l->line, l->line_len};
    size_t mark = fer_str_find(line, 0, '?');
    l->line_len = 0;
    while (line.len && line.ptr[line.len - 1] <= ' ') line.len--;
    if (!line.len) return;
    if (mark == SIZE_MAX || mark >= line.len)
        fer_app_say(l->app, "this is no URL with an answer in it: it has code=... behind a ?");
    else if (!l->back)
        l->back = fer_oauth_redirected(l->oauth, fer_str_slice(line, mark + 1, line.len));
}

static void on_input(uv_poll_t *poll, int status, int events)
{
    login *l = poll->data;
    char piece[1024];
    (void)events;
    ssize_t n = status < 0 ? 0 : fer_sys_read(STDIN_FILENO, piece, sizeof piece);
    if (n <= 0) {
        uv_poll_stop(poll);
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (l->line_len < sizeof l->line) l->line[l->line_len++] = piece[i];
        if (piece[i] == '\n') take_line(l);
    }
}

static void give_up(login *l, const char *why)
{
    if (l->over) return;
    fer_oauth_leave(&l->waiter);
    on_done(&l->waiter, FER_CANCELLED, why);
}

static void on_interrupt(uv_signal_t *handle, int number)
{
    (void)number;
    give_up(handle->data, "it was interrupted");
}

static void on_limit(uv_timer_t *timer)
{
    give_up(timer->data, "nobody came back within ten minutes");
}

/* The place that the user comes back to: the port of the last time, where it is free, as issuers
 * may know us by it. */
static fer_code listen_here(login *l, const fer_oauth_site *s, fer_err *err)
{
    fer_listen_options o = {.port = (uint16_t)s->oauth->callback_port};
    l->handler = (fer_http_handler){.request = on_request, .context = l};
    l->server = fer_http_server_new(&l->loop, &l->handler, NULL, NULL);
    if (!l->server) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_http_server_listen(l->server, &o, err);
    return code;
}

static void begin_handles(login *l)
{
    uv_signal_init(&l->loop, &l->interrupt);
    uv_timer_init(&l->loop, &l->limit);
    l->interrupt.data = l->limit.data = l->input.data = l;
    uv_signal_start(&l->interrupt, on_interrupt, SIGINT);
    uv_timer_start(&l->limit, on_limit, LOGIN_MS, 0);
    l->reads = uv_poll_init(&l->loop, &l->input, STDIN_FILENO) == 0;
    l->input.data = l;
    if (l->reads) uv_poll_start(&l->input, UV_READABLE, on_input);
}

static fer_code log_in(login *l, const fer_config *c, const fer_oauth_site *s,
                       const fer_token_owner *owner, fer_err *err)
{
    fer_code code = fer_oauth_desk_open(&l->desk, &l->loop, c, err);
    if (!code && !s->oauth->machine) code = listen_here(l, s, err);
    if (code) return code;
    char uri[64] = "";
    if (l->server)
        snprintf(uri, sizeof uri, "http://127.0.0.1:%u/callback",
                 fer_http_server_port(l->server, 0));
    fer_oauth_options o = {
        .visit = on_visit, .redirect_uri = fer_str_of(uri), .context = l, .owner = *owner};
    code = fer_oauth_desk_client(&l->desk, c, s, &o, &l->oauth, err);
    if (!code && !l->oauth)
        code = fer_fail(err, FER_BAD_USAGE,
                        "nobody logs in to %.*s: it has an Authorization of its own, or its URL is "
                        "not HTTPS",
                        FER_PRI(s->name));
    if (code) return code;
    l->waiter.done = on_done;
    fer_oauth_log_in(l->oauth, &l->waiter);
    while (!l->over) uv_run(&l->loop, UV_RUN_ONCE);
    return l->code ? fer_fail(err, l->code, "%s", l->why) : FER_OK;
}

static void end(login *l)
{
    uv_close((uv_handle_t *)&l->interrupt, NULL);
    uv_close((uv_handle_t *)&l->limit, NULL);
    if (l->reads) uv_close((uv_handle_t *)&l->input, NULL);
    fer_http_server_close(l->server);
    fer_oauth_unref(l->oauth);
    fer_oauth_desk_close(&l->desk);
    uv_run(&l->loop, UV_RUN_DEFAULT);
    uv_loop_close(&l->loop);
}

int fer_run_auth_login(fer_app *app)
{
    login *l;
    fer_config c;
    fer_oauth_site s;
    fer_token_owner owner;
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    l = a ? fer_arena_alloc_zero(a, 1, sizeof *l) : NULL;
    int bad = 0;
    if (!l || uv_loop_init(&l->loop)) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        fer_arena_free(a);
        return fer_app_fail(app, &err);
    }
    l->app = app;
    l->arena = a;
    begin_handles(l);
    bad = fer_auth_config(app, a, &c);
    if (!bad) bad = fer_auth_find(app, &c, &s, &owner);
    if (!bad && log_in(l, &c, &s, &owner, &err)) bad = fer_app_fail(app, &err);
    else if (!bad)
        fer_app_say(app, "%.*s gives tokens now%s", FER_PRI(s.name),
                    s.oauth->machine ? "; a machine needs no login" : ", which are kept sealed");
    end(l);
    fer_arena_free(a);
    return bad;
}
