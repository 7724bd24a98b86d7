/* SPDX-License-Identifier: Apache-2.0 */
#include "param_info.h"

#include "definition.h"
#include "errors.h"
#include "map.h"
#include "shown.h"

static const char *const type_names[] = {"string", "number", "integer", "boolean",
                                         "object", "array",  "null"};

struct param {
    fer_str name;
    unsigned types;             /* bits, in the order of the names */
    const yyjson_val *fallback; /* its default */
    bool required;
};

struct survey {
    fer_arena *arena;
    const yyjson_val *root;
    fer_map names;
    struct param **list; /* in the order of the text */
    size_t count, cap;
    bool no_memory;
};

static struct param *param_of(struct survey *s, fer_str name)
{
    void **slot = fer_map_put(&s->names, name);
    struct param **list =
        slot ? fer_arena_room(s->arena, s->list, s->count, &s->cap, sizeof *list) : NULL;
    if (list) s->list = list;
    if (list && !*slot) {
        struct param *p = fer_arena_alloc_zero(s->arena, 1, sizeof *p);
        if (p) {
            p->name = name;
            *slot = s->list[s->count++] = p;
        }
    }
    if (!list || !*slot) s->no_memory = true;
    return s->no_memory ? NULL : *slot;
}

/* What a reference within the schema leads to, or NULL. */
static const yyjson_val *target_of(const struct survey *s, const yyjson_val *schema)
{
    const yyjson_val *ref = fer_is_obj(schema) ? fer_val_get(schema, "$ref") : NULL;
    if (!ref || !fer_is_str(ref) || !fer_val_len(ref) || fer_val_str(ref).ptr[0] != '#')
        return NULL;
    return fer_json_at(s->root, fer_str_slice(fer_val_str(ref), 1, fer_val_len(ref)), NULL);
}

/* ---- types --------------------------------------------------------------------------------- */

static unsigned bit_of_name(fer_str name)
{
    for (unsigned i = 0; i < FER_COUNT(type_names); i++) {
        if (fer_str_eq_nocase(name, fer_str_of(type_names[i]))) return 1u << i;
    }
    return 0;
}

static unsigned bit_of_value(const yyjson_val *v)
{
    if (fer_is_str(v)) return 1;
    if (fer_is_bool(v)) return 8;
    if (fer_is_obj(v)) return 16;
    if (fer_is_arr(v)) return 32;
    if (fer_is_num(v))
        return fer_val_tag(v) == FER_TAG_REAL || fer_val_is(v, YYJSON_TYPE_RAW) ? 2 : 4;
    return 64;
}

static unsigned bits_of_list(const yyjson_val *list, unsigned (*bit)(const yyjson_val *))
{
    unsigned bits = 0;
    FER_EACH_ITEM (list, item) bits |= bit(item);
    return bits;
}

static unsigned bit_of_name_value(const yyjson_val *v)
{
    return fer_is_str(v) ? bit_of_name(fer_val_str(v)) : 0;
}

static unsigned types_of(const struct survey *s, const yyjson_val *schema, int depth)
{
    if (!fer_is_obj(schema) || depth == 0) return 0;
    const yyjson_val *type = fer_val_get(schema, "type"), *list = fer_val_get(schema, "enum");
    const yyjson_val *only = fer_val_get(schema, "const"), *target = target_of(s, schema);
    if (fer_is_str(type)) return bit_of_name(fer_val_str(type));
    if (fer_is_arr(type)) return bits_of_list(type, bit_of_name_value);
    if (only) return bit_of_value(only);
    if (fer_is_arr(list)) return bits_of_list(list, bit_of_value);
    if (target) return types_of(s, target, depth - 1);
    static const char *const unions[] = {"anyOf", "oneOf", "allOf"};
    unsigned bits = 0;
    for (size_t i = 0; i < FER_COUNT(unions); i++) {
        const yyjson_val *branches = fer_val_get(schema, unions[i]);
        if (!fer_is_arr(branches)) continue;
        FER_EACH_ITEM (branches, branch) bits |= types_of(s, branch, depth - 1);
    }
    return bits;
}

