/* SPDX-License-Identifier: Apache-2.0 */
/* One table, two uses: it becomes a schema, and it puts arguments into the fields of a struct. */
#include <ferrule/schema.h>

#include "buf.h"
#include "errors.h"
#include "json_number.h"
#include "json_value.h"
#include "json_write.h"
#include "map.h"

/* ---- the schema ---------------------------------------------------------- */

static const char *const type_names[] = {
    [FER_BIND_STRING] = "string",   [FER_BIND_INTEGER] = "integer", [FER_BIND_NUMBER] = "number",
    [FER_BIND_BOOLEAN] = "boolean", [FER_BIND_JSON] = NULL,
};

/* JSON that stands in the table itself: what is wrong with it is the programmer's. */
static fer_code read_own(fer_arena *a, const fer_bind_row *row, const char *what, const char *text,
                         const yyjson_val **out, fer_err *err)
{
    fer_json *doc;
    fer_err why;
    fer_str copy = fer_arena_copy(a, fer_str_of(text));
    if (!copy.ptr) return fer_arena_failed(a, err);
    fer_code code = fer_json_read(a, copy, NULL, &doc, &why);
    /* Without memory it cannot be told whether the text is right. */
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) {
        return fer_fail(err, code, "%s", why.message);
    }
    if (code) {
        return fer_fail(err, FER_BAD_USAGE, "The %s of the parameter `%s` is not JSON: %s", what,
                        row->name, why.message);
    }
    *out = fer_json_root(doc);
    return FER_OK;
}

static bool fits(const fer_bind_row *row, const yyjson_val *v)
{
    switch (row->kind) {
    case FER_BIND_STRING: return fer_is_str(v);
    case FER_BIND_INTEGER: return fer_is_num(v) && fer_number_is_integer(v);
    case FER_BIND_NUMBER: return fer_is_num(v);
    case FER_BIND_BOOLEAN: return fer_is_bool(v);
    case FER_BIND_JSON: return true;
    }
    return false;
}

static fer_code read_default(fer_arena *a, const fer_bind_row *row, const yyjson_val **out,
                             fer_err *err)
{
    fer_code code = read_own(a, row, "default", row->default_json, out, err);
    if (code || fits(row, *out)) return code;
    return fer_fail(err, FER_BAD_USAGE, "The default of the parameter `%s` is %s, not of its type.",
                    row->name, fer_val_type_name(*out));
}

static void add_name(fer_buf *b, bool *first, fer_str name)
{
    if (!*first) fer_buf_add_char(b, ',');
    *first = false;
    fer_buf_add_quoted(b, name);
    fer_buf_add_char(b, ':');
}

/* The keywords of the row, unless `more` has its own word on them. */
static fer_code add_row(fer_arena *a, fer_buf *b, const fer_bind_row *row, fer_err *err)
{
    const yyjson_val *more = NULL, *value = NULL;
    fer_code code = FER_OK;
    if (row->schema_json) code = read_own(a, row, "schema", row->schema_json, &more, err);
    if (!code && more && !fer_is_obj(more)) {
        code = fer_fail(err, FER_BAD_USAGE, "The schema of the parameter `%s` is not an object.",
                        row->name);
    }
    if (!code && row->default_json) code = read_default(a, row, &value, err);
    if (code) return code;
    bool first = true;
    fer_buf_add_char(b, '{');
    if (type_names[row->kind] && !(more && fer_val_get(more, "type"))) {
        add_name(b, &first, FER_STR("type"));
        fer_buf_add_quoted(b, fer_str_of(type_names[row->kind]));
    }
    if (row->description && !(more && fer_val_get(more, "description"))) {
        add_name(b, &first, FER_STR("description"));
        fer_buf_add_quoted(b, fer_str_of(row->description));
    }
    if (row->default_json && !(more && fer_val_get(more, "default"))) {
        add_name(b, &first, FER_STR("default"));
        code = fer_write_add(a, b, value, &(fer_notation){0}, err);
    }
    if (more) {
        FER_EACH_MEMBER (more, key) {
            if (code) break;
            add_name(b, &first, fer_val_str(key));
            code = fer_write_add(a, b, key + 1, &(fer_notation){0}, err);
        }
    }
    fer_buf_add_char(b, '}');
    return code;
}

static fer_code check_names(fer_arena *a, const fer_bind_row *rows, size_t count, fer_err *err)
{
    fer_map names;
    fer_map_init(&names, a);
    for (size_t i = 0; i < count; i++) {
        void **place = fer_map_put(&names, fer_str_of(rows[i].name));
        if (!place) return fer_arena_failed(a, err);
        if (*place) {
            return fer_fail(err, FER_BAD_USAGE, "The table has the parameter `%s` twice.",
                            rows[i].name);
        }
        *place = &names;
    }
    return FER_OK;
}

