/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling listeners of changes, in order, with no lock held while they are told. Events wait
 * in a queue; one thread at a time empties it, and whoever adds to it meanwhile leaves that to
 * the thread that is at it. So a listener may change the catalogue: what it causes is told
 * when the events before are done.
 */
#ifndef FER_EVENTS_H
#define FER_EVENTS_H

#include <ferrule/catalog.h>
#include <pthread.h>

#include "history.h"

struct fer_subscriber;
struct fer_queued;

typedef struct fer_events {
    pthread_mutex_t lock;
    pthread_cond_t quiet;         /* a listener has returned */
    struct fer_subscriber *first; /* by number */
    uint64_t next_number;         /* of a listener */
    size_t count;
    struct fer_queued *head, *tail; /* events that are to be told */
    fer_history history;            /* those that happened last */
    bool telling;                   /* some thread is at it */
    pthread_t teller;
} fer_events;

bool fer_events_init(fer_events *e);
void fer_events_deinit(fer_events *e);

/* Room for the events of one change, so that nothing can fail once it has happened. NULL: none. */
struct fer_queued *fer_events_prepare(const fer_event *list, size_t count);
void fer_events_forget(struct fer_queued *q);
/* Puts them into the queue, in the order in which the changes happened. */
void fer_events_queue(fer_events *e, struct fer_queued *q);
/* Tells what is in the queue, unless somebody else is at it. */
void fer_events_tell(fer_events *e);

/* See history.h. */
fer_code fer_events_since(fer_arena *a, fer_events *e, uint64_t since, fer_event **out,
                          size_t *count, fer_err *err);
fer_code fer_events_write(fer_arena *a, fer_events *e, fer_str *out, fer_err *err);

fer_code fer_events_subscribe(fer_events *e, fer_listener *listener, void *context,
                              uint64_t *number, fer_err *err);
bool fer_events_unsubscribe(fer_events *e, uint64_t number);

#endif
