/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: each rule has a row that breaks it and three that just hold, under a profile of
 * the row's own; the built-in profiles are valid by their schema; real cases are caught.
 */
#include <ferrule/contract.h>

#include <stdio.h>
#include <stdlib.h>

#include "json_value.h"
#include "profile.h"
#include "rows.h"

/* A profile with one rule, an input schema or a whole input, and whether the rule is broken. */
struct row {
    const char *name; /* the rule, and what is special */
    const char *row;  /* of the rule, as JSON; NULL: {} */
    const char *breaks;
    const char *holds[3];
};

#define O(inside) "{\"type\":\"object\"" inside "}"
#define P(inside) O(",\"properties\":{" inside "}")
#define X(inside) P("\"x\":{" inside "}")
#define KEYWORD(rule, bad, good)                                                                   \
    {                                                                                              \
        "keyword." rule, NULL, X(bad),                                                             \
        {                                                                                          \
            X(""), X(good), O("")                                                                  \
        }                                                                                          \
    }
#define TOOL(n, s)   "{\"name\":\"" n "\",\"inputSchema\":" s "}"
#define CLAUDE(n, s) "{\"name\":\"" n "\",\"input_schema\":" s "}"
#define BARE(n, s)   "{\"name\":\"" n "\",\"parameters\":" s "}"
#define LIST(x)      "[" x "]"

