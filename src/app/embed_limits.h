/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of embedders behind HTTP (embed_http.c), one row each, for the reference page. */
#ifndef FER_EMBED_LIMITS_H
#define FER_EMBED_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct fer_embed_limit_row {
    const char *name;
    size_t limit;
    bool cut; /* what is over it is cut, not refused */
    const char *text;
};
extern const struct fer_embed_limit_row fer_embed_limit_rows[];
extern const size_t fer_embed_limit_row_count;

#endif
