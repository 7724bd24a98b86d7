/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which single keywords are converted; a keyword without one stays as it is. */
#include "convert.h"

#include "formats.h"
#include "json_number.h"

static void left_out(fer_convert *c, const fer_member *m, bool lost)
{
    fer_convert_note(c, m->key, lost, "%s has no `%.*s`: it is left out.",
                     fer_dialect_name(c->to->dialect), FER_PRI(fer_val_str(m->key)));
    fer_convert_drop(c, m);
}

static void keep(fer_convert *c, const fer_member *m)
{
    fer_convert_plain(c, m, fer_val_str(m->key));
}

/* ---- definitions --------------------------------------------------------- */

/* `definitions` of a newer schema is not the dialect's, but may stay beside `$defs`. */
static void definitions(fer_convert *c, const fer_member *m)
{
    bool rename = fer_rules_old(m->rules) != fer_rules_old(c->to);
    fer_str name = fer_rules_old(c->to) ? FER_STR("definitions") : FER_STR("$defs");
    if (!rename || fer_str_eq(name, fer_val_str(m->key))) {
        keep(c, m);
        return;
    }
    fer_convert_note(c, m->key, false, "`%.*s` is now `%.*s`.", FER_PRI(fer_val_str(m->key)),
                     FER_PRI(name));
    fer_convert_plain(c, m, name);
}

static void vocabulary(fer_convert *c, const fer_member *m)
{
    if (c->to->dialect == m->rules->dialect) keep(c, m);
    else left_out(c, m, true);
}

/* ---- values -------------------------------------------------------------- */

static bool names_integer(const yyjson_val *type)
{
    if (fer_is_str(type)) return fer_str_is(fer_val_str(type), "integer");
    FER_EACH_ITEM (type, name) {
        if (fer_str_is(fer_val_str(name), "integer")) return true;
    }
    return false;
}

static void type(fer_convert *c, const fer_member *m)
{
    bool crosses = (m->rules->bit == FER_IN_4) != (c->to->bit == FER_IN_4);
    bool earlier = !c->integer_at || m->key < c->integer_at;
    if (crosses && earlier && !c->mute && names_integer(m->value)) c->integer_at = m->key;
    keep(c, m);
}

/* draft-04 and draft-06 want at least one value, and none twice. */
static void enumeration(fer_convert *c, const fer_member *m)
{
    if (!(c->to->bit & (FER_IN_4 | FER_IN_6))) {
        keep(c, m);
        return;
    }
    fer_tree *t = &c->tree;
    fer_map seen;
    yyjson_mut_val *list = fer_tree_array(t);
    fer_map_init(&seen, c->arena);
    FER_EACH_ITEM (m->value, item) {
        fer_str text;
        void **place = NULL;
        if (!fer_json_canonical(c->arena, item, &text, NULL)) place = fer_map_put(&seen, text);
        if (!place) {
            fer_convert_no_memory(c);
            return;
        }
        if (*place) continue;
        *place = &seen;
        fer_tree_add(t, list, fer_tree_copy(t, item));
    }
    if (seen.count < fer_val_len(m->value) || !seen.count) {
        fer_convert_note(c, m->key, false,
                         "In %s `enum` lists some values, and none of them twice.",
                         fer_dialect_name(c->to->dialect));
    }
    if (seen.count) fer_tree_put(t, m->seat->value, FER_STR("enum"), list);
    else fer_seat_inner(c, fer_seat_also(c, m->seat), FER_STR("not"));
}

static void constant(fer_convert *c, const fer_member *m)
{
    if (c->to->bit != FER_IN_4) {
        keep(c, m);
        return;
    }
    fer_seat *at = fer_beside(m, "enum") ? fer_seat_also(c, m->seat) : m->seat;
    yyjson_mut_val *list = fer_tree_array(&c->tree);
    fer_tree_add(&c->tree, list, fer_tree_copy(&c->tree, m->value));
    if (at) fer_tree_put(&c->tree, at->value, FER_STR("enum"), list);
    fer_convert_note(c, m->key, false, "`const` is now an `enum` of one value.");
}

