/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may run, and when. The stage `admit` has what costs nothing to ask: time, rates, budgets. A
 * turn is taken in `execute`, once it is known that the tool must run at all: a call that is
 * answered from memory needs none. Whoever does not get a turn at once waits in the queue of its
 * backend, or is refused where that would take too long.
 */
#include "choose.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "own_id.h"
#include "sys.h"

#define MS      INT64_C(1000000) /* ns */
#define SHED_MS 1000             /* after which a call that was shed may come again */

/* ---- the stage -------------------------------------------------------------------------------
 */

static int64_t earlier(int64_t one, int64_t other)
{
    return one <= 0 ? other : other <= 0 || one < other ? one : other;
}

/* The time that is left for all of it, ns: the caller's and the tool's limit, the tighter of both.
 */
static int64_t time_for(const fer_call *c)
{
    int64_t ms = earlier(c->options.deadline_ms, c->ready->policy.deadline_ms), rest;
    if (c->options.deadline > 0) {
        rest = c->options.deadline - fer_clock_wall();
        if (rest <= 0) return 0;
        ms = earlier(ms, rest);
    }
    if (ms <= 0) ms = c->gateway->options.deadline_ms;
    return (ms < FER_CALL_DEADLINE_MAX ? ms : FER_CALL_DEADLINE_MAX) * MS;
}

/* What is counted for this call. */
static fer_move find_scopes(fer_call *c)
{
    fer_scopes *s = &c->gateway->scopes;
    const fer_caller *who = c->options.caller;
    fer_effect_said said = c->ready->said;
    c->scopes[FER_SCOPE_TOOL] =
        fer_scope_get(s, FER_SCOPE_TOOL, c->ready->base, &c->ready->policy.scope);
    c->scopes[FER_SCOPE_BACKEND] =
        fer_scope_get(s, FER_SCOPE_BACKEND, c->envelope.backend.name, NULL);
    if (who && who->tenant.len)
        c->scopes[FER_SCOPE_TENANT] = fer_scope_get(s, FER_SCOPE_TENANT, who->tenant, NULL);
    if (!c->scopes[FER_SCOPE_TOOL] || !c->scopes[FER_SCOPE_BACKEND] ||
        (who && who->tenant.len && !c->scopes[FER_SCOPE_TENANT]))
        return fer_call_refuse(c, FER_OUT_OF_MEMORY, "out of memory");
    /* As its newest definition says; those of single tenants have no say in what all share. */
    if (!fer_id_is_own(c->ready->entry->value.key))
        c->scopes[FER_SCOPE_TOOL]->policy = c->ready->policy.scope;
    said.foreign = c->envelope.backend.kind == FER_BACKEND_MCP;
    said.trusted = c->scopes[FER_SCOPE_BACKEND]->policy.trusted;
    c->effect = fer_effect_settle(&said, &c->effect_by);
    return FER_MOVE_NEXT;
}

/* Which limit it was, for logs. */
static void name_limit(fer_call *c, const fer_scope *s)
{
    c->limit_id =
        fer_arena_printf(c->arena, "%s:%.*s", fer_scope_names[s->kind], (int)s->name_len, s->name);
}

static fer_move refuse_for(fer_call *c, fer_code code, const fer_scope *s, int64_t after_ms,
                           const char *what)
{
    fer_call_refuse(c, code, "the %s of %s \"%.*s\" is used up%s", what, fer_scope_names[s->kind],
                    (int)s->name_len, s->name,
                    after_ms > 0 ? "; retryAfterMs says when to come again" : "");
    c->envelope.error.op = fer_stages[FER_STAGE_ADMIT].name;
    c->envelope.error.retry_after_ms = after_ms;
    name_limit(c, s);
    c->envelope.error.details =
        fer_arena_printf(c->arena, "{\"scope\":\"%s\"}", fer_scope_names[s->kind]);
    return FER_MOVE_REPLY;
}

