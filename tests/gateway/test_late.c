/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that come after their call was given up, one row for each way to run a tool: each is
 * noted once (ledger, log, metrics) and never given to anybody; and how many are waited for.
 */
#include <ferrule/gateway.h>
#include <semaphore.h>

#include "../mcp/runner_rig.h"
#include "builtin.h"
#include "call_log.h"
#include "children.h"
#include "gateway_parts.h"
#include "http_api.h"
#include "local_command.h"

/* ---- a gateway around a runner of any kind ------------------------------------------------------
 */

static struct {
    char text[1 << 16];
    size_t len;
} book;

static fer_code book_append(void *context, const fer_ledger_record *r, fer_ledger_done *done,
                            void *whom, fer_err *err)
{
    (void)context, (void)err;
    int n = snprintf(book.text + book.len, sizeof book.text - book.len, "%s %.*s\n",
                     fer_ledger_type_names[r->type], FER_PRI(r->body));
    if ((size_t)n < sizeof book.text - book.len) book.len += (size_t)n; /* what fits */
    if (done) done(whom, FER_OK, 1);
    return FER_OK;
}

typedef struct scene {
    rig rig; /* its loop, processes and HTTP */
    rig_server server;
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_local_command commands[2];
    size_t lates;
    fer_late_report last; /* its numbers; texts are gone */
    fer_str log;          /* its lines */
} scene;

static void on_late(void *context, const fer_late_report *r)
{
    scene *s = context;
    char name[] = "/tmp/ferrule-late-XXXXXX";
    fer_log log = {.fd = mkstemp(name), .level = FER_LOG_INFO};
    static char line[FER_LOG_MAX_LINE];
    s->lates++;
    s->last = *r;
    fer_call_log_late(&log, r);
    ssize_t n = pread(log.fd, line, sizeof line, 0);
    assert_true(n > 0);
    s->log = (fer_str){line, (size_t)n};
    close(log.fd);
    unlink(name);
}

static const char *note_file(void)
{
    return path_of("late.log");
}

static void put_tools(scene *s, fer_backend_kind kind)
{
    static const char tools[] = "[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}},"
                                "{\"name\":\"slow\",\"inputSchema\":{\"type\":\"object\"}}]";
    fer_backend place = {kind, FER_STR("s"), FER_STR("")};
    fer_put_options put = {.ns = FER_STR("s"), .backend = &place};
    fer_batch *b = fer_batch_new();
    fer_err err = {0};
    fer_code code =
        fer_batch_add(b, FER_STR("s.json"), fer_str_of(tools), FER_FORMAT_JSON, &put, &err);
    if (!code) code = fer_catalog_apply(s->catalog, b, &err);
    if (code) fail_msg("%s", err.message);
    fer_batch_free(b);
}

static void open_scene(scene *s)
{
    fer_err err = {0};
    *s = (scene){0};
    memset(&book, 0, sizeof book);
    unlink(note_file());
    rig_init(&s->rig);
    fer_gateway_options o = {.loop = &s->rig.loop,
                             .policies = FER_STR("{\"backends\":{\"s\":{\"concurrency\":2000}},"
                                                 "\"tenants\":{\"*\":{\"concurrency\":2000}}}"),
                             .calls_max = 5000};
    assert_int_equal(fer_catalog_new(NULL, &s->catalog, &err), FER_OK);
    o.catalog = s->catalog;
    if (fer_gateway_new(&o, &s->gateway, &err)) fail_msg("%s", err.message);
    fer_keeper k = s->gateway->keeper;
    k.append = book_append;
    fer_gateway_keep(s->gateway, &k);
    assert_int_equal(fer_gateway_observe_late(s->gateway, on_late, s, &err), FER_OK);
}

static void take(scene *s, fer_runner *r)
{
    fer_err err = {0};
    assert_non_null(r);
    if (fer_gateway_add_runner(s->gateway, r, &err)) fail_msg("%s", err.message);
    put_tools(s, r->kind->backend);
}

static void close_scene(scene *s)
{
    fer_gateway_stop(s->gateway);
    if (s->server.process) rig_end_server(&s->rig, &s->server);
    fer_gateway_free(s->gateway);
    fer_catalog_free(s->catalog);
    rig_deinit(&s->rig);
    assert_no_children();
    unlink(note_file());
}

/* ---- the kinds ---------------------------------------------------------------------------------
 */

static sem_t begun, go_on;

static fer_code be_slow(void *context, fer_arena *a, const void *args, fer_str *result,
                        fer_err *err)
{
    (void)context, (void)a, (void)args, (void)err;
    sem_post(&begun);
    sem_wait(&go_on);
    *result = FER_STR("{\"late\":true}");
    return FER_OK;
}

