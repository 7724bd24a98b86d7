/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <string.h>

#include "sys.h"

#define WIDTH 32 /* slots of a node: a copy is 256 or 512 bytes, 100,000 values are four levels */
#define DEPTH 16 /* levels: half-full nodes hold 2^64 values with fewer */

struct fer_table_node {
    atomic_uint refs;
    uint16_t level; /* 0: a leaf, whose slots are values */
    uint16_t count; /* of slots */
    size_t size;    /* values below */
    void *slots[WIDTH];
    fer_value *lows[]; /* of a node that is no leaf: the first value below each slot */
};

typedef struct fer_table_node node;

fer_value *fer_value_ref(fer_value *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    return v;
}

void fer_value_unref(fer_value *v)
{
    if (v && atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) == 1) v->drop(v);
}

/* ---- nodes ----------------------------------------------------------------------------- */

static size_t bytes_of(unsigned level)
{
    return sizeof(node) + (level ? WIDTH * sizeof(fer_value *) : 0);
}

static node *new_node(unsigned level)
{
    node *n = fer_sys_malloc(bytes_of(level));
    if (!n) return NULL;
    atomic_init(&n->refs, 1);
    n->level = (uint16_t)level;
    n->count = 0;
    n->size = 0;
    return n;
}

static void ref_slot(const node *n, size_t i)
{
    if (n->level) atomic_fetch_add_explicit(&((node *)n->slots[i])->refs, 1, memory_order_relaxed);
    else fer_value_ref(n->slots[i]);
}

/* As deep as the tree, which is at most DEPTH. */
static void drop_node(node *n)
{
    if (!n || atomic_fetch_sub_explicit(&n->refs, 1, memory_order_acq_rel) != 1) return;
    for (size_t i = 0; i < n->count; i++) {
        if (n->level) drop_node(n->slots[i]);
        else fer_value_unref(n->slots[i]);
    }
    fer_sys_free(n);
}

/* Makes the node of a place one that nobody else holds, given that nobody else holds the place. */
static bool own(void **place)
{
    node *n = *place;
    if (atomic_load_explicit(&n->refs, memory_order_acquire) == 1) return true;
    node *copy = fer_sys_malloc(bytes_of(n->level));
    if (!copy) return false;
    atomic_init(&copy->refs, 1);
    copy->level = n->level;
    copy->count = n->count;
    copy->size = n->size;
    memcpy(copy->slots, n->slots, n->count * sizeof *n->slots);
    if (n->level) memcpy(copy->lows, n->lows, n->count * sizeof(fer_value *));
    for (size_t i = 0; i < n->count; i++) ref_slot(n, i);
    *place = copy;
    drop_node(n);
    return true;
}

static fer_value *low_of(const node *n, size_t i)
{
    return n->level ? n->lows[i] : n->slots[i];
}

/* How many slots of a node begin with a key lower than this one, or with it where `upto`. */
static size_t slots_before(const node *n, fer_str key, bool upto)
{
    size_t low = 0, high = n->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (fer_str_cmp(low_of(n, mid)->key, key) < (upto ? 1 : 0)) low = mid + 1;
        else high = mid;
    }
    return low;
}

/* The slot to go down by: the last one that begins at or before the key. */
static size_t slot_for(const node *n, fer_str key)
{
    size_t i = slots_before(n, key, true);
    return i ? i - 1 : 0;
}

static void insert_slot(node *n, size_t at, void *slot, fer_value *low)
{
    memmove(n->slots + at + 1, n->slots + at, (n->count - at) * sizeof *n->slots);
    n->slots[at] = slot;
    if (n->level) {
        memmove(n->lows + at + 1, n->lows + at, (n->count - at) * sizeof(fer_value *));
        n->lows[at] = low;
    }
    n->count++;
}

