/* SPDX-License-Identifier: Apache-2.0 */
/* SemVer 2.0.0: the examples of semver.org's own test list, precedence, constraints. */
#include <ferrule/contract.h>

#include "rows.h"

/* The name of a row is the version itself. */
static const struct valid {
    const char *name;
    uint64_t major, minor, patch;
    const char *pre;
    const char *build;
} valid[] = {
    {"0.0.4", 0, 0, 4, "", ""},
    {"1.2.3", 1, 2, 3, "", ""},
    {"10.20.30", 10, 20, 30, "", ""},
    {"1.1.2-prerelease+meta", 1, 1, 2, "prerelease", "meta"},
    {"1.1.2+meta", 1, 1, 2, "", "meta"},
    {"1.1.2+meta-valid", 1, 1, 2, "", "meta-valid"},
    {"1.0.0-alpha", 1, 0, 0, "alpha", ""},
    {"1.0.0-beta", 1, 0, 0, "beta", ""},
    {"1.0.0-alpha.beta", 1, 0, 0, "alpha.beta", ""},
    {"1.0.0-alpha.beta.1", 1, 0, 0, "alpha.beta.1", ""},
    {"1.0.0-alpha.1", 1, 0, 0, "alpha.1", ""},
    {"1.0.0-alpha0.valid", 1, 0, 0, "alpha0.valid", ""},
    {"1.0.0-alpha.0valid", 1, 0, 0, "alpha.0valid", ""},
    {"1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay", 1, 0, 0, "alpha-a.b-c-somethinglong",
     "build.1-aef.1-its-okay"},
    {"1.0.0-rc.1+build.1", 1, 0, 0, "rc.1", "build.1"},
    {"2.0.0-rc.1+build.123", 2, 0, 0, "rc.1", "build.123"},
    {"1.2.3-beta", 1, 2, 3, "beta", ""},
    {"10.2.3-DEV-SNAPSHOT", 10, 2, 3, "DEV-SNAPSHOT", ""},
    {"1.2.3-SNAPSHOT-123", 1, 2, 3, "SNAPSHOT-123", ""},
    {"1.0.0", 1, 0, 0, "", ""},
    {"2.0.0", 2, 0, 0, "", ""},
    {"1.1.7", 1, 1, 7, "", ""},
    {"2.0.0+build.1848", 2, 0, 0, "", "build.1848"},
    {"2.0.1-alpha.1227", 2, 0, 1, "alpha.1227", ""},
    {"1.0.0-alpha+beta", 1, 0, 0, "alpha", "beta"},
    {"1.2.3----RC-SNAPSHOT.12.9.1--.12+788", 1, 2, 3, "---RC-SNAPSHOT.12.9.1--.12", "788"},
    {"1.2.3----R-S.12.9.1--.12+meta", 1, 2, 3, "---R-S.12.9.1--.12", "meta"},
    {"1.2.3----RC-SNAPSHOT.12.9.1--.12", 1, 2, 3, "---RC-SNAPSHOT.12.9.1--.12", ""},
    {"1.0.0+0.build.1-rc.10000aaa-kk-0.1", 1, 0, 0, "", "0.build.1-rc.10000aaa-kk-0.1"},
    {"1.0.0-0A.is.legal", 1, 0, 0, "0A.is.legal", ""},
    /* beyond that list */
    {"0.0.0", 0, 0, 0, "", ""},
    {"v1.2.3", 1, 2, 3, "", ""},
    {"v1.2.3-rc.1+5", 1, 2, 3, "rc.1", "5"},
    {"18446744073709551615.0.18446744073709551615", UINT64_MAX, 0, UINT64_MAX, "", ""},
    {"1.0.0-99999999999999999999999", 1, 0, 0, "99999999999999999999999", ""},
    {"1.0.0-0", 1, 0, 0, "0", ""},
    {"1.0.0--", 1, 0, 0, "-", ""},
    {"1.0.0-00a", 1, 0, 0, "00a", ""},
    {"1.0.0+001", 1, 0, 0, "", "001"},
};

static void parses(const struct valid *row)
{
    fer_semver v;
    fer_err err;
    assert_int_equal(fer_semver_parse(fer_str_of(row->name), &v, &err), FER_OK);
    assert_true(v.major == row->major && v.minor == row->minor && v.patch == row->patch);
    assert_str(v.pre, row->pre);
    assert_str(v.build, row->build);
    assert_int_equal(fer_semver_cmp(&v, &v), 0);
}

