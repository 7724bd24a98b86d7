/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client half of OAuth 2.1 for one server: gets tokens, keeps them, renews them before they
 * end.
 *
 * The life of a token: the server refuses a request (401, or 403 for want of scopes) and says where
 * its metadata is -> who gives tokens for it is found out (oauth_meta.h) -> an older token is
 * refreshed, or a machine shows its credentials, or a user is asked to open a URL and comes back
 * with a code -> the token is kept, sealed (oauth_vault.h), and shown with every request -> shortly
 * before its end it is refreshed.
 *
 * One flight at a time: whoever needs a token meanwhile waits for the same one. Nothing is tried
 * twice in vain: a new token that the server refuses, scopes that were asked for already, and a
 * failure less than FER_OAUTH_PAUSE_MS ago end with the same error, which says what to run. What is
 * known at one issuer is shown to no other. Tokens are in no message and no log.
 *
 * One thread: that of the loop of the HTTP client.
 */
#ifndef FER_OAUTH_H
#define FER_OAUTH_H

#include "challenge.h"
#include "http_client.h"
#include "jose.h"
#include "oauth_meta.h"
#include "oauth_vault.h"
#include "token_owner.h"

#define FER_OAUTH_ASK_MS 15000 /* for one request to an issuer */
#define FER_OAUTH_EARLY_MS                                                                         \
    60000 /* before its end that a token is refreshed; a tenth of a short life */
#define FER_OAUTH_PAUSE_MS  30000 /* after a failure, before it is tried again */
#define FER_OAUTH_LOOK_MS   1000  /* between two looks at what others have put into the vault */
#define FER_OAUTH_TURN_MS   30000 /* that another process may take to refresh the same token */
#define FER_OAUTH_TRIES     3     /* times that one request asks for another token */
#define FER_OAUTH_TOKEN_MAX 16384 /* bytes of a token */

typedef struct fer_oauth fer_oauth;

/* Texts are copied; what else is named must outlive it. Empty: there is none. */
typedef struct fer_oauth_options {
    fer_http *http;        /* asks issuers; its rules say where requests may go */
    fer_str resource;      /* the URL of the server */
    fer_token_owner owner; /* whose tokens they are: nothing is shown to the server without one,
                              unless they are the operator's */
    fer_str login;         /* what to run where nobody can be asked: "ferrule auth login NAME"; the
                              owner is added */
    fer_str client_id;     /* we are registered under this */
    fer_str issuer;        /* with this one; empty: with whom the server names */
    fer_str secret;        /* of that registration */
    fer_str private_key;   /* or a key, PEM */
    fer_str metadata_url;  /* of a document about us, which is our ID where issuers take such */
    fer_str scopes;        /* that are always asked for, with blanks between */
    bool machine;          /* there is no user: client_credentials */
    bool api;          /* it is no MCP server: nothing is sent to it without a token, and `issuer`,
                          where it is known, is asked without asking the server for its metadata */
    fer_str indicator; /* of an API: the `resource` that tokens are asked for, where it has one */
    /* Endpoints that the operator has written, in place of the issuer's metadata. */
    fer_str token_url, authorize_url, revoke_url;
    fer_vault *vault; /* NULL: tokens are kept in memory alone */
    /* Shows a URL to the user, who comes back with fer_oauth_redirected. NULL: nobody is there. */
    void (*visit)(void *context, fer_str url);
    fer_str redirect_uri; /* where the user comes back to */
    void *context;
    int64_t ask_ms; /* for one request to an issuer; 0: FER_OAUTH_ASK_MS */
} fer_oauth_options;

fer_code fer_oauth_new(const fer_oauth_options *o, fer_oauth **out, fer_err *err);
/* The same for tokens of another owner. */
fer_code fer_oauth_new_for(const fer_oauth *like, const fer_token_owner *owner, fer_oauth **out,
                           fer_err *err);
fer_oauth *fer_oauth_ref(fer_oauth *o);
/* After the last of them nobody may wait any more. What is under way ends with the loop, or with
 * the HTTP client. NULL is fine. */
void fer_oauth_unref(fer_oauth *o);
const fer_token_owner *fer_oauth_owner(const fer_oauth *o);

/* ---- tokens -----------------------------------------------------------------------------------
 */

/* The value of Authorization; empty: there is no token. Good until the loop runs, or
 * fer_oauth_permit, which goes before, looks again. */
fer_str fer_oauth_bearer(const fer_oauth *o);
/* Another number with each token. */
uint64_t fer_oauth_mark(const fer_oauth *o);
/* A request with the token of a mark was let in. */
void fer_oauth_accepted(fer_oauth *o, uint64_t mark);
/* FER_UNAUTHENTICATED: there is no token, and nothing may be sent without one. Looks at what others
 * have put into the vault; the other verbs go by what it saw. */
fer_code fer_oauth_permit(fer_oauth *o, fer_err *err);
/* Whether requests that are permitted should wait for another token before they are sent. */
bool fer_oauth_must_wait(const fer_oauth *o);

/* Somebody who waits; the memory is the caller's until `done` or fer_oauth_leave. */
typedef struct fer_oauth_waiter {
    struct fer_oauth_waiter *next, **place;
    /* Once, perhaps at once. FER_OK: try (again); else why not, a sentence. */
    void (*done)(struct fer_oauth_waiter *w, fer_code code, const char *why);
} fer_oauth_waiter;

/* Waits for the token that fer_oauth_must_wait spoke of. */
void fer_oauth_wait(fer_oauth *o, fer_oauth_waiter *w);
/* A request that showed the token of a mark was refused with a status and a challenge (WWW-
 * Authenticate; may be empty): waits for another token. */
void fer_oauth_renew(fer_oauth *o, uint64_t mark, unsigned status, fer_str challenge,
                     fer_oauth_waiter *w);
/* Waits no more. */
void fer_oauth_leave(fer_oauth_waiter *w);
/* Whether a refusal is one that another token may mend. */
bool fer_oauth_may_mend(unsigned status, fer_str challenge);

/* Gets a token anew, whatever there is, as ferrule auth login does. */
void fer_oauth_log_in(fer_oauth *o, fer_oauth_waiter *w);
/* Tells who gave the tokens that they are of no use any more (RFC 7009), and takes them out
 * of the vault, whatever comes of it. FER_OK: they are revoked; else why not. Nobody may wait for
 * anything else. */
void fer_oauth_revoke(fer_oauth *o, fer_oauth_waiter *w);
/* The user came back: the query of the URL. False: nobody was waited for. */
bool fer_oauth_redirected(fer_oauth *o, fer_str query);

/* What is known, for who operates it. Texts are good until the loop runs. */
typedef struct fer_oauth_info {
    bool has_token, has_refresh;
    fer_str issuer, scope;
    int64_t expires_ms; /* wall clock; 0: it does not say */
    const char *trouble;
} fer_oauth_info;
void fer_oauth_describe(fer_oauth *o, fer_oauth_info *out);

#endif
