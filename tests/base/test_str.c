/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed text: comparing, finding, cutting, and the one parser for whole numbers. */
#include "rows.h"

/* ---- two texts --------------------------------------------------------------------- */

static const struct pair_row {
    const char *name;
    fer_str a;
    fer_str b;
    int order; /* the sign of fer_str_cmp */
    bool nocase;
} pair_rows[] = {
    {"both nothing", {NULL, 0}, {NULL, 0}, 0, true},
    {"nothing and empty", {NULL, 0}, {"", 0}, 0, true},
    {"nothing and something", {NULL, 0}, {"a", 1}, -1, false},
    {"the same", {"abc", 3}, {"abc", 3}, 0, true},
    {"another last byte", {"abc", 3}, {"abd", 3}, -1, false},
    {"a prefix comes first", {"ab", 2}, {"abc", 3}, -1, false},
    {"a prefix by a NUL", {"ab", 2}, {"ab\0", 3}, -1, false},
    {"longer but smaller", {"aaa", 3}, {"b", 1}, -1, false},
    {"case", {"ABC", 3}, {"abc", 3}, -1, true},
    {"NUL inside, the same", {"a\0b", 3}, {"a\0b", 3}, 0, true},
    {"NUL inside, another", {"a\0b", 3}, {"a\0c", 3}, -1, false},
    {"bytes are unsigned", {"\x7F", 1}, {"\x80", 1}, -1, false},
    {"A grave is not a grave", {"\xC3\x80", 2}, {"\xC3\xA0", 2}, -1, false},
    {"at sign is not a back quote", {"@", 1}, {"`", 1}, -1, false},
    {"bracket is not a brace", {"[", 1}, {"{", 1}, -1, false},
    {"mixed case", {"ToOl-1Z", 7}, {"tOoL-1z", 7}, -1, true},
};

static int sign(int n)
{
    return n < 0 ? -1 : n > 0;
}

static void run_pair(const struct pair_row *row)
{
    assert_int_equal(sign(fer_str_cmp(row->a, row->b)), row->order);
    assert_int_equal(sign(fer_str_cmp(row->b, row->a)), -row->order);
    assert_int_equal(fer_str_cmp(row->a, row->a), 0);
    assert_int_equal(fer_str_eq(row->a, row->b), row->order == 0);
    assert_int_equal(fer_str_eq(row->b, row->a), row->order == 0);
    assert_int_equal(fer_str_eq_nocase(row->a, row->b), row->nocase);
    assert_int_equal(fer_str_eq_nocase(row->b, row->a), row->nocase);
}

/* Any two bytes at any place of texts that are compared by one, by eight and with a rest. */
static void nocase_bytes(void)
{
    static const size_t lens[] = {1, 7, 8, 9, 15, 16, 20};
    for (size_t n = 0; n < FER_COUNT(lens); n++) {
        char a[24], b[24];
        for (int i = 0; i < 256 * 256; i++) {
            size_t at = (size_t)i % lens[n];
            memset(a, 'x', sizeof a);
            memset(b, 'X', sizeof b);
            a[at] = (char)(i >> 8);
            b[at] = (char)i;
            bool same = fer_lower(a[at]) == fer_lower(b[at]);
            assert_int_equal(fer_str_eq_nocase((fer_str){a, lens[n]}, (fer_str){b, lens[n]}), same);
        }
    }
}

/* ---- against a C string ---------------------------------------------------------------- */

static const struct part_row {
    const char *name;
    fer_str s;
    const char *part;
    bool is;
    bool starts;
    bool ends;
} part_rows[] = {
    {"nothing, nothing", {NULL, 0}, NULL, true, true, true},
    {"nothing, empty", {NULL, 0}, "", true, true, true},
    {"nothing, something", {NULL, 0}, "a", false, false, false},
    {"empty part", {"abc", 3}, "", false, true, true},
    {"no part", {"abc", 3}, NULL, false, true, true},
    {"the whole", {"abc", 3}, "abc", true, true, true},
    {"the start", {"abc", 3}, "ab", false, true, false},
    {"the end", {"abc", 3}, "bc", false, false, true},
    {"both ends", {"aba", 3}, "a", false, true, true},
    {"the middle", {"abc", 3}, "b", false, false, false},
    {"longer than the text", {"abc", 3}, "abcd", false, false, false},
    {"longer at the front", {"abc", 3}, "xabc", false, false, false},
    {"another case", {"abc", 3}, "ABC", false, false, false},
    {"a NUL after it", {"abc\0", 4}, "abc", false, true, false},
    {"a slice of a longer text", {"abcdef", 3}, "abc", true, true, true},
};

