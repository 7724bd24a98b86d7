/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of what tenants are shown (own_tools.h), for its own files. */
#ifndef FER_OWN_PARTS_H
#define FER_OWN_PARTS_H

#include "digest.h"
#include "gateway_parts.h"
#include "own_id.h"
#include "own_tools.h"

#define FER_OWN_BUCKETS 256

typedef struct fer_own_list fer_own_list;
typedef struct fer_own_server fer_own_server;

/* A list that is under way, in an arena of its own. */
typedef struct fer_own_asking {
    fer_listing listing;
    fer_asker who;
    fer_own_list *list; /* NULL: nobody wants it any more */
} fer_own_asking;

/* A tool as one owner is shown it. */
typedef struct fer_own_tool {
    uint64_t sum;                        /* of its definition as it came */
    unsigned char hash[FER_DIGEST_SIZE]; /* of what it says, however it is written */
    bool hashed;
    uint64_t met;  /* the sum of the last other one that it was held against */
    bool met_same; /* which says the same */
} fer_own_tool;

/* What one owner is shown of one server. */
struct fer_own_list {
    fer_own_list *next;      /* of its server: who came last first */
    fer_own_list *neighbour; /* in its bucket */
    fer_own_server *server;
    fer_token_owner owner;   /* its texts are behind this */
    char mark[FER_OWN_MARK]; /* that stands for it in IDs */
    fer_arena *good;         /* of `tools`; NULL: they are not known */
    fer_map tools;           /* fer_own_tool by ID */
    size_t bytes;
    uint64_t version;       /* no other state of any list has it */
    uint64_t told;          /* the version that was told */
    fer_own_asking *asking; /* or NULL */
    bool telling;           /* somebody is told of it, and other lists may come meanwhile */
    int64_t began;          /* fer_clock_mono, of the last list that was asked for; 0: none was */
    int64_t waited;         /* since when somebody may wait for it; 0: nobody does */
    bool untaken;           /* whoever keeps the catalogue has yet to look at a tool of it */
    bool late;              /* nobody waits for it any more */
    bool stale;             /* it has changed since it was asked for */
    fer_code code;          /* of the last list */
    char why[FER_ERR_TEXT];
};

struct fer_own_server {
    fer_own_server *next;
    fer_own_tools *all;
    fer_runner *runner;
    fer_arena *operators_arena; /* NULL: nobody knows what the operator is shown */
    fer_map operators;          /* by ID */
    uint64_t operators_version; /* no other state of any list has it */
    fer_own_list *lists;
    fer_own_list *buckets[FER_OWN_BUCKETS]; /* the same, by the first two digits of their marks */
    size_t count;
};

struct fer_own_tools {
    fer_gateway *gateway;
    fer_own_server *servers;
    bool operators;   /* of one of them it is known what the operator is shown */
    uint64_t seed[2]; /* of sums: nobody can prepare two definitions that have one */
    uint64_t versions;
    size_t owners_max, bytes_max;
    uv_timer_t relist; /* of lists that changed too often */
};

/* ---- whose it is ---- */

static inline fer_token_owner fer_own_owner_of(const fer_own_server *s, const fer_caller *who)
{
    return fer_token_owner_of(s->runner->share, who->tenant, who->principal);
}

static inline fer_own_list *fer_own_find(const fer_own_server *s, const fer_token_owner *owner)
{
    fer_own_list *t = s->lists;
    while (t && !fer_token_owner_eq(&t->owner, owner)) t = t->next;
    return t;
}

static inline bool fer_own_has_owner(const fer_caller *who)
{
    return who && who->tenant.len;
}

static inline fer_own_list *fer_own_list_of(const fer_own_server *s, const fer_caller *who)
{
    fer_token_owner owner = fer_own_owner_of(s, who);
    return fer_own_find(s, &owner);
}

static inline fer_own_server *fer_own_server_of(const fer_gateway *g, const fer_runner *r)
{
    fer_own_server *s = g->own ? g->own->servers : NULL;
    while (s && s->runner != r) s = s->next;
    return s;
}

static inline fer_str fer_own_mark(const fer_own_list *t)
{
    return (fer_str){t->mark, FER_OWN_MARK};
}

/* Where a mark begins in the table of its server's. */
static inline size_t fer_own_bucket(const char mark[FER_OWN_MARK])
{
    unsigned char byte = 0;
    return fer_digest_unhex((fer_str){mark, 2}, &byte, 1) ? byte : 0;
}

/* ---- own_shown.c ---- */

/* Whether a tool that it has is seen in no definition of a view. `sums` remembers those of the
 * catalogue from one list to the next. */
bool fer_own_list_lacks(const fer_own_list *t, const fer_view *v, fer_map *sums);

/* Takes the list that has come, JSON, in place of what was good. */
fer_code fer_own_list_take(fer_own_list *t, fer_str json, fer_err *err);

#endif
