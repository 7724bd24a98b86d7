/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store. WAL with synchronous=FULL: a commit is durable when it returns, and costs one
 * sync of the log. The file is made with 0600 before SQLite sees it; its log and its shared memory
 * take their mode from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "errors.h"
#include "sqlite_parts.h"
#include "sys.h"

#define SCHEMA_VERSION 3

/* What the cache takes stands in `usage` under a name that no tenant has. */
#define CACHE_INDEXES                                                                              \
    "CREATE INDEX value_expires ON value(expires) WHERE kind = 1;"                                 \
    "CREATE INDEX value_mark ON value(mark) WHERE kind = 1;"                                       \
    "CREATE TRIGGER value_added AFTER INSERT ON value WHEN new.kind = 1 BEGIN "                    \
    "INSERT INTO usage VALUES(x'00', 1, length(new.value)) "                                       \
    "ON CONFLICT(tenant) DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes; END;"    \
    "CREATE TRIGGER value_changed AFTER UPDATE ON value WHEN new.kind = 1 BEGIN "                  \
    "UPDATE usage SET bytes = bytes + length(new.value) - length(old.value) WHERE tenant = "       \
    "x'00'; END;"                                                                                  \
    "CREATE TRIGGER value_removed AFTER DELETE ON value WHEN old.kind = 1 BEGIN "                  \
    "UPDATE usage SET count = count - 1, bytes = bytes - length(old.value) WHERE tenant = x'00'; " \
    "END;"
static_assert(FER_TABLE_CACHE == 1, "as the texts have it");

static const char schema[] =
    "CREATE TABLE idem(scope BLOB PRIMARY KEY, tenant BLOB NOT NULL, state INT NOT NULL, epoch INT "
    "NOT NULL, call BLOB NOT NULL, fingerprint BLOB NOT NULL, pure INT NOT NULL, honoured INT NOT "
    "NULL, created INT NOT NULL, expires INT NOT NULL, result BLOB, tool BLOB NOT NULL DEFAULT x'') "
    "WITHOUT ROWID;"
    "CREATE INDEX idem_state ON idem(state, created);"
    "CREATE INDEX idem_expires ON idem(expires) WHERE state = 2;"
    "CREATE TABLE usage(tenant BLOB PRIMARY KEY, count INT NOT NULL, bytes INT NOT NULL) WITHOUT "
    "ROWID;"
    "CREATE TRIGGER idem_added AFTER INSERT ON idem BEGIN "
    "INSERT INTO usage VALUES(new.tenant, 1, coalesce(length(new.result), 0)) "
    "ON CONFLICT(tenant) DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes; END;"
    "CREATE TRIGGER idem_changed AFTER UPDATE ON idem BEGIN "
    "UPDATE usage SET bytes = bytes + coalesce(length(new.result), 0) - coalesce(length(old.result), "
    "0) WHERE tenant = new.tenant; END;"
    "CREATE TRIGGER idem_removed AFTER DELETE ON idem BEGIN "
    "UPDATE usage SET count = count - 1, bytes = bytes - coalesce(length(old.result), 0) WHERE "
    "tenant = old.tenant; END;"
    "CREATE TABLE value(kind INT, grp BLOB, key BLOB, value BLOB NOT NULL, expires INT NOT NULL, "
    "mark BLOB NOT NULL DEFAULT x'', PRIMARY KEY(kind, grp, key)) WITHOUT ROWID;" CACHE_INDEXES
    "CREATE TABLE record(seq INTEGER PRIMARY KEY, segment INT NOT NULL, offset INT NOT NULL, time INT "
    "NOT NULL, type INT NOT NULL, tenant BLOB, tool BLOB, status BLOB, correlation BLOB, call BLOB);"
    "CREATE INDEX record_time ON record(time);"
    "CREATE INDEX record_tool ON record(tool, seq) WHERE tool IS NOT NULL;"
    "CREATE INDEX record_correlation ON record(correlation, seq) WHERE correlation IS NOT NULL;"
    "CREATE INDEX record_call ON record(call, seq) WHERE call IS NOT NULL;"
    "CREATE INDEX record_tenant ON record(tenant, seq);"
    "PRAGMA user_version = 3;";

