/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the tool record and the list that findings are gathered in. A rule
 * is one row in rules.c; the row also feeds the documentation and the reports.
 */
#ifndef FER_RULES_H
#define FER_RULES_H

#include <ferrule/contract.h>
#include <yyjson.h>

#include "arena.h"
#include "json_pointer.h"

enum fer_rule_id {
    FER_RULE_BACKEND_KIND,
    FER_RULE_CACHE_PURE,
    FER_RULE_EFFECT_ANNOTATIONS,
    FER_RULE_EXAMPLE_INVALID,
    FER_RULE_EXAMPLE_SIZE,
    FER_RULE_FIELD_CONFLICT,
    FER_RULE_FIELD_EMPTY,
    FER_RULE_FIELD_ENUM,
    FER_RULE_FIELD_NULL,
    FER_RULE_FIELD_RANGE,
    FER_RULE_FIELD_REQUIRED,
    FER_RULE_FIELD_TYPE,
    FER_RULE_FIELD_UNKNOWN,
    FER_RULE_IDEMPOTENCY_PURE,
    FER_RULE_MODE_MEDIA_TYPE,
    FER_RULE_NAME_CHARSET,
    FER_RULE_NAME_LENGTH,
    FER_RULE_NAMESPACE_CHARSET,
    FER_RULE_NAMESPACE_LENGTH,
    FER_RULE_REDACT_PATH,
    FER_RULE_SCHEMA_DIALECT,
    FER_RULE_SCHEMA_EXTERNAL_REF,
    FER_RULE_SCHEMA_INVALID,
    FER_RULE_SCHEMA_LIMIT,
    FER_RULE_SCHEMA_ROOT,
    FER_RULE_SCHEMA_ROOT_MISSING,
    FER_RULE_SCHEMA_SUSPICIOUS,
    FER_RULE_SECURITY_SCHEME,
    FER_RULE_TAGS_CHANGED,
    FER_RULE_TAGS_COUNT,
    FER_RULE_TEXT_CUT,
    FER_RULE_TOOL_BUILTIN,
    FER_RULE_TOOL_DUPLICATE,
    FER_RULE_TOOL_SHADOWED,
    FER_RULE_VERSION_SEMVER,
    FER_RULE_VERSION_UNUSED,
    FER_RULE_COUNT
};

/* A finding that is still tied to its value; it gets its place when the tool is done. */
struct fer_draft {
    fer_finding finding;
    const yyjson_val *at; /* the value or key it is about */
    size_t offset;        /* of that in its document, once somebody asked */
};

typedef struct fer_drafts {
    fer_arena *arena;
    struct fer_draft *list;
    size_t count;
    size_t cap;
    bool no_memory;
    bool upper_types; /* schema types may be in upper case, as Gemini's API has them */
} fer_drafts;

void fer_drafts_init(fer_drafts *d, fer_arena *a);
/*
 * Notes a finding at a value. The message is formatted into the arena; a hint, where
 * there is one, is added by fer_drafts_hint. Without memory it is remembered that
 * something was lost.
 */
void fer_drafts_add(fer_drafts *d, enum fer_rule_id rule, const yyjson_val *at,
                    const fer_path *path, const char *format, ...) FER_PRINTF(5, 6);
/* Gives the last finding a hint. */
void fer_drafts_hint(fer_drafts *d, const char *format, ...) FER_PRINTF(2, 3);

#endif
