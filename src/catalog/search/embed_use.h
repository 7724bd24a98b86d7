/* SPDX-License-Identifier: Apache-2.0 */
/* The embedder on Universal Sentence Encoder lite. */
#ifndef FER_EMBED_USE_H
#define FER_EMBED_USE_H

#include "embed.h"
#include "use_model.h"

/* The model is borrowed. NULL: no memory. */
FER_MUST_USE fer_embedder *fer_embed_use_new(const fer_use_model *m);

#endif
