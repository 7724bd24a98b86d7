/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include "json_doc.h"

yyjson_mut_val *fer_mut_find(const yyjson_mut_val *node, fer_str key)
{
    FER_EACH_MUT_MEMBER(node, k)
    {
        if (fer_str_eq(fer_mut_str(k), key)) return k->next;
    }
    return NULL;
}

yyjson_mut_val *fer_mut_get(const yyjson_mut_val *node, const char *key)
{
    return fer_mut_find(node, fer_str_of(key));
}

bool fer_mut_is_text(const yyjson_mut_val *v, const char *text)
{
    return v && fer_mut_is_str(v) && fer_str_is(fer_mut_str(v), text);
}

void fer_mut_drop_name(yyjson_mut_val *node, fer_str key)
{
    if (node && fer_mut_is_obj(node) && fer_mut_find(node, key))
        yyjson_mut_obj_remove_keyn(node, key.ptr, key.len);
}

void fer_mut_drop(yyjson_mut_val *node, const char *key)
{
    fer_mut_drop_name(node, fer_str_of(key));
}

void fer_mut_drop_item(yyjson_mut_val *array, size_t index)
{
    if (array && fer_mut_is_arr(array)) yyjson_mut_arr_remove(array, index);
}

void fer_mut_set_name(fer_tree *t, yyjson_mut_val *node, fer_str key, yyjson_mut_val *value)
{
    yyjson_mut_val *old = fer_mut_find(node, key);
    if (!value || !node) {
        t->failed = true;
        return;
    }
    if (old) fer_mut_become(old, value);
    else fer_tree_put(t, node, key, value);
}

void fer_mut_set(fer_tree *t, yyjson_mut_val *node, const char *key, yyjson_mut_val *value)
{
    fer_mut_set_name(t, node, fer_str_of(key), value);
}

void fer_mut_set_text(fer_tree *t, yyjson_mut_val *node, const char *key, const char *text)
{
    fer_mut_set(t, node, key, fer_tree_text(t, fer_str_of(text)));
}

void fer_mut_become(yyjson_mut_val *node, yyjson_mut_val *other)
{
    node->tag = other->tag;
    node->uni = other->uni;
}

yyjson_mut_val *fer_mut_copy(fer_tree *t, const yyjson_mut_val *value)
{
    yyjson_mut_val *made = yyjson_mut_val_mut_copy(t->doc, (yyjson_mut_val *)(uintptr_t)value);
    if (!made) t->failed = true;
    return made;
}

/* ---- equality --------------------------------------------------------------------------- */

static bool same_number(const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    if (fer_mut_is_int(x) && fer_mut_is_int(y)) {
        bool nx = fer_mut_is_sint(x) && x->uni.i64 < 0, ny = fer_mut_is_sint(y) && y->uni.i64 < 0;
        return nx == ny && x->uni.u64 == y->uni.u64;
    }
    return !(fer_mut_get_num(x) < fer_mut_get_num(y)) && !(fer_mut_get_num(x) > fer_mut_get_num(y));
}

static bool same_members(const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    if (fer_mut_len(x) != fer_mut_len(y)) return false;
    FER_EACH_MUT_MEMBER(x, k)
    {
        const yyjson_mut_val *other = fer_mut_find(y, fer_mut_str(k));
        if (!other || !fer_mut_same(k->next, other)) return false;
    }
    return true;
}

static bool same_items(const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    if (fer_mut_len(x) != fer_mut_len(y)) return false;
    const yyjson_mut_val *other = fer_mut_first_item(y);
    FER_EACH_MUT_ITEM(x, item)
    {
        if (!fer_mut_same(item, other)) return false;
        other = other->next;
    }
    return true;
}

bool fer_mut_same(const yyjson_mut_val *x, const yyjson_mut_val *y)
{
    if (fer_mut_is_num(x) && fer_mut_is_num(y)) return same_number(x, y);
    if (fer_mut_get_type(x) != fer_mut_get_type(y)) return false;
    switch (fer_mut_get_type(x)) {
    case YYJSON_TYPE_OBJ: return same_members(x, y);
    case YYJSON_TYPE_ARR: return same_items(x, y);
    case YYJSON_TYPE_STR:
    case YYJSON_TYPE_RAW: return fer_str_eq(fer_mut_str(x), fer_mut_str(y));
    default: return fer_mut_is_true(x) == fer_mut_is_true(y);
    }
}

