/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule profiles and ferrule profiles show: a table on a terminal, lines with tabs, or JSON. */
#include "check_setup.h"
#include "errors.h"
#include "unicode.h"

#define COLUMNS 6

/* Texts in columns: aligned on a terminal, separated by tabs elsewhere. */
struct table {
    fer_str (*rows)[COLUMNS];
    size_t count;
    size_t columns;
};

static void write_cell(fer_out *o, fer_str text, size_t width, bool last)
{
    size_t own = fer_unicode_width(text);
    fer_out_clean(o, text);
    if (!last) fer_out_printf(o, "%*s", (int)(width > own ? width - own + 2 : 2), "");
}

static void write_table(fer_out *o, const struct table *t, const char *const *heads)
{
    size_t widths[COLUMNS] = {0};
    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = strlen(heads[c]);
        for (size_t r = 0; r < t->count; r++) {
            size_t width = fer_unicode_width(t->rows[r][c]);
            if (width > widths[c]) widths[c] = width;
        }
    }
    if (o->terminal) fer_out_style(o, FER_STYLE_BOLD);
    for (size_t c = 0; o->terminal && c < t->columns; c++)
        write_cell(o, fer_str_of(heads[c]), widths[c], c + 1 == t->columns);
    if (o->terminal) fer_out_style(o, FER_STYLE_NONE);
    if (o->terminal) fer_out_text(o, "\n");
    for (size_t r = 0; r < t->count; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            bool last = c + 1 == t->columns;
            if (o->terminal) write_cell(o, t->rows[r][c], widths[c], last);
            else fer_out_clean(o, t->rows[r][c]);
            if (!o->terminal && !last) fer_out_text(o, "\t");
        }
        fer_out_text(o, "\n");
    }
}

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
    struct table t = {.columns = COLUMNS};
    t.rows = fer_arena_alloc_zero(a, fer_profile_count(), sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < fer_profile_count(); i++) {
        const fer_profile *profile = NULL;
        fer_code code = fer_profile_find(a, fer_str_of(fer_profile_name_at(i)), &profile, err);
        if (code) return code;
        fer_profile_info p = fer_profile_about(profile);
        const fer_str row[COLUMNS] = {p.name, p.date, p.confidence, p.provider, p.mode, p.title};
        memcpy(t.rows[t.count++], row, sizeof row);
        if (!json) continue;
        fer_out_text(&app->out, i ? ",\n" : "[\n");
        json_head(&app->out, &p);
        fer_out_text(&app->out, "}");
    }
    if (json) fer_out_text(&app->out, "\n]\n");
    else write_table(&app->out, &t, heads);
    return FER_OK;
}

/* ---- one ------------------------------------------------------------------------------- */

static void write_lines(fer_out *o, const char *head, const fer_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fer_out_printf(o, "%s ", head);
        fer_out_clean(o, list[i]);
        fer_out_text(o, "\n");
    }
}

static void write_head(fer_out *o, const fer_profile_info *p)
{
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_clean(o, p->canonical);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, ": ");
    fer_out_clean(o, p->title);
    fer_out_printf(o, "\n%.*s, %.*s; as of %.*s; confidence %.*s\n", FER_PRI(p->provider),
                   FER_PRI(p->mode), FER_PRI(p->date), FER_PRI(p->confidence));
    write_lines(o, "alias: ", p->aliases, p->alias_count);
    write_lines(o, "extends:", &p->extends, p->extends.len > 0);
    write_lines(o, "source:", p->sources, p->source_count);
    write_lines(o, "note:  ", p->notes, p->note_count);
    fer_out_text(o, "\n");
}

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
    static const char *const heads[] = {"RULE", "SEVERITY", "CONFIDENCE", "LIMIT", "PROVIDER SAYS"};
    const fer_profile *profile = NULL;
    fer_profile_demand *list;
    size_t count;
    fer_code code = fer_setup_profile(a, name, &profile, err);
    if (!code) code = fer_profile_demands(a, profile, &list, &count, err);
    if (code) return code;
    fer_profile_info p = fer_profile_about(profile);
    if (fer_app_option(app, "json")) {
        json_head(&app->out, &p);
        json_demands(&app->out, list, count);
        return FER_OK;
    }
    struct table t = {.columns = 5, .count = count};
    t.rows = fer_arena_alloc_zero(a, count + 1, sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count; i++) {
        const fer_str row[COLUMNS] = {
            fer_str_of(list[i].rule->id), fer_str_of(fer_severity_name(list[i].severity)),
            fer_str_of(list[i].confidence), list[i].limit, list[i].provider_text};
        memcpy(t.rows[i], row, sizeof row);
    }
    write_head(&app->out, &p);
    write_table(&app->out, &t, heads);
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
    if (app->arg_count)
        return fer_app_usage(app, "profiles takes no argument; did you mean 'profiles show %s'?",
                             app->args[0]);
    return with_arena(app, NULL);
}

int fer_run_profiles_show(fer_app *app)
{
    if (app->arg_count != 1) return fer_app_usage(app, "profiles show takes one name or file");
    return with_arena(app, app->args[0]);
}
