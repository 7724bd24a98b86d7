/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of events: the examples and rules of the standard, however the bytes are cut. */
#include "sse.h"

#include <stdlib.h>

#include "buf.h"
#include "rows.h"

#define BOM "\xEF\xBB\xBF"

/* Events are written as "name|id|data;" one behind the other, with \n in data as '/'. */
static fer_code write_event(void *context, const fer_sse_event *e, fer_err *err)
{
    fer_buf *b = context;
    (void)err;
    fer_buf_add(b, e->name);
    fer_buf_add_char(b, '|');
    fer_buf_add(b, e->id);
    fer_buf_add_char(b, '|');
    for (size_t i = 0; i < e->data.len; i++)
        fer_buf_add_char(b, e->data.ptr[i] == '\n' ? '/' : e->data.ptr[i]);
    fer_buf_add_char(b, ';');
    return FER_OK;
}

static const struct row {
    const char *name, *stream, *events;
    const char *last_id;
    uint32_t retry;
} rows[] = {
    {"nothing", "", "", "", 0},
    {"one", "data: a\n\n", "message||a;", "", 0},
    {"two lines", "data: YHOO\ndata: +2\ndata: 10\n\n", "message||YHOO/+2/10;", "", 0},
    {"four blocks",
     ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
     "message|1|first event;message||second event;", "", 0},
    {"empty data", "data\n\ndata\ndata\n\ndata:", "message||;message||/;", "", 0},
    {"blank behind the colon or not", "data:test\n\ndata: test\n\n", "message||test;message||test;",
     "", 0},
    {"names", "event: add\ndata: 7\n\nevent: remove\ndata: 2\n\ndata: 3\n\n",
     "add||7;remove||2;message||3;", "", 0},
    {"a name without data", "event: add\n\ndata: 1\n\n", "message||1;", "", 0},
    {"an ID stays", "id: 5\ndata: a\n\ndata: b\n\n", "message|5|a;message|5|b;", "5", 0},
    {"an ID without data counts", "id: 6\n\n", "", "6", 0},
    {"an ID without its empty line does not", "id: 5\ndata: a\n\nid: 6\ndata: b\n", "message|5|a;",
     "5", 0},
    {"an ID can be taken back", "id: 5\ndata: a\n\nid:\ndata: b\n\n", "message|5|a;message||b;", "",
     0},
    {"a prime event", "id: 9\nretry: 250\ndata:\n\n", "message|9|;", "9", 250},
    {"retry", "retry: 3000\n\n", "", "", 3000},
    {"retry that is no number", "retry: 3s\nretry: -1\nretry:\nretry: 1.5\n", "", "", 0},
    {"retry that nobody waits for", "retry: 99999999999999999999999\n", "", "", 3600000},
    {"CR", "data: a\rdata: b\r\r", "message||a/b;", "", 0},
    {"CRLF", "data: a\r\ndata: b\r\n\r\n", "message||a/b;", "", 0},
    {"all three", "data: a\r\ndata: b\ndata: c\r\r", "message||a/b/c;", "", 0},
    {"LF CR is two ends", "data: a\n\rdata: b\n\n", "message||a;message||b;", "", 0},
    {"BOM", BOM "data: a\n\n", "message||a;", "", 0},
    {"only one BOM", BOM BOM "data: a\n\n", "", "", 0},
    {"half a BOM",
     "\xEF\xBB"
     "data: a\n\n",
     "", "", 0},
    {"BOM in the middle", "data: " BOM "\n\n", "message||" BOM ";", "", 0},
    {"comments", ":\n: a\n:data: b\ndata: c\n\n", "message||c;", "", 0},
    {"unknown fields", "foo: 1\nData: 2\n data: 3\ndata: 4\n\n", "message||4;", "", 0},
    {"colons in data", "data: {\"a\":1}\n\n", "message||{\"a\":1};", "", 0},
    {"an ID that no header holds", "id: 1\ndata: a\n\nid: a\x01\ndata: b\n\n",
     "message|1|a;message|1|b;", "1", 0},
    {"not ended", "data: a\n", "", "", 0},
};

