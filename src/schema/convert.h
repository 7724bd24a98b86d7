/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converting a schema to another dialect, keyword by keyword. The life of a conversion:
 * survey the document and follow its references (convert_survey.c) -> write every subschema
 * anew, from a list of those that wait (convert.c), each keyword by its own rule
 * (convert_keywords.c, convert_arrays.c) -> mend the references, whose targets may stand
 * elsewhere now (convert_refs.c). What was a schema before has a seat: where it stands in the new
 * schema.
 */
#ifndef FER_CONVERT_H
#define FER_CONVERT_H

#include "compile.h"
#include "schema_tree.h"

/* A place in the new schema: a subschema, or a list or map of subschemas. */
typedef struct fer_seat {
    const struct fer_seat *up; /* NULL: the whole */
    fer_str key;               /* in it; ptr NULL: index */
    size_t index;
    yyjson_mut_val *value;
    const yyjson_val *source; /* the schema it is made from; NULL: something new */
    fer_resource *resource;   /* of that */
    fer_str names[2];         /* anchors by which a `$ref` can reach it */
    struct fer_box *boxes;    /* lists and maps of subschemas in it */
    bool has_ref;             /* `$ref` stands in it */
} fer_seat;

/* A list or map that several keywords may add to. */
typedef struct fer_box {
    fer_seat seat;
    fer_map keys; /* of a map */
    size_t count; /* of a list */
    struct fer_box *next;
} fer_box;

/* A value that means nothing, but in which a reference leads to a schema. */
struct fer_raw {
    fer_seat *seat;
    const yyjson_val *value;
};

/* Where a reference leads. */
struct fer_lead {
    const yyjson_val *reference;
    const yyjson_val *value; /* in the document */
    const fer_anchor *anchor;
    const fer_resource *base; /* the resource that its URI names */
    bool dynamic;             /* by a dynamic anchor */
};

/* A reference in the new schema whose text waits until all have their seats. */
struct fer_pending {
    yyjson_mut_val *text;
    const yyjson_val *reference; /* that it was; NULL: */
    const yyjson_val *target;    /* the schema it shall lead to */
    const fer_seat *from;
};

/* The dynamic anchors of one name. */
struct fer_dynamic_name {
    size_t count;
    const yyjson_val *first;
};

struct fer_noted {
    const yyjson_val *at;
    size_t order; /* among those of one place */
    bool lost;
    fer_str message;
};

typedef struct fer_convert {
    fer_arena *arena;
    fer_tree tree;
    fer_compile compile; /* its library has the survey */
    const fer_json *doc;
    const struct fer_rules *to;
    fer_err *err;
    fer_code code; /* what stopped it */

    fer_map seats; /* by the schema they were made from */
    fer_seat **todo;
    size_t todo_count, todo_cap;
    struct fer_raw *raws;
    size_t raw_count, raw_cap;
    fer_map leads; /* by reference */
    struct fer_pending *pending;
    size_t pending_count, pending_cap;
    const yyjson_val **parts; /* schemas that are only known by a reference */
    size_t part_count, part_cap;
    const yyjson_val **led; /* schemas that references lead to */
    size_t led_count, led_cap;
    const yyjson_val **scans; /* parts of the document that have not been looked through */
    size_t scan_count, scan_cap;
    uint64_t *seen; /* a bit for each value of the document that was looked at */

    fer_map dynamic_names;  /* -> struct fer_dynamic_name */
    bool dynamic_below;     /* some dynamic anchor is not at the root of its resource */
    size_t recursive_count; /* resources with `$recursiveAnchor` */
    fer_map anchor_names;
    fer_str recursive_name; /* that `$recursiveAnchor` becomes */
    bool external;          /* some reference leads elsewhere, or nowhere */
    bool has_contains;

    struct fer_noted *notes;
    size_t note_count, note_cap;
    bool mute;                    /* what is said of this object does not count in either dialect */
    const yyjson_val *integer_at; /* where `integer` stands first; once is enough */
} fer_convert;

