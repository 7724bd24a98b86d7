/* SPDX-License-Identifier: Apache-2.0 */
/* The ToolDoc of a tool at three levels: what the record says, and what is written beside it. */
#include "arena.h"
#include "buf.h"
#include "definition.h"
#include "errors.h"
#include "json_value.h"
#include "param_info.h"
#include "shown.h"
#include "tool_doc.h"
#include "ts_types.h"
#include "unicode.h"

static const char *const level_names[] = {"summary", "schema", "full", "types"};

const char *fer_level_name(fer_level level)
{
    return level_names[level];
}

fer_code fer_level_parse(fer_str name, fer_level *out, fer_err *err)
{
    for (size_t i = 0; i < FER_COUNT(level_names); i++) {
        if (!fer_str_is(name, level_names[i])) continue;
        *out = (fer_level)i;
        return FER_OK;
    }
    return fer_fail(err, FER_UNKNOWN_LEVEL,
                    "\"%.*s\" is no level of detail; there are summary, schema, full and types",
                    FER_PRI(fer_utf8_cut(name, 60)));
}

/* All that is known of one tool, as trees. */
struct known {
    fer_arena *arena;
    const fer_body *body;     /* NULL: there is only documentation */
    fer_json *record_doc;     /* of the definition */
    const yyjson_val *record; /* its root, an object */
    fer_json *doc_doc;
    const yyjson_val *doc; /* its root, an object; or NULL */
};

static fer_code read_object(fer_arena *a, fer_str text, fer_json **doc, const yyjson_val **root,
                            fer_err *err)
{
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), doc, err);
    if (code) return code;
    *root = fer_json_root(*doc);
    if (fer_is_obj(*root)) return FER_OK;
    return fer_fail(err, FER_INVALID_CATALOG, "the catalogue holds %s where an object should be",
                    fer_val_type_name(*root));
}

static fer_code gather(struct known *k, const fer_view *v, fer_str id, fer_level level,
                       fer_err *err)
{
    fer_entry *e = NULL;
    fer_str text;
    fer_code code = fer_view_find(v, id, FER_STR(""), &e, err);
    if (code && code != FER_TOOL_NOT_FOUND) return code;
    fer_doc *doc = fer_view_doc(v, e ? e->value.key : id);
    if (!e && !doc) return code;
    if (!e && level != FER_LEVEL_SUMMARY)
        return fer_fail(err, FER_DOC_WITHOUT_TOOL,
                        "\"%.*s\" is documented, but no such tool is in the catalogue: only its "
                        "summary can be shown",
                        FER_PRI(id));
    code = e ? fer_entry_body(e, &k->body, err) : FER_OK;
    if (!code && e)
        code = read_object(k->arena, fer_body_text(k->body, FER_TEXT_DEFINITION), &k->record_doc,
                           &k->record, err);
    if (code || !doc) return code;
    code = fer_doc_json(doc, &text, err);
    return code ? code : read_object(k->arena, text, &k->doc_doc, &k->doc, err);
}

/* ---- parts ------------------------------------------------------------------------------------
 */

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = object ? fer_val_get(object, key) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

/* What is written beside the record goes first; then _meta.ferrule has what the record has not. */
static const yyjson_val *record_field(const struct known *k, const char *key)
{
    const yyjson_val *meta = k->record ? fer_val_get(k->record, "_meta") : NULL;
    const yyjson_val *own = fer_is_obj(meta) ? fer_val_get(meta, "ferrule") : NULL;
    const yyjson_val *v = k->record ? fer_val_get(k->record, key) : NULL;
    return v ? v : fer_is_obj(own) ? fer_val_get(own, key) : NULL;
}

static void add_summary(const struct known *k, fer_buf *b)
{
    const yyjson_val *meta = k->record ? fer_val_get(k->record, "_meta") : NULL;
    fer_str text = text_of(k->doc, "summary");
    if (!text.len && fer_is_obj(meta)) text = text_of(meta, "summary");
    if (!text.len) text = text_of(k->record, "description");
    fer_shown_key(b, "summary");
    fer_buf_add_quoted(b, fer_utf8_cut(text, FER_DOC_SUMMARY));
}

static fer_code add_bytes(const struct known *k, fer_buf *b, const char *key, const fer_json *doc,
                          const yyjson_val *value, fer_err *err)
{
    fer_str bytes;
    fer_code code = fer_value_bytes(k->arena, doc, value, &bytes, err);
    if (code) return code;
    fer_shown_key(b, key);
    fer_buf_add(b, bytes);
    return FER_OK;
}

static fer_code add_head(const struct known *k, fer_buf *b, fer_err *err)
{
    fer_summary s = {0};
    add_summary(k, b);
    if (!k->body) return FER_OK;
    fer_code code = fer_body_summary(k->arena, k->body, &s, err);
    if (code) return code;
    fer_shown_texts(b, "inputModes", &s.input_modes);
    fer_shown_texts(b, "outputModes", &s.output_modes);
    fer_shown_text(b, "securitySummary", s.security_summary);
    const yyjson_val *annotations = fer_val_get(k->record, "annotations");
    if (!fer_is_obj(annotations)) return FER_OK;
    return add_bytes(k, b, "annotations", k->record_doc, annotations, err);
}

/* Fields that have a place of their own in a ToolDoc, or are the operator's alone. */
static bool is_told_elsewhere(fer_str key)
{
    static const char *const keys[] = {"notes",     "examples", "invalidExamples", "externalRefs",
                                       "changelog", "suppress", "backend"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        if (fer_str_is(key, keys[i])) return true;
    }
    return false;
}

