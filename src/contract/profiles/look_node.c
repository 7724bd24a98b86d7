/* SPDX-License-Identifier: Apache-2.0 */
/* What profiles demand of one subschema: objects, arrays, types, enums, alternatives, formats. */
#include "json_number.h"
#include "json_value.h"
#include "look.h"
#include "name_set.h"
#include "unicode.h"

#define ON(rule) (l->plan->on[rule])

/* ---- objects ------------------------------------------------------------------------- */

/* The names in an array or an object of the schema. */
static fer_name_set names_in(fer_look *l, const yyjson_val *names)
{
    fer_name_set set;
    if (!fer_name_set_init(&set, l->pass->scratch, names)) l->pass->drafts->no_memory = true;
    return set;
}

static void closed(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *more = fer_subschema_get(s, KW_ADDITIONAL_PROPERTIES);
    if (!ON(FER_PR_OBJECT_CLOSED) || (fer_is_bool(more) && !fer_is_true(more))) return;
    fer_path at_more = FER_PATH_KEY(s->path, FER_STR("additionalProperties"));
    fer_look_report(l, FER_PR_OBJECT_CLOSED, ON(FER_PR_OBJECT_CLOSED),
                    more ? s->keys[KW_ADDITIONAL_PROPERTIES] : s->value, more ? &at_more : s->path,
                    more ? "additionalProperties is not false"
                         : "the object has no \"additionalProperties\": false");
}

static void properties_there(fer_look *l, const fer_subschema *s, unsigned types)
{
    const yyjson_val *properties = fer_subschema_get(s, KW_PROPERTIES);
    bool object = fer_is_obj(properties);
    uint64_t missing = 0;
    if (!object) {
        FER_EACH_PROFILE(ON(FER_PR_OBJECT_PROPERTIES_MISSING), i)
        {
            const struct fer_profile_row *row =
                fer_look_row(l, i, FER_PR_OBJECT_PROPERTIES_MISSING);
            if (!s->up || row->scope != FER_SCOPE_ROOT) missing |= (uint64_t)1 << i;
        }
        fer_look_report(l, FER_PR_OBJECT_PROPERTIES_MISSING, missing, s->value, s->path,
                        properties ? "\"properties\" is not an object"
                                   : "the object has no \"properties\"");
    }
    bool empty = !object || fer_val_len(properties) == 0;
    if (s->up && empty && (types & FER_IS_OBJECT))
        fer_look_report(l, FER_PR_OBJECT_PROPERTIES_EMPTY, ON(FER_PR_OBJECT_PROPERTIES_EMPTY),
                        s->value, s->path, "the object has no properties");
}

static void required_known(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *required = fer_subschema_get(s, KW_REQUIRED),
                     *properties = fer_subschema_get(s, KW_PROPERTIES);
    size_t index = 0;
    if (!ON(FER_PR_REQUIRED_UNKNOWN) || !fer_is_arr(required)) return;
    fer_path up = FER_PATH_KEY(s->path, FER_STR("required"));
    fer_name_set known = names_in(l, fer_is_obj(properties) ? properties : NULL);
    FER_EACH_ITEM (required, item) {
        fer_path here = FER_PATH_INDEX(&up, index++);
        if (!fer_is_str(item) || fer_name_set_has(&known, fer_val_str(item))) continue;
        fer_look_report(l, FER_PR_REQUIRED_UNKNOWN, ON(FER_PR_REQUIRED_UNKNOWN), item, &here,
                        "\"%.*s\" is required, but no property",
                        FER_PRI(fer_utf8_cut(fer_val_str(item), 100)));
    }
}

