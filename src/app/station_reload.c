/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration once more. Everything new is made first, from a configuration of its own; only
 * when all of it could be had are the old places retired and the new ones put in their stead, which
 * nothing but a lack of memory can hinder. Calls are between two turns of the loop meanwhile: each
 * sees the old state or the new one.
 */
#include "client_files.h"
#include "errors.h"
#include "gateway_parts.h"
#include "station_parts.h"

/* Whether a place is of what has changed. */
static bool is_of(const fer_place_of_tools *p, const fer_config_change *c)
{
    const void *item = c->before ? c->before : c->after;
    fer_id id;
    if (p->part != c->part || !item) return false;
    switch (c->part) {
    case FER_CONFIG_SERVER: return fer_str_eq(p->ns, ((const fer_config_server *)item)->ns);
    case FER_CONFIG_API: return fer_str_eq(p->ns, ((const fer_config_api *)item)->ns);
    case FER_CONFIG_COMMAND:
        if (fer_id_parse(((const fer_config_command *)item)->id, &id, NULL)) return false;
        return fer_str_eq(p->ns, id.ns.len ? id.ns : FER_CONFIG_NO_NAMESPACE);
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

/* The tools of a server that is asked anew stay until it has answered; those of commands and APIs
 * are put again by their heir. */
static void retire(fer_station *s, fer_place_of_tools *p, const fer_furniture *f)
{
    fer_backend_kind kind = p->runner->kind->backend;
    fer_err err = {0};
    fer_code code = FER_OK;
    if (!heir_of(f, p)) code = fer_station_forget(s, kind, p->runner->name, p->ns, NULL, &err);
    if (code) fer_app_say(s->app, "%.*s: its tools stay: %s", FER_PRI(p->name), err.message);
    s->marks_changed |= p->remembered;
    p->retired = true;
    fer_gateway_retire_runner(s->gateway, p->runner, fer_place_free, p);
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

static fer_code take_settings(fer_station *s, fer_arena *a, const fer_config *c, fer_err *err)
{
    fer_gateway_options o = {.warn_output = c->warn_output,
                             .uncounted = !c->metrics,
                             .calls_max = c->calls,
                             .deadline_ms = c->deadline_ms,
                             .timeout_ms = c->timeout_ms};
    fer_route *list = fer_arena_alloc_zero(a, c->route_count + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < c->route_count; i++)
        list[i] = (fer_route){c->routes[i].tool, c->routes[i].backends, c->routes[i].count};
    fer_code code = fer_station_take_log(s, c, err);
    if (!code) code = fer_gateway_routes(s->gateway, list, c->route_count, err);
    if (!code) fer_gateway_change(s->gateway, &o);
    return code;
}

/* What is fixed when the station is made. */
static void say_fixed(fer_station *s, const fer_config *now)
{
    const fer_config *c = &s->config;
    if (!fer_str_eq(c->catalog, now->catalog) || !fer_str_eq(c->quarantine, now->quarantine))
        fer_app_say(s->app, "%.*s: another catalogue counts from the next start on",
                    FER_PRI(now->file));
    if (!fer_str_eq(c->otlp_endpoint, now->otlp_endpoint))
        fer_app_say(s->app, "%.*s: another collector of traces counts from the next start on",
                    FER_PRI(now->file));
}

/* The state is opened once. */
static void say_fixed_state(fer_station *s, const fer_config *now)
{
    const fer_config *c = &s->config;
    if (!fer_str_eq(c->state, now->state))
        fer_app_say(s->app, "%.*s: another state folder counts from the next start on",
                    FER_PRI(now->file));
    else if (!fer_str_eq(c->ledger.json, now->ledger.json))
        fer_app_say(
            s->app,
            "%.*s: how the ledger is written counts from the next start on, but for payload",
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

static fer_code swap(fer_station *s, fer_arena *own, fer_config *now, fer_arena *a,
                     fer_reloaded *out, fer_err *err)
{
    fer_furniture f = {0};
    fer_config_change *changes;
    size_t count;
    fer_code code = fer_config_diff(own, &s->config, now, &changes, &count, err);
    if (code) return code;
    fer_config_change *told = copy_changes(a, changes, count);
    if (!told) return fer_arena_failed(a, err);
    code = fer_station_prepare(s, now, err);
    if (!code) code = fer_station_make(s, own, now, told, count, &f, err);
    if (code) return code;
    code = take_settings(s, own, now, err);
    if (code) {
        for (size_t i = 0; i < f.count; i++) fer_station_discard(s, f.list[i]);
        return code;
    }
    say_fixed(s, now);
    say_fixed_state(s, now);
    retire_changed(s, &f, changes, count);
    code = serve_new(s, &f, err);
    for (size_t i = 0; i < count; i++) told[i].before = told[i].before ? told : NULL;
    for (size_t i = 0; i < count; i++) told[i].after = told[i].after ? told : NULL;
    *out = (fer_reloaded){told, count};
    /* The file's name outlives the configuration that it was read from. */
    now->file = s->config.file;
    s->config = *now;
    return code;
}

fer_code fer_station_reload(fer_station *s, fer_arena *a, fer_reloaded *out, fer_err *err)
{
    fer_config now;
    *out = (fer_reloaded){0};
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
    if (!code) {
        code = swap(s, own, &now, a, out, err);
        swapped = out->changes != NULL;
    }
    if (!swapped) {
        fer_arena_free(own);
        return code;
    }
    fer_arena_free(s->config_arena);
    s->config_arena = own;
    s->reloads++;
    fer_station_save(s);
    return code;
}
