/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <sched.h>

void fer_gate_init(fer_gate *g, void *first)
{
    atomic_init(&g->current, first);
    atomic_init(&g->side, 0);
    atomic_init(&g->passing[0], 0);
    atomic_init(&g->passing[1], 0);
}

void *fer_gate_take(fer_gate *g, void (*count)(void *thing))
{
    unsigned side = atomic_load(&g->side) & 1;
    atomic_fetch_add(&g->passing[side], 1);
    void *thing = atomic_load(&g->current);
    count(thing);
    atomic_fetch_sub(&g->passing[side], 1);
    return thing;
}

void *fer_gate_swap(fer_gate *g, void *next)
{
    void *old = atomic_exchange(&g->current, next);
    for (int round = 0; round < 2; round++) {
        unsigned side = atomic_load(&g->side) & 1;
        atomic_store(&g->side, side ^ 1);
        while (atomic_load(&g->passing[side])) sched_yield();
    }
    return old;
}
