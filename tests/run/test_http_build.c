/* SPDX-License-Identifier: Apache-2.0 */
/* Requests made of bindings and arguments: styles, bodies, credentials, and what stays in its
 * place. */
#include "buf.h"
#include "http_binding.h"
#include "rows.h"

/* Records with one parameter, or with a body. */
#define RECORD(http)                                                                               \
    "{\"backend\":{\"kind\":\"provider\",\"provider\":{\"providerId\":\"p\",\"toolId\":\"t\","     \
    "\"http\":" http "}}}"
#define PARAM(path, place, style, explode)                                                         \
    RECORD("{\"method\":\"GET\",\"server\":\"https://s/b/\",\"path\":\"" path                      \
           "\",\"parameters\":[{\"argument\":\"v\",\"name\":\"n\",\"in\":\"" place                 \
           "\",\"style\":\"" style "\",\"explode\":" explode "}]}")
#define PATH(style, explode)   PARAM("/x/{n}", "path", style, explode)
#define QUERY(style, explode)  PARAM("/x", "query", style, explode)
#define HEADER(style, explode) PARAM("/x", "header", style, explode)
#define COOKIE(style, explode) PARAM("/x", "cookie", style, explode)
#define BODY(rest)                                                                                 \
    RECORD("{\"method\":\"POST\",\"server\":\"https://s\",\"path\":\"/x\",\"body\":{" rest "}}")
#define LIST   "{\"v\":[\"a b\",1,true]}"
#define OBJECT "{\"v\":{\"k\":\"a/b\",\"l\":2}}"
#define JSON   "\"contentType\":\"application/json\","
#define FORM   "\"contentType\":\"application/x-www-form-urlencoded\","
#define PARTS  "\"contentType\":\"multipart/form-data\","
#define PARTS_HEAD(n)                                                                              \
    "POST https://s/x\nContent-Type: multipart/form-data; boundary=ferrule-boundary-" n "-\n\n"
#define PART(n, rest) "--ferrule-boundary-" n "-\r\nContent-Disposition: form-data; " rest "\r\n"
#define LAST(n)       "--ferrule-boundary-" n "---\r\n"
#define MEMBERS       "\"members\":{\"a\":\"x\",\"b\":\"y\"}"

static const fer_http_common plain = {0};
static const fer_http_common bearer = {.auth = {FER_HTTP_AUTH_BEARER, .secret = {"tok", 3}}};
static const fer_http_common basic = {
    .auth = {FER_HTTP_AUTH_BASIC, .user = {"Aladdin", 7}, .secret = {"open sesame", 11}}};
static const fer_http_common in_header = {
    .auth = {FER_HTTP_AUTH_KEY, FER_HTTP_IN_HEADER, {"N", 1}, .secret = {"k&", 2}}};
static const fer_http_common in_query = {
    .auth = {FER_HTTP_AUTH_KEY, FER_HTTP_IN_QUERY, {"n", 1}, .secret = {"k&", 2}}};
static const fer_http_common in_cookie = {
    .auth = {FER_HTTP_AUTH_KEY, FER_HTTP_IN_COOKIE, {"n", 1}, .secret = {"k;", 2}}};
static const fer_http_field own[] = {{{"N", 1}, {"mine", 4}}};
static const fer_http_common based = {
    .base_url = {"http://h:1/r", 12}, .fields = own, .field_count = 1};

