/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs code that an agent wrote: a runtime is one configured way to do so, such as the
 * JavaScript engine or the operator's python3; its kind is a row of functions (fer_runtime_kind),
 * one file in this folder each. Whoever wants code run fills a job. Runtimes know no tool and no
 * gateway: what the code asks for comes out as lines (code_lines.h), and answers go in as lines.
 *
 * The life of a runtime: made by its kind with its settings, which starts nothing -> begin, once,
 * when it is where it will be stopped -> probe, any number of times -> run, any number at once ->
 * stop, whose `done` is called when all it started has ended -> free. One that was not begun is
 * freed as it is. All of it belongs to the thread of its loop.
 *
 * The life of a job: the owner fills the upper part and calls fer_job_begin; the runtime tells
 * lines and what was printed, any number of times, and then the end, exactly once, be it before
 * `run` returns or later. Meanwhile the owner may say lines. `cancel` ends everything that the job
 * has started, within a grace time; the end of a cancelled job is told at once, without waiting
 * for its processes. After the end the job may not be touched: it lives in its owner's memory.
 *
 * Time is the owner's: it cancels a job that takes too long, and it counts tool calls, steps of
 * chains, and bytes of output and value. CPU, memory, processes and disk are the runtime's, which
 * says for each by what it is held (fer_job.held); what it cannot hold it leaves NULL, and says so.
 */
#ifndef FER_RUNTIME_H
#define FER_RUNTIME_H

#include <uv.h>

#include "arena.h"
#include "buf.h"

typedef struct fer_runtime fer_runtime;
typedef struct fer_job fer_job;

/* ---- what a run may use ---------------------------------------------------------------------- */

typedef enum fer_bound {
    FER_BOUND_TIME,   /* ms by the clock */
    FER_BOUND_CPU,    /* ms of processors */
    FER_BOUND_MEMORY, /* bytes, of all its processes */
    FER_BOUND_PROCESSES,
    FER_BOUND_OUTPUT, /* bytes of standard output, and so of standard error */
    FER_BOUND_DISK,   /* bytes of its work folder */
    FER_BOUND_VALUE,  /* bytes of the value, as JSON */
    FER_BOUND_CALLS,  /* tool calls */
    FER_BOUND_STEPS,  /* steps of chains, together */
    FER_BOUNDS
} fer_bound;

typedef struct fer_bound_row {
    const char *name;  /* "timeMs" ..., as in requests, configuration and results */
    int64_t otherwise; /* where nobody says anything */
    int64_t min, max;  /* that an operator may ask for */
    const char *text;
} fer_bound_row;
extern const fer_bound_row fer_bounds[FER_BOUNDS];

#define FER_CODE_SIZE     ((size_t)1 << 20) /* bytes of a program */
#define FER_CODE_DEPTH    64                /* levels of the value, and of arguments */
#define FER_CODE_STORED   ((size_t)3 << 20) /* bytes of a value that is to be stored */
#define FER_CODE_GRACE_MS 500               /* from SIGTERM to SIGKILL when a run is given up */

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef enum fer_printed {
    FER_PRINTED_OUT, /* standard output */
    FER_PRINTED_ERR
} fer_printed;

/* How a job ended, as far as the runtime knows. */
typedef struct fer_job_end {
    fer_code code;   /* FER_OK: its program has ended by itself, with 0 */
    fer_str message; /* of a failure: a sentence; in the job's arena */
    fer_bound hit;   /* of FER_RESOURCE_LIMIT: which bound it met; FER_BOUNDS: nobody knows */
    int exit_code;   /* -1: a signal ended it, or there is none */
    int signal;      /* 0: none */
} fer_job_end;

typedef struct fer_job_events {
    /* A line of the protocol. False: the job is to say no more; it was ended. */
    void (*line)(fer_job *j, fer_str line);
    void (*print)(fer_job *j, fer_printed which, fer_str bytes);
    void (*end)(fer_job *j, const fer_job_end *e);
} fer_job_events;

