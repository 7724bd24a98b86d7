/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of one object: found twice, or put in order. Pure; memory from the arena. */
#ifndef FER_JSON_KEYS_H
#define FER_JSON_KEYS_H

#include <yyjson.h>

#include "arena.h"

/* Up to so many keys, a bit for each is quicker than a table (bench/json). */
#define FER_KEYS_FEW 16

/*
 * One bit of 64 by the length, the first and the last byte of a key that was just read: keys
 * with different bits differ. A key stands between its quote and a NUL, so that an empty one
 * has these two bytes as well.
 */
static inline uint64_t fer_key_bit(const unsigned char *key, size_t len)
{
    return (uint64_t)1 << ((key[0] * (size_t)8 + key[(ptrdiff_t)len - 1] * (size_t)2 + len) & 63);
}
/* Whether a key of the object stood before this one. */
bool fer_key_before(const yyjson_val *object, const yyjson_val *key);

/*
 * Looks for a key that stands twice, with a seeded table. `*twice` is the later one, or
 * NULL. False: no memory.
 */
bool fer_keys_unique(fer_arena *a, const yyjson_val *object, const yyjson_val **twice);

/* The keys of an object sorted as RFC 8785 wants it: by UTF-16 code units. NULL: no memory. */
const yyjson_val **fer_keys_sorted(fer_arena *a, const yyjson_val *object);

/* Compares two UTF-8 texts by their UTF-16 code units. */
int fer_utf16_cmp(fer_str x, fer_str y);

#endif
