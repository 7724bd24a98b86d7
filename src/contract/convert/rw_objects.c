/* SPDX-License-Identifier: Apache-2.0 */
/* R09 to R11: optional properties, closed objects, maps. */
#include "json_pointer.h"
#include "look.h"
#include "rewrite.h"

/* ---- what stands beside ----------------------------------------------------------------- */

/* Whether the object takes no further members, by the keyword that looks at everything beside. */
static bool is_shut(const yyjson_mut_val *node)
{
    const yyjson_mut_val *rest = fer_mut_get(node, "unevaluatedProperties");
    return rest && !fer_mut_is_true(rest);
}

/* Names that are required, and no properties yet, become properties that may be anything. */
static bool declare(fer_rw *c, yyjson_mut_val *node, const yyjson_mut_val *required)
{
    if (is_shut(node)) return false;
    fer_tree *t = &c->tree;
    yyjson_mut_val *properties = fer_mut_get(node, "properties"),
                   *more = fer_mut_get(node, "additionalProperties");
    if (!properties) {
        fer_mut_set(t, node, "properties", fer_tree_object(t));
        properties = fer_mut_get(node, "properties");
    }
    size_t before = fer_mut_len(properties);
    FER_EACH_MUT_ITEM(required, word)
    {
        if (!fer_mut_is_str(word) || fer_mut_find(properties, fer_mut_str(word))) continue;
        yyjson_mut_val *schema =
            more && fer_mut_is_obj(more) ? fer_mut_copy(t, more) : fer_tree_object(t);
        fer_mut_set_name(t, properties, fer_mut_str(word), schema);
    }
    return fer_mut_len(properties) > before;
}

/* Moves an object into the branches of its anyOf. The root must stay an object: it is wrapped,
 * or closed as it is where the branches name no further properties. */
static bool spread(fer_rw *c, yyjson_mut_val *node)
{
    yyjson_mut_val *list = fer_mut_get(node, "anyOf"),
                   *more = fer_mut_get(node, "additionalProperties");
    bool open = !more || !fer_mut_is_false(more), changed = false;
    if (node == c->root) {
        if (!fer_rw_only_required(list)) return fer_rw_wrap_root(c);
        FER_EACH_MUT_ITEM(list, branch)
        {
            if (open && declare(c, node, fer_mut_get(branch, "required"))) changed = true;
        }
        if (changed)
            fer_rw_note(c, FER_R18, FER_LOSS_SAME, NULL,
                        "a branch requires what is no property yet");
        return changed;
    }
    if (!fer_rw_distribute(c, node)) return false;
    fer_rw_note(c, FER_R08, FER_LOSS_SAME, NULL, "an object is closed in each branch of anyOf");
    return true;
}

/*
 * Before an object is closed, nothing beside its properties may speak of further ones: allOf
 * and a reference are merged into it, it moves into the branches of anyOf. Says whether
 * something was changed; then the rest waits for the next round.
 */
static bool merge_beside(fer_rw *c, fer_spot *s, yyjson_mut_val *node)
{
    if (fer_mut_get(node, "allOf")) return fer_fix_all_of(c, s);
    if (fer_mut_get(node, "$ref")) return fer_fix_ref_siblings(c, s);
    if (fer_mut_get(node, "oneOf") && !fer_mut_get(node, "anyOf")) return fer_fix_one_of(c, s);
    return fer_mut_get(node, "anyOf") ? spread(c, node) : false;
}

/* The nearest schema around that is told of in allOf: its branches are one. */
static bool inside_all_of(fer_rw *c, fer_spot *s)
{
    for (size_t i = s->count; i-- > 1;) {
        if (fer_str_is(s->steps[i].via, "allOf")) {
            fer_spot up = *s;
            up.count = i;
            up.keyword = FER_STR_NONE;
            return fer_fix_all_of(c, &up);
        }
        /* Anything that applies to the same value is part of the same question. */
        bool same_place =
            fer_str_is(s->steps[i].via, "anyOf") || fer_str_is(s->steps[i].via, "oneOf");
        if (!same_place) return false;
        yyjson_mut_val *owner = s->steps[i - 1].node;
        bool object = fer_mut_get(owner, "properties") || fer_mut_get(owner, "required");
        if (object && fer_str_is(s->steps[i].via, "anyOf") && spread(c, owner)) return true;
    }
    return false;
}