static const struct row rows[] = {
    {"allOf.many",
     NULL,
     X("\"allOf\":[{},{}]"),
     {X("\"allOf\":[{}]"), X("\"anyOf\":[{},{}]"), O("")}},
    {"anyOf.empty", NULL, X("\"anyOf\":[]"), {X("\"anyOf\":[{}]"), X("\"enum\":[]"), O("")}},
    {"anyOf.parent-type",
     NULL,
     X("\"type\":\"string\",\"anyOf\":[{}]"),
     {X("\"anyOf\":[{\"type\":\"string\"}]"), X("\"type\":\"string\""), O("")}},
    {"anyOf.siblings",
     NULL,
     X("\"description\":\"d\",\"anyOf\":[{}]"),
     {X("\"anyOf\":[{\"description\":\"d\"}]"), X("\"description\":\"d\""), O("")}},
    {"array.items-anyOf",
     NULL,
     X("\"type\":\"array\",\"items\":{\"anyOf\":[{}]}"),
     {X("\"type\":\"array\",\"items\":{}"), X("\"anyOf\":[{}]"), O("")}},
    {"array.items-list",
     NULL,
     X("\"items\":[{}]"),
     {X("\"items\":{}"), X("\"prefixItems\":[{}]"), O("")}},
    {"array.items-missing",
     NULL,
     X("\"type\":\"array\""),
     {X("\"type\":\"array\",\"items\":{}"), X("\"type\":\"array\",\"prefixItems\":[{}]"),
      X("\"type\":\"string\"")}},
    {"array.items-missing in a list of types",
     NULL,
     X("\"type\":[\"null\",\"array\"]"),
     {X("\"type\":[\"null\",\"array\"],\"items\":{}"), X("\"type\":[\"null\",\"string\"]"), O("")}},
    {"description.empty",
     NULL,
     "{\"name\":\"t\",\"description\":\"\",\"inputSchema\":{}}",
     {"{\"name\":\"t\",\"description\":\" \",\"inputSchema\":{}}",
      "{\"name\":\"t\",\"inputSchema\":{}}", O("")}},
    {"description.length",
     "{\"max\":3}",
     "{\"name\":\"t\",\"description\":\"\xC3\xA4\xC3\xB6\xC3\xBC!\",\"inputSchema\":{}}",
     {"{\"name\":\"t\",\"description\":\"\xC3\xA4\xC3\xB6\xC3\xBC\",\"inputSchema\":{}}",
      "{\"name\":\"t\",\"inputSchema\":{}}", O("")}},
    {"description.type",
     NULL,
     "{\"name\":\"t\",\"description\":1,\"inputSchema\":{}}",
     {"{\"name\":\"t\",\"description\":\"1\",\"inputSchema\":{}}",
      "{\"name\":\"t\",\"inputSchema\":{}}", O("")}},
    {"enum.complex",
     NULL,
     X("\"enum\":[1,{}]"),
     {X("\"enum\":[1,\"a\",null,true]"), X("\"const\":{}"), O("")}},
    {"enum.empty", NULL, X("\"enum\":[]"), {X("\"enum\":[1]"), X("\"anyOf\":[]"), O("")}},
    {"enum.empty-string",
     NULL,
     X("\"enum\":[\"a\",\"\"]"),
     {X("\"enum\":[\"a\",\" \"]"), X("\"const\":\"\""), O("")}},
    {"enum.mixed",
     NULL,
     X("\"enum\":[\"a\",1]"),
     {X("\"enum\":[1,2.5]"), X("\"enum\":[\"a\",\"1\"]"), O("")}},
    {"enum.mixed of booleans",
     NULL,
     X("\"enum\":[true]"),
     {X("\"enum\":[1]"), X("\"const\":true"), O("")}},
    {"enum.non-string",
     NULL,
     X("\"enum\":[\"a\",1]"),
     {X("\"enum\":[\"a\",\"1\"]"), X("\"const\":1"), O("")}},
    {"format.unsupported",
     "{\"words\":[\"date\"]}",
     X("\"format\":\"uri\""),
     {X("\"format\":\"date\""), X("\"pattern\":\"uri\""), O("")}},
    {"format.unsupported by type",
     "{\"byType\":{\"integer\":[\"int32\"]}}",
     X("\"type\":\"string\",\"format\":\"int32\""),
     {X("\"type\":\"integer\",\"format\":\"int32\""), X("\"type\":\"string\""), O("")}},
    KEYWORD("$comment", "\"$comment\":\"c\"", "\"title\":\"c\""),
    KEYWORD("$defs", "\"$defs\":{}", "\"definitions\":{}"),
    KEYWORD("$id", "\"$id\":\"urn:x\"", "\"title\":\"x\""),
    KEYWORD("$schema", "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"",
            "\"$id\":\"urn:x\""),
    KEYWORD("additionalItems", "\"additionalItems\":true", "\"items\":{}"),
    KEYWORD("additionalProperties", "\"additionalProperties\":false",
            "\"properties\":{\"additionalProperties\":{}}"),
    KEYWORD("allOf", "\"allOf\":[{}]", "\"anyOf\":[{}]"),
    KEYWORD("anchors", "\"$anchor\":\"a\"", "\"$id\":\"urn:a\""),
    KEYWORD("annotations", "\"readOnly\":true", "\"title\":\"t\""),
    KEYWORD("anyOf", "\"anyOf\":[{}]", "\"oneOf\":[{}]"),
    {"keyword.bound-cap",
     "{\"caps\":{\"maxLength\":2048}}",
     X("\"maxLength\":2049"),
     {X("\"maxLength\":2048"), X("\"minLength\":2049"), O("")}},
    {"keyword.combination",
     "{\"pairs\":[[[\"pattern\"],[\"minLength\",\"maxLength\"]]]}",
     X("\"pattern\":\"a\",\"maxLength\":2"),
     {X("\"pattern\":\"a\""), X("\"minLength\":1,\"maxLength\":2"), O("")}},
    KEYWORD("const", "\"const\":1", "\"enum\":[1]"),
    KEYWORD("contains", "\"minContains\":1", "\"minItems\":1"),
    KEYWORD("content", "\"contentEncoding\":\"base64\"", "\"format\":\"date\""),
    KEYWORD("default", "\"default\":1", "\"examples\":[1]"),
    KEYWORD("definitions", "\"definitions\":{}", "\"$defs\":{}"),
    KEYWORD("dependent", "\"dependentRequired\":{}", "\"required\":[]"),
    KEYWORD("examples", "\"examples\":[1]", "\"default\":1"),
    KEYWORD("exclusive-bounds", "\"exclusiveMinimum\":0", "\"minimum\":0"),
    KEYWORD("format", "\"format\":\"date\"", "\"pattern\":\"a\""),
    KEYWORD("if", "\"then\":{}", "\"not\":{}"),
    {"keyword.ignored",
     "{\"except\":[\"type\",\"properties\"]}",
     X("\"minimum\":1"),
     {X("\"type\":\"string\""), X("\"x-mine\":1"), O("")}},
    {"keyword.ignored at the root",
     "{\"except\":[\"minimum\",\"properties\"],\"rootExcept\":[\"type\",\"properties\"]}",
     O(",\"minimum\":1"),
     {X("\"minimum\":1"), O(",\"properties\":{}"), O("")}},
    {"keyword.ignored by name",
     "{\"keywords\":[\"not\"]}",
     X("\"not\":{}"),
     {X("\"minimum\":1"), X("\"foo\":1"), O("")}},
    KEYWORD("length-bounds", "\"maxLength\":1", "\"maxItems\":1"),
    KEYWORD("maxItems", "\"maxItems\":1", "\"minItems\":1"),
    {"keyword.minItems", NULL, X("\"minItems\":0"), {X("\"maxItems\":0"), X(""), O("")}},
    {"keyword.minItems with values",
     "{\"values\":[0,1]}",
     X("\"minItems\":2"),
     {X("\"minItems\":0"), X("\"minItems\":1"), O("")}},
    KEYWORD("multipleOf", "\"multipleOf\":2", "\"minimum\":2"),
    KEYWORD("not", "\"not\":{}", "\"if\":{}"),
    KEYWORD("nullable", "\"nullable\":true", "\"foo\":true"),
    KEYWORD("numeric-bounds", "\"minimum\":1", "\"exclusiveMinimum\":1"),
    KEYWORD("oneOf", "\"oneOf\":[{}]", "\"anyOf\":[{}]"),
    KEYWORD("pattern", "\"pattern\":\"a\"", "\"format\":\"a\""),
    KEYWORD("patternProperties", "\"patternProperties\":{}", "\"properties\":{}"),
    KEYWORD("prefixItems", "\"prefixItems\":[{}]", "\"items\":{}"),
    KEYWORD("property-counts", "\"minProperties\":1", "\"minItems\":1"),
    KEYWORD("propertyNames", "\"propertyNames\":{}", "\"properties\":{}"),
    KEYWORD("title", "\"title\":\"t\"", "\"description\":\"t\""),
    {"keyword.unenforced",
     "{\"keywords\":[\"not\"]}",
     X("\"not\":{}"),
     {X("\"if\":{}"), X(""), O("")}},
    KEYWORD("unevaluated", "\"unevaluatedItems\":false", "\"items\":{}"),
    KEYWORD("uniqueItems", "\"uniqueItems\":true", "\"minItems\":1"),
    {"keyword.unlisted",
     "{\"except\":[\"type\",\"properties\",\"nullable\"]}",
     X("\"minimum\":1"),
     {X("\"nullable\":true"), X("\"type\":\"string\""), O("")}},
    {"keyword.unlisted of no keyword",
     "{\"except\":[\"type\",\"properties\"]}",
     X("\"nullable\":true"),
     {X("\"type\":\"string\""), P("\"nullable\":{}"), O("")}},
    {"limit.anyOf",
     "{\"max\":2}",
     X("\"anyOf\":[{},{},{}]"),
     {X("\"anyOf\":[{},{}]"), X("\"oneOf\":[{},{},{}]"), O("")}},
    {"limit.depth",
     "{\"max\":2}",
     X("\"type\":\"array\",\"items\":{\"type\":\"object\"}"),
     {X("\"type\":\"array\",\"items\":{\"type\":\"string\"}"),
      X("\"anyOf\":[{\"type\":\"object\"}]"), O("")}},
    {"limit.depth through $ref",
     "{\"max\":2}",
     O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}}}"),
     {O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{}}}"),
      O(",\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}}}}"),
      O("")}},
    {"limit.depth in place",
     "{\"max\":1}",
     X("\"type\":\"object\""),
     {O(",\"allOf\":[{\"type\":\"object\"}]"),
      O(",\"anyOf\":[{\"properties\":{}},{\"required\":[]}]"), O("")}},
    {"limit.enum",
     "{\"max\":2}",
     P("\"x\":{\"enum\":[1,2]},\"y\":{\"enum\":[3]}"),
     {P("\"x\":{\"enum\":[1]},\"y\":{\"enum\":[3]}"), X("\"examples\":[1,2,3]"), O("")}},
    {"limit.enum-chars",
     "{\"from\":2,\"max\":3}",
     X("\"enum\":[\"ab\",\"cd\"]"),
     {X("\"enum\":[\"ab\",\"c\"]"), X("\"enum\":[\"abcd\"]"), O("")}},
    {"limit.fields",
     "{\"max\":2}",
     LIST(TOOL("a", P("\"x\":{},\"y\":{}")) "," TOOL("b", X(""))),
     {LIST(TOOL("a", X("")) "," TOOL("b", X(""))), P("\"x\":{},\"y\":{}"), O("")}},
    {"limit.grammar",
     NULL,
     X("\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"y\":{}}}"),
     {X("\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"y\":{}},\"required\":[\"y\"]}"),
      X("\"type\":\"object\",\"properties\":{\"y\":{}}"), O("")}},
    {"limit.optional",
     "{\"max\":1}",
     LIST(TOOL("a", X("")) "," TOOL("b", X(""))),
     {LIST(TOOL("a", X("")) "," TOOL("b", O(",\"properties\":{\"x\":{}},\"required\":[\"x\"]"))),
      X(""), O("")}},
    {"limit.optional under $defs",
     "{\"max\":1}",
     O(",\"$defs\":{\"a\":" P("\"x\":{},\"y\":{}") "}"),
     {O(",\"$defs\":{\"a\":" X("") "}"), X(""), O("")}},
    {"limit.properties",
     "{\"max\":2}",
     P("\"x\":{\"properties\":{\"y\":{},\"z\":{}}}"),
     {P("\"x\":{\"properties\":{\"y\":{}}}"), P("\"x\":{},\"y\":{}"), O("")}},
    {"limit.schema-size",
     "{\"max\":17}",
     "{\"type\":\"objects\"}",
     {"{\"type\":\"object\"}", "{ \"type\" : \"object\" }", "{}"}},
    {"limit.strict-tools",
     "{\"max\":1}",
     LIST(TOOL("a", "{}") "," TOOL("b", "{}")),
     {LIST(TOOL("a", "{}")), "{}", O("")}},
    {"limit.strings",
     "{\"max\":5}",
     P("\"abc\":{\"enum\":[\"de\",\"f\"]}"),
     {P("\"abc\":{\"enum\":[\"de\"]}"), P("\"abcde\":{}"), O("")}},
    {"limit.union",
     "{\"max\":1}",
     P("\"x\":{\"anyOf\":[{}]},\"y\":{\"type\":[\"string\",\"null\"]}"),
     {P("\"x\":{\"anyOf\":[{}]},\"y\":{\"type\":[\"string\"]}"), X("\"oneOf\":[{},{}]"), O("")}},
    {"name.charset",
     "{\"chars\":\"a-z_-\"}",
     TOOL("aB", "{}"),
     {TOOL("a_-z", "{}"), TOOL("z", "{}"), O("")}},
    {"name.charset without a name",
     "{\"chars\":\"a-z\"}",
     "{\"inputSchema\":{}}",
     {TOOL("a", "{}"), TOOL("z", "{}"), O("")}},
    {"name.first-char",
     "{\"chars\":\"a-z\"}",
     TOOL("1a", "{}"),
     {TOOL("a1", "{}"), TOOL("z", "{}"), O("")}},
    {"name.length", "{\"max\":3}", TOOL("abcd", "{}"), {TOOL("abc", "{}"), TOOL("a", "{}"), O("")}},
    {"name.length advised",
     "{\"max\":5,\"advised\":3}",
     TOOL("abcd", "{}"),
     {TOOL("abc", "{}"), TOOL("a", "{}"), O("")}},
    {"name.length with the server",
     "{\"max\":4,\"withServer\":true}",
     "{\"name\":\"abc\",\"namespace\":\"de\",\"inputSchema\":{}}",
     {"{\"name\":\"abc\",\"namespace\":\"d\",\"inputSchema\":{}}", TOOL("abcd", "{}"), O("")}},
    {"object.all-required",
     NULL,
     X(""),
     {O(",\"properties\":{\"x\":{}},\"required\":[\"x\"]"), O(",\"properties\":{}"), O("")}},
    {"object.closed",
     NULL,
     O(""),
     {O(",\"additionalProperties\":false"), "{\"type\":\"string\"}", "{}"}},
    {"object.closed, a schema",
     NULL,
     O(",\"additionalProperties\":{}"),
     {O(",\"additionalProperties\":false"), "{\"type\":\"string\"}", "{}"}},
    {"object.closed by properties",
     NULL,
     "{\"properties\":{}}",
     {"{\"properties\":{},\"additionalProperties\":false}", "{\"required\":[]}", "{}"}},
    {"object.properties-empty",
     NULL,
     X("\"type\":\"object\""),
     {X("\"type\":\"object\",\"properties\":{\"y\":{}}"), O(""), X("\"type\":\"string\"")}},
    {"object.properties-missing",
     NULL,
     X("\"type\":\"object\""),
     {X("\"type\":\"object\",\"properties\":{}"), "{}", X("\"type\":\"string\"")}},
    {"object.properties-missing at the root",
     "{\"scope\":\"root\"}",
     O(""),
     {X("\"type\":\"object\""), P(""), "{}"}},
    {"object.required-min",
     "{\"min\":1}",
     X(""),
     {O(",\"properties\":{\"x\":{}},\"required\":[\"x\"]"),
      O(",\"properties\":{\"x\":{},\"y\":{}},\"required\":[\"x\",\"y\"]"),
      O(",\"properties\":{\"x\":{},\"y\":{}},\"required\":[\"y\"]")}},
    {"object.required-missing",
     NULL,
     O(""),
     {O(",\"required\":[]"), "{}", "{\"type\":\"string\"}"}},
    {"output.root",
     NULL,
     "{\"name\":\"t\",\"inputSchema\":{},\"outputSchema\":{\"type\":\"array\"}}",
     {"{\"name\":\"t\",\"inputSchema\":{},\"outputSchema\":{\"type\":\"object\"}}",
      "{\"name\":\"t\",\"inputSchema\":{}}", O("")}},
    {"pattern.backreference",
     NULL,
     X("\"pattern\":\"(a)\\\\1\""),
     {X("\"pattern\":\"(a)\\\\\\\\1\""), X("\"pattern\":\"[\\\\1]\""), X("\"pattern\":\"\\\\0\"")}},
    {"pattern.backreference by name",
     NULL,
     X("\"pattern\":\"(?<a>a)\\\\k<a>\""),
     {X("\"pattern\":\"(?<a>a)\""), X("\"pattern\":\"k<a>\""), O("")}},
    {"pattern.inline-flags",
     NULL,
     X("\"pattern\":\"(?i)a\""),
     {X("\"pattern\":\"(?:i)a\""), X("\"pattern\":\"[(?i)]\""), X("\"pattern\":\"\\\\(?i\"")}},
    {"pattern.invalid",
     NULL,
     X("\"pattern\":\"\\\\!\""),
     {X("\"pattern\":\"!\""), X("\"pattern\":\"^a{2}$\""), O("")}},
    {"pattern.lookaround",
     NULL,
     X("\"pattern\":\"(?!a)b\""),
     {X("\"pattern\":\"(?:a)b\""), X("\"pattern\":\"[(?=a)]\""), X("\"pattern\":\"\\\\(?=a\"")}},
    {"pattern.lookaround behind",
     NULL,
     X("\"pattern\":\"(?<=a)b\""),
     {X("\"pattern\":\"(?<a>a)b\""), X("\"pattern\":\"<=\""), O("")}},
    {"pattern.quantifier",
     "{\"max\":99}",
     X("\"pattern\":\"a{100}\""),
     {X("\"pattern\":\"a{99}\""), X("\"pattern\":\"a{1,99}\""), X("\"pattern\":\"[{100}]\"")}},
    {"pattern.quantifier, the second",
     "{\"max\":99}",
     X("\"pattern\":\"a{1,100}\""),
     {X("\"pattern\":\"a{99,}\""), X("\"pattern\":\"a\\\\{100}\""), X("\"pattern\":\"{100\"")}},
    {"pattern.quantifier, open",
     "{\"max\":99}",
     X("\"pattern\":\"a{100,}\""),
     {X("\"pattern\":\"a{99,}\""), X("\"pattern\":\"100\""), X("\"pattern\":\"{a100}\"")}},
    {"pattern.unanchored",
     NULL,
     X("\"pattern\":\"^a\""),
     {X("\"pattern\":\"^a$\""), X("\"pattern\":\"^$\""), O("")}},
    {"pattern.unicode-property",
     NULL,
     X("\"pattern\":\"\\\\p{L}\""),
     {X("\"pattern\":\"p{L}\""), X("\"pattern\":\"\\\\\\\\p\""), O("")}},
    {"pattern.word-boundary",
     NULL,
     X("\"pattern\":\"\\\\ba\""),
     {X("\"pattern\":\"[\\\\b]\""), X("\"pattern\":\"\\\\\\\\ba\""), X("\"pattern\":\"b\"")}},
    {"property.key",
     "{\"chars\":\"a-z\",\"max\":3,\"scope\":\"root\"}",
     P("\"a-b\":{}"),
     {P("\"abc\":{}"), X("\"properties\":{\"a-b\":{}}"), O("")}},
    {"property.key too long",
     "{\"chars\":\"a-z\",\"max\":3}",
     X("\"properties\":{\"abcd\":{}}"),
     {X("\"properties\":{\"abc\":{}}"), P("\"a\":{}"), O("")}},
    {"property.key first",
     "{\"chars\":\"a-z0-9\",\"first\":\"a-z\"}",
     P("\"1a\":{}"),
     {P("\"a1\":{}"), P("\"z\":{}"), O("")}},
    {"property.reserved",
     "{\"words\":[\"anyOf\"]}",
     P("\"anyOf\":{}"),
     {P("\"allOf\":{}"), O(",\"anyOf\":[{}]"), O("")}},
    {"ref.any",
     NULL,
     O(",\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{}}"),
     {O(",\"$defs\":{\"a\":{}}"), P("\"$ref\":{}"), O("")}},
    {"ref.external",
     NULL,
     X("\"$ref\":\"other.json\""),
     {O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{}}"),
      X("\"$ref\":\"#\""), O("")}},
    {"ref.in-allOf",
     NULL,
     O(",\"allOf\":[{\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}}}],\"$defs\":{\"a\":{}}"),
     {O(",\"anyOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{}}"),
      O(",\"allOf\":[{}],\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{}}"),
      O("")}},
    {"ref.in-allOf itself",
     "{\"scope\":\"direct\"}",
     O(",\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{}}"),
     {O(",\"allOf\":[{\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}}}],\"$defs\":{\"a\":{}}"),
      O(",\"allOf\":[{}]"), O("")}},
    {"ref.non-defs",
     NULL,
     P("\"a\":{},\"x\":{\"$ref\":\"#/properties/a\"}"),
     {O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{}}"),
      O(",\"properties\":{\"x\":{\"$ref\":\"#/definitions/a\"}},\"definitions\":{\"a\":{}}"),
      O("")}},
    {"ref.recursive",
     NULL,
     X("\"$ref\":\"#\""),
     {O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"},\"y\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{}}"),
      O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{}}"),
      O("")}},
    {"ref.recursive, unused",
     NULL,
     O(",\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/a\"}}}"),
     {O(",\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/b\"}},\"b\":{}}"),
      O(",\"$defs\":{\"a\":{}}"), O("")}},
    {"ref.recursive without end",
     "{\"scope\":\"required\"}",
     O(",\"properties\":{\"x\":{\"$ref\":\"#\"}},\"required\":[\"x\"]"),
     {X("\"$ref\":\"#\""),
      O(",\"properties\":{\"x\":{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}},\"required\":[\"x\"]"),
      O("")}},
    {"ref.siblings",
     NULL,
     O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\",\"minimum\":1}},\"$defs\":{\"a\":{}}"),
     {O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{}}"),
      X("\"minimum\":1,\"maximum\":2"), O("")}},
    {"ref.siblings in conflict",
     "{\"except\":[\"description\"]}",
     O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\",\"description\":\"d\"}},\"$defs\":{\"a\":{\"description\":\"e\"}}"),
     {O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\",\"description\":\"d\"}},\"$defs\":{\"a\":{}}"),
      O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"description\":\"e\"}}"),
      O("")}},
    {"required.unknown",
     NULL,
     O(",\"required\":[\"x\"]"),
     {O(",\"properties\":{\"x\":{}},\"required\":[\"x\"]"), O(",\"required\":[]"),
      "{\"anyOf\":[{\"required\":[\"x\"]}]}"}},
    {"rewrite.name-collision",
     "{\"chars\":\"a-z_\"}",
     LIST(TOOL("a.b", "{}") "," TOOL("a_b", "{}")),
     {LIST(TOOL("a.b", "{}") "," TOOL("a_c", "{}")), LIST(TOOL("a_b", "{}") "," TOOL("a_b", "{}")),
      O("")}},
    {"root.composition",
     "{\"keywords\":[\"anyOf\"]}",
     O(",\"anyOf\":[{}]"),
     {X("\"anyOf\":[{}]"), O(",\"oneOf\":[{}]"), O("")}},
    {"root.type",
     NULL,
     "{\"properties\":{}}",
     {O(""), "{\"type\":\"object\"}", X("\"type\":\"string\"")}},
    {"root.type, a list",
     NULL,
     "{\"type\":[\"object\"]}",
     {O(""), X("\"type\":[\"object\"]"), P("")}},
    {"schema.boolean",
     NULL,
     P("\"x\":true"),
     {P("\"x\":{}"), O(",\"additionalProperties\":false"), O(",\"unevaluatedProperties\":false")}},
    {"schema.metaschema",
     NULL,
     O(",\"required\":null"),
     {O(",\"required\":[]"),
      O(",\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"properties\":{\"x\":{\"items\":[{}]}}"),
      O("")}},
    {"schema.metaschema 2020-12",
     "{\"words\":[\"2020-12\"]}",
     O(",\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"properties\":{\"x\":{\"items\":[{}]}}"),
     {O(",\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"properties\":{\"x\":{\"items\":{}}}"),
      X("\"exclusiveMinimum\":1"), O("")}},
    {"schema.not-object",
     NULL,
     "{\"name\":\"t\",\"inputSchema\":\"{}\"}",
     {"{\"name\":\"t\",\"inputSchema\":{}}", "{}", O("")}},
    {"schema.other-dialect",
     "{\"words\":[\"2020-12\"]}",
     O(",\"$schema\":\"http://json-schema.org/draft-07/schema#\""),
     {O(",\"$schema\":\"https://json-schema.org/draft/2020-12/schema\""),
      X("\"title\":\"draft-07\""), O("")}},
    {"tool.keys",
     "{\"words\":[\"name\",\"input_schema\"]}",
     "{\"name\":\"t\",\"input_schema\":{},\"strict\":true}",
     {CLAUDE("t", "{}"), "{\"input_schema\":{}}", TOOL("t", "{}")}},
    {"tool.schema-key",
     "{\"words\":[\"input_schema\",\"parameters\"]}",
     "{\"name\":\"t\",\"input_schema\":{},\"parameters\":{}}",
     {CLAUDE("t", "{}"), BARE("t", "{}"), TOOL("t", "{}")}},
    {"tool.schema-key missing",
     "{\"words\":[\"input_schema\",\"parameters\"]}",
     "{\"name\":\"t\"}",
     {CLAUDE("t", "{}"), BARE("t", "{}"), TOOL("t", "{}")}},
    {"toolset.count",
     "{\"max\":1}",
     LIST(TOOL("a", "{}") "," TOOL("b", "{}")),
     {LIST(TOOL("a", "{}")), "[]", O("")}},
    {"toolset.duplicate",
     NULL,
     LIST(TOOL("a", "{}") "," TOOL("a", "{}")),
     {LIST(TOOL("a", "{}") "," TOOL("A", "{}")), LIST(TOOL("a", "{}")), O("")}},
    {"toolset.mixed-keys",
     NULL,
     LIST(CLAUDE("a", "{}") "," BARE("b", "{}")),
     {LIST(CLAUDE("a", "{}") "," CLAUDE("b", "{}")), LIST(BARE("a", "{}") "," BARE("b", "{}")),
      O("")}},
    {"toolset.size",
     "{\"max\":32}",
     LIST(CLAUDE("ab", "{}")),
     {LIST(" " CLAUDE("a", "{ }")), LIST(CLAUDE("\xC3\xA4", "{}")), "{}"}},
    {"type.array",
     NULL,
     X("\"type\":[\"string\",\"null\"]"),
     {X("\"type\":\"string\""), X("\"enum\":[\"a\"]"), O("")}},
    {"type.keyword-mismatch",
     NULL,
     X("\"type\":\"string\",\"properties\":{}"),
     {X("\"properties\":{}"), X("\"type\":\"number\",\"minimum\":1"), O(",\"properties\":{}")}},
    {"type.missing",
     NULL,
     X("\"description\":\"d\""),
     {X("\"type\":\"string\""), X("\"anyOf\":[{\"type\":\"string\"}]"), O("")}},
    {"type.missing beside anyOf",
     "{\"except\":[\"$ref\"]}",
     X("\"anyOf\":[{\"type\":\"string\"}]"),
     {X("\"type\":\"string\""),
      O(",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"type\":\"string\"}}"),
      O("")}},
    {"type.unsupported",
     "{\"words\":[\"object\",\"string\"]}",
     X("\"type\":\"integer\""),
     {X("\"type\":\"string\""), X("\"type\":[\"string\"]"), O("")}},
};

