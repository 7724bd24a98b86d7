/* SPDX-License-Identifier: Apache-2.0 */
#include "station.h"

#include <signal.h>

#include "builtins.h"
#include "errors.h"
#include "gateway_parts.h"
#include "keeping.h"
#include "station_parts.h"

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
    uv_signal_start(&s->interrupt, on_interrupt, SIGINT);
    uv_unref((uv_handle_t *)&s->interrupt);
}

/* All that is wrong with the configuration is told; an error is the end. */
static fer_code tell_problems(fer_station *s, fer_err *err)
{
    const fer_config *c = &s->config;
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_config_problem *p = &c->problems[i];
        fer_app_say(s->app, "%.*s:%u:%u: %s: %.*s%s%.*s", FER_PRI(c->file), p->place.line,
                    p->place.column, fer_severity_name(p->severity), FER_PRI(p->message),
                    p->hint.len ? " " : "", FER_PRI(p->hint));
    }
    if (!c->error_count) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE, "%.*s has %zu errors: ferrule config check tells more",
                    FER_PRI(c->file), c->error_count);
}

/* What is asked for and not there yet is said, not passed over. */
static void take_telemetry(fer_station *s)
{
    const fer_config *c = &s->config;
    if (c->log_level.len && !fer_app_option(s->app, "log-level"))
        fer_log_level_parse(c->log_level, &s->app->log.level);
    if (c->otlp_endpoint.len)
        fer_app_say(s->app, "%.*s: telemetry: traces are not sent yet", FER_PRI(c->file));
    if (c->metrics)
        fer_app_say(s->app, "%.*s: telemetry: metrics are not served yet", FER_PRI(c->file));
    if (c->catalog.len)
        fer_app_say(s->app, "%.*s: catalog: servers are asked for their tools each time still",
                    FER_PRI(c->file));
}

static fer_code read_config(fer_station *s, fer_err *err)
{
    fer_str file = FER_STR("");
    fer_code code = fer_config_locate(s->arena, fer_app_option(s->app, "config"), &file, err);
    if (code || !file.len) return code;
    file = fer_arena_copy(s->arena, file);
    if (!file.ptr) return fer_arena_failed(s->arena, err);
    code = fer_config_load(s->arena, file.ptr, &s->config, err);
    if (!code) code = tell_problems(s, err);
    if (!code) take_telemetry(s);
    return code;
}

/* One line for each call, without anything that a tool was given or gave. */
static void log_call(void *context, const fer_call_report *r)
{
    const fer_station *s = context;
    const fer_envelope *e = r->envelope;
    const fer_code_row *row = fer_code_info(e->error.code);
    fer_log_event(&s->app->log, FER_LOG_INFO, e->error.code ? "tool.failed" : "tool.succeeded",
                  FER_LOG_S("tool.name", e->tool_id), FER_LOG_S("origin", fer_str_of(e->origin)),
                  FER_LOG_S("correlation.id", e->correlation_id),
                  FER_LOG_S("causation.id", r->causation_id), FER_LOG_S("call.id", r->call_id),
                  FER_LOG_F("duration.ms", (double)e->duration_us / 1000),
                  FER_LOG_I("attempts", e->attempts), FER_LOG_I("cacheHit", e->cache_hit),
                  FER_LOG_I("replayed", e->replayed), FER_LOG_I("redactions", e->redaction_count),
                  FER_LOG_S("error.code", fer_str_of(e->error.code ? row->name : "")),
                  FER_LOG_S("error.class", fer_str_of(e->error.code ? row->category : "")),
                  FER_LOG_I("bytes.in", r->bytes_in), FER_LOG_I("bytes.out", r->bytes_out),
                  FER_LOG_I("timeout.ms", r->timeout_ms),
                  FER_LOG_S("cancel.reason", fer_str_of(e->cancelled)));
}

static fer_code begin(fer_station *s, fer_err *err)
{
    s->arena = fer_arena_new(0);
    if (!s->arena) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = read_config(s, err);
    if (!code) code = fer_catalog_new(&(fer_catalog_options){.lenient = true}, &s->catalog, err);
    fer_gateway_options o = {.catalog = s->catalog,
                             .warn_output = s->config.warn_output,
                             .calls_max = s->config.calls,
                             .deadline_ms = s->config.deadline_ms,
                             .timeout_ms = s->config.timeout_ms,
                             .policies = s->config.policies};
    if (!code) code = fer_gateway_new(&o, &s->gateway, err);
    if (code) return code;
    if (s->config.state.len)
        code = fer_keeping_begin(s->gateway, s->config.state, &s->keeping, err);
    listen_for_interrupt(s);
    if (!code) code = fer_gateway_observe(s->gateway, log_call, s, err);
    if (code) return code;
    code = fer_gateway_builtins(s->gateway, fer_builtins, fer_builtin_count, err);
    return code ? code : fer_station_furnish(s, err);
}