/* What brings an older file to the next version, by the version it has. */
static const char *const steps[SCHEMA_VERSION] = {
    [1] = "ALTER TABLE idem ADD COLUMN tool BLOB NOT NULL DEFAULT x''; PRAGMA user_version = 2;",
    /* What an older version kept in the cache was nobody's. */
    [2] = "DELETE FROM value WHERE kind = 1; ALTER TABLE value ADD COLUMN mark BLOB NOT NULL "
          "DEFAULT x'';" CACHE_INDEXES "PRAGMA user_version = 3;",
};

const char *const fer_sql_texts[FER_SQL_COUNT] = {
    [FER_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [FER_SQL_COMMIT] = "COMMIT",
    [FER_SQL_ROLLBACK] = "ROLLBACK",
    [FER_SQL_IDEM_GET] = "SELECT scope, tenant, state, epoch, call, fingerprint, pure, honoured, "
                         "created, expires, result, tool FROM idem WHERE scope = ?",
    /* An upsert, not a replacement: that would not tell the triggers what was there. */
    [FER_SQL_IDEM_PUT] =
        "INSERT INTO idem VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(scope) "
        "DO UPDATE SET state = excluded.state, epoch = excluded.epoch, call = "
        "excluded.call, fingerprint = excluded.fingerprint, pure = excluded.pure, "
        "honoured = excluded.honoured, created = excluded.created, expires = "
        "excluded.expires, result = excluded.result, tool = excluded.tool",
    [FER_SQL_IDEM_REMOVE] = "DELETE FROM idem WHERE scope = ?",
    [FER_SQL_IDEM_OLDER] =
        "SELECT scope, tenant, state, epoch, call, fingerprint, pure, honoured, "
        "created, expires, NULL, tool FROM idem WHERE state = ? AND epoch < ? ORDER BY "
        "created LIMIT ?",
    [FER_SQL_IDEM_EXPIRED] =
        "SELECT scope, tenant, state, epoch, call, fingerprint, pure, honoured, "
        "created, expires, NULL, tool FROM idem WHERE state = 2 AND expires < ? LIMIT ?",
    [FER_SQL_IDEM_USAGE] = "SELECT count, bytes FROM usage WHERE tenant = ?",
    [FER_SQL_VALUE_PUT] =
        "INSERT INTO value VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = "
        "excluded.value, expires = excluded.expires, mark = excluded.mark",
    [FER_SQL_VALUE_GET] = "SELECT value, expires FROM value WHERE kind = ? AND grp = ? AND key = ?",
    [FER_SQL_VALUE_REMOVE] = "DELETE FROM value WHERE kind = ? AND grp = ? AND key = ?",
    [FER_SQL_CACHE_PURGE] = "DELETE FROM value WHERE kind = 1 AND mark = ?",
    [FER_SQL_CACHE_EXPIRE] =
        "DELETE FROM value WHERE (kind, grp, key) IN (SELECT kind, grp, key FROM value WHERE kind = "
        "1 AND expires < ? LIMIT ?)",
    [FER_SQL_VALUE_LIST] = "SELECT key, expires FROM value WHERE kind = ? AND grp = ? AND key > ? "
                           "ORDER BY key LIMIT ?",
    [FER_SQL_INDEX_LAST] = "SELECT coalesce(max(seq), 0) FROM record",
    [FER_SQL_INDEX_ADD] = "INSERT OR REPLACE INTO record VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [FER_SQL_INDEX_REMOVE] = "DELETE FROM record WHERE seq < ?",
};

/* ---- statements ---------------------------------------------------------------------------------
 */

fer_code fer_sqlite_failed(fer_sqlite *q, fer_err *err)
{
    int code = sqlite3_errcode(q->db);
    if (code == SQLITE_NOMEM) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code == SQLITE_FULL)
        return fer_fail(err, FER_RESOURCE_LIMIT, "there is no space left for the store");
    const char *file = sqlite3_db_filename(q->db, "main");
    bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    return fer_fail(err, FER_IO_ERROR, "the store %.400s failed: %s%s", file ? file : "",
                    sqlite3_errmsg(q->db),
                    damaged ? "; bring it back from a backup, or move it away: what is kept under "
                              "idempotency keys and cached results go with it"
                            : "");
}

