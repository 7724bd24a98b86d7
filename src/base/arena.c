/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of chunks, each twice as large as the one before up to CHUNK_MAX. Only
 * the top chunk gives memory; a request that does not fit opens a new one. Under
 * AddressSanitizer what is not given out is poisoned, so that an overrun inside a
 * chunk is seen.
 */
#include "arena.h"

#include <stdarg.h>
#include <string.h>

#include "checked.h"
#include "errors.h"
#include "print.h"
#include "sys.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define ALIGN     ((size_t)16)
#define CHUNK_MIN ((size_t)4096)
#define CHUNK_MAX ((size_t)1 << 20)

struct chunk {
    struct chunk *below;
    size_t size;  /* of data */
    size_t given; /* bytes given out by the chunks below */
    size_t pad;   /* keeps data aligned */
    char data[];  /* and FER_ARENA_SLACK bytes behind `size` */
};

/* `left` is the smaller of what the top chunk and the budget have: one look tells. */
struct fer_arena {
    char *at;    /* in the top chunk, where the next allocation starts */
    size_t left; /* a multiple of ALIGN */
    struct chunk *top;
    size_t budget; /* a multiple of ALIGN; SIZE_MAX: none */
    size_t asked;  /* budget as it was asked for */
    size_t next_size;
    fer_code failure;
    bool starved;
    uint64_t seed[2]; /* both 0: not drawn yet */
    struct deferred *deferred;
};

/* Something to do when the arena ends; it lives in the arena itself. */
struct deferred {
    struct deferred *next;
    void (*done)(void *thing);
    void *thing;
};

static_assert(sizeof(struct chunk) % ALIGN == 0, "chunk data must stay aligned");

fer_arena *fer_arena_new(size_t budget)
{
    fer_arena *a = fer_sys_malloc(sizeof *a);
    if (!a) return NULL;
    *a = (fer_arena){.budget = budget ? budget & ~(ALIGN - 1) : SIZE_MAX,
                     .asked = budget,
                     .next_size = CHUNK_MIN,
                     .failure = FER_OUT_OF_MEMORY};
    return a;
}

static void free_chunks(struct chunk *c)
{
    while (c) {
        struct chunk *below = c->below;
        ASAN_UNPOISON_MEMORY_REGION(c->data, c->size);
        fer_sys_free(c);
        c = below;
    }
}

static void run_deferred(fer_arena *a)
{
    while (a->deferred) {
        struct deferred *d = a->deferred;
        a->deferred = d->next;
        d->done(d->thing);
    }
}

bool fer_arena_defer(fer_arena *a, void (*done)(void *thing), void *thing)
{
    struct deferred *d = fer_arena_alloc(a, sizeof *d);
    if (!d) return false;
    *d = (struct deferred){a->deferred, done, thing};
    a->deferred = d;
    return true;
}

void fer_arena_free(fer_arena *a)
{
    if (!a) return;
    run_deferred(a);
    free_chunks(a->top);
    fer_sys_free(a);
}

/* Makes `kept` the only chunk, with nothing given out. */
static void start_over(fer_arena *a, struct chunk *kept)
{
    a->top = kept;
    a->at = kept ? kept->data : NULL;
    a->left = kept ? kept->size : 0;
    if (a->left > a->budget) a->left = a->budget;
}

void fer_arena_reset(fer_arena *a)
{
    run_deferred(a);
    a->starved = false;
    struct chunk *kept = a->top;
    if (!kept) return;
    free_chunks(kept->below);
    kept->below = NULL;
    kept->given = 0;
    if (kept->size > CHUNK_MAX) {
        free_chunks(kept);
        kept = NULL;
    } else {
        ASAN_POISON_MEMORY_REGION(kept->data, kept->size);
    }
    start_over(a, kept);
}

size_t fer_arena_used(const fer_arena *a)
{
    return a->top ? a->top->given + (size_t)(a->at - a->top->data) : 0;
}

static bool open_chunk(fer_arena *a, size_t need)
{
    size_t size = need > a->next_size ? need : a->next_size, total;
    if (!fer_add_size(size, sizeof(struct chunk) + FER_ARENA_SLACK, &total)) return false;
    struct chunk *c = fer_sys_malloc(total);
    if (!c) return false;
    *c = (struct chunk){.below = a->top, .size = size, .given = fer_arena_used(a)};
    ASAN_POISON_MEMORY_REGION(c->data, c->size);
    a->top = c;
    a->at = c->data;
    a->left = size < a->budget - c->given ? size : a->budget - c->given;
    if (a->next_size < CHUNK_MAX) a->next_size *= 2;
    return true;
}

void fer_arena_reserve(fer_arena *a, size_t size)
{
    size_t need;
    if (size <= a->left || !fer_add_size(size, ALIGN - 1, &need)) return;
    need &= ~(ALIGN - 1);
    if (need > a->budget - fer_arena_used(a)) return;
    bool had = open_chunk(a, need);
    (void)had; /* without, chunks are opened as they are needed */
}

static void *refuse(fer_arena *a, fer_code why)
{
    a->failure = why;
    a->starved = true;
    return NULL;
}

