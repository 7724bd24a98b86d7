/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ordered table that shares its parts with its older states: a B+ tree whose nodes are
 * counted and never change once somebody else holds them.
 *
 * The life of a state: copy it (one count), put and remove (the nodes on the way are copied,
 * or changed in place where nobody else holds them), hand it out frozen. One change of a table
 * of 100,000 values copies three nodes; a change of many in one go copies each node once. A
 * frozen state is read by any number of threads; a state that is being changed belongs to one.
 *
 * Nodes that removing leaves sparse are not merged, only those that it leaves empty vanish:
 * catalogues shrink rarely, and the order and the ranks hold all the same.
 */
#ifndef FER_TABLE_H
#define FER_TABLE_H

#include <stdatomic.h>

#include "str.h"

/* What a table holds: the first member of its values. Immutable but for the count. */
typedef struct fer_value {
    atomic_uint refs;
    fer_str key;                       /* lives as long as the value */
    void (*drop)(struct fer_value *v); /* frees it, once nobody holds it */
} fer_value;

fer_value *fer_value_ref(fer_value *v);
void fer_value_unref(fer_value *v);

struct fer_table_node;

typedef struct fer_table {
    struct fer_table_node *root; /* NULL: empty */
} fer_table;

/* The same state once more. */
fer_table fer_table_copy(const fer_table *t);
void fer_table_drop(fer_table *t);

size_t fer_table_count(const fer_table *t);
/* The value of a key, or NULL. */
fer_value *fer_table_get(const fer_table *t, fer_str key);
/* How many values have lower keys. */
size_t fer_table_rank(const fer_table *t, fer_str key);
/*
 * The values from a rank on that lie side by side in memory, `*count` of them; NULL past the
 * last. for (i = 0; (v = fer_table_run(t, i, &n)); i += n)
 */
fer_value *const *fer_table_run(const fer_table *t, size_t rank, size_t *count);

/*
 * Puts a value, in place of one with the same key. The tree takes the caller's count of it.
 * False: no memory, the values are as they were and the caller still holds his.
 */
FER_MUST_USE bool fer_table_put(fer_table *t, fer_value *v);
/* Takes the value of a key out, where there is one. False: no memory. */
FER_MUST_USE bool fer_table_remove(fer_table *t, fer_str key);
/* A table of values in ascending order of distinct keys, whose counts it takes. False: no memory,
 * and none was taken. */
FER_MUST_USE bool fer_table_build(fer_table *t, fer_value *const *values, size_t count);

#endif
