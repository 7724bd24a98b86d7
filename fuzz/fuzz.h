/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput; it
 * states in its opening comment what must hold for every input, beyond not crashing.
 * libFuzzer drives it (make fuzz), and so does replay.c over the corpus, as a test.
 */
#ifndef FER_FUZZ_H
#define FER_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, with what did not hold, where it did not. */
#define HOLDS(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The input as text; an empty one has no bytes to point at. */
static inline fer_str fuzz_text(const uint8_t *data, size_t size)
{
    return size ? (fer_str){(const char *)data, size} : FER_STR_NONE;
}

/* The text before the first `c`, which is taken off `*rest`; all of it where there is no `c`. */
static inline fer_str fuzz_until(fer_str *rest, char c)
{
    size_t end = fer_str_find(*rest, 0, c);
    fer_str head = end == SIZE_MAX ? *rest : fer_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? FER_STR_NONE : fer_str_slice(*rest, end + 1, rest->len);
    return head;
}

static inline fer_arena *fuzz_arena(void)
{
    fer_arena *a = fer_arena_new((size_t)256 << 20);
    HOLDS(a);
    return a;
}

#endif
