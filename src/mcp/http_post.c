/* SPDX-License-Identifier: Apache-2.0 */
/* One exchange over HTTP: what is asked, what comes, how it ends. */
#include <inttypes.h>

#include "arena.h"
#include "clock.h"
#include "errors.h"
#include "link_http_parts.h"
#include "rpc.h"
#include "sys.h"

#define MS        INT64_C(1000000)
#define FOREVER   (INT64_C(365) * 24 * 3600 * 1000 * MS)
#define LATER     (1000 * MS) /* whoever set the deadline gives up first */
#define RETRY_MS  1000 /* before a stream is taken up again, where the server names no time */
#define DELETE_MS 2000
#define NOTICE_MS 10000 /* for what is not answered */
#define OWN       9     /* fields of ours, at most */

static void on_end(void *context, const fer_http_end *end);

/* ---- life
 * ------------------------------------------------------------------------------------------- */

static fer_code take_event(void *context, const fer_sse_event *event, fer_err *err);

fer_post *fer_post_new(fer_http_link *l, fer_post_kind kind)
{
    fer_post *p = fer_sys_malloc(sizeof *p);
    if (!p) return NULL;
    *p = (fer_post){.link = l, .kind = kind, .next = l->posts, .place = &l->posts};
    if (p->next) p->next->place = &p->next;
    l->posts = p;
    l->post_count++;
    fer_sse_init(&p->sse, 0, take_event, p);
    return p;
}

static void release(fer_post *p)
{
    fer_sse_deinit(&p->sse);
    fer_sys_free(p->body);
    fer_sys_free(p->held);
    fer_sys_free(p->challenge);
    fer_sys_free(p);
}

static void pause_closed(uv_handle_t *h)
{
    fer_post *p = h->data;
    fer_http_link *l = p->link;
    release(p);
    l->post_count--;
    fer_http_link_settle(l);
}

/* A post that ever paused is counted until its timer is closed. */
void fer_post_free(fer_post *p)
{
    fer_http_link *l = p->link;
    if (l->first == p) l->first = NULL;
    *p->place = p->next;
    if (p->next) p->next->place = p->place;
    if (p->pausing) {
        uv_close((uv_handle_t *)&p->pause, pause_closed);
        return;
    }
    release(p);
    l->post_count--;
}

static size_t size_of(const fer_mcp_out *m)
{
    size_t size = m->json.len + m->name.len + m->mirrored_count * sizeof *m->mirrored + 1;
    for (size_t i = 0; i < m->mirrored_count; i++)
        size += m->mirrored[i].name.len + m->mirrored[i].value.len;
    return size;
}

static fer_str put(char **at, fer_str s)
{
    fer_str own = {*at, s.len};
    if (s.len) memcpy(*at, s.ptr, s.len);
    *at += s.len;
    return own;
}

/* The name of a method outlives its request. */
bool fer_post_hold(fer_post *p, const fer_mcp_out *m)
{
    p->held = fer_sys_malloc(size_of(m));
    if (!p->held) return false;
    fer_mcp_mirrored *mirrored = (fer_mcp_mirrored *)(void *)p->held;
    char *at = p->held + m->mirrored_count * sizeof *mirrored;
    p->message = *m;
    p->message.json = put(&at, m->json);
    p->message.name = put(&at, m->name);
    p->message.mirrored = mirrored;
    for (size_t i = 0; i < m->mirrored_count; i++)
        mirrored[i] =
            (fer_mcp_mirrored){put(&at, m->mirrored[i].name), put(&at, m->mirrored[i].value)};
    return true;
}

void fer_post_give_up(fer_post *p)
{
    p->given_up = true;
    if (p->waits) fer_oauth_leave(&p->waiter);
    if (p->call) fer_http_cancel(p->call);
    if (p->call || p->ending) return;
    fer_http_link *l = p->link;
    fer_post_free(p); /* held back, or between two calls */
    fer_http_link_settle(l);
}

/* ---- what is asked
 * ------------------------------------------------------------------------------------- */

typedef struct fields {
    fer_http_field list[FER_HTTP_FIELDS_MAX];
    size_t count;
} fields;

static void add(fields *f, const char *name, fer_str value)
{
    if (value.len && f->count < FER_COUNT(f->list))
        f->list[f->count++] = (fer_http_field){fer_str_of(name), value};
}

