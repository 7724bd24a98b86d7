/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that talks in lines: it reads them from descriptor 3 and writes them to descriptor 4,
 * while 0, 1 and 2 are its own; or (`stdio`) by standard input and output, where lines are told
 * apart from what it prints (code_stdio.h). Runs in a sandbox (sandbox.h), or bare where the
 * runtime is the one that the operator has called unsafe. Knows nothing of what the lines mean.
 *
 * The life of a box: start -> lines and output ... -> end, once, when the program has ended and all
 * that it said has been told -> gone, when nothing of it is left; then it is freed. A box that is
 * dropped tells nothing more but `gone`. No callback is called from within fer_box_start.
 *
 * One thread: that of the loop.
 */
#ifndef FER_CODE_BOX_H
#define FER_CODE_BOX_H

#include "runtime.h"
#include "sandbox.h"

#define FER_BOX_IN   3 /* the descriptors of the lines, inside */
#define FER_BOX_OUT  4
#define FER_BOX_CODE 5

typedef struct fer_box fer_box;

typedef struct fer_box_events {
    void (*line)(fer_box *b, fer_str line);
    void (*print)(fer_box *b, fer_printed which, fer_str bytes);
    void (*end)(fer_box *b, const fer_job_end *e); /* its message lives until this returns */
    void (*gone)(fer_box *b);                      /* the last */
} fer_box_events;

typedef struct fer_box_spec {
    fer_process_host *processes;
    fer_sandbox_host *sandboxes; /* NULL: it runs bare */
    fer_sandbox_profile profile;
    bool allow_degraded;
    bool proc, jit; /* as of fer_sandbox_spec, and so the next four */
    const fer_sandbox_bind *binds;
    size_t bind_count;
    const fer_sandbox_file *files;
    size_t file_count;
    fer_str code; /* is handed over as descriptor 5, a file in memory; ptr NULL: nothing is */
    bool stdio;   /* lines go by standard input and output; in a sandbox only */
    bool warm;    /* it waits for its work: its time is counted from fer_box_work on */
    const char *program; /* an absolute path; or a name for messages, and `descriptor` */
    bool by_descriptor;
    int descriptor;
    const char *const *argv; /* ended by NULL, and so is `env` */
    const char *const *env;
    int64_t bounds[FER_BOUNDS]; /* of which CPU, memory, processes and disk are its own */
    const fer_box_events *events;
    void *owner;
} fer_box_spec;

fer_code fer_box_start(const fer_box_spec *spec, fer_box **out, fer_err *err);
void *fer_box_owner(const fer_box *b);
/* One that was warm begins its work, which may take so long. */
void fer_box_work(fer_box *b, int64_t ms);
/* Says a line. */
void fer_box_say(fer_box *b, fer_str line);
/* Reads no more for a while, or goes on. */
void fer_box_pause(fer_box *b, bool paused);
/* Ends all of it, and tells nothing more but `gone`. */
void fer_box_drop(fer_box *b, fer_process_grace grace);
/* Says for each bound by what it is held; texts live in `a`. */
void fer_box_held(fer_arena *a, const fer_box *b, const char *held[FER_BOUNDS]);
/* Members of `details` of a result, with commas between. */
void fer_box_info(const fer_box *b, fer_buf *out);

#endif
