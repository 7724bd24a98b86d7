/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a gateway, for the files of this room. */
#ifndef FER_GATEWAY_PARTS_H
#define FER_GATEWAY_PARTS_H

#include "call.h"
#include "metrics.h"
#include "secret_net.h"

#define FER_RANDOM_STORE 4096 /* bytes of randomness that are fetched at once */

struct fer_gateway {
    fer_arena *arena;
    fer_gateway_options options;
    uv_loop_t *loop;
    uv_loop_t own_loop;
    fer_readies readies;
    fer_map runners; /* by kind of backend and name */
    fer_runner **list;
    size_t runner_count, runner_cap;
    size_t stopping; /* runners that have not stopped yet */
    fer_call *active, *spare;
    size_t active_count;
    uint64_t calls; /* that ever began */
    bool closing;
    fer_policy_set *policies;
    fer_scopes scopes;
    fer_results *results;
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
    unsigned char random[FER_RANDOM_STORE];
    size_t random_left;
};

/* Takes a runner, which the gateway stops and frees. FER_BAD_USAGE: there is one of that name. */
fer_code fer_gateway_add_runner(fer_gateway *g, fer_runner *r, fer_err *err);
/* Ends all calls and all runners, which are freed; calls that come later are refused. What runners
 * need may go after it, before the gateway itself. */
void fer_gateway_stop(fer_gateway *g);
/* The runner of a backend, or NULL. */
fer_runner *fer_gateway_runner(fer_gateway *g, fer_backend_kind kind, fer_str name);

/* Has calls kept by somebody else than memory; before the first call. */
void fer_gateway_keep(fer_gateway *g, const fer_keeper *k);
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
