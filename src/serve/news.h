/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What servers say and ask unasked, and whom it reaches. A message or question belongs to the
 * request on whose stream it came. Where a server has one pipe for all, it belongs to the client
 * whose requests are the only ones under way there; with requests of several clients it is
 * nobody's, and is refused or dropped: what one client's call brings about is never shown to
 * another.
 */
#ifndef FER_NEWS_H
#define FER_NEWS_H

#include "mcp_runner.h"
#include "serve_parts.h"

#define FER_SERVE_QUESTIONS_MAX 64   /* to one client that are not answered */
#define FER_SERVE_WATCHES_MAX   1000 /* resources and tasks that one client watches */

void fer_news_begin(fer_front *s);
void fer_news_end(fer_front *s);

/* An answer of a client's to a question. False: it is to nothing that was asked. */
bool fer_question_answered(fer_peer *p, const fer_rpc *m);
/* The questions to a peer as members of inputRequests; and one of them answered by a member of
 * inputResponses, false: none is. */
void fer_questions_write(const fer_peer *p, fer_buf *b);
bool fer_questions_take(fer_peer *p, const fer_json *doc, const yyjson_val *responses);
/* Those that nobody has answered in time are refused. */
void fer_questions_sweep(fer_front *s, int64_t now);
/* A request has ended: questions of its go on without it. */
void fer_questions_forget(fer_peer *p, const fer_ask *q);
/* Something of the client's could not be read, which may have been an answer: all its questions are
 * refused. */
void fer_questions_fail(fer_peer *p);
/* A client is gone. */
void fer_news_leave(fer_peer *p);
/* The session of an older client that is there; or NULL. */
fer_peer *fer_news_older_peer(const fer_front *s, uint64_t session);

/* A resource or a task of a server: the server's name for it, and that by which the client knows
 * it. */
typedef struct fer_thing {
    fer_mcp_watchable kind;
    fer_server *server;
    fer_str own, shown;
} fer_thing;

/* One that a client watches; `ask` is its subscription, NULL: the older kind, of resources. */
typedef struct fer_watch {
    struct fer_watch *next;
    fer_peer *peer;
    fer_ask *ask;
    fer_thing thing; /* its texts are behind this, in the same memory */
    bool over;       /* a task whose end was told */
} fer_watch;

/* Whether somebody watches it by this peer's server already. */
bool fer_watch_has(const fer_front *s, const fer_peer *p, const fer_thing *t);
fer_code fer_watch_add(fer_peer *p, fer_ask *q, const fer_thing *t, fer_err *err);
/* Tells who watches it; `members` are those of params, as JSON. */
void fer_watch_tell(const fer_watch *w, fer_arena *a, fer_str members);
/* Takes one off, or (empty) all of a peer, or of one subscription. */
void fer_watch_remove(fer_peer *p, const fer_ask *q, fer_str shown);

#endif
