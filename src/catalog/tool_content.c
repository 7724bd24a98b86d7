/* SPDX-License-Identifier: Apache-2.0 */
#include "tool_content.h"

#include "arena.h"
#include "checksum.h"
#include "json_value.h"
#include "tool_text.h"

static uint64_t add_text(uint64_t sum, fer_str text)
{
    return fer_checksum_mix(sum, fer_checksum(text.ptr, text.len));
}

static uint64_t sum_of_texts(const fer_search_doc *doc)
{
    uint64_t sum = doc->count;
    for (size_t i = 0; i < doc->count; i++)
        sum = add_text(fer_checksum_mix(sum, doc->texts[i].field), doc->texts[i].text);
    return sum;
}

/* Values lie side by side, members behind their container: one pass sees all of them. How they
 * were written (blanks, escapes) does not count; the order of members does. */
static uint64_t add_value(uint64_t sum, const yyjson_val *value)
{
    for (const yyjson_val *v = value, *end = fer_val_next(value); v < end; v++) {
        bool text = fer_is_str(v) || fer_val_is(v, YYJSON_TYPE_RAW);
        sum = fer_checksum_mix(sum, fer_val_tag(v));
        if (text) sum = add_text(sum, fer_val_str(v));
        else if (fer_val_is(v, YYJSON_TYPE_NUM)) sum = fer_checksum_mix(sum, v->uni.u64);
        else sum = fer_checksum_mix(sum, fer_val_len(v));
    }
    return sum;
}

/* What tells apart where the same tool comes from, and nothing else. */
static bool is_origin(fer_str key)
{
    return fer_str_is(key, "namespace") || fer_str_is(key, "backend") || fer_str_is(key, "id");
}

static uint64_t sum_of_definition(const yyjson_val *root)
{
    uint64_t sum = 0;
    if (!fer_is_obj(root)) return add_value(sum, root);
    FER_EACH_MEMBER (root, key) {
        if (!is_origin(fer_val_str(key))) sum = add_value(add_text(sum, fer_val_str(key)), key + 1);
    }
    return sum;
}

/* As the definition has it: in an ID, bytes of it may be escaped. */
static fer_str said_or(const yyjson_val *root, const char *key, fer_str otherwise)
{
    const yyjson_val *said = fer_is_obj(root) ? fer_val_get(root, key) : NULL;
    return fer_is_str(said) ? fer_val_str(said) : otherwise;
}

fer_code fer_content_of(fer_arena *a, const fer_body *b, fer_content *out, fer_err *err)
{
    fer_json *doc;
    fer_content content;
    fer_code code =
        fer_json_read(a, fer_body_text(b, FER_TEXT_DEFINITION), fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    bool object = fer_is_obj(root);
    const yyjson_val *text = object ? fer_val_get(root, "description") : NULL;
    const yyjson_val *tags = object ? fer_val_get(root, "tags") : NULL;
    fer_tool_head head = {.ns = said_or(root, "namespace", fer_body_text(b, FER_TEXT_NAMESPACE)),
                          .name = said_or(root, "name", fer_body_text(b, FER_TEXT_NAME)),
                          .title = fer_body_text(b, FER_TEXT_TITLE),
                          .category = fer_body_text(b, FER_TEXT_CATEGORY),
                          .description = fer_is_str(text) ? fer_val_str(text) : FER_STR(""),
                          .tags = fer_is_arr(tags) ? tags : NULL};
    code = fer_tool_text(a, &head, object ? fer_val_get(root, "inputSchema") : NULL, &content.texts,
                         err);
    if (code) return code;
    content.sum = sum_of_texts(&content.texts);
    content.twin = sum_of_definition(root);
    *out = content;
    return FER_OK;
}
