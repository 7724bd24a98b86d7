/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema that is being rewritten in place: small verbs over yyjson's mutable values, and
 * spots, which are places in it that a JSON Pointer names. Values are replaced by giving them
 * another content, so whoever holds one keeps holding the place. The first failure of memory
 * is remembered in the tree. One thread.
 */
#ifndef FER_PLOT_H
#define FER_PLOT_H

#include "buf.h"
#include "json_value.h"
#include "keyword.h"
#include "schema_tree.h"

/* The private keyword that says how a value is translated back; no wire ever has it. */
#define FER_BACK       "x-ferrule-back"
#define FER_PLOT_DEPTH 128 /* subschemas inside each other */

/* for each member of a mutable object */
#define FER_EACH_MUT_MEMBER(object, key)                                                           \
    for (yyjson_mut_val *key = fer_mut_first_key(object), *key##_first = key; key;                 \
         key = key->next->next == key##_first ? NULL : key->next->next)
/* for each item of a mutable array */
#define FER_EACH_MUT_ITEM(array, item)                                                             \
    for (yyjson_mut_val *item = fer_mut_first_item(array), *item##_first = item; item;             \
         item = item->next == item##_first ? NULL : item->next)

/* yyjson's own questions take no const. */
static inline unsigned fer_mut_get_type(const yyjson_mut_val *v)
{
    return v ? (unsigned)(v->tag & YYJSON_TYPE_MASK) : 0;
}
static inline unsigned fer_mut_tag(const yyjson_mut_val *v)
{
    return v ? (unsigned)(v->tag & 0xFF) : 0;
}
static inline bool fer_mut_is_obj(const yyjson_mut_val *v)
{
    return fer_mut_get_type(v) == YYJSON_TYPE_OBJ;
}
static inline bool fer_mut_is_arr(const yyjson_mut_val *v)
{
    return fer_mut_get_type(v) == YYJSON_TYPE_ARR;
}
static inline bool fer_mut_is_str(const yyjson_mut_val *v)
{
    return fer_mut_get_type(v) == YYJSON_TYPE_STR;
}
static inline bool fer_mut_is_num(const yyjson_mut_val *v)
{
    return fer_mut_get_type(v) == YYJSON_TYPE_NUM;
}
static inline bool fer_mut_is_uint(const yyjson_mut_val *v)
{
    return fer_mut_tag(v) == FER_TAG_UINT;
}
static inline bool fer_mut_is_sint(const yyjson_mut_val *v)
{
    return fer_mut_tag(v) == FER_TAG_SINT;
}
static inline bool fer_mut_is_int(const yyjson_mut_val *v)
{
    return fer_mut_is_uint(v) || fer_mut_is_sint(v);
}
static inline bool fer_mut_is_bool(const yyjson_mut_val *v)
{
    return fer_mut_get_type(v) == YYJSON_TYPE_BOOL;
}
static inline bool fer_mut_is_true(const yyjson_mut_val *v)
{
    return fer_mut_tag(v) == (YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE);
}
static inline bool fer_mut_is_false(const yyjson_mut_val *v)
{
    return fer_mut_is_bool(v) && !fer_mut_is_true(v);
}
static inline bool fer_mut_is_null(const yyjson_mut_val *v)
{
    return fer_mut_get_type(v) == YYJSON_TYPE_NULL;
}
static inline uint64_t fer_mut_get_uint(const yyjson_mut_val *v)
{
    return fer_mut_is_uint(v) ? v->uni.u64 : 0;
}
static inline double fer_mut_get_num(const yyjson_mut_val *v)
{
    if (fer_mut_is_uint(v)) return (double)v->uni.u64;
    if (fer_mut_is_sint(v)) return (double)v->uni.i64;
    return fer_mut_is_num(v) ? v->uni.f64 : 0;
}
static inline size_t fer_mut_len(const yyjson_mut_val *v)
{
    return v ? (size_t)(v->tag >> YYJSON_TAG_BIT) : 0;
}
static inline fer_str fer_mut_str(const yyjson_mut_val *v)
{
    return (fer_str){v->uni.str, fer_mut_len(v)};
}
static inline yyjson_mut_val *fer_mut_first_key(const yyjson_mut_val *object)
{
    if (!object || !fer_mut_is_obj(object) || !fer_mut_len(object)) return NULL;
    return ((yyjson_mut_val *)object->uni.ptr)->next->next;
}
static inline yyjson_mut_val *fer_mut_first_item(const yyjson_mut_val *array)
{
    if (!array || !fer_mut_is_arr(array) || !fer_mut_len(array)) return NULL;
    return ((yyjson_mut_val *)array->uni.ptr)->next;
}
/* The value of a member, or NULL; `node` may be anything. */
yyjson_mut_val *fer_mut_get(const yyjson_mut_val *node, const char *key);
yyjson_mut_val *fer_mut_find(const yyjson_mut_val *node, fer_str key);
bool fer_mut_is_text(const yyjson_mut_val *v, const char *text);
void fer_mut_drop(yyjson_mut_val *node, const char *key);
void fer_mut_drop_name(yyjson_mut_val *node, fer_str key);
/* Drops an item of an array by its number. */
void fer_mut_drop_item(yyjson_mut_val *array, size_t index);
/* Sets a member, in the place of an old one where there is one. */
void fer_mut_set(fer_tree *t, yyjson_mut_val *node, const char *key, yyjson_mut_val *value);
void fer_mut_set_name(fer_tree *t, yyjson_mut_val *node, fer_str key, yyjson_mut_val *value);
void fer_mut_set_text(fer_tree *t, yyjson_mut_val *node, const char *key, const char *text);
/* Gives a value the content of another, which is no longer to be used. */
void fer_mut_become(yyjson_mut_val *node, yyjson_mut_val *other);
yyjson_mut_val *fer_mut_copy(fer_tree *t, const yyjson_mut_val *value);
/* Whether two values are equal, numbers by value. */
bool fer_mut_same(const yyjson_mut_val *x, const yyjson_mut_val *y);
/* Whether a list has a string. */
bool fer_mut_lists(const yyjson_mut_val *array, fer_str word);
/* The text of a value, without the private keyword; ptr NULL: no memory. */
fer_str fer_mut_write(fer_tree *t, const yyjson_mut_val *value);
/* How many values there are. */
size_t fer_mut_size(const yyjson_mut_val *value);
/* Drops the private keyword everywhere below; says whether there was any. */
bool fer_mut_unmark(yyjson_mut_val *value);
bool fer_mut_marked(const yyjson_mut_val *value);

/* What a keyword holds. */
enum fer_holds {
    FER_HOLDS_NONE,
    FER_HOLDS_SCHEMA,
    FER_HOLDS_LIST,
    FER_HOLDS_MAP
};
enum fer_holds fer_holds_of(fer_str keyword);

/* A subschema on the way to a spot. */
typedef struct fer_step {
    yyjson_mut_val *node;
    fer_str via;  /* the keyword of the one before that holds it; ptr NULL: the root */
    fer_str name; /* under it, where it is a map */
    size_t index; /* in it, where it is a list */
} fer_step;

typedef struct fer_spot {
    fer_step steps[FER_PLOT_DEPTH];
    size_t count;
    fer_str keyword; /* of the last one that the pointer names, or ptr NULL */
    fer_str pointer;
} fer_spot;

/* Finds a spot; false: there is nothing there (any more). Names are unescaped into the arena. */
bool fer_spot_find(fer_arena *a, yyjson_mut_val *root, fer_str pointer, fer_spot *out);
static inline fer_step *fer_spot_last(fer_spot *s)
{
    return &s->steps[s->count - 1];
}
static inline yyjson_mut_val *fer_spot_node(const fer_spot *s)
{
    return s->steps[s->count - 1].node;
}

/* Calls `each` for a schema and all that is below it, those below first where `inside_first`. */
typedef void fer_each_schema(void *context, yyjson_mut_val *node, const fer_step *step);
void fer_schemas_each(yyjson_mut_val *root, bool inside_first, fer_each_schema *each,
                      void *context);

/* The schema that a local reference leads to; NULL: none. */
yyjson_mut_val *fer_plot_target(fer_arena *a, yyjson_mut_val *root, fer_str ref);

#endif