static const struct row {
    const char *name;
    const char *record;
    const char *args;
    const fer_http_common *common; /* NULL: nothing */
    const char *expected;
} rows[] = {
    {"path", PATH("simple", "false"), "{\"v\":\"a\"}", NULL, "GET https://s/b/x/a\n"},
    {"a slash adds no segment", PATH("simple", "false"), "{\"v\":\"a/b\\\\c?d#e%2F\"}", NULL,
     "GET https://s/b/x/a%2Fb%5Cc%3Fd%23e%252F\n"},
    {"beyond ASCII", PATH("simple", "false"), "{\"v\":\"\xC3\xA9\"}", NULL,
     "GET https://s/b/x/%C3%A9\n"},
    {"a number", PATH("simple", "false"), "{\"v\":1.50}", NULL, "GET https://s/b/x/1.5\n"},
    {"simple list", PATH("simple", "false"), LIST, NULL, "GET https://s/b/x/a%20b,1,true\n"},
    {"simple object", PATH("simple", "false"), OBJECT, NULL, "GET https://s/b/x/k,a%2Fb,l,2\n"},
    {"simple object, apart", PATH("simple", "true"), OBJECT, NULL,
     "GET https://s/b/x/k=a%2Fb,l=2\n"},
    {"label", PATH("label", "false"), LIST, NULL, "GET https://s/b/x/.a%20b,1,true\n"},
    {"label, apart", PATH("label", "true"), LIST, NULL, "GET https://s/b/x/.a%20b.1.true\n"},
    {"label object, apart", PATH("label", "true"), OBJECT, NULL,
     "GET https://s/b/x/.k=a%2Fb.l=2\n"},
    {"matrix", PATH("matrix", "false"), LIST, NULL, "GET https://s/b/x/;n=a%20b,1,true\n"},
    {"matrix, apart", PATH("matrix", "true"), LIST, NULL,
     "GET https://s/b/x/;n=a%20b;n=1;n=true\n"},
    {"matrix object, apart", PATH("matrix", "true"), OBJECT, NULL,
     "GET https://s/b/x/;k=a%2Fb;l=2\n"},
    {"JSON in the path", PATH("json", "false"), "{\"v\":[1]}", NULL, "GET https://s/b/x/%5B1%5D\n"},
    {"two dots", PATH("simple", "false"), "{\"v\":\"..\"}", NULL,
     "InvalidFormat `/x/{n}` cannot be sent: a segment of the path would be dots alone"},
    {"one dot", PATH("simple", "false"), "{\"v\":\".\"}", NULL,
     "InvalidFormat `/x/{n}` cannot be sent: a segment of the path would be dots alone"},
    {"dots in a list", PATH("simple", "false"), "{\"v\":[\"..\",\"a\"]}", NULL,
     "GET https://s/b/x/..,a\n"},
    {"nothing", PATH("simple", "false"), "{\"v\":\"\"}", NULL,
     "InvalidFormat `v` cannot be sent: a part of the path cannot be empty"},
    {"not there", PATH("simple", "false"), "{}", NULL,
     "RequiredMissing `v` cannot be sent: it is a part of the path and must be there"},
    {"null", PATH("simple", "false"), "{\"v\":null}", NULL,
     "RequiredMissing `v` cannot be sent: it is a part of the path and must be there"},
    {"nested", PATH("simple", "false"), "{\"v\":[[1]]}", NULL,
     "InvalidType `v` cannot be sent: lists and objects inside of others have no form there"},
    /* The query. */
    {"form", QUERY("form", "false"), LIST, NULL, "GET https://s/b/x?n=a%20b,1,true\n"},
    {"form, apart", QUERY("form", "true"), LIST, NULL, "GET https://s/b/x?n=a%20b&n=1&n=true\n"},
    {"form object", QUERY("form", "false"), OBJECT, NULL, "GET https://s/b/x?n=k,a%2Fb,l,2\n"},
    {"form object, apart", QUERY("form", "true"), OBJECT, NULL, "GET https://s/b/x?k=a%2Fb&l=2\n"},
    {"spaces", QUERY("spaceDelimited", "false"), LIST, NULL,
     "GET https://s/b/x?n=a%20b%201%20true\n"},
    {"pipes", QUERY("pipeDelimited", "false"), LIST, NULL,
     "GET https://s/b/x?n=a%20b%7C1%7Ctrue\n"},
    {"deep", QUERY("deepObject", "true"), "{\"v\":{\"a\":{\"b\":1},\"c\":[2,3],\"d\":null}}", NULL,
     "GET https://s/b/x?n%5Ba%5D%5Bb%5D=1&n%5Bc%5D%5B0%5D=2&n%5Bc%5D%5B1%5D=3\n"},
    {"JSON", QUERY("json", "true"), "{\"v\":{\"a\":\"&\"}}", NULL,
     "GET https://s/b/x?n=%7B%22a%22%3A%22%26%22%7D\n"},
    {"no pair is added", QUERY("form", "true"), "{\"v\":\"a&b=c#d\"}", NULL,
     "GET https://s/b/x?n=a%26b%3Dc%23d\n"},
    {"null is nothing", QUERY("form", "true"), "{\"v\":null}", NULL, "GET https://s/b/x\n"},
    {"an empty list", QUERY("form", "true"), "{\"v\":[]}", NULL, "GET https://s/b/x\n"},
    {"empty", QUERY("form", "true"), "{\"v\":\"\"}", NULL, "GET https://s/b/x?n=\n"},
    /* Header fields and cookies. */
    {"a field", HEADER("simple", "false"), LIST, NULL, "GET https://s/b/x\nn: a b,1,true\n"},
    {"a line end", HEADER("simple", "false"), "{\"v\":\"a\\r\\nX: y\"}", NULL,
     "InvalidFormat `v` cannot be sent: a header field is one line of text"},
    {"a NUL", HEADER("simple", "false"), "{\"v\":\"a\\u0000\"}", NULL,
     "InvalidFormat `v` cannot be sent: a header field is one line of text"},
    {"a line end in JSON", HEADER("json", "false"), "{\"v\":\"a\\n\"}", NULL,
     "GET https://s/b/x\nn: \"a\\n\"\n"},
    {"a cookie", COOKIE("form", "true"), "{\"v\":\"a;b\"}", NULL,
     "GET https://s/b/x\nCookie: n=a%3Bb\n"},
    /* Bodies. */
    {"members", BODY(JSON MEMBERS), "{\"b\":[1],\"a\":\"q\",\"z\":0}", NULL,
     "POST https://s/x\nContent-Type: application/json\n\n{\"x\":\"q\",\"y\":[1]}"},
    {"a null member is sent", BODY(JSON MEMBERS), "{\"a\":null}", NULL,
     "POST https://s/x\nContent-Type: application/json\n\n{\"x\":null}"},
    {"no members, none needed", BODY(JSON MEMBERS), "{}", NULL, "POST https://s/x\n"},
    {"no members, but a body", BODY(JSON "\"required\":true," MEMBERS), "{}", NULL,
     "POST https://s/x\nContent-Type: application/json\n\n{}"},
    {"the whole", BODY(JSON "\"argument\":\"w\""), "{\"w\":[1,2]}", NULL,
     "POST https://s/x\nContent-Type: application/json\n\n[1,2]"},
    {"no whole", BODY(JSON "\"argument\":\"w\""), "{}", NULL, "POST https://s/x\n"},
    {"a form", BODY(FORM MEMBERS), "{\"a\":\"q&r\",\"b\":[1,\"+\"]}", NULL,
     "POST https://s/x\nContent-Type: application/x-www-form-urlencoded\n\nx=q%26r&y=1&y=%2B"},
    {"a whole form", BODY(FORM "\"argument\":\"w\""), "{\"w\":{\"c\":true}}", NULL,
     "POST https://s/x\nContent-Type: application/x-www-form-urlencoded\n\nc=true"},
    {"an object in a form", BODY(FORM MEMBERS), "{\"a\":{}}", NULL,
     "InvalidType `x` cannot be sent: lists and objects inside of others have no form there"},
    {"parts", BODY(PARTS MEMBERS), "{\"a\":\"q\\u00e9\",\"b\":[1,{\"k\":[true]}]}", NULL,
     PARTS_HEAD("0") PART("0", "name=\"x\"\r\n\r\nq\xC3\xA9") PART("0", "name=\"y\"\r\n\r\n1")
         PART("0", "name=\"y\"\r\nContent-Type: application/json\r\n\r\n{\"k\":[true]}") LAST("0")},
    {"whole parts", BODY(PARTS "\"argument\":\"w\""), "{\"w\":{\"c\\\"\\r\":false,\"n\":null}}",
     NULL, PARTS_HEAD("0") PART("0", "name=\"c%22%0D\"\r\n\r\nfalse") LAST("0")},
    {"a file", BODY(PARTS "\"files\":[\"x\"]," MEMBERS), "{\"a\":\"bytes\"}", NULL,
     PARTS_HEAD("0") PART(
         "0", "name=\"x\"; filename=\"x\"\r\nContent-Type: application/octet-stream\r\n\r\nbytes")
         LAST("0")},
#define FILE_OF(type, bytes)                                                                       \
    PARTS_HEAD("0")                                                                                \
    PART("0", "name=\"x\"; filename=\"x\"\r\nContent-Type: " type "\r\n\r\n" bytes) LAST("0")
    {"a file in base64", BODY(PARTS "\"files\":[\"x\"],\"base64\":[\"x\"]," MEMBERS),
     "{\"a\":\"/wHDqQ==\"}", NULL, FILE_OF("application/octet-stream", "\xFF\x01\xC3\xA9")},
    {"a file in base64, of text", BODY(PARTS "\"files\":[\"x\"],\"base64\":[\"x\"]," MEMBERS),
     "{\"a\":\"aGk=\"}", NULL, FILE_OF("application/octet-stream", "hi")},
    {"files in base64", BODY(PARTS "\"files\":[\"x\"],\"base64\":[\"x\"]," MEMBERS),
     "{\"a\":[\"YQ==\",\"\"]}", NULL,
     PARTS_HEAD("0")
         PART("0", "name=\"x\"; filename=\"x\"\r\nContent-Type: application/octet-stream\r\n\r\na")
             PART("0", "name=\"x\"; filename=\"x\"\r\nContent-Type: "
                       "application/octet-stream\r\n\r\n") LAST("0")},
    {"a file that is no base64", BODY(PARTS "\"files\":[\"x\"],\"base64\":[\"x\"]," MEMBERS),
     "{\"a\":\"a!\"}", NULL,
     "InvalidFormat `a` cannot be sent: its bytes are written in base64 (RFC 4648), and this is none"},
    {"a binary file as a data URI", BODY(PARTS "\"files\":[\"x\"]," MEMBERS),
     "{\"a\":\"data:image/png;base64,aGk=\"}", NULL, FILE_OF("image/png", "hi")},
    {"a data URI without a type", BODY(PARTS "\"files\":[\"x\"]," MEMBERS),
     "{\"a\":\"data:;base64,aGk=\"}", NULL, FILE_OF("application/octet-stream", "hi")},
    {"a data URI with a type that is none", BODY(PARTS "\"files\":[\"x\"]," MEMBERS),
     "{\"a\":\"data:a\\r\\nb/c;base64,aGk=\"}", NULL, FILE_OF("application/octet-stream", "hi")},
    {"a data URI that is no base64", BODY(PARTS "\"files\":[\"x\"]," MEMBERS),
     "{\"a\":\"data:;base64,*\"}", NULL,
     "InvalidFormat `a` cannot be sent: its bytes are written in base64 (RFC 4648), and this is none"},
    {"a text that is no data URI", BODY(PARTS "\"files\":[\"x\"]," MEMBERS),
     "{\"a\":\"data:text/plain,hi\"}", NULL,
     FILE_OF("application/octet-stream", "data:text/plain,hi")},
    {"a data URI that is no file", BODY(PARTS MEMBERS), "{\"a\":\"data:;base64,aGk=\"}", NULL,
     PARTS_HEAD("0") PART("0", "name=\"x\"\r\n\r\ndata:;base64,aGk=") LAST("0")},
    {"a part that holds the boundary", BODY(PARTS MEMBERS),
     "{\"a\":\"--ferrule-boundary-0---\\r\\n\"}", NULL,
     PARTS_HEAD("1") PART("1", "name=\"x\"\r\n\r\n--ferrule-boundary-0---\r\n") LAST("1")},
    {"no object in parts", BODY(PARTS "\"argument\":\"w\""), "{\"w\":[1]}", NULL,
     "InvalidType `w` cannot be sent: a form is an object"},
    {"text", BODY("\"contentType\":\"text/plain\",\"argument\":\"w\""), "{\"w\":\"a\\nb\"}", NULL,
     "POST https://s/x\nContent-Type: text/plain\n\na\nb"},
    /* What operators give. */
    {"bearer", QUERY("form", "true"), "{}", &bearer,
     "GET https://s/b/x\nAuthorization: Bearer tok\n"},
    {"basic", QUERY("form", "true"), "{}", &basic,
     "GET https://s/b/x\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n"},
    {"a key in a field", HEADER("simple", "true"), "{\"v\":\"x\"}", &in_header,
     "GET https://s/b/x\nN: k&\n"},
    {"a key in the query", RECORD("{\"method\":\"GET\",\"server\":\"https://s\",\"path\":\"/x\"}"),
     "{}", &in_query, "GET https://s/x?n=k%26\n"},
    {"a key in the query is nobody else's", QUERY("form", "true"), "{\"v\":{\"n\":\"x\"}}",
     &in_query, "InvalidFormat `n` cannot be sent: that is where the operator's key goes"},
    {"a key in a cookie", COOKIE("form", "true"), "{\"v\":\"x\"}", &in_cookie,
     "GET https://s/b/x\nCookie: n=k%3B\n"},
    {"base URL and fields", HEADER("simple", "true"), "{\"v\":\"x\"}", &based,
     "GET http://h:1/r/x\nN: mine\n"},
    /* What is no binding. */
    {"no binding", "{}", "{}", NULL,
     "InvalidFormat the tool \"\" does not say how it is asked over HTTP"},
    {"no style", QUERY("simple", "true"), "{}", NULL,
     "InvalidFormat the tool \"t\" does not say how it is asked over HTTP"},
    {"no place", PARAM("/x", "body", "form", "true"), "{}", NULL,
     "InvalidFormat the tool \"t\" does not say how it is asked over HTTP"},
    {"no content", BODY("\"contentType\":\"image/png\",\"argument\":\"w\""), "{}", NULL,
     "InvalidFormat the tool \"t\" does not say how it is asked over HTTP"},
    {"a path that is none", PARAM("x", "query", "form", "true"), "{}", NULL,
     "InvalidFormat the tool \"t\" does not say how it is asked over HTTP"},
    {"a path with a parameter that there is not", PARAM("/{q}", "query", "form", "true"), "{}",
     NULL, "InvalidFormat `/{q}` cannot be sent: the path names a parameter that there is not"},
};

