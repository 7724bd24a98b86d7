/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmarks share. They compare with plain yyjson in the same run, one after
 * the other in small turns, and keep the quickest turn of each: what the machine does
 * besides falls on both alike, so ratios are worth more than times.
 */
#ifndef FER_BENCH_H
#define FER_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "str.h"

#define BENCH_NEEDS(what)                                                                          \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #what);                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The folder of the test data with `inside` behind it, or NULL where it is not there. */
const char *bench_data(char *out, size_t size, const char *inside);

#endif
