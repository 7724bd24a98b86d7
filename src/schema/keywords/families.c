/* SPDX-License-Identifier: Apache-2.0 */
#include "families.h"

#define S(kw) FER_SLOT(KW_##kw)

/* Cheap assertions first, subschemas after them, what needs their marks last. */
const struct fer_family fer_families[] = {
    {S(TYPE), fer_compile_type},
    {S(ENUM) | S(CONST), fer_compile_enum},
    {S(MULTIPLE_OF) | S(MAXIMUM) | S(EXCLUSIVE_MAXIMUM) | S(MINIMUM) | S(EXCLUSIVE_MINIMUM),
     fer_compile_number},
    {S(MAX_LENGTH) | S(MIN_LENGTH) | S(PATTERN), fer_compile_string},
    {S(FORMAT), fer_compile_format},
    {S(MAX_ITEMS) | S(MIN_ITEMS) | S(MAX_PROPERTIES) | S(MIN_PROPERTIES), fer_compile_counts},
    {S(REF) | S(DYNAMIC_REF) | S(RECURSIVE_REF), fer_compile_ref},
    {S(REQUIRED) | S(PROPERTIES) | S(PATTERN_PROPERTIES) | S(ADDITIONAL_PROPERTIES),
     fer_compile_object},
    {S(PROPERTY_NAMES), fer_compile_names},
    {S(DEPENDENCIES) | S(DEPENDENT_REQUIRED) | S(DEPENDENT_SCHEMAS) | S(PROPERTY_DEPENDENCIES),
     fer_compile_dependent},
    {S(PREFIX_ITEMS) | S(ITEMS) | S(ADDITIONAL_ITEMS), fer_compile_items},
    {S(CONTAINS), fer_compile_contains},
    {S(UNIQUE_ITEMS), fer_compile_unique},
    {S(CONTENT_ENCODING) | S(CONTENT_MEDIA_TYPE) | S(CONTENT_SCHEMA), fer_compile_content},
    {S(ALL_OF) | S(ANY_OF) | S(ONE_OF) | S(NOT), fer_compile_logic},
    {S(IF), fer_compile_if},
    {S(UNEVALUATED_ITEMS) | S(UNEVALUATED_PROPERTIES), fer_compile_unevaluated},
};
const size_t fer_family_count = FER_COUNT(fer_families);
