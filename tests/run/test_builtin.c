/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of this process: how far an attempt had come when it failed. */
#include "builtin.h"

#include "clock.h"
#include "errors.h"
#include "rows.h"

static fer_code give(void *context, fer_arena *a, const void *args, fer_str *result, fer_err *err)
{
    fer_code code = *(const fer_code *)context;
    (void)a;
    (void)args;
    *result = FER_STR("{\"a\":1}");
    return code ? fer_fail(err, code, "no") : FER_OK;
}

static fer_code give_garbage(void *context, fer_arena *a, const void *args, fer_str *result,
                             fer_err *err)
{
    (void)context, (void)a, (void)args, (void)err;
    *result = FER_STR("{");
    return FER_OK;
}

static const struct row {
    const char *name;
    const char *tool;
    fer_code gives;
    bool blocks, cancelled;
    fer_code code;
    fer_phase phase;
} rows[] = {
    {"a result", "f", FER_OK, false, false, FER_OK, FER_PHASE_DEFINITE},
    {"a result from a thread", "f", FER_OK, true, false, FER_OK, FER_PHASE_DEFINITE},
    {"it says no", "f", FER_TOOL_FAILED, false, false, FER_TOOL_FAILED, FER_PHASE_DEFINITE},
    {"it did nothing", "f", FER_BACKEND_UNAVAILABLE, false, false, FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOT_PROCESSED},
    {"too many", "f", FER_RATE_LIMITED, true, false, FER_RATE_LIMITED, FER_PHASE_NOT_PROCESSED},
    {"no JSON", "g", FER_OK, false, false, FER_INVALID_OUTPUT, FER_PHASE_DEFINITE},
    {"no such function", "h", FER_OK, false, false, FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOTHING_SENT},
    /* Begun or not: both are told truly, and which it is depends on the threads. */
    {"given up on a thread", "f", FER_OK, true, true, FER_CANCELLED, FER_PHASE_AMBIGUOUS},
};

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    *(fer_outcome *)t->call = *o;
}

static void stopped(fer_runner *r)
{
    r->kind->free(r);
}

static void run(const struct row *row)
{
    uv_loop_t loop;
    fer_outcome o = {.code = FER_INTERNAL};
    fer_code gives = row->gives;
    const fer_builtin f = {
        .ns = "n", .name = "f", .run = give, .context = &gives, .blocks = row->blocks};
    const fer_builtin g = {.ns = "n", .name = "g", .run = give_garbage};
    fer_json *args;
    fer_arena *a = fer_arena_new(0);
    uv_loop_init(&loop);
    fer_runner *r = fer_builtin_runner(&loop, FER_STR("n"));
    assert_int_equal(fer_builtin_add(r, &f, NULL), FER_OK);
    assert_int_equal(fer_builtin_add(r, &g, NULL), FER_OK);
    assert_int_equal(fer_json_read(a, FER_STR("{}"), NULL, &args, NULL), FER_OK);
    fer_attempt t = {.arena = a,
                     .runner = r,
                     .tool = fer_str_of(row->tool),
                     .args = fer_json_root(args),
                     .args_json = FER_STR("{}"),
                     .deadline = fer_clock_mono() + INT64_C(60000000000),
                     .on_end = on_end,
                     .call = &o};
    r->kind->call(r, &t);
    if (row->cancelled) r->kind->cancel(r, &t, FER_CANCEL_CLIENT_CLOSED);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(o.code, row->code);
    if (row->cancelled && !t.sent) assert_int_equal(o.phase, FER_PHASE_NOTHING_SENT);
    else assert_int_equal(o.phase, row->phase);
    r->kind->stop(r, stopped);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("builtin", rows, run);
}
