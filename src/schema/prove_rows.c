/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each keyword of the larger schema: why everything that a claim is about fits it. A
 * keyword without a row is never proved, so leaving one out is safe. One function and one
 * row to add a keyword.
 */
#include <ferrule/json.h>

#include "compile.h"
#include "json_number.h"
#include "prove.h"

/* What holds of a part of the value: alternatives are counted anew there. */
static bool prove_below(fer_prover *p, const fer_parts *a, fer_part b)
{
    size_t splits = p->splits;
    p->splits = 0;
    p->level++;
    bool proved = fer_prove(p, a, b);
    p->level--;
    p->splits = splits;
    return proved;
}

static fer_part child_of(const fer_gist_inst *i, const yyjson_val *schema)
{
    return fer_part_of(i, fer_program_node(i->part.program, schema));
}

/* Whether `larger` takes all that `smaller` takes, about the same value. */
static bool within(fer_prover *p, fer_part smaller, fer_part larger)
{
    fer_parts one = {0};
    fer_parts_add(p->m, &one, smaller);
    return fer_prove(p, &one, larger);
}

static bool empty_with(fer_prover *p, const fer_claim *c, fer_part b)
{
    fer_parts both = {0};
    fer_parts_add_all(p->m, &both, c->all);
    fer_parts_add(p->m, &both, b);
    const fer_gist *g = fer_gist_make(p->m, &both);
    return g && (!(g->types & c->type) || fer_prove_empty(p, &both, 0));
}

/* ---- any type -----------------------------------------------------------------------------------
 */

static bool row_type(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    unsigned types = fer_gist_types_of(b->inst->source);
    const struct fer_rules *rules = fer_node_resource(b->part.program, b->part.node)->rules;
    bool text = rules->bit == FER_IN_4 && !(types & FER_G_REAL);
    if (c->type == FER_G_WHOLE && text && !c->gist->whole_text) return false;
    return (types & c->type) != 0;
}

/* Few values are tried one by one before anybody asks here. */
static bool row_values(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p, (void)c, (void)b;
    return false;
}

/* `if` without `then` and `else` says nothing; asked in row_if. */
static bool row_ref(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    if (b->slot != KW_REF && b->part.program->scoped) return false;
    return fer_prove_here(p, c, fer_part_of(b, fer_inst_target(b->inst)));
}

static bool row_all(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    FER_EACH_ITEM (b->inst->source, item)
        if (!fer_prove_here(p, c, child_of(b, item))) return false;
    return true;
}

static bool row_any(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    FER_EACH_ITEM (b->inst->source, item)
        if (fer_prove_here(p, c, child_of(b, item))) return true;
    return false;
}

/* The same alternatives, in the same order: what exactly one of them takes is the same. */
static bool same_branches(fer_prover *p, const fer_gist_inst *a, const fer_gist_inst *b)
{
    const yyjson_val *mine = a->inst->source, *other = b->inst->source + 1;
    if (fer_val_len(mine) != fer_val_len(b->inst->source)) return false;
    FER_EACH_ITEM (mine, item) {
        fer_part x = child_of(a, item), y = child_of(b, other);
        if (!within(p, x, y) || !within(p, y, x)) return false;
        other = fer_val_next(other);
    }
    return true;
}

static bool row_one(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const yyjson_val *list = b->inst->source, *right = NULL;
    FER_EACH_ITEM (list, item) {
        right = fer_prove_here(p, c, child_of(b, item)) ? item : NULL;
        if (right) break;
    }
    bool alone = right != NULL;
    FER_EACH_ITEM (list, item)
        if (alone && item != right) alone = empty_with(p, c, child_of(b, item));
    for (size_t n = 0; n < c->gist->inst_count && !alone; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_ONE_OF) alone = same_branches(p, i, b);
    }
    return alone;
}

static bool row_not(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    fer_part refused = child_of(b, b->inst->source);
    if (refused.node->verdict == FER_ALWAYS) return false;
    if (empty_with(p, c, refused)) return true;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_NOT && within(p, refused, child_of(i, i->inst->source))) return true;
    }
    return false;
}

struct condition {
    fer_part test, then, otherwise; /* node NULL: there is none */
};

