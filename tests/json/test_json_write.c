/* SPDX-License-Identifier: Apache-2.0 */
/* Plain output and other notations; depth is memory of the arena, not of the stack. */
#include "must_read.h"
#include "rows.h"

#include "json_doc.h"
#include "json_write.h"

/* ---- plain output --------------------------------------------------------------- */

static const struct output {
    const char *name;
    const char *text, *line, *pretty;
} outputs[] = {
    {"a scalar", " 12 ", "12", "12"},
    {"the order of keys is kept", "{\"b\":1, \"a\":[ ]}", "{\"b\":1,\"a\":[]}",
     "{\n  \"b\": 1,\n  \"a\": []\n}"},
    {"nested", "[1,[2],{\"a\":{}}]", "[1,[2],{\"a\":{}}]",
     "[\n  1,\n  [\n    2\n  ],\n  {\n    \"a\": {}\n  }\n]"},
    {"numbers past 64 bits", "[1e400,1E-400,18446744073709551616,0.10000000000000001]",
     "[1e400,1E-400,18446744073709551616,0.10000000000000001]",
     "[\n  1e400,\n  1E-400,\n  18446744073709551616,\n  0.10000000000000001\n]"},
    {"integers of 64 bits", "[18446744073709551615,-9223372036854775808]",
     "[18446744073709551615,-9223372036854775808]",
     "[\n  18446744073709551615,\n  -9223372036854775808\n]"},
    {"strings", "[\"\\u00e9\\n\\\"\\/\"]", "[\"\xC3\xA9\\n\\\"/\"]",
     "[\n  \"\xC3\xA9\\n\\\"/\"\n]"},
    {"control characters", "[\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\x7F\"]",
     "[\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\x7F\"]",
     "[\n  \"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\x7F\"\n]"},
    {"a long string with one odd byte", "[\"0123456789abcdef0123456789\\\\bcdef\"]",
     "[\"0123456789abcdef0123456789\\\\bcdef\"]",
     "[\n  \"0123456789abcdef0123456789\\\\bcdef\"\n]"},
    {"words", "[true,false,null]", "[true,false,null]", "[\n  true,\n  false,\n  null\n]"},
};

static fer_code attempt_output(fer_arena *a, const void *data)
{
    const struct output *row = data;
    fer_json *doc, *back;
    fer_str line, pretty;
    bool equal = false;
    fer_code code = fer_json_read(a, fer_str_of(row->text), NULL, &doc, NULL);
    if (!code) code = fer_json_write(a, fer_json_root(doc), false, &line, NULL);
    if (!code) code = fer_json_write(a, fer_json_root(doc), true, &pretty, NULL);
    if (!code) code = fer_json_read(a, pretty, NULL, &back, NULL);
    if (!code) code = fer_json_equal(a, fer_json_root(doc), fer_json_root(back), &equal, NULL);
    if (code) return code;
    fer_json_size size = fer_json_size_of(fer_json_root(doc));
    size_t characters = 0;
    for (size_t i = 0; i < line.len; i++) characters += (line.ptr[i] & 0xC0) != 0x80;
    assert_int_equal(size.bytes, line.len);
    assert_int_equal(size.characters, characters);
    assert_str(line, row->line);
    assert_str(pretty, row->pretty);
    assert_true(equal);
    return FER_OK;
}

static void run_output(const struct output *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt_output(a, row), FER_OK);
    fer_arena_free(a);
    assert_true(rows_torture_arena(attempt_output, row) > 1);
}

/* ---- other notations ------------------------------------------------------------ */

/* The last key first. */
static const yyjson_val **backwards(fer_arena *a, const yyjson_val *object, void *context)
{
    size_t count = fer_val_len(object), *calls = context;
    const yyjson_val **keys = fer_keys_plain(a, object);
    for (size_t i = 0; keys && i < count / 2; i++) {
        const yyjson_val *key = keys[i];
        keys[i] = keys[count - 1 - i];
        keys[count - 1 - i] = key;
    }
    ++*calls;
    return keys;
}

static const struct noted {
    const char *name;
    fer_notation notation;
    const char *text, *expected;
} notations[] = {
    {"keys in an order of one's own",
     {.order = backwards},
     "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}",
     "{\"b\":{\"d\":3,\"c\":2},\"a\":1}"},
    {"in that order, pretty",
     {.order = backwards, .pretty = true},
     "{\"a\":1,\"b\":[]}",
     "{\n  \"b\": [],\n  \"a\": 1\n}"},
    {"indented",
     {.pretty = true, .indent = 2},
     "{\"a\":[1,1e400]}",
     "{\n      \"a\": [\n        1,\n        1e400\n      ]\n    }"},
    {"indented, nothing in it", {.pretty = true, .indent = 2}, "[]", "[]"},
    {"a key left out, pretty",
     {.pretty = true, .skip = "a"},
     "{\"a\":1,\"b\":2}",
     "{\n  \"b\": 2\n}"},
    {"the only key left out, pretty", {.pretty = true, .skip = "a"}, "{\"a\":1}", "{}"},
    {"canonical, pretty",
     {.pretty = true, .canonical = true},
     "{\"b\":1.0,\"a\":1e2}",
     "{\n  \"a\": 100,\n  \"b\": 1\n}"},
    {"numbers as they are",
     {0},
     "[1.0,1e2,-0,-0.0,5e-324,100000000000000000000]",
     "[1.0,100.0,0,-0.0,5e-324,100000000000000000000.0]"},
};

