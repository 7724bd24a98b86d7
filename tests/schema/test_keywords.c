/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keywords, one row for each thing that is easily got wrong, under the dialects that know them.
 * Each row is asked for the verdict alone, for findings and for annotations: all agree.
 */
#include <ferrule/schema.h>

#include "json_doc.h"
#include "keyword.h"
#include "rows.h"

/* Dialects of a row, as bits. */
#define ALL    63u
#define FROM6  (ALL & ~(unsigned)FER_IN_4)
#define FROM7  (FROM6 & ~(unsigned)FER_IN_6)
#define FROM19 (FER_IN_2019 | FER_IN_2020 | FER_IN_V1)
#define FROM20 (FER_IN_2020 | FER_IN_V1)
#define TO7    (FER_IN_4 | FER_IN_6 | FER_IN_7)
#define TO19   (TO7 | FER_IN_2019)

static const struct row {
    const char *name;
    unsigned in;
    const char *schema;
    const char *valid;   /* a list of values */
    const char *invalid; /* another */
    bool formats, content;
} rows[] = {
    {"type: integer takes 1.0", FROM6, "{\"type\":\"integer\"}", "[1,1.0,1e2,-0.0,1e400]",
     "[1.5,1e-400,\"1\",true,null]"},
    {"type: integer by its text", FER_IN_4, "{\"type\":\"integer\"}",
     "[1,-3,123456789012345678901]", "[1.0,1e2,1.5]"},
    {"type: number", ALL, "{\"type\":\"number\"}", "[1,1.5,1e400,-0]", "[\"1\",true,[],null]"},
    {"type: a list", ALL, "{\"type\":[\"string\",\"null\"]}", "[\"\",null]", "[0,false,[],{}]"},
    {"type: boolean is no number", ALL, "{\"type\":\"boolean\"}", "[true,false]", "[0,1,\"true\"]"},
    {"enum: numbers by value", ALL, "{\"enum\":[1,\"a\",null,{\"a\":[1]}]}",
     "[1,1.0,1e0,\"a\",null,{\"a\":[1.0]}]", "[2,\"A\",false,{\"a\":[1,1]},{}]"},
    {"enum: many", ALL, "{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"0\",\"1\",[],{},true,null]}",
     "[0.0,9,\"1\",[],{},true,null]", "[10,\"2\",false,[0],{\"a\":0},0.5]"},
    {"const", FROM6, "{\"const\":[1,{\"a\":2}]}", "[[1.0,{\"a\":2e0}]]",
     "[[1],[1,{\"a\":3}],[{\"a\":2},1],null]"},
    {"const: null", FROM6, "{\"const\":null}", "[null]", "[0,false,\"\",[]]"},
    {"const: 0 is -0", FROM6, "{\"const\":0}", "[0,-0.0,0e5]", "[false,\"0\",1e-400]"},
    {"multipleOf: exact", ALL, "{\"multipleOf\":0.01}", "[0,0.3,4.35,19.99,1e300,\"a\"]",
     "[0.001,19.999,1e-300]"},
    {"bounds: exact", ALL, "{\"minimum\":9007199254740993}",
     "[9007199254740993,9007199254740994,1e400]", "[9007199254740992,9007199254740992.9,-1e400]"},
    {"bounds: exclusive as flags", FER_IN_4,
     "{\"minimum\":1,\"exclusiveMinimum\":true,\"maximum\":3,\"exclusiveMaximum\":false}",
     "[2,3,1.1]", "[1,3.1,0]"},
    {"bounds: exclusive", FROM6, "{\"exclusiveMinimum\":1,\"exclusiveMaximum\":3}",
     "[2,1.1,2.9,\"\"]", "[1,3,1.0,4]"},
    {"length: code points", ALL, "{\"minLength\":2,\"maxLength\":3}",
     "[\"ab\",\"\xC3\xA9\xC3\xA9\",\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\",\"e\xCC\x81x\",12,[]]",
     "[\"a\",\"\xF0\x9F\x98\x80\",\"abcd\",\"\"]"},
    {"length: 2.0", FROM6, "{\"maxLength\":2.0}", "[\"ab\"]", "[\"abc\"]"},
    {"length: more than 64 bits", FROM6, "{\"maxLength\":1e30,\"minItems\":1e30}", "[\"ab\",1]",
     "[[],[1]]"},
    {"pattern: anywhere", ALL, "{\"pattern\":\"b+\"}", "[\"abba\",\"b\",1]", "[\"\",\"aa\"]"},
    {"pattern: unicode", ALL, "{\"pattern\":\"^\\\\p{L}$\"}", "[\"\xC3\xA9\",\"a\"]",
     "[\"1\",\"ab\"]"},
    {"items: one schema", ALL, "{\"items\":{\"type\":\"integer\"}}",
     "[[],[1,2],{\"0\":\"a\"},\"a\"]", "[[1,\"a\"],[null]]"},
    {"items: a list", TO19, "{\"items\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}",
     "[[],[1],[1,null],[1,null,\"a\"]]", "[[\"a\"],[1,1]]"},
    {"additionalItems", TO19, "{\"items\":[{}],\"additionalItems\":{\"type\":\"null\"}}",
     "[[],[1],[1,null,null]]", "[[1,2]]"},
    {"additionalItems: false", TO19, "{\"items\":[{}],\"additionalItems\":false}", "[[],[1],{}]",
     "[[1,2]]"},
    {"additionalItems without a list", TO19, "{\"items\":{},\"additionalItems\":false}", "[[1,2]]",
     "[]"},
    {"additionalItems alone", TO19, "{\"additionalItems\":false}", "[[1,2]]", "[]"},
    {"additionalItems is nothing", FROM20, "{\"prefixItems\":[{}],\"additionalItems\":false}",
     "[[1,2]]", "[]"},
    {"prefixItems", FROM20,
     "{\"prefixItems\":[{\"type\":\"integer\"}],\"items\":{\"type\":\"null\"}}",
     "[[],[1],[1,null]]", "[[\"a\"],[1,1]]"},
    {"prefixItems is nothing", TO19, "{\"prefixItems\":[false]}", "[[1]]", "[]"},
    {"contains", FROM6, "{\"contains\":{\"type\":\"null\"}}", "[[null],[1,null,null],{},1]",
     "[[],[1]]"},
    {"contains: counts", FROM19, "{\"contains\":{\"const\":1},\"minContains\":2,\"maxContains\":3}",
     "[[1,1],[1,0,1,1.0],\"a\"]", "[[],[1],[1,1,1,1]]"},
    {"contains: none needed", FROM19, "{\"contains\":false,\"minContains\":0}", "[[],[1]]", "[]"},
    {"contains: at most", FROM19,
     "{\"contains\":{\"const\":1},\"minContains\":0,\"maxContains\":1}", "[[],[1],[0]]", "[[1,1]]"},
    {"contains: counts are nothing", FER_IN_6 | FER_IN_7,
     "{\"contains\":{\"const\":1},\"minContains\":2}", "[[1]]", "[[]]"},
    {"contains is nothing", FER_IN_4, "{\"contains\":{\"type\":\"null\"}}", "[[],[1]]", "[]"},
    {"minContains alone", FROM19, "{\"minContains\":2}", "[[],[1]]", "[]"},
    {"uniqueItems", ALL, "{\"uniqueItems\":true}", "[[1,2],[1,true],[[1],[2]],[],{}]",
     "[[1,1.0],[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}],[[0],[-0.0]]]"},
    {"uniqueItems: false", ALL, "{\"uniqueItems\":false}", "[[1,1]]", "[]"},
    {"counts", ALL, "{\"minItems\":1,\"maxItems\":2,\"minProperties\":1,\"maxProperties\":2}",
     "[[1],[1,2],{\"a\":1},{\"a\":1,\"b\":2},1,\"\"]", "[[],[1,2,3],{},{\"a\":1,\"b\":2,\"c\":3}]"},
    {"required", ALL, "{\"required\":[\"a\",\"\"]}", "[{\"a\":1,\"\":2},[],1]",
     "[{},{\"a\":1},{\"\":1}]"},
    {"required: none", FROM6, "{\"required\":[]}", "[{},1]", "[]"},
    {"properties", ALL,
     "{\"properties\":{\"a\":{\"type\":\"null\"},\"__proto__\":{\"type\":\"null\"}}}",
     "[{},{\"a\":null,\"b\":1},[1]]", "[{\"a\":1},{\"__proto__\":1}]"},
    {"patternProperties: all that match", ALL,
     "{\"patternProperties\":{\"a\":{\"minimum\":2},\"b$\":{\"maximum\":5}}}",
     "[{\"ab\":3},{\"a\":9},{\"b\":0},{\"c\":99}]", "[{\"ab\":1},{\"ab\":6},{\"ba\":1}]"},
    {"additionalProperties", ALL,
     "{\"properties\":{\"a\":{}},\"patternProperties\":{\"^x\":{}},\"additionalProperties\":{\"type\":"
     "\"null\"}}",
     "[{\"a\":1,\"x1\":1,\"b\":null}]", "[{\"b\":1}]"},
    {"additionalProperties: false", ALL,
     "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "[{\"a\":1},{},[1]]",
     "[{\"b\":1}]"},
    {"additionalProperties does not look into allOf", ALL,
     "{\"allOf\":[{\"properties\":{\"a\":{}}}],\"additionalProperties\":false}", "[{}]",
     "[{\"a\":1}]"},
    {"propertyNames", FROM6, "{\"propertyNames\":{\"maxLength\":1}}", "[{\"a\":1},{},[\"ab\"]]",
     "[{\"ab\":1}]"},
    {"propertyNames: false", FROM6, "{\"propertyNames\":false}", "[{}]", "[{\"a\":1}]"},
    {"dependencies: names", ALL & ~(unsigned)FER_IN_V1, "{\"dependencies\":{\"a\":[\"b\"]}}",
     "[{},{\"b\":1},{\"a\":1,\"b\":1},[]]", "[{\"a\":1}]"},
    {"dependencies: a schema", ALL & ~(unsigned)FER_IN_V1,
     "{\"dependencies\":{\"a\":{\"minProperties\":2}}}", "[{},{\"b\":1},{\"a\":1,\"b\":1}]",
     "[{\"a\":1}]"},
    {"dependentRequired", FROM19, "{\"dependentRequired\":{\"a\":[\"b\",\"c\"],\"d\":[]}}",
     "[{},{\"d\":1},{\"a\":1,\"b\":1,\"c\":1}]", "[{\"a\":1},{\"a\":1,\"b\":1}]"},
    {"dependentSchemas", FROM19,
     "{\"dependentSchemas\":{\"a\":false,\"b\":{\"required\":[\"c\"]}}}", "[{},{\"b\":1,\"c\":1}]",
     "[{\"a\":1},{\"b\":1}]"},
    {"dependentRequired: many members", FROM19,
     "{\"dependentRequired\":{\"k1\":[\"k2\",\"k39\"],\"k3\":[\"z\"],\"y\":[\"z\"]}}",
     "[{\"k1\":1,\"k2\":2,\"k39\":3}]",
     "[{\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,\"k7\":7,\"k8\":8,\"k9\":9,\"k10\":10,\"k11\":11,\"k12\":12,\"k13\":13,\"k14\":14,\"k15\":15,\"k16\":16,\"k17\":17,\"k18\":18,\"k19\":19,\"k20\":20,\"k21\":21,\"k22\":22,\"k23\":23,\"k24\":24,\"k25\":25,\"k26\":26,\"k27\":27,\"k28\":28,\"k29\":29,\"k30\":30,\"k31\":31,\"k32\":32,\"k33\":33,\"k34\":34,\"k35\":35,\"k36\":36,\"k37\":37,\"k38\":38,\"k39\":39}]"},
    {"dependentRequired is nothing", TO7, "{\"dependentRequired\":{\"a\":[\"b\"]}}", "[{\"a\":1}]",
     "[]"},
    {"propertyDependencies", FER_IN_V1,
     "{\"propertyDependencies\":{\"a\":{\"x\":{\"required\":[\"b\"]},\"y\":false}}}",
     "[{},{\"a\":\"z\"},{\"a\":1},{\"a\":\"x\",\"b\":1},\"x\"]", "[{\"a\":\"x\"},{\"a\":\"y\"}]"},
    {"allOf", ALL, "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "[1,2,3,\"a\"]", "[0,4]"},
    {"anyOf", ALL, "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":2}]}", "[null,2,\"a\"]", "[1]"},
    {"oneOf", ALL, "{\"oneOf\":[{\"minimum\":2},{\"maximum\":5}]}", "[1,6]", "[3,\"a\"]"},
    {"oneOf: none", ALL, "{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"string\"}]}", "[null,\"\"]",
     "[1]"},
    {"not", ALL, "{\"not\":{\"type\":\"null\"}}", "[1,\"\"]", "[null]"},
    {"not not", ALL, "{\"not\":{\"not\":{\"type\":\"null\"}}}", "[null]", "[1]"},
    {"if then else", FROM7,
     "{\"if\":{\"minimum\":5},\"then\":{\"multipleOf\":2},\"else\":{\"const\":1}}", "[6,1]",
     "[7,2]"},
    {"if alone", FROM7, "{\"if\":false}", "[1]", "[]"},
    {"then alone", FROM7, "{\"then\":false,\"else\":false}", "[1]", "[]"},
    {"if is nothing", FER_IN_4 | FER_IN_6, "{\"if\":{\"minimum\":5},\"then\":{\"multipleOf\":2}}",
     "[7]", "[]"},
    {"true and false", FROM6, "{\"properties\":{\"a\":true,\"b\":false}}", "[{\"a\":1},{}]",
     "[{\"b\":1}]"},
    {"$ref hides what is beside it", TO7,
     "{\"properties\":{\"a\":{\"$ref\":\"#/definitions/n\",\"maximum\":0}},\"definitions\":{\"n\":{"
     "\"type\":\"number\"}}}",
     "[{\"a\":5}]", "[{\"a\":\"x\"}]"},
    {"$ref and what is beside it", FROM19,
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\",\"maximum\":0}},\"$defs\":{\"n\":{\"type\":"
     "\"number\"}}}",
     "[{\"a\":-5}]", "[{\"a\":\"x\"},{\"a\":5}]"},
    {"$ref: an escape", FROM19,
     "{\"$ref\":\"#/$defs/a~1b~0c%25\",\"$defs\":{\"a/b~c%\":{\"type\":\"null\"}}}", "[null]",
     "[1]"},
    {"$ref: itself", ALL,
     "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
     "[{\"a\":{\"a\":{}}}]", "[{\"a\":{\"b\":1}}]"},
    {"$id and $ref", FROM19,
     "{\"$id\":\"http://x.y/root\",\"$ref\":\"n\",\"$defs\":{\"n\":{\"$id\":\"n\",\"type\":\"null\"}}}",
     "[null]", "[1]"},
    {"id and $ref", FER_IN_4,
     "{\"id\":\"http://x.y/root\",\"allOf\":[{\"$ref\":\"n\"}],\"definitions\":{\"n\":{\"id\":\"n\","
     "\"type\":\"null\"}}}",
     "[null]", "[1]"},
    {"$anchor", FROM19, "{\"$ref\":\"#n\",\"$defs\":{\"x\":{\"$anchor\":\"n\",\"type\":\"null\"}}}",
     "[null]", "[1]"},
    {"$id as an anchor", FER_IN_6 | FER_IN_7,
     "{\"allOf\":[{\"$ref\":\"#n\"}],\"definitions\":{\"x\":{\"$id\":\"#n\",\"type\":\"null\"}}}",
     "[null]", "[1]"},
    {"$dynamicRef", FER_IN_2020,
     "{\"$id\":\"http://x.y/s\",\"$ref\":\"list\",\"$defs\":{\"i\":{\"$dynamicAnchor\":\"e\",\"type\":"
     "\"null\"},\"l\":{\"$id\":\"list\",\"items\":{\"$dynamicRef\":\"#e\"},\"$defs\":{\"e\":{"
     "\"$dynamicAnchor\":\"e\"}}}}}",
     "[[null]]", "[[1]]"},
    {"$recursiveRef", FER_IN_2019,
     "{\"$id\":\"http://x.y/s\",\"$recursiveAnchor\":true,\"type\":[\"object\",\"null\"],\"$ref\":"
     "\"tree\",\"$defs\":{\"t\":{\"$id\":\"tree\",\"$recursiveAnchor\":true,\"properties\":{\"a\":{"
     "\"$recursiveRef\":\"#\"}}}}}",
     "[{\"a\":null},{\"a\":{\"a\":{}}}]", "[{\"a\":1},{\"a\":{\"a\":[]}}]"},
    {"unevaluatedProperties", FROM19,
     "{\"anyOf\":[{\"properties\":{\"a\":true},\"required\":[\"a\"]},{\"properties\":{\"b\":true}}],"
     "\"unevaluatedProperties\":false}",
     "[{\"a\":1,\"b\":1},{\"b\":1},{}]", "[{\"c\":1},{\"a\":1,\"c\":1}]"},
    {"unevaluatedProperties: not does not count", FROM19,
     "{\"not\":{\"not\":{\"properties\":{\"a\":true}}},\"unevaluatedProperties\":false}", "[{}]",
     "[{\"a\":1}]"},
    {"unevaluatedProperties: if counts", FROM19,
     "{\"if\":{\"properties\":{\"a\":{\"const\":1}},\"required\":[\"a\"]},\"unevaluatedProperties\":"
     "false}",
     "[{\"a\":1},{}]", "[{\"a\":2},{\"a\":1,\"b\":1}]"},
    {"unevaluatedProperties: many members", FROM19,
     "{\"patternProperties\":{\"^a\":true},\"unevaluatedProperties\":{\"type\":\"null\"}}",
     "[{\"a0\":1,\"a1\":1,\"a2\":1,\"a3\":1,\"b\":null}]", "[{\"a0\":1,\"b\":1}]"},
    {"unevaluatedItems", FROM20, "{\"prefixItems\":[true],\"unevaluatedItems\":false}",
     "[[],[1],{}]", "[[1,2]]"},
    {"unevaluatedItems: contains counts", FROM20,
     "{\"contains\":{\"const\":1},\"unevaluatedItems\":{\"const\":2}}", "[[1],[1,2,1]]",
     "[[1,3],[2]]"},
    {"unevaluatedItems: contains does not count", FER_IN_2019,
     "{\"contains\":{\"const\":1},\"unevaluatedItems\":{\"const\":2}}", "[{}]", "[[1,2],[1]]"},
    {"unevaluatedItems is nothing", TO7, "{\"unevaluatedItems\":false}", "[[1]]", "[]"},
    {"format is a note", ALL & ~(unsigned)FER_IN_V1, "{\"format\":\"date\"}", "[\"x\",1]", "[]"},
    {"format in v1", FER_IN_V1, "{\"format\":\"date\"}", "[\"2026-01-01\",1]", "[\"x\"]"},
    {"format asserted", FROM7, "{\"format\":\"date\"}", "[\"2026-02-28\",1,null]",
     "[\"2026-02-30\",\"x\",\"\"]", .formats = true},
    {"a format that nobody knows", ALL, "{\"format\":\"shoe-size\"}", "[\"x\"]", "[]",
     .formats = true},
    {"content is a note", FROM7, "{\"contentEncoding\":\"base64\"}", "[\"?\"]", "[]"},
    {"content asserted", FROM19,
     "{\"contentEncoding\":\"base64\",\"contentMediaType\":\"application/json\",\"contentSchema\":{"
     "\"type\":\"object\"}}",
     "[\"e30=\",1]", "[\"?\",\"e30\",\"W10=\",\"ew==\"]", .content = true},
    {"content: JSON as it is", FROM7, "{\"contentMediaType\":\"application/json\"}",
     "[\"{}\",\"1\",1]", "[\"{\",\"\"]", .content = true},
    {"content that nobody knows", FROM7,
     "{\"contentEncoding\":\"zip\",\"contentMediaType\":\"text/html\"}", "[\"?\"]", "[]",
     .content = true},
    {"what nobody knows", ALL, "{\"x-any\":{\"type\":1},\"minimumm\":5}", "[1,{}]", "[]"},
    {"$defs is no assertion", FROM19, "{\"$defs\":{\"a\":false}}", "[1]", "[]"},
};

static const struct {
    unsigned bit;
    fer_dialect dialect;
} dialects[] = {{FER_IN_4, FER_DIALECT_DRAFT4},     {FER_IN_6, FER_DIALECT_DRAFT6},
                {FER_IN_7, FER_DIALECT_DRAFT7},     {FER_IN_2019, FER_DIALECT_2019_09},
                {FER_IN_2020, FER_DIALECT_2020_12}, {FER_IN_V1, FER_DIALECT_V1}};

static fer_code ask(fer_arena *a, const fer_schema *s, const fer_json *doc, const yyjson_val *v,
                    bool expected)
{
    bool valid = !expected;
    fer_code code = fer_schema_accepts(s, a, v, &valid, NULL);
    if (code) return code;
    fer_str text = FER_STR("?");
    if (valid != expected) fer_json_write(a, v, false, &text, NULL);
    if (valid != expected)
        fail_msg("%s: %.*s", fer_dialect_name(fer_schema_dialect(s)), FER_PRI(text));
    for (int notes = 0; notes < 2; notes++) {
        fer_validate_options options = {.annotations = notes};
        fer_result *r;
        size_t count;
        code = fer_schema_validate(a, s, doc, v, &options, &r, NULL);
        if (code) return code;
        assert_int_equal(fer_result_valid(r), expected);
        fer_result_violations(r, &count);
        assert_true(expected ? count == 0 : count > 0);
    }
    return FER_OK;
}

static fer_code ask_list(fer_arena *a, const fer_schema *s, const char *list, bool expected)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, fer_str_of(list), NULL, &doc, NULL);
    if (code) return code;
    FER_EACH_ITEM (fer_json_root(doc), item) {
        code = ask(a, s, doc, item, expected);
        if (code) return code;
    }
    return FER_OK;
}

