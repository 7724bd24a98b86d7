/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas and instances of any size, one row for each way in which they may grow. */
#ifndef FER_GROWTH_SHAPES_H
#define FER_GROWTH_SHAPES_H

#include "buf.h"

typedef void shape_writer(fer_buf *b, size_t n);

struct shape {
    const char *name;
    size_t n;             /* the first size; three doublings follow */
    shape_writer *schema; /* as JSON */
    shape_writer *value;  /* NULL: compiling the schema is what is measured */
    bool invalid;         /* the value does not fit, and everything about it is told */
};

extern const struct shape growth_shapes[];
extern const size_t growth_shape_count;

#endif
