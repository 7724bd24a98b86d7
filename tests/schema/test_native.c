/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code: each row goes another way through native*.c. Every value is asked of the machine
 * code, of the quick form and of the machine. That the official suite, real schemas and generated
 * pairs agree as well is in their own tests.
 */
#include <ferrule/schema.h>

#include "buf.h"
#include "must_read.h"
#include "quick.h"
#include "rows.h"
#include "vm.h"
#include "x86.h"

#if defined(__x86_64__) && defined(__LP64__)
#define HERE true
#else
#define HERE false
#endif

struct row {
    const char *name;
    const char *schema;
    const char *valid, *invalid; /* lists */
    bool object;                 /* an object of leaves, without a run */
};

#define LONG                                                                                       \
    "a name that is longer than any that a table of lengths has a place for, because that "        \
    "has to end somewhere: at one hundred and twenty-seven bytes"

static const struct row rows[] = {
    {"anything", "true", "[1,{}]", "[]"},
    {"nothing", "false", "[]", "[1,{}]"},
    {"types", "{\"type\":[\"string\",\"null\",\"array\"]}", "[\"\",null,[]]", "[1,true,{}]"},
    {"names of every length to seventeen",
     "{\"properties\":{\"a\":{\"const\":1},\"ab\":{\"const\":2},\"abc\":{\"const\":3},"
     "\"abcd\":{\"const\":4},\"abcde\":{\"const\":5},\"abcdef\":{\"const\":6},"
     "\"abcdefg\":{\"const\":7},\"abcdefgh\":{\"const\":8},\"abcdefghi\":{\"const\":9},"
     "\"abcdefghijklmnopq\":{\"const\":17}}}",
     "[{\"a\":1,\"ab\":2,\"abc\":3,\"abcd\":4,\"abcde\":5,\"abcdef\":6,\"abcdefg\":7,"
     "\"abcdefgh\":8,\"abcdefghi\":9,\"abcdefghijklmnopq\":17},{\"abcdefghijklmnopq\":17,\"a\":1},"
     "{\"b\":0,\"ac\":0,\"abd\":0,\"abcx\":0,\"abcdx\":0,\"abcdex\":0,\"abcdefx\":0,"
     "\"abcdefgx\":0,\"abcdefghx\":0,\"abcdefghijklmnopx\":0}]",
     "[{\"a\":2},{\"ab\":1},{\"abc\":1},{\"abcd\":1},{\"abcde\":1},{\"abcdef\":1},"
     "{\"abcdefg\":1},{\"abcdefgh\":1},{\"abcdefghi\":1},{\"abcdefghijklmnopq\":1}]"},
    {"a long name",
     "{\"properties\":{\"" LONG "\":{\"type\":\"string\"},\"b\":{\"type\":\"null\"}}}",
     "[{\"" LONG "\":\"\"},{\"b\":null,\"" LONG "\":\"\"},{\"" LONG "!\":1}]",
     "[{\"" LONG "\":1},{\"b\":null,\"" LONG "\":1}]", true},
    {"the empty name", "{\"properties\":{\"\":{\"type\":\"null\"}},\"additionalProperties\":false}",
     "[{\"\":null},{}]", "[{\"\":1},{\"a\":null}]", true},
    {"required, in any order",
     "{\"type\":\"object\",\"required\":[\"b\",\"z\"],\"properties\":{\"a\":{\"type\":\"string\"},"
     "\"b\":{\"type\":\"integer\"}}}",
     "[{\"z\":1,\"b\":2},{\"b\":2,\"a\":\"\",\"z\":{}},{\"b\":1.0,\"z\":[1,[2]],\"c\":0}]",
     "[{},{\"b\":1},{\"z\":1,\"a\":\"\"},{\"b\":1.5,\"z\":1},{\"b\":\"1\",\"z\":1}]", true},
    {"containers among leaves", "{\"properties\":{\"b\":{\"type\":\"null\"}}}",
     "[{\"a\":{\"b\":1},\"b\":null},{\"a\":[[{}]],\"b\":null},{\"b\":null,\"a\":{}}]",
     "[{\"a\":{\"b\":null},\"b\":1},{\"a\":[],\"b\":[]}]", true},
    {"whole numbers",
     "{\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":-3,\"maximum\":1000000}}}",
     "[{\"n\":-3},{\"n\":1000000},{\"n\":2.0}]",
     "[{\"n\":-4},{\"n\":1000001},{\"n\":2.5},{\"n\":18446744073709551615},{\"n\":1e30},"
     "{\"n\":-9223372036854775808},{\"n\":\"1\"}]",
     true},
    {"numbers past a word", "{\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1}}}",
     "[{\"n\":18446744073709551615},{\"n\":100000000000000000000000000},{\"n\":1e400}]",
     "[{\"n\":0},{\"n\":-100000000000000000000000000},{\"n\":1e-400}]", true},
    {"other numbers",
     "{\"properties\":{\"n\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5}}}",
     "[{\"n\":0.5},{\"n\":1e-300}]",
     "[{\"n\":0},{\"n\":0.50001},{\"n\":1},{\"n\":-1},{\"n\":-0.0}]", true},
    {"large bounds", "{\"minimum\":-5000000000,\"exclusiveMaximum\":5000000000}",
     "[-5000000000,4999999999,0.5,\"\"]", "[-5000000001,5000000000,1e12,18446744073709551615]"},
    {"lengths", "{\"properties\":{\"s\":{\"minLength\":2,\"maxLength\":4}}}",
     "[{\"s\":\"ab\"},{\"s\":\"abcd\"},{\"s\":\"\xC3\xA9\xC3\xA9\"},"
     "{\"s\":\"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\"},{\"s\":1}]",
     "[{\"s\":\"a\"},{\"s\":\"abcde\"},{\"s\":\"\xC3\xA9\"},"
     "{\"s\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\"}]",
     true},
    {"sizes",
     "{\"minItems\":1,\"maxItems\":2,\"minProperties\":1,\"maxProperties\":2,\"items\":{\"type\":"
     "\"null\"}}",
     "[[null],[null,null],{\"a\":1},{\"a\":1,\"b\":2},1]",
     "[[],[null,null,null],[1],{},{\"a\":1,\"b\":2,\"c\":3}]"},
    {"a size beyond all", "{\"minItems\":4294967296}", "[1]", "[[],[1]]"},
    {"enum", "{\"properties\":{\"e\":{\"enum\":[\"a\",\"bb\",null,true,7]}}}",
     "[{\"e\":\"a\"},{\"e\":\"bb\"},{\"e\":null},{\"e\":true},{\"e\":7},{\"e\":7.0}]",
     "[{\"e\":\"b\"},{\"e\":false},{\"e\":8},{\"e\":[]},{\"e\":{}},{\"e\":7.5}]"},
    {"enum of both truths", "{\"enum\":[true,false]}", "[true,false]", "[null,0,\"true\"]"},
    {"enum without truths", "{\"enum\":[\"\",[1],{\"a\":2}]}", "[\"\",[1],{\"a\":2}]",
     "[true,null,[2],{},1]"},
    {"const",
     "{\"properties\":{\"a\":{\"const\":\"x\"},\"b\":{\"const\":\"a longer one\"},\"c\":{\"const\":"
     "\"\"}}}",
     "[{\"a\":\"x\",\"b\":\"a longer one\",\"c\":\"\"}]",
     "[{\"a\":\"y\"},{\"a\":\"\"},{\"a\":null},{\"b\":\"a longer two\"},{\"c\":\" \"}]", true},
    {"patterns", "{\"properties\":{\"p\":{\"pattern\":\"^[a-z]+$\"},\"q\":{\"pattern\":\"b|c\"}}}",
     "[{\"p\":\"az\",\"q\":\"xc\"},{\"p\":1}]", "[{\"p\":\"aZ\"},{\"q\":\"x\"}]"},
    {"multipleOf", "{\"multipleOf\":3}", "[0,3,-3,9.0,\"\",18446744073709551615]", "[1,-4,2.5]"},
    {"multipleOf of a part", "{\"multipleOf\":0.01}", "[0.05,3]", "[0.055]"},
    {"lists of leaves", "{\"items\":{\"type\":[\"string\",\"array\"],\"minLength\":1}}",
     "[[\"a\",[1,{\"b\":2}],\"c\"],[],{}]", "[[\"\"],[[],\"a\",1]]"},
    {"lists of objects",
     "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":"
     "{\"type\":\"integer\"}}}}",
     "[[{\"a\":1},{\"a\":100000000000000000000000000}],[]]",
     "[[{\"a\":1},{}],[{\"a\":1.5}],[{\"a\":\"\"}],[1],{}]"},
    {"tuples",
     "{\"prefixItems\":[{\"type\":\"string\"},{\"items\":{\"type\":\"null\"}}],\"items\":"
     "{\"type\":\"integer\"}}",
     "[[],[\"\"],[\"\",[null]],[\"\",{},1,2],1]", "[[1],[\"\",[1]],[\"\",[],1,\"\"]]"},
    {"tuples without a rest", "{\"prefixItems\":[{\"type\":\"string\"}]}", "[[\"a\",1,{}],[]]",
     "[[1]]"},
    {"patternProperties",
     "{\"properties\":{\"x-a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\"}},"
     "\"patternProperties\":{\"^x-\":{\"minLength\":2},\"z$\":{\"type\":[\"string\",\"array\"]}},"
     "\"additionalProperties\":{\"type\":\"null\"},\"required\":[\"c\",\"x-c\"]}",
     "[{\"c\":null,\"x-c\":1},{\"x-a\":\"ab\",\"b\":\"\",\"c\":null,\"x-c\":\"ab\",\"x-z\":\"ab\"},"
     "{\"x-c\":{},\"c\":null,\"z\":[1],\"other\":null}]",
     "[{\"c\":1,\"x-c\":1},{\"c\":null,\"x-c\":\"a\"},{\"c\":null,\"x-c\":1,\"x-a\":\"a\"},"
     "{\"c\":null,\"x-c\":1,\"x-z\":1},{\"c\":null,\"x-c\":1,\"z\":1},"
     "{\"c\":null,\"x-c\":1,\"d\":1},{\"c\":null},{\"c\":null,\"x-c\":1,\"x-yz\":\"a\"}]"},
    {"a union by types",
     "{\"properties\":{\"v\":{\"anyOf\":[{\"type\":\"string\",\"minLength\":1},{\"type\":\"null\"},"
     "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}]}}}",
     "[{\"v\":\"a\"},{\"v\":null},{\"v\":[1,2]},{\"v\":[]}]",
     "[{\"v\":\"\"},{\"v\":1},{\"v\":[\"\"]},{\"v\":{}}]"},
    {"nullable leaves",
     "{\"properties\":{\"v\":{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}}}",
     "[{\"v\":\"a\"},{\"v\":null}]", "[{\"v\":1},{\"v\":[]}]", true},
    {"any of the same type", "{\"anyOf\":[{\"minimum\":10},{\"maximum\":3},{\"const\":5}]}",
     "[10,3,5,\"\"]", "[4,6,9]"},
    {"one of the same type",
     "{\"oneOf\":[{\"multipleOf\":2},{\"multipleOf\":3},{\"minimum\":100}]}", "[2,3,101]",
     "[6,1,102,\"\"]"},
    {"any of objects",
     "{\"anyOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":{\"items\":{\"type\":\"null\"}}}},"
     "{\"required\":[\"b\"],\"properties\":{\"b\":{\"properties\":{\"c\":{\"items\":false}}}}}]}",
     "[{\"a\":[null]},{\"b\":{\"c\":[]}},{\"a\":[1],\"b\":{}},1]",
     "[{},{\"a\":[1]},{\"b\":{\"c\":[1]}},{\"a\":[1],\"b\":{\"c\":[1]}}]"},
    {"one of objects",
     "{\"oneOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":{\"items\":{\"type\":\"null\"}}}},"
     "{\"required\":[\"b\"],\"properties\":{\"b\":{\"properties\":{\"c\":{\"items\":false}}}}}]}",
     "[{\"a\":[null]},{\"b\":{\"c\":[]}},{\"a\":[1],\"b\":{}}]",
     "[{},{\"a\":[1]},{\"b\":{\"c\":[1]}},{\"a\":[null],\"b\":{\"c\":[]}},1]"},
    {"tags",
     "{\"oneOf\":[{\"required\":[\"kind\"],\"properties\":{\"kind\":{\"const\":\"a\"},\"x\":{\"type\":"
     "\"string\"}}},{\"required\":[\"kind\"],\"properties\":{\"kind\":{\"enum\":[\"b\",\"cc\"]},\"x\":"
     "{\"items\":{\"type\":\"null\"}}}}]}",
     "[{\"kind\":\"a\",\"x\":\"\"},{\"x\":[null],\"kind\":\"cc\"},{\"kind\":\"b\"}]",
     "[{},{\"kind\":\"d\"},{\"kind\":1},{\"x\":\"\"},{\"kind\":\"a\",\"x\":1},"
     "{\"kind\":\"cc\",\"x\":[1]}]"},
    {"a tree",
     "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"kids\":{\"type\":"
     "\"array\",\"items\":{\"$ref\":\"#\"}}},\"additionalProperties\":false}",
     "[{\"n\":1,\"kids\":[{\"kids\":[{\"n\":3},{}]},{\"n\":2}]}]",
     "[{\"kids\":[{\"kids\":[{\"n\":\"\"}]}]},{\"kids\":[{\"x\":1}]},{\"kids\":{}}]"},
    {"references in a row",
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\",\"minLength\":1},\"b\":{\"$ref\":"
     "\"#/$defs/c\",\"maxLength\":9},\"c\":{\"$ref\":\"#/$defs/d\",\"pattern\":\"^x\"},\"d\":{\"$ref\":"
     "\"#/$defs/e\",\"pattern\":\"y\"},\"e\":{\"$ref\":\"#/$defs/f\",\"pattern\":\"z\"},\"f\":{\"type\":"
     "\"string\"}}}",
     "[\"xyz\"]", "[\"\",\"xy\",\"xz\",\"yz\",1,\"xyz1234567\"]"},
    {"all of",
     "{\"allOf\":[{\"type\":\"object\"},{\"required\":[\"a\"]},{\"properties\":{\"b\":{\"items\":"
     "{\"type\":\"null\"}}}}],\"minProperties\":2}",
     "[{\"a\":1,\"b\":[null]},{\"a\":1,\"c\":1}]",
     "[1,{\"a\":1},{\"b\":[],\"c\":1},{\"a\":1,\"b\":[1]}]"},
    {"not",
     "{\"not\":{\"properties\":{\"a\":{\"items\":{\"type\":\"null\"}}},\"required\":[\"a\"]}}",
     "[{},{\"a\":[1]}]", "[{\"a\":[]},{\"a\":[null]},1]"},
    {"not a type", "{\"items\":{\"not\":{\"type\":[\"null\",\"string\"]}}}", "[[1,{},[]]]",
     "[[null],[1,\"\"]]"},
    {"if",
     "{\"if\":{\"properties\":{\"a\":{\"const\":1}},\"required\":[\"a\"]},\"then\":{\"required\":"
     "[\"b\"]},\"else\":{\"maxProperties\":1}}",
     "[{\"a\":1,\"b\":2},{\"a\":2},{},1]", "[{\"a\":1},{\"a\":2,\"b\":1}]"},
    {"if without then",
     "{\"if\":{\"type\":\"string\",\"minLength\":2},\"else\":{\"type\":\"null\"}}", "[\"ab\",null]",
     "[\"a\",1]"},
    {"contains, propertyNames, dependentSchemas",
     "{\"contains\":{\"type\":\"null\"},\"propertyNames\":{\"maxLength\":2},\"dependentSchemas\":{\"a\":"
     "{\"required\":[\"b\"]}},\"uniqueItems\":true}",
     "[[null,1],{\"ab\":1},{\"a\":1,\"b\":1},1]", "[[1],[null,1,1],{\"abc\":1},{\"a\":1}]"},
    {"unevaluatedProperties",
     "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},{\"properties\":{\"b\":{\"type\":\"null\"}}}],"
     "\"unevaluatedProperties\":{\"type\":\"string\"}}",
     "[{\"a\":null,\"b\":null},{\"c\":\"\"},{\"a\":\"\",\"b\":null}]",
     "[{\"c\":1},{\"a\":1,\"b\":1},{\"a\":1,\"b\":null}]"},
};

static const fer_schema_options by_code = {.native = true};

/* What all three say; they have to say the same. */
static fer_code asked(fer_arena *a, const fer_schema *s, const yyjson_val *v, bool *valid)
{
    bool machine;
    fer_vm vm = {.program = s, .arena = a};
    fer_code code = fer_schema_accepts(s, a, v, valid, NULL);
    if (code) return code;
    code = fer_vm_run(&vm, v, &machine);
    if (code) return code;
    assert_int_equal(machine, *valid);
    fer_quick_verdict rows_say = fer_quick_run(s, s->root->code, a, v);
    assert_true(rows_say == FER_QUICK_UNKNOWN || (rows_say == FER_QUICK_YES) == *valid);
    return FER_OK;
}

static fer_code ask_list(fer_arena *a, const fer_schema *s, const char *list, bool expected)
{
    fer_json *doc;
    fer_str text = FER_STR("?");
    fer_code code = fer_json_read(a, fer_str_of(list), NULL, &doc, NULL);
    if (code) return code;
    FER_EACH_ITEM (fer_json_root(doc), item) {
        bool valid = !expected;
        code = asked(a, s, item, &valid);
        if (code) return code;
        if (valid != expected && !fer_json_write(a, item, false, &text, NULL))
            fail_msg("%.*s is %s", FER_PRI(text), valid ? "valid" : "invalid");
    }
    return FER_OK;
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_schema *s = NULL;
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    if (!a && !mine) return FER_OUT_OF_MEMORY;
    fer_code code = fer_schema_compile(fer_str_of(row->schema), &by_code, &s, NULL);
    if (!code) code = ask_list(a ? a : mine, s, row->valid, true);
    if (!code) code = ask_list(a ? a : mine, s, row->invalid, false);
    fer_schema_unref(s);
    fer_arena_free(mine);
    return code;
}

static void run(const struct row *row)
{
    fer_schema *s;
    assert_int_equal(attempt(NULL, row), FER_OK);
    assert_int_equal(fer_schema_compile(fer_str_of(row->schema), &by_code, &s, NULL), FER_OK);
    assert_int_equal(fer_schema_is_native(s), HERE);
    assert_int_equal(s->native.object != NULL, HERE && row->object);
    fer_schema_unref(s);
}

static void torture(const struct row *row)
{
    rows_torture_malloc(attempt, row);
}

/* ---- without pages for code ------------------------------------------------------------------ */

static void without_pages(void)
{
    static const char *const plans[] = {"pages@1", "pages@2"};
    for (size_t i = 0; i < FER_COUNT(plans); i++) {
        fer_schema *s;
        int64_t live = fer_faults_live();
        assert_true(fer_faults_begin(plans[i]));
        assert_int_equal(fer_schema_compile(FER_STR("{\"type\":\"null\"}"), &by_code, &s, NULL), 0);
        assert_int_equal(fer_faults_injected(), HERE);
        assert_true(fer_faults_begin(NULL));
        assert_false(fer_schema_is_native(s));
        fer_arena *a = fer_arena_new(0);
        assert_int_equal(ask_list(a, s, "[null]", true), FER_OK);
        fer_arena_free(a);
        fer_schema_unref(s);
        assert_int_equal(fer_faults_live(), live);
    }
}

/* ---- many of everything -------------------------------------------------------------------------
 */

/* How a large schema is written: `each` is repeated, % being its number, by commas. */
static fer_str repeat(fer_arena *a, const char *head, const char *each, const char *tail,
                      unsigned count)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)16 << 20);
    fer_buf_add(&b, fer_str_of(head));
    for (unsigned i = 0; i < count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        for (const char *c = each; *c; c++) {
            if (*c == '%') fer_buf_printf(&b, "%05u", i);
            else fer_buf_add_char(&b, *c);
        }
    }
    fer_buf_add(&b, fer_str_of(tail));
    assert_false(b.failure);
    return fer_buf_view(&b);
}

