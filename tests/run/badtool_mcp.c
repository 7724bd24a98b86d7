/* SPDX-License-Identifier: Apache-2.0 */
/*
 * badtool as an MCP server over stdio: a line of JSON-RPC each way. It has the tools `echo` (gives
 * its arguments back as structuredContent) and `slow` (never answers by itself). How it misbehaves
 * is a row below: most of them at tools/call, some at tools/list or from the beginning. Every
 * message that it gets goes to the side file.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yyjson.h>

#include "badtool.h"

/* A request: its id as JSON, and what the answers are made of. */
struct request {
    const char *method;
    char id[128];
    char params[2048]; /* of the call: its arguments */
    char token[128];   /* progressToken as JSON; "null": none */
    char cursor[64];
    char tool[64];
};

static unsigned calls, lists;

/* ---- answers -------------------------------------------------------------------------------- */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    static char line[1 << 16];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    line[n++] = '\n';
    put(STDOUT_FILENO, line, (size_t)n);
}

#define RESULT                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]," \
    "\"structuredContent\":%s,\"isError\":false}}"

static void answer(const struct request *r)
{
    say(RESULT, r->id, r->params);
}

static void progress(const char *token, long at)
{
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,"
        "\"progress\":%ld,\"total\":1000000}}",
        token, at);
}

/* ---- misbehaviour at tools/call ------------------------------------------------------------- */

