/* SPDX-License-Identifier: Apache-2.0 */
/* R19, R21, R22: types, free-form values, enums; depth. */
#include "look.h"
#include "rewrite.h"

/* ---- R21 -------------------------------------------------------------------------------- */

bool fer_rw_as_json(fer_rw *c, yyjson_mut_val *node, const char *why)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *made = fer_tree_object(t), *kept;
    yyjson_mut_val *inner = fer_mut_marked(node) ? fer_mut_copy(t, node) : NULL;
    fer_mut_set_text(t, made, "type", "string");
    fer_rw_move_notes(c, node, made);
    kept = fer_mut_get(made, "default");
    if (kept) fer_mut_drop(made, "default");
    fer_str schema = fer_mut_write(t, node);
    if (t->failed) return false;
    fer_rw_say(
        c, made,
        fer_mut_len(node) && schema.len <= 1500
            ? fer_arena_printf(c->arena, "(JSON text of a value that fits %.*s)", FER_PRI(schema))
            : FER_STR("(JSON text)"));
    if (t->failed) return false;
    fer_mut_become(node, made);
    yyjson_mut_val *mark = fer_rw_mark(c, node, "json");
    /* What is translated inside the text is so by a schema of its own. */
    if (mark && inner) {
        yyjson_mut_val *defs = fer_mut_get(c->root, "$defs");
        if (defs) fer_mut_set(t, inner, "$defs", fer_mut_copy(t, defs));
        fer_rw_mark_branches(c, inner);
        fer_mut_set(t, mark, "schema", inner);
    }
    fer_rw_note(c, FER_R21, FER_LOSS_WIDER, "json", "%s: %.*s", why, FER_PRI(c->finding->message));
    return !t->failed;
}

/* Whether a schema may take values of a type; cautious: yes. */
static bool may_take(fer_rw *c, const yyjson_mut_val *node, unsigned type, unsigned depth)
{
    unsigned types = fer_rw_types(node);
    const yyjson_mut_val *ref = fer_mut_get(node, "$ref"), *any = fer_mut_get(node, "anyOf");
    if (types) return types & type;
    if (depth > 16) return true;
    if (ref && fer_mut_is_str(ref)) {
        const yyjson_mut_val *target = fer_plot_target(c->arena, c->root, fer_mut_str(ref));
        return !target || may_take(c, target, type, depth + 1);
    }
    if (!any) return true;
    FER_EACH_MUT_ITEM(any, branch)
    {
        if (may_take(c, branch, type, depth + 1)) return true;
    }
    return false;
}

bool fer_rw_is_beside(fer_rw *c, const fer_spot *s, unsigned type)
{
    const fer_step *last = &s->steps[s->count - 1];
    bool inside =
        s->count > 1 && (fer_str_is(last->via, "anyOf") || fer_str_is(last->via, "oneOf"));
    if (!inside) return false;
    FER_EACH_MUT_ITEM(fer_mut_find(s->steps[s->count - 2].node, last->via), branch)
    {
        if (branch != last->node && may_take(c, branch, type, 0)) return true;
    }
    return false;
}

bool fer_rw_as_json_at(fer_rw *c, fer_spot *s, const char *why)
{
    while (fer_rw_is_beside(c, s, FER_IS_STRING)) s->count--;
    if (s->count == 1) return fer_rw_wrap_root(c);
    return fer_rw_as_json(c, fer_spot_node(s), why);
}

/* ---- R19 -------------------------------------------------------------------------------- */

static unsigned type_of_value(const yyjson_mut_val *v)
{
    switch (fer_mut_get_type(v)) {
    case YYJSON_TYPE_OBJ: return FER_IS_OBJECT;
    case YYJSON_TYPE_ARR: return FER_IS_ARRAY;
    case YYJSON_TYPE_STR: return FER_IS_STRING;
    case YYJSON_TYPE_BOOL: return FER_IS_BOOLEAN;
    case YYJSON_TYPE_NULL: return FER_IS_NULL;
    default: return fer_mut_is_int(v) ? FER_IS_INTEGER : FER_IS_NUMBER;
    }
}

/* The types of the values that enum or const list. */
static unsigned types_of_values(const yyjson_mut_val *node)
{
    const yyjson_mut_val *one = fer_mut_get(node, "const");
    unsigned types = one ? type_of_value(one) : 0;
    FER_EACH_MUT_ITEM(fer_mut_get(node, "enum"), v) types |= type_of_value(v);
    if (types & FER_IS_NUMBER) types &= ~(unsigned)FER_IS_INTEGER;
    return types;
}

