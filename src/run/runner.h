/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs tools: functions of this process, local commands, MCP servers, HTTP APIs. A runner is
 * one configured place, such as one MCP server; its kind is a row of functions (fer_runner_kind),
 * one file in backends/ each. The gateway above knows no kind by name.
 *
 * The life of a runner: made by its kind with its settings -> start -> list and call, any number at
 * once -> stop, whose `done` is called when all it started has ended -> free. Starting may be
 * put off until the first call. All of it belongs to the thread of its loop.
 *
 * The life of an attempt: the gateway fills the upper part and calls `call`; the runner answers by
 * fer_attempt_event, any number of times, and then by fer_attempt_end, exactly once, be it before
 * `call` returns or later. `cancel` asks it to hurry up with that: the runner tells its backend at
 * once, and calls fer_attempt_end without waiting for the backend. After the end the attempt may
 * not be touched: it lives in the arena of its call. Time limits are the gateway's: it calls
 * `cancel` when one has passed.
 *
 * A backend may answer all the same when its attempt was cancelled. A runner that hears of it says
 * so once (fer_runner_tell_late), by the ticket that it kept of the attempt; nobody else gets to
 * see the answer. How many tickets it keeps is bounded; where a cancel closes the connection there
 * is nothing to hear, and none is kept.
 */
#ifndef FER_RUNNER_H
#define FER_RUNNER_H

#include <ferrule/contract.h>
#include <ferrule/gateway.h>
#include <uv.h>

#include "arena.h"
#include "token_owner.h"

typedef struct fer_runner fer_runner;
typedef struct fer_attempt fer_attempt;

/* Who stands behind a request, as far as it decides which server it goes to, and with whose token.
 */
typedef struct fer_asker {
    uint64_t session;      /* where servers are one for each client; 0: nobody in particular */
    fer_token_owner owner; /* where tokens are one for each; the caller as he is */
} fer_asker;

/* Why a call is ended before its time. The first reason counts. */
typedef enum fer_cancel {
    FER_CANCEL_NONE,
    FER_CANCEL_CLIENT_CLOSED,
    FER_CANCEL_CLIENT_CANCELLED,
    FER_CANCEL_DEADLINE,
    FER_CANCEL_TIMEOUT, /* of the attempt alone */
    FER_CANCEL_SHUTDOWN,
    FER_CANCEL_REVOKED,
    FER_CANCEL_SLOW_CONSUMER,
    FER_CANCEL_BACKEND_LOST,
    FER_CANCEL_ADMIN,
    FER_CANCEL_COUNT
} fer_cancel;
/* "ClientClosed" ... */
extern const char *const fer_cancel_names[FER_CANCEL_COUNT];

/*
 * How far a failed attempt had come; decides whether it may be made again (docs/run.md). Every
 * runner says what it knows: P0 where no byte can have reached the backend, also for an attempt
 * that is cancelled before; P1 where the backend itself says that it did nothing, as 429 and 503
 * do; P2 where bytes left and no whole answer came: time, loss, crash, garbage; P3 where an answer
 * came. A failure that P0 or P1 goes with may still be one that no further try mends, such as
 * FER_UNAUTHENTICATED: that is for the row of its code to say.
 */
typedef enum fer_phase {
    FER_PHASE_NOTHING_SENT,  /* P0 */
    FER_PHASE_NOT_PROCESSED, /* P1: the backend says that it did nothing */
    FER_PHASE_AMBIGUOUS,     /* P2: it may have happened */
    FER_PHASE_DEFINITE       /* P3: the backend says how it ended */
} fer_phase;
/* "nothing-sent", "not-processed", "ambiguous", "definite" */
extern const char *const fer_phase_names[FER_PHASE_DEFINITE + 1];
/* Of a code that the backend itself has answered with. */
fer_phase fer_phase_of_answer(fer_code code);

