/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The discovery contracts (S2): what is shown, byte for byte, where it is cut, and that every
 * answer fits its JSON Schema in docs/schemas, asked of our own engine.
 */
#include "catalog_rows.h"

#include <ferrule/schema.h>

#include "file.h"
#include "json_doc.h"
#include "unicode.h"

/* ---- the schemas ------------------------------------------------------------------------------
 */

static const char *const names[] = {"summary",  "search-doc", "schema-info", "tool-example",
                                    "tool-doc", "result",     "document"};
static fer_schema *schemas[FER_COUNT(names)];

static void load_schemas(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_registry *r = fer_registry_new();
    fer_str texts[FER_COUNT(names)];
    fer_err err;
    for (int compile = 0; compile < 2; compile++) {
        for (size_t i = 0; i < FER_COUNT(names); i++) {
            char path[128];
            snprintf(path, sizeof path, "docs/schemas/%s.schema.json", names[i]);
            fer_code code = compile
                                ? fer_schema_compile(texts[i], &(fer_schema_options){.registry = r},
                                                     &schemas[i], &err)
                                : fer_file_read(a, path, 1 << 20, &texts[i], &err);
            if (!compile && !code) {
                snprintf(path, sizeof path, "%s.schema.json", names[i]);
                code = fer_registry_add(r, fer_str_of(path), texts[i], FER_DIALECT_DEFAULT, &err);
            }
            if (code) fail_msg("%s: %s", names[i], err.message);
        }
    }
    fer_registry_free(r);
    fer_arena_free(a);
}

static void drop_schemas(void)
{
    for (size_t i = 0; i < FER_COUNT(names); i++) fer_schema_unref(schemas[i]);
}

static void must_fit(fer_arena *a, const char *name, fer_str json)
{
    size_t i = 0, count;
    fer_json *doc;
    fer_result *result;
    fer_err err;
    while (strcmp(names[i], name) != 0) i++;
    if (fer_json_read(a, json, NULL, &doc, &err)) fail_msg("%s: %.*s", err.message, FER_PRI(json));
    assert_int_equal(fer_schema_validate(a, schemas[i], doc, NULL, NULL, &result, &err), FER_OK);
    const fer_violation *v = fer_result_violations(result, &count);
    if (count) fail_msg("%s: %.*s in %.*s", name, FER_PRI(v[0].message), FER_PRI(json));
}

/* ---- summaries ----------------------------------------------------------------------------------
 */

#define FULL                                                                                       \
    "{\"namespace\":\"Git.Hub\",\"name\":\"Create_Issue\",\"version\":\"v1.2.0\",\"title\":\"T\"," \
    "\"description\":\"Opens an \\u00C4rger.\\nSecond line.\",\"category\":\"Dev Tools\","         \
    "\"tags\":[\"Zeta\",\"alpha beta\",\"zeta\"],\"inputModes\":[\"application/json\"],"           \
    "\"outputModes\":[\"text/plain\",\"image/PNG\"],"                                              \
    "\"securitySchemes\":{\"oauth\":{\"type\":\"oauth2\"},\"key\":{\"type\":\"apiKey\"}},"         \
    "\"securityRequirements\":[{\"oauth\":[]},{\"key\":[],\"oauth\":[\"x\"]}]," S "}"

