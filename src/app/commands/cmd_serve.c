/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule serve: the gateway as an MCP server. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "admin.h"
#include "attach.h"
#include "client_choice.h"
#include "clock.h"
#include "command_station.h"
#include "doorkeeper.h"
#include "errors.h"
#include "keeping.h"
#include "local_door.h"
#include "serve_guide.h"
#include "serve_http.h"
#include "serve_setup.h"
#include "serve_stdio.h"
#include "service.h"
#include "station_wares.h"
#include "sys.h"

#define DRAIN_MS  30000 /* for what runs, once we are asked to end */
#define SETTLE_MS 20    /* between two looks at whether servers have listed their tools */
#define KEEP_MS   60000 /* between two looks at whether uses are to be written down */
#define TEND_MS   1000  /* between two looks at servers that are away */
#define EMBED_AT  32    /* vectors that are made between other things */

typedef struct serving {
    fer_app *app;
    fer_station station;
    fer_front *front;
    fer_stdio *stdio;
    fer_web *web;
    fer_local_door local;
    fer_attach at;   /* where clients of this user attach */
    bool attachable; /* there is such a place */
    bool quiet;      /* HTTP is for the operator alone, at a socket: no door of its own */
    unsigned doors;  /* that are open */
    char token[FER_GUIDE_TOKEN]; /* that is shown; or empty */
    bool token_is_known;         /* to whoever was shown it, some day */
    const char *guide_address;   /* of the place that the guide names; NULL: 127.0.0.1 */
    unsigned guide_listener;
    bool guided; /* there is such a place */
    fer_doorkeeper door;
    fer_admin admin;
    fer_serve_setup setup;
    uv_signal_t term, interrupt, hangup;
    uv_timer_t settle, drain, keep, tend;
    uint64_t kept;       /* uses that are written down */
    uint64_t wares_kept; /* of which version that is true */
    uv_idle_t embed;
    bool draining, over;
    bool broken; /* the ledger is: it ends by itself, as failed */
} serving;

/* ---- what is served ---------------------------------------------------------------------------
 */

static int make_front(serving *s)
{
    fer_front_options o = s->setup.front;
    fer_err err;
    o.gateway = s->station.gateway;
    o.catalog = s->station.catalog;
    s->front = fer_front_new(&o);
    if (s->front) return 0;
    fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    return fer_app_fail(s->app, &err);
}

/* ---- tools that become known ------------------------------------------------------------------
 */

/* What only the start has needed: most of the code and the tables, the model's among them, and what
 * lists of tools were read into. What is used again comes back by itself, from where the file lies
 * in the system's memory. */
static void settle_memory(void)
{
    fer_sys_put_by_code();
    fer_sys_trim();
}

/* Vectors are made between other things, until every tool has one. */
static void on_embed(uv_idle_t *idle)
{
    serving *s = idle->data;
    size_t left = 0;
    if (!fer_catalog_embed(s->station.catalog, EMBED_AT, &left, NULL) && left) return;
    uv_idle_stop(idle);
    settle_memory();
}

static void on_settle(uv_timer_t *timer)
{
    serving *s = timer->data;
    if (!fer_station_is_blank(&s->station)) fer_front_release(s->front);
    if (s->station.waiting) return;
    uv_timer_stop(timer);
    fer_station_remark(&s->station);
    fer_station_say_held(&s->station);
    fer_service_tell_status(&s->station);
    uv_idle_start(&s->embed, on_embed);
}

/* What searches have led to is written down now and then, where there is a file for it. */
static void keep_uses(serving *s)
{
    fer_front_counts c;
    fer_err err = {0};
    fer_front_count(s->front, &c);
    if (c.uses == s->kept || !s->station.catalog_file) return;
    s->kept = c.uses;
    if (fer_catalog_save_uses(s->station.catalog, &err))
        fer_app_say(s->app, "uses are not kept: %s", err.message);
}

static void on_keep(uv_timer_t *timer)
{
    keep_uses(timer->data);
}

static void learn_tools(serving *s)
{
    fer_station_begin_asking_unknown(&s->station);
    if (fer_station_is_blank(&s->station)) fer_front_hold(s->front);
    uv_timer_start(&s->settle, on_settle, s->station.waiting ? SETTLE_MS : 0, SETTLE_MS);
}

