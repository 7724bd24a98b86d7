/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule conformance-client: the client half of MCP as the official suite of conformance wants to
 * start it, with the URL of a server as its last argument and the name of a scenario in the
 * environment. Lists the tools and calls each of them, all at once, with arguments made from their
 * schemas or given by the suite; answers what servers want to know with the defaults of their
 * forms. All of MCP is src/mcp.
 */
#include <stdlib.h>

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "json_value.h"
#include "remote.h"
#include "rpc.h"

#define CALLS   64 /* at once */
#define CALL_NS INT64_C(20000000000)

typedef struct session {
    fer_app *app;
    fer_remote remote;
    fer_arena *arena;
    fer_str back; /* what the user came back with */
    fer_mcp_call calls[CALLS];
    size_t count, open;
} session;

static fer_code read_json(session *s, fer_str text, fer_json **out)
{
    fer_err err = {0};
    fer_code code = fer_json_read(s->remote.arena, text, NULL, out, &err);
    if (code) fer_app_say(s->app, "%s", err.message);
    return code;
}

/* ---- what servers want to know -----------------------------------------------------------------
 */

/* The defaults of a form, as what somebody filled in. */
static void add_defaults(fer_buf *b, const fer_json *doc, const yyjson_val *properties)
{
    bool some = false;
    if (!fer_is_obj(properties)) return;
    FER_EACH_MEMBER (properties, key) {
        const yyjson_val *value = fer_val_get(key + 1, "default");
        if (!value) continue;
        if (some) fer_buf_add_char(b, ',');
        some = true;
        fer_buf_add(b, fer_rpc_bytes(doc, key));
        fer_buf_add_char(b, ':');
        fer_buf_add(b, fer_rpc_bytes(doc, value));
    }
}

static bool asked(void *context, fer_mcp_question *q)
{
    session *s = context;
    fer_json *doc = NULL;
    fer_buf b;
    if (fer_str_is(q->method, "roots/list")) {
        fer_mcp_question_answer(q, FER_STR("{\"roots\":[]}"));
        return true;
    }
    if (!fer_str_is(q->method, "elicitation/create") || read_json(s, q->params, &doc)) return false;
    fer_buf_init(&b, s->remote.arena, 1 << 20);
    fer_buf_add_text(&b, "{\"action\":\"accept\",\"content\":{");
    add_defaults(&b, doc,
                 fer_val_get(fer_val_get(fer_json_root(doc), "requestedSchema"), "properties"));
    fer_buf_add_text(&b, "}}");
    fer_mcp_question_answer(q, fer_buf_view(&b));
    return true;
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    session *s = k->context;
    s->open--;
    const char *what = k->method ? k->method : "tools/call";
    if (o->code)
        fer_out_printf(&s->app->out, "%s: %s: %.*s\n", what, fer_code_info(o->code)->name,
                       FER_PRI(o->message));
    else fer_out_printf(&s->app->out, "%s: %.*s\n", what, FER_PRI(o->json));
}

static fer_mcp_call *new_call(session *s)
{
    if (s->count == CALLS) return NULL;
    fer_mcp_call *k = &s->calls[s->count++];
    *k = (fer_mcp_call){.arena = s->remote.arena, .context = s, .on_end = on_end};
    k->deadline = fer_clock_mono() + CALL_NS;
    s->open++;
    return k;
}

static void ask(session *s, const char *method, fer_str params)
{
    fer_mcp_call *k = new_call(s);
    if (!k) return;
    k->method = method;
    k->params = params;
    fer_mcp_client_call(s->remote.client, k);
}

static void settle(session *s)
{
    while (s->open) uv_run(&s->remote.loop, UV_RUN_ONCE);
}