/* Counts the optional properties, and says where there must be none. */
static void optional_properties(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *required = fer_subschema_get(s, KW_REQUIRED),
                     *properties = fer_subschema_get(s, KW_PROPERTIES), *first = NULL;
    size_t count = 0;
    if (!fer_is_obj(properties)) return;
    fer_name_set listed = names_in(l, fer_is_arr(required) ? required : NULL);
    FER_EACH_MEMBER (properties, key) {
        l->facts.strings += fer_val_len(key);
        if (fer_name_set_has(&listed, fer_val_str(key))) {
            l->facts.required += !s->up;
            continue;
        }
        if (count++ == 0) first = key;
    }
    l->facts.properties += fer_val_len(properties);
    l->facts.optional += count;
    if (!first) return;
    fer_path up = FER_PATH_KEY(s->path, FER_STR("properties")),
             here = FER_PATH_KEY(&up, fer_val_str(first));
    fer_str name = fer_utf8_cut(fer_val_str(first), 100);
    fer_look_report(l, FER_PR_OBJECT_ALL_REQUIRED, ON(FER_PR_OBJECT_ALL_REQUIRED), first, &here,
                    "%zu of %zu properties are not required, the first is \"%.*s\"", count,
                    fer_val_len(properties), FER_PRI(name));
    if (l->in_items)
        fer_look_report(l, FER_PR_LIMIT_GRAMMAR, ON(FER_PR_LIMIT_GRAMMAR), first, &here,
                        "%zu optional properties stand inside an array", count);
}

/* Whether a key is refused by this row. */
static bool is_bad_key(const struct fer_profile_row *row, fer_str key, const fer_spelling *spelling)
{
    if (spelling->characters > row->max || !key.len) return true;
    if (row->first.text.len && !fer_chars_have(&row->first, (unsigned char)key.ptr[0])) return true;
    return !fer_chars_cover(&row->chars, spelling);
}

static void property_keys(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *properties = fer_subschema_get(s, KW_PROPERTIES);
    if (!(ON(FER_PR_PROPERTY_KEY) | ON(FER_PR_PROPERTY_RESERVED)) || !fer_is_obj(properties))
        return;
    fer_path up = FER_PATH_KEY(s->path, FER_STR("properties"));
    FER_EACH_MEMBER (properties, key) {
        fer_str name = fer_val_str(key);
        fer_path here = FER_PATH_KEY(&up, name);
        uint64_t bad = 0, reserved = 0;
        fer_spelling spelling = fer_spelling_of(name);
        FER_EACH_PROFILE(ON(FER_PR_PROPERTY_KEY), i)
        {
            const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_PROPERTY_KEY);
            bool here_too = !s->up || row->scope != FER_SCOPE_ROOT;
            if (here_too && is_bad_key(row, name, &spelling)) bad |= (uint64_t)1 << i;
        }
        FER_EACH_PROFILE(ON(FER_PR_PROPERTY_RESERVED), i)
        {
            if (fer_words_have(&fer_look_row(l, i, FER_PR_PROPERTY_RESERVED)->words, name))
                reserved |= (uint64_t)1 << i;
        }
        fer_str shown = fer_utf8_cut(name, 100);
        fer_look_report(l, FER_PR_PROPERTY_KEY, bad, key, &here,
                        "the key \"%.*s\" has characters, or a length, that are not allowed",
                        FER_PRI(shown));
        fer_look_report(l, FER_PR_PROPERTY_RESERVED, reserved, key, &here,
                        "the key \"%.*s\" is taken for a keyword", FER_PRI(shown));
    }
}

static void look_at_object(fer_look *l, const fer_subschema *s, unsigned types)
{
    closed(l, s);
    properties_there(l, s, types);
    if (!fer_subschema_get(s, KW_REQUIRED))
        fer_look_report(l, FER_PR_OBJECT_REQUIRED_MISSING, ON(FER_PR_OBJECT_REQUIRED_MISSING),
                        s->value, s->path, "the object has no \"required\"");
    required_known(l, s);
    optional_properties(l, s);
    property_keys(l, s);
}

/* ---- arrays ---------------------------------------------------------------------------- */

static void look_at_array(fer_look *l, const fer_subschema *s, unsigned types)
{
    const yyjson_val *items = fer_subschema_get(s, KW_ITEMS);
    fer_path here = FER_PATH_KEY(s->path, FER_STR("items"));
    if (!items && !fer_subschema_get(s, KW_PREFIX_ITEMS) && (types & FER_IS_ARRAY))
        fer_look_report(l, FER_PR_ARRAY_ITEMS_MISSING, ON(FER_PR_ARRAY_ITEMS_MISSING), s->value,
                        s->path, "the array has no \"items\"");
    if (items && fer_is_arr(items))
        fer_look_report(l, FER_PR_ARRAY_ITEMS_LIST, ON(FER_PR_ARRAY_ITEMS_LIST), items, &here,
                        "\"items\" is a list of schemas");
    if (items && fer_val_get(items, "anyOf"))
        fer_look_report(l, FER_PR_ARRAY_ITEMS_ANYOF, ON(FER_PR_ARRAY_ITEMS_ANYOF), items, &here,
                        "\"items\" has anyOf");
}

