/* SPDX-License-Identifier: Apache-2.0 */
/* Calling a tool: what is sent, what it says on the way, how it ends. */
#include <inttypes.h>

#include "clock.h"
#include "errors.h"
#include "mcp_mirror.h"
#include "mcp_parts.h"

#define MS INT64_C(1000000)

static fer_mcp_call *call_of(fer_mcp_request *r)
{
    return (fer_mcp_call *)r;
}

static void add_raw(fer_buf *b, size_t start, const char *key, fer_str json)
{
    if (!json.len) return;
    if (b->len > start) fer_buf_add_char(b, ',');
    fer_buf_printf(b, "\"%s\":", key);
    fer_buf_add(b, json);
}

/* Whether a member of the params is written as it came: not what is said by the call itself. */
static bool goes_along(const fer_mcp_call *k, fer_str key)
{
    if (fer_str_is(key, "_meta")) return false;
    if (fer_str_is(key, "inputResponses")) return k->takes_input;
    if (fer_str_is(key, "requestState")) return k->takes_input;
    return k->method || (!fer_str_is(key, "name") && !fer_str_is(key, "arguments"));
}

static void add_params(fer_buf *b, size_t start, const fer_mcp_call *k)
{
    const fer_json *doc = k->params_doc;
    FER_EACH_MEMBER (fer_json_root(doc), key) {
        if (!goes_along(k, fer_val_str(key))) continue;
        if (b->len > start) fer_buf_add_char(b, ',');
        fer_buf_add(b, fer_rpc_bytes(doc, key));
        fer_buf_add_char(b, ':');
        fer_buf_add(b, fer_rpc_bytes(doc, key + 1));
    }
}

/* An older server's tool that is called as a task only, for a client of 2026-07-28, which does not
 * say so itself. */
static bool must_be_task(const fer_mcp_call *k)
{
    fer_json *doc;
    if (!k->takes_task || k->method || fer_mcp_is_modern(k->request.client) ||
        (k->params_doc && fer_val_get(fer_json_root(k->params_doc), "task")) ||
        fer_json_read(k->arena, k->definition, NULL, &doc, NULL))
        return false;
    const yyjson_val *execution = fer_val_get(fer_json_root(doc), "execution");
    const yyjson_val *how = fer_is_obj(execution) ? fer_val_get(execution, "taskSupport") : NULL;
    return fer_is_str(how) && fer_str_is(fer_val_str(how), "required");
}

static void call_write(fer_mcp_request *r, fer_buf *b)
{
    fer_mcp_call *k = call_of(r);
    size_t start = b->len;
    k->refusals = r->client->refusals;
    if (!k->method) {
        fer_buf_add_text(b, "\"name\":");
        fer_buf_add_quoted(b, k->tool);
        add_raw(b, start, "arguments", k->args);
    }
    if (k->params_doc) add_params(b, start, k);
    if (must_be_task(k)) add_raw(b, start, "task", FER_STR("{}"));
    add_raw(b, start, "inputResponses", k->input_responses);
    add_raw(b, start, "requestState", k->request_state);
    fer_mcp_add_meta(r->client, b, k);
}

