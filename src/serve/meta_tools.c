/* SPDX-License-Identifier: Apache-2.0 */
#include "meta_tools.h"

#include "cut.h"
#include "errors.h"
#include "tool_reply.h"

/* ---- the table ------------------------------------------------------------------------------- */

#define TEXT   "{\"type\":\"string\"}"
#define CLOSED "\"additionalProperties\":false}"
#define OBJECT "{\"type\":\"object\",\"properties\":{"
#define PAGE   "\"pageSize\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100},\"pageToken\":" TEXT
/* What comes out is named, and no more: each word of it costs every client. */
#define GIVES "{\"type\":\"object\",\"properties\":{"
#define NEXT  ",\"nextToken\":{}"
#define REST  "\"result\":{},\"handle\":{},\"cut\":{}"

const fer_meta_tool fer_meta_tools[] = {
    {"search_tools", "Find tools by what they do. Gives their IDs.",
     OBJECT "\"query\":" TEXT ",\"namespace\":" TEXT "," PAGE "},\"required\":[\"query\"]," CLOSED,
     GIVES "\"tools\":{}" NEXT ",\"hint\":{}}," CLOSED, true, fer_meta_search},
    {"list_tools", "List tools, all or those of a namespace.",
     OBJECT "\"namespace\":" TEXT "," PAGE "}," CLOSED, GIVES "\"tools\":{}" NEXT "}," CLOSED, true,
     fer_meta_list_tools},
    {"list_namespaces", "List namespaces and how many tools each has.", OBJECT PAGE "}," CLOSED,
     GIVES "\"namespaces\":{}" NEXT "}," CLOSED, true, fer_meta_list_namespaces},
    {"describe_tool", "Show a tool: its schemas, or all of it, or TypeScript types.",
     OBJECT "\"id\":" TEXT ",\"level\":{\"enum\":[\"summary\",\"schema\",\"full\",\"types\"]}},"
            "\"required\":[\"id\"]," CLOSED,
     GIVES "\"id\":{}," REST "}," CLOSED, true, fer_meta_describe},
    {"list_tool_examples", "Show example arguments of a tool.",
     OBJECT "\"id\":" TEXT ",\"max\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10}},"
            "\"required\":[\"id\"]," CLOSED,
     GIVES "\"examples\":{}}," CLOSED, true, fer_meta_examples},
    {"run_tool",
     "Run a tool by ID. A large result is cut: call again with its handle, and at (JSON Pointer) "
     "and from of what to read next.",
     OBJECT "\"id\":" TEXT ",\"args\":{\"type\":\"object\"},\"handle\":" TEXT ",\"at\":" TEXT
            ",\"from\":{\"type\":\"integer\",\"minimum\":0}}," CLOSED,
     GIVES REST "}," CLOSED, false, fer_meta_run_tool},
    {"run_chain",
     "Run tools in order. A step is {toolId, args, id?, use?}; use puts earlier results into args: "
     "{\"/arg\": \"STEP_ID#/pointer\"}, or input#/pointer.",
     OBJECT "\"steps\":{\"type\":\"array\"},\"input\":{}},"
            "\"required\":[\"steps\"]," CLOSED,
     GIVES REST ",\"steps\":{}}," CLOSED, false, fer_meta_run_chain},
    {"execute_code",
     "Run JavaScript: await tools.NAMESPACE.NAME(args). The last expression is its value.",
     OBJECT "\"code\":" TEXT ",\"runtime\":" TEXT ",\"limits\":{\"type\":\"object\"},\"store\":{"
            "\"type\":\"boolean\"}},\"required\":[\"code\"]," CLOSED,
     GIVES "\"value\":{},\"stdout\":{},\"stderr\":{},\"toolCalls\":{},\"durationMs\":{},"
           "\"backend\":{},\"limitsEnforced\":{},\"handle\":{},\"cut\":{}}," CLOSED,
     false, fer_meta_execute, .code = true},
};
const size_t fer_meta_tool_count = FER_COUNT(fer_meta_tools);

fer_str fer_meta_instructions(fer_serve_mode mode)
{
    if (mode != FER_SERVE_META && mode != FER_SERVE_BOTH) return FER_STR("");
    return FER_STR("There are more tools: find them with search_tools, run them with run_tool.");
}

/* ---- definitions ------------------------------------------------------------------------------
 */

