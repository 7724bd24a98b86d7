/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a loaded tool, its definition hash, and writing it in Ferrule's own form. */
#include "tool.h"

#include "buf.h"
#include "digest.h"
#include "errors.h"
#include "json_value.h"
#include "json_write.h"

static fer_str text_field(const fer_tool *t, enum fer_field_id id)
{
    return t->values[id] ? fer_val_str(t->values[id]) : FER_STR("");
}

fer_str fer_tool_id(const fer_tool *t)
{
    return t->id;
}
fer_str fer_tool_name(const fer_tool *t)
{
    return text_field(t, FER_FIELD_NAME);
}
fer_str fer_tool_namespace(const fer_tool *t)
{
    return text_field(t, FER_FIELD_NAMESPACE);
}
fer_str fer_tool_version(const fer_tool *t)
{
    return t->version;
}
/* MCP's order: title, then annotations.title; the name is left to the caller. */
fer_str fer_tool_title(const fer_tool *t)
{
    const yyjson_val *hint = fer_val_get(t->values[FER_FIELD_ANNOTATIONS], "title");
    fer_str title = text_field(t, FER_FIELD_TITLE);
    return title.len || !fer_is_str(hint) ? title : fer_val_str(hint);
}
fer_str fer_tool_description(const fer_tool *t)
{
    return text_field(t, FER_FIELD_DESCRIPTION);
}
const fer_str *fer_tool_tags(const fer_tool *t, size_t *count)
{
    *count = t->tag_count;
    return t->tags;
}
fer_effect fer_tool_effect(const fer_tool *t)
{
    return t->effect;
}
fer_idempotency fer_tool_idempotency(const fer_tool *t)
{
    return t->idempotency;
}
const fer_backend *fer_tool_backends(const fer_tool *t, size_t *count)
{
    *count = t->backend_count;
    return t->backends;
}
const yyjson_val *fer_tool_field(const fer_tool *t, const char *field)
{
    const fer_field *row = fer_field_find(fer_str_of(field));
    return row ? t->values[row - fer_fields] : NULL;
}
const yyjson_val *fer_tool_source(const fer_tool *t)
{
    return t->entry;
}
const char *fer_tool_shape(const fer_tool *t)
{
    return fer_shape_info(t->shape)->name;
}

/* ---- the definition hash (RELIABILITY 5.15)
 * ------------------------------------------------------ */

/* What a model or client sees, in canonical order. */
static const enum fer_field_id hashed[] = {
    FER_FIELD_META,      FER_FIELD_ANNOTATIONS,   FER_FIELD_DESCRIPTION,
    FER_FIELD_EXECUTION, FER_FIELD_ICONS,         FER_FIELD_INPUT_SCHEMA,
    FER_FIELD_NAME,      FER_FIELD_OUTPUT_SCHEMA, FER_FIELD_TITLE};

static void hash_text(fer_str text, char out[FER_HASH_TEXT])
{
    unsigned char digest[FER_DIGEST_SIZE];
    fer_digest_text(text, digest);
    fer_digest_hex(out, digest, sizeof digest);
    out[FER_DIGEST_HEX] = '\0';
}

/* The value that counts: _meta.ferrule carries the contract, which is no part of the definition. */
static const yyjson_val *hashed_value(const fer_tool *t, enum fer_field_id id)
{
    const yyjson_val *value = t->values[id];
    if (id != FER_FIELD_META || !value) return value;
    size_t others = fer_val_len(value) - (fer_val_get(value, "ferrule") != NULL);
    return others ? value : NULL;
}

fer_code fer_tool_definition_hash(fer_arena *scratch, const fer_tool *t, char out[FER_HASH_TEXT],
                                  fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, scratch, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    for (size_t i = 0; i < FER_COUNT(hashed); i++) {
        const yyjson_val *value = hashed_value(t, hashed[i]);
        if (!value) continue;
        if (b.len > 1) fer_buf_add_char(&b, ',');
        fer_buf_printf(&b, "\"%s\":", fer_fields[hashed[i]].key);
        const fer_notation canonical = {.canonical = true,
                                        .skip = hashed[i] == FER_FIELD_META ? "ferrule" : NULL};
        fer_code code = fer_write_add(scratch, &b, value, &canonical, err);
        if (code) return code;
    }
    fer_buf_add_char(&b, '}');
    if (b.failure) return fer_buf_code(&b, err);
    hash_text(fer_buf_view(&b), out);
    return FER_OK;
}

/* ---- writing
 * -------------------------------------------------------------------------------------- */

static fer_code add_member(fer_arena *a, fer_buf *b, fer_str key, const yyjson_val *value,
                           bool pretty, fer_err *err)
{
    const fer_notation notation = {.pretty = pretty, .indent = 1};
    fer_buf_add_text(b, b->len > 1 ? "," : "");
    fer_buf_add_text(b, pretty ? "\n  " : "");
    fer_buf_add_quoted(b, key);
    fer_buf_add_text(b, pretty ? ": " : ":");
    return fer_write_add(a, b, value, &notation, err);
}

/*
 * Known fields in the order of the table; then unknown keys. A record of ours goes out as it
 * came, even where it is wrong; of another shape only what has a meaning there, so that no key
 * of that shape is taken for a field of ours.
 */
fer_code fer_tool_write(fer_arena *a, const fer_tool *t, bool pretty, fer_str *out, fer_err *err)
{
    bool own_keys = !fer_shape_info(t->shape)->keys;
    fer_code code = FER_OK;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_char(&b, '{');
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        const yyjson_val *value =
            own_keys ? fer_val_get(t->record, fer_fields[i].key) : t->values[i];
        if (value && !code)
            code = add_member(a, &b, fer_str_of(fer_fields[i].key), value, pretty, err);
    }
    FER_EACH_MEMBER (t->record, key) {
        if (code || fer_shape_field(t->shape, fer_val_str(key)) != FER_FIELD_COUNT) continue;
        if (fer_field_find(fer_val_str(key))) continue;
        code = add_member(a, &b, fer_val_str(key), key + 1, pretty, err);
    }
    if (pretty && b.len > 1) fer_buf_add_char(&b, '\n');
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
