/* SPDX-License-Identifier: Apache-2.0 */
#include "keyword.h"

#include <string.h>

#include "keyword_index.h"
#include "near.h"

#define IN_ALL    63u
#define IN_TO_7   (FER_IN_4 | FER_IN_6 | FER_IN_7)
#define IN_TO_19  (IN_TO_7 | FER_IN_2019)
#define FROM_6    (IN_ALL & ~(unsigned)FER_IN_4)
#define FROM_7    (FROM_6 & ~(unsigned)FER_IN_6)
#define FROM_2019 (FER_IN_2019 | FROM_2020)
#define FROM_2020 (FER_IN_2020 | FER_IN_V1)

#define CORE        FER_VOCABULARY_CORE
#define APPLICATOR  FER_VOCABULARY_APPLICATOR
#define UNEVALUATED FER_VOCABULARY_UNEVALUATED
#define VALIDATION  FER_VOCABULARY_VALIDATION
#define META_DATA   FER_VOCABULARY_META_DATA
#define CONTENT     FER_VOCABULARY_CONTENT
/* `format` counts under either of its vocabularies. */
#define FORMAT ((unsigned)FER_VOCABULARY_FORMAT | (unsigned)FER_VOCABULARY_FORMAT_ASSERTION)

/* clang-format off */
static const fer_keyword rows[] = {
    {"$anchor", FROM_2019, CORE, FER_FORM_ANCHOR, KW_ANCHOR},
    {"$comment", FROM_7, CORE, FER_FORM_STRING, KW_COMMENT},
    {"$defs", FROM_2019, CORE, FER_FORM_SCHEMA_MAP, KW_DEFS},
    {"$dynamicAnchor", FROM_2020, CORE, FER_FORM_ANCHOR, KW_DYNAMIC_ANCHOR},
    {"$dynamicRef", FROM_2020, CORE, FER_FORM_STRING, KW_DYNAMIC_REF},
    {"$id", FROM_6, CORE, FER_FORM_ID, KW_ID},
    {"$recursiveAnchor", FER_IN_2019, CORE, FER_FORM_BOOL, KW_RECURSIVE_ANCHOR},
    {"$recursiveAnchor", FER_IN_2020, CORE, FER_FORM_ANCHOR, KW_COMMENT},
    {"$recursiveRef", FER_IN_2019, CORE, FER_FORM_STRING, KW_RECURSIVE_REF},
    {"$recursiveRef", FER_IN_2020, CORE, FER_FORM_STRING, KW_COMMENT},
    {"$ref", IN_ALL, CORE, FER_FORM_STRING, KW_REF},
    {"$schema", IN_ALL, CORE, FER_FORM_STRING, KW_SCHEMA},
    {"$vocabulary", FER_IN_2019 | FER_IN_2020, CORE, FER_FORM_VOCABULARY, KW_VOCABULARY},
    {"additionalItems", FER_IN_4, APPLICATOR, FER_FORM_SCHEMA_OR_BOOL, KW_ADDITIONAL_ITEMS},
    {"additionalItems", IN_TO_19, APPLICATOR, FER_FORM_SCHEMA, KW_ADDITIONAL_ITEMS},
    {"additionalProperties", FER_IN_4, APPLICATOR, FER_FORM_SCHEMA_OR_BOOL, KW_ADDITIONAL_PROPERTIES},
    {"additionalProperties", IN_ALL, APPLICATOR, FER_FORM_SCHEMA, KW_ADDITIONAL_PROPERTIES},
    {"allOf", IN_ALL, APPLICATOR, FER_FORM_SCHEMA_LIST, KW_ALL_OF},
    {"anyOf", IN_ALL, APPLICATOR, FER_FORM_SCHEMA_LIST, KW_ANY_OF},
    {"const", FROM_6, VALIDATION, FER_FORM_ANY, KW_CONST},
    {"contains", FROM_6, APPLICATOR, FER_FORM_SCHEMA, KW_CONTAINS},
    {"contentEncoding", FROM_7, CONTENT, FER_FORM_STRING, KW_CONTENT_ENCODING},
    {"contentMediaType", FROM_7, CONTENT, FER_FORM_STRING, KW_CONTENT_MEDIA_TYPE},
    {"contentSchema", FROM_2019, CONTENT, FER_FORM_SCHEMA, KW_CONTENT_SCHEMA},
    {"default", IN_ALL, META_DATA, FER_FORM_ANY, KW_DEFAULT},
    {"definitions", IN_ALL, CORE, FER_FORM_SCHEMA_MAP, KW_DEFINITIONS},
    {"dependencies", IN_ALL, APPLICATOR, FER_FORM_DEPENDENCIES, KW_DEPENDENCIES},
    {"dependentRequired", FROM_2019, VALIDATION, FER_FORM_NAMES_MAP, KW_DEPENDENT_REQUIRED},
    {"dependentSchemas", FROM_2019, APPLICATOR, FER_FORM_SCHEMA_MAP, KW_DEPENDENT_SCHEMAS},
    {"deprecated", FROM_2019, META_DATA, FER_FORM_BOOL, KW_DEPRECATED},
    {"description", IN_ALL, META_DATA, FER_FORM_STRING, KW_DESCRIPTION},
    {"else", FROM_7, APPLICATOR, FER_FORM_SCHEMA, KW_ELSE},
    {"enum", IN_ALL, VALIDATION, FER_FORM_ENUM, KW_ENUM},
    {"examples", FROM_6, META_DATA, FER_FORM_LIST, KW_EXAMPLES},
    {"exclusiveMaximum", FER_IN_4, VALIDATION, FER_FORM_BOOL, KW_EXCLUSIVE_MAXIMUM},
    {"exclusiveMaximum", FROM_6, VALIDATION, FER_FORM_NUMBER, KW_EXCLUSIVE_MAXIMUM},
    {"exclusiveMinimum", FER_IN_4, VALIDATION, FER_FORM_BOOL, KW_EXCLUSIVE_MINIMUM},
    {"exclusiveMinimum", FROM_6, VALIDATION, FER_FORM_NUMBER, KW_EXCLUSIVE_MINIMUM},
    {"format", IN_ALL, FORMAT, FER_FORM_STRING, KW_FORMAT},
    {"id", FER_IN_4, CORE, FER_FORM_STRING, KW_ID},
    {"if", FROM_7, APPLICATOR, FER_FORM_SCHEMA, KW_IF},
    {"items", IN_TO_19, APPLICATOR, FER_FORM_SCHEMA_OR_LIST, KW_ITEMS},
    {"items", FROM_2020, APPLICATOR, FER_FORM_SCHEMA, KW_ITEMS},
    {"maxContains", FROM_2019, VALIDATION, FER_FORM_COUNT, KW_MAX_CONTAINS},
    {"maxItems", IN_ALL, VALIDATION, FER_FORM_COUNT, KW_MAX_ITEMS},
    {"maxLength", IN_ALL, VALIDATION, FER_FORM_COUNT, KW_MAX_LENGTH},
    {"maxProperties", IN_ALL, VALIDATION, FER_FORM_COUNT, KW_MAX_PROPERTIES},
    {"maximum", IN_ALL, VALIDATION, FER_FORM_NUMBER, KW_MAXIMUM},
    {"minContains", FROM_2019, VALIDATION, FER_FORM_COUNT, KW_MIN_CONTAINS},
    {"minItems", IN_ALL, VALIDATION, FER_FORM_COUNT, KW_MIN_ITEMS},
    {"minLength", IN_ALL, VALIDATION, FER_FORM_COUNT, KW_MIN_LENGTH},
    {"minProperties", IN_ALL, VALIDATION, FER_FORM_COUNT, KW_MIN_PROPERTIES},
    {"minimum", IN_ALL, VALIDATION, FER_FORM_NUMBER, KW_MINIMUM},
    {"multipleOf", IN_ALL, VALIDATION, FER_FORM_POSITIVE, KW_MULTIPLE_OF},
    {"not", IN_ALL, APPLICATOR, FER_FORM_SCHEMA, KW_NOT},
    {"oneOf", IN_ALL, APPLICATOR, FER_FORM_SCHEMA_LIST, KW_ONE_OF},
    {"pattern", IN_ALL, VALIDATION, FER_FORM_PATTERN, KW_PATTERN},
    {"patternProperties", IN_ALL, APPLICATOR, FER_FORM_PATTERN_MAP, KW_PATTERN_PROPERTIES},
    {"prefixItems", FROM_2020, APPLICATOR, FER_FORM_SCHEMA_LIST, KW_PREFIX_ITEMS},
    {"properties", IN_ALL, APPLICATOR, FER_FORM_SCHEMA_MAP, KW_PROPERTIES},
    {"propertyDependencies", FER_IN_V1, APPLICATOR, FER_FORM_SCHEMA_MAP_MAP, KW_PROPERTY_DEPENDENCIES},
    {"propertyNames", FROM_6, APPLICATOR, FER_FORM_SCHEMA, KW_PROPERTY_NAMES},
    {"readOnly", FROM_7, META_DATA, FER_FORM_BOOL, KW_READ_ONLY},
    {"required", IN_ALL, VALIDATION, FER_FORM_NAMES, KW_REQUIRED},
    {"then", FROM_7, APPLICATOR, FER_FORM_SCHEMA, KW_THEN},
    {"title", IN_ALL, META_DATA, FER_FORM_STRING, KW_TITLE},
    {"type", IN_ALL, VALIDATION, FER_FORM_TYPE, KW_TYPE},
    {"unevaluatedItems", FER_IN_2019, APPLICATOR, FER_FORM_SCHEMA, KW_UNEVALUATED_ITEMS},
    {"unevaluatedItems", FROM_2020, UNEVALUATED, FER_FORM_SCHEMA, KW_UNEVALUATED_ITEMS},
    {"unevaluatedProperties", FER_IN_2019, APPLICATOR, FER_FORM_SCHEMA, KW_UNEVALUATED_PROPERTIES},
    {"unevaluatedProperties", FROM_2020, UNEVALUATED, FER_FORM_SCHEMA, KW_UNEVALUATED_PROPERTIES},
    {"uniqueItems", IN_ALL, VALIDATION, FER_FORM_BOOL, KW_UNIQUE_ITEMS},
    {"writeOnly", FROM_7, META_DATA, FER_FORM_BOOL, KW_WRITE_ONLY},
};
/* The first row of each slot has its name; looked up for every step of a finding's path. */
#define NAME(text) {"" text, sizeof(text) - 1}
static const fer_str slot_names[KW_COUNT] = {
    [KW_REF] = NAME("$ref"),
    [KW_DYNAMIC_REF] = NAME("$dynamicRef"),
    [KW_RECURSIVE_REF] = NAME("$recursiveRef"),
    [KW_ID] = NAME("$id"),
    [KW_SCHEMA] = NAME("$schema"),
    [KW_ANCHOR] = NAME("$anchor"),
    [KW_DYNAMIC_ANCHOR] = NAME("$dynamicAnchor"),
    [KW_RECURSIVE_ANCHOR] = NAME("$recursiveAnchor"),
    [KW_VOCABULARY] = NAME("$vocabulary"),
    [KW_COMMENT] = NAME("$comment"),
    [KW_DEFS] = NAME("$defs"),
    [KW_DEFINITIONS] = NAME("definitions"),
    [KW_TYPE] = NAME("type"),
    [KW_ENUM] = NAME("enum"),
    [KW_CONST] = NAME("const"),
    [KW_MULTIPLE_OF] = NAME("multipleOf"),
    [KW_MAXIMUM] = NAME("maximum"),
    [KW_EXCLUSIVE_MAXIMUM] = NAME("exclusiveMaximum"),
    [KW_MINIMUM] = NAME("minimum"),
    [KW_EXCLUSIVE_MINIMUM] = NAME("exclusiveMinimum"),
    [KW_MAX_LENGTH] = NAME("maxLength"),
    [KW_MIN_LENGTH] = NAME("minLength"),
    [KW_PATTERN] = NAME("pattern"),
    [KW_FORMAT] = NAME("format"),
    [KW_CONTENT_ENCODING] = NAME("contentEncoding"),
    [KW_CONTENT_MEDIA_TYPE] = NAME("contentMediaType"),
    [KW_CONTENT_SCHEMA] = NAME("contentSchema"),
    [KW_MAX_ITEMS] = NAME("maxItems"),
    [KW_MIN_ITEMS] = NAME("minItems"),
    [KW_UNIQUE_ITEMS] = NAME("uniqueItems"),
    [KW_PREFIX_ITEMS] = NAME("prefixItems"),
    [KW_ITEMS] = NAME("items"),
    [KW_ADDITIONAL_ITEMS] = NAME("additionalItems"),
    [KW_CONTAINS] = NAME("contains"),
    [KW_MAX_CONTAINS] = NAME("maxContains"),
    [KW_MIN_CONTAINS] = NAME("minContains"),
    [KW_MAX_PROPERTIES] = NAME("maxProperties"),
    [KW_MIN_PROPERTIES] = NAME("minProperties"),
    [KW_REQUIRED] = NAME("required"),
    [KW_PROPERTIES] = NAME("properties"),
    [KW_PATTERN_PROPERTIES] = NAME("patternProperties"),
    [KW_ADDITIONAL_PROPERTIES] = NAME("additionalProperties"),
    [KW_PROPERTY_NAMES] = NAME("propertyNames"),
    [KW_DEPENDENCIES] = NAME("dependencies"),
    [KW_DEPENDENT_REQUIRED] = NAME("dependentRequired"),
    [KW_DEPENDENT_SCHEMAS] = NAME("dependentSchemas"),
    [KW_PROPERTY_DEPENDENCIES] = NAME("propertyDependencies"),
    [KW_ALL_OF] = NAME("allOf"),
    [KW_ANY_OF] = NAME("anyOf"),
    [KW_ONE_OF] = NAME("oneOf"),
    [KW_NOT] = NAME("not"),
    [KW_IF] = NAME("if"),
    [KW_THEN] = NAME("then"),
    [KW_ELSE] = NAME("else"),
    [KW_UNEVALUATED_ITEMS] = NAME("unevaluatedItems"),
    [KW_UNEVALUATED_PROPERTIES] = NAME("unevaluatedProperties"),
    [KW_TITLE] = NAME("title"),
    [KW_DESCRIPTION] = NAME("description"),
    [KW_DEFAULT] = NAME("default"),
    [KW_EXAMPLES] = NAME("examples"),
    [KW_DEPRECATED] = NAME("deprecated"),
    [KW_READ_ONLY] = NAME("readOnly"),
    [KW_WRITE_ONLY] = NAME("writeOnly"),
};
/* clang-format on */

