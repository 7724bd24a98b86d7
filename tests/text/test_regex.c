/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions: what matches, what is no pattern, and where. */
#include "rows.h"

#include <stdlib.h>

#include "regex.h"

#define STEPS ((size_t)1000000)

#define DRAGON "\xF0\x9F\x90\xB2" /* U+1F432 */
#define ACUTE  "\xC3\xA9"         /* U+00E9 */
#define ALPHA  "\xCE\xB1"         /* U+03B1 */
#define LINE   "\xE2\x80\xA8"     /* U+2028 */

static const fer_regex *must_compile(fer_arena *a, const char *pattern)
{
    const fer_regex *re = NULL;
    fer_err err;
    if (fer_regex_compile(a, fer_str_of(pattern), NULL, &re, &err))
        fail_msg("%s: %s", pattern, err.message);
    return re;
}

/* ---- what matches -------------------------------------------------------------------------- */

static const struct match_row {
    const char *name;
    const char *pattern;
    const char *yes[6]; /* up to NULL */
    const char *no[6];
} match_rows[] = {
    {"empty", "", {"", "a"}, {NULL}},
    {"letter", "b", {"b", "abc"}, {"", "B"}},
    {"word", "needle", {"needle", "a needle here"}, {"needl", "", "need le"}},
    {"literal past ASCII", "x" ACUTE, {"ax" ACUTE}, {"x", "xe"}},
    {"start", "^ab", {"ab", "abc"}, {"", "a", "xab"}},
    {"end", "ab$", {"ab", "xab"}, {"", "abx", "ab\n"}},
    {"both ends", "^ab$", {"ab"}, {"", "abab", "ab\n", "\nab"}},
    {"nothing between ends", "^$", {""}, {"a", "\n"}},
    {"ends the wrong way round", "$^", {""}, {"a"}},
    {"end in the middle", "a$b", {NULL}, {"ab", "a"}},
    {"start in the middle", "a^b", {NULL}, {"ab", "b"}},
    {"choice", "^(a|bc|)$", {"a", "bc", ""}, {"b", "abc"}},
    {"choice binds least", "^a|b$", {"ax", "xb"}, {"xax"}},
    {"start in every choice", "^a|^b", {"ax", "bx"}, {"xa"}},
    {"dot", "^.$", {"a", ACUTE, DRAGON, "\t"}, {"", "\n", "\r", LINE, "aa"}},
    {"star", "^a*$", {"", "aaa"}, {"b", "aab"}},
    {"plus", "^a+$", {"a", "aaa"}, {"", "ab"}},
    {"optional", "^ab?$", {"a", "ab"}, {"abb"}},
    {"count", "^a{3}$", {"aaa"}, {"aa", "aaaa"}},
    {"least", "^a{2,}$", {"aa", "aaaaa"}, {"a"}},
    {"least and most", "^a{2,3}$", {"aa", "aaa"}, {"a", "aaaa"}},
    {"none at all", "^a{0}b$", {"b"}, {"ab"}},
    {"a group that is not there", "^(a){0}b$", {"b"}, {"ab"}},
    {"lazy", "^a*?b+?c??d{1,2}?$", {"bd", "aabbcdd"}, {"d", "bddd"}},
    {"a run that may stop early", "^a{1,3}", {"a", "aaaa"}, {"b"}},
    {"runs that may be left out", "^a?b?c*", {"", "x"}, {NULL}},
    {"runs that must not be mixed up", "^a+b*c$", {"ac", "aabbc"}, {"ab", "bc", "acc"}},
    {"runs that share letters", "^[a-c]+c$", {"abc", "cc"}, {"c", "ab"}},
    {"runs behind an empty one share", "^a+b*a$", {"aa", "aba"}, {"a", "ab"}},
    {"a run at its most", "^a{1,2}b$", {"ab", "aab"}, {"aaab"}},
    {"repeated group", "^(ab)+$", {"ab", "abab"}, {"", "aba"}},
    {"nested repetition", "^(?:a{2}){2,3}$", {"aaaa", "aaaaaa"}, {"aa", "aaaaa", "aaaaaaa"}},
    {"empty repetition", "^(?:){3}(a*)*$", {"", "aa"}, {"b"}},
    {"repeated assertion", "^(?:^)*(?:\\b)+a", {"a"}, {"", "ba"}},
    {"class", "^[abc]$", {"a", "c"}, {"d", "", "ab"}},
    {"class of ranges", "^[a-cx-z_]$", {"b", "y", "_"}, {"d", "w", "-"}},
    {"class with dashes", "^[-a][b-]$", {"--", "ab"}, {"ba", "a"}},
    {"range of a dash", "^[+--]$", {"+", ",", "-"}, {"*", "."}},
    {"negated class", "^[^a-c]$", {"d", ACUTE, DRAGON, "\n"}, {"a", "", "dd"}},
    {"empty class", "[]", {NULL}, {"", "a"}},
    {"any class", "^[^]$", {"a", "\n", DRAGON, LINE}, {"", "ab"}},
    {"class past ASCII", "^[" ALPHA "-\xCF\x89]+$", {ALPHA, "\xCF\x80"}, {"a", ACUTE}},
    {"class of wide and narrow", "^[a" ACUTE DRAGON "]+$", {"a" ACUTE DRAGON}, {"b", ALPHA}},
    {"ranges that touch", "^[" ACUTE "\xC3\xAA\xC3\xA8-\xC3\xAB]$", {ACUTE, "\xC3\xAB"}, {"e"}},
    {"class with brackets", "^[[(\\]{}]+$", {"[(]{}"}, {")"}},
    {"digits",
     "^\\d\\D$",
     {"1a", "9\xD9\xA1"},
     {"11", "aa",
      "\xD9\xA1"
      "a"}},
    {"words", "^\\w\\W$", {"a-", "_ ", "Z" ACUTE}, {"aa", "--", ACUTE "-"}},
    {"spaces",
     "^\\s+$",
     {" \t\n\v\f\r", "\xC2\xA0\xEF\xBB\xBF", LINE "\xE3\x80\x80"},
     {"\x01", "\xC2\x85"}},
    {"no spaces", "^\\S+$", {"a\x01", "\xC2\x85"}, {" ", "\xC2\xA0", "\xEF\xBB\xBF"}},
    {"classes of classes", "^[\\d\\s]+[^\\w\\s]$", {"1 -", " " ACUTE}, {"1a", "1 "}},
    {"class of a class past ASCII", "^[\\S" LINE "]$", {"a", LINE}, {" "}},
    {"no word, no space", "^[\\W\\D]$", {"a", "-", ALPHA}, {"1"}},
    {"control escapes", "^\\t\\n\\v\\f\\r\\cA\\ca\\0$", {NULL}, {"\t\n\v\f\r\x01\x01"}},
    {"control escapes, but for NUL", "^\\t\\n\\v\\f\\r\\cJ[\\b]$", {"\t\n\v\f\r\n\b"}, {"t"}},
    {"escapes of code points",
     "^\\x41\\u00e9\\u{1F432}\\uD83D\\uDC32$",
     {"A" ACUTE DRAGON DRAGON},
     {"A" ACUTE DRAGON}},
    {"lone surrogates match nothing",
     "\\uD83D|\\uDC32|[\\uD800-\\uDFFF]|\\uD83D\\u0041",
     {NULL},
     {DRAGON, "A"}},
    {"a pair in braces is no pair", "\\u{D83D}\\u{DC32}", {NULL}, {DRAGON}},
    {"escaped syntax",
     "^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$",
     {"^$\\.*+?()[]{}|/"},
     {"a"}},
    {"edges of words", "\\bab\\b", {"ab", "-ab-", "x ab"}, {"xab", "abx", "a b"}},
    {"no edges of words", "\\Bab\\B", {"xabx"}, {"ab", "xab", "abx"}},
    {"no edge of nothing", "^\\B$", {""}, {"a"}},
    {"edge at the end", "^a+\\b", {"a", "aa-"}, {"ab"}},
    {"letters past ASCII are no words", "a\\b" ACUTE, {"a" ACUTE}, {"a"}},
    {"named group", "^(?<year>\\d{4})(?<_$>x)(?<\\u0061>y)$", {"2024xy"}, {"202xy"}},
    {"plain group", "^(?:ab)c$", {"abc"}, {"ab"}},
    {"general category", "^\\p{L}+\\P{L}$", {"a" ACUTE "1", "\xE4\xB8\xAD-"}, {"1", "ab"}},
    {"long name of a category",
     "^\\p{Uppercase_Letter}\\p{gc=Ll}\\p{General_Category=Nd}$",
     {"Aa1"},
     {"aA1"}},
    {"digit is a category", "^\\p{digit}$", {"1", "\xE0\xA7\xAA"}, {"a"}},
    {"script", "^\\p{Script=Greek}\\p{sc=Grek}$", {ALPHA ALPHA}, {"a" ALPHA}},
    {"script extensions",
     "^\\p{Script_Extensions=Deva}\\p{scx=Devanagari}\\P{sc=Deva}$",
     {"\xE0\xA5\xA4\xE0\xA5\xA4\xE0\xA5\xA4"},
     {"a"}},
    {"unknown script", "^\\p{Script=Unknown}$", {"\xF4\x8F\xBF\xBF"}, {"a"}},
    {"binary property",
     "^\\p{Alphabetic}\\p{White_Space}\\p{ASCII}\\p{Any}\\p{Assigned}\\p{AHex}$",
     {"a a" DRAGON "aF"},
     {"a a" DRAGON "ag"}},
    {"emoji", "^\\p{Emoji}\\p{Emoji_Presentation}\\p{ExtPict}$", {DRAGON DRAGON DRAGON}, {"abc"}},
    {"properties in a class", "^[\\p{L}\\p{Nd}\\P{Any}_-]+$", {"a" ACUTE "1_-"}, {" ", "."}},
    {"negated properties in a class",
     "^[^\\P{L}\\p{Lu}" ACUTE "]+$",
     {"ab\xC3\xA8"},
     {"A", "1", ACUTE}},
    {"astral", "^" DRAGON "{2}$", {DRAGON DRAGON}, {DRAGON, DRAGON DRAGON DRAGON}},
    {"look ahead", "^(?=.*[A-Z])(?=.*\\d).{8,}$", {"Passw0rd"}, {"password1", "Password", "Pa0"}},
    {"no look ahead", "^(?!admin$)\\w+$", {"adminx", "user"}, {"admin"}},
    {"look behind", "(?<=\\$)\\d+", {"$5"}, {"5", "$"}},
    {"look behind any distance", "(?<=^a+)b", {"ab", "aaab"}, {"b", "xab"}},
    {"no look behind", "(?<!a)b", {"b", "xb"}, {"ab", "aab"}},
    {"look in a look", "(?=a(?!b(?=c)))a.", {"ab", "ad"}, {"abc", "a"}},
    {"look behind in a look ahead", "^(?=..(?<=ab))", {"abc"}, {"bab"}},
    {"a look in a loop", "^(?:(?=[ab])\\w(?<!b))+$", {"aaa"}, {"ab", "ac"}},
    {"a look that is never asked", "^(?:(?=x)a){0}b$", {"b"}, {"ab"}},
    {"look past ASCII", "(?=" DRAGON ").(?<=" DRAGON ")$", {ACUTE DRAGON}, {ACUTE}},
    {"look at edges", "(?=\\bb$)(?<=^a-)b", {"a-b"}, {"b", "ab"}},
    {"empty looks", "(?=)(?!a)(?<=)(?<!b)", {"c", ""}, {NULL}},
    {"back-reference", "^(a|b)\\1$", {"aa", "bb"}, {"ab", "a"}},
    {"reference by name", "^(?<q>['\"]).*\\k<q>$", {"'a'", "\"\""}, {"'a\""}},
    {"reference before its group", "^\\1(a)$", {"a"}, {"aa"}},
    {"reference inside its group", "^(a\\1)+$", {"a", "aa"}, {"b"}},
    {"reference to what is not set", "^(?:(a)|b)\\1$", {"aa", "b"}, {"ba"}},
    {"a loop forgets", "^(?:(a)|b)*\\1$", {"ab", "aa", "b"}, {"ac"}},
    {"a loop of a loop forgets", "(z)((a+)?(b+)?(c))*\\3$", {"zaacbbbc"}, {"zaacb", "y"}},
    {"reference behind", "(?<=(a)\\1)b", {"ab"}, {"b"}},
    {"reference behind its group", "(?<=\\1(a))b", {"aab"}, {"ab", "b"}},
    {"references at the edges of the text", "^(ab)(?<!\\1\\1)\\1$", {"abab"}, {"ab", "aba"}},
    {"references and looks", "^(?=(a+))\\1b(?!\\1)", {"aab", "aaba"}, {"aabaa", "ba"}},
    {"a look keeps its captures", "(?=(a+))a*b\\1", {"baaabac", "aba"}, {"ab"}},
    {"a failed look forgets", "^(?!(a)x)\\1b", {"b"}, {"axb"}},
    {"a look in a look with references", "^(?=(a)(?!b(c)))\\1[bd]\\2$", {"ab", "ad"}, {"abc"}},
    {"references with counts",
     "^(?:(a)(b)?){2,3}\\2$",
     {"abab"
      "b",
      "aba", "aaabb"},
     {"a"}},
    {"lazy with references", "^(a+?)\\1{2}?b??$", {"aaa", "aaaaaab"}, {"aa"}},
    {"references past ASCII", "^(.)\\1$", {DRAGON DRAGON, ACUTE ACUTE}, {DRAGON ACUTE, ACUTE}},
    {"a group matched twice", "^(a*)*\\1$", {"", "aa"}, {"b"}},
    {"edges with references", "(\\b)^\\Ba|(x)\\2$", {"xx"}, {"x", "a"}},
    /* Forgiven, as Annex B does. */
    {"needless escapes",
     "^\\-\\:\\&\\%\\_\\@\\\"\\'\\ \\#\\~\\!\\=\\<\\>\\,\\;\\`$",
     {"-:&%_@\"' #~!=<>,;`"},
     {"a"}},
    {"needless escapes in a class", "^[\\-\\:\\_\\@]+$", {"-:_@"}, {"\\"}},
    {"lone brackets", "^]{}a{,5}x{b}{$", {"]{}a{,5}x{b}{"}, {"]"}},
    {"a brace that is no count", "^a{1$", {"a{1"}, {"a"}},
    {"a class beside a dash", "^[\\w-.]+[.-\\d]+[\\d-\\s]$", {"a-..-1-"}, {"/"}},
};

