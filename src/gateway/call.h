/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call on its way, and the stages that it passes. The struct is written from top to bottom:
 * each stage owns a section and reads those above. A stage says NEXT; or WAIT, and somebody calls
 * fer_call_go when the wait is over; or REPLY, once the envelope has its error: then only the
 * stages that every call passes follow. `recall` waits for a call that does the same already,
 * `execute` for its turn, for what must be durable first, and for the tool; `note` for what must be
 * durable before the answer.
 *
 * A call has one budgeted arena, which is used again by later calls. It ends exactly once: whoever
 * sets `over` first. One thread.
 */
#ifndef FER_CALL_H
#define FER_CALL_H

#include <ferrule/gateway.h>

#include "keeper.h"
#include "ready.h"
#include "result_cache.h"
#include "runner.h"
#include "scopes.h"
#include "trace_context.h"

typedef enum fer_move {
    FER_MOVE_NEXT,
    FER_MOVE_WAIT,
    FER_MOVE_REPLY
} fer_move;

enum fer_stage_id {
    FER_STAGE_RESOLVE,
    FER_STAGE_AUTHORIZE,
    FER_STAGE_VALIDATE_INPUT,
    FER_STAGE_ADMIT,
    FER_STAGE_RECALL,
    FER_STAGE_EXECUTE,
    FER_STAGE_VALIDATE_OUTPUT,
    FER_STAGE_REDACT,
    FER_STAGE_NOTE,
    FER_STAGE_COUNT
};

typedef struct fer_stage {
    const char *name; /* as `op` in errors */
    fer_move (*run)(fer_call *c);
    bool always; /* calls that failed pass it too */
} fer_stage;
extern const fer_stage fer_stages[FER_STAGE_COUNT];

#include "effect.h"
#include "key_policy.h"
#include "redact.h"

#define FER_UUID_TEXT 37

/* Where `execute` stands. */
typedef enum fer_at {
    FER_AT_TURN,    /* waits for its turn */
    FER_AT_CLAIM,   /* the key is being claimed */
    FER_AT_BEGIN,   /* the ledger is being told */
    FER_AT_ATTEMPT, /* to be begun */
    FER_AT_RUNNING,
    FER_AT_PAUSE /* before the next attempt */
} fer_at;

/*
 * Work that several calls want at once: one leads and does it, the others wait, each within its
 * own time. By the key of a result (Pure tools) or by the scope of an idempotency key.
 */
typedef struct fer_flight {
    fer_bag_node node;
    unsigned char name[1 + FER_RESULT_KEY]; /* 'r' or 'k', then the key */
    fer_call *leader;
    fer_call *waiting;
} fer_flight;

struct fer_call {
    fer_arena *arena;
    fer_gateway *gateway;
    fer_call *next, **link; /* in the list of those under way, or of spare ones */
    size_t stage;
    bool moving;            /* fer_call_go is at it */
    bool entered;           /* this stage, before */
    bool over;              /* the envelope is final */
    fer_rulebook *rulebook; /* the policies that it began with */
    int64_t began;          /* fer_clock_mono */
    int64_t now;            /* the same; read where time may have passed, not by each stage */
    int64_t came[FER_STAGE_COUNT]; /* when it came to each stage, 0: it did not */
    int64_t left[FER_STAGE_COUNT]; /* when each stage was done, since it began, ns */

    /* What was asked. */
    fer_call_options options;
    fer_call_mcp mcp; /* of the options */
    fer_str tool;
    fer_str args_text;
    size_t held;      /* bytes that the gateway counts for it */
    int64_t deadline; /* fer_clock_mono */
    char id[FER_UUID_TEXT];
    fer_trace trace;
    char traceparent[FER_TRACEPARENT];
    fer_call_done *done;
    void *done_context;
    fer_call **place; /* of whoever began it, or NULL */

    /* resolve */
    fer_ready *ready;

    /* authorize */
    bool hidden;   /* the caller may not use it, and is told that it is not there */
    bool unshown;  /* of that: the server does not show it to the caller's own token */
    fer_str scope; /* those that its tool asks for and the caller lacks, with blanks between; or
                      empty */

    /* validate_input */
    fer_json *args;
    fer_str args_json; /* on one line */

    /* admit */
    bool warn_output; /* as the gateway had it when the call began */
    uint64_t tried;   /* backends that had their turn, a bit each */
    fer_runner *runner;
    fer_effect effect;
    fer_effect_source effect_by;
    fer_scope *scopes[FER_SCOPE_KINDS]; /* of its tool, backend and tenant; a tenant may be NULL */

    /* recall */
    bool keyed;           /* it has an idempotency key that counts */
    fer_idem_claim claim; /* of the key */
    bool cached;          /* its result may be kept */
    bool looked;          /* whether an earlier process has kept it is known */
    uint64_t purges;      /* of the gateway, when it was looked for */
    fer_result_key result_key;
    bool result_public; /* the key is the same for all tenants */
    fer_flight *flight; /* the same work, done once for several calls; NULL: for this alone */
    fer_call *other;    /* the next one that waits for the flight */
    bool shared;        /* the envelope is another's */

