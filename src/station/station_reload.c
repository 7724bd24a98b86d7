/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration once more. Everything new is made first, from a configuration of its own; only
 * when all of it could be had are the old places retired and the new ones put in their stead, which
 * nothing but a lack of memory can hinder. Calls are between two turns of the loop meanwhile: each
 * sees the old state or the new one.
 */
#include "client_files.h"
#include "clock.h"
#include "code_setup.h"
#include "errors.h"
#include "gateway_parts.h"
#include "station_parts.h"
#include "sys.h"

/* Whether a place is of what has changed. */
static bool is_of(const fer_place_of_tools *p, const fer_config_change *c)
{
    const void *item = c->before ? c->before : c->after;
    if (p->part != c->part || !item) return false;
    switch (c->part) {
    case FER_CONFIG_SERVER: return fer_str_eq(p->ns, ((const fer_config_server *)item)->ns);
    case FER_CONFIG_API: return fer_str_eq(p->ns, ((const fer_config_api *)item)->ns);
    case FER_CONFIG_COMMAND: return fer_str_eq(p->ns, fer_command_ns(item));
    default: return false;
    }
}

static bool has_changed(const fer_place_of_tools *p, const fer_config_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_of(p, &changes[i])) return true;
    return false;
}

/* The place that takes the place of another; NULL: it is gone for good. */
static const fer_place_of_tools *heir_of(const fer_furniture *f, const fer_place_of_tools *p)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i]->part == p->part && fer_str_eq(f->list[i]->ns, p->ns)) return f->list[i];
    return NULL;
}

/* ---- what has changed outside of the file
 * ----------------------------------------------------------- */

/* What a place is made of, in a configuration; NULL: it is not in it. */
static const void *item_of(const fer_config *c, const fer_place_of_tools *p, fer_str *name)
{
    for (size_t i = 0; p->part == FER_CONFIG_SERVER && i < c->server_count; i++)
        if (fer_str_eq(c->servers[i].ns, p->ns)) {
            *name = c->servers[i].name;
            return &c->servers[i];
        }
    for (size_t i = 0; p->part == FER_CONFIG_API && i < c->api_count; i++)
        if (fer_str_eq(c->apis[i].ns, p->ns)) {
            *name = c->apis[i].name;
            return &c->apis[i];
        }
    for (size_t i = 0; p->part == FER_CONFIG_COMMAND && i < c->command_count; i++)
        if (fer_str_eq(fer_command_ns(&c->commands[i]), p->ns)) {
            *name = c->commands[i].id;
            return &c->commands[i];
        }
    return NULL;
}

/* Adds places that are configured as before and lead to something else by now. */
static fer_code add_outside(fer_station *s, fer_arena *a, const fer_config *now,
                            fer_config_change **list, size_t *count, fer_err *err)
{
    fer_config_change *all = fer_arena_alloc_zero(a, *count + s->place_count + 1, sizeof *all);
    size_t n = *count;
    if (!all) return fer_arena_failed(a, err);
    if (n) memcpy(all, *list, n * sizeof *all);
    for (size_t i = 0; i < s->place_count; i++) {
        const fer_place_of_tools *p = s->places[i];
        char outside[FER_PLACE_MARK];
        fer_str name = FER_STR("");
        const void *item = has_changed(p, all, *count) ? NULL : item_of(now, p, &name);
        if (!item) continue;
        fer_code code = fer_station_outside(now, p->part, item, outside, err);
        if (code) return code;
        if (!fer_str_is(p->outside, outside))
            all[n++] = (fer_config_change){p->part, name, item, item};
    }
    *list = all;
    *count = n;
    return FER_OK;
}

/* ---- another catalogue
 * ------------------------------------------------------------------------------- */

/* Calls under way hold definitions of theirs. */
struct fer_old_catalog {
    struct fer_old_catalog *next;
    fer_catalog *catalog;
};

void fer_station_free_old_catalogs(fer_station *s)
{
    while (s->old_catalogs) {
        struct fer_old_catalog *o = s->old_catalogs;
        s->old_catalogs = o->next;
        fer_catalog_free(o->catalog);
        fer_sys_free(o);
    }
}

