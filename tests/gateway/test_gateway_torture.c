/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls, chains and configurations while each allocation fails in turn: what comes out is right, or
 * the code of the failure; every call ends exactly once; nothing is left behind.
 */
#include "config.h"
#include "gateway_rig.h"
#include "rows.h"

struct row {
    const char *name;
    const char *tool, *args; /* of a call; or */
    const char *chain;
    const char *config, *other; /* that are read, and held against each other */
    fer_code code;              /* that comes out, where there is memory */
    bool stream, cancel, look, routes, metrics, builtin, retire;
    int64_t timeout_ms;
};

typedef struct ended {
    size_t count;
    fer_code code;
    bool cancel;
} ended;

static fer_code or_memory(fer_code code)
{
    return code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED ? FER_OUT_OF_MEMORY : code;
}

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    ended *x = context;
    (void)e;
    if (x->cancel) fer_call_cancel(c);
    return true;
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    ended *x = context;
    (void)c;
    x->count++;
    x->code = e->error.code;
}

static void on_chain(void *context, const fer_chain_result *r)
{
    ended *x = context;
    x->count++;
    x->code = r->error.code;
}

/* A call whose failure may be the one that was injected. */
static fer_code judge(const struct row *row, const ended *x)
{
    assert_int_equal(x->count, 1);
    if (x->code == row->code) return FER_OK;
    return x->code ? x->code : FER_INTERNAL;
}

static fer_code call_tool(rig *r, const struct row *row)
{
    fer_err err = {0};
    ended x = {.cancel = row->cancel};
    fer_call *call = NULL;
    fer_call_options o = {
        .timeout_ms = row->timeout_ms, .on_event = row->stream ? on_event : NULL, .context = &x};
    fer_code code = fer_gateway_call(r->gateway, fer_str_of(row->tool), fer_str_of(row->args), &o,
                                     on_done, &x, &call, &err);
    if (code) {
        assert_int_equal(x.count, 0);
        return code;
    }
    if (row->retire && call) {
        fer_gateway_retire_runner(r->gateway, &r->first.runner, NULL, NULL);
        fer_call_cancel(call);
    } else if (row->cancel && call) {
        fer_call_cancel(call);
    }
    fer_gateway_run(r->gateway);
    return judge(row, &x);
}

static fer_code run_chain(rig *r, const struct row *row)
{
    fer_err err = {0};
    fer_chain *chain = NULL;
    ended x = {0};
    fer_chain_remark *remarks;
    size_t count;
    fer_code code = fer_chain_read(fer_str_of(row->chain), &chain, &err);
    if (code && code == row->code) return FER_OK;
    if (!code && row->look)
        code = fer_gateway_check_chain(r->arena, r->gateway, chain, &remarks, &count, &err);
    else if (!code) {
        code = fer_gateway_chain(r->gateway, chain, FER_STR("{\"n\":1}"), NULL, on_chain, &x, &err);
        if (!code) {
            fer_gateway_run(r->gateway);
            code = judge(row, &x);
        }
    }
    fer_chain_free(chain);
    return code;
}

static fer_code set_routes(rig *r)
{
    fer_err err = {0};
    fer_backend list[] = {{FER_BACKEND_MCP, FER_STR("first"), FER_STR("gone")},
                          {FER_BACKEND_MCP, FER_STR("second"), FER_STR("")}};
    fer_route route = {FER_STR("s:echo"), list, 2};
    return fer_gateway_routes(r->gateway, &route, 1, &err);
}

struct one_arg {
    int64_t x;
};
static const fer_bind_row one_row[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct one_arg, x), true, "A number.", NULL, NULL}};
static fer_code twice(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    (void)context;
    *out = fer_arena_printf(a, "%lld", (long long)(2 * ((const struct one_arg *)args)->x));
    return out->ptr ? FER_OK : fer_arena_failed(a, err);
}

static fer_code add_builtin(rig *r)
{
    fer_err err = {0};
    static const fer_builtin function = {.ns = "b",
                                         .name = "twice",
                                         .description = "Doubles.",
                                         .rows = one_row,
                                         .row_count = 1,
                                         .args_size = sizeof(struct one_arg),
                                         .output_schema = "{\"type\":\"integer\"}",
                                         .effect = FER_EFFECT_PURE,
                                         .run = twice};
    return fer_gateway_builtins(r->gateway, &function, 1, &err);
}

static fer_code in_gateway(const struct row *row)
{
    rig r;
    fer_err err = {0};
    fer_str text;
    fer_code code = rig_make(&r, NULL);
    if (!code && row->routes) code = set_routes(&r);
    if (!code && row->builtin) code = add_builtin(&r);
    if (!code && row->tool) code = call_tool(&r, row);
    if (!code && row->chain) code = run_chain(&r, row);
    if (!code && row->metrics) code = fer_gateway_metrics(r.arena, r.gateway, &text, &err);
    rig_free(&r);
    return or_memory(code);
}