/* ---- types ------------------------------------------------------------------------------- */

/* The types that a keyword has to do with. */
static const struct {
    enum fer_slot slot;
    unsigned types;
} belongs[] = {
    {KW_PROPERTIES, FER_IS_OBJECT},
    {KW_REQUIRED, FER_IS_OBJECT},
    {KW_MIN_PROPERTIES, FER_IS_OBJECT},
    {KW_MAX_PROPERTIES, FER_IS_OBJECT},
    {KW_ITEMS, FER_IS_ARRAY},
    {KW_MIN_ITEMS, FER_IS_ARRAY},
    {KW_MAX_ITEMS, FER_IS_ARRAY},
    {KW_MIN_LENGTH, FER_IS_STRING},
    {KW_MAX_LENGTH, FER_IS_STRING},
    {KW_PATTERN, FER_IS_STRING},
    {KW_MINIMUM, FER_IS_INTEGER | FER_IS_NUMBER},
    {KW_MAXIMUM, FER_IS_INTEGER | FER_IS_NUMBER},
};

static void keywords_match(fer_look *l, const fer_subschema *s, unsigned types)
{
    if (!ON(FER_PR_TYPE_KEYWORD_MISMATCH) || !types) return;
    for (size_t i = 0; i < FER_COUNT(belongs); i++) {
        enum fer_slot slot = belongs[i].slot;
        if (!(s->slots & FER_SLOT(slot)) || (types & belongs[i].types)) continue;
        fer_path here = FER_PATH_KEY(s->path, fer_val_str(s->keys[slot]));
        fer_look_report(l, FER_PR_TYPE_KEYWORD_MISMATCH, ON(FER_PR_TYPE_KEYWORD_MISMATCH),
                        s->keys[slot], &here, "%.*s does not apply to the type of the schema",
                        FER_PRI(fer_val_str(s->keys[slot])));
    }
}

static void type_is_known(fer_look *l, const yyjson_val *word, const fer_path *path)
{
    uint64_t mask = 0;
    if (!fer_is_str(word)) return; /* the meta-schema has said so */
    FER_EACH_PROFILE(ON(FER_PR_TYPE_UNSUPPORTED), i)
    {
        if (!fer_words_have(&fer_look_row(l, i, FER_PR_TYPE_UNSUPPORTED)->words, fer_val_str(word)))
            mask |= (uint64_t)1 << i;
    }
    fer_look_report(l, FER_PR_TYPE_UNSUPPORTED, mask, word, path, "there is no type \"%.*s\"",
                    FER_PRI(fer_utf8_cut(fer_val_str(word), 100)));
}

static void type_there(fer_look *l, const fer_subschema *s)
{
    const uint64_t usual =
        FER_SLOT(KW_REF) | FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_ALL_OF);
    uint64_t mask = 0;
    FER_EACH_PROFILE(ON(FER_PR_TYPE_MISSING), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_TYPE_MISSING);
        if (!(s->slots & (row->has_except ? row->except : usual))) mask |= (uint64_t)1 << i;
    }
    fer_look_report(l, FER_PR_TYPE_MISSING, mask, s->value, s->path, "the schema has no \"type\"");
}

static void look_at_type(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *type = fer_subschema_get(s, KW_TYPE);
    fer_path here = FER_PATH_KEY(s->path, FER_STR("type"));
    size_t index = 0;
    if (!type) {
        type_there(l, s);
        return;
    }
    if (!fer_is_arr(type)) {
        type_is_known(l, type, &here);
        return;
    }
    l->facts.unions += fer_val_len(type) > 1 && !(s->slots & FER_SLOT(KW_ANY_OF));
    fer_look_report(l, FER_PR_TYPE_ARRAY, ON(FER_PR_TYPE_ARRAY), type, &here,
                    "the type is a list of %zu", fer_val_len(type));
    FER_EACH_ITEM (type, word) {
        fer_path at = FER_PATH_INDEX(&here, index++);
        type_is_known(l, word, &at);
    }
}

