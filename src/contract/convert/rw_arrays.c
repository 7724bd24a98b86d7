/* SPDX-License-Identifier: Apache-2.0 */
/* R12: tuples; R20: arrays without items; items that are alternatives. */
#include "look.h"
#include "rewrite.h"

/* ---- R12 -------------------------------------------------------------------------------- */

static uint64_t count_of(const yyjson_mut_val *node, const char *key, uint64_t otherwise)
{
    const yyjson_mut_val *v = fer_mut_get(node, key);
    return v && fer_mut_is_uint(v) ? fer_mut_get_uint(v) : otherwise;
}

/* The items behind the tuple, as a list of their own; NULL: none may follow. */
static yyjson_mut_val *rest_of(fer_rw *c, const yyjson_mut_val *node)
{
    const yyjson_mut_val *items = fer_mut_get(node, "items");
    fer_tree *t = &c->tree;
    if (!items || !fer_mut_is_obj(items) || !fer_mut_len(items)) return NULL;
    yyjson_mut_val *made = fer_tree_object(t);
    fer_mut_set_text(t, made, "type", "array");
    fer_tree_put(t, made, FER_STR("items"), fer_mut_copy(t, items));
    return made;
}

static bool tuple_to_object(fer_rw *c, yyjson_mut_val *node)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *prefix = fer_mut_get(node, "prefixItems"), *items = fer_mut_get(node, "items"),
                   *made = fer_tree_object(t), *properties = fer_tree_object(t),
                   *required = fer_tree_array(t), *rest = rest_of(c, node), *mark;
    size_t count = fer_mut_len(prefix), index = 0;
    bool closed = items && fer_mut_is_false(items);
    uint64_t least = count_of(node, "minItems", 0), most = count_of(node, "maxItems", UINT64_MAX);
    bool more_bounds = fer_mut_get(node, "uniqueItems") || fer_mut_get(node, "contains") ||
                       fer_mut_get(node, "unevaluatedItems") ||
                       (rest && (least > count || most != UINT64_MAX));
    if (most < count || (!rest && least > count) || more_bounds) return false;
    bool exact = least == count && (closed || most == count || rest);
    fer_mut_set_text(t, made, "type", "object");
    FER_EACH_MUT_ITEM(prefix, item)
    {
        fer_str name = fer_arena_printf(c->arena, "item_%zu", index++);
        fer_tree_put(t, properties, name, fer_mut_copy(t, item));
        fer_tree_add(t, required, fer_tree_text(t, name));
    }
    if (rest) {
        fer_tree_put(t, properties, FER_STR("items"), rest);
        fer_tree_add(t, required, fer_tree_text(t, FER_STR("items")));
    }
    fer_tree_put(t, made, FER_STR("properties"), properties);
    fer_tree_put(t, made, FER_STR("required"), required);
    if (fer_rw_takes_keyword(c, KW_ADDITIONAL_PROPERTIES))
        fer_tree_put(t, made, FER_STR("additionalProperties"), fer_tree_bool(t, false));
    if (t->failed) return false;
    fer_rw_move_notes(c, node, made);
    if (fer_rw_types(node) & FER_IS_NULL) fer_rw_set_types(c, made, FER_IS_OBJECT | FER_IS_NULL);
    fer_mut_become(node, made);
    fer_rw_say(c, node, FER_STR("(a list of fixed length, item by item)"));
    mark = fer_rw_mark(c, node, "tuple");
    if (mark) fer_mut_set(t, mark, "length", yyjson_mut_uint(t->doc, count));
    fer_rw_note(c, FER_R12, exact ? FER_LOSS_ADAPTER : FER_LOSS_NARROWER, "tuple", "%.*s",
                FER_PRI(c->finding->message));
    return true;
}

bool fer_fix_tuple(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    static const char *const beside[] = {"anyOf", "oneOf", "allOf", "$ref",
                                         "enum",  "const", "if",    "not"};
    bool alone =
        !(fer_rw_types(node) & ~(unsigned)(FER_IS_ARRAY | FER_IS_NULL)) && fer_rw_types(node);
    if (!fer_mut_get(node, "prefixItems")) return false;
    if (fer_mut_get(node, "allOf")) return fer_fix_all_of(c, s);
    for (size_t i = 0; i < FER_COUNT(beside); i++) alone = alone && !fer_mut_get(node, beside[i]);
    alone = alone && !fer_rw_is_beside(c, s, FER_IS_OBJECT);
    if (s->count > 1 && alone && tuple_to_object(c, node)) return true;
    return s->count > 1 ? fer_rw_as_json_at(c, s, "a tuple")
                        : fer_rw_refuse(c, "%.*s", FER_PRI(c->finding->message));
}

/* ---- R20 -------------------------------------------------------------------------------- */

bool fer_fix_items_missing(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (fer_mut_get(node, "items")) return false;
    fer_mut_set(&c->tree, node, "items", fer_tree_object(&c->tree));
    fer_rw_note(c, FER_R20, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- items with anyOf ------------------------------------------------------------------- */

/* Items that are alternatives move into an object of one property. */
bool fer_fix_items_any_of(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *owner = fer_spot_node(s), *node = fer_mut_get(owner, "items");
    if (!node || !fer_mut_get(node, "anyOf")) return false;
    yyjson_mut_val *inner = fer_mut_copy(t, node), *outer = fer_tree_object(t),
                   *properties = fer_tree_object(t), *required = fer_tree_array(t), *mark;
    if (t->failed || !inner) return false;
    fer_mut_set_text(t, outer, "type", "object");
    fer_tree_put(t, properties, FER_STR("value"), inner);
    fer_tree_put(t, outer, FER_STR("properties"), properties);
    fer_tree_add(t, required, fer_tree_text(t, FER_STR("value")));
    fer_tree_put(t, outer, FER_STR("required"), required);
    if (fer_rw_takes_keyword(c, KW_ADDITIONAL_PROPERTIES))
        fer_tree_put(t, outer, FER_STR("additionalProperties"), fer_tree_bool(t, false));
    if (t->failed) return false;
    fer_mut_become(node, outer);
    mark = fer_rw_mark(c, node, "unwrap");
    if (mark) fer_mut_set_text(t, mark, "key", "value");
    fer_rw_note(c, FER_R14, FER_LOSS_ADAPTER, "unwrap", "%.*s", FER_PRI(c->finding->message));
    return true;
}
