/* SPDX-License-Identifier: Apache-2.0 */
/* A station's beginning and end. */
#include "station.h"

#include <signal.h>
#include <unistd.h>

#include "client_files.h"
#include "clock.h"
#include "code_setup.h"
#include "errors.h"
#include "gateway_parts.h"
#include "keeping.h"
#include "ledger_folder.h"
#include "near.h"
#include "sandbox.h"
#include "station_parts.h"

#define SETTLE_NS INT64_C(2000000000) /* for lists of tools that are under way at the end */

/* ---- the beginning
 * ------------------------------------------------------------------------------------ */

static void on_interrupt(uv_signal_t *handle, int number)
{
    fer_station *s = handle->data;
    (void)number;
    if (s->interrupted) uv_signal_stop(handle); /* the next one ends the program */
    s->interrupted = true;
    fer_gateway_cancel(s->gateway);
}

static void listen_for_interrupt(fer_station *s)
{
    s->interrupt.data = s;
    uv_signal_init(fer_gateway_loop(s->gateway), &s->interrupt);
    if (s->wants.interrupts) uv_signal_start(&s->interrupt, on_interrupt, SIGINT);
    uv_unref((uv_handle_t *)&s->interrupt);
    fer_station_begin_relist(s);
}

void fer_station_say(const fer_station *s, const char *format, ...)
{
    char text[2 * FER_ERR_TEXT];
    va_list args;
    if (!s->wants.tell) return;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    s->wants.tell(s->wants.context, (fer_str){text, len});
}

fer_code fer_station_problems(fer_station *s, const fer_config *c, fer_err *err)
{
    for (size_t i = 0; i < c->problem_count; i++) {
        char text[FER_ERR_TEXT];
        fer_config_problem_text(c, &c->problems[i], text);
        fer_station_say(s, "%s", text);
    }
    /* Of a reload, log and ledger are told what is returned alone. */
    return fer_config_refuse(c, c->file, !s->gateway, err);
}

static fer_code read_config(fer_station *s, fer_err *err)
{
    fer_str file = FER_STR("");
    if (s->wants.file_count) {
        fer_code bad = fer_client_files_load(s->config_arena, s->wants.files, s->wants.file_count,
                                             s->wants.found, &s->config, err);
        if (!bad) bad = fer_client_files_drop_self(s->config_arena, &s->config, s->wants.own, err);
        s->config.file = fer_str_of(s->wants.files[0]);
        return bad ? bad : fer_station_problems(s, &s->config, err);
    }
    fer_code code = fer_config_locate(s->arena, s->wants.config, &file, err);
    if (code || !file.len) return code;
    file = fer_arena_copy(s->arena, file);
    if (!file.ptr) return fer_arena_failed(s->arena, err);
    code = fer_config_load(s->config_arena, file.ptr, &s->config, err);
    if (!code) code = fer_client_files_drop_self(s->config_arena, &s->config, s->wants.own, err);
    s->config.file = file; /* it stays, whatever is read later */
    return code ? code : fer_station_problems(s, &s->config, err);
}

static fer_code take_routes(fer_station *s, fer_err *err)
{
    const fer_config *c = &s->config;
    fer_route *list = fer_arena_alloc_zero(s->config_arena, c->route_count + 1, sizeof *list);
    if (!list) return fer_arena_failed(s->config_arena, err);
    for (size_t i = 0; i < c->route_count; i++)
        list[i] = (fer_route){c->routes[i].tool, c->routes[i].backends, c->routes[i].count};
    return fer_gateway_routes(s->gateway, list, c->route_count, err);
}

static fer_code take_places(fer_station *s, fer_err *err)
{
    fer_furniture f = {.vacancies = true};
    fer_code code = fer_station_prepare(s, &s->config, err);
    if (!code) code = fer_station_make(s, s->config_arena, &s->config, NULL, 0, &f, err);
    for (size_t i = 0; i < f.count; i++) {
        if (code) fer_station_discard(s, f.list[i]);
        else code = fer_station_serve(s, f.list[i], err);
    }
    return code;
}

static fer_code say_what_to_do(const fer_station *s, fer_err *err)
{
    const fer_err why = *err;
    fer_str ledger = fer_arena_printf(s->arena, "%.*s/ledger", FER_PRI(s->config.state));
    if (!s->wants.beside || !fer_keeping_is_written(ledger.ptr)) return why.code;
    return fer_fail(err, why.code, "%s. If that is a gateway: %s", why.message, s->wants.beside);
}

