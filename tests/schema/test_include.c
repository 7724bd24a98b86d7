/* SPDX-License-Identifier: Apache-2.0 */
/* One schema within another: proofs, witnesses, and what stays unknown. */
#include <ferrule/schema.h>

#include "rows.h"

enum {
    YES,
    NO,
    OPEN
};

static const struct row {
    const char *name;
    const char *smaller;
    const char *larger;
    int expected;
} rows[] = {
    /* types and values */
    {"anything in anything", "{}", "true", YES},
    {"nothing in anything", "false", "{\"type\":\"null\"}", YES},
    {"anything in nothing", "true", "false", NO},
    {"a type in anything", "{\"type\":\"string\"}", "{}", YES},
    {"anything in a type", "{}", "{\"type\":\"string\"}", NO},
    {"whole numbers in numbers", "{\"type\":\"integer\"}", "{\"type\":\"number\"}", YES},
    {"numbers in whole numbers", "{\"type\":\"number\"}", "{\"type\":\"integer\"}", NO},
    {"a type in several", "{\"type\":\"string\"}", "{\"type\":[\"string\",\"null\"]}", YES},
    {"an enum in a type", "{\"enum\":[1,2]}", "{\"type\":\"integer\"}", YES},
    {"an enum in a longer one", "{\"enum\":[\"a\"]}", "{\"enum\":[\"b\",\"a\"]}", YES},
    {"an enum in a shorter one", "{\"enum\":[\"a\",\"b\"]}", "{\"enum\":[\"a\"]}", NO},
    {"a const in an enum", "{\"const\":{\"a\":1.0}}", "{\"enum\":[{\"a\":1}]}", YES},
    {"booleans in an enum", "{\"type\":\"boolean\"}", "{\"enum\":[true,false,null]}", YES},
    {"few whole numbers in an enum", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}",
     "{\"enum\":[1,2,3]}", YES},
    {"an enum that a pattern narrows", "{\"enum\":[\"a\",\"bb\"],\"pattern\":\"^a\"}",
     "{\"maxLength\":1}", YES},
    /* numbers */
    {"a narrower range", "{\"type\":\"number\",\"minimum\":1,\"maximum\":2}",
     "{\"minimum\":0,\"maximum\":3}", YES},
    {"a wider range", "{\"type\":\"number\",\"minimum\":0}", "{\"minimum\":1}", NO},
    {"open in closed", "{\"type\":\"number\",\"exclusiveMinimum\":1}", "{\"minimum\":1}", YES},
    {"closed in open", "{\"type\":\"number\",\"minimum\":1}", "{\"exclusiveMinimum\":1}", NO},
    {"open in closed, whole", "{\"type\":\"integer\",\"exclusiveMinimum\":0}", "{\"minimum\":1}",
     YES},
    {"multiples of multiples", "{\"multipleOf\":6}", "{\"multipleOf\":3}", YES},
    {"multiples the other way", "{\"multipleOf\":3}", "{\"multipleOf\":6}", NO},
    {"decimal multiples", "{\"multipleOf\":0.1}", "{\"multipleOf\":0.01}", YES},
    {"whole are multiples", "{\"type\":\"integer\"}", "{\"multipleOf\":0.5}", YES},
    /* texts */
    {"lengths", "{\"type\":\"string\",\"minLength\":2}", "{\"minLength\":1}", YES},
    {"lengths the other way", "{\"type\":\"string\",\"maxLength\":9}", "{\"maxLength\":5}", NO},
    {"the same pattern", "{\"pattern\":\"(a)\\\\1\"}", "{\"pattern\":\"(a)\\\\1\"}", YES},
    {"a narrower pattern", "{\"pattern\":\"^a+$\"}", "{\"pattern\":\"^[a-z]*$\"}", YES},
    {"a wider pattern", "{\"pattern\":\"^[a-z]+$\"}", "{\"pattern\":\"^a+$\"}", NO},
    {"a pattern and lengths", "{\"type\":\"string\",\"pattern\":\"^[0-9]{3}$\"}",
     "{\"minLength\":3,\"maxLength\":3}", YES},
    {"lengths and a pattern", "{\"type\":\"string\",\"minLength\":1}", "{\"pattern\":\".\"}", NO},
    {"look-around", "{\"pattern\":\"^(?=a)[ab]$\"}", "{\"pattern\":\"^(?=a)a$\"}", OPEN},
    /* arrays */
    {"items", "{\"items\":{\"type\":\"integer\"}}", "{\"items\":{\"type\":\"number\"}}", YES},
    {"items the other way", "{\"items\":{\"type\":\"number\"}}",
     "{\"items\":{\"type\":\"integer\"}}", NO},
    {"counts", "{\"type\":\"array\",\"minItems\":2,\"maxItems\":3}",
     "{\"minItems\":1,\"maxItems\":4}", YES},
    {"prefix in items", "{\"prefixItems\":[{\"type\":\"integer\"}],\"items\":false}",
     "{\"items\":{\"type\":\"number\"}}", YES},
    {"a closed prefix is short", "{\"prefixItems\":[true],\"items\":false}", "{\"maxItems\":1}",
     YES},
    {"prefix that grew", "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}",
     "{\"prefixItems\":[{\"type\":\"string\"},true],\"items\":false}", YES},
    {"unique", "{\"uniqueItems\":true}", "{}", YES},
    {"unique the other way", "{\"type\":\"array\"}", "{\"uniqueItems\":true}", NO},
    {"one item is unique", "{\"maxItems\":1}", "{\"uniqueItems\":true}", YES},
    {"contains by items", "{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}}",
     "{\"contains\":{\"type\":\"string\"}}", YES},
    {"contains added", "{\"type\":\"array\"}", "{\"contains\":{\"const\":7}}", NO},
    /* objects */
    {"a property more", "{\"type\":\"object\",\"additionalProperties\":false}",
     "{\"properties\":{\"a\":{\"type\":\"string\"}},\"additionalProperties\":false}", YES},
    {"a property more, open", "{\"type\":\"object\"}",
     "{\"properties\":{\"a\":{\"type\":\"string\"}}}", NO},
    {"required", "{\"required\":[\"a\",\"b\"]}", "{\"required\":[\"b\"]}", YES},
    {"required the other way", "{\"properties\":{\"a\":{}}}", "{\"required\":[\"a\"]}", NO},
    {"closed in open", "{\"properties\":{\"a\":{}},\"additionalProperties\":false}",
     "{\"properties\":{\"a\":{}}}", YES},
    {"open in closed", "{\"properties\":{\"a\":{}}}",
     "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", NO},
    {"deep", "{\"properties\":{\"a\":{\"properties\":{\"b\":{\"maximum\":3}}}}}",
     "{\"properties\":{\"a\":{\"properties\":{\"b\":{\"maximum\":2}}}}}", NO},
    {"patterns of names",
     "{\"patternProperties\":{\"^x\":{\"type\":\"integer\"}},\"additionalProperties\":false}",
     "{\"patternProperties\":{\"^x\":{\"type\":\"number\"}}}", YES},
    {"patterns of names the other way", "{\"patternProperties\":{\"^x\":{\"type\":\"number\"}}}",
     "{\"patternProperties\":{\"^x\":{\"type\":\"integer\"}}}", NO},
    {"additional", "{\"additionalProperties\":{\"type\":\"integer\"}}",
     "{\"additionalProperties\":{\"type\":\"number\"}}", YES},
    {"names", "{\"propertyNames\":{\"maxLength\":3}}", "{\"propertyNames\":{\"maxLength\":4}}",
     YES},
    {"names the other way", "{\"type\":\"object\"}", "{\"propertyNames\":{\"maxLength\":4}}", NO},
    {"counts of members", "{\"required\":[\"a\"]}", "{\"minProperties\":1}", YES},
    {"counts of members of objects", "{\"type\":\"object\",\"required\":[\"a\"]}",
     "{\"minProperties\":1}", YES},
    {"dependent", "{\"type\":\"object\",\"required\":[\"b\"]}",
     "{\"dependentRequired\":{\"a\":[\"b\"]}}", YES},
    {"dependent added", "{\"type\":\"object\"}", "{\"dependentRequired\":{\"a\":[\"b\"]}}", NO},
    {"dependent kept", "{\"dependentRequired\":{\"a\":[\"b\",\"c\"]}}",
     "{\"dependentRequired\":{\"a\":[\"b\"]}}", YES},
    /* logic */
    {"a branch more", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"},{\"type\":\"integer\"}]}", YES},
    {"a branch less", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"anyOf\":[{\"type\":\"string\"}]}", NO},
    {"types and branches", "{\"type\":[\"string\",\"null\"]}",
     "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", YES},
    {"branches and types", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"type\":[\"string\",\"null\"]}", YES},
    {"one of, disjoint", "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"},{\"type\":\"integer\"}]}", YES},
    {"one of, overlapping", "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"},{\"minLength\":2,\"type\":\"string\"}]}",
     NO},
    {"one of, told apart by a member",
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"a\"}}},"
     "{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"b\"}}}]}",
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"a\"}}},"
     "{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"b\"}}},"
     "{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"c\"}}}]}",
     YES},
    {"all of", "{\"allOf\":[{\"minimum\":1},{\"maximum\":5}],\"type\":\"integer\"}",
     "{\"minimum\":0,\"maximum\":5}", YES},
    {"all of grew", "{\"allOf\":[{\"minimum\":1}]}",
     "{\"allOf\":[{\"minimum\":1},{\"maximum\":5}]}", NO},
    {"not kept", "{\"not\":{\"type\":[\"string\",\"null\"]}}", "{\"not\":{\"type\":\"string\"}}",
     YES},
    {"not added", "{}", "{\"not\":{\"type\":\"string\"}}", NO},
    {"not by type", "{\"type\":\"integer\"}", "{\"not\":{\"type\":\"string\"}}", YES},
    {"if kept", "{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\",\"c\"]}}",
     "{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]}}", YES},
    {"if added", "{\"type\":\"object\"}",
     "{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]}}", NO},
    /* references */
    {"reference and its target",
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"integer\"}}}", "{\"type\":\"number\"}",
     YES},
    {"a list, recursive",
     "{\"$ref\":\"#/$defs/l\",\"$defs\":{\"l\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},"
     "\"next\":{\"$ref\":\"#/$defs/l\"}}}}}",
     "{\"$ref\":\"#/$defs/l\",\"$defs\":{\"l\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"number\"},"
     "\"next\":{\"$ref\":\"#/$defs/l\"}}}}}",
     YES},
    {"a list, recursive, narrowed",
     "{\"$ref\":\"#/$defs/l\",\"$defs\":{\"l\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"number\"},"
     "\"next\":{\"$ref\":\"#/$defs/l\"}}}}}",
     "{\"$ref\":\"#/$defs/l\",\"$defs\":{\"l\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},"
     "\"next\":{\"$ref\":\"#/$defs/l\"}}}}}",
     NO},
    {"a difference below the recursion",
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"n\":{\"$ref\":\"#/$defs/a\"},"
     "\"m\":{\"properties\":{\"k\":{}}}}}}}",
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"n\":{\"$ref\":\"#/$defs/a\"},"
     "\"m\":{\"properties\":{\"k\":{\"type\":\"string\"}}}}}}}",
     NO},
    /* dialects */
    {"1.0 in draft-04", "{\"type\":\"integer\"}",
     "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"type\":\"integer\"}", NO},
    {"siblings of a reference in draft-07", "{\"type\":\"object\",\"properties\":{\"a\":{}}}",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"definitions\":{\"a\":{}},"
     "\"$ref\":\"#/definitions/a\",\"type\":\"string\"}",
     YES},
    {"unevaluated", "{\"type\":\"object\"}", "{\"unevaluatedProperties\":false}", NO},
};

