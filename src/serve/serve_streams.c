/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of events: what is written on them, who reads them again after the connection was lost.
 * A stream of a session has a number, and so has each message on it. A client that has gone leaves
 * a post without an exchange; the GET that names the last message it saw gets what came since, and
 * is the exchange of that post from then on.
 */
#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "serve_web_parts.h"
#include "sys.h"

#define MS           INT64_C(1000000) /* ns */
#define EVENT_STREAM "text/event-stream"

static int64_t or_else(int64_t value, int64_t otherwise)
{
    return value > 0 ? value : otherwise;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add_event(fer_buf *b, uint32_t stream, uint64_t number, fer_str message)
{
    char id[FER_EVENT_ID];
    if (stream) {
        fer_event_id_write(stream, number, id);
        fer_buf_printf(b, "id: %s\n", id);
    }
    fer_buf_add_text(b, "event: message\ndata: ");
    fer_buf_add(b, message);
    fer_buf_add_text(b, "\n\n");
}

static bool is_since(const fer_session *s, const char *version)
{
    const fer_mcp_version *v = fer_peer_version(s->peer);
    return v && strcmp(v->name, version) >= 0;
}

/* From 2025-11-25 on a stream begins with an ID and nothing else, so that whoever loses it at once
 * can ask for it again. Older clients would take the empty text for a message. */
static void prime(fer_inquiry *p)
{
    char text[128], id[FER_EVENT_ID];
    fer_buf b;
    if (!p->stream || !is_since(p->session, "2025-11-25")) return;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_event_id_write(p->stream, p->number, id);
    fer_buf_printf(&b, "id: %s\nretry: %lld\ndata: \n\n", id,
                   (long long)or_else(p->web->options.retry_ms, FER_HTTP_RETRY_MS));
    fer_exchange_write(p->exchange, fer_buf_view(&b), NULL);
}

bool fer_inquiry_begin_stream(fer_inquiry *p)
{
    fer_http_field field = {FER_STR("Mcp-Session-Id"), FER_STR("")};
    fer_session *s = p->session;
    if (p->streams) return true;
    if (!p->events_fine || !p->exchange) return false;
    if (s) field.value = fer_str_of(s->id);
    p->streams =
        !fer_exchange_stream(p->exchange, 200, EVENT_STREAM, &field, p->opened && s ? 1 : 0, NULL);
    if (!p->streams || !s || s->old) return p->streams;
    if (!p->stream) p->stream = ++s->streams;
    if (s->stream == p) s->get_stream = p->stream;
    prime(p);
    return true;
}

static fer_code send_event(fer_inquiry *p, uint64_t number, fer_str message)
{
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    if (!a) return FER_OUT_OF_MEMORY;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    add_event(&b, p->stream, number, message);
    fer_code code = fer_buf_code(&b, NULL);
    if (!code) code = fer_exchange_write(p->exchange, fer_buf_view(&b), NULL);
    fer_arena_free(a);
    p->quiet_since = fer_clock_mono();
    return code;
}

fer_code fer_inquiry_write(fer_inquiry *p, fer_str message, bool answer)
{
    if (p->exchange && !fer_inquiry_begin_stream(p)) return FER_CANCELLED;
    uint64_t number = p->stream ? ++p->number : 0;
    if (p->stream)
        fer_past_put(&p->web->past, &p->session->past, p->stream, number, message, answer);
    if (p->session && p->session->stream == p) p->session->get_number = number;
    return p->exchange ? send_event(p, number, message) : FER_OK;
}

/* Notes may be lost to a reader that is behind; an answer never is. */
void fer_inquiry_finish(fer_inquiry *p, fer_str answer)
{
    fer_code code = answer.len ? fer_inquiry_write(p, answer, true) : FER_OK;
    if (code == FER_LIMIT_EXCEEDED) {
        p->late = fer_sys_malloc(answer.len);
        if (p->late) {
            memcpy(p->late, answer.ptr, answer.len);
            p->late_len = answer.len;
            p->late_number = p->number;
            return;
        }
    }
    fer_inquiry_end(p);
}

void fer_inquiry_flush(fer_inquiry *p)
{
    if (!p->late || !p->exchange) return;
    if (send_event(p, p->late_number, (fer_str){p->late, p->late_len}) == FER_LIMIT_EXCEEDED)
        return;
    fer_inquiry_end(p);
}

void fer_inquiries_beat(fer_web *w)
{
    int64_t limit = fer_clock_mono() - or_else(w->options.beat_ms, FER_HTTP_BEAT_MS) * MS;
    for (fer_inquiry *p = w->posts; p; p = p->next) {
        if (p->quiet_since > limit || !p->exchange || !fer_inquiry_begin_stream(p)) continue;
        fer_exchange_write(p->exchange, FER_STR(":\n\n"), NULL);
        p->quiet_since = fer_clock_mono();
    }
}

void fer_session_push(fer_session *s, fer_str message)
{
    if (s->stream) fer_inquiry_write(s->stream, message, false);
    else if (s->get_stream) /* who reads it again gets it then */
        fer_past_put(&s->web->past, &s->past, s->get_stream, ++s->get_number, message, false);
}

/* ---- leaving and coming again -----------------------------------------------------------------
 */

bool fer_inquiry_detach(fer_inquiry *p)
{
    fer_exchange *x = p->exchange;
    if (!p->talk || !p->session || !p->stream) return false;
    p->exchange = NULL;
    fer_exchange_end(x);
    return true;
}

void fer_inquiries_poll(fer_web *w)
{
    int64_t limit = fer_clock_mono() - w->options.poll_ms * MS;
    if (w->options.poll_ms <= 0) return;
    for (fer_inquiry *p = w->posts; p; p = p->next) {
        if (!p->talk || !p->session || !p->exchange || p->since > limit || p->opened ||
            p->session->old || !is_since(p->session, "2025-11-25") || !fer_inquiry_begin_stream(p))
            continue;
        fer_inquiry_detach(p);
    }
}

struct replay {
    fer_buf *out;
    uint32_t stream;
};

static bool show(void *context, uint64_t number, fer_str message)
{
    struct replay *r = context;
    add_event(r->out, r->stream, number, message);
    return true;
}

/* All that came since, as one piece: what a reader is behind by is not counted against it. */
static bool replay(const fer_session *s, fer_exchange *x, uint32_t stream, uint64_t after)
{
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    if (!a) return false;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    bool ended = fer_past_replay(&s->past, stream, after, show, &(struct replay){&b, stream});
    if (!b.failure && b.len) fer_exchange_write(x, fer_buf_view(&b), NULL);
    fer_arena_free(a);
    return ended;
}

static fer_inquiry *post_of(const fer_session *s, uint32_t stream)
{
    fer_inquiry *p = s->web->posts;
    while (p && (p->session != s || p->stream != stream)) p = p->next;
    return p;
}

/* A post whose client has come again, or comes a second time: the newer exchange counts. */
static void attach(fer_inquiry *p, fer_exchange *x, uint64_t after)
{
    fer_exchange *before = p->exchange;
    if (fer_exchange_stream(x, 200, EVENT_STREAM, NULL, 0, NULL)) {
        fer_exchange_end(x);
        return;
    }
    p->exchange = x;
    p->streams = p->events_fine = true;
    p->since = p->quiet_since = fer_clock_mono();
    if (before) fer_exchange_end(before);
    fer_exchange_watch(x, &fer_inquiry_watch, p);
    replay(p->session, x, p->stream, after);
    prime(p);
    if (!p->late) return;
    fer_sys_free(p->late); /* it was among what was sent again */
    p->late = NULL;
    fer_inquiry_end(p);
}

void fer_web_resume(fer_session *s, fer_guest *who, fer_exchange *x, fer_str id)
{
    uint32_t stream;
    uint64_t number;
    bool known = fer_event_id_read(id, &stream, &number) && stream && stream <= s->streams;
    fer_inquiry *p = known ? post_of(s, stream) : NULL;
    if (p) {
        attach(p, x, number);
    } else if (known && stream == s->get_stream) {
        if (s->stream) fer_inquiry_end(s->stream);
        p = fer_inquiry_new(s->web, who, x);
        if (!p) return;
        p->session = s;
        p->stream = stream;
        p->number = s->get_number;
        s->stream = p;
        p->exchange = NULL;
        attach(p, x, number);
        if (!p->exchange) fer_inquiry_free(p);
    } else if (known && fer_past_has(&s->past, stream)) {
        if (!fer_exchange_stream(x, 200, EVENT_STREAM, NULL, 0, NULL)) replay(s, x, stream, number);
        fer_exchange_end(x);
    } else {
        fer_web_refuse(x, 400, FER_RPC_INVALID_REQUEST,
                       "Last-Event-ID is of no stream of this session, or what came after it is "
                       "not kept any more");
    }
}
