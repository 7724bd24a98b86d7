/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call on its way, and the stages that it passes. The struct is written from top to bottom:
 * each stage owns a section and reads those above. A stage says NEXT; or WAIT, and somebody calls
 * fer_call_go when the wait is over; or REPLY, once the envelope has its error: then only the
 * stages that every call passes follow. Only `execute` waits.
 *
 * A call has one budgeted arena, which is used again by later calls. It ends exactly once: whoever
 * sets `over` first. One thread.
 */
#ifndef FER_CALL_H
#define FER_CALL_H

#include <ferrule/gateway.h>

#include "ready.h"
#include "runner.h"
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

#define FER_UUID_TEXT 37

struct fer_call {
    fer_arena *arena;
    fer_gateway *gateway;
    fer_call *next, **link; /* in the list of those under way, or of spare ones */
    size_t stage;
    bool moving;                   /* fer_call_go is at it */
    bool entered;                  /* this stage, before */
    bool over;                     /* the envelope is final */
    int64_t began;                 /* fer_clock_mono */
    int64_t came[FER_STAGE_COUNT]; /* when it came to each stage, 0: it did not */
    int64_t left[FER_STAGE_COUNT]; /* when each stage was done, since it began, ns */

    /* What was asked. */
    fer_call_options options;
    fer_str tool;
    fer_str args_text;
    int64_t deadline; /* fer_clock_mono */
    char id[FER_UUID_TEXT];
    fer_trace trace;
    char traceparent[FER_TRACEPARENT];
    fer_call_done *done;
    void *done_context;
    fer_call **place; /* of whoever began it, or NULL */

    /* resolve */
    fer_ready *ready;

    /* validate_input */
    fer_json *args;
    fer_str args_json; /* on one line */

    /* admit */
    bool admitted;

    /* execute */
    bool warn_output; /* as the gateway had it when the call began */
    uint64_t tried;   /* backends that had their turn, a bit each */
    fer_runner *runner;
    fer_attempt attempt;
    int64_t attempt_began;
    uv_timer_t limit; /* the end of the attempt, or of the call */
    uv_timer_t pulse; /* the next sign of life of its stream */
    fer_cancel cancelled;
    fer_cancel wanted; /* cancelled by its own listener: as soon as that has returned */
    bool telling;
    bool paused; /* the listener is behind */
    uint64_t sequence;

    /* its result */
    fer_outcome outcome;
    fer_str structured;

    fer_envelope envelope;
};

/* Goes on with the stages until one waits or the call is over. */
void fer_call_go(fer_call *c);
/* Makes the envelope an error of this stage; for `return fer_call_refuse(...)`. */
fer_move fer_call_refuse(fer_call *c, fer_code code, const char *format, ...) FER_PRINTF(3, 4);
fer_move fer_call_refuse_err(fer_call *c, const fer_err *err);
/* Ends a call early, for a reason; nothing where it is over. */
void fer_call_stop(fer_call *c, fer_cancel reason);
/* Tells the listener. */
void fer_call_tell(fer_call *c, fer_event_type kind, fer_str data);

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
