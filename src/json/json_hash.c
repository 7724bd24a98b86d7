/* SPDX-License-Identifier: Apache-2.0 */
#include "json_hash.h"

#include <ferrule/json.h>

#include "json_number.h"

static uint64_t mix(uint64_t x, uint64_t y)
{
    x = (x ^ y) * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 32;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ (x >> 29);
}

/* A number by its decimal; short whole numbers without making one. */
static uint64_t number_hash(const uint64_t seed[2], const yyjson_val *v)
{
    fer_decimal d;
    fer_number_decimal(v, &d);
    uint64_t h = fer_hash(seed, (fer_str){d.digits, d.count});
    return mix(h, d.count ? (uint64_t)d.exponent * 2 + d.negative : 0);
}

static uint64_t scalar_hash(const uint64_t seed[2], const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_STR: return mix(fer_hash(seed, fer_val_str(v)), 1);
    case YYJSON_TYPE_BOOL: return mix(seed[0], fer_is_true(v) ? 2 : 3);
    case YYJSON_TYPE_NULL: return mix(seed[0], 4);
    default: return mix(number_hash(seed, v), 5);
    }
}

struct level {
    const yyjson_val *value; /* a container */
    const yyjson_val *next;  /* its next item or key */
    uint64_t sum;
    uint64_t key; /* hash of the key whose value is being hashed */
};

struct hasher {
    fer_arena *arena;
    const uint64_t *seed;
    struct level *levels;
    size_t depth, cap;
};

static bool enter(struct hasher *h, const yyjson_val *v)
{
    struct level *levels = fer_arena_room(h->arena, h->levels, h->depth, &h->cap, sizeof *levels);
    if (!levels) return false;
    h->levels = levels;
    levels[h->depth++] = (struct level){v, v + 1, 0, 0};
    return true;
}

/* Items count by their order, members by their keys. */
static void add(struct level *l, uint64_t hash)
{
    if (fer_is_obj(l->value)) {
        l->sum += mix(hash, l->key);
        l->next = fer_val_next(l->next + 1);
    } else {
        l->sum = mix(l->sum, hash);
        l->next = fer_val_next(l->next);
    }
}

bool fer_json_hash(fer_arena *scratch, const yyjson_val *value, uint64_t *out)
{
    struct hasher h = {.arena = scratch, .seed = fer_arena_seed(scratch)};
    if (!fer_is_ctn(value)) {
        *out = scalar_hash(h.seed, value);
        return true;
    }
    if (!enter(&h, value)) return false;
    for (;;) {
        struct level *l = &h.levels[h.depth - 1];
        if (l->next == fer_val_next(l->value)) {
            uint64_t whole = mix(l->sum + fer_val_len(l->value), fer_val_type(l->value));
            if (--h.depth == 0) {
                *out = whole;
                return true;
            }
            add(l - 1, whole);
            continue;
        }
        const yyjson_val *v = l->next;
        if (fer_is_obj(l->value)) {
            l->key = fer_hash(h.seed, fer_val_str(v));
            v++;
        }
        if (!fer_is_ctn(v)) {
            add(l, scalar_hash(h.seed, v));
        } else if (!enter(&h, v)) {
            return false;
        }
    }
}

/* ---- equal items ------------------------------------------------------------------------ */

struct item {
    const yyjson_val *value; /* NULL: empty */
    uint64_t hash;
    size_t index;
};

/* The place of a value in the table: of an equal one, or an empty one. */
static fer_code place_of(fer_arena *a, struct item *items, size_t cap, const struct item *wanted,
                         struct item **out)
{
    for (size_t i = wanted->hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
        bool equal = false;
        *out = &items[i];
        if (!items[i].value) return FER_OK;
        if (items[i].hash != wanted->hash) continue;
        fer_code code = fer_json_equal(a, items[i].value, wanted->value, &equal, NULL);
        if (code || equal) return code;
    }
}

fer_code fer_items_unique(fer_arena *scratch, const yyjson_val *array, bool *found, size_t twice[2])
{
    size_t cap = 8, index = 0;
    while (cap < fer_val_len(array) * 2) cap *= 2;
    struct item *items = fer_arena_alloc_zero(scratch, cap, sizeof *items);
    if (!items) return fer_arena_code(scratch);
    *found = false;
    FER_EACH_ITEM (array, v) {
        struct item mine = {v, 0, index++}, *place;
        if (!fer_json_hash(scratch, v, &mine.hash)) return fer_arena_code(scratch);
        fer_code code = place_of(scratch, items, cap, &mine, &place);
        if (code) return code;
        if (place->value) {
            *found = true;
            if (twice) twice[0] = place->index;
            if (twice) twice[1] = mine.index;
            return FER_OK;
        }
        *place = mine;
    }
    return FER_OK;
}

/* ---- keys ---------------------------------------------------------------------------------- */

bool fer_json_keys(fer_map *m, const yyjson_val *object)
{
    FER_EACH_MEMBER (object, key) {
        void **place = fer_map_put(m, fer_val_str(key));
        if (!place) return false;
        *place = (void *)(uintptr_t)key;
    }
    return true;
}
