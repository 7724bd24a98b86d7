/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST, GET and DELETE of /mcp. The life of a POST: its era is found from its head, or else from
 * its body -> it is a talk of the session's peer, or of one of its own -> notes on the way make a
 * stream of its answer -> the end, or the client is gone.
 */
#include "accept.h"
#include "buf.h"
#include "clock.h"
#include "content.h"
#include "errors.h"
#include "serve_web_parts.h"
#include "sys.h"

#define MS           INT64_C(1000000) /* ns */
#define SESSION      "Mcp-Session-Id"
#define VERSION      "MCP-Protocol-Version"
#define JSON         "application/json"
#define EVENT_STREAM "text/event-stream"

/* ---- what is said ---------------------------------------------------------------------------- */

void fer_web_refuse(fer_exchange *x, unsigned status, int code, const char *message)
{
    char text[512];
    fer_buf b;
    static const fer_rpc_id none;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_rpc_add_error(&b, &none, code, fer_str_of(message));
    fer_exchange_reply(x, status, JSON, fer_buf_view(&b));
}

void fer_web_later(fer_exchange *x)
{
    const fer_http_field later = {FER_STR("Retry-After"), FER_STR("1")};
    fer_exchange_answer(x, 503, &later, 1, FER_STR("too much is under way; come again\n"), NULL);
}

/* ---- life ------------------------------------------------------------------------------------ */

fer_inquiry *fer_inquiry_new(fer_web *w, fer_guest *who, fer_exchange *x)
{
    fer_inquiry *p = fer_sys_malloc(sizeof *p);
    if (!p) {
        fer_exchange_end(x); /* 500 */
        return NULL;
    }
    int64_t now = fer_clock_mono();
    *p = (fer_inquiry){
        .web = w, .exchange = x, .guest = fer_guest_ref(who), .since = now, .quiet_since = now};
    p->next = w->posts;
    p->place = &w->posts;
    if (p->next) p->next->place = &p->next;
    w->posts = p;
    return p;
}

void fer_inquiry_free(fer_inquiry *p)
{
    *p->place = p->next;
    if (p->next) p->next->place = p->place;
    if (p->session && p->session->stream == p) p->session->stream = NULL;
    if (p->peer) fer_peer_close(p->peer);
    fer_guest_unref(p->guest);
    fer_sys_free(p->late);
    fer_sys_free(p);
}

void fer_inquiry_end(fer_inquiry *p)
{
    fer_exchange *x = p->exchange;
    fer_inquiry_free(p);
    if (x) fer_exchange_end(x);
}

/* Only where requests stand alone does leaving mean that nobody wants the answer. */
static void on_gone(fer_exchange *x, fer_gone why)
{
    fer_inquiry *p = fer_exchange_owner(x);
    fer_talk *talk = p->talk;
    fer_session *s = p->session;
    bool alone = p->peer != NULL, old = s && s->old && s->stream == p;
    (void)why;
    if (fer_inquiry_detach(p)) return;
    p->talk = NULL;
    if (talk) fer_talk_abandon(talk, alone);
    fer_inquiry_end(p);
    if (old) fer_session_end(s);
}

static void on_drained(fer_exchange *x)
{
    fer_inquiry_flush(fer_exchange_owner(x));
}

/* Its peer is closed, and with it what runs is cancelled. */
void fer_inquiries_sweep(fer_web *w)
{
    for (fer_inquiry *p = w->posts, *next; p; p = next) {
        next = p->next;
        if (!fer_guest_is_over(p->guest)) continue;
        if (p->talk) fer_talk_abandon(p->talk, false);
        p->talk = NULL;
        fer_exchange *x = p->exchange;
        bool streams = p->streams;
        fer_inquiry_free(p);
        if (x && streams) fer_exchange_end(x);
        else if (x)
            fer_web_refuse(x, 401, FER_RPC_INVALID_REQUEST, "the token is not good any more");
    }
}

const fer_exchange_events fer_inquiry_watch = {.gone = on_gone, .drained = on_drained};

static void on_note(void *context, fer_str message)
{
    fer_inquiry_write(context, message, false);
}

