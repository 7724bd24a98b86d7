/* SPDX-License-Identifier: Apache-2.0 */
/*
 * badtool as an HTTP server on the loopback: an MCP server of 2026-07-28 ("mcp"), of 2025-11-25
 * ("mcp-old"), of 2024-11-05 with its stream of events ("mcp-sse"), or a plain HTTP API ("api").
 * Prints its port on a line, and ends with its standard input. How it misbehaves is a row below:
 * at tools/call, or at any request to the API. A thread a connection; every request goes to the
 * side file, and that a client went away while it was waited for.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <yyjson.h>

#include "badtool.h"

typedef struct exchange {
    int fd;
    char *body;
    char id[64];       /* JSON */
    char args[1024];   /* JSON */
    char method[64];   /* of JSON-RPC; or of HTTP */
    char given_up[64]; /* JSON: the ID in a notification that a call was cancelled */
    bool slow;         /* the tool, or the path, is "slow" */
    bool plain;        /* no JSON-RPC */
    bool last;         /* the connection is of no more use */
} exchange;

static const char *kind;
static int events_fd = -1; /* the stream of "mcp-sse" */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what is said ---------------------------------------------------------------------------- */

/* False: nobody is there any more. */
static bool tell(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            note("gone", "while it was told");
            return false;
        }
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static bool tell_text(exchange *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool tell_text(exchange *x, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tell(x->fd, text, (size_t)n);
}

/* Waits until the client goes away. */
static void wait_for_end(exchange *x)
{
    char c;
    while (recv(x->fd, &c, 1, 0) > 0) continue;
    note("gone", x->method);
    x->last = true;
}

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

static void body(const exchange *x, char *to, size_t size)
{
    if (x->plain) snprintf(to, size, "{\"ok\":true}");
    else
        snprintf(to, size,
                 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\","
                 "\"content\":[],\"structuredContent\":%s}}",
                 x->id, x->args);
}

/* An answer with a status and with what comes before and behind its body. */
static void answer_as(exchange *x, const char *before, const char *text, const char *behind)
{
    char value[4096];
    if (!text) body(x, value, sizeof value);
    else snprintf(value, sizeof value, "%s", text);
    tell_text(x, HEAD "Content-Length: %zu\r\n\r\n%s%s%s",
              strlen(before) + strlen(value) + strlen(behind), before, value, behind);
}

static void answer(exchange *x)
{
    answer_as(x, "", NULL, "");
}

/* ---- misbehaviours
 * -------------------------------------------------------------------------------------- */

static void end_exit(exchange *x)
{
    (void)x;
    _exit(3);
}

static void end_segv(exchange *x)
{
    tell_text(x, HEAD "Content-Length: 99\r\n\r\n{");
    crash();
}

static void end_hang(exchange *x)
{
    wait_for_end(x);
}

static void end_partial(exchange *x)
{
    tell_text(x, HEAD "Content-Length: 99\r\n\r\n{\"json");
    wait_for_end(x);
}

static void end_drip(exchange *x)
{
    char value[4096];
    body(x, value, sizeof value);
    tell_text(x, HEAD "Content-Length: %zu\r\n\r\n", strlen(value));
    for (const char *at = value; *at && tell(x->fd, at, 1); at++) usleep(1000);
}

static void end_drip_forever(exchange *x)
{
    tell_text(x, HEAD "Content-Length: 100000\r\n\r\n");
    while (tell(x->fd, " ", 1)) usleep(20000);
    x->last = true;
}

static void end_garbage(exchange *x)
{
    answer_as(x, "", "\xff\xfe\x01garbage\x80{", "");
}

static void end_pollution(exchange *x)
{
    answer_as(x, "starting up...\n", NULL, "");
}

static void end_bom(exchange *x)
{
    answer_as(x, "\xEF\xBB\xBF", NULL, "");
}

static void end_utf16(exchange *x)
{
    static const char text[] = "\xFF\xFE{\0}\0";
    tell_text(x, HEAD "Content-Length: %zu\r\n\r\n", sizeof text - 1);
    tell(x->fd, text, sizeof text - 1);
}

static void end_nul(exchange *x)
{
    tell_text(x, HEAD "Content-Length: 3\r\n\r\n");
    tell(x->fd, "{\0}", 3);
}

static void end_two(exchange *x)
{
    answer_as(x, "{}", NULL, "");
}

static void end_pretty(exchange *x)
{
    answer_as(x, "\n  ", NULL, "\n\n");
}

static void flood(exchange *x, const char *text, size_t bytes)
{
    static char piece[1 << 16];
    size_t len = strlen(text), used = sizeof piece / len * len;
    for (size_t i = 0; i < used; i += len) memcpy(piece + i, text, len);
    for (size_t sent = 0; sent < bytes; sent += used)
        if (!tell(x->fd, piece, used)) break;
    x->last = true;
}

static void end_long(exchange *x)
{
    tell_text(x, HEAD "\r\n\"");
    flood(x, "x", (size_t)64 << 20);
}

static void end_endless(exchange *x)
{
    tell_text(x, HEAD "\r\n\"");
    flood(x, "x", SIZE_MAX / 2);
}

static void end_wrong_id(exchange *x)
{
    snprintf(x->id, sizeof x->id, "987654");
    answer(x);
}

static void end_id_type(exchange *x)
{
    char id[64];
    snprintf(id, sizeof id, "\"%.50s\"", x->id);
    memcpy(x->id, id, sizeof id);
    answer(x);
}

static bool stream(exchange *x)
{
    return tell_text(x, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
}

static void event(exchange *x)
{
    char value[4096];
    body(x, value, sizeof value);
    tell_text(x, "data: %s\n\n", value);
    x->last = true;
}

static void end_stream(exchange *x)
{
    stream(x);
    event(x);
}

static void end_twice(exchange *x)
{
    stream(x);
    event(x);
    event(x);
}

static void end_question(exchange *x)
{
    stream(x);
    tell_text(x, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n");
    event(x);
}

static void end_stream_noise(exchange *x)
{
    stream(x);
    tell_text(x, "data: not JSON\n\n: comment\n\nid: 1\nretry: 5\ndata: {\n\n");
    event(x);
}

static void end_progress_flood(exchange *x)
{
    stream(x);
    for (int i = 0; i < 100000; i++)
        if (!tell_text(
                x,
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                "{\"progressToken\":%s,\"progress\":%d}}\n\n",
                x->id, i))
            break;
    event(x);
}

/* Answers "slow" when its client has gone. */
static void end_late(exchange *x)
{
    if (x->slow) {
        note("waits", "");
        wait_for_end(x);
    }
    answer(x);
    if (x->slow) note("late", "");
}

static void end_cut_stream(exchange *x)
{
    stream(x);
    tell_text(x, "data: {\"jsonrpc\"");
    x->last = true;
}

static void end_event_flood(exchange *x)
{
    stream(x);
    tell_text(x, "data: ");
    flood(x, "x", SIZE_MAX / 2);
}

static void end_no_result(exchange *x)
{
    char text[256];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%.60s,\"result\":{}}", x->id);
    answer_as(x, "", x->plain ? "" : text, "");
}

static void end_is_error(exchange *x)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":%.60s,\"result\":{\"isError\":true,\"content\":[]}}",
             x->id);
    if (x->plain) tell_text(x, "HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n");
    else answer_as(x, "", text, "");
}

