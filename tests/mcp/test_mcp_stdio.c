/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "mcp-stdio" with badtool as a server that misbehaves in the ways of F30-F55. */
#include <signal.h>
#include <stdlib.h>

#include "children.h"
#include "runner_rig.h"

#define ARGS    "{\"n\":12345678901234567890,\"s\":\"\\u00e9\"}"
#define TICK_MS 50

static void start(rig *r, const char *how, const char *log, fer_mcp_times times)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const argv[] = {badtool(), "--log", log ? log : "/dev/null", "mcp", how, NULL};
    rig_init(r);
    r->runner = fer_mcp_stdio_runner(
        r->host,
        &(fer_mcp_stdio_settings){
            .name = FER_STR("bad"), .argv = argv, .env = env, .times = times, .grace = {100, 100}});
    assert_non_null(r->runner);
}

static void finish(rig *r)
{
    rig_deinit(r);
    assert_no_children();
    assert_no_marks();
}

/* ---- one call of each ---------------------------------------------------------------------------
 */

#define BACK   "{\"n\":12345678901234567890,\"s\":\"\xC3\xA9\"}"
#define NO_END "the call was given up: Timeout"

static const struct call_row {
    const char *how;
    fer_code code;
    fer_phase phase;
    const char *said; /* the value, or the message */
    unsigned noise;
    bool never; /* it is not answered, and given up */
} call_rows[] = {
    {"ok", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"exit", FER_BACKEND_CRASHED, FER_PHASE_AMBIGUOUS, "the server ended with exit code 3", 0,
     false},
    {"segv", FER_BACKEND_CRASHED, FER_PHASE_AMBIGUOUS, "the server was ended by signal 11", 0,
     false},
    {"exit-zero", FER_BACKEND_CRASHED, FER_PHASE_AMBIGUOUS, "the server ended with exit code 0", 0,
     false},
    {"hang", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 0, true},
    {"partial", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 0, true},
    {"ignore-term", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 0, true},
    {"drip", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"garbage", FER_OK, FER_PHASE_DEFINITE, BACK, 2, false},
    {"garbage-only", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 1, true},
    {"noise", FER_OK, FER_PHASE_DEFINITE, BACK, 3, false},
    {"noise-flood", FER_OK, FER_PHASE_DEFINITE, BACK, 100000, false},
    {"noise-first", FER_OK, FER_PHASE_DEFINITE, BACK, 1, false},
    {"bom", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"utf16", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 1, true},
    {"nul", FER_OK, FER_PHASE_DEFINITE, BACK, 1, false},
    {"two-values", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 1, true},
    {"pretty", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 7, true},
    {"long", FER_OK, FER_PHASE_DEFINITE, BACK, 1, false},
    {"endless", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 0, true},
    {"wrong-id", FER_OK, FER_PHASE_DEFINITE, BACK, 1, false},
    {"wrong-id-only", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 1, true},
    {"id-type", FER_OK, FER_PHASE_DEFINITE, BACK, 1, false},
    {"twice", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"server-request", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"null-id-error", FER_OK, FER_PHASE_DEFINITE, BACK, 1, false},
    {"progress-other", FER_OK, FER_PHASE_DEFINITE, BACK, 2, false},
    {"progress-late", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"stderr", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"no-read", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 0, true},
    {"error-structured", FER_TOOL_FAILED, FER_PHASE_DEFINITE,
     "the tool says that it failed, but not why", 0, false},
    {"no-content", FER_INVALID_OUTPUT, FER_PHASE_DEFINITE,
     "the result has neither content nor structuredContent", 0, false},
    {"no-result", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 1, true},
    {"rpc-error", FER_TOOL_FAILED, FER_PHASE_DEFINITE, "it broke", 0, false},
    {"is-error", FER_TOOL_FAILED, FER_PHASE_DEFINITE, "the tool says no", 0, false},
    {"daemon", FER_OK, FER_PHASE_DEFINITE, BACK, 0, false},
    {"stop", FER_TIMEOUT, FER_PHASE_AMBIGUOUS, NO_END, 0, true},
    {"close-output", FER_CONNECTION_LOST, FER_PHASE_AMBIGUOUS,
     "the server closed its standard output", 0, false},
    {"begin-exit", FER_BACKEND_UNAVAILABLE, FER_PHASE_NOTHING_SENT,
     "the server ended with exit code 7", 0, false},
};

