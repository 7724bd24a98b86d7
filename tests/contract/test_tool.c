/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constraint table of the tool record (S0, SPEC 1): for every rule a row that just
 * holds and one that breaks it. Numbers, words and paths in bulk are in test_fields.c.
 */
#include <ferrule/contract.h>

#include "rows.h"
#include "rules.h"

#define R4(s)   s s s s
#define R5(s)   s s s s s
#define R10(s)  R5(s) R5(s)
#define R100(s) R10(R10(s))
#define A64     R4(R4("Az0_"))
#define A128    A64 A64
#define T20                                                                                        \
    "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\",\"r\",\"s\",\"t\""
#define E_ACUTE       "\xC3\xA9"         /* 2 bytes */
#define FIRE          "\xF0\x9F\x94\xA5" /* 4 bytes */
#define SCHEMA        "\"inputSchema\":{\"type\":\"object\"}"
#define EXAMPLE(args) "\"examples\":[{\"args\":" args "}]"
#define META(own)     "\"_meta\":{\"ferrule\":" own "}"

/* The text is {"name":"t","inputSchema":{"type":"object"},<add>}, or `full` where that is given. */
static const struct row {
    const char *name;
    const char *add;
    const char *rules;   /* of all findings, sorted, repeated where found twice */
    const char *pointer; /* of the first finding in the text; NULL: not checked */
    uint32_t line, column;
    const char *says; /* part of its message or hint, or NULL */
    const char *full;
    const char *before; /* another input, added first */
} rows[] = {
    {"the smallest tool", "\"title\":\"T\"", ""},
    /* name */
    {"name of 1", .full = "{\"name\":\"x\"," SCHEMA "}", .rules = ""},
    {"name of 128", .full = "{\"name\":\"" A128 "\"," SCHEMA "}", .rules = ""},
    {"name of 129", .full = "{\"name\":\"" A128 "x\"," SCHEMA "}", .rules = "name.length",
     .pointer = "/name", .line = 1, .column = 9, .says = "129"},
    {"name of 128 wide characters",
     .full = "{\"name\":\"" R100(FIRE) R10(FIRE) R10(FIRE) R4(FIRE) R4(FIRE) "\"," SCHEMA "}",
     .rules = "name.charset"},
    {"name of 129 wide characters",
     .full = "{\"name\":\"" R100(FIRE) R10(FIRE) R10(FIRE) R4(FIRE) R5(FIRE) "\"," SCHEMA "}",
     .rules = "name.charset name.length"},
    {"name empty", .full = "{\"name\":\"\"," SCHEMA "}", .rules = "name.length", .pointer = "/name",
     .line = 1, .column = 9},
    {"name missing", .full = "{" SCHEMA "}", .rules = "field.required", .pointer = "", .line = 1,
     .column = 1, .says = "\"name\""},
    {"name a number", .full = "{\"name\":7," SCHEMA "}", .rules = "field.type", .pointer = "/name",
     .says = "a string, not"},
    {"name null", .full = "{\"name\":null," SCHEMA "}", .rules = "field.type"},
    {"name a list", .full = "{\"name\":[\"t\"]," SCHEMA "}", .rules = "field.type"},
    {"alphabet ends", .full = "{\"name\":\"azAZ09_.-\"," SCHEMA "}", .rules = ""},
    {"name with a blank", .full = "{\"name\":\"a b\"," SCHEMA "}", .rules = "name.charset",
     .says = "U+0020"},
    {"below a", .full = "{\"name\":\"`\"," SCHEMA "}", .rules = "name.charset"},
    {"behind z", .full = "{\"name\":\"{\"," SCHEMA "}", .rules = "name.charset"},
    {"below A", .full = "{\"name\":\"@\"," SCHEMA "}", .rules = "name.charset"},
    {"behind Z", .full = "{\"name\":\"[\"," SCHEMA "}", .rules = "name.charset"},
    {"below 0", .full = "{\"name\":\"/\"," SCHEMA "}", .rules = "name.charset"},
    {"name with a colon", .full = "{\"name\":\"a:b\"," SCHEMA "}", .rules = "name.charset"},
    {"name with NUL", .full = "{\"name\":\"a\\u0000\"," SCHEMA "}", .rules = "name.charset",
     .says = "U+0000"},
    {"name with an umlaut", .full = "{\"name\":\"\xC3\xA4\"," SCHEMA "}", .rules = "name.charset",
     .says = "U+00E4"},
    /* namespace */
    {"namespace of 1", "\"namespace\":\"n\"", ""},
    {"namespace of 128", "\"namespace\":\"" A128 "\"", ""},
    {"namespace of 129", "\"namespace\":\"" A128 "x\"", "namespace.length", "/namespace"},
    {"namespace empty", "\"namespace\":\"\"", "namespace.length", "/namespace"},
    {"namespace with a colon", "\"namespace\":\"a:b\"", "namespace.charset", "/namespace",
     .says = "':'"},
    {"namespace with a blank", "\"namespace\":\"a b\"", "namespace.charset"},
    {"namespace a number", "\"namespace\":1", "field.type", "/namespace"},
    {"namespace null", "\"namespace\":null", "field.null"},
    /* version */
    {"version", "\"namespace\":\"n\",\"version\":\"1.2.3\"", ""},
    {"version with v", "\"namespace\":\"n\",\"version\":\"v1.2.3-rc.1+b\"", ""},
    {"version of two parts", "\"namespace\":\"n\",\"version\":\"1.2\"", "version.semver",
     "/version", .says = "major, minor and patch"},
    {"version empty", "\"namespace\":\"n\",\"version\":\"\"", "version.semver"},
    {"version a number", "\"namespace\":\"n\",\"version\":1.2", "field.type"},
    {"version without a namespace", "\"version\":\"1.2.3\"", "version.unused", "/version"},
    /* texts of MCP */
    {"description empty", "\"description\":\"\"", ""},
    {"description a list", "\"description\":[]", "field.type", "/description"},
    {"title a number", "\"title\":1", "field.type", "/title"},
    {"category", "\"category\":\"c\"", ""},
    {"category empty", "\"category\":\"\"", "field.empty", "/category"},
    {"category a number", "\"category\":1", "field.type"},
    /* tags */
    {"tags", "\"tags\":[\"a\",\"b-c\"]", ""},
    {"no tags", "\"tags\":[]", ""},
    {"tags in capitals", "\"tags\":[\"a\",\"B C\"]", "tags.changed", "/tags/1", .says = "\"b-c\""},
    {"tag of nothing", "\"tags\":[\"###\"]", "tags.changed", "/tags/0"},
    {"tag twice", "\"tags\":[\"a\",\"a\"]", "tags.changed", "/tags/1"},
    {"20 tags", "\"tags\":[" T20 "]", ""},
    {"21 tags", "\"tags\":[" T20 ",\"u\",\"v\"]", "tags.count", "/tags/20"},
    {"20 tags and a repeat", "\"tags\":[\"a\"," T20 "]", "tags.changed"},
    {"tag of 64", "\"tags\":[\"" R10("abcdef") "abcd\"]", ""},
    {"tag of 65", "\"tags\":[\"" R10("abcdef") "abcde\"]", "tags.changed"},
    {"tag a number", "\"tags\":[1,\"a\"]", "field.type", "/tags/0", .says = "each item of tags"},
    {"tags a string", "\"tags\":\"a\"", "field.type", "/tags"},
    /* schemas */
    {"no inputSchema", .full = "{\"name\":\"t\"}", .rules = "field.required", .pointer = "",
     .says = "\"inputSchema\""},
    {"inputSchema null", .full = "{\"name\":\"t\",\n \"inputSchema\":null}", .rules = "field.type",
     .pointer = "/inputSchema", .line = 2, .column = 16},
    {"inputSchema true", .full = "{\"name\":\"t\",\"inputSchema\":true}", .rules = "field.type"},
    {"inputSchema a list", .full = "{\"name\":\"t\",\"inputSchema\":[]}", .rules = "field.type"},
    {"inputSchema a string", .full = "{\"name\":\"t\",\"inputSchema\":\"{}\"}",
     .rules = "field.type"},
    {"inputSchema without type", .full = "{\"name\":\"t\",\"inputSchema\":{}}",
     .rules = "schema.root-missing", .pointer = "/inputSchema", .line = 1, .column = 27},
    {"root is a string", .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"string\"}}",
     .rules = "schema.root", .pointer = "/inputSchema/type", .line = 1, .column = 35},
    {"root is Object", .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"Object\"}}",
     .rules = "schema.root"},
    {"root is a list of types",
     .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":[\"object\",\"null\"]}}",
     .rules = "schema.root"},
    {"root type null", .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":null}}",
     .rules = "schema.root"},
    {"both schemas missing their type",
     .full = "{\"name\":\"t\",\"inputSchema\":{},\"outputSchema\":{}}",
     .rules = "schema.root-missing"},
    {"unknown keyword",
     .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"propertys\":1}}",
     .rules = "schema.unknown-keyword", .pointer = "/inputSchema/propertys", .line = 1,
     .column = 44},
    {"x- is nobody's business",
     .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"x-propertys\":1}}",
     .rules = ""},
    {"unknown dialect",
     .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"$schema\":\"http://x.y/z\"}}",
     .rules = "schema.dialect", .pointer = "/inputSchema/$schema"},
    {"external reference",
     .full =
         "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"http://x.y/z\"}}}}",
     .rules = "schema.external-ref", .pointer = "/inputSchema/properties/a/$ref"},
    {"every schema, every mistake",
     .full =
         "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"minLength\":-1,\"pattern\":\"(\"},\"outputSchema\":{\"required\":true}}",
     .rules = "schema.invalid schema.invalid schema.invalid", .pointer = "/inputSchema/minLength"},
    {"too large a repetition",
     .full = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"pattern\":\"a{1001}\"}}",
     .rules = "schema.limit", .pointer = "/inputSchema/pattern"},
    {"an example that the schema refuses",
     .full =
         "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"m\"]},\"examples\":[{\"args\":{\"n\":\"1\"}}]}",
     .rules = "example.invalid example.invalid", .pointer = "/examples/0/args"},
    {"an invalid example that the schema accepts",
     .full =
         "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"invalidExamples\":[{\"args\":{\"n\":1}}]}",
     .rules = "example.accepted", .pointer = "/invalidExamples/0/args"},
    {"an invalid example that the schema refuses",
     .full =
         "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false},\"invalidExamples\":[{\"args\":{\"n\":1}}]}",
     .rules = ""},
    {"a changelog",
     "\"changelog\":[{\"version\":\"1.0.0\",\"changes\":\"x\",\"date\":\"2026-11-16\"}]", ""},
    {"a changelog without changes", "\"changelog\":[{\"version\":\"1.0.0\"}]", "field.required"},
    {"an example of a schema that never ends",
     .full =
         "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"$ref\":\"#\"},\"examples\":[{\"args\":{}}]}",
     .rules = "example.invalid schema.suspicious", .pointer = "/inputSchema/$ref"},
    {"Gemini's types",
     .full =
         "{\"functionDeclarations\":[{\"name\":\"t\",\"description\":\"d\",\"parameters\":{\"type\":\"OBJECT\",\"properties\":{\"a\":{\"type\":\"STRING\"}}}}]}",
     .rules = ""},
    {"outputSchema", "\"outputSchema\":{\"type\":\"array\"}", ""},
    {"outputSchema null", "\"outputSchema\":null", "field.null", "/outputSchema"},
    {"outputSchema false", "\"outputSchema\":false", "field.type"},
    {"chunkSchema", "\"chunkSchema\":{}", ""},
    {"chunkSchema a list", "\"chunkSchema\":[]", "field.type", "/chunkSchema"},
    /* cache */
    {"cache of a Pure tool", "\"effect\":\"Pure\",\"cache\":{\"ttlMs\":5}", ""},
    {"cache that never holds", "\"cache\":{\"ttlMs\":0}", ""},
    {"cache of a write", "\"cache\":{\"ttlMs\":5}", "cache.pure", "/cache"},
    {"_meta.ferrule a text", META("\"x\""), "field.type", "/_meta/ferrule"},
    {"an MCP field under _meta.ferrule", META("{\"title\":\"x\"}"), "field.unknown",
     "/_meta/ferrule/title"},
    /* annotations, execution, icons */
    {"annotations",
     "\"annotations\":{\"title\":\"T\",\"readOnlyHint\":true,\"destructiveHint\":false,"
     "\"idempotentHint\":true,\"openWorldHint\":false}",
     ""},
    {"annotations empty", "\"annotations\":{}", ""},
    {"annotations a list", "\"annotations\":[]", "field.type", "/annotations"},
    {"hint a string", "\"annotations\":{\"readOnlyHint\":\"true\"}", "field.type",
     "/annotations/readOnlyHint"},
    {"hint a number", "\"annotations\":{\"openWorldHint\":1}", "field.type"},
    {"hint null", "\"annotations\":{\"idempotentHint\":null}", "field.null"},
    {"annotation title a number", "\"annotations\":{\"title\":1}", "field.type"},
    {"hint misspelt", "\"annotations\":{\"readonlyHint\":true}", "field.unknown",
     "/annotations/readonlyHint", .says = "\"readOnlyHint\""},
    {"hint without Hint", "\"annotations\":{\"destructivHint\":true}", "field.unknown"},
    {"hint of another kind", "\"annotations\":{\"audience\":[\"user\"]}", ""},
    {"task support", "\"execution\":{\"taskSupport\":\"optional\"}", ""},
    {"task support unknown", "\"execution\":{\"taskSupport\":\"maybe\"}", "field.enum",
     "/execution/taskSupport"},
    {"icons",
     "\"icons\":[{\"src\":\"https://x/i.png\",\"mimeType\":\"image/png\",\"sizes\":[\"48x48\"],"
     "\"theme\":\"dark\"}]",
     ""},
    {"icon without src", "\"icons\":[{\"theme\":\"light\"}]", "field.required", "/icons/0"},
    {"icon src empty", "\"icons\":[{\"src\":\"\"}]", "field.empty", "/icons/0/src"},
    {"icon mimeType", "\"icons\":[{\"src\":\"x\",\"mimeType\":\"png\"}]", "mode.media-type"},
    {"icon theme", "\"icons\":[{\"src\":\"x\",\"theme\":\"grey\"}]", "field.enum"},
    {"icon sizes a string", "\"icons\":[{\"src\":\"x\",\"sizes\":\"48x48\"}]", "field.type"},
    {"icon size empty", "\"icons\":[{\"src\":\"x\",\"sizes\":[\"\"]}]", "field.empty"},
    {"icon a string", "\"icons\":[\"x\"]", "field.type", "/icons/0"},
    {"icons an object", "\"icons\":{}", "field.type", "/icons"},
    /* effect and idempotency */
    {"Pure and read-only", "\"effect\":\"Pure\",\"annotations\":{\"readOnlyHint\":true}", ""},
    {"Pure but not read-only", "\"effect\":\"Pure\",\"annotations\":{\"readOnlyHint\":false}",
     "effect.annotations", "/effect"},
    {"write but read-only",
     "\"effect\":\"IdempotentWrite\",\"annotations\":{\"readOnlyHint\":true}",
     "effect.annotations"},
    {"write and not read-only",
     "\"effect\":\"NonIdempotentWrite\",\"annotations\":{\"readOnlyHint\":false}", ""},
    {"Pure but destructive", "\"effect\":\"Pure\",\"annotations\":{\"destructiveHint\":true}",
     "effect.annotations"},
    {"effect in lower case", "\"effect\":\"pure\"", "field.enum", "/effect", .says = "\"Pure\""},
    {"Pure with an optional key", "\"effect\":\"Pure\",\"idempotency\":\"optional\"", ""},
    {"Pure with a required key", "\"effect\":\"Pure\",\"idempotency\":\"required\"",
     "idempotency.pure", "/idempotency"},
    {"Pure by hint with a required key",
     "\"annotations\":{\"readOnlyHint\":true},\"idempotency\":\"required\"", "idempotency.pure"},
    {"Pure with requires", "\"effect\":\"Pure\",\"requires\":{\"idempotencyKey\":true}",
     "idempotency.pure", "/requires/idempotencyKey"},
    {"requires agrees", "\"idempotency\":\"required\",\"requires\":{\"idempotencyKey\":true}", ""},
    {"requires nothing, as said",
     "\"idempotency\":\"none\",\"requires\":{\"idempotencyKey\":false}", ""},
    {"requires more than said", "\"idempotency\":\"none\",\"requires\":{\"idempotencyKey\":true}",
     "field.conflict", "/requires/idempotencyKey"},
    {"requires more than optional",
     "\"idempotency\":\"optional\",\"requires\":{\"idempotencyKey\":true}", "field.conflict"},
    {"requires less than said",
     "\"idempotency\":\"required\",\"requires\":{\"idempotencyKey\":false}", "field.conflict"},
    {"requires a string", "\"requires\":{\"idempotencyKey\":\"yes\"}", "field.type"},
    /* policies and cache; all numbers are in test_fields.c */
    {"timeout", "\"policies\":{\"timeoutMs\":1}", ""},
    {"no time at all", "\"policies\":{\"timeoutMs\":0}", "field.range", "/policies/timeoutMs",
     .says = "from 1 to 86400000"},
    {"half a call", "\"policies\":{\"concurrency\":0.5}", "field.range", "/policies/concurrency"},
    {"cache for ever", "\"effect\":\"Pure\",\"cache\":{\"ttlMs\":86400001}", "field.range",
     "/cache/ttlMs"},
    /* redact, scopes, security, modes, refs */
    {"redact", "\"redact\":[\"headers.authorization\",\"token\"]", ""},
    {"redact a pointer", "\"redact\":[\"/a/b\"]", "redact.path", "/redact/0",
     .says = "JSON Pointer"},
    {"redact broken", "\"redact\":[\"ok\",\"a..b\"]", "redact.path", "/redact/1"},
    {"redact empty", "\"redact\":[\"\"]", "field.empty", "/redact/0"},
    {"redact a number", "\"redact\":[1]", "field.type"},
    {"redact a string", "\"redact\":\"token\"", "field.type", "/redact"},
    {"scopes", "\"requiredScopes\":[\"a:read\"]", ""},
    {"scope empty", "\"requiredScopes\":[\"\"]", "field.empty", "/requiredScopes/0"},
    {"scope a number", "\"requiredScopes\":[1]", "field.type"},
    {"security",
     "\"securitySchemes\":{\"o\":{\"type\":\"oauth2\"}},\"securityRequirements\":[{\"o\":[\"s\"]},{}]",
     ""},
    {"scheme not declared",
     "\"securitySchemes\":{\"o\":{}},\"securityRequirements\":[{\"o\":[]},{\"p\":[]}]",
     "security.scheme", "/securityRequirements/1/p", .says = "\"p\""},
    {"no schemes at all", "\"securityRequirements\":[{\"p\":[]}]", "security.scheme"},
    {"scheme a string", "\"securitySchemes\":{\"o\":\"x\"}", "field.type", "/securitySchemes/o"},
    {"requirement a string", "\"securitySchemes\":{\"o\":{}},\"securityRequirements\":[\"o\"]",
     "field.type", "/securityRequirements/0"},
    {"requirement scopes a string",
     "\"securitySchemes\":{\"o\":{}},\"securityRequirements\":[{\"o\":\"s\"}]", "field.type",
     "/securityRequirements/0/o"},
    {"requirement scope empty",
     "\"securitySchemes\":{\"o\":{}},\"securityRequirements\":[{\"o\":[\"\"]}]", "field.empty"},
    {"modes",
     "\"inputModes\":[\"application/json\",\"text/plain; charset=utf-8\"],\"outputModes\":[\"image/*\"]",
     ""},
    {"mode json", "\"inputModes\":[\"json\"]", "mode.media-type", "/inputModes/0",
     .says = "application/json"},
    {"mode text", "\"outputModes\":[\"text\"]", "mode.media-type", "/outputModes/0",
     .says = "text/plain"},
    {"mode without type", "\"outputModes\":[\"/json\"]", "mode.media-type"},
    {"mode without subtype", "\"outputModes\":[\"text/\"]", "mode.media-type"},
    {"mode of three", "\"outputModes\":[\"a/b/c\"]", "mode.media-type"},
    {"mode with a blank", "\"outputModes\":[\"text /plain\"]", "mode.media-type"},
    {"mode empty", "\"outputModes\":[\"\"]", "mode.media-type"},
    {"references", "\"externalRefs\":[\"https://x\"]", ""},
    {"reference empty", "\"externalRefs\":[\"\"]", "field.empty"},
    /* examples and notes */
    {"example",
     "\"examples\":[{\"id\":\"e\",\"title\":\"T\",\"description\":\"d\",\"args\":{\"a\":1},\"resultHint\":\"r\"}]",
     ""},
    {"example without args", "\"examples\":[{\"id\":\"e\"}]", "field.required", "/examples/0"},
    {"example args a list", EXAMPLE("[]"), "field.type", "/examples/0/args"},
    {"example id empty", "\"examples\":[{\"id\":\"\",\"args\":{}}]", "field.empty"},
    {"example misspelt", "\"examples\":[{\"args\":{},\"resultHnt\":\"\"}]", "field.unknown",
     "/examples/0/resultHnt"},
    {"example of 5 levels", EXAMPLE("{\"a\":{\"b\":[{\"c\":[1]}]}}"), ""},
    {"example of 6 levels", EXAMPLE("{\"a\":{\"b\":[{\"c\":[[]]}]}}"), "example.size",
     "/examples/0/args"},
    {"levels are not added up", EXAMPLE("{\"a\":[[[[1]]]],\"b\":[[[[1]]]],\"c\":{}}"), ""},
    {"example of 50", EXAMPLE("{\"a\":[" R10("1,1,1,1,") "1,1,1,1,1,1,1,1,1]}"), ""},
    {"example of 51", EXAMPLE("{\"a\":[" R10("1,1,1,1,") "1,1,1,1,1,1,1,1,1,1]}"), "example.size",
     .says = "51"},
    {"50 over two lists",
     EXAMPLE("{\"a\":[" R5("1,1,1,1,") "1,1,1,1],\"b\":[" R5("1,1,1,1,") "1,1,1,1]}"), ""},
    {"51 over two lists",
     EXAMPLE("{\"a\":[" R5("1,1,1,1,") "1,1,1,1],\"b\":[" R5("1,1,1,1,") "1,1,1,1,1]}"),
     "example.size"},
    {"example description of 300",
     "\"examples\":[{\"args\":{},\"description\":\"" R100(E_ACUTE) R100("x") R100(FIRE) "\"}]", ""},
    {"example description of 301",
     "\"examples\":[{\"args\":{},\"description\":\"" R100(E_ACUTE) R100("x") R100(FIRE) E_ACUTE
     "\"}]",
     "text.cut", "/examples/0/description", .says = "301"},
    {"result hint of 200",
     "\"examples\":[{\"args\":{},\"resultHint\":\"" R100(FIRE) R100(E_ACUTE) "\"}]", ""},
    {"result hint of 201",
     "\"examples\":[{\"args\":{},\"resultHint\":\"" R100(FIRE) R100(E_ACUTE) "x\"}]", "text.cut"},
    {"notes of 2000", "\"notes\":\"" R10(R100(E_ACUTE)) R10(R100("n")) "\"", ""},
    {"notes of 2001", "\"notes\":\"" R10(R100(E_ACUTE)) R10(R100("n")) "n\"", "text.cut", "/notes",
     .says = "2001"},
    {"notes a list", "\"notes\":[\"n\"]", "field.type"},
    /* backend */
    {"backend mcp", "\"backend\":{\"kind\":\"mcp\",\"mcp\":{\"serverName\":\"s\"}}", ""},
    {"backend provider",
     "\"backend\":{\"kind\":\"provider\",\"provider\":{\"providerId\":\"p\",\"toolId\":\"t\"}}",
     ""},
    {"backend local", "\"backend\":{\"kind\":\"local\",\"local\":{\"name\":\"n\",\"more\":1}}", ""},
    {"backend of one object", "\"backend\":{\"local\":{\"name\":\"n\"}}", ""},
    {"backends", "\"backend\":[{\"local\":{\"name\":\"n\"}},{\"mcp\":{\"serverName\":\"s\"}}]", ""},
    {"no backends", "\"backend\":[]", ""},
    {"backend of no kind", "\"backend\":{}", "backend.kind", "/backend"},
    {"backend of two kinds",
     "\"backend\":{\"local\":{\"name\":\"n\"},\"mcp\":{\"serverName\":\"s\"}}", "backend.kind",
     .says = "several"},
    {"backend of an unknown kind", "\"backend\":{\"kind\":\"http\"}", "backend.kind",
     "/backend/kind"},
    {"backend kind a number", "\"backend\":{\"kind\":1,\"local\":{\"name\":\"n\"}}",
     "backend.kind"},
    {"backend without its object", "\"backend\":{\"kind\":\"local\"}", "backend.kind", "/backend"},
    {"backend object a string", "\"backend\":{\"kind\":\"local\",\"local\":\"n\"}", "backend.kind",
     "/backend/local"},
    {"backend name empty", "\"backend\":{\"local\":{\"name\":\"\"}}", "backend.kind",
     "/backend/local/name"},
    {"backend name missing", "\"backend\":{\"mcp\":{}}", "backend.kind", "/backend/mcp",
     .says = "serverName"},
    {"backend provider without both", "\"backend\":{\"provider\":{}}", "backend.kind backend.kind"},
    {"backend a string", "\"backend\":\"local\"", "field.type", "/backend"},
    {"backend item a string", "\"backend\":[\"local\"]", "field.type", "/backend/0"},
    {"second backend broken",
     "\"backend\":[{\"local\":{\"name\":\"n\"}},{\"mcp\":{\"serverName\":1}}]", "backend.kind",
     "/backend/1/mcp/serverName"},
    /* _meta.ferrule */
    {"meta", "\"_meta\":{\"x\":1,\"effects\":2}", ""},
    {"meta a list", "\"_meta\":[]", "field.type", "/_meta"},
    {"contract under meta",
     META("{\"effect\":\"Pure\",\"tags\":[\"a\"],\"namespace\":\"n\",\"version\":\"1.0.0\"}"), ""},
    {"contract broken under meta", META("{\"effect\":\"Puree\"}"), "field.enum",
     "/_meta/ferrule/effect"},
    {"contract of the wrong type under meta", META("{\"tags\":\"a\"}"), "field.type",
     "/_meta/ferrule/tags"},
    {"agreement",
     "\"effect\":\"Pure\",\"cache\":{\"ttlMs\":1}," META(
         "{\"cache\":{\"ttlMs\":1.0},\"effect\":\"Pure\"}"),
     ""},
    {"conflict", "\"effect\":\"Pure\"," META("{\"effect\":\"IdempotentWrite\"}"), "field.conflict",
     "/_meta/ferrule/effect"},
    {"two conflicts",
     "\"effect\":\"Pure\",\"notes\":\"a\"," META(
         "{\"effect\":\"IdempotentWrite\",\"notes\":\"b\"}"),
     "field.conflict field.conflict"},
    {"misspelt under meta", META("{\"efect\":\"Pure\"}"), "field.unknown", "/_meta/ferrule/efect"},
    {"a field of MCP's own under meta", META("{\"outputSchema\":{}}"), "field.unknown",
     "/_meta/ferrule/outputSchema"},
    /* unknown keys */
    {"near miss", "\"descripton\":\"d\"", "field.unknown", "/descripton",
     .says = "\"description\""},
    {"near miss in capitals", "\"Tags\":[]", "field.unknown", "/Tags"},
    {"near miss of policies", "\"policy\":{}", "field.unknown"},
    {"near miss beside the right one", "\"tags\":[],\"tag\":1", ""},
    {"far miss", "\"x-vendor-data\":1,\"zzz\":2", ""},
    {"near miss among policies", "\"policies\":{\"timeoutms\":1}", "field.unknown",
     "/policies/timeoutms"},
    {"far miss among policies", "\"policies\":{\"vendor\":1}", ""},
    /* lists */
    {"provider's own tool", .full = "{\"tools\":[{\"type\":\"web_search\"}]}",
     .rules = "tool.builtin", .pointer = "/tools/0", .line = 1, .column = 11},
    {"IDs differ",
     .full = "[{\"name\":\"a\"," SCHEMA "},{\"name\":\"a\",\"namespace\":\"n\"," SCHEMA "}]",
     .rules = ""},
    {"ID twice", .full = "[{\"name\":\"a\"," SCHEMA "},\n{\"name\":\"a\"," SCHEMA "}]",
     .rules = "tool.duplicate", .pointer = "/1/name", .line = 2, .column = 9},
    {"ID of another input", "\"title\":\"x\"", "tool.shadowed", "/name",
     .before = "{\"name\":\"t\"," SCHEMA "}"},
    /* findings that the tool takes back */
    {"suppressed", "\"tags\":[\"A\"],\"suppress\":[{\"rule\":\"tags.changed\",\"reason\":\"r\"}]",
     ""},
    {"suppressed there",
     "\"tags\":[\"A\"],\"suppress\":[{\"rule\":\"tags.changed\",\"at\":\"/tags\",\"reason\":\"r\"}]",
     ""},
    {"suppressed on an MCP wire",
     "\"tags\":[\"A\"],\"_meta\":{\"ferrule\":{\"suppress\":[{\"rule\":\"tags.changed\",\"reason\":\"r\"}]}}",
     ""},
    {"suppressed elsewhere",
     "\"tags\":[\"A\"],\"suppress\":[{\"rule\":\"tags.changed\",\"at\":\"/tag\",\"reason\":\"r\"}]",
     "suppress.unused tags.changed", "/tags/0"},
    {"suppressed without a reason", "\"tags\":[\"A\"],\"suppress\":[{\"rule\":\"tags.changed\"}]",
     "suppress.reason", "/suppress/0"},
    {"suppressed with an empty reason",
     "\"tags\":[\"A\"],\"suppress\":[{\"rule\":\"tags.changed\",\"reason\":\"\"}]",
     "suppress.reason", "/suppress/0"},
    {"an unknown rule suppressed", "\"suppress\":[{\"rule\":\"tags.chanced\",\"reason\":\"r\"}]",
     "suppress.unknown-rule", "/suppress/0", .says = "did you mean \"tags.changed\"?"},
    {"nothing suppressed",
     "\"_meta\":{\"ferrule\":{\"suppress\":[{\"rule\":\"tags.changed\",\"reason\":\"r\"}]}}",
     "suppress.unused", "/_meta/ferrule/suppress/0"},
    {"no rule suppressed", "\"suppress\":[{\"reason\":\"r\"}]", "field.required", "/suppress/0"},
    /* several at once, in the order of the text */
    {"everything is reported",
     .full = "{\"tags\":[\"A\"],\n\"effect\":\"pure\",\n\"name\":\"a b\",\n\"version\":\"1\"}",
     .rules = "field.enum field.required name.charset tags.changed version.semver version.unused",
     .pointer = "", .line = 1, .column = 1},
};