static void add_value(fer_buf *b, const fer_json *doc, const yyjson_val *schema, const char *other)
{
    const yyjson_val *type = fer_val_get(schema, "type"), *value = fer_val_get(schema, "default");
    fer_str name = fer_is_str(type) ? fer_val_str(type) : FER_STR_NONE;
    if (value) fer_buf_add(b, fer_rpc_bytes(doc, value));
    else if (fer_str_is(name, "number") || fer_str_is(name, "integer")) fer_buf_add_text(b, "2");
    else if (fer_str_is(name, "boolean")) fer_buf_add_text(b, "true");
    else if (fer_str_is(name, "object")) fer_buf_add_text(b, other);
    else if (fer_str_is(name, "array")) fer_buf_add_text(b, "[]");
    else fer_buf_add_text(b, "\"x\"");
}

/* Arguments for what a tool requires; an object is the schema of the first tool. */
static fer_str make_args(session *s, const fer_json *doc, const yyjson_val *schema,
                         const char *object)
{
    const yyjson_val *required = fer_val_get(schema, "required");
    fer_buf b;
    fer_buf_init(&b, s->remote.arena, 1 << 20);
    fer_buf_add_char(&b, '{');
    if (fer_is_arr(required))
        FER_EACH_ITEM (required, name) {
            const yyjson_val *key =
                fer_val_key(fer_val_get(schema, "properties"), fer_val_str(name));
            if (b.len > 1) fer_buf_add_char(&b, ',');
            fer_buf_add_quoted(&b, fer_val_str(name));
            fer_buf_add_char(&b, ':');
            add_value(&b, doc, key ? key + 1 : NULL, object);
        }
    fer_buf_add_char(&b, '}');
    return fer_buf_view(&b);
}

static void call_tool(session *s, fer_str name, fer_str args, fer_str definition)
{
    fer_mcp_call *k = new_call(s);
    if (!k) return;
    k->tool = name;
    k->args = args;
    k->definition = definition;
    fer_mcp_client_call(s->remote.client, k);
}

static void call_all(session *s, const fer_json *doc)
{
    const yyjson_val *tools = fer_json_root(doc);
    fer_str first = fer_val_len(tools) ? fer_rpc_bytes(doc, fer_val_get(tools + 1, "inputSchema"))
                                       : FER_STR("{}");
    const char *object = fer_arena_copy(s->remote.arena, first).ptr;
    FER_EACH_ITEM (tools, tool) {
        const yyjson_val *name = fer_val_get(tool, "name");
        call_tool(s, fer_val_str(name), make_args(s, doc, fer_val_get(tool, "inputSchema"), object),
                  fer_rpc_bytes(doc, tool));
    }
}

static const yyjson_val *find_tool(const yyjson_val *tools, fer_str name)
{
    FER_EACH_ITEM (tools, tool)
        if (fer_str_eq(fer_val_str(fer_val_get(tool, "name")), name)) return tool;
    return NULL;
}

/* What the suite says is to be called. False: it says nothing. */
static bool call_given(session *s, const fer_json *doc)
{
    const char *context = getenv("MCP_CONFORMANCE_CONTEXT");
    fer_json *given;
    if (!context || read_json(s, fer_str_of(context), &given)) return false;
    const yyjson_val *calls = fer_val_get(fer_json_root(given), "toolCalls");
    if (!fer_is_arr(calls)) return false;
    FER_EACH_ITEM (calls, one) {
        fer_str name = fer_val_str(fer_val_get(one, "name"));
        const yyjson_val *tool = find_tool(fer_json_root(doc), name);
        if (tool)
            call_tool(s, name, fer_rpc_bytes(given, fer_val_get(one, "arguments")),
                      fer_rpc_bytes(doc, tool));
    }
    return true;
}

/* ---- tokens ------------------------------------------------------------------------------------
 */

/* The suite's authorization server sends whoever asks back at once: that is the user. */
static void on_visited(void *context, fer_http_call *call, const fer_http_head *head)
{
    session *s = context;
    (void)call;
    fer_str to = fer_http_head_get(head, "Location");
    size_t mark = to.ptr ? fer_str_find(to, 0, '?') : SIZE_MAX;
    if (mark != SIZE_MAX)
        s->back = fer_arena_copy(s->remote.arena, fer_str_slice(to, mark + 1, to.len));
}

