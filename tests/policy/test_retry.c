/* SPDX-License-Identifier: Apache-2.0 */
/* Who decides an effect; the table of retries, cell by cell; waits, budgets, reasons. */
#include "effect.h"
#include "retry.h"
#include "rows.h"

/* ---- effects --------------------------------------------------------------------------------- */

#define PURE     FER_EFFECT_PURE
#define IDEM     FER_EFFECT_IDEMPOTENT_WRITE
#define WRITE    FER_EFFECT_NON_IDEMPOTENT_WRITE
#define EXTERNAL FER_EFFECT_EXTERNAL_SIDE_EFFECTS

static const struct effect_row {
    const char *name;
    fer_effect_said said;
    fer_effect effect;
    fer_effect_source by;
} effect_rows[] = {
    {"the operator decides",
     {.has_operator = true, .by_operator = WRITE, .has_record = true, .by_record = PURE},
     WRITE,
     FER_EFFECT_BY_OPERATOR},
    {"the operator may loosen what a server says",
     {.has_operator = true, .by_operator = PURE, .foreign = true},
     PURE,
     FER_EFFECT_BY_OPERATOR},
    {"the record is next",
     {.has_record = true, .by_record = IDEM, .read_only = true},
     IDEM,
     FER_EFFECT_BY_RECORD},
    {"the record of a stranger is not believed",
     {.has_record = true, .by_record = PURE, .foreign = true},
     EXTERNAL,
     FER_EFFECT_BY_DEFAULT},
    {"that of a trusted server is",
     {.has_record = true, .by_record = PURE, .foreign = true, .trusted = true},
     PURE,
     FER_EFFECT_BY_RECORD},
    {"readOnlyHint of a trusted server",
     {.read_only = true, .foreign = true, .trusted = true},
     PURE,
     FER_EFFECT_BY_ANNOTATIONS},
    {"readOnlyHint of a stranger",
     {.read_only = true, .foreign = true},
     EXTERNAL,
     FER_EFFECT_BY_DEFAULT},
    {"idempotentHint", {.idempotent = true}, IDEM, FER_EFFECT_BY_ANNOTATIONS},
    {"a hint that warns counts before one that calms",
     {.read_only = true, .destructive = true},
     EXTERNAL,
     FER_EFFECT_BY_ANNOTATIONS},
    {"openWorldHint", {.open_world = true}, EXTERNAL, FER_EFFECT_BY_ANNOTATIONS},
    {"a file that says nothing", {0}, WRITE, FER_EFFECT_BY_DEFAULT},
    {"a stranger that says nothing", {.foreign = true}, EXTERNAL, FER_EFFECT_BY_DEFAULT},
};

static void run_effect(const struct effect_row *row)
{
    fer_effect_source by;
    assert_int_equal(fer_effect_settle(&row->said, &by), row->effect);
    assert_int_equal(by, row->by);
    for (int i = PURE; i <= (int)EXTERNAL; i++) /* an invocation only tightens */
        assert_true(fer_effect_stricter(row->effect, (fer_effect)i) >= row->effect);
}

/* ---- the table: Y again, N not, 1 once, T if told, P unless pure is off ------------------------
 */

static const struct table_row {
    const char *name;
    fer_effect effect;
    bool keyed;
    const char *cells; /* P0 to P3 */
} table_rows[] = {
    {"Pure", PURE, false, "PPPN"},
    {"Pure with a key", PURE, true, "PPPN"},
    {"IdempotentWrite with a key", IDEM, true, "YYYN"},
    {"IdempotentWrite without one", IDEM, false, "YTNN"},
    {"NonIdempotentWrite", WRITE, false, "YTNN"},
    {"NonIdempotentWrite with a key", WRITE, true, "YTNN"},
    {"ExternalSideEffects", EXTERNAL, false, "1NNN"},
    {"ExternalSideEffects with a key", EXTERNAL, true, "1NNN"},
};

static void run_table(const struct table_row *row)
{
    for (int phase = 0; phase <= FER_PHASE_DEFINITE; phase++) {
        for (int bits = 0; bits < 4; bits++) {
            for (unsigned attempts = 1; attempts <= 3; attempts++) {
                fer_retry_policy p = {.not_processed = bits & 1, .pure_never = bits & 2};
                char cell = row->cells[phase];
                bool want = cell == 'Y' || (cell == '1' && attempts == 1) ||
                            (cell == 'T' && (bits & 1)) || (cell == 'P' && !(bits & 2));
                assert_int_equal(
                    fer_retry_table(&p, row->effect, row->keyed, (fer_phase)phase, attempts), want);
            }
        }
    }
}

/* ---- the decision ------------------------------------------------------------------------------
 */

