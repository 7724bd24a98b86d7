/* SPDX-License-Identifier: Apache-2.0 */
#include "fts5.h"

#include "../bench.h"
#include "tokens.h"
#include "words.h"

#ifndef HAVE_SQLITE
double fts5_run(const fer_search_doc *docs, size_t count, const fer_str *queries,
                size_t query_count, bool content, size_t turns, double *us)
{
    (void)docs, (void)count, (void)queries, (void)content, (void)turns;
    for (size_t i = 0; i < query_count; i++) us[i] = 0;
    return 0;
}
#else

#include <sqlite3.h>

#define TEXT_MAX 65536

/* All texts of a field, identifiers taken apart. */
static size_t field_text(const fer_search_doc *doc, unsigned field, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < doc->count; i++) {
        if (doc->texts[i].field != field) continue;
        fer_name_words w;
        fer_words_split(&w, doc->texts[i].text);
        bool whole = field == FER_FIELD_DESCRIPTION || field == FER_FIELD_PARAM_TEXT;
        if (whole) w = (fer_name_words){.list = {doc->texts[i].text}, .count = 1};
        for (size_t k = 0; k < w.count && len + w.list[k].len + 1 < TEXT_MAX; k++) {
            memcpy(out + len, w.list[k].ptr, w.list[k].len);
            len += w.list[k].len;
            out[len++] = ' ';
        }
    }
    return len;
}

static bool says_something(fer_tokeniser *tokeniser, fer_str word)
{
    fer_token_reader r;
    fer_token t;
    fer_token_reader_init(&r, tokeniser, word);
    return fer_token_next(&r, &t) && t.use == FER_TOKEN_CONTENT;
}

/* "what" OR "weather": each word in quotes; with a tokeniser, only those that say something. */
static size_t or_query(fer_str query, fer_tokeniser *tokeniser, char *out)
{
    size_t len = 0, at = 0;
    while (at < query.len && len + 64 < TEXT_MAX) {
        size_t from = at;
        while (at < query.len && (fer_is_alpha(query.ptr[at]) || fer_is_digit(query.ptr[at]))) at++;
        bool taken = at > from && at - from < 40;
        if (taken && tokeniser) taken = says_something(tokeniser, fer_str_slice(query, from, at));
        if (taken)
            len += (size_t)snprintf(out + len, TEXT_MAX - len, "%s\"%.*s\"", len ? " OR " : "",
                                    (int)(at - from), query.ptr + from);
        if (at == from) at++;
    }
    return len;
}

static void insert_all(sqlite3 *db, const fer_search_doc *docs, size_t count)
{
    static char text[TEXT_MAX];
    sqlite3_stmt *insert;
    BENCH_NEEDS(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?,?,?,?,?,?,?,?,?)", -1, &insert,
                                   NULL) == SQLITE_OK);
    BENCH_NEEDS(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
    for (size_t i = 0; i < count; i++) {
        for (unsigned f = 0; f < FER_FIELD_COUNT; f++) {
            size_t len = field_text(&docs[i], f, text);
            sqlite3_bind_text(insert, (int)f + 1, text, (int)len, SQLITE_TRANSIENT);
        }
        BENCH_NEEDS(sqlite3_step(insert) == SQLITE_DONE);
        sqlite3_reset(insert);
    }
    BENCH_NEEDS(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_finalize(insert);
}

static double ask(sqlite3_stmt *select, fer_str query, fer_tokeniser *tokeniser)
{
    static char text[TEXT_MAX];
    size_t len = or_query(query, tokeniser, text);
    int64_t start = worked();
    sqlite3_bind_text(select, 1, text, (int)len, SQLITE_STATIC);
    while (sqlite3_step(select) == SQLITE_ROW) sqlite3_column_int64(select, 0);
    sqlite3_reset(select);
    return (double)(worked() - start) / 1e3;
}

double fts5_run(const fer_search_doc *docs, size_t count, const fer_str *queries,
                size_t query_count, bool content, size_t turns, double *us)
{
    sqlite3 *db;
    sqlite3_stmt *select;
    fer_tokeniser *tokeniser = content ? fer_tokeniser_new() : NULL;
    BENCH_NEEDS(tokeniser || !content);
    BENCH_NEEDS(sqlite3_open(":memory:", &db) == SQLITE_OK);
    BENCH_NEEDS(
        sqlite3_exec(
            db,
            "CREATE VIRTUAL TABLE t USING fts5(name,ns,title,tag,category,description,pname,"
            "ptext,pvalue, tokenize='porter unicode61')",
            NULL, NULL, NULL) == SQLITE_OK);
    int64_t start = worked();
    insert_all(db, docs, count);
    double rate = (double)count * 1e9 / (double)(worked() - start);
    BENCH_NEEDS(sqlite3_prepare_v2(db,
                                   "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10",
                                   -1, &select, NULL) == SQLITE_OK);
    for (size_t turn = 0; turn < turns; turn++) {
        for (size_t i = 0; i < query_count; i++) {
            double took = ask(select, queries[i], tokeniser);
            us[i] = turn && us[i] < took ? us[i] : took;
        }
    }
    sqlite3_finalize(select);
    sqlite3_close(db);
    fer_tokeniser_free(tokeniser);
    return rate;
}
#endif
