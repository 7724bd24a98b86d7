/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R13: what two schemas have in common, as one schema. Keywords that stand alone have a row
 * with the way to combine two values; those that depend on their neighbours (properties with
 * additionalProperties, prefixItems with items) are merged together. What cannot be written
 * as one schema is left as it was, and the caller says so.
 */
#include "look.h"
#include "rewrite.h"

typedef enum fer_meet combine(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other);

static enum fer_meet meet_any(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other);

/* ---- scalars ---------------------------------------------------------------------------- */

static enum fer_meet keep_larger(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    if (!fer_mut_is_num(mine) || !fer_mut_is_num(other)) return FER_MEET_CANNOT;
    if (fer_mut_get_num(other) > fer_mut_get_num(mine))
        fer_mut_become(mine, fer_mut_copy(&c->tree, other));
    return FER_MEET_DONE;
}

static enum fer_meet keep_smaller(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    if (!fer_mut_is_num(mine) || !fer_mut_is_num(other)) return FER_MEET_CANNOT;
    if (fer_mut_get_num(other) < fer_mut_get_num(mine))
        fer_mut_become(mine, fer_mut_copy(&c->tree, other));
    return FER_MEET_DONE;
}

static enum fer_meet keep_true(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    if (fer_mut_is_true(other)) fer_mut_become(mine, fer_tree_bool(&c->tree, true));
    return FER_MEET_DONE;
}

static enum fer_meet keep_mine(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    (void)c, (void)mine, (void)other;
    return FER_MEET_DONE;
}

static enum fer_meet keep_equal(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    (void)c;
    return fer_mut_same(mine, other) ? FER_MEET_DONE : FER_MEET_CANNOT;
}

static enum fer_meet equal_or_never(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    (void)c;
    return fer_mut_same(mine, other) ? FER_MEET_DONE : FER_MEET_NEVER;
}