/* The text of a profile with the rule alone. */
static void write_profile(const struct row *row, char *out, size_t size)
{
    size_t len = strcspn(row->name, " ,");
    snprintf(out, size,
             "{\"name\":\"own\",\"shapes\":[\"anthropic\",\"function\"],\"rules\":{\"%.*s\":%s}}",
             (int)len, row->name, row->row ? row->row : "{}");
}

/* How often the profile's rule was found in a text: a tool, a list of them, or a schema. */
static size_t found_in(const fer_profile *profile, const char *text)
{
    static char whole[16384];
    bool tools = text[0] == '[' || strstr(text, "inputSchema") || strstr(text, "input_schema") ||
                 strstr(text, "parameters") || strstr(text, "\"name\"");
    snprintf(whole, sizeof whole, "%s%s%s", tools ? "" : "{\"name\":\"t\",\"inputSchema\":", text,
             tools ? "" : "}");
    fer_err err = {0};
    size_t count, found = 0;
    fer_checks *checks = fer_checks_new();
    assert_int_equal(fer_checks_profile(checks, profile, NULL), FER_OK);
    fer_toolset *set = fer_toolset_new_checked(checks);
    if (fer_toolset_add(set, FER_STR("t.json"), fer_str_of(whole), FER_FORMAT_JSON, &err))
        fail_msg("%s: %s", whole, err.message);
    const fer_finding *f = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        if (!f[i].profile.len) continue;
        assert_str(f[i].profile, "own");
        assert_true(f[i].place.line == 1 && f[i].message.len && f[i].number > 0);
        fer_json *doc;
        fer_arena *a = fer_arena_new(0);
        assert_int_equal(fer_json_read(a, fer_str_of(whole), NULL, &doc, NULL), FER_OK);
        assert_non_null(fer_json_at(fer_json_root(doc), f[i].pointer, NULL));
        fer_arena_free(a);
        found++;
    }
    fer_toolset_free(set);
    fer_checks_free(checks);
    return found;
}

