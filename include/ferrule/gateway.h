/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gateway: one door for every call of a tool, whoever makes it and wherever the tool runs.
 *
 * A call passes one table of stages: resolve, authorize, validate_input, admit, recall, execute,
 * validate_output, redact, note. What comes out is an envelope, with a result or one error of the
 * error table, and exactly once. A gateway looks tools up in a catalogue, which may change while
 * calls run: each call keeps what it found when it began.
 *
 * A gateway has an event loop of its own, or one that it is given, and belongs to that loop's
 * thread. Everything that a call gives out lives until its `done` has returned.
 */
#ifndef FERRULE_GATEWAY_H
#define FERRULE_GATEWAY_H

#include <ferrule/catalog.h>
#include <ferrule/common.h>
#include <ferrule/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uv_loop_s;

typedef struct fer_gateway fer_gateway;
typedef struct fer_call fer_call;

/* ---- limits ------------------------------------------------------------------------------- */

#define FER_CALL_DEADLINE_MS  30000              /* of a call for which nobody names one */
#define FER_CALL_DEADLINE_MAX 3600000            /* ms; a later deadline is brought forward */
#define FER_CALL_MEMORY       ((size_t)64 << 20) /* bytes that one call may take */
#define FER_CALLS_MAX         1000               /* calls under way at once */
#define FER_CALL_BYTES        ((size_t)256 << 20) /* of arguments and results that are held at once */
#define FER_BYTES_HIGH        85 /* percent of them from which on no request is read */
#define FER_BYTES_SHED        95 /* and from which on calls are refused */
#define FER_RESULT_MAX        ((size_t)4 << 20) /* bytes of a result */
#define FER_HEARTBEAT_MS      15000             /* between signs of life of a quiet stream */

/* ---- what comes out ----------------------------------------------------------------------- */

typedef enum fer_status {
    FER_STATUS_OK,
    FER_STATUS_ERROR,
    FER_STATUS_RETRYABLE /* an error, but the same call may succeed later */
} fer_status;

/* What went wrong with a call. Empty texts: there is none. */
typedef struct fer_call_error {
    fer_code code;
    fer_str message; /* a sentence that a model can repair the call from */
    fer_str details; /* a JSON object */
    const char *op;  /* the stage: "resolve", "execute" ... */
    bool retryable;
    int64_t retry_after_ms; /* 0: nobody knows */
    fer_str caused_by;      /* what is behind it, a sentence */
} fer_call_error;

typedef struct fer_envelope {
    fer_status status;
    fer_call_error error; /* code FER_OK: there is none */
    fer_str tool_id;      /* as resolved; as it was asked for where nothing was found */
    fer_str structured;   /* the value, as JSON; empty: none */
    fer_str mcp_result;   /* what an MCP server answered, as JSON; empty: none */
    fer_str mcp_error;   /* an error of JSON-RPC that it answered with in place of that; or empty */
    fer_str definition;  /* the tool's record, as JSON; empty: none was found */
    fer_backend backend; /* that ran it; name empty: none did */
    int64_t duration_us;
    unsigned attempts; /* that were sent to a backend */
    fer_str resolved_version;
    fer_str correlation_id;
    const char *origin;      /* "cli", "mcp", "chain", "code", "library" */
    const char *cancelled;   /* the reason, or NULL */
    const fer_str *warnings; /* sentences, such as of an output that breaks its schema */
    size_t warning_count;
    bool cache_hit;            /* the result was known already */
    bool replayed;             /* it is that of an earlier call with the same idempotency key */
    fer_str original_call;     /* which then did the work; or empty */
    fer_str policy;            /* the policies that held, as a JSON object; or empty */
    const fer_str *redactions; /* places whose values no log, trace or ledger has */
    size_t redaction_count;
} fer_envelope;

/* The envelope as JSON on one line (docs/schemas/envelope.schema.json); `full`: with the tool's
 * whole record. */
FER_API fer_code fer_envelope_write(fer_arena *a, const fer_envelope *e, bool full, fer_str *out,
                                    fer_err *err);

/* ---- streams ------------------------------------------------------------------------------- */

typedef enum fer_event_type {
    FER_STREAM_PROGRESS,
    FER_STREAM_CHUNK,
    FER_STREAM_DONE,
    FER_STREAM_ERROR,
    FER_STREAM_HEARTBEAT /* has no sequence number of its own */
} fer_event_type;

