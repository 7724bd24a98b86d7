/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule profiles and ferrule profiles show: a table on a terminal, lines with tabs, or JSON. */
#include "check_setup.h"
#include "errors.h"
#include "pages.h"

/* ---- all ------------------------------------------------------------------------------ */

static void member(fer_out *o, const char *key, fer_str value, bool first)
{
    fer_out_printf(o, "%s\"%s\":", first ? "{" : ",", key);
    fer_out_json(o, value);
}

static void list_member(fer_out *o, const char *key, const fer_str *list, size_t count)
{
    fer_out_printf(o, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        if (i) fer_out_text(o, ",");
        fer_out_json(o, list[i]);
    }
    fer_out_text(o, "]");
}

static void json_head(fer_out *o, const fer_profile_info *p)
{
    member(o, "name", p->canonical, true);
    list_member(o, "aliases", p->aliases, p->alias_count);
    member(o, "title", p->title, false);
    member(o, "provider", p->provider, false);
    member(o, "mode", p->mode, false);
    member(o, "date", p->date, false);
    member(o, "confidence", p->confidence, false);
    if (p->extends.len) member(o, "extends", p->extends, false);
    list_member(o, "sources", p->sources, p->source_count);
    list_member(o, "notes", p->notes, p->note_count);
}

static fer_code list_all(fer_app *app, fer_arena *a, fer_err *err)
{
    static const char *const heads[] = {"NAME", "DATE", "CONFIDENCE", "PROVIDER", "MODE", "TITLE"};
    bool json = fer_app_option(app, "json") != NULL;
    const fer_sheet sheet = {.out = &app->out};
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads)};
    t.rows = fer_arena_alloc_zero(a, fer_profile_count(), sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < fer_profile_count(); i++) {
        const fer_profile *profile = NULL;
        fer_code code = fer_profile_find(a, fer_str_of(fer_profile_name_at(i)), &profile, err);
        if (code) return code;
        fer_profile_info p = fer_profile_about(profile);
        const fer_str row[FER_SHEET_COLUMNS] = {p.name,     p.date, p.confidence,
                                                p.provider, p.mode, p.title};
        memcpy(t.rows[t.count++], row, sizeof row);
        if (!json) continue;
        fer_out_text(&app->out, i ? ",\n" : "[\n");
        json_head(&app->out, &p);
        fer_out_text(&app->out, "}");
    }
    if (json) fer_out_text(&app->out, "\n]\n");
    else fer_sheet_table_write(&sheet, &t);
    return FER_OK;
}

/* ---- one ------------------------------------------------------------------------------- */

static void json_demands(fer_out *o, const fer_profile_demand *list, size_t count)
{
    fer_out_text(o, ",\"rules\":[");
    for (size_t i = 0; i < count; i++) {
        fer_out_text(o, i ? ",\n" : "\n");
        member(o, "rule", fer_str_of(list[i].rule->id), true);
        member(o, "severity", fer_str_of(fer_severity_name(list[i].severity)), false);
        member(o, "confidence", fer_str_of(list[i].confidence), false);
        if (list[i].limit.len) member(o, "limit", list[i].limit, false);
        if (list[i].provider_text.len) member(o, "providerText", list[i].provider_text, false);
        if (list[i].note.len) member(o, "note", list[i].note, false);
        fer_out_text(o, "}");
    }
    fer_out_text(o, "]}\n");
}

static fer_code show(fer_app *app, fer_arena *a, const char *name, fer_err *err)
{
    const fer_sheet sheet = {.out = &app->out};
    const fer_profile *profile = NULL;
    fer_profile_demand *list;
    size_t count;
    fer_code code = fer_setup_profile(a, name, &profile, err);
    if (code) return code;
    if (!fer_app_option(app, "json")) return fer_page_profile(&sheet, a, profile, err);
    code = fer_profile_demands(a, profile, &list, &count, err);
    if (code) return code;
    fer_profile_info p = fer_profile_about(profile);
    json_head(&app->out, &p);
    json_demands(&app->out, list, count);
    return FER_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

static int with_arena(fer_app *app, const char *name)
{
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    fer_code code = !a     ? fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory")
                    : name ? show(app, a, name, &err)
                           : list_all(app, a, &err);
    fer_arena_free(a);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}

int fer_run_profiles(fer_app *app)
{
    return with_arena(app, NULL);
}

int fer_run_profiles_show(fer_app *app)
{
    if (app->arg_count != 1) return fer_app_usage(app, "profiles show takes one name or file");
    return with_arena(app, app->args[0]);
}