/* draft-04 wants whole numbers to be written as such: 2, not 2.0. */
static void count(fer_convert *c, const fer_member *m)
{
    uint64_t value = UINT64_MAX;
    if (c->to->bit != FER_IN_4 || fer_number_is_integer_text(m->value)) {
        keep(c, m);
        return;
    }
    fer_number_u64(m->value, &value);
    fer_str text = fer_arena_printf(c->arena, "%llu", (unsigned long long)value);
    yyjson_mut_val *number = text.ptr ? yyjson_mut_rawn(c->tree.doc, text.ptr, text.len) : NULL;
    if (!number) c->tree.failed = true;
    fer_tree_put(&c->tree, m->seat->value, fer_val_str(m->key), number);
    fer_convert_note(c, m->key, false,
                     "In draft-04 a count is written without a point or exponent.");
}

/* ---- bounds -------------------------------------------------------------- */

struct bound {
    const char *plain, *exclusive;
    int sign; /* of (plain - exclusive) where the plain one is stricter */
};

static const struct bound *bound_of(const fer_member *m)
{
    static const struct bound upper = {"maximum", "exclusiveMaximum", -1};
    static const struct bound lower = {"minimum", "exclusiveMinimum", 1};
    enum fer_slot slot = m->keyword->slot;
    return slot == KW_MAXIMUM || slot == KW_EXCLUSIVE_MAXIMUM ? &upper : &lower;
}

/* Whether the exclusive bound makes the plain one needless. */
static bool exclusive_rules(const struct bound *b, const yyjson_val *plain,
                            const yyjson_val *exclusive)
{
    return !plain || fer_number_cmp(plain, exclusive) != b->sign;
}

static void bounds(fer_convert *c, const fer_member *m)
{
    const struct bound *b = bound_of(m);
    const yyjson_val *plain = fer_val_get(m->schema, b->plain);
    const yyjson_val *exclusive = fer_val_get(m->schema, b->exclusive);
    bool from_4 = m->rules->bit == FER_IN_4, to_4 = c->to->bit == FER_IN_4;
    bool is_plain = m->value == plain;
    if (from_4 == to_4 || !exclusive) {
        keep(c, m);
        return;
    }
    bool rules = from_4 ? fer_is_true(exclusive) : exclusive_rules(b, plain, exclusive);
    if (is_plain) {
        if (!rules) keep(c, m);
        return;
    }
    fer_convert_note(c, m->key, false, "`%s` is %s in %s.", b->exclusive,
                     to_4 ? "a boolean" : "a number", fer_dialect_name(c->to->dialect));
    if (!rules) return;
    if (from_4) {
        fer_seat_copy(c, m->seat, fer_str_of(b->exclusive), plain);
    } else {
        fer_seat_copy(c, m->seat, fer_str_of(b->plain), exclusive);
        fer_tree_put(&c->tree, m->seat->value, fer_str_of(b->exclusive),
                     fer_tree_bool(&c->tree, true));
    }
}

/* ---- notes that some check ----------------------------------------------- */

static void format(fer_convert *c, const fer_member *m)
{
    fer_str name = fer_val_str(m->value);
    bool was_checked = m->rules->dialect == FER_DIALECT_V1;
    bool is_checked = c->to->dialect == FER_DIALECT_V1;
    bool was_known = fer_text_format_find(name, (unsigned)m->rules->dialect);
    bool is_known = fer_text_format_find(name, (unsigned)c->to->dialect);
    if (was_checked != is_checked && (was_known || is_known)) {
        fer_convert_note(c, m->key, true,
                         "`format` is checked in v1, and elsewhere only where asked.");
    } else if (was_known != is_known) {
        fer_convert_note(c, m->key, true, "%s does not know the format \"%.*s\".",
                         fer_dialect_name(is_known ? m->rules->dialect : c->to->dialect),
                         FER_PRI(name));
    }
    keep(c, m);
}

/* They stay as words that mean nothing. */
static void content(fer_convert *c, const fer_member *m)
{
    fer_str name = fer_val_str(m->key);
    if (!fer_keyword_find(c->to, name)) {
        fer_convert_note(c, m->key, true, "`%.*s` means nothing in %s.", FER_PRI(name),
                         fer_dialect_name(c->to->dialect));
    }
    keep(c, m);
}

/* ---- objects ------------------------------------------------------------- */

static void required(fer_convert *c, const fer_member *m)
{
    if (c->to->bit != FER_IN_4 || fer_val_len(m->value)) {
        keep(c, m);
        return;
    }
    fer_convert_note(c, m->key, false, "In draft-04 `required` must not be empty: it is left out.");
}