static fer_code be_quick(void *context, fer_arena *a, const void *args, fer_str *result,
                         fer_err *err)
{
    (void)context, (void)a, (void)args, (void)err;
    *result = FER_STR("{\"ok\":true}");
    return FER_OK;
}

static void make_builtin(scene *s, const char *how)
{
    static const fer_builtin functions[] = {
        {.ns = "s", .name = "slow", .run = be_slow, .blocks = true},
        {.ns = "s", .name = "t", .run = be_quick}};
    fer_runner *r = fer_builtin_runner(&s->rig.loop, FER_STR("s"));
    (void)how;
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(fer_builtin_add(r, &functions[i], NULL), FER_OK);
    take(s, r);
}

static void add_command(scene *s, fer_runner *r, size_t at, const char *name, const char *argv)
{
    fer_err err = {0};
    fer_json *doc;
    fer_str text = fer_arena_printf(
        s->rig.arena, "{\"name\":\"%s\",\"stdout\":\"json\",\"argv\":[\"%s\",\"--log\",\"%s\",%s]}",
        name, badtool(), note_file(), argv);
    assert_int_equal(fer_json_read(s->rig.arena, text, NULL, &doc, NULL), FER_OK);
    fer_code code = fer_local_command_read(s->rig.arena, doc, fer_json_root(doc), FER_STR(""),
                                           &s->commands[at], &err);
    if (!code) code = fer_local_command_add(r, &s->commands[at], FER_STR("/usr/bin:/bin"), &err);
    if (code) fail_msg("%.*s: %s", FER_PRI(text), err.message);
}

static void make_command(scene *s, const char *how)
{
    fer_runner *r = fer_local_command_runner(s->rig.host, FER_STR("s"));
    add_command(s, r, 0, "slow", how);
    add_command(s, r, 1, "t", "\"print\",\"{{\\\"ok\\\":true}}\"");
    take(s, r);
}

static void make_mcp_stdio(scene *s, const char *how)
{
    const char *argv[] = {badtool(), "--log", note_file(), "mcp", how, NULL};
    take(s, fer_mcp_stdio_runner(s->rig.host,
                                 &(fer_mcp_stdio_settings){.name = FER_STR("s"), .argv = argv}));
}

static void make_mcp_http(scene *s, const char *how)
{
    rig_serve_noting(&s->rig, &s->server, note_file(), how, "late");
    fer_str url = fer_arena_printf(s->rig.arena, "http://127.0.0.1:%u/mcp", s->server.port);
    take(s, fer_mcp_http_runner(&s->rig.loop, s->rig.http,
                                &(fer_mcp_http_settings){.name = FER_STR("s"), .url = url}));
}

#define RECORD(name, path)                                                                         \
    FER_STR("{\"name\":\"" name "\",\"inputSchema\":{},\"backend\":{\"kind\":\"provider\","        \
            "\"provider\":{\"providerId\":\"s\",\"toolId\":\"" name "\",\"http\":{\"method\":"     \
            "\"GET\",\"server\":\"http://127.0.0.1:1\",\"path\":\"" path "\"}}}}")

static void make_api(scene *s, const char *how)
{
    const fer_str records[] = {RECORD("t", "/x"), RECORD("slow", "/slow")};
    fer_err err = {0};
    fer_runner *r = NULL;
    (void)how;
    rig_serve_noting(&s->rig, &s->server, note_file(), "api", "late");
    fer_http_api_settings settings = {
        .name = FER_STR("s"),
        .base_url = fer_arena_printf(s->rig.arena, "http://127.0.0.1:%u", s->server.port),
        .records = records,
        .record_count = 2};
    if (fer_http_api_runner(&s->rig.loop, &settings, &r, &err)) fail_msg("%s", err.message);
    take(s, r);
}

/* ---- one call that is given up, and one after it ------------------------------------------------
 */

