/* SPDX-License-Identifier: Apache-2.0 */
/* Calls through all stages, over functions of this process and over a backend that does as it is
 * told. */
#include <ferrule/gateway.h>

#include "assert_shape.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "rows.h"

/* ---- functions
 * ----------------------------------------------------------------------------------- */

struct add_args {
    int64_t x, y;
    fer_str how;
};
static const fer_bind_row add_rows[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct add_args, x), true, "one", NULL, NULL},
    {"y", FER_BIND_INTEGER, offsetof(struct add_args, y), false, "other", "1", NULL},
    {"how", FER_BIND_STRING, offsetof(struct add_args, how), false, NULL, NULL,
     "{\"enum\":[\"right\",\"wrong\",\"refuse\",\"garbage\",\"huge\"]}"},
};

static fer_code add(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    const struct add_args *p = args;
    (void)context;
    if (fer_str_is(p->how, "refuse")) {
        err->code = FER_TOOL_FAILED;
        snprintf(err->message, sizeof err->message, "no sums today");
        return FER_TOOL_FAILED;
    }
    if (fer_str_is(p->how, "garbage")) *out = FER_STR("{sum");
    else if (fer_str_is(p->how, "wrong")) *out = FER_STR("{\"sum\":\"three\"}");
    else if (fer_str_is(p->how, "huge"))
        *out = fer_arena_printf(a, "{\"sum\":1,\"fill\":\"%0*d\"}", (int)FER_RESULT_MAX, 0);
    else *out = fer_arena_printf(a, "{\"sum\":%lld}", (long long)(p->x + p->y));
    return FER_OK;
}

static const fer_builtin functions[] = {
    {.ns = "math",
     .name = "add",
     .version = "1.2.0",
     .description = "Adds two numbers.",
     .rows = add_rows,
     .row_count = FER_COUNT(add_rows),
     .args_size = sizeof(struct add_args),
     .output_schema =
         "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"integer\"}},\"required\":[\"sum\"]}",
     .effect = FER_EFFECT_PURE,
     .run = add},
    {.ns = "math",
     .name = "add_slowly",
     .description = "Adds two numbers on a thread.",
     .rows = add_rows,
     .row_count = FER_COUNT(add_rows),
     .args_size = sizeof(struct add_args),
     .effect = FER_EFFECT_PURE,
     .run = add,
     .blocks = true},
};

/* ---- a backend that does as it is told
 * ----------------------------------------------------------------- */

struct puppet {
    fer_runner runner;
    fer_attempt *attempt; /* that waits */
    fer_cancel told;      /* the last cancel */
    bool paused;
    size_t stops;
};

