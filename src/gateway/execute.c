/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage in which the tool runs: a backend is chosen, the attempt is made, time is kept, and
 * what the tool says on the way is passed on. The life of it: begin -> news, any number -> the end,
 * which the runner tells or a time limit or somebody's cancel brings about -> judge.
 */
#include "choose.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"

#define MS               INT64_C(1000000) /* ns */
#define RESERVE_MS       5                /* of a deadline, for the answer itself */
#define SLOW_CONSUMER_MS 10000            /* that a listener may be behind */

/* ---- time
 * ------------------------------------------------------------------------------------------ */

/* What is kept back of the time that is left, so that the answer can still be made (5.2.2). */
static int64_t reserve(int64_t rest)
{
    int64_t share = rest / 50;
    return share > RESERVE_MS * MS ? share : RESERVE_MS * MS;
}

/* When this attempt must end; `*whole`: that is the end of the call, too. */
static int64_t attempt_limit(const fer_call *c, int64_t now, bool *whole)
{
    int64_t rest = c->deadline - now, ms = c->options.timeout_ms;
    int64_t limit = rest - reserve(rest);
    if (limit < MS) limit = rest < MS ? rest : MS;
    int64_t own = c->ready->timeout_ms ? c->ready->timeout_ms : c->runner->timeout_ms;
    if (own <= 0) own = c->gateway->options.timeout_ms;
    if (ms <= 0 || (own > 0 && own < ms)) ms = own;
    *whole = ms <= 0 || ms * MS >= limit;
    return now + (*whole ? limit : ms * MS);
}

static void on_limit(uv_timer_t *timer)
{
    fer_call *c = (fer_call *)((char *)timer - offsetof(fer_call, limit));
    bool whole;
    if (c->wanted) {
        fer_call_stop(c, c->wanted);
        return;
    }
    attempt_limit(c, c->attempt_began, &whole);
    fer_call_stop(c, whole ? FER_CANCEL_DEADLINE : FER_CANCEL_TIMEOUT);
}

/* A quiet stream says that it lives; a listener that does not catch up is given up. */
static void on_pulse(uv_timer_t *timer)
{
    fer_call *c = (fer_call *)((char *)timer - offsetof(fer_call, pulse));
    if (c->paused) fer_call_stop(c, FER_CANCEL_SLOW_CONSUMER);
    else fer_call_tell(c, FER_STREAM_HEARTBEAT, FER_STR("{}"));
}

static void beat(fer_call *c, uint64_t ms)
{
    uv_timer_start(&c->pulse, on_pulse, ms, FER_HEARTBEAT_MS);
}

/* ---- streams
 * ----------------------------------------------------------------------------------------- */

void fer_call_tell(fer_call *c, fer_event_type kind, fer_str data)
{
    if (!c->options.on_event) return;
    fer_stream_event e = {.kind = kind,
                          .tool_id = c->envelope.tool_id,
                          .correlation_id = c->envelope.correlation_id,
                          .sequence = c->sequence,
                          .data = data};
    c->sequence += kind != FER_STREAM_HEARTBEAT;
    c->telling = true;
    bool more = c->options.on_event(c->options.context, c, &e);
    c->telling = false;
    if (more || c->over || c->attempt.ended || c->paused) return;
    c->paused = true;
    beat(c, SLOW_CONSUMER_MS);
    const fer_runner_kind *kind_of = c->runner->kind;
    if (kind_of->pause) kind_of->pause(c->runner, &c->attempt, true);
}

void fer_call_resume(fer_call *c)
{
    if (!c->paused) return;
    c->paused = false;
    beat(c, FER_HEARTBEAT_MS);
    if (!c->attempt.ended && c->runner->kind->pause)
        c->runner->kind->pause(c->runner, &c->attempt, false);
}

static void on_news(fer_attempt *t, fer_news kind, fer_str json)
{
    fer_call *c = t->call;
    if (c->paused && kind == FER_NEWS_PROGRESS) return; /* a later one says more */
    if (!c->paused) beat(c, FER_HEARTBEAT_MS);
    fer_call_tell(c, kind == FER_NEWS_CHUNK ? FER_STREAM_CHUNK : FER_STREAM_PROGRESS, json);
}

/* ---- the attempt
 * --------------------------------------------------------------------------------------- */

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    fer_call *c = t->call;
    c->outcome = *o;
    fer_call_go(c);
}

