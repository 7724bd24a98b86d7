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

#endif