typedef struct fer_stream_event {
    fer_event_type kind;
    fer_str tool_id;
    fer_str correlation_id;
    uint64_t sequence; /* from 0 on, without gaps; of a heartbeat: the next one's */
    fer_str data;      /* JSON */
} fer_stream_event;

/* {kind, toolId, correlationId, sequence, data} (docs/schemas/stream-event.schema.json). */
FER_API fer_code fer_stream_event_write(fer_arena *a, const fer_stream_event *e, fer_str *out,
                                        fer_err *err);
/* {correlationId, sequence, event, data} (docs/schemas/stream-chunk.schema.json). */
FER_API fer_code fer_stream_chunk_write(fer_arena *a, const fer_stream_event *e, fer_str *out,
                                        fer_err *err);

/* ---- gateways ------------------------------------------------------------------------------- */

typedef struct fer_gateway_options {
    fer_catalog *catalog;   /* borrowed; must outlive the gateway */
    struct uv_loop_s *loop; /* NULL: one of its own */
    bool warn_output;       /* an output that breaks its schema is a warning, not an error */
    size_t calls_max;       /* 0: FER_CALLS_MAX */
    size_t bytes_max;       /* of arguments and results of calls under way; 0: FER_CALL_BYTES */
    int64_t deadline_ms;    /* 0: FER_CALL_DEADLINE_MS */
    int64_t timeout_ms;     /* of an attempt, where neither tool nor backend name one; 0: none */
    bool uncounted;         /* no metrics are kept */
    fer_backend_selector *selector; /* NULL: fer_backend_default */
    void *selector_context;
    fer_str policies; /* JSON, as the section of the configuration (docs/policies.md); empty:
                         defaults */
} fer_gateway_options;

FER_API fer_code fer_gateway_new(const fer_gateway_options *options, fer_gateway **out,
                                 fer_err *err);
/* Cancels what is under way, stops all backends and waits until they have ended. NULL is fine. */
FER_API void fer_gateway_free(fer_gateway *g);
/* Whether so much is held that nothing new should be read (FER_BYTES_HIGH): a server says "come
 * again" before it reads a body. */
FER_API bool fer_gateway_is_high(const fer_gateway *g);
/* Changes warn_output, uncounted, calls_max, deadline_ms and timeout_ms, for calls that begin
 * later. */
FER_API void fer_gateway_change(fer_gateway *g, const fer_gateway_options *options);
/* Other policies, for calls that begin later; what was counted stays, kept results are forgotten.
 */
FER_API fer_code fer_gateway_change_policies(fer_gateway *g, fer_str policies, fer_err *err);
/* Works until no call is under way. */
FER_API void fer_gateway_run(fer_gateway *g);
FER_API struct uv_loop_s *fer_gateway_loop(fer_gateway *g);
/*
 * Tells a secret value, which then appears in no error text, event, trace or ledger, in none of the
 * usual encodings; of fewer than eight bytes it is passed over. Before the first call.
 */
FER_API fer_code fer_gateway_secret(fer_gateway *g, fer_str value, fer_err *err);

/* ---- routes ---------------------------------------------------------------------------------- */

/* Backends of one tool, those that are tried first in front, in place of what the catalogue has. */
typedef struct fer_route {
    fer_str tool; /* its ID; without a version: all of them */
    const fer_backend *backends;
    size_t count;
} fer_route;
/*
 * Says where tools run, in place of all that was said before; everything is copied. A call goes to
 * the first backend that is configured; where that is not there and nothing was sent yet, to the
 * next. Tools without a route go by the selector, in the same way.
 */
FER_API fer_code fer_gateway_routes(fer_gateway *g, const fer_route *routes, size_t count,
                                    fer_err *err);

/* ---- calls ---------------------------------------------------------------------------------- */

/* Who calls. Empty: nobody in particular. */
typedef struct fer_caller {
    fer_str tenant;
    fer_str principal;
    fer_str agent;
    fer_texts scopes;
} fer_caller;

/*
 * What a caller by MCP brings along for a tool of another MCP server. Copied, but for `owner`,
 * which is whoever is asked what the server wants to know; nobody once the call has ended, or goes
 * on without its caller.
 */
