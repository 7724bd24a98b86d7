/* SPDX-License-Identifier: Apache-2.0 */
#include "exports.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "errors.h"
#include "fields.h"
#include "json_value.h"
#include "mcp_mirror.h"
#include "meta_tools.h"
#include "view.h"

#define META "_meta"

/* ---- which ----------------------------------------------------------------------------------- */

bool fer_exports_takes(const fer_exports_wish *o, fer_arena *scratch, fer_str id)
{
    fer_str subject = fer_arena_copy(scratch, id);
    for (size_t i = 0; subject.ptr && i < o->expose_count; i++) {
        fer_str pattern = fer_arena_copy(scratch, o->expose[i]);
        if (pattern.ptr && fnmatch(pattern.ptr, subject.ptr, 0) == 0) return true;
    }
    return !o->expose_count;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* How many tools share a plain name; a meta tool's is nobody's own. */
static fer_code count_names(fer_map *seen, const fer_export *list, size_t count, fer_arena *a,
                            fer_err *err)
{
    for (size_t i = 0; i < count; i++) {
        void **slot = fer_map_put(seen, list[i].name);
        if (!slot) return fer_arena_failed(a, err);
        *slot = (void *)((uintptr_t)*slot + 1); /* a count, not a place */
    }
    return FER_OK;
}

static bool is_taken(const fer_map *seen, const fer_exports_wish *o, fer_str name)
{
    bool meta = o->meta && fer_meta_has(name);
    return meta || (uintptr_t)fer_map_get(seen, name) > 1;
}

static fer_str ns_of(fer_str id)
{
    size_t colon = fer_str_find(id, 0, ':');
    return colon == SIZE_MAX ? FER_STR("") : fer_str_slice(id, 0, colon);
}

static fer_code give_names(fer_exports *e, const fer_exports_wish *o, fer_err *err)
{
    fer_map seen;
    size_t kept = 0;
    fer_map_init(&seen, e->arena);
    fer_map_init(&e->names, e->arena);
    fer_code code = count_names(&seen, e->list, e->count, e->arena, err);
    for (size_t i = 0; !code && i < e->count; i++) {
        fer_export x = e->list[i];
        if (is_taken(&seen, o, x.name)) {
            fer_str ns = ns_of(x.id);
            x.name = fer_arena_printf(e->arena, "%.*s__%.*s", FER_PRI(ns), FER_PRI(x.name));
            if (!x.name.ptr) return fer_arena_failed(e->arena, err);
            if (!ns.len || x.name.len > FER_NAME_MAX || fer_map_get(&seen, x.name)) continue;
        }
        void **slot = fer_map_put(&e->names, x.name);
        if (!slot) return fer_arena_failed(e->arena, err);
        if (*slot) continue;
        e->list[kept] = x;
        *slot = &e->list[kept++];
    }
    e->left_out = e->count - kept;
    e->count = kept;
    return code;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static fer_code add_tool(fer_exports *e, const fer_exports_wish *o, fer_arena *scratch,
                         const fer_summary *s, size_t *cap, fer_err *err)
{
    fer_str id = s->ns.len
                     ? fer_arena_printf(scratch, "%.*s:%.*s", FER_PRI(s->ns), FER_PRI(s->name))
                     : s->name;
    if (!id.ptr) return fer_arena_failed(scratch, err);
    /* Versions of one tool follow each other. */
    if (e->count && fer_str_eq(e->list[e->count - 1].id, id)) return FER_OK;
    if (!fer_exports_takes(o, scratch, id)) return FER_OK;
    if (e->count == FER_SERVE_EXPOSED_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "serve.exposed: at most %d tools under their names", FER_SERVE_EXPOSED_MAX);
    fer_export *list = fer_arena_room(e->arena, e->list, e->count, cap, sizeof *list);
    fer_str own = fer_arena_copy(e->arena, id), name = fer_arena_copy(e->arena, s->name);
    if (!list || !own.ptr || !name.ptr) return fer_arena_failed(e->arena, err);
    e->list = list;
    e->list[e->count++] = (fer_export){.name = name, .id = own};
    return FER_OK;
}

static fer_code gather(fer_exports *e, const fer_exports_wish *o, fer_arena *scratch, fer_err *err)
{
    fer_page page = {.size = FER_PAGE_MAX};
    size_t cap = 0, count;
    fer_summary *list;
    fer_str next;
    do {
        fer_code code =
            fer_view_list(scratch, e->view, o->filter, &page, &list, &count, &next, err);
        for (size_t i = 0; !code && i < count; i++)
            code = add_tool(e, o, scratch, &list[i], &cap, err);
        if (code) return code;
        page.token = next;
    } while (next.len);
    return FER_OK;
}

static int by_name(const void *x, const void *y)
{
    return fer_str_cmp(((const fer_export *)x)->name, ((const fer_export *)y)->name);
}

static fer_code find_key(fer_exports *e, const fer_exports_wish *o, fer_export *x, fer_err *err)
{
    fer_entry *found = NULL;
    x->key = x->id;
    if (!o->sight || fer_sight_find(o->sight, e->view, x->id, FER_STR(""), &found, NULL))
        return FER_OK; /* one that is a pre-release alone, for one: it is said when it is wanted */
    x->key = fer_arena_copy(e->arena, found->value.key);
    return x->key.ptr ? FER_OK : fer_arena_failed(e->arena, err);
}

/* Of the names and the definitions behind them: what a client would see. */
static fer_code make_digest(fer_exports *e, const fer_exports_wish *o, fer_arena *scratch,
                            fer_err *err)
{
    static const uint64_t seed[2] = {1, 2}; /* compared with itself only */
    uint64_t sum = 0;
    fer_str text;
    for (size_t i = 0; i < e->count; i++) {
        fer_code code = find_key(e, o, &e->list[i], err);
        if (code) return code;
        code = fer_view_definition(scratch, e->view, e->list[i].key, &text, err);
        if (code) text = FER_STR("");
        e->list[i].mirrors = fer_mcp_mirror_may(text);
        sum = sum * UINT64_C(0x9E3779B97F4A7C15) + fer_hash(seed, e->list[i].name);
        sum = sum * UINT64_C(0x9E3779B97F4A7C15) + fer_hash(seed, text);
    }
    e->digest = sum;
    return FER_OK;
}

static fer_code make(fer_exports *e, const fer_exports_wish *o, fer_err *err)
{
    fer_arena *scratch = fer_arena_new(0);
    fer_code code = scratch ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = gather(e, o, scratch, err);
    if (!code) code = give_names(e, o, err);
    if (!code && e->count) {
        qsort(e->list, e->count, sizeof *e->list, by_name);
        for (size_t i = 0; i < e->count; i++)
            *fer_map_put(&e->names, e->list[i].name) = &e->list[i];
    }
    if (!code) code = make_digest(e, o, scratch, err);
    fer_arena_free(scratch);
    return code;
}

/* Versions of two catalogues say nothing of each other. */
bool fer_exports_are_current(const fer_exports *e, fer_catalog *catalog, uint64_t stamp)
{
    if (!e->arena || e->catalog != catalog || e->stamp != stamp) return false;
    fer_view *v = fer_catalog_view(catalog);
    bool same = fer_view_version(e->view) == fer_view_version(v);
    fer_view_unref(v);
    return same;
}

fer_code fer_exports_refresh(fer_exports *e, const fer_exports_wish *o, bool *news, fer_err *err)
{
    fer_exports made = {.arena = fer_arena_new(0),
                        .catalog = o->catalog,
                        .view = fer_catalog_view(o->catalog),
                        .stamp = o->stamp};
    fer_code code = made.arena ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = make(&made, o, err);
    if (code) {
        fer_exports_deinit(&made);
        return code;
    }
    if (news) *news = made.digest != e->digest || made.count != e->count;
    fer_exports_deinit(e);
    *e = made;
    e->names.arena = e->arena;
    return FER_OK;
}

void fer_exports_deinit(fer_exports *e)
{
    if (e->view) fer_view_unref(e->view);
    fer_arena_free(e->arena);
    *e = (fer_exports){0};
}

const fer_export *fer_exports_find(const fer_exports *e, fer_str name)
{
    return e->arena ? fer_map_get(&e->names, name) : NULL;
}

/* ---- definitions ------------------------------------------------------------------------------
 */

static void add_member(fer_buf *b, size_t start, const fer_json *doc, const yyjson_val *key)
{
    if (b->len > start) fer_buf_add_char(b, ',');
    fer_buf_add(b, fer_rpc_bytes(doc, key));
    fer_buf_add_char(b, ':');
    fer_buf_add(b, fer_rpc_bytes(doc, key + 1));
}

static bool is_of_objects(const yyjson_val *schema)
{
    const yyjson_val *type = fer_val_get(schema, "type");
    return fer_is_str(type) && fer_str_is(fer_val_str(type), "object");
}

/* Before 2025-06-18 there is no outputSchema; before 2026-07-28 it is of objects. */
static bool is_shown(const yyjson_val *key, const fer_mcp_version *v, bool theirs)
{
    const fer_field *field = fer_field_find(fer_val_str(key));
    bool ours = field == &fer_fields[FER_FIELD_NAMESPACE] || (field && !theirs);
    if (ours && !(field->flags & FER_F_MCP)) return false;
    if (field != &fer_fields[FER_FIELD_OUTPUT_SCHEMA] || v->modern) return true;
    return strcmp(v->name, "2025-06-18") >= 0 && is_of_objects(key + 1);
}

/* The definition is a server's, with all that it says; ours have fields that MCP does not know. */
static bool is_of_server(fer_arena *a, const fer_view *v, fer_str id)
{
    fer_backend *list;
    size_t count = 0;
    if (fer_view_backends(a, v, id, NULL, NULL, &list, &count, NULL, NULL)) return false;
    for (size_t i = 0; i < count; i++)
        if (list[i].kind != FER_BACKEND_MCP) return false;
    return count > 0;
}

/* A field of ours that MCP does not know. */
static bool is_own(fer_str name)
{
    const fer_field *field = fer_field_find(name);
    return field && !(field->flags & FER_F_MCP);
}

/* Our own fields, as they stand in the record; those that its _meta.ferrule has already, too. */
static void add_own(fer_buf *b, const fer_json *doc, const yyjson_val *record,
                    const yyjson_val *said)
{
    size_t start = b->len;
    FER_EACH_MEMBER (record, key)
        if (is_own(fer_val_str(key))) add_member(b, start, doc, key);
    if (!fer_is_obj(said)) return;
    FER_EACH_MEMBER (said, key)
        if (!fer_val_key(record, fer_val_str(key))) add_member(b, start, doc, key);
}

static bool has_own(const yyjson_val *record, const yyjson_val *said)
{
    FER_EACH_MEMBER (record, key)
        if (is_own(fer_val_str(key))) return true;
    return fer_is_obj(said) && fer_val_len(said);
}

/* On MCP's wire they stand under _meta.ferrule, beside what else is in _meta. */
static void add_meta(fer_buf *b, const fer_json *doc, const yyjson_val *record)
{
    const yyjson_val *meta = fer_val_get(record, META);
    const yyjson_val *said = fer_is_obj(meta) ? fer_val_get(meta, "ferrule") : NULL;
    bool own = has_own(record, said);
    if (!own && !fer_is_obj(meta)) return;
    fer_buf_add_text(b, ",\"" META "\":{");
    size_t start = b->len;
    if (fer_is_obj(meta)) {
        FER_EACH_MEMBER (meta, key)
            if (key + 1 != said) add_member(b, start, doc, key);
    }
    if (own) {
        fer_buf_add_text(b, b->len > start ? ",\"ferrule\":{" : "\"ferrule\":{");
        add_own(b, doc, record, said);
        fer_buf_add_char(b, '}');
    }
    fer_buf_add_char(b, '}');
}

/* What the record says of its effect, where no annotations do. */
static void add_effect(fer_buf *b, const yyjson_val *record)
{
    const yyjson_val *effect = fer_val_get(record, "effect");
    if (!fer_is_str(effect) || fer_val_get(record, "annotations")) return;
    if (fer_str_is(fer_val_str(effect), "Pure"))
        fer_buf_add_text(b, ",\"annotations\":{\"readOnlyHint\":true}");
    else if (fer_str_is(fer_val_str(effect), "IdempotentWrite"))
        fer_buf_add_text(b, ",\"annotations\":{\"readOnlyHint\":false,\"idempotentHint\":true}");
}

fer_code fer_export_write(fer_arena *a, const fer_exports *e, const fer_export *x,
                          const fer_mcp_version *v, fer_buf *b, fer_err *err)
{
    fer_str text;
    fer_json *doc;
    fer_code code = fer_view_definition(a, e->view, x->key, &text, err);
    if (!code) code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *record = fer_json_root(doc);
    bool theirs = is_of_server(a, e->view, x->key);
    fer_buf_add_char(b, '{');
    size_t start = b->len;
    FER_EACH_MEMBER (record, key) {
        bool name = fer_str_is(fer_val_str(key), fer_fields[FER_FIELD_NAME].key);
        if (name) {
            fer_buf_add_text(b, b->len > start ? ",\"name\":" : "\"name\":");
            fer_buf_add_quoted(b, x->name);
        } else if (is_shown(key, v, theirs) && (theirs || !fer_str_is(fer_val_str(key), META))) {
            add_member(b, start, doc, key);
        }
    }
    if (!theirs) {
        add_effect(b, record);
        add_meta(b, doc, record);
    }
    fer_buf_add_char(b, '}');
    return fer_buf_code(b, err);
}
