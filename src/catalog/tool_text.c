/* SPDX-License-Identifier: Apache-2.0 */
#include "tool_text.h"

#include "json_value.h"

struct texts {
    size_t count;
    fer_search_text list[FER_TOOL_TEXT_MAX]; /* what is not needed of it is given back */
};

static void add(struct texts *t, fer_search_field field, fer_str text)
{
    if (text.len && t->count < FER_TOOL_TEXT_MAX)
        t->list[t->count++] = (fer_search_text){field, text};
}

static void add_val(struct texts *t, fer_search_field field, const yyjson_val *v)
{
    if (fer_is_str(v)) add(t, field, fer_val_str(v));
}

static void add_each(struct texts *t, fer_search_field field, const yyjson_val *list)
{
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, v) add_val(t, field, v);
}

/* How a keyword's value is walked. */
enum walk {
    SCHEMA,
    LIST,
    NAMED,
    PARAMETERS,
    TEXT,
    VALUE,
    VALUES
};

static const struct keyword {
    const char *name;
    enum walk walk;
} keywords[] = {
    {"properties", PARAMETERS},
    {"description", TEXT},
    {"title", TEXT},
    {"enum", VALUES},
    {"const", VALUE},
    {"items", SCHEMA},
    {"anyOf", LIST},
    {"oneOf", LIST},
    {"allOf", LIST},
    {"prefixItems", LIST},
    {"additionalProperties", SCHEMA},
    {"patternProperties", NAMED},
    {"dependentSchemas", NAMED},
    {"$defs", NAMED},
    {"definitions", NAMED},
    {"if", SCHEMA},
    {"then", SCHEMA},
    {"else", SCHEMA},
    {"contains", SCHEMA},
    {"propertyNames", SCHEMA},
};

static const struct keyword *keyword_of(fer_str key)
{
    for (size_t i = 0; i < FER_COUNT(keywords); i++) {
        if (fer_str_is(key, keywords[i].name)) return &keywords[i];
    }
    return NULL;
}

static void walk_schema(struct texts *t, const yyjson_val *schema, unsigned depth);

static void walk_list(struct texts *t, const yyjson_val *list, unsigned depth)
{
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, v) walk_schema(t, v, depth);
}

/* Schemas by name; the names are those of parameters, or of nothing that is said to a tool. */
static void walk_named(struct texts *t, const yyjson_val *map, bool parameters, unsigned depth)
{
    if (!fer_is_obj(map)) return;
    FER_EACH_MEMBER (map, key) {
        if (parameters) add_val(t, FER_FIELD_PARAM_NAME, key);
        walk_schema(t, key + 1, depth);
    }
}

static void walk_keyword(struct texts *t, enum walk walk, const yyjson_val *v, unsigned depth)
{
    switch (walk) {
    case SCHEMA:
        if (fer_is_arr(v)) walk_list(t, v, depth); /* draft-07's list under `items` */
        else walk_schema(t, v, depth);
        break;
    case LIST: walk_list(t, v, depth); break;
    case NAMED: walk_named(t, v, false, depth); break;
    case PARAMETERS: walk_named(t, v, true, depth); break;
    case TEXT: add_val(t, FER_FIELD_PARAM_TEXT, v); break;
    case VALUE: add_val(t, FER_FIELD_PARAM_VALUE, v); break;
    case VALUES: add_each(t, FER_FIELD_PARAM_VALUE, v); break;
    }
}

static void walk_schema(struct texts *t, const yyjson_val *schema, unsigned depth)
{
    if (!fer_is_obj(schema) || depth == FER_TOOL_TEXT_DEPTH) return;
    FER_EACH_MEMBER (schema, key) {
        const struct keyword *k = keyword_of(fer_val_str(key));
        if (k && t->count < FER_TOOL_TEXT_MAX) walk_keyword(t, k->walk, key + 1, depth + 1);
    }
}

fer_code fer_tool_text(fer_arena *a, const fer_tool_head *head, const yyjson_val *schema,
                       fer_search_doc *out, fer_err *err)
{
    struct texts *t = fer_arena_alloc(a, sizeof *t);
    if (!t) return fer_arena_failed(a, err);
    t->count = 0;
    add(t, FER_FIELD_NAME, head->name);
    add(t, FER_FIELD_NAMESPACE, head->ns);
    add(t, FER_FIELD_TITLE, head->title);
    add_each(t, FER_FIELD_TAG, head->tags);
    add(t, FER_FIELD_CATEGORY, head->category);
    add(t, FER_FIELD_DESCRIPTION, head->description);
    walk_schema(t, schema, 0);
    fer_arena_trim(a, t->list + t->count);
    *out = (fer_search_doc){t->list, t->count};
    return FER_OK;
}
