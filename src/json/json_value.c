/* SPDX-License-Identifier: Apache-2.0 */
#include "json_value.h"

const yyjson_val *fer_val_key(const yyjson_val *object, fer_str name)
{
    if (!fer_is_obj(object)) return NULL;
    FER_EACH_MEMBER (object, key) {
        fer_str other = fer_val_str(key);
        if (other.len == name.len && memcmp(other.ptr, name.ptr, name.len) == 0) return key;
    }
    return NULL;
}

const char *fer_val_type_name(const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: return "null";
    case YYJSON_TYPE_BOOL: return "a boolean";
    case YYJSON_TYPE_STR: return "a string";
    case YYJSON_TYPE_ARR: return "an array";
    case YYJSON_TYPE_OBJ: return "an object";
    default: return "a number";
    }
}
