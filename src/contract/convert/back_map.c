/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sidecar: {"mapVersion":1,"profile":...,"tools":[...]}, one tool per line. A tool has the
 * name that the provider sees, its own name and ID, the definition as it was, and where a
 * call has to be translated the schema with its marks (docs/map.schema.json has the form).
 */
#include <stdlib.h>

#include "errors.h"
#include "json_number.h"
#include "json_value.h"
#include "json_write.h"
#include "rewrite.h"

/* ---- writing ---------------------------------------------------------------------------- */

static fer_code write_tool(fer_arena *a, fer_buf *b, const fer_converted *t, fer_err *err)
{
    static const fer_notation plain;
    fer_buf_add_text(b, "{\"name\":");
    fer_buf_add_quoted(b, t->name);
    fer_buf_add_text(b, ",\"tool\":");
    fer_buf_add_quoted(b, fer_tool_name(t->tool));
    fer_buf_add_text(b, ",\"id\":");
    fer_buf_add_quoted(b, fer_tool_id(t->tool));
    fer_buf_printf(b, ",\"shape\":\"%s\",\"record\":", fer_tool_shape(t->tool));
    bool listed = t->tool->shape == FER_SHAPE_GEMINI;
    fer_code code = fer_write_add(a, b, listed ? t->tool->record : t->tool->entry, &plain, err);
    if (code) return code;
    if (t->back.len) {
        fer_buf_add_text(b, ",\"back\":");
        fer_buf_add(b, t->back);
    }
    fer_buf_add_char(b, '}');
    return FER_OK;
}

fer_code fer_map_write(fer_arena *a, const fer_profile *p, const fer_converted *tools, size_t count,
                       fer_str *out, fer_err *err)
{
    const char *before = "\n";
    fer_code code = FER_OK;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_printf(&b, "{\"mapVersion\":%d,\"profile\":", FER_MAP_VERSION);
    fer_buf_add_quoted(&b, p->name);
    fer_buf_add_text(&b, ",\"tools\":[");
    for (size_t i = 0; i < count && !code; i++) {
        if (!tools[i].entry.len) continue;
        fer_buf_add_text(&b, before);
        code = write_tool(a, &b, &tools[i], err);
        before = ",\n";
    }
    fer_buf_add_text(&b, "\n]}\n");
    *out = fer_buf_view(&b);
    return code ? code : fer_buf_code(&b, err);
}

/* ---- reading ---------------------------------------------------------------------------- */

struct mapped {
    fer_str name, tool, id, shape;
    const yyjson_val *record, *back;
};

struct fer_back_map {
    struct mapped *tools;
    size_t count;
    fer_map by_name;
};

static fer_code wrong(const fer_json *doc, const yyjson_val *at, const char *what, fer_err *err)
{
    fer_place place = fer_json_place(doc, at);
    fer_code code = fer_fail(err, FER_INVALID_JSON, "no map of ferrule convert: %s", what);
    if (err) {
        err->offset = place.offset;
        err->line = place.line;
        err->column = place.column;
    }
    return code;
}

static bool take_text(const yyjson_val *entry, const char *key, fer_str *out)
{
    const yyjson_val *v = fer_val_get(entry, key);
    if (!fer_is_str(v)) return false;
    *out = fer_val_str(v);
    return true;
}

static fer_code read_tool(const fer_json *doc, const yyjson_val *entry, struct mapped *out,
                          fer_err *err)
{
    if (!fer_is_obj(entry)) return wrong(doc, entry, "a tool is no object", err);
    if (!take_text(entry, "name", &out->name) || !take_text(entry, "tool", &out->tool) ||
        !take_text(entry, "id", &out->id) || !take_text(entry, "shape", &out->shape))
        return wrong(doc, entry, "a tool needs \"name\", \"tool\", \"id\" and \"shape\", all texts",
                     err);
    out->record = fer_val_get(entry, "record");
    out->back = fer_val_get(entry, "back");
    if (!fer_is_obj(out->record))
        return wrong(doc, entry, "a tool needs \"record\", an object", err);
    if (out->back && !fer_is_obj(out->back))
        return wrong(doc, out->back, "\"back\" is no object", err);
    return FER_OK;
}

static fer_code read_tools(fer_arena *a, const fer_json *doc, const yyjson_val *list,
                           fer_back_map *m, fer_err *err)
{
    fer_map_init(&m->by_name, a);
    m->tools = fer_arena_alloc_zero(a, fer_val_len(list) + 1, sizeof *m->tools);
    if (!m->tools) return fer_arena_failed(a, err);
    FER_EACH_ITEM (list, entry) {
        struct mapped *t = &m->tools[m->count];
        fer_code code = read_tool(doc, entry, t, err);
        if (code) return code;
        void **slot = fer_map_put(&m->by_name, t->name);
        if (!slot) return fer_arena_failed(a, err);
        if (!*slot) *slot = t;
        m->count++;
    }
    return FER_OK;
}

