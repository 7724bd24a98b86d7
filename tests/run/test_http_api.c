/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP APIs: what each answer means, what faults mean, and a real API, imported and asked. */
#include "http_api.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "faulty_server.h"
#include "openapi.h"
#include "rows.h"

#define SECOND INT64_C(1000000000)
#define SAY(...)                                                                                   \
    {                                                                                              \
        FAULTY_SAY, __VA_ARGS__                                                                    \
    }
#define WAIT(ms)                                                                                   \
    {                                                                                              \
        FAULTY_WAIT, NULL, (ms)                                                                    \
    }
#define CLOSE                                                                                      \
    {                                                                                              \
        FAULTY_CLOSE                                                                               \
    }
#define RESET                                                                                      \
    {                                                                                              \
        FAULTY_RESET                                                                               \
    }
#define OK(type, len, body)                                                                        \
    SAY("HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nContent-Length: " len "\r\n\r\n" body)
#define STATUS(line, len, body)                                                                    \
    SAY("HTTP/1.1 " line "\r\nContent-Type: application/json\r\nContent-Length: " len              \
        "\r\n\r\n" body)

/* ---- one attempt -------------------------------------------------------------------------------
 */

typedef struct trial {
    fer_attempt attempt;
    uv_loop_t loop;
    fer_runner *runner;
    fer_buf out;
    char text[4096];
    bool ended;
    bool stopped;
    int64_t cancel_at; /* 0: never */
    unsigned cancel_on_news;
    unsigned news;
} trial;

static void on_news(fer_attempt *t, fer_news kind, fer_str json)
{
    trial *x = t->call;
    fer_buf_printf(&x->out, "%s %.*s\n", kind == FER_NEWS_CHUNK ? "chunk" : "progress",
                   FER_PRI(json));
    x->news++;
}

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    static const char *const phases[] = {"P0", "P1", "P2", "P3"};
    trial *x = t->call;
    fer_str json = FER_STR_NONE;
    x->ended = true;
    if (o->structured) assert_false(fer_json_write(t->arena, o->structured, false, &json, NULL));
    fer_buf_printf(&x->out, "%s %s %.*s%.*s", o->code ? fer_code_info(o->code)->name : "ok",
                   phases[o->phase], FER_PRI(json), FER_PRI(o->message));
    if (o->details.len) fer_buf_printf(&x->out, "\n%.*s", FER_PRI(o->details));
    if (o->retry_after_ms)
        fer_buf_printf(&x->out, "\nretry after %lld", (long long)o->retry_after_ms);
}

static void on_stopped(fer_runner *r)
{
    ((trial *)r->owner)->stopped = true;
}

static void begin(trial *x, const fer_http_api_settings *s)
{
    fer_err err = {0};
    memset(x, 0, sizeof *x);
    fer_buf_init_fixed(&x->out, x->text, sizeof x->text);
    assert_int_equal(uv_loop_init(&x->loop), 0);
    if (fer_http_api_runner(&x->loop, s, &x->runner, &err)) fail_msg("%s", err.message);
    x->runner->owner = x;
}

static void tick(uv_timer_t *timer)
{
    (void)timer;
}

/* Runs the loop until the attempt has ended, or for some turns more. */
static void work(trial *x)
{
    uv_timer_t timer;
    int64_t start = fer_clock_mono();
    uv_timer_init(&x->loop, &timer);
    uv_timer_start(&timer, tick, 5, 5);
    while (!x->ended) {
        uv_run(&x->loop, UV_RUN_ONCE);
        bool due = x->cancel_at && fer_clock_mono() - start > x->cancel_at;
        if (!x->ended && (due || (x->cancel_on_news && x->news >= x->cancel_on_news)))
            x->runner->kind->cancel(x->runner, &x->attempt, FER_CANCEL_DEADLINE);
        assert_true(fer_clock_mono() - start < 60 * SECOND);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&x->loop, UV_RUN_NOWAIT);
}