typedef struct fer_call_mcp {
    fer_str params;        /* of tools/call as they came: _meta, and members that nobody knows */
    fer_str capabilities;  /* JSON object: what the caller can be asked for; empty: nothing */
    bool takes_input;      /* a result that asks for input is his to answer (2026-07-28) */
    bool takes_task;       /* a task in place of a result is his to ask for */
    const char *log_level; /* of messages that he wants; NULL: as params say. A constant */
    uint64_t session;      /* who it is, where servers are one for each; 0: nobody in particular */
    void *owner;
} fer_call_mcp;

typedef struct fer_call_options {
    fer_str constraint;  /* on the version; or empty */
    int64_t deadline;    /* wall clock, ms since 1970; 0: the default */
    int64_t deadline_ms; /* from now on; 0: the default. The earlier of both counts */
    int64_t timeout_ms;  /* of one attempt; 0: the tool's */
    fer_str idempotency_key;
    fer_str correlation_id; /* empty: a random UUID */
    fer_str causation_id;
    fer_str traceparent; /* W3C trace context of the caller */
    fer_str retry_owner; /* who tries again above this gateway, which then does not; or empty */
    const char *origin;  /* NULL: "library" */
    const fer_caller *caller;
    bool no_cache; /* the tool is run even where its result is known */
    bool dry_run;  /* everything up to the backend, which is not called */
    bool in_code;  /* code makes the call: it may not run code in turn */
    /* Told of progress and chunks, and of the end; NULL: nobody listens. False: wait until
     * fer_call_resume. */
    bool (*on_event)(void *context, fer_call *c, const fer_stream_event *e);
    void *context;
    const fer_call_mcp *mcp; /* or NULL */
} fer_call_options;

/*
 * Begins a call. `done` is called exactly once, perhaps before this returns, also for a call that
 * is refused; then the call is gone. `args` is a JSON object, copied. `*out`, where somebody asks
 * for it, is the call for as long as it is under way, and NULL from before `done` is called; the
 * place must stay so long. Fails only without memory.
 */
typedef void fer_call_done(void *context, fer_call *c, const fer_envelope *e);
FER_API fer_code fer_gateway_call(fer_gateway *g, fer_str tool, fer_str args,
                                  const fer_call_options *options, fer_call_done *done,
                                  void *context, fer_call **out, fer_err *err);
/* Calls and waits; the envelope and its texts live in `a`. */
FER_API fer_code fer_gateway_ask(fer_arena *a, fer_gateway *g, fer_str tool, fer_str args,
                                 const fer_call_options *options, fer_envelope *out, fer_err *err);
/* Ends a call that is under way: its `done` is called soon, perhaps before this returns. */
FER_API void fer_call_cancel(fer_call *c);
/* The same for all that are under way. */
FER_API void fer_gateway_cancel(fer_gateway *g);
/* The listener has caught up. */
FER_API void fer_call_resume(fer_call *c);

/* ---- watching -------------------------------------------------------------------------------- */

#define FER_OBSERVERS_MAX 8  /* of one gateway */
#define FER_STAGES_MAX    16 /* more than there are */

/* A call that has ended, for logs and traces: nothing that the tool was given or gave. */
typedef struct fer_call_report {
    const fer_envelope *envelope;
    fer_str call_id;
    fer_str causation_id;
    const fer_caller *caller; /* NULL: nobody in particular */
    fer_effect effect;
    char trace_id[33]; /* hex */
    char span_id[17];
    char parent_id[17];   /* empty: none */
    bool sampled;         /* the caller wants the trace kept, or there is no caller */
    int64_t began_ms;     /* wall clock, ms since 1970 */
    int64_t execution_us; /* in the backend; -1: it was not reached */
    int64_t timeout_ms;
    int64_t queue_ms;    /* that it waited for its turn; -1: it did not have to */
    fer_str limit_id;    /* of the limit that refused it: "tenant:acme"; or empty */
    fer_str rule;        /* by which it was refused before it ran: "scopes", "requiredScopes:NAME",
                            "limit:ID", else "stage:NAME"; empty: it was not */
    fer_str tool;        /* its ID, also where the caller is told that there is none: for whoever
                            runs the gateway; empty: there is no such tool */
    const char *circuit; /* of its backend: "closed", "open", "half-open"; NULL: it has none */
    size_t bytes_in, bytes_out;
    struct {
        const char *name;
        int64_t from_ns, to_ns; /* since the call began */
    } stages[FER_STAGES_MAX];
    size_t stage_count; /* that it passed */
} fer_call_report;
typedef void fer_call_observer(void *context, const fer_call_report *r);
/* Has each call that ends told, before its `done`. For as long as the gateway lives. */
FER_API fer_code fer_gateway_observe(fer_gateway *g, fer_call_observer *tell, void *context,
                                     fer_err *err);
