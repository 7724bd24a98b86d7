/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of this machine that runs code, such as python3 or wasmtime: where it is, and what it
 * finds in the sandbox. It is looked for once, when its runtime is made; texts live in the arena
 * that is given.
 */
#ifndef FER_CODE_PROGRAM_H
#define FER_CODE_PROGRAM_H

#include "sandbox.h"

/* Where programs are looked for, and what they look along themselves. */
#define FER_PROGRAM_PATH "/usr/local/bin:/usr/bin:/bin"

/* Variables: the one that says so, "PATH=..."; and how long the program has,
 * "TOOL_DEADLINE_MS=...".
 */
extern const char fer_program_path[];
#define FER_PROGRAM_DEADLINE 64 /* bytes of that, NUL included */
void fer_program_deadline(char out[FER_PROGRAM_DEADLINE], int64_t ms);

/* Looks for one by its name or path; `missing` says why it is nowhere (`path` is empty then). */
void fer_program_find(fer_arena *a, fer_str named, fer_str *path, fer_err *missing);
/* The folders of the system, and those that the operator adds; false: no memory. */
bool fer_program_binds(fer_arena *a, const fer_str *added, size_t added_count,
                       fer_sandbox_bind **binds, size_t *count);
/* A command line with room for `spare` more, and a NULL behind them; NULL: no memory. */
const char **fer_program_argv(fer_arena *a, const fer_str *command, size_t count, size_t spare);

#endif
