/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ledger is told of a call: begin, each attempt, end; calls that were denied; circuits.
 * Nothing that was given or came back but what redaction left of it. Of a tool that is not Pure the
 * beginning is durable before the first byte leaves and the end before the answer does (5.12.4);
 * where that cannot be, the call is refused. Of a Pure one nobody waits.
 */
#include "buf.h"
#include "clock.h"
#include "denied.h"
#include "errors.h"
#include "gateway_parts.h"
#include "print.h"

static const char *const statuses[] = {
    [FER_STATUS_OK] = "Ok", [FER_STATUS_ERROR] = "Error", [FER_STATUS_RETRYABLE] = "Retryable"};

/* The members of a record stand in the order of its canonical form, which the ledger then need not
 * sort. */
static void name(fer_buf *b, fer_str key)
{
    fer_buf_add(b, b->len ? FER_STR(",\"") : FER_STR("{\""));
    fer_buf_add(b, key);
    fer_buf_add(b, FER_STR("\":"));
}

static void member(fer_buf *b, fer_str key, fer_str text)
{
    if (!text.len) return;
    name(b, key);
    fer_buf_add_quoted(b, text);
}

static void payload(fer_buf *b, fer_str key, fer_str json)
{
    if (!json.len) return;
    name(b, key);
    fer_buf_add(b, json);
}

static void number(fer_buf *b, fer_str key, uint64_t value)
{
    char digits[FER_DIGITS];
    payload(b, key, (fer_str){digits, fer_print_u64(digits, value)});
}

/* A clock that failed has told 0: then no time went by. */
static void span(fer_buf *b, fer_str key, int64_t value)
{
    number(b, key, value > 0 ? (uint64_t)value : 0);
}

static void truth(fer_buf *b, fer_str key, bool value)
{
    payload(b, key, value ? FER_STR("true") : FER_STR("false"));
}

static void redactions(const fer_call *c, fer_buf *b)
{
    const fer_redactions *r = &c->redactions;
    for (size_t i = 0; i < r->count; i++) {
        if (!i) name(b, FER_STR("redactions"));
        fer_buf_add_char(b, i ? ',' : '[');
        fer_buf_add_quoted(b, r->list[i]);
    }
    if (r->count) fer_buf_add_char(b, ']');
}

static fer_str tenant_of(const fer_call *c)
{
    const fer_caller *who = c->options.caller;
    return who && who->tenant.len ? fer_str_head(who->tenant, FER_LEDGER_TENANT) : FER_STR("-");
}

static void on_recorded(void *whom, fer_code code, uint64_t seq)
{
    fer_call *c = whom;
    (void)seq;
    c->asking = false;
    c->kept = code;
    fer_call_go(c);
}

/* Appends; `wait`: the call is told when it is durable. */
static fer_code append(fer_call *c, fer_ledger_type type, fer_buf *b, bool wait, fer_err *err)
{
    const fer_keeper *k = &c->gateway->keeper;
    fer_buf_add_char(b, '}');
    fer_code code = fer_buf_code(b, err);
    if (code) return code;
    fer_ledger_record r = {type, tenant_of(c), fer_buf_view(b)};
    c->asking = wait;
    code = k->append(k->context, &r, wait ? on_recorded : NULL, wait ? c : NULL, err);
    if (code) c->asking = false;
    return code;
}

/* The ledger is behind: everybody waits for it then, so that no call is left out. */
static bool is_pressed(const fer_call *c)
{
    const fer_keeper *k = &c->gateway->keeper;
    return k->pressed && k->pressed(k->context);
}

static fer_code append_begin(fer_call *c, bool wait, fer_err *err)
{
    const fer_ready *r = c->ready;
    const fer_caller *who = c->options.caller;
    fer_buf b;
    fer_buf_init(&b, c->arena, FER_LEDGER_BODY);
    if (who) member(&b, FER_STR("agent"), who->agent);
    member(&b, FER_STR("backend"), c->envelope.backend.name);
    member(&b, FER_STR("callId"), fer_str_of(c->id));
    member(&b, FER_STR("causationId"), c->options.causation_id);
    member(&b, FER_STR("correlationId"), c->envelope.correlation_id);
    member(&b, FER_STR("definition"), fer_str_of(r->hash));
    member(&b, FER_STR("effect"), fer_str_of(fer_effect_name(c->effect)));
    member(&b, FER_STR("effectBy"), fer_str_of(fer_effect_sources[c->effect_by]));
    payload(&b, FER_STR("input"), fer_call_shown_input(c));
    truth(&b, FER_STR("keyed"), c->keyed);
    member(&b, FER_STR("origin"), fer_str_of(c->options.origin));
    if (who) member(&b, FER_STR("principal"), who->principal);
    redactions(c, &b);
    member(&b, FER_STR("tool"), r->id);
    fer_code code = append(c, FER_LEDGER_BEGIN, &b, wait, err);
    c->begun = !code;
    return code;
}

