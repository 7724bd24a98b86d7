/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include "errors.h"
#include "json_skim.h"
#include "tool_lists.h"

/* ---- formats -----------------------------------------------------------------------------------
 */

bool fer_format_parse(fer_str name, fer_format *out)
{
    static const char *const names[] = {"auto", "json", "jsonl", "yaml"};
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        if (!fer_str_is(name, names[i])) continue;
        *out = (fer_format)i;
        return true;
    }
    return false;
}

fer_format fer_format_of_name(fer_str name)
{
    if (fer_str_ends(name, ".json")) return FER_FORMAT_JSON;
    if (fer_str_ends(name, ".jsonl") || fer_str_ends(name, ".ndjson")) return FER_FORMAT_JSON_LINES;
    if (fer_str_ends(name, ".yaml") || fer_str_ends(name, ".yml")) return FER_FORMAT_YAML;
    return FER_FORMAT_AUTO;
}

static size_t start_of(fer_str text)
{
    return fer_skim_space(text, fer_str_starts(text, "\xEF\xBB\xBF") ? 3 : 0);
}

/* A text without a telling name: brackets mean JSON, and something behind the first value JSON
 * Lines. */
static fer_format format_of_text(fer_str text)
{
    size_t at = start_of(text);
    if (at == text.len || (text.ptr[at] != '{' && text.ptr[at] != '[')) return FER_FORMAT_YAML;
    size_t end = fer_skim_value(text, at);
    if (end == SIZE_MAX) return FER_FORMAT_JSON;
    at = fer_skim_space(text, end);
    return at < text.len && text.ptr[at] == '{' ? FER_FORMAT_JSON_LINES : FER_FORMAT_JSON;
}

fer_format fer_format_detect(fer_str name, fer_str text, fer_format asked)
{
    if (asked == FER_FORMAT_AUTO) asked = fer_format_of_name(name);
    return asked == FER_FORMAT_AUTO ? format_of_text(text) : asked;
}

/* ---- opening
 * ------------------------------------------------------------------------------------------ */

static fer_arena *item_arena(fer_reader *r)
{
    if (!r->keep) fer_arena_reset(r->items);
    return r->items;
}

/* Reads the text around the list strictly, the list itself left empty. `close` is the byte of its
 * end. */
static fer_code read_around(fer_reader *r, size_t close, fer_err *err)
{
    fer_str head = fer_str_slice(r->text, 0, r->list + 1),
            tail = fer_str_slice(r->text, close, r->text.len);
    fer_buf b;
    fer_json *around;
    fer_buf_init(&b, r->own, head.len + tail.len);
    fer_buf_add(&b, head);
    fer_buf_add(&b, tail);
    fer_code code = fer_buf_code(&b, err);
    if (!code) code = fer_json_read(r->own, fer_buf_view(&b), r->limits, &around, err);
    if (!code) return fer_tool_list_check(around->vals, r->list_path, err);
    if (!err || !err->line) return code;
    /* Behind the list, places are further on in the text. */
    if (err->offset > r->list) err->offset += close - r->list - 1;
    fer_err_locate(err, r->text);
    return code;
}

/* A list in the text itself: entries will be read from it one by one. */
static fer_code open_list(fer_reader *r, size_t list, const char *path, const char *title)
{
    r->container = title;
    r->list_path = fer_str_of(path);
    r->list = list;
    r->at = list + 1;
    /* Entries are as deep as they are in the whole document. */
    r->entry_limits = *r->limits;
    for (size_t i = 0; i <= r->list_path.len; i++) {
        r->entry_limits.depth -= i == r->list_path.len || r->list_path.ptr[i] == '/';
    }
    return FER_OK;
}

/* Entries of a document that is there as a whole. */
static fer_code open_tree(fer_reader *r, fer_json *doc, size_t base, fer_err *err)
{
    const yyjson_val *root = doc->vals, *list = fer_tools_list(root, &r->list_path, &r->container);
    if (!list && !fer_shape_is_tool(root)) return fer_tool_list_missing(r->text, doc, err);
    fer_code code = list ? fer_tool_list_check(root, r->list_path, err) : FER_OK;
    if (!code && list) code = fer_json_index(r->items, doc, err);
    if (code) return code;
    r->doc = doc;
    r->base = base;
    r->next = list ? list + 1 : root;
    r->next_end = fer_val_next(list ? list : root);
    r->index = list ? 0 : SIZE_MAX; /* SIZE_MAX: the entry is the document */
    return FER_OK;
}