/* The same for who does not want to know of stages: without others who do, `stage_count` is 0, and
 * calls are spared the looks at the clock. */
FER_API fer_code fer_gateway_observe_ends(fer_gateway *g, fer_call_observer *tell, void *context,
                                          fer_err *err);

#define FER_LATE_MAX 1000 /* calls that were given up and whose answers are noted */

/* An answer that came after its call had ended without it. Nobody is given the answer itself. */
typedef struct fer_late_report {
    fer_str call_id;
    fer_str tool_id;
    fer_str resolved_version;
    fer_str correlation_id;
    fer_str causation_id;
    fer_caller caller; /* its scopes are not kept */
    const char *origin;
    const char *cancelled; /* why the call was given up */
    fer_effect effect;
    unsigned attempt; /* that it answers: 1, 2 ... */
    fer_code code;    /* how the attempt would have ended */
    size_t size;      /* bytes of the answer */
    int64_t after_ms; /* the attempt was given up */
} fer_late_report;
typedef void fer_late_observer(void *context, const fer_late_report *r);
/* Has each late answer told. For as long as the gateway lives. */
FER_API fer_code fer_gateway_observe_late(fer_gateway *g, fer_late_observer *tell, void *context,
                                          fer_err *err);

/* Counters and histograms of all calls so far, in the text format of Prometheus. */
FER_API fer_code fer_gateway_metrics(fer_arena *a, const fer_gateway *g, fer_str *out,
                                     fer_err *err);

/* ---- traces ---------------------------------------------------------------------------------- */

#define FER_TRACE_BATCH    512  /* spans that are sent at once, as soon as there are so many */
#define FER_TRACE_QUEUE    4096 /* spans that wait; those past it are dropped */
#define FER_TRACE_EVERY_MS 1000 /* between one request and the next, and before a second try */
#define FER_TRACE_TRIES    3    /* to send the same spans */
#define FER_TRACE_FLUSH_MS 2000 /* for what is left when the gateway stops */

typedef struct fer_trace_header {
    fer_str name, value;
} fer_trace_header;

typedef struct fer_trace_options {
    fer_str endpoint; /* URL of a collector: "http://127.0.0.1:4318/v1/traces" */
    const fer_trace_header *headers;
    size_t header_count;
} fer_trace_options;

/*
 * Sends a span for each call that ends from now on, and one for each of its stages, as OTLP over
 * HTTP with JSON. Nobody waits for it: what cannot be sent is dropped and counted. What is left
 * when the gateway is freed is sent then, within FER_TRACE_FLUSH_MS. Everything is copied. Asked
 * for again, later spans go to the other collector, and what waits still to the one before; NULL:
 * later spans go nowhere.
 */
FER_API fer_code fer_gateway_export_traces(fer_gateway *g, const fer_trace_options *options,
                                           fer_err *err);

typedef struct fer_trace_stats {
    uint64_t sent;    /* spans that the collector took */
    uint64_t dropped; /* spans that it did not get */
    size_t waiting;
    char trouble[256]; /* why spans were dropped last; empty: none was */
} fer_trace_stats;
FER_API void fer_gateway_trace_stats(const fer_gateway *g, fer_trace_stats *out);

/* ---- chains --------------------------------------------------------------------------------- */

#define FER_CHAIN_STEPS  64 /* steps of a chain, those in groups and fallbacks included */
#define FER_CHAIN_DEPTH  8  /* groups inside each other */
#define FER_CHAIN_MEMORY ((size_t)256 << 20) /* bytes that the results of its steps may take */

/* Calls one after the other, or at once, where later ones use what earlier ones gave (docs/run.md).
 */
typedef struct fer_chain fer_chain;

/*
 * Reads a chain: JSON of docs/schemas/chain.schema.json, which is copied. `err` has the place of
 * what is wrong, its pointer in the sentence.
 */
FER_API fer_code fer_chain_read(fer_str json, fer_chain **out, fer_err *err);
FER_API void fer_chain_free(fer_chain *chain);

