/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that must have a certain SHA-256: opened, hashed, and given as a descriptor to be
 * executed, so that nobody can put another one under its name in between. Who may write into the
 * file itself may still change it; that is for its permissions to prevent.
 */
#ifndef FER_PROGRAM_HASH_H
#define FER_PROGRAM_HASH_H

#include <ferrule/common.h>

/* FER_FORBIDDEN: it has another hash; FER_BACKEND_UNAVAILABLE: it cannot be read. */
fer_code fer_program_open(const char *path, fer_str sha256, int *out, fer_err *err);

#endif
