/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include "buf.h"
#include "errors.h"
#include "json_value.h"
#include "uri.h"

#define URI_MAX        ((size_t)8 << 10) /* bytes of one absolute URI */
#define URI_MEAN       ((size_t)128)     /* of all of them, for each subschema there may be */
#define META_DEPTH_MAX 8                 /* meta-schemas of meta-schemas */

static size_t all_uris(size_t subschemas)
{
    return subschemas < SIZE_MAX / URI_MEAN ? subschemas * URI_MEAN : SIZE_MAX;
}

void fer_library_init(fer_library *l, fer_arena *a, const fer_library *below, size_t max)
{
    *l = (fer_library){.arena = a, .below = below, .spot_max = max, .uri_left = all_uris(max)};
    fer_map_init(&l->uris, a);
    fer_map_init(&l->anchors, a);
}

/* ---- spots ------------------------------------------------------------------------------ */

static size_t spot_hash(const yyjson_val *value, size_t cap)
{
    uint64_t x = (uint64_t)(uintptr_t)value >> 4;
    return (size_t)((x * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (cap - 1);
}

static struct fer_spot *spot_in(const fer_library *l, const yyjson_val *value)
{
    if (!l->spot_cap) return NULL;
    size_t i = spot_hash(value, l->spot_cap);
    while (l->spots[i].value && l->spots[i].value != value) i = (i + 1) & (l->spot_cap - 1);
    return &l->spots[i];
}

struct fer_spot *fer_library_spot(const fer_library *l, const yyjson_val *value)
{
    for (; l; l = l->below) {
        struct fer_spot *s = spot_in(l, value);
        if (s && s->value) return s;
    }
    return NULL;
}

static bool spots_grow(fer_library *l)
{
    struct fer_spot *old = l->spots;
    size_t old_cap = l->spot_cap, cap = old_cap ? old_cap * 2 : 32;
    struct fer_spot *spots = fer_arena_alloc_zero(l->arena, cap, sizeof *spots);
    if (!spots) return false;
    l->spots = spots;
    l->spot_cap = cap;
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i].value) *spot_in(l, old[i].value) = old[i];
    }
    return true;
}

fer_code fer_library_put(fer_library *l, const yyjson_val *value, fer_resource *resource,
                         struct fer_spot **out, fer_err *err)
{
    if (l->spot_count * 2 >= l->spot_cap && !spots_grow(l)) return fer_arena_failed(l->arena, err);
    *out = spot_in(l, value);
    if ((*out)->value) return FER_OK;
    if (l->spot_count == l->spot_max) {
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "The schema has more than %zu subschemas (limit schema.subschemas).",
                        l->spot_max);
    }
    **out = (struct fer_spot){.value = value, .resource = resource};
    l->spot_count++;
    return FER_OK;
}

/* ---- names -------------------------------------------------------------------------------- */

fer_resource *fer_library_find(const fer_library *l, fer_str uri)
{
    for (; l; l = l->below) {
        fer_resource *r = fer_map_get(&l->uris, uri);
        if (r) return r;
    }
    return NULL;
}

static fer_str anchor_key(fer_arena *a, fer_str uri, fer_str name)
{
    fer_buf b;
    fer_buf_init(&b, a, URI_MAX + name.len);
    fer_buf_add(&b, uri);
    fer_buf_add_char(&b, '#');
    fer_buf_add(&b, name);
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

const fer_anchor *fer_library_anchor(const fer_library *l, fer_arena *scratch,
                                     const fer_resource *resource, fer_str name)
{
    fer_str key = anchor_key(scratch, resource->uri, name);
    for (; key.ptr && l; l = l->below) {
        const fer_anchor *anchor = fer_map_get(&l->anchors, key);
        if (anchor) return anchor;
    }
    return NULL;
}

/* Long URIs, or many that are built on a long one, are work and memory, too. */
static fer_code pay_for_uri(fer_library *l, size_t base, size_t len, fer_err *err)
{
    if (len > URI_MAX) {
        return fer_fail(err, FER_LIMIT_EXCEEDED, "The schema has a URI of more than %zu bytes.",
                        URI_MAX);
    }
    if (base + len > l->uri_left) {
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "The schema has URIs and anchors of more than %zu bytes together (limit "
                        "schema.subschemas).",
                        all_uris(l->spot_max));
    }
    l->uri_left -= base + len;
    return FER_OK;
}

