/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include <stdarg.h>

#include "errors.h"
#include "profile.h"
#include "profile_pass.h"

/* In the order of enum fer_pass_id. */
static const fer_pass *const passes[FER_PASS_COUNT + 1] = {
    [FER_PASS_PROFILES] = &fer_profiles_pass,
    [FER_PASS_QUALITY] = &fer_pass_quality,
    [FER_PASS_LOCK] = &fer_pass_lock,
};

/* ---- what is wanted --------------------------------------------------------------- */

fer_checks *fer_checks_new(void)
{
    fer_arena *arena = fer_arena_new(0);
    fer_checks *c = arena ? fer_arena_alloc_zero(arena, 1, sizeof *c) : NULL;
    if (!c) {
        fer_arena_free(arena);
        return NULL;
    }
    c->arena = arena;
    fer_map_init(&c->severities, arena);
    return c;
}

void fer_checks_free(fer_checks *c)
{
    if (c) fer_arena_free(c->arena);
}

fer_code fer_checks_severity(fer_checks *c, fer_str rule, fer_severity severity, fer_err *err)
{
    const fer_rule *r = fer_rule_find(rule);
    if (!r)
        return fer_fail(err, FER_BAD_USAGE, "there is no rule '%.*s'",
                        FER_PRI(fer_str_head(rule, 100)));
    fer_severity *kept = fer_arena_alloc(c->arena, sizeof *kept);
    void **slot = kept ? fer_map_put(&c->severities, fer_str_of(r->id)) : NULL;
    if (!slot) return fer_arena_failed(c->arena, err);
    *kept = severity;
    *slot = kept;
    return FER_OK;
}

fer_severity fer_checks_severity_of(const fer_checks *checks, const fer_rule *rule,
                                    fer_severity own)
{
    const fer_severity *said = NULL;
    if (checks && checks->severities.count)
        said = fer_map_get(&checks->severities, fer_str_of(rule->id));
    return said ? *said : own;
}

void fer_checks_quality(fer_checks *c, bool wanted)
{
    c->no_quality = !wanted;
}

/* ---- a run ------------------------------------------------------------------------- */

bool fer_check_run_init(fer_check_run *run, fer_arena *a, const fer_checks *checks)
{
    *run = (fer_check_run){.checks = checks, .arena = a, .set = fer_arena_new(0)};
    fer_map_init(&run->ids, a);
    return run->set != NULL;
}

void fer_check_run_deinit(fer_check_run *run)
{
    fer_arena_free(run->set);
    run->set = NULL;
}

/* Findings get the severity that was set for their rule; those that are off are not counted. */
static void set_severities(const fer_pass_tool *p)
{
    fer_drafts *d = p->drafts;
    const fer_checks *checks = p->run->checks;
    for (size_t i = 0; checks && checks->severities.count && i < d->count; i++) {
        const fer_severity *said =
            fer_map_get(&checks->severities, fer_str_of(d->list[i].finding.rule->id));
        if (!said) continue;
        d->list[i].finding.severity = *said;
        d->list[i].graded = true;
    }
}

static bool is_wanted(const fer_pass *pass, const fer_check_run *run)
{
    return !pass->wanted || pass->wanted(run->checks);
}

void fer_check_run_tool(const fer_pass_tool *p)
{
    /* Findings about a set live here until the next one has a tool. */
    if (p->run->tools++ == 0) {
        fer_arena_reset(p->run->set);
        memset(p->run->states, 0, sizeof p->run->states);
    }
    for (size_t i = 0; passes[i]; i++) {
        fer_pass_tool own = *p;
        own.state = &p->run->states[i];
        if (passes[i]->tool && is_wanted(passes[i], p->run)) passes[i]->tool(&own);
    }
    fer_suppress(p);
    set_severities(p);
}

fer_code fer_run_end_set(fer_check_run *run, fer_finding **out, size_t *count, fer_err *err)
{
    fer_pass_set p = {.run = run};
    size_t kept = 0;
    for (size_t i = 0; run->tools && passes[i]; i++) {
        p.state = run->states[i];
        if (passes[i]->set && is_wanted(passes[i], run)) passes[i]->set(&p);
    }
    run->tools = 0;
    if (p.no_memory) return fer_arena_failed(run->set, err);
    for (size_t i = 0; i < p.count; i++) {
        fer_finding *f = &p.list[i];
        f->severity = fer_checks_severity_of(run->checks, f->rule, f->severity);
        if (f->severity != FER_SEVERITY_OFF) p.list[kept++] = p.list[i];
    }
    *out = p.list;
    *count = kept;
    return FER_OK;
}

bool fer_run_takes_mixed(const fer_check_run *run)
{
    const fer_plan *plan = run && run->checks ? run->checks->plan : NULL;
    return plan && plan->on[FER_PR_TOOLSET_MIXED_KEYS];
}

/* ---- places that stay ---------------------------------------------------------------- */

bool fer_pass_mark(const fer_pass_tool *p, const yyjson_val *at, fer_mark *out)
{
    fer_buf inside;
    fer_buf_init(&inside, p->run->set, (size_t)64 << 10);
    fer_pointer_of(&inside, p->item->record, at);
    if (inside.failure) return false;
    size_t offset = p->item->base + fer_json_offset(p->item->doc, at);
    fer_str pointer = inside.ptr ? fer_buf_view(&inside) : FER_STR("");
    *out = (fer_mark){
        .source = p->source,
        .tool = fer_arena_copy(p->run->set, p->tool->id),
        .pointer = fer_arena_printf(p->run->set, "%.*s%.*s%.*s", FER_PRI(p->item->prefix),
                                    FER_PRI(p->item->inside), FER_PRI(pointer)),
        .tool_pointer = pointer,
        .place = fer_lines_place(&p->reader->lines, offset),
        .length = fer_json_token_len(p->reader->text, offset),
        .number = p->item->number,
    };
    return out->tool.ptr && out->pointer.ptr;
}

fer_finding *fer_pass_report(fer_pass_set *p, const fer_rule *rule, const fer_mark *at,
                             const char *format, ...)
{
    va_list args;
    char text[FER_ERR_TEXT] = "";
    fer_finding *list =
        p->no_memory ? NULL : fer_arena_room(p->run->set, p->list, p->count, &p->cap, sizeof *list);
    va_start(args, format);
    fer_str message = fer_arena_copy(
        p->run->set, (fer_str){text, fer_format_text(text, sizeof text, format, args)});
    va_end(args);
    if (list) p->list = list;
    if (!list || !message.ptr) {
        p->no_memory = true;
        return NULL;
    }
    fer_finding *f = &p->list[p->count++];
    *f = (fer_finding){.rule = rule,
                       .severity = rule->severity,
                       .source = at->source,
                       .place = at->place,
                       .length = at->length,
                       .number = at->number,
                       .tool = at->tool,
                       .pointer = at->pointer,
                       .tool_pointer = at->tool_pointer,
                       .message = message};
    return f;
}