void fer_station_forget_catalogs(fer_station *s)
{
    if (!s->shown_behind && !s->gateway->active_count) fer_station_free_old_catalogs(s);
}

/* The new one has what this process and its places bring along; servers are asked for theirs where
 * its file does not know them. */
static fer_code fill_catalog(fer_station *s, fer_err *err)
{
    fer_code code =
        fer_gateway_builtins(s->gateway, s->wants.functions, s->wants.function_count, err);
    for (size_t i = 0; !code && i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        if (p->part != FER_CONFIG_SERVER) {
            code = fer_station_put_records(s, p, err);
            continue;
        }
        p->asked = p->asking; /* what is being listed goes into the new one */
        p->remembered = false;
        p->code = FER_OK;
        p->tools = 0;
    }
    return code;
}

static bool is_outdated(const fer_station *s)
{
    return s->catalog_file && fer_catalog_is_outdated(s->catalog);
}

static fer_code take_catalog(fer_station *s, struct fer_old_catalog *old, struct fer_opened *next,
                             fer_err *err)
{
    if (!is_outdated(s)) fer_station_save(s); /* the file that was */
    if (s->catalog_file) fer_catalog_save_uses(s->catalog, NULL);
    const bool same = s->catalog_file && s->catalog_file == next->file;
    const uint64_t known = s->saved;
    fer_catalog_unsubscribe(s->catalog, s->listener);
    *old = (struct fer_old_catalog){s->old_catalogs, s->catalog};
    s->old_catalogs = old;
    s->catalog = next->catalog;
    s->catalog_file = next->file;
    s->saved = next->saved;
    s->catalog_was_there = next->was_there;
    fer_gateway_take_catalog(s->gateway, next->catalog);
    if (same) fer_station_hear(s, known);
    fer_code deaf = fer_station_listen(s, err), code = fill_catalog(s, deaf ? NULL : err);
    return deaf ? deaf : code;
}

/* ---- places
 * ------------------------------------------------------------------------------------------ */

/* The tools of a server that is asked anew stay until it has answered; those of commands and APIs
 * are put again by their heir. */
static void retire(fer_station *s, fer_place_of_tools *p, const fer_furniture *f)
{
    fer_backend_kind kind = p->runner->kind->backend;
    fer_err err = {0};
    fer_code code = FER_OK;
    if (!heir_of(f, p)) code = fer_station_forget(s, kind, p->runner->name, p->ns, NULL, &err);
    if (code) fer_station_say(s, "%.*s: its tools stay: %s", FER_PRI(p->name), err.message);
    s->marks_changed |= p->remembered;
    fer_station_retire(s, p);
}

static void retire_changed(fer_station *s, const fer_furniture *f, const fer_config_change *changes,
                           size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        if (has_changed(p, changes, count)) retire(s, p, f);
        else s->places[kept++] = p;
    }
    s->place_count = kept;
}

static fer_code serve_new(fer_station *s, const fer_furniture *f, fer_err *err)
{
    fer_code first = FER_OK;
    for (size_t i = 0; i < f->count; i++) {
        fer_code code = fer_station_serve(s, f->list[i], first ? NULL : err);
        if (!first) first = code;
    }
    return first;
}

/* ---- settings
 * ---------------------------------------------------------------------------------------- */

/* What can fail comes first, and what fails for want of memory alone last. */
static fer_code take_settings(fer_station *s, fer_arena *a, const fer_config *c, fer_err *err)
{
    const fer_config *before = &s->config;
    bool traces = !fer_str_eq(before->otlp_endpoint, c->otlp_endpoint) || c->otlp_headers.count ||
                  before->otlp_headers.count;
    fer_rulebook *book = NULL;
    fer_trace_options sending;
    fer_gateway_options o = {.warn_output = c->warn_output,
                             .uncounted = !c->metrics,
                             .calls_max = c->calls,
                             .bytes_max = c->call_bytes,
                             .deadline_ms = c->deadline_ms,
                             .timeout_ms = c->timeout_ms};
    fer_route *list = fer_arena_alloc_zero(a, c->route_count + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < c->route_count; i++)
        list[i] = (fer_route){c->routes[i].tool, c->routes[i].backends, c->routes[i].count};
    fer_code code = FER_OK;
    if (!fer_str_eq(before->policies, c->policies))
        code = fer_rulebook_new(c->policies, &book, err);
    if (!code) code = fer_station_trace_options(s, a, c, &sending, err);
    if (!code) code = fer_station_take_log(s, c, err);
    if (!code && traces)
        code = fer_gateway_export_traces(s->gateway, c->otlp_endpoint.len ? &sending : NULL, err);
    if (!code) code = fer_gateway_routes(s->gateway, list, c->route_count, err);
    if (code) {
        fer_rulebook_unref(book);
        return code;
    }
    if (book) fer_gateway_take_rulebook(s->gateway, book);
    fer_gateway_change(s->gateway, &o);
    fer_catalog_set_quarantine(s->catalog, fer_station_quarantine(c));
    return FER_OK;
}