static void add_request(fer_buf *b, const fer_http_request *r)
{
    fer_buf_printf(b, "%.*s %.*s\n", FER_PRI(r->method), FER_PRI(r->url));
    for (size_t i = 0; i < r->field_count; i++)
        if (!fer_str_is(r->fields[i].name, "Accept"))
            fer_buf_printf(b, "%.*s: %.*s\n", FER_PRI(r->fields[i].name),
                           FER_PRI(r->fields[i].value));
    if (r->body.ptr) fer_buf_printf(b, "\n%.*s", FER_PRI(r->body));
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_json *record, *args;
    fer_http_binding binding;
    fer_http_request request;
    fer_err err = {0};
    fer_buf b;
    char text[2048];
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_code code = fer_json_read(a, fer_str_of(row->record), NULL, &record, &err);
    if (!code) code = fer_json_read(a, fer_str_of(row->args), NULL, &args, &err);
    if (code) return code;
    code = fer_http_binding_read(a, fer_json_root(record), &binding, &err);
    if (!code)
        code = fer_http_build(a, &binding, row->common ? row->common : &plain, fer_json_root(args),
                              &request, &err);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    if (code) fer_buf_printf(&b, "%s %s", fer_code_info(code)->name, err.message);
    else add_request(&b, &request);
    assert_str(fer_buf_view(&b), row->expected);
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
}

