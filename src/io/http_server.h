/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serving HTTP/1.1 on a loop of libuv: TCP, Unix sockets, TLS by option. Frames only: what a path
 * means, who may ask and what is answered is for the handler to say.
 *
 * The life of an exchange, which is one request and its answer: the head has come and is checked
 * -> `head`, which may answer already, before a byte of the body is looked at -> the body has come
 * -> `request` -> one answer, or one stream: at once, from inside the handler, or any time later.
 * From `head` or `request` on the exchange is the handler's: it stays readable, request and all,
 * until fer_exchange_answer or fer_exchange_end takes it back, whatever happens to the connection
 * meanwhile, and one of them must be called, once. If the client goes away first, `gone` is told;
 * answering then releases the exchange and sends what can still be sent.
 *
 * A client that ends its side of the connection has gone: over TCP, closing and half closing look
 * alike. Whether that cancels anything is the handler's choice; one that answers nevertheless
 * answers a client that only half closed.
 *
 * One exchange at a time on a connection: bytes behind a request wait, in the kernel past 64 KiB.
 * What is not plain HTTP/1.1 (request_reader.h) is answered by the server with a row of its table
 * of refusals, and the connection is closed: none is used again after an error. The same holds for
 * a Host or Origin that the guard (http_guard.h) does not know, which is asked before `head`.
 *
 * What is bounded, each from the first byte: head, fields, URI, body; time for the head, rate of
 * the body, idle time, rate at which an answer is taken; connections in all and per address;
 * what waits to be written to a stream. Without descriptors the server turns clients away instead
 * of spinning.
 *
 * A server and its exchanges belong to the thread of its loop. Nothing is called back from inside
 * a function of this page, but `gone` from fer_http_server_close.
 */
#ifndef FER_HTTP_SERVER_H
#define FER_HTTP_SERVER_H

#include <uv.h>

#include "http_client.h"
#include "http_guard.h"
#include "net_address.h"

#define FER_SERVER_HEAD_MAX    ((size_t)32 << 10) /* bytes of a request's head */
#define FER_SERVER_FIELDS_MAX  100                /* fields of a head */
#define FER_SERVER_URI_MAX     8192               /* bytes of a target */
#define FER_SERVER_BODY_MAX    ((size_t)4 << 20)  /* bytes of a request's body */
#define FER_SERVER_HEAD_MS     10000 /* from the first byte, or accepting, to the head */
#define FER_SERVER_BODY_RATE   1024  /* bytes a second that a body makes at least ... */
#define FER_SERVER_BODY_MS     5000  /* ... after this time */
#define FER_SERVER_IDLE_MS     60000 /* between requests */
#define FER_SERVER_STUCK_MS    10000 /* in each of which a client takes of what is to be sent ... */
#define FER_SERVER_SEND_RATE   100   /* ... at least so many bytes a second */
#define FER_SERVER_STREAM_MAX  ((size_t)256 << 10) /* bytes that wait for a stream's reader */
#define FER_SERVER_ANSWER_MAX  ((size_t)16 << 20)  /* bytes of an answer, or of a stream's piece */
#define FER_SERVER_GATHER      ((size_t)2 << 10)   /* bytes that leave when a turn ends */
#define FER_SERVER_CONNS_MAX   10000               /* connections of a server */
#define FER_SERVER_ADDRESS_MAX 1000                /* connections of one address */
#define FER_SERVER_SKIP_MAX    ((size_t)64 << 10)  /* bytes of a body that nobody wants to read */
#define FER_SERVER_LISTEN_MAX  16                  /* places that one server listens at */

typedef struct fer_http_server fer_http_server;
typedef struct fer_exchange fer_exchange;

/* What was asked. Everything is borrowed from the exchange. */
typedef struct fer_inbound {
    fer_str method;               /* "POST"; one that llhttp knows, never CONNECT */
    fer_str target;               /* as it came, "/mcp?x=1"; origin form, or "*" of OPTIONS */
    fer_str path;                 /* "/mcp", escapes and all */
    fer_str query;                /* "x=1"; `ptr` NULL: no question mark */
    const fer_http_field *fields; /* in their order; values without blanks around them */
    size_t field_count;
    fer_str body;        /* empty in `head` */
    fer_address peer;    /* of TCP; of a Unix socket all zeros */
    uint16_t port;       /* of the peer; 0 on a Unix socket */
    bool local;          /* by a Unix socket ... */
    uid_t uid;           /* ... from this user */
    bool secure;         /* by TLS */
    uint64_t connection; /* its number, never used twice by a server */
    unsigned listener;   /* which of the places: the order of fer_http_server_listen */
    uint64_t nth;        /* requests of this connection so far, from 1 */
    bool at_once;        /* nothing has happened since `head` was asked */
} fer_inbound;

