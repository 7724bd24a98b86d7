/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a server over HTTP, for its files. */
#ifndef FER_SERVE_WEB_PARTS_H
#define FER_SERVE_WEB_PARTS_H

#include "gateway_parts.h"
#include "serve_events.h"
#include "serve_http.h"

#define FER_SESSION_TEXT    33 /* bytes of the ID of a session, its NUL included */
#define FER_SESSION_BUCKETS 4096

typedef struct fer_session fer_session;

/* One POST that is not answered, or one GET. */
typedef struct fer_inquiry {
    fer_web *web;
    fer_exchange *exchange; /* NULL: its client has gone, and may come again for the answer */
    fer_talk *talk;         /* NULL: a GET, or it is answered */
    fer_peer *peer;         /* its own, of a request that stands alone; or NULL */
    fer_guest *guest;       /* who asks; held */
    fer_session *session;   /* or NULL */
    struct fer_inquiry *next, **place;
    uint32_t stream;     /* its number within the session; 0: it has none */
    uint64_t number;     /* of the last message on it */
    int64_t since;       /* when this exchange began, fer_clock_mono */
    int64_t quiet_since; /* the same */
    char *late;          /* an answer for which there is no room yet; or NULL */
    size_t late_len;
    uint64_t late_number;
    bool streams;     /* the head of a stream is out */
    bool events_fine; /* the client takes a stream */
    bool opened;      /* its answer names the session */
} fer_inquiry;

struct fer_session {
    char id[FER_SESSION_TEXT];
    fer_web *web;
    fer_peer *peer;
    fer_guest *guest; /* whose it is; held by the peer */
    fer_session *next;
    fer_inquiry *stream; /* of its GET; or NULL */
    bool old;            /* of 2024-11-05: it lasts as long as that stream */
    bool lost;           /* an answer of such a one could not be sent: it is to end */
    uint32_t streams;    /* numbers of streams that were given */
    uint32_t get_stream; /* the number of its GET, also when nobody reads it; 0: there was none */
    uint64_t get_number; /* of the last message on that */
    fer_past past;
    int64_t used; /* fer_clock_mono */
};

struct fer_web {
    fer_web_options options;
    fer_http_handler handler;
    fer_http_server *http;
    fer_inquiry *posts;
    fer_session *sessions[FER_SESSION_BUCKETS];
    fer_past_all past;
    struct fer_waiting *waiting; /* requests whose token is being looked into */
    size_t waiting_count;
    struct {
        const fer_exchange *exchange;
        const struct fer_web_route *route;
        fer_guest *guest;
    } head; /* what was last found of one whose body is read; good while nothing else happens */
    uv_timer_t beat;
    int64_t beaten; /* when quiet streams were last looked at */
    fer_buffers buffers;
    size_t crowd; /* the most connections since memory was last given back */
    bool draining;
};

/* Who asks; NULL: a stranger, and `no` says why. */
fer_guest *fer_web_guest(fer_web *w, const fer_inbound *in, fer_stranger *no);
/* The challenge to somebody who may not ask, or (`scope` not empty) needs more scopes to. */
fer_str fer_web_challenge(fer_web *w, fer_arena *a, const fer_stranger *no, fer_str scope);

/* ---- requests of which nobody knows yet who asks (serve_waiting.c) ---- */

/* Waits, until fer_web_again has it taken up by `on`. */
void fer_web_wait(fer_web *w, fer_exchange *x);
/* All of them end. */
void fer_web_wait_no_more(fer_web *w);
/* Tells the records that somebody was turned away. */
void fer_web_denied(fer_web *w, const fer_guest *who, const fer_inbound *in, const char *why);

/* A new session; NULL: no memory, or too many. */
fer_session *fer_session_new(fer_web *w, fer_guest *who);
/* Of this guest; NULL: there is none, or (`*foreign`) it is another's. */
fer_session *fer_session_find(fer_web *w, fer_str id, const fer_guest *who, bool *foreign);
void fer_session_end(fer_session *s);
/* Ends those that nobody has used for long, and those of guests that are over; or all. */
void fer_sessions_sweep(fer_web *w, bool all);

/* The methods of /mcp. */
void fer_web_post(fer_web *w, fer_guest *who, fer_exchange *x);
void fer_web_get(fer_web *w, fer_guest *who, fer_exchange *x);
void fer_web_delete(fer_web *w, fer_guest *who, fer_exchange *x);
/* The old transport: GET /sse, POST /message. */
void fer_web_old_get(fer_web *w, fer_guest *who, fer_exchange *x);
void fer_web_old_post(fer_web *w, fer_guest *who, fer_exchange *x);

/* One that is not answered; NULL: no memory, and the exchange is ended. */
fer_inquiry *fer_inquiry_new(fer_web *w, fer_guest *who, fer_exchange *x);
void fer_inquiry_free(fer_inquiry *p);
/* Ends it, and its exchange where it has one. */
void fer_inquiry_end(fer_inquiry *p);
/* Whom its exchange tells what. */
extern const fer_exchange_events fer_inquiry_watch;

/* ---- streams (serve_streams.c) ---- */

/* Makes a stream of the answer, where the client takes one and it is none yet. */
bool fer_inquiry_begin_stream(fer_inquiry *p);
/* One message; `answer`: the last. It is kept for who comes again. FER_LIMIT_EXCEEDED: the reader
 * is behind. */
fer_code fer_inquiry_write(fer_inquiry *p, fer_str message, bool answer);
/* An answer; ends the post, as soon as there is room for it. */
void fer_inquiry_finish(fer_inquiry *p, fer_str answer);
/* What waited for room. */
void fer_inquiry_flush(fer_inquiry *p);
/* The client has gone: what runs goes on, and the answer is kept. False: nobody could ask for it.
 */
bool fer_inquiry_detach(fer_inquiry *p);
/* A GET that asks for what it missed. */
void fer_web_resume(fer_session *s, fer_guest *who, fer_exchange *x, fer_str id);
/* Something for the session that belongs to no request. */
void fer_session_push(fer_session *s, fer_str message);
/* Closes streams that have waited for long; their clients come again. */
void fer_inquiries_poll(fer_web *w);

/* Whether a client takes a media type. */
bool fer_inbound_takes(const fer_inbound *in, const char *media_type);
/* Ends all that runs for guests that are over. */
void fer_inquiries_sweep(fer_web *w);
/* Says something on streams that were quiet. */
void fer_inquiries_beat(fer_web *w);

/* 503: there is no room for it now. */
void fer_web_later(fer_exchange *x);
/* Answers with an error of JSON-RPC that belongs to no request. */
void fer_web_refuse(fer_exchange *x, unsigned status, int code, const char *message);

#endif