static void puppet_call(fer_runner *r, fer_attempt *t)
{
    struct puppet *p = (struct puppet *)r;
    t->sent = true;
    p->attempt = t;
}
static void puppet_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    struct puppet *p = (struct puppet *)r;
    p->told = reason;
    p->attempt = NULL;
    fer_attempt_fail(t, FER_CANCELLED, "as you like");
}
static void puppet_pause(fer_runner *r, fer_attempt *t, bool paused)
{
    (void)t;
    ((struct puppet *)r)->paused = paused;
}
static void puppet_stop(fer_runner *r, void (*done)(fer_runner *r))
{
    ((struct puppet *)r)->stops++;
    done(r);
}
static void puppet_free(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind puppet_kind = {.name = "puppet",
                                            .backend = FER_BACKEND_MCP,
                                            .call = puppet_call,
                                            .cancel = puppet_cancel,
                                            .pause = puppet_pause,
                                            .stop = puppet_stop,
                                            .free = puppet_free};

static const char puppet_tools[] =
    "[{\"namespace\":\"p\",\"name\":\"read\",\"description\":\"Reads.\",\"effect\":\"Pure\","
    "\"inputSchema\":{\"type\":\"object\"},\"policies\":{\"timeoutMs\":30}},"
    "{\"namespace\":\"p\",\"name\":\"write\",\"description\":\"Writes.\",\"effect\":\"NonIdempotentWrite\","
    "\"inputSchema\":{\"type\":\"object\"},\"requiredScopes\":[\"notes:write\"]}]";

/* ---- the stage
 * ------------------------------------------------------------------------------------------- */

struct scene {
    fer_arena *arena;
    fer_catalog *catalog;
    fer_gateway *gateway;
    struct puppet puppet;
    size_t done;
    fer_code code;
    char events[512];
    bool pause_at_first, cancel_at_first;
    fer_call *call;
};

static void set(struct scene *s, const fer_gateway_options *options)
{
    fer_err err;
    fer_gateway_options o = options ? *options : (fer_gateway_options){0};
    memset(s, 0, sizeof *s);
    s->arena = fer_arena_new(0);
    assert_int_equal(fer_catalog_new(NULL, &s->catalog, &err), FER_OK);
    o.catalog = s->catalog;
    o.policies = FER_STR("{\"backends\":{\"puppet\":{\"trusted\":true}}}");
    assert_int_equal(fer_gateway_new(&o, &s->gateway, &err), FER_OK);
    assert_int_equal(fer_gateway_builtins(s->gateway, functions, FER_COUNT(functions), &err),
                     FER_OK);
    s->puppet.runner = (fer_runner){
        .kind = &puppet_kind, .name = FER_STR("puppet"), .loop = fer_gateway_loop(s->gateway)};
    assert_int_equal(fer_gateway_add_runner(s->gateway, &s->puppet.runner, &err), FER_OK);
    fer_batch *b = fer_batch_new();
    fer_put_options put = {.backend =
                               &(fer_backend){FER_BACKEND_MCP, FER_STR("puppet"), FER_STR("")}};
    assert_int_equal(
        fer_batch_add(b, FER_STR("p.json"), fer_str_of(puppet_tools), FER_FORMAT_JSON, &put, &err),
        FER_OK);
    put.backend = &(fer_backend){FER_BACKEND_MCP, FER_STR("nobody"), FER_STR("")};
    assert_int_equal(
        fer_batch_add(b, FER_STR("n.json"),
                      FER_STR("{\"namespace\":\"n\",\"name\":\"gone\",\"description\":\"Is "
                              "gone.\",\"inputSchema\":{\"type\":\"object\"}}"),
                      FER_FORMAT_JSON, &put, &err),
        FER_OK);
    assert_int_equal(fer_catalog_apply(s->catalog, b, &err), FER_OK);
    fer_batch_free(b);
}

static void strike(struct scene *s)
{
    fer_gateway_free(s->gateway);
    assert_int_equal(s->puppet.stops, 1);
    fer_catalog_free(s->catalog);
    fer_arena_free(s->arena);
}

/* ---- envelopes
 * -------------------------------------------------------------------------------------------- */

static const struct row {
    const char *name, *tool, *args;
    const char *has[4];    /* in the envelope */
    bool warn, dry, named; /* named: a caller without scopes */
} rows[] = {
    {"a sum",
     "math:add",
     "{\"x\":1,\"y\":2}",
     {"\"status\":\"Ok\"", "\"structured\":{\"sum\":3}", "\"attempts\":1",
      "\"resolvedVersion\":\"1.2.0\""}},
    {"its backend",
     "math:add",
     "{\"x\":1}",
     {"\"backend\":{\"kind\":\"local\",\"name\":\"math\"}", "\"tool\":{\"id\":\"math:add:1.2.0\"}",
      "\"structured\":{\"sum\":2}", "\"origin\":\"library\""}},
    {"on a thread", "math:add_slowly", "{\"x\":20,\"y\":2}", {"\"structured\":{\"sum\":22}"}},
    {"an alias", "local::math::add", "{\"x\":1}", {"\"sum\":2"}},
    {"no such tool",
     "math:ad",
     "{}",
     {"\"status\":\"Error\"", "\"code\":\"ToolNotFound\"", "\"op\":\"resolve\"", "\"attempts\":0"}},
    {"no ID", "a:b:c:d", "{}", {"\"code\":\"InvalidId\"", "\"op\":\"resolve\""}},
    {"no JSON",
     "math:add",
     "{\"x\":}",
     {"\"code\":\"InvalidJson\"", "\"op\":\"validate_input\"", "\"line\":1,\"column\":6"}},
    {"no object", "math:add", "[1]", {"\"code\":\"InvalidType\"", "\"op\":\"validate_input\""}},
    {"a field is missing",
     "math:add",
     "",
     {"\"category\":\"ContractError\"", "\"code\":\"RequiredMissing\"",
      "\"details\":{\"field\":\"/x\"", "\"toolId\":\"math:add:1.2.0\""}},
    {"a wrong type",
     "math:add",
     "{\"x\":\"1\"}",
     {"\"code\":\"InvalidType\"", "\"findings\":[{\"code\":\"InvalidType\"",
      "\"retryable\":false"}},
    {"a field nobody knows", "math:add", "{\"x\":1,\"z\":1}", {"\"code\":\"UnknownField\""}},
    {"not one of the words",
     "math:add",
     "{\"x\":1,\"how\":\"left\"}",
     {"\"code\":\"InvalidEnumValue\"", "\"allowed\":[\"right\""}},
    {"the tool says no",
     "math:add",
     "{\"x\":1,\"how\":\"refuse\"}",
     {"\"code\":\"ToolFailed\"", "\"category\":\"ExecutionError\"", "no sums today",
      "\"op\":\"execute\""}},
    {"the tool says no, on a thread",
     "math:add_slowly",
     "{\"x\":1,\"how\":\"refuse\"}",
     {"\"code\":\"ToolFailed\"", "no sums today"}},
    {"no JSON comes out",
     "math:add",
     "{\"x\":1,\"how\":\"garbage\"}",
     {"\"code\":\"InvalidOutput\""}},
    {"the output breaks its schema",
     "math:add",
     "{\"x\":1,\"how\":\"wrong\"}",
     {"\"code\":\"InvalidOutput\"", "\"op\":\"validate_output\"", "\"field\":\"/sum\""}},
    {"and that is a warning",
     "math:add",
     "{\"x\":1,\"how\":\"wrong\"}",
     {"\"status\":\"Ok\"", "\"warnings\":[", "\"sum\":\"three\""},
     .warn = true},
    {"too much comes out",
     "math:add",
     "{\"x\":1,\"how\":\"huge\"}",
     {"\"code\":\"InvalidOutput\"", "json.size"}},
    {"nobody runs it",
     "n:gone",
     "{}",
     {"\"code\":\"BackendUnavailable\"", "not configured", "\"attempts\":0"}},
    {"not really",
     "math:add",
     "{\"x\":1}",
     {"\"status\":\"Ok\"", "\"structured\":null", "\"attempts\":0"},
     .dry = true},
    {"not really, and wrong", "math:add", "{}", {"\"code\":\"RequiredMissing\""}, .dry = true},
    {"not allowed",
     "p:write",
     "{}",
     {"\"code\":\"Forbidden\"", "notes:write", "\"op\":\"authorize\""},
     .named = true},
};

static void run_row(const struct row *row)
{
    struct scene s;
    fer_envelope e;
    fer_err err;
    fer_str text;
    fer_caller nobody = {.tenant = FER_STR("t")};
    fer_call_options o = {.dry_run = row->dry, .caller = row->named ? &nobody : NULL};
    set(&s, &(fer_gateway_options){.warn_output = row->warn});
    assert_int_equal(fer_gateway_ask(s.arena, s.gateway, fer_str_of(row->tool),
                                     fer_str_of(row->args), &o, &e, &err),
                     FER_OK);
    assert_int_equal(fer_envelope_write(s.arena, &e, false, &text, &err), FER_OK);
    char *z = fer_arena_alloc(s.arena, text.len + 1);
    memcpy(z, text.ptr, text.len);
    z[text.len] = '\0';
    for (size_t i = 0; i < FER_COUNT(row->has) && row->has[i]; i++) {
        if (!strstr(z, row->has[i])) fail_msg("%s is not in %.2000s", row->has[i], z);
    }
    fer_json *doc;
    assert_int_equal(fer_json_read(s.arena, text, fer_json_limits_file(), &doc, &err), FER_OK);
    assert_shape(s.arena, "envelope", text);
    assert_int_equal(fer_envelope_write(s.arena, &e, true, &text, &err), FER_OK);
    assert_shape(s.arena, "envelope", text);
    strike(&s);
}

/* ---- time, cancelling, streams
 * ---------------------------------------------------------------------------- */

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    struct scene *s = context;
    char one[64];
    fer_str text;
    s->call = c;
    snprintf(one, sizeof one, "%d:%llu ", (int)e->kind, (unsigned long long)e->sequence);
    strncat(s->events, one, sizeof s->events - strlen(s->events) - 1);
    assert_int_equal(fer_stream_event_write(s->arena, e, &text, NULL), FER_OK);
    assert_shape(s->arena, "stream-event", text);
    assert_int_equal(fer_stream_chunk_write(s->arena, e, &text, NULL), FER_OK);
    assert_shape(s->arena, "stream-chunk", text);
    if (s->cancel_at_first && e->sequence == 0) fer_call_cancel(c);
    return !(s->pause_at_first && e->sequence == 0);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    struct scene *s = context;
    (void)c;
    s->done++;
    s->code = e->error.code;
}

