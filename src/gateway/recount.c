/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ledger is told of a call: begin, attempts that failed or came after one that did, end;
 * calls that were denied; circuits.
 * Nothing that was given or came back but what redaction left of it. Of a tool that is not Pure the
 * beginning is durable before the first byte leaves and the end before the answer does (5.12.4);
 * where that cannot be, the call is refused. Of a Pure one nobody waits.
 */
#include "buf.h"
#include "clock.h"
#include "denied.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_canonical.h"
#include "print.h"

static const char *const statuses[] = {
    [FER_STATUS_OK] = "Ok", [FER_STATUS_ERROR] = "Error", [FER_STATUS_RETRYABLE] = "Retryable"};

/*
 * A record's body as it is written. Its members stand in the order of its canonical form, and their
 * heads are written whole: what is known to be canonical the ledger need not look through again.
 */
typedef struct record {
    fer_buf b;
    bool odd; /* it may not be canonical, or not printable ASCII alone */
} record;

#define BODY_FIRST            ((size_t)512)             /* bytes that there is room for at first */
#define EXACT_MAX             UINT64_C(999999999999999) /* numbers up to this are written as they are */
#define HEAD(key)             FER_STR(",\"" key "\":") /* the first comma becomes a brace */
#define TEXT(r, key, text)    member(r, HEAD(key), text)
#define NUMBER(r, key, value) number(r, HEAD(key), value)
#define SPAN(r, key, value)   span(r, HEAD(key), value)
#define TRUTH(r, key, value)                                                                       \
    fer_buf_add(&(r)->b, (value) ? FER_STR(",\"" key "\":true") : FER_STR(",\"" key "\":false"))

static void begin_record(record *r, fer_arena *a)
{
    fer_buf_init(&r->b, a, FER_LEDGER_BODY);
    (void)fer_buf_reserve(&r->b, BODY_FIRST);
    r->odd = false;
}

static fer_str end_record(record *r)
{
    if (!r->b.len) fer_buf_add_char(&r->b, '{');
    else r->b.ptr[0] = '{';
    fer_buf_add_char(&r->b, '}');
    return fer_buf_view(&r->b);
}

static void quote(record *r, fer_str text)
{
    if (!fer_str_is_plain(text)) {
        r->odd = true;
        fer_buf_add_quoted(&r->b, text);
        return;
    }
    fer_buf_add_char(&r->b, '"');
    fer_buf_add(&r->b, text);
    fer_buf_add_char(&r->b, '"');
}

static void member(record *r, fer_str head, fer_str text)
{
    if (!text.len) return;
    fer_buf_add(&r->b, head);
    quote(r, text);
}

/* What a tool was given or gave is in any order. */
static void payload(record *r, fer_str head, fer_str json)
{
    if (!json.len) return;
    if (!fer_canonical_is_plain(json)) r->odd = true;
    fer_buf_add(&r->b, head);
    fer_buf_add(&r->b, json);
}

static void number(record *r, fer_str head, uint64_t value)
{
    char digits[FER_DIGITS];
    if (value > EXACT_MAX) r->odd = true;
    fer_buf_add(&r->b, head);
    fer_buf_add(&r->b, (fer_str){digits, fer_print_u64(digits, value)});
}

/* A clock that failed has told 0: then no time went by. */
static void span(record *r, fer_str head, int64_t value)
{
    number(r, head, value > 0 ? (uint64_t)value : 0);
}

