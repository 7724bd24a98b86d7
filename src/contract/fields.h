/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool record as a table: one row per field, in the order in which a record is
 * written. The row says what the field may hold; checks, the reference page
 * (docs/reference/tool-record.md) and `ferrule fmt` all follow it. To add a field:
 * a row here and, where the table cannot say everything, a check.
 */
#ifndef FER_FIELDS_H
#define FER_FIELDS_H

#include "rules.h"

enum fer_field_id {
    FER_FIELD_NAME,
    FER_FIELD_NAMESPACE,
    FER_FIELD_VERSION,
    FER_FIELD_TITLE,
    FER_FIELD_DESCRIPTION,
    FER_FIELD_CATEGORY,
    FER_FIELD_TAGS,
    FER_FIELD_INPUT_SCHEMA,
    FER_FIELD_OUTPUT_SCHEMA,
    FER_FIELD_CHUNK_SCHEMA,
    FER_FIELD_ANNOTATIONS,
    FER_FIELD_EXECUTION,
    FER_FIELD_ICONS,
    FER_FIELD_EFFECT,
    FER_FIELD_IDEMPOTENCY,
    FER_FIELD_REQUIRES,
    FER_FIELD_POLICIES,
    FER_FIELD_CACHE,
    FER_FIELD_REDACT,
    FER_FIELD_REQUIRED_SCOPES,
    FER_FIELD_SECURITY_SCHEMES,
    FER_FIELD_SECURITY_REQUIREMENTS,
    FER_FIELD_INPUT_MODES,
    FER_FIELD_OUTPUT_MODES,
    FER_FIELD_EXAMPLES,
    FER_FIELD_INVALID_EXAMPLES,
    FER_FIELD_NOTES,
    FER_FIELD_EXTERNAL_REFS,
    FER_FIELD_CHANGELOG,
    FER_FIELD_BACKEND,
    FER_FIELD_SUPPRESS,
    FER_FIELD_META,
    FER_FIELD_COUNT
};

enum fer_field_types {
    FER_T_STRING = 1,
    FER_T_BOOL = 2,
    FER_T_INTEGER = 4, /* a whole number of at least 0 */
    FER_T_OBJECT = 8,
    FER_T_ARRAY = 16,
    FER_T_ANY = 32
};

enum fer_field_flags {
    FER_F_REQUIRED = 1,
    FER_F_MCP = 2, /* part of MCP; others stand under _meta.ferrule on MCP wires */
    FER_F_SOFT = 4 /* a text over its length is cut, not refused */
};

typedef struct fer_field fer_field;

/* What a row cannot say: more findings about a value whose type is right. */
typedef void fer_field_check(fer_drafts *d, const yyjson_val *value, const fer_path *path);

struct fer_field {
    const char *key;
    unsigned types;
    unsigned flags;
    uint64_t min;             /* code points of a string, value of an integer */
    uint64_t max;             /* 0: no bound */
    const char *const *words; /* the allowed strings, ended by NULL */
    const fer_field *members; /* of an object; ended by a row without key */
    const fer_field *item;    /* of an array, or of an object used as a map */
    fer_field_check *check;
    const char *text; /* what it says, for the reference page */
};

extern const fer_field fer_fields[FER_FIELD_COUNT];

/* The row of a key, or NULL. */
const fer_field *fer_field_find(fer_str key);

/* Checks a value against its row: every finding below it. */
void fer_field_check_value(fer_drafts *d, const fer_field *field, const yyjson_val *value,
                           const fer_path *path);

/* "string", "string or array" ... for messages and docs. */
void fer_field_types_text(const fer_field *field, fer_buf *out);

#endif
