/* SPDX-License-Identifier: Apache-2.0 */
#include "call_table.h"

#include "map.h"
#include "sys.h"

#define FIRST_CAP 64
#define TEXT_KEPT 128 /* bytes of the texts of one that is used again */
#define SPARE_MAX 64

static uint64_t hash_of(const fer_call_table *t, fer_str tenant, fer_str call)
{
    return fer_hash(t->seed, call) ^ (fer_hash(t->seed, tenant) * 3);
}

static fer_open_call **new_buckets(size_t cap)
{
    fer_open_call **b = fer_sys_malloc(cap * sizeof *b);
    for (size_t i = 0; b && i < cap; i++) b[i] = NULL;
    return b;
}

bool fer_call_table_init(fer_call_table *t)
{
    *t = (fer_call_table){.cap = FIRST_CAP};
    if (fer_sys_random(t->seed, sizeof t->seed) != 0) return false;
    t->buckets = new_buckets(FIRST_CAP);
    return t->buckets != NULL;
}

void fer_call_table_deinit(fer_call_table *t)
{
    for (size_t i = 0; t->buckets && i < t->cap; i++) {
        for (fer_open_call *c = t->buckets[i], *next; c; c = next) {
            next = c->next;
            fer_sys_free(c);
        }
    }
    for (fer_open_call *c = t->spare, *next; c; c = next) {
        next = c->next;
        fer_sys_free(c);
    }
    fer_sys_free(t->buckets);
    *t = (fer_call_table){0};
}

fer_open_call *fer_call_table_find(const fer_call_table *t, fer_str tenant, fer_str call)
{
    uint64_t hash = hash_of(t, tenant, call);
    fer_open_call *c = t->buckets[hash & (t->cap - 1)];
    while (c && !(c->hash == hash && fer_str_eq(fer_open_call_tenant(c), tenant) &&
                  fer_str_eq(fer_open_call_id(c), call)))
        c = c->next;
    return c;
}

/* Where there is no memory for more buckets, chains grow longer, and that is all. */
static void grow(fer_call_table *t)
{
    fer_open_call **buckets = new_buckets(t->cap * 2);
    if (!buckets) return;
    for (size_t i = 0; i < t->cap; i++) {
        for (fer_open_call *c = t->buckets[i], *next; c; c = next) {
            size_t to = c->hash & (t->cap * 2 - 1);
            next = c->next;
            c->next = buckets[to];
            buckets[to] = c;
        }
    }
    fer_sys_free(t->buckets);
    t->buckets = buckets;
    t->cap *= 2;
}

/* One thread adds and another removes: a heap would send each of them the long way round. */
static fer_open_call *new_call(fer_call_table *t, size_t text)
{
    fer_open_call *c = text <= TEXT_KEPT ? t->spare : NULL;
    if (c) {
        t->spare = c->next;
        t->spare_count--;
        return c;
    }
    if (text < TEXT_KEPT) text = TEXT_KEPT;
    c = fer_sys_malloc(sizeof *c + text);
    if (c) c->room = (uint32_t)text;
    return c;
}

static void free_call(fer_call_table *t, fer_open_call *c)
{
    if (c->room != TEXT_KEPT || t->spare_count == SPARE_MAX) {
        fer_sys_free(c);
        return;
    }
    c->next = t->spare;
    t->spare = c;
    t->spare_count++;
}

fer_open_call *fer_call_table_add(fer_call_table *t, fer_str tenant, fer_str call)
{
    fer_open_call *c = new_call(t, tenant.len + call.len);
    if (!c) return NULL;
    if (t->count >= t->cap) grow(t);
    *c = (fer_open_call){.hash = hash_of(t, tenant, call),
                         .tenant_len = (uint32_t)tenant.len,
                         .call_len = (uint32_t)call.len,
                         .room = c->room};
    memcpy(c->text, tenant.ptr, tenant.len);
    memcpy(c->text + tenant.len, call.ptr, call.len);
    c->next = t->buckets[c->hash & (t->cap - 1)];
    t->buckets[c->hash & (t->cap - 1)] = c;
    t->count++;
    return c;
}

void fer_call_table_remove(fer_call_table *t, const fer_open_call *c)
{
    fer_open_call **at = &t->buckets[c->hash & (t->cap - 1)];
    while (*at != c) at = &(*at)->next;
    fer_open_call *gone = *at;
    *at = gone->next;
    t->count--;
    free_call(t, gone);
}

fer_open_call *fer_call_table_next(const fer_call_table *t, const fer_open_call *c)
{
    if (c && c->next) return c->next;
    for (size_t i = c ? (c->hash & (t->cap - 1)) + 1 : 0; i < t->cap; i++)
        if (t->buckets[i]) return t->buckets[i];
    return NULL;
}
