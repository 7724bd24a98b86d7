/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas and values that are grown from the input by a grammar, so that most of them mean
 * something. What must hold, beyond that a program agrees with itself (fuzz_agree.h):
 *  - not S is the opposite of S;
 *  - allOf [S, S], anyOf [S], oneOf [S], if S then true else false, and S about a member or an
 *    item, say what S says.
 */
#include "buf.h"
#include "fuzz_agree.h"

#define SCHEMAS_MAX 60
#define VALUES_MAX  80
#define DEPTH_MAX   4

struct grower {
    const uint8_t *at, *end;
    fer_buf *b;
    size_t schemas, values;
    bool old; /* 2019-09 */
};

static unsigned pick(struct grower *g, unsigned n)
{
    return g->at < g->end ? *g->at++ % n : 0;
}

static void put(struct grower *g, const char *text)
{
    fer_buf_add_text(g->b, text);
}

static void put_one(struct grower *g, const char *const *list, size_t count)
{
    put(g, list[pick(g, (unsigned)count)]);
}

#define PUT_ONE(g, ...)                                                                            \
    do {                                                                                           \
        static const char *const list[] = {__VA_ARGS__};                                           \
        put_one((g), list, FER_COUNT(list));                                                       \
    } while (0)

/* ---- values -------------------------------------------------------------------------------- */

static void grow_scalar(struct grower *g)
{
    PUT_ONE(g, "null", "true", "false", "0", "1", "2", "1.0", "1.5", "-1", "3", "10", "1e2", "\"\"",
            "\"a\"", "\"ab\"", "\"abc\"", "\"b\"", "\"1\"", "\"\xC3\xA9\"", "100000000000000000001",
            "0.3", "\"{\\\"a\\\":1}\"");
}

static void grow_value(struct grower *g, int depth)
{
    unsigned kind = pick(g, 4);
    if (depth == 0 || kind < 2 || g->values++ > VALUES_MAX) {
        grow_scalar(g);
    } else if (kind == 2) {
        put(g, "[");
        for (unsigned n = pick(g, 5), i = 0; i < n; i++) {
            if (i) put(g, ",");
            grow_value(g, depth - 1);
        }
        put(g, "]");
    } else {
        static const char *const keys[] = {"\"a\":", "\"b\":", "\"c\":", "\"ab\":"};
        unsigned which = pick(g, 16), count = 0;
        put(g, "{");
        for (unsigned i = 0; i < 4; i++) {
            if (!(which >> i & 1)) continue;
            if (count++) put(g, ",");
            put(g, keys[i]);
            grow_value(g, depth - 1);
        }
        put(g, "}");
    }
}

/* ---- schemas ------------------------------------------------------------------------------- */

static void grow_schema(struct grower *g, int depth);

static void grow_map(struct grower *g, int depth, bool patterns)
{
    static const char *const names[] = {
        "\"a\":", "\"b\":", "\"c\":", "\"^a\":", "\".\":", "\"b$\":"};
    unsigned which = 1 + pick(g, 7), count = 0;
    put(g, "{");
    for (unsigned i = 0; i < 3; i++) {
        if (!(which >> i & 1)) continue;
        if (count++) put(g, ",");
        put(g, names[patterns ? i + 3 : i]);
        grow_schema(g, depth);
    }
    put(g, "}");
}

static void grow_list(struct grower *g, int depth)
{
    put(g, "[");
    for (unsigned n = 1 + pick(g, 3), i = 0; i < n; i++) {
        if (i) put(g, ",");
        grow_schema(g, depth);
    }
    put(g, "]");
}

static void grow_names(struct grower *g)
{
    PUT_ONE(g, "[]", "[\"a\"]", "[\"b\"]", "[\"a\",\"b\"]", "[\"c\"]");
}

enum kind {
    SCHEMA,
    MAP,
    PATTERNS,
    LIST,
    NAMES,
    COUNT,
    NUMBER,
    TYPE,
    ENUM,
    VALUE,
    BOOL,
    TEXT,
    REF,
    DEPENDENT,
    OTHER
};