sqlite3_stmt *fer_sqlite_get(fer_sqlite *q, enum fer_sql which)
{
    return q->statements[which];
}

static void make_ready(sqlite3_stmt *s)
{
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
}

fer_code fer_sqlite_run(fer_sqlite *q, sqlite3_stmt *s, fer_err *err)
{
    fer_code code = sqlite3_step(s) == SQLITE_DONE ? FER_OK : fer_sqlite_failed(q, err);
    make_ready(s);
    return code;
}

fer_code fer_sqlite_step(fer_sqlite *q, sqlite3_stmt *s, bool *row, fer_err *err)
{
    int got = sqlite3_step(s);
    *row = got == SQLITE_ROW;
    if (got == SQLITE_ROW) return FER_OK;
    fer_code code = got == SQLITE_DONE ? FER_OK : fer_sqlite_failed(q, err);
    make_ready(s);
    return code;
}

void fer_sqlite_bind(sqlite3_stmt *s, int at, fer_str text)
{
    sqlite3_bind_blob64(s, at, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC);
}

fer_str fer_sqlite_text(fer_arena *a, sqlite3_stmt *s, int column)
{
    const void *bytes = sqlite3_column_blob(s, column);
    return fer_arena_copy(a,
                          (fer_str){bytes ? bytes : "", (size_t)sqlite3_column_bytes(s, column)});
}

/* ---- opening ------------------------------------------------------------------------------------
 */

static fer_code make_file(const char *path, fer_err *err)
{
    struct stat st;
    int fd = fer_sys_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "cannot open %s: %s", path, strerror(errno));
    fer_code code = FER_OK;
    if (fer_sys_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_mode & 077)
        code =
            fer_fail(err, FER_IO_ERROR,
                     "%s must be a file that only its owner reads and writes (chmod 0600)", path);
    fer_sys_close(fd);
    return code;
}

