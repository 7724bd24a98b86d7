/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of ferrule exec --store, kept in files so that ferrule result can read them in parts: one
 * file each in the folder `results` of the state, or of the user's own state where the
 * configuration names none. A handle is random, and names its file. The oldest go when there are
 * more than FER_RESULT_FILES.
 */
#ifndef FER_RESULT_FILE_H
#define FER_RESULT_FILE_H

#include "command.h"

#define FER_RESULT_FILES 100                /* values that are kept */
#define FER_RESULT_SIZE  ((size_t)16 << 20) /* bytes of one */

/* Keeps a value, JSON, and prints its handle: {"handle", "bytes"}. `state` may be empty. */
fer_code fer_result_file_put(fer_app *app, fer_arena *a, fer_str state, fer_str json, fer_err *err);
/* The value of a handle. */
fer_code fer_result_file_get(fer_arena *a, fer_str state, fer_str handle, fer_str *out,
                             fer_err *err);

#endif