static void root_type(fer_look *l, const fer_subschema *s, unsigned types)
{
    const yyjson_val *type = fer_subschema_get(s, KW_TYPE);
    fer_path here = FER_PATH_KEY(s->path, FER_STR("type"));
    if (type && fer_is_str(type) && types == FER_IS_OBJECT) return;
    fer_look_report(l, FER_PR_ROOT_TYPE, ON(FER_PR_ROOT_TYPE), type ? type : s->value,
                    type ? &here : s->path,
                    type ? "the type of the root is not \"object\""
                         : "the root of the schema has no \"type\": \"object\"");
}

/* ---- enums and constants --------------------------------------------------------------- */

/* The first value of an enum that the rule refuses, or NULL. */
static const yyjson_val *bad_value(const yyjson_val *list, enum fer_profile_rule_id rule)
{
    bool numbers = false, strings = false;
    FER_EACH_ITEM (list, v) {
        bool text = fer_is_str(v), number = fer_is_num(v);
        strings = strings || text;
        numbers = numbers || number;
        if (rule == FER_PR_ENUM_COMPLEX && fer_is_ctn(v)) return v;
        if (rule == FER_PR_ENUM_NON_STRING && !text) return v;
        if (rule == FER_PR_ENUM_EMPTY_STRING && text && !fer_val_len(v)) return v;
        if (rule == FER_PR_ENUM_MIXED && ((!text && !number) || (numbers && strings))) return v;
    }
    return NULL;
}

static void count_enum(fer_look *l, const fer_subschema *s, const yyjson_val *list,
                       const fer_path *path)
{
    uint64_t characters = 0;
    FER_EACH_ITEM (list, v) {
        if (fer_is_str(v)) characters += fer_utf8_count(fer_val_str(v));
    }
    l->facts.enums += fer_val_len(list);
    l->facts.strings += characters;
    FER_EACH_PROFILE(ON(FER_PR_LIMIT_ENUM_CHARS), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_LIMIT_ENUM_CHARS);
        if (fer_val_len(list) >= row->from && characters > row->max)
            fer_look_exceeds(l, FER_PR_LIMIT_ENUM_CHARS, i, row->max, characters, s->keys[KW_ENUM],
                             path, "the values of this enum have %llu characters",
                             (unsigned long long)characters);
    }
}

static void look_at_enum(fer_look *l, const fer_subschema *s)
{
    static const struct {
        enum fer_profile_rule_id rule;
        const char *text;
    } rows[] = {{FER_PR_ENUM_COMPLEX, "a value of the enum is an object or an array"},
                {FER_PR_ENUM_NON_STRING, "a value of the enum is not a string"},
                {FER_PR_ENUM_EMPTY_STRING, "a value of the enum is the empty string"},
                {FER_PR_ENUM_MIXED, "the values of the enum are not all strings or all numbers"}};
    const yyjson_val *list = fer_subschema_get(s, KW_ENUM);
    fer_path here = FER_PATH_KEY(s->path, FER_STR("enum"));
    if (!fer_is_arr(list)) return;
    count_enum(l, s, list, &here);
    if (!fer_val_len(list))
        fer_look_report(l, FER_PR_ENUM_EMPTY, ON(FER_PR_ENUM_EMPTY), list, &here,
                        "the enum has no values");
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        const yyjson_val *bad = ON(rows[i].rule) ? bad_value(list, rows[i].rule) : NULL;
        if (bad) fer_look_report(l, rows[i].rule, ON(rows[i].rule), bad, &here, "%s", rows[i].text);
    }
}

/* ---- alternatives ------------------------------------------------------------------------ */

static void look_at_any_of(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *list = fer_subschema_get(s, KW_ANY_OF), *key = s->keys[KW_ANY_OF];
    fer_path here = FER_PATH_KEY(s->path, FER_STR("anyOf"));
    l->facts.unions++;
    if (fer_is_arr(list)) l->facts.branches += fer_val_len(list);
    if (fer_is_arr(list) && !fer_val_len(list))
        fer_look_report(l, FER_PR_ANYOF_EMPTY, ON(FER_PR_ANYOF_EMPTY), key, &here,
                        "anyOf has no branches");
    if (fer_val_len(s->value) > 1)
        fer_look_report(l, FER_PR_ANYOF_SIBLINGS, ON(FER_PR_ANYOF_SIBLINGS), key, &here,
                        "anyOf is not the only keyword of the schema");
    if (s->slots & FER_SLOT(KW_TYPE))
        fer_look_report(l, FER_PR_ANYOF_PARENT_TYPE, ON(FER_PR_ANYOF_PARENT_TYPE), key, &here,
                        "beside anyOf there is a type");
}

