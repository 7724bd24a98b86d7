/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema from examples, place by place: all values that the examples have at one place
 * are looked at together, so that what is known of them (types, keys, texts) is known at
 * once and nothing is merged afterwards. Pure.
 */
#ifndef FER_INFER_H
#define FER_INFER_H

#include <ferrule/schema.h>

#include "json_value.h"
#include "schema_tree.h"

/* The values of one place, in the order of the examples. */
typedef struct fer_sample {
    const yyjson_val **list;
    size_t count;
} fer_sample;

typedef struct fer_inference {
    fer_arena *arena;
    fer_tree tree;
    fer_infer_options options;
    fer_code code; /* the first failure that is not the end of memory */
    fer_err *err;
} fer_inference;

/* What the strings of a place have in common (infer_strings.c). */
const char *fer_infer_format(fer_inference *n, const fer_sample *strings);
/* Different strings, in the order of their first; NULL: too many, too long, or none comes again. */
const fer_str *fer_infer_enum(fer_inference *n, const fer_sample *strings, size_t *count);
/* Whether a key is a datum (a number, a date, a UUID ...), not a name that somebody chose. */
bool fer_infer_is_datum(fer_inference *n, fer_str key);

#endif
