/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that a schema knows (properties, values of an enum, tags), found by the text of a
 * string in a few instructions: most are told apart by their length and first eight bytes.
 */
#ifndef FER_NAMES_H
#define FER_NAMES_H

#include "arena.h"
#include "json_value.h"
#include "map.h"

typedef struct fer_name {
    uint64_t head; /* its first eight bytes, zeros behind a shorter one */
    uint64_t mask; /* ones where it has bytes */
    const char *ptr;
    size_t len;
} fer_name;

/*
 * The life of one: init -> put, at most `most` times -> settle -> find. A name may be the first
 * part of something larger, of `size` bytes.
 */
typedef struct fer_names {
    void *list; /* in the order they were put; behind the last, one that nothing equals */
    uint32_t size;
    uint32_t count;
    uint32_t mask;
    uint64_t lengths; /* a bit for each length that a name has, */
    uint64_t firsts;  /* and for each first byte, of which six bits count */
    uint32_t *table;  /* number of a name + 1 by its hash; 0: empty */
    fer_map *map;     /* instead of the table, where its hash is not good enough; else NULL */
} fer_names;

/* False: no memory. */
FER_MUST_USE bool fer_names_init(fer_names *n, fer_arena *a, size_t most, size_t size);
/* A name, new or not; NULL: no memory. What is behind a new one is clear. The text is not copied.
 */
void *fer_names_put(fer_names *n, fer_arena *a, fer_str name);
/* All names are there. False: no memory. */
FER_MUST_USE bool fer_names_settle(fer_names *n, fer_arena *a);
/* The name, NULL where there is none. */
const void *fer_names_find(const fer_names *n, fer_str name);
/* Whether there may be such a name: most that are not known are seen by their length. */
static inline bool fer_names_may_have(const fer_names *n, const char *ptr, size_t len)
{
    return n->lengths >> (len & 63) & n->firsts >> ((unsigned char)*ptr & 63) & 1;
}
/* A name by its number. */
static inline const fer_name *fer_names_at(const fer_names *n, size_t number)
{
    return (const fer_name *)(const void *)((const char *)n->list + number * n->size);
}

/*
 * The first eight bytes of a string, whatever its length. Strings of documents lie in arenas,
 * which have eight bytes behind the last one that may be read (FER_ARENA_SLACK).
 */
static inline uint64_t fer_name_word(const char *ptr)
{
    return fer_arena_load(ptr);
}

static inline uint64_t fer_name_mask(size_t len)
{
    if (len >= 8) return UINT64_MAX;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return ~(UINT64_MAX << (len * 8));
#else
    return len ? UINT64_MAX << (64 - len * 8) : 0;
#endif
}

static inline fer_name fer_name_of(fer_str s)
{
    uint64_t mask = fer_name_mask(s.len);
    return (fer_name){fer_name_word(s.ptr) & mask, mask, s.ptr, s.len};
}

/* Whether a text of the same length starts like the name ... */
static inline bool fer_name_starts(const fer_name *n, const char *ptr)
{
    return ((fer_name_word(ptr) ^ n->head) & n->mask) == 0;
}

/* ... and goes on like it. */
static inline bool fer_name_ends(const fer_name *n, const char *ptr)
{
    if (n->len <= 8) return true;
    if (n->len > 16) return memcmp(n->ptr + 8, ptr + 8, n->len - 8) == 0;
    return fer_name_word(n->ptr + n->len - 8) == fer_name_word(ptr + n->len - 8);
}

static inline bool fer_name_is(const fer_name *n, fer_str s)
{
    return n->len == s.len && fer_name_starts(n, s.ptr) && fer_name_ends(n, s.ptr);
}

#endif
