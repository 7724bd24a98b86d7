/* SPDX-License-Identifier: Apache-2.0 */
/* YAML 1.2 as JSON: what each text means, what is refused, and where. */
#include "rows.h"

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
        name, T(text), FER_INVALID_YAML, line, column, says                                        \
    }
#define TWICE(name, text, line, column)                                                            \
    {                                                                                              \
        name, T(text), FER_DUPLICATE_KEY, line, column, "stands twice"                             \
    }

static const struct row rows[] = {
    /* the core schema */
    YES("nulls", "[~, null, Null, NULL, ]", "[null,null,null,null]"),
    YES("a null of nothing", "a:\nb: 1", "{\"a\":null,\"b\":1}"),
    YES("a null as an item", "-\n- 1", "[null,1]"),
    YES("a document of nothing", "---\n", "null"),
    YES("booleans", "[true, True, TRUE, false, False, FALSE]",
        "[true,true,true,false,false,false]"),
    YES("words of YAML 1.1", "[yes, no, on, off, y, n, Yes, NO]",
        "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"Yes\",\"NO\"]"),
    YES("almost words", "[nULL, tRUE, true1, nulls]", "[\"nULL\",\"tRUE\",\"true1\",\"nulls\"]"),
    YES("integers", "[0, 12, -12, +12, 012, -012, 00]", "[0,12,-12,12,12,-12,0]"),
    YES("octal and hexadecimal", "[0o17, 0x1F, 0x1f, 0o0]", "[15,31,31,0]"),
    YES("64 bits of them", "[0xFFFFFFFFFFFFFFFF, 0o1777777777777777777777]",
        "[18446744073709551615e0,18446744073709551615e0]"),
    YES("almost octal or hexadecimal", "[0o8, 0x, 0xG, -0x1, 0b1, 0X1]",
        "[\"0o8\",\"0x\",\"0xG\",\"-0x1\",\"0b1\",\"0X1\"]"),
    YES("decimals", "[.5, -.5, +.5, 1., 1.5, 00.5, 1e3, 1.e3, 1E+3, 1e-3, .5e1]",
        "[0.5,-0.5,0.5,1,1.5,0.5,1000,1000,1000,0.001,5]"),
    YES("almost decimals", "[., .e3, 1e, e3, 1.2.3, 1_000, 12:30, +-1]",
        "[\".\",\".e3\",\"1e\",\"e3\",\"1.2.3\",\"1_000\",\"12:30\",\"+-1\"]"),
    YES("a date is a string", "2001-12-14", "\"2001-12-14\""),
    YES("exact numbers", "[9007199254740993, 1e400, 0.10000000000000001]",
        "[9007199254740993e0,1e400,10000000000000001e-17]"),
    YES("quotes make strings", "[\"1\", '1', \"true\", 'null', \"\", '']",
        "[\"1\",\"1\",\"true\",\"null\",\"\",\"\"]"),
    YES(".inf in quotes", "['.inf', \".nan\"]", "[\".inf\",\".nan\"]"),
    /* strings */
    YES("single quotes", "'it''s'", "\"it's\""),
    YES("escapes", "\"a\\tb\\n\\x41\\u00e9\\U0001F600\\e\\0\\/\\\\\"",
        "\"a\\tb\\nA\xC3\xA9\xF0\x9F\x98\x80\\u001b\\u0000/\\\\\""),
    YES("a wide escape", "\"\\U0001F600\"", "\"\xF0\x9F\x98\x80\""),
    YES("a folded line in quotes", "\"a\\\n  b\nc\"", "\"ab c\""),
    YES("plain text over lines", "a b\n c\n\n d", "\"a b c\\nd\""),
    YES("literal", "|\n a\n  b\n\n c\n", "\"a\\n b\\n\\nc\\n\""),
    YES("literal, stripped", "|-\n a\n", "\"a\""),
    YES("literal, kept", "|+\n a\n\n", "\"a\\n\\n\""),
    YES("literal, no last line end", "|\n a", "\"a\""),
    YES("folded, no last line end", "- >\n  a\n  b", "[\"a b\"]"),
    YES("literal, indented by itself", "|2\n   a\n", "\" a\\n\""),
    YES("folded", ">\n a\n b\n\n c\n", "\"a b\\nc\\n\""),
    YES("folded, stripped", "k: >-\n  a\n  b\n", "{\"k\":\"a b\"}"),
    YES("block scalars hold no numbers", "- |-\n  1\n- >-\n  true\n", "[\"1\",\"true\"]"),
    YES("past ASCII", "\xC3\xA9: \xF0\x9F\x98\x80", "{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\"}"),
    YES("quotes inside of plain text", "a \"b\" \\c", "\"a \\\"b\\\" \\\\c\""),
    /* collections */
    YES("a mapping", "b: 1\na: 2", "{\"a\":2,\"b\":1}"),
    YES("a sequence", "- a\n- - b\n  - c\n- d: 1\n  e: 2",
        "[\"a\",[\"b\",\"c\"],{\"d\":1,\"e\":2}]"),
    YES("flow", "{a: [1, {b: 2}], c: {}, d: []}", "{\"a\":[1,{\"b\":2}],\"c\":{},\"d\":[]}"),
    YES("flow with a comma behind", "[1, 2, ]", "[1,2]"),
    YES("flow keys without values", "{a, b: , c: 1}", "{\"a\":null,\"b\":null,\"c\":1}"),
    YES("a pair in a sequence", "[a: 1, b: 2]", "[{\"a\":1},{\"b\":2}]"),
    YES("an explicit key", "? a\n: b", "{\"a\":\"b\"}"),
    YES("the empty key", "\"\": 1", "{\"\":1}"),
    YES("quoted keys of any kind", "{\"1\": a, 'null': b, \"true\": c}",
        "{\"1\":\"a\",\"null\":\"b\",\"true\":\"c\"}"),
    YES("JSON", "{\"a\":1,\"b\":[true,null,\"x\"]}", "{\"a\":1,\"b\":[true,null,\"x\"]}"),
    YES("JSON over lines", "{\n  \"a\": 1,\n  \"b\": []\n}\n", "{\"a\":1,\"b\":[]}"),
    YES("comments", "# one\na: 1 # two\n# three\nb: \"#no\" # four\nc: d#no\n",
        "{\"a\":1,\"b\":\"#no\",\"c\":\"d#no\"}"),
    YES("CRLF", "a: 1\r\nb:\r\n  - 2\r\n", "{\"a\":1,\"b\":[2]}"),
    YES("a mark at the start", BOM "a: 1", "{\"a\":1}"),
    YES("markers of a document", "%YAML 1.2\n---\na: 1\n...\n", "{\"a\":1}"),
    /* anchors */
    YES("an alias", "a: &x 1\nb: *x", "{\"a\":1,\"b\":1}"),
    YES("an alias of a mapping", "a: &x {k: [1, 2]}\nb: *x",
        "{\"a\":{\"k\":[1,2]},\"b\":{\"k\":[1,2]}}"),
    YES("an alias of a null", "a: &x\nb: *x", "{\"a\":null,\"b\":null}"),
    YES("an alias of a string with escapes", "[&x \"a\\\"b\", *x]", "[\"a\\\"b\",\"a\\\"b\"]"),
    YES("an alias inside of another anchor", "[&a 1, &b [*a, *a], *b]", "[1,[1,1],[1,1]]"),
    YES("an anchor inside of an anchor", "[&a [&b 1, 2], *b, *a]", "[[1,2],1,[1,2]]"),
    YES("an anchor named twice: the last", "[&a 1, &a 2, *a]", "[1,2,2]"),
    YES("an alias as a key", "[&k a, {*k : 1}]", "[\"a\",{\"a\":1}]"),
    YES("an anchored key", "&k key: 1\nb: *k", "{\"b\":\"key\",\"key\":1}"),
    /* tags */
    YES("!!str", "[!!str 5, !!str true, !!str ]", "[\"5\",\"true\",\"\"]"),
    YES("! alone", "[! 5]", "[\"5\"]"),
    YES("a tag in full", "!<tag:yaml.org,2002:str> 5", "\"5\""),
    YES("tags that say what is there",
        "!!map {a: !!seq [!!int 1, !!float 1.5, !!bool true, !!null ~]}",
        "{\"a\":[1,1.5,true,null]}"),
    YES("!!str on a key", "!!str 1: a", "{\"1\":\"a\"}"),
    YES("<< in quotes", "\"<<\": 1", "{\"<<\":1}"),
    YES("<< as a value", "a: <<", "{\"a\":\"<<\"}"),

    TWICE("a key twice", "a: 1\nb: 2\na: 3", 3, 1),
    TWICE("a key twice in flow", "\xC3\xA9: {a: 1, a: 2}", 1, 11),
    TWICE("a key twice, quoted once", "a: 1\n\"a\": 2", 2, 1),
    TWICE("a key twice through an escape", "{a: 1, \"\\x61\": 2}", 1, 8),
    TWICE("a key twice through an alias", "&k a: 1\n*k : 2", 2, 1),
    TWICE("a key twice, deep", "x:\n  - y: 1\n    z: {k: 1}\n    y: 2", 4, 5),
    TWICE("a key twice behind a mark", BOM "a: 1\na: 2", 2, 1),
    NO("an integer as a key", "1: a", 1, 1, "key of a mapping is a string"),
    NO("a null as a key", "a:\n  ~: b", 2, 3, "key of a mapping is a string"),
    NO("a boolean as a key", "true: b", 1, 1, "key of a mapping is a string"),
    NO("nothing as a key", ": a", 1, 1, ""),
    NO("a sequence as a key", "? [a]\n: b", 1, 3, "key of a mapping is a string"),
    NO("a mapping as a key", "{{a: 1}: b}", 1, 2, "key of a mapping is a string"),
    NO("an alias of a number as a key", "[&k 1, {*k : 1}]", 1, 9, "key of a mapping is a string"),
    NO(".inf", "a: .inf", 1, 4, "no infinity and no NaN"),
    NO("-.Inf", "a: -.Inf", 1, 4, "no infinity and no NaN"),
    NO(".nan behind a wide character", "[\xC3\xA9, .nan]", 1, 5, "no infinity and no NaN"),
    NO("a merge key", "a: &x {b: 1}\nc:\n  <<: *x", 3, 3, "merge keys"),
    NO("an alias of nothing", "x: *nope", 1, 4, "names no anchor"),
    NO("an alias before its anchor", "[*a, &a 1]", 1, 2, "names no anchor"),
    NO("an alias inside its anchor", "x: &a [1, *a]", 1, 11, "inside its own anchor"),
    NO("a mapping inside itself", "&a {b: *a}", 1, 8, "inside its own anchor"),
    NO("an anchor shadowed by an open one", "[&a 1, &a [*a]]", 1, 12, "inside its own anchor"),
    NO("a tag of one's own", "a: !mine 5", 1, 4, "tags other than"),
    NO("!!binary", "!!binary aGk=", 1, 1, "tags other than"),
    NO("!!set", "!!set {a}", 1, 1, "tags other than"),
    NO("!!timestamp", "[a, !!timestamp 2001-01-01]", 1, 5, "tags other than"),
    NO("a tag of a handle", "%TAG !e! tag:example.com,2000:\n---\n!e!x 1", 1, 1, "tags other than"),
    NO("a tag that ends like str", "a: !mystr 5", 1, 4, "tags other than"),
    NO("a tag of somebody's str", "!<tag:example.com,2000:str> 5", 1, 1, "tags other than"),
    NO("a second document", "a: 1\n---\nb: 2", 2, 1, "a second document"),
    NO("a second document on a line", "--- a\n--- b", 2, 1, "a second document"),
    NO("a second document without a marker", "a\n...\nb", 3, 1, "document start"),
    NO("no text", "", 1, 1, "empty"),
    NO("white space only", " \n\n", 1, 1, "empty"),
    NO("a comment only", "# nothing\n", 1, 1, "empty"),
    NO("a mark only", BOM, 1, 1, "empty"),
    NO("an open sequence", "a: [1, 2", 1, 9, ""),
    NO("an open sequence, then a line", "a: [1, 2\n", 2, 1, ""),
    NO("an open mapping", "a: {b: 1\n", 2, 1, ""),
    NO("an open string", "a: \"x", 1, 6, "unexpected end"),
    NO("an open string of single quotes", "'x", 1, 3, "unexpected end"),
    NO("a bracket too many", "[a]]", 1, 4, ""),
    NO("a comma first", "[,]", 1, 2, ""),
    NO("a tab for indentation", "a:\n\t- b", 2, 1, "tab"),
    NO("two mappings on a line", "a: b: c", 1, 5, ""),
    NO("a mapping behind a sequence", "- a\nb: c", 2, 1, ""),
    NO("a reserved character", "a: @b", 1, 4, "put the value in quotes"),
    NO("a bad escape", "a: \"x\\q\"", 1, 6, "escape"),
    NO("a bad escape behind a wide character", "\xC3\xA9: \"x\\q\"", 1, 6, "escape"),
    NO("a lone surrogate", "a: \"\\ud800\"", 1, 7, "escape"),
    NO("YAML of another kind", "%YAML 3.0\n---\na", 1, 1, ""),
    NO("NUL", "a\0b", 1, 2, ""),
    NO("NUL between lines", "a: 1\n\0\nb: 2", 2, 1, ""),
    NO("NUL at the end", "a: 1\n\0", 2, 1, ""),
    NO("NUL in a comment", "a: 1 # \0\nb: 2", 1, 8, ""),
    NO("no UTF-8 as a value", "a: \xFF", 1, 4, "UTF-8"),
    NO("no UTF-8 in a comment", "a: 1 # \xFF\nb: 2", 1, 8, "UTF-8"),
    NO("no UTF-8 in quotes", "\"\xC3\xA9\xFF\"", 1, 3, "UTF-8"),
    NO("a surrogate in UTF-8", "a: \xED\xA0\x80", 1, 4, "UTF-8"),
    NO("an overlong NUL", "a: \xC0\x80", 1, 4, "UTF-8"),
    NO("UTF-16",
       "\xFF\xFE"
       "a\0",
       1, 1, "UTF-8"),
};

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_json *untouched = (fer_json *)(uintptr_t)row, *doc = untouched;
    fer_err err = {0};
    fer_str canonical;
    fer_code code = fer_yaml_read(a, row->text, NULL, &doc, &err);
    if (code) assert_ptr_equal(doc, untouched);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    if (!code) code = fer_json_canonical(a, fer_json_root(doc), &canonical, &err);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    if (code != row->code)
        fail_msg("%s %s", fer_code_info(code)->name, code ? err.message : canonical.ptr);
    if (!code) {
        assert_str(canonical, row->says);
        return FER_OK;
    }
    assert_int_equal(err.code, code);
    if (err.line != row->line || err.column != row->column)
        fail_msg("%u:%u %s", err.line, err.column, err.message);
    if (!strstr(err.message, row->says)) fail_msg("\"%s\"", err.message);
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_json *doc;
    assert_int_equal(fer_yaml_read(a, row->text, NULL, &doc, NULL), row->code);
    fer_arena_free(a);
}