static fer_move ask_scope(fer_call *c, fer_scope *s, int64_t now)
{
    int64_t after = 0;
    if (!fer_rate_ask(&s->rate, &s->policy.rate, now, &after))
        return refuse_for(c, FER_RATE_LIMITED, s, after, "rate limit");
    if (!fer_budget_ask(&s->budget, &s->policy.budget, now, &after))
        return refuse_for(c, FER_BUDGET_EXCEEDED, s, after, "budget");
    return FER_MOVE_NEXT;
}

static void charge_scope(fer_scope *s, int64_t now)
{
    fer_rate_take(&s->rate, &s->policy.rate, now);
    fer_budget_take(&s->budget, &s->policy.budget, now);
}

/* All are asked before one is charged. */
static fer_move charge(fer_call *c, int64_t now)
{
    for (int i = FER_SCOPE_KINDS - 1; i >= 0; i--) { /* the caller's own limits first */
        fer_move move = c->scopes[i] ? ask_scope(c, c->scopes[i], now) : FER_MOVE_NEXT;
        if (move != FER_MOVE_NEXT) return move;
    }
    for (int i = 0; i < FER_SCOPE_KINDS; i++)
        if (c->scopes[i]) charge_scope(c->scopes[i], now);
    c->charged = now;
    return FER_MOVE_NEXT;
}

/* Limits are asked first, as that is cheap (5.7); but what a circuit, a queue or the ledger refuses
 * before any attempt has cost nobody anything. */
static bool is_costless(const fer_call *c)
{
    fer_code code = c->envelope.error.code;
    return c->charged && !c->tries &&
           (code == FER_CIRCUIT_OPEN || code == FER_CONCURRENCY_LIMITED ||
            code == FER_LEDGER_UNAVAILABLE);
}

void fer_call_give_back(fer_call *c)
{
    if (!is_costless(c)) return;
    for (int i = 0; i < FER_SCOPE_KINDS; i++) {
        fer_scope *s = c->scopes[i];
        if (!s) continue;
        fer_rate_give(&s->rate, &s->policy.rate);
        fer_budget_give(&s->budget, &s->policy.budget, c->charged);
    }
    c->charged = 0;
}

fer_move fer_stage_admit(fer_call *c)
{
    fer_gateway *g = c->gateway;
    int64_t rest = time_for(c);
    c->now = fer_clock_mono();
    c->deadline = c->began + rest;
    if (rest <= 0 || c->now >= c->deadline)
        return fer_call_refuse(c, FER_DEADLINE_EXCEEDED,
                               "the deadline had passed before the tool was run");
    if (g->active_count > g->options.calls_max)
        return fer_call_refuse(c, FER_CONCURRENCY_LIMITED,
                               "%zu calls are under way, the limit is %zu", g->active_count - 1,
                               g->options.calls_max);
    if (fer_gateway_must_shed(g)) {
        fer_call_refuse(c, FER_CONCURRENCY_LIMITED,
                        "calls and connections hold %zu bytes, the limit is %zu: come again",
                        fer_gateway_held(g), g->options.bytes_max);
        c->envelope.error.details = FER_STR("{\"scope\":\"gateway\",\"limit\":\"gateway.bytes\"}");
        c->envelope.error.retry_after_ms = SHED_MS;
        return FER_MOVE_REPLY;
    }
    fer_move move = fer_call_choose(c);
    if (move == FER_MOVE_NEXT) move = find_scopes(c);
    return move == FER_MOVE_NEXT ? charge(c, c->now) : move;
}

/* ---- circuits --------------------------------------------------------------------------------
 */

/* A circuit that is half open and nobody's Pure call at hand: the backend is asked for its tools,
 * which changes nothing. */
typedef struct probe {
    fer_listing listing;
    fer_gateway *gateway;
    fer_scope *scope;
    int64_t began;
} probe;

