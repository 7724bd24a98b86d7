/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions between dialects: what becomes of each keyword, and that the official suite's
 * schemas keep their verdicts wherever the conversion says that nothing was lost.
 */
#include <ferrule/schema.h>

#include "buf.h"
#include "must_read.h"
#include "suite.h"

const struct known *suite_known(size_t *count)
{
    *count = 0;
    return NULL;
}

#define D4    FER_DIALECT_DRAFT4
#define D6    FER_DIALECT_DRAFT6
#define D7    FER_DIALECT_DRAFT7
#define D2019 FER_DIALECT_2019_09
#define D2020 FER_DIALECT_2020_12
#define DV1   FER_DIALECT_V1

static const struct row {
    const char *name;
    fer_dialect from, to;
    const char *schema;
    const char *converted; /* without its $schema; NULL: fails */
    const char *changes;   /* pointers, those of lost ones with "!"; separated by blanks */
    fer_code code;
} rows[] =
    {
        {"nothing", D2020, D7, "{}", "{}", "", 0},
        {"true", D2020, D7, "true", "true", "", 0},
        {"true to draft-04", D7, D4, "true", "{}", "", 0},
        {"false to draft-04", D7, D4, "false", "{\"not\":{}}", "", 0},
        {"not a schema", D7, D4, "[]", NULL, "", FER_INVALID_SCHEMA},
        {"a form that is wrong", D7, D2020, "{\"properties\":{\"a\":{\"type\":1}}}", NULL, "",
         FER_INVALID_SCHEMA},
        {"a dialect that nobody knows", D7, D2020, "{\"$schema\":\"http://example.com/x\"}", NULL,
         "", FER_UNSUPPORTED_DIALECT},
        {"$schema says what it is", D2020, D2020,
         "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"definitions\":{\"a\":true}}",
         "{\"$defs\":{\"a\":true}}", "/definitions", 0},
        {"the same dialect", D2020, D2020,
         "{\"definitions\":{\"a\":{}},\"$defs\":{\"a\":{}},\"dependencies\":{\"a\":[\"b\"]},\"x\":1}",
         "{\"definitions\":{\"a\":{}},\"$defs\":{\"a\":{}},\"dependencies\":{\"a\":[\"b\"]},\"x\":1}",
         "", 0},
        {"what all know", D4, DV1,
         "{\"title\":\"t\",\"description\":\"d\",\"default\":{\"a\":[1]},\"allOf\":[{\"pattern\":\"a\"}],\"patternProperties\":{\"a\":{\"multipleOf\":2}},\"additionalProperties\":false,\"uniqueItems\":true,\"not\":{\"type\":\"null\"}}",
         "{\"title\":\"t\",\"description\":\"d\",\"default\":{\"a\":[1]},\"allOf\":[{\"pattern\":\"a\"}],\"patternProperties\":{\"a\":{\"multipleOf\":2}},\"additionalProperties\":false,\"uniqueItems\":true,\"not\":{\"type\":\"null\"}}",
         "", 0},
        {"numbers keep their digits", D7, D2020,
         "{\"enum\":[1.0,1e400,-0.1,-3,18446744073709551615,12345678901234567890123]}",
         "{\"enum\":[1.0,1e400,-0.1,-3,18446744073709551615,12345678901234567890123]}", "", 0},
        {"definitions to $defs", D7, D2020,
         "{\"$ref\":\"#/definitions/a~1b\",\"definitions\":{\"a/b\":{\"$ref\":\"#/definitions/c%25\"},\"c%\":{}}}",
         "{\"$ref\":\"#/$defs/a~1b\",\"$defs\":{\"a/b\":{\"$ref\":\"#/$defs/c%25\"},\"c%\":{}}}",
         "/definitions", 0},
        {"$defs to definitions", D2020, D7,
         "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{}}}",
         "{\"properties\":{\"a\":{\"$ref\":\"#/definitions/a\"}},\"definitions\":{\"a\":{}}}",
         "/$defs", 0},
        {"both have one name", D2020, D7,
         "{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/definitions/a\"}],\"definitions\":{\"a\":{\"type\":\"null\"}},\"$defs\":{\"a\":{\"type\":\"string\"}}}",
         "{\"allOf\":[{\"$ref\":\"#/definitions/a-2\"},{\"$ref\":\"#/definitions/a\"}],\"definitions\":{\"a\":{\"type\":\"null\"},\"a-2\":{\"type\":\"string\"}}}",
         "/$defs", 0},
        {"$defs of draft-07", D7, D2020,
         "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"items\":[{}]},\"b\":true}}",
         "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"prefixItems\":[{}]},\"b\":true}}",
         "/$defs/a/items", 0},
        {"$defs of draft-07 to draft-04", D7, D4,
         "{\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"const\":1}}}",
         "{\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"enum\":[1]}}}",
         "/$defs/a/const", 0},
        {"$defs of draft-07 that has no schemas", D7, D2020, "{\"$defs\":{\"a\":1}}",
         "{\"x-$defs\":{\"a\":1}}", "/$defs", 0},
        {"$defs of draft-07, empty", D7, D2020, "{\"$defs\":{}}", "{\"$defs\":{}}", "", 0},
        {"dependencies split", D7, D2020,
         "{\"dependencies\":{\"a\":[\"b\"],\"c\":{\"required\":[\"d\"]},\"e\":false}}",
         "{\"dependentRequired\":{\"a\":[\"b\"]},\"dependentSchemas\":{\"c\":{\"required\":[\"d\"]},\"e\":false}}",
         "/dependencies", 0},
        {"dependencies joined", D2019, D7,
         "{\"dependentRequired\":{\"a\":[\"b\"]},\"dependentSchemas\":{\"a\":{\"minProperties\":2},\"c\":true}}",
         "{\"dependencies\":{\"a\":[\"b\"],\"c\":true},\"allOf\":[{\"dependencies\":{\"a\":{\"minProperties\":2}}}]}",
         "/dependentRequired /dependentSchemas", 0},
        {"dependencies in draft-04", D2019, D4,
         "{\"dependentRequired\":{\"a\":[],\"b\":[\"c\"]},\"dependentSchemas\":{\"d\":false}}",
         "{\"dependencies\":{\"b\":[\"c\"],\"d\":{\"not\":{}}}}",
         "/dependentRequired /dependentSchemas /dependentSchemas/d", 0},
        {"tuple to prefixItems", D2019, D2020,
         "{\"items\":[{\"type\":\"null\"},true],\"additionalItems\":{\"$ref\":\"#/items/0\"}}",
         "{\"prefixItems\":[{\"type\":\"null\"},true],\"items\":{\"$ref\":\"#/prefixItems/0\"}}",
         "/items /additionalItems", 0},
        {"prefixItems to tuple", D2020, D2019,
         "{\"prefixItems\":[{\"type\":\"null\"}],\"items\":{\"$ref\":\"#/prefixItems/0\"}}",
         "{\"items\":[{\"type\":\"null\"}],\"additionalItems\":{\"$ref\":\"#/items/0\"}}",
         "/prefixItems /items", 0},
        {"items of all", D2020, D7, "{\"items\":{\"type\":\"null\"}}",
         "{\"items\":{\"type\":\"null\"}}", "", 0},
        {"prefixItems alone", D2020, D4, "{\"prefixItems\":[true,{\"type\":\"null\"}]}",
         "{\"items\":[{},{\"type\":\"null\"}]}", "/prefixItems /prefixItems/0", 0},
        {"additionalItems without a tuple", D7, D2020,
         "{\"items\":{\"$ref\":\"#/additionalItems\"},\"additionalItems\":{\"type\":\"null\"}}",
         "{\"items\":{\"$ref\":\"#/$defs/additionalItems\"},\"$defs\":{\"additionalItems\":{\"type\":\"null\"}}}",
         "/additionalItems", 0},
        {"additionalItems without a tuple, draft-06", D7, D6, "{\"additionalItems\":false}",
         "{\"additionalItems\":false}", "", 0},
        {"id to $id", D4, D7, "{\"id\":\"http://x/\",\"items\":{\"id\":\"#a\",\"type\":\"null\"}}",
         "{\"$id\":\"http://x/\",\"items\":{\"$id\":\"#a\",\"type\":\"null\"}}", "/id /items/id",
         0},
        {"$id to id", D7, D4,
         "{\"$id\":\"http://x/\",\"items\":{\"$id\":\"y#a\",\"type\":\"null\"}}",
         "{\"id\":\"http://x/\",\"items\":{\"id\":\"y#a\",\"type\":\"null\"}}", "/$id /items/$id",
         0},
        {"an anchor from the fragment", D6, D2019,
         "{\"$id\":\"http://x/y#\",\"items\":{\"$ref\":\"#a\"},\"definitions\":{\"a\":{\"$id\":\"#a\"},\"b\":{\"$id\":\"z#b\"},\"c\":{\"$id\":\"#\"}}}",
         "{\"$id\":\"http://x/y\",\"items\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\"},\"b\":{\"$id\":\"z\",\"$anchor\":\"b\"},\"c\":{}}}",
         "/$id /definitions /definitions/a/$id /definitions/b/$id /definitions/c/$id", 0},
        {"an anchor into the fragment", D2019, D6,
         "{\"$id\":\"http://x/y\",\"items\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\"},\"b\":{\"$id\":\"z\",\"$anchor\":\"b\"}}}",
         "{\"$id\":\"http://x/y\",\"items\":{\"$ref\":\"#a\"},\"definitions\":{\"a\":{\"$id\":\"#a\"},\"b\":{\"$id\":\"z#b\"}}}",
         "/$defs /$defs/a /$defs/b", 0},
        {"no name for an anchor", D7, D2019,
         "{\"items\":{\"$ref\":\"#1\"},\"definitions\":{\"a\":{\"$id\":\"#1\"}}}",
         "{\"items\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{}}}",
         "/definitions /definitions/a /definitions/a/$id", 0},
        {"names of 2019-09 only", D2019, D2020,
         "{\"$ref\":\"#a:b\",\"$defs\":{\"x\":{\"$anchor\":\"a:b\"}}}",
         "{\"$ref\":\"#/$defs/x\",\"$defs\":{\"x\":{}}}", "/$defs/x", 0},
        {"names of 2020-12 only", D2020, D2019,
         "{\"$ref\":\"#_a\",\"$defs\":{\"x\":{\"$anchor\":\"_a\"}}}",
         "{\"$ref\":\"#/$defs/x\",\"$defs\":{\"x\":{}}}", "/$defs/x", 0},
        {"exclusive bounds of draft-04", D4, D6,
         "{\"maximum\":3,\"exclusiveMaximum\":true,\"exclusiveMinimum\":false,\"minimum\":1}",
         "{\"exclusiveMaximum\":3,\"minimum\":1}", "/exclusiveMaximum /exclusiveMinimum", 0},
        {"exclusive bounds to draft-04", D6, D4, "{\"exclusiveMaximum\":3,\"exclusiveMinimum\":1}",
         "{\"maximum\":3,\"exclusiveMaximum\":true,\"minimum\":1,\"exclusiveMinimum\":true}",
         "/exclusiveMaximum /exclusiveMinimum", 0},
        {"two upper bounds to draft-04", D6, D4,
         "{\"allOf\":[{\"maximum\":3,\"exclusiveMaximum\":3},{\"maximum\":2,\"exclusiveMaximum\":3},{\"exclusiveMaximum\":1,\"maximum\":2}]}",
         "{\"allOf\":[{\"maximum\":3,\"exclusiveMaximum\":true},{\"maximum\":2},{\"maximum\":1,\"exclusiveMaximum\":true}]}",
         "/allOf/0/exclusiveMaximum /allOf/1/exclusiveMaximum /allOf/2/exclusiveMaximum", 0},
        {"two lower bounds to draft-04", D6, D4,
         "{\"allOf\":[{\"minimum\":3,\"exclusiveMinimum\":3},{\"minimum\":4,\"exclusiveMinimum\":3},{\"exclusiveMinimum\":1,\"minimum\":0.5},{\"minimum\":7}]}",
         "{\"allOf\":[{\"minimum\":3,\"exclusiveMinimum\":true},{\"minimum\":4},{\"minimum\":1,\"exclusiveMinimum\":true},{\"minimum\":7}]}",
         "/allOf/0/exclusiveMinimum /allOf/1/exclusiveMinimum /allOf/2/exclusiveMinimum", 0},
        {"const to enum", D6, D4, "{\"const\":{\"a\":1},\"items\":{\"const\":1,\"enum\":[1,2]}}",
         "{\"enum\":[{\"a\":1}],\"items\":{\"allOf\":[{\"enum\":[1]}],\"enum\":[1,2]}}",
         "/const /items/const", 0},
        {"const stays", D6, D2020, "{\"const\":1}", "{\"const\":1}", "", 0},
        {"enum with a value twice", D2020, D6,
         "{\"enum\":[1,1.0,\"a\",\"a\",{}],\"items\":{\"enum\":[]}}",
         "{\"enum\":[1,\"a\",{}],\"items\":{\"allOf\":[{\"not\":{}}]}}", "/enum /items/enum", 0},
        {"enum stays", D2020, D7, "{\"enum\":[]}", "{\"enum\":[]}", "", 0},
        {"counts of draft-04", D7, D4,
         "{\"minLength\":2.0,\"maxItems\":1e1,\"maxProperties\":1e30,\"minItems\":3}",
         "{\"minLength\":2,\"maxItems\":10,\"maxProperties\":18446744073709551615,\"minItems\":3}",
         "/minLength /maxItems /maxProperties", 0},
        {"integer", D4, D7,
         "{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":[\"null\",\"integer\"]}}}",
         "{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":[\"null\",\"integer\"]}}}",
         "!/properties/a/type", 0},
        {"integer in a list", D7, D4, "{\"type\":[\"null\",\"integer\"]}",
         "{\"type\":[\"null\",\"integer\"]}", "!/type", 0},
        {"number", D7, D4, "{\"type\":\"number\"}", "{\"type\":\"number\"}", "", 0},
        {"required of nothing", D7, D4, "{\"required\":[],\"items\":{\"required\":[\"a\"]}}",
         "{\"items\":{\"required\":[\"a\"]}}", "/required", 0},
        {"booleans to draft-04", D7, D4,
         "{\"items\":true,\"additionalProperties\":false,\"additionalItems\":true,\"properties\":{\"a\":false},\"not\":false}",
         "{\"items\":{},\"additionalProperties\":false,\"additionalItems\":true,\"properties\":{\"a\":{\"not\":{}}},\"not\":{\"not\":{}}}",
         "/items /properties/a /not", 0},
        {"$ref with siblings to draft-07", D2019, D7,
         "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\",\"description\":\"d\"},\"b\":{\"$ref\":\"#/$defs/n\"}},\"$defs\":{\"n\":{\"type\":\"null\"}}}",
         "{\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#/definitions/n\"}],\"description\":\"d\"},\"b\":{\"$ref\":\"#/definitions/n\"}},\"definitions\":{\"n\":{\"type\":\"null\"}}}",
         "/properties/a/$ref /$defs", 0},
        {"$ref beside allOf", D2020, D4, "{\"$ref\":\"#/allOf/0\",\"allOf\":[{\"type\":\"null\"}]}",
         "{\"allOf\":[{\"$ref\":\"#/allOf/1\"},{\"type\":\"null\"}]}", "/$ref", 0},
        {"$ref alone with $schema", D2020, D7,
         "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$ref\":\"#\"}",
         "{\"$ref\":\"#\"}", "", 0},
        {"$ref that hid its siblings", D7, D2020,
         "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"http://hidden/\",\"$ref\":\"#/definitions/n\",\"type\":\"string\",\"description\":\"d\",\"x\":1,\"definitions\":{\"n\":{\"$id\":\"#n\",\"$ref\":\"#/definitions/m\",\"default\":1},\"m\":{}}}",
         "{\"$ref\":\"#/$defs/n\",\"description\":\"d\",\"x\":1,\"$defs\":{\"n\":{\"$ref\":\"#/$defs/m\"},\"m\":{}}}",
         "/type /definitions /definitions/n/default", 0},
        {"$ref that hides its siblings still", D7, D4,
         "{\"items\":{\"$id\":\"#a\",\"$ref\":\"#/definitions/n\",\"const\":1,\"propertyNames\":{\"maxLength\":1}},\"definitions\":{\"n\":{}}}",
         "{\"items\":{\"id\":\"#a\",\"$ref\":\"#/definitions/n\",\"enum\":[1]},\"definitions\":{\"n\":{}}}",
         "", 0},
        {"a reference to what was hidden", D7, D2020,
         "{\"$ref\":\"#/properties/a\",\"properties\":{\"a\":{\"type\":\"null\"}}}",
         "{\"$ref\":\"#/$defs/properties\",\"$defs\":{\"properties\":{\"type\":\"null\"}}}",
         "/properties", 0},
        {"references to what is left out", D2020, D4,
         "{\"allOf\":[{\"$ref\":\"#/unevaluatedProperties/items\"},{\"$ref\":\"#/propertyNames\"}],\"unevaluatedProperties\":{\"items\":{\"const\":1}},\"propertyNames\":{\"maxLength\":1},\"x-propertyNames\":2,\"additionalProperties\":true}",
         "{\"allOf\":[{\"$ref\":\"#/definitions/unevaluatedProperties/items\"},{\"$ref\":\"#/definitions/propertyNames\"}],\"definitions\":{\"unevaluatedProperties\":{\"items\":{\"enum\":[1]}},\"propertyNames\":{\"maxLength\":1}},\"x-propertyNames\":2,\"additionalProperties\":true}",
         "!/unevaluatedProperties /unevaluatedProperties/items/const !/propertyNames", 0},
        {"a reference into a value", D7, D2020,
         "{\"$ref\":\"#/default\",\"default\":{\"items\":[{}]}}",
         "{\"$ref\":\"#/x-default\",\"x-default\":{\"prefixItems\":[{}]}}",
         "/default /default/items", 0},
        {"a reference into a value that stays", D7, D2020,
         "{\"items\":{\"$ref\":\"#/default\"},\"default\":{\"items\":[{}]}}",
         "{\"items\":{\"$ref\":\"#/default\"},\"default\":{\"items\":[{}]}}", "!/items/$ref", 0},
        {"references elsewhere", D7, D2020,
         "{\"allOf\":[{\"$ref\":\"http://x/y#/definitions/a\"},{\"$ref\":\"http://json-schema.org/draft-07/schema#\"},{\"$ref\":\"#/nowhere\"}]}",
         "{\"allOf\":[{\"$ref\":\"http://x/y#/definitions/a\"},{\"$ref\":\"http://json-schema.org/draft-07/schema#\"},{\"$ref\":\"#/nowhere\"}]}",
         "", 0},
        {"a URI and a way", D7, D2020,
         "{\"$id\":\"http://x/y\",\"items\":{\"$ref\":\"y#/definitions/a\"},\"definitions\":{\"a\":{\"$id\":\"/in\",\"definitions\":{\"b\":{\"$ref\":\"#/definitions/b\"}}},\"c\":{\"$ref\":\"/in#/definitions/b\"},\"d\":{\"$ref\":\"y#/definitions/a/definitions/b\"}}}",
         "{\"$id\":\"http://x/y\",\"items\":{\"$ref\":\"y#/$defs/a\"},\"$defs\":{\"a\":{\"$id\":\"/in\",\"$defs\":{\"b\":{\"$ref\":\"#/$defs/b\"}}},\"c\":{\"$ref\":\"/in#/$defs/b\"},\"d\":{\"$ref\":\"y#/$defs/a/$defs/b\"}}}",
         "/definitions /definitions/a/definitions", 0},
        {"a way that must be escaped", D7, D2020,
         "{\"$ref\":\"#/definitions/a%20%22b~0~1%C3%A9\",\"definitions\":{\"a \\\"b~/é\":{}}}",
         "{\"$ref\":\"#/$defs/a%20%22b~0~1%C3%A9\",\"$defs\":{\"a \\\"b~/é\":{}}}", "/definitions",
         0},
        {"if to draft-06", D7, D6,
         "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":{\"type\":\"null\"}}",
         "{\"allOf\":[{\"anyOf\":[{\"not\":{\"type\":\"string\"}},{\"minLength\":1}]},{\"anyOf\":[{\"$ref\":\"#/allOf/0/anyOf/0/not\"},{\"type\":\"null\"}]}]}",
         "/if", 0},
        {"if in if to draft-04", D7, D4,
         "{\"if\":{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":false},\"then\":{\"maxLength\":1},\"else\":{\"type\":\"null\"}}",
         "{\"allOf\":[{\"anyOf\":[{\"not\":{\"allOf\":[{\"anyOf\":[{\"not\":{\"type\":\"string\"}},{\"minLength\":1}]},{\"anyOf\":[{\"$ref\":\"#/allOf/0/anyOf/0/not/allOf/0/anyOf/0/not\"},{\"not\":{}}]}]}},{\"maxLength\":1}]},{\"anyOf\":[{\"$ref\":\"#/allOf/0/anyOf/0/not\"},{\"type\":\"null\"}]}]}",
         "/if /if/if /if/else", 0},
        {"if and then", D7, D6,
         "{\"allOf\":[{}],\"if\":{\"const\":1},\"then\":{\"$ref\":\"#/if\"}}",
         "{\"allOf\":[{},{\"anyOf\":[{\"not\":{\"const\":1}},{\"$ref\":\"#/allOf/1/anyOf/0/not\"}]}]}",
         "/if", 0},
        {"if and else", D7, D6, "{\"else\":{\"$ref\":\"#/if\"},\"if\":{\"const\":1}}",
         "{\"allOf\":[{\"anyOf\":[{\"const\":1},{\"$ref\":\"#/allOf/0/anyOf/0\"}]}]}", "/if", 0},
        {"if alone", D7, D6, "{\"if\":{\"const\":1},\"items\":{\"$ref\":\"#/if\"}}",
         "{\"definitions\":{\"if\":{\"const\":1}},\"items\":{\"$ref\":\"#/definitions/if\"}}",
         "/if", 0},
        {"then and else alone", D7, D6,
         "{\"then\":{\"const\":1},\"else\":{\"const\":2},\"definitions\":{\"then\":{}},\"items\":{\"$ref\":\"#/then\"}}",
         "{\"definitions\":{\"then\":{\"const\":1},\"else\":{\"const\":2},\"then-2\":{}},\"items\":{\"$ref\":\"#/definitions/then\"}}",
         "/then /else", 0},
        {"if stays", D2020, D7, "{\"if\":{\"const\":1},\"then\":false,\"else\":true}",
         "{\"if\":{\"const\":1},\"then\":false,\"else\":true}", "", 0},
        {"if of a boolean", D7, D6, "{\"if\":true,\"then\":{\"const\":1},\"else\":{\"const\":2}}",
         "{\"allOf\":[{\"anyOf\":[{\"not\":true},{\"const\":1}]},{\"anyOf\":[{\"$ref\":\"#/allOf/0/anyOf/0/not\"},{\"const\":2}]}]}",
         "/if", 0},
        {"contains to draft-04", D6, D4, "{\"contains\":{\"type\":\"null\"}}",
         "{\"not\":{\"type\":\"array\",\"items\":{\"not\":{\"type\":\"null\"}}}}", "/contains", 0},
        {"contains beside not", D6, D4,
         "{\"not\":{\"type\":\"string\"},\"contains\":{\"const\":1}}",
         "{\"not\":{\"type\":\"string\"},\"allOf\":[{\"not\":{\"type\":\"array\",\"items\":{\"not\":{\"enum\":[1]}}}}]}",
         "/contains /contains/const", 0},
        {"contains with bounds", D2019, D7,
         "{\"allOf\":[{\"contains\":{},\"minContains\":1},{\"contains\":{},\"minContains\":0},{\"contains\":{},\"minContains\":2},{\"contains\":{},\"maxContains\":2},{\"contains\":{},\"minContains\":0,\"maxContains\":1},{\"minContains\":2,\"maxContains\":3},{\"contains\":{},\"minContains\":1e40}]}",
         "{\"allOf\":[{\"contains\":{}},{\"definitions\":{\"contains\":{}}},{\"contains\":{}},{\"contains\":{}},{\"definitions\":{\"contains\":{}}},{},{\"contains\":{}}]}",
         "/allOf/0/minContains /allOf/1/contains /allOf/1/minContains !/allOf/2/minContains !/allOf/3/maxContains /allOf/4/contains /allOf/4/minContains !/allOf/4/maxContains /allOf/5/minContains /allOf/5/maxContains !/allOf/6/minContains",
         0},
        {"contains with bounds stays", D2020, D2019,
         "{\"contains\":{},\"minContains\":0,\"maxContains\":2}",
         "{\"contains\":{},\"minContains\":0,\"maxContains\":2}", "", 0},
        {"propertyNames to draft-04", D6, D4,
         "{\"allOf\":[{\"propertyNames\":{\"maxLength\":1}},{\"propertyNames\":false},{\"propertyNames\":true}]}",
         "{\"allOf\":[{},{\"allOf\":[{\"maxProperties\":0}]},{}]}",
         "!/allOf/0/propertyNames /allOf/1/propertyNames /allOf/2/propertyNames", 0},
        {"propertyNames stays", D6, D7, "{\"propertyNames\":{\"maxLength\":1}}",
         "{\"propertyNames\":{\"maxLength\":1}}", "", 0},
        {"unevaluatedProperties as additionalProperties", D2019, D4,
         "{\"properties\":{\"a\":{}},\"unevaluatedProperties\":false}",
         "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "/unevaluatedProperties", 0},
        {"unevaluatedProperties beside additionalProperties", D2020, D7,
         "{\"additionalProperties\":{\"type\":\"null\"},\"unevaluatedProperties\":false}",
         "{\"additionalProperties\":{\"type\":\"null\"}}", "/unevaluatedProperties", 0},
        {"unevaluatedProperties of nothing", D2020, D7,
         "{\"allOf\":[{}],\"unevaluatedProperties\":true}", "{\"allOf\":[{}]}",
         "/unevaluatedProperties", 0},
        {"unevaluatedProperties lost", D2020, D7,
         "{\"allOf\":[{\"properties\":{\"a\":{}}}],\"unevaluatedProperties\":false}",
         "{\"allOf\":[{\"properties\":{\"a\":{}}}]}", "!/unevaluatedProperties", 0},
        {"unevaluatedItems of 2020-12", D2020, D7,
         "{\"allOf\":[{\"unevaluatedItems\":false},{\"prefixItems\":[{}],\"unevaluatedItems\":{\"type\":\"null\"}},{\"items\":{},\"unevaluatedItems\":false},{\"contains\":{},\"unevaluatedItems\":false},{\"$ref\":\"#/$defs/a\",\"unevaluatedItems\":false}],\"$defs\":{\"a\":{}}}",
         "{\"allOf\":[{\"items\":false},{\"items\":[{}],\"additionalItems\":{\"type\":\"null\"}},{\"items\":{}},{\"contains\":{}},{\"allOf\":[{\"$ref\":\"#/definitions/a\"}]}],\"definitions\":{\"a\":{}}}",
         "/allOf/0/unevaluatedItems /allOf/1/prefixItems /allOf/1/unevaluatedItems /allOf/2/unevaluatedItems !/allOf/3/unevaluatedItems /allOf/4/$ref !/allOf/4/unevaluatedItems /$defs",
         0},
        {"unevaluatedItems of 2019-09", D2019, D7,
         "{\"allOf\":[{\"unevaluatedItems\":false},{\"items\":[{}],\"unevaluatedItems\":{\"type\":\"null\"}},{\"items\":{},\"unevaluatedItems\":false},{\"items\":[{}],\"additionalItems\":{},\"unevaluatedItems\":false},{\"contains\":{},\"unevaluatedItems\":false}]}",
         "{\"allOf\":[{\"items\":false},{\"items\":[{}],\"additionalItems\":{\"type\":\"null\"}},{\"items\":{}},{\"items\":[{}],\"additionalItems\":{}},{\"contains\":{},\"items\":false}]}",
         "/allOf/0/unevaluatedItems /allOf/1/unevaluatedItems /allOf/2/unevaluatedItems /allOf/3/unevaluatedItems /allOf/4/unevaluatedItems",
         0},
        {"unevaluatedItems and contains", D2019, D2020,
         "{\"contains\":{},\"unevaluatedItems\":false}",
         "{\"contains\":{},\"unevaluatedItems\":false}", "!/unevaluatedItems", 0},
        {"unevaluatedItems without contains", D2019, D2020,
         "{\"unevaluatedItems\":{\"$ref\":\"#\"},\"unevaluatedProperties\":false}",
         "{\"unevaluatedItems\":{\"$ref\":\"#\"},\"unevaluatedProperties\":false}", "", 0},
        {"format of v1", D2020, DV1, "{\"allOf\":[{\"format\":\"date\"},{\"format\":\"unknown\"}]}",
         "{\"allOf\":[{\"format\":\"date\"},{\"format\":\"unknown\"}]}", "!/allOf/0/format", 0},
        {"format that is not known yet", D2020, D7,
         "{\"format\":\"uuid\",\"items\":{\"format\":\"date\"}}",
         "{\"format\":\"uuid\",\"items\":{\"format\":\"date\"}}", "!/format", 0},
        {"format that is known later", D4, D2020, "{\"format\":\"date\"}", "{\"format\":\"date\"}",
         "!/format", 0},
        {"content to draft-06", D2019, D6,
         "{\"contentEncoding\":\"base64\",\"contentMediaType\":\"application/json\",\"contentSchema\":{\"const\":1}}",
         "{\"contentEncoding\":\"base64\",\"contentMediaType\":\"application/json\",\"contentSchema\":{\"const\":1}}",
         "!/contentEncoding !/contentMediaType !/contentSchema", 0},
        {"content to draft-07", D2019, D7,
         "{\"contentEncoding\":\"base64\",\"contentSchema\":{\"prefixItems\":1,\"$defs\":{}}}",
         "{\"contentEncoding\":\"base64\",\"contentSchema\":{\"prefixItems\":1,\"definitions\":{}}}",
         "!/contentSchema /contentSchema/$defs", 0},
        {"notes stay", D2020, D4,
         "{\"$comment\":\"c\",\"examples\":[1],\"readOnly\":true,\"writeOnly\":false,\"deprecated\":true}",
         "{\"$comment\":\"c\",\"examples\":[1],\"readOnly\":true,\"writeOnly\":false,\"deprecated\":true}",
         "", 0},
        {"$vocabulary", D2019, D2020,
         "{\"$vocabulary\":{\"https://json-schema.org/draft/2019-09/vocab/core\":true}}", "{}",
         "!/$vocabulary", 0},
        {"$vocabulary stays", D2019, D2019,
         "{\"$vocabulary\":{\"https://json-schema.org/draft/2019-09/vocab/core\":true}}",
         "{\"$vocabulary\":{\"https://json-schema.org/draft/2019-09/vocab/core\":true}}", "", 0},
        {"unknown keywords that would mean something", D4, D2020,
         "{\"const\":1,\"$id\":\"x\",\"if\":2,\"$anchor\":3,\"examples\":[1],\"deprecated\":1,\"readOnly\":true,\"$comment\":\"c\",\"x-const\":4}",
         "{\"x-x-const\":1,\"x-$id\":\"x\",\"x-if\":2,\"x-$anchor\":3,\"examples\":[1],\"x-deprecated\":1,\"readOnly\":true,\"$comment\":\"c\",\"x-const\":4}",
         "/const /$id /if /$anchor /deprecated", 0},
        {"unknown keywords that mean nothing", D7, D2019,
         "{\"foo\":{\"const\":1},\"prefixItems\":[]}", "{\"foo\":{\"const\":1},\"prefixItems\":[]}",
         "", 0},
        {"id in newer drafts", D7, D4, "{\"id\":\"x\",\"properties\":{\"id\":{\"type\":\"null\"}}}",
         "{\"x-id\":\"x\",\"properties\":{\"id\":{\"type\":\"null\"}}}", "/id", 0},
        {"unknown keywords in v1", D2020, DV1, "{\"foo\":1,\"x-bar\":2,\"additionalItems\":false}",
         "{\"x-foo\":1,\"x-bar\":2,\"x-additionalItems\":false}", "/foo /additionalItems", 0},
        {"keywords that 2020-12 keeps from use", D2020, D2019,
         "{\"$recursiveRef\":\"#\",\"$recursiveAnchor\":\"a\"}",
         "{\"x-$recursiveRef\":\"#\",\"x-$recursiveAnchor\":\"a\"}",
         "/$recursiveRef /$recursiveAnchor", 0},
        {"schemas in unknown keywords", D7, D2020,
         "{\"allOf\":[{\"$ref\":\"#/foo/bar/1/x\"},{\"$ref\":\"#/foo/baz\"},{\"$ref\":\"#/foo/bar/0\"}],\"foo\":{\"bar\":[{\"items\":[{}]},{\"x\":{\"items\":[{\"$ref\":\"#/if\"}]},\"items\":[1]},3],\"baz\":{\"definitions\":{\"a\":{}}},\"z\":1},\"if\":{\"const\":1}}",
         "{\"allOf\":[{\"$ref\":\"#/foo/bar/1/x\"},{\"$ref\":\"#/foo/baz\"},{\"$ref\":\"#/foo/bar/0\"}],\"foo\":{\"bar\":[{\"prefixItems\":[{}]},{\"x\":{\"prefixItems\":[{\"$ref\":\"#/if\"}]},\"items\":[1]},3],\"baz\":{\"$defs\":{\"a\":{}}},\"z\":1},\"if\":{\"const\":1}}",
         "/foo/bar/0/items /foo/bar/1/x/items /foo/baz/definitions", 0},
        {"schemas in unknown keywords that would mean something", D6, D7,
         "{\"$ref\":\"#/if/a\",\"definitions\":{\"x\":{\"$ref\":\"#/if/a\"}},\"if\":{\"a\":{\"type\":\"null\"}}}",
         "{\"$ref\":\"#/x-if/a\",\"definitions\":{\"x\":{\"$ref\":\"#/x-if/a\"}},\"x-if\":{\"a\":{\"type\":\"null\"}}}",
         "", 0},
        {"recursion to 2020-12", D2019, D2020,
         "{\"$id\":\"http://x/\",\"$recursiveAnchor\":true,\"properties\":{\"a\":{\"$recursiveRef\":\"#\"},\"b\":{\"$anchor\":\"recursive\"}},\"$defs\":{\"c\":{\"$id\":\"c\",\"$recursiveRef\":\"#\",\"$ref\":\"#/$defs/d\",\"$defs\":{\"d\":{}}}}}", "{\"$id\":\"http://x/\",\"$dynamicAnchor\":\"recursive-2\",\"properties\":{\"a\":{\"$dynamicRef\":\"#recursive-2\"},\"b\":{\"$anchor\":\"recursive\"}},\"$defs\":{\"c\":{\"$id\":\"c\",\"$ref\":\"#\",\"allOf\":[{\"$ref\":\"#/$defs/d\"}],\"$defs\":{\"d\":{}}}}}",
         "/properties/a/$recursiveRef", 0},
        {"recursion to draft-07", D2019, D7,
         "{\"$recursiveAnchor\":true,\"properties\":{\"a\":{\"$recursiveRef\":\"#\"},\"b\":{\"$recursiveRef\":\"#\",\"title\":\"t\"}}}",
         "{\"properties\":{\"a\":{\"$ref\":\"#\"},\"b\":{\"allOf\":[{\"$ref\":\"#\"}],\"title\":\"t\"}}}",
         "/properties/a/$recursiveRef /properties/b/$recursiveRef /properties/b/$recursiveRef", 0},
        {"recursion of two to draft-07", D2019, D7,
         "{\"$id\":\"http://x/\",\"$recursiveAnchor\":true,\"items\":{\"$id\":\"y\",\"$recursiveAnchor\":true,\"items\":{\"$recursiveRef\":\"#\"}}}",
         "{\"$id\":\"http://x/\",\"items\":{\"$id\":\"y\",\"items\":{\"$ref\":\"#\"}}}",
         "!/items/items/$recursiveRef", 0},
        {"recursion with something outside", D2019, D2020,
         "{\"$recursiveAnchor\":true,\"items\":{\"$recursiveRef\":\"#\"},\"not\":{\"$ref\":\"http://x/y\"}}",
         "{\"$dynamicAnchor\":\"recursive\",\"items\":{\"$ref\":\"#\"},\"not\":{\"$ref\":\"http://x/y\"}}",
         "!/items/$recursiveRef", 0},
        {"recursion stays", D2019, D2019,
         "{\"$recursiveAnchor\":true,\"items\":{\"$recursiveRef\":\"#\"}}",
         "{\"$recursiveAnchor\":true,\"items\":{\"$recursiveRef\":\"#\"}}", "", 0},
        {"$dynamicRef of one anchor to 2019-09", D2020, D2019,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "{\"items\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\"}}}",
         "/items/$dynamicRef", 0},
        {"$dynamicRef of roots to 2019-09", D2020, D2019,
         "{\"$id\":\"http://x/\",\"$dynamicAnchor\":\"a\",\"items\":{\"$id\":\"y\",\"$dynamicAnchor\":\"a\",\"items\":{\"$dynamicRef\":\"#a\"}}}",
         "{\"$id\":\"http://x/\",\"$anchor\":\"a\",\"$recursiveAnchor\":true,\"items\":{\"$id\":\"y\",\"$anchor\":\"a\",\"$recursiveAnchor\":true,\"items\":{\"$recursiveRef\":\"#\"}}}",
         "/items/items/$dynamicRef", 0},
        {"$dynamicRef of several to 2019-09", D2020, D2019,
         "{\"$id\":\"http://x/\",\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}},\"items\":{\"$id\":\"y\",\"$dynamicAnchor\":\"a\",\"items\":{\"$dynamicRef\":\"#a\"}}}",
         "{\"$id\":\"http://x/\",\"$defs\":{\"a\":{\"$anchor\":\"a\"}},\"items\":{\"$id\":\"y\",\"$anchor\":\"a\",\"items\":{\"$ref\":\"#a\"}}}",
         "!/items/items/$dynamicRef", 0},
        {"$dynamicRef to draft-07", D2020, D7,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\",\"$anchor\":\"b\"}}}",
         "{\"items\":{\"$ref\":\"#/definitions/a\"},\"definitions\":{\"a\":{\"$id\":\"#b\"}}}",
         "/items/$dynamicRef /$defs /$defs/a", 0},
        {"$dynamicRef that is none", D2020, D7,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"not\":{\"$dynamicRef\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\"}}}",
         "{\"items\":{\"$ref\":\"#a\"},\"not\":{\"$ref\":\"#/definitions/a\"},\"definitions\":{\"a\":{\"$id\":\"#a\"}}}",
         "/$defs /$defs/a", 0},
        {"$dynamicRef stays", D2020, D2020,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}", "",
         0},
        {"$dynamicRef to v1", D2020, DV1,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"not\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "", 0},
        {"$dynamicRef elsewhere to v1", D2020, DV1,
         "{\"$id\":\"http://x/\",\"items\":{\"$dynamicRef\":\"y#a\"},\"$defs\":{\"y\":{\"$id\":\"y\",\"$dynamicAnchor\":\"a\"}}}",
         "{\"$id\":\"http://x/\",\"items\":{\"$ref\":\"y\"},\"$defs\":{\"y\":{\"$id\":\"y\",\"$dynamicAnchor\":\"a\"}}}",
         "/items/$dynamicRef", 0},
        {"$dynamicRef to nowhere", D2020, D7, "{\"items\":{\"$dynamicRef\":\"http://x/y#a\"}}",
         "{\"items\":{\"$ref\":\"http://x/y#a\"}}", "!/items/$dynamicRef", 0},
        {"$dynamicRef of v1", DV1, D2020,
         "{\"items\":{\"$dynamicRef\":\"a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}", "",
         0},
        {"$dynamicRef of v1 to another resource", DV1, D2020,
         "{\"$id\":\"http://x/\",\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}},\"items\":{\"$id\":\"y\",\"items\":{\"$dynamicRef\":\"#a\"}}}",
         "{\"$id\":\"http://x/\",\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}},\"items\":{\"$id\":\"y\",\"items\":{\"$ref\":\"http://x/#/$defs/a\"}}}",
         "/items/items/$dynamicRef", 0},
        {"$dynamicRef of v1 to nothing", DV1, D2020, "{\"items\":{\"$dynamicRef\":\"#a\"}}",
         "{\"items\":{}}", "!/items/$dynamicRef", 0},
        {"$dynamicRef of v1 to draft-07", DV1, D7,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "{\"items\":{\"$ref\":\"#/definitions/a\"},\"definitions\":{\"a\":{\"$id\":\"#a\"}}}",
         "/items/$dynamicRef /$defs /$defs/a", 0},
        {"$dynamicRef of v1 stays", DV1, DV1,
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}",
         "{\"items\":{\"$dynamicRef\":\"#a\"},\"$defs\":{\"a\":{\"$dynamicAnchor\":\"a\"}}}", "",
         0},
        {"propertyDependencies", DV1, D2020,
         "{\"propertyDependencies\":{\"a\":{\"b\":{\"required\":[\"c\"]},\"d\":false}}}",
         "{\"allOf\":[{\"if\":{\"not\":{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"enum\":[\"b\"]}}}},\"else\":{\"required\":[\"c\"]}},{\"if\":{\"not\":{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"enum\":[\"d\"]}}}},\"else\":false}]}",
         "/propertyDependencies", 0},
        {"propertyDependencies to draft-06", DV1, D6,
         "{\"propertyDependencies\":{\"a\":{\"b\":{\"$ref\":\"#/propertyDependencies/a/d\"},\"d\":{}}}}",
         "{\"allOf\":[{\"anyOf\":[{\"not\":{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"enum\":[\"b\"]}}}},{\"$ref\":\"#/allOf/1/anyOf/1\"}]},{\"anyOf\":[{\"not\":{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"enum\":[\"d\"]}}}},{}]}]}",
         "/propertyDependencies", 0},
        {"propertyDependencies stays", DV1, DV1,
         "{\"propertyDependencies\":{\"a\":{\"b\":{\"$ref\":\"#\"}}}}",
         "{\"propertyDependencies\":{\"a\":{\"b\":{\"$ref\":\"#\"}}}}", "", 0},
        {"several dialects in one document", D2020, D7,
         "{\"$id\":\"http://x/\",\"items\":{\"$ref\":\"y\"},\"$defs\":{\"y\":{\"$id\":\"y\",\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"id\":\"http://x/y\",\"maximum\":1,\"exclusiveMaximum\":true}}}",
         "{\"$id\":\"http://x/\",\"items\":{\"$ref\":\"y\"},\"definitions\":{\"y\":{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"http://x/y\",\"x-$id\":\"y\",\"exclusiveMaximum\":1}}}",
         "/$defs /$defs/y/$id /$defs/y/id /$defs/y/exclusiveMaximum", 0},
        {"deep", D7, D2020,
         "{\"items\":[{\"items\":[{\"properties\":{\"a\":{\"dependencies\":{\"b\":{\"definitions\":{\"c\":{\"$ref\":\"#/items/0/items/0/properties/a\"}}}}}}}]}]}",
         "{\"prefixItems\":[{\"prefixItems\":[{\"properties\":{\"a\":{\"dependentSchemas\":{\"b\":{\"$defs\":{\"c\":{\"$ref\":\"#/prefixItems/0/prefixItems/0/properties/a\"}}}}}}}]}]}",
         "/items /items/0/items /items/0/items/0/properties/a/dependencies /items/0/items/0/properties/a/dependencies/b/definitions",
         0},
};

static fer_str pointers(fer_arena *a, const fer_schema_change *changes, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(&b, "%s%s%.*s", i ? " " : "", changes[i].lost ? "!" : "",
                       FER_PRI(changes[i].pointer));
        assert_true(changes[i].message.len > 10);
    }
    return b.len ? fer_buf_view(&b) : FER_STR("");
}

static fer_str with_schema(fer_arena *a, const struct row *row)
{
    fer_str text = fer_str_of(row->converted);
    if (text.ptr[0] != '{') return text;
    bool old = row->to < FER_DIALECT_2019_09;
    return fer_arena_printf(a, "{\"$schema\":\"%s%s\"%s%.*s", fer_dialect_uri(row->to),
                            old ? "#" : "", text.len > 2 ? "," : "",
                            FER_PRI(fer_str_slice(text, 1, text.len)));
}

struct attempt {
    const struct row *row;
    const fer_json *doc;
    fer_str expected;
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct attempt *t = context;
    fer_str out = {"keep", 4};
    fer_schema_change *changes = NULL;
    size_t count = 77;
    fer_err err;
    fer_code code =
        fer_schema_convert(a, t->doc, t->row->from, t->row->to, &out, &changes, &count, &err);
    if (code) {
        assert_int_equal(err.code, code);
        assert_str(out, "keep");
        assert_int_equal(count, 77);
        return code == t->row->code ? FER_OK : code;
    }
    fer_arena *mine = fer_arena_new(0);
    if (!fer_str_eq(out, t->expected))
        fail_msg("\nexpected %.*s\n     but %.*s", FER_PRI(t->expected), FER_PRI(out));
    assert_str(pointers(mine, changes, count), t->row->changes);
    fer_arena_free(mine);
    return FER_OK;
}

static void converts(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err;
    if (fer_json_read(a, fer_str_of(row->schema), NULL, &doc, &err)) fail_msg("%s", err.message);
    struct attempt t = {row, doc, row->converted ? with_schema(a, row) : FER_STR("")};
    fer_arena *mine = fer_arena_new(0);
    fer_code code = attempt(mine, &t);
    if (row->converted && !code) {
        fer_schema *s;
        const fer_schema_options options = {.dialect = row->to};
        /* External references are nobody's fault, and what is lost may be needed. */
        code = fer_schema_compile(t.expected, &options, &s, &err);
        if (!code) fer_schema_unref(s);
        else if (code != FER_EXTERNAL_REF && !strchr(row->changes, '!'))
            fail_msg("%s", err.message);
    } else {
        assert_int_equal(code, FER_OK);
    }
    fer_arena_free(mine);
    rows_torture_arena(attempt, &t);
    fer_arena_free(a);
}

static void no_dialect(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_str out;
    fer_schema_change *changes;
    size_t count;
    fer_err err;
    assert_int_equal(fer_json_read(a, FER_STR("{}"), NULL, &doc, &err), FER_OK);
    assert_int_equal(fer_schema_convert(a, doc, D7, (fer_dialect)3, &out, &changes, &count, &err),
                     FER_BAD_USAGE);
    assert_non_null(strstr(err.message, "no dialect 3"));
    assert_int_equal(fer_schema_convert(a, doc, (fer_dialect)5, D7, &out, &changes, &count, &err),
                     FER_BAD_USAGE);
    assert_non_null(strstr(err.message, "no dialect 5"));
    fer_arena_free(a);
}

/* Conditions in conditions: what is written twice would double at each level. */
static void nothing_doubles(void)
{
    enum {
        LEVELS = 40
    };
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_buf b;
    fer_str out;
    fer_schema_change *changes;
    size_t count;
    fer_err err;
    fer_buf_init(&b, a, 1 << 20);
    for (int i = 0; i < LEVELS; i++) fer_buf_add_text(&b, "{\"if\":");
    fer_buf_add_text(&b, "{\"const\":1}");
    for (int i = 0; i < LEVELS; i++) {
        fer_buf_add_text(&b, ",\"then\":{\"minimum\":1},\"else\":{\"type\":\"null\"}}");
    }
    rows_must_end(20);
    if (fer_json_read(a, fer_buf_view(&b), fer_json_limits_file(), &doc, &err))
        fail_msg("%s", err.message);
    assert_int_equal(fer_schema_convert(a, doc, D7, D4, &out, &changes, &count, &err), FER_OK);
    rows_must_end(0);
    if (out.len > LEVELS * 2000) fail_msg("%zu bytes", out.len);
    fer_arena_free(a);
}

/* ---- the official suite -------------------------------------------------- */

static const struct dialect {
    const char *folder;
    fer_dialect dialect;
} dialects[] = {{"draft4", D4},          {"draft6", D6},          {"draft7", D7},
                {"draft2019-09", D2019}, {"draft2020-12", D2020}, {"v1", DV1}};

struct tally_of {
    size_t cases, kept, tests, wrong;
};

/* 1.0 is a change of its own: where nothing else was lost, values without such numbers count. */
static bool only_integers(const fer_schema_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (changes[i].lost && !fer_str_starts(changes[i].message, "1.0 is an integer"))
            return false;
    }
    return true;
}

