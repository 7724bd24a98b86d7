/* SPDX-License-Identifier: Apache-2.0 */
/* Members of JSON objects that are left out where there is nothing to say. Pure. */
#ifndef FER_SHOWN_H
#define FER_SHOWN_H

#include <ferrule/catalog.h>

#include "buf.h"

/* A key, behind a comma where it is not the first. */
void fer_shown_key(fer_buf *b, const char *key);
void fer_shown_text(fer_buf *b, const char *key, fer_str text);
void fer_shown_texts(fer_buf *b, const char *key, const fer_texts *list);

#endif