static bool accepts(fer_arena *a, const fer_schema *s, fer_str json)
{
    fer_json *doc;
    fer_err err;
    bool valid = false;
    assert_int_equal(fer_json_read(a, json, NULL, &doc, &err), FER_OK);
    assert_int_equal(fer_schema_accepts(s, a, fer_json_root(doc), &valid, &err), FER_OK);
    return valid;
}

static fer_code attempt(fer_arena *a, const struct row *row)
{
    fer_err err = {0};
    fer_included got;
    fer_arena *own = a ? a : fer_arena_new(0);
    fer_schema *smaller = NULL, *larger = NULL;
    fer_code code = own ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) code = fer_schema_compile(fer_str_of(row->smaller), NULL, &smaller, &err);
    if (!code) code = fer_schema_compile(fer_str_of(row->larger), NULL, &larger, &err);
    if (!code) code = fer_schema_includes(own, larger, smaller, 0, &got, &err);
    /* An automaton for which there is no memory is done without: then less can be said. */
    bool less = !a && !code && got.verdict == FER_INCLUSION_UNKNOWN;
    if (!code && !less && (int)got.verdict != row->expected)
        fail_msg("verdict %d, witness %.*s", (int)got.verdict, FER_PRI(got.witness));
    if (!code && got.verdict == FER_NOT_INCLUDED && a) {
        assert_true(accepts(own, smaller, got.witness));
        assert_false(accepts(own, larger, got.witness));
    }
    fer_schema_unref(smaller);
    fer_schema_unref(larger);
    if (!a) fer_arena_free(own);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_code code = attempt(a, row);
    fer_arena_free(a);
    assert_int_equal(code, FER_OK);
}

