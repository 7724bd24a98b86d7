/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many calls in how much time: a bucket of tokens that fills evenly (as the time at which the
 * next call would be due, GCRA), and a budget of calls in a window or for good. Asking takes
 * nothing, so that several limits can be asked before one is charged. Pure: the time is given, in
 * nanoseconds of a clock that never goes back; it may stand still.
 */
#ifndef FER_RATE_H
#define FER_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fer_rate_limit {
    int64_t requests; /* 0: there is no limit */
    int64_t per_ms;
    int64_t burst; /* at once; 0: as many as requests */
} fer_rate_limit;

typedef struct fer_rate {
    int64_t due; /* when the bucket is full again */
} fer_rate;

/* Whether a call may be made now; else when, in ms from now and at least 1, in `*after_ms`. */
bool fer_rate_ask(const fer_rate *r, const fer_rate_limit *l, int64_t now, int64_t *after_ms);
/* The call is made. */
void fer_rate_take(fer_rate *r, const fer_rate_limit *l, int64_t now);
/* The call was not made after all. */
void fer_rate_give(fer_rate *r, const fer_rate_limit *l);
/* Tokens that are left, to be shown. */
int64_t fer_rate_left(const fer_rate *r, const fer_rate_limit *l, int64_t now);

typedef struct fer_budget_limit {
    int64_t calls;  /* 0: there is no limit */
    int64_t per_ms; /* 0: in all */
} fer_budget_limit;

typedef struct fer_budget {
    int64_t began;
    int64_t calls; /* in this window */
} fer_budget;

/* The same for a budget; `*after_ms` is 0 where it is spent for good. */
bool fer_budget_ask(const fer_budget *b, const fer_budget_limit *l, int64_t now, int64_t *after_ms);
void fer_budget_take(fer_budget *b, const fer_budget_limit *l, int64_t now);
/* The same for one that was taken `then`: of a window that is over nothing is given back. */
void fer_budget_give(fer_budget *b, const fer_budget_limit *l, int64_t then);

#endif
