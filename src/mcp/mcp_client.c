/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_client.h"

#include <inttypes.h>

#include "clock.h"
#include "errors.h"
#include "mcp_parts.h"
#include "sys.h"

#define MESSAGE_MEMORY ((size_t)64 << 20) /* bytes for one message and the tree of it */
#define OUT_MAX        ((size_t)8 << 20)  /* bytes of one message of ours */

const fer_mcp_failure fer_mcp_no_memory = {.code = FER_OUT_OF_MEMORY, .message = "out of memory"};

/* ---- requests: where they are
 * -------------------------------------------------------------------- */

static void put_first(fer_mcp_request **list, fer_mcp_request *r)
{
    r->next = *list;
    r->place = list;
    if (r->next) r->next->place = &r->next;
    *list = r;
}

void fer_mcp_take_off(fer_mcp_request *r)
{
    fer_mcp_client *c = r->client;
    if (!r->place) return;
    *r->place = r->next;
    if (r->next) r->next->place = r->place;
    else if (c->waiting_end == &r->next) c->waiting_end = r->place;
    if (!r->id) c->waiting_count--;
    r->place = NULL;
    r->next = NULL;
    c->info.running--;
    if (c->options.idle_ms) c->used = fer_clock_mono();
}

static void wait_last(fer_mcp_client *c, fer_mcp_request *r)
{
    put_first(c->waiting_end, r);
    c->waiting_end = &r->next;
    c->waiting_count++;
    c->info.running++;
}

void fer_mcp_wait_first(fer_mcp_client *c, fer_mcp_request *r)
{
    if (!c->waiting) {
        wait_last(c, r);
        return;
    }
    put_first(&c->waiting, r);
    c->waiting_count++;
    c->info.running++;
}

fer_mcp_request *fer_mcp_find(fer_mcp_client *c, uint64_t id)
{
    fer_mcp_request *r = c->table[id % FER_MCP_TABLE];
    while (r && r->id != id) r = r->next;
    return r;
}

/* ---- failing
 * ------------------------------------------------------------------------------------- */

void fer_mcp_fail(fer_mcp_request *r, const fer_mcp_failure *f)
{
    const fer_mcp_request_kind *kind = r->kind;
    fer_mcp_failure own = *f;
    fer_mcp_take_off(r);
    r->kind = NULL;
    own.sent = f->sent && r->sent;
    kind->failed(r, &own);
}

/* What comes to wait meanwhile is left alone, or two that ask each other would never end. */
void fer_mcp_fail_waiting(fer_mcp_client *c, const fer_mcp_failure *f)
{
    for (size_t count = c->waiting_count; count && c->waiting; count--) fer_mcp_fail(c->waiting, f);
}

void fer_mcp_fail_running(fer_mcp_client *c, const fer_mcp_failure *f)
{
    uint64_t before = c->next_id;
    for (size_t i = 0; i < FER_MCP_TABLE; i++)
        while (c->table[i] && c->table[i]->id < before) fer_mcp_fail(c->table[i], f);
}

/* ---- sending
 * ------------------------------------------------------------------------------------- */

bool fer_mcp_is_modern(const fer_mcp_client *c)
{
    return c->info.version && c->info.version->modern;
}

fer_buf fer_mcp_writing(fer_mcp_client *c)
{
    fer_buf b;
    fer_arena_reset(c->out);
    fer_buf_init(&b, c->out, OUT_MAX);
    return b;
}

void fer_mcp_post(fer_mcp_client *c, fer_buf *b, const char *method)
{
    fer_mcp_out m = {.json = fer_buf_view(b), .method = fer_str_of(method)};
    m.version = c->info.version;
    if (!b->failure && c->link_open) (void)c->link->kind->send(c->link, &m, NULL);
}

static void own_meta(fer_mcp_client *c, fer_buf *b, const fer_mcp_call *k)
{
    fer_str capabilities = k && k->capabilities.len ? k->capabilities : c->options.capabilities;
    fer_buf_printf(b, ",\"" FER_MCP_META_VERSION "\":\"%s\"", c->info.version->name);
    fer_buf_add_text(b, ",\"" FER_MCP_META_CAPABILITIES "\":");
    fer_buf_add(b, capabilities.len ? capabilities : FER_STR("{}"));
    fer_buf_add_text(b, ",\"" FER_MCP_META_CLIENT "\":");
    fer_mcp_add_client(b);
    if (k && k->log_level) fer_buf_printf(b, ",\"" FER_MCP_META_LOG "\":\"%s\"", k->log_level);
}

static void add_member(fer_buf *b, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_buf_add(b, FER_STR(",\""));
    fer_buf_add_text(b, key);
    fer_buf_add(b, FER_STR("\":"));
    fer_buf_add_quoted(b, text);
}

