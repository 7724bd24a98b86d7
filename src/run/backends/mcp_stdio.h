/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind "mcp-stdio": tools of an MCP server that is a program of this machine. It is started by
 * the first list or call, and again after it has ended; stopping closes its standard input, then
 * sends SIGTERM, then SIGKILL, to all that it started too.
 */
#ifndef FER_BACKEND_MCP_STDIO_H
#define FER_BACKEND_MCP_STDIO_H

#include "mcp_runner.h"
#include "process.h"

/* Everything is copied. */
typedef struct fer_mcp_stdio_settings {
    fer_str name;            /* of the server */
    const char *const *argv; /* ended by NULL; argv[0] is looked for along PATH of `env` */
    const char *const *env;  /* "NAME=value", ended by NULL: exactly these; NULL: none */
    const char *cwd;         /* NULL: as ours */
    fer_str sha256;          /* of the program: another one is not started; or empty */
    fer_mcp_times times;
    fer_mcp_care care;
    fer_process_grace grace; /* when it is stopped; zero: FER_GRACE_STOP */
} fer_mcp_stdio_settings;

/* The host must outlive the runner. NULL: no memory. */
FER_MUST_USE fer_runner *fer_mcp_stdio_runner(fer_process_host *host,
                                              const fer_mcp_stdio_settings *settings);

#endif