int fer_station_init(fer_station *s, fer_app *app)
{
    fer_err err = {0};
    *s = (fer_station){.app = app};
    if (!begin(s, &err)) return 0;
    fer_station_deinit(s);
    return fer_app_fail(app, &err);
}

void fer_station_deinit(fer_station *s)
{
    if (s->gateway) {
        uv_close((uv_handle_t *)&s->interrupt, NULL);
        /* The house of processes and the HTTP client are gone with what uses them. */
        fer_gateway_stop(s->gateway);
        if (s->http) fer_http_close(s->http);
        if (s->host) fer_process_host_free(s->host);
        fer_keeping_end(s->keeping);
        fer_gateway_free(s->gateway);
    }
    fer_net_rules_free(s->rules);
    fer_catalog_free(s->catalog);
    fer_arena_free(s->arena);
}

/* ---- tools
 * -------------------------------------------------------------------------------------------- */

typedef struct asking {
    fer_listing listing;
    fer_station *station;
    fer_place_of_tools *place;
} asking;

static fer_code take_tools(fer_station *s, const fer_place_of_tools *p, fer_str json, size_t *count,
                           fer_err *err)
{
    fer_backend backend = {p->runner->kind->backend, p->name, FER_STR("")};
    fer_put_options o = {.ns = p->ns, .backend = &backend};
    fer_batch *b = fer_batch_new();
    if (!b) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    size_t before = 0, after;
    fer_view *v = fer_catalog_view(s->catalog);
    before = fer_view_count(v);
    fer_view_unref(v);
    fer_code code = fer_batch_add(b, p->name, json, FER_FORMAT_JSON, &o, err);
    if (!code) code = fer_catalog_apply(s->catalog, b, err);
    fer_batch_free(b);
    v = fer_catalog_view(s->catalog);
    after = fer_view_count(v);
    fer_view_unref(v);
    *count = after - before;
    return code;
}

static void on_listed(fer_listing *l, fer_code code, fer_str json, const fer_err *err)
{
    asking *q = l->context;
    fer_place_of_tools *p = q->place;
    fer_err own = {0};
    q->station->waiting--;
    if (!code) code = take_tools(q->station, p, json, &p->tools, &own);
    else if (err) own = *err;
    p->code = code;
    p->why = code ? fer_arena_copy(q->station->arena, fer_str_of(own.message)) : FER_STR("");
}

static void ask_place(fer_station *s, fer_place_of_tools *p)
{
    asking *q = fer_arena_alloc_zero(s->arena, 1, sizeof *q);
    p->asked = true;
    if (!q || !p->runner->kind->list) return;
    *q = (asking){{.arena = s->arena, .on_end = on_listed, .context = q}, s, p};
    s->waiting++;
    p->runner->kind->list(p->runner, &q->listing);
}

void fer_station_ask(fer_station *s, fer_str id)
{
    fer_id parts = {0};
    if (id.len && fer_id_parse(id, &parts, NULL)) return;
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = &s->places[i];
        if (p->asked || (parts.ns.len && !fer_str_eq(parts.ns, p->ns))) continue;
        ask_place(s, p);
    }
    while (s->waiting && !s->interrupted) uv_run(fer_gateway_loop(s->gateway), UV_RUN_ONCE);
}

void fer_station_remark(fer_station *s)
{
    for (size_t i = 0; i < s->place_count; i++) {
        const fer_place_of_tools *p = &s->places[i];
        if (p->code)
            fer_app_say(s->app, "%.*s: %s: %.*s", FER_PRI(p->name), fer_code_info(p->code)->name,
                        FER_PRI(p->why));
    }
}

int fer_station_number(fer_app *app, const char *option, int64_t min, int64_t max,
                       int64_t otherwise, int64_t *out)
{
    const char *text = fer_app_option(app, option);
    uint64_t n;
    *out = otherwise;
    if (!text) return 0;
    if (!fer_parse_u64(fer_str_of(text), &n) || n < (uint64_t)min || n > (uint64_t)max)
        return fer_app_usage(app, "--%s takes a whole number from %lld to %lld", option,
                             (long long)min, (long long)max);
    *out = (int64_t)n;
    return 0;
}