static void add_mirrored(fer_arena *a, fields *f, const fer_mcp_mirrored *m)
{
    fer_str name = fer_arena_printf(a, "Mcp-Param-%.*s", FER_PRI(m->name));
    fer_str value = fer_http_header_value(a, m->value);
    if (name.ptr && value.ptr && f->count < FER_COUNT(f->list))
        f->list[f->count++] = (fer_http_field){name, value};
}

static void add_fields(fer_arena *a, fer_post *p, const fer_mcp_out *m, fields *f)
{
    const fer_http_link *l = p->link;
    bool modern = p->version && p->version->modern, post = p->kind == FER_POST_MESSAGE;
    for (size_t i = 0; i < l->spec.field_count && i + OWN < FER_COUNT(f->list); i++)
        f->list[f->count++] = l->spec.fields[i];
    if (l->spec.oauth) add(f, "Authorization", fer_oauth_bearer(l->spec.oauth));
    if (l->spec.oauth) p->token = fer_oauth_mark(l->spec.oauth);
    if (post) add(f, "Content-Type", FER_STR("application/json"));
    add(f, "Accept",
        post ? FER_STR("application/json, text/event-stream") : FER_STR("text/event-stream"));
    if (p->version && p->version->header && (modern || !p->opens))
        add(f, "MCP-Protocol-Version", fer_str_of(p->version->name));
    if (!p->opens && !modern) add(f, "Mcp-Session-Id", fer_str_of(l->session));
    if (modern && m) add(f, "Mcp-Method", m->method);
    if (modern && m && m->name.len) add(f, "Mcp-Name", fer_http_header_value(a, m->name));
    for (size_t i = 0; modern && m && i < m->mirrored_count; i++)
        add_mirrored(a, f, &m->mirrored[i]);
    if (!post) add(f, "Last-Event-ID", fer_sse_last_id(&p->sse));
}

static void on_head(void *context, fer_http_call *call, const fer_http_head *head);
static void on_body(void *context, fer_http_call *call, fer_str piece);

static fer_code start_call(fer_arena *a, fer_post *p, const fer_mcp_out *m, fer_err *err)
{
    static const char *const methods[] = {"POST", "GET", "GET", "GET", "DELETE"};
    bool elsewhere = p->link->old && p->kind == FER_POST_MESSAGE;
    int64_t now = fer_clock_mono(), until = p->deadline ? p->deadline + LATER : now + FOREVER;
    int64_t left = until > now ? (until - now) / MS + 1 : 1;
    fields *f = fer_arena_alloc_zero(a, 1, sizeof *f);
    if (!f) return fer_arena_failed(a, err);
    add_fields(a, p, m, f);
    fer_http_request r = {.method = fer_str_of(methods[p->kind]),
                          .url = elsewhere ? p->link->endpoint : p->link->spec.url,
                          .fields = f->list,
                          .field_count = f->count,
                          .body = m && m->json.len ? m->json : FER_STR_NONE,
                          .deadline_ns = until,
                          .idle_ms = left > INT32_MAX ? INT32_MAX : (uint32_t)left,
                          .body_max = SIZE_MAX};
    fer_http_events events = {on_head, on_body, on_end, p};
    return fer_http_start(p->link->http, &r, &events, &p->call, err);
}

fer_code fer_post_start(fer_post *p, const fer_mcp_out *m, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    p->status = 0;
    p->streams = false;
    if (p->kind == FER_POST_GOODBYE) p->deadline = fer_clock_mono() + DELETE_MS * MS;
    if (p->kind == FER_POST_MESSAGE && !p->id) p->deadline = fer_clock_mono() + NOTICE_MS * MS;
    fer_code code = fer_post_await(p, err);
    if (!code && !p->waits) code = start_call(a, p, m, err);
    fer_arena_free(a);
    return code;
}

/* ---- what comes
 * ------------------------------------------------------------------------------------------- */

/* A session's ID is of visible ASCII; another is none. */
static void note_session(fer_http_link *l, fer_str id)
{
    bool good = id.len && id.len <= FER_LINK_SESSION_MAX;
    for (size_t i = 0; good && i < id.len; i++) good = id.ptr[i] > ' ' && id.ptr[i] <= '~';
    if (good) memcpy(l->session, id.ptr, id.len);
    l->session[good ? id.len : 0] = '\0';
}

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    fer_post *p = context;
    (void)call;
    p->status = head->status;
    p->streams = head->status < 300 && fer_http_head_is(head, "text/event-stream");
    p->retry_after_ms = fer_http_retry_after_ms(head);
    fer_post_judge(p, head);
    bool opened = p->opens && head->status < 300 && !p->version->modern;
    if (opened) note_session(p->link, fer_http_head_get(head, "Mcp-Session-Id"));
}

