/* SPDX-License-Identifier: Apache-2.0 */
/* Traces, metrics, and those who watch. */
#include <ferrule/gateway.h>

#include "gateway_parts.h"
#include "rows.h"

/* ---- traceparent
 * ----------------------------------------------------------------------------------- */

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN  "00f067aa0ba902b7"

static const struct row {
    const char *name, *text;
    bool good;
} rows[] = {
    {"as in the standard", "00-" TRACE "-" SPAN "-01", true},
    {"not sampled", "00-" TRACE "-" SPAN "-00", true},
    {"a later version", "01-" TRACE "-" SPAN "-01", true},
    {"a later version with more", "cc-" TRACE "-" SPAN "-01-more", true},
    {"a later version with more of a kind", "cc-" TRACE "-" SPAN "-01.more", false},
    {"this version with more", "00-" TRACE "-" SPAN "-01-more", false},
    {"no version", "ff-" TRACE "-" SPAN "-01", false},
    {"capitals", "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", false},
    {"no trace", "00-00000000000000000000000000000000-" SPAN "-01", false},
    {"no span", "00-" TRACE "-0000000000000000-01", false},
    {"too short", "00-" TRACE "-" SPAN "-0", false},
    {"other dashes", "00_" TRACE "-" SPAN "-01", false},
    {"nothing", "", false},
};

static void run_row(const struct row *row)
{
    fer_trace t;
    char text[FER_TRACEPARENT];
    assert_int_equal(fer_trace_parse(fer_str_of(row->text), &t), row->good);
    if (!row->good) return;
    memcpy(t.span, t.parent, sizeof t.span);
    fer_trace_write(&t, text);
    assert_memory_equal(text + 3, row->text + 3, FER_TRACEPARENT - 4);
}

/* ---- metrics
 * ---------------------------------------------------------------------------------------- */

static void tools_past_the_limit_are_counted_together(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_metrics m;
    char name[32];
    fer_metrics_init(&m, a);
    for (int i = 0; i < FER_METRIC_TOOLS + 5; i++) {
        snprintf(name, sizeof name, "t:%d", i);
        fer_metrics_count(&m, fer_str_of(name), "mcp", FER_OK, 10, 5);
    }
    assert_str(m.last->tool, "_other");
    assert_int_equal(m.last->by_code[0], 5);
    assert_int_equal(m.rows.count, FER_METRIC_TOOLS + 1);
    fer_arena_free(a);
}

/* ---- both, over calls
 * ---------------------------------------------------------------------------------- */

struct no_args {
    int64_t x;
};
static const fer_bind_row no_rows[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct no_args, x), true, "Nothing.", NULL, NULL}};
static fer_code nothing(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    (void)context, (void)a, (void)args, (void)err;
    *out = FER_STR("1");
    return FER_OK;
}
static const fer_builtin function = {.ns = "q\"uote",
                                     .name = "nothing",
                                     .description = "Does nothing.",
                                     .rows = no_rows,
                                     .row_count = 1,
                                     .args_size = sizeof(struct no_args),
                                     .run = nothing};

struct seen {
    size_t count, stages;
    char last[64], parent[17], trace[33];
    fer_code code;
    size_t in;
};
static void observe(void *context, const fer_call_report *r)
{
    struct seen *s = context;
    s->count++;
    s->stages = r->stage_count;
    snprintf(s->last, sizeof s->last, "%s", r->stages[r->stage_count - 1].name);
    memcpy(s->parent, r->parent_id, sizeof s->parent);
    memcpy(s->trace, r->trace_id, sizeof s->trace);
    s->code = r->envelope->error.code;
    s->in = r->bytes_in;
    for (size_t i = 0; i < r->stage_count; i++) {
        assert_true(r->stages[i].from_ns <= r->stages[i].to_ns);
        assert_true(!i || r->stages[i].from_ns >= r->stages[i - 1].to_ns);
    }
}

/* A gateway with this function in the namespace "pack". */
static fer_gateway *gateway_of(fer_catalog **catalog, fer_builtin *f)
{
    fer_gateway *g;
    fer_err err;
    f->ns = "pack";
    assert_int_equal(fer_catalog_new(NULL, catalog, &err), FER_OK);
    assert_int_equal(fer_gateway_new(&(fer_gateway_options){.catalog = *catalog}, &g, &err),
                     FER_OK);
    assert_int_equal(fer_gateway_builtins(g, f, 1, &err), FER_OK);
    return g;
}

