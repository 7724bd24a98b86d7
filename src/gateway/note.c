/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last stages, which every call passes: what the caller gets to see, what others may know of
 * it, and that all is written down before the answer leaves.
 */
#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"

#define MS          INT64_C(1000000) /* ns */
#define PAYLOAD_MAX 16384            /* bytes of an input or output in the ledger */

/* ---- redact ----------------------------------------------------------------------------------
 */

/* What the caller gets. */
static fer_move show_result(fer_call *c)
{
    fer_envelope *e = &c->envelope;
    const fer_outcome *o = &c->outcome;
    fer_err err = {0};
    if (e->error.code == o->code) e->mcp_error = o->mcp_error;
    if (!o->structured && !o->mcp_result.len) return FER_MOVE_NEXT;
    fer_str text = o->structured_json;
    fer_code code = FER_OK;
    if (o->structured && !text.len)
        code = fer_json_write(c->arena, o->structured, false, &text, &err);
    if (code) return fer_call_refuse_err(c, &err);
    if (text.len > FER_RESULT_MAX || o->mcp_result.len > FER_RESULT_MAX)
        return fer_call_refuse(c, FER_INVALID_OUTPUT,
                               "result.size: the result has %zu bytes, at most %zu are passed on",
                               text.len > o->mcp_result.len ? text.len : o->mcp_result.len,
                               FER_RESULT_MAX);
    bool said = e->error.code == FER_TOOL_FAILED || e->error.code == FER_INPUT_REQUIRED ||
                e->error.code == FER_TASK_STARTED;
    if (e->error.code && !said) return FER_MOVE_NEXT;
    e->structured = text;
    e->mcp_result = o->mcp_result;
    return FER_MOVE_NEXT;
}

/* A value by paths, written, through the net. What cannot be redacted is dropped: an empty text. */
static fer_str redacted(fer_call *c, fer_redact_root root, const yyjson_val *v, bool wanted,
                        fer_redactions *places)
{
    fer_buf b;
    fer_str out;
    fer_err err;
    fer_buf_init(&b, c->arena, FER_CALL_MEMORY / 4);
    if (fer_redact_add(&b, c->ready->rules, root, v, places, &err) || !wanted ||
        fer_net_clean(c->arena, c->gateway->net, fer_buf_view(&b), &out, &err))
        return FER_STR("");
    return out;
}

fer_str fer_call_redacted_input(fer_call *c)
{
    return redacted(c, FER_ROOT_INPUT, fer_json_root(c->args), true, NULL);
}

/* A value as others may see it, in the order of 5.13: redacted, then cut. */
static fer_str hide(fer_call *c, fer_redact_root root, const yyjson_val *v, bool wanted)
{
    if (!wanted && !fer_redact_touches(c->arena, c->ready->rules, root, v)) return FER_STR("");
    c->redactions.arena = c->arena;
    fer_str out = redacted(c, root, v, wanted, &c->redactions);
    if (!out.len) return out;
    if (out.len <= PAYLOAD_MAX && c->ready->policy.payload == FER_PAYLOAD_REDACTED) return out;
    return fer_arena_printf(c->arena, "{\"bytes\":%zu}", out.len);
}

static void clean_by(fer_call *c, const fer_net *net, fer_str *text)
{
    fer_str out;
    if (!text->len) return;
    *text = fer_net_clean(c->arena, net, *text, &out, NULL)
                ? FER_STR("the text of the error was dropped: it could not be looked at")
                : out;
}

/* Texts that others wrote may have secrets of ours in them. */
static void clean(fer_call *c, fer_str *text)
{
    clean_by(c, c->gateway->net, text);
}

/* What was redacted, as a net; NULL: there is no memory for it. */
static const fer_net *net_of_redacted(fer_call *c)
{
    const fer_redactions *r = &c->redactions;
    fer_net *net = fer_net_new(c->arena);
    for (size_t i = 0; net && i < r->value_count; i++)
        if (fer_net_add(net, r->values[i], NULL)) net = NULL;
    return net && !fer_net_weave(net, NULL) ? net : NULL;
}

/* A tool may say again what was redacted where it stood: "created the user with ...". */
static void clean_echoes(fer_call *c)
{
    fer_str out;
    if (!c->redactions.value_count) return;
    const fer_net *net = net_of_redacted(c);
    if (!net || fer_net_clean(c->arena, net, c->output_shown, &out, NULL)) out = FER_STR("");
    c->output_shown = out;
    if (!net) return;
    clean_by(c, net, &c->envelope.error.message);
    clean_by(c, net, &c->envelope.error.details);
    clean_by(c, net, &c->envelope.error.caused_by);
}

static void list_redactions(fer_call *c)
{
    fer_redactions *r = &c->redactions;
    fer_str more = r->more ? fer_arena_printf(c->arena, "+%zu", r->more) : FER_STR("");
    fer_str *list = r->more && more.ptr
                        ? fer_arena_room(c->arena, r->list, r->count, &r->cap, sizeof *list)
                        : NULL;
    if (list) {
        r->list = list;
        r->list[r->count++] = more;
    }
    c->envelope.redactions = r->list;
    c->envelope.redaction_count = r->count;
}