static void tell(fer_gateway *g, fer_scope *s, fer_breaker_outcome outcome, int64_t took_ms,
                 bool probing, int64_t now)
{
    bool changed = fer_breaker_tell(&s->breaker, &s->policy.breaker, outcome, took_ms, probing, now,
                                    fer_gateway_chance(g));
    if (changed) fer_gateway_record_circuit(g, s);
}

static void on_probed(fer_listing *l, fer_code code, fer_str tools, const fer_err *err)
{
    probe *p = l->context;
    (void)tools, (void)err;
    int64_t now = fer_clock_mono();
    tell(p->gateway, p->scope, code ? FER_BREAKER_FAILURE : FER_BREAKER_OK, (now - p->began) / MS,
         true, now);
    p->gateway->probes--;
    fer_arena_free(l->arena);
}

static void probe_backend(fer_call *c, fer_scope *s)
{
    fer_gateway *g = c->gateway;
    fer_arena *a = fer_arena_new(FER_CALL_MEMORY);
    probe *p = a ? fer_arena_alloc_zero(a, 1, sizeof *p) : NULL;
    if (!p) {
        fer_arena_free(a);
        return; /* the probe's time passes, and the next call tries again */
    }
    *p = (probe){{.arena = a, .on_end = on_probed, .context = p}, g, s, fer_clock_mono()};
    g->probes++;
    if (c->runner->kind->list) c->runner->kind->list(c->runner, &p->listing);
    else on_probed(&p->listing, FER_OK, FER_STR("[]"), NULL); /* nothing can be asked: time heals */
}

static fer_move ask_circuit(fer_call *c, fer_scope *s)
{
    int64_t after = 0, own = c->ready->policy.timeout_ms;
    int64_t probe_ms = own > 0 ? own : c->gateway->options.deadline_ms;
    switch (fer_breaker_ask(&s->breaker, &s->policy.breaker, c->effect == FER_EFFECT_PURE, probe_ms,
                            c->now, &after)) {
    case FER_BREAKER_PASS: return FER_MOVE_NEXT;
    case FER_BREAKER_AS_PROBE: c->probing = true; return FER_MOVE_NEXT;
    case FER_BREAKER_ASK: probe_backend(c, s); break;
    default: break;
    }
    fer_call_refuse(c, FER_CIRCUIT_OPEN,
                    "the circuit of %s \"%.*s\" is open: it failed too often of late",
                    fer_scope_names[s->kind], (int)s->name_len, s->name);
    c->envelope.error.op = fer_stages[FER_STAGE_ADMIT].name;
    c->envelope.error.retry_after_ms = after;
    return FER_MOVE_REPLY;
}

static fer_move ask_circuits(fer_call *c)
{
    fer_move move = ask_circuit(c, c->scopes[FER_SCOPE_BACKEND]);
    return move == FER_MOVE_NEXT ? ask_circuit(c, c->scopes[FER_SCOPE_TOOL]) : move;
}

/* One that is open for sure needs no turn to be told so. */
static bool is_shut(const fer_scope *s, int64_t now)
{
    return !s->policy.breaker.off && s->breaker.state == FER_BREAKER_OPEN && now < s->breaker.until;
}

void fer_call_tell_circuits(fer_call *c, fer_breaker_outcome outcome, int64_t took_ms)
{
    tell(c->gateway, c->scopes[FER_SCOPE_BACKEND], outcome, took_ms, c->probing, c->now);
    tell(c->gateway, c->scopes[FER_SCOPE_TOOL], outcome, took_ms, c->probing, c->now);
    c->probing = false;
}

/* ---- turns -----------------------------------------------------------------------------------
 */

static bool has_room(const fer_call *c)
{
    for (int i = 0; i < FER_SCOPE_KINDS; i++)
        if (!fer_scope_has_room(c->scopes[i])) return false;
    return true;
}

static void take(fer_call *c)
{
    c->has_slot = true;
    for (int i = 0; i < FER_SCOPE_KINDS; i++)
        if (c->scopes[i]) c->scopes[i]->running++;
}

