/* SPDX-License-Identifier: Apache-2.0 */
#include "map.h"

#include <string.h>

#include "checked.h"

#define FIRST_CAP ((size_t)16)

static uint64_t rotl(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotl(v[1], 13) ^ v[0];
    v[0] = rotl(v[0], 32);
    v[2] += v[3];
    v[3] = rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotl(v[1], 17) ^ v[2];
    v[2] = rotl(v[2], 32);
}

/* SipHash-1-3 (Aumasson and Bernstein): one round per word, three to finish. */
uint64_t fer_hash(const uint64_t seed[2], fer_str s)
{
    uint64_t v[4] = {seed[0] ^ 0x736f6d6570736575u, seed[1] ^ 0x646f72616e646f6du,
                     seed[0] ^ 0x6c7967656e657261u, seed[1] ^ 0x7465646279746573u};
    size_t i = 0;
    for (; i + 8 <= s.len; i += 8) {
        uint64_t word;
        memcpy(&word, s.ptr + i, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)s.len << 56;
    for (size_t k = 0; i + k < s.len; k++) {
        last |= (uint64_t)(unsigned char)s.ptr[i + k] << (8 * k);
    }
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int k = 0; k < 3; k++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void fer_map_init(fer_map *m, fer_arena *a)
{
    *m = (fer_map){.arena = a};
}

/* The entry of the key, or the empty one where it belongs. */
static struct fer_map_entry *probe(struct fer_map_entry *entries, size_t cap, fer_str key,
                                   uint64_t hash)
{
    size_t i = (size_t)hash & (cap - 1);
    while (entries[i].key.ptr && !(entries[i].hash == hash && fer_str_eq(entries[i].key, key))) {
        i = (i + 1) & (cap - 1);
    }
    return &entries[i];
}

static bool enlarge(fer_map *m)
{
    size_t cap = m->cap ? m->cap * 2 : FIRST_CAP;
    struct fer_map_entry *entries = fer_arena_alloc_zero(m->arena, cap, sizeof *entries);
    if (!entries) return false;
    for (size_t i = 0; i < m->cap; i++) {
        const struct fer_map_entry *e = &m->entries[i];
        if (e->key.ptr) *probe(entries, cap, e->key, e->hash) = *e;
    }
    m->entries = entries;
    m->cap = cap;
    return true;
}

void *fer_map_get(const fer_map *m, fer_str key)
{
    if (m->count == 0) return NULL;
    uint64_t hash = fer_hash(fer_arena_seed(m->arena), key);
    return probe(m->entries, m->cap, key, hash)->value;
}

void **fer_map_put(fer_map *m, fer_str key)
{
    if (m->count >= m->cap / 4 * 3 && !enlarge(m)) return NULL;
    uint64_t hash = fer_hash(fer_arena_seed(m->arena), key);
    struct fer_map_entry *e = probe(m->entries, m->cap, key, hash);
    if (!e->key.ptr) {
        *e = (struct fer_map_entry){.key = {key.ptr ? key.ptr : "", key.len}, .hash = hash};
        m->count++;
    }
    return &e->value;
}