static void run_match(const struct match_row *row)
{
    fer_arena *a = fer_arena_new(0), *scratch = fer_arena_new(0);
    assert_true(a && scratch);
    const fer_regex *re = must_compile(a, row->pattern);
    for (size_t i = 0; i < FER_COUNT(row->yes) && row->yes[i]; i++) {
        size_t steps = STEPS;
        if (fer_regex_search(re, fer_str_of(row->yes[i]), &steps, scratch) != FER_MATCH_YES)
            fail_msg("%s does not match %s", row->pattern, row->yes[i]);
    }
    for (size_t i = 0; i < FER_COUNT(row->no) && row->no[i]; i++) {
        size_t steps = STEPS;
        if (fer_regex_search(re, fer_str_of(row->no[i]), &steps, scratch) != FER_MATCH_NO)
            fail_msg("%s matches %s", row->pattern, row->no[i]);
    }
    fer_arena_free(a);
    fer_arena_free(scratch);
}

/* NUL is a character like others, in a pattern and in a text. */
static void nul_is_a_character(void)
{
    fer_arena *a = fer_arena_new(0);
    const fer_regex *re;
    size_t steps = STEPS;
    assert_int_equal(fer_regex_compile(a, (fer_str){"^a\0b$", 5}, NULL, &re, NULL), FER_OK);
    assert_int_equal(fer_regex_search(re, (fer_str){"a\0b", 3}, &steps, a), FER_MATCH_YES);
    assert_int_equal(fer_regex_search(re, FER_STR("ab"), &steps, a), FER_MATCH_NO);
    re = must_compile(a, "^(?:x|\\0|[\\0])$");
    assert_int_equal(fer_regex_search(re, (fer_str){"\0", 1}, &steps, a), FER_MATCH_YES);
    fer_arena_free(a);
}

