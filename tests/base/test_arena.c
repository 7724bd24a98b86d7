/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arena: alignment, the budget at its edge, reset, sizes that overflow, why an
 * allocation failed, and that nothing is held afterwards. Growing: test_arena_grow.c.
 */
#include "poison.h"
#include "rows.h"

/* ---- alignment ------------------------------------------------------------ */

static const struct size_row {
    const char *name;
    size_t size;
    size_t used;
} size_rows[] = {
    {"no bytes", 0, 16},
    {"1 byte", 1, 16},
    {"15 bytes", 15, 16},
    {"16 bytes", 16, 16},
    {"17 bytes", 17, 32},
    {"just under the first chunk", 4095, 4096},
    {"the first chunk", 4096, 4096},
    {"just over the first chunk", 4097, 4112},
    {"the largest ordinary chunk", (size_t)1 << 20, (size_t)1 << 20},
    {"larger than any ordinary chunk", ((size_t)1 << 20) + 1, ((size_t)1 << 20) + 16},
};

static void run_size(const struct size_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    assert_int_equal(fer_arena_used(a), 0);
    for (size_t i = 1; i <= 5; i++) {
        char *p = fer_arena_alloc(a, row->size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_int_equal(fer_arena_used(a), i * row->used);
        memset(p, 0xAA, row->size);
        unsigned char *z = fer_arena_alloc_zero(a, row->size, 1);
        assert_non_null(z);
        assert_int_equal((uintptr_t)z % 16, 0);
        for (size_t k = 0; k < row->size; k++) assert_int_equal(z[k], 0);
        z = fer_arena_grow(a, z, row->size, 0);
        assert_non_null(z);
        fer_arena_reset(a);
        assert_int_equal(fer_arena_used(a), 0);
        for (size_t k = 0; k < i; k++) assert_non_null(fer_arena_alloc(a, row->size));
    }
    fer_arena_free(a);
}

/* ---- bytes to read behind the last one ---------------------------------------- */

static const struct slack_row {
    const char *name;
    size_t size;
    bool whole; /* fills its chunk */
} slack_rows[] = {
    {"in a chunk", 1, false},
    {"all but one byte of the first chunk", 4095, false},
    {"the first chunk", 4096, true},
    {"larger than the first chunk", 8208, true},
    {"larger than any ordinary chunk", ((size_t)1 << 20) + 16, true},
};

static void run_slack(const struct slack_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    char *p = fer_arena_alloc(a, row->size);
    assert_non_null(p);
    p[row->size - 1] = 'x';
    uint64_t loaded = fer_arena_load(p + row->size - 1);
    assert_memory_equal(&loaded, "x", 1);
    /* Behind a chunk that is full the bytes exist and are nobody's. */
    if (row->whole) assert_false(POISONED(p + row->size, FER_ARENA_SLACK));
    fer_arena_free(a);
}

/* ---- the budget ------------------------------------------------------------ */

static const struct budget_row {
    const char *name;
    size_t budget;
    size_t first; /* given out before */
    size_t size;
    bool given;
} budget_rows[] = {
    {"one byte less than the budget", 64, 0, 63, true},
    {"the budget", 64, 0, 64, true},
    {"one byte more than the budget", 64, 0, 65, false},
    {"one byte less than what is left", 64, 48, 15, true},
    {"what is left", 64, 48, 16, true},
    {"one byte more than what is left", 64, 48, 17, false},
    {"nothing is left", 64, 64, 1, false},
    {"nothing of a spent budget", 64, 64, 0, false},
    {"a budget under the alignment", 15, 0, 1, false},
    {"a budget of the alignment", 16, 0, 16, true},
    {"far more than the budget", 64, 0, SIZE_MAX / 2, false},
    {"no budget", 0, 64, (size_t)1 << 22, true},
};

static void run_budget(const struct budget_row *row)
{
    fer_err err = {0};
    fer_arena *a = fer_arena_new(row->budget);
    assert_non_null(a);
    if (row->first) assert_non_null(fer_arena_alloc(a, row->first));
    size_t before = fer_arena_used(a);
    void *p = fer_arena_alloc(a, row->size);
    assert_int_equal(p != NULL, row->given);
    if (!row->given) {
        char number[32];
        assert_int_equal(fer_arena_used(a), before);
        assert_int_equal(fer_arena_code(a), FER_LIMIT_EXCEEDED);
        assert_int_equal(fer_arena_failed(a, NULL), FER_LIMIT_EXCEEDED);
        assert_int_equal(fer_arena_failed(a, &err), FER_LIMIT_EXCEEDED);
        assert_int_equal(err.code, FER_LIMIT_EXCEEDED);
        snprintf(number, sizeof number, "%zu", row->budget);
        assert_non_null(strstr(err.message, number));
        fer_arena_reset(a);
        if (row->budget >= 16) assert_non_null(fer_arena_alloc(a, row->budget));
    }
    fer_arena_free(a);
}

/* ---- sizes that do not fit --------------------------------------------------- */

static const struct huge_row {
    const char *name;
    size_t budget;
    size_t count;
    size_t size; /* 0: plain alloc of `count` bytes */
    fer_code code;
} huge_rows[] = {
    {"all of memory", 0, SIZE_MAX, 0, FER_OUT_OF_MEMORY},
    {"rounding up overflows", 0, SIZE_MAX - 14, 0, FER_OUT_OF_MEMORY},
    {"the chunk's head overflows", 0, SIZE_MAX - 15, 0, FER_OUT_OF_MEMORY},
    {"the chunk's head just overflows", 0, SIZE_MAX - 31, 0, FER_OUT_OF_MEMORY},
    {"overflow under a budget", 4096, SIZE_MAX - 15, 0, FER_LIMIT_EXCEEDED},
    {"product overflows by one", 0, SIZE_MAX / 2 + 1, 2, FER_OUT_OF_MEMORY},
    {"product overflows to a small number", 0, (SIZE_MAX >> 4) + 2, 16, FER_OUT_OF_MEMORY},
    {"both factors huge", 0, SIZE_MAX, SIZE_MAX, FER_OUT_OF_MEMORY},
    {"product overflows under a budget", 4096, SIZE_MAX, 2, FER_OUT_OF_MEMORY},
};

static void run_huge(const struct huge_row *row)
{
    fer_arena *a = fer_arena_new(row->budget);
    assert_non_null(a);
    char *kept = fer_arena_alloc(a, 10);
    assert_non_null(kept);
    memcpy(kept, "123456789", 10);
    void *p =
        row->size ? fer_arena_alloc_zero(a, row->count, row->size) : fer_arena_alloc(a, row->count);
    assert_null(p);
    assert_int_equal(fer_arena_code(a), row->code);
    assert_int_equal(fer_arena_used(a), 16);
    if (!row->size) {
        assert_null(fer_arena_grow(a, kept, 10, row->count));
        assert_int_equal(fer_arena_code(a), row->code);
        assert_null(fer_arena_grow(a, NULL, 0, row->count));
    }
    assert_string_equal(kept, "123456789");
    assert_int_equal(fer_arena_used(a), 16);
    assert_non_null(fer_arena_alloc(a, 10));
    fer_arena_free(a);
}

/* ---- text ------------------------------------------------------------------------ */

static const struct text_row {
    const char *name;
    fer_str text;
    size_t used;
} text_rows[] = {
    {"nothing at all", {NULL, 0}, 16},
    {"empty", {"", 0}, 16},
    {"short", {"abc", 3}, 16},
    {"NUL inside", {"a\0b", 3}, 16},
    {"15 bytes", {"123456789012345", 15}, 16},
    {"16 bytes", {"1234567890123456", 16}, 32},
};

static fer_code attempt_text(fer_arena *a, const void *data)
{
    const struct text_row *row = data;
    fer_str s = fer_arena_copy(a, row->text);
    if (!s.ptr) return fer_arena_code(a);
    assert_true(fer_str_eq(s, row->text));
    assert_ptr_not_equal(s.ptr, row->text.ptr);
    assert_int_equal(s.ptr[s.len], '\0');
    fer_str t = fer_arena_printf(a, "<%.*s|%d>", FER_PRI(fer_str_head(row->text, 1)), 42);
    if (!t.ptr) return fer_arena_code(a);
    assert_int_equal(t.len, row->text.len ? 6 : 5);
    assert_int_equal(t.ptr[t.len], '\0');
    assert_true(fer_str_ends(t, "|42>"));
    return FER_OK;
}

static void run_text(const struct text_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    assert_non_null(fer_arena_copy(a, row->text).ptr);
    assert_int_equal(fer_arena_used(a), row->used);
    fer_arena_free(a);
    assert_int_equal(rows_torture_arena(attempt_text, row), row->used / 16);
}

static void long_printf(void)
{
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    fer_str s = fer_arena_printf(a, "%10000d", 7);
    assert_int_equal(s.len, 10000);
    assert_int_equal(s.ptr[9999], '7');
    assert_int_equal(s.ptr[10000], '\0');
    assert_str(fer_arena_printf(a, "%s", ""), "");
    fer_arena_free(a);
}

/* ---- failures of the machine --------------------------------------------------------- */

static const struct fault_row {
    const char *name;
    const char *plan; /* begins after the arena is made */
    size_t budget;
    size_t size;
    fer_code code; /* of the allocation; FER_OK: given */
} fault_rows[] = {
    {"no fault", "", 0, 100, FER_OK},
    {"no memory", "malloc@1", 0, 100, FER_OUT_OF_MEMORY},
    {"no memory under a budget", "malloc@1", 4096, 100, FER_OUT_OF_MEMORY},
    {"past the budget, and no memory", "malloc@1+", 64, 100, FER_LIMIT_EXCEEDED},
    {"the fault comes later", "malloc@2", 0, 100, FER_OK},
};

static void run_fault(const struct fault_row *row)
{
    int64_t before = fer_faults_live();
    fer_err err = {0};
    fer_arena *a = fer_arena_new(row->budget);
    assert_non_null(a);
    assert_true(fer_faults_begin(row->plan));
    void *p = fer_arena_alloc(a, row->size);
    fer_faults_begin(NULL);
    assert_int_equal(p != NULL, row->code == FER_OK);
    if (!p) {
        assert_int_equal(fer_arena_code(a), row->code);
        assert_int_equal(fer_arena_failed(a, &err), row->code);
        assert_int_equal(err.code, row->code);
        assert_int_equal(fer_arena_used(a), 0);
        /* The next one is served, and a new kind of failure replaces the old. */
        assert_non_null(fer_arena_alloc(a, 16));
        assert_null(fer_arena_alloc(a, SIZE_MAX));
        assert_int_equal(fer_arena_code(a), FER_OUT_OF_MEMORY);
    }
    fer_arena_free(a);
    assert_int_equal(fer_faults_live(), before);
}

static fer_code attempt_everything(fer_arena *none, const void *row)
{
    (void)none;
    (void)row;
    fer_arena *a = fer_arena_new(0);
    if (!a) return FER_OUT_OF_MEMORY;
    fer_code code = FER_OUT_OF_MEMORY;
    char *p = fer_arena_alloc(a, 100);
    if (p) p = fer_arena_grow(a, p, 100, 10000);
    if (p) p = fer_arena_alloc_zero(a, 1000, 100);
    if (p && fer_arena_copy(a, FER_STR("text")).ptr && fer_arena_printf(a, "%20000d", 1).ptr)
        code = FER_OK;
    if (code) assert_int_equal(fer_arena_code(a), code);
    fer_arena_reset(a);
    if (!code && !fer_arena_alloc(a, (size_t)3 << 20)) code = fer_arena_code(a);
    fer_arena_free(a);
    return code;
}

static void malloc_torture(void)
{
    /* The arena itself and at least three chunks. */
    assert_true(rows_torture_malloc(attempt_everything, NULL) >= 4);
}

static void reset_keeps_one_chunk(void)
{
    int64_t before = fer_faults_live();
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    for (int i = 0; i < 1000; i++) assert_non_null(fer_arena_alloc(a, 1000));
    assert_true(fer_faults_live() > before + 2);
    fer_arena_reset(a);
    assert_int_equal(fer_faults_live(), before + 2);
    /* What was kept serves the next request without the machine. */
    assert_true(fer_faults_begin("malloc@1+"));
    assert_non_null(fer_arena_alloc(a, 1000));
    fer_faults_begin(NULL);
    /* A chunk larger than the ordinary ones is given back. */
    assert_non_null(fer_arena_alloc(a, (size_t)2 << 20));
    fer_arena_reset(a);
    assert_int_equal(fer_faults_live(), before + 1);
    fer_arena_reset(a);
    assert_non_null(fer_arena_alloc(a, 1));
    fer_arena_free(a);
    fer_arena_free(NULL);
    assert_int_equal(fer_faults_live(), before);
}

static void seeds(void)
{
    fer_arena *a = fer_arena_new(0), *b = fer_arena_new(0);
    assert_non_null(a);
    assert_non_null(b);
    uint64_t kept[2] = {fer_arena_seed(a)[0], fer_arena_seed(a)[1]};
    assert_memory_not_equal(kept, fer_arena_seed(b), sizeof kept);
    assert_non_null(fer_arena_alloc(a, 10000));
    fer_arena_reset(a);
    assert_memory_equal(kept, fer_arena_seed(a), sizeof kept);
    fer_arena_free(a);
    fer_arena_free(b);
}

static void no_entropy(void)
{
    assert_true(fer_faults_begin("random@1+"));
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    assert_int_equal(fer_faults_injected(), 0); /* nobody has asked for a seed yet */
    assert_true(fer_arena_seed(a)[0] != 0 && fer_arena_seed(a)[1] != 0);
    assert_int_equal(fer_faults_injected(), 1);
    fer_faults_begin(NULL);
    assert_non_null(fer_arena_alloc(a, 1));
    fer_arena_free(a);
}

static void count_up(void *thing)
{
    ++*(int *)thing;
}

/* What is deferred is done once, at the next reset or at the end; not where it did not fit. */
static void defers(void)
{
    int first = 0, second = 0;
    fer_arena *a = fer_arena_new(256);
    assert_true(fer_arena_defer(a, count_up, &first));
    fer_arena_reset(a);
    assert_int_equal(first, 1);
    fer_arena_reset(a);
    assert_int_equal(first, 1);
    assert_true(fer_arena_defer(a, count_up, &first));
    assert_non_null(fer_arena_alloc(a, 224));
    assert_false(fer_arena_defer(a, count_up, &second));
    fer_arena_free(a);
    assert_int_equal(first, 2);
    assert_int_equal(second, 0);
}

static void no_arena(void)
{
    int64_t before = fer_faults_live();
    assert_true(fer_faults_begin("malloc@1"));
    assert_null(fer_arena_new(0));
    fer_faults_begin(NULL);
    assert_int_equal(fer_faults_live(), before);
}

/* What has failed once is remembered, whatever succeeds afterwards, until all of it is given back.
 */
static void remembers_failing(void)
{
    fer_arena *a = fer_arena_new(64);
    assert_non_null(a);
    assert_false(fer_arena_starved(a));
    assert_null(fer_arena_alloc(a, 128));
    assert_non_null(fer_arena_alloc(a, 16));
    assert_true(fer_arena_starved(a));
    fer_arena_reset(a);
    assert_false(fer_arena_starved(a));
    fer_arena_free(a);
}

/* What was reserved is given out without another chunk; where it cannot be had, as ever. */
static void reserves(void)
{
    fer_arena *a = fer_arena_new(0), *small = fer_arena_new(64);
    assert_non_null(a);
    assert_non_null(small);
    assert_true(fer_faults_begin("malloc@1"));
    fer_arena_reserve(a, 1 << 20);
    fer_faults_begin(NULL);
    fer_arena_reserve(a, SIZE_MAX);
    fer_arena_reserve(small, 1 << 20);
    assert_non_null(fer_arena_alloc(small, 64));
    fer_arena_reserve(a, 1 << 20);
    assert_true(fer_faults_begin("malloc@1"));
    for (int i = 0; i < 16; i++) assert_non_null(fer_arena_alloc(a, 1 << 16));
    fer_faults_begin(NULL);
    assert_int_equal(fer_arena_used(a), 1 << 20);
    assert_false(fer_arena_starved(a));
    fer_arena_free(small);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("arena sizes", size_rows, run_size) +
           ROWS_RUN("arena slack", slack_rows, run_slack) +
           ROWS_RUN("arena budget", budget_rows, run_budget) +
           ROWS_RUN("arena huge", huge_rows, run_huge) +
           ROWS_RUN("arena text", text_rows, run_text) +
           ROWS_RUN("arena faults", fault_rows, run_fault) + ROWS_ONE("arena", long_printf) +
           ROWS_ONE("arena", malloc_torture) + ROWS_ONE("arena", reset_keeps_one_chunk) +
           ROWS_ONE("arena", seeds) + ROWS_ONE("arena", no_entropy) + ROWS_ONE("arena", no_arena) +
           ROWS_ONE("arena", defers) + ROWS_ONE("arena", remembers_failing) +
           ROWS_ONE("arena", reserves);
}
