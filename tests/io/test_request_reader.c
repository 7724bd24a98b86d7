/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as bytes and what is understood, however they are cut: H01-H25 and the edges of limits.
 */
#include "request_reader.h"

#include <stdlib.h>

#include "buf.h"
#include "faults.h"
#include "rows.h"

#define H   "Host: a\r\n"
#define TE  "Transfer-Encoding: chunked\r\n"
#define GET "GET / HTTP/1.1\r\n" H
#define PUT "POST / HTTP/1.1\r\n" H

/* What is read: "METHOD target[body]" for each request, with '-' where the connection is not used
 * again; then "!name" of a refusal, or "..." where a request is not whole. */
static const struct row {
    const char *name, *bytes, *outcome;
    size_t len; /* of bytes with NUL in them; 0: strlen */
} rows[] = {
    {"nothing", "", ""},
    {"plain", GET "\r\n", "GET /[]"},
    {"two", GET "\r\n" PUT "Content-Length: 3\r\n\r\nabc", "GET /[] POST /[abc]"},
    {"a body by its length", PUT "Content-Length: 3\r\n\r\nabc", "POST /[abc]"},
    {"length 0", PUT "Content-Length: 0\r\n\r\n", "POST /[]"},
    {"zeros in front are digits", PUT "Content-Length: 003\r\n\r\nabc", "POST /[abc]"},
    {"chunks", PUT TE "\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "POST /[abcde]"},
    {"chunk sizes are hexadecimal", PUT TE "\r\nA\r\n0123456789\r\n0\r\n\r\n",
     "POST /[0123456789]"},
    {"no chunk at all", PUT TE "\r\n0\r\n\r\n", "POST /[]"},
    {"two in chunks", PUT TE "\r\n1\r\na\r\n0\r\n\r\n" PUT TE "\r\n1\r\nb\r\n0\r\n\r\n",
     "POST /[a] POST /[b]"},
    {"names and codings in any case",
     "POST / HTTP/1.1\r\nhOST: a\r\ntransfer-ENCODING: ChunKed\r\n\r\n1\r\na\r\n0\r\n\r\n",
     "POST /[a]"},
    {"a target with a query", "GET /a/b?c=d&e=%20 HTTP/1.1\r\n" H "\r\n", "GET /a/b?c=d&e=%20[]"},
    {"the last one", GET "Connection: close\r\n\r\n", "GET /[]-"},
    {"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "GET /[]-"},
    {"HTTP/1.0 that would stay", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /[]-"},
    {"options of all", "OPTIONS * HTTP/1.1\r\n" H "\r\n", "OPTIONS *[]"},
    {"HEAD and DELETE", "HEAD / HTTP/1.1\r\n" H "\r\nDELETE /x HTTP/1.1\r\n" H "\r\n",
     "HEAD /[] DELETE /x[]"},
    {"it waits to be invited", PUT "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\na",
     "POST /[a]+"},
    {"nothing to be invited for", GET "Expect: 100-continue\r\n\r\n", "GET /[]"},
    {"values with tabs and UTF-8", GET "X: a\tb \xC3\xA9\t \r\nY:\r\n\r\n", "GET /[]"},
    {"not whole", "GET / HT", "..."},
    {"not whole, in its body", PUT "Content-Length: 3\r\n\r\nab", "..."},
    {"not whole, in a chunk", PUT TE "\r\n3\r\nab", "..."},

    {"H01 CL.TE", PUT "Content-Length: 6\r\n" TE "\r\n0\r\n\r\nG", "!framing"},
    {"H02 TE.CL", PUT TE "Content-Length: 4\r\n\r\n5c\r\n", "!framing"},
    {"H03 TE twice", PUT TE "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", "!coding"},
    {"H03 TE chunked twice", PUT TE TE "\r\n0\r\n\r\n", "!coding"},
    {"H03 TE list", PUT "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "!coding"},
    {"H03 TE not last", PUT "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "!coding"},
    {"H03 TE chunked, chunked", PUT "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
     "!coding"},
    {"H04 TE xchunked", PUT "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "!coding"},
    {"H04 TE identity", PUT "Transfer-Encoding: identity\r\n\r\n", "!coding"},
    {"H04 TE empty", PUT "Transfer-Encoding:\r\n\r\n", "!coding"},
    {"H04 TE quoted", PUT "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", "!coding"},
    {"H04 TE with a parameter", PUT "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n", "!coding"},
    {"H04 TE behind a vertical tab", PUT "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n",
     "!syntax"},
    {"H04 TE with a blank before the colon", PUT "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
     "!syntax"},
    {"H04 TE with NUL", PUT "Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n", "!syntax",
     sizeof PUT "Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n" - 1},
    {"H04 TE in HTTP/1.0", "POST / HTTP/1.0\r\n" H TE "\r\n0\r\n\r\n", "!coding"},
    {"H04 its blanks are allowed", PUT "Transfer-Encoding: \t chunked\r\n\r\n0\r\n\r\n",
     "POST /[]"},
    {"H04 blanks behind it are not", PUT "Transfer-Encoding: chunked \t\r\n\r\n0\r\n\r\n",
     "!coding"},
    {"H05 two lengths", PUT "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "!length"},
    {"H05 the same twice", PUT "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "!length"},
    {"H06 +5", PUT "Content-Length: +5\r\n\r\nabcde", "!length"},
    {"H06 -5", PUT "Content-Length: -5\r\n\r\nabcde", "!length"},
    {"H07 5,5", PUT "Content-Length: 5,5\r\n\r\nabcde", "!length"},
    {"H07 5 5", PUT "Content-Length: 5 5\r\n\r\nabcde", "!length"},
    {"H07 0x5", PUT "Content-Length: 0x5\r\n\r\nabcde", "!length"},
    {"H07 empty", PUT "Content-Length: \r\n\r\n", "!length"},
    {"H07 5.0", PUT "Content-Length: 5.0\r\n\r\nabcde", "!length"},
    {"H08 past 64 bits", PUT "Content-Length: 99999999999999999999\r\n\r\n", "!length"},
    {"H08 2^64 + 5", PUT "Content-Length: 18446744073709551621\r\n\r\nabcde", "!length"},
    {"H08 2^63", PUT "Content-Length: 9223372036854775808\r\n\r\n", "!body"},
    {"H09 LF behind the first line", "GET / HTTP/1.1\n" H "\r\n", "!syntax"},
    {"H09 LF behind a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", "!syntax"},
    {"H09 LF for the empty line", GET "\n", "!syntax"},
    {"H09 LF behind a chunk size", PUT TE "\r\n3\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H09 LF behind a chunk", PUT TE "\r\n3\r\nabc\n0\r\n\r\n", "!chunk"},
    {"H09 LF at the end", PUT TE "\r\n0\r\n\n", "!chunk"},
    {"H10 CR alone", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", "!syntax"},
    {"H10 CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", "!syntax"},
    {"H11 a folded line", GET "X: a\r\n b\r\n\r\n", "!syntax"},
    {"H11 a folded line of framing", PUT "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
     "!syntax"},
    {"H11 a blank before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "!syntax"},
    {"H12 NUL in a value", GET "X: a\0b\r\n\r\n", "!syntax", sizeof GET "X: a\0b\r\n\r\n" - 1},
    {"H12 NUL in a name", GET "X\0: a\r\n\r\n", "!syntax", sizeof GET "X\0: a\r\n\r\n" - 1},
    {"H12 NUL in a target", "GET /\0 HTTP/1.1\r\n" H "\r\n", "!target",
     sizeof "GET /\0 HTTP/1.1\r\n" H "\r\n" - 1},
    {"H12 DEL in a value", GET "X: a\x7f\r\n\r\n", "!syntax"},
    {"H12 escape in a value", GET "X: \x1b[31m\r\n\r\n", "!syntax"},
    {"H13 a chunk extension", PUT TE "\r\n3;a=b\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H13 an extension of the last chunk", PUT TE "\r\n0;a\r\n\r\n", "!chunk"},
    {"H13 an empty extension", PUT TE "\r\n3;\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H13 a blank behind a size", PUT TE "\r\n3 \r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H14 a chunk past 64 bits", PUT TE "\r\nFFFFFFFFFFFFFFFFF\r\n", "!chunk"},
    {"H14 a chunk of 2^64 - 1", PUT TE "\r\nFFFFFFFFFFFFFFFF\r\n", "!body"},
    {"H14 0x3", PUT TE "\r\n0x3\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H14 -3", PUT TE "\r\n-3\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H14 no size", PUT TE "\r\n\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H14 longer than it says", PUT TE "\r\n2\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H14 shorter than it says", PUT TE "\r\n4\r\nabc\r\n0\r\n\r\n", "!chunk"},
    {"H15 a trailer", PUT TE "\r\n0\r\nX: a\r\n\r\n", "!chunk"},
    {"H15 a trailer that frames", PUT TE "\r\n0\r\nContent-Length: 3\r\n\r\nabc", "!chunk"},
    {"H16 another request behind", PUT "Content-Length: 1\r\n\r\na" GET "\r\n",
     "POST /[a] GET /[]"},
    {"H16 bytes behind that are none", GET "\r\nabc", "GET /[] !syntax"},
    {"H16 an empty line in front", "\r\n" GET "\r\n", "!syntax"},
    {"H16 an empty line behind", GET "\r\n\r\n", "GET /[] !syntax"},
    {"H16 bytes behind the last one", GET "Connection: close\r\n\r\nabc", "GET /[]-"},
    {"H17 absolute form", "GET http://a/ HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 no slash", "GET a HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 a fragment", "GET /#a HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 a star", "GET * HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 half an escape", "GET /a%2 HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 no escape", "GET /a%zz HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 an escaped NUL", "GET /a%00 HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H25 a tab behind Host", "GET / HTTP/1.1\r\nHost: a\t\r\n\r\n", "!value"},
    {"H17 a backslash", "GET /a\\b HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H17 past ASCII", "GET /\xC3\xA9 HTTP/1.1\r\n" H "\r\n", "!target"},
    {"H18 CONNECT", "CONNECT a:443 HTTP/1.1\r\n" H "\r\n", "!method"},
    {"H19 another expectation", PUT "Expect: 200-ok\r\nContent-Length: 1\r\n\r\na", "!expect"},
    {"H19 two expectations",
     PUT "Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na", "!expect"},
    {"H20 h2c", GET "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n", "!upgrade"},
    {"H20 WebSocket", GET "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "!upgrade"},
    {"H20 without Connection", GET "Upgrade: h2c\r\n\r\n", "!upgrade"},
    {"H21 HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "!version"},
    {"H21 HTTP/1.2", "GET / HTTP/1.2\r\n" H "\r\n", "!version"},
    {"H21 HTTP/2.0", "GET / HTTP/2.0\r\n" H "\r\n", "!version"},
    {"H21 HTTP/0.9", "GET /\r\n\r\n", "!version"},
    {"H21 lower case", "GET / http/1.1\r\n" H "\r\n", "!syntax"},
    {"H21 11", "GET / HTTP/11\r\n" H "\r\n", "!syntax"},
    {"H22 no Host", "GET / HTTP/1.1\r\n\r\n", "!host"},
    {"H22 two Hosts", GET H "\r\n", "!host"},
    {"H23 an unknown method", "BREW / HTTP/1.1\r\n" H "\r\n", "!method"},
    {"H23 lower case", "get / HTTP/1.1\r\n" H "\r\n", "!syntax"},
    {"H23 TLS", "\x16\x03\x01\x02\x01", "!syntax"},
    {"H23 a tab behind the method", "GET\t/ HTTP/1.1\r\n" H "\r\n", "!method"},
    {"H24 two blanks", "GET  / HTTP/1.1\r\n" H "\r\n", "!syntax"},
    {"H24 two blanks behind the target", "GET /  HTTP/1.1\r\n" H "\r\n", "!syntax"},
    {"H24 a blank behind the version", "GET / HTTP/1.1 \r\n" H "\r\n", "!syntax"},
    {"H24 more behind the target", "GET / /b HTTP/1.1\r\n" H "\r\n", "!syntax"},
    {"H24 two blanks and a wrong version", "GET  / HTTP/9.9\r\n" H "\r\n", "!version"},
    {"H15 a trailer that is wrong", PUT TE "\r\n0\r\nO\n", "!chunk"},
    {"H25 no name", GET ": a\r\n\r\n", "!syntax"},
    {"H25 no colon", GET "abc\r\n\r\n", "!syntax"},
    {"H25 a blank in a name", GET "X Y: a\r\n\r\n", "!syntax"},
    {"H25 a name past ASCII", GET "\xC3\xA9: a\r\n\r\n", "!syntax"},
};

static const fer_reader_limits limits = {32768, 100, 8192, 4096};

/* Reads pieces and writes down what comes of them. A refusal is the last. */
typedef struct reading {
    fer_arena *arena;
    fer_request_reader reader;
    fer_request request;
    bool open, over;
    fer_buf out;
} reading;

static void tell_request(reading *g)
{
    const fer_request *q = &g->request;
    if (g->out.len) fer_buf_add_char(&g->out, ' ');
    fer_buf_add(&g->out, q->method);
    fer_buf_add_char(&g->out, ' ');
    fer_buf_add(&g->out, q->target);
    fer_buf_printf(&g->out, "[%.*s]", (int)q->body_len, q->body ? q->body : "");
    if (!q->keep_alive) fer_buf_add_char(&g->out, '-');
    if (q->continues) fer_buf_add_char(&g->out, '+');
    g->over = !q->keep_alive;
}

static void feed(reading *g, fer_str bytes)
{
    while (!g->over) {
        if (!g->open && !bytes.len) return;
        if (!g->open) {
            fer_request_init(&g->request, g->arena);
            fer_reader_begin(&g->reader, &g->request);
            g->open = true;
        }
        fer_read_step step = fer_reader_feed(&g->reader, &bytes);
        if (step == FER_READ_MORE) return;
        if (step == FER_READ_HEAD) continue;
        if (step == FER_READ_WHOLE) tell_request(g);
        if (step == FER_READ_REFUSED) {
            fer_buf_printf(&g->out, "%s!%s", g->out.len ? " " : "",
                           fer_refusal_rows[g->reader.refusal].name);
            g->over = true;
        }
        fer_request_deinit(&g->request);
        g->open = false;
    }
}

static void reading_begin(reading *g, const fer_reader_limits *l)
{
    *g = (reading){.arena = fer_arena_new(0)};
    assert_non_null(g->arena);
    fer_buf_init(&g->out, g->arena, 1 << 20);
    fer_request_reader_init(&g->reader, l);
}

static void reading_end(reading *g, const char *outcome)
{
    if (g->open) fer_buf_add_text(&g->out, "...");
    if (g->open) fer_request_deinit(&g->request);
    assert_str(fer_buf_view(&g->out), outcome);
    fer_arena_free(g->arena);
}

/* Whole, byte by byte, and cut in two at every place. */
static void run(const struct row *row)
{
    fer_str bytes = {row->bytes, row->len ? row->len : strlen(row->bytes)};
    for (size_t cut = 0; cut <= bytes.len + 1; cut++) {
        reading g;
        reading_begin(&g, &limits);
        if (cut <= bytes.len) {
            feed(&g, fer_str_slice(bytes, 0, cut));
            feed(&g, fer_str_slice(bytes, cut, bytes.len));
        }
        for (size_t i = 0; cut > bytes.len && i < bytes.len; i++)
            feed(&g, fer_str_slice(bytes, i, i + 1));
        reading_end(&g, row->outcome);
    }
}

/* ---- limits --------------------------------------------------------------------------------- */

static const struct limit_row {
    const char *name, *bytes, *outcome;
    fer_reader_limits limits;
} limit_rows[] = {
    {"a head of all that may be", GET "\r\n", "GET /[]", {sizeof GET "\r\n" - 1, 9, 99, 9}},
    {"one byte more", GET "\r\n", "!head", {sizeof GET "\r\n" - 2, 9, 99, 9}},
    {"a head that does not end",
     GET "X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "!head",
     {40, 9, 99, 9}},
    {"fields", GET "A: b\r\nC: d\r\n\r\n", "GET /[]", {999, 3, 99, 9}},
    {"one field more", GET "A: b\r\nC: d\r\nE: f\r\n\r\n", "!fields", {999, 3, 99, 9}},
    {"a target", "GET /234567 HTTP/1.1\r\n" H "\r\n", "GET /234567[]", {999, 9, 7, 9}},
    {"a target, one more", "GET /2345678 HTTP/1.1\r\n" H "\r\n", "!uri", {999, 9, 7, 9}},
    {"a target that does not end",
     "GET /2345678901234567890123456789012345678901",
     "!uri",
     {40, 9, 99, 9}},
    {"a target and a wrong version", "GET /2345678 HTTP/9.1\r\n" H "\r\n", "!uri", {999, 9, 7, 9}},
    {"a body", PUT "Content-Length: 5\r\n\r\nabcde", "POST /[abcde]", {999, 9, 99, 5}},
    {"a body, one more", PUT "Content-Length: 6\r\n\r\nabcdef", "!body", {999, 9, 99, 5}},
    {"chunks", PUT TE "\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "POST /[abcde]", {999, 9, 99, 5}},
    {"chunks, one more", PUT TE "\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", "!body", {999, 9, 99, 5}},
    {"one chunk too large", PUT TE "\r\n6\r\n", "!body", {999, 9, 99, 5}},
};

static void run_limit(const struct limit_row *row)
{
    fer_str bytes = fer_str_of(row->bytes);
    for (size_t step = 1; step <= bytes.len; step++) {
        reading g;
        reading_begin(&g, &row->limits);
        for (size_t at = 0; at < bytes.len; at += step)
            feed(&g, fer_str_slice(bytes, at, at + step < bytes.len ? at + step : bytes.len));
        reading_end(&g, row->outcome);
    }
}

/* ---- what handlers are given ---------------------------------------------------------------- */

static void fields_as_given(void)
{
    reading g;
    fer_str bytes = FER_STR(GET "X:  one \t\r\nEmpty:\r\nx: two\r\n\r\n");
    reading_begin(&g, &limits);
    fer_request_init(&g.request, g.arena);
    fer_reader_begin(&g.reader, &g.request);
    assert_int_equal(fer_reader_feed(&g.reader, &bytes), FER_READ_HEAD);
    assert_int_equal(g.request.field_count, 4);
    assert_str(g.request.fields[1].name, "X");
    assert_str(g.request.fields[1].value, "one");
    assert_str(g.request.fields[2].name, "Empty");
    assert_int_equal(g.request.fields[2].value.len, 0);
    assert_str(g.request.fields[3].value, "two");
    assert_int_equal(fer_reader_feed(&g.reader, &bytes), FER_READ_WHOLE);
    fer_request_deinit(&g.request);
    fer_arena_free(g.arena);
}

/* A body of a size that needs all the room there is, in pieces that are not powers of two. */
static void a_large_body(void)
{
    static char body[100000];
    fer_reader_limits l = {32768, 100, 8192, sizeof body};
    fer_request_reader r;
    fer_request q;
    fer_arena *a = fer_arena_new(0);
    fer_str head = FER_STR(PUT "Content-Length: 100000\r\n\r\n"), rest;
    memset(body, 'x', sizeof body);
    fer_request_reader_init(&r, &l);
    fer_request_init(&q, a);
    fer_reader_begin(&r, &q);
    assert_int_equal(fer_reader_feed(&r, &head), FER_READ_HEAD);
    for (size_t at = 0; at < sizeof body; at += 777) {
        rest = (fer_str){body + at, sizeof body - at < 777 ? sizeof body - at : 777};
        fer_read_step step = fer_reader_feed(&r, &rest);
        assert_int_equal(step, at + 777 < sizeof body ? FER_READ_MORE : FER_READ_WHOLE);
    }
    assert_int_equal(q.body_len, sizeof body);
    assert_true(q.body_cap <= sizeof body);
    assert_memory_equal(q.body, body, sizeof body);
    fer_request_deinit(&q);
    fer_arena_free(a);
}

/* Each allocation fails once: the request is refused for it, or read as ever. */
static void without_memory(void)
{
    static const char text[] = PUT "X: abc\r\n" TE "\r\n3\r\nabc\r\n0\r\n\r\n";
    for (unsigned n = 1;; n++) {
        char plan[32];
        reading g;
        reading_begin(&g, &limits);
        snprintf(plan, sizeof plan, "malloc@%u", n);
        assert_true(fer_faults_begin(plan));
        feed(&g, fer_str_of(text));
        bool hit = fer_faults_injected() > 0;
        fer_faults_begin(NULL);
        assert_false(g.open);
        reading_end(&g, hit ? "!memory" : "POST /[abc]");
        if (!hit) break;
    }
}

int main(void)
{
    return ROWS_RUN("requests", rows, run) + ROWS_RUN("limits of requests", limit_rows, run_limit) +
           ROWS_ONE("requests", fields_as_given) + ROWS_ONE("requests", a_large_body) +
           ROWS_ONE("requests", without_memory);
}