/* The caller's own result is not altered, unless the operator wants it so. */
static fer_move redact_result(fer_call *c)
{
    fer_buf b;
    fer_err err = {0};
    if (!fer_policy_common_of(c->rulebook->set)->redact_output || !c->outcome.structured)
        return FER_MOVE_NEXT;
    fer_buf_init(&b, c->arena, FER_RESULT_MAX);
    if (fer_redact_add(&b, c->ready->rules, FER_ROOT_OUTPUT, c->outcome.structured, NULL, &err))
        return fer_call_refuse_err(c, &err);
    c->envelope.structured = fer_buf_view(&b);
    c->envelope.mcp_result = FER_STR("");
    return FER_MOVE_NEXT;
}

fer_move fer_stage_redact(fer_call *c)
{
    bool ledger =
        c->gateway->keeper.append && c->ready && c->ready->policy.payload != FER_PAYLOAD_NONE;
    fer_move move = FER_MOVE_NEXT;
    clean(c, &c->envelope.error.message);
    clean(c, &c->envelope.error.details);
    clean(c, &c->envelope.error.caused_by);
    if (!c->ready || c->shared) return move;
    move = show_result(c);
    if (c->args && !c->begun && !c->input_shown.len)
        c->input_shown = hide(c, FER_ROOT_INPUT, fer_json_root(c->args), false);
    if (c->outcome.structured)
        c->output_shown = hide(c, FER_ROOT_OUTPUT, c->outcome.structured, ledger && c->begun);
    clean_echoes(c);
    list_redactions(c);
    return move == FER_MOVE_NEXT ? redact_result(c) : move;
}

fer_str fer_call_shown_input(fer_call *c)
{
    if (!c->input_shown.len && c->ready->policy.payload != FER_PAYLOAD_NONE)
        c->input_shown = hide(c, FER_ROOT_INPUT, fer_json_root(c->args), true);
    return c->input_shown;
}

/* ---- what is kept ----------------------------------------------------------------------------
 */

static void on_kept(void *whom, const fer_store_answer *a)
{
    fer_call *c = whom;
    c->asking = false;
    c->kept = a->code;
    fer_call_go(c);
}

/* The key's record, durable before the caller sees the result (5.4.4). What was not sent, or is
 * nobody's final word, is not kept (5.4.6). */
static fer_move keep_key(fer_call *c)
{
    const fer_keeper *k = &c->gateway->keeper;
    const fer_envelope *e = &c->envelope;
    int64_t ttl = fer_policy_common_of(c->rulebook->set)->key_ttl_ms;
    fer_err err = {0};
    fer_str record;
    fer_code code;
    if (!c->claimed) return FER_MOVE_NEXT;
    c->claimed = false;
    c->asking = true;
    bool unknown = c->doubtful || e->error.code == FER_OUTCOME_UNKNOWN;
    bool open = e->error.code == FER_INPUT_REQUIRED; /* it is made again, with the same key */
    if (!c->sent || open || (c->nothing_sent && !unknown)) {
        code = k->release(k->context, &c->claim, on_kept, c, &err);
    } else if (unknown) {
        code = k->lose(k->context, &c->claim, on_kept, c, &err);
    } else {
        code = fer_stored_write(c, &record, &err);
        if (!code)
            code =
                k->finish(k->context, &c->claim, record, fer_clock_wall() + ttl, on_kept, c, &err);
    }
    if (code) { /* nobody may wait for ever for a result that is not there */
        c->unkept = true;
        if (k->lose(k->context, &c->claim, on_kept, c, &err)) c->asking = false;
    }
    return c->asking ? FER_MOVE_WAIT : FER_MOVE_NEXT;
}

/* A result that could not be kept is given, with a warning: the effect has happened. */
static void warn_kept(fer_call *c)
{
    fer_str *list =
        c->kept ? fer_arena_alloc(c->arena, (c->envelope.warning_count + 1) * sizeof *list) : NULL;
    if (!list) return;
    for (size_t i = 0; i < c->envelope.warning_count; i++) list[i] = c->envelope.warnings[i];
    list[c->envelope.warning_count++] =
        FER_STR("the result could not be kept under its idempotency key: do not repeat the call");
    c->envelope.warnings = list;
    c->kept = FER_OK;
}

/* And where the operator wants it so, beyond the process. */
static void keep_beyond(fer_call *c, int64_t ttl)
{
    const fer_keeper *k = &c->gateway->keeper;
    fer_str record;
    if (!k->keep_result || fer_stored_write(c, &record, NULL)) return;
    k->keep_result(k->context, fer_call_tenant(c), fer_call_result_key(c), c->envelope.backend.name,
                   record, fer_clock_wall() + ttl);
}

