/* SPDX-License-Identifier: Apache-2.0 */
/* The stages before and after a tool runs. */
#include <inttypes.h>

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"

#define MS INT64_C(1000000) /* ns */

/* ---- resolve ------------------------------------------------------------------------------------
 */

fer_move fer_stage_resolve(fer_call *c)
{
    fer_gateway *g = c->gateway;
    fer_err err = {0};
    if (g->closing) return fer_call_refuse(c, FER_CANCELLED, "the gateway is shutting down");
    fer_view *v = fer_catalog_view(g->options.catalog);
    fer_code code = fer_ready_get(&g->readies, v, c->tool, c->options.constraint, &c->ready, &err);
    fer_view_unref(v);
    if (code) return fer_call_refuse_err(c, &err);
    c->envelope.tool_id = c->ready->id;
    c->envelope.resolved_version = c->ready->version;
    c->envelope.definition = c->ready->definition;
    return FER_MOVE_NEXT;
}

/* ---- authorize
 * ----------------------------------------------------------------------------------- */

static bool has_scope(const fer_caller *who, fer_str scope)
{
    for (size_t i = 0; i < who->scopes.count; i++)
        if (fer_str_eq(who->scopes.list[i], scope)) return true;
    return false;
}

/* A caller that is named must have the scopes that the tool asks for; nobody in particular is the
 * operator, at the command line or in the program that the library is part of. */
fer_move fer_stage_authorize(fer_call *c)
{
    const yyjson_val *scopes = fer_tool_field(c->ready->tool, "requiredScopes");
    const fer_caller *who = c->options.caller;
    if (!who || !fer_is_arr(scopes)) return FER_MOVE_NEXT;
    FER_EACH_ITEM (scopes, item) {
        if (fer_is_str(item) && !has_scope(who, fer_val_str(item)))
            return fer_call_refuse(c, FER_FORBIDDEN, "the call needs the scope %.*s",
                                   FER_PRI(fer_val_str(item)));
    }
    return FER_MOVE_NEXT;
}

/* ---- what breaks a schema
 * --------------------------------------------------------------------------- */

static void add_text(fer_buf *b, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

/* The allowed values of an enum are JSON; names of fields and candidates are not. */
static void add_choices(fer_buf *b, const fer_violation *v)
{
    bool json = v->code == FER_INVALID_ENUM_VALUE;
    const char *key = v->code == FER_DISCRIMINATOR_MISMATCH ? "candidates" : "allowed";
    for (size_t i = 0; i < v->allowed_count; i++) {
        if (i) fer_buf_add_char(b, ',');
        else fer_buf_printf(b, ",\"%s\":[", key);
        if (json) fer_buf_add(b, v->allowed[i]);
        else fer_buf_add_quoted(b, v->allowed[i]);
    }
    if (v->allowed_count) fer_buf_add_char(b, ']');
}

/* {"field", "path", what the code has beside it} */
static void add_violation(fer_buf *b, const fer_violation *v)
{
    fer_buf_add_text(b, "\"field\":");
    fer_buf_add_quoted(b, v->field);
    add_text(b, "path", v->dotted);
    add_text(b, "keyword", v->keyword);
    add_text(b, "expected", v->expected);
    add_text(b, "actual", v->actual);
    add_choices(b, v);
    add_text(b, "didYouMean", v->did_you_mean);
}

/* The first violation, and a list of all. */
static fer_str violation_details(fer_arena *a, const fer_violation *list, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_RESULT_MAX);
    fer_buf_add_char(&b, '{');
    add_violation(&b, &list[0]);
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(&b, "%s{\"code\":\"%s\",", i ? "," : ",\"findings\":[",
                       fer_code_info(list[i].code)->name);
        add_violation(&b, &list[i]);
        add_text(&b, "message", list[i].message);
        add_text(&b, "hint", list[i].hint);
        fer_buf_add_char(&b, '}');
    }
    fer_buf_add_text(&b, "]}");
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

/* One sentence about all of them: the first few in their own words. */
static fer_str violation_message(fer_arena *a, const fer_violation *list, size_t count)
{
    enum {
        SPOKEN = 5
    };
    fer_buf b;
    fer_buf_init(&b, a, FER_RESULT_MAX);
    for (size_t i = 0; i < count && i < SPOKEN; i++) {
        if (i) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, list[i].message);
    }
    if (count > SPOKEN) fer_buf_printf(&b, " (and %zu more)", count - SPOKEN);
    return b.failure ? FER_STR("") : fer_str_head(fer_buf_view(&b), FER_ERR_TEXT - 1);
}

