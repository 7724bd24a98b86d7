/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client half of MCP: one server, whatever carries the messages (mcp_link.h) and whatever
 * version it speaks. Lists its tools and calls them, any number at once.
 *
 * The life of a client: new -> list and call; the first of them connects -> close -> `closed` ->
 * free. Connecting asks `server/discover` first; what does not answer like a modern server is asked
 * to `initialize`, and what was found out is remembered for the next time. Until both sides have
 * agreed, requests wait. A server that was lost is connected again by the next request: at once
 * after the first loss, and then after pauses that double, within which requests fail; where
 * somebody wants it kept, without a request, too. One that nobody asks anything is disconnected
 * after a while, where that is wanted. A request
 * fails together with the connection that it was sent over, and is sent again only where the server
 * says that it did nothing with it: because it has forgotten who asks, or because the tool is
 * another one by now (-32020), which is listed anew before.
 *
 * What comes unasked is never an answer: replies that are late, of another type of ID, or to nobody
 * are counted and dropped; of the first late one to each call with a ticket `late` is told. `ping`
 * is answered. What else a server asks for (elicitation, sampling, roots) goes to whoever said in
 * the options that it can be asked, and is refused where nobody did. Older servers ask by requests
 * of their own, modern ones by results that are no results yet; both look the same to who is asked,
 * and a modern request is made again by the client with the answers.
 *
 * All of it belongs to the thread of its loop.
 */
#ifndef FER_MCP_CLIENT_H
#define FER_MCP_CLIENT_H

#include <uv.h>

#include "arena.h"
#include "mcp_link.h"
#include "mcp_result.h"

#define FER_MCP_START_MS      30000 /* until both sides have agreed */
#define FER_MCP_PROBE_MS      5000  /* of it: for an answer to server/discover */
#define FER_MCP_LIST_MS       30000 /* for all pages of a list */
#define FER_MCP_TOOLS_MAX     100000
#define FER_MCP_PAGES_MAX     10000
#define FER_MCP_LIST_MAX      ((size_t)64 << 20) /* bytes of a list of tools */
#define FER_MCP_WAITING_MAX   1000               /* requests that wait for a connection */
#define FER_MCP_PROGRESS_MS   50                 /* between two news of one call */
#define FER_MCP_PROGRESS_MAX  4096               /* bytes of one */
#define FER_MCP_REPLIES_MAX   100                /* of ours to what a server asks, per second */
#define FER_MCP_PAUSE_MS      100                /* after the second loss; doubles with each */
#define FER_MCP_PAUSE_MAX     30000
#define FER_MCP_SETTLED_MS    10000   /* a connection that lasted so long was no failure */
#define FER_MCP_ROUNDS_MAX    10      /* times that one call is asked for input (2026-07-28) */
#define FER_MCP_QUESTIONS_MAX 64      /* of one server that are not answered yet */
#define FER_MCP_TTL_MAX       3600000 /* ms that a list is good for, whatever its server says */
#define FER_MCP_DROPPED_MAX   256     /* calls that were given up and whose answers are told */
#define FER_MCP_PROGRESS_RUN  8       /* news of one call that are told at once, without a pause */
#define FER_MCP_WATCHED_MAX   1000    /* resources and tasks of one server that are watched */
#define FER_MCP_SAID_MAX      65536 /* bytes of a server's capabilities, and of its instructions */

typedef struct fer_mcp_client fer_mcp_client;
typedef struct fer_mcp_call fer_mcp_call;

typedef enum fer_mcp_state {
    FER_MCP_IDLE, /* never connected, or disconnected as nobody asked anything */
    FER_MCP_CONNECTING,
    FER_MCP_READY,
    FER_MCP_CLOSING, /* the link is being closed */
    FER_MCP_DOWN     /* lost; the next request connects */
} fer_mcp_state;

/* Something that a server wants to know; good until it is answered or withdrawn. */
typedef struct fer_mcp_question {
    struct fer_mcp_call *call; /* that waits for it; NULL: not known, or over by now */
    fer_str method;            /* "elicitation/create", "sampling/createMessage", "roots/list" */
    fer_str params;            /* a JSON object, as it came; or empty */
    void *context;             /* of who is asked */
} fer_mcp_question;

