/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas that nobody wrote, for all profiles: converted, checked, witnessed, and there and
 * back. The conversion refuses by itself what its witnesses refute; here, that is a failure.
 * What comes out is asked again: calls of the converted schema come back and fit the original
 * unless it was called wider, and a conversion is the same when it is made again.
 */
#include <ferrule/convert.h>
#include <stdlib.h>

#include "buf.h"
#include "convert_checks.h"
#include "rows.h"

static uint64_t state;

static size_t any(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (size_t)((state >> 33) % below) : 0;
}

/* FERRULE_RANDOM=n makes n times as many. */
static size_t times(size_t few)
{
    uint64_t n = 1;
    const char *more = getenv("FERRULE_RANDOM");
    if (more) fer_parse_u64(fer_str_of(more), &n);
    return few * (size_t)n;
}

/* ---- schemas ---------------------------------------------------------------------------- */

static void schema(fer_buf *b, unsigned depth);

static void choose(fer_buf *b, const char *const *texts, size_t count)
{
    fer_buf_add_text(b, texts[any(count)]);
}
#define CHOOSE(b, texts) choose((b), (texts), FER_COUNT(texts))

static void maybe(fer_buf *b, unsigned one_in, const char *text)
{
    if (!any(one_in)) fer_buf_add_text(b, text);
}

static void string(fer_buf *b)
{
    static const char *const more[] = {"",
                                       "",
                                       ",\"minLength\":1",
                                       ",\"maxLength\":3",
                                       ",\"minLength\":2,\"maxLength\":120",
                                       ",\"pattern\":\"^[a-c]+$\"",
                                       ",\"format\":\"uri\"",
                                       ",\"format\":\"date\"",
                                       ",\"enum\":[\"a\",\"b\"]",
                                       ",\"enum\":[\"\",\"b\"]",
                                       ",\"const\":\"k\"",
                                       ",\"pattern\":\"(?=a)b?\"",
                                       ",\"format\":\"email\",\"maxLength\":20"};
    fer_buf_add_text(b, any(6) ? "\"type\":\"string\"" : "\"type\":[\"string\",\"null\"]");
    CHOOSE(b, more);
    maybe(b, 4, ",\"default\":\"a\"");
}

static void number(fer_buf *b)
{
    static const char *const more[] = {"",
                                       "",
                                       ",\"minimum\":1",
                                       ",\"minimum\":1,\"maximum\":9",
                                       ",\"exclusiveMinimum\":0",
                                       ",\"multipleOf\":2",
                                       ",\"enum\":[1,2]",
                                       ",\"exclusiveMaximum\":10,\"minimum\":2",
                                       ",\"maximum\":500,\"default\":3"};
    fer_buf_add_text(b, any(3) ? "\"type\":\"integer\"" : "\"type\":\"number\"");
    CHOOSE(b, more);
}

static void array(fer_buf *b, unsigned depth)
{
    fer_buf_add_text(b, "\"type\":\"array\"");
    if (any(6)) {
        fer_buf_add_text(b, ",\"items\":");
        schema(b, depth - 1);
    }
    maybe(b, 4, ",\"minItems\":1");
    maybe(b, 5, ",\"maxItems\":3");
    maybe(b, 6, ",\"uniqueItems\":true");
}

static void tuple(fer_buf *b, unsigned depth)
{
    fer_buf_add_text(b, "\"type\":\"array\",\"prefixItems\":[");
    schema(b, depth - 1);
    fer_buf_add_char(b, ',');
    schema(b, depth - 1);
    fer_buf_add_char(b, ']');
    maybe(b, 2, ",\"items\":false");
    maybe(b, 2, ",\"minItems\":2");
}

static void object(fer_buf *b, unsigned depth)
{
    static const char *const names[] = {"a", "b", "c", "$x", "long name", "required"};
    static const char *const closing[] = {"",
                                          "",
                                          ",\"additionalProperties\":false",
                                          ",\"additionalProperties\":true",
                                          ",\"additionalProperties\":{\"type\":\"integer\"}",
                                          ",\"unevaluatedProperties\":false"};
    static const char *const lists[] = {"", ",\"required\":[]", ",\"required\":[\"a\"]",
                                        ",\"required\":[\"a\",\"b\"]", ",\"required\":[\"z\"]"};
    static const char *const more[] = {
        "",
        "",
        "",
        "",
        ",\"minProperties\":1",
        ",\"dependentRequired\":{\"a\":[\"b\"]}",
        ",\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]",
        ",\"allOf\":[{\"type\":\"object\",\"properties\":{\"d\":{\"type\":\"string\"}}}]",
        ",\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]}",
        ",\"not\":{\"required\":[\"q\"]}",
        ",\"patternProperties\":{\"^x-\":{\"type\":\"string\"}}"};
    size_t from = any(3), count = any(4);
    fer_buf_add_text(b, "\"type\":\"object\"");
    if (any(8)) {
        fer_buf_add_text(b, ",\"properties\":{");
        for (size_t i = 0; i < count; i++) {
            fer_buf_printf(b, "%s\"%s\":", i ? "," : "", names[from + i]);
            schema(b, depth - 1);
        }
        fer_buf_add_char(b, '}');
    }
    CHOOSE(b, lists);
    CHOOSE(b, closing);
    CHOOSE(b, more);
}

