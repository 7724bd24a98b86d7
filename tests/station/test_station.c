/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A station whose configuration is read again while calls are under way: what has changed is made
 * anew, what has not goes on, calls end as they would have, and a file that cannot be used changes
 * nothing; all of it once more without memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "children.h"
#include "errors.h"
#include "file.h"
#include "rows.h"
#include "station_parts.h"
#include "sys.h"

/* ---- whose station it is -----------------------------------------------------------------------
 */

static char file[256];
static char said[4096];

static void tell(void *context, fer_str line)
{
    (void)context;
    snprintf(said, sizeof said, "%.*s", FER_PRI(line));
}

static void open_it(fer_station *s)
{
    fer_err err;
    struct fer_station_wants wants = {
        .config = file, .log = {.fd = 2, .level = FER_LOG_ERROR}, .tell = tell};
    if (fer_station_init(s, &wants, &err)) fail_msg("%s: %s", said, err.message);
}

static void put(const char *text)
{
    fer_err err;
    assert_int_equal(fer_file_replace(file, fer_str_of(text), &err), FER_OK);
}

#define COMMAND(name, what)                                                                        \
    "{\"name\":\"" name "\",\"namespace\":\"c\",\"description\":\"Does.\",\"effect\":\"Pure\","    \
    "\"inputSchema\":{\"type\":\"object\"},\"run\":{\"argv\":" what ",\"stdout\":\"text\"}}"
#define SLOW "[\"sh\",\"-c\",\"sleep 0.3; printf old\"]"
#define FAST "[\"printf\",\"new\"]"

typedef struct ended {
    size_t count;
    fer_code code;
    char output[64];
} ended;

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    ended *x = context;
    (void)c;
    x->count++;
    x->code = e->error.code;
    snprintf(x->output, sizeof x->output, "%.*s", FER_PRI(e->structured));
}

static void call(fer_station *s, const char *tool, ended *x)
{
    fer_err err;
    assert_int_equal(
        fer_gateway_call(s->gateway, fer_str_of(tool), FER_STR("{}"), NULL, on_done, x, NULL, &err),
        FER_OK);
}

/* ---- rows: from one configuration to another ---------------------------------------------------
 */

static const struct row {
    const char *name, *before, *after;
    fer_code code;   /* of the reload */
    size_t changes;  /* that it tells */
    const char *old; /* what a call that was under way gives */
    fer_code later;  /* what a later call ends with */
    const char *now; /* and gives */
} rows[] = {
    {"a command is another one", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", FAST) "]}", FER_OK, 1, "\"old\"", FER_OK, "\"new\""},
    {"a command is gone", "{\"commands\":[" COMMAND("x", SLOW) "]}", "{\"commands\":[]}", FER_OK, 1,
     "\"old\"", FER_TOOL_NOT_FOUND, ""},
    {"a command of its pack is gone",
     "{\"commands\":[" COMMAND("x", SLOW) "," COMMAND("y", FAST) "]}",
     "{\"commands\":[" COMMAND("x", FAST) "]}", FER_OK, 2, "\"old\"", FER_OK, "\"new\""},
    {"a command is new", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", SLOW) "," COMMAND("y", FAST) "]}", FER_OK, 1, "\"old\"", FER_OK,
     "\"old\""},
    {"nothing", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", SLOW) "]}", FER_OK, 0, "\"old\"", FER_OK, "\"old\""},
    {"defaults", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", SLOW) "],\"defaults\":{\"deadlineMs\":50}}", FER_OK, 1,
     "\"old\"", FER_DEADLINE_EXCEEDED, ""},
    {"a server beside it", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", SLOW) "],\"mcpServers\":{\"s\":{\"command\":\"/nowhere\"}}}",
     FER_OK, 1, "\"old\"", FER_OK, "\"old\""},
    {"half a file", "{\"commands\":[" COMMAND("x", SLOW) "]}", "{\"commands\":[", FER_INVALID_JSON,
     0, "\"old\"", FER_OK, "\"old\""},
    {"a wrong file", "{\"commands\":[" COMMAND("x", SLOW) "]}", "{\"commands\":7}", FER_BAD_USAGE,
     0, "\"old\"", FER_OK, "\"old\""},
    {"a program that is not there", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", "[\"no-such-program-at-all\"]") "]}", FER_OK, 1, "\"old\"",
     FER_BACKEND_UNAVAILABLE, ""},
    {"a program of its pack that is not there", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("y", "[\"no-such-program-at-all\"]") "," COMMAND("x", FAST) "]}",
     FER_OK, 2, "\"old\"", FER_OK, "\"new\""},
    {"a program that no PATH will have", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", "[\"./x\"]") "]}", FER_BACKEND_UNAVAILABLE, 0, "\"old\"",
     FER_OK, "\"old\""},
    {"policies", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", SLOW) "],\"policies\":{\"tools\":{\"c:*\":{\"timeoutMs\":20,"
                                          "\"retry\":{\"maxAttempts\":1}}}}}",
     FER_OK, 1, "\"old\"", FER_TIMEOUT, ""},
    {"another state needs a restart", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", FAST) "],\"state\":\"elsewhere\"}", FER_BAD_USAGE, 0, "\"old\"",
     FER_OK, "\"old\""},
    {"another catalogue", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", FAST) "],\"catalog\":\"other.catalog\"}", FER_OK, 2, "\"old\"",
     FER_OK, "\"new\""},
    {"no catalogue any more",
     "{\"commands\":[" COMMAND("x", SLOW) "],\"catalog\":\"other.catalog\"}",
     "{\"commands\":[" COMMAND("x", SLOW) "]}", FER_OK, 1, "\"old\"", FER_OK, "\"old\""},
    {"a catalogue that is none", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", FAST) "],\"catalog\":\"ferrule.json\"}", FER_INVALID_CATALOG, 0,
     "\"old\"", FER_OK, "\"old\""},
    {"a collector of traces", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x", SLOW) "],\"telemetry\":{\"otlp\":{\"endpoint\":"
                                          "\"http://127.0.0.1:1/v1/traces\"}}}",
     FER_OK, 1, "\"old\"", FER_OK, "\"old\""},
    {"a secret that is not there", "{\"commands\":[" COMMAND("x", SLOW) "]}",
     "{\"commands\":[" COMMAND("x",
                               FAST) "],\"mcpServers\":{\"s\":{\"command\":\"/bin/true\",\"env\":"
                                     "{\"T\":\"secretref:env:NO_SUCH_THING\"}}}}",
     FER_BAD_USAGE, 0, "\"old\"", FER_OK, "\"old\""},
};

