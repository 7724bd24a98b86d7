/* SPDX-License-Identifier: Apache-2.0 */
#include "infer.h"

#include "errors.h"
#include "json_doc.h"
#include "json_number.h"

/* The types of JSON Schema, in the order in which a list of them is written. */
enum type {
    TYPE_STRING,
    TYPE_INTEGER,
    TYPE_NUMBER,
    TYPE_BOOLEAN,
    TYPE_OBJECT,
    TYPE_ARRAY,
    TYPE_NULL,
    TYPE_COUNT
};
static const char *const type_names[] = {"string", "integer", "number", "boolean",
                                         "object", "array",   "null"};

/* 1.0 is written by somebody who may write 1.5 next. */
static enum type type_of(const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_STR: return TYPE_STRING;
    case YYJSON_TYPE_BOOL: return TYPE_BOOLEAN;
    case YYJSON_TYPE_OBJ: return TYPE_OBJECT;
    case YYJSON_TYPE_ARR: return TYPE_ARRAY;
    case YYJSON_TYPE_NULL: return TYPE_NULL;
    default: return fer_number_is_integer_text(v) ? TYPE_INTEGER : TYPE_NUMBER;
    }
}

static bool sample_init(fer_inference *n, fer_sample *s, size_t count)
{
    *s = (fer_sample){fer_arena_alloc_zero(n->arena, count + 1, sizeof *s->list), 0};
    if (!s->list) n->tree.failed = true;
    return s->list != NULL;
}

/* The values of one type. */
static bool sample_of(fer_inference *n, const fer_sample *all, enum type type, fer_sample *out)
{
    if (!sample_init(n, out, all->count)) return false;
    for (size_t i = 0; i < all->count; i++) {
        if (type_of(all->list[i]) == type) out->list[out->count++] = all->list[i];
    }
    return true;
}

static yyjson_mut_val *schema_of(fer_inference *n, const fer_sample *all, size_t depth);

/* ---- objects ------------------------------------------------------------------------------------
 */

/* One key at a place, with the values that it has there. */
struct member {
    const yyjson_val *key; /* its first */
    size_t count;
    fer_sample values;
};

struct members {
    fer_map by_key;
    struct member **list; /* in the order of their first */
    size_t count, cap;
    size_t total; /* members of all objects */
};

static struct member *member_of(fer_inference *n, struct members *m, const yyjson_val *key)
{
    void **place = fer_map_put(&m->by_key, fer_val_str(key));
    struct member *made = place ? *place : NULL;
    if (made) return made;
    made = fer_arena_alloc_zero(n->arena, 1, sizeof *made);
    struct member **list = fer_arena_room(n->arena, m->list, m->count, &m->cap, sizeof *list);
    if (list) m->list = list;
    if (!place || !made || !list) {
        n->tree.failed = true;
        return NULL;
    }
    made->key = key;
    *place = m->list[m->count++] = made;
    return made;
}

/* Two ways over the objects: one counts, one takes the values. */
static bool gather_members(fer_inference *n, const fer_sample *objects, struct members *m)
{
    *m = (struct members){0};
    fer_map_init(&m->by_key, n->arena);
    for (size_t i = 0; i < objects->count; i++) {
        FER_EACH_MEMBER (objects->list[i], key) {
            struct member *one = member_of(n, m, key);
            if (!one) return false;
            one->count++;
            m->total++;
        }
    }
    for (size_t i = 0; i < m->count; i++) {
        if (!sample_init(n, &m->list[i]->values, m->list[i]->count)) return false;
    }
    for (size_t i = 0; i < objects->count; i++) {
        FER_EACH_MEMBER (objects->list[i], key) {
            fer_sample *values =
                &((struct member *)fer_map_get(&m->by_key, fer_val_str(key)))->values;
            values->list[values->count++] = key + 1;
        }
    }
    return true;
}

/* Whether all values are of one type, nulls and kinds of numbers not counted. */
static bool is_uniform(const struct members *m)
{
    unsigned seen = 0;
    for (size_t i = 0; i < m->count; i++) {
        const fer_sample *values = &m->list[i]->values;
        for (size_t k = 0; k < values->count; k++) {
            enum type type = type_of(values->list[k]);
            seen |= 1u << (type == TYPE_INTEGER ? TYPE_NUMBER : type);
        }
    }
    seen &= ~(1u << TYPE_NULL);
    return (seen & (seen - 1)) == 0;
}