/* What is not UTF-8 is never read past its end. */
static void other_bytes_are_safe(void)
{
    static const char *const patterns[] = {"^.+$",   "(?:.|\xC3\xA9)+x", "^\\p{L}", "(?<=.)$",
                                           "(.)\\1", "(?<=(.)\\1)",      "[^a]{3}"};
    static const char *const texts[] = {"\xC3", "\xF0\x9F", "a\xE2\x80", "\x80\x80\x80\x80\x80",
                                        "\xFF\xFE"};
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(patterns); i++) {
        const fer_regex *re = must_compile(a, patterns[i]);
        for (size_t k = 0; k < FER_COUNT(texts); k++) {
            size_t len = strlen(texts[k]), steps = STEPS;
            char *copy = malloc(len);
            assert_non_null(copy);
            memcpy(copy, texts[k], len);
            assert_int_not_equal(fer_regex_search(re, (fer_str){copy, len}, &steps, a),
                                 FER_MATCH_BUDGET);
            free(copy);
        }
    }
    fer_arena_free(a);
}

/* ---- what is no pattern -------------------------------------------------------------------- */

static const struct wrong_row {
    const char *name;
    const char *pattern;
    size_t offset;
    const char *message; /* what it ends in */
    bool only_strict;
} wrong_rows[] = {
    {"nothing to repeat", "*a", 0, "character 1 of the pattern: there is nothing to repeat", false},
    {"nothing to repeat, plus", "a|+", 2, "nothing to repeat", false},
    {"nothing to repeat, count", "({2})", 1, "nothing to repeat", false},
    {"repeated twice", "a**", 2, "nothing to repeat", false},
    {"repeated twice, past ASCII", ACUTE "{2}{3}", 5,
     "character 5 of the pattern: there is nothing to repeat", false},
    {"repeated start", "^*", 1, "an assertion cannot be repeated", false},
    {"repeated edge", "a\\b?", 3, "an assertion cannot be repeated", false},
    {"repeated look", "(?=a)+", 5, "an assertion cannot be repeated", false},
    {"counts out of order", "a{3,2}", 1, "the counts are out of order", false},
    {"group without end", "a(b", 1, "the group is not closed", false},
    {"look without end", "(?=b", 0, "the group is not closed", false},
    {"plain group without end", "(?:b", 0, "the group is not closed", false},
    {"end without group", "a)b", 1, "the bracket closes no group", false},
    {"class without end", "x[abc", 1, "the class is not closed", false},
    {"class without end, escaped", "[a\\]", 0, "the class is not closed", false},
    {"range out of order", "[z-a]", 1, "the range is out of order", false},
    {"backslash at the end", "ab\\", 2, "a backslash ends the pattern", false},
    {"backslash at the end of a class", "[\\", 1, "a backslash ends the pattern", false},
    {"no such escape", "\\a", 0, "ECMA-262 has no such escape", false},
    {"anchors of other dialects", "\\Aab\\Z", 0, "ECMA-262 has no such escape", false},
    {"no such escape in a class", "[\\B]", 1, "ECMA-262 has no such escape", false},
    {"escape past ASCII", "\\" ACUTE, 0, "ECMA-262 has no such escape", false},
    {"octal", "\\07", 0, "neither \\0 nor a back-reference", false},
    {"digit in a class", "[\\1]", 1, "neither \\0 nor a back-reference", false},
    {"reference to no group", "(a)\\2", 3, "there is no such group", false},
    {"reference to far too many", "(a)\\99999999999", 3, "there is no such group", false},
    {"reference to no name", "(?<n>a)\\k<m>", 7, "there is no such group", false},
    {"reference without a name", "\\k", 0, "\\k needs the name of a group", false},
    {"reference with half a name", "(?<n>a)\\k<n", 10, "this is no name for a group", false},
    {"control of no letter", "\\c1", 0, "\\c needs a letter", false},
    {"short hexadecimal", "\\x4", 0, "\\x needs two hexadecimal digits", false},
    {"no hexadecimal", "\\xg0", 0, "\\x needs two hexadecimal digits", false},
    {"short code point", "\\u12", 0, "\\u needs a code point", false},
    {"empty code point", "\\u{}", 0, "\\u needs a code point", false},
    {"code point too large", "\\u{110000}", 0, "\\u needs a code point", false},
    {"code point without end", "\\u{41", 0, "\\u needs a code point", false},
    {"no property", "\\p", 0, "\\p needs a property in braces", false},
    {"property without end", "\\p{L", 0, "\\p needs a property in braces", false},
    {"unknown property", "\\p{Nope}", 0, "ECMA-262 has no such property", false},
    {"property of another case", "\\p{l}", 0, "ECMA-262 has no such property", false},
    {"unknown property in a class", "[a\\P{Nope}]", 2, "ECMA-262 has no such property", false},
    {"unknown property in a range", "[a-\\p{Nope}]", 1, NULL, false},
    {"unknown script", "\\p{Script=Nope}", 0, "ECMA-262 has no such property", false},
    {"unknown kind", "\\p{Kind=Greek}", 0, "ECMA-262 has no such property", false},
    {"script without its kind", "\\p{Greek}", 0, "ECMA-262 has no such property", false},
    {"property that ECMA-262 leaves out", "\\p{Other_Math}", 0, "ECMA-262 has no such property",
     false},
    {"group of Python", "(?P<n>a)", 0, "ECMA-262 has no such group", false},
    {"flags", "(?i)a", 0, "ECMA-262 has no such group", false},
    {"comment", "x(?#c)a", 1, "ECMA-262 has no such group", false},
    {"no name", "(?<>a)", 3, "this is no name for a group", false},
    {"digit first in a name", "(?<1>a)", 3, "this is no name for a group", false},
    {"other characters in a name", "(?<a?>a)", 3, "this is no name for a group", false},
    {"wrong escape in a name", "(?<a\\x41>a)", 3, "this is no name for a group", false},
    {"name without end", "(?<a", 3, "this is no name for a group", false},
    {"the same name twice", "(?<a>x)(?<a>y)", 10, "two groups have the same name", false},
    {"the same name, escaped", "(?<a>x)(?<\\u{61}>y)", 10, "two groups have the same name", false},
    {"lone closing bracket", "a]", 1, "a lone bracket needs a backslash", true},
    {"lone opening brace", "a{", 1, "a lone bracket needs a backslash", true},
    {"lone closing brace", "}", 0, "a lone bracket needs a backslash", true},
    {"count without least", "a{,5}", 1, "a lone bracket needs a backslash", true},
    {"escaped dash", "\\-", 0, "ECMA-262 has no such escape", true},
    {"escaped space", "[\\ ]", 1, "ECMA-262 has no such escape", true},
    {"class in a range", "[\\w-.]", 1, "a range needs a character on both sides", true},
};

