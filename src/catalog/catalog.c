/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue: changes are applied to a copy of the newest view, which is then swapped in.
 * Writers come one at a time; readers never wait for them.
 */
#include <string.h>

#include "apply.h"
#include "arena.h"
#include "catalog_file.h"
#include "catalog_parts.h"
#include "errors.h"
#include "file.h"
#include "file_layout.h"
#include "ranking.h"
#include "sys.h"

/* ---- life --------------------------------------------------------------------------------------
 */

static void count_view(void *v)
{
    fer_view_ref(v);
}

fer_view *fer_catalog_view(fer_catalog *c)
{
    return fer_gate_take(&c->gate, count_view);
}

/* An index over what is there already. */
static fer_code make_index(fer_view *v, fer_vector_store *store, fer_err *err)
{
    fer_value *const *run;
    size_t count;
    fer_code code = FER_OK;
    fer_arena *scratch = fer_arena_new(0);
    v->finder = fer_finder_new(store, fer_view_count(v));
    if (!v->finder || !scratch) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t at = 0; !code && (run = fer_table_run(&v->tools, at, &count)); at += count) {
        for (size_t i = 0; i < count && !code; i++) {
            const fer_body *ignored;
            fer_entry *e = (fer_entry *)(void *)run[i];
            fer_arena_reset(scratch);
            code = fer_entry_body(e, &ignored, err);
            if (!code) code = fer_view_index(v, scratch, e, err);
        }
    }
    fer_arena_free(scratch);
    return code ? code : fer_finder_settle(v->finder, err);
}

/* The vectors of another catalogue; one that cannot be used is none. */
static fer_code open_older(fer_view *v, const char *path, fer_err *err)
{
    fer_view *older = path ? fer_view_new() : NULL;
    if (path && !older) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (path && fer_catalog_file_open(path, older, NULL) == FER_OK)
        v->older = fer_catalog_file_ref(older->file);
    fer_view_unref(older);
    return FER_OK;
}

/* The index of the file, or a new one where it has none. */
static fer_code init_index(fer_view *v, const fer_catalog_options *options, fer_err *err)
{
    fer_vector_store *store = NULL;
    fer_code code = FER_OK;
    if (!options || !options->search) return FER_OK;
    v->search = true;
    v->keeps = options->keep_vectors;
    if (options->embedder || options->plugin)
        code = fer_vector_store_new(options->embedder, options->plugin, &store, err);
    if (!code) code = open_older(v, options->vectors_from, err);
    if (!code) code = fer_catalog_file_index(v, store, err);
    if (!code) code = v->finder ? fer_catalog_file_load_vectors(v, err) : make_index(v, store, err);
    fer_vector_store_unref(store);
    return code;
}

static fer_code init_key(fer_view *v, const unsigned char *key, bool has_one, fer_err *err)
{
    if (key) memcpy(v->key, key, sizeof v->key);
    else if (!has_one && fer_sys_random(v->key, sizeof v->key) != 0)
        return fer_fail(err, FER_IO_ERROR, "the system has no random bytes for a key");
    return FER_OK;
}

