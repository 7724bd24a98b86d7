/* SPDX-License-Identifier: Apache-2.0 */
/* The server as clients see it: answers, streams, connections, and what happens when they end. */
#include "http_server.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "faults.h"
#include "rows.h"
#include "server_rig.h"

#define POST_ECHO "POST /echo HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 5\r\n\r\nhello"

/* A text in which every %u is the port. */
static fer_str with_port(const rig *r, const char *format, char *out, size_t size)
{
    size_t len = 0;
    for (const char *at = format; *at; at++) {
        if (at[0] == '%' && at[1] == 'u') {
            len += (size_t)snprintf(out + len, size - len, "%u", r->port);
            at++;
        } else {
            out[len++] = *at;
        }
        assert_true(len < size);
    }
    return (fer_str){out, len};
}

static void say(rig *r, rig_client *c, const char *format)
{
    char text[8192];
    client_send(r, c, with_port(r, format, text, sizeof text));
}

static void an_answer(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    for (int i = 0; i < 3; i++) {
        say(&r, &c, POST_ECHO);
        client_wait(&r, &c, "\r\n\r\nhello");
        assert_non_null(strstr(c.got, "Content-Length: 5\r\n"));
        assert_non_null(strstr(c.got, "Date: "));
        assert_null(strstr(c.got, "Connection: "));
        c.len = 0;
    }
    assert_string_equal(r.seen, "POST /echo[hello] POST /echo[hello] POST /echo[hello] ");
    assert_int_equal(fer_http_server_counts(r.server).accepted, 1);
    client_close(&c);
    rig_close(&r);
}

static void a_later_answer(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    say(&r, &c, "GET /later?a=b HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n");
    RIG_UNTIL(&r, r.held_count == 1);
    const fer_inbound *in = fer_exchange_inbound(r.held[0]);
    assert_str(in->path, "/later");
    assert_str(in->query, "a=b");
    assert_true(fer_str_starts(fer_inbound_get(in, "HOST"), "127.0.0.1:"));
    /* A second request waits for the first. */
    say(&r, &c, POST_ECHO);
    rig_turn(&r, 20);
    assert_int_equal(r.request_count, 1);
    assert_int_equal(fer_exchange_reply(r.held[0], 202, NULL, FER_STR_NONE), FER_OK);
    r.held[0] = NULL;
    client_wait(&r, &c, "202 Accepted");
    client_wait(&r, &c, "\r\n\r\nhello");
    assert_int_equal(r.gone_count, 0);
    client_close(&c);
    rig_close(&r);
}

static void a_stream(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    say(&r, &c, "POST /stream HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 0\r\n\r\n");
    client_wait(&r, &c, "\r\n\r\n");
    assert_non_null(strstr(c.got, "Content-Type: text/event-stream\r\n"));
    assert_non_null(strstr(c.got, "Cache-Control: no-store\r\n"));
    assert_non_null(strstr(c.got, "X-Accel-Buffering: no\r\n"));
    assert_int_equal(fer_exchange_write(r.held[0], FER_STR("data: 1\n\n"), NULL), FER_OK);
    client_wait(&r, &c, "9\r\ndata: 1\n\n\r\n");
    assert_int_equal(fer_exchange_write(r.held[0], FER_STR(": \n\n"), NULL), FER_OK);
    fer_exchange_end(r.held[0]);
    r.held[0] = NULL;
    client_wait(&r, &c, "4\r\n: \n\n\r\n0\r\n\r\n");
    say(&r, &c, POST_ECHO);
    client_wait(&r, &c, "\r\n\r\nhello");
    client_close(&c);
    rig_close(&r);
}

static void a_client_that_leaves(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    say(&r, &c, "POST /stream HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 0\r\n\r\n");
    client_wait(&r, &c, "\r\n\r\n");
    client_close(&c);
    RIG_UNTIL(&r, r.gone_count == 1);
    assert_int_equal(r.why, FER_GONE_CLOSED);
    assert_true(fer_exchange_is_gone(r.held[0]));
    rig_close(&r);
    assert_int_equal(r.gone_count, 1);
}

/* ---- rows: bytes in, statuses out ----------------------------------------------------------- */

#define HOST "Host: localhost:%u\r\n"

/* Of every answer its status, with '.' where the connection is then closed; what the handler saw.
 */