static void begin(struct scene *s, const char *tool, fer_call_options *o)
{
    fer_err err;
    o->on_event = on_event;
    o->context = s;
    assert_int_equal(
        fer_gateway_call(s->gateway, fer_str_of(tool), FER_STR("{}"), o, on_done, s, NULL, &err),
        FER_OK);
}

static void ok(struct scene *s)
{
    fer_attempt *t = s->puppet.attempt;
    fer_json *doc;
    fer_err err;
    assert_int_equal(fer_json_read(t->arena, FER_STR("[1]"), NULL, &doc, &err), FER_OK);
    fer_attempt_end(t, &(fer_outcome){.structured = fer_json_root(doc), .doc = doc});
}

static void a_stream_has_no_gaps_and_one_end(void)
{
    struct scene s;
    set(&s, NULL);
    begin(&s, "p:read", &(fer_call_options){0});
    fer_attempt_event(s.puppet.attempt, FER_NEWS_PROGRESS, FER_STR("{\"progress\":1}"));
    fer_attempt_event(s.puppet.attempt, FER_NEWS_CHUNK, FER_STR("\"a\""));
    fer_attempt_event(s.puppet.attempt, FER_NEWS_CHUNK, FER_STR("\"b\""));
    assert_int_equal(s.done, 0);
    ok(&s);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.code, FER_OK);
    assert_string_equal(s.events, "0:0 1:1 1:2 2:3 ");
    strike(&s);
}