static void grow_member(struct grower *g, enum kind kind, int depth)
{
    switch (kind) {
    case SCHEMA: grow_schema(g, depth); return;
    case MAP: grow_map(g, depth, false); return;
    case PATTERNS: grow_map(g, depth, true); return;
    case LIST: grow_list(g, depth); return;
    case NAMES: grow_names(g); return;
    case COUNT: PUT_ONE(g, "0", "1", "2", "3", "1e0", "1000000000000000000000"); return;
    case NUMBER: PUT_ONE(g, "1", "2", "0.1", "1.5", "1e2", "3", "100000000000000000000"); return;
    case TYPE:
        PUT_ONE(g, "\"object\"", "\"array\"", "\"string\"", "\"integer\"", "\"number\"", "\"null\"",
                "\"boolean\"", "[\"object\",\"array\"]", "[\"string\",\"null\"]",
                "[\"integer\",\"object\"]");
        return;
    case ENUM:
        PUT_ONE(g, "[1,\"a\"]", "[null,true]", "[{\"a\":1},[1]]", "[\"a\",\"b\",\"ab\"]", "[]",
                "[0,1,2,3,4,5,6,7,8,9,\"a\",\"b\",[],{}]");
        return;
    case VALUE: grow_value(g, 2); return;
    case BOOL: PUT_ONE(g, "true", "false"); return;
    case TEXT:
        PUT_ONE(g, "\"^a\"", "\"b$\"", "\"^.{1,2}$\"", "\"[0-9]\"", "\"(a|b)+\"", "\"\"");
        return;
    case REF:
        PUT_ONE(g, "\"#/$defs/a\"", "\"#/$defs/b\"", "\"#\"", "\"#x\"", "\"#/$defs/a/items\"");
        return;
    case DEPENDENT:
        put(g, "{\"a\":");
        grow_names(g);
        put(g, ",\"b\":");
        grow_names(g);
        put(g, "}");
        return;
    case OTHER: PUT_ONE(g, "\"date\"", "\"email\"", "\"base64\"", "\"application/json\""); return;
    }
}

static const struct {
    const char *name;
    enum kind kind;
    unsigned in; /* 1: 2020-12, 2: 2019-09 */
} keywords[] = {
    {"type", TYPE, 3},
    {"properties", MAP, 3},
    {"items", SCHEMA, 3},
    {"anyOf", LIST, 3},
    {"oneOf", LIST, 3},
    {"allOf", LIST, 3},
    {"not", SCHEMA, 3},
    {"$ref", REF, 3},
    {"unevaluatedProperties", SCHEMA, 3},
    {"unevaluatedItems", SCHEMA, 3},
    {"additionalProperties", SCHEMA, 3},
    {"required", NAMES, 3},
    {"enum", ENUM, 3},
    {"const", VALUE, 3},
    {"prefixItems", LIST, 1},
    {"additionalItems", SCHEMA, 2},
    {"if", SCHEMA, 3},
    {"then", SCHEMA, 3},
    {"else", SCHEMA, 3},
    {"contains", SCHEMA, 3},
    {"minContains", COUNT, 3},
    {"maxContains", COUNT, 3},
    {"minimum", NUMBER, 3},
    {"exclusiveMaximum", NUMBER, 3},
    {"multipleOf", NUMBER, 3},
    {"minLength", COUNT, 3},
    {"maxLength", COUNT, 3},
    {"pattern", TEXT, 3},
    {"minItems", COUNT, 3},
    {"maxItems", COUNT, 3},
    {"uniqueItems", BOOL, 3},
    {"minProperties", COUNT, 3},
    {"maxProperties", COUNT, 3},
    {"patternProperties", PATTERNS, 3},
    {"propertyNames", SCHEMA, 3},
    {"dependentRequired", DEPENDENT, 3},
    {"dependentSchemas", MAP, 3},
    {"dependencies", MAP, 3},
    {"format", OTHER, 3},
    {"contentMediaType", OTHER, 3},
    {"contentEncoding", OTHER, 3},
    {"contentSchema", SCHEMA, 3},
    {"title", OTHER, 3},
    {"x-unknown", VALUE, 3},
    {"default", VALUE, 3},
};

/* Keywords without the braces around them: up to four, each later in the table. */
static void grow_keywords(struct grower *g, int depth, bool first)
{
    size_t at = 0;
    for (unsigned n = pick(g, 5); n > 0; n--) {
        at += pick(g, 14);
        if (at >= FER_COUNT(keywords)) return;
        if (keywords[at].in & (g->old ? 2u : 1u)) {
            fer_buf_printf(g->b, "%s\"%s\":", first ? "" : ",", keywords[at].name);
            grow_member(g, keywords[at].kind, depth - 1);
            first = false;
        }
        at++;
    }
    if (pick(g, 8) == 1) {
        if (!first) put(g, ",");
        put(g, g->old ? "\"$recursiveRef\":\"#\"" : "\"$dynamicRef\":\"#x\"");
    }
}

static void grow_schema(struct grower *g, int depth)
{
    if (depth <= 0 || g->schemas++ > SCHEMAS_MAX) {
        PUT_ONE(g, "true", "false", "{}", "{\"type\":\"string\"}", "{\"minimum\":2}");
        return;
    }
    put(g, "{");
    grow_keywords(g, depth, true);
    put(g, "}");
}

