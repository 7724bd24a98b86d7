/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of this process as tools. A runner of this kind is one pack: all functions of one
 * namespace. A function that waits for something runs on a thread of libuv's pool, with memory of
 * its own: when its call is given up, it may end in its own time, and nobody hears of it.
 */
#ifndef FER_BACKEND_BUILTIN_H
#define FER_BACKEND_BUILTIN_H

#include <ferrule/gateway.h>

#include "runner.h"

/* A pack without functions. NULL: no memory. */
FER_MUST_USE fer_runner *fer_builtin_runner(uv_loop_t *loop, fer_str name);
/* Adds a function, which is borrowed; one of the same name is replaced. */
fer_code fer_builtin_add(fer_runner *r, const fer_builtin *f, fer_err *err);
/* Its record, as JSON in Ferrule's own form. */
fer_code fer_builtin_record(fer_arena *a, const fer_builtin *f, fer_str *out, fer_err *err);

#endif