static fer_code take_event(void *context, const fer_sse_event *event, fer_err *err)
{
    fer_post *p = context;
    fer_http_link *l = p->link;
    (void)err;
    bool endpoint = p->kind == FER_POST_EVENTS && fer_str_is(event->name, "endpoint");
    if (endpoint) fer_events_endpoint(l, event->data);
    if (!event->data.len || !fer_str_is(event->name, "message")) return FER_OK; /* a sign of life */
    p->resumes = 0;
    l->base.events->message(l->base.context, p->id, event->data);
    return p->given_up ? FER_CANCELLED : FER_OK;
}

static bool grow_body(fer_post *p, size_t need)
{
    size_t cap = p->body_cap ? p->body_cap : 4096;
    while (cap < need) cap *= 2;
    char *body = fer_sys_malloc(cap);
    if (!body) return false;
    if (p->body_len) memcpy(body, p->body, p->body_len);
    fer_sys_free(p->body);
    p->body = body;
    p->body_cap = cap;
    return true;
}

static void add_body(fer_post *p, fer_str piece)
{
    size_t need = p->body_len + piece.len;
    bool fits = need <= FER_HTTP_BODY_MAX && (need <= p->body_cap || grow_body(p, need));
    if (!fits) {
        p->large = true;
        fer_http_cancel(p->call);
        return;
    }
    if (piece.len) memcpy(p->body + p->body_len, piece.ptr, piece.len);
    p->body_len = need;
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    fer_post *p = context;
    if (p->given_up || p->large) return;
    if (!p->streams) {
        add_body(p, piece);
        return;
    }
    fer_code code = fer_sse_feed(&p->sse, piece, NULL);
    if (!code || p->given_up) return;
    p->large = true;
    fer_http_cancel(call);
}

/* ---- how it ends
 * -------------------------------------------------------------------------------------------- */

static void fail(fer_post *p, const fer_mcp_failure *f)
{
    fer_http_link *l = p->link;
    if (p->id && !p->given_up && !l->closing) l->base.events->failed(l->base.context, p->id, f);
}

static void resume(uv_timer_t *t)
{
    fer_post *p = t->data;
    fer_err err = {0};
    fer_sse_reset(&p->sse);
    if (!fer_post_start(p, NULL, &err)) return;
    p->ending = true;
    fail(p, &(fer_mcp_failure){.code = err.code, .sent = true, .message = err.message});
    fer_post_free(p); /* which settles, as it has paused */
}

/*
 * Whether the rest of a stream is worth asking for: of an answer that has not come whole and whose
 * events have IDs, or of the stream of news.
 */
static bool may_resume(const fer_post *p)
{
    const fer_http_link *l = p->link;
    bool legacy = p->version && !p->version->modern;
    if (p->given_up || p->large || l->closing || !p->streams || !legacy) return false;
    if (p->deadline && fer_clock_mono() > p->deadline) return false;
    if (p->kind == FER_POST_NEWS) return true;
    return p->id && fer_sse_last_id(&p->sse).len && l->base.events->waits(l->base.context, p->id);
}

/* As the server asks, but slower and slower where nothing comes of it. */
static uint64_t pause_of(const fer_post *p)
{
    uint64_t asked = p->sse.retry_ms ? p->sse.retry_ms : RETRY_MS;
    uint64_t own = p->resumes > 1 ? UINT64_C(25) << (p->resumes < 10 ? p->resumes : 10) : 0;
    if (own > FER_LINK_PAUSE_MAX) own = FER_LINK_PAUSE_MAX;
    return asked > own ? asked : own;
}

static void resume_later(fer_post *p)
{
    p->resumes++;
    if (p->kind == FER_POST_MESSAGE) p->kind = FER_POST_RESUMED;
    if (!p->pausing) uv_timer_init(p->link->loop, &p->pause);
    p->pause.data = p;
    p->pausing = true;
    uv_timer_start(&p->pause, resume, pause_of(p), 0);
}

