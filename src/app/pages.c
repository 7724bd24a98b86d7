/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <ferrule/schema.h>
#include <string.h>

#include "arena.h"
#include "errors.h"
#include "profile_uses.h"

/* ---- one rule ------------------------------------------------------------------------------ */

static fer_code rule_profiles(const fer_sheet *s, fer_arena *a, const fer_rule *rule, fer_err *err)
{
    static const char *const heads[] = {"PROFILE", "SEVERITY", "CONFIDENCE", "LIMIT"};
    fer_profile_use *uses;
    size_t count;
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads), .folder = "../profiles/"};
    fer_code code = fer_profile_uses(a, &uses, &count, err);
    if (code) return code;
    t.rows = fer_arena_alloc_zero(a, count + 1, sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count; i++) {
        const fer_profile_demand *d = fer_profile_use_find(&uses[i], rule);
        if (!d) continue;
        const fer_str row[FER_SHEET_COLUMNS] = {uses[i].about.name,
                                                fer_str_of(fer_severity_name(d->severity)),
                                                fer_str_of(d->confidence), d->limit};
        memcpy(t.rows[t.count++], row, sizeof row);
    }
    if (!t.count) return FER_OK;
    fer_sheet_text(s, "Profiles that have it:", FER_STR(""));
    fer_sheet_table_write(s, &t);
    return FER_OK;
}

fer_code fer_page_rule(const fer_sheet *s, fer_arena *a, const fer_rule *rule, fer_err *err)
{
    fer_str word = fer_arena_printf(a, " (%s, %s)", fer_severity_name(rule->severity),
                                    fer_code_info(rule->code)->name);
    if (!word.ptr) return fer_arena_failed(a, err);
    fer_sheet_title(s, fer_str_of(rule->id), word);
    fer_sheet_text(s, "", fer_str_of(rule->text));
    fer_sheet_text(s, "Why: ", fer_str_of(rule->why));
    fer_sheet_text(s, "Fix: ", fer_str_of(rule->fix));
    return rule_profiles(s, a, rule, err);
}

/* ---- one profile --------------------------------------------------------------------------- */

static fer_code profile_head(const fer_sheet *s, fer_arena *a, const fer_profile_info *p,
                             fer_err *err)
{
    fer_str title = fer_arena_printf(a, ": %.*s", FER_PRI(p->title));
    fer_str line =
        fer_arena_printf(a, "%.*s, %.*s; as of %.*s; confidence %.*s", FER_PRI(p->provider),
                         FER_PRI(p->mode), FER_PRI(p->date), FER_PRI(p->confidence));
    if (!title.ptr || !line.ptr) return fer_arena_failed(a, err);
    fer_sheet_title(s, p->canonical, title);
    fer_sheet_text(s, "", line);
    fer_sheet_items(s, "alias", p->aliases, p->alias_count);
    fer_sheet_items(s, "extends", &p->extends, p->extends.len > 0);
    fer_sheet_items(s, "source", p->sources, p->source_count);
    fer_sheet_items(s, "note", p->notes, p->note_count);
    bool any = p->alias_count + p->extends.len + p->source_count + p->note_count > 0;
    if (any) fer_out_text(s->out, "\n");
    return FER_OK;
}

fer_code fer_page_profile(const fer_sheet *s, fer_arena *a, const fer_profile *profile,
                          fer_err *err)
{
    static const char *const heads[] = {"RULE",  "SEVERITY",      "CONFIDENCE",
                                        "LIMIT", "PROVIDER SAYS", "NOTE"};
    fer_profile_info p = fer_profile_about(profile);
    fer_profile_demand *list;
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads), .folder = "../rules/"};
    fer_code code = fer_profile_demands(a, profile, &list, &t.count, err);
    if (code) return code;
    t.rows = fer_arena_alloc_zero(a, t.count + 1, sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < t.count; i++) {
        const fer_str row[FER_SHEET_COLUMNS] = {
            fer_str_of(list[i].rule->id),   fer_str_of(fer_severity_name(list[i].severity)),
            fer_str_of(list[i].confidence), list[i].limit,
            list[i].provider_text,          list[i].note};
        memcpy(t.rows[i], row, sizeof row);
    }
    code = profile_head(s, a, &p, err);
    if (!code) fer_sheet_table_write(s, &t);
    return code;
}

/* ---- indexes ------------------------------------------------------------------------------- */

