/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What outlives the process beside the ledger: idempotency records, the registry, cache entries,
 * and the index of the ledger. A store has one thread; callers hand it requests from their loops
 * and are told there when the answer is durable. All requests that wait when the thread is free are
 * one transaction with one sync, so that many callers share it.
 *
 * Callers know this header alone. A kind of store fills one vtable (fer_store_kind, store_kind.h)
 * with plain blocking functions; SQLite (WAL, synchronous FULL) is the embedded one, another
 * database is another file. Kinds see sealed bytes only: results and values are sealed here
 * (seal.h) under scope and fingerprint.
 *
 * Promises:
 *  1. A change that was told as done is there after a crash and after a loss of power.
 *  2. Requests of one port happen in their order; all requests happen one after the other, so
 *     two claims of one key never both win, whichever loops they come from.
 *  3. A claim is durable before it is told: the first byte leaves after that. A finish is durable
 *     before it is told: the caller sees the result after that.
 *  4. A record that does not open (tampered, or another key) is UNKNOWN, never absent: nothing
 *     is executed again because of it.
 *  5. Nothing is evicted early. Where a tenant has no room left, new claims are FER_IDEM_NO_ROOM.
 *  6. After a failed sync every request fails with FER_IO_ERROR until the store is opened again.
 *
 * A store may be opened by others while a gateway has it, to look and to leave a word: such a
 * visitor gives no epoch, closes nobody's claims, and makes no claims of its own.
 *
 * Threads: fer_store_open and _close by the owner; everything with a port on the thread of its
 * loop. Texts in answers are valid during the callback only.
 */
#ifndef FER_STORE_H
#define FER_STORE_H

#include <uv.h>

#include "arena.h"
#include "seal.h"

typedef struct fer_store fer_store;
typedef struct fer_store_port fer_store_port;

/* Every number: 0 means its default (docs/reference/limits.md). */
typedef struct fer_store_options {
    const char *path;     /* of the database; made with 0600. "" with SQLite: in memory */
    const fer_seal *seal; /* borrowed; must outlive the store */
    uint64_t epoch; /* of the ledger that was opened before: PENDING of older ones is closed; 0: a
                       visitor's */
    size_t keys_per_tenant;  /* 100,000 */
    size_t bytes_per_tenant; /* 256 MiB */
    size_t queue;            /* 10,000 requests that may wait */
    size_t cache_bytes;      /* 256 MiB of cache entries */
} fer_store_options;

/* What opening did to claims of older epochs. */
typedef struct fer_store_recovery {
    size_t dropped; /* Pure */
    size_t again;   /* the backend honours keys: FER_IDEM_AGAIN */
    size_t unknown;
} fer_store_recovery;

#define FER_STORE_RESULT ((size_t)64 << 20) /* bytes of a result or value */
#define FER_STORE_KEY    512                /* bytes of a key of registry and cache */

/* The embedded store. `recovery` may be NULL. */
fer_code fer_store_open(const fer_store_options *o, fer_store **out, fer_store_recovery *recovery,
                        fer_err *err);
/* Ends the thread and frees; all ports must be detached. */
void fer_store_close(fer_store *s);

/* A loop's door to the store; as fer_ledger_attach and _detach. */
fer_code fer_store_attach(fer_store *s, uv_loop_t *loop, fer_store_port **out, fer_err *err);
void fer_store_detach(fer_store_port *p);

/* ---- idempotency records (RELIABILITY 5.4) ------------------------------------------------------
 */

#define FER_IDEM_HASH 32 /* bytes of a scope's hash and of a fingerprint */

typedef enum fer_idem_state {
    FER_IDEM_NONE,
    FER_IDEM_PENDING,
    FER_IDEM_DONE,
    FER_IDEM_UNKNOWN, /* until an operator resolves it */
    FER_IDEM_AGAIN    /* a crash left it; the same input may be sent again with the same key */
} fer_idem_state;
extern const char *const fer_idem_states[FER_IDEM_AGAIN + 2]; /* "none", "pending" ...; NULL */

typedef enum fer_idem_verdict {
    FER_IDEM_CLAIMED, /* it is the caller's: execute, then finish or release */
    FER_IDEM_EXISTS,  /* `found` says what there is; compare fingerprints */
    FER_IDEM_NO_ROOM  /* the tenant has as many keys or bytes as it may */
} fer_idem_verdict;

typedef struct fer_idem_claim {
    unsigned char scope[FER_IDEM_HASH]; /* of (tenant, principal, tool, key) */
    unsigned char fingerprint[FER_IDEM_HASH];
    fer_str tenant;
    fer_str call; /* ID of the call, at most 64 bytes */
    fer_str tool; /* its ID without the version: what an operator is shown */
    bool pure;
    bool honoured;  /* the backend honours keys: a crash makes it AGAIN, not UNKNOWN */
    int64_t now_ms; /* wall clock; records that expired before it are absent */
} fer_idem_claim;

typedef struct fer_idem_record {
    fer_idem_state state;
    unsigned char fingerprint[FER_IDEM_HASH];
    fer_str tenant;
    fer_str call;
    fer_str tool;
    uint64_t epoch;
    int64_t created_ms;
    int64_t expires_ms; /* of DONE */
    fer_str result;     /* of DONE, as it was given, byte by byte */
    bool tampered;      /* its seal is broken: then the state is UNKNOWN */
} fer_idem_record;