static void a_slow_listener_pauses_the_backend(void)
{
    struct scene s;
    set(&s, NULL);
    s.pause_at_first = true;
    begin(&s, "p:write", &(fer_call_options){0});
    fer_attempt_event(s.puppet.attempt, FER_NEWS_CHUNK, FER_STR("1"));
    assert_true(s.puppet.paused);
    fer_attempt_event(s.puppet.attempt, FER_NEWS_PROGRESS, FER_STR("{}")); /* is left out */
    fer_call_resume(s.call);
    assert_false(s.puppet.paused);
    ok(&s);
    assert_string_equal(s.events, "1:0 2:1 ");
    strike(&s);
}

static void an_attempt_has_its_time(void)
{
    struct scene s;
    set(&s, NULL);
    begin(&s, "p:read", &(fer_call_options){0});
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.code, FER_TIMEOUT);
    assert_int_equal(s.puppet.told, FER_CANCEL_TIMEOUT);
    assert_string_equal(s.events, "3:0 ");
    strike(&s);
}

static void a_call_has_its_time(void)
{
    struct scene s;
    set(&s, NULL);
    begin(&s, "p:read", &(fer_call_options){.deadline_ms = 20}); /* its tool has 30 */
    fer_gateway_run(s.gateway);
    assert_int_equal(s.code, FER_DEADLINE_EXCEEDED);
    assert_int_equal(s.puppet.told, FER_CANCEL_DEADLINE);
    begin(&s, "p:read", &(fer_call_options){.deadline = 1});
    assert_int_equal(s.done, 2);
    assert_int_equal(s.code, FER_DEADLINE_EXCEEDED);
    strike(&s);
}

