/* SPDX-License-Identifier: Apache-2.0 */
/* Checks values against rows. Recursion follows the table, so its depth is the table's. */
#include "fields.h"

#include "json_number.h"
#include "json_value.h"
#include "near.h"
#include "unicode.h"

static unsigned type_of(const yyjson_val *v)
{
    uint64_t whole;
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_STR: return FER_T_STRING;
    case YYJSON_TYPE_BOOL: return FER_T_BOOL;
    case YYJSON_TYPE_OBJ: return FER_T_OBJECT;
    case YYJSON_TYPE_ARR: return FER_T_ARRAY;
    case YYJSON_TYPE_NULL: return 0;
    default: return fer_number_u64(v, &whole) ? FER_T_INTEGER : 0;
    }
}

void fer_field_types_text(const fer_field *field, fer_buf *out)
{
    static const char *const names[] = {"string", "boolean", "whole number",
                                        "object", "array",   "any value"};
    bool first = true;
    for (unsigned i = 0; i < FER_COUNT(names); i++) {
        if (!(field->types & 1u << i)) continue;
        if (!first) fer_buf_add_text(out, " or ");
        fer_buf_add_text(out, names[i]);
        first = false;
    }
}

/* How a value is called in messages: its key, or that of the list it stands in. */
static fer_str name_of(const fer_path *path)
{
    while (path->up && !path->key.ptr) path = path->up;
    return path->key.ptr ? path->key : FER_STR("the tool");
}

static void wrong_type(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                       const fer_path *path)
{
    char storage[64];
    fer_buf types;
    fer_buf_init_fixed(&types, storage, sizeof storage);
    fer_field_types_text(field, &types);
    bool item = path->up && !path->key.ptr;
    fer_str name = name_of(path);
    fer_drafts_add(d, FER_RULE_FIELD_TYPE, value, path, "%s%.*s is %s %.*s, not %s",
                   item ? "each item of " : "", FER_PRI(name),
                   storage[0] == 'o' || storage[0] == 'a' ? "an" : "a", (int)types.len, storage,
                   fer_val_type_name(value));
}

static void check_words(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                        const fer_path *path)
{
    char storage[256];
    fer_buf words;
    fer_near near;
    fer_str s = fer_val_str(value);
    fer_near_init(&near, s);
    fer_buf_init_fixed(&words, storage, sizeof storage);
    for (const char *const *w = field->words; *w; w++) {
        if (fer_str_is(s, *w)) return;
        fer_near_try(&near, fer_str_of(*w));
        fer_buf_printf(&words, "%s\"%s\"", w == field->words ? "" : ", ", *w);
    }
    fer_str name = name_of(path);
    fer_drafts_add(d, FER_RULE_FIELD_ENUM, value, path, "%.*s is one of %.*s, not \"%.*s\"",
                   FER_PRI(name), (int)words.len, words.ptr, FER_PRI(fer_utf8_cut(s, 100)));
    if (near.best.ptr) fer_drafts_hint(d, "did you mean \"%.*s\"?", FER_PRI(near.best));
}

static void check_string(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                         const fer_path *path)
{
    fer_str s = fer_val_str(value), name = name_of(path);
    if (field->words) check_words(d, field, value, path);
    if (field->min && s.len == 0) {
        fer_drafts_add(d, FER_RULE_FIELD_EMPTY, value, path, "%.*s is empty", FER_PRI(name));
    }
    size_t count = field->max ? fer_utf8_count(s) : 0;
    if (count <= field->max) return;
    fer_drafts_add(d, field->flags & FER_F_SOFT ? FER_RULE_TEXT_CUT : FER_RULE_FIELD_RANGE, value,
                   path, "%.*s has %zu characters; %llu are kept", FER_PRI(name), count,
                   (unsigned long long)field->max);
}

