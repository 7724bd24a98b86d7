/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a gateway, for the files of this room. */
#ifndef FER_GATEWAY_PARTS_H
#define FER_GATEWAY_PARTS_H

#include "call.h"
#include "metrics.h"
#include "own_tools.h"
#include "secret_net.h"
#include "trace_export.h"

#define FER_RANDOM_STORE 4096 /* bytes of randomness that are fetched at once */

enum fer_post_state {
    FER_POST_SERVING,
    FER_POST_RETIRED, /* no later call gets it */
    FER_POST_STOPPING,
    FER_POST_STOPPED
};

/* A runner at its post. */
typedef struct fer_post {
    fer_runner *runner;
    enum fer_post_state state;
    void (*gone)(void *context); /* is told when a retired one was freed; or NULL */
    void *context;
} fer_post;

/* The buffers of what carries calls: connections, pipes. In the memory of their owner. */
typedef struct fer_buffers {
    size_t (*bytes)(const void *context); /* that they have now */
    const void *context;
    struct fer_buffers *next, **place; /* the gateway's; `place` NULL: not counted */
} fer_buffers;

struct fer_gateway {
    fer_arena *arena;
    fer_gateway_options options;
    uv_loop_t *loop;
    uv_loop_t own_loop;
    fer_readies readies;
    fer_map runners; /* by kind of backend and name */
    fer_post *posts;
    size_t post_count, post_cap;
    size_t retired;  /* runners that are not gone yet */
    uv_timer_t tidy; /* the next look at those */
    void (*on_changed)(void *context, fer_runner *r);
    void *changed_context;
    void (*on_missing)(void *context, fer_runner *r);
    void *missing_context;
    void (*on_lost)(void *context, const fer_runner *r, fer_code code, const char *why,
                    size_t running);
    void *lost_context;
    const struct fer_mcp_sink *sink; /* of what MCP servers ask and say; or NULL */
    fer_own_tools
        *own; /* what tenants are shown with tokens of their own; NULL: nothing ever was */
    bool (*on_own)(void *context, const fer_own_news *n);
    void *own_context;
    void (*on_own_known)(void *context);
    void *own_known_context;
    fer_arena *route_arena;
    fer_map routes; /* by ID; nothing where there is no arena */
    fer_call *active, *spare;
    size_t active_count;
    size_t held;          /* bytes of arguments and results of those */
    fer_buffers *buffers; /* and of those who bring them */
    uint64_t calls;       /* that ever began */
    bool closing;
    fer_rulebook *rulebook;
    fer_scopes scopes;
    fer_results *results;
    uint64_t purges; /* of results: what was asked for before one is not kept after it */
    fer_bag flights;
    fer_keeper keeper;
    fer_memory *memory; /* that the keeper is, where nobody gave one */
    fer_arena *net_arena;
    fer_net *net;  /* secrets that are known */
    size_t probes; /* under way */
    fer_metrics metrics;
    struct {
        fer_call_observer *tell;
        void *context;
    } observers[FER_OBSERVERS_MAX];
    size_t observer_count;
    bool timed; /* one of them wants to know of the stages */
    struct {
        fer_late_observer *tell;
        void *context;
    } late_observers[FER_OBSERVERS_MAX];
    size_t late_observer_count;
    uint64_t tickets;             /* of attempts, so far */
    struct fer_gone_calls *gone;  /* calls whose answers may come late; NULL: none ever was */
    fer_trace_export *traces;     /* NULL: nobody asked for them */
    fer_trace_export *old_traces; /* that send what they have, and go */
    fer_trace_stats past_traces;  /* of those that are gone */
    bool traces_told;             /* it observes the calls */
    unsigned char random[FER_RANDOM_STORE];
    size_t random_left;
};

/* Takes a runner, which the gateway stops and frees. FER_BAD_USAGE: there is one of that name. */
fer_code fer_gateway_add_runner(fer_gateway *g, fer_runner *r, fer_err *err);
/* Ends all calls and all runners, which are freed; calls that come later are refused. What runners
 * need may go after it, before the gateway itself. */
void fer_gateway_stop(fer_gateway *g);
/* The runner of a backend, or NULL. */
fer_runner *fer_gateway_runner(const fer_gateway *g, fer_backend_kind kind, fer_str name);
/*
 * Takes a runner out: calls under way keep it, later ones do not get it, and another one may have
 * its name at once. When its last call has ended it is stopped and freed, and `gone`, where
 * somebody wants to know, is called. What it needs must stay until then.
 */
