/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a result; its public face is in <ferrule/schema.h>. */
#ifndef FER_RESULT_H
#define FER_RESULT_H

#include "explain.h"

struct fer_result {
    fer_arena *arena;
    const struct fer_schema *program;
    const yyjson_val *root; /* of the instance */
    fer_unit *trace;        /* of the whole; NULL where the budget was spent */
    bool valid;
    bool cut;
    bool annotated; /* annotations were asked for */
    fer_violation *violations;
    size_t violation_count;
    fer_annotation *annotations;
    size_t annotation_count, annotation_cap;
    fer_validate_options options;
};

/* The next unit of a walk over everything below `top`, parents first, without a stack. */
const fer_unit *fer_unit_next(const fer_unit *top, const fer_unit *u, bool into);

/* Whether what a unit says counts: it is valid, and it is about a value, not a name. */
static inline bool fer_unit_notes_count(const fer_unit *u)
{
    return u->valid && !u->dropped && u->keyword != KW_PROPERTY_NAMES;
}

/* What a valid unit says, keyword by keyword. False: `each` did not want to go on. */
typedef bool fer_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                      fer_str json);
bool fer_unit_notes(fer_arena *a, const struct fer_schema *s, const fer_unit *u, fer_note *each,
                    void *context);

/*
 * Validates; with `keep_valid` the trace has what is valid, too. Annotations are not made of it:
 * their texts are long where values are deep.
 */
fer_code fer_validate_traced(fer_arena *a, const struct fer_schema *s, const fer_json *doc,
                             const yyjson_val *value, const fer_validate_options *options,
                             bool keep_valid, fer_result **out, fer_err *err);

/* A teller for this result, which tells nothing yet. */
fer_teller fer_result_teller(fer_arena *a, const fer_result *r);

/* Notes places in the text of a schema that is a document of its own, to find others from. */
void fer_places_mark(struct fer_schema *s);
/* Fills the places of findings, in the instance's document (or NULL) and in those of schemas. */
fer_code fer_places_fill(fer_arena *scratch, const struct fer_schema *s, const fer_json *doc,
                         fer_violation *list, size_t count, fer_err *err);

#endif
