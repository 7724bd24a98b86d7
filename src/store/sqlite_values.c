/* SPDX-License-Identifier: Apache-2.0 */
/* Values by name, and the index of a ledger, in SQLite. */
#include "buf.h"
#include "errors.h"
#include "ledger_facts.h"
#include "sqlite_parts.h"

/* ---- values -------------------------------------------------------------------------------------
 */

static sqlite3_stmt *named(void *db, enum fer_sql which, fer_store_table t, fer_str group,
                           fer_str key)
{
    sqlite3_stmt *s = fer_sqlite_get(db, which);
    sqlite3_bind_int(s, 1, (int)t);
    if (group.ptr) fer_sqlite_bind(s, 2, group);
    if (key.ptr) fer_sqlite_bind(s, 3, key);
    return s;
}

fer_code fer_sqlite_value_put(void *db, fer_store_table t, fer_str group, fer_str key, fer_str mark,
                              fer_str value, int64_t expires_ms, fer_err *err)
{
    sqlite3_stmt *s = named(db, FER_SQL_VALUE_PUT, t, group, key);
    fer_sqlite_bind(s, 4, value);
    sqlite3_bind_int64(s, 5, expires_ms);
    fer_sqlite_bind(s, 6, mark);
    return fer_sqlite_run(db, s, err);
}

fer_code fer_sqlite_cache_purge(void *db, fer_str mark, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_CACHE_PURGE);
    fer_sqlite_bind(s, 1, mark);
    return fer_sqlite_run(db, s, err);
}

fer_code fer_sqlite_cache_expire(void *db, int64_t now_ms, size_t max, uint64_t *count,
                                 fer_err *err)
{
    fer_sqlite *lite = db;
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_CACHE_EXPIRE);
    sqlite3_bind_int64(s, 1, now_ms);
    sqlite3_bind_int64(s, 2, (int64_t)max);
    fer_code code = fer_sqlite_run(db, s, err);
    *count = code ? 0 : (uint64_t)sqlite3_changes(lite->db);
    return code;
}

fer_code fer_sqlite_value_get(void *db, fer_arena *a, fer_store_table t, fer_str group, fer_str key,
                              fer_str *value, int64_t *expires_ms, fer_err *err)
{
    bool row;
    sqlite3_stmt *s = named(db, FER_SQL_VALUE_GET, t, group, key);
    fer_code code = fer_sqlite_step(db, s, &row, err);
    *value = FER_STR_NONE;
    if (code || !row) return code;
    *value = fer_sqlite_text(a, s, 0);
    *expires_ms = sqlite3_column_int64(s, 1);
    sqlite3_reset(s);
    return value->ptr ? FER_OK : fer_arena_failed(a, err);
}

fer_code fer_sqlite_value_remove(void *db, fer_store_table t, fer_str group, fer_str key,
                                 fer_err *err)
{
    return fer_sqlite_run(db, named(db, FER_SQL_VALUE_REMOVE, t, group, key), err);
}

fer_code fer_sqlite_value_list(void *db, fer_arena *a, fer_store_table t, fer_str group,
                               fer_str after, size_t max, struct fer_store_item **out,
                               size_t *count, fer_err *err)
{
    struct fer_store_item *items = NULL;
    size_t n = 0, cap = 0;
    bool row = true;
    sqlite3_stmt *s = named(db, FER_SQL_VALUE_LIST, t, group, after.ptr ? after : FER_STR(""));
    sqlite3_bind_int64(s, 4, (int64_t)max);
    fer_code code = FER_OK;
    while (!code && row) {
        code = fer_sqlite_step(db, s, &row, err);
        if (code || !row) break;
        struct fer_store_item *grown = fer_arena_room(a, items, n, &cap, sizeof *items);
        if (!grown) {
            code = fer_arena_failed(a, err);
            break;
        }
        items = grown;
        items[n] = (struct fer_store_item){.key = fer_sqlite_text(a, s, 0),
                                           .when_ms = sqlite3_column_int64(s, 1)};
        if (!items[n++].key.ptr) code = fer_arena_failed(a, err);
    }
    sqlite3_reset(s);
    *out = items;
    *count = code ? 0 : n;
    return code;
}

/* ---- the index of a ledger ----------------------------------------------------------------------
 */

fer_code fer_sqlite_index_last(void *db, uint64_t *seq, fer_err *err)
{
    bool row;
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_INDEX_LAST);
    fer_code code = fer_sqlite_step(db, s, &row, err);
    *seq = !code && row ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return code;
}

