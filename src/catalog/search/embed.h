/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Embedders: texts become vectors whose angle says how near they are in meaning.
 *
 * A vector is `dims` signed bytes: a unit vector times FER_EMBED_UNIT, so that the product of two
 * is a cosine times its square and whole numbers decide every order. A text of which the embedder
 * knows nothing is the zero vector, which is near to nothing.
 *
 * An embedder is used by one thread at a time. A row of functions makes one; the built-in one is
 * embed_static.c. Results depend on the texts alone.
 */
#ifndef FER_EMBED_H
#define FER_EMBED_H

#include "search_doc.h"

#define FER_EMBED_UNIT 254  /* length of a vector; a byte holds up to half of it */
#define FER_EMBED_DIMS 4096 /* most that a vector has */

typedef enum fer_embed_side {
    FER_EMBED_DOC,
    FER_EMBED_QUERY /* what a query says beside its matter ("please find") is left out */
} fer_embed_side;

#define FER_EMBED_STEMS 512 /* of a query */

typedef struct fer_embed_stems {
    const fer_str *stems;
    const uint8_t *tenths; /* what each counts, 10 for a whole word */
    size_t count;          /* up to FER_EMBED_STEMS */
    const struct fer_embed_part {
        size_t from, to;
    } * parts; /* the whole may be one */
    size_t part_count;
} fer_embed_stems;

typedef struct fer_embedder fer_embedder;

struct fer_embedder {
    const char *name;
    size_t dims; /* a multiple of 32 */
    /* Writes `count` vectors one behind the other. */
    fer_code (*embed)(fer_embedder *e, const fer_search_doc *docs, size_t count,
                      fer_embed_side side, int8_t *out, fer_err *err);
    void (*free)(fer_embedder *e);
    /* A query whose words are stems already (tokens.h), what it says beside its matter left out: a
     * vector for each of its parts. NULL: it wants the text. */
    void (*embed_stems)(fer_embedder *e, const fer_embed_stems *query, int8_t *out);
};

/* A text as a query: one vector of e->dims bytes. */
fer_code fer_embed_query(fer_embedder *e, fer_str text, int8_t *out, fer_err *err);
/* NULL is fine. */
void fer_embedder_free(fer_embedder *e);

/* A unit vector times FER_EMBED_UNIT from one of any length; zero where it has none. */
void fer_embed_unit(const int32_t *from, size_t dims, int8_t *out);

#endif
