/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the meta-schemas demand of each keyword's value, said in sentences. The verdict is
 * that of the dialect's meta-schema (tests/schema/test_forms compares the two); the work is
 * a fraction of running it, and the messages are about the one keyword that is wrong.
 */
#include "compile.h"
#include "json_hash.h"
#include "json_number.h"

#define INVALID(c, value, ...)                                                                     \
    fer_problem((c), FER_INVALID_SCHEMA, "meta-schema", (value), __VA_ARGS__)

static void wrong_type(fer_compile *c, const fer_keyword *k, const yyjson_val *value,
                       const char *wanted)
{
    INVALID(c, value, "`%s` must be %s, not %s.", k->name, wanted, fer_val_type_name(value));
}

static bool schema_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                        const yyjson_val *value)
{
    if (fer_is_obj(value) || (fer_is_bool(value) && rules->bit != FER_IN_4)) return true;
    const char *wanted = rules->bit == FER_IN_4 ? "an object" : "an object or a boolean";
    INVALID(c, value, "A schema in `%s` must be %s, not %s.", k->name, wanted,
            fer_val_type_name(value));
    return false;
}

/* Strings, no two of them the same. */
static void names_form(fer_compile *c, const fer_keyword *k, const yyjson_val *value, size_t least)
{
    if (!fer_is_arr(value)) {
        wrong_type(c, k, value, "a list of names");
        return;
    }
    if (fer_val_len(value) < least) INVALID(c, value, "`%s` must not be empty.", k->name);
    fer_map seen;
    fer_map_init(&seen, c->scratch);
    FER_EACH_ITEM (value, item) {
        if (!fer_is_str(item)) {
            INVALID(c, item, "`%s` lists names, and %s is none.", k->name, fer_val_type_name(item));
            continue;
        }
        void **place = fer_map_put(&seen, fer_val_str(item));
        if (!place) {
            fer_compile_no_memory(c);
            return;
        }
        if (*place) {
            INVALID(c, item, "`%s` names \"%.*s\" twice.", k->name, FER_PRI(fer_val_str(item)));
        }
        *place = &seen;
    }
}

static void list_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                      const yyjson_val *value)
{
    if (!fer_is_arr(value)) {
        wrong_type(c, k, value, "a list of schemas");
        return;
    }
    if (!fer_val_len(value)) INVALID(c, value, "`%s` must not be empty.", k->name);
    FER_EACH_ITEM (value, item) schema_form(c, rules, k, item);
}

static void map_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                     const yyjson_val *value)
{
    if (!fer_is_obj(value)) {
        wrong_type(c, k, value, "an object of schemas");
        return;
    }
    FER_EACH_MEMBER (value, key) {
        if (k->form == FER_FORM_DEPENDENCIES && fer_is_arr(key + 1)) {
            names_form(c, k, key + 1, rules->bit == FER_IN_4);
        } else if (k->form == FER_FORM_NAMES_MAP) {
            names_form(c, k, key + 1, 0);
        } else if (k->form == FER_FORM_SCHEMA_MAP_MAP) {
            if (!fer_is_obj(key + 1)) {
                wrong_type(c, k, key + 1, "an object of objects of schemas");
                continue;
            }
            FER_EACH_MEMBER (key + 1, inner) schema_form(c, rules, k, inner + 1);
        } else {
            schema_form(c, rules, k, key + 1);
        }
    }
}

static bool is_type_name(const yyjson_val *v)
{
    static const char *const names[] = {"array",  "boolean", "integer", "null",
                                        "number", "object",  "string"};
    for (size_t i = 0; fer_is_str(v) && i < FER_COUNT(names); i++) {
        if (fer_str_is(fer_val_str(v), names[i])) return true;
    }
    return false;
}

static void type_form(fer_compile *c, const fer_keyword *k, const yyjson_val *value)
{
    static const char types[] = "array, boolean, integer, null, number, object or string";
    if (fer_is_arr(value)) {
        names_form(c, k, value, 1);
        FER_EACH_ITEM (value, item) {
            if (fer_is_str(item) && !is_type_name(item)) {
                INVALID(c, item, "\"%.*s\" is no type; a type is one of %s.",
                        FER_PRI(fer_val_str(item)), types);
            }
        }
    } else if (!fer_is_str(value)) {
        wrong_type(c, k, value, "the name of a type or a list of them");
    } else if (!is_type_name(value)) {
        INVALID(c, value, "\"%.*s\" is no type; a type is one of %s.", FER_PRI(fer_val_str(value)),
                types);
    }
}

static void enum_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                      const yyjson_val *value)
{
    if (!fer_is_arr(value)) {
        wrong_type(c, k, value, "a list of values");
        return;
    }
    if (!(rules->bit & (FER_IN_4 | FER_IN_6))) return;
    if (!fer_val_len(value)) INVALID(c, value, "`%s` must not be empty.", k->name);
    bool twice = false;
    if (fer_items_unique(c->scratch, value, &twice, NULL) != FER_OK) fer_compile_no_memory(c);
    if (twice) INVALID(c, value, "`%s` must not list a value twice.", k->name);
}

static void number_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                        const yyjson_val *value)
{
    if (!fer_is_num(value)) {
        wrong_type(c, k, value,
                   k->form == FER_FORM_COUNT ? "a whole number, 0 or more" : "a number");
        return;
    }
    static const yyjson_val zero = {.tag = FER_TAG_UINT, .uni = {.u64 = 0}};
    int sign = fer_number_cmp(value, &zero);
    if (k->form == FER_FORM_POSITIVE && sign <= 0) {
        INVALID(c, value, "`%s` must be greater than 0.", k->name);
    }
    if (k->form != FER_FORM_COUNT) return;
    bool whole =
        rules->bit == FER_IN_4 ? fer_number_is_integer_text(value) : fer_number_is_integer(value);
    if (sign < 0 || !whole) INVALID(c, value, "`%s` must be a whole number, 0 or more.", k->name);
}