static bool run_text(fer_sqlite *q, const char *sql)
{
    return sqlite3_exec(q->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int version_of(fer_sqlite *q)
{
    sqlite3_stmt *s = NULL;
    int version = -1;
    if (sqlite3_prepare_v2(q->db, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        version = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return version;
}

static fer_code prepare_schema(fer_sqlite *q, const char *path, fer_err *err)
{
    if (!run_text(q, "PRAGMA journal_mode=WAL") || !run_text(q, "PRAGMA synchronous=FULL") ||
        !run_text(q, "PRAGMA trusted_schema=OFF") || !run_text(q, "PRAGMA busy_timeout=2000"))
        return fer_sqlite_failed(q, err);
    int version = version_of(q);
    if (version < 0) return fer_sqlite_failed(q, err);
    if (version > SCHEMA_VERSION)
        return fer_fail(err, FER_IO_ERROR, "%s was made by a later version of ferrule", path);
    for (; version < SCHEMA_VERSION; version = version ? version + 1 : SCHEMA_VERSION)
        if (!run_text(q, "BEGIN IMMEDIATE") || !run_text(q, version ? steps[version] : schema) ||
            !run_text(q, "COMMIT"))
            return fer_sqlite_failed(q, err);
    for (int i = 0; i < FER_SQL_COUNT; i++)
        if (sqlite3_prepare_v3(q->db, fer_sql_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &q->statements[i], NULL) != SQLITE_OK)
            return fer_sqlite_failed(q, err);
    return FER_OK;
}

static void close_db(void *db)
{
    fer_sqlite *q = db;
    for (int i = 0; i < FER_SQL_COUNT; i++) sqlite3_finalize(q->statements[i]);
    sqlite3_close_v2(q->db);
    fer_sys_free(q);
}

static fer_code open_db(const fer_store_options *o, void **out, fer_err *err)
{
    fer_code code = o->path[0] ? make_file(o->path, err) : FER_OK;
    if (code) return code;
    fer_sqlite *q = fer_sys_malloc(sizeof *q);
    if (!q) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(q, 0, sizeof *q);
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    if (sqlite3_open_v2(o->path[0] ? o->path : ":memory:", &q->db, flags, NULL) != SQLITE_OK)
        code = fer_sqlite_failed(q, err);
    if (!code) code = prepare_schema(q, o->path, err);
    if (code) close_db(q);
    else *out = q;
    return code;
}

static fer_code begin(void *db, fer_err *err)
{
    return fer_sqlite_run(db, fer_sqlite_get(db, FER_SQL_BEGIN), err);
}

static fer_code commit(void *db, fer_err *err)
{
    return fer_sqlite_run(db, fer_sqlite_get(db, FER_SQL_COMMIT), err);
}

static void rollback(void *db)
{
    (void)fer_sqlite_run(db, fer_sqlite_get(db, FER_SQL_ROLLBACK), NULL);
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static fer_str bytes_of(const unsigned char *bytes)
{
    return (fer_str){(const char *)bytes, FER_IDEM_HASH};
}

static fer_code read_row(fer_arena *a, sqlite3_stmt *s, fer_idem_row *out, fer_err *err)
{
    fer_idem_row row = {.state = (fer_idem_state)sqlite3_column_int(s, 2),
                        .epoch = (uint64_t)sqlite3_column_int64(s, 3),
                        .pure = sqlite3_column_int(s, 6) != 0,
                        .honoured = sqlite3_column_int(s, 7) != 0,
                        .created_ms = sqlite3_column_int64(s, 8),
                        .expires_ms = sqlite3_column_int64(s, 9)};
    if (sqlite3_column_bytes(s, 0) != FER_IDEM_HASH || sqlite3_column_bytes(s, 5) != FER_IDEM_HASH)
        return fer_fail(err, FER_IO_ERROR, "the store is damaged: a hash has another length");
    memcpy(row.scope, sqlite3_column_blob(s, 0), FER_IDEM_HASH);
    memcpy(row.fingerprint, sqlite3_column_blob(s, 5), FER_IDEM_HASH);
    row.tenant = fer_sqlite_text(a, s, 1);
    row.call = fer_sqlite_text(a, s, 4);
    row.result = fer_sqlite_text(a, s, 10);
    row.tool = fer_sqlite_text(a, s, 11);
    if (!row.tenant.ptr || !row.call.ptr || !row.result.ptr || !row.tool.ptr)
        return fer_arena_failed(a, err);
    *out = row;
    return FER_OK;
}

static fer_code idem_get(void *db, fer_arena *a, const unsigned char *scope, fer_idem_row *out,
                         fer_err *err)
{
    bool row;
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_IDEM_GET);
    *out = (fer_idem_row){0};
    fer_sqlite_bind(s, 1, bytes_of(scope));
    fer_code code = fer_sqlite_step(db, s, &row, err);
    if (code || !row) return code;
    code = read_row(a, s, out, err);
    make_ready(s);
    return code;
}

static fer_code idem_put(void *db, const fer_idem_row *row, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_IDEM_PUT);
    fer_sqlite_bind(s, 1, bytes_of(row->scope));
    fer_sqlite_bind(s, 2, row->tenant);
    sqlite3_bind_int(s, 3, (int)row->state);
    sqlite3_bind_int64(s, 4, (int64_t)row->epoch);
    fer_sqlite_bind(s, 5, row->call);
    fer_sqlite_bind(s, 6, bytes_of(row->fingerprint));
    sqlite3_bind_int(s, 7, row->pure);
    sqlite3_bind_int(s, 8, row->honoured);
    sqlite3_bind_int64(s, 9, row->created_ms);
    sqlite3_bind_int64(s, 10, row->expires_ms);
    if (row->result.ptr) fer_sqlite_bind(s, 11, row->result);
    fer_sqlite_bind(s, 12, row->tool);
    return fer_sqlite_run(db, s, err);
}

static fer_code idem_remove(void *db, const unsigned char *scope, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_IDEM_REMOVE);
    fer_sqlite_bind(s, 1, bytes_of(scope));
    return fer_sqlite_run(db, s, err);
}

static fer_code read_rows(void *db, fer_arena *a, sqlite3_stmt *s, fer_idem_row **out,
                          size_t *count, fer_err *err)
{
    fer_idem_row *rows = NULL;
    size_t n = 0, cap = 0;
    bool row = true;
    fer_code code = FER_OK;
    while (!code && row) {
        code = fer_sqlite_step(db, s, &row, err);
        if (code || !row) break;
        fer_idem_row *grown = fer_arena_room(a, rows, n, &cap, sizeof *rows);
        if (grown) rows = grown;
        code = grown ? read_row(a, s, &rows[n++], err) : fer_arena_failed(a, err);
    }
    make_ready(s);
    *out = rows;
    *count = code ? 0 : n;
    return code;
}

static fer_code idem_older(void *db, fer_arena *a, fer_idem_state state, uint64_t epoch, size_t max,
                           fer_idem_row **out, size_t *count, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_IDEM_OLDER);
    sqlite3_bind_int(s, 1, (int)state);
    sqlite3_bind_int64(s, 2, epoch > INT64_MAX ? INT64_MAX : (int64_t)epoch);
    sqlite3_bind_int64(s, 3, (int64_t)max);
    return read_rows(db, a, s, out, count, err);
}

static fer_code idem_expired(void *db, fer_arena *a, int64_t now_ms, size_t max, fer_idem_row **out,
                             size_t *count, fer_err *err)
{
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_IDEM_EXPIRED);
    sqlite3_bind_int64(s, 1, now_ms);
    sqlite3_bind_int64(s, 2, (int64_t)max);
    return read_rows(db, a, s, out, count, err);
}

