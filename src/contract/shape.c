/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include "json_value.h"

#define COMMON                                                                                     \
    {"name", FER_FIELD_NAME},                                                                      \
    {                                                                                              \
        "description", FER_FIELD_DESCRIPTION                                                       \
    }

static const struct fer_shape_key parameter_keys[] = {COMMON,
                                                      {"parameters", FER_FIELD_INPUT_SCHEMA},
                                                      {"output_schema", FER_FIELD_OUTPUT_SCHEMA},
                                                      {NULL, 0}};
static const struct fer_shape_key anthropic_keys[] = {
    COMMON, {"input_schema", FER_FIELD_INPUT_SCHEMA}, {NULL, 0}};
static const struct fer_shape_key gemini_keys[] = {
    COMMON,
    {"parameters", FER_FIELD_INPUT_SCHEMA},
    {"parametersJsonSchema", FER_FIELD_INPUT_SCHEMA},
    {"parameters_json_schema", FER_FIELD_INPUT_SCHEMA},
    {"response", FER_FIELD_OUTPUT_SCHEMA},
    {"responseJsonSchema", FER_FIELD_OUTPUT_SCHEMA},
    {"response_json_schema", FER_FIELD_OUTPUT_SCHEMA},
    {NULL, 0}};
static const struct fer_shape_key bedrock_keys[] = {
    COMMON, {"inputSchema", FER_FIELD_INPUT_SCHEMA}, {NULL, 0}};

static const struct fer_shape_row rows[FER_SHAPE_COUNT] = {
    [FER_SHAPE_NONE] = {.name = "unknown", .title = "no known shape"},
    [FER_SHAPE_FERRULE] = {.name = "ferrule", .title = "Ferrule records"},
    [FER_SHAPE_MCP] = {.name = "mcp", .title = "MCP tools"},
    [FER_SHAPE_OPENAI] = {.name = "openai",
                          .title = "OpenAI chat tools",
                          .inside = "function",
                          .keys = parameter_keys},
    [FER_SHAPE_OPENAI_RESPONSES] = {.name = "openai-responses",
                                    .title = "OpenAI Responses tools",
                                    .keys = parameter_keys},
    [FER_SHAPE_ANTHROPIC] = {.name = "anthropic",
                             .title = "Anthropic tools",
                             .keys = anthropic_keys},
    [FER_SHAPE_GEMINI] = {.name = "gemini",
                          .title = "Gemini function declarations",
                          .list = "functionDeclarations",
                          .keys = gemini_keys},
    [FER_SHAPE_BEDROCK] = {.name = "bedrock",
                           .title = "Bedrock tool specs",
                           .inside = "toolSpec",
                           .schema_inside = "json",
                           .keys = bedrock_keys},
    [FER_SHAPE_FUNCTION] = {.name = "function",
                            .title = "bare function declarations",
                            .keys = gemini_keys},
    [FER_SHAPE_BUILTIN] = {.name = "builtin", .title = "provider's own tools"},
};

const struct fer_shape_row *fer_shape_info(enum fer_shape shape)
{
    return &rows[shape];
}

static bool has_own_field(const yyjson_val *entry)
{
    FER_EACH_MEMBER (entry, key) {
        const fer_field *field = fer_field_find(fer_val_str(key));
        if (field && !(field->flags & FER_F_MCP)) return true;
    }
    return false;
}

/* Entries with a type of their own: functions, or something that only the provider knows. */
static enum fer_shape shape_by_type(const yyjson_val *entry, fer_str type)
{
    if (fer_str_is(type, "function")) {
        return fer_is_obj(fer_val_get(entry, "function")) ? FER_SHAPE_OPENAI
                                                          : FER_SHAPE_OPENAI_RESPONSES;
    }
    return fer_str_is(type, "custom") ? FER_SHAPE_NONE : FER_SHAPE_BUILTIN;
}

/* Entries of Bedrock and Gemini that stand for something of their own: one key, one object. */
static bool is_builtin(const yyjson_val *entry)
{
    static const char *const keys[] = {"cachePoint",
                                       "systemTool",
                                       "googleSearch",
                                       "google_search",
                                       "codeExecution",
                                       "code_execution",
                                       "urlContext",
                                       "url_context",
                                       "googleMaps",
                                       "google_maps",
                                       "fileSearch",
                                       "file_search",
                                       "computerUse",
                                       "computer_use",
                                       "googleSearchRetrieval",
                                       "google_search_retrieval"};
    for (size_t i = 0; fer_val_len(entry) == 1 && i < FER_COUNT(keys); i++) {
        if (fer_is_obj(fer_val_get(entry, keys[i]))) return true;
    }
    return false;
}

enum fer_shape fer_shape_of(const yyjson_val *entry)
{
    if (!fer_is_obj(entry)) return FER_SHAPE_NONE;
    if (fer_val_get(entry, "inputSchema"))
        return has_own_field(entry) ? FER_SHAPE_FERRULE : FER_SHAPE_MCP;
    if (fer_val_get(entry, "input_schema")) return FER_SHAPE_ANTHROPIC;
    if (fer_val_get(entry, "toolSpec")) return FER_SHAPE_BEDROCK;
    if (fer_val_get(entry, "functionDeclarations") || fer_val_get(entry, "function_declarations")) {
        return FER_SHAPE_GEMINI;
    }
    const yyjson_val *type = fer_val_get(entry, "type");
    if (fer_is_str(type)) return shape_by_type(entry, fer_val_str(type));
    if (is_builtin(entry)) return FER_SHAPE_BUILTIN;
    if (fer_val_get(entry, "parameters") || fer_val_get(entry, "parametersJsonSchema") ||
        fer_val_get(entry, "parameters_json_schema")) {
        return FER_SHAPE_FUNCTION;
    }
    /* A record whose schema was forgotten: the checks will say so. */
    if (fer_val_get(entry, "name")) return has_own_field(entry) ? FER_SHAPE_FERRULE : FER_SHAPE_MCP;
    return FER_SHAPE_NONE;
}

bool fer_shape_is_tool(const yyjson_val *root)
{
    enum fer_shape shape = fer_shape_of(root);
    return shape != FER_SHAPE_NONE && shape != FER_SHAPE_BUILTIN;
}

bool fer_shape_has_schema_key(fer_str key)
{
    static const char *const keys[] = {
        "inputSchema",          "input_schema",           "parameters",
        "parametersJsonSchema", "parameters_json_schema", "toolSpec",
        "functionDeclarations", "function_declarations"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        if (fer_str_is(key, keys[i])) return true;
    }
    return false;
}

bool fer_shape_fits(enum fer_shape x, enum fer_shape y)
{
    if (x == FER_SHAPE_FERRULE) x = FER_SHAPE_MCP;
    if (y == FER_SHAPE_FERRULE) y = FER_SHAPE_MCP;
    return x == y;
}

enum fer_field_id fer_shape_field(enum fer_shape shape, fer_str key)
{
    const struct fer_shape_key *keys = rows[shape].keys;
    if (!keys) {
        const fer_field *field = fer_field_find(key);
        return field ? (enum fer_field_id)(field - fer_fields) : FER_FIELD_COUNT;
    }
    for (; keys->key; keys++) {
        if (fer_str_is(key, keys->key)) return keys->field;
    }
    return FER_FIELD_COUNT;
}
