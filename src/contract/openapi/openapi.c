/* SPDX-License-Identifier: Apache-2.0 */
/* The document: its version, its paths, and what is told about it. */
#include "openapi.h"

#include <ferrule/contract.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "errors.h"
#include "json_write.h"
#include "openapi_parts.h"
#include "uri.h"

const struct fer_openapi_limit_row fer_openapi_limit_rows[] = {
    {"openapi.size", FER_OPENAPI_SIZE, "bytes of a document"},
    {"openapi.operations", FER_OPENAPI_OPERATIONS, "operations of a document"},
    {"openapi.parameters", FER_OPENAPI_PARAMETERS,
     "parameters of one operation, members of its body included"},
    {"openapi.schemas", FER_OPENAPI_SCHEMAS, "schemas that one operation refers to"},
    {"openapi.depth", FER_OPENAPI_DEPTH, "schemas inside each other"},
    {"openapi.text", FER_OPENAPI_TEXT, "bytes of a description; the rest is cut"},
    {"openapi.problems", FER_OPENAPI_PROBLEMS, "problems that are told; others are counted"},
};
const size_t fer_openapi_limit_row_count = FER_COUNT(fer_openapi_limit_rows);

/* ---- problems ------------------------------------------------------------------------------ */

void fer_oa_no_memory(fer_oa *oa)
{
    if (!oa->failure) oa->failure = fer_arena_code(oa->a);
}

/* A schema is written once for each operation that uses it: what is wrong is told for the first. */
static bool is_told(fer_oa *oa, const yyjson_val *at, fer_str message)
{
    fer_str key = fer_arena_printf(oa->a, "%zu %.*s", (size_t)(at - oa->root), FER_PRI(message));
    void **slot = key.ptr ? fer_map_put(&oa->told, key) : NULL;
    if (!slot) {
        fer_oa_no_memory(oa);
        return true;
    }
    if (*slot) return true;
    *slot = oa;
    return false;
}

FER_PRINTF(4, 0)
static void tell(fer_oa *oa, bool left_out, const yyjson_val *at, const char *format, va_list args)
{
    char text[FER_ERR_TEXT];
    fer_openapi *out = oa->out;
    fer_format_text(text, sizeof text, format, args);
    fer_str message = fer_arena_copy(oa->a, fer_str_of(text));
    if (!message.ptr) {
        fer_oa_no_memory(oa);
        return;
    }
    if (!left_out && is_told(oa, at, message)) return;
    if (out->problem_count == FER_OPENAPI_PROBLEMS) {
        out->untold++;
        return;
    }
    fer_openapi_problem *list =
        fer_arena_room(oa->a, oa->problems, out->problem_count, &oa->problem_cap, sizeof *list);
    if (!list) {
        fer_oa_no_memory(oa);
        return;
    }
    fer_place place = {.offset = fer_json_offset(oa->doc, at)};
    list[out->problem_count++] = (fer_openapi_problem){left_out, place, oa->operation, message};
    oa->problems = list;
    out->problems = list;
}

void fer_oa_note(fer_oa *oa, const yyjson_val *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(oa, false, at, format, args);
    va_end(args);
}

void fer_oa_refuse(fer_oa *oa, const yyjson_val *at, const char *format, ...)
{
    va_list args;
    if (oa->refused) return; /* one reason is enough */
    oa->refused = true;
    va_start(args, format);
    tell(oa, !oa->soft, at, format, args);
    va_end(args);
}

static int by_offset(const void *x, const void *y)
{
    const fer_openapi_problem *a = x, *b = y;
    return (a->place.offset > b->place.offset) - (a->place.offset < b->place.offset);
}

/* In the order of the text, so that lines are counted once. */
static void place_problems(fer_oa *oa)
{
    fer_lines lines;
    size_t count = oa->out->problem_count;
    if (!count) return;
    qsort(oa->problems, count, sizeof *oa->problems, by_offset);
    fer_lines_init(&lines, oa->doc->text);
    for (size_t i = 0; i < count; i++)
        oa->problems[i].place = fer_lines_place(&lines, oa->problems[i].place.offset);
}

