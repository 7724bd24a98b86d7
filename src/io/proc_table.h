/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at the processes of this machine, out of /proc: who is whose child, in which session, and
 * with which mark in its environment. What it says was true a moment ago; before a signal is sent
 * the process is looked at again, through a descriptor that cannot come to mean another one.
 */
#ifndef FER_PROC_TABLE_H
#define FER_PROC_TABLE_H

#include <ferrule/common.h>
#include <sys/types.h>

#define FER_MARK_TEXT 80 /* bytes of a mark: "pid.start.random" and NUL */

typedef struct fer_proc {
    pid_t pid;
    pid_t parent;
    pid_t group;
    pid_t session;
    char state;     /* as in /proc: 'R', 'S', 'T', 'Z' ... */
    uint64_t start; /* clock ticks since the machine started */
    char mark[FER_MARK_TEXT];
    /* For whoever looks for a tree: */
    bool taken; /* it belongs to it, or may */
    bool ours;  /* it does */
    bool known; /* it was dead at the last look */
    bool fresh; /* it was not there at the last look */
} fer_proc;

/* All zero: an empty table. */
typedef struct fer_proc_table {
    fer_proc *rows; /* by pid */
    size_t count, cap;
} fer_proc_table;

void fer_proc_table_deinit(fer_proc_table *t);
/* Whether the mark of a process is worth reading, which costs as much as all else. */
typedef bool fer_proc_wants_mark(void *context, const fer_proc *row);
/*
 * Reads all processes that started at `since` or later, this one left out; their marks, where
 * `wants` is NULL or says so. False: not all could be read, for want of memory or of /proc.
 */
bool fer_proc_table_read(fer_proc_table *t, uint64_t since, fer_proc_wants_mark *wants,
                         void *context);

/* Reads those that have a mark. Marks are looked for first, so that all others cost half. */
bool fer_proc_table_read_marked(fer_proc_table *t);

/* The row of a process, or NULL. */
fer_proc *fer_proc_table_find(const fer_proc_table *t, pid_t pid);
/* Whether the very same process is in the table. */
bool fer_proc_table_has(const fer_proc_table *t, const fer_proc *row);
/* A row more, at the end; NULL: no memory. */
fer_proc *fer_proc_table_add(fer_proc_table *t);

/* One process, without its mark. False: there is none. */
bool fer_proc_read(pid_t pid, fer_proc *out);
/* Whether the process that began then is no more. What cannot be told (/proc hides it, no
 * descriptor is left) is a process that lives. */
bool fer_proc_is_gone(pid_t pid, uint64_t start);
/* The value of FER_PROCESS_MARK in its environment; empty where there is none to be read. */
void fer_proc_read_mark(pid_t pid, char mark[FER_MARK_TEXT]);
/* Calls `see` with each child of this process. False: /proc does not say. */
bool fer_proc_children(void (*see)(void *context, pid_t child), void *context);
/* Sends a signal to the very process that was seen. */
void fer_proc_signal(const fer_proc *seen, int signal);

static inline bool fer_proc_is_dead(const fer_proc *r)
{
    return r->state == 'Z' || r->state == 'X';
}

#endif