static bool broken[FER_PR_COUNT];

static void breaks_and_holds(const struct row *row)
{
    char text[512];
    fer_err err = {0};
    const fer_profile *profile;
    fer_arena *a = fer_arena_new(0);
    write_profile(row, text, sizeof text);
    if (fer_profile_load(a, fer_str_of(text), FER_FORMAT_JSON, &profile, &err))
        fail_msg("%s: %s", text, err.message);
    for (size_t i = 0; i < FER_PR_COUNT; i++) broken[i] = broken[i] || profile->rows[i].on;
    if (!found_in(profile, row->breaks)) fail_msg("nothing is found in %s", row->breaks);
    for (size_t i = 0; i < FER_COUNT(row->holds); i++) {
        if (found_in(profile, row->holds[i])) fail_msg("a false alarm: %s", row->holds[i]);
    }
    fer_arena_free(a);
}

static void every_rule_has_a_row(void)
{
    size_t missed = 0;
    for (size_t i = 0; i < FER_PR_COUNT; i++) {
        if (i)
            assert_true(strcmp(fer_profile_rules[i - 1].rule.id, fer_profile_rules[i].rule.id) < 0);
        if (broken[i]) continue;
        print_error("no row breaks %s\n", fer_profile_rules[i].rule.id);
        missed++;
    }
    assert_int_equal(missed, 0);
}

