/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include <assert.h>
#include <stdarg.h>

#include "errors.h"

const fer_bound_row fer_bounds[FER_BOUNDS] = {
    [FER_BOUND_TIME] = {"timeMs", 30000, 1, 3600000, "ms that a run may take by the clock"},
    [FER_BOUND_CPU] = {"cpuMs", 10000, 1, 3600000, "ms of processor time of all its processes"},
    [FER_BOUND_MEMORY] = {"memoryBytes", INT64_C(512) << 20, 8 << 20, INT64_C(1) << 40,
                          "bytes of memory of all its processes"},
    [FER_BOUND_PROCESSES] = {"processes", 64, 1, 4096, "processes and threads at once"},
    [FER_BOUND_OUTPUT] = {"outputBytes", 1 << 20, 0, 16 << 20,
                          "bytes of standard output that are kept, and so of standard error"},
    [FER_BOUND_DISK] = {"diskBytes", 32 << 20, 0, INT64_C(1) << 40,
                        "bytes of files in its work folder"},
    [FER_BOUND_VALUE] = {"valueBytes", 256 << 10, 2, (int64_t)FER_CODE_STORED,
                         "bytes of the value, as JSON"},
    [FER_BOUND_CALLS] = {"toolCalls", 100, 0, 10000, "tool calls, steps of chains included"},
    [FER_BOUND_STEPS] = {"chainSteps", 64, 0, 10000, "steps of all its chains together"},
};

const char *const fer_readiness_names[FER_READY_STUB + 1] = {"prod", "beta", "stub"};

void fer_job_begin(fer_job *j)
{
    for (int i = 0; i < FER_BOUNDS; i++) j->held[i] = NULL;
    j->ended = false;
    j->state = NULL;
    j->runtime->kind->run(j->runtime, j);
}

void fer_job_say(fer_job *j, fer_str line)
{
    if (!j->ended) j->runtime->kind->say(j->runtime, j, line);
}

void fer_job_cancel(fer_job *j)
{
    if (!j->ended) j->runtime->kind->cancel(j->runtime, j);
    assert(j->ended);
}

void fer_job_pause(fer_job *j, bool paused)
{
    if (!j->ended && j->runtime->kind->pause) j->runtime->kind->pause(j->runtime, j, paused);
}

void fer_job_finish(fer_job *j, const fer_job_end *e)
{
    assert(!j->ended);
    j->ended = true;
    j->events->end(j, e);
}

void fer_job_fail(fer_job *j, fer_code code, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fer_job_end e = {.code = code,
                     .message = fer_arena_copy(j->arena, fer_str_of(text)),
                     .hit = FER_BOUNDS,
                     .exit_code = -1};
    if (!e.message.ptr) e.message = FER_STR("out of memory");
    fer_job_finish(j, &e);
}

fer_code fer_job_fits(const fer_job *j, const char *limit, size_t most, fer_err *err)
{
    if (j->code.len <= most) return FER_OK;
    return fer_fail(err, FER_LIMIT_EXCEEDED,
                    "%s: the program has %zu bytes, at most %zu are run here", limit, j->code.len,
                    most);
}

fer_code fer_job_no_check(const fer_job *j, fer_err *err)
{
    if (!j->check) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE, "programs of the runtime %.*s cannot be checked",
                    FER_PRI(j->runtime->name));
}

fer_readiness fer_runtime_ready(fer_runtime *r, fer_err *err)
{
    return r->kind->probe && r->kind->probe(r, err) ? FER_READY_STUB : r->kind->readiness;
}

void fer_runtime_begin(fer_runtime *r)
{
    if (r->kind->begin) r->kind->begin(r);
}

void fer_runtime_stopped(fer_runtime *r)
{
    void (*done)(fer_runtime * r) = r->on_stopped;
    r->on_stopped = NULL;
    if (done) done(r);
}
