/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite behind the seam of the tests: a VFS around the system's own that counts what SQLite does
 * to its files under the kinds of faults.h (open, write, fsync, truncate, unlink), lets planned
 * faults happen to it, and tells the watcher, so that the store can be killed, lose its power and
 * run out of space as the ledger can. Reading and locking pass by it.
 */
#ifndef FER_SQLITE_SEAM_H
#define FER_SQLITE_SEAM_H

/* From now on, for every database that is opened without another VFS named. */
void sqlite_seam_begin(void);

#define SQLITE_SEAM_FD                                                                             \
    512 /* descriptors in what the watcher is told begin here, and end before twice as many */

#endif