/* Has the envelope say what is wrong; `code` FER_OK: the code of the first violation. */
static fer_move refuse_value(fer_call *c, fer_code code, const fer_result *r)
{
    size_t count;
    const fer_violation *list = fer_result_violations(r, &count);
    if (!count) return fer_call_refuse(c, FER_INTERNAL, "a schema says no without a reason");
    fer_str text = violation_message(c->arena, list, count);
    fer_call_refuse(c, code ? code : list[0].code, "%.*s", FER_PRI(text));
    c->envelope.error.details = violation_details(c->arena, list, count);
    return FER_MOVE_REPLY;
}

/* ---- validate_input
 * --------------------------------------------------------------------------------- */

/* Compact text is passed on as it came. */
static fer_code one_line(fer_call *c, fer_err *err)
{
    bool compact = !memchr(c->args_text.ptr, '\n', c->args_text.len) &&
                   !memchr(c->args_text.ptr, '\r', c->args_text.len);
    if (compact) c->args_json = c->args_text;
    return compact ? FER_OK
                   : fer_json_write(c->arena, fer_json_root(c->args), false, &c->args_json, err);
}

fer_move fer_stage_validate_input(fer_call *c)
{
    fer_err err = {0};
    fer_result *r;
    bool valid = false;
    if (!c->args_text.len) c->args_text = FER_STR("{}");
    fer_code code = fer_json_read(c->arena, c->args_text, NULL, &c->args, &err);
    if (code) {
        fer_call_refuse(c, code, "the arguments cannot be read: %s", err.message);
        c->envelope.error.details =
            fer_arena_printf(c->arena, "{\"line\":%u,\"column\":%u,\"offset\":%zu}", err.line,
                             err.column, err.offset);
        return FER_MOVE_REPLY;
    }
    const yyjson_val *args = fer_json_root(c->args);
    code = fer_schema_accepts(c->ready->input, c->arena, args, &valid, &err);
    if (!code && !valid) {
        code =
            fer_tool_validate_input(c->arena, c->ready->tool, NULL, c->args, args, NULL, &r, &err);
        if (!code) return refuse_value(c, FER_OK, r);
    }
    if (!code && !fer_is_obj(args))
        return fer_call_refuse(c, FER_INVALID_TYPE, "the arguments must be an object, not %s",
                               fer_val_type_name(args));
    if (!code) code = one_line(c, &err);
    return code ? fer_call_refuse_err(c, &err) : FER_MOVE_NEXT;
}

/* ---- admit
 * -------------------------------------------------------------------------------------------- */

static int64_t earlier(int64_t one, int64_t other)
{
    return one <= 0 ? other : other <= 0 || one < other ? one : other;
}

/* The time that is left for all of it, ns: the caller's and the tool's limit, the tighter of both.
 */
static int64_t budget(const fer_call *c)
{
    int64_t ms = earlier(c->options.deadline_ms, c->ready->deadline_ms), rest;
    if (c->options.deadline > 0) {
        rest = c->options.deadline - fer_clock_wall();
        if (rest <= 0) return 0;
        ms = earlier(ms, rest);
    }
    if (ms <= 0) ms = c->gateway->options.deadline_ms;
    return (ms < FER_CALL_DEADLINE_MAX ? ms : FER_CALL_DEADLINE_MAX) * MS;
}

fer_move fer_stage_admit(fer_call *c)
{
    fer_gateway *g = c->gateway;
    int64_t rest = budget(c);
    c->deadline = c->began + rest;
    if (rest <= 0 || fer_clock_mono() >= c->deadline)
        return fer_call_refuse(c, FER_DEADLINE_EXCEEDED,
                               "the deadline had passed before the tool was run");
    if (g->active_count > g->options.calls_max)
        return fer_call_refuse(c, FER_CONCURRENCY_LIMITED,
                               "%zu calls are under way, the limit is %zu", g->active_count - 1,
                               g->options.calls_max);
    return FER_MOVE_NEXT;
}

/* ---- recall
 * --------------------------------------------------------------------------------------------- */

/* Results that are known already, by key or from the cache, come in here. */
fer_move fer_stage_recall(fer_call *c)
{
    (void)c;
    return FER_MOVE_NEXT;
}

/* ---- validate_output
 * -------------------------------------------------------------------------------------- */

static fer_move doubt_output(fer_call *c, fer_move refused)
{
    fer_envelope *e = &c->envelope;
    if (!c->warn_output || !e->error.code) return refused;
    fer_str *list = fer_arena_alloc(c->arena, sizeof *list);
    if (!list) return refused;
    *list = e->error.message;
    e->warnings = list;
    e->warning_count = 1;
    e->error = (fer_call_error){0};
    e->status = FER_STATUS_OK;
    return FER_MOVE_NEXT;
}