/* ---- reading ------------------------------------------------------------------------------- */

fer_str fer_oa_text(const yyjson_val *object, const char *key)
{
    const yyjson_val *value = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return value && fer_is_str(value) ? fer_val_str(value) : FER_STR_NONE;
}

bool fer_oa_flag(const yyjson_val *object, const char *key)
{
    return fer_is_obj(object) && fer_is_true(fer_val_get(object, key));
}

const yyjson_val *fer_oa_target(fer_oa *oa, const yyjson_val *ref)
{
    fer_str text = fer_is_str(ref) ? fer_val_str(ref) : FER_STR_NONE, pointer = FER_STR_NONE;
    fer_err err;
    if (!text.len || text.ptr[0] != '#' || (text.len > 1 && text.ptr[1] != '/')) {
        fer_oa_refuse(oa, ref, "\"%.*s\" leads out of the document, and nothing is fetched",
                      FER_PRI(fer_str_head(text, 200)));
        return NULL;
    }
    fer_code code = fer_uri_decode(oa->a, fer_str_slice(text, 1, text.len), &pointer);
    const yyjson_val *found = code ? NULL : fer_json_at(oa->root, pointer, &err);
    if (!found)
        fer_oa_refuse(oa, ref, "there is nothing at \"%.*s\"", FER_PRI(fer_str_head(text, 200)));
    return found;
}

