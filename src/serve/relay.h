/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request of a client, passed on to a server and its answer back, byte for byte: all but calls of
 * tools, which go through the gateway. Where it is not known which server has what is asked for,
 * they are asked one after the other until one has it. A relay lives in the memory of its request.
 */
#ifndef FER_RELAY_H
#define FER_RELAY_H

#include "mcp_client.h"
#include "serve_parts.h"
#include "wares.h"

#define FER_RELAY_MS      60000 /* that a server has for an answer */
#define FER_RELAY_SERVERS 64    /* that are asked one after the other */

typedef struct fer_relay {
    fer_ask *ask;
    fer_relay *next, **place;
    fer_mcp_call call;
    const char *method;
    fer_str params; /* a JSON object on one line; or empty */
    fer_server *servers[FER_RELAY_SERVERS];
    size_t count, at;
    int64_t deadline;   /* fer_clock_mono */
    unsigned standing;  /* questions that it waits for, */
    int64_t stood;      /* since when */
    fer_str own, shown; /* a URI of the server's that clients know by another; or empty */
    /* Told of a result before it is passed on; or NULL. */
    void (*done)(fer_ask *q, fer_server *server);
    /* Takes how it ended, to answer or to ask for more (fer_relay_again); false: as ever. Or NULL.
     */
    bool (*take)(fer_relay *r, const fer_mcp_outcome *o);
    void *state; /* of it */
    int64_t ms;  /* that the server has; 0: FER_RELAY_MS */
} fer_relay;

/* A relay of the request's own method and params; NULL: no memory, and it has been answered. */
fer_relay *fer_relay_new(fer_ask *q);
/* Another text in place of a value of the params. False: no memory, and it has been answered. */
FER_MUST_USE bool fer_relay_put(fer_relay *r, const yyjson_val *value, fer_str text);
/* Asks the servers that were named; the answer answers the request. */
void fer_relay_go(fer_relay *r);

/* Asks the same server once more, for what `method` says by now. */
void fer_relay_again(fer_relay *r);
/* The time that its server has stands still while the client is asked; or goes on. */
void fer_relay_stand(const fer_mcp_call *k, bool stands);
/* The request that a call is made for; NULL: it is none of a relay's. */
fer_ask *fer_relay_owner(const fer_mcp_call *k);
/* Those that take too long end. */
void fer_relays_sweep(fer_front *s, int64_t now);

/* The params of a request on one line, for a server: with its own requestState, and another text in
 * place of `value` where that is not NULL. `ptr` NULL: no memory. */
fer_str fer_ask_params(fer_ask *q, const yyjson_val *value, fer_str text);

/* Texts of JSON on one line: between values a line end is a blank like any other. */
fer_str fer_one_line(fer_arena *a, fer_str json);

#endif