/* What a request is about, by its method (2026-07-28, Mcp-Name). */
static fer_str name_of(const fer_mcp_call *k)
{
    static const struct {
        const char *method, *member;
    } rows[] = {{"prompts/get", "name"}, {"resources/read", "uri"},  {"tools/call", "name"},
                {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"}};
    if (!k->method) return k->tool;
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (strcmp(k->method, rows[i].method) != 0 || !k->params_doc) continue;
        const yyjson_val *v = fer_val_get(fer_json_root(k->params_doc), rows[i].member);
        return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
    }
    return FER_STR_NONE;
}

static void call_describe(const fer_mcp_request *r, fer_arena *a, fer_mcp_out *m)
{
    const fer_mcp_call *k = (const fer_mcp_call *)r;
    fer_mcp_mirrored *mirrored = NULL;
    if (k->method) m->method = fer_str_of(k->method);
    m->name = name_of(k);
    /* Where the caller may be asked something, its time stands still meanwhile: whoever keeps it
     * gives the call up. */
    if (k->capabilities.len <= sizeof "{}" - 1) m->deadline = k->deadline;
    bool headers = r->client->link->kind->streams && fer_mcp_is_modern(r->client);
    if (!headers || k->method || !fer_mcp_mirror_may(k->definition)) return;
    if (!fer_mcp_mirror(a, k->definition, k->args, &mirrored, &m->mirrored_count, NULL))
        m->mirrored = mirrored; /* without them the server refuses the call */
}

/* ---- on the way
 * -------------------------------------------------------------------------------------- */

/*
 * The first few news are told at once, and then the newest of each 50 ms: a million of them are
 * told as twenty a second. None is told twice, and the last before the end is told.
 */
static void tell(fer_mcp_call *k, int64_t now)
{
    k->has_news = false;
    if (k->told < FER_MCP_PROGRESS_RUN) k->told++;
    k->told_at = now;
    k->on_progress(k, (fer_str){k->news, k->news_len});
}

void fer_mcp_flush_fired(uv_timer_t *t)
{
    fer_mcp_client *c = t->data;
    int64_t now = fer_clock_mono();
    while (c->news) { /* who is told may give up any call */
        fer_mcp_call *k = c->news;
        c->news = k->next_news;
        if (k->has_news) tell(k, now);
    }
}

static void forget_news(fer_mcp_client *c, fer_mcp_call *k)
{
    for (fer_mcp_call **at = &c->news; *at; at = &(*at)->next_news)
        if (*at == k) {
            *at = k->next_news;
            break;
        }
    k->has_news = false;
}

static bool write_news(fer_mcp_call *k, const fer_rpc *m)
{
    fer_buf b;
    if (!k->news) k->news = fer_arena_alloc(k->arena, FER_MCP_PROGRESS_MAX);
    if (!k->news || !fer_is_num(fer_val_get(m->params, "progress"))) return false;
    fer_buf_init_fixed(&b, k->news, FER_MCP_PROGRESS_MAX);
    fer_buf_add_char(&b, '{');
    FER_EACH_MEMBER (m->params, key) {
        if (fer_str_is(fer_val_str(key), "progressToken")) continue;
        if (b.len > 1) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, fer_rpc_bytes(m->doc, key));
        fer_buf_add_char(&b, ':');
        fer_buf_add(&b, fer_rpc_bytes(m->doc, key + 1));
    }
    fer_buf_add_char(&b, '}');
    k->news_len = b.len;
    return !b.failure;
}

void fer_mcp_progress(fer_mcp_request *r, const fer_rpc *m)
{
    fer_mcp_call *k = call_of(r);
    fer_mcp_client *c = r->client;
    int64_t now = fer_clock_mono();
    if (!k->on_progress) return;
    bool waits = k->has_news;
    k->has_news = write_news(k, m);
    if (!k->has_news) {
        c->info.noise++;
        if (waits) forget_news(c, k);
    } else if (k->told < FER_MCP_PROGRESS_RUN || now - k->told_at >= FER_MCP_PROGRESS_MS * MS) {
        if (waits) forget_news(c, k);
        tell(k, now);
    } else if (!waits) {
        k->next_news = c->news;
        c->news = k;
        if (!uv_is_active((uv_handle_t *)&c->flush))
            uv_timer_start(&c->flush, fer_mcp_flush_fired, FER_MCP_PROGRESS_MS, 0);
    }
}

/* ---- the end
 * ------------------------------------------------------------------------------------------ */

void fer_mcp_call_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_mcp_questions_forget(k->request.client, k);
    if (k->has_news) {
        forget_news(k->request.client, k);
        tell(k, fer_clock_mono());
    }
    k->on_end(k, o);
}

static void call_failed(fer_mcp_request *r, const fer_mcp_failure *f)
{
    fer_mcp_call *k = call_of(r);
    fer_mcp_outcome o = {.code = f->code,
                         .sent = f->sent,
                         .refused = f->refused,
                         .retry_after_ms = f->retry_after_ms};
    o.message = fer_arena_copy(k->arena, fer_str_of(f->message));
    fer_mcp_call_end(k, &o);
}

/* A server that was refused what it asked for while it ran a call often ends that with the same
 * error, which then does not say that it knows no such method. */
static bool is_unknown(const fer_mcp_call *k, const fer_rpc *m)
{
    return m->error_code == FER_RPC_METHOD_NOT_FOUND && k->refusals == k->request.client->refusals;
}

