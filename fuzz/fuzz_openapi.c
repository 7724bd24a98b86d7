/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAPI documents. What must hold: a document is imported or refused with a message; every record
 * is one that loads without an error, with a name of its own, of the namespace and backend that
 * were asked for; nothing in it is a command, an environment or a header's value; and importing
 * twice gives the same.
 */
#include <ferrule/contract.h>

#include "fuzz.h"
#include "json_value.h"
#include "openapi.h"

/* All that a binding has, so that a document cannot put anything else there. */
static void check_keys(const yyjson_val *object, const char *const *known)
{
    HOLDS(fer_is_obj(object));
    FER_EACH_MEMBER (object, key) {
        bool found = false;
        for (size_t i = 0; known[i]; i++) found = found || fer_str_is(fer_val_str(key), known[i]);
        HOLDS(found);
    }
}

static void check_binding(const yyjson_val *backend)
{
    static const char *const top[] = {"kind", "provider", NULL};
    static const char *const provider[] = {"providerId", "toolId", "http", NULL};
    static const char *const http[] = {"method",     "server", "path", "operationId",
                                       "parameters", "body",   NULL};
    static const char *const parameter[] = {"argument", "in", "name", "style", "explode", NULL};
    static const char *const body[] = {"contentType", "required", "argument", "members", NULL};
    check_keys(backend, top);
    const yyjson_val *p = fer_val_get(backend, "provider"), *h = fer_val_get(p, "http");
    check_keys(p, provider);
    check_keys(h, http);
    HOLDS(fer_str_is(fer_val_str(fer_val_get(p, "providerId")), "api"));
    HOLDS(fer_str_is(fer_val_str(fer_val_get(h, "server")), "https://api.example"));
    HOLDS(fer_val_str(fer_val_get(h, "path")).ptr[0] == '/');
    FER_EACH_ITEM (fer_val_get(h, "parameters"), item) check_keys(item, parameter);
    if (fer_val_get(h, "body")) check_keys(fer_val_get(h, "body"), body);
}

static void check_record(const fer_openapi_tool *tool)
{
    fer_toolset *set = fer_toolset_new();
    fer_err err = {0};
    size_t count;
    HOLDS(set && !fer_toolset_add(set, FER_STR("t"), tool->record, FER_FORMAT_JSON, &err));
    HOLDS(fer_toolset_count(set) == 1);
    const fer_tool *t = fer_toolset_get(set, 0);
    HOLDS(fer_str_eq(fer_tool_name(t), tool->name) && fer_str_is(fer_tool_namespace(t), "n"));
    const fer_finding *f = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        if (f[i].severity == FER_SEVERITY_ERROR)
            fprintf(stderr, "%.*s: %.*s\n%.*s\n", (int)f[i].pointer.len, f[i].pointer.ptr,
                    (int)f[i].message.len, f[i].message.ptr, (int)tool->record.len,
                    tool->record.ptr);
        HOLDS(f[i].severity != FER_SEVERITY_ERROR);
    }
    check_binding(fer_tool_field(t, "backend"));
    fer_toolset_free(set);
}

static void check_all(const fer_openapi *made, size_t size)
{
    for (size_t i = 0; i < made->count; i++) {
        check_record(&made->tools[i]);
        for (size_t j = 0; j < i; j++) HOLDS(!fer_str_eq(made->tools[i].name, made->tools[j].name));
    }
    for (size_t i = 0; i < made->problem_count; i++) {
        HOLDS(made->problems[i].message.len && made->problems[i].place.line);
        HOLDS(made->problems[i].place.offset <= size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    fer_openapi_options o = {
        .ns = FER_STR("n"), .provider = FER_STR("api"), .base_url = FER_STR("https://api.example")};
    fer_openapi made = {0}, again = {0};
    fer_err err = {0};
    fer_json *doc;
    bool json = size && (data[0] == '{' || data[0] == '[');
    fer_code code =
        json ? fer_json_read(a, text, NULL, &doc, &err) : fer_yaml_read(a, text, NULL, &doc, &err);
    if (!code) {
        code = fer_openapi_import(a, doc, &o, &made, &err);
        HOLDS(!code || (err.code == code && err.message[0]));
        HOLDS(fer_openapi_import(a, doc, &o, &again, &err) == code);
        HOLDS(made.count == again.count && made.problem_count == again.problem_count);
        for (size_t i = 0; i < made.count; i++)
            HOLDS(fer_str_eq(made.tools[i].record, again.tools[i].record));
        check_all(&made, size);
    }
    fer_arena_free(a);
    return 0;
}
