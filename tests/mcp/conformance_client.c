/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client half of MCP as the official suite of conformance wants to start it: with the URL of a
 * server as its last argument, and the name of a scenario in the environment. Lists the tools and
 * calls each of them, all at once, with arguments made from their schemas or given by the suite;
 * answers what servers want to know with the defaults of their forms. All of MCP is src/mcp.
 */
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "http_client.h"
#include "json_doc.h"
#include "json_value.h"
#include "link_http.h"
#include "mcp_client.h"
#include "rpc.h"

#define CALLS 64

typedef struct session {
    uv_loop_t loop;
    fer_arena *arena;
    fer_mcp_client *client;
    fer_mcp_call calls[CALLS];
    size_t count, open;
    fer_str tools; /* of the list */
    fer_code code;
    bool listed;
} session;

static fer_code read_json(fer_arena *a, fer_str text, fer_json **out)
{
    fer_err err = {0};
    fer_code code = fer_json_read(a, text, NULL, out, &err);
    if (code) fprintf(stderr, "%s\n", err.message);
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
    if (!fer_str_is(q->method, "elicitation/create") || read_json(s->arena, q->params, &doc))
        return false;
    fer_buf_init(&b, s->arena, 1 << 20);
    fer_buf_add_text(&b, "{\"action\":\"accept\",\"content\":{");
    add_defaults(&b, doc,
                 fer_val_get(fer_val_get(fer_json_root(doc), "requestedSchema"), "properties"));
    fer_buf_add_text(&b, "}}");
    fer_mcp_question_answer(q, fer_buf_view(&b));
    return true;
}

static void withdrawn(void *context, fer_mcp_question *q)
{
    (void)context;
    (void)q;
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    session *s = k->context;
    s->open--;
    const char *what = k->method ? k->method : "tools/call";
    if (o->code) printf("%s: %s: %.*s\n", what, fer_code_info(o->code)->name, FER_PRI(o->message));
    else printf("%s: %.*s\n", what, FER_PRI(o->json));
}

static fer_mcp_call *new_call(session *s)
{
    if (s->count == CALLS) return NULL;
    fer_mcp_call *k = &s->calls[s->count++];
    *k = (fer_mcp_call){.arena = s->arena, .context = s, .on_end = on_end};
    k->deadline = fer_clock_mono() + INT64_C(20000000000);
    s->open++;
    return k;
}

static void ask(session *s, const char *method, fer_str params)
{
    fer_mcp_call *k = new_call(s);
    if (!k) return;
    k->method = method;
    k->params = params;
    fer_mcp_client_call(s->client, k);
}

static void settle(session *s)
{
    while (s->open) uv_run(&s->loop, UV_RUN_ONCE);
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
    fer_buf_init(&b, s->arena, 1 << 20);
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
    fer_mcp_client_call(s->client, k);
}

static void call_all(session *s, const fer_json *doc)
{
    const yyjson_val *tools = fer_json_root(doc);
    fer_str first = fer_val_len(tools) ? fer_rpc_bytes(doc, fer_val_get(tools + 1, "inputSchema"))
                                       : FER_STR("{}");
    const char *object = fer_arena_copy(s->arena, first).ptr;
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
    if (!context || read_json(s->arena, fer_str_of(context), &given)) return false;
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

static void on_listed(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err)
{
    session *s = l->context;
    s->listed = true;
    s->code = code;
    s->tools = tools;
    if (code) fprintf(stderr, "tools: %s\n", err->message);
}

/* ---- all
 * ------------------------------------------------------------------------------------------- */

static void talk(session *s)
{
    const char *scenario = getenv("MCP_CONFORMANCE_SCENARIO");
    fer_mcp_list list = {.arena = s->arena, .context = s, .on_end = on_listed};
    fer_json *doc;
    fer_mcp_client_list(s->client, &list);
    while (!s->listed) uv_run(&s->loop, UV_RUN_ONCE);
    if (s->code || read_json(s->arena, s->tools, &doc)) return;
    if (!call_given(s, doc)) call_all(s, doc);
    settle(s);
    if (!scenario || strcmp(scenario, "http-standard-headers") != 0) return;
    ask(s, "resources/list", FER_STR("{}"));
    ask(s, "prompts/list", FER_STR("{}"));
    ask(s, "resources/read", FER_STR("{\"uri\":\"file:///path/to/file%20name.txt\"}"));
    ask(s, "prompts/get", FER_STR("{\"name\":\"test_prompt\"}"));
    settle(s);
}

static void closed(void *context)
{
    (void)context;
}

static const char *const hosts[] = {"localhost", "127.0.0.1", "::1"};

int main(int argc, char **argv)
{
    session *s = calloc(1, sizeof *s);
    fer_err err = {0};
    fer_net_rules *rules = fer_net_rules_new();
    if (argc < 2 || !s || !rules || uv_loop_init(&s->loop)) return 2;
    for (size_t i = 0; i < FER_COUNT(hosts); i++)
        (void)fer_net_rules_allow(rules, fer_str_of(hosts[i]), &err);
    s->arena = fer_arena_new(0);
    fer_http *http = fer_http_new(&s->loop, &(fer_http_options){.rules = rules});
    fer_link_http_spec spec = {.url = fer_str_of(argv[argc - 1])};
    fer_mcp_options options = {.loop = &s->loop,
                               .capabilities = FER_STR("{\"elicitation\":{}}"),
                               .closed = closed,
                               .asked = asked,
                               .withdrawn = withdrawn,
                               .context = s};
    s->client = fer_mcp_client_new(fer_link_http_new(&s->loop, http, &spec), &options);
    talk(s);
    fer_mcp_client_close(s->client);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    fer_mcp_client_free(s->client);
    fer_http_close(http);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
    fer_net_rules_free(rules);
    fer_arena_free(s->arena);
    int code = s->code != FER_OK;
    free(s);
    return code;
}
