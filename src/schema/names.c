/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

/* Length, first and last bytes: good enough for most. Names that crowd the table, by chance or
 * because somebody chose them so, get a map instead. */
#define CROWD 32 /* entries without a gap */

static size_t hash(fer_str name)
{
    size_t len = name.len;
    uint64_t head = fer_name_word(name.ptr) & fer_name_mask(len);
    uint64_t tail = len > 8 ? fer_name_word(name.ptr + len - 8) : head;
    uint64_t x = head ^ (tail << 23 | tail >> 41) ^ (uint64_t)len << 11;
    return (size_t)(x * UINT64_C(0x9E3779B97F4A7C15) >> 40);
}

static fer_name *name_at(const fer_names *n, size_t number)
{
    return (fer_name *)(void *)((char *)n->list + number * n->size);
}

bool fer_names_init(fer_names *n, fer_arena *a, size_t most, size_t size)
{
    size_t cap = 4;
    while (cap < most * 2) cap *= 2;
    *n = (fer_names){.size = (uint32_t)size, .mask = (uint32_t)(cap - 1)};
    n->list = fer_arena_alloc_zero(a, most + 1, size);
    n->table = fer_arena_alloc_zero(a, cap, sizeof *n->table);
    if (!n->list || !n->table) return false;
    name_at(n, 0)->len = SIZE_MAX;
    return true;
}

/* The names so far, in a map with a hash that nobody can foresee. */
static bool use_map(fer_names *n, fer_arena *a)
{
    fer_map *map = fer_arena_alloc_zero(a, 1, sizeof *map);
    if (!map) return false;
    fer_map_init(map, a);
    for (size_t i = 0; i < n->count; i++) {
        fer_name *name = name_at(n, i);
        void **place = fer_map_put(map, (fer_str){name->ptr, name->len});
        if (!place) return false;
        *place = name;
    }
    n->map = map;
    return true;
}

void *fer_names_put(fer_names *n, fer_arena *a, fer_str name)
{
    size_t at = hash(name) & n->mask;
    for (size_t tries = 0; !n->map && n->table[at]; at = (at + 1) & n->mask) {
        fer_name *known = name_at(n, n->table[at] - 1);
        if (fer_name_is(known, name)) return known;
        if (++tries > CROWD && !use_map(n, a)) return NULL;
    }
    fer_name *new = name_at(n, n->count);
    if (n->map) {
        void **place = fer_map_put(n->map, name);
        if (!place || *place) return place ? *place : NULL;
        *place = new;
    } else {
        n->table[at] = n->count + 1;
    }
    *new = fer_name_of(name);
    n->lengths |= UINT64_C(1) << (name.len & 63);
    n->firsts |= UINT64_C(1) << ((unsigned char)*name.ptr & 63);
    n->count++;
    name_at(n, n->count)->len = SIZE_MAX;
    return new;
}

bool fer_names_settle(fer_names *n, fer_arena *a)
{
    size_t longest = 0, run = 0;
    if (n->map || n->count <= CROWD) return true;
    for (size_t i = 0; i <= (size_t)n->mask + CROWD; i++) {
        run = n->table[i & n->mask] ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest <= CROWD || use_map(n, a);
}

const void *fer_names_find(const fer_names *n, fer_str name)
{
    if (n->map) return fer_map_get(n->map, name);
    for (size_t at = hash(name) & n->mask; n->table[at]; at = (at + 1) & n->mask) {
        const fer_name *known = fer_names_at(n, n->table[at] - 1);
        if (fer_name_is(known, name)) return known;
    }
    return NULL;
}