static fer_code add_tool(const struct known *k, fer_buf *b, fer_err *err)
{
    bool first = true;
    assert(k->record); /* this level is only asked for where there is a tool */
    fer_shown_key(b, "tool");
    fer_buf_add_char(b, '{');
    FER_EACH_MEMBER (k->record, key) {
        fer_str bytes;
        if (is_told_elsewhere(fer_val_str(key))) continue;
        fer_code code = fer_value_bytes(k->arena, k->record_doc, key + 1, &bytes, err);
        if (code) return code;
        if (!first) fer_buf_add_char(b, ',');
        first = false;
        fer_buf_add_quoted(b, fer_val_str(key));
        fer_buf_add_char(b, ':');
        fer_buf_add(b, bytes);
    }
    fer_buf_add_char(b, '}');
    return FER_OK;
}

static fer_code add_schema_info(const struct known *k, fer_buf *b, fer_err *err)
{
    size_t before = b->len;
    bool any = false;
    const yyjson_val *schema = fer_val_get(k->record, "inputSchema");
    if (!fer_is_obj(schema)) return FER_OK;
    fer_shown_key(b, "schemaInfo");
    fer_code code = fer_param_info_add(k->arena, k->record_doc, schema, b, &any, err);
    if (!any) b->len = before;
    return code;
}

/* ---- examples -----------------------------------------------------------------------------------
 */

/* Whether an example is one that may be shown: a record that was taken leniently may hold others.
 */
static bool is_shown(const yyjson_val *example)
{
    size_t depth, size;
    const yyjson_val *args = fer_is_obj(example) ? fer_val_get(example, "args") : NULL;
    if (!fer_is_obj(args)) return false;
    fer_args_measure(args, &depth, &size);
    return depth <= FER_EXAMPLE_DEPTH && size <= FER_EXAMPLE_SIZE;
}

/* Appends the list of examples; `*count` says how many there are. */
static fer_code add_examples(const struct known *k, fer_buf *b, size_t max, size_t *count,
                             fer_err *err)
{
    const yyjson_val *list = k->doc ? fer_val_get(k->doc, "examples") : NULL;
    const fer_json *doc = list ? k->doc_doc : k->record_doc;
    if (!list) list = record_field(k, "examples");
    *count = 0;
    fer_buf_add_char(b, '[');
    if (fer_is_arr(list)) {
        FER_EACH_ITEM (list, example) {
            if (*count == max || !is_shown(example)) continue;
            if ((*count)++) fer_buf_add_char(b, ',');
            fer_code code = fer_example_add(k->arena, doc, example, b, err);
            if (code) return code;
        }
    }
    fer_buf_add_char(b, ']');
    return FER_OK;
}

static void add_refs(const struct known *k, fer_buf *b)
{
    size_t count = 0;
    const yyjson_val *list = k->doc ? fer_val_get(k->doc, "externalRefs") : NULL;
    if (!list) list = record_field(k, "externalRefs");
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, ref) {
        if (!fer_is_str(ref) || count == FER_REFS_MAX) continue;
        if (!count) fer_shown_key(b, "externalRefs");
        fer_buf_add_char(b, count++ ? ',' : '[');
        fer_buf_add_quoted(b, fer_val_str(ref));
    }
    if (count) fer_buf_add_char(b, ']');
}

static fer_code add_full(const struct known *k, fer_buf *b, fer_err *err)
{
    size_t count, before;
    const yyjson_val *own = record_field(k, "notes");
    fer_str notes = text_of(k->doc, "notes");
    if (!notes.len && fer_is_str(own)) notes = fer_val_str(own);
    fer_shown_text(b, "notes", fer_utf8_cut(notes, FER_DOC_NOTES));
    before = b->len;
    fer_shown_key(b, "examples");
    fer_code code = add_examples(k, b, FER_EXAMPLES_MAX, &count, err);
    if (!count) b->len = before;
    add_refs(k, b);
    return code;
}

/* ---- the whole
 * -------------------------------------------------------------------------------------- */

/* {"types"}: the declaration alone. */
static void add_types(const struct known *k, fer_buf *b)
{
    fer_buf text;
    fer_buf_init(&text, k->arena, SIZE_MAX / 4);
    fer_ts_add_tool(&text, k->record);
    if (text.failure && !b->failure) b->failure = text.failure;
    fer_shown_key(b, "types");
    fer_buf_add_quoted(b, fer_buf_view(&text));
}

fer_code fer_view_describe(fer_arena *a, const fer_view *v, fer_str id, fer_level level,
                           fer_str *out, fer_err *err)
{
    struct known k = {.arena = a};
    fer_buf b;
    fer_code code = gather(&k, v, id, level, err);
    if (code) return code;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    bool types = level == FER_LEVEL_TYPES, schema = level >= FER_LEVEL_SCHEMA && !types;
    if (types) add_types(&k, &b);
    if (schema) code = add_tool(&k, &b, err);
    if (!code && !types) code = add_head(&k, &b, err);
    if (!code && schema) code = add_schema_info(&k, &b, err);
    if (!code && level == FER_LEVEL_FULL) code = add_full(&k, &b, err);
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

fer_code fer_view_examples(fer_arena *a, const fer_view *v, fer_str id, size_t max, fer_str *out,
                           fer_err *err)
{
    struct known k = {.arena = a};
    fer_buf b;
    size_t count;
    fer_code code = gather(&k, v, id, FER_LEVEL_FULL, err);
    if (code) return code;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    code =
        add_examples(&k, &b, max && max < FER_EXAMPLES_MAX ? max : FER_EXAMPLES_MAX, &count, err);
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
