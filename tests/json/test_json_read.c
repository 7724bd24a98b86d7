/* SPDX-License-Identifier: Apache-2.0 */
/* What the strict reader takes and refuses, and where it says the fault is. */
#include "rows.h"

#include "buf.h"
#include "json_doc.h"

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
#define BOM "\xEF\xBB\xBF"

struct row {
    const char *name;
    fer_str text;
    fer_code code;
    uint32_t line, column;
    const char *says; /* part of the message; of an accepted text the canonical form */
};

#define YES(name, text, canonical)                                                                 \
    {                                                                                              \
        name, T(text), FER_OK, 0, 0, canonical                                                     \
    }
#define NO(name, text, line, column, says)                                                         \
    {                                                                                              \
        name, T(text), FER_INVALID_JSON, line, column, says                                        \
    }
#define TWICE(name, text, line, column, says)                                                      \
    {                                                                                              \
        name, T(text), FER_DUPLICATE_KEY, line, column, says                                       \
    }

static const struct row rows[] = {
    YES("null", "null", "null"),
    YES("true", "true", "true"),
    YES("false", " false\n", "false"),
    YES("a number", "-12", "-12"),
    YES("an empty string", "\"\"", "\"\""),
    YES("an empty array", "[ ]", "[]"),
    YES("an empty object", "{ }", "{}"),
    YES("all four white spaces", " \t\r\n[ \t\r\n1 \t\r\n] \t\r\n", "[1]"),
    YES("every short escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""),
    YES("a surrogate pair", "\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\""),
    YES("a surrogate pair in capitals", "\"\\uD83D\\uDE00\"", "\"\xF0\x9F\x98\x80\""),
    YES("a noncharacter", "\"\\uFFFF\"", "\"\xEF\xBF\xBF\""),
    YES("U+10FFFF", "\"\xF4\x8F\xBF\xBF\"", "\"\xF4\x8F\xBF\xBF\""),
    YES("DEL in a string", "\"\x7F\"", "\"\x7F\""),
    YES("an escaped NUL", "\"a\\u0000b\"", "\"a\\u0000b\""),
    YES("a mark at the start", BOM "{\"a\":1}", "{\"a\":1}"),
    YES("a mark at the start, then white space", BOM " \n[]", "[]"),
    YES("a mark in a string", "\"" BOM "\"", "\"" BOM "\""),
    YES("the same key in two objects", "[{\"a\":1},{\"a\":2}]", "[{\"a\":1},{\"a\":2}]"),
    YES("the same key within itself", "{\"a\":{\"a\":{\"a\":1}}}", "{\"a\":{\"a\":{\"a\":1}}}"),
    YES("keys that differ by case", "{\"a\":1,\"A\":2}", "{\"A\":2,\"a\":1}"),
    YES("keys that differ after NUL", "{\"x\\u0000a\":1,\"x\\u0000b\":2}",
        "{\"x\\u0000a\":1,\"x\\u0000b\":2}"),
    YES("a key and the key with NUL", "{\"x\":1,\"x\\u0000\":2}", "{\"x\":1,\"x\\u0000\":2}"),
    YES("keys equal only when normalised", "{\"\xC3\xA9\":1,\"e\xCC\x81\":2}",
        "{\"e\xCC\x81\":2,\"\xC3\xA9\":1}"),
    YES("a key of __proto__", "{\"__proto__\":1}", "{\"__proto__\":1}"),

    TWICE("a key twice", "{\"a\":1,\"a\":2}", 1, 8, "\"a\" stands twice"),
    TWICE("a key twice with the same value", "{\"a\":1,\"a\":1}", 1, 8, "\"a\""),
    TWICE("a key three times: the second", "{\"a\":1,\"a\":2,\"a\":3}", 1, 8, "\"a\""),
    TWICE("a key twice through an escape", "{\"a\":1,\"\\u0061\":2}", 1, 8, "\"a\""),
    TWICE("a key twice, escaped first", "{\"\\u0061\":1,\"a\":2}", 1, 13, "\"a\""),
    TWICE("a key twice through a pair", "{\"\xF0\x9F\x98\x80\":1,\"\\uD83D\\uDE00\":2}", 1, 8,
          "\xF0\x9F\x98\x80"),
    TWICE("a key twice through an escaped slash", "{\"a/b\":1,\"a\\/b\":2}", 1, 10, "a/b"),
    TWICE("a key twice, deep", "{\"x\":[0,{\"y\":{\"k\":1,\"l\":2,\"k\":3}}]}", 1, 27, "\"k\""),
    TWICE("a key twice after a nested one", "{\"a\":{\"a\":1},\"b\":[],\"a\":2}", 1, 21, "\"a\""),
    TWICE("the empty key twice", "{\"\":1,\"\":2}", 1, 7, "\"\""),
    TWICE("a key with NUL twice", "{\"x\\u0000y\":1,\"x\\u0000y\":2}", 1, 15, "\"x"),
    TWICE("a key twice on other lines", "{\"a\":1\n,\n  \"a\":2}", 3, 3, "\"a\""),
    TWICE("a key twice, lines of CRLF", "{\"a\":1\r\n,\r\n  \"a\":2}", 3, 3, "\"a\""),
    TWICE("a key twice behind a mark", BOM "{\"a\":1,\"a\":2}", 1, 8, "\"a\""),
    TWICE("a key twice behind wide characters",
          "{\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\":1,\"a\":1,\"a\":2}", 1, 16, "\"a\""),

    NO("no text", "", 1, 1, "empty"),
    NO("white space only", " \n ", 1, 1, "empty"),
    NO("a mark only", BOM, 1, 1, "empty"),
    NO("an open array", "[", 1, 2, "ends too early"),
    NO("an open array after a comma", "[1,", 1, 4, "ends too early"),
    NO("an open array, another line", "[1,\n2\n", 3, 1, "ends too early"),
    NO("an open object", "{", 1, 2, "ends too early"),
    NO("an object ends behind a key", "{\"a\"", 1, 5, "ends too early"),
    NO("an object ends behind a colon", "{\"a\":", 1, 6, "ends too early"),
    NO("an object ends behind a value", "{\"a\":1", 1, 7, "ends too early"),
    NO("an open string", "\"abc", 1, 5, "ends too early"),
    NO("an open string after a backslash", "\"abc\\", 1, 6, "ends too early"),
    NO("half a word", "nul", 1, 4, "ends too early"),
    NO("a minus alone", "-", 1, 2, "ends too early"),
    NO("the wrong bracket", "[1}", 1, 3, "closing bracket"),
    NO("the wrong brace", "{\"a\":1]", 1, 7, "closing brace"),
    NO("only a closing bracket", "]", 1, 1, ""),
    NO("bytes behind the value", "1 2", 1, 3, "more text after the end"),
    NO("a value behind the value", "{}[]", 1, 3, "more text after the end"),
    NO("a bracket too many", "[1]]", 1, 4, "more text after the end"),
    NO("two lines of JSON", "{\"a\":1}\n{\"b\":2}", 2, 1, "more text after the end"),
    NO("NUL behind the value", "1\0", 1, 2, "more text after the end"),
    NO("NUL alone", "\0", 1, 1, ""),
    NO("NUL in a string", "[\"a\0b\"]", 1, 4, "control character"),
    NO("NUL between values", "[1,\0 2]", 1, 4, ""),
    NO("NUL for a comma", "[1\0]", 1, 3, ""),
    NO("a control character in a string", "\"a\x01z\"", 1, 3, "control character"),
    NO("a line end in a string", "\"a\nb\"", 1, 3, "control character"),
    NO("a tab in a string", "\"\t\"", 1, 2, "control character"),

    NO("a byte that is no UTF-8", "\"\xFF\"", 1, 2, "UTF-8"),
    NO("a lone continuation byte", "\"a\x80\"", 1, 3, "UTF-8"),
    NO("an overlong NUL", "\"\xC0\x80\"", 1, 2, "UTF-8"),
    NO("an overlong slash of three bytes", "\"\xE0\x80\xAF\"", 1, 2, "UTF-8"),
    NO("a surrogate in UTF-8", "\"\xED\xA0\x80\"", 1, 2, "UTF-8"),
    NO("a pair of surrogates in UTF-8", "\"\xED\xA0\xBD\xED\xB8\x80\"", 1, 2, "UTF-8"),
    NO("past U+10FFFF", "\"\xF4\x90\x80\x80\"", 1, 2, "UTF-8"),
    NO("a lead byte past F4", "\"\xF5\x80\x80\x80\"", 1, 2, "UTF-8"),
    NO("a cut sequence, behind wide ones", "\"\xC3\xA9\xE2\x82\"", 1, 3, "UTF-8"),
    NO("no UTF-8 in a key", "{\"\xFF\":1}", 1, 3, "UTF-8"),
    NO("no UTF-8 outside of strings", "[1,\xFF]", 1, 4, ""),
    NO("a no-break space",
       "\xC2\xA0"
       "1",
       1, 1, ""),
    NO("a high surrogate alone", "\"\\ud800\"", 1, 8, "surrogate"),
    NO("a high surrogate, then text", "\"\\ud800abc\"", 1, 8, "surrogate"),
    NO("a high surrogate, then another escape", "\"\\ud83d\\u0041\"", 1, 8, "surrogate"),
    NO("two high surrogates", "\"\\ud83d\\ud83d\"", 1, 8, "surrogate"),
    NO("a low surrogate alone", "\"\\udc00\"", 1, 2, "surrogate"),
    NO("surrogates in the wrong order", "\"\\ude00\\ud83d\"", 1, 2, "surrogate"),
    NO("a lone surrogate in a key", "{\"\\udead\":0}", 1, 3, "surrogate"),
    NO("an escape nobody knows", "\"\\q\"", 1, 3, "escaped character"),
    NO("a short escape", "\"\\u12\"", 1, 2, "escape"),
    NO("an escape of no hex", "\"\\u12G4\"", 1, 2, "escape"),

    NO("a mark inside", "[" BOM "1]", 1, 2, "byte order mark belongs at the very start"),
    NO("a mark behind a value", "{\"a\":1" BOM "}", 1, 7, "byte order mark"),
    NO("a mark behind white space", " " BOM "1", 1, 2, "byte order mark"),
    NO("two marks", BOM BOM "1", 1, 1, "byte order mark"),
    NO("half a mark",
       "\xEF\xBB"
       "1",
       1, 1, ""),
    NO("an error behind a mark", BOM "[x", 1, 2, ""),
    NO("UTF-16",
       "\xFF\xFE"
       "1\0",
       1, 1, ""),
    NO("a line comment", "// c\n1", 1, 1, "JSON has no comments"),
    NO("a block comment", "[1 /* c */]", 1, 4, "JSON has no comments"),
    NO("a hash comment", "{\n# c\n}", 2, 1, "JSON has no comments"),
    NO("a trailing comma in an array", "[1,2,]", 1, 5, "comma"),
    NO("a trailing comma in an object", "{\"a\":1,}", 1, 7, "comma"),
    NO("a comma first", "[,1]", 1, 2, ""),
    NO("two commas", "[1,,2]", 1, 4, ""),
    NO("no comma in an array", "[\"a\" \"b\"]", 1, 6, "a comma is missing"),
    NO("no comma between members", "{\"a\":\"b\"\n \"c\":1}", 2, 2, "a comma is missing"),
    NO("no colon", "{\"a\" 1}", 1, 6, "colon"),
    NO("single quotes", "{'a':1}", 1, 2, "double quotes"),
    NO("single quotes of a value", "['a']", 1, 2, "double quotes"),
    NO("a key without quotes", "{a:1}", 1, 2, "double quotes"),
    NO("a number for a key", "{1:2}", 1, 2, "key"),
    NO("NaN", "[NaN]", 1, 2, "no NaN and no Infinity"),
    NO("Infinity", "[Infinity]", 1, 2, "no NaN and no Infinity"),
    NO("-Infinity", "-Infinity", 1, 2, "no NaN and no Infinity"),
    NO("True", "[True]", 1, 2, "true, false and null"),
    NO("None", "[None]", 1, 2, "true, false and null"),
    NO("undefined", "{\"a\":undefined}", 1, 6, "true, false and null"),
    NO("leading zeros", "[012]", 1, 2, "leading zero"),
    NO("minus and leading zeros", "[-01]", 1, 3, "leading zero"),
    NO("a plus", "[+1]", 1, 2, ""),
    NO("no digit before the point", "[.5]", 1, 2, ""),
    NO("no digit behind the point", "[1.]", 1, 4, "digit"),
    NO("no digit in the exponent", "[1e]", 1, 4, "digit"),
    NO("no digit behind the point, then more", "[1.,2]", 1, 4, "digit"),
    NO("no digit behind the minus", "[-]", 1, 3, "digit"),
    NO("two points", "[1.2.3]", 1, 5, ""),
    NO("a hexadecimal number", "[0x10]", 1, 3, ""),
    NO("columns are code points", "[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\",x]", 1, 8, ""),
    NO("lines of LF", "[\n1,\n  x]", 3, 3, ""),
    NO("lines of CRLF", "[\r\n1,\r\n  x]", 3, 3, ""),
    NO("CR alone ends no line", "[\r1,\r  x]", 1, 8, ""),
};

static void check_err(const struct row *row, const fer_err *err)
{
    assert_int_equal(err->code, row->code);
    assert_int_equal(err->line, row->line);
    assert_int_equal(err->column, row->column);
    assert_true(err->offset <= row->text.len);
    if (!strstr(err->message, row->says)) fail_msg("\"%s\" has no \"%s\"", err->message, row->says);
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_json *untouched = (fer_json *)(uintptr_t)row, *doc = untouched;
    fer_err err = {0};
    fer_code code = fer_json_read(a, row->text, NULL, &doc, &err);
    assert_int_equal(err.code, code);
    if (code) assert_ptr_equal(doc, untouched);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    assert_int_equal(code, row->code);
    if (code) {
        check_err(row, &err);
        return FER_OK;
    }
    fer_str canonical;
    code = fer_json_canonical(a, fer_json_root(doc), &canonical, &err);
    if (!code) assert_str(canonical, row->says);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    /* Nobody has to ask for the reason. */
    fer_json *doc;
    assert_int_equal(fer_json_read(a, row->text, NULL, &doc, NULL), row->code);
    fer_arena_free(a);
}

static void torture(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 1);
}

