/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latest events of a catalogue, at most FER_EVENTS_KEPT of them, for those who were not
 * listening; kept in the catalogue's file. One thread at a time: events.c has a lock.
 *
 * Bytes: for each event its version in 8, kind, verdict, two zeros, the length of the ID in 4,
 * the ID, and zeros to a multiple of 8.
 */
#ifndef FER_HISTORY_H
#define FER_HISTORY_H

#include <ferrule/catalog.h>

/* The events of one change, with their texts behind them. */
struct fer_told {
    struct fer_told *next;
    size_t count;
    fer_event list[];
};

/* Copies what happened, but no more than the last `most`. NULL: no memory. */
FER_MUST_USE struct fer_told *fer_told_new(const fer_event *list, size_t count, size_t most);

typedef struct fer_history {
    struct fer_told *first, *last;
    size_t count;
} fer_history;

/* Takes the events; the oldest make room. */
void fer_history_add(fer_history *h, struct fer_told *t);
void fer_history_deinit(fer_history *h);

/* Copies of those with a higher version than `since`, the oldest first. */
fer_code fer_history_since(fer_arena *a, const fer_history *h, uint64_t since, fer_event **out,
                           size_t *count, fer_err *err);

fer_code fer_history_write(fer_arena *a, const fer_history *h, fer_str *out, fer_err *err);
/* FER_INVALID_CATALOG: these are no events. */
fer_code fer_history_read(fer_history *h, fer_str bytes, fer_err *err);

#endif
