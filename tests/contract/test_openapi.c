/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAPI documents: what becomes of them, what is told of them, and their limits. */
#include <ferrule/contract.h>

#include "buf.h"
#include "openapi.h"
#include "rows.h"

#define HEAD30 "openapi: 3.0.3\ninfo: {title: My API, version: 1.2.3}\n"
#define HEAD31 "openapi: 3.1.0\ninfo: {title: My API, version: v2026}\n"
/* One operation with its members; lines of it begin in column 7. */
#define GET(members)  "paths:\n  /a:\n    get:\n      " members "\n"
#define POST(members) "paths:\n  /a:\n    post:\n      " members "\n"
/* A body, and an answer, with a schema in flow style. */
#define BODY(schema)                                                                               \
    POST("requestBody: {required: true, content: {application/json: {schema: " schema "}}}")
#define ANSWER(schema)                                                                             \
    GET("responses: {'200': {description: d, content: {application/json: {schema: " schema "}}}}")
#define IN(rest)   "/inputSchema" rest
#define HTTP(rest) "/backend/provider/http" rest

static fer_code import(fer_arena *a, const char *text, const fer_openapi_options *o,
                       fer_openapi *out, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_yaml_read(a, fer_str_of(text), fer_json_limits_file(), &doc, err);
    return code ? code : fer_openapi_import(a, doc, o, out, err);
}

