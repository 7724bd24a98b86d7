/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind "http": tools that are operations of an HTTP API (docs/openapi.md). A runner is one API:
 * the records it is made with, which the operator chose, say how each tool is asked; what a record
 * in the catalogue says later is not looked at.
 *
 * A runner has an HTTP client of its own, whose rules are the API's: with a base URL that the
 * operator wrote, only that host and port, wherever it is; without one, what records name, as long
 * as it is public. Redirects are answers. Credentials need a base URL.
 *
 * Where there are tokens (oauth_pool.h), a request shows that of its caller, and waits for one that
 * is about to be renewed. A token that the API refuses (401) is renewed once, and the request made
 * once more where the effect of its tool allows that.
 *
 * An answer 2xx is the result: JSON, or text as a string, or null where it is empty. Events
 * (text/event-stream) and lines of JSON are told as chunks, and the result is the list of them. 429
 * and 503 say that nothing was done; any other status is the tool's own failure, with the status
 * and the start of the body in the details.
 */
#ifndef FER_BACKEND_HTTP_API_H
#define FER_BACKEND_HTTP_API_H

#include "http_binding.h"
#include "oauth_pool.h"
#include "runner.h"

/* Everything is copied. */
typedef struct fer_http_api_settings {
    fer_str name;     /* of the API: providerId */
    fer_str base_url; /* or empty */
    const fer_str *records;
    size_t record_count;
    fer_http_auth auth;           /* secrets are resolved already */
    const fer_http_field *fields; /* of every request */
    size_t field_count;
    fer_oauth_pool *tokens; /* in place of `auth`; borrowed: it must outlive the runner; or NULL */
    const char *ca_file;    /* certificates to trust; NULL: those of the system */
} fer_http_api_settings;

/* FER_INVALID_FORMAT: a record says not how it is asked; FER_BAD_USAGE: credentials for whoever. */
fer_code fer_http_api_runner(uv_loop_t *loop, const fer_http_api_settings *settings,
                             fer_runner **out, fer_err *err);

#endif
