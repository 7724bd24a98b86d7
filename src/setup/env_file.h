/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of variables, as dotenv and VS Code have them: NAME=value a line. Blank lines and lines
 * that begin with # say nothing, `export` before a name neither. A value in single quotes is as it
 * is; in double quotes \n, \t, \r, \" and \\ are escapes; without quotes it ends before " #".
 * Nothing is filled in. Pure.
 */
#ifndef FER_ENV_FILE_H
#define FER_ENV_FILE_H

#include "arena.h"
#include "config.h"

#define FER_ENV_FILE_SIZE ((size_t)1 << 20) /* bytes */
#define FER_ENV_FILE_MAX  1000              /* variables */

/*
 * Texts live in `a`; one that is there twice has its last value. FER_INVALID_FORMAT with its line:
 * a line is no such pair; FER_LIMIT_EXCEEDED past env.variables.
 */
fer_code fer_env_file_read(fer_arena *a, fer_str text, fer_config_pairs *out, fer_err *err);

#endif
