/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to what a container reads and prints. Docker's API turns the connection of an HTTP
 * request into one that goes both ways: bytes that are sent are its standard input, what comes is
 * its output in pieces (docker_mux.h). libcurl has no such thing, hence this.
 *
 * The life: open -> ready, when the API has agreed -> output ... -> end, once, with FER_OK where
 * the container closed its output; or refused, with what the API answers instead (as far as it has
 * come with the head), and no end. After either it is to be closed. No callback is called from
 * within fer_attach_open. One thread: that of the loop.
 */
#ifndef FER_DOCKER_ATTACH_H
#define FER_DOCKER_ATTACH_H

#include <uv.h>

#include "docker_mux.h"

#define FER_ATTACH_HEAD    ((size_t)16 << 10) /* bytes of the head of the API's answer */
#define FER_ATTACH_WAITING ((size_t)8 << 20)  /* bytes that wait to be written */

typedef struct fer_attach fer_attach;

typedef struct fer_attach_events {
    void (*ready)(void *context);
    void (*refused)(void *context, unsigned status, fer_str body);
    void (*output)(void *context, fer_mux_stream stream, fer_str bytes);
    void (*end)(void *context, fer_code code, const char *why);
} fer_attach_events;

/* Connects to the API's socket and asks for `target`, such as /v1.40/containers/ID/attach?... */
fer_code fer_attach_open(uv_loop_t *loop, const char *socket, fer_str target,
                         const fer_attach_events *events, void *context, fer_attach **out,
                         fer_err *err);
/* A line and its end. What cannot be held is the end of the connection. */
void fer_attach_say(fer_attach *t, fer_str line);
void fer_attach_pause(fer_attach *t, bool paused);
/* Nothing is told any more. The loop must run once more for the memory. */
void fer_attach_close(fer_attach *t);

#endif
