/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests as tables. A row is a struct whose first member is its name; a new case is a
 * new row. Each row runs as a cmocka test of its own.
 *
 *     static const struct row { const char *name; ... } rows[] = {...};
 *     static void run(const struct row *row) { assert_...; }
 *     int main(void) { return ROWS_RUN("group", rows, run) + ...; }
 */
#ifndef FER_ROWS_H
#define FER_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "faults.h"
#include "str.h"

typedef void rows_function(const void *row);

/* Runs all rows; returns how many failed. */
int rows_run(const char *group, const void *rows, size_t size, size_t count, rows_function *run);
#define ROWS_RUN(group, rows, run)                                                                 \
    rows_run((group), (rows), sizeof((rows)[0]), FER_COUNT(rows),                                  \
             (rows_function *)(void (*)(void))(run))

/* One test that is not a row. */
int rows_one(const char *group, const char *name, void (*run)(void));
#define ROWS_ONE(group, function) rows_one((group), #function, (function))

/*
 * Torture: runs `attempt` again and again, each time with the next point of failure,
 * until one run meets none. `attempt` returns FER_OK after checking its result, or the
 * code of a failure it met; a failure that is not the injected one fails the test, and
 * so does memory that is still held afterwards. Returns the last point that failed, or how many
 * there were. In an instrumented build (FERRULE_INSTRUMENTED) the points are a sample.
 */
typedef fer_code rows_attempt(fer_arena *a, const void *row);
/* The n-th allocation from the arena fails, by its budget. */
size_t rows_torture_arena(rows_attempt *attempt, const void *row);
/* The n-th allocation from the machine fails; `a` is NULL. */
size_t rows_torture_malloc(rows_attempt *attempt, const void *row);

/*
 * What follows ends, or the program is ended: for work that takes milliseconds and would
 * take hours if it were not linear. Nothing is measured. 0 ends the guard.
 */
void rows_must_end(unsigned seconds);

/* A file of the test data, "" where FERRULE_TEST_DATA is not there. */
const char *rows_data(void);

/* Fails the test unless the texts are the same. */
#define assert_str(actual, expected) assert_str_at((actual), (expected), __FILE__, __LINE__)
void assert_str_at(fer_str actual, const char *expected, const char *file, int line);

#endif
