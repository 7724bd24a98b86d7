/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain that runs. Each list of steps is a thread of its own (not the machine's): it goes on
 * until a step keeps it busy, and again when that has ended, which may be at once. A group begins a
 * thread for each branch and is busy until all have ended; so the first thread ends last. An error
 * that nobody forgives ends everything: calls that are under way are cancelled, and every thread
 * ends.
 */
#include <assert.h>

#include "buf.h"
#include "chain_args.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"

#define MS INT64_C(1000000) /* ns */

typedef struct running running;

/* What became of a step. */
typedef struct outcome {
    const fer_step *step;
    fer_step_state state;
    fer_str tool_id, envelope, output, call_id, args;
    const yyjson_val *value; /* NULL: it gave nothing */
    fer_call *call;          /* while it is under way */
} outcome;

/* One list of steps on its way. */
typedef struct thread {
    running *run;
    const fer_steps *steps;
    size_t at;
    const fer_step *now;        /* a step of the list, or the fallback of one */
    const yyjson_val *previous; /* what the step before gave; or NULL */
    struct thread *above;       /* that has begun it, for a group; or NULL */
    size_t waits;               /* branches of a group that are not done */
    bool busy;                  /* with a call or a group */
    bool moving;                /* go is at it */
} thread;

struct running {
    fer_arena *arena;
    fer_gateway *gateway;
    const fer_chain *chain;
    fer_call_options options;
    fer_chain_done *done;
    void *context;
    const yyjson_val *input;
    outcome *outcomes; /* by slot */
    int64_t began, deadline;
    unsigned standing; /* steps whose caller is asked something, */
    int64_t stood;     /* since when; fer_clock_mono */
    uint64_t sequence;
    bool over; /* nothing more is begun */
    fer_call_error error;
    fer_str failed_step;
};

static void go(thread *t);

/* ---- telling
 * ------------------------------------------------------------------------------------------ */

static void tell(running *r, fer_event_type kind, fer_str tool, fer_str data)
{
    if (!r->options.on_event) return;
    fer_stream_event e = {.kind = kind,
                          .tool_id = tool,
                          .correlation_id = r->options.correlation_id,
                          .sequence = r->sequence,
                          .data = data};
    r->sequence += kind != FER_STREAM_HEARTBEAT;
    r->options.on_event(r->options.context, NULL, &e);
}

/* What a step says on the way is said by the chain; its end is not the chain's. */
static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    thread *t = context;
    (void)c;
    if (e->kind != FER_STREAM_DONE && e->kind != FER_STREAM_ERROR)
        tell(t->run, e->kind, e->tool_id, e->data);
    return true;
}

static void tell_step(running *r, const outcome *o)
{
    fer_buf b;
    if (!r->options.on_event) return;
    fer_buf_init(&b, r->arena, FER_CHAIN_MEMORY);
    fer_buf_add_text(&b, "{\"step\":");
    fer_buf_add_quoted(&b, o->step->id);
    fer_buf_printf(&b, ",\"ok\":%s,\"output\":", o->state == FER_STEP_OK ? "true" : "false");
    fer_buf_add(&b, o->output.len ? o->output : FER_STR("null"));
    fer_buf_add_char(&b, '}');
    if (!b.failure) tell(r, FER_STREAM_CHUNK, o->tool_id, fer_buf_view(&b));
}

/* ---- the end
 * ------------------------------------------------------------------------------------------ */

static void finish(running *r)
{
    size_t count = r->chain->slots;
    fer_step_result *steps = fer_arena_alloc_zero(r->arena, count, sizeof *steps);
    fer_chain_result out = {.status = r->error.code ? r->error.retryable ? FER_STATUS_RETRYABLE
                                                                         : FER_STATUS_ERROR
                                                    : FER_STATUS_OK,
                            .error = r->error,
                            .failed_step = r->failed_step,
                            .steps = steps,
                            .step_count = steps ? count : 0,
                            .correlation_id = r->options.correlation_id,
                            .duration_us = (fer_clock_mono() - r->began) / 1000};
    for (size_t i = 0; i < out.step_count; i++) {
        const outcome *o = &r->outcomes[i];
        steps[i] = (fer_step_result){.id = o->step ? o->step->id : FER_STR(""),
                                     .tool_id = o->tool_id,
                                     .state = o->state,
                                     .envelope = o->envelope,
                                     .output = o->output,
                                     .call_id = o->call_id,
                                     .args = o->args};
    }
    const fer_step *last = &r->chain->steps.list[r->chain->steps.count - 1];
    if (!r->error.code) out.output = r->outcomes[last->slot].output;
    fer_str data;
    if (r->options.on_event && !fer_chain_result_write(r->arena, &out, &data, NULL))
        tell(r, r->error.code ? FER_STREAM_ERROR : FER_STREAM_DONE, FER_STR(""), data);
    r->done(r->context, &out);
    fer_arena_free(r->arena);
}

