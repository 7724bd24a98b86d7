/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of older versions over HTTP: found by random names, ended when nobody uses them. */
#include "clock.h"
#include "serve_web_parts.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

static int hex_of(char c)
{
    return fer_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Names are random, so their first letters spread them. */
static fer_session **bucket(fer_web *w, const char *id)
{
    int x = hex_of(id[0]), y = hex_of(id[1]), z = hex_of(id[2]);
    return x < 0 || y < 0 || z < 0 ? NULL : &w->sessions[x << 8 | y << 4 | z];
}

static bool make_id(char out[FER_SESSION_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char random[(FER_SESSION_TEXT - 1) / 2];
    if (fer_sys_random(random, sizeof random)) return false;
    for (size_t i = 0; i < sizeof random; i++) {
        out[2 * i] = hex[random[i] >> 4];
        out[2 * i + 1] = hex[random[i] & 15];
    }
    out[FER_SESSION_TEXT - 1] = '\0';
    return true;
}

static void on_push(void *context, fer_str message)
{
    fer_session_push(context, message);
}

/* Whoever listens may be told something. */
static int64_t idle_since(void *context)
{
    const fer_session *s = context;
    return s->stream || s->old ? INT64_MAX : s->used;
}

static void leave(void *context)
{
    fer_session_end(context);
}

fer_session *fer_session_new(fer_web *w, fer_guest *who)
{
    fer_session *s = fer_sys_malloc(sizeof *s);
    if (!s) return NULL;
    *s = (fer_session){.web = w, .guest = who, .used = fer_clock_mono()};
    s->peer = make_id(s->id)
                  ? fer_peer_new(w->options.front, &(fer_peer_options){.push = on_push,
                                                                       .context = s,
                                                                       .guest = who,
                                                                       .idle_since = idle_since,
                                                                       .leave = leave})
                  : NULL;
    if (!s->peer) {
        fer_sys_free(s);
        return NULL;
    }
    fer_session **list = bucket(w, s->id);
    s->next = *list;
    *list = s;
    return s;
}

fer_session *fer_session_find(fer_web *w, fer_str id, const fer_guest *who, bool *foreign)
{
    *foreign = false;
    fer_session **list = id.len == FER_SESSION_TEXT - 1 ? bucket(w, id.ptr) : NULL;
    for (fer_session *s = list ? *list : NULL; s; s = s->next) {
        if (!fer_str_is(id, s->id)) continue;
        *foreign = s->guest != who;
        if (*foreign) return NULL;
        s->used = fer_clock_mono();
        return s;
    }
    return NULL;
}

/* What it waits for will not come: all that runs for the session is cancelled. */
static void end_post(fer_inquiry *p)
{
    fer_exchange *x = p->exchange;
    bool streams = p->streams;
    if (p->talk) fer_talk_abandon(p->talk, false);
    p->talk = NULL;
    fer_inquiry_free(p);
    if (x && !streams) fer_web_refuse(x, 404, FER_RPC_INVALID_REQUEST, "the session has ended");
    else if (x) fer_exchange_end(x);
}

void fer_session_end(fer_session *s)
{
    fer_session **place = bucket(s->web, s->id);
    while (*place != s) place = &(*place)->next;
    *place = s->next;
    if (s->stream) fer_inquiry_end(s->stream);
    for (fer_inquiry *p = s->web->posts, *next; p; p = next) {
        next = p->next;
        if (p->session == s) end_post(p);
    }
    fer_peer_close(s->peer);
    fer_past_sweep(&s->web->past, &s->past, true);
    fer_sys_free(s);
}

void fer_sessions_sweep(fer_web *w, bool all)
{
    int64_t ms = w->options.session_ms > 0 ? w->options.session_ms : FER_HTTP_SESSION_MS;
    int64_t limit = fer_clock_mono() - ms * MS;
    for (size_t i = 0; i < FER_SESSION_BUCKETS; i++)
        for (fer_session *s = w->sessions[i], *next; s; s = next) {
            next = s->next;
            fer_past_sweep(&w->past, &s->past, false);
            bool quiet = s->used < limit && !s->stream && !fer_peer_busy(s->peer);
            if (all || quiet || s->lost || fer_guest_is_over(s->guest)) fer_session_end(s);
        }
}
