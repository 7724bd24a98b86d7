/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of code, over a runtime that plays what a row says: what each line leads to, what bounds
 * hold, and how a run ends. The rows run again with allocations failing.
 */
#include "code.h"
#include "errors.h"
#include "gateway_rig.h"
#include "rows.h"
#include "sys.h"

/* ---- a runtime that plays lines ---------------------------------------------------------------
 */

typedef struct player {
    fer_runtime runtime; /* first */
    const char *const *lines;
    const fer_job_end *end; /* NULL: by `done` alone, or not at all */
    fer_job *job;
    char said[4096]; /* to the program */
    size_t said_len, cancels, begins, stops, frees;
} player;

static void play(fer_runtime *rt, fer_job *j)
{
    player *p = (player *)rt;
    p->job = j;
    for (size_t i = 0; p->lines[i] && !j->ended; i++) {
        fer_str line = fer_str_of(p->lines[i]);
        if (fer_str_starts(line, "> "))
            j->events->print(j, FER_PRINTED_OUT, fer_str_slice(line, 2, line.len));
        else j->events->line(j, line);
    }
    if (p->end && !j->ended) fer_job_finish(j, p->end);
}

static void give_up(fer_runtime *rt, fer_job *j)
{
    ((player *)rt)->cancels++;
    fer_job_fail(j, FER_CANCELLED, "given up");
}

static void hear(fer_runtime *rt, fer_job *j, fer_str line)
{
    player *p = (player *)rt;
    (void)j;
    int n = snprintf(p->said + p->said_len, sizeof p->said - p->said_len, "%.*s\n", FER_PRI(line));
    if ((size_t)n < sizeof p->said - p->said_len) p->said_len += (size_t)n;
}

static void begin(fer_runtime *rt)
{
    ((player *)rt)->begins++;
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    ((player *)rt)->stops++;
    rt->on_stopped = done;
    fer_runtime_stopped(rt);
}

static void leave(fer_runtime *rt)
{
    ((player *)rt)->frees++;
}

static const fer_runtime_kind kind = {.name = "player",
                                      .readiness = FER_READY_BETA,
                                      .one_channel = true,
                                      .begin = begin,
                                      .run = play,
                                      .cancel = give_up,
                                      .say = hear,
                                      .stop = stop,
                                      .free = leave};

/* ---- rows -------------------------------------------------------------------------------------
 */

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define DONE       "{\"op\":\"done\"}"

static const fer_job_end exited = {.hit = FER_BOUNDS};
static const fer_job_end crashed = {
    .code = FER_TOOL_FAILED, .message = FER_STR("exit code 3"), .hit = FER_BOUNDS, .exit_code = 3};
static const fer_job_end met = {
    .code = FER_RESOURCE_LIMIT, .message = FER_STR("memory"), .hit = FER_BOUND_MEMORY};

