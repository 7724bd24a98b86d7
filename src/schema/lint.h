/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of linting a schema that has compiled (problems.c asks them). */
#ifndef FER_LINT_H
#define FER_LINT_H

#include "compile.h"

/* Keywords and values that the `type` beside them shuts out, and types that exclude each other. */
void fer_lint_types(fer_compile *c, const yyjson_val *schema);
/* Definitions at the root that nothing refers to. */
void fer_lint_unused(fer_compile *c, const yyjson_val *root);
/* `default` and `examples` that the subschema itself refuses. */
void fer_lint_values(fer_compile *c, const fer_node *node, const yyjson_val *schema);

#endif