/* An error of the protocol: the server would not, or could not, run it. */
static void call_refused(fer_mcp_call *k, const fer_rpc *m)
{
    const yyjson_val *data = fer_val_get(m->error, "data");
    fer_mcp_outcome o = {.code = FER_TOOL_FAILED, .sent = true, .definite = true};
    char message[FER_ERR_TEXT];
    fer_buf b;
    fer_buf_init(&b, k->arena, SIZE_MAX);
    fer_buf_printf(&b, "{\"rpcCode\":%" PRId64, m->error_code);
    if (data) {
        fer_buf_add_text(&b, ",\"data\":");
        fer_buf_add(&b, fer_rpc_bytes(m->doc, data));
    }
    fer_buf_add_char(&b, '}');
    o.details = b.failure ? FER_STR_NONE : fer_buf_view(&b);
    o.error = fer_arena_copy(k->arena, fer_rpc_bytes(m->doc, m->error));
    fer_mcp_clean(k->request.client, m->error_message, false, message, sizeof message);
    o.message = fer_arena_copy(k->arena, fer_str_of(message));
    if (is_unknown(k, m)) o.code = FER_BACKEND_UNAVAILABLE;
    if (m->error_code == FER_MCP_HEADER_MISMATCH) { /* the tool is another one by now */
        o.code = FER_BACKEND_UNAVAILABLE;
        o.definite = false;
        o.refused = true;
        fer_mcp_tools_changed(k->request.client);
        if (fer_mcp_relist_begin(k->request.client, k, &o)) return;
    }
    fer_mcp_call_end(k, &o);
}

/* ---- an answer to a call that was given up
 * ------------------------------------------------------------------------------------------ */

static void remember(fer_mcp_client *c, uint64_t id, uint64_t ticket)
{
    if (!ticket || !c->options.late) return;
    c->dropped[c->dropped_next % FER_MCP_DROPPED_MAX].id = id;
    c->dropped[c->dropped_next++ % FER_MCP_DROPPED_MAX].ticket = ticket;
}

static fer_code late_code(fer_mcp_client *c, const fer_rpc *m, fer_str result)
{
    fer_mcp_result r = {0};
    if (m->kind == FER_RPC_ERROR) return FER_TOOL_FAILED;
    fer_code code = fer_mcp_result_read(c->in, result, fer_mcp_is_modern(c), &r, NULL);
    return code ? code : r.verdict == FER_MCP_DONE ? FER_OK : FER_TOOL_FAILED;
}

void fer_mcp_late_answer(fer_mcp_client *c, uint64_t id, const fer_rpc *m)
{
    for (size_t i = 0; i < FER_MCP_DROPPED_MAX; i++) {
        if (!c->dropped[i].ticket || c->dropped[i].id != id) continue;
        uint64_t ticket = c->dropped[i].ticket;
        c->dropped[i].ticket = 0;
        fer_str bytes = fer_rpc_bytes(m->doc, m->kind == FER_RPC_ERROR ? m->error : m->result);
        c->options.late(c->options.context, ticket, late_code(c, m, bytes), bytes);
        return;
    }
}

/* ---- results
 * ------------------------------------------------------------------------------------------ */

static void take_result(fer_mcp_call *k, const fer_rpc *m, fer_mcp_outcome *o)
{
    fer_err err = {0};
    o->json = fer_arena_copy(k->arena, fer_rpc_bytes(m->doc, m->result));
    o->code = o->json.ptr
                  ? fer_mcp_result_read(k->arena, o->json, fer_mcp_is_modern(k->request.client),
                                        &o->result, &err)
                  : fer_arena_failed(k->arena, &err);
    if (o->code) {
        o->message = fer_arena_copy(k->arena, fer_str_of(err.message));
        return;
    }
    o->message = o->result.message;
    o->details = o->result.details;
    o->asks_input = o->result.verdict == FER_MCP_ASKS_INPUT;
    o->began = o->result.verdict == FER_MCP_BEGAN && k->takes_task;
    if (o->result.verdict == FER_MCP_BEGAN && !o->began) {
        o->code = FER_INVALID_OUTPUT; /* nobody has said that it can be told of one */
        return;
    }
    if (o->result.verdict != FER_MCP_DONE) o->code = FER_TOOL_FAILED;
}

/* The result of another request: what it holds is the caller's to read. */
static void take_other(fer_mcp_call *k, const fer_rpc *m, fer_mcp_outcome *o)
{
    bool modern = fer_mcp_is_modern(k->request.client);
    const yyjson_val *type = modern ? fer_val_get(m->result, "resultType") : NULL;
    fer_str name = type && fer_is_str(type) ? fer_val_str(type) : FER_STR_NONE;
    if (fer_str_is(name, "input_required")) {
        take_result(k, m, o);
        return;
    }
    o->json = fer_arena_copy(k->arena, fer_rpc_bytes(m->doc, m->result));
    if (!o->json.ptr) o->code = fer_arena_code(k->arena);
    else if (!fer_is_obj(m->result) || (type && !fer_str_is(name, "complete")))
        o->code = FER_INVALID_OUTPUT;
    if (o->code) o->message = FER_STR("the result is of no type that is known (resultType)");
}

