/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include "buf.h"
#include "errors.h"
#include "gateway_parts.h"
#include "print.h"

#define TEXT_MAX ((size_t)64 << 20)

/* Upper ends, in seconds; the last bucket has none. */
static const double ends[FER_METRIC_BUCKETS - 1] = {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05,
                                                    0.1,    0.25,   0.5,   1,     5,    30};

void fer_metrics_init(fer_metrics *m, fer_arena *a)
{
    *m = (fer_metrics){.arena = a};
    fer_map_init(&m->rows, a);
}

/* ---- counting
 * ---------------------------------------------------------------------------------------- */

static void add(fer_histogram *h, int64_t us)
{
    double seconds = (double)us / 1e6;
    size_t i = 0;
    while (i < FER_METRIC_BUCKETS - 1 && seconds > ends[i]) i++;
    h->counts[i]++;
    h->sum += seconds;
}

static size_t index_of(fer_code code)
{
    size_t count;
    const fer_code_row *rows = fer_code_table(&count);
    _Static_assert(sizeof(((fer_metric_row *)0)->by_code) / sizeof(uint64_t) >= 64, "a place each");
    assert(count <= 64);
    return (size_t)(fer_code_info(code) - rows);
}

static fer_metric_row *row_of(fer_metrics *m, fer_str tool, const char *origin)
{
    char text[3 * FER_NAME_MAX + 64];
    fer_str by = fer_str_of(origin), key = {text, 0};
    if (tool.len < sizeof text && by.len < sizeof text - tool.len)
        key.len = (size_t)(fer_put(fer_put(fer_put(text, tool), FER_STR(" ")), by) - text);
    fer_metric_row *row = fer_map_get(&m->rows, key);
    if (row) return row;
    if (m->tools >= FER_METRIC_TOOLS && !fer_str_is(tool, "_other"))
        return row_of(m, FER_STR("_other"), origin);
    row = fer_arena_alloc_zero(m->arena, 1, sizeof *row);
    key = fer_arena_copy(m->arena, key);
    void **slot = row && key.ptr ? fer_map_put(&m->rows, key) : NULL;
    if (!slot) return NULL;
    *slot = row;
    row->tool = fer_str_slice(key, 0, tool.len);
    row->origin = origin;
    if (m->last) m->last->next = row;
    else m->first = row;
    m->last = row;
    m->tools++;
    return row;
}

void fer_metrics_count(fer_metrics *m, fer_str tool, const char *origin, fer_code code,
                       int64_t total_us, int64_t execution_us)
{
    fer_metric_row *row = row_of(m, tool.len ? tool : FER_STR("_unknown"), origin);
    if (!row) return;
    row->by_code[index_of(code)]++;
    add(&row->total, total_us);
    if (execution_us >= 0) add(&row->execution, execution_us);
}

void fer_metrics_count_late(fer_metrics *m, fer_str tool, const char *origin, fer_code code)
{
    fer_metric_row *row = row_of(m, tool, origin);
    if (row) row->late[index_of(code)]++;
}

/* ---- as text (Prometheus exposition format 0.0.4)
 * ------------------------------------------------------ */

/* Labels may hold anything; these three are escaped. */
static void add_label(fer_buf *b, const char *name, fer_str value)
{
    fer_buf_printf(b, "%s=\"", name);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\\' || c == '"') fer_buf_add_char(b, '\\');
        if (c == '\n') fer_buf_add_text(b, "\\n");
        else fer_buf_add_char(b, c);
    }
    fer_buf_add_char(b, '"');
}

static void add_labels(fer_buf *b, const fer_metric_row *row)
{
    fer_buf_add_char(b, '{');
    add_label(b, "tool", row->tool);
    fer_buf_add_char(b, ',');
    add_label(b, "origin", fer_str_of(row->origin));
}

