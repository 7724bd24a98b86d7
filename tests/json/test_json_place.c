/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From values back to bytes, lines and columns. In the documents of the table a '^'
 * stands before each value and key; it is taken out, and where it was is the place.
 */
#include "rows.h"

#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "json_doc.h"

#define BOM "\xEF\xBB\xBF"

/* Counts from the start each time: slow, and hard to get wrong. */
static fer_place counted(fer_str text, size_t offset)
{
    fer_place place = {offset, 1, 1};
    size_t i = fer_str_starts(text, BOM) && offset >= 3 ? 3 : 0;
    for (; i < offset; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n') {
            place.line++;
            place.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

static void assert_place(fer_place actual, fer_place expected)
{
    if (actual.offset != expected.offset || actual.line != expected.line ||
        actual.column != expected.column) {
        fail_msg("%zu = %u:%u, not %zu = %u:%u", actual.offset, actual.line, actual.column,
                 expected.offset, expected.line, expected.column);
    }
}

/* Reads the text and asks for every place, without and with the index. */
static fer_code check_places(fer_arena *a, fer_str text, const size_t *offsets, size_t count)
{
    fer_json *doc;
    fer_err err = {0};
    fer_code code = fer_json_read(a, text, NULL, &doc, &err);
    if (code == FER_LIMIT_EXCEEDED || code == FER_OUT_OF_MEMORY) return code;
    if (code) fail_msg("%u:%u %s", err.line, err.column, err.message);
    assert_int_equal(doc->count, count);
    for (int indexed = 0; indexed < 2; indexed++) {
        for (size_t step = 1; step < 4; step++) {
            fer_placer placer; /* forwards, and then back to the start */
            fer_placer_init(&placer, doc);
            for (size_t i = 0; i < count; i += step) {
                assert_place(fer_placer_to(&placer, &doc->vals[i]), counted(text, offsets[i]));
                if (count > 1000) i += count / 100;
            }
            assert_place(fer_placer_to(&placer, doc->vals), counted(text, offsets[0]));
        }
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(fer_json_offset(doc, &doc->vals[i]), offsets[i]);
            assert_place(fer_json_place(doc, &doc->vals[i]), counted(text, offsets[i]));
            if (count < 1000) assert_int_equal(fer_json_token_at(doc, offsets[i]), i);
        }
        code = fer_json_index(a, doc, &err);
        if (code) return code;
        assert_non_null(doc->offsets);
    }
    return FER_OK;
}

/* ---- documents ------------------------------------------------------------------ */

static const struct row {
    const char *name;
    const char *marked;
} rows[] = {
    {"a scalar", "^12"},
    {"a scalar within white space", " \n\t^true \n"},
    {"an empty array", "^[]"},
    {"an empty object", "^{ }"},
    {"an array", "^[^1,^-2.5e3 , ^null,^\"x\"]"},
    {"an object", "^{^\"a\":^1, ^\"b\" : ^[^true,^{}],\n  ^\"c\":^{^\"d\":^\"e\"}}"},
    {"strings with brackets", "^[^\"[{,:}]\",^\"]\",^{^\"}\":^\"{\"}]"},
    {"strings with quotes", "^[^\"\\\"\",^\"\\\\\",^\"\\\\\\\"\",^\"a\\\\\\\\\",^1]"},
    {"empty strings", "^{^\"\":^\"\"}"},
    {"nested empties", "^[^[],^[^[^[]]],^{},^[^{}]]"},
    {"lines of LF", "^{\n  ^\"a\": ^1,\n  ^\"b\": ^[\n    ^2\n  ]\n}\n"},
    {"lines of CRLF", "^{\r\n  ^\"a\": ^1,\r\n  ^\"b\": ^[\r\n    ^2\r\n  ]\r\n}\r\n"},
    {"columns past ASCII",
     "^{^\"\xC3\xA9\":^\"\xE2\x82\xAC\xF0\x9F\x98\x80\",^\"x\":^1,\n^\"\xC3\xAA\":^2}"},
    {"a mark at the start", BOM "^{^\"a\":^1,\n^\"b\":^2}"},
    {"a mark, then a line", BOM "\n^[^1]"},
    {"raw numbers", "^[^1e400,^0.10000000000000001, ^-0 ]"},
};

#define MAX_VALUES 64

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    char text[512];
    size_t offsets[MAX_VALUES], count = 0, len = 0;
    for (const char *c = row->marked; *c; c++) {
        if (*c == '^') offsets[count++] = len;
        else text[len++] = *c;
    }
    return check_places(a, (fer_str){text, len}, offsets, count);
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    assert_true(rows_torture_arena(attempt, row) > 1);
}

/* ---- one large document, made at random and noted while it is written ----------- */

struct maker {
    fer_buf text;
    size_t offsets[20000];
    size_t count;
    size_t keys;
    unsigned random;
};

