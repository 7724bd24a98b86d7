/* SPDX-License-Identifier: Apache-2.0 */
/* Calling a tool: what is sent, what it says on the way, how it ends. */
#include <inttypes.h>

#include "clock.h"
#include "errors.h"
#include "mcp_parts.h"

#define MS INT64_C(1000000)

static fer_mcp_call *call_of(fer_mcp_request *r)
{
    return (fer_mcp_call *)r;
}

static void call_write(fer_mcp_request *r, fer_buf *b)
{
    const fer_mcp_call *k = call_of(r);
    fer_buf_add_text(b, "\"name\":");
    fer_buf_add_quoted(b, k->tool);
    fer_buf_add_text(b, ",\"arguments\":");
    fer_buf_add(b, k->args);
    if (k->input_responses.len) {
        fer_buf_add_text(b, ",\"inputResponses\":");
        fer_buf_add(b, k->input_responses);
    }
    if (k->request_state.len) {
        fer_buf_add_text(b, ",\"requestState\":");
        fer_buf_add(b, k->request_state);
    }
    fer_mcp_add_meta(r->client, b, k);
}

static void call_describe(const fer_mcp_request *r, fer_mcp_out *m)
{
    const fer_mcp_call *k = (const fer_mcp_call *)r;
    m->tool = k->tool;
    m->deadline = k->deadline;
}

/* ---- on the way
 * -------------------------------------------------------------------------------------- */

/*
 * The first news are told at once, and then the newest of each 50 ms: a million of them are told as
 * twenty a second. None is told twice, and the last before the end is told.
 */
static void tell(fer_mcp_call *k, int64_t now)
{
    k->has_news = false;
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
    static const char *const members[] = {"progress", "total", "message"};
    fer_buf b;
    if (!k->news) k->news = fer_arena_alloc(k->arena, FER_MCP_PROGRESS_MAX);
    if (!k->news || !fer_is_num(fer_val_get(m->params, "progress"))) return false;
    fer_buf_init_fixed(&b, k->news, FER_MCP_PROGRESS_MAX);
    for (size_t i = 0; i < FER_COUNT(members); i++) {
        const yyjson_val *v = fer_val_get(m->params, members[i]);
        if (!v) continue;
        fer_buf_printf(&b, "%c\"%s\":", i ? ',' : '{', members[i]);
        fer_buf_add(&b, fer_rpc_bytes(m->doc, v));
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
    } else if (!k->told_at || now - k->told_at >= FER_MCP_PROGRESS_MS * MS) {
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

static void end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
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
    end(k, &o);
}

/* An error of the protocol: the server would not, or could not, run it. */
static void call_refused(fer_mcp_call *k, const fer_rpc *m)
{
    const yyjson_val *data = fer_val_get(m->error, "data");
    fer_mcp_outcome o = {.code = FER_TOOL_FAILED, .sent = true, .definite = true};
    fer_buf b;
    fer_buf_init(&b, k->arena, SIZE_MAX);
    fer_buf_printf(&b, "{\"rpcCode\":%" PRId64, m->error_code);
    if (data) {
        fer_buf_add_text(&b, ",\"data\":");
        fer_buf_add(&b, fer_rpc_bytes(m->doc, data));
    }
    fer_buf_add_char(&b, '}');
    o.details = b.failure ? FER_STR_NONE : fer_buf_view(&b);
    o.message = fer_arena_copy(k->arena, fer_str_head(m->error_message, FER_ERR_TEXT - 1));
    if (m->error_code == FER_RPC_METHOD_NOT_FOUND) o.code = FER_BACKEND_UNAVAILABLE;
    end(k, &o);
}

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
    if (o->result.verdict != FER_MCP_DONE) o->code = FER_TOOL_FAILED;
}

static void call_answered(fer_mcp_request *r, const fer_rpc *m)
{
    fer_mcp_call *k = call_of(r);
    fer_mcp_outcome o = {.sent = true, .definite = true};
    if (m->kind == FER_RPC_ERROR) {
        call_refused(k, m);
        return;
    }
    take_result(k, m, &o);
    end(k, &o);
}

const fer_mcp_request_kind fer_mcp_call_kind = {.method = "tools/call",
                                                .write = call_write,
                                                .describe = call_describe,
                                                .answered = call_answered,
                                                .failed = call_failed};

void fer_mcp_client_call(fer_mcp_client *c, fer_mcp_call *k)
{
    k->news = NULL;
    k->next_news = NULL;
    k->told_at = 0;
    k->has_news = false;
    fer_mcp_submit(c, &k->request, &fer_mcp_call_kind);
}

/* Closing the stream is the cancellation where each request has one, from 2026-07-28 on. */
static void tell_server(fer_mcp_client *c, uint64_t id, const char *reason)
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

void fer_mcp_call_drop(fer_mcp_call *k, const char *reason)
{
    fer_mcp_request *r = &k->request;
    fer_mcp_client *c = r->client;
    if (!r->kind) return;
    uint64_t id = r->id;
    fer_mcp_take_off(r);
    r->kind = NULL;
    forget_news(c, k);
    if (id && c->link_open) tell_server(c, id, reason);
}