static void ask(trial *x, const char *tool, const char *args)
{
    fer_json *doc;
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    assert_false(fer_json_read(a, fer_str_of(args), NULL, &doc, &err));
    x->attempt = (fer_attempt){.arena = a,
                               .runner = x->runner,
                               .tool = fer_str_of(tool),
                               .args = fer_json_root(doc),
                               .args_json = fer_str_of(args),
                               .deadline = fer_clock_mono() + 20 * SECOND,
                               .wants_news = true,
                               .on_news = on_news,
                               .on_end = on_end,
                               .call = x,
                               .traceparent = FER_STR("00-1-2-01"),
                               .idempotency_key = FER_STR("key1")};
    x->ended = false;
    x->runner->kind->call(x->runner, &x->attempt);
    work(x);
    fer_arena_free(a);
}

static void finish(trial *x)
{
    x->runner->kind->stop(x->runner, on_stopped);
    while (!x->stopped) uv_run(&x->loop, UV_RUN_ONCE);
    x->runner->kind->free(x->runner);
    uv_run(&x->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&x->loop), 0);
}

#define TOOL(method)                                                                               \
    "{\"name\":\"t\",\"inputSchema\":{},\"backend\":{\"kind\":\"provider\",\"provider\":{"         \
    "\"providerId\":\"p\",\"toolId\":\"t\",\"http\":{\"method\":\"" method                         \
    "\",\"server\":\"http://127.0.0.1:1\",\"path\":\"/x\"}}}}"

/* ---- answers and faults --------------------------------------------------------------------- */