/* The client of --client, before anything is opened for it. */
static fer_code check_client(const fer_station *s, fer_err *err)
{
    const fer_config_serve *c = &s->config.serve;
    fer_near near;
    if (!s->wants.client) return FER_OK;
    fer_near_init(&near, fer_str_of(s->wants.client));
    for (size_t i = 0; i < c->client_count; i++) {
        if (fer_str_is(c->clients[i].name, s->wants.client)) return FER_OK;
        fer_near_try(&near, c->clients[i].name);
    }
    return fer_fail(err, FER_BAD_USAGE,
                    "--client: serve.clients of the configuration has no %s%s%.*s%s",
                    s->wants.client, near.best.ptr ? "; did you mean " : "", FER_PRI(near.best),
                    near.best.ptr ? "?" : "");
}

/* There are records, and the key that they are sealed with is gone: another one is about to be
 * made. */
static bool has_lost_key(const fer_station *s)
{
    fer_str key = fer_arena_printf(s->arena, "%.*s/seal.key", FER_PRI(s->config.state));
    fer_str store = fer_arena_printf(s->arena, "%.*s/store.db", FER_PRI(s->config.state));
    return key.ptr && store.ptr && fer_file_exists(store.ptr) && !fer_file_exists(key.ptr);
}

static void say_lost_key(fer_station *s)
{
    fer_station_say(
        s,
        "%.*s/seal.key was gone, and is made anew: what was kept under the old one, results "
        "of calls with idempotency keys among it, cannot be read any more",
        FER_PRI(s->config.state));
    fer_log_write(&s->log, FER_LOG_WARN, "seal.anew",
                  (const struct fer_log_field[]){FER_LOG_S("state", s->config.state), {0}});
}

/* Calls that the last process did not end: it was killed, or the machine went down. */
static void say_open_calls(fer_station *s)
{
    const fer_ledger_recovery *r = fer_keeping_found(s->keeping);
    if (!r->closed) return;
    fer_station_say(s,
                    "%zu calls were under way when the last process ended without their ends: of "
                    "%zu nobody knows whether they had their effect ('ferrule ledger query --type "
                    "end --status Unknown' shows them), the others have none",
                    r->closed, r->doubted);
    fer_log_write(&s->log, FER_LOG_WARN, "ledger.recovered",
                  (const struct fer_log_field[]){
                      FER_LOG_I("calls", r->closed), FER_LOG_I("unknown", r->doubted), {0}});
}

static fer_code begin_keeping(fer_station *s, fer_err *err)
{
    const fer_policy_common *all = fer_policy_common_of(s->gateway->rulebook->set);
    fer_keep_options o = {.folder = s->config.state,
                          .ledger = &s->config.ledger,
                          .key_ttl_ms = all->key_ttl_ms,
                          .verify = s->wants.search && s->config.ledger.verify,
                          .cache = all->cache_persist,
                          .cache_bytes = all->cache_disk_bytes,
                          .log = &s->log};
    bool lost = has_lost_key(s);
    fer_code code = fer_keeping_begin(s->gateway, &o, &s->keeping, err);
    if (!code && lost) say_lost_key(s);
    if (!code) say_open_calls(s);
    return code == FER_LEDGER_UNAVAILABLE ? say_what_to_do(s, err) : code;
}

/* The catalogue is in the folder of state, unless it is somewhere else. */
static fer_code make_state(fer_station *s, fer_err *err)
{
    fer_str folder = fer_arena_copy(s->arena, s->config.state);
    return folder.ptr ? fer_folder_make(folder.ptr, "seal.key", err)
                      : fer_arena_failed(s->arena, err);
}

/* Commands that look have no use for the ledger, which a gateway may have. */
static fer_code begin_state(fer_station *s, fer_err *err)
{
    if (!s->config.state.len || s->wants.bare) return FER_OK;
    if (!s->wants.looks) return begin_keeping(s, err);
    return s->wants.refreshes ? make_state(s, err) : FER_OK;
}