static bool has_point(const yyjson_val *v)
{
    for (const yyjson_val *at = v, *end = fer_val_next(v); at < end; at++) {
        if (fer_val_is(at, YYJSON_TYPE_NUM) && fer_val_tag(at) == FER_TAG_REAL) return true;
        if (fer_val_is(at, YYJSON_TYPE_RAW)) return true;
    }
    return false;
}

struct checking {
    const char *path;
    fer_str group;
    fer_dialect from, to;
    bool back;
    struct tally_of *tally;
};

/* All that is wrong is shown before the test fails. */
static void wrong(const struct checking *c, fer_str test, const char *what, fer_str text)
{
    c->tally->wrong++;
    print_error("%s: %.*s: %.*s: %s -> %s%s: %s: %.*s\n", c->path, FER_PRI(c->group), FER_PRI(test),
                fer_dialect_name(c->from), fer_dialect_name(c->to), c->back ? " and back" : "",
                what, FER_PRI(text));
}

static fer_schema *compile(const struct checking *c, fer_str text, fer_dialect dialect)
{
    fer_schema *s = NULL;
    fer_err err;
    const fer_schema_options options = {.dialect = dialect};
    if (fer_schema_compile(text, &options, &s, &err)) wrong(c, FER_STR(""), err.message, text);
    return s;
}

