/* SPDX-License-Identifier: Apache-2.0 */
/* Tags in their normal form: the vectors of SPEC 1, the family's facts, and the edges. */
#include <ferrule/contract.h>

#include "rows.h"
#include "tags.h"

#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A63 A60 "aaa"
#define A64 A60 "aaaa"

/* Lists are written with '|' between the tags. */
static const struct row {
    const char *name;
    const char *raw;
    const char *normal;
} rows[] = {
    {"vector 1", "  Foo |foo|Bar Baz|bar-baz|A_B|A.B", "foo|bar-baz|a_b|a.b"},
    {"vector 2", "|   |###|ok!|good_tag", "ok|good_tag"},
    {"already normal", "a|b-c|d_e|f.g|0", "a|b-c|d_e|f.g|0"},
    {"all of the alphabet", "abcdefghijklmnopqrstuvwxyz0123456789-_.",
     "abcdefghijklmnopqrstuvwxyz0123456789-_."},
    {"capitals", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"},
    {"other ASCII is dropped", "a!\"#$%&'()*+,/:;<=>?@[\\]^`{}~b", "ab"},
    {"control characters are dropped",
     "a\x01\x02\x1F\x7F"
     "b",
     "ab"},
    {"KELVIN SIGN is k in lower case", "\xE2\x84\xAA", "k"},
    {"I WITH DOT ABOVE is i in lower case", "\xC4\xB0x", "ix"},
    {"letters beyond ASCII are dropped", "caf\xC3\xA9|\xC3\x84rger|\xE6\x97\xA5\xE6\x9C\xAC",
     "caf|rger"},
    {"emoji", "\xF0\x9F\x94\xA5hot", "hot"},
    {"full-width letters are no ASCII", "\xEF\xBD\x81", ""},
    {"trimmed", "\t\n\v\f\r a \t", "a"},
    {"a run becomes one hyphen", "a \t\n  b", "a-b"},
    {"several runs", "a b  c", "a-b-c"},
    {"hyphens stay as they are", "a - b|a--b", "a---b|a--b"},
    {"NO-BREAK SPACE",
     "a\xC2\xA0"
     "b|\xC2\xA0"
     "c",
     "a-b|c"},
    {"NEXT LINE",
     "a\xC2\x85"
     "b",
     "a-b"},
    {"OGHAM SPACE MARK",
     "a\xE1\x9A\x80"
     "b",
     "a-b"},
    {"EN QUAD to HAIR SPACE",
     "a\xE2\x80\x80"
     "b\xE2\x80\x8A"
     "c",
     "a-b-c"},
    {"LINE and PARAGRAPH SEPARATOR",
     "a\xE2\x80\xA8"
     "b\xE2\x80\xA9"
     "c",
     "a-b-c"},
    {"NARROW NO-BREAK SPACE",
     "a\xE2\x80\xAF"
     "b",
     "a-b"},
    {"MEDIUM MATHEMATICAL SPACE",
     "a\xE2\x81\x9F"
     "b",
     "a-b"},
    {"IDEOGRAPHIC SPACE",
     "\xE3\x80\x80"
     "a\xE3\x80\x80"
     "b",
     "a-b"},
    {"ZERO WIDTH SPACE is no white space",
     "a\xE2\x80\x8B"
     "b",
     "ab"},
    {"byte order mark is no white space",
     "a\xEF\xBB\xBF"
     "b",
     "ab"},
    {"a mixed run",
     "a \xE3\x80\x80\t\xC2\xA0"
     "b",
     "a-b"},
    {"white space around what is dropped", "# a #", "-a-"},
    {"only white space beyond ASCII", "\xC2\xA0\xE3\x80\x80", ""},
    {"invalid UTF-8 is dropped",
     "a\xFF\xC3"
     "b|\x80",
     "ab"},
    {"63", A63, A63},
    {"64", A64, A64},
    {"65 is cut", A64 "b", A64},
    {"100 is cut", A60 A10 A10 A10 A10, A64},
    {"the cut comes after the dropping", "####" A64, A64},
    {"the cut may end in a hyphen", A63 " b", A63 "-"},
    {"the same once cut", A64 "b|" A64 "c", A64},
    {"cut behind dropped letters",
     A63 "\xC3\xA9"
         "bc",
     A63 "b"},
    {"duplicates", "a|A| a |b|a", "a|b"},
    {"duplicates once normalised",
     "a b|a-b|A\xC2\xA0"
     "B",
     "a-b"},
    {"20 tags", "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t",
     "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t"},
    {"21 tags", "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u",
     "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t"},
    {"empties and repeats do not count towards 20",
     "|a|a|#|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|S|t|u", "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t"},
};

enum {
    MOST = 40
};

/* "a||b" is three texts; the whole of it may be the one empty text. */
static size_t split(const char *list, fer_str out[MOST])
{
    size_t count = 0;
    fer_str rest = fer_str_of(list);
    for (;;) {
        size_t bar = fer_str_find(rest, 0, '|');
        assert_true(count < MOST);
        out[count++] = fer_str_slice(rest, 0, bar == SIZE_MAX ? rest.len : bar);
        if (bar == SIZE_MAX) return count;
        rest = fer_str_slice(rest, bar + 1, rest.len);
    }
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_str raw[MOST], expected[MOST], *tags, *again;
    size_t count, again_count, left = *row->normal ? split(row->normal, expected) : 0;
    fer_code code = fer_tags_normalise(a, raw, split(row->raw, raw), &tags, &count, NULL);
    if (code) return code;
    for (size_t i = 0; i < count && i < left; i++) {
        if (!fer_str_eq(tags[i], expected[i]))
            fail_msg("\"%.*s\" instead of \"%.*s\"", FER_PRI(tags[i]), FER_PRI(expected[i]));
        assert_true(tags[i].len >= 1 && tags[i].len <= FER_TAG_MAX);
    }
    assert_int_equal(count, left);
    /* What is normal stays as it is. */
    code = fer_tags_normalise(a, tags, count, &again, &again_count, NULL);
    if (code) return code;
    assert_int_equal(again_count, count);
    for (size_t i = 0; i < count; i++) assert_true(fer_str_eq(again[i], tags[i]));
    return FER_OK;
}

static void normalises(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 0);
}

static void nothing(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str *tags;
    size_t count = 7;
    assert_int_equal(fer_tags_normalise(a, NULL, 0, &tags, &count, NULL), FER_OK);
    assert_int_equal(count, 0);
    fer_arena_free(a);
}

/* A NUL is a character like any other that may not stay. */
static void nul(void)
{
    char out[FER_TAG_MAX];
    assert_str(((fer_str){out, fer_tag_normalise(FER_STR("a\0b"), out)}), "ab");
}

/* Every byte string of one and two bytes: the result is in the alphabet and normal. */
static void every_short_text(void)
{
    for (unsigned c = 0; c < 65536; c++) {
        const char raw[2] = {(char)(c >> 8), (char)(c & 255)};
        char out[FER_TAG_MAX], again[FER_TAG_MAX];
        size_t len = fer_tag_normalise((fer_str){raw, 2}, out);
        assert_true(len <= 2);
        for (size_t i = 0; i < len; i++)
            assert_non_null(strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", out[i]));
        assert_int_equal(fer_tag_normalise((fer_str){out, len}, again), len);
        assert_memory_equal(out, again, len);
    }
}

int main(void)
{
    return ROWS_RUN("tags", rows, normalises) + ROWS_ONE("tags", nothing) + ROWS_ONE("tags", nul) +
           ROWS_ONE("tags", every_short_text);
}