static const struct row {
    const char *name;
    const char *args;
    const char *const *lines;
    const fer_job_end *end;
    fer_code code;
    const char *has;  /* in the result, or in the details or message of the failure */
    const char *said; /* to the program; NULL: whatever */
} rows[] = {
    {"a value", "{\"code\":\"x\"}", LINES("{\"op\":\"out\",\"value\":[1, 2.50]}", DONE), NULL,
     FER_OK, "{\"value\":[1, 2.50],\"stdout\":\"\"", ""},
    {"the last value counts", "{\"code\":\"x\"}",
     LINES("{\"op\":\"out\",\"value\":1}", "{\"op\":\"out\",\"value\":2}", DONE), NULL, FER_OK,
     "{\"value\":2,", ""},
    {"no value", "{\"code\":\"x\"}", LINES(DONE), NULL, FER_OK, "{\"value\":null,", ""},
    {"its end without done", "{\"code\":\"x\"}", LINES("> hello"), &exited, FER_OK,
     "\"stdout\":\"hello\"", ""},
    {"printed by a line", "{\"code\":\"x\"}",
     LINES("{\"op\":\"print\",\"text\":\"a\",\"stream\":\"stderr\"}", DONE), NULL, FER_OK,
     "\"stderr\":\"a\"", ""},
    {"a call", "{\"code\":\"x\"}",
     LINES("{\"id\":1,\"op\":\"run\",\"tool\":\"s:echo\",\"args\":{\"a\":1}}", DONE), NULL, FER_OK,
     "\"tool\":\"s:echo\"", "{\"id\":1,\"result\":{\"a\":1}}\n"},
    {"a call that fails", "{\"code\":\"x\"}",
     LINES("{\"id\":1,\"op\":\"run\",\"tool\":\"s:no\"}", DONE), NULL, FER_OK,
     "\"code\":\"ToolFailed\"", NULL},
    {"no such tool", "{\"code\":\"x\"}",
     LINES("{\"id\":1,\"op\":\"run\",\"tool\":\"s:none\"}", DONE), NULL, FER_OK,
     "\"code\":\"ToolNotFound\"", NULL},
    {"a call that goes on is cancelled", "{\"code\":\"x\"}",
     LINES("{\"id\":1,\"op\":\"run\",\"tool\":\"s:hang\"}", DONE), NULL, FER_OK,
     "\"status\":\"Error\"", ""},
    {"a chain", "{\"code\":\"x\"}",
     LINES("{\"id\":\"c\",\"op\":\"chain\",\"steps\":[{\"toolId\":\"s:echo\",\"args\":{\"b\":2}}]}",
           DONE),
     NULL, FER_OK, "\"status\":\"Ok\"", "{\"id\":\"c\",\"result\":{\"b\":2}}\n"},
    {"a chain that is none", "{\"code\":\"x\"}",
     LINES("{\"id\":1,\"op\":\"chain\",\"steps\":[{}]}", DONE), NULL, FER_OK, "\"toolCalls\":[]",
     NULL},
    {"namespaces", "{\"code\":\"x\"}", LINES("{\"id\":1,\"op\":\"namespaces\"}", DONE), NULL,
     FER_OK, "\"value\":null", NULL},
    {"code runs no code", "{\"code\":\"x\"}",
     LINES("{\"id\":1,\"op\":\"run\",\"tool\":\"code:execute\",\"args\":{\"code\":\"1\"}}", DONE),
     NULL, FER_OK, "\"code\":\"Forbidden\"", NULL},
    {"too many calls", "{\"code\":\"x\",\"limits\":{\"toolCalls\":1}}",
     LINES("{\"id\":1,\"op\":\"run\",\"tool\":\"s:echo\"}",
           "{\"id\":2,\"op\":\"run\",\"tool\":\"s:echo\"}", DONE),
     NULL, FER_OK, "\"toolCalls\":{\"limit\":1,", NULL},
    {"a limit cannot be raised", "{\"code\":\"x\",\"limits\":{\"toolCalls\":100000}}", LINES(DONE),
     NULL, FER_OK, "\"toolCalls\":{\"limit\":100,\"enforced\":true,\"by\":\"gateway\"}", ""},
    {"what nobody holds is said", "{\"code\":\"x\"}", LINES(DONE), NULL, FER_OK,
     "\"memoryBytes\":{\"limit\":536870912,\"enforced\":false}", ""},
    {"a value at its limit", "{\"code\":\"x\",\"limits\":{\"valueBytes\":4}}",
     LINES("{\"op\":\"out\",\"value\":1234}", DONE), NULL, FER_OK, "{\"value\":1234,", ""},
    {"a value past it", "{\"code\":\"x\",\"limits\":{\"valueBytes\":4}}",
     LINES("{\"op\":\"out\",\"value\":12345}", DONE), NULL, FER_RESOURCE_LIMIT, "\"hit\":true", ""},
    {"output at its limit", "{\"code\":\"x\",\"limits\":{\"outputBytes\":3}}", LINES("> abc", DONE),
     NULL, FER_OK, "\"outputBytes\":{\"limit\":3,\"enforced\":true,\"by\":\"gateway\"}", ""},
    {"output past it", "{\"code\":\"x\",\"limits\":{\"outputBytes\":3}}", LINES("> abcd", DONE),
     NULL, FER_OK, "\"stdout\":\"abc\"", ""},
    {"a failure as it was told", "{\"code\":\"x\"}",
     LINES(
         "{\"op\":\"fail\",\"error\":{\"name\":\"E\",\"message\":\"m\",\"line\":3,\"column\":4}}"),
     NULL, FER_TOOL_FAILED, "E: m (line 3, column 4)", ""},
    {"a limit as it was told", "{\"code\":\"x\"}",
     LINES("{\"op\":\"fail\",\"error\":{\"message\":\"m\",\"limit\":\"cpuMs\"}}"), NULL,
     FER_RESOURCE_LIMIT, "\"cpuMs\":{\"limit\":10000,\"enforced\":false,\"hit\":true}", ""},
    {"an exit code", "{\"code\":\"x\"}", LINES("> out"), &crashed, FER_TOOL_FAILED, "exit code 3",
     ""},
    {"a limit of the sandbox", "{\"code\":\"x\"}", LINES("> out"), &met, FER_RESOURCE_LIMIT,
     "\"hit\":true", ""},
    {"a request that is none", "{\"code\":\"x\"}", LINES("{\"id\":1,\"op\":\"fly\"}", DONE), NULL,
     FER_OK, "\"value\":null", NULL},
    {"a line that is none", "{\"code\":\"x\"}", LINES("hello", DONE), NULL, FER_TOOL_FAILED,
     "a line that cannot be read", ""},
    {"a check", "{\"code\":\"x\",\"check\":true}",
     LINES(
         "{\"op\":\"uses\",\"tools\":[{\"tool\":\"s:echo\",\"line\":1,\"column\":2},{\"tool\":\"s:none\"},"
         "{\"tool\":null,\"line\":3}]}",
         DONE),
     NULL, FER_OK,
     "{\"value\":{\"tools\":[{\"tool\":\"s:echo\",\"line\":1,\"column\":2,\"found\":true},{\"tool\":\"s:none\","
     "\"line\":0,\"column\":0,\"found\":false},{\"tool\":null,\"line\":3,\"column\":0}]}",
     ""},
    {"another runtime", "{\"code\":\"x\",\"runtime\":\"cobol\"}", LINES(DONE), NULL,
     FER_INVALID_ENUM_VALUE, "runtime", ""},
    {"no code", "{}", LINES(DONE), NULL, FER_REQUIRED_MISSING, "code", ""},
};