struct large {
    const char *name;
    const char *head, *each, *tail;
    unsigned count;
    const char *valid, *invalid;
    bool native;
};

static const struct large larges[] = {
    {"more names of one length than are compared", "{\"properties\":{", "\"p%\":{\"const\":\"%\"}",
     "},\"additionalProperties\":false}", 100,
     "[{\"p00000\":\"00000\",\"p00099\":\"00099\",\"p00042\":\"00042\"},{}]",
     "[{\"p00000\":\"00001\"},{\"p00100\":\"\"},{\"p\":1}]", true},
    {"the same with a run", "{\"properties\":{", "\"p%\":{\"const\":\"%\"}",
     ",\"l\":{\"items\":{\"type\":\"null\"}}},\"required\":[\"p00001\"]}", 100,
     "[{\"p00001\":\"00001\",\"l\":[null],\"p00099\":\"00099\",\"x\":{\"l\":1}}]",
     "[{\"p00000\":\"00000\"},{\"p00001\":\"00001\",\"l\":[1]}]", true},
    {"a long enum", "{\"enum\":[", "\"e%\"", "]}", 100, "[\"e00000\",\"e00099\"]",
     "[\"e00100\",\"\",1]", true},
    {"many tags", "{\"oneOf\":[",
     "{\"required\":[\"t\"],\"properties\":{\"t\":{\"const\":\"%\"},\"v\":{\"const\":\"%\"}}}",
     "]}", 100, "[{\"t\":\"00007\",\"v\":\"00007\"},{\"v\":\"00099\",\"t\":\"00099\"}]",
     "[{\"t\":\"00007\",\"v\":\"00008\"},{\"t\":\"00100\"},{},1]", true},
    {"many places of a tuple", "{\"prefixItems\":[", "{\"const\":\"%\"}", "]}", 70,
     "[[\"00000\",\"00001\"],[]]", "[[\"00001\"],[\"00000\",\"00000\"]]", true},
    {"many patterns", "{\"patternProperties\":{", "\"^%\":{\"const\":\"%\"}", "}}", 9,
     "[{\"00008\":\"00008\",\"x\":1}]", "[{\"00008\":\"00007\"},{\"000081\":1}]", true},
    {"more parts than are put in their place", "{\"allOf\":[", "{\"not\":{\"const\":\"%\"}}", "]}",
     40, "[\"x\",1]", "[\"00000\",\"00039\"]", true},
    {"more code than there may be", "{\"properties\":{",
     "\"p%\":{\"enum\":[\"%\",\"a%\",\"ab%\",\"abc%\",\"abcd%\"],\"type\":\"string\"}", "}}", 8000,
     "[{\"p07999\":\"07999\",\"p00000\":\"ab00000\"}]", "[{\"p07999\":\"07998\"}]", false},
};

