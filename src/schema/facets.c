/* SPDX-License-Identifier: Apache-2.0 */
#include "facets.h"

/* ---- looking up ---------------------------------------------------------- */

static const struct fer_rules *rules_of(const fer_looking *l, const yyjson_val *schema)
{
    const struct fer_spot *spot = fer_library_spot(&l->program->library, schema);
    return spot ? spot->resource->rules : fer_rules_of(l->program->dialect);
}

/* The value of a keyword that the dialect knows; NULL: it is not there. */
const yyjson_val *fer_look_keyword(const fer_looking *l, const yyjson_val *schema, const char *name)
{
    const yyjson_val *value = fer_is_obj(schema) ? fer_val_get(schema, name) : NULL;
    return value && fer_keyword_find(rules_of(l, schema), fer_str_of(name)) ? value : NULL;
}

/* The schema that a reference leads to, which was found when compiling. */
static const yyjson_val *target_of(const fer_looking *l, const yyjson_val *schema,
                                   const yyjson_val *reference)
{
    const struct fer_spot *spot = fer_library_spot(&l->program->library, schema);
    const fer_node *node = spot ? spot->node : NULL;
    for (uint32_t i = 0; node && i < node->count; i++) {
        if (node->insts[i].source != reference) continue;
        const fer_node *target = fer_inst_target(&node->insts[i]);
        if (target) return target->schema;
    }
    return NULL;
}

static bool is_null(const yyjson_val *v)
{
    return fer_val_is(v, YYJSON_TYPE_NULL);
}

/* Whether a schema is for null and nothing else, said in the usual ways. */
bool fer_look_only_null(const fer_looking *l, const yyjson_val *schema)
{
    const yyjson_val *type = fer_look_keyword(l, schema, "type");
    const yyjson_val *list = fer_look_keyword(l, schema, "enum");
    if (fer_is_arr(type) && fer_val_len(type) == 1) type++;
    if (fer_is_str(type)) return fer_str_is(fer_val_str(type), "null");
    if (fer_is_arr(list) && fer_val_len(list) == 1) return is_null(list + 1);
    return is_null(fer_look_keyword(l, schema, "const"));
}

/* ---- facets -------------------------------------------------------------- */

static bool push(fer_looking *l, fer_facets *to, const yyjson_val *schema, bool or_null)
{
    fer_facet *list = fer_arena_room(l->arena, to->list, to->count, &to->cap, sizeof *list);
    if (!list) return fer_look_no_memory(l);
    to->list = list;
    list[to->count++] = (fer_facet){schema, or_null};
    return true;
}

/* The one branch that is not null, where there is just one; *or_null: null is another. */
static const yyjson_val *single_branch(fer_looking *l, const yyjson_val *list, bool *or_null)
{
    const yyjson_val *only = NULL;
    FER_EACH_ITEM (list, branch) {
        if (!fer_look_spend(l, 1)) return NULL;
        if (fer_look_only_null(l, branch)) {
            *or_null = true;
            continue;
        }
        if (only) return NULL;
        only = branch;
    }
    return only;
}

/* What else holds where a schema does; the first comes to lie on top of the stack. */
static bool push_others(fer_looking *l, fer_facets *stack, const fer_facet *f)
{
    static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef"};
    static const char *const branches[] = {"anyOf", "oneOf"};
    size_t from = stack->count;
    for (size_t i = 0; i < FER_COUNT(references); i++) {
        const yyjson_val *reference = fer_look_keyword(l, f->schema, references[i]);
        const yyjson_val *target = reference ? target_of(l, f->schema, reference) : NULL;
        if (target && !push(l, stack, target, f->or_null)) return false;
    }
    const yyjson_val *all = fer_look_keyword(l, f->schema, "allOf");
    if (fer_is_arr(all)) {
        FER_EACH_ITEM (all, item) {
            if (!fer_look_spend(l, 1)) break;
            if (!push(l, stack, item, f->or_null)) return false;
        }
    }
    for (size_t i = 0; i < FER_COUNT(branches); i++) {
        bool or_null = f->or_null;
        const yyjson_val *list = fer_look_keyword(l, f->schema, branches[i]);
        const yyjson_val *only = fer_is_arr(list) ? single_branch(l, list, &or_null) : NULL;
        if (only && !push(l, stack, only, or_null)) return false;
    }
    for (size_t low = from, high = stack->count; low + 1 < high; low++) {
        fer_facet swap = stack->list[--high];
        stack->list[high] = stack->list[low];
        stack->list[low] = swap;
    }
    return true;
}

bool fer_facets_have(const fer_facets *f, const yyjson_val *schema)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->list[i].schema == schema) return true;
    }
    return false;
}

/* Before 2019-09 a schema with `$ref` says nothing else. */
static bool is_bare_reference(const fer_looking *l, const yyjson_val *schema)
{
    return fer_val_get(schema, "$ref") && rules_of(l, schema)->dialect < FER_DIALECT_2019_09;
}

bool fer_facets_gather(fer_looking *l, const yyjson_val *const *schemas, size_t count,
                       fer_facets *out)
{
    fer_facets stack = {0}, seen = {0};
    for (size_t i = count; i-- > 0;) {
        if (!push(l, &stack, schemas[i], false)) return false;
    }
    while (stack.count && seen.count < FER_FACETS_MAX && fer_look_spend(l, 1)) {
        fer_facet f = stack.list[--stack.count];
        if (!fer_is_obj(f.schema) || fer_facets_have(&seen, f.schema)) continue;
        if (!push(l, &seen, f.schema, f.or_null)) return false;
        if (is_bare_reference(l, f.schema)) {
            const yyjson_val *target = target_of(l, f.schema, fer_val_get(f.schema, "$ref"));
            if (target && !push(l, &stack, target, f.or_null)) return false;
            continue;
        }
        if (!push(l, out, f.schema, f.or_null)) return false;
        if (!push_others(l, &stack, &f)) return false;
    }
    return true;
}

