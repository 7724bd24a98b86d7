/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that a session was sent on its streams, kept so that a client that lost its connection
 * can have those after the last one that it saw (Last-Event-ID, 2025-03-26 to 2025-11-25). Each
 * has the number of its stream and its own within it; what is asked for again is of one stream,
 * never of another. Bounded in number, bytes and time; what a client asked for stays longer than
 * what it is told on the way. One thread.
 */
#ifndef FER_SERVE_EVENTS_H
#define FER_SERVE_EVENTS_H

#include <ferrule/common.h>

#define FER_HTTP_EVENTS      256                /* messages of a session that are kept */
#define FER_HTTP_EVENT_BYTES ((size_t)4 << 20)  /* bytes of them */
#define FER_HTTP_EVENTS_ALL  ((size_t)64 << 20) /* bytes of all sessions' */
#define FER_HTTP_EVENT_MS    300000             /* that a message is kept */
#define FER_EVENT_ID         48                 /* bytes of an ID, its NUL included */

typedef struct fer_past_event fer_past_event;
typedef struct fer_past {
    fer_past_event *first, *last; /* the oldest in front */
    size_t count, bytes;
} fer_past;

/* What is kept of all sessions; each 0 of the limits: the default above. */
typedef struct fer_past_all {
    size_t bytes;
    size_t events_max, bytes_max;
    int64_t keep_ms;
} fer_past_all;

/* Keeps a copy; `answer`: it ends its stream. False: there is no room for it. */
bool fer_past_put(fer_past_all *all, fer_past *p, uint32_t stream, uint64_t number, fer_str message,
                  bool answer);
/*
 * Shows those of a stream behind a number, in their order; `show` false: no more. True: the last
 * one was an answer, so that the stream has ended.
 */
bool fer_past_replay(const fer_past *p, uint32_t stream, uint64_t after,
                     bool (*show)(void *context, uint64_t number, fer_str message), void *context);
/* Whether anything of a stream is kept. */
bool fer_past_has(const fer_past *p, uint32_t stream);
/* Forgets what is too old; or all. */
void fer_past_sweep(fer_past_all *all, fer_past *p, bool everything);

/* "STREAM-NUMBER" */
void fer_event_id_write(uint32_t stream, uint64_t number, char out[FER_EVENT_ID]);
bool fer_event_id_read(fer_str text, uint32_t *stream, uint64_t *number);

#endif
