/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <stdlib.h>
#include <unistd.h>

struct bound {
    rows_function *run;
    const void *row;
};

static void run_bound(void **state)
{
    const struct bound *bound = *state;
    bound->run(bound->row);
}

int rows_run(const char *group, const void *rows, size_t size, size_t count, rows_function *run)
{
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    struct bound *bounds = calloc(count, sizeof *bounds);
    if (!tests || !bounds) abort();
    for (size_t i = 0; i < count; i++) {
        const void *row = (const char *)rows + i * size;
        bounds[i] = (struct bound){run, row};
        tests[i] = (struct CMUnitTest){
            .name = *(const char *const *)row, .test_func = run_bound, .initial_state = &bounds[i]};
    }
    int failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    free(tests);
    free(bounds);
    return failed;
}

struct one {
    const char *name;
    void (*run)(void);
};

static void run_one(const void *row)
{
    ((const struct one *)row)->run();
}

int rows_one(const char *group, const char *name, void (*run)(void))
{
    const struct one row = {name, run};
    return rows_run(group, &row, sizeof row, 1, run_one);
}

static bool is_injected(fer_code code)
{
    return code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED;
}

/* The point of failure after the n-th. In an instrumented build, where each run takes ten times as
 * long, they lie further and further apart; the plain build meets every one. */
static size_t next_point(size_t n)
{
    return getenv("FERRULE_INSTRUMENTED") ? n + 1 + n / 8 : n + 1;
}

size_t rows_torture_arena(rows_attempt *attempt, const void *row)
{
    for (size_t n = 1, last = 0;; last = n, n = next_point(n)) {
        size_t budget = 16 * n;
        fer_arena *a = fer_arena_new(budget);
        assert_non_null(a);
        fer_code code = attempt(a, row);
        fer_arena_free(a);
        if (code == FER_OK) return last;
        if (!is_injected(code)) fail_msg("budget %zu: %s", budget, fer_code_info(code)->name);
    }
}

size_t rows_torture_malloc(rows_attempt *attempt, const void *row)
{
    int64_t before = fer_faults_live();
    for (size_t n = 1;; n = next_point(n)) {
        char plan[32];
        snprintf(plan, sizeof plan, "malloc@%zu", n);
        assert_true(fer_faults_begin(plan));
        fer_code code = attempt(NULL, row);
        bool injected = fer_faults_injected() > 0;
        uint64_t calls = fer_faults_calls("malloc");
        fer_faults_begin(NULL);
        if (fer_faults_live() != before)
            fail_msg("%s: %lld allocations are still held", plan,
                     (long long)(fer_faults_live() - before));
        if (!injected) {
            if (code != FER_OK) fail_msg("without a fault: %s", fer_code_info(code)->name);
            return (size_t)calls;
        }
        if (code != FER_OK && !is_injected(code))
            fail_msg("%s: %s", plan, fer_code_info(code)->name);
    }
}

void rows_must_end(unsigned seconds)
{
    alarm(seconds);
}

const char *rows_data(void)
{
    const char *folder = getenv("FERRULE_TEST_DATA");
    if (!folder) folder = "../shared/data";
    return access(folder, R_OK) == 0 ? folder : "";
}

void assert_str_at(fer_str actual, const char *expected, const char *file, int line)
{
    if (fer_str_is(actual, expected)) return;
    print_error("expected: %s\n  actual: %.*s\n", expected, FER_PRI(actual));
    _fail(file, line);
}
