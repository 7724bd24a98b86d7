/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas of a document, written in 2020-12. Those of 3.1 are that already, but for the example and
 * the discriminator; 3.0 has a dialect of its own: `nullable`, boolean exclusive bounds, and a
 * `$ref` that hides what stands beside it.
 *
 * References stay references: their targets are written once each, under `$defs`.
 */
#include "name_mangle.h"
#include "openapi_site.h"

typedef struct fer_oa_def {
    fer_str name;
    const yyjson_val *target;
} fer_oa_def;

static void write_schema(fer_oa_defs *d, fer_buf *b, const yyjson_val *schema,
                         const fer_oa_about *about, unsigned depth);

void fer_oa_defs_init(fer_oa_defs *d, fer_oa *oa, bool request)
{
    *d = (fer_oa_defs){.oa = oa, .request = request};
    fer_map_init(&d->by_ref, oa->a);
    fer_map_init(&d->names, oa->a);
}

void fer_oa_below(const fer_oa_site *s, const yyjson_val *schema)
{
    write_schema(s->d, s->b, schema, NULL, s->depth + 1);
}

/* ---- references ---------------------------------------------------------------------------- */

/* "#/components/schemas/Pet" is Pet; what stands elsewhere is named by where it stands. */
static fer_str name_of(fer_oa_defs *d, fer_str ref)
{
    static const char home[] = "#/components/schemas/";
    fer_oa *oa = d->oa;
    size_t skip = fer_str_starts(ref, home) ? sizeof home - 1 : 1;
    fer_str base = fer_name_mangle(oa->a, fer_str_slice(ref, skip, ref.len), 100), name = base;
    for (unsigned n = 2; name.ptr && fer_map_get(&d->names, name); n++)
        name = fer_arena_printf(oa->a, "%.*s_%u", FER_PRI(base), n);
    return name;
}

static fer_oa_def *new_def(fer_oa_defs *d, fer_str ref, const yyjson_val *target)
{
    fer_arena *a = d->oa->a;
    fer_oa_def **list = fer_arena_room(a, d->list, d->count, &d->cap, sizeof(fer_oa_def *));
    fer_oa_def *def = list ? fer_arena_alloc(a, sizeof *def) : NULL;
    fer_str name = def ? name_of(d, ref) : FER_STR_NONE;
    void **by_name = name.ptr ? fer_map_put(&d->names, name) : NULL;
    void **by_ref = by_name ? fer_map_put(&d->by_ref, ref) : NULL;
    if (list) d->list = list;
    if (!by_ref) {
        fer_oa_no_memory(d->oa);
        return NULL;
    }
    *def = (fer_oa_def){name, target};
    *by_ref = def;
    *fer_map_put(&d->names, name) = def;
    d->list[d->count++] = def;
    return def;
}

/* A reference that leads to nothing but references back to itself says nothing. */
static bool has_end(fer_oa *oa, const yyjson_val *ref, const yyjson_val *target)
{
    for (unsigned hops = 0; fer_is_obj(target); hops++) {
        const yyjson_val *next = fer_val_get(target, "$ref");
        if (!next || (!oa->v30 && fer_val_len(target) > 1)) return true;
        if (hops == FER_OA_HOPS) {
            fer_oa_refuse(oa, ref, "this reference leads to itself");
            return false;
        }
        target = fer_oa_target(oa, next);
    }
    return target != NULL;
}

static fer_oa_def *def_of(fer_oa_defs *d, const yyjson_val *ref)
{
    fer_oa *oa = d->oa;
    const yyjson_val *target = fer_oa_target(oa, ref);
    if (!target || !has_end(oa, ref, target)) return NULL;
    fer_oa_def *def = fer_map_get(&d->by_ref, fer_val_str(ref));
    if (def) return def;
    if (d->count == FER_OPENAPI_SCHEMAS) {
        fer_oa_refuse(oa, ref, "openapi.schemas: it refers to more than %d schemas",
                      FER_OPENAPI_SCHEMAS);
        return NULL;
    }
    return new_def(d, fer_val_str(ref), target);
}

