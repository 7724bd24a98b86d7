/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formatting without stdio. Every finding is some ten small texts, and the C library's
 * vsnprintf takes about a thousand instructions for each. What the texts of this project
 * use (%s %.*s %.Ns %c %d %i %u with l, ll and z, %%) is done here; any other conversion
 * goes to vsnprintf as a whole. Pure; knows no locale.
 */
#ifndef FER_PRINT_H
#define FER_PRINT_H

#include <stdarg.h>

#include "str.h"

/*
 * As vsnprintf: writes at most `size` bytes, the last one NUL, and returns the length that the
 * whole text has, or -1.
 */
int fer_vprint(char *out, size_t size, const char *format, va_list args) FER_PRINTF(3, 0);
/* As snprintf. */
int fer_print(char *out, size_t size, const char *format, ...) FER_PRINTF(3, 4);

#define FER_DIGITS 20 /* of a 64-bit number, at most */
/* Decimal digits, without a NUL; returns how many. */
size_t fer_print_u64(char out[FER_DIGITS], uint64_t value);

/* Puts a text where there is room for it; gives where it ends. Short ones cost no call. */
static inline char *fer_put(char *to, fer_str s)
{
    size_t n = s.len;
    if (n >= 16) {
        if (n > 32) {
            memcpy(to, s.ptr, n);
            return to + n;
        }
        memcpy(to, s.ptr, 16);
        memcpy(to + n - 16, s.ptr + n - 16, 16);
    } else if (n >= 8) {
        memcpy(to, s.ptr, 8);
        memcpy(to + n - 8, s.ptr + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, s.ptr, 4);
        memcpy(to + n - 4, s.ptr + n - 4, 4);
    } else if (n) {
        to[0] = s.ptr[0];
        to[n / 2] = s.ptr[n / 2];
        to[n - 1] = s.ptr[n - 1];
    }
    return to + n;
}

#endif
