/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where output goes that is not a report: standard output, or a file that is replaced
 * whole when all went well and left alone when not.
 */
#ifndef FER_SINK_H
#define FER_SINK_H

#include <limits.h>

#include "command.h"

typedef struct fer_sink {
    fer_out *out;
    fer_out file;
    char path[PATH_MAX];        /* what is replaced; "": nothing is */
    char beside[PATH_MAX + 32]; /* what is written until then; "": the path itself */
} fer_sink;

/* `path` NULL or "-": standard output. */
fer_code fer_sink_open(fer_sink *s, fer_app *app, const char *path, fer_err *err);
/* Puts the new file in its place, or with `keep` false takes it away. */
fer_code fer_sink_close(fer_sink *s, bool keep, fer_err *err);

#endif
