/* SPDX-License-Identifier: Apache-2.0 */
#include "prove.h"

#include <ferrule/json.h>

#include "json_number.h"

#define EMPTY_DEPTH 4 /* members inside each other that are looked into for a contradiction */

/* ---- bounds -------------------------------------------------------------------------------- */

#define EXACT 9007199254740992.0 /* 2^53 */

bool fer_bound_whole(const fer_gist_bound *b, bool low, int64_t *out)
{
    double d;
    if (!b->value) return false;
    switch (fer_val_tag(b->value)) {
    case FER_TAG_UINT: d = (double)b->value->uni.u64; break;
    case FER_TAG_SINT: d = (double)b->value->uni.i64; break;
    case FER_TAG_REAL: d = b->value->uni.f64; break;
    default: return false;
    }
    if (!(d < EXACT && d > -EXACT)) return false;
    int64_t whole = (int64_t)d; /* towards zero */
    bool exact = (double)whole == d;
    if (low) *out = exact ? whole + b->open : whole + (d > 0);
    else *out = exact ? whole - b->open : whole - (d < 0);
    return true;
}

static bool no_whole(const fer_gist *g)
{
    int64_t low, high;
    return fer_bound_whole(&g->low, true, &low) && fer_bound_whole(&g->high, false, &high) &&
           low > high;
}

static bool no_number(const fer_gist *g)
{
    if (!g->low.value || !g->high.value) return false;
    int order = fer_number_cmp(g->low.value, g->high.value);
    return order > 0 || (order == 0 && (g->low.open || g->high.open));
}

/* The types that bounds alone do not rule out. */
static unsigned possible(const fer_gist *g)
{
    unsigned types = g->types;
    if (no_number(g)) types &= ~(unsigned)FER_G_NUMBER;
    if (no_whole(g)) types &= ~(unsigned)FER_G_WHOLE;
    if (g->min_length > g->max_length) types &= ~(unsigned)FER_G_STRING;
    if (g->min_items > g->max_items) types &= ~(unsigned)FER_G_ARRAY;
    if (g->min_members > g->max_members) types &= ~(unsigned)FER_G_OBJECT;
    return types;
}

/* ---- few values --------------------------------------------------------------------------------
 */

/* Calls `each` for every value of a type that there may be; false: there are too many. */
typedef bool try_value(void *context, const yyjson_val *v);

