/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeps web pages away from a server on one's own machine. A page of evil.example can have the
 * browser send requests to 127.0.0.1 (CSRF), or give its own name that address (DNS rebinding). So
 * the Host of every request must be a name of ours, and its Origin, which browsers always send
 * where a page asks something else than its own server, must be one that the operator has named.
 *
 * Both are compared as text with what is on a list: nothing is resolved, and no two spellings are
 * one. A host is "localhost:8080", "127.0.0.1:8080", "[::1]:8080", and without a port where clients
 * write none: "gateway.example" behind the ports 80 and 443. An origin is scheme and all,
 * "https://app.example:8443". Case is ignored; that is the only freedom. `null` is no origin.
 *
 * Pure, but for the memory of a list, which is made by one thread and then only read, by any.
 */
#ifndef FER_HTTP_GUARD_H
#define FER_HTTP_GUARD_H

#include "str.h"

#define FER_GUARD_HOSTS_MAX 160 /* hosts and origins that one guard knows, together */
#define FER_GUARD_TEXT_MAX  320 /* bytes of a Host or an Origin */

typedef struct fer_http_guard fer_http_guard;

/* An empty one, which lets nothing pass; NULL without memory. */
fer_http_guard *fer_http_guard_new(void);
void fer_http_guard_free(fer_http_guard *g);

/* One more host. FER_BAD_USAGE: it is none as written above; FER_LIMIT_EXCEEDED past guard.hosts.
 */
fer_code fer_http_guard_host(fer_http_guard *g, fer_str host, fer_err *err);
/* The names of this machine's loopback with one port: localhost, 127.0.0.1, [::1]. */
fer_code fer_http_guard_loopback(fer_http_guard *g, uint16_t port, fer_err *err);
/* The origins of those names: pages of this very server, of which there are none but its own. */
fer_code fer_http_guard_loopback_origins(fer_http_guard *g, uint16_t port, bool secure,
                                         fer_err *err);
/* One more origin. */
fer_code fer_http_guard_origin(fer_http_guard *g, fer_str origin, fer_err *err);

typedef enum fer_guard_verdict {
    FER_GUARD_PASS,
    FER_GUARD_HOST,   /* not one of ours, or not one at all: 403 */
    FER_GUARD_ORIGIN, /* 403 */
} fer_guard_verdict;

/* `host` is the one Host of a request, `origin` the one Origin; `ptr` NULL: there is none. */
fer_guard_verdict fer_http_guard_check(const fer_http_guard *g, fer_str host, fer_str origin);

/* The token of "Bearer TOKEN" (RFC 6750 2.1), the value of an Authorization; `ptr` NULL: it is
 * none. The scheme is compared without case; one blank, and nothing behind the token. */
fer_str fer_http_bearer(fer_str authorization);

#endif
