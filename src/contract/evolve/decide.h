/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the changes of a schema mean: first both schemas are compared as they are; where that
 * is no proof, each change is made alone to the old schema and that is compared. Pure.
 */
#ifndef FER_DECIDE_H
#define FER_DECIDE_H

#include "delta.h"

/* Fills impact, witness and reason of all changes; may add one for several together. */
fer_code fer_decide(fer_walk *w, const yyjson_val *old, const yyjson_val *now,
                    const fer_diff_options *options, fer_err *err);
/* An instance that a schema accepts, or refuses; empty: none was found. */
fer_code fer_decide_example(fer_arena *a, const yyjson_val *schema, bool valid, fer_str *out,
                            fer_err *err);

#endif