static void run_row(const struct row *row)
{
    fer_station s;
    fer_reloaded done;
    fer_err err = {0};
    ended under_way = {0}, later = {0};
    fer_arena *a = fer_arena_new(0);
    put(row->before);
    open_it(&s);
    call(&s, "c:x", &under_way);
    put(row->after);
    fer_code code = fer_station_reload(&s, a, &done, &err);
    if (code != row->code) fail_msg("%s: %s", fer_code_info(code)->name, err.message);
    assert_int_equal(done.count, row->changes);
    call(&s, "c:x", &later);
    fer_gateway_run(s.gateway);
    assert_int_equal(under_way.count, 1);
    assert_int_equal(under_way.code, FER_OK);
    assert_string_equal(under_way.output, row->old);
    assert_int_equal(later.count, 1);
    if (later.code != row->later) fail_msg("%s", fer_code_info(later.code)->name);
    assert_string_equal(later.output, row->now);
    fer_station_deinit(&s);
    fer_arena_free(a);
}

static void unreadable_and_huge_files_change_nothing(void)
{
    fer_station s;
    fer_reloaded done;
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    ended x = {0};
    put("{\"commands\":[" COMMAND("x", FAST) "]}");
    open_it(&s);
    unlink(file);
    assert_int_equal(fer_station_reload(&s, a, &done, &err), FER_IO_ERROR);
    char *huge = calloc(1, FER_CONFIG_SIZE + 2);
    memset(huge, ' ', FER_CONFIG_SIZE + 1);
    put(huge);
    free(huge);
    assert_int_not_equal(fer_station_reload(&s, a, &done, &err), FER_OK);
    call(&s, "c:x", &x);
    fer_gateway_run(s.gateway);
    assert_string_equal(x.output, "\"new\"");
    fer_station_deinit(&s);
    fer_arena_free(a);
}

/* ---- what is outside of the file --------------------------------------------------------------
 */

static void put_beside(const char *name, const char *text)
{
    char path[512];
    fer_err err;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(file, '/') - file), file, name);
    assert_int_equal(fer_file_replace(path, fer_str_of(text), &err), FER_OK);
}

static size_t reload(fer_station *s)
{
    fer_reloaded done;
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    if (fer_station_reload(s, a, &done, &err)) fail_msg("%s", err.message);
    size_t count = done.count;
    fer_arena_free(a);
    return count;
}

#define API(operation)                                                                                     \
    "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"t\",\"version\":\"1.0.0\"},\"paths\":{\"/x\":{\"get\":{" \
    "\"operationId\":\"" operation "\",\"responses\":{\"200\":{\"description\":\"d\"}}}}}}"

