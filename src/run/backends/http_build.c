/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request from arguments. Percent-encoding leaves only what RFC 3986 calls unreserved, so nothing
 * in a value is ever read as a delimiter; the delimiters of a style are put between the values.
 */
#include <openssl/evp.h>

#include "buf.h"
#include "errors.h"
#include "http_binding.h"
#include "json_value.h"
#include "json_write.h"

typedef struct build {
    fer_arena *a;
    const fer_http_binding *b;
    const fer_http_common *common;
    const yyjson_val *args;
    fer_buf url;
    fer_buf cookie;
    bool query; /* the URL has one already */
    fer_http_field *fields;
    size_t field_count;
    fer_err *err;
    fer_code code; /* the first failure */
} build;

static void fail(build *c, fer_code code, fer_str argument, const char *what)
{
    if (c->code) return;
    c->code = fer_fail(c->err, code, "`%.*s` cannot be sent: %s",
                       FER_PRI(fer_str_head(argument, 200)), what);
}

static void no_memory(build *c)
{
    if (!c->code) c->code = fer_arena_failed(c->a, c->err);
}

static const yyjson_val *argument_of(const build *c, fer_str name)
{
    const yyjson_val *key = fer_is_obj(c->args) ? fer_val_key(c->args, name) : NULL;
    return key ? key + 1 : NULL;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void add_encoded(fer_buf *b, fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char ch = (unsigned char)s.ptr[i];
        bool plain = fer_is_alpha((char)ch) || fer_is_digit((char)ch) || ch == '-' || ch == '.' ||
                     ch == '_' || ch == '~';
        if (plain) fer_buf_add_char(b, (char)ch);
        else fer_buf_printf(b, "%%%02X", ch);
    }
}

/* The text of a scalar; numbers as they were written. */
static fer_str scalar_text(build *c, fer_str argument, const yyjson_val *value)
{
    fer_str out = FER_STR_NONE;
    if (fer_is_str(value)) return fer_val_str(value);
    if (fer_is_ctn(value)) {
        fail(c, FER_INVALID_TYPE, argument,
             "lists and objects inside of others have no form there");
        return out;
    }
    if (fer_json_write(c->a, value, false, &out, NULL)) no_memory(c);
    return out;
}

/* ---- values of a style --------------------------------------------------------------------- */

/* How the parts of a value are written: where they go, and whether they are encoded there. */
typedef struct form {
    fer_buf *to;
    bool encode;
    const char *between; /* items */
    const char *equals;  /* between the name and the value of a member */
} form;

static void add_scalar(build *c, const form *f, fer_str argument, const yyjson_val *value)
{
    fer_str text = scalar_text(c, argument, value);
    if (f->encode) add_encoded(f->to, text);
    else fer_buf_add(f->to, text);
}

/* a,b,c or k,v,k,v or k=v,k=v. */
static void add_parts(build *c, const form *f, fer_str argument, const yyjson_val *value)
{
    bool first = true;
    if (!fer_is_ctn(value)) {
        add_scalar(c, f, argument, value);
        return;
    }
    if (fer_is_arr(value)) {
        FER_EACH_ITEM (value, item) {
            if (!first) fer_buf_add_text(f->to, f->between);
            first = false;
            add_scalar(c, f, argument, item);
        }
        return;
    }
    FER_EACH_MEMBER (value, key) {
        if (!first) fer_buf_add_text(f->to, f->between);
        first = false;
        add_scalar(c, f, argument, key);
        fer_buf_add_text(f->to, f->equals);
        add_scalar(c, f, argument, key + 1);
    }
}

static void add_json(build *c, fer_buf *to, bool encode, const yyjson_val *value)
{
    fer_str text;
    if (fer_json_write(c->a, value, false, &text, NULL)) {
        no_memory(c);
        return;
    }
    if (encode) add_encoded(to, text);
    else fer_buf_add(to, text);
}

/* ---- the path ------------------------------------------------------------------------------ */

static void add_label(build *c, const fer_http_parameter *p, const yyjson_val *value)
{
    const char *between = p->explode ? "." : ",";
    form f = {&c->url, true, between, p->explode ? "=" : ","};
    fer_buf_add_char(&c->url, '.');
    add_parts(c, &f, p->argument, value);
}