/* What a running process cannot take over: its calls are in the old ledger, their keys in the old
 * store. */
static fer_code refuse_fixed(const fer_station *s, const fer_config *now, fer_err *err)
{
    if (fer_str_eq(s->config.state, now->state)) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE,
                    "%.*s: another folder for `state` needs a restart; nothing was taken over",
                    FER_PRI(now->file));
}

/* The ledger is opened once. */
static void say_fixed_ledger(fer_station *s, const fer_config *now)
{
    if (!fer_str_eq(s->config.ledger.json, now->ledger.json))
        fer_station_say(
            s, "%.*s: how the ledger is written counts from the next start on, but for payload",
            FER_PRI(now->file));
}

/* Places to listen at, clients and limits are those of the start. */
static void say_fixed_serve(fer_station *s, const fer_config *now)
{
    if (!fer_str_eq(s->config.serve.json, now->serve.json))
        fer_station_say(s,
                        "%.*s: `serve` has changed: it counts from the next start on (systemctl "
                        "restart, or stop and start `ferrule serve`)",
                        FER_PRI(now->file));
}

static fer_config_change *copy_changes(fer_arena *a, const fer_config_change *list, size_t count)
{
    fer_config_change *copy = fer_arena_alloc_zero(a, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = list[i];
        copy[i].name = fer_arena_copy(a, list[i].name);
        if (!copy[i].name.ptr) return NULL;
    }
    return copy;
}

/* All that is new, before anything of it serves. */
typedef struct fresh {
    fer_furniture furniture;
    bool other_catalog;
    struct fer_opened catalog;
    struct fer_old_catalog *old; /* a place for the one that was */
} fresh;

