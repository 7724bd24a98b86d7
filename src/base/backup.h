/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a file that is about to be replaced. */
#ifndef FER_BACKUP_H
#define FER_BACKUP_H

#include "arena.h"

#define FER_BACKUPS_MAX 1000 /* of one file */

/*
 * Writes the text that a file has under a name that is free, the file's own with .bak (.bak.2 ...),
 * with the rights of the file. `*kept` is that name; empty where there is no such file.
 */
fer_code fer_backup_keep(fer_arena *a, const char *file, fer_str text, fer_str *kept, fer_err *err);
/* The same for a file that is of no use where it is: it is renamed. */
fer_code fer_backup_move(fer_arena *a, const char *file, fer_str *kept, fer_err *err);

#endif
