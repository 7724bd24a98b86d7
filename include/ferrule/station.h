/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gateway as a configuration describes it (docs/config.md): MCP servers, local commands, HTTP
 * APIs and functions of the program's own, with policies, a catalogue that is remembered, a ledger
 * and a store. It is what `ferrule serve` has behind its door:
 *
 *     fer_station *s;
 *     fer_envelope e;
 *     fer_code code = fer_station_open(&(fer_station_options){.config = "ferrule.yaml"}, &s, &err);
 *     if (code) return code;
 *     fer_station_ask(s, id);
 *     code = fer_gateway_ask(a, fer_station_gateway(s), id, args, NULL, &e, &err);
 *     fer_station_close(s);
 *
 * One thread: the one that opened it, and that the gateway's loop runs on.
 */
#ifndef FERRULE_STATION_H
#define FERRULE_STATION_H

#include <ferrule/gateway.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fer_station fer_station;

/* Is told what an operator should know, a line each: what is odd about the configuration, servers
 * that cannot be asked, definitions that are held back. No secret is in it. */
typedef void fer_station_tell(void *context, fer_str line);

typedef struct fer_station_options {
    const char *config; /* the file; NULL: ferrule.yaml here, or the user's own, or none at all */
    const fer_builtin *functions; /* of the program's own, as tools; borrowed */
    size_t function_count;
    bool search;            /* tools of servers are listed and searched, not only called */
    struct uv_loop_s *loop; /* NULL: one of its own. Opening, asking and closing run it */
    fer_station_tell *tell; /* NULL: nobody is told */
    void *context;
} fer_station_options;

/*
 * Reads the configuration and sets up all that it names; servers are not started before they are
 * asked for their tools, or one of these is called. What cannot be set up (a server, an API or a
 * command whose secret, document or program is not there) is told, and stops nothing else. A
 * command that is wrong is a failure. FER_BAD_USAGE: the configuration has errors, which were told.
 * FER_LEDGER_UNAVAILABLE: another process has its folder of state.
 */
FER_API fer_code fer_station_open(const fer_station_options *options, fer_station **out,
                                  fer_err *err);
/* Cancels what is under way, stops all servers, and keeps what is to be kept. NULL is fine. */
FER_API void fer_station_close(fer_station *s);

/* Calls go here. The station's own: not to be freed. */
FER_API fer_gateway *fer_station_gateway(const fer_station *s);
/* What tools there are. After fer_station_renew it may be another one. */
FER_API fer_catalog *fer_station_catalog(const fer_station *s);

/*
 * Asks those servers for their tools that may have the tool of an ID, and whose tools are not
 * known; an empty ID: all servers that were not asked before, whatever is remembered of them. One
 * that failed is asked again, after a pause of one to thirty seconds. Waits for them, within their
 * deadlines.
 */
FER_API void fer_station_ask(fer_station *s, fer_str id);
/* Tells which servers could not be asked, and what could not be set up, and why. */
FER_API void fer_station_remark(fer_station *s);

/* One place where tools run: a server, an API, or the commands of one namespace. */
typedef struct fer_station_place {
    fer_str name;  /* as the configuration calls it */
    fer_str ns;    /* of its tools */
    size_t tools;  /* that it has shown so far */
    fer_code code; /* why it, or a command of it, cannot be used just now; FER_OK: it can, as far as
                      anybody knows */
    fer_str why;
} fer_station_place;
/* Tells of the first `room` places, and how many there are. Texts are good until the next call of a
 * function of the station's, or turn of its loop. */
FER_API size_t fer_station_places(const fer_station *s, fer_station_place *out, size_t room);

/*
 * Reads the configuration again: what is the same goes on, what is not is made anew, and calls
 * under way keep what they began with. What other programs have written into the catalogue's file
 * is taken over. A command that lacks its secret or its program by now is left out, which is told.
 * `*changes`, where somebody asks for it: how many things are different; after a
 * failure 0, where nothing of it was taken.
 */
FER_API fer_code fer_station_renew(fer_station *s, size_t *changes, fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
