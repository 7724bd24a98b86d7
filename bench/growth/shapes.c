/* SPDX-License-Identifier: Apache-2.0 */
#include "shapes.h"

/* ---- pieces --------------------------------------------------------------------------------- */

static void add(fer_buf *b, const char *text)
{
    fer_buf_add_text(b, text);
}

/* `n` times head and number and tail, with commas between. */
static void list(fer_buf *b, size_t n, const char *head, const char *tail)
{
    for (size_t i = 0; i < n; i++) {
        if (i) fer_buf_add_char(b, ',');
        add(b, head);
        fer_buf_printf(b, "%zu", i);
        add(b, tail);
    }
}

/* The list between two texts. */
static void whole(fer_buf *b, size_t n, const char *before, const char *head, const char *tail,
                  const char *behind)
{
    add(b, before);
    list(b, n, head, tail);
    add(b, behind);
}

static void times(fer_buf *b, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) add(b, text);
}

/* ---- values --------------------------------------------------------------------------------- */

static void members(fer_buf *b, size_t n)
{
    whole(b, n, "{", "\"member", "\":1", "}");
}

static void numbers(fer_buf *b, size_t n)
{
    whole(b, n, "[", "1", "", "]");
}

static void words(fer_buf *b, size_t n)
{
    whole(b, n, "[", "\"value", "\"", "]");
}

static void objects(fer_buf *b, size_t n)
{
    whole(b, n, "[", "{\"id\":", ",\"name\":\"a\",\"tags\":[1,2]}", "]");
}

static void mixed(fer_buf *b, size_t n)
{
    whole(b, n, "[", "\"s\",true,null,[],{},", "", "]");
}

static void one_number(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "1");
}

static void last_tag(fer_buf *b, size_t n)
{
    fer_buf_printf(b, "{\"kind\":\"k%zu\",\"size\":1}", n - 1);
}

static void text(fer_buf *b, size_t n)
{
    fer_buf_add_char(b, '"');
    times(b, n, "lorem ipsum ");
    fer_buf_add_char(b, '"');
}

static void letters(fer_buf *b, size_t n)
{
    fer_buf_add_char(b, '"');
    times(b, n, "abcdefgh");
    fer_buf_add_char(b, '"');
}

static void nested_lists(fer_buf *b, size_t n)
{
    times(b, n, "[");
    times(b, n, "]");
}

/* As even as it can be: a node, and the rest in two halves. */
static void tree_of(fer_buf *b, size_t n)
{
    add(b, "{\"v\":1");
    if (n > 1) {
        add(b, ",\"l\":");
        tree_of(b, (n - 1) - (n - 1) / 2);
    }
    if (n > 2) {
        add(b, ",\"r\":");
        tree_of(b, (n - 1) / 2);
    }
    add(b, "}");
}

static void wrong_items(fer_buf *b, size_t n)
{
    whole(b, n, "[", "{\"id\":\"", "\",\"nmae\":1}", "]");
}

/* ---- schemas -------------------------------------------------------------------------------- */

static void additional(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}");
}

static void known(fer_buf *b, size_t n)
{
    whole(b, n, "{\"properties\":{", "\"member", "\":{\"type\":\"integer\",\"minimum\":0}",
          "},\"additionalProperties\":false}");
}

static void required(fer_buf *b, size_t n)
{
    whole(b, n, "{\"required\":[", "\"member", "\"", "]}");
}

static void dependent(fer_buf *b, size_t n)
{
    whole(b, n, "{\"dependentRequired\":{", "\"member", "\":[\"member0\",\"member1\"]", "}}");
}

static void names(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"propertyNames\":{\"maxLength\":30,\"pattern\":\"^[a-z]+[0-9]+$\"}}");
}

static void few_patterns(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"patternProperties\":{\"^m\":{\"type\":\"integer\"},\"[0-9]$\":{\"minimum\":1},"
           "\"em+b\":{},\"x$\":false}}");
}

static void many_patterns(fer_buf *b, size_t n)
{
    whole(b, n, "{\"patternProperties\":{", "\"^x", "[a-z]+$\":{\"type\":\"integer\"}", "}}");
}

