/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What MCP servers have beside tools: resources, templates of such, prompts; what each of them can
 * do, and what it wants clients to know. Their lists are fetched as soon as a server is connected,
 * again when it says that they have changed, and kept: a list is answered from what is kept,
 * whatever its servers are doing just now; what was kept by an earlier run can be given back
 * (wares_kept.c), and counts until the server is connected. A server of which nothing is known is
 * asked by the first who wants to know, who waits for it a while (FER_SERVE_SETTLE_MS) and no
 * longer.
 *
 * Where each tenant has a token for a server (oauth.tokens), its lists are those that its own token
 * is shown: asked for in its own session when one of its clients first wants to know (a hoard), and
 * shown to its clients alone. They are kept in memory, as many as there is room for. What is kept
 * beyond the process, what a server can do and what it wants clients to know is as the operator's
 * token is shown it.
 *
 * Names. A prompt that is the only one of its name has that name, others are NAMESPACE__NAME, as
 * tools. A resource has its own URI, which is unique by nature; where two servers have the same
 * one, it is ferrule://NAMESPACE/URI. A transparent server has one backend and changes nothing.
 *
 * One thread: that of the front.
 */
#ifndef FER_WARES_H
#define FER_WARES_H

#include "map.h"
#include "mcp_client.h"
#include "mcp_rest.h"
#include "runner.h"
#include "serve.h"

#define FER_WARES_MAX     100000             /* things of one kind of one server */
#define FER_WARES_SIZE    ((size_t)16 << 20) /* bytes of one list of one server */
#define FER_WARES_MS      30000              /* for one list */
#define FER_WARES_SERVERS 1000               /* servers */
#define FER_WARES_OWNERS  1000               /* tenants whose own lists of one server are kept */
#define FER_WARES_OWNED   ((size_t)64 << 20) /* bytes of those */
#define FER_WARES_PREFIX  "ferrule://"       /* of the URI of a resource that two servers have */

typedef enum fer_ware_kind {
    FER_WARE_RESOURCE,
    FER_WARE_TEMPLATE,
    FER_WARE_PROMPT,
    FER_WARE_KINDS
} fer_ware_kind;

/* What a kind is called. */
typedef struct fer_ware_row {
    const char *method;  /* that lists it */
    const char *list;    /* the member of the result */
    const char *key;     /* the member of a thing that names it */
    const char *ability; /* the capability of a server that has it */
} fer_ware_row;
extern const fer_ware_row fer_ware_rows[FER_WARE_KINDS];

typedef struct fer_wares fer_wares;
typedef struct fer_server fer_server;
typedef struct fer_hoard fer_hoard;

/* One list of a server. */
typedef struct fer_stock {
    fer_server *server;
    fer_hoard *hoard; /* whose it is; NULL: everybody's */
    fer_ware_kind kind;
    fer_arena *good;  /* of what is kept; NULL: nothing */
    fer_str items;    /* the things as they came, with commas between */
    fer_str rest;     /* what was said beside them (mcp_rest.h) */
    fer_arena *arena; /* of the list that is under way; NULL: none is */
    fer_mcp_call call;
    fer_buf found;
    fer_mcp_rest beside;
    size_t count, pages;
    int64_t deadline; /* fer_clock_mono */
    bool again;       /* it changed while it was listed */
    bool told;        /* the server said that it has changed */
    bool news;        /* that clients are to be told of */
} fer_stock;

/* All lists of a server that one token is shown. */
typedef struct fer_stocks {
    fer_stock each[FER_WARE_KINDS];
    int64_t wait_until; /* fer_clock_mono: for what was never there; 0: nobody waits */
    bool late;          /* nobody waits for it any more */
} fer_stocks;

/* Those of a tenant, or of a principal. */
struct fer_hoard {
    fer_hoard *next;       /* of its server: who was asked for last first */
    fer_token_owner owner; /* its texts are behind this */
    fer_stocks stocks;
};

/* What a server can do, a bit each. */
enum fer_ability {
    FER_CAN_RESOURCES = 1,
    FER_CAN_PROMPTS = 2,
    FER_CAN_COMPLETE = 4,
    FER_CAN_WATCH = 8,
    FER_CAN_LOG = 16,
    FER_CAN_TASKS = 32,      /* the extension of 2026-07-28 */
    FER_CAN_OLD_TASKS = 64,  /* the experiment of 2025-11-25 */
    FER_CAN_LIST_TASKS = 128 /* of that, to list them */
};

struct fer_server {
    fer_server *next;
    fer_wares *wares;
    fer_runner *runner;    /* NULL: it is not served any more. Good after fer_wares_look alone */
    fer_token_share share; /* of the tokens that it is shown */
    fer_str name;          /* the namespace; on the heap */
    fer_stocks stocks;     /* that all share */
    fer_hoard *hoards;
    size_t hoard_count;
    unsigned can;
    fer_arena
        *past; /* of what an earlier run knew of it; NULL: nothing, or it was connected since */
    fer_str capabilities, instructions; /* in there, as it said them */
    fer_arena *past_list; /* of what an earlier run knew of its list of tools; or NULL */
    fer_str past_rest;    /* in there */
    const fer_mcp_version *past_version;
    bool known; /* `can` is what it said */
};

