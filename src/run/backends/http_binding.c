/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a binding. Records may have been written by hand, so nothing in one is believed. */
#include "http_binding.h"

#include "arena.h"
#include "errors.h"
#include "json_value.h"

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *value = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return fer_is_str(value) ? fer_val_str(value) : FER_STR_NONE;
}

static const struct {
    const char *name;
    fer_http_style style;
    unsigned places; /* bits of fer_http_in */
} styles[] = {
    {"simple", FER_STYLE_SIMPLE, 1u << FER_HTTP_IN_PATH | 1u << FER_HTTP_IN_HEADER},
    {"label", FER_STYLE_LABEL, 1u << FER_HTTP_IN_PATH},
    {"matrix", FER_STYLE_MATRIX, 1u << FER_HTTP_IN_PATH},
    {"form", FER_STYLE_FORM, 1u << FER_HTTP_IN_QUERY | 1u << FER_HTTP_IN_COOKIE},
    {"spaceDelimited", FER_STYLE_SPACE, 1u << FER_HTTP_IN_QUERY},
    {"pipeDelimited", FER_STYLE_PIPE, 1u << FER_HTTP_IN_QUERY},
    {"deepObject", FER_STYLE_DEEP, 1u << FER_HTTP_IN_QUERY},
    {"json", FER_STYLE_JSON, 0xF},
};
static const char *const places[] = {"path", "query", "header", "cookie"};

static bool read_parameter(const yyjson_val *value, fer_http_parameter *out)
{
    fer_str in = text_of(value, "in"), style = text_of(value, "style");
    size_t place = 0;
    while (place < FER_COUNT(places) && !fer_str_is(in, places[place])) place++;
    *out = (fer_http_parameter){.argument = text_of(value, "argument"),
                                .name = text_of(value, "name"),
                                .in = (fer_http_in)place,
                                .explode = fer_is_obj(value) &&
                                           fer_is_true(fer_val_get(value, "explode"))};
    if (place == FER_COUNT(places) || !out->argument.len || !out->name.len) return false;
    for (size_t i = 0; i < FER_COUNT(styles); i++) {
        if (!fer_str_is(style, styles[i].name) || !(styles[i].places >> place & 1)) continue;
        out->style = styles[i].style;
        return true;
    }
    return false;
}

static bool read_parameters(fer_arena *a, const yyjson_val *list, fer_http_binding *out)
{
    size_t count = fer_is_arr(list) ? fer_val_len(list) : 0;
    fer_http_parameter *made = fer_arena_alloc_zero(a, count + 1, sizeof *made);
    if (!made) return false;
    if (count) {
        FER_EACH_ITEM (list, item)
            if (!read_parameter(item, &made[out->parameter_count++])) return false;
    }
    out->parameters = made;
    return true;
}

static fer_http_content content_of(fer_str type)
{
    size_t end = fer_str_find(type, 0, ';');
    if (end != SIZE_MAX) type = fer_str_slice(type, 0, end);
    if (fer_str_eq_nocase(type, FER_STR("application/x-www-form-urlencoded")))
        return FER_CONTENT_FORM;
    if (fer_str_eq_nocase(type, FER_STR("multipart/form-data"))) return FER_CONTENT_PARTS;
    if (fer_str_eq_nocase(type, FER_STR("text/plain"))) return FER_CONTENT_TEXT;
    bool json = fer_str_eq_nocase(type, FER_STR("application/json")) ||
                (type.len > 5 &&
                 fer_str_eq_nocase(fer_str_slice(type, type.len - 5, type.len), FER_STR("+json")));
    return json ? FER_CONTENT_JSON : FER_CONTENT_NONE;
}

static bool is_named(const yyjson_val *list, fer_str name)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item)
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    return false;
}

static bool read_body(fer_arena *a, const yyjson_val *body, fer_http_binding *out)
{
    const yyjson_val *members = fer_is_obj(body) ? fer_val_get(body, "members") : NULL;
    size_t count = fer_is_obj(members) ? fer_val_len(members) : 0;
    fer_http_member *list = fer_arena_alloc_zero(a, count + 1, sizeof *list);
    if (!body) return true;
    out->content_type = text_of(body, "contentType");
    out->content = content_of(out->content_type);
    out->body_required = fer_is_obj(body) && fer_is_true(fer_val_get(body, "required"));
    out->body_argument = text_of(body, "argument");
    if (!list || !out->content || (!out->body_argument.len && !fer_is_obj(members))) return false;
    if (count) {
        FER_EACH_MEMBER (members, key) {
            if (!fer_is_str(key + 1)) return false;
            list[out->member_count++] =
                (fer_http_member){fer_val_str(key), fer_val_str(key + 1),
                                  is_named(fer_val_get(body, "files"), fer_val_str(key + 1)),
                                  is_named(fer_val_get(body, "base64"), fer_val_str(key + 1))};
        }
    }
    out->members = list;
    return true;
}

static const yyjson_val *http_of(const yyjson_val *record, fer_str *tool)
{
    const yyjson_val *backend = fer_is_obj(record) ? fer_val_get(record, "backend") : NULL;
    const yyjson_val *provider = fer_is_obj(backend) ? fer_val_get(backend, "provider") : NULL;
    const yyjson_val *http = fer_is_obj(provider) ? fer_val_get(provider, "http") : NULL;
    *tool = text_of(provider, "toolId");
    return fer_is_obj(http) ? http : NULL;
}

fer_code fer_http_binding_read(fer_arena *a, const yyjson_val *record, fer_http_binding *out,
                               fer_err *err)
{
    fer_http_binding made = {0};
    const yyjson_val *http = http_of(record, &made.tool);
    made.method = text_of(http, "method");
    made.server = text_of(http, "server");
    made.path = text_of(http, "path");
    bool fine = http && made.tool.len && made.method.len && made.path.len &&
                made.path.ptr[0] == '/' &&
                read_parameters(a, fer_val_get(http, "parameters"), &made) &&
                read_body(a, fer_val_get(http, "body"), &made);
    if (!fine)
        return fer_fail(err, FER_INVALID_FORMAT,
                        "the tool \"%.*s\" does not say how it is asked over HTTP",
                        FER_PRI(fer_str_head(made.tool, 128)));
    *out = made;
    return FER_OK;
}