static void unevaluated(fer_buf *b, size_t n)
{
    whole(b, n, "{\"allOf\":[{\"properties\":{", "\"member", "\":{\"type\":\"integer\"}",
          "}}],\"unevaluatedProperties\":false}");
}

static void items(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":"
           "\"integer\"},\"name\":{\"type\":\"string\"}},\"required\":[\"id\"],"
           "\"additionalProperties\":{\"type\":\"array\"}}}");
}

static void unique(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"uniqueItems\":true}");
}

static void contains(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"contains\":{\"type\":\"integer\",\"minimum\":100},\"minContains\":5}");
}

static void some_type(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"boolean\"},{\"type\":\"array\"},"
           "{\"type\":\"object\"},{\"type\":\"string\"},{\"type\":\"integer\"}]}}");
}

static void tagged(fer_buf *b, size_t n, const char *keyword)
{
    fer_buf_printf(b, "{\"%s\":[", keyword);
    list(b, n, "{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"k",
         "\"},\"size\":{\"type\":\"integer\"}},\"required\":[\"kind\"]}");
    add(b, "]}");
}

static void any_tagged(fer_buf *b, size_t n)
{
    tagged(b, n, "anyOf");
}

static void one_tagged(fer_buf *b, size_t n)
{
    tagged(b, n, "oneOf");
}

static void all_of(fer_buf *b, size_t n)
{
    whole(b, n, "{\"allOf\":[", "{\"properties\":{\"member", "\":{\"type\":\"integer\"}}}", "]}");
}

static void all_simple(fer_buf *b, size_t n)
{
    whole(b, n, "{\"allOf\":[", "{\"maximum\":9", "}", "]}");
}

static void chain(fer_buf *b, size_t n)
{
    add(b, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (size_t i = 0; i < n; i++) {
        fer_buf_printf(b, "\"d%zu\":{\"minimum\":0,\"$ref\":\"#/$defs/d%zu\"},", i, i + 1);
    }
    fer_buf_printf(b, "\"d%zu\":{\"type\":\"integer\"}}}", n);
}

static void tree(fer_buf *b, size_t n)
{
    (void)n;
    add(b,
        "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},\"l\":{\"$ref\":\"#\"},"
        "\"r\":{\"$ref\":\"#\"}},\"additionalProperties\":false}");
}

static void lists(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
}

static void pattern(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"pattern\":\"^([a-h]+x?)*$\"}");
}

static void far_pattern(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"not\":{\"pattern\":\"(a|ab)(c|bcd)*[x-z]{2,4}\"}}");
}

static void max_length(fer_buf *b, size_t n)
{
    (void)n;
    add(b, "{\"type\":\"string\",\"minLength\":1,\"maxLength\":100000000}");
}

static void enum_words(fer_buf *b, size_t n)
{
    whole(b, n, "{\"items\":{\"enum\":[", "\"value", "\"", "]}}");
}

static void enum_numbers(fer_buf *b, size_t n)
{
    whole(b, n, "{\"items\":{\"enum\":[", "1", "", "]}}");
}

static void nested(fer_buf *b, size_t n)
{
    times(b, n, "{\"items\":");
    add(b, "{}");
    times(b, n, "}");
}

static void defs(fer_buf *b, size_t n)
{
    whole(b, n, "{\"$defs\":{", "\"d", "\":{\"type\":\"integer\",\"minimum\":0}",
          "},\"properties\":{");
    whole(b, n, "", "\"p", "\":{\"$ref\":\"#/$defs/d1\"}", "}}");
}

static void all_refs(fer_buf *b, size_t n)
{
    whole(b, n, "{\"$defs\":{", "\"d", "\":{\"type\":\"integer\"}", "},\"allOf\":[");
    whole(b, n, "", "{\"$ref\":\"#/$defs/d", "\"}", "]}");
}

