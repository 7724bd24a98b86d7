/* SPDX-License-Identifier: Apache-2.0 */
/* Real servers (make mcp-servers brings them): what they list and answer, and how calls of theirs
 * end. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "children.h"
#include "json_value.h"
#include "runner_rig.h"

static const char *node; /* the program, an absolute path */
static char servers[PATH_MAX];

/* ---- finding them
 * ---------------------------------------------------------------------------------- */

static const char *script_of(const char *package)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3800s/node_modules/@modelcontextprotocol/%s/dist/index.js",
             servers, package);
    return path;
}

static bool are_there(fer_arena *a)
{
    static const char *const packages[] = {"server-everything", "server-filesystem",
                                           "server-memory"};
    const char *given = getenv("MCP_SERVERS"), *path = getenv("PATH");
    fer_str found;
    if (!realpath(given ? given : "build-test/mcp-servers", servers)) return false;
    if (fer_process_find(a, FER_STR("node"), fer_str_of(path), &found, NULL)) return false;
    node = found.ptr;
    for (size_t i = 0; i < FER_COUNT(packages); i++)
        if (access(script_of(packages[i]), R_OK) != 0) return false;
    return true;
}

/* ---- starting them
 * ---------------------------------------------------------------------------------- */

static void start(rig *r, const char *package, const char *argument, const char *variable)
{
    const char *const argv[] = {"node", script_of(package), argument, NULL};
    const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", variable,
                               NULL};
    rig_init(r);
    r->runner = fer_mcp_stdio_runner(
        r->host, &(fer_mcp_stdio_settings){.name = fer_str_of(package), .argv = argv, .env = env});
    assert_non_null(r->runner);
}

static void finish(rig *r)
{
    rig_deinit(r);
    assert_no_children();
    assert_no_marks();
}

static void assert_lists(rig *r, const char *name)
{
    fer_str tools;
    fer_err err;
    fer_json *doc;
    if (rig_list(r, &tools, &err)) fail_msg("%s", err.message);
    assert_int_equal(fer_json_read(r->arena, tools, NULL, &doc, &err), FER_OK);
    FER_EACH_ITEM (fer_json_root(doc), tool)
        if (fer_str_is(fer_val_str(fer_val_get(tool, "name")), name)) return;
    fail_msg("no tool %s in %.*s", name, FER_PRI(tools));
}

static void assert_has(fer_str text, const char *part)
{
    if (!memmem(text.ptr, text.len, part, strlen(part)))
        fail_msg("no %s in %.*s", part, FER_PRI(text));
}

/* What the everything server does, whatever carries the messages. */
static void use_everything(rig *r)
{
    rig_call c, long_one;
    assert_lists(r, "trigger-long-running-operation");
    assert_has(fer_str_of(rig_status(r).detail), "2025-11-25, mcp-servers/everything ");
    rig_call_do(r, &c, "echo", "{\"message\":\"h\\u00e9\"}");
    assert_code(&c, FER_OK);
    assert_str(c.value, "\"Echo: h\xC3\xA9\"");
    rig_call_do(r, &c, "get-structured-content", "{\"location\":\"New York\"}");
    assert_code(&c, FER_OK);
    assert_has(c.value, "\"temperature\":");
    assert_has(c.outcome.mcp_result, "\"structuredContent\":");
    rig_call_do(r, &c, "trigger-long-running-operation", "{\"duration\":1,\"steps\":4}");
    assert_code(&c, FER_OK);
    assert_true(c.news >= 2);
    assert_has(fer_str_of(c.last_news), "\"total\":4");
    rig_call_do(r, &c, "get-sum", "{\"a\":\"one\",\"b\":2}");
    assert_code(&c, FER_TOOL_FAILED);
    assert_int_equal(c.outcome.phase, FER_PHASE_DEFINITE);
    rig_call_do(r, &c, "no-such-tool", "{}");
    assert_code(&c, FER_TOOL_FAILED);
    rig_call_begin(r, &long_one, "trigger-long-running-operation",
                   "{\"duration\":60,\"steps\":60}");
    rig_call_do(r, &c, "echo", "{\"message\":\"meanwhile\"}");
    assert_code(&c, FER_OK);
    r->runner->kind->cancel(r->runner, &long_one.attempt, FER_CANCEL_TIMEOUT);
    assert_code(&long_one, FER_TIMEOUT);
    rig_call_do(r, &c, "echo", "{\"message\":\"after\"}");
    assert_code(&c, FER_OK);
}

/* ---- stdio
 * ------------------------------------------------------------------------------------------ */

static void everything(void)
{
    rig r;
    start(&r, "server-everything", NULL, NULL);
    use_everything(&r);
    finish(&r);
}

/* kill -9 in the middle of a call; the next call finds a new one. */
static void killed(void)
{
    rig r;
    rig_call c, long_one;
    start(&r, "server-everything", NULL, NULL);
    rig_call_do(&r, &c, "echo", "{\"message\":\"a\"}");
    int pid = rig_status(&r).pid;
    rig_call_begin(&r, &long_one, "trigger-long-running-operation",
                   "{\"duration\":60,\"steps\":60}");
    assert_int_equal(kill(pid, SIGKILL), 0);
    rig_call_wait(&r, &long_one);
    assert_code(&long_one, FER_BACKEND_CRASHED);
    assert_int_equal(long_one.outcome.phase, FER_PHASE_AMBIGUOUS);
    rig_call_do(&r, &c, "echo", "{\"message\":\"b\"}");
    assert_code(&c, FER_OK);
    assert_str(c.value, "\"Echo: b\"");
    assert_true(rig_status(&r).pid != pid);
    finish(&r);
}

