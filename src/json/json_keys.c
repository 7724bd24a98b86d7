/* SPDX-License-Identifier: Apache-2.0 */
#include "json_keys.h"

#include <stdlib.h>
#include <string.h>

#include "json_doc.h"
#include "map.h"

static bool same_key(const yyjson_val *x, const yyjson_val *y)
{
    size_t len = fer_val_len(x);
    return len == fer_val_len(y) && memcmp(x->uni.str, y->uni.str, len) == 0;
}

bool fer_key_before(const yyjson_val *object, const yyjson_val *wanted)
{
    for (const yyjson_val *key = object + 1; key < wanted; key = fer_val_next(key + 1)) {
        if (same_key(key, wanted)) return true;
    }
    return false;
}

/* An open-addressed table of keys, at most half full. */
static const yyjson_val *twice_among_many(fer_arena *a, const yyjson_val *object,
                                          const yyjson_val **table, size_t cap)
{
    const uint64_t *seed = fer_arena_seed(a);
    FER_EACH_MEMBER (object, key) {
        size_t at = (size_t)fer_hash(seed, fer_val_str(key)) & (cap - 1);
        for (; table[at]; at = (at + 1) & (cap - 1)) {
            if (same_key(table[at], key)) return key;
        }
        table[at] = key;
    }
    return NULL;
}

bool fer_keys_unique(fer_arena *a, const yyjson_val *object, const yyjson_val **twice)
{
    size_t count = fer_val_len(object);
    size_t cap = 64;
    while (cap < count * 2) cap *= 2;
    const yyjson_val **table = fer_arena_alloc_zero(a, cap, sizeof *table);
    if (!table) return false;
    *twice = twice_among_many(a, object, table, cap);
    /* The table is the last allocation: give it back. */
    return fer_arena_grow(a, table, cap * sizeof *table, 1) != NULL;
}

/*
 * UTF-8 orders as code points do. UTF-16 differs only in that what needs
 * surrogates (lead bytes F0 and up) comes before U+E000..U+FFFF (EE and EF).
 */
int fer_utf16_cmp(fer_str x, fer_str y)
{
    size_t shared = x.len < y.len ? x.len : y.len;
    for (size_t i = 0; i < shared; i++) {
        unsigned char c = (unsigned char)x.ptr[i], d = (unsigned char)y.ptr[i];
        if (c == d) continue;
        if (c >= 0xEE && d >= 0xEE && (c >= 0xF0) != (d >= 0xF0)) return c >= 0xF0 ? -1 : 1;
        return c < d ? -1 : 1;
    }
    return x.len < y.len ? -1 : x.len > y.len;
}

static int compare_keys(const void *x, const void *y)
{
    return fer_utf16_cmp(fer_val_str(*(const yyjson_val *const *)x),
                         fer_val_str(*(const yyjson_val *const *)y));
}

const yyjson_val **fer_keys_sorted(fer_arena *a, const yyjson_val *object)
{
    size_t count = fer_val_len(object);
    const yyjson_val **keys = fer_arena_alloc_zero(a, count + 1, sizeof *keys);
    if (!keys) return NULL;
    size_t i = 0;
    bool sorted = true; /* much of what is written here is in order already */
    FER_EACH_MEMBER (object, key) {
        keys[i++] = key;
        if (sorted && i > 1) sorted = compare_keys(&keys[i - 2], &keys[i - 1]) <= 0;
    }
    if (!sorted) qsort(keys, count, sizeof *keys, compare_keys);
    return keys;
}
