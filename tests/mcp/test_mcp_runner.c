/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has a session of its own with a server, where each tenant has a token (mcp.owners) or each
 * client a server (mcp.seats): as many as there may be, and who goes for another.
 */
#include "mcp_runner.h"

#include "clock.h"
#include "errors.h"
#include "rows.h"
#include "sys.h"

/* ---- a server that never answers, or lets nobody in ------------------------------------------
 */

typedef struct rig {
    uv_loop_t loop;
    fer_runner *runner;
    fer_arena *arena;
    bool refuses;        /* there is no token */
    bool keeps;          /* links stay open until they are told */
    fer_mcp_link *first; /* that was told to close and keeps on */
    size_t links;        /* that are there */
    size_t levels;       /* times that one was told a level */
    bool stopped;
} rig;

typedef struct puppet {
    fer_mcp_link link; /* first */
    rig *rig;
} puppet;

static rig *rig_of(const fer_mcp_link *l)
{
    return ((const puppet *)l)->rig;
}

static fer_code link_permit(fer_mcp_link *l, fer_err *err)
{
    return rig_of(l)->refuses ? fer_fail(err, FER_UNAUTHENTICATED, "there is no token") : FER_OK;
}
static fer_code link_open(fer_mcp_link *l, fer_err *err)
{
    (void)l, (void)err;
    return FER_OK;
}

/* Says yes to whoever connects, as an older server with logs, and nothing else. */
static fer_code link_send(fer_mcp_link *l, const fer_mcp_out *m, fer_err *err)
{
    (void)err;
    if (fer_str_is(m->method, "logging/setLevel")) rig_of(l)->levels++;
    return FER_OK;
}
static void link_close(fer_mcp_link *l, bool hurry)
{
    rig *r = rig_of(l);
    (void)hurry;
    if (r->keeps && !r->first) r->first = l;
    else l->events->closed(l->context, FER_OK, "it was closed");
}
static void link_free(fer_mcp_link *l)
{
    rig_of(l)->links--;
    fer_sys_free(l);
}

static const fer_mcp_link_kind link_kind = {.streams = true,
                                            .permit = link_permit,
                                            .open = link_open,
                                            .send = link_send,
                                            .close = link_close,
                                            .free = link_free};

static fer_mcp_link *make(const void *settings, const fer_token_owner *who)
{
    rig *r = *(rig *const *)settings;
    puppet *p = fer_sys_malloc(sizeof *p);
    (void)who;
    assert_non_null(p);
    *p = (puppet){.link = {.kind = &link_kind}, .rig = r};
    r->links++;
    return &p->link;
}

static const fer_runner_kind kind = {.name = "puppet",
                                     .backend = FER_BACKEND_MCP,
                                     .call = fer_mcp_runner_call,
                                     .cancel = fer_mcp_runner_cancel,
                                     .mcp = fer_mcp_runner_client,
                                     .leave = fer_mcp_runner_leave,
                                     .stop = fer_mcp_runner_stop,
                                     .free = fer_mcp_runner_free};

static void open_rig(rig *r, bool isolate)
{
    static const fer_mcp_times times = {.idle_ms = 600000};
    fer_arena *a = fer_arena_new(0);
    rig **own = fer_arena_alloc(a, sizeof *own);
    *r = (rig){.arena = fer_arena_new(0)};
    *own = r;
    assert_int_equal(uv_loop_init(&r->loop), 0);
    r->runner = fer_mcp_runner_new(a, &r->loop,
                                   &(fer_mcp_runner_spec){.kind = &kind,
                                                          .name = FER_STR("s"),
                                                          .make = make,
                                                          .settings = own,
                                                          .times = &times,
                                                          .care = {.isolate = isolate},
                                                          .share = FER_TOKENS_TENANT});
    assert_non_null(r->runner);
}

static void turn(rig *r)
{
    for (int i = 0; i < 4; i++) uv_run(&r->loop, UV_RUN_NOWAIT);
}

static void on_stopped(fer_runner *runner)
{
    ((rig *)runner->owner)->stopped = true;
}

static void release(rig *r)
{
    fer_mcp_link *l = r->first;
    r->first = NULL;
    r->keeps = false;
    if (l) l->events->closed(l->context, FER_OK, "it was closed");
}

static void close_rig(rig *r)
{
    release(r);
    r->runner->owner = r;
    r->runner->kind->stop(r->runner, on_stopped);
    while (!r->stopped) uv_run(&r->loop, UV_RUN_ONCE);
    r->runner->kind->free(r->runner);
    assert_int_equal(r->links, 0);
    while (uv_run(&r->loop, UV_RUN_NOWAIT)) {
    }
    assert_int_equal(uv_loop_close(&r->loop), 0);
    fer_arena_free(r->arena);
}

/* ---- who asks ---------------------------------------------------------------------------------
 */

typedef struct one_call {
    fer_attempt attempt;
    bool ended;
    fer_code code;
    char why[256];
} one_call;

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    one_call *c = t->call;
    assert_false(c->ended);
    c->ended = true;
    c->code = o->code;
    snprintf(c->why, sizeof c->why, "%.*s", FER_PRI(o->message));
}

