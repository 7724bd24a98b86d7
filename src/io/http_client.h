/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking servers over HTTP/1.1 and HTTP/2, on libcurl and a loop of libuv. Frames only: what a
 * status means, what a body holds and whether to ask again is for others to say.
 *
 * The life of a call: start -> head, once -> body, piece by piece -> end, always and once, after
 * which the call is gone. Nothing is called back from inside start, cancel and resume. Body pieces
 * stop while a call is paused; what the server sends meanwhile waits in the kernel, so a slow
 * reader slows its server and costs no memory. Connections are kept and used again.
 *
 * What is bounded: the time until the end, the time without a byte, the head, the body. Where a
 * request may go is said by rules (net_rules.h), which are asked about the URL and about the
 * address of each socket. Redirects are not followed unless a request says so; then each is checked
 * like a new request, and credentials stay behind where the origin changes. Proxies and credentials
 * in the environment and in the home are ignored. No compressed answer is asked for or taken.
 *
 * No message holds a header's value, or of a URL more than its host and port.
 *
 * A client and its calls belong to the thread of its loop.
 */
#ifndef FER_HTTP_CLIENT_H
#define FER_HTTP_CLIENT_H

#include <uv.h>

#include "net_rules.h"

#define FER_HTTP_TIMEOUT_MS 30000              /* of a whole call, unless it says otherwise */
#define FER_HTTP_IDLE_MS    30000              /* without a byte, unless it says otherwise */
#define FER_HTTP_CONNECT_MS 10000              /* until connected */
#define FER_HTTP_HEAD_MAX   ((size_t)32 << 10) /* bytes of an answer's heads and trailers */
#define FER_HTTP_FIELDS_MAX 100                /* fields of a head, and of a request */
#define FER_HTTP_BODY_MAX   ((size_t)4 << 20)  /* bytes of an answer's body */
#define FER_HTTP_SEND_MAX   ((size_t)16 << 20) /* bytes of a request's body */
#define FER_HTTP_CALLS_MAX  1000               /* of one client at a time */
#define FER_HTTP_HOST_CONNS 32                 /* connections to one host and port */

typedef struct fer_http fer_http;
typedef struct fer_http_call fer_http_call;

typedef struct fer_http_field {
    fer_str name, value;
} fer_http_field;

typedef struct fer_http_head {
    unsigned status;
    const fer_http_field *fields; /* in their order; values without blanks around them */
    size_t count;
} fer_http_head;

/* The value of the first field of that name, case ignored; `ptr` NULL: there is none. */
fer_str fer_http_head_get(const fer_http_head *head, const char *name);
/* How long Retry-After asks to wait, in seconds or until a date; -1: it does not say. */
int64_t fer_http_retry_after_ms(const fer_http_head *head);
/* Whether Content-Type is this media type, parameters ignored: "application/json". */
bool fer_http_head_is(const fer_http_head *head, const char *media_type);

/* Why there was no answer, or no whole one. */
typedef enum fer_http_fault {
    FER_HTTP_FINE,
    FER_HTTP_REFUSED,    /* by the rules: nothing was sent */
    FER_HTTP_UNRESOLVED, /* no address for the name */
    FER_HTTP_UNCONNECTED,
    FER_HTTP_UNTRUSTED, /* TLS: no common ground, or a certificate that does not hold */
    FER_HTTP_LATE,      /* its time was up */
    FER_HTTP_IDLE,      /* nothing came for too long */
    FER_HTTP_CANCELLED,
    FER_HTTP_LOST,       /* the connection ended before the answer did */
    FER_HTTP_HEAD_LARGE, /* past http.head or http.fields */
    FER_HTTP_BODY_LARGE, /* past the limit of the body */
    FER_HTTP_MALFORMED,  /* what came is not HTTP, or is compressed though nobody asked for it */
    FER_HTTP_REDIRECTS,  /* more of them than the request allows, or to nowhere */
    FER_HTTP_MEMORY,
    FER_HTTP_INTERNAL,
    FER_HTTP_FAULTS
} fer_http_fault;