/* What the caller put there, but for what is ours to say. */
static void add_others(fer_buf *b, const fer_mcp_call *k, bool modern)
{
    const yyjson_val *meta = fer_val_get(fer_json_root(k->params_doc), "_meta");
    const struct {
        const char *key;
        bool ours;
    } rows[] = {{FER_MCP_META_VERSION, true},
                {FER_MCP_META_CAPABILITIES, true},
                {FER_MCP_META_CLIENT, true},
                {"progressToken", true},
                {FER_MCP_META_LOG, !modern || k->log_level},
                {FER_MCP_META_DEADLINE, k->deadline != 0},
                {"traceparent", k->traceparent.len > 0},
                {FER_MCP_META_IDEMPOTENCY, k->idempotency_key.len > 0},
                {FER_MCP_META_ATTEMPT, k->retry_owner.len > 0},
                {FER_MCP_META_RETRY_OWNER, k->retry_owner.len > 0}};
    if (!fer_is_obj(meta)) return;
    FER_EACH_MEMBER (meta, key) {
        bool ours = false;
        for (size_t i = 0; i < FER_COUNT(rows); i++)
            if (fer_str_is(fer_val_str(key), rows[i].key)) ours = rows[i].ours;
        if (ours) continue;
        fer_buf_add_char(b, ',');
        fer_buf_add(b, fer_rpc_bytes(k->params_doc, key));
        fer_buf_add_char(b, ':');
        fer_buf_add(b, fer_rpc_bytes(k->params_doc, key + 1));
    }
}

void fer_mcp_add_meta(fer_mcp_client *c, fer_buf *b, const fer_mcp_call *k)
{
    size_t start = b->len;
    if (fer_mcp_is_modern(c)) own_meta(c, b, k);
    if (k && k->on_progress) fer_buf_printf(b, ",\"progressToken\":%" PRIu64, k->request.id);
    if (k && k->deadline) {
        int64_t left = (k->deadline - fer_clock_mono()) / 1000000;
        fer_buf_add(b, FER_STR(",\"" FER_MCP_META_DEADLINE "\":"));
        fer_rpc_add_number(b, left > 0 ? (uint64_t)left : 0);
    }
    if (k) add_member(b, "traceparent", k->traceparent);
    if (k) add_member(b, FER_MCP_META_IDEMPOTENCY, k->idempotency_key);
    if (k) add_member(b, FER_MCP_META_RETRY_OWNER, k->retry_owner);
    if (k && k->retry_owner.len) {
        fer_buf_add(b, FER_STR(",\"" FER_MCP_META_ATTEMPT "\":"));
        fer_rpc_add_number(b, k->attempt);
    }
    if (k && k->params_doc) add_others(b, k, fer_mcp_is_modern(c));
    if (b->failure || b->len == start) return;
    /* What was written begins with a comma: that is where the opening goes. */
    fer_str members = fer_arena_copy(b->arena, fer_str_slice(fer_buf_view(b), start + 1, b->len));
    b->len = start;
    if (start && b->ptr[start - 1] != '{') fer_buf_add_char(b, ',');
    fer_buf_add_text(b, "\"_meta\":{");
    if (members.ptr) fer_buf_add(b, members);
    else b->failure = FER_OUT_OF_MEMORY;
    fer_buf_add_char(b, '}');
}

void fer_mcp_send(fer_mcp_client *c, fer_mcp_request *r)
{
    fer_mcp_out m = {.id = c->next_id++, .method = fer_str_of(r->kind->method)};
    fer_buf b = fer_mcp_writing(c);
    fer_err err = {0};
    r->id = m.id;
    m.version = c->info.version;
    if (r->kind->describe) r->kind->describe(r, c->out, &m);
    fer_rpc_open(&b, r->id, m.method.ptr);
    r->kind->write(r, &b);
    fer_rpc_close(&b);
    m.json = fer_buf_view(&b);
    put_first(&c->table[r->id % FER_MCP_TABLE], r);
    c->info.running++;
    fer_code code = fer_buf_code(&b, &err);
    if (!code) code = c->link->kind->send(c->link, &m, &err);
    r->sent = !code;
    if (code) fer_mcp_fail(r, &(fer_mcp_failure){.code = code, .message = err.message});
}

/* A request under an ID that another struct had. */
void fer_mcp_adopt(fer_mcp_client *c, fer_mcp_request *r, uint64_t id,
                   const fer_mcp_request_kind *kind)
{
    *r = (fer_mcp_request){.kind = kind, .client = c, .id = id, .sent = true};
    put_first(&c->table[id % FER_MCP_TABLE], r);
    c->info.running++;
}

void fer_mcp_send_waiting(fer_mcp_client *c)
{
    while (c->waiting && c->info.state == FER_MCP_READY) {
        fer_mcp_request *r = c->waiting;
        fer_mcp_take_off(r);
        fer_mcp_send(c, r);
    }
}

void fer_mcp_submit(fer_mcp_client *c, fer_mcp_request *r, const fer_mcp_request_kind *kind)
{
    *r = (fer_mcp_request){.kind = kind, .client = c};
    fer_mcp_failure f = {.code = FER_BACKEND_UNAVAILABLE, .message = "the server is being stopped"};
    if (c->waiting_count >= FER_MCP_WAITING_MAX)
        f.message = "too many requests wait for the server already (mcp.waiting)";
    if (c->stopping || c->waiting_count >= FER_MCP_WAITING_MAX) {
        fer_mcp_fail(r, &f);
    } else if (c->info.state == FER_MCP_READY) {
        fer_mcp_send(c, r);
    } else {
        wait_last(c, r);
        fer_mcp_connect(c);
    }
}

