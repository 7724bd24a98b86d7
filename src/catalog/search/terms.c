/* SPDX-License-Identifier: Apache-2.0 */
#include "terms.h"

#define FIRST_SLOTS 64

void fer_terms_init(fer_terms *t, fer_arena *a, uint32_t frozen_count)
{
    t->arena = a;
    atomic_init(&t->table, NULL);
    atomic_init(&t->list, NULL);
    atomic_init(&t->count, 0);
    atomic_init(&t->of_frozen, NULL);
    t->cap = 0;
    t->frozen_count = frozen_count;
    t->related = NULL;
}

bool fer_terms_relate(fer_terms *t)
{
    assert(!atomic_load_explicit(&t->count, memory_order_relaxed));
    t->related = fer_arena_alloc_zero(t->arena, fer_related_count(), sizeof t->related[0]);
    return t->related != NULL;
}

static uint32_t hash_of(const fer_terms *t, fer_str text)
{
    return (uint32_t)fer_token_hash(text, fer_arena_seed(t->arena));
}

/* Into the empty slot where a term belongs that is not there. */
static void put_slot(struct fer_term_table *table, uint64_t slot, memory_order order)
{
    size_t at = (size_t)(slot >> 32) & table->mask;
    while (atomic_load_explicit(&table->slots[at], memory_order_relaxed))
        at = (at + 1) & table->mask;
    atomic_store_explicit(&table->slots[at], slot, order);
}

void fer_terms_fetch(const fer_terms *t, fer_str text)
{
    struct fer_term_table *table = atomic_load_explicit(&t->table, memory_order_acquire);
    if (table) __builtin_prefetch(&table->slots[hash_of(t, text) & table->mask]);
}

fer_term *fer_terms_find(const fer_terms *t, fer_str text)
{
    struct fer_term_table *table = atomic_load_explicit(&t->table, memory_order_acquire);
    if (!table) return NULL;
    uint32_t hash = hash_of(t, text);
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);
        if (!slot) return NULL;
        if (slot >> 32 != hash) continue;
        fer_term *term = fer_terms_get(t, (uint32_t)slot - 1);
        if (fer_str_eq(term->text, text)) return term;
    }
}

bool fer_terms_may_have(const fer_terms *t, const fer_token_key *word)
{
    struct fer_term_table *table = atomic_load_explicit(&t->table, memory_order_acquire);
    if (!table) return false;
    uint32_t hash = (uint32_t)fer_token_key_hash(word, fer_arena_seed(t->arena));
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);
        if (!slot || slot >> 32 == hash) return slot != 0;
    }
}

/* A table of at most half full. */
static bool make_room(fer_terms *t, uint32_t count)
{
    struct fer_term_table *old = atomic_load_explicit(&t->table, memory_order_relaxed);
    if (old && count < old->mask / 2) return true;
    size_t slots = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
    struct fer_term_table *table =
        fer_arena_alloc_zero(t->arena, 1, sizeof *table + slots * sizeof table->slots[0]);
    if (!table) return false;
    table->mask = slots - 1;
    for (size_t i = 0; old && i <= old->mask; i++) {
        uint64_t slot = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (slot) put_slot(table, slot, memory_order_relaxed);
    }
    atomic_store_explicit(&t->table, table, memory_order_release);
    return true;
}

static bool list_term(fer_terms *t, fer_term *term, uint32_t count)
{
    fer_term **old = atomic_load_explicit(&t->list, memory_order_relaxed);
    fer_term **list = fer_arena_room(t->arena, old, count, &t->cap, sizeof(fer_term *));
    if (!list) return false;
    list[count] = term;
    atomic_store_explicit(&t->list, list, memory_order_release);
    return true;
}

static bool note_frozen(fer_terms *t, const fer_term *term)
{
    _Atomic uint32_t *numbers = atomic_load_explicit(&t->of_frozen, memory_order_relaxed);
    if (term->frozen == UINT32_MAX) return true;
    assert(term->frozen < t->frozen_count);
    if (!numbers) numbers = fer_arena_alloc_zero(t->arena, t->frozen_count, sizeof *numbers);
    if (!numbers) return false;
    atomic_store_explicit(&numbers[term->frozen], term->number + 1, memory_order_release);
    atomic_store_explicit(&t->of_frozen, numbers, memory_order_release);
    return true;
}

fer_term *fer_terms_add(fer_terms *t, fer_str text, uint32_t frozen)
{
    uint32_t count = atomic_load_explicit(&t->count, memory_order_relaxed);
    if (!make_room(t, count)) return NULL;
    fer_term *term = fer_arena_alloc_zero(t->arena, 1, sizeof *term);
    if (!term) return NULL;
    term->text = fer_arena_copy(t->arena, text);
    if (!term->text.ptr) return NULL;
    term->number = count;
    term->frozen = frozen;
    if (!list_term(t, term, count) || !note_frozen(t, term)) return NULL;
    atomic_store_explicit(&t->count, count + 1, memory_order_release);
    struct fer_term_table *table = atomic_load_explicit(&t->table, memory_order_relaxed);
    put_slot(table, (uint64_t)hash_of(t, text) << 32 | (count + 1), memory_order_release);
    uint32_t word = t->related ? fer_related_find(text) : FER_RELATED_NONE;
    if (word < fer_related_count())
        atomic_store_explicit(&t->related[word], term, memory_order_release);
    return term;
}

bool fer_term_post(fer_terms *t, fer_term *term, uint32_t posting)
{
    uint32_t count = atomic_load_explicit(&term->count, memory_order_relaxed);
    uint32_t *list = atomic_load_explicit(&term->postings, memory_order_relaxed);
    if (count == term->cap) {
        uint32_t cap = term->cap ? 2 * term->cap : 4;
        list = fer_arena_grow(t->arena, list, count * sizeof *list, cap * sizeof *list);
        if (!list) return false;
        term->cap = cap;
        atomic_store_explicit(&term->postings, list, memory_order_release);
    }
    list[count] = posting;
    atomic_store_explicit(&term->count, count + 1, memory_order_release);
    return true;
}
