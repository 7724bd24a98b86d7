/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the values of a YAML text are. In the table a '^' stands before each value
 * and key, in the order of the text; it is taken out, and where it was is the place.
 */
#include "rows.h"

#include "json_doc.h"

#define BOM "\xEF\xBB\xBF"

static const struct placed {
    const char *name;
    const char *marked;
} placed[] = {
    {"a scalar", "^a"},
    {"a mapping", "^^a: ^1\n^b: ^x y\n"},
    {"a sequence", "^- ^a\n- ^- ^b\n  - ^c\n"},
    {"mappings inside", "^^a:\n  ^^b:\n    ^- ^1\n"},
    {"flow", "^{^a: ^[^1, ^{^b: ^2}], ^c: ^{}}"},
    {"behind comments", "# one\n^^a: ^1 # two\n# three\n^b: ^2\n"},
    {"behind a marker", "---\n^^a: ^1\n"},
    {"past ASCII", "^^\xC3\xA9: ^\xF0\x9F\x98\x80\n^b: ^[^\xE2\x82\xAC, ^x]\n"},
    {"CRLF", "^^a: ^1\r\n^b: ^2\r\n"},
    {"a mark", BOM "^^a: ^1\n^b: ^2\n"},
    {"quoted", "^^\"a\": ^'b'\n^c: ^\"d\"\n"},
    {"JSON", "^{^\"a\":^1,^\"b\":^[^true,^\"x\"]}"},
    {"tags and anchors are part of the value", "^^a: ^!!str 1\n^b: ^&x 2\n"},
    {"an alias: its own place", "^^a: ^&x 1\n^b: ^*x\n"},
    {"a pair in a sequence", "^[^^a: ^1]"},
    {"a sequence as a value", "^^a:\n^- ^1\n"},
};

static void run_placed(const struct placed *row)
{
    char text[256];
    size_t expected[64], count = 0, len = 0;
    for (const char *c = row->marked; *c; c++) {
        if (*c == '^') expected[count++] = len;
        else text[len++] = *c;
    }
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_lines lines;
    assert_int_equal(fer_yaml_read(a, (fer_str){text, len}, NULL, &doc, NULL), FER_OK);
    assert_int_equal(doc->count, count);
    assert_int_equal(fer_json_index(a, doc, NULL), FER_OK);
    for (size_t i = 0; i < count; i++) {
        fer_place place = fer_json_place(doc, &doc->vals[i]);
        if (place.offset != expected[i])
            fail_msg("value %zu: %zu, not %zu", i, place.offset, expected[i]);
        fer_lines_init(&lines, (fer_str){text, len});
        fer_place same = fer_lines_place(&lines, expected[i]);
        assert_int_equal(place.line, same.line);
        assert_int_equal(place.column, same.column);
    }
    fer_arena_free(a);
}

/* A value that is not written has no byte; its line is that of its key, or of the one before. */
static const struct empty {
    const char *name;
    const char *text;
    size_t value; /* its number */
    uint32_t line;
} empties[] = {
    {"a key without a value", "a: 1\nb: 2\nc:\n", 6, 3},
    {"a key without a value, then more", "a: 1\nb:\nc: 3\n", 4, 2},
    {"an item of nothing", "- 1\n-\n- 2\n", 2, 2},
    {"a flow key without a value", "\n\n{a: 1,\n b}", 4, 4},
    {"a string of nothing by its tag", "a: 1\nb: !!str\n", 4, 2},
    {"an anchored nothing", "a: 1\nb: &x\n", 4, 2},
};

static void run_empty(const struct empty *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    assert_int_equal(fer_yaml_read(a, fer_str_of(row->text), NULL, &doc, NULL), FER_OK);
    assert_true(row->value < doc->count);
    assert_int_equal(fer_json_place(doc, &doc->vals[row->value]).line, row->line);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("yaml places", placed, run_placed) +
           ROWS_RUN("yaml places, nothing", empties, run_empty);
}