static void end_reset(exchange *x)
{
    struct linger hard = {1, 0};
    tell_text(x, HEAD "Content-Length: 99\r\n\r\n{");
    usleep(50000);
    setsockopt(x->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    x->last = true;
}

static void end_short(exchange *x)
{
    tell_text(x, HEAD "Content-Length: 99\r\n\r\n{}");
    x->last = true;
}

static void end_chunks(exchange *x)
{
    tell_text(x, HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
    x->last = true;
}

static void end_headers(exchange *x)
{
    tell_text(x, "HTTP/1.1 200 OK\r\n");
    flood(x, "X-A: b\r\n", (size_t)100 << 20);
}

static void end_gzip(exchange *x)
{
    tell_text(x, HEAD "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x01");
}

static void end_informal(exchange *x)
{
    flood(x, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", (size_t)100 << 20);
}

static void end_redirect(exchange *x)
{
    tell_text(x, "HTTP/1.1 307 Loop\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
}

static void end_slow_head(exchange *x)
{
    tell_text(x, "HTTP/1.1 200 OK\r\n");
    while (tell(x->fd, "X: y\r\n", 6)) usleep(200000);
    x->last = true;
}

static void end_429(exchange *x)
{
    tell_text(x, "HTTP/1.1 429 No\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n");
}

static void end_503(exchange *x)
{
    tell_text(x, "HTTP/1.1 503 No\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
}

static const struct {
    const char *how;
    void (*end)(exchange *x);
} ways[] = {
    {"ok", answer},
    {"exit", end_exit},       /* F30, F32 */
    {"segv", end_segv},       /* F31 */
    {"hang", end_hang},       /* F33 */
    {"partial", end_partial}, /* F34 */
    {"drip", end_drip},       /* F36 */
    {"drip-forever", end_drip_forever},
    {"garbage", end_garbage},     /* F37 */
    {"pollution", end_pollution}, /* F38 */
    {"bom", end_bom},             /* F39 */
    {"utf16", end_utf16},
    {"nul", end_nul},        /* F40 */
    {"two-values", end_two}, /* F41 */
    {"pretty", end_pretty},  /* F42 */
    {"long", end_long},      /* F43 */
    {"endless", end_endless},
    {"wrong-id", end_wrong_id}, /* F44 */
    {"late", end_late},
    {"id-type", end_id_type},
    {"stream", end_stream},
    {"twice", end_twice},
    {"question", end_question},
    {"stream-noise", end_stream_noise},
    {"progress-flood", end_progress_flood}, /* F45 */
    {"no-result", end_no_result},           /* F48 */
    {"is-error", end_is_error},
    {"reset", end_reset}, /* F57 */
    {"short", end_short},
    {"chunks", end_chunks},
    {"cut-stream", end_cut_stream},
    {"event-flood", end_event_flood},
    {"headers", end_headers},
    {"gzip", end_gzip},
    {"informal", end_informal},
    {"redirect", end_redirect},
    {"slow-head", end_slow_head},
    {"429", end_429},
    {"503", end_503},
};
static void (*misbehave)(exchange *x);

/* ---- MCP ------------------------------------------------------------------------------------- */

/* To the stream of events, where that is how this server answers. */
static void result(exchange *x, const char *json)
{
    char text[4096];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%.60s,\"result\":%.3900s}", x->id,
             json);
    if (events_fd < 0) {
        answer_as(x, "", text, "");
        return;
    }
    tell_text(x, "HTTP/1.1 202 Accepted\r\nContent-Length: 8\r\n\r\nAccepted");
    pthread_mutex_lock(&lock);
    exchange to = {.fd = events_fd};
    tell_text(&to, "event: message\ndata: %s\n\n", text);
    pthread_mutex_unlock(&lock);
}

static void serve_call(exchange *x)
{
    char text[2048];
    if (events_fd < 0) {
        misbehave(x);
        return;
    }
    if (misbehave == end_cut_stream) {
        shutdown(events_fd, SHUT_RDWR);
        tell_text(x, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
        return;
    }
    if (misbehave == end_late && x->slow) {
        note("waits", "");
        tell_text(x, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
        return;
    }
    snprintf(text, sizeof text, "{\"content\":[],\"structuredContent\":%s}", x->args);
    result(x, text);
}

/* The answer to a call of "slow" that was cancelled, on the stream of events. */
static void answer_late(exchange *x)
{
    memcpy(x->id, x->given_up, sizeof x->id);
    result(x, "{\"content\":[],\"structuredContent\":{\"late\":true}}");
}

#define TOOLS                                                                                      \
    "\"tools\":[{\"name\":\"t\",\"description\":\"t\",\"annotations\":{\"readOnlyHint\":true},"    \
    "\"inputSchema\":{\"type\":\"object\"}}]"

static void serve_rpc(exchange *x)
{
    bool modern = strcmp(kind, "mcp") == 0;
    const char *version = strcmp(kind, "mcp-old") == 0 ? "2025-11-25" : "2024-11-05";
    char text[512];
    if (misbehave == end_late && events_fd >= 0 &&
        strcmp(x->method, "notifications/cancelled") == 0) {
        answer_late(x);
    } else if (strncmp(x->method, "notifications/", 14) == 0) {
        tell_text(x, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    } else if (strcmp(x->method, "server/discover") == 0 && modern) {
        result(x, "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                  "\"capabilities\":{\"tools\":{}}}");
    } else if (strcmp(x->method, "initialize") == 0 && !modern) {
        snprintf(text, sizeof text,
                 "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
                 "\"serverInfo\":{\"name\":\"bad\",\"version\":\"1\"}}",
                 version);
        result(x, text);
    } else if (strcmp(x->method, "tools/list") == 0) {
        result(x, "{\"resultType\":\"complete\"," TOOLS "}");
    } else if (strcmp(x->method, "tools/call") == 0) {
        serve_call(x);
    } else {
        tell_text(x, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    }
}

static void write_json(yyjson_val *v, char *to, size_t size, const char *other)
{
    char *text = v ? yyjson_val_write(v, 0, NULL) : NULL;
    snprintf(to, size, "%s", text ? text : other);
    free(text);
}

static bool read_rpc(exchange *x)
{
    yyjson_doc *doc = yyjson_read(x->body, strlen(x->body), 0);
    yyjson_val *root = doc ? yyjson_doc_get_root(doc) : NULL;
    const char *method = yyjson_get_str(yyjson_obj_get(root, "method"));
    write_json(yyjson_obj_get(root, "id"), x->id, sizeof x->id, "null");
    write_json(yyjson_obj_get(yyjson_obj_get(root, "params"), "arguments"), x->args, sizeof x->args,
               "{}");
    snprintf(x->method, sizeof x->method, "%s", method ? method : "");
    yyjson_val *params = yyjson_obj_get(root, "params");
    write_json(yyjson_obj_get(params, "requestId"), x->given_up, sizeof x->given_up, "null");
    const char *tool = yyjson_get_str(yyjson_obj_get(params, "name"));
    x->slow = tool && strcmp(tool, "slow") == 0;
    note(x->method, x->body);
    yyjson_doc_free(doc);
    return method != NULL;
}

/* ---- HTTP ------------------------------------------------------------------------------------ */

static void serve_events(exchange *x)
{
    pthread_mutex_lock(&lock);
    events_fd = x->fd;
    stream(x);
    tell_text(x, "event: endpoint\ndata: /messages?s=1\n\n");
    pthread_mutex_unlock(&lock);
    wait_for_end(x);
    pthread_mutex_lock(&lock);
    if (events_fd == x->fd) events_fd = -1; /* else the client has come again already */
    pthread_mutex_unlock(&lock);
}

static void serve_one(exchange *x, const char *line)
{
    bool get = strncmp(line, "GET ", 4) == 0, sse = strcmp(kind, "mcp-sse") == 0;
    if (x->plain) {
        snprintf(x->method, sizeof x->method, "%.*s", (int)strcspn(line, " "), line);
        x->slow = strncmp(line, "GET /slow ", 10) == 0;
        note("request", x->body);
        misbehave(x);
    } else if (sse && get) {
        serve_events(x);
    } else if (get || (sse && strncmp(line, "POST /messages?s=1 ", 19) != 0) || !read_rpc(x)) {
        tell_text(x, "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
    } else {
        serve_rpc(x);
    }
}

/* Reads a head and the body that it announces, into `text`. False: there is none. */
static bool read_request(int fd, char *text, size_t size, char **rest)
{
    size_t len = 0, want = 0;
    char *end = NULL;
    for (;;) {
        ssize_t n = len < size - 1 ? recv(fd, text + len, size - 1 - len, 0) : 0;
        if (n <= 0 || text[0] == 0x16) return false; /* TLS is not spoken here */
        len += (size_t)n;
        text[len] = '\0';
        if (!end) {
            end = strstr(text, "\r\n\r\n");
            const char *field = end ? strcasestr(text, "\r\nContent-Length:") : NULL;
            if (field && field < end) want = strtoul(field + 17, NULL, 10);
        }
        if (end && len >= (size_t)(end + 4 - text) + want) break;
    }
    *rest = end + 4;
    return true;
}

static void *serve_connection(void *argument)
{
    exchange x = {.fd = (int)(intptr_t)argument};
    char *text = malloc(1 << 18), *rest;
    while (text && !x.last && read_request(x.fd, text, 1 << 18, &rest)) {
        x.body = rest;
        x.plain = strcmp(kind, "api") == 0;
        serve_one(&x, text);
    }
    close(x.fd);
    free(text);
    return NULL;
}

static void *end_with_input(void *argument)
{
    char c;
    (void)argument;
    while (read(STDIN_FILENO, &c, 1) > 0) continue;
    _exit(0);
}

int serve_http(const char *what, const char *how)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    pthread_t thread;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    kind = what;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].how, how) == 0) misbehave = ways[i].end;
    if (!misbehave || bind(fd, (struct sockaddr *)&address, len) || listen(fd, 64)) return 97;
    getsockname(fd, (struct sockaddr *)&address, &len);
    signal(SIGPIPE, SIG_IGN);
    if (pthread_create(&thread, NULL, end_with_input, NULL)) return 97;
    char line[32];
    snprintf(line, sizeof line, "%u\n", ntohs(address.sin_port));
    put_text(line);
    for (;;) {
        int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0 || pthread_create(&thread, NULL, serve_connection, (void *)(intptr_t)client))
            return 96;
        pthread_detach(thread);
    }
}