static void cancel_all(running *r)
{
    for (size_t i = 0; i < r->chain->slots; i++) {
        fer_call *c = r->outcomes[i].call;
        if (c) fer_call_stop(c, FER_CANCEL_CLIENT_CANCELLED);
    }
}

/* The chain ends with this error; the first one counts. */
static void give_up(running *r, const fer_step *s, const fer_call_error *e)
{
    if (r->over) return;
    r->over = true;
    r->error = *e;
    r->failed_step = s->id;
    cancel_all(r);
}

/* ---- steps
 * -------------------------------------------------------------------------------------------- */

static const yyjson_val *source(void *context, const fer_ref *ref)
{
    const thread *t = context;
    switch (ref->kind) {
    case FER_REF_INPUT: return t->run->input;
    case FER_REF_PREVIOUS: return t->previous;
    default: return t->run->outcomes[ref->slot].value;
    }
}

static bool holds(thread *t, const fer_step *s, fer_err *err, fer_code *code)
{
    bool valid = true;
    *code = FER_OK;
    if (!s->when) return true;
    const yyjson_val *v = fer_ref_value(&s->when->ref, source, t);
    if (!v) return false;
    if (s->when->schema) *code = fer_schema_accepts(s->when->schema, t->run->arena, v, &valid, err);
    return valid;
}

/* What a step gave becomes what the next one can use. */
static fer_code keep_value(running *r, outcome *o, fer_str json, fer_err *err)
{
    fer_json *doc;
    o->output = fer_arena_copy(r->arena, json);
    if (!o->output.ptr) return fer_arena_failed(r->arena, err);
    fer_code code = fer_json_read(r->arena, o->output, fer_json_limits_file(), &doc, err);
    if (!code) o->value = fer_json_root(doc);
    return code;
}

/* A step has ended, well or not; decides how its thread goes on. */
static void settle(thread *t, const fer_step *s, const fer_call_error *e)
{
    running *r = t->run;
    outcome *o = &r->outcomes[s->slot];
    const fer_step *listed = &t->steps->list[t->at];
    t->busy = false;
    o->state = e->code ? FER_STEP_FAILED : FER_STEP_OK;
    tell_step(r, o);
    if (e->code && s == listed && s->fallback && !r->over) {
        t->now = s->fallback;
        return;
    }
    if (s != listed) { /* a fallback stands for its step */
        outcome *first = &r->outcomes[listed->slot];
        first->output = o->output;
        first->value = o->value;
    }
    if (e->code && !listed->goes_on) {
        give_up(r, s, e);
        return;
    }
    t->previous = e->code ? NULL : o->value;
    t->now = NULL;
    t->at++;
}

static void fail_step(thread *t, const fer_step *s, fer_code code, const char *op,
                      const fer_err *err)
{
    running *r = t->run;
    fer_call_error e = {.code = code,
                        .message = fer_arena_copy(r->arena, fer_str_of(err->message)),
                        .op = op,
                        .retryable = fer_code_info(code)->retryable};
    settle(t, s, &e);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    thread *t = context;
    running *r = t->run;
    const fer_step *s = t->now;
    outcome *o = &r->outcomes[s->slot];
    fer_str text;
    fer_err err = {0};
    fer_call_error why = e->error;
    o->tool_id = fer_arena_copy(r->arena, e->tool_id);
    o->call_id = fer_arena_copy(r->arena, fer_str_of(c->id));
    if (r->options.in_code && c->ready && c->args) /* its trace tells them */
        o->args = fer_arena_copy(r->arena, fer_call_redacted_input(c));
    if (!fer_envelope_write(r->arena, e, false, &text, &err)) o->envelope = text;
    if (!why.code && e->structured.len && keep_value(r, o, e->structured, &err))
        why =
            (fer_call_error){.code = err.code, .message = fer_str_of(err.message), .op = "execute"};
    why.message = fer_arena_copy(r->arena, why.message);
    why.details = fer_arena_copy(r->arena, why.details);
    why.caused_by = fer_arena_copy(r->arena, why.caused_by);
    settle(t, s, &why);
    go(t);
}