/* A catalogue whose first view is `v`, which it takes in any case. */
static fer_code new_catalog(const fer_catalog_options *options, fer_view *v, fer_catalog **out,
                            fer_err *err)
{
    fer_use_memory *uses = NULL;
    fer_code code =
        options && options->uses ? fer_use_memory_open(options->uses, &uses, err) : FER_OK;
    fer_catalog *c = code ? NULL : fer_sys_malloc(sizeof *c);
    bool locked = c && pthread_mutex_init(&c->lock, NULL) == 0;
    if (!locked || !fer_events_init(&c->events)) {
        if (locked) pthread_mutex_destroy(&c->lock);
        fer_sys_free(c);
        fer_view_unref(v);
        fer_use_memory_free(uses);
        return code ? code : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    c->quarantine = options ? options->quarantine : FER_QUARANTINE_NONE;
    c->lenient = options && options->lenient;
    c->embedding = 0;
    c->uses = uses;
    c->file = NULL;
    c->mark = (fer_file_mark){0};
    fer_gate_init(&c->gate, v);
    *out = c;
    return FER_OK;
}

fer_code fer_catalog_new(const fer_catalog_options *options, fer_catalog **out, fer_err *err)
{
    fer_view *v = fer_view_new();
    if (!v) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = init_key(v, options ? options->key : NULL, false, err);
    if (!code) code = init_index(v, options, err);
    if (code) {
        fer_view_unref(v);
        return code;
    }
    if (options) v->stamp = options->stamp;
    return new_catalog(options, v, out, err);
}

static char *copy_path(const char *path, fer_err *err)
{
    size_t size = strlen(path) + 1;
    char *copy = fer_sys_malloc(size);
    if (copy) memcpy(copy, path, size);
    else fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    return copy;
}

/* From now on this is its own file; takes the path. */
static void set_file(fer_catalog *c, char *path, fer_file_mark mark)
{
    pthread_mutex_lock(&c->lock);
    fer_sys_free(c->file);
    c->file = path;
    c->mark = mark;
    pthread_mutex_unlock(&c->lock);
}

fer_code fer_catalog_open(const char *path, const fer_catalog_options *options, fer_catalog **out,
                          fer_err *err)
{
    fer_view *v = fer_view_new();
    if (!v) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    /* Before it is opened: one that is replaced in between is another, and nothing is lost. */
    const fer_file_mark mark = fer_file_mark_of(path);
    fer_code code = fer_catalog_file_open(path, v, err);
    if (!code) code = init_key(v, options ? options->key : NULL, true, err);
    fer_err why = {0};
    if (!code && (code = init_index(v, options, &why)))
        fer_fail(err, code, code == FER_INVALID_CATALOG ? "%s: %s" : "%.0s%s", path, why.message);
    if (code) {
        fer_view_unref(v);
        return code;
    }
    fer_str events = fer_catalog_file_section(v->file, FER_SECTION_EVENTS);
    fer_catalog *c = NULL;
    code = new_catalog(options, v, &c, err);
    if (!code && (code = fer_history_read(&c->events.history, events, &why)))
        fer_fail(err, code, "%s: %s", path, why.message);
    char *file = code ? NULL : copy_path(path, err);
    if (file) set_file(c, file, mark);
    else if (!code) code = FER_OUT_OF_MEMORY;
    if (code) fer_catalog_free(c);
    else *out = c;
    return code;
}

void fer_catalog_set_quarantine(fer_catalog *c, fer_quarantine q)
{
    pthread_mutex_lock(&c->lock);
    c->quarantine = q;
    pthread_mutex_unlock(&c->lock);
}

void fer_catalog_free(fer_catalog *c)
{
    if (!c) return;
    fer_view_unref(fer_gate_swap(&c->gate, NULL));
    fer_events_deinit(&c->events);
    fer_use_memory_free(c->uses);
    pthread_mutex_destroy(&c->lock);
    fer_sys_free(c->file);
    fer_sys_free(c);
}

/* Whether a file is there and is not as it was. With the lock. */
static bool differs(const fer_catalog *c, const char *path)
{
    const fer_file_mark now = fer_file_mark_of(path);
    return now.number && !fer_file_mark_eq(&now, &c->mark);
}

bool fer_catalog_is_outdated(fer_catalog *c)
{
    pthread_mutex_lock(&c->lock);
    bool outdated = c->file && differs(c, c->file);
    pthread_mutex_unlock(&c->lock);
    return outdated;
}

/* Whether this is its own file, and not as it left it. */
static bool is_changed(fer_catalog *c, const char *path)
{
    pthread_mutex_lock(&c->lock);
    bool changed = c->file && strcmp(c->file, path) == 0 && differs(c, path);
    pthread_mutex_unlock(&c->lock);
    return changed;
}

static fer_code replace_file(fer_catalog *c, const char *path, fer_str bytes, fer_err *err)
{
    int lock;
    char *file = copy_path(path, err);
    if (!file) return FER_OUT_OF_MEMORY;
    fer_code code = fer_file_lock(path, &lock, err);
    if (code) {
        fer_sys_free(file);
        return code;
    }
    if (is_changed(c, path))
        code = fer_fail(err, FER_CATALOG_CHANGED,
                        "%s was changed by another program since it was read; nothing is written: "
                        "open it again and repeat what was changed here",
                        path);
    if (!code) code = fer_file_replace(path, bytes, err);
    if (code) fer_sys_free(file);
    else set_file(c, file, fer_file_mark_of(path));
    fer_file_unlock(lock);
    return code;
}

fer_code fer_catalog_save(fer_catalog *c, const char *path, fer_err *err)
{
    fer_str bytes;
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    /* No writer meanwhile: the index is shared by views, and must be that of this one. */
    pthread_mutex_lock(&c->lock);
    fer_view *v = fer_catalog_view(c);
    fer_str events = FER_STR("");
    fer_code code = fer_events_write(a, &c->events, &events, err);
    if (!code) code = fer_catalog_file_write(a, v, events, &bytes, err);
    pthread_mutex_unlock(&c->lock);
    if (!code) code = replace_file(c, path, bytes, err);
    fer_arena_free(a);
    fer_view_unref(v);
    return code;
}

#define SEARCH_TRIES 3 /* while changes come in between; then what was found is good enough */

static void drop_view(void *v)
{
    fer_view_unref(v);
}

/* A definition that is replaced while it is searched for could be missed: its old number is gone
 * from the index, and its new one is not in the view. So a view that is not the newest any more
 * is not the one to have searched. */
fer_code fer_catalog_search(fer_arena *a, fer_catalog *c, fer_str query,
                            const fer_search_options *options, const fer_page *page, fer_found *out,
                            fer_err *err)
{
    fer_code code = FER_OK;
    bool newest = false;
    for (int i = 0; i < SEARCH_TRIES && !newest && !code; i++) {
        fer_view *v = fer_catalog_view(c);
        code = fer_view_search_with(a, v, c->uses, query, options, page, out, err);
        fer_view *now = fer_catalog_view(c);
        newest = now == v;
        fer_view_unref(now);
        /* What was found borrows its texts from the view, which the caller does not hold. */
        bool kept = !code && fer_arena_defer(a, drop_view, v);
        if (!code && !kept) code = fer_arena_failed(a, err);
        if (!kept) fer_view_unref(v);
    }
    return code;
}

fer_code fer_catalog_events(fer_arena *a, fer_catalog *c, uint64_t since, fer_event **out,
                            size_t *count, bool *complete, fer_err *err)
{
    fer_event *list;
    size_t n = 0;
    fer_code code = fer_events_since(a, &c->events, since, &list, &n, err);
    if (code) return code;
    /* The versions of a catalogue have no gaps. */
    fer_view *v = fer_catalog_view(c);
    uint64_t next = n ? list[0].version : v->version + 1;
    fer_view_unref(v);
    if (complete) *complete = n < FER_EVENTS_KEPT && next <= since + 1;
    *out = list;
    *count = n;
    return FER_OK;
}

fer_code fer_catalog_subscribe(fer_catalog *c, fer_listener *listener, void *context,
                               uint64_t *number, fer_err *err)
{
    return fer_events_subscribe(&c->events, listener, context, number, err);
}

bool fer_catalog_unsubscribe(fer_catalog *c, uint64_t number)
{
    return fer_events_unsubscribe(&c->events, number);
}

const char *fer_event_kind_name(fer_event_kind kind)
{
    static const char *const names[] = {
        "registered",      "updated", "quarantined", "approved",  "rejected",
        "backend-removed", "removed", "documented",  "unchanged", "shadowed"};
    return names[kind];
}

const char *fer_verdict_name(fer_verdict verdict)
{
    static const char *const names[] = {"none", "compatible", "unknown", "breaking"};
    return names[verdict];
}

/* ---- changes ------------------------------------------------------------------------------------
 */

/* The code of the first problem, in the order of the changes. */
static fer_code refused(const fer_batch *b, fer_err *err)
{
    size_t first = 0;
    for (size_t i = 1; i < b->problem_count; i++) {
        if (b->problems[i].number < b->problems[first].number) first = i;
    }
    const fer_problem *p = &b->problems[first];
    if (b->problems_in_all == 1)
        return fer_fail(err, p->code, "nothing was changed: change %zu%s%.*s: %.*s", p->number,
                        p->id.len ? ", " : "", FER_PRI(p->id), FER_PRI(p->message));
    return fer_fail(err, p->code, "nothing was changed, for %zu reasons; change %zu%s%.*s: %.*s",
                    b->problems_in_all, p->number, p->id.len ? ", " : "", FER_PRI(p->id),
                    FER_PRI(p->message));
}

static bool is_any_change(const fer_batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->outcomes[i].kind < FER_EVENT_UNCHANGED) return true;
    }
    return false;
}