/* The value of the first field of that name, case ignored; `ptr` NULL: there is none. */
fer_str fer_inbound_get(const fer_inbound *r, const char *name);
/* How many fields have that name: where two would be two meanings, more than one is to be refused.
 */
size_t fer_inbound_count(const fer_inbound *r, const char *name);
/* Both at once; `*value` is untouched where there is none. */
size_t fer_inbound_find(const fer_inbound *r, const char *name, fer_str *value);
/* Whether there is one Content-Type and it is this media type, parameters ignored. */
bool fer_inbound_is(const fer_inbound *r, const char *media_type);

/* Why a client is told to be gone. */
typedef enum fer_gone {
    FER_GONE_CLOSED, /* it ended its side, or the connection broke */
    FER_GONE_SLOW,   /* it took too little of what was sent for too long: SlowConsumer */
    FER_GONE_SHUT,   /* the server is closing */
    FER_GONES
} fer_gone;
extern const char *const fer_gone_names[FER_GONES]; /* "ClientClosed", "SlowConsumer", "Shutdown" */

/* What an exchange tells whoever holds it. Each may be NULL. */
typedef struct fer_exchange_events {
    /* Once at most, and not after the answer or the end. */
    void (*gone)(fer_exchange *x, fer_gone why);
    /* After a write was refused, or filled the stream: half of its room is free again. */
    void (*drained)(fer_exchange *x);
} fer_exchange_events;

typedef struct fer_http_handler {
    /* The head is there and the guard has let it pass. False: the handler has taken the exchange
     * (has answered, for one), and the body is not wanted: `request` is not called. NULL: true. */
    bool (*head)(void *context, fer_exchange *x);
    /* All of it is there. The exchange is the handler's. */
    void (*request)(void *context, fer_exchange *x);
    void *context;
    /* The guard has turned a request away: for the records. NULL: nobody wants to know. */
    void (*turned_away)(void *context, const fer_inbound *in, fer_guard_verdict why);
} fer_http_handler;

/* Each 0: the default above. */
typedef struct fer_server_limits {
    size_t head_max, fields_max, uri_max, body_max;
    unsigned head_ms, body_ms, body_rate, idle_ms, stuck_ms, send_rate;
    size_t stream_max, conns_max, address_max;
} fer_server_limits;

/* NULL without memory. Handler and guard are borrowed; a guard of NULL knows the hosts of the
 * places that the server listens at, and their own origins on the loopback. */
fer_http_server *fer_http_server_new(uv_loop_t *loop, const fer_http_handler *handler,
                                     const fer_http_guard *guard, const fer_server_limits *limits);

/* Where to listen: an address and a port, or a path. */
typedef struct fer_listen_options {
    const char *address; /* as inet_pton reads it; NULL: 127.0.0.1 */
    uint16_t port;       /* 0: the system chooses, see fer_http_server_port */
    unsigned next_ports; /* so many after it are tried where another program listens there */
    const char *path;    /* of a Unix socket, else NULL. It is made with mode 0600. */
    /* PEM, the certificate with its chain: TLS 1.2 and later, keys of at least 112 bits of
     * security; one that has ended, or a key that others may read, is refused. */
    const char *cert_file, *key_file;
    int backlog; /* 0: 511 */
    bool given; /* `fd` is a socket that listens already; it is taken, and closed with the server */
    int fd;
} fer_listen_options;

/*
 * Listens at one more place. FER_BAD_USAGE: no address, a path that is too long, a symbolic link or
 * no socket, one half of TLS, a certificate or key that cannot be used; FER_IO_ERROR: the system
 * does not let us, or somebody listens there already (a socket file that nobody answers at is taken
 * over); FER_OUT_OF_MEMORY, FER_LIMIT_EXCEEDED.
 */
