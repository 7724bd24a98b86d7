/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a server, for the files of this room. A request that is under way is an ask; it
 * lives in the arena of its exchange, and in the list of its peer, until it is answered: by
 * fer_ask_open, the value of the result, fer_ask_close; or by fer_ask_fail. A method is one row of
 * a table (dispatch.c) and one function, which answers now or later.
 */
#ifndef FER_SERVE_PARTS_H
#define FER_SERVE_PARTS_H

#include <uv.h>

#include "buf.h"
#include "exports.h"
#include "kept.h"
#include "mcp_runner.h"
#include "serve.h"
#include "sight.h"
#include "wares.h"

typedef struct fer_ask fer_ask;
typedef struct fer_relay fer_relay;
typedef struct fer_question fer_question;
typedef struct fer_parked fer_parked;

/* ---- methods ----------------------------------------------------------------------------------
 */

enum fer_method_flags {
    FER_METHOD_EARLY = 1,  /* also before initialize */
    FER_METHOD_TOOLS = 2,  /* waits until tools are known */
    FER_METHOD_WARES = 4,  /* waits until it is known what servers have beside tools */
    FER_METHOD_CACHED = 8, /* its result says how long it is good for (2026-07-28) */
    FER_METHOD_INPUT = 16  /* its result may ask for input (2026-07-28) */
};

typedef struct fer_method {
    const char *name;
    const char *since, *until; /* the versions that have it */
    unsigned flags;
    void (*run)(fer_ask *q);                     /* of a request */
    void (*hear)(fer_peer *p, const fer_rpc *m); /* of a notification */
    const char *about; /* the member of params that HTTP names in Mcp-Name; or NULL */
} fer_method;
extern const fer_method fer_methods[];
extern const size_t fer_method_count;

/* The names of all versions, the newest first, as JSON strings with commas between. */
void fer_add_versions(fer_buf *b);
/* The row of a method in a version; NULL: that version has none of the name. */
const fer_method *fer_method_find(fer_str name, const fer_mcp_version *v, bool notification);

/* What initialize settles at once, so that a client need not wait for its answer before it goes on;
 * false: it was refused. */
bool fer_ask_agree(fer_ask *q);
void fer_method_initialize(fer_ask *q);
void fer_method_discover(fer_ask *q);
void fer_method_ping(fer_ask *q);
void fer_method_list(fer_ask *q);
void fer_method_call(fer_ask *q);
void fer_method_set_level(fer_ask *q);
void fer_method_listen(fer_ask *q);
void fer_method_resources(fer_ask *q);
void fer_method_templates(fer_ask *q);
void fer_method_read(fer_ask *q);
void fer_method_subscribe(fer_ask *q);
void fer_method_unsubscribe(fer_ask *q);
void fer_method_prompts(fer_ask *q);
void fer_method_get_prompt(fer_ask *q);
void fer_method_complete(fer_ask *q);
void fer_method_task_get(fer_ask *q);
void fer_method_task_update(fer_ask *q);
void fer_method_task_cancel(fer_ask *q);
void fer_method_task_result(fer_ask *q);
void fer_method_task_list(fer_ask *q);
void fer_hear_initialized(fer_peer *p, const fer_rpc *m);
void fer_hear_roots_changed(fer_peer *p, const fer_rpc *m);
void fer_hear_cancelled(fer_peer *p, const fer_rpc *m);
void fer_hear_unknown(fer_peer *p, const fer_rpc *m);

/* ---- logging ----------------------------------------------------------------------------------
 */

#define FER_LOG_OFF (-1)
/* The rank of a level, 0 is "debug"; FER_LOG_OFF: it is none. */
int fer_level_rank(const yyjson_val *level);
const char *fer_log_level_name(int rank); /* NULL: FER_LOG_OFF */
/* Somebody wants messages of this level: servers are told, where it is a lower one than before. */
void fer_front_want_level(fer_front *s, int rank);
/* Tells a client that listens to this level how a call has ended. */
void fer_ask_log(fer_ask *q, const fer_envelope *e);