/* ---- the built-in profiles ------------------------------------------------------------- */

static void built_in_profiles_are_valid(void)
{
    fer_schema *schema;
    assert_int_equal(fer_schema_compile(fer_profile_schema_text, NULL, &schema, NULL), FER_OK);
    for (size_t i = 0; i < fer_profile_count(); i++) {
        size_t count;
        fer_err err = {0};
        fer_json *doc;
        fer_result *result;
        const fer_profile *profile;
        fer_profile_demand *demands;
        fer_arena *a = fer_arena_new(0);
        const fer_profile_text *text = &fer_profile_texts(&count)[i];
        assert_int_equal(fer_json_read(a, text->text, NULL, &doc, NULL), FER_OK);
        assert_int_equal(
            fer_schema_validate(a, schema, doc, fer_json_root(doc), NULL, &result, NULL), FER_OK);
        if (!fer_result_valid(result)) fail_msg("%s is not valid", text->name);
        if (fer_profile_find(a, fer_str_of(text->name), &profile, &err))
            fail_msg("%s: %s", text->name, err.message);
        fer_profile_info about = fer_profile_about(profile);
        assert_true(about.title.len && about.provider.len && about.mode.len && about.date.len &&
                    about.confidence.len && about.source_count);
        assert_int_equal(fer_profile_demands(a, profile, &demands, &count, NULL), FER_OK);
        assert_true(count > 0);
        fer_arena_free(a);
    }
    fer_schema_unref(schema);
    assert_null(fer_profile_name_at(fer_profile_count()));
}