static uint64_t gcd(uint64_t x, uint64_t y)
{
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static enum fer_meet common_multiple(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    if (fer_mut_same(mine, other)) return FER_MEET_DONE;
    if (!fer_mut_is_uint(mine) || !fer_mut_is_uint(other)) return FER_MEET_CANNOT;
    uint64_t x = fer_mut_get_uint(mine), y = fer_mut_get_uint(other);
    if (!x || !y || x > 1u << 30 || y > 1u << 30) return FER_MEET_CANNOT;
    yyjson_mut_val *lcm = yyjson_mut_uint(c->tree.doc, x / gcd(x, y) * y);
    if (lcm) fer_mut_become(mine, lcm);
    return FER_MEET_DONE;
}

static enum fer_meet all_words(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    FER_EACH_MUT_ITEM(other, word)
    {
        if (!fer_mut_lists(mine, fer_mut_str(word)))
            fer_tree_add(&c->tree, mine, fer_mut_copy(&c->tree, word));
    }
    return FER_MEET_DONE;
}

static enum fer_meet words_by_name(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    FER_EACH_MUT_MEMBER(other, key)
    {
        yyjson_mut_val *old = fer_mut_find(mine, fer_mut_str(key));
        if (old) all_words(c, old, key->next);
        else fer_mut_set_name(&c->tree, mine, fer_mut_str(key), fer_mut_copy(&c->tree, key->next));
    }
    return FER_MEET_DONE;
}

static enum fer_meet schemas_by_name(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    FER_EACH_MUT_MEMBER(other, key)
    {
        yyjson_mut_val *old = fer_mut_find(mine, fer_mut_str(key));
        if (old && meet_any(c, old, key->next) != FER_MEET_DONE) return FER_MEET_CANNOT;
        if (!old)
            fer_mut_set_name(&c->tree, mine, fer_mut_str(key), fer_mut_copy(&c->tree, key->next));
    }
    return FER_MEET_DONE;
}

static enum fer_meet common_values(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    yyjson_mut_val *left = fer_tree_array(&c->tree);
    FER_EACH_MUT_ITEM(mine, item)
    {
        bool both = false;
        FER_EACH_MUT_ITEM(other, one) both = both || fer_mut_same(item, one);
        if (both) fer_tree_add(&c->tree, left, fer_mut_copy(&c->tree, item));
    }
    if (c->tree.failed) return FER_MEET_CANNOT;
    if (!fer_mut_len(left)) return FER_MEET_NEVER;
    fer_mut_become(mine, left);
    return FER_MEET_DONE;
}

/* All pairs of branches: (A or B) and (C or D). */
static enum fer_meet pairs(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *all = fer_tree_array(t);
    if (fer_mut_same(mine, other)) return FER_MEET_DONE;
    if (fer_mut_len(mine) * fer_mut_len(other) > 16) return FER_MEET_CANNOT;
    FER_EACH_MUT_ITEM(mine, x)
    {
        FER_EACH_MUT_ITEM(other, y)
        {
            yyjson_mut_val *both = fer_mut_copy(t, x);
            enum fer_meet met = both ? meet_any(c, both, y) : FER_MEET_CANNOT;
            if (met == FER_MEET_CANNOT) return met;
            if (met == FER_MEET_DONE) fer_tree_add(t, all, both);
        }
    }
    if (t->failed) return FER_MEET_CANNOT;
    if (!fer_mut_len(all)) return FER_MEET_NEVER;
    fer_mut_become(mine, all);
    return FER_MEET_DONE;
}

static enum fer_meet both_schemas(fer_rw *c, yyjson_mut_val *mine, const yyjson_mut_val *other)
{
    return meet_any(c, mine, other);
}

static const struct {
    const char *name;
    combine *combine;
} rows[] = {
    {"minimum", keep_larger},
    {"exclusiveMinimum", keep_larger},
    {"maximum", keep_smaller},
    {"exclusiveMaximum", keep_smaller},
    {"minLength", keep_larger},
    {"maxLength", keep_smaller},
    {"minItems", keep_larger},
    {"maxItems", keep_smaller},
    {"minProperties", keep_larger},
    {"maxProperties", keep_smaller},
    {"uniqueItems", keep_true},
    {"multipleOf", common_multiple},
    {"required", all_words},
    {"dependentRequired", words_by_name},
    {"dependentSchemas", schemas_by_name},
    {"enum", common_values},
    {"const", equal_or_never},
    {"pattern", keep_equal},
    {"propertyNames", both_schemas},
    {"anyOf", pairs},
    {"oneOf", keep_equal},
    {"not", keep_equal},
    {"if", keep_equal},
    {"contains", keep_equal},
    {"$ref", keep_equal},
    {"unevaluatedProperties", keep_equal},
    {"unevaluatedItems", keep_equal},
    {"minContains", keep_equal},
    {"maxContains", keep_equal},
    {"then", keep_equal},
    {"else", keep_equal},
    {"$defs", schemas_by_name},
    {FER_BACK, keep_equal},
};

/* Keywords that mean something only together: where one side has one of a group, the other must
 * have none, or the same. */
static const char *const bundles[][3] = {{"if", "then", "else"},
                                         {"contains", "minContains", "maxContains"}};

static bool bundles_fit(const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    for (size_t b = 0; b < FER_COUNT(bundles); b++) {
        if (!fer_mut_get(x, bundles[b][0]) || !fer_mut_get(y, bundles[b][0])) continue;
        for (size_t i = 0; i < 3; i++) {
            const yyjson_mut_val *one = fer_mut_get(x, bundles[b][i]),
                                 *two = fer_mut_get(y, bundles[b][i]);
            if (!one != !two || (one && !fer_mut_same(one, two))) return false;
        }
    }
    return true;
}

/* ---- types ------------------------------------------------------------------------------ */

static enum fer_meet meet_types(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    unsigned x = fer_rw_types(into), y = fer_rw_types(other);
    if (!y) return FER_MEET_DONE;
    if (!x) {
        fer_rw_set_types(c, into, y);
        return FER_MEET_DONE;
    }
    unsigned both = x & y;
    /* Every integer is a number. */
    if ((x | y) & FER_IS_NUMBER && x & (FER_IS_INTEGER | FER_IS_NUMBER) &&
        y & (FER_IS_INTEGER | FER_IS_NUMBER) && !(both & FER_IS_NUMBER))
        both |= FER_IS_INTEGER;
    if (!both) return FER_MEET_NEVER;
    fer_rw_set_types(c, into, both);
    return FER_MEET_DONE;
}

/* ---- properties ------------------------------------------------------------------------- */

/* What a schema says of a property: its own schema, else that of all others; NULL: anything. */
static const yyjson_mut_val *says_of(const yyjson_mut_val *node, fer_str name)
{
    const yyjson_mut_val *own = fer_mut_find(fer_mut_get(node, "properties"), name);
    return own ? own : fer_mut_get(node, "additionalProperties");
}

static enum fer_meet meet_property(fer_rw *c, yyjson_mut_val *made, const yyjson_mut_val *into,
                                   const yyjson_mut_val *other, fer_str name)
{
    const yyjson_mut_val *x = says_of(into, name), *y = says_of(other, name);
    yyjson_mut_val *both = x   ? fer_mut_copy(&c->tree, x)
                           : y ? fer_mut_copy(&c->tree, y)
                               : fer_tree_object(&c->tree);
    enum fer_meet met = x && y && both ? meet_any(c, both, y) : FER_MEET_DONE;
    if (met == FER_MEET_CANNOT || !both) return FER_MEET_CANNOT;
    if (met == FER_MEET_NEVER) both = fer_tree_bool(&c->tree, false);
    fer_mut_set_name(&c->tree, made, name, both);
    return FER_MEET_DONE;
}

/* Properties that nothing is valid for: left out where the object is closed, and then never may
 * they be required. */
static enum fer_meet drop_false(yyjson_mut_val *made, bool closed, const yyjson_mut_val *into,
                                const yyjson_mut_val *other)
{
    size_t count = fer_mut_len(made);
    yyjson_mut_val *key = fer_mut_first_key(made);
    for (size_t i = 0; i < count; i++) {
        fer_str name = fer_mut_str(key);
        yyjson_mut_val *value = key->next;
        key = value->next;
        if (!fer_mut_is_false(value)) continue;
        if (fer_mut_lists(fer_mut_get(into, "required"), name) ||
            fer_mut_lists(fer_mut_get(other, "required"), name))
            return FER_MEET_NEVER;
        if (closed) fer_mut_drop_name(made, name);
    }
    return FER_MEET_DONE;
}

static enum fer_meet meet_properties(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    fer_tree *t = &c->tree;
    const yyjson_mut_val *px = fer_mut_get(into, "properties"),
                         *py = fer_mut_get(other, "properties"),
                         *ax = fer_mut_get(into, "additionalProperties"),
                         *ay = fer_mut_get(other, "additionalProperties"),
                         *qx = fer_mut_get(into, "patternProperties"),
                         *qy = fer_mut_get(other, "patternProperties");
    if (!py && !ay && !qy) return FER_MEET_DONE;
    /* Patterns say something of any name: only where the other side says nothing is it simple. */
    if ((qx && (py || ay || qy)) || (qy && (px || ax))) return FER_MEET_CANNOT;
    if (qy) {
        fer_mut_set(t, into, "patternProperties", fer_mut_copy(t, qy));
        if (py) fer_mut_set(t, into, "properties", fer_mut_copy(t, py));
        if (ay) fer_mut_set(t, into, "additionalProperties", fer_mut_copy(t, ay));
        return FER_MEET_DONE;
    }
    yyjson_mut_val *made = fer_tree_object(t), *rest = NULL;
    FER_EACH_MUT_MEMBER(px, key)
    {
        if (meet_property(c, made, into, other, fer_mut_str(key))) return FER_MEET_CANNOT;
    }
    FER_EACH_MUT_MEMBER(py, key)
    {
        if (!fer_mut_find(made, fer_mut_str(key)) &&
            meet_property(c, made, into, other, fer_mut_str(key)))
            return FER_MEET_CANNOT;
    }
    if (ax || ay) {
        rest = fer_mut_copy(t, ax ? ax : ay);
        enum fer_meet met = ax && ay && rest ? meet_any(c, rest, ay) : FER_MEET_DONE;
        if (met == FER_MEET_CANNOT) return met;
        if (met == FER_MEET_NEVER) rest = fer_tree_bool(t, false);
    }
    bool closed = rest && fer_mut_is_false(rest);
    if (drop_false(made, closed, into, other)) return FER_MEET_NEVER;
    if (px || py) fer_mut_set(t, into, "properties", made);
    if (rest) fer_mut_set(t, into, "additionalProperties", rest);
    return FER_MEET_DONE;
}

/* ---- items ------------------------------------------------------------------------------ */

static enum fer_meet meet_items(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    fer_tree *t = &c->tree;
    const yyjson_mut_val *fx = fer_mut_get(into, "prefixItems"),
                         *fy = fer_mut_get(other, "prefixItems"), *iy = fer_mut_get(other, "items");
    yyjson_mut_val *ix = fer_mut_get(into, "items");
    if (!fy && !iy) return FER_MEET_DONE;
    if (fx || fy) {
        if (ix || fx) return FER_MEET_CANNOT;
        fer_mut_set(t, into, "prefixItems", fer_mut_copy(t, fy));
        if (iy) fer_mut_set(t, into, "items", fer_mut_copy(t, iy));
        return FER_MEET_DONE;
    }
    if (!ix) {
        fer_mut_set(t, into, "items", fer_mut_copy(t, iy));
        return FER_MEET_DONE;
    }
    enum fer_meet met = meet_any(c, ix, iy);
    if (met == FER_MEET_NEVER) fer_mut_become(ix, fer_tree_bool(t, false));
    return met == FER_MEET_CANNOT ? met : FER_MEET_DONE;
}

/* ---- both ------------------------------------------------------------------------------- */

static bool is_grouped(fer_str name)
{
    static const char *const names[] = {
        "type",        "properties", "additionalProperties", "patternProperties", "items",
        "prefixItems", "allOf",      "description"};
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        if (fer_str_is(name, names[i])) return true;
    }
    return false;
}