static struct condition condition_of(const fer_gist_inst *i)
{
    const yyjson_val *schema = i->part.node->schema;
    const yyjson_val *then = fer_val_get(schema, "then"), *other = fer_val_get(schema, "else");
    return (struct condition){child_of(i, i->inst->source),
                              then ? child_of(i, then) : (fer_part){0},
                              other ? child_of(i, other) : (fer_part){0}};
}

static bool within_if_any(fer_prover *p, fer_part smaller, fer_part larger)
{
    return !larger.node || (smaller.node && within(p, smaller, larger));
}

/* Where the condition holds, it is one more thing that holds. */
static bool then_holds(fer_prover *p, const fer_claim *c, const struct condition *d)
{
    if (!d->then.node) return true;
    fer_parts both = {0};
    fer_parts_add_all(p->m, &both, c->all);
    fer_parts_add(p->m, &both, d->test);
    const fer_gist *g = fer_gist_make(p->m, &both);
    if (!g) return false;
    fer_claim more = {&both, g, c->type};
    return !(g->types & c->type) || fer_prove_here(p, &more, d->then) ||
           fer_prove_empty(p, &both, 0);
}

static bool row_if(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    struct condition d = condition_of(b);
    if (!d.then.node && !d.otherwise.node) return true;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot != KW_IF) continue;
        struct condition mine = condition_of(i);
        if (within(p, mine.test, d.test) && within(p, d.test, mine.test) &&
            within_if_any(p, mine.then, d.then) && within_if_any(p, mine.otherwise, d.otherwise))
            return true;
    }
    if (!then_holds(p, c, &d)) return false;
    return !d.otherwise.node || fer_prove_here(p, c, d.otherwise) || fer_prove_here(p, c, d.test);
}

/* The very same keyword, with nothing in it that leads elsewhere. */
static bool row_same(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        bool equal = false;
        if (i->slot != b->slot || fer_is_ctn(b->inst->source)) continue;
        if (!fer_is_str(b->inst->source) || !fer_is_str(i->inst->source)) continue;
        if (fer_node_resource(i->part.program, i->part.node)->rules !=
            fer_node_resource(b->part.program, b->part.node)->rules)
            continue;
        equal = fer_str_eq(fer_val_str(i->inst->source), fer_val_str(b->inst->source));
        if (equal && fer_gister_spend(p->m, 1)) return true;
    }
    return false;
}

/* ---- numbers
 * -------------------------------------------------------------------------------------- */

/* The bound that an instruction of the larger schema stands for. */
static fer_gist_bound bound_of(const fer_gist_inst *b)
{
    const struct fer_rules *rules = fer_node_resource(b->part.program, b->part.node)->rules;
    bool low = b->slot == KW_MINIMUM;
    bool flag = rules->bit == FER_IN_4 &&
                fer_is_true(fer_val_get(b->part.node->schema,
                                        low ? "exclusiveMinimum" : "exclusiveMaximum"));
    bool open = b->slot == KW_EXCLUSIVE_MINIMUM || b->slot == KW_EXCLUSIVE_MAXIMUM || flag;
    return (fer_gist_bound){b->inst->source, open};
}

static bool row_low(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    fer_gist_bound need = bound_of(b);
    const fer_gist_bound *have = &c->gist->low;
    int64_t x, y;
    if (!have->value) return false;
    int order = fer_number_cmp(have->value, need.value);
    if (order > 0 || (order == 0 && (have->open || !need.open))) return true;
    return c->type == FER_G_WHOLE && fer_bound_whole(have, true, &x) &&
           fer_bound_whole(&need, true, &y) && x >= y;
}

static bool row_high(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    fer_gist_bound need = bound_of(b);
    const fer_gist_bound *have = &c->gist->high;
    int64_t x, y;
    if (!have->value) return false;
    int order = fer_number_cmp(have->value, need.value);
    if (order < 0 || (order == 0 && (have->open || !need.open))) return true;
    return c->type == FER_G_WHOLE && fer_bound_whole(have, false, &x) &&
           fer_bound_whole(&need, false, &y) && x <= y;
}

static bool row_multiple(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    static const yyjson_val one = {.tag = FER_TAG_UINT, .uni = {.u64 = 1}};
    (void)p;
    for (size_t i = 0; i < c->gist->multiple_count; i++)
        if (fer_number_multiple(c->gist->multiples[i], b->inst->source)) return true;
    return c->type == FER_G_WHOLE && fer_number_multiple(&one, b->inst->source);
}

