/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms that the tail of an index knows: those of its documents, and those of frozen
 * documents that were removed. Each has its postings and how its count of documents differs
 * from the frozen one. One thread adds; any number read meanwhile: what grows is copied and
 * published anew, and what readers may still look at stays in the arena until that is freed.
 */
#ifndef FER_TERMS_H
#define FER_TERMS_H

#include <stdatomic.h>

#include "arena.h"
#include "related.h"
#include "tokens.h"

typedef struct fer_term {
    fer_str text;
    uint32_t number;           /* among the terms of the tail */
    uint32_t frozen;           /* its number in the frozen part, or FER_NONE */
    _Atomic int32_t df_change; /* documents of the tail that have it, less those that are gone
                                  from the frozen part */
    _Atomic uint32_t count;
    _Atomic(uint32_t *) postings; /* slot << 5 | level, ascending, `count` of them */
    /* The writer's own. */
    uint32_t cap;
} fer_term;

struct fer_term_table {
    size_t mask;
    _Atomic uint64_t slots[]; /* hash << 32 | number + 1, so that others are not looked at */
};

typedef struct fer_terms {
    fer_arena *arena;
    _Atomic(struct fer_term_table *) table;
    _Atomic(fer_term **) list; /* by number */
    _Atomic uint32_t count;
    size_t cap;                   /* of the list */
    _Atomic(fer_term *) *related; /* by the numbers of related.h; NULL: nobody asks */
    uint32_t frozen_count;
    _Atomic(_Atomic uint32_t *) of_frozen; /* numbers + 1 by those of the frozen part; NULL: none */
} fer_terms;

/* Where so many are frozen. */
void fer_terms_init(fer_terms *t, fer_arena *a, uint32_t frozen_count);
/* Terms that are added from now on can be asked for by the numbers of related.h. False: no memory.
 */
bool fer_terms_relate(fer_terms *t);
/* The term of a text, or NULL. */
fer_term *fer_terms_find(const fer_terms *t, fer_str text);
/* False: there is no term of that word. Who asks for what is hardly ever there asks this first. */
bool fer_terms_may_have(const fer_terms *t, const fer_token_key *word);
/* Asks for the place of a text that is looked for later. */
void fer_terms_fetch(const fer_terms *t, fer_str text);
/* A term that was not found, made; NULL: no memory. The text is copied. */
fer_term *fer_terms_add(fer_terms *t, fer_str text, uint32_t frozen);
/* The term of a number that is in use. */
static inline fer_term *fer_terms_get(const fer_terms *t, uint32_t number)
{
    return atomic_load_explicit(&t->list, memory_order_acquire)[number];
}
/* The term that has a number in the frozen part, or NULL. */
static inline fer_term *fer_terms_of_frozen(const fer_terms *t, uint32_t frozen)
{
    _Atomic uint32_t *numbers = atomic_load_explicit(&t->of_frozen, memory_order_acquire);
    if (!numbers || frozen >= t->frozen_count) return NULL;
    uint32_t number = atomic_load_explicit(&numbers[frozen], memory_order_acquire);
    return number ? fer_terms_get(t, number - 1) : NULL;
}
/* The term of a word of related.h, or NULL. */
static inline fer_term *fer_terms_related(const fer_terms *t, uint32_t word)
{
    return atomic_load_explicit(&t->related[word], memory_order_acquire);
}
/* Appends a posting; false: no memory. */
bool fer_term_post(fer_terms *t, fer_term *term, uint32_t posting);

/* The postings that are there now. */
typedef struct fer_term_list {
    const uint32_t *postings;
    uint32_t count;
} fer_term_list;
static inline fer_term_list fer_term_postings(const fer_term *term)
{
    /* The count first: the array that is loaded behind it holds at least so many. */
    uint32_t count = atomic_load_explicit(&term->count, memory_order_acquire);
    return (fer_term_list){atomic_load_explicit(&term->postings, memory_order_acquire), count};
}

#endif
