/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that is done to files, as the seam tells it, with marks of the test between; and the
 * states that a disk may be in when the power goes after any prefix of it:
 *
 *     M1  nothing that was not synced            M4  any of its 512-byte sectors
 *     M2  everything                             M5  the file as long as it was, by zeros
 *     M3  each write cut at a sector             M6  names changed, contents not
 *
 * Files are those of a few folders. Changes of names in one folder come to the disk in their order.
 */
#ifndef FER_TAPE_H
#define FER_TAPE_H

#include <stdbool.h>
#include <stddef.h>

enum tape_model {
    TAPE_M1,
    TAPE_M2,
    TAPE_M3,
    TAPE_M4,
    TAPE_M5,
    TAPE_M6,
    TAPE_MODELS
};

#define TAPE_FOLDERS 2

/* Records from now on; names without a folder are those of the first. */
void tape_begin(const char *const folders[TAPE_FOLDERS]);
/* Something that the test wants to know about a moment; copied. */
void tape_mark(const void *bytes, size_t size);
void tape_end(void);
void tape_free(void);

/* Changes and marks so far. */
size_t tape_count(void);
/* The mark at a place, or NULL where a change is. */
const void *tape_mark_at(size_t at);

/* A disk that says from the middle of the tape on that it has synced, and has not. */
void tape_lie(bool lies);
/* Makes the folders, as they may be after the first `prefix` changes; NULL in place of a folder
 * that is not wanted. */
void tape_lay_out(size_t prefix, enum tape_model m, const char *const folders[TAPE_FOLDERS]);

#endif