/* By fault: the code of each, and its name for logs. */
extern const struct fer_http_fault_row {
    const char *name;
    fer_code code;
    fer_code backend; /* where the server is one that runs tools; FER_OK: the same */
} fer_http_fault_rows[FER_HTTP_FAULTS];
/* The code of a fault of a server that runs tools. */
fer_code fer_http_backend_code(fer_http_fault fault);

typedef struct fer_http_end {
    fer_http_fault fault;
    bool sent;          /* false: the server has seen nothing of the request */
    const fer_err *err; /* code and sentence; the code is FER_OK where all is fine */
} fer_http_end;

/* What a call calls back. `head` and `body` may be NULL. */
typedef struct fer_http_events {
    void (*head)(void *context, fer_http_call *call, const fer_http_head *head);
    void (*body)(void *context, fer_http_call *call, fer_str piece);
    void (*end)(void *context, const fer_http_end *end);
    void *context;
} fer_http_events;

/* Everything is copied by start. */
typedef struct fer_http_request {
    fer_str method; /* `ptr` NULL: GET, or POST where there is a body */
    fer_str url;
    const fer_http_field *fields; /* neither Host nor what frames a message or a connection */
    size_t field_count;
    fer_str body;        /* `ptr` NULL: none */
    int64_t deadline_ns; /* by fer_clock_mono; 0: FER_HTTP_TIMEOUT_MS from now */
    uint32_t idle_ms;    /* 0: FER_HTTP_IDLE_MS */
    size_t head_max;     /* 0: FER_HTTP_HEAD_MAX */
    size_t body_max;     /* 0: FER_HTTP_BODY_MAX; SIZE_MAX: none, for streams */
    unsigned redirects;  /* how many are followed, for GET and HEAD; 0: none, each is an answer */
} fer_http_request;

typedef struct fer_http_options {
    const fer_net_rules *rules; /* borrowed; must be there, unless `unix_socket` is */
    const char *unix_socket; /* all requests go to this socket, whatever host they name; borrowed.
                                NULL: none */
    /* Certificates to trust, and a folder of such; both NULL: those that SSL_CERT_FILE and
     * SSL_CERT_DIR name, as for other programs, else those of the system. */
    const char *ca_file, *ca_folder;
    const char *proxy; /* all requests go through it, and rules are asked about its address alone;
                          NULL: none. http_proxy and the like count for nothing. */
} fer_http_options;

/* NULL without memory. */
fer_http *fer_http_new(uv_loop_t *loop, const fer_http_options *options);
/* Ends all calls as cancelled, before it returns. The loop must run once more for the memory. */
void fer_http_close(fer_http *h);
uv_loop_t *fer_http_loop(const fer_http *h);

/*
 * FER_BAD_USAGE: a URL, method or field that cannot be sent; FER_FORBIDDEN: the rules refuse the
 * URL; FER_LIMIT_EXCEEDED, FER_OUT_OF_MEMORY; then no event comes. `call` may be NULL.
 */
fer_code fer_http_start(fer_http *h, const fer_http_request *request, const fer_http_events *events,
                        fer_http_call **call, fer_err *err);
/* No more head and body; the end comes next, and says FER_CANCELLED. Twice is fine. */
void fer_http_cancel(fer_http_call *call);
/* No more body until resumed; the time without a byte stands still, the deadline does not. */
void fer_http_pause(fer_http_call *call);
void fer_http_resume(fer_http_call *call);
/* Whether the server may have seen a byte of the request by now. */
bool fer_http_sent(const fer_http_call *call);

/* How many calls have not ended, and how many connections were made for all so far. */
size_t fer_http_live(const fer_http *h);
uint64_t fer_http_connections(const fer_http *h);

#endif