static const struct alias {
    const char *name;
    const char *canonical;
} aliases[] = {
    {"mcp", "mcp-2026-07-28"},
    {"openai-chat", "openai"},
    {"gemini-jsonschema", "gemini-json"},
    {"vertex-openapi", "vertex"},
    {"bedrock-converse", "bedrock"},
    {"cohere-strict", "cohere"},
    {"moonshot-mfjs", "moonshot"},
    {"vscode-copilot", "vscode"},
    {"llama.cpp", "llama-cpp"},
    {"vllm", "vllm-xgrammar"},
};

static void alias_is_found(const struct alias *row)
{
    const fer_profile *profile;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_profile_find(a, fer_str_of(row->name), &profile, NULL), FER_OK);
    assert_str(fer_profile_about(profile).name, row->name);
    assert_str(fer_profile_about(profile).canonical, row->canonical);
    fer_arena_free(a);
}

/* ---- profiles of files -------------------------------------------------------------------- */

static const struct wrong {
    const char *name;
    const char *text;
    fer_code code;
    const char *says;
} wrongs[] = {
    {"not JSON", "{", FER_INVALID_JSON, ""},
    {"no name", "{\"rules\":{}}", FER_BAD_USAGE, "name"},
    {"no rules", "{\"name\":\"a\"}", FER_BAD_USAGE, "rules"},
    {"an unknown rule", "{\"name\":\"a\",\"rules\":{\"name.charsets\":{}}}", FER_BAD_USAGE,
     "1:22: profiles have no rule 'name.charsets'; did you mean 'name.charset'?"},
    {"a member that the rule does not take",
     "{\"name\":\"a\",\"rules\":{\"object.closed\":{\"max\":1}}}", FER_BAD_USAGE,
     "this rule takes no 'max'"},
    {"an unknown member", "{\"name\":\"a\",\"rules\":{\"object.closed\":{\"mux\":1}}}",
     FER_BAD_USAGE, "mux"},
    {"an unknown keyword",
     "{\"name\":\"a\",\"rules\":{\"root.composition\":{\"keywords\":[\"anyof\"]}}}", FER_BAD_USAGE,
     "there is no keyword 'anyof'"},
    {"a number for a name", "{\"name\":1,\"rules\":{}}", FER_BAD_USAGE, "1:9"},
    {"extends nothing known", "{\"name\":\"a\",\"extends\":\"opnai\",\"rules\":{}}", FER_BAD_USAGE,
     "there is no profile 'opnai'; did you mean 'openai'?"},
    {"a cap of no keyword",
     "{\"name\":\"a\",\"rules\":{\"keyword.bound-cap\":{\"caps\":{\"max\":1}}}}", FER_BAD_USAGE,
     "there is no keyword 'max'"},
};