static void check_integer(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                          const fer_path *path)
{
    uint64_t n = 0;
    fer_number_u64(value, &n);
    if (n >= field->min && (!field->max || n <= field->max)) return;
    fer_drafts_add(d, FER_RULE_FIELD_RANGE, value, path, "%.*s is from %llu to %llu, not %llu",
                   FER_PRI(path->key), (unsigned long long)field->min,
                   (unsigned long long)field->max, (unsigned long long)n);
}

static const fer_field *member_of(const fer_field *members, fer_str key)
{
    for (; members->key; members++) {
        if (fer_str_is(key, members->key)) return members;
    }
    return NULL;
}

static void check_unknown(fer_drafts *d, const fer_field *members, const yyjson_val *key,
                          const fer_path *path)
{
    fer_near near;
    fer_path here = FER_PATH_KEY(path, fer_val_str(key));
    fer_near_init(&near, fer_val_str(key));
    for (; members->key; members++) fer_near_try(&near, fer_str_of(members->key));
    if (!near.best.ptr) return;
    fer_drafts_add(d, FER_RULE_FIELD_UNKNOWN, key, &here, "\"%.*s\" is not a known field here",
                   FER_PRI(fer_utf8_cut(fer_val_str(key), 100)));
    fer_drafts_hint(d, "did you mean \"%.*s\"?", FER_PRI(near.best));
}

static void check_members(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                          const fer_path *path)
{
    FER_EACH_MEMBER (value, key) {
        const fer_field *member = member_of(field->members, fer_val_str(key));
        fer_path here = FER_PATH_KEY(path, fer_val_str(key));
        if (member) fer_field_check_value(d, member, key + 1, &here);
        else check_unknown(d, field->members, key, path);
    }
    for (const fer_field *m = field->members; m->key; m++) {
        if (!(m->flags & FER_F_REQUIRED) || fer_val_get(value, m->key)) continue;
        fer_drafts_add(d, FER_RULE_FIELD_REQUIRED, value, path, "\"%s\" is missing", m->key);
    }
}

static void check_items(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                        const fer_path *path)
{
    size_t index = 0;
    if (fer_is_arr(value)) {
        FER_EACH_ITEM (value, item) {
            fer_path here = FER_PATH_INDEX(path, index++);
            fer_field_check_value(d, field->item, item, &here);
        }
        return;
    }
    FER_EACH_MEMBER (value, key) {
        fer_path here = FER_PATH_KEY(path, fer_val_str(key));
        fer_field_check_value(d, field->item, key + 1, &here);
    }
}

/* Many servers write null for a member they leave out; strict clients refuse it. */
static bool is_null_for_absent(const fer_field *field, const yyjson_val *value)
{
    return fer_val_is(value, YYJSON_TYPE_NULL) && field->key && !(field->flags & FER_F_REQUIRED);
}

void fer_field_check_value(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                           const fer_path *path)
{
    unsigned type = type_of(value);
    if (is_null_for_absent(field, value)) {
        fer_drafts_add(d, FER_RULE_FIELD_NULL, value, path,
                       "%s is null; a field without a value is left out", field->key);
        return;
    }
    if (!(field->types & (type | FER_T_ANY))) {
        bool fraction = fer_is_num(value) && field->types & FER_T_INTEGER;
        if (!fraction) wrong_type(d, field, value, path);
        else {
            fer_str name = name_of(path);
            fer_drafts_add(d, FER_RULE_FIELD_RANGE, value, path,
                           "%.*s is a whole number from %llu to %llu", FER_PRI(name),
                           (unsigned long long)field->min, (unsigned long long)field->max);
        }
        return;
    }
    if (type == FER_T_STRING) check_string(d, field, value, path);
    if (type == FER_T_INTEGER) check_integer(d, field, value, path);
    if (field->members && type == FER_T_OBJECT) check_members(d, field, value, path);
    if (field->item && (type == FER_T_ARRAY || type == FER_T_OBJECT))
        check_items(d, field, value, path);
    if (field->check) field->check(d, value, path);
}

const fer_field *fer_field_find(fer_str key)
{
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        if (fer_str_is(key, fer_fields[i].key)) return &fer_fields[i];
    }
    return NULL;
}