static const struct invalid {
    const char *name;
} invalid[] = {
    {"1"},
    {"1.2"},
    {"1.2.3-0123"},
    {"1.2.3-0123.0123"},
    {"1.1.2+.123"},
    {"+invalid"},
    {"-invalid"},
    {"-invalid+invalid"},
    {"-invalid.01"},
    {"alpha"},
    {"alpha.beta"},
    {"alpha.beta.1"},
    {"alpha.1"},
    {"alpha+beta"},
    {"alpha_beta"},
    {"alpha."},
    {"alpha.."},
    {"beta"},
    {"1.0.0-alpha_beta"},
    {"-alpha."},
    {"1.0.0-alpha.."},
    {"1.0.0-alpha..1"},
    {"1.0.0-alpha...1"},
    {"1.0.0-alpha....1"},
    {"1.0.0-alpha.....1"},
    {"1.0.0-alpha......1"},
    {"1.0.0-alpha.......1"},
    {"01.1.1"},
    {"1.01.1"},
    {"1.1.01"},
    {"1.2.3.DEV"},
    {"1.2-SNAPSHOT"},
    {"1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788"},
    {"1.2-RC-SNAPSHOT"},
    {"-1.0.3-gamma+b7718"},
    {"+justmeta"},
    {"9.8.7+meta+meta"},
    {"9.8.7-whatever+meta+meta"},
    {"99999999999999999999999.999999999999999999.99999999999999999----RC-SNAPSHOT.12.09.1-----..12"},
    /* Valid by the grammar, refused here: the three numbers have 64 bits. */
    {"99999999999999999999999.999999999999999999.99999999999999999"},
    {"18446744073709551616.0.0"},
    /* beyond that list */
    {"."},
    {".."},
    {"1.2."},
    {".1.2"},
    {"1..2"},
    {"1.2.3-"},
    {"1.2.3+"},
    {"1.2.3-+b"},
    {"1.2.3-a+"},
    {"1.2.3-a."},
    {"1.2.3.4"},
    {"v"},
    {"vv1.2.3"},
    {"V1.2.3"},
    {" 1.2.3"},
    {"1.2.3 "},
    {"1. 2.3"},
    {"-1.2.3"},
    {"1.-2.3"},
    {"1.2.3-\xC3\xA4"},
    {"1.x.0"},
    {"^1.2.3"},
    {"1,2,3"},
};

static void refuses(const struct invalid *row)
{
    fer_semver v = {.major = 7};
    fer_err err = {0};
    assert_int_equal(fer_semver_parse(fer_str_of(row->name), &v, &err), FER_INVALID_VERSION);
    assert_int_equal(err.code, FER_INVALID_VERSION);
    assert_true(strlen(err.message) > 10);
    assert_true(v.major == 7); /* untouched */
    assert_int_equal(fer_semver_parse(fer_str_of(row->name), &v, NULL), FER_INVALID_VERSION);
}

static void refuses_nul_and_empty(void)
{
    fer_semver v;
    assert_int_equal(fer_semver_parse((fer_str){NULL, 0}, &v, NULL), FER_INVALID_VERSION);
    assert_int_equal(fer_semver_parse(FER_STR("1.2.3-a\0b"), &v, NULL), FER_INVALID_VERSION);
    assert_int_equal(fer_semver_parse(FER_STR("1.2.3\0"), &v, NULL), FER_INVALID_VERSION);
}

/* Each is below the next; "=" in front: the same as the one before. */
static const char *const ascending[] = {"0.0.0-0",
                                        "0.0.0",
                                        "0.0.1",
                                        "0.1.0",
                                        "1.0.0-0",
                                        "1.0.0-1",
                                        "1.0.0-2",
                                        "1.0.0-10",
                                        "1.0.0-18446744073709551616",
                                        "1.0.0-99999999999999999999999",
                                        "1.0.0--",
                                        "1.0.0-A",
                                        "1.0.0-a",
                                        "1.0.0-alpha",
                                        "=1.0.0-alpha+build",
                                        "1.0.0-alpha.1",
                                        "1.0.0-alpha.1.0",
                                        "1.0.0-alpha.beta",
                                        "1.0.0-beta",
                                        "1.0.0-beta.2",
                                        "1.0.0-beta.11",
                                        "1.0.0-rc.1",
                                        "1.0.0-rc.2",
                                        "1.0.0-rc.10",
                                        "1.0.0-rc1",
                                        "1.0.0",
                                        "=v1.0.0",
                                        "=1.0.0+a",
                                        "=1.0.0+b.2",
                                        "1.0.1-a",
                                        "1.0.1",
                                        "1.2.0",
                                        "1.10.0",
                                        "2.0.0-rc.1",
                                        "2.0.0",
                                        "10.0.0",
                                        "18446744073709551615.0.0"};

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

