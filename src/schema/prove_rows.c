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

bool fer_prove_below(fer_prover *p, const fer_parts *a, fer_part b)
{
    size_t splits = p->splits;
    p->splits = 0;
    p->level++;
    bool proved = fer_prove(p, a, b);
    p->level--;
    p->splits = splits;
    return proved;
}

fer_part fer_prove_child(const fer_gist_inst *i, const yyjson_val *schema)
{
    return fer_part_of(i, fer_program_node(i->part.program, schema));
}

bool fer_prove_within(fer_prover *p, fer_part smaller, fer_part larger)
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
        if (!fer_prove_here(p, c, fer_prove_child(b, item))) return false;
    return true;
}

static bool row_any(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    FER_EACH_ITEM (b->inst->source, item)
        if (fer_prove_here(p, c, fer_prove_child(b, item))) return true;
    return false;
}

/* The same alternatives, in the same order: what exactly one of them takes is the same. */
static bool same_branches(fer_prover *p, const fer_gist_inst *a, const fer_gist_inst *b)
{
    const yyjson_val *mine = a->inst->source, *other = b->inst->source + 1;
    if (fer_val_len(mine) != fer_val_len(b->inst->source)) return false;
    FER_EACH_ITEM (mine, item) {
        fer_part x = fer_prove_child(a, item), y = fer_prove_child(b, other);
        if (!fer_prove_within(p, x, y) || !fer_prove_within(p, y, x)) return false;
        other = fer_val_next(other);
    }
    return true;
}

static bool row_one(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const yyjson_val *list = b->inst->source, *right = NULL;
    FER_EACH_ITEM (list, item) {
        right = fer_prove_here(p, c, fer_prove_child(b, item)) ? item : NULL;
        if (right) break;
    }
    bool alone = right != NULL;
    FER_EACH_ITEM (list, item)
        if (alone && item != right) alone = empty_with(p, c, fer_prove_child(b, item));
    for (size_t n = 0; n < c->gist->inst_count && !alone; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_ONE_OF) alone = same_branches(p, i, b);
    }
    return alone;
}

static bool row_not(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    fer_part refused = fer_prove_child(b, b->inst->source);
    if (refused.node->verdict == FER_ALWAYS) return false;
    if (empty_with(p, c, refused)) return true;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_NOT && fer_prove_within(p, refused, fer_prove_child(i, i->inst->source)))
            return true;
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
    return (struct condition){fer_prove_child(i, i->inst->source),
                              then ? fer_prove_child(i, then) : (fer_part){0},
                              other ? fer_prove_child(i, other) : (fer_part){0}};
}

static bool within_if_any(fer_prover *p, fer_part smaller, fer_part larger)
{
    return !larger.node || (smaller.node && fer_prove_within(p, smaller, larger));
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
        if (fer_prove_within(p, mine.test, d.test) && fer_prove_within(p, d.test, mine.test) &&
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
            if (!fer_prove_below(p, &mine, theirs.list[n])) return false;
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
        if (!fer_prove_below(p, &mine, b)) return false;
    }
    return true;
}

static bool row_contains(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const yyjson_val *schema = b->part.node->schema;
    fer_part wanted = fer_prove_child(b, b->inst->source);
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
        fer_part had = fer_prove_child(i, i->inst->source);
        low = low || ((mine_old ? 1 : count_of(own, "minContains", 1)) >= min &&
                      fer_prove_within(p, had, wanted));
        high = high || (!mine_old && count_of(own, "maxContains", UINT64_MAX) <= max &&
                        fer_prove_within(p, wanted, had));
    }
    return low && high;
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
    {KW_PROPERTIES, FER_G_OBJECT, fer_prove_object},
    {KW_PATTERN_PROPERTIES, FER_G_OBJECT, fer_prove_object},
    {KW_ADDITIONAL_PROPERTIES, FER_G_OBJECT, fer_prove_object},
    {KW_REQUIRED, FER_G_OBJECT, fer_prove_object},
    {KW_MIN_PROPERTIES, FER_G_OBJECT, fer_prove_min_members},
    {KW_MAX_PROPERTIES, FER_G_OBJECT, fer_prove_max_members},
    {KW_PROPERTY_NAMES, FER_G_OBJECT, fer_prove_names},
    {KW_DEPENDENCIES, FER_G_OBJECT, fer_prove_dependent},
    {KW_DEPENDENT_REQUIRED, FER_G_OBJECT, fer_prove_dependent},
    {KW_DEPENDENT_SCHEMAS, FER_G_OBJECT, fer_prove_dependent},
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
