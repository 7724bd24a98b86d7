/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell: the program that makes the room of a sandbox and runs another program in it. Static,
 * single-threaded, started anew for each sandbox; takes nothing but its plan. The order:
 *
 *   warden   reads the plan, becomes nobody where it was root, makes the namespaces with the first
 *            process in them (cell_main.c), then watches until that one has ended (cell_watch.c)
 *   first    joins cgroups, maps its user, builds the root and moves there (cell_room.c), starts
 *            the program, waits for it and for orphans; its end is the end of all (cell_main.c)
 *   program  takes its descriptors, limits, no capabilities (cell_walls.c), Landlock
 *            (cell_landlock.c), the filter of system calls (cell_filter.c), and is executed
 *
 * Every layer says how it stands by cell_stand. What must work says cell_fail where it does not,
 * which ends the process; there is no cleaning up to do, as all there is goes with the namespaces.
 */
#ifndef FER_CELL_H
#define FER_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cell_plan.h"
#include "sandbox_layers.h"

/* The plan, taken apart. Texts lie in the block. */
struct cell {
    struct cell_plan plan;
    const char *program;
    char **argv, **env;
    struct cell_bind {
        bool optional;
        const char *from, *to;
    } * binds;
    struct cell_file {
        const char *path, *bytes;
        uint64_t size;
    } * files;
    uint32_t handed[CELL_HANDED_MAX]; /* the numbers that the program wants */
    int status;                       /* where records go */
    bool roomy;                       /* it has a root and a /work of its own */
    bool has_proc;                    /* and a /proc */
    bool own_user;                    /* it has a user namespace of its own, and so on */
    bool own_pids, own_name;
    bool watched; /* the warden can see what is used */
};

#define CELL_WORK "/work"

static inline bool cell_flagged(const struct cell *c, enum cell_flag flag)
{
    return (c->plan.flags & (uint32_t)flag) != 0;
}
static inline bool cell_wants(const struct cell *c, fer_layer layer)
{
    return !(c->plan.removed & (1u << layer));
}

/* ---- cell_main.c ---------------------------------------------------------------------------- */

void cell_tell(const struct cell *c, const struct cell_record *r);
/* Says how a layer stands. One that is missing though it is needed ends the cell. */
void cell_stand(const struct cell *c, fer_layer layer, fer_layer_stand stand, const char *detail);
/* The same with the reason of the system: "what: Operation not permitted". */
void cell_missing(const struct cell *c, fer_layer layer, const char *what);
/* The program cannot be run: errno and what was tried. Does not return. */
_Noreturn void cell_fail(const struct cell *c, const char *what);
/* Writes a text to a file, such as of /proc; 0 or -1. */
int cell_write_file(const char *path, const char *text);

/* ---- the others ----------------------------------------------------------------------------- */

/* The root, /work and all in it; the first process is in there afterwards. */
void cell_room_build(struct cell *c);
/* Takes on the user of the plan for good; the caller was root, and in no user namespace. */
void cell_become(const struct cell *c);
/* What execve could give back is gone; those that the caller has stay until they are dropped. */
void cell_bound_capabilities(const struct cell *c);
/* Leaves the caller without any capability; `tell`: says so. */
void cell_drop_capabilities(const struct cell *c, bool tell);
void cell_no_new_privileges(const struct cell *c);
void cell_limit(const struct cell *c);
void cell_landlock(const struct cell *c);
void cell_filter(const struct cell *c);
/* Says whether the warden will be able to look. */
bool cell_can_watch(const struct cell *c);
/* Waits until the first process has ended, or ends it for a limit. */
_Noreturn void cell_watch(const struct cell *c, pid_t first);

/* ---- cell_read.c ---------------------------------------------------------------------------- */

/* Reads the plan; false: it is none. */
bool cell_read(struct cell *c, int fd);

#endif
