/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rankers know of a tool: texts, each with the field it is from. A field may come several
 * times (a text for each tag) or not at all; the order does not matter. The texts are borrowed.
 * Documents have numbers that the caller gives out, dense from 0; rankers know no IDs.
 */
#ifndef FER_SEARCH_DOC_H
#define FER_SEARCH_DOC_H

#include "str.h"

typedef enum fer_search_field {
    FER_FIELD_NAME,
    FER_FIELD_NAMESPACE,
    FER_FIELD_TITLE,
    FER_FIELD_TAG,
    FER_FIELD_CATEGORY,
    FER_FIELD_DESCRIPTION,
    FER_FIELD_PARAM_NAME,
    FER_FIELD_PARAM_TEXT,  /* description or title of a parameter */
    FER_FIELD_PARAM_VALUE, /* enum and const */
    FER_FIELD_COUNT
} fer_search_field;

typedef struct fer_search_text {
    fer_search_field field;
    fer_str text;
} fer_search_text;

typedef struct fer_search_doc {
    const fer_search_text *texts;
    size_t count;
} fer_search_doc;

/* "name", "paramText" ...: as explanations say it. */
const char *fer_search_field_name(fer_search_field field);

#endif