/* ---- texts
 * ------------------------------------------------------------------------------------------ */

/* Whether no text that the claim is about has a length in this range, or misses a pattern. */
static bool no_text(fer_prover *p, const fer_claim *c, uint64_t min, uint64_t max,
                    const fer_lang *no)
{
    fer_lang_question q = {.min = min, .max = max};
    fer_str text;
    if (c->gist->min_length > q.min) q.min = c->gist->min_length;
    if (c->gist->max_length < q.max) q.max = c->gist->max_length;
    for (size_t i = 0; i < c->gist->pattern_count; i++) {
        const fer_lang *l = fer_gist_lang(p->m, fer_val_str(c->gist->patterns[i]));
        if (l) q.yes[q.yes_count++] = l; /* without one of them there are more texts, not fewer */
    }
    if (no) q.no[q.no_count++] = no;
    if (!fer_gister_spend(p->m, 50)) return false;
    fer_lang_answer answer = fer_lang_find(p->m->arena, &q, &text);
    p->m->no_memory |= answer == FER_LANG_NO_MEMORY;
    return answer == FER_LANG_NONE;
}

static bool row_min_length(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    uint64_t min = b->inst->count;
    if (c->gist->min_length >= min) return true;
    return c->gist->pattern_count && no_text(p, c, 0, min - 1, NULL);
}

static bool row_max_length(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    uint64_t max = b->inst->count;
    if (c->gist->max_length <= max) return true;
    return c->gist->pattern_count && no_text(p, c, max + 1, UINT64_MAX, NULL);
}

static bool row_pattern(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    fer_str pattern = fer_val_str(b->inst->source);
    for (size_t i = 0; i < c->gist->pattern_count; i++)
        if (fer_str_eq(fer_val_str(c->gist->patterns[i]), pattern)) return true;
    const fer_lang *lang = fer_gist_lang(p->m, pattern);
    return lang && no_text(p, c, 0, UINT64_MAX, lang);
}

/* ---- arrays
 * ------------------------------------------------------------------------------------------ */

static bool row_min_items(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    return c->gist->min_items >= fer_build_count(b->inst->source);
}

static bool row_max_items(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    uint64_t max = fer_build_count(b->inst->source);
    if (c->gist->max_items <= max) return true;
    /* The first item too many may be one that nothing fits. */
    fer_parts parts = {0};
    if (max < fer_gist_prefix(c->gist)) return false;
    fer_gist_item(p->m, c->gist, (size_t)max, &parts);
    return parts.count && fer_prove_empty(p, &parts, 0);
}

static bool row_unique(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p, (void)b;
    return c->gist->unique || c->gist->max_items <= 1;
}

static bool row_items(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    fer_parts own = {0};
    fer_parts_add(p->m, &own, b->part);
    const fer_gist *larger = fer_gist_make(p->m, &own);
    if (!larger) return false;
    size_t last = fer_gist_prefix(c->gist), other = fer_gist_prefix(larger);
    if (other > last) last = other;
    for (size_t i = 0; i <= last && i < c->gist->max_items; i++) {
        fer_parts mine = {0}, theirs = {0};
        fer_gist_item(p->m, c->gist, i, &mine);
        fer_gist_item(p->m, larger, i, &theirs);
        for (size_t n = 0; n < theirs.count; n++)
            if (!prove_below(p, &mine, theirs.list[n])) return false;
    }
    return !p->m->no_memory;
}

static uint64_t count_of(const yyjson_val *schema, const char *name, uint64_t otherwise)
{
    const yyjson_val *v = fer_val_get(schema, name);
    return v ? fer_build_count(v) : otherwise;
}

/* Every item fits, and there are enough of them. */
static bool all_items_fit(fer_prover *p, const fer_claim *c, fer_part b)
{
    size_t last = fer_gist_prefix(c->gist);
    for (size_t i = 0; i <= last && i < c->gist->max_items; i++) {
        fer_parts mine = {0};
        fer_gist_item(p->m, c->gist, i, &mine);
        if (!prove_below(p, &mine, b)) return false;
    }
    return true;
}

