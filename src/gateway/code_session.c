/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of code on its way. Its life: begin -> lines and output of the job, answers to it -> the
 * end, which the job tells, or a bound, or somebody's cancel brings about -> the attempt has its
 * outcome, calls that are still under way are cancelled -> gone with the last of these.
 */
#include <stdarg.h>

#include "clock.h"
#include "code.h"
#include "code_lines.h"
#include "errors.h"
#include "plain_text.h"
#include "rpc.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

/* ---- the end ----------------------------------------------------------------------------------
 */

void fer_session_free(fer_session *s)
{
    fer_code_runner *r = s->runner;
    *s->place = s->next;
    if (s->next) s->next->place = s->place;
    r->running--;
    fer_arena_free(s->arena);
    fer_sys_free(s);
    if (r->stopping && !r->running && r->stopped == r->runtime_count)
        fer_runner_stopped(&r->runner);
}

static void on_closed(uv_handle_t *h)
{
    fer_session *s = h->data;
    s->closed = true;
    if (!s->asks) fer_session_free(s);
}

/* A run without calls that could have changed something did nothing that anybody could see. */
static fer_phase phase_of(const fer_session *s, bool cut_short)
{
    return cut_short && s->wrote ? FER_PHASE_AMBIGUOUS : FER_PHASE_DEFINITE;
}

/* Ends the attempt with what there is; calls that are under way end first, to be told of. */
static void finish(fer_session *s, fer_code code, fer_str message, fer_str error, bool cut_short)
{
    fer_attempt *t = s->attempt;
    s->attempt = NULL;
    uv_close((uv_handle_t *)&s->timer, on_closed);
    fer_session_cancel_asks(s);
    fer_outcome o = {.code = code, .phase = phase_of(s, cut_short), .message = message};
    fer_err err = {0};
    fer_str text = FER_STR("");
    fer_json *doc;
    fer_code bad =
        fer_code_result(t->arena, s, code ? FER_CODE_TAIL : SIZE_MAX, error, &text, &err);
    if (!bad && code) o.details = text;
    if (!bad && !code) {
        bad = fer_json_read(t->arena, text, fer_json_limits_file(), &doc, &err);
        o.doc = bad ? NULL : doc;
        o.structured = bad ? NULL : fer_json_root(doc);
        o.structured_json = text;
    }
    if (bad && !code) {
        o = (fer_outcome){.code = bad, .phase = FER_PHASE_DEFINITE};
        o.message = fer_arena_copy(t->arena, fer_str_of(err.message));
    } else {
        o.message = fer_arena_copy(t->arena, message);
    }
    s->call = NULL;
    fer_attempt_end(t, &o);
}

/* The job is over, or is ended now. */
static void finish_early(fer_session *s, fer_code code, const char *format, ...) FER_PRINTF(3, 4);
static void finish_early(fer_session *s, fer_code code, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    if (!s->attempt) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    finish(s, code, fer_str_of(text), FER_STR(""), true);
    if (!s->job.ended) fer_job_cancel(&s->job);
}

static void hit(fer_session *s, fer_bound bound)
{
    s->hit = bound;
    finish_early(s, bound == FER_BOUND_TIME ? FER_TIMEOUT : FER_RESOURCE_LIMIT,
                 "%s: the code was ended as it went past its limit of %lld", fer_bounds[bound].name,
                 (long long)s->job.bounds[bound]);
}

static void on_time(uv_timer_t *timer)
{
    hit(timer->data, FER_BOUND_TIME);
}

void fer_session_cancel(fer_session *s, fer_cancel reason)
{
    finish_early(s, FER_CANCELLED, "the code was given up: %s", fer_cancel_names[reason]);
}

