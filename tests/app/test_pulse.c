/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of calls and refusals: how much of it at most, and without memory. */
#include "pulse.h"

#include "errors.h"
#include "rows.h"

#define NOW INT64_C(1800000000000)

static void end_call(fer_pulse *p, const char *backend, fer_code code, int64_t now)
{
    fer_envelope e = {.tool_id = FER_STR("n:x"),
                      .definition = FER_STR("{}"),
                      .origin = "mcp",
                      .backend = {.name = fer_str_of(backend)},
                      .duration_us = 1000,
                      .error = {.code = code}};
    fer_call_report r = {.envelope = &e, .call_id = FER_STR("c"), .rule = FER_STR("")};
    fer_pulse_call_ended(p, &r, now);
}

/* admin.backends: calls of those past it count for all, and for none of them. */
static void backends_apart(void)
{
    fer_pulse *p = fer_pulse_new();
    char name[32];
    assert_non_null(p);
    for (unsigned i = 0; i <= FER_PULSE_BACKENDS; i++) {
        snprintf(name, sizeof name, "b%u", i);
        end_call(p, name, FER_OK, NOW);
    }
    snprintf(name, sizeof name, "b%d", FER_PULSE_BACKENDS - 1);
    assert_non_null(fer_pulse_find(p, fer_str_of(name)));
    snprintf(name, sizeof name, "b%d", FER_PULSE_BACKENDS);
    assert_null(fer_pulse_find(p, fer_str_of(name)));
    end_call(p, "b0", FER_TOOL_FAILED, NOW); /* one that is there goes on */
    assert_int_equal(fer_pulse_find(p, FER_STR("b0"))->calls, 2);
    assert_int_equal(fer_pulse_find(p, FER_STR("b0"))->errors, 1);
    assert_int_equal(p->all.calls, FER_PULSE_BACKENDS + 2);
    fer_pulse_free(p);
}

/* admin.recent, admin.denied */
static void what_is_remembered(void)
{
    fer_pulse *p = fer_pulse_new();
    assert_non_null(p);
    for (int i = 0; i <= FER_PULSE_RECENT; i++) end_call(p, "b", FER_OK, NOW + i);
    assert_int_equal(fer_pulse_recent(p, 0)->at, NOW + FER_PULSE_RECENT);
    assert_int_equal(fer_pulse_recent(p, FER_PULSE_RECENT - 1)->at, NOW + 1);
    assert_null(fer_pulse_recent(p, FER_PULSE_RECENT));
    for (int i = 0; i <= FER_PULSE_DENIED; i++)
        fer_pulse_refused(p, &(fer_pulse_refusal){.rule = FER_STR("http.token")}, NOW + i);
    assert_int_equal(fer_pulse_denial_at(p, FER_PULSE_DENIED - 1)->at, NOW + 1);
    assert_null(fer_pulse_denial_at(p, FER_PULSE_DENIED));
    fer_pulse_free(p);
}

/* A backend that there is no memory for is counted with all, and apart from its next call on. */
static fer_code attempt(fer_arena *a, const void *row)
{
    fer_pulse *p = fer_pulse_new();
    char name[32];
    (void)a, (void)row;
    if (!p) return FER_OUT_OF_MEMORY;
    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "b%u", i);
        end_call(p, name, FER_OK, NOW);
        end_call(p, name, FER_OK, NOW);
    }
    assert_int_equal(p->all.calls, 80);
    assert_int_equal(p->recent_count, 80);
    size_t apart = 0;
    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "b%u", i);
        const fer_pulse_row *r = fer_pulse_find(p, fer_str_of(name));
        assert_non_null(r);
        apart += r->calls;
    }
    assert_true(apart >= 79); /* one allocation has failed, at most */
    fer_pulse_free(p);
    return FER_OK;
}

static void without_memory(void)
{
    assert_true(rows_torture_malloc(attempt, NULL) > 3);
}

int main(void)
{
    return ROWS_ONE("pulse", backends_apart) + ROWS_ONE("pulse", what_is_remembered) +
           ROWS_ONE("pulse", without_memory);
}
