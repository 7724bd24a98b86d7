/* SPDX-License-Identifier: Apache-2.0 */
/* One row per limit of a schema, for the documentation. */
#ifndef FER_SCHEMA_LIMITS_H
#define FER_SCHEMA_LIMITS_H

#include <ferrule/schema.h>

struct fer_schema_limit_row {
    const char *name;
    size_t offset; /* in fer_schema_limits */
    const char *text;
};
extern const struct fer_schema_limit_row fer_schema_limit_rows[];
extern const size_t fer_schema_limit_row_count;

#endif
