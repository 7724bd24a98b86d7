/* SPDX-License-Identifier: Apache-2.0 */
#include "retry.h"

const char *const fer_retry_reasons[FER_RETRY_OWNER + 1] = {
    [FER_RETRY_YES] = "yes",           [FER_RETRY_EFFECT] = "effect",
    [FER_RETRY_CODE] = "failure",      [FER_RETRY_COMMITTED] = "committed",
    [FER_RETRY_TRIED] = "maxAttempts", [FER_RETRY_BUDGET] = "budget",
    [FER_RETRY_TIME] = "time",         [FER_RETRY_OWNER] = "owner",
};

/* ---- the budget ------------------------------------------------------------------------------ */

void fer_retry_failed(fer_retry_budget *b)
{
    b->spent += FER_RETRY_FAILURE;
    if (b->spent > FER_RETRY_TOKENS) b->spent = FER_RETRY_TOKENS;
}

void fer_retry_succeeded(fer_retry_budget *b)
{
    b->spent -= FER_RETRY_SUCCESS;
    if (b->spent < 0) b->spent = 0;
}

bool fer_retry_allowed(const fer_retry_budget *b)
{
    return FER_RETRY_TOKENS - b->spent > FER_RETRY_TOKENS_LOW;
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef enum cell {
    NO,
    YES,
    ONCE,    /* one further attempt */
    IF_TOLD, /* where retryOn has not-processed */
    IF_PURE  /* unless pure tools are never tried again */
} cell;

enum {
    ROW_PURE,
    ROW_KEYED,
    ROW_WRITE,
    ROW_EXTERNAL,
    ROW_COUNT
};

/* RELIABILITY 5.3, cell by cell. */
static const cell table[ROW_COUNT][FER_PHASE_DEFINITE + 1] = {
    /*                P0       P1       P2       P3 */
    [ROW_PURE] = {IF_PURE, IF_PURE, IF_PURE, NO},
    [ROW_KEYED] = {YES, YES, YES, NO},
    [ROW_WRITE] = {YES, IF_TOLD, NO, NO},
    [ROW_EXTERNAL] = {ONCE, NO, NO, NO},
};

static int row_of(fer_effect effect, bool keyed)
{
    switch (effect) {
    case FER_EFFECT_PURE: return ROW_PURE;
    case FER_EFFECT_IDEMPOTENT_WRITE: return keyed ? ROW_KEYED : ROW_WRITE;
    case FER_EFFECT_NON_IDEMPOTENT_WRITE: return ROW_WRITE;
    default: return ROW_EXTERNAL;
    }
}

bool fer_retry_table(const fer_retry_policy *p, fer_effect effect, bool keyed, fer_phase phase,
                     unsigned attempts)
{
    switch (table[row_of(effect, keyed)][phase]) {
    case YES: return true;
    case ONCE: return attempts <= 1;
    case IF_TOLD: return p->not_processed;
    case IF_PURE: return !p->pure_never;
    default: return false;
    }
}

/* ---- the wait -------------------------------------------------------------------------------- */

static int64_t bound_of(const fer_retry_policy *p, unsigned attempts)
{
    int64_t bound = p->backoff_ms > 0 ? p->backoff_ms : FER_RETRY_BACKOFF_MS;
    int64_t max = p->backoff_max_ms > 0 ? p->backoff_max_ms : FER_RETRY_BACKOFF_MAX_MS;
    for (unsigned i = 1; i < attempts && bound < max; i++) bound *= 2;
    return bound < max ? bound : max;
}

static unsigned attempts_of(const fer_retry_policy *p)
{
    unsigned n = p->attempts ? p->attempts : FER_RETRY_ATTEMPTS;
    return n < FER_RETRY_ATTEMPTS_MAX ? n : FER_RETRY_ATTEMPTS_MAX;
}

fer_retry_why fer_retry_decide(const fer_retry_case *c, int64_t *wait_ms)
{
    int64_t bound = bound_of(c->policy, c->attempts);
    int64_t wait = c->policy->steady ? bound : (int64_t)(c->random % ((uint64_t)bound + 1));
    if (c->committed) return FER_RETRY_COMMITTED;
    if (!c->passing) return FER_RETRY_CODE;
    if (c->owned) return FER_RETRY_OWNER;
    if (!fer_retry_table(c->policy, c->effect, c->keyed, c->phase, c->attempts))
        return FER_RETRY_EFFECT;
    if (c->attempts >= attempts_of(c->policy)) return FER_RETRY_TRIED;
    if (!fer_retry_allowed(c->budget)) return FER_RETRY_BUDGET;
    if (c->retry_after_ms > 0) wait = c->retry_after_ms; /* no sooner, and no jitter on top */
    if (wait >= c->rest_ms) return FER_RETRY_TIME;
    *wait_ms = wait;
    return FER_RETRY_YES;
}
