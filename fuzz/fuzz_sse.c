/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of events. The first byte says how the rest is cut, the second how large an event may be.
 * What must hold: cut or whole, byte by byte or not, the same events come in the same order with
 * the same IDs, and reading ends with the same code; no event is larger than its limit.
 */
#include "fuzz.h"
#include "map.h"
#include "sse.h"

typedef struct seen {
    const uint64_t *seed;
    size_t max, count;
    uint64_t sum;
} seen;

static void mix(seen *s, fer_str text)
{
    s->sum = (s->sum ^ fer_hash(s->seed, text)) * UINT64_C(0x9E3779B97F4A7C15) + text.len;
}

static fer_code note(void *context, const fer_sse_event *e, fer_err *err)
{
    seen *s = context;
    (void)err;
    HOLDS(e->data.len <= s->max && e->id.len <= FER_SSE_ID_MAX && e->name.len > 0);
    HOLDS(!memchr(e->data.ptr, '\r', e->data.len) && !memchr(e->name.ptr, '\n', e->name.len));
    s->count++;
    mix(s, e->name);
    mix(s, e->data);
    mix(s, e->id);
    return FER_OK;
}

/* Reads all in pieces of up to `step` bytes. */
static fer_code read_all(fer_str text, size_t step, seen *s)
{
    fer_sse reader;
    fer_err err;
    fer_code code = FER_OK;
    fer_sse_init(&reader, s->max, note, s);
    for (size_t at = 0; at < text.len && !code; at += step) {
        size_t end = text.len - at < step ? text.len : at + step;
        code = fer_sse_feed(&reader, fer_str_slice(text, at, end), &err);
    }
    mix(s, fer_sse_last_id(&reader));
    s->sum += reader.retry_ms;
    fer_sse_deinit(&reader);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t seed[2] = {1, 2};
    if (size < 2) return 0;
    size_t max = data[1] < 128 ? (size_t)data[1] + 1 : 0, step = (size_t)data[0] % 61 + 2;
    fer_str text = fuzz_text(data + 2, size - 2);
    seen start = {.seed = seed, .max = max ? max : FER_SSE_EVENT_MAX};
    seen whole = start, cut = start, bytes = start;
    fer_code code = read_all(text, text.len ? text.len : 1, &whole);
    HOLDS(read_all(text, step, &cut) == code && read_all(text, 1, &bytes) == code);
    HOLDS(cut.count == whole.count && bytes.count == whole.count);
    HOLDS(cut.sum == whole.sum && bytes.sum == whole.sum);
    return 0;
}