static void head(fer_buf *b, const char *name, const char *type, const char *help)
{
    fer_buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

enum counted {
    ALL,
    ERRORS,
    LATE
};

static void add_counts(fer_buf *b, const fer_metrics *m, const char *name, enum counted what)
{
    size_t count;
    const fer_code_row *codes = fer_code_table(&count);
    for (const fer_metric_row *row = m->first; row; row = row->next) {
        const uint64_t *counts = what == LATE ? row->late : row->by_code;
        for (size_t i = what == ERRORS ? 1 : 0; i < count; i++) {
            if (!counts[i]) continue;
            fer_buf_add_text(b, name);
            add_labels(b, row);
            fer_buf_printf(b, ",code=\"%s\"} %llu\n", codes[i].name, (unsigned long long)counts[i]);
        }
    }
}

static void add_histogram(fer_buf *b, const char *name, const fer_metric_row *row,
                          const fer_histogram *h)
{
    uint64_t so_far = 0;
    for (size_t i = 0; i < FER_METRIC_BUCKETS; i++) {
        so_far += h->counts[i];
        fer_buf_printf(b, "%s_bucket", name);
        add_labels(b, row);
        if (i < FER_METRIC_BUCKETS - 1) fer_buf_printf(b, ",le=\"%g\"", ends[i]);
        else fer_buf_add_text(b, ",le=\"+Inf\"");
        fer_buf_printf(b, "} %llu\n", (unsigned long long)so_far);
    }
    fer_buf_printf(b, "%s_sum", name);
    add_labels(b, row);
    fer_buf_printf(b, "} %.9g\n%s_count", h->sum, name);
    add_labels(b, row);
    fer_buf_printf(b, "} %llu\n", (unsigned long long)so_far);
}

static void add_traces(fer_buf *b, const fer_gateway *g)
{
    fer_trace_stats now;
    fer_gateway_trace_stats(g, &now);
    head(b, "trace_spans_sent_total", "counter", "Spans that the collector took.");
    fer_buf_printf(b, "trace_spans_sent_total %llu\n", (unsigned long long)now.sent);
    head(b, "trace_spans_dropped_total", "counter", "Spans that it did not get.");
    fer_buf_printf(b, "trace_spans_dropped_total %llu\n", (unsigned long long)now.dropped);
}

static void add_held(fer_buf *b, const fer_gateway *g)
{
    fer_view *v = fer_catalog_view(g->options.catalog);
    head(b, "definitions_held", "gauge",
         "Changed definitions of tools that are held back until somebody approves them.");
    fer_buf_printf(b, "definitions_held %zu\n", fer_view_held(v));
    fer_view_unref(v);
}

fer_code fer_gateway_metrics(fer_arena *a, const fer_gateway *g, fer_str *out, fer_err *err)
{
    const fer_metrics *m = &g->metrics;
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    head(&b, "tool_invocations_total", "counter", "Calls that have ended, by how.");
    add_counts(&b, m, "tool_invocations_total", ALL);
    head(&b, "tool_errors_total", "counter", "Calls that have failed, by code.");
    add_counts(&b, m, "tool_errors_total", ERRORS);
    head(&b, "tool_late_results_total", "counter",
         "Answers that came after their calls had ended, by how they would have ended.");
    add_counts(&b, m, "tool_late_results_total", LATE);
    head(&b, "tool_duration_seconds", "histogram", "From the call to its envelope.");
    for (const fer_metric_row *row = m->first; row; row = row->next)
        add_histogram(&b, "tool_duration_seconds", row, &row->total);
    head(&b, "tool_execution_seconds", "histogram", "In the backend alone.");
    for (const fer_metric_row *row = m->first; row; row = row->next)
        add_histogram(&b, "tool_execution_seconds", row, &row->execution);
    head(&b, "concurrency_in_use", "gauge", "Calls that are under way.");
    fer_buf_printf(&b, "concurrency_in_use %zu\n", g->active_count);
    add_held(&b, g);
    if (g->traces_told) add_traces(&b, g);
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