static void keep_result(fer_call *c)
{
    const fer_envelope *e = &c->envelope;
    int64_t ttl = c->ready->policy.cache_ttl_ms;
    size_t size = e->structured.len + e->mcp_result.len;
    bool whole = !e->error.code && !e->warning_count && e->structured.len;
    if (!c->cached || c->shared || !fer_results_may(c->effect, ttl, whole, size)) return;
    if (c->purges != c->gateway->purges) return;            /* the tools may have changed since */
    if (c->result_public && !fer_call_is_public(c)) return; /* another backend has answered */
    if (ttl > FER_RESULTS_TTL_MS) ttl = FER_RESULTS_TTL_MS;
    fer_call_keep_result(c, ttl);
    keep_beyond(c, ttl);
}

/* ---- note: everybody who wants to know is told
 * ------------------------------------------------------------------ */

static void fill_report(const fer_call *c, fer_call_report *r)
{
    const fer_envelope *e = &c->envelope;
    int64_t begin = c->attempt.on_end ? c->attempt_began : 0;
    *r = (fer_call_report){
        .envelope = e,
        .call_id = fer_str_of(c->id),
        .causation_id = c->options.causation_id,
        .caller = c->options.caller,
        .effect = c->runner ? c->effect : FER_EFFECT_EXTERNAL_SIDE_EFFECTS,
        .sampled = c->trace.flags & 1,
        .began_ms = fer_clock_wall() - e->duration_us / 1000,
        .execution_us = begin ? (c->left[FER_STAGE_EXECUTE] - begin) / 1000 : -1,
        .timeout_ms = begin ? (c->attempt.deadline - begin) / MS : 0,
        .queue_ms = c->queued ? c->waited / MS : -1,
        .limit_id = c->limit_id,
        .rule = fer_call_rule(c),
        .tool = c->ready ? c->ready->id : FER_STR(""),
        .circuit = c->scopes[FER_SCOPE_BACKEND]
                       ? fer_circuit_names[c->scopes[FER_SCOPE_BACKEND]->breaker.state]
                       : NULL,
        .bytes_in = c->args_text.len,
        .bytes_out = e->structured.len > e->mcp_result.len ? e->structured.len : e->mcp_result.len};
    static const unsigned char nobody[8];
    fer_trace_hex(c->trace.trace, 16, r->trace_id);
    fer_trace_hex(c->trace.span, 8, r->span_id);
    if (memcmp(c->trace.parent, nobody, 8) != 0) fer_trace_hex(c->trace.parent, 8, r->parent_id);
    for (size_t i = 0; c->gateway->timed && i < FER_STAGE_COUNT; i++) {
        if (!c->came[i]) continue;
        r->stages[r->stage_count].name = fer_stages[i].name;
        r->stages[r->stage_count].from_ns = c->came[i] - c->began;
        r->stages[r->stage_count++].to_ns = (c->left[i] ? c->left[i] : c->now) - c->began;
    }
}

static void tell_all(fer_call *c)
{
    fer_gateway *g = c->gateway;
    fer_envelope *e = &c->envelope;
    fer_call_report report;
    if (!g->options.uncounted)
        fer_metrics_count(&g->metrics, c->ready ? c->ready->id : FER_STR(""), c->options.origin,
                          e->error.code, e->duration_us,
                          c->attempt.on_end ? (c->left[FER_STAGE_EXECUTE] - c->attempt_began) / 1000
                                            : -1);
    if (g->observer_count) fill_report(c, &report);
    for (size_t i = 0; i < g->observer_count; i++)
        g->observers[i].tell(g->observers[i].context, &report);
    if (c->options.on_event) {
        fer_str data = FER_STR("{}");
        fer_err err;
        if (!fer_envelope_write(c->arena, e, false, &data, &err))
            fer_call_tell(c, e->error.code ? FER_STREAM_ERROR : FER_STREAM_DONE, data);
    }
}

/* Entered again after each wait: the ledger, then the key, then everybody is told. */
fer_move fer_stage_note(fer_call *c)
{
    if (c->asking) return FER_MOVE_WAIT;
    if (!c->over) {
        c->over = true;
        c->now = fer_clock_mono();
        c->envelope.duration_us = (c->now - c->began) / 1000;
        c->envelope.attempts = c->sent;
        c->envelope.policy = fer_call_policy_json(c);
        fer_call_give_turn(c);
        if (fer_call_record_end(c) == FER_MOVE_WAIT) return FER_MOVE_WAIT;
    }
    bool did = c->effect != FER_EFFECT_PURE && !c->shared;
    if (c->kept && !c->noted && !c->envelope.error.code && did) {
        /* No result of a write is acknowledged that the ledger does not have (5.11). */
        fer_call_refuse(c, FER_OUTCOME_UNKNOWN,
                        "the call was made, but the ledger could not record its end");
        c->envelope.error.details = FER_STR("{\"cause\":\"LedgerUnavailable\"}");
    }
    if (!c->noted) c->kept = FER_OK;
    if (!c->noted && keep_key(c) == FER_MOVE_WAIT) {
        c->noted = true;
        return FER_MOVE_WAIT;
    }
    c->noted = true;
    warn_kept(c);
    if (c->ready && c->runner) keep_result(c);
    fer_call_land(c);
    tell_all(c);
    return FER_MOVE_NEXT;
}
