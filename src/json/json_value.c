/* SPDX-License-Identifier: Apache-2.0 */
#include "json_value.h"

const yyjson_val *fer_val_key(const yyjson_val *object, fer_str name)
{
    if (!fer_is_obj(object)) return NULL;
    FER_EACH_MEMBER (object, key) {
        if (fer_str_eq(fer_val_str(key), name)) return key;
    }
    return NULL;
}

const yyjson_val *fer_val_get(const yyjson_val *object, const char *name)
{
    const yyjson_val *key = fer_val_key(object, fer_str_of(name));
    return key ? key + 1 : NULL;
}

bool fer_val_u64(const yyjson_val *v, uint64_t *out)
{
    const double past = 18446744073709551616.0; /* 2^64 */
    if (!fer_val_is(v, YYJSON_TYPE_NUM)) return false;
    if (fer_val_tag(v) == FER_TAG_UINT) {
        *out = v->uni.u64;
        return true;
    }
    if (fer_val_tag(v) != FER_TAG_REAL || !(v->uni.f64 >= 0 && v->uni.f64 < past)) return false;
    uint64_t whole = (uint64_t)v->uni.f64;
    if ((double)whole != v->uni.f64) return false;
    *out = whole;
    return true;
}

const char *fer_val_type_name(const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: return "null";
    case YYJSON_TYPE_BOOL: return "boolean";
    case YYJSON_TYPE_STR: return "string";
    case YYJSON_TYPE_ARR: return "array";
    case YYJSON_TYPE_OBJ: return "object";
    default: return "number";
    }
}
