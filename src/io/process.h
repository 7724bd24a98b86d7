/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that this one starts: their pipes, their end, and the end of all that they started.
 * Knows nothing of what is said over the pipes. No shell is ever involved.
 *
 * A host is the house of all processes of one loop, made by the owner of the loop. It makes this
 * process the one to which orphans come (a child subreaper), so that a program that forks twice is
 * still found, ended and waited for. It belongs to the thread of its loop, which must be the
 * thread that lives as long as the program: children are killed when it ends.
 *
 * The life of a process: start -> on_output ... -> on_output_end and on_exit -> on_gone, after
 * which it is freed. on_exit comes when the program itself has ended and all that it printed has
 * been told; on_gone when nothing of its tree is left: none runs, none is a zombie. Whatever of the
 * tree outlives the program is ended. fer_process_end hurries: standard input is closed, then,
 * after pauses that the caller names, SIGTERM and SIGKILL go to the whole tree.
 *
 * What belongs to a tree: descendants by their parents, everything in the session of the program,
 * and everything that carries the tree's random mark in its environment (FERRULE_CHILD), wherever
 * it went. What took off all three and was orphaned is ended when the host ends, where the host
 * was told that nobody else in this program starts such processes (`alone`).
 *
 * No callback is called from within fer_process_start, fer_process_write or fer_process_pause.
 */
#ifndef FER_PROCESS_H
#define FER_PROCESS_H

#include <uv.h>

#include "arena.h"
#include "sys.h"

#define FER_PROCESS_MARK "FERRULE_CHILD" /* the variable by which a tree is known */

#define FER_PROCESS_WRITE_MAX  ((size_t)8 << 20)  /* bytes that wait to be written to one process */
#define FER_PROCESS_WRITE_MS   10000              /* that they may wait */
#define FER_PROCESS_GATHER     ((size_t)32 << 10) /* of them that a turn of the loop gathers */
#define FER_PROCESS_STDERR     ((size_t)64 << 10) /* bytes of standard error that are kept */
#define FER_PROCESS_LINE_TOLD  1024               /* bytes of a line of it that is told */
#define FER_PROCESS_LINES_TOLD 100                /* lines of it that are told in a minute */
#define FER_PROCESS_LEFT_MS    200 /* that what outlives its program gets between the signals */

typedef struct fer_process_host fer_process_host;
typedef struct fer_process fer_process;

typedef struct fer_process_host_options {
    bool alone; /* no other part of this program starts processes in sessions of their own */
} fer_process_host_options;

/* Without options, as if all were zero. */
fer_code fer_process_host_new(uv_loop_t *loop, const fer_process_host_options *options,
                              fer_process_host **out, fer_err *err);
/* After all its processes are gone. The loop must run on, to close what it holds. */
void fer_process_host_free(fer_process_host *h);
uv_loop_t *fer_process_host_loop(const fer_process_host *h);

/* How a program ended. */
typedef struct fer_exit_state {
    int code;   /* of exit; -1: a signal ended it */
    int signal; /* 0: it ended by itself */
    bool asked; /* a signal had been sent to it by fer_process_end before it ended */
} fer_exit_state;

/* Why nothing can be written any more. */
typedef enum fer_input_loss {
    FER_INPUT_CLOSED, /* nobody is there to read it */
    FER_INPUT_STUCK   /* it is not read: bytes waited longer than write_ms */
} fer_input_loss;

/* What a process tells its owner; each may be NULL. */
typedef struct fer_process_events {
    void (*on_output)(fer_process *p, fer_str bytes); /* of standard output */
    void (*on_output_end)(fer_process *p);
    void (*on_error_line)(fer_process *p, fer_str line);    /* of standard error, as bytes, cut */
    void (*on_error_output)(fer_process *p, fer_str bytes); /* all of it, as it comes */
    void (*on_input_lost)(fer_process *p, fer_input_loss why);
    void (*on_exit)(fer_process *p, const fer_exit_state *state);
    void (*on_gone)(fer_process *p); /* the last */
} fer_process_events;