static bool hit[FER_RULE_COUNT];

/* The ids of the rules of all findings, sorted, blanks between. */
static void rules_of(const fer_finding *findings, size_t count, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        for (size_t i = 0; i < count; i++) {
            if (findings[i].rule != r) continue;
            if (fer_rule_table_of(r) == FER_RULES_OF_RECORD) hit[r - fer_record_rules] = true;
            len += (size_t)snprintf(out + len, size - len, "%s%s", len ? " " : "", r->id);
            assert_true(len < size);
        }
    }
}

static void check_first(const struct row *row, const fer_finding *first)
{
    if (row->pointer) assert_str(first->pointer, row->pointer);
    if (row->line) assert_int_equal(first->place.line, row->line);
    if (row->column) assert_int_equal(first->place.column, row->column);
    assert_true(first->message.len > 0);
    if (!row->says) return;
    char text[2 * FER_ERR_TEXT];
    snprintf(text, sizeof text, "%.*s %.*s", FER_PRI(first->message), FER_PRI(first->hint));
    if (!strstr(text, row->says)) fail_msg("it says: %s", text);
}

static void check(const struct row *row)
{
    static char text[16384];
    char found[1024];
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new();
    assert_non_null(set);
    snprintf(text, sizeof text, "{\"name\":\"t\"," SCHEMA ",%s}", row->add ? row->add : "");
    if (row->before)
        fer_toolset_add(set, FER_STR("before.json"), fer_str_of(row->before), FER_FORMAT_AUTO,
                        NULL);
    fer_code code = fer_toolset_add(
        set, FER_STR("t.json"), fer_str_of(row->full ? row->full : text), FER_FORMAT_AUTO, &err);
    if (code) fail_msg("%s", err.message);
    size_t count;
    const fer_finding *findings = fer_toolset_findings(set, &count);
    rules_of(findings, count, found, sizeof found);
    if (strcmp(found, row->rules) != 0) fail_msg("found \"%s\", not \"%s\"", found, row->rules);
    for (size_t i = 0; i < count; i++) {
        assert_str(findings[i].source, "t.json");
        assert_true(findings[i].place.line > 0 && findings[i].place.column > 0);
        assert_true(findings[i].length > 0);
    }
    if (count) check_first(row, &findings[0]);
    fer_toolset_free(set);
}

/* A rule without a row that breaks it is not tested. */
static void every_rule_is_broken_by_a_row(void)
{
    size_t missed = 0;
    const fer_rule *rules = fer_record_rules;
    for (size_t i = 0; i < FER_RULE_COUNT; i++) {
        if (i) assert_true(strcmp(rules[i - 1].id, rules[i].id) < 0);
        assert_true(*rules[i].text && *rules[i].why && *rules[i].fix);
        if (hit[i]) continue;
        print_error("no row breaks %s\n", rules[i].id);
        missed++;
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    return ROWS_RUN("tool", rows, check) + ROWS_ONE("tool", every_rule_is_broken_by_a_row);
}
