/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that wait for their turn at one backend. The queue is bounded in length and in age, and
 * fair between tenants: whoever is next is found by deficit round robin over their lanes, by
 * weight. Where calls have waited long (more than half of what they may) the newest of a lane goes
 * first, as the old ones will hardly be in time. A full queue makes room for a tenant that has
 * fewer waiting than the one with most: the newest of that one must go.
 *
 * The waiters are the caller's; lanes are from the heap. Pure but for that: the time is given.
 */
#ifndef FER_QUEUE_H
#define FER_QUEUE_H

#include "str.h"

#define FER_QUEUE_MAX    256   /* waiting calls of one backend */
#define FER_QUEUE_AGE_MS 10000 /* that a call may wait */
#define FER_WEIGHT_MAX   1000  /* of a tenant */

typedef struct fer_waiter {
    struct fer_waiter *older, *newer;
    struct fer_lane *lane; /* NULL: it does not wait */
    int64_t entered;
} fer_waiter;

typedef struct fer_lane {
    struct fer_lane *before, *behind; /* in the ring */
    const void *tenant;               /* only compared */
    unsigned weight;
    unsigned deficit; /* calls that it may still send before the next lane's turn */
    fer_waiter *oldest, *newest;
    size_t count;
} fer_lane;

typedef struct fer_queue {
    fer_lane *turn; /* the lane whose turn it is; NULL: nobody waits */
    size_t count, lanes;
    size_t max;     /* 0: FER_QUEUE_MAX */
    int64_t age_ms; /* 0: FER_QUEUE_AGE_MS */
} fer_queue;

typedef enum fer_queued {
    FER_QUEUED,
    FER_QUEUE_FULL,
    FER_QUEUE_NO_MEMORY
} fer_queued;

/*
 * Puts a waiter into the lane of its tenant. `*gone` is one that had to make room, no longer in the
 * queue; or NULL.
 */
fer_queued fer_queue_push(fer_queue *q, fer_waiter *w, const void *tenant, unsigned weight,
                          int64_t now, fer_waiter **gone);
/* Takes the next one that `may` lets go; NULL: none may. */
typedef bool fer_queue_may(void *context, fer_waiter *w);
fer_waiter *fer_queue_pop(fer_queue *q, fer_queue_may *may, void *context, int64_t now);
/* It waits no longer, for whatever reason. */
void fer_queue_remove(fer_queue *q, fer_waiter *w);
/* How long one more call of the tenant would wait, ms: calls take `service_us` and `slots` run at
 * once. */
int64_t fer_queue_estimate(const fer_queue *q, const void *tenant, int64_t service_us,
                           size_t slots);
int64_t fer_queue_age_ms(const fer_queue *q);

#endif
