/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two documents hold the same values: types, texts, numbers to the bit, layout. */
#ifndef FER_SAME_VALUES_H
#define FER_SAME_VALUES_H

#include "json_doc.h"

static inline bool same_value(const yyjson_val *x, const yyjson_val *y)
{
    /* How a string was written is yyjson's own note. */
    const uint64_t note = fer_is_str(x) ? YYJSON_SUBTYPE_NOESC : 0;
    if ((x->tag & ~note) != (y->tag & ~note)) return false;
    switch (fer_val_type(x)) {
    case YYJSON_TYPE_STR:
    case YYJSON_TYPE_RAW: return memcmp(x->uni.str, y->uni.str, fer_val_len(x) + 1) == 0;
    case YYJSON_TYPE_NUM:
    case YYJSON_TYPE_ARR:
    case YYJSON_TYPE_OBJ: return x->uni.u64 == y->uni.u64;
    default: return true;
    }
}

static inline bool same_values(const fer_json *x, const fer_json *y)
{
    if (x->count != y->count) return false;
    for (size_t i = 0; i < x->count; i++) {
        if (!same_value(x->vals + i, y->vals + i)) return false;
    }
    return true;
}

/*
 * Limits under which the quick reader leaves a text of at least three bytes to yyjson, while
 * all of its values are within them: there are fewer of them than bytes.
 */
static inline fer_json_limits not_quick(fer_str text)
{
    fer_json_limits limits = *fer_json_limits_message();
    limits.nodes = text.len - 1;
    return limits;
}

#endif