static enum fer_meet meet_keyword(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *key)
{
    fer_str name = fer_mut_str(key);
    yyjson_mut_val *mine = fer_mut_find(into, name);
    if (is_grouped(name)) return FER_MEET_DONE;
    if (!mine) {
        fer_mut_set_name(&c->tree, into, name, fer_mut_copy(&c->tree, key->next));
        return FER_MEET_DONE;
    }
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (fer_str_is(name, rows[i].name)) return rows[i].combine(c, mine, key->next);
    }
    return keep_mine(c, mine, key->next); /* an annotation, or nobody's keyword */
}

static void join_descriptions(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    const yyjson_mut_val *x = fer_mut_get(into, "description"),
                         *y = fer_mut_get(other, "description");
    if (!y || !fer_mut_is_str(y)) return;
    if (!x) fer_mut_set(&c->tree, into, "description", fer_mut_copy(&c->tree, y));
    else if (!fer_mut_same(x, y)) fer_rw_say(c, into, fer_mut_str(y));
}

/* What is evaluated beside an unevaluated* keyword decides its meaning: only one side may have
 * any, and only the one that stays. */
static bool unevaluated_fits(const yyjson_mut_val *other)
{
    return !fer_mut_get(other, "unevaluatedProperties") && !fer_mut_get(other, "unevaluatedItems");
}