/* A resource of its own, so that it means the same wherever it stands. */
static fer_str grow_resource(struct grower *g, fer_arena *a)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)1 << 20);
    g->b = &b;
    put(g, "{\"$id\":\"fuzz:/s\",\"$defs\":{\"a\":{");
    put(g, g->old ? "\"$anchor\":\"x\"" : "\"$dynamicAnchor\":\"x\"");
    put(g, ",\"items\":");
    grow_schema(g, 2);
    put(g, "},\"b\":");
    grow_schema(g, 3);
    /* Another resource with the same anchor, for the dynamic scope. */
    if (pick(g, 3) == 1) {
        put(g, ",\"c\":{\"$id\":\"fuzz:/c\",");
        put(g, g->old ? "\"$recursiveAnchor\":true," : "\"$dynamicAnchor\":\"x\",");
        put(g, "\"$ref\":\"fuzz:/s\"}");
    }
    put(g, "}");
    if (g->old && pick(g, 2)) put(g, ",\"$recursiveAnchor\":true");
    if (pick(g, 2)) {
        grow_keywords(g, DEPTH_MAX, false);
    } else {
        put(g, ",\"allOf\":");
        grow_list(g, DEPTH_MAX);
    }
    put(g, "}");
    HOLDS(!b.failure);
    return fer_buf_view(&b);
}

/* ---- what must hold ------------------------------------------------------------------------ */

static fer_schema *compile(fer_str text, const struct grower *g, unsigned flags)
{
    fer_schema_limits limits = *fer_schema_limits_message();
    limits.steps = 2000;
    fer_schema_options options = {.dialect = g->old ? FER_DIALECT_2019_09 : FER_DIALECT_2020_12,
                                  .assert_formats = flags & 1,
                                  .assert_content = flags & 2,
                                  .native = true,
                                  .limits = &limits};
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_code code = fer_schema_compile(text, &options, &s, &err);
    if (code) HOLDS(code >= FER_INVALID_SCHEMA && code <= FER_EXTERNAL_REF && err.message[0]);
    return s;
}

/* `around` has the schema as `$ref: fuzz:/s`, `value` the value as %. */
static const struct wrapped {
    const char *around;
    const char *value;
    bool opposite;
} wraps[] = {
    {"\"not\":{\"$ref\":\"fuzz:/s\"}", "%", true},
    {"\"not\":{\"not\":{\"$ref\":\"fuzz:/s\"}}", "%", false},
    {"\"allOf\":[{\"$ref\":\"fuzz:/s\"},{\"$ref\":\"fuzz:/s\"}]", "%", false},
    {"\"anyOf\":[false,{\"$ref\":\"fuzz:/s\"}]", "%", false},
    {"\"oneOf\":[{\"$ref\":\"fuzz:/s\"},false]", "%", false},
    {"\"if\":{\"$ref\":\"fuzz:/s\"},\"else\":false", "%", false},
    {"\"items\":{\"$ref\":\"fuzz:/s\"}", "[%,%]", false},
    {"\"contains\":{\"$ref\":\"fuzz:/s\"}", "[%]", false},
    {"\"properties\":{\"k\":{\"$ref\":\"fuzz:/s\"}}", "{\"k\":%}", false},
    {"\"additionalProperties\":{\"$ref\":\"fuzz:/s\"}", "{\"k\":%}", false},
    {"\"unevaluatedProperties\":{\"$ref\":\"fuzz:/s\"}", "{\"k\":%}", false},
    {"\"unevaluatedItems\":{\"$ref\":\"fuzz:/s\"}", "[%]", false},
};

static const fer_json *value_in(fer_arena *a, const char *around, fer_str value)
{
    fer_buf b;
    fer_json *doc;
    fer_buf_init(&b, a, (size_t)1 << 20);
    for (; *around; around++) {
        if (*around == '%') fer_buf_add(&b, value);
        else fer_buf_add_char(&b, *around);
    }
    HOLDS(!b.failure && !fer_json_read(a, fer_buf_view(&b), NULL, &doc, NULL));
    return doc;
}

static void check_wrap(fer_arena *a, const struct grower *g, unsigned flags, fer_str schema,
                       fer_str value, const struct wrapped *w, enum agreed expected)
{
    fer_str text = fer_arena_printf(a, "{\"$defs\":{\"s\":%.*s},%s}", FER_PRI(schema), w->around);
    fer_schema *s = compile(text, g, flags);
    HOLDS(s);
    const fer_json *doc = value_in(a, w->value, value);
    enum agreed got = agree(a, s, doc, fer_json_root(doc));
    fer_schema_unref(s);
    if (got == AGREED_NOTHING) return;
    HOLDS((got == expected) != w->opposite);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    unsigned flags = data[0];
    struct grower g = {.at = data + 2, .end = data + size, .old = flags & 4};
    fer_arena *a = fuzz_arena();
    fer_str schema = grow_resource(&g, a);
    fer_schema *s = compile(schema, &g, flags);
    if (s) {
        fer_buf b;
        fer_json *doc;
        fer_buf_init(&b, a, (size_t)1 << 20);
        g.b = &b;
        grow_value(&g, 3);
        fer_str value = fer_buf_view(&b);
        HOLDS(!fer_json_read(a, value, NULL, &doc, NULL));
        enum agreed expected = agree(a, s, doc, fer_json_root(doc));
        const struct wrapped *w = &wraps[data[1] % FER_COUNT(wraps)];
        if (expected != AGREED_NOTHING) check_wrap(a, &g, flags, schema, value, w, expected);
        fer_schema_unref(s);
    }
    fer_arena_free(a);
    return 0;
}
