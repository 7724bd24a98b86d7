/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an HTTP API answered, as it comes, and what it means for the attempt that asked (see
 * http_api.h). One thread.
 */
#ifndef FER_HTTP_ANSWER_H
#define FER_HTTP_ANSWER_H

#include "buf.h"
#include "http_client.h"
#include "runner.h"

#define FER_HTTP_DETAIL 2048 /* bytes of a failure's body that are told */

typedef struct fer_http_answer {
    fer_arena *arena; /* its own, freed with it */
    unsigned status;
    enum fer_http_body {
        FER_BODY_OTHER,
        FER_BODY_JSON,
        FER_BODY_TEXT,
        FER_BODY_EVENTS,
        FER_BODY_LINES
    } body;
    char type[128]; /* media type */
    int64_t retry_after_ms;
    fer_buf bytes; /* the body, or the list of chunks */
    size_t chunks;
} fer_http_answer;

FER_MUST_USE bool fer_http_answer_init(fer_http_answer *x);
void fer_http_answer_deinit(fer_http_answer *x);
void fer_http_answer_head(fer_http_answer *x, const fer_http_head *head);
/* One chunk of a stream as JSON: the text itself where it is JSON, else a string of it. */
fer_str fer_http_answer_chunk(fer_http_answer *x, fer_str text);
/* Ends the attempt as a whole answer says. */
void fer_http_answer_end(fer_http_answer *x, fer_attempt *t);

/* Ends the attempt where there was none, or no whole one. */
void fer_http_answer_fault(const fer_http_end *end, fer_attempt *t);

#endif
