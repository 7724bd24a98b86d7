/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the HTTP server: http_server.c has its life and its time, server_listen.c lets clients
 * in, server_conn.c moves the bytes of a connection, server_exchange.c writes answers, server_tls.c
 * is between the two where a client speaks TLS, request_reader.c understands requests.
 *
 * The life of a connection: accepted -> [a request is read -> it is held by the handler -> its
 * answer is written] again and again -> the last answer is written and our side is shut -> what the
 * client still sends is passed over for a while, so that it sees the answer and not a reset ->
 * closed. Its memory stays until the loop has let go of it.
 */
#ifndef FER_SERVER_PARTS_H
#define FER_SERVER_PARTS_H

#include "http_server.h"
#include "request_reader.h"

#define FER_SERVER_PIECE     ((size_t)64 << 10) /* bytes that are read at once */
#define FER_SERVER_PLAIN     ((size_t)16 << 10) /* bytes of one record of TLS */
#define FER_SERVER_HEAD_ROOM ((size_t)16 << 10) /* bytes of an answer's head */
#define FER_SERVER_POOL      64                 /* exchanges that are kept for later ones */
#define FER_SERVER_BUCKETS   256                /* of addresses */
#define FER_SERVER_SPARE     32   /* places of gathered bytes that are kept for later */
#define FER_SERVER_LINGER_MS 2000 /* for the client to see the last answer and close */
#define FER_SERVER_PAUSE_MS  100  /* of accepting, where there are no descriptors */

typedef struct fer_conn fer_conn;
typedef struct fer_tls fer_tls;

/* What a connection has only so much time for. */
enum fer_wait {
    FER_WAIT_HEAD,
    FER_WAIT_BODY, /* a window in which enough of it must come */
    FER_WAIT_IDLE,
    FER_WAIT_STUCK,
    FER_WAIT_LINGER,
    FER_WAITS /* nothing: the handler is at work */
};

/* Connections that wait for the same, the one whose time is up first at the front. */
struct fer_wait_list {
    fer_conn *first, *last;
    unsigned ms;
};

struct fer_listener {
    uv_poll_t poll;
    fer_http_server *server;
    unsigned number;
    int fd; /* -1: closed */
    uint16_t port;
    char *path; /* of a Unix socket, to be removed, where it is still this file */
    dev_t dev;
    ino_t ino;
    void *tls; /* SSL_CTX, or NULL */
};

/* How many connections one address has; of IPv6, one network of 64 bits. */
struct fer_address_count {
    struct fer_address_count *next;
    fer_address address;
    size_t count;
};

struct fer_http_server {
    uv_loop_t *loop;
    const fer_http_handler *handler;
    const fer_http_guard *guard; /* the operator's, or `own_guard` */
    fer_http_guard *own_guard;   /* the places where we listen */
    fer_http_guard *local_guard; /* for Unix sockets: localhost */
    fer_server_limits limits;
    fer_reader_limits reader_limits;
    struct fer_listener *listeners[FER_SERVER_LISTEN_MAX];
    unsigned listener_count;
    int reserve; /* a descriptor to give up when there is none; -1: it could not be had again */
    fer_conn *conns;
    struct fer_wait_list waits[FER_WAITS];
    uv_timer_t wait_timer; /* for the first of all lists */
    uint64_t wait_due;     /* when it fires; 0: it does not run */
    uv_timer_t soon_timer; /* for what must not be done from inside a function of ours */
    uv_timer_t pause_timer;
    uv_prepare_t turn_end; /* runs before the loop waits, where bytes have been gathered */
    fer_conn *soon;
    fer_conn *leaving, *leaving_last; /* whose gathered bytes leave when the turn ends */
    struct fer_gathered *spare;
    unsigned spare_count;
    fer_exchange *telling; /* to be told that their client has gone */
    fer_exchange *pool;
    unsigned pooled, handles;
    struct fer_address_count *addresses[FER_SERVER_BUCKETS];
    uint64_t seed[2];
    uint64_t next_id;
    fer_server_counts counts;
    bool draining, closed;
    void (*drained)(void *context);
    void *drain_context;
    int64_t date_second;
    char date[32]; /* as of `date_second` */
    char piece[FER_SERVER_PIECE];
    char plain[FER_SERVER_PLAIN];
    char head[FER_SERVER_HEAD_ROOM];
};

/* Bytes that wait to be sent. */
struct fer_out_block {
    struct fer_out_block *next;
    size_t len, at;
    char bytes[];
};

/* Bytes that leave when the turn of the loop ends. */
struct fer_gathered {
    struct fer_gathered *next; /* of those that are spare */
    size_t len;
    char bytes[FER_SERVER_GATHER];
};

struct fer_conn {
    uv_poll_t poll;
    fer_http_server *server;
    fer_conn *next, *prev;
    fer_conn *wait_next, *wait_prev;
    fer_conn *soon_next;
    fer_conn *leaving_next, *leaving_prev;
    uint64_t due;
    enum fer_wait wait;
    int fd;     /* -1: closed */
    int events; /* of the poll, as they are asked for */
    const struct fer_listener *listener;
    uint64_t id, requests;
    fer_address peer;
    struct fer_address_count *of_address; /* NULL: not counted */
    uint16_t port;
    uid_t uid;
    bool local;
    fer_tls *tls;
    fer_request_reader reader;
    fer_exchange *x;   /* being read, held, or streaming */
    size_t window_len; /* of the body, when the window began */
    size_t window_out; /* bytes that the client took in the window */
    char *pending;     /* bytes behind the request at hand, on the heap */
    size_t pending_len, pending_at;
    struct fer_gathered *gathered; /* NULL: none; they go before the blocks */
    struct fer_out_block *out_first, *out_last;
    size_t waiting; /* bytes in them */
    bool in_input;  /* inside of fer_conn_input: it goes on by itself */
    bool head_now;  /* since it was entered, the head has come */
    bool in_soon;   /* in the list */
    bool skipping;  /* the body that comes is nobody's */
    bool eof;       /* the client has ended its side */
    bool broken;    /* nothing can be sent */
    bool last;      /* once all is sent, the connection is closed */
    bool lingering; /* our side is shut */
};

