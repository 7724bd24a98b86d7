/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way there: a value of the original as the converted schema has it. Calls never go this
 * way; it shows that what was legal can still be said. The marked schema is walked along
 * with the value; where there are alternatives, the first whose translation fits is taken.
 */
#include "errors.h"
#include "look.h"
#include "rewrite.h"

#define FORTH_DEPTH 64

struct forth {
    fer_arena *arena;
    fer_tree tree;
    yyjson_mut_val *root; /* of the marked schema */
    fer_map programs;     /* of branches, by node */
    bool failed;          /* it cannot be said */
    unsigned depth;
};

static void walk(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *value);

static const yyjson_mut_val *mark_of(const yyjson_mut_val *node, const char *op)
{
    return fer_rw_marked(node, op);
}

/* ---- alternatives ----------------------------------------------------------------------- */

static void unref_schema(void *schema)
{
    fer_schema_unref(schema);
}

/* The program of a branch, with the definitions of the whole. */
static fer_schema *program_of(struct forth *f, const yyjson_mut_val *branch)
{
    fer_tree *t = &f->tree;
    fer_str key = {(const char *)&branch, sizeof branch};
    fer_schema *s = fer_map_get(&f->programs, key);
    fer_str text;
    if (s) return s;
    yyjson_mut_val *copy = fer_mut_copy(t, branch), *defs = fer_mut_get(f->root, "$defs");
    if (!copy) return NULL;
    if (fer_mut_is_obj(copy) && defs) fer_mut_set(t, copy, "$defs", fer_mut_copy(t, defs));
    if (fer_tree_write(t, copy, &text, NULL) || fer_schema_compile(text, NULL, &s, NULL))
        return NULL;
    fer_str kept = fer_arena_copy(f->arena, key);
    void **slot = kept.ptr ? fer_map_put(&f->programs, kept) : NULL;
    if (!slot || !fer_arena_defer(f->arena, unref_schema, s)) {
        fer_schema_unref(s);
        return NULL;
    }
    *slot = s;
    return s;
}

static bool fits(struct forth *f, const yyjson_mut_val *branch, const yyjson_mut_val *value)
{
    fer_schema *s = program_of(f, branch);
    fer_str text;
    fer_json *doc;
    bool valid = false;
    if (!s || fer_tree_write(&f->tree, value, &text, NULL)) return false;
    if (fer_json_read(f->arena, text, fer_json_limits_file(), &doc, NULL)) return false;
    if (fer_schema_accepts(s, f->arena, fer_json_root(doc), &valid, NULL)) return false;
    return valid;
}

static void try_branches(struct forth *f, const yyjson_mut_val *list, yyjson_mut_val *value)
{
    FER_EACH_MUT_ITEM(list, branch)
    {
        yyjson_mut_val *copy = fer_mut_copy(&f->tree, value);
        bool before = f->failed;
        if (!copy) return;
        walk(f, branch, copy);
        bool good = !f->failed && fits(f, branch, copy);
        f->failed = before;
        if (!good) continue;
        fer_mut_become(value, copy);
        return;
    }
    f->failed = true;
}

/* ---- what marks say --------------------------------------------------------------------- */

/* Members as a list of entries. */
static yyjson_mut_val *entries(struct forth *f, const yyjson_mut_val *object,
                               const yyjson_mut_val *list_schema)
{
    fer_tree *t = &f->tree;
    const yyjson_mut_val *items = fer_mut_get(list_schema, "items"), *schema;
    /* An optional list may be an alternative to null by now. */
    FER_EACH_MUT_ITEM(fer_mut_get(list_schema, "anyOf"), branch)
    {
        if (!items) items = fer_mut_get(branch, "items");
    }
    schema = fer_mut_get(fer_mut_get(items, "properties"), "value");
    yyjson_mut_val *list = fer_tree_array(t);
    FER_EACH_MUT_MEMBER(object, key)
    {
        yyjson_mut_val *entry = fer_tree_object(t), *value = fer_mut_copy(t, key->next);
        if (schema && value) walk(f, schema, value);
        fer_mut_set(t, entry, "key", fer_tree_text(t, fer_mut_str(key)));
        fer_mut_set(t, entry, "value", value);
        fer_tree_add(t, list, entry);
    }
    return list;
}

