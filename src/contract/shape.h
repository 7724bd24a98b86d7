/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shapes that tool definitions come in, one row each: how an entry is
 * recognised, where its record is, and which of its keys stand for which field.
 * To accept a further shape: a row in shape.c. Pure.
 */
#ifndef FER_SHAPE_H
#define FER_SHAPE_H

#include "fields.h"

enum fer_shape {
    FER_SHAPE_NONE, /* not an entry of any known kind */
    FER_SHAPE_FERRULE,
    FER_SHAPE_MCP,
    FER_SHAPE_OPENAI,
    FER_SHAPE_OPENAI_RESPONSES,
    FER_SHAPE_ANTHROPIC,
    FER_SHAPE_GEMINI,
    FER_SHAPE_BEDROCK,
    FER_SHAPE_FUNCTION,
    FER_SHAPE_BUILTIN, /* a provider's own tool, without a definition */
    FER_SHAPE_COUNT
};

struct fer_shape_key {
    const char *key;
    enum fer_field_id field;
};

struct fer_shape_row {
    const char *name;
    const char *title;                /* for people */
    const char *inside;               /* the key that holds the record, or NULL: the entry itself */
    const char *list;                 /* the key that holds a list of records, or NULL */
    const char *schema_inside;        /* the key inside the schema that holds the schema, or NULL */
    const struct fer_shape_key *keys; /* NULL: the keys are the fields' own */
};

const struct fer_shape_row *fer_shape_info(enum fer_shape shape);

/* The shape of one entry of a list. */
enum fer_shape fer_shape_of(const yyjson_val *entry);
/* Whether a document is a tool by itself. In a list, what has a type and nothing that we know is a
 * provider's own tool; alone, it may be anything: a JSON Schema, a package.json. */
bool fer_shape_is_tool(const yyjson_val *root);

/* Whether a key of an object means that the object itself is a tool. */
bool fer_shape_has_schema_key(fer_str key);

/* Whether two shapes may stand in one list: records with and without Ferrule's own fields may. */
bool fer_shape_fits(enum fer_shape x, enum fer_shape y);

/* The field that a key of a record stands for in this shape, or FER_FIELD_COUNT. */
enum fer_field_id fer_shape_field(enum fer_shape shape, fer_str key);

#endif
