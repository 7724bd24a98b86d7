/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage in which the tool runs: the call takes its turn, claims its key, has its beginning
 * recorded, and attempts are made until one is the last; what the tool says on the way is passed
 * on. The life of an attempt: begin -> news, any number -> the end, which the runner tells or a
 * time limit or somebody's cancel brings about -> judge, which may lead to a pause and another one.
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

/* What the tool, its backend or the gateway names for one attempt; 0: nobody does. */
static int64_t own_timeout(const fer_call *c)
{
    int64_t own = c->ready->policy.timeout_ms ? c->ready->policy.timeout_ms : c->runner->timeout_ms;
    return own > 0 ? own : c->gateway->options.timeout_ms;
}

/* When this attempt must end; `*whole`: that is the end of the call, too. */
static int64_t attempt_limit(const fer_call *c, int64_t now, bool *whole)
{
    int64_t rest = c->deadline - now, ms = c->options.timeout_ms;
    int64_t limit = rest - reserve(rest);
    if (limit < MS) limit = rest < MS ? rest : MS;
    int64_t own = own_timeout(c);
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
    } else if (c->stage == FER_STAGE_RECALL) { /* it waits for another's work */
        fer_call_stop(c, FER_CANCEL_DEADLINE);
    } else if (c->step == FER_AT_TURN || c->step == FER_AT_PAUSE) {
        fer_call_leave_queue(c);
        if (c->step == FER_AT_PAUSE) c->step = FER_AT_ATTEMPT;
        fer_call_go(c);
    } else if (c->step == FER_AT_RUNNING && !c->attempt.ended) {
        attempt_limit(c, c->attempt_began, &whole);
        fer_call_stop(c, whole ? FER_CANCEL_DEADLINE : FER_CANCEL_TIMEOUT);
    }
}

void fer_call_keep_time(fer_call *c, int64_t ms)
{
    uv_timer_start(&c->limit, on_limit, ms > 0 ? (uint64_t)ms : 0, 0);
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
    if (kind == FER_NEWS_CHUNK) c->committed = true;
    fer_call_tell(c, kind == FER_NEWS_CHUNK ? FER_STREAM_CHUNK : FER_STREAM_PROGRESS, json);
}

/* ---- the attempt
 * --------------------------------------------------------------------------------------- */

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    fer_call *c = t->call;
    c->outcome = *o;
    fer_call_hold(c, o->structured_json.len + o->mcp_result.len);
    fer_call_go(c);
}

/* Who tries again, as the backend is told: whoever did so first. */
static fer_str retry_owner(const fer_call *c)
{
    fer_str above = c->options.retry_owner;
    return fer_key_valid(above) ? above : FER_STR(FER_RETRY_OWNER_NAME);
}

/* Whose token the backend is shown, where there is one for each. */
static fer_token_owner owner_of(const fer_call *c)
{
    const fer_caller *who = c->options.caller;
    return who ? (fer_token_owner){who->tenant, who->principal}
               : (fer_token_owner){FER_STR(""), FER_STR("")};
}

static void begin(fer_call *c)
{
    c->step = FER_AT_RUNNING;
    c->outcome = (fer_outcome){0};
    const fer_ready *r = c->ready;
    const fer_backend *b = &c->envelope.backend;
    bool whole;
    c->attempt_began = c->now;
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
                               .idempotency_key = fer_str_of(c->downstream),
                               .ticket = ++c->gateway->tickets,
                               .retry_owner = retry_owner(c),
                               .number = ++c->tries,
                               .mcp = c->options.mcp,
                               .owner = owner_of(c),
                               .repeatable = c->effect <= FER_EFFECT_IDEMPOTENT_WRITE ||
                                             c->downstream[0] != '\0',
                               .wants_news = c->options.on_event != NULL,
                               .on_news = on_news,
                               .on_end = on_end,
                               .call = c};
    c->runner->kind->call(c->runner, &c->attempt);
}

static void wait(fer_call *c)
{
    int64_t left = c->attempt.deadline - c->now;
    uv_update_time(c->gateway->loop);
    if (c->wanted) left = 0;
    uv_timer_start(&c->limit, on_limit, left > 0 ? (uint64_t)((left + MS - 1) / MS) : 0, 0);
    if (c->options.on_event && !c->paused) beat(c, FER_HEARTBEAT_MS);
}