static fer_code open_json(fer_reader *r, fer_err *err)
{
    size_t at = start_of(r->text), list;
    if (at < r->text.len && r->text.ptr[at] == '[') return open_list(r, at, "", "a list");
    if (at < r->text.len && r->text.ptr[at] == '{') {
        const fer_tool_list *k = fer_tool_list_find(r->text, at, &list);
        if (k) return open_list(r, list, k->path, k->title);
    }
    fer_json *doc;
    fer_code code = fer_json_read_part(r->items, &r->lines, 0, r->text.len, r->limits, &doc, err);
    if (code) {
        bool behind = err && err->offset >= fer_skim_value(r->text, at);
        if (code == FER_INVALID_JSON && behind &&
            format_of_text(r->text) == FER_FORMAT_JSON_LINES) {
            fer_code again = fer_fail_at(
                err, FER_INVALID_JSON, err->offset,
                "there is more text after the end of the document; if these are JSON Lines, "
                "name the file .jsonl or say so");
            fer_err_locate(err, r->text);
            return again;
        }
        return code;
    }
    return open_tree(r, doc, 0, err);
}

static fer_code open_yaml(fer_reader *r, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_yaml_read(r->items, r->text, r->limits, &doc, err);
    return code ? code : open_tree(r, doc, 0, err);
}