static void wrong_profile_is_refused(const struct wrong *row)
{
    fer_err err = {0};
    const fer_profile *profile = NULL;
    fer_arena *a = fer_arena_new(0);
    fer_code code = fer_profile_load(a, fer_str_of(row->text), FER_FORMAT_JSON, &profile, &err);
    assert_int_equal(code, row->code);
    if (!strstr(err.message, row->says)) fail_msg("it says: %s", err.message);
    assert_null(profile);
    fer_arena_free(a);
}

static void own_profile_extends_a_built_in_one(void)
{
    static const char text[] = "name: ours\nextends: anthropic\nrules:\n  name.length: {max: 10}\n"
                               "  root.composition: false\n";
    const fer_profile *ours, *theirs;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_profile_load(a, fer_str_of(text), FER_FORMAT_YAML, &ours, NULL), FER_OK);
    assert_int_equal(fer_profile_find(a, FER_STR("anthropic"), &theirs, NULL), FER_OK);
    assert_int_equal(ours->rows[FER_PR_NAME_LENGTH].max, 10);
    assert_int_equal(ours->rows[FER_PR_NAME_LENGTH].advised, 64);
    assert_int_equal(theirs->rows[FER_PR_NAME_LENGTH].max, 128);
    assert_false(ours->rows[FER_PR_ROOT_COMPOSITION].on);
    assert_true(ours->rows[FER_PR_ROOT_TYPE].on);
    assert_str(fer_profile_about(ours).extends, "anthropic");
    fer_arena_free(a);
}