static bool row_contains(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const yyjson_val *schema = b->part.node->schema;
    fer_part wanted = child_of(b, b->inst->source);
    bool old = fer_node_resource(b->part.program, b->part.node)->rules->dialect <
               FER_DIALECT_2019_09; /* there, the counts are no keywords */
    uint64_t min = old ? 1 : count_of(schema, "minContains", 1);
    uint64_t max = old ? UINT64_MAX : count_of(schema, "maxContains", UINT64_MAX);
    bool low = min == 0 || (c->gist->min_items >= min && all_items_fit(p, c, wanted));
    bool high = max == UINT64_MAX || c->gist->max_items <= max;
    for (size_t n = 0; n < c->gist->inst_count && !(low && high); n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot != KW_CONTAINS) continue;
        bool mine_old =
            fer_node_resource(i->part.program, i->part.node)->rules->dialect < FER_DIALECT_2019_09;
        const yyjson_val *own = i->part.node->schema;
        fer_part had = child_of(i, i->inst->source);
        low = low ||
              ((mine_old ? 1 : count_of(own, "minContains", 1)) >= min && within(p, had, wanted));
        high = high || (!mine_old && count_of(own, "maxContains", UINT64_MAX) <= max &&
                        within(p, wanted, had));
    }
    return low && high;
}

/* ---- objects
 * ------------------------------------------------------------------------------------------ */

static bool is_object(const fer_gist_inst *i)
{
    return i->slot == KW_PROPERTIES || i->slot == KW_PATTERN_PROPERTIES ||
           i->slot == KW_ADDITIONAL_PROPERTIES || i->slot == KW_REQUIRED;
}

/* The member of one name. */
static bool member_fits(fer_prover *p, const fer_claim *c, const fer_gist_inst *b, fer_str name)
{
    fer_parts mine = {0}, theirs = {0};
    fer_gist only = {.insts = (fer_gist_inst *)(uintptr_t)b, .inst_count = 1};
    bool named;
    fer_gist_member(p->m, c->gist, name, &mine, &named);
    fer_gist_member(p->m, &only, name, &theirs, &named);
    /* A pattern that could not be matched may be one of theirs. */
    for (size_t n = 0; n < b->inst->object->pattern_count; n++)
        if (fer_gist_matches(p->m, b->inst->object->patterns[n].regex, name) < 0) return false;
    for (size_t n = 0; n < theirs.count; n++)
        if (!prove_below(p, &mine, theirs.list[n])) return false;
    return !p->m->no_memory;
}

static const fer_name_pattern *same_pattern(const fer_object *o, fer_str text)
{
    for (size_t n = 0; n < o->pattern_count; n++)
        if (fer_str_eq(fer_val_str(o->patterns[n].key), text)) return &o->patterns[n];
    return NULL;
}

/* What holds for members whose names match a pattern and are named nowhere. */
static void pattern_parts(fer_prover *p, const fer_gist *g, fer_str pattern, fer_parts *out)
{
    for (size_t n = 0; n < g->inst_count; n++) {
        const fer_gist_inst *i = &g->insts[n];
        if (!is_object(i)) continue;
        const fer_object *o = i->inst->object;
        const fer_name_pattern *same = pattern.len ? same_pattern(o, pattern) : NULL;
        if (same) fer_parts_add(p->m, out, fer_part_of(i, same->node));
        else if (!o->pattern_count && o->additional)
            fer_parts_add(p->m, out, fer_part_of(i, o->additional));
    }
}

/*
 * Whether other names than those in lists are ruled out by some schema that has no patterns,
 * or whose patterns match this one's names only.
 */
static bool others_fit(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const fer_object *o = b->inst->object;
    fer_parts any = {0};
    pattern_parts(p, c->gist, FER_STR(""), &any);
    if (any.count && fer_prove_empty(p, &any, 0)) return true;
    for (size_t n = 0; n < o->pattern_count; n++) {
        fer_parts mine = {0};
        pattern_parts(p, c->gist, fer_val_str(o->patterns[n].key), &mine);
        if (!prove_below(p, &mine, fer_part_of(b, o->patterns[n].node))) return false;
    }
    return !o->additional || prove_below(p, &any, fer_part_of(b, o->additional));
}

