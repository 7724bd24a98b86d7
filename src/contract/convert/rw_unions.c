/* SPDX-License-Identifier: Apache-2.0 */
/* R05 to R08: constants, alternatives, several types; R14: alternatives at the root. */
#include "look.h"
#include "rewrite.h"

/* ---- R05 -------------------------------------------------------------------------------- */

bool fer_fix_const(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *node = fer_spot_node(s), *value = fer_mut_get(node, "const");
    if (!value) return false;
    yyjson_mut_val *list = fer_tree_array(t), *old = fer_mut_get(node, "enum");
    bool listed = !old;
    FER_EACH_MUT_ITEM(old, item) listed = listed || fer_mut_same(item, value);
    if (!listed) return fer_rw_refuse(c, "const is not among the values of enum: nothing is valid");
    fer_tree_add(t, list, fer_mut_copy(t, value));
    fer_mut_drop(node, "const");
    fer_mut_set(t, node, "enum", list);
    fer_rw_note(c, FER_R05, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- R06 -------------------------------------------------------------------------------- */

/* The values that a required property can have in a branch: its enum, or its const. */
static bool has_value(const yyjson_mut_val *schema, const yyjson_mut_val *value)
{
    const yyjson_mut_val *one = fer_mut_get(schema, "const");
    if (one) return fer_mut_same(one, value);
    FER_EACH_MUT_ITEM(fer_mut_get(schema, "enum"), item)
    {
        if (fer_mut_same(item, value)) return true;
    }
    return false;
}

static bool values_apart(const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    const yyjson_mut_val *one = fer_mut_get(x, "const"), *list = fer_mut_get(x, "enum");
    bool told = fer_mut_get(y, "const") || fer_mut_get(y, "enum");
    if (!told || (!one && !list)) return false;
    if (one) return !has_value(y, one);
    FER_EACH_MUT_ITEM(list, item)
    {
        if (has_value(y, item)) return false;
    }
    return true;
}

static unsigned with_numbers(unsigned types)
{
    return types & FER_IS_NUMBER ? types | FER_IS_INTEGER : types;
}

static bool properties_apart(fer_rw *c, const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    const yyjson_mut_val *px = fer_mut_get(x, "properties"), *py = fer_mut_get(y, "properties"),
                         *rx = fer_mut_get(x, "required"), *ry = fer_mut_get(y, "required");
    if (fer_rw_types(x) != FER_IS_OBJECT || fer_rw_types(y) != FER_IS_OBJECT) return false;
    FER_EACH_MUT_MEMBER(px, key)
    {
        fer_str name = fer_mut_str(key);
        const yyjson_mut_val *other = fer_mut_find(py, name);
        bool needed = fer_mut_lists(rx, name) || fer_mut_lists(ry, name);
        if (needed && other && fer_rw_disjoint(c, key->next, other)) return true;
    }
    /* One demands what the other, being closed, does not know. */
    const yyjson_mut_val *closed = fer_mut_get(y, "additionalProperties");
    if (closed && fer_mut_is_false(closed) && !fer_mut_get(y, "patternProperties")) {
        FER_EACH_MUT_ITEM(rx, word)
        {
            if (fer_mut_is_str(word) && !fer_mut_find(py, fer_mut_str(word))) return true;
        }
    }
    return false;
}

bool fer_rw_disjoint(fer_rw *c, const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    unsigned tx = with_numbers(fer_rw_types(x)), ty = with_numbers(fer_rw_types(y));
    if (fer_mut_is_false(x) || fer_mut_is_false(y)) return true;
    if (tx && ty && !(tx & ty)) return true;
    return values_apart(x, y) || properties_apart(c, x, y) || properties_apart(c, y, x);
}

/* The engine's word: nothing is valid under both. References are resolved in the whole. */
static bool proved_apart(fer_rw *c, const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *both = fer_tree_object(t), *list = fer_tree_array(t),
                   *defs = fer_mut_get(c->root, "$defs");
    fer_schema *smaller = NULL, *never = NULL;
    fer_included answer = {FER_INCLUSION_UNKNOWN, FER_STR("")};
    fer_tree_add(t, list, fer_mut_copy(t, x));
    fer_tree_add(t, list, fer_mut_copy(t, y));
    fer_tree_put(t, both, FER_STR("allOf"), list);
    if (defs) fer_tree_put(t, both, FER_STR("$defs"), fer_mut_copy(t, defs));
    fer_str text = t->failed ? FER_STR_NONE : fer_mut_write(t, both);
    if (text.ptr && !fer_schema_compile(text, NULL, &smaller, NULL) &&
        !fer_schema_compile(FER_STR("false"), NULL, &never, NULL) &&
        fer_schema_includes(c->arena, never, smaller, 20000, &answer, NULL))
        answer.verdict = FER_INCLUSION_UNKNOWN;
    fer_schema_unref(smaller);
    fer_schema_unref(never);
    return answer.verdict == FER_INCLUDED;
}

static bool all_apart(fer_rw *c, const yyjson_mut_val *list)
{
    FER_EACH_MUT_ITEM(list, x)
    {
        for (yyjson_mut_val *y = x->next; y != fer_mut_first_item(list); y = y->next) {
            if (!fer_rw_disjoint(c, x, y) && !proved_apart(c, x, y)) return false;
        }
    }
    return true;
}

bool fer_fix_one_of(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *node = fer_spot_node(s), *list = fer_mut_get(node, "oneOf"),
                   *any = fer_mut_get(node, "anyOf");
    if (!list || !fer_mut_is_arr(list)) return false;
    yyjson_mut_val *branches = fer_mut_copy(t, list);
    bool apart = all_apart(c, list);
    fer_mut_drop(node, "oneOf");
    if (!any) {
        fer_mut_set(t, node, "anyOf", branches);
    } else {
        yyjson_mut_val *other = fer_tree_object(t);
        fer_tree_put(t, other, FER_STR("anyOf"), branches);
        if (t->failed || fer_rw_meet(c, node, other) != FER_MEET_DONE)
            return fer_rw_refuse(c, "anyOf and oneOf of one schema cannot be merged");
    }
    fer_rw_note(c, FER_R06, apart ? FER_LOSS_SAME : FER_LOSS_WIDER, NULL, "%.*s%s",
                FER_PRI(c->finding->message), apart ? "" : "; a value may fit several branches");
    return true;
}

bool fer_fix_any_of_empty(fer_rw *c, fer_spot *s)
{
    (void)s;
    return fer_rw_refuse(c, "an empty anyOf accepts nothing");
}

/* ---- R07 and R08 ------------------------------------------------------------------------ */

/* Keywords by the types they have to do with; those of none go everywhere. */
static unsigned types_of_keyword(fer_str name)
{
    static const struct {
        const char *name;
        unsigned types;
    } rows[] = {
        {"properties", FER_IS_OBJECT},
        {"required", FER_IS_OBJECT},
        {"additionalProperties", FER_IS_OBJECT},
        {"patternProperties", FER_IS_OBJECT},
        {"minProperties", FER_IS_OBJECT},
        {"maxProperties", FER_IS_OBJECT},
        {"propertyNames", FER_IS_OBJECT},
        {"dependentRequired", FER_IS_OBJECT},
        {"dependentSchemas", FER_IS_OBJECT},
        {"unevaluatedProperties", FER_IS_OBJECT},
        {"items", FER_IS_ARRAY},
        {"prefixItems", FER_IS_ARRAY},
        {"minItems", FER_IS_ARRAY},
        {"maxItems", FER_IS_ARRAY},
        {"uniqueItems", FER_IS_ARRAY},
        {"contains", FER_IS_ARRAY},
        {"minContains", FER_IS_ARRAY},
        {"maxContains", FER_IS_ARRAY},
        {"unevaluatedItems", FER_IS_ARRAY},
        {"minLength", FER_IS_STRING},
        {"maxLength", FER_IS_STRING},
        {"pattern", FER_IS_STRING},
        {"contentEncoding", FER_IS_STRING},
        {"contentMediaType", FER_IS_STRING},
        {"minimum", FER_IS_INTEGER | FER_IS_NUMBER},
        {"maximum", FER_IS_INTEGER | FER_IS_NUMBER},
        {"exclusiveMinimum", FER_IS_INTEGER | FER_IS_NUMBER},
        {"exclusiveMaximum", FER_IS_INTEGER | FER_IS_NUMBER},
        {"multipleOf", FER_IS_INTEGER | FER_IS_NUMBER},
    };
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (fer_str_is(name, rows[i].name)) return rows[i].types;
    }
    return 0x7F;
}

static unsigned type_of_value(const yyjson_mut_val *v)
{
    switch (fer_mut_get_type(v)) {
    case YYJSON_TYPE_OBJ: return FER_IS_OBJECT;
    case YYJSON_TYPE_ARR: return FER_IS_ARRAY;
    case YYJSON_TYPE_STR: return FER_IS_STRING;
    case YYJSON_TYPE_BOOL: return FER_IS_BOOLEAN;
    case YYJSON_TYPE_NULL: return FER_IS_NULL;
    default: return FER_IS_INTEGER | FER_IS_NUMBER;
    }
}

/* The node for one of its types. NULL: no value of its enum has that type. */
static yyjson_mut_val *for_type(fer_rw *c, const yyjson_mut_val *node, unsigned type)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *made = fer_tree_object(t);
    fer_rw_set_types(c, made, type);
    FER_EACH_MUT_MEMBER(node, key)
    {
        fer_str name = fer_mut_str(key);
        if (fer_str_is(name, "type") || fer_str_is(name, "title") ||
            fer_str_is(name, "description") || fer_str_is(name, "default") ||
            fer_str_is(name, "$defs") || fer_str_is(name, FER_BACK))
            continue;
        if (!(types_of_keyword(name) & type)) continue;
        if (!fer_str_is(name, "enum")) {
            fer_mut_set_name(t, made, name, fer_mut_copy(t, key->next));
            continue;
        }
        yyjson_mut_val *left = fer_tree_array(t);
        FER_EACH_MUT_ITEM(key->next, v)
        {
            if (type_of_value(v) & type) fer_tree_add(t, left, fer_mut_copy(t, v));
        }
        if (!fer_mut_len(left)) return NULL;
        fer_mut_set(t, made, "enum", left);
    }
    return t->failed ? NULL : made;
}

