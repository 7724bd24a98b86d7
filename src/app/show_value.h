/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON value for people: a table where it is one, lines of name and value, else JSON. */
#ifndef FER_SHOW_VALUE_H
#define FER_SHOW_VALUE_H

#include <ferrule/json.h>

#include "arena.h"
#include "out.h"

typedef enum fer_showing {
    FER_SHOW_TABLE,
    FER_SHOW_JSON, /* on one line */
    FER_SHOW_RAW   /* a text as it is; else JSON */
} fer_showing;

fer_code fer_show_value(fer_arena *a, fer_out *o, fer_str json, fer_showing how, fer_err *err);

#endif
