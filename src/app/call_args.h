/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of a call from the command line: NAME=VALUE, whose type is what the tool's schema says
 * (count=3 is a number where a number is wanted, a text where a text is), NAME=@FILE for the
 * content of a file, NAME:=JSON for anything. A dotted name leads into objects; a list takes one
 * item for each time it is named.
 */
#ifndef FER_CALL_ARGS_H
#define FER_CALL_ARGS_H

#include <ferrule/schema.h>

#include "arena.h"

#define FER_ARG_FILE_MAX ((size_t)4 << 20) /* bytes of a file that is an argument */

/* Whether a word of the command line is such an argument. */
bool fer_is_call_arg(const char *word);

/* `base` is a JSON object to start from, or empty. `schema` may be NULL: nothing is known. */
fer_code fer_call_args(fer_arena *a, const fer_schema *schema, fer_str base,
                       const char *const *words, size_t count, fer_str *out, fer_err *err);

#endif
