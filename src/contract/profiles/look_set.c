/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What profiles demand of a whole set: budgets and names. Of each tool only numbers and its
 * name are kept; where a budget is first exceeded the place is marked, and told of at the
 * end, when the sum is known.
 */
#include "json_value.h"
#include "look.h"
#include "unicode.h"

/* A sum over the set and the rule that bounds it. */
enum budget {
    BUDGET_COUNT,
    BUDGET_STRICT,
    BUDGET_SIZE,
    BUDGET_OPTIONAL,
    BUDGET_UNION,
    BUDGET_FIELDS,
    BUDGETS
};

static const struct {
    enum fer_profile_rule_id rule;
    const char *before, *behind; /* "before SUM behind, and at most LIMIT are allowed" */
} budgets[BUDGETS] = {
    [BUDGET_COUNT] = {FER_PR_TOOLSET_COUNT, "there are", "tools"},
    [BUDGET_STRICT] = {FER_PR_LIMIT_STRICT_TOOLS, "there are", "strict tools"},
    [BUDGET_SIZE] = {FER_PR_TOOLSET_SIZE, "the minified tools have", "characters"},
    [BUDGET_OPTIONAL] = {FER_PR_LIMIT_OPTIONAL, "the tools have", "optional parameters"},
    [BUDGET_UNION] = {FER_PR_LIMIT_UNION, "the tools have", "parameters of several types"},
    [BUDGET_FIELDS] = {FER_PR_LIMIT_FIELDS, "the tools have", "fields"},
};

/* A budget that a profile's set has passed, and where. */
struct passed {
    bool yes;
    fer_mark at;
};

struct state {
    uint64_t sums[BUDGETS];
    struct passed (*passed)[FER_PROFILES_MAX]; /* by budget; NULL until one is */
    fer_map names;
    fer_map rewritten; /* names as clients would send them */
    fer_str key;       /* where the first tool has its schema */
};

/* ---- one tool -------------------------------------------------------------------------- */

static struct state *state_of(fer_look *l)
{
    struct state *s = *l->pass->state;
    if (s) return s;
    s = fer_arena_alloc_zero(l->pass->run->set, 1, sizeof *s);
    if (!s) {
        l->pass->drafts->no_memory = true;
        return NULL;
    }
    fer_map_init(&s->names, l->pass->run->set);
    fer_map_init(&s->rewritten, l->pass->run->set);
    *l->pass->state = s;
    return s;
}

/* Notes a key with the number of the tool; gives the number of the first that had it, or 0. */
static size_t note(fer_look *l, fer_map *map, fer_str key)
{
    fer_arena *a = l->pass->run->set;
    const size_t *before = fer_map_get(map, key);
    if (before) return *before;
    fer_str kept = fer_arena_copy(a, key);
    size_t *number = fer_arena_alloc(a, sizeof *number);
    void **slot = kept.ptr && number ? fer_map_put(map, kept) : NULL;
    if (!slot) {
        l->pass->drafts->no_memory = true;
        return 0;
    }
    *number = l->pass->item->number;
    *slot = number;
    return 0;
}

static void name_is_new(fer_look *l, struct state *s, const yyjson_val *name, const fer_path *path)
{
    size_t before = note(l, &s->names, fer_val_str(name));
    if (before)
        fer_look_report(l, FER_PR_TOOLSET_DUPLICATE, l->plan->on[FER_PR_TOOLSET_DUPLICATE], name,
                        path, "tool %zu has the name \"%.*s\", too", before,
                        FER_PRI(fer_utf8_cut(fer_val_str(name), 100)));
}

/* Two names that clients would make the same; the same names are another matter. */
static void name_stays_new(fer_look *l, struct state *s, const yyjson_val *name,
                           const fer_path *path)
{
    uint64_t mask = l->plan->on[FER_PR_REWRITE_NAME_COLLISION];
    fer_str own = fer_val_str(name);
    char *text = mask ? fer_arena_alloc(l->pass->scratch, own.len + 1) : NULL;
    if (!mask) return;
    if (!text) {
        l->pass->drafts->no_memory = true;
        return;
    }
    bool changed = false;
    const fer_chars *chars =
        &fer_look_row(l, (size_t)__builtin_ctzll(mask), FER_PR_REWRITE_NAME_COLLISION)->chars;
    for (size_t i = 0; i < own.len; i++) {
        bool good = fer_chars_have(chars, (unsigned char)own.ptr[i]);
        text[i] = good ? own.ptr[i] : '_';
        changed = changed || !good;
    }
    fer_str sent = {text, own.len};
    size_t before = note(l, &s->rewritten, sent);
    const size_t *same = changed ? NULL : fer_map_get(&s->names, own);
    bool twice = !changed && same && before && *same == before;
    if (before && !twice && before != l->pass->item->number)
        fer_look_report(
            l, FER_PR_REWRITE_NAME_COLLISION, mask, name, path,
            "tool %zu and this one both become \"%.*s\" when their names are made to fit", before,
            FER_PRI(fer_utf8_cut(sent, 100)));
}

