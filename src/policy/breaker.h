/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A circuit breaker (RELIABILITY 5.6): a backend that fails too often is left alone for a while,
 * then tried by one probe at a time, which is never a write. Pure: time (ns, never back) and chance
 * are given. The life of it: closed -> open -> half-open -> closed, or open again for longer.
 */
#ifndef FER_BREAKER_H
#define FER_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#define FER_BREAKER_WINDOW_S    10    /* seconds that are looked at */
#define FER_BREAKER_LEAST       10    /* outcomes in them before shares count */
#define FER_BREAKER_FAILED      50    /* percent of failures that open it */
#define FER_BREAKER_SLOW        80    /* percent of slow ones that open it */
#define FER_BREAKER_ROW         5     /* failures in a row that open it */
#define FER_BREAKER_SLOW_MS     10000 /* from when on an attempt is slow */
#define FER_BREAKER_OPEN_MS     5000  /* how long it is open at first; doubles */
#define FER_BREAKER_OPEN_MAX_MS 60000
#define FER_BREAKER_PROBES      2 /* successes that close it */

typedef struct fer_breaker_limit {
    bool off;
    unsigned failures; /* in a row; 0: FER_BREAKER_ROW, and so below */
    int64_t open_ms;
    int64_t slow_ms;
} fer_breaker_limit;

typedef enum fer_circuit {
    FER_BREAKER_CLOSED,
    FER_BREAKER_HALF_OPEN,
    FER_BREAKER_OPEN
} fer_circuit;
extern const char *const fer_circuit_names[FER_BREAKER_OPEN + 1]; /* "closed" ... */

typedef struct fer_breaker {
    fer_circuit state;
    struct {
        int64_t second;
        uint32_t all, failed, slow;
    } seconds[FER_BREAKER_WINDOW_S];
    unsigned row;       /* failures since the last success */
    unsigned times;     /* it opened since it was last closed */
    int64_t until;      /* open so long */
    int64_t probe;      /* half-open: a probe is under way until then at the latest; 0: none */
    unsigned successes; /* of probes */
} fer_breaker;

typedef enum fer_breaker_answer {
    FER_BREAKER_PASS,
    FER_BREAKER_AS_PROBE, /* it may be made, and its outcome counts as a probe's */
    FER_BREAKER_ASK,      /* refused; but somebody should probe the backend by other means */
    FER_BREAKER_REFUSE
} fer_breaker_answer;

/*
 * Whether a call may be made. `pure`: it can be a probe; `probe_ms`: and then has so much time. A
 * refusal says in `*after_ms` when to come again, at least 1. FER_BREAKER_AS_PROBE and
 * FER_BREAKER_ASK note a probe that fer_breaker_tell is to be told about; one that never ends is
 * given up after its time.
 */
fer_breaker_answer fer_breaker_ask(fer_breaker *b, const fer_breaker_limit *l, bool pure,
                                   int64_t probe_ms, int64_t now, int64_t *after_ms);

/* How an attempt ended, as far as the breaker cares. */
typedef enum fer_breaker_outcome {
    FER_BREAKER_OK,
    FER_BREAKER_FAILURE, /* P0, P1 of 503, P2 */
    FER_BREAKER_NEITHER  /* P3, a cancel, a limit shorter than the tool's own: says nothing */
} fer_breaker_outcome;
/* `probe`: the attempt was one. Returns whether the state has changed. */
bool fer_breaker_tell(fer_breaker *b, const fer_breaker_limit *l, fer_breaker_outcome outcome,
                      int64_t took_ms, bool probe, int64_t now, uint64_t random);

#endif