static void add_matrix(build *c, const fer_http_parameter *p, const yyjson_val *value)
{
    form f = {&c->url, true, p->explode ? ";" : ",", p->explode ? "=" : ","};
    if (fer_is_arr(value) && p->explode) {
        FER_EACH_ITEM (value, item) {
            fer_buf_add_char(&c->url, ';');
            add_encoded(&c->url, p->name);
            fer_buf_add_char(&c->url, '=');
            add_scalar(c, &f, p->argument, item);
        }
        return;
    }
    fer_buf_add_char(&c->url, ';');
    if (!fer_is_obj(value) || !p->explode) {
        add_encoded(&c->url, p->name);
        fer_buf_add_char(&c->url, '=');
    }
    add_parts(c, &f, p->argument, value);
}

static void add_path_value(build *c, const fer_http_parameter *p)
{
    const yyjson_val *value = argument_of(c, p->argument);
    form simple = {&c->url, true, ",", p->explode ? "=" : ","};
    size_t before = c->url.len;
    if (!value || fer_val_is(value, YYJSON_TYPE_NULL)) {
        fail(c, FER_REQUIRED_MISSING, p->argument, "it is a part of the path and must be there");
        return;
    }
    if (p->style == FER_STYLE_LABEL) add_label(c, p, value);
    else if (p->style == FER_STYLE_MATRIX) add_matrix(c, p, value);
    else if (p->style == FER_STYLE_JSON) add_json(c, &c->url, true, value);
    else add_parts(c, &simple, p->argument, value);
    if (c->url.len == before && !c->url.failure)
        fail(c, FER_INVALID_FORMAT, p->argument, "a part of the path cannot be empty");
}

static const fer_http_parameter *path_parameter(const build *c, fer_str name)
{
    for (size_t i = 0; i < c->b->parameter_count; i++)
        if (c->b->parameters[i].in == FER_HTTP_IN_PATH &&
            fer_str_eq(c->b->parameters[i].name, name))
            return &c->b->parameters[i];
    return NULL;
}

/* A segment of dots alone would be taken for a way up, however it is written. */
static bool has_dots(fer_str path)
{
    size_t from = 0;
    for (size_t i = 0; i <= path.len; i++) {
        if (i < path.len && path.ptr[i] != '/') continue;
        fer_str segment = fer_str_slice(path, from, i);
        if (fer_str_is(segment, ".") || fer_str_is(segment, "..")) return true;
        from = i + 1;
    }
    return false;
}

static void add_path(build *c)
{
    fer_str path = c->b->path;
    size_t start = c->url.len;
    for (size_t i = 0; i < path.len && !c->code;) {
        size_t close = path.ptr[i] == '{' ? fer_str_find(path, i, '}') : SIZE_MAX;
        const fer_http_parameter *p =
            close == SIZE_MAX ? NULL : path_parameter(c, fer_str_slice(path, i + 1, close));
        if (path.ptr[i] == '{' && !p) {
            fail(c, FER_INVALID_FORMAT, path, "the path names a parameter that there is not");
            return;
        }
        if (p) add_path_value(c, p);
        else fer_buf_add_char(&c->url, path.ptr[i]);
        i = p ? close + 1 : i + 1;
    }
    if (!c->code && !c->url.failure && has_dots((fer_str){c->url.ptr + start, c->url.len - start}))
        fail(c, FER_INVALID_FORMAT, path, "a segment of the path would be dots alone");
}

/* ---- the query ----------------------------------------------------------------------------- */

static void begin_pair(build *c, fer_str name)
{
    const fer_http_auth *auth = &c->common->auth;
    if (auth->kind == FER_HTTP_AUTH_KEY && auth->in == FER_HTTP_IN_QUERY &&
        fer_str_eq(name, auth->name))
        fail(c, FER_INVALID_FORMAT, name, "that is where the operator's key goes");
    fer_buf_add_char(&c->url, c->query ? '&' : '?');
    c->query = true;
    add_encoded(&c->url, name);
}

static void add_pair(build *c, fer_str argument, fer_str name, const yyjson_val *value)
{
    form f = {&c->url, true, "", ""};
    begin_pair(c, name);
    fer_buf_add_char(&c->url, '=');
    add_scalar(c, &f, argument, value);
}

