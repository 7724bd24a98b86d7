/* SPDX-License-Identifier: Apache-2.0 */
/* References: from the text of a `$ref` to the schema it names. Nothing is fetched. */
#include "compile.h"
#include "meta_texts.h"
#include "uri.h"

#include "errors.h"
#include "json_hash.h"

/* A meta-schema that is built in joins the library when somebody asks for it. */
static fer_resource *built_in(fer_compile *c, fer_str uri)
{
    size_t count;
    const fer_meta_text *texts = fer_meta_texts(&count);
    for (size_t i = 0; i < count; i++) {
        if (!fer_str_is(uri, texts[i].uri)) continue;
        fer_json *doc;
        fer_resource *resource;
        c->code = fer_json_read(c->arena, texts[i].text, fer_json_limits_file(), &doc, c->err);
        if (!c->code) {
            c->code = fer_library_survey(
                &c->library, doc, fer_json_root(doc), NULL, fer_str_of(texts[i].uri),
                fer_rules_of((fer_dialect)texts[i].draft), &resource, c->err);
        }
        return c->code ? NULL : resource;
    }
    return NULL;
}

static bool unresolved(fer_compile *c, const yyjson_val *reference, fer_str what)
{
    if (c->code) return false;
    fer_problem(c, FER_INVALID_SCHEMA, "reference", reference, "\"%.*s\" refers to nothing: %.*s.",
                FER_PRI(fer_val_str(reference)), FER_PRI(what));
    return false;
}

static bool by_anchor(fer_compile *c, const yyjson_val *reference, fer_str name,
                      struct fer_target *out)
{
    const fer_anchor *a = fer_library_anchor(&c->library, c->scratch, out->resource, name);
    if (!a) return unresolved(c, reference, FER_STR("the schema has no such anchor"));
    const struct fer_spot *spot = fer_library_spot(&c->library, a->value);
    out->value = a->value;
    out->resource = spot->resource;
    out->anchor = a;
    return true;
}

/* One step of a pointer, unescaped, at `*at` of a text, which moves on. */
static bool next_token(fer_arena *a, fer_str pointer, size_t *at, fer_str *out)
{
    size_t end = fer_str_find(pointer, *at + 1, '/');
    if (end == SIZE_MAX) end = pointer.len;
    char *to = fer_arena_alloc(a, end - *at);
    if (!to) return false;
    size_t len = 0;
    for (size_t i = *at + 1; i < end; i++) {
        char ch = pointer.ptr[i];
        if (ch == '~' && i + 1 < end && (pointer.ptr[i + 1] == '0' || pointer.ptr[i + 1] == '1')) {
            ch = pointer.ptr[++i] == '0' ? '~' : '/';
        }
        to[len++] = ch;
    }
    *out = (fer_str){to, len};
    *at = end;
    return true;
}

#define FEW_KEYS 32 /* that are compared one by one; more (as in `$defs`) get a table */

const yyjson_val *fer_compile_key(fer_compile *c, const yyjson_val *object, fer_str name)
{
    fer_str address = {(const char *)&object, sizeof object};
    if (fer_val_len(object) <= FEW_KEYS) return fer_val_key(object, name);
    fer_map *keys = fer_map_get(&c->tables, address);
    if (!keys) {
        keys = fer_arena_alloc(c->scratch, sizeof *keys);
        address = fer_arena_copy(c->scratch, address);
        if (!keys || !address.ptr) return fer_compile_no_memory(c);
        fer_map_init(keys, c->scratch);
        void **place = fer_json_keys(keys, object) ? fer_map_put(&c->tables, address) : NULL;
        if (!place) return fer_compile_no_memory(c);
        *place = keys;
    }
    return fer_map_get(keys, name);
}

static const yyjson_val *child(fer_compile *c, const yyjson_val *v, fer_str token)
{
    if (fer_is_obj(v)) {
        const yyjson_val *key = fer_compile_key(c, v, token);
        return key ? key + 1 : NULL;
    }
    uint64_t index;
    bool plain = token.len == 1 || (token.len > 1 && token.ptr[0] != '0');
    if (!fer_is_arr(v) || !plain || !fer_parse_u64(token, &index)) return NULL;
    FER_EACH_ITEM (v, item) {
        if (index-- == 0) return item;
    }
    return NULL;
}

/* Goes down from the resource's root; a resource inside it takes over on the way. */
static bool by_pointer(fer_compile *c, const yyjson_val *reference, fer_str pointer,
                       struct fer_target *out)
{
    const yyjson_val *at = out->resource->root;
    for (size_t i = 0; i < pointer.len;) {
        fer_str token;
        if (!next_token(c->scratch, pointer, &i, &token)) {
            fer_compile_no_memory(c);
            return false;
        }
        at = child(c, at, token);
        if (!at) {
            if (c->code) return false;
            fer_str what =
                fer_arena_printf(c->scratch, "there is no \"%.*s\" there", FER_PRI(token));
            return unresolved(c, reference, what);
        }
        const struct fer_spot *spot = fer_library_spot(&c->library, at);
        if (spot) out->resource = spot->resource;
    }
    out->value = at;
    if (fer_is_obj(at) || fer_is_bool(at)) return true;
    return unresolved(c, reference, FER_STR("what is there is not a schema"));
}

bool fer_resolve(fer_compile *c, const fer_resource *from, const yyjson_val *reference,
                 struct fer_target *out)
{
    *out = (struct fer_target){0};
    if (++c->refs > c->limits->refs) {
        c->code = fer_fail(c->err, FER_LIMIT_EXCEEDED,
                           "The schema has more than %zu references (limit schema.refs).",
                           c->limits->refs);
        return false;
    }
    fer_str uri = fer_uri_resolve(c->scratch, from->uri, fer_val_str(reference));
    if (!uri.ptr) {
        fer_compile_no_memory(c);
        return false;
    }
    size_t hash = fer_str_find(uri, 0, '#');
    fer_str base = hash == SIZE_MAX ? uri : fer_str_slice(uri, 0, hash);
    out->resource = fer_library_find(&c->library, base);
    if (!out->resource) out->resource = built_in(c, base);
    if (!out->resource) {
        if (c->code) return false;
        fer_problem(
            c, FER_EXTERNAL_REF, "external-ref", reference,
            "\"%.*s\" refers to %.*s, which is not in the schema and not registered; nothing "
            "is fetched.",
            FER_PRI(fer_val_str(reference)), FER_PRI(base));
        return false;
    }
    fer_str fragment = hash == SIZE_MAX ? FER_STR("") : fer_str_slice(uri, hash + 1, uri.len);
    fer_str decoded;
    switch (fer_uri_decode(c->scratch, fragment, &decoded)) {
    case FER_OK: break;
    case FER_OUT_OF_MEMORY: fer_compile_no_memory(c); return false;
    default:
        return unresolved(c, reference, FER_STR("a percent sign is not followed by two digits"));
    }
    if (!decoded.len) {
        out->value = out->resource->root;
        return true;
    }
    return decoded.ptr[0] == '/' ? by_pointer(c, reference, decoded, out)
                                 : by_anchor(c, reference, decoded, out);
}
