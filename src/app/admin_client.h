/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a gateway for pages of its admin API: at a URL with a token, or at the socket that it has
 * for its operator (attach.h). One request at a time, each waited for. One thread.
 */
#ifndef FER_ADMIN_CLIENT_H
#define FER_ADMIN_CLIENT_H

#include "command.h"
#include "http_fetch.h"
#include "json_doc.h"

#define FER_ADMIN_CLIENT_MS 5000 /* for one page */
#define FER_ADMIN_FOUND     16   /* gateways of one user that are told apart */

typedef struct fer_admin_client {
    fer_arena *arena;
    const char *socket; /* or NULL: */
    fer_str url;        /* up to /admin/v1 */
    fer_str bearer;     /* of the field Authorization; or empty */
    fer_net_rules *rules;
    fer_http_fetcher *fetcher;
} fer_admin_client;

/*
 * The gateway of --server or --socket, else the one that runs for this user. With --token, or
 * FERRULE_TOKEN on the loopback. 0, or an exit code: none runs, several do, a bad option.
 */
int fer_admin_client_open(fer_admin_client *c, fer_app *app);
/* The sockets of this user's gateways that somebody answers at. */
fer_code fer_admin_client_find(fer_arena *a, const char *out[FER_ADMIN_FOUND], size_t *count,
                               fer_err *err);
void fer_admin_client_close(fer_admin_client *c);

/* One page, read. FER_UNAUTHENTICATED, FER_FORBIDDEN, FER_CONNECTION_LOST ... */
fer_code fer_admin_client_get(fer_admin_client *c, fer_arena *a, const char *page, fer_json **out,
                              fer_err *err);

#endif
