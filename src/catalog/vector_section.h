/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors in a catalogue's file, by what they were made from: the sum of a tool's texts
 * (tool_content.h), so that a vector is good for as long as the texts are the same, whoever has
 * them.
 *
 *     head | sums, ascending | rows of dims bytes | tail
 *
 * The tail names the model, for people; it is there where the embedder has more than one.
 * The bytes may be anybody's: opening checks that all of it lies inside; what a row says is
 * believed, as nothing follows it. Pure.
 */
#ifndef FER_VECTOR_SECTION_H
#define FER_VECTOR_SECTION_H

#include "arena.h"
#include "embedding.h"

#define FER_NO_VECTOR UINT32_MAX

typedef struct fer_vector_section {
    fer_embedding_id id; /* what made them */
    fer_embedding_label label;
    uint32_t count;
    const uint64_t *sums;
    const int8_t *rows;
    fer_str bytes; /* all of it; empty: there are none */
} fer_vector_section;

/* Bytes aligned to 8. False: they are no vectors. */
bool fer_vector_section_open(fer_str bytes, fer_vector_section *out);
bool fer_embedding_id_same(const fer_embedding_id *x, const fer_embedding_id *y);
/* The place of a sum, or FER_NO_VECTOR. */
uint32_t fer_vector_section_find(const fer_vector_section *s, uint64_t sum);
static inline const int8_t *fer_vector_section_row(const fer_vector_section *s, uint32_t place)
{
    return s->rows + (size_t)place * s->id.dims;
}

/* A vector that is to be written. */
struct fer_vector_row {
    uint64_t sum;
    const int8_t *vector;
};
/* Sorts the list; of rows with the same sum one is written. Without rows it says still whose they
 * would be. */
fer_code fer_vector_section_write(fer_arena *a, const fer_embedding_id *id,
                                  const fer_embedding_label *label, struct fer_vector_row *list,
                                  size_t count, fer_str *out, fer_err *err);

#endif