fer_code fer_bind_schema(fer_arena *a, const fer_bind_row *rows, size_t count, fer_str *out,
                         fer_err *err)
{
    fer_buf b;
    bool first = true, required = false;
    fer_code code = check_names(a, rows, count, err);
    fer_buf_init(&b, a, fer_schema_limits_file()->size);
    fer_buf_add_text(&b, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < count && !code; i++) {
        add_name(&b, &first, fer_str_of(rows[i].name));
        code = add_row(a, &b, &rows[i], err);
    }
    fer_buf_add_char(&b, '}');
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].required) continue;
        fer_buf_add_text(&b, required ? "," : ",\"required\":[");
        fer_buf_add_quoted(&b, fer_str_of(rows[i].name));
        required = true;
    }
    fer_buf_add_text(&b, required ? "],\"additionalProperties\":false}"
                                  : ",\"additionalProperties\":false}");
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- the arguments ------------------------------------------------------- */

union field {
    fer_str text;
    int64_t integer;
    double number;
    bool boolean;
    const yyjson_val *json;
};

/* A whole number as 64 bits, if they hold it. */
static bool as_int64(const yyjson_val *v, int64_t *out)
{
    fer_decimal d;
    uint64_t value = 0;
    fer_number_decimal(v, &d);
    if (d.exponent > 19) return false;
    for (int64_t i = 0; i < d.exponent; i++) {
        unsigned digit = (size_t)i < d.count ? (unsigned)(d.digits[i] - '0') : 0;
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (value > (uint64_t)INT64_MAX + d.negative) return false;
    *out = (int64_t)(d.negative ? 0 - value : value);
    return true;
}

/* The nearest binary64; false past its range. */
static bool as_double(const yyjson_val *v, double *out)
{
    yyjson_val read = *v;
    if (fer_val_type(v) == YYJSON_TYPE_RAW &&
        !yyjson_read_number(v->uni.str, &read, 0, NULL, NULL)) {
        return false;
    }
    switch (fer_val_tag(&read)) {
    case FER_TAG_UINT: *out = (double)read.uni.u64; break;
    case FER_TAG_SINT: *out = (double)read.uni.i64; break;
    default: *out = read.uni.f64; break;
    }
    return true;
}

static fer_code convert(const fer_bind_row *row, const yyjson_val *v, union field *out,
                        fer_err *err)
{
    if (!fits(row, v)) {
        return fer_fail(err, FER_INVALID_TYPE, "The argument `%s` must be of type %s, but is %s.",
                        row->name, type_names[row->kind],
                        row->kind == FER_BIND_INTEGER && fer_is_num(v) ? "a number with a fraction"
                                                                       : fer_val_type_name(v));
    }
    bool holds = true;
    switch (row->kind) {
    case FER_BIND_STRING: out->text = fer_val_str(v); break;
    case FER_BIND_INTEGER: holds = as_int64(v, &out->integer); break;
    case FER_BIND_NUMBER: holds = as_double(v, &out->number); break;
    case FER_BIND_BOOLEAN: out->boolean = fer_is_true(v); break;
    case FER_BIND_JSON: out->json = v; break;
    }
    if (holds) return FER_OK;
    return fer_fail(err, FER_OUT_OF_RANGE, "The argument `%s` does not fit %s.", row->name,
                    row->kind == FER_BIND_INTEGER ? "64 bits" : "a double");
}

static void store(const fer_bind_row *row, const union field *field, void *into)
{
    char *to = (char *)into + row->offset;
    switch (row->kind) {
    case FER_BIND_STRING: memcpy(to, &field->text, sizeof field->text); break;
    case FER_BIND_INTEGER: memcpy(to, &field->integer, sizeof field->integer); break;
    case FER_BIND_NUMBER: memcpy(to, &field->number, sizeof field->number); break;
    case FER_BIND_BOOLEAN: memcpy(to, &field->boolean, sizeof field->boolean); break;
    case FER_BIND_JSON: memcpy(to, &field->json, sizeof field->json); break;
    }
}

/* The argument of a row, or its default; NULL: neither. */
static fer_code find(fer_arena *a, const fer_bind_row *row, const yyjson_val *arguments,
                     const yyjson_val **out, fer_err *err)
{
    const yyjson_val *key = arguments ? fer_val_key(arguments, fer_str_of(row->name)) : NULL;
    *out = key ? key + 1 : NULL;
    if (key) return FER_OK;
    if (row->required) {
        return fer_fail(err, FER_REQUIRED_MISSING, "The argument `%s` is required, but is missing.",
                        row->name);
    }
    return row->default_json ? read_default(a, row, out, err) : FER_OK;
}

/* All arguments are converted before the first field is written: failure leaves no traces. */
fer_code fer_bind_arguments(fer_arena *a, const fer_bind_row *rows, size_t count,
                            const yyjson_val *arguments, void *into, fer_err *err)
{
    struct bound {
        union field field;
        bool there;
    } *bound = fer_arena_alloc_zero(a, count + 1, sizeof *bound);
    if (!bound) return fer_arena_failed(a, err);
    if (arguments && !fer_is_obj(arguments)) {
        return fer_fail(err, FER_INVALID_TYPE, "The arguments must be an object, but are %s.",
                        fer_val_type_name(arguments));
    }
    for (size_t i = 0; i < count; i++) {
        const yyjson_val *value = NULL;
        fer_code code = find(a, &rows[i], arguments, &value, err);
        if (!code && value) code = convert(&rows[i], value, &bound[i].field, err);
        if (code) return code;
        bound[i].there = value != NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (bound[i].there) store(&rows[i], &bound[i].field, into);
    }
    return FER_OK;
}
