/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verdict takes nothing from the heap: once the arena has met the like, asking again calls
 * neither the seam's malloc nor, where no sanitizer has its own, the C library's, whoever calls.
 * Structures that are compared with others are the exception: an arena and its first chunk for a
 * verdict, which are given back before it is told.
 */
#include <ferrule/schema.h>

#include <stdlib.h>

#include "json_doc.h"
#include "must_read.h"
#include "rows.h"

/* ---- counting ------------------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTS_ALL true

static size_t taken;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);

/* In place of the C library's, for the libraries that are loaded too. */
void *malloc(size_t size)
{
    taken++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    taken++;
    return __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    taken++;
    return __libc_realloc(p, size);
}
#else
#define COUNTS_ALL false
static const size_t taken;
#endif

/* ---- verdicts ------------------------------------------------------------------------------- */

#define AGAIN 3
#define BRIEF 2 /* allocations: an arena and its first chunk */

#define TOOL(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"

static const struct row {
    const char *name;
    const char *schema;
    const char *values; /* a list */
    bool brief;         /* structures are compared in memory of the machine (fer_vm_brief) */
} rows[] = {
    {"flat call",
     "{\"type\":\"object\",\"required\":[\"city\"],\"additionalProperties\":false,\"properties\":{"
     "\"city\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":40},\"alerts\":{\"type\":"
     "\"boolean\"},\"days\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":14}}}",
     "[{\"city\":\"Lyon\",\"days\":3,\"alerts\":true},{\"days\":99,\"city\":\"Lyon\"},{\"town\":1},"
     "{\"city\":\"\xC3\x84\xC3\x96\"},[]]"},
    {"nested order",
     TOOL("\"lines\":{\"type\":\"array\",\"minItems\":1,\"items\":" TOOL(
         "\"sku\":{\"type\":\"string\"},\"count\":{\"type\":\"integer\"}") "}"),
     "[{\"lines\":[{\"sku\":\"a\",\"count\":1},{\"sku\":\"b\",\"count\":2.0}]},{\"lines\":[]},"
     "{\"lines\":[{\"sku\":7}]}]"},
    {"enum", TOOL("\"unit\":{\"enum\":[\"c\",\"f\",1,null,true]}"),
     "[{\"unit\":\"f\"},{\"unit\":1},{\"unit\":null},{\"unit\":\"k\"},{\"unit\":1.0}]"},
    {"enum of many",
     TOOL("\"cur\":{\"enum\":[\"AUD\",\"BRL\",\"CAD\",\"CHF\",\"CNY\",\"DKK\",\"EUR\",\"GBP\","
          "\"INR\",\"JPY\",\"NOK\",\"SEK\",\"USD\"]}"),
     "[{\"cur\":\"EUR\"},{\"cur\":\"USD\"},{\"cur\":\"XXX\"}]"},
    {"enum and const of structures",
     TOOL("\"at\":{\"enum\":[[0,0],{\"x\":1}]},\"v\":{\"const\":[1]}"),
     "[{\"at\":[0,0.0]},{\"at\":{\"x\":1},\"v\":[1]},{\"at\":[1]},{\"v\":[2]}]", true},
    {"ranges and multiples",
     TOOL("\"price\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"multipleOf\":0.01}"),
     "[{\"price\":17.35},{\"price\":3},{\"price\":0.001},{\"price\":1e400},{\"price\":-1}]"},
    {"pattern",
     TOOL("\"id\":{\"pattern\":\"^[A-Z]{2,5}-[0-9]+$\"},\"note\":{\"pattern\":\"\\\\S\"}"),
     "[{\"id\":\"OPS-4711\",\"note\":\"  x\"},{\"id\":\"ops-1\"},{\"id\":\"A\xC3\x84-1\"}]"},
    {"pattern beyond a table", TOOL("\"w\":{\"pattern\":\"^(?=.*\\\\d)(?!.*\\\\s).*(a|b){3,9}$\"}"),
     "[{\"w\":\"x1abab\"},{\"w\":\"x abab\"},{\"w\":\"\"}]"},
    {"pattern with a back-reference", TOOL("\"q\":{\"pattern\":\"^(['\\\"]).*\\\\1$\"}"),
     "[{\"q\":\"'it'\"},{\"q\":\"'it\\\"\"}]"},
    {"oneOf with tags",
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"kind\"],\"properties\":{\"kind\":{\"const\":"
     "\"click\"},\"x\":{\"type\":\"integer\"}}},{\"type\":\"object\",\"required\":[\"kind\"],"
     "\"properties\":{\"kind\":{\"const\":\"type\"},\"text\":{\"type\":\"string\"}}}]}",
     "[{\"kind\":\"click\",\"x\":1},{\"text\":\"a\",\"kind\":\"type\"},{\"kind\":\"drag\"},{}]"},
    {"anyOf of types",
     TOOL("\"v\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":"
          "\"integer\"}},{\"type\":\"null\"},{\"type\":\"string\",\"maxLength\":2}]}"),
     "[{\"v\":\"a\"},{\"v\":[1,2]},{\"v\":null},{\"v\":[\"a\"]},{\"v\":false}]"},
    {"uniqueItems of few strings",
     TOOL("\"tags\":{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"string\"}}"),
     "[{\"tags\":[\"red\",\"green\",\"blue\"]},{\"tags\":[\"red\",\"red\"]},{\"tags\":[]}]"},
    {"uniqueItems of anything", "{\"uniqueItems\":true}", "[[1,\"1\",[1],{\"a\":1}],[1,1.0]]",
     true},
    {"recursive tree",
     "{\"type\":\"object\",\"properties\":{\"children\":{\"type\":\"array\",\"items\":{\"$ref\":"
     "\"#\"}},\"name\":{\"type\":\"string\"}}}",
     "[{\"name\":\"a\",\"children\":[{\"children\":[{\"name\":\"b\"}]},{}]},"
     "{\"children\":[{\"children\":[{\"name\":0}]}]}]"},
    {"patternProperties",
     "{\"patternProperties\":{\"^x-\":{\"type\":\"string\"}},\"additionalProperties\":{\"type\":"
     "\"boolean\"},\"propertyNames\":{\"maxLength\":9}}",
     "[{\"x-a\":\"1\",\"b\":true},{\"x-a\":1},{\"b\":1},{\"much-too-long\":true}]"},
    {"unevaluatedProperties",
     "{\"allOf\":[{\"$ref\":\"#/$defs/base\"}],\"properties\":{\"b\":true},"
     "\"unevaluatedProperties\":false,\"$defs\":{\"base\":{\"properties\":{\"a\":true}}}}",
     "[{\"a\":1,\"b\":2},{\"a\":1,\"c\":2}]"},
    {"contains, if, not, dependentRequired",
     "{\"type\":[\"array\",\"object\"],\"contains\":{\"const\":1},\"if\":{\"required\":[\"a\"]},"
     "\"then\":{\"required\":[\"b\"]},\"not\":{\"required\":[\"z\"]},\"dependentRequired\":{"
     "\"c\":[\"d\"]}}",
     "[[0,1],[0],{\"a\":1,\"b\":1},{\"a\":1},{\"z\":1},{\"c\":1}]"},
};