/* A member of a schema that is being converted. */
typedef struct fer_member {
    fer_seat *seat; /* of the schema it is in */
    const yyjson_val *schema;
    const yyjson_val *key;
    const yyjson_val *value;
    const fer_keyword *keyword; /* NULL: the dialect does not know it */
    const struct fer_rules *rules;
} fer_member;

static inline bool fer_rules_old(const struct fer_rules *rules)
{
    return rules->dialect < FER_DIALECT_2019_09;
}
/* The value of another keyword of the schema, or NULL. */
static inline const yyjson_val *fer_beside(const fer_member *m, const char *name)
{
    const yyjson_val *v = fer_val_get(m->schema, name);
    return v && fer_keyword_find(m->rules, fer_str_of(name)) ? v : NULL;
}

/* Notes the end of memory. */
void *fer_convert_no_memory(fer_convert *c);
/* Notes a change at a value of the document. */
void fer_convert_note(fer_convert *c, const yyjson_val *at, bool lost, const char *format, ...)
    FER_PRINTF(4, 5);

/* A list or map of subschemas in a seat, made where it is not there; NULL: no memory. */
fer_box *fer_box_list(fer_convert *c, fer_seat *seat, fer_str name);
fer_box *fer_box_map(fer_convert *c, fer_seat *seat, fer_str name);
/* A subschema takes its place. `booleans`: they may stand there in any dialect. */
void fer_seat_put(fer_convert *c, fer_seat *seat, fer_str key, const yyjson_val *schema,
                  bool booleans);
void fer_box_add(fer_convert *c, fer_box *box, const yyjson_val *schema);
void fer_box_put(fer_convert *c, fer_box *box, fer_str key, const yyjson_val *schema);
/* The same under a key that may have to be another where it is taken. */
void fer_box_park(fer_convert *c, fer_box *box, fer_str key, const yyjson_val *schema);
bool fer_box_has(const fer_box *box, fer_str key);
/* A value of a map that is no schema. */
void fer_box_copy(fer_convert *c, fer_box *box, fer_str key, const yyjson_val *value);
/* A new object in a seat, or at the end of a list; NULL: no memory. */
fer_seat *fer_seat_inner(fer_convert *c, fer_seat *seat, fer_str key);
fer_seat *fer_box_inner(fer_convert *c, fer_box *box);
/* A new schema that must hold as well: the last of `allOf`. */
fer_seat *fer_seat_also(fer_convert *c, fer_seat *seat);
/* The schema of a member that counts for nothing, except perhaps for a reference. */
void fer_convert_park(fer_convert *c, const fer_member *m);
/* A member that is left out; schemas in it that references lead to become definitions. */
void fer_convert_drop(fer_convert *c, const fer_member *m);
/* A value as it is. */
void fer_seat_copy(fer_convert *c, fer_seat *seat, fer_str key, const yyjson_val *value);
/* A member as it is, with its subschemas converted. */
void fer_convert_plain(fer_convert *c, const fer_member *m, fer_str name);
/* A value that no keyword has the form of, but in which a reference may find schemas. */
void fer_convert_raw(fer_convert *c, fer_seat *seat, fer_str name, const yyjson_val *value);

/* References. */
void fer_convert_survey(fer_convert *c, fer_dialect from);
void fer_convert_names(fer_convert *c, fer_seat *seat);
void fer_convert_ref(fer_convert *c, const fer_member *m);
void fer_convert_dynamic_ref(fer_convert *c, const fer_member *m);
void fer_convert_recursive_ref(fer_convert *c, const fer_member *m);
/* A `$ref` to a schema of the document, wherever that comes to stand. */
void fer_convert_lead_to(fer_convert *c, fer_seat *seat, const yyjson_val *target);
void fer_convert_mend(fer_convert *c);

/* The rule of a keyword; NULL: it stays as it is. */
typedef void fer_convert_keyword(fer_convert *c, const fer_member *m);
fer_convert_keyword *fer_convert_rule(enum fer_slot slot);
/* Of arrays. */
void fer_convert_items(fer_convert *c, const fer_member *m);
void fer_convert_contains(fer_convert *c, const fer_member *m);
void fer_convert_contains_bound(fer_convert *c, const fer_member *m);
void fer_convert_unevaluated(fer_convert *c, const fer_member *m);

#endif
