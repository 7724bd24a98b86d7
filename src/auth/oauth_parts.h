/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an OAuth client: oauth.c (tokens, who waits), oauth_flow.c (the steps of a flight),
 * oauth_revoke.c (those of giving tokens back), oauth_turn.c (taking turns with other processes),
 * oauth_ask.c (requests to issuers), oauth_record.c (what is kept). */
#ifndef FER_OAUTH_PARTS_H
#define FER_OAUTH_PARTS_H

#include "oauth.h"
#include "oauth_form.h"

/* What is kept of a server: who gave the token, to whom we were known there, the token. */
typedef struct fer_oauth_record {
    fer_str resource; /* that the token is for */
    fer_str issuer, token_url;
    fer_str client_id, secret;
    fer_client_auth auth;
    fer_str access, refresh;
    fer_str scope;      /* that was asked for */
    int64_t expires_ms; /* wall clock; 0: it does not say */
    int64_t life_ms;    /* that it had; 0: the same */
} fer_oauth_record;

/* How we are known at an issuer. */
typedef struct fer_oauth_client {
    fer_str id, secret, redirect_uri;
    fer_client_auth auth;
} fer_oauth_client;

/* Why a token is wanted. */
typedef enum fer_flight_kind {
    FER_FLIGHT_REFUSED, /* the server wants another one */
    FER_FLIGHT_STEP_UP, /* with more scopes */
    FER_FLIGHT_REFRESH, /* the one that there is ends soon: nothing is asked but for the next */
    FER_FLIGHT_LOGIN,   /* the user says so */
    FER_FLIGHT_REVOKE   /* none is: those that there are go */
} fer_flight_kind;

/* One attempt to get a token. */
typedef struct fer_flight {
    fer_arena *arena;
    void (*step)(fer_oauth *o); /* what is next, when an answer has come */
    unsigned n;                 /* which of several places is asked */
    bool stepping_up, logging_in, revoking;
    bool gave_refresh;    /* the refresh token is revoked */
    fer_str metadata_url; /* that the server named; or empty */
    fer_str scope;        /* that the challenge names; `ptr` NULL: none */
    fer_resource_meta resource;
    bool guessed; /* the server has no metadata: its issuer is taken to be at its origin */
    bool unnamed; /* the operator has written endpoints, and not whose they are */
    fer_issuer_meta issuer;
    fer_oauth_client client;
    fer_str asked_scope;
    char state[FER_OAUTH_SECRET], verifier[FER_OAUTH_SECRET];
    bool visiting;                /* the user is asked */
    bool refreshing, refreshed;   /* it is asked for by the older token; it was */
    int turn;                     /* that other processes wait for; -1: none was taken */
    struct fer_oauth_turn *waits; /* for another process; or NULL */
    bool early;                   /* the token is good still */
    /* The answer. */
    fer_http_call *call;
    fer_buf body;
    unsigned status;
    fer_str challenge; /* of a 401 */
    fer_code code;
    fer_err err;
} fer_flight;

struct fer_oauth {
    size_t refs;
    fer_oauth_options options;
    fer_arena *arena; /* of the options */
    fer_str name;     /* of the record in the vault */
    const fer_jose_alg *alg;
    EVP_PKEY *key;
    fer_arena *record_arena; /* NULL: there is no record */
    fer_oauth_record record;
    fer_str bearer; /* "Bearer ..." */
    uint64_t mark;
    bool accepted; /* some request with it was */
    bool closing;
    fer_flight *flight;
    fer_oauth_waiter *waiters;
    fer_code failed; /* the last flight; and when */
    int64_t failed_at;
    char why[512];
    fer_file_mark file;
    bool unread; /* there was no memory to read it */
    int64_t looked;
};

/* ---- oauth.c ---- */

/* Something of the flight was not written down, or not read, for want of memory: what is known is
 * not all that there was, and nothing is asked by it. */
bool fer_oauth_is_starved(const fer_flight *f);
/* The flight is over. */
void fer_oauth_land(fer_oauth *o, fer_code code, const char *why);
/* With what is kept now: a failure where that is no token. */
void fer_oauth_land_kept(fer_oauth *o);
/* Frees it, once what was under way has ended. */
void fer_oauth_destroy(fer_oauth *o);
/* What others have put into the vault counts, where they have. True: it is another token, or none.
 */
bool fer_oauth_reread(fer_oauth *o);
/* This is the record from now on; copied. */
fer_code fer_oauth_take(fer_oauth *o, const fer_oauth_record *r, fer_err *err);

/* ---- oauth_flow.c ---- */

void fer_oauth_begin(fer_oauth *o, fer_flight_kind kind, const fer_challenge *c);

/* ---- oauth_revoke.c ---- */

/* The issuer is known: its next token is given back. */
void fer_oauth_give_back(fer_oauth *o);

/* ---- oauth_turn.c ---- */

/* Calls `then` when no other process refreshes or revokes the token; where one has, the flight has
 * landed with what it got. */
void fer_oauth_take_turn(fer_oauth *o, void (*then)(fer_oauth *o));
/* Gives the turn back, or waits no more. */
void fer_oauth_end_turn(fer_flight *f);

/* ---- oauth_ask.c ---- */

/* Asks; `o->flight->step` is called with the answer. `body` `ptr` NULL: a GET. */
void fer_oauth_ask(fer_oauth *o, fer_str url, fer_str body, const char *media_type,
                   fer_str authorization, void (*step)(fer_oauth *o));
/* A form for the place where tokens are given, and how the client shows who it is there. */
void fer_oauth_ask_token(fer_oauth *o, fer_str url, fer_buf *form, const fer_oauth_client *client,
                         void (*step)(fer_oauth *o));

/* ---- oauth_record.c ---- */

fer_str fer_oauth_record_write(fer_arena *a, const fer_oauth_record *r);
fer_code fer_oauth_record_read(fer_arena *a, fer_str text, fer_oauth_record *out, fer_err *err);
fer_str fer_oauth_client_write(fer_arena *a, const fer_oauth_client *c);
bool fer_oauth_client_read(fer_arena *a, fer_str text, fer_oauth_client *out);
/* What an issuer answered to who asked for a token. */
fer_code fer_oauth_answer_read(fer_arena *a, unsigned status, fer_str text, fer_oauth_record *out,
                               bool *is_over, fer_err *err);

#endif
