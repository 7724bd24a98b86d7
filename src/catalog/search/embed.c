/* SPDX-License-Identifier: Apache-2.0 */
#include "embed.h"

#include "vector_kernels.h"

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

void fer_embed_unit(const int32_t *from, size_t dims, int8_t *out)
{
    fer_vector_kernels_here()->unit(from, dims, out);
}