static void property_names(fer_convert *c, const fer_member *m)
{
    if (c->to->bit != FER_IN_4) {
        keep(c, m);
        return;
    }
    if (!fer_is_bool(m->value)) {
        left_out(c, m, true);
        return;
    }
    fer_convert_note(c, m->key, false, "`propertyNames` of %s is %s in draft-04.",
                     fer_is_true(m->value) ? "true" : "false",
                     fer_is_true(m->value) ? "left out" : "`maxProperties` of 0");
    if (fer_is_true(m->value)) return;
    fer_seat *also = fer_seat_also(c, m->seat);
    yyjson_mut_val *none = also ? yyjson_mut_uint(c->tree.doc, 0) : NULL;
    if (!none) c->tree.failed = true;
    else fer_tree_put(&c->tree, also->value, FER_STR("maxProperties"), none);
}

/* One entry of `dependencies`, which newer dialects have split in two. */
static void put_dependency(fer_convert *c, fer_seat *seat, fer_str name, const yyjson_val *value)
{
    fer_box *box = fer_box_map(c, seat, FER_STR("dependencies"));
    if (fer_is_arr(value) && !fer_val_len(value) && c->to->bit == FER_IN_4) return;
    if (fer_box_has(box, name)) {
        box = fer_box_map(c, fer_seat_also(c, seat), FER_STR("dependencies"));
    }
    if (fer_is_arr(value)) fer_box_copy(c, box, name, value);
    else fer_box_put(c, box, name, value);
}

static void split_dependency(fer_convert *c, fer_seat *seat, fer_str name, const yyjson_val *value)
{
    if (fer_is_arr(value)) {
        fer_box_copy(c, fer_box_map(c, seat, FER_STR("dependentRequired")), name, value);
    } else {
        fer_box_put(c, fer_box_map(c, seat, FER_STR("dependentSchemas")), name, value);
    }
}

static void dependencies(fer_convert *c, const fer_member *m)
{
    bool was_old = fer_rules_old(m->rules), is_old = fer_rules_old(c->to);
    bool split = was_old && !is_old;
    if (!was_old && !is_old) {
        keep(c, m);
        return;
    }
    if (was_old != is_old) {
        fer_convert_note(c, m->key, false, "`%.*s` is now %s.", FER_PRI(fer_val_str(m->key)),
                         split ? "`dependentRequired` and `dependentSchemas`" : "`dependencies`");
    }
    FER_EACH_MEMBER (m->value, key) {
        if (split) split_dependency(c, m->seat, fer_val_str(key), key + 1);
        else put_dependency(c, m->seat, fer_val_str(key), key + 1);
    }
}

/* An object whose property is that text. */
static yyjson_mut_val *has_value(fer_tree *t, fer_str property, fer_str value)
{
    yyjson_mut_val *schema = fer_tree_object(t), *names = fer_tree_array(t);
    yyjson_mut_val *properties = fer_tree_object(t), *one = fer_tree_object(t);
    yyjson_mut_val *values = fer_tree_array(t);
    fer_tree_add(t, names, fer_tree_text(t, property));
    fer_tree_add(t, values, fer_tree_text(t, value));
    fer_tree_put(t, one, FER_STR("enum"), values);
    fer_tree_put(t, properties, property, one);
    fer_tree_put(t, schema, FER_STR("type"), fer_tree_text(t, FER_STR("object")));
    fer_tree_put(t, schema, FER_STR("required"), names);
    fer_tree_put(t, schema, FER_STR("properties"), properties);
    return schema;
}

/*
 * if not (property is value) else schema. The `not` keeps the condition from counting as
 * having looked at the property, which `unevaluatedProperties` would notice.
 */
static void property_dependency(fer_convert *c, const fer_member *m, fer_str property,
                                const yyjson_val *value)
{
    fer_tree *t = &c->tree;
    fer_seat *also = fer_seat_also(c, m->seat);
    bool has_if = c->to->dialect >= FER_DIALECT_DRAFT7;
    yyjson_mut_val *other = fer_tree_object(t);
    fer_tree_put(t, other, FER_STR("not"), has_value(t, property, fer_val_str(value)));
    if (!also) return;
    if (has_if) {
        fer_tree_put(t, also->value, FER_STR("if"), other);
        fer_seat_put(c, also, FER_STR("else"), value + 1, false);
        return;
    }
    fer_box *box = fer_box_list(c, also, FER_STR("anyOf"));
    if (!box) return;
    fer_tree_add(t, box->seat.value, other);
    box->count++;
    fer_box_add(c, box, value + 1);
}

