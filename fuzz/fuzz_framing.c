/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same messages over pipes, over Streamable HTTP and over HTTP+SSE: lines, events of one line,
 * events of several lines behind one that says where messages go. The first byte says how the bytes
 * are cut, the rest are messages, a line each. What must hold: all three ways give the same
 * messages in the same order, cut or whole.
 */
#include "buf.h"
#include "fuzz.h"
#include "lines.h"
#include "map.h"
#include "sse.h"

#define MOST 4096 /* bytes of a message, in every way */

typedef struct seen {
    const uint64_t *seed;
    uint64_t sum;
    size_t count, endpoints;
} seen;

static void note(seen *s, fer_str message)
{
    s->sum = (s->sum ^ fer_hash(s->seed, message)) * UINT64_C(0x9E3779B97F4A7C15) + message.len;
    s->count++;
}

static bool take_line(void *context, fer_str line)
{
    if (line.len) note(context, line);
    return true;
}

static fer_code take_event(void *context, const fer_sse_event *e, fer_err *err)
{
    seen *s = context;
    (void)err;
    if (fer_str_is(e->name, "endpoint")) s->endpoints++;
    else if (e->data.len && fer_str_is(e->name, "message")) note(s, e->data);
    return FER_OK;
}

static void read_lines(fer_str text, size_t step, seen *s)
{
    fer_line_split split;
    fer_line_split_init(&split, MOST);
    for (size_t at = 0; at < text.len; at += step) {
        size_t end = text.len - at < step ? text.len : at + step;
        HOLDS(!fer_line_split_feed(&split, fer_str_slice(text, at, end), take_line, s));
    }
    fer_line_split_end(&split, take_line, s);
    HOLDS(split.too_long == 0);
    fer_line_split_deinit(&split);
}

static void read_events(fer_str text, size_t step, seen *s)
{
    fer_sse reader;
    fer_err err;
    fer_sse_init(&reader, 4 * MOST, take_event, s);
    for (size_t at = 0; at < text.len; at += step) {
        size_t end = text.len - at < step ? text.len : at + step;
        HOLDS(!fer_sse_feed(&reader, fer_str_slice(text, at, end), &err));
    }
    fer_sse_deinit(&reader);
}

/* Writes messages as a server of each kind would. */
static void write_all(fer_str text, fer_buf *lines, fer_buf *events, fer_buf *old)
{
    fer_buf_add_text(old, "event: endpoint\r\ndata: /messages\r\n\r\n");
    while (text.len) {
        fer_str one = fer_str_head(fuzz_until(&text, '\n'), MOST - 1);
        if (!one.len || memchr(one.ptr, '\r', one.len) || (unsigned char)one.ptr[0] == 0xEF)
            continue;
        fer_buf_add(lines, one);
        fer_buf_add_char(lines, '\n');
        fer_buf_add_text(events, ": beat\ndata:");
        if (one.ptr[0] == ' ') fer_buf_add_char(events, ' ');
        fer_buf_add(events, one);
        fer_buf_add_text(events, "\n\n");
        fer_buf_add_text(old, "id: 1\r\nevent: message\r\ndata: ");
        fer_buf_add(old, one);
        fer_buf_add_text(old, "\r\n\r\n");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    fer_arena *a = fuzz_arena();
    const uint64_t *seed = fer_arena_seed(a);
    fer_buf lines, events, old;
    fer_buf_init(&lines, a, SIZE_MAX);
    fer_buf_init(&events, a, SIZE_MAX);
    fer_buf_init(&old, a, SIZE_MAX);
    write_all(fuzz_text(data + 1, size - 1), &lines, &events, &old);
    size_t steps[] = {data[0] + (size_t)1, SIZE_MAX / 2};
    seen first = {.seed = seed};
    read_lines(fer_buf_view(&lines), steps[1], &first);
    for (size_t i = 0; i < FER_COUNT(steps); i++) {
        seen by_line = {.seed = seed}, by_event = {.seed = seed}, by_old = {.seed = seed};
        read_lines(fer_buf_view(&lines), steps[i], &by_line);
        read_events(fer_buf_view(&events), steps[i], &by_event);
        read_events(fer_buf_view(&old), steps[i], &by_old);
        HOLDS(by_line.sum == first.sum && by_line.count == first.count);
        HOLDS(by_event.sum == first.sum && by_event.count == first.count);
        HOLDS(by_old.sum == first.sum && by_old.count == first.count && by_old.endpoints == 1);
    }
    fer_arena_free(a);
    return 0;
}
