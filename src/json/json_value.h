/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a tree of yyjson values, const all the way (yyjson's own accessors are
 * not). Only for values of a document, where a container's members follow it in
 * memory. Functions that look a thing up take NULL and give NULL.
 */
#ifndef FER_JSON_VALUE_H
#define FER_JSON_VALUE_H

#include <yyjson.h>

#include "str.h"

#define FER_TAG_UINT (YYJSON_TYPE_NUM | YYJSON_SUBTYPE_UINT)
#define FER_TAG_SINT (YYJSON_TYPE_NUM | YYJSON_SUBTYPE_SINT)
#define FER_TAG_REAL (YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL)

static inline unsigned fer_val_type(const yyjson_val *v)
{
    return (unsigned)(v->tag & YYJSON_TYPE_MASK);
}
/* Type and subtype, to be compared with FER_TAG_*. */
static inline unsigned fer_val_tag(const yyjson_val *v)
{
    return (unsigned)(v->tag & 0xFF);
}
/* Bytes of a string or raw number; items of an array; members of an object. */
static inline size_t fer_val_len(const yyjson_val *v)
{
    return (size_t)(v->tag >> 8);
}
static inline bool fer_val_is(const yyjson_val *v, unsigned type)
{
    return v && fer_val_type(v) == type;
}
static inline bool fer_is_obj(const yyjson_val *v)
{
    return fer_val_is(v, YYJSON_TYPE_OBJ);
}
static inline bool fer_is_arr(const yyjson_val *v)
{
    return fer_val_is(v, YYJSON_TYPE_ARR);
}
static inline bool fer_is_str(const yyjson_val *v)
{
    return fer_val_is(v, YYJSON_TYPE_STR);
}
static inline bool fer_is_bool(const yyjson_val *v)
{
    return fer_val_is(v, YYJSON_TYPE_BOOL);
}
static inline bool fer_is_num(const yyjson_val *v)
{
    return fer_val_is(v, YYJSON_TYPE_NUM) || fer_val_is(v, YYJSON_TYPE_RAW);
}
static inline bool fer_is_ctn(const yyjson_val *v)
{
    return fer_is_arr(v) || fer_is_obj(v);
}
static inline bool fer_is_true(const yyjson_val *v)
{
    return fer_is_bool(v) && (v->tag & YYJSON_SUBTYPE_MASK) == YYJSON_SUBTYPE_TRUE;
}
/* The text of a string, key or raw number. */
static inline fer_str fer_val_str(const yyjson_val *v)
{
    return (fer_str){v->uni.str, fer_val_len(v)};
}
/* The value behind this one: for a container, behind all its members. */
static inline const yyjson_val *fer_val_next(const yyjson_val *v)
{
    bool ctn = fer_val_type(v) >= YYJSON_TYPE_ARR;
    return (const yyjson_val *)(const void *)((const char *)v + (ctn ? v->uni.ofs : sizeof *v));
}

/* for each item of an array */
#define FER_EACH_ITEM(array, item)                                                                 \
    for (const yyjson_val *item = (array) + 1, *item##_end = fer_val_next(array);                  \
         item < item##_end; item = fer_val_next(item))
/* for each member of an object: `key`, whose value is key + 1 */
#define FER_EACH_MEMBER(object, key)                                                               \
    for (const yyjson_val *key = (object) + 1, *key##_end = fer_val_next(object); key < key##_end; \
         key = fer_val_next(key + 1))

/* The key of an object, or NULL. */
const yyjson_val *fer_val_key(const yyjson_val *object, fer_str name);
/* The value of a key, or NULL. */
static inline const yyjson_val *fer_val_get(const yyjson_val *object, const char *name)
{
    const yyjson_val *key = fer_val_key(object, fer_str_of(name));
    return key ? key + 1 : NULL;
}
/* A value's type, in words: "a number", "an object", "null" ... */
const char *fer_val_type_name(const yyjson_val *v);

#endif
