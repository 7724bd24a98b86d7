/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding out what a server speaks, and what happens when it is lost.
 *
 * A modern server answers server/discover. Everything that does not look like a modern server's
 * word, silence included, means an older one, which is asked to initialize over the same link; no
 * single error code decides. Should the answer to server/discover come after all, it counts as long
 * as the other has not.
 */
#include <inttypes.h>

#include "clock.h"
#include "errors.h"
#include "mcp_parts.h"
#include "sys.h"

#define MS INT64_C(1000000)

static void send_initialize(fer_mcp_client *c);
static void send_discover(fer_mcp_client *c, const fer_mcp_version *named);

/* ---- failing to connect
 * ----------------------------------------------------------------------------- */

static void note_loss(fer_mcp_client *c, const char *why)
{
    int64_t now = fer_clock_mono(), pause = 0;
    bool settled =
        c->info.state == FER_MCP_READY && now - c->ready_since >= FER_MCP_SETTLED_MS * MS;
    c->losses = settled ? 1 : c->losses + 1;
    if (c->losses > 1) pause = (int64_t)FER_MCP_PAUSE_MS << (c->losses > 10 ? 8 : c->losses - 2);
    c->not_before = now + (pause < FER_MCP_PAUSE_MAX ? pause : FER_MCP_PAUSE_MAX) * MS;
    snprintf(c->info.trouble, sizeof c->info.trouble, "%.127s", why);
}

void fer_mcp_forget_handshake(fer_mcp_client *c)
{
    fer_mcp_request *own[] = {&c->discover, &c->initialize, &c->listen, &c->old_listen};
    uv_timer_stop(&c->guard);
    for (size_t i = 0; i < FER_COUNT(own); i++) {
        if (!own[i]->kind) continue;
        fer_mcp_take_off(own[i]);
        own[i]->kind = NULL;
    }
}

static void connect_failed(fer_mcp_client *c, const fer_mcp_failure *f)
{
    fer_mcp_failure told = *f;
    char why[512];
    snprintf(why, sizeof why, "%.511s", f->message);
    told.message = why;
    told.sent = false;
    fer_mcp_forget_handshake(c);
    note_loss(c, why);
    c->unknown = f->code == FER_UNAUTHENTICATED;
    c->era = FER_MCP_UNKNOWN;
    c->info.state = c->link_open ? FER_MCP_CLOSING : FER_MCP_DOWN;
    fer_mcp_fail_waiting(c, &told);
    if (c->link_open) c->link->kind->close(c->link, true);
    else fer_mcp_keep(c);
}

static void refuse(fer_mcp_client *c, fer_code code, const char *why, fer_str what)
{
    char text[512], clean[201];
    fer_mcp_clean(c, what, false, clean, sizeof clean);
    snprintf(text, sizeof text, "%s%s", why, clean);
    connect_failed(c, &(fer_mcp_failure){.code = code, .message = text});
}

/* ---- agreeing
 * -------------------------------------------------------------------------------------- */

static void copy_text(const fer_mcp_client *c, char *to, size_t size, const yyjson_val *v)
{
    fer_mcp_clean(c, fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE, false, to, size);
}

static void send_listen(fer_mcp_client *c);

/* What the server said of itself, byte for byte. Without memory for it nothing is known of it. */
static void keep_hello(fer_mcp_client *c, const fer_rpc *m)
{
    fer_str hello = fer_rpc_bytes(m->doc, m->result);
    fer_mcp_forget_hello(c);
    c->hello = hello.len ? fer_sys_malloc(hello.len) : NULL;
    if (!c->hello) return;
    memcpy(c->hello, hello.ptr, hello.len);
    c->hello_len = hello.len;
}

static void agree(fer_mcp_client *c, const fer_mcp_version *version, const fer_rpc *m,
                  const yyjson_val *server)
{
    keep_hello(c, m);
    c->info.version = version;
    c->era = version->modern ? FER_MCP_MODERN : FER_MCP_LEGACY;
    fer_mcp_note_abilities(c, m);
    copy_text(c, c->info.server, sizeof c->info.server, fer_val_get(server, "name"));
    copy_text(c, c->info.server_version, sizeof c->info.server_version,
              fer_val_get(server, "version"));
    fer_mcp_forget_handshake(c);
    c->info.state = FER_MCP_READY;
    c->info.trouble[0] = '\0';
    c->ready_since = fer_clock_mono();
    c->listens = 0;
    if (!version->modern) {
        fer_buf b = fer_mcp_writing(c);
        fer_rpc_open(&b, 0, "notifications/initialized");
        fer_rpc_close(&b);
        fer_mcp_post(c, &b, "notifications/initialized");
    }
    if (c->link->kind->agreed)
        c->link->kind->agreed(c->link, version, c->news_of_tools || fer_mcp_is_served(c));
    bool again = c->info.connects++ > 0 || (c->options.recheck && !c->lists);
    fer_mcp_watch_rest(c);
    if (version->modern) send_listen(c);
    fer_mcp_say_lasting(c);
    fer_mcp_send_waiting(c);
    if (c->options.ready) c->options.ready(c->options.context);
    if (again) fer_mcp_tools_changed(c); /* what is there now may be another version of it */
}

