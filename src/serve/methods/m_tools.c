/* SPDX-License-Identifier: Apache-2.0 */
/* tools/list and tools/call. */
#include "errors.h"
#include "meta_tools.h"
#include "near.h"
#include "page.h"
#include "relay.h"
#include "tasks.h"
#include "tool_reply.h"

#define TRACEPARENT "traceparent" /* of W3C, in _meta */

/* ---- tools/list ------------------------------------------------------------------------------ */

static bool has_meta(const fer_guest *g)
{
    return g->mode == FER_SERVE_META || g->mode == FER_SERVE_BOTH;
}

/* Where the page starts, from the cursor of the page before. */
static fer_code read_cursor(fer_ask *q, fer_view *v, fer_pager *pager, fer_err *err)
{
    const yyjson_val *cursor = fer_val_get(q->params, "cursor");
    fer_request request = {.what = "tools/list"};
    fer_page page = {.size = 1};
    if (cursor && !fer_is_str(cursor))
        return fer_fail(err, FER_INVALID_PAGE_TOKEN, "params.cursor must be a text");
    if (cursor) page.token = fer_val_str(cursor);
    if (cursor && !page.token.len)
        return fer_fail(err, FER_INVALID_PAGE_TOKEN, "the cursor was not made here");
    return fer_pager_init(pager, fer_ask_arena(q), v, &request, &page, err);
}

/* The tools from `from` on; those before the first exported one are meta tools. */
static fer_code add_tools(fer_ask *q, size_t from, size_t to, fer_buf *b, fer_err *err)
{
    const fer_exports *e = &fer_ask_guest(q)->exports;
    for (size_t i = from; i < to; i++) {
        if (i > from) fer_buf_add_char(b, ',');
        fer_code code = fer_export_write(fer_ask_arena(q), e, &e->list[i], q->version, b, err);
        if (code) return code;
    }
    return FER_OK;
}

static void write_page(fer_ask *q, fer_str tools, fer_str next)
{
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_char(b, '{');
    fer_ask_add_head(q, b, FER_WARE_KINDS);
    fer_buf_add_text(b, "\"tools\":[");
    fer_buf_add(b, tools);
    fer_buf_add_char(b, ']');
    if (next.len) {
        fer_buf_add_text(b, ",\"nextCursor\":");
        fer_buf_add_quoted(b, next);
    }
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

static fer_code make_page(fer_ask *q, fer_str *tools, fer_str *next, fer_err *err)
{
    fer_front *s = fer_ask_front(q);
    fer_arena *a = fer_ask_arena(q);
    fer_guest *g = fer_ask_guest(q);
    bool own = g->mode != FER_SERVE_META;
    fer_pager pager;
    fer_buf b;
    fer_code code = own ? fer_guest_refresh(g, NULL, err) : FER_OK;
    size_t at = 0;
    fer_str server;
    /* What the one server says to who may not list its tools is what there is to be said. */
    if (!code && g->mode == FER_SERVE_TRANSPARENT) code = fer_guest_lacks(g, &at, &server, err);
    if (code) return code;
    fer_view *v = own ? fer_view_ref(g->exports.view) : fer_catalog_view(s->options.catalog);
    size_t count = own ? g->exports.count : 0;
    code = read_cursor(q, v, &pager, err);
    if (!code && pager.offset && pager.offset >= count)
        code = fer_fail(err, FER_INVALID_PAGE_TOKEN, "the cursor was not made here");
    if (!code) {
        size_t rest = count - pager.offset, size = rest < FER_SERVE_PAGE ? rest : FER_SERVE_PAGE;
        fer_buf_init(&b, a, FER_SERVE_MEMORY);
        if (!pager.offset && has_meta(g)) fer_meta_list(&b, q->version, fer_guest_runs_code(g));
        if (size && b.len) fer_buf_add_char(&b, ',');
        code = add_tools(q, pager.offset, pager.offset + size, &b, err);
        if (!code && size < rest) code = fer_pager_token(&pager, a, pager.offset + size, next, err);
        if (!code) code = fer_buf_code(&b, err);
        *tools = fer_buf_view(&b);
    }
    fer_view_unref(v);
    return code;
}

void fer_method_list(fer_ask *q)
{
    fer_err err = {0};
    fer_str tools, next = FER_STR("");
    fer_code code = make_page(q, &tools, &next, &err);
    if (!code) write_page(q, tools, next);
    else
        fer_ask_fail(q, fer_code_info(code)->rpc_code ? fer_code_info(code)->rpc_code : -32603,
                     FER_STR(""), "%s", err.message);
}

/* ---- progress -------------------------------------------------------------------------------- */

static double number_of(const yyjson_val *v)
{
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: return (double)v->uni.u64;
    case FER_TAG_SINT: return (double)v->uni.i64;
    case FER_TAG_REAL: return v->uni.f64;
    default: return 0; /* more digits than a double has: told once */
    }
}

