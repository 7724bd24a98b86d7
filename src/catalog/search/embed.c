/* SPDX-License-Identifier: Apache-2.0 */
#include "embed.h"

#include <math.h>

fer_code fer_embed_query(fer_embedder *e, fer_str text, int8_t *out, fer_err *err)
{
    const fer_search_text one = {FER_FIELD_DESCRIPTION, text};
    const fer_search_doc doc = {&one, 1};
    return e->embed(e, &doc, 1, FER_EMBED_QUERY, out, err);
}

void fer_embedder_free(fer_embedder *e)
{
    if (e) e->free(e);
}

static inline uint32_t size_of(int32_t v)
{
    return v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
}

/*
 * Squares are summed as whole numbers, so that the order of the sum and the width of registers do
 * not matter: values are first brought below 2^23, whose squares fit into 64 bits FER_EMBED_DIMS
 * times. Loops of few kinds of numbers each, which compilers make wide.
 */
void fer_embed_unit(const int32_t *from, size_t dims, int8_t *out)
{
    int32_t sizes[FER_EMBED_DIMS];
    uint32_t bits = 0; /* of all sizes: the highest is that of the largest */
    int shift = 0;
    uint64_t squares = 0;
    for (size_t i = 0; i < dims; i++) bits |= size_of(from[i]);
    while (bits >> shift >= 1u << 23) shift++;
    for (size_t i = 0; i < dims; i++) sizes[i] = (int32_t)(size_of(from[i]) >> shift);
    for (size_t i = 0; i < dims; i++)
        squares += (uint64_t)(uint32_t)sizes[i] * (uint64_t)(uint32_t)sizes[i];
    double factor = squares ? FER_EMBED_UNIT / sqrt((double)squares) : 0;
    for (size_t i = 0; i < dims; i++)
        sizes[i] = (int32_t)((double)sizes[i] * factor + 0.5); /* not below 0 */
    for (size_t i = 0; i < dims; i++) {
        int32_t byte = sizes[i] > 127 ? 127 : sizes[i];
        out[i] = (int8_t)(from[i] < 0 ? -byte : byte);
    }
}