bool fer_mut_lists(const yyjson_mut_val *array, fer_str word)
{
    FER_EACH_MUT_ITEM(array, item)
    {
        if (fer_mut_is_str(item) && fer_str_eq(fer_mut_str(item), word)) return true;
    }
    return false;
}

size_t fer_mut_size(const yyjson_mut_val *value)
{
    size_t size = 1;
    FER_EACH_MUT_MEMBER(value, k) size += fer_mut_size(k->next);
    FER_EACH_MUT_ITEM(value, item) size += fer_mut_size(item);
    return size;
}

/* ---- marks and text --------------------------------------------------------------------- */

bool fer_mut_unmark(yyjson_mut_val *value)
{
    bool found = fer_mut_get(value, FER_BACK) != NULL;
    fer_mut_drop(value, FER_BACK);
    FER_EACH_MUT_MEMBER(value, k) found |= fer_mut_unmark(k->next);
    FER_EACH_MUT_ITEM(value, item) found |= fer_mut_unmark(item);
    return found;
}

bool fer_mut_marked(const yyjson_mut_val *value)
{
    if (fer_mut_get(value, FER_BACK)) return true;
    FER_EACH_MUT_MEMBER(value, k)
    {
        if (fer_mut_marked(k->next)) return true;
    }
    FER_EACH_MUT_ITEM(value, item)
    {
        if (fer_mut_marked(item)) return true;
    }
    return false;
}

fer_str fer_mut_write(fer_tree *t, const yyjson_mut_val *value)
{
    fer_str text = FER_STR_NONE;
    yyjson_mut_val *copy = fer_mut_marked(value) ? fer_mut_copy(t, value) : NULL;
    if (copy) fer_mut_unmark(copy);
    if (fer_tree_write(t, copy ? copy : value, &text, NULL)) t->failed = true;
    return text;
}

/* ---- where subschemas are --------------------------------------------------------------- */

enum fer_holds fer_holds_of(fer_str keyword)
{
    static const struct {
        const char *name;
        enum fer_holds holds;
    } rows[] = {
        {"properties", FER_HOLDS_MAP},
        {"items", FER_HOLDS_SCHEMA},
        {"anyOf", FER_HOLDS_LIST},
        {"additionalProperties", FER_HOLDS_SCHEMA},
        {"$defs", FER_HOLDS_MAP},
        {"allOf", FER_HOLDS_LIST},
        {"oneOf", FER_HOLDS_LIST},
        {"definitions", FER_HOLDS_MAP},
        {"prefixItems", FER_HOLDS_LIST},
        {"patternProperties", FER_HOLDS_MAP},
        {"not", FER_HOLDS_SCHEMA},
        {"if", FER_HOLDS_SCHEMA},
        {"then", FER_HOLDS_SCHEMA},
        {"else", FER_HOLDS_SCHEMA},
        {"contains", FER_HOLDS_SCHEMA},
        {"propertyNames", FER_HOLDS_SCHEMA},
        {"dependentSchemas", FER_HOLDS_MAP},
        {"unevaluatedProperties", FER_HOLDS_SCHEMA},
        {"unevaluatedItems", FER_HOLDS_SCHEMA},
        {"additionalItems", FER_HOLDS_SCHEMA},
        {"contentSchema", FER_HOLDS_SCHEMA},
    };
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (fer_str_is(keyword, rows[i].name)) return rows[i].holds;
    }
    return FER_HOLDS_NONE;
}

static void each_below(const fer_step *at, bool inside_first, fer_each_schema *each, void *context,
                       unsigned depth);

static void each_held(yyjson_mut_val *key, bool inside_first, fer_each_schema *each, void *context,
                      unsigned depth)
{
    fer_step step = {.node = key->next, .via = fer_mut_str(key)};
    enum fer_holds holds = fer_holds_of(step.via);
    if (holds == FER_HOLDS_SCHEMA && !fer_mut_is_arr(key->next)) {
        each_below(&step, inside_first, each, context, depth);
        return;
    }
    if (holds == FER_HOLDS_MAP) {
        FER_EACH_MUT_MEMBER(key->next, name)
        {
            step.node = name->next;
            step.name = fer_mut_str(name);
            each_below(&step, inside_first, each, context, depth);
        }
    }
    if (holds == FER_HOLDS_LIST || holds == FER_HOLDS_SCHEMA) {
        step.index = 0;
        FER_EACH_MUT_ITEM(key->next, item)
        {
            step.node = item;
            each_below(&step, inside_first, each, context, depth);
            step.index++;
        }
    }
}

