/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of HTTP. The first byte says how the rest is cut, the second how much is allowed. What
 * must hold: cut or whole, byte by byte or not, the same requests come, with the same fields and
 * bodies, and the same refusal, if any; no request is let through that is framed in two ways, has
 * two Hosts, or is larger than allowed; and what the guard and the reader of tokens make of its
 * fields is bounded by them.
 */
#include "fuzz.h"
#include "http_guard.h"
#include "map.h"
#include "request_reader.h"

typedef struct seen {
    size_t requests;
    fer_refusal refusal;
    uint64_t sum;
} seen;

static const uint64_t seed[2] = {1, 2};

static void mix(seen *s, fer_str text)
{
    s->sum = (s->sum ^ fer_hash(seed, text)) * UINT64_C(0x9E3779B97F4A7C15) + text.len;
}

static size_t count(const fer_request *q, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < q->field_count; i++)
        n += fer_str_eq_nocase(q->fields[i].name, fer_str_of(name));
    return n;
}

static void note(seen *s, const fer_request *q, const fer_reader_limits *l)
{
    HOLDS(q->body_len <= l->body_max && q->field_count <= l->fields_max);
    HOLDS(q->target.len > 0 && q->target.len <= l->uri_max);
    HOLDS(q->target.ptr[0] == '/' || fer_str_is(q->target, "*"));
    HOLDS(count(q, "content-length") + count(q, "transfer-encoding") <= 1);
    HOLDS(count(q, "host") == 1 || (!q->one_one && count(q, "host") == 0));
    HOLDS(count(q, "upgrade") == 0);
    s->requests++;
    mix(s, q->method);
    mix(s, q->target);
    for (size_t i = 0; i < q->field_count; i++) {
        fer_str value = q->fields[i].value, token = fer_http_bearer(value);
        HOLDS(q->fields[i].name.len > 0 && token.len < value.len + !value.len);
        HOLDS(!value.len ||
              (!memchr(value.ptr, '\r', value.len) && !memchr(value.ptr, 0, value.len)));
        mix(s, q->fields[i].name);
        mix(s, value);
    }
    if (q->body_len) mix(s, (fer_str){q->body, q->body_len});
    s->sum += (q->keep_alive ? 1U : 0U) + (q->continues ? 2U : 0U);
}

/* Reads all in pieces of up to `step` bytes. */
static seen read_all(fer_str text, size_t step, const fer_reader_limits *l)
{
    fer_arena *a = fuzz_arena();
    fer_request_reader r;
    fer_request q;
    seen s = {0};
    bool open = false, over = false;
    fer_request_reader_init(&r, l);
    for (size_t at = 0; at < text.len && !over; at += step) {
        fer_str piece = fer_str_slice(text, at, text.len - at < step ? text.len : at + step);
        while (!over && (piece.len || open)) {
            if (!open) {
                fer_request_init(&q, a);
                fer_reader_begin(&r, &q);
                open = true;
            }
            fer_read_step got = fer_reader_feed(&r, &piece);
            if (got == FER_READ_MORE) break;
            if (got == FER_READ_HEAD) continue;
            if (got == FER_READ_WHOLE) note(&s, &q, l);
            over = got == FER_READ_REFUSED || !q.keep_alive;
            s.refusal = got == FER_READ_REFUSED ? r.refusal : FER_REFUSE_NONE;
            HOLDS(got != FER_READ_REFUSED || s.refusal != FER_REFUSE_NONE);
            fer_request_deinit(&q);
            open = false;
        }
    }
    if (open) fer_request_deinit(&q);
    fer_arena_free(a);
    return s;
}

static void ask_guard(fer_str text)
{
    fer_http_guard *g = fer_http_guard_new();
    HOLDS(g && fer_http_guard_check(g, text, FER_STR_NONE) == FER_GUARD_HOST);
    /* What the operator could write is what then passes, and nothing else. */
    if (!fer_http_guard_host(g, text, NULL))
        HOLDS(fer_http_guard_check(g, text, FER_STR_NONE) == FER_GUARD_PASS);
    HOLDS(fer_http_guard_check(g, FER_STR("localhost@evil"), FER_STR_NONE) == FER_GUARD_HOST);
    fer_http_guard_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    size_t small = data[1] < 128 ? (size_t)data[1] + 1 : 0, step = (size_t)data[0] % 61 + 2;
    fer_reader_limits l = {small ? small * 8 : 32768, small ? small : 100, small ? small * 2 : 8192,
                           small ? small * 4 : 65536};
    fer_str text = fuzz_text(data + 2, size - 2);
    seen whole = read_all(text, text.len ? text.len : 1, &l);
    seen cut = read_all(text, step, &l), bytes = read_all(text, 1, &l);
    HOLDS(cut.requests == whole.requests && bytes.requests == whole.requests);
    HOLDS(cut.refusal == whole.refusal && bytes.refusal == whole.refusal);
    HOLDS(cut.sum == whole.sum && bytes.sum == whole.sum);
    ask_guard(text);
    return 0;
}