static fer_call *call_of(fer_waiter *w)
{
    return (fer_call *)(void *)((char *)w - offsetof(fer_call, waiter));
}

static bool may_go(void *context, fer_waiter *w)
{
    (void)context;
    return has_room(call_of(w));
}

static void note_waiting(fer_gateway *g, fer_scope *s)
{
    bool listed = s->link != NULL;
    if (listed == (s->queue.count > 0)) return;
    if (!listed) {
        s->next = g->scopes.waiting;
        s->link = &g->scopes.waiting;
        if (s->next) s->next->link = &s->next;
        g->scopes.waiting = s;
    } else {
        *s->link = s->next;
        if (s->next) s->next->link = s->link;
        s->next = NULL;
        s->link = NULL;
    }
}

/* It is in the queue no more. */
static void note_wait(fer_call *c, int64_t now)
{
    if (c->queued > 0) c->waited += now - c->queued;
}

/* Lets those go whose turn it is. */
static void pump(fer_gateway *g, fer_scope *s)
{
    while (s->queue.count && fer_scope_has_room(s)) {
        int64_t now = fer_clock_mono();
        fer_waiter *w = fer_queue_pop(&s->queue, may_go, NULL, now);
        if (!w) return;
        note_waiting(g, s);
        note_wait(call_of(w), now);
        take(call_of(w));
        fer_call_go(call_of(w));
    }
}

void fer_call_give_turn(fer_call *c)
{
    fer_gateway *g = c->gateway;
    if (!c->has_slot) return;
    c->has_slot = false;
    for (int i = 0; i < FER_SCOPE_KINDS; i++)
        if (c->scopes[i]) c->scopes[i]->running--;
    if (!g->scopes.waiting) return;
    pump(g, c->scopes[FER_SCOPE_BACKEND]);
    /* A tenant or tool that has room again may have calls that wait elsewhere. */
    for (fer_scope *s = g->scopes.waiting, *next; s; s = next) {
        next = s->next;
        pump(g, s);
        if (next && !next->link) break; /* the list has changed: the next end looks again */
    }
}

void fer_call_leave_queue(fer_call *c)
{
    fer_scope *s = c->scopes[FER_SCOPE_BACKEND];
    if (!c->waiter.lane) return;
    fer_queue_remove(&s->queue, &c->waiter);
    note_wait(c, fer_clock_mono());
    note_waiting(c->gateway, s);
}

static fer_move refuse_turn(fer_call *c, int64_t after_ms)
{
    const fer_scope *s = c->scopes[FER_SCOPE_BACKEND];
    for (int i = 0; i < FER_SCOPE_KINDS; i++)
        if (c->scopes[i] && !fer_scope_has_room(c->scopes[i])) s = c->scopes[i];
    fer_call_refuse(c, FER_CONCURRENCY_LIMITED,
                    "%zu calls run for %s \"%.*s\", the limit is %zu, and %zu wait", s->running,
                    fer_scope_names[s->kind], (int)s->name_len, s->name, s->policy.concurrency,
                    c->scopes[FER_SCOPE_BACKEND]->queue.count);
    c->envelope.error.op = fer_stages[FER_STAGE_ADMIT].name;
    c->envelope.error.retry_after_ms = after_ms > 0 ? after_ms : 1;
    name_limit(c, s);
    return FER_MOVE_REPLY;
}

/* Whoever had to make room is refused as soon as it is not being moved by somebody. */
static void push_out(fer_waiter *w)
{
    fer_call *c = call_of(w);
    note_wait(c, fer_clock_mono());
    c->queued = -1;
    fer_call_go(c);
}

