/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes are spread evenly, so places are counted out by the first bits of theirs, into lots of
 * few, and each lot is sorted; then, in this order, by how many documents there are, which are
 * mostly few. Somebody may have made texts whose hashes are not spread, or are equal: a large lot
 * is left to qsort.
 */
#include "term_order.h"

#include <stdlib.h>
#include <string.h>

#include "tokens.h"

#define LOT_MEAN 2     /* places, on the whole */
#define LOTS_MAX 65536 /* a power of two */
#define FEW      16    /* that are sorted one by one */
#define DFS      4096  /* of which each has a lot; from the last on they share one */

static const uint64_t seed[2] = {UINT64_C(0xA0761D6478BD642F), UINT64_C(0xE7037ED1A0B428DB)};

static fer_term_place make(uint32_t df, uint64_t hash, fer_str text, uint32_t number)
{
    return (fer_term_place){(uint64_t)(UINT32_MAX - df) << 32 | (uint32_t)hash, text.ptr,
                            (uint32_t)text.len, number};
}

fer_term_place fer_term_place_of(uint32_t df, fer_str text, uint32_t number)
{
    return make(df, fer_token_hash(text, seed), text, number);
}

fer_term_place fer_term_place_padded(uint32_t df, fer_str text, uint32_t number)
{
    return make(df, fer_token_hash_padded(text, seed), text, number);
}

static int by_place(const void *one, const void *other)
{
    const fer_term_place *x = one, *y = other;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return fer_str_cmp(fer_term_place_text(x), fer_term_place_text(y));
}

static int by_hash(const void *one, const void *other)
{
    const fer_term_place *x = one, *y = other;
    uint32_t h = (uint32_t)x->key, k = (uint32_t)y->key;
    if (h != k) return h < k ? -1 : 1;
    return fer_str_cmp(fer_term_place_text(x), fer_term_place_text(y));
}

static void order_lot(fer_term_place *list, size_t count)
{
    if (count > FEW) {
        qsort(list, count, sizeof *list, by_hash);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        fer_term_place p = list[i];
        size_t at = i;
        for (; at > 0 && by_hash(&p, &list[at - 1]) < 0; at--) list[at] = list[at - 1];
        list[at] = p;
    }
}

/* Which lot a place is in: the hash from `shift` on, or where that is 32, the documents. */
static inline uint32_t lot_of(const fer_term_place *p, unsigned shift)
{
    if (shift < 32) return (uint32_t)p->key >> shift;
    uint32_t df = fer_term_place_df(p);
    return df < DFS ? DFS - 1 - df : 0;
}

/* Into lots, each in the order in which its places came. `starts`: where each ends. */
static void count_out(const fer_term_place *from, fer_term_place *to, size_t count, unsigned shift,
                      uint32_t *starts, size_t lots)
{
    uint32_t at = 0;
    memset(starts, 0, lots * sizeof *starts);
    for (size_t i = 0; i < count; i++) starts[lot_of(&from[i], shift)]++;
    for (size_t i = 0; i < lots; i++) {
        uint32_t n = starts[i];
        starts[i] = at;
        at += n;
    }
    for (size_t i = 0; i < count; i++) to[starts[lot_of(&from[i], shift)]++] = from[i];
}

bool fer_term_order(fer_arena *a, fer_term_place *list, size_t count)
{
    size_t lots = 2;
    unsigned shift = 31;
    for (; lots < LOTS_MAX && lots * LOT_MEAN < count; shift--) lots *= 2;
    fer_term_place *other = fer_arena_alloc(a, (count + 1) * sizeof *other);
    uint32_t *ends = fer_arena_alloc(a, (lots < DFS ? DFS : lots) * sizeof *ends);
    if (!other || !ends) return false;
    count_out(list, other, count, shift, ends, lots);
    for (size_t i = 0, from = 0; i < lots; from = ends[i++])
        order_lot(other + from, ends[i] - from);
    count_out(other, list, count, 32, ends, DFS);
    qsort(list, ends[0], sizeof *list, by_place);
    return true;
}