/* How an attempt ended. Texts and values live in the arena of the attempt. */
typedef struct fer_outcome {
    fer_code
        code; /* FER_OK; FER_TOOL_FAILED: the tool itself says no; else why it could not be run */
    fer_phase phase;
    const struct yyjson_val *structured; /* the value; NULL: none */
    const fer_json *doc;                 /* that it is in, where it has places; or NULL */
    fer_str structured_json;             /* the value as text, where it is at hand; or empty */
    fer_str mcp_result;                  /* the whole result of an MCP server, as JSON; or empty */
    fer_str mcp_error;                   /* its error of JSON-RPC in place of one, or empty */
    fer_str message;                     /* of a failure: a sentence */
    fer_str details;                     /* of a failure: a JSON object; or empty */
    int64_t retry_after_ms;              /* the backend asks for so long a pause; 0: it does not */
    bool vacant; /* nothing is there to run it until an operator sets it up: no further try mends
                    that, and no circuit counts it */
} fer_outcome;

/* What a running tool says before its end. */
typedef enum fer_news {
    FER_NEWS_PROGRESS, /* {"progress", "total"?, "message"?} */
    FER_NEWS_CHUNK     /* a part of the result, any JSON */
} fer_news;

struct fer_attempt {
    /* Filled by the gateway. */
    fer_arena *arena;
    fer_runner *runner;
    fer_str tool;                  /* the tool's name at the backend */
    const struct yyjson_val *args; /* an object */
    fer_str args_json;             /* the same as text, on one line */
    fer_str definition;            /* the tool's record, JSON */
    int64_t deadline;              /* of the attempt, fer_clock_mono; never INT64_MAX */
    fer_str call_id;               /* unique in this gateway */
    fer_str correlation_id;
    fer_str traceparent;     /* W3C, of the span of this attempt; or empty */
    fer_str idempotency_key; /* for the backend; or empty */
    uint64_t ticket;         /* what is late is told by it; 0: nobody wants to know */
    fer_str retry_owner;     /* who tries again: nobody below should */
    const fer_call_mcp *mcp; /* what a caller by MCP brings along; NULL: nothing */
    fer_token_owner owner;   /* who calls */
    bool repeatable;         /* making it twice is as good as once */
    unsigned number;         /* 1, 2 ... */
    bool wants_news;         /* somebody listens: fer_attempt_event is worth calling */
    void (*on_news)(fer_attempt *t, fer_news kind, fer_str json);
    void (*on_end)(fer_attempt *t, const fer_outcome *o);
    void *call;
    /* The runner's. */
    void *state;
    bool sent; /* a byte of it may have reached the backend */
    bool ended;
};

/* Tells what a running tool says; `json` is copied where it is kept. */
void fer_attempt_event(fer_attempt *t, fer_news kind, fer_str json);
/* Ends the attempt. */
void fer_attempt_end(fer_attempt *t, const fer_outcome *o);
/* Ends it as a failure: the phase is by `sent`, unless the code says that the tool ran. */
void fer_attempt_fail(fer_attempt *t, fer_code code, const char *format, ...) FER_PRINTF(3, 4);

/* Ends it as one of something that is not set up: FER_BACKEND_UNAVAILABLE. Who calls is told that
 * much, but not what is wrong: that is the operator's to know. */
void fer_attempt_vacant(fer_attempt *t, const char *what, fer_str name);

/* An answer to an attempt that had been cancelled: how it would have ended, and what it was by its
 * size and sum alone. */
typedef struct fer_late {
    fer_code code;
    size_t size;
    unsigned char sum[32]; /* SHA-256 */
} fer_late;
void fer_runner_tell_late(fer_runner *r, uint64_t ticket, const fer_late *late);
/* The same with the answer itself. */
void fer_runner_tell_late_answer(fer_runner *r, uint64_t ticket, fer_code code, fer_str answer);

/* The tools of a runner: called once, with a JSON list of MCP tools, or with a failure. */
typedef struct fer_listing {
    fer_arena *arena; /* may be freed from inside of on_end, and this struct with it */
    void (*on_end)(struct fer_listing *l, fer_code code, fer_str tools_json, const fer_err *err);
    void *context;
    const fer_asker *who; /* to whom they are shown; NULL: to the operator */
} fer_listing;