/* name[a][b]=v, and name[0]=v for items of lists. */
static void add_deep(build *c, fer_str argument, fer_str name, const yyjson_val *value,
                     unsigned depth)
{
    size_t index = 0;
    if (depth > FER_HTTP_DEPTH) {
        fail(c, FER_LIMIT_EXCEEDED, argument, "it is nested too deep (http.query)");
    } else if (fer_is_obj(value)) {
        FER_EACH_MEMBER (value, key) {
            fer_str inner =
                fer_arena_printf(c->a, "%.*s[%.*s]", FER_PRI(name), FER_PRI(fer_val_str(key)));
            if (!inner.ptr) no_memory(c);
            else add_deep(c, argument, inner, key + 1, depth + 1);
        }
    } else if (fer_is_arr(value)) {
        FER_EACH_ITEM (value, item) {
            fer_str inner = fer_arena_printf(c->a, "%.*s[%zu]", FER_PRI(name), index++);
            if (!inner.ptr) no_memory(c);
            else add_deep(c, argument, inner, item, depth + 1);
        }
    } else if (!fer_val_is(value, YYJSON_TYPE_NULL)) {
        add_pair(c, argument, name, value);
    }
}

/* Styles that write a list or object into pairs of its own; false: it is one pair. */
static bool add_exploded(build *c, const fer_http_parameter *p, const yyjson_val *value)
{
    if (!p->explode || !fer_is_ctn(value)) return false;
    if (fer_is_arr(value)) {
        FER_EACH_ITEM (value, item) add_pair(c, p->argument, p->name, item);
        return true;
    }
    FER_EACH_MEMBER (value, key) add_pair(c, p->argument, fer_val_str(key), key + 1);
    return true;
}

static void add_query(build *c, const fer_http_parameter *p, const yyjson_val *value)
{
    const char *between = p->style == FER_STYLE_SPACE  ? "%20"
                          : p->style == FER_STYLE_PIPE ? "%7C"
                                                       : ",";
    form f = {&c->url, true, between, between};
    if (p->style == FER_STYLE_DEEP) {
        add_deep(c, p->argument, p->name, value, 0);
        return;
    }
    if (p->style != FER_STYLE_JSON && add_exploded(c, p, value)) return;
    begin_pair(c, p->name);
    fer_buf_add_char(&c->url, '=');
    if (p->style == FER_STYLE_JSON) add_json(c, &c->url, true, value);
    else add_parts(c, &f, p->argument, value);
}

/* ---- header fields ------------------------------------------------------------------------- */

static void add_field(build *c, fer_str name, fer_str value)
{
    if (!value.ptr) no_memory(c);
    else c->fields[c->field_count++] = (fer_http_field){name, value};
}

/* What the operator sends stays as it is. */
static bool is_operators(const build *c, fer_str name)
{
    const fer_http_auth *auth = &c->common->auth;
    for (size_t i = 0; i < c->common->field_count; i++)
        if (fer_str_eq_nocase(c->common->fields[i].name, name)) return true;
    if (auth->kind == FER_HTTP_AUTH_KEY)
        return auth->in == FER_HTTP_IN_HEADER && fer_str_eq_nocase(auth->name, name);
    return auth->kind && fer_str_eq_nocase(name, FER_STR("authorization"));
}

static void add_header(build *c, const fer_http_parameter *p, const yyjson_val *value)
{
    fer_buf b;
    form f = {&b, false, ",", p->explode ? "=" : ","};
    if (is_operators(c, p->name)) return;
    fer_buf_init(&b, c->a, FER_HTTP_HEAD_MAX);
    if (p->style == FER_STYLE_JSON) add_json(c, &b, false, value);
    else add_parts(c, &f, p->argument, value);
    for (size_t i = 0; i < b.len && !b.failure; i++) {
        unsigned char ch = (unsigned char)b.ptr[i];
        if ((ch < ' ' && ch != '\t') || ch == 0x7f) {
            fail(c, FER_INVALID_FORMAT, p->argument, "a header field is one line of text");
            return;
        }
    }
    if (b.failure) fail(c, FER_LIMIT_EXCEEDED, p->argument, "it is too long for a header field");
    else add_field(c, p->name, b.len ? fer_buf_view(&b) : FER_STR(""));
}

static void add_cookie(build *c, const fer_http_parameter *p, const yyjson_val *value)
{
    form f = {&c->cookie, true, ",", ","};
    const fer_http_auth *auth = &c->common->auth;
    if (auth->kind == FER_HTTP_AUTH_KEY && auth->in == FER_HTTP_IN_COOKIE &&
        fer_str_eq(auth->name, p->name))
        return;
    if (c->cookie.len) fer_buf_add_text(&c->cookie, "; ");
    fer_buf_add(&c->cookie, p->name);
    fer_buf_add_char(&c->cookie, '=');
    if (p->style == FER_STYLE_JSON) add_json(c, &c->cookie, true, value);
    else add_parts(c, &f, p->argument, value);
}

