/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of every kind, whole and broken, and requests that must not be made: one row each. */
#include "http_fetch.h"

#include <stdlib.h>

#include "clock.h"
#include "faulty_server.h"
#include "rows.h"

#define SAY(...)                                                                                   \
    {                                                                                              \
        FAULTY_SAY, __VA_ARGS__                                                                    \
    }
#define WAIT(ms)                                                                                   \
    {                                                                                              \
        FAULTY_WAIT, NULL, (ms)                                                                    \
    }
#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define X16     "xxxxxxxxxxxxxxxx"
#define X64     X16 X16 X16 X16
#define X256    X64 X64 X64 X64
#define X1K     X256 X256 X256 X256
#define MS      INT64_C(1000000)
#define LATE_BY 100 /* milliseconds that a deadline may be missed by */
#define TRIES   5   /* on a machine that is busy with other things */

/* ---- one answer ----------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    struct faulty_step script[FAULTY_STEPS];
    fer_http_fault fault;
    unsigned status;
    const char *body; /* NULL: not looked at */
    uint32_t timeout_ms, idle_ms;
    size_t head_max, body_max;
} rows[] = {
    {"plain", {SAY(OK_HEAD "Content-Length: 2\r\n\r\nhi")}, FER_HTTP_FINE, 200, "hi"},
    {"nothing in it", {SAY("HTTP/1.1 204 No\r\n\r\n")}, FER_HTTP_FINE, 204, ""},
    {"202", {SAY("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")}, FER_HTTP_FINE, 202, ""},
    {"a status of failure is an answer",
     {SAY("HTTP/1.1 500 X\r\nContent-Length: 3\r\n\r\nbad")},
     FER_HTTP_FINE,
     500,
     "bad"},
    {"until the end of the connection",
     {SAY(OK_HEAD "\r\nhello"), {FAULTY_CLOSE}},
     FER_HTTP_FINE,
     200,
     "hello"},
    {"chunks",
     {SAY(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")},
     FER_HTTP_FINE,
     200,
     "abc"},
    {"chunks, cut anywhere",
     {SAY(OK_HEAD "Transfer-Enc"), WAIT(5), SAY("oding: chunked\r\n\r\n1"), WAIT(5), SAY("\r\na\r"),
      WAIT(5), SAY("\n2\r\nbc\r\n0\r\n\r\n")},
     FER_HTTP_FINE,
     200,
     "abc"},
    {"a trailer",
     {SAY(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n")},
     FER_HTTP_FINE,
     200,
     "a"},
    {"100 first",
     {SAY("HTTP/1.1 100 Continue\r\n\r\n" OK_HEAD "Content-Length: 1\r\n\r\na")},
     FER_HTTP_FINE,
     200,
     "a"},
    {"103 first",
     {SAY("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" OK_HEAD "Content-Length: 1\r\n\r\na")},
     FER_HTTP_FINE,
     200,
     "a"},
    {"slow head, in time",
     {WAIT(60), SAY(OK_HEAD "Content-Length: 1\r\n\r\na")},
     FER_HTTP_FINE,
     200,
     "a",
     5000},
    {"more than announced is dropped",
     {SAY(OK_HEAD "Content-Length: 2\r\n\r\nhiHTTP/1.1 500 ")},
     FER_HTTP_FINE,
     200,
     "hi"},
    {"redirect is an answer",
     {SAY("HTTP/1.1 302 X\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n")},
     FER_HTTP_FINE,
     302,
     ""},
    {"no head in time", {WAIT(3000)}, FER_HTTP_LATE, 0, NULL, 150},
    {"no body in time",
     {SAY(OK_HEAD "Content-Length: 9\r\n\r\na"), WAIT(3000)},
     FER_HTTP_LATE,
     0,
     NULL,
     150},
    {"slow drip",
     {SAY(OK_HEAD "Content-Length: 99\r\n\r\na"), WAIT(60), SAY("b"), WAIT(60), SAY("c"), WAIT(60),
      SAY("d"), WAIT(3000)},
     FER_HTTP_LATE,
     0,
     NULL,
     200,
     150},
    {"nothing comes", {WAIT(3000)}, FER_HTTP_IDLE, 0, NULL, 5000, 100},
    {"nothing more comes",
     {SAY(OK_HEAD "Content-Length: 9\r\n\r\na"), WAIT(3000)},
     FER_HTTP_IDLE,
     0,
     NULL,
     5000,
     100},
    {"closed at once", {{FAULTY_CLOSE}}, FER_HTTP_LOST, 0},
    {"reset at once", {{FAULTY_RESET}}, FER_HTTP_LOST, 0},
    {"closed in the head", {SAY(OK_HEAD "Content-Len"), {FAULTY_CLOSE}}, FER_HTTP_LOST, 0},
    {"reset in the body",
     {SAY(OK_HEAD "Content-Length: 9\r\n\r\nabc"), WAIT(20), {FAULTY_RESET}},
     FER_HTTP_LOST,
     0},
    {"less than announced",
     {SAY(OK_HEAD "Content-Length: 9\r\n\r\nabc"), {FAULTY_CLOSE}},
     FER_HTTP_LOST,
     0},
    {"chunks without an end",
     {SAY(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), {FAULTY_CLOSE}},
     FER_HTTP_LOST,
     0},
    {"a chunk of no size",
     {SAY(OK_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n")},
     FER_HTTP_MALFORMED,
     0},
    {"not HTTP", {SAY("SSH-2.0-OpenSSH_9.2\r\n"), {FAULTY_CLOSE}}, FER_HTTP_MALFORMED, 0},
    {"a length that is none",
     {SAY(OK_HEAD "Content-Length: a\r\n\r\nabc"), {FAULTY_CLOSE}},
     FER_HTTP_MALFORMED,
     0},
    {"a folded line",
     {SAY(OK_HEAD "A: b\r\n c\r\nContent-Length: 0\r\n\r\n")},
     FER_HTTP_MALFORMED,
     0},
    {"a line without a name",
     {SAY(OK_HEAD ": b\r\nContent-Length: 0\r\n\r\n")},
     FER_HTTP_MALFORMED,
     0},
    {"compressed, though nobody asked",
     {SAY(OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx")},
     FER_HTTP_MALFORMED,
     0},
    {"a body of all that may be",
     {SAY(OK_HEAD "Content-Length: 64\r\n\r\n" X64)},
     FER_HTTP_FINE,
     200,
     X64,
     0,
     0,
     0,
     64},
    {"announced too large",
     {SAY(OK_HEAD "Content-Length: 64\r\n\r\n" X64)},
     FER_HTTP_BODY_LARGE,
     0,
     NULL,
     0,
     0,
     0,
     63},
    {"too large without saying so",
     {SAY(OK_HEAD "\r\n" X64), {FAULTY_CLOSE}},
     FER_HTTP_BODY_LARGE,
     0,
     NULL,
     0,
     0,
     0,
     63},
    {"a body without an end", {SAY(OK_HEAD "\r\n"), {FAULTY_FLOOD, X1K}}, FER_HTTP_BODY_LARGE, 0},
    {"a head of all that may be",
     {SAY("HTTP/1.1 204 No\r\nX: " X64 "\r\n\r\n")},
     FER_HTTP_FINE,
     204,
     "",
     0,
     0,
     17 + 3 + 64 + 2 + 2},
    {"a head of one more",
     {SAY("HTTP/1.1 204 No\r\nX: " X64 "\r\n\r\n")},
     FER_HTTP_HEAD_LARGE,
     0,
     NULL,
     0,
     0,
     17 + 3 + 64 + 2 + 1},
    {"the default of heads",
     {SAY("HTTP/1.1 204 No\r\n"), SAY("X: " X1K "\r\n", 33), SAY("\r\n")},
     FER_HTTP_HEAD_LARGE,
     0},
    {"a head without an end",
     {SAY(OK_HEAD), {FAULTY_FLOOD, "X: " X1K "\r\n"}},
     FER_HTTP_HEAD_LARGE,
     0},
    {"a line of a head without an end",
     {SAY(OK_HEAD "X: "), {FAULTY_FLOOD, X1K}},
     FER_HTTP_HEAD_LARGE,
     0},
    {"as many fields as may be",
     {SAY("HTTP/1.1 204 No\r\n"), SAY("a: b\r\n", 100), SAY("\r\n")},
     FER_HTTP_FINE,
     204,
     ""},
    {"one more",
     {SAY("HTTP/1.1 204 No\r\n"), SAY("a: b\r\n", 101), SAY("\r\n")},
     FER_HTTP_HEAD_LARGE,
     0},
    {"1xx without an end",
     {{FAULTY_FLOOD, "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"}},
     FER_HTTP_HEAD_LARGE,
     0},
};

static fer_net_rules *rules_for(unsigned port)
{
    char what[64];
    fer_err err;
    fer_net_rules *r = fer_net_rules_new();
    snprintf(what, sizeof what, "127.0.0.1:%u", port);
    assert_non_null(r);
    assert_int_equal(fer_net_rules_allow(r, fer_str_of(what), &err), FER_OK);
    return r;
}

static const char *url_of(unsigned port)
{
    static char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/path?token=hunter2", port);
    return url;
}

static void run(const struct row *row)
{
    int64_t before = fer_faults_live();
    faulty_server *s = faulty_start(&row->script, 1);
    fer_arena *a = fer_arena_new(0);
    fer_net_rules *rules = rules_for(faulty_port(s));
    fer_http_fetcher *f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    const fer_http_field key = {FER_STR("Authorization"), FER_STR("Bearer hunter2")};
    fer_http_request r = {.url = fer_str_of(url_of(faulty_port(s))),
                          .fields = &key,
                          .field_count = 1,
                          .idle_ms = row->idle_ms,
                          .head_max = row->head_max,
                          .body_max = row->body_max};
    fer_http_answer answer;
    fer_err err = {0};
    if (row->timeout_ms) r.deadline_ns = fer_clock_mono() + row->timeout_ms * MS;
    fer_code code = fer_http_fetch(a, f, &r, &answer, &err);
    assert_string_equal(fer_http_fault_rows[answer.fault].name,
                        fer_http_fault_rows[row->fault].name);
    assert_int_equal(code, fer_http_fault_rows[row->fault].code);
    assert_int_equal(answer.head.status, row->status);
    assert_true(answer.sent);
    if (row->body) assert_str(answer.body, row->body);
    if (code) assert_true(err.message[0] && !strstr(err.message, "hunter2"));
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    fer_arena_free(a);
    faulty_stop(s);
    assert_int_equal(fer_faults_live(), before);
}

/* ---- requests that are not made ------------------------------------------------------------- */

static const struct bad_row {
    const char *name;
    fer_http_field field;
    const char *method;
    fer_code code;
} bad_rows[] = {
    {"N20 Host", {FER_STR("Host"), FER_STR("10.0.0.1")}, NULL, FER_BAD_USAGE},
    {"N20 Host in other letters", {FER_STR("hOST"), FER_STR("10.0.0.1")}, NULL, FER_BAD_USAGE},
    {"framing", {FER_STR("Transfer-Encoding"), FER_STR("chunked")}, NULL, FER_BAD_USAGE},
    {"length", {FER_STR("Content-Length"), FER_STR("0")}, NULL, FER_BAD_USAGE},
    {"a line in a value", {FER_STR("A"), FER_STR("b\r\nHost: 10.0.0.1")}, NULL, FER_BAD_USAGE},
    {"a line in a name", {FER_STR("A: b\r\nC"), FER_STR("d")}, NULL, FER_BAD_USAGE},
    {"no name", {FER_STR(""), FER_STR("d")}, NULL, FER_BAD_USAGE},
    {"a line in a method", {FER_STR("A"), FER_STR("b")}, "GET / HTTP/1.1\r\n", FER_BAD_USAGE},
    {"no method", {FER_STR("A"), FER_STR("b")}, "", FER_BAD_USAGE},
    {"CONNECT", {FER_STR("A"), FER_STR("b")}, "CONNECT", FER_BAD_USAGE},
    {"as it should be", {FER_STR("A"), FER_STR("")}, "DELETE", FER_OK},
};

static const struct faulty_step fine[FAULTY_STEPS] = {
    SAY(OK_HEAD
        "Content-Length: 2\r\nRetry-After: 7\r\nContent-Type: Application/JSON ; x=y\r\n\r\nhi")};

static void run_bad(const struct bad_row *row)
{
    faulty_server *s = faulty_start(&fine, 1);
    fer_arena *a = fer_arena_new(0);
    fer_net_rules *rules = rules_for(faulty_port(s));
    fer_http_fetcher *f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    fer_http_request r = {.url = fer_str_of(url_of(faulty_port(s))),
                          .method = row->method ? fer_str_of(row->method) : FER_STR_NONE,
                          .fields = &row->field,
                          .field_count = 1};
    fer_http_answer answer;
    fer_err err;
    assert_int_equal(fer_http_fetch(a, f, &r, &answer, &err), row->code);
    assert_int_equal(faulty_requests(s), row->code ? 0 : 1);
    if (!row->code) {
        assert_true(faulty_was_told(s, "DELETE /path?token=hunter2 HTTP/1.1\r\n"));
        assert_true(faulty_was_told(s, "\r\nA:\r\n"));
    }
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    fer_arena_free(a);
    faulty_stop(s);
}

static void heads(void)
{
    faulty_server *s = faulty_start(&fine, 1);
    fer_arena *a = fer_arena_new(0);
    fer_net_rules *rules = rules_for(faulty_port(s));
    fer_http_fetcher *f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    fer_http_field fields[FER_HTTP_FIELDS_MAX + 1];
    for (size_t i = 0; i < FER_COUNT(fields); i++)
        fields[i] = (fer_http_field){FER_STR("A"), FER_STR("b")};
    fer_http_request r = {.url = fer_str_of(url_of(faulty_port(s))),
                          .fields = fields,
                          .field_count = FER_HTTP_FIELDS_MAX,
                          .body = FER_STR("{\"a\":1}")};
    fer_http_answer answer;
    fer_err err;
    assert_int_equal(fer_http_fetch(a, f, &r, &answer, &err), FER_OK);
    assert_true(faulty_was_told(s, "POST /path"));
    assert_true(faulty_was_told(s, "\r\n\r\n{\"a\":1}"));
    assert_false(faulty_was_told(s, "Accept-Encoding"));
    assert_str(fer_http_head_get(&answer.head, "RETRY-after"), "7");
    assert_int_equal(fer_http_retry_after_ms(&answer.head), 7000);
    assert_true(fer_http_head_is(&answer.head, "application/json"));
    assert_false(fer_http_head_is(&answer.head, "text/event-stream"));
    assert_null(fer_http_head_get(&answer.head, "nope").ptr);
    r.field_count++;
    assert_int_equal(fer_http_fetch(a, f, &r, &answer, &err), FER_LIMIT_EXCEEDED);
    char *large = calloc(1, FER_HTTP_SEND_MAX + 1);
    r = (fer_http_request){.url = r.url, .body = {large, FER_HTTP_SEND_MAX + 1}};
    assert_int_equal(fer_http_fetch(a, f, &r, &answer, &err), FER_LIMIT_EXCEEDED);
    free(large);
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    fer_arena_free(a);
    faulty_stop(s);
}

static const struct after_row {
    const char *name; /* the field's value */
    int64_t least, most;
} after_rows[] = {
    {"0", 0, 0},
    {"120", 120000, 120000},
    {"Wed, 21 Oct 2015 07:28:00 GMT", 0, 0},
    {"Fri, 31 Dec 2100 23:59:59 GMT", 1, INT64_MAX},
    {"soon", -1, -1},
    {"-1", -1, -1},
    {"", -1, -1},
};

static void run_after(const struct after_row *row)
{
    const fer_http_field field = {FER_STR("Retry-After"), fer_str_of(row->name)};
    const fer_http_head head = {429, &field, 1};
    int64_t ms = fer_http_retry_after_ms(&head);
    assert_true(ms >= row->least && ms <= row->most);
}

/* ---- time ----------------------------------------------------------------------------------- */

static const struct faulty_step silent[FAULTY_STEPS] = {WAIT(5000)};

/* How much later than asked the answer is late. */
static int64_t missed_by(fer_http_fetcher *f, unsigned port, uint32_t deadline, uint32_t idle)
{
    fer_arena *a = fer_arena_new(0);
    fer_http_answer answer;
    fer_err err;
    int64_t start = fer_clock_mono(), wanted = idle ? idle : deadline;
    fer_http_request r = {
        .url = fer_str_of(url_of(port)), .deadline_ns = start + deadline * MS, .idle_ms = idle};
    assert_int_equal(fer_http_fetch(a, f, &r, &answer, &err), FER_TIMEOUT);
    int64_t took = (fer_clock_mono() - start) / MS;
    fer_arena_free(a);
    assert_true(took >= wanted - 1);
    return took - wanted;
}

static void deadlines_are_kept(void)
{
    static const uint32_t times[][2] = {{50, 0}, {300, 0}, {5000, 80}};
    faulty_server *s = faulty_start(&silent, 1);
    fer_net_rules *rules = rules_for(faulty_port(s));
    fer_http_fetcher *f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    for (size_t i = 0; i < FER_COUNT(times); i++) {
        int64_t late = INT64_MAX;
        for (int t = 0; t < TRIES && late > LATE_BY; t++)
            late = missed_by(f, faulty_port(s), times[i][0], times[i][1]);
        assert_true(late <= LATE_BY);
    }
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    faulty_stop(s);
}

static void past_deadlines_send_nothing(void)
{
    faulty_server *s = faulty_start(&fine, 1);
    fer_net_rules *rules = rules_for(faulty_port(s));
    fer_http_fetcher *f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    fer_arena *a = fer_arena_new(0);
    fer_http_answer answer;
    fer_err err;
    fer_http_request r = {.url = fer_str_of(url_of(faulty_port(s))), .deadline_ns = 1};
    assert_int_equal(fer_http_fetch(a, f, &r, &answer, &err), FER_TIMEOUT);
    assert_false(answer.sent);
    assert_int_equal(faulty_connections(s), 0);
    fer_arena_free(a);
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    faulty_stop(s);
}

/* ---- without memory ------------------------------------------------------------------------- */

static fer_code attempt(fer_arena *unused, const void *row)
{
    const unsigned *port = row;
    fer_http_answer answer;
    fer_err err;
    (void)unused;
    fer_arena *a = fer_arena_new(0);
    fer_net_rules *rules = fer_net_rules_new();
    if (rules && fer_net_rules_allow_url(rules, fer_str_of(url_of(*port)), &err)) abort();
    fer_http_fetcher *f = rules ? fer_http_fetcher_new(&(fer_http_options){.rules = rules}) : NULL;
    fer_http_request r = {.url = fer_str_of(url_of(*port)), .body = FER_STR("x")};
    fer_code code = FER_OUT_OF_MEMORY;
    if (a && f) code = fer_http_fetch(a, f, &r, &answer, &err);
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    fer_arena_free(a);
    return code;
}

static void without_memory(void)
{
    faulty_server *s = faulty_start(&fine, 1);
    unsigned port = faulty_port(s);
    assert_true(rows_torture_malloc(attempt, &port) > 5);
    faulty_stop(s);
}

int main(void)
{
    return ROWS_RUN("answers", rows, run) + ROWS_RUN("requests", bad_rows, run_bad) +
           ROWS_RUN("retry-after", after_rows, run_after) + ROWS_ONE("fetch", heads) +
           ROWS_ONE("fetch", deadlines_are_kept) + ROWS_ONE("fetch", past_deadlines_send_nothing) +
           ROWS_ONE("fetch", without_memory);
}