/*
 * Keywords that ask which members there are, and what they may be besides: where members are
 * made required, moved or closed in, these would ask about others. They are told in words.
 */
static bool tell_conditions(fer_rw *c, yyjson_mut_val *node, bool counts)
{
    static const char *const keys[] = {"if",
                                       "then",
                                       "else",
                                       "dependentSchemas",
                                       "not",
                                       "unevaluatedProperties",
                                       "dependentRequired",
                                       "minProperties",
                                       "maxProperties"};
    const yyjson_mut_val *least = fer_mut_get(node, "minProperties");
    bool found = false,
         few = fer_mut_get_uint(least) > fer_mut_len(fer_mut_get(node, "properties"));
    for (size_t i = 0; i < FER_COUNT(keys) - (counts ? 0 : few ? 1 : 2); i++) {
        const yyjson_mut_val *value = fer_mut_get(node, keys[i]);
        if (!value) continue;
        fer_rw_constrain(c, node, fer_str_of(keys[i]), fer_mut_write(&c->tree, value));
        fer_mut_drop(node, keys[i]);
        found = true;
    }
    yyjson_mut_val *any = counts ? fer_mut_get(node, "anyOf") : NULL;
    if (any) {
        fer_rw_constrain(c, node, FER_STR("anyOf"), fer_mut_write(&c->tree, any));
        fer_mut_drop(node, "anyOf");
        found = true;
    }
    if (found)
        fer_rw_note(c, FER_R27, FER_LOSS_WIDER, NULL,
                    "conditions on members do not outlive a change of members");
    return found;
}

/* ---- R11 -------------------------------------------------------------------------------- */

/* {"type":"object","properties":{"key":KEY,"value":VALUE},"required":["key","value"]} */
static yyjson_mut_val *entry_schema(fer_rw *c, yyjson_mut_val *key, yyjson_mut_val *value)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *made = fer_tree_object(t), *properties = fer_tree_object(t),
                   *required = fer_tree_array(t);
    fer_mut_set_text(t, made, "type", "object");
    fer_tree_put(t, properties, FER_STR("key"), key);
    fer_tree_put(t, properties, FER_STR("value"), value);
    fer_tree_put(t, made, FER_STR("properties"), properties);
    fer_tree_add(t, required, fer_tree_text(t, FER_STR("key")));
    fer_tree_add(t, required, fer_tree_text(t, FER_STR("value")));
    fer_tree_put(t, made, FER_STR("required"), required);
    if (fer_rw_takes_keyword(c, KW_ADDITIONAL_PROPERTIES))
        fer_tree_put(t, made, FER_STR("additionalProperties"), fer_tree_bool(t, false));
    return t->failed ? NULL : made;
}

/* Whether nothing but the kind of members is told: a list of entries says no more. */
static bool is_plain_map(const yyjson_mut_val *node)
{
    static const char *const plain[] = {
        "type",  "additionalProperties", "patternProperties", "propertyNames", "properties",
        "title", "description",          "default",           "$defs"};
    FER_EACH_MUT_MEMBER(node, key)
    {
        bool known = fer_str_is(fer_mut_str(key), "required") && !fer_mut_len(key->next);
        for (size_t i = 0; i < FER_COUNT(plain); i++)
            known = known || fer_str_is(fer_mut_str(key), plain[i]);
        if (!known) return false;
    }
    return true;
}

