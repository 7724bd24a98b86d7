/* SPDX-License-Identifier: Apache-2.0 */
/* Instances of schemas: what must be among them, that all are judged rightly, and limits. */
#include <ferrule/schema.h>

#include "rows.h"
#include "sample.h"

static const struct row {
    const char *name;
    const char *schema;
    const char *valid[4]; /* these are among the instances */
    const char *invalid[4];
} rows[] = {
    {"bounds", "{\"type\":\"integer\",\"minimum\":3,\"maximum\":9}", {"3", "9"}, {"2", "10"}},
    {"exclusive bounds", "{\"type\":\"integer\",\"exclusiveMinimum\":3}", {"4"}, {"3"}},
    {"multiples", "{\"type\":\"integer\",\"minimum\":10,\"multipleOf\":7}", {"14", "21"}, {"10"}},
    {"enum", "{\"enum\":[\"a\",null,7]}", {"\"a\"", "null", "7"}, {"true"}},
    {"lengths",
     "{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}",
     {"\"aa\"", "\"aaa\""},
     {"\"a\"", "\"aaaa\""}},
    {"pattern", "{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-[0-9]+$\"}", {"\"AA-0\""}, {"\"a\""}},
    {"pattern and length",
     "{\"type\":\"string\",\"pattern\":\"^x+$\",\"maxLength\":4}",
     {"\"x\"", "\"xxxx\""},
     {"\"\""}},
    {"required and optional",
     "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"const\":1},\"b\":{\"const\":2}}}",
     {"{\"a\":1}", "{\"a\":1,\"b\":2}"},
     {"{}"}},
    {"closed",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1}},\"additionalProperties\":false}",
     {"{}", "{\"a\":1}"},
     {NULL}},
    {"arrays",
     "{\"type\":\"array\",\"items\":{\"const\":5},\"minItems\":1,\"maxItems\":2}",
     {"[5]", "[5,5]"},
     {"[]", "[5,5,5]"}},
    {"unique",
     "{\"type\":\"array\",\"items\":{\"enum\":[1,2]},\"uniqueItems\":true,\"minItems\":2}",
     {"[1,2]"},
     {"[1,1]"}},
    {"alternatives", "{\"anyOf\":[{\"const\":1},{\"const\":\"x\"}]}", {"1", "\"x\""}, {"true"}},
    {"condition",
     "{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"enum\":[\"a\",\"b\"]},\"n\":{\"const\":1}},\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}}},\"then\":{\"required\":[\"n\"]}}",
     {"{\"k\":\"a\",\"n\":1}", "{\"k\":\"b\"}"},
     {"{\"k\":\"a\"}"}},
    {"recursive",
     "{\"type\":\"object\",\"properties\":{\"next\":{\"$ref\":\"#\"}}}",
     {"{}"},
     {"null"}},
    {"names by pattern",
     "{\"type\":\"object\",\"patternProperties\":{\"^x_\":{\"const\":1}},\"additionalProperties\":false,\"minProperties\":1}",
     {"{\"x_\":1}"},
     {"{}"}},
    {"nothing", "false", {NULL}, {"null"}},
};

static bool has(const fer_specimen *list, size_t count, const char *json, bool valid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].valid == valid && fer_str_is(list[i].json, json)) return true;
    return false;
}

static void judge(fer_arena *a, const fer_schema *s, const fer_specimen *one)
{
    fer_json *doc;
    fer_err err;
    bool valid = !one->valid;
    if (fer_json_read(a, one->json, NULL, &doc, &err)) fail_msg("%s", err.message);
    assert_int_equal(fer_schema_accepts(s, a, fer_json_root(doc), &valid, &err), FER_OK);
    if (valid != one->valid) fail_msg("%.*s", FER_PRI(one->json));
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_err err = {0};
    fer_schema *s = NULL;
    fer_specimen *list = NULL;
    size_t count = 0;
    fer_arena *own = a ? a : fer_arena_new(0);
    fer_sample_options o = {.near_misses = true};
    fer_code code =
        own ? fer_schema_compile(fer_str_of(row->schema), NULL, &s, &err) : FER_OUT_OF_MEMORY;
    if (!code) code = fer_schema_samples(own, s, &o, &list, &count, &err);
    for (size_t i = 0; !code && a && i < count; i++) judge(own, s, &list[i]);
    for (size_t i = 0; !code && a && i < 4; i++) {
        if (row->valid[i] && !has(list, count, row->valid[i], true))
            fail_msg("no %s", row->valid[i]);
        if (row->invalid[i] && !has(list, count, row->invalid[i], false))
            fail_msg("no miss %s", row->invalid[i]);
    }
    fer_schema_unref(s);
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

static void torture(void)
{
    rows_torture_malloc(attempt, &rows[7]);
    rows_torture_malloc(attempt, &rows[9]);
}

/* The same schema gives the same instances; a seed only orders them; a limit is kept. */
static void options(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema *s;
    fer_err err;
    fer_specimen *x, *y, *z;
    size_t nx, ny, nz;
    assert_int_equal(fer_schema_compile(FER_STR("{\"type\":\"integer\"}"), NULL, &s, &err), FER_OK);
    assert_int_equal(fer_schema_samples(a, s, NULL, &x, &nx, &err), FER_OK);
    assert_int_equal(fer_schema_samples(a, s, NULL, &y, &ny, &err), FER_OK);
    fer_sample_options o = {.seed = 7};
    assert_int_equal(fer_schema_samples(a, s, &o, &z, &nz, &err), FER_OK);
    assert_true(nx > 3 && nx == ny && nx == nz);
    for (size_t i = 0; i < nx; i++) assert_true(fer_str_eq(x[i].json, y[i].json));
    for (size_t i = 0; i < nx; i++) assert_true(has(z, nz, fer_arena_copy(a, x[i].json).ptr, true));
    o = (fer_sample_options){.max = 2, .near_misses = true};
    assert_int_equal(fer_schema_samples(a, s, &o, &z, &nz, &err), FER_OK);
    assert_int_equal(nz, 4);
    o = (fer_sample_options){.steps = 1};
    assert_int_equal(fer_schema_samples(a, s, &o, &z, &nz, &err), FER_OK);
    assert_int_equal(nz, 0);
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* Texts and lists are as long as the limits allow, and no longer. */
static const struct edge {
    const char *name;
    const char *start;
    size_t limit;
} edges[] = {
    {"length of a text", "\"type\":\"string\",\"minLength\"", FER_SAMPLE_LENGTH},
    {"items", "\"type\":\"array\",\"items\":{\"const\":1},\"minItems\"", FER_SAMPLE_ITEMS},
    {"members", "\"type\":\"object\",\"minProperties\"", FER_SAMPLE_ITEMS},
};

static void run_edge(const struct edge *row)
{
    for (size_t over = 0; over < 2; over++) {
        char text[200];
        fer_arena *a = fer_arena_new(0);
        fer_schema *s;
        fer_err err;
        fer_specimen *list;
        size_t count;
        snprintf(text, sizeof text, "{%s:%zu}", row->start, row->limit + over);
        assert_int_equal(fer_schema_compile(fer_str_of(text), NULL, &s, &err), FER_OK);
        assert_int_equal(fer_schema_samples(a, s, NULL, &list, &count, &err), FER_OK);
        if (over) assert_int_equal(count, 0);
        else assert_true(count > 0);
        fer_schema_unref(s);
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("sample", rows, run) + ROWS_RUN("edges", edges, run_edge) +
           ROWS_ONE("sample", options) + ROWS_ONE("sample", torture);
}
