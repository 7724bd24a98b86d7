/* SPDX-License-Identifier: Apache-2.0 */
/* What comes in: answers find their requests, notifications and requests their rows. */
#include "clock.h"
#include "mcp_parts.h"

void fer_mcp_noise(void *context)
{
    fer_mcp_client *c = context;
    c->info.noise++;
}

/* ---- answers ------------------------------------------------------------------------------------
 */

/*
 * Whose answer it is. An error without an ID is the answer to the request whose stream it came on;
 * an answer on the stream of another request is none.
 */
static fer_mcp_request *whose(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    uint64_t id = m->kind == FER_RPC_ERROR && m->id.type == FER_RPC_NO_ID
                      ? stream
                      : fer_rpc_id_number(&m->id);
    return id && (!stream || stream == id) ? fer_mcp_find(c, id) : NULL;
}

static void take_answer(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    fer_mcp_request *r = whose(c, stream, m);
    if (!r) {
        uint64_t id = fer_rpc_id_number(&m->id);
        if (id && id < c->next_id) c->info.late++;
        else c->info.foreign++;
        if (id && (!stream || stream == id)) fer_mcp_late_answer(c, id, m);
        return;
    }
    const fer_mcp_request_kind *kind = r->kind;
    if (m->kind == FER_RPC_ERROR && m->error_code == FER_MCP_UNSUPPORTED_VERSION &&
        fer_mcp_may_ask_again(c, r)) {
        fer_mcp_ask_again(c, r, true);
        return;
    }
    fer_mcp_take_off(r);
    r->kind = NULL;
    kind->answered(r, m);
}

/* ---- notifications
 * -------------------------------------------------------------------------------- */

static void on_progress(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    const yyjson_val *token = fer_val_get(m->params, "progressToken");
    uint64_t id = fer_is_num(token) && fer_val_tag(token) == FER_TAG_UINT ? token->uni.u64 : 0;
    fer_mcp_request *r = id && (!stream || stream == id) ? fer_mcp_find(c, id) : NULL;
    if (r && r->kind == &fer_mcp_call_kind) fer_mcp_progress(r, m);
    else if (id && id < c->next_id) c->info.late++;
    else c->info.foreign++;
}

/* News of a subscription that is listened to by now, or was until just now. */
static bool is_of_listen(const fer_mcp_client *c, const fer_rpc *m)
{
    const yyjson_val *meta = fer_val_get(m->params, "_meta");
    const yyjson_val *id = fer_val_get(meta, FER_MCP_META_SUBSCRIPTION);
    const fer_mcp_request *own[] = {&c->listen, &c->old_listen};
    if (!id || fer_val_tag(id) != FER_TAG_UINT) return false;
    for (size_t i = 0; i < FER_COUNT(own); i++)
        if (own[i]->kind && own[i]->id == id->uni.u64) return true;
    return false;
}

/* A modern server tells it only to who listens. */
static void on_tools_changed(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    (void)stream;
    if (fer_mcp_is_modern(c) && !is_of_listen(c, m)) {
        c->info.foreign++;
        return;
    }
    fer_mcp_tools_changed(c);
    if (c->options.noticed) c->options.noticed(c->options.context, NULL, m->method, FER_STR_NONE);
}

static void on_acknowledged(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    (void)stream;
    (void)m;
    c->listens = 0;
    fer_mcp_drop_old_listen(c);
}

/* What a modern server says of no request, it says to who listens. */
static void on_notice(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    fer_mcp_request *r = stream ? fer_mcp_find(c, stream) : NULL;
    fer_mcp_call *k = r && r->kind == &fer_mcp_call_kind ? (fer_mcp_call *)r : NULL;
    bool log = fer_str_is(m->method, "notifications/message");
    c->info.logs++;
    if (fer_mcp_is_modern(c) && !log && !is_of_listen(c, m)) c->info.foreign++;
    else if (c->options.noticed)
        c->options.noticed(c->options.context, k, m->method,
                           m->params ? fer_rpc_bytes(m->doc, m->params) : FER_STR_NONE);
}

