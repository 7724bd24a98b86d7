/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "mcp-http" and "http" with badtool as a server that misbehaves in the ways of F30-F57:
 * what each ends as, how far it had come, and that nothing is left. */
#include <dirent.h>

#include "../mcp/runner_rig.h"
#include "children.h"
#include "http_api.h"

#define OFF     FER_INTERNAL /* this kind of server has no such fault */
#define WAIT_MS 300

static const struct row {
    const char *how;
    fer_code mcp;
    fer_phase mcp_phase;
    fer_code api;
    fer_phase api_phase;
    bool never; /* it does not end by itself, and is given up */
    int64_t retry_after_ms;
} rows[] = {
#define P1 FER_PHASE_NOT_PROCESSED
#define P2 FER_PHASE_AMBIGUOUS
#define P3 FER_PHASE_DEFINITE
    {"ok", FER_OK, P3, FER_OK, P3},
    {"exit", FER_CONNECTION_LOST, P2, FER_CONNECTION_LOST, P2},
    {"segv", FER_CONNECTION_LOST, P2, FER_CONNECTION_LOST, P2},
    {"hang", FER_TIMEOUT, P2, FER_CANCELLED, P2, true},
    {"partial", FER_TIMEOUT, P2, FER_CANCELLED, P2, true},
    {"drip", FER_OK, P3, FER_OK, P3},
    {"drip-forever", FER_TIMEOUT, P2, FER_CANCELLED, P2, true},
    {"garbage", FER_BACKEND_UNAVAILABLE, P2, FER_INVALID_OUTPUT, P3},
    {"pollution", FER_BACKEND_UNAVAILABLE, P2, FER_INVALID_OUTPUT, P3},
    {"bom", FER_OK, P3, FER_OK, P3},
    {"utf16", FER_BACKEND_UNAVAILABLE, P2, FER_INVALID_OUTPUT, P3},
    {"nul", FER_BACKEND_UNAVAILABLE, P2, FER_INVALID_OUTPUT, P3},
    {"two-values", FER_BACKEND_UNAVAILABLE, P2, FER_INVALID_OUTPUT, P3},
    {"pretty", FER_OK, P3, FER_OK, P3},
    {"long", FER_RESOURCE_LIMIT, P2, FER_RESOURCE_LIMIT, P2},
    {"endless", FER_RESOURCE_LIMIT, P2, FER_RESOURCE_LIMIT, P2},
    {"wrong-id", FER_BACKEND_UNAVAILABLE, P2, OFF},
    {"id-type", FER_BACKEND_UNAVAILABLE, P2, OFF},
    {"stream", FER_OK, P3, FER_OK, P3},
    {"twice", FER_OK, P3, FER_OK, P3},
    {"question", FER_OK, P3, OFF},
    {"stream-noise", FER_OK, P3, FER_OK, P3},
    {"progress-flood", FER_OK, P3, OFF},
    {"no-result", FER_INVALID_OUTPUT, P3, FER_OK, P3},
    {"is-error", FER_TOOL_FAILED, P3, FER_TOOL_FAILED, P3},
    {"reset", FER_CONNECTION_LOST, P2, FER_CONNECTION_LOST, P2},
    {"short", FER_CONNECTION_LOST, P2, FER_CONNECTION_LOST, P2},
    {"chunks", FER_CONNECTION_LOST, P2, FER_CONNECTION_LOST, P2},
    {"cut-stream", FER_CONNECTION_LOST, P2, FER_OK, P3},
    {"event-flood", FER_RESOURCE_LIMIT, P2, FER_RESOURCE_LIMIT, P2},
    {"headers", FER_RESOURCE_LIMIT, P2, FER_RESOURCE_LIMIT, P2},
    {"gzip", FER_INVALID_OUTPUT, P2, FER_INVALID_OUTPUT, P2},
    {"informal", FER_RESOURCE_LIMIT, P2, FER_RESOURCE_LIMIT, P2},
    {"redirect", FER_BACKEND_UNAVAILABLE, P1, FER_TOOL_FAILED, P3},
    {"slow-head", FER_TIMEOUT, P2, FER_CANCELLED, P2, true},
    {"429", FER_RATE_LIMITED, P1, FER_RATE_LIMITED, P1, false, 2000},
    {"503", FER_BACKEND_UNAVAILABLE, P1, FER_BACKEND_UNAVAILABLE, P1, false, 1000},
};

/* ---- a call
 * ---------------------------------------------------------------------------------------- */

#define RECORD                                                                                     \
    "{\"name\":\"t\",\"inputSchema\":{},\"backend\":{\"kind\":\"provider\",\"provider\":{"         \
    "\"providerId\":\"p\",\"toolId\":\"t\",\"http\":{\"method\":\"GET\","                          \
    "\"server\":\"http://127.0.0.1:1\",\"path\":\"/x\"}}}}"

static void connect_api(rig *r, unsigned port)
{
    static const fer_str record = {RECORD, sizeof RECORD - 1};
    fer_err err = {0};
    fer_http_api_settings s = {.name = FER_STR("p"),
                               .base_url = fer_arena_printf(r->arena, "http://127.0.0.1:%u", port),
                               .records = &record,
                               .record_count = 1};
    if (fer_http_api_runner(&r->loop, &s, &r->runner, &err)) fail_msg("%s", err.message);
}

static void connect_mcp(rig *r, unsigned port)
{
    fer_str url = fer_arena_printf(r->arena, "http://127.0.0.1:%u/mcp", port);
    r->runner = fer_mcp_http_runner(&r->loop, r->http,
                                    &(fer_mcp_http_settings){.name = FER_STR("h"), .url = url});
    assert_non_null(r->runner);
}

static size_t descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t count = 0;
    while (readdir(d)) count++;
    closedir(d);
    return count;
}