/* 2019-09: ^[A-Za-z][-A-Za-z0-9.:_]*$; later: ^[A-Za-z_][-A-Za-z0-9._]*$. */
static bool is_anchor(const struct fer_rules *rules, fer_str s)
{
    bool first = rules->bit == FER_IN_2019;
    for (size_t i = 0; i < s.len; i++) {
        char ch = s.ptr[i];
        bool ok = fer_is_alpha(ch) || (ch == '_' && (i || !first)) ||
                  (i && (fer_is_digit(ch) || ch == '-' || ch == '.' || (ch == ':' && first)));
        if (!ok) return false;
    }
    return s.len > 0;
}

static void string_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                        const yyjson_val *value)
{
    if (!fer_is_str(value)) {
        wrong_type(c, k, value, "a string");
        return;
    }
    fer_str s = fer_val_str(value);
    if (k->form == FER_FORM_ANCHOR && !is_anchor(rules, s)) {
        INVALID(c, value,
                "\"%.*s\" is no name for `%s`: it must begin with a letter and go on with "
                "letters, digits, '-', '_' and '.'.",
                FER_PRI(s), k->name);
    }
    size_t hash = fer_str_find(s, 0, '#');
    if (k->form == FER_FORM_ID && hash != SIZE_MAX &&
        !(rules->bit & (FER_IN_4 | FER_IN_6 | FER_IN_7)) &&
        (rules->bit == FER_IN_V1 || hash + 1 < s.len)) {
        INVALID(c, value,
                "`$id` must not have a fragment (\"#...\"); `$anchor` names a subschema.");
    }
}

static void vocabulary_form(fer_compile *c, const fer_keyword *k, const yyjson_val *value)
{
    if (!fer_is_obj(value)) {
        wrong_type(c, k, value, "an object of booleans");
        return;
    }
    FER_EACH_MEMBER (value, key) {
        if (!fer_is_bool(key + 1)) wrong_type(c, k, key + 1, "an object of booleans");
    }
}

void fer_form_check(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                    const yyjson_val *value)
{
    switch (k->form) {
    case FER_FORM_ANY: return;
    case FER_FORM_BOOL:
        if (!fer_is_bool(value)) wrong_type(c, k, value, "true or false");
        return;
    case FER_FORM_STRING:
    case FER_FORM_ID:
    case FER_FORM_ANCHOR:
    case FER_FORM_PATTERN: string_form(c, rules, k, value); return;
    case FER_FORM_NUMBER:
    case FER_FORM_POSITIVE:
    case FER_FORM_COUNT: number_form(c, rules, k, value); return;
    case FER_FORM_TYPE: type_form(c, k, value); return;
    case FER_FORM_ENUM: enum_form(c, rules, k, value); return;
    case FER_FORM_LIST:
        if (!fer_is_arr(value)) wrong_type(c, k, value, "a list");
        return;
    case FER_FORM_NAMES: names_form(c, k, value, rules->bit == FER_IN_4); return;
    case FER_FORM_VOCABULARY: vocabulary_form(c, k, value); return;
    case FER_FORM_SCHEMA: schema_form(c, rules, k, value); return;
    case FER_FORM_SCHEMA_OR_BOOL:
        if (!fer_is_bool(value)) schema_form(c, rules, k, value);
        return;
    case FER_FORM_SCHEMA_LIST: list_form(c, rules, k, value); return;
    case FER_FORM_SCHEMA_OR_LIST:
        if (fer_is_arr(value)) list_form(c, rules, k, value);
        else schema_form(c, rules, k, value);
        return;
    case FER_FORM_NAMES_MAP:
    case FER_FORM_SCHEMA_MAP:
    case FER_FORM_PATTERN_MAP:
    case FER_FORM_DEPENDENCIES:
    case FER_FORM_SCHEMA_MAP_MAP: map_form(c, rules, k, value); return;
    }
}

void fer_root_form(fer_compile *c, const struct fer_rules *rules, const yyjson_val *schema)
{
    if (fer_is_obj(schema) || (fer_is_bool(schema) && rules->bit != FER_IN_4)) return;
    INVALID(c, schema, "A schema must be %s, not %s.",
            rules->bit == FER_IN_4 ? "an object" : "an object or a boolean",
            fer_val_type_name(schema));
}

void fer_schema_forms(fer_compile *c, const struct fer_rules *rules, const yyjson_val *schema)
{
    if (!fer_is_obj(schema)) return; /* whether it may be a boolean, its keyword has said */
    FER_EACH_MEMBER (schema, key) {
        const fer_keyword *k = fer_keyword_find(rules, fer_val_str(key));
        if (k) fer_form_check(c, rules, k, key + 1);
    }
    /* draft-04: `exclusiveMaximum` needs `maximum`. */
    if (rules->bit != FER_IN_4) return;
    for (size_t i = 0; i < 2; i++) {
        const yyjson_val *exclusive =
            fer_val_get(schema, i ? "exclusiveMinimum" : "exclusiveMaximum");
        if (exclusive && !fer_val_get(schema, i ? "minimum" : "maximum")) {
            INVALID(c, exclusive, "In draft-04, `%s` needs `%s` beside it.",
                    i ? "exclusiveMinimum" : "exclusiveMaximum", i ? "minimum" : "maximum");
        }
    }
}