static void run_part(const struct part_row *row)
{
    assert_int_equal(fer_str_is(row->s, row->part), row->is);
    assert_int_equal(fer_str_starts(row->s, row->part), row->starts);
    assert_int_equal(fer_str_ends(row->s, row->part), row->ends);
}

/* ---- find -------------------------------------------------------------------------------- */

static const struct find_row {
    const char *name;
    fer_str s;
    size_t from;
    char c;
    size_t at;
} find_rows[] = {
    {"in nothing", {NULL, 0}, 0, 'a', SIZE_MAX},
    {"first", {"abc", 3}, 0, 'a', 0},
    {"last", {"abc", 3}, 0, 'c', 2},
    {"not there", {"abc", 3}, 0, 'd', SIZE_MAX},
    {"the first of two", {"a.b.c", 5}, 0, '.', 1},
    {"at the start of the search", {"a.b.c", 5}, 1, '.', 1},
    {"the second of two", {"a.b.c", 5}, 2, '.', 3},
    {"behind the last", {"a.b.c", 5}, 4, '.', SIZE_MAX},
    {"from the end", {"abc", 3}, 3, 'c', SIZE_MAX},
    {"from past the end", {"abc", 3}, 4, 'c', SIZE_MAX},
    {"from the largest number", {"abc", 3}, SIZE_MAX, 'a', SIZE_MAX},
    {"past the length", {"abcd", 3}, 0, 'd', SIZE_MAX},
    {"a NUL", {"a\0b", 3}, 0, '\0', 1},
    {"the closing NUL is not in it", {"abc", 3}, 0, '\0', SIZE_MAX},
    {"a byte past ASCII", {"ab\xFF", 3}, 0, (char)0xFF, 2},
};

static void run_find(const struct find_row *row)
{
    assert_int_equal(fer_str_find(row->s, row->from, row->c), row->at);
}

/* ---- head ---------------------------------------------------------------------------------- */

static const struct head_row {
    const char *name;
    fer_str s;
    size_t max;
    const char *expected;
} head_rows[] = {
    {"of nothing", {NULL, 0}, 5, ""},
    {"none of nothing", {NULL, 0}, 0, ""},
    {"none", {"abc", 3}, 0, ""},
    {"ASCII", {"abc", 3}, 2, "ab"},
    {"exactly all", {"abc", 3}, 3, "abc"},
    {"more than all", {"abc", 3}, SIZE_MAX, "abc"},
    {"two bytes, after one", {"\xC3\xA9x", 3}, 1, ""},
    {"two bytes, after both", {"\xC3\xA9x", 3}, 2, "\xC3\xA9"},
    {"two bytes at the end, after one", {"a\xC3\xA9", 3}, 2, "a"},
    {"three bytes, after one", {"a\xE2\x82\xAC", 4}, 2, "a"},
    {"three bytes, after two", {"a\xE2\x82\xAC", 4}, 3, "a"},
    {"three bytes, after all", {"a\xE2\x82\xAC", 4}, 4, "a\xE2\x82\xAC"},
    {"four bytes, after three", {"a\xF0\x9F\x98\x80z", 6}, 4, "a"},
    {"four bytes, after all", {"a\xF0\x9F\x98\x80z", 6}, 5, "a\xF0\x9F\x98\x80"},
    {"only continuation bytes", {"\x80\x80\x80", 3}, 2, ""},
    {"none of a continuation byte", {"\x80", 1}, 0, ""},
};

static void run_head(const struct head_row *row)
{
    assert_str(fer_str_head(row->s, row->max), row->expected);
}

/* No cut of a text of all lengths of sequences splits one. */
static void head_never_splits(void)
{
    const fer_str s = FER_STR("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBFz");
    static const size_t ends[] = {0, 1, 3, 6, 10, 14, 15};
    for (size_t max = 0; max <= s.len + 2; max++) {
        size_t best = 0;
        for (size_t i = 0; i < FER_COUNT(ends); i++) best = ends[i] <= max ? ends[i] : best;
        fer_str head = fer_str_head(s, max);
        assert_ptr_equal(head.ptr, s.ptr);
        assert_int_equal(head.len, best);
    }
}

/* ---- whole numbers -------------------------------------------------------------------------- */