/* ---- what comes out -------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    const char *document;
    const char *pointer; /* in the first record */
    const char *expected;
} rows[] = {
    {"name", HEAD30 GET("operationId: repos/list-all"), "/name", "\"repos_list-all\""},
    {"operationId is kept", HEAD30 GET("operationId: repos/list-all"), HTTP("/operationId"),
     "\"repos/list-all\""},
    {"no operationId", HEAD30 GET("summary: s"), "/name", "\"GET_a\""},
    {"no plain character", HEAD30 GET("operationId: '//'"), "/name", "\"_\""},
    {"namespace of the title", HEAD30 GET("summary: s"), "/namespace", "\"my-api\""},
    {"version", HEAD30 GET("summary: s"), "/version", "\"1.2.3\""},
    {"no semantic version", HEAD31 GET("summary: s"), "/version", "-"},
    {"summary and description", HEAD30 GET("{summary: s, description: d}"), "/description",
     "\"s\\n\\nd\""},
    {"description repeats the summary", HEAD30 GET("{summary: s, description: s and d}"),
     "/description", "\"s and d\""},
    {"neither", HEAD30 GET("{}"), "/description", "\"GET /a\""},
    {"deprecated", HEAD30 GET("{summary: s, deprecated: true}"), "/description",
     "\"Deprecated. s\""},
    {"deprecated, as a tag", HEAD30 GET("{tags: [X Y], deprecated: true}"), "/tags",
     "[\"x-y\",\"deprecated\"]"},
    {"effect of GET", HEAD30 GET("{}"), "/effect", "\"Pure\""},
    {"effect of POST", HEAD30 POST("{}"), "/effect", "\"NonIdempotentWrite\""},
    {"effect of its own", HEAD30 POST("x-ferrule-effect: ExternalSideEffects"), "/effect",
     "\"ExternalSideEffects\""},
    {"PUT needs no key", HEAD30 "paths: {/a: {put: {}}}", "/idempotency", "\"optional\""},
    {"documentation", HEAD30 GET("externalDocs: {url: 'https://x/'}"), "/externalRefs",
     "[\"https://x/\"]"},
    {"security",
     HEAD30 GET("security: [{k: []}]") "components: {securitySchemes: {k: {type: http, "
                                       "scheme: bearer}, other: {type: http}}}",
     "/securitySchemes", "{\"k\":{\"type\":\"http\",\"scheme\":\"bearer\"}}"},
    {"security of all, and none of its own",
     HEAD30 "security: [{k: []}]\n" GET("security: []") "components: {securitySchemes: {k: {}}}",
     "/securityRequirements", "-"},
    /* Parameters. */
    {"nothing to say", HEAD30 GET("{}"), IN(""),
     "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
    {"a parameter",
     HEAD30 GET("parameters: [{name: q, in: query, required: true, description: d, schema: {type: "
                "string, description: e}}]"),
     IN(""),
     "{\"type\":\"object\",\"properties\":{\"q\":{\"description\":\"d\",\"type\":\"string\"}},"
     "\"required\":[\"q\"],\"additionalProperties\":false}"},
    {"where it goes", HEAD30 GET("parameters: [{name: q, in: query}]"), HTTP("/parameters"),
     "[{\"argument\":\"q\",\"in\":\"query\",\"name\":\"q\",\"style\":\"form\",\"explode\":true}]"},
    {"one name in two places",
     HEAD30 "paths: {'/a/{id}': {parameters: [{name: id, in: header}], get: {parameters: [{name: "
            "id, in: query}, {name: id, in: path}]}}}",
     IN("/properties"), "{\"id\":{},\"id_query\":{},\"id_header\":{}}"},
    {"an operation's parameter goes before its path's",
     HEAD30 "paths: {/a: {parameters: [{name: q, in: query, schema: {type: string}}], get: "
            "{parameters: [{name: q, in: query, schema: {type: integer}}]}}}",
     IN("/properties"), "{\"q\":{\"type\":\"integer\"}}"},
    {"a reference to a parameter",
     HEAD30 GET(
         "parameters: [{$ref: '#/components/parameters/P'}]") "components: {parameters: {P: {name: p, in: cookie}}}",
     HTTP("/parameters/0/in"), "\"cookie\""},
    {"JSON in a parameter",
     HEAD30 GET("parameters: [{name: q, in: query, content: {application/json: {schema: {type: "
                "object}}}}]"),
     HTTP("/parameters/0/style"), "\"json\""},
    {"reserved fields",
     HEAD30 GET("parameters: [{name: Host, in: header}, {name: X-Forwarded-For, "
                "in: header}, {name: accept, in: header}]"),
     IN("/properties"), "{}"},
    {"keys are for operators",
     HEAD30 GET(
         "parameters: [{name: K, in: query}, {name: k, in: header}]") "components: {securitySchemes: {s: {type: apiKey, in: query, name: k}}}",
     IN("/properties"), "{\"k\":{}}"},
    /* Bodies. */
    {"a flat body", HEAD30 BODY("{type: object, required: [x], properties: {x: {}, y: {}}}"),
     IN(""),
     "{\"type\":\"object\",\"properties\":{\"x\":{},\"y\":{}},\"required\":[\"x\"],"
     "\"additionalProperties\":false}"},
    {"a flat body, in the request", HEAD30 BODY("{properties: {x: {}}}"), HTTP("/body"),
     "{\"contentType\":\"application/json\",\"required\":true,\"members\":{\"x\":\"x\"}}"},
    {"a list as body", HEAD30 BODY("{type: array}"), HTTP("/body"),
     "{\"contentType\":\"application/json\",\"required\":true,\"argument\":\"body\"}"},
    {"an open body", HEAD30 BODY("{properties: {x: {}}, additionalProperties: true}"),
     IN("/properties"), "{\"body\":{\"properties\":{\"x\":{}},\"additionalProperties\":true}}"},
    {"an optional body that must have something",
     HEAD30 POST("requestBody: {content: {application/json: {schema: {required: [x], properties: "
                 "{x: {}}}}}}"),
     IN("/required"), "-"},
    {"a member with the name of a parameter",
     HEAD30 POST("{parameters: [{name: x, in: query}], requestBody: {content: {application/json: "
                 "{schema: {properties: {x: {}}}}}}}"),
     IN("/properties"), "{\"x\":{},\"body\":{\"properties\":{\"x\":{}}}}"},
    {"a parameter with the name of the body",
     HEAD30 POST("{parameters: [{name: body, in: query}], requestBody: {content: "
                 "{application/json: {}}}}"),
     HTTP("/body/argument"), "\"body_body\""},
    {"read only", HEAD30 BODY("{required: [i, x], properties: {i: {readOnly: true}, x: {}}}"),
     IN("/required"), "[\"x\"]"},
    {"write only", HEAD30 ANSWER("{required: [i, x], properties: {i: {writeOnly: true}, x: {}}}"),
     "/outputSchema/required", "[\"x\"]"},
    {"a body in parts",
     HEAD30 POST("requestBody: {content: {multipart/form-data: {schema: {type: object, properties: "
                 "{f: {type: string, format: binary}, n: {type: integer}}}}}}"),
     HTTP("/body"),
     "{\"contentType\":\"multipart/form-data\",\"required\":false,\"members\":{\"f\":\"f\",\"n\":\"n\"},"
     "\"files\":[\"f\"]}"},
    {"bytes in base64, 3.0",
     HEAD30 POST("requestBody: {content: {multipart/form-data: {schema: {type: object, properties: "
                 "{f: {type: string, format: byte}, g: {type: array, items: {type: string, format: "
                 "byte}}, n: {type: string}}}}}}"),
     HTTP("/body"),
     "{\"contentType\":\"multipart/form-data\",\"required\":false,\"members\":{\"f\":\"f\",\"g\":\"g\","
     "\"n\":\"n\"},\"files\":[\"f\",\"g\"],\"base64\":[\"f\",\"g\"]}"},
    {"bytes in base64, 3.1",
     HEAD31 POST("requestBody: {content: {multipart/form-data: {schema: {type: object, properties: "
                 "{f: {type: string, contentEncoding: base64, contentMediaType: image/png}, g: "
                 "{type: string, contentMediaType: image/png}}}}}}"),
     HTTP("/body"),
     "{\"contentType\":\"multipart/form-data\",\"required\":false,\"members\":{\"f\":\"f\",\"g\":\"g\"},"
     "\"files\":[\"f\",\"g\"],\"base64\":[\"f\"]}"},
    {"JSON before forms",
     HEAD30 POST("requestBody: {content: {application/x-www-form-urlencoded: {}, "
                 "application/vnd.a+json: {}}}"),
     HTTP("/body/contentType"), "\"application/vnd.a+json\""},
    /* Answers. */
    {"an answer", HEAD30 ANSWER("{type: integer}"), "/outputSchema", "{\"type\":\"integer\"}"},
    {"an answer by reference",
     HEAD30 ANSWER("{$ref: '#/components/schemas/S'}") "components: {schemas: {S: {type: object}}}",
     "/outputSchema", "{\"type\":\"object\"}"},
    {"answers",
     HEAD30 GET("responses: {'200': {content: {application/json: {schema: {type: "
                "string}}}}, '204': {}, '400': {content: {a/b: {}}}}"),
     "/outputSchema", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"},
    {"an answer that is not JSON", HEAD30 GET("responses: {'200': {content: {text/plain: {}}}}"),
     "/outputSchema", "-"},
    /* Schemas of 3.0. */
    {"nullable", HEAD30 ANSWER("{type: string, nullable: true}"), "/outputSchema/type",
     "[\"string\",\"null\"]"},
    {"nullable enum", HEAD30 ANSWER("{type: string, nullable: true, enum: [a, a]}"),
     "/outputSchema/enum", "[\"a\",null]"},
    {"nullable means nothing in 3.1", HEAD31 ANSWER("{type: string, nullable: true}"),
     "/outputSchema", "{\"type\":\"string\"}"},
    {"nullable allOf", HEAD30 ANSWER("{nullable: true, allOf: [{type: object}]}"), "/outputSchema",
     "{\"anyOf\":[{\"allOf\":[{\"type\":\"object\"}]},{\"type\":\"null\"}]}"},
    {"exclusive",
     HEAD30 ANSWER("{minimum: 1, exclusiveMinimum: true, maximum: 2, "
                   "exclusiveMaximum: false}"),
     "/outputSchema", "{\"exclusiveMinimum\":1,\"maximum\":2}"},
    {"exclusive in 3.1", HEAD31 ANSWER("{exclusiveMinimum: 1}"), "/outputSchema",
     "{\"exclusiveMinimum\":1}"},
    {"example", HEAD30 ANSWER("{example: 1}"), "/outputSchema", "{\"examples\":[1]}"},
    {"a default that its schema refuses",
     HEAD30 ANSWER("{type: string, default: 1, examples: [a, 2]}"), "/outputSchema",
     "{\"type\":\"string\"}"},
    {"beside a reference in 3.0",
     HEAD30 ANSWER(
         "{items: {$ref: '#/components/schemas/S', minimum: 1, description: d}}") "components: {schemas: {S: {}}}",
     "/outputSchema/items", "{\"$ref\":\"#/$defs/S\",\"description\":\"d\"}"},
    {"beside a reference in 3.1",
     HEAD31 ANSWER(
         "{items: {$ref: '#/components/schemas/S', minimum: 1}}") "components: {schemas: {S: {}}}",
     "/outputSchema/items", "{\"$ref\":\"#/$defs/S\",\"minimum\":1}"},
    {"a cycle",
     HEAD30 ANSWER(
         "{items: {$ref: '#/components/schemas/A%20b'}}") "components: {schemas: {A b: {properties: {x: {$ref: "
                                                          "'#/components/schemas/A%20b'}}}, Unused: {}}}",
     "/outputSchema/$defs", "{\"A_20b\":{\"properties\":{\"x\":{\"$ref\":\"#/$defs/A_20b\"}}}}"},
    {"a reference into a schema",
     HEAD31 ANSWER(
         "{items: {$ref: '#/components/schemas/S/$defs/T'}}") "components: {schemas: {S: {$defs: {T: {type: string}}}}}",
     "/outputSchema/$defs", "{\"S_defs_T\":{\"type\":\"string\"}}"},
    {"a discriminator",
     HEAD30 ANSWER(
         "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}, "
         "{$ref: '#/components/schemas/C'}], discriminator: {propertyName: t, mapping: "
         "{x: A}}}") "components: {schemas: {A: {}, B: {properties: {t: {type: string}}}, C: {properties: {t: "
                     "{enum: [c]}}}}}",
     "/outputSchema/oneOf",
     "[{\"$ref\":\"#/$defs/A\",\"properties\":{\"t\":{\"enum\":[\"x\"]}}},{\"$ref\":\"#/$defs/B\","
     "\"properties\":{\"t\":{\"enum\":[\"B\"]}}},{\"$ref\":\"#/$defs/C\"}]"},
    {"int32 in a request", HEAD30 BODY("{properties: {x: {type: integer, format: int32}}}"),
     IN("/properties/x"), "{\"type\":\"integer\",\"minimum\":-2147483648,\"maximum\":2147483647}"},
    {"int32 in an answer", HEAD30 ANSWER("{type: integer, format: int32}"), "/outputSchema",
     "{\"type\":\"integer\"}"},
    {"what is no keyword", HEAD30 ANSWER("{x-a: 1, xml: {}, kind: q}"), "/outputSchema", "{}"},
    {"what has not its form",
     HEAD30 ANSWER("{type: text, maxLength: -1, required: true, pattern: '(', enum: 1, allOf: [], "
                   "title: 1, minimum: a, multipleOf: 0, properties: []}"),
     "/outputSchema", "{}"},
    /* Servers. */
    {"no server", HEAD30 GET("{}"), HTTP("/server"), "\"/\""},
    {"a server",
     HEAD30 "servers: [{url: 'https://{h}.x/{v}', variables: {h: {default: eu}}}]\n" GET("{}"),
     HTTP("/server"), "\"https://eu.x/\""},
    {"a server of its own",
     HEAD30 "servers: [{url: 'https://x'}]\n" GET("servers: [{url: 'https://y'}]"), HTTP("/server"),
     "\"https://y\""},
};

static fer_code attempt(fer_arena *given, const void *context)
{
    const struct row *row = context;
    fer_err err = {0};
    fer_json *record;
    fer_openapi made;
    fer_str text = FER_STR("-");
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_code code = a ? import(a, row->document, NULL, &made, &err) : FER_OUT_OF_MEMORY;
    if (!code && made.count != 1) fail_msg("%zu tools", made.count);
    if (!code) code = fer_json_read(a, made.tools[0].record, NULL, &record, &err);
    if (!code) {
        const struct yyjson_val *value =
            fer_json_at(fer_json_root(record), fer_str_of(row->pointer), NULL);
        if (value) code = fer_json_write(a, value, false, &text, &err);
    }
    if (!code) assert_str(text, row->expected);
    if (!given) fer_arena_free(a);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_code code = attempt(a, row);
    if (code) fail_msg("%s", fer_code_info(code)->name);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
    rows_torture_malloc(attempt, row);
}

/* ---- what is told ------------------------------------------------------------------------------
 */

static const struct told {
    const char *name;
    const char *document;
    const char *expected; /* "line:column left out|note: ...", or of the failure */
} told[] = {
    {"no document", "a: 1", "1:1 this is no OpenAPI document: it has no member \"openapi\""},
    {"a list", "[]", "1:1 this is no OpenAPI document: it has no member \"openapi\""},
    {"Swagger", "swagger: '2.0'",
     "1:10 Swagger 2.0 is not read; convert the document to OpenAPI 3"},
    {"a later version", "info: {}\nopenapi: 4.0.0",
     "2:10 OpenAPI 4.0.0 is not known, only 3.0 and 3.1"},
    {"a number", "openapi: 3.1", "1:10 OpenAPI of no version is not known, only 3.0 and 3.1"},
    {"a dialect", "openapi: 3.1.0\njsonSchemaDialect: http://json-schema.org/draft-07/schema#",
     "2:20 schemas of this dialect are not read, only those of 2020-12"},
    {"paths", HEAD30 "paths: 1", "3:8 \"paths\" is a number, not an object"},
    {"another file", HEAD30 GET("parameters: [{$ref: 'other.yaml#/P'}]"),
     "6:27 left out: \"other.yaml#/P\" leads out of the document, and nothing is fetched"},
    {"nothing there", HEAD30 GET("parameters: [{$ref: '#/P'}]"),
     "6:27 left out: there is nothing at \"#/P\""},
    {"a reference to itself",
     HEAD30 BODY(
         "{$ref: '#/components/schemas/A'}") "components: {schemas: {A: {$ref: '#/components/schemas/A'}}}",
     "7:34 left out: this reference leads to itself"},
    {"an answer out of reach", HEAD30 ANSWER("{$ref: 'x.json'}"),
     "6:87 note: \"x.json\" leads out of the document, and nothing is fetched"},
    {"a body that is a file", HEAD30 POST("requestBody: {content: {image/png: {}}}"),
     "6:30 left out: a body can be JSON, application/x-www-form-urlencoded, multipart/form-data or text/plain; this one "
     "is \"image/png\""},
    {"a parameter without a place", HEAD30 GET("parameters: [{name: a, in: body}]"),
     "6:20 left out: a parameter needs a name, and to be in one of path, query, header and cookie"},
    {"a path without its parameter", HEAD30 "paths: {'/{a}': {get: {}}}",
     "3:23 left out: the path has no parameter \"a\""},
    {"a parameter without its path", HEAD30 GET("parameters: [{name: a, in: path}]"),
     "6:7 left out: a parameter of the path is not in the path"},
    {"a path with a query", HEAD30 "paths: {'/a?b=c': {get: {}}}",
     "3:25 left out: the path has a character that no path has"},
    {"a style of another place", HEAD30 GET("parameters: [{name: a, in: query, style: simple}]"),
     "6:48 left out: a parameter of the query has no such style"},
    {"a field that is none", HEAD30 GET("parameters: [{name: 'a b', in: header}]"),
     "6:20 left out: \"a b\" is no name of a header"},
    {"an effect that is none", HEAD30 GET("x-ferrule-effect: None"),
     "6:25 left out: x-ferrule-effect is one of Pure, IdempotentWrite, NonIdempotentWrite and "
     "ExternalSideEffects"},
    {"a scheme that is none", HEAD30 GET("security: [{k: []}]"),
     "6:19 note: no security scheme has the name \"k\""},
    {"a body of GET", HEAD30 GET("requestBody: {content: {}}"),
     "6:20 note: a GET request has no body"},
    {"a keyword", HEAD30 ANSWER("{kind: 1}"),
     "6:81 note: \"kind\" is left out: it is no keyword of a schema"},
    {"a schema of a keyword's form", HEAD30 ANSWER("{maxLength: a}"),
     "6:81 note: \"maxLength\" is left out: it is a string, not a number of things"},
    {"a dynamic reference", HEAD31 BODY("{properties: {x: {$dynamicRef: '#a'}}}"),
     "6:92 left out: \"$dynamicRef\" in a schema is not understood"},
};

static void run_told(const struct told *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_openapi made = {0};
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, a, 100000);
    if (import(a, row->document, NULL, &made, &err)) {
        fer_buf_printf(&b, "%u:%u %s", err.line, err.column, err.message);
    } else {
        const fer_openapi_problem *p = made.problems;
        assert_int_equal(made.problem_count, 1);
        fer_buf_printf(&b, "%u:%u %s: %.*s", p->place.line, p->place.column,
                       p->left_out ? "left out" : "note", FER_PRI(p->message));
        assert_int_equal(made.left_out, p->left_out);
        assert_int_equal(made.count, !p->left_out);
    }
    assert_str(fer_buf_view(&b), row->expected);
    fer_arena_free(a);
}

/* ---- limits ------------------------------------------------------------------------------------
 */

static void add_operations(fer_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++) fer_buf_printf(b, "  /p%zu: {get: {}}\n", i);
}

