/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the distance between two words, and the nearest of several. */
#include "rows.h"

#include "near.h"

#define TEN      "0123456789"
#define SIXTY    TEN TEN TEN TEN TEN TEN
#define LONGEST  SIXTY "abcd"
#define TOO_LONG SIXTY "abcde"

/* ---- distance --------------------------------------------------------------------------- */

static const struct distance_row {
    const char *name;
    const char *x;
    const char *y;
    size_t max;
    size_t distance;
} distance_rows[] = {
    {"both empty", "", "", 5, 0},
    {"the same", "tool", "tool", 5, 0},
    {"one is empty", "", "abc", 5, 3},
    {"one is empty, past the maximum", "", "abc", 2, 3},
    {"insert at the front", "ool", "tool", 5, 1},
    {"insert in the middle", "tol", "tool", 5, 1},
    {"insert at the end", "too", "tool", 5, 1},
    {"delete", "toool", "tool", 5, 1},
    {"replace at the front", "cool", "tool", 5, 1},
    {"replace at the end", "toon", "tool", 5, 1},
    {"swap at the front", "otol", "tool", 5, 1},
    {"swap at the end", "tolo", "tool", 5, 1},
    {"two letters swapped", "ab", "ba", 5, 1},
    {"two swaps", "abcd", "badc", 5, 2},
    {"a swap and a replacement", "abcd", "bax", 5, 3},
    {"a swapped pair is not edited again", "ca", "abc", 5, 3},
    {"case is ignored", "TOOL", "tool", 5, 0},
    {"case is ignored in a swap", "tOLo", "TOOL", 5, 1},
    {"kitten", "kitten", "sitting", 5, 3},
    {"a real slip", "inputShcema", "inputSchema", 5, 1},
    {"nothing in common", "abc", "xyz", 5, 3},
    {"as far as the maximum", "abc", "xyz", 3, 3},
    {"just past the maximum", "abc", "xyz", 2, 3},
    {"far past the maximum", "abcdefgh", "12345678", 2, 3},
    {"maximum 0, the same", "abc", "abc", 0, 0},
    {"maximum 0, another", "abc", "abd", 0, 1},
    {"no maximum", "abc", "xyz", SIZE_MAX, 3},
    {"64 bytes, the same", LONGEST, LONGEST, 5, 0},
    {"64 bytes, one replaced", LONGEST, SIXTY "abcx", 5, 1},
    {"64 bytes, one missing", LONGEST, SIXTY "abc", 5, 1},
    {"64 bytes against none", LONGEST, "", 100, 64},
    {"65 bytes are never near", TOO_LONG, TOO_LONG, 5, 6},
    {"65 bytes against 64", TOO_LONG, LONGEST, 5, 6},
    {"65 bytes against none", TOO_LONG, "", 3, 4},
    {"bytes past ASCII", "caf\xC3\xA9", "caf\xC3\xA8", 5, 1},
};

static void run_distance(const struct distance_row *row)
{
    fer_str x = fer_str_of(row->x), y = fer_str_of(row->y);
    assert_int_equal(fer_near_distance(x, y, row->max), row->distance);
    assert_int_equal(fer_near_distance(y, x, row->max), row->distance);
    assert_int_equal(fer_near_distance(x, x, row->max), x.len > 64 ? row->max + 1 : 0);
}

/* No text is read past its length, and a NUL is a byte like others. */
static void lengths_count(void)
{
    assert_int_equal(fer_near_distance((fer_str){"abX", 2}, (fer_str){"abY", 2}, 5), 0);
    assert_int_equal(fer_near_distance((fer_str){"a\0b", 3}, (fer_str){"a\0c", 3}, 5), 1);
    assert_int_equal(fer_near_distance(FER_STR_NONE, FER_STR_NONE, 5), 0);
    assert_int_equal(fer_near_distance(FER_STR_NONE, FER_STR("ab"), 5), 2);
}

/* ---- the nearest ------------------------------------------------------------------------------
 */

