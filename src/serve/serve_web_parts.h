/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a server over HTTP, for its files. */
#ifndef FER_SERVE_WEB_PARTS_H
#define FER_SERVE_WEB_PARTS_H

#include "serve_http.h"

#define FER_SESSION_TEXT    33 /* bytes of the ID of a session, its NUL included */
#define FER_SESSION_BUCKETS 4096

typedef struct fer_session fer_session;

/* One POST that is not answered, or one GET. */
typedef struct fer_post {
    fer_web *web;
    fer_exchange *exchange;
    fer_talk *talk;       /* NULL: a GET */
    fer_peer *peer;       /* its own, of a request that stands alone; or NULL */
    fer_guest *guest;     /* who asks; held */
    fer_session *session; /* or NULL */
    struct fer_post *next, **place;
    int64_t quiet_since; /* fer_clock_mono */
    bool streams;        /* the head of a stream is out */
    bool events_fine;    /* the client takes a stream */
    bool opened;         /* its answer names the session */
} fer_post;

struct fer_session {
    char id[FER_SESSION_TEXT];
    fer_web *web;
    fer_peer *peer;
    fer_guest *guest; /* whose it is; held by the peer */
    fer_session *next;
    fer_post *stream; /* of its GET; or NULL */
    int64_t used;     /* fer_clock_mono */
};

struct fer_web {
    fer_web_options options;
    fer_http_handler handler;
    fer_http_server *http;
    fer_post *posts;
    fer_session *sessions[FER_SESSION_BUCKETS];
    uv_timer_t beat;
    int64_t beaten; /* when quiet streams were last looked at */
    bool draining;
};

/* Who asks; NULL: a stranger. */
fer_guest *fer_web_guest(fer_web *w, const fer_inbound *in);
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
/* One event of a stream; false: it could not be written. */
bool fer_post_write(fer_post *p, fer_str message);
/* Ends a GET. */
void fer_post_end(fer_post *p);
/* Ends all that runs for guests that are over. */
void fer_posts_sweep(fer_web *w);
/* Says something on streams that were quiet. */
void fer_posts_beat(fer_web *w);

/* Answers with an error of JSON-RPC that belongs to no request. */
void fer_web_refuse(fer_exchange *x, unsigned status, int code, const char *message);

#endif