static bool each_whole(const fer_gist *g, try_value *each, void *context, bool *all)
{
    int64_t low, high;
    if (!fer_bound_whole(&g->low, true, &low) || !fer_bound_whole(&g->high, false, &high))
        return false;
    if (high - low >= FER_PROVE_FINITE || g->whole_text) return false;
    for (int64_t n = low; n <= high && *all; n++) {
        yyjson_val v = {0};
        fer_number_set_whole(&v, n < 0, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
        *all = each(context, &v);
    }
    return true;
}

static bool each_value(const fer_gist *g, unsigned type, try_value *each, void *context, bool *all)
{
    static const yyjson_val constants[] = {
        {.tag = YYJSON_TYPE_NULL},
        {.tag = YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE},
        {.tag = YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_FALSE},
    };
    *all = true;
    if (g->constant) {
        *all = fer_gist_type(g->constant) != type || each(context, g->constant);
        return true;
    }
    if (g->values) {
        FER_EACH_ITEM (g->values, item) {
            if (fer_gist_type(item) == type) *all = *all && each(context, item);
        }
        return true;
    }
    if (type == FER_G_NULL || type == FER_G_BOOL) {
        for (size_t i = 0; i < FER_COUNT(constants); i++)
            if (fer_gist_type(&constants[i]) == type) *all = *all && each(context, &constants[i]);
        return true;
    }
    return type == FER_G_WHOLE && each_whole(g, each, context, all);
}

struct trial {
    fer_prover *p;
    const fer_claim *claim;
    fer_part b;
};

/* A value that is taken by neither, or by both. */
static bool try_within(void *context, const yyjson_val *v)
{
    const struct trial *t = context;
    fer_arena_reset(t->p->m->brief);
    if (fer_part_accepts(t->p->m, t->b, v) == FER_YES) return true;
    return fer_parts_accept(t->p->m, t->claim->all, v) == FER_NO;
}

static bool try_refused(void *context, const yyjson_val *v)
{
    const struct trial *t = context;
    fer_arena_reset(t->p->m->brief);
    return fer_parts_accept(t->p->m, t->claim->all, v) == FER_NO;
}

/* ---- nothing at all ----------------------------------------------------------------------------
 */

static bool member_empty(fer_prover *p, const fer_gist *g, size_t depth)
{
    for (size_t i = 0; i < g->required_count; i++) {
        fer_parts parts = {0};
        bool named;
        fer_gist_member(p->m, g, g->required[i], &parts, &named);
        if (parts.count && fer_prove_empty(p, &parts, depth + 1)) return true;
    }
    return false;
}

static bool item_empty(fer_prover *p, const fer_gist *g, size_t depth)
{
    fer_parts parts = {0};
    if (!g->min_items) return false;
    fer_gist_item(p->m, g, 0, &parts);
    return parts.count && fer_prove_empty(p, &parts, depth + 1);
}

static bool type_empty(fer_prover *p, const fer_parts *parts, const fer_gist *g, unsigned type,
                       size_t depth)
{
    struct trial t = {p, &(fer_claim){parts, g, type}, {0}};
    bool none;
    if (each_value(g, type, try_refused, &t, &none)) return none;
    if (depth >= EMPTY_DEPTH) return false;
    if (type == FER_G_OBJECT) return member_empty(p, g, depth);
    return type == FER_G_ARRAY && item_empty(p, g, depth);
}

/* Whether every alternative of some choice is empty. */
static bool choice_empty(fer_prover *p, const fer_parts *parts, const fer_gist *g, size_t depth)
{
    for (size_t n = 0; n < g->inst_count && depth < EMPTY_DEPTH; n++) {
        const fer_gist_inst *i = &g->insts[n];
        if (i->slot != KW_ANY_OF && i->slot != KW_ONE_OF) continue;
        bool all = true;
        FER_EACH_ITEM (i->inst->source, item) {
            fer_parts more = {0};
            const fer_node *node = fer_program_node(i->part.program, item);
            if (!all || !node) break;
            fer_parts_add_all(p->m, &more, parts);
            size_t before = more.count;
            fer_parts_add(p->m, &more, fer_part_of(i, node));
            all = more.count > before && fer_prove_empty(p, &more, depth + 1);
        }
        if (all) return true;
    }
    return false;
}

bool fer_prove_empty(fer_prover *p, const fer_parts *parts, size_t depth)
{
    const fer_gist *g = fer_gist_make(p->m, parts);
    if (!g || depth > EMPTY_DEPTH) return false;
    unsigned types = possible(g);
    for (unsigned t = 1; t <= FER_G_OBJECT; t <<= 1)
        if ((types & t) && type_empty(p, parts, g, t, depth)) types &= ~t;
    return !types || (choice_empty(p, parts, g, depth) && !p->m->tired && !p->m->no_memory);
}

/* ---- pairs
 * --------------------------------------------------------------------------------------- */

struct fer_pair {
    const fer_part *a;
    size_t count;
    fer_part b;
    unsigned type;
    size_t level;
    bool proved; /* else it is being proved */
};

static bool same_parts(const fer_parts *x, const fer_part *y, size_t count)
{
    if (x->count != count) return false;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = x->list[i].node == y[k].node && x->list[i].program == y[k].program;
        if (!found) return false;
    }
    return true;
}

/* Something that is being proved may be used for a part of the value only. */
static const struct fer_pair *known_pair(fer_prover *p, const fer_claim *c, fer_part b)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct fer_pair *pair = &p->pairs[i];
        if (pair->b.node == b.node && pair->b.program == b.program && pair->type == c->type &&
            same_parts(c->all, pair->a, pair->count))
            return pair;
    }
    return NULL;
}

static bool add_pair(fer_prover *p, const fer_claim *c, fer_part b)
{
    if (p->count >= FER_PROVE_PAIRS || !fer_gister_spend(p->m, 1 + p->count / 16)) return false;
    struct fer_pair *list = fer_arena_room(p->m->arena, p->pairs, p->count, &p->cap, sizeof *list);
    p->m->no_memory |= !list;
    if (!list) return false;
    p->pairs = list;
    list[p->count++] = (struct fer_pair){
        .a = c->all->list, .count = c->all->count, .b = b, .type = c->type, .level = p->level};
    return true;
}