static fer_code add_anchor(fer_library *l, fer_resource *r, fer_str name, const yyjson_val *value,
                           bool dynamic, fer_err *err)
{
    fer_code code = pay_for_uri(l, r->uri.len, name.len, err);
    if (code) return code;
    fer_anchor *anchor = fer_arena_alloc(l->arena, sizeof *anchor);
    fer_str key = anchor_key(l->arena, r->uri, name);
    if (!anchor || !key.ptr) return fer_arena_failed(l->arena, err);
    bool v1 = r->rules->dialect == FER_DIALECT_V1;
    *anchor = (fer_anchor){name, value, NULL, !dynamic || !v1};
    if (anchor->reachable) {
        void **place = fer_map_put(&l->anchors, key);
        if (!place) return fer_arena_failed(l->arena, err);
        if (!*place) *place = anchor; /* the first of two with one name counts */
    }
    if (dynamic) {
        anchor->next = r->dynamic;
        r->dynamic = anchor;
    }
    return FER_OK;
}

static fer_code add_uri(fer_library *l, fer_str uri, fer_resource *r, fer_err *err)
{
    void **place = fer_map_put(&l->uris, uri);
    if (!place) return fer_arena_failed(l->arena, err);
    if (!*place) *place = r;
    return FER_OK;
}

/* ---- rules of meta-schemas ------------------------------------------------------------------- */

static fer_str without_fragment(fer_str uri)
{
    size_t hash = fer_str_find(uri, 0, '#');
    return hash == SIZE_MAX ? uri : fer_str_slice(uri, 0, hash);
}

static fer_code custom_rules(fer_arena *a, const struct fer_rules *base, const yyjson_val *list,
                             const struct fer_rules **out, fer_err *err)
{
    struct fer_rules *rules = fer_arena_alloc(a, sizeof *rules);
    if (!rules) return fer_arena_failed(a, err);
    *rules = *base;
    rules->vocabularies = FER_VOCABULARY_CORE;
    FER_EACH_MEMBER (list, key) {
        unsigned vocabulary = fer_vocabulary_find(base, fer_val_str(key));
        rules->vocabularies |= vocabulary;
        if (vocabulary == FER_VOCABULARY_FORMAT_ASSERTION) rules->asserts_formats = true;
        if (!vocabulary && fer_is_true(key + 1)) {
            return fer_fail(err, FER_UNSUPPORTED_DIALECT,
                            "The meta-schema demands the vocabulary %.*s, which is not known.",
                            FER_PRI(fer_val_str(key)));
        }
    }
    *out = rules;
    return FER_OK;
}

fer_code fer_library_rules(const fer_library *l, fer_arena *a, fer_str uri,
                           const struct fer_rules **out, fer_err *err)
{
    const yyjson_val *vocabulary = NULL;
    for (size_t depth = 0; depth < META_DEPTH_MAX; depth++) {
        fer_dialect dialect;
        if (fer_dialect_find(uri, &dialect) && fer_str_find(uri, 0, ':') != SIZE_MAX) {
            *out = fer_rules_of(dialect);
            return fer_is_obj(vocabulary) ? custom_rules(a, *out, vocabulary, out, err) : FER_OK;
        }
        const fer_resource *meta = fer_library_find(l, without_fragment(uri));
        if (!meta || !fer_is_obj(meta->root)) break;
        if (!depth) vocabulary = fer_val_get(meta->root, "$vocabulary");
        const yyjson_val *next = fer_val_get(meta->root, "$schema");
        if (!fer_is_str(next)) {
            *out = meta->rules;
            return fer_is_obj(vocabulary) ? custom_rules(a, *out, vocabulary, out, err) : FER_OK;
        }
        uri = fer_val_str(next);
    }
    return fer_fail(err, FER_UNSUPPORTED_DIALECT,
                    "The dialect \"%.*s\" is not known: `$schema` must be 2020-12, 2019-09, "
                    "draft-07, draft-06, draft-04, v1, or a meta-schema that is registered.",
                    FER_PRI(uri));
}

