/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a caller gives: parameters of the path, the query, headers and cookies, and the body, as
 * arguments of one tool. Each keeps its name where it can; of two with one name the later, in the
 * order of fer_oa_in, gets its place behind it: `id` and `id_query`.
 */
#include <ferrule/contract.h>

#include "openapi_parts.h"

const char *const fer_oa_in_names[FER_OA_BODY + 1] = {"path", "query", "header", "cookie", "body"};

/* ---- media types --------------------------------------------------------------------------- */

bool fer_oa_is_json(fer_str type)
{
    size_t end = fer_str_find(type, 0, ';');
    if (end != SIZE_MAX) type = fer_str_slice(type, 0, end);
    while (type.len && type.ptr[type.len - 1] == ' ') type.len--;
    if (fer_str_eq_nocase(type, FER_STR("application/json")) || fer_str_is(type, "*/*"))
        return true;
    return type.len > 5 &&
           fer_str_eq_nocase(fer_str_slice(type, type.len - 5, type.len), FER_STR("+json"));
}

const yyjson_val *fer_oa_json_content(const yyjson_val *content)
{
    const yyjson_val *found = NULL;
    if (!fer_is_obj(content)) return NULL;
    FER_EACH_MEMBER (content, key) {
        if (fer_str_is(fer_val_str(key), "application/json")) return key;
        if (!found && fer_oa_is_json(fer_val_str(key))) found = key;
    }
    return found;
}

static const yyjson_val *content_of(const yyjson_val *content, const char *type)
{
    FER_EACH_MEMBER (content, key)
        if (fer_str_starts(fer_val_str(key), type)) return key;
    return NULL;
}

/* ---- arguments ----------------------------------------------------------------------------- */

typedef struct gather {
    fer_oa *oa;
    fer_oa_request *out;
    fer_map names; /* of arguments */
    fer_str path;
} gather;

static bool is_taken(const gather *g, fer_str name)
{
    return fer_map_get(&g->names, name) != NULL;
}

static fer_str name_argument(gather *g, const fer_oa_argument *arg)
{
    fer_str base = arg->name.len ? arg->name : FER_STR("body"), name = base;
    const char *in = fer_oa_in_names[arg->in];
    if (is_taken(g, name)) name = fer_arena_printf(g->oa->a, "%.*s_%s", FER_PRI(base), in);
    for (unsigned n = 2; name.ptr && is_taken(g, name); n++)
        name = fer_arena_printf(g->oa->a, "%.*s_%s_%u", FER_PRI(base), in, n);
    return name;
}

static void add_argument(gather *g, fer_oa_argument arg, const yyjson_val *at)
{
    fer_oa_request *r = g->out;
    if (r->count == FER_OPENAPI_PARAMETERS) {
        fer_oa_refuse(g->oa, at, "openapi.parameters: it has more than %d parameters",
                      FER_OPENAPI_PARAMETERS);
        return;
    }
    arg.argument = name_argument(g, &arg);
    fer_oa_argument *list = fer_arena_room(g->oa->a, r->list, r->count, &r->cap, sizeof *list);
    void **slot = list && arg.argument.ptr ? fer_map_put(&g->names, arg.argument) : NULL;
    if (list) r->list = list;
    if (!slot) {
        fer_oa_no_memory(g->oa);
        return;
    }
    *slot = g;
    list[r->count++] = arg;
}

/* ---- parameters ---------------------------------------------------------------------------- */

/* Which styles there are, and where. The first of a place is what it has unless it says otherwise.
 */
static const struct style {
    fer_oa_in in;
    const char *name;
} styles[] = {
    {FER_OA_PATH, "simple"},      {FER_OA_PATH, "label"},           {FER_OA_PATH, "matrix"},
    {FER_OA_QUERY, "form"},       {FER_OA_QUERY, "spaceDelimited"}, {FER_OA_QUERY, "pipeDelimited"},
    {FER_OA_QUERY, "deepObject"}, {FER_OA_HEADER, "simple"},        {FER_OA_COOKIE, "form"},
};

static const struct style *style_of(fer_oa_in in, fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(styles); i++)
        if (styles[i].in == in && (!name.len || fer_str_is(name, styles[i].name)))
            return &styles[i];
    return NULL;
}

