/* SPDX-License-Identifier: Apache-2.0 */
/* A limit as the reference page and the tests see it: one row each, in tables of the rooms. */
#ifndef FER_LIMIT_ROW_H
#define FER_LIMIT_ROW_H

#include <stddef.h>

typedef struct fer_limit_row {
    const char *name; /* "http.body" */
    size_t limit;
    const char *text;
} fer_limit_row;

#endif