fer_str fer_slot_name(enum fer_slot slot)
{
    return slot_names[slot];
}

const fer_keyword *fer_keywords(size_t *count)
{
    *count = FER_COUNT(rows);
    return rows;
}

const fer_keyword *fer_keyword_first(fer_str name)
{
    if (!name.len) return NULL;
    for (unsigned at = keyword_place(name); keyword_index[at];
         at = (at + 1) % FER_COUNT(keyword_index)) {
        const fer_keyword *k = &rows[keyword_index[at] - 1];
        if (keyword_lens[at] == name.len && memcmp(k->name, name.ptr, name.len) == 0) return k;
    }
    return NULL;
}

/* The next row of the same name, or NULL. */
static const fer_keyword *next_of_name(const fer_keyword *k, const char *name)
{
    return k + 1 < rows + FER_COUNT(rows) && strcmp(k[1].name, name) == 0 ? k + 1 : NULL;
}

const fer_keyword *fer_keyword_find(const struct fer_rules *rules, fer_str name)
{
    const fer_keyword *k = fer_keyword_first(name);
    /* Rows of one name stand together, and the first that fits the dialect counts. */
    for (const char *first = k ? k->name : NULL; k; k = next_of_name(k, first)) {
        if ((k->dialects & rules->bit) && (k->vocabulary & rules->vocabularies)) return k;
    }
    return NULL;
}

bool fer_keyword_elsewhere(fer_str name)
{
    return fer_keyword_first(name) != NULL;
}

fer_str fer_keyword_near(const struct fer_rules *rules, fer_str name)
{
    fer_near near;
    fer_near_init(&near, name);
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (rows[i].dialects & rules->bit) fer_near_try(&near, fer_str_of(rows[i].name));
    }
    return near.best;
}