static void on_visit_end(void *context, const fer_http_end *end)
{
    session *s = context;
    (void)end;
    fer_oauth_redirected(s->remote.oauth, s->back);
}

static void on_visit(void *context, fer_str url)
{
    session *s = context;
    fer_err err = {0};
    s->back = FER_STR("");
    if (fer_http_start(s->remote.desk.http[1], &(fer_http_request){.url = url},
                       &(fer_http_events){on_visited, NULL, on_visit_end, s}, NULL, &err))
        fer_app_say(s->app, "%s", err.message);
}

static fer_str given(session *s, const yyjson_val *context, const char *name)
{
    const yyjson_val *v = fer_is_obj(context) ? fer_val_get(context, name) : NULL;
    return fer_is_str(v) ? fer_arena_copy(s->arena, fer_val_str(v)) : FER_STR("");
}

/* What the suite says that we are registered as. */
static void read_client(session *s, fer_oauth_options *o)
{
    const char *text = getenv("MCP_CONFORMANCE_CONTEXT"),
               *scenario = getenv("MCP_CONFORMANCE_SCENARIO");
    fer_json *doc = NULL;
    const yyjson_val *context = NULL;
    if (text && !fer_json_read(s->arena, fer_str_of(text), NULL, &doc, NULL))
        context = fer_json_root(doc);
    *o = (fer_oauth_options){.client_id = given(s, context, "client_id"),
                             .secret = given(s, context, "client_secret"),
                             .private_key = given(s, context, "private_key_pem"),
                             .issuer = given(s, context, "issuer"),
                             .metadata_url =
                                 FER_STR("https://conformance-test.local/client-metadata.json"),
                             .machine = scenario && strstr(scenario, "client-credentials") != NULL,
                             .visit = on_visit,
                             .redirect_uri = FER_STR("http://127.0.0.1:49152/callback"),
                             .context = s};
}

/* ---- all ---------------------------------------------------------------------------------------
 */

static int talk(session *s)
{
    const char *scenario = getenv("MCP_CONFORMANCE_SCENARIO");
    fer_err err = {0};
    fer_str tools;
    fer_json *doc;
    if (fer_remote_tools(&s->remote, &tools, &err)) return fer_app_fail(s->app, &err);
    if (read_json(s, tools, &doc)) return FER_EXIT_FINDINGS;
    if (!call_given(s, doc)) call_all(s, doc);
    settle(s);
    if (!scenario || strcmp(scenario, "http-standard-headers") != 0) return FER_EXIT_OK;
    ask(s, "resources/list", FER_STR("{}"));
    ask(s, "prompts/list", FER_STR("{}"));
    ask(s, "resources/read", FER_STR("{\"uri\":\"file:///path/to/file%20name.txt\"}"));
    ask(s, "prompts/get", FER_STR("{\"name\":\"test_prompt\"}"));
    settle(s);
    return FER_EXIT_OK;
}

int fer_run_conformance_client(fer_app *app)
{
    session s = {.app = app};
    fer_oauth_options tokens;
    fer_remote_options o = {.capabilities = FER_STR("{\"elicitation\":{}}"),
                            .asked = asked,
                            .context = &s,
                            .oauth = &tokens};
    fer_err err;
    if (!app->arg_count) return fer_app_usage(app, "which server? its URL is the last argument");
    s.arena = fer_arena_new(0);
    if (!s.arena) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    read_client(&s, &tokens);
    int bad = fer_remote_open(&s.remote, app, &app->args[app->arg_count - 1], 1, &o);
    if (!bad) bad = talk(&s);
    if (s.remote.begun) fer_remote_close(&s.remote);
    fer_arena_free(s.arena);
    return bad;
}
