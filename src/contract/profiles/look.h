/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tool held against the plan of a run: what the files that look at it share. A look
 * lives as long as the tool is at hand. For these files only.
 */
#ifndef FER_LOOK_H
#define FER_LOOK_H

#include "checks.h"
#include "json_write.h"
#include "profile.h"

/* What is counted over one tool. */
struct fer_facts {
    uint64_t optional; /* properties that are not required */
    uint64_t unions;   /* subschemas with anyOf or several types */
    uint64_t properties;
    uint64_t enums;      /* values of all enums */
    uint64_t strings;    /* characters of names, enum values and constants */
    uint64_t branches;   /* of anyOf */
    uint64_t required;   /* properties of the root that are */
    uint64_t characters; /* of the minified definition */
    unsigned depth;      /* of objects and arrays, references not followed */
    bool refs;           /* there is a $ref */
};

typedef struct fer_look {
    fer_pass_tool *pass;
    const fer_plan *plan;
    const yyjson_val *schema;
    const fer_path *path; /* of the schema */
    struct fer_facts facts;
    const yyjson_val *deepest;           /* a subschema at the greatest depth */
    unsigned level[FER_SUBSCHEMA_DEPTH]; /* objects and arrays around and at each open subschema */
    bool counted[FER_SUBSCHEMA_DEPTH];   /* that one of them is at this very place */
    const fer_path *node; /* of the subschema at hand, and its pointer once somebody asked */
    fer_str node_pointer;
    fer_json_size size; /* of the schema, once somebody asked */
    unsigned in_all_of; /* allOf around */
    unsigned in_items;  /* arrays around */
} fer_look;

/* The types that a subschema names, as bits in the order of fer_type_names. */
enum fer_type_bits {
    FER_IS_OBJECT = 1,
    FER_IS_ARRAY = 2,
    FER_IS_STRING = 4,
    FER_IS_INTEGER = 8,
    FER_IS_NUMBER = 16,
    FER_IS_BOOLEAN = 32,
    FER_IS_NULL = 64
};
/* Of the value of `type`; words that are no type are left out. Case does not count. */
unsigned fer_look_types(const yyjson_val *type);

/*
 * Reports a rule for the profiles of a mask, in one draft; the provider's words and the severity
 * will come from each profile's row.
 */
void fer_look_report(fer_look *l, enum fer_profile_rule_id rule, uint64_t mask,
                     const yyjson_val *at, const fer_path *path, const char *format, ...)
    FER_PRINTF(6, 7);
/* The same with texts that are made already. False: no memory. */
bool fer_look_put(fer_look *l, enum fer_profile_rule_id rule, uint64_t mask, const yyjson_val *at,
                  fer_str pointer, fer_str message);
/* The same for one profile, with what is allowed and what there is. */
void fer_look_exceeds(fer_look *l, enum fer_profile_rule_id rule, size_t profile, uint64_t limit,
                      uint64_t actual, const yyjson_val *at, const fer_path *path,
                      const char *format, ...) FER_PRINTF(8, 9);
/* Reports a rule for each profile whose `max` is less than `actual`: "what: actual, at most max".
 */
void fer_look_limit(fer_look *l, enum fer_profile_rule_id rule, uint64_t actual,
                    const yyjson_val *at, const fer_path *path, const char *what);

static inline const struct fer_profile_row *fer_look_row(const fer_look *l, size_t profile,
                                                         enum fer_profile_rule_id rule)
{
    return &l->plan->profiles[profile]->rows[rule];
}

/* How long the schema is when it is written. */
fer_json_size fer_look_size(fer_look *l);

bool fer_words_have(const struct fer_words *words, fer_str word);

/* How a name is written, found once for all profiles. */
typedef struct fer_spelling {
    uint64_t bits[2]; /* the ASCII characters in it */
    bool ascii;       /* there are no others */
    size_t characters;
} fer_spelling;
fer_spelling fer_spelling_of(fer_str name);

/* Whether all characters of a name are in a set. */
static inline bool fer_chars_cover(const fer_chars *set, const fer_spelling *s)
{
    return s->ascii && !(s->bits[0] & ~set->bits[0]) && !(s->bits[1] & ~set->bits[1]);
}

/* The files' entries. */
void fer_look_tool(fer_look *l);   /* look_tool.c: names, keys, descriptions */
void fer_look_schema(fer_look *l); /* look_schema.c: the walk */
void fer_look_keywords(fer_look *l, const fer_subschema *s);
void fer_look_node(fer_look *l, const fer_subschema *s, unsigned types); /* look_node.c */
void fer_look_ref(fer_look *l, const fer_subschema *s);                  /* look_refs.c */
void fer_look_depth(fer_look *l);
void fer_look_pattern(fer_look *l, const fer_subschema *s); /* look_pattern.c */
void fer_look_set(fer_look *l);                             /* look_set.c */
void fer_look_set_end(fer_pass_set *p);

#endif
