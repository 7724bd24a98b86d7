/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the quick form of a schema (quick.h). Each node is lowered when its instructions are
 * there: every kind of instruction has a function that adds rows (fer_op.lower; assertions
 * without one are asked as they are). The rows are then melted with `type`. Codes of other
 * nodes are filled in when all nodes have theirs.
 */
#ifndef FER_LOWER_H
#define FER_LOWER_H

#include "quick.h"

struct fer_compile;

/* A place that waits for the code of a node. */
struct fer_wanted {
    const fer_quick **place;
    const fer_node *node;
};

/* What `$dynamicRef` or `$recursiveRef` asks for: quick only where there can be but one answer. */
struct fer_wanted_name {
    fer_str name;
    bool recursive;
};

/* Of one schema. */
typedef struct fer_lowering {
    struct fer_wanted *wanted;
    size_t wanted_count, wanted_cap;
    struct fer_wanted_name *names;
    size_t name_count, name_cap;
    fer_quick **objects; /* rows about them */
    size_t object_count, object_cap;
    fer_quick_branches **branches;
    size_t branches_count, branches_cap;
    bool refused; /* something cannot be lowered: the machine has to do it all */
} fer_lowering;

#define FER_LOWER_ROWS 64 /* more than all keywords together need */

/* Of one node. */
typedef struct fer_rows {
    struct fer_compile *c;
    const fer_node *node;
    uint8_t types; /* that it takes */
    bool integer;  /* of numbers, only whole ones ... */
    bool text;     /* ... that are written as such */
    const fer_inst *type;
    uint32_t count;
    fer_quick rows[FER_LOWER_ROWS];
} fer_rows;

/* The row of an operation, a new one where there is none yet; types that are not in `on` pass. */
fer_quick *fer_lower_row(fer_rows *l, enum fer_quick_op op, uint8_t on);
/* A new one. */
fer_quick *fer_lower_add(fer_rows *l, enum fer_quick_op op, uint8_t on);
/* An assertion, asked as the machine does. */
void fer_lower_check(fer_rows *l, const fer_inst *i, uint8_t on);
/* Has a place of the program filled with the code of a node. A row of its own has the node for now.
 */
void fer_lower_want(fer_rows *l, const fer_quick **place, const fer_node *node);
/* Cleared memory of the program, NULL when there is none. */
void *fer_lower_alloc(fer_rows *l, size_t size);
/* Subschemas in a list that is kept beside the rows; NULL: no memory. */
fer_quick_codes *fer_lower_codes(fer_rows *l, const fer_node *const *nodes, size_t count);
/* A list of alternatives. NULL: no memory. */
fer_quick_branches *fer_lower_branches(fer_rows *l, const fer_node *const *nodes, size_t count);
/* The code of a node that is asked by a name in scope. */
void fer_lower_dynamic(fer_rows *l, fer_str name, bool recursive);

/* Lowers a node whose instructions are there. */
void fer_lower_node(struct fer_compile *c, fer_node *node);
/* Fills in all codes; afterwards program->quick tells whether they can be used. */
void fer_lower_finish(struct fer_compile *c);
/* Finds out which alternatives can be right for which values. */
void fer_lower_sift(struct fer_compile *c, fer_quick_branches *d);

#endif
