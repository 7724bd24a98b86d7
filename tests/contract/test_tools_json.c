/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools_json sentence by sentence: a row that breaks it and one that just holds. Inputs that
 * are made (so many tools, characters, levels) come from small makers.
 */
#include <ferrule/contract.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

static char text[65536];

static size_t put(size_t at, const char *format, ...) FER_PRINTF(2, 3);

static size_t put(size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text + at, sizeof text - at, format, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof text - at);
    return at + (size_t)len;
}

#define CLOSED "\"additionalProperties\":false"
#define NONE   "{\"type\":\"object\",\"properties\":{},\"required\":[]," CLOSED "}"

/* ---- makers: `n` of something ------------------------------------------------------------ */

static void tools(unsigned n)
{
    size_t at = put(0, "[");
    for (unsigned i = 0; i < n; i++)
        at = put(at, "%s{\"name\":\"t%u\",\"input_schema\":" NONE "}", i ? "," : "", i);
    put(at, "]");
}

/* A list whose minified text has n characters; some are not ASCII, and blanks do not count. */
static void characters(unsigned n)
{
    static const char frame[] = "[{\"name\":\"t\",\"description\":\"\",\"input_schema\":" NONE "}]";
    unsigned left = n - (unsigned)strlen(frame);
    size_t at = put(0, "[ {\"name\":\"t\",\n\"description\":\"");
    for (unsigned i = 0; i < left; i++) at = put(at, i % 2 ? "x" : "\xC3\xA4");
    put(at, "\",\"input_schema\":" NONE "}  ]\n");
}

/* n optional properties, half of them in a tool of their own, one in a definition. */
static void optional(unsigned n)
{
    size_t at = put(0, "[");
    for (unsigned t = 0; t < 2; t++) {
        unsigned from = t ? n / 2 : 0, to = t ? n - 1 : n / 2;
        at = put(at, "%s{\"name\":\"t%u\",\"input_schema\":{\"type\":\"object\",\"properties\":{",
                 t ? "," : "", t);
        for (unsigned i = from; i < to; i++)
            at = put(at, "%s\"p%u\":{\"type\":\"string\"}", i > from ? "," : "", i);
        at = put(
            at, "},\"required\":[]," CLOSED "%s}}",
            t ? ",\"$defs\":{\"d\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}},\"required\":[]," CLOSED
                "}}"
              : "");
    }
    put(at, "]");
}

