/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a store: a request on its way. It lives in an arena of its own, with the texts it
 * was given and those of its answer, and is freed when its caller was told.
 */
#ifndef FER_STORE_PARTS_H
#define FER_STORE_PARTS_H

#include <pthread.h>

#include "outlet.h"
#include "store_kind.h"

typedef struct fer_request fer_request;

/* What a request does, on the store's thread, within a transaction. */
typedef fer_code fer_store_op(fer_store *s, fer_request *r, fer_err *err);

struct fer_request {
    fer_outlet_item item; /* the first member */
    fer_request *next;
    fer_arena *arena;
    fer_outlet *outlet;
    fer_store_op *run;
    fer_store_done *done;
    void *context;
    fer_idem_claim claim;
    fer_idem_state state;
    fer_str group, key, mark, value;
    int64_t when_ms, now_ms;
    size_t max;
    bool flag;
    fer_store_answer answer;
};

struct fer_store {
    fer_store_options options;
    const fer_store_kind *kind;
    void *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    fer_request *first, **last; /* under lock, as are: */
    size_t waiting;
    bool stop;
    bool broken; /* the store's thread alone */
};

struct fer_store_port {
    fer_store *store;
    fer_outlet *outlet;
};

/* store_ops.c */
fer_store_op fer_op_claim, fer_op_finish, fer_op_release, fer_op_lose, fer_op_get, fer_op_expire,
    fer_op_usage, fer_op_list, fer_op_resolve, fer_op_put, fer_op_value, fer_op_remove, fer_op_keys,
    fer_op_cache_put, fer_op_cache_get, fer_op_cache_purge, fer_op_cache_expire;
/* Claims of older epochs, when the store is opened. */
fer_code fer_store_settle(fer_store *s, fer_store_recovery *out, fer_err *err);

#endif
