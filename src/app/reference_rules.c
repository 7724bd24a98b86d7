/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_rules.h"

#include "arena.h"
#include "errors.h"
#include "profile_uses.h"

#define MADE "<!-- Made by `ferrule reference`; do not edit. `make docs` makes it anew. -->\n\n"

/* Table cells: a bar would end one, and < would begin a tag. */
static void cell(fer_out *o, fer_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '|' || c == '<') fer_out_text(o, "\\");
        fer_out_add(o, fer_str_slice(text, i, i + 1));
    }
}

/* ---- rules -------------------------------------------------------------------------------- */

static void rule_profiles(fer_out *o, const fer_rule *rule, const fer_profile_use *uses,
                          size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const fer_profile_demand *d = fer_profile_use_find(&uses[i], rule);
        if (!d) continue;
        fer_out_printf(o, "%s[%.*s](profiles.md#%.*s)",
                       any ? ", " : "\nProfiles: ", FER_PRI(uses[i].about.name),
                       FER_PRI(uses[i].about.name));
        if (d->severity != rule->severity)
            fer_out_printf(o, " (%s)", fer_severity_name(d->severity));
        any = true;
    }
    if (any) fer_out_text(o, ".\n");
}

static fer_code write_rules(fer_out *o, fer_arena *a, fer_err *err)
{
    fer_profile_use *uses;
    size_t count;
    fer_code code = fer_profile_uses(a, &uses, &count, err);
    if (code) return code;
    fer_out_text(
        o,
        "# Rules\n\n" MADE
        "What `ferrule check` looks for. `ferrule explain RULE` prints one of them. A rule that profiles are named\n"
        "for is looked at where one of them is asked for (`--profile`). `--severity RULE=error|warning|info|off` and\n"
        "`rules` in a configuration change how grave a rule is; `suppress` in a tool takes findings back.\n\n"
        "| rule | severity | demands |\n|---|---|---|\n");
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        fer_out_printf(o, "| [%s](#%s) | %s | ", r->id, r->id, fer_severity_name(r->severity));
        cell(o, fer_str_of(r->text));
        fer_out_text(o, " |\n");
    }
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        fer_out_printf(o, "\n<a id=\"%s\"></a>\n## %s\n\n%s, `%s`. %s\n\nWhy: %s\n\nFix: %s\n",
                       r->id, r->id, fer_severity_name(r->severity), fer_code_info(r->code)->name,
                       r->text, r->why, r->fix);
        rule_profiles(o, r, uses, count);
    }
    return FER_OK;
}

/* ---- profiles ------------------------------------------------------------------------------ */

static void line(fer_out *o, const char *head, const fer_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fer_out_text(o, i ? "; " : head);
        cell(o, list[i]);
    }
    if (count) fer_out_text(o, ".\n");
}

static void write_profile(fer_out *o, const fer_profile_use *use)
{
    const fer_profile_info *p = &use->about;
    fer_out_printf(
        o, "\n<a id=\"%.*s\"></a>\n## %.*s\n\n%.*s. %.*s, %.*s; as of %.*s; confidence %.*s.\n",
        FER_PRI(p->name), FER_PRI(p->name), FER_PRI(p->title), FER_PRI(p->provider),
        FER_PRI(p->mode), FER_PRI(p->date), FER_PRI(p->confidence));
    line(o, "Also called ", p->aliases, p->alias_count);
    line(o, "Extends ", &p->extends, p->extends.len > 0);
    line(o, "Sources: ", p->sources, p->source_count);
    line(o, "Notes: ", p->notes, p->note_count);
    fer_out_text(
        o,
        "\n| rule | severity | confidence | limit | the provider says | note |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < use->count; i++) {
        const fer_profile_demand *d = &use->demands[i];
        fer_out_printf(o, "| [%s](rules.md#%s) | %s | %s | ", d->rule->id, d->rule->id,
                       fer_severity_name(d->severity), d->confidence);
        cell(o, d->limit);
        fer_out_text(o, " | ");
        cell(o, d->provider_text);
        fer_out_text(o, " | ");
        cell(o, d->note);
        fer_out_text(o, " |\n");
    }
}

static fer_code write_profiles(fer_out *o, fer_arena *a, fer_err *err)
{
    fer_profile_use *uses;
    size_t count;
    fer_code code = fer_profile_uses(a, &uses, &count, err);
    if (code) return code;
    fer_out_text(
        o,
        "# Profiles\n\n" MADE
        "What providers, clients and protocols demand of tools, as dated data (`ferrule profiles`,\n"
        "`ferrule check --profile NAME`). [How to use them and write your own](../check.md).\n\n"
        "| profile | date | confidence | provider | mode | rules |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const fer_profile_info *p = &uses[i].about;
        fer_out_printf(o, "| [%.*s](#%.*s) | %.*s | %.*s | %.*s | %.*s | %zu |\n", FER_PRI(p->name),
                       FER_PRI(p->name), FER_PRI(p->date), FER_PRI(p->confidence),
                       FER_PRI(p->provider), FER_PRI(p->mode), uses[i].count);
    }
    for (size_t i = 0; i < count; i++) write_profile(o, &uses[i]);
    return FER_OK;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int with_arena(fer_app *app, fer_code (*page)(fer_out *o, fer_arena *a, fer_err *err))
{
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    fer_code code =
        a ? page(&app->out, a, &err) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    fer_arena_free(a);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}

int fer_reference_rules(fer_app *app)
{
    return with_arena(app, write_rules);
}

int fer_reference_profiles(fer_app *app)
{
    return with_arena(app, write_profiles);
}