/* n levels, arrays and objects by turns. */
static void depth(unsigned n)
{
    size_t at = put(0, "[{\"name\":\"t\",\"input_schema\":");
    for (unsigned i = 1; i < n; i++)
        at = put(at, i % 2 ? "{\"type\":\"object\"," CLOSED
                             ",\"required\":[\"a\"],\"properties\":{\"a\":"
                           : "{\"type\":\"array\",\"items\":");
    at = put(at, n % 2 ? NONE : "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
    for (unsigned i = n - 1; i > 0; i--) at = put(at, i % 2 ? "}}" : "}");
    put(at, "}]");
}

/* The same, the last two levels behind a reference. */
static void depth_by_ref(unsigned n)
{
    size_t at = put(0, "[{\"name\":\"t\",\"input_schema\":{\"type\":\"object\"," CLOSED
                       ",\"required\":[],\"properties\":{\"a\":");
    for (unsigned i = 0; i + 3 < n; i++) at = put(at, "{\"type\":\"array\",\"items\":");
    at = put(at, "{\"$ref\":\"#/$defs/d\"}");
    for (unsigned i = 0; i + 3 < n; i++) at = put(at, "}");
    put(at,
        "},\"$defs\":{\"d\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}}}]");
}

static void name_of(unsigned n)
{
    put(0, "[{\"name\":\"%0*u\",\"input_schema\":" NONE "}]", (int)n, 0u);
}

static void quantifier(unsigned n)
{
    put(0,
        "[{\"name\":\"t\",\"input_schema\":{\"type\":\"object\"," CLOSED
        ",\"required\":[],\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"^a{%u}b{1,%u}c{%u,}$\"}}}}]",
        n, n, n);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A property's schema put into a tool that is otherwise right. */
#define IN(schema)                                                                                 \
    "[{\"name\":\"t\",\"input_schema\":{\"type\":\"object\"," CLOSED                               \
    ",\"required\":[],\"properties\":{\"a\":" schema "}}}]"
#define ROOT(inside) "[{\"name\":\"t\",\"input_schema\":{" inside "}}]"
#define TOOL(inside) "[{" inside "}]"

static const struct row {
    const char *name; /* the sentence */
    const char *rule;
    const char *breaks, *holds;
    void (*make)(unsigned n);
    unsigned bad, good;
} rows[] = {
    {"max 15 tools", "toolset.count", .make = tools, .bad = 16, .good = 15},
    {"at most 7,500 characters", "toolset.size", .make = characters, .bad = 7501, .good = 7500},
    {"optional parameters at most 24", "limit.optional", .make = optional, .bad = 25, .good = 24},
    {"nesting at most 5", "limit.depth", .make = depth, .bad = 6, .good = 5},
    {"nesting at most 5, through $ref", "limit.depth", .make = depth_by_ref, .bad = 6, .good = 5},
    {"allowed keys", "tool.keys", TOOL("\"name\":\"t\",\"strict\":true,\"input_schema\":" NONE),
     TOOL("\"name\":\"t\",\"description\":\"d\",\"input_schema\":" NONE)},
    {"name is required", "name.charset", TOOL("\"input_schema\":" NONE),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"name is not empty", "name.charset", TOOL("\"name\":\"\",\"input_schema\":" NONE),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"name has these characters", "name.charset", TOOL("\"name\":\"a.b\",\"input_schema\":" NONE),
     TOOL("\"name\":\"aZ09_-\",\"input_schema\":" NONE)},
    {"name has at most 64 characters", "name.length", .make = name_of, .bad = 65, .good = 64},
    {"description is a string", "description.type",
     TOOL("\"name\":\"t\",\"description\":1,\"input_schema\":" NONE),
     TOOL("\"name\":\"t\",\"description\":\"\",\"input_schema\":" NONE)},
    {"not both keys", "tool.schema-key",
     TOOL("\"name\":\"t\",\"input_schema\":" NONE ",\"parameters\":" NONE),
     TOOL("\"name\":\"t\",\"parameters\":" NONE)},
    {"one of the keys", "tool.schema-key", TOOL("\"name\":\"t\""),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"the same key", "toolset.mixed-keys",
     "[{\"name\":\"a\",\"input_schema\":" NONE "},{\"name\":\"b\",\"parameters\":" NONE "}]",
     "[{\"name\":\"a\",\"parameters\":" NONE "},{\"name\":\"b\",\"parameters\":" NONE "}]"},
    {"the schema is an object", "schema.not-object", TOOL("\"name\":\"t\",\"input_schema\":\"{}\""),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"the schema is a JSON Schema", "schema.metaschema", IN("{\"type\":\"string\",\"enum\":1}"),
     IN("{\"type\":\"string\",\"enum\":[\"a\"]}")},
    {"additionalProperties is required", "object.closed",
     ROOT("\"type\":\"object\",\"properties\":{},\"required\":[]"),
     ROOT("\"type\":\"object\",\"properties\":{},\"required\":[]," CLOSED)},
    {"additionalProperties is false", "object.closed",
     ROOT("\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":true"),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"every object is closed", "object.closed",
     IN("{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{},\"required\":[]}}"),
     IN("{\"type\":\"array\",\"items\":" NONE "}")},
    {"an object in a list of types", "object.closed",
     IN("{\"type\":[\"object\",\"null\"],\"properties\":{},\"required\":[]}"),
     IN("{\"type\":[\"object\",\"null\"],\"properties\":{},\"required\":[]," CLOSED "}")},
    {"an object by its properties", "object.closed", IN("{\"properties\":{},\"required\":[]}"),
     IN("{\"properties\":{},\"required\":[]," CLOSED "}")},
    {"properties is required", "object.properties-missing",
     ROOT("\"type\":\"object\",\"required\":[]," CLOSED),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"properties is an object", "object.properties-missing",
     ROOT("\"type\":\"object\",\"properties\":[],\"required\":[]," CLOSED),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"required is required", "object.required-missing",
     ROOT("\"type\":\"object\",\"properties\":{}," CLOSED),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"required is a list of strings", "schema.metaschema",
     ROOT("\"type\":\"object\",\"properties\":{},\"required\":[1]," CLOSED),
     TOOL("\"name\":\"t\",\"input_schema\":" NONE)},
    {"required names properties", "required.unknown",
     ROOT("\"type\":\"object\",\"properties\":{},\"required\":[\"a\"]," CLOSED),
     ROOT(
         "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]," CLOSED)},
    {"types", "type.unsupported", IN("{\"type\":\"file\"}"),
     IN("{\"anyOf\":[{\"type\":\"array\",\"items\":{\"type\":\"string\"}},{\"type\":\"integer\"},{\"type\":\"number\"},{\"type\":\"boolean\"},{\"type\":\"null\"}]}")},
    {"types in a list", "type.unsupported", IN("{\"type\":[\"string\",\"any\"]}"),
     IN("{\"type\":[\"string\",\"null\"]}")},
    {"formats", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"regex\"}"),
     IN("{\"type\":\"string\",\"format\":\"date-time\"}")},
    {"format time", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"times\"}"),
     IN("{\"type\":\"string\",\"format\":\"time\"}")},
    {"format date", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"Date\"}"),
     IN("{\"type\":\"string\",\"format\":\"date\"}")},
    {"format duration", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"period\"}"),
     IN("{\"type\":\"string\",\"format\":\"duration\"}")},
    {"format email", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"idn-email\"}"),
     IN("{\"type\":\"string\",\"format\":\"email\"}")},
    {"format hostname", "format.unsupported",
     IN("{\"type\":\"string\",\"format\":\"idn-hostname\"}"),
     IN("{\"type\":\"string\",\"format\":\"hostname\"}")},
    {"format uri", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"iri\"}"),
     IN("{\"type\":\"string\",\"format\":\"uri\"}")},
    {"format ipv4", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"ip\"}"),
     IN("{\"type\":\"string\",\"format\":\"ipv4\"}")},
    {"format ipv6", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"ipv5\"}"),
     IN("{\"type\":\"string\",\"format\":\"ipv6\"}")},
    {"format uuid", "format.unsupported", IN("{\"type\":\"string\",\"format\":\"guid\"}"),
     IN("{\"type\":\"string\",\"format\":\"uuid\"}")},
    {"allowed keywords", "keyword.unlisted", IN("{\"type\":\"string\",\"default\":\"a\"}"),
     IN("{\"type\":\"string\",\"title\":\"t\",\"description\":\"d\",\"enum\":[\"a\"],\"const\":\"a\",\"pattern\":\"^a$\"}")},
    {"allowed keywords, structures", "keyword.unlisted",
     IN("{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1}"),
     IN("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":\"string\"}}],\"allOf\":[{\"type\":\"string\"}]}")},
    {"an unknown key", "keyword.unlisted", IN("{\"type\":\"string\",\"x-own\":1}"),
     IN("{\"type\":\"string\"}")},
    {"no oneOf", "keyword.oneOf", IN("{\"oneOf\":[{\"type\":\"string\"}]}"),
     IN("{\"anyOf\":[{\"type\":\"string\"}]}")},
    {"no not", "keyword.not", IN("{\"not\":{\"type\":\"string\"}}"), IN("{\"const\":\"not\"}")},
    {"no if", "keyword.if", IN("{\"if\":{\"type\":\"string\"}}"), IN("{\"const\":\"if\"}")},
    {"no then", "keyword.if", IN("{\"then\":{\"type\":\"string\"}}"), IN("{\"const\":\"then\"}")},
    {"no else", "keyword.if", IN("{\"else\":{\"type\":\"string\"}}"), IN("{\"const\":\"else\"}")},
    {"no minimum", "keyword.numeric-bounds", IN("{\"type\":\"integer\",\"minimum\":1}"),
     IN("{\"type\":\"integer\"}")},
    {"no maximum", "keyword.numeric-bounds", IN("{\"type\":\"integer\",\"maximum\":1}"),
     IN("{\"type\":\"integer\",\"enum\":[1]}")},
    {"no minLength", "keyword.length-bounds", IN("{\"type\":\"string\",\"minLength\":1}"),
     IN("{\"type\":\"string\",\"pattern\":\"^.+$\"}")},
    {"no maxLength", "keyword.length-bounds", IN("{\"type\":\"string\",\"maxLength\":1}"),
     IN("{\"type\":\"string\",\"pattern\":\"^.?$\"}")},
    {"no maxItems", "keyword.maxItems",
     IN("{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":1}"),
     IN("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")},
    {"no uniqueItems", "keyword.uniqueItems",
     IN("{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true}"),
     IN("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")},
    {"$ref is local", "ref.external", IN("{\"$ref\":\"https://example.com/a\"}"),
     ROOT(
         "\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/d\"}},\"required\":[]," CLOSED
         ",\"$defs\":{\"d\":{\"type\":\"string\"}}")},
    {"$ref is not recursive", "ref.recursive", IN("{\"$ref\":\"#\"}"),
     ROOT(
         "\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/d\"},\"b\":{\"$ref\":\"#/$defs/d\"}},\"required\":[]," CLOSED
         ",\"$defs\":{\"d\":{\"type\":\"string\"}}")},
    {"$ref is not inside allOf", "ref.in-allOf",
     ROOT(
         "\"type\":\"object\",\"properties\":{\"a\":{\"allOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/d\"}}]}},\"required\":[]," CLOSED
         ",\"$defs\":{\"d\":{\"type\":\"string\"}}"),
     ROOT(
         "\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/d\"}]}},\"required\":[]," CLOSED
         ",\"$defs\":{\"d\":{\"type\":\"string\"}}")},
    {"no back-references", "pattern.backreference",
     IN("{\"type\":\"string\",\"pattern\":\"^(a)\\\\1$\"}"),
     IN("{\"type\":\"string\",\"pattern\":\"^(a)\\\\d$\"}")},
    {"no lookahead", "pattern.lookaround", IN("{\"type\":\"string\",\"pattern\":\"^(?=a)$\"}"),
     IN("{\"type\":\"string\",\"pattern\":\"^(?:a)$\"}")},
    {"no lookbehind", "pattern.lookaround", IN("{\"type\":\"string\",\"pattern\":\"(?<!a)b\"}"),
     IN("{\"type\":\"string\",\"pattern\":\"(?<a>b)\"}")},
    {"no word boundaries", "pattern.word-boundary",
     IN("{\"type\":\"string\",\"pattern\":\"\\\\Ba\"}"),
     IN("{\"type\":\"string\",\"pattern\":\"\\\\wa\"}")},
    {"counts of 99 or less", "pattern.quantifier", .make = quantifier, .bad = 100, .good = 99},
    {"no name twice", "toolset.duplicate",
     "[{\"name\":\"a\",\"input_schema\":" NONE "},{\"name\":\"a\",\"input_schema\":" NONE "}]",
     "[{\"name\":\"a\",\"input_schema\":" NONE "},{\"name\":\"b\",\"input_schema\":" NONE "}]"},
    {"the example of the text", "object.closed",
     ROOT(
         "\"type\":\"object\",\"properties\":{\"phone\":{\"type\":\"string\"}},\"required\":[\"phone\"]"),
     "[{\"name\":\"lookup_customer\",\"description\":\"Find a customer by phone number\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"phone\":{\"type\":\"string\"}},\"required\":[\"phone\"],\"additionalProperties\":false}}]"},
};