static fer_move join_queue(fer_call *c, int64_t now)
{
    fer_scope *s = c->scopes[FER_SCOPE_BACKEND], *tenant = c->scopes[FER_SCOPE_TENANT];
    int64_t wait = fer_queue_estimate(&s->queue, tenant, s->service_us, s->policy.concurrency);
    int64_t rest = (c->deadline - now) / MS, age = fer_queue_age_ms(&s->queue);
    fer_waiter *gone;
    if (wait > rest || wait > age) return refuse_turn(c, wait);
    fer_queued how = fer_queue_push(&s->queue, &c->waiter, tenant,
                                    tenant ? tenant->policy.weight : 1, now, &gone);
    note_waiting(c->gateway, s);
    if (gone) push_out(gone);
    if (how == FER_QUEUE_FULL) return refuse_turn(c, wait);
    if (how == FER_QUEUE_NO_MEMORY) return fer_call_refuse(c, FER_OUT_OF_MEMORY, "out of memory");
    c->queued = now;
    pump(c->gateway, s);
    if (c->has_slot) return FER_MOVE_NEXT;
    uv_update_time(c->gateway->loop);
    fer_call_keep_time(c, rest < age ? rest : age);
    return FER_MOVE_WAIT;
}

fer_move fer_call_take_turn(fer_call *c)
{
    int64_t now = c->now;
    if (!c->has_slot) {
        if (c->queued) { /* it waited, and its turn did not come */
            uv_timer_stop(&c->limit);
            if (c->waiter.lane) return FER_MOVE_WAIT;
            if (now >= c->deadline)
                return fer_call_refuse(c, FER_DEADLINE_EXCEEDED,
                                       "the deadline passed while the call waited for its turn");
            return refuse_turn(c, c->scopes[FER_SCOPE_BACKEND]->service_us / 1000);
        }
        if (is_shut(c->scopes[FER_SCOPE_BACKEND], now) || is_shut(c->scopes[FER_SCOPE_TOOL], now))
            return ask_circuits(c);
        if (c->scopes[FER_SCOPE_BACKEND]->queue.count || !has_room(c)) {
            fer_move move = join_queue(c, now);
            if (move != FER_MOVE_NEXT) return move;
        } else {
            take(c);
        }
    }
    uv_timer_stop(&c->limit);
    return ask_circuits(c);
}

/* ---- another backend -------------------------------------------------------------------------
 */

/* Only where it means the same to the caller: what was decided by the effect stays decided. */
static bool fits(fer_call *c, fer_effect effect, int64_t now)
{
    return fer_call_choose(c) == FER_MOVE_NEXT && find_scopes(c) == FER_MOVE_NEXT &&
           c->effect == effect && ask_scope(c, c->scopes[FER_SCOPE_BACKEND], now) == FER_MOVE_NEXT;
}

bool fer_call_change_backend(fer_call *c)
{
    fer_scope *scope = c->scopes[FER_SCOPE_BACKEND];
    fer_runner *runner = c->runner;
    fer_backend backend = c->envelope.backend;
    fer_effect effect = c->effect;
    int64_t now = fer_clock_mono();
    if (!fits(c, effect, now)) { /* its own failure says more, unless nothing can be done at all */
        if (c->envelope.error.code == FER_OUT_OF_MEMORY)
            c->outcome = (fer_outcome){.code = FER_OUT_OF_MEMORY,
                                       .message = FER_STR("out of memory"),
                                       .phase = FER_PHASE_NOTHING_SENT};
        c->scopes[FER_SCOPE_BACKEND] = scope;
        c->runner = runner;
        c->envelope.backend = backend;
        c->effect = effect;
        c->envelope.error = (fer_call_error){0};
        c->envelope.status = FER_STATUS_OK;
        return false;
    }
    fer_scope *next = c->scopes[FER_SCOPE_BACKEND];
    c->scopes[FER_SCOPE_BACKEND] = scope;
    fer_call_give_turn(c);
    c->scopes[FER_SCOPE_BACKEND] = next;
    charge_scope(next, now);
    c->queued = 0;
    c->paused = false;
    c->outcome = (fer_outcome){0};
    c->attempt = (fer_attempt){0};
    c->step = FER_AT_TURN;
    return true;
}