static void run_wrong(const struct wrong_row *row)
{
    fer_arena *a = fer_arena_new(0);
    const fer_regex *re = NULL;
    for (int strict = 0; strict < 2; strict++) {
        fer_err err = {0};
        fer_str pattern = fer_str_of(row->pattern);
        fer_code code = strict ? fer_regex_check(a, pattern, &err)
                               : fer_regex_compile(a, pattern, NULL, &re, &err);
        if (!strict && row->only_strict) {
            assert_int_equal(code, FER_OK);
            re = NULL;
            continue;
        }
        assert_int_equal(code, FER_INVALID_FORMAT);
        assert_null(re);
        assert_int_equal(err.code, code);
        if (!row->message) continue;
        assert_int_equal(err.offset, row->offset);
        if (!fer_str_ends(fer_str_of(err.message), row->message)) fail_msg("%s", err.message);
        assert_int_equal(strict ? fer_regex_check(a, pattern, NULL)
                                : fer_regex_compile(a, pattern, NULL, &re, NULL),
                         code);
    }
    fer_arena_free(a);
}

static const struct right_row {
    const char *name;
    const char *pattern;
} right_rows[] = {
    {"escaped dash in a class", "[\\-]"},
    {"every syntax character", "\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/[\\^\\/]"},
    {"any count", "a{99999999999999999999}b{1001}c{0,99999999999}(?:x{1000}){1000}"},
    {"look behind", "(?<=a+)b(?<!c)"},
    {"reference before its group", "\\k<n>\\1(?<n>a)"},
    {"names", "(?<\xCE\xB1>a)(?<$_1\xE2\x80\x8D>b)(?<\\u{1F1}\\uD835\\uDC9C>c)"},
    {"dash at the edges of a class", "[-a][a-][^-][--a]"},
    {"brackets in a class", "[[(){}|*+?.^$]"},
};

static void run_right(const struct right_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    if (fer_regex_check(a, fer_str_of(row->pattern), &err)) fail_msg("%s", err.message);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("regex match", match_rows, run_match) +
           ROWS_RUN("regex wrong", wrong_rows, run_wrong) +
           ROWS_RUN("regex right", right_rows, run_right) + ROWS_ONE("regex", nul_is_a_character) +
           ROWS_ONE("regex", other_bytes_are_safe);
}
