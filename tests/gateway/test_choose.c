/* SPDX-License-Identifier: Apache-2.0 */
/* Tools with several backends, runners that are taken out, and changes while calls are under way.
 */
#include "gateway_rig.h"
#include "rows.h"

#define TEXT(s)                                                                                    \
    {                                                                                              \
        "" s, sizeof(s) - 1                                                                        \
    }
#define FIRST                                                                                      \
    {                                                                                              \
        FER_BACKEND_MCP, TEXT("first"), TEXT("")                                                   \
    }
#define SECOND                                                                                     \
    {                                                                                              \
        FER_BACKEND_MCP, TEXT("second"), TEXT("")                                                  \
    }
#define OTHER                                                                                      \
    {                                                                                              \
        FER_BACKEND_MCP, TEXT("second"), TEXT("echo")                                              \
    }
#define NOBODY                                                                                     \
    {                                                                                              \
        FER_BACKEND_LOCAL, TEXT("nobody"), TEXT("")                                                \
    }

static const fer_backend first = FIRST, second = SECOND;

static const struct row {
    const char *name, *tool;
    fer_backend route[4];
    size_t count;
    bool first_gone;
    fer_code code;
    const char *by; /* who ran it, or said so */
    size_t firsts, seconds;
} rows[] = {
    {"no route", "s:echo", {{0}}, 0, false, FER_OK, "first", 1, 0},
    {"a route", "s:echo", {SECOND, FIRST}, 2, false, FER_OK, "second", 0, 1},
    {"with a version", "s:echo", {SECOND}, 1, false, FER_OK, "second", 0, 1},
    {"one that is not configured", "s:echo", {NOBODY, SECOND}, 2, false, FER_OK, "second", 0, 1},
    {"none that is configured", "s:echo", {NOBODY}, 1, false, FER_BACKEND_UNAVAILABLE, "", 0, 0},
    {"one that is not there", "s:echo", {FIRST, SECOND}, 2, true, FER_OK, "second", 1, 1},
    {"another tool there", "s:gone", {FIRST, OTHER}, 2, false, FER_OK, "second", 1, 1},
    {"none that is there",
     "s:gone",
     {FIRST, SECOND},
     2,
     false,
     FER_BACKEND_UNAVAILABLE,
     "second",
     1,
     1},
    {"the same twice", "s:gone", {FIRST, FIRST}, 2, false, FER_BACKEND_UNAVAILABLE, "first", 2, 0},
    {"what was sent stays sent",
     "s:lost",
     {FIRST, SECOND},
     2,
     false,
     FER_BACKEND_CRASHED,
     "first",
     1,
     0},
    {"a tool that says no has said so",
     "s:no",
     {FIRST, SECOND},
     2,
     false,
     FER_TOOL_FAILED,
     "first",
     1,
     0},
};

static void run_row(const struct row *row)
{
    rig r;
    fer_err err;
    fer_envelope e;
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    fer_route route = {fer_str_of(row->tool), row->route, row->count};
    assert_int_equal(fer_gateway_routes(r.gateway, &route, row->count ? 1 : 0, &err), FER_OK);
    r.first.gone = row->first_gone;
    assert_int_equal(
        fer_gateway_ask(r.arena, r.gateway, fer_str_of(row->tool), FER_STR("{}"), NULL, &e, &err),
        FER_OK);
    assert_int_equal(e.error.code, row->code);
    if (*row->by) assert_str(e.backend.name, row->by);
    assert_int_equal(r.first.calls, row->firsts);
    assert_int_equal(r.second.calls, row->seconds);
    rig_free(&r);
    assert_int_equal(r.first.stops + r.second.stops, 2);
    assert_int_equal(r.first.frees + r.second.frees, 2);
}

static void a_selector_is_asked_again_for_the_next(void)
{
    rig r;
    fer_err err;
    fer_envelope e;
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    fer_put_options put = {.backend = &second};
    fer_batch *b = fer_batch_new();
    fer_str definition;
    fer_view *v = fer_catalog_view(r.catalog);
    assert_int_equal(fer_view_definition(r.arena, v, FER_STR("s:echo"), &definition, &err), FER_OK);
    fer_view_unref(v);
    assert_int_equal(fer_batch_add(b, FER_STR("x"), definition, FER_FORMAT_JSON, &put, &err),
                     FER_OK);
    assert_int_equal(fer_catalog_apply(r.catalog, b, &err), FER_OK);
    fer_batch_free(b);
    r.first.gone = true;
    assert_int_equal(
        fer_gateway_ask(r.arena, r.gateway, FER_STR("s:echo"), FER_STR("{}"), NULL, &e, &err),
        FER_OK);
    assert_int_equal(e.error.code, FER_OK);
    assert_str(e.backend.name, "second");
    rig_free(&r);
}