static fer_code attempt_noted(fer_arena *a, const void *data)
{
    const struct noted *row = data;
    fer_notation notation = row->notation;
    size_t calls = 0;
    fer_json *doc;
    fer_buf b;
    notation.context = &calls;
    fer_buf_init(&b, a, 1000);
    fer_code code = fer_json_read(a, fer_str_of(row->text), NULL, &doc, NULL);
    if (!code) code = fer_write_add(a, &b, fer_json_root(doc), &notation, NULL);
    if (code) return code;
    assert_str(fer_buf_view(&b), row->expected);
    assert_int_equal(calls > 0, notation.order != NULL);
    /* What does not fit is refused, not cut. */
    char storage[4];
    fer_buf_init_fixed(&b, storage, sizeof storage);
    code = fer_write_add(a, &b, fer_json_root(doc), &notation, NULL);
    if (strlen(row->expected) <= sizeof storage) return code;
    assert_int_equal(code, FER_LIMIT_EXCEEDED);
    return FER_OK;
}

static void run_noted(const struct noted *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt_noted(a, row), FER_OK);
    fer_arena_free(a);
    assert_true(rows_torture_arena(attempt_noted, row) > 1);
}

/* ---- deep ones, written, in canonical form and compared ------------------------- */

static const struct deep {
    const char *name;
    const char *open, *middle, *close;
    size_t levels;
} deeps[] = {
    {"10,000 arrays", "[", "1", "]", 10000},
    {"10,000 objects", "{\"k\":", "{}", "}", 10000},
    {"300,000 of both", "[{\"k\":", "null", "}]", 150000},
};

static void run_deep(const struct deep *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json_limits limits = *fer_json_limits_file();
    fer_buf b;
    bool equal = false;
    limits.depth = row->levels * 2 + 1;
    fer_buf_init(&b, a, 1u << 24);
    for (size_t i = 0; i < row->levels; i++) fer_buf_add_text(&b, row->open);
    fer_buf_add_text(&b, row->middle);
    for (size_t i = 0; i < row->levels; i++) fer_buf_add_text(&b, row->close);
    fer_str text = fer_buf_view(&b), out;
    const yyjson_val *x = must_read(a, text, &limits), *y = must_read(a, text, &limits);
    assert_true(fer_str_eq(must_canon(a, x), text));
    assert_int_equal(fer_json_equal(a, x, y, &equal, NULL), FER_OK);
    assert_true(equal);
    assert_int_equal(fer_json_write(a, x, false, &out, NULL), FER_OK);
    assert_true(fer_str_eq(out, text));
    fer_arena_free(a);
}

/* ---- texts as strings --------------------------------------------------------------------------
 */

static const struct quote_row {
    const char *name;
    fer_str text;
    fer_code code;
    const char *out;
} quote_rows[] = {
    {"plain", {"hello", 5}, FER_OK, "\"hello\""},
    {"nothing", {"", 0}, FER_OK, "\"\""},
    {"quotes, backslashes, control characters",
     {"a\"b\\c\n\1", 7},
     FER_OK,
     "\"a\\\"b\\\\c\\n\\u0001\""},
    {"a NUL", {"a\0b", 3}, FER_OK, "\"a\\u0000b\""},
    {"past ASCII", {"\xC3\xA9\xF0\x9F\x98\x80", 6}, FER_OK, "\"\xC3\xA9\xF0\x9F\x98\x80\""},
    {"a character that is cut", {"ab\xC3", 3}, FER_INVALID_JSON, "byte 2"},
    {"a surrogate", {"\xED\xA0\x80", 3}, FER_INVALID_JSON, "byte 0"},
};

static void run_quote(const struct quote_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out = {0};
    fer_err err = {0};
    assert_int_equal(fer_json_quote(a, row->text, &out, &err), row->code);
    if (row->code) assert_non_null(strstr(err.message, row->out));
    else assert_true(fer_str_is(out, row->out));
    fer_arena_free(a);
}

static fer_code quote_attempt(fer_arena *a, const void *given)
{
    const struct quote_row *row = given;
    fer_str out;
    return fer_json_quote(a, row->text, &out, NULL);
}

static void torture_quote(const struct quote_row *row)
{
    if (!row->code) rows_torture_arena(quote_attempt, row);
}

int main(void)
{
    return ROWS_RUN("output", outputs, run_output) + ROWS_RUN("notation", notations, run_noted) +
           ROWS_RUN("deep", deeps, run_deep) + ROWS_RUN("texts as strings", quote_rows, run_quote) +
           ROWS_RUN("texts as strings, arena failing", quote_rows, torture_quote);
}