static void call_ok(const struct request *r)
{
    answer(r);
}
static void call_exit(const struct request *r)
{
    (void)r;
    exit(3);
}
static void call_exit_zero(const struct request *r)
{
    (void)r;
    exit(0);
}
static void call_segv(const struct request *r)
{
    (void)r;
    put_text("{\"jsonrpc\":\"2.0\",\"id\":");
    crash();
}
static void call_hang(const struct request *r)
{
    (void)r;
}
static void call_partial(const struct request *r)
{
    put_text("{\"jsonrpc\":\"2.0\",\"id\":");
    put_text(r->id);
    hang();
}
static void call_drip(const struct request *r)
{
    char line[4096];
    snprintf(line, sizeof line, RESULT "\n", r->id, r->params);
    for (size_t i = 0; line[i]; i++) {
        put(STDOUT_FILENO, line + i, 1);
        usleep(1000);
    }
}
static void call_garbage(const struct request *r)
{
    put(STDOUT_FILENO, "\xFF\xFE\x01garbage\x80\xC0\n{]\n", 16);
    answer(r);
}
static void call_garbage_only(const struct request *r)
{
    (void)r;
    put_text("this is no JSON\n");
}
static void call_noise(const struct request *r)
{
    put_text("starting up ...\n\n[info] a line of a log\n");
    answer(r);
    put_text("done\n");
}
static void call_noise_flood(const struct request *r)
{
    for (int i = 0; i < 100000; i++) put_text("noise\n");
    answer(r);
}
static void call_bom(const struct request *r)
{
    put_text("\xEF\xBB\xBF");
    answer(r);
}
static void call_utf16(const struct request *r)
{
    char line[4096];
    int n = snprintf(line, sizeof line, RESULT "\n", r->id, r->params);
    for (int i = 0; i < n; i++) {
        put(STDOUT_FILENO, line + i, 1);
        put(STDOUT_FILENO, "", 1);
    }
}
static void call_nul(const struct request *r)
{
    put(STDOUT_FILENO, "\0\0\0\n", 4);
    answer(r);
}
static void call_two_values(const struct request *r)
{
    char line[8192];
    snprintf(line, sizeof line, RESULT RESULT "\n", r->id, r->params, r->id, r->params);
    put_text(line);
}
static void call_pretty(const struct request *r)
{
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": %s,\n  \"result\": {\n    \"content\": []\n  }\n}\n",
        r->id);
    put_text(text);
}
static void call_long(const struct request *r)
{
    put_many(STDOUT_FILENO, 'x', (size_t)64 << 20);
    put_text("\n");
    answer(r);
}
static void call_endless(const struct request *r)
{
    (void)r;
    for (;;) put_many(STDOUT_FILENO, 'x', (size_t)1 << 20);
}
static void call_wrong_id(const struct request *r)
{
    say(RESULT, "987654321", "{\"whose\":\"nobody's\"}");
    answer(r);
}
static void call_wrong_id_only(const struct request *r)
{
    (void)r;
    say(RESULT, "987654321", "{\"whose\":\"nobody's\"}");
}
static void call_id_type(const struct request *r)
{
    char id[160];
    bool text = r->id[0] == '"';
    snprintf(id, sizeof id, text ? "%.*s" : "\"%.*s\"", (int)(strlen(r->id) - (text ? 2u : 0u)),
             r->id + (text ? 1 : 0));
    say(RESULT, id, "{\"whose\":\"of another type\"}");
    answer(r);
}
static void call_twice(const struct request *r)
{
    answer(r);
    say(RESULT, r->id, "{\"second\":true}");
}
static void call_server_request(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\",\"params\":{}}");
    say("{\"jsonrpc\":\"2.0\",\"id\":\"s2\",\"method\":\"ping\"}");
    answer(r);
}
static void call_null_id_error(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"what?\"}}");
    answer(r);
}
static void call_rpc_error(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"it broke\","
        "\"data\":{\"n\":1}}}",
        r->id);
}
static void call_is_error(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
        "\"the tool says no\"}],\"isError\":true}}",
        r->id);
}
static void call_error_structured(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"structuredContent\":{\"a\":1},"
        "\"isError\":true}}",
        r->id);
}
static void call_bad_output(const struct request *r)
{
    say(RESULT, r->id, "{\"breaks\":\"the output schema\"}");
}
static void call_no_content(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", r->id);
}
static void call_no_result(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s}", r->id);
}
static void call_progress(const struct request *r)
{
    for (long i = 1; i <= 3; i++) progress(r->token, i);
    answer(r);
}
static void call_progress_flood(const struct request *r)
{
    for (long i = 0; i < 1000000; i++) progress(r->token, i);
    answer(r);
}
static void call_progress_other(const struct request *r)
{
    progress("\"somebody else's\"", 1);
    progress("123456", 2);
    answer(r);
}
static void call_progress_late(const struct request *r)
{
    answer(r);
    progress(r->token, 1);
}
static void call_stderr(const struct request *r)
{
    for (int i = 0; i < 1024; i++) put_many(STDERR_FILENO, i % 16 ? 'e' : '\n', (size_t)1 << 20);
    answer(r);
}
static void call_stderr_line(const struct request *r)
{
    put(STDERR_FILENO, "a line for the log\n", 19);
    answer(r);
}
static void call_no_read(const struct request *r)
{
    (void)r;
    hang();
}
static void call_daemon(const struct request *r)
{
    leave_daemon(true, false);
    answer(r);
}
static void call_children(const struct request *r)
{
    leave_children(1000);
    answer(r);
}
static void call_stop(const struct request *r)
{
    raise(SIGSTOP);
    answer(r);
}
static void call_close_output(const struct request *r)
{
    (void)r;
    close(STDOUT_FILENO);
    hang();
}
/* Every second call ends the server. */
static void call_every_second(const struct request *r)
{
    if (calls % 2 == 0) exit(3);
    answer(r);
}
static void call_list_changed(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    answer(r);
}

/* ---- misbehaviour at tools/list ------------------------------------------------------------- */

#define TOOL                                                                                       \
    "{\"name\":\"%s%lu\",\"description\":\"A tool.\",\"inputSchema\":{\"type\":\"object\"}}"