/* Members that only a pattern of the smaller schema describes. */
static bool patterns_fit(fer_prover *p, const fer_claim *c, const fer_gist_inst *b, bool *closed)
{
    const fer_object *o = b->inst->object;
    *closed = false;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (!is_object(i)) continue;
        const fer_object *mine = i->inst->object;
        if (!mine->pattern_count || !mine->additional || mine->additional->verdict != FER_NEVER)
            continue;
        *closed = true;
        for (size_t k = 0; k < mine->pattern_count; k++) {
            fer_str text = fer_val_str(mine->patterns[k].key);
            fer_parts parts = {0};
            pattern_parts(p, c->gist, text, &parts);
            bool known = same_pattern(o, text) != NULL;
            if (!known && o->additional && !prove_below(p, &parts, fer_part_of(b, o->additional)))
                return false;
            for (size_t q = 0; q < o->pattern_count; q++)
                if (!prove_below(p, &parts, fer_part_of(b, o->patterns[q].node))) return false;
        }
        return true;
    }
    return false;
}

/* All names that either side lists. */
static bool names_fit(fer_prover *p, const fer_claim *c, const fer_gist_inst *b,
                      const fer_object *names)
{
    for (size_t n = 0; n < names->names.count; n++) {
        const fer_known *k = fer_object_at(names, n);
        if (!member_fits(p, c, b, (fer_str){k->name.ptr, k->name.len})) return false;
    }
    return true;
}

static bool row_object(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const fer_object *o = b->inst->object;
    for (size_t n = 0; n < o->names.count; n++) {
        const fer_known *k = fer_object_at(o, n);
        if (k->required && !fer_gist_requires(c->gist, (fer_str){k->name.ptr, k->name.len}))
            return false;
    }
    if (!names_fit(p, c, b, o)) return false;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (is_object(i) && i->inst->object != o && !names_fit(p, c, b, i->inst->object))
            return false;
    }
    bool closed = false;
    if (patterns_fit(p, c, b, &closed)) return true;
    return !closed && others_fit(p, c, b);
}

static bool row_min_members(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    return c->gist->min_members >= fer_build_count(b->inst->source);
}

/* A closed object has no more members than names. */
static bool row_max_members(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    uint64_t max = fer_build_count(b->inst->source);
    if (c->gist->max_members <= max) return true;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (!is_object(i)) continue;
        const fer_object *o = i->inst->object;
        bool closed = o->additional && o->additional->verdict == FER_NEVER && !o->pattern_count;
        if (closed && o->names.count <= max) return true;
    }
    return false;
}

/* Names are texts that the schemas of names take. */
static bool row_names(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    fer_parts names = {0};
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_PROPERTY_NAMES) fer_parts_add(p->m, &names, child_of(i, i->inst->source));
    }
    const fer_gist *g = fer_gist_make(p->m, &names);
    fer_claim about = {&names, g, FER_G_STRING};
    p->level++;
    bool proved = g && (!(g->types & FER_G_STRING) ||
                        fer_prove_here(p, &about, child_of(b, b->inst->source)));
    p->level--;
    return proved;
}

static bool forbids(fer_prover *p, const fer_claim *c, fer_str name)
{
    fer_parts parts = {0};
    bool named;
    fer_gist_member(p->m, c->gist, name, &parts, &named);
    return parts.count && fer_prove_empty(p, &parts, 0);
}

static bool requires_all(const fer_claim *c, const yyjson_val *names, fer_str self)
{
    FER_EACH_ITEM (names, item)
        if (!fer_str_eq(fer_val_str(item), self) && !fer_gist_requires(c->gist, fer_val_str(item)))
            return false;
    return true;
}

static bool has_names(const yyjson_val *list, const yyjson_val *wanted)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (wanted, item) {
        bool found = false;
        FER_EACH_ITEM (list, have) found |= fer_str_eq(fer_val_str(have), fer_val_str(item));
        if (!found) return false;
    }
    return true;
}

/* What follows from a member on the smaller side, under a keyword of the same meaning. */
static bool same_dependent(fer_prover *p, const fer_claim *c, const fer_gist_inst *b,
                           const yyjson_val *key)
{
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot != KW_DEPENDENCIES && i->slot != KW_DEPENDENT_REQUIRED &&
            i->slot != KW_DEPENDENT_SCHEMAS)
            continue;
        const yyjson_val *mine = fer_val_key(i->inst->source, fer_val_str(key));
        if (!mine || fer_is_arr(mine + 1) != fer_is_arr(key + 1)) continue;
        if (fer_is_arr(key + 1) ? has_names(mine + 1, key + 1)
                                : within(p, child_of(i, mine + 1), child_of(b, key + 1)))
            return true;
    }
    return false;
}

