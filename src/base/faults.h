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
 *
 * Several faults are joined by ';'. The environment variable FI gives the plan to
 * programs linked this way (ferrule-faults); FI=count prints how often each
 * kind was called when the program ends, so a loop knows where to stop. The
 * state is per process: any thread may be counted, but inject on one thread only.
 */
#ifndef FER_FAULTS_H
#define FER_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts counting from zero under a plan; NULL or "" injects nothing. False: the plan makes no
 * sense. */
bool fer_faults_begin(const char *plan);
/* How often a kind ("malloc", "read" ...) was called since then. */
uint64_t fer_faults_calls(const char *kind);
/* How many faults were injected since then. */
uint64_t fer_faults_injected(void);
/* Allocations that are not freed yet, since the process began. */
int64_t fer_faults_live(void);

#endif