/* What is never answered is given up when all of its noise has come. */
struct patience {
    const struct call_row *row;
    rig *rig;
    rig_call *call;
};

static void give_up(uv_timer_t *t)
{
    const struct patience *p = t->data;
    fer_runner_status s = rig_status(p->rig);
    if (p->call->ended || s.health != FER_HEALTH_UP || s.noise < p->row->noise) return;
    p->rig->runner->kind->cancel(p->rig->runner, &p->call->attempt, FER_CANCEL_TIMEOUT);
}

static void run_call(const struct call_row *row)
{
    rig r;
    rig_call c;
    struct patience patience = {row, &r, &c};
    uv_timer_t timer;
    start(&r, row->how, NULL, (fer_mcp_times){0});
    uv_timer_init(&r.loop, &timer);
    timer.data = &patience;
    rig_call_begin(&r, &c, "echo", ARGS);
    if (row->never) uv_timer_start(&timer, give_up, TICK_MS, TICK_MS);
    rig_call_wait(&r, &c);
    uv_close((uv_handle_t *)&timer, NULL);
    assert_code(&c, row->code);
    assert_int_equal(c.outcome.phase, row->phase);
    assert_str(row->code ? c.outcome.message : c.value, row->said);
    assert_true(rig_status(&r).noise >= row->noise);
    assert_int_equal(rig_status(&r).running, 0);
    finish(&r);
}

/* ---- one list of each
 * ----------------------------------------------------------------------------- */

static const struct list_row {
    const char *how;
    fer_code code;
    const char *said; /* the tools, or the message */
} list_rows[] = {
    {"list-changes", FER_OK,
     "[{\"name\":\"tool1\",\"description\":\"A tool.\",\"inputSchema\":{\"type\":\"object\"}}]"},
    {"list-many", FER_LIMIT_EXCEEDED, "mcp.tools: the server has more than 100000 tools"},
    {"cursor-loop", FER_INVALID_OUTPUT, "the server's cursors go in a circle"},
    {"cursor-cycle", FER_INVALID_OUTPUT, "the server's cursors go in a circle"},
    {"list-hang", FER_TIMEOUT, "the list of tools took too long"},
    {"list-garbage", FER_OK, "[1,null,{\"name\":3}]"},
    {"begin-hang", FER_BACKEND_UNAVAILABLE, "the server did not answer in time"},
};

static void run_list(const struct list_row *row)
{
    rig r;
    fer_str tools;
    fer_err err;
    bool hangs = strstr(row->how, "hang") != NULL;
    fer_mcp_times times = {.probe_ms = 100, .start_ms = hangs ? 1000 : 0};
    if (row->code == FER_TIMEOUT) times.list_ms = 2000;
    start(&r, row->how, NULL, times);
    assert_int_equal(rig_list(&r, &tools, &err), row->code);
    assert_str(row->code ? fer_str_of(err.message) : tools, row->said);
    finish(&r);
}

/* ---- more than one
 * ------------------------------------------------------------------------------------ */

/* It is started by its first use, and says what it is. */
static void lazily(void)
{
    rig r;
    rig_call c;
    start(&r, "ok", NULL, (fer_mcp_times){0});
    assert_int_equal(rig_status(&r).health, FER_HEALTH_IDLE);
    assert_int_equal(rig_status(&r).pid, 0);
    rig_call_do(&r, &c, "echo", ARGS);
    assert_int_equal(rig_status(&r).health, FER_HEALTH_UP);
    assert_true(rig_status(&r).pid > 0);
    assert_string_equal(rig_status(&r).detail, "2025-11-25, badtool 1.0.0");
    assert_str(c.outcome.mcp_result, "{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],"
                                     "\"structuredContent\":" BACK ",\"isError\":false}");
    finish(&r);
}

