/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "mcp-http" with a server that answers by a script: statuses, streams, sessions, losses.
 */
#include <stdlib.h>

#include "../io/faulty_server.h"
#include "link_http.h"
#include "runner_rig.h"

#define ANSWERS 8

/* ---- what a server answers ---------------------------------------------------------------------
 */

#define JSON "Content-Type: application/json\r\n"
#define SSE  "Content-Type: text/event-stream; charset=utf-8\r\n"

#define OLD                                                                                            \
    {                                                                                                  \
        "400 Bad Request", JSON,                                                                       \
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"no session\"},\"id\":null}" \
    }
#define HELLO(id, session, tools)                                                                  \
    {                                                                                              \
        "200 OK", JSON session,                                                                    \
            "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"protocolVersion\":\"2025-11-25\","   \
            "\"capabilities\":{\"tools\":" tools                                                   \
            "},\"serverInfo\":{\"name\":\"h\",\"version\":\"1\"}}}"                                \
    }
#define ACCEPTED                                                                                   \
    {                                                                                              \
        "202 Accepted", "", ""                                                                     \
    }
#define RESULT(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                              \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}"
#define PROGRESS(id)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" id \
    ",\"progress\":1}}"
#define LEGACY OLD, HELLO("2", "Mcp-Session-Id: s-1\r\n", "{}"), ACCEPTED
#define MODERN                                                                                       \
    {                                                                                                \
        "200 OK", JSON,                                                                              \
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"ttlMs\":0,"     \
            "\"cacheScope\":\"public\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}" \
    }
#define GONE                                                                                              \
    {                                                                                                     \
        "404 Not Found", JSON,                                                                            \
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"what session?\"},\"id\":null}" \
    }

#define POLL                                                                                       \
    {                                                                                              \
        "200 OK", SSE, "retry: 10\nid: e-1\ndata:\n\n"                                             \
    }

