/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kinds "mcp-stdio" and "mcp-http" share: everything but how the server is reached. An
 * attempt becomes a call of the room mcp, and what that says becomes an outcome. The server is
 * connected by its first list or call. All callers share one, or each client has its own.
 */
#ifndef FER_MCP_RUNNER_H
#define FER_MCP_RUNNER_H

#include "mcp_client.h"
#include "runner.h"

/* Times; 0: as in mcp_client.h. */
typedef struct fer_mcp_times {
    unsigned start_ms; /* until the server can be asked */
    unsigned probe_ms; /* of it: for an answer to the first question */
    unsigned list_ms;  /* for the list of its tools */
    unsigned idle_ms;  /* without a request, after which it is stopped; 0: never */
} fer_mcp_times;

/* How a server is looked after. */
typedef struct fer_mcp_care {
    bool isolate; /* each client has a server of its own */
    bool keep;    /* the one that all share is started again whenever it is lost */
    bool recheck; /* its tools are known from an earlier run: the first start asks for them again */
} fer_mcp_care;

/*
 * What an MCP server asks and says while it is served to others. One for a gateway; `k` may be a
 * call of a tool, whose context is its attempt, or any other request of whoever listens.
 */
typedef struct fer_mcp_source {
    fer_runner *runner;
    fer_mcp_client *client;
    fer_asker
        whose; /* the client whose own it is, and whose token it is shown; nobody: all share it
                */
} fer_mcp_source;
/* Whether all share it. */
bool fer_mcp_source_is_shared(const fer_mcp_source *from);
/* Whether two have the same server behind them. */
bool fer_mcp_runner_is_same(const fer_runner *r, const fer_asker *x, const fer_asker *y);
/* Whether a server speaks to this one. */
bool fer_mcp_source_is_for(const fer_mcp_source *from, const fer_asker *who);

typedef struct fer_mcp_sink {
    void (*noticed)(void *context, const fer_mcp_source *from, fer_mcp_call *k, fer_str method,
                    fer_str params);
    bool (*asked)(void *context, const fer_mcp_source *from, fer_mcp_question *q);
    void (*withdrawn)(void *context, fer_mcp_question *q);
    void (*ready)(void *context, const fer_mcp_source *from);
    void *context;
} fer_mcp_sink;

#define FER_MCP_SEATS_MAX                                                                          \
    64 /* processes or connections of one server, where each client has one                        \
        */
/* Sessions of one server, where each tenant has a token; for another the one that was not asked for
 * the longest goes. */
#define FER_MCP_OWNERS_MAX 1000

/* What a server that all share is told that we can be asked for: whether the one who called can is
 * known when it asks. */
#define FER_MCP_SHARED_ABILITIES                                                                   \
    "{\"elicitation\":{\"form\":{},\"url\":{}},\"roots\":{\"listChanged\":true},"                  \
    "\"sampling\":{\"tools\":{}}}"

typedef struct fer_mcp_runner_spec {
    const fer_runner_kind *kind;
    fer_str name;
    /* A new link, which shows tokens of this owner; NULL: no memory. What it is made of lives in
     * the runner's arena. */
    fer_mcp_link *(*make)(const void *settings, const fer_token_owner *who);
    const void *settings;
    const fer_mcp_times *times;
    fer_mcp_care care;
    fer_token_share share; /* of the tokens that links show */
} fer_mcp_runner_spec;

/* The runner takes the arena. NULL: no memory, and it is gone. */
FER_MUST_USE fer_runner *fer_mcp_runner_new(fer_arena *a, uv_loop_t *loop,
                                            const fer_mcp_runner_spec *spec);

/* What a row of either kind consists of. */
void fer_mcp_runner_list(fer_runner *r, fer_listing *l);
void fer_mcp_runner_call(fer_runner *r, fer_attempt *t);
void fer_mcp_runner_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason);
void fer_mcp_runner_pause(fer_runner *r, fer_attempt *t, bool paused);
void fer_mcp_runner_status(const fer_runner *r, fer_runner_status *out);
fer_mcp_client *fer_mcp_runner_client(fer_runner *r, const fer_asker *who, fer_str capabilities);
void fer_mcp_runner_leave(fer_runner *r, uint64_t session);
/* From which level on messages for a log are wanted (fer_mcp_client_log_level), of all servers that
 * are there and will be. */
void fer_mcp_runner_log_level(fer_runner *r, const char *level);
void fer_mcp_runner_stop(fer_runner *r, void (*done)(fer_runner *r));
void fer_mcp_runner_free(fer_runner *r);

#endif