/* Errors of the profile in the text; those of the rule in `*of_rule`. */
static size_t errors_in(const char *tool_list, const char *rule, size_t *of_rule)
{
    size_t count, errors = 0;
    fer_err err = {0};
    const fer_profile *profile;
    fer_arena *a = fer_arena_new(0);
    fer_checks *checks = fer_checks_new();
    *of_rule = 0;
    assert_int_equal(fer_profile_find(a, FER_STR("tools_json"), &profile, NULL), FER_OK);
    assert_int_equal(fer_checks_profile(checks, profile, NULL), FER_OK);
    fer_toolset *set = fer_toolset_new_checked(checks);
    if (fer_toolset_add(set, FER_STR("t.json"), fer_str_of(tool_list), FER_FORMAT_JSON, &err))
        fail_msg("%s: %s", tool_list, err.message);
    const fer_finding *f = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        if (f[i].severity != FER_SEVERITY_ERROR || !f[i].profile.len) continue;
        errors++;
        *of_rule += strcmp(f[i].rule->id, rule) == 0;
    }
    fer_toolset_free(set);
    fer_checks_free(checks);
    fer_arena_free(a);
    return errors;
}

static bool is_accepted(const char *tool_list)
{
    bool ok = false;
    fer_str said;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_tools_json_answer(a, fer_str_of(tool_list), &ok, &said, NULL), FER_OK);
    fer_arena_free(a);
    return ok;
}