static const struct row {
    const char *name;
    const char *tool;
    const char *summary;
    const char *doc_text;
    const char *document;
} rows[] = {
    {"the least", T("a"), "{\"id\":\"a\",\"name\":\"a\"}", "a",
     "{\"id\":\"a\",\"name\":\"a\",\"text\":\"a\"}"},
    {"everything", FULL,
     "{\"id\":\"Git.Hub:Create_Issue:1.2.0\",\"name\":\"Create_Issue\",\"namespace\":\"Git.Hub\","
     "\"shortDescription\":\"Opens an \xC3\x84rger.\\nSecond line.\",\"summary\":\"Opens an \xC3\x84rger.\\nSecond line.\","
     "\"category\":\"Dev Tools\",\"inputModes\":[\"application/json\"],\"outputModes\":[\"text/plain\",\"image/PNG\"],"
     "\"securitySummary\":\"key,oauth\",\"tags\":[\"zeta\",\"alpha-beta\"]}",
     "create_issue git.hub opens an \xC3\xA4rger.\nsecond line. opens an \xC3\xA4rger.\nsecond line. dev tools "
     "application/json text/plain image/png zeta alpha-beta",
     "{\"id\":\"Git.Hub:Create_Issue:1.2.0\",\"namespace\":\"Git.Hub\",\"name\":\"Create_Issue\","
     "\"description\":\"Opens an \xC3\x84rger.\\nSecond line.\",\"tags\":[\"alpha-beta\",\"zeta\"],\"category\":\"Dev Tools\","
     "\"text\":\"create_issue git.hub opens an \xC3\xA4rger.\\nsecond line. dev tools alpha-beta zeta\"}"},
    {"what _meta says",
     TX("a",
        "\"description\":\"long\",\"_meta\":{\"summary\":\"short\",\"category\":\"c\",\"inputModes\":[\"a/b\"],\"securitySchemes\":{\"z\":{},\"b\":{}}}"),
     "{\"id\":\"a\",\"name\":\"a\",\"shortDescription\":\"short\",\"summary\":\"short\",\"category\":\"c\",\"inputModes\":[\"a/b\"],\"securitySummary\":\"b,z\"}",
     "a long short c a/b",
     "{\"id\":\"a\",\"name\":\"a\",\"description\":\"short\",\"category\":\"c\",\"text\":\"a short c\"}"},
    {"an empty summary in _meta", TX("a", "\"description\":\"d\",\"_meta\":{\"summary\":\"\"}"),
     "{\"id\":\"a\",\"name\":\"a\",\"shortDescription\":\"d\",\"summary\":\"d\"}", "a d d",
     "{\"id\":\"a\",\"name\":\"a\",\"description\":\"d\",\"text\":\"a d\"}"},
    {"a version without a namespace", "{\"name\":\"a\",\"version\":\"1.0.0\"," S "}",
     "{\"id\":\"a\",\"name\":\"a\"}", "a", "{\"id\":\"a\",\"name\":\"a\",\"text\":\"a\"}"},
};

static fer_str only_id(fer_arena *a, const fer_view *v)
{
    fer_summary *list;
    size_t count;
    fer_str next;
    assert_int_equal(fer_view_list(a, v, NULL, NULL, &list, &count, &next, NULL), FER_OK);
    assert_int_equal(count, 1);
    return list[0].id;
}

