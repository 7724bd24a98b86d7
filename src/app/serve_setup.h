/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How ferrule serve meets its clients: what the section `serve` of the configuration says, and the
 * options of the command, which count before it.
 */
#ifndef FER_SERVE_SETUP_H
#define FER_SERVE_SETUP_H

#include "command_station.h"
#include "doorkeeper.h"
#include "serve_guide.h"

typedef struct fer_serve_setup {
    fer_front_options front; /* without gateway and catalogue */
    fer_web_options web;     /* limits only */
    fer_server_limits server;
    const char *listen; /* ADDRESS:PORT; NULL: nothing is said */
    const char *socket; /* or NULL */
    const char *cert, *key;
    const char *tokens; /* the file; NULL: there is no place for one */
    bool no_token, insecure;
    const fer_str *hosts, *origins;
    size_t host_count, origin_count;
} fer_serve_setup;

/* Refuses options that would have no effect; `start`: a gateway is started to be joined. 0, or an
 * exit code. */
int fer_serve_setup_refuse(fer_app *app, bool start);
/* 0, or an exit code. Texts are borrowed from the configuration and the command line, or live in
 * the arena of the station. */
int fer_serve_setup_read(const fer_station *s, fer_serve_setup *out);
#define FER_SERVE_PORT  7575 /* of --listen, where nothing is said */
#define FER_SERVE_PORTS 20   /* that are tried then at a terminal, from that one on */

/* ADDRESS:PORT, or PORT of the loopback. False: it is neither. */
bool fer_serve_setup_listen(fer_arena *a, const char *text, fer_listen_options *out);
/* Where HTTP listens. 0, or an exit code: an address that is none, or one that others reach without
 * TLS or without tokens. */
int fer_serve_setup_place(const fer_station *s, const fer_serve_setup *w, fer_listen_options *out);
/* The same for a place that somebody else chose. */
int fer_serve_setup_judge(const fer_station *s, const fer_serve_setup *w,
                          const fer_listen_options *at);
/* The options of a configured client; `who` is filled and pointed to. */
void fer_serve_setup_client(const fer_config_client *c, fer_caller *who, fer_guest_options *out);
/* Has the doorkeeper know the tokens of configured clients. */
fer_code fer_serve_setup_clients(fer_station *s, fer_doorkeeper *door, fer_err *err);
/* The same with the token of the operator: that of the environment, one of this run, or that of the
 * very first start. `out` is one that was made now, or empty; `*known`: somebody has it. */
fer_code fer_serve_setup_token(fer_app *app, fer_doorkeeper *door, char out[FER_GUIDE_TOKEN],
                               bool *known, fer_err *err);

#endif
