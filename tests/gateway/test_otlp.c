/* SPDX-License-Identifier: Apache-2.0 */
/* Spans as OTLP has them, and sending them to collectors of all kinds. */
#include "../io/faulty_server.h"
#include "clock.h"
#include "gateway_rig.h"
#include "json_value.h"
#include "otlp.h"
#include "rows.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN  "00f067aa0ba902b7"

/* ---- the form ----------------------------------------------------------------------------------
 */

static fer_call_report report_of(const fer_envelope *e)
{
    fer_call_report r = {.envelope = e,
                         .call_id = FER_STR("id-1"),
                         .causation_id = FER_STR(""),
                         .trace_id = TRACE,
                         .span_id = SPAN,
                         .sampled = true,
                         .began_ms = 1700000000123,
                         .execution_us = 5,
                         .bytes_in = 7};
    r.stages[0].name = "resolve";
    r.stages[0].to_ns = 1500;
    r.stages[1].name = "execute";
    r.stages[1].from_ns = 1500;
    r.stages[1].to_ns = 9000;
    r.stage_count = 2;
    return r;
}

static fer_envelope envelope_of(fer_str tool, fer_code code)
{
    return (fer_envelope){.tool_id = tool,
                          .definition = FER_STR("{}"),
                          .origin = "mcp",
                          .duration_us = 10,
                          .attempts = 1,
                          .correlation_id = FER_STR("c"),
                          .error = {.code = code, .op = "execute", .message = FER_STR("its args")},
                          .resolved_version = FER_STR("")};
}

static const struct form {
    const char *name;
    const char *tool, *correlation;
    fer_code code;
    const char *has[5];
    const char *lacks;
} forms[] = {
    {"times are texts",
     "a:b",
     "c",
     FER_OK,
     {"\"startTimeUnixNano\":\"1700000000123000000\",\"endTimeUnixNano\":\"1700000000123010000\"",
      "\"startTimeUnixNano\":\"1700000000123001500\",\"endTimeUnixNano\":\"1700000000123009000\"",
      "\"traceId\":\"" TRACE "\",\"spanId\":\"" SPAN "\"", "\"parentSpanId\":\"" SPAN "\"",
      "{\"key\":\"bytes.in\",\"value\":{\"intValue\":\"7\"}}"},
     "its args"},
    {"a failure",
     "a:b",
     "c",
     FER_TIMEOUT,
     {"\"status\":{\"code\":2,\"message\":\"Timeout\"}",
      "{\"key\":\"error.type\",\"value\":{\"stringValue\":\"Timeout\"}}",
      "{\"key\":\"error.retryable\",\"value\":{\"boolValue\":false}}"},
     "its args"},
    {"quotes", "a:b", "a\"b\\\n", FER_OK, {"\"stringValue\":\"a\\\"b\\\\\\n\""}, NULL},
    {"no UTF-8", "a:b", "\xff\xc3(", FER_OK, {"\xEF\xBF\xBD\xEF\xBF\xBD("}, "\xff"},
};