static void look_at_all_of(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *list = fer_subschema_get(s, KW_ALL_OF);
    fer_path here = FER_PATH_KEY(s->path, FER_STR("allOf"));
    if (fer_is_arr(list) && fer_val_len(list) > 1)
        fer_look_report(l, FER_PR_ALLOF_MANY, ON(FER_PR_ALLOF_MANY), s->keys[KW_ALL_OF], &here,
                        "allOf has %zu branches", fer_val_len(list));
}

/* ---- the rest ----------------------------------------------------------------------------- */

static bool has_format(const struct fer_profile_row *row, unsigned types, fer_str format)
{
    if (!row->by_type) return fer_words_have(&row->words, format);
    for (unsigned i = 0; i < FER_COUNT(fer_type_names); i++) {
        if ((types >> i & 1) && fer_words_have(&row->by_type[i], format)) return true;
    }
    return false;
}

static void look_at_format(fer_look *l, const fer_subschema *s, unsigned types)
{
    const yyjson_val *format = fer_subschema_get(s, KW_FORMAT);
    uint64_t mask = 0;
    if (!fer_is_str(format)) return;
    FER_EACH_PROFILE(ON(FER_PR_FORMAT_UNSUPPORTED), i)
    {
        if (!has_format(fer_look_row(l, i, FER_PR_FORMAT_UNSUPPORTED), types, fer_val_str(format)))
            mask |= (uint64_t)1 << i;
    }
    fer_path here = FER_PATH_KEY(s->path, FER_STR("format"));
    fer_look_report(l, FER_PR_FORMAT_UNSUPPORTED, mask, format, &here,
                    "the format \"%.*s\" is not supported",
                    FER_PRI(fer_utf8_cut(fer_val_str(format), 100)));
}

static void bounds_capped(fer_look *l, const fer_subschema *s)
{
    FER_EACH_PROFILE(ON(FER_PR_KEYWORD_BOUND_CAP), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_KEYWORD_BOUND_CAP);
        for (size_t c = 0; c < row->cap_count; c++) {
            const yyjson_val *v = fer_subschema_get(s, row->caps[c].slot);
            uint64_t n;
            if (!v || !fer_is_num(v) || !fer_number_u64(v, &n) || n <= row->caps[c].max) continue;
            fer_str name = fer_slot_name(row->caps[c].slot);
            fer_path here = FER_PATH_KEY(s->path, name);
            fer_look_exceeds(l, FER_PR_KEYWORD_BOUND_CAP, i, row->caps[c].max, n, v, &here,
                             "%.*s is not enforced past %llu", FER_PRI(name),
                             (unsigned long long)row->caps[c].max);
        }
    }
}

static void combinations(fer_look *l, const fer_subschema *s)
{
    FER_EACH_PROFILE(ON(FER_PR_KEYWORD_COMBINATION), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_KEYWORD_COMBINATION);
        for (size_t p = 0; p < row->pair_count; p++) {
            uint64_t x = s->slots & row->pairs[p][0], y = s->slots & row->pairs[p][1];
            if (!x || !y) continue;
            fer_str one = fer_slot_name((enum fer_slot)__builtin_ctzll(x)),
                    other = fer_slot_name((enum fer_slot)__builtin_ctzll(y));
            fer_path here = FER_PATH_KEY(s->path, one);
            fer_look_report(l, FER_PR_KEYWORD_COMBINATION, (uint64_t)1 << i,
                            s->keys[__builtin_ctzll(x)], &here, "%.*s stands together with %.*s",
                            FER_PRI(one), FER_PRI(other));
        }
    }
}

