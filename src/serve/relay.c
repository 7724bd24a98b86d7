/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include "clock.h"
#include "errors.h"
#include "tool_reply.h"

#define MS        INT64_C(1000000)
#define NOT_FOUND (-32002) /* of resources, before 2026-07-28 */

fer_str fer_one_line(fer_arena *a, fer_str json)
{
    fer_str copy = fer_arena_copy(a, json);
    if (copy.ptr) fer_rpc_join_lines((char *)(uintptr_t)copy.ptr, copy.len); /* our own copy */
    return copy;
}

/* A value of the params, and what stands in its place. */
typedef struct edit {
    const yyjson_val *value;
    fer_str text;
    bool quoted; /* it is to be */
} edit;

fer_str fer_ask_params(fer_ask *q, const yyjson_val *value, fer_str text)
{
    fer_arena *a = fer_ask_arena(q);
    fer_str all = fer_rpc_bytes(q->doc, q->params);
    edit edits[] = {
        {q->state_text.len ? fer_val_get(q->params, "requestState") : NULL, q->state_text, false},
        {value, text, true}};
    size_t done = 0, first = edits[0].value && value && value < edits[0].value;
    fer_buf b;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    for (size_t i = 0; i < 2; i++) { /* in the order of the text */
        const edit *e = &edits[i ^ first];
        if (!e->value) continue;
        fer_str old = fer_rpc_bytes(q->doc, e->value);
        size_t at = (size_t)(old.ptr - all.ptr);
        fer_buf_add(&b, fer_str_slice(all, done, at));
        if (e->quoted) fer_buf_add_quoted(&b, e->text);
        else fer_buf_add(&b, e->text);
        done = at + old.len;
    }
    if (!done) return fer_one_line(a, all);
    fer_buf_add(&b, fer_str_slice(all, done, all.len));
    return b.failure ? FER_STR_NONE : fer_one_line(a, fer_buf_view(&b));
}

static void no_memory(fer_ask *q)
{
    fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
}

fer_relay *fer_relay_new(fer_ask *q)
{
    fer_arena *a = fer_ask_arena(q);
    fer_relay *r = fer_arena_alloc_zero(a, 1, sizeof *r);
    fer_str params = r && q->params ? fer_ask_params(q, NULL, FER_STR("")) : FER_STR("");
    if (!r || !params.ptr) {
        no_memory(q);
        return NULL;
    }
    *r = (fer_relay){.ask = q, .method = q->method->name, .params = params};
    r->own = r->shown = FER_STR("");
    return r;
}

bool fer_relay_put(fer_relay *r, const yyjson_val *value, fer_str text)
{
    fer_str params = fer_ask_params(r->ask, value, text);
    if (!params.ptr) {
        no_memory(r->ask);
        return false;
    }
    r->params = params;
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void leave(fer_relay *r)
{
    if (!r->place) return;
    *r->place = r->next;
    if (r->next) r->next->place = r->place;
    r->place = NULL;
}

static int64_t code_of(fer_ask *q, fer_str error)
{
    fer_json *doc;
    if (fer_json_read(fer_ask_arena(q), error, NULL, &doc, NULL)) return 0;
    const yyjson_val *code = fer_val_get(fer_json_root(doc), "code");
    return code && fer_val_tag(code) == FER_TAG_SINT ? code->uni.i64 : 0;
}

/* A URI of the server's by which clients do not know it, in what the server answers. */
static fer_str show_uris(fer_relay *r, fer_str json)
{
    fer_arena *a = fer_ask_arena(r->ask);
    fer_json *doc;
    fer_buf b;
    size_t done = 0;
    if (!r->shown.len || fer_json_read(a, json, fer_json_limits_answer(), &doc, NULL)) return json;
    const yyjson_val *list = fer_val_get(fer_json_root(doc), "contents");
    if (!fer_is_arr(list)) return json;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_str text = fer_rpc_bytes(doc, fer_json_root(doc));
    FER_EACH_ITEM (list, item) {
        const yyjson_val *uri = fer_is_obj(item) ? fer_val_get(item, "uri") : NULL;
        if (!fer_is_str(uri) || !fer_str_eq(fer_val_str(uri), r->own)) continue;
        fer_str old = fer_rpc_bytes(doc, uri);
        size_t at = (size_t)(old.ptr - text.ptr);
        fer_buf_add(&b, fer_str_slice(text, done, at));
        fer_buf_add_quoted(&b, r->shown);
        done = at + old.len;
    }
    fer_buf_add(&b, fer_str_slice(text, done, text.len));
    return b.failure ? json : fer_buf_view(&b);
}

/* What is not there has a code of its own before 2026-07-28; since, it is a wrong param. */
static int code_for(const fer_relay *r, const fer_mcp_outcome *o, int64_t code)
{
    const fer_ask *q = r->ask;
    fer_json *doc;
    fer_mcp_info i;
    if (q->version->modern) return code == NOT_FOUND ? FER_RPC_INVALID_PARAMS : (int)code;
    bool reads = q->method->run == fer_method_read && code == FER_RPC_INVALID_PARAMS;
    if (!reads || fer_json_read(fer_ask_arena(q), o->error, NULL, &doc, NULL)) return (int)code;
    fer_mcp_client_info(r->call.request.client, &i);
    const yyjson_val *data = fer_val_get(fer_json_root(doc), "data");
    bool names_it = fer_is_obj(data) && fer_val_get(data, "uri");
    return i.version && i.version->modern && names_it ? NOT_FOUND : (int)code;
}

static void send_it(fer_relay *r);

/* Whether the next server is asked: this one does not have what was asked for. */
static bool goes_on(fer_relay *r, const fer_mcp_outcome *o, int64_t code)
{
    if (r->at + 1 >= r->count) return false;
    if (o->error.len) return code == NOT_FOUND || code == FER_RPC_INVALID_PARAMS;
    return o->code == FER_BACKEND_UNAVAILABLE && !o->sent;
}

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_relay *r = k->context;
    fer_ask *q = r->ask;
    int64_t code = o->error.len ? code_of(q, o->error) : 0;
    leave(r);
    if ((o->code || o->error.len) && goes_on(r, o, code)) {
        r->at++;
        send_it(r);
        return;
    }
    if (r->take && !q->cancelled && r->take(r, o)) return;
    bool asks = o->asks_input && q->version->modern, said = !o->code || asks;
    if (q->cancelled) fer_ask_drop(q);
    else if (asks) fer_reply_input(q, show_uris(r, o->json));
    else if (said) {
        if (r->done && !o->code) r->done(q, r->servers[r->at]);
        fer_reply_pass(q, show_uris(r, o->json), (q->method->flags & FER_METHOD_CACHED) != 0);
    } else if (o->error.len) {
        fer_ask_fail_as(q, o->error, code_for(r, o, code));
    } else {
        fer_reply_fault(q, o->code, o->message, o->retry_after_ms);
    }
}

