/* SPDX-License-Identifier: Apache-2.0 */
#include "lint.h"

#include "json_number.h"
#include "json_value.h"

/* ---- types ------------------------------------------------------------------------------------
 */

enum {
    STRING = 1,
    INTEGER = 2,
    NUMBER = 4,
    BOOLEAN = 8,
    OBJECT = 16,
    ARRAY = 32,
    NONE = 64,
    ANY = 127
};
static const char *const type_names[] = {"string", "integer", "number", "boolean",
                                         "object", "array",   "null"};

static unsigned type_bit(const yyjson_val *name)
{
    for (unsigned i = 0; fer_is_str(name) && i < FER_COUNT(type_names); i++) {
        if (fer_str_is(fer_val_str(name), type_names[i])) return 1u << i;
    }
    return 0;
}

/* The types that `type` allows; a number may be an integer. */
static unsigned types_of(const yyjson_val *type)
{
    unsigned types = 0;
    if (fer_is_str(type)) types = type_bit(type);
    if (fer_is_arr(type)) {
        FER_EACH_ITEM (type, name) types |= type_bit(name);
    }
    if (types & NUMBER) types |= INTEGER;
    return types ? types : ANY;
}

static unsigned value_types(const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_STR: return STRING;
    case YYJSON_TYPE_BOOL: return BOOLEAN;
    case YYJSON_TYPE_OBJ: return OBJECT;
    case YYJSON_TYPE_ARR: return ARRAY;
    case YYJSON_TYPE_NULL: return NONE;
    default: return fer_number_is_integer(v) ? INTEGER | NUMBER : NUMBER;
    }
}

/* Keywords that look at values of one type only. `format` has numbers, too, in OpenAPI. */
static const struct {
    unsigned types;
    uint64_t slots;
} keywords[] = {
    {STRING, FER_SLOT(KW_CONTENT_ENCODING) | FER_SLOT(KW_CONTENT_MEDIA_TYPE) |
                 FER_SLOT(KW_MAX_LENGTH) | FER_SLOT(KW_MIN_LENGTH) | FER_SLOT(KW_PATTERN)},
    {NUMBER | INTEGER, FER_SLOT(KW_EXCLUSIVE_MAXIMUM) | FER_SLOT(KW_EXCLUSIVE_MINIMUM) |
                           FER_SLOT(KW_MAXIMUM) | FER_SLOT(KW_MINIMUM) | FER_SLOT(KW_MULTIPLE_OF)},
    {ARRAY, FER_SLOT(KW_ADDITIONAL_ITEMS) | FER_SLOT(KW_CONTAINS) | FER_SLOT(KW_ITEMS) |
                FER_SLOT(KW_MAX_ITEMS) | FER_SLOT(KW_MIN_ITEMS) | FER_SLOT(KW_PREFIX_ITEMS) |
                FER_SLOT(KW_UNIQUE_ITEMS)},
    {OBJECT, FER_SLOT(KW_ADDITIONAL_PROPERTIES) | FER_SLOT(KW_DEPENDENT_REQUIRED) |
                 FER_SLOT(KW_DEPENDENT_SCHEMAS) | FER_SLOT(KW_MAX_PROPERTIES) |
                 FER_SLOT(KW_MIN_PROPERTIES) | FER_SLOT(KW_PATTERN_PROPERTIES) |
                 FER_SLOT(KW_PROPERTIES) | FER_SLOT(KW_PROPERTY_NAMES) | FER_SLOT(KW_REQUIRED)},
};

static void check_keywords(const fer_lint *l, unsigned types)
{
    uint64_t idle = 0;
    for (size_t i = 0; i < FER_COUNT(keywords); i++) {
        if (!(keywords[i].types & types)) idle |= l->slots & keywords[i].slots;
    }
    for (; idle; idle &= idle - 1) {
        enum fer_slot slot = (enum fer_slot)__builtin_ctzll(idle);
        fer_warn(l->c, "no-effect", l->values[slot],
                 "`%.*s` says nothing about values of the type beside it.",
                 FER_PRI(fer_slot_name(slot)));
    }
}

static void check_enum(const fer_lint *l, unsigned types)
{
    const yyjson_val *set = fer_lint_get(l, KW_ENUM), *only = fer_lint_get(l, KW_CONST);
    if (only && !(value_types(only) & types))
        fer_warn(l->c, "contradiction", only,
                 "`const` is not of the `type` beside it: no value can fit.");
    if (!fer_is_arr(set)) return;
    FER_EACH_ITEM (set, value) {
        if (value_types(value) & types) continue;
        fer_warn(l->c, "no-effect", value,
                 "This value of `enum` is not of the `type` beside it and can never be given.");
    }
}

