/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime `wasm`: a WASI module (wasm32-wasi, `_start`), run by an engine of this machine that
 * is a program of its own, in the sandbox. The code of a job is the module in Base64. As a module
 * has no descriptors but its first three, lines (code_lines.h) go over its standard input and
 * output; a line that does not begin with `{` is what it prints.
 *
 * Engines are rows of a table: how each is told the module's folder and environment. One that is
 * no row is given the module's path and nothing else.
 */
#ifndef FER_RT_WASM_H
#define FER_RT_WASM_H

#include "code_box.h"

#define FER_WASM_MODULE (FER_CODE_SIZE / 4 * 3) /* bytes of a module: their Base64 is a program */

typedef struct fer_wasm_settings {
    fer_box_spec box; /* where it runs: what is said of the program itself is not used */
    fer_str engine; /* a row of the table; empty: as `command` tells, or the first that is found */
    const fer_str *command; /* the engine's program and its first arguments; none: its name */
    size_t command_count;
    const fer_str *binds; /* paths that it needs beside the folders of the system */
    size_t bind_count;
} fer_wasm_settings;

/* NULL: no memory. An engine that is not there is told by its probe. */
FER_MUST_USE fer_runtime *fer_wasm_runtime(uv_loop_t *loop, fer_str name,
                                           const fer_wasm_settings *s);

/* Whether bytes are a module or component, by how they begin. */
bool fer_wasm_is_module(fer_str bytes);

#endif