struct patience {
    rig *rig;
    rig_call *call;
    int64_t asked;
};

static void give_up(uv_timer_t *t)
{
    struct patience *p = t->data;
    if (p->call->ended) return;
    p->rig->runner->kind->cancel(p->rig->runner, &p->call->attempt, FER_CANCEL_TIMEOUT);
}

static void on_closed(uv_handle_t *handle)
{
    *(bool *)handle->data = true;
}

static void call_it(rig *r, const struct row *row, fer_code code, fer_phase phase)
{
    rig_call c;
    uv_timer_t timer;
    struct patience patience = {.rig = r, .call = &c};
    rig_call_begin(r, &c, "t", "{}");
    uv_timer_init(&r->loop, &timer);
    timer.data = &patience;
    if (row->never) uv_timer_start(&timer, give_up, WAIT_MS, 0);
    rig_call_wait(r, &c);
    bool closed = false;
    timer.data = &closed;
    uv_close((uv_handle_t *)&timer, on_closed);
    while (!closed) uv_run(&r->loop, UV_RUN_NOWAIT); /* the timer lives here */
    assert_code(&c, code);
    assert_int_equal(c.outcome.phase, phase);
    assert_int_equal(c.outcome.retry_after_ms, row->retry_after_ms);
}

static void finish(rig *r, size_t before)
{
    rig_deinit(r);
    assert_no_children();
    assert_int_equal(descriptors(), before);
}

static void run_mcp(const struct row *row)
{
    rig r;
    rig_server s;
    size_t before = descriptors();
    rig_init(&r);
    rig_serve(&r, &s, "mcp", row->how);
    connect_mcp(&r, s.port);
    call_it(&r, row, row->mcp, row->mcp_phase);
    rig_stop(&r);
    rig_end_server(&r, &s);
    finish(&r, before);
}

static void run_api(const struct row *row)
{
    rig r;
    rig_server s;
    size_t before = descriptors();
    if (row->api == OFF) return;
    rig_init(&r);
    rig_serve(&r, &s, "api", row->how);
    connect_api(&r, s.port);
    call_it(&r, row, row->api, row->api_phase);
    rig_stop(&r);
    rig_end_server(&r, &s);
    finish(&r, before);
}

/* What libraries keep open for good is there before anything is counted. */
static void warm_up(void)
{
    rig r;
    rig_init(&r);
    connect_mcp(&r, 1);
    rig_call c;
    rig_call_do(&r, &c, "t", "{}");
    rig_deinit(&r);
}

/* TLS with what speaks none. */
static void no_tls(void)
{
    rig r;
    rig_server s;
    rig_call c;
    rig_init(&r);
    rig_serve(&r, &s, "mcp", "ok");
    fer_str url = fer_arena_printf(r.arena, "https://127.0.0.1:%u/mcp", s.port);
    r.runner = fer_mcp_http_runner(&r.loop, r.http,
                                   &(fer_mcp_http_settings){.name = FER_STR("h"), .url = url});
    rig_call_do(&r, &c, "t", "{}");
    assert_code(&c, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(c.outcome.phase, FER_PHASE_NOTHING_SENT);
    rig_stop(&r);
    rig_end_server(&r, &s);
    rig_deinit(&r);
}

/* ---- 2024-11-05
 * ------------------------------------------------------------------------------------------- */

/* All answers come on one stream; when it ends, calls are lost, and the next one connects again. */
static void events(void)
{
    rig r;
    rig_server s;
    rig_call c;
    size_t before = descriptors();
    fer_str tools;
    fer_err err;
    rig_init(&r);
    rig_serve(&r, &s, "mcp-sse", "ok");
    connect_mcp(&r, s.port);
    rig_call_do(&r, &c, "t", "{\"n\":12345678901234567890}");
    assert_code(&c, FER_OK);
    assert_str(c.value, "{\"n\":12345678901234567890}");
    assert_int_equal(rig_list(&r, &tools, &err), FER_OK);
    assert_string_equal(rig_status(&r).detail, "2024-11-05, bad 1");
    rig_stop(&r);
    rig_end_server(&r, &s);
    finish(&r, before);
}

static void events_lost(void)
{
    rig r;
    rig_server s;
    rig_call c;
    rig_init(&r);
    rig_serve(&r, &s, "mcp-sse", "cut-stream");
    connect_mcp(&r, s.port);
    for (int i = 0; i < 2; i++) {
        rig_call_do(&r, &c, "t", "{}");
        assert_code(&c, FER_CONNECTION_LOST);
        assert_int_equal(c.outcome.phase, FER_PHASE_AMBIGUOUS);
    }
    assert_int_equal(rig_status(&r).restarts, 1);
    rig_stop(&r);
    rig_end_server(&r, &s);
    rig_deinit(&r);
}

/* An older server of Streamable HTTP, so that all eras are there. */
static void older(void)
{
    rig r;
    rig_server s;
    rig_call c;
    rig_init(&r);
    rig_serve(&r, &s, "mcp-old", "stream");
    connect_mcp(&r, s.port);
    rig_call_do(&r, &c, "t", "{}");
    assert_code(&c, FER_OK);
    assert_string_equal(rig_status(&r).detail, "2025-11-25, bad 1");
    rig_stop(&r);
    rig_end_server(&r, &s);
    rig_deinit(&r);
}

int main(void)
{
    return ROWS_ONE("http_faults", warm_up) + ROWS_RUN("mcp_http_faults", rows, run_mcp) +
           ROWS_RUN("http_api_faults", rows, run_api) + ROWS_ONE("http_faults", no_tls) +
           ROWS_ONE("http_faults", events) + ROWS_ONE("http_faults", events_lost) +
           ROWS_ONE("http_faults", older);
}
