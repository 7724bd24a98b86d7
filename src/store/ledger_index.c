/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a ledger, in whatever kind of store is embedded. */
#include <stdio.h>

#include "errors.h"
#include "ledger_read.h"
#include "store_kind.h"
#include "sys.h"

#define UPDATE_BATCH 10000 /* records of one transaction */

struct fer_ledger_index {
    const fer_store_kind *kind;
    void *db;
};

fer_code fer_ledger_index_open(const char *folder, fer_ledger_index **out, fer_err *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/index.db", folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return fer_fail(err, FER_IO_ERROR, "the name of the folder is too long");
    fer_ledger_index *x = fer_sys_malloc(sizeof *x);
    if (!x) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *x = (fer_ledger_index){.kind = &fer_store_sqlite};
    fer_code code = x->kind->open(&(fer_store_options){.path = path}, &x->db, err);
    if (code) fer_sys_free(x);
    else *out = x;
    return code;
}

void fer_ledger_index_close(fer_ledger_index *x)
{
    if (!x) return;
    x->kind->close(x->db);
    fer_sys_free(x);
}

static fer_code add(fer_ledger_index *x, const fer_ledger_reader *r, const fer_line *l,
                    fer_arena *a, fer_err *err)
{
    fer_facts f;
    fer_code code = fer_facts_read(a, l->body, &f, err);
    if (code) return code;
    fer_index_row row = {.seq = l->seq,
                         .segment = fer_ledger_reader_segment(r),
                         .offset = fer_ledger_reader_offset(r),
                         .when_ms = fer_line_wall(l->time),
                         .type = (int)l->type,
                         .tenant = l->tenant,
                         .tool = f.tool,
                         .status = f.status,
                         .correlation = f.correlation,
                         .call = f.call};
    return x->kind->index_add(x->db, &row, err);
}

/* One transaction's worth; `*more` says whether there may be more. */
static fer_code add_some(fer_ledger_index *x, fer_ledger_reader *r, uint64_t last, fer_arena *a,
                         bool *more, fer_err *err)
{
    fer_str text;
    fer_line l;
    fer_code code = x->kind->begin(x->db, err);
    *more = true;
    for (size_t n = 0; !code && *more && n < UPDATE_BATCH;) {
        code = fer_ledger_reader_next(r, &text, &l, more, err);
        if (code || !*more || l.seq <= last) continue;
        fer_arena_reset(a);
        code = add(x, r, &l, a, err);
        n++;
    }
    if (!code) code = x->kind->commit(x->db, err);
    if (code) x->kind->rollback(x->db);
    return code;
}

fer_code fer_ledger_index_update(fer_ledger_index *x, fer_ledger_reader *r, fer_err *err)
{
    uint64_t last = 0;
    bool more = true;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? x->kind->index_last(x->db, &last, err)
                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_ledger_reader_seek(r, last, err);
    while (!code && more) code = add_some(x, r, last, a, &more, err);
    fer_arena_free(a);
    return code;
}

fer_code fer_ledger_index_find(fer_arena *a, fer_ledger_index *x, const fer_question *q,
                               uint64_t after, size_t max, fer_index_hit **out, size_t *count,
                               fer_err *err)
{
    fer_index_row *rows = NULL;
    fer_index_query ask = {.tenant = q->tenant,
                           .tool = q->tool,
                           .status = q->status,
                           .correlation = q->correlation,
                           .call = q->call,
                           .type = q->type,
                           .since_ms = q->since_ms,
                           .until_ms = q->until_ms,
                           .after_seq = after,
                           .max = max};
    fer_code code = x->kind->index_find(x->db, a, &ask, &rows, count, err);
    if (code) return code;
    fer_index_hit *hits = fer_arena_alloc_zero(a, *count + 1, sizeof *hits);
    if (!hits) return fer_arena_failed(a, err);
    for (size_t i = 0; i < *count; i++)
        hits[i] = (fer_index_hit){rows[i].seq, rows[i].segment, rows[i].offset};
    *out = hits;
    return FER_OK;
}