static void there_is_a_most_of_profiles(void)
{
    const fer_profile *profile;
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    fer_checks *checks = fer_checks_new();
    assert_int_equal(fer_profile_find(a, FER_STR("windsurf"), &profile, NULL), FER_OK);
    for (size_t i = 0; i < FER_PROFILES_MAX; i++)
        assert_int_equal(fer_checks_profile(checks, profile, NULL), FER_OK);
    assert_int_equal(fer_checks_profile(checks, profile, &err), FER_LIMIT_EXCEEDED);
    fer_checks_free(checks);
    fer_arena_free(a);
}

/* Built-in profiles extend each other a few deep; a reader that stands deeper stops in time. */
static void profiles_extend_each_other_only_so_often(void)
{
    static const char text[] = "{\"name\":\"ours\",\n\"extends\":\"cursor\",\"rules\":{}}";
    fer_json *doc;
    fer_profile *ours = NULL;
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_json_read(a, fer_str_of(text), NULL, &doc, NULL), FER_OK);
    assert_int_equal(fer_profile_read(a, doc, FER_PROFILE_EXTENDS - 1, &ours, &err), FER_OK);
    assert_true(ours->rows[FER_PR_NAME_LENGTH].on);
    ours = NULL;
    assert_int_equal(fer_profile_read(a, doc, FER_PROFILE_EXTENDS, &ours, &err),
                     FER_LIMIT_EXCEEDED);
    assert_null(ours);
    assert_string_equal(
        err.message,
        "2:11: profile.extends: at most 8 profiles extend each other, and 'cursor' is one more");
    fer_arena_free(a);
}

/* ---- failing memory ---------------------------------------------------------------------------
 */

static fer_code checks_all(fer_arena *unused, const void *row)
{
    static const char text[] = LIST(TOOL("a.b", X("\"$ref\":\"#\"")) "," TOOL(
        "a_b", P("\"x\":true,\"y\":{\"enum\":[1],\"pattern\":\"(?=a)\\\\1{100}\"}")));
    fer_err err = {0};
    const fer_profile *profile;
    (void)unused;
    (void)row;
    fer_arena *a = fer_arena_new(0);
    fer_checks *checks = fer_checks_new();
    fer_toolset *set = NULL;
    fer_code code = a && checks ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) code = fer_profile_find(a, FER_STR("gemini-jsonschema"), &profile, &err);
    if (!code) code = fer_checks_profile(checks, profile, &err);
    if (!code) code = fer_profile_find(a, FER_STR("tools_json"), &profile, &err);
    if (!code) code = fer_checks_profile(checks, profile, &err);
    if (!code && !(set = fer_toolset_new_checked(checks))) code = FER_OUT_OF_MEMORY;
    if (!code) code = fer_toolset_add(set, FER_STR("t"), fer_str_of(text), FER_FORMAT_JSON, &err);
    fer_toolset_free(set);
    fer_checks_free(checks);
    fer_arena_free(a);
    return code;
}

static fer_code answers(fer_arena *unused, const void *row)
{
    bool ok = true;
    fer_err err = {0};
    fer_str said;
    (void)unused;
    (void)row;
    fer_arena *a = fer_arena_new(0);
    fer_code code =
        a ? fer_tools_json_answer(a, FER_STR(LIST(CLAUDE("a b", "{}"))), &ok, &said, &err)
          : FER_OUT_OF_MEMORY;
    if (!code) assert_false(ok);
    fer_arena_free(a);
    return code;
}

static void memory_may_fail(void)
{
    assert_true(rows_torture_malloc(checks_all, NULL) > 0);
    assert_true(rows_torture_malloc(answers, NULL) > 0);
}

int main(void)
{
    return ROWS_RUN("profiles", rows, breaks_and_holds) +
           ROWS_ONE("profiles", every_rule_has_a_row) +
           ROWS_ONE("profiles", built_in_profiles_are_valid) +
           ROWS_RUN("profiles", aliases, alias_is_found) +
           ROWS_RUN("profiles", wrongs, wrong_profile_is_refused) +
           ROWS_ONE("profiles", own_profile_extends_a_built_in_one) +
           ROWS_ONE("profiles", there_is_a_most_of_profiles) +
           ROWS_ONE("profiles", profiles_extend_each_other_only_so_often) +
           ROWS_ONE("profiles", memory_may_fail);
}
