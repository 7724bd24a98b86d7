/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an index, for finder.c and those who search it. */
#ifndef FER_FINDER_PARTS_H
#define FER_FINDER_PARTS_H

#include "finder.h"
#include "hybrid.h"
#include "vector_store.h"

/* What one search needs and one thread at a time may use. */
typedef struct fer_kit {
    fer_searcher *searcher;
    fer_tokeniser *tokeniser;
    fer_embedder *embedder; /* NULL: there are no vectors */
} fer_kit;

struct fer_finder {
    atomic_uint refs;
    fer_lexical *lexical;         /* NULL: definitions are gathered ... */
    fer_lexical_builder *builder; /* ... here; else NULL */
    fer_code failed;              /* why one of these was not taken */
    fer_vector_store *store;      /* NULL: there are no vectors */
    size_t puts;                  /* since it was frozen; the writer's alone */
    fer_arena *bytes;             /* that it is frozen in; or NULL */
    /* Kits that nobody uses just now: one for each thread that searches at once. */
    _Atomic(fer_kit *) spare[16];
};

/* A kit to be given back; NULL: no memory. */
FER_MUST_USE fer_kit *fer_kit_take(fer_finder *f);
void fer_kit_give_back(fer_finder *f, fer_kit *k);
void fer_kit_free(fer_kit *k);

/* The ID of a number that a search of this view has met; empty: it is newer than the view. */
fer_str fer_view_number_id(const fer_view *v, uint32_t number);

#endif