void fer_mcp_add_client(fer_buf *b)
{
    fer_buf_printf(b, "{\"name\":\"ferrule\",\"version\":\"%s\"}", fer_version());
}

/* ---- server/discover
 * ---------------------------------------------------------------------------------- */

/* The newest version that both sides speak, of a list of names. */
static const fer_mcp_version *choose(const yyjson_val *names)
{
    const fer_mcp_version *best = NULL;
    if (!fer_is_arr(names)) return NULL;
    FER_EACH_ITEM (names, name) {
        const fer_mcp_version *v =
            fer_is_str(name) ? fer_mcp_version_find(fer_val_str(name)) : NULL;
        if (v && (!best || strcmp(v->name, best->name) > 0)) best = v;
    }
    return best;
}

static void no_common_version(fer_mcp_client *c, const fer_rpc *m, const yyjson_val *names)
{
    refuse(c, FER_BACKEND_UNAVAILABLE, "the server speaks no version that is known here: ",
           names ? fer_rpc_bytes(m->doc, names) : FER_STR("it names none"));
}

static void discover_write(fer_mcp_request *r, fer_buf *b)
{
    fer_mcp_add_meta(r->client, b, NULL);
}

static void discovered(fer_mcp_client *c, const fer_rpc *m)
{
    const yyjson_val *names = fer_val_get(m->result, "supportedVersions");
    const fer_mcp_version *version = choose(names);
    const yyjson_val *meta = fer_val_get(m->result, "_meta");
    if (!fer_is_arr(names)) send_initialize(c);
    else if (!version) no_common_version(c, m, names);
    else if (!version->modern) send_initialize(c);
    else agree(c, version, m, fer_val_get(meta, FER_MCP_META_SERVER));
}

static void discover_answered(fer_mcp_request *r, const fer_rpc *m)
{
    fer_mcp_client *c = r->client;
    if (c->info.state != FER_MCP_CONNECTING) return;
    if (m->kind == FER_RPC_RESULT) {
        discovered(c, m);
        return;
    }
    const yyjson_val *names = fer_val_get(fer_val_get(m->error, "data"), "supported");
    bool versions = m->error_code == FER_MCP_UNSUPPORTED_VERSION && fer_is_arr(names);
    const fer_mcp_version *common = versions ? choose(names) : NULL;
    if (versions && !common) no_common_version(c, m, names);
    else if (common && common->modern && !c->insisted) send_discover(c, common);
    else send_initialize(c);
}

static void discover_failed(fer_mcp_request *r, const fer_mcp_failure *f)
{
    if (r->client->info.state != FER_MCP_CONNECTING) return;
    if (f->unknown) send_initialize(r->client);
    else if (r->client->probing) connect_failed(r->client, f);
}

static void describe_opening(const fer_mcp_request *r, fer_arena *a, fer_mcp_out *m)
{
    (void)a;
    m->opens = true;
    m->deadline = r->client->start_by;
}

static const fer_mcp_request_kind discover_kind = {.method = "server/discover",
                                                   .connects = true,
                                                   .write = discover_write,
                                                   .describe = describe_opening,
                                                   .answered = discover_answered,
                                                   .failed = discover_failed};

/* ---- initialize
 * ----------------------------------------------------------------------------------------- */

static void initialize_write(fer_mcp_request *r, fer_buf *b)
{
    fer_str capabilities = r->client->options.capabilities;
    fer_buf_printf(b,
                   "\"protocolVersion\":\"%s\",\"capabilities\":", r->client->info.version->name);
    fer_buf_add(b, capabilities.len ? capabilities : FER_STR("{}"));
    fer_buf_add_text(b, ",\"clientInfo\":");
    fer_mcp_add_client(b);
}