static enum fer_meet meet_objects(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    typedef enum fer_meet part(fer_rw * c, yyjson_mut_val * into, const yyjson_mut_val *other);
    static part *const parts[] = {meet_types, meet_properties, meet_items};
    if (!unevaluated_fits(other) || !bundles_fit(into, other)) return FER_MEET_CANNOT;
    for (size_t i = 0; i < FER_COUNT(parts); i++) {
        enum fer_meet met = parts[i](c, into, other);
        if (met) return met;
    }
    FER_EACH_MUT_MEMBER(other, key)
    {
        enum fer_meet met = meet_keyword(c, into, key);
        if (met) return met;
    }
    join_descriptions(c, into, other);
    FER_EACH_MUT_ITEM(fer_mut_get(other, "allOf"), branch)
    {
        enum fer_meet met = meet_any(c, into, branch);
        if (met) return met;
    }
    return FER_MEET_DONE;
}

/* `into` may be half changed where this fails. */
static enum fer_meet meet_any(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    if (c->tree.failed) return FER_MEET_CANNOT;
    if (fer_mut_is_false(into) || fer_mut_is_false(other)) return FER_MEET_NEVER;
    if (fer_mut_is_true(other)) return FER_MEET_DONE;
    if (fer_mut_is_true(into)) {
        fer_mut_become(into, fer_mut_copy(&c->tree, other));
        return FER_MEET_DONE;
    }
    if (!fer_mut_is_obj(into) || !fer_mut_is_obj(other)) return FER_MEET_CANNOT;
    return meet_objects(c, into, other);
}

