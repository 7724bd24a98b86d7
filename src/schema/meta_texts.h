/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meta-schemas that are built in, as text: draft-04, -06, -07, 2019-09, 2020-12
 * and v1, with the vocabularies of those that have some. They are written in meta/
 * and become data when the program is built (tools/embed.py). The table and its
 * texts are constant and live as long as the program; any thread may read them.
 */
#ifndef FER_META_TEXTS_H
#define FER_META_TEXTS_H

#include <ferrule/common.h>

#define FER_META_V1 9999u

typedef struct fer_meta_text {
    const char *uri; /* absolute; an empty fragment is left out */
    fer_str text;    /* minified JSON, ASCII */
    unsigned draft;  /* 4, 6, 7, 2019, 2020 or FER_META_V1 */
} fer_meta_text;

/*
 * All of them, ordered by strcmp of their uri. v1 has two rows that share one text:
 * ".../v1/2026", which is its $id, and ".../v1", the dialect that schemas name.
 */
const fer_meta_text *fer_meta_texts(size_t *count);

#endif