static void expect(const struct row *row, fer_sse *s, const fer_buf *got)
{
    assert_str(fer_buf_view(got), row->events);
    assert_str(fer_sse_last_id(s), row->last_id);
    assert_int_equal(s->retry_ms, row->retry);
}

/* Whole, byte by byte, and cut in two at every place. */
static void run(const struct row *row)
{
    fer_str stream = fer_str_of(row->stream);
    for (size_t cut = 0; cut <= stream.len + 1; cut++) {
        fer_arena *a = fer_arena_new(0);
        fer_buf got;
        fer_sse s;
        fer_err err;
        fer_buf_init(&got, a, 1 << 20);
        fer_sse_init(&s, 0, write_event, &got);
        if (cut <= stream.len) {
            assert_int_equal(fer_sse_feed(&s, fer_str_slice(stream, 0, cut), &err), FER_OK);
            assert_int_equal(fer_sse_feed(&s, fer_str_slice(stream, cut, stream.len), &err),
                             FER_OK);
        }
        for (size_t i = 0; cut > stream.len && i < stream.len; i++)
            assert_int_equal(fer_sse_feed(&s, fer_str_slice(stream, i, i + 1), &err), FER_OK);
        expect(row, &s, &got);
        fer_sse_deinit(&s);
        fer_arena_free(a);
    }
}

/* ---- limits --------------------------------------------------------------------------------- */

static const struct limit_row {
    const char *name, *stream;
    size_t max;
    fer_code code;
} limit_rows[] = {
    {"a line of all that may be", "data: abcd", 10, FER_OK},
    {"one more", "data: abcde", 10, FER_LIMIT_EXCEEDED},
    {"one more, ended", "data: abcde\n", 10, FER_LIMIT_EXCEEDED},
    {"a comment counts as a line", ": 345678901\n", 10, FER_LIMIT_EXCEEDED},
    {"data of all that may be", "data:12345\ndata:7890\n\n", 10, FER_OK},
    {"one more in two lines", "data:12345\ndata:78901\n\n", 10, FER_LIMIT_EXCEEDED},
    {"the name counts", "event:1234\ndata:5678\ndata:01\n\n", 10, FER_LIMIT_EXCEEDED},
    {"the name behind the data counts", "data:12345\ndata:7\nevent:1234\n\n", 10,
     FER_LIMIT_EXCEEDED},
    {"empty lines of data count", "data\ndata\ndata\ndata\ndata\n\n", 4, FER_OK},
    {"one more of them", "data\ndata\ndata\ndata\ndata\ndata\n\n", 4, FER_LIMIT_EXCEEDED},
    {"events do not add up", "data:1234\n\ndata:1234\n\ndata:1234\n\n", 10, FER_OK},
};

static void run_limit(const struct limit_row *row)
{
    for (int bytewise = 0; bytewise < 2; bytewise++) {
        fer_arena *a = fer_arena_new(0);
        fer_str stream = fer_str_of(row->stream);
        size_t step = bytewise ? 1 : stream.len;
        fer_buf got;
        fer_sse s;
        fer_err err;
        fer_code code = FER_OK;
        fer_buf_init(&got, a, 1 << 20);
        fer_sse_init(&s, row->max, write_event, &got);
        for (size_t i = 0; i < stream.len && !code; i += step)
            code = fer_sse_feed(&s, fer_str_slice(stream, i, i + step), &err);
        assert_int_equal(code, row->code);
        if (code) assert_int_equal(fer_sse_feed(&s, FER_STR(":\n"), &err), row->code);
        fer_sse_reset(&s);
        assert_int_equal(fer_sse_feed(&s, FER_STR(":\n"), &err), FER_OK);
        fer_sse_deinit(&s);
        fer_arena_free(a);
    }
}