static void run_large(const struct large *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema_options options = {.native = true, .limits = fer_schema_limits_file()};
    fer_schema *s;
    fer_str schema = repeat(a, row->head, row->each, row->tail, row->count);
    assert_int_equal(fer_schema_compile(schema, &options, &s, NULL), FER_OK);
    assert_int_equal(fer_schema_is_native(s), HERE && row->native);
    assert_int_equal(ask_list(a, s, row->valid, true), FER_OK);
    assert_int_equal(ask_list(a, s, row->invalid, false), FER_OK);
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* What is deeper than the machine code follows is left to the machine, which says the same. */
static void deep(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s;
    fer_str schema = FER_STR("{\"items\":{\"$ref\":\"#\"},\"type\":[\"array\",\"null\"]}");
    assert_int_equal(fer_schema_compile(schema, &by_code, &s, NULL), FER_OK);
    for (unsigned depth = 395; depth < 405; depth++) {
        for (unsigned right = 0; right < 2; right++) {
            char text[1024];
            memset(text, '[', depth);
            memcpy(text + depth, right ? "null" : "true", 4);
            memset(text + depth + 4, ']', depth);
            fer_json_limits limits = *fer_json_limits_file();
            limits.depth = 1000;
            fer_json *doc;
            bool valid = !right;
            assert_int_equal(
                fer_json_read(a, (fer_str){text, 2 * (size_t)depth + 4}, &limits, &doc, NULL), 0);
            assert_int_equal(fer_schema_accepts(s, a, fer_json_root(doc), &valid, NULL), FER_OK);
            assert_int_equal(valid, right);
        }
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* Alternatives inside alternatives: steps end, and the machine, which remembers, is asked. */
static void entangled(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s;
    fer_str schema = FER_STR(
        "{\"anyOf\":[{\"items\":{\"$ref\":\"#\"},\"maxItems\":1},{\"items\":{\"$ref\":\"#\"},"
        "\"minItems\":1}],\"not\":{\"const\":7}}");
    assert_int_equal(fer_schema_compile(schema, &by_code, &s, NULL), FER_OK);
    char text[128];
    for (unsigned right = 0; right < 2; right++) {
        memset(text, '[', 40);
        text[40] = right ? '8' : '7';
        memset(text + 41, ']', 40);
        bool valid = !right;
        const yyjson_val *v = must_read(a, (fer_str){text, 81}, NULL);
        assert_int_equal(fer_schema_accepts(s, a, v, &valid, NULL), FER_OK);
        assert_int_equal(valid, right);
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("native", rows, run) + ROWS_RUN("native without memory", rows, torture) +
           ROWS_RUN("native, large", larges, run_large) +
           ROWS_ONE("native without pages", without_pages) + ROWS_ONE("native, deep", deep) +
           ROWS_ONE("native, entangled", entangled);
}
