/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical form, piece by piece, for those who hash parts of a document. */
#ifndef FER_JSON_CANON_H
#define FER_JSON_CANON_H

#include <yyjson.h>

#include "buf.h"

/* Appends the canonical form of a value; the object that `value` is leaves out the key `skip`. */
fer_code fer_canon_add(fer_arena *scratch, fer_buf *b, const yyjson_val *value, const char *skip,
                       fer_err *err);

#endif