void fer_oa_ref(const fer_oa_site *s, const yyjson_val *key)
{
    const fer_oa_def *def = def_of(s->d, key + 1);
    if (!def) return;
    fer_oa_key(s->b, FER_STR("$ref"));
    fer_buf_add_text(s->b, "\"#/$defs/");
    fer_buf_add(s->b, def->name); /* of an alphabet that needs no escapes */
    fer_buf_add_char(s->b, '"');
}

void fer_oa_defs_write(fer_oa_defs *d, fer_buf *b)
{
    if (!d->count) return;
    fer_oa_key(b, FER_STR("$defs"));
    fer_buf_add_char(b, '{');
    /* Writing one may add others behind it. */
    for (size_t i = 0; i < d->count && !d->oa->refused && !d->oa->failure && !b->failure; i++) {
        fer_oa_key(b, d->list[i]->name);
        write_schema(d, b, d->list[i]->target, NULL, 0);
    }
    fer_buf_add_char(b, '}');
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void write_about(const fer_oa_site *s)
{
    if (!s->about) return;
    if (s->about->description.len) fer_oa_member(s->b, "description", s->about->description);
    if (s->about->deprecated) {
        fer_oa_key(s->b, FER_STR("deprecated"));
        fer_buf_add_text(s->b, "true");
    }
}

static void write_members(const fer_oa_site *s)
{
    const yyjson_val *ref = fer_val_get(s->schema, "$ref");
    fer_buf_add_char(s->b, '{');
    write_about(s);
    if (ref && s->d->oa->v30) {
        const yyjson_val *text = fer_val_get(s->schema, "description"); /* changes no meaning */
        fer_oa_ref(s, ref - 1);
        if (text) fer_oa_description(s, text - 1);
    } else {
        FER_EACH_MEMBER (s->schema, key) fer_oa_keyword(s, key);
    }
    fer_buf_add_char(s->b, '}');
}

/* `nullable` adds null to a type; beside these it would be taken away again. */
static bool needs_wrap(const fer_oa_site *s)
{
    static const char *const others[] = {"$ref", "allOf", "anyOf", "oneOf"};
    for (size_t i = 0; fer_oa_nullable(s) && i < FER_COUNT(others); i++)
        if (fer_val_get(s->schema, others[i])) return true;
    return false;
}

static void write_object(const fer_oa_site *s)
{
    if (!needs_wrap(s)) {
        write_members(s);
        return;
    }
    fer_oa_site inner = *s;
    inner.about = NULL;
    fer_buf_add_char(s->b, '{');
    write_about(s);
    fer_oa_key(s->b, FER_STR("anyOf"));
    fer_buf_add_char(s->b, '[');
    write_members(&inner);
    fer_buf_add_text(s->b, ",{\"type\":\"null\"}]}");
}

static void write_schema(fer_oa_defs *d, fer_buf *b, const yyjson_val *schema,
                         const fer_oa_about *about, unsigned depth)
{
    fer_oa_site s = {d, b, schema, about, depth};
    if (depth > FER_OPENAPI_DEPTH) {
        fer_oa_refuse(d->oa, schema, "openapi.depth: more than %d schemas inside each other",
                      FER_OPENAPI_DEPTH);
        fer_buf_add_text(b, "{}");
    } else if (fer_is_obj(schema)) {
        write_object(&s);
    } else if (fer_is_bool(schema)) {
        fer_buf_add_text(b, fer_is_true(schema) ? "true" : "false");
    } else {
        if (schema)
            fer_oa_note(d->oa, schema, "a schema is an object, not %s", fer_val_type_name(schema));
        fer_buf_add_char(b, '{');
        write_about(&s);
        fer_buf_add_char(b, '}');
    }
}

void fer_oa_schema(fer_oa_defs *d, fer_buf *b, const yyjson_val *schema, const fer_oa_about *about)
{
    write_schema(d, b, schema, about, 0);
}