static void no_text_at_all(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err;
    assert_int_equal(fer_json_read(a, FER_STR_NONE, NULL, &doc, &err), FER_INVALID_JSON);
    assert_int_equal(err.line, 1);
    assert_int_equal(err.column, 1);
    fer_arena_free(a);
}

/* ---- objects of many keys: few are compared, many are hashed -------------------- */

static const struct many {
    const char *name;
    size_t keys;          /* k0, k1, ... */
    size_t first, second; /* places of the same key; both 0: none */
} many[] = {
    {"2 keys", 2, 0, 0},
    {"16 keys", 16, 0, 0},
    {"17 keys", 17, 0, 0},
    {"5000 keys", 5000, 0, 0},
    {"2 keys, twice", 2, 0, 1},
    {"16 keys, first and last", 16, 0, 15},
    {"16 keys, the last two", 16, 14, 15},
    {"17 keys, first and last", 17, 0, 16},
    {"17 keys, the first two", 17, 0, 1},
    {"5000 keys, first and last", 5000, 0, 4999},
    {"5000 keys, the last two", 5000, 4998, 4999},
    {"5000 keys, in the middle", 5000, 1234, 2345},
};

static void run_many(const struct many *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    size_t second_at = 0;
    fer_buf_init(&b, a, 1u << 20);
    for (size_t i = 0; i < row->keys; i++) {
        bool again = row->second && i == row->second;
        fer_buf_add_char(&b, i ? ',' : '{');
        if (again) second_at = b.len;
        fer_buf_printf(&b, again ? "\"\\u006b%zu\":0" : "\"k%zu\":0", again ? row->first : i);
    }
    fer_buf_add_char(&b, '}');
    fer_json *doc;
    fer_err err;
    fer_code code = fer_json_read(a, fer_buf_view(&b), NULL, &doc, &err);
    assert_int_equal(code, row->second ? FER_DUPLICATE_KEY : FER_OK);
    if (code) assert_int_equal(err.offset, second_at);
    else assert_int_equal(fer_val_len(fer_json_root(doc)), row->keys);
    fer_arena_free(a);
}