static void same_verdicts(const struct checking *c, fer_str text, fer_dialect dialect,
                          const yyjson_val *tests, bool any_number)
{
    fer_schema *s = compile(c, text, dialect);
    if (!s) return;
    fer_arena *a = fer_arena_new(0);
    FER_EACH_ITEM (tests, test) {
        fer_err err;
        const yyjson_val *data = fer_val_get(test, "data");
        bool valid, expected = fer_is_true(fer_val_get(test, "valid"));
        if (!any_number && has_point(data)) continue;
        fer_code code = fer_schema_accepts(s, a, data, &valid, &err);
        if (code || valid != expected) {
            wrong(c, suite_description(test), code ? err.message : "another verdict", text);
        }
        c->tally->tests++;
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

static bool has_remotes(const yyjson_val *schema)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text;
    assert_int_equal(fer_json_write(a, schema, false, &text, NULL), FER_OK);
    bool found = memmem(text.ptr, text.len, "localhost:1234", 14) != NULL;
    fer_arena_free(a);
    return found;
}

static void run_case(struct checking *c, const yyjson_val *group)
{
    const yyjson_val *schema = fer_val_get(group, "schema"), *tests = fer_val_get(group, "tests");
    if (has_remotes(schema)) return;
    fer_arena *a = fer_arena_new(0);
    fer_str text, there, back;
    fer_json *doc;
    fer_schema_change *changes;
    size_t count;
    fer_err err;
    c->group = suite_description(group);
    c->tally->cases++;
    assert_int_equal(fer_json_write(a, schema, false, &text, NULL), FER_OK);
    assert_int_equal(fer_json_read(a, text, fer_json_limits_file(), &doc, NULL), FER_OK);
    if (fer_schema_convert(a, doc, c->from, c->to, &there, &changes, &count, &err))
        fail_msg("%s: %.*s: %s", c->path, FER_PRI(c->group), err.message);
    bool kept = only_integers(changes, count);
    bool any_number = c->from != D4 && c->to != D4;
    c->back = false;
    /* Lost or not, it is a schema of the other dialect. */
    if (kept) same_verdicts(c, there, c->to, tests, any_number);
    else fer_schema_unref(compile(c, there, c->to));
    assert_int_equal(fer_json_read(a, there, fer_json_limits_file(), &doc, NULL), FER_OK);
    if (fer_schema_convert(a, doc, c->to, c->from, &back, &changes, &count, &err))
        fail_msg("%s: %.*s: back: %s", c->path, FER_PRI(c->group), err.message);
    c->back = true;
    if (kept && only_integers(changes, count)) same_verdicts(c, back, c->from, tests, any_number);
    c->tally->kept += kept;
    fer_arena_free(a);
}

static void convert_suite(const struct dialect *from)
{
    if (!*suite_root()) skip();
    for (size_t i = 0; i < FER_COUNT(dialects); i++) {
        fer_arena *a = fer_arena_new(0);
        char folder[64];
        size_t count;
        struct tally_of tally = {0};
        snprintf(folder, sizeof folder, "tests/%s", from->folder);
        struct suite_file *files = suite_files(a, folder, false, &count);
        for (size_t n = 0; n < count; n++) {
            struct checking c = {.path = files[n].path,
                                 .from = from->dialect,
                                 .to = dialects[i].dialect,
                                 .tally = &tally};
            /* Meta-schemas of one's own, and documents that are not here. */
            if (strstr(c.path, "/vocabulary.json")) continue;
            FER_EACH_ITEM (files[n].root, group) {
                run_case(&c, group);
            }
        }
        print_message("# %s -> %s: %zu cases, %zu without loss, %zu tests\n", from->folder,
                      dialects[i].folder, tally.cases, tally.kept, tally.tests);
        assert_int_equal(tally.wrong, 0);
        assert_true(tally.kept * 10 > tally.cases * 6);
        if (from->dialect == dialects[i].dialect) assert_int_equal(tally.kept, tally.cases);
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("convert", rows, converts) + ROWS_ONE("convert", no_dialect) +
           ROWS_ONE("convert", nothing_doubles) +
           ROWS_RUN("convert suite", dialects, convert_suite);
}