void fer_gateway_retire_runner(fer_gateway *g, fer_runner *r, void (*gone)(void *context),
                               void *context);
/* The same for a runner that was never added. */
void fer_gateway_discard_runner(fer_gateway *g, fer_runner *r, void (*gone)(void *context),
                                void *context);
/* Has it told which runner's tools have changed; NULL: nobody is. */
void fer_gateway_on_changed(fer_gateway *g, void (*tell)(void *context, fer_runner *r),
                            void *context);
/* Has it told of whose tools one was called that the catalogue does not have; NULL: nobody is. */
void fer_gateway_on_missing(fer_gateway *g, void (*tell)(void *context, fer_runner *r),
                            void *context);
/* Has it told that what a runner runs in has ended by itself, before the calls that it had; NULL:
 * nobody is. */
typedef void fer_lost_observer(void *context, const fer_runner *r, fer_code code, const char *why,
                               size_t running);
void fer_gateway_on_lost(fer_gateway *g, fer_lost_observer *tell, void *context);
/* Whether calls can be recorded now; where there is no ledger, nothing is in the way. */
bool fer_gateway_records(const fer_gateway *g);
/* Forgets cached results of a backend whose tools may have changed, or which is gone. */
void fer_gateway_forget_results(fer_gateway *g, fer_str backend);
/* Who hears what MCP servers ask and say (mcp_runner.h); stays until it is taken back with NULL. */
void fer_gateway_listen_mcp(fer_gateway *g, const struct fer_mcp_sink *sink);
/* The serving runners, one after the other, as long as there is one; NULL: no more. */
fer_runner *fer_gateway_runner_at(const fer_gateway *g, size_t *at);
/* Soon looks whether a retired runner can go. */
void fer_gateway_tidy(fer_gateway *g);
void fer_gateway_tidy_init(fer_gateway *g);
/* Stops and frees all runners, before it returns. */
void fer_gateway_stop_runners(fer_gateway *g);

/* late.c: an attempt that was cancelled and had been sent: its answer may still come. */
void fer_call_expect_late(fer_call *c);
/* The caller is asked something by the tool; it has answered, or nobody wants to know any more. The
 * time between does not count. */
void fer_call_stand(fer_call *c);
void fer_call_proceed(fer_call *c);
/* The same for the chain that a call is a step of, where it is one. */
void fer_chain_stand(const fer_call *c, bool stands);
/* The runner heard it. */
void fer_gateway_late(fer_runner *r, uint64_t ticket, const fer_late *late);
void fer_gone_free(struct fer_gone_calls *gone);

/* Takes policies, and the reference to them, for calls that begin later; nothing of it fails. What
 * was counted stays; results that were kept are forgotten. */
void fer_gateway_take_rulebook(fer_gateway *g, fer_rulebook *b);

/* Another catalogue, for calls that begin later; the one before must stay until those are over that
 * began with it. */
void fer_gateway_take_catalog(fer_gateway *g, fer_catalog *catalog);

/* Has calls kept by somebody else than memory; before the first call. */
void fer_gateway_keep(fer_gateway *g, const fer_keeper *k);
/* Has what is held counted with the buffers of a carrier, until that is taken back. */
void fer_gateway_count_buffers(fer_gateway *g, fer_buffers *b);
void fer_gateway_uncount_buffers(fer_buffers *b);
/* Bytes of arguments, results and buffers, now. */
size_t fer_gateway_held(const fer_gateway *g);
/* Whether a new call is one too many for the bytes that are held. */
bool fer_gateway_must_shed(const fer_gateway *g);
/* Random number; 0 where the system has none: for jitter, never for names. */
uint64_t fer_gateway_chance(fer_gateway *g);

/* Random bytes, at most 64. False: the system has no randomness. */
FER_MUST_USE bool fer_gateway_random(fer_gateway *g, unsigned char *out, size_t size);
/* A random UUID (version 4), NUL-terminated. False: the system has no randomness. */
FER_MUST_USE bool fer_gateway_uuid(fer_gateway *g, char out[FER_UUID_TEXT]);

/* A call to be filled, in the list of those under way; NULL: no memory. */
fer_call *fer_gateway_take_call(fer_gateway *g);
/* Its done was called: it is used for later ones. */
void fer_gateway_give_call(fer_call *c);

#endif
