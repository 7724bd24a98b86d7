/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonc_edit.h"

#include "config_parts.h"
#include "errors.h"
#include "json_skim.h"

typedef struct editing {
    fer_arena *arena;
    fer_str text;  /* as it stands */
    fer_str clean; /* the same without comments: places are those of the text */
    const fer_json *doc;
    fer_str unit; /* of indent */
    fer_splices *out;
    fer_err *err;
} editing;

/* ---- the text ----------------------------------------------------------------------------------
 */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool has_line(fer_str text, size_t from, size_t to)
{
    size_t at = fer_str_find(text, from, '\n');
    return at != SIZE_MAX && at < to;
}

/* The blanks at the beginning of the line that `at` is in. */
static fer_str indent_at(fer_str text, size_t at)
{
    size_t start = at, end;
    while (start > 0 && text.ptr[start - 1] != '\n') start--;
    for (end = start; end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t');) end++;
    return fer_str_slice(text, start, end);
}

/* One step of indent, as the first line that has one shows it. */
static fer_str find_unit(fer_str text)
{
    for (size_t at = fer_str_find(text, 0, '\n'); at != SIZE_MAX;
         at = fer_str_find(text, at + 1, '\n')) {
        size_t end = at + 1;
        while (end < text.len && (text.ptr[end] == ' ' || text.ptr[end] == '\t')) end++;
        if (end > at + 1 && end < text.len && text.ptr[end] == '"')
            return text.ptr[at + 1] == '\t' ? FER_STR("\t") : fer_str_slice(text, at + 1, end);
    }
    return FER_STR("  ");
}

static fer_code begin(editing *e)
{
    fer_json *doc;
    fer_code code = fer_json_read(e->arena, e->text, fer_json_limits_file(), &doc, e->err);
    e->clean = e->text;
    if (code == FER_INVALID_JSON) {
        fer_err other;
        e->clean = fer_jsonc_clean(e->arena, e->text);
        if (!e->clean.ptr) return fer_arena_failed(e->arena, e->err);
        size_t at = 0;
        while (at < e->clean.len && is_blank(e->clean.ptr[at])) at++;
        if (at == e->clean.len) { /* nothing but comments */
            e->doc = NULL;
            return FER_OK;
        }
        if (fer_json_read(e->arena, e->clean, fer_json_limits_file(), &doc, &other)) return code;
        code = FER_OK;
    }
    if (code) return code;
    e->doc = doc;
    if (fer_is_obj(fer_json_root(doc))) return FER_OK;
    return fer_fail(e->err, FER_BAD_USAGE, "the text is %s, not an object",
                    fer_val_type_name(fer_json_root(doc)));
}

static fer_code add_splice(editing *e, size_t from, size_t to, fer_str text)
{
    fer_splice *list =
        fer_arena_room(e->arena, e->out->list, e->out->count, &e->out->cap, sizeof *list);
    if (!list) return fer_arena_failed(e->arena, e->err);
    e->out->list = list;
    list[e->out->count++] = (fer_splice){from, to, text};
    return FER_OK;
}

static size_t start_of(const editing *e, const yyjson_val *v)
{
    return fer_json_offset(e->doc, v);
}

static size_t end_of(const editing *e, const yyjson_val *v)
{
    return fer_skim_value(e->clean, fer_json_offset(e->doc, v));
}

/* Behind the comma that follows, where only blanks and comments stand between; SIZE_MAX: none. */
static size_t comma_after(const editing *e, size_t at)
{
    /* A comma behind the last member is a blank in the clean text; a comment is one in both. */
    while (at < e->text.len) {
        char c = e->text.ptr[at];
        size_t end = fer_jsonc_comment_end(e->text, at);
        if (end > at) at = end;
        else if (c == ',') return at + 1;
        else if (is_blank(c)) at++;
        else return SIZE_MAX;
    }
    return SIZE_MAX;
}

/* Behind a comment on the same line, so that it stays with what it is about; or `at`. */
static size_t behind_remark(const editing *e, size_t at)
{
    size_t i = at;
    while (i < e->text.len && (e->text.ptr[i] == ' ' || e->text.ptr[i] == '\t')) i++;
    size_t end = i < e->text.len ? fer_jsonc_comment_end(e->text, i) : i;
    if (end == i || has_line(e->text, i, end)) return at;
    return end > i && e->text.ptr[end - 1] == '\r' ? end - 1 : end;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

/* A value over several lines, those behind the first below `indent`. */
static fer_code add_pretty(editing *e, fer_buf *b, const yyjson_val *v, fer_str indent)
{
    fer_str text;
    fer_code code = fer_json_write(e->arena, v, true, &text, e->err);
    if (code) return code;
    while (text.len && is_blank(text.ptr[text.len - 1])) text.len--;
    for (size_t i = 0; i < text.len; i++) {
        fer_buf_add_char(b, text.ptr[i]);
        if (text.ptr[i] != '\n') continue;
        fer_buf_add(b, indent);
        /* Written with two blanks a step. */
        for (; i + 2 < text.len && text.ptr[i + 1] == ' ' && text.ptr[i + 2] == ' '; i += 2)
            fer_buf_add(b, e->unit);
    }
    return fer_buf_code(b, e->err);
}

/* "name": {"name": ... value}, on one line or several. */
static fer_code write_member(editing *e, const fer_str *path, size_t depth, fer_str value,
                             bool lines, fer_str indent, fer_str *out)
{
    fer_buf nested, b;
    fer_json *doc;
    fer_buf_init(&nested, e->arena, FER_CONFIG_SIZE);
    fer_buf_init(&b, e->arena, FER_CONFIG_SIZE);
    for (size_t i = 1; i < depth; i++) {
        fer_buf_add_char(&nested, '{');
        fer_buf_add_quoted(&nested, path[i]);
        fer_buf_add_char(&nested, ':');
    }
    fer_buf_add(&nested, value);
    for (size_t i = 1; i < depth; i++) fer_buf_add_char(&nested, '}');
    fer_code code = fer_buf_code(&nested, e->err);
    if (!code) code = fer_json_read(e->arena, fer_buf_view(&nested), NULL, &doc, e->err);
    if (code) return code;
    fer_buf_add_quoted(&b, path[0]);
    fer_buf_add_text(&b, ": ");
    if (lines) code = add_pretty(e, &b, fer_json_root(doc), indent);
    else fer_buf_add(&b, fer_buf_view(&nested));
    *out = fer_buf_view(&b);
    return code ? code : fer_buf_code(&b, e->err);
}

static fer_str joined(editing *e, fer_str a, fer_str b)
{
    return fer_arena_printf(e->arena, "%.*s%.*s", FER_PRI(a), FER_PRI(b));
}

/* A member of an object that has none yet. */
static fer_code put_first(editing *e, const yyjson_val *object, const fer_str *path, size_t depth,
                          fer_str value)
{
    size_t from = start_of(e, object), close = end_of(e, object) - 1, at = close;
    bool lines = has_line(e->text, 0, e->text.len) || fer_val_len(fer_json_root(e->doc)) == 0;
    fer_str outer = indent_at(e->text, from), indent = joined(e, outer, e->unit), member;
    while (at > from + 1 && is_blank(e->text.ptr[at - 1])) at--;
    if (!indent.ptr) return fer_arena_failed(e->arena, e->err);
    fer_code code = write_member(e, path, depth, value, lines, indent, &member);
    if (code) return code;
    fer_str text = lines ? fer_arena_printf(e->arena, "\n%.*s%.*s\n%.*s", FER_PRI(indent),
                                            FER_PRI(member), FER_PRI(outer))
                         : member;
    if (!text.ptr) return fer_arena_failed(e->arena, e->err);
    /* A comma that stands alone is read as one behind a last member: it goes. */
    size_t comma = comma_after(e, from + 1);
    if (comma != SIZE_MAX) code = add_splice(e, comma - 1, comma, FER_STR(""));
    /* Behind what comments there are; the blanks before the bracket are taken over. */
    return code ? code : add_splice(e, at, close, text);
}

/* A member behind the last. */
static fer_code put_last(editing *e, const yyjson_val *object, const fer_str *path, size_t depth,
                         fer_str value)
{
    const yyjson_val *last = object + 1; /* there is one at least */
    fer_str member;
    FER_EACH_MEMBER (object, key) last = key;
    size_t end = end_of(e, last + 1), comma = comma_after(e, end);
    bool lines = has_line(e->text, start_of(e, object), start_of(e, last));
    fer_str indent = indent_at(e->text, start_of(e, last));
    fer_code code = write_member(e, path, depth, value, lines, indent, &member);
    if (code) return code;
    bool trailing = comma != SIZE_MAX;
    size_t at = trailing ? comma : end;
    size_t place = lines ? behind_remark(e, at) : at;
    const char *tail = trailing ? "," : "";
    fer_str text =
        lines ? fer_arena_printf(e->arena, "\n%.*s%.*s%s", FER_PRI(indent), FER_PRI(member), tail)
              : fer_arena_printf(e->arena, " %.*s%s", FER_PRI(member), tail);
    if (!text.ptr) return fer_arena_failed(e->arena, e->err);
    if (!trailing && place == at) { /* both at one place */
        text = joined(e, FER_STR(","), text);
        return text.ptr ? add_splice(e, at, at, text) : fer_arena_failed(e->arena, e->err);
    }
    if (!trailing) code = add_splice(e, at, at, FER_STR(","));
    return code ? code : add_splice(e, place, place, text);
}

static fer_code replace(editing *e, const yyjson_val *key, fer_str value)
{
    fer_json *doc;
    fer_buf b;
    size_t from = start_of(e, key + 1), to = end_of(e, key + 1);
    fer_code code = fer_json_read(e->arena, value, NULL, &doc, e->err);
    if (code) return code;
    bool same = false;
    code = fer_json_equal(e->arena, key + 1, fer_json_root(doc), &same, e->err);
    if (code || same) return code;
    bool lines = has_line(e->text, 0, e->text.len);
    fer_buf_init(&b, e->arena, FER_CONFIG_SIZE);
    if (lines) code = add_pretty(e, &b, fer_json_root(doc), indent_at(e->text, start_of(e, key)));
    else fer_buf_add(&b, value);
    if (!code) code = fer_buf_code(&b, e->err);
    return code ? code : add_splice(e, from, to, fer_buf_view(&b));
}

/* ---- the path ----------------------------------------------------------------------------------
 */

static fer_code no_object(editing *e, const yyjson_val *v, fer_str name)
{
    fer_lines lines;
    fer_lines_init(&lines, e->text);
    fer_place place = fer_lines_place(&lines, start_of(e, v));
    fer_fail(e->err, FER_BAD_USAGE, "\"%.*s\" is %s, not an object", FER_PRI(name),
             fer_val_type_name(v));
    if (e->err) {
        e->err->line = place.line;
        e->err->column = place.column;
    }
    return FER_BAD_USAGE;
}

/* Follows the path as far as it goes: the object it ends in, and the names that are left. */
static fer_code follow(editing *e, const fer_str *path, size_t depth, const yyjson_val **object,
                       size_t *left)
{
    const yyjson_val *at = fer_json_root(e->doc);
    size_t i = 0;
    for (; i + 1 < depth; i++) {
        const yyjson_val *key = fer_val_key(at, path[i]);
        if (!key) break;
        if (!fer_is_obj(key + 1)) return no_object(e, key + 1, path[i]);
        at = key + 1;
    }
    *object = at;
    *left = depth - i;
    return FER_OK;
}

/* A text without a value becomes one, behind what comments it has. */
static fer_code put_all(editing *e, const fer_str *path, size_t depth, fer_str value)
{
    fer_str member;
    size_t at = e->text.len;
    while (at > 0 && is_blank(e->text.ptr[at - 1])) at--;
    fer_code code = write_member(e, path, depth, value, true, e->unit, &member);
    if (code) return code;
    fer_str text = fer_arena_printf(e->arena, "%s{\n%.*s%.*s\n}\n", at ? "\n" : "",
                                    FER_PRI(e->unit), FER_PRI(member));
    return text.ptr ? add_splice(e, at, e->text.len, text) : fer_arena_failed(e->arena, e->err);
}

fer_code fer_jsonc_set(fer_arena *a, fer_str text, const fer_str *path, size_t depth, fer_str value,
                       fer_splices *out, fer_err *err)
{
    editing e = {.arena = a, .text = text, .unit = find_unit(text), .out = out, .err = err};
    const yyjson_val *object;
    size_t left;
    fer_code code = begin(&e);
    if (code) return code;
    if (!e.doc) return put_all(&e, path, depth, value);
    code = follow(&e, path, depth, &object, &left);
    if (code) return code;
    const fer_str *rest = path + (depth - left);
    const yyjson_val *key = left == 1 ? fer_val_key(object, rest[0]) : NULL;
    if (key) return replace(&e, key, value);
    return fer_val_len(object) ? put_last(&e, object, rest, left, value)
                               : put_first(&e, object, rest, left, value);
}

/* ---- taking out --------------------------------------------------------------------------------
 */

/* The member before `key` in its object, or NULL. */
static const yyjson_val *before(const yyjson_val *object, const yyjson_val *key)
{
    const yyjson_val *last = NULL;
    FER_EACH_MEMBER (object, one) {
        if (one == key) return last;
        last = one;
    }
    return NULL;
}

/* The line goes with its member, where nothing else is on it. */
static void widen(const editing *e, size_t *from, size_t *to)
{
    size_t start = *from, end = *to;
    while (start > 0 && (e->text.ptr[start - 1] == ' ' || e->text.ptr[start - 1] == '\t')) start--;
    while (end < e->text.len && (e->text.ptr[end] == ' ' || e->text.ptr[end] == '\t')) end++;
    if (end < e->text.len && e->text.ptr[end] == '\r') end++;
    if (!start || e->text.ptr[start - 1] != '\n' || end >= e->text.len || e->text.ptr[end] != '\n')
        return;
    *from = start;
    *to = end + 1;
}

static fer_code take_out(editing *e, const yyjson_val *object, const yyjson_val *key)
{
    size_t from = start_of(e, key), to = end_of(e, key + 1), comma = comma_after(e, to);
    const yyjson_val *previous = before(object, key);
    fer_code code = FER_OK;
    if (comma != SIZE_MAX) {
        size_t at = to;
        while (is_blank(e->text.ptr[at])) at++;
        /* Comments between the value and its comma stay. */
        if (at == comma - 1) to = comma;
        else code = add_splice(e, comma - 1, comma, FER_STR(""));
    } else if (previous) {
        size_t old = comma_after(e, end_of(e, previous + 1));
        if (old != SIZE_MAX) code = add_splice(e, old - 1, old, FER_STR(""));
    }
    widen(e, &from, &to);
    return code ? code : add_splice(e, from, to, FER_STR(""));
}

fer_code fer_jsonc_remove(fer_arena *a, fer_str text, const fer_str *path, size_t depth,
                          fer_splices *out, fer_err *err)
{
    editing e = {.arena = a, .text = text, .unit = find_unit(text), .out = out, .err = err};
    const yyjson_val *object;
    size_t left;
    fer_code code = begin(&e);
    if (code || !e.doc) return code;
    code = follow(&e, path, depth, &object, &left);
    if (code || left != 1) return code;
    const yyjson_val *key = fer_val_key(object, path[depth - 1]);
    return key ? take_out(&e, object, key) : FER_OK;
}
