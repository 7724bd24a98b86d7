/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server half of MCP: what a client asks for, answered by a gateway. Knows no transport: one
 * that does makes a peer for each connection (stdio) or session (HTTP), and an exchange for each
 * text that comes in; the exchange says where its answer goes.
 *
 * The life of an exchange: new -> take, once -> notes on the way, any number -> end, exactly once,
 * perhaps before `take` returns; then it is gone. A text is one message, or a batch where the
 * version has batches. Which version a message is of is seen from the message itself: one whose
 * `_meta` names a version stands alone (2026-07-28), all others belong to the connection that
 * `initialize` opened. Answers are found by peer and request: equal IDs of two peers never meet.
 *
 * A peer lives until fer_peer_close. What runs for it then is cancelled.
 *
 * All of it belongs to the thread of the gateway's loop.
 */
#ifndef FER_SERVE_H
#define FER_SERVE_H

#include <ferrule/gateway.h>

#include "mcp_version.h"
#include "rpc.h"

#define FER_SERVE_ASKS_MAX     1000               /* requests of one peer at a time */
#define FER_SERVE_LISTENS_MAX  16                 /* subscriptions of one peer */
#define FER_SERVE_PEERS_MAX    10000              /* peers of one server */
#define FER_SERVE_MEMORY       ((size_t)64 << 20) /* bytes that one exchange may take */
#define FER_SERVE_PAGE         1000               /* tools on a page of tools/list */
#define FER_SERVE_EXPOSED_MAX  100000             /* tools that are served under their own names */
#define FER_SERVE_SETTLE_MS    3000  /* that the first requests wait for the lists of servers */
#define FER_SERVE_CHANGED_MS   150   /* for more changes, before clients are told of them */
#define FER_SERVE_TTL_MS       60000 /* that a client may keep a list, where nothing changes */
#define FER_SERVE_INSTRUCTIONS 8192  /* bytes of what servers want clients to know, together */

typedef struct fer_front fer_front;
typedef struct fer_guest fer_guest;
typedef struct fer_peer fer_peer;
typedef struct fer_talk fer_talk;

/* ---- servers --------------------------------------------------------------------------------- */

typedef enum fer_serve_mode {
    FER_SERVE_META,       /* tools to find tools with, and to run them */
    FER_SERVE_TOOLS,      /* chosen tools under their own names */
    FER_SERVE_BOTH,       /* both */
    FER_SERVE_TRANSPARENT /* the tools of one backend, exactly as it has them */
} fer_serve_mode;
/* "meta" ..., ended by NULL. */
extern const char *const fer_serve_modes[];

/* Each 0: the default. */
typedef struct fer_front_limits {
    size_t asks, listens, peers; /* FER_SERVE_ASKS_MAX and so on */
    size_t result;               /* bytes of a result that run_tool shows at once */
    int64_t settle_ms;
    size_t parked;     /* requests that wait for their client's answers */
    int64_t parked_ms; /* that a client has for one */
} fer_front_limits;

typedef struct fer_front_options {
    fer_gateway *gateway; /* borrowed, as the catalogue */
    fer_catalog *catalog; /* that can be searched */
    fer_serve_mode mode;
    /* Which tools are served under their own names: patterns (*, ?, [a-z]) of an ID without
     * version; none: all. Of a transparent server: the one namespace. */
    const fer_str *expose;
    size_t expose_count;
    fer_front_limits limits;
} fer_front_options;

FER_MUST_USE fer_front *fer_front_new(const fer_front_options *o);
/* All peers must be closed. NULL is fine. */
void fer_front_free(fer_front *s);
/* Serves another catalogue from now on, and tells clients that tools may have changed. Where it
 * fails, for want of memory, the old one is served on. */
fer_code fer_front_change_catalog(fer_front *s, fer_catalog *catalog, fer_err *err);
struct uv_loop_s *fer_front_loop(const fer_front *s);

/*
 * Requests about tools wait until the tools are known, or FER_SERVE_SETTLE_MS have passed. Whoever
 * asks backends for their tools says when it begins and when all have answered.
 */
void fer_front_hold(fer_front *s);
void fer_front_release(fer_front *s);

/* Whether requests are taken and need not wait. */
bool fer_front_is_ready(const fer_front *s);

/* No request is taken any more: those that come are refused. Subscriptions end. */
void fer_front_drain(fer_front *s);
/* Requests under way; `done`, where it is not NULL, is called once when there are none. */
size_t fer_front_busy(const fer_front *s);
void fer_front_when_idle(fer_front *s, void (*done)(void *context), void *context);
/* Cancels all requests under way. */
void fer_front_cancel(fer_front *s);

typedef struct fer_front_counts {
    size_t peers, asks;
    uint64_t requests;  /* that ever came */
    uint64_t refused;   /* with an error of JSON-RPC */
    uint64_t malformed; /* texts that are no message */
    uint64_t ignored;   /* answers and notifications that mean nothing here */
    uint64_t uses;      /* calls that a search had led to */
} fer_front_counts;
void fer_front_count(const fer_front *s, fer_front_counts *out);

/* ---- what servers have beside tools, kept for the next run -------------------------------------
 */

