/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for library functions that are not merged yet. */
#include <ferrule/schema.h>

#include "errors.h"

#define PENDING return fer_fail(err, FER_INTERNAL, "not built yet")

__attribute__((weak)) fer_code fer_schema_convert(fer_arena *a, const fer_json *doc,
                                                  fer_dialect from, fer_dialect to, fer_str *out,
                                                  fer_schema_change **changes, size_t *change_count,
                                                  fer_err *err)
{
    (void)a;
    (void)doc;
    (void)from;
    (void)to;
    (void)out;
    (void)changes;
    (void)change_count;
    PENDING;
}
