/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of ferrule auth are about: a site of the configuration, and whose token. */
#ifndef FER_AUTH_SITE_H
#define FER_AUTH_SITE_H

#include "command.h"
#include "oauth_desk.h"

/* The configuration in use, or an empty one. 0, or an exit code. */
int fer_auth_config(fer_app *app, fer_arena *a, fer_config *out);
/* The site that the argument names, and the owner that the options do. 0, or an exit code. */
int fer_auth_find(fer_app *app, const fer_config *c, fer_oauth_site *site, fer_token_owner *owner);

#endif
