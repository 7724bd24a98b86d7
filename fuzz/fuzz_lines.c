/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One byte for the limit, one for where the stream is cut, then the stream. What must hold: any
 * split gives the same lines as the whole at once; they are those that a plain search for LF
 * gives; and no more than the limit is held.
 */
#include "fuzz.h"
#include "lines.h"

#define MARK "\xEF\xBB\xBF"

/* A digest of the lines told, in their order. */
struct told {
    uint64_t digest;
    size_t count;
};

static bool take(void *context, fer_str line)
{
    struct told *t = context;
    for (size_t i = 0; i < line.len; i++)
        t->digest = (t->digest ^ (unsigned char)line.ptr[i]) * 1099511628211u;
    t->digest = (t->digest ^ 256) * 1099511628211u;
    t->count++;
    return true;
}

/* Pieces of 1 to `most` bytes, by a generator that `most` begins. */
static struct told in_pieces(fer_str text, size_t max, size_t most, uint64_t *too_long)
{
    struct told t = {0};
    uint32_t state = (uint32_t)most;
    fer_line_split l;
    fer_line_split_init(&l, max);
    for (size_t at = 0; at < text.len;) {
        state = state * 1664525u + 1013904223u;
        size_t n = 1 + (state >> 16) % most, to = n < text.len - at ? at + n : text.len;
        HOLDS(fer_line_split_feed(&l, fer_str_slice(text, at, to), take, &t) == FER_OK);
        HOLDS(l.cap <= max);
        at = to;
    }
    fer_line_split_end(&l, take, &t);
    HOLDS(l.told == t.count);
    *too_long = l.too_long;
    fer_line_split_deinit(&l);
    return t;
}

static struct told plainly(fer_str text, size_t max, uint64_t *too_long)
{
    struct told t = {0};
    for (bool first = true; text.len; first = false) {
        fer_str line = fuzz_until(&text, '\n');
        if (line.len > max) {
            (*too_long)++;
            continue;
        }
        if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
        if (first && fer_str_starts(line, MARK)) line = fer_str_slice(line, 3, line.len);
        take(&t, line);
    }
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t long_plain = 0, long_pieces, long_whole;
    if (size < 2) return 0;
    size_t max = data[0] + (size_t)1;
    fer_str text = fuzz_text(data + 2, size - 2);
    struct told expected = plainly(text, max, &long_plain);
    struct told pieces = in_pieces(text, max, data[1] + (size_t)1, &long_pieces);
    struct told whole = in_pieces(text, max, text.len + 1, &long_whole);
    HOLDS(pieces.count == expected.count && pieces.digest == expected.digest);
    HOLDS(whole.count == expected.count && whole.digest == expected.digest);
    HOLDS(long_pieces == long_plain && long_whole == long_plain);
    return 0;
}