const yyjson_val *fer_oa_deref(fer_oa *oa, const yyjson_val *value)
{
    for (unsigned hops = 0; fer_is_obj(value); hops++) {
        const yyjson_val *ref = fer_val_get(value, "$ref");
        if (!ref) return value;
        if (hops == FER_OA_HOPS) {
            fer_oa_refuse(oa, ref, "this reference leads to itself");
            return NULL;
        }
        value = fer_oa_target(oa, ref);
        if (!value) return NULL;
    }
    if (value) fer_oa_refuse(oa, value, "there is %s where an object is", fer_val_type_name(value));
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

void fer_oa_comma(fer_buf *b)
{
    char last = b->len ? b->ptr[b->len - 1] : '{';
    if (last != '{' && last != '[' && last != ':') fer_buf_add_char(b, ',');
}

void fer_oa_key(fer_buf *b, fer_str key)
{
    fer_oa_comma(b);
    fer_buf_add_quoted(b, key);
    fer_buf_add_char(b, ':');
}

void fer_oa_member(fer_buf *b, const char *key, fer_str text)
{
    fer_oa_key(b, fer_str_of(key));
    fer_buf_add_quoted(b, text);
}

void fer_oa_value(fer_oa *oa, fer_buf *b, const yyjson_val *value)
{
    static const fer_notation plain = {0};
    fer_err err;
    fer_code code = fer_write_add(oa->a, b, value, &plain, &err);
    if (code && !oa->failure) oa->failure = code;
}

/* ---- operations ---------------------------------------------------------------------------- */

static const struct method {
    const char *key;
    fer_str name;
    const char *effect;
} methods[] = {
    {"get", {"GET", 3}, "Pure"},
    {"head", {"HEAD", 4}, "Pure"},
    {"options", {"OPTIONS", 7}, "Pure"},
    {"put", {"PUT", 3}, "IdempotentWrite"},
    {"delete", {"DELETE", 6}, "IdempotentWrite"},
    {"post", {"POST", 4}, "NonIdempotentWrite"},
    {"patch", {"PATCH", 5}, "NonIdempotentWrite"},
};

static const struct method *method_of(fer_str key)
{
    for (size_t i = 0; i < FER_COUNT(methods); i++)
        if (fer_str_is(key, methods[i].key)) return &methods[i];
    return NULL;
}

/* fnmatch needs texts that end in NUL, as copies in the arena do. */
static bool glob_matches(fer_oa *oa, fer_str glob, fer_str text)
{
    fer_str pattern = fer_arena_copy(oa->a, glob), subject = fer_arena_copy(oa->a, text);
    if (!pattern.ptr || !subject.ptr) {
        fer_oa_no_memory(oa);
        return false;
    }
    return text.len && fnmatch(pattern.ptr, subject.ptr, 0) == 0;
}

static bool is_wanted(fer_oa *oa, const fer_oa_operation *o)
{
    const fer_openapi_options *options = oa->options;
    for (size_t i = 0; i < options->include_count; i++) {
        fer_str glob = options->include[i];
        if (glob_matches(oa, glob, o->name) || glob_matches(oa, glob, o->id) ||
            glob_matches(oa, glob, o->path))
            return true;
    }
    return options->include_count == 0;
}

typedef struct tools {
    fer_openapi_tool *list;
    size_t cap;
    size_t seen;
} tools;

static void add_tool(fer_oa *oa, tools *t, const fer_oa_operation *o)
{
    fer_openapi *out = oa->out;
    oa->refused = false;
    fer_str record = fer_oa_record(oa, o);
    if (oa->failure) return;
    if (oa->refused || !record.ptr) {
        out->left_out++;
        return;
    }
    fer_openapi_tool *list = fer_arena_room(oa->a, t->list, out->count, &t->cap, sizeof *list);
    if (!list) {
        fer_oa_no_memory(oa);
        return;
    }
    list[out->count++] = (fer_openapi_tool){o->name, record};
    t->list = list;
    out->tools = list;
}

static fer_code read_operation(fer_oa *oa, tools *t, fer_oa_operation *o, fer_err *err)
{
    if (++t->seen > FER_OPENAPI_OPERATIONS)
        return fer_fail_at(err, FER_LIMIT_EXCEEDED, fer_json_offset(oa->doc, o->value),
                           "openapi.operations: there are more than %d", FER_OPENAPI_OPERATIONS);
    oa->operation = fer_arena_printf(oa->a, "%.*s %.*s", FER_PRI(o->method), FER_PRI(o->path));
    o->id = fer_oa_text(o->value, "operationId");
    o->name = fer_oa_tool_name(oa, o->id, o->method, o->path);
    if (oa->failure) return fer_arena_failed(oa->a, err);
    if (is_wanted(oa, o)) add_tool(oa, t, o);
    else oa->out->passed++;
    oa->operation = FER_STR_NONE;
    return FER_OK;
}

static fer_code read_path(fer_oa *oa, tools *t, fer_str path, const yyjson_val *given, fer_err *err)
{
    fer_code code = FER_OK;
    oa->operation = path;
    oa->refused = false;
    const yyjson_val *item = fer_oa_deref(oa, given);
    oa->operation = FER_STR_NONE;
    if (!item) {
        oa->out->left_out++;
        return oa->failure ? fer_arena_failed(oa->a, err) : FER_OK;
    }
    FER_EACH_MEMBER (item, key) {
        const struct method *m = method_of(fer_val_str(key));
        if (!m || !fer_is_obj(key + 1)) continue;
        fer_oa_operation o = {
            .item = item, .value = key + 1, .path = path, .method = m->name, .effect = m->effect};
        code = read_operation(oa, t, &o, err);
        if (code) break;
    }
    return code;
}

static fer_code read_paths(fer_oa *oa, fer_err *err)
{
    tools t = {0};
    const yyjson_val *paths = fer_val_get(oa->root, "paths");
    fer_code code = FER_OK;
    if (!paths) return FER_OK; /* 3.1 may have webhooks alone */
    if (!fer_is_obj(paths))
        return fer_fail_at(err, FER_INVALID_FORMAT, fer_json_offset(oa->doc, paths),
                           "\"paths\" is %s, not an object", fer_val_type_name(paths));
    FER_EACH_MEMBER (paths, key) {
        if (fer_val_len(key) && fer_val_str(key).ptr[0] != '/') continue; /* x-... */
        code = read_path(oa, &t, fer_val_str(key), key + 1, err);
        if (code || oa->failure) break;
    }
    return code ? code : oa->failure ? fer_arena_failed(oa->a, err) : FER_OK;
}

/* ---- the document -------------------------------------------------------------------------- */

static fer_code read_version(fer_oa *oa, fer_err *err)
{
    const yyjson_val *version = fer_is_obj(oa->root) ? fer_val_get(oa->root, "openapi") : NULL;
    if (!fer_is_obj(oa->root) || (!version && !fer_val_get(oa->root, "swagger")))
        return fer_fail_at(err, FER_INVALID_FORMAT, fer_json_offset(oa->doc, oa->root),
                           "this is no OpenAPI document: it has no member \"openapi\"");
    if (!version)
        return fer_fail_at(err, FER_INVALID_FORMAT,
                           fer_json_offset(oa->doc, fer_val_get(oa->root, "swagger")),
                           "Swagger 2.0 is not read; convert the document to OpenAPI 3");
    fer_str text = fer_is_str(version) ? fer_val_str(version) : FER_STR_NONE;
    oa->v30 = fer_str_starts(text, "3.0.") || fer_str_is(text, "3.0");
    if (oa->v30 || fer_str_starts(text, "3.1.") || fer_str_is(text, "3.1")) return FER_OK;
    return fer_fail_at(err, FER_INVALID_FORMAT, fer_json_offset(oa->doc, version),
                       "OpenAPI %.*s is not known, only 3.0 and 3.1",
                       FER_PRI(text.len ? fer_str_head(text, 40) : FER_STR("of no version")));
}

/* A dialect of one's own would change what every schema means. */
static fer_code read_dialect(fer_oa *oa, fer_err *err)
{
    const yyjson_val *value = oa->v30 ? NULL : fer_val_get(oa->root, "jsonSchemaDialect");
    fer_dialect dialect;
    if (!value) return FER_OK;
    fer_str uri = fer_is_str(value) ? fer_val_str(value) : FER_STR_NONE;
    if (fer_str_starts(uri, "https://spec.openapis.org/oas/3.1/dialect/")) return FER_OK;
    if (fer_dialect_find(uri, &dialect) && dialect == FER_DIALECT_2020_12) return FER_OK;
    return fer_fail_at(err, FER_UNSUPPORTED_DIALECT, fer_json_offset(oa->doc, value),
                       "schemas of this dialect are not read, only those of 2020-12");
}

static void read_info(fer_oa *oa)
{
    const yyjson_val *info = fer_val_get(oa->root, "info");
    fer_str version = fer_oa_text(info, "version");
    fer_semver parsed;
    oa->out->ns = oa->options->ns;
    if (!oa->out->ns.len) oa->out->ns = fer_oa_slug(oa->a, fer_oa_text(info, "title"));
    if (!oa->out->ns.ptr) fer_oa_no_memory(oa);
    if (version.len && !fer_semver_parse(version, &parsed, NULL)) oa->version = version;
}

fer_code fer_openapi_import(fer_arena *a, const fer_json *doc, const fer_openapi_options *options,
                            fer_openapi *out, fer_err *err)
{
    static const fer_openapi_options none = {0};
    fer_openapi made = {0};
    fer_oa oa = {.a = a,
                 .doc = doc,
                 .root = fer_json_root(doc),
                 .options = options ? options : &none,
                 .out = &made};
    fer_map_init(&oa.names, a);
    fer_map_init(&oa.told, a);
    fer_map_init(&oa.patterns, a);
    fer_code code = read_version(&oa, err);
    if (!code) code = read_dialect(&oa, err);
    if (!code) read_info(&oa);
    if (!code) code = read_paths(&oa, err);
    if (code && err && err->line) fer_err_locate(err, doc->text);
    if (code) return code;
    place_problems(&oa);
    *out = made;
    return FER_OK;
}
