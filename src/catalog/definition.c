/* SPDX-License-Identifier: Apache-2.0 */
#include "definition.h"

#include "buf.h"
#include "errors.h"
#include "json_doc.h"
#include "json_skim.h"
#include "json_value.h"

fer_code fer_value_bytes(fer_arena *a, const fer_json *doc, const yyjson_val *value, fer_str *out,
                         fer_err *err)
{
    if (!doc || !doc->pool) return fer_json_write(a, value, false, out, err);
    size_t from = fer_json_offset(doc, value), end = fer_skim_value(doc->text, from);
    if (end == SIZE_MAX) return fer_json_write(a, value, false, out, err);
    *out = fer_str_slice(doc->text, from, end);
    return FER_OK;
}

static fer_code add_member(fer_arena *a, fer_buf *b, const fer_tool *t, fer_str key,
                           const yyjson_val *value, fer_err *err)
{
    fer_str bytes;
    fer_code code = fer_value_bytes(a, t->doc, value, &bytes, err);
    if (code) return code;
    if (b->len > 1) fer_buf_add_char(b, ',');
    fer_buf_add_quoted(b, key);
    fer_buf_add_char(b, ':');
    fer_buf_add(b, bytes);
    return FER_OK;
}

static void add_namespace(fer_buf *b, fer_str ns)
{
    fer_buf_add_text(b, b->len > 1 ? ",\"namespace\":" : "\"namespace\":");
    fer_buf_add_quoted(b, ns);
}

/* A record in our own shape, or MCP's: its members as they came, one after the other. */
static fer_code write_own(fer_arena *a, const fer_tool *t, fer_str ns, fer_str *out, fer_err *err)
{
    bool named = fer_tool_namespace(t).len || !ns.len;
    fer_code code = FER_OK;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    FER_EACH_MEMBER (t->record, key) {
        bool space = fer_str_is(fer_val_str(key), fer_fields[FER_FIELD_NAMESPACE].key);
        if (!code && (named || !space)) code = add_member(a, &b, t, fer_val_str(key), key + 1, err);
    }
    if (!named) add_namespace(&b, ns);
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* As fer_tool_write: fields in the order of the table, then keys that nobody knows. */
fer_code fer_definition_write(fer_arena *a, const fer_tool *t, fer_str ns, fer_str *out,
                              fer_err *err)
{
    bool named = fer_tool_namespace(t).len || !ns.len;
    fer_code code = FER_OK;
    fer_buf b;
    if (!fer_shape_info(t->shape)->keys) return write_own(a, t, ns, out, err);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    for (size_t i = 0; i < FER_FIELD_COUNT && !code; i++) {
        const yyjson_val *value = t->values[i];
        if (i == FER_FIELD_NAMESPACE && !named) add_namespace(&b, ns);
        else if (value) code = add_member(a, &b, t, fer_str_of(fer_fields[i].key), value, err);
    }
    FER_EACH_MEMBER (t->record, key) {
        if (code || fer_shape_field(t->shape, fer_val_str(key)) != FER_FIELD_COUNT) continue;
        if (fer_field_find(fer_val_str(key))) continue;
        code = add_member(a, &b, t, fer_val_str(key), key + 1, err);
    }
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

fer_code fer_definition_read(fer_arena *a, fer_str text, fer_tool **out, fer_err *err)
{
    const fer_path root = FER_PATH_ROOT;
    fer_json *doc;
    fer_drafts drafts;
    fer_tool *t = fer_arena_alloc(a, sizeof *t);
    if (!t) return fer_arena_failed(a, err);
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *record = fer_json_root(doc);
    if (!fer_is_obj(record))
        return fer_fail(err, FER_INVALID_CATALOG, "a definition is an object, not %s",
                        fer_val_type_name(record));
    fer_drafts_init(&drafts, a);
    code = fer_tool_load(a, FER_SHAPE_FERRULE, record, record, &root, &drafts, t, err);
    if (code) return code;
    t->doc = doc;
    t->text = text;
    *out = t;
    return FER_OK;
}