static fer_code schema_rules(const fer_sheet *s, fer_arena *a, fer_err *err)
{
    static const char *const heads[] = {"rule", "severity", "demands", "why", "fix"};
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads)};
    const fer_schema_rule *rules = fer_schema_rules(&t.count);
    t.rows = fer_arena_alloc_zero(a, t.count, sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < t.count; i++) {
        const fer_str row[FER_SHEET_COLUMNS] = {
            fer_str_of(rules[i].id), fer_str_of(rules[i].warning ? "warning" : "error"),
            fer_str_of(rules[i].text), fer_str_of(rules[i].why), fer_str_of(rules[i].fix)};
        memcpy(t.rows[i], row, sizeof row);
    }
    fer_sheet_table_write(s, &t);
    return FER_OK;
}

static fer_code rules_index(const fer_sheet *s, fer_arena *a, fer_err *err)
{
    static const char *const heads[] = {"rule", "severity", "demands"};
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads), .folder = "rules/"};
    size_t cap = 0;
    fer_out_text(
        s->out,
        "# Rules\n\n" FER_SHEET_MADE
        "What `ferrule check` looks for, a page each; `ferrule explain RULE` prints the same. A rule that profiles\n"
        "are named for is looked at where one of them is asked for (`--profile`).\n"
        "`--severity RULE=error|warning|info|off` and `rules` in a configuration change how grave a rule is; `suppress`\n"
        "in a tool takes findings back.\n\n");
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        void *room = fer_arena_room(a, t.rows, t.count, &cap, sizeof *t.rows);
        if (!room) return fer_arena_failed(a, err);
        t.rows = room;
        const fer_str row[FER_SHEET_COLUMNS] = {
            fer_str_of(r->id), fer_str_of(fer_severity_name(r->severity)), fer_str_of(r->text)};
        memcpy(t.rows[t.count++], row, sizeof row);
    }
    fer_sheet_table_write(s, &t);
    fer_out_text(s->out,
                 "\n## Rules of schemas\n\n"
                 "What `ferrule schema lint` looks for; `ferrule explain` knows them, too.\n\n");
    return schema_rules(s, a, err);
}

static fer_code profiles_index(const fer_sheet *s, fer_arena *a, fer_err *err)
{
    static const char *const heads[] = {"profile",  "date", "confidence",
                                        "provider", "mode", "rules"};
    fer_profile_use *uses;
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads), .folder = "profiles/"};
    fer_code code = fer_profile_uses(a, &uses, &t.count, err);
    if (code) return code;
    t.rows = fer_arena_alloc_zero(a, t.count + 1, sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < t.count; i++) {
        const fer_profile_info *p = &uses[i].about;
        fer_str rules = fer_arena_printf(a, "%zu", uses[i].count);
        if (!rules.ptr) return fer_arena_failed(a, err);
        const fer_str row[FER_SHEET_COLUMNS] = {p->name,     p->date, p->confidence,
                                                p->provider, p->mode, rules};
        memcpy(t.rows[i], row, sizeof row);
    }
    fer_out_text(
        s->out,
        "# Profiles\n\n" FER_SHEET_MADE
        "What providers, clients and protocols demand of tools, as dated data, a page each; `ferrule profiles show NAME`\n"
        "prints the same. [How to use them and write your own](../check.md).\n\n");
    fer_sheet_table_write(s, &t);
    return FER_OK;
}

/* ---- by name --------------------------------------------------------------------------------- */

static fer_code one_rule(const fer_sheet *s, fer_arena *a, const char *name, fer_err *err)
{
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        if (strcmp(r->id, name) == 0) return fer_page_rule(s, a, r, err);
    }
    return fer_fail(err, FER_BAD_USAGE, "there is no rule '%s'", name);
}

static fer_code one_profile(const fer_sheet *s, fer_arena *a, const char *name, fer_err *err)
{
    const fer_profile *profile = NULL;
    fer_code code = fer_profile_find(a, fer_str_of(name), &profile, err);
    return code ? code : fer_page_profile(s, a, profile, err);
}

static int with_arena(fer_app *app, const char *name,
                      fer_code (*index)(const fer_sheet *s, fer_arena *a, fer_err *err),
                      fer_code (*one)(const fer_sheet *s, fer_arena *a, const char *name,
                                      fer_err *err))
{
    const fer_sheet sheet = {.out = &app->out, .markdown = true};
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    fer_code code = !a     ? fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory")
                    : name ? one(&sheet, a, name, &err)
                           : index(&sheet, a, &err);
    fer_arena_free(a);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}

int fer_pages_rules(fer_app *app, const char *name)
{
    return with_arena(app, name, rules_index, one_rule);
}

int fer_pages_profiles(fer_app *app, const char *name)
{
    return with_arena(app, name, profiles_index, one_profile);
}
