/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule ledger tail, query, export: what is in a ledger. */
#include <uv.h>

#include "errors.h"
#include "ledger_ask.h"
#include "sink.h"

#define TAIL_COUNT  10
#define POLL_MS     100
#define QUERY_LIMIT 1000
#define FIND_BATCH  1000 /* records that the index is asked for at once */

static int count_option(fer_app *app, const char *name, uint64_t preset, uint64_t *out)
{
    const char *text = fer_app_option(app, name);
    *out = preset;
    if (!text || fer_parse_u64(fer_str_of(text), out)) return 0;
    return fer_app_usage(app, "--%s takes a whole number, not '%s'", name, text);
}

static void show(fer_ask_ledger *k, fer_str text, const fer_line *l, const fer_facts *f)
{
    bool json = fer_app_option(k->app, "json") != NULL;
    if (!json && !k->begun) fer_records_begin(&k->app->out);
    k->begun = true;
    if (json) fer_record_json(&k->app->out, text);
    else fer_record_show(&k->app->out, k->scratch, l, f);
}

/* ---- tail ---------------------------------------------------------------------------------------
 */

/* Shows what there is from here on; 0 all the same where the reader of a pipe has left. */
static fer_code show_rest(fer_ask_ledger *k, uint64_t from, fer_err *err)
{
    fer_str text;
    fer_line l;
    fer_facts f;
    bool got = true;
    while (!k->app->out.failed) {
        fer_code code = fer_ledger_reader_next(k->reader, &text, &l, &got, err);
        if (code || !got) return code;
        fer_arena_reset(k->scratch);
        if (l.seq >= from && fer_question_fits(&k->question, &l, k->scratch, &f))
            show(k, text, &l, &f);
    }
    return FER_OK;
}

/* The number of the n-th record from the end that is asked for: they are counted in a ring. */
static fer_code find_start(fer_ask_ledger *k, uint64_t n, uint64_t *from, fer_err *err)
{
    fer_str text;
    fer_line l;
    fer_facts f;
    bool got = true;
    uint64_t last, met = 0;
    fer_code code = fer_ledger_reader_last(k->reader, &last, err);
    uint64_t *ring = fer_arena_alloc_zero(k->arena, (size_t)n + 1, sizeof *ring);
    if (!ring) return fer_arena_failed(k->arena, err);
    *from = last + 1;
    /* Mostly the last segment has them; if not, all are read. */
    for (int whole = 0; !code && n && whole < 2 && met < n; whole++) {
        met = 0;
        got = true;
        code = fer_ledger_reader_seek(k->reader, whole ? 0 : last, err);
        while (!code && got) {
            code = fer_ledger_reader_next(k->reader, &text, &l, &got, err);
            if (code || !got) break;
            fer_arena_reset(k->scratch);
            if (fer_question_fits(&k->question, &l, k->scratch, &f)) ring[met++ % n] = l.seq;
        }
    }
    if (!code && met) *from = ring[met > n ? met % n : 0];
    if (!code) code = fer_ledger_reader_seek(k->reader, *from, err);
    return code;
}

static fer_code tail(fer_ask_ledger *k, uint64_t n, bool follow, fer_err *err)
{
    uint64_t from = 0;
    fer_code code = find_start(k, n, &from, err);
    while (!code) {
        code = show_rest(k, from, err);
        fer_out_flush(&k->app->out);
        if (!follow || k->app->out.failed) return code;
        uv_sleep(POLL_MS);
    }
    return code;
}

int fer_run_ledger_tail(fer_app *app)
{
    fer_ask_ledger k;
    fer_err err;
    uint64_t n;
    int bad = count_option(app, "lines", TAIL_COUNT, &n);
    if (!bad && n > 1000000) bad = fer_app_usage(app, "--lines is at most 1000000");
    if (bad) return bad;
    /* On a terminal somebody is watching. */
    bool follow =
        fer_app_option(app, "follow") || (app->out.terminal && !fer_app_option(app, "once"));
    bad = fer_ask_ledger_init(&k, app);
    if (bad) return bad;
    if (tail(&k, n, follow, &err)) bad = fer_app_fail(app, &err);
    fer_ask_ledger_deinit(&k);
    return bad;
}

/* ---- query --------------------------------------------------------------------------------------
 */

static fer_code show_hit(fer_ask_ledger *k, const fer_index_hit *hit, uint64_t *shown, fer_err *err)
{
    fer_str text;
    fer_line l;
    fer_facts f;
    bool got;
    fer_code code = fer_ledger_reader_jump(k->reader, hit->segment, hit->offset, err);
    if (!code) code = fer_ledger_reader_next(k->reader, &text, &l, &got, err);
    if (code) return code;
    fer_arena_reset(k->scratch);
    /* The index only says where to look. */
    if (!got || l.seq != hit->seq || !fer_question_fits(&k->question, &l, k->scratch, &f))
        return FER_OK;
    show(k, text, &l, &f);
    ++*shown;
    return FER_OK;
}