static void initialize_answered(fer_mcp_request *r, const fer_rpc *m)
{
    fer_mcp_client *c = r->client;
    if (c->info.state != FER_MCP_CONNECTING) return;
    if (m->kind == FER_RPC_ERROR) {
        refuse(c, FER_BACKEND_UNAVAILABLE, "the server refuses to begin: ", m->error_message);
        return;
    }
    const yyjson_val *name = fer_val_get(m->result, "protocolVersion");
    const fer_mcp_version *v = fer_is_str(name) ? fer_mcp_version_find(fer_val_str(name)) : NULL;
    if (!v || v->modern)
        refuse(c, FER_BACKEND_UNAVAILABLE, "the server wants a version that is not known here: ",
               fer_is_str(name) ? fer_val_str(name) : FER_STR("it names none"));
    else agree(c, v, m, fer_val_get(m->result, "serverInfo"));
}

static void initialize_failed(fer_mcp_request *r, const fer_mcp_failure *f)
{
    if (r->client->info.state == FER_MCP_CONNECTING) connect_failed(r->client, f);
}

static const fer_mcp_request_kind initialize_kind = {.method = "initialize",
                                                     .connects = true,
                                                     .write = initialize_write,
                                                     .describe = describe_opening,
                                                     .answered = initialize_answered,
                                                     .failed = initialize_failed};

/* ---- subscriptions/listen
 * --------------------------------------------------------------------------------- */

#define LISTENS_MAX 5 /* that end one after the other before listening is given up */

/* Of tasks only those hear who say that they know what tasks are. */
static void listen_write(fer_mcp_request *r, fer_buf *b)
{
    fer_buf_add_text(b, "\"notifications\":{");
    fer_mcp_add_filter(r->client, b);
    fer_buf_add_char(b, '}');
    fer_mcp_call as = {.capabilities = FER_STR("{\"extensions\":{\"" FER_MCP_TASKS "\":{}}}")};
    fer_mcp_add_meta(r->client, b, fer_mcp_watches(r->client, FER_MCP_TASK) ? &as : NULL);
}

/* The subscription has ended; what changed meanwhile is not known. */
static void listen_ended(fer_mcp_request *r)
{
    fer_mcp_client *c = r->client;
    if (r == &c->old_listen || c->info.state != FER_MCP_READY || c->stopping ||
        ++c->listens > LISTENS_MAX)
        return;
    fer_mcp_tools_changed(c);
    uv_timer_start(&c->guard, fer_mcp_guard_fired, UINT64_C(500) << c->listens, 0);
}

static void listen_answered(fer_mcp_request *r, const fer_rpc *m)
{
    if (m->kind == FER_RPC_RESULT) listen_ended(r);
}

static void listen_failed(fer_mcp_request *r, const fer_mcp_failure *f)
{
    if (f->sent && !f->unknown) listen_ended(r);
}

static const fer_mcp_request_kind listen_kind = {.method = "subscriptions/listen",
                                                 .write = listen_write,
                                                 .answered = listen_answered,
                                                 .failed = listen_failed};

/* ---- connecting
 * -------------------------------------------------------------------------------------------- */

static void send_own(fer_mcp_client *c, fer_mcp_request *r, const fer_mcp_request_kind *kind)
{
    *r = (fer_mcp_request){.kind = kind, .client = c};
    fer_mcp_send(c, r);
}

static void send_listen(fer_mcp_client *c)
{
    char text[16];
    fer_buf none;
    fer_buf_init_fixed(&none, text, sizeof text);
    if (fer_mcp_add_filter(c, &none)) send_own(c, &c->listen, &listen_kind);
}

void fer_mcp_drop_old_listen(fer_mcp_client *c)
{
    fer_mcp_request *r = &c->old_listen;
    if (!r->kind) return;
    uint64_t id = r->id;
    fer_mcp_take_off(r);
    r->kind = NULL;
    if (c->link_open) fer_mcp_tell_cancelled(c, id, "another subscription is in its place");
}

/* The old one stays until the new one is acknowledged, so that no news are lost between them. */
void fer_mcp_listen_again(fer_mcp_client *c)
{
    if (c->info.state != FER_MCP_READY || !fer_mcp_is_modern(c)) return;
    fer_mcp_drop_old_listen(c);
    if (c->listen.kind) {
        uint64_t id = c->listen.id;
        fer_mcp_take_off(&c->listen);
        c->listen.kind = NULL;
        fer_mcp_adopt(c, &c->old_listen, id, &listen_kind);
    }
    send_listen(c);
}

static void guard_until(fer_mcp_client *c, int64_t when)
{
    int64_t left = (when - fer_clock_mono() + MS - 1) / MS;
    uv_timer_start(&c->guard, fer_mcp_guard_fired, left > 0 ? (uint64_t)left : 0, 0);
}