static const struct row {
    const char *name;
    struct faulty_step script[FAULTY_STEPS];
    const char *expected; /* the start of it */
    int64_t cancel_at;
    unsigned cancel_on_news;
} rows[] = {
    {"JSON", {OK("application/json", "7", "{\"a\":1}")}, "ok P3 {\"a\":1}"},
    {"JSON of a kind", {OK("application/vnd.x+json; charset=utf-8", "1", "1")}, "ok P3 1"},
    {"text", {OK("text/html", "2", "hi")}, "ok P3 \"hi\""},
    {"no type", {SAY("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")}, "ok P3 \"hi\""},
    {"nothing", {SAY("HTTP/1.1 204 No Content\r\n\r\n")}, "ok P3 null"},
    {"an empty body", {OK("application/json", "0", "")}, "ok P3 null"},
    {"broken JSON",
     {OK("application/json", "1", "{")},
     "InvalidOutput P3 what the API answered is no JSON"},
    {"bytes",
     {OK("image/png", "2", "\xFF\xD8")},
     "InvalidOutput P3 answers are JSON or text; this one is \"image/png\", 2 bytes"},
    {"chunked",
     {SAY("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
          "chunked\r\n\r\n2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n")},
     "ok P3 [1]"},
    {"not found",
     {STATUS("404 Not Found", "18", "{\"message\":\"gone\"}")},
     "ToolFailed P3 the API answered with status 404: gone\n{\"status\":404,\"contentType\":"
     "\"application/json\",\"body\":\"{\\\"message\\\":\\\"gone\\\"}\",\"cut\":false}"},
    {"forbidden", {STATUS("403 No", "2", "{}")}, "ToolFailed P3 the API answered with status 403"},
    {"an error",
     {STATUS("500 Oops", "28", "{\"error\":{\"message\":\"oops\"}}")},
     "ToolFailed P3 the API answered with status 500: oops"},
    {"a redirect",
     {SAY("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")},
     "ToolFailed P3 the API answered with status 302"},
    {"too many",
     {SAY("HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n")},
     "RateLimited P1 the API answered with status 429\n{\"status\":429,\"contentType\":\"\","
     "\"cut\":false}\nretry after 3000"},
    {"unavailable",
     {SAY("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")},
     "BackendUnavailable P1 the API answered with status 503"},
    {"a gateway that does not know",
     {SAY("HTTP/1.1 504 Late\r\nContent-Length: 0\r\n\r\n")},
     "BackendUnavailable P2 the API answered with status 504"},
    {"a long error",
     {SAY("HTTP/1.1 400 Bad\r\nContent-Type: text/plain\r\nContent-Length: 3000\r\n\r\n"),
      SAY("xxxxxxxxxx", 300)},
     "ToolFailed P3 the API answered with status 400\n{\"status\":400,\"contentType\":\"text/plain\","
     "\"body\":\"xxxxxxxxxx"},
    /* Streams. */
    {"events",
     {SAY("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), SAY("data: {\"n\":1}\n\n"),
      SAY(": beat\n\ndata: hello\ndata: you\n\n"), CLOSE},
     "chunk {\"n\":1}\nchunk \"hello\\nyou\"\nok P3 [{\"n\":1},\"hello\\nyou\"]"},
    {"lines",
     {SAY("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"),
      SAY("{\"n\":1}\n{\"n\""), SAY(":2}\n\nnot"), CLOSE},
     "chunk {\"n\":1}\nchunk {\"n\":2}\nchunk \"not\"\nok P3 [{\"n\":1},{\"n\":2},\"not\"]"},
    {"events that are lost",
     {SAY("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\n"),
      SAY("data: 1\n\n"), WAIT(300), RESET},
     "chunk 1\nConnectionLost P2 "},
    {"an error is no stream",
     {SAY("HTTP/1.1 400 Bad\r\nContent-Type: text/event-stream\r\nContent-Length: 4\r\n\r\ndata")},
     "ToolFailed P3 the API answered with status 400"},
    /* F57 */
    {"F57 reset before the answer", {RESET}, "ConnectionLost P2 "},
    {"F57 closed before the answer", {CLOSE}, "ConnectionLost P2 "},
    {"F57 reset within the body",
     {OK("application/json", "9", "{\"a\""), RESET},
     "ConnectionLost P2 "},
    {"F57 a length too large", {OK("application/json", "9", "[1]"), CLOSE}, "ConnectionLost P2 "},
    {"F57 a length too small", {OK("application/json", "1", "12"), CLOSE}, "ok P3 1"},
    {"F57 a length that is none", {OK("application/json", "x", "1"), CLOSE}, "InvalidOutput P2 "},
    {"F57 chunks without end",
     {SAY("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n"), CLOSE},
     "ConnectionLost P2 "},
    {"F57 a flood of fields",
     {SAY("HTTP/1.1 200 OK\r\n"), {FAULTY_FLOOD, "A: b\r\n"}},
     "ResourceLimit P2 "},
    {"F57 a flood of 1xx",
     {{FAULTY_FLOOD, "HTTP/1.1 103 Early\r\nA: b\r\n\r\n"}},
     "ResourceLimit P2 "},
    {"F57 a flood of bytes",
     {SAY("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"),
      {FAULTY_FLOOD, "xxxxxxxxxxxxxxxx"}},
     "ResourceLimit P2 "},
    {"F57 compressed",
     {SAY("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1F\x8Bx")},
     "InvalidOutput P2 "},
    {"F57 no HTTP", {SAY("220 smtp ready\r\n"), CLOSE}, "InvalidOutput P2 "},
    {"F57 slow headers",
     {SAY("HTTP/1.1 200 OK\r\n"), WAIT(20000)},
     "Cancelled P2 the request was given up: DeadlineExceeded",
     SECOND / 5},
    {"F57 slow body",
     {OK("application/json", "9", "["), WAIT(20000)},
     "Cancelled P2 the request was given up: DeadlineExceeded",
     SECOND / 5},
    {"given up within a stream",
     {SAY("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"), WAIT(20000)},
     "chunk 1\nCancelled P2 the request was given up: DeadlineExceeded",
     0,
     1},
};

static void run(const struct row *row)
{
    trial x;
    char url[64];
    fer_str record = FER_STR(TOOL("GET"));
    faulty_server *server = faulty_start(&row->script, 1);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", faulty_port(server));
    fer_http_api_settings s = {
        .name = FER_STR("p"), .base_url = fer_str_of(url), .records = &record, .record_count = 1};
    begin(&x, &s);
    x.cancel_at = row->cancel_at;
    x.cancel_on_news = row->cancel_on_news;
    ask(&x, "t", "{}");
    assert_str(fer_str_head(fer_buf_view(&x.out), strlen(row->expected)), row->expected);
    finish(&x);
    assert_true(faulty_requests(server) <= 1);
    faulty_stop(server);
}

/* ---- where requests may go --------------------------------------------------------------------
 */

static const struct place {
    const char *name;
    const char *base;   /* or NULL */
    const char *server; /* of the record */
    const char *expected;
} places[] = {
    {"nobody is there", "http://127.0.0.1:1", "https://x", "BackendUnavailable P0 "},
    {"a document names this machine", NULL, "http://127.0.0.1:1", "Forbidden P0 "},
    {"a document names it by name", NULL, "http://localhost:1", "Forbidden P0 "},
    {"a document names the metadata", NULL, "http://169.254.169.254/latest", "Forbidden P0 "},
    {"a number as an address", NULL, "http://2130706433/", "BadUsage P0 "},
    {"a short address", NULL, "http://127.1/", "BadUsage P0 "},
    {"a mapped address", NULL, "http://[::ffff:127.0.0.1]/", "Forbidden P0 "},
    {"a user in the URL", NULL, "http://a@b/", "BadUsage P0 "},
    {"a file", NULL, "file:///etc/passwd", "BadUsage P0 "},
    {"no host", NULL, "/", "BadUsage P0 "},
};

static void run_place(const struct place *row)
{
    trial x;
    fer_arena *a = fer_arena_new(0);
    fer_str record = fer_arena_printf(
        a,
        "{\"backend\":{\"provider\":{\"toolId\":\"t\",\"http\":{\"method\":\"GET\",\"server\":\"%s\","
        "\"path\":\"/x\"}}}}",
        row->server);
    fer_http_api_settings s = {.name = FER_STR("p"),
                               .base_url = fer_str_of(row->base),
                               .records = &record,
                               .record_count = 1};
    begin(&x, &s);
    ask(&x, "t", "{}");
    assert_str(fer_str_head(fer_buf_view(&x.out), strlen(row->expected)), row->expected);
    finish(&x);
    fer_arena_free(a);
}

/* Secrets go where the operator says, not where a record does. */
static void test_credentials(void)
{
    uv_loop_t loop;
    fer_runner *r;
    fer_err err;
    fer_str record = FER_STR(TOOL("GET"));
    fer_http_api_settings s = {.name = FER_STR("p"), .records = &record, .record_count = 1};
    assert_int_equal(uv_loop_init(&loop), 0);
    s.auth = (fer_http_auth){.kind = FER_HTTP_AUTH_BEARER, .secret = FER_STR("x")};
    assert_int_equal(fer_http_api_runner(&loop, &s, &r, &err), FER_BAD_USAGE);
    record = FER_STR("{}");
    s.auth.kind = FER_HTTP_AUTH_NONE;
    assert_int_equal(fer_http_api_runner(&loop, &s, &r, &err), FER_INVALID_FORMAT);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

/* Stopping ends what is under way. */
static void test_stop(void)
{
    static const struct faulty_step script[FAULTY_STEPS] = {WAIT(20000)};
    trial x;
    char url[64];
    fer_str record = FER_STR(TOOL("POST"));
    faulty_server *server = faulty_start(&script, 1);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", faulty_port(server));
    fer_http_api_settings s = {
        .name = FER_STR("p"), .base_url = fer_str_of(url), .records = &record, .record_count = 1};
    begin(&x, &s);
    fer_json *doc;
    fer_arena *a = fer_arena_new(0);
    fer_runner_status now;
    assert_false(fer_json_read(a, FER_STR("{}"), NULL, &doc, NULL));
    x.attempt = (fer_attempt){.arena = a,
                              .runner = x.runner,
                              .tool = FER_STR("t"),
                              .args = fer_json_root(doc),
                              .deadline = fer_clock_mono() + 20 * SECOND,
                              .on_end = on_end,
                              .call = &x};
    x.runner->kind->call(x.runner, &x.attempt);
    x.runner->kind->status(x.runner, &now);
    assert_int_equal(now.running, 1);
    assert_string_equal(now.detail, "1 operation at 127.0.0.1");
    finish(&x);
    assert_str(fer_str_head(fer_buf_view(&x.out), 12), "Cancelled P0");
    fer_arena_free(a);
    faulty_stop(server);
}

/* ---- a real API --------------------------------------------------------------------------------
 */

typedef struct program {
    pid_t pid;
    int in;
    unsigned port;
} program;

static bool start_program(program *p)
{
    int in[2], out[2];
    char line[32] = "";
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    p->pid = fork();
    if (p->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execlp("python3", "python3", "tests/run/http_api_server.py", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    p->in = in[1];
    /* To the end of the line: it may come in pieces, and the program ends where nobody reads it. */
    size_t len = 0;
    ssize_t got = 1;
    while (got > 0 && len < sizeof line - 1 && !strchr(line, '\n')) {
        got = read(out[0], line + len, sizeof line - 1 - len);
        len += got > 0 ? (size_t)got : 0;
    }
    close(out[0]);
    p->port = (unsigned)strtoul(line, NULL, 10);
    return p->port != 0;
}

static void end_program(const program *p)
{
    close(p->in);
    waitpid(p->pid, NULL, 0);
}

static const struct real {
    const char *tool;
    const char *args;
    const char *expected;
} reals[] = {
    {"books_list", "{\"limit\":5,\"genre\":[\"a\",\"b c\"],\"filter\":{\"author\":\"Eliot\"}}",
     "ok P3 [{\"id\":\"1\",\"title\":\"{\\\"filter[author]\\\": [\\\"Eliot\\\"], \\\"genre\\\": "
     "[\\\"a,b c\\\"], \\\"limit\\\": [\\\"5\\\"]}\",\"pages\":880}]"},
    {"books_add", "{\"title\":\"Emma\",\"pages\":474}",
     "ok P3 {\"title\":\"Emma\",\"pages\":474,\"id\":\"2\"}"},
    {"books_get", "{\"id\":\"1\"}", "ok P3 {\"id\":\"1\",\"title\":\"Middlemarch\",\"pages\":880}"},
    {"books_get", "{\"id\":\"../../x\"}",
     "ToolFailed P3 the API answered with status 404: no book ../../x"},
    {"books_replace", "{\"id\":\"1\",\"body\":{\"title\":\"x\"}}",
     "BackendUnavailable P1 the API answered with status 503: later"},
    {"books_remove", "{\"id\":\"1\"}", "ok P3 null"},
    {"POST_loans_search", "{\"reader\":\"a&b\",\"open\":true}",
     "ok P3 [{\"kind\":\"loan\",\"book\":\"reader=a%26b&open=true "
     "application/x-www-form-urlencoded\"}]"},
    {"no_such", "{}", "BackendUnavailable P0 the API has no operation of that name"},
};

static fer_openapi import_library(fer_arena *a)
{
    fer_openapi made;
    fer_json *doc;
    fer_err err;
    static char text[20000];
    FILE *file = fopen("tests/app/data/openapi/library.yaml", "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_false(fer_yaml_read(a, (fer_str){text, size}, NULL, &doc, &err));
    assert_false(fer_openapi_import(a, doc, NULL, &made, &err));
    return made;
}

static void test_real_api(void)
{
    program p;
    trial x;
    char url[64];
    fer_str records[16];
    fer_arena *a = fer_arena_new(0);
    fer_openapi made = import_library(a);
    if (!start_program(&p)) {
        end_program(&p);
        fer_arena_free(a);
        print_message("# skipped: no python3\n");
        skip();
    }
    for (size_t i = 0; i < made.count; i++) records[i] = made.tools[i].record;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/api/", p.port);
    fer_http_api_settings s = {.name = FER_STR("the-library"),
                               .base_url = fer_str_of(url),
                               .records = records,
                               .record_count = made.count,
                               .auth = {FER_HTTP_AUTH_KEY, FER_HTTP_IN_HEADER, FER_STR("X-Key"),
                                        .secret = FER_STR("hunter2")}};
    begin(&x, &s);
    for (size_t i = 0; i < FER_COUNT(reals); i++) {
        x.out.len = 0;
        ask(&x, reals[i].tool, reals[i].args);
        assert_str(fer_str_head(fer_buf_view(&x.out), strlen(reals[i].expected)),
                   reals[i].expected);
    }
    finish(&x);
    s.auth.secret = FER_STR("wrong");
    begin(&x, &s);
    ask(&x, "books_get", "{\"id\":\"1\"}");
    assert_str(fer_str_head(fer_buf_view(&x.out), 53),
               "ToolFailed P3 the API answered with status 401: no ke");
    finish(&x);
    end_program(&p);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("answers", rows, run) + ROWS_RUN("places", places, run_place) +
           ROWS_ONE("http", test_credentials) + ROWS_ONE("http", test_stop) +
           ROWS_ONE("http", test_real_api);
}