static unsigned pick(struct maker *m, unsigned below)
{
    m->random = m->random * 1103515245u + 12345u;
    return (m->random >> 16) % below;
}

static void blank(struct maker *m)
{
    static const char *const blanks[] = {"", "", "", " ", "\n", "\r\n  ", "\t"};
    fer_buf_add_text(&m->text, blanks[pick(m, FER_COUNT(blanks))]);
}

static void note(struct maker *m)
{
    m->offsets[m->count++] = m->text.len;
}

static void make_value(struct maker *m, int depth)
{
    static const char *const scalars[] = {
        "1",     "-0.5e-3",       "true",          "null",
        "\"\"",  "1e500",         "\"\\\\\\\"]\"", "\"\xE2\x82\xAC\"",
        "false", "\"[1,\\u0022\""};
    bool object = pick(m, 2);
    blank(m);
    note(m);
    if (depth == 0 || pick(m, 4) == 0) {
        fer_buf_add_text(&m->text, scalars[pick(m, FER_COUNT(scalars))]);
    } else {
        unsigned items = pick(m, 8);
        fer_buf_add_char(&m->text, object ? '{' : '[');
        for (unsigned i = 0; i < items; i++) {
            if (i) fer_buf_add_char(&m->text, ',');
            blank(m);
            if (object) {
                note(m);
                fer_buf_printf(&m->text, "\"\xC3\xA9 %zu\\\\\"", m->keys++);
                blank(m);
                fer_buf_add_char(&m->text, ':');
            }
            make_value(m, depth - 1);
        }
        blank(m);
        fer_buf_add_char(&m->text, object ? '}' : ']');
    }
    blank(m);
}

static void large_document(void)
{
    for (unsigned seed = 1; seed <= 30; seed++) {
        fer_arena *a = fer_arena_new(0);
        struct maker *m = fer_arena_alloc_zero(a, 1, sizeof *m);
        assert_non_null(m);
        m->random = seed;
        fer_buf_init(&m->text, a, 1u << 20);
        make_value(m, 4);
        assert_int_equal(check_places(a, fer_buf_view(&m->text), m->offsets, m->count), FER_OK);
        fer_arena_free(a);
    }
}

/* ---- lengths of tokens ---------------------------------------------------------- */

static const struct token {
    const char *name;
    const char *text;
    size_t offset, len;
} tokens[] = {
    {"a word", "true", 0, 4},
    {"a word in an array", "[true]", 1, 4},
    {"a number before a comma", "[-1.5e+3,2]", 1, 7},
    {"a number before a blank", "12 ", 0, 2},
    {"a number before a line", "12\n", 0, 2},
    {"a number before a brace", "{\"a\":12}", 5, 2},
    {"a bracket", "[1]", 0, 1},
    {"a brace", "{}", 0, 1},
    {"a string", "\"abc\",1", 0, 5},
    {"an empty string", "\"\"", 0, 2},
    {"a key", "{\"a\":1}", 1, 3},
    {"an escaped quote", "\"a\\\"b\" ", 0, 6},
    {"an escaped backslash at the end", "\"a\\\\\",\"b\"", 0, 5},
    {"three backslashes and a quote", "\"\\\\\\\"\" ", 0, 6},
    {"past ASCII", "\"\xF0\x9F\x98\x80\"", 0, 6},
    {"a string without an end", "\"abc", 0, 4},
    {"a backslash at the end of the text", "\"abc\\", 0, 5},
    {"a quote alone", "\"", 0, 1},
    {"the end of the text", "12", 2, 0},
    {"past the end", "12", 9, 0},
    {"between tokens", "[1,2]", 2, 1},
};

static void run_token(const struct token *row)
{
    assert_int_equal(fer_json_token_len(fer_str_of(row->text), row->offset), row->len);
}

/* ---- lines ---------------------------------------------------------------------- */

static const struct text {
    const char *name;
    const char *text;
} texts[] = {
    {"no text", ""},
    {"one line", "abc"},
    {"line ends only", "\n\n\n"},
    {"LF", "a\nbc\n\ndef\n"},
    {"CRLF", "a\r\nbc\r\n\r\ndef"},
    {"CR counts as a character", "a\rb\nc"},
    {"past ASCII", "\xC3\xA9\xE2\x82\xAC\n\xF0\x9F\x98\x80x\n\xC3\xA9"},
    {"a mark", BOM "ab\nc" BOM "d"},
    {"a mark only", BOM},
    {"long", "0123456789\n0123456789\n\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\n\n\n0123456789"},
};

/* Bytes inside the mark at the start are nowhere. */
static bool inside_mark(fer_str text, size_t offset)
{
    return fer_str_starts(text, BOM) && (offset == 1 || offset == 2);
}

static void ask(fer_lines *l, size_t offset)
{
    if (inside_mark(l->text, offset)) return;
    assert_place(fer_lines_place(l, offset), counted(l->text, offset));
}