static const struct near_row {
    const char *name;
    const char *word;
    const char *candidates[6]; /* in the order shown, up to NULL */
    const char *best;          /* NULL: nothing is near */
} near_rows[] = {
    {"no candidate", "word", {NULL}, NULL},
    {"one near", "naem", {"name", NULL}, "name"},
    {"the nearest comes last",
     "descriptin",
     {"inscription", "descriptor", "description", NULL},
     "description"},
    {"the nearest comes first", "schemas", {"schema", "scheme", NULL}, "schema"},
    {"the first of two equal ones", "bat", {"cat", "hat", NULL}, "cat"},
    {"a nearer one replaces", "abcdef", {"abcxyz", "abcdxx", "abcdex", NULL}, "abcdex"},
    {"a farther one does not", "abcdef", {"abcdex", "abcdxx", "abcxyz", NULL}, "abcdex"},
    {"the word itself", "name", {"nama", "name", "nam", NULL}, "name"},
    {"another case", "inputschema", {"outputSchema", "inputSchema", NULL}, "inputSchema"},
    {"nothing near", "colour", {"name", "version", "tags", NULL}, NULL},
    {"the empty word has no neighbour", "", {"a", "", "ab", NULL}, NULL},
    {"one letter has no neighbour", "x", {"y", "xy", "ab", "", NULL}, NULL},
    {"one letter in another case", "x", {"y", "X", NULL}, "X"},
    {"two letters, one wrong", "ib", {"id", NULL}, "id"},
    {"two letters, both wrong", "xy", {"id", "", NULL}, NULL},
    {"two letters, two more", "id", {"idle", NULL}, NULL},
    {"five letters, two wrong", "nbmex", {"names", NULL}, "names"},
    {"five letters, three wrong", "nxyzs", {"names", NULL}, NULL},
    {"nine letters, three wrong", "abcdefxyz", {"abcdefghi", NULL}, "abcdefghi"},
    {"nine letters, four wrong", "abcdewxyz", {"abcdefghi", NULL}, NULL},
    {"never more than three wrong", "abcdefghijklmnopwxyz", {"abcdefghijklmnopqrst", NULL}, NULL},
    {"an empty candidate", "ab", {"", NULL}, NULL},
    {"64 bytes", SIXTY "abcx", {LONGEST, NULL}, LONGEST},
    {"a long word", TOO_LONG, {TOO_LONG, NULL}, NULL},
    {"a long candidate", LONGEST, {TOO_LONG, NULL}, NULL},
};

static void run_near(const struct near_row *row)
{
    fer_near n;
    fer_near_init(&n, fer_str_of(row->word));
    assert_null(n.best.ptr);
    for (size_t i = 0; row->candidates[i]; i++) fer_near_try(&n, fer_str_of(row->candidates[i]));
    if (!row->best) {
        assert_null(n.best.ptr);
        return;
    }
    assert_non_null(n.best.ptr);
    assert_str(n.best, row->best);
    assert_int_equal(n.distance, fer_near_distance(n.word, n.best, 10));
}

/* Nothing that is near is passed over before its distance is known. */
static void all_small_words(void)
{
    static const char letters[] = "abC";
    char words[400][6];
    size_t count = 0;
    for (size_t len = 1; len <= 5; len++) {
        size_t of_len = len == 1 ? 3 : len == 2 ? 9 : len == 3 ? 27 : len == 4 ? 81 : 243;
        for (size_t n = 0; n < of_len; n++) {
            size_t rest = n;
            for (size_t i = 0; i < len; i++, rest /= 3) words[count][i] = letters[rest % 3];
            words[count++][len] = '\0';
        }
    }
    for (size_t x = 0; x < count; x++) {
        for (size_t y = 0; y < count; y++) {
            fer_near n;
            fer_str word = fer_str_of(words[x]), other = fer_str_of(words[y]);
            fer_near_init(&n, word);
            size_t d = fer_near_distance(word, other, 10);
            bool near = d < n.distance && d < word.len;
            fer_near_try(&n, other);
            assert_int_equal(n.best.ptr != NULL, near);
        }
    }
}

int main(void)
{
    return ROWS_RUN("near distance", distance_rows, run_distance) +
           ROWS_RUN("near", near_rows, run_near) + ROWS_ONE("near", lengths_count) +
           ROWS_ONE("near", all_small_words);
}