/* What the further members of an object may be; NULL: it cannot be told by one kind of entry. */
static yyjson_mut_val *entries_of(fer_rw *c, const yyjson_mut_val *node, bool *exact)
{
    fer_tree *t = &c->tree;
    const yyjson_mut_val *more = fer_mut_get(node, "additionalProperties"),
                         *patterns = fer_mut_get(node, "patternProperties"),
                         *names = fer_mut_get(node, "propertyNames");
    yyjson_mut_val *key = fer_tree_object(t), *value = NULL;
    bool closed = more && fer_mut_is_false(more);
    fer_mut_set_text(t, key, "type", "string");
    *exact = !fer_mut_len(fer_mut_get(node, "properties")) && is_plain_map(node);
    if (patterns && fer_mut_len(patterns)) {
        if (!closed || fer_mut_len(patterns) != 1) return NULL;
        yyjson_mut_val *name = fer_mut_first_key(patterns);
        fer_mut_set(t, key, "pattern", fer_tree_text(t, fer_mut_str(name)));
        value = fer_mut_copy(t, name->next);
    } else if (more && fer_mut_is_obj(more) && fer_mut_len(more)) {
        value = fer_mut_copy(t, more);
    }
    if (names && fer_mut_is_obj(names) && value) {
        if (fer_rw_meet(c, key, names) != FER_MEET_DONE) return NULL;
    }
    return value ? entry_schema(c, key, value) : NULL;
}

static yyjson_mut_val *array_of(fer_rw *c, yyjson_mut_val *items, const char *says)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *made = fer_tree_object(t);
    fer_mut_set_text(t, made, "type", "array");
    if (says) fer_mut_set_text(t, made, "description", says);
    fer_tree_put(t, made, FER_STR("items"), items);
    return t->failed ? NULL : made;
}

/* An object without properties of its own becomes a list of entries. */
static bool map_to_list(fer_rw *c, yyjson_mut_val *node, yyjson_mut_val *entry, bool exact)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *list = array_of(c, entry, NULL);
    bool null = fer_rw_types(node) & FER_IS_NULL;
    bool needs = fer_mut_len(fer_mut_get(node, "required")) > 0;
    if (!list) return false;
    fer_rw_move_notes(c, node, list);
    if (null) fer_rw_set_types(c, list, FER_IS_ARRAY | FER_IS_NULL);
    fer_mut_become(node, list);
    fer_rw_say(c, node, FER_STR("(a map, as a list of keys and values)"));
    fer_rw_mark(c, node, "entries");
    fer_rw_note(c, FER_R11, exact && !needs ? FER_LOSS_ADAPTER : FER_LOSS_WIDER, "entries", "%.*s",
                FER_PRI(c->finding->message));
    return !t->failed;
}

/* The further members of an object become one property. */
static bool rest_to_list(fer_rw *c, yyjson_mut_val *node, yyjson_mut_val *entry)
{
    tell_conditions(c, node, true);
    fer_tree *t = &c->tree;
    yyjson_mut_val *properties = fer_mut_get(node, "properties"),
                   *list = array_of(c, entry, "further members, as a list of keys and values"),
                   *mark;
    fer_str name = FER_STR("additional_members");
    if (!list) return false;
    for (size_t i = 2; fer_mut_find(properties, name); i++)
        name = fer_arena_printf(c->arena, "additional_members_%zu", i);
    fer_mut_set_name(t, properties, name, list);
    fer_mut_drop(node, "patternProperties");
    fer_mut_drop(node, "propertyNames");
    fer_mut_drop(node, "additionalProperties");
    if (fer_rw_takes_keyword(c, KW_ADDITIONAL_PROPERTIES))
        fer_mut_set(t, node, "additionalProperties", fer_tree_bool(t, false));
    mark = fer_rw_mark(c, node, "rest");
    if (mark) fer_mut_set(t, mark, "key", fer_tree_text(t, name));
    fer_rw_note(c, FER_R11, FER_LOSS_WIDER, "rest", "%.*s", FER_PRI(c->finding->message));
    return !t->failed;
}

static bool rewrite_map(fer_rw *c, fer_spot *s, yyjson_mut_val *node)
{
    bool exact;
    yyjson_mut_val *entry = entries_of(c, node, &exact);
    if (!entry) return false;
    if (fer_mut_len(fer_mut_get(node, "properties"))) return rest_to_list(c, node, entry);
    if (fer_rw_is_beside(c, s, FER_IS_ARRAY)) return fer_rw_as_json_at(c, s, "a map beside lists");
    return map_to_list(c, node, entry, exact);
}

/* ---- R10 -------------------------------------------------------------------------------- */