/* Grows whenever something of it may have changed. */
uint64_t fer_front_wares_version(fer_front *f);
/* Adds what is known of a server, one JSON object; false: nothing is. */
bool fer_front_write_wares(fer_front *f, fer_str server, struct fer_buf *b);
/* The same back, from a document: good until the server says otherwise itself. A failure changes
 * nothing. */
fer_code fer_front_recall_wares(fer_front *f, fer_str server, const struct fer_json *doc,
                                const struct yyjson_val *root, fer_err *err);

/* ---- guests -----------------------------------------------------------------------------------
 */

/*
 * Whom a server serves: who it is, what it may use and what it is shown. All peers of one token are
 * one guest, so that lists are made once and nothing of one guest's is another's. Counted.
 */
typedef struct fer_guest_options {
    const fer_caller *caller; /* NULL: the operator, who may use everything */
    bool has_mode;
    fer_serve_mode mode;   /* where it has one; else the front's */
    const fer_str *expose; /* as of the front; none: the front's */
    size_t expose_count;
    bool steps_up; /* it can get more scopes: what it lacks is told by HTTP, as OAuth has it */
} fer_guest_options;

/* Everything is copied. NULL: no memory. */
FER_MUST_USE fer_guest *fer_guest_new(fer_front *s, const fer_guest_options *o);
fer_guest *fer_guest_ref(fer_guest *g);
/* Whether nobody but whoever made it holds it: it has no session, and no request under way. */
bool fer_guest_is_alone(const fer_guest *g);
void fer_guest_unref(fer_guest *g); /* NULL is fine */
/* The one whom the options of the front are for. Borrowed. */
fer_guest *fer_front_host(fer_front *s);
/* It is let in no more: whoever holds peers of its closes them. */
void fer_guest_end(fer_guest *g);
bool fer_guest_is_over(const fer_guest *g);
/* Who it is; NULL: the operator. */
const fer_caller *fer_guest_caller(const fer_guest *g);
/* Whether it may read what the server of a namespace has beside its tools: resources, prompts. */
bool fer_guest_reads(const fer_guest *g, fer_str ns);

/* ---- peers ------------------------------------------------------------------------------------
 */

typedef struct fer_peer_options {
    /* Where to send what belongs to no request, such as that tools have changed; NULL: nowhere. */
    void (*push)(void *context, fer_str message);
    void *context;
    fer_guest *guest; /* who is there; NULL: the front's host */
    bool once;        /* a peer of one request: what it did is the guest's, not its own */
    /* Of a peer that may be closed to make room for another: since when nobody has used it, as
     * fer_clock_mono, or INT64_MAX while somebody does; and who closes it then. NULL: it stays. */
    int64_t (*idle_since)(void *context);
    void (*leave)(void *context);
} fer_peer_options;

/* NULL: no memory, or FER_SERVE_PEERS_MAX. At that limit the peer that was idle for longest makes
 * room: one of the same guest, where it has one; for a peer of one request one of another guest
 * never does. */
FER_MUST_USE fer_peer *fer_peer_new(fer_front *s, const fer_peer_options *o);
/* Everything that runs for it is cancelled; no exchange of its says anything more. */
void fer_peer_close(fer_peer *p);
/* What `initialize` has agreed on; NULL: nothing yet. */
const fer_mcp_version *fer_peer_version(const fer_peer *p);
/* Requests under way. */
size_t fer_peer_busy(const fer_peer *p);

/* ---- exchanges --------------------------------------------------------------------------------
 */

/* Where an exchange says what it has to say. */
typedef struct fer_talk_events {
    /* A message on the way: progress, a log, news of a subscription. */
    void (*note)(void *context, fer_str message);
    /*
     * The end. `answer` is a message, a batch of them, or empty where nothing asked for one;
     * `status` is what HTTP says to it. The text is good until this returns.
     */
    void (*end)(void *context, fer_str answer, int status);
    /* A request of ours, which must not be lost. False: it cannot be sent here. NULL: as `note`. */
    bool (*ask)(void *context, fer_str message);
} fer_talk_events;

/* What HTTP says of a request beside its body. Empty texts: it says nothing. */
typedef struct fer_talk_hints {
    bool http;
    fer_str version; /* MCP-Protocol-Version */
    fer_str method;  /* Mcp-Method */
    fer_str name;    /* Mcp-Name, decoded */
    /* Mcp-Param-NAME, decoded; one that cannot be has no `ptr`. */
    const struct fer_head_param {
        fer_str name, value;
    } * params;
    size_t param_count;
} fer_talk_hints;

/* NULL: no memory; nothing is called then. */
FER_MUST_USE fer_talk *fer_talk_new(fer_peer *p, const fer_talk_events *events, void *context);
/* `hints` may be NULL; all texts are copied. */
void fer_talk_take(fer_talk *x, fer_str text, const fer_talk_hints *hints);
/*
 * Nobody is there any more: nothing is called from now on. `cancel`: what runs for it is cancelled;
 * else it runs to its end.
 */
void fer_talk_abandon(fer_talk *x, bool cancel);
/* In `end`: the scopes that the answer says are missing, with blanks between; or empty. */
fer_str fer_talk_scope(const fer_talk *x);
/* The listener of notes has caught up, or (false) is behind. */
void fer_talk_flow(fer_talk *x, bool ready);

#endif