static void on_changed(fer_runner *runner, const fer_token_owner *owner)
{
    assert_true(fer_token_owner_is_nobody(owner));
    ((rig *)runner->owner)->changes++;
}

static void changing(void)
{
    rig r;
    rig_call c;
    start(&r, "list-changed", NULL, (fer_mcp_times){0});
    r.runner->owner = &r;
    r.runner->changed = on_changed;
    rig_call_do(&r, &c, "echo", ARGS);
    rig_call_do(&r, &c, "echo", ARGS);
    assert_int_equal(r.changes, 1);
    finish(&r);
}

static bool was_told(rig *r, void *context)
{
    (void)r;
    return noted_at(context, "cancelled") != 0;
}

/* A call that is given up ends at once; the server is told, by the ID that it knows. */
static const struct cancel_row {
    const char *name;
    fer_cancel reason;
    fer_code code;
} cancel_rows[] = {{"the caller", FER_CANCEL_CLIENT_CANCELLED, FER_CANCELLED},
                   {"the caller has gone", FER_CANCEL_CLIENT_CLOSED, FER_CANCELLED},
                   {"the time of the attempt", FER_CANCEL_TIMEOUT, FER_TIMEOUT},
                   {"the deadline", FER_CANCEL_DEADLINE, FER_DEADLINE_EXCEEDED}};

static void run_cancel(const struct cancel_row *row)
{
    char log[PATH_MAX], line[1024] = "";
    rig r;
    rig_call first, slow;
    snprintf(log, sizeof log, "%s", path_of(row->name));
    start(&r, "ok", log, (fer_mcp_times){0});
    rig_call_do(&r, &first, "echo", ARGS);
    rig_call_begin(&r, &slow, "slow", "{}");
    r.runner->kind->cancel(r.runner, &slow.attempt, row->reason);
    assert_true(slow.ended);
    assert_code(&slow, row->code);
    assert_int_equal(slow.outcome.phase, FER_PHASE_AMBIGUOUS);
    rig_until(&r, was_told, log);
    FILE *f = fopen(log, "r");
    while (fgets(line, sizeof line, f) && !strstr(line, " cancelled ")) continue;
    fclose(f);
    assert_non_null(strstr(line, "\"requestId\":4,"));
    finish(&r);
}

/* One that hangs does not hold up others, and ends when the runner is stopped. */
static void hanging(void)
{
    rig r;
    rig_call slow, good;
    start(&r, "ok", NULL, (fer_mcp_times){0});
    rig_call_begin(&r, &slow, "slow", "{}");
    rig_call_do(&r, &good, "echo", ARGS);
    assert_code(&good, FER_OK);
    assert_false(slow.ended);
    rig_stop(&r);
    assert_true(slow.ended);
    assert_code(&slow, FER_CANCELLED);
    finish(&r);
}

/* F45: a million news become a few, and the last is told. */
static void flooding(void)
{
    rig r;
    rig_call c;
    start(&r, "progress-flood", NULL, (fer_mcp_times){0});
    rig_call_do(&r, &c, "echo", ARGS);
    assert_code(&c, FER_OK);
    assert_true(c.news >= 2 && c.news < 2000);
    assert_string_equal(c.last_news, "{\"progress\":999999,\"total\":1000000}");
    assert_true(fer_arena_used(r.arena) < (1 << 20));
    finish(&r);
}