static void redactions(const fer_call *c, record *r)
{
    const fer_redactions *all = &c->redactions;
    for (size_t i = 0; i < all->count; i++) {
        fer_buf_add(&r->b, i ? FER_STR(",") : FER_STR(",\"redactions\":["));
        quote(r, all->list[i]);
    }
    if (all->count) fer_buf_add_char(&r->b, ']');
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

/* Appends what says this of its call; `wait`: the call is told when it is durable. */
static fer_code append(fer_call *c, fer_ledger_type type, record *r, const fer_ledger_call *says,
                       bool wait, fer_err *err)
{
    const fer_keeper *k = &c->gateway->keeper;
    fer_str body = end_record(r);
    fer_code code = fer_buf_code(&r->b, err);
    if (code) return code;
    fer_ledger_record one = {type, tenant_of(c), body, r->odd ? NULL : says};
    c->asking = wait;
    code = k->append(k->context, &one, wait ? on_recorded : NULL, wait ? c : NULL, err);
    if (code) c->asking = false;
    return code;
}

bool fer_gateway_records(const fer_gateway *g)
{
    return !g->keeper.writes || g->keeper.writes(g->keeper.context);
}

/* The ledger is behind: everybody waits for it then, so that no call is left out. */
static bool is_pressed(const fer_call *c)
{
    const fer_keeper *k = &c->gateway->keeper;
    return k->pressed && k->pressed(k->context);
}

static fer_code append_begin(fer_call *c, bool wait, fer_err *err)
{
    const fer_ready *ready = c->ready;
    const fer_caller *who = c->options.caller;
    fer_ledger_call says = {.call = fer_str_of(c->id),
                            .effect = fer_str_of(fer_effect_name(c->effect))};
    record r;
    begin_record(&r, c->arena);
    if (who) TEXT(&r, "agent", who->agent);
    TEXT(&r, "backend", c->envelope.backend.name);
    TEXT(&r, "callId", says.call);
    TEXT(&r, "causationId", c->options.causation_id);
    TEXT(&r, "correlationId", c->envelope.correlation_id);
    TEXT(&r, "definition", fer_str_of(ready->hash));
    TEXT(&r, "effect", says.effect);
    TEXT(&r, "effectBy", fer_str_of(fer_effect_sources[c->effect_by]));
    payload(&r, HEAD("input"), fer_call_shown_input(c));
    TRUTH(&r, "keyed", c->keyed);
    TEXT(&r, "origin", fer_str_of(c->options.origin));
    if (who) TEXT(&r, "principal", who->principal);
    redactions(c, &r);
    TEXT(&r, "tool", ready->id);
    fer_code code = append(c, FER_LEDGER_BEGIN, &r, &says, wait, err);
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

/* The first attempt was good. Nearly all calls are so, and their `end`, which follows at once, says
 * all that a record of the attempt would: a third of what the ledger has to write. */
static bool is_good_at_once(const fer_call *c)
{
    return c->tries == 1 && !c->failed_once;
}

void fer_call_record_attempt(fer_call *c)
{
    const fer_outcome *o = &c->outcome;
    const fer_ledger_call says = {.call = fer_str_of(c->id)};
    record r;
    if (!c->begun || is_good_at_once(c)) return;
    begin_record(&r, c->arena);
    NUMBER(&r, "attempt", c->attempt.number);
    TEXT(&r, "callId", says.call);
    TEXT(&r, "code", fer_str_of(fer_code_info(o->code)->name));
    SPAN(&r, "ms", (fer_clock_mono() - c->attempt_began) / 1000000);
    if (o->code) TEXT(&r, "phase", fer_str_of(fer_phase_names[o->phase]));
    TRUTH(&r, "sent", c->attempt.sent);
    append(c, FER_LEDGER_ATTEMPT, &r, &says, false, NULL);
}

static fer_code append_end(fer_call *c, bool wait, fer_err *err)
{
    const fer_envelope *e = &c->envelope;
    bool unknown = e->error.code == FER_OUTCOME_UNKNOWN;
    const fer_ledger_call says = {.call = fer_str_of(c->id),
                                  .status = fer_str_of(unknown ? "Unknown" : statuses[e->status])};
    record r;
    begin_record(&r, c->arena);
    if (is_good_at_once(c))
        SPAN(&r, "attemptMs", (c->left[FER_STAGE_EXECUTE] - c->attempt_began) / 1000000);
    NUMBER(&r, "attempts", c->sent);
    if (e->cache_hit) TRUTH(&r, "cacheHit", true);
    TEXT(&r, "callId", says.call);
    if (e->cancelled) TEXT(&r, "cancelReason", fer_str_of(e->cancelled));
    TEXT(&r, "code", fer_str_of(fer_code_info(e->error.code)->name));
    TEXT(&r, "correlationId", e->correlation_id);
    SPAN(&r, "durationMs", e->duration_us / 1000);
    SPAN(&r, "durationUs", e->duration_us);
    payload(&r, HEAD("output"), c->output_shown);
    redactions(c, &r);
    if (e->replayed) TRUTH(&r, "replayed", true);
    TEXT(&r, "status", says.status);
    TEXT(&r, "tool", c->ready->id);
    return append(c, FER_LEDGER_END, &r, &says, wait, err);
}

/* A call that was answered from memory begins and ends here. */
fer_move fer_call_record_end(fer_call *c)
{
    const fer_envelope *e = &c->envelope;
    fer_err err = {0};
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
    c->begun = false;
    fer_code code = append_end(c, wait, &err);
    if (code && wait) c->kept = code;
    return !code && c->asking ? FER_MOVE_WAIT : FER_MOVE_NEXT;
}

fer_str fer_call_rule(const fer_call *c)
{
    const fer_envelope *e = &c->envelope;
    if (!e->error.code || c->sent) return FER_STR("");
    if (c->hidden) return c->unshown ? FER_STR("ownTools") : FER_STR("scopes");
    if (c->scope.len) return fer_arena_printf(c->arena, "requiredScopes:%.*s", FER_PRI(c->scope));
    if (c->limit_id.len) return fer_arena_printf(c->arena, "limit:%.*s", FER_PRI(c->limit_id));
    return fer_arena_printf(c->arena, "stage:%s", e->error.op ? e->error.op : "");
}

void fer_call_record_denied(fer_call *c)
{
    const fer_code_row *row = fer_code_info(c->hidden ? FER_FORBIDDEN : c->envelope.error.code);
    const fer_ledger_call says = {.call = fer_str_of(c->id)};
    const char *op = c->hidden ? fer_stages[FER_STAGE_AUTHORIZE].name : c->envelope.error.op;
    record r;
    begin_record(&r, c->arena);
    TEXT(&r, "callId", says.call);
    TEXT(&r, "code", fer_str_of(row->name));
    TEXT(&r, "correlationId", c->envelope.correlation_id);
    TEXT(&r, "op", fer_str_of(op));
    if (c->options.caller) TEXT(&r, "principal", c->options.caller->principal);
    TEXT(&r, "rule", fer_call_rule(c));
    TEXT(&r, "tool", c->ready ? c->ready->id : FER_STR("_unknown"));
    append(c, FER_LEDGER_DENIED, &r, &says, false, NULL);
}

void fer_gateway_record_denied(fer_gateway *g, const fer_denied *d)
{
    fer_arena *a = g->keeper.append ? fer_arena_new(0) : NULL;
    const fer_caller *who = d->caller;
    record r;
    if (!a) return;
    begin_record(&r, a);
    TEXT(&r, "address", d->address);
    TEXT(&r, "code", FER_STR("Unauthorized"));
    TEXT(&r, "method", fer_str_head(d->method, 32));
    TEXT(&r, "op", FER_STR("authorize"));
    TEXT(&r, "path", fer_str_head(d->path, 128));
    if (who) TEXT(&r, "principal", who->principal);
    TEXT(&r, "reason", fer_str_of(d->why));
    TEXT(&r, "rule", fer_arena_printf(a, "%s.%s", d->where, d->why));
    TEXT(&r, "tool", d->tool);
    if (d->unsaid) NUMBER(&r, "unsaid", d->unsaid);
    fer_str tenant =
        who && who->tenant.len ? fer_str_head(who->tenant, FER_LEDGER_TENANT) : FER_STR("-");
    fer_ledger_record one = {FER_LEDGER_DENIED, tenant, end_record(&r)};
    if (!r.b.failure) g->keeper.append(g->keeper.context, &one, NULL, NULL, NULL);
    fer_arena_free(a);
}

void fer_gateway_record_circuit(fer_gateway *g, const fer_scope *s)
{
    fer_arena *a = g->keeper.append ? fer_arena_new(0) : NULL;
    fer_str name = {s->name, s->name_len};
    record r;
    if (!a) return;
    begin_record(&r, a);
    TEXT(&r, "name", name);
    TEXT(&r, "scope", fer_str_of(fer_scope_names[s->kind]));
    TEXT(&r, "state", fer_str_of(fer_circuit_names[s->breaker.state]));
    fer_ledger_record one = {FER_LEDGER_CIRCUIT, FER_STR("-"), end_record(&r)};
    if (!r.b.failure) g->keeper.append(g->keeper.context, &one, NULL, NULL, NULL);
    fer_arena_free(a);
}

/* ---- the envelope's own ----------------------------------------------------------------------
 */

fer_str fer_call_policy_json(fer_call *c)
{
    record r;
    if (!c->ready || !c->scopes[FER_SCOPE_TOOL] || !c->scopes[FER_SCOPE_BACKEND])
        return FER_STR("");
    const fer_tool_policy *p = &c->ready->policy;
    begin_record(&r, c->arena);
    TEXT(&r, "effect", fer_str_of(fer_effect_name(c->effect)));
    TEXT(&r, "effectBy", fer_str_of(fer_effect_sources[c->effect_by]));
    SPAN(&r, "deadlineMs", (c->deadline - c->began) / 1000000);
    TEXT(&r, "idempotency", fer_str_of(fer_idempotency_name(c->ready->idempotency)));
    if (p->timeout_ms) SPAN(&r, "timeoutMs", p->timeout_ms);
    if (p->cache_ttl_ms && c->effect == FER_EFFECT_PURE) SPAN(&r, "cacheTtlMs", p->cache_ttl_ms);
    TEXT(&r, "circuit", fer_str_of(fer_circuit_names[c->scopes[FER_SCOPE_BACKEND]->breaker.state]));
    if (c->queued) SPAN(&r, "queueMs", c->waited / 1000000);
    if (c->why_not) TEXT(&r, "noRetry", fer_str_of(fer_retry_reasons[c->why_not]));
    fer_str json = end_record(&r);
    return r.b.failure ? FER_STR("") : json;
}