static fer_code open_other(fer_station *s, const fer_config *now, fresh *f, fer_err *err)
{
    f->old = fer_sys_malloc(sizeof *f->old);
    return f->old ? fer_station_open_catalog(s, now, &f->catalog, err)
                  : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static fer_code make_fresh(fer_station *s, fer_arena *own, const fer_config *now,
                           const fer_config_change *changes, size_t count, fresh *f, fer_err *err)
{
    fer_code code = fer_station_prepare(s, now, err);
    f->other_catalog = !fer_str_eq(s->config.catalog, now->catalog) || is_outdated(s);
    if (!code && f->other_catalog) code = open_other(s, now, f, err);
    if (!code) code = fer_station_make(s, own, now, changes, count, &f->furniture, err);
    return code;
}

static void drop_fresh(fer_station *s, fresh *f)
{
    for (size_t i = 0; i < f->furniture.count; i++) fer_station_discard(s, f->furniture.list[i]);
    fer_catalog_free(f->catalog.catalog);
    fer_sys_free(f->old);
}

static fer_code swap(fer_station *s, fer_arena *own, fer_config *now, fer_arena *a,
                     fer_reloaded *out, fer_err *err)
{
    fresh f = {0};
    fer_config_change *changes;
    size_t count;
    fer_code code = refuse_fixed(s, now, err);
    if (!code) code = fer_config_diff(own, &s->config, now, &changes, &count, err);
    if (!code) code = add_outside(s, own, now, &changes, &count, err);
    if (code) return code;
    fer_config_change *told = copy_changes(a, changes, count);
    if (!told) return fer_arena_failed(a, err);
    code = make_fresh(s, own, now, told, count, &f, err);
    if (!code) code = take_settings(s, own, now, err);
    if (code) {
        drop_fresh(s, &f);
        return code;
    }
    say_fixed_ledger(s, now);
    say_fixed_serve(s, now);
    retire_changed(s, &f.furniture, changes, count);
    if (f.other_catalog) code = take_catalog(s, f.old, &f.catalog, err);
    fer_code served = serve_new(s, &f.furniture, code ? NULL : err);
    if (!code) code = served;
    /* Another catalogue has no code:execute yet. */
    if (!fer_str_eq(s->config.code.json, now->code.json) || f.other_catalog) {
        fer_code recoded = fer_station_recode(s, now, code ? NULL : err);
        if (!code) code = recoded;
    }
    for (size_t i = 0; i < count; i++) told[i].before = told[i].before ? told : NULL;
    for (size_t i = 0; i < count; i++) told[i].after = told[i].after ? told : NULL;
    *out = (fer_reloaded){told, count};
    /* The file's name outlives the configuration that it was read from. */
    now->file = s->config.file;
    s->config = *now;
    if (f.other_catalog) fer_station_recall(s);
    return code;
}

static fer_code reopen(fer_station *s, fer_err *err)
{
    fresh f = {.other_catalog = true};
    fer_code code = open_other(s, &s->config, &f, err);
    if (code) {
        drop_fresh(s, &f);
        return code;
    }
    code = take_catalog(s, f.old, &f.catalog, err);
    fer_code recoded = fer_station_recode(s, &s->config, code ? NULL : err);
    fer_station_recall(s);
    return code ? code : recoded;
}

/* Of two gateways that have other servers and share one file, each takes out what the other put in:
 * not without a pause. */
#define TAKE_OVER_NS (5 * (int64_t)1000000000)

bool fer_station_take_over(fer_station *s)
{
    fer_err err = {0};
    const int64_t at = fer_clock_mono();
    if (at < s->take_over_after || !is_outdated(s)) return false;
    const fer_file_mark now = fer_file_mark_of(s->catalog_file);
    if (fer_file_mark_eq(&now, &s->refused)) return false;
    const fer_catalog *before = s->catalog;
    s->take_over_after = at + TAKE_OVER_NS;
    if (reopen(s, &err)) {
        s->refused = now;
        fer_station_say(s, "the catalogue was changed by another program, and not taken over: %s",
                        err.message);
    } else fer_station_say(s, "the catalogue was changed by another program, and is taken over");
    return s->catalog != before;
}

static fer_code read_again(fer_station *s, fer_arena *a, fer_reloaded *out, fer_err *err)
{
    fer_config now;
    *out = (fer_reloaded){0};
    fer_station_forget_catalogs(s);
    if (!s->config.file.len)
        return fer_fail(err, FER_BAD_USAGE, "there is no configuration to read again");
    fer_arena *own = fer_arena_new(0);
    fer_str file = own ? fer_arena_copy(own, s->config.file) : FER_STR_NONE;
    const struct fer_station_wants *w = &s->wants;
    fer_code code = !file.ptr ? fer_fail(err, FER_OUT_OF_MEMORY, "out of memory")
                    : w->file_count
                        ? fer_client_files_load(own, w->files, w->file_count, w->found, &now, err)
                        : fer_config_load(own, file.ptr, &now, err);
    if (!code) code = fer_client_files_drop_self(own, &now, w->own, err);
    if (!code) code = fer_station_problems(s, &now, err);
    bool swapped = false;
    char digest[FER_DIGEST_HEX + 1];
    if (!code) {
        fer_station_digest(s, digest);
        code = swap(s, own, &now, a, out, err);
        swapped = out->changes != NULL;
    }
    if (!swapped) {
        fer_arena_free(own);
        return code;
    }
    fer_arena_free(s->config_arena);
    s->config_arena = own;
    memcpy(s->config_digest, digest, sizeof digest);
    s->reloads++;
    fer_station_save(s);
    return code;
}

fer_code fer_station_reload(fer_station *s, fer_arena *a, fer_reloaded *out, fer_err *err)
{
    fer_err own = {0};
    fer_code code = read_again(s, a, out, &own);
    fer_station_note_reload(s, out->changes != NULL, out->count, code, own.message);
    if (code && err) *err = own;
    return code;
}
