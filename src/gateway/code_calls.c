/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program asks for, as calls of the gateway: each is begun through the door that all calls
 * take, answered by a line, and noted in the trace of the run.
 */
#include "chain.h"
#include "clock.h"
#include "code.h"
#include "errors.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

/* ---- answers ----------------------------------------------------------------------------------
 */

static void say(fer_session *s, fer_buf *b)
{
    if (!b->failure && s->attempt) fer_job_say(&s->job, fer_buf_view(b));
}

/* Answers are written in memory of their own: a run may ask often. */
void fer_session_answer(fer_session *s, fer_str id, fer_str result)
{
    fer_arena *a = fer_arena_new(FER_CODE_MEMORY);
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, FER_CODE_MEMORY);
    fer_code_answer(&b, id, result);
    say(s, &b);
    fer_arena_free(a);
}

void fer_session_refuse(fer_session *s, fer_str id, fer_code code, fer_str message, fer_str details)
{
    fer_arena *a = fer_arena_new(FER_CODE_MEMORY);
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, FER_CODE_MEMORY);
    fer_code_refuse(&b, id, code, message, details);
    say(s, &b);
    fer_arena_free(a);
}

void fer_session_refuse_err(fer_session *s, fer_str id, const fer_err *err)
{
    fer_session_refuse(s, id, err->code, fer_str_of(err->message), FER_STR(""));
}

/* ---- the trace --------------------------------------------------------------------------------
 */

/* Redacted arguments, which live in memory of their call; what is too long is left out. */
static fer_str shown_args(fer_session *s, fer_str text)
{
    if (!text.len) return FER_STR("");
    fer_str shown = text.len > FER_CODE_TRACE_ARGS
                        ? fer_arena_printf(s->arena, "{\"bytes\":%zu}", text.len)
                        : fer_arena_copy(s->arena, text);
    return shown.ptr ? shown : FER_STR("");
}

static fer_code_trace *new_trace(fer_session *s, fer_str tool)
{
    fer_code_trace *t =
        s->traced < FER_CODE_TRACE ? fer_arena_alloc_zero(s->arena, 1, sizeof *t) : NULL;
    s->untold += !t;
    if (!t) return NULL;
    t->tool = fer_arena_copy(s->arena, tool);
    if (!t->tool.ptr) t->tool = FER_STR("");
    t->args = FER_STR("");
    *s->trace_end = t;
    s->trace_end = &t->next;
    s->traced++;
    return t;
}

static void note_call(fer_session *s, fer_call *c, const fer_envelope *e)
{
    static const char *const names[] = {"Ok", "Error", "Retryable"};
    fer_code_trace *t = new_trace(s, e->tool_id);
    s->wrote |= c->attempt.sent && c->effect != FER_EFFECT_PURE;
    if (!t) return;
    memcpy(t->id, c->id, sizeof t->id);
    if (c->ready && c->args) t->args = shown_args(s, fer_call_redacted_input(c));
    t->status = names[e->status];
    t->code = e->error.code ? fer_code_info(e->error.code)->name : NULL;
    t->duration_us = e->duration_us;
}

/* ---- calls ------------------------------------------------------------------------------------
 */

static void end_ask(fer_code_ask *k)
{
    fer_session *s = k->session;
    *k->place = k->next;
    if (k->next) k->next->place = k->place;
    s->open--;
    fer_chain_free(k->chain);
    fer_sys_free(k);
    if (!s->asks && s->closed) fer_session_free(s);
}

static fer_code_ask *new_ask(fer_session *s, fer_str id)
{
    fer_code_ask *k = fer_sys_malloc(sizeof *k + id.len);
    if (!k) return NULL;
    char *text = (char *)(k + 1);
    memcpy(text, id.ptr, id.len);
    *k = (fer_code_ask){.session = s, .next = s->asks, .place = &s->asks, .id = {text, id.len}};
    if (s->asks) s->asks->place = &k->next;
    s->asks = k;
    s->open++;
    return k;
}

/* What is left of the time of the run. */
static void set_deadline(const fer_session *s, fer_call_options *o)
{
    int64_t rest = (s->deadline - fer_clock_mono()) / MS;
    o->deadline_ms = rest > 0 ? rest : 1;
}

static void on_called(void *context, fer_call *c, const fer_envelope *e)
{
    fer_code_ask *k = context;
    fer_session *s = k->session;
    note_call(s, c, e);
    if (e->error.code)
        fer_session_refuse(s, k->id, e->error.code, e->error.message, e->error.details);
    else fer_session_answer(s, k->id, e->structured);
    end_ask(k);
}

/* Whether so many more calls are within the bounds; says no where they are not. */
static bool may_call(fer_session *s, const fer_code_line *l, size_t calls, size_t steps)
{
    fer_bound over = FER_BOUNDS;
    fer_err err;
    if (s->calls + calls > (uint64_t)s->job.bounds[FER_BOUND_CALLS]) over = FER_BOUND_CALLS;
    else if (s->steps + steps > (uint64_t)s->job.bounds[FER_BOUND_STEPS]) over = FER_BOUND_STEPS;
    if (over == FER_BOUNDS && s->open < FER_CODE_OPEN) return true;
    if (over == FER_BOUNDS)
        fer_fail(&err, FER_RESOURCE_LIMIT, "code.open: %d requests wait for an answer already",
                 FER_CODE_OPEN);
    else
        fer_fail(&err, FER_RESOURCE_LIMIT, "%s: a run makes at most %lld of them",
                 fer_bounds[over].name, (long long)s->job.bounds[over]);
    fer_session_refuse_err(s, l->id, &err);
    return false;
}