static fer_code begin(fer_station *s, fer_err *err)
{
    s->arena = fer_arena_new(0);
    s->config_arena = fer_arena_new(0);
    if (!s->arena || !s->config_arena) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    s->config.metrics = true;
    fer_code code = read_config(s, err);
    if (!code) code = check_client(s, err);
    if (!code && s->wants.search) fer_station_digest(s, s->config_digest);
    if (s->wants.bare) s->config.catalog = FER_STR("");
    if (!code) code = fer_station_take_log(s, &s->config, err);
    struct fer_opened opened = {0};
    if (!code) code = fer_station_open_catalog(s, &s->config, &opened, err);
    s->catalog = opened.catalog;
    s->catalog_file = opened.file;
    s->saved = opened.saved;
    s->catalog_was_there = opened.was_there;
    fer_gateway_options o = {.catalog = s->catalog,
                             .loop = s->wants.loop,
                             .warn_output = s->config.warn_output,
                             .uncounted = !s->config.metrics,
                             .calls_max = s->config.calls,
                             .bytes_max = s->config.call_bytes,
                             .deadline_ms = s->config.deadline_ms,
                             .timeout_ms = s->config.timeout_ms,
                             .policies = s->config.policies};
    if (!code) code = fer_gateway_new(&o, &s->gateway, err);
    if (code) return code;
    code = begin_state(s, err);
    listen_for_interrupt(s);
    fer_gateway_on_changed(s->gateway, fer_station_changed, s);
    if (s->wants.search) fer_gateway_on_missing(s->gateway, fer_station_missing, s);
    fer_station_begin_own(s);
    if (!code) code = fer_station_watch(s, err);
    if (!code) fer_station_catch_up(s);
    if (!code && fer_station_writes(s)) code = fer_station_listen(s, err);
    if (!code)
        code = fer_gateway_builtins(s->gateway, s->wants.functions, s->wants.function_count, err);
    if (!code) code = take_places(s, err);
    if (!code) code = fer_station_code(s, &s->config, err);
    if (!code) code = take_routes(s, err);
    if (!code) fer_station_recall(s);
    return code;
}

fer_code fer_station_init(fer_station *s, const struct fer_station_wants *wants, fer_err *err)
{
    *s = (fer_station){.log = wants->log, .wants = *wants};
    fer_code code = begin(s, err);
    if (!code) return FER_OK;
    s->catalog_file = NULL; /* nothing of it is to be kept */
    fer_station_deinit(s);
    return code;
}

/* ---- the end
 * ------------------------------------------------------------------------------------------ */

/* What a server says of its tools just now is worth a moment. */
static void settle(fer_station *s)
{
    int64_t end = fer_clock_mono() + SETTLE_NS;
    if (!s->catalog_file || !fer_station_writes(s)) return;
    while (s->waiting && !s->interrupted && fer_clock_mono() < end) {
        uv_run(fer_gateway_loop(s->gateway), UV_RUN_NOWAIT);
        if (s->waiting) uv_sleep(1);
    }
    fer_station_save(s);
}

static void say_lost_traces(const fer_station *s, const fer_trace_stats *t)
{
    if (t->dropped)
        fer_station_say(s, "%llu spans of traces were not sent: %s", (unsigned long long)t->dropped,
                        t->trouble);
}

void fer_station_deinit(fer_station *s)
{
    if (s->gateway) {
        fer_trace_stats traces;
        settle(s);
        fer_gateway_on_changed(s->gateway, NULL, NULL);
        fer_gateway_on_missing(s->gateway, NULL, NULL);
        fer_gateway_on_own_tools(s->gateway, NULL, NULL);
        s->catalog_file = NULL;
        uv_close((uv_handle_t *)&s->interrupt, NULL);
        uv_close((uv_handle_t *)&s->relist, NULL);
        /* The house of processes and the HTTP client are gone with what uses them. */
        fer_gateway_stop(s->gateway);
        fer_gateway_trace_stats(s->gateway, &traces);
        say_lost_traces(s, &traces);
        for (size_t i = 0; i < s->place_count; i++) fer_place_drop_tokens(s->places[i]);
        if (s->http) fer_http_close(s->http);
        if (s->sandboxes) fer_sandbox_host_free(s->sandboxes);
        if (s->desk.arena) fer_oauth_desk_close(&s->desk);
        if (s->host) fer_process_host_free(s->host);
        fer_keeping_end(s->keeping);
        fer_gateway_free(s->gateway);
    }
    for (size_t i = 0; i < s->place_count; i++) fer_place_free(s->places[i]);
    fer_net_rules_free(s->rules);
    fer_station_free_old_catalogs(s);
    fer_catalog_free(s->catalog);
    fer_station_close_log(s);
    fer_arena_free(s->config_arena);
    fer_arena_free(s->arena);
}