/* The time of a call does not pass while its caller is asked something by the tool. */
void fer_call_stand(fer_call *c)
{
    bool running = c->stage == FER_STAGE_EXECUTE && c->step == FER_AT_RUNNING && !c->attempt.ended;
    if (!running || c->standing++) return;
    c->stood = fer_clock_mono();
    fer_chain_stand(c, true);
    if (!c->wanted) uv_timer_stop(&c->limit);
}

void fer_call_proceed(fer_call *c)
{
    if (!c->standing || --c->standing) return;
    c->now = fer_clock_mono();
    int64_t passed = c->now - c->stood;
    fer_chain_stand(c, false);
    c->deadline += passed;
    c->attempt.deadline += passed;
    c->attempt_began += passed;
    if (!c->attempt.ended) wait(c);
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

fer_move fer_call_refuse_cancelled(fer_call *c)
{
    fer_code code = code_of_cancel(c->cancelled);
    int64_t ms = (fer_clock_mono() - (c->attempt_began ? c->attempt_began : c->began)) / MS;
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
    fer_str was = e->message, text = fer_str_of(unknown->text);
    if (fer_str_ends(text, ".")) text.len--; /* what it comes from goes on with the sentence */
    fer_call_refuse(c, FER_OUTCOME_UNKNOWN, "%.*s: %.*s", FER_PRI(text), FER_PRI(was));
    e->caused_by = fer_str_of(row->name);
    e->details = fer_arena_printf(c->arena, "{\"cause\":\"%s\"}", row->name);
    return FER_MOVE_REPLY;
}

/* What the breaker makes of it (5.6): never what the tool itself said, nor what the caller's own
 * haste brought about. */
static fer_breaker_outcome breaker_outcome(const fer_call *c, const fer_outcome *o)
{
    int64_t own = own_timeout(c);
    if (!o->code && !c->cancelled) return FER_BREAKER_OK;
    if (c->cancelled) {
        bool full = own > 0 && c->attempt.deadline - c->attempt_began >= own * MS;
        return c->cancelled == FER_CANCEL_TIMEOUT && full ? FER_BREAKER_FAILURE
                                                          : FER_BREAKER_NEITHER;
    }
    if (o->phase == FER_PHASE_DEFINITE || o->vacant) return FER_BREAKER_NEITHER;
    /* A backend that wants to know who asks is well; waiting mends nothing. */
    if (o->code == FER_UNAUTHENTICATED || o->code == FER_FORBIDDEN) return FER_BREAKER_NEITHER;
    /* So is one whose answer is more than may be read, or than there is memory for here. */
    if (o->code == FER_RESOURCE_LIMIT || o->code == FER_OUT_OF_MEMORY) return FER_BREAKER_NEITHER;
    if (o->phase == FER_PHASE_NOT_PROCESSED && o->code == FER_RATE_LIMITED)
        return FER_BREAKER_NEITHER;
    return FER_BREAKER_FAILURE;
}

/* All calls that a backend had when it died, or when its connections were lost, fail by one loss:
 * the first of them counts, or five calls at once would open its circuit, and nobody be served by
 * what takes its place. */
static bool is_of_same_loss(fer_call *c, const fer_outcome *o)
{
    fer_scope *s = c->scopes[FER_SCOPE_BACKEND];
    if (o->code != FER_BACKEND_CRASHED && o->code != FER_CONNECTION_LOST) return false;
    if (c->probing) return false;
    if (s->lost && c->attempt_began <= s->lost) return true;
    s->lost = fer_clock_mono();
    return false;
}

/* Everybody who counts hears of the end of an attempt. */
static void count_attempt(fer_call *c)
{
    uv_timer_stop(&c->limit);
    uv_timer_stop(&c->pulse);
    if (c->standing) fer_chain_stand(c, false);
    c->standing = 0;
    const fer_outcome *o = &c->outcome;
    fer_scope *s = c->scopes[FER_SCOPE_BACKEND];
    c->now = fer_clock_mono(); /* a runner that does not wait has taken its time */
    int64_t us = (c->now - c->attempt_began) / 1000;
    fer_breaker_outcome outcome = breaker_outcome(c, o);
    if (outcome == FER_BREAKER_FAILURE && is_of_same_loss(c, o)) outcome = FER_BREAKER_NEITHER;
    c->sent += c->attempt.sent;
    c->failed_once |= o->code || c->cancelled;
    if (c->cancelled && c->attempt.sent) fer_call_expect_late(c);
    c->nothing_sent = !c->attempt.sent || (o->code && o->phase <= FER_PHASE_NOT_PROCESSED);
    s->service_us = s->service_us ? (s->service_us * 7 + us) / 8 : us;
    fer_call_tell_circuits(c, outcome, us / 1000);
    if (outcome == FER_BREAKER_OK) fer_retry_succeeded(&s->retries);
    if (outcome == FER_BREAKER_FAILURE || c->cancelled == FER_CANCEL_TIMEOUT)
        fer_retry_failed(&s->retries);
    fer_call_record_attempt(c);
}

/* The envelope of a failed attempt. */
static void describe(fer_call *c)
{
    const fer_outcome *o = &c->outcome;
    fer_call_error *e = &c->envelope.error;
    if (c->cancelled) fer_call_refuse_cancelled(c);
    else fer_call_refuse(c, o->code, "%.*s", FER_PRI(o->message));
    if (o->code == FER_UNAUTHENTICATED)
        fer_own_tools_refused(c->gateway, c->runner, c->options.caller);
    if (o->details.len && !c->cancelled) e->details = o->details;
    e->retry_after_ms = o->retry_after_ms;
}

/* Whether there is another attempt: then its time has been set. */
static bool try_again(fer_call *c)
{
    const fer_outcome *o = &c->outcome;
    int64_t wait = 0, rest = c->deadline - fer_clock_mono();
    bool mine = c->cancelled && c->cancelled != FER_CANCEL_TIMEOUT;
    fer_retry_case again = {.policy = &c->ready->policy.retry,
                            .budget = &c->scopes[FER_SCOPE_BACKEND]->retries,
                            .effect = c->effect,
                            .keyed = c->keyed,
                            .phase = o->phase,
                            .passing = !mine && !o->vacant && c->envelope.error.retryable,
                            .committed = c->committed,
                            .owned = c->options.retry_owner.len > 0,
                            .attempts = c->tries,
                            .rest_ms = (rest - reserve(rest)) / MS,
                            .retry_after_ms = o->retry_after_ms,
                            .random = fer_gateway_chance(c->gateway)};
    c->why_not = fer_retry_decide(&again, &wait);
    if (c->why_not != FER_RETRY_YES) return false;
    c->cancelled = FER_CANCEL_NONE;
    c->envelope.cancelled = NULL;
    c->envelope.error = (fer_call_error){0};
    c->envelope.status = FER_STATUS_OK;
    c->step = FER_AT_PAUSE;
    uv_update_time(c->gateway->loop);
    fer_call_keep_time(c, wait);
    return true;
}

static fer_move judge(fer_call *c)
{
    const fer_outcome *o = &c->outcome;
    if (o->code == FER_OK && !c->cancelled) {
        c->doubtful = false;
        return FER_MOVE_NEXT;
    }
    describe(c);
    bool unclear = o->phase == FER_PHASE_AMBIGUOUS && c->attempt.sent;
    if (c->effect != FER_EFFECT_PURE && unclear) c->doubtful = true;
    else if (o->phase == FER_PHASE_DEFINITE) c->doubtful = false;
    if (try_again(c)) return FER_MOVE_WAIT;
    return c->doubtful ? doubt(c) : FER_MOVE_REPLY;
}

/* ---- the stage
 * ----------------------------------------------------------------------------------------- */

/* What comes before the first attempt; each part may wait for somebody. */
static fer_move prepare(fer_call *c)
{
    fer_move move = FER_MOVE_NEXT;
    if (c->step == FER_AT_TURN) {
        move = fer_call_take_turn(c);
        if (move != FER_MOVE_NEXT) return move;
        c->step = FER_AT_CLAIM;
        move = fer_call_claim(c);
        if (move != FER_MOVE_NEXT && c->asking) return FER_MOVE_WAIT;
        if (move == FER_MOVE_REPLY) return move;
    }
    if (c->step == FER_AT_CLAIM) {
        if (c->envelope.error.code || c->shared) return FER_MOVE_REPLY; /* what the claim found */
        if (c->kept) return fer_call_refuse(c, c->kept, "the idempotency key could not be claimed");
        c->step = FER_AT_BEGIN;
        move = fer_call_record_begin(c);
        if (move != FER_MOVE_NEXT) return move;
    }
    if (c->step == FER_AT_BEGIN) {
        if (c->kept && c->effect != FER_EFFECT_PURE) {
            c->begun = false;
            return fer_call_refuse(c, FER_LEDGER_UNAVAILABLE,
                                   "the ledger cannot record the call, so it was not made");
        }
        c->kept = FER_OK;
        c->step = FER_AT_ATTEMPT;
    }
    return FER_MOVE_NEXT;
}

/* The next attempt, where it is time for it. */
static fer_move attempt(fer_call *c)
{
    if (c->cancelled && c->step != FER_AT_RUNNING) {
        fer_call_refuse_cancelled(c);
        return c->doubtful ? doubt(c) : FER_MOVE_REPLY;
    }
    if (c->step < FER_AT_ATTEMPT) {
        fer_move move = prepare(c);
        if (move == FER_MOVE_REPLY) fer_call_give_back(c);
        if (move != FER_MOVE_NEXT) return move;
    }
    if (c->step == FER_AT_PAUSE) return FER_MOVE_WAIT;
    if (c->step == FER_AT_ATTEMPT) {
        begin(c);
        if (!c->attempt.ended) wait(c);
    }
    return c->attempt.ended ? FER_MOVE_NEXT : FER_MOVE_WAIT;
}

fer_move fer_stage_execute(fer_call *c)
{
    if (c->asking) return FER_MOVE_WAIT;
    if (c->options.dry_run) return FER_MOVE_REPLY;
    do {
        fer_move move = attempt(c);
        if (move != FER_MOVE_NEXT) return move;
        count_attempt(c);
    } while (fer_call_may_fail_over(c) && fer_call_change_backend(c));
    return judge(c);
}

/* ---- its early end
 * ------------------------------------------------------------------------------------- */

/* Whether the work goes on although its caller is gone (5.2.8): others wait for it, or a retry with
 * the key shall find the result. */
static bool goes_on(const fer_call *c, fer_cancel reason)
{
    if (reason != FER_CANCEL_CLIENT_CLOSED && reason != FER_CANCEL_CLIENT_CANCELLED) return false;
    if (!c->done || c->stage != FER_STAGE_EXECUTE || c->gateway->closing) return false;
    if (c->flight && c->flight->leader == c && c->flight->waiting) return true;
    if (c->step != FER_AT_RUNNING || !c->attempt.sent) return false;
    fer_on_close how = c->ready->policy.on_close;
    if (how == FER_CLOSE_BY_EFFECT)
        how = c->keyed && c->effect == FER_EFFECT_IDEMPOTENT_WRITE ? FER_CLOSE_FINISH
                                                                   : FER_CLOSE_CANCEL;
    return how == FER_CLOSE_FINISH;
}

static void leave(fer_call *c, fer_cancel reason)
{
    fer_envelope kept = c->envelope;
    c->cancelled = reason;
    fer_call_refuse_cancelled(c);
    if (c->effect != FER_EFFECT_PURE && c->attempt.sent) doubt(c);
    c->envelope.attempts = c->sent + c->attempt.sent;
    c->envelope.duration_us = (fer_clock_mono() - c->began) / 1000;
    c->cancelled = FER_CANCEL_NONE;
    fer_call_leave(c);
    c->envelope = kept;
}

void fer_call_stop(fer_call *c, fer_cancel reason)
{
    bool running = c->stage == FER_STAGE_EXECUTE && c->step == FER_AT_RUNNING;
    if (c->over || c->cancelled || c->stage < FER_STAGE_RECALL || (running && c->attempt.ended))
        return;
    if (c->telling || c->moving) { /* whoever speaks of the attempt just now still needs it */
        c->wanted = c->wanted ? c->wanted : reason;
        uv_timer_start(&c->limit, on_limit, 0, 0);
        return;
    }
    if (goes_on(c, reason)) {
        leave(c, reason);
        return;
    }
    c->cancelled = reason;
    if (running) {
        if (c->runner->kind->cancel) c->runner->kind->cancel(c->runner, &c->attempt, reason);
        else fer_attempt_fail(&c->attempt, FER_CANCELLED, "%s", fer_cancel_names[reason]);
        return;
    }
    uv_timer_stop(&c->limit);
    if (c->stage == FER_STAGE_RECALL) fer_call_detach(c);
    else fer_call_leave_queue(c);
    fer_call_go(c);
}