static bool row_dependent(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    FER_EACH_MEMBER (b->inst->source, key) {
        bool follows = fer_is_arr(key + 1) ? requires_all(c, key + 1, fer_val_str(key))
                                           : fer_prove_here(p, c, child_of(b, key + 1));
        if (!follows && !same_dependent(p, c, b, key) && !forbids(p, c, fer_val_str(key)))
            return false;
    }
    return true;
}

/* ---- the table
 * --------------------------------------------------------------------------------------- */

static const struct row {
    enum fer_slot slot;
    unsigned on; /* types that the keyword has to do with */
    bool (*proves)(fer_prover *p, const fer_claim *c, const fer_gist_inst *b);
} rows[] = {
    {KW_TYPE, FER_G_ALL, row_type},
    {KW_ENUM, FER_G_ALL, row_values},
    {KW_CONST, FER_G_ALL, row_values},
    {KW_REF, FER_G_ALL, row_ref},
    {KW_DYNAMIC_REF, FER_G_ALL, row_ref},
    {KW_RECURSIVE_REF, FER_G_ALL, row_ref},
    {KW_ALL_OF, FER_G_ALL, row_all},
    {KW_ANY_OF, FER_G_ALL, row_any},
    {KW_ONE_OF, FER_G_ALL, row_one},
    {KW_NOT, FER_G_ALL, row_not},
    {KW_IF, FER_G_ALL, row_if},
    {KW_MINIMUM, FER_G_NUMBER, row_low},
    {KW_EXCLUSIVE_MINIMUM, FER_G_NUMBER, row_low},
    {KW_MAXIMUM, FER_G_NUMBER, row_high},
    {KW_EXCLUSIVE_MAXIMUM, FER_G_NUMBER, row_high},
    {KW_MULTIPLE_OF, FER_G_NUMBER, row_multiple},
    {KW_MIN_LENGTH, FER_G_STRING, row_min_length},
    {KW_MAX_LENGTH, FER_G_STRING, row_max_length},
    {KW_PATTERN, FER_G_STRING, row_pattern},
    {KW_FORMAT, FER_G_STRING, row_same},
    {KW_CONTENT_ENCODING, FER_G_STRING, row_values},
    {KW_CONTENT_MEDIA_TYPE, FER_G_STRING, row_values},
    {KW_MIN_ITEMS, FER_G_ARRAY, row_min_items},
    {KW_MAX_ITEMS, FER_G_ARRAY, row_max_items},
    {KW_UNIQUE_ITEMS, FER_G_ARRAY, row_unique},
    {KW_ITEMS, FER_G_ARRAY, row_items},
    {KW_PREFIX_ITEMS, FER_G_ARRAY, row_items},
    {KW_CONTAINS, FER_G_ARRAY, row_contains},
    {KW_PROPERTIES, FER_G_OBJECT, row_object},
    {KW_PATTERN_PROPERTIES, FER_G_OBJECT, row_object},
    {KW_ADDITIONAL_PROPERTIES, FER_G_OBJECT, row_object},
    {KW_REQUIRED, FER_G_OBJECT, row_object},
    {KW_MIN_PROPERTIES, FER_G_OBJECT, row_min_members},
    {KW_MAX_PROPERTIES, FER_G_OBJECT, row_max_members},
    {KW_PROPERTY_NAMES, FER_G_OBJECT, row_names},
    {KW_DEPENDENCIES, FER_G_OBJECT, row_dependent},
    {KW_DEPENDENT_REQUIRED, FER_G_OBJECT, row_dependent},
    {KW_DEPENDENT_SCHEMAS, FER_G_OBJECT, row_dependent},
};

/* A keyword that only looks at other types lets values of this one through. */
static bool is_silent(enum fer_slot slot, unsigned type)
{
    if (slot == KW_UNEVALUATED_ITEMS) return type != FER_G_ARRAY;
    return slot == KW_UNEVALUATED_PROPERTIES && type != FER_G_OBJECT;
}

bool fer_prove_inst(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (rows[i].slot != b->slot) continue;
        return !(rows[i].on & c->type) || rows[i].proves(p, c, b);
    }
    return is_silent(b->slot, c->type);
}
