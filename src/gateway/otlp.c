/* SPDX-License-Identifier: Apache-2.0 */
#include "otlp.h"

#include "errors.h"
#include "json_value.h"

enum span_kind { /* opentelemetry.proto.trace.v1.Span.SpanKind */
    KIND_INTERNAL = 1,
    KIND_SERVER = 2,
    KIND_CLIENT = 3
};
enum status_code { /* opentelemetry.proto.trace.v1.Status.StatusCode */
    STATUS_UNSET = 0,
    STATUS_ERROR = 2
};

/* ---- values ---------------------------------------------------------------------------------- */

/* A text that is JSON whatever it holds: bytes that are not UTF-8 become U+FFFD. */
static void add_string(fer_buf *b, fer_str s)
{
    size_t plain = 0;
    s = fer_str_head(s, FER_OTLP_TEXT);
    fer_buf_add_char(b, '"');
    for (size_t at = 0, len; at < s.len; at += len ? len : 1) {
        len = fer_utf8_len(s, at);
        if (len) continue;
        fer_buf_add_escaped(b, fer_str_slice(s, plain, at));
        fer_buf_add_text(b, "\xEF\xBF\xBD");
        plain = at + 1;
    }
    if (s.len) fer_buf_add_escaped(b, fer_str_slice(s, plain, s.len));
    fer_buf_add_char(b, '"');
}

static void add_key(fer_buf *b, const char *key)
{
    if (b->len && b->ptr[b->len - 1] == '}') fer_buf_add_char(b, ',');
    fer_buf_printf(b, "{\"key\":\"%s\",\"value\":{", key);
}

static void add_text(fer_buf *b, const char *key, fer_str value)
{
    if (!value.len) return;
    add_key(b, key);
    fer_buf_add_text(b, "\"stringValue\":");
    add_string(b, value);
    fer_buf_add_text(b, "}}");
}

static void add_int(fer_buf *b, const char *key, int64_t value)
{
    add_key(b, key);
    fer_buf_printf(b, "\"intValue\":\"%lld\"}}", (long long)value);
}