struct fer_job {
    /* Filled by the owner. */
    fer_arena *arena;
    fer_runtime *runtime;
    fer_str code;
    int64_t bounds[FER_BOUNDS];
    bool check; /* only read it and say which tools it names: nothing is run */
    const fer_job_events *events;
    void *owner;
    /* The runtime's. */
    void *state;
    const char *held[FER_BOUNDS]; /* by what each bound is held: "cgroup"; NULL: by nothing */
    bool ended;
};

/* Begins it. */
void fer_job_begin(fer_job *j);
/* Says a line to the code; nothing where the job has ended, or reads no more. */
void fer_job_say(fer_job *j, fer_str line);
/* Ends it early; its end is told before this returns. */
void fer_job_cancel(fer_job *j);
/* Whoever listens is behind (true) or has caught up: stop reading, or go on. */
void fer_job_pause(fer_job *j, bool paused);

/* For runtimes: the end; and a failure in a sentence. */
void fer_job_finish(fer_job *j, const fer_job_end *e);
void fer_job_fail(fer_job *j, fer_code code, const char *format, ...) FER_PRINTF(3, 4);
/* Refusals: the program has more bytes than the limit of that name; it cannot be checked. */
fer_code fer_job_fits(const fer_job *j, const char *limit, size_t most, fer_err *err);
fer_code fer_job_no_check(const fer_job *j, fer_err *err);

/* ---- runtimes -------------------------------------------------------------------------------- */

/* How far a runtime is to be trusted, as its results say. */
typedef enum fer_readiness {
    FER_READY_PROD,
    FER_READY_BETA,
    FER_READY_STUB /* its parts are missing: it runs nothing, and says so */
} fer_readiness;
extern const char *const fer_readiness_names[FER_READY_STUB + 1]; /* "prod", "beta", "stub" */

typedef struct fer_runtime_kind {
    const char *name;     /* "js", "process", "container", "wasm", "unsafe" */
    const char *language; /* "javascript"; NULL: as its settings say */
    fer_readiness readiness;
    bool one_channel; /* what it prints comes as lines: after `done` or `fail` nothing comes */
    /* Whether it could run something here: FER_OK, or why not. Costs little when asked again. */
    fer_code (*probe)(fer_runtime *r, fer_err *err);
    /* Starts what shall be there before the first job; may be NULL. */
    void (*begin)(fer_runtime *r);
    void (*run)(fer_runtime *r, fer_job *j);
    void (*cancel)(fer_runtime *r, fer_job *j);
    void (*say)(fer_runtime *r, fer_job *j, fer_str line);
    void (*pause)(fer_runtime *r, fer_job *j, bool paused); /* may be NULL */
    /* Members of `details` of a result, with commas between, and by what each bound is held
     * (j->held); `j` NULL: of the runtime alone. Before the job has ended, or in its end. */
    void (*info)(const fer_runtime *r, fer_job *j, fer_buf *b);
    /* Ends all jobs and all it started; `done` is called when nothing of it is left. */
    void (*stop)(fer_runtime *r, void (*done)(fer_runtime *r));
    void (*free)(fer_runtime *r); /* after stop, or without begin */
} fer_runtime_kind;

/* The head of every kind's own struct. */
struct fer_runtime {
    const fer_runtime_kind *kind;
    fer_str name;     /* as requests name it; lives as long as the runtime */
    fer_str language; /* of its code; or empty */
    uv_loop_t *loop;
    int64_t bounds[FER_BOUNDS]; /* what a job may use here at most; 0: as the owner says */
    void *owner;                /* of whoever stops it */
    void (*on_stopped)(fer_runtime *r);
};

/* The readiness here and now: that of the kind where the probe finds all parts, FER_READY_STUB
 * else, with the reason in `err`. */
fer_readiness fer_runtime_ready(fer_runtime *r, fer_err *err);
/* It will be stopped by whoever has it: it may start programs. */
void fer_runtime_begin(fer_runtime *r);
/* Nothing of it is left: says so to whoever stopped it, once. */
void fer_runtime_stopped(fer_runtime *r);

#endif