static fer_code encode(fer_arena *a, const struct form *row, fer_str *out)
{
    fer_envelope e = envelope_of(fer_str_of(row->tool), row->code);
    fer_buf b;
    fer_err err;
    e.correlation_id = fer_str_of(row->correlation);
    fer_call_report r = report_of(&e);
    fer_buf_init(&b, a, 1 << 20);
    fer_otlp_begin(&b);
    fer_otlp_call(&b, &r, true);
    fer_otlp_call(&b, &r, false);
    fer_otlp_end(&b);
    fer_code code = fer_buf_code(&b, &err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

static void form_row(const struct form *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = FER_STR_NONE;
    fer_json *doc;
    fer_err err = {0};
    assert_int_equal(encode(a, row, &text), FER_OK);
    if (fer_json_read(a, text, NULL, &doc, &err)) fail_msg("%s: %.*s", err.message, FER_PRI(text));
    text = fer_arena_copy(a, text);
    for (size_t i = 0; i < FER_COUNT(row->has) && row->has[i]; i++)
        if (!strstr(text.ptr, row->has[i])) fail_msg("%s is not in %s", row->has[i], text.ptr);
    if (row->lacks) assert_null(strstr(text.ptr, row->lacks));
    const yyjson_val *spans =
        fer_json_at(fer_json_root(doc), FER_STR("/resourceSpans/0/scopeSpans/0/spans"), NULL);
    assert_non_null(spans);
    assert_int_equal(fer_val_len(spans), 6);
    fer_arena_free(a);
}

static fer_code torture(fer_arena *a, const void *row)
{
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    fer_str text;
    if (!a && !mine) return FER_OUT_OF_MEMORY;
    fer_code code = encode(a ? a : mine, row, &text);
    fer_arena_free(mine);
    return code;
}

static void form_torture(const struct form *row)
{
    rows_torture_arena(torture, row);
    rows_torture_malloc(torture, row);
}

static const struct answer {
    const char *name, *json;
    uint64_t rejected;
} answers[] = {
    {"nothing", "", 0},
    {"all is well", "{}", 0},
    {"a text", "{\"partialSuccess\":{\"rejectedSpans\":\"12\"}}", 12},
    {"a number", "{\"partialSuccess\":{\"rejectedSpans\":3}}", 3},
    {"a warning alone", "{\"partialSuccess\":{\"errorMessage\":\"slow down\"}}", 0},
    {"no number", "{\"partialSuccess\":{\"rejectedSpans\":\"many\"}}", 0},
    {"below 0", "{\"partialSuccess\":{\"rejectedSpans\":-1}}", 0},
    {"no object", "[1]", 0},
    {"no JSON", "<html>", 0},
};

static void answer_row(const struct answer *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_otlp_rejected(a, fer_str_of(row->json)), row->rejected);
    fer_arena_free(a);
}

/* ---- sending -----------------------------------------------------------------------------------
 */

#define SPANS 10 /* of a call of s:echo: itself and nine stages */
#define OK    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
#define BUSY  "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
#define BAD   "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n"

static fer_code trace_to(rig *r, unsigned port)
{
    char url[64];
    fer_err err;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/v1/traces", port);
    return fer_gateway_export_traces(r->gateway, &(fer_trace_options){.endpoint = fer_str_of(url)},
                                     &err);
}

static void calls(rig *r, size_t count, const char *traceparent)
{
    fer_err err;
    fer_envelope e;
    fer_call_options o = {.traceparent = fer_str_of(traceparent)};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(
            fer_gateway_ask(r->arena, r->gateway, FER_STR("s:echo"), FER_STR("{}"), &o, &e, &err),
            FER_OK);
}

static const struct sending {
    const char *name;
    struct faulty_step scripts[3][FAULTY_STEPS];
    size_t script_count, calls;
    bool wait; /* for what is tried again, before the gateway stops */
    uint64_t sent, dropped;
    unsigned requests; /* 0: a body of so many bytes is more than the stand-in can count */
} sendings[] = {
    {"at the end", {{{FAULTY_SAY, OK, 0}}}, 1, 3, false, 3 * SPANS, 0, 1},
    {"refused", {{{FAULTY_SAY, BAD, 0}}}, 1, 1, false, 0, SPANS, 1},
    {"busy at first", {{{FAULTY_SAY, BUSY, 0}}, {{FAULTY_SAY, OK, 0}}}, 2, 1, true, SPANS, 0, 2},
    {"gone at first", {{{FAULTY_RESET, NULL, 0}}, {{FAULTY_SAY, OK, 0}}}, 2, 1, true, SPANS, 0, 2},
    {"it never answers", {{{FAULTY_WAIT, NULL, 60000}}}, 1, 1, false, 0, SPANS, 1},
    {"no HTTP",
     {{{FAULTY_SAY, "what?\r\n\r\n", 0}, {FAULTY_CLOSE, NULL, 0}}},
     1,
     1,
     false,
     0,
     SPANS,
     1},
    {"more than may wait",
     {{{FAULTY_WAIT, NULL, 60000}}},
     1,
     2 * FER_TRACE_QUEUE / SPANS,
     false,
     0,
     2 * FER_TRACE_QUEUE / SPANS *SPANS,
     0},
};

static void send_row(const struct sending *row)
{
    rig r;
    fer_trace_stats now;
    faulty_server *server = faulty_start(row->scripts, row->script_count);
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    assert_int_equal(trace_to(&r, faulty_port(server)), FER_OK);
    calls(&r, row->calls, "");
    int64_t end = fer_clock_mono() + INT64_C(30000000000);
    for (;;) {
        fer_gateway_trace_stats(r.gateway, &now);
        if (!row->wait || !now.waiting || fer_clock_mono() > end) break;
        uv_run(r.gateway->loop, UV_RUN_NOWAIT);
        uv_sleep(1);
    }
    assert_true(now.waiting <= FER_TRACE_QUEUE + FER_TRACE_BATCH + SPANS);
    fer_gateway_stop(r.gateway);
    fer_gateway_trace_stats(r.gateway, &now);
    if (now.sent != row->sent || now.dropped != row->dropped)
        fail_msg("%llu sent, %llu dropped: %s", (unsigned long long)now.sent,
                 (unsigned long long)now.dropped, now.trouble);
    assert_true((now.dropped > 0) == (now.trouble[0] != 0));
    if (row->requests) assert_int_equal(faulty_requests(server), row->requests);
    if (row->requests) assert_true(faulty_was_told(server, "POST /v1/traces"));
    rig_free(&r);
    faulty_stop(server);
}

static void what_nobody_wants_is_not_sent(void)
{
    static const struct faulty_step scripts[1][FAULTY_STEPS] = {{{FAULTY_SAY, OK, 0}}};
    rig r;
    fer_trace_stats now;
    faulty_server *server = faulty_start(scripts, 1);
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    assert_int_equal(trace_to(&r, faulty_port(server)), FER_OK);
    calls(&r, 2, "00-" TRACE "-" SPAN "-00");
    fer_gateway_stop(r.gateway);
    fer_gateway_trace_stats(r.gateway, &now);
    assert_int_equal(now.sent + now.dropped, 0);
    assert_int_equal(faulty_requests(server), 0);
    rig_free(&r);
    faulty_stop(server);
}

/* What was gathered before goes to the collector that was, the rest to the other, then nowhere. */
static void another_collector_takes_over(void)
{
    static const struct faulty_step scripts[4][FAULTY_STEPS] = {
        {{FAULTY_SAY, OK, 0}}, {{FAULTY_SAY, OK, 0}}, {{FAULTY_SAY, OK, 0}}, {{FAULTY_SAY, OK, 0}}};
    rig r;
    fer_err err;
    fer_trace_stats now;
    faulty_server *one = faulty_start(scripts, 4), *other = faulty_start(scripts, 4);
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    assert_int_equal(trace_to(&r, faulty_port(one)), FER_OK);
    calls(&r, 3, "");
    assert_int_equal(trace_to(&r, faulty_port(other)), FER_OK);
    calls(&r, 2, "");
    fer_trace_options bad = {.endpoint = FER_STR("ftp://x/")};
    assert_int_not_equal(fer_gateway_export_traces(r.gateway, &bad, &err), FER_OK);
    calls(&r, 2, ""); /* still to the other */
    assert_int_equal(fer_gateway_export_traces(r.gateway, NULL, &err), FER_OK);
    calls(&r, 5, "");
    int64_t end = fer_clock_mono() + INT64_C(30000000000);
    while (r.gateway->old_traces && fer_clock_mono() < end) {
        uv_run(r.gateway->loop, UV_RUN_NOWAIT);
        uv_sleep(1);
    }
    assert_null(r.gateway->old_traces); /* both have sent what they had, and are gone */
    fer_gateway_trace_stats(r.gateway, &now);
    assert_int_equal(now.sent, 7 * SPANS);
    assert_int_equal(now.dropped, 0);
    assert_int_equal(faulty_requests(one), 1);
    assert_int_equal(faulty_requests(other), 1);
    assert_int_equal(trace_to(&r, faulty_port(one)), FER_OK);
    calls(&r, 1, "");
    assert_int_equal(trace_to(&r, faulty_port(other)), FER_OK); /* and ended in the middle of it */
    rig_free(&r);
    faulty_stop(one);
    faulty_stop(other);
}

static void no_url_is_a_failure(void)
{
    rig r;
    fer_err err;
    assert_int_equal(rig_make(&r, NULL), FER_OK);
    fer_trace_options o = {.endpoint = FER_STR("ftp://x/")};
    assert_int_not_equal(fer_gateway_export_traces(r.gateway, &o, &err), FER_OK);
    calls(&r, 1, "");
    rig_free(&r);
}

int main(void)
{
    int failed = ROWS_RUN("form", forms, form_row);
    failed += ROWS_RUN("form without memory", forms, form_torture);
    failed += ROWS_RUN("answers", answers, answer_row);
    failed += ROWS_RUN("sending", sendings, send_row);
    failed += ROWS_ONE("sending", what_nobody_wants_is_not_sent);
    failed += ROWS_ONE("sending", another_collector_takes_over);
    failed += ROWS_ONE("sending", no_url_is_a_failure);
    return failed != 0;
}
