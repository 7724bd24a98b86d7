/* SPDX-License-Identifier: Apache-2.0 */
/* Converting what is said of items, and of items and properties that nobody else speaks of. */
#include "convert.h"

#include "json_number.h"

/* ---- items --------------------------------------------------------------- */

static bool has_prefix_items(const struct fer_rules *rules)
{
    return rules->dialect >= FER_DIALECT_2020_12;
}

static void renamed(fer_convert *c, const fer_member *m, const char *name)
{
    fer_convert_note(c, m->key, false, "`%.*s` is now `%s`.", FER_PRI(fer_val_str(m->key)), name);
    fer_convert_plain(c, m, fer_str_of(name));
}

/* items and additionalItems become prefixItems and items, or the other way round. */
void fer_convert_items(fer_convert *c, const fer_member *m)
{
    const yyjson_val *items = fer_beside(m, "items");
    enum fer_slot slot = m->keyword->slot;
    bool was = has_prefix_items(m->rules), is = has_prefix_items(c->to);
    if (slot == KW_ADDITIONAL_ITEMS && !fer_is_arr(items)) {
        /* It counts for nothing, and must not begin to. */
        if (is) fer_convert_park(c, m);
        else fer_convert_plain(c, m, FER_STR("additionalItems"));
    } else if (was == is) {
        fer_convert_plain(c, m, fer_val_str(m->key));
    } else if (is) {
        if (slot == KW_ADDITIONAL_ITEMS) renamed(c, m, "items");
        else if (fer_is_arr(m->value)) renamed(c, m, "prefixItems");
        else fer_convert_plain(c, m, FER_STR("items"));
    } else {
        bool rest = slot == KW_ITEMS && fer_beside(m, "prefixItems");
        if (rest) renamed(c, m, "additionalItems");
        else if (slot == KW_PREFIX_ITEMS) renamed(c, m, "items");
        else fer_convert_plain(c, m, FER_STR("items"));
    }
}

/* ---- contains ------------------------------------------------------------ */

static uint64_t bound(const fer_member *m, const char *name, uint64_t otherwise)
{
    const yyjson_val *v = fer_beside(m, name);
    uint64_t value = UINT64_MAX;
    if (!v) return otherwise;
    if (!fer_number_u64(v, &value)) return UINT64_MAX;
    return value;
}

static bool has_bounds(const struct fer_rules *rules)
{
    return !fer_rules_old(rules);
}

/* draft-04: not an array of which no item fits. */
static void negated(fer_convert *c, const fer_member *m)
{
    fer_seat *at = fer_val_get(m->schema, "not") ? fer_seat_also(c, m->seat) : m->seat;
    fer_seat *none = fer_seat_inner(c, at, FER_STR("not"));
    if (!none) return;
    fer_tree_put(&c->tree, none->value, FER_STR("type"), fer_tree_text(&c->tree, FER_STR("array")));
    fer_seat *items = fer_seat_inner(c, none, FER_STR("items"));
    fer_seat_put(c, items, FER_STR("not"), m->value, false);
    fer_convert_note(c, m->key, false, "`contains` is now said with `not` and `items`.");
}

void fer_convert_contains(fer_convert *c, const fer_member *m)
{
    bool optional = bound(m, "minContains", 1) == 0;
    if (optional && !has_bounds(c->to)) {
        fer_convert_park(c, m); /* what `maxContains` loses is told there */
    } else if (c->to->bit == FER_IN_4) {
        negated(c, m);
    } else {
        fer_convert_plain(c, m, FER_STR("contains"));
    }
}

/* Older drafts can say that there is one, and no more. */
void fer_convert_contains_bound(fer_convert *c, const fer_member *m)
{
    fer_str name = fer_val_str(m->key);
    if (has_bounds(c->to)) {
        fer_convert_plain(c, m, name);
        return;
    }
    bool least = m->keyword->slot == KW_MIN_CONTAINS;
    uint64_t value = bound(m, least ? "minContains" : "maxContains", 0);
    bool matters = fer_beside(m, "contains") && !(least && value <= 1);
    if (matters) {
        fer_convert_note(c, m->key, true, "%s has no `%.*s`: it is left out.",
                         fer_dialect_name(c->to->dialect), FER_PRI(name));
    } else {
        fer_convert_note(c, m->key, false, "`%.*s` changes nothing: it is left out.",
                         FER_PRI(name));
    }
}

/* ---- unevaluated --------------------------------------------------------- */

/* Whether other schemas speak of the same value, so that it must be known what they looked at. */
static bool others_speak(const fer_member *m)
{
    static const char *const keywords[] = {
        "$ref",  "$dynamicRef", "$recursiveRef",    "allOf",        "anyOf",
        "oneOf", "if",          "dependentSchemas", "dependencies", "propertyDependencies"};
    for (size_t i = 0; i < FER_COUNT(keywords); i++) {
        if (fer_beside(m, keywords[i])) return true;
    }
    return false;
}

/* The keyword that says the same where no other schema speaks; NULL: nothing is left to say. */
static const char *rest_keyword(const fer_member *m)
{
    if (m->keyword->slot == KW_UNEVALUATED_PROPERTIES) {
        return fer_beside(m, "additionalProperties") ? NULL : "additionalProperties";
    }
    const yyjson_val *items = fer_beside(m, "items");
    if (has_prefix_items(m->rules)) {
        return items ? NULL : fer_beside(m, "prefixItems") ? "additionalItems" : "items";
    }
    if (!items) return "items";
    return fer_is_arr(items) && !fer_beside(m, "additionalItems") ? "additionalItems" : NULL;
}

static void without_unevaluated(fer_convert *c, const fer_member *m)
{
    fer_str name = fer_val_str(m->key);
    bool items = m->keyword->slot == KW_UNEVALUATED_ITEMS;
    if (fer_is_true(m->value)) {
        fer_convert_note(c, m->key, false, "`%.*s` refuses nothing: it is left out.",
                         FER_PRI(name));
        return;
    }
    bool found = items && has_prefix_items(m->rules) && fer_beside(m, "contains");
    if (others_speak(m) || found) {
        fer_convert_note(c, m->key, true, "%s has no `%.*s`: it is left out.",
                         fer_dialect_name(c->to->dialect), FER_PRI(name));
        fer_convert_drop(c, m);
        return;
    }
    const char *other = rest_keyword(m);
    if (other) {
        renamed(c, m, other);
    } else {
        fer_convert_note(c, m->key, false, "Nothing is left for `%.*s`: it is left out.",
                         FER_PRI(name));
        fer_convert_drop(c, m);
    }
}

void fer_convert_unevaluated(fer_convert *c, const fer_member *m)
{
    if (fer_rules_old(c->to)) {
        without_unevaluated(c, m);
        return;
    }
    bool items = m->keyword->slot == KW_UNEVALUATED_ITEMS;
    if (items && c->has_contains && has_prefix_items(m->rules) != has_prefix_items(c->to)) {
        fer_convert_note(c, m->key, true,
                         "Whether `contains` counts for `unevaluatedItems` is not the same in %s.",
                         fer_dialect_name(c->to->dialect));
    }
    fer_convert_plain(c, m, fer_val_str(m->key));
}
