/* SPDX-License-Identifier: Apache-2.0 */
/* A tool as one text, for embedders that were made for sentences. */
#ifndef FER_EMBED_TEXT_H
#define FER_EMBED_TEXT_H

#include "buf.h"
#include "search_doc.h"

/* Appends "create issue. Opens a ticket ...": the name in words, the title, the description. */
void fer_embed_text(fer_buf *b, const fer_search_doc *doc);

#endif