static const struct row {
    const char *name;
    void (*make)(scene *s, const char *how);
    const char *how;
    fer_cancel reason;
    bool late;
    fer_code code;
    size_t size; /* of the answer; 0: any */
} rows[] = {
    {"a function of this process", make_builtin, "", FER_CANCEL_DEADLINE, true, FER_OK, 13},
    {"a function, cancelled", make_builtin, "", FER_CANCEL_CLIENT_CANCELLED, true, FER_OK, 13},
    {"a command that prints and ends well", make_command, "\"late\",\"{{\\\"late\\\":true}}\"",
     FER_CANCEL_DEADLINE, true, FER_OK, 13},
    {"a command that ends well without a word", make_command, "\"late\",\"\"",
     FER_CANCEL_CLIENT_CANCELLED, true, FER_OK, 0},
    {"a command that is ended", make_command, "\"hang\"", FER_CANCEL_DEADLINE, false, FER_OK, 0},
    {"F44 MCP over stdio", make_mcp_stdio, "late", FER_CANCEL_DEADLINE, true, FER_OK, 0},
    {"F44 MCP over stdio, cancelled", make_mcp_stdio, "late", FER_CANCEL_CLIENT_CANCELLED, true,
     FER_OK, 0},
    {"F44 MCP over HTTP and a stream of events", make_mcp_http, "mcp-sse", FER_CANCEL_DEADLINE,
     true, FER_OK, 0},
    /* The connection is closed: there is nothing to hear, and it is never used again. */
    {"F44 MCP over HTTP", make_mcp_http, "mcp", FER_CANCEL_DEADLINE, false, FER_OK, 0},
    {"F44 MCP over HTTP, 2025-11-25", make_mcp_http, "mcp-old", FER_CANCEL_DEADLINE, false, FER_OK,
     0},
    {"an HTTP API", make_api, "", FER_CANCEL_DEADLINE, false, FER_OK, 0},
};

typedef struct ending {
    unsigned count;
    fer_code code;
    char value[64];
} ending;

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    ending *end = context;
    (void)c;
    end->count++;
    end->code = e->error.code;
    snprintf(end->value, sizeof end->value, "%.*s", FER_PRI(e->structured));
}

static bool it_waits(rig *r, void *context)
{
    (void)r, (void)context;
    return noted_at(note_file(), "waits") || noted_at(note_file(), "hang") ||
           sem_trywait(&begun) == 0;
}

static bool has_ended(rig *r, void *context)
{
    (void)r;
    return ((ending *)context)->count > 0;
}

static bool has_come(rig *r, void *context)
{
    (void)r;
    return *(size_t *)context > 0;
}

static void check_noted(scene *s, const struct row *row)
{
    static const char *const has[] = {"\"late\":true", "\"attempt\":1", "\"digest\":\"",
                                      "\"tool\":\"s:slow\"", "\"correlationId\":\"A\""};
    const char *record = strstr(book.text, "\nlate {");
    fer_arena *a = s->rig.arena;
    fer_str metrics;
    assert_non_null(record);
    assert_null(strstr(record + 1, "\nlate {"));
    for (size_t i = 0; i < FER_COUNT(has); i++)
        if (!strstr(record, has[i])) fail_msg("%s is not in %s", has[i], record);
    assert_null(strstr(record, "\"late\":true}")); /* nothing of the answer itself */
    assert_int_equal(s->last.code, row->code);
    assert_string_equal(s->last.cancelled, fer_cancel_names[row->reason]);
    if (row->size) assert_int_equal(s->last.size, row->size);
    assert_int_equal(fer_gateway_metrics(a, s->gateway, &metrics, NULL), FER_OK);
    metrics = fer_arena_copy(a, metrics);
    assert_non_null(strstr(metrics.ptr,
                           "tool_late_results_total{tool=\"s:slow\",origin=\"library\","
                           "code=\"Ok\"} 1\n"));
    assert_non_null(strstr(s->log.ptr, "\"event\":\"tool.late\""));
}

static void run(const struct row *row)
{
    scene s;
    ending a = {0}, b = {0};
    fer_call *call = NULL;
    fer_err err = {0};
    open_scene(&s);
    row->make(&s, row->how);
    fer_call_options o = {.correlation_id = FER_STR("A")};
    assert_int_equal(
        fer_gateway_call(s.gateway, FER_STR("s:slow"), FER_STR("{}"), &o, on_done, &a, &call, &err),
        FER_OK);
    rig_until(&s.rig, it_waits, NULL);
    if (a.count) fail_msg("it ended before: %s", fer_code_info(a.code)->name);
    fer_call_stop(call, row->reason);
    rig_until(&s.rig, has_ended, &a);
    assert_int_equal(a.code, FER_OUTCOME_UNKNOWN);
    sem_post(&go_on);
    if (row->late) rig_until(&s.rig, has_come, &s.lates);
    assert_int_equal(fer_gateway_call(s.gateway, FER_STR("s:t"), FER_STR("{\"ok\":true}"), NULL,
                                      on_done, &b, NULL, &err),
                     FER_OK);
    rig_until(&s.rig, has_ended, &b);
    assert_int_equal(b.code, FER_OK);
    assert_string_equal(b.value, "{\"ok\":true}");
    if (row->late) check_noted(&s, row);
    close_scene(&s);
    assert_int_equal(s.lates, row->late);
    assert_int_equal(a.count, 1);
    assert_int_equal(b.count, 1);
}

