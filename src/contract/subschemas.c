/* SPDX-License-Identifier: Apache-2.0 */
#include "subschemas.h"

#include "json_value.h"

/* How a keyword holds subschemas. */
enum holds {
    NOTHING,
    ONE,
    ONE_OR_LIST,
    LIST,
    MAP
};

static const uint8_t holds[KW_COUNT] = {
    [KW_DEFS] = MAP,
    [KW_DEFINITIONS] = MAP,
    [KW_CONTENT_SCHEMA] = ONE,
    [KW_PREFIX_ITEMS] = LIST,
    [KW_ITEMS] = ONE_OR_LIST,
    [KW_ADDITIONAL_ITEMS] = ONE,
    [KW_CONTAINS] = ONE,
    [KW_PROPERTIES] = MAP,
    [KW_PATTERN_PROPERTIES] = MAP,
    [KW_ADDITIONAL_PROPERTIES] = ONE,
    [KW_PROPERTY_NAMES] = ONE,
    [KW_DEPENDENCIES] = MAP, /* its lists of names are passed by */
    [KW_DEPENDENT_SCHEMAS] = MAP,
    [KW_ALL_OF] = LIST,
    [KW_ANY_OF] = LIST,
    [KW_ONE_OF] = LIST,
    [KW_NOT] = ONE,
    [KW_IF] = ONE,
    [KW_THEN] = ONE,
    [KW_ELSE] = ONE,
    [KW_UNEVALUATED_ITEMS] = ONE,
    [KW_UNEVALUATED_PROPERTIES] = ONE,
};

enum fer_slot fer_slot_find(fer_str name)
{
    const fer_keyword *k = fer_keyword_first(name);
    /* draft-04's `id` is a plain word everywhere else. */
    return k && !(k->dialects == FER_IN_4 && k->slot == KW_ID) ? k->slot : KW_COUNT;
}

struct walk {
    fer_subschema_enter *enter;
    fer_subschema_leave *leave;
    void *context;
};

static void visit(const struct walk *w, const fer_subschema *up, enum fer_slot via,
                  const yyjson_val *name, const yyjson_val *value, const fer_path *path);

static void visit_map(const struct walk *w, const fer_subschema *s, enum fer_slot slot,
                      const yyjson_val *map, const fer_path *path)
{
    if (!fer_is_obj(map)) return;
    FER_EACH_MEMBER (map, key) {
        fer_path here = FER_PATH_KEY(path, fer_val_str(key));
        if (slot == KW_DEPENDENCIES && fer_is_arr(key + 1)) continue;
        visit(w, s, slot, key, key + 1, &here);
    }
}

static void visit_list(const struct walk *w, const fer_subschema *s, enum fer_slot slot,
                       const yyjson_val *list, const fer_path *path)
{
    size_t index = 0;
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, item) {
        fer_path here = FER_PATH_INDEX(path, index++);
        visit(w, s, slot, NULL, item, &here);
    }
}

#define HOLDERS                                                                                    \
    (FER_SLOT(KW_DEFS) | FER_SLOT(KW_DEFINITIONS) | FER_SLOT(KW_CONTENT_SCHEMA) |                  \
     FER_SLOT(KW_PREFIX_ITEMS) | FER_SLOT(KW_ITEMS) | FER_SLOT(KW_ADDITIONAL_ITEMS) |              \
     FER_SLOT(KW_CONTAINS) | FER_SLOT(KW_PROPERTIES) | FER_SLOT(KW_PATTERN_PROPERTIES) |           \
     FER_SLOT(KW_ADDITIONAL_PROPERTIES) | FER_SLOT(KW_PROPERTY_NAMES) |                            \
     FER_SLOT(KW_DEPENDENCIES) | FER_SLOT(KW_DEPENDENT_SCHEMAS) | FER_SLOT(KW_ALL_OF) |            \
     FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_NOT) | FER_SLOT(KW_IF) |              \
     FER_SLOT(KW_THEN) | FER_SLOT(KW_ELSE) | FER_SLOT(KW_UNEVALUATED_ITEMS) |                      \
     FER_SLOT(KW_UNEVALUATED_PROPERTIES))

static void visit_children(const struct walk *w, const fer_subschema *s)
{
    for (uint64_t left = s->slots & HOLDERS; left; left &= left - 1) {
        enum fer_slot slot = (enum fer_slot)__builtin_ctzll(left);
        const yyjson_val *key = s->keys[slot];
        fer_path here = FER_PATH_KEY(s->path, fer_val_str(key));
        bool list = holds[slot] == LIST || (holds[slot] == ONE_OR_LIST && fer_is_arr(key + 1));
        if (holds[slot] == MAP) visit_map(w, s, slot, key + 1, &here);
        else if (list) visit_list(w, s, slot, key + 1, &here);
        else visit(w, s, slot, NULL, key + 1, &here);
    }
}

static void gather(fer_subschema *s)
{
    FER_EACH_MEMBER (s->value, key) {
        enum fer_slot slot = fer_slot_find(fer_val_str(key));
        if (slot == KW_COUNT) {
            s->unknown++;
            continue;
        }
        s->slots |= FER_SLOT(slot);
        s->keys[slot] = key;
    }
}

static void visit(const struct walk *w, const fer_subschema *up, enum fer_slot via,
                  const yyjson_val *name, const yyjson_val *value, const fer_path *path)
{
    fer_subschema s; /* `keys` is read where `slots` says so, and not cleared */
    s.value = value;
    s.path = path;
    s.up = up;
    s.via = via;
    s.name = name;
    s.depth = up ? up->depth + 1 : 0;
    s.slots = 0;
    s.unknown = 0;
    if (s.depth >= FER_SUBSCHEMA_DEPTH) return;
    bool object = fer_is_obj(value);
    if (object) gather(&s);
    if (w->enter(w->context, &s) && object) visit_children(w, &s);
    if (w->leave) w->leave(w->context, &s);
}

void fer_subschemas_walk(const yyjson_val *schema, const fer_path *path, fer_subschema_enter *enter,
                         fer_subschema_leave *leave, void *context)
{
    const struct walk w = {enter, leave, context};
    visit(&w, NULL, KW_COUNT, NULL, schema, path);
}