static const struct number_row {
    const char *name;
    fer_str s;
    bool good;
    uint64_t value;
} number_rows[] = {
    {"zero", {"0", 1}, true, 0},
    {"one", {"1", 1}, true, 1},
    {"leading zeros", {"007", 3}, true, 7},
    {"many leading zeros", {"00000000000000000000000000001", 29}, true, 1},
    {"the largest of 63 bits", {"9223372036854775807", 19}, true, 9223372036854775807u},
    {"one more than that", {"9223372036854775808", 19}, true, 9223372036854775808u},
    {"one less than the largest", {"18446744073709551614", 20}, true, UINT64_MAX - 1},
    {"the largest", {"18446744073709551615", 20}, true, UINT64_MAX},
    {"one more than the largest", {"18446744073709551616", 20}, false, 0},
    {"the product overflows", {"18446744073709551620", 20}, false, 0},
    {"a digit too many", {"184467440737095516150", 21}, false, 0},
    {"far too large", {"99999999999999999999999999999999", 32}, false, 0},
    {"nothing", {NULL, 0}, false, 0},
    {"empty", {"", 0}, false, 0},
    {"plus", {"+1", 2}, false, 0},
    {"minus", {"-1", 2}, false, 0},
    {"minus zero", {"-0", 2}, false, 0},
    {"only a sign", {"-", 1}, false, 0},
    {"blank before", {" 1", 2}, false, 0},
    {"blank after", {"1 ", 2}, false, 0},
    {"blank inside", {"1 2", 3}, false, 0},
    {"only a blank", {" ", 1}, false, 0},
    {"newline after", {"1\n", 2}, false, 0},
    {"NUL after", {"1\0", 2}, false, 0},
    {"hexadecimal", {"0x10", 4}, false, 0},
    {"fraction", {"1.0", 3}, false, 0},
    {"exponent", {"1e3", 3}, false, 0},
    {"grouped", {"1_000", 5}, false, 0},
    {"just under the digits", {"/", 1}, false, 0},
    {"just over the digits", {":", 1}, false, 0},
    {"Arabic digit one", {"\xD9\xA1", 2}, false, 0},
    {"a slice of more digits", {"12345", 2}, true, 12},
};

static void run_number(const struct number_row *row)
{
    uint64_t value = 77;
    assert_int_equal(fer_parse_u64(row->s, &value), row->good);
    assert_true(value == (row->good ? row->value : 77)); /* untouched on failure */
}

/* ---- single characters ------------------------------------------------------------------------
 */

static void characters(void)
{
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        bool upper = i >= 'A' && i <= 'Z', lower = i >= 'a' && i <= 'z';
        assert_int_equal(fer_is_digit(c), i >= '0' && i <= '9');
        assert_int_equal(fer_is_alpha(c), upper || lower);
        assert_int_equal(fer_lower(c), upper ? (char)(i + 32) : c);
    }
}

static void making(void)
{
    assert_int_equal(FER_STR("a\0b").len, 3);
    assert_int_equal(FER_STR("").len, 0);
    assert_non_null(FER_STR("").ptr);
    assert_null(FER_STR_NONE.ptr);
    assert_int_equal(fer_str_of(NULL).len, 0);
    assert_int_equal(fer_str_of("abc").len, 3);
    assert_str(fer_str_slice(FER_STR("abcdef"), 2, 4), "cd");
    assert_str(fer_str_slice(FER_STR("abcdef"), 6, 6), "");
    char out[8];
    assert_int_equal(snprintf(out, sizeof out, "<%.*s>", FER_PRI(FER_STR_NONE)), 2);
    assert_int_equal(snprintf(out, sizeof out, "<%.*s>", FER_PRI(fer_str_of("abc"))), 5);
    assert_string_equal(out, "<abc>");
}

/* Each byte at each place of texts around the width that is looked at in one step. */
static void plain(void)
{
    char text[40];
    for (size_t len = 0; len <= sizeof text; len++) {
        memset(text, 'a', sizeof text);
        assert_true(fer_str_is_plain((fer_str){text, len}));
        for (size_t at = 0; at < len; at++) {
            for (int c = 0; c < 256; c++) {
                bool good = c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '<';
                text[at] = (char)c;
                assert_int_equal(fer_str_is_plain((fer_str){text, len}), good);
                assert_int_equal(fer_str_next_odd((fer_str){text, len}, at / 2), good ? len : at);
            }
            text[at] = 'a';
        }
    }
    assert_true(fer_str_is_plain(FER_STR_NONE));
}

int main(void)
{
    return ROWS_ONE("str", plain) + ROWS_RUN("str pairs", pair_rows, run_pair) +
           ROWS_ONE("str", nocase_bytes) + ROWS_RUN("str parts", part_rows, run_part) +
           ROWS_RUN("str find", find_rows, run_find) + ROWS_RUN("str head", head_rows, run_head) +
           ROWS_RUN("str number", number_rows, run_number) + ROWS_ONE("str", head_never_splits) +
           ROWS_ONE("str", characters) + ROWS_ONE("str", making);
}