/* ---- the survey ---------------------------------------------------------------------------------
 */

struct todo {
    const yyjson_val *value;
    fer_resource *resource;
};

struct survey {
    fer_library *library;
    const fer_json *doc;
    struct todo *todo; /* a stack: depth costs memory, not the machine's stack */
    size_t count;
    size_t cap;
    fer_resource *resource; /* of what is being visited */
    fer_err *err;
    fer_code code;
};

static bool push(void *context, const yyjson_val *value)
{
    struct survey *s = context;
    struct todo *todo = fer_arena_room(s->library->arena, s->todo, s->count, &s->cap, sizeof *todo);
    if (!todo) {
        s->code = fer_arena_failed(s->library->arena, s->err);
        return false;
    }
    s->todo = todo;
    s->todo[s->count++] = (struct todo){value, s->resource};
    return true;
}

static const yyjson_val *string_member(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_val_get(object, name);
    return fer_is_str(v) ? v : NULL;
}

static fer_resource *new_resource(struct survey *s, const yyjson_val *root, fer_str uri,
                                  const struct fer_rules *rules)
{
    fer_resource *r = fer_arena_alloc_zero(s->library->arena, 1, sizeof *r);
    if (!r) {
        s->code = fer_arena_failed(s->library->arena, s->err);
        return NULL;
    }
    *r = (fer_resource){.uri = uri, .doc = s->doc, .root = root, .rules = rules};
    return r;
}

/* The `$id` of a schema under the rules; NULL: it has none that counts. */
static const yyjson_val *id_of(const struct fer_rules *rules, const yyjson_val *schema)
{
    const yyjson_val *id = string_member(schema, rules->bit == FER_IN_4 ? "id" : "$id");
    bool ref_hides = rules->bit & (FER_IN_4 | FER_IN_6 | FER_IN_7);
    if (id && ref_hides && fer_val_key(schema, FER_STR("$ref"))) return NULL;
    return id;
}

/* `$schema` counts at the root of a resource. */
static const struct fer_rules *rules_at(struct survey *s, const yyjson_val *schema,
                                        const struct fer_rules *rules, bool root)
{
    const yyjson_val *named = string_member(schema, "$schema");
    if (!named || (!root && !string_member(schema, "$id") && !string_member(schema, "id"))) {
        return rules;
    }
    s->code = fer_library_rules(s->library, s->library->arena, fer_val_str(named), &rules, s->err);
    return s->code ? NULL : rules;
}

/* Before 2019-09, an `$id` that is only a fragment is an anchor. */
static bool enter_id(struct survey *s, const yyjson_val *schema, const struct fer_rules *rules,
                     fer_str id)
{
    fer_library *l = s->library;
    fer_str base = s->resource ? s->resource->uri : FER_STR("");
    size_t hash = fer_str_find(id, 0, '#');
    fer_str fragment = hash == SIZE_MAX ? FER_STR_NONE : fer_str_slice(id, hash + 1, id.len);
    if (hash != 0) {
        fer_str uri = fer_uri_resolve(l->arena, base, without_fragment(id));
        if (!uri.ptr) {
            s->code = fer_arena_failed(l->arena, s->err);
            return false;
        }
        s->code = pay_for_uri(l, base.len, uri.len, s->err);
        if (s->code) return false;
        fer_resource *r = s->resource;
        if (r && r->root == schema) {
            r->uri = uri; /* the root's own `$id` */
        } else {
            r = new_resource(s, schema, uri, rules);
            if (!r) return false;
        }
        s->resource = r;
        s->code = add_uri(l, uri, r, s->err);
    }
    if (!s->code && fragment.len && (rules->bit & (FER_IN_4 | FER_IN_6 | FER_IN_7))) {
        s->code = add_anchor(l, s->resource, fragment, schema, false, s->err);
    }
    return !s->code;
}