static void add_bool(fer_buf *b, const char *key, bool value)
{
    add_key(b, key);
    fer_buf_printf(b, "\"boolValue\":%s}}", value ? "true" : "false");
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* An ID for a child, made from that of the call: no two children of a call are alike, and those of
 * two calls are as unlike as random ones (the mix of splitmix64, which is one to one). */
static void child_id(const char parent[17], size_t index, char out[17])
{
    uint64_t x = 0;
    for (size_t i = 0; i < 16; i++) {
        char c = parent[i];
        x = x << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    x += (index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    x ^= x >> 31;
    if (!x) x = 1; /* all 0 is no ID */
    snprintf(out, 17, "%016llx", (unsigned long long)x);
}

static void begin_span(fer_buf *b, const char *trace, const char *span, const char *parent)
{
    fer_buf_printf(b, "{\"traceId\":\"%s\",\"spanId\":\"%s\"", trace, span);
    if (*parent) fer_buf_printf(b, ",\"parentSpanId\":\"%s\"", parent);
}

static void add_times(fer_buf *b, int kind, int64_t from_ns, int64_t to_ns)
{
    fer_buf_printf(b,
                   ",\"kind\":%d,\"startTimeUnixNano\":\"%lld\",\"endTimeUnixNano\":\"%lld\","
                   "\"attributes\":[",
                   kind, (long long)from_ns, (long long)to_ns);
}

/* The code says enough: a message may quote an argument. */
static void end_span(fer_buf *b, fer_code code)
{
    fer_buf_add_text(b, "],\"status\":{");
    if (code)
        fer_buf_printf(b, "\"code\":%d,\"message\":\"%s\"", STATUS_ERROR,
                       fer_code_info(code)->name);
    fer_buf_add_text(b, "}}");
}

/* What nobody has is not named: any text could be there. */
static fer_str tool_of(const fer_envelope *e)
{
    return e->definition.len ? e->tool_id : FER_STR("_unknown");
}

static void add_who(fer_buf *b, const fer_caller *who)
{
    if (!who) return;
    add_text(b, "tenant", who->tenant);
    add_text(b, "agent.id", who->agent);
}

static void add_backend(fer_buf *b, const fer_backend *p)
{
    static const char *const kinds[] = {[FER_BACKEND_LOCAL] = "local",
                                        [FER_BACKEND_PROVIDER] = "provider",
                                        [FER_BACKEND_MCP] = "mcp"};
    if (!p->name.len) return;
    add_text(b, "backend.kind", fer_str_of(kinds[p->kind]));
    add_text(b, "backend.name", p->name);
}

static void add_attributes(fer_buf *b, const fer_call_report *r)
{
    const fer_envelope *e = r->envelope;
    const fer_code_row *row = fer_code_info(e->error.code);
    add_text(b, "gen_ai.operation.name", FER_STR("execute_tool"));
    add_text(b, "gen_ai.tool.name", tool_of(e));
    add_text(b, "tool.version", e->resolved_version);
    add_text(b, "tool.effect", fer_str_of(fer_effect_name(r->effect)));
    add_text(b, "origin", fer_str_of(e->origin));
    add_who(b, r->caller);
    add_text(b, "call.id", r->call_id);
    add_text(b, "correlation.id", e->correlation_id);
    add_text(b, "causation.id", r->causation_id);
    add_backend(b, &e->backend);
    add_int(b, "attempts", e->attempts);
    add_int(b, "bytes.in", (int64_t)r->bytes_in);
    add_int(b, "bytes.out", (int64_t)r->bytes_out);
    if (r->timeout_ms) add_int(b, "timeout.ms", r->timeout_ms);
    add_text(b, "cancel.reason", fer_str_of(e->cancelled));
    if (!e->error.code) return;
    add_text(b, "error.type", fer_str_of(row->name));
    add_text(b, "error.class", fer_str_of(row->category));
    add_bool(b, "error.retryable", e->error.retryable);
}

static void add_stage(fer_buf *b, const fer_call_report *r, size_t i, int64_t began_ns)
{
    const fer_call_error *x = &r->envelope->error;
    bool failed = x->code && x->op && strcmp(x->op, r->stages[i].name) == 0;
    bool outside = strcmp(r->stages[i].name, "execute") == 0;
    char id[17];
    child_id(r->span_id, i, id);
    fer_buf_add_char(b, ',');
    begin_span(b, r->trace_id, id, r->span_id);
    fer_buf_printf(b, ",\"name\":\"%s\"", r->stages[i].name);
    add_times(b, outside ? KIND_CLIENT : KIND_INTERNAL, began_ns + r->stages[i].from_ns,
              began_ns + r->stages[i].to_ns);
    if (outside) add_backend(b, &r->envelope->backend);
    end_span(b, failed ? x->code : FER_OK);
}

void fer_otlp_call(fer_buf *b, const fer_call_report *r, bool first)
{
    int64_t began_ns = r->began_ms * 1000000;
    fer_str tool = tool_of(r->envelope);
    if (!first) fer_buf_add_char(b, ',');
    begin_span(b, r->trace_id, r->span_id, r->parent_id);
    fer_buf_add_text(b, ",\"name\":\"execute_tool ");
    fer_buf_add_escaped(b, tool); /* an ID of the catalogue is ASCII */
    fer_buf_add_char(b, '"');
    add_times(b, *r->parent_id ? KIND_SERVER : KIND_INTERNAL, began_ns,
              began_ns + r->envelope->duration_us * 1000);
    add_attributes(b, r);
    end_span(b, r->envelope->error.code);
    for (size_t i = 0; i < r->stage_count; i++) add_stage(b, r, i, began_ns);
}

size_t fer_otlp_spans(const fer_call_report *r)
{
    return 1 + r->stage_count;
}

/* ---- requests -------------------------------------------------------------------------------- */

void fer_otlp_begin(fer_buf *b)
{
    fer_buf_add_text(b, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    add_text(b, "service.name", FER_STR("ferrule"));
    add_text(b, "service.version", FER_STR(FER_VERSION));
    fer_buf_add_text(
        b, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"ferrule.gateway\",\"version\":\"" FER_VERSION
           "\"},\"spans\":[");
}

void fer_otlp_end(fer_buf *b)
{
    fer_buf_add_text(b, "]}]}]}");
}

uint64_t fer_otlp_rejected(fer_arena *scratch, fer_str answer)
{
    fer_json *doc;
    uint64_t n = 0;
    if (!answer.len || fer_json_read(scratch, answer, NULL, &doc, NULL)) return 0;
    const yyjson_val *part =
        fer_is_obj(fer_json_root(doc)) ? fer_val_get(fer_json_root(doc), "partialSuccess") : NULL;
    const yyjson_val *count = fer_is_obj(part) ? fer_val_get(part, "rejectedSpans") : NULL;
    if (!count) return 0;
    if (fer_is_str(count)) return fer_parse_u64(fer_val_str(count), &n) ? n : 0;
    return fer_val_tag(count) == FER_TAG_UINT ? count->uni.u64 : 0;
}