static void list_ok(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":["
        "{\"name\":\"echo\",\"description\":\"Gives its arguments back.\",\"inputSchema\":{\"type\":"
        "\"object\"},\"annotations\":{\"readOnlyHint\":true}},"
        "{\"name\":\"slow\",\"description\":\"Never answers by itself.\",\"inputSchema\":{\"type\":"
        "\"object\"}}]}}",
        r->id);
}
static void list_changes(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[" TOOL "]}}", r->id, "tool",
        (unsigned long)lists);
}
/* 100,000 tools, 100 on a page. */
static void list_many(const struct request *r)
{
    static char page[1 << 15];
    unsigned long from = strtoul(r->cursor, NULL, 10);
    int n = 0;
    for (unsigned long i = from; i < from + 100; i++)
        n += snprintf(page + n, sizeof page - (size_t)n, "%s" TOOL, i > from ? "," : "", "t", i);
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[%s],\"nextCursor\":\"%lu\"}}", r->id,
        page, from + 100);
}
static void list_cursor_loop(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[],\"nextCursor\":\"again\"}}",
        r->id);
}
static void list_cursor_cycle(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[],\"nextCursor\":\"%s\"}}", r->id,
        strcmp(r->cursor, "a") == 0 ? "b" : "a");
}
static void list_hang(const struct request *r)
{
    (void)r;
}
static void list_garbage(const struct request *r)
{
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[1,null,{\"name\":3}]}}", r->id);
}

/* ---- misbehaviour from the beginning -------------------------------------------------------- */

static void begin_exit(void)
{
    exit(7);
}
static void begin_hang(void)
{
    hang();
}
static void begin_noise(void)
{
    put_text("Welcome to the server!\n");
}
static void begin_ignore_term(void)
{
    signal(SIGTERM, SIG_IGN);
}

/* ---- the table ------------------------------------------------------------------------------ */

typedef void answerer(const struct request *r);

static const struct how {
    const char *name;
    answerer *call; /* NULL: as it should be; and so for the others */
    answerer *list;
    void (*begin)(void);
    bool stays; /* does not end with its standard input */
} hows[] = {
    {"ok"},
    {"exit", call_exit},                                       /* F30 */
    {"segv", call_segv},                                       /* F31 */
    {"exit-zero", call_exit_zero},                             /* F32 */
    {"hang", call_hang},                                       /* F33 */
    {"partial", call_partial},                                 /* F34 */
    {"ignore-term", call_hang, NULL, begin_ignore_term, true}, /* F35 */
    {"drip", call_drip},                                       /* F36 */
    {"garbage", call_garbage},                                 /* F37 */
    {"garbage-only", call_garbage_only},
    {"noise", call_noise}, /* F38 */
    {"noise-flood", call_noise_flood},
    {"noise-first", NULL, NULL, begin_noise},
    {"bom", call_bom}, /* F39 */
    {"utf16", call_utf16},
    {"nul", call_nul},               /* F40 */
    {"two-values", call_two_values}, /* F41 */
    {"pretty", call_pretty},         /* F42 */
    {"long", call_long},             /* F43 */
    {"endless", call_endless},
    {"wrong-id", call_wrong_id}, /* F44 */
    {"wrong-id-only", call_wrong_id_only},
    {"id-type", call_id_type},
    {"twice", call_twice},
    {"server-request", call_server_request},
    {"null-id-error", call_null_id_error},
    {"progress", call_progress},
    {"progress-flood", call_progress_flood}, /* F45 */
    {"progress-other", call_progress_other},
    {"progress-late", call_progress_late},
    {"stderr", call_stderr}, /* F46 */
    {"stderr-line", call_stderr_line},
    {"no-read", call_no_read},       /* F47 */
    {"bad-output", call_bad_output}, /* F48 */
    {"error-structured", call_error_structured},
    {"no-content", call_no_content},
    {"no-result", call_no_result},
    {"rpc-error", call_rpc_error},
    {"is-error", call_is_error},
    {"list-changes", NULL, list_changes}, /* F49 */
    {"list-changed", call_list_changed, list_changes},
    {"list-many", NULL, list_many},
    {"cursor-loop", NULL, list_cursor_loop},
    {"cursor-cycle", NULL, list_cursor_cycle},
    {"list-hang", NULL, list_hang},
    {"list-garbage", NULL, list_garbage},
    {"daemon", call_daemon},             /* F50 */
    {"children", call_children},         /* F51 */
    {"stop", call_stop},                 /* F52 */
    {"close-output", call_close_output}, /* F55 */
    {"every-second", call_every_second},
    {"late"}, /* `slow` is answered when it is cancelled: F44 */
    {"begin-exit", NULL, NULL, begin_exit},
    {"begin-hang", NULL, NULL, begin_hang},
};

/* ---- serving -------------------------------------------------------------------------------- */

static void keep_text(char *to, size_t size, yyjson_val *value)
{
    char *text = value ? yyjson_val_write(value, 0, NULL) : NULL;
    snprintf(to, size, "%s", text ? text : "null");
    free(text);
}

static void read_request(yyjson_val *root, struct request *r)
{
    yyjson_val *params = yyjson_obj_get(root, "params");
    const char *name = yyjson_get_str(yyjson_obj_get(params, "name"));
    const char *cursor = yyjson_get_str(yyjson_obj_get(params, "cursor"));
    *r = (struct request){.method = yyjson_get_str(yyjson_obj_get(root, "method"))};
    keep_text(r->id, sizeof r->id, yyjson_obj_get(root, "id"));
    keep_text(r->params, sizeof r->params, yyjson_obj_get(params, "arguments"));
    keep_text(r->token, sizeof r->token,
              yyjson_obj_get(yyjson_obj_get(params, "_meta"), "progressToken"));
    snprintf(r->tool, sizeof r->tool, "%s", name ? name : "");
    snprintf(r->cursor, sizeof r->cursor, "%s", cursor ? cursor : "");
}

static void initialize(const struct request *r, yyjson_val *root)
{
    yyjson_val *version = yyjson_obj_get(yyjson_obj_get(root, "params"), "protocolVersion");
    say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":"
        "{\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":\"badtool\",\"version\":"
        "\"1.0.0\"}}}",
        r->id, version ? yyjson_get_str(version) : "2025-06-18");
}

