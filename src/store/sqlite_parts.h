/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the SQLite store: statements are prepared once, by number. One thread. */
#ifndef FER_SQLITE_PARTS_H
#define FER_SQLITE_PARTS_H

#include <sqlite3.h>

#include "store_kind.h"

enum fer_sql {
    FER_SQL_BEGIN,
    FER_SQL_COMMIT,
    FER_SQL_ROLLBACK,
    FER_SQL_IDEM_GET,
    FER_SQL_IDEM_PUT,
    FER_SQL_IDEM_REMOVE,
    FER_SQL_IDEM_OLDER,
    FER_SQL_IDEM_EXPIRED,
    FER_SQL_IDEM_USAGE,
    FER_SQL_VALUE_PUT,
    FER_SQL_VALUE_GET,
    FER_SQL_VALUE_REMOVE,
    FER_SQL_CACHE_PURGE,
    FER_SQL_CACHE_EXPIRE,
    FER_SQL_VALUE_LIST,
    FER_SQL_INDEX_LAST,
    FER_SQL_INDEX_ADD,
    FER_SQL_INDEX_REMOVE,
    FER_SQL_COUNT
};

typedef struct fer_sqlite {
    sqlite3 *db;
    sqlite3_stmt *statements[FER_SQL_COUNT];
} fer_sqlite;

extern const char *const fer_sql_texts[FER_SQL_COUNT];

/* What SQLite said last, as a failure: FER_OUT_OF_MEMORY, FER_RESOURCE_LIMIT (full) or
 * FER_IO_ERROR. */
fer_code fer_sqlite_failed(fer_sqlite *q, fer_err *err);
/* A statement, ready to be bound. */
sqlite3_stmt *fer_sqlite_get(fer_sqlite *q, enum fer_sql which);
/* Runs a statement that gives no rows, and makes it ready again. */
fer_code fer_sqlite_run(fer_sqlite *q, sqlite3_stmt *s, fer_err *err);
/* Steps to the next row: FER_OK and `*row`. At the end the statement is ready again. */
fer_code fer_sqlite_step(fer_sqlite *q, sqlite3_stmt *s, bool *row, fer_err *err);

void fer_sqlite_bind(sqlite3_stmt *s, int at, fer_str text); /* as a blob; borrowed until it ran */
/* A column's bytes in the arena; `ptr` NULL without memory. */
fer_str fer_sqlite_text(fer_arena *a, sqlite3_stmt *s, int column);

/* sqlite_values.c */
fer_code fer_sqlite_value_put(void *db, fer_store_table t, fer_str group, fer_str key, fer_str mark,
                              fer_str value, int64_t expires_ms, fer_err *err);
fer_code fer_sqlite_cache_purge(void *db, fer_str mark, fer_err *err);
fer_code fer_sqlite_cache_expire(void *db, int64_t now_ms, size_t max, uint64_t *count,
                                 fer_err *err);
fer_code fer_sqlite_value_get(void *db, fer_arena *a, fer_store_table t, fer_str group, fer_str key,
                              fer_str *value, int64_t *expires_ms, fer_err *err);
fer_code fer_sqlite_value_remove(void *db, fer_store_table t, fer_str group, fer_str key,
                                 fer_err *err);
fer_code fer_sqlite_value_list(void *db, fer_arena *a, fer_store_table t, fer_str group,
                               fer_str after, size_t max, struct fer_store_item **out,
                               size_t *count, fer_err *err);
fer_code fer_sqlite_index_last(void *db, uint64_t *seq, fer_err *err);
fer_code fer_sqlite_index_add(void *db, const fer_index_row *row, fer_err *err);
fer_code fer_sqlite_index_find(void *db, fer_arena *a, const fer_index_query *q,
                               fer_index_row **out, size_t *count, fer_err *err);
fer_code fer_sqlite_index_remove(void *db, uint64_t before_seq, fer_err *err);

#endif