/* ---- requests ---------------------------------------------------------------------------------
 */

struct fer_ask {
    fer_talk *talk;
    fer_peer *peer;
    fer_ask *next, **place; /* among those of the peer */
    fer_rpc_id id;
    const fer_method *method;
    const fer_mcp_version *version;
    const fer_json *doc;
    const yyjson_val *params; /* an object, or NULL */
    const yyjson_val *meta;   /* of it; an object, or NULL */
    int log_level;            /* FER_LOG_OFF: nothing is told */
    fer_str token;            /* progressToken, as it came; empty: nobody wants progress */
    double progress;          /* the last that was told */
    bool told;                /* some was */
    size_t from;              /* where its answer begins in the exchange's */
    bool held;                /* until tools are known */
    bool woke;                /* it has asked for the lists that it waits for */
    bool cancelled;           /* by the client: no word more */
    bool listens;             /* a subscription; it has no end of its own */
    bool tools_changed;       /* what it asked to be told of */
    bool resources_changed, prompts_changed;
    void (*stop)(fer_ask *q); /* ends what runs for it; NULL: nothing does */
    fer_call *call;           /* or NULL */
    void *state;              /* the method's */
    fer_str state_text;       /* requestState for the server, JSON; empty: as the params have it */
    uint64_t round;           /* of fer_front_each that has seen it */
};

/* Begins the result; what follows is its value. */
fer_buf *fer_ask_open(fer_ask *q);
void fer_ask_close(fer_ask *q);
/* Answers with an error of JSON-RPC; `data`, JSON, or empty. */
void fer_ask_fail(fer_ask *q, int code, fer_str data, const char *format, ...) FER_PRINTF(4, 5);
/* A message on the way to the end. */
void fer_ask_note(fer_ask *q, fer_str message);
/* The same for what must not be lost; false: it cannot be said there. */
bool fer_ask_say(fer_ask *q, fer_str message);
/* Progress, {"progress", ...}, where it has grown. */
void fer_ask_progress(fer_ask *q, fer_str json);
/* Answers with an error of JSON-RPC that another has made, byte for byte but for its code. */
void fer_ask_fail_as(fer_ask *q, fer_str error, int code);
/* What the client can be asked for, a JSON object; or empty. */
fer_str fer_ask_abilities(const fer_ask *q);
/* Answers with what another request was answered with, all that follows its ID. */
void fer_ask_answer_as(fer_ask *q, fer_str rest, int status);
/* Moves a request with its memory into another exchange, which is empty. What is left in its place,
 * for its client to be answered by; NULL: it cannot be, and nothing has changed. */
fer_ask *fer_ask_move(fer_ask *q, fer_talk *to);
/* Gives an exchange back that nothing was taken by. */
void fer_talk_discard(fer_talk *x);
/* Whether its client may be asked something before the end, so that news may be for a later request
 * than this one. */
bool fer_ask_may_be_asked(const fer_ask *q);
/* Whether the head says what the arguments of a tool say where it has to; false: it was refused. */
bool fer_ask_check_params(fer_ask *q, fer_str definition, fer_str args);
/* Ends it without a word. */
void fer_ask_drop(fer_ask *q);
/* The request is to end early: what runs is told, and it says no word more. */
void fer_ask_cancel(fer_ask *q);
/* The memory of the exchange. */
fer_arena *fer_ask_arena(const fer_ask *q);
fer_front *fer_ask_front(const fer_ask *q);
fer_guest *fer_ask_guest(const fer_ask *q);
/* Adds the members that every modern result has, with a comma behind: resultType, and who we are.
 */