typedef struct fer_process_spec {
    const char *program; /* an absolute path; see fer_process_find */
    fer_str sha256; /* of the program, 64 hexadecimal digits: another one is not started, and what
                       is started is what was hashed, by its descriptor; empty: not asked for */
    bool by_descriptor; /* what is executed is open already, as `descriptor`, which stays the
                           caller's; `program` is its name in messages. Not with sha256 */
    int descriptor;
    const struct fer_sys_handed *handed; /* descriptors that it gets besides the three */
    size_t handed_count;
    const char *const *argv; /* ended by NULL; argv[0] is what the program is told that it is */
    const char *const *env;  /* "NAME=value", ended by NULL: exactly these, and the mark */
    const char *cwd;         /* NULL: as ours */
    bool no_input;           /* its standard input is empty: there is no pipe */
    size_t write_max;        /* 0: FER_PROCESS_WRITE_MAX */
    unsigned write_ms;       /* 0: FER_PROCESS_WRITE_MS */
    const fer_process_events *events; /* lives as long as the process */
    void *owner;
} fer_process_spec;

/*
 * The absolute path of a program: `name` itself where it is one, else the first file of that name
 * in the folders of `path` (as of PATH; relative ones are passed over) that may be executed.
 */
fer_code fer_process_find(fer_arena *a, fer_str name, fer_str path, fer_str *out, fer_err *err);

/*
 * Starts a program, in a session of its own. Everything of `spec` but `events` and `owner` is used
 * at once. Fails where it cannot be executed, with the reason of the system in `err`:
 * FER_BACKEND_UNAVAILABLE, or FER_RESOURCE_LIMIT where this machine has no process or descriptor
 * left.
 */
fer_code fer_process_start(fer_process_host *h, const fer_process_spec *spec, fer_process **out,
                           fer_err *err);

void *fer_process_owner(const fer_process *p);
int fer_process_pid(const fer_process *p);
/* The owner is not there any more: nothing is told from now on. */
void fer_process_disown(fer_process *p);

/* ---- talking to it -------------------------------------------------------------------------- */

/*
 * Queues bytes for its standard input; they are copied. Small ones leave together, at the end of
 * this turn of the loop or when FER_PROCESS_GATHER of them are there. FER_LIMIT_EXCEEDED: too many
 * wait already, and none of these does. FER_BACKEND_UNAVAILABLE: its standard input is closed.
 */
fer_code fer_process_write(fer_process *p, fer_str bytes, fer_err *err);
size_t fer_process_waiting(const fer_process *p); /* bytes that wait */
/* Closes its standard input when all that was queued is written. */
void fer_process_close_input(fer_process *p);
/* Stops reading its standard output, or goes on; meanwhile the program waits in its pipe. */
void fer_process_pause(fer_process *p, bool paused);

/* The last bytes of its standard error, at most `max`. ptr NULL: no memory. */
fer_str fer_process_stderr(fer_arena *a, const fer_process *p, size_t max);
typedef struct fer_process_counts {
    uint64_t output, error; /* bytes that came */
    uint64_t lines_untold;  /* of standard error */
} fer_process_counts;
fer_process_counts fer_process_counted(const fer_process *p);

/* ---- its end -------------------------------------------------------------------------------- */

typedef struct fer_process_grace {
    unsigned input_ms; /* from the end of its standard input to SIGTERM */
    unsigned term_ms;  /* from SIGTERM to SIGKILL */
} fer_process_grace;
#define FER_GRACE_STOP   ((fer_process_grace){2000, 2000}) /* of a server that is stopped */
#define FER_GRACE_CANCEL ((fer_process_grace){0, 500})     /* of a call that is given up */
#define FER_GRACE_NONE   ((fer_process_grace){0, 0})

/*
 * Ends the whole tree. Signals that need no waiting are sent before this returns. Asked again, the
 * shorter pauses count. A pause of reading does not hold the end up: what was not read is lost.
 */
void fer_process_end(fer_process *p, fer_process_grace grace);

/*
 * Kills the trees of hosts whose own process is gone, such as after kill -9: what carries a mark
 * of such a host in its environment, belongs to this user and lives in this PID namespace. To be
 * called when a program starts. Returns how many processes were killed.
 */
size_t fer_process_sweep(void);

#endif