static void add_definition(fer_buf *b, const fer_meta_tool *t, const fer_mcp_version *v)
{
    fer_buf_printf(b, "{\"name\":\"%s\",\"description\":", t->name);
    fer_buf_add_quoted(b, fer_str_of(t->description));
    fer_buf_add_text(b, ",\"inputSchema\":");
    fer_buf_add_text(b, t->input);
    if (strcmp(v->name, "2025-06-18") >= 0) {
        fer_buf_add_text(b, ",\"outputSchema\":");
        fer_buf_add_text(b, t->output);
    }
    if (t->reads_only && strcmp(v->name, "2025-03-26") >= 0)
        fer_buf_add_text(b, ",\"annotations\":{\"readOnlyHint\":true}");
    fer_buf_add_char(b, '}');
}

size_t fer_meta_list(fer_buf *b, const fer_mcp_version *v, bool code)
{
    size_t count = 0;
    for (size_t i = 0; i < fer_meta_tool_count; i++) {
        if (fer_meta_tools[i].code && !code) continue;
        if (count++) fer_buf_add_char(b, ',');
        add_definition(b, &fer_meta_tools[i], v);
    }
    return count;
}

static size_t number_of(fer_str name)
{
    size_t i = 0;
    while (i < fer_meta_tool_count && !fer_str_is(name, fer_meta_tools[i].name)) i++;
    return i;
}

bool fer_meta_has(fer_str name)
{
    return number_of(name) < fer_meta_tool_count;
}

bool fer_meta_offers(const fer_guest *g, fer_str name)
{
    size_t i = number_of(name);
    return i < fer_meta_tool_count && (!fer_meta_tools[i].code || fer_guest_runs_code(g));
}

void fer_meta_near(const fer_guest *g, fer_near *near)
{
    bool code = fer_guest_runs_code(g);
    for (size_t i = 0; i < fer_meta_tool_count; i++)
        if (!fer_meta_tools[i].code || code) fer_near_try(near, fer_str_of(fer_meta_tools[i].name));
}

/* ---- schemas --------------------------------------------------------------------------------- */

struct fer_meta {
    fer_schema *inputs[FER_COUNT(fer_meta_tools)];
};

fer_code fer_meta_new(fer_arena *a, fer_meta **out, fer_err *err)
{
    fer_meta *m = fer_arena_alloc_zero(a, 1, sizeof *m);
    fer_code code = m ? FER_OK : fer_arena_failed(a, err);
    for (size_t i = 0; !code && i < fer_meta_tool_count; i++)
        code = fer_schema_compile(fer_str_of(fer_meta_tools[i].input), NULL, &m->inputs[i], err);
    *out = m;
    return code;
}

void fer_meta_free(fer_meta *m)
{
    for (size_t i = 0; m && i < fer_meta_tool_count; i++) fer_schema_unref(m->inputs[i]);
}

/* ---- running --------------------------------------------------------------------------------- */

/* What is wrong with the arguments, in the words of the engine. */
static void refuse_args(fer_ask *q, const fer_result *r, const char *tool)
{
    size_t count;
    const fer_violation *list = fer_result_violations(r, &count);
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), FER_ERR_TEXT - 1);
    for (size_t i = 0; i < count && !b.failure; i++) {
        if (i) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, list[i].message);
        if (list[i].hint.len) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, list[i].hint);
    }
    fer_call_error e = {.code = count ? list[0].code : FER_INTERNAL,
                        .message = fer_buf_view(&b),
                        .details = FER_STR(""),
                        .op = "validate_input",
                        .caused_by = FER_STR("")};
    fer_reply_error(q, &e, fer_str_of(tool));
}

void fer_meta_run(fer_ask *q, fer_str name, const yyjson_val *args)
{
    size_t at = number_of(name);
    const fer_meta_tool *t = &fer_meta_tools[at];
    fer_arena *a = fer_ask_arena(q);
    const fer_json *doc = q->doc;
    fer_result *r = NULL;
    fer_err err = {0};
    fer_code code = FER_OK;
    if (!args) {
        fer_json *none;
        code = fer_json_read(a, FER_STR("{}"), NULL, &none, &err);
        doc = none;
        args = code ? NULL : fer_json_root(none);
    }
    if (!code)
        code =
            fer_schema_validate(a, fer_ask_front(q)->meta->inputs[at], doc, args, NULL, &r, &err);
    if (code) fer_reply_err(q, &err, "validate_input", name);
    else if (!fer_result_valid(r)) refuse_args(q, r, t->name);
    else t->run(q, doc, args);
}

/* ---- for the tools ----------------------------------------------------------------------------
 */