static void property_dependencies(fer_convert *c, const fer_member *m)
{
    if (c->to->dialect == FER_DIALECT_V1) {
        keep(c, m);
        return;
    }
    fer_convert_note(c, m->key, false, "`propertyDependencies` is now said with conditions.");
    FER_EACH_MEMBER (m->value, key) {
        FER_EACH_MEMBER (key + 1, value) {
            property_dependency(c, m, fer_val_str(key), value);
        }
    }
}

/* ---- conditions ---------------------------------------------------------- */

/*
 * Before draft-07: anyOf [not if, then] and anyOf [if, else]. The condition stands once;
 * the second time it is referred to, so that conditions in conditions do not multiply.
 */
static void condition(fer_convert *c, const fer_member *m)
{
    const yyjson_val *then = fer_beside(m, "then"), *otherwise = fer_beside(m, "else");
    if (c->to->dialect >= FER_DIALECT_DRAFT7) {
        keep(c, m);
        return;
    }
    if (!then && !otherwise) {
        fer_convert_park(c, m);
        return;
    }
    fer_convert_note(c, m->key, false, "`if` is now said with `anyOf` and `not`.");
    if (then) {
        fer_box *box = fer_box_list(c, fer_seat_also(c, m->seat), FER_STR("anyOf"));
        fer_seat_put(c, fer_box_inner(c, box), FER_STR("not"), m->value, false);
        fer_box_add(c, box, then);
    }
    if (otherwise) {
        fer_box *box = fer_box_list(c, fer_seat_also(c, m->seat), FER_STR("anyOf"));
        if (then) fer_convert_lead_to(c, fer_box_inner(c, box), m->value);
        else fer_box_add(c, box, m->value);
        fer_box_add(c, box, otherwise);
    }
}

/* What follows from a condition; without one it counts for nothing. */
static void consequence(fer_convert *c, const fer_member *m)
{
    if (c->to->dialect >= FER_DIALECT_DRAFT7) keep(c, m);
    else if (!fer_beside(m, "if")) fer_convert_park(c, m);
}

/* ---- the table ----------------------------------------------------------- */

fer_convert_keyword *fer_convert_rule(enum fer_slot slot)
{
    static fer_convert_keyword *const rules[KW_COUNT] = {
        [KW_REF] = fer_convert_ref,
        [KW_DYNAMIC_REF] = fer_convert_dynamic_ref,
        [KW_RECURSIVE_REF] = fer_convert_recursive_ref,
        [KW_VOCABULARY] = vocabulary,
        [KW_DEFS] = definitions,
        [KW_DEFINITIONS] = definitions,
        [KW_TYPE] = type,
        [KW_ENUM] = enumeration,
        [KW_CONST] = constant,
        [KW_MAXIMUM] = bounds,
        [KW_EXCLUSIVE_MAXIMUM] = bounds,
        [KW_MINIMUM] = bounds,
        [KW_EXCLUSIVE_MINIMUM] = bounds,
        [KW_MAX_LENGTH] = count,
        [KW_MIN_LENGTH] = count,
        [KW_FORMAT] = format,
        [KW_CONTENT_ENCODING] = content,
        [KW_CONTENT_MEDIA_TYPE] = content,
        [KW_CONTENT_SCHEMA] = content,
        [KW_MAX_ITEMS] = count,
        [KW_MIN_ITEMS] = count,
        [KW_PREFIX_ITEMS] = fer_convert_items,
        [KW_ITEMS] = fer_convert_items,
        [KW_ADDITIONAL_ITEMS] = fer_convert_items,
        [KW_CONTAINS] = fer_convert_contains,
        [KW_MAX_CONTAINS] = fer_convert_contains_bound,
        [KW_MIN_CONTAINS] = fer_convert_contains_bound,
        [KW_MAX_PROPERTIES] = count,
        [KW_MIN_PROPERTIES] = count,
        [KW_REQUIRED] = required,
        [KW_PROPERTY_NAMES] = property_names,
        [KW_DEPENDENCIES] = dependencies,
        [KW_DEPENDENT_REQUIRED] = dependencies,
        [KW_DEPENDENT_SCHEMAS] = dependencies,
        [KW_PROPERTY_DEPENDENCIES] = property_dependencies,
        [KW_IF] = condition,
        [KW_THEN] = consequence,
        [KW_ELSE] = consequence,
        [KW_UNEVALUATED_ITEMS] = fer_convert_unevaluated,
        [KW_UNEVALUATED_PROPERTIES] = fer_convert_unevaluated,
    };
    return rules[slot];
}
