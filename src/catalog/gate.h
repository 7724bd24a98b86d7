/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to the newest of a row of counted things: one pointer that writers swap and readers
 * take a count through. Readers never wait for anybody; a writer waits until no reader stands
 * between reading the pointer and counting, which is a handful of instructions.
 *
 * Two counters tell who stands there. A writer sends newcomers to the other counter and waits
 * for the first to fall to zero, twice, so that a reader who was late to count himself in at
 * either of them has been waited for (as in sleepable RCU). Writers come one at a time.
 */
#ifndef FER_GATE_H
#define FER_GATE_H

#include <stdatomic.h>

typedef struct fer_gate {
    _Atomic(void *) current;
    atomic_uint side;       /* 0 or 1: the counter for newcomers */
    atomic_uint passing[2]; /* readers between reading and counting */
} fer_gate;

void fer_gate_init(fer_gate *g, void *first);
/* The newest thing, after `count` has counted the caller in. Any thread. */
void *fer_gate_take(fer_gate *g, void (*count)(void *thing));
/*
 * Puts another thing in its place and gives the old one back, once no reader can be about to
 * count it: the gate's own count of it is the caller's now.
 */
void *fer_gate_swap(fer_gate *g, void *next);

#endif
