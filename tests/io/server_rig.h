/* SPDX-License-Identifier: Apache-2.0 */
/* A server and its clients on one loop and one thread, for tests: clients are plain sockets that
 * send what they are told and keep what comes. */
#ifndef FER_SERVER_RIG_H
#define FER_SERVER_RIG_H

#include "http_server.h"

#define RIG_SEEN  8192
#define RIG_HELD  64
#define RIG_BYTES ((size_t)1 << 20)

typedef struct rig {
    uv_loop_t loop;
    fer_http_server *server;
    fer_http_handler handler;
    uint16_t port;
    char seen[RIG_SEEN]; /* "POST /echo[body] ", one for each request */
    fer_exchange *held[RIG_HELD];
    unsigned held_count, gone_count, drained_count, request_count;
    fer_gone why;
    bool drain_done;
    bool at_once; /* as the last request said */
} rig;

typedef struct rig_client {
    int fd;
    char *got; /* RIG_BYTES, ended by NUL */
    size_t len;
    bool closed, reset;
} rig_client;

/* Listens at 127.0.0.1; `limits` and `listen` may be NULL. */
void rig_open(rig *r, const fer_server_limits *limits, const fer_listen_options *listen);
/* Closes and checks that nothing is left. */
void rig_close(rig *r);
/* Turns the loop for so long, at least once. */
void rig_turn(rig *r, unsigned ms);
/* Turns the loop until it holds; fails after ten seconds. */
#define RIG_UNTIL(r, what)                                                                         \
    do {                                                                                           \
        int64_t rig_end = rig_now() + RIG_PATIENCE_MS;                                             \
        while (!(what)) {                                                                          \
            if (rig_now() > rig_end) fail_msg("never came to be: %s", #what);                      \
            rig_turn((r), 1);                                                                      \
        }                                                                                          \
    } while (0)
#define RIG_PATIENCE_MS 20000
int64_t rig_now(void);

void client_open(rig *r, rig_client *c);
void client_open_unix(rig *r, rig_client *c, const char *path);
/* All of it, turning the loop where the socket is full. */
void client_send(rig *r, rig_client *c, fer_str bytes);
/* Reads what is there. */
void client_read(rig_client *c);
/* Turns until the client has `text` in what it got, or all of the answer. */
void client_wait(rig *r, rig_client *c, const char *text);
void client_wait_closed(rig *r, rig_client *c);
void client_close(rig_client *c);

/* The statuses of all answers in what a client got, such as "200 400", with '.' behind them where
 * the connection was closed. */
void client_statuses(const rig_client *c, char *out, size_t size);

#endif