static void begin(fer_call *c)
{
    const fer_ready *r = c->ready;
    const fer_backend *b = &c->envelope.backend;
    bool whole;
    c->attempt_began = fer_clock_mono();
    c->attempt = (fer_attempt){.arena = c->arena,
                               .runner = c->runner,
                               .tool = b->tool.len ? b->tool : r->name,
                               .args = fer_json_root(c->args),
                               .args_json = c->args_json,
                               .definition = r->definition,
                               .deadline = attempt_limit(c, c->attempt_began, &whole),
                               .call_id = fer_str_of(c->id),
                               .correlation_id = c->options.correlation_id,
                               .traceparent = fer_str_of(c->traceparent),
                               .idempotency_key = c->options.idempotency_key,
                               .number = (unsigned)__builtin_popcountll(c->tried),
                               .wants_news = c->options.on_event != NULL,
                               .on_news = on_news,
                               .on_end = on_end,
                               .call = c};
    c->runner->kind->call(c->runner, &c->attempt);
}

static void wait(fer_call *c)
{
    int64_t now = fer_clock_mono(), left = c->attempt.deadline - now;
    uv_update_time(c->gateway->loop);
    if (c->wanted) left = 0;
    uv_timer_start(&c->limit, on_limit, left > 0 ? (uint64_t)((left + MS - 1) / MS) : 0, 0);
    if (c->options.on_event && !c->paused) beat(c, FER_HEARTBEAT_MS);
}

/* ---- how it ended
 * ----------------------------------------------------------------------------------------- */

static fer_code code_of_cancel(fer_cancel reason)
{
    switch (reason) {
    case FER_CANCEL_DEADLINE: return FER_DEADLINE_EXCEEDED;
    case FER_CANCEL_TIMEOUT: return FER_TIMEOUT;
    case FER_CANCEL_BACKEND_LOST: return FER_BACKEND_UNAVAILABLE;
    default: return FER_CANCELLED;
    }
}

static fer_move refuse_cancelled(fer_call *c, fer_code code)
{
    int64_t ms = (fer_clock_mono() - c->attempt_began) / MS;
    c->envelope.cancelled = fer_cancel_names[c->cancelled];
    if (code == FER_CANCELLED)
        return fer_call_refuse(c, code, "the call was cancelled: %s", c->envelope.cancelled);
    return fer_call_refuse(c, code, "the tool had not answered after %lld ms", (long long)ms);
}

/* What may have changed something, and nobody knows, is not called by any other name (5.2.10). */
static fer_move doubt(fer_call *c)
{
    fer_call_error *e = &c->envelope.error;
    const fer_code_row *row = fer_code_info(e->code), *unknown = fer_code_info(FER_OUTCOME_UNKNOWN);
    fer_str was = e->message;
    fer_call_refuse(c, FER_OUTCOME_UNKNOWN, "%s %.*s", unknown->text, FER_PRI(was));
    e->caused_by = fer_str_of(row->name);
    e->details = fer_arena_printf(c->arena, "{\"cause\":\"%s\"}", row->name);
    return FER_MOVE_REPLY;
}

static fer_move judge(fer_call *c)
{
    const fer_outcome *o = &c->outcome;
    fer_call_error *e = &c->envelope.error;
    uv_timer_stop(&c->limit);
    uv_timer_stop(&c->pulse);
    c->envelope.attempts = c->attempt.sent ? 1 : 0;
    if (o->code == FER_OK && !c->cancelled) return FER_MOVE_NEXT;
    if (c->cancelled) refuse_cancelled(c, code_of_cancel(c->cancelled));
    else fer_call_refuse(c, o->code, "%.*s", FER_PRI(o->message));
    if (o->details.len && !c->cancelled) e->details = o->details;
    e->retry_after_ms = o->retry_after_ms;
    if (o->phase == FER_PHASE_AMBIGUOUS && c->attempt.sent && c->ready->effect != FER_EFFECT_PURE)
        return doubt(c);
    return FER_MOVE_REPLY;
}

fer_move fer_stage_execute(fer_call *c)
{
    do {
        if (c->runner) continue; /* it was begun before */
        fer_move chosen = fer_call_choose(c);
        if (chosen != FER_MOVE_NEXT) return chosen;
        if (c->options.dry_run) return FER_MOVE_REPLY;
        begin(c);
        if (!c->attempt.ended) wait(c);
    } while (c->attempt.ended && fer_call_fails_over(c));
    return c->attempt.ended ? judge(c) : FER_MOVE_WAIT;
}

void fer_call_stop(fer_call *c, fer_cancel reason)
{
    if (c->over || c->cancelled || !c->runner || c->attempt.ended) return;
    if (c->telling || c->moving) { /* whoever speaks of the attempt just now still needs it */
        c->wanted = c->wanted ? c->wanted : reason;
        uv_timer_start(&c->limit, on_limit, 0, 0);
        return;
    }
    c->cancelled = reason;
    if (c->runner->kind->cancel) c->runner->kind->cancel(c->runner, &c->attempt, reason);
    else fer_attempt_fail(&c->attempt, FER_CANCELLED, "%s", fer_cancel_names[reason]);
}