static fer_code attempt_any(fer_arena *a, const void *row)
{
    return attempt(a, row);
}

/* Every allocation fails once, for a few rows that take every way. */
static void torture(void)
{
    static const char *const names[] = {"a narrower pattern", "deep", "one of, overlapping"};
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        for (size_t n = 0; n < FER_COUNT(names); n++)
            if (strcmp(rows[i].name, names[n]) == 0) rows_torture_malloc(attempt_any, &rows[i]);
}

/* A proof ends where its work does: the answer is then unknown, or a witness. */
static void limits(void)
{
    fer_err err;
    fer_included got;
    fer_arena *a = fer_arena_new(0);
    fer_schema *s, *t;
    assert_int_equal(
        fer_schema_compile(FER_STR("{\"type\":\"integer\",\"minimum\":3}"), NULL, &s, &err),
        FER_OK);
    assert_int_equal(
        fer_schema_compile(FER_STR("{\"type\":\"number\",\"minimum\":2}"), NULL, &t, &err), FER_OK);
    assert_int_equal(fer_schema_includes(a, t, s, 1, &got, &err), FER_OK);
    assert_int_equal(got.verdict, FER_INCLUSION_UNKNOWN);
    assert_int_equal(fer_schema_includes(a, t, s, 100, &got, &err), FER_OK);
    assert_int_equal(got.verdict, FER_INCLUDED);
    fer_schema_unref(s);
    fer_schema_unref(t);
    fer_arena_free(a);
}

