/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule catalog update, events, quarantine, approve, reject: a catalogue in a file as time goes
 * on. A changed definition may be held back until somebody has looked at it.
 */
#include "errors.h"
#include "map.h"
#include "quarantine_names.h"
#include "shelf.h"
#include "state_folder.h"

static const char *embedder_of(const fer_app *app)
{
    const char *name = fer_app_option(app, "embedder");
    return name ? name : "builtin";
}

static int open_catalog(fer_shelf *s, fer_app *app, fer_quarantine quarantine)
{
    return fer_shelf_init(s, app,
                          &(fer_shelf_options){.search = true,
                                               .file = true,
                                               .kept = true,
                                               .find = fer_catalog_find,
                                               .embedder = embedder_of(app),
                                               .quarantine = quarantine});
}

/* A catalogue that has vectors keeps having them, those of an embedder that is not at hand as they
 * are; one that was built without has none unless an embedder is named. */
static fer_code save(fer_shelf *s, fer_err *err)
{
    fer_vector_stats stats;
    fer_catalog_vectors(s->catalog, &stats);
    bool wanted = stats.file_embedder[0] || fer_embedder_is_named(s->app);
    fer_code code = wanted && !stats.stay ? fer_shelf_embed(s, err) : FER_OK;
    return code ? code : fer_catalog_save(s->catalog, s->path, err);
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void write_event(fer_out *o, const fer_event *e, bool json, bool first)
{
    if (json) {
        fer_out_printf(o, "%s\n{\"version\":%llu,\"kind\":\"%s\",\"verdict\":\"%s\",\"id\":",
                       first ? "" : ",", (unsigned long long)e->version,
                       fer_event_kind_name(e->kind), fer_verdict_name(e->verdict));
        fer_out_json(o, e->id);
        fer_out_text(o, "}");
        return;
    }
    fer_out_printf(o, "%llu\t%s\t", (unsigned long long)e->version, fer_event_kind_name(e->kind));
    fer_out_clean(o, e->id);
    if (e->verdict) fer_out_printf(o, "\t%s", fer_verdict_name(e->verdict));
    fer_out_text(o, "\n");
}

static fer_code write_events(fer_shelf *s, uint64_t since, fer_err *err)
{
    fer_event *list;
    size_t count;
    bool complete, json = fer_app_option(s->app, "json") != NULL;
    fer_code code = fer_catalog_events(s->arena, s->catalog, since, &list, &count, &complete, err);
    if (code) return code;
    if (json)
        fer_out_printf(&s->app->out, "{\"version\":%llu,\"complete\":%s,\"events\":[",
                       (unsigned long long)fer_view_version(s->view), complete ? "true" : "false");
    for (size_t i = 0; i < count; i++) write_event(&s->app->out, &list[i], json, i == 0);
    if (json) fer_out_text(&s->app->out, count ? "\n]}\n" : "]}\n");
    else if (!complete)
        fer_app_say(s->app, "there were more: a catalogue keeps its latest %d", FER_EVENTS_KEPT);
    return FER_OK;
}

int fer_run_catalog_events(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    uint64_t since = 0;
    const char *text = fer_app_option(app, "since");
    if (text && !fer_parse_u64(fer_str_of(text), &since))
        return fer_app_usage(app, "--since is the version of a catalogue, not '%s'", text);
    int bad = fer_shelf_init(&s, app, &(fer_shelf_options){.file = true, .find = fer_catalog_find});
    if (bad) return bad;
    if (write_events(&s, since, &err)) bad = fer_app_fail(app, &err);
    fer_shelf_deinit(&s);
    return bad;
}

/* ---- what is held back --------------------------------------------------------------------------
 */

static void write_held(fer_out *o, fer_str id, bool json, bool first)
{
    if (json) fer_out_text(o, first ? "\n" : ",\n");
    if (json) fer_out_json(o, id);
    else fer_out_clean(o, id);
    if (!json) fer_out_text(o, "\n");
}

static fer_code list_held(fer_shelf *s, fer_err *err)
{
    fer_page page = {.size = FER_PAGE_MAX};
    bool json = fer_app_option(s->app, "json") != NULL, first = true;
    fer_out *o = &s->app->out;
    if (json) fer_out_text(o, "{\"quarantined\":[");
    do {
        fer_str *list;
        size_t count;
        fer_code code =
            fer_view_quarantined(s->arena, s->view, &page, &list, &count, &page.token, err);
        if (code) return code;
        for (size_t i = 0; i < count; i++, first = false) write_held(o, list[i], json, first);
    } while (page.token.len);
    if (json) fer_out_text(o, first ? "]}\n" : "\n]}\n");
    else if (first) fer_app_say(s->app, "nothing is held back");
    return FER_OK;
}

static fer_code show_held(fer_shelf *s, fer_str id, fer_err *err)
{
    fer_str text;
    fer_code code = fer_view_pending(s->arena, s->view, id, &text, err);
    if (code) return code;
    fer_out_add(&s->app->out, text);
    fer_out_text(&s->app->out, "\n");
    return FER_OK;
}

int fer_run_catalog_quarantine(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    int bad = fer_shelf_init(&s, app, &(fer_shelf_options){.file = true, .find = fer_catalog_find});
    if (bad) return bad;
    fer_code code = app->arg_count ? FER_OK : list_held(&s, &err);
    for (size_t i = 0; i < app->arg_count && !code; i++)
        code = show_held(&s, fer_str_of(app->args[i]), &err);
    if (code) bad = fer_app_fail(app, &err);
    fer_shelf_deinit(&s);
    return bad;
}

typedef fer_code decision(fer_batch *b, fer_str id, fer_err *err);

static fer_code decide(fer_shelf *s, decision *add, fer_err *err)
{
    size_t count;
    fer_batch *b = fer_batch_new();
    fer_code code = b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < s->app->arg_count && !code; i++)
        code = add(b, fer_str_of(s->app->args[i]), err);
    if (!code) code = fer_catalog_apply(s->catalog, b, err);
    if (!code) code = save(s, err);
    if (!code) fer_shelf_renew(s);
    const fer_event *list = code ? NULL : fer_batch_outcomes(b, &count);
    for (size_t i = 0; list && i < count; i++) write_event(&s->app->out, &list[i], false, false);
    if (!code) fer_shelf_tell_vectors(s);
    fer_batch_free(b);
    return code;
}

