/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of all tools that a configuration leads to, for commands that look where no
 * catalogue is kept: its servers are asked, as `ferrule cost` asks them, and nothing is written. */
#ifndef FER_ASKED_TOOLS_H
#define FER_ASKED_TOOLS_H

#include "arena.h"
#include "command.h"

typedef struct fer_asked_tools {
    fer_str file;  /* the configuration; empty: there is none, and nobody was asked */
    fer_str *list; /* records, in Ferrule's own form */
    size_t count;
} fer_asked_tools;

/* `id`: only servers that may have this tool are asked, NULL: all are. What cannot be asked is
 * told. 0, or an exit code. */
int fer_asked_tools_get(fer_app *app, fer_arena *a, const char *id, fer_asked_tools *out);

#endif
