/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a failed attempt is made again, and when: by the effect of the tool and by how far the
 * attempt had come (RELIABILITY 5.3). The wait is random up to a bound that doubles (full jitter);
 * a backend that names a pause gets it. Each backend has a budget of retries, so that an outage is
 * not answered by a storm. Pure: time and chance are given.
 */
#ifndef FER_RETRY_H
#define FER_RETRY_H

#include <ferrule/contract.h>

#include "runner.h"

#define FER_RETRY_ATTEMPTS       3    /* tries in all */
#define FER_RETRY_ATTEMPTS_MAX   5    /* that anybody may ask for */
#define FER_RETRY_BACKOFF_MS     100  /* bound of the first wait */
#define FER_RETRY_BACKOFF_MAX_MS 5000 /* bound of any wait */

typedef struct fer_retry_policy {
    unsigned attempts;                  /* 0: FER_RETRY_ATTEMPTS */
    int64_t backoff_ms, backoff_max_ms; /* 0: as above */
    bool not_processed; /* a write whose backend says that it did nothing is made again */
    bool pure_never;    /* the literal rule of S3: only writes with a key are */
    bool steady;        /* without jitter: the whole bound is waited */
} fer_retry_policy;

/* ---- the budget of one backend --------------------------------------------------------------- */

#define FER_RETRY_TOKENS     100 /* tenths: ten tokens when it is full */
#define FER_RETRY_FAILURE    10  /* tenths that a failure takes */
#define FER_RETRY_SUCCESS    1   /* tenths that a success gives back */
#define FER_RETRY_TOKENS_LOW 50  /* tenths; only above it there are retries */

typedef struct fer_retry_budget {
    int spent; /* tenths; 0: it is full */
} fer_retry_budget;
void fer_retry_failed(fer_retry_budget *b);
void fer_retry_succeeded(fer_retry_budget *b);
bool fer_retry_allowed(const fer_retry_budget *b);

/* ---- the decision ------------------------------------------------------------------------------
 */

typedef enum fer_retry_why {
    FER_RETRY_YES,
    FER_RETRY_EFFECT,    /* the effect forbids it, so late */
    FER_RETRY_CODE,      /* nothing would change: the failure is not of the kind that passes */
    FER_RETRY_COMMITTED, /* the caller has seen a part */
    FER_RETRY_TRIED,     /* often enough */
    FER_RETRY_BUDGET,    /* the backend's budget is spent */
    FER_RETRY_TIME,      /* the wait does not fit what is left */
    FER_RETRY_OWNER      /* somebody above tries again */
} fer_retry_why;
extern const char *const fer_retry_reasons[FER_RETRY_OWNER + 1]; /* "yes", "effect" ... */

#define FER_RETRY_OWNER_NAME "ferrule" /* as backends are told who tries again */

typedef struct fer_retry_case {
    const fer_retry_policy *policy;
    const fer_retry_budget *budget;
    fer_effect effect;
    bool keyed; /* the backend gets an idempotency key */
    fer_phase phase;
    bool passing; /* the row of the failure's code says retryable */
    bool committed;
    bool owned;        /* by somebody above, who tries again (5.3): layers do not multiply */
    unsigned attempts; /* made so far */
    int64_t rest_ms;   /* left of the call's time */
    int64_t retry_after_ms;
    uint64_t random;
} fer_retry_case;

/* Whether the table of effects and phases allows another attempt at all. */
bool fer_retry_table(const fer_retry_policy *p, fer_effect effect, bool keyed, fer_phase phase,
                     unsigned attempts);
/* FER_RETRY_YES: after `*wait_ms`. */
fer_retry_why fer_retry_decide(const fer_retry_case *c, int64_t *wait_ms);

#endif