/* Every pair of the chain, both ways round. */
static void precedence(void)
{
    fer_semver versions[FER_COUNT(ascending)];
    int rank[FER_COUNT(ascending)];
    for (size_t i = 0; i < FER_COUNT(ascending); i++) {
        bool same = ascending[i][0] == '=';
        fer_str text = fer_str_of(ascending[i] + same);
        assert_int_equal(fer_semver_parse(text, &versions[i], NULL), FER_OK);
        rank[i] = i ? rank[i - 1] + !same : 0;
    }
    for (size_t i = 0; i < FER_COUNT(ascending); i++) {
        for (size_t k = 0; k < FER_COUNT(ascending); k++) {
            int expected = sign(rank[i] - rank[k]);
            if (sign(fer_semver_cmp(&versions[i], &versions[k])) != expected)
                fail_msg("%s against %s is not %d", ascending[i], ascending[k], expected);
        }
    }
}

/* The name is the constraint; versions are separated by blanks. */
static const struct constraint {
    const char *name;
    const char *in;
    const char *out;
} constraints[] = {
    {"1.2.3", "1.2.3 1.2.3+b", "1.2.2 1.2.4 1.2.3-a"},
    {"=1.2.3", "1.2.3", "1.2.2 1.2.4 1.2.3-a"},
    {"= 1.2.3", "1.2.3", "1.2.4"},
    {"v1.2.3", "1.2.3", "1.2.4"},
    {"=v1.2.3+b", "1.2.3 1.2.3+c", "1.2.4"},
    {"1.2", "1.2.0 1.2.99", "1.1.9 1.3.0 1.2.0-a 1.3.0-a"},
    {"=1.2", "1.2.0 1.2.99", "1.1.9 1.3.0"},
    {"1", "1.0.0 1.99.99", "0.9.9 2.0.0 1.0.0-a 2.0.0-a"},
    {"0", "0.0.0 0.99.0", "1.0.0"},
    {"1.x", "1.0.0 1.99.0", "0.9.0 2.0.0"},
    {"1.X", "1.0.0 1.99.0", "0.9.0 2.0.0"},
    {"1.*", "1.0.0 1.99.0", "0.9.0 2.0.0"},
    {"1.x.x", "1.0.0 1.99.0", "0.9.0 2.0.0"},
    {"1.2.x", "1.2.0 1.2.7", "1.1.9 1.3.0"},
    {"1.2.*", "1.2.0 1.2.7", "1.1.9 1.3.0"},
    {"*", "0.0.0 1.0.0 99.0.0", "1.0.0-a 0.0.0-0"},
    {"x", "0.0.0 99.0.0", "1.0.0-a"},
    {"X.x.*", "0.0.0 99.0.0", "1.0.0-a"},
    {">=*", "0.0.0 99.0.0", "1.0.0-a"},
    {"<=*", "0.0.0 99.0.0", "1.0.0-a"},
    {"^*", "0.0.0 99.0.0", "1.0.0-a"},
    {"~x", "0.0.0 99.0.0", "1.0.0-a"},
    {">*", "", "0.0.0 1.0.0 99.0.0"},
    {"<*", "", "0.0.0 1.0.0 0.0.0-0"},
    {">1.2.3", "1.2.4 1.3.0 2.0.0", "1.2.3 1.2.3+b 1.2.2 1.2.4-a"},
    {">1.2", "1.3.0 2.0.0", "1.2.0 1.2.99 1.1.0 1.3.0-a"},
    {">1", "2.0.0 3.0.0", "1.0.0 1.99.99 0.9.0"},
    {">1.x", "2.0.0", "1.99.99"},
    {">18446744073709551615", "", "18446744073709551615.0.0 18446744073709551615.0.1"},
    {">=1.2.3", "1.2.3 1.2.4 9.0.0", "1.2.2 1.2.3-a 1.3.0-a"},
    {">=1.2", "1.2.0 1.3.0", "1.1.99 1.2.0-a"},
    {">= 1.2", "1.2.0", "1.1.9"},
    {"<1.2.3", "1.2.2 0.0.0", "1.2.3 1.2.4 1.2.3-a"},
    {"<1.2", "1.1.99", "1.2.0 1.2.0-a 1.2.1"},
    {"<1", "0.99.0", "1.0.0 1.0.0-a"},
    {"<=1.2.3", "1.2.3 1.2.2", "1.2.4"},
    {"<=1.2", "1.2.0 1.2.99 1.1.0", "1.3.0 1.3.0-a"},
    {"<=1", "1.99.99 0.1.0", "2.0.0"},
    {"^1.2.3", "1.2.3 1.2.4 1.3.0 1.99.0", "1.2.2 2.0.0 2.0.0-a 1.3.0-a"},
    {"^1.2", "1.2.0 1.99.0", "1.1.9 2.0.0"},
    {"^1", "1.0.0 1.99.0", "0.9.9 2.0.0"},
    {"^1.x", "1.0.0 1.99.0", "0.9.9 2.0.0"},
    {"^0.2.3", "0.2.3 0.2.99", "0.2.2 0.3.0 1.0.0"},
    {"^0.2", "0.2.0 0.2.99", "0.1.9 0.3.0"},
    {"^0.0.3", "0.0.3", "0.0.2 0.0.4 0.1.0"},
    {"^0.0.0", "0.0.0", "0.0.1"},
    {"^0.0", "0.0.0 0.0.99", "0.1.0"},
    {"^0.0.x", "0.0.0 0.0.99", "0.1.0"},
    {"^0", "0.0.0 0.99.0", "1.0.0"},
    {"^0.x", "0.0.0 0.99.0", "1.0.0"},
    {"^1.2.3-beta.2", "1.2.3-beta.2 1.2.3-beta.10 1.2.3-rc 1.2.3 1.9.0",
     "1.2.3-beta.1 1.2.4-beta.2 2.0.0 2.0.0-beta.2"},
    {"^0.0.3-beta", "0.0.3-beta 0.0.3-beta.1 0.0.3", "0.0.3-alpha 0.0.4"},
    {"^18446744073709551615", "18446744073709551615.0.0", "1.0.0"},
    {"~1.2.3", "1.2.3 1.2.99", "1.2.2 1.3.0 1.3.0-a"},
    {"~1.2", "1.2.0 1.2.99", "1.1.9 1.3.0"},
    {"~1", "1.0.0 1.99.0", "0.9.9 2.0.0"},
    {"~0.2.3", "0.2.3 0.2.9", "0.2.2 0.3.0"},
    {"~0", "0.0.0 0.9.0", "1.0.0"},
    {"~ 1.2.3", "1.2.3", "1.3.0"},
    {"~1.2.3-beta.2", "1.2.3-beta.2 1.2.3-beta.4 1.2.3 1.2.9", "1.2.3-beta.1 1.2.4-beta.2 1.3.0"},
    {">=1.2 <2", "1.2.0 1.99.0", "1.1.0 2.0.0 2.0.0-a"},
    {"  >=1.2   <2  ", "1.2.0 1.99.0", "1.1.0 2.0.0"},
    {">=1.2\t<2", "1.2.0", "2.0.0"},
    {">1 <1", "", "0.9.0 1.0.0 2.0.0"},
    {"1.x >=1.5", "1.5.0 1.9.0", "1.4.9 2.0.0"},
    {"1 || 3", "1.5.0 3.0.0", "2.0.0 4.0.0"},
    {"1||3", "1.5.0 3.0.0", "2.0.0"},
    {">=1.2 <2 || 3.*", "1.2.0 3.9.9", "1.1.9 2.0.0 4.0.0"},
    {"1 || 2 || 3", "1.0.0 2.0.0 3.0.0", "4.0.0"},
    {"=1.0.0-rc.1", "1.0.0-rc.1 1.0.0-rc.1+b", "1.0.0-rc.2 1.0.0"},
    {">1.0.0-rc.1", "1.0.0-rc.2 1.0.0-rc.10 1.0.0 2.0.0", "1.0.0-rc.1 1.0.1-rc.2 2.0.0-a"},
    {">=1.0.0-rc.2", "1.0.0-rc.2 1.0.0-rc.10 1.0.0", "1.0.0-rc.1 1.0.0-a 1.1.0-rc.3"},
    {"<1.0.0-rc.2", "1.0.0-rc.1 1.0.0-0 0.9.0", "1.0.0-rc.2 1.0.0 0.9.0-a"},
    {"<=1.0.0-rc.2", "1.0.0-rc.2 0.9.0", "1.0.0-rc.3 1.0.0"},
    {">=1.0.0-a <1.0.0", "1.0.0-a 1.0.0-rc.1", "1.0.0 0.9.9"},
    {"2 || =1.0.0-rc.1", "2.0.0 1.0.0-rc.1", "2.0.0-a 1.0.0-rc.2"},
    /* What is named in one alternative admits nothing in another. */
    {">=1 || =2.0.0-rc.1", "1.0.0 2.0.0-rc.1", "2.0.0-rc.2"},
    /* A caret or tilde never reaches into the next version, not even into its pre-releases. */
    {"^1.2.3 >=2.0.0-a", "", "2.0.0-a 2.0.0-b 1.9.0 2.0.0"},
    {"~1.2.3 >=1.3.0-a", "", "1.3.0-a 1.3.0-b 1.2.9 1.3.0"},
    {"1.2 >=1.3.0-a", "", "1.3.0-a 1.3.0"},
};

