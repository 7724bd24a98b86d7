/* SPDX-License-Identifier: Apache-2.0 */
/* One tag at a time; lists are in <ferrule/contract.h>. Pure. */
#ifndef FER_TAGS_H
#define FER_TAGS_H

#include <ferrule/contract.h>

/* The normalised tag; its length, 0 where nothing is left. */
size_t fer_tag_normalise(fer_str raw, char out[FER_TAG_MAX]);

#endif
