/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in embedder: the weighted sum of the vectors of a text's words. */
#ifndef FER_EMBED_STATIC_H
#define FER_EMBED_STATIC_H

#include "embed.h"
#include "static_model.h"

#define FER_EMBED_WORDS_MAX 255 /* distinct known words of one text; later ones are left out */

/* What a word in a field counts, in tenths; training and use agree on it. */
extern const uint8_t fer_embed_field_weights[FER_FIELD_COUNT];

/* The model is borrowed. NULL: no memory. */
FER_MUST_USE fer_embedder *fer_embed_static_new(const fer_static_model *m);

#endif
