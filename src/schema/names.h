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
    const char *ptr;
    size_t len;
} fer_name;

/* The life of one: init -> put, at most `most` times -> settle -> find. */
typedef struct fer_names {
    fer_name *list; /* in the order they were put; behind the last, one that nothing equals */
    uint32_t count;
    uint32_t mask;
    uint32_t *table; /* number of a name + 1 by its hash; 0: empty */
    fer_map *map;    /* instead of the table, where its hash is not good enough; else NULL */
} fer_names;

#define FER_NAME_NONE UINT32_MAX

/* False: no memory. */
FER_MUST_USE bool fer_names_init(fer_names *n, fer_arena *a, size_t most);
/* The number of a name, new or not; FER_NAME_NONE: no memory. The text stays the caller's. */
uint32_t fer_names_put(fer_names *n, fer_arena *a, fer_str name);
/* All names are there. False: no memory. */
FER_MUST_USE bool fer_names_settle(fer_names *n, fer_arena *a);
/* The number of a name, FER_NAME_NONE where there is no such name. */
uint32_t fer_names_find(const fer_names *n, uint64_t head, const char *ptr, size_t len);

/*
 * The first eight bytes of a string. Strings of documents lie in arenas, which have eight
 * bytes behind the last one that may be read (FER_ARENA_SLACK): no look at the length first.
 */
static inline uint64_t fer_name_head(const char *ptr, size_t len)
{
    uint64_t word;
    memcpy(&word, ptr, sizeof word);
    if (len >= sizeof word) return word;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word & ~(UINT64_MAX << (len * 8));
#else
    return len ? word >> (64 - len * 8) << (64 - len * 8) : 0;
#endif
}

static inline fer_name fer_name_of(fer_str s)
{
    return (fer_name){fer_name_head(s.ptr, s.len), s.ptr, s.len};
}

/* Whether a name is this text, of which the head is known. */
static inline bool fer_name_is(const fer_name *n, uint64_t head, const char *ptr, size_t len)
{
    if (n->head != head || n->len != len) return false;
    return len <= 8 || memcmp(n->ptr + 8, ptr + 8, len - 8) == 0;
}

static inline uint32_t fer_names_find_str(const fer_names *n, fer_str name)
{
    return fer_names_find(n, fer_name_head(name.ptr, name.len), name.ptr, name.len);
}

#endif