/* Header fields that belong to the message, the connection or the operator, never to a caller. */
static bool is_reserved_field(fer_str name)
{
    static const char *const names[] = {"accept",
                                        "accept-encoding",
                                        "authorization",
                                        "connection",
                                        "content-encoding",
                                        "content-length",
                                        "content-type",
                                        "cookie",
                                        "expect",
                                        "forwarded",
                                        "host",
                                        "keep-alive",
                                        "origin",
                                        "proxy-authorization",
                                        "referer",
                                        "te",
                                        "trailer",
                                        "transfer-encoding",
                                        "upgrade",
                                        "user-agent",
                                        "via",
                                        NULL};
    for (size_t i = 0; names[i]; i++)
        if (fer_str_eq_nocase(name, fer_str_of(names[i]))) return true;
    return name.len > 12 && fer_str_eq_nocase(fer_str_slice(name, 0, 12), FER_STR("x-forwarded-"));
}

/* RFC 9110 5.6.2. */
static bool is_token(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && !(c && strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return s.len > 0;
}

/* Whether a scheme of the document says that this parameter is a key: operators give those. */
static bool is_credential(fer_oa *oa, fer_oa_in in, fer_str name)
{
    const yyjson_val *components = fer_val_get(oa->root, "components");
    const yyjson_val *schemes =
        fer_is_obj(components) ? fer_val_get(components, "securitySchemes") : NULL;
    if (!fer_is_obj(schemes)) return false;
    FER_EACH_MEMBER (schemes, key) {
        const yyjson_val *scheme = key + 1;
        if (fer_str_is(fer_oa_text(scheme, "type"), "apiKey") &&
            fer_str_is(fer_oa_text(scheme, "in"), fer_oa_in_names[in]) &&
            fer_str_eq_nocase(fer_oa_text(scheme, "name"), name))
            return true;
    }
    return false;
}

/* Whether the parameter is one that the operation can have. */
static bool is_usable(gather *g, const yyjson_val *at, fer_oa_in in, fer_str name)
{
    fer_oa *oa = g->oa;
    if (is_credential(oa, in, name)) return false;
    if (in != FER_OA_HEADER && in != FER_OA_COOKIE) return true;
    if (in == FER_OA_HEADER && is_reserved_field(name)) {
        fer_oa_note(oa, at, "the header \"%.*s\" is not for callers to set",
                    FER_PRI(fer_str_head(name, 100)));
        return false;
    }
    if (is_token(name)) return true;
    fer_oa_refuse(oa, at, "\"%.*s\" is no name of a %s", FER_PRI(fer_str_head(name, 100)),
                  fer_oa_in_names[in]);
    return false;
}

static void read_style(gather *g, const yyjson_val *p, fer_oa_argument *arg)
{
    const yyjson_val *explode = fer_val_get(p, "explode");
    const struct style *style = style_of(arg->in, fer_oa_text(p, "style"));
    if (!style) {
        fer_oa_refuse(g->oa, fer_val_get(p, "style"), "a parameter of the %s has no such style",
                      fer_oa_in_names[arg->in]);
        return;
    }
    arg->style = fer_str_of(style->name);
    arg->explode = explode ? fer_is_true(explode)
                           : fer_str_is(arg->style, "form") || fer_str_is(arg->style, "deepObject");
}

static void read_shape(gather *g, const yyjson_val *p, fer_oa_argument *arg)
{
    const yyjson_val *content = fer_val_get(p, "content");
    arg->schema = fer_val_get(p, "schema");
    if (arg->schema || !content) return;
    const yyjson_val *json = fer_oa_json_content(content);
    if (!json) {
        fer_oa_refuse(g->oa, content, "a parameter with content can only be JSON");
        return;
    }
    arg->json = true;
    arg->schema = fer_is_obj(json + 1) ? fer_val_get(json + 1, "schema") : NULL;
}

static void add_parameter(gather *g, const yyjson_val *p, fer_oa_in in)
{
    fer_oa_argument arg = {.name = fer_oa_text(p, "name"),
                           .in = in,
                           .about = {.description = fer_oa_text(p, "description"),
                                     .deprecated = fer_oa_flag(p, "deprecated")},
                           .required = in == FER_OA_PATH || fer_oa_flag(p, "required")};
    if (!is_usable(g, p, in, arg.name)) return;
    arg.about.description = fer_str_head(arg.about.description, FER_OPENAPI_TEXT);
    read_shape(g, p, &arg);
    read_style(g, p, &arg);
    add_argument(g, arg, p);
}

static bool place_of(fer_str word, fer_oa_in *out)
{
    for (size_t i = 0; i < FER_OA_BODY; i++) {
        if (!fer_str_is(word, fer_oa_in_names[i])) continue;
        *out = (fer_oa_in)i;
        return true;
    }
    return false;
}

/* Whether a parameter of the operation takes the place of this one of its path. */
static bool is_replaced(fer_oa *oa, const yyjson_val *p, const yyjson_val *list)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item) {
        const yyjson_val *other = fer_oa_deref(oa, item);
        if (other && fer_str_eq(fer_oa_text(p, "name"), fer_oa_text(other, "name")) &&
            fer_str_eq(fer_oa_text(p, "in"), fer_oa_text(other, "in")))
            return true;
    }
    return false;
}

