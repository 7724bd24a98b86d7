/* SPDX-License-Identifier: Apache-2.0 */
/* What a call says, as JSON. */
#include <ferrule/gateway.h>

#include "buf.h"
#include "errors.h"

#define TEXT_MAX (SIZE_MAX / 4)

static const char *const statuses[] = {
    [FER_STATUS_OK] = "Ok", [FER_STATUS_ERROR] = "Error", [FER_STATUS_RETRYABLE] = "Retryable"};

static void member(fer_buf *b, const char *key, fer_str text)
{
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

static void json_member(fer_buf *b, const char *key, fer_str json)
{
    if (!json.len) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add(b, json);
}

/* What was written, on one line: results, definitions and details are as their backends wrote them,
 * which may be over several. A line end inside a JSON text stands between tokens, where a blank
 * means the same. */
static fer_code finish(fer_buf *b, fer_str *out, fer_err *err)
{
    fer_code code = fer_buf_code(b, err);
    if (code) return code;
    for (size_t i = 0; i < b->len; i++)
        if (b->ptr[i] == '\n' || b->ptr[i] == '\r') b->ptr[i] = ' ';
    *out = fer_buf_view(b);
    return FER_OK;
}

static void add_duration(fer_buf *b, int64_t us)
{
    fer_buf_printf(b, ",\"durationMs\":%lld.%03lld", (long long)(us / 1000),
                   (long long)(us % 1000));
}

static void add_error(fer_buf *b, const fer_call_error *x, fer_str tool)
{
    const fer_code_row *row = fer_code_info(x->code);
    fer_buf_printf(b, ",\"error\":{\"category\":\"%s\",\"code\":\"%s\"", row->category, row->name);
    member(b, "message", x->message);
    json_member(b, "details", x->details);
    fer_buf_printf(b, ",\"op\":\"%s\"", x->op);
    if (tool.len) member(b, "toolId", tool);
    fer_buf_printf(b, ",\"retryable\":%s", x->retryable ? "true" : "false");
    if (x->retry_after_ms > 0)
        fer_buf_printf(b, ",\"retryAfterMs\":%lld", (long long)x->retry_after_ms);
    if (x->caused_by.len) member(b, "causedBy", x->caused_by);
    fer_buf_add_char(b, '}');
}

static void add_backend(fer_buf *b, const fer_backend *p)
{
    static const char *const kinds[] = {[FER_BACKEND_LOCAL] = "local",
                                        [FER_BACKEND_PROVIDER] = "provider",
                                        [FER_BACKEND_MCP] = "mcp"};
    static const char *const names[] = {[FER_BACKEND_LOCAL] = "name",
                                        [FER_BACKEND_PROVIDER] = "providerId",
                                        [FER_BACKEND_MCP] = "serverName"};
    fer_buf_printf(b, ",\"backend\":{\"kind\":\"%s\"", kinds[p->kind]);
    member(b, names[p->kind], p->name);
    if (p->tool.len) member(b, "toolId", p->tool);
    fer_buf_add_char(b, '}');
}

/* RunResult: {tool, backend, structured, mcpResult}. */
static void add_result(fer_buf *b, const fer_envelope *e, bool full)
{
    fer_buf_add_text(b, ",\"output\":{\"tool\":");
    if (full) {
        fer_buf_add(b, e->definition);
    } else {
        fer_buf_add_text(b, "{\"id\":");
        fer_buf_add_quoted(b, e->tool_id);
        fer_buf_add_char(b, '}');
    }
    if (e->backend.name.len) add_backend(b, &e->backend);
    fer_buf_add_text(b, ",\"structured\":");
    fer_buf_add(b, e->structured.len ? e->structured : FER_STR("null"));
    json_member(b, "mcpResult", e->mcp_result);
    fer_buf_add_char(b, '}');
}

fer_code fer_envelope_write(fer_arena *a, const fer_envelope *e, bool full, fer_str *out,
                            fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_printf(&b, "{\"status\":\"%s\"", statuses[e->status]);
    if (e->error.code) add_error(&b, &e->error, e->tool_id);
    if (!e->error.code || e->structured.len || e->mcp_result.len) add_result(&b, e, full);
    add_duration(&b, e->duration_us);
    fer_buf_printf(&b, ",\"attempts\":%u", e->attempts);
    if (e->resolved_version.len) member(&b, "resolvedVersion", e->resolved_version);
    member(&b, "correlationId", e->correlation_id);
    member(&b, "origin", fer_str_of(e->origin));
    if (e->cancelled) member(&b, "cancelReason", fer_str_of(e->cancelled));
    for (size_t i = 0; i < e->warning_count; i++) {
        fer_buf_add_text(&b, i ? "," : ",\"warnings\":[");
        fer_buf_add_quoted(&b, e->warnings[i]);
    }
    if (e->warning_count) fer_buf_add_char(&b, ']');
    if (e->cache_hit) fer_buf_add_text(&b, ",\"cacheHit\":true");
    if (e->replayed) fer_buf_add_text(&b, ",\"replayed\":true");
    if (e->original_call.len) member(&b, "callId", e->original_call);
    json_member(&b, "policy", e->policy);
    fer_buf_add_text(&b, ",\"redactions\":[");
    for (size_t i = 0; i < e->redaction_count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, e->redactions[i]);
    }
    fer_buf_add_text(&b, "]}");
    return finish(&b, out, err);
}

