/* SPDX-License-Identifier: Apache-2.0 */
#include "search_doc.h"

static const char *const field_names[] = {
    [FER_FIELD_NAME] = "name",
    [FER_FIELD_NAMESPACE] = "namespace",
    [FER_FIELD_TITLE] = "title",
    [FER_FIELD_TAG] = "tag",
    [FER_FIELD_CATEGORY] = "category",
    [FER_FIELD_DESCRIPTION] = "description",
    [FER_FIELD_PARAM_NAME] = "paramName",
    [FER_FIELD_PARAM_TEXT] = "paramText",
    [FER_FIELD_PARAM_VALUE] = "paramValue",
};
static_assert(FER_COUNT(field_names) == FER_FIELD_COUNT, "a name for each field");

const char *fer_search_field_name(fer_search_field field)
{
    return field_names[field];
}