/* ---- types --------------------------------------------------------------- */

static const char *const type_names[] = {"null",   "boolean", "object", "array",
                                         "number", "string",  "integer"};
enum {
    T_NULL,
    T_BOOLEAN,
    T_OBJECT,
    T_ARRAY,
    T_NUMBER,
    T_STRING,
    T_INTEGER,
    T_COUNT = FER_TYPES
};

/* Types in the order they were named; `any`: all of them. */
struct types {
    bool any;
    uint8_t list[T_COUNT];
    uint8_t count;
};

static bool has_type(const struct types *t, uint8_t type)
{
    for (uint8_t i = 0; i < t->count; i++) {
        if (t->list[i] == type) return true;
    }
    return t->any;
}

static void add_type(struct types *t, uint8_t type)
{
    if (!has_type(t, type)) t->list[t->count++] = type;
}

static void add_types(struct types *t, const struct types *more)
{
    t->any = t->any || more->any;
    for (uint8_t i = 0; i < more->count; i++) add_type(t, more->list[i]);
}

static void add_named(struct types *t, fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(type_names); i++) {
        if (fer_str_is(name, type_names[i])) add_type(t, (uint8_t)i);
    }
}

static void add_value(struct types *t, const yyjson_val *v)
{
    static const uint8_t by_type[8] = {
        [YYJSON_TYPE_RAW] = T_NUMBER, [YYJSON_TYPE_NULL] = T_NULL,  [YYJSON_TYPE_BOOL] = T_BOOLEAN,
        [YYJSON_TYPE_NUM] = T_NUMBER, [YYJSON_TYPE_STR] = T_STRING, [YYJSON_TYPE_ARR] = T_ARRAY,
        [YYJSON_TYPE_OBJ] = T_OBJECT};
    bool whole = fer_val_tag(v) == FER_TAG_UINT || fer_val_tag(v) == FER_TAG_SINT;
    add_type(t, whole ? (uint8_t)T_INTEGER : by_type[fer_val_type(v)]);
}

/* What both allow; whole numbers are numbers. */
static struct types common(const struct types *x, const struct types *y)
{
    struct types out = {.any = x->any && y->any};
    if (x->any || y->any) return x->any ? *y : *x;
    for (uint8_t i = 0; i < x->count; i++) {
        uint8_t type = x->list[i];
        if (has_type(y, type) || (type == T_INTEGER && has_type(y, T_NUMBER))) {
            add_type(&out, type);
        } else if (type == T_NUMBER && has_type(y, T_INTEGER)) {
            add_type(&out, T_INTEGER);
        }
    }
    return out;
}

static struct types types_of(fer_looking *l, const fer_facets *f, size_t depth);

/* The union over the branches of an anyOf or oneOf. */
static struct types branch_types(fer_looking *l, const yyjson_val *list, size_t depth)
{
    struct types out = {0};
    if (depth == FER_FACETS_DEPTH) return (struct types){.any = true};
    FER_EACH_ITEM (list, branch) {
        fer_facets f = {0};
        const yyjson_val *one = branch;
        struct types types = {.any = true};
        if (fer_look_spend(l, 1) && fer_facets_gather(l, &one, 1, &f))
            types = types_of(l, &f, depth + 1);
        add_types(&out, &types);
        if (out.any) break;
    }
    return out;
}

/* What one facet allows by its own words. */
static struct types own_types(fer_looking *l, const fer_facet *f, size_t depth)
{
    struct types out = {0};
    const yyjson_val *type = fer_look_keyword(l, f->schema, "type");
    const yyjson_val *list = fer_look_keyword(l, f->schema, "enum");
    const yyjson_val *constant = fer_look_keyword(l, f->schema, "const");
    if (fer_is_str(type)) add_named(&out, fer_val_str(type));
    if (fer_is_arr(type)) {
        FER_EACH_ITEM (type, name) add_named(&out, fer_val_str(name));
    }
    if (!type && constant) add_value(&out, constant);
    if (!type && !constant && list) {
        FER_EACH_ITEM (list, value) {
            if (!fer_look_spend(l, 1)) break;
            add_value(&out, value);
        }
    }
    if (!type && !constant && !list) {
        const yyjson_val *any_of = fer_look_keyword(l, f->schema, "anyOf");
        const yyjson_val *one_of = fer_look_keyword(l, f->schema, "oneOf");
        out.any = true;
        for (size_t i = 0; i < 2; i++) {
            const yyjson_val *branches = i ? one_of : any_of;
            if (!branches) continue;
            struct types types = branch_types(l, branches, depth);
            out = common(&out, &types);
        }
    }
    if (f->or_null) add_type(&out, T_NULL);
    return out;
}

static struct types types_of(fer_looking *l, const fer_facets *f, size_t depth)
{
    struct types out = {.any = true};
    for (size_t i = 0; i < f->count; i++) {
        struct types own = own_types(l, &f->list[i], depth);
        out = common(&out, &own);
    }
    return out;
}

size_t fer_facets_types(fer_looking *l, const fer_facets *f, fer_str names[FER_TYPES])
{
    struct types types = types_of(l, f, 0);
    if (types.any) return 0;
    for (uint8_t i = 0; i < types.count; i++) names[i] = fer_str_of(type_names[types.list[i]]);
    return types.count;
}
