/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of store fills: one vtable of plain blocking functions, all called by the store's own
 * thread, between `begin` and `commit`. A kind sees sealed bytes and hashes; which keys there are
 * and how they change is the same for all kinds (store_ops.c). Texts that a function gives live in
 * the arena that it was given.
 *
 * Every function returns FER_OK, FER_OUT_OF_MEMORY or FER_IO_ERROR. `commit` returns when the
 * changes are durable; where it fails, none of them is.
 */
#ifndef FER_STORE_KIND_H
#define FER_STORE_KIND_H

#include "store.h"

/* An idempotency record as it is stored. */
typedef struct fer_idem_row {
    unsigned char scope[FER_IDEM_HASH];
    unsigned char fingerprint[FER_IDEM_HASH];
    fer_str tenant;
    fer_str call;
    fer_str tool;
    fer_idem_state state; /* NONE: there is no row */
    bool pure, honoured;
    uint64_t epoch;
    int64_t created_ms, expires_ms;
    fer_str result; /* sealed */
} fer_idem_row;

typedef enum fer_store_table {
    FER_TABLE_REGISTRY, /* (kind, key) */
    FER_TABLE_CACHE     /* (tenant, key) */
} fer_store_table;

/* A record in the index; texts as they are written in the line. */
typedef struct fer_index_row {
    uint64_t seq;
    uint64_t segment; /* seq of its first record */
    uint64_t offset;
    int64_t when_ms;
    int type; /* fer_ledger_type */
    fer_str tenant, tool, status, correlation, call;
} fer_index_row;

/* What is asked of it: an empty text, -1 or 0 asks for anything. */
typedef struct fer_index_query {
    fer_str tenant, tool, status, correlation, call;
    int type; /* -1: any */
    int64_t since_ms, until_ms;
    uint64_t after_seq;
    size_t max;
} fer_index_query;

typedef struct fer_store_kind {
    const char *name;
    fer_code (*open)(const fer_store_options *o, void **out, fer_err *err);
    void (*close)(void *db);
    fer_code (*begin)(void *db, fer_err *err);
    fer_code (*commit)(void *db, fer_err *err);
    void (*rollback)(void *db);

    fer_code (*idem_get)(void *db, fer_arena *a, const unsigned char *scope, fer_idem_row *out,
                         fer_err *err);
    fer_code (*idem_put)(void *db, const fer_idem_row *row,
                         fer_err *err); /* new, or in its place */
    fer_code (*idem_remove)(void *db, const unsigned char *scope, fer_err *err);
    /* Rows of a state, the oldest first, without results: of an epoch before `epoch`, or expired
     * before `now_ms`. */
    fer_code (*idem_older)(void *db, fer_arena *a, fer_idem_state state, uint64_t epoch, size_t max,
                           fer_idem_row **out, size_t *count, fer_err *err);
    fer_code (*idem_expired)(void *db, fer_arena *a, int64_t now_ms, size_t max, fer_idem_row **out,
                             size_t *count, fer_err *err);
    fer_code (*idem_usage)(void *db, fer_str tenant, uint64_t *count, uint64_t *bytes,
                           fer_err *err);

    /* Values by two names. */
    fer_code (*value_put)(void *db, fer_store_table t, fer_str group, fer_str key, fer_str mark,
                          fer_str value, int64_t expires_ms, fer_err *err);
    fer_code (*value_get)(void *db, fer_arena *a, fer_store_table t, fer_str group, fer_str key,
                          fer_str *value, int64_t *expires_ms, fer_err *err);
    fer_code (*value_remove)(void *db, fer_store_table t, fer_str group, fer_str key, fer_err *err);
    /* Of the cache: all with a mark; at most `max` that expired; how many there are, and bytes. */
    fer_code (*cache_purge)(void *db, fer_str mark, fer_err *err);
    fer_code (*cache_expire)(void *db, int64_t now_ms, size_t max, uint64_t *count, fer_err *err);
    fer_code (*cache_usage)(void *db, uint64_t *count, uint64_t *bytes, fer_err *err);
    fer_code (*value_list)(void *db, fer_arena *a, fer_store_table t, fer_str group, fer_str after,
                           size_t max, struct fer_store_item **out, size_t *count, fer_err *err);

    /* The index of a ledger: which segment and byte a record is at. */
    fer_code (*index_last)(void *db, uint64_t *seq, fer_err *err);
    fer_code (*index_add)(void *db, const fer_index_row *row, fer_err *err);
    fer_code (*index_find)(void *db, fer_arena *a, const fer_index_query *q, fer_index_row **out,
                           size_t *count, fer_err *err);
    fer_code (*index_remove)(void *db, uint64_t before_seq, fer_err *err);
} fer_store_kind;

extern const fer_store_kind fer_store_sqlite;

#endif
