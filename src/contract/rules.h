/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules, and the list that findings are gathered in. A rule is one row of a table; the
 * tables are listed in rules.c, each ordered by id: those of the record in record_rules.c,
 * those of profiles in profiles/profile_rules.c. The row also feeds documentation and
 * reports. Pure.
 */
#ifndef FER_RULES_H
#define FER_RULES_H

#include <stdarg.h>

#include <ferrule/contract.h>
#include <yyjson.h>

#include "arena.h"
#include "json_pointer.h"

/* The rules of the record. */
enum fer_rule_id {
    FER_RULE_BACKEND_KIND,
    FER_RULE_CACHE_PURE,
    FER_RULE_EFFECT_ANNOTATIONS,
    FER_RULE_EXAMPLE_ACCEPTED,
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
    FER_RULE_SUPPRESS_REASON,
    FER_RULE_SUPPRESS_UNKNOWN,
    FER_RULE_SUPPRESS_UNUSED,
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
extern const fer_rule fer_record_rules[FER_RULE_COUNT];

/* A table of rules: rows of any struct whose first member is the fer_rule, ordered by id. */
typedef struct fer_rule_list {
    const void *rows;
    size_t count;
    size_t stride; /* bytes of a row */
} fer_rule_list;
/* Which table a rule is in: 0 is the record's. */
size_t fer_rule_table_of(const fer_rule *rule);
enum fer_rule_tables {
    FER_RULES_OF_RECORD,
    FER_RULES_OF_PROFILES,
    FER_RULES_OF_QUALITY
};

/*
 * A finding that is still tied to its value, or one for each of several profiles that say the
 * same; it gets its place, and each profile its words, when somebody wants to see it (findings.h).
 */
struct fer_draft {
    fer_finding finding;
    const yyjson_val *at;  /* the value or key it is about */
    uint64_t profiles;     /* of the plan, a bit each, that demand it; 0: none does */
    uint16_t profile_rule; /* enum fer_profile_rule_id: its row in these profiles */
    bool graded;           /* the severity is the finding's, not that of the profiles' rows */
};

typedef struct fer_drafts {
    fer_arena *arena;
    struct fer_draft *list;
    size_t count;
    size_t cap;
    bool no_memory;
    const struct fer_plan *plan; /* whose profiles drafts name; NULL: there are none */
    bool upper_types;            /* schema types may be in upper case, as Gemini's API has them */
} fer_drafts;

void fer_drafts_init(fer_drafts *d, fer_arena *a);
/*
 * Notes a finding of a rule of the record at a value. The message is formatted into the
 * arena; a hint, where there is one, is added by fer_drafts_hint. Without memory it is
 * remembered that something was lost.
 */
void fer_drafts_add(fer_drafts *d, enum fer_rule_id rule, const yyjson_val *at,
                    const fer_path *path, const char *format, ...) FER_PRINTF(5, 6);
/* The same for a rule of any table. What it returns may be filled further; NULL: no memory. */
fer_finding *fer_drafts_report(fer_drafts *d, const fer_rule *rule, const yyjson_val *at,
                               const fer_path *path, const char *format, ...) FER_PRINTF(5, 6);
/* A message in an arena, at most FER_ERR_TEXT bytes; ptr NULL: no memory. */
fer_str fer_draft_text(fer_arena *a, const char *format, va_list args) FER_PRINTF(2, 0);

/* The same with texts that are made already and stay: findings that say the same share them. */
fer_finding *fer_drafts_put(fer_drafts *d, const fer_rule *rule, const yyjson_val *at,
                            fer_str pointer, fer_str message);
/* Gives the last finding a hint. */
void fer_drafts_hint(fer_drafts *d, const char *format, ...) FER_PRINTF(2, 3);
/* Decimal digits in the arena; ptr NULL without memory. */
fer_str fer_digits_text(fer_arena *a, uint64_t number);
/* Gives the last finding what is allowed and what there is, as numbers. */
void fer_drafts_bounds(fer_drafts *d, uint64_t limit, uint64_t actual);

#endif
