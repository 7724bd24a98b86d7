/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The net of secrets: a line is a secret, the rest a text into which forms of it are put. What must
 * hold: however the text is cut, what comes out is the same; no form of the secret is in it; what
 * came out passes a second time unchanged.
 */
#include "fuzz.h"
#include "redact.h"
#include "secret_forms.h"
#include "secret_net.h"

static bool has(fer_str text, fer_str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (memcmp(text.ptr + i, word.ptr, word.len) == 0) return true;
    return false;
}

static fer_str feed(fer_arena *a, const fer_net *n, fer_str text, size_t step)
{
    fer_net_stream s;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_net_begin(&s, n, a);
    for (size_t i = 0; i < text.len; i += step)
        fer_net_feed(&s, fer_str_slice(text, i, i + step < text.len ? i + step : text.len), &b);
    HOLDS(!fer_net_end(&s, &b, NULL));
    return fer_buf_view(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size), secret = fuzz_until(&rest, '\n'), forms[FER_SECRET_FORMS];
    size_t count;
    fer_arena *a = fuzz_arena();
    fer_net *n = fer_net_new(a);
    fer_buf b;
    if (size > 4000 || secret.len < FER_NET_SHORTEST || secret.len > 200) {
        fer_arena_free(a);
        return 0;
    }
    HOLDS(n && !fer_net_add(n, secret, NULL) && !fer_net_weave(n, NULL));
    HOLDS(fer_secret_forms(a, secret, forms, &count));
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] >= 1 && (size_t)rest.ptr[i] <= count)
            fer_buf_add(&b, forms[(size_t)rest.ptr[i] - 1]);
        else fer_buf_add_char(&b, rest.ptr[i]);
    }
    fer_str whole = feed(a, n, fer_buf_view(&b), b.len + 1);
    for (size_t step = 1; step < 12; step++)
        HOLDS(fer_str_eq(whole, feed(a, n, fer_buf_view(&b), step)));
    /* Unless the marker itself could be a part of one. */
    if (!has(secret, FER_STR("[")) && !has(secret, FER_STR("]")) &&
        !has(secret, FER_STR("REDACTED")))
        for (size_t i = 0; i < count; i++) HOLDS(!has(whole, forms[i]));
    fer_arena_free(a);
    return 0;
}