/* Steps that run beside the one that waits keep the time that they were given. */
void fer_chain_stand(const fer_call *c, bool stands)
{
    const thread *t = c->done == on_done ? c->done_context : NULL;
    running *r = t ? t->run : NULL;
    if (!r) return;
    if (stands && !r->standing++) r->stood = fer_clock_mono();
    if (!stands && !--r->standing) r->deadline += fer_clock_mono() - r->stood;
}

static void call_step(thread *t, const fer_step *s)
{
    running *r = t->run;
    fer_str args;
    fer_err err = {0};
    fer_call_options o = r->options;
    int64_t rest = (r->deadline - fer_clock_mono()) / MS;
    char key[FER_KEY_STEP];
    fer_code code = fer_step_args(r->arena, s, source, t, &args, &err);
    if (!code && o.idempotency_key.len) { /* each step has a key of its own (5.4.10) */
        code = fer_key_step(o.idempotency_key, s->slot, key, &err);
        o.idempotency_key = fer_str_of(key);
    }
    if (code) {
        fail_step(t, s, code, "validate_input", &err);
        return;
    }
    o.deadline = rest > 0 ? 0 : 1;
    o.deadline_ms = s->deadline_ms && s->deadline_ms < rest ? s->deadline_ms : rest;
    o.timeout_ms = s->timeout_ms;
    o.constraint = FER_STR("");
    o.causation_id = r->options.correlation_id;
    o.origin = "chain";
    o.dry_run = false;
    o.on_event = r->options.on_event ? on_event : NULL;
    o.context = t;
    t->busy = true;
    code = fer_gateway_call(r->gateway, s->tool, args, &o, on_done, t, &r->outcomes[s->slot].call,
                            &err);
    if (code) fail_step(t, s, code, "resolve", &err);
}

/* ---- groups
 * ------------------------------------------------------------------------------------------- */

/* The list of what the branches gave. */
static void end_group(thread *t, const fer_step *s)
{
    running *r = t->run;
    fer_buf b;
    fer_err err = {0};
    fer_buf_init(&b, r->arena, FER_CHAIN_MEMORY);
    for (size_t i = 0; i < s->branch_count; i++) {
        const fer_steps *branch = &s->branches[i];
        fer_str output = r->outcomes[branch->list[branch->count - 1].slot].output;
        fer_buf_add_text(&b, i ? "," : "[");
        fer_buf_add(&b, output.len ? output : FER_STR("null"));
    }
    fer_buf_add_char(&b, ']');
    fer_code code = fer_buf_code(&b, &err);
    if (!code) code = keep_value(r, &r->outcomes[s->slot], fer_buf_view(&b), &err);
    if (code) fail_step(t, s, code, "execute", &err);
    else settle(t, s, &(fer_call_error){0});
}

static void begin_group(thread *t, const fer_step *s)
{
    running *r = t->run;
    thread *list = fer_arena_alloc_zero(r->arena, s->branch_count, sizeof *list);
    fer_err err = {0};
    if (!list) {
        fer_code code = fer_arena_failed(r->arena, &err);
        fail_step(t, s, code, "execute", &err);
        return;
    }
    t->busy = true;
    t->waits = s->branch_count;
    for (size_t i = 0; i < s->branch_count; i++)
        list[i] = (thread){.run = r, .steps = &s->branches[i], .previous = t->previous, .above = t};
    for (size_t i = 0; i < s->branch_count; i++) go(&list[i]);
}

/* ---- threads
 * ------------------------------------------------------------------------------------------ */

static void begin_step(thread *t)
{
    running *r = t->run;
    const fer_step *s = t->now ? t->now : &t->steps->list[t->at];
    fer_err err = {0};
    fer_code code;
    t->now = s;
    bool wanted = holds(t, s, &err, &code);
    if (code) {
        fail_step(t, s, code, "validate_input", &err);
    } else if (!wanted) { /* what was before stays before */
        r->outcomes[s->slot].state = FER_STEP_SKIPPED;
        t->now = NULL;
        t->at++;
    } else if (s->branch_count) {
        begin_group(t, s);
    } else {
        call_step(t, s);
    }
}

static void end_thread(thread *t)
{
    thread *above = t->above;
    if (!above) {
        finish(t->run);
        return;
    }
    if (--above->waits) return;
    if (t->run->over) above->busy = false;
    else end_group(above, above->now);
    go(above);
}

static void go(thread *t)
{
    if (t->moving) return; /* whoever moves it sees that it is busy no more */
    t->moving = true;
    while (!t->busy && !t->run->over && t->at < t->steps->count) begin_step(t);
    t->moving = false;
    if (!t->busy) end_thread(t);
}

