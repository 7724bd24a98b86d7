/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema that is being written anew, as a tree of yyjson's mutable values. The tree
 * remembers its first failure and takes NULL for a value that could not be made, so that
 * a whole schema needs one check at its end. Keys and texts are borrowed. One thread.
 */
#ifndef FER_SCHEMA_TREE_H
#define FER_SCHEMA_TREE_H

#include <ferrule/json.h>
#include <yyjson.h>

#include "arena.h"
#include "map.h"

typedef struct fer_tree {
    fer_arena *arena;
    yyjson_mut_doc *doc;
    fer_map swaps; /* texts that take the place of others, by value (fer_tree_swap) */
    bool failed;   /* no memory */
} fer_tree;

void fer_tree_init(fer_tree *t, fer_arena *a);

yyjson_mut_val *fer_tree_object(fer_tree *t);
yyjson_mut_val *fer_tree_array(fer_tree *t);
yyjson_mut_val *fer_tree_text(fer_tree *t, fer_str text);
yyjson_mut_val *fer_tree_bool(fer_tree *t, bool value);
/* A copy of a value of a document, with the texts swapped. Depth costs memory, not stack. */
yyjson_mut_val *fer_tree_copy(fer_tree *t, const yyjson_val *value);

void fer_tree_put(fer_tree *t, yyjson_mut_val *object, fer_str key, yyjson_mut_val *value);
/* The same in front of all other members. */
void fer_tree_put_first(fer_tree *t, yyjson_mut_val *object, fer_str key, yyjson_mut_val *value);
void fer_tree_add(fer_tree *t, yyjson_mut_val *array, yyjson_mut_val *value);

/*
 * Puts a value at a JSON Pointer below `root`, not at the root itself, in place of what is there;
 * objects on the way are made, and "-" or the length of an array is behind its last item. False:
 * there is no such place.
 */
bool fer_tree_put_at(fer_tree *t, yyjson_mut_val *root, fer_str pointer, yyjson_mut_val *value);

/* From now on, copies have this text where the document has that string. */
void fer_tree_swap(fer_tree *t, const yyjson_val *string, fer_str text);

/* A map with values of a document for keys: what a pointer is, as text to look it up by. */
static inline fer_str fer_value_key(const yyjson_val *const *value)
{
    return (fer_str){(const char *)value, sizeof *value};
}

/* The text of the tree, on one line. */
fer_code fer_tree_write(fer_tree *t, const yyjson_mut_val *root, fer_str *out, fer_err *err);

#endif