static void check_each(const char *constraint, const char *versions, bool expected)
{
    fer_str rest = fer_str_of(versions);
    while (rest.len) {
        size_t end = fer_str_find(rest, 0, ' ');
        fer_str text = fer_str_slice(rest, 0, end == SIZE_MAX ? rest.len : end);
        rest = fer_str_slice(rest, end == SIZE_MAX ? rest.len : end + 1, rest.len);
        fer_semver v;
        fer_err err = {0};
        bool fits = !expected;
        assert_int_equal(fer_semver_parse(text, &v, NULL), FER_OK);
        fer_code code = fer_semver_satisfies(&v, fer_str_of(constraint), &fits, &err);
        if (code) fail_msg("%s", err.message);
        if (fits != expected)
            fail_msg("%.*s %s %s", FER_PRI(text), fits ? "is in" : "is not in", constraint);
    }
}

static void constrains(const struct constraint *row)
{
    check_each(row->name, row->in, true);
    check_each(row->name, row->out, false);
}

static const struct malformed {
    const char *name;
    const char *text;
} malformed[] = {
    {"empty", ""},
    {"blanks", "  "},
    {"operator alone", ">="},
    {"caret alone", "^"},
    {"word", "latest"},
    {"two operators", ">>1"},
    {"operators of other tools", "~>1.2"},
    {"operators swapped", "=>1"},
    {"double equal", "==1.0.0"},
    {"not equal", "!=1.0.0"},
    {"double caret", "^^1"},
    {"nothing before or", "|| 1"},
    {"nothing behind or", "1 ||"},
    {"only or", "||"},
    {"or twice", "1 || || 2"},
    {"one bar", "1 | 2"},
    {"three bars", "1 ||| 2"},
    {"comma", ">=1, <2"},
    {"hyphen range", "1.2.3 - 2.0.0"},
    {"four parts", "1.2.3.4"},
    {"wild then four", "1.2.x.4"},
    {"number behind a wildcard", "1.x.3"},
    {"number behind a star", "*.1"},
    {"leading zero", "01.2.3"},
    {"leading zero in the middle", ">=1.02"},
    {"empty part", "1..2"},
    {"dot at the end", "1."},
    {"dot in front", ".1"},
    {"pre-release of a partial", "1.2-beta"},
    {"pre-release of a wildcard", "1.2.x-beta"},
    {"build of a partial", "1.2+b"},
    {"empty pre-release", "1.2.3-"},
    {"pre-release with a leading zero", "1.2.3-01"},
    {"empty build", "1.2.3+"},
    {"over 64 bits", ">18446744073709551616"},
    {"only v", "v"},
    {"vv", "vv1.2.3"},
    {"good then bad", ">=1.0.0 foo"},
    {"good or bad", "1.0.0 || foo"},
    {"new line", "1.0.0\n"},
    {"parentheses", "(>=1)"},
};

static void refuses_constraint(const struct malformed *row)
{
    fer_semver v = {.major = 1};
    fer_err err = {0};
    bool fits = true;
    assert_int_equal(fer_semver_satisfies(&v, fer_str_of(row->text), &fits, &err),
                     FER_INVALID_CONSTRAINT);
    assert_int_equal(err.code, FER_INVALID_CONSTRAINT);
    assert_true(fits); /* untouched */
    assert_int_equal(fer_semver_satisfies(&v, fer_str_of(row->text), &fits, NULL),
                     FER_INVALID_CONSTRAINT);
}

int main(void)
{
    return ROWS_RUN("semver valid", valid, parses) + ROWS_RUN("semver invalid", invalid, refuses) +
           ROWS_ONE("semver", refuses_nul_and_empty) + ROWS_ONE("semver", precedence) +
           ROWS_RUN("semver constraint", constraints, constrains) +
           ROWS_RUN("semver malformed", malformed, refuses_constraint);
}