static void alternatives(fer_buf *b, unsigned depth)
{
    static const char *const words[] = {"anyOf", "oneOf", "allOf"};
    fer_buf_printf(b, "\"%s\":[", words[any(5) % 3]);
    schema(b, depth - 1);
    fer_buf_add_char(b, ',');
    if (any(3)) schema(b, depth - 1);
    else fer_buf_add_text(b, "{\"type\":\"null\"}");
    fer_buf_add_char(b, ']');
}

static void other(fer_buf *b)
{
    static const char *const texts[] = {
        "",
        "\"type\":\"boolean\"",
        "\"type\":[\"string\",\"integer\"],\"minLength\":1",
        "\"const\":{\"x\":1}",
        "\"enum\":[1,\"1\",null]",
        "\"$ref\":\"#/$defs/D\"",
        "\"$ref\":\"#/$defs/D\",\"title\":\"d\"",
        "\"$ref\":\"#/$defs/R\"",
        "\"enum\":[true,\"x\"]",
        "\"type\":\"object\"",
        "\"minimum\":3",
        "\"type\":\"null\"",
        "\"type\":[\"object\",\"null\"],\"properties\":{\"y\":{\"type\":\"string\"}}"};
    CHOOSE(b, texts);
}

static void schema(fer_buf *b, unsigned depth)
{
    if (!any(30)) {
        fer_buf_add_text(b, "true");
        return;
    }
    fer_buf_add_char(b, '{');
    size_t kind = any(depth ? 10 : 4);
    if (kind < 2) string(b);
    else if (kind == 2) number(b);
    else if (kind == 3) other(b);
    else if (kind == 4) array(b, depth);
    else if (kind == 5) tuple(b, depth);
    else if (kind == 6) alternatives(b, depth);
    else object(b, depth);
    if (b->ptr[b->len - 1] != '{') maybe(b, 5, ",\"description\":\"text\"");
    fer_buf_add_char(b, '}');
}

static fer_str tool(fer_arena *a)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)1 << 20);
    fer_buf_add_text(&b, "{\"name\":\"t\",\"inputSchema\":{");
    object(&b, 3);
    fer_buf_add_text(
        &b,
        ",\"$defs\":{\"D\":{\"type\":\"string\",\"maxLength\":5},\"R\":{\"type\":\"object\",\"properties\":"
        "{\"v\":{\"type\":\"integer\"},\"next\":{\"$ref\":\"#/$defs/R\"}}}}}}");
    return fer_buf_view(&b);
}

/* ---- all profiles ----------------------------------------------------------------------- */

static void try_one(const char *profile, fer_str definition, size_t counts[2])
{
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new();
    if (fer_toolset_add(set, FER_STR("-"), definition, FER_FORMAT_JSON, &err))
        fail_msg("%s", err.message);
    convert_holds(set, profile, true, counts);
    fer_toolset_free(set);
}

static void random_tools(void)
{
    const char *seed = getenv("FERRULE_SEED");
    uint64_t first = 1;
    size_t counts[2] = {0};
    if (seed) fer_parse_u64(fer_str_of(seed), &first);
    for (size_t i = 0; i < times(60); i++) {
        fer_arena *a = fer_arena_new(0);
        state = (first + i) * 0x9E3779B97F4A7C15u;
        any(1), any(1);
        fer_str definition = tool(a);
        if (getenv("CONVERT_SHOW"))
            fprintf(stderr, "%zu %.*s\n", (size_t)first + i, FER_PRI(definition));
        for (size_t p = 0; p < fer_profile_count(); p++)
            try_one(fer_profile_name_at(p), definition, counts);
        fer_arena_free(a);
    }
    printf("# %zu converted, %zu refused\n", counts[0], counts[1]);
    assert_true(counts[0] > 0);
    assert_int_equal(convert_wrong(), 0);
}

int main(void)
{
    return ROWS_ONE("convert", random_tools);
}