typedef struct fer_mcp_options {
    uv_loop_t *loop;
    fer_str capabilities; /* what callers can answer, a JSON object; empty: nothing */
    bool alone;           /* nobody is there to answer or to listen, whatever is declared */
    unsigned start_ms, probe_ms, list_ms; /* 0: as above */
    unsigned idle_ms; /* without a request, after which it is disconnected; 0: never */
    bool keep;    /* a connection that is lost or was not made is made again without a request */
    bool recheck; /* its tools are known from an earlier run: the first connection tells that they
                     may have changed, unless they are just being listed */
    void (*changed)(void *context); /* the tools may have changed; once until listed again */
    void (*closed)(void *context);  /* after fer_mcp_client_close: nothing is left */
    /* Takes a question, to be answered once, now or later; may not give up a call. False, or NULL:
     * it is refused. */
    bool (*asked)(void *context, fer_mcp_question *q);
    /* Nobody waits for the answer any more: the question is gone. Must be there with `asked`. */
    void (*withdrawn)(void *context, fer_mcp_question *q);
    /* A call with this ticket was answered after it had been given up: how it would have ended, and
     * the bytes of its result or error, good until this returns. May be NULL. */
    void (*late)(void *context, uint64_t ticket, fer_code code, fer_str answer);
    /* What a server says unasked beside news of its tools: messages for a log, resources that were
     * updated, lists that have changed. `params`: a JSON object as it came, or empty. `k`: the call
     * that it belongs to; NULL: none, or not known. May be NULL. */
    void (*noticed)(void *context, fer_mcp_call *k, fer_str method, fer_str params);
    /* It was disconnected, or is not connected, and nobody asked anything (idle_ms); the client may
     * be closed. May be NULL. */
    void (*rested)(void *context);
    /* The connection was lost; requests that were sent over it fail next. May be NULL. */
    void (*lost)(void *context, fer_code code, const char *why);
    /* Writes a text of the server's as whoever reads errors and the state of a server may see it,
     * without secrets and then cut to `size`; `cut`: it goes on where it ends. NULL: as it is. */
    void (*clean)(void *context, fer_str text, bool cut, char *out, size_t size);
    /* Both sides have agreed, for the first time or again. May be NULL. */
    void (*ready)(void *context);
    void *context;
} fer_mcp_options;

/* Answers with a JSON object; the question is gone. */
void fer_mcp_question_answer(fer_mcp_question *q, fer_str result);
/* Answers that there is no answer: an error of JSON-RPC. A modern server's call fails then. */
void fer_mcp_question_refuse(fer_mcp_question *q, int code, fer_str message);

/* What is known of a server. */
typedef struct fer_mcp_info {
    fer_mcp_state state;
    const fer_mcp_version *version; /* NULL: not agreed yet */
    char server[64], server_version[64];
    char trouble[128];     /* why the last connection was lost or not made; or empty */
    char said[96];         /* the last line of its standard error, cleaned; or empty */
    uint64_t connects;     /* how often both sides agreed */
    uint64_t noise;        /* texts that are no message */
    uint64_t late;         /* answers to requests that had been given up or answered */
    uint64_t foreign;      /* answers and news about nothing that was asked */
    uint64_t refused;      /* requests of the server's */
    uint64_t asked;        /* questions of the server's that somebody took */
    uint64_t dropped;      /* tools that were listed and may not be used (x-mcp-header) */
    char dropped_why[128]; /* the last of them: its name, and what is wrong with it */
    uint64_t lists;        /* lists of tools that said something else beside them than before */
    uint64_t logs;         /* messages for a log, and notifications that are of no use here */
    size_t running;        /* requests that wait or are under way */
    int pid;               /* 0: none */
} fer_mcp_info;