static bool is_free_form(const yyjson_mut_val *node)
{
    const yyjson_mut_val *more = fer_mut_get(node, "additionalProperties");
    bool closed = more && fer_mut_is_false(more);
    return !closed && !fer_mut_len(fer_mut_get(node, "properties"));
}

static bool has_pattern_properties(const yyjson_mut_val *node)
{
    return fer_mut_len(fer_mut_get(node, "patternProperties")) > 0;
}

static bool lacks_required(const yyjson_mut_val *node)
{
    FER_EACH_MUT_ITEM(fer_mut_get(node, "required"), word)
    {
        if (fer_mut_is_str(word) &&
            !fer_mut_find(fer_mut_get(node, "properties"), fer_mut_str(word)))
            return true;
    }
    return false;
}

void fer_rw_declare_required(fer_rw *c, yyjson_mut_val *node)
{
    if (lacks_required(node) && !declare(c, node, fer_mut_get(node, "required")))
        fer_rw_refuse(c, "a property is required that the closed object does not have");
}

static bool close_it(fer_rw *c, yyjson_mut_val *node)
{
    fer_mut_drop(node, "patternProperties");
    fer_mut_set(&c->tree, node, "additionalProperties", fer_tree_bool(&c->tree, false));
    fer_rw_note(c, FER_R10, FER_LOSS_NARROWER, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

bool fer_fix_closed(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *more = fer_mut_get(node, "additionalProperties");
    bool map = (more && fer_mut_is_obj(more) && fer_mut_len(more)) || has_pattern_properties(node);
    unsigned types = fer_rw_types(node);
    if (!fer_mut_is_obj(node)) return false;
    if (inside_all_of(c, s) || merge_beside(c, s, node)) return true;
    if (c->refused.ptr) return false;
    if (lacks_required(node)) return fer_fix_required_unknown(c, s);
    if (tell_conditions(c, node, false)) return true;
    /* The members of several types are told apart before one is closed. */
    if (types & FER_IS_OBJECT && types & ~(unsigned)(FER_IS_OBJECT | FER_IS_NULL))
        return fer_fix_type_list(c, s);
    if (map && s->count > 1 && rewrite_map(c, s, node)) return true;
    if (map && s->count == 1 && fer_mut_len(fer_mut_get(node, "properties")) &&
        rewrite_map(c, s, node))
        return true;
    /* A root that is a map is closed only where it has something of its own. */
    if ((map || is_free_form(node)) && s->count > 1)
        return fer_rw_as_json_at(c, s, "an object that takes any members");
    if (map || is_free_form(node)) {
        /* Without parameters the usual root says {"type":"object"}, and means none. */
        if (!map && !more && !fer_mut_get(node, "minProperties") && !fer_mut_get(node, "required"))
            return close_it(c, node);
        return fer_rw_wrap_root(c);
    }
    return close_it(c, node);
}

/* The provider does not know additionalProperties at all. */
bool fer_fix_additional(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *more = fer_mut_get(node, "additionalProperties");
    if (!more && !has_pattern_properties(node)) return false;
    if (merge_beside(c, s, node)) return true;
    if (c->refused.ptr) return false;
    bool open = more && (fer_mut_is_true(more) || (fer_mut_is_obj(more) && !fer_mut_len(more)));
    if (open && !has_pattern_properties(node)) {
        fer_mut_drop(node, "additionalProperties");
        fer_rw_note(c, FER_R01, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    bool closed = more && fer_mut_is_false(more) && !has_pattern_properties(node);
    if (s->count == 1 && !closed && !fer_mut_len(fer_mut_get(node, "properties")))
        return fer_rw_wrap_root(c);
    if (!closed && fer_rw_types(node) & FER_IS_OBJECT && rewrite_map(c, s, node)) return true;
    /* Without the patterns, their names would fall to additionalProperties: both go. */
    bool patterns = has_pattern_properties(node);
    if (patterns) {
        fer_rw_constrain(c, node, FER_STR("patternProperties"),
                         fer_mut_write(&c->tree, fer_mut_get(node, "patternProperties")));
        fer_mut_drop(node, "patternProperties");
    }
    if (more && (patterns || fer_rw_refuses_keyword(c, KW_ADDITIONAL_PROPERTIES))) {
        fer_rw_constrain(c, node, FER_STR("additionalProperties"), fer_mut_write(&c->tree, more));
        fer_mut_drop(node, "additionalProperties");
    }
    fer_rw_note(c, FER_R27, FER_LOSS_WIDER, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- forms that are there for their own sake -------------------------------------------- */

bool fer_fix_properties(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (fer_mut_get(node, "properties")) return false;
    fer_mut_set(&c->tree, node, "properties", fer_tree_object(&c->tree));
    fer_rw_note(c, FER_R20, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

bool fer_fix_required_list(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (fer_mut_get(node, "required")) return false;
    fer_mut_set(&c->tree, node, "required", fer_tree_array(&c->tree));
    fer_rw_note(c, FER_R20, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* A nested object that has no properties, for a provider that wants some. */
bool fer_fix_properties_empty(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (fer_mut_len(fer_mut_get(node, "properties"))) return false;
    if (merge_beside(c, s, node)) return true;
    if (c->refused.ptr) return false;
    if (fer_rw_types(node) & FER_IS_OBJECT && rewrite_map(c, s, node)) return true;
    return fer_rw_as_json_at(c, s, "an object without properties of its own");
}

/* What is required must be a property: what held for its name is said there. */
bool fer_fix_required_unknown(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *properties = fer_mut_get(node, "properties"),
                   *more = fer_mut_get(node, "additionalProperties");
    if (inside_all_of(c, s) || (!properties && merge_beside(c, s, node))) return true;
    if (c->refused.ptr) return false;
    if (more && fer_mut_is_false(more))
        return fer_rw_refuse(c, "a property is required that the closed object does not have");
    if (has_pattern_properties(node))
        return fer_rw_as_json_at(c, s, "a required name is no property");
    if (fer_mut_get(node, "unevaluatedProperties")) {
        s->keyword = FER_STR("unevaluatedProperties");
        return fer_fix_unevaluated(c, s);
    }
    if (!declare(c, node, fer_mut_get(node, "required"))) return false;
    if (!fer_rw_types(node) && s->count > 1) {
        /* Such a schema takes whatever is no object; providers want it said. */
        fer_rw_set_types(c, node, FER_IS_OBJECT);
        fer_rw_note(c, FER_R19, FER_LOSS_NARROWER, NULL, "only objects have properties");
    }
    fer_rw_note(c, FER_R18, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- R09 -------------------------------------------------------------------------------- */

static yyjson_mut_val *keys_of(fer_rw *c, yyjson_mut_val *node, const char *op)
{
    yyjson_mut_val *mark = fer_rw_marked(node, op);
    if (!mark) mark = fer_rw_mark(c, node, op);
    if (!mark) return NULL;
    if (!fer_mut_get(mark, "keys")) fer_mut_set(&c->tree, mark, "keys", fer_tree_array(&c->tree));
    return fer_mut_get(mark, "keys");
}

/* The text of a default goes where null now stands for it. */
static void tell_default(fer_rw *c, yyjson_mut_val *schema)
{
    yyjson_mut_val *value = fer_mut_get(schema, "default");
    if (!value || !fer_rw_refuses_keyword(c, KW_DEFAULT)) return;
    fer_str text = fer_mut_write(&c->tree, value);
    fer_mut_drop(schema, "default");
    fer_rw_say(c, schema,
               fer_arena_printf(c->arena, "(default: %.*s)", FER_PRI(fer_str_head(text, 500))));
    fer_rw_note(c, FER_R17, FER_LOSS_DOCS, NULL, "null stands for the default");
}

/* The pointer of a property beside the one that the finding is about. */
static fer_str pointer_of(fer_rw *c, fer_str name)
{
    fer_buf b;
    size_t end = c->pointer.len;
    while (end && c->pointer.ptr[end - 1] != '/') end--;
    fer_buf_init(&b, c->arena, (size_t)1 << 16);
    fer_buf_add(&b, fer_str_slice(c->pointer, 0, end ? end - 1 : 0));
    fer_pointer_add(&b, name);
    return b.failure ? c->pointer : fer_buf_view(&b);
}

static void require(fer_rw *c, yyjson_mut_val *node, yyjson_mut_val *required, fer_str name,
                    yyjson_mut_val *schema)
{
    fer_tree *t = &c->tree;
    bool beside = fer_str_is(fer_str_of(c->finding->rule->id), "object.all-required");
    if (beside) c->pointer = pointer_of(c, name);
    bool null = fer_rw_takes_null(c, schema, 0);
    yyjson_mut_val *word = fer_tree_text(t, name);
    fer_tree_add(t, required, word);
    if (null) {
        fer_rw_note(c, FER_R09, FER_LOSS_NARROWER, NULL,
                    "\"%.*s\" cannot be left out any more; null was legal before and stays null",
                    FER_PRI(fer_str_head(name, 100)));
        return;
    }
    tell_default(c, schema);
    fer_rw_add_null(c, schema);
    yyjson_mut_val *keys = keys_of(c, node, "drop-null");
    if (keys) fer_tree_add(t, keys, fer_tree_text(t, name));
    fer_rw_note(c, FER_R09, FER_LOSS_ADAPTER, "drop-null",
                "\"%.*s\" is not required: null stands for it", FER_PRI(fer_str_head(name, 100)));
}

static yyjson_mut_val *required_of(fer_rw *c, yyjson_mut_val *node)
{
    if (!fer_mut_get(node, "required"))
        fer_mut_set(&c->tree, node, "required", fer_tree_array(&c->tree));
    return fer_mut_get(node, "required");
}

bool fer_fix_all_required(fer_rw *c, fer_spot *s)
{
    /* The finding is about the first property that is not required. */
    if (s->count > 1 && fer_str_is(fer_spot_last(s)->via, "properties")) s->count--;
    yyjson_mut_val *node = fer_spot_node(s), *properties = fer_mut_get(node, "properties");
    if (!properties) return false;
    if (inside_all_of(c, s) || merge_beside(c, s, node)) return true;
    if (c->refused.ptr) return false;
    tell_conditions(c, node, true);
    yyjson_mut_val *required = required_of(c, node);
    size_t before = fer_mut_len(required);
    FER_EACH_MUT_MEMBER(properties, key)
    {
        if (!fer_mut_lists(required, fer_mut_str(key)))
            require(c, node, required, fer_mut_str(key), key->next);
    }
    return fer_mut_len(required) > before;
}

/* A tool needs a required parameter: the first one becomes so, or one is made for it. */
bool fer_fix_required_min(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *node = c->root, *properties = fer_mut_get(node, "properties");
    s->count = 1;
    if (merge_beside(c, s, node)) return true;
    if (c->refused.ptr) return false;
    if (!properties) {
        fer_mut_set(t, node, "properties", fer_tree_object(t));
        properties = fer_mut_get(node, "properties");
    }
    tell_conditions(c, node, true);
    yyjson_mut_val *required = required_of(c, node);
    FER_EACH_MUT_MEMBER(properties, key)
    {
        if (fer_mut_lists(required, fer_mut_str(key))) continue;
        require(c, node, required, fer_mut_str(key), key->next);
        return !t->failed;
    }
    yyjson_mut_val *made = fer_tree_object(t);
    fer_mut_set_text(t, made, "type", "null");
    fer_mut_set_text(t, made, "description", "The tool takes no arguments.");
    fer_mut_set_name(t, properties, FER_STR("no_arguments"), made);
    fer_tree_add(t, required, fer_tree_text(t, FER_STR("no_arguments")));
    yyjson_mut_val *keys = keys_of(c, node, "drop-null");
    if (keys) fer_tree_add(t, keys, fer_tree_text(t, FER_STR("no_arguments")));
    const yyjson_mut_val *more = fer_mut_get(node, "additionalProperties");
    bool closed = more && fer_mut_is_false(more);
    fer_rw_note(c, FER_R09, closed ? FER_LOSS_ADAPTER : FER_LOSS_NARROWER, "drop-null", "%.*s",
                FER_PRI(c->finding->message));
    return !t->failed;
}
