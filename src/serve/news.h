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
#define FER_SERVE_WATCHES_MAX   1000 /* resources that one client watches */

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

/* A resource of a server that a client watches; `q` is its subscription, NULL: the older kind. */
typedef struct fer_watch {
    struct fer_watch *next;
    fer_peer *peer;
    fer_ask *ask;
    fer_server *server;
    fer_str own, shown; /* behind it, in the same memory */
} fer_watch;

/* Whether somebody watches it by this peer's server already. */
bool fer_watch_has(const fer_front *s, const fer_peer *p, const fer_server *server, fer_str own);
fer_code fer_watch_add(fer_peer *p, fer_ask *q, fer_server *server, fer_str own, fer_str shown,
                       fer_err *err);
/* Takes one off, or (empty) all of a peer, or of one subscription. */
void fer_watch_remove(fer_peer *p, const fer_ask *q, fer_str shown);

#endif
