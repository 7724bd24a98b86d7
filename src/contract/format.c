/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include "buf.h"
#include "errors.h"
#include "json_skim.h"
#include "json_write.h"
#include "reader.h"
#include "tool_lists.h"

/* The tools of a document that are still to be written. */
struct tools {
    const yyjson_val *to;
    const yyjson_val *next; /* the tool that comes next: tools do not lie inside each other */
};

static bool is_record(const yyjson_val *entry)
{
    enum fer_shape shape = fer_shape_of(entry);
    return shape == FER_SHAPE_FERRULE || shape == FER_SHAPE_MCP;
}

/* Fields in the order of the table, then the other keys as they came. */
static const yyjson_val **record_order(fer_arena *a, const yyjson_val *record)
{
    size_t count = 0;
    const yyjson_val **keys = fer_arena_alloc_zero(a, fer_val_len(record) + 1, sizeof *keys);
    if (!keys) return NULL;
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        const yyjson_val *key = fer_val_key(record, fer_str_of(fer_fields[i].key));
        if (key) keys[count++] = key;
    }
    FER_EACH_MEMBER (record, key) {
        if (!fer_field_find(fer_val_str(key))) keys[count++] = key;
    }
    return keys;
}

/* Objects come in the order of the text, so the next tool is known by its address. */
static const yyjson_val **order(fer_arena *a, const yyjson_val *object, void *context)
{
    struct tools *tools = context;
    while (tools->next < tools->to && tools->next < object) tools->next = fer_val_next(tools->next);
    bool tool = object == tools->next && object < tools->to && is_record(object);
    return tool ? record_order(a, object) : fer_keys_plain(a, object);
}

static fer_code add_formatted(fer_arena *a, const fer_json *doc, bool pretty, fer_buf *b,
                              fer_err *err)
{
    fer_str path;
    const char *title;
    const yyjson_val *root = doc->vals, *list = fer_tools_list(root, &path, &title);
    if (!list && !fer_shape_is_tool(root)) {
        return fer_fail(err, FER_UNKNOWN_SHAPE,
                        "this is %s in no known shape of tools; it is left alone",
                        fer_val_type_name(root));
    }
    struct tools tools = {.to = fer_val_next(list ? list : root), .next = list ? list + 1 : root};
    const fer_notation notation = {.pretty = pretty, .order = order, .context = &tools};
    fer_code code = fer_write_add(a, b, root, &notation, err);
    fer_buf_add_char(b, '\n');
    return code ? code : fer_buf_code(b, err);
}

static fer_code format_lines(fer_arena *a, fer_str text, fer_buf *b, fer_err *err)
{
    fer_code code = FER_OK;
    fer_lines lines;
    fer_lines_init(&lines, text);
    for (size_t at = 0; at < text.len && !code;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_str line = fer_str_slice(text, 0, end);
        size_t from = at == 0 && fer_str_starts(text, "\xEF\xBB\xBF") ? 3 : at;
        fer_json *doc;
        at = end + 1;
        if (fer_skim_space(line, from) == line.len) continue;
        code = fer_json_read_part(a, &lines, from, end, fer_json_limits_file(), &doc, err);
        if (!code) code = add_formatted(a, doc, false, b, err);
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