    /* execute */
    fer_at step;
    bool asking;            /* the keeper will call back */
    fer_code kept;          /* what it said */
    bool has_slot, probing; /* probing: a circuit waits for its outcome */
    bool claimed;           /* the key is this call's */
    bool begun;             /* the ledger has its beginning */
    fer_waiter waiter;
    int64_t charged;               /* when its limits were, fer_clock_mono; 0: they are not */
    int64_t queued;                /* when it began to wait for its turn */
    int64_t waited;                /* for its turns, ns; 0: it did not have to */
    fer_str limit_id;              /* of the limit that refused it: "tenant:acme"; or empty */
    char downstream[FER_KEY_STEP]; /* the key that the backend gets; or empty */
    fer_attempt attempt;
    int64_t attempt_began;
    unsigned tries;        /* attempts that began */
    bool failed_once;      /* one of them failed, or was cancelled */
    unsigned sent;         /* attempts of which a byte may have left */
    bool committed;        /* the caller has seen a part of the result */
    bool doubtful;         /* an attempt may have had its effect, and nobody knows */
    bool nothing_sent;     /* the last failure left the backend untouched */
    fer_retry_why why_not; /* why it was not tried again */
    uv_timer_t limit;      /* the end of the attempt, or of the call */
    uv_timer_t pulse;      /* the next sign of life of its stream */
    fer_cancel cancelled;  /* from here on all is cleared between calls, as before the timers */
    fer_cancel wanted;     /* cancelled by its own listener: as soon as that has returned */
    bool telling;
    bool paused;       /* the listener is behind */
    unsigned standing; /* what the caller is asked and has not answered */
    int64_t stood;     /* since when its time has stood still for that */
    uint64_t sequence;

    /* its result */
    fer_outcome outcome;

    /* redact */
    fer_redactions redactions;
    fer_str input_shown, output_shown; /* as the ledger may have them; or empty */

    /* note */
    bool unkept; /* its result could not be kept under its key */
    bool noted;  /* all is durable that must be */

    fer_envelope envelope;
};

/* Goes on with the stages until one waits or the call is over. */
void fer_call_go(fer_call *c);
/* Makes the envelope an error of this stage; for `return fer_call_refuse(...)`. */
fer_move fer_call_refuse(fer_call *c, fer_code code, const char *format, ...) FER_PRINTF(3, 4);
fer_move fer_call_refuse_err(fer_call *c, const fer_err *err);
/* Ends a call early, for a reason; nothing where it is over. */
void fer_call_stop(fer_call *c, fer_cancel reason);
/* Has the call looked at again after so long; one timer serves all its waits. */
void fer_call_keep_time(fer_call *c, int64_t ms);
/* Counts bytes that the call holds until it is gone. */
void fer_call_hold(fer_call *c, size_t bytes);
/* The envelope of a call that was cancelled. */
fer_move fer_call_refuse_cancelled(fer_call *c);
/* Tells the listener. */
void fer_call_tell(fer_call *c, fer_event_type kind, fer_str data);

/* Answers the caller now with what the envelope says, while the work goes on for others. */
void fer_call_leave(fer_call *c);

/* admit.c: a place among those that run. NEXT, WAIT, or REPLY. */
fer_move fer_call_take_turn(fer_call *c);
/* Of a call that was refused before it was tried: its limits are as before it. */
void fer_call_give_back(fer_call *c);
/* Goes on at another backend, from its turn on; false: at none, all is as before. */
bool fer_call_change_backend(fer_call *c);
void fer_call_give_turn(fer_call *c);
/* Leaves the queue. */
void fer_call_leave_queue(fer_call *c);
/* Tells the circuits how an attempt ended. */
void fer_call_tell_circuits(fer_call *c, fer_breaker_outcome outcome, int64_t took_ms);

/* recall.c */
fer_move fer_call_claim(fer_call *c);
/* Whoever waits for this call's work gets its result, or takes over. */
void fer_call_land(fer_call *c);
/* The tenant as stores have it, the key of its result, and keeping that in memory. */
fer_str fer_call_tenant(const fer_call *c);
fer_str fer_call_result_key(const fer_call *c);
/* Whether what the backend says now may be seen by all tenants. */
bool fer_call_is_public(const fer_call *c);
void fer_call_keep_result(fer_call *c, int64_t ttl_ms);
/* No longer waits for another's work. */
void fer_call_detach(fer_call *c);

/* stored.c: how a call ended, as it is kept under a key. */
fer_code fer_stored_write(fer_call *c, fer_str *out, fer_err *err);
fer_code fer_stored_read(fer_call *c, fer_str record, fer_err *err);
/* The same for those who have no call: a result that an operator vouches for, and what is kept. */
fer_code fer_stored_result(fer_arena *a, fer_str call, fer_str structured, fer_str *out,
                           fer_err *err);
fer_code fer_stored_open(fer_arena *a, fer_str record, fer_envelope *out, fer_err *err);

/* recount.c: records of the ledger. WAIT: until it is durable. */
fer_move fer_call_record_begin(fer_call *c);
void fer_call_record_attempt(fer_call *c);
fer_move fer_call_record_end(fer_call *c);
void fer_call_record_denied(fer_call *c);
/* The rule by which it was refused before it ran; empty: it was not. */
fer_str fer_call_rule(const fer_call *c);
void fer_gateway_record_circuit(fer_gateway *g, const fer_scope *s);
/* note.c: the arguments as the ledger may have them. */
fer_str fer_call_shown_input(fer_call *c);
/* The same for whoever made the call, whatever the ledger may have: redacted, never cut. */
fer_str fer_call_redacted_input(fer_call *c);
/* The policy that held, as the envelope has it. */
fer_str fer_call_policy_json(fer_call *c);

/* The stages. */
fer_move fer_stage_resolve(fer_call *c);
fer_move fer_stage_authorize(fer_call *c);
fer_move fer_stage_validate_input(fer_call *c);
fer_move fer_stage_admit(fer_call *c);
fer_move fer_stage_recall(fer_call *c);
fer_move fer_stage_execute(fer_call *c);
fer_move fer_stage_validate_output(fer_call *c);
fer_move fer_stage_redact(fer_call *c);
fer_move fer_stage_note(fer_call *c);

#endif
