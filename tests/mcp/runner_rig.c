/* SPDX-License-Identifier: Apache-2.0 */
#include "runner_rig.h"

#include <stdlib.h>

#include "children.h"

void rig_init(rig *r)
{
    fer_err err = {0};
    *r = (rig){0};
    assert_int_equal(uv_loop_init(&r->loop), 0);
    r->arena = fer_arena_new(0);
    assert_int_equal(fer_process_host_new(&r->loop, NULL, &r->host, &err), FER_OK);
    r->rules = fer_net_rules_new();
    assert_int_equal(fer_net_rules_allow(r->rules, FER_STR("127.0.0.1"), &err), FER_OK);
    r->http = fer_http_new(&r->loop, &(fer_http_options){.rules = r->rules});
    assert_non_null(r->http);
}

/* ---- waiting ----------------------------------------------------------------------------------
 */

static void on_tick(uv_timer_t *t)
{
    (void)t;
}

void rig_until(rig *r, bool (*done)(rig *r, void *context), void *context)
{
    int64_t end = fer_clock_mono() + RIG_SECONDS * INT64_C(1000000000);
    uv_timer_t tick;
    uv_timer_init(&r->loop, &tick);
    uv_timer_start(&tick, on_tick, 100, 100);
    while (!done(r, context)) {
        if (fer_clock_mono() > end) fail_msg("nothing happened for %d s", RIG_SECONDS);
        uv_run(&r->loop, UV_RUN_ONCE);
    }
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&r->loop, UV_RUN_NOWAIT);
}

/* ---- calls --------------------------------------------------------------------------------------
 */

static void on_news(fer_attempt *t, fer_news kind, fer_str json)
{
    rig_call *c = t->call;
    (void)kind;
    assert_false(c->ended);
    c->news++;
    snprintf(c->last_news, sizeof c->last_news, "%.*s", FER_PRI(json));
}

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    rig_call *c = t->call;
    assert_false(c->ended);
    c->outcome = *o;
    c->ended = true;
    if (o->structured)
        assert_int_equal(fer_json_write(t->arena, o->structured, false, &c->value, NULL), FER_OK);
    assert_true(o->code ? o->message.len > 0 : o->mcp_result.len > 0 || o->structured);
}

void rig_call_begin(rig *r, rig_call *c, const char *tool, const char *args)
{
    fer_json *doc;
    *c = (rig_call){0};
    assert_int_equal(fer_json_read(r->arena, fer_str_of(args), NULL, &doc, NULL), FER_OK);
    c->attempt = (fer_attempt){.arena = r->arena,
                               .runner = r->runner,
                               .tool = fer_str_of(tool),
                               .args = fer_json_root(doc),
                               .args_json = fer_str_of(args),
                               .deadline = fer_clock_mono() + INT64_C(60000000000),
                               .call_id = FER_STR("1"),
                               .number = 1,
                               .wants_news = true,
                               .on_news = on_news,
                               .on_end = on_end,
                               .call = c};
    r->runner->kind->call(r->runner, &c->attempt);
}

static bool call_ended(rig *r, void *context)
{
    (void)r;
    return ((rig_call *)context)->ended;
}

void rig_call_wait(rig *r, rig_call *c)
{
    rig_until(r, call_ended, c);
}

void rig_call_do(rig *r, rig_call *c, const char *tool, const char *args)
{
    rig_call_begin(r, c, tool, args);
    rig_call_wait(r, c);
}

/* ---- lists
 * ---------------------------------------------------------------------------------------- */

typedef struct rig_listing {
    fer_listing listing;
    fer_code code;
    fer_str tools;
    fer_err err;
    bool ended;
} rig_listing;

static void on_listed(fer_listing *l, fer_code code, fer_str tools, const fer_err *err)
{
    rig_listing *rl = l->context;
    rl->code = code;
    rl->tools = tools;
    if (err) rl->err = *err;
    rl->ended = true;
}

static bool list_ended(rig *r, void *context)
{
    (void)r;
    return ((rig_listing *)context)->ended;
}

fer_code rig_list(rig *r, fer_str *tools, fer_err *err)
{
    rig_listing l = {.listing = {.arena = r->arena, .on_end = on_listed, .context = &l}};
    r->runner->kind->list(r->runner, &l.listing);
    rig_until(r, list_ended, &l);
    *tools = l.tools;
    *err = l.err;
    return l.code;
}

fer_runner_status rig_status(const rig *r)
{
    fer_runner_status s;
    r->runner->kind->status(r->runner, &s);
    return s;
}

/* ---- the end
 * ---------------------------------------------------------------------------------------- */

static void on_stopped(fer_runner *runner)
{
    rig *r = runner->owner;
    r->stopped = true;
}

static bool is_stopped(rig *r, void *context)
{
    (void)context;
    return r->stopped;
}

void rig_stop(rig *r)
{
    if (!r->runner) return;
    r->runner->owner = r;
    r->runner->kind->stop(r->runner, on_stopped);
    rig_until(r, is_stopped, NULL);
    r->runner->kind->free(r->runner);
    r->runner = NULL;
}

void rig_deinit(rig *r)
{
    rig_stop(r);
    fer_http_close(r->http);
    fer_process_host_free(r->host);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&r->loop), 0);
    fer_net_rules_free(r->rules);
    fer_arena_free(r->arena);
}

/* ---- badtool as a server ----------------------------------------------------------------------
 */

static void on_output(fer_process *p, fer_str bytes)
{
    rig_server *s = fer_process_owner(p);
    for (size_t i = 0; i < bytes.len && fer_is_digit(bytes.ptr[i]); i++)
        s->port = s->port * 10 + (unsigned)(bytes.ptr[i] - '0');
}

static void on_gone(fer_process *p)
{
    ((rig_server *)fer_process_owner(p))->gone = true;
}

static bool listens(rig *r, void *context)
{
    (void)r;
    return ((rig_server *)context)->port > 0;
}

static bool is_gone(rig *r, void *context)
{
    (void)r;
    return ((rig_server *)context)->gone;
}

void rig_serve_noting(rig *r, rig_server *s, const char *log, const char *kind, const char *how)
{
    static const fer_process_events events = {.on_output = on_output, .on_gone = on_gone};
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const argv[] = {badtool(), "--log", log, "http", kind, how, NULL};
    const char *const quiet[] = {badtool(), "http", kind, how, NULL};
    fer_err err;
    *s = (rig_server){0};
    fer_process_spec spec = {.program = badtool(),
                             .argv = log ? argv : quiet,
                             .env = env,
                             .events = &events,
                             .owner = s};
    if (fer_process_start(r->host, &spec, &s->process, &err)) fail_msg("%s", err.message);
    rig_until(r, listens, s);
}

void rig_serve(rig *r, rig_server *s, const char *kind, const char *how)
{
    rig_serve_noting(r, s, NULL, kind, how);
}

void rig_end_server(rig *r, rig_server *s)
{
    if (!s->gone) fer_process_end(s->process, FER_GRACE_NONE);
    rig_until(r, is_gone, s);
}