static fer_code attempt_by(fer_arena *a, const struct row *row, fer_dialect dialect, bool native)
{
    fer_schema_options options = {.dialect = dialect,
                                  .native = native,
                                  .assert_formats = row->formats,
                                  .assert_content = row->content,
                                  .formats_note_only = false};
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_code code = fer_schema_compile(fer_str_of(row->schema), &options, &s, &err);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    if (code) fail_msg("%s: %s", fer_dialect_name(dialect), err.message);
    code = ask_list(a, s, row->valid, true);
    if (!code) code = ask_list(a, s, row->invalid, false);
    fer_schema_unref(s);
    return code;
}

/* With machine code, too. */
static fer_code attempt_in(fer_arena *a, const struct row *row, fer_dialect dialect)
{
    fer_code code = attempt_by(a, row, dialect, false);
    return code ? code : attempt_by(a, row, dialect, true);
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    if (!a && !mine) return FER_OUT_OF_MEMORY;
    fer_code code = FER_OK;
    for (size_t i = 0; i < FER_COUNT(dialects) && !code; i++) {
        if (row->in & dialects[i].bit) code = attempt_in(a ? a : mine, row, dialects[i].dialect);
    }
    fer_arena_free(mine);
    return code;
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
}

/* The same with each allocation failing in turn, under the newest dialect that knows the row. */
static fer_code attempt_newest(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    if (!a && !mine) return FER_OUT_OF_MEMORY;
    size_t newest = FER_COUNT(dialects) - 1;
    while (!(row->in & dialects[newest].bit)) newest--;
    fer_code code = attempt_in(a ? a : mine, row, dialects[newest].dialect);
    fer_arena_free(mine);
    return code;
}

static void torture(const struct row *row)
{
    rows_torture_arena(attempt_newest, row);
    rows_torture_malloc(attempt_newest, row);
}

/* The index that the build makes leads to the first row of each name, and to no other name. */
static void found_by_name(void)
{
    static const char *const others[] = {"", "i", "iff", "Type", "typ", "types", "$", "maximun"};
    size_t count, first = 0;
    const fer_keyword *all = fer_keywords(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[first].name, all[i].name) != 0) first = i;
        assert_ptr_equal(fer_keyword_first(fer_str_of(all[i].name)), &all[first]);
    }
    for (size_t i = 0; i < FER_COUNT(others); i++)
        assert_null(fer_keyword_first(fer_str_of(others[i])));
}

int main(void)
{
    return ROWS_ONE("keywords", found_by_name) + ROWS_RUN("keywords", rows, run) +
           ROWS_RUN("keywords without memory", rows, torture);
}
