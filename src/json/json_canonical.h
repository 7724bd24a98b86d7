/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeing that a text is in canonical form already, in one pass and without a tree: what writes
 * records in the order of their keys need not pay for reading and writing them again. A yes is
 * sure: fer_json_read takes the text, and fer_json_canonical of it is the text, byte for byte. A
 * no says nothing; then those two are asked. Pure.
 */
#ifndef FER_JSON_CANONICAL_H
#define FER_JSON_CANONICAL_H

#include "str.h"

/* Longer texts are not looked at. */
#define FER_CANONICAL_MAX ((size_t)64 << 10)

/* A member of the outermost object; both texts are slices of it, the value as it is written. */
typedef struct fer_canonical_member {
    fer_str key;
    fer_str value;
} fer_canonical_member;

/*
 * Whether a text is an object in canonical form, and its members, the first `max` of them.
 * Fractions, exponents, whole numbers of more than 15 digits, keys that are not plain ASCII,
 * escapes by number and more than 32 levels get a no.
 */
bool fer_canonical_scan(fer_str text, fer_canonical_member *out, size_t max, size_t *count);
/* Whether a text is any value in canonical form, and printable ASCII alone; with the same
 * exceptions, and a number by itself. */
bool fer_canonical_is_plain(fer_str text);

#endif
