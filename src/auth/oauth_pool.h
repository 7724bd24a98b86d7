/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens for one server, by whose they are: one OAuth client (oauth.h) for each owner, made
 * when it is first asked for. Those that nobody uses stay, until FER_OAUTH_KEPT are there: then
 * the one that was not asked for the longest goes. One thread, as its clients.
 */
#ifndef FER_OAUTH_POOL_H
#define FER_OAUTH_POOL_H

#include "oauth.h"

#define FER_OAUTH_KEPT 1000 /* whose tokens for a server are at hand, used or not */
#define FER_OAUTH_OWNERS                                                                           \
    2000 /* whose are in use at once: sessions that are being closed beside those that are open */

typedef struct fer_oauth_pool fer_oauth_pool;

/* Takes the operator's own client, which others are like, also where it fails. */
fer_code fer_oauth_pool_new(fer_oauth *own_take, fer_token_share share, fer_oauth_pool **out,
                            fer_err *err);
/* Clients that somebody has a reference to live on. NULL is fine. */
void fer_oauth_pool_free(fer_oauth_pool *p);
fer_token_share fer_oauth_pool_share(const fer_oauth_pool *p);

/* The client of who calls, as a reference of the caller's. FER_LIMIT_EXCEEDED: too many others are
 * in use. */
fer_code fer_oauth_pool_get(fer_oauth_pool *p, fer_str tenant, fer_str principal, fer_oauth **out,
                            fer_err *err);

#endif
