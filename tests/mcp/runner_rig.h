/* SPDX-License-Identifier: Apache-2.0 */
/* A runner under test, with what a gateway would do around it. Everything waits in the loop. */
#ifndef FER_RUNNER_RIG_H
#define FER_RUNNER_RIG_H

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "http_client.h"
#include "mcp_http.h"
#include "mcp_stdio.h"
#include "rows.h"

#define RIG_SECONDS 200 /* that anything may take before a test fails */

typedef struct rig {
    uv_loop_t loop;
    fer_process_host *host;
    fer_net_rules *rules;
    fer_http *http;
    fer_arena *arena;
    fer_runner *runner;
    bool stopped;
    unsigned changes;
} rig;

/* One call: what it said, and how it ended. */
typedef struct rig_call {
    fer_attempt attempt;
    fer_outcome outcome;
    bool ended;
    unsigned news;
    char last_news[256];
    fer_str value; /* JSON; empty: none */
} rig_call;

/* badtool as an HTTP server (badtool_http.c). */
typedef struct rig_server {
    fer_process *process;
    unsigned port;
    bool gone;
} rig_server;
/* Starts one and waits until it listens. `log` is its side file; or NULL. */
void rig_serve_noting(rig *r, rig_server *s, const char *log, const char *kind, const char *how);
void rig_serve(rig *r, rig_server *s, const char *kind, const char *how);
void rig_end_server(rig *r, rig_server *s);

void rig_init(rig *r);
void rig_deinit(rig *r); /* stops the runner, and checks that nothing is left */
void rig_stop(rig *r);
void rig_call_begin(rig *r, rig_call *c, const char *tool, const char *args);
void rig_call_wait(rig *r, rig_call *c);
void rig_call_do(rig *r, rig_call *c, const char *tool, const char *args); /* both */
fer_code rig_list(rig *r, fer_str *tools, fer_err *err);
fer_runner_status rig_status(const rig *r);
/* Lets the loop run until `done` says so. */
void rig_until(rig *r, bool (*done)(rig *r, void *context), void *context);

#define assert_code(c, expected)                                                                   \
    do {                                                                                           \
        if ((c)->outcome.code != (expected))                                                       \
            fail_msg("%s, not %s: %.*s", fer_code_info((c)->outcome.code)->name,                   \
                     fer_code_info(expected)->name, FER_PRI((c)->outcome.message));                \
    } while (0)

#endif