fer_move fer_stage_validate_output(fer_call *c)
{
    const fer_ready *r = c->ready;
    const fer_outcome *o = &c->outcome;
    fer_err err = {0};
    fer_result *result;
    bool valid = false;
    if (!r->output) return FER_MOVE_NEXT;
    if (!o->structured)
        return doubt_output(c, fer_call_refuse(c, FER_INVALID_OUTPUT,
                                               "the tool promises an output of a schema and gave "
                                               "none that is structured"));
    fer_code code = fer_schema_accepts(r->output, c->arena, o->structured, &valid, &err);
    if (!code && valid) return FER_MOVE_NEXT;
    if (!code)
        code = fer_tool_validate_output(c->arena, r->tool, NULL, o->doc, o->structured, NULL,
                                        &result, &err);
    if (code) return fer_call_refuse_err(c, &err);
    return doubt_output(c, refuse_value(c, FER_INVALID_OUTPUT, result));
}

/* ---- redact: what the caller gets to see
 * -------------------------------------------------------------------- */

fer_move fer_stage_redact(fer_call *c)
{
    fer_envelope *e = &c->envelope;
    const fer_outcome *o = &c->outcome;
    fer_err err = {0};
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
    if (e->error.code && e->error.code != FER_TOOL_FAILED) return FER_MOVE_NEXT;
    e->structured = text;
    e->mcp_result = o->mcp_result;
    return FER_MOVE_NEXT;
}

/* ---- note: everybody who wants to know is told
 * ------------------------------------------------------------------ */

static void fill_report(const fer_call *c, int64_t now, fer_call_report *r)
{
    const fer_envelope *e = &c->envelope;
    int64_t begin = c->attempt.on_end ? c->attempt_began : 0;
    *r = (fer_call_report){.envelope = e,
                           .call_id = fer_str_of(c->id),
                           .causation_id = c->options.causation_id,
                           .caller = c->options.caller,
                           .effect = c->ready ? c->ready->effect : FER_EFFECT_EXTERNAL_SIDE_EFFECTS,
                           .sampled = c->trace.flags & 1,
                           .began_ms = fer_clock_wall() - e->duration_us / 1000,
                           .execution_us = begin ? (c->left[FER_STAGE_EXECUTE] - begin) / 1000 : -1,
                           .timeout_ms = begin ? (c->attempt.deadline - begin) / MS : 0,
                           .bytes_in = c->args_text.len,
                           .bytes_out = e->structured.len > e->mcp_result.len ? e->structured.len
                                                                              : e->mcp_result.len};
    static const unsigned char nobody[8];
    fer_hex_write(c->trace.trace, 16, r->trace_id);
    fer_hex_write(c->trace.span, 8, r->span_id);
    if (memcmp(c->trace.parent, nobody, 8) != 0) fer_hex_write(c->trace.parent, 8, r->parent_id);
    for (size_t i = 0; i < FER_STAGE_COUNT; i++) {
        if (!c->came[i]) continue;
        r->stages[r->stage_count].name = fer_stages[i].name;
        r->stages[r->stage_count].from_ns = c->came[i] - c->began;
        r->stages[r->stage_count++].to_ns = (c->left[i] ? c->left[i] : now) - c->began;
    }
}

fer_move fer_stage_note(fer_call *c)
{
    fer_gateway *g = c->gateway;
    fer_envelope *e = &c->envelope;
    int64_t now = fer_clock_mono();
    fer_call_report report;
    e->duration_us = (now - c->began) / 1000;
    c->over = true;
    if (!g->options.uncounted)
        fer_metrics_count(&g->metrics, c->ready ? c->ready->id : FER_STR(""), c->options.origin,
                          e->error.code, e->duration_us,
                          c->attempt.on_end ? (c->left[FER_STAGE_EXECUTE] - c->attempt_began) / 1000
                                            : -1);
    if (g->observer_count) fill_report(c, now, &report);
    for (size_t i = 0; i < g->observer_count; i++)
        g->observers[i].tell(g->observers[i].context, &report);
    if (c->options.on_event) {
        fer_str data = FER_STR("{}");
        fer_err err;
        if (!fer_envelope_write(c->arena, e, false, &data, &err))
            fer_call_tell(c, e->error.code ? FER_STREAM_ERROR : FER_STREAM_DONE, data);
    }
    return FER_MOVE_NEXT;
}