enum fer_exchange_state {
    FER_EXCHANGE_READ,   /* it is not the handler's yet */
    FER_EXCHANGE_HELD,   /* an answer is owed */
    FER_EXCHANGE_STREAM, /* an end is owed */
};

struct fer_exchange {
    fer_http_server *server;
    fer_conn *conn; /* NULL: gone */
    fer_exchange *next;
    fer_arena *arena;
    fer_request request;
    fer_inbound in;
    const fer_exchange_events *events;
    void *owner;
    enum fer_exchange_state state;
    size_t counted; /* bytes of its body in the server's count */
    fer_gone why;
    bool gone, told;
    bool telling;   /* in the list */
    bool head_only; /* HEAD: no body goes out */
    bool chunked;   /* the stream is framed; else it ends with the connection */
    bool full;      /* `drained` is owed */
    bool reuse;     /* the client, and the answer, leave the connection open */
};

/* ---- http_server.c -------------------------------------------------------------------------- */

/* A handle of the server, or of something in it, was closed. */
void fer_server_handle_closed(fer_http_server *s);
/* Begins to wait, anew, with the time of that list; FER_WAITS: for nothing. */
void fer_server_wait(fer_conn *c, enum fer_wait what);
/* Has the connection looked at from the loop. */
void fer_server_soon(fer_conn *c);
void fer_server_tell_soon(fer_exchange *x);
/* Room for bytes that leave when the turn ends, in the order of the first; NULL: no memory. */
struct fer_gathered *fer_server_gather(fer_conn *c);
/* They have left, or never will. */
void fer_server_gathered(fer_conn *c);
/* Whether the drain, or the server, has ended: from the loop, or when it is closed. */
void fer_server_settle(fer_http_server *s);
void fer_server_conn_gone(fer_http_server *s);

/* ---- server_listen.c ------------------------------------------------------------------------ */

void fer_listener_close(struct fer_listener *l);
/* Frees them; connections refer to them until then. */
void fer_server_forget_listeners(fer_http_server *s);
void fer_listeners_pause(fer_http_server *s, bool paused);
/* Room for one more connection of that address; false: there is none, or no memory. */
bool fer_server_count_in(fer_conn *c);
void fer_server_count_out(fer_conn *c);

/* ---- server_conn.c -------------------------------------------------------------------------- */

/* Takes a socket that was accepted. False: no memory; then it is the caller's to close. */
bool fer_conn_open(const struct fer_listener *l, int fd, const struct sockaddr *from);
/* Closes it now; an exchange that is held is told why. */
void fer_conn_close(fer_conn *c, fer_gone why);
/* Sends, or queues, all parts. False: it broke, which is found out about soon. */
bool fer_conn_send(fer_conn *c, const struct iovec *parts, size_t count);
/* The same below TLS. */
bool fer_conn_send_raw(fer_conn *c, const struct iovec *parts, size_t count);
/* Plain bytes of the client. */
void fer_conn_input(fer_conn *c, fer_str bytes);
/* Whether no further byte is to be read now. */
bool fer_conn_is_busy(const fer_conn *c);
/* After something has changed: what is next for it. Calls nobody back. */
void fer_conn_go_on(fer_conn *c);
/* Sends what was gathered. False: not all of it has left, or it broke. */
bool fer_conn_leave(fer_conn *c);
/* From the loop: what was left for later. */
void fer_conn_step(fer_conn *c);
void fer_conn_time_up(fer_conn *c, enum fer_wait what);
void fer_conn_eof(fer_conn *c);

/* ---- server_exchange.c ---------------------------------------------------------------------- */

/* NULL without memory. */
fer_exchange *fer_exchange_take(fer_conn *c);
/* Gives it back, unanswered. */
void fer_exchange_release(fer_exchange *x);
/* Its body has grown: the server counts it, until the exchange is released. */
void fer_exchange_count(fer_exchange *x);
/* The head is there. */
void fer_exchange_fill(fer_exchange *x);
void fer_exchange_tell_gone(fer_exchange *x, fer_gone why);
void fer_exchange_free(fer_exchange *x);
/* A refusal as an answer, with which the connection ends. */
void fer_conn_refuse(fer_conn *c, fer_refusal why);
/* 100 Continue. */
void fer_conn_invite(fer_conn *c);

/* ---- server_tls.c --------------------------------------------------------------------------- */

/* An SSL_CTX of two files. */
fer_code fer_tls_context_new(const char *cert_file, const char *key_file, void **out, fer_err *err);
void fer_tls_context_free(void *context);
fer_tls *fer_tls_new(void *context);
void fer_tls_free(fer_tls *t);
/* Bytes from the network; false: this is no TLS that can go on. */
bool fer_tls_feed(fer_conn *c, fer_str bytes);
/* Hands on what was received, as far as it is wanted. */
bool fer_tls_pump(fer_conn *c);
/* Whether some of it waits. */
bool fer_tls_has_input(const fer_tls *t);
bool fer_tls_send(fer_conn *c, const struct iovec *parts, size_t count);
/* Says goodbye. */
void fer_tls_shut(fer_conn *c);

#endif
