/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small schemas as text. What goes wrong on the way (no memory, a part that is itself a
 * failure) makes the result empty, so that a tree of calls needs one check at its end.
 */
#include <ferrule/schema.h>

#include "buf.h"

static void begin(fer_buf *b, fer_arena *a, const char *type)
{
    fer_buf_init(b, a, fer_schema_limits_file()->size);
    fer_buf_printf(b, "{\"type\":\"%s\"", type);
}

static void add_member(fer_buf *b, const char *name, fer_str json)
{
    fer_buf_printf(b, ",\"%s\":", name);
    fer_buf_add(b, json);
}

static void add_text(fer_buf *b, const char *name, const char *text)
{
    if (!text) return;
    fer_buf_printf(b, ",\"%s\":", name);
    fer_buf_add_quoted(b, fer_str_of(text));
}

static fer_str end(fer_buf *b, const fer_describe *about)
{
    if (about) {
        add_text(b, "title", about->title);
        add_text(b, "description", about->description);
        if (about->default_json) add_member(b, "default", fer_str_of(about->default_json));
    }
    fer_buf_add_char(b, '}');
    return b->failure ? FER_STR_NONE : fer_buf_view(b);
}

static fer_str plain(fer_arena *a, const char *type, const fer_describe *about)
{
    fer_buf b;
    begin(&b, a, type);
    return end(&b, about);
}

fer_str fer_make_string(fer_arena *a, const fer_describe *about)
{
    return plain(a, "string", about);
}

fer_str fer_make_boolean(fer_arena *a, const fer_describe *about)
{
    return plain(a, "boolean", about);
}

fer_str fer_make_number(fer_arena *a, const fer_describe *about)
{
    return plain(a, "number", about);
}

fer_str fer_make_pattern(fer_arena *a, const char *pattern, const fer_describe *about)
{
    fer_buf b;
    begin(&b, a, "string");
    add_text(&b, "pattern", pattern);
    return end(&b, about);
}

fer_str fer_make_format(fer_arena *a, const char *format, const fer_describe *about)
{
    fer_buf b;
    begin(&b, a, "string");
    add_text(&b, "format", format);
    return end(&b, about);
}

fer_str fer_make_enum(fer_arena *a, const char *const *values, size_t count,
                      const fer_describe *about)
{
    fer_buf b;
    begin(&b, a, "string");
    add_member(&b, "enum", FER_STR("["));
    for (size_t i = 0; i < count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, fer_str_of(values[i]));
    }
    fer_buf_add_char(&b, ']');
    return end(&b, about);
}

fer_str fer_make_integer(fer_arena *a, int64_t min, int64_t max, const fer_describe *about)
{
    fer_buf b;
    begin(&b, a, "integer");
    if (min != INT64_MIN) fer_buf_printf(&b, ",\"minimum\":%lld", (long long)min);
    if (max != INT64_MAX) fer_buf_printf(&b, ",\"maximum\":%lld", (long long)max);
    return end(&b, about);
}

fer_str fer_make_array(fer_arena *a, fer_str items, const fer_describe *about)
{
    fer_buf b;
    if (!items.ptr) return FER_STR_NONE;
    begin(&b, a, "array");
    add_member(&b, "items", items);
    return end(&b, about);
}

fer_str fer_make_object(fer_arena *a, const fer_property *properties, size_t count,
                        const fer_describe *about)
{
    fer_buf b;
    size_t required = 0;
    begin(&b, a, "object");
    add_member(&b, "properties", FER_STR("{"));
    for (size_t i = 0; i < count; i++) {
        if (!properties[i].schema.ptr) return FER_STR_NONE;
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, fer_str_of(properties[i].name));
        fer_buf_add_char(&b, ':');
        fer_buf_add(&b, properties[i].schema);
    }
    fer_buf_add_char(&b, '}');
    for (size_t i = 0; i < count; i++) {
        if (!properties[i].required) continue;
        if (!required++) add_member(&b, "required", FER_STR("["));
        else fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, fer_str_of(properties[i].name));
    }
    if (required) fer_buf_add_char(&b, ']');
    add_member(&b, "additionalProperties", FER_STR("false"));
    return end(&b, about);
}

/* A list of types would not do: `enum` and `const` beside it would still refuse null. */
fer_str fer_make_nullable(fer_arena *a, fer_str schema)
{
    fer_buf b;
    if (!schema.ptr) return FER_STR_NONE;
    fer_buf_init(&b, a, fer_schema_limits_file()->size);
    fer_buf_add_text(&b, "{\"anyOf\":[");
    fer_buf_add(&b, schema);
    fer_buf_add_text(&b, ",{\"type\":\"null\"}]}");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}
