/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command was asked to read: files, folders, standard input. Names are
 * gathered first and read one at a time.
 */
#ifndef FER_INPUTS_H
#define FER_INPUTS_H

#include <ferrule/contract.h>

#include "arena.h"
#include "command.h"

/* A folder that could not be gone through: told when its turn comes, so that others are read. */
typedef struct fer_unread {
    struct fer_unread *next;
    size_t index;
    fer_err err;
} fer_unread;

typedef struct fer_inputs {
    fer_arena *names; /* the list lives here */
    fer_arena *text;  /* the text at hand; reset for each */
    const char **paths;
    size_t count;
    size_t cap;
    fer_format format; /* that was asked for */
    fer_unread *unread;
} fer_inputs;

#define FER_TAGS_INPUT ((size_t)1 << 20) /* bytes of standard input of `tags` */
#define FER_FILES_MAX  100000            /* files in one folder */

/* Gathers the names from the arguments, from the `skip`-th on. 0, or an exit code. */
int fer_inputs_init(fer_inputs *in, fer_app *app, size_t skip);
/* One file or folder. */
fer_code fer_inputs_init_path(fer_inputs *in, const char *path, fer_err *err);
void fer_inputs_deinit(fer_inputs *in);

/* The failure of an input that is no file to read; FER_OK: try it. fer_inputs_read asks itself. */
fer_code fer_inputs_check(const fer_inputs *in, size_t index, fer_err *err);

/* The text of an input, until the next is asked for; its name for reports in `*name`. */
fer_code fer_inputs_read(fer_inputs *in, fer_app *app, size_t index, fer_str *name, fer_str *text,
                         fer_err *err);

#endif