void fer_ask_add_complete(const fer_ask *q, fer_buf *b);
/* ttlMs and cacheScope, with a comma behind, where the version has them. */
void fer_ask_add_cache(const fer_ask *q, fer_buf *b);
/* Both, and what a transparent server says beside its list (fer_wares_rest). */
void fer_ask_add_head(fer_ask *q, fer_buf *b, fer_ware_kind kind);
/* {"name", "version", ...} of this server. */
void fer_ask_add_server(const fer_ask *q, fer_buf *b);
bool fer_ask_since(const fer_ask *q, const char *version);
/* Runs the row of its method. */
void fer_ask_run(fer_ask *q);

/* Options of a call that belongs to the request: deadline, trace, key, progress. */
void fer_ask_call_options(fer_ask *q, fer_call_options *out);

/* ---- what holds them ---------------------------------------------------------------------------
 */

struct fer_talk {
    fer_peer *peer;
    fer_arena *arena;
    fer_talk *next; /* among spare ones */
    const fer_talk_events *events;
    void *context;
    fer_talk_hints hints;
    size_t open; /* requests that are not answered */
    bool taking; /* take is at it */
    bool batch;
    int status;
    fer_str scope; /* that is missing; or empty */
    fer_buf out;   /* answers */
};

/* Searches that are remembered until a call shows what they were for. */
#define FER_SERVE_SEARCHES 32
typedef struct fer_past_search {
    const fer_peer *peer; /* whose it was; NULL: of a request that stood alone */
    char *query;
    size_t query_len;
    uint64_t *tools; /* that it has shown, as hashes of their IDs */
    size_t tool_count;
} fer_past_search;

struct fer_guest {
    size_t refs;
    fer_front *server;
    fer_guest *next, **place;
    fer_arena *arena;
    const fer_caller *caller; /* NULL: the operator */
    fer_serve_mode mode;
    const fer_str *expose;
    size_t expose_count;
    bool over, steps_up;
    uint64_t session; /* of its requests that stand alone: they are one client together */
    bool news[3];     /* of tools, resources, prompts that it is shown: to be told */
    bool unsaid;      /* what its tenant is shown of tools has changed, and nobody was told */
    fer_exports exports;
    fer_counter counters[FER_WARE_KINDS];
    fer_sight sight; /* of the caller */
    fer_past_search searches[FER_SERVE_SEARCHES];
    size_t searched; /* how many there ever were: the next takes the place of the oldest */
    struct fer_task_row *tasks; /* that were begun for it, the newest first */
    size_t task_count;
};
/* What a request asks for is not there, or not for this guest: where its scopes leave anything out,
 * the ledger has it, with the tool that it was (or empty). */
void fer_ask_note_denied(const fer_ask *q, fer_str tool);
/* The rule for what the guest may use, for a list or a search. */
fer_code fer_guest_filter(const fer_guest *g, fer_arena *a, fer_filter *out, fer_err *err);
/* Brings its list of tools up to date; `*news` (or NULL): it has changed since the last time. */
fer_code fer_guest_refresh(fer_guest *g, bool *news, fer_err *err);
/* The next server that shows the guest no tools, from `*at` = 0 on, though it may use them: why, in
 * `err`, and its name. FER_OK: there are no more. */
fer_code fer_guest_lacks(const fer_guest *g, size_t *at, fer_str *server, fer_err *err);
/* The same for those of which nobody knows what tools they have: they are away, or asked just now.
 */
fer_code fer_guest_misses(const fer_guest *g, size_t *at, fer_str *server, fer_err *err);
/* Whose uses count for its searches. */
fer_str fer_guest_tenant(const fer_guest *g);
/* A search has shown tools; a tool was run, with success: if a search of the same client has shown
 * it, the catalogue is told. */
void fer_guest_searched(fer_ask *q, fer_str query, const fer_found *found);
void fer_guest_used(fer_ask *q, fer_str tool);
/* Forgets the searches of a peer that goes. */
void fer_guest_forget(fer_guest *g, const fer_peer *p);

