/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of the catalogue, one row each, for the reference page and the tests. */
#ifndef FER_CATALOG_LIMITS_H
#define FER_CATALOG_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct fer_catalog_limit_row {
    const char *name;
    size_t limit;
    bool cut; /* what is over it is cut or left out, not refused */
    const char *text;
};
extern const struct fer_catalog_limit_row fer_catalog_limit_rows[];
extern const size_t fer_catalog_limit_row_count;

#endif
