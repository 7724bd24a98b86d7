/* SPDX-License-Identifier: Apache-2.0 */
#include "met_words.h"

#define QUICK_SLOTS 65536 /* up to so many, four times as many follow, then twice */

void fer_words_init(fer_words *w, fer_arena *a, size_t first, uint32_t slots)
{
    *w = (fer_words){.arena = a, .first = first, .first_slots = slots};
    memcpy(w->seed, fer_arena_seed(a), sizeof w->seed);
}

static void put(fer_words *w, uint32_t number, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & w->mask;
    while (w->slots[at]) at = (at + 1) & w->mask;
    w->slots[at] = ((uint32_t)(hash >> 32) & ~w->number_bits) | number;
}

static bool widen(fer_words *w)
{
    uint32_t old = w->mask + 1;
    uint32_t slots = !w->slots ? w->first_slots : old < QUICK_SLOTS ? 4 * old : 2 * old;
    uint32_t *wider = slots ? fer_arena_alloc_zero(w->arena, slots, sizeof *wider) : NULL;
    if (!wider) return false;
    w->slots = wider;
    w->mask = slots - 1;
    w->number_bits = w->mask; /* there are fewer words than slots */
    for (uint32_t i = 0; i < w->count; i++) put(w, i, fer_words_hash(w, &fer_words_get(w, i)->key));
    return true;
}

static bool lengthen(fer_words *w)
{
    size_t cap = w->cap ? 4 * w->cap : w->first;
    fer_word *list = fer_arena_grow(w->arena, w->list, w->cap * sizeof *list, cap * sizeof *list);
    if (!list) return false;
    w->list = list;
    w->cap = cap;
    if (!w->count) list[w->count++] = (fer_word){{{0, 0}}, FER_WORDS_NEW, FER_WORDS_NONE};
    return true;
}

bool fer_words_make_room(fer_words *w)
{
    /* Half full at most. */
    if ((!w->slots || w->count >= w->mask / 2) && !widen(w)) return false;
    return w->count < w->cap || lengthen(w);
}

uint32_t fer_words_meet(fer_words *w, const fer_token_key *key, uint64_t hash)
{
    if ((w->count >= w->mask / 2 || w->count == w->cap) && !fer_words_make_room(w)) return 0;
    uint32_t at = (uint32_t)hash & w->mask, wanted = (uint32_t)(hash >> 32) & ~w->number_bits;
    for (uint32_t slot; (slot = w->slots[at]) != 0; at = (at + 1) & w->mask) {
        if ((slot & ~w->number_bits) != wanted) continue;
        uint32_t number = slot & w->number_bits;
        if (fer_token_key_eq(&w->list[number].key, key)) return number;
    }
    w->slots[at] = wanted | w->count;
    w->list[w->count] = (fer_word){*key, FER_WORDS_NEW, FER_WORDS_NONE};
    return w->count++;
}