static void add_parameters(gather *g, const yyjson_val *list, const yyjson_val *over, fer_oa_in in)
{
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, item) {
        fer_oa_in place;
        const yyjson_val *p = fer_oa_deref(g->oa, item);
        if (!p) return;
        if (!place_of(fer_oa_text(p, "in"), &place) || !fer_oa_text(p, "name").len) {
            fer_oa_refuse(g->oa, p,
                          "a parameter needs a name, and to be in one of path, query, "
                          "header and cookie");
            return;
        }
        if (place == in && !is_replaced(g->oa, p, over)) add_parameter(g, p, in);
    }
}

/* ---- the path ------------------------------------------------------------------------------ */

static const fer_oa_argument *path_argument(const gather *g, fer_str name)
{
    for (size_t i = 0; i < g->out->count; i++)
        if (g->out->list[i].in == FER_OA_PATH && fer_str_eq(g->out->list[i].name, name))
            return &g->out->list[i];
    return NULL;
}

/* One {name} of the template, from `open` on; the place behind it, or SIZE_MAX. */
static size_t check_slot(gather *g, const yyjson_val *at, size_t open)
{
    size_t close = fer_str_find(g->path, open, '}');
    fer_str name = close == SIZE_MAX ? FER_STR_NONE : fer_str_slice(g->path, open + 1, close);
    if (path_argument(g, name)) return close + 1;
    fer_oa_refuse(g->oa, at, "the path has no parameter \"%.*s\"",
                  FER_PRI(fer_str_head(name, 100)));
    return SIZE_MAX;
}

static bool is_path_char(char c)
{
    return c > ' ' && c < 0x7f && !strchr("?#\\\"<>^`|}", c);
}

/* The path is text and {names} of parameters, and every parameter of the path is in it. */
static void check_path(gather *g, const yyjson_val *at)
{
    size_t slots = 0, wanted = 0;
    for (size_t i = 0; i < g->path.len;) {
        if (g->path.ptr[i] == '{') {
            i = check_slot(g, at, i);
            if (i == SIZE_MAX) return;
            slots++;
        } else if (!is_path_char(g->path.ptr[i++])) {
            fer_oa_refuse(g->oa, at, "the path has a character that no path has");
            return;
        }
    }
    for (size_t i = 0; i < g->out->count; i++) wanted += g->out->list[i].in == FER_OA_PATH;
    if (slots < wanted) fer_oa_refuse(g->oa, at, "a parameter of the path is not in the path");
}

/* ---- the body ------------------------------------------------------------------------------ */

/* Keywords beside which an object is more than its properties. */
static bool is_plain_object(const yyjson_val *schema)
{
    static const char *const others[] = {"$ref",
                                         "allOf",
                                         "anyOf",
                                         "const",
                                         "dependentRequired",
                                         "dependentSchemas",
                                         "enum",
                                         "if",
                                         "maxProperties",
                                         "minProperties",
                                         "not",
                                         "nullable",
                                         "oneOf",
                                         "patternProperties",
                                         "propertyNames",
                                         "unevaluatedProperties",
                                         NULL};
    const yyjson_val *type = fer_val_get(schema, "type");
    const yyjson_val *more = fer_val_get(schema, "additionalProperties");
    if (!fer_is_obj(fer_val_get(schema, "properties"))) return false;
    if (type && !(fer_is_str(type) && fer_str_is(fer_val_str(type), "object"))) return false;
    if (more && (!fer_is_bool(more) || fer_is_true(more))) return false;
    for (size_t i = 0; others[i]; i++)
        if (fer_val_get(schema, others[i])) return false;
    return true;
}

static bool is_required(const yyjson_val *schema, fer_str name)
{
    const yyjson_val *list = fer_val_get(schema, "required");
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item)
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    return false;
}

