/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is freed as a whole. The life of an arena: new -> many allocs ->
 * reset -> many allocs -> ... -> free. Allocations are aligned to 16 bytes and
 * never move, except by fer_arena_grow. One thread at a time.
 *
 * An arena also carries a random seed, so that hash tables made in it cannot be
 * attacked with prepared keys and nothing needs a global for that.
 */
#ifndef FER_ARENA_H
#define FER_ARENA_H

#include <ferrule/common.h>

#include "str.h"

/*
 * Behind every allocated byte at least so many more can be read without leaving the chunk;
 * what they hold is not known. Eight bytes can so be loaded from the start of any text in an
 * arena, however short, by fer_arena_load: AddressSanitizer reports any other way.
 */
#define FER_ARENA_SLACK 8

typedef uint64_t __attribute__((aligned(1), may_alias)) fer_arena_word;

/* The eight bytes from `p` on, of which one at least is allocated. */
__attribute__((no_sanitize("address"))) static inline uint64_t fer_arena_load(const void *p)
{
    return *(const fer_arena_word *)p;
}

/* `size` bytes, not cleared. NULL past the budget or without memory: see fer_arena_code. */
FER_MUST_USE void *fer_arena_alloc(fer_arena *a, size_t size);
/* The same, cleared, for `count` items of `size` bytes. */
FER_MUST_USE void *fer_arena_alloc_zero(fer_arena *a, size_t count, size_t size);
/* Resizes an allocation, in place where it is the last one. On NULL the old one is as it was. */
FER_MUST_USE void *fer_arena_grow(fer_arena *a, void *p, size_t old_size, size_t new_size);
/*
 * A list of `count` items of `size` bytes with room for one more, at least doubled where
 * it is full. NULL without memory; then the list is as it was.
 */
FER_MUST_USE void *fer_arena_room(fer_arena *a, void *list, size_t count, size_t *cap, size_t size);
/* So many bytes will be asked for on the whole: they are had at once where that can be, and cost
 * nothing before they are used. */
void fer_arena_reserve(fer_arena *a, size_t size);
/* Gives back what the last allocation holds from `end` on. */
void fer_arena_trim(fer_arena *a, const void *end);

/*
 * Has `done(thing)` called when the arena is reset or freed, for what results in it refer to
 * and somebody else counts. Last in, first out. False: no memory, and nothing will be called.
 */
FER_MUST_USE bool fer_arena_defer(fer_arena *a, void (*done)(void *thing), void *thing);

/* Why the last allocation failed: FER_OUT_OF_MEMORY, or FER_LIMIT_EXCEEDED for the budget. */
fer_code fer_arena_code(const fer_arena *a);
/* Whether any allocation has failed since it was made or reset: for who went on without what was to
 * be there, and wants to know before something is done by it. */
bool fer_arena_starved(const fer_arena *a);
/* Fills `err` for a failed allocation and returns its code. */
fer_code fer_arena_failed(const fer_arena *a, fer_err *err);

/* Two random words, the same for the whole life of the arena: drawn when they are first asked for,
 * as most arenas have no table. */
const uint64_t *fer_arena_seed(fer_arena *a);

#endif