fer_code fer_reader_init(fer_reader *r, fer_arena *keep, fer_str name, fer_str text,
                         fer_format format, fer_err *err)
{
    *r = (fer_reader){
        .text = text, .limits = fer_json_limits_file(), .keep = keep != NULL, .items = keep};
    fer_lines_init(&r->lines, text);
    r->own = fer_arena_new(0);
    if (!r->keep) r->items = fer_arena_new(0);
    if (!r->own || !r->items) {
        fer_reader_deinit(r);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    r->format = format = fer_format_detect(name, text, format);
    fer_code code = FER_OK;
    if (format == FER_FORMAT_JSON) code = open_json(r, err);
    else if (format == FER_FORMAT_YAML) code = open_yaml(r, err);
    else r->container = "JSON Lines";
    if (code) fer_reader_deinit(r);
    return code;
}

void fer_reader_deinit(fer_reader *r)
{
    fer_arena_free(r->own);
    if (!r->keep) fer_arena_free(r->items);
    r->own = r->items = NULL;
}

fer_arena *fer_reader_arena(const fer_reader *r)
{
    return r->items;
}

/* ---- entries
 * -----------------------------------------------------------------------------------------------
 */

struct entry {
    fer_json *doc;
    size_t base;
    const yyjson_val *value; /* NULL: no more */
    fer_str prefix;
};

static fer_code too_many(fer_err *err)
{
    return fer_fail(err, FER_LIMIT_EXCEEDED, "toolset.tools: more than %d tools in one input",
                    FER_TOOLS_MAX);
}

/* An entry that cannot be read counts as a tool, so that those behind it keep their numbers. */
static fer_code entry_failed(fer_reader *r, fer_code code, bool resumable, fer_err *err)
{
    if (r->number >= FER_TOOLS_MAX) return too_many(err);
    r->resumable = resumable;
    r->number++;
    return code;
}

static fer_code prefix_index(fer_reader *r, struct entry *e, size_t index, fer_err *err)
{
    e->prefix = fer_arena_printf(r->items, "%.*s/%zu", FER_PRI(r->list_path), index);
    return e->prefix.ptr ? FER_OK : fer_arena_failed(r->items, err);
}

/* The byte at which the next entry starts, behind a comma where one is due; or of the list's end.
 */
static size_t next_start(const fer_reader *r)
{
    size_t at = fer_skim_space(r->text, r->at);
    bool comma = r->index > 0 && at < r->text.len && r->text.ptr[at] == ',';
    return comma ? fer_skim_space(r->text, at + 1) : at;
}

/* Between entries there is a comma, behind the last the end: all else is a broken list. */
static fer_code broken_list(fer_reader *r, size_t at, fer_err *err)
{
    if (at >= r->text.len) return read_around(r, r->text.len, err);
    fer_code code =
        fer_fail_at(err, FER_INVALID_JSON, at,
                    r->text.ptr[at] == ']'
                        ? "the last entry of the list has a comma behind it; take the comma out"
                        : "a comma or the end of the list is expected here");
    if (err) fer_err_locate(err, r->text);
    return code;
}

/* The next entry of the list in the text. At its end, what stands around it is read. */
static fer_code next_in_text(fer_reader *r, struct entry *e, fer_err *err)
{
    size_t gap = fer_skim_space(r->text, r->at), at = next_start(r);
    if (r->index == SIZE_MAX) return FER_OK;
    if (gap < r->text.len && r->text.ptr[gap] == ']') {
        r->index = SIZE_MAX;
        return read_around(r, gap, err);
    }
    bool comma_missing = r->index > 0 && at == gap;
    if (at >= r->text.len || comma_missing || r->text.ptr[at] == ']')
        return broken_list(r, at, err);
    size_t end = fer_skim_value(r->text, at);
    if (end == SIZE_MAX) end = r->text.len;
    fer_arena *a = item_arena(r);
    size_t index = r->index++;
    r->at = end;
    fer_code code = fer_json_read_part(a, &r->lines, at, end, &r->entry_limits, &e->doc, err);
    /* Where the syntax is broken nobody knows where the next entry starts. */
    if (code)
        return entry_failed(r, code, code == FER_DUPLICATE_KEY || code == FER_LIMIT_EXCEEDED, err);
    e->base = at;
    e->value = e->doc->vals;
    return prefix_index(r, e, index, err);
}

/* Whether the text is one document over several lines, which somebody named JSON Lines. */
static bool is_one_document(fer_str text, size_t from, size_t end_of_line)
{
    size_t end = fer_skim_value(text, fer_skim_space(text, from));
    return end != SIZE_MAX && end > end_of_line && fer_skim_space(text, end) == text.len;
}

static fer_code one_document(fer_reader *r, size_t from, fer_err *err)
{
    fer_code code = fer_fail_at(
        err, FER_INVALID_JSON, fer_skim_space(r->text, from),
        "this is one document over several lines, not JSON Lines; name the file .json or say so");
    if (err) fer_err_locate(err, r->text);
    return entry_failed(r, code, false, err);
}

/* The next line that is not blank. */
static fer_code next_line(fer_reader *r, struct entry *e, fer_err *err)
{
    for (; r->at < r->text.len;) {
        size_t from = r->at, end = fer_str_find(r->text, from, '\n');
        if (end == SIZE_MAX) end = r->text.len;
        r->at = end + 1;
        if (from == 0) from = start_of(fer_str_slice(r->text, 0, end));
        if (fer_skim_space(fer_str_slice(r->text, 0, end), from) == end) continue;
        fer_arena *a = item_arena(r);
        fer_code code = fer_json_read_part(a, &r->lines, from, end, r->limits, &e->doc, err);
        if (code == FER_INVALID_JSON && !r->number && is_one_document(r->text, from, end))
            return one_document(r, from, err);
        if (code) return entry_failed(r, code, code != FER_OUT_OF_MEMORY, err);
        e->base = from;
        e->value = e->doc->vals;
        e->prefix = FER_STR("");
        return FER_OK;
    }
    return FER_OK;
}

static fer_code next_in_tree(fer_reader *r, struct entry *e, fer_err *err)
{
    if (r->next >= r->next_end) return FER_OK;
    e->doc = r->doc;
    e->base = r->base;
    e->value = r->next;
    r->next = fer_val_next(r->next);
    if (r->index == SIZE_MAX) {
        e->prefix = FER_STR("");
        return FER_OK;
    }
    return prefix_index(r, e, r->index++, err);
}

static fer_code next_entry(fer_reader *r, struct entry *e, fer_err *err)
{
    *e = (struct entry){0};
    if (r->format == FER_FORMAT_JSON_LINES) return next_line(r, e, err);
    return r->next_end ? next_in_tree(r, e, err) : next_in_text(r, e, err);
}

/* ---- items
 * ---------------------------------------------------------------------------------------------------
 */

static fer_code fail_at_entry(fer_reader *r, const struct entry *e, fer_err *err)
{
    if (!err) return FER_UNKNOWN_SHAPE;
    err->offset = e->base + fer_json_offset(e->doc, e->value);
    fer_err_locate_in(err, &r->lines);
    return err->code;
}

/* Shapes that differ in the key of their schema only: a rule of tools_json tells of them. */
static bool may_mix(enum fer_shape shape)
{
    return shape == FER_SHAPE_ANTHROPIC || shape == FER_SHAPE_FUNCTION || shape == FER_SHAPE_MCP;
}

static fer_code check_shape(fer_reader *r, const struct entry *e, enum fer_shape shape,
                            fer_err *err)
{
    if (shape == FER_SHAPE_NONE) {
        fer_fail(
            err, FER_UNKNOWN_SHAPE,
            "tool %zu is %s in no known shape: expected an object with name and inputSchema, input_schema or parameters",
            r->number + 1, fer_val_type_name(e->value));
        fail_at_entry(r, e, err);
        return entry_failed(r, FER_UNKNOWN_SHAPE, true, err);
    }
    if (shape == FER_SHAPE_BUILTIN) return FER_OK;
    if (r->shape == FER_SHAPE_NONE) r->shape = shape;
    if (fer_shape_fits(r->shape, shape) || (r->mixed && may_mix(r->shape) && may_mix(shape)))
        return FER_OK;
    fer_fail(
        err, FER_MIXED_SHAPES,
        "tool %zu has the shape of %s, but those before it that of %s; keep them in separate files",
        r->number + 1, fer_shape_info(shape)->title, fer_shape_info(r->shape)->title);
    fail_at_entry(r, e, err);
    return entry_failed(r, FER_MIXED_SHAPES, true, err);
}

static fer_code count_tool(fer_reader *r, fer_err *err)
{
    if (r->number >= FER_TOOLS_MAX) return too_many(err);
    r->number++;
    return FER_OK;
}

/* Gemini puts several declarations into one entry. */
static fer_code begin_declarations(fer_reader *r, const struct entry *e, fer_err *err)
{
    const char *key = fer_val_get(e->value, "functionDeclarations") ? "functionDeclarations"
                                                                    : "function_declarations";
    const yyjson_val *list = fer_val_get(e->value, key);
    if (!fer_is_arr(list)) return check_shape(r, e, FER_SHAPE_NONE, err);
    r->entry = e->value;
    r->doc = e->doc;
    r->base = e->base;
    r->prefix = e->prefix;
    r->declared_key = fer_str_of(key);
    r->declared_index = 0;
    r->declared = list + 1;
    r->declared_end = fer_val_next(list);
    return fer_json_index(r->items, e->doc, err);
}

static fer_code next_declaration(fer_reader *r, fer_item *out, fer_err *err)
{
    struct entry e = {r->doc, r->base, r->declared, r->prefix};
    size_t index = r->declared_index++;
    r->declared = fer_val_next(r->declared);
    if (!fer_is_obj(e.value)) return check_shape(r, &e, FER_SHAPE_NONE, err);
    fer_code code = count_tool(r, err);
    if (code) return code;
    fer_str inside = fer_arena_printf(r->items, "/%.*s/%zu", FER_PRI(r->declared_key), index);
    if (!inside.ptr) return fer_arena_failed(r->items, err);
    *out = (fer_item){.shape = FER_SHAPE_GEMINI,
                      .doc = e.doc,
                      .entry = r->entry,
                      .record = e.value,
                      .number = r->number,
                      .base = e.base,
                      .prefix = e.prefix,
                      .inside = inside};
    return FER_OK;
}

static fer_code item_of_entry(fer_reader *r, const struct entry *e, enum fer_shape shape,
                              fer_item *out, fer_err *err)
{
    const char *inside = fer_shape_info(shape)->inside;
    const yyjson_val *record = inside ? fer_val_get(e->value, inside) : e->value;
    if (!fer_is_obj(record)) return check_shape(r, e, FER_SHAPE_NONE, err);
    fer_code code = count_tool(r, err);
    if (code) return code;
    *out = (fer_item){.shape = shape,
                      .doc = e->doc,
                      .entry = e->value,
                      .record = record,
                      .number = r->number,
                      .base = e->base,
                      .prefix = e->prefix,
                      .inside = FER_STR("")};
    if (inside) {
        out->inside = fer_arena_printf(r->items, "/%s", inside);
        if (!out->inside.ptr) return fer_arena_failed(r->items, err);
    }
    return FER_OK;
}

fer_code fer_reader_next(fer_reader *r, fer_item *out, fer_err *err)
{
    struct entry e;
    r->resumable = false;
    for (;;) {
        if (r->declared && r->declared < r->declared_end) return next_declaration(r, out, err);
        fer_code code = next_entry(r, &e, err);
        if (code) return code;
        if (!e.value) {
            *out = (fer_item){0};
            return FER_OK;
        }
        enum fer_shape shape = fer_shape_of(e.value);
        code = check_shape(r, &e, shape, err);
        if (code) return code;
        if (shape != FER_SHAPE_GEMINI) return item_of_entry(r, &e, shape, out, err);
        code = begin_declarations(r, &e, err);
        if (code) return code;
    }
}

/* ---- findings
 * --------------------------------------------------------------------------------------------------
 */

fer_code fer_reader_place(fer_reader *r, const fer_item *item, fer_str source, fer_str tool,
                          size_t offset, fer_finding *f, fer_err *err)
{
    offset += item->base;
    f->source = source;
    f->tool = tool;
    f->number = item->number;
    f->place = fer_lines_place(&r->lines, offset);
    f->length = fer_json_token_len(r->text, offset);
    f->pointer = fer_arena_printf(r->items, "%.*s%.*s%.*s", FER_PRI(item->prefix),
                                  FER_PRI(item->inside), FER_PRI(f->tool_pointer));
    return f->pointer.ptr ? FER_OK : fer_arena_failed(r->items, err);
}