static void run_text(const struct text *row)
{
    fer_str text = fer_str_of(row->text);
    size_t len = text.len;
    fer_lines l;
    fer_lines_init(&l, text);
    for (size_t i = 0; i <= len; i++) ask(&l, i);
    for (size_t i = len + 1; i-- > 0;) ask(&l, i);
    /* From any byte to any other, with the mark at any third. */
    for (size_t mark = 0; mark <= len; mark++) {
        if (inside_mark(text, mark)) continue;
        for (size_t from = 0; from <= len; from++) {
            fer_lines_init(&l, text);
            ask(&l, from);
            fer_lines_mark(&l, mark);
            for (size_t to = 0; to <= len; to += 3) {
                ask(&l, to);
                ask(&l, from);
                ask(&l, mark);
            }
        }
    }
    /* Past the end is the end. */
    assert_place(fer_lines_place(&l, len + 100), counted(text, len));
    fer_err err = {.offset = len};
    fer_err_locate(&err, text);
    assert_int_equal(err.line, counted(text, len).line);
    assert_int_equal(err.column, counted(text, len).column);
}

/* Whoever asks for a byte inside the mark does not spoil the answers that follow. */
static void byte_inside_the_mark(void)
{
    fer_str text = FER_STR(BOM "ab");
    for (size_t first = 0; first < 3; first++) {
        fer_lines l;
        fer_lines_init(&l, text);
        fer_lines_place(&l, first);
        assert_place(fer_lines_place(&l, 3), (fer_place){3, 1, 1});
        assert_place(fer_lines_place(&l, 4), (fer_place){4, 1, 2});
    }
}

static void no_text_at_all(void)
{
    fer_lines l;
    fer_lines_init(&l, FER_STR_NONE);
    assert_place(fer_lines_place(&l, 0), (fer_place){0, 1, 1});
    assert_place(fer_lines_place(&l, 5), (fer_place){0, 1, 1});
    assert_int_equal(fer_lines_line(FER_STR_NONE, 0).len, 0);
    assert_int_equal(fer_json_token_len(FER_STR_NONE, 0), 0);
}

static const struct line {
    const char *name;
    const char *text;
    size_t offset;
    const char *line;
} lines[] = {
    {"no text", "", 0, ""},
    {"the only line", "abc", 1, "abc"},
    {"the end of the only line", "abc", 3, "abc"},
    {"past the end", "abc", 100, "abc"},
    {"the first of two", "ab\ncd", 0, "ab"},
    {"the line end belongs to its line", "ab\ncd", 2, "ab"},
    {"the second of two", "ab\ncd", 3, "cd"},
    {"behind the last line end", "ab\n", 3, ""},
    {"an empty line", "a\n\nb", 2, ""},
    {"CRLF is cut off", "ab\r\ncd\r\n", 1, "ab"},
    {"at the CR", "ab\r\ncd\r\n", 2, "ab"},
    {"at the LF", "ab\r\ncd\r\n", 3, "ab"},
    {"an empty line of CRLF", "a\r\n\r\nb", 3, ""},
    {"a CR inside stays", "a\rb\n", 0, "a\rb"},
    {"only one CR is cut off", "a\r\r\n", 0, "a\r"},
    {"past ASCII", "\xC3\xA9\n\xE2\x82\xAC", 4, "\xE2\x82\xAC"},
};

static void run_line(const struct line *row)
{
    assert_str(fer_lines_line(fer_str_of(row->text), row->offset), row->line);
}

/* Every span of a text with short and long lines, past ASCII and not, as counted byte by byte. */
static void spans(void)
{
    static const char piece[] = "0123456789abcdef\n\xC3\xA9 \n\n0123456789012345678901234567890123";
    char text[3 * sizeof piece];
    size_t len = (size_t)snprintf(text, sizeof text, "%s%s%s", piece, piece, piece);
    for (size_t from = 0; from <= len; from++) {
        uint32_t line = 1, column = 1;
        for (size_t to = 0; to <= len; to++) {
            fer_lines at;
            fer_lines_init(&at, (fer_str){text, len});
            fer_lines_place(&at, from);
            fer_place place = fer_lines_place(&at, to);
            assert_int_equal(place.line, line);
            assert_int_equal(place.column, column);
            column += ((unsigned char)text[to] & 0xC0) != 0x80;
            if (text[to] != '\n') continue;
            line++;
            column = 1;
        }
    }
}

int main(void)
{
    return ROWS_RUN("json place", rows, run) + ROWS_ONE("json place", large_document) +
           ROWS_RUN("json token", tokens, run_token) + ROWS_RUN("lines", texts, run_text) +
           ROWS_ONE("lines", byte_inside_the_mark) + ROWS_ONE("lines", no_text_at_all) +
           ROWS_ONE("lines", spans) + ROWS_RUN("line", lines, run_line);
}