static void sentence_holds(const struct row *row)
{
    size_t of_rule;
    const char *input = row->breaks;
    if (row->make) row->make(row->bad);
    errors_in(input ? input : text, row->rule, &of_rule);
    if (!of_rule) fail_msg("%s is not found in %.2000s", row->rule, input ? input : text);
    assert_false(is_accepted(input ? input : text));
    input = row->holds;
    if (row->make) row->make(row->good);
    if (errors_in(input ? input : text, row->rule, &of_rule))
        fail_msg("a false alarm in %.2000s", input ? input : text);
    if (!is_accepted(input ? input : text)) fail_msg("not accepted: %.2000s", input ? input : text);
}

/* ---- the platform's answer ---------------------------------------------------------------------
 */

static const struct answer {
    const char *name;
    const char *text;
    const char *says;
} answers[] = {
    {"valid", "[{\"name\":\"t\",\"input_schema\":" NONE "}]",
     "{\"message\":\"The tools are valid.\",\"errors\":{}}"},
    {"an empty list", "[]", "{\"message\":\"The tools are valid.\",\"errors\":{}}"},
    {"a name", "[{\"name\":\"a b\",\"input_schema\":" NONE "}]",
     "{\"message\":\"Tool #1 name must match ^[a-zA-Z0-9_-]{1,64}$\",\"errors\":{\"tools_json\":[\"Tool #1 name must match ^[a-zA-Z0-9_-]{1,64}$\"]}}"},
    {"two errors",
     "[{\"name\":\"a b\",\"input_schema\":" NONE "},{\"name\":\"c d\",\"input_schema\":" NONE "}]",
     "(and 1 more error)"},
    {"no list", "{\"tools\":[]}", "tools_json is not a JSON list of tools"},
    {"not JSON", "[{", "tools_json is not a JSON list of tools: "},
    {"a key twice", "[{\"name\":\"a\",\"name\":\"b\",\"input_schema\":" NONE "}]", "Tool #1: "},
    {"another shape", "[{\"name\":\"a\",\"inputSchema\":" NONE "}]",
     "Tool #1 must have the keys name, description (optional) and input_schema or parameters"},
    {"a tool of the provider's own", "[{\"type\":\"web_search\",\"name\":\"w\"}]",
     "Tool #1 must have the keys"},
    {"a number", "[1]", "Tool #1"},
    {"keys of two kinds",
     "[{\"name\":\"a\",\"input_schema\":" NONE "},{\"name\":\"b\",\"parameters\":" NONE "}]",
     "Tool #2 /parameters: the first tool has its schema under input_schema"},
    {"a place",
     "[{\"name\":\"a\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"x\":{\"minimum\":1}},\"required\":[]," CLOSED
     "}}]",
     "Tool #1 /input_schema/properties/x/minimum: the keyword minimum is not supported"},
};

static void answer_is(const struct answer *row)
{
    bool ok;
    fer_str said;
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    assert_int_equal(fer_tools_json_answer(a, fer_str_of(row->text), &ok, &said, NULL), FER_OK);
    char *copy = strndup(said.ptr, said.len);
    if (!strstr(copy, row->says)) fail_msg("it says: %s", copy);
    free(copy);
    assert_int_equal(ok, strstr(row->says, "\"errors\":{}") != NULL);
    assert_int_equal(fer_json_read(a, said, NULL, &doc, NULL), FER_OK);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("tools_json", rows, sentence_holds) + ROWS_RUN("answer", answers, answer_is);
}