/*
 * An error that came with its status: shown to the client as the answer, unless it means that the
 * session is gone. Some servers say that with 400 and an error to nobody instead of 404.
 */
static bool session_gone(const fer_post *p, const fer_rpc *m)
{
    bool had_one = p->link->session[0] && !p->opens && !p->version->modern;
    bool to_nobody = m && m->id.type == FER_RPC_NO_ID;
    return had_one && (p->status == 404 || (p->status == 400 && to_nobody));
}

/* The answer was begun and cannot be had whole: what became of the request is not known. */
static void cut_off(fer_post *p)
{
    fail(p, &(fer_mcp_failure){.code = FER_CONNECTION_LOST,
                               .sent = true,
                               .message = "the stream ended before the answer"});
}

/* What the server says beside these is no answer to the request, whatever it looks like. */
static bool speaks_for_itself(unsigned status)
{
    return status == 401 || status == 403 || status == 407 || status == 429 || status == 503;
}

void fer_post_refused(fer_post *p)
{
    fer_http_link *l = p->link;
    fer_mcp_failure f = fer_http_verdict(p->status);
    fer_arena *a = fer_arena_new(0);
    fer_rpc m;
    char text[128];
    if (!a) {
        f = (fer_mcp_failure){.code = FER_OUT_OF_MEMORY, .sent = true, .message = "out of memory"};
        fail(p, &f);
        return;
    }
    bool has_error =
        !fer_rpc_read(a, (fer_str){p->body, p->body_len}, fer_json_limits_answer(), &m, NULL) &&
        m.kind == FER_RPC_ERROR;
    f.lost = session_gone(p, has_error ? &m : NULL);
    f.retry_after_ms = p->retry_after_ms > 0 ? p->retry_after_ms : 0;
    snprintf(text, sizeof text, "%s (HTTP status %u)", f.message, p->status);
    if (!strchr(f.message, '(')) f.message = text;
    if (p->id && has_error && !f.lost && !speaks_for_itself(p->status) && !p->given_up)
        l->base.events->message(l->base.context, p->id, (fer_str){p->body, p->body_len});
    fail(p, &f); /* nobody hears it where the error was the answer */
    fer_arena_free(a);
}

static void broke(fer_post *p, const fer_http_end *end)
{
    char text[128];
    fer_mcp_failure f = {
        .code = fer_http_backend_code(end->fault), .sent = end->sent, .message = end->err->message};
    if (p->large) {
        f.code = FER_RESOURCE_LIMIT;
        snprintf(text, sizeof text,
                 "the server's answer is larger than allowed: %s: the limit is %zu bytes",
                 p->streams ? "sse.event" : "http.body",
                 p->streams ? FER_SSE_EVENT_MAX : FER_HTTP_BODY_MAX);
        f.message = text;
    }
    fail(p, &f);
}

static void complete(fer_post *p)
{
    fer_http_link *l = p->link;
    fer_mcp_failure f = fer_http_verdict(p->status);
    if (p->body_len && !p->given_up)
        l->base.events->message(l->base.context, p->id, (fer_str){p->body, p->body_len});
    fail(p, &f); /* nobody hears it where an answer came */
}

static void leave(fer_post *p)
{
    fer_http_link *l = p->link;
    bool gate = p->gate;
    fer_post_free(p);
    if (gate) fer_http_link_open_gate(l);
    fer_http_link_settle(l);
}

void fer_post_fail(fer_post *p, const fer_mcp_failure *f)
{
    p->ending = true;
    fail(p, f);
    leave(p);
}

static void on_end(void *context, const fer_http_end *end)
{
    fer_post *p = context;
    fer_http_link *l = p->link;
    p->call = NULL;
    p->ending = true;
    if (may_resume(p)) {
        p->ending = false;
        resume_later(p);
        return;
    }
    if (!end->fault && fer_post_renews(p)) return;
    if (p->kind == FER_POST_EVENTS) fer_events_ended(p);
    else if (p->kind != FER_POST_MESSAGE || (p->streams && !end->fault)) cut_off(p);
    else if (end->fault) broke(p, end);
    else if (p->status >= 300 && fer_events_begin(p)) {
        p->ending = false;
        return;
    } else if (p->status >= 300) fer_post_refused(p);
    else if (!l->old) complete(p); /* else the answer comes on the stream of events */
    leave(p);
}
