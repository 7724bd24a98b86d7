/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a client, for the files that make it up: mcp_client.c (its life, requests),
 * mcp_connect.c (finding out what a server speaks, losing it), mcp_inbox.c (what comes in),
 * mcp_list.c and mcp_call.c (the two kinds of request that others make), mcp_question.c (what a
 * server wants to know), mcp_mirror.c (what of a call goes into headers).
 */
#ifndef FER_MCP_PARTS_H
#define FER_MCP_PARTS_H

#include "mcp_client.h"
#include "rpc.h"

#define FER_MCP_TABLE 256 /* places for requests under way, by ID; a power of two */

/* A kind of request: one row each. */
typedef struct fer_mcp_request_kind {
    const char *method;
    bool connects; /* it may be sent before both sides have agreed */
    /* The members of params, _meta included. */
    void (*write)(fer_mcp_request *r, fer_buf *b);
    /* What the link should know; may be NULL. What it needs for that lives in `a`. */
    void (*describe)(const fer_mcp_request *r, fer_arena *a, fer_mcp_out *m);
    /* An answer: a result or an error. The request has ended and may be gone afterwards. */
    void (*answered)(fer_mcp_request *r, const fer_rpc *m);
    /* There will be no answer. The same. */
    void (*failed)(fer_mcp_request *r, const fer_mcp_failure *f);
} fer_mcp_request_kind;

typedef enum fer_mcp_era {
    FER_MCP_UNKNOWN,
    FER_MCP_LEGACY,
    FER_MCP_MODERN
} fer_mcp_era;

typedef struct fer_mcp_round fer_mcp_round;

/* Something that is watched, by its kind and name. */
typedef struct fer_mcp_watched {
    fer_mcp_watchable kind;
    fer_str name;
} fer_mcp_watched;

struct fer_mcp_client {
    fer_mcp_link *link;
    fer_mcp_options options;
    fer_mcp_info info;
    fer_arena *in, *out; /* one message each, while it is read or written */
    uint64_t next_id;
    fer_mcp_request *table[FER_MCP_TABLE];
    fer_mcp_request *waiting, **waiting_end;
    size_t waiting_count;
    uv_timer_t guard, flush, watch; /* of connecting, of news, of lists */
    uv_timer_t rest; /* of a connection that nobody uses, or that is to be made again */
    int64_t used;    /* when the last request of others began or ended, fer_clock_mono */
    bool resting;    /* it is being disconnected as nobody uses it */
    unsigned timers; /* that are not closed yet */
    /* connecting */
    fer_mcp_era era; /* what it was the last time */
    fer_mcp_request discover, initialize, listen;
    bool insisted;    /* server/discover was asked in a version that the server itself named */
    bool probing;     /* initialize has not been sent yet */
    bool link_open;   /* between open and closed */
    int64_t start_by; /* fer_clock_mono */
    int64_t ready_since;
    int64_t not_before; /* when the next connection may be made */
    unsigned losses;    /* one after the other */
    bool unknown;       /* the last was that we are not let in */
    unsigned listens;   /* one after the other that were not acknowledged */
    /* news */
    bool news_of_tools; /* the server tells when its tools change */
    bool changed;       /* told, and not listed since */
    fer_mcp_call *news;
    fer_mcp_list *lists, **lists_end;
    char *kept; /* the last list, where its server called it good for a while; or NULL */
    size_t kept_len;
    int64_t kept_until; /* fer_clock_mono */
    bool kept_shared;
    /* questions of the server's */
    struct asking *questions;
    size_t question_count;
    uint64_t refusals; /* that an older server was told */
    fer_mcp_round *rounds;
    /* what lasts longer than a connection */
    fer_str said_capabilities, said_instructions, said_rest; /* on the heap; or empty */
    fer_mcp_watched *watched;                                /* on the heap, as each name */
    size_t watched_count, watched_cap;
    const char *log_level; /* NULL: nobody said one */
    bool news_of_resources, news_of_prompts, can_watch, can_log;
    fer_mcp_request old_listen; /* until the one in its place is acknowledged */
    int64_t replies_since;
    unsigned replies;
    char *hello; /* what the server said of itself when both sides agreed; or NULL */
    size_t hello_len;
    /* Calls that were given up and may be answered all the same; the oldest make room. */
    struct {
        uint64_t id, ticket; /* ticket 0: none */
    } dropped[FER_MCP_DROPPED_MAX];
    size_t dropped_next;
    bool stopping;
};

/* ---- mcp_client.c ------------------------------------------------------------------------------
 */

/* Sends a request or lets it wait for a connection; it may have failed when this returns. */
void fer_mcp_submit(fer_mcp_client *c, fer_mcp_request *r, const fer_mcp_request_kind *kind);
/* Sends one that may be sent now; it may have failed when this returns. */
void fer_mcp_send(fer_mcp_client *c, fer_mcp_request *r);
void fer_mcp_adopt(fer_mcp_client *c, fer_mcp_request *r, uint64_t id,
                   const fer_mcp_request_kind *kind);
