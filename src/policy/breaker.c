/* SPDX-License-Identifier: Apache-2.0 */
#include "breaker.h"

#include <string.h>

#define MS     INT64_C(1000000) /* ns */
#define SECOND (1000 * MS)

const char *const fer_circuit_names[FER_BREAKER_OPEN + 1] = {
    [FER_BREAKER_CLOSED] = "closed",
    [FER_BREAKER_HALF_OPEN] = "half-open",
    [FER_BREAKER_OPEN] = "open",
};

/* ---- the window ------------------------------------------------------------------------------ */

static void count(fer_breaker *b, bool failed, bool slow, int64_t now)
{
    int64_t second = now / SECOND;
    size_t at = (size_t)(second % FER_BREAKER_WINDOW_S);
    if (b->seconds[at].second != second) {
        b->seconds[at].second = second;
        b->seconds[at].all = b->seconds[at].failed = b->seconds[at].slow = 0;
    }
    b->seconds[at].all++;
    b->seconds[at].failed += failed;
    b->seconds[at].slow += slow;
}

static bool is_bad(const fer_breaker *b, const fer_breaker_limit *l, int64_t now)
{
    uint64_t all = 0, failed = 0, slow = 0;
    int64_t oldest = now / SECOND - FER_BREAKER_WINDOW_S + 1;
    if (b->row >= (l->failures ? l->failures : FER_BREAKER_ROW)) return true;
    for (size_t i = 0; i < FER_BREAKER_WINDOW_S; i++) {
        if (b->seconds[i].second < oldest) continue;
        all += b->seconds[i].all;
        failed += b->seconds[i].failed;
        slow += b->seconds[i].slow;
    }
    if (all < FER_BREAKER_LEAST) return false;
    return failed * 100 >= all * FER_BREAKER_FAILED || slow * 100 >= all * FER_BREAKER_SLOW;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* 5 s, 10 s, 20 s ... 60 s, each a fifth more or less. */
static void open_it(fer_breaker *b, const fer_breaker_limit *l, int64_t now, uint64_t random)
{
    int64_t ms = l->open_ms > 0 ? l->open_ms : FER_BREAKER_OPEN_MS;
    int64_t most = ms > FER_BREAKER_OPEN_MAX_MS ? ms : FER_BREAKER_OPEN_MAX_MS;
    for (unsigned i = 0; i < b->times && ms < most; i++) ms *= 2;
    if (ms > most) ms = most;
    int64_t fifth = ms * MS / 5;
    b->until = now + ms * MS - fifth + (int64_t)(random % (uint64_t)(2 * fifth + 1));
    b->state = FER_BREAKER_OPEN;
    b->times++;
    b->probe = 0;
    b->successes = 0;
}

static void close_it(fer_breaker *b)
{
    memset(b, 0, sizeof *b);
}

static int64_t ms_until(int64_t when, int64_t now)
{
    return when - now <= MS ? 1 : (when - now + MS - 1) / MS;
}

fer_breaker_answer fer_breaker_ask(fer_breaker *b, const fer_breaker_limit *l, bool pure,
                                   int64_t probe_ms, int64_t now, int64_t *after_ms)
{
    if (l->off || b->state == FER_BREAKER_CLOSED) return FER_BREAKER_PASS;
    if (b->state == FER_BREAKER_OPEN) {
        *after_ms = ms_until(b->until, now);
        if (now < b->until) return FER_BREAKER_REFUSE;
        b->state = FER_BREAKER_HALF_OPEN;
        b->probe = 0;
        b->successes = 0;
    }
    *after_ms = b->probe ? ms_until(b->probe, now) : 1;
    if (b->probe && now < b->probe) return FER_BREAKER_REFUSE;
    b->probe = now + (probe_ms > 0 ? probe_ms : 1) * MS;
    return pure ? FER_BREAKER_AS_PROBE : FER_BREAKER_ASK;
}

static bool tell_probe(fer_breaker *b, const fer_breaker_limit *l, fer_breaker_outcome outcome,
                       int64_t now, uint64_t random)
{
    b->probe = 0;
    if (outcome == FER_BREAKER_FAILURE) {
        open_it(b, l, now, random);
        return true;
    }
    b->successes += outcome == FER_BREAKER_OK;
    if (b->successes < FER_BREAKER_PROBES) return false;
    close_it(b);
    return true;
}

bool fer_breaker_tell(fer_breaker *b, const fer_breaker_limit *l, fer_breaker_outcome outcome,
                      int64_t took_ms, bool probe, int64_t now, uint64_t random)
{
    if (l->off) return false;
    if (probe && b->state == FER_BREAKER_HALF_OPEN) return tell_probe(b, l, outcome, now, random);
    if (outcome == FER_BREAKER_NEITHER || b->state != FER_BREAKER_CLOSED)
        return false; /* what began before it opened says nothing new */
    bool failed = outcome == FER_BREAKER_FAILURE;
    b->row = failed ? b->row + 1 : 0;
    count(b, failed, took_ms >= (l->slow_ms > 0 ? l->slow_ms : FER_BREAKER_SLOW_MS), now);
    if (!is_bad(b, l, now)) return false;
    open_it(b, l, now, random);
    return true;
}