/* The type whose keywords a schema has, where it is one alone. */
static unsigned type_of_keywords(const yyjson_mut_val *node)
{
    static const struct {
        const char *key;
        unsigned types;
    } rows[] = {
        {"properties", FER_IS_OBJECT},
        {"required", FER_IS_OBJECT},
        {"additionalProperties", FER_IS_OBJECT},
        {"patternProperties", FER_IS_OBJECT},
        {"items", FER_IS_ARRAY},
        {"prefixItems", FER_IS_ARRAY},
        {"minItems", FER_IS_ARRAY},
        {"maxItems", FER_IS_ARRAY},
        {"minLength", FER_IS_STRING},
        {"maxLength", FER_IS_STRING},
        {"pattern", FER_IS_STRING},
        {"minimum", FER_IS_NUMBER},
        {"maximum", FER_IS_NUMBER},
        {"exclusiveMinimum", FER_IS_NUMBER},
        {"exclusiveMaximum", FER_IS_NUMBER},
        {"multipleOf", FER_IS_NUMBER},
    };
    unsigned types = 0;
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (fer_mut_get(node, rows[i].key)) types |= rows[i].types;
    }
    return types & (types - 1) ? 0 : types;
}

/* Whether a provider takes objects and arrays that say nothing of their members. */
static bool takes_anything(const fer_rw *c)
{
    return !fer_rw_refuses(c, FER_PR_OBJECT_CLOSED) &&
           !fer_rw_refuses(c, FER_PR_OBJECT_PROPERTIES_EMPTY) &&
           !fer_rw_refuses(c, FER_PR_ARRAY_ITEMS_MISSING) &&
           !fer_rw_refuses_keyword(c, KW_ANY_OF) &&
           !fer_rw_refuses(c, FER_PR_OBJECT_PROPERTIES_MISSING);
}

