/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection behind the seam, for tests only: linked in place of
 * seam_plain.c. A plan says which call of which kind fails, and how:
 *
 *     malloc@17            the 17th allocation fails
 *     malloc@17+           and so do all later ones
 *     read:EIO@2           the 2nd read fails with that errno
 *     write:short=3@1+     every write takes at most 3 bytes
 *     clock:+3600s@4+      from the 4th reading on the clock is an hour ahead
 *     wall:-3600s@2+       the wall clock alone is set back
 *     fsync:kill@3         the process is killed (SIGKILL) at the 3rd sync
 *     write:torn=100@3     it is killed when 100 bytes of the 3rd write are written
 *     fsync:delay=300@1+   every sync takes 300 ms longer
 *
 * Several faults are joined by ';'. The environment variable FI gives the plan to
 * programs linked this way (ferrule-faults); FI=count prints how often each
 * kind was called when the program ends, so a loop knows where to stop. The
 * state is per process: any thread may be counted, but inject on one thread only.
 */
#ifndef FER_FAULTS_H
#define FER_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts counting from zero under a plan; NULL or "" injects nothing. False: the plan makes no
 * sense. */
bool fer_faults_begin(const char *plan);
/* How often a kind ("malloc", "read" ...) was called since then. */
uint64_t fer_faults_calls(const char *kind);
/* How many faults were injected since then. */
uint64_t fer_faults_injected(void);
/*
 * Has every change to files that fer_sys_openat has opened told, when it has happened: what a test
 * needs to make the states that a disk may be in after a loss of power. NULL ends it. The watcher
 * is called on the thread that makes the change.
 */
struct fer_faults_op {
    enum {
        FER_OP_OPEN,   /* fd, name */
        FER_OP_WRITE,  /* fd, bytes, size, at */
        FER_OP_SYNC,   /* fd */
        FER_OP_SIZE,   /* fd, size: cut or grown */
        FER_OP_ROOM,   /* fd, size: grown, if it was shorter */
        FER_OP_RENAME, /* name, to */
        FER_OP_UNLINK  /* name */
    } kind;
    int fd;
    const char *name, *to;
    const void *bytes;
    size_t size;
    uint64_t at;
};
typedef void fer_faults_see(void *context, const struct fer_faults_op *op);
void fer_faults_watch(fer_faults_see *see, void *context);
/*
 * For code that makes its system calls itself, such as SQLite: counts a call of that kind before it
 * is made, and does what is planned for it. 0, or the errno to fail with; `*size` (or NULL) is cut,
 * and `*dies` (or NULL) says that the process is to be killed once that much was done.
 */
int fer_faults_pass(const char *kind, size_t *size, bool *dies);
/* Tells the watcher of a change that was made elsewhere. */
void fer_faults_tell(const struct fer_faults_op *op);
/* Allocations that are not freed yet, since the process began. */
int64_t fer_faults_live(void);

#endif