static const struct row {
    const char *name;
    struct answer {
        const char *status, *fields, *body;
    } answers[ANSWERS];
    fer_code code;
    fer_phase phase;
    const char *said;    /* the value, or the message */
    const char *told[4]; /* that the last request held */
    unsigned news;
    int64_t retry_after_ms;
} rows[] = {
    {"an older server, JSON",
     {LEGACY, {"200 OK", JSON, RESULT("3")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"Mcp-Session-Id: s-1\r\n", "MCP-Protocol-Version: 2025-11-25\r\n",
      "Accept: application/json, text/event-stream\r\n", "Authorization: Bearer sesame\r\n"},
     0,
     0},
    {"an older server, a stream",
     {LEGACY,
      {"200 OK", SSE,
       "event: message\ndata: " PROGRESS("3") "\n\n: still here\n\n"
                                              "data: " RESULT("3") "\n\n"}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"POST "},
     1,
     0},
    {"an older server without sessions",
     {OLD, HELLO("2", "", "{}"), ACCEPTED, {"200 OK", JSON, RESULT("3")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"\"method\":\"tools/call\""},
     0,
     0},
    {"an older server that does not know the method",
     {{"200 OK", JSON,
       "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":"
       "{\"code\":-32601,\"message\":\"?\"}}"},
      HELLO("2", "", "{}"),
      ACCEPTED,
      {"200 OK", JSON, RESULT("3")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"tools/call"},
     0,
     0},
    {"an older server that fails at what it does not know",
     {{"500 Oops", "", "oops"}, HELLO("2", "", "{}"), ACCEPTED, {"200 OK", JSON, RESULT("3")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"tools/call"},
     0,
     0},
    {"a modern server",
     {MODERN, {"200 OK", JSON, RESULT("2")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"MCP-Protocol-Version: 2026-07-28\r\n", "Mcp-Method: tools/call\r\n",
      "Mcp-Name: =?base64?ZcOpIGE=?=\r\n", "io.modelcontextprotocol/clientCapabilities\":{}"},
     0,
     0},
    {"a modern server, a stream",
     {MODERN, {"200 OK", SSE, "data: " PROGRESS("2") "\n\ndata: " RESULT("2") "\n\n"}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"POST "},
     1,
     0},
    {"the session is gone",
     {LEGACY,
      GONE,
      HELLO("4", "Mcp-Session-Id: s-2\r\n", "{}"),
      ACCEPTED,
      {"200 OK", JSON, RESULT("5")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"Mcp-Session-Id: s-2\r\n", "\"id\":5"},
     0,
     0},
    {"the session is gone, said by 400",
     {LEGACY,
      OLD,
      HELLO("4", "Mcp-Session-Id: s-2\r\n", "{}"),
      ACCEPTED,
      {"200 OK", JSON, RESULT("5")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"Mcp-Session-Id: s-2\r\n", "\"id\":5"},
     0,
     0},
    {"the session is gone twice",
     {LEGACY, GONE, HELLO("4", "Mcp-Session-Id: s-2\r\n", "{}"), ACCEPTED, GONE},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOT_PROCESSED,
     "the server does not take the request (HTTP status 404)",
     {"Mcp-Session-Id: s-2\r\n"},
     0,
     0},
    {"who asks?",
     {{"401 Unauthorized", "WWW-Authenticate: Bearer\r\n", ""}},
     FER_UNAUTHENTICATED,
     FER_PHASE_NOTHING_SENT,
     "the server wants to know who asks (401)",
     {"server/discover"},
     0,
     0},
    {"who asks for this?",
     {LEGACY,
      {"401 Unauthorized", JSON,
       "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,"
       "\"message\":\"x\"}}"}},
     FER_UNAUTHENTICATED,
     FER_PHASE_NOT_PROCESSED,
     "the server wants to know who asks (401)",
     {"tools/call"},
     0,
     0},
    {"not allowed",
     {{"403 Forbidden", "", ""}},
     FER_FORBIDDEN,
     FER_PHASE_NOTHING_SENT,
     "the server does not allow it (403)",
     {"server/discover"},
     0,
     0},
    {"no time",
     {LEGACY, {"503 Later", "Retry-After: 7\r\n", ""}},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOT_PROCESSED,
     "the server has no time (503)",
     {"tools/call"},
     0,
     7000},
    {"too many",
     {LEGACY, {"429 Too Many", "Retry-After: 1\r\n", ""}},
     FER_RATE_LIMITED,
     FER_PHASE_NOT_PROCESSED,
     "the server has had too many requests (429)",
     {"tools/call"},
     0,
     1000},
    {"too many, with an error beside it",
     {LEGACY,
      {"429 Too Many", JSON "Retry-After: 2\r\n",
       "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32000,\"message\":\"x\"}}"}},
     FER_RATE_LIMITED,
     FER_PHASE_NOT_PROCESSED,
     "the server has had too many requests (429)",
     {"tools/call"},
     0,
     2000},
    {"no time, with an error beside it",
     {LEGACY,
      {"503 Later", JSON "Retry-After: 3\r\n",
       "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32000,\"message\":\"x\"}}"}},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOT_PROCESSED,
     "the server has no time (503)",
     {"tools/call"},
     0,
     3000},
    {"broken before",
     {LEGACY, {"502 Bad Gateway", "", "<html>"}},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_AMBIGUOUS,
     "the server, or what is before it, failed (HTTP status 502)",
     {"tools/call"},
     0,
     0},
    {"elsewhere",
     {LEGACY, {"307 Temporary Redirect", "Location: http://127.0.0.1:1/\r\n", ""}},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOT_PROCESSED,
     "the server sends us elsewhere (HTTP status 307)",
     {"tools/call"},
     0,
     0},
    {"an error with its status",
     {LEGACY,
      {"400 Bad Request", JSON,
       "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":"
       "-32602,\"message\":\"no tool\"}}"}},
     FER_TOOL_FAILED,
     FER_PHASE_DEFINITE,
     "no tool",
     {"tools/call"},
     0,
     0},
    {"accepted, and no more",
     {LEGACY, ACCEPTED},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_AMBIGUOUS,
     "the server gave no answer to the request",
     {"tools/call"},
     0,
     0},
    {"no message",
     {LEGACY, {"200 OK", JSON, "{\"ok\":true}"}},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_AMBIGUOUS,
     "the server gave no answer to the request",
     {"tools/call"},
     0,
     0},
    {"the answer to another",
     {LEGACY, {"200 OK", JSON, RESULT("7")}},
     FER_BACKEND_UNAVAILABLE,
     FER_PHASE_AMBIGUOUS,
     "the server gave no answer to the request",
     {"tools/call"},
     0,
     0},
    {"a stream that ends too early",
     {LEGACY, {"200 OK", SSE, "data: " PROGRESS("3") "\n\n"}},
     FER_CONNECTION_LOST,
     FER_PHASE_AMBIGUOUS,
     "the stream ended before the answer",
     {"tools/call"},
     1,
     0},
    {"a stream that is taken up again",
     {LEGACY,
      {"200 OK", SSE, "retry: 10\nid: e-1\ndata:\n\n"},
      {"200 OK", SSE, "id: e-2\ndata: " RESULT("3") "\n\n"}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"GET ", "Last-Event-ID: e-1\r\n", "Mcp-Session-Id: s-1\r\n", "Accept: text/event-stream\r\n"},
     0,
     0},
    {"a stream that is taken up again and again",
     {LEGACY, POLL, POLL, POLL, POLL, {"200 OK", SSE, "data: " RESULT("3") "\n\n"}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"GET ", "Last-Event-ID: e-1\r\n"},
     0,
     0},
    {"a stream that cannot be taken up again",
     {LEGACY, {"200 OK", SSE, "retry: 10\nid: e-1\ndata:\n\n"}, {"405 No", "", ""}},
     FER_CONNECTION_LOST,
     FER_PHASE_AMBIGUOUS,
     "the stream ended before the answer",
     {"Last-Event-ID: e-1\r\n"},
     0,
     0},
    {"a modern stream is not taken up again",
     {MODERN, {"200 OK", SSE, "retry: 10\nid: e-1\ndata:\n\n"}},
     FER_CONNECTION_LOST,
     FER_PHASE_AMBIGUOUS,
     "the stream ended before the answer",
     {"POST "},
     0,
     0},
    {"a session that is no ID",
     {OLD, HELLO("2", "Mcp-Session-Id: s 1\r\n", "{}"), ACCEPTED, {"200 OK", JSON, RESULT("3")}},
     FER_OK,
     FER_PHASE_DEFINITE,
     "\"hi\"",
     {"tools/call"},
     0,
     0},
};

/* ---- the server
 * ------------------------------------------------------------------------------------ */

typedef struct faulty_step scripts[ANSWERS][FAULTY_STEPS];

static const char *http_text(fer_arena *a, const struct answer *answer)
{
    return fer_arena_printf(a, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", answer->status,
                            answer->fields, strlen(answer->body), answer->body)
        .ptr;
}

static faulty_server *serve(fer_arena *a, const struct answer *answers, size_t max, scripts *to)
{
    size_t count = 0;
    memset(to, 0, sizeof *to);
    for (; count < max && answers[count].status; count++)
        (*to)[count][0] = (struct faulty_step){FAULTY_SAY, http_text(a, &answers[count]), 0};
    return faulty_start((const struct faulty_step(*)[FAULTY_STEPS]) * to, count);
}

static void connect_to(rig *r, unsigned port)
{
    static const fer_http_field fields[] = {{{"Authorization", 13}, {"Bearer sesame", 13}}};
    fer_str url = fer_arena_printf(r->arena, "http://127.0.0.1:%u/mcp", port);
    r->runner = fer_mcp_http_runner(
        &r->loop, r->http,
        &(fer_mcp_http_settings){
            .name = FER_STR("h"), .url = url, .fields = fields, .field_count = 1});
    assert_non_null(r->runner);
}

static void run(const struct row *row)
{
    scripts s;
    rig r;
    rig_call c;
    rig_init(&r);
    faulty_server *server = serve(r.arena, row->answers, ANSWERS, &s);
    connect_to(&r, faulty_port(server));
    rig_call_do(&r, &c, "e\xC3\xA9 a", "{}");
    assert_code(&c, row->code);
    assert_int_equal(c.outcome.phase, row->phase);
    assert_str(row->code ? c.outcome.message : c.value, row->said);
    assert_int_equal(c.news, row->news);
    assert_int_equal(c.outcome.retry_after_ms, row->retry_after_ms);
    for (size_t i = 0; i < FER_COUNT(row->told) && row->told[i]; i++)
        if (!faulty_was_told(server, row->told[i])) fail_msg("was not told: %s", row->told[i]);
    rig_stop(&r);
    faulty_stop(server);
    rig_deinit(&r);
}

/* ---- more
 * ------------------------------------------------------------------------------------------- */

/* A session ends with DELETE. */
static void goodbye(void)
{
    static const struct answer answers[] = {
        LEGACY, {"200 OK", JSON, RESULT("3")}, {"200 OK", "", ""}, {NULL}};
    scripts s;
    rig r;
    rig_call c;
    rig_init(&r);
    faulty_server *server = serve(r.arena, answers, FER_COUNT(answers), &s);
    connect_to(&r, faulty_port(server));
    rig_call_do(&r, &c, "t", "{}");
    assert_string_equal(rig_status(&r).detail, "2025-11-25, h 1");
    rig_stop(&r);
    assert_true(faulty_was_told(server, "DELETE /mcp"));
    assert_true(faulty_was_told(server, "Mcp-Session-Id: s-1\r\n"));
    rig_stop(&r);
    faulty_stop(server);
    rig_deinit(&r);
}

/* What an older server says unasked comes on a stream of its own. */
static void on_changed(fer_runner *runner, const fer_token_owner *owner)
{
    assert_true(fer_token_owner_is_nobody(owner));
    ((rig *)runner->owner)->changes++;
}

static bool has_changed(rig *r, void *context)
{
    (void)context;
    return r->changes > 0;
}

static bool was_read(rig *r, void *server)
{
    (void)r;
    return faulty_was_read(server);
}

static void news(void)
{
    static const struct answer answers[] = {
        OLD,
        HELLO("2", "Mcp-Session-Id: s-1\r\n", "{\"listChanged\":true}"),
        ACCEPTED,
        {"200 OK", SSE,
         "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"},
        {NULL}};
    scripts s;
    rig r;
    rig_call c;
    rig_init(&r);
    faulty_server *server = serve(r.arena, answers, FER_COUNT(answers), &s);
    connect_to(&r, faulty_port(server));
    r.runner->owner = &r;
    r.runner->changed = on_changed;
    rig_call_begin(&r, &c, "t", "{}"); /* which of both requests gets which answer is not known */
    rig_until(&r, has_changed, NULL);
    rig_until(&r, was_read, server);
    rig_stop(&r);
    faulty_stop(server);
    rig_deinit(&r);
}

static bool heard_cancel(rig *r, void *server)
{
    (void)r;
    return faulty_was_told(server, "notifications/cancelled");
}

static bool heard_call(rig *r, void *server)
{
    (void)r;
    return faulty_was_told(server, "tools/call");
}

/* An older server is told; a modern one sees that the connection ends. */
static void cancelling(void)
{
    static const struct answer old[] = {LEGACY, {NULL}}, modern[] = {MODERN, {NULL}};
    for (int i = 0; i < 2; i++) {
        scripts s;
        rig r;
        rig_call c;
        size_t count = i ? 1 : 3;
        rig_init(&r);
        memset(&s, 0, sizeof s);
        for (size_t k = 0; k < count; k++)
            s[k][0] =
                (struct faulty_step){FAULTY_SAY, http_text(r.arena, i ? &modern[k] : &old[k]), 0};
        s[count][0] = (struct faulty_step){FAULTY_WAIT, NULL, 60000};
        s[count][1] = (struct faulty_step){FAULTY_CLOSE, NULL, 0};
        s[count + 1][0] = (struct faulty_step){
            FAULTY_SAY, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", 0};
        faulty_server *server =
            faulty_start((const struct faulty_step(*)[FAULTY_STEPS])s, count + 2);
        connect_to(&r, faulty_port(server));
        rig_call_begin(&r, &c, "t", "{}");
        rig_until(&r, heard_call, server);
        r.runner->kind->cancel(r.runner, &c.attempt, FER_CANCEL_CLIENT_CANCELLED);
        assert_true(c.ended);
        assert_code(&c, FER_CANCELLED);
        assert_int_equal(c.outcome.phase, FER_PHASE_AMBIGUOUS);
        if (!i) rig_until(&r, heard_cancel, server);
        rig_stop(&r);
        assert_int_equal(faulty_was_told(server, "notifications/cancelled"), false);
        faulty_stop(server);
        rig_deinit(&r);
    }
}

/* What is given up while nothing of it has left did not happen. */
static void given_up_early(void)
{
    rig r;
    rig_call c;
    rig_init(&r);
    connect_to(&r, 1);
    rig_call_begin(&r, &c, "t", "{}");
    r.runner->kind->cancel(r.runner, &c.attempt, FER_CANCEL_DEADLINE);
    assert_code(&c, FER_DEADLINE_EXCEEDED);
    assert_int_equal(c.outcome.phase, FER_PHASE_NOTHING_SENT);
    rig_deinit(&r);
}

/* Transport loss: a reset in the middle, an answer without end, nobody there. */
static void losses(void)
{
    static const struct {
        struct faulty_step step[2];
        fer_code code;
    } ways[] = {
        {{{FAULTY_RESET, NULL, 0}}, FER_CONNECTION_LOST},
        {{{FAULTY_SAY, "HTTP/1.1 200 OK\r\n" JSON "Content-Length: 100\r\n\r\n{", 0},
          {FAULTY_CLOSE, NULL, 0}},
         FER_CONNECTION_LOST},
        {{{FAULTY_SAY, "HTTP/1.1 200 OK\r\n" JSON "\r\n", 0},
          {FAULTY_FLOOD, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0}},
         FER_RESOURCE_LIMIT},
        {{{FAULTY_SAY, "HTTP/1.1 200 OK\r\n" SSE "\r\ndata: ", 0},
          {FAULTY_FLOOD, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0}},
         FER_RESOURCE_LIMIT},
    };
    static const struct answer modern = MODERN;
    for (size_t i = 0; i < FER_COUNT(ways); i++) {
        scripts s;
        rig r;
        rig_call c;
        rig_init(&r);
        memset(&s, 0, sizeof s);
        s[0][0] = (struct faulty_step){FAULTY_SAY, http_text(r.arena, &modern), 0};
        memcpy(s[1], ways[i].step, sizeof ways[i].step);
        faulty_server *server = faulty_start((const struct faulty_step(*)[FAULTY_STEPS])s, 2);
        connect_to(&r, faulty_port(server));
        rig_call_do(&r, &c, "t", "{}");
        assert_code(&c, ways[i].code);
        assert_int_equal(c.outcome.phase, FER_PHASE_AMBIGUOUS);
        rig_stop(&r);
        faulty_stop(server);
        rig_deinit(&r);
    }
}

static void nobody(void)
{
    rig r;
    rig_call c;
    rig_init(&r);
    connect_to(&r, 1);
    rig_call_do(&r, &c, "t", "{}");
    assert_code(&c, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(c.outcome.phase, FER_PHASE_NOTHING_SENT);
    assert_null(memmem(c.outcome.message.ptr, c.outcome.message.len, "sesame", 6));
    rig_deinit(&r);
}

/* link.session: an ID of 1024 bytes is kept, one of 1025 is none. */
static void session_size(void)
{
    for (int extra = 0; extra < 2; extra++) {
        rig r;
        rig_call c;
        scripts s;
        rig_init(&r);
        char *id = fer_arena_alloc_zero(r.arena, 1, FER_LINK_SESSION_MAX + 2);
        memset(id, 'i', (size_t)FER_LINK_SESSION_MAX + (size_t)extra);
        const struct answer hello = HELLO("2", "", "{}");
        const struct answer answers[] = {
            OLD,
            {hello.status, fer_arena_printf(r.arena, JSON "Mcp-Session-Id: %s\r\n", id).ptr,
             hello.body},
            ACCEPTED,
            {"200 OK", JSON, RESULT("3")},
            {NULL}};
        faulty_server *server = serve(r.arena, answers, FER_COUNT(answers), &s);
        connect_to(&r, faulty_port(server));
        rig_call_do(&r, &c, "t", "{}");
        assert_code(&c, FER_OK);
        assert_int_equal(faulty_was_told(server, "Mcp-Session-Id: iii"), extra == 0);
        rig_stop(&r);
        faulty_stop(server);
        rig_deinit(&r);
    }
}

int main(void)
{
    return ROWS_RUN("mcp_http", rows, run) + ROWS_ONE("mcp_http", goodbye) +
           ROWS_ONE("mcp_http", news) + ROWS_ONE("mcp_http", cancelling) +
           ROWS_ONE("mcp_http", given_up_early) + ROWS_ONE("mcp_http", losses) +
           ROWS_ONE("mcp_http", nobody) + ROWS_ONE("mcp_http", session_size);
}