/* ---- how many ----------------------------------------------------------------------------------
 */

static bool all_wait(rig *r, void *context)
{
    const scene *s = context;
    (void)r;
    size_t sent = 0;
    for (const fer_call *c = s->gateway->active; c; c = c->next)
        sent +=
            c->step == FER_AT_RUNNING && c->attempt.state && fer_mcp_call_sent(c->attempt.state);
    return sent == s->gateway->active_count;
}

static bool is_quiet(rig *r, void *context)
{
    (void)r;
    return ((ending *)context)->count > 0;
}

/* One more than a client remembers is given up at once: the first of them is forgotten. */
static void a_client_forgets_the_oldest(void)
{
    scene s;
    ending a = {0}, b = {0};
    fer_err err;
    open_scene(&s);
    make_mcp_stdio(&s, "late");
    for (size_t i = 0; i < FER_MCP_DROPPED_MAX + 1; i++)
        assert_int_equal(fer_gateway_call(s.gateway, FER_STR("s:slow"), FER_STR("{}"), NULL,
                                          on_done, &a, NULL, &err),
                         FER_OK);
    rig_until(&s.rig, all_wait, &s);
    fer_gateway_cancel(s.gateway);
    /* Its answer comes after all the others. */
    assert_int_equal(
        fer_gateway_call(s.gateway, FER_STR("s:t"), FER_STR("{}"), NULL, on_done, &b, NULL, &err),
        FER_OK);
    rig_until(&s.rig, is_quiet, &b);
    assert_int_equal(a.count, FER_MCP_DROPPED_MAX + 1);
    assert_int_equal(s.lates, FER_MCP_DROPPED_MAX);
    close_scene(&s);
}

/* A runner that keeps nothing but tickets. */
static uint64_t tickets[FER_LATE_MAX + 1];
static size_t ticket_count;

static void keeper_call(fer_runner *r, fer_attempt *t)
{
    (void)r;
    t->sent = true;
    tickets[ticket_count++] = t->ticket;
}
static void keeper_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    (void)r, (void)reason;
    fer_attempt_fail(t, FER_CANCELLED, "as you like");
}
static void keeper_free(fer_runner *r)
{
    (void)r;
}

static void a_gateway_forgets_the_oldest(void)
{
    static const fer_runner_kind kind = {.name = "keeper",
                                         .backend = FER_BACKEND_PROVIDER,
                                         .call = keeper_call,
                                         .cancel = keeper_cancel,
                                         .free = keeper_free};
    scene s;
    ending a = {0};
    fer_err err;
    open_scene(&s);
    fer_runner r = {.kind = &kind, .name = FER_STR("s"), .loop = &s.rig.loop};
    take(&s, &r);
    for (size_t i = 0; i < FER_LATE_MAX + 1; i++) {
        assert_int_equal(fer_gateway_call(s.gateway, FER_STR("s:slow"), FER_STR("{}"), NULL,
                                          on_done, &a, NULL, &err),
                         FER_OK);
        fer_gateway_cancel(s.gateway);
    }
    assert_int_equal(a.count, FER_LATE_MAX + 1);
    fer_runner_tell_late_answer(&r, tickets[0], FER_OK, FER_STR("x"));
    assert_int_equal(s.lates, 0); /* forgotten */
    fer_runner_tell_late_answer(&r, tickets[1], FER_TOOL_FAILED, FER_STR("xy"));
    assert_int_equal(s.lates, 1);
    assert_int_equal(s.last.code, FER_TOOL_FAILED);
    assert_int_equal(s.last.size, 2);
    fer_runner_tell_late_answer(&r, tickets[1], FER_OK, FER_STR("x"));
    assert_int_equal(s.lates, 1); /* once */
    fer_runner_tell_late_answer(&r, tickets[FER_LATE_MAX], FER_OK, FER_STR(""));
    assert_int_equal(s.lates, 2);
    fer_runner_tell_late_answer(&r, 0, FER_OK, FER_STR("x")); /* nobody wanted to know */
    assert_int_equal(s.lates, 2);
    close_scene(&s);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-late-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_RUN("late", rows, run) + ROWS_ONE("late", a_client_forgets_the_oldest) +
                 ROWS_ONE("late", a_gateway_forgets_the_oldest);
    drop(root);
    return failed;
}