static void run(const struct row *row)
{
    fer_catalog *c = must_catalog_of(row->tool);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_str id = only_id(a, v), json;
    fer_summary s;
    fer_discovery_doc d, again;
    fer_document doc;
    fer_err err;
    assert_int_equal(fer_view_summary(a, v, id, &s, &err), FER_OK);
    assert_int_equal(fer_summary_write(a, &s, &json, &err), FER_OK);
    assert_str(json, row->summary);
    must_fit(a, "summary", json);
    assert_null(strstr(row->summary, "chema\""));
    assert_int_equal(fer_view_discovery_doc(a, v, id, &d, &err), FER_OK);
    assert_int_equal(fer_view_discovery_doc(a, v, id, &again, &err), FER_OK);
    assert_str(d.doc_text, row->doc_text);
    assert_true(fer_str_eq(d.doc_text, again.doc_text));
    assert_int_equal(fer_discovery_doc_write(a, &d, &json, &err), FER_OK);
    must_fit(a, "search-doc", json);
    assert_int_equal(fer_view_document(a, v, id, &doc, &err), FER_OK);
    assert_int_equal(fer_document_write(a, &doc, &json, &err), FER_OK);
    assert_str(json, row->document);
    must_fit(a, "document", json);
    static const char *const types[] = {"bm25", "embedding", "hybrid"};
    for (size_t i = 0; i < FER_COUNT(types); i++) {
        fer_hit hit = {s, 1.25, types[i]};
        assert_int_equal(fer_hit_write(a, &hit, &json, &err), FER_OK);
        must_fit(a, "result", json);
    }
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

/* ---- ToolDocs
 * -------------------------------------------------------------------------------------- */

#define PARAMS                                                                                                                     \
    "{ \"type\":\"object\", \"properties\":{\"q\":{\"type\":\"string\"},\"n\":{\"type\":[\"integer\",\"null\"],\"default\":1.50}," \
    "\"k\":{\"enum\":[\"a\",2]},\"r\":{\"$ref\":\"#/$defs/R\"},\"u\":{\"anyOf\":[{\"type\":\"string\"},{\"const\":true}]}},"       \
    "\"required\":[\"q\"],\"allOf\":[{\"properties\":{\"z\":{\"type\":\"array\",\"default\":[ 1 ]}},\"required\":[\"z\"]}],"       \
    "\"$defs\":{\"R\":{\"type\":\"object\",\"default\":{\"a\" : 1}}} }"
#define INFO                                                                                                             \
    "{\"required\":[\"q\",\"z\"],\"defaults\":{\"n\":1.50,\"r\":{\"a\" : 1},\"z\":[ 1 ]},\"types\":{\"q\":[\"string\"]," \
    "\"n\":[\"integer\",\"null\"],\"k\":[\"string\",\"integer\"],\"r\":[\"object\"],\"u\":[\"string\",\"boolean\"],\"z\":[\"array\"]}}"
#define RICH                                                                                                                    \
    "{\"name\":\"a\",\"description\":\"d\",\"annotations\":{\"readOnlyHint\": true},\"notes\":\"note\",\"inputSchema\":" PARAMS \
    ",\"examples\":[{\"title\":\"e\",\"args\":{\"q\" :\"x\",\"z\":[]},\"resultHint\":\"h\"}],\"externalRefs\":[\"https://x.example/\"],\"x-own\": 1.0}"
#define TOOL                                                                                                          \
    "\"tool\":{\"name\":\"a\",\"description\":\"d\",\"annotations\":{\"readOnlyHint\": true},\"inputSchema\":" PARAMS \
    ",\"x-own\":1.0}"
#define HEAD "\"summary\":\"d\",\"annotations\":{\"readOnlyHint\": true}"

static const struct describing {
    const char *name;
    const char *tool; /* NULL: none */
    const char *doc;  /* NULL: none */
    fer_level level;
    fer_code code;
    const char *expected;
} describings[] = {
    {"summary", RICH, NULL, FER_LEVEL_SUMMARY, FER_OK, "{" HEAD "}"},
    {"schema", RICH, NULL, FER_LEVEL_SCHEMA, FER_OK, "{" TOOL "," HEAD ",\"schemaInfo\":" INFO "}"},
    {"full", RICH, NULL, FER_LEVEL_FULL, FER_OK,
     "{" TOOL "," HEAD ",\"schemaInfo\":" INFO
     ",\"notes\":\"note\",\"examples\":[{\"title\":\"e\",\"args\":{\"q\" :\"x\",\"z\":[]},\"resultHint\":\"h\"}],"
     "\"externalRefs\":[\"https://x.example/\"]}"},
    {"documentation goes first", RICH,
     "{\"summary\":\"s\",\"notes\":\"m\",\"examples\":[{\"args\":{\"q\":\"y\",\"z\":[1]}}],\"externalRefs\":[\"r\"]}",
     FER_LEVEL_FULL, FER_OK,
     "{" TOOL ",\"summary\":\"s\",\"annotations\":{\"readOnlyHint\": true},\"schemaInfo\":" INFO
     ",\"notes\":\"m\",\"examples\":[{\"args\":{\"q\":\"y\",\"z\":[1]}}],\"externalRefs\":[\"r\"]}"},
    {"nothing to say", T("a"), NULL, FER_LEVEL_FULL, FER_OK,
     "{\"tool\":{\"name\":\"a\"," S "},\"summary\":\"\"}"},
    {"only documented, summary", NULL, "{\"summary\":\"s\"}", FER_LEVEL_SUMMARY, FER_OK,
     "{\"summary\":\"s\"}"},
    {"only documented, schema", NULL, "{\"summary\":\"s\"}", FER_LEVEL_SCHEMA, FER_DOC_WITHOUT_TOOL,
     ""},
    {"only documented, full", NULL, "{\"summary\":\"s\"}", FER_LEVEL_FULL, FER_DOC_WITHOUT_TOOL,
     ""},
    {"not there", NULL, NULL, FER_LEVEL_SUMMARY, FER_TOOL_NOT_FOUND, ""},
};

static void document(fer_catalog *c, const char *id, const char *text)
{
    fer_err err;
    fer_batch *b = fer_batch_new();
    fer_code code = fer_batch_document(b, fer_str_of(id), fer_str_of(text), &err);
    if (!code) code = fer_catalog_apply(c, b, &err);
    if (code) fail_msg("%s", err.message);
    fer_batch_free(b);
}

static void describe(const struct describing *row)
{
    fer_catalog *c = must_catalog(NULL);
    if (row->tool) must_put(c, row->tool);
    if (row->doc) document(c, "a", row->doc);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_str json = FER_STR("");
    fer_err err = {0};
    assert_int_equal(fer_view_describe(a, v, FER_STR("a"), row->level, &json, &err), row->code);
    assert_str(json, row->expected);
    if (!row->code) must_fit(a, "tool-doc", json);
    else assert_true(err.message[0] != '\0');
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

static void levels(void)
{
    fer_level level = FER_LEVEL_SUMMARY;
    fer_err err;
    assert_int_equal(fer_level_parse(FER_STR("full"), &level, &err), FER_OK);
    assert_int_equal(level, FER_LEVEL_FULL);
    assert_int_equal(fer_level_parse(FER_STR("Full"), &level, &err), FER_UNKNOWN_LEVEL);
    assert_int_equal(fer_level_parse(FER_STR(""), &level, &err), FER_UNKNOWN_LEVEL);
    for (int i = FER_LEVEL_SUMMARY; i <= FER_LEVEL_FULL; i++) {
        assert_int_equal(fer_level_parse(fer_str_of(fer_level_name((fer_level)i)), &level, &err),
                         FER_OK);
        assert_int_equal(level, i);
    }
}

/* ---- caps: at the edge, one over, and never inside a character
 * ------------------------------------- */

static const char *const characters[] = {"x", "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x94\xA7"};

/* `n` characters, as a JSON text needs no escapes for them. */
static fer_str repeated(fer_arena *a, const char *character, size_t n)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < n; i++) fer_buf_add_text(&b, character);
    return fer_buf_view(&b);
}

