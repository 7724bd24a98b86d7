/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of an OAuth client: forms, the URL that its user opens, what comes back from there, the
 * secret of PKCE (RFC 7636). Pure, but for the randomness of fer_oauth_secret.
 */
#ifndef FER_OAUTH_FORM_H
#define FER_OAUTH_FORM_H

#include "buf.h"

#define FER_OAUTH_SECRET 44 /* bytes of a random text, its NUL included */

/* name=value of a form or a query, with an & where it is not the first; empty values are left out.
 */
void fer_form_add(fer_buf *b, const char *name, fer_str value);
/* The value of a name in a query; `ptr` NULL: there is none, or it stands there twice. */
fer_str fer_form_get(fer_arena *a, fer_str query, const char *name);
/* 32 random bytes as text. False: the system has none. */
bool fer_oauth_secret(char out[FER_OAUTH_SECRET]);
/* What is shown of a secret: its SHA-256 (S256). */
bool fer_oauth_shown(fer_arena *a, const char *secret, fer_str *out);

#endif