static bool any_of_all(fer_rw *c, yyjson_mut_val *node)
{
    static const unsigned types[] = {FER_IS_STRING, FER_IS_NUMBER, FER_IS_BOOLEAN,
                                     FER_IS_NULL,   FER_IS_OBJECT, FER_IS_ARRAY};
    fer_tree *t = &c->tree;
    yyjson_mut_val *list = fer_tree_array(t);
    for (size_t i = 0; i < FER_COUNT(types); i++) {
        yyjson_mut_val *branch = fer_tree_object(t);
        fer_rw_set_types(c, branch, types[i]);
        fer_tree_add(t, list, branch);
    }
    fer_mut_set(t, node, "anyOf", list);
    fer_rw_note(c, FER_R19, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return !t->failed;
}

/* Whether a schema says nothing about values: it has texts only. */
static bool says_nothing(const yyjson_mut_val *node)
{
    FER_EACH_MUT_MEMBER(node, key)
    {
        fer_str name = fer_mut_str(key);
        if (!fer_str_is(name, "title") && !fer_str_is(name, "description") &&
            !fer_str_is(name, "default") && !fer_str_is(name, "format"))
            return false;
    }
    return true;
}

bool fer_fix_type(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    unsigned types = types_of_values(node), by_keyword = type_of_keywords(node);
    yyjson_mut_val *any = fer_mut_get(node, "anyOf");
    if (fer_mut_get(node, "type") || !fer_mut_is_obj(node)) return false;
    if (types) {
        fer_rw_set_types(c, node, types);
        fer_rw_note(c, FER_R19, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    if (fer_mut_get(node, "allOf")) return fer_fix_all_of(c, s);
    /* A branch that only adds to what stands around it takes that in. */
    if (s->count > 1 && fer_str_is(fer_spot_last(s)->via, "anyOf") &&
        fer_mut_len(s->steps[s->count - 2].node) > 1 && fer_rw_types(s->steps[s->count - 2].node)) {
        if (!fer_rw_distribute(c, s->steps[s->count - 2].node)) return false;
        fer_rw_note(c, FER_R08, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    if (any) {
        /* No word is true of branches of several types. */
        unsigned all = 0;
        FER_EACH_MUT_ITEM(any, branch)
        {
            unsigned types_here = fer_rw_types(branch);
            all |= types_here ? types_here : ~0u;
        }
        bool one = all && !(all & (all - 1)),
             scalar = one && !(all & (FER_IS_OBJECT | FER_IS_ARRAY));
        bool alone = fer_rw_refuses(c, FER_PR_ANYOF_SIBLINGS);
        if (!one || (alone && (!scalar || fer_mut_marked(any))))
            return fer_rw_as_json_at(c, s, "alternatives where a type must be told");
        fer_rw_set_types(c, node, all);
        if (alone) {
            /* A type beside anyOf is refused, too: the alternatives are told in words. */
            fer_rw_constrain(c, node, FER_STR("anyOf"), fer_mut_write(&c->tree, any));
            fer_mut_drop(node, "anyOf");
        }
        fer_rw_note(c, alone ? FER_R27 : FER_R19, alone ? FER_LOSS_WIDER : FER_LOSS_SAME, NULL,
                    "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    if (by_keyword) {
        fer_rw_set_types(c, node, by_keyword);
        fer_rw_note(c, FER_R19, FER_LOSS_NARROWER, NULL, "its keywords are about one type: %.*s",
                    FER_PRI(c->finding->message));
        return true;
    }
    if (says_nothing(node) && takes_anything(c)) return any_of_all(c, node);
    if (s->count == 1) return fer_fix_root_type(c, s);
    return fer_rw_as_json_at(c, s, "a value of any type");
}

/* Arguments are an object, always: to say so takes nothing away. */
bool fer_fix_root_type(fer_rw *c, fer_spot *s)
{
    unsigned types = fer_rw_types(c->root);
    (void)s;
    if (fer_mut_is_bool(c->root)) return fer_rw_refuse(c, "the schema is no object");
    if (types == FER_IS_OBJECT && fer_mut_is_str(fer_mut_get(c->root, "type"))) return false;
    if (types && !(types & FER_IS_OBJECT)) return fer_rw_wrap_root(c);
    if (fer_mut_get(c->root, "$ref") && !types) return fer_fix_ref_inline(c, s);
    fer_rw_set_types(c, c->root, FER_IS_OBJECT);
    fer_rw_note(c, FER_R19, FER_LOSS_NARROWER, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* Keywords that have nothing to do with the type change nothing. */
bool fer_fix_mismatch(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    fer_str key = s->keyword;
    if (!key.ptr || !fer_mut_find(node, key)) return false;
    fer_mut_drop_name(node, key);
    fer_rw_note(c, FER_R01, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- R22 -------------------------------------------------------------------------------- */

/* A text for each value: the value itself where all are different as they are, else JSON. */
static fer_str text_of(fer_rw *c, const yyjson_mut_val *value, bool quoted)
{
    if (!fer_mut_is_str(value)) return fer_mut_write(&c->tree, value);
    if (!quoted) return fer_mut_len(value) ? fer_mut_str(value) : FER_STR("(empty)");
    return fer_mut_write(&c->tree, value);
}

static bool texts_differ(fer_rw *c, const yyjson_mut_val *list, bool quoted)
{
    fer_map seen;
    fer_map_init(&seen, c->arena);
    FER_EACH_MUT_ITEM(list, v)
    {
        fer_str text = text_of(c, v, quoted);
        void **slot = text.ptr ? fer_map_put(&seen, text) : NULL;
        if (!slot || *slot) return false;
        *slot = c;
    }
    return true;
}

/* Null stays null where the wire can say so. */
static bool take_null(fer_rw *c, yyjson_mut_val *list)
{
    bool found = false;
    size_t index = 0;
    if (!c->nullable) return false;
    FER_EACH_MUT_ITEM(list, v)
    {
        if (fer_mut_is_null(v)) {
            found = true;
            break;
        }
        index++;
    }
    if (found) fer_mut_drop_item(list, index);
    return found;
}

/* The values of an enum that the rest of its schema accepts; NULL: no memory, or no schema. */
static yyjson_mut_val *living_values(fer_rw *c, const yyjson_mut_val *node)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *copy = fer_mut_copy(t, node), *defs = fer_mut_get(c->root, "$defs"),
                   *left = fer_tree_array(t);
    fer_schema *s = NULL;
    if (!copy || !left) return NULL;
    if (defs) fer_mut_set(t, copy, "$defs", fer_mut_copy(t, defs));
    fer_str text = fer_mut_write(t, copy);
    if (!text.ptr || fer_schema_compile(text, NULL, &s, NULL)) return NULL;
    FER_EACH_MUT_ITEM(fer_mut_get(node, "enum"), v)
    {
        fer_json *doc;
        bool valid = false;
        text = fer_mut_write(t, v);
        if (!text.ptr || fer_json_read(c->arena, text, NULL, &doc, NULL)) continue;
        if (!fer_schema_accepts(s, c->arena, fer_json_root(doc), &valid, NULL) && valid)
            fer_tree_add(t, left, fer_mut_copy(t, v));
    }
    fer_schema_unref(s);
    return left;
}

bool fer_fix_enum(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *node = fer_spot_node(s), *list = fer_mut_get(node, "enum"), *mark, *values;
    if (!list || fer_rw_marked(node, "enum")) return false;
    if (fer_mut_get(node, "anyOf") || fer_mut_get(node, "allOf") || fer_mut_get(node, "oneOf"))
        return fer_rw_as_json_at(c, s, "an enum beside alternatives");
    if (fer_rw_is_beside(c, s, FER_IS_STRING))
        return fer_rw_as_json_at(c, s, "an enum beside other texts");
    yyjson_mut_val *copy = living_values(c, node), *texts = fer_tree_array(t),
                   *made = fer_tree_object(t);
    if (t->failed || !copy) return false;
    if (!fer_mut_len(copy))
        return fer_rw_refuse(c, "no value of an enum fits what stands beside it");
    bool null = take_null(c, copy), quoted = !texts_differ(c, copy, false);
    if (!fer_mut_len(copy)) {
        fer_rw_set_types(c, made, FER_IS_NULL);
        fer_rw_move_notes(c, node, made);
        fer_mut_become(node, made);
        fer_rw_note(c, FER_R22, FER_LOSS_SAME, NULL, "null is the only value");
        return true;
    }
    if (quoted && !texts_differ(c, copy, true))
        return fer_rw_refuse(c, "an enum lists a value twice");
    fer_rw_set_types(c, made, FER_IS_STRING | (null ? FER_IS_NULL : 0u));
    fer_rw_move_notes(c, node, made);
    fer_mut_drop(made, "default");
    fer_mut_set(t, made, "enum", texts);
    texts = fer_mut_get(made, "enum");
    fer_mut_become(node, made);
    mark = fer_rw_mark(c, node, "enum");
    if (!mark) return false;
    fer_mut_set(t, mark, "values", fer_tree_object(t));
    values = fer_mut_get(mark, "values");
    FER_EACH_MUT_ITEM(copy, v)
    {
        fer_str text = text_of(c, v, quoted);
        fer_tree_add(t, texts, fer_tree_text(t, text));
        fer_tree_put(t, values, text, fer_mut_copy(t, v));
    }
    if (null) fer_tree_add(t, texts, yyjson_mut_null(t->doc));
    fer_rw_note(c, FER_R22, FER_LOSS_ADAPTER, "enum", "%.*s", FER_PRI(c->finding->message));
    return !t->failed;
}

/* ---- depth ------------------------------------------------------------------------------ */

/* The outermost container that is too deep becomes JSON text. */
struct deep {
    fer_rw *c;
    unsigned max;
    bool done;
};

static void cut_below(struct deep *d, yyjson_mut_val *node, unsigned level, bool counted,
                      unsigned depth)
{
    bool container = fer_rw_types(node) & (FER_IS_OBJECT | FER_IS_ARRAY) ||
                     fer_mut_get(node, "properties") || fer_mut_get(node, "items");
    if (!fer_mut_is_obj(node) || depth > FER_PLOT_DEPTH) return;
    if (container && !counted) level++;
    counted = counted || container;
    if (level > d->max) {
        d->done |= fer_rw_as_json(d->c, node, "too many objects and arrays inside each other");
        return;
    }
    FER_EACH_MUT_MEMBER(node, key)
    {
        fer_str via = fer_mut_str(key);
        enum fer_holds holds = fer_holds_of(via);
        bool same = fer_str_is(via, "anyOf") || fer_str_is(via, "allOf") ||
                    fer_str_is(via, "oneOf") || fer_str_is(via, "not") || fer_str_is(via, "if") ||
                    fer_str_is(via, "then") || fer_str_is(via, "else");
        if (fer_str_is(via, "$defs")) continue;
        if (holds == FER_HOLDS_SCHEMA) cut_below(d, key->next, level, same && counted, depth + 1);
        if (holds == FER_HOLDS_LIST) {
            FER_EACH_MUT_ITEM(key->next, item)
            cut_below(d, item, level, same && counted, depth + 1);
        }
        if (holds == FER_HOLDS_MAP) {
            FER_EACH_MUT_MEMBER(key->next, name)
            cut_below(d, name->next, level, same && counted, depth + 1);
        }
    }
}

bool fer_fix_depth(fer_rw *c, fer_spot *s)
{
    struct deep d = {c, (unsigned)c->profile->rows[FER_PR_LIMIT_DEPTH].max, false};
    if (fer_mut_get(c->root, "$defs")) return fer_fix_recursion(c, s);
    cut_below(&d, c->root, 0, false, 0);
    return d.done;
}