fer_code fer_sqlite_index_add(void *db, const fer_index_row *row, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_INDEX_ADD);
    const fer_str texts[] = {row->tenant, row->tool, row->status, row->correlation, row->call};
    sqlite3_bind_int64(s, 1, (int64_t)row->seq);
    sqlite3_bind_int64(s, 2, (int64_t)row->segment);
    sqlite3_bind_int64(s, 3, (int64_t)row->offset);
    sqlite3_bind_int64(s, 4, row->when_ms);
    sqlite3_bind_int(s, 5, row->type);
    for (int i = 0; i < (int)FER_COUNT(texts); i++)
        if (texts[i].ptr) fer_sqlite_bind(s, 6 + i, texts[i]);
    return fer_sqlite_run(db, s, err);
}

fer_code fer_sqlite_index_remove(void *db, uint64_t before_seq, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_INDEX_REMOVE);
    sqlite3_bind_int64(s, 1, (int64_t)before_seq);
    return fer_sqlite_run(db, s, err);
}

/* One condition for each thing that is asked; values are bound, never written into the text. */
static void write_query(fer_buf *b, const fer_index_query *q)
{
    fer_buf_add_text(b, "SELECT seq, segment, offset, time, type FROM record WHERE seq > ?1");
    if (q->tenant.len) fer_buf_add_text(b, " AND tenant = ?2");
    if (q->tool.len)
        fer_buf_add_text(b, fer_tool_is_bare(q->tool)
                                ? " AND (tool = ?3 OR (tool > CAST(?3 || ':' AS BLOB) AND "
                                  "tool < CAST(?3 || ';' AS BLOB)))"
                                : " AND tool = ?3");
    if (q->status.len) fer_buf_add_text(b, " AND status = ?4");
    if (q->correlation.len) fer_buf_add_text(b, " AND correlation = ?5");
    if (q->call.len) fer_buf_add_text(b, " AND call = ?6");
    if (q->type >= 0) fer_buf_add_text(b, " AND type = ?7");
    if (q->since_ms) fer_buf_add_text(b, " AND time >= ?8");
    if (q->until_ms) fer_buf_add_text(b, " AND time < ?9");
    fer_buf_add_text(b, " ORDER BY seq LIMIT ?10");
}

static void bind_query(sqlite3_stmt *s, const fer_index_query *q)
{
    sqlite3_bind_int64(s, 1, (int64_t)q->after_seq);
    if (q->tenant.len) fer_sqlite_bind(s, 2, q->tenant);
    if (q->tool.len) fer_sqlite_bind(s, 3, q->tool);
    if (q->status.len) fer_sqlite_bind(s, 4, q->status);
    if (q->correlation.len) fer_sqlite_bind(s, 5, q->correlation);
    if (q->call.len) fer_sqlite_bind(s, 6, q->call);
    if (q->type >= 0) sqlite3_bind_int(s, 7, q->type);
    if (q->since_ms) sqlite3_bind_int64(s, 8, q->since_ms);
    if (q->until_ms) sqlite3_bind_int64(s, 9, q->until_ms);
    sqlite3_bind_int64(s, 10, (int64_t)q->max);
}

static fer_code read_found(void *db, fer_arena *a, sqlite3_stmt *s, fer_index_row **out,
                           size_t *count, fer_err *err)
{
    fer_index_row *rows = NULL;
    size_t n = 0, cap = 0;
    bool row = true;
    for (;;) {
        fer_code code = fer_sqlite_step(db, s, &row, err);
        if (code) return code;
        if (!row) break;
        fer_index_row *grown = fer_arena_room(a, rows, n, &cap, sizeof *rows);
        if (!grown) return fer_arena_failed(a, err);
        rows = grown;
        rows[n++] = (fer_index_row){.seq = (uint64_t)sqlite3_column_int64(s, 0),
                                    .segment = (uint64_t)sqlite3_column_int64(s, 1),
                                    .offset = (uint64_t)sqlite3_column_int64(s, 2),
                                    .when_ms = sqlite3_column_int64(s, 3),
                                    .type = sqlite3_column_int(s, 4)};
    }
    *out = rows;
    *count = n;
    return FER_OK;
}

fer_code fer_sqlite_index_find(void *db, fer_arena *a, const fer_index_query *q,
                               fer_index_row **out, size_t *count, fer_err *err)
{
    fer_sqlite *lite = db;
    sqlite3_stmt *s = NULL;
    char text[512];
    fer_buf b;
    fer_buf_init_fixed(&b, text, sizeof text);
    write_query(&b, q);
    if (b.failure || sqlite3_prepare_v2(lite->db, text, (int)b.len, &s, NULL) != SQLITE_OK)
        return fer_sqlite_failed(lite, err);
    bind_query(s, q);
    fer_code code = read_found(db, a, s, out, count, err);
    sqlite3_finalize(s);
    return code;
}