static fer_code query_index(fer_ask_ledger *k, fer_ledger_index *x, uint64_t limit, uint64_t *shown,
                            fer_err *err)
{
    uint64_t after = 0;
    size_t count = FIND_BATCH;
    fer_index_hit *hits;
    fer_code code = fer_ledger_index_update(x, k->reader, err);
    while (!code && *shown < limit && count == FIND_BATCH) {
        code =
            fer_ledger_index_find(k->arena, x, &k->question, after, FIND_BATCH, &hits, &count, err);
        for (size_t i = 0; !code && i < count && *shown < limit; i++) {
            code = show_hit(k, &hits[i], shown, err);
            after = hits[i].seq;
        }
    }
    return code;
}

static fer_code query_scan(fer_ask_ledger *k, uint64_t limit, uint64_t *shown, fer_err *err)
{
    fer_str text;
    fer_line l;
    fer_facts f;
    bool got = true;
    fer_code code = fer_ledger_reader_seek(k->reader, 0, err);
    while (!code && *shown < limit && !k->app->out.failed) {
        code = fer_ledger_reader_next(k->reader, &text, &l, &got, err);
        if (code || !got) break;
        fer_arena_reset(k->scratch);
        if (!fer_question_fits(&k->question, &l, k->scratch, &f)) continue;
        show(k, text, &l, &f);
        ++*shown;
    }
    return code;
}

int fer_run_ledger_query(fer_app *app)
{
    fer_ask_ledger k;
    fer_ledger_index *x = NULL;
    fer_err err;
    uint64_t limit, shown = 0;
    int bad = count_option(app, "limit", QUERY_LIMIT, &limit);
    if (!bad) bad = fer_ask_ledger_init(&k, app);
    if (bad) return bad;
    /* A ledger that one may only read has no index; then it is read. */
    if (!fer_app_option(app, "no-index") && fer_ledger_index_open(k.folder, &x, &err)) x = NULL;
    fer_code code =
        x ? query_index(&k, x, limit, &shown, &err) : query_scan(&k, limit, &shown, &err);
    fer_ledger_index_close(x);
    if (code) bad = fer_app_fail(app, &err);
    else if (!shown) bad = FER_EXIT_FINDINGS;
    if (!code && shown == limit)
        fer_app_say(app, "there may be more: only %llu are shown (--limit)",
                    (unsigned long long)limit);
    fer_ask_ledger_deinit(&k);
    return bad;
}

/* ---- export -------------------------------------------------------------------------------------
 */

static fer_code export_all(fer_ask_ledger *k, fer_sink *sink, bool csv, uint64_t *count,
                           fer_err *err)
{
    fer_str text;
    fer_line l;
    fer_facts f;
    bool got = true;
    fer_code code = FER_OK;
    while (!code && !sink->out->failed) {
        code = fer_ledger_reader_next(k->reader, &text, &l, &got, err);
        if (code || !got) break;
        fer_arena_reset(k->scratch);
        if (!fer_question_fits(&k->question, &l, k->scratch, &f)) continue;
        if (csv && !*count) fer_record_csv_head(sink->out);
        if (csv) fer_record_csv(sink->out, &l, &f);
        else fer_record_json(sink->out, text);
        ++*count;
    }
    if (!code && !*count && csv && !k->question.tenant.len) fer_record_csv_head(sink->out);
    return code;
}

/* Of a tenant without records there is nothing to hand over: mostly it has another name. */
static int say_nobody(const fer_ask_ledger *k)
{
    static const char *const others[] = {"tool",           "status", "type",  "call",
                                         "correlation-id", "since",  "until", NULL};
    bool more = false;
    for (size_t i = 0; others[i]; i++) more |= fer_app_option(k->app, others[i]) != NULL;
    fer_app_say(k->app, "there are no%s records of the tenant %s", more ? " such" : "",
                fer_app_option(k->app, "tenant"));
    return FER_EXIT_FINDINGS;
}

int fer_run_ledger_export(fer_app *app)
{
    fer_ask_ledger k;
    fer_sink sink;
    fer_err err;
    uint64_t count = 0;
    const char *format = fer_app_option(app, "format"), *path = fer_app_option(app, "output");
    bool nobody = false;
    int bad = fer_ask_ledger_init(&k, app);
    if (bad) return bad;
    fer_code code = fer_sink_open(&sink, app, path, &err), closed;
    if (!code) {
        code = export_all(&k, &sink, format && fer_str_is(fer_str_of(format), "csv"), &count, &err);
        nobody = !code && !count && k.question.tenant.len > 0;
        closed = fer_sink_close(&sink, !code && !nobody, code ? NULL : &err);
        if (!code) code = closed;
    }
    if (code) bad = fer_app_fail(app, &err);
    else if (nobody) bad = say_nobody(&k);
    else if (path) fer_app_say(app, "%llu record%s", (unsigned long long)count, fer_s(count));
    fer_ask_ledger_deinit(&k);
    return bad;
}