/* ---- the beginning
 * ------------------------------------------------------------------------------------- */

static fer_code begin(running *r, fer_str input, fer_err *err)
{
    fer_json *doc;
    fer_call_options *o = &r->options;
    char id[FER_UUID_TEXT];
    fer_str text = fer_arena_copy(r->arena, input.len ? input : FER_STR("null"));
    if (!text.ptr) return fer_arena_failed(r->arena, err);
    fer_code code = fer_json_read(r->arena, text, NULL, &doc, err);
    if (code) return code;
    r->input = fer_json_root(doc);
    if (!o->correlation_id.len && !fer_gateway_uuid(r->gateway, id))
        return fer_fail(err, FER_IO_ERROR, "the system has no randomness");
    o->correlation_id =
        fer_arena_copy(r->arena, o->correlation_id.len ? o->correlation_id : fer_str_of(id));
    r->outcomes = fer_arena_alloc_zero(r->arena, r->chain->slots, sizeof *r->outcomes);
    if (!r->outcomes || !o->correlation_id.ptr) return fer_arena_failed(r->arena, err);
    return FER_OK;
}

/* The time for all of it: the tighter of the caller's and the chain's, ns. */
static int64_t budget(const running *r)
{
    int64_t ms = r->options.deadline_ms, own = r->chain->deadline_ms, rest;
    if (own && (ms <= 0 || own < ms)) ms = own;
    if (r->options.deadline > 0) {
        rest = r->options.deadline - fer_clock_wall();
        if (ms <= 0 || rest < ms) ms = rest > 0 ? rest : 0;
    } else if (ms <= 0) {
        ms = r->gateway->options.deadline_ms;
    }
    return (ms < FER_CALL_DEADLINE_MAX ? ms : FER_CALL_DEADLINE_MAX) * MS;
}

static void list_steps(running *r, const fer_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        const fer_step *s = &steps->list[i];
        assert(r->outcomes && s->slot < r->chain->slots); /* slots are counted as steps are read */
        r->outcomes[s->slot].step = s;
        if (s->fallback) {
            r->outcomes[s->fallback->slot].step = s->fallback;
            r->outcomes[s->fallback->slot].state = FER_STEP_SKIPPED;
        }
        for (size_t k = 0; k < s->branch_count; k++) list_steps(r, &s->branches[k]);
    }
}

fer_code fer_gateway_chain(fer_gateway *g, const fer_chain *chain, fer_str input,
                           const fer_call_options *options, fer_chain_done *done, void *context,
                           fer_err *err)
{
    fer_arena *a = fer_arena_new(FER_CHAIN_MEMORY);
    running *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    thread *first = r ? fer_arena_alloc_zero(a, 1, sizeof *first) : NULL;
    if (!first) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    *r = (running){.arena = a, .gateway = g, .chain = chain, .done = done, .context = context};
    if (options) r->options = *options;
    r->began = fer_clock_mono();
    r->deadline = r->began + budget(r);
    *first = (thread){.run = r, .steps = &chain->steps};
    fer_code code = begin(r, input, err);
    if (code) {
        fer_arena_free(a);
        return code;
    }
    list_steps(r, &chain->steps);
    go(first);
    return FER_OK;
}

/* ---- ending one from outside
 * ---------------------------------------------------------------------- */

/* A call of the chain that was begun with this context, and that may still be stopped. */
static fer_call *call_of(const fer_gateway *g, const void *context)
{
    for (fer_call *c = g->active; c; c = c->next) {
        const thread *t = c->done == on_done ? c->done_context : NULL;
        if (t && t->run->context == context && !c->cancelled && !c->wanted) return c;
    }
    return NULL;
}

void fer_gateway_cancel_chain(fer_gateway *g, const void *context)
{
    static const fer_call_error cancelled = {.code = FER_CANCELLED,
                                             .message = {"the chain was cancelled", 23},
                                             .details = {"", 0},
                                             .op = "execute",
                                             .caused_by = {"", 0}};
    /* With its last call the chain is gone: it is looked for anew each time. */
    for (size_t left = g->active_count; left > 0; left--) {
        fer_call *c = call_of(g, context);
        if (!c) return;
        thread *t = c->done_context;
        if (!t->run->over) {
            t->run->over = true;
            t->run->error = cancelled;
            t->run->failed_step = t->now->id;
        }
        fer_call_stop(c, FER_CANCEL_CLIENT_CANCELLED);
    }
}
