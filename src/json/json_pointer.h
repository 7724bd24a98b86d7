/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths into a document. A path is a chain of steps that lives on the stack of
 * whoever walks down; it becomes a JSON Pointer (RFC 6901) only when somebody
 * needs its text.
 */
#ifndef FER_JSON_POINTER_H
#define FER_JSON_POINTER_H

#include <ferrule/json.h>

#include "buf.h"

typedef struct fer_path {
    const struct fer_path *up; /* NULL: this is the root, whose key is not used */
    fer_str key;               /* ptr NULL: `index` counts */
    size_t index;
} fer_path;

#define FER_PATH_ROOT         ((fer_path){0})
#define FER_PATH_KEY(up, k)   ((fer_path){(up), (k), 0})
#define FER_PATH_INDEX(up, i) ((fer_path){(up), {NULL, 0}, (i)})

/* Appends the pointer of a path, "" for the root. */
void fer_path_write(fer_buf *b, const fer_path *path);
/* The pointer of a path in the arena; ptr is NULL without memory. */
fer_str fer_path_pointer(fer_arena *a, const fer_path *path);

/*
 * Appends the pointer of a value (or of the member whose key it is) below `root`; false
 * where it is not in there. Found by going down, as values lie in the order of the text.
 */
bool fer_pointer_of(fer_buf *b, const struct yyjson_val *root, const struct yyjson_val *value);

/* Appends one step: '/' and the name, escaped. */
void fer_pointer_add(fer_buf *b, fer_str name);
void fer_pointer_add_index(fer_buf *b, size_t index);
/* The same in dotted form: order.items[2]["unit price"]; nothing for the root itself. */
void fer_dotted_of(fer_buf *b, const struct yyjson_val *root, const struct yyjson_val *value);
void fer_dotted_add(fer_buf *b, fer_str name);
/* Both forms of one value, in one walk. */
void fer_names_of(fer_buf *pointer, fer_buf *dotted, const struct yyjson_val *root,
                  const struct yyjson_val *value);

/*
 * Pointers of many values, one after the other: goes on from where the last one was, so that
 * values in the order of the text cost one walk for all of them.
 */
struct fer_finder_level {
    const struct yyjson_val *container;
    const struct yyjson_val *child; /* a key, or an item */
    size_t index;
    size_t len; /* of the text above */
};

typedef struct fer_finder {
    fer_arena *arena;
    const struct yyjson_val *root;
    struct fer_finder_level *levels;
    size_t depth, cap;
    fer_buf text;
} fer_finder;

void fer_finder_init(fer_finder *w, fer_arena *a, const struct yyjson_val *root);
/*
 * The pointer of a value below the root, "" where it is not in there; good until the next one.
 * ptr NULL: no memory.
 */
fer_str fer_finder_to(fer_finder *w, const struct yyjson_val *value);

#endif
