/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines over two descriptors, or over one that goes both ways: pipes, Unix sockets, terminals,
 * files. Lines come in one by one (lines.h) and go out whole, in order; what the system does not
 * take at once waits. Knows nothing of what is said.
 *
 * While more than FER_PAIR_WAITING bytes wait to be written, nothing is read: `behind` says so to
 * those who could leave something unsaid. The end of the input is told once, from the loop. Where
 * nobody reads any more, or there is no memory for a line, `lost` is told, once, from the loop, and
 * nothing after it.
 *
 * One thread: that of the loop.
 */
#ifndef FER_LINE_PAIR_H
#define FER_LINE_PAIR_H

#include <uv.h>

#include "lines.h"

#define FER_PAIR_WAITING                                                                           \
    ((size_t)1 << 20) /* bytes to be written, from which on nothing is read                        \
                       */

typedef struct fer_pair fer_pair;

typedef struct fer_pair_events {
    bool (*line)(void *context, fer_str line); /* false: the pair was closed */
    void (*too_long)(void *context);           /* a line past the limit was passed over */
    void (*end)(void *context);                /* no more input */
    void (*lost)(void *context);               /* nothing more can be said or heard */
    void (*written)(void *context);            /* something that waited was written; may be NULL */
    /* The end of a line past the limit has come: how it began and ended (lines.h). May be NULL. */
    void (*passed)(void *context, fer_str head, fer_str tail);
} fer_pair_events;

/* `in` and `out` may be one descriptor; they are closed with the pair. */
fer_code fer_pair_open(uv_loop_t *loop, int in, int out, const fer_pair_events *events,
                       void *context, fer_pair **made, fer_err *err);
/* Lines that come in have at most so many bytes; FER_LINE_MAX unless this is called. */
void fer_pair_limit(fer_pair *p, size_t max);
/* Writes a line and its end. What cannot be held is the loss of the pair. */
void fer_pair_write(fer_pair *p, fer_str line);
/* Of a pair that is lost: whether it was for lack of memory, and not for nobody reads. */
bool fer_pair_starved(const fer_pair *p);
/* Bytes that wait. */
size_t fer_pair_waiting(const fer_pair *p);
bool fer_pair_behind(const fer_pair *p);
/* Bytes that it holds: those that wait, and of a line whose end has not come. */
size_t fer_pair_held(const fer_pair *p);
/* Reads no more; `end` is not told. */
void fer_pair_stop(fer_pair *p);
/* Reads no more for a while, or goes on. */
void fer_pair_pause(fer_pair *p, bool paused);
/* Nothing is told any more. The loop must run once more for the memory. */
void fer_pair_close(fer_pair *p);

#endif