static void routes_have_limits(void)
{
    rig r;
    fer_err err;
    fer_backend many[FER_BACKENDS_MAX + 1];
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    for (size_t i = 0; i < FER_COUNT(many); i++) many[i] = first;
    fer_route route = {FER_STR("s:echo"), many, FER_BACKENDS_MAX};
    assert_int_equal(fer_gateway_routes(r.gateway, &route, 1, &err), FER_OK);
    route.count++;
    assert_int_equal(fer_gateway_routes(r.gateway, &route, 1, &err), FER_LIMIT_EXCEEDED);
    route.count = 0;
    assert_int_equal(fer_gateway_routes(r.gateway, &route, 1, &err), FER_LIMIT_EXCEEDED);
    route = (fer_route){FER_STR("a:b:c:d"), many, 1};
    assert_int_equal(fer_gateway_routes(r.gateway, &route, 1, &err), FER_INVALID_ID);
    rig_free(&r);
}

/* ---- runners that are taken out ----------------------------------------------------------------
 */

struct ended {
    size_t count;
    fer_code code;
    char by[16];
};
static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    struct ended *x = context;
    (void)c;
    x->count++;
    x->code = e->error.code;
    snprintf(x->by, sizeof x->by, "%.*s", FER_PRI(e->backend.name));
}
static void on_gone(void *context)
{
    ++*(size_t *)context;
}

static void turn(rig *r)
{
    for (int i = 0; i < 5; i++) uv_run(fer_gateway_loop(r->gateway), UV_RUN_NOWAIT);
}

static void a_call_under_way_keeps_its_runner(void)
{
    rig r;
    fer_err err;
    struct ended x = {0};
    size_t gone = 0;
    fer_envelope e;
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    assert_int_equal(fer_gateway_call(r.gateway, FER_STR("s:hang"), FER_STR("{}"), NULL, on_done,
                                      &x, NULL, &err),
                     FER_OK);
    rig_runner heir;
    rig_runner_init(&heir, "first", fer_gateway_loop(r.gateway));
    fer_gateway_retire_runner(r.gateway, &r.first.runner, on_gone, &gone);
    assert_int_equal(fer_gateway_add_runner(r.gateway, &heir.runner, &err), FER_OK);
    turn(&r);
    assert_int_equal(r.first.stops, 0); /* its call is under way */
    assert_int_equal(
        fer_gateway_ask(r.arena, r.gateway, FER_STR("s:echo"), FER_STR("{}"), NULL, &e, &err),
        FER_OK);
    assert_int_equal(heir.calls, 1);
    assert_int_equal(r.first.calls, 1);
    fer_attempt *t = r.first.waiting;
    fer_attempt_end(t, &(fer_outcome){.phase = FER_PHASE_DEFINITE});
    assert_int_equal(x.count, 1);
    assert_int_equal(x.code, FER_OK);
    assert_int_equal(r.first.stops, 0); /* it may be the runner itself that says so */
    turn(&r);
    assert_int_equal(r.first.stops, 1);
    assert_int_equal(r.first.frees, 1);
    assert_int_equal(gone, 1);
    rig_free(&r);
    assert_int_equal(heir.frees, 1);
    assert_int_equal(r.first.frees, 1);
}

static void a_retired_runner_goes_with_the_gateway(void)
{
    rig r;
    fer_err err;
    struct ended x = {0};
    size_t gone = 0;
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    assert_int_equal(fer_gateway_call(r.gateway, FER_STR("s:hang"), FER_STR("{}"), NULL, on_done,
                                      &x, NULL, &err),
                     FER_OK);
    fer_gateway_retire_runner(r.gateway, &r.first.runner, on_gone, &gone);
    rig_free(&r);
    assert_int_equal(x.count, 1);
    assert_int_equal(x.code, FER_CANCELLED);
    assert_int_equal(r.first.frees, 1);
    assert_int_equal(gone, 1);
}

static void a_call_keeps_how_outputs_are_judged(void)
{
    rig r;
    fer_err err;
    struct ended x = {0};
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    fer_route route = {FER_STR("s:wrong"),
                       &(fer_backend){FER_BACKEND_MCP, FER_STR("first"), FER_STR("hang")}, 1};
    assert_int_equal(fer_gateway_routes(r.gateway, &route, 1, &err), FER_OK);
    assert_int_equal(fer_gateway_call(r.gateway, FER_STR("s:wrong"), FER_STR("{}"), NULL, on_done,
                                      &x, NULL, &err),
                     FER_OK);
    fer_gateway_change(r.gateway, &(fer_gateway_options){.warn_output = true});
    assert_int_equal(fer_gateway_routes(r.gateway, NULL, 0, &err), FER_OK);
    fer_attempt_end(r.first.waiting, &(fer_outcome){.phase = FER_PHASE_DEFINITE});
    assert_int_equal(x.code, FER_INVALID_OUTPUT);
    assert_string_equal(x.by, "first"); /* though the route is gone */
    rig_free(&r);
}

int main(void)
{
    int failed = ROWS_RUN("backends", rows, run_row);
    failed += ROWS_ONE("backends", a_selector_is_asked_again_for_the_next);
    failed += ROWS_ONE("backends", routes_have_limits);
    failed += ROWS_ONE("retired", a_call_under_way_keeps_its_runner);
    failed += ROWS_ONE("retired", a_retired_runner_goes_with_the_gateway);
    failed += ROWS_ONE("retired", a_call_keeps_how_outputs_are_judged);
    return failed != 0;
}