static void every_call_is_told_and_counted(void)
{
    fer_catalog *catalog;
    fer_envelope e;
    fer_err err;
    fer_str text;
    struct seen seen = {0};
    fer_arena *a = fer_arena_new(0);
    fer_builtin f = function;
    fer_gateway *g = gateway_of(&catalog, &f);
    for (size_t i = 0; i < FER_OBSERVERS_MAX; i++)
        assert_int_equal(fer_gateway_observe(g, observe, &seen, &err), FER_OK);
    assert_int_equal(fer_gateway_observe(g, observe, &seen, &err), FER_LIMIT_EXCEEDED);
    fer_call_options o = {.traceparent = FER_STR("00-" TRACE "-" SPAN "-01"), .origin = "mcp"};
    assert_int_equal(
        fer_gateway_ask(a, g, FER_STR("pack:nothing"), FER_STR("{\"x\":1}"), &o, &e, &err), FER_OK);
    assert_int_equal(seen.count, FER_OBSERVERS_MAX);
    assert_int_equal(seen.stages, FER_STAGE_COUNT);
    assert_string_equal(seen.last, "note");
    assert_string_equal(seen.trace, TRACE);
    assert_string_equal(seen.parent, SPAN);
    assert_int_equal(seen.in, 7);
    assert_int_equal(fer_gateway_ask(a, g, FER_STR("pack:nothing"), FER_STR("{}"), NULL, &e, &err),
                     FER_OK);
    assert_int_equal(seen.code, FER_REQUIRED_MISSING);
    assert_int_equal(seen.stages, 5); /* resolve, authorize, validate_input, redact, note */
    assert_string_equal(seen.parent, "");
    assert_int_equal(fer_gateway_ask(a, g, FER_STR("no:body"), FER_STR("{}"), NULL, &e, &err),
                     FER_OK);
    assert_int_equal(fer_gateway_metrics(a, g, &text, &err), FER_OK);
    text = fer_arena_copy(a, text);
    static const char *const lines[] = {
        "tool_invocations_total{tool=\"pack:nothing\",origin=\"mcp\",code=\"Ok\"} 1\n",
        "tool_errors_total{tool=\"pack:nothing\",origin=\"library\",code=\"RequiredMissing\"} 1\n",
        "tool_errors_total{tool=\"_unknown\",origin=\"library\",code=\"ToolNotFound\"} 1\n",
        "tool_duration_seconds_count{tool=\"pack:nothing\",origin=\"mcp\"} 1\n",
        "tool_execution_seconds_bucket{tool=\"pack:nothing\",origin=\"mcp\",le=\"+Inf\"} 1\n",
        "# TYPE tool_duration_seconds histogram\n",
        "concurrency_in_use 0\n"};
    for (size_t i = 0; i < FER_COUNT(lines); i++)
        if (!strstr(text.ptr, lines[i])) fail_msg("%s is not in\n%s", lines[i], text.ptr);
    fer_gateway_free(g);
    fer_catalog_free(catalog);
    fer_arena_free(a);
}

static void observe_end(void *context, const fer_call_report *r)
{
    ((struct seen *)context)->count++;
    ((struct seen *)context)->stages = r->stage_count;
    assert_true(r->execution_us >= 0 && r->envelope->duration_us >= r->execution_us);
}

/* Stages cost looks at the clock, which calls are spared until somebody wants to know of them. */
static void stages_are_told_to_who_wants_them(void)
{
    fer_catalog *catalog;
    fer_envelope e;
    fer_err err;
    struct seen end = {0}, all = {0};
    fer_arena *a = fer_arena_new(0);
    fer_builtin f = function;
    fer_gateway *g = gateway_of(&catalog, &f);
    assert_int_equal(fer_gateway_observe_ends(g, observe_end, &end, &err), FER_OK);
    fer_str tool = FER_STR("pack:nothing"), args = FER_STR("{\"x\":1}");
    assert_int_equal(fer_gateway_ask(a, g, tool, args, NULL, &e, &err), FER_OK);
    assert_int_equal(end.count, 1);
    assert_int_equal(end.stages, 0);
    assert_int_equal(fer_gateway_observe(g, observe, &all, &err), FER_OK);
    assert_int_equal(fer_gateway_ask(a, g, tool, args, NULL, &e, &err), FER_OK);
    assert_int_equal(end.count, 2);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.stages, FER_STAGE_COUNT);
    fer_gateway_free(g);
    fer_catalog_free(catalog);
    fer_arena_free(a);
}

int main(void)
{
    int failed = ROWS_RUN("traceparent", rows, run_row);
    failed += ROWS_ONE("metrics", tools_past_the_limit_are_counted_together);
    failed += ROWS_ONE("watching", every_call_is_told_and_counted);
    failed += ROWS_ONE("stages", stages_are_told_to_who_wants_them);
    return failed != 0;
}
