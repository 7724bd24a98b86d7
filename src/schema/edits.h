/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to a document, applied to a copy of it. Pure. */
#ifndef FER_EDITS_H
#define FER_EDITS_H

#include <ferrule/json.h>

#include "arena.h"
#include "json_value.h"

typedef enum fer_edit_kind {
    FER_EDIT_ADD,     /* a member to the object `at` */
    FER_EDIT_REPLACE, /* the value `at`; or, where it is a key, the name of a member */
    FER_EDIT_REMOVE,  /* the member whose key is `at` */
} fer_edit_kind;

typedef struct fer_edit {
    fer_edit_kind kind;
    const yyjson_val *at;
    fer_str name; /* of the new member */
    fer_str json; /* the new value */
    const char *why;
    size_t number; /* in the order they were noted */
} fer_edit;

typedef struct fer_edits {
    fer_edit *list;
    size_t count, cap;
} fer_edits;

/* Notes a change, unless there is one at that place already. False: no memory. */
bool fer_edits_add(fer_arena *a, fer_edits *edits, const fer_edit *edit);

/* Puts changes in the order of the text, without those inside a value that another takes away. */
void fer_edits_settle(fer_edits *edits);
/* The value with all changes made, which must be settled, as text ... */
fer_code fer_edits_write(fer_arena *a, const yyjson_val *root, const fer_edits *edits, fer_str *out,
                         fer_err *err);
/* ... and as a document of its own. */
fer_code fer_edits_apply(fer_arena *a, const yyjson_val *root, const fer_edits *edits,
                         fer_json **out, fer_err *err);

#endif