/* Documents, files of variables and secrets, each under the same name. */
static const struct outside_row {
    const char *name, *config, *beside, *before, *after;
    const char *tool; /* that is there afterwards; or NULL */
} outside_rows[] = {
    {"an OpenAPI document",
     "{\"apis\":{\"p\":{\"openapi\":\"api.json\",\"baseUrl\":\"http://127.0.0.1:1\"}}}", "api.json",
     API("one"), API("other"), "p:other"},
    {"a file of variables",
     "{\"mcpServers\":{\"s\":{\"command\":\"/bin/true\",\"envFile\":\"vars.env\"}}}", "vars.env",
     "A=1\n", "A=2\n", NULL},
    {"a secret of a server",
     "{\"mcpServers\":{\"s\":{\"command\":\"/bin/true\",\"env\":{\"T\":\"secretref:file:key\"}}}}",
     "key", "one-secret", "other-secret", NULL},
    {"a secret of a command",
     "{\"commands\":[{\"name\":\"x\",\"namespace\":\"c\",\"description\":\"Does.\",\"inputSchema\":{"
     "\"type\":\"object\"},\"run\":{\"argv\":[\"true\"],\"env\":{\"set\":{\"T\":"
     "\"secretref:file:key\"}}}}]}",
     "key", "one-secret", "other-secret", "c:x"},
};

static void run_outside(const struct outside_row *row)
{
    fer_station s;
    fer_err err;
    fer_str found;
    put(row->config);
    put_beside(row->beside, row->before);
    open_it(&s);
    assert_int_equal(reload(&s), 0);
    put_beside(row->beside, row->after);
    assert_int_equal(reload(&s), 1);
    assert_int_equal(reload(&s), 0);
    fer_view *v = fer_catalog_view(s.catalog);
    if (row->tool && fer_view_resolve(s.arena, v, fer_str_of(row->tool), FER_STR(""), &found, &err))
        fail_msg("%s", err.message);
    fer_view_unref(v);
    fer_station_deinit(&s);
}

/* An address that nobody is configured for any more may not be asked any more. */
static void addresses_go_with_their_servers(void)
{
    static const fer_str one = FER_STR("http://127.0.0.1:2/mcp"),
                         other = FER_STR("http://127.0.0.1:3/mcp");
    fer_station s;
    fer_net_target t;
    put("{\"mcpServers\":{\"a\":{\"url\":\"http://127.0.0.1:2/mcp\"},"
        "\"b\":{\"url\":\"http://127.0.0.1:3/mcp\"}}}");
    open_it(&s);
    assert_int_equal(fer_net_rules_url(s.rules, one, &t, NULL), FER_OK);
    put("{\"mcpServers\":{\"b\":{\"url\":\"http://127.0.0.1:3/mcp\"}}}");
    assert_int_equal(reload(&s), 1);
    while (s.leaving) uv_run(fer_gateway_loop(s.gateway), UV_RUN_ONCE);
    assert_int_equal(fer_net_rules_url(s.rules, one, &t, NULL), FER_FORBIDDEN);
    assert_int_equal(fer_net_rules_url(s.rules, other, &t, NULL), FER_OK);
    fer_station_deinit(&s);
}

static fer_event_kind put_tool(fer_station *s, const char *type)
{
    char text[256];
    size_t count;
    fer_err err;
    fer_batch *b = fer_batch_new();
    snprintf(
        text, sizeof text,
        "{\"name\":\"t\",\"namespace\":\"q\",\"description\":\"Does.\",\"inputSchema\":{\"type\":"
        "\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"%s\"}}}}",
        type);
    if (fer_batch_add(b, FER_STR("t.json"), fer_str_of(text), FER_FORMAT_JSON, NULL, &err))
        fail_msg("%s", err.message);
    assert_int_equal(fer_catalog_apply(s->catalog, b, &err), FER_OK);
    fer_event_kind kind = fer_batch_outcomes(b, &count)->kind;
    fer_batch_free(b);
    return kind;
}

static uint64_t version_of(fer_station *s)
{
    fer_view *v = fer_catalog_view(s->catalog);
    uint64_t version = fer_view_version(v);
    fer_view_unref(v);
    return version;
}

/* A server that lists a tool of the operator's is one more backend of it, and its lists write
 * nothing into the catalogue that is there already. */
