/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 and Unicode: decoding with one U+FFFD per invalid byte, encoding, counting,
 * cutting, lower case, white space and the width on a terminal.
 */
#include "rows.h"

#include "unicode.h"

#define BAD 0xFFFD

/* ---- next, count, cut ------------------------------------------------------------------ */

static const struct next_row {
    const char *name;
    fer_str text;
    size_t count;
    uint32_t points[8];
} next_rows[] = {
    {"nothing", {NULL, 0}, 0, {0}},
    {"empty", {"", 0}, 0, {0}},
    {"ASCII", {"aZ~", 3}, 3, {'a', 'Z', '~'}},
    {"NUL inside", {"a\0b", 3}, 3, {'a', 0, 'b'}},
    {"DEL", {"\x7F", 1}, 1, {0x7F}},
    {"smallest of two bytes", {"\xC2\x80", 2}, 1, {0x80}},
    {"largest of two bytes", {"\xDF\xBF", 2}, 1, {0x7FF}},
    {"smallest of three bytes", {"\xE0\xA0\x80", 3}, 1, {0x800}},
    {"before the surrogates", {"\xED\x9F\xBF", 3}, 1, {0xD7FF}},
    {"after the surrogates", {"\xEE\x80\x80", 3}, 1, {0xE000}},
    {"largest of three bytes", {"\xEF\xBF\xBF", 3}, 1, {0xFFFF}},
    {"noncharacter", {"\xEF\xB7\x90", 3}, 1, {0xFDD0}},
    {"smallest of four bytes", {"\xF0\x90\x80\x80", 4}, 1, {0x10000}},
    {"largest of four bytes", {"\xF4\x8F\xBF\xBF", 4}, 1, {0x10FFFF}},
    {"all lengths", {"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10}, 4, {'a', 0xE9, 0x20AC, 0x1F600}},
    {"U+FFFD itself", {"\xEF\xBF\xBD", 3}, 1, {BAD}},
    {"byte order mark", {"\xEF\xBB\xBFx", 4}, 2, {0xFEFF, 'x'}},

    {"a stray continuation byte", {"\x80", 1}, 1, {BAD}},
    {"three stray ones", {"a\x80\xBF\x80z", 5}, 5, {'a', BAD, BAD, BAD, 'z'}},
    {"FE and FF", {"\xFE\xFF", 2}, 2, {BAD, BAD}},
    {"a lead byte, then ASCII", {"\xC3(", 2}, 2, {BAD, '('}},
    {"two of three bytes, then ASCII", {"\xE2\x82(", 3}, 3, {BAD, BAD, '('}},
    {"three of four bytes, then ASCII", {"\xF0\x9F\x98(", 4}, 4, {BAD, BAD, BAD, '('}},
    {"a lead byte, then a character", {"\xE2\xC3\xA9", 3}, 2, {BAD, 0xE9}},
    {"one of two bytes at the end", {"a\xC3", 2}, 2, {'a', BAD}},
    {"one of three bytes at the end", {"a\xE2", 2}, 2, {'a', BAD}},
    {"two of three bytes at the end", {"a\xE2\x82", 3}, 3, {'a', BAD, BAD}},
    {"one of four bytes at the end", {"a\xF0", 2}, 2, {'a', BAD}},
    {"three of four bytes at the end", {"a\xF0\x9F\x98", 4}, 4, {'a', BAD, BAD, BAD}},
    {"the rest lies past the length", {"\xE2\x82\xAC", 2}, 2, {BAD, BAD}},
    {"overlong NUL", {"\xC0\x80", 2}, 2, {BAD, BAD}},
    {"overlong slash", {"\xC0\xAF", 2}, 2, {BAD, BAD}},
    {"overlong DEL", {"\xC1\xBF", 2}, 2, {BAD, BAD}},
    {"overlong in three bytes", {"\xE0\x9F\xBF", 3}, 3, {BAD, BAD, BAD}},
    {"overlong in four bytes", {"\xF0\x8F\xBF\xBF", 4}, 4, {BAD, BAD, BAD, BAD}},
    {"first surrogate", {"\xED\xA0\x80", 3}, 3, {BAD, BAD, BAD}},
    {"last surrogate", {"\xED\xBF\xBF", 3}, 3, {BAD, BAD, BAD}},
    {"a pair of surrogates", {"\xED\xA0\xBD\xED\xB8\x80", 6}, 6, {BAD, BAD, BAD, BAD, BAD, BAD}},
    {"past the last code point", {"\xF4\x90\x80\x80", 4}, 4, {BAD, BAD, BAD, BAD}},
    {"a lead byte of old", {"\xF5\x80\x80\x80", 4}, 4, {BAD, BAD, BAD, BAD}},
    {"five bytes of old", {"\xF8\x88\x80\x80\x80", 5}, 5, {BAD, BAD, BAD, BAD, BAD}},
};

static void run_next(const struct next_row *row)
{
    size_t at = 0;
    for (size_t i = 0; i < row->count; i++) {
        /* What lies before the next character is a cut to that many. */
        fer_str cut = fer_utf8_cut(row->text, i);
        assert_int_equal(cut.len, at);
        size_t before = at;
        assert_int_equal(fer_utf8_next(row->text, &at), row->points[i]);
        assert_true(at > before && at <= before + 4);
    }
    assert_int_equal(at, row->text.len);
    assert_int_equal(fer_utf8_count(row->text), row->count);
    assert_int_equal(fer_utf8_cut(row->text, row->count).len, row->text.len);
    assert_int_equal(fer_utf8_cut(row->text, SIZE_MAX).len, row->text.len);
}

/* ---- every code point ----------------------------------------------------------------------- */

/* UTF-8 by the book, also for what has no valid form. */
static size_t encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((len == 2 ? 0xC0 : len == 3 ? 0xE0 : 0xF0) | c);
    return len;
}

static void every_code_point_comes_back(void)
{
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char out[4];
        size_t at = 0, len = encode(c, out);
        fer_str s = {out, len};
        bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        if (fer_utf8_len(s, 0) != (surrogate ? 0 : len)) fail_msg("length of U+%04X", c);
        if (surrogate) continue;
        if (fer_utf8_next(s, &at) != c || at != len) fail_msg("U+%04X", c);
    }
    char past[4];
    assert_int_equal(fer_utf8_len((fer_str){past, encode(0x110000, past)}, 0), 0);
}

