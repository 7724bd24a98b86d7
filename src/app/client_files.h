/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files in which MCP clients of this user keep their servers: Claude Desktop, Claude Code,
 * Cursor, VS Code. They are read and never written.
 */
#ifndef FER_CLIENT_FILES_H
#define FER_CLIENT_FILES_H

#include "config.h"

#define FER_CLIENT_FILES_MAX 16

typedef struct fer_client_file {
    const char *client; /* "claude", "cursor", "vscode" */
    const char *path;
} fer_client_file;

/* Clients that --from knows, ended by NULL. */
extern const char *const fer_client_names[];

/*
 * The files that are there, of one client or (NULL) of all; at most FER_CLIENT_FILES_MAX. How many.
 */
size_t fer_client_files_find(fer_arena *a, const char *client,
                             fer_client_file out[FER_CLIENT_FILES_MAX]);
/*
 * Reads several files as one configuration. A server that two of them have is one; of two with the
 * same name the later gets a number behind its namespace.
 */
fer_code fer_client_files_load(fer_arena *a, const char *const *files, size_t count,
                               fer_config *out, fer_err *err);

#endif
