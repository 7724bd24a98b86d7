/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings that a tool takes back: "suppress": [{"rule", "at", "profile", "reason"}] in the
 * record, or under _meta.ferrule. One without a reason, of an unknown rule, or that takes
 * nothing back is a finding itself, so that they do not pile up.
 */
#include "checks.h"
#include "json_value.h"
#include "near.h"
#include "profile.h"
#include "unicode.h"

struct suppression {
    const yyjson_val *value;
    fer_str rule, at, profile;
    const fer_rule *found;
    bool used;
};

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_val_get(object, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
}

/* Whether the place is `at` or below it. */
static bool is_below(fer_str pointer, fer_str at)
{
    if (pointer.len < at.len || (at.len && memcmp(pointer.ptr, at.ptr, at.len) != 0)) return false;
    return pointer.len == at.len || pointer.ptr[at.len] == '/';
}

static bool covers(const struct suppression *s, const fer_finding *f)
{
    return f->rule == s->found && is_below(f->tool_pointer, s->at);
}

/* The profiles of a draft that it is taken back for. */
static uint64_t covered_profiles(const struct suppression *s, const fer_drafts *d,
                                 const struct fer_draft *draft)
{
    uint64_t mask = 0;
    FER_EACH_PROFILE(draft->profiles, i)
    {
        if (!s->profile.ptr || fer_str_eq(s->profile, d->plan->profiles[i]->name))
            mask |= (uint64_t)1 << i;
    }
    return mask;
}

/* Takes a draft back, or a part of its profiles; says how many findings these are. */
static size_t cover(struct suppression *list, size_t count, const fer_drafts *d,
                    struct fer_draft *draft, bool *whole)
{
    uint64_t gone = 0;
    *whole = false;
    for (size_t s = 0; s < count; s++) {
        if (!covers(&list[s], &draft->finding)) continue;
        uint64_t mask = covered_profiles(&list[s], d, draft);
        bool plain = !draft->profiles && !list[s].profile.len;
        list[s].used = list[s].used || mask || plain;
        *whole = *whole || plain;
        gone |= mask;
    }
    *whole = *whole || (gone && gone == draft->profiles);
    size_t findings = draft->profiles ? (size_t)__builtin_popcountll(gone) : *whole;
    draft->profiles &= ~gone;
    return findings;
}

static void unknown_rule(const fer_pass_tool *p, const struct suppression *s, const fer_path *here)
{
    fer_near near;
    fer_str rule = fer_utf8_cut(s->rule, 100);
    fer_near_init(&near, s->rule);
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r))
        fer_near_try(&near, fer_str_of(r->id));
    fer_drafts_add(p->drafts, FER_RULE_SUPPRESS_UNKNOWN, s->value, here,
                   "there is no rule \"%.*s\"", FER_PRI(rule));
    if (near.best.ptr) fer_drafts_hint(p->drafts, "did you mean \"%.*s\"?", FER_PRI(near.best));
}

/* Whether the rule was looked at in this run, so that a suppression of it could be of use. */
static bool is_looked_at(const fer_pass_tool *p, const fer_rule *rule)
{
    if (fer_checks_severity_of(p->run->checks, rule, rule->severity) == FER_SEVERITY_OFF)
        return false;
    if (fer_rule_table_of(rule) != FER_RULES_OF_PROFILES) return true;
    const fer_plan *plan = p->run->checks ? p->run->checks->plan : NULL;
    const struct fer_profile_rule *row = (const struct fer_profile_rule *)(const void *)rule;
    return plan && plan->on[row - fer_profile_rules];
}

static void check_one(const fer_pass_tool *p, const struct suppression *s, const fer_path *here)
{
    if (!s->found) {
        unknown_rule(p, s, here);
        return;
    }
    if (!text_of(s->value, "reason").len)
        fer_drafts_add(p->drafts, FER_RULE_SUPPRESS_REASON, s->value, here,
                       "the suppression of %s gives no reason", s->found->id);
    if (!s->used && !s->profile.ptr && is_looked_at(p, s->found))
        fer_drafts_add(p->drafts, FER_RULE_SUPPRESS_UNUSED, s->value, here,
                       "there is no finding of %s to suppress here", s->found->id);
}

/* Findings that are not covered move up; what is covered is counted. */
static void take_back(const fer_pass_tool *p, struct suppression *list, size_t count)
{
    fer_drafts *d = p->drafts;
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        bool whole;
        p->run->suppressed += cover(list, count, d, &d->list[i], &whole);
        if (!whole) d->list[kept++] = d->list[i];
    }
    d->count = kept;
}

void fer_suppress(const fer_pass_tool *p)
{
    const yyjson_val *value = p->tool->values[FER_FIELD_SUPPRESS];
    size_t count = 0, index = 0;
    if (!value || p->drafts->no_memory) return;
    struct suppression *list = fer_arena_alloc_zero(p->scratch, fer_val_len(value), sizeof *list);
    if (!list) {
        p->drafts->no_memory = true;
        return;
    }
    FER_EACH_ITEM (value, item) {
        fer_str rule = text_of(item, "rule");
        if (!rule.ptr) continue; /* the field's own row has said so */
        list[count++] = (struct suppression){
            item, rule, text_of(item, "at"), text_of(item, "profile"), fer_rule_find(rule), false};
    }
    take_back(p, list, count);
    bool direct = value > p->item->record && fer_val_get(p->item->record, "suppress") == value;
    fer_path meta = FER_PATH_KEY(p->path, FER_STR("_meta")),
             own = FER_PATH_KEY(&meta, FER_STR("ferrule")),
             up = FER_PATH_KEY(direct ? p->path : &own, FER_STR("suppress"));
    for (size_t s = 0; s < count; s++) {
        const yyjson_val *item = value + 1;
        for (index = 0; item != list[s].value; index++) item = fer_val_next(item);
        fer_path here = FER_PATH_INDEX(&up, index);
        check_one(p, &list[s], &here);
    }
}
