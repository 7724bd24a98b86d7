/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gist of a place: what several schemas that all hold there say together, as plain
 * bounds for each type of value. References and `allOf` are followed; alternatives, `not`
 * and conditions are kept as they are. A gist takes at least all values that the schemas
 * take, never fewer: what it does not understand it leaves out. So what holds for a gist
 * holds for the schemas, and what a gist refuses they refuse.
 *
 * Schemas of several programs may meet at a place. Pure; a gist lives in the arena.
 */
#ifndef FER_GIST_H
#define FER_GIST_H

#include "object.h"
#include "program.h"
#include "regex_lang.h"

/* Types of values; whole numbers and others are two of them. */
enum {
    FER_G_NULL = 1,
    FER_G_BOOL = 2,
    FER_G_WHOLE = 4,
    FER_G_REAL = 8,
    FER_G_STRING = 16,
    FER_G_ARRAY = 32,
    FER_G_OBJECT = 64,
    FER_G_NUMBER = FER_G_WHOLE | FER_G_REAL,
    FER_G_ALL = 127,
};

#define FER_GIST_PARTS    64 /* schemas of one place; more make a gist wider, never wrong */
#define FER_GIST_PATTERNS 8  /* patterns of one place that are understood */

/* A schema of a program. */
typedef struct fer_part {
    const fer_schema *program;
    const fer_node *node;
} fer_part;

/* Schemas that all hold; none: everything goes. */
typedef struct fer_parts {
    fer_part *list;
    size_t count, cap;
} fer_parts;

typedef struct fer_gist_inst {
    fer_part part;
    const fer_inst *inst;
    enum fer_slot slot;
} fer_gist_inst;

typedef struct fer_gist_bound {
    const yyjson_val *value; /* NULL: none */
    bool open;               /* the bound itself does not belong */
} fer_gist_bound;

typedef struct fer_gist {
    unsigned types;
    bool whole_text;            /* 1.0 is no whole number (draft-04) */
    const yyjson_val *values;   /* the shortest `enum` array, or NULL */
    const yyjson_val *constant; /* a `const`, or NULL */
    fer_gist_bound low, high;
    const yyjson_val *multiples[FER_GIST_PATTERNS];
    size_t multiple_count;
    uint64_t min_length, max_length;
    const yyjson_val *patterns[FER_GIST_PATTERNS]; /* their texts */
    size_t pattern_count;
    uint64_t min_items, max_items;
    bool unique;
    uint64_t min_members, max_members;
    fer_str *required;
    size_t required_count, required_cap;
    fer_gist_inst *insts; /* of all schemas, references and `allOf` followed */
    size_t inst_count, inst_cap;
    fer_part *seen; /* the schemas themselves */
    size_t seen_count, seen_cap;
    bool cut; /* there was more than the limit */
} fer_gist;

/* One who makes gists; remembers the end of memory. */
typedef struct fer_gister {
    fer_arena *arena;
    fer_arena *brief; /* for what is gone after one question to the engine; the owner resets it */
    size_t steps;     /* left */
    bool no_memory;
    bool tired;    /* the steps did not suffice: answers are "not known" */
    fer_map langs; /* automata by the text of their pattern */
} fer_gister;

/* False: no memory; deinit does no harm then. */
FER_MUST_USE bool fer_gister_init(fer_gister *m, fer_arena *a, size_t steps);
void fer_gister_deinit(fer_gister *m);
/* Pays for work. False: enough has been done. */
bool fer_gister_spend(fer_gister *m, size_t steps);

/* Adds a schema; one that is there already is not added again. */
void fer_parts_add(fer_gister *m, fer_parts *p, fer_part part);
void fer_parts_add_all(fer_gister *m, fer_parts *p, const fer_parts *more);
static inline fer_part fer_part_of(const fer_gist_inst *i, const fer_node *node)
{
    return (fer_part){i->part.program, node};
}

/* NULL: no memory, or too much work. */
fer_gist *fer_gist_make(fer_gister *m, const fer_parts *parts);
/* What holds for the value of a member of this name. `named`: some schema names it. */
void fer_gist_member(fer_gister *m, const fer_gist *g, fer_str name, fer_parts *out, bool *named);
/* What holds for an item. */
void fer_gist_item(fer_gister *m, const fer_gist *g, size_t index, fer_parts *out);
/* The first index from which on all items are the same to the schemas. */
size_t fer_gist_prefix(const fer_gist *g);
bool fer_gist_requires(const fer_gist *g, fer_str name);

/* What a value's type is. */
unsigned fer_gist_type(const yyjson_val *v);
/* The types that `type` names. */
unsigned fer_gist_types_of(const yyjson_val *type);
/* The keyword of an instruction. */
enum fer_slot fer_inst_slot(const fer_schema *s, const fer_node *n, const fer_inst *i);
/* The node of a subschema of a program; NULL: it was not compiled. */
const fer_node *fer_program_node(const fer_schema *s, const yyjson_val *schema);
/* The automaton of a pattern; NULL: it has none, or memory ended. */
const fer_lang *fer_gist_lang(fer_gister *m, fer_str pattern);
/* Whether a pattern of some schema matches a name; -1: not known. */
int fer_gist_matches(fer_gister *m, const fer_regex *re, fer_str name);

typedef enum fer_yes {
    FER_NO,
    FER_YES,
    FER_PERHAPS
} fer_yes;
/* Whether the schema of a node takes a value, as the engine says. */
fer_yes fer_part_accepts(fer_gister *m, fer_part part, const yyjson_val *value);
/* Whether all do. */
fer_yes fer_parts_accept(fer_gister *m, const fer_parts *p, const yyjson_val *value);

#endif