/* Takes the link, also where there is no memory: NULL. */
FER_MUST_USE fer_mcp_client *fer_mcp_client_new(fer_mcp_link *link, const fer_mcp_options *o);
/* Connects without a request. */
void fer_mcp_client_connect(fer_mcp_client *c);
/* Ends all requests as cancelled, and then the connection; `closed` comes later or at once. */
void fer_mcp_client_close(fer_mcp_client *c);
void fer_mcp_client_free(fer_mcp_client *c);
/* Whether something of it is under way, or watched: otherwise nobody would miss it. */
bool fer_mcp_client_is_used(const fer_mcp_client *c);
void fer_mcp_client_info(const fer_mcp_client *c, fer_mcp_info *out);
/*
 * What the server last said of itself, byte for byte: the result of server/discover or of
 * initialize, with capabilities and instructions. Empty: it was never connected. Good until the
 * loop runs.
 */
fer_str fer_mcp_client_hello(const fer_mcp_client *c);

/* What callers can answer, from the next connection on: a JSON object that stays. */
void fer_mcp_client_declare(fer_mcp_client *c, fer_str capabilities, bool alone);
/* What the server said when it was last connected: its capabilities, a JSON object; and what it
 * wants clients to know. Empty: nothing, or it never was. Good until it is connected again. */
fer_str fer_mcp_client_capabilities(const fer_mcp_client *c);
fer_str fer_mcp_client_instructions(const fer_mcp_client *c);
/* What its last list of tools said beside them (mcp_rest.h): members of a JSON object, with commas
 * between. Good until the loop runs. */
fer_str fer_mcp_client_rest(const fer_mcp_client *c);
/* Shows each call that was sent and has not ended; `visit` may end none. */
void fer_mcp_client_each(fer_mcp_client *c, void (*visit)(void *context, fer_mcp_call *k),
                         void *context);

/*
 * What lasts longer than a connection, and is said again after each: which resources and tasks
 * somebody watches, and from which level on messages for a log are wanted. A modern server is told
 * by a new subscription. Watching an older server's resource for the first time is a request of the
 * caller's own (resources/subscribe), whose answer it wants to see; `tell`: it is made here.
 */
typedef enum fer_mcp_watchable {
    FER_MCP_RESOURCE, /* by its URI */
    FER_MCP_TASK      /* by its name, of a server of 2026-07-28 with the extension */
} fer_mcp_watchable;
fer_code fer_mcp_client_watch(fer_mcp_client *c, fer_mcp_watchable kind, fer_str name, bool tell,
                              fer_err *err);
void fer_mcp_client_unwatch(fer_mcp_client *c, fer_mcp_watchable kind, fer_str name);
void fer_mcp_client_log_level(fer_mcp_client *c, const char *level);
/* A notification, where a server of the older era is connected; `params`, a JSON object on one
 * line, or empty. */
void fer_mcp_client_notify(fer_mcp_client *c, fer_str method, fer_str params);

/* ---- requests ---------------------------------------------------------------------------------
 */

/* What all requests have: the client's own. */
typedef struct fer_mcp_request {
    const struct fer_mcp_request_kind *kind; /* NULL: it has ended */
    fer_mcp_client *client;
    struct fer_mcp_request *next, **place; /* among those that wait, or those under way */
    uint64_t id;                           /* 0: not sent */
    bool sent;
    bool again; /* it was sent before, and the server had forgotten us */
} fer_mcp_request;

/* How a call ended. Texts and values live in the arena of the call. */
typedef struct fer_mcp_outcome {
    fer_code code;          /* FER_OK; FER_TOOL_FAILED: it says no; else why it was not run */
    bool sent;              /* a byte of it may have reached the server */
    bool definite;          /* the server has answered */
    bool refused;           /* the server says that it did nothing */
    bool began;             /* result.verdict FER_MCP_BEGAN, and the caller takes tasks */
    bool asks_input;        /* result.verdict FER_MCP_ASKS_INPUT: may be made again with answers */
    int64_t retry_after_ms; /* 0: nobody knows */
    fer_mcp_result result;  /* where there is one */
    fer_str json;           /* the result byte for byte; or empty */
    fer_str error;          /* the server's error byte for byte; or empty */
    fer_str message;        /* of a failure: a sentence */
    fer_str details;        /* of a failure: a JSON object; or empty */
} fer_mcp_outcome;

