/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a token for a server is: the operator's own, with which everybody's calls are made; or that
 * of a tenant, or of one principal of it, with which nobody else's are. Who calls comes from a
 * verified token; how far owners are kept apart is said by the configuration of the server. Pure.
 */
#ifndef FER_TOKEN_OWNER_H
#define FER_TOKEN_OWNER_H

#include "arena.h"

/* How far tokens for a server are shared. */
typedef enum fer_token_share {
    FER_TOKENS_SHARED,    /* one for all */
    FER_TOKENS_TENANT,    /* one for each tenant */
    FER_TOKENS_PRINCIPAL, /* one for each principal of a tenant */
    FER_TOKEN_SHARES
} fer_token_share;
/* "shared", "tenant", "principal" */
extern const char *const fer_token_share_names[FER_TOKEN_SHARES];
/* By its name; FER_TOKEN_SHARES: none of them. */
fer_token_share fer_token_share_of(fer_str name);

/* Both empty: the operator, or whoever calls on nobody's behalf. */
typedef struct fer_token_owner {
    fer_str tenant, principal;
} fer_token_owner;

/* The owner that counts for a caller, where tokens are shared so far. */
fer_token_owner fer_token_owner_of(fer_token_share share, fer_str tenant, fer_str principal);
bool fer_token_owner_is_nobody(const fer_token_owner *o);
bool fer_token_owner_eq(const fer_token_owner *x, const fer_token_owner *y);

/* The name of an owner's token in a vault (oauth_vault.h), which is no other's. `ptr` NULL: no
 * memory. */
fer_str fer_token_name(fer_arena *a, fer_str resource, const fer_token_owner *o);
/* What to run with its options for the owner, as a shell reads it. `ptr` NULL: no memory. */
fer_str fer_token_command(fer_arena *a, fer_str command, const fer_token_owner *o);

#endif
