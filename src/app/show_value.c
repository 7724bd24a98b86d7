/* SPDX-License-Identifier: Apache-2.0 */
#include "show_value.h"

#include <libsmartcols.h>
#include <stdio.h>

#include "errors.h"
#include "json_value.h"
#include "unicode.h"

#define COLUMNS_MAX 12 /* of a table; values with more are shown as JSON */

/* ---- cells
 * ------------------------------------------------------------------------------------------- */

/* A text as it is, anything else as JSON. */
static fer_code cell(fer_arena *a, const yyjson_val *v, fer_str *out, fer_err *err)
{
    if (!fer_is_str(v)) return fer_json_write(a, v, false, out, err);
    *out = fer_val_str(v);
    return FER_OK;
}

/* ---- an object
 * ----------------------------------------------------------------------------------------- */

static fer_code show_members(fer_arena *a, fer_out *o, const yyjson_val *object, fer_err *err)
{
    size_t width = 0;
    FER_EACH_MEMBER (object, key) {
        size_t own = fer_unicode_width(fer_val_str(key));
        if (own > width) width = own;
    }
    FER_EACH_MEMBER (object, key) {
        fer_str text;
        fer_code code = cell(a, key + 1, &text, err);
        if (code) return code;
        fer_out_style(o, FER_STYLE_DIM);
        fer_out_clean(o, fer_val_str(key));
        fer_out_style(o, FER_STYLE_NONE);
        for (size_t w = fer_unicode_width(fer_val_str(key)); w < width + 2; w++)
            fer_out_text(o, " ");
        fer_out_clean(o, text);
        fer_out_text(o, "\n");
    }
    return FER_OK;
}

/* ---- a list of objects
 * ------------------------------------------------------------------------------------ */

/* The names that all its objects have, together; 0: it is no table. */
static size_t columns_of(const yyjson_val *list, fer_str out[COLUMNS_MAX])
{
    size_t count = 0;
    FER_EACH_ITEM (list, item) {
        if (!fer_is_obj(item)) return 0;
        FER_EACH_MEMBER (item, key) {
            size_t i = 0;
            while (i < count && !fer_str_eq(out[i], fer_val_str(key))) i++;
            if (i < count) continue;
            if (count == COLUMNS_MAX) return 0;
            out[count++] = fer_val_str(key);
        }
    }
    return count;
}

static bool add_line(fer_arena *a, struct libscols_table *t, const yyjson_val *item,
                     const fer_str *names, size_t count)
{
    struct libscols_line *line = scols_table_new_line(t, NULL);
    for (size_t i = 0; line && i < count; i++) {
        const yyjson_val *key = fer_val_key(item, names[i]);
        fer_str text = FER_STR("");
        if (key && cell(a, key + 1, &text, NULL)) return false;
        text = fer_arena_copy(a, text);
        if (!text.ptr || scols_line_set_data(line, i, text.ptr) != 0) return false;
    }
    return line != NULL;
}

static fer_code show_rows(fer_arena *a, fer_out *o, const yyjson_val *list, const fer_str *names,
                          size_t count, fer_err *err)
{
    struct libscols_table *t = scols_new_table();
    bool ok = t != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        fer_str name = fer_arena_copy(a, names[i]);
        ok = name.ptr && scols_table_new_column(t, name.ptr, 1.0 / (double)count,
                                                i + 1 == count ? SCOLS_FL_WRAP : SCOLS_FL_TRUNC);
    }
    FER_EACH_ITEM (list, item) ok = ok && add_line(a, t, item, names, count);
    fer_out_flush(o);
    ok = ok && scols_print_table(t) == 0 && fflush(stdout) == 0;
    if (t) scols_unref_table(t);
    return ok ? FER_OK : fer_fail(err, FER_IO_ERROR, "the table cannot be shown");
}

/* ---- all
 * ------------------------------------------------------------------------------------------------------
 */

/* On a terminal no text may give orders to it; lines stay lines. */
static void write_text(fer_out *o, fer_str text)
{
    size_t from = 0;
    while (o->terminal && from < text.len) {
        size_t end = fer_str_find(text, from, '\n');
        fer_out_clean(o, fer_str_slice(text, from, end == SIZE_MAX ? text.len : end));
        if (end == SIZE_MAX) break;
        fer_out_text(o, "\n");
        from = end + 1;
    }
    if (!o->terminal) fer_out_add(o, text);
    if (!text.len || text.ptr[text.len - 1] != '\n') fer_out_text(o, "\n");
}

static fer_code show_table(fer_arena *a, fer_out *o, const yyjson_val *v, fer_err *err)
{
    fer_str names[COLUMNS_MAX], text;
    size_t count = fer_is_arr(v) && fer_val_len(v) ? columns_of(v, names) : 0;
    if (count) return show_rows(a, o, v, names, count, err);
    if (fer_is_obj(v) && fer_val_len(v)) return show_members(a, o, v, err);
    if (fer_is_str(v)) {
        write_text(o, fer_val_str(v));
        return FER_OK;
    }
    fer_code code = fer_json_write(a, v, true, &text, err);
    if (code) return code;
    fer_out_add(o, text);
    fer_out_text(o, "\n");
    return FER_OK;
}

fer_code fer_show_value(fer_arena *a, fer_out *o, fer_str json, fer_showing how, fer_err *err)
{
    fer_json *doc;
    fer_str line;
    fer_code code = fer_json_read(a, json, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *v = fer_json_root(doc);
    if (how == FER_SHOW_TABLE) return show_table(a, o, v, err);
    if (how == FER_SHOW_RAW && fer_is_str(v)) {
        write_text(o, fer_val_str(v));
        return FER_OK;
    }
    code = fer_json_write(a, v, false, &line, err);
    if (code) return code;
    fer_out_add(o, line);
    fer_out_text(o, "\n");
    return FER_OK;
}