fer_str fer_meta_text(const yyjson_val *args, const char *key)
{
    const yyjson_val *v = fer_val_get(args, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

/* The schema lets 1.0 pass as an integer, and numbers past 64 bits: these are not numbers here. */
size_t fer_meta_number(const yyjson_val *args, const char *key, size_t otherwise)
{
    const yyjson_val *v = fer_val_get(args, key);
    if (!v) return otherwise;
    if (fer_val_tag(v) == FER_TAG_UINT) return (size_t)v->uni.u64;
    if (fer_val_tag(v) == FER_TAG_REAL && v->uni.f64 >= 0 && v->uni.f64 < 1e15)
        return (size_t)v->uni.f64;
    return SIZE_MAX;
}

void fer_meta_page(const yyjson_val *args, size_t size, fer_page *out)
{
    out->size = fer_meta_number(args, "pageSize", size);
    out->token = fer_meta_text(args, "pageToken");
}

void fer_meta_add_next(fer_buf *b, fer_str next)
{
    if (!next.len) return;
    fer_buf_add_text(b, ",\"nextToken\":");
    fer_buf_add_quoted(b, next);
}

void fer_meta_add_brief(fer_buf *b, const fer_summary *s)
{
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add_quoted(b, s->id);
    if (s->summary.len) {
        fer_buf_add_text(b, ",\"summary\":");
        fer_buf_add_quoted(b, s->summary);
    }
    fer_buf_add_char(b, '}');
}

void fer_meta_reply(fer_ask *q, const fer_buf *b)
{
    fer_err err = {0};
    if (fer_buf_code(b, &err)) fer_reply_err(q, &err, "execute", FER_STR(""));
    else fer_reply_value(q, fer_buf_view(b), FER_STR(""));
}

/* ---- large results ----------------------------------------------------------------------------
 */

static void add_cuts(fer_buf *b, const fer_cuts *cuts)
{
    fer_buf_add_text(b, ",\"cut\":[");
    for (size_t i = 0; i < cuts->count; i++) {
        const fer_cut *c = &cuts->list[i];
        fer_buf_add_text(b, i ? ",{\"at\":" : "{\"at\":");
        fer_buf_add_quoted(b, c->at);
        fer_buf_printf(b, ",\"from\":%zu,\"shown\":%zu,\"of\":%zu}", c->from, c->shown, c->of);
    }
    if (cuts->more) fer_buf_printf(b, ",{\"more\":%zu}", cuts->more);
    fer_buf_add_char(b, ']');
}

/* The members that say what was left out of a value, and how to ask for it. */
static void add_rest(fer_ask *q, fer_buf *b, fer_str json, const fer_cuts *cuts, fer_str handle)
{
    char made[FER_KEPT_HANDLE];
    add_cuts(b, cuts);
    if (!handle.len && fer_rest_put(&fer_ask_front(q)->kept, fer_ask_guest(q), json, made))
        handle = fer_str_of(made);
    if (!handle.len) return;
    fer_buf_add_text(b, ",\"handle\":");
    fer_buf_add_quoted(b, handle);
}

fer_code fer_meta_add_whole(fer_ask *q, fer_buf *b, fer_str json, fer_err *err)
{
    fer_front *s = fer_ask_front(q);
    fer_arena *a = fer_ask_arena(q);
    fer_cuts cuts = {.count = 0};
    fer_json *doc;
    if (json.len <= s->options.limits.result) {
        fer_buf_add(b, json);
        return FER_OK;
    }
    fer_code code = fer_json_read(a, json, fer_json_limits_file(), &doc, err);
    if (!code)
        code = fer_cut_write(a, doc, fer_json_root(doc), FER_STR(""), 0, s->options.limits.result,
                             b, &cuts, err);
    if (code || b->failure || !cuts.count) return code;
    b->len--; /* its last brace */
    add_rest(q, b, json, &cuts, FER_STR(""));
    fer_buf_add_char(b, '}');
    return FER_OK;
}

fer_code fer_meta_add_result(fer_ask *q, fer_buf *b, fer_str json, fer_str at, size_t from,
                             fer_str handle, fer_err *err)
{
    fer_front *s = fer_ask_front(q);
    fer_arena *a = fer_ask_arena(q);
    fer_cuts cuts = {.count = 0};
    fer_json *doc;
    fer_buf_add_text(b, "\"result\":");
    if (json.len <= s->options.limits.result && !at.len && !from) {
        fer_buf_add(b, json);
        return FER_OK;
    }
    fer_code code = fer_json_read(a, json, fer_json_limits_file(), &doc, err);
    const yyjson_val *v = code ? NULL : fer_json_at(fer_json_root(doc), at, err);
    if (!v) return code ? code : FER_INVALID_POINTER;
    code = fer_cut_write(a, doc, v, at, from, s->options.limits.result, b, &cuts, err);
    if (!code && (cuts.count || handle.len)) add_rest(q, b, json, &cuts, handle);
    return code;
}
