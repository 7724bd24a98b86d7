/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands where a server or an API could not be set up, for want of a secret or a file: it shows no
 * tools and runs none, and its status says why. (Of commands, a pack leaves out single ones:
 * fer_local_command_leave_out.)
 */
#ifndef FER_BACKEND_VACANT_H
#define FER_BACKEND_VACANT_H

#include "runner.h"

/* `name` is borrowed, `why` is copied. NULL: no memory. */
FER_MUST_USE fer_runner *fer_vacant_runner(uv_loop_t *loop, fer_str name, fer_backend_kind backend,
                                           const fer_err *why);

#endif
