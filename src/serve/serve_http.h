/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server over HTTP: one endpoint, /mcp, for all versions (Streamable HTTP). Requests of
 * 2026-07-28 stand alone: POST only, headers held against the body, and a client that goes away has
 * cancelled. Those of older versions belong to a session (Mcp-Session-Id), which `initialize`
 * opens and DELETE, or FER_HTTP_SESSION_MS without a request, ends; GET is its stream for what
 * nobody asked for. An answer is JSON; a stream of events where something is said before it, or
 * where it takes long.
 *
 * Beside it /healthz (it runs), /readyz (it takes requests), /metrics, and what lies below /admin/,
 * which somebody else answers. Who asks over TCP shows a
 * token; who asks over a Unix socket is this user, or is refused. A session belongs to the guest
 * that opened it: to every other one it is not there. When a guest is over, its sessions end, and
 * what runs for it is cancelled.
 *
 * Messages on streams of sessions have IDs: who lost a stream asks for it again (GET with
 * Last-Event-ID) and has what it missed; what runs goes on meanwhile (serve_events.h). /sse and
 * /message are the transport of 2024-11-05.
 *
 * One thread: that of the front's loop.
 */
#ifndef FER_SERVE_HTTP_H
#define FER_SERVE_HTTP_H

#include "http_server.h"
#include "serve.h"

#define FER_HTTP_SESSION_MS 1800000 /* that a session lasts without a request */
#define FER_HTTP_BEAT_MS                                                                           \
    15000 /* after which a quiet answer becomes a stream, and between its beats */

#define FER_HTTP_CROWD    1000 /* connections whose memory is worth giving back */
#define FER_HTTP_LOOK_MS  1000 /* between looks at who may still come */
#define FER_HTTP_RETRY_MS 1000 /* after which a client that lost a stream shall come again */

#define FER_HTTP_WAITING_MAX 1000 /* requests that wait until it is known who asks */

typedef struct fer_web fer_web;

/* Why somebody is not let in. */
typedef struct fer_stranger {
    bool wait;          /* nobody knows yet; fer_web_again says when to ask once more */
    bool narrow;        /* the token is good, and has no scope that is of use here: 403 */
    const char *reason; /* for the records */
    const char *text;   /* a sentence for who asks; NULL: no token was shown */
} fer_stranger;

typedef struct fer_web_options {
    fer_front *front;
    fer_gateway *gateway;            /* whose metrics are shown */
    const fer_http_guard *guard;     /* of hosts and origins, as the HTTP server has it; or NULL */
    const fer_server_limits *limits; /* or NULL */
    /* Each 0: the default. */
    int64_t session_ms, beat_ms, retry_ms;
    int64_t poll_ms; /* after which a stream that waits for an answer is closed, and the client
                        comes again for it (2025-11-25); 0: never */
    size_t events, event_bytes;
    int64_t event_ms;
    /* Whose token it is; NULL: nobody's, and `no` says why. Borrowed. Without this function nobody
     * is asked who he is: everybody is the front's host. */
    fer_guest *(*admit)(void *context, fer_str token, fer_stranger *no);
    /* Asked every FER_HTTP_LOOK_MS: those who may not come any more are over (fer_guest_end). */
    void (*look)(void *context);
    /* Somebody was turned away: who (NULL: nobody knows), from where, why; for the records. */
    void (*denied)(void *context, const fer_guest *who, const fer_inbound *in, const char *why);
    void *context;
    /* Where issuers vouch for clients: what this server is as a resource (RFC 9728), a JSON object;
     * the paths that it is shown at, the URL of the first, and the scopes that there are, with
     * blanks between. Empty: there are none. Borrowed. */
    fer_str metadata, metadata_url, scopes;
    fer_str metadata_paths[2];
    /* GET of a path below /admin/, by whom; answers it. NULL: there are none. */
    void (*admin)(void *context, fer_guest *who, fer_exchange *x);
    void *admin_context;
} fer_web_options;

/* NULL: no memory. */
FER_MUST_USE fer_web *fer_web_new(const fer_web_options *o);
/* Where it listens is said by the HTTP server's own functions. */
fer_http_server *fer_web_server(fer_web *w);
/* It may be known by now who asks: requests that waited for that go on. */
void fer_web_again(fer_web *w);
/* Takes no more requests; `done` is called when every connection is closed. */
void fer_web_drain(fer_web *w, void (*done)(void *context), void *context);
/* Everything ends now. The loop must run once more for the memory. */
void fer_web_close(fer_web *w);

#endif
