/* SPDX-License-Identifier: Apache-2.0 */
/* A call's way through the stages, from the door to its envelope. */
#include "call.h"

#include <stdarg.h>

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"

const fer_stage fer_stages[FER_STAGE_COUNT] = {
    [FER_STAGE_RESOLVE] = {"resolve", fer_stage_resolve, false},
    [FER_STAGE_AUTHORIZE] = {"authorize", fer_stage_authorize, false},
    [FER_STAGE_VALIDATE_INPUT] = {"validate_input", fer_stage_validate_input, false},
    [FER_STAGE_ADMIT] = {"admit", fer_stage_admit, false},
    [FER_STAGE_RECALL] = {"recall", fer_stage_recall, false},
    [FER_STAGE_EXECUTE] = {"execute", fer_stage_execute, false},
    [FER_STAGE_VALIDATE_OUTPUT] = {"validate_output", fer_stage_validate_output, false},
    [FER_STAGE_REDACT] = {"redact", fer_stage_redact, true},
    [FER_STAGE_NOTE] = {"note", fer_stage_note, true},
};

/* ---- through the stages ------------------------------------------------------------------------
 */

void fer_call_leave(fer_call *c)
{
    fer_call_done *done = c->done;
    if (c->place) *c->place = NULL;
    c->place = NULL;
    c->done = NULL;
    c->options.on_event = NULL; /* nobody listens any more */
    c->mcp.owner = NULL;
    if (done) done(c->done_context, c, &c->envelope);
}

static void finish(fer_call *c)
{
    fer_call_leave(c);
    fer_gateway_give_call(c);
}

void fer_call_go(fer_call *c)
{
    if (c->moving) return;                     /* whoever moves it will see what has changed */
    if (c->entered) c->now = fer_clock_mono(); /* it has waited */
    c->moving = true;
    while (c->stage < FER_STAGE_COUNT) {
        if (!c->entered) c->came[c->stage] = c->now;
        c->entered = true;
        fer_move move = fer_stages[c->stage].run(c);
        if (move == FER_MOVE_WAIT) {
            c->moving = false;
            return;
        }
        if (c->gateway->timed) c->now = fer_clock_mono();
        c->left[c->stage++] = c->now;
        c->entered = false;
        while (move == FER_MOVE_REPLY && c->stage < FER_STAGE_COUNT && !fer_stages[c->stage].always)
            c->stage++;
    }
    finish(c);
}

static fer_move refuse(fer_call *c, fer_code code, fer_str message)
{
    const fer_code_row *row = fer_code_info(code);
    fer_str text = fer_arena_copy(c->arena, message);
    c->envelope.status = row->retryable ? FER_STATUS_RETRYABLE : FER_STATUS_ERROR;
    c->envelope.error = (fer_call_error){.code = code,
                                         .message = text.ptr ? text : fer_str_of(row->text),
                                         .op = fer_stages[c->stage].name,
                                         .retryable = row->retryable};
    return FER_MOVE_REPLY;
}

fer_move fer_call_refuse(fer_call *c, fer_code code, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    return refuse(c, code, (fer_str){text, len});
}

fer_move fer_call_refuse_err(fer_call *c, const fer_err *err)
{
    return refuse(c, err->code, fer_str_of(err->message));
}

/* ---- the door
 * ------------------------------------------------------------------------------------ */

/* A text that must outlive the caller's. */
static bool copy(fer_call *c, fer_str *s)
{
    if (!s->len) {
        *s = FER_STR("");
        return true;
    }
    *s = fer_arena_copy(c->arena, *s);
    return s->ptr != NULL;
}

static bool copy_texts(fer_call *c, fer_texts *t)
{
    fer_str *list = fer_arena_alloc(c->arena, (t->count + 1) * sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < t->count; i++) {
        list[i] = t->list[i];
        if (!copy(c, &list[i])) return false;
    }
    t->list = list;
    return true;
}

static bool copy_caller(fer_call *c)
{
    if (!c->options.caller) return true;
    fer_caller *own = fer_arena_alloc(c->arena, sizeof *own);
    if (!own) return false;
    *own = *c->options.caller;
    c->options.caller = own;
    return copy(c, &own->tenant) && copy(c, &own->principal) && copy(c, &own->agent) &&
           copy_texts(c, &own->scopes);
}

static bool copy_mcp(fer_call *c)
{
    if (!c->options.mcp) return true;
    c->mcp = *c->options.mcp;
    c->options.mcp = &c->mcp;
    return copy(c, &c->mcp.params) && copy(c, &c->mcp.capabilities);
}

static bool copy_options(fer_call *c)
{
    fer_call_options *o = &c->options;
    return copy(c, &c->tool) && copy(c, &c->args_text) && copy(c, &o->constraint) &&
           copy(c, &o->idempotency_key) && copy(c, &o->correlation_id) &&
           copy(c, &o->causation_id) && copy(c, &o->traceparent) && copy(c, &o->retry_owner) &&
           copy_caller(c) && copy_mcp(c);
}

