/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <assert.h>

#include "sys.h"

#define MS INT64_C(1000000) /* ns */

int64_t fer_queue_age_ms(const fer_queue *q)
{
    return q->age_ms > 0 ? q->age_ms : FER_QUEUE_AGE_MS;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static fer_lane *lane_of(const fer_queue *q, const void *tenant)
{
    fer_lane *l = q->turn;
    for (size_t i = 0; i < q->lanes; i++, l = l->behind)
        if (l->tenant == tenant) return l;
    return NULL;
}

/* A new lane is last: its turn comes when all others had theirs. */
static fer_lane *new_lane(fer_queue *q, const void *tenant, unsigned weight)
{
    fer_lane *l = fer_sys_malloc(sizeof *l);
    if (!l) return NULL;
    weight = weight ? weight : 1;
    *l = (fer_lane){.tenant = tenant, .weight = weight, .deficit = weight};
    if (q->turn) {
        l->behind = q->turn;
        l->before = q->turn->before;
        l->before->behind = l;
        l->behind->before = l;
    } else {
        q->turn = l->before = l->behind = l;
    }
    q->lanes++;
    return l;
}

static void drop_lane(fer_queue *q, fer_lane *l)
{
    if (q->turn == l) q->turn = l->behind;
    if (q->turn == l) q->turn = NULL;
    l->before->behind = l->behind;
    l->behind->before = l->before;
    q->lanes--;
    fer_sys_free(l);
}

void fer_queue_remove(fer_queue *q, fer_waiter *w)
{
    fer_lane *l = w->lane;
    if (!l) return;
    if (w->older) w->older->newer = w->newer;
    else l->oldest = w->newer;
    if (w->newer) w->newer->older = w->older;
    else l->newest = w->older;
    w->lane = NULL;
    w->older = w->newer = NULL;
    q->count--;
    if (!--l->count) drop_lane(q, l);
}

/* ---- in -------------------------------------------------------------------------------------- */

static fer_waiter *make_room(fer_queue *q, const fer_lane *mine)
{
    fer_lane *most = q->turn, *l = q->turn;
    for (size_t i = 0; i < q->lanes; i++, l = l->behind)
        if (l->count > most->count) most = l;
    if (most->count <= (mine ? mine->count : 0) + 1) return NULL;
    fer_waiter *w = most->newest;
    fer_queue_remove(q, w);
    return w;
}

fer_queued fer_queue_push(fer_queue *q, fer_waiter *w, const void *tenant, unsigned weight,
                          int64_t now, fer_waiter **gone)
{
    size_t max = q->max ? q->max : FER_QUEUE_MAX;
    fer_lane *l = lane_of(q, tenant);
    *gone = NULL;
    if (q->count >= max && !(*gone = make_room(q, l))) return FER_QUEUE_FULL;
    if (!l) l = new_lane(q, tenant, weight);
    if (!l) return FER_QUEUE_NO_MEMORY;
    *w = (fer_waiter){.older = l->newest, .lane = l, .entered = now};
    if (l->newest) l->newest->newer = w;
    else l->oldest = w;
    l->newest = w;
    l->count++;
    q->count++;
    return FER_QUEUED;
}

/* ---- out ------------------------------------------------------------------------------------- */

static fer_waiter *candidate(const fer_queue *q, const fer_lane *l, fer_queue_may *may,
                             void *context, int64_t now)
{
    bool late = now - l->oldest->entered > fer_queue_age_ms(q) * MS / 2;
    fer_waiter *w = late ? l->newest : l->oldest;
    while (w && !may(context, w)) w = late ? w->older : w->newer;
    return w;
}

/* A lane sends as many as its weight, then the next one's turn comes. One that may not send now
 * loses its turn, not its place. */
fer_waiter *fer_queue_pop(fer_queue *q, fer_queue_may *may, void *context, int64_t now)
{
    for (size_t i = q->lanes; i > 0; i--) {
        fer_lane *l = q->turn;
        assert(l); /* there are lanes */
        fer_waiter *w = candidate(q, l, may, context, now);
        if (!w || --l->deficit == 0) {
            l->deficit = l->weight;
            q->turn = l->behind;
        }
        if (!w) continue;
        fer_queue_remove(q, w);
        return w;
    }
    return NULL;
}

int64_t fer_queue_estimate(const fer_queue *q, const void *tenant, int64_t service_us, size_t slots)
{
    const fer_lane *l = lane_of(q, tenant);
    size_t own = l ? l->count : 0, lanes = q->lanes + !l;
    size_t turns = (own + 1) * lanes < q->count + 1 ? (own + 1) * lanes : q->count + 1;
    return (int64_t)turns * service_us / (int64_t)(slots ? slots : 1) / 1000;
}