void fer_session_run_tool(fer_session *s, const fer_code_line *l)
{
    fer_call_options o = s->options;
    char key[FER_KEY_STEP];
    fer_err err = {0};
    fer_code code = FER_OK;
    if (!may_call(s, l, 1, 0)) return;
    fer_code_ask *k = new_ask(s, l->id);
    if (!k) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    s->calls++;
    if (!code && o.idempotency_key.len) { /* each call has a key of its own, as steps have */
        code = fer_key_step(o.idempotency_key, s->calls, key, &err);
        o.idempotency_key = fer_str_of(key);
    }
    set_deadline(s, &o);
    if (!code)
        code =
            fer_gateway_call(s->runner->gateway, l->tool, l->value.len ? l->value : FER_STR("{}"),
                             &o, on_called, k, &k->call, &err);
    if (!code) return;
    fer_session_refuse_err(s, l->id, &err);
    if (k) end_ask(k);
}

/* ---- chains -----------------------------------------------------------------------------------
 */

static void note_step(fer_session *s, const fer_step_result *step)
{
    fer_json *doc;
    if (step->state != FER_STEP_OK && step->state != FER_STEP_FAILED) return;
    fer_arena *a = fer_arena_new(FER_CODE_MEMORY);
    fer_code_trace *t = new_trace(s, step->tool_id);
    s->wrote = true; /* what its steps were is not known any more */
    if (t) {
        t->status = step->state == FER_STEP_OK ? "Ok" : "Error";
        t->args = shown_args(s, step->args);
        if (step->call_id.len && step->call_id.len < sizeof t->id)
            memcpy(t->id, step->call_id.ptr, step->call_id.len);
    }
    if (t && a && step->envelope.len &&
        !fer_json_read(a, step->envelope, fer_json_limits_answer(), &doc, NULL)) {
        const yyjson_val *ms = fer_val_get(fer_json_root(doc), "durationMs");
        if (ms && fer_val_tag(ms) == FER_TAG_UINT) t->duration_us = (int64_t)ms->uni.u64 * 1000;
        if (ms && fer_val_tag(ms) == FER_TAG_REAL) t->duration_us = (int64_t)(ms->uni.f64 * 1000);
    }
    fer_arena_free(a);
}

static void on_chained(void *context, const fer_chain_result *r)
{
    fer_code_ask *k = context;
    fer_session *s = k->session;
    for (size_t i = 0; i < r->step_count; i++)
        if (r->steps[i].tool_id.len) note_step(s, &r->steps[i]);
    if (r->error.code)
        fer_session_refuse(s, k->id, r->error.code, r->error.message, r->error.details);
    else fer_session_answer(s, k->id, r->output);
    end_ask(k);
}

static fer_code read_chain(fer_arena *a, const fer_code_line *l, fer_chain **out, fer_err *err)
{
    fer_str text = fer_arena_printf(a, "{\"steps\":%.*s}", FER_PRI(l->value));
    return text.ptr ? fer_chain_read(text, out, err) : fer_arena_failed(a, err);
}

void fer_session_run_chain(fer_session *s, fer_arena *a, const fer_code_line *l)
{
    fer_call_options o = s->options;
    fer_chain *chain = NULL;
    fer_err err = {0};
    fer_code code = read_chain(a, l, &chain, &err);
    size_t steps = code ? 0 : chain->slots;
    if (!code && !may_call(s, l, steps, steps)) {
        fer_chain_free(chain);
        return;
    }
    fer_code_ask *k = code ? NULL : new_ask(s, l->id);
    if (!code && !k) {
        fer_chain_free(chain);
        code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    }
    if (code) {
        fer_session_refuse_err(s, l->id, &err);
        return;
    }
    k->chain = chain;
    k->chained = true;
    s->calls += steps;
    s->steps += steps;
    set_deadline(s, &o);
    code = fer_gateway_chain(s->runner->gateway, chain, l->input, &o, on_chained, k, &err);
    if (!code) return;
    fer_session_refuse_err(s, l->id, &err);
    end_ask(k);
}

/* The calls that nobody waits for any more. Each takes itself out of the list. */
void fer_session_cancel_asks(fer_session *s)
{
    for (fer_code_ask *k = s->asks, *next; k; k = next) {
        next = k->next;
        if (k->chained) {
            /* With its last call a chain is gone, and others of the list may go with it. */
            fer_gateway_cancel_chain(s->runner->gateway, k);
            next = s->asks;
            if (next == k) break;
        } else if (k->call) {
            fer_call_stop(k->call, FER_CANCEL_CLIENT_CANCELLED);
        }
    }
}