static void show_catalog(serving *s)
{
    fer_err err;
    s->station.shown_behind =
        fer_front_change_catalog(s->front, s->station.catalog, &err) != FER_OK;
    if (s->station.shown_behind)
        fer_app_say(s->app, "the tools stay as they were: %s", err.message);
    learn_tools(s);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The last door is closed, or the only one. */
static void on_ended(void *context)
{
    serving *s = context;
    if (s->doors) s->doors--;
    if (!s->doors) s->over = true;
}

static void on_nothing(void *context)
{
    (void)context;
}

static void on_late(uv_timer_t *timer)
{
    serving *s = timer->data;
    fer_front_cancel(s->front);
    s->over = true;
}

/* Nobody else comes in, and what runs comes to its end. */
static void begin_end(serving *s)
{
    s->draining = true;
    fer_station_note_life(&s->station, "serve.stopping");
    fer_service_tell("STOPPING=1\nSTATUS=what runs has %d seconds", DRAIN_MS / 1000);
    fer_front_drain(s->front);
    uv_timer_start(&s->drain, on_late, DRAIN_MS, 0);
    if (s->stdio) fer_stdio_drain(s->stdio);
    if (s->web) fer_web_drain(s->web, s->quiet ? on_nothing : on_ended, s);
    fer_local_door_drain(&s->local);
}

/* Whoever sits before it learns why it does not end at once, and how it does. */
static void say_drain(const serving *s, int number)
{
    if (!isatty(STDERR_FILENO)) return;
    fer_app_say(s->app, "ending: what runs has %d seconds; %s ends it at once", DRAIN_MS / 1000,
                number == SIGINT ? "Ctrl-C again" : "a second signal");
}

/* The first signal lets what runs come to its end, the second does not. */
static void on_signal(uv_signal_t *handle, int number)
{
    serving *s = handle->data;
    if (s->draining) {
        s->station.interrupted = true; /* lists of tools are not waited for either */
        on_late(&s->drain);
        return;
    }
    say_drain(s, number);
    begin_end(s);
}

/* After a failed write or sync this process records nothing more (ledger.h, 4). It finishes what it
 * can and ends as failed: whoever starts it again has a ledger that was verified. */
static void watch_ledger(serving *s)
{
    fer_keeping *k = s->station.keeping;
    if (s->broken || !k || fer_keeping_ledger(k) != FER_LEDGER_BROKEN) return;
    s->broken = true;
    fer_keeping_tell(k);
    fer_app_say(s->app, "LedgerUnavailable: %s; ending, as a new start verifies the ledger",
                fer_keeping_trouble(k));
    if (!s->draining) begin_end(s);
}

/* Servers that could not be asked for their tools are asked again, within the pauses that their
 * clients make; what they have beside tools is written down. */
static void on_tend(uv_timer_t *timer)
{
    serving *s = timer->data;
    if (!s->draining) {
        if (fer_station_take_over(&s->station) || s->station.shown_behind) show_catalog(s);
        fer_station_tend(&s->station);
    }
    fer_station_save_wares(&s->station, s->front, &s->wares_kept);
    if (fer_service_watchdog_us()) fer_service_tell("WATCHDOG=1");
    watch_ledger(s);
}

/* A configuration that cannot be used changes nothing. */
static void on_hangup(uv_signal_t *handle, int number)
{
    serving *s = handle->data;
    fer_arena *a = fer_arena_new(0);
    fer_reloaded done;
    fer_err err;
    (void)number;
    if (!a) return;
    fer_service_tell("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(fer_clock_mono() / 1000));
    if (fer_station_reload(&s->station, a, &done, &err))
        fer_app_say(s->app, "the configuration stays as it was: %s", err.message);
    else
        fer_app_say(s->app, "the configuration was read again: %zu change%s", done.count,
                    fer_s(done.count));
    fer_arena_free(a);
    if (s->web) fer_doorkeeper_look(&s->door);
    show_catalog(s);
    fer_service_tell("READY=1");
}

/* ---- over HTTP --------------------------------------------------------------------------------
 */

/* Where it will be, as clients write it; NULL: not over HTTP, or nobody knows yet. */
static const char *own_url(const serving *s, fer_arena *a)
{
    fer_listen_options o = {.port = FER_SERVE_PORT};
    const char *at = fer_app_option(s->app, "listen");
    if (fer_app_option(s->app, "stdio") || (at && !fer_serve_setup_listen(a, at, &o)) || !o.port)
        return NULL;
    return fer_arena_printf(a, "http://%s:%u/mcp", o.address ? o.address : "127.0.0.1", o.port).ptr;
}

/* Hosts and origins beside those of the place itself. */
static fer_code allow(serving *s, fer_err *err)
{
    const fer_serve_setup *w = &s->setup;
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < w->host_count; i++)
        code = fer_http_server_allow_host(fer_web_server(s->web), w->hosts[i], err);
    for (size_t i = 0; !code && i < w->origin_count; i++)
        code = fer_http_server_allow_origin(fer_web_server(s->web), w->origins[i], err);
    return code;
}

static void note_guide(serving *s, const char *address, unsigned listener)
{
    s->guided = true;
    s->guide_address = address ? address : "127.0.0.1";
    s->guide_listener = listener;
}

static void write_guide(serving *s)
{
    uint16_t port = fer_http_server_port(fer_web_server(s->web), s->guide_listener);
    fer_guide_write(&s->app->out,
                    &(fer_guide){.address = s->guide_address,
                                 .port = port,
                                 .secure = s->setup.cert != NULL,
                                 .known = s->token_is_known,
                                 .token = s->token_is_known ? "${FERRULE_TOKEN}" : s->token});
}

/* At the sockets of the service manager. 0, or an exit code. */
static int listen_at_given(serving *s, const fer_service_socket *list, size_t count, fer_err *err)
{
    size_t shown = count; /* the first that has an address */
    for (size_t i = 0; i < count; i++) {
        fer_listen_options o = {.address = list[i].address,
                                .port = list[i].port,
                                .cert_file = list[i].path ? NULL : s->setup.cert,
                                .key_file = list[i].path ? NULL : s->setup.key,
                                .given = true,
                                .fd = list[i].fd};
        int bad = fer_serve_setup_judge(&s->station, &s->setup, &o);
        if (bad) return bad;
        if (fer_http_server_listen(fer_web_server(s->web), &o, err))
            return fer_app_fail(s->app, err);
        if (list[i].path) fer_app_say(s->app, "MCP at the socket %s", list[i].path);
        else if (shown == count) shown = i;
    }
    if (shown < count)
        note_guide(s, list[shown].address, (unsigned)shown + (s->setup.socket ? 1 : 0));
    return 0;
}

static int listen_at(serving *s, fer_err *err)
{
    const char *path = s->setup.socket;
    fer_listen_options o;
    if (allow(s, err)) return fer_app_fail(s->app, err);
    if (path &&
        fer_http_server_listen(fer_web_server(s->web), &(fer_listen_options){.path = path}, err))
        return fer_app_fail(s->app, err);
    if (path) fer_app_say(s->app, "MCP at the socket %s", path);
    fer_service_socket given[FER_SERVICE_SOCKETS];
    size_t count;
    if (fer_service_sockets(s->station.arena, given, &count, err)) return fer_app_fail(s->app, err);
    if (count) return listen_at_given(s, given, count, err);
    if (path && !s->setup.listen) return 0;
    int bad = fer_serve_setup_place(&s->station, &s->setup, &o);
    if (bad) return bad;
    if (fer_http_server_listen(fer_web_server(s->web), &o, err)) {
        bad = fer_app_fail(s->app, err);
        if (err->code == FER_IO_ERROR) /* else it is the certificate, not the port */
            fer_app_say(s->app, "--listen PORT takes another port, 0 any that is free; ferrule "
                                "doctor tells whether a gateway has this one");
        return bad;
    }
    unsigned port = fer_http_server_port(fer_web_server(s->web), path ? 1 : 0);
    if (o.port && port != o.port)
        fer_app_say(s->app, "another program listens at port %u: the gateway is at port %u", o.port,
                    port);
    note_guide(s, o.address, path ? 1 : 0);
    return 0;
}

/* Beside the socket for those who attach is one for the operator: ferrule top asks there. Another
 * gateway may have it already. */
static void listen_for_operator(serving *s)
{
    fer_str path = fer_arena_printf(s->station.arena, "%s" FER_ATTACH_HTTP, s->at.path);
    fer_err err = {0};
    if (!path.ptr || !fer_http_server_listen(fer_web_server(s->web),
                                             &(fer_listen_options){.path = path.ptr}, &err))
        return;
    fer_log_write(
        &s->station.log, FER_LOG_INFO, "admin.unreachable",
        (const struct fer_log_field[]){FER_LOG_S("reason", fer_str_of(err.message)), {0}});
}

static fer_code make_web(serving *s, bool open, fer_err *err)
{
    fer_code code = fer_doorkeeper_init(&s->door, s->front, s->station.gateway, &s->station.log,
                                        s->setup.tokens, err);
    if (!code) code = fer_admin_init(&s->admin, &s->station, err);
    if (!code && !open) code = fer_serve_setup_clients(&s->station, &s->door, err);
    const fer_config_serve *c = &s->station.config.serve;
    s->door.pulse = s->admin.pulse;
    fer_web_options o = s->setup.web;
    if (!code && !open) code = fer_jwt_door_new(s->front, c, &s->station.log, &s->door.jwt, err);
    if (!code && !open) code = fer_jwt_door_describe(s->station.arena, c, &o, err);
    o.front = s->front;
    o.gateway = s->station.gateway;
    o.limits = &s->setup.server;
    o.admit = open ? NULL : fer_doorkeeper_admit;
    o.look = fer_doorkeeper_look;
    o.denied = fer_doorkeeper_denied;
    o.context = &s->door;
    o.admin = fer_admin_answer;
    o.admin_context = &s->admin;
    s->web = code ? NULL : fer_web_new(&o);
    if (s->web && s->door.jwt) fer_jwt_door_tell(s->door.jwt, s->web);
    s->admin.front = s->front;
    s->admin.web = s->web;
    s->admin.door = &s->door;
    s->admin.draining = &s->draining;
    if (!code && !s->web) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    return code;
}

/* A token that is made here is shown once: not before it is certain that the gateway runs. */
static int show_token(serving *s, fer_err *err)
{
    if (!s->setup.no_token &&
        fer_serve_setup_token(s->app, &s->door, s->token, &s->token_is_known, err))
        return fer_app_fail(s->app, err);
    if (s->guided) write_guide(s);
    else if (s->token[0] && !s->token_is_known) fer_app_say(s->app, "Token %s", s->token);
    return 0;
}

static int open_web(serving *s, fer_err *err)
{
    if (make_web(s, s->setup.no_token, err)) return fer_app_fail(s->app, err);
    int bad = listen_at(s, err);
    if (!bad) bad = show_token(s, err);
    if (!bad && s->attachable) listen_for_operator(s);
    return bad;
}

/* Of a gateway that serves those alone who attach: HTTP is there for its operator. */
static int open_quiet_web(serving *s, fer_err *err)
{
    s->quiet = true;
    if (make_web(s, true, err)) return fer_app_fail(s->app, err);
    listen_for_operator(s);
    return 0;
}

/* ---- over stdio -------------------------------------------------------------------------------
 */

/* The guest of --client; `*out` NULL: the operator. 0, or an exit code. */
static int find_client(serving *s, fer_guest **out)
{
    const fer_config_serve *c = &s->station.config.serve;
    const char *name = fer_app_option(s->app, "client");
    fer_guest_options o;
    fer_caller who;
    fer_err err;
    size_t i = 0;
    *out = NULL;
    if (!name) return 0;
    while (!fer_str_is(c->clients[i].name, name)) i++; /* the station has looked for it */
    fer_serve_setup_client(&c->clients[i], &who, &o);
    *out = fer_guest_new(s->front, &o);
    if (*out) return 0;
    fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    return fer_app_fail(s->app, &err);
}

static int open_stdio(serving *s, fer_err *err)
{
    fer_guest *who;
    int bad = find_client(s, &who);
    if (bad) return bad;
    fer_code code =
        fer_stdio_open(s->front, who, STDIN_FILENO, STDOUT_FILENO, on_ended, s, &s->stdio, err);
    fer_guest_unref(who);
    return code ? fer_app_fail(s->app, err) : 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void begin_handles(serving *s)
{
    uv_loop_t *loop = fer_gateway_loop(s->station.gateway);
    uv_signal_init(loop, &s->term);
    uv_signal_init(loop, &s->interrupt);
    uv_signal_init(loop, &s->hangup);
    s->hangup.data = s;
    uv_timer_init(loop, &s->settle);
    uv_timer_init(loop, &s->drain);
    uv_timer_init(loop, &s->keep);
    s->keep.data = s;
    uv_timer_start(&s->keep, on_keep, KEEP_MS, KEEP_MS);
    uv_timer_init(loop, &s->tend);
    s->tend.data = s;
    uv_timer_start(&s->tend, on_tend, TEND_MS, TEND_MS);
    uv_idle_init(loop, &s->embed);
    s->term.data = s->interrupt.data = s->settle.data = s->drain.data = s->embed.data = s;
    /* The station's own cancels what runs, as is right for one call alone. */
    uv_signal_stop(&s->station.interrupt);
    uv_signal_start(&s->term, on_signal, SIGTERM);
    uv_signal_start(&s->interrupt, on_signal, SIGINT);
    uv_signal_start(&s->hangup, on_hangup, SIGHUP);
}

static void end_handles(serving *s)
{
    uv_close((uv_handle_t *)&s->term, NULL);
    uv_close((uv_handle_t *)&s->interrupt, NULL);
    uv_close((uv_handle_t *)&s->hangup, NULL);
    uv_close((uv_handle_t *)&s->settle, NULL);
    uv_close((uv_handle_t *)&s->drain, NULL);
    uv_close((uv_handle_t *)&s->keep, NULL);
    uv_close((uv_handle_t *)&s->tend, NULL);
    uv_close((uv_handle_t *)&s->embed, NULL);
}

/* For those of this user who start their servers; with --daemon it is the only one. */
static int open_local(serving *s, bool only)
{
    s->local = (fer_local_door){.app = s->app, .ended = on_ended, .context = s};
    int bad = fer_local_door_open(&s->local, s->front, &s->at, only);
    if (!bad && s->local.local) s->doors++;
    else if (only) s->over = true;
    return bad;
}

static int open_doors(serving *s)
{
    fer_err err = {0};
    int bad;
    if (fer_app_option(s->app, "daemon")) {
        bad = open_local(s, true);
        return bad || s->over ? bad : open_quiet_web(s, &err);
    }
    s->doors = 1;
    if (fer_app_option(s->app, "stdio")) return open_stdio(s, &err);
    bad = open_web(s, &err);
    return bad || !s->attachable ? bad : open_local(s, false);
}

static int serve(serving *s)
{
    uv_loop_t *loop = fer_gateway_loop(s->station.gateway);
    int bad = fer_serve_setup_read(&s->station, &s->setup);
    if (!bad) bad = make_front(s);
    if (bad) return bad;
    fer_station_recall_wares(&s->station, s->front);
    s->wares_kept = fer_front_wares_version(s->front);
    begin_handles(s);
    bad = open_doors(s);
    if (!bad) {
        fer_out_flush(&s->app->out);
        fer_service_tell("READY=1\nSTATUS=asking servers for their tools");
        fer_station_note_life(&s->station, "serve.started");
        learn_tools(s);
        while (!s->over) uv_run(loop, UV_RUN_ONCE);
    }
    if (s->stdio) fer_stdio_close(s->stdio);
    if (s->web) fer_web_close(s->web);
    fer_local_door_close(&s->local);
    end_handles(s);
    /* What was cancelled ends in the loop; peers go with it. */
    if (s->station.keeping) fer_keeping_let_go(s->station.keeping);
    while (fer_front_busy(s->front)) uv_run(loop, UV_RUN_ONCE);
    keep_uses(s);
    fer_station_save_wares(&s->station, s->front, &s->wares_kept);
    if (s->door.jwt) fer_jwt_door_tell(s->door.jwt, NULL); /* the web is gone */
    fer_doorkeeper_deinit(&s->door);
    fer_front_free(s->front);
    uv_run(loop, UV_RUN_NOWAIT);
    if (!bad) fer_station_note_life(&s->station, "serve.stopped");
    return s->broken ? FER_EXIT_SYSTEM : bad;
}

/* Attaches to the gateway that runs, where that is wanted. -1: this process serves. */
static int attach(serving *s, fer_arena *a, const char *const *files, size_t count)
{
    const char *when = fer_app_option(s->app, "attach");
    bool stdio = fer_app_option(s->app, "stdio"), daemon = fer_app_option(s->app, "daemon");
    bool start = when && strcmp(when, "start") == 0;
    fer_err err = {0};
    int bad = fer_serve_setup_refuse(s->app, start);
    if (bad) return bad;
    /* Who is somebody in particular is served here: those who attach are the operator. */
    bool alone = (when && strcmp(when, "never") == 0) || fer_app_option(s->app, "client");
    if (alone && !daemon) return -1;
    fer_code code = fer_attach_find(a, s->app, files, count, &s->at, &err);
    s->attachable = !code;
    if (code && daemon) return fer_app_fail(s->app, &err);
    if (code && start)
        fer_app_say(s->app, "%s: %s; serving in this process", fer_code_info(code)->name,
                    err.message);
    return !code && stdio ? fer_attach_run(s->app, &s->at, start) : -1;
}

int fer_run_serve(fer_app *app)
{
    serving s = {.app = app};
    const char *files[FER_CLIENT_FILES_MAX];
    size_t count = 0;
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    if (!a) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    int bad = fer_client_choose(app, a, files, &count);
    int attached = bad ? bad : attach(&s, a, files, count);
    if (attached >= 0) {
        fer_arena_free(a);
        return attached;
    }
    struct fer_station_wants wants = {.search = true,
                                      .files = files,
                                      .file_count = count,
                                      .found = fer_client_found(app),
                                      .client = fer_app_option(app, "client"),
                                      .own = own_url(&s, a)};
    if (!bad) bad = fer_app_station_for(&s.station, app, &wants);
    if (!bad) {
        bad = serve(&s);
        fer_station_deinit(&s.station);
        fer_admin_deinit(&s.admin);
    }
    fer_arena_free(a);
    return bad;
}
