/* SPDX-License-Identifier: Apache-2.0 */
#include "term_order.h"

#include <stdlib.h>

#include "tokens.h"

fer_term_place fer_term_place_of(uint32_t df, const fer_str *text)
{
    static const uint64_t seed[2] = {UINT64_C(0xA0761D6478BD642F), UINT64_C(0xE7037ED1A0B428DB)};
    uint32_t hash = (uint32_t)fer_token_hash(*text, seed);
    return (fer_term_place){(uint64_t)(UINT32_MAX - df) << 32 | hash, text};
}

static int by_text(const void *one, const void *other)
{
    const fer_term_place *x = one, *y = other;
    return fer_str_cmp(*x->text, *y->text);
}

/* Equal keys are rare, but somebody may have made them. */
static void order_equal(fer_term_place *list, size_t count)
{
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && list[to].key == list[from].key;) to++;
        if (to - from > 1) qsort(list + from, to - from, sizeof *list, by_text);
    }
}

/* By one byte of the keys, keeping the order of equals. False: all have the same. */
static bool order_by_byte(const fer_term_place *list, fer_term_place *to, size_t count,
                          unsigned shift)
{
    size_t starts[256] = {0}, at = 0;
    for (size_t i = 0; i < count; i++) starts[list[i].key >> shift & 0xFF]++;
    if (starts[list[0].key >> shift & 0xFF] == count) return false;
    for (size_t i = 0; i < FER_COUNT(starts); i++) {
        size_t n = starts[i];
        starts[i] = at;
        at += n;
    }
    for (size_t i = 0; i < count; i++) to[starts[list[i].key >> shift & 0xFF]++] = list[i];
    return true;
}

bool fer_term_order(fer_arena *a, fer_term_place *list, size_t count)
{
    fer_term_place *from = list, *to = fer_arena_alloc(a, (count + 1) * sizeof *to);
    if (!to) return false;
    for (unsigned shift = 0; count && shift < 64; shift += 8) {
        if (!order_by_byte(from, to, count, shift)) continue;
        fer_term_place *t = from;
        from = to;
        to = t;
    }
    if (from != list) memcpy(list, from, count * sizeof *list);
    order_equal(list, count);
    return true;
}