fer_code fer_back_map_read(fer_arena *a, fer_str text, const fer_back_map **out, fer_err *err)
{
    fer_json *doc;
    uint64_t version = 0;
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc), *v = fer_val_get(root, "mapVersion"),
                     *list = fer_val_get(root, "tools");
    if (!fer_is_obj(root) || !v) return wrong(doc, root, "\"mapVersion\" is missing", err);
    if (!fer_is_num(v) || !fer_number_u64(v, &version) || version != FER_MAP_VERSION)
        return wrong(doc, v, "its version is not 1", err);
    if (!fer_is_arr(list)) return wrong(doc, root, "\"tools\" is missing, or no list", err);
    fer_back_map *m = fer_arena_alloc_zero(a, 1, sizeof *m);
    if (!m) return fer_arena_failed(a, err);
    code = read_tools(a, doc, list, m, err);
    if (!code) *out = m;
    return code;
}

fer_code fer_back_map_records(fer_arena *a, const fer_back_map *map, fer_str *out, fer_err *err)
{
    static const fer_notation plain;
    fer_code code = FER_OK;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '[');
    for (size_t i = 0; i < map->count && !code; i++) {
        fer_buf_add_text(&b, i ? ",\n" : "\n");
        code = fer_write_add(a, &b, map->tools[i].record, &plain, err);
    }
    fer_buf_add_text(&b, "\n]\n");
    *out = fer_buf_view(&b);
    return code ? code : fer_buf_code(&b, err);
}

/* ---- calls ------------------------------------------------------------------------------ */

struct call {
    fer_str name, id;
    const yyjson_val *arguments; /* NULL: none */
};

/* The object inside a call that has its name: providers put it under a key of their own. */
static const yyjson_val *inner_of(const yyjson_val *call)
{
    static const char *const keys[] = {"function", "functionCall", "function_call", "toolUse",
                                       "params"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        const yyjson_val *v = fer_val_get(call, keys[i]);
        if (fer_is_obj(v)) return v;
    }
    return call;
}

static fer_code parse_call(fer_arena *a, fer_str text, struct call *out, fer_err *err)
{
    static const char *const ids[] = {"call_id", "toolUseId", "id"}, *const arguments[] = {
                                                                         "arguments", "input",
                                                                         "args"};
    fer_json *doc;
    fer_code code = fer_json_read(a, text, NULL, &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc), *inner = fer_is_obj(root) ? inner_of(root) : NULL;
    *out = (struct call){0};
    if (!inner || !take_text(inner, "name", &out->name))
        return fer_fail(err, FER_BAD_USAGE, "the call has no \"name\"");
    for (size_t i = 0; i < FER_COUNT(ids) && !out->id.len; i++) {
        if (!take_text(inner, ids[i], &out->id)) take_text(root, ids[i], &out->id);
    }
    for (size_t i = 0; i < FER_COUNT(arguments) && !out->arguments; i++)
        out->arguments = fer_val_get(inner, arguments[i]);
    if (!fer_is_str(out->arguments)) return FER_OK;
    /* OpenAI sends them as JSON text; no text is no arguments. */
    fer_str json = fer_val_str(out->arguments);
    out->arguments = NULL;
    if (!json.len) return FER_OK;
    code = fer_json_read(a, json, NULL, &doc, err);
    if (!code) out->arguments = fer_json_root(doc);
    return code;
}

static fer_code translate(fer_arena *a, const struct mapped *t, fer_str value, fer_str *out,
                          fer_err *err)
{
    fer_passage p;
    fer_str marked;
    if (!t->back) {
        *out = value;
        return FER_OK;
    }
    fer_code code = fer_json_write(a, t->back, false, &marked, err);
    if (!code) code = fer_passage_open(a, marked, &p, err);
    if (code) return code;
    code = fer_passage_back(a, &p, value, out, err);
    fer_passage_close(&p);
    return code;
}

fer_code fer_back_map_call(fer_arena *a, const fer_back_map *map, fer_str text, fer_back_call *out,
                           fer_err *err)
{
    struct call call;
    fer_str value = FER_STR("{}");
    fer_buf b;
    fer_code code = parse_call(a, text, &call, err);
    if (code) return code;
    const struct mapped *t = fer_map_get(&map->by_name, call.name);
    if (!t)
        return fer_fail(err, FER_TOOL_NOT_FOUND, "the map has no tool \"%.*s\"",
                        FER_PRI(fer_str_head(call.name, 200)));
    if (call.arguments) code = fer_json_write(a, call.arguments, false, &value, err);
    if (!code) code = translate(a, t, value, &value, err);
    if (code) return code;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    if (call.id.len) {
        fer_buf_add_text(&b, "\"id\":");
        fer_buf_add_quoted(&b, call.id);
        fer_buf_add_char(&b, ',');
    }
    fer_buf_add_text(&b, "\"name\":");
    fer_buf_add_quoted(&b, t->tool);
    fer_buf_add_text(&b, ",\"arguments\":");
    fer_buf_add(&b, value);
    fer_buf_add_char(&b, '}');
    if (b.failure) return fer_buf_code(&b, err);
    *out = (fer_back_call){t->tool, t->id, fer_buf_view(&b), value};
    return FER_OK;
}