static const fer_retry_policy plain, steady = {.steady = true}, five = {.attempts = 9};
static const fer_retry_budget full, low = {.spent = FER_RETRY_TOKENS_LOW};

static const struct decide_row {
    const char *name;
    fer_retry_case c;
    fer_retry_why why;
    int64_t least, most; /* of the wait */
} decide_rows[] = {
    {"again",
     {.policy = &plain,
      .budget = &full,
      .passing = true,
      .attempts = 1,
      .rest_ms = 1000,
      .random = UINT64_MAX},
     FER_RETRY_YES,
     0,
     100},
    {"the bound doubles",
     {.policy = &steady, .budget = &full, .passing = true, .attempts = 2, .rest_ms = 1000},
     FER_RETRY_YES,
     200,
     200},
    {"and has an end",
     {.policy = &(const fer_retry_policy){.steady = true, .attempts = 5, .backoff_max_ms = 300},
      .budget = &full,
      .passing = true,
      .attempts = 4,
      .rest_ms = 1000},
     FER_RETRY_YES,
     300,
     300},
    {"full jitter may be nothing",
     {.policy = &plain,
      .budget = &full,
      .passing = true,
      .attempts = 1,
      .rest_ms = 1000,
      .random = 0},
     FER_RETRY_YES,
     0,
     0},
    {"Retry-After",
     {.policy = &plain,
      .budget = &full,
      .passing = true,
      .attempts = 1,
      .rest_ms = 1000,
      .retry_after_ms = 700},
     FER_RETRY_YES,
     700,
     700},
    {"Retry-After does not fit",
     {.policy = &plain,
      .budget = &full,
      .passing = true,
      .attempts = 1,
      .rest_ms = 700,
      .retry_after_ms = 700},
     FER_RETRY_TIME,
     0,
     0},
    {"often enough",
     {.policy = &plain, .budget = &full, .passing = true, .attempts = 3, .rest_ms = 1000},
     FER_RETRY_TRIED,
     0,
     0},
    {"nobody may ask for more than five",
     {.policy = &five, .budget = &full, .passing = true, .attempts = 5, .rest_ms = 10000},
     FER_RETRY_TRIED,
     0,
     0},
    {"five are fine",
     {.policy = &five, .budget = &full, .passing = true, .attempts = 4, .rest_ms = 10000},
     FER_RETRY_YES,
     0,
     800},
    {"the budget is spent",
     {.policy = &plain, .budget = &low, .passing = true, .attempts = 1, .rest_ms = 1000},
     FER_RETRY_BUDGET,
     0,
     0},
    {"committed",
     {.policy = &plain,
      .budget = &full,
      .passing = true,
      .committed = true,
      .attempts = 1,
      .rest_ms = 1000},
     FER_RETRY_COMMITTED,
     0,
     0},
    {"it would fail again",
     {.policy = &plain, .budget = &full, .attempts = 1, .rest_ms = 1000},
     FER_RETRY_CODE,
     0,
     0},
    {"a write, and nobody knows",
     {.policy = &plain,
      .budget = &full,
      .passing = true,
      .effect = WRITE,
      .phase = FER_PHASE_AMBIGUOUS,
      .attempts = 1,
      .rest_ms = 1000},
     FER_RETRY_EFFECT,
     0,
     0},
};

static void run_decide(const struct decide_row *row)
{
    int64_t wait = -1;
    assert_int_equal(fer_retry_decide(&row->c, &wait), row->why);
    if (row->why != FER_RETRY_YES) return;
    assert_true(wait >= row->least && wait <= row->most);
}

/* In an outage, retries are a tenth of the calls at most once there are a hundred. */
static void an_outage_is_no_storm(void)
{
    fer_retry_budget b = {0};
    size_t sent = 0;
    for (size_t call = 0; call < 100; call++) {
        fer_retry_case c = {.policy = &plain, .budget = &b, .passing = true, .rest_ms = 10000};
        int64_t wait;
        do {
            sent++;
            c.attempts++;
            fer_retry_failed(&b);
        } while (fer_retry_decide(&c, &wait) == FER_RETRY_YES);
    }
    assert_true(sent <= 110);
    for (int i = 0; i < 10; i++) fer_retry_succeeded(&b);
    assert_false(fer_retry_allowed(&b)); /* a tenth for each success */
    for (int i = 0; i < 100; i++) fer_retry_succeeded(&b);
    assert_true(fer_retry_allowed(&b));
    assert_int_equal(b.spent, 0);
}

int main(void)
{
    int failed = ROWS_RUN("effects", effect_rows, run_effect);
    failed += ROWS_RUN("table", table_rows, run_table);
    failed += ROWS_RUN("decisions", decide_rows, run_decide);
    failed += ROWS_ONE("budget", an_outage_is_no_storm);
    return failed != 0;
}