/* A ledger that is full or broken keeps no Pure call from being made; one that is only behind
 * does, as every call that is accepted is in it (5.11). */
static fer_move refuse_unrecorded(fer_call *c, bool pure, const fer_err *err)
{
    if (pure && !is_pressed(c)) return FER_MOVE_NEXT;
    return fer_call_refuse(c, FER_LEDGER_UNAVAILABLE,
                           "the ledger cannot record the call, so it was not made: %s",
                           err->message);
}

fer_move fer_call_record_begin(fer_call *c)
{
    bool pure = c->effect == FER_EFFECT_PURE;
    fer_err err = {0};
    if (!c->gateway->keeper.append || c->begun) return FER_MOVE_NEXT;
    if (append_begin(c, !pure || is_pressed(c), &err)) return refuse_unrecorded(c, pure, &err);
    return c->asking ? FER_MOVE_WAIT : FER_MOVE_NEXT;
}

void fer_call_record_attempt(fer_call *c, const fer_outcome *o)
{
    fer_buf b;
    if (!c->begun) return;
    fer_buf_init(&b, c->arena, FER_LEDGER_BODY);
    number(&b, FER_STR("attempt"), c->attempt.number);
    member(&b, FER_STR("callId"), fer_str_of(c->id));
    member(&b, FER_STR("code"), fer_str_of(fer_code_info(o->code)->name));
    span(&b, FER_STR("ms"), (fer_clock_mono() - c->attempt_began) / 1000000);
    if (o->code) member(&b, FER_STR("phase"), fer_str_of(fer_phase_names[o->phase]));
    truth(&b, FER_STR("sent"), c->attempt.sent);
    append(c, FER_LEDGER_ATTEMPT, &b, false, NULL);
}

static void write_end(fer_call *c, fer_buf *b)
{
    const fer_envelope *e = &c->envelope;
    bool unknown = e->error.code == FER_OUTCOME_UNKNOWN;
    fer_buf_init(b, c->arena, FER_LEDGER_BODY);
    number(b, FER_STR("attempts"), c->sent);
    if (e->cache_hit) truth(b, FER_STR("cacheHit"), true);
    member(b, FER_STR("callId"), fer_str_of(c->id));
    if (e->cancelled) member(b, FER_STR("cancelReason"), fer_str_of(e->cancelled));
    member(b, FER_STR("code"), fer_str_of(fer_code_info(e->error.code)->name));
    member(b, FER_STR("correlationId"), e->correlation_id);
    span(b, FER_STR("durationMs"), e->duration_us / 1000);
    span(b, FER_STR("durationUs"), e->duration_us);
    payload(b, FER_STR("output"), c->output_shown);
    redactions(c, b);
    if (e->replayed) truth(b, FER_STR("replayed"), true);
    member(b, FER_STR("status"), fer_str_of(unknown ? "Unknown" : statuses[e->status]));
    member(b, FER_STR("tool"), c->ready->id);
}

/* A call that was answered from memory begins and ends here. */
fer_move fer_call_record_end(fer_call *c)
{
    const fer_envelope *e = &c->envelope;
    fer_err err = {0};
    fer_buf b;
    if (!c->gateway->keeper.append) return FER_MOVE_NEXT;
    if (e->error.code && !c->begun) {
        fer_call_record_denied(c);
        return FER_MOVE_NEXT;
    }
    if (!c->begun) {
        if (!c->ready || c->options.dry_run) return FER_MOVE_NEXT;
        fer_effect effect = c->effect;
        c->effect = FER_EFFECT_PURE; /* nothing is done */
        fer_code bad = append_begin(c, false, &err);
        c->effect = effect;
        if (bad) {
            refuse_unrecorded(c, true, &err);
            return FER_MOVE_NEXT;
        }
    }
    bool wait = (c->effect != FER_EFFECT_PURE && !c->shared) || is_pressed(c);
    write_end(c, &b);
    c->begun = false;
    fer_code code = append(c, FER_LEDGER_END, &b, wait, &err);
    if (code && wait) c->kept = code;
    return !code && c->asking ? FER_MOVE_WAIT : FER_MOVE_NEXT;
}

fer_str fer_call_rule(const fer_call *c)
{
    const fer_envelope *e = &c->envelope;
    if (!e->error.code || c->sent) return FER_STR("");
    if (c->hidden) return FER_STR("scopes");
    if (c->scope.len) return fer_arena_printf(c->arena, "requiredScopes:%.*s", FER_PRI(c->scope));
    if (c->limit_id.len) return fer_arena_printf(c->arena, "limit:%.*s", FER_PRI(c->limit_id));
    return fer_arena_printf(c->arena, "stage:%s", e->error.op ? e->error.op : "");
}

