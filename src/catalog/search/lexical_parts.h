/* SPDX-License-Identifier: Apache-2.0 */
/* What an index is made of, for the files that make and search it. */
#ifndef FER_LEXICAL_PARTS_H
#define FER_LEXICAL_PARTS_H

#include "intake.h"
#include "lexical.h"

/* A document of the tail. Its number in the tail is its slot. */
struct fer_tail_doc {
    uint32_t number;
    _Atomic bool dead; /* replaced, removed, or never whole */
    fer_record record;
};

/* A word of related.h in the frozen part. */
struct fer_lexical_related {
    uint32_t number; /* of its term, or FER_NONE */
    uint32_t df;
    double rarity; /* among the documents that are frozen there */
};

struct fer_lexical {
    fer_frozen frozen;
    uint64_t id[2];         /* nobody else's: what is noted about it is about no other */
    _Atomic uint64_t *dead; /* bits of frozen documents that are gone ... */
    _Atomic bool has_dead;  /* ... and whether there are any */
    _Atomic size_t docs;    /* that can be found */
    struct fer_lexical_related *related; /* by the numbers of related.h; NULL: none is frozen */
    fer_terms terms;
    _Atomic(struct fer_tail_doc *) tail;
    _Atomic uint32_t tail_count;

    /* The writer's own. */
    fer_arena *arena;
    fer_tokeniser *tokeniser;
    size_t tail_cap;
    uint32_t *slots; /* of the tail by document number, + 1; 0: none */
    size_t slot_cap;
    uint32_t numbers; /* all are below it */
    fer_intake intake;
};

static inline bool fer_lexical_has_dead(const fer_lexical *ix)
{
    return atomic_load_explicit(&ix->has_dead, memory_order_relaxed);
}

static inline bool fer_lexical_is_dead(const fer_lexical *ix, uint32_t number)
{
    return fer_lexical_has_dead(ix) &&
           atomic_load_explicit(&ix->dead[number / 64], memory_order_relaxed) >> (number % 64) & 1;
}

static inline size_t fer_lexical_df(const fer_lexical *ix, uint32_t frozen, const fer_term *term)
{
    int64_t df = frozen == FER_NONE ? 0 : fer_frozen_df(&ix->frozen, frozen);
    if (term) df += atomic_load_explicit(&term->df_change, memory_order_relaxed);
    return df > 0 ? (size_t)df : 0;
}

#endif