static int run_decision(fer_app *app, decision *add)
{
    fer_shelf s;
    fer_err err;
    if (!app->arg_count)
        return fer_app_usage(app,
                             "%s needs the IDs of tools; 'ferrule catalog quarantine' lists "
                             "them",
                             app->command->name);
    int bad = open_catalog(&s, app, FER_QUARANTINE_NONE);
    if (bad) return bad;
    if (decide(&s, add, &err)) bad = fer_app_fail(app, &err);
    fer_shelf_deinit(&s);
    return bad;
}

int fer_run_catalog_approve(fer_app *app)
{
    return run_decision(app, fer_batch_approve);
}

int fer_run_catalog_reject(fer_app *app)
{
    return run_decision(app, fer_batch_reject);
}

/* ---- updates -----------------------------------------------------------------------------------
 */

static fer_quarantine quarantine_of(const fer_app *app)
{
    const char *name = fer_app_option(app, "quarantine");
    unsigned q = FER_QUARANTINE_NONE;
    while (name && !fer_str_is(fer_str_of(name), fer_quarantine_names[q])) q++;
    return (fer_quarantine)q;
}

/* How many things have changed; those of them that are held back are counted in `*held`. */
static size_t write_outcomes(fer_shelf *s, const fer_batch *b, size_t *held)
{
    size_t count, changed = 0;
    const fer_event *list = fer_batch_outcomes(b, &count);
    for (size_t i = 0; i < count; i++) {
        if (list[i].kind >= FER_EVENT_UNCHANGED) continue;
        changed++;
        *held += list[i].kind == FER_EVENT_QUARANTINED;
        if (!fer_app_option(s->app, "quiet")) write_event(&s->app->out, &list[i], false, false);
    }
    return changed;
}

static void write_changes(fer_shelf *s, const fer_batch *b, const fer_batch *removed)
{
    size_t held = 0, changed = write_outcomes(s, b, &held);
    if (removed) changed += write_outcomes(s, removed, &held);
    if (!changed) fer_app_say(s->app, "nothing has changed");
    if (held)
        fer_app_say(s->app,
                    "%zu held back; 'ferrule catalog approve ID' serves a definition, "
                    "'ferrule catalog reject ID' turns it down",
                    held);
}

/* The IDs that the files named, with or without a change. */
static fer_code named_of(fer_shelf *s, const fer_batch *b, fer_map *named, fer_err *err)
{
    size_t count;
    const fer_event *list = fer_batch_outcomes(b, &count);
    fer_map_init(named, s->arena);
    for (size_t i = 0; i < count; i++) {
        void **place = list[i].id.len ? fer_map_put(named, list[i].id) : NULL;
        if (place) *place = named;
        else if (list[i].id.len) return fer_arena_failed(s->arena, err);
    }
    return FER_OK;
}

static fer_code forget_others(fer_shelf *s, const fer_map *named, fer_batch *b, fer_err *err)
{
    fer_page page = {.size = FER_PAGE_MAX};
    do {
        fer_summary *list;
        size_t count;
        fer_code code =
            fer_view_list(s->arena, s->view, NULL, &page, &list, &count, &page.token, err);
        for (size_t i = 0; i < count && !code; i++) {
            if (!fer_map_get(named, list[i].id)) code = fer_batch_remove(b, list[i].id, err);
        }
        if (code) return code;
    } while (page.token.len);
    return fer_catalog_apply(s->catalog, b, err);
}

/* Removes what the files do not name; a file with mistakes removes nothing. */
static int prune(fer_shelf *s, const fer_batch *update, fer_batch **out)
{
    fer_map named;
    fer_err err;
    *out = NULL;
    if (!fer_app_option(s->app, "prune")) return 0;
    if (s->lost) {
        fer_app_say(s->app, "nothing is removed: the files hold definitions that were left out");
        return 0;
    }
    fer_batch *b = fer_batch_new();
    fer_code code = b ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = named_of(s, update, &named, &err);
    if (!code) code = forget_others(s, &named, b, &err);
    if (!code) *out = b;
    else fer_batch_free(b);
    return code ? fer_app_fail(s->app, &err) : 0;
}

int fer_run_catalog_update(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    fer_batch *b = NULL, *removed = NULL;
    if (!app->arg_count) return fer_app_usage(app, "catalog update needs files or folders");
    int bad = open_catalog(&s, app, quarantine_of(app));
    if (bad) return bad;
    bad = fer_shelf_update(&s, &b);
    if (!bad) bad = prune(&s, b, &removed);
    if (!bad && save(&s, &err)) bad = fer_app_fail(app, &err);
    if (!bad) write_changes(&s, b, removed);
    if (!bad) fer_shelf_renew(&s);
    if (!bad) fer_shelf_tell_vectors(&s);
    if (!bad) fer_shelf_remark(&s);
    fer_batch_free(b);
    fer_batch_free(removed);
    fer_shelf_deinit(&s);
    return bad;
}
