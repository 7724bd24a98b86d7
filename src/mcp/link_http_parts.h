/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a link over HTTP: link_http.c (the link, its sessions), http_post.c (one exchange:
 * what is asked, what comes, how it ends), http_events.c (servers of 2024-11-05, whose answers all
 * come on one stream), http_verdict.c (what a status means).
 */
#ifndef FER_LINK_HTTP_PARTS_H
#define FER_LINK_HTTP_PARTS_H

#include "link_http.h"
#include "sse.h"

typedef struct fer_http_link fer_http_link;

typedef enum fer_post_kind {
    FER_POST_MESSAGE, /* a message, and its answer */
    FER_POST_RESUMED, /* the rest of an answer, by GET */
    FER_POST_NEWS,    /* what the server says unasked, by GET */
    FER_POST_EVENTS,  /* all that a server of 2024-11-05 says, by GET */
    FER_POST_GOODBYE  /* DELETE */
} fer_post_kind;

/*
 * One exchange. A stream that broke goes on as the same post by another call, after a pause; `call`
 * is NULL meanwhile, and while it is held back.
 */
typedef struct fer_post {
    fer_http_link *link;
    struct fer_post *next, **place;
    fer_post_kind kind;
    fer_http_call *call;
    uint64_t id;      /* of the request; 0: none */
    int64_t deadline; /* fer_clock_mono; 0: none */
    const fer_mcp_version *version;
    bool opens, gate; /* it opens a session; nothing else is sent until it has ended */
    bool ending;      /* its end is being told */
    bool given_up;    /* nobody waits for it */
    bool large;       /* the answer was larger than allowed */
    bool streams;     /* the answer is a stream of events */
    unsigned status;  /* 0: none yet */
    unsigned resumes; /* that brought nothing */
    int64_t retry_after_ms;
    char *body; /* of an answer that is no stream */
    size_t body_len, body_cap;
    fer_sse sse;
    uv_timer_t pause;
    bool pausing;
    /* What is held back: a copy of the message. */
    char *held;
    fer_mcp_out message;
    /* Tokens. */
    fer_oauth_waiter waiter;
    bool waits;        /* for a token */
    fer_err *at_once;  /* while it begins to wait: what came of it before that ended; else NULL */
    unsigned renewals; /* that it has asked for */
    uint64_t token;    /* the mark of the one that was shown */
    char *challenge;   /* of a refusal; or NULL */
} fer_post;

struct fer_http_link {
    fer_mcp_link base; /* first */
    uv_loop_t *loop;
    fer_http *http;
    fer_link_http_spec spec;
    fer_post *posts;
    size_t post_count;
    const fer_mcp_version *version; /* agreed; NULL: not yet */
    char session[FER_LINK_SESSION_MAX + 1];
    fer_post *gate; /* others wait for it */
    /* A server of 2024-11-05: where messages go, and the one that waits until that is known. */
    bool old;
    fer_str endpoint;
    fer_post *first;
    bool closing;
    fer_code lost; /* it closes by itself; why */
    const char *lost_why;
};

/* ---- http_post.c
 * ---------------------------------------------------------------------------------- */

fer_post *fer_post_new(fer_http_link *l, fer_post_kind kind);
void fer_post_free(fer_post *p); /* takes it off its link */
/* Keeps a copy of the message, to be sent by fer_post_start later. */
bool fer_post_hold(fer_post *p, const fer_mcp_out *m);
/* Makes the call. Fails where nothing was sent. */
fer_code fer_post_start(fer_post *p, const fer_mcp_out *m, fer_err *err);
/* Tells that there will be no answer, ends and frees it. */
void fer_post_fail(fer_post *p, const fer_mcp_failure *f);
/* No more of it: its end comes, and nobody is told. */
void fer_post_give_up(fer_post *p);

/* ---- post_token.c: a post and its token
 * ------------------------------------------------------------------------------------ */

/* Lets the post wait (`waits`) for a token before it is sent, where one is about to come. Fails
 * where none is to be had. */
fer_code fer_post_await(fer_post *p, fer_err *err);
/* Remembers what a refusal says, or that the token was good. */
void fer_post_judge(fer_post *p, const fer_http_head *head);
/* Whether the refused post waits for another token, to be sent again. */
bool fer_post_renews(fer_post *p);

/* ---- link_http.c
 * ------------------------------------------------------------------------------------ */

/* A post has ended and is gone. */
void fer_http_link_settle(fer_http_link *l);
/* The gate has opened: what was held back is sent. */
void fer_http_link_open_gate(fer_http_link *l);

/* Nothing can come any more: the client is told when nothing is left. */
void fer_http_link_lost(fer_http_link *l, const char *why);

/* ---- http_events.c
 * ---------------------------------------------------------------------------------- */

/* Asks a server that does not take the first message for a stream of events. False: no use. */
bool fer_events_begin(fer_post *first);
/* Whether a message must be kept for that. */
bool fer_events_may_follow(const fer_post *p);
/* The first event: where messages go. */
void fer_events_endpoint(fer_http_link *l, fer_str where);
/* The stream has ended. True: the first message is as it was before it. */
void fer_events_ended(fer_post *stream);
/* Tells how a post ended, where it was refused by its status. */
void fer_post_refused(fer_post *p);

/* ---- http_verdict.c
 * ---------------------------------------------------------------------------------- */

/* What a status of 300 or more means for a request. */
fer_mcp_failure fer_http_verdict(unsigned status);
/* A value for a header: as it is where it is visible ASCII, else in base64 (2026-07-28). */
fer_str fer_http_header_value(fer_arena *a, fer_str value);

#endif
