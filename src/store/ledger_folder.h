/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a ledger and the small files in it. A folder that is a link, or that others may
 * write, is refused; files are opened below its descriptor and are no links either.
 *
 *     lock             held (flock) by the one who writes; names its process
 *     epoch            how often it was opened to be written
 *     heads            where the chain stood when the current segment began: recovery starts there
 *     checkpoint.key   what signs checkpoints; checkpoint.pub is its public half
 *     EPOCH-SEQ.jsonl  segments, named by the epoch and the number of their first record
 *     torn-EPOCH       a tail that recovery has cut
 */
#ifndef FER_LEDGER_FOLDER_H
#define FER_LEDGER_FOLDER_H

#include "arena.h"
#include "ledger_sign.h"

#define FER_SEGMENT_NAME 64 /* bytes, with NUL; one is 37 long */

typedef struct fer_segment {
    char name[FER_SEGMENT_NAME];
    uint64_t epoch;
    uint64_t first; /* seq */
} fer_segment;

typedef struct fer_segment_list {
    fer_segment *list; /* by first */
    size_t count;
} fer_segment_list;

/*
 * Makes a folder with 0700 where there is none. Its name is durable before the file `first` is made
 * in it: until that one is there, the folder above is synced.
 */
fer_code fer_folder_make(const char *path, const char *first, fer_err *err);
/* Opens the folder, makes it where `make` is set; gives its descriptor. */
fer_code fer_folder_open(const char *path, bool make, int *out, fer_err *err);
/* The segments there are. */
fer_code fer_folder_list(fer_arena *a, int folder, fer_segment_list *out, fer_err *err);
void fer_segment_name(char out[FER_SEGMENT_NAME], uint64_t epoch, uint64_t first);
bool fer_segment_parse(fer_str name, fer_segment *out);

/* Locks it for writing: the descriptor to keep. FER_LEDGER_UNAVAILABLE: somebody else has it. */
fer_code fer_folder_lock(int folder, int *out, fer_err *err);
/* Whether somebody is writing it now. */
bool fer_folder_is_written(int folder);

/* The number in the file; 0 where there is none. */
fer_code fer_folder_epoch(int folder, uint64_t *out, fer_err *err);
fer_code fer_folder_set_epoch(int folder, uint64_t epoch, fer_err *err);

/* The signing key; made where it is absent and `make` is set. `path` NULL: that of the folder. */
fer_code fer_folder_key(int folder, const char *path, bool make, fer_sign_key **out, fer_err *err);
/* The public half: of a file, or that of the folder where `path` is NULL. */
fer_code fer_folder_public(int folder, const char *path, fer_sign_key **out, fer_err *err);

/* A whole small file below a folder (AT_FDCWD: anywhere), at most `max` bytes; FER_IO_ERROR with
 * errno. */
fer_code fer_folder_read(fer_arena *a, int folder, const char *name, size_t max, fer_str *out,
                         fer_err *err);
/* Replaces it whole: beside, synced, renamed, the folder synced. Mode 0600. */
fer_code fer_folder_write(int folder, const char *name, fer_str content, fer_err *err);
/* A key of 32 bytes as a line of digits in a file of mode 0600; read, or made of random bytes. */
fer_code fer_folder_secret(int folder, const char *name, bool make, unsigned char out[32],
                           fer_err *err);

/* Writes all of it at a place; false with errno. */
bool fer_write_at(int fd, fer_str s, uint64_t at);
bool fer_sync_data(int fd);
bool fer_sync_folder(int folder);

#endif
