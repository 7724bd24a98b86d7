/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers that a gateway has left because it was killed: each says by a label which gateway made
 * it, and one whose gateway is not there any more is removed by the next. A gateway is known by the
 * machine's boot, its PID namespace, its number and when it began; what was made under another boot
 * or in another namespace is nobody's here, as nothing can be said of its gateway. Nor is anything
 * removed where the system does not let it be told.
 */
#ifndef FER_CONTAINER_SWEEP_H
#define FER_CONTAINER_SWEEP_H

#include "arena.h"
#include "log.h"

#define FER_SWEEP_LABEL  "ferrule.gateway"
#define FER_SWEEP_MAX    1000               /* containers that one sweep removes */
#define FER_SWEEP_LIST   ((size_t)16 << 20) /* bytes of a list: it has the programs of containers */
#define FER_SWEEP_MEMORY (FER_SWEEP_LIST * 8) /* bytes that a sweep may take: a list, read */

/* The value of that label for this process; empty: it cannot be told, and nothing is swept. */
fer_str fer_sweep_mark(fer_arena *a);
/* What the marks of all gateways begin with of which this one can tell whether they are there;
 * empty: it can of none. */
fer_str fer_sweep_place(fer_arena *a);
/* Whether the gateway of a mark was one of this place and is gone. */
bool fer_sweep_is_dead(fer_str place, fer_str mark);
/* The containers of dead gateways in an answer to GET /containers/json, by their IDs. */
fer_code fer_sweep_find(fer_arena *a, fer_str body, fer_str **ids, size_t *count, fer_err *err);
/* The event of a sweep that failed; nothing without a log. */
void fer_sweep_log(const fer_log *log, fer_str runtime, const fer_err *why);

#endif
