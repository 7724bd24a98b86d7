/* SPDX-License-Identifier: Apache-2.0 */
/* What properties, patternProperties, additionalProperties and required say, together. */
#ifndef FER_OBJECT_H
#define FER_OBJECT_H

#include "names.h"
#include "program.h"
#include "regex.h"

/* What a name stands for. */
typedef struct fer_known {
    const fer_node *node;         /* NULL: it is only required */
    const struct fer_quick *code; /* of the node; NULL: anything goes */
    const yyjson_val *key;        /* in `properties`, or NULL */
    bool required;
} fer_known;

typedef struct fer_name_pattern {
    const fer_regex *regex;
    const fer_node *node;
    const struct fer_quick *code;
    const yyjson_val *key;
} fer_name_pattern;

typedef struct fer_object {
    fer_names names;
    fer_known *properties; /* by the number of the name */
    size_t required;
    fer_name_pattern *patterns;
    size_t pattern_count;
    const fer_node *additional;   /* NULL: anything goes */
    const struct fer_quick *rest; /* the same, its code */
    const yyjson_val *sources[4]; /* of the four keywords, or NULL */
} fer_object;

/* What a name stands for, or NULL. */
static inline const fer_known *fer_object_find(const fer_object *o, fer_str name)
{
    uint32_t n = fer_names_find(&o->names, name);
    return n == FER_NAME_NONE ? NULL : &o->properties[n];
}

#endif
