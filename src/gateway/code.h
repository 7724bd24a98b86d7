/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code through the gateway: a tool, code:execute, whose call runs a program in a runtime
 * (run/runtimes/runtime.h). As it is a call like any other, everything that holds for calls holds
 * for it: who may, how often, how long, what is recorded. What the program asks for on the way are
 * calls again, through the same door: with the rights of whoever called, within the time that is
 * left, and with the run as what caused them in the ledger.
 *
 * A run is a session (code_session.c): it has the job, takes its lines and answers them. Looking
 * for tools is code_look.c, what comes out code_result.c. One thread: that of the gateway's loop.
 */
#ifndef FER_CODE_H
#define FER_CODE_H

#include "code_lines.h"
#include "gateway_parts.h"
#include "runtime.h"

#define FER_CODE_NS         "code"
#define FER_CODE_TOOL       "code:execute"
#define FER_CODE_RUNTIMES   32                 /* of one gateway */
#define FER_CODE_TRACE      1000               /* tool calls that a result tells */
#define FER_CODE_TRACE_ARGS 2048               /* bytes of the arguments of each */
#define FER_CODE_BAD_LINES  100                /* lines that are none, before the run is ended */
#define FER_CODE_TAIL       4096               /* bytes of output in the details of a failure */
#define FER_CODE_OPEN       1000               /* requests of a run that wait for an answer */
#define FER_CODE_MEMORY     ((size_t)64 << 20) /* bytes that a session may take */

typedef struct fer_code_options {
    fer_runtime *const *runtimes; /* the first is that of requests that name none */
    size_t runtime_count;
    int64_t bounds[FER_BOUNDS]; /* 0: as its row says */
    bool reentrant;             /* code may run code */
} fer_code_options;

/* Adds the tool and its runner, which takes the runtimes: they begin here, and are stopped and
 * freed with it; where this fails, they are freed as well. */
fer_code fer_gateway_add_code(fer_gateway *g, const fer_code_options *o, fer_err *err);

/* ---- for the files of this --------------------------------------------------------------------
 */

typedef struct fer_code_runner {
    fer_runner runner;
    fer_arena *arena;
    fer_gateway *gateway;
    fer_runtime **runtimes;
    size_t runtime_count, stopped;
    int64_t bounds[FER_BOUNDS];
    bool reentrant;
    struct fer_session *sessions; /* all that are not gone */
    size_t running;
    uint64_t calls;
    bool stopping;
} fer_code_runner;

/* What became of one tool call, for the trace. Texts live in the session's arena. */
typedef struct fer_code_trace {
    struct fer_code_trace *next;
    char id[FER_UUID_TEXT];
    fer_str tool;
    fer_str args; /* JSON, redacted; or empty */
    const char *status;
    const char *code; /* of its error; NULL: none */
    int64_t duration_us;
} fer_code_trace;

/* A request that waits for its answer. */
typedef struct fer_code_ask {
    struct fer_session *session;
    struct fer_code_ask *next, **place;
    fer_str id; /* that the answer repeats */
    fer_call *call;
    fer_chain *chain; /* or NULL: it is a call */
    bool chained;
} fer_code_ask;

typedef struct fer_session {
    struct fer_session *next, **place;
    fer_code_runner *runner;
    fer_arena *arena;
    fer_attempt *attempt; /* NULL: it has ended */
    fer_call *call;       /* that the attempt is of; as long as that */
    fer_job job;
    fer_call_options options; /* of its calls */
    fer_call_mcp mcp;
    int64_t began, deadline; /* fer_clock_mono */
    uv_timer_t timer;
    bool closed;        /* the timer is */
    fer_code_ask *asks; /* under way */
    size_t open, bad;
    size_t calls, steps; /* so far */
    bool wrote;          /* a call that may have changed something was begun */
    fer_str value;       /* JSON; ptr NULL: none was given */
    fer_str failure;     /* JSON, as the program told it; or empty */
    fer_str uses;        /* of a check; or empty */
    fer_bound hit;       /* the bound that ended it; FER_BOUNDS: none */
    fer_buf printed[2];  /* by fer_printed */
    bool cut[2];         /* there was more */
    fer_code_trace *trace, **trace_end;
    size_t traced, untold;
} fer_session;

/* Begins a run for an attempt. */
void fer_session_begin(fer_code_runner *r, fer_attempt *t);
/* Ends it early. */
void fer_session_cancel(fer_session *s, fer_cancel reason);
void fer_session_pause(fer_session *s, bool paused);

/* The last of it: everything that it began has ended. */
void fer_session_free(fer_session *s);

/* code_calls.c: answers to a request, by its ID; nothing once the run is over. */
void fer_session_answer(fer_session *s, fer_str id, fer_str result);
void fer_session_refuse(fer_session *s, fer_str id, fer_code code, fer_str message,
                        fer_str details);
void fer_session_refuse_err(fer_session *s, fer_str id, const fer_err *err);
/* Begins what a line asks for. */
void fer_session_run_tool(fer_session *s, const fer_code_line *l);
void fer_session_run_chain(fer_session *s, fer_arena *a, const fer_code_line *l);
/* Ends the calls that nobody waits for any more. */
void fer_session_cancel_asks(fer_session *s);

/* code_look.c: answers about tools that the caller of the run may use; `*out` is JSON in `a`. */
fer_code fer_code_look(fer_arena *a, const fer_session *s, const fer_code_line *line, fer_str *out,
                       fer_err *err);
/* Whether the caller could run a tool of this ID. */
bool fer_code_knows(fer_arena *a, const fer_session *s, fer_str id);

/* code_result.c: ExecuteResult. `tail`: at most so many bytes of each output, its end; `error`:
 * JSON, or empty. */
fer_code fer_code_result(fer_arena *a, fer_session *s, size_t tail, fer_str error, fer_str *out,
                         fer_err *err);
/* The tool's record. */
fer_code fer_code_record(fer_arena *a, const fer_code_runner *r, fer_str *out, fer_err *err);

#endif