static void ids_and_defaults(void)
{
    char line[FER_SSE_ID_MAX + 8];
    fer_arena *a = fer_arena_new(0);
    fer_buf got;
    fer_sse s;
    fer_err err;
    fer_buf_init(&got, a, 1 << 20);
    fer_sse_init(&s, 0, write_event, &got);
    memset(line, 'i', sizeof line);
    memcpy(line, "id:", 3);
    line[3 + FER_SSE_ID_MAX] = '\n';
    assert_int_equal(fer_sse_feed(&s, (fer_str){line, 4 + FER_SSE_ID_MAX}, &err), FER_OK);
    line[3 + FER_SSE_ID_MAX] = 'i';
    line[4 + FER_SSE_ID_MAX] = '\n';
    assert_int_equal(fer_sse_feed(&s, (fer_str){line, 5 + FER_SSE_ID_MAX}, &err),
                     FER_LIMIT_EXCEEDED);
    fer_sse_deinit(&s);
    char *data = malloc(FER_SSE_EVENT_MAX + 1);
    memset(data, 'd', FER_SSE_EVENT_MAX + 1);
    memcpy(data, "data:", 5);
    fer_sse_init(&s, 0, write_event, &got);
    assert_int_equal(fer_sse_feed(&s, (fer_str){data, FER_SSE_EVENT_MAX}, &err), FER_OK);
    assert_int_equal(fer_sse_feed(&s, FER_STR("d"), &err), FER_LIMIT_EXCEEDED);
    fer_sse_deinit(&s);
    free(data);
    fer_arena_free(a);
}

/* After a break the next connection begins afresh, but for the ID and the time. */
static void resuming(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf got;
    fer_sse s;
    fer_err err;
    fer_buf_init(&got, a, 1 << 20);
    fer_sse_init(&s, 0, write_event, &got);
    fer_sse_feed(&s, FER_STR("retry: 7\nid: 1\ndata: a\n\nid: 2\ndata: b"), &err);
    fer_sse_reset(&s);
    assert_str(fer_sse_last_id(&s), "1");
    fer_sse_feed(&s, FER_STR(BOM "\ndata: c\n\n"), &err);
    assert_str(fer_buf_view(&got), "message|1|a;message|1|c;");
    assert_int_equal(s.retry_ms, 7);
    fer_sse_deinit(&s);
    fer_arena_free(a);
}

static fer_code refuse(void *context, const fer_sse_event *e, fer_err *err)
{
    (void)context, (void)e, (void)err;
    return FER_CANCELLED;
}

static void a_visitor_that_has_enough(void)
{
    fer_sse s;
    fer_err err;
    fer_sse_init(&s, 0, refuse, NULL);
    assert_int_equal(fer_sse_feed(&s, FER_STR("data: a\n\ndata: b\n\n"), &err), FER_CANCELLED);
    fer_sse_deinit(&s);
}

static fer_code accept_event(void *context, const fer_sse_event *e, fer_err *err)
{
    (void)err;
    *(size_t *)context += e->data.len;
    return FER_OK;
}

static fer_code attempt(fer_arena *a, const void *row)
{
    const struct row *r = row;
    size_t seen = 0;
    fer_sse s;
    fer_err err;
    (void)a;
    fer_sse_init(&s, 0, accept_event, &seen);
    fer_code code = FER_OK;
    fer_str stream = fer_str_of(r->stream);
    for (size_t i = 0; i < stream.len && !code; i++)
        code = fer_sse_feed(&s, fer_str_slice(stream, i, i + 1), &err);
    fer_sse_deinit(&s);
    return code;
}

static void torture(const struct row *row)
{
    rows_torture_malloc(attempt, row);
}

int main(void)
{
    return ROWS_RUN("sse", rows, run) + ROWS_RUN("limits", limit_rows, run_limit) +
           ROWS_RUN("torture", rows, torture) + ROWS_ONE("sse", ids_and_defaults) +
           ROWS_ONE("sse", resuming) + ROWS_ONE("sse", a_visitor_that_has_enough);
}