static void add_parameters(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "  /a:\n    get:\n      parameters:\n");
    for (size_t i = 0; i < n; i++) fer_buf_printf(b, "        - {name: p%zu, in: query}\n", i);
}

static void add_schemas(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "  /a:\n    post:\n      requestBody:\n        content:\n          "
                        "application/json:\n            schema: {type: array, items: {$ref: "
                        "'#/components/schemas/S0'}}\ncomponents:\n  schemas:\n");
    for (size_t i = 0; i + 1 < n; i++)
        fer_buf_printf(b, "    S%zu: {not: {$ref: '#/components/schemas/S%zu'}}\n", i, i + 1);
    fer_buf_printf(b, "    S%zu: {}\n", n - 1);
}

/* The parameter's own schema is at depth 0. */
static void add_depth(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "  /a:\n    get:\n      parameters: [{name: a, in: query, schema: ");
    for (size_t i = 0; i < n; i++) fer_buf_add_text(b, "{not: ");
    fer_buf_add_text(b, "{}");
    fer_buf_add_repeat(b, '}', n);
    fer_buf_add_text(b, "}]\n");
}

static void add_description(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "  /a: {get: {description: ");
    fer_buf_add_repeat(b, 'x', n);
    fer_buf_add_text(b, "}}\n");
}

