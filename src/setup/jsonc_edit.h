/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One member of a JSON text that people keep by hand, set or taken out. Everything else stays as it
 * is, byte for byte: comments, order, blanks, numbers, members that nobody knows, a comma behind
 * the last member. What is new is indented as the text is. Pure; results live in the arena.
 *
 * The text is JSON, or JSON with comments and commas behind last members as editors write it. A
 * text of blanks and comments alone is an empty object.
 */
#ifndef FER_JSONC_EDIT_H
#define FER_JSONC_EDIT_H

#include "json_mend.h"

#define FER_JSONC_DEPTH 8 /* names of a path */

/*
 * What makes the value at the end of the path this one; objects on the way are made. Nothing to do
 * where it is the same already. FER_BAD_USAGE: what the path leads through is no object; what the
 * reader says of a text that is no JSON; both with their place.
 */
fer_code fer_jsonc_set(fer_arena *a, fer_str text, const fer_str *path, size_t depth, fer_str value,
                       fer_splices *out, fer_err *err);
/* What takes the member out; nothing to do where it is not there. */
fer_code fer_jsonc_remove(fer_arena *a, fer_str text, const fer_str *path, size_t depth,
                          fer_splices *out, fer_err *err);

#endif