static void delete_slot(node *n, size_t at)
{
    n->count--;
    memmove(n->slots + at, n->slots + at + 1, (n->count - at) * sizeof *n->slots);
    if (n->level) memmove(n->lows + at, n->lows + at + 1, (n->count - at) * sizeof(fer_value *));
}

static size_t size_of_slots(const node *n)
{
    size_t size = 0;
    if (!n->level) return n->count;
    for (size_t i = 0; i < n->count; i++) size += ((const node *)n->slots[i])->size;
    return size;
}

/* Moves the upper half of a full child, which is owned as the parent is, to a new one beside it. */
static bool split(node *parent, size_t at)
{
    node *left = parent->slots[at], *right = new_node(left->level);
    size_t half = WIDTH / 2;
    if (!right) return false;
    right->count = (uint16_t)(left->count - half);
    memcpy(right->slots, left->slots + half, right->count * sizeof *left->slots);
    if (left->level) memcpy(right->lows, left->lows + half, right->count * sizeof(fer_value *));
    left->count = (uint16_t)half;
    left->size = size_of_slots(left);
    right->size = size_of_slots(right);
    insert_slot(parent, at + 1, right, low_of(right, 0));
    return true;
}

/* ---- reading ---------------------------------------------------------------------------- */

fer_table fer_table_copy(const fer_table *t)
{
    if (t->root) atomic_fetch_add_explicit(&t->root->refs, 1, memory_order_relaxed);
    return *t;
}

void fer_table_drop(fer_table *t)
{
    drop_node(t->root);
    t->root = NULL;
}

size_t fer_table_count(const fer_table *t)
{
    return t->root ? t->root->size : 0;
}

fer_value *fer_table_get(const fer_table *t, fer_str key)
{
    const node *n = t->root;
    if (!n) return NULL;
    while (n->level) n = n->slots[slot_for(n, key)];
    size_t i = slots_before(n, key, false);
    fer_value *v = i < n->count ? n->slots[i] : NULL;
    return v && fer_str_eq(v->key, key) ? v : NULL;
}

size_t fer_table_rank(const fer_table *t, fer_str key)
{
    const node *n = t->root;
    size_t rank = 0;
    if (!n) return 0;
    while (n->level) {
        size_t at = slot_for(n, key);
        for (size_t i = 0; i < at; i++) rank += ((const node *)n->slots[i])->size;
        n = n->slots[at];
    }
    return rank + slots_before(n, key, false);
}

fer_value *const *fer_table_run(const fer_table *t, size_t rank, size_t *count)
{
    const node *n = t->root;
    *count = 0;
    if (!n || rank >= n->size) return NULL;
    while (n->level) {
        size_t i = 0;
        for (size_t size; rank >= (size = ((const node *)n->slots[i])->size); i++) rank -= size;
        n = n->slots[i];
    }
    *count = n->count - rank;
    return (fer_value *const *)(const void *)(n->slots + rank);
}

/* ---- changing ----------------------------------------------------------------------------
 * Both go down twice: first all that needs memory, which changes no value, then the change. */

static bool grow_root(fer_table *t)
{
    node *root = new_node(t->root->level + 1u);
    if (!root) return false;
    root->size = t->root->size;
    insert_slot(root, 0, t->root, low_of(t->root, 0));
    t->root = root;
    if (split(root, 0)) return true;
    t->root = root->slots[0];
    fer_sys_free(root);
    return false;
}

/* Owns all nodes on the way to a key; with `room`, splits those that are full. */
static bool own_path(fer_table *t, fer_str key, bool room)
{
    void *place = t->root;
    if (!own(&place)) return false;
    t->root = place;
    if (room && t->root->count == WIDTH && !grow_root(t)) return false;
    for (node *n = t->root; n->level;) {
        size_t i = slot_for(n, key);
        if (!own(&n->slots[i])) return false;
        node *child = n->slots[i];
        if (room && child->count == WIDTH) {
            if (!split(n, i)) return false;
            i = slot_for(n, key);
        }
        n = n->slots[i];
    }
    return true;
}

