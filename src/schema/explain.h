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
#include "map.h"
#include "near.h"
#include "print.h"
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
    fer_map keys;     /* of the large object that was asked last for a key */
    const yyjson_val *keys_of;
    const yyjson_val *said; /* the value whose JSON was made last, and that */
    size_t said_max;
    fer_str said_json;
    const char *field_of; /* the dotted form that was quoted last, and how */
    fer_str field;
    bool shallow; /* a unit speaks for itself, not for those below it */
    bool within;  /* in that unit now */
    bool naming;  /* the finding in hand is about the name of a property */
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

/* The key of an object (NULL: it has none), quickly in large ones, too. */
const yyjson_val *fer_tell_key(fer_teller *t, const yyjson_val *object, fer_str name);

/* Text in the teller's arena; "" without memory. */
fer_str fer_say(fer_teller *t, const char *format, ...) FER_PRINTF(2, 3);
/* Pieces of text behind each other, as fer_say would print them with "%.*s%.*s ...". */
fer_str fer_join(fer_teller *t, const fer_str *pieces, size_t count);
#define FER_JOIN(t, ...)                                                                           \
    fer_join(t, (const fer_str[]){__VA_ARGS__},                                                    \
             sizeof((const fer_str[]){__VA_ARGS__}) / sizeof(fer_str))
/* A number as such a piece. */
static inline fer_str fer_say_number(char digits[FER_DIGITS], uint64_t number)
{
    return (fer_str){digits, fer_print_u64(digits, number)};
}
/* What a buffer of the teller's arena holds; "" without memory. */
fer_str fer_say_text(fer_teller *t, const fer_buf *b);
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
/* Whether the value that a finding is about must not be shown. */
bool fer_is_hidden(const fer_teller *t, const fer_violation *v);
/* The same before there is a finding. */
bool fer_is_hidden_unit(fer_teller *t, const fer_unit *u);
/* "a string, an integer or null" */
fer_str fer_say_types(fer_teller *t, const fer_str *names, size_t count);
/* What to do about a unit's value that should be of one of these types. */
fer_str fer_type_hint(fer_teller *t, const fer_unit *u, const fer_violation *v,
                      const fer_str *names, size_t count);
/* What a schema of one keyword asks for, as in "must be X": a value, "one of ...", "a string"; ""
 * where it is not that simple. */
fer_str fer_say_simply(fer_teller *t, const yyjson_val *schema);
/* Says behind the messages from number `from` on why they count, where nothing is said yet. */
void fer_say_reason(fer_teller *t, size_t from, fer_str reason);
/* The dotted form of a unit's value, and of a member of it. */
fer_str fer_say_place(fer_teller *t, const fer_unit *u);
fer_str fer_say_member(fer_teller *t, const fer_unit *u, fer_str name);
/* "Because `kind` is "card"."; without its value where that must not be shown. */
fer_str fer_say_because(fer_teller *t, const fer_unit *u, fer_str member, fer_str is);

/* The path through the keywords that led to a unit, and on to a keyword of it (or ""). */
fer_str fer_evaluation_path(fer_arena *a, const fer_unit *u, fer_str keyword);
/* The URI of a value of the schema. */
fer_str fer_schema_location(fer_arena *a, const struct fer_schema *s, const fer_node *node,
                            const yyjson_val *value);

/* Fills a finding's field and locations. `member` is one that its value lacks; or ptr NULL. */
void fer_tell_where(fer_teller *t, fer_violation *v, fer_str member);

#define FER_TELL_DEPTH  200 /* units inside each other that speak for themselves */
#define FER_FIELD_MAX   300 /* bytes of a field that a sentence names */
#define FER_ALLOWED_MAX 100 /* values or names that one finding lists */

/* Looks at a name for "did you mean"; false: that has cost enough for this validation. */
bool fer_tell_near(fer_teller *t, fer_near *near, fer_str candidate);
/* The same for a name that is known not to be meant. */
static inline bool fer_tell_pass(fer_teller *t)
{
    if (!t->near_left) return false;
    t->near_left--;
    return true;
}
/* Pays for looks at schemas and units; false: that has cost enough. */
bool fer_tell_look(fer_teller *t, size_t looks);

/* The unit of an anyOf or oneOf that was meant, and why; NULL where none stands out. */
const fer_unit *fer_branch_meant(fer_teller *t, const fer_unit *u, const fer_inst *i,
                                 const fer_node *const *nodes, size_t count, fer_str *why);
/* The node behind plain references. */
const fer_node *fer_behind_refs(const fer_node *node);
/*
 * Where all alternatives are told apart by one property and its value is none of theirs,
 * tells just that. False: they are not.
 */
bool fer_tell_tag(fer_teller *t, const fer_unit *u, const fer_inst *i, const fer_node *const *nodes,
                  size_t count);
/* Fills a finding about a value that is none of those that count, given as JSON. */
void fer_tell_values(fer_teller *t, fer_violation *v, const yyjson_val *value,
                     const fer_str *values, size_t count, const char *must);
/* What the alternatives are, in a few words each. */
fer_str fer_branches_in_words(fer_teller *t, const fer_node *const *nodes, size_t count);
/* The subschemas of an instruction that is allOf, anyOf or oneOf; none of another. */
const fer_node *const *fer_branches(const fer_inst *i, size_t *count);
/* One alternative in a few words. */
fer_str fer_branch_in_words(fer_teller *t, const fer_node *node);

/* Whether the object that a unit's value is a member of must have it. */
bool fer_is_required(fer_teller *t, const fer_unit *u);
/* What the unit's schema, or one above it on the same value, says of a property; or NULL. */
const yyjson_val *fer_property_schema(fer_teller *t, const fer_unit *u, fer_str name);
/* Names of the properties that the schema, and what it refers to and combines, describes. */
const fer_str *fer_known_names(fer_teller *t, const fer_unit *u, size_t *count);
/* Which of the names it is shown was most likely meant by another. */
typedef struct fer_meant {
    fer_near near;
    fer_str word;
    fer_str begun; /* begins as the word does, or the other way round */
    bool unsure;   /* more than one does */
} fer_meant;
void fer_meant_init(fer_meant *m, fer_str word);
/* A name that the object has already was not meant. False: that has cost enough. */
bool fer_meant_try(fer_teller *t, fer_meant *m, const yyjson_val *object, fer_str candidate);
/* The one that was, or "". */
fer_str fer_meant_best(const fer_meant *m);
/* Fills a finding about a property that is not among the names. */
void fer_tell_unknown(fer_teller *t, fer_violation *v, fer_str name, const fer_meant *meant,
                      const fer_str *names, size_t count);
/* `a`, `b` and so on. */
fer_str fer_say_names(fer_teller *t, const fer_str *names, size_t count);

#endif