/* What a tolerant reader takes. */
static const struct opened {
    const char *name;
    const char *schema;
    const char *expected;
} opened[] = {
    {"closed", "{\"type\":\"object\",\"additionalProperties\":false}", "{\"type\":\"object\"}"},
    {"a schema stays", "{\"additionalProperties\":{\"type\":\"string\"}}",
     "{\"additionalProperties\":{\"type\":\"string\"}}"},
    {"inside", "{\"properties\":{\"a\":{\"unevaluatedProperties\":false}}}",
     "{\"properties\":{\"a\":{}}}"},
    {"one of", "{\"oneOf\":[{\"additionalProperties\":false,\"required\":[\"a\"]}]}",
     "{\"anyOf\":[{\"required\":[\"a\"]}]}"},
    {"not", "{\"not\":{\"additionalProperties\":false}}",
     "{\"not\":{\"additionalProperties\":false}}"},
    {"a property of that name", "{\"properties\":{\"additionalProperties\":false}}",
     "{\"properties\":{\"additionalProperties\":false}}"},
    {"an example", "{\"const\":{\"additionalProperties\":false}}",
     "{\"const\":{\"additionalProperties\":false}}"},
};

static void run_opened(const struct opened *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err;
    fer_str out;
    assert_int_equal(fer_json_read(a, fer_str_of(row->schema), NULL, &doc, &err), FER_OK);
    assert_int_equal(fer_schema_open(a, doc, NULL, FER_DIALECT_DEFAULT, &out, &err), FER_OK);
    assert_str(out, row->expected);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("include", rows, run) + ROWS_RUN("open", opened, run_opened) +
           ROWS_ONE("include", limits) + ROWS_ONE("include", torture);
}
