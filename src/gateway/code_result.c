/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of code is told as: the result of S4, and the record of the tool. */
#include "clock.h"
#include "code.h"
#include "errors.h"
#include "plain_text.h"

/* The bounds that the gateway holds itself, whatever the runtime. */
static const char *own_hold(fer_bound bound)
{
    switch (bound) {
    case FER_BOUND_TIME:
    case FER_BOUND_OUTPUT:
    case FER_BOUND_VALUE:
    case FER_BOUND_CALLS:
    case FER_BOUND_STEPS: return "gateway";
    default: return NULL;
    }
}

static void add_limits(fer_buf *b, const fer_session *s)
{
    fer_buf_add_text(b, ",\"limitsEnforced\":{");
    for (int i = 0; i < FER_BOUNDS; i++) {
        const char *by = s->job.held[i] ? s->job.held[i] : own_hold((fer_bound)i);
        fer_buf_printf(b, "%s\"%s\":{\"limit\":%lld,\"enforced\":%s", i ? "," : "",
                       fer_bounds[i].name, (long long)s->job.bounds[i], by ? "true" : "false");
        if (by) {
            fer_buf_add_text(b, ",\"by\":");
            fer_buf_add_quoted(b, fer_str_of(by));
        }
        bool met = (fer_bound)i == s->hit || (i == FER_BOUND_OUTPUT && (s->cut[0] || s->cut[1]));
        if (met) fer_buf_add_text(b, ",\"hit\":true");
        if (i == FER_BOUND_CALLS && s->untold) fer_buf_printf(b, ",\"untold\":%zu", s->untold);
        fer_buf_add_char(b, '}');
    }
    fer_buf_add_char(b, '}');
}

static void add_backend(fer_buf *b, fer_session *s)
{
    fer_runtime *r = s->job.runtime;
    fer_err err;
    fer_buf_printf(b,
                   ",\"backend\":{\"kind\":\"%s\",\"readiness\":\"%s\",\"details\":{\"runtime\":",
                   r->kind->name, fer_readiness_names[fer_runtime_ready(r, &err)]);
    fer_buf_add_quoted(b, r->name);
    if (r->language.len) {
        fer_buf_add_text(b, ",\"language\":");
        fer_buf_add_quoted(b, r->language);
    }
    if (r->kind->info) {
        fer_buf_add_char(b, ',');
        size_t before = b->len;
        r->kind->info(r, &s->job, b);
        if (b->len == before && !b->failure) b->len--; /* it had nothing to say */
    }
    fer_buf_add_text(b, "}}");
}

static void add_trace(fer_buf *b, const fer_session *s)
{
    fer_buf_add_text(b, ",\"toolCalls\":[");
    for (const fer_code_trace *t = s->trace; t; t = t->next) {
        fer_buf_add_text(b, t == s->trace ? "{\"tool\":" : ",{\"tool\":");
        fer_buf_add_quoted(b, t->tool);
        if (t->id[0]) fer_buf_printf(b, ",\"id\":\"%s\"", t->id);
        if (t->args.len) {
            fer_buf_add_text(b, ",\"args\":");
            fer_buf_add(b, t->args);
        }
        fer_buf_printf(b, ",\"status\":\"%s\"", t->status);
        if (t->code) fer_buf_printf(b, ",\"code\":\"%s\"", t->code);
        fer_buf_printf(b, ",\"durationMs\":%lld.%03d}", (long long)(t->duration_us / 1000),
                       (int)(t->duration_us % 1000));
    }
    fer_buf_add_char(b, ']');
}

static void add_printed(fer_arena *a, fer_buf *b, const fer_session *s, fer_printed which,
                        size_t tail)
{
    static const char *const names[] = {"stdout", "stderr"};
    fer_buf text;
    fer_str all = fer_buf_view(&s->printed[which]);
    fer_buf_init(&text, a, FER_CODE_MEMORY);
    fer_text_mend(&text, tail < all.len ? fer_text_tail(all, tail) : all);
    fer_buf_printf(b, ",\"%s\":", names[which]);
    fer_buf_add_quoted(b, fer_buf_view(&text));
}

fer_code fer_code_result(fer_arena *a, fer_session *s, size_t tail, fer_str error, fer_str *out,
                         fer_err *err)
{
    fer_buf b;
    int64_t us = (fer_clock_mono() - s->began) / 1000;
    fer_buf_init(&b, a, FER_CODE_MEMORY);
    fer_buf_add_text(&b, "{\"value\":");
    fer_buf_add(&b, s->value.ptr ? s->value : FER_STR("null"));
    add_printed(a, &b, s, FER_PRINTED_OUT, tail);
    add_printed(a, &b, s, FER_PRINTED_ERR, tail);
    add_trace(&b, s);
    fer_buf_printf(&b, ",\"durationMs\":%lld.%03d", (long long)(us / 1000), (int)(us % 1000));
    add_backend(&b, s);
    add_limits(&b, s);
    if (error.len) {
        fer_buf_add_text(&b, ",\"error\":");
        fer_buf_add(&b, error);
    }
    fer_buf_add_char(&b, '}');
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- the record -------------------------------------------------------------------------------
 */

static void add_names(fer_buf *b, const fer_code_runner *r)
{
    for (size_t i = 0; i < r->runtime_count; i++) {
        if (i) fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, r->runtimes[i]->name);
    }
}

static void add_limit_schemas(fer_buf *b, const fer_code_runner *r)
{
    for (int i = 0; i < FER_BOUNDS; i++)
        fer_buf_printf(
            b,
            "%s\"%s\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"At most so many "
            "%s; at most %lld here.\"}",
            i ? "," : "", fer_bounds[i].name, fer_bounds[i].text, (long long)r->bounds[i]);
}

fer_code fer_code_record(fer_arena *a, const fer_code_runner *r, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)1 << 20);
    fer_buf_add_text(
        &b,
        "{\"name\":\"execute\",\"namespace\":\"" FER_CODE_NS "\",\"version\":\"1.0.0\","
        "\"title\":\"Run code in a sandbox\",\"description\":\"Runs a program in a sandbox without "
        "network and files. It calls tools with `await tools.NAMESPACE.NAME(args)` and gives back "
        "its last expression, or `__out`.\",\"effect\":\"ExternalSideEffects\",\"inputSchema\":"
        "{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\",\"minLength\":1,"
        "\"description\":\"The program.\"},\"runtime\":{\"enum\":[");
    add_names(&b, r);
    fer_buf_add_text(&b, "],\"description\":\"What runs it; the first unless given.\"},\"limits\":{"
                         "\"type\":\"object\",\"properties\":{");
    add_limit_schemas(&b, r);
    fer_buf_add_text(
        &b,
        "},\"additionalProperties\":false,\"description\":\"Limits can be lowered, not raised.\"},"
        "\"store\":{\"type\":\"boolean\",\"description\":\"The value may be large: it is to be kept "
        "and read in parts.\"},\"check\":{\"type\":\"boolean\",\"description\":\"Only tell which tools "
        "it names; nothing is run.\"}},\"required\":[\"code\"],\"additionalProperties\":false},"
        "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"value\":{},\"stdout\":{\"type\":"
        "\"string\"},\"stderr\":{\"type\":\"string\"},\"toolCalls\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
        "\"durationMs\":{\"type\":\"number\"},\"backend\":{"
        "\"type\":\"object\"},\"limitsEnforced\":{\"type\":\"object\"}},\"required\":[\"value\",\"stdout\","
        "\"stderr\",\"toolCalls\",\"durationMs\",\"backend\",\"limitsEnforced\"],"
        "\"additionalProperties\":false}}");
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
