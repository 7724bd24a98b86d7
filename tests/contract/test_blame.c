/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of providers, and the tool, the place and the rule that they mean. */
#include "blame.h"

#include <stdlib.h>

#include "json_pointer.h"
#include "rows.h"
#include "toolset.h"

static const char tools[] =
    "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"list_rows\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"x\":{\"type\":\"string\"},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}},"
    "\"either\":{\"anyOf\":[{\"type\":\"integer\",\"exclusiveMinimum\":0},{\"type\":\"null\"}]}}}},"
    "{\"name\":\"last\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\"}}}}]";

static const struct row {
    const char *name;
    const char *message;
    const char *pointer; /* of the tools that are meant, blanks between */
    const char *rule;
} rows[] = {
    {"Anthropic, the schema",
     "tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
     "/1/inputSchema", "root.composition"},
    {"Anthropic, the name",
     "tools.2.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", "/2/name",
     "name.charset"},
    {"Anthropic, keys",
     "tools.1.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
     "/1/inputSchema/properties", "property.key"},
    {"Anthropic, the tool",
     "tools.1.custom: For 'integer' type, properties maximum, minimum are not supported", "/1",
     "keyword.numeric-bounds"},
    {"Anthropic, inside JSON",
     "{\"type\":\"error\",\"error\":{\"message\":\"tools.0.custom.input_schema.type: Field required\"}}",
     "/0/inputSchema/type", "root.type"},
    {"Anthropic, all tools", "tools: Tool names must be unique.", "", "toolset.duplicate"},
    {"Anthropic, a budget",
     "Schemas contains too many optional parameters (87), which would make grammar compilation inefficient.",
     "", "limit.optional"},
    {"Anthropic, past the end", "tools.106.custom.input_schema: JSON schema is invalid", "",
     "schema.metaschema"},
    {"OpenAI, in context",
     "Invalid schema for function 'list_rows': In context=('properties', 'rows', 'items'), array schema missing items.",
     "/1/inputSchema/properties/rows/items", "array.items-missing"},
    {"OpenAI, a keyword",
     "Invalid schema for function 'list_rows': In context=('properties', 'either'), 'oneOf' is not permitted.",
     "/1/inputSchema/properties/either", "keyword.oneOf"},
    {"OpenAI, no context",
     "Invalid schema for function 'last': 'object' is not of type 'object', 'boolean'", "/2",
     "schema.metaschema"},
    {"OpenAI, the name",
     "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
     "/0/name", "name.charset"},
    {"OpenAI, an empty context",
     "Invalid schema for function 'a': In context=(), object schema missing properties",
     "/0/inputSchema", "object.properties-missing"},
    {"a client's prefix",
     "Invalid schema for function 'server__list_rows': In context=('properties', 'x'), 'default' is not permitted.",
     "/1/inputSchema/properties/x", "keyword.default"},
    {"Gemini, by name",
     "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[rows].items.items: missing field",
     "/1/inputSchema/properties/rows/items", "array.items-missing"},
    {"Gemini, by number",
     "Invalid JSON payload received. Unknown name \"exclusiveMinimum\" at 'tools[0].function_declarations[1].parameters.properties[2].value.any_of[0]': Cannot find field.",
     "/1/inputSchema/properties/either/anyOf/0/exclusiveMinimum", "keyword.exclusive-bounds"},
    {"Gemini, without brackets",
     "400 Unknown name \"uniqueItems\" at 'request.tools0.function_declarations2.parameters.properties0.value'",
     "/2/inputSchema", "keyword.uniqueItems"},
    {"Gemini, a list of types",
     "Invalid JSON payload received. Unknown name \"type\" at 'tools[0].function_declarations[2].parameters.properties[0].value': Proto field is not repeating, cannot start list.",
     "/2/inputSchema/properties/q/type", "type.array"},
    {"Gemini, the name",
     "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore.",
     "/0/name", "name.first-char"},
    {"Vertex",
     "Unable to submit request because `list_rows` functionDeclaration `parameters.either` schema specified other fields alongside any_of.",
     "/1/inputSchema/properties/either", "anyOf.siblings"},
    {"Bedrock, from 1",
     "Value at 'toolConfig.tools.3.member.toolSpec.name' failed to satisfy constraint: Member must have length less than or equal to 64",
     "/2/name", "name.length"},
    {"Bedrock, from 0",
     "The format of the value at toolConfig.tools.0.toolSpec.inputSchema.json is invalid. Provide a json object for the field and try again.",
     "/0/inputSchema", "schema.not-object"},
    {"Mistral",
     "Function name was last but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
     "/2", "name.charset"},
    {"VS Code",
     "Failed to validate tool mcp_reme_list_rows: Error: tool parameters array type must have items",
     "/1", "array.items-missing"},
    {"Moonshot",
     "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.either': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
     "/1/inputSchema/properties/either", "anyOf.parent-type"},
    {"LM Studio",
     "400 [{\"code\":\"invalid_type\",\"path\":[1,\"function\",\"parameters\",\"properties\"],\"message\":\"Required\"}]",
     "/1/inputSchema/properties", NULL},
};

