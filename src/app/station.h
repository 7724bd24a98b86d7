/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gateway that a command works with: the functions that the command brings along, and what the
 * configuration names: MCP servers, local commands, HTTP APIs. Servers are asked for their tools
 * when a tool of theirs is wanted; until then they are not started. Ctrl-C cancels the calls that
 * are under way.
 */
#ifndef FER_STATION_H
#define FER_STATION_H

#include <ferrule/gateway.h>
#include <uv.h>

#include "arena.h"
#include "command.h"
#include "config.h"
#include "http_client.h"
#include "process.h"
#include "runner.h"

/* One configured place where tools run. */
typedef struct fer_place_of_tools {
    fer_str name;
    fer_str ns; /* of its tools */
    fer_runner *runner;
    bool asked;    /* for its tools */
    size_t tools;  /* that it has shown */
    fer_code code; /* why it has not; FER_OK: it has */
    fer_str why;
} fer_place_of_tools;

typedef struct fer_station {
    fer_app *app;
    fer_arena *arena;
    fer_config config;
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_process_host *host;
    fer_net_rules *rules;
    fer_http *http;
    struct fer_keeping *keeping; /* what outlives the process; NULL: nothing does */
    fer_place_of_tools *places;
    size_t place_count;
    size_t waiting; /* lists of tools that are under way */
    uv_signal_t interrupt;
    bool interrupted;
} fer_station;

/* Reads --config. 0, or an exit code. */
int fer_station_init(fer_station *s, fer_app *app);
void fer_station_deinit(fer_station *s);

/* Asks those servers for their tools that may have the tool of an ID; an empty one: all. */
void fer_station_ask(fer_station *s, fer_str id);
/* Says on standard error which servers could not be asked. */
void fer_station_remark(fer_station *s);

/* A number of an option, `otherwise` where it was not given. 0, or an exit code. */
int fer_station_number(fer_app *app, const char *option, int64_t min, int64_t max,
                       int64_t otherwise, int64_t *out);

#endif