/* ---- a part of a text: failures are placed in the whole -------------------------- */

static const struct part {
    const char *name;
    const char *text;
    size_t from, to;
    fer_code code;
    uint32_t line, column;
    const char *says;
} parts[] = {
    {"the whole", "[1]", 0, 3, FER_OK, 0, 0, "[1]"},
    {"an item", "[{\"a\":1}, 2]", 1, 8, FER_OK, 0, 0, "{\"a\":1}"},
    {"the whole with a mark", BOM "[1]", 0, 6, FER_OK, 0, 0, "[1]"},
    {"a line", "1\n[2,x]\n3", 2, 7, FER_INVALID_JSON, 2, 4, ""},
    {"a key twice", "[\n {\"a\":1,\"a\":2}]", 3, 16, FER_DUPLICATE_KEY, 2, 9, "\"a\""},
    {"it ends too early", "[1,\n[2,3]]", 4, 8, FER_INVALID_JSON, 2, 5, "too early"},
    {"more behind it", "[1, 2 3]", 4, 7, FER_INVALID_JSON, 1, 7, "more text"},
    {"nothing", "[1,2]", 3, 3, FER_INVALID_JSON, 1, 4, "empty"},
    {"a mark at its start", "1\n" BOM "2", 2, 6, FER_INVALID_JSON, 2, 1, "byte order mark"},
    {"behind a mark of the whole", BOM "[x]", 3, 6, FER_INVALID_JSON, 1, 2, ""},
    {"behind wide characters", "[\"\xC3\xA9\",\"\xFF\"]", 6, 9, FER_INVALID_JSON, 1, 7, "UTF-8"},
};

