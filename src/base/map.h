/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash map from text to a pointer, in an arena; keys are borrowed. The hash is
 * SipHash-1-3 under the arena's seed, so nobody can prepare keys that collide.
 * Entries are never removed. One thread writes, or many read.
 */
#ifndef FER_MAP_H
#define FER_MAP_H

#include "arena.h"
#include "str.h"

struct fer_map_entry {
    fer_str key; /* ptr NULL: empty */
    uint64_t hash;
    void *value;
};

typedef struct fer_map {
    fer_arena *arena;
    struct fer_map_entry *entries;
    size_t cap; /* a power of two, or 0 */
    size_t count;
} fer_map;

void fer_map_init(fer_map *m, fer_arena *a);
/* The value of a key, or NULL. */
void *fer_map_get(const fer_map *m, fer_str key);
/*
 * The place of a key's value, made (and set to NULL) where the key is new. The
 * place is good until the next put. NULL: no memory.
 */
void **fer_map_put(fer_map *m, fer_str key);

uint64_t fer_hash(const uint64_t seed[2], fer_str s);

#endif