/* ---- chains -------------------------------------------------------------------------------------
 */

static void add_step(fer_buf *b, const fer_step_result *s)
{
    static const char *const states[] = {[FER_STEP_PENDING] = "NotRun",
                                         [FER_STEP_OK] = "Ok",
                                         [FER_STEP_FAILED] = "Error",
                                         [FER_STEP_SKIPPED] = "Skipped"};
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add_quoted(b, s->id);
    if (s->tool_id.len) member(b, "toolId", s->tool_id);
    fer_buf_printf(b, ",\"status\":\"%s\"", states[s->state]);
    json_member(b, "output", s->output);
    json_member(b, "result", s->envelope);
    fer_buf_add_char(b, '}');
}

fer_code fer_chain_result_write(fer_arena *a, const fer_chain_result *r, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_printf(&b, "{\"status\":\"%s\"", statuses[r->status]);
    json_member(&b, "output", r->output);
    if (r->error.code) {
        add_error(&b, &r->error, FER_STR(""));
        member(&b, "failedStep", r->failed_step);
    }
    for (size_t i = 0; i < r->step_count; i++) {
        fer_buf_add_text(&b, i ? "," : ",\"steps\":[");
        add_step(&b, &r->steps[i]);
    }
    if (r->step_count) fer_buf_add_char(&b, ']');
    member(&b, "correlationId", r->correlation_id);
    add_duration(&b, r->duration_us);
    fer_buf_add_char(&b, '}');
    return finish(&b, out, err);
}

/* ---- streams ------------------------------------------------------------------------------------
 */

static void add_head(fer_buf *b, const fer_stream_event *e)
{
    fer_buf_add_text(b, "\"correlationId\":");
    fer_buf_add_quoted(b, e->correlation_id);
    fer_buf_printf(b, ",\"sequence\":%llu", (unsigned long long)e->sequence);
}

fer_code fer_stream_event_write(fer_arena *a, const fer_stream_event *e, fer_str *out, fer_err *err)
{
    static const char *const kinds[] = {[FER_STREAM_PROGRESS] = "progress",
                                        [FER_STREAM_CHUNK] = "chunk",
                                        [FER_STREAM_DONE] = "done",
                                        [FER_STREAM_ERROR] = "error",
                                        [FER_STREAM_HEARTBEAT] = "heartbeat"};
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_printf(&b, "{\"kind\":\"%s\",\"toolId\":", kinds[e->kind]);
    fer_buf_add_quoted(&b, e->tool_id);
    fer_buf_add_char(&b, ',');
    add_head(&b, e);
    json_member(&b, "data", e->data);
    fer_buf_add_char(&b, '}');
    return finish(&b, out, err);
}

/* Data that is no object goes into one: the chunk's contract wants objects. */
fer_code fer_stream_chunk_write(fer_arena *a, const fer_stream_event *e, fer_str *out, fer_err *err)
{
    static const char *const events[] = {[FER_STREAM_PROGRESS] = "partial",
                                         [FER_STREAM_CHUNK] = "partial",
                                         [FER_STREAM_DONE] = "completed",
                                         [FER_STREAM_ERROR] = "error",
                                         [FER_STREAM_HEARTBEAT] = "heartbeat"};
    fer_buf b;
    bool object = e->data.len && e->data.ptr[0] == '{';
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_add_char(&b, '{');
    add_head(&b, e);
    fer_buf_printf(&b, ",\"event\":\"%s\",\"data\":%s", events[e->kind],
                   object ? "" : "{\"value\":");
    fer_buf_add(&b, e->data.len ? e->data : FER_STR("null"));
    fer_buf_add_text(&b, object ? "}" : "}}");
    return finish(&b, out, err);
}
