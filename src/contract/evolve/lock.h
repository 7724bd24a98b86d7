/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that was read, and holding single tools against it: what fer_lock_verify does for a
 * set, and the pass of `ferrule check --lock` for tools as they come. Pure; a lock does not
 * change, what was met of it belongs to who compares.
 */
#ifndef FER_LOCK_H
#define FER_LOCK_H

#include <ferrule/evolve.h>

typedef struct fer_lock fer_lock;

/* Reads a lock, which lives in `a` and refers to `text`. */
fer_code fer_lock_read(fer_arena *a, fer_str text, const fer_lock **out, fer_err *err);
/* The number of its lines: as many flags has `met` below, false at first. */
size_t fer_lock_count(const fer_lock *lock);
/*
 * Holds a tool against the lock. `*differs` says whether there is something to tell, then
 * `*out` is it, in `a`. The line it was held against is noted in `met`.
 */
fer_code fer_lock_compare(const fer_lock *lock, bool *met, fer_arena *a, const fer_tool *tool,
                          fer_lock_entry *out, bool *differs, fer_err *err);

#endif