/* net.url, and http.query. */
static void test_limits(void)
{
    for (size_t over = 0; over < 2; over++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *record, *args;
        fer_http_binding binding;
        fer_http_request request;
        fer_err err;
        fer_buf b;
        size_t head = strlen("https://s/b/x?n=");
        fer_buf_init(&b, a, 100000);
        fer_buf_add_text(&b, "{\"v\":\"");
        fer_buf_add_repeat(&b, 'x', FER_NET_URL_MAX - head + over);
        fer_buf_add_text(&b, "\"}");
        assert_false(fer_json_read(a, FER_STR(QUERY("form", "true")), NULL, &record, &err));
        assert_false(fer_json_read(a, fer_buf_view(&b), NULL, &args, &err));
        assert_false(fer_http_binding_read(a, fer_json_root(record), &binding, &err));
        fer_code code = fer_http_build(a, &binding, &plain, fer_json_root(args), &request, &err);
        assert_int_equal(code, over ? FER_LIMIT_EXCEEDED : FER_OK);
        fer_buf_init(&b, a, 100000);
        fer_buf_add_text(&b, "{\"v\":");
        for (size_t i = 0; i < FER_HTTP_DEPTH + over; i++) fer_buf_add_text(&b, "{\"a\":");
        fer_buf_add_char(&b, '1');
        fer_buf_add_repeat(&b, '}', FER_HTTP_DEPTH + over + 1);
        assert_false(fer_json_read(a, FER_STR(QUERY("deepObject", "true")), NULL, &record, &err));
        assert_false(fer_json_read(a, fer_buf_view(&b), NULL, &args, &err));
        assert_false(fer_http_binding_read(a, fer_json_root(record), &binding, &err));
        code = fer_http_build(a, &binding, &plain, fer_json_root(args), &request, &err);
        assert_int_equal(code, over ? FER_LIMIT_EXCEEDED : FER_OK);
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("build", rows, run) + ROWS_ONE("build", test_limits);
}
