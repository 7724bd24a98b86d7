/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_watch.h"

#include "errors.h"
#include "sys.h"

struct fer_ledger_watch {
    fer_arena *arena;
    uv_async_t told; /* by the thread, when it is done */
    uv_thread_t thread;
    atomic_bool stop;
    fer_verify_options options;
    const fer_log *log;
    fer_code code;
    fer_err err;
    fer_verify_report report;
};

static void work(void *context)
{
    fer_ledger_watch *w = context;
    w->code = fer_ledger_verify(w->arena, &w->options, &w->report, &w->err);
    uv_async_send(&w->told);
}

static void log_flaw(const fer_log *log, const fer_flaw *f)
{
    fer_log_event(log, FER_LOG_ERROR, "ledger.flaw",
                  FER_LOG_S("kind", fer_str_of(fer_flaw_names[f->kind])), FER_LOG_I("seq", f->seq),
                  FER_LOG_S("segment", f->segment), FER_LOG_I("offset", f->offset),
                  FER_LOG_S("message", f->message));
}

static void on_told(uv_async_t *handle)
{
    fer_ledger_watch *w = handle->data;
    const fer_verify_report *r = &w->report;
    if (w->code) {
        fer_log_event(w->log, FER_LOG_ERROR, "ledger.unverified",
                      FER_LOG_S("error", fer_str_of(w->err.message)));
        return;
    }
    for (size_t i = 0; i < r->told; i++) log_flaw(w->log, &r->flaws[i]);
    fer_log_event(w->log, r->flaw_count ? FER_LOG_ERROR : FER_LOG_INFO, "ledger.verified",
                  FER_LOG_I("records", r->records), FER_LOG_I("flaws", r->flaw_count),
                  FER_LOG_I("anchors", r->anchors));
}

static const char *keep(fer_arena *a, const char *text)
{
    return text ? fer_arena_copy(a, fer_str_of(text)).ptr : NULL;
}

fer_ledger_watch *fer_ledger_watch_begin(uv_loop_t *loop, const char *folder, const char *anchor,
                                         const fer_log *log)
{
    fer_arena *a = fer_arena_new(0);
    fer_ledger_watch *w = a ? fer_arena_alloc_zero(a, 1, sizeof *w) : NULL;
    if (!w) {
        fer_arena_free(a);
        return NULL;
    }
    w->arena = a;
    w->log = log;
    w->options = (fer_verify_options){
        .folder = keep(a, folder), .anchor = keep(a, anchor), .stop = &w->stop};
    if (!w->options.folder || (anchor && !w->options.anchor) ||
        uv_async_init(loop, &w->told, on_told)) {
        fer_arena_free(a);
        return NULL;
    }
    w->told.data = w;
    uv_unref((uv_handle_t *)&w->told);
    if (!uv_thread_create(&w->thread, work, w)) return w;
    w->options.folder = NULL; /* there is no thread to wait for */
    fer_ledger_watch_end(w);
    return NULL;
}

static void on_closed(uv_handle_t *handle)
{
    fer_ledger_watch *w = handle->data;
    fer_arena_free(w->arena);
}

void fer_ledger_watch_end(fer_ledger_watch *w)
{
    if (!w) return;
    atomic_store(&w->stop, true);
    if (w->options.folder) uv_thread_join(&w->thread);
    uv_close((uv_handle_t *)&w->told, on_closed);
}