void fer_ask_progress(fer_ask *q, fer_str data)
{
    fer_json *doc;
    fer_buf b;
    fer_arena *a = fer_arena_new(1 << 16);
    if (!a || fer_json_read(a, data, NULL, &doc, NULL)) {
        fer_arena_free(a);
        return;
    }
    const yyjson_val *now = fer_val_get(fer_json_root(doc), "progress");
    double value = fer_is_num(now) ? number_of(now) : 0;
    if (fer_is_num(now) && (!q->told || value > q->progress)) { /* it only ever grows */
        q->told = true;
        q->progress = value;
        fer_buf_init(&b, a, 1 << 15);
        fer_rpc_open(&b, 0, "notifications/progress");
        fer_buf_add_text(&b, "\"progressToken\":");
        fer_buf_add(&b, q->token);
        FER_EACH_MEMBER (fer_json_root(doc), key) {
            fer_buf_add_char(&b, ',');
            fer_buf_add_quoted(&b, fer_val_str(key));
            fer_buf_add_char(&b, ':');
            fer_buf_add(&b, fer_rpc_bytes(doc, key + 1));
        }
        fer_rpc_close(&b);
        if (!b.failure) fer_ask_note(q, fer_buf_view(&b));
    }
    fer_arena_free(a);
}

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    fer_ask *q = context;
    (void)c;
    if (e->kind == FER_STREAM_PROGRESS && q->token.len) fer_ask_progress(q, e->data);
    return true;
}

/* ---- tools/call ------------------------------------------------------------------------------ */