static fer_code idem_usage(void *db, fer_str tenant, uint64_t *count, uint64_t *bytes, fer_err *err)
{
    bool row;
    sqlite3_stmt *s = fer_sqlite_get(db, FER_SQL_IDEM_USAGE);
    fer_sqlite_bind(s, 1, tenant);
    fer_code code = fer_sqlite_step(db, s, &row, err);
    *count = *bytes = 0;
    if (code || !row) return code;
    *count = (uint64_t)sqlite3_column_int64(s, 0);
    *bytes = (uint64_t)sqlite3_column_int64(s, 1);
    make_ready(s);
    return FER_OK;
}

static fer_code cache_usage(void *db, uint64_t *count, uint64_t *bytes, fer_err *err)
{
    return idem_usage(db, (fer_str){"", 1}, count, bytes, err);
}

const fer_store_kind fer_store_sqlite = {
    .name = "sqlite",
    .open = open_db,
    .close = close_db,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .idem_get = idem_get,
    .idem_put = idem_put,
    .idem_remove = idem_remove,
    .idem_older = idem_older,
    .idem_expired = idem_expired,
    .idem_usage = idem_usage,
    .value_put = fer_sqlite_value_put,
    .value_get = fer_sqlite_value_get,
    .value_remove = fer_sqlite_value_remove,
    .value_list = fer_sqlite_value_list,
    .cache_purge = fer_sqlite_cache_purge,
    .cache_expire = fer_sqlite_cache_expire,
    .cache_usage = cache_usage,
    .index_last = fer_sqlite_index_last,
    .index_add = fer_sqlite_index_add,
    .index_find = fer_sqlite_index_find,
    .index_remove = fer_sqlite_index_remove,
};