enum fer_meet fer_rw_meet(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other)
{
    yyjson_mut_val *copy = fer_mut_copy(&c->tree, into);
    if (!copy) return FER_MEET_CANNOT;
    enum fer_meet met = meet_any(c, copy, other);
    if (met == FER_MEET_DONE && !c->tree.failed) fer_mut_become(into, copy);
    return met;
}

/* ---- allOf ------------------------------------------------------------------------------ */

/* A branch that does not merge is told in words. */
static void tell_branch(fer_rw *c, yyjson_mut_val *node, const yyjson_mut_val *branch)
{
    fer_rw_constrain(c, node, FER_STR("allOf"), fer_mut_write(&c->tree, branch));
    fer_rw_note(c, FER_R13, FER_LOSS_WIDER, NULL,
                "a branch of allOf cannot be merged with the rest");
}

static bool merge_branches(fer_rw *c, yyjson_mut_val *node, yyjson_mut_val *branches)
{
    FER_EACH_MUT_ITEM(branches, branch)
    {
        switch (fer_rw_meet(c, node, branch)) {
        case FER_MEET_DONE: break;
        case FER_MEET_NEVER:
            return fer_rw_refuse(c, "nothing is valid under all branches of allOf");
        default: tell_branch(c, node, branch);
        }
    }
    return true;
}

bool fer_fix_all_of(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *list = fer_mut_get(node, "allOf");
    /* The finding may be about a branch: its owner is what is merged. */
    for (size_t up = s->count; !list && up-- > 0;) {
        node = s->steps[up].node;
        list = fer_mut_get(node, "allOf");
    }
    if (!list || !fer_mut_is_arr(list)) return false;
    yyjson_mut_val *branches = fer_mut_copy(&c->tree, list);
    if (!branches) return false;
    FER_EACH_MUT_ITEM(branches, branch)
    {
        /* A reference is merged as what it leads to; one into itself would have no end. */
        for (size_t i = 0; fer_mut_get(branch, "$ref") && i < 16; i++) {
            if (!fer_rw_inline_one(c, branch)) return false;
        }
    }
    fer_mut_drop(node, "allOf");
    fer_rw_note(c, FER_R13, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return merge_branches(c, node, branches);
}