static void who_may_have_written_is_not_sure(void)
{
    struct scene s;
    set(&s, NULL);
    begin(&s, "p:write", &(fer_call_options){.deadline_ms = 200});
    fer_gateway_run(s.gateway);
    assert_int_equal(s.code, FER_OUTCOME_UNKNOWN);
    strike(&s);
}

static void a_listener_may_cancel(void)
{
    struct scene s;
    set(&s, NULL);
    s.cancel_at_first = true;
    begin(&s, "p:read", &(fer_call_options){0});
    fer_attempt_event(s.puppet.attempt, FER_NEWS_CHUNK, FER_STR("1"));
    assert_int_equal(s.done, 0); /* not while it is being told */
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.code, FER_CANCELLED);
    assert_int_equal(s.puppet.told, FER_CANCEL_CLIENT_CANCELLED);
    strike(&s);
}

static void the_end_of_the_gateway_is_the_end_of_calls(void)
{
    struct scene s;
    set(&s, NULL);
    begin(&s, "p:read", &(fer_call_options){0});
    begin(&s, "p:read", &(fer_call_options){0});
    strike(&s);
    assert_int_equal(s.done, 2);
}

static void so_many_at_once(void)
{
    struct scene s;
    set(&s, &(fer_gateway_options){.calls_max = 2});
    begin(&s, "p:read", &(fer_call_options){0});
    begin(&s, "p:read", &(fer_call_options){0});
    assert_int_equal(s.done, 0);
    begin(&s, "p:read", &(fer_call_options){0});
    assert_int_equal(s.done, 1);
    assert_int_equal(s.code, FER_CONCURRENCY_LIMITED);
    strike(&s);
}

static void a_changed_tool_is_another(void)
{
    struct scene s;
    fer_envelope e;
    fer_err err;
    set(&s, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fer_gateway_ask(s.arena, s.gateway, FER_STR("math:add"),
                                         FER_STR("{\"x\":1}"), NULL, &e, &err),
                         FER_OK);
        assert_str(e.structured, "{\"sum\":2}");
        fer_builtin f = functions[0];
        f.description = i ? "Adds one." : "Adds two.";
        static fer_builtin kept[3];
        kept[i] = f;
        assert_int_equal(fer_gateway_builtins(s.gateway, &kept[i], 1, &err), FER_OK);
    }
    strike(&s);
}

static void without_options_there_is_none(void)
{
    fer_gateway *g = NULL;
    fer_err err = {0};
    assert_int_equal(fer_gateway_new(NULL, &g, &err), FER_BAD_USAGE);
    assert_null(g);
}

int main(void)
{
    int failed = ROWS_RUN("envelopes", rows, run_row);
    failed += ROWS_ONE("calls", a_stream_has_no_gaps_and_one_end);
    failed += ROWS_ONE("calls", a_slow_listener_pauses_the_backend);
    failed += ROWS_ONE("calls", an_attempt_has_its_time);
    failed += ROWS_ONE("calls", a_call_has_its_time);
    failed += ROWS_ONE("calls", who_may_have_written_is_not_sure);
    failed += ROWS_ONE("calls", a_listener_may_cancel);
    failed += ROWS_ONE("calls", the_end_of_the_gateway_is_the_end_of_calls);
    failed += ROWS_ONE("calls", so_many_at_once);
    failed += ROWS_ONE("calls", a_changed_tool_is_another);
    failed += ROWS_ONE("calls", without_options_there_is_none);
    return failed != 0;
}