/*
 * A call of a tool, or any other request: ping, logging/setLevel, resources/..., prompts/...,
 * completion/complete. Of another request the result is given as it came; `result` stays empty.
 * The _meta of its params is kept but for what the client says itself.
 */
struct fer_mcp_call {
    fer_mcp_request request; /* the client's */
    /* Filled by the caller, and good until the end. */
    fer_arena *arena;
    fer_str tool;
    fer_str args;          /* a JSON object, on one line */
    fer_str definition;    /* of the tool, as it was listed: says which arguments are mirrored in
                              headers (x-mcp-header); or empty */
    const char *method;    /* of another request; NULL: a tool is called */
    fer_str params;        /* of it: a JSON object, on one line; or empty. Of a call of a tool: what
                              goes along with it, _meta and members that are not named here */
    fer_str capabilities;  /* what this caller can answer, a JSON object; empty: as the client's */
    const char *log_level; /* messages that this caller wants (2026-07-28); NULL: as params say */
    bool takes_input;      /* a result that asks for input is the end, and the caller's to answer */
    bool takes_task;       /* a task is the end, too; of an older server's tool that must be one it
                              is asked for */
    int64_t deadline;      /* fer_clock_mono; 0: none. Told to the server; kept by the caller */
    fer_str traceparent, idempotency_key; /* or empty */
    fer_str retry_owner;                  /* or empty: then `attempt` is not told either */
    unsigned attempt;
    fer_str input_responses; /* JSON object: answers to what an earlier try asked for; or empty */
    fer_str request_state;   /* JSON string that it gave, as it came; or empty */
    /* {"progress", "total"?, "message"?}; NULL: nobody listens. */
    void (*on_progress)(fer_mcp_call *k, fer_str json);
    void (*on_end)(fer_mcp_call *k, const fer_mcp_outcome *o); /* once, perhaps at once */
    void *context;
    uint64_t ticket; /* to tell of an answer that comes late; 0: nobody wants to know */
    /* The client's: the last news, which wait for their turn. */
    char *news;
    size_t news_len;
    int64_t told_at;
    unsigned told; /* at once, whatever the time between them */
    fer_mcp_call *next_news;
    bool has_news;
    const fer_json *params_doc;
    struct fer_mcp_round *round; /* what it was asked for and is not answered yet; or NULL */
    unsigned rounds;
    uint64_t refusals;             /* of the server's questions, before it was sent */
    struct fer_mcp_relist *relist; /* its tool is listed anew; or NULL */
    bool relisted;                 /* it was, once */
};
/* `k` is cleared but for what the caller fills. */
void fer_mcp_client_call(fer_mcp_client *c, fer_mcp_call *k);
/* Whether the server may have seen a byte of it by now. */
bool fer_mcp_call_sent(const fer_mcp_call *k);
/* Gives a call up: the server is told, `on_end` is not called any more. */
void fer_mcp_call_drop(fer_mcp_call *k, const char *reason);

/* The listener is behind (true) or has caught up. Where a call has a stream of its own, no more is
 * read from it meanwhile; its news are thinned out anyway. */
void fer_mcp_call_pause(fer_mcp_call *k, bool paused);

/*
 * A list that its server calls good for a while (ttlMs) is given again within that time without
 * being asked for, unless the server said meanwhile that its tools have changed, or was lost.
 */
typedef struct fer_mcp_list fer_mcp_list;
struct fer_mcp_list {
    fer_mcp_request request; /* the client's */
    fer_arena *arena;
    /* Good at its end: how long the list is good for, and whether others than those with the same
     * credentials may be shown it (cacheScope). */
    int64_t ttl_ms;
    bool shared;
    /* FER_OK with a JSON list of tools, each byte for byte; once, perhaps at once. */
    void (*on_end)(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err);
    void *context;
    /* The client's. */
    struct fer_mcp_pages *pages;
    int64_t deadline;
    fer_mcp_list *next_list, **list_place;
};
void fer_mcp_client_list(fer_mcp_client *c, fer_mcp_list *l);

#endif
