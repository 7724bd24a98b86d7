/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The MCP clients of this user: where each keeps its servers, and how it writes them. A row of the
 * table is all that a client is. Files are only read here.
 */
#ifndef FER_CLIENT_FILES_H
#define FER_CLIENT_FILES_H

#include "config.h"

#define FER_CLIENT_FILES_MAX 32        /* that are found */
#define FER_CLIENT_PATHS     3         /* of one client */
#define FER_CLIENT_ENTRY     "ferrule" /* the name that the gateway has there */

typedef struct fer_client {
    const char *name;  /* "cursor" */
    const char *title; /* "Cursor" */
    const char *also;  /* a name of --from that means it as well; or NULL */
    /* Below the home, or below the folder for configuration ("@/"); the first is the one that is
     * made where none is there. */
    const char *paths[FER_CLIENT_PATHS];
    const char *key;        /* of the object that has the servers */
    const char *stdio_type; /* "type" of a server that is a program; NULL: it has none */
    const char *http_type;  /* the same of one with a URL */
    const char *url;        /* the member with the URL; NULL: it takes programs only */
    const char *variable;   /* how a header names a variable, as of printf; NULL: it cannot */
    bool toml; /* the file is TOML; `variable` is the member that names the token's variable */
    bool
        listed; /* a command and its arguments are one list, and an entry says that it is enabled */
} fer_client;

extern const fer_client fer_clients[];       /* ended by a row without name */
extern const char *const fer_client_names[]; /* of them, ended by NULL */

/* Whether some client keeps its servers in files of this name, whatever folder it is in. */
bool fer_client_names_file(fer_str base);
/* The client of a name, or NULL. */
const fer_client *fer_client_find(const char *name);
/* Where a file of a client is, or would be; NULL: there is no home, or no memory. */
const char *fer_client_path(fer_arena *a, const char *path);

typedef struct fer_client_file {
    const fer_client *client;
    const char *path;
} fer_client_file;

/*
 * The files that are there, of the clients that a name means or (NULL) of all; at most
 * FER_CLIENT_FILES_MAX. How many.
 */
size_t fer_client_files_find(fer_arena *a, const char *name,
                             fer_client_file out[FER_CLIENT_FILES_MAX]);
/*
 * Reads several files as one configuration. A server that two of them have is one; of two with the
 * same name the later gets a number behind its namespace. Where nobody named the files (`found`),
 * a file that cannot be read and a server that is wrong are problems, but no errors: the others
 * are there.
 */
fer_code fer_client_files_load(fer_arena *a, const char *const *files, size_t count, bool found,
                               fer_config *out, fer_err *err);

/*
 * Takes out of a client's file what would be this gateway itself: a program that is `ferrule serve`
 * (whatever its options), or `own`, the URL that it listens at (or NULL). Each is a problem of the
 * severity info. Files of Ferrule's own are left alone: there a gateway behind a gateway is meant.
 */
fer_code fer_client_files_drop_self(fer_arena *a, fer_config *c, const char *own, fer_err *err);

#endif