fer_code fer_http_server_listen(fer_http_server *s, const fer_listen_options *options,
                                fer_err *err);
/*
 * One more host that requests may name, or origin that they may come from (http_guard.h), beside
 * the hosts of the places that the server listens at. For a server without a guard of its own.
 */
fer_code fer_http_server_allow_host(fer_http_server *s, fer_str host, fer_err *err);
fer_code fer_http_server_allow_origin(fer_http_server *s, fer_str origin, fer_err *err);
/* The port of a place, in the order in which they were added; 0: a Unix socket. */
uint16_t fer_http_server_port(const fer_http_server *s, unsigned listener);

/* Listens no more, closes what is idle, and says in each answer that it is the last; `done` is
 * called, from the loop, when no connection is left. Streams are the handler's to end. */
void fer_http_server_drain(fer_http_server *s, void (*done)(void *context), void *context);
/* Closes everything now. Exchanges that are held are told, and stay readable until their holders
 * give them back. The loop must run once more for the memory. NULL is fine. */
void fer_http_server_close(fer_http_server *s);

/* What has happened so far, and what is. */
typedef struct fer_server_counts {
    uint64_t accepted, turned_away; /* connections; the latter for want of room or descriptors */
    uint64_t requests;              /* that were handed over */
    uint64_t refused;               /* that the server answered itself */
    uint64_t timed_out;             /* connections that were closed for taking too long */
    size_t connections, exchanges;  /* now */
    size_t buffered; /* bytes of bodies that are being read or answered, and of answers that wait */
} fer_server_counts;
fer_server_counts fer_http_server_counts(const fer_http_server *s);

/* ---- exchanges ------------------------------------------------------------------------------ */

const fer_inbound *fer_exchange_inbound(const fer_exchange *x);
/* Memory that lives as long as the exchange. */
fer_arena *fer_exchange_arena(fer_exchange *x);
/* Who is told what; `events` is borrowed. A client that has gone already is told from the loop. */
void fer_exchange_watch(fer_exchange *x, const fer_exchange_events *events, void *owner);
void *fer_exchange_owner(const fer_exchange *x);
/* Whether it is known that the client is gone. */
bool fer_exchange_is_gone(const fer_exchange *x);

/*
 * The whole answer, and the end of the exchange: `x` is not to be used again. Framing, Date and
 * Connection are the server's to say; a HEAD, 204 or 304 goes out without the body. Where a field
 * cannot be sent (no token for a name, control characters in a value) or the body is past
 * server.answer, the answer is a bare 500, and FER_BAD_USAGE or FER_LIMIT_EXCEEDED is returned.
 */
fer_code fer_exchange_answer(fer_exchange *x, unsigned status, const fer_http_field *fields,
                             size_t field_count, fer_str body, fer_err *err);
/* The same with a media type as its one field. */
fer_code fer_exchange_reply(fer_exchange *x, unsigned status, const char *media_type, fer_str body);

/*
 * Begins a stream: status and fields go out at once, pieces follow. For text/event-stream the
 * fields `Cache-Control: no-store` and `X-Accel-Buffering: no` are added. The exchange goes on
 * until fer_exchange_end. On failure nothing was sent and an answer is still owed.
 */
fer_code fer_exchange_stream(fer_exchange *x, unsigned status, const char *media_type,
                             const fer_http_field *fields, size_t field_count, fer_err *err);
/*
 * One more piece, taken whole or not at all. FER_LIMIT_EXCEEDED: as much as server.stream waits
 * already, or the piece is past server.answer; `drained` will tell. FER_CANCELLED: nobody is there
 * to read it. FER_OUT_OF_MEMORY: the stream is cut off. A comment (": \n\n") is a piece.
 */
fer_code fer_exchange_write(fer_exchange *x, fer_str piece, fer_err *err);
/* Bytes that wait for the reader. */
size_t fer_exchange_waiting(const fer_exchange *x);
/* The end of the stream, and of the exchange. Without a stream: an answer of 500. */
void fer_exchange_end(fer_exchange *x);
/* The same, but the connection is cut, so that the reader sees that the stream is not whole. */
void fer_exchange_abort(fer_exchange *x);

#endif