void fer_call_record_denied(fer_call *c)
{
    const fer_code_row *row = fer_code_info(c->hidden ? FER_FORBIDDEN : c->envelope.error.code);
    fer_buf b;
    const char *op = c->hidden ? fer_stages[FER_STAGE_AUTHORIZE].name : c->envelope.error.op;
    fer_buf_init(&b, c->arena, FER_LEDGER_BODY);
    member(&b, FER_STR("callId"), fer_str_of(c->id));
    member(&b, FER_STR("code"), fer_str_of(row->name));
    member(&b, FER_STR("correlationId"), c->envelope.correlation_id);
    member(&b, FER_STR("op"), fer_str_of(op));
    if (c->options.caller) member(&b, FER_STR("principal"), c->options.caller->principal);
    member(&b, FER_STR("rule"), fer_call_rule(c));
    member(&b, FER_STR("tool"), c->ready ? c->ready->id : FER_STR("_unknown"));
    append(c, FER_LEDGER_DENIED, &b, false, NULL);
}

void fer_gateway_record_denied(fer_gateway *g, const fer_denied *d)
{
    fer_arena *a = g->keeper.append ? fer_arena_new(0) : NULL;
    const fer_caller *who = d->caller;
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    member(&b, FER_STR("address"), d->address);
    member(&b, FER_STR("code"), FER_STR("Unauthorized"));
    member(&b, FER_STR("method"), fer_str_head(d->method, 32));
    member(&b, FER_STR("op"), FER_STR("authorize"));
    member(&b, FER_STR("path"), fer_str_head(d->path, 128));
    if (who) member(&b, FER_STR("principal"), who->principal);
    member(&b, FER_STR("reason"), fer_str_of(d->why));
    member(&b, FER_STR("rule"), fer_arena_printf(a, "%s.%s", d->where, d->why));
    member(&b, FER_STR("tool"), d->tool);
    if (d->unsaid) number(&b, FER_STR("unsaid"), d->unsaid);
    fer_buf_add_char(&b, '}');
    fer_str tenant =
        who && who->tenant.len ? fer_str_head(who->tenant, FER_LEDGER_TENANT) : FER_STR("-");
    fer_ledger_record r = {FER_LEDGER_DENIED, tenant, fer_buf_view(&b)};
    if (!b.failure) g->keeper.append(g->keeper.context, &r, NULL, NULL, NULL);
    fer_arena_free(a);
}

void fer_gateway_record_circuit(fer_gateway *g, const fer_scope *s)
{
    fer_arena *a = g->keeper.append ? fer_arena_new(0) : NULL;
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    member(&b, FER_STR("name"), (fer_str){s->name, s->name_len});
    member(&b, FER_STR("scope"), fer_str_of(fer_scope_names[s->kind]));
    member(&b, FER_STR("state"), fer_str_of(fer_circuit_names[s->breaker.state]));
    fer_buf_add_char(&b, '}');
    fer_ledger_record r = {FER_LEDGER_CIRCUIT, FER_STR("-"), fer_buf_view(&b)};
    if (!b.failure) g->keeper.append(g->keeper.context, &r, NULL, NULL, NULL);
    fer_arena_free(a);
}

/* ---- the envelope's own ----------------------------------------------------------------------
 */

fer_str fer_call_policy_json(fer_call *c)
{
    fer_buf b;
    if (!c->ready || !c->scopes[FER_SCOPE_TOOL] || !c->scopes[FER_SCOPE_BACKEND])
        return FER_STR("");
    const fer_tool_policy *p = &c->ready->policy;
    fer_buf_init(&b, c->arena, FER_LEDGER_BODY);
    member(&b, FER_STR("effect"), fer_str_of(fer_effect_name(c->effect)));
    member(&b, FER_STR("effectBy"), fer_str_of(fer_effect_sources[c->effect_by]));
    span(&b, FER_STR("deadlineMs"), (c->deadline - c->began) / 1000000);
    member(&b, FER_STR("idempotency"), fer_str_of(fer_idempotency_name(c->ready->idempotency)));
    if (p->timeout_ms) span(&b, FER_STR("timeoutMs"), p->timeout_ms);
    if (p->cache_ttl_ms && c->effect == FER_EFFECT_PURE)
        span(&b, FER_STR("cacheTtlMs"), p->cache_ttl_ms);
    member(&b, FER_STR("circuit"),
           fer_str_of(fer_circuit_names[c->scopes[FER_SCOPE_BACKEND]->breaker.state]));
    if (c->queued) span(&b, FER_STR("queueMs"), c->waited / 1000000);
    if (c->why_not) member(&b, FER_STR("noRetry"), fer_str_of(fer_retry_reasons[c->why_not]));
    fer_buf_add_char(&b, '}');
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}
