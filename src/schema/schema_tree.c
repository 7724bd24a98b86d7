/* SPDX-License-Identifier: Apache-2.0 */
#include "schema_tree.h"

#include "errors.h"
#include "json_doc.h"

void fer_tree_init(fer_tree *t, fer_arena *a)
{
    yyjson_alc alc = fer_json_alc(a);
    *t = (fer_tree){.arena = a, .doc = yyjson_mut_doc_new(&alc)};
    fer_map_init(&t->swaps, a);
    t->failed = !t->doc;
}

/* Every value passes here: NULL is the end of memory. */
static yyjson_mut_val *made(fer_tree *t, yyjson_mut_val *value)
{
    if (!value) t->failed = true;
    return value;
}

yyjson_mut_val *fer_tree_object(fer_tree *t)
{
    return made(t, yyjson_mut_obj(t->doc));
}

yyjson_mut_val *fer_tree_array(fer_tree *t)
{
    return made(t, yyjson_mut_arr(t->doc));
}

yyjson_mut_val *fer_tree_text(fer_tree *t, fer_str text)
{
    return made(t, text.ptr ? yyjson_mut_strn(t->doc, text.ptr, text.len) : NULL);
}

yyjson_mut_val *fer_tree_bool(fer_tree *t, bool value)
{
    return made(t, yyjson_mut_bool(t->doc, value));
}

void fer_tree_put(fer_tree *t, yyjson_mut_val *object, fer_str key, yyjson_mut_val *value)
{
    yyjson_mut_val *name = fer_tree_text(t, key);
    if (object && name && value) yyjson_mut_obj_add(object, name, value);
}

void fer_tree_put_first(fer_tree *t, yyjson_mut_val *object, fer_str key, yyjson_mut_val *value)
{
    yyjson_mut_val *name = fer_tree_text(t, key);
    if (object && name && value) yyjson_mut_obj_insert(object, name, value, 0);
}

void fer_tree_add(fer_tree *t, yyjson_mut_val *array, yyjson_mut_val *value)
{
    if (!array || !value) t->failed = true;
    else yyjson_mut_arr_append(array, value);
}

/* ---- copies -------------------------------------------------------------- */

struct swap {
    const yyjson_val *at;
    fer_str text;
};

void fer_tree_swap(fer_tree *t, const yyjson_val *string, fer_str text)
{
    struct swap *swap = fer_arena_alloc(t->arena, sizeof *swap);
    if (!swap || !text.ptr) {
        t->failed = true;
        return;
    }
    *swap = (struct swap){string, text};
    void **place = fer_map_put(&t->swaps, fer_value_key(&swap->at));
    if (place) *place = swap;
    else t->failed = true;
}

/* A container that is being copied. */
struct level {
    const yyjson_val *next, *end;
    yyjson_mut_val *to;
};

static yyjson_mut_val *copy_one(fer_tree *t, const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_OBJ: return fer_tree_object(t);
    case YYJSON_TYPE_ARR: return fer_tree_array(t);
    case YYJSON_TYPE_STR: {
        const struct swap *swap = t->swaps.count ? fer_map_get(&t->swaps, fer_value_key(&v)) : NULL;
        return fer_tree_text(t, swap ? swap->text : fer_val_str(v));
    }
    case YYJSON_TYPE_BOOL: return fer_tree_bool(t, fer_is_true(v));
    case YYJSON_TYPE_NULL: return made(t, yyjson_mut_null(t->doc));
    case YYJSON_TYPE_RAW: return made(t, yyjson_mut_rawn(t->doc, v->uni.str, fer_val_len(v)));
    default: break;
    }
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: return made(t, yyjson_mut_uint(t->doc, v->uni.u64));
    case FER_TAG_SINT: return made(t, yyjson_mut_sint(t->doc, v->uni.i64));
    default: return made(t, yyjson_mut_real(t->doc, v->uni.f64));
    }
}

