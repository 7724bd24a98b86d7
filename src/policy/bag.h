/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of nodes that their owners hold: found by a key, put in, taken out. The key is
 * borrowed and must stay as long as its node is in. The hash is seeded. One thread.
 */
#ifndef FER_BAG_H
#define FER_BAG_H

#include "str.h"

typedef struct fer_bag_node {
    struct fer_bag_node *next;
    uint64_t hash;
    fer_str key;
} fer_bag_node;

typedef struct fer_bag {
    fer_bag_node **slots;
    size_t cap; /* a power of two, or 0 */
    size_t count;
    uint64_t seed[2];
} fer_bag;

/* The seed is the caller's to choose, at random. */
void fer_bag_init(fer_bag *b, const uint64_t seed[2]);
/* Nodes that are still in are left to their owners. */
void fer_bag_deinit(fer_bag *b);
fer_bag_node *fer_bag_find(const fer_bag *b, fer_str key);
/* Puts in a node whose key is not in yet. False: no memory. */
FER_MUST_USE bool fer_bag_add(fer_bag *b, fer_bag_node *n, fer_str key);
void fer_bag_remove(fer_bag *b, fer_bag_node *n);

#endif