typedef enum fer_health {
    FER_HEALTH_IDLE, /* not started: starts with its first call */
    FER_HEALTH_STARTING,
    FER_HEALTH_UP,
    FER_HEALTH_DOWN, /* it failed, and is tried again */
    FER_HEALTH_STOPPED
} fer_health;
extern const char *const fer_health_names[FER_HEALTH_STOPPED + 1];

typedef struct fer_runner_status {
    fer_health health;
    size_t running; /* attempts under way */
    uint64_t calls; /* that ever began */
    uint64_t restarts;
    uint64_t noise;   /* lines and messages that were no answer to anything */
    int pid;          /* of its process; 0: none */
    char detail[256]; /* what it is, or what ails it: "2025-11-25, everything 1.2.0" */
} fer_runner_status;

typedef struct fer_runner_kind {
    const char *name;         /* "builtin", "command", "mcp-stdio", "mcp-http", "http" */
    fer_backend_kind backend; /* what tools that it runs name as their backend */
    /* Any of these may be NULL: nothing is to be done, or it cannot be done. */
    void (*start)(fer_runner *r);
    void (*list)(fer_runner *r, fer_listing *l);
    void (*call)(fer_runner *r, fer_attempt *t); /* never NULL */
    void (*cancel)(fer_runner *r, fer_attempt *t, fer_cancel reason);
    /* The listener is behind (true) or has caught up: stop reading from the backend, or go on. */
    void (*pause)(fer_runner *r, fer_attempt *t, bool paused);
    void (*status)(const fer_runner *r, fer_runner_status *out);
    /* The MCP server behind it, as one who asks sees it (NULL: the one that is there for as long as
     * the runner): it may be a process of his own, which is told of what he can be asked for, a
     * JSON object, or one that his token is shown to. NULL: no memory, or too many. */
    struct fer_mcp_client *(*mcp)(fer_runner *r, const fer_asker *who, fer_str capabilities);
    /* Whoever that was is gone. */
    void (*leave)(fer_runner *r, uint64_t session);
    /* Ends all attempts and all it started; `done` is called when nothing of it is left. */
    void (*stop)(fer_runner *r, void (*done)(fer_runner *r));
    void (*free)(fer_runner *r); /* after stop */
} fer_runner_kind;

/* Why nobody knows what tools a runner has. */
typedef enum fer_silence {
    FER_SILENCE_NONE,  /* it has said so, at some time */
    FER_SILENCE_ASKED, /* it is being asked, for the first time */
    FER_SILENCE_AWAY   /* it could not be asked */
} fer_silence;

/* The head of every kind's own struct. */
struct fer_runner {
    const fer_runner_kind *kind;
    fer_str name; /* of the server, API or pack of tools; lives as long as the runner */
    uv_loop_t *loop;
    int64_t timeout_ms; /* of an attempt, where the tool names none; 0: nor does the runner */
    void *owner;        /* whoever is told about `changed` and `late` */
    /* The tools may have changed that an owner is shown, or (nobody) the operator: they should be
     * listed again. May be NULL. */
    void (*changed)(fer_runner *r, const fer_token_owner *owner);
    void (*late)(fer_runner *r, uint64_t ticket, const fer_late *late); /* may be NULL */
    /* What it runs in has ended by itself; attempts that were under way, so many, fail next. May be
     * NULL. */
    void (*lost)(fer_runner *r, fer_code code, const char *why, size_t running);
    /* Writes a text that its backend wrote as errors, states and logs may show it: without secrets,
     * and then cut to `size`; `cut`: it goes on where it ends. NULL: as it is. */
    void (*clean)(const fer_runner *r, fer_str text, bool cut, char *out, size_t size);
    /* Where its servers' questions and messages go (mcp_runner.h); NULL, or points to NULL:
     * nowhere. */
    const struct fer_mcp_sink *const *sink;
    fer_silence silence;               /* as whoever asks for its tools found it */
    bool isolated;                     /* each client has a server of its own behind it */
    fer_token_share share;             /* of the tokens that it shows */
    void (*on_stopped)(fer_runner *r); /* the `done` of stop */
};

/* Nothing of it is left: says so to whoever stopped it, once. It may be gone afterwards. */
void fer_runner_stopped(fer_runner *r);

#endif
