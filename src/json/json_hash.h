/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes by value: equal values (1.0 and 1, objects in any order) have equal hashes. The
 * seed is the arena's, so nobody can prepare values that collide. Depth costs memory of
 * the arena, never the machine's stack.
 */
#ifndef FER_JSON_HASH_H
#define FER_JSON_HASH_H

#include "arena.h"
#include "json_value.h"
#include "map.h"

/* False: no memory. */
bool fer_json_hash(fer_arena *scratch, const yyjson_val *value, uint64_t *out);

/*
 * Looks for two equal items of an array, in time that is linear in its size. The numbers of
 * the two are in twice[], where it is not NULL.
 */
fer_code fer_items_unique(fer_arena *scratch, const yyjson_val *array, bool *found,
                          size_t twice[2]);

/* Fills a map from the names of an object to their keys; false: no memory. */
bool fer_json_keys(fer_map *m, const yyjson_val *object);

#endif