bool fer_fix_type_list(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *node = fer_spot_node(s), *type = fer_mut_get(node, "type");
    unsigned types = fer_rw_types(node),
             folded = c->nullable ? types & ~(unsigned)FER_IS_NULL : types;
    if (!type || !fer_mut_is_arr(type)) return false;
    if (types & FER_IS_NUMBER) folded &= ~(unsigned)FER_IS_INTEGER;
    yyjson_mut_val *list = fer_tree_array(t), *outer = fer_tree_object(t);
    for (unsigned i = 0; i < FER_COUNT(fer_type_names); i++) {
        if (!(folded >> i & 1)) continue;
        yyjson_mut_val *branch = for_type(c, node, 1u << i);
        if (branch) fer_tree_add(t, list, branch);
    }
    if (t->failed) return false;
    if (!fer_mut_len(list)) return fer_rw_refuse(c, "no value of enum has one of the types");
    bool null = c->nullable && types & FER_IS_NULL;
    fer_rw_move_notes(c, node, outer);
    yyjson_mut_val *defs = fer_mut_get(node, "$defs");
    if (defs) fer_mut_set(t, outer, "$defs", fer_mut_copy(t, defs));
    if (fer_mut_len(list) == 1) {
        yyjson_mut_val *only = fer_mut_copy(t, fer_mut_first_item(list));
        if (!only) return false;
        if (null) fer_rw_add_null(c, only);
        fer_rw_move_notes(c, outer, only);
        fer_mut_become(node, only);
    } else {
        if (null) fer_rw_add_null(c, fer_mut_first_item(list));
        fer_tree_put(t, outer, FER_STR("anyOf"), list);
        if (!t->failed) fer_mut_become(node, outer);
    }
    fer_rw_note(c, FER_R08, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* A branch that is only null. */
static bool is_null_branch(const yyjson_mut_val *branch)
{
    const yyjson_mut_val *one = fer_mut_get(branch, "const"), *list = fer_mut_get(branch, "enum");
    if (fer_rw_types(branch) == FER_IS_NULL) return true;
    if (one && fer_mut_is_null(one)) return true;
    return fer_mut_len(list) == 1 && fer_mut_is_null(fer_mut_first_item(list));
}

/* The null of an alternative moves into its first branch, as one more type. */
static void fold_null(void *context, yyjson_mut_val *node, const fer_step *step)
{
    fer_rw *c = context;
    yyjson_mut_val *list = fer_mut_get(node, "anyOf");
    size_t index = 0, found = SIZE_MAX;
    (void)step;
    FER_EACH_MUT_ITEM(list, branch)
    {
        if (is_null_branch(branch)) found = index;
        index++;
    }
    if (found == SIZE_MAX || index < 2 || c->tree.failed) return;
    yyjson_mut_val *first = yyjson_mut_arr_get(list, found == 0 ? 1 : 0);
    /* Only where null becomes a word of its type; an anyOf of its own would be folded for ever. */
    if (!fer_rw_types(first) || fer_mut_get(first, "anyOf") || fer_mut_get(first, "oneOf") ||
        fer_mut_get(first, "allOf") || fer_mut_get(first, "$ref") || fer_mut_get(first, FER_BACK))
        return;
    yyjson_mut_val *value = fer_mut_get(first, "const");
    if (value) {
        yyjson_mut_val *values = fer_tree_array(&c->tree);
        fer_tree_add(&c->tree, values, fer_mut_copy(&c->tree, value));
        fer_mut_drop(first, "const");
        fer_mut_set(&c->tree, first, "enum", values);
    }
    if (!fer_rw_takes_null(c, first, 0)) fer_rw_add_null(c, first);
    fer_mut_drop_item(list, found);
    fer_rw_note(c, FER_R07, FER_LOSS_SAME, NULL, "the provider says nullable");
    if (fer_mut_len(list) > 1) return;
    /* One branch is left: it and what stands beside it are one. */
    yyjson_mut_val *only = fer_mut_copy(&c->tree, fer_mut_first_item(list)),
                   *saved = fer_mut_copy(&c->tree, node);
    if (!only || !saved) return;
    fer_mut_drop(node, "anyOf");
    if (fer_rw_meet(c, node, only) != FER_MEET_DONE) fer_mut_become(node, saved);
}

bool fer_rw_fold_nulls(fer_rw *c)
{
    size_t before = c->note_count;
    if (c->nullable) fer_schemas_each(c->root, true, fold_null, c);
    return c->note_count > before;
}

/* Moves what stands beside anyOf into its branches. */
bool fer_rw_distribute(fer_rw *c, yyjson_mut_val *node)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *list = fer_mut_get(node, "anyOf"), *rest, *made = fer_tree_array(t),
                   *outer = fer_tree_object(t);
    if (!list) return false;
    rest = fer_mut_copy(t, node);
    if (!rest || t->failed) return false;
    fer_mut_drop(rest, "anyOf");
    yyjson_mut_val *defs = fer_mut_get(rest, "$defs");
    if (defs) fer_mut_set(t, outer, "$defs", fer_mut_copy(t, defs));
    fer_mut_drop(rest, "$defs");
    bool words = !fer_rw_refuses(c, FER_PR_ANYOF_SIBLINGS);
    if (words) fer_rw_move_notes(c, rest, outer);
    FER_EACH_MUT_ITEM(list, branch)
    {
        yyjson_mut_val *both = fer_mut_copy(t, branch);
        enum fer_meet met = both ? fer_rw_meet(c, both, rest) : FER_MEET_CANNOT;
        if (met == FER_MEET_CANNOT) return false;
        if (met == FER_MEET_DONE) fer_tree_add(t, made, both);
    }
    if (t->failed) return false;
    if (!fer_mut_len(made)) return fer_rw_refuse(c, "nothing is valid under any branch of anyOf");
    fer_tree_put(t, outer, FER_STR("anyOf"), made);
    fer_mut_become(node, outer);
    return true;
}

bool fer_fix_any_of_siblings(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (!fer_mut_get(node, "anyOf")) return false;
    if (!fer_rw_distribute(c, node))
        return c->refused.ptr
                   ? false
                   : fer_rw_as_json_at(c, s, "anyOf and what stands beside it cannot be merged");
    fer_rw_note(c, FER_R08, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- R14 -------------------------------------------------------------------------------- */

/* Branches that only say which names must be there. */
bool fer_rw_only_required(const yyjson_mut_val *list)
{
    FER_EACH_MUT_ITEM(list, branch)
    {
        FER_EACH_MUT_MEMBER(branch, key)
        {
            fer_str name = fer_mut_str(key);
            if (!fer_str_is(name, "required") && !fer_str_is(name, "title") &&
                !fer_str_is(name, "description") && !fer_str_is(name, "type"))
                return false;
        }
    }
    return true;
}

/* The whole moves into one parameter. */
bool fer_rw_wrap_root(fer_rw *c)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *inner = fer_tree_object(t), *outer = fer_tree_object(t),
                   *properties = fer_tree_object(t), *required = fer_tree_array(t),
                   *defs = fer_mut_get(c->root, "$defs");
    if (t->failed) return false;
    fer_mut_become(inner, fer_mut_copy(t, c->root));
    fer_mut_drop(inner, "$defs");
    fer_mut_drop(inner, "$schema");
    fer_mut_drop(inner, "$id");
    fer_mut_set_text(t, outer, "type", "object");
    fer_tree_put(t, properties, FER_STR("input"), inner);
    fer_tree_put(t, outer, FER_STR("properties"), properties);
    fer_tree_add(t, required, fer_tree_text(t, FER_STR("input")));
    fer_tree_put(t, outer, FER_STR("required"), required);
    if (fer_rw_takes_keyword(c, KW_ADDITIONAL_PROPERTIES))
        fer_tree_put(t, outer, FER_STR("additionalProperties"), fer_tree_bool(t, false));
    if (defs) fer_tree_put(t, outer, FER_STR("$defs"), fer_mut_copy(t, defs));
    if (t->failed) return false;
    fer_mut_become(c->root, outer);
    c->moved = true;
    yyjson_mut_val *mark = fer_rw_mark(c, c->root, "unwrap");
    fer_mut_set_text(t, mark, "key", "input");
    fer_rw_note(c, FER_R14, FER_LOSS_ADAPTER, "unwrap", "%.*s", FER_PRI(c->finding->message));
    return !t->failed;
}

bool fer_fix_root_composition(fer_rw *c, fer_spot *s)
{
    fer_str key = s->keyword;
    yyjson_mut_val *value = key.ptr ? fer_mut_find(c->root, key) : NULL;
    if (!value) return false;
    if (fer_str_is(key, "allOf")) return fer_fix_all_of(c, s);
    bool list = fer_mut_is_arr(value) && !fer_str_is(key, "enum");
    bool words = (list && fer_rw_only_required(value)) || fer_str_is(key, "not") ||
                 fer_str_is(key, "if") || fer_str_is(key, "then") || fer_str_is(key, "else");
    if (!words) return fer_rw_wrap_root(c);
    fer_rw_constrain(c, c->root, key, fer_mut_write(&c->tree, value));
    fer_mut_drop_name(c->root, key);
    fer_rw_note(c, FER_R14, FER_LOSS_WIDER, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}