/* One answer for all requests: what belongs to the request is filled. */
typedef struct fer_store_answer {
    fer_code code;
    fer_idem_verdict verdict;           /* claim */
    fer_idem_record found;              /* claim, get; state NONE: there is none */
    uint64_t count, bytes;              /* expire: how many went; usage */
    fer_str value;                      /* registry, cache: ptr NULL where there is none */
    const struct fer_store_item *items; /* lists */
    size_t item_count;
} fer_store_answer;
struct fer_store_item {
    unsigned char scope[FER_IDEM_HASH]; /* of idempotency records */
    fer_str key;                        /* of registry entries; the call's ID */
    fer_str tenant;
    fer_str tool;       /* of idempotency records */
    int64_t when_ms;    /* since when */
    int64_t expires_ms; /* of DONE */
};

typedef void fer_store_done(void *context, const fer_store_answer *answer);

/*
 * All of these copy what they are given and return at once; where they do not return FER_OK, `done`
 * is not called (FER_OUT_OF_MEMORY, FER_LIMIT_EXCEEDED, FER_CONCURRENCY_LIMITED: the queue is
 * full).
 */

/* NONE, expired, or AGAIN with the same fingerprint -> PENDING. */
fer_code fer_idem_claim_key(fer_store_port *p, const fer_idem_claim *claim, fer_store_done *done,
                            void *context, fer_err *err);
/*
 * PENDING of that call -> DONE with a result until `expires_ms`; FER_CONSTRAINT_VIOLATION where the
 * claim is not that call's any more.
 */
fer_code fer_idem_finish(fer_store_port *p, const fer_idem_claim *claim, fer_str result,
                         int64_t expires_ms, fer_store_done *done, void *context, fer_err *err);
/* PENDING of that call -> NONE: nothing was sent, and nothing is kept. */
fer_code fer_idem_release(fer_store_port *p, const fer_idem_claim *claim, fer_store_done *done,
                          void *context, fer_err *err);
/* PENDING of that call -> UNKNOWN: it was sent, and nobody knows what came of it. */
fer_code fer_idem_lose(fer_store_port *p, const fer_idem_claim *claim, fer_store_done *done,
                       void *context, fer_err *err);
/* What there is under a scope. */
fer_code fer_idem_get(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH], int64_t now_ms,
                      fer_store_done *done, void *context, fer_err *err);
/* Takes away at most `max` DONE records that expired before `now_ms`. */
fer_code fer_idem_expire(fer_store_port *p, int64_t now_ms, size_t max, fer_store_done *done,
                         void *context, fer_err *err);
/* Keys and bytes of a tenant. */
fer_code fer_idem_usage(fer_store_port *p, fer_str tenant, fer_store_done *done, void *context,
                        fer_err *err);
/* Records of a state, the oldest first, at most `max`, without their results. */
fer_code fer_idem_list(fer_store_port *p, fer_idem_state state, size_t max, fer_store_done *done,
                       void *context, fer_err *err);
/*
 * The operator's word on an UNKNOWN record: `was_done` makes it DONE with `result` until
 * `expires_ms`, else it is taken away and the key may be used again. FER_CONSTRAINT_VIOLATION where
 * it is not UNKNOWN.
 */
fer_code fer_idem_resolve(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH],
                          bool was_done, fer_str result, int64_t expires_ms, fer_store_done *done,
                          void *context, fer_err *err);

/* ---- registry: names of the operator's, kept for good -------------------------------------------
 */

/* `kind` is a word of the caller's, such as "lock" or "approval". */
fer_code fer_registry_put(fer_store_port *p, const char *kind, fer_str key, fer_str value,
                          fer_store_done *done, void *context, fer_err *err);
fer_code fer_registry_get(fer_store_port *p, const char *kind, fer_str key, fer_store_done *done,
                          void *context, fer_err *err);
fer_code fer_registry_remove(fer_store_port *p, const char *kind, fer_str key, fer_store_done *done,
                             void *context, fer_err *err);
/* Keys behind `after`, in order, at most `max`. */
fer_code fer_registry_list(fer_store_port *p, const char *kind, fer_str after, size_t max,
                           fer_store_done *done, void *context, fer_err *err);

/* ---- cache: entries that may go at any time -------------------------------------------------- */

/* `mark` is a word by which entries can be purged, such as where they came from. Where there is no
 * room the entry is not kept, which is no failure: none is pushed out by another. */
fer_code fer_cache_put(fer_store_port *p, fer_str tenant, fer_str mark, fer_str key, fer_str value,
                       int64_t expires_ms, fer_store_done *done, void *context, fer_err *err);
/* An entry that does not open is none. `found.expires_ms` of the answer is when it expires. */
fer_code fer_cache_get(fer_store_port *p, fer_str tenant, fer_str key, int64_t now_ms,
                       fer_store_done *done, void *context, fer_err *err);
/* All entries with a mark. */
fer_code fer_cache_purge(fer_store_port *p, fer_str mark, fer_store_done *done, void *context,
                         fer_err *err);
/* Takes away at most `max` entries that expired before `now_ms`; `count` of the answer says how
 * many. */
fer_code fer_cache_expire(fer_store_port *p, int64_t now_ms, size_t max, fer_store_done *done,
                          void *context, fer_err *err);

#endif