/* A default stands beside the reference, or behind it. */
static const yyjson_val *default_of(const struct survey *s, const yyjson_val *schema, int depth)
{
    if (!fer_is_obj(schema) || depth == 0) return NULL;
    const yyjson_val *own = fer_val_get(schema, "default");
    return own ? own : default_of(s, target_of(s, schema), depth - 1);
}

/* ---- the survey -------------------------------------------------------------------------------
 */

static void survey_node(struct survey *s, const yyjson_val *schema, int depth)
{
    if (!fer_is_obj(schema) || depth == 0) return;
    const yyjson_val *properties = fer_val_get(schema, "properties");
    const yyjson_val *required = fer_val_get(schema, "required");
    const yyjson_val *all = fer_val_get(schema, "allOf");
    if (fer_is_obj(properties)) {
        FER_EACH_MEMBER (properties, key) {
            struct param *p = param_of(s, fer_val_str(key));
            if (!p) return;
            p->types |= types_of(s, key + 1, FER_INFO_DEPTH);
            if (!p->fallback) p->fallback = default_of(s, key + 1, FER_INFO_DEPTH);
        }
    }
    if (fer_is_arr(required)) {
        FER_EACH_ITEM (required, item) {
            struct param *p = fer_is_str(item) ? param_of(s, fer_val_str(item)) : NULL;
            if (p) p->required = true;
        }
    }
    if (fer_is_arr(all)) {
        FER_EACH_ITEM (all, branch) survey_node(s, branch, depth - 1);
    }
    survey_node(s, target_of(s, schema), depth - 1);
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static bool add_required(const struct survey *s, fer_buf *b)
{
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        if (!s->list[i]->required) continue;
        if (!any) fer_shown_key(b, "required");
        fer_buf_add_char(b, any ? ',' : '[');
        fer_buf_add_quoted(b, s->list[i]->name);
        any = true;
    }
    if (any) fer_buf_add_char(b, ']');
    return any;
}

static fer_code add_defaults(const struct survey *s, const fer_json *doc, fer_buf *b, bool *any,
                             fer_err *err)
{
    bool some = false;
    for (size_t i = 0; i < s->count; i++) {
        fer_str bytes;
        if (!s->list[i]->fallback) continue;
        fer_code code = fer_value_bytes(s->arena, doc, s->list[i]->fallback, &bytes, err);
        if (code) return code;
        if (!some) fer_shown_key(b, "defaults");
        fer_buf_add_char(b, some ? ',' : '{');
        fer_buf_add_quoted(b, s->list[i]->name);
        fer_buf_add_char(b, ':');
        fer_buf_add(b, bytes);
        some = *any = true;
    }
    if (some) fer_buf_add_char(b, '}');
    return FER_OK;
}

static bool add_types(const struct survey *s, fer_buf *b)
{
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        unsigned bits = s->list[i]->types;
        if (!bits) continue;
        if (!any) fer_shown_key(b, "types");
        fer_buf_add_char(b, any ? ',' : '{');
        fer_buf_add_quoted(b, s->list[i]->name);
        fer_buf_add_text(b, ":[");
        for (unsigned t = 0, n = 0; t < FER_COUNT(type_names); t++) {
            if (bits & 1u << t) fer_buf_printf(b, "%s\"%s\"", n++ ? "," : "", type_names[t]);
        }
        fer_buf_add_char(b, ']');
        any = true;
    }
    if (any) fer_buf_add_char(b, '}');
    return any;
}

fer_code fer_param_info_add(fer_arena *a, const fer_json *doc, const yyjson_val *schema,
                            fer_buf *out, bool *any, fer_err *err)
{
    struct survey s = {.arena = a, .root = schema};
    fer_map_init(&s.names, a);
    survey_node(&s, schema, FER_INFO_DEPTH);
    if (s.no_memory) return fer_arena_failed(a, err);
    *any = false;
    fer_buf_add_char(out, '{');
    *any = add_required(&s, out);
    fer_code code = add_defaults(&s, doc, out, any, err);
    *any = add_types(&s, out) || *any;
    fer_buf_add_char(out, '}');
    return code;
}