static const struct row {
    const char *name, *bytes, *statuses, *seen;
} rows[] = {
    {"an echo", POST_ECHO, "200", "POST /echo[hello] "},
    {"three at once", POST_ECHO POST_ECHO POST_ECHO, "200 200 200",
     "POST /echo[hello] POST /echo[hello] POST /echo[hello] "},
    {"the last one", "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n" POST_ECHO, "200.",
     "GET /[] "},
    {"HTTP/1.0", "GET / HTTP/1.0\r\n" HOST "\r\n", "200.", "GET /[] "},
    {"HTTP/1.0 without a Host", "GET / HTTP/1.0\r\n\r\n", "403.", ""},
    {"HEAD has no body", "HEAD / HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab" POST_ECHO,
     "200 200", "HEAD /[ab] POST /echo[hello] "},
    {"smuggling",
     "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
     "0\r\n\r\n" POST_ECHO,
     "400.", ""},
    {"a good one, then garbage", POST_ECHO "abc\r\n" POST_ECHO, "200 400.", "POST /echo[hello] "},
    {"a body larger than allowed", "POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999\r\n\r\nabc",
     "413.", ""},
    {"a wrong Host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n" POST_ECHO, "403.", ""},
    {"a wrong Host, before its body",
     "POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\n", "403.", ""},
    {"an Origin", "GET / HTTP/1.1\r\n" HOST "Origin: http://evil.example\r\n\r\n", "403.", ""},
    {"two Origins", "GET / HTTP/1.1\r\n" HOST "Origin: a\r\nOrigin: b\r\n\r\n", "403.", ""},
    {"A10 a preflight",
     "OPTIONS / HTTP/1.1\r\n" HOST
     "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
     "403.", ""},
    {"A13 magic fields count for nothing",
     "GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost:%u\r\n\r\n", "403.", ""},
    {"an invitation",
     "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", "100", ""},
    {"early, its body passed over",
     "POST /early HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello" POST_ECHO, "401 200",
     "POST /echo[hello] "},
    {"early, in chunks",
     "POST /early HTTP/1.1\r\n" HOST
     "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n" POST_ECHO,
     "401 200", "POST /echo[hello] "},
    {"early, and chunks that are wrong",
     "POST /early HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
     "401.", ""},
    {"early, too much to pass over",
     "POST /early HTTP/1.1\r\n" HOST "Content-Length: 65537\r\n\r\nhello", "401.", ""},
    {"early, not invited",
     "POST /early HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n", "401.",
     ""},
    {"cut off", "GET /abort HTTP/1.1\r\n" HOST "\r\n" POST_ECHO, ".", "GET /abort[] "},
    {"the server ends", "GET /close HTTP/1.1\r\n" HOST "\r\n" POST_ECHO, ".", "GET /close[] "},
};

/* How many answers are expected, or whether the end of the connection is. */
static bool is_all(const struct row *row, rig_client *c)
{
    char got[64];
    client_read(c);
    client_statuses(c, got, sizeof got);
    return strcmp(got, row->statuses) == 0 && (c->closed || strchr(row->statuses, '.') == NULL);
}

static void run_cut(const struct row *row, size_t step)
{
    rig r;
    rig_client c;
    char text[4096], got[64];
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    fer_str bytes = with_port(&r, row->bytes, text, sizeof text);
    for (size_t at = 0; at < bytes.len && !c.closed; at += step) {
        client_send(&r, &c,
                    fer_str_slice(bytes, at, at + step < bytes.len ? at + step : bytes.len));
        if (step < bytes.len) rig_turn(&r, 0);
        client_read(&c);
    }
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    while (!is_all(row, &c) && rig_now() < end && !c.closed) rig_turn(&r, 1);
    rig_turn(&r, 0);
    client_read(&c);
    client_statuses(&c, got, sizeof got);
    assert_string_equal(got, row->statuses);
    assert_string_equal(r.seen, row->seen);
    client_close(&c);
    rig_close(&r);
}

static void run(const struct row *row)
{
    static const size_t steps[] = {1, 2, 3, 7, 50, SIZE_MAX / 2};
    for (size_t i = 0; i < FER_COUNT(steps); i++) run_cut(row, steps[i]);
}

