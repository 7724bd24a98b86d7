/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs, run for what they print: no shell, no input, nothing on standard error. */
#ifndef FER_CHILD_H
#define FER_CHILD_H

#include "arena.h"

/*
 * Runs a program with these arguments, ended by NULL, and reads what it prints, at most `max`
 * bytes. `*status` is its exit code, 127 or 128 + n where a signal ended it. Fails where it
 * could not be run or read.
 */
fer_code fer_child_read(fer_arena *a, const char *const *argv, size_t max, fer_str *out,
                        int *status, fer_err *err);

#endif