/* One thing as clients see it. */
typedef struct fer_ware {
    fer_server *server;
    fer_str key;  /* that clients use */
    fer_str own;  /* that the server uses */
    fer_str json; /* as the server has it */
    fer_str name; /* the JSON string in it that is `own` */
} fer_ware;

typedef struct fer_counter {
    fer_arena *arena; /* NULL: never made */
    fer_ware *list;
    size_t count;
    fer_map keys; /* fer_ware by key */
    uint64_t version;
} fer_counter;

struct fer_wares {
    fer_front *front;
    fer_server *servers;
    uint64_t versions[FER_WARE_KINDS];
    uint64_t noted; /* times that a server has said what it can do */
};

void fer_wares_init(fer_wares *w, fer_front *s);
void fer_wares_deinit(fer_wares *w);
/* Brings the list of servers up to date with those of the gateway. */
void fer_wares_look(fer_wares *w);
/* Asks servers of which nothing is known, and which a guest may see. */
void fer_wares_wake(fer_guest *g);
/* Whether somebody who wants to know everything has to wait; and whether this guest has. */
bool fer_wares_pending(const fer_wares *w);
bool fer_wares_awaits(const fer_guest *g);
/* Nobody waits any longer for what has been under way for FER_SERVE_SETTLE_MS. */
void fer_wares_give_up(fer_wares *w, int64_t now);
/* Lists that take too long end. */
void fer_wares_sweep(fer_wares *w, int64_t now);
bool fer_wares_busy(const fer_wares *w);

/* A server was connected, or says that what it has of a kind has changed; `owner`: to whom. */
void fer_wares_ready(fer_wares *w, fer_runner *r, const fer_token_owner *owner);
void fer_wares_changed(fer_wares *w, fer_runner *r, const fer_token_owner *owner,
                       fer_ware_kind kind);
fer_server *fer_wares_server(fer_wares *w, const fer_runner *r);
/* That of a namespace which is served; NULL: none is. */
fer_server *fer_wares_named(const fer_wares *w, fer_str name);

/* The lists of a server that a guest is shown; NULL: none yet. */
fer_stocks *fer_wares_stocks(const fer_guest *g, const fer_server *s);
/* Whether a guest is shown what a server has. */
bool fer_wares_shows(const fer_guest *g, const fer_server *s);
/* Whether a tool of the namespace could be served under its own name. */
bool fer_wares_exposes(const fer_guest *g, fer_str ns);
/* What those that it sees can do together, as far as they have said it; `*any`: there is one. */
unsigned fer_wares_can(fer_guest *g, bool *any);
/* Adds what they want clients to know, bounded. */
void fer_wares_add_instructions(fer_guest *g, fer_buf *b, size_t max);
/* Whether what a guest sees of a kind has changed since clients were told. */
bool fer_wares_news(const fer_guest *g, fer_ware_kind kind);
void fer_wares_told(fer_wares *w);
/* What it wants clients to know; or empty. */
fer_str fer_server_instructions(const fer_server *s);
/* Reads what it says that it can do, a JSON object of its version. */
void fer_server_note(fer_server *s, fer_str capabilities, const char *version);
/* What an earlier run knew of it does not count any more. */
void fer_server_forget_past(fer_server *s);
/* Nor what it knew of its list of tools. */
void fer_server_forget_list(fer_server *s);

/* ---- wares_owned.c: what single tenants are shown ---- */

/* That of a tenant; NULL: none. */
fer_hoard *fer_hoard_find(const fer_server *s, const fer_token_owner *owner);
/* That of a guest, made where it is not; NULL: what all share is his, or there is no room. */
fer_hoard *fer_hoard_get(fer_server *s, const fer_guest *g);
/* Lets those go that were not asked for the longest, where all of them take too much. */
void fer_hoards_trim(fer_server *s);
/* All of them; `there`: the server's requests can be dropped. */
void fer_hoards_free(fer_server *s, bool there);

/* ---- wares.c ---- */

void fer_stocks_init(fer_stocks *all, fer_server *s, fer_hoard *h);
/* Frees them; `there`: as above. */
void fer_stocks_deinit(fer_stocks *all, bool there);
/* Whether one is being listed; and one that never was. */
bool fer_stocks_busy(const fer_stocks *all);
bool fer_stocks_lack(const fer_stocks *all);

/* All things of a kind that a guest sees; good until the next turn of the loop. NULL: no memory. */
const fer_counter *fer_wares_all(fer_guest *g, fer_ware_kind kind, fer_err *err);
/*
 * What the server of a transparent guest said beside a list, members with commas between: of a
 * kind, or (FER_WARE_KINDS) of its tools. Empty for other guests: what several servers say of their
 * lists is said of none that is made of them.
 */
fer_str fer_wares_rest(const fer_guest *g, fer_ware_kind kind);
/* That of its tools, by the server itself or by what was kept. */
fer_str fer_server_rest(const fer_server *s);
/* Adds a thing as clients see it. */
void fer_ware_write(const fer_ware *x, fer_buf *b);
/* The thing of this key; NULL: none. */
const fer_ware *fer_wares_find(fer_guest *g, fer_ware_kind kind, fer_str key);
/*
 * Which servers may have a resource, in the order in which they are asked: the one that lists it or
 * whose name the URI has; else those with a template that begins like it; else all others. `own` is
 * its URI there. At most `max`.
 */
size_t fer_wares_holders(fer_guest *g, fer_str uri, fer_server **out, size_t max, fer_str *own);

#endif