static void ask(const struct row *row, const fer_schema *s, fer_arena *scratch,
                const yyjson_val *values)
{
    FER_EACH_ITEM (values, value) {
        bool valid;
        fer_code code = fer_schema_accepts(s, scratch, value, &valid, NULL);
        if (code) fail_msg("%s: %s", row->name, fer_code_info(code)->name);
        fer_arena_reset(scratch);
    }
}

static void run_one(const struct row *row, bool native)
{
    fer_schema_options options = {.native = native};
    fer_arena *a = fer_arena_new(0), *scratch = fer_arena_new(0);
    fer_schema *s = NULL;
    fer_err err;
    assert_true(a && scratch);
    if (fer_schema_compile(fer_str_of(row->schema), &options, &s, &err))
        fail_msg("%s", err.message);
    const yyjson_val *values = must_read(a, fer_str_of(row->values), NULL);
    ask(row, s, scratch, values);
    int64_t held = fer_faults_live();
    size_t most = row->brief ? BRIEF * AGAIN * fer_val_len(values) : 0;
    assert_true(fer_faults_begin(NULL));
    size_t before = taken;
    for (int again = 0; again < AGAIN; again++) ask(row, s, scratch, values);
    size_t after = taken;
    assert_in_range(fer_faults_calls("malloc"), 0, most);
    assert_in_range(after - before, 0, most);
    assert_int_equal(fer_faults_live(), held);
    fer_schema_unref(s);
    fer_arena_free(scratch);
    fer_arena_free(a);
}

static void run(const struct row *row)
{
    run_one(row, false);
    run_one(row, true);
}

/* What is counted is what is asked for: else the rows would prove nothing. */
static void counts(void)
{
    size_t before = taken;
    assert_true(fer_faults_begin(NULL));
    fer_arena_free(fer_arena_new(0));
    assert_int_equal(fer_faults_calls("malloc"), 1);
    assert_true(!COUNTS_ALL || taken > before);
}

int main(void)
{
    return ROWS_ONE("no heap", counts) + ROWS_RUN("no heap", rows, run);
}