/* All schemas stand under the same key. */
static void key_is_the_same(fer_look *l, struct state *s)
{
    uint64_t mask = l->plan->on[FER_PR_TOOLSET_MIXED_KEYS];
    const yyjson_val *record = l->pass->tool->record,
                     *key = fer_val_key(record, FER_STR("input_schema"));
    if (!mask) return;
    if (!key) key = fer_val_key(record, FER_STR("parameters"));
    if (!key) return;
    if (!s->key.ptr)
        s->key = fer_val_len(key) == 12 ? FER_STR("input_schema") : FER_STR("parameters");
    fer_path here = FER_PATH_KEY(l->pass->path, fer_val_str(key));
    if (!fer_str_eq(s->key, fer_val_str(key)))
        fer_look_report(l, FER_PR_TOOLSET_MIXED_KEYS, mask, key, &here,
                        "the first tool has its schema under %.*s", FER_PRI(s->key));
}

/* The characters of the definition as it is sent: as it is, or its parts under the usual keys. */
static uint64_t characters_of(fer_look *l)
{
    static const uint64_t frames[] = {sizeof "\"name\":" - 1, sizeof ",\"description\":" - 1,
                                      sizeof ",\"input_schema\":" - 1};
    const fer_tool *t = l->pass->tool;
    const yyjson_val *parts[] = {t->values[FER_FIELD_NAME], t->values[FER_FIELD_DESCRIPTION],
                                 l->schema};
    uint64_t sum = 2;
    if (t->shape == FER_SHAPE_ANTHROPIC || t->shape == FER_SHAPE_FUNCTION)
        return fer_json_size_of(t->record).characters;
    for (size_t i = 0; i < FER_COUNT(parts); i++) {
        if (!parts[i]) continue;
        fer_json_size size = parts[i] == l->schema ? fer_look_size(l) : fer_json_size_of(parts[i]);
        sum += size.characters + frames[i];
    }
    return sum;
}

static void add_up(fer_look *l, struct state *s)
{
    s->sums[BUDGET_COUNT]++;
    s->sums[BUDGET_STRICT]++;
    s->sums[BUDGET_OPTIONAL] += l->facts.optional;
    s->sums[BUDGET_UNION] += l->facts.unions;
    s->sums[BUDGET_FIELDS] += l->facts.properties;
    if (l->plan->on[FER_PR_TOOLSET_SIZE])
        s->sums[BUDGET_SIZE] += characters_of(l) + (s->sums[BUDGET_SIZE] ? 1 : 2);
}

static void mark_passed(fer_look *l, struct state *s, enum budget b, size_t profile)
{
    if (!s->passed) s->passed = fer_arena_alloc_zero(l->pass->run->set, BUDGETS, sizeof *s->passed);
    if (!s->passed) {
        l->pass->drafts->no_memory = true;
        return;
    }
    struct passed *p = &s->passed[b][profile];
    if (p->yes) return;
    p->yes = true;
    if (!fer_pass_mark(l->pass, l->pass->tool->record, &p->at)) l->pass->drafts->no_memory = true;
}

void fer_look_set(fer_look *l)
{
    struct state *s = state_of(l);
    const yyjson_val *name = l->pass->tool->values[FER_FIELD_NAME];
    fer_path here = FER_PATH_KEY(l->pass->path, FER_STR("name"));
    if (!s) return;
    if (name) {
        name_is_new(l, s, name, &here);
        name_stays_new(l, s, name, &here);
    }
    key_is_the_same(l, s);
    add_up(l, s);
    for (size_t b = 0; b < BUDGETS; b++) {
        FER_EACH_PROFILE(l->plan->on[budgets[b].rule], i)
        {
            if (s->sums[b] > fer_look_row(l, i, budgets[b].rule)->max)
                mark_passed(l, s, (enum budget)b, i);
        }
    }
}

/* ---- the end ----------------------------------------------------------------------------- */

static void report_passed(fer_pass_set *p, const struct state *s, size_t b, size_t profile)
{
    const fer_profile *of = p->run->checks->plan->profiles[profile];
    const struct fer_profile_row *row = &of->rows[budgets[b].rule];
    fer_finding *f = fer_pass_report(
        p, fer_profile_rule_of(budgets[b].rule), &s->passed[b][profile].at,
        "%s %llu %s, and at most %llu are allowed", budgets[b].before,
        (unsigned long long)s->sums[b], budgets[b].behind, (unsigned long long)row->max);
    if (!f) return;
    f->severity = row->severity;
    f->profile = of->name;
    f->provider_text = row->says;
    f->limit = fer_digits_text(p->run->set, row->max);
    f->actual = fer_digits_text(p->run->set, s->sums[b]);
    p->no_memory = !f->limit.ptr || !f->actual.ptr;
}

void fer_look_set_end(fer_pass_set *p)
{
    const struct state *s = p->state;
    if (!s || !s->passed) return;
    for (size_t b = 0; b < BUDGETS; b++) {
        for (size_t i = 0; i < p->run->checks->plan->count; i++) {
            if (s->passed[b][i].yes) report_passed(p, s, b, i);
        }
    }
}