static void add_parameters(build *c)
{
    for (size_t i = 0; i < c->b->parameter_count && !c->code; i++) {
        const fer_http_parameter *p = &c->b->parameters[i];
        const yyjson_val *value = argument_of(c, p->argument);
        if (p->in == FER_HTTP_IN_PATH || !value || fer_val_is(value, YYJSON_TYPE_NULL)) continue;
        if (p->in == FER_HTTP_IN_QUERY) add_query(c, p, value);
        else if (p->in == FER_HTTP_IN_HEADER) add_header(c, p, value);
        else add_cookie(c, p, value);
    }
}

/* ---- credentials --------------------------------------------------------------------------- */

static fer_str basic_text(build *c, const fer_http_auth *auth)
{
    static const char scheme[] = "Basic ";
    fer_str pair = fer_arena_printf(c->a, "%.*s:%.*s", FER_PRI(auth->user), FER_PRI(auth->secret));
    char *out = pair.ptr ? fer_arena_alloc(c->a, pair.len / 3 * 4 + 16) : NULL;
    if (!out) return FER_STR_NONE;
    memcpy(out, scheme, sizeof scheme); /* its end is overwritten */
    int len =
        EVP_EncodeBlock((unsigned char *)out + 6, (const unsigned char *)pair.ptr, (int)pair.len);
    return (fer_str){out, 6 + (size_t)len};
}

static void add_key(build *c, const fer_http_auth *auth)
{
    if (auth->in == FER_HTTP_IN_HEADER) {
        add_field(c, auth->name, auth->secret);
    } else if (auth->in == FER_HTTP_IN_QUERY) {
        fer_buf_add_char(&c->url, c->query ? '&' : '?');
        c->query = true;
        add_encoded(&c->url, auth->name);
        fer_buf_add_char(&c->url, '=');
        add_encoded(&c->url, auth->secret);
    } else {
        if (c->cookie.len) fer_buf_add_text(&c->cookie, "; ");
        fer_buf_add(&c->cookie, auth->name);
        fer_buf_add_char(&c->cookie, '=');
        add_encoded(&c->cookie, auth->secret);
    }
}

static void add_auth(build *c)
{
    const fer_http_auth *auth = &c->common->auth;
    if (auth->kind == FER_HTTP_AUTH_BEARER)
        add_field(c, FER_STR("Authorization"),
                  fer_arena_printf(c->a, "Bearer %.*s", FER_PRI(auth->secret)));
    else if (auth->kind == FER_HTTP_AUTH_BASIC)
        add_field(c, FER_STR("Authorization"), basic_text(c, auth));
    else if (auth->kind == FER_HTTP_AUTH_KEY) add_key(c, auth);
    for (size_t i = 0; i < c->common->field_count; i++)
        add_field(c, c->common->fields[i].name, c->common->fields[i].value);
}

/* ---- the body ------------------------------------------------------------------------------ */

static void add_json_members(build *c, fer_buf *b)
{
    static const fer_notation plain = {0};
    bool first = true;
    fer_buf_add_char(b, '{');
    for (size_t i = 0; i < c->b->member_count; i++) {
        const yyjson_val *value = argument_of(c, c->b->members[i].argument);
        if (!value) continue;
        if (!first) fer_buf_add_char(b, ',');
        first = false;
        fer_buf_add_quoted(b, c->b->members[i].name);
        fer_buf_add_char(b, ':');
        if (fer_write_add(c->a, b, value, &plain, NULL)) no_memory(c);
    }
    fer_buf_add_char(b, '}');
}

static void add_form_pair(build *c, fer_buf *b, fer_str name, const yyjson_val *value)
{
    form f = {b, true, ",", ","};
    if (fer_val_is(value, YYJSON_TYPE_NULL)) return;
    if (fer_is_arr(value)) {
        FER_EACH_ITEM (value, item)
            if (!fer_is_ctn(item)) add_form_pair(c, b, name, item);
            else fail(c, FER_INVALID_TYPE, name, "a form has no lists inside of lists");
        return;
    }
    if (b->len) fer_buf_add_char(b, '&');
    add_encoded(b, name);
    fer_buf_add_char(b, '=');
    add_scalar(c, &f, name, value);
}

