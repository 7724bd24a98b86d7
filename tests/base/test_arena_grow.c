/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing and shrinking in an arena: in place where it is the last allocation, moved
 * otherwise, refused by the budget; the content kept, neighbours left alone.
 */
#include "poison.h"
#include "rows.h"

enum outcome {
    IN_PLACE,
    MOVED,
    REFUSED
};

static const struct grow_row {
    const char *name;
    size_t budget;
    size_t from;
    size_t gap; /* allocated after it, where not 0 */
    size_t to;
    enum outcome outcome;
    size_t used;
} grow_rows[] = {
    {"the last grows in place", 0, 16, 0, 100, IN_PLACE, 112},
    {"the last grows within its rounding", 0, 10, 0, 16, IN_PLACE, 16},
    {"the last keeps its size", 0, 100, 0, 100, IN_PLACE, 112},
    {"from nothing", 0, 0, 0, 100, IN_PLACE, 112},
    {"to the end of its chunk", 0, 16, 0, 4096, IN_PLACE, 4096},
    {"past the end of its chunk", 0, 16, 0, 4097, MOVED, 16 + 4112},
    {"a middle one moves", 0, 16, 16, 100, MOVED, 16 + 16 + 112},
    {"a middle one stays within its rounding", 0, 10, 16, 16, IN_PLACE, 32},
    {"a middle one within its rounding, by one", 0, 17, 16, 18, IN_PLACE, 48},
    {"the last shrinks and gives back", 0, 100, 0, 10, IN_PLACE, 16},
    {"the last shrinks within its rounding", 0, 16, 0, 1, IN_PLACE, 16},
    {"the last shrinks to nothing", 0, 100, 0, 0, IN_PLACE, 16},
    {"a middle one shrinks where it is", 0, 100, 16, 10, IN_PLACE, 128},
    {"below a newer chunk", 0, 100, 5000, 200, MOVED, 112 + 5008 + 208},
    {"a large one shrinks", 0, (size_t)2 << 20, 0, 16, IN_PLACE, 16},
    {"to the budget, in place", 64, 32, 0, 64, IN_PLACE, 64},
    {"past the budget", 64, 32, 0, 65, REFUSED, 32},
    {"a copy past the budget", 64, 16, 16, 33, REFUSED, 32},
    {"a copy to the budget", 64, 16, 16, 32, MOVED, 64},
    {"a shrink under a spent budget", 64, 64, 0, 1, IN_PLACE, 16},
};

static void fill(char *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) p[i] = (char)(i * 7 + 1);
}

static void assert_filled(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++) assert_int_equal(p[i], (char)(i * 7 + 1));
}

static void run_grow(const struct grow_row *row)
{
    fer_arena *a = fer_arena_new(row->budget);
    assert_non_null(a);
    char *p = fer_arena_alloc(a, row->from);
    assert_non_null(p);
    fill(p, 0, row->from);
    char *gap = row->gap ? fer_arena_alloc(a, row->gap) : NULL;
    if (row->gap) {
        assert_non_null(gap);
        fill(gap, 0, row->gap);
    }
    char *q = fer_arena_grow(a, p, row->from, row->to);
    assert_int_equal(fer_arena_used(a), row->used);
    if (row->outcome == REFUSED) {
        assert_null(q);
        assert_int_equal(fer_arena_code(a), FER_LIMIT_EXCEEDED);
        assert_filled(p, row->from);
    } else {
        assert_non_null(q);
        assert_int_equal(q == p, row->outcome == IN_PLACE);
        assert_int_equal((uintptr_t)q % 16, 0);
        assert_filled(q, row->to < row->from ? row->to : row->from);
        if (row->to && POISONED(q, row->to)) fail_msg("the grown part is still poisoned");
        fill(q, 0, row->to);
        assert_filled(q, row->to);
    }
    if (gap) assert_filled(gap, row->gap);
    if (!row->budget) {
        char *next = fer_arena_alloc(a, 1);
        assert_non_null(next);
        *next = 'x';
        if (q) assert_filled(q, row->to);
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("arena grow", grow_rows, run_grow);
}