static fer_str text_at(fer_arena *a, fer_str json, const char *pointer)
{
    fer_json *doc;
    assert_int_equal(fer_json_read(a, json, NULL, &doc, NULL), FER_OK);
    const yyjson_val *v = fer_json_at(fer_json_root(doc), fer_str_of(pointer), NULL);
    assert_non_null(v);
    return (fer_str){yyjson_get_str((yyjson_val *)(uintptr_t)v),
                     yyjson_get_len((yyjson_val *)(uintptr_t)v)};
}

static const struct cap {
    const char *name;
    size_t max;
    const char *tool;    /* with %.*s for the text */
    const char *pointer; /* in the full ToolDoc; NULL: the summary's shortDescription */
    bool documented;     /* the text is in documentation, not in the tool */
} caps[] = {
    {"shortDescription", 120, "{\"name\":\"a\",\"description\":\"%.*s\"," S "}", NULL, false},
    {"doc summary of the tool", 200, "{\"name\":\"a\",\"description\":\"%.*s\"," S "}", "/summary",
     false},
    {"doc summary", 200, "{\"summary\":\"%.*s\"}", "/summary", true},
    {"notes of the tool", 2000, "{\"name\":\"a\",\"notes\":\"%.*s\"," S "}", "/notes", false},
    {"notes", 2000, "{\"notes\":\"%.*s\"}", "/notes", true},
    {"example description", 300, "{\"examples\":[{\"description\":\"%.*s\",\"args\":{}}]}",
     "/examples/0/description", true},
    {"example description of the tool", 300,
     "{\"name\":\"a\",\"examples\":[{\"description\":\"%.*s\",\"args\":{}}]," S "}",
     "/examples/0/description", false},
    {"resultHint", 200, "{\"examples\":[{\"resultHint\":\"%.*s\",\"args\":{}}]}",
     "/examples/0/resultHint", true},
};

