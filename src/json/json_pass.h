/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over the values that yyjson has read: limits, keys that stand twice, exact
 * numbers. Fails at the first value, in the order of the text, that breaks a rule.
 */
#ifndef FER_JSON_PASS_H
#define FER_JSON_PASS_H

#include "json_doc.h"

/*
 * `copy` is yyjson's text, which begins as the document's own does: a string that starts at
 * copy + n started at byte n.
 */
fer_code fer_json_pass(fer_arena *a, fer_json *doc, char *copy, const fer_json_limits *limits,
                       fer_err *err);

#endif
