/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling why a value failed, from the trace: findings that name the field, what was
 * expected and what was there, in sentences that a model can repair from. Of the branches
 * of anyOf and oneOf, the one that was meant is told (branch.c). The keywords' own words
 * stand in keywords/, and use what is here.
 */
#ifndef FER_EXPLAIN_H
#define FER_EXPLAIN_H

#include "buf.h"
#include "near.h"
#include "trace.h"

typedef struct fer_teller {
    fer_arena *arena;
    const struct fer_schema *program;
    const yyjson_val *root; /* of the instance */
    const fer_validate_options *options;
    fer_violation *list;
    size_t count, cap, max;
    bool cut;
    bool no_memory;
    size_t near_left; /* names that may still be compared to say "did you mean" */
    size_t look_left; /* units and schemas that may still be looked at to find what was meant */
    bool shallow;     /* a unit speaks for itself, not for those below it */
    bool within;      /* in that unit now */
} fer_teller;

/* Tells everything about a unit that failed. */
void fer_tell_unit(fer_teller *t, const fer_unit *u);
/* Tells the units below that an instruction asked and that failed. */
void fer_tell_below(fer_teller *t, const fer_unit *u, const fer_inst *i);

/*
 * A new finding about a value (or key) of the instance, made by the keyword whose value in
 * the schema is `source`; NULL where there are enough. The caller fills what it knows.
 */
fer_violation *fer_tell(fer_teller *t, const fer_unit *u, const yyjson_val *source, fer_code code,
                        const yyjson_val *value);
/* The same about a member that is not there. */
fer_violation *fer_tell_absent(fer_teller *t, const fer_unit *u, const yyjson_val *source,
                               fer_code code, fer_str member);

/* The name of the keyword that fills a slot. */
fer_str fer_slot_name(enum fer_slot slot);
/* Text in the teller's arena; "" without memory. */
fer_str fer_say(fer_teller *t, const char *format, ...) FER_PRINTF(2, 3);
/* The field that a finding is about, as a subject: `order.items[2].sku`, or "The value". */
fer_str fer_say_field(fer_teller *t, const fer_violation *v);
/* A value as JSON, cut; only its type where values are hidden. */
fer_str fer_say_value(fer_teller *t, const fer_violation *v, const yyjson_val *value);
/* A value of the schema as JSON, cut at `max` bytes. */
fer_str fer_say_json(fer_teller *t, const yyjson_val *value, size_t max);
/* "a string", "the number 42": for "..., but is X". */
fer_str fer_say_actual(fer_teller *t, const fer_violation *v, const yyjson_val *value);
/* Sets the allowed values of a finding from a list of the schema's. */
void fer_say_allowed(fer_teller *t, fer_violation *v, const yyjson_val *list);

/* The path through the keywords that led to a unit, and on to a keyword of it (or ""). */
fer_str fer_evaluation_path(fer_arena *a, const fer_unit *u, fer_str keyword);
/* The URI of a value of the schema. */
fer_str fer_schema_location(fer_arena *a, const struct fer_schema *s, const fer_node *node,
                            const yyjson_val *value);

#define FER_ALLOWED_MAX 100 /* values or names that one finding lists */

/* Looks at a name for "did you mean"; false: that has cost enough for this validation. */
bool fer_tell_near(fer_teller *t, fer_near *near, fer_str candidate);
/* The same for a property, which is not meant where the object has it. */
bool fer_tell_near_property(fer_teller *t, fer_near *near, const yyjson_val *object,
                            fer_str candidate);

/* The unit of an anyOf or oneOf that was meant; NULL where none stands out. */
const fer_unit *fer_branch_meant(fer_teller *t, const fer_unit *u, const fer_inst *i,
                                 const char **why);
/*
 * Where all alternatives are told apart by one property and its value is none of theirs,
 * tells just that. False: they are not.
 */
bool fer_tell_tag(fer_teller *t, const fer_unit *u, const fer_inst *i, const fer_node *const *nodes,
                  size_t count);
/* What the alternatives are, in a few words each. */
fer_str fer_branches_in_words(fer_teller *t, const fer_node *const *nodes, size_t count);
/* The known property that is nearest to an unknown one, or "". */
fer_str fer_near_property(fer_teller *t, const fer_unit *u, fer_str name);
/* `a`, `b` and so on. */
fer_str fer_say_names(fer_teller *t, const fer_str *names, size_t count);

#endif