/* Sends what waited. */
void fer_mcp_send_waiting(fer_mcp_client *c);
/* Takes a request off wherever it is. */
void fer_mcp_take_off(fer_mcp_request *r);
/* Lets it wait, before all others. */
void fer_mcp_wait_first(fer_mcp_client *c, fer_mcp_request *r);
fer_mcp_request *fer_mcp_find(fer_mcp_client *c, uint64_t id);
/* Ends a request without an answer. */
void fer_mcp_fail(fer_mcp_request *r, const fer_mcp_failure *f);
/* All that wait, and all that are under way. */
void fer_mcp_fail_waiting(fer_mcp_client *c, const fer_mcp_failure *f);
void fer_mcp_fail_running(fer_mcp_client *c, const fer_mcp_failure *f);
/* Sends a message that is no request. */
void fer_mcp_post(fer_mcp_client *c, fer_buf *b, const char *method);
fer_buf fer_mcp_writing(fer_mcp_client *c);
/* `_meta` of a request: what a modern server wants to know, and for calls more. */
void fer_mcp_add_meta(fer_mcp_client *c, fer_buf *b, const fer_mcp_call *k);
bool fer_mcp_is_modern(const fer_mcp_client *c);
/* The arena gives no more: what a request is told. */
extern const fer_mcp_failure fer_mcp_no_memory;
void fer_mcp_tools_changed(fer_mcp_client *c);
void fer_mcp_forget_list(fer_mcp_client *c);
/* What a list of tools said beside them. */
void fer_mcp_note_rest(fer_mcp_client *c, fer_str members);
void fer_mcp_forget_hello(fer_mcp_client *c);
/* Nothing is left of a client that is being closed. */
void fer_mcp_gone(fer_mcp_client *c);

/* ---- mcp_connect.c ------------------------------------------------------------------------------
 */

extern const fer_mcp_link_events fer_mcp_events;
/* Connects, or fails all that wait where that must wait. */
void fer_mcp_connect(fer_mcp_client *c);
/* The server did nothing with a request, as it has forgotten us or speaks another version by now:
 * agree again, then ask again, once. */
bool fer_mcp_may_ask_again(const fer_mcp_client *c, const fer_mcp_request *r);
void fer_mcp_ask_again(fer_mcp_client *c, fer_mcp_request *r, bool other_era);
/* Its own requests are no more. */
void fer_mcp_forget_handshake(fer_mcp_client *c);
void fer_mcp_guard_fired(uv_timer_t *t);
/* Connects again when it may be, where somebody wants that. */
void fer_mcp_keep(fer_mcp_client *c);
/* Looks from now on whether anybody asks anything, where that matters. */
void fer_mcp_watch_rest(fer_mcp_client *c);
void fer_mcp_add_client(fer_buf *b); /* {"name", "version"} of ours */
/* fer_mcp_options.clean, or the head of the text as it is. */
void fer_mcp_clean(const fer_mcp_client *c, fer_str text, bool cut, char *out, size_t size);

/* ---- mcp_inbox.c, mcp_call.c, mcp_list.c
 * ---------------------------------------------------------- */

void fer_mcp_message(void *context, uint64_t stream, fer_str json);
void fer_mcp_noise(void *context);
void fer_mcp_too_long(void *context, size_t max, fer_str head, fer_str tail);
void fer_mcp_starved(void *context);
void fer_mcp_progress(fer_mcp_request *r, const fer_rpc *m);
/* mcp_relist.c: a call that the server refused because its headers do not fit is made again once
 * its tool was listed anew. False: it cannot be. */
bool fer_mcp_relist_begin(fer_mcp_client *c, fer_mcp_call *k, const fer_mcp_outcome *refusal);
void fer_mcp_relist_drop(fer_mcp_call *k);
/* An answer to nobody: who gave a call of that ID up is told. */
void fer_mcp_late_answer(fer_mcp_client *c, uint64_t id, const fer_rpc *m);
void fer_mcp_flush_fired(uv_timer_t *t);
void fer_mcp_watch_fired(uv_timer_t *t);
void fer_mcp_call_end(fer_mcp_call *k, const fer_mcp_outcome *o);
extern const fer_mcp_request_kind fer_mcp_call_kind, fer_mcp_list_kind;

/* ---- mcp_question.c -----------------------------------------------------------------------------
 */

/* A request of an older server. False: nobody takes it. */
bool fer_mcp_ask(fer_mcp_client *c, uint64_t stream, const fer_rpc *m);
/* An older server was lost, and with it what it asked. */
void fer_mcp_questions_lost(fer_mcp_client *c);
/* notifications/cancelled */
void fer_mcp_question_cancelled(fer_mcp_client *c, const fer_rpc *m);
/* A call has ended: no question is of it any more. */
void fer_mcp_questions_forget(fer_mcp_client *c, const fer_mcp_call *k);
/* A modern server wants to know something before it ends a call; `doc` is its result, in the arena
 * of the call. Asks, and makes the call again or ends it as `ended`. False: nobody can be asked. */
bool fer_mcp_round_begin(fer_mcp_client *c, fer_mcp_call *k, const fer_json *doc,
                         const fer_mcp_outcome *ended);
void fer_mcp_round_drop(fer_mcp_call *k);
void fer_mcp_rounds_fail(fer_mcp_client *c, fer_code code, const char *why);

/* ---- mcp_lasting.c ------------------------------------------------------------------------------
 */

/* Both sides have agreed: notes what the server can do, and says again what lasts. */
void fer_mcp_note_abilities(fer_mcp_client *c, const fer_rpc *m);
void fer_mcp_say_lasting(fer_mcp_client *c);
/* The members of a subscription's filter, without braces; false: there is nothing to listen to. */
bool fer_mcp_add_filter(const fer_mcp_client *c, fer_buf *b);
/* Whether something of a kind is watched. */
bool fer_mcp_watches(const fer_mcp_client *c, fer_mcp_watchable kind);
void fer_mcp_lasting_free(fer_mcp_client *c);
/* Whether somebody is there who hears what the server says, and can be asked. */
bool fer_mcp_is_served(const fer_mcp_client *c);
/* Listens anew, to something else than before. */
void fer_mcp_listen_again(fer_mcp_client *c);
/* The subscription that was listened to before goes. */
void fer_mcp_drop_old_listen(fer_mcp_client *c);
/* Tells the server that nobody waits for this request any more. */
void fer_mcp_tell_cancelled(fer_mcp_client *c, uint64_t id, const char *reason);

#endif
