/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include "buf.h"
#include "errors.h"
#include "json_skim.h"
#include "reader.h"

struct member {
    yyjson_mut_val *key;
    yyjson_mut_val *value;
    const fer_field *field; /* NULL: unknown */
};

/* Rebuilds an object: the fields of the table in its order, then the others as they came. */
static bool reorder(fer_arena *a, yyjson_mut_val *record)
{
    size_t count = 0;
    struct member *members = fer_arena_alloc_zero(a, yyjson_mut_obj_size(record), sizeof *members);
    if (!members) return false;
    yyjson_mut_obj_iter iter = yyjson_mut_obj_iter_with(record);
    for (yyjson_mut_val *key; (key = yyjson_mut_obj_iter_next(&iter));) {
        fer_str name = {yyjson_mut_get_str(key), yyjson_mut_get_len(key)};
        members[count++] =
            (struct member){key, yyjson_mut_obj_iter_get_val(key), fer_field_find(name)};
    }
    yyjson_mut_obj_clear(record);
    for (size_t f = 0; f <= FER_FIELD_COUNT; f++) {
        const fer_field *field = f < FER_FIELD_COUNT ? &fer_fields[f] : NULL;
        for (size_t i = 0; i < count; i++) {
            if (members[i].field == field)
                yyjson_mut_obj_add(record, members[i].key, members[i].value);
        }
    }
    return true;
}

static bool is_record(const yyjson_val *entry)
{
    enum fer_shape shape = fer_shape_of(entry);
    return shape == FER_SHAPE_FERRULE || shape == FER_SHAPE_MCP;
}

/* Reorders the tools of a document's copy, found where they are in the original. */
static bool reorder_tools(fer_arena *a, const yyjson_val *root, yyjson_mut_val *copy)
{
    fer_str path;
    const char *title;
    const yyjson_val *list = fer_tools_list(root, &path, &title);
    if (!list) return !is_record(root) || reorder(a, copy);
    yyjson_mut_arr_iter iter =
        yyjson_mut_arr_iter_with(path.len ? yyjson_mut_ptr_getn(copy, path.ptr, path.len) : copy);
    FER_EACH_ITEM (list, entry) {
        yyjson_mut_val *item = yyjson_mut_arr_iter_next(&iter);
        if (is_record(entry) && !reorder(a, item)) return false;
    }
    return true;
}

static fer_code add_formatted(fer_arena *a, const fer_json *doc, bool pretty, fer_buf *b,
                              fer_err *err)
{
    yyjson_alc alc = fer_json_alc(a);
    yyjson_mut_doc *copy = yyjson_mut_doc_new(&alc);
    yyjson_mut_val *root = copy ? yyjson_val_mut_copy(copy, doc->vals) : NULL;
    if (!root || !reorder_tools(a, doc->vals, root)) return fer_arena_failed(a, err);
    size_t len;
    const char *text = yyjson_mut_val_write_opts(root, pretty ? YYJSON_WRITE_PRETTY_TWO_SPACES : 0,
                                                 &alc, &len, NULL);
    if (!text) return fer_arena_failed(a, err);
    fer_buf_add(b, (fer_str){text, len});
    fer_buf_add_char(b, '\n');
    return fer_buf_code(b, err);
}

static fer_code format_lines(fer_arena *a, fer_str text, fer_buf *b, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t at = 0; at < text.len && !code;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_str line = fer_str_slice(text, at, end);
        fer_json *doc;
        if (fer_skim_space(line, 0) < line.len) {
            code = fer_json_read(a, line, fer_json_limits_file(), &doc, err);
            if (code && err && err->line) {
                err->offset += at;
                fer_err_locate(err, text);
            }
            if (!code) code = add_formatted(a, doc, false, b, err);
        }
        at = end + 1;
    }
    return code;
}

fer_code fer_format_definitions(fer_arena *a, fer_str name, fer_str text, fer_format format,
                                fer_format *read_as, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_json *doc;
    fer_code code;
    format = fer_format_detect(name, text, format);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    if (format == FER_FORMAT_JSON_LINES) {
        code = format_lines(a, text, &b, err);
    } else {
        const fer_json_limits *limits = fer_json_limits_file();
        code = format == FER_FORMAT_YAML ? fer_yaml_read(a, text, limits, &doc, err)
                                         : fer_json_read(a, text, limits, &doc, err);
        if (!code) code = add_formatted(a, doc, true, &b, err);
    }
    if (code) return code;
    *read_as = format;
    *out = b.ptr ? fer_buf_view(&b) : FER_STR("");
    return FER_OK;
}
