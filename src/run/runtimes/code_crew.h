/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs (code_box.h) of one runtime: each has a job, waits for one, or is on its way out.
 * What every runtime of such programs does alike is here: lines and output go to the job, its end
 * is told once, all are ended when the runtime stops.
 *
 * A runtime's struct has a crew in it; the functions that end in _job are members of
 * fer_runtime_kind as they are. One thread: that of the loop.
 */
#ifndef FER_CODE_CREW_H
#define FER_CODE_CREW_H

#include "code_box.h"

typedef struct fer_crew fer_crew;

/* One program. */
typedef struct fer_hand {
    struct fer_hand *next, **place;
    fer_crew *crew;
    fer_box *box;
    fer_job *job; /* NULL: it waits for one, or its job is over */
    bool warm;    /* it waits */
} fer_hand;

struct fer_crew {
    fer_runtime *runtime;
    fer_process_grace grace; /* of one whose job is given up */
    fer_hand *hands;         /* all that are not gone */
    size_t warm;             /* of them */
    bool stopping;
    /* One that waited has ended; and: one is gone. Each may be NULL. */
    void (*lost)(fer_crew *c, const fer_job_end *e);
    void (*gone)(fer_crew *c);
};

/* Starts a program for `j`, or (NULL) one that waits: `spec` without events, owner and bounds. */
fer_code fer_crew_start(fer_crew *c, const fer_box_spec *spec, const int64_t bounds[FER_BOUNDS],
                        fer_job *j, fer_hand **out, fer_err *err);
/* One that waits for a job gets this one; NULL: none waits. */
fer_hand *fer_crew_take(fer_crew *c, fer_job *j);
/* Says the first line to a program that is begun by Ferrule's own code (fer_code_start); without
 * memory for it, the job fails. */
void fer_hand_begin(fer_hand *h);

void fer_crew_cancel_job(fer_runtime *r, fer_job *j);
void fer_crew_say_job(fer_runtime *r, fer_job *j, fer_str line);
void fer_crew_pause_job(fer_runtime *r, fer_job *j, bool paused);
/* The members of the program that has the job, behind those of the runtime; nothing without. */
void fer_crew_info(fer_job *j, fer_buf *b);
void fer_crew_stop(fer_crew *c, void (*done)(fer_runtime *r));

#endif