static const struct edge {
    const char *name;
    size_t limit;
    void (*add)(fer_buf *b, size_t n);
    bool fails;   /* the whole document; else one problem */
    size_t tools; /* within the limit */
} edges[] = {
    {"openapi.operations", FER_OPENAPI_OPERATIONS, add_operations, true, FER_OPENAPI_OPERATIONS},
    {"openapi.parameters", FER_OPENAPI_PARAMETERS, add_parameters, false, 1},
    {"openapi.schemas", FER_OPENAPI_SCHEMAS, add_schemas, false, 1},
    {"openapi.depth", FER_OPENAPI_DEPTH, add_depth, false, 1},
    {"openapi.text", FER_OPENAPI_TEXT, add_description, false, 1},
};

static void run_edge(const struct edge *row)
{
    for (size_t over = 0; over < 2; over++) {
        fer_arena *a = fer_arena_new(0);
        fer_openapi made = {0};
        fer_err err = {0};
        fer_buf b;
        fer_buf_init(&b, a, (size_t)8 << 20);
        fer_buf_add_text(&b, HEAD31 "paths:\n");
        row->add(&b, row->limit + over);
        fer_buf_add_char(&b, '\0');
        fer_code code = import(a, b.ptr, NULL, &made, &err);
        assert_int_equal(code, over && row->fails ? FER_LIMIT_EXCEEDED : FER_OK);
        if (!over) assert_int_equal(made.count, row->tools);
        if (over && !code) assert_true(made.problem_count == 1);
        if (over)
            assert_non_null(strstr(code ? err.message : made.problems[0].message.ptr, row->name));
        else assert_int_equal(made.problem_count, 0);
        fer_arena_free(a);
    }
}

