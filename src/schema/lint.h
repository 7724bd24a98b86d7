/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of linting a schema that has compiled (problems.c asks them). */
#ifndef FER_LINT_H
#define FER_LINT_H

#include "compile.h"

/* One subschema with its keywords by slot, of whatever dialect they are. */
typedef struct fer_lint {
    fer_compile *c;
    const struct fer_rules *rules;
    const yyjson_val *schema;
    uint64_t slots;                     /* FER_SLOT bits of those that are there */
    const yyjson_val *values[KW_COUNT]; /* read where `slots` says so */
} fer_lint;

static inline const yyjson_val *fer_lint_get(const fer_lint *l, enum fer_slot slot)
{
    return l->slots & FER_SLOT(slot) ? l->values[slot] : NULL;
}

/* Keywords and values that the `type` beside them shuts out, and types that exclude each other. */
void fer_lint_types(const fer_lint *l);
/* Definitions at the root that nothing refers to; the spots are all of the document. */
void fer_lint_unused(fer_compile *c, const yyjson_val *root, const struct fer_spot *const *spots,
                     size_t count);
/* `default` and `examples` that the subschema itself refuses. */
void fer_lint_values(const fer_lint *l, const fer_node *node);

#endif
