/* SPDX-License-Identifier: Apache-2.0 */
/* Calls under a tool's schemas. */
#include <ferrule/contract.h>

#include "errors.h"
#include "json_value.h"
#include "tool.h"

static void unref_schema(void *schema)
{
    fer_schema_unref(schema);
}

/* The program, kept as long as the arena: results refer to it. */
static fer_code program_of(fer_arena *a, const yyjson_val *schema, fer_schema_cache *cache,
                           fer_schema **out, fer_err *err)
{
    fer_schema *program;
    fer_code code = cache ? fer_schema_cache_get(cache, schema, NULL, &program, err)
                          : fer_schema_compile_value(NULL, schema, NULL, &program, err);
    if (code) return code;
    if (!fer_arena_defer(a, unref_schema, program)) {
        fer_schema_unref(program);
        return fer_arena_failed(a, err);
    }
    *out = program;
    return FER_OK;
}

/* The tool's redaction paths that are about this part of a call, after the caller's own. */
static fer_code add_redactions(fer_arena *a, const fer_tool *t, const char *part,
                               fer_validate_options *options, fer_err *err)
{
    const yyjson_val *list = t->values[FER_FIELD_REDACT];
    if (!fer_is_arr(list) || !fer_val_len(list)) return FER_OK;
    fer_str *paths =
        fer_arena_alloc(a, (options->redact_count + fer_val_len(list)) * sizeof *paths);
    if (!paths) return fer_arena_failed(a, err);
    size_t count = 0;
    for (; count < options->redact_count; count++) paths[count] = options->redact[count];
    FER_EACH_ITEM (list, item) {
        if (!fer_is_str(item)) continue;
        fer_str path = fer_val_str(item);
        size_t colon = fer_str_find(path, 0, ':');
        if (colon != SIZE_MAX) {
            if (!fer_str_is(fer_str_slice(path, 0, colon), part)) continue;
            path = fer_str_slice(path, colon + 1, path.len);
        }
        paths[count++] = path;
    }
    options->redact = paths;
    options->redact_count = count;
    return FER_OK;
}

static fer_code validate(fer_arena *a, const fer_tool *t, const yyjson_val *schema,
                         const char *part, fer_schema_cache *cache, const fer_json *doc,
                         const yyjson_val *value, const fer_validate_options *options,
                         fer_result **out, fer_err *err)
{
    fer_validate_options mine = options ? *options : (fer_validate_options){0};
    fer_schema *program = NULL;
    fer_code code = program_of(a, schema, cache, &program, err);
    if (!code) code = add_redactions(a, t, part, &mine, err);
    return code ? code : fer_schema_validate(a, program, doc, value, &mine, out, err);
}

fer_code fer_tool_validate_input(fer_arena *a, const fer_tool *t, fer_schema_cache *cache,
                                 const fer_json *doc, const yyjson_val *arguments,
                                 const fer_validate_options *options, fer_result **out,
                                 fer_err *err)
{
    if (!t) return fer_fail(err, FER_INVALID_SCHEMA, "There is no tool to validate for.");
    const yyjson_val *schema = t->values[FER_FIELD_INPUT_SCHEMA];
    if (!schema) {
        return fer_fail(err, FER_INVALID_SCHEMA, "The tool %.*s has no inputSchema.",
                        FER_PRI(t->id));
    }
    return validate(a, t, schema, "input", cache, doc, arguments, options, out, err);
}

fer_code fer_tool_validate_output(fer_arena *a, const fer_tool *t, fer_schema_cache *cache,
                                  const fer_json *doc, const yyjson_val *result,
                                  const fer_validate_options *options, fer_result **out,
                                  fer_err *err)
{
    static const yyjson_val anything = {.tag = YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE};
    if (!t) return fer_fail(err, FER_INVALID_SCHEMA, "There is no tool to validate for.");
    const yyjson_val *schema = t->values[FER_FIELD_OUTPUT_SCHEMA];
    return validate(a, t, schema ? schema : &anything, "output", cache, doc, result, options, out,
                    err);
}