static void on_end(void *context, fer_str answer, int status)
{
    fer_inquiry *p = context;
    fer_exchange *x = p->exchange;
    fer_http_field fields[3] = {{FER_STR("Content-Type"), FER_STR(JSON)}};
    size_t count = answer.len ? 1 : 0;
    fer_str scope = fer_talk_scope(p->talk);
    char id[FER_SESSION_TEXT] = "";
    p->talk = NULL;
    if (p->session) p->session->used = fer_clock_mono();
    if (p->streams) {
        fer_inquiry_finish(p, answer);
        return;
    }
    if (p->opened && p->session) {
        bool agreed = fer_peer_version(p->session->peer) != NULL;
        memcpy(id, p->session->id, sizeof id);
        if (agreed) fields[count++] = (fer_http_field){FER_STR(SESSION), fer_str_of(id)};
        fer_session *none = agreed ? NULL : p->session;
        if (none) p->session = NULL;
        if (none) fer_session_end(none); /* nothing came of it */
    }
    if (scope.len)
        fields[count++] = (fer_http_field){
            FER_STR("WWW-Authenticate"),
            fer_web_challenge(p->web, fer_exchange_arena(x), &(fer_stranger){0}, scope)};
    fer_exchange_answer(x, (unsigned)status, fields, count, answer, NULL);
    fer_inquiry_free(p);
}

static bool on_ask(void *context, fer_str message)
{
    return !fer_inquiry_write(context, message, false);
}

static const fer_talk_events events = {on_note, on_end, on_ask};

/* ---- what a client takes --------------------------------------------------------------------- */

bool fer_inbound_takes(const fer_inbound *in, const char *media_type)
{
    fer_accept known = {0};
    fer_str type = fer_str_of(media_type), name = FER_STR("accept");
    bool any = false;
    for (size_t i = 0; i < in->field_count; i++) {
        const fer_http_field *f = &in->fields[i];
        if (f->name.len != name.len || !fer_str_eq_nocase(f->name, name)) continue;
        fer_accept_read(&known, f->value, type);
        any = true;
    }
    return !any || known.taken;
}

/* ---- POST ------------------------------------------------------------------------------------ */

typedef enum fer_post_kind {
    POST_ALONE,   /* of 2026-07-28, or meant to be */
    POST_OPENING, /* initialize */
    POST_OTHER
} fer_post_kind;

/* Looks into a body that no header speaks for. */
static fer_post_kind kind_of(fer_exchange *x, fer_str version)
{
    const fer_inbound *in = fer_exchange_inbound(x);
    const fer_mcp_version *v = fer_mcp_version_find(version);
    fer_rpc m;
    if (version.len && (!v || v->modern)) return POST_ALONE;
    if (fer_inbound_get(in, SESSION).ptr) return POST_OTHER; /* perhaps a batch */
    if (fer_rpc_read(fer_exchange_arena(x), in->body, NULL, &m, NULL))
        return POST_ALONE; /* says why */
    if (m.kind != FER_RPC_REQUEST) return POST_OTHER;
    if (fer_str_is(m.method, "initialize")) return POST_OPENING;
    const yyjson_val *meta = fer_val_get(m.params, "_meta");
    bool named = fer_is_obj(meta) && fer_val_get(meta, FER_MCP_META_VERSION);
    return named || fer_str_is(m.method, "server/discover") ? POST_ALONE : POST_OTHER;
}

/* What a field says: it may be =?base64?...?=, strictly. `ptr` NULL: it is meant to be and is not.
 */
static fer_str decode(fer_arena *a, fer_str value)
{
    fer_str out;
    if (!fer_str_starts(value, "=?base64?") || !fer_str_ends(value, "?=") || value.len < 11)
        return value;
    fer_str code = fer_str_slice(value, 9, value.len - 2);
    return fer_content_find(FER_STR("base64"))(a, code, &out) ? FER_STR_NONE : out;
}

static fer_str decode_name(fer_arena *a, fer_str name)
{
    fer_str out = decode(a, name);
    return out.ptr ? out : FER_STR("");
}

/* All fields Mcp-Param-NAME; those of a request are few. */
static void read_params(fer_arena *a, const fer_inbound *in, fer_talk_hints *out)
{
    static const char head[] = "Mcp-Param-";
    size_t len = sizeof head - 1;
    struct fer_head_param *list = NULL;
    for (size_t i = 0; i < in->field_count; i++) {
        fer_str name = in->fields[i].name;
        if (name.len <= len || !fer_str_eq_nocase(fer_str_head(name, len), fer_str_of(head)))
            continue;
        if (!list) list = fer_arena_alloc_zero(a, in->field_count, sizeof *list);
        if (!list) return; /* then they are missing */
        list[out->param_count++] = (struct fer_head_param){fer_str_slice(name, len, name.len),
                                                           decode(a, in->fields[i].value)};
    }
    out->params = list;
}

/* Of a field that is there twice somebody on the way may have read the other one: it has no value
 * that anything is or says. */
static fer_str header(const fer_inbound *in, const char *name)
{
    fer_str value;
    size_t count = fer_inbound_find(in, name, &value);
    return count > 1 ? FER_STR("(more than one)") : count ? value : FER_STR("");
}

