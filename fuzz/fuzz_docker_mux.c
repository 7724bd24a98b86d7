/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What containers print, as Docker's API sends it. The first byte says how the rest is cut.
 * What must hold: cut or whole, byte by byte or not, each stream has the same bytes and reading
 * ends with the same code; no more comes out than went in, and nothing after a broken head.
 */
#include "docker_mux.h"
#include "fuzz.h"

typedef struct seen {
    size_t len[FER_MUX_ERR + 1];
    uint64_t sum[FER_MUX_ERR + 1];
    uint64_t order; /* of streams, byte by byte */
} seen;

static bool note(void *context, fer_mux_stream stream, fer_str bytes)
{
    seen *s = context;
    HOLDS((unsigned)stream <= FER_MUX_ERR && bytes.len > 0);
    for (size_t i = 0; i < bytes.len; i++) {
        s->sum[stream] = s->sum[stream] * 31 + (unsigned char)bytes.ptr[i];
        s->order = s->order * 31 + (unsigned)stream;
    }
    s->len[stream] += bytes.len;
    return true;
}

/* Reads all in pieces of up to `step` bytes. */
static fer_code read_all(fer_str text, size_t step, seen *s)
{
    fer_mux mux = {0};
    fer_err err;
    fer_code code = FER_OK;
    for (size_t at = 0; at < text.len && !code; at += step) {
        size_t end = text.len - at < step ? text.len : at + step;
        code = fer_mux_feed(&mux, fer_str_slice(text, at, end), note, s, &err);
    }
    HOLDS(!code || (code == FER_INVALID_OUTPUT &&
                    fer_mux_feed(&mux, FER_STR("x"), note, s, &err) == FER_INVALID_OUTPUT));
    HOLDS(s->len[FER_MUX_IN] + s->len[FER_MUX_OUT] + s->len[FER_MUX_ERR] <= text.len);
    return code;
}

static bool same(const seen *a, const seen *b)
{
    bool equal = a->order == b->order;
    for (int i = 0; i <= FER_MUX_ERR; i++)
        equal = equal && a->len[i] == b->len[i] && a->sum[i] == b->sum[i];
    return equal;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    size_t step = (size_t)data[0] % 61 + 2;
    fer_str text = fuzz_text(data + 1, size - 1);
    seen whole = {0}, cut = {0}, bytes = {0};
    fer_code code = read_all(text, text.len ? text.len : 1, &whole);
    HOLDS(read_all(text, step, &cut) == code && read_all(text, 1, &bytes) == code);
    HOLDS(same(&whole, &cut) && same(&whole, &bytes));
    return 0;
}