/* Of no use here; a client behind a transparent gateway may know it. */
static void on_unknown(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    fer_mcp_request *r = stream ? fer_mcp_find(c, stream) : NULL;
    fer_mcp_call *k = r && r->kind == &fer_mcp_call_kind ? (fer_mcp_call *)r : NULL;
    c->info.logs++;
    if (c->options.noticed && fer_str_starts(m->method, "notifications/"))
        c->options.noticed(c->options.context, k, m->method,
                           m->params ? fer_rpc_bytes(m->doc, m->params) : FER_STR_NONE);
}

static void on_cancelled(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    (void)stream;
    fer_mcp_question_cancelled(c, m);
}

static const struct {
    const char *method;
    void (*take)(fer_mcp_client *c, uint64_t stream, const fer_rpc *m);
} notifications[] = {
    {"notifications/progress", on_progress},
    {"notifications/cancelled", on_cancelled},
    {"notifications/tools/list_changed", on_tools_changed},
    {"notifications/subscriptions/acknowledged", on_acknowledged},
    {"notifications/message", on_notice},
    {"notifications/resources/updated", on_notice},
    {"notifications/resources/list_changed", on_notice},
    {"notifications/prompts/list_changed", on_notice},
    {"notifications/elicitation/complete", on_notice},
    {"notifications/tasks", on_notice},
    {"notifications/tasks/status", on_notice},
};

static void take_notification(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    for (size_t i = 0; i < FER_COUNT(notifications); i++)
        if (fer_str_is(m->method, notifications[i].method)) {
            notifications[i].take(c, stream, m);
            return;
        }
    on_unknown(c, stream, m);
}

/* ---- requests of the server's
 * ------------------------------------------------------------------------ */

/* A server that asks without end is not answered without end. */
static bool may_reply(fer_mcp_client *c)
{
    int64_t now = fer_clock_mono();
    if (now - c->replies_since >= INT64_C(1000000000)) {
        c->replies_since = now;
        c->replies = 0;
    }
    return c->replies++ < FER_MCP_REPLIES_MAX;
}

/* Ping is answered here. For all else a capability was declared, and somebody takes it, or not. */
static void take_request(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    bool ping = fer_str_is(m->method, "ping"), modern = fer_mcp_is_modern(c);
    bool may = !modern && may_reply(c); /* a modern server may not ask */
    if (may && !ping && fer_mcp_ask(c, stream, m)) return;
    c->info.refused += !ping;
    c->refusals += !ping;
    if (!may) return;
    fer_buf b = fer_mcp_writing(c);
    if (ping) {
        fer_rpc_open_result(&b, &m->id);
        fer_buf_add_text(&b, "{}}");
    } else {
        fer_rpc_add_error(&b, &m->id, FER_RPC_METHOD_NOT_FOUND,
                          FER_STR("this client has not declared that it can do this"));
    }
    fer_mcp_post(c, &b, "");
}

/* ---- all
 * ------------------------------------------------------------------------------------------------
 */

struct post {
    fer_mcp_client *client;
    uint64_t stream;
};

static void take(void *context, const fer_rpc *m, const fer_err *err)
{
    struct post *p = context;
    (void)err;
    if (p->client->stopping) return;
    if (!m) p->client->info.noise++;
    else if (m->kind == FER_RPC_REQUEST) take_request(p->client, p->stream, m);
    else if (m->kind == FER_RPC_NOTIFICATION) take_notification(p->client, p->stream, m);
    else take_answer(p->client, p->stream, m);
}

/* ---- what there is no memory to read
 * ----------------------------------------------------------------------------- */

static const fer_mcp_failure unread = {
    .code = FER_OUT_OF_MEMORY,
    .sent = true,
    .message = "the server has answered, and there was no memory to read it"};

/* `met` names the limit and its figure. */
static void write_too_large(char text[FER_ERR_TEXT], const char *met)
{
    snprintf(text, FER_ERR_TEXT, "the server's answer is larger or deeper than allowed: %.400s",
             met);
}