static void each_below(const fer_step *at, bool inside_first, fer_each_schema *each, void *context,
                       unsigned depth)
{
    if (depth > FER_PLOT_DEPTH) return;
    if (!inside_first) each(context, at->node, at);
    FER_EACH_MUT_MEMBER(at->node, key) each_held(key, inside_first, each, context, depth + 1);
    if (inside_first) each(context, at->node, at);
}

void fer_schemas_each(yyjson_mut_val *root, bool inside_first, fer_each_schema *each, void *context)
{
    fer_step step = {.node = root};
    each_below(&step, inside_first, each, context, 0);
}

/* ---- spots ------------------------------------------------------------------------------ */

/* The next token of a pointer, unescaped (RFC 6901, 4). */
static bool next_token(fer_arena *a, fer_str *rest, fer_str *out)
{
    if (!rest->len || rest->ptr[0] != '/') return false;
    size_t end = fer_str_find(*rest, 1, '/');
    if (end == SIZE_MAX) end = rest->len;
    fer_str raw = fer_str_slice(*rest, 1, end);
    *rest = fer_str_slice(*rest, end, rest->len);
    *out = raw;
    if (fer_str_find(raw, 0, '~') == SIZE_MAX) return true;
    char *text = fer_arena_alloc(a, raw.len + 1);
    size_t len = 0;
    if (!text) return false;
    for (size_t i = 0; i < raw.len; i++) {
        bool escape = raw.ptr[i] == '~' && i + 1 < raw.len;
        text[len++] = escape ? (raw.ptr[i + 1] == '1' ? '/' : '~') : raw.ptr[i];
        i += escape;
    }
    *out = (fer_str){text, len};
    return true;
}

static yyjson_mut_val *item_at(yyjson_mut_val *array, fer_str token, size_t *index)
{
    uint64_t n;
    if (!fer_mut_is_arr(array) || !fer_parse_u64(token, &n)) return NULL;
    *index = (size_t)n;
    return yyjson_mut_arr_get(array, *index);
}

/* One step down; false: what follows is no subschema. */
static bool step_down(fer_arena *a, fer_spot *s, fer_str *rest)
{
    fer_step next = {0};
    fer_str token, before = *rest;
    yyjson_mut_val *value;
    if (!next_token(a, rest, &token)) return false;
    value = fer_mut_find(fer_spot_node(s), token);
    s->keyword = token;
    next.via = token;
    enum fer_holds holds = value ? fer_holds_of(token) : FER_HOLDS_NONE;
    if (holds == FER_HOLDS_NONE) return false;
    if (holds != FER_HOLDS_SCHEMA || fer_mut_is_arr(value)) {
        if (!next_token(a, rest, &token)) return false;
        if (fer_mut_is_arr(value)) value = item_at(value, token, &next.index);
        else value = fer_mut_find(value, token);
        next.name = token;
    }
    next.node = value;
    if (!value || s->count == FER_PLOT_DEPTH) {
        *rest = before;
        return false;
    }
    s->steps[s->count++] = next;
    s->keyword = FER_STR_NONE;
    return true;
}

bool fer_spot_find(fer_arena *a, yyjson_mut_val *root, fer_str pointer, fer_spot *out)
{
    fer_str rest = pointer;
    out->count = 1;
    out->steps[0] = (fer_step){.node = root};
    out->keyword = FER_STR_NONE;
    out->pointer = pointer;
    while (rest.len && step_down(a, out, &rest)) {
    }
    /* A keyword that is not there: something else has changed what stood here. */
    return !out->keyword.ptr || fer_mut_find(fer_spot_node(out), out->keyword);
}

yyjson_mut_val *fer_plot_target(fer_arena *a, yyjson_mut_val *root, fer_str ref)
{
    fer_str token, rest;
    yyjson_mut_val *at = root;
    size_t index;
    if (!ref.len || ref.ptr[0] != '#') return NULL;
    rest = fer_str_slice(ref, 1, ref.len);
    while (at && rest.len) {
        if (!next_token(a, &rest, &token)) return NULL;
        at = fer_mut_is_arr(at) ? item_at(at, token, &index) : fer_mut_find(at, token);
    }
    return at;
}