static bool note_anchors(struct survey *s, const yyjson_val *schema)
{
    fer_resource *r = s->resource;
    if (r->rules->bit & (FER_IN_4 | FER_IN_6 | FER_IN_7)) return true;
    const yyjson_val *anchor = string_member(schema, "$anchor");
    if (anchor) s->code = add_anchor(s->library, r, fer_val_str(anchor), schema, false, s->err);
    if (r->rules->bit == FER_IN_2019) {
        if (r->root == schema) r->recursive = fer_is_true(fer_val_get(schema, "$recursiveAnchor"));
        return !s->code;
    }
    const yyjson_val *dynamic = string_member(schema, "$dynamicAnchor");
    if (dynamic && !s->code) {
        s->code = add_anchor(s->library, r, fer_val_str(dynamic), schema, true, s->err);
    }
    return !s->code;
}

/* Whether some member can name the schema or its dialect, which few have. */
static bool has_names(const yyjson_val *schema)
{
    FER_EACH_MEMBER (schema, key) {
        fer_str name = fer_val_str(key);
        if (name.len > 1 && (name.ptr[0] == '$' || (name.ptr[0] == 'i' && name.len == 2)))
            return true;
    }
    return false;
}

static bool visit(struct survey *s, const yyjson_val *schema, bool root)
{
    if (fer_is_obj(schema) && has_names(schema)) {
        const struct fer_rules *rules = rules_at(s, schema, s->resource->rules, root);
        if (!rules) return false;
        if (root) s->resource->rules = rules;
        const yyjson_val *id = id_of(rules, schema);
        if (id && !enter_id(s, schema, rules, fer_val_str(id))) return false;
        if (!note_anchors(s, schema)) return false;
    }
    struct fer_spot *spot;
    s->code = fer_library_put(s->library, schema, s->resource, &spot, s->err);
    if (s->code) return false;
    if (!fer_is_obj(schema)) return true;
    FER_EACH_MEMBER (schema, key) {
        const fer_keyword *k = fer_keyword_find(s->resource->rules, fer_val_str(key));
        if (k && !fer_subschemas(k, key + 1, push, s)) return false;
    }
    return true;
}

fer_code fer_library_survey(fer_library *l, const fer_json *doc, const yyjson_val *value,
                            fer_resource *inside, fer_str uri, const struct fer_rules *rules,
                            fer_resource **out, fer_err *err)
{
    struct survey s = {.library = l, .doc = doc, .resource = inside, .err = err};
    if (!inside) {
        s.resource = new_resource(&s, value, uri, rules);
        if (!s.resource || add_uri(l, uri, s.resource, err)) {
            return s.code ? s.code : fer_arena_failed(l->arena, err);
        }
    }
    fer_resource *first = s.resource;
    bool root = !inside;
    if (!push(&s, value)) return s.code;
    while (s.count) {
        struct todo next = s.todo[--s.count];
        s.resource = next.resource;
        if (!visit(&s, next.value, root)) return s.code;
        root = false;
    }
    *out = first;
    return FER_OK;
}

/* ---- where subschemas are
 * --------------------------------------------------------------------------- */

static bool is_schema(const yyjson_val *v)
{
    return fer_is_obj(v) || fer_is_bool(v);
}

static bool each_value(const yyjson_val *map, fer_subschema_visit *visit_one, void *context)
{
    FER_EACH_MEMBER (map, key) {
        if (is_schema(key + 1) && !visit_one(context, key + 1)) return false;
    }
    return true;
}

bool fer_subschemas(const fer_keyword *k, const yyjson_val *value, fer_subschema_visit *visit_one,
                    void *context)
{
    if (k->form < FER_FORM_SCHEMA) return true;
    bool maps = k->form >= FER_FORM_SCHEMA_MAP;
    if (!maps && is_schema(value)) return visit_one(context, value);
    if (fer_is_arr(value)) {
        FER_EACH_ITEM (value, item) {
            if (is_schema(item) && !visit_one(context, item)) return false;
        }
        return true;
    }
    if (!maps || !fer_is_obj(value)) return true;
    if (k->form != FER_FORM_SCHEMA_MAP_MAP) return each_value(value, visit_one, context);
    FER_EACH_MEMBER (value, key) {
        if (fer_is_obj(key + 1) && !each_value(key + 1, visit_one, context)) return false;
    }
    return true;
}
