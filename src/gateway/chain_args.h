/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a step: what stands in the chain, and what references lead to. Pure. */
#ifndef FER_CHAIN_ARGS_H
#define FER_CHAIN_ARGS_H

#include "chain.h"

/* What a reference starts from; NULL: the step gave nothing. */
typedef const yyjson_val *fer_ref_source(void *context, const fer_ref *ref);

/* What a reference leads to, NULL: nothing, and it has no default. */
const yyjson_val *fer_ref_value(const fer_ref *ref, fer_ref_source *source, void *context);

/*
 * The arguments as JSON. FER_REQUIRED_MISSING: a reference leads to nothing;
 * FER_CONSTRAINT_VIOLATION: its target is not a place in the arguments.
 */
fer_code fer_step_args(fer_arena *a, const fer_step *s, fer_ref_source *source, void *context,
                       fer_str *out, fer_err *err);

#endif