/*
 * Keys are data, not names, where each reads like a datum, or where there are many and an
 * object has less than half of them.
 */
static bool is_map(fer_inference *n, const struct members *m, size_t objects)
{
    size_t data = 0;
    if (m->count < 2 || !is_uniform(m)) return false;
    while (data < m->count && fer_infer_is_datum(n, fer_val_str(m->list[data]->key))) data++;
    if (data == m->count) return true;
    return objects > 1 && m->count >= FER_INFER_MAP && m->total / objects < m->count / 2;
}

static yyjson_mut_val *map_values(fer_inference *n, const struct members *m, size_t depth)
{
    fer_sample all;
    if (!sample_init(n, &all, m->total)) return NULL;
    for (size_t i = 0; i < m->count; i++) {
        const fer_sample *values = &m->list[i]->values;
        for (size_t k = 0; k < values->count; k++) all.list[all.count++] = values->list[k];
    }
    return schema_of(n, &all, depth);
}

static void put_properties(fer_inference *n, yyjson_mut_val *schema, const struct members *m,
                           size_t objects, size_t depth)
{
    fer_tree *t = &n->tree;
    yyjson_mut_val *properties = fer_tree_object(t), *required = fer_tree_array(t);
    for (size_t i = 0; i < m->count && !t->failed && !n->code; i++) {
        fer_str name = fer_val_str(m->list[i]->key);
        fer_tree_put(t, properties, name, schema_of(n, &m->list[i]->values, depth));
        if (m->list[i]->count == objects) fer_tree_add(t, required, fer_tree_text(t, name));
    }
    if (m->count) fer_tree_put(t, schema, FER_STR("properties"), properties);
    if (required && yyjson_mut_arr_size(required))
        fer_tree_put(t, schema, FER_STR("required"), required);
    if (!n->options.open)
        fer_tree_put(t, schema, FER_STR("additionalProperties"), fer_tree_bool(t, false));
}

static void put_object(fer_inference *n, yyjson_mut_val *schema, const fer_sample *all,
                       size_t depth)
{
    fer_sample objects;
    struct members m;
    if (!sample_of(n, all, TYPE_OBJECT, &objects) || !gather_members(n, &objects, &m)) return;
    /* The arguments themselves have names. */
    if (depth == 1 || !is_map(n, &m, objects.count)) {
        put_properties(n, schema, &m, objects.count, depth);
        return;
    }
    fer_tree_put(&n->tree, schema, FER_STR("additionalProperties"), map_values(n, &m, depth));
}

/* ---- the others
 * ----------------------------------------------------------------------------------
 */

static void put_array(fer_inference *n, yyjson_mut_val *schema, const fer_sample *all, size_t depth)
{
    fer_sample items;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (fer_is_arr(all->list[i])) count += fer_val_len(all->list[i]);
    }
    if (!sample_init(n, &items, count)) return;
    for (size_t i = 0; i < all->count; i++) {
        if (!fer_is_arr(all->list[i])) continue;
        FER_EACH_ITEM (all->list[i], item) items.list[items.count++] = item;
    }
    fer_tree_put(&n->tree, schema, FER_STR("items"), schema_of(n, &items, depth));
}

/* `enum` counts for values of every type, so there is one only beside strings and nulls. */
static void put_enum(fer_inference *n, yyjson_mut_val *schema, const fer_sample *strings,
                     unsigned types)
{
    size_t count;
    fer_tree *t = &n->tree;
    if (types & ~(1u << TYPE_STRING | 1u << TYPE_NULL)) return;
    const fer_str *set = fer_infer_enum(n, strings, &count);
    if (!set) return;
    yyjson_mut_val *list = fer_tree_array(t);
    for (size_t i = 0; i < count; i++) fer_tree_add(t, list, fer_tree_text(t, set[i]));
    if (types & 1u << TYPE_NULL) fer_tree_add(t, list, yyjson_mut_null(t->doc));
    fer_tree_put(t, schema, FER_STR("enum"), list);
}