static void call_answered(fer_mcp_request *r, const fer_rpc *m)
{
    fer_mcp_call *k = call_of(r);
    fer_mcp_outcome o = {.sent = true, .definite = true};
    if (m->kind == FER_RPC_ERROR) {
        call_refused(k, m);
        return;
    }
    if (k->method) take_other(k, m, &o);
    else take_result(k, m, &o);
    if (o.asks_input && !k->takes_input && fer_mcp_round_begin(r->client, k, o.result.doc, &o))
        return;
    fer_mcp_call_end(k, &o);
}

const fer_mcp_request_kind fer_mcp_call_kind = {.method = "tools/call",
                                                .write = call_write,
                                                .describe = call_describe,
                                                .answered = call_answered,
                                                .failed = call_failed};

static bool is_method(const char *name)
{
    size_t len =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_.$-");
    return len && !name[len];
}

/* A method is a name such as "resources/read", and params are an object. */
static fer_code read_params(fer_mcp_call *k, fer_err *err)
{
    fer_json *doc;
    if (k->method && !is_method(k->method))
        return fer_fail(err, FER_BAD_USAGE, "no method has such a name");
    if (!k->params.len) return FER_OK;
    fer_code code = fer_json_read(k->arena, k->params, NULL, &doc, err);
    if (code) return code;
    k->params_doc = doc;
    return fer_is_obj(fer_json_root(doc))
               ? FER_OK
               : fer_fail(err, FER_BAD_USAGE, "the params of a request are no object");
}

void fer_mcp_client_call(fer_mcp_client *c, fer_mcp_call *k)
{
    fer_err err = {0};
    k->request = (fer_mcp_request){.client = c};
    k->news = NULL;
    k->next_news = NULL;
    k->told_at = 0;
    k->told = 0;
    k->has_news = false;
    k->params_doc = NULL;
    k->round = NULL;
    k->rounds = 0;
    k->relist = NULL;
    k->relisted = false;
    if (read_params(k, &err)) {
        fer_mcp_outcome o = {.code = err.code};
        o.message = fer_arena_copy(k->arena, fer_str_of(err.message));
        k->on_end(k, &o);
        return;
    }
    fer_mcp_submit(c, &k->request, &fer_mcp_call_kind);
}

/* Closing the stream is the cancellation where each request has one, from 2026-07-28 on. */
void fer_mcp_tell_cancelled(fer_mcp_client *c, uint64_t id, const char *reason)
{
    if (!fer_mcp_is_modern(c) || !c->link->kind->streams) {
        fer_buf b = fer_mcp_writing(c);
        fer_rpc_open(&b, 0, "notifications/cancelled");
        fer_buf_printf(&b, "\"requestId\":%" PRIu64 ",\"reason\":", id);
        fer_buf_add_quoted(&b, fer_str_of(reason));
        fer_rpc_close(&b);
        fer_mcp_post(c, &b, "notifications/cancelled");
    }
    if (c->link->kind->abandon) c->link->kind->abandon(c->link, id);
}

bool fer_mcp_call_sent(const fer_mcp_call *k)
{
    const fer_mcp_request *r = &k->request;
    const fer_mcp_link *l = r->client->link;
    return r->sent && (!l->kind->sent || l->kind->sent(l, r->id));
}

void fer_mcp_call_pause(fer_mcp_call *k, bool paused)
{
    const fer_mcp_request *r = &k->request;
    fer_mcp_link *l = r->client->link;
    if (r->kind && r->id && l->kind->pause) l->kind->pause(l, r->id, paused);
}

void fer_mcp_call_drop(fer_mcp_call *k, const char *reason)
{
    fer_mcp_request *r = &k->request;
    fer_mcp_client *c = r->client;
    fer_mcp_round_drop(k);
    fer_mcp_relist_drop(k);
    if (!r->kind) return;
    uint64_t id = r->id;
    fer_mcp_take_off(r);
    r->kind = NULL;
    fer_mcp_questions_forget(c, k);
    forget_news(c, k);
    if (!id || !c->link_open) return;
    remember(c, id, k->ticket);
    fer_mcp_tell_cancelled(c, id, reason);
}