/* The n-th tenant, or client, makes a call. */
static void call(rig *r, one_call *c, unsigned n)
{
    fer_call_mcp *by = fer_arena_alloc_zero(r->arena, 1, sizeof *by);
    fer_str name = fer_arena_printf(r->arena, "t%u", n);
    *by = (fer_call_mcp){.session = n + 1, .capabilities = FER_STR("{}")};
    *c = (one_call){.attempt = {.arena = r->arena,
                                .runner = r->runner,
                                .tool = FER_STR("x"),
                                .args_json = FER_STR("{}"),
                                .deadline = fer_clock_mono() + INT64_C(60000000000),
                                .mcp = by,
                                .owner = {.tenant = name, .principal = FER_STR("")},
                                .on_end = on_end}};
    c->attempt.call = c;
    r->runner->kind->call(r->runner, &c->attempt);
}

static void cancel(rig *r, one_call *c)
{
    r->runner->kind->cancel(r->runner, &c->attempt, FER_CANCEL_CLIENT_CANCELLED);
    assert_int_equal(c->code, FER_CANCELLED);
}

static one_call calls[FER_MCP_OWNERS_MAX + 1];

/* All seats are in use: nobody goes. One of them is not any more: it goes. */
static void every_seat_in_use(void)
{
    rig r;
    one_call *more = &calls[FER_MCP_OWNERS_MAX];
    open_rig(&r, false);
    for (unsigned i = 0; i < FER_MCP_OWNERS_MAX; i++) {
        call(&r, &calls[i], i);
        assert_false(calls[i].ended);
    }
    call(&r, more, FER_MCP_OWNERS_MAX);
    assert_true(more->ended);
    assert_int_equal(more->code, FER_CONCURRENCY_LIMITED);
    assert_non_null(strstr(more->why, "mcp.owners"));
    assert_int_equal(r.links, FER_MCP_OWNERS_MAX + 1); /* with the one that all share */
    one_call again;
    call(&r, &again, 17); /* who has one goes on */
    assert_false(again.ended);
    cancel(&r, &again);
    cancel(&r, &calls[3]);
    call(&r, more, FER_MCP_OWNERS_MAX);
    assert_false(more->ended);
    turn(&r);
    assert_int_equal(r.links, FER_MCP_OWNERS_MAX + 1); /* t3 is gone */
    cancel(&r, more);
    for (unsigned i = 0; i < FER_MCP_OWNERS_MAX; i++)
        if (i != 3) cancel(&r, &calls[i]);
    close_rig(&r);
}

/* Any number of tenants without a token hear so, and take nobody's seat. */
static void tenants_without_tokens(void)
{
    rig r;
    one_call with, c;
    open_rig(&r, false);
    call(&r, &with, 0);
    r.refuses = true;
    for (unsigned i = 1; i <= 2 * FER_MCP_OWNERS_MAX + 10; i++) {
        call(&r, &c, i);
        assert_true(c.ended);
        if (c.code != FER_UNAUTHENTICATED) fail_msg("t%u: %s", i, c.why);
        if (i % 500 == 0) turn(&r); /* what was closed is freed by the loop */
    }
    assert_false(with.ended);
    turn(&r);
    assert_true(r.links <= FER_MCP_OWNERS_MAX + 1);
    cancel(&r, &with);
    close_rig(&r);
}

/* Who was asked for last stays; one that is being closed is given to nobody. */
static void who_goes_first(void)
{
    rig r;
    one_call c;
    open_rig(&r, false);
    for (unsigned i = 0; i < FER_MCP_OWNERS_MAX; i++) {
        call(&r, &c, i);
        cancel(&r, &c);
    }
    call(&r, &c, 0);
    cancel(&r, &c);
    fer_asker first = {.owner = {FER_STR("t0"), FER_STR("")}},
              second = {.owner = {FER_STR("t1"), FER_STR("")}};
    const fer_mcp_client *kept = fer_mcp_runner_client(r.runner, &first, FER_STR("")),
                         *goes = fer_mcp_runner_client(r.runner, &second, FER_STR(""));
    call(&r, &c, 0);
    cancel(&r, &c);
    for (unsigned i = 2; i < FER_MCP_OWNERS_MAX; i++) {
        call(&r, &c, i);
        cancel(&r, &c);
    }
    r.keeps = true; /* the server takes its time */
    call(&r, &c, FER_MCP_OWNERS_MAX);
    cancel(&r, &c);
    assert_non_null(r.first);
    assert_ptr_equal(fer_mcp_runner_client(r.runner, &first, FER_STR("")), kept);
    assert_ptr_not_equal(fer_mcp_runner_client(r.runner, &second, FER_STR("")), goes);
    close_rig(&r);
}

/* What is a client's own is never taken for another. */
static void a_server_each(void)
{
    rig r;
    one_call c;
    open_rig(&r, true);
    for (unsigned i = 0; i < FER_MCP_SEATS_MAX; i++) {
        call(&r, &c, i);
        cancel(&r, &c);
    }
    call(&r, &c, FER_MCP_SEATS_MAX);
    assert_int_equal(c.code, FER_CONCURRENCY_LIMITED);
    assert_non_null(strstr(c.why, "mcp.seats"));
    r.keeps = true;
    fer_mcp_runner_leave(r.runner, 1); /* its process takes its time, and is there until then */
    call(&r, &c, FER_MCP_SEATS_MAX);
    assert_int_equal(c.code, FER_CONCURRENCY_LIMITED);
    release(&r);
    turn(&r);
    call(&r, &c, FER_MCP_SEATS_MAX);
    assert_false(c.ended);
    cancel(&r, &c);
    close_rig(&r);
}

int main(void)
{
    return ROWS_ONE("runner", every_seat_in_use) + ROWS_ONE("runner", tenants_without_tokens) +
           ROWS_ONE("runner", who_goes_first) + ROWS_ONE("runner", a_server_each);
}