static fer_code read_configs(const struct row *row)
{
    fer_err err = {0};
    fer_config one, other;
    fer_config_change *changes;
    size_t count = 0;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code)
        code = fer_config_read(a, FER_STR("a.json"), fer_str_of(row->config), NULL, &one, &err);
    if (!code && row->other) {
        code = fer_config_read(a, FER_STR("b.json"), fer_str_of(row->other), NULL, &other, &err);
        if (!code) code = fer_config_diff(a, &one, &other, &changes, &count, &err);
        if (!code) assert_true(count > 0);
    }
    fer_arena_free(a);
    return code == row->code ? FER_OK : or_memory(code);
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    (void)a;
    return row->config ? read_configs(row) : in_gateway(row);
}

static const struct row rows[] = {
    {"a call", .tool = "s:echo", .args = "{\"n\":1}"},
    {"arguments over lines", .tool = "s:echo", .args = "{\n\"n\":1}"},
    {"wrong arguments", .tool = "s:echo", .args = "{\"n\":\"x\"}", .code = FER_INVALID_TYPE},
    {"no JSON", .tool = "s:echo", .args = "{", .code = FER_INVALID_JSON},
    {"no such tool", .tool = "s:eco", .args = "{}", .code = FER_TOOL_NOT_FOUND},
    {"an output that is wrong", .tool = "s:wrong", .args = "{}", .code = FER_INVALID_OUTPUT},
    {"the tool says no", .tool = "s:no", .args = "{}", .code = FER_TOOL_FAILED},
    {"it went away", .tool = "s:lost", .args = "{}", .code = FER_BACKEND_CRASHED},
    {"nobody is there", .tool = "s:gone", .args = "{}", .code = FER_BACKEND_UNAVAILABLE},
    {"another backend", .tool = "s:echo", .args = "{}", .routes = true},
    {"its time is up", .tool = "s:hang", .args = "{}", .code = FER_TIMEOUT, .timeout_ms = 1},
    {"cancelled", .tool = "s:hang", .args = "{}", .code = FER_CANCELLED, .cancel = true},
    {"its runner is taken out", .tool = "s:hang", .args = "{}", .code = FER_CANCELLED,
     .retire = true},
    {"a stream", .tool = "s:steps", .args = "{}", .stream = true},
    {"a stream that fails", .tool = "s:no", .args = "{}", .code = FER_TOOL_FAILED, .stream = true},
    {"a function", .tool = "b:twice", .args = "{\"x\":4}", .builtin = true},
    {"metrics", .tool = "s:echo", .args = "{}", .metrics = true},
    {"a chain",
     .chain =
         "[{\"toolId\":\"s:echo\",\"use\":{\"/n\":\"input#/n\"}},{\"toolId\":\"s:echo\",\"usePrevious\":true}]"},
    {"branches",
     .chain =
         "[{\"parallel\":[{\"toolId\":\"s:echo\",\"args\":{\"n\":1}},[{\"toolId\":\"s:echo\"},{\"toolId\":\"s:echo\"}]]}]"},
    {"a fallback",
     .chain = "[{\"toolId\":\"s:no\",\"onError\":{\"fallback\":{\"toolId\":\"s:echo\"}}}]"},
    {"a condition",
     .chain = "[{\"id\":\"a\",\"toolId\":\"s:echo\",\"args\":{\"n\":1}},{\"toolId\":\"s:echo\","
              "\"when\":{\"from\":\"a#/n\",\"schema\":{\"const\":2}}}]"},
    {"on with it",
     .chain = "[{\"toolId\":\"s:no\",\"onError\":\"continue\"},{\"toolId\":\"s:echo\"}]"},
    {"a chain that stops", .chain = "[{\"toolId\":\"s:no\"},{\"toolId\":\"s:echo\"}]",
     .code = FER_TOOL_FAILED},
    {"a chain that is none", .chain = "[{\"toolId\":1}]", .code = FER_INVALID_TYPE},
    {"a look at a chain",
     .chain = "[{\"toolId\":\"s:wrong\"},{\"toolId\":\"s:echo\",\"use\":{\"/n\":\"previous#/n\"}}]",
     .look = true},
    {"a configuration",
     .config = "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[\"1\"],\"env\":{\"K\":\"v\"}}},"
               "\"tools\":{\"a:b\":{\"backends\":[{\"server\":\"a\",\"tool\":\"c\"}]}},"
               "\"telemetry\":{\"otlp\":{\"endpoint\":\"http://127.0.0.1:1/\"}}}"},
    {"a configuration with errors",
     .config =
         "{\"defaults\":{\"deadlineMs\":0},\"tools\":{\"a:b\":{\"backends\":[{\"server\":\"x\"}]}}}"},
    {"a configuration that is none", .config = "{\"defaults\":", .code = FER_INVALID_JSON},
    {"two configurations", .config = "{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
     .other = "{\"mcpServers\":{\"b\":{\"command\":\"x\"}},\"defaults\":{\"calls\":2}}"},
};

static size_t faults;

static void run_row(const struct row *row)
{
    faults += rows_torture_malloc(attempt, row);
}

int main(void)
{
    int failed = ROWS_RUN("torture", rows, run_row);
    print_message("# %zu faults in %zu scenarios\n", faults, FER_COUNT(rows));
    return failed != 0;
}