static void a_tool_of_both_is_written_once(void)
{
    fer_station s;
    fer_backend *backends;
    fer_err err;
    size_t count;
    fer_str text = FER_STR("");
    char config[8192];
    snprintf(
        config, sizeof config,
        "{\"mcpServers\":{\"s\":{\"command\":\"%s\",\"args\":[\"mcp\",\"ok\"]}},\"commands\":[{"
        "\"name\":\"echo\",\"namespace\":\"s\",\"description\":\"The operator's.\","
        "\"inputSchema\":{\"type\":\"object\"},\"run\":{\"argv\":[\"true\"]}}]}",
        badtool());
    put(config);
    open_it(&s);
    fer_station_ask(&s, FER_STR(""));
    uint64_t before = version_of(&s);
    fer_view *v = fer_catalog_view(s.catalog);
    assert_int_equal(
        fer_view_backends(s.arena, v, FER_STR("s:echo"), NULL, NULL, &backends, &count, NULL, &err),
        FER_OK);
    assert_int_equal(count, 2);
    fer_str id = FER_STR("");
    assert_int_equal(fer_view_resolve(s.arena, v, FER_STR("s:slow"), FER_STR(""), &id, &err),
                     FER_OK);
    assert_int_equal(fer_view_definition(s.arena, v, FER_STR("s:echo"), &text, &err), FER_OK);
    assert_non_null(memmem(text.ptr, text.len, "The operator's.", 15));
    fer_view_unref(v);
    for (size_t i = 0; i < s.place_count; i++)
        if (s.places[i]->part == FER_CONFIG_SERVER) fer_station_changed(&s, s.places[i]->runner);
    while (s.waiting) uv_run(fer_gateway_loop(s.gateway), UV_RUN_ONCE);
    assert_int_equal(version_of(&s), before);
    fer_station_deinit(&s);
}

static void quarantine_counts_at_once(void)
{
    fer_station s;
    put("{}");
    open_it(&s);
    put_tool(&s, "string");
    assert_int_equal(put_tool(&s, "integer"), FER_EVENT_UPDATED);
    put("{\"quarantine\":\"changed\"}");
    assert_int_equal(reload(&s), 1);
    assert_int_equal(put_tool(&s, "boolean"), FER_EVENT_QUARANTINED);
    fer_station_deinit(&s);
}

/* Each allocation of the reload fails in turn: the old configuration serves, or the new one. */
static void a_reload_without_memory(void)
{
    size_t failed = 0;
    for (size_t n = 1;; n++) {
        fer_station s;
        fer_reloaded done;
        fer_err err = {0};
        char plan[32];
        ended x = {0};
        int64_t before = fer_faults_live();
        fer_arena *a = fer_arena_new(0);
        put("{\"commands\":[" COMMAND("x", "[\"printf\",\"old\"]") "]}");
        open_it(&s);
        put("{\"commands\":[" COMMAND(
            "x", FAST) "],\"tools\":{\"c:x\":{\"backends\":[{\"command\":\"c\"}]}},"
                       "\"policies\":{\"tools\":{\"c:*\":{\"timeoutMs\":20000}}},"
                       "\"telemetry\":{\"otlp\":{\"endpoint\":\"http://127.0.0.1:1/\"}}}");
        snprintf(plan, sizeof plan, "malloc@%zu", n);
        assert_true(fer_faults_begin(plan));
        fer_code code = fer_station_reload(&s, a, &done, &err);
        bool met = fer_faults_injected() > 0;
        fer_faults_begin(NULL);
        failed += code != FER_OK;
        if (code && code != FER_OUT_OF_MEMORY && code != FER_IO_ERROR)
            fail_msg("%s: %s: %s", plan, fer_code_info(code)->name, err.message);
        call(&s, "c:x", &x);
        fer_gateway_run(s.gateway);
        if (!code) assert_string_equal(x.output, "\"new\"");
        else if (x.code == FER_OK && strcmp(x.output, "\"old\"") != 0 && !done.changes)
            fail_msg("%s: %s", plan, x.output);
        fer_station_deinit(&s);
        fer_arena_free(a);
        if (fer_faults_live() != before)
            fail_msg("%s: %lld allocations are still held", plan,
                     (long long)(fer_faults_live() - before));
        if (!met) break;
    }
    assert_true(failed > 10);
}

int main(void)
{
    char folder[] = "/tmp/ferrule-station-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    umask(077); /* secrets are nobody else's */
    snprintf(file, sizeof file, "%s/ferrule.json", folder);
    int failed = ROWS_RUN("reload", rows, run_row);
    failed += ROWS_RUN("outside", outside_rows, run_outside);
    failed += ROWS_ONE("reload", addresses_go_with_their_servers);
    failed += ROWS_ONE("reload", quarantine_counts_at_once);
    failed += ROWS_ONE("lists", a_tool_of_both_is_written_once);
    failed += ROWS_ONE("reload", unreadable_and_huge_files_change_nothing);
    failed += ROWS_ONE("reload", a_reload_without_memory);
    unlink(file);
    drop(folder);
    return failed != 0;
}
