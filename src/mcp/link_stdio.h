/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link to a program of this machine: a message is a line, both ways. Opening starts the program,
 * closing ends it and all that it started (process.h). A program that no longer reads or writes is
 * ended. What it writes to its standard error is read and, but for the last line, forgotten.
 */
#ifndef FER_LINK_STDIO_H
#define FER_LINK_STDIO_H

#include "mcp_link.h"
#include "process.h"

typedef struct fer_stdio_spec {
    const char *const *argv; /* ended by NULL; the program is the first, looked for along `path` */
    const char *const *env;  /* "NAME=value", ended by NULL: exactly these */
    const char *cwd;         /* NULL: as ours */
    fer_str sha256;          /* of the program (process.h); or empty */
    fer_str path;            /* as of PATH */
    fer_process_grace grace; /* when it is closed; zero: FER_GRACE_STOP */
    size_t line_max;         /* 0: FER_LINE_MAX */
} fer_stdio_spec;

/* Everything of `spec` must outlive the link. NULL: no memory. */
FER_MUST_USE fer_mcp_link *fer_link_stdio_new(fer_process_host *host, const fer_stdio_spec *spec);

#endif
