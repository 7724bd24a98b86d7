/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client over a link that a script plays. A script is lines:
 *
 *     ! call NAME ARGS    what the caller does: call, listen (a call with progress), list, drop N,
 *                         connect, stop, wait (until something happens)
 *     ! ask METHOD PARAMS any other request, with progress
 *     ! answer N JSON     what who is asked does with the question: answer, decline; of those taken
 *                         and not answered, counted from 0
 *     ! pause N, go N     a call's listener is behind, or has caught up
 *     ! die WHY           what happens to the link: die, fail ID CODE FLAGS, noise, starved, long
 * HEAD...TAIL < JSON              what the server says; "< @ID JSON" on the stream of that request;
 *                         "<- JSON" while there is no memory to read it
 *     > JSON              what the client must have sent next
 *     = TEXT              what else must have happened next: open, close, ended, tools, changed ...
 *
 * Everything that happens must be in the script, in its order.
 */
#ifndef FER_SCRIPT_LINK_H
#define FER_SCRIPT_LINK_H

#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "mcp_client.h"
#include "rows.h"

#define SCRIPT_CALLS 8

typedef struct script_options {
    bool streams;    /* each request has a stream of its own */
    bool unopenable; /* open fails */
    unsigned start_ms, probe_ms, list_ms, idle_ms;
    const char *capabilities;
    bool asks;        /* questions of the server's are taken */
    bool at_once;     /* and answered from within, with {"ok":true} */
    const char *tool; /* the definition of what is called; or NULL */
} script_options;

void script_run(const char *script, const script_options *o);

/* What a client sends first, and how the eras answer. `$C` stands for who we are. */
#define S_DISCOVER(id)                                                                             \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"server/discover\",\"params\":{$M}}\n"
#define S_INITIALIZE(id)                                                                           \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"initialize\",\"params\":{"                  \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":$C}}\n"
#define S_INITIALIZED                                                                              \
    "> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
#define S_UNKNOWN(id)                                                                              \
    "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32601,\"message\":\"what?\"}}\n"
#define S_WELCOME(id, version, tools)                                                              \
    "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"protocolVersion\":\"" version              \
    "\",\"capabilities\":{\"tools\":" tools                                                        \
    "},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n"
#define S_DISCOVERED(id, tools)                                                                    \
    "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\",\"ttlMs\":0,"    \
    "\"cacheScope\":\"public\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"          \
    "\"tools\":" tools "},\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"m\","      \
    "\"version\":\"2\"}}}}\n"
#define S_LEGACY(version)                                                                          \
    S_DISCOVER("1") S_UNKNOWN("1") S_INITIALIZE("2") S_WELCOME("2", version, "{}") S_INITIALIZED
#define S_MODERN            S_DISCOVER("1") S_DISCOVERED("1", "{}")
#define S_REPLY(id, result) "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}\n"
#define S_CALL(id, name)                                                                           \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name  \
    "\",\"arguments\":{}}}\n"
#define S_LIST(id, cursor)                                                                         \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/list\",\"params\":{" cursor "}}\n"

#endif