static void send_initialize(fer_mcp_client *c)
{
    if (!c->probing) return; /* it has been sent already */
    c->probing = false;
    c->info.version = fer_mcp_version_newest(false);
    guard_until(c, c->start_by);
    send_own(c, &c->initialize, &initialize_kind);
}

/* In the version that the server names, or else in the newest. */
static void send_discover(fer_mcp_client *c, const fer_mcp_version *named)
{
    int64_t probe_by = fer_clock_mono() + (int64_t)c->options.probe_ms * MS;
    c->insisted = named != NULL;
    c->info.version = named ? named : fer_mcp_version_newest(true);
    guard_until(c, probe_by < c->start_by ? probe_by : c->start_by);
    send_own(c, &c->discover, &discover_kind);
}

static void handshake(fer_mcp_client *c)
{
    c->start_by = fer_clock_mono() + (int64_t)c->options.start_ms * MS;
    c->probing = true;
    c->info.state = FER_MCP_CONNECTING;
    if (c->era == FER_MCP_LEGACY) send_initialize(c);
    else send_discover(c, NULL);
}

void fer_mcp_guard_fired(uv_timer_t *t)
{
    fer_mcp_client *c = t->data;
    if (c->info.state == FER_MCP_READY) {
        if (!c->listen.kind) send_listen(c);
    } else if (c->probing && fer_clock_mono() < c->start_by) {
        send_initialize(c);
    } else {
        refuse(c, FER_BACKEND_UNAVAILABLE, "the server did not answer in time", FER_STR_NONE);
    }
}

static void wait_longer(fer_mcp_client *c, int64_t left)
{
    char text[256];
    fer_mcp_failure f = {.code = c->unknown ? FER_UNAUTHENTICATED : FER_BACKEND_UNAVAILABLE,
                         .message = text};
    f.retry_after_ms = (left + MS - 1) / MS;
    snprintf(text, sizeof text, "the server is not tried again for %" PRId64 " ms: %s",
             f.retry_after_ms, c->info.trouble);
    fer_mcp_fail_waiting(c, &f);
}

void fer_mcp_connect(fer_mcp_client *c)
{
    fer_err err = {0};
    if (c->info.state == FER_MCP_CONNECTING || c->info.state == FER_MCP_CLOSING) return;
    if (!c->options.keep) fer_mcp_watch_rest(c); /* also where nothing comes of it */
    if (c->link->kind->permit && c->link->kind->permit(c->link, &err)) {
        fer_mcp_fail_waiting(c, &(fer_mcp_failure){.code = err.code, .message = err.message});
        return;
    }
    int64_t left = c->not_before - fer_clock_mono();
    if (left > 0) {
        wait_longer(c, left);
        return;
    }
    fer_code code = c->link->kind->open(c->link, &err);
    c->link_open = !code;
    if (code) connect_failed(c, &(fer_mcp_failure){.code = code, .message = err.message});
    else handshake(c);
}

/* ---- losing
 * -------------------------------------------------------------------------------------------------
 */

/* ---- resting and keeping
 * ----------------------------------------------------------------------------------- */

bool fer_mcp_client_is_used(const fer_mcp_client *c)
{
    size_t own = (c->listen.kind ? 1U : 0U) + (c->old_listen.kind ? 1U : 0U) +
                 (c->discover.kind ? 1U : 0U) + (c->initialize.kind ? 1U : 0U);
    return c->info.running > own || c->watched_count || c->question_count || c->rounds;
}

/* Its process or session ends; what is known of it stays, and the next request starts it again. */
static void rest(fer_mcp_client *c)
{
    uv_timer_stop(&c->rest);
    fer_mcp_forget_handshake(c);
    fer_mcp_forget_list(c);
    c->resting = true;
    c->info.state = FER_MCP_CLOSING;
    c->link->kind->close(c->link, false);
}

static void rest_fired(uv_timer_t *t)
{
    fer_mcp_client *c = t->data;
    int64_t left = c->used + (int64_t)c->options.idle_ms * MS - fer_clock_mono();
    bool apart = c->info.state == FER_MCP_IDLE || c->info.state == FER_MCP_DOWN;
    if (c->stopping) return;
    if (fer_mcp_client_is_used(c) || (!apart && c->info.state != FER_MCP_READY))
        left = (int64_t)c->options.idle_ms * MS;
    if (left > 0) uv_timer_start(t, rest_fired, (uint64_t)(left / MS + 1), 0);
    else if (!apart) rest(c);
    else if (c->options.rested) c->options.rested(c->options.context);
}

