/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling: survey the document, check the form of every keyword, then compile the
 * subschemas that can be reached, one node at a time from a list, never by recursion.
 * What is wrong is collected; the first in the order of the text is the failure. The
 * files in keywords/ see a fer_build, one node that is being made.
 */
#ifndef FER_COMPILE_H
#define FER_COMPILE_H

#include "lower.h"
#include "program.h"
#include "regex.h"

#define FER_PROBLEMS_MAX 1000 /* problems of one schema */

typedef struct fer_compile {
    fer_arena *arena;   /* of the program */
    fer_arena *scratch; /* gone when compiling ends */
    const fer_schema_options *options;
    const fer_schema_limits *limits;
    struct fer_schema *program;
    const fer_json *doc;    /* of the schema that was given */
    const yyjson_val *root; /* in it */
    fer_library library;
    fer_map patterns; /* compiled regular expressions by their text */
    fer_node **todo;  /* nodes that wait */
    size_t todo_count, todo_cap;
    size_t home_cap;
    size_t refs;
    size_t pattern_bytes;   /* of all regular expressions */
    fer_map tables;         /* keys of large objects that references lead through, by address */
    fer_str *dynamic_names; /* that some `$dynamicRef` asks for */
    size_t dynamic_count, dynamic_cap;
    bool recursive; /* some `$recursiveRef` is there */
    fer_lowering lowering;
    bool lint; /* warnings too */
    fer_schema_problem *problems;
    size_t problem_count, problem_cap;
    bool failed;    /* a problem that is not a warning */
    bool mute;      /* problems are counted, not noted */
    size_t noticed; /* problems, noted or not */
    fer_err *err;
    fer_code code; /* what stopped it: no memory, a limit */
} fer_compile;

typedef struct fer_build {
    fer_compile *c;
    fer_node *node;
    fer_resource *resource;
    const struct fer_rules *rules;
    const yyjson_val *schema;
    uint64_t present; /* slots that have a value */
    const yyjson_val *values[KW_COUNT];
    fer_inst insts[48];
    uint32_t count;
} fer_build;

/* Gets ready; `arena` will hold the program, `scratch` what is needed on the way. */
fer_code fer_compile_open(fer_compile *c, const fer_schema_options *options, fer_arena *arena,
                          fer_arena *scratch, fer_err *err);
/* Compiles a schema; afterwards c->code, c->failed and the problems tell how it went. */
void fer_compile_build(fer_compile *c, const fer_json *doc, const yyjson_val *value);
/* Puts the problems in the order of the text; those of other documents come last, as found. */
FER_MUST_USE bool fer_problems_sort(fer_compile *c);
/* The spots of the document in the order of its text; NULL: no memory. */
const struct fer_spot **fer_spots_in_order(fer_compile *c, size_t *count);

/* Says what is wrong with a value of the schema. */
void fer_problem(fer_compile *c, fer_code code, const char *rule, const yyjson_val *value,
                 const char *format, ...) FER_PRINTF(5, 6);
/* What is suspicious, where somebody lints. */
void fer_warn(fer_compile *c, const char *rule, const yyjson_val *value, const char *format, ...)
    FER_PRINTF(4, 5);
/* Notes the end of memory and returns NULL. */
void *fer_compile_no_memory(fer_compile *c);

/* The value of a keyword, or NULL. */
static inline const yyjson_val *fer_build_value(const fer_build *b, enum fer_slot slot)
{
    return b->present & FER_SLOT(slot) ? b->values[slot] : NULL;
}
static inline bool fer_build_before(const fer_build *b, fer_dialect dialect)
{
    return b->rules->dialect < dialect;
}
/* The count that a keyword names; one that 64 bits do not hold is above everything. */
uint64_t fer_build_count(const yyjson_val *value);
/* A new instruction, for the caller to fill. */
fer_inst *fer_build_add(fer_build *b, const fer_op *op, enum fer_slot slot);
/* The node of a subschema; NULL when compiling has failed. */
const fer_node *fer_build_child(fer_build *b, const yyjson_val *subschema);
/* Cleared memory of the program; NULL when there is none. */
void *fer_build_alloc(fer_build *b, size_t count, size_t size);
/* A regular expression; NULL, with a problem noted, where it is none. */
const fer_regex *fer_build_regex(fer_build *b, const yyjson_val *pattern);

/* What a reference leads to; false, with a problem noted, where there is nothing. */
struct fer_target {
    const yyjson_val *value;
    fer_resource *resource;
    const fer_anchor *anchor; /* where it was one, else NULL */
};
/* The key of an object of a schema (NULL: it has none), quickly in large ones, too. */
const yyjson_val *fer_compile_key(fer_compile *c, const yyjson_val *object, fer_str name);
bool fer_resolve(fer_compile *c, const fer_resource *from, const yyjson_val *reference,
                 struct fer_target *out);
/* The node of a schema that belongs to a resource; NULL when compiling has failed. */
fer_node *fer_compile_node(fer_compile *c, const yyjson_val *schema, fer_resource *resource);

/* Checks the form of a keyword's value against the meta-schema of its dialect. */
void fer_form_check(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                    const yyjson_val *value);
/* Checks that a whole document can be a schema. */
void fer_root_form(fer_compile *c, const struct fer_rules *rules, const yyjson_val *schema);
/* Checks the keywords of a subschema (not what is inside them). */
void fer_schema_forms(fer_compile *c, const struct fer_rules *rules, const yyjson_val *schema);

/* The families of keywords, each with what makes its instructions, in the order they run. */
struct fer_family {
    uint64_t slots; /* any of these calls it */
    void (*compile)(fer_build *b);
};
extern const struct fer_family fer_families[];
extern const size_t fer_family_count;

#endif