typedef struct scene {
    rig rig;
    player player;
    bool over;
    fer_code code;
    char text[16384];
} scene;

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    scene *s = context;
    (void)c;
    s->over = true;
    s->code = e->error.code;
    snprintf(s->text, sizeof s->text, "%.*s %.*s %.*s", FER_PRI(e->structured),
             FER_PRI(e->error.message), FER_PRI(e->error.details));
}

static fer_code make(scene *s, const struct row *row)
{
    fer_err err = {0};
    fer_code code = rig_make(&s->rig, &(fer_gateway_options){0});
    if (code) return code;
    s->player = (player){.runtime = {.kind = &kind,
                                     .name = FER_STR("player"),
                                     .language = FER_STR(""),
                                     .loop = fer_gateway_loop(s->rig.gateway)},
                         .lines = row->lines,
                         .end = row->end};
    fer_runtime *list[] = {&s->player.runtime};
    fer_code_options o = {.runtimes = list, .runtime_count = 1};
    return fer_gateway_add_code(s->rig.gateway, &o, &err);
}

static fer_code attempt(fer_arena *unused, const void *given)
{
    const struct row *row = given;
    static scene s;
    fer_err err = {0};
    (void)unused;
    memset(&s, 0, sizeof s);
    fer_code code = make(&s, row);
    if (!code)
        code = fer_gateway_call(s.rig.gateway, FER_STR(FER_CODE_TOOL), fer_str_of(row->args), NULL,
                                on_done, &s, NULL, &err);
    while (!code && !s.over) uv_run(fer_gateway_loop(s.rig.gateway), UV_RUN_ONCE);
    rig_free(&s.rig);
    /* What has begun is stopped before it is freed, whatever fails. */
    assert_int_equal(s.player.frees, s.player.runtime.kind ? 1 : 0);
    assert_int_equal(s.player.stops, s.player.begins);
    if (code) return code;
    bool starved = s.code == FER_OUT_OF_MEMORY || strstr(s.text, "OutOfMemory") ||
                   strstr(s.text, "out of memory");
    if (starved) return FER_OUT_OF_MEMORY;
    if (s.code != row->code || !strstr(s.text, row->has)) {
        if (fer_faults_injected()) return FER_OUT_OF_MEMORY;
        print_message("%d %s\n", (int)s.code, s.text);
    }
    assert_int_equal(s.code, row->code);
    assert_non_null(strstr(s.text, row->has));
    if (row->said && !fer_faults_injected()) assert_string_equal(s.player.said, row->said);
    return FER_OK;
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
}

static void run_torture(const struct row *row)
{
    rows_torture_malloc(attempt, row);
}

int main(void)
{
    return ROWS_RUN("code", rows, run) + ROWS_RUN("code, no memory", rows, run_torture);
}