static void to_tuple(struct forth *f, const yyjson_mut_val *node, const yyjson_mut_val *mark,
                     yyjson_mut_val *value)
{
    fer_tree *t = &f->tree;
    const yyjson_mut_val *properties = fer_mut_get(node, "properties"),
                         *rest = fer_mut_get(properties, "items");
    size_t length = (size_t)fer_mut_get_uint(fer_mut_get(mark, "length")), index = 0;
    yyjson_mut_val *object = fer_tree_object(t), *list = fer_tree_array(t);
    if (fer_mut_len(value) < length || (fer_mut_len(value) > length && !rest)) {
        f->failed = true;
        return;
    }
    FER_EACH_MUT_ITEM(value, item)
    {
        fer_str name = fer_arena_printf(f->arena, "item_%zu", index);
        yyjson_mut_val *copy = fer_mut_copy(t, item);
        if (!copy || !name.ptr) return;
        const yyjson_mut_val *schema =
            index < length ? fer_mut_find(properties, name) : fer_mut_get(rest, "items");
        if (schema) walk(f, schema, copy);
        if (index++ < length) fer_mut_set_name(t, object, name, copy);
        else fer_tree_add(t, list, copy);
    }
    if (rest) fer_mut_set(t, object, "items", list);
    fer_mut_become(value, object);
}

static void to_text(struct forth *f, const yyjson_mut_val *mark, yyjson_mut_val *value)
{
    FER_EACH_MUT_MEMBER(fer_mut_get(mark, "values"), key)
    {
        if (!fer_mut_same(key->next, value)) continue;
        fer_mut_become(value, fer_tree_text(&f->tree, fer_mut_str(key)));
        return;
    }
    if (!fer_mut_is_null(value)) f->failed = true;
}

/* Marks that make something else of the whole value; says whether there was one. */
static bool transform(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *value)
{
    fer_tree *t = &f->tree;
    const yyjson_mut_val *json = mark_of(node, "json"), *values = mark_of(node, "enum"),
                         *wrap = mark_of(node, "unwrap"), *list = mark_of(node, "entries"),
                         *tuple = mark_of(node, "tuple");
    fer_str text;
    if (json) {
        const yyjson_mut_val *inner = fer_mut_get(json, "schema");
        if (inner) walk(f, inner, value);
        if (!fer_tree_write(t, value, &text, NULL)) fer_mut_become(value, fer_tree_text(t, text));
        return true;
    }
    if (values) {
        to_text(f, values, value);
        return true;
    }
    if (wrap) {
        fer_str key = fer_mut_str(fer_mut_get(wrap, "key"));
        yyjson_mut_val *inner = fer_mut_copy(t, value), *outer = fer_tree_object(t);
        const yyjson_mut_val *schema = fer_mut_find(fer_mut_get(node, "properties"), key);
        if (!inner || !outer) return true;
        if (schema) walk(f, schema, inner);
        fer_mut_set_name(t, outer, key, inner);
        fer_mut_become(value, outer);
        return true;
    }
    if (list && fer_mut_is_obj(value)) {
        yyjson_mut_val *made = entries(f, value, node);
        if (made) fer_mut_become(value, made);
        return true;
    }
    if (tuple && fer_mut_is_arr(value)) {
        to_tuple(f, node, tuple, value);
        return true;
    }
    return false;
}

/* The property that a member of the original is now; ptr NULL: it is none. */
static fer_str new_name(const yyjson_mut_val *node, fer_str name)
{
    const yyjson_mut_val *names = fer_mut_get(mark_of(node, "rename"), "names"),
                         *rest = fer_mut_get(mark_of(node, "rest"), "key");
    FER_EACH_MUT_MEMBER(names, key)
    {
        if (fer_str_eq(fer_mut_str(key->next), name)) return fer_mut_str(key);
    }
    bool made = fer_mut_find(names, name) || (rest && fer_str_eq(fer_mut_str(rest), name));
    return !made && fer_mut_find(fer_mut_get(node, "properties"), name) ? name : FER_STR_NONE;
}

/* Members that are no properties go into the list of entries where there is one. */
static void put_rest(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *made,
                     yyjson_mut_val *others)
{
    fer_tree *t = &f->tree;
    const yyjson_mut_val *rest = fer_mut_get(mark_of(node, "rest"), "key"),
                         *more = fer_mut_get(node, "additionalProperties"),
                         *nulls = fer_mut_get(mark_of(node, "drop-null"), "keys");
    if (rest) {
        fer_str at = fer_mut_str(rest);
        bool needed = fer_mut_lists(fer_mut_get(node, "required"), at) && !fer_mut_lists(nulls, at);
        yyjson_mut_val *list =
            entries(f, others, fer_mut_find(fer_mut_get(node, "properties"), at));
        if (list && (fer_mut_len(list) || needed)) fer_mut_set_name(t, made, at, list);
        return;
    }
    FER_EACH_MUT_MEMBER(others, key)
    {
        yyjson_mut_val *copy = fer_mut_copy(t, key->next);
        if (copy && more && fer_mut_is_obj(more) && !fer_mut_get(node, "patternProperties"))
            walk(f, more, copy);
        fer_mut_set_name(t, made, fer_mut_str(key), copy);
    }
}