/* Whose answer it was is not known: none of those that wait may wait in vain. */
void fer_mcp_starved(void *context)
{
    fer_mcp_client *c = context;
    c->info.noise++;
    if (!c->stopping) fer_mcp_fail_running(c, &unread);
}

/* The server waits for an answer that nobody can give. */
static void refuse_unread(fer_mcp_client *c, fer_str id)
{
    fer_buf b = fer_mcp_writing(c);
    fer_buf_add_text(&b, "{\"jsonrpc\":\"2.0\",\"id\":");
    fer_buf_add(&b, id);
    fer_buf_add_text(&b, ",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}");
    fer_mcp_post(c, &b, "");
}

/* A call fails at once whose answer cannot be read, rather than at its deadline; news are lost. */
static void take_unread(fer_mcp_client *c, uint64_t stream, fer_str json, const fer_mcp_failure *f)
{
    fer_rpc_glimpse seen;
    uint64_t id = stream;
    c->info.noise++;
    if (!fer_rpc_glance(json, &seen)) {
        fer_mcp_request *r = stream ? fer_mcp_find(c, stream) : NULL;
        if (r) fer_mcp_fail(r, f);
        else if (!stream && f->code == FER_OUT_OF_MEMORY) fer_mcp_fail_running(c, f);
        return;
    }
    if (seen.asks && seen.id.len && !fer_mcp_is_modern(c)) refuse_unread(c, seen.id);
    if (seen.asks || (!stream && !fer_parse_u64(seen.id, &id))) return;
    fer_mcp_request *r = fer_mcp_find(c, id);
    if (r) fer_mcp_fail(r, f);
}

/* The only request that waits, or NULL. */
static fer_mcp_request *the_only_one(fer_mcp_client *c)
{
    fer_mcp_request *found = NULL;
    for (size_t i = 0; i < FER_MCP_TABLE; i++)
        for (fer_mcp_request *r = c->table[i]; r; r = r->next) {
            if (found) return NULL;
            found = r;
        }
    return found;
}

/* Whose answer a message was is mostly seen at one of its ends. */
void fer_mcp_too_long(void *context, size_t max, fer_str head, fer_str tail)
{
    fer_mcp_client *c = context;
    fer_rpc_glimpse seen;
    uint64_t id;
    char met[64], text[FER_ERR_TEXT];
    c->info.noise++;
    if (!fer_rpc_glance_ends(head, tail, &seen) || c->stopping || seen.asks) return;
    fer_mcp_request *r = !seen.id.len                  ? the_only_one(c)
                         : fer_parse_u64(seen.id, &id) ? fer_mcp_find(c, id)
                                                       : NULL;
    snprintf(met, sizeof met, "line.size: the limit is %zu bytes", max);
    write_too_large(text, met);
    if (r)
        fer_mcp_fail(r,
                     &(fer_mcp_failure){.code = FER_RESOURCE_LIMIT, .sent = true, .message = text});
}

void fer_mcp_message(void *context, uint64_t stream, fer_str json)
{
    fer_mcp_client *c = context;
    struct post p = {c, stream};
    fer_rpc m;
    fer_err err = {0};
    char text[FER_ERR_TEXT];
    const fer_json_limits *limits = fer_json_limits_answer();
    bool batches = c->info.version && c->info.version->batches;
    fer_code code = batches ? fer_rpc_read_batch(c->in, json, limits, take, &p, &err)
                            : fer_rpc_read(c->in, json, limits, &m, &err);
    bool huge = code == FER_LIMIT_EXCEEDED;
    fer_mcp_failure too_large = {.code = FER_RESOURCE_LIMIT, .sent = true, .message = text};
    if (huge) write_too_large(text, err.message);
    if ((code == FER_OUT_OF_MEMORY || huge) && !c->stopping)
        take_unread(c, stream, json, huge ? &too_large : &unread);
    else if (code) c->info.noise++;
    else if (!batches) take(&p, &m, NULL);
    fer_arena_reset(c->in);
}
