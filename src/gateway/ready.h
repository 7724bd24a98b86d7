/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool that is ready to be called: its record read, its schemas compiled, its policies looked
 * up. Made once for each definition that is called and kept, so that no later stage of a call asks
 * again. Counted and frozen; a call holds the one it began with, whatever the catalogue does
 * meanwhile. One thread.
 */
#ifndef FER_READY_H
#define FER_READY_H

#include "effect.h"
#include "map.h"
#include "policy_set.h"
#include "redact.h"
#include "rulebook.h"
#include "view.h"

#include <ferrule/schema.h>

#define FER_READY_MAX 20000 /* definitions that are kept; past it all are forgotten */

typedef struct fer_ready {
    size_t refs;
    fer_arena *arena;
    fer_entry *entry; /* held: the definition */
    fer_toolset *set; /* that holds the tool */
    const fer_tool *tool;
    const yyjson_val *scopes; /* requiredScopes of it; or NULL */
    fer_schema *input;
    fer_schema *output; /* NULL: the tool has none */
    fer_str id;         /* that everybody knows it by, whoever it is for (own_id.h) */
    fer_str name;
    fer_str version;
    fer_str definition;     /* JSON */
    fer_str base;           /* the ID without its version */
    fer_rulebook *rulebook; /* that its policy is of */
    unsigned major;         /* of the version */
    char hash[FER_HASH_TEXT];
    fer_effect_said said; /* of its effect; whether its server is trusted is asked at each call */
    fer_tool_policy policy;
    fer_idempotency idempotency;
    const fer_redact_rules *rules;
    fer_validate_options saying; /* what messages about its values may show: types (5.13) */
    fer_backend *backends;
    size_t backend_count;
} fer_ready;

/* Those that are kept, by the ID that they have in the catalogue. */
typedef struct fer_readies {
    fer_arena *arena;
    fer_map map;
    fer_rulebook *rulebook; /* borrowed */
} fer_readies;

FER_MUST_USE bool fer_readies_init(fer_readies *r);
void fer_readies_deinit(fer_readies *r);
/* Makes all anew when they are wanted again, by other policies. */
void fer_readies_change(fer_readies *r, fer_rulebook *rulebook);

/* The tool of an ID or alias in a view, made ready where it is not; to be unref'd. */
fer_code fer_ready_get(fer_readies *r, const fer_view *v, fer_str id, fer_str constraint,
                       fer_ready **out, fer_err *err);
/* The same of an entry. */
fer_code fer_ready_of(fer_readies *r, fer_entry *e, fer_ready **out, fer_err *err);
void fer_ready_unref(fer_ready *r);

#endif