yyjson_mut_val *fer_tree_copy(fer_tree *t, const yyjson_val *value)
{
    struct level *levels = NULL;
    size_t depth = 0, cap = 0;
    yyjson_mut_val *root = copy_one(t, value), *made_last = root;
    const yyjson_val *last = value;
    while (!t->failed) {
        if (fer_is_ctn(last) && fer_val_len(last)) {
            levels = fer_arena_room(t->arena, levels, depth, &cap, sizeof *levels);
            t->failed = !levels;
            if (!levels) break;
            levels[depth++] = (struct level){last + 1, fer_val_next(last), made_last};
        }
        while (depth && levels[depth - 1].next == levels[depth - 1].end) depth--;
        if (!depth) return root;
        struct level *l = &levels[depth - 1];
        const yyjson_val *key = yyjson_mut_is_obj(l->to) ? l->next : NULL;
        last = key ? key + 1 : l->next;
        l->next = fer_val_next(last);
        made_last = copy_one(t, last);
        if (key) fer_tree_put(t, l->to, fer_val_str(key), made_last);
        else fer_tree_add(t, l->to, made_last);
    }
    return NULL;
}

/* ---- text ---------------------------------------------------------------- */

/* ---- by pointer ------------------------------------------------------------------------------ */

/* One step of a pointer, unescaped. ptr NULL: no memory. */
static fer_str token(fer_arena *a, fer_str raw)
{
    char *to = fer_arena_alloc(a, raw.len + 1);
    size_t n = 0;
    if (!to) return FER_STR_NONE;
    for (size_t i = 0; i < raw.len; i++) {
        bool escaped = raw.ptr[i] == '~' && i + 1 < raw.len;
        to[n++] = !escaped ? raw.ptr[i] : raw.ptr[++i] == '1' ? '/' : '~';
    }
    return (fer_str){to, n};
}

static yyjson_mut_val *member(yyjson_mut_val *object, fer_str name)
{
    return yyjson_mut_obj_getn(object, name.ptr, name.len);
}

/* The item that is there, or the place behind the last (`*append`); false: neither. */
static bool item_at(yyjson_mut_val *array, fer_str name, yyjson_mut_val **out, bool *append)
{
    uint64_t index = yyjson_mut_arr_size(array);
    if (!fer_str_is(name, "-") && !fer_parse_u64(name, &index)) return false;
    if (index > yyjson_mut_arr_size(array)) return false;
    *append = index == yyjson_mut_arr_size(array);
    *out = *append ? NULL : yyjson_mut_arr_get(array, index);
    return true;
}

/* Goes one step down, or puts `value` there where it is not NULL. NULL: there is no such place. */
static yyjson_mut_val *descend(fer_tree *t, yyjson_mut_val *at, fer_str name, yyjson_mut_val *value)
{
    yyjson_mut_val *next = NULL;
    bool append = false, object = yyjson_mut_is_obj(at);
    if (object) next = member(at, name);
    else if (!yyjson_mut_is_arr(at) || !item_at(at, name, &next, &append)) return NULL;
    if (next && !value) return next;
    yyjson_mut_val *put = value ? value : fer_tree_object(t);
    if (next) { /* becomes the other, and keeps its place */
        yyjson_mut_val *after = next->next;
        *next = *put;
        next->next = after;
        return next;
    }
    if (object) fer_tree_put(t, at, name, put);
    else if (append) fer_tree_add(t, at, put);
    return put;
}

bool fer_tree_put_at(fer_tree *t, yyjson_mut_val *root, fer_str pointer, yyjson_mut_val *value)
{
    yyjson_mut_val *at = root;
    size_t from = 1;
    while (at && !t->failed) {
        size_t slash = fer_str_find(pointer, from, '/');
        bool last = slash == SIZE_MAX;
        fer_str name = token(t->arena, fer_str_slice(pointer, from, last ? pointer.len : slash));
        if (!name.ptr) t->failed = true;
        else at = descend(t, at, name, last ? value : NULL);
        if (last) break;
        from = slash + 1;
    }
    return at != NULL;
}

fer_code fer_tree_write(fer_tree *t, const yyjson_mut_val *root, fer_str *out, fer_err *err)
{
    size_t len;
    yyjson_alc alc = fer_json_alc(t->arena);
    const char *text = t->failed ? NULL : yyjson_mut_val_write_opts(root, 0, &alc, &len, NULL);
    if (!text) return fer_arena_failed(t->arena, err);
    *out = (fer_str){text, len};
    return FER_OK;
}
