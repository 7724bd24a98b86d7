/* SPDX-License-Identifier: Apache-2.0 */
/* What properties, patternProperties, additionalProperties and required say, together. */
#ifndef FER_OBJECT_H
#define FER_OBJECT_H

#include "names.h"
#include "program.h"
#include "regex.h"

/* A name and what it stands for. */
typedef struct fer_known {
    fer_name name;
    const struct fer_quick *code; /* of the node; without, of additionalProperties */
    uint32_t required;            /* 1: it is */
    uint32_t plain;               /* types of value for which the code says yes without a look */
    const fer_node *node;         /* NULL: it is only required */
    const yyjson_val *key;        /* in `properties`, or NULL */
} fer_known;

typedef struct fer_name_pattern {
    const fer_regex *regex;
    const fer_node *node;
    const struct fer_quick *code;
    const yyjson_val *key;
} fer_name_pattern;

typedef struct fer_object {
    fer_names names; /* each a fer_known */
    size_t required;
    fer_name_pattern *patterns;
    size_t pattern_count;
    const fer_node *additional;   /* NULL: anything goes */
    const struct fer_quick *rest; /* its code; what takes all where there is none */
    uint32_t plain;               /* types of value for which it says yes without a look */
    bool leaves;                  /* all members are leaves, for machine code (native_code.h) */
    const yyjson_val *sources[4]; /* of the four keywords, or NULL */
} fer_object;

/* What a name stands for, or NULL. */
static inline const fer_known *fer_object_find(const fer_object *o, fer_str name)
{
    return fer_names_find(&o->names, name);
}
static inline const fer_known *fer_object_at(const fer_object *o, size_t number)
{
    return (const fer_known *)o->names.list + number;
}

#endif