/* ---- options -----------------------------------------------------------------------------------
 */

static void test_options(void)
{
    static const char doc[] =
        HEAD30 "paths:\n  /x: {get: {operationId: a/b}, post: {operationId: a_b}, put: "
               "{operationId: c}}\n  /y: {get: {operationId: a.b}, $ref: '#/nowhere'}\n"
               "  /z: {get: {}}\n";
    fer_str globs[] = {FER_STR("a*"), FER_STR("/z")};
    fer_openapi_options o = {FER_STR("n"), FER_STR("p"), FER_STR("http://h:1/b"), globs, 2};
    fer_arena *a = fer_arena_new(0);
    fer_openapi made;
    fer_err err;
    assert_int_equal(import(a, doc, &o, &made, &err), FER_OK);
    assert_int_equal(made.count, 3);
    assert_str(made.tools[0].name, "a_b");
    assert_str(made.tools[1].name, "a_b_2");
    assert_str(made.tools[2].name, "GET_z");
    assert_int_equal(made.passed, 1);
    assert_int_equal(made.left_out, 1);
    assert_non_null(strstr(made.tools[0].record.ptr, "\"providerId\":\"p\",\"toolId\":\"a_b\""));
    assert_non_null(strstr(made.tools[0].record.ptr, "\"server\":\"http://h:1/b\""));
    fer_arena_free(a);
}

