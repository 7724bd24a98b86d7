/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime `process`: an interpreter of this machine that the operator allows, in the sandbox,
 * started anew for each run. It finds the program as a file, or (helper `python`) is begun by
 * Ferrule's own module; either way it asks for tools over descriptors 3 and 4.
 *
 * The runtime `unsafe` is the same without any sandbox: only time, output, value and tool calls are
 * bounded, and every result says so.
 */
#ifndef FER_RT_PROCESS_H
#define FER_RT_PROCESS_H

#include "code_box.h"

typedef struct fer_process_settings {
    fer_box_spec box;       /* where it runs; without `sandboxes` it is the runtime `unsafe` */
    const fer_str *command; /* the interpreter and its first arguments */
    size_t command_count;
    const fer_str *binds; /* paths that it needs beside the folders of the system */
    size_t bind_count;
    bool python; /* begun by Ferrule's module */
    bool jit;    /* makes machine code at run time, as node does */
} fer_process_settings;

/* NULL: no memory. An interpreter that is not there is told by its probe. */
FER_MUST_USE fer_runtime *fer_process_runtime(uv_loop_t *loop, fer_str name,
                                              const fer_process_settings *s);

#endif
