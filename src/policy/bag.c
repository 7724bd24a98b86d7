/* SPDX-License-Identifier: Apache-2.0 */
#include "bag.h"

#include "map.h"
#include "sys.h"

#define FIRST_CAP ((size_t)16)

void fer_bag_init(fer_bag *b, const uint64_t seed[2])
{
    *b = (fer_bag){.seed = {seed[0], seed[1]}};
}

void fer_bag_deinit(fer_bag *b)
{
    fer_sys_free(b->slots);
    b->slots = NULL;
    b->cap = b->count = 0;
}

fer_bag_node *fer_bag_find(const fer_bag *b, fer_str key)
{
    if (!b->count) return NULL;
    uint64_t hash = fer_hash(b->seed, key);
    fer_bag_node *n = b->slots[hash & (b->cap - 1)];
    while (n && (n->hash != hash || !fer_str_eq(n->key, key))) n = n->next;
    return n;
}

static bool grow(fer_bag *b)
{
    size_t cap = b->cap ? b->cap * 2 : FIRST_CAP;
    fer_bag_node **slots = fer_sys_malloc(cap * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0, cap * sizeof *slots);
    for (size_t i = 0; i < b->cap; i++) {
        for (fer_bag_node *n = b->slots[i], *next; n; n = next) {
            next = n->next;
            n->next = slots[n->hash & (cap - 1)];
            slots[n->hash & (cap - 1)] = n;
        }
    }
    fer_sys_free(b->slots);
    b->slots = slots;
    b->cap = cap;
    return true;
}

bool fer_bag_add(fer_bag *b, fer_bag_node *n, fer_str key)
{
    if (b->count >= b->cap && !grow(b)) return false;
    n->key = key;
    n->hash = fer_hash(b->seed, key);
    n->next = b->slots[n->hash & (b->cap - 1)];
    b->slots[n->hash & (b->cap - 1)] = n;
    b->count++;
    return true;
}

void fer_bag_remove(fer_bag *b, fer_bag_node *n)
{
    fer_bag_node **at = &b->slots[n->hash & (b->cap - 1)];
    while (*at != n) at = &(*at)->next;
    *at = n->next;
    b->count--;
}
