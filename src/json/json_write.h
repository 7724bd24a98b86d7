/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One writer for all notations of a value: minified, pretty, canonical, or with the
 * keys of some objects in an order of the caller's. The walk keeps its own stack in
 * the arena: depth costs memory of the request, never the machine's stack.
 * (yyjson's writer is not used: it loses the indent of raw numbers.)
 */
#ifndef FER_JSON_WRITE_H
#define FER_JSON_WRITE_H

#include <yyjson.h>

#include "buf.h"

/* The keys of an object in the order to write them, or NULL: no memory. */
typedef const yyjson_val **fer_key_order(fer_arena *a, const yyjson_val *object, void *context);

typedef struct fer_notation {
    bool pretty;          /* two spaces, one member per line */
    size_t indent;        /* levels that are open around the value */
    bool canonical;       /* RFC 8785: sorted keys, canonical numbers */
    fer_key_order *order; /* NULL: as they are in the text */
    void *context;        /* of order */
    const char *skip;     /* a key of the outermost object that is left out, or NULL */
} fer_notation;

/* Appends a value. `scratch` is used on the way. */
fer_code fer_write_add(fer_arena *scratch, fer_buf *b, const yyjson_val *value,
                       const fer_notation *notation, fer_err *err);

/* How long a value is when it is written on one line. */
typedef struct fer_json_size {
    size_t bytes;
    size_t characters;
} fer_json_size;
fer_json_size fer_json_size_of(const yyjson_val *value);

/* The keys of an object as they are in the text; NULL: no memory. */
const yyjson_val **fer_keys_plain(fer_arena *a, const yyjson_val *object);

#endif