/* ---- the client
 * ----------------------------------------------------------------------------------- */

void fer_mcp_forget_list(fer_mcp_client *c)
{
    fer_sys_free(c->kept);
    c->kept = NULL;
}

void fer_mcp_forget_hello(fer_mcp_client *c)
{
    fer_sys_free(c->hello);
    c->hello = NULL;
    c->hello_len = 0;
}

fer_str fer_mcp_client_hello(const fer_mcp_client *c)
{
    return c->hello ? (fer_str){c->hello, c->hello_len} : FER_STR("");
}

void fer_mcp_tools_changed(fer_mcp_client *c)
{
    fer_mcp_forget_list(c);
    if (c->changed || c->stopping) return;
    c->changed = true;
    if (c->options.changed) c->options.changed(c->options.context);
}

static void timer_closed(uv_handle_t *h)
{
    fer_mcp_client *c = h->data;
    if (--c->timers == 0) c->options.closed(c->options.context);
}

void fer_mcp_gone(fer_mcp_client *c)
{
    uv_close((uv_handle_t *)&c->guard, timer_closed);
    uv_close((uv_handle_t *)&c->flush, timer_closed);
    uv_close((uv_handle_t *)&c->watch, timer_closed);
    uv_close((uv_handle_t *)&c->rest, timer_closed);
}

static void add_timer(fer_mcp_client *c, uv_timer_t *t)
{
    uv_timer_init(c->options.loop, t);
    t->data = c;
    c->timers++;
}

static unsigned or_default(unsigned ms, unsigned other)
{
    return ms ? ms : other;
}

fer_mcp_client *fer_mcp_client_new(fer_mcp_link *link, const fer_mcp_options *o)
{
    fer_arena *in = fer_arena_new(MESSAGE_MEMORY), *out = fer_arena_new(MESSAGE_MEMORY);
    fer_mcp_client *c = in && out ? fer_sys_malloc(sizeof *c) : NULL;
    if (!c) {
        fer_arena_free(in);
        fer_arena_free(out);
        link->kind->free(link);
        return NULL;
    }
    *c = (fer_mcp_client){.link = link, .options = *o, .in = in, .out = out, .next_id = 1};
    c->options.start_ms = or_default(o->start_ms, FER_MCP_START_MS);
    c->options.probe_ms = or_default(o->probe_ms, FER_MCP_PROBE_MS);
    c->options.list_ms = or_default(o->list_ms, FER_MCP_LIST_MS);
    c->waiting_end = &c->waiting;
    c->lists_end = &c->lists;
    add_timer(c, &c->guard);
    add_timer(c, &c->flush);
    add_timer(c, &c->watch);
    add_timer(c, &c->rest);
    uv_unref((uv_handle_t *)&c->rest);
    link->events = &fer_mcp_events;
    link->context = c;
    if (!o->keep) fer_mcp_watch_rest(c);
    return c;
}

void fer_mcp_client_connect(fer_mcp_client *c)
{
    if (!c->stopping && c->info.state != FER_MCP_READY) fer_mcp_connect(c);
}

void fer_mcp_client_close(fer_mcp_client *c)
{
    fer_mcp_failure f = {.code = FER_CANCELLED, .sent = true, .message = "the server is stopped"};
    if (c->stopping) return;
    c->stopping = true;
    fer_mcp_forget_handshake(c);
    fer_mcp_questions_lost(c);
    fer_mcp_rounds_fail(c, f.code, f.message);
    fer_mcp_fail_waiting(c, &f);
    fer_mcp_fail_running(c, &f);
    c->info.state = FER_MCP_CLOSING;
    c->link->kind->close(c->link, false);
}

void fer_mcp_client_free(fer_mcp_client *c)
{
    if (!c) return;
    c->link->kind->free(c->link);
    fer_mcp_forget_list(c);
    fer_mcp_forget_hello(c);
    fer_mcp_lasting_free(c);
    fer_arena_free(c->in);
    fer_arena_free(c->out);
    fer_sys_free(c);
}

void fer_mcp_clean(const fer_mcp_client *c, fer_str text, bool cut, char *out, size_t size)
{
    if (c->options.clean) c->options.clean(c->options.context, text, cut, out, size);
    if (c->options.clean) return;
    text = fer_str_head(text, size - 1);
    if (text.len) memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
}

static void say_last(const fer_mcp_client *c, fer_mcp_info *out)
{
    bool cut;
    fer_str said = c->link->kind->said(c->link, &cut);
    fer_mcp_clean(c, said, cut, out->said, sizeof out->said);
    for (char *at = out->said; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F) *at = ' ';
}

void fer_mcp_client_info(const fer_mcp_client *c, fer_mcp_info *out)
{
    *out = c->info;
    if (c->link_open && c->link->kind->pid) out->pid = c->link->kind->pid(c->link);
    if (c->link->kind->said) say_last(c, out);
}