#define LINES(t) (&(fer_lines){.text = (t), .last = {0, 1, 1}, .mark = {0, 1, 1}})

static fer_code attempt_part(fer_arena *a, const void *data)
{
    const struct part *row = data;
    fer_json *doc;
    fer_err err = {0};
    fer_str text = fer_str_of(row->text), canonical;
    fer_code code = fer_json_read_part(a, LINES(text), row->from, row->to, NULL, &doc, &err);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    assert_int_equal(code, row->code);
    if (!code) {
        code = fer_json_canonical(a, fer_json_root(doc), &canonical, &err);
        if (!code) assert_str(canonical, row->says);
        return code;
    }
    assert_int_equal(err.line, row->line);
    assert_int_equal(err.column, row->column);
    assert_true(err.offset >= row->from && err.offset <= row->to);
    if (!strstr(err.message, row->says)) fail_msg("\"%s\"", err.message);
    return FER_OK;
}

static void run_part(const struct part *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    assert_int_equal(attempt_part(a, row), FER_OK);
    fer_code code =
        fer_json_read_part(a, LINES(fer_str_of(row->text)), row->from, row->to, NULL, &doc, NULL);
    assert_int_equal(code, row->code);
    fer_arena_free(a);
    rows_torture_arena(attempt_part, row);
}

/* A machine without memory: what the reader holds is freed, whichever allocation fails. */
static fer_code read_all_alone(fer_arena *none, const void *data)
{
    (void)none;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? attempt(a, data) : FER_OUT_OF_MEMORY;
    fer_arena_free(a);
    return code;
}

static void torture_machine(const struct row *row)
{
    assert_true(rows_torture_malloc(read_all_alone, row) > 1);
}

int main(void)
{
    return ROWS_RUN("json read", rows, run) + ROWS_RUN("json read, arena failing", rows, torture) +
           ROWS_RUN("json read, many keys", many, run_many) +
           ROWS_RUN("json read, malloc failing", rows, torture_machine) +
           ROWS_RUN("json read, a part", parts, run_part) + ROWS_ONE("json read", no_text_at_all);
}