/* All that is imported is clean to `ferrule check`, whatever was wrong in the document. */
static void test_records_are_clean(void)
{
    for (size_t i = 0; i < FER_COUNT(rows) + FER_COUNT(told); i++) {
        const char *text =
            i < FER_COUNT(rows) ? rows[i].document : told[i - FER_COUNT(rows)].document;
        fer_arena *a = fer_arena_new(0);
        fer_openapi made = {0};
        fer_err err;
        if (import(a, text, NULL, &made, &err)) made.count = 0;
        for (size_t t = 0; t < made.count; t++) {
            fer_toolset *set = fer_toolset_new();
            size_t count;
            assert_int_equal(
                fer_toolset_add(set, FER_STR("t"), made.tools[t].record, FER_FORMAT_JSON, &err),
                FER_OK);
            const fer_finding *list = fer_toolset_findings(set, &count);
            for (size_t f = 0; f < count; f++)
                if (list[f].severity == FER_SEVERITY_ERROR)
                    fail_msg("%s: %.*s", text, FER_PRI(list[f].message));
            fer_toolset_free(set);
        }
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("openapi", rows, run) + ROWS_RUN("told", told, run_told) +
           ROWS_RUN("limits", edges, run_edge) + ROWS_ONE("openapi", test_options) +
           ROWS_ONE("openapi", test_records_are_clean);
}
