/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the subschemas of a schema where they stand, the root first, each with its
 * keywords by slot (keyword.h); those inside one come in the order of the slots, not of the
 * text. References are not followed. Keywords of all dialects are
 * known, since real schemas mix them: draft-07's `definitions` and lists under `items`
 * are walked too. Pure; the walk recurses, and JSON's limit on depth bounds it.
 */
#ifndef FER_SUBSCHEMAS_H
#define FER_SUBSCHEMAS_H

#include "json_pointer.h"
#include "keyword.h"

#define FER_SUBSCHEMA_DEPTH 128 /* subschemas inside each other; those below are not seen */

typedef struct fer_subschema fer_subschema;
struct fer_subschema {
    const yyjson_val *value; /* an object; else a boolean, or something wrong */
    const fer_path *path;
    const fer_subschema *up;          /* NULL: this is the root */
    enum fer_slot via;                /* the keyword of `up` that holds it; KW_COUNT for the root */
    const yyjson_val *name;           /* its key under `properties`, `$defs` ..., else NULL */
    unsigned depth;                   /* 0 for the root */
    uint64_t slots;                   /* FER_SLOT bits of the keywords that are there */
    unsigned unknown;                 /* keys that are no keywords */
    const yyjson_val *keys[KW_COUNT]; /* of the keywords; the value is behind the key */
};

/* The value of a keyword, or NULL. */
static inline const yyjson_val *fer_subschema_get(const fer_subschema *s, enum fer_slot slot)
{
    return s->slots & FER_SLOT(slot) ? s->keys[slot] + 1 : NULL;
}

/* Called for each subschema before those inside it; false passes those by. */
typedef bool fer_subschema_enter(void *context, const fer_subschema *s);
/* Called for each behind those inside it. */
typedef void fer_subschema_leave(void *context, const fer_subschema *s);

/* `leave` may be NULL. */
void fer_subschemas_walk(const yyjson_val *schema, const fer_path *path, fer_subschema_enter *enter,
                         fer_subschema_leave *leave, void *context);

/* The slot of a keyword of any dialect, or KW_COUNT. */
enum fer_slot fer_slot_find(fer_str name);

#endif
