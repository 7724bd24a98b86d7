/* SPDX-License-Identifier: Apache-2.0 */
/* The runner of code:execute, and its runtimes. */
#include "code.h"
#include "errors.h"
#include "sys.h"

static fer_code_runner *self(const fer_runner *r)
{
    return (fer_code_runner *)(uintptr_t)r;
}

static void call(fer_runner *r, fer_attempt *t)
{
    if (self(r)->stopping) fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "no code is run any more");
    else fer_session_begin(self(r), t);
}

static void cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    (void)r;
    fer_session_cancel(t->state, reason);
}

static void hold(fer_runner *r, fer_attempt *t, bool paused)
{
    (void)r;
    fer_session_pause(t->state, paused);
}

static void status(const fer_runner *r, fer_runner_status *out)
{
    const fer_code_runner *c = self(r);
    fer_buf b;
    *out = (fer_runner_status){.health = c->stopping ? FER_HEALTH_STOPPED : FER_HEALTH_UP,
                               .running = c->running,
                               .calls = c->calls};
    fer_buf_init_fixed(&b, out->detail, sizeof out->detail - 1);
    for (size_t i = 0; i < c->runtime_count; i++) {
        fer_err err = {0};
        fer_readiness ready = fer_runtime_ready(c->runtimes[i], &err);
        fer_buf_printf(&b, "%s%.*s %s", i ? ", " : "", FER_PRI(c->runtimes[i]->name),
                       fer_readiness_names[ready]);
        if (ready == FER_READY_STUB) fer_buf_printf(&b, " (%.100s)", err.message);
    }
    out->detail[b.len] = '\0';
}

/* ---- the end ----------------------------------------------------------------------------------
 */

/* A runtime has ended; `owner` of its loop's thread alone. */
static void on_runtime_stopped(fer_runtime *rt)
{
    fer_code_runner *c = rt->owner;
    c->stopped++;
    if (c->stopped == c->runtime_count && !c->running) fer_runner_stopped(&c->runner);
}

static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    fer_code_runner *c = self(r);
    r->on_stopped = done;
    c->stopping = true;
    for (fer_session *s = c->sessions, *next; s; s = next) {
        next = s->next;
        fer_session_cancel(s, FER_CANCEL_SHUTDOWN);
    }
    for (size_t i = 0; i < c->runtime_count; i++)
        c->runtimes[i]->kind->stop(c->runtimes[i], on_runtime_stopped);
}

static void free_runner(fer_runner *r)
{
    fer_code_runner *c = self(r);
    for (size_t i = 0; i < c->runtime_count; i++) c->runtimes[i]->kind->free(c->runtimes[i]);
    fer_arena_free(c->arena);
}

static const fer_runner_kind kind = {.name = "code",
                                     .backend = FER_BACKEND_LOCAL,
                                     .call = call,
                                     .cancel = cancel,
                                     .pause = hold,
                                     .status = status,
                                     .stop = stop,
                                     .free = free_runner};

/* ---- the beginning ----------------------------------------------------------------------------
 */

static fer_code_runner *new_runner(fer_gateway *g, const fer_code_options *o)
{
    fer_arena *a = fer_arena_new(0);
    fer_code_runner *c = a ? fer_arena_alloc_zero(a, 1, sizeof *c) : NULL;
    fer_runtime **list = c ? fer_arena_alloc_zero(a, o->runtime_count + 1, sizeof *list) : NULL;
    if (!list) {
        fer_arena_free(a);
        return NULL;
    }
    *c = (fer_code_runner){.runner = {.kind = &kind, .name = FER_STR(FER_CODE_NS), .loop = g->loop},
                           .arena = a,
                           .gateway = g,
                           .runtimes = list,
                           .runtime_count = o->runtime_count,
                           .reentrant = o->reentrant};
    for (size_t i = 0; i < o->runtime_count; i++) {
        list[i] = o->runtimes[i];
        list[i]->owner = c;
    }
    for (int i = 0; i < FER_BOUNDS; i++)
        c->bounds[i] = o->bounds[i] ? o->bounds[i] : fer_bounds[i].otherwise;
    return c;
}

static fer_code put_record(fer_gateway *g, const fer_code_runner *c, fer_err *err)
{
    fer_batch *b = fer_batch_new();
    fer_arena *a = fer_arena_new(0);
    fer_backend place = {FER_BACKEND_LOCAL, FER_STR(FER_CODE_NS), FER_STR("")};
    fer_put_options o = {.ns = FER_STR(FER_CODE_NS), .backend = &place};
    fer_str record;
    fer_code code = a && b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_code_record(a, c, &record, err);
    if (!code) code = fer_batch_add(b, FER_STR("code.json"), record, FER_FORMAT_JSON, &o, err);
    if (!code) code = fer_catalog_apply(g->options.catalog, b, err);
    fer_batch_free(b);
    fer_arena_free(a);
    return code;
}

fer_code fer_gateway_add_code(fer_gateway *g, const fer_code_options *o, fer_err *err)
{
    fer_code_runner *c = new_runner(g, o);
    if (!c) { /* none of them has begun: nothing is to be stopped */
        for (size_t i = 0; i < o->runtime_count; i++) o->runtimes[i]->kind->free(o->runtimes[i]);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    fer_code code = fer_gateway_add_runner(g, &c->runner, err);
    if (code) {
        free_runner(&c->runner); /* as above */
        return code;
    }
    for (size_t i = 0; i < c->runtime_count; i++) fer_runtime_begin(c->runtimes[i]);
    return put_record(g, c, err);
}