static void begin_talk(fer_inquiry *p, fer_peer *peer)
{
    const fer_inbound *in = fer_exchange_inbound(p->exchange);
    fer_talk_hints hints = {
        .http = true,
        .version = header(in, VERSION),
        .method = header(in, "Mcp-Method"),
        .name = decode_name(fer_exchange_arena(p->exchange), header(in, "Mcp-Name"))};
    read_params(fer_exchange_arena(p->exchange), in, &hints);
    p->talk = peer ? fer_talk_new(peer, &events, p) : NULL;
    if (!p->talk) {
        fer_exchange *x = p->exchange;
        fer_inquiry_free(p);
        fer_web_later(x);
        return;
    }
    fer_exchange_watch(p->exchange, &fer_inquiry_watch, p);
    fer_talk_take(p->talk, in->body, &hints);
}

/* A request of an older version: the session that it names is there, is its own, and of that
 * version. Whose session it is says nothing to others: it is not there (CVE-2025-6515). */
static fer_session *session_of(fer_web *w, fer_guest *who, fer_exchange *x)
{
    const fer_inbound *in = fer_exchange_inbound(x);
    fer_str id = header(in, SESSION), version = header(in, VERSION);
    bool foreign = false;
    fer_session *s = id.len ? fer_session_find(w, id, who, &foreign) : NULL;
    const fer_mcp_version *agreed = s ? fer_peer_version(s->peer) : NULL;
    if (foreign) fer_web_denied(w, who, in, "session");
    if (!id.len)
        fer_web_refuse(x, 400, FER_RPC_INVALID_REQUEST, SESSION " is missing: initialize first");
    else if (!s) fer_web_refuse(x, 404, FER_RPC_INVALID_REQUEST, "there is no such session");
    else if (version.len && agreed && !fer_str_is(version, agreed->name))
        fer_web_refuse(x, 400, FER_RPC_INVALID_REQUEST,
                       VERSION " is not what initialize agreed on");
    else return s;
    return NULL;
}

void fer_web_post(fer_web *w, fer_guest *who, fer_exchange *x)
{
    const fer_inbound *in = fer_exchange_inbound(x);
    if (!fer_inbound_is(in, JSON)) {
        fer_web_refuse(x, 415, FER_RPC_INVALID_REQUEST, "the body must be " JSON);
        return;
    }
    if (!fer_inbound_takes(in, JSON) && !fer_inbound_takes(in, EVENT_STREAM)) {
        fer_web_refuse(x, 406, FER_RPC_INVALID_REQUEST,
                       "Accept must name " JSON " or " EVENT_STREAM);
        return;
    }
    fer_post_kind kind = kind_of(x, header(in, VERSION));
    fer_session *s = kind == POST_OTHER ? session_of(w, who, x) : NULL;
    if (kind == POST_OTHER && !s) return;
    fer_inquiry *p = fer_inquiry_new(w, who, x);
    if (!p) return;
    p->events_fine = fer_inbound_takes(in, EVENT_STREAM);
    if (kind == POST_ALONE)
        p->peer = fer_peer_new(w->options.front,
                               &(fer_peer_options){.context = p, .guest = who, .once = true});
    if (kind == POST_OPENING) s = fer_session_new(w, who);
    p->session = s;
    p->opened = kind == POST_OPENING;
    begin_talk(p, p->peer ? p->peer : s ? s->peer : NULL);
}

/* ---- GET and DELETE ---------------------------------------------------------------------------
 */

void fer_web_get(fer_web *w, fer_guest *who, fer_exchange *x)
{
    const fer_inbound *in = fer_exchange_inbound(x);
    fer_session *s = session_of(w, who, x);
    if (!s) return; /* it was answered, and what came with it has gone */
    fer_str last = fer_inbound_get(in, "Last-Event-ID");
    if (!fer_inbound_takes(in, EVENT_STREAM)) {
        fer_web_refuse(x, 406, FER_RPC_INVALID_REQUEST, "Accept must name " EVENT_STREAM);
        return;
    }
    if (last.len) {
        fer_web_resume(s, who, x, last);
        return;
    }
    if (s->stream) {
        fer_web_refuse(x, 409, FER_RPC_INVALID_REQUEST, "the session has a stream");
        return;
    }
    fer_inquiry *p = fer_inquiry_new(w, who, x);
    if (!p) return;
    p->session = s;
    p->events_fine = true;
    s->stream = p;
    fer_exchange_watch(x, &fer_inquiry_watch, p);
    if (!fer_inquiry_begin_stream(p)) fer_inquiry_end(p);
}

void fer_web_delete(fer_web *w, fer_guest *who, fer_exchange *x)
{
    fer_session *s = session_of(w, who, x);
    if (!s) return;
    fer_session_end(s);
    fer_exchange_answer(x, 204, NULL, 0, FER_STR(""), NULL);
}