static void put_string(fer_inference *n, yyjson_mut_val *schema, const fer_sample *all,
                       unsigned types)
{
    fer_sample strings;
    if (!sample_of(n, all, TYPE_STRING, &strings)) return;
    const char *format = fer_infer_format(n, &strings);
    if (!format) put_enum(n, schema, &strings, types);
    else
        fer_tree_put(&n->tree, schema, FER_STR("format"),
                     fer_tree_text(&n->tree, fer_str_of(format)));
}

static void put_types(fer_inference *n, yyjson_mut_val *schema, unsigned types)
{
    fer_tree *t = &n->tree;
    yyjson_mut_val *list = fer_tree_array(t), *one = NULL;
    if (types & 1u << TYPE_NUMBER) types &= ~(1u << TYPE_INTEGER);
    for (unsigned i = 0; i < TYPE_COUNT; i++) {
        if (!(types & 1u << i)) continue;
        one = fer_tree_text(t, fer_str_of(type_names[i]));
        if ((types & (types - 1)) != 0) fer_tree_add(t, list, one);
    }
    if (types) fer_tree_put(t, schema, FER_STR("type"), (types & (types - 1)) != 0 ? list : one);
}

/* No value at all (the items of lists that are all empty) gives a schema that says nothing. */
static yyjson_mut_val *schema_of(fer_inference *n, const fer_sample *all, size_t depth)
{
    unsigned types = 0;
    yyjson_mut_val *schema = fer_tree_object(&n->tree);
    for (size_t i = 0; i < all->count; i++) types |= 1u << type_of(all->list[i]);
    bool deeper = types & (1u << TYPE_OBJECT | 1u << TYPE_ARRAY);
    if (deeper && depth == FER_INFER_DEPTH) {
        n->code = fer_fail(n->err, FER_LIMIT_EXCEEDED,
                           "an example is more than %d levels deep (infer.depth)", FER_INFER_DEPTH);
        return schema;
    }
    put_types(n, schema, types);
    if (types & 1u << TYPE_STRING) put_string(n, schema, all, types);
    if (types & 1u << TYPE_OBJECT) put_object(n, schema, all, depth + 1);
    if (types & 1u << TYPE_ARRAY) put_array(n, schema, all, depth + 1);
    return schema;
}

/* ---- all of it
 * -----------------------------------------------------------------------------------
 */

static fer_code check_examples(const fer_schema *s, fer_arena *scratch,
                               const yyjson_val *const *examples, size_t count, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < count && !code; i++) {
        bool valid = false;
        fer_arena_reset(scratch);
        code = fer_schema_accepts(s, scratch, examples[i], &valid, err);
        if (!code && !valid)
            code = fer_fail(err, FER_INTERNAL,
                            "example %zu does not fit the schema that was made of it; this is a "
                            "mistake of Ferrule's own",
                            i + 1);
    }
    return code;
}

/* That every example fits is a promise; so it is asked, with formats, of the engine itself. */
static fer_code check(fer_str text, const yyjson_val *const *examples, size_t count, fer_err *err)
{
    fer_schema *program = NULL;
    fer_arena *scratch = fer_arena_new(0);
    const fer_schema_options options = {.assert_formats = true, .limits = fer_schema_limits_file()};
    fer_code code = scratch ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_schema_compile(text, &options, &program, err);
    if (!code) code = check_examples(program, scratch, examples, count, err);
    fer_schema_unref(program);
    fer_arena_free(scratch);
    return code;
}

fer_code fer_schema_infer(fer_arena *a, const yyjson_val *const *examples, size_t count,
                          const fer_infer_options *options, fer_str *out, fer_err *err)
{
    fer_inference n = {.arena = a, .err = err};
    fer_sample all;
    fer_str text;
    if (!count) return fer_fail(err, FER_BAD_USAGE, "there is no example to make a schema of");
    if (count > FER_INFER_EXAMPLES)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "more than %d examples (infer.examples)",
                        FER_INFER_EXAMPLES);
    if (options) n.options = *options;
    fer_tree_init(&n.tree, a);
    if (n.tree.failed || !sample_init(&n, &all, count)) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count; i++) all.list[all.count++] = examples[i];
    const yyjson_mut_val *root = schema_of(&n, &all, 0);
    if (n.code) return n.code;
    fer_code code = fer_tree_write(&n.tree, root, &text, err);
    if (!code) code = check(text, examples, count, err);
    if (!code) *out = text;
    return code;
}