void fer_mcp_watch_rest(fer_mcp_client *c)
{
    uv_timer_stop(&c->rest);
    c->used = fer_clock_mono();
    if (c->options.idle_ms) uv_timer_start(&c->rest, rest_fired, c->options.idle_ms, 0);
}

static void keep_fired(uv_timer_t *t)
{
    fer_mcp_client *c = t->data;
    if (!c->stopping && c->info.state == FER_MCP_DOWN) fer_mcp_connect(c);
}

void fer_mcp_keep(fer_mcp_client *c)
{
    int64_t left = c->not_before - fer_clock_mono();
    if (!c->options.keep || c->stopping || c->info.state != FER_MCP_DOWN) return;
    uv_timer_start(&c->rest, keep_fired, left > 0 ? (uint64_t)(left / MS + 1) : 0, 0);
}

/* It ended instead of answering what it did not know: then without the question. */
static bool scared_by_probe(const fer_mcp_client *c)
{
    return c->info.state == FER_MCP_CONNECTING && c->probing && c->era == FER_MCP_UNKNOWN;
}

static void lost(fer_mcp_client *c, fer_code code, const char *why)
{
    fer_mcp_failure f = {.code = code, .sent = true, .message = why};
    bool was_ready = c->info.state == FER_MCP_READY;
    note_loss(c, why);
    c->unknown = false;
    fer_mcp_forget_handshake(c);
    if (c->options.lost) c->options.lost(c->options.context, code, why);
    c->info.state = FER_MCP_DOWN;
    fer_mcp_questions_lost(c);
    fer_mcp_fail_running(c, &f);
    if (was_ready && c->waiting) fer_mcp_connect(c);
    if (!was_ready) {
        c->era = FER_MCP_UNKNOWN;
        f = (fer_mcp_failure){.code = FER_BACKEND_UNAVAILABLE, .message = why};
        fer_mcp_fail_waiting(c, &f);
    }
    fer_mcp_keep(c);
}

static void link_closed(void *context, fer_code code, const char *why)
{
    fer_mcp_client *c = context;
    fer_mcp_state state = c->info.state;
    c->link_open = false;
    if (c->stopping) {
        fer_mcp_gone(c);
    } else if (state == FER_MCP_CLOSING) {
        fer_mcp_failure f = {.code = FER_BACKEND_CRASHED, .sent = true, .message = why};
        bool rested = c->resting;
        c->info.state = rested ? FER_MCP_IDLE : FER_MCP_DOWN;
        c->resting = false;
        fer_mcp_fail_running(c, &f);
        if (c->waiting) fer_mcp_connect(c);
        else if (rested && c->options.rested) c->options.rested(c->options.context);
        else fer_mcp_keep(c);
    } else if (scared_by_probe(c)) {
        fer_mcp_forget_handshake(c);
        c->era = FER_MCP_LEGACY;
        c->info.state = FER_MCP_DOWN;
        c->not_before = 0;
        fer_mcp_connect(c);
    } else {
        lost(c, code ? code : FER_BACKEND_CRASHED, why);
    }
}

void fer_mcp_ask_again(fer_mcp_client *c, fer_mcp_request *r, bool other_era)
{
    fer_mcp_take_off(r);
    r->id = 0;
    r->sent = false;
    r->again = true;
    if (other_era) c->era = FER_MCP_UNKNOWN;
    if (r == &c->listen) r->kind = NULL; /* it is asked for anew */
    else fer_mcp_wait_first(c, r);
    if (c->info.state != FER_MCP_READY) return;
    fer_mcp_forget_handshake(c);
    handshake(c);
}

bool fer_mcp_may_ask_again(const fer_mcp_client *c, const fer_mcp_request *r)
{
    return !r->kind->connects && !r->again && !c->stopping;
}

static void link_failed(void *context, uint64_t id, const fer_mcp_failure *f)
{
    fer_mcp_client *c = context;
    fer_mcp_request *r = fer_mcp_find(c, id);
    if (!r) return; /* it was answered, or given up */
    bool other_era = f->unknown && f->refused && fer_mcp_is_modern(c);
    if ((f->lost || other_era) && fer_mcp_may_ask_again(c, r)) fer_mcp_ask_again(c, r, other_era);
    else fer_mcp_fail(r, f);
}

static bool link_waits(void *context, uint64_t id)
{
    return fer_mcp_find(context, id) != NULL;
}

const fer_mcp_link_events fer_mcp_events = {.message = fer_mcp_message,
                                            .noise = fer_mcp_noise,
                                            .too_long = fer_mcp_too_long,
                                            .starved = fer_mcp_starved,
                                            .failed = link_failed,
                                            .waits = link_waits,
                                            .closed = link_closed};
