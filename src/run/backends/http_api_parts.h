/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an API's runner: http_api.c (requests and answers), http_api_token.c (a request and
 * its token). */
#ifndef FER_HTTP_API_PARTS_H
#define FER_HTTP_API_PARTS_H

#include "http_answer.h"
#include "http_api.h"
#include "lines.h"
#include "map.h"
#include "sse.h"

typedef struct fer_asking fer_asking;

typedef struct fer_api {
    fer_runner runner;
    fer_arena *arena;
    fer_net_rules *rules;
    fer_http *http;
    fer_map bindings; /* fer_http_binding, by tool */
    fer_http_common common;
    fer_str list; /* of all records */
    char host[FER_NET_HOST_MAX + 1];
    size_t running;
    uint64_t calls;
    bool stopping;
    fer_oauth_pool *tokens; /* or NULL */
    fer_asking *waiting;    /* for tokens */
} fer_api;

/* One request. `attempt` is NULL once its call was given up: nobody waits for the rest of it. */
struct fer_asking {
    fer_api *api;
    fer_attempt *attempt;
    fer_http_call *call;
    fer_http_answer answer;
    fer_sse events;
    fer_line_split lines;
    bool streams; /* events or lines are set up */
    /* Tokens. */
    const fer_http_binding *binding;
    fer_oauth *oauth; /* of the caller; or NULL */
    fer_oauth_waiter waiter;
    fer_asking *next, **place; /* of those that wait; `place` NULL: it does not */
    fer_err *at_once;          /* while it begins to wait: what came of it before that ended */
    uint64_t token;            /* the mark of the one that was shown */
    bool refused;              /* once: it is not renewed again */
    char *challenge;           /* of a refusal; or NULL */
};

/* ---- http_api.c ---- */

/* Makes the request. Fails where nothing was sent. */
fer_code fer_asking_send(fer_asking *q, fer_err *err);
/* It is over: nobody waits for it any more. */
void fer_asking_free(fer_asking *q);

/* ---- http_api_token.c ---- */

/* Finds the caller's token. The request waits (`place`) where one is about to come, to be sent
 * then. */
fer_code fer_asking_begin(fer_asking *q, fer_err *err);
/* The field of the token, where there is one. */
bool fer_asking_shows(fer_asking *q, fer_http_field *out);
/* Remembers what a refusal says, or that the token was good. */
void fer_asking_judge(fer_asking *q, const fer_http_head *head);
/* Whether the refused request waits for another token, or has ended as it had one already. */
bool fer_asking_renews(fer_asking *q);
/* Waits no more. */
void fer_asking_leave(fer_asking *q);

#endif