/*
 * Members of the body become arguments where that says the same: a plain object, none of whose
 * members has the name of a parameter, and that either must be there or need not have anything.
 */
static bool can_flatten(gather *g, const yyjson_val *schema)
{
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    if (!fer_is_obj(schema) || !is_plain_object(schema)) return false;
    if (!g->out->body_required && fer_is_arr(required) && fer_val_len(required)) return false;
    if (fer_is_arr(required)) {
        FER_EACH_ITEM (required, item)
            if (!fer_is_str(item) ||
                !fer_val_key(fer_val_get(schema, "properties"), fer_val_str(item)))
                return false;
    }
    FER_EACH_MEMBER (fer_val_get(schema, "properties"), key)
        if (is_taken(g, fer_val_str(key)) || !fer_val_len(key)) return false;
    return true;
}

static void add_members(gather *g, const yyjson_val *schema)
{
    FER_EACH_MEMBER (fer_val_get(schema, "properties"), key) {
        if (fer_oa_hidden(g->oa, key + 1, true)) continue;
        fer_oa_argument arg = {.name = fer_val_str(key),
                               .in = FER_OA_BODY,
                               .schema = key + 1,
                               .required = is_required(schema, fer_val_str(key))};
        add_argument(g, arg, key);
    }
}

/* What a body can be written as, the best first. */
static const yyjson_val *choose_content(gather *g, const yyjson_val *content)
{
    static const char *const others[] = {"application/x-www-form-urlencoded", "multipart/form-data",
                                         "text/plain"};
    const yyjson_val *key = fer_oa_json_content(content);
    for (size_t i = 0; !key && i < FER_COUNT(others); i++) key = content_of(content, others[i]);
    if (key) return key;
    fer_oa_refuse(g->oa, content, "a body can be JSON, %s, %s or %s; this one is \"%.*s\"",
                  others[0], others[1], others[2],
                  FER_PRI(fer_val_len(content) ? fer_val_str(content + 1) : FER_STR("")));
    return NULL;
}

static fer_str content_type(const yyjson_val *key)
{
    fer_str type = fer_val_str(key);
    if (fer_str_is(type, "*/*")) return FER_STR("application/json");
    for (size_t i = 0; i < type.len; i++)
        if (type.ptr[i] < ' ' || type.ptr[i] == 0x7f) return FER_STR("application/json");
    return type;
}

static void read_body(gather *g, const yyjson_val *given)
{
    const yyjson_val *body = fer_oa_deref(g->oa, given);
    const yyjson_val *content = body ? fer_val_get(body, "content") : NULL;
    if (!fer_is_obj(content)) {
        if (body) fer_oa_refuse(g->oa, body, "a body needs an object \"content\"");
        return;
    }
    const yyjson_val *key = choose_content(g, content);
    if (!key) return;
    const yyjson_val *schema = fer_is_obj(key + 1) ? fer_val_get(key + 1, "schema") : NULL;
    const yyjson_val *target = fer_is_obj(schema) ? fer_oa_deref(g->oa, schema) : NULL;
    g->out->content = content_type(key);
    g->out->body_required = fer_oa_flag(body, "required");
    bool text = fer_str_starts(g->out->content, "text/plain");
    if (target && !text && can_flatten(g, target)) {
        add_members(g, target);
        return;
    }
    fer_oa_argument arg = {.in = FER_OA_BODY,
                           .schema = schema,
                           .about = {.description = fer_oa_text(body, "description")},
                           .required = g->out->body_required};
    g->out->body_whole = true;
    add_argument(g, arg, body);
}

void fer_oa_request_read(fer_oa *oa, const yyjson_val *item, const yyjson_val *operation,
                         fer_str method, fer_str path, fer_oa_request *out)
{
    gather g = {.oa = oa, .out = out, .path = path};
    const yyjson_val *common = fer_val_get(item, "parameters"),
                     *own = fer_val_get(operation, "parameters"),
                     *body = fer_val_get(operation, "requestBody");
    fer_map_init(&g.names, oa->a);
    for (fer_oa_in in = FER_OA_PATH; in < FER_OA_BODY && !oa->refused; in++) {
        add_parameters(&g, common, own, in);
        add_parameters(&g, own, NULL, in);
    }
    if (!oa->refused) check_path(&g, operation);
    if (!body || oa->refused) return;
    if (fer_str_is(method, "GET") || fer_str_is(method, "HEAD"))
        fer_oa_note(oa, body, "a %.*s request has no body", FER_PRI(method));
    else read_body(&g, body);
}
