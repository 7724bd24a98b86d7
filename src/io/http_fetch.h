/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a server and waiting for the whole answer, for callers that have no loop: a loop of their
 * own, hidden, and one request at a time. Connections are kept between requests. One thread.
 */
#ifndef FER_HTTP_FETCH_H
#define FER_HTTP_FETCH_H

#include "arena.h"
#include "http_client.h"

typedef struct fer_http_fetcher fer_http_fetcher;

typedef struct fer_http_answer {
    fer_http_head head; /* the status is 0 where there was none */
    fer_str body;
    fer_http_fault fault;
    bool sent; /* see fer_http_end */
} fer_http_answer;

/* NULL without memory. */
fer_http_fetcher *fer_http_fetcher_new(const fer_http_options *options);
void fer_http_fetcher_free(fer_http_fetcher *f);

/*
 * The answer, whatever its status, is in the arena. Otherwise a code of fer_http_start or of a
 * fault; then `out` says only which fault, and whether anything was sent.
 */
fer_code fer_http_fetch(fer_arena *a, fer_http_fetcher *f, const fer_http_request *request,
                        fer_http_answer *out, fer_err *err);

/* Lets so much time pass. */
void fer_http_fetcher_wait(fer_http_fetcher *f, uint32_t ms);

#endif