/* Short reads, short writes and interruptions change nothing (F05-F09). */
static const struct fault_row {
    const char *name, *plan;
} fault_rows[] = {
    {"F05 a byte at a time comes", "recv:short=1@1+"},
    {"F06 short reads", "recv:short=7@1;recv:short=2@2;recv:short=31@3;recv:short=1@4"},
    {"F07 a byte at a time is sent", "send:short=1@1+"},
    {"F08 nothing is there yet", "recv:EAGAIN@1"},
    {"F08 nothing can be sent now", "send:EAGAIN@1;send:EAGAIN@2"},
    {"F09 interrupted", "recv:EINTR@1;recv:EINTR@3;send:EINTR@1"},
    {"F12 a client gives up", "accept:EINTR@1;accept:ECONNABORTED@2"},
};

static void run_fault(const struct fault_row *row)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    assert_true(fer_faults_begin(row->plan));
    say(&r, &c, POST_ECHO POST_ECHO);
    client_wait(&r, &c, "\r\n\r\nhelloHTTP/1.1 200 OK");
    client_wait(&r, &c, "\r\n\r\nhello");
    assert_true(fer_faults_injected() > 0);
    assert_true(fer_faults_begin(NULL));
    client_close(&c);
    rig_close(&r);
}

/* The connection breaks at the n-th write (F10): the holder is told, nothing is left. */
static void a_write_that_fails(void)
{
    for (unsigned n = 1; n <= 4; n++) {
        rig r;
        rig_client c;
        char plan[64];
        rig_open(&r, NULL, NULL);
        client_open(&r, &c);
        snprintf(plan, sizeof plan, "send:%s@%u", n % 2 ? "EPIPE" : "ECONNRESET", n);
        assert_true(fer_faults_begin(plan));
        say(&r, &c, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
        RIG_UNTIL(&r, r.held_count == 1);
        fer_code code = FER_OK;
        for (int i = 0; i < 5 && !code; i++) {
            if (i) rig_turn(&r, 0); /* with which what was written before leaves */
            code = fer_exchange_write(r.held[0], FER_STR("data: 1\n\n"), NULL);
        }
        assert_int_equal(code, FER_CANCELLED);
        assert_int_equal(r.gone_count, 0); /* not from inside */
        RIG_UNTIL(&r, r.gone_count == 1);
        assert_true(fer_faults_begin(NULL));
        client_close(&c);
        rig_close(&r);
    }
}

/* A handler knows whether anything can have happened between a head and its body. */
static void at_once(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    say(&r, &c, POST_ECHO);
    RIG_UNTIL(&r, r.request_count == 1);
    assert_true(r.at_once);
    say(&r, &c, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhel");
    rig_turn(&r, 20);
    say(&r, &c, "lo");
    RIG_UNTIL(&r, r.request_count == 2);
    assert_false(r.at_once);
    say(&r, &c, POST_ECHO POST_ECHO); /* the second is read from what was put aside */
    RIG_UNTIL(&r, r.request_count == 4);
    assert_true(r.at_once);
    client_close(&c);
    rig_close(&r);
}

/* What is little leaves with the end of the turn, in one piece; what is more, at once and behind
 * what was gathered before it. */
static void gathered(void)
{
    static char large[FER_SERVER_GATHER + 1];
    memset(large, 'x', sizeof large);
    for (size_t more = 0; more < 2; more++) {
        rig r;
        rig_client c;
        rig_open(&r, NULL, NULL);
        client_open(&r, &c);
        say(&r, &c, "GET /stream HTTP/1.0\r\n" HOST "\r\n");
        RIG_UNTIL(&r, r.held_count == 1);
        rig_turn(&r, 0);                     /* the head */
        assert_true(fer_faults_begin(NULL)); /* counts */
        assert_int_equal(fer_exchange_write(r.held[0], FER_STR("one "), NULL), FER_OK);
        /* The second fills the place to its last byte, or is one more. */
        fer_str second = {large, FER_SERVER_GATHER - 4 + more};
        assert_int_equal(fer_exchange_write(r.held[0], second, NULL), FER_OK);
        assert_int_equal(fer_faults_calls("send"), 2 * more);
        rig_turn(&r, 0);
        assert_int_equal(fer_faults_calls("send"), 1 + more);
        client_wait(&r, &c, "one xxx");
        fer_exchange_write(r.held[0], FER_STR(" end"), NULL);
        fer_exchange_end(r.held[0]); /* which closes the connection: nothing is left behind */
        r.held[0] = NULL;
        client_wait_closed(&r, &c);
        assert_non_null(strstr(c.got, "x end"));
        client_close(&c);
        rig_close(&r);
    }
}

/* ---- limits in time ------------------------------------------------------------------------- */

static void slow_head(void)
{
    rig r;
    rig_client quiet, slow;
    rig_open(&r, &(fer_server_limits){.head_ms = 100}, NULL);
    client_open(&r, &quiet);
    client_open(&r, &slow);
    /* A byte now and then does not help (slowloris). */
    client_send(&r, &slow, FER_STR("GET / HTTP/1.1\r\nX: "));
    for (int i = 0; i < 1000 && !slow.closed; i++) {
        client_send(&r, &slow, FER_STR("a"));
        rig_turn(&r, 5);
        client_read(&slow);
        if (slow.len) break;
    }
    client_wait_closed(&r, &slow);
    assert_non_null(strstr(slow.got, "408 Request Timeout"));
    assert_int_equal(fer_http_server_counts(r.server).timed_out, 2);
    client_wait_closed(&r, &quiet);
    assert_int_equal(quiet.len, 0);
    client_close(&quiet);
    client_close(&slow);
    rig_close(&r);
}

static void slow_body(void)
{
    rig r;
    rig_client c;
    rig_open(&r, &(fer_server_limits){.body_ms = 200, .body_rate = 1000}, NULL);
    client_open(&r, &c);
    say(&r, &c, "POST / HTTP/1.1\r\n" HOST "Content-Length: 100000\r\n\r\n");
    /* Far above the rate for three windows, then below. */
    int64_t end = rig_now() + 600;
    for (int i = 0; i < 300 && rig_now() < end; i++) {
        client_send(&r, &c, FER_STR("0123456789012345678901234567890123456789"));
        rig_turn(&r, 2);
    }
    client_read(&c);
    assert_int_equal(c.len, 0);
    client_wait_closed(&r, &c);
    assert_non_null(strstr(c.got, "408 Request Timeout"));
    assert_int_equal(r.request_count, 0);
    client_close(&c);
    rig_close(&r);
}

static void idle_time(void)
{
    rig r;
    rig_client c;
    rig_open(&r, &(fer_server_limits){.idle_ms = 100, .head_ms = 20000}, NULL);
    client_open(&r, &c);
    say(&r, &c, POST_ECHO);
    client_wait(&r, &c, "hello");
    client_wait_closed(&r, &c);
    assert_false(c.reset);
    client_close(&c);
    rig_close(&r);
}

/* An exchange that is held has all the time that its holder wants. */
static void held_is_not_idle(void)
{
    rig r;
    rig_client c;
    rig_open(&r, &(fer_server_limits){.idle_ms = 30, .head_ms = 30, .body_ms = 30, .stuck_ms = 30},
             NULL);
    client_open(&r, &c);
    say(&r, &c, "POST /early-later HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab");
    RIG_UNTIL(&r, r.held_count == 1);
    rig_turn(&r, 150);
    client_read(&c);
    assert_false(c.closed);
    assert_int_equal(fer_exchange_inbound(r.held[0])->body.len, 0);
    fer_exchange_reply(r.held[0], 200, NULL, FER_STR("done"));
    r.held[0] = NULL;
    client_wait(&r, &c, "done");
    client_close(&c);
    rig_close(&r);
}

/* ---- readers that do not read --------------------------------------------------------------- */

/* Writes until no more is taken; returns how much was. */
static size_t fill(fer_exchange *x, fer_code *code)
{
    static char piece[16384];
    size_t all = 0;
    memset(piece, 'x', sizeof piece);
    do {
        *code = fer_exchange_write(x, (fer_str){piece, sizeof piece}, NULL);
        all += *code ? 0 : sizeof piece;
    } while (!*code && all < (size_t)64 << 20);
    return all;
}

static void slow_reader(void)
{
    rig r;
    rig_client c;
    fer_code code;
    rig_open(&r, &(fer_server_limits){.stream_max = 100000, .stuck_ms = 300}, NULL);
    client_open(&r, &c);
    say(&r, &c, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
    RIG_UNTIL(&r, r.held_count == 1);
    size_t taken = fill(r.held[0], &code);
    assert_int_equal(code, FER_LIMIT_EXCEEDED);
    size_t waiting = fer_exchange_waiting(r.held[0]);
    assert_true(waiting >= 100000 && waiting < 100000 + 16384 + 16);
    assert_int_equal(fer_http_server_counts(r.server).buffered, waiting);
    /* It reads again, and there is room. */
    RIG_UNTIL(&r, (client_read(&c), c.len = 0, r.drained_count == 1));
    assert_true(fer_exchange_waiting(r.held[0]) <= 50000);
    assert_true(taken > waiting);
    /* It does not, and its time is up. The kernel may take some more at first. */
    RIG_UNTIL(&r, (fill(r.held[0], &code), r.gone_count == 1));
    assert_int_equal(r.why, FER_GONE_SLOW);
    assert_int_equal(fer_exchange_write(r.held[0], FER_STR("x"), NULL), FER_CANCELLED);
    assert_int_equal(fer_http_server_counts(r.server).connections, 0);
    assert_int_equal(fer_http_server_counts(r.server).buffered, 0);
    client_close(&c);
    rig_close(&r);
}

/* What has come of a body is counted, and no more when its client is gone. */
static void half_a_body(void)
{
    rig r;
    rig_client c;
    rig_open(&r, &(fer_server_limits){0}, NULL);
    client_open(&r, &c);
    say(&r, &c, "POST /x HTTP/1.1\r\n" HOST "Content-Length: 10\r\n\r\nabc");
    RIG_UNTIL(&r, fer_http_server_counts(r.server).buffered == 3);
    say(&r, &c, "defg");
    RIG_UNTIL(&r, fer_http_server_counts(r.server).buffered == 7);
    client_close(&c);
    RIG_UNTIL(&r, fer_http_server_counts(r.server).buffered == 0);
    rig_close(&r);
}

/* A byte now and then is not reading: what is taken in each window must come to something. */
static void trickling_reader(void)
{
    rig r;
    rig_client c;
    fer_code code;
    char one;
    rig_open(&r, &(fer_server_limits){.stuck_ms = 300, .send_rate = 100000000}, NULL);
    client_open(&r, &c);
    say(&r, &c, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
    RIG_UNTIL(&r, r.held_count == 1);
    fill(r.held[0], &code);
    RIG_UNTIL(&r, (recv(c.fd, &one, 1, MSG_DONTWAIT), r.gone_count == 1));
    assert_int_equal(r.why, FER_GONE_SLOW);
    client_close(&c);
    rig_close(&r);
}

/* A client that asks and asks and reads nothing gets no further than its own buffers. */
static void greedy_client(void)
{
    rig r;
    rig_client c;
    static char request[70000];
    rig_open(&r, &(fer_server_limits){.stuck_ms = 200}, NULL);
    client_open(&r, &c);
    fer_str head = with_port(&r, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 65536\r\n\r\n",
                             request, sizeof request);
    memset(request + head.len, 'y', 65536);
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    while (fer_http_server_counts(r.server).timed_out == 0 && rig_now() < end) {
        (void)!send(c.fd, request, head.len + 65536, MSG_NOSIGNAL | MSG_DONTWAIT);
        rig_turn(&r, 1);
    }
    assert_int_equal(fer_http_server_counts(r.server).timed_out, 1);
    assert_int_equal(fer_http_server_counts(r.server).connections, 0);
    client_close(&c);
    rig_close(&r);
}

/* ---- ends ----------------------------------------------------------------------------------- */

/* To end one's side is to leave; who is answered nevertheless has the answer. */
static void half_close(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    say(&r, &c, "GET /later HTTP/1.1\r\n" HOST "\r\n");
    shutdown(c.fd, SHUT_WR);
    RIG_UNTIL(&r, r.gone_count == 1);
    assert_int_equal(r.why, FER_GONE_CLOSED);
    fer_exchange_reply(r.held[0], 200, NULL, FER_STR("still"));
    r.held[0] = NULL;
    client_wait(&r, &c, "still");
    client_wait_closed(&r, &c);
    client_close(&c);
    rig_close(&r);
}

/* The same with a second request behind the first, which keeps the server from reading. */
static void leaves_behind_a_second(void)
{
    rig r;
    rig_client c;
    rig_open(&r, NULL, NULL);
    client_open(&r, &c);
    say(&r, &c, "GET /later HTTP/1.1\r\n" HOST "\r\n" POST_ECHO);
    RIG_UNTIL(&r, r.held_count == 1);
    rig_turn(&r, 5);
    client_close(&c);
    RIG_UNTIL(&r, r.gone_count == 1);
    rig_close(&r);
}

static void on_drained(void *context)
{
    rig *r = context;
    r->drain_done = true;
}

static void drain(void)
{
    rig r;
    rig_client idle, busy, streaming, half;
    rig_open(&r, NULL, NULL);
    client_open(&r, &idle);
    client_open(&r, &busy);
    client_open(&r, &streaming);
    client_open(&r, &half);
    say(&r, &idle, POST_ECHO);
    client_wait(&r, &idle, "hello");
    say(&r, &busy, "GET /later HTTP/1.1\r\n" HOST "\r\n");
    RIG_UNTIL(&r, r.held_count == 1);
    say(&r, &streaming, "GET /stream HTTP/1.1\r\n" HOST "\r\n");
    client_wait(&r, &streaming, "\r\n\r\n");
    say(&r, &half, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhel");
    rig_turn(&r, 5);
    fer_http_server_drain(r.server, on_drained, &r);
    client_wait_closed(&r, &idle);
    assert_false(r.drain_done);
    /* A request that had begun is finished, and so is the stream. */
    say(&r, &half, "lo");
    client_wait(&r, &half, "\r\n\r\nhello");
    assert_non_null(strstr(half.got, "Connection: close"));
    fer_exchange_reply(r.held[0], 200, NULL, FER_STR("done"));
    client_wait(&r, &busy, "done");
    assert_non_null(strstr(busy.got, "Connection: close"));
    assert_int_equal(fer_exchange_write(r.held[1], FER_STR("last"), NULL), FER_OK);
    fer_exchange_end(r.held[1]);
    r.held_count = 0;
    client_wait(&r, &streaming, "4\r\nlast\r\n0\r\n\r\n");
    client_close(&half);
    client_close(&busy);
    client_close(&streaming);
    client_close(&idle);
    RIG_UNTIL(&r, r.drain_done);
    rig_close(&r);
}

/* ---- many ----------------------------------------------------------------------------------- */

static void many_connections(void)
{
    enum {
        MANY = 2000
    };
    static rig_client all[MANY];
    rig r;
    rig_open(&r, &(fer_server_limits){.address_max = MANY}, NULL);
    for (int i = 0; i < MANY; i++) {
        client_open(&r, &all[i]);
        free(all[i].got);
        all[i].got = NULL;
        rig_turn(&r, 0);
    }
    RIG_UNTIL(&r, fer_http_server_counts(r.server).accepted == MANY);
    char text[256], answer[512];
    fer_str bytes = with_port(&r, POST_ECHO, text, sizeof text);
    for (int i = 0; i < MANY; i++) client_send(&r, &all[i], bytes);
    RIG_UNTIL(&r, r.request_count == MANY);
    rig_turn(&r, 1); /* what the last turn answered leaves before the next one */
    for (int i = 0; i < MANY; i++) {
        ssize_t n = recv(all[i].fd, answer, sizeof answer - 1, 0);
        assert_true(n > 0);
        answer[n] = '\0';
        assert_non_null(strstr(answer, "\r\n\r\nhello"));
    }
    for (int i = 0; i < MANY; i++) client_close(&all[i]);
    RIG_UNTIL(&r, fer_http_server_counts(r.server).connections == 0);
    rig_close(&r);
}

/* One past the limit is turned away; who is idle makes room. */
static void connections_at_their_limit(void)
{
    rig r;
    rig_client a, b, c, d;
    rig_open(&r, &(fer_server_limits){.conns_max = 2}, NULL);
    client_open(&r, &a);
    client_open(&r, &b);
    say(&r, &a, "GET /later HTTP/1.1\r\n" HOST "\r\n");
    say(&r, &b, "GET /later HTTP/1.1\r\n" HOST "\r\n");
    RIG_UNTIL(&r, r.held_count == 2);
    client_open(&r, &c);
    client_wait_closed(&r, &c);
    assert_non_null(strstr(c.got, "503 Service Unavailable"));
    assert_int_equal(fer_http_server_counts(r.server).turned_away, 1);
    fer_exchange_reply(r.held[0], 200, NULL, FER_STR("first"));
    r.held[0] = NULL;
    client_wait(&r, &a, "first");
    client_open(&r, &d);
    say(&r, &d, POST_ECHO);
    client_wait(&r, &d, "hello");
    client_wait_closed(&r, &a);
    client_close(&a);
    client_close(&b);
    client_close(&c);
    client_close(&d);
    rig_close(&r);
}

static void one_address_at_its_limit(void)
{
    rig r;
    rig_client a, b, c, d;
    rig_open(&r, &(fer_server_limits){.address_max = 2}, NULL);
    client_open(&r, &a);
    client_open(&r, &b);
    RIG_UNTIL(&r, fer_http_server_counts(r.server).connections == 2);
    client_open(&r, &c);
    client_wait_closed(&r, &c);
    client_close(&a);
    RIG_UNTIL(&r, fer_http_server_counts(r.server).connections == 1);
    client_open(&r, &d);
    say(&r, &d, POST_ECHO);
    client_wait(&r, &d, "hello");
    client_close(&b);
    client_close(&c);
    client_close(&d);
    rig_close(&r);
}

/* Without descriptors (F12) clients are turned away, the loop does not spin, and all is well when
 * there are some again. */
static void without_descriptors(void)
{
    rig r;
    rig_client c, d;
    rig_open(&r, NULL, NULL);
    assert_true(fer_faults_begin("accept:EMFILE@1"));
    client_open(&r, &c); /* accepted by means of the reserve, and turned away */
    client_wait_closed(&r, &c);
    assert_int_equal(fer_http_server_counts(r.server).turned_away, 1);
    client_close(&c);
    /* Not even with it: accepting pauses. */
    assert_true(fer_faults_begin("accept:EMFILE@1+"));
    client_open(&r, &d);
    say(&r, &d, POST_ECHO);
    rig_turn(&r, 250);
    assert_in_range(fer_faults_calls("accept"), 2, 60);
    assert_true(fer_faults_begin(NULL));
    client_wait(&r, &d, "hello");
    client_close(&d);
    rig_close(&r);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void ask_once(rig *r)
{
    rig_client c;
    client_open(r, &c);
    say(r, &c, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhe");
    rig_turn(r, 1);
    say(r, &c, "llo");
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    while (client_read(&c), !c.closed && !strstr(c.got, "\r\n\r\n")) {
        if (rig_now() > end) fail_msg("neither an answer nor an end");
        rig_turn(r, 1);
    }
    client_close(&c);
    RIG_UNTIL(r, fer_http_server_counts(r->server).connections == 0);
}

/* Each allocation fails once: there is an answer, or the connection ends, and nothing is left. */
static void without_memory(void)
{
    for (unsigned n = 1;; n++) {
        rig r;
        char plan[32];
        rig_open(&r, NULL, NULL);
        snprintf(plan, sizeof plan, "malloc@%u", n);
        assert_true(fer_faults_begin(plan));
        ask_once(&r);
        bool hit = fer_faults_injected() > 0;
        assert_true(fer_faults_begin(NULL));
        rig_close(&r);
        if (!hit) break;
    }
}

int main(void)
{
    int64_t before = fer_faults_live();
    int failed =
        ROWS_ONE("server", an_answer) + ROWS_ONE("server", a_later_answer) +
        ROWS_ONE("server", a_stream) + ROWS_ONE("server", a_client_that_leaves) +
        ROWS_RUN("server", rows, run) + ROWS_RUN("server under faults", fault_rows, run_fault) +
        ROWS_ONE("server", a_write_that_fails) + ROWS_ONE("server", slow_head) +
        ROWS_ONE("server", slow_body) + ROWS_ONE("server", idle_time) +
        ROWS_ONE("server", held_is_not_idle) + ROWS_ONE("server", slow_reader) +
        ROWS_ONE("server", half_a_body) + ROWS_ONE("server", trickling_reader) +
        ROWS_ONE("server", greedy_client) + ROWS_ONE("server", half_close) +
        ROWS_ONE("server", leaves_behind_a_second) + ROWS_ONE("server", drain) +
        ROWS_ONE("server", at_once) + ROWS_ONE("server", gathered) +
        ROWS_ONE("server", many_connections) + ROWS_ONE("server", connections_at_their_limit) +
        ROWS_ONE("server", one_address_at_its_limit) + ROWS_ONE("server", without_descriptors) +
        ROWS_ONE("server", without_memory);
    if (fer_faults_live() != before) {
        fprintf(stderr, "%lld allocations are left\n", (long long)(fer_faults_live() - before));
        failed++;
    }
    return failed;
}