static void cap(const struct cap *row)
{
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(characters); i++) {
        for (size_t n = row->max - 1; n <= row->max + 1; n++) {
            fer_str given = repeated(a, characters[i], n), json, shown, text;
            size_t kept = n < row->max ? n : row->max;
            fer_err err;
            fer_buf b;
            fer_buf_init(&b, a, 1 << 20);
            const char *at = strstr(row->tool, "%.*s");
            fer_buf_add(&b, (fer_str){row->tool, (size_t)(at - row->tool)});
            fer_buf_add(&b, given);
            fer_buf_add_text(&b, at + 4);
            text = fer_arena_copy(a, fer_buf_view(&b));
            fer_catalog *c = must_catalog_of(row->documented ? T("a") : text.ptr);
            if (row->documented) document(c, "a", text.ptr);
            fer_view *v = fer_catalog_view(c);
            assert_int_equal(fer_view_describe(a, v, FER_STR("a"), FER_LEVEL_FULL, &json, &err),
                             FER_OK);
            must_fit(a, "tool-doc", json);
            if (row->pointer) {
                shown = text_at(a, json, row->pointer);
            } else {
                fer_summary s;
                assert_int_equal(fer_view_summary(a, v, FER_STR("a"), &s, &err), FER_OK);
                shown = s.short_description;
                assert_true(fer_str_eq(s.summary, shown));
            }
            assert_int_equal(fer_utf8_count(shown), kept);
            assert_int_equal(shown.len, kept * strlen(characters[i]));
            fer_view_unref(v);
            fer_catalog_free(c);
        }
    }
    fer_arena_free(a);
}

/* Arguments of examples: 5 levels and 50 keys and items, and not one more. */
static const struct args {
    const char *name;
    const char *args;
    size_t repeat; /* of "\"kN\":1" in place of @ */
    fer_code code;
} argses[] = {
    {"five levels", "{\"a\":{\"b\":[[{}]]}}", 0, FER_OK},
    {"six levels", "{\"a\":{\"b\":[[[{}]]]}}", 0, FER_ARGS_TOO_LARGE},
    {"seven levels", "{\"a\":{\"b\":[[[[{}]]]]}}", 0, FER_ARGS_TOO_LARGE},
    {"fifty keys", "{@}", 50, FER_OK},
    {"one more", "{@}", 51, FER_ARGS_TOO_LARGE},
    {"fifty keys and items", "{\"a\":[1,{@}]}", 47, FER_OK},
    {"one item more", "{\"a\":[1,2,{@}]}", 47, FER_ARGS_TOO_LARGE},
};