/* What is left does not do, or nothing is asked for. */
__attribute__((noinline)) static void *alloc_slowly(fer_arena *a, size_t size)
{
    size_t need;
    if (!fer_add_size(size ? size : 1, ALIGN - 1, &need)) return refuse(a, FER_OUT_OF_MEMORY);
    need &= ~(ALIGN - 1);
    if (need > a->budget - fer_arena_used(a))
        return refuse(a, a->asked ? FER_LIMIT_EXCEEDED : FER_OUT_OF_MEMORY);
    if (need > a->left && !open_chunk(a, need)) return refuse(a, FER_OUT_OF_MEMORY);
    void *p = a->at;
    a->at += need;
    a->left -= need;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

void *fer_arena_alloc(fer_arena *a, size_t size)
{
    if (size - 1 >= a->left) return alloc_slowly(a, size); /* 0 too */
    size_t need = (size + ALIGN - 1) & ~(ALIGN - 1);
    void *p = a->at;
    a->at += need;
    a->left -= need;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

void *fer_arena_alloc_zero(fer_arena *a, size_t count, size_t size)
{
    size_t total;
    if (!fer_mul_size(count, size, &total)) return refuse(a, FER_OUT_OF_MEMORY);
    void *p = fer_arena_alloc(a, total);
    if (p) memset(p, 0, total);
    return p;
}

/* Changes the size of the last allocation within its chunk. */
static bool resize_last(fer_arena *a, char *p, size_t old_need, size_t new_need)
{
    if (p + old_need != a->at) return false;
    if (new_need > old_need && new_need - old_need > a->left) return false;
    a->at = p + new_need;
    a->left += old_need - new_need;
    return true;
}

void *fer_arena_grow(fer_arena *a, void *p, size_t old_size, size_t new_size)
{
    size_t need;
    if (!p) return fer_arena_alloc(a, new_size);
    if (!fer_add_size(new_size ? new_size : 1, ALIGN - 1, &need))
        return refuse(a, FER_OUT_OF_MEMORY);
    need &= ~(ALIGN - 1);
    size_t old_need = ((old_size ? old_size : 1) + ALIGN - 1) & ~(ALIGN - 1);
    if (resize_last(a, p, old_need, need)) {
        ASAN_POISON_MEMORY_REGION(p, old_need > need ? old_need : need);
        ASAN_UNPOISON_MEMORY_REGION(p, new_size);
        return p;
    }
    if (need <= old_need) {
        ASAN_UNPOISON_MEMORY_REGION(p, new_size);
        return p;
    }
    void *moved = fer_arena_alloc(a, new_size);
    if (moved) memcpy(moved, p, old_size);
    return moved;
}

void *fer_arena_room(fer_arena *a, void *list, size_t count, size_t *cap, size_t size)
{
    size_t more = *cap ? *cap : 8, bytes;
    if (count < *cap) return list;
    if (*cap && !fer_mul_size(more, 2, &more)) return refuse(a, FER_OUT_OF_MEMORY);
    if (!fer_mul_size(more, size, &bytes)) return refuse(a, FER_OUT_OF_MEMORY);
    void *grown = fer_arena_grow(a, list, *cap * size, bytes);
    if (grown) *cap = more;
    return grown;
}

void fer_arena_trim(fer_arena *a, const void *end)
{
    assert(a->top && (const char *)end >= a->top->data && (const char *)end <= a->at);
    size_t back = (size_t)(a->at - (const char *)end) & ~(ALIGN - 1);
    a->at -= back;
    a->left += back;
    ASAN_POISON_MEMORY_REGION(a->at, back);
}

fer_str fer_arena_copy(fer_arena *a, fer_str s)
{
    size_t size;
    char *p =
        fer_add_size(s.len, 1, &size) ? fer_arena_alloc(a, size) : refuse(a, FER_OUT_OF_MEMORY);
    if (!p) return FER_STR_NONE;
    if (s.len) memcpy(p, s.ptr, s.len);
    p[s.len] = '\0';
    return (fer_str){p, s.len};
}

#define PRINT_SHORT 512 /* bytes that are formatted before there is memory for them */

fer_str fer_arena_printf(fer_arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char text[PRINT_SHORT];
    int len = fer_vprint(text, sizeof text, format, args);
    char *p = len < 0 ? refuse(a, FER_OUT_OF_MEMORY) : fer_arena_alloc(a, (size_t)len + 1);
    if (p && (size_t)len < sizeof text) memcpy(p, text, (size_t)len + 1);
    else if (p) fer_vprint(p, (size_t)len + 1, format, again);
    va_end(again);
    va_end(args);
    return p ? (fer_str){p, (size_t)len} : FER_STR_NONE;
}

fer_code fer_arena_code(const fer_arena *a)
{
    return a->failure;
}

bool fer_arena_starved(const fer_arena *a)
{
    return a->starved;
}

fer_code fer_arena_failed(const fer_arena *a, fer_err *err)
{
    if (a->failure == FER_LIMIT_EXCEEDED) {
        return fer_fail(err, a->failure, "needs more memory than its budget of %zu bytes",
                        a->asked);
    }
    return fer_fail(err, a->failure, "out of memory");
}

const uint64_t *fer_arena_seed(fer_arena *a)
{
    if (a->seed[0] || a->seed[1]) return a->seed;
    if (fer_sys_random(a->seed, sizeof a->seed) != 0) {
        /* No entropy (early boot): addresses are random enough to go on with. */
        a->seed[0] = (uint64_t)(uintptr_t)a;
        a->seed[1] = (uint64_t)(uintptr_t)&a;
    }
    return a->seed;
}