/* The call is a span of the caller's trace, or of a new one. */
static bool join_trace(fer_call *c)
{
    fer_trace *t = &c->trace;
    if (!fer_trace_parse(c->options.traceparent, t)) {
        *t = (fer_trace){.flags = 1};
        if (!fer_gateway_random(c->gateway, t->trace, sizeof t->trace)) return false;
    }
    if (!fer_gateway_random(c->gateway, t->span, sizeof t->span)) return false;
    fer_trace_write(t, c->traceparent);
    return true;
}

fer_code fer_gateway_call(fer_gateway *g, fer_str tool, fer_str args,
                          const fer_call_options *options, fer_call_done *done, void *context,
                          fer_call **out, fer_err *err)
{
    fer_call *c = fer_gateway_take_call(g);
    if (!c) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    c->began = c->now = fer_clock_mono();
    if (options) c->options = *options;
    c->tool = tool;
    c->args_text = args;
    c->done = done;
    c->done_context = context;
    c->place = out;
    c->warn_output = g->options.warn_output;
    fer_call_hold(c, args.len);
    c->rulebook = fer_rulebook_ref(g->rulebook);
    if (!fer_gateway_uuid(g, c->id) || !copy_options(c) || !join_trace(c)) {
        fer_gateway_give_call(c);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory, or of randomness");
    }
    if (!c->options.correlation_id.len) c->options.correlation_id = fer_str_of(c->id);
    if (!c->options.origin) c->options.origin = "library";
    c->envelope = (fer_envelope){.tool_id = c->tool,
                                 .structured = FER_STR(""),
                                 .mcp_result = FER_STR(""),
                                 .mcp_error = FER_STR(""),
                                 .definition = FER_STR(""),
                                 .resolved_version = FER_STR(""),
                                 .original_call = FER_STR(""),
                                 .policy = FER_STR(""),
                                 .correlation_id = c->options.correlation_id,
                                 .origin = c->options.origin};
    if (out) *out = c;
    fer_call_go(c);
    return FER_OK;
}

void fer_call_cancel(fer_call *c)
{
    fer_call_stop(c, FER_CANCEL_CLIENT_CANCELLED);
}

/* ---- the door, for those who wait
 * ------------------------------------------------------------------ */

struct asking {
    fer_arena *arena;
    fer_envelope *out;
    fer_code code;
    bool over;
};

static bool keep(fer_arena *a, fer_str *s)
{
    if (!s->len) {
        *s = FER_STR("");
        return true;
    }
    *s = fer_arena_copy(a, *s);
    return s->ptr != NULL;
}

/* The envelope with all its texts, in another arena. */
static bool keep_envelope(fer_arena *a, const fer_envelope *e, fer_envelope *out)
{
    *out = *e;
    fer_str *warnings = fer_arena_alloc(a, (e->warning_count + 1) * sizeof *warnings);
    if (!warnings) return false;
    for (size_t i = 0; i < e->warning_count; i++) {
        warnings[i] = e->warnings[i];
        if (!keep(a, &warnings[i])) return false;
    }
    out->warnings = warnings;
    fer_str *redactions = fer_arena_alloc(a, (e->redaction_count + 1) * sizeof *redactions);
    if (!redactions) return false;
    for (size_t i = 0; i < e->redaction_count; i++) {
        redactions[i] = e->redactions[i];
        if (!keep(a, &redactions[i])) return false;
    }
    out->redactions = redactions;
    if (!keep(a, &out->original_call) || !keep(a, &out->policy)) return false;
    return keep(a, &out->error.message) && keep(a, &out->error.details) &&
           keep(a, &out->error.caused_by) && keep(a, &out->tool_id) && keep(a, &out->structured) &&
           keep(a, &out->mcp_result) && keep(a, &out->mcp_error) && keep(a, &out->definition) &&
           keep(a, &out->backend.name) && keep(a, &out->backend.tool) &&
           keep(a, &out->resolved_version) && keep(a, &out->correlation_id);
}

static void asked(void *context, fer_call *c, const fer_envelope *e)
{
    struct asking *q = context;
    (void)c;
    q->over = true;
    q->code = keep_envelope(q->arena, e, q->out) ? FER_OK : fer_arena_code(q->arena);
}

fer_code fer_gateway_ask(fer_arena *a, fer_gateway *g, fer_str tool, fer_str args,
                         const fer_call_options *options, fer_envelope *out, fer_err *err)
{
    fer_envelope e;
    struct asking q = {.arena = a, .out = &e};
    fer_code code = fer_gateway_call(g, tool, args, options, asked, &q, NULL, err);
    if (code) return code;
    while (!q.over) uv_run(g->loop, UV_RUN_ONCE);
    if (q.code) return fer_arena_failed(a, err);
    *out = e;
    return FER_OK;
}