static void check_all_of(const fer_lint *l, unsigned types)
{
    const yyjson_val *list = fer_lint_get(l, KW_ALL_OF);
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, branch) types &= types_of(fer_val_get(branch, "type"));
    if (!types)
        fer_warn(l->c, "contradiction", list,
                 "The types in `allOf` exclude each other: no value can fit.");
}

void fer_lint_types(const fer_lint *l)
{
    unsigned types = types_of(fer_lint_get(l, KW_TYPE));
    if (l->c->failed) return; /* what is wrong goes first; this may follow from it */
    if (types != ANY) check_keywords(l, types);
    if (types != ANY) check_enum(l, types);
    check_all_of(l, types);
}

/* ---- definitions -------------------------------------------------------------------------------
 */

/* The name in "#/$defs/name" or below it; ptr NULL: the reference leads elsewhere. */
static fer_str named_by(fer_str ref)
{
    size_t from = fer_str_starts(ref, "#/$defs/")         ? 8
                  : fer_str_starts(ref, "#/definitions/") ? 14
                                                          : 0;
    if (!from) return FER_STR_NONE;
    size_t end = fer_str_find(ref, from, '/');
    return fer_str_slice(ref, from, end == SIZE_MAX ? ref.len : end);
}

/* Every reference to a definition is noted; false: one is of a kind that could lead anywhere. */
static bool gather_refs(fer_compile *c, const struct fer_spot *const *spots, size_t count,
                        fer_map *used)
{
    for (size_t i = 0; i < count; i++) {
        const yyjson_val *schema = spots[i]->value;
        if (!fer_is_obj(schema)) continue;
        FER_EACH_MEMBER (schema, key) {
            fer_str word = fer_val_str(key);
            if (fer_str_is(word, "$id") && schema != c->root) return false;
            if (fer_str_is(word, "$dynamicRef") || fer_str_ends(word, "nchor")) return false;
            if (!fer_str_is(word, "$ref") || !fer_is_str(key + 1)) continue;
            fer_str name = named_by(fer_val_str(key + 1));
            bool escaped = fer_str_find(fer_val_str(key + 1), 0, '~') != SIZE_MAX ||
                           fer_str_find(fer_val_str(key + 1), 0, '%') != SIZE_MAX;
            if (!name.ptr || escaped) {
                if (fer_str_is(fer_val_str(key + 1), "#")) continue;
                return false;
            }
            void **slot = fer_map_put(used, name);
            if (!slot) {
                fer_compile_no_memory(c);
                return false;
            }
            *slot = c;
        }
    }
    return true;
}

void fer_lint_unused(fer_compile *c, const yyjson_val *root, const struct fer_spot *const *spots,
                     size_t count)
{
    static const char *const places[] = {"$defs", "definitions"};
    fer_map used;
    if (!fer_is_obj(root)) return;
    const yyjson_val *defs[] = {fer_val_get(root, places[0]), fer_val_get(root, places[1])};
    if (!fer_is_obj(defs[0]) && !fer_is_obj(defs[1])) return;
    fer_map_init(&used, c->scratch);
    if (!gather_refs(c, spots, count, &used)) return;
    for (size_t i = 0; i < FER_COUNT(defs); i++) {
        if (!fer_is_obj(defs[i])) continue;
        FER_EACH_MEMBER (defs[i], key) {
            if (fer_map_get(&used, fer_val_str(key))) continue;
            fer_warn(c, "unused-definition", key, "Nothing refers to the definition \"%.*s\".",
                     FER_PRI(fer_str_head(fer_val_str(key), 100)));
        }
    }
}

/* ---- values -------------------------------------------------------------------------------------
 */

static void check_value(fer_compile *c, const fer_node *node, const yyjson_val *value,
                        const char *what)
{
    bool valid = true;
    const fer_node *root = c->program->root;
    fer_err err;
    c->program->root = node;
    fer_code code = fer_schema_accepts(c->program, c->scratch, value, &valid, &err);
    c->program->root = root;
    if (code == FER_OUT_OF_MEMORY) fer_compile_no_memory(c);
    if (!code && !valid)
        fer_warn(c, "invalid-value", value, "This %s is not valid under the schema it stands in.",
                 what);
}

void fer_lint_values(const fer_lint *l, const fer_node *node)
{
    const yyjson_val *value = fer_lint_get(l, KW_DEFAULT), *list = fer_lint_get(l, KW_EXAMPLES);
    if (l->c->failed || !node) return;
    if (value) check_value(l->c, node, value, "default");
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, item) check_value(l->c, node, item, "example");
}