/* ---- proving
 * --------------------------------------------------------------------------------------- */

static bool has_part(const fer_gist *g, fer_part b)
{
    for (size_t i = 0; i < g->seen_count; i++)
        if (g->seen[i].node == b.node && g->seen[i].program == b.program) return true;
    return false;
}

/* All instructions of a schema at the same place. */
static bool prove_all(fer_prover *p, const fer_claim *c, fer_part b)
{
    for (uint32_t n = 0; n < b.node->count; n++) {
        const fer_inst *inst = &b.node->insts[n];
        fer_gist_inst i = {b, inst, fer_inst_slot(b.program, b.node, inst)};
        if (!fer_prove_inst(p, c, &i)) return false;
    }
    return true;
}

/* One alternative after the other is added to what holds. */
static bool prove_split(fer_prover *p, const fer_claim *c, fer_part b, const fer_gist_inst *choice)
{
    FER_EACH_ITEM (choice->inst->source, item) {
        const fer_node *node = fer_program_node(choice->part.program, item);
        if (!node || !fer_gister_spend(p->m, 1)) return false;
        fer_parts more = {0};
        fer_parts_add_all(p->m, &more, c->all);
        fer_parts_add(p->m, &more, fer_part_of(choice, node));
        const fer_gist *g = fer_gist_make(p->m, &more);
        if (!g) return false;
        if (more.count == c->all->count) return false; /* it adds nothing */
        fer_claim within = {&more, g, c->type};
        if ((possible(g) & c->type) && !fer_prove_here(p, &within, b) &&
            !fer_prove_empty(p, &more, 0))
            return false;
    }
    return true;
}

static bool prove_by_cases(fer_prover *p, const fer_claim *c, fer_part b)
{
    bool proved = false;
    if (p->splits >= FER_PROVE_SPLITS) return false;
    p->splits++;
    for (size_t n = 0; n < c->gist->inst_count && !proved; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_ANY_OF || i->slot == KW_ONE_OF) proved = prove_split(p, c, b, i);
    }
    p->splits--;
    return proved;
}

/*
 * Draft-04 tells 1 from 1.0, which are equal: there, values that contain numbers stand for
 * more than themselves.
 */
static bool stands_for_itself(const fer_claim *c, fer_part b)
{
    if (c->type == FER_G_NULL || c->type == FER_G_BOOL || c->type == FER_G_STRING) return true;
    for (size_t i = 0; i < b.program->home_count; i++)
        if (b.program->homes[i]->resource->rules->bit == FER_IN_4) return false;
    return true;
}

static bool prove_new(fer_prover *p, const fer_claim *c, fer_part b)
{
    struct trial t = {p, c, b};
    bool all;
    if (stands_for_itself(c, b) && each_value(c->gist, c->type, try_within, &t, &all))
        return all && !p->m->tired;
    return prove_all(p, c, b) || prove_by_cases(p, c, b);
}

bool fer_prove_here(fer_prover *p, const fer_claim *c, fer_part b)
{
    if (b.node->verdict == FER_ALWAYS || has_part(c->gist, b)) return true;
    if (b.node->verdict == FER_NEVER) return false;
    const struct fer_pair *known = known_pair(p, c, b);
    if (known) return known->proved || known->level < p->level;
    size_t before = p->count;
    if (p->depth >= FER_PROVE_DEPTH || !add_pair(p, c, b)) return false;
    p->depth++;
    bool proved = prove_new(p, c, b) && !p->m->tired && !p->m->no_memory;
    p->depth--;
    /* What was proved by the help of this one falls with it. */
    if (proved) p->pairs[before].proved = true;
    else p->count = before;
    return proved;
}

bool fer_prove(fer_prover *p, const fer_parts *a, fer_part b)
{
    if (b.node->verdict == FER_ALWAYS) return true;
    const fer_gist *g = fer_gist_make(p->m, a);
    if (!g) return false;
    unsigned types = possible(g);
    bool all = true;
    for (unsigned t = 1; t <= FER_G_OBJECT && all; t <<= 1) {
        fer_claim c = {a, g, t};
        if (types & t) all = fer_prove_here(p, &c, b) || type_empty(p, a, g, t, 0);
    }
    return all && !p->m->tired && !p->m->no_memory;
}