struct search {
    const fer_blame *blame;
    char found[256];
    bool sure;
};

static fer_code visit(void *context, const fer_visited *v, fer_err *err)
{
    struct search *s = context;
    const yyjson_val *at;
    (void)err;
    fer_blame_match match = fer_blame_tool(s->blame, v->tool, v->item->number, &at);
    if (match == FER_BLAME_NO) return FER_OK;
    char storage[200];
    fer_buf b;
    fer_buf_init_fixed(&b, storage, sizeof storage);
    fer_pointer_of(&b, v->item->record, at);
    size_t len = strlen(s->found);
    snprintf(s->found + len, sizeof s->found - len, "%s%.*s%.*s", len ? " " : "",
             FER_PRI(v->item->prefix), (int)b.len, storage);
    return FER_OK;
}

static void message_is_read_back(const struct row *row)
{
    fer_blame blame;
    fer_reader r;
    struct search s = {.blame = &blame};
    assert_int_equal(fer_blame_read(fer_str_of(row->message), &blame, NULL), FER_OK);
    assert_int_equal(
        fer_reader_init(&r, NULL, FER_STR("t"), fer_str_of(tools), FER_FORMAT_JSON, NULL), FER_OK);
    assert_int_equal(fer_visit(&r, FER_STR("t"), NULL, visit, &s, NULL), FER_OK);
    fer_reader_deinit(&r);
    assert_string_equal(blame.rule ? blame.rule->id : "", row->rule ? row->rule : "");
    if (strcmp(s.found, row->pointer) != 0) fail_msg("found '%s', not '%s'", s.found, row->pointer);
}

static const struct other {
    const char *name;
    const char *message;
} others[] = {
    {"empty", ""},
    {"something else", "Overloaded"},
    {"an index that is none", "tools.x.custom.name: bad"},
    {"an index past all", "tools.99999999999999999999.custom: bad"},
    {"a quote that does not end", "Invalid schema for function 'abc"},
};

static void other_messages_are_refused(const struct other *row)
{
    fer_blame blame;
    fer_err err = {0};
    assert_int_equal(fer_blame_read(fer_str_of(row->message), &blame, &err), FER_UNKNOWN_SHAPE);
    assert_true(err.message[0]);
}

static void there_is_a_most_of_a_message(void)
{
    static char text[FER_BLAME_TEXT + 1] = "tools.0.custom.name: String should match pattern 'x'";
    fer_blame blame;
    fer_err err = {0};
    memset(text + strlen(text), '.', sizeof text - strlen(text));
    assert_int_equal(fer_blame_read((fer_str){text, FER_BLAME_TEXT}, &blame, &err), FER_OK);
    assert_string_equal(blame.rule->id, "name.charset");
    assert_int_equal(fer_blame_read((fer_str){text, sizeof text}, &blame, &err),
                     FER_LIMIT_EXCEEDED);
    assert_string_equal(err.message, "blame.size: a message has at most 32768 bytes");
}

int main(void)
{
    return ROWS_RUN("blame", rows, message_is_read_back) +
           ROWS_RUN("blame", others, other_messages_are_refused) +
           ROWS_ONE("blame", there_is_a_most_of_a_message);
}
