/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of processes: process.c starts and ends them, process_pipes.c moves their bytes,
 * process_host.c keeps house. */
#ifndef FER_PROCESS_PARTS_H
#define FER_PROCESS_PARTS_H

#include "proc_table.h"
#include "process.h"

#define FER_PROCESS_PIECE ((size_t)64 << 10) /* bytes that are read at once */

struct fer_process_host {
    uv_loop_t *loop;
    fer_process *first;    /* all processes that are not gone */
    uint64_t start;        /* of this very process, as in /proc */
    pid_t pid, session;    /* ours */
    fer_proc_table table;  /* the last look at /proc */
    uint64_t table_at;     /* the time of the loop at which it was made; 0: never */
    uint64_t looks;        /* at /proc, so far */
    bool adopts;           /* it was we who made this process the one orphans come to */
    bool alone;            /* see fer_process_host_options */
    bool pipe_safe;        /* SIGPIPE is ignored, as in the command */
    uv_signal_t child_end; /* SIGCHLD: somebody may have to be waited for */
    uv_timer_t reap;
    uv_prepare_t turn_end; /* runs before the loop waits, where bytes were gathered */
    fer_proc_table strays; /* dead children that nobody has waited for, at the last round */
    unsigned handles;      /* that are not closed */
    bool freed;
    char piece[FER_PROCESS_PIECE];
};

/* One end of a pipe on the loop. */
struct fer_pipe_end {
    uv_poll_t poll;
    int fd; /* -1: closed */
};

/* Bytes that wait to be written. */
struct fer_write_block {
    struct fer_write_block *next;
    size_t len, at;
    uint64_t since; /* time of the loop */
    char bytes[];
};

/* How far the end of a tree has come. */
enum fer_process_phase {
    FER_PROCESS_RUNS,
    FER_PROCESS_CLOSED, /* its standard input; SIGTERM is next */
    FER_PROCESS_TERMED, /* SIGKILL is next */
    FER_PROCESS_KILLED
};

struct fer_process {
    fer_process_host *host;
    fer_process *next;
    const fer_process_events *events;
    void *owner;
    unsigned handles; /* of the loop that are not closed */

    /* its end */
    pid_t pid; /* 0: there is none, or it was waited for */
    uint64_t start;
    char mark[FER_MARK_TEXT];
    int pidfd; /* -1: the timer asks */
    uv_poll_t exit_poll;
    uv_timer_t timer;
    enum fer_process_phase phase;
    uint64_t until; /* time of the loop at which the next phase begins */
    unsigned term_ms;
    int due; /* a signal that its group got, and the rest of its tree is to get; 0: none */
    unsigned round_ms; /* between looks at a tree that does not end */
    bool exited;       /* the program itself */
    bool exit_told;
    bool ending;    /* somebody asked for it */
    bool tree_gone; /* all but the program itself, which has exited */
    bool linked;    /* into the list of its host */
    bool finished;  /* all handles are closed or being closed */
    fer_exit_state state;
    fer_proc_table seen; /* of its tree, at the last look */
    uint64_t seen_look;  /* which look that was */

    /* its pipes */
    struct fer_pipe_end in, out, err;
    bool paused;
    size_t left; /* bytes that its program left in `out`, once it has exited */
    uint64_t out_bytes, err_bytes;

    char *gather; /* FER_PROCESS_GATHER bytes; NULL until some are gathered */
    size_t gather_len;
    struct fer_write_block *first_block, *last_block;
    size_t waiting, write_max;
    unsigned write_ms;
    bool closing_input; /* once all is written */
    uv_timer_t write_timer;

    char *ring; /* FER_PROCESS_STDERR bytes; NULL until some came */
    char line[FER_PROCESS_LINE_TOLD];
    size_t line_len;
    uint64_t window; /* time of the loop at which the minute began */
    unsigned told;   /* lines in it */
    uint64_t untold;
};

/* ---- process_pipes.c ------------------------------------------------------------------------ */

/* Puts our end of a pipe on the loop; takes `fd`. */
fer_code fer_pipe_open(fer_process *p, struct fer_pipe_end *e, int fd, fer_err *err);
void fer_pipe_close(struct fer_pipe_end *e);
/* Begins to read and to accept bytes. */
void fer_pipes_begin(fer_process *p);
/* The program has exited: reads what it left behind, as far as it may. */
void fer_pipes_drain(fer_process *p);
void fer_pipes_lose_input(fer_process *p);
/* Writes what was gathered; where there is no memory for what the pipe does not take, it ends. */
void fer_pipes_flush(fer_process *p);
void fer_pipes_free(fer_process *p);

/* ---- process.c ------------------------------------------------------------------------------ */

/* A handle of the process, or NULL's `data`, was closed. */
void fer_process_handle_closed(uv_handle_t *handle);
/* Goes on with the end, if it has come so far: output was read, or the timer says so. */
void fer_process_step(fer_process *p);

/* ---- process_host.c ------------------------------------------------------------------------- */

/* A fresh look at all processes since the host was made; the same within one turn of the loop. */
const fer_proc_table *fer_process_host_look(fer_process_host *h);
/* The last look is not to be used again. */
void fer_process_host_changed(fer_process_host *h);
/* Waits for a child that was seen dead; if it is not, because it was another one, for nobody. */
void fer_process_host_reap(fer_process_host *h, pid_t child);
/* Whether it is the program of one of the host's processes. */
bool fer_process_host_runs(const fer_process_host *h, pid_t pid);
/* Whether every child of this process is the program of one of the host's processes. */
bool fer_process_host_no_orphans(fer_process_host *h);
void fer_process_host_mark(const fer_process_host *h, const unsigned char random[16],
                           char mark[FER_MARK_TEXT]);

#endif