static void measure(const struct args *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_text(&b, "{\"examples\":[{\"args\":");
    for (const char *p = row->args; *p; p++) {
        if (*p != '@') fer_buf_add_char(&b, *p);
        for (size_t i = 0; *p == '@' && i < row->repeat; i++)
            fer_buf_printf(&b, "%s\"k%zu\":1", i ? "," : "", i);
    }
    fer_buf_add_text(&b, "}]}");
    fer_catalog *c = must_catalog_of(T("a"));
    fer_batch *batch = fer_batch_new();
    assert_int_equal(fer_batch_document(batch, FER_STR("a"), fer_buf_view(&b), &err), FER_OK);
    assert_int_equal(fer_catalog_apply(c, batch, &err), row->code);
    fer_batch_free(batch);
    /* The same in a record. */
    b.ptr[b.len - 1] = ',';
    fer_buf_add_text(&b, "\"name\":\"b\"," S "}");
    fer_str text = fer_arena_copy(a, fer_buf_view(&b));
    assert_int_equal(apply_text(c, text.ptr, NULL, &err), row->code);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* At most ten examples and fifty references are shown. */
static void counts(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_err err;
    fer_str json;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_text(&b, "{\"examples\":[");
    for (int i = 0; i < 12; i++) fer_buf_printf(&b, "%s{\"args\":{\"i\":%d}}", i ? "," : "", i);
    fer_buf_add_text(&b, "],\"externalRefs\":[");
    for (int i = 0; i < 60; i++) fer_buf_printf(&b, "%s\"r%d\"", i ? "," : "", i);
    fer_buf_add_text(&b, "]}");
    fer_catalog *c = must_catalog_of(T("a"));
    document(c, "a", fer_arena_copy(a, fer_buf_view(&b)).ptr);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_describe(a, v, FER_STR("a"), FER_LEVEL_FULL, &json, &err), FER_OK);
    must_fit(a, "tool-doc", json);
    assert_non_null(strstr(fer_arena_copy(a, json).ptr, "\"i\":9"));
    assert_null(strstr(fer_arena_copy(a, json).ptr, "\"i\":10"));
    assert_non_null(strstr(fer_arena_copy(a, json).ptr, "\"r49\""));
    assert_null(strstr(fer_arena_copy(a, json).ptr, "\"r50\""));
    assert_int_equal(fer_view_examples(a, v, FER_STR("a"), 2, &json, &err), FER_OK);
    assert_str(json, "[{\"args\":{\"i\":0}},{\"args\":{\"i\":1}}]");
    fer_view_unref(v);
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* Documentation written for an older schema loses the examples that the new one refuses. */
static void refitted(void)
{
    fer_catalog *c = must_catalog_of(T("a"));
    fer_arena *a = fer_arena_new(0);
    fer_str json;
    fer_err err;
    document(c, "a",
             "{\"notes\":\"n\",\"examples\":[{\"args\":{\"x\":1}},{\"args\":{\"x\":\"s\"}}]}");
    must_put(
        c,
        "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}}");
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_examples(a, v, FER_STR("a"), 0, &json, &err), FER_OK);
    assert_str(json, "[{\"args\":{\"x\":\"s\"}}]");
    fer_view_unref(v);
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* Documentation of all versions, where a version has none of its own. */
static void doc_of_versions(void)
{
    fer_catalog *c = must_catalog_of("[" V("a", "1.0.0") "," V("a", "2.0.0") "]");
    fer_arena *a = fer_arena_new(0);
    fer_str json;
    fer_err err;
    document(c, "n:a", "{\"summary\":\"all\"}");
    document(c, "n:a:2.0.0", "{\"summary\":\"two\"}");
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_describe(a, v, FER_STR("n:a:1.0.0"), FER_LEVEL_SUMMARY, &json, &err),
                     FER_OK);
    assert_str(json, "{\"summary\":\"all\"}");
    assert_int_equal(fer_view_describe(a, v, FER_STR("n:a"), FER_LEVEL_SUMMARY, &json, &err),
                     FER_OK);
    assert_str(json, "{\"summary\":\"two\"}");
    fer_view_unref(v);
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* ---- schemas pass through
 * -------------------------------------------------------------------------- */

static const struct shape {
    const char *name;
    const char *text;
    const char *schema; /* as it must come out */
} shapes[] = {
    {"a record",
     "{\"name\":\"a\",\"inputSchema\" : {\n  \"type\" : \"object\",\t\"maxProperties\":1e1 }}",
     "{\n  \"type\" : \"object\",\t\"maxProperties\":1e1 }"},
    {"MCP", "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{ \"type\":\"object\",\"x\":1.0}}]}",
     "{ \"type\":\"object\",\"x\":1.0}"},
    {"OpenAI",
     "[{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{ \"type\":\"object\",\"x\":\"\\u0041\"}}}]",
     "{ \"type\":\"object\",\"x\":\"\\u0041\"}"},
    {"Anthropic", "[{\"name\":\"a\",\"input_schema\":{\"type\":\"object\" }}]",
     "{\"type\":\"object\" }"},
    {"Bedrock",
     "{\"tools\":[{\"toolSpec\":{\"name\":\"a\",\"inputSchema\":{\"json\":{ \"type\":\"object\"}}}}]}",
     "{ \"type\":\"object\"}"},
};

static void pass(const struct shape *row)
{
    fer_catalog *c = must_catalog_of(row->text);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    char wanted[256];
    fer_str text;
    fer_err err;
    snprintf(wanted, sizeof wanted, "\"inputSchema\":%s", row->schema);
    assert_int_equal(fer_view_definition(a, v, FER_STR("a"), &text, &err), FER_OK);
    assert_non_null(strstr(text.ptr, wanted));
    assert_int_equal(fer_view_describe(a, v, FER_STR("a"), FER_LEVEL_SCHEMA, &text, &err), FER_OK);
    assert_non_null(strstr(fer_arena_copy(a, text).ptr, wanted));
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

int main(void)
{
    load_schemas();
    int failed = ROWS_RUN("shown", rows, run) + ROWS_RUN("describe", describings, describe) +
                 ROWS_ONE("describe", levels) + ROWS_RUN("caps", caps, cap) +
                 ROWS_RUN("args", argses, measure) + ROWS_ONE("describe", counts) +
                 ROWS_ONE("describe", refitted) + ROWS_ONE("describe", doc_of_versions) +
                 ROWS_RUN("schemas", shapes, pass);
    drop_schemas();
    return failed;
}
