/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

bool fer_trace_open(fer_trace *t, fer_unit *up, fer_unit **out)
{
    *out = NULL;
    if (t->count == FER_TRACE_UNITS || (t->count && !up)) {
        t->cut = true;
        return true;
    }
    fer_unit *u = t->free;
    if (u) {
        t->free = u->next;
    } else {
        u = fer_arena_alloc(t->arena, sizeof *u);
        if (!u) return false;
    }
    *u = (fer_unit){.up = up};
    t->count++;
    if (up) {
        u->before = up->last;
        if (up->last) up->last->next = u;
        if (!up->first) up->first = u;
        up->last = u;
    } else {
        t->root = u;
    }
    *out = u;
    return true;
}

static bool copy_one(fer_trace *t, const fer_unit *from, fer_unit *up, fer_unit **out)
{
    if (!fer_trace_open(t, up, out)) return false;
    fer_unit *u = *out;
    if (!u) return true;
    fer_unit links = *u;
    *u = *from;
    u->up = links.up;
    u->before = links.before;
    u->next = u->first = u->last = NULL;
    return true;
}

/* A walk over both without a stack; it ends where there are too many units. */
bool fer_trace_copy(fer_trace *t, const fer_unit *from, fer_unit *to)
{
    const fer_unit *f = from;
    for (fer_unit *at = to;;) {
        if (f->first) {
            f = f->first;
        } else {
            while (f != from && !f->next) {
                f = f->up;
                at = at->up;
            }
            if (f == from) return true;
            f = f->next;
            at = at->up;
        }
        if (!copy_one(t, f, at, &at)) return false;
        if (!at) return true;
    }
}

/* Puts a unit and all below it on the free list. A walk without a stack: the next to go is
 * always the deepest last one. */
static void release(fer_trace *t, fer_unit *u)
{
    fer_unit *at = u;
    for (;;) {
        if (at->last) {
            fer_unit *child = at->last;
            at->last = child->before;
            at = child;
            continue;
        }
        fer_unit *up = at->up;
        t->count--;
        at->next = t->free;
        t->free = at;
        if (at == u) return;
        at = up;
    }
}

void fer_trace_drop(fer_trace *t, fer_unit *u)
{
    fer_unit *up = u->up;
    if (u->before) u->before->next = u->next;
    if (u->next) u->next->before = u->before;
    if (up && up->first == u) up->first = u->next;
    if (up && up->last == u) up->last = u->before;
    if (!t->hold) release(t, u);
}

void fer_trace_drop_failed(fer_trace *t, fer_unit *up, fer_unit *mark)
{
    for (fer_unit *u = mark ? mark->next : up->first, *next; u; u = next) {
        next = u->next;
        if (!u->valid) fer_trace_drop(t, u);
    }
}