/* kill -9 from outside, in the middle of a call; the next call starts it again at once. */
static void killed(void)
{
    rig r;
    rig_call first, slow, again;
    start(&r, "ok", NULL, (fer_mcp_times){0});
    rig_call_do(&r, &first, "echo", ARGS);
    int pid = rig_status(&r).pid;
    rig_call_begin(&r, &slow, "slow", "{}");
    assert_int_equal(kill(pid, SIGKILL), 0);
    rig_call_wait(&r, &slow);
    assert_code(&slow, FER_BACKEND_CRASHED);
    assert_str(slow.outcome.message, "the server was ended by signal 9");
    assert_int_equal(rig_status(&r).health, FER_HEALTH_DOWN);
    rig_call_do(&r, &again, "echo", ARGS);
    assert_code(&again, FER_OK);
    assert_int_equal(rig_status(&r).restarts, 1);
    assert_true(rig_status(&r).pid > 0 && rig_status(&r).pid != pid);
    finish(&r);
}

/* The second crash in a row: a pause, within which calls fail and say how long it is. */
static void pausing(void)
{
    rig r;
    rig_call c;
    start(&r, "exit", NULL, (fer_mcp_times){0});
    rig_call_do(&r, &c, "echo", ARGS);
    rig_call_do(&r, &c, "echo", ARGS);
    assert_code(&c, FER_BACKEND_CRASHED);
    rig_call_do(&r, &c, "echo", ARGS);
    assert_code(&c, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(c.outcome.phase, FER_PHASE_NOTHING_SENT);
    assert_true(c.outcome.retry_after_ms > 0 && c.outcome.retry_after_ms <= FER_MCP_PAUSE_MS);
    assert_string_equal(rig_status(&r).detail, "the server ended with exit code 3");
    finish(&r);
}

/* F47: what is not read does not pile up without end: the last of these is refused, and not sent.
 */
static void not_reading(void)
{
    static rig_call calls[16];
    rig r;
    rig_call stuck;
    size_t size = (size_t)1 << 20;
    char *args = malloc(size + 1);
    assert_non_null(args);
    memset(args, ' ', size);
    memcpy(args, "{}", 2);
    args[size] = '\0';
    start(&r, "no-read", NULL, (fer_mcp_times){0});
    rig_call_begin(&r, &stuck, "echo", ARGS);
    for (size_t i = 0; i < FER_COUNT(calls); i++) rig_call_begin(&r, &calls[i], "echo", args);
    rig_call *last = &calls[FER_COUNT(calls) - 1];
    rig_call_wait(&r, last);
    assert_code(last, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(last->outcome.phase, FER_PHASE_NOTHING_SENT);
    finish(&r);
    free(args);
}

static void absent(void)
{
    static const char *const argv[] = {"no-such-program-anywhere", NULL};
    rig r;
    rig_call c;
    rig_init(&r);
    r.runner =
        fer_mcp_stdio_runner(r.host, &(fer_mcp_stdio_settings){.name = FER_STR("x"), .argv = argv});
    rig_call_do(&r, &c, "echo", ARGS);
    assert_code(&c, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(c.outcome.phase, FER_PHASE_NOTHING_SENT);
    finish(&r);
}

int main(void)
{
    strcpy(root, "/tmp/ferrule-mcp-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_RUN("mcp_stdio.call", call_rows, run_call) +
                 ROWS_RUN("mcp_stdio.list", list_rows, run_list) +
                 ROWS_RUN("mcp_stdio.cancel", cancel_rows, run_cancel) +
                 ROWS_ONE("mcp_stdio", lazily) + ROWS_ONE("mcp_stdio", changing) +
                 ROWS_ONE("mcp_stdio", hanging) + ROWS_ONE("mcp_stdio", flooding) +
                 ROWS_ONE("mcp_stdio", killed) + ROWS_ONE("mcp_stdio", pausing) +
                 ROWS_ONE("mcp_stdio", not_reading) + ROWS_ONE("mcp_stdio", absent);
    drop(root);
    return failed;
}
