/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tokens for servers over HTTP are got and kept: the clients of HTTP that ask authorization
 * servers, and the vault. Servers name authorization servers, and are not believed: those of public
 * servers are public ones, on HTTPS; only a server on this machine may name one on this machine.
 * One thread: that of the loop.
 */
#ifndef FER_OAUTH_DESK_H
#define FER_OAUTH_DESK_H

#include "config.h"
#include "oauth_pool.h"

typedef struct fer_oauth_desk {
    fer_arena *arena;
    fer_vault *vault;
    fer_net_rules *rules[2]; /* for servers elsewhere, and on this machine */
    fer_http *http[2];
} fer_oauth_desk;

/* The vault is below the configuration's `state`, else in the user's folder for state; where there
 * is none, tokens are in memory alone. */
fer_code fer_oauth_desk_open(fer_oauth_desk *d, uv_loop_t *loop, const fer_config *c, fer_err *err);
/* The loop must run once more for the memory. */
void fer_oauth_desk_close(fer_oauth_desk *d);

/* What tokens are got for. */
typedef struct fer_oauth_site {
    fer_str name; /* as the operator calls it */
    fer_str url;
    const fer_config_oauth *oauth;
    bool settled; /* it needs none: it is no place on the network, or has other credentials */
    bool api;
} fer_oauth_site;
fer_oauth_site fer_oauth_site_of_server(const fer_config_server *s);
fer_oauth_site fer_oauth_site_of_api(const fer_config_api *a);

/*
 * The client for one site; what it needs of `more` (visit, owner and so on) is taken from there.
 * Secrets are looked up. `*out` NULL: the site has credentials of another kind, or shall have none.
 */
fer_code fer_oauth_desk_client(fer_oauth_desk *d, const fer_config *c, const fer_oauth_site *site,
                               const fer_oauth_options *more, fer_oauth **out, fer_err *err);
/* The tokens of all owners for one site; the same. */
fer_code fer_oauth_desk_pool(fer_oauth_desk *d, const fer_config *c, const fer_oauth_site *site,
                             fer_oauth_pool **out, fer_err *err);

#endif