fer_ask *fer_relay_owner(const fer_mcp_call *k)
{
    return k->on_end == on_end ? ((const fer_relay *)k->context)->ask : NULL;
}

void fer_relay_stand(const fer_mcp_call *k, bool stands)
{
    fer_relay *r = fer_relay_owner(k) ? k->context : NULL;
    if (!r) return;
    if (stands && !r->standing++) r->stood = fer_clock_mono();
    if (stands || !r->standing || --r->standing) return;
    r->deadline += fer_clock_mono() - r->stood;
}

static void on_progress(fer_mcp_call *k, fer_str json)
{
    fer_ask *q = ((fer_relay *)k->context)->ask;
    if (q->token.len) fer_ask_progress(q, json);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void stop(fer_ask *q)
{
    fer_relay *r = q->state;
    leave(r);
    fer_mcp_call_drop(&r->call, "ClientCancelled");
    if (q->cancelled) fer_ask_drop(q);
    else fer_reply_fault(q, FER_CANCELLED, FER_STR("the server is shutting down"), 0);
}

static void send_it(fer_relay *r)
{
    fer_ask *q = r->ask;
    fer_front *s = fer_ask_front(q);
    const fer_server *server = r->servers[r->at];
    fer_runner *runner = server->runner;
    fer_str can = fer_ask_abilities(q);
    fer_asker who = fer_peer_asker(q->peer);
    fer_mcp_client *client = runner ? runner->kind->mcp(runner, &who, can) : NULL;
    if (!client) {
        fer_reply_fault(q, FER_BACKEND_UNAVAILABLE, FER_STR("the server is not served any more"),
                        0);
        return;
    }
    r->call =
        (fer_mcp_call){.arena = fer_ask_arena(q),
                       .method = r->method,
                       .params = r->params,
                       .capabilities = can,
                       .takes_input = q->version->modern,
                       .on_progress = q->token.len || fer_ask_may_be_asked(q) ? on_progress : NULL,
                       .on_end = on_end,
                       .context = r};
    r->deadline = fer_clock_mono() + (r->ms ? r->ms : FER_RELAY_MS) * MS;
    r->next = s->relays;
    r->place = &s->relays;
    if (r->next) r->next->place = &r->next;
    s->relays = r;
    fer_front_watch_time(s);
    fer_mcp_client_call(client, &r->call);
}

void fer_relay_again(fer_relay *r)
{
    send_it(r);
}

void fer_relay_go(fer_relay *r)
{
    fer_ask *q = r->ask;
    if (!r->count) {
        fer_ask_note_denied(q, FER_STR(""));
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""), "no server has this");
        return;
    }
    q->state = r;
    q->stop = stop;
    send_it(r);
}

void fer_relays_sweep(fer_front *s, int64_t now)
{
    fer_relay *r = s->relays;
    while (r && (r->standing || r->deadline > now)) r = r->next;
    if (!r) return;
    fer_ask *q = r->ask;
    leave(r);
    fer_mcp_call_drop(&r->call, "Timeout");
    fer_reply_fault(q, FER_TIMEOUT, FER_STR("the server had not answered in time (serve.relay)"),
                    0);
    fer_relays_sweep(s, now); /* at most as deep as requests are under way */
}
