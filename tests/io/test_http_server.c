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

int main(void)
{
    return ROWS_ONE("server", an_answer) + ROWS_ONE("server", a_later_answer) +
           ROWS_ONE("server", a_stream) + ROWS_ONE("server", a_client_that_leaves);
}