bool fer_table_put(fer_table *t, fer_value *v)
{
    if (!t->root && !(t->root = new_node(0))) return false;
    bool there = fer_table_get(t, v->key) != NULL;
    if (!own_path(t, v->key, !there)) return false;
    node *n = t->root;
    while (n->level) {
        size_t i = slot_for(n, v->key);
        if (!there) n->size++;
        /* The first value of a slot is replaced, or gets a new one before it. */
        if (fer_str_cmp(v->key, n->lows[i]->key) <= 0) n->lows[i] = v;
        n = n->slots[i];
    }
    size_t at = slots_before(n, v->key, false);
    if (there) {
        fer_value *old = n->slots[at];
        n->slots[at] = v;
        fer_value_unref(old);
    } else {
        insert_slot(n, at, v, NULL);
        n->size++;
    }
    return true;
}

/* Takes empty nodes out and sets the first values anew, from the leaf upwards. */
static void mend(fer_table *t, node *const *path, const size_t *slot, size_t depth)
{
    for (size_t d = depth; d-- > 0;) {
        node *n = path[d], *child = n->slots[slot[d]];
        if (child->count == 0) {
            delete_slot(n, slot[d]);
            fer_sys_free(child);
        } else {
            n->lows[slot[d]] = low_of(child, 0);
        }
    }
    /* A root of one slot or none is not needed. */
    while (t->root && (t->root->count == 0 || (t->root->level && t->root->count == 1))) {
        node *root = t->root;
        t->root = root->count ? root->slots[0] : NULL;
        fer_sys_free(root);
    }
}

bool fer_table_remove(fer_table *t, fer_str key)
{
    node *path[DEPTH];
    size_t slot[DEPTH], depth = 0;
    if (!fer_table_get(t, key)) return true;
    if (!own_path(t, key, false)) return false;
    node *n = t->root;
    while (n->level) {
        size_t i = slot_for(n, key);
        n->size--;
        path[depth] = n;
        slot[depth++] = i;
        n = n->slots[i];
    }
    size_t at = slots_before(n, key, false);
    fer_value *gone = n->slots[at];
    delete_slot(n, at);
    n->size--;
    mend(t, path, slot, depth);
    fer_value_unref(gone);
    return true;
}

/* ---- building ------------------------------------------------------------------------------ */

/* Frees nodes that were built so far; the values stay with the caller. */
static void unbuild(node *n)
{
    for (size_t i = 0; n->level && i < n->count; i++) unbuild(n->slots[i]);
    fer_sys_free(n);
}

/* Hangs `count` things of the level below under new nodes; how many there are, 0: no memory. */
static size_t build_level(void **things, size_t count, unsigned level)
{
    size_t nodes = 0, done = 0;
    while (done < count) {
        node *n = new_node(level);
        if (!n) break;
        size_t want = count - done < WIDTH ? count - done : WIDTH - 4; /* room for a few more */
        for (size_t i = 0; i < want; i++) {
            fer_value *low = level ? low_of(things[done + i], 0) : NULL;
            insert_slot(n, i, things[done + i], low);
        }
        n->size = size_of_slots(n);
        things[nodes++] = n;
        done += want;
    }
    if (done == count) return nodes;
    for (size_t i = 0; i < nodes; i++) unbuild(things[i]);
    for (size_t i = done; level && i < count; i++) unbuild(things[i]);
    return 0;
}

bool fer_table_build(fer_table *t, fer_value *const *values, size_t count)
{
    t->root = NULL;
    if (!count) return true;
    void **things = fer_sys_malloc(count * sizeof *things);
    if (!things) return false;
    memcpy(things, values, count * sizeof *things);
    for (unsigned level = 0; count && (level == 0 || count > 1); level++)
        count = build_level(things, count, level);
    if (count) t->root = things[0];
    fer_sys_free(things);
    return count != 0;
}