typedef enum fer_step_state {
    FER_STEP_PENDING, /* the chain ended before */
    FER_STEP_OK,
    FER_STEP_FAILED,
    FER_STEP_SKIPPED /* its condition did not hold, or nobody needed its fallback */
} fer_step_state;

typedef struct fer_step_result {
    fer_str id;
    fer_str tool_id; /* of a group: empty */
    fer_step_state state;
    fer_str envelope; /* JSON; empty: it was not called */
    fer_str output;   /* what it gave, JSON; empty: nothing */
    fer_str call_id;  /* empty: it was not called */
    fer_str args;     /* redacted, JSON; of chains that code runs, else empty */
} fer_step_result;

typedef struct fer_chain_result {
    fer_status status;
    fer_call_error error; /* of the step that stopped it; code FER_OK: there is none */
    fer_str failed_step;  /* its name */
    fer_str output;       /* of the last step, JSON; empty: none */
    const fer_step_result *steps;
    size_t step_count;
    fer_str correlation_id;
    int64_t duration_us;
} fer_chain_result;

/* {status, output, error?, steps, correlationId, durationMs}
 * (docs/schemas/chain-result.schema.json). */
FER_API fer_code fer_chain_result_write(fer_arena *a, const fer_chain_result *r, fer_str *out,
                                        fer_err *err);

/*
 * Runs a chain, which must stay until `done` was called: once, perhaps before this returns. Each
 * step is a call of its own, with the caller's rights at its turn. `input` is what references to
 * `input` lead into; empty: null. Of the options `constraint`, `timeout_ms` and `dry_run` are not
 * used. The first error stops it, unless its step says otherwise: steps that ran are reported.
 */
typedef void fer_chain_done(void *context, const fer_chain_result *r);
FER_API fer_code fer_gateway_chain(fer_gateway *g, const fer_chain *chain, fer_str input,
                                   const fer_call_options *options, fer_chain_done *done,
                                   void *context, fer_err *err);

/* Ends the chain that was begun with this context of `done`: its steps under way are cancelled, and
 * no more begin. Nothing where it has ended. */
FER_API void fer_gateway_cancel_chain(fer_gateway *g, const void *context);

/* What a look at a chain, without running it, found. */
typedef struct fer_chain_remark {
    fer_severity severity; /* error: it cannot work; warning: it may not, as of a tool that takes
                              keys (FER_IDEMPOTENCY_KEY_MISSING), unless the chain has one */
    fer_str step;          /* its name */
    fer_code code;
    fer_str message;
} fer_chain_remark;
/*
 * Checks a whole chain before anything runs: that each tool is there and has a backend, that
 * arguments fit, and that what earlier steps promise to give (their output schemas) fits where it
 * goes. Samples of the promised outputs are tried, so a warning means that some fit and some do
 * not.
 */
FER_API fer_code fer_gateway_check_chain(fer_arena *a, fer_gateway *g, const fer_chain *chain,
                                         fer_chain_remark **out, size_t *count, fer_err *err);

/* ---- tools of this process --------------------------------------------------------------------
 */

/*
 * A function as a tool. Its parameters are declared once, as rows: the schema is generated from
 * them and the arguments are bound to a struct (see fer_bind_row), which is cleared before. `run`
 * gives its result as JSON in the arena (fer_arena_printf, fer_json_quote, fer_json_write).
 * FER_TOOL_FAILED says that the tool itself said no (fer_fail); what it returns, and `message` of
 * `err`, is what the caller gets.
 */
typedef fer_code fer_function(void *context, fer_arena *a, const void *args, fer_str *result,
                              fer_err *err);
typedef struct fer_builtin {
    const char *ns; /* the pack of tools that it belongs to */
    const char *name;
    const char *version; /* or NULL */
    const char *title;   /* or NULL */
    const char *description;
    const fer_bind_row *rows;
    size_t row_count;
    size_t args_size;          /* of the struct that arguments are bound to */
    const char *output_schema; /* JSON, or NULL */
    fer_effect effect;
    fer_function *run;
    void *context;
    bool blocks; /* run on a thread of its own: the function waits for something */
} fer_builtin;
/* Registers functions, in the catalogue too. What they point to must outlive the gateway. */
FER_API fer_code fer_gateway_builtins(fer_gateway *g, const fer_builtin *list, size_t count,
                                      fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