void fer_session_pause(fer_session *s, bool paused)
{
    fer_job_pause(&s->job, paused);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static void tell_printed(fer_session *s, fer_printed which, fer_str bytes)
{
    fer_attempt *t = s->attempt;
    fer_buf text, b;
    fer_arena *a = t && t->wants_news ? fer_arena_new(FER_CODE_MEMORY) : NULL;
    if (!a) return;
    fer_buf_init(&text, a, FER_CODE_MEMORY);
    fer_buf_init(&b, a, FER_CODE_MEMORY);
    fer_text_mend(&text, bytes);
    fer_buf_printf(&b,
                   "{\"stream\":\"%s\",\"text\":", which == FER_PRINTED_ERR ? "stderr" : "stdout");
    fer_buf_add_quoted(&b, fer_buf_view(&text));
    fer_buf_add_char(&b, '}');
    if (!b.failure) fer_attempt_event(t, FER_NEWS_CHUNK, fer_buf_view(&b));
    fer_arena_free(a);
}

/* What is past the bound is passed over, and said to have been there. */
static void on_print(fer_job *j, fer_printed which, fer_str bytes)
{
    fer_session *s = j->owner;
    size_t max = (size_t)j->bounds[FER_BOUND_OUTPUT], have = s->printed[which].len;
    if (!s->attempt) return;
    fer_str kept = bytes.len > max - have ? fer_str_head(bytes, max - have) : bytes;
    s->cut[which] |= kept.len < bytes.len;
    if (!kept.len) return;
    fer_buf_add(&s->printed[which], kept);
    tell_printed(s, which, kept);
}

static void take_value(fer_session *s, const fer_code_line *l)
{
    fer_str copy = FER_STR_NONE;
    if (l->value.len > (uint64_t)s->job.bounds[FER_BOUND_VALUE]) {
        hit(s, FER_BOUND_VALUE);
        return;
    }
    copy = fer_arena_copy(s->arena, l->value);
    if (copy.ptr) s->value = copy;
    else finish_early(s, FER_OUT_OF_MEMORY, "out of memory");
}

static void take_line(fer_session *s, fer_arena *a, const fer_code_line *l)
{
    fer_str out;
    fer_err err = {0};
    switch (l->op) {
    case FER_OP_RUN: fer_session_run_tool(s, l); break;
    case FER_OP_CHAIN: fer_session_run_chain(s, a, l); break;
    case FER_OP_PRINT: on_print(&s->job, l->stream, l->text); break;
    case FER_OP_OUT: take_value(s, l); break;
    case FER_OP_FAIL: s->failure = fer_arena_copy(s->arena, l->value); break;
    case FER_OP_USES: s->uses = fer_arena_copy(s->arena, l->value); break;
    case FER_OP_DONE: break;
    default:
        if (fer_code_look(a, s, l, &out, &err)) fer_session_refuse_err(s, l->id, &err);
        else fer_session_answer(s, l->id, out);
    }
}

static void end_job(fer_session *s);

/* What cannot be read and names no request cannot be answered either: something of the run would be
 * missing without a word. */
static void refuse_line(fer_session *s, fer_str id, const fer_err *err)
{
    s->bad++;
    if (!id.len)
        finish_early(s, FER_TOOL_FAILED, "the code wrote a line that cannot be read: %s",
                     err->message);
    else if (s->bad > FER_CODE_BAD_LINES)
        finish_early(s, FER_TOOL_FAILED, "code.bad: the code made %d requests that are none: %s",
                     FER_CODE_BAD_LINES, err->message);
    else fer_session_refuse_err(s, id, err);
}

static void on_line(fer_job *j, fer_str line)
{
    fer_session *s = j->owner;
    fer_code_line l = {.id = FER_STR("")};
    fer_err err = {0};
    if (!s->attempt) return;
    fer_arena *a = fer_arena_new(FER_CODE_MEMORY);
    fer_code code = a ? fer_code_line_read(a, line, &l, &err)
                      : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    bool last = !code && (l.op == FER_OP_DONE || l.op == FER_OP_FAIL);
    if (code) refuse_line(s, l.id, &err);
    else take_line(s, a, &l);
    fer_arena_free(a);
    if (last && s->attempt && j->runtime->kind->one_channel) end_job(s);
}

/* ---- how it ended ------------------------------------------------------------------------------
 */

/* The bound that the program itself says it met. */
static fer_bound bound_named(const yyjson_val *name)
{
    for (int i = 0; fer_is_str(name) && i < FER_BOUNDS; i++)
        if (fer_str_is(fer_val_str(name), fer_bounds[i].name)) return (fer_bound)i;
    return FER_BOUNDS;
}

static fer_str text_member(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_val_get(object, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static unsigned number_member(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_val_get(object, key);
    bool whole = v && fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 < UINT32_MAX;
    return whole ? (unsigned)v->uni.u64 : 0;
}

/* What the program says of its own failure, in a sentence with its place. */
static void fail_as_told(fer_session *s)
{
    fer_json *doc;
    fer_err err;
    if (fer_json_read(s->arena, s->failure, NULL, &doc, &err)) {
        finish(s, FER_TOOL_FAILED, FER_STR("the code failed"), FER_STR(""), false);
        return;
    }
    const yyjson_val *e = fer_json_root(doc);
    fer_str name = text_member(e, "name"), message = text_member(e, "message");
    unsigned line = number_member(e, "line"), column = number_member(e, "column");
    s->hit = bound_named(fer_val_get(e, "limit"));
    fer_str place = !line    ? FER_STR("")
                    : column ? fer_arena_printf(s->arena, " (line %u, column %u)", line, column)
                             : fer_arena_printf(s->arena, " (line %u)", line);
    fer_str text =
        fer_arena_printf(s->arena, "%.*s%s%.*s%.*s", FER_PRI(fer_str_head(name, 100)),
                         name.len ? ": " : "", FER_PRI(fer_str_head(message, 800)), FER_PRI(place));
    finish(s, s->hit < FER_BOUNDS ? FER_RESOURCE_LIMIT : FER_TOOL_FAILED,
           text.ptr ? text : FER_STR("the code failed"), s->failure, false);
}

/* A check gives the tools that the program names, and whether the caller could run each. */
static void take_uses(fer_session *s)
{
    fer_json *doc;
    fer_buf b;
    fer_buf_init(&b, s->arena, FER_CODE_MEMORY);
    fer_buf_add_text(&b, "{\"tools\":[");
    if (fer_json_read(s->arena, s->uses.len ? s->uses : FER_STR("[]"), NULL, &doc, NULL)) return;
    bool first = true;
    FER_EACH_ITEM (fer_json_root(doc), use) {
        fer_str tool = text_member(use, "tool");
        fer_buf_add_text(&b, first ? "{\"tool\":" : ",{\"tool\":");
        first = false;
        if (tool.len) fer_buf_add_quoted(&b, tool);
        else fer_buf_add_text(&b, "null");
        fer_buf_printf(&b, ",\"line\":%u,\"column\":%u", number_member(use, "line"),
                       number_member(use, "column"));
        if (tool.len)
            fer_buf_printf(&b, ",\"found\":%s",
                           fer_code_knows(s->arena, s, tool) ? "true" : "false");
        fer_buf_add_char(&b, '}');
    }
    fer_buf_add_text(&b, "]}");
    if (!b.failure) s->value = fer_buf_view(&b);
}

/* All that will come has come. */
static void end_job(fer_session *s)
{
    if (s->failure.len) fail_as_told(s);
    else {
        if (s->job.check) take_uses(s);
        finish(s, FER_OK, FER_STR(""), FER_STR(""), false);
    }
    if (!s->job.ended) fer_job_cancel(&s->job);
}

static void on_end(fer_job *j, const fer_job_end *e)
{
    fer_session *s = j->owner;
    if (!s->attempt) return;
    if (s->failure.len || !e->code) {
        end_job(s);
        return;
    }
    s->hit = e->hit;
    finish(s, e->code, e->message, FER_STR(""), e->code != FER_TOOL_FAILED);
}

static const fer_job_events events = {on_line, on_print, on_end};

/* ---- the beginning ----------------------------------------------------------------------------
 */

/* The runtime that a request names, or the first. */
static fer_runtime *choose(const fer_code_runner *r, fer_str name)
{
    for (size_t i = 0; i < r->runtime_count; i++)
        if (!name.len || fer_str_eq(r->runtimes[i]->name, name)) return r->runtimes[i];
    return NULL;
}

/* What holds is the lowest that the operator, the runtime and the request say. */
static void set_bounds(fer_session *s, const yyjson_val *limits, bool store)
{
    for (int i = 0; i < FER_BOUNDS; i++) {
        int64_t *bound = &s->job.bounds[i], own = s->job.runtime->bounds[i];
        const yyjson_val *asked =
            fer_is_obj(limits) ? fer_val_get(limits, fer_bounds[i].name) : NULL;
        *bound = s->runner->bounds[i];
        if (i == FER_BOUND_VALUE && store) *bound = (int64_t)FER_CODE_STORED;
        if (own && own < *bound) *bound = own;
        if (!asked || fer_val_tag(asked) != FER_TAG_UINT) continue;
        if (asked->uni.u64 < (uint64_t)*bound) *bound = (int64_t)asked->uni.u64;
        if (*bound < fer_bounds[i].min) *bound = fer_bounds[i].min;
    }
}

/* Its calls are the caller's, caused by this one. */
static void set_options(fer_session *s)
{
    const fer_call_options *above = &s->call->options;
    s->options = (fer_call_options){.constraint = FER_STR(""),
                                    .idempotency_key = above->idempotency_key,
                                    .correlation_id = above->correlation_id,
                                    .causation_id = s->attempt->call_id,
                                    .traceparent = s->attempt->traceparent,
                                    .retry_owner = above->retry_owner,
                                    .origin = "code",
                                    .caller = above->caller,
                                    .no_cache = above->no_cache,
                                    .in_code = true};
    if (!above->mcp) return;
    s->mcp = *above->mcp;
    s->mcp.params = FER_STR(""); /* those of the run are not those of its calls */
    s->mcp.takes_input = false;  /* nobody could say which call the answer is for */
    s->options.mcp = &s->mcp;
}

static fer_session *new_session(fer_code_runner *r, fer_attempt *t)
{
    fer_session *s = fer_sys_malloc_zero(sizeof *s);
    if (!s) return NULL;
    s->arena = fer_arena_new(FER_CODE_MEMORY);
    if (!s->arena) {
        fer_sys_free(s);
        return NULL;
    }
    s->runner = r;
    s->attempt = t;
    s->call = t->call;
    s->hit = FER_BOUNDS;
    s->failure = s->uses = FER_STR("");
    s->value = FER_STR_NONE;
    s->trace_end = &s->trace;
    s->began = fer_clock_mono();
    s->next = r->sessions;
    s->place = &r->sessions;
    if (s->next) s->next->place = &s->next;
    r->sessions = s;
    r->running++;
    r->calls++;
    uv_timer_init(r->runner.loop, &s->timer);
    s->timer.data = s;
    t->state = s;
    return s;
}

static void start_clock(fer_session *s)
{
    int64_t rest = (s->attempt->deadline - s->began) / MS, ms = s->job.bounds[FER_BOUND_TIME];
    if (rest < ms) ms = rest > 1 ? rest : 1;
    s->job.bounds[FER_BOUND_TIME] = ms;
    s->deadline = s->began + ms * MS;
    uv_update_time(s->runner->runner.loop);
    uv_timer_start(&s->timer, on_time, (uint64_t)ms, 0);
}

void fer_session_begin(fer_code_runner *r, fer_attempt *t)
{
    const yyjson_val *store = fer_val_get(t->args, "store"), *check = fer_val_get(t->args, "check");
    fer_str name = text_member(t->args, "runtime");
    fer_runtime *runtime = choose(r, name);
    const fer_call *c = t->call;
    if (c->options.in_code && !r->reentrant) {
        fer_attempt_fail(t, FER_FORBIDDEN, "code may not run code");
        return;
    }
    if (!runtime) {
        fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "there is no runtime \"%.*s\" here",
                         FER_PRI(fer_str_head(name, 64)));
        return;
    }
    fer_session *s = new_session(r, t);
    if (!s) {
        fer_attempt_fail(t, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    s->job = (fer_job){.arena = s->arena,
                       .runtime = runtime,
                       .code = text_member(t->args, "code"),
                       .check = fer_is_true(check),
                       .events = &events,
                       .owner = s};
    set_bounds(s, fer_val_get(t->args, "limits"), fer_is_true(store));
    for (int i = 0; i < 2; i++) fer_buf_init(&s->printed[i], s->arena, FER_CODE_MEMORY / 4);
    set_options(s);
    start_clock(s);
    t->sent = true;
    fer_job_begin(&s->job);
}
