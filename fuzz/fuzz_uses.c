/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of uses. What must hold: bytes are uses or are refused with a reason, and uses that were
 * read are written so that they are read again. Each input is tried as it is, and as what follows
 * a head with the right sum.
 */
#include <inttypes.h>

#include "arena.h"
#include "checksum.h"
#include "fuzz.h"
#include "use_memory.h"

struct seen {
    fer_arena *arena;
    fer_use *list;
    size_t count, cap;
};

static fer_code add(void *context, const fer_use *use, fer_err *err)
{
    struct seen *s = context;
    (void)err;
    s->list = fer_arena_room(s->arena, s->list, s->count, &s->cap, sizeof *s->list);
    HOLDS(s->list);
    s->list[s->count++] =
        (fer_use){fer_arena_copy(s->arena, use->tenant), fer_arena_copy(s->arena, use->query),
                  fer_arena_copy(s->arena, use->tool)};
    return FER_OK;
}

static void read_and_write(fer_str bytes)
{
    fer_err err = {0};
    fer_str again;
    struct seen one = {.arena = fuzz_arena()}, two = {.arena = one.arena};
    fer_code code = fer_uses_read(bytes, add, &one, &err);
    HOLDS(!code || err.message[0]);
    if (!code) {
        HOLDS(fer_uses_write(one.arena, one.list, one.count, &again, &err) == FER_OK);
        HOLDS(fer_uses_read(again, add, &two, &err) == FER_OK);
        HOLDS(one.count == two.count);
        for (size_t i = 0; i < one.count; i++)
            HOLDS(fer_str_eq(one.list[i].query, two.list[i].query) &&
                  fer_str_eq(one.list[i].tool, two.list[i].tool));
    }
    fer_arena_free(one.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_str bytes = fer_arena_copy(a, (fer_str){(const char *)data, size});
    HOLDS(bytes.ptr);
    read_and_write(bytes);
    char *all = fer_arena_alloc(a, size + 128);
    HOLDS(all);
    int head = snprintf(all, 128, "{\"format\":\"ferrule-uses-1\",\"check\":\"%016" PRIx64 "\"}\n",
                        fer_checksum(data, size));
    if (size) memcpy(all + head, data, size);
    read_and_write((fer_str){all, (size_t)head + size});
    fer_arena_free(a);
    return 0;
}