static void call(const struct how *how, const struct request *r)
{
    calls++;
    if (strcmp(r->tool, "slow") == 0) {
        note("waits", r->id);
        return;
    }
    (how->call ? how->call : call_ok)(r);
}

static void answer_late(yyjson_val *cancelled)
{
    struct request r = {.params = "{\"late\":true}"};
    keep_text(r.id, sizeof r.id, yyjson_obj_get(yyjson_obj_get(cancelled, "params"), "requestId"));
    answer(&r);
}

static void serve(const struct how *how, char *line)
{
    struct request r;
    note("message", line);
    yyjson_doc *doc = yyjson_read(line, strlen(line), 0);
    yyjson_val *root = yyjson_doc_get_root(doc);
    read_request(root, &r);
    if (!r.method) {
        note("answer", line);
    } else if (strcmp(r.method, "initialize") == 0) {
        initialize(&r, root);
    } else if (strcmp(r.method, "tools/list") == 0) {
        lists++;
        (how->list ? how->list : list_ok)(&r);
    } else if (strcmp(r.method, "tools/call") == 0) {
        call(how, &r);
    } else if (strcmp(r.method, "notifications/cancelled") == 0) {
        note("cancelled", line);
        if (strcmp(how->name, "late") == 0) answer_late(root);
    } else if (strcmp(r.method, "ping") == 0) {
        say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", r.id);
    } else if (strcmp(r.id, "null") != 0) {
        say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"no such "
            "method\"}}",
            r.id);
    }
    yyjson_doc_free(doc);
}

int serve_mcp(const char *name)
{
    const struct how *how = NULL;
    char *line = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < sizeof hows / sizeof hows[0]; i++) {
        if (strcmp(hows[i].name, name) == 0) how = &hows[i];
    }
    if (!how) return 97;
    if (how->begin) how->begin();
    for (ssize_t n; (n = getline(&line, &cap, stdin)) > 0;) {
        if (line[n - 1] == '\n') line[n - 1] = '\0';
        serve(how, line);
    }
    note("stdin", "end");
    free(line);
    if (how->stays) hang();
    return 0;
}
