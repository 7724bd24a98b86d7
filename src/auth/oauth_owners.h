/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has logged in to a server, beside the operator: a list in the vault (oauth_vault.h), as the
 * names of its records tell nobody. For who operates it; calls do not look at it. Processes that
 * change it take turns. One thread.
 */
#ifndef FER_OAUTH_OWNERS_H
#define FER_OAUTH_OWNERS_H

#include "oauth_vault.h"
#include "token_owner.h"

typedef struct fer_token_owners {
    fer_token_owner *list;
    size_t count;
} fer_token_owners;

fer_code fer_oauth_owners_list(fer_arena *a, fer_vault *v, fer_str resource, fer_token_owners *out,
                               fer_err *err);
/* Notes that an owner has a token (or, `gone`, has none any more). The operator is not noted.
 * FER_LIMIT_EXCEEDED: the list is longer than a record may be (vault.record). */
fer_code fer_oauth_owners_note(fer_vault *v, fer_str resource, const fer_token_owner *who,
                               bool gone, fer_err *err);

#endif