/* Whether a property says in so many words that it may be null. */
static bool says_null(const yyjson_mut_val *schema)
{
    if (fer_rw_types(schema) & FER_IS_NULL) return true;
    FER_EACH_MUT_ITEM(fer_mut_get(schema, "anyOf"), branch)
    {
        if (fer_rw_types(branch) & FER_IS_NULL) return true;
    }
    return false;
}

/* What is left out, and may not be any more, is null where it may: the nearest that can be said. */
static void fill_nulls(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *made)
{
    FER_EACH_MUT_ITEM(fer_mut_get(node, "required"), word)
    {
        fer_str name = fer_mut_is_str(word) ? fer_mut_str(word) : FER_STR("");
        const yyjson_mut_val *schema = fer_mut_find(fer_mut_get(node, "properties"), name);
        if (schema && !fer_mut_find(made, name) && says_null(schema))
            fer_mut_set_name(&f->tree, made, name, yyjson_mut_null(f->tree.doc));
    }
}

static void walk_object(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *value)
{
    fer_tree *t = &f->tree;
    const yyjson_mut_val *properties = fer_mut_get(node, "properties"),
                         *nulls = fer_mut_get(mark_of(node, "drop-null"), "keys");
    yyjson_mut_val *made = fer_tree_object(t), *others = fer_tree_object(t);
    FER_EACH_MUT_MEMBER(value, key)
    {
        fer_str name = new_name(node, fer_mut_str(key));
        yyjson_mut_val *copy = fer_mut_copy(t, key->next);
        const yyjson_mut_val *schema = name.ptr ? fer_mut_find(properties, name) : NULL;
        if (copy && schema) walk(f, schema, copy);
        fer_mut_set_name(t, name.ptr ? made : others, name.ptr ? name : fer_mut_str(key), copy);
    }
    if (t->failed) return;
    put_rest(f, node, made, others);
    FER_EACH_MUT_ITEM(nulls, key)
    {
        if (!fer_mut_find(made, fer_mut_str(key)))
            fer_mut_set_name(t, made, fer_mut_str(key), yyjson_mut_null(t->doc));
    }
    fill_nulls(f, node, made);
    fer_mut_become(value, made);
}

static void walk_array(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *value)
{
    const yyjson_mut_val *prefix = fer_mut_first_item(fer_mut_get(node, "prefixItems")),
                         *items = fer_mut_get(node, "items");
    size_t left = fer_mut_len(fer_mut_get(node, "prefixItems"));
    FER_EACH_MUT_ITEM(value, item)
    {
        const yyjson_mut_val *schema = left ? prefix : items;
        if (left) {
            prefix = prefix->next;
            left--;
        }
        if (schema && fer_mut_is_obj(schema)) walk(f, schema, item);
    }
}

static void walk(struct forth *f, const yyjson_mut_val *node, yyjson_mut_val *value)
{
    const yyjson_mut_val *ref = fer_mut_get(node, "$ref"), *any = fer_mut_get(node, "anyOf");
    if (!fer_mut_is_obj(node) || f->failed || f->tree.failed) return;
    if (f->depth > FORTH_DEPTH) {
        f->failed = true;
        return;
    }
    f->depth++;
    if (!transform(f, node, value)) {
        const yyjson_mut_val *target = ref && fer_mut_is_str(ref)
                                           ? fer_plot_target(f->arena, f->root, fer_mut_str(ref))
                                           : NULL;
        if (target) walk(f, target, value);
        FER_EACH_MUT_ITEM(fer_mut_get(node, "allOf"), branch) walk(f, branch, value);
        if (any && fer_mut_marked(any)) try_branches(f, any, value);
        else if (any && fer_mut_get(f->root, "$defs")) try_branches(f, any, value);
        if (fer_mut_is_obj(value)) walk_object(f, node, value);
        else if (fer_mut_is_arr(value)) walk_array(f, node, value);
    }
    f->depth--;
}

fer_code fer_passage_forth(fer_arena *a, const fer_passage *p, fer_str value, fer_str *out,
                           fer_err *err)
{
    struct forth f = {.arena = a, .root = p->root};
    fer_json *doc;
    fer_code code = fer_json_read(a, value, fer_json_limits_file(), &doc, err);
    if (code) return code;
    fer_tree_init(&f.tree, a);
    fer_map_init(&f.programs, a);
    yyjson_mut_val *root = f.tree.failed ? NULL : fer_tree_copy(&f.tree, fer_json_root(doc));
    if (root) walk(&f, f.root, root);
    if (!root || f.tree.failed) return fer_arena_failed(a, err);
    *out = FER_STR_NONE;
    return f.failed ? FER_OK : fer_tree_write(&f.tree, root, out, err);
}
