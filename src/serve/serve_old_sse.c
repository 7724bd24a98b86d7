/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transport of 2024-11-05: GET /sse is a stream whose first event names where to POST; what is
 * posted there is taken with 202, and answered on the stream. The session is the stream: it ends
 * with it.
 */
#include "serve_web_parts.h"

#define EVENT_STREAM "text/event-stream"
#define JSON         "application/json"

void fer_web_old_get(fer_web *w, fer_guest *who, fer_exchange *x)
{
    if (!fer_inbound_takes(fer_exchange_inbound(x), EVENT_STREAM)) {
        fer_web_refuse(x, 406, FER_RPC_INVALID_REQUEST, "Accept must name " EVENT_STREAM);
        return;
    }
    fer_inquiry *p = fer_inquiry_new(w, who, x);
    fer_session *s = p ? fer_session_new(w, who) : NULL;
    if (!s) {
        if (p) fer_inquiry_free(p);
        fer_web_later(x);
        return;
    }
    s->old = true;
    s->stream = p;
    p->session = s;
    p->events_fine = true;
    fer_str first = fer_arena_printf(fer_exchange_arena(x),
                                     "event: endpoint\ndata: /message?sessionId=%s\n\n", s->id);
    fer_exchange_watch(x, &fer_inquiry_watch, p);
    if (!first.ptr || !fer_inquiry_begin_stream(p) || fer_exchange_write(x, first, NULL))
        fer_session_end(s);
}

/* The session goes with its peer, and the peer says nothing more then. */
static void on_note(void *context, fer_str message)
{
    fer_session_push(context, message);
}

/* An answer for which there is no room is the end of the stream: nobody waits for what was lost. */
static void on_end(void *context, fer_str answer, int status)
{
    fer_session *s = context;
    (void)status;
    if (answer.len && s->stream && fer_inquiry_write(s->stream, answer, true) == FER_LIMIT_EXCEEDED)
        s->lost = true;
}

static const fer_talk_events events = {on_note, on_end};

void fer_web_old_post(fer_web *w, fer_guest *who, fer_exchange *x)
{
    const fer_inbound *in = fer_exchange_inbound(x);
    fer_str query = in->query.ptr ? in->query : FER_STR("");
    bool foreign = false;
    fer_str id =
        fer_str_starts(query, "sessionId=") ? fer_str_slice(query, 10, query.len) : FER_STR("");
    fer_session *s = id.len ? fer_session_find(w, id, who, &foreign) : NULL;
    if (foreign) fer_web_denied(w, who, in, "session");
    if (!s || !s->old) {
        fer_web_refuse(x, 404, FER_RPC_INVALID_REQUEST, "there is no such session");
        return;
    }
    if (!fer_inbound_is(in, JSON)) {
        fer_web_refuse(x, 415, FER_RPC_INVALID_REQUEST, "the body must be " JSON);
        return;
    }
    fer_talk *talk = fer_talk_new(s->peer, &events, s);
    if (!talk) {
        fer_exchange_end(x); /* 500 */
        return;
    }
    fer_talk_take(talk, in->body, NULL);
    fer_exchange_reply(x, 202, "text/plain", FER_STR("Accepted"));
}
