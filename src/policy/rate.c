/* SPDX-License-Identifier: Apache-2.0 */
#include "rate.h"

#define MS INT64_C(1000000) /* ns */

/* Time that one call is worth. */
static int64_t interval(const fer_rate_limit *l)
{
    int64_t ns = l->per_ms * MS / l->requests;
    return ns > 0 ? ns : 1;
}

/* How far the bucket may be behind: all of the burst but the call itself. */
static int64_t slack(const fer_rate_limit *l)
{
    int64_t burst = l->burst > 0 ? l->burst : l->requests, one = interval(l);
    return burst - 1 > INT64_MAX / 4 / one ? INT64_MAX / 4 : (burst - 1) * one;
}

static int64_t ms_up(int64_t ns)
{
    return ns <= 0 ? 1 : (ns + MS - 1) / MS;
}

bool fer_rate_ask(const fer_rate *r, const fer_rate_limit *l, int64_t now, int64_t *after_ms)
{
    if (l->requests <= 0 || r->due - now <= slack(l)) return true;
    *after_ms = ms_up(r->due - slack(l) - now);
    return false;
}

void fer_rate_take(fer_rate *r, const fer_rate_limit *l, int64_t now)
{
    if (l->requests <= 0) return;
    if (r->due < now) r->due = now;
    r->due += interval(l);
}

void fer_rate_give(fer_rate *r, const fer_rate_limit *l)
{
    if (l->requests > 0) r->due -= interval(l);
}

int64_t fer_rate_left(const fer_rate *r, const fer_rate_limit *l, int64_t now)
{
    if (l->requests <= 0) return INT64_MAX;
    int64_t behind = r->due > now ? r->due - now : 0, most = slack(l) + interval(l);
    return behind >= most ? 0 : (most - behind) / interval(l);
}

static bool is_over(const fer_budget *b, const fer_budget_limit *l, int64_t now)
{
    return l->per_ms > 0 && now - b->began >= l->per_ms * MS;
}

bool fer_budget_ask(const fer_budget *b, const fer_budget_limit *l, int64_t now, int64_t *after_ms)
{
    if (l->calls <= 0 || b->calls < l->calls || is_over(b, l, now)) return true;
    *after_ms = l->per_ms > 0 ? ms_up(b->began + l->per_ms * MS - now) : 0;
    return false;
}

void fer_budget_take(fer_budget *b, const fer_budget_limit *l, int64_t now)
{
    if (l->calls <= 0) return;
    if (!b->calls || is_over(b, l, now)) *b = (fer_budget){.began = now};
    b->calls++;
}

void fer_budget_give(fer_budget *b, const fer_budget_limit *l, int64_t then)
{
    if (l->calls > 0 && b->calls > 0 && b->began <= then) b->calls--;
}
