/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of MCP clients a command is about, where no configuration says what there is. */
#ifndef FER_CLIENT_CHOICE_H
#define FER_CLIENT_CHOICE_H

#include "client_files.h"
#include "command.h"

/*
 * The files of --from, or those that are found where nothing is configured, which is said; none
 * where there is a configuration. 0, or an exit code.
 */
int fer_client_choose(fer_app *app, fer_arena *a, const char *files[FER_CLIENT_FILES_MAX],
                      size_t *count);
/* Whether nobody named them: what is wrong with one is told then, and leaves the others. */
bool fer_client_found(const fer_app *app);

#endif
