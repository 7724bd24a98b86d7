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

static const char *const statuses[] = {
    [FER_STATUS_OK] = "Ok", [FER_STATUS_ERROR] = "Error", [FER_STATUS_RETRYABLE] = "Retryable"};

static void member(fer_buf *b, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

static void payload(fer_buf *b, const char *key, fer_str json)
{
    if (!json.len) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add(b, json);
}

static void redactions(const fer_call *c, fer_buf *b)
{
    const fer_redactions *r = &c->redactions;
    for (size_t i = 0; i < r->count; i++) {
        fer_buf_add_text(b, i ? "," : ",\"redactions\":[");
        fer_buf_add_quoted(b, r->list[i]);
    }
    if (r->count) fer_buf_add_char(b, ']');
}

static fer_str tenant_of(const fer_call *c)
{
    const fer_caller *who = c->options.caller;
    return who && who->tenant.len ? fer_str_head(who->tenant, FER_LEDGER_TENANT) : FER_STR("-");
}

static void head(fer_buf *b, fer_call *c)
{
    fer_buf_init(b, c->arena, FER_LEDGER_BODY);
    fer_buf_printf(b, "{\"callId\":\"%s\"", c->id);
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

fer_move fer_call_record_begin(fer_call *c)
{
    const fer_ready *r = c->ready;
    bool pure = c->effect == FER_EFFECT_PURE;
    fer_err err = {0};
    fer_buf b;
    if (!c->gateway->keeper.append || c->begun) return FER_MOVE_NEXT;
    head(&b, c);
    fer_buf_printf(&b, ",\"effect\":\"%s\",\"effectBy\":\"%s\"", fer_effect_name(c->effect),
                   fer_effect_sources[c->effect_by]);
    member(&b, "tool", r->id);
    member(&b, "definition", fer_str_of(r->hash));
    member(&b, "backend", c->envelope.backend.name);
    member(&b, "correlationId", c->envelope.correlation_id);
    member(&b, "causationId", c->options.causation_id);
    member(&b, "origin", fer_str_of(c->options.origin));
    if (c->options.caller) member(&b, "principal", c->options.caller->principal);
    if (c->options.caller) member(&b, "agent", c->options.caller->agent);
    fer_buf_printf(&b, ",\"keyed\":%s", c->keyed ? "true" : "false");
    payload(&b, "input", fer_call_shown_input(c));
    redactions(c, &b);
    fer_code code = append(c, FER_LEDGER_BEGIN, &b, !pure, &err);
    c->begun = !code;
    if (!code) return c->asking ? FER_MOVE_WAIT : FER_MOVE_NEXT;
    return pure ? FER_MOVE_NEXT
                : fer_call_refuse(c, FER_LEDGER_UNAVAILABLE,
                                  "the ledger cannot record the call, so it was not made: %s",
                                  err.message);
}

void fer_call_record_attempt(fer_call *c, const fer_outcome *o)
{
    fer_buf b;
    if (!c->begun) return;
    head(&b, c);
    fer_buf_printf(&b, ",\"attempt\":%u,\"sent\":%s,\"code\":\"%s\"", c->attempt.number,
                   c->attempt.sent ? "true" : "false", fer_code_info(o->code)->name);
    if (o->code) fer_buf_printf(&b, ",\"phase\":\"%s\"", fer_phase_names[o->phase]);
    fer_buf_printf(&b, ",\"ms\":%lld",
                   (long long)((fer_clock_mono() - c->attempt_began) / 1000000));
    append(c, FER_LEDGER_ATTEMPT, &b, false, NULL);
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
        c->effect = FER_EFFECT_PURE; /* nothing is done: nobody waits for it */
        fer_call_record_begin(c);
        c->effect = effect;
        if (!c->begun) return FER_MOVE_NEXT;
    }
    bool wait = c->effect != FER_EFFECT_PURE && !c->shared;
    bool unknown = e->error.code == FER_OUTCOME_UNKNOWN;
    head(&b, c);
    fer_buf_printf(&b, ",\"status\":\"%s\",\"code\":\"%s\",\"attempts\":%u",
                   unknown ? "Unknown" : statuses[e->status], fer_code_info(e->error.code)->name,
                   c->sent);
    fer_buf_printf(&b, ",\"durationMs\":%lld,\"durationUs\":%lld",
                   (long long)(e->duration_us / 1000), (long long)e->duration_us);
    member(&b, "tool", c->ready->id);
    member(&b, "correlationId", e->correlation_id);
    if (e->cache_hit) fer_buf_add_text(&b, ",\"cacheHit\":true");
    if (e->replayed) fer_buf_add_text(&b, ",\"replayed\":true");
    if (e->cancelled) member(&b, "cancelReason", fer_str_of(e->cancelled));
    payload(&b, "output", c->output_shown);
    redactions(c, &b);
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
    head(&b, c);
    fer_buf_printf(&b, ",\"code\":\"%s\",\"op\":\"%s\"", row->name,
                   c->hidden ? fer_stages[FER_STAGE_AUTHORIZE].name : c->envelope.error.op);
    member(&b, "rule", fer_call_rule(c));
    if (c->options.caller) member(&b, "principal", c->options.caller->principal);
    member(&b, "tool", c->ready ? c->ready->id : FER_STR("_unknown"));
    member(&b, "correlationId", c->envelope.correlation_id);
    append(c, FER_LEDGER_DENIED, &b, false, NULL);
}

void fer_gateway_record_denied(fer_gateway *g, const fer_denied *d)
{
    fer_arena *a = g->keeper.append ? fer_arena_new(0) : NULL;
    const fer_caller *who = d->caller;
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    fer_buf_printf(&b, "{\"code\":\"Unauthorized\",\"op\":\"authorize\",\"reason\":\"%s\"", d->why);
    fer_buf_printf(&b, ",\"rule\":\"%s.%s\"", d->where, d->why);
    member(&b, "method", fer_str_head(d->method, 32));
    if (d->path.len) member(&b, "path", fer_str_head(d->path, 128));
    if (d->address.len) member(&b, "address", d->address);
    if (who) member(&b, "principal", who->principal);
    if (d->unsaid) fer_buf_printf(&b, ",\"unsaid\":%zu", d->unsaid);
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
    fer_buf_printf(&b, "{\"scope\":\"%s\",\"state\":\"%s\"", fer_scope_names[s->kind],
                   fer_circuit_names[s->breaker.state]);
    member(&b, "name", (fer_str){s->name, s->name_len});
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
    fer_buf_printf(
        &b, "{\"effect\":\"%s\",\"effectBy\":\"%s\",\"deadlineMs\":%lld,\"idempotency\":\"%s\"",
        fer_effect_name(c->effect), fer_effect_sources[c->effect_by],
        (long long)((c->deadline - c->began) / 1000000),
        fer_idempotency_name(c->ready->idempotency));
    if (p->timeout_ms) fer_buf_printf(&b, ",\"timeoutMs\":%lld", (long long)p->timeout_ms);
    if (p->cache_ttl_ms && c->effect == FER_EFFECT_PURE)
        fer_buf_printf(&b, ",\"cacheTtlMs\":%lld", (long long)p->cache_ttl_ms);
    fer_buf_printf(&b, ",\"circuit\":\"%s\"",
                   fer_circuit_names[c->scopes[FER_SCOPE_BACKEND]->breaker.state]);
    if (c->queued) fer_buf_printf(&b, ",\"queueMs\":%lld", (long long)(c->waited / 1000000));
    if (c->why_not) fer_buf_printf(&b, ",\"noRetry\":\"%s\"", fer_retry_reasons[c->why_not]);
    fer_buf_add_char(&b, '}');
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}
