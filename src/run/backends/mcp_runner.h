/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kinds "mcp-stdio" and "mcp-http" share: everything but how the server is reached. An
 * attempt becomes a call of the room mcp, and what that says becomes an outcome. The server is
 * connected by its first list or call.
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
} fer_mcp_times;

/*
 * The runner over a link, which it takes; what the link was made of lives in `a`, which the runner
 * takes too. NULL: no memory, and both are gone.
 */
FER_MUST_USE fer_runner *fer_mcp_runner_new(fer_arena *a, uv_loop_t *loop,
                                            const fer_runner_kind *kind, fer_str name,
                                            fer_mcp_link *link, const fer_mcp_times *times);

/* What a row of either kind consists of. */
void fer_mcp_runner_list(fer_runner *r, fer_listing *l);
void fer_mcp_runner_call(fer_runner *r, fer_attempt *t);
void fer_mcp_runner_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason);
void fer_mcp_runner_pause(fer_runner *r, fer_attempt *t, bool paused);
void fer_mcp_runner_status(const fer_runner *r, fer_runner_status *out);
void fer_mcp_runner_stop(fer_runner *r, void (*done)(fer_runner *r));
void fer_mcp_runner_free(fer_runner *r);

#endif