/* libyaml allocates by itself; what comes from the arena may fail. One row in eight is enough. */
static void arena_failing(void)
{
    for (size_t i = 0; i < FER_COUNT(rows); i += 8) {
        if (rows[i].code == FER_OK) assert_true(rows_torture_arena(attempt, &rows[i]) > 1);
    }
}

/* A failure's offset is a byte of the text, and its line and column are those of that byte. */
static void offsets_of_failures(void)
{
    size_t wrong = 0;
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *doc;
        fer_err err = {0}, located;
        if (fer_yaml_read(a, rows[i].text, NULL, &doc, &err)) {
            located = err;
            fer_err_locate(&located, rows[i].text);
            if (err.offset > rows[i].text.len || located.line != err.line ||
                located.column != err.column) {
                if (wrong++ < 3)
                    print_error("%s: byte %zu is %u:%u\n", rows[i].name, err.offset, err.line,
                                err.column);
            }
        }
        fer_arena_free(a);
    }
    assert_int_equal(wrong, 0);
}

/* ---- what must not silently become something else ------------------------------- */

static const struct doubt {
    const char *name;
    const char *text;
    const char *canonical; /* what it may be, if it is not refused */
} doubts[] = {
    {"a hexadecimal past 64 bits", "0x10000000000000000", "18446744073709551616e0"},
    {"an octal past 64 bits", "0o7777777777777777777777", "73786976294838206463e0"},
    {"an integer in quotes", "!!int \"5\"", "5"},
    {"an integer of letters", "!!int abc", NULL},
    {"an integer with a fraction", "!!int 1.5", NULL},
    {"a boolean that is a number", "!!bool 5", NULL},
    {"a null with text", "!!null x", NULL},
    {"a decimal of letters", "!!float abc", NULL},
    {"a mapping that is a sequence", "!!map [1]", NULL},
    {"a sequence that is a mapping", "!!seq {a: 1}", NULL},
    {"a string that is a mapping", "!!str {a: 1}", NULL},
    {"an integer that is a sequence", "!!int [1]", NULL},
    {"a sequence that is a string", "!!seq a", NULL},
    {"a control character", "a: \x01", NULL},
    {"a control character in quotes", "a: \"\x01\"", NULL},
};

static void run_doubt(const struct doubt *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_str canonical;
    if (fer_yaml_read(a, fer_str_of(row->text), NULL, &doc, NULL) == FER_OK) {
        assert_int_equal(fer_json_canonical(a, fer_json_root(doc), &canonical, NULL), FER_OK);
        if (!row->canonical) fail_msg("it became %.*s", FER_PRI(canonical));
        assert_str(canonical, row->canonical);
    }
    fer_arena_free(a);
}

static void no_text_at_all(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err;
    assert_int_equal(fer_yaml_read(a, FER_STR_NONE, NULL, &doc, &err), FER_INVALID_YAML);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("yaml", rows, run) + ROWS_ONE("yaml", arena_failing) +
           ROWS_ONE("yaml", offsets_of_failures) + ROWS_RUN("yaml, in doubt", doubts, run_doubt) +
           ROWS_ONE("yaml", no_text_at_all);
}
