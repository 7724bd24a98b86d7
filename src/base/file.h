/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files: read, replace, list. Interrupted calls are taken up again, a file
 * is replaced by a rename or not at all, and every read names its maximum.
 */
#ifndef FER_FILE_H
#define FER_FILE_H

#include "arena.h"
#include "str.h"

/* The content of a file, NUL-terminated in the arena, at most `max` bytes. */
fer_code fer_file_read(fer_arena *a, const char *path, size_t max, fer_str *out, fer_err *err);
/* The same from an open descriptor until its end; `name` is for messages. */
fer_code fer_file_read_fd(fer_arena *a, int fd, const char *name, size_t max, fer_str *out,
                          fer_err *err);
/* Replaces a file whole: written beside it, synced, renamed. Its mode is kept, a link is followed.
 * A new one in a folder that nobody else may enter is for nobody else either. Pipes and devices
 * (/dev/stdout, /dev/null) are written to and stay what they are. */
fer_code fer_file_replace(const char *named, fer_str content, fer_err *err);
/* The same of a file that others wrote. Who may write into the folder could put another file into
 * the place of one that is read-only, which would be the writer's own from then on: it is left
 * alone. */
fer_code fer_file_rewrite(const char *path, fer_str content, fer_err *err);

/*
 * Programs that read a file and later replace it take turns: the lock is that of its folder, so
 * that nothing is left behind, waits for whoever has it, and ends with the descriptor. Held for
 * as long as a file takes to be written.
 */
fer_code fer_file_lock(const char *path, int *out, fer_err *err);
void fer_file_unlock(int lock);

/* Which file it is: another one once somebody has replaced it or written to it. */
typedef struct fer_file_mark {
    uint64_t device, number, size; /* all zero: there is no file */
    int64_t seconds, nanoseconds;
} fer_file_mark;
fer_file_mark fer_file_mark_of(const char *path);
bool fer_file_mark_eq(const fer_file_mark *one, const fer_file_mark *other);

/* Writes all of it; false where the descriptor refused. */
bool fer_file_write_all(int fd, fer_str s);

#define FER_WALK_DEPTH 32 /* folders inside each other */

struct fer_file_list {
    fer_str *paths; /* sorted by bytes */
    size_t count;
};
/*
 * The regular files below a folder, at most `max`, whose names `wanted` accepts;
 * names that begin with a dot and node_modules are passed over, links to folders not followed.
 */
fer_code fer_file_walk(fer_arena *a, const char *folder, size_t max, bool (*wanted)(fer_str name),
                       struct fer_file_list *out, fer_err *err);
/* Whether the path is a folder. */
bool fer_file_is_folder(const char *path);
/* Whether there is something of that name. */
bool fer_file_exists(const char *path);

#endif