static void anchors(fer_buf *b, size_t n)
{
    add(b, "{\"$defs\":{");
    for (size_t i = 0; i < n; i++) {
        fer_buf_printf(b, "%s\"d%zu\":{\"$anchor\":\"a%zu\"}", i ? "," : "", i, i);
    }
    add(b, "}}");
}

static void patterns(fer_buf *b, size_t n)
{
    add(b, "{\"properties\":{");
    for (size_t i = 0; i < n; i++) {
        fer_buf_printf(b, "%s\"p%zu\":{\"pattern\":\"^[a-z]{2,8}-%zu[0-9]+$\"}", i ? "," : "", i,
                       i);
    }
    add(b, "}}");
}

static void description(fer_buf *b, size_t n)
{
    add(b, "{\"type\":\"object\",\"description\":");
    text(b, n);
    add(b, "}");
}

static void described(fer_buf *b, size_t n)
{
    whole(b, n, "{\"properties\":{", "\"p",
          "\":{\"type\":[\"string\",\"null\"],\"description\":\"What this one is for.\","
          "\"default\":null,\"maxLength\":20}",
          "}}");
}

/* ---- the table ------------------------------------------------------------------------------ */

#define DEEP 15 /* 120 inside each other are the last size: 128 are allowed */

const struct shape growth_shapes[] = {
    {"members of an object", 1000, additional, members, false},
    {"members that are known", 1000, known, members, false},
    {"required names", 1000, required, members, false},
    {"dependentRequired", 1000, dependent, members, false},
    {"propertyNames", 1000, names, members, false},
    {"patternProperties, more keys", 1000, few_patterns, members, false},
    {"patternProperties, more patterns", 50, many_patterns, last_tag, false},
    {"unevaluatedProperties", 1000, unevaluated, members, false},
    {"depth", DEEP, lists, nested_lists, false},
    {"items", 1000, items, objects, false},
    {"uniqueItems of numbers", 1000, unique, numbers, false},
    {"uniqueItems of strings", 1000, unique, words, false},
    {"uniqueItems of objects", 1000, unique, objects, false},
    {"contains", 1000, contains, numbers, false},
    {"enum of strings, as many values", 1000, enum_words, words, false},
    {"enum of numbers, as many values", 1000, enum_numbers, numbers, false},
    {"anyOf of types", 500, some_type, mixed, false},
    {"anyOf of tagged objects, branches", 100, any_tagged, last_tag, false},
    {"oneOf of tagged objects, branches", 100, one_tagged, last_tag, false},
    {"allOf, branches on one object", 100, all_of, last_tag, false},
    {"allOf, branches on one number", 100, all_simple, one_number, false},
    {"$ref to $ref", 50, chain, one_number, false},
    {"$ref to itself, a tree", 1000, tree, tree_of, false},
    {"pattern on a long string", 1000, pattern, letters, false},
    {"pattern that is not found", 1000, far_pattern, letters, false},
    {"maxLength of a long string", 1000, max_length, text, false},
    {"wrong items, told", 100, items, wrong_items, true},
    {"wrong enum values, told", 100, enum_numbers, words, true},

    {"properties", 200, known, NULL, false},
    {"properties with descriptions", 200, described, NULL, false},
    {"depth", DEEP, nested, NULL, false},
    {"enum of strings", 1000, enum_words, NULL, false},
    {"enum of numbers", 1000, enum_numbers, NULL, false},
    {"required names", 1000, required, NULL, false},
    {"dependentRequired", 500, dependent, NULL, false},
    {"$defs and as many $ref", 200, defs, NULL, false},
    {"$ref in allOf", 200, all_refs, NULL, false},
    {"$ref to $ref", 200, chain, NULL, false},
    {"$anchor", 200, anchors, NULL, false},
    {"anyOf, branches", 200, any_tagged, NULL, false},
    {"oneOf, branches", 200, one_tagged, NULL, false},
    {"allOf, branches", 200, all_of, NULL, false},
    {"pattern", 50, patterns, NULL, false},
    {"patternProperties", 50, many_patterns, NULL, false},
    {"a long description", 1000, description, NULL, false},
};
const size_t growth_shape_count = FER_COUNT(growth_shapes);