static fer_str meta_text(const fer_ask *q, const char *key)
{
    const yyjson_val *v = fer_val_get(q->meta, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

/* Whether there is more in the params than what every call has. */
static bool has_more(const fer_ask *q)
{
    static const char *const plain[] = {"name", "arguments", "_meta"};
    static const char *const meta[] = {"progressToken",
                                       FER_MCP_META_VERSION,
                                       FER_MCP_META_CLIENT,
                                       FER_MCP_META_CAPABILITIES,
                                       FER_MCP_META_DEADLINE,
                                       FER_MCP_META_IDEMPOTENCY,
                                       TRACEPARENT};
    size_t known = 0, known_meta = 0;
    for (size_t i = 0; i < FER_COUNT(plain); i++) known += fer_val_get(q->params, plain[i]) != NULL;
    for (size_t i = 0; q->meta && i < FER_COUNT(meta); i++)
        known_meta += fer_val_get(q->meta, meta[i]) != NULL;
    return fer_val_len(q->params) > known || (q->meta && fer_val_len(q->meta) > known_meta);
}

/* What goes along with the call to a server, and who is asked what that wants to know. */
static const fer_call_mcp *bring_along(fer_ask *q)
{
    fer_arena *a = fer_ask_arena(q);
    fer_call_mcp *m = fer_arena_alloc_zero(a, 1, sizeof *m);
    if (!m) return NULL;
    m->owner = q;
    m->session = q->peer->session;
    m->takes_input = q->version->modern;
    m->takes_task = fer_ask_takes_task(q);
    m->log_level = q->version->modern ? NULL : fer_log_level_name(q->log_level);
    m->capabilities = fer_ask_abilities(q);
    m->params = has_more(q) ? fer_ask_params(q, NULL, FER_STR("")) : FER_STR("");
    return m->params.ptr ? m : NULL;
}

void fer_ask_call_options(fer_ask *q, fer_call_options *out)
{
    const yyjson_val *deadline = fer_val_get(q->meta, FER_MCP_META_DEADLINE);
    *out = (fer_call_options){.origin = "mcp",
                              .constraint = FER_STR(""),
                              .correlation_id = FER_STR(""),
                              .causation_id = FER_STR(""),
                              .idempotency_key = meta_text(q, FER_MCP_META_IDEMPOTENCY),
                              .traceparent = meta_text(q, TRACEPARENT),
                              .caller = fer_ask_guest(q)->caller,
                              .retry_owner = meta_text(q, FER_MCP_META_RETRY_OWNER),
                              .context = q};
    if (deadline && fer_val_tag(deadline) == FER_TAG_UINT && deadline->uni.u64 > 0 &&
        deadline->uni.u64 <= FER_CALL_DEADLINE_MAX)
        out->deadline_ms = (int64_t)deadline->uni.u64;
    if (q->token.len || fer_ask_may_be_asked(q)) out->on_event = on_event;
    out->mcp = bring_along(q);
    if (fer_val_get(q->params, "inputResponses") || fer_val_get(q->params, "requestState"))
        out->no_cache = true; /* it is a part of a call that has begun */
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    fer_ask *q = context;
    (void)c;
    fer_ask_log(q, e);
    if (!e->error.code) fer_guest_used(q, e->tool_id);
    fer_reply_envelope(q, e);
}

static void stop_call(fer_ask *q)
{
    if (q->call) fer_call_cancel(q->call);
}

static void call_export(fer_ask *q, const fer_export *x, fer_str args)
{
    fer_front *s = fer_ask_front(q);
    fer_call_options o;
    fer_err err = {0};
    if (x->mirrors && q->version->modern && q->talk->hints.http) {
        fer_str definition;
        fer_view *v = fer_ask_guest(q)->exports.view;
        if (!fer_view_definition(fer_ask_arena(q), v, x->key, &definition, &err) &&
            !fer_ask_check_params(q, definition, args))
            return;
    }
    fer_ask_call_options(q, &o);
    q->stop = stop_call;
    fer_code code =
        fer_gateway_call(s->options.gateway, x->id, args, &o, on_done, q, &q->call, &err);
    if (code) fer_reply_err(q, &err, "resolve", x->id);
}

/* The tool that a name stands for where everything may be used, for the ledger: the caller is not
 * told. `_unknown`: there is none, and the name may be anything. */
static fer_str meant(fer_ask *q, fer_str name)
{
    fer_front *s = fer_ask_front(q);
    fer_str id = FER_STR("_unknown");
    if (!fer_sight_is_narrow(&fer_ask_guest(q)->sight)) return id;
    if (fer_ask_guest(q)->mode != FER_SERVE_META && !fer_guest_refresh(s->host, NULL, NULL)) {
        const fer_export *x = fer_exports_find(&s->host->exports, name);
        if (x) return x->id;
    }
    fer_view *v = fer_catalog_view(s->options.catalog);
    if (fer_view_resolve(fer_ask_arena(q), v, name, FER_STR(""), &id, NULL))
        id = FER_STR("_unknown");
    fer_view_unref(v);
    return id;
}

static void refuse_name(fer_ask *q, fer_str name)
{
    const fer_guest *g = fer_ask_guest(q);
    fer_near near;
    size_t at = 0;
    fer_str server;
    fer_err err;
    bool lacks = g->mode != FER_SERVE_META && fer_guest_lacks(g, &at, &server, &err);
    fer_ask_note_denied(q, meant(q, name));
    fer_near_init(&near, name);
    if (has_meta(g)) fer_meta_near(g, &near);
    for (size_t i = 0; g->mode != FER_SERVE_META && i < g->exports.count; i++)
        fer_near_try(&near, g->exports.list[i].name);
    at = 0;
    if (!lacks && !near.best.ptr && g->mode != FER_SERVE_META)
        lacks = fer_guest_misses(g, &at, &server, &err);
    if (lacks)
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "there is no tool %.*s; %s",
                     FER_PRI(fer_str_head(name, 128)), err.message);
    else if (near.best.ptr)
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "there is no tool %.*s; did you mean %.*s?", FER_PRI(fer_str_head(name, 128)),
                     FER_PRI(near.best));
    else
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "there is no tool %.*s%s",
                     FER_PRI(fer_str_head(name, 128)),
                     has_meta(g) ? "; search_tools finds tools, run_tool runs them" : "");
}

void fer_method_call(fer_ask *q)
{
    fer_guest *g = fer_ask_guest(q);
    const yyjson_val *name = fer_val_get(q->params, "name");
    const yyjson_val *args = fer_val_get(q->params, "arguments");
    fer_err err = {0};
    if (!fer_is_str(name)) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "params.name must be a text");
        return;
    }
    if (args && !fer_is_obj(args)) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "params.arguments must be an object");
        return;
    }
    if (has_meta(g) && fer_meta_offers(g, fer_val_str(name))) {
        fer_meta_run(q, fer_val_str(name), args);
        return;
    }
    fer_code code = g->mode == FER_SERVE_META ? FER_OK : fer_guest_refresh(g, NULL, &err);
    const fer_export *x = fer_exports_find(&g->exports, fer_val_str(name));
    if (code) fer_reply_err(q, &err, "resolve", fer_val_str(name));
    else if (x) call_export(q, x, args ? fer_rpc_bytes(q->doc, args) : FER_STR("{}"));
    else refuse_name(q, fer_val_str(name));
}