/* ---- lower case ------------------------------------------------------------------------------ */

static const struct lower_row {
    const char *name;
    uint32_t c;
    uint32_t lower;
} lower_rows[] = {
    {"A", 'A', 'a'},
    {"Z", 'Z', 'z'},
    {"at sign", '@', '@'},
    {"bracket", '[', '['},
    {"a", 'a', 'a'},
    {"a digit", '1', '1'},
    {"NUL", 0, 0},
    {"A grave", 0xC0, 0xE0},
    {"multiplication sign", 0xD7, 0xD7},
    {"sharp s", 0xDF, 0xDF},
    {"I with dot above", 0x130, 0x69},
    {"dotless i", 0x131, 0x131},
    {"a title case letter", 0x1C5, 0x1C6},
    {"Sigma", 0x3A3, 0x3C3},
    {"final sigma", 0x3C2, 0x3C2},
    {"Cyrillic A", 0x410, 0x430},
    {"capital sharp s", 0x1E9E, 0xDF},
    {"OHM SIGN", 0x2126, 0x3C9},
    {"KELVIN SIGN", 0x212A, 'k'},
    {"ANGSTROM SIGN", 0x212B, 0xE5},
    {"fullwidth A", 0xFF21, 0xFF41},
    {"Deseret long I", 0x10400, 0x10428},
    {"a CJK character", 0x4E00, 0x4E00},
    {"the last code point", 0x10FFFF, 0x10FFFF},
    {"a surrogate", 0xD800, 0xD800},
    {"past the last code point", 0x110000, 0x110000},
    {"the largest number", UINT32_MAX, UINT32_MAX},
};

static void run_lower(const struct lower_row *row)
{
    assert_int_equal(fer_unicode_lower(row->c), row->lower);
    /* Lower case is final. */
    assert_int_equal(fer_unicode_lower(row->lower), row->lower);
}

/* ---- white space
 * --------------------------------------------------------------------------------- */