/* The $schema of the root, where the profile reads certain dialects only. */
static void dialect(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *uri = fer_subschema_get(s, KW_SCHEMA);
    uint64_t mask = 0;
    if (!uri || !fer_is_str(uri)) return;
    fer_str text = fer_val_str(uri);
    FER_EACH_PROFILE(ON(FER_PR_SCHEMA_OTHER_DIALECT), i)
    {
        const struct fer_words *words = &fer_look_row(l, i, FER_PR_SCHEMA_OTHER_DIALECT)->words;
        bool known = false;
        for (size_t w = 0; w < words->count; w++)
            known = known || memmem(text.ptr, text.len, words->list[w].ptr, words->list[w].len);
        if (!known) mask |= (uint64_t)1 << i;
    }
    fer_path here = FER_PATH_KEY(s->path, FER_STR("$schema"));
    fer_look_report(l, FER_PR_SCHEMA_OTHER_DIALECT, mask, uri, &here,
                    "the schema is written in another dialect: %.*s",
                    FER_PRI(fer_utf8_cut(text, 100)));
}

/* What older dialects allow, and 2020-12 does not. */
static void old_forms(fer_look *l, const fer_subschema *s)
{
    static const enum fer_slot bounds[] = {KW_EXCLUSIVE_MINIMUM, KW_EXCLUSIVE_MAXIMUM};
    const yyjson_val *items = fer_subschema_get(s, KW_ITEMS), *old = NULL;
    uint64_t mask = 0;
    if (items && fer_is_arr(items)) old = s->keys[KW_ITEMS];
    for (size_t i = 0; i < FER_COUNT(bounds); i++) {
        const yyjson_val *v = fer_subschema_get(s, bounds[i]);
        if (v && fer_is_bool(v)) old = s->keys[bounds[i]];
    }
    if (!old) return;
    for (size_t i = 0; i < l->pass->drafts->count; i++) {
        if (l->pass->drafts->list[i].at == old + 1 &&
            l->pass->drafts->list[i].finding.rule == &fer_record_rules[FER_RULE_SCHEMA_INVALID])
            return; /* the schema claims no older dialect, and that was said */
    }
    FER_EACH_PROFILE(ON(FER_PR_SCHEMA_METASCHEMA), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_SCHEMA_METASCHEMA);
        if (fer_words_have(&row->words, FER_STR("2020-12"))) mask |= (uint64_t)1 << i;
    }
    fer_path here = FER_PATH_KEY(s->path, fer_val_str(old));
    fer_look_report(l, FER_PR_SCHEMA_METASCHEMA, mask, old + 1, &here,
                    "JSON Schema 2020-12 knows no %.*s of this form", FER_PRI(fer_val_str(old)));
}

void fer_look_node(fer_look *l, const fer_subschema *s, unsigned types)
{
    bool object = (types & FER_IS_OBJECT) || (s->slots & FER_SLOT(KW_PROPERTIES));
    if (!s->up) {
        root_type(l, s, types);
        dialect(l, s);
    }
    if (object) look_at_object(l, s, types);
    if ((types & FER_IS_ARRAY) || (s->slots & FER_SLOT(KW_ITEMS))) look_at_array(l, s, types);
    look_at_type(l, s);
    keywords_match(l, s, types);
    if (s->slots & FER_SLOT(KW_ENUM)) look_at_enum(l, s);
    if (s->slots & FER_SLOT(KW_CONST) && fer_is_str(s->keys[KW_CONST] + 1))
        l->facts.strings += fer_val_len(s->keys[KW_CONST] + 1);
    if (s->slots & (FER_SLOT(KW_DEFS) | FER_SLOT(KW_DEFINITIONS))) {
        const yyjson_val *defs =
            fer_subschema_get(s, s->slots & FER_SLOT(KW_DEFS) ? KW_DEFS : KW_DEFINITIONS);
        if (fer_is_obj(defs)) {
            FER_EACH_MEMBER (defs, key) l->facts.strings += fer_val_len(key);
        }
    }
    if (s->slots & FER_SLOT(KW_ANY_OF)) look_at_any_of(l, s);
    if (s->slots & FER_SLOT(KW_ALL_OF)) look_at_all_of(l, s);
    if (s->slots & FER_SLOT(KW_FORMAT)) look_at_format(l, s, types);
    bounds_capped(l, s);
    combinations(l, s);
    old_forms(l, s);
}