static void add_form(build *c, fer_buf *b, const yyjson_val *whole)
{
    if (whole && fer_is_obj(whole)) {
        FER_EACH_MEMBER (whole, key) add_form_pair(c, b, fer_val_str(key), key + 1);
        return;
    }
    if (whole) fail(c, FER_INVALID_TYPE, c->b->body_argument, "a form is an object");
    for (size_t i = 0; i < c->b->member_count; i++) {
        const yyjson_val *value = argument_of(c, c->b->members[i].argument);
        if (value) add_form_pair(c, b, c->b->members[i].name, value);
    }
}

static bool has_body(const build *c)
{
    if (c->b->content == FER_CONTENT_NONE) return false;
    if (c->b->body_argument.len) return argument_of(c, c->b->body_argument) != NULL;
    if (c->b->body_required) return true;
    for (size_t i = 0; i < c->b->member_count; i++)
        if (argument_of(c, c->b->members[i].argument)) return true;
    return false;
}

static void add_parts_body(build *c, fer_buf *b, const yyjson_val *whole, fer_str *type)
{
    fer_str bad = FER_STR_NONE;
    fer_code code = fer_http_multipart(c->a, c->b, c->args, whole, b, type, &bad);
    if (code == FER_INVALID_TYPE) fail(c, code, c->b->body_argument, "a form is an object");
    else if (code == FER_INVALID_FORMAT)
        fail(c, code, bad, "its bytes are written in base64 (RFC 4648), and this is none");
    else if (code == FER_CONSTRAINT_VIOLATION)
        fail(c, code, FER_STR("body"), "its parts hold every boundary between them");
    else if (code && !b->failure) no_memory(c);
}

static void add_body(build *c, fer_http_request *out)
{
    fer_buf b;
    fer_str type = c->b->content_type;
    const yyjson_val *whole = c->b->body_argument.len ? argument_of(c, c->b->body_argument) : NULL;
    if (!has_body(c)) return;
    fer_buf_init(&b, c->a, FER_HTTP_SEND_MAX);
    if (c->b->content == FER_CONTENT_FORM) add_form(c, &b, whole);
    else if (c->b->content == FER_CONTENT_PARTS) add_parts_body(c, &b, whole, &type);
    else if (c->b->content == FER_CONTENT_TEXT)
        fer_buf_add(&b, whole ? scalar_text(c, c->b->body_argument, whole) : FER_STR_NONE);
    else if (whole) add_json(c, &b, false, whole);
    else add_json_members(c, &b);
    if (b.failure && !b.arena_failed)
        fail(c, FER_LIMIT_EXCEEDED, FER_STR("body"), "it is larger than http.send allows");
    else if (b.failure) no_memory(c);
    out->body = b.len ? fer_buf_view(&b) : FER_STR("");
    add_field(c, FER_STR("Content-Type"), type);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void add_server(build *c)
{
    fer_str base = c->common->base_url.len ? c->common->base_url : c->b->server;
    while (base.len && base.ptr[base.len - 1] == '/') base.len--;
    fer_buf_add(&c->url, base);
}

fer_code fer_http_build(fer_arena *a, const fer_http_binding *b, const fer_http_common *common,
                        const yyjson_val *args, fer_http_request *out, fer_err *err)
{
    build c = {.a = a, .b = b, .common = common, .args = args, .err = err};
    fer_http_request made = {.method = b->method};
    size_t most = b->parameter_count + common->field_count + 8 + FER_HTTP_SPARE;
    c.fields = fer_arena_alloc_zero(a, most, sizeof *c.fields);
    if (!c.fields) return fer_arena_failed(a, err);
    fer_buf_init(&c.url, a, FER_NET_URL_MAX);
    fer_buf_init(&c.cookie, a, FER_HTTP_HEAD_MAX);
    add_server(&c);
    add_path(&c);
    add_parameters(&c);
    if (!c.code) add_auth(&c);
    if (!c.code) add_body(&c, &made);
    if (!c.code && c.cookie.len) add_field(&c, FER_STR("Cookie"), fer_buf_view(&c.cookie));
    if (!c.code)
        add_field(&c, FER_STR("Accept"), FER_STR("application/json, text/*;q=0.8, */*;q=0.5"));
    if (!c.code && (c.url.failure || c.cookie.failure))
        c.code = fer_fail(err, FER_LIMIT_EXCEEDED,
                          "net.url: with these arguments the URL or its cookies are too long");
    if (c.code) return c.code;
    made.url = fer_buf_view(&c.url);
    made.fields = c.fields;
    made.field_count = c.field_count;
    *out = made;
    return FER_OK;
}