struct fer_peer {
    fer_front *server;
    fer_guest *guest;
    fer_peer *next, **place;
    fer_peer_options options;
    const fer_mcp_version *version; /* NULL: not initialized */
    bool initialized;               /* the client has said so */
    uint64_t session;               /* no other peer has it; 0: one request that stands alone */
    fer_str capabilities;           /* of an older client, JSON; on the heap, or empty */
    int log_level;
    fer_question *questions; /* that it was asked */
    size_t question_count;
    uint64_t next_question;
    fer_ask *asks;
    size_t ask_count, listen_count;
    size_t exchanges;   /* that have not ended */
    bool closed;        /* goes with the last of them */
    fer_parked *parked; /* it is that of a parked request; or NULL */
};
/* Who asks, as runners see it. */
fer_asker fer_peer_asker(const fer_peer *p);
fer_asker fer_guest_asker(const fer_guest *g, uint64_t session);
/* Frees a closed peer that nothing runs for. */
void fer_peer_settle(fer_peer *p);

struct fer_front {
    fer_arena *arena;
    fer_front_options options;
    uv_loop_t *loop;
    fer_peer *peers;
    fer_talk *spare;
    fer_front_counts counts;
    size_t listens; /* of asks: subscriptions, which nobody waits for */
    uint64_t rounds;
    uint64_t sessions;
    bool draining, holding;
    bool waiting;    /* for what servers have beside tools */
    bool tools_told; /* the one server says that its tools have changed */
    int log_level;   /* that servers were told; FER_LOG_OFF: none */
    uv_timer_t settle, changed, wait, sweep;
    fer_wares wares;
    fer_mcp_sink sink;
    fer_relay *relays;
    struct fer_watch *watches;
    fer_parked *parked;
    size_t parked_count, parked_bytes;
    uint64_t parkings;
    unsigned char state_key[32]; /* of requestState */
    bool state_key_made;
    size_t questions;           /* to all clients that are not answered */
    struct fer_errand *errands; /* about tasks, without a client's request */
    size_t errand_count;
    uint64_t task_questions; /* the largest number of a question that one of them had */
    uint64_t listener;       /* of the catalogue */
    fer_guest *guests;       /* all of them */
    fer_guest *host;
    fer_rests kept;
    struct fer_meta *meta; /* the meta tools, compiled */
    void (*idle)(void *context);
    void *idle_context;
};

/* Something has ended: whoever waits for quiet is told, where it is quiet. */
void fer_front_settle(fer_front *s);
/* Shows each request under way of all peers; `visit` may end it. */
void fer_front_each(fer_front *s, void (*visit)(fer_ask *q));
/* Tells everybody that lists have changed. */
void fer_listen_tell_changed(fer_front *s);
/* The same a moment later, when more may have. */
void fer_front_tell_soon(fer_front *s);
/* Something has a deadline: from now on time is looked at, until nothing has. */
void fer_front_watch_time(fer_front *s);
/* What servers have beside tools is known: who waited for that goes on. */
void fer_front_wares_known(fer_front *s);
/* Whether a request has to wait for it. */
bool fer_front_must_wait(fer_ask *q);
/* What is watched at a server is watched at the one that has its place. */
void fer_front_watch_again(fer_front *s, fer_server *server);
/* A client is gone: servers of its own end. */
void fer_front_leave_runners(fer_front *s, uint64_t session);
/* What is offered to a guest: the bits of enum fer_ability. */
unsigned fer_guest_offers(fer_guest *g);

/* ---- questions.c, news.c ---- */

bool fer_question_ask(void *context, const fer_mcp_source *source, fer_mcp_question *from);
void fer_question_withdrawn(void *context, fer_mcp_question *from);
/* The client that something of a server is for, its request where there is one, and the call that
 * is made for that, where `*call` does not say so yet. NULL: none. */
fer_peer *fer_news_whose(fer_front *s, const fer_mcp_source *from, fer_mcp_call **call,
                         fer_ask **ask);
/* Ends a subscription as the protocol wants it. */
void fer_listen_end(fer_ask *q);

#endif
