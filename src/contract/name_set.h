/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of a list, or of the members of an object, to be looked up one after the other:
 * `required` for each of many properties. A few are compared, many are in a map. Pure.
 */
#ifndef FER_NAME_SET_H
#define FER_NAME_SET_H

#include <yyjson.h>

#include "map.h"

typedef struct fer_name_set {
    const yyjson_val *names; /* an array or an object; else there are none */
    fer_map map;             /* of many */
    bool many;
} fer_name_set;

/* Values that are no strings are no names. False: no memory; then the set is empty. */
bool fer_name_set_init(fer_name_set *s, fer_arena *a, const yyjson_val *names);
bool fer_name_set_has(const fer_name_set *s, fer_str name);

#endif
