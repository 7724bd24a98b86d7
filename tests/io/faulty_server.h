/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server on the loopback that answers every request by a script, and so can do what no decent
 * server does. Threads of its own; nothing of the code that is tested.
 */
#ifndef FAULTY_SERVER_H
#define FAULTY_SERVER_H

#include <stdbool.h>
#include <stddef.h>

enum faulty_verb {
    FAULTY_END,   /* of the script: the connection waits for the next request */
    FAULTY_SAY,   /* the text, `count` times (0 is once) */
    FAULTY_WAIT,  /* `count` milliseconds, or until the client is gone */
    FAULTY_FLOOD, /* the text, until the client is gone */
    FAULTY_CLOSE,
    FAULTY_RESET /* with RST */
};

struct faulty_step {
    enum faulty_verb verb;
    const char *text;
    unsigned count;
};

#define FAULTY_STEPS 8

typedef struct faulty_server faulty_server;

/* The n-th request gets the n-th script; the last one answers all that follow. */
faulty_server *faulty_start(const struct faulty_step (*scripts)[FAULTY_STEPS], size_t count);
unsigned faulty_port(const faulty_server *s);
/* Requests and connections so far, and the bytes that the floods have got rid of. */
unsigned faulty_requests(faulty_server *s);
unsigned faulty_connections(faulty_server *s);
size_t faulty_flooded(faulty_server *s);
/* Whether the last request holds a text, case and all. */
bool faulty_was_told(faulty_server *s, const char *text);
/* Whether any request was a GET. */
bool faulty_was_read(faulty_server *s);
void faulty_stop(faulty_server *s);

#endif
