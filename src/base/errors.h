/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures: filling a fer_err, and looking codes up by name. The table itself is
 * in errors.c; its public face is in <ferrule/common.h>.
 */
#ifndef FER_ERRORS_H
#define FER_ERRORS_H

#include <ferrule/common.h>
#include <stdarg.h>

/* Exit codes of the command that no failure row names by itself. */
enum fer_exit {
    FER_EXIT_OK = 0,       /* done, nothing found */
    FER_EXIT_FINDINGS = 1, /* done, and something was found */
    FER_EXIT_USAGE = 2,    /* bad usage, or input that could not be read */
    FER_EXIT_SYSTEM = 70   /* the machine or Ferrule itself failed */
};

/*
 * Formats into `out`, NUL-terminated, and returns the length. What does not fit is cut
 * between characters, and bytes that are not UTF-8 become '?'.
 */
size_t fer_format_text(char *out, size_t size, const char *format, va_list args) FER_PRINTF(3, 0);

/* As fer_fail, with a place in the source text. */
fer_code fer_fail_at(fer_err *err, fer_code code, size_t offset, const char *format, ...)
    FER_PRINTF(4, 5);

/* Puts the name of an input, and the place in it where there is one, before the message of a
 * failure that does not name it. */
void fer_fail_in(fer_err *err, fer_str name);

#endif