static void filesystem(void)
{
    rig r;
    rig_call c;
    make_file("a.txt", "hello", 5, 0600);
    start(&r, "server-filesystem", root, NULL);
    assert_lists(&r, "read_text_file");
    fer_str args = fer_arena_printf(r.arena, "{\"path\":\"%s\"}", path_of("a.txt"));
    rig_call_do(&r, &c, "read_text_file", args.ptr);
    assert_code(&c, FER_OK);
    assert_str(c.value, "{\"content\":\"hello\"}");
    rig_call_do(&r, &c, "read_text_file", "{\"path\":\"/etc/hostname\"}");
    assert_code(&c, FER_TOOL_FAILED);
    assert_has(c.outcome.message, "Access denied");
    finish(&r);
}

static void memory(void)
{
    rig r;
    rig_call c;
    char variable[PATH_MAX];
    snprintf(variable, sizeof variable, "MEMORY_FILE_PATH=%s", path_of("memory.jsonl"));
    start(&r, "server-memory", NULL, variable);
    assert_lists(&r, "create_entities");
    rig_call_do(&r, &c, "create_entities",
                "{\"entities\":[{\"name\":\"N\",\"entityType\":\"T\",\"observations\":[\"o\"]}]}");
    assert_code(&c, FER_OK);
    rig_call_do(&r, &c, "read_graph", "{}");
    assert_code(&c, FER_OK);
    assert_str(c.value,
               "{\"entities\":[{\"name\":\"N\",\"entityType\":\"T\",\"observations\":[\"o\"]}],"
               "\"relations\":[]}");
    finish(&r);
}

/* ---- HTTP
 * -------------------------------------------------------------------------------------------- */

typedef struct http_server {
    fer_process *process;
    char port[16];
    bool listens, gone;
} http_server;

static void on_error_line(fer_process *p, fer_str line)
{
    http_server *s = fer_process_owner(p);
    if (memmem(line.ptr, line.len, "listening on port", 17)) s->listens = true;
}

static void on_gone(fer_process *p)
{
    http_server *s = fer_process_owner(p);
    s->gone = true;
}

static const fer_process_events events = {.on_error_line = on_error_line, .on_gone = on_gone};

static bool listens(rig *r, void *context)
{
    (void)r;
    return ((http_server *)context)->listens;
}

static bool is_gone(rig *r, void *context)
{
    (void)r;
    return ((http_server *)context)->gone;
}

static void free_port(char *to, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(to, size, "%u", ntohs(address.sin_port));
    close(fd);
}

static void serve(rig *r, http_server *s)
{
    char variable[32];
    const char *const argv[] = {"node", script_of("server-everything"), "streamableHttp", NULL};
    const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", variable, NULL};
    fer_err err;
    s->listens = s->gone = false;
    snprintf(variable, sizeof variable, "PORT=%s", s->port);
    if (fer_process_start(r->host,
                          &(fer_process_spec){.program = node,
                                              .argv = argv,
                                              .env = env,
                                              .no_input = true,
                                              .events = &events,
                                              .owner = s},
                          &s->process, &err))
        fail_msg("%s", err.message);
    rig_until(r, listens, s);
}

static void end_server(rig *r, http_server *s)
{
    fer_process_end(s->process, FER_GRACE_NONE);
    rig_until(r, is_gone, s);
}

static void start_http(rig *r, http_server *s)
{
    rig_init(r);
    free_port(s->port, sizeof s->port);
    serve(r, s);
    r->runner = fer_mcp_http_runner(
        &r->loop, r->http,
        &(fer_mcp_http_settings){
            .name = FER_STR("http"),
            .url = fer_arena_printf(r->arena, "http://127.0.0.1:%s/mcp", s->port)});
    assert_non_null(r->runner);
}

static void everything_http(void)
{
    rig r;
    http_server s = {0};
    start_http(&r, &s);
    use_everything(&r);
    rig_stop(&r);
    end_server(&r, &s);
    finish(&r);
}

/* The server is killed in the middle of a call, and is another one afterwards: sessions are
 * forgotten. */
static void lost_http(void)
{
    rig r;
    rig_call c, long_one;
    http_server s = {0};
    start_http(&r, &s);
    rig_call_do(&r, &c, "echo", "{\"message\":\"a\"}");
    assert_code(&c, FER_OK);
    rig_call_begin(&r, &long_one, "trigger-long-running-operation",
                   "{\"duration\":60,\"steps\":60}");
    rig_call_do(&r, &c, "echo", "{\"message\":\"b\"}");
    end_server(&r, &s);
    rig_call_wait(&r, &long_one);
    assert_code(&long_one, FER_CONNECTION_LOST);
    rig_call_do(&r, &c, "echo", "{\"message\":\"c\"}");
    assert_code(&c, FER_BACKEND_UNAVAILABLE);
    serve(&r, &s);
    rig_call_do(&r, &c, "echo", "{\"message\":\"d\"}");
    assert_code(&c, FER_OK);
    assert_str(c.value, "\"Echo: d\"");
    rig_stop(&r);
    end_server(&r, &s);
    finish(&r);
}

int main(void)
{
    fer_arena *a = fer_arena_new(0);
    if (!are_there(a)) {
        printf("1..0 # SKIP no servers of npm's: make mcp-servers\n");
        fer_arena_free(a);
        return 0;
    }
    strcpy(root, "/tmp/ferrule-servers-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_ONE("mcp_servers", everything) + ROWS_ONE("mcp_servers", killed) +
                 ROWS_ONE("mcp_servers", filesystem) + ROWS_ONE("mcp_servers", memory) +
                 ROWS_ONE("mcp_servers", everything_http) + ROWS_ONE("mcp_servers", lost_http);
    drop(root);
    fer_arena_free(a);
    return failed;
}
