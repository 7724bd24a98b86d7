/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime `container`: each run in a container of its own, made through the API of Docker
 * (docker or podman) over a Unix socket: an image that the operator names, no network, a read-only
 * root, no capabilities, no new privileges, limits. Lines (code_lines.h) go over its standard input
 * and output; what it prints is told apart (code_stdio.h).
 *
 * The helper `python` begins the code as the runtime `process` does; without it, the program is
 * the last argument of the command, as of `sh -c`.
 *
 * A container is removed when its run has ended, however it ended; those of gateways that were
 * killed by the next one (container_sweep.h).
 */
#ifndef FER_RT_CONTAINER_H
#define FER_RT_CONTAINER_H

#include "log.h"
#include "runtime.h"

#define FER_CONTAINER_CODE     ((size_t)96 << 10) /* bytes of a program that is an argument */
#define FER_CONTAINER_WAIT_MS  30000              /* for an answer of the API */
#define FER_CONTAINER_SWEEP_MS 5000               /* the same, where what was left is looked for */
#define FER_CONTAINER_REMOVES  5 /* times that the API is asked to remove a container */

typedef struct fer_container_settings {
    fer_str socket; /* of the API; empty: that of podman or docker, whichever is there */
    fer_str image;
    const fer_str *command; /* the interpreter inside and its first arguments */
    size_t command_count;
    bool python; /* begun by Ferrule's module */
    bool sweep;  /* when it begins, what dead gateways have left is removed; else with the first run
                  */
    const fer_log *log;        /* where it is said that this could not be; NULL: nowhere */
    int64_t wait_ms, sweep_ms; /* for answers of the API: as above, but for tests */
} fer_container_settings;

/* NULL: no memory. That there is no API is told by its probe. */
FER_MUST_USE fer_runtime *fer_container_runtime(uv_loop_t *loop, fer_str name,
                                                const fer_container_settings *s);

#endif
