/* SPDX-License-Identifier: Apache-2.0 */
/* Where values end, found without reading them: the same as the strict reader finds. */
#include "rows.h"

#include "buf.h"
#include "json_doc.h"
#include "json_skim.h"

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
#define NONE SIZE_MAX

/* ---- values: each is skimmed with something behind it, and cut short ------------ */

static const struct value {
    const char *name; /* the value */
} values[] = {
    {"null"},
    {"true"},
    {"0"},
    {"-12.5e+3"},
    {"1e400"},
    {"123456789012345678901234567890"},
    {"\"\""},
    {"\"a\""},
    {"\"\\\"\""},
    {"\"\\\\\""},
    {"\"\\\\\\\"\""},
    {"\"\\\\\\\\\""},
    {"\"\\\\\\\\\\\"\\\\\""},
    {"\"\\\"\\\"\\\"\""},
    {"\"a\\\\\\\\\\\\\\\\b\\\\\""},
    {"\"\\u0022\""},
    {"\"[{]},:\""},
    {"\"\xC3\xA9\xF0\x9F\x98\x80\""},
    {"[]"},
    {"{}"},
    {"[ ]"},
    {"[[]]"},
    {"[[],[[],{}],{}]"},
    {"[1,2,3]"},
    {"[\"]\"]"},
    {"[\"\\\"]\",\"\\\\\",[\"]\"]]"},
    {"{\"a\":1}"},
    {"{\"}\":\"{\"}"},
    {"{\"a\\\\\":{\"b\\\"}\":[{}]}}"},
    {"{ \"a\" : [ 1 , { \"b\" : null } ] }"},
    {"[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"},
};

static bool reads(fer_str text)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_code code = fer_json_read(a, text, NULL, &doc, NULL);
    fer_arena_free(a);
    return code == FER_OK;
}

static void check_value(fer_str value)
{
    static const char *const behind[] = {"",    " ", ",",  "]",    "}",
                                         "\n1", ":", "\t", "\r\n", ",\"x\""};
    bool word = value.ptr[0] != '"' && value.ptr[0] != '[' && value.ptr[0] != '{';
    fer_arena *a = fer_arena_new(0);
    assert_true(reads(value));
    for (size_t i = 0; i < FER_COUNT(behind); i++) {
        fer_str text = fer_arena_printf(a, "  %.*s%s", FER_PRI(value), behind[i]);
        assert_int_equal(fer_skim_value(text, 2), 2 + value.len);
        assert_int_equal(fer_skim_space(text, 0), 2);
    }
    /* Every cut is seen, but for that of a word, which cannot be. */
    for (size_t len = 0; !word && len < value.len && len < 3000; len++) {
        fer_str cut = fer_arena_copy(a, fer_str_slice(value, 0, len));
        assert_true(fer_skim_value(cut, 0) == NONE);
        assert_false(reads(cut));
    }
    fer_arena_free(a);
}

static void run_value(const struct value *row)
{
    check_value(fer_str_of(row->name));
}

/* ---- values at random ----------------------------------------------------------- */

static unsigned state = 1;