/* A catalogue that has no tools is given some: where these are many, its index is made at once. */
static void begin_index(fer_view *next, size_t puts)
{
    if (!next->finder || fer_view_count(next) || !fer_finder_gathers(puts)) return;
    fer_finder *fresh = fer_finder_new(fer_finder_store(next->finder), puts);
    if (!fresh) return; /* one by one */
    fer_finder_unref(next->finder);
    next->finder = fresh;
}

/* An index of which much has changed is made anew; without memory it does as it is. */
static void tighten(fer_view *next)
{
    fer_finder *tight;
    if (!next->finder || !fer_finder_is_loose(next->finder, fer_view_count(next))) return;
    if (fer_finder_compact(next->finder, &tight, NULL)) return;
    fer_finder_unref(next->finder);
    next->finder = tight;
}

/* What was made findable for a view that is not handed out. */
static void take_back(const fer_view *before, const fer_view *next)
{
    if (!next || !next->finder) return;
    for (uint32_t n = before->next_number; n < next->next_number; n++)
        fer_finder_remove(next->finder, n);
}

/* Under the lock. On success the batch is done, and its events are in the queue. */
static fer_code apply_locked(fer_catalog *c, struct fer_applying *p, fer_view **old, fer_err *err)
{
    fer_batch *b = p->batch;
    assert(p->next); /* or there was a failure */
    p->next->version = p->before->version + 1;
    begin_index(p->next, b->count);
    fer_code code = fer_apply_all(p, err);
    if (code) return code;
    if (b->hard || (b->problems_in_all && !c->lenient)) return refused(b, err);
    if (is_any_change(b)) {
        code = p->next->finder ? fer_finder_settle(p->next->finder, err) : FER_OK;
        if (code) return code;
        struct fer_queued *q = fer_events_prepare(b->outcomes, b->count);
        if (!q) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
        tighten(p->next);
        fer_finder *finder = p->next->finder;
        *old = fer_gate_swap(&c->gate, p->next);
        p->next = NULL;
        for (size_t i = 0; i < p->gone_count; i++) fer_finder_remove(finder, p->gone[i]);
        fer_events_queue(&c->events, q);
    }
    b->applied = true;
    return FER_OK;
}

