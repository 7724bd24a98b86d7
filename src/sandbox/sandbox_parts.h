/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of sandboxes: sandbox.c starts and ends them, sandbox_plan.c writes what the cell is told,
 * sandbox_cgroup.c makes their cgroups, sandbox_report.c says what holds them. */
#ifndef FER_SANDBOX_PARTS_H
#define FER_SANDBOX_PARTS_H

#include "cell_plan.h"
#include "sandbox.h"

#define FER_CGROUP_PATH 512 /* bytes of the path of a cgroup */

/* Where cgroups may be made: one folder for v2, one for each controller of v1. */
typedef struct fer_cgroup_place {
    int version;                                         /* 0: nowhere */
    char memory[FER_CGROUP_PATH], pids[FER_CGROUP_PATH]; /* the same with v2; empty: none */
    char why[FER_SANDBOX_DETAIL];                        /* there is none */
} fer_cgroup_place;

/* The cgroups of one sandbox. */
typedef struct fer_cgroup {
    char paths[CELL_CGROUPS][FER_CGROUP_PATH];
    int procs[CELL_CGROUPS]; /* cgroup.procs, open until the cell has them */
    uint32_t count;
    bool memory, pids; /* what is held */
} fer_cgroup;

struct fer_sandbox_host {
    fer_process_host *processes;
    int cell; /* sealed */
    fer_cgroup_place place;
    uint64_t made; /* sandboxes so far */
};

/* Where this process may make cgroups. Removes those that others of its kind have left. */
void fer_cgroup_find(fer_cgroup_place *out);
/* Reads where, of the texts of /proc/self/cgroup and /proc/self/mountinfo. */
void fer_cgroup_locate(fer_str cgroups, fer_str mounts, fer_cgroup_place *out);
/* Makes those of one sandbox; what cannot be had is not held. */
void fer_cgroup_make(const fer_cgroup_place *place, uint64_t number, const uint64_t *limits,
                     fer_cgroup *out);
void fer_cgroup_close(fer_cgroup *g);
/* Whether a process of it was killed because the memory was used up. */
bool fer_cgroup_overrun(const fer_cgroup_place *place, const fer_cgroup *g);
/* False: somebody is still in it. */
bool fer_cgroup_remove(fer_cgroup *g);

/* The plan as a file of memory, or -1. */
fer_code fer_plan_write(const fer_sandbox_spec *spec, const uint64_t *limits, const fer_cgroup *g,
                        bool probe, int *fd, fer_err *err);
/* Whether a spec can be run at all; fills the limits. */
fer_code fer_spec_check(const fer_sandbox_spec *spec, uint64_t *limits, fer_err *err);

/* Fills what each limit is held by, from how the layers stand. */
void fer_report_limits(fer_sandbox_report *r, const uint64_t *limits, const fer_cgroup_place *place,
                       const fer_cgroup *g, bool roomy);

/* As fer_sandbox_start; a probe makes all and runs nothing. */
fer_code fer_sandbox_begin(fer_sandbox_host *h, const fer_sandbox_spec *spec, bool probe,
                           fer_sandbox **out, fer_err *err);

#endif