static unsigned pick(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static void make_string(fer_buf *b)
{
    static const char *const parts[] = {"\\\"", "\\\\", "[",   "]", "{",       "}",           ",",
                                        ":",    "a",    "\\n", " ", "\\u0022", "\xE2\x82\xAC"};
    fer_buf_add_char(b, '"');
    for (unsigned n = pick(12); n > 0; n--) fer_buf_add_text(b, parts[pick(FER_COUNT(parts))]);
    fer_buf_add_char(b, '"');
}

static void make_value(fer_buf *b, unsigned depth, size_t *keys)
{
    unsigned kind = pick(depth ? 8 : 3), items = pick(4);
    if (kind == 0) fer_buf_printf(b, "%d.5", (int)pick(1000) - 500);
    else if (kind == 1) fer_buf_add_text(b, "null");
    else if (kind == 2) make_string(b);
    if (kind < 3) return;
    fer_buf_add_char(b, kind % 2 ? '[' : '{');
    for (unsigned i = 0; i < items; i++) {
        fer_buf_add_text(b, i ? ", " : " ");
        if (kind % 2 == 0) fer_buf_printf(b, "\"%zu}\\\\\" :", (*keys)++);
        make_value(b, depth - 1, keys);
    }
    fer_buf_add_char(b, kind % 2 ? ']' : '}');
}

static void values_at_random(void)
{
    for (size_t round = 0; round < 300; round++) {
        fer_arena *a = fer_arena_new(0);
        fer_buf b;
        size_t keys = 0;
        fer_buf_init(&b, a, 1u << 20);
        make_value(&b, 5, &keys);
        check_value(fer_buf_view(&b));
        fer_arena_free(a);
    }
}

/* ---- other places --------------------------------------------------------------- */

static const struct row {
    const char *name;
    fer_str text;
    size_t at, end;
} rows[] = {
    {"no text", T(""), 0, NONE},
    {"past the end", T("1"), 1, NONE},
    {"far past the end", T("1"), 100, NONE},
    {"a comma", T(",1"), 0, NONE},
    {"a colon", T(":1"), 0, NONE},
    {"a closing bracket", T("]"), 0, NONE},
    {"a closing brace", T("}"), 0, NONE},
    {"a blank", T(" 1"), 0, NONE},
    {"NUL", T("\0"), 0, NONE},
    {"a word ends before NUL", T("1\0"), 0, 1},
    {"a word ends before a string", T("1\"a\""), 0, 1},
    {"a word ends before an array", T("1[]"), 0, 1},
    {"the second item", T("[1,[2,3],4]"), 3, 8},
    {"the value of a key", T("{\"a\":{\"b\":1},\"c\":2}"), 5, 12},
    {"a key", T("{\"a\":1}"), 1, 4},
    {"white space inside", T("[\n1,\r\n2\t]"), 0, 9},
    {"a string in a row of strings", T("\"a\"\"b\""), 3, 6},
    {"a string of NUL", T("\"\0\""), 0, 3},
    {"an open string", T("\"abc"), 0, NONE},
    {"a quote alone", T("\""), 0, NONE},
    {"the last quote is escaped", T("\"abc\\\""), 0, NONE},
    {"the last quote is escaped, after a pair", T("\"abc\\\\\\\""), 0, NONE},
    {"a pair, then the quote", T("\"abc\\\\\" "), 0, 7},
    {"an open string in an array", T("[\"abc]"), 0, NONE},
    {"an open array", T("[1,2"), 0, NONE},
    {"an open object", T("{\"a\":{}"), 0, NONE},
    {"backslashes of the key before do not count", T("\\\\\"a\""), 2, 5},
};

static void run(const struct row *row)
{
    assert_true(fer_skim_value(row->text, row->at) == row->end);
}

static const struct space {
    const char *name;
    fer_str text;
    size_t at, end;
} spaces[] = {
    {"no text", T(""), 0, 0},
    {"none", T("1"), 0, 0},
    {"all four", T(" \t\r\n1"), 0, 4},
    {"from the middle", T("    1"), 2, 4},
    {"only space", T("   "), 0, 3},
    {"at the end", T("1"), 1, 1},
    {"form feed is none", T("\f1"), 0, 0},
    {"no-break space is none", T("\xC2\xA0"), 0, 0},
    {"NUL is none", T("\0"), 0, 0},
};

static void run_space(const struct space *row)
{
    assert_int_equal(fer_skim_space(row->text, row->at), row->end);
}

/* A megabyte of what makes a naive skimmer go back and forth. */
static const struct large {
    const char *name;
    const char *before, *unit, *after;
    bool ends;
} larges[] = {
    {"escaped quotes", "\"", "\\\"", "\"", true},
    {"escaped quotes, open", "\"", "\\\"", "", false},
    {"backslashes", "\"", "\\\\", "\"", true},
    {"backslashes, then an escaped quote", "\"", "\\\\", "\\\"", false},
    {"open arrays", "", "[", "", false},
    {"empty strings", "[", "\"\",", "1]", true},
};

static void run_large(const struct large *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, 1u << 24);
    fer_buf_add_text(&b, row->before);
    for (size_t i = 0; i < 500000; i++) fer_buf_add_text(&b, row->unit);
    fer_buf_add_text(&b, row->after);
    rows_must_end(60);
    assert_true(fer_skim_value(fer_buf_view(&b), 0) == (row->ends ? b.len : NONE));
    rows_must_end(0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("json skim", values, run_value) + ROWS_ONE("json skim", values_at_random) +
           ROWS_RUN("json skim, other places", rows, run) +
           ROWS_RUN("json skim, space", spaces, run_space) +
           ROWS_RUN("json skim, large", larges, run_large);
}