fer_code fer_catalog_apply(fer_catalog *c, fer_batch *b, fer_err *err)
{
    fer_view *old = NULL;
    if (b->applied) return fer_fail(err, FER_BAD_USAGE, "a batch is applied once");
    fer_event *outcomes = fer_arena_alloc_zero(b->arena, b->count ? b->count : 1, sizeof *outcomes);
    if (!outcomes) return fer_arena_failed(b->arena, err);
    b->outcomes = outcomes;
    pthread_mutex_lock(&c->lock);
    struct fer_applying p = {.batch = b,
                             .quarantine = c->quarantine,
                             .lenient = c->lenient,
                             .scratch = fer_arena_new(0)};
    fer_view *before = fer_catalog_view(c);
    p.before = before;
    p.next = p.scratch ? fer_view_next(before) : NULL;
    fer_code code = p.next ? fer_catalog_file_index(p.next, NULL, err)
                           : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = apply_locked(c, &p, &old, err);
    take_back(before, p.next);
    pthread_mutex_unlock(&c->lock);
    /* What is freed is freed by nobody's waiting. */
    fer_view_unref(p.next);
    fer_view_unref(old);
    fer_view_unref(before);
    fer_arena_free(p.scratch);
    if (code) b->outcomes = NULL;
    else fer_events_tell(&c->events);
    return code;
}