/* PropList.txt: the whole White_Space property, as ranges. */
static const struct space_row {
    const char *name;
    uint32_t from;
    uint32_t to;
} space_rows[] = {
    {"tab to carriage return", 0x09, 0x0D},
    {"space", 0x20, 0x20},
    {"next line", 0x85, 0x85},
    {"no-break space", 0xA0, 0xA0},
    {"ogham space mark", 0x1680, 0x1680},
    {"en quad to hair space", 0x2000, 0x200A},
    {"line and paragraph separator", 0x2028, 0x2029},
    {"narrow no-break space", 0x202F, 0x202F},
    {"medium mathematical space", 0x205F, 0x205F},
    {"ideographic space", 0x3000, 0x3000},
};

static void run_space(const struct space_row *row)
{
    for (uint32_t c = row->from; c <= row->to; c++) assert_true(fer_unicode_is_space(c));
    assert_false(fer_unicode_is_space(row->from - 1));
    assert_false(fer_unicode_is_space(row->to + 1));
}

static void nothing_else_is_space(void)
{
    size_t count = 0;
    for (uint32_t c = 0; c <= 0x110000; c++) count += fer_unicode_is_space(c);
    assert_int_equal(count, 25);
    assert_false(fer_unicode_is_space(0x180E)); /* was one before Unicode 6.3 */
    assert_false(fer_unicode_is_space(0x200B));
    assert_false(fer_unicode_is_space(0xFEFF));
    assert_false(fer_unicode_is_space(UINT32_MAX));
}

/* ---- width
 * ------------------------------------------------------------------------------------------ */

static const struct width_row {
    const char *name;
    fer_str text;
    size_t width;
} width_rows[] = {
    {"nothing", {NULL, 0}, 0},
    {"ASCII", {"hello", 5}, 5},
    {"two bytes", {"\xC3\xA9", 2}, 1},
    {"a combining accent", {"e\xCC\x81", 3}, 1},
    {"only a combining accent", {"\xCC\x81", 2}, 0},
    {"two combining marks", {"a\xCC\x81\xCC\xA3", 5}, 1},
    {"zero width space", {"a\xE2\x80\x8B", 4}, 1},
    {"zero width joiner", {"\xE2\x80\x8D", 3}, 0},
    {"variation selector", {"\xEF\xB8\x8F", 3}, 0},
    {"byte order mark", {"\xEF\xBB\xBF", 3}, 0},
    {"a CJK character", {"\xE4\xB8\x80", 3}, 2},
    {"a CJK word", {"\xE6\x97\xA5\xE6\x9C\xAC", 6}, 4},
    {"a CJK character past 16 bits", {"\xF0\xA0\x80\x80", 4}, 2},
    {"Hangul", {"\xEA\xB0\x80", 3}, 2},
    {"fullwidth A", {"\xEF\xBC\xA1", 3}, 2},
    {"halfwidth katakana", {"\xEF\xBD\xB1", 3}, 1},
    {"emoji", {"\xF0\x9F\x98\x80", 4}, 2},
    {"ideographic space", {"\xE3\x80\x80", 3}, 2},
    {"Hebrew", {"\xD7\x90", 2}, 1},
    {"no-break space", {"\xC2\xA0", 2}, 1},
    {"tab", {"\t", 1}, 1},
    {"NUL", {"\0", 1}, 1},
    {"escape", {"\033[0m", 4}, 4},
    {"DEL", {"\x7F", 1}, 1},
    {"U+0080", {"\xC2\x80", 2}, 1},
    {"U+009F", {"\xC2\x9F", 2}, 1},
    {"an invalid byte", {"\xFF", 1}, 1},
    {"two invalid bytes", {"\xE2\x82", 2}, 2},
    {"a mixture",
     {"a\xE4\xB8\x80"
      "e\xCC\x81\t",
      8},
     5},
};

static void run_width(const struct width_row *row)
{
    assert_int_equal(fer_unicode_width(row->text), row->width);
}

int main(void)
{
    return ROWS_RUN("utf8 next", next_rows, run_next) +
           ROWS_RUN("unicode lower", lower_rows, run_lower) +
           ROWS_RUN("unicode space", space_rows, run_space) +
           ROWS_RUN("unicode width", width_rows, run_width) +
           ROWS_ONE("unicode", every_code_point_comes_back) +
           ROWS_ONE("unicode", nothing_else_is_space);
}
