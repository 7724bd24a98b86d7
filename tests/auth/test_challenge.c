/* SPDX-License-Identifier: Apache-2.0 */
/* WWW-Authenticate as servers write it. */
#include "challenge.h"

#include "rows.h"

static const struct row {
    const char *name, *text;
    bool good;
    const char *error, *scope, *metadata; /* NULL: not said */
} rows[] = {
    {"a scheme alone", "Bearer", true, NULL, NULL, NULL},
    {"in small letters", "bearer scope=a", true, NULL, "a", NULL},
    {"all of it",
     "Bearer error=\"insufficient_scope\", scope=\"a b\", resource_metadata=\"https://x/y\"", true,
     "insufficient_scope", "a b", "https://x/y"},
    {"no blanks", "Bearer scope=\"a\",error=invalid_token", true, "invalid_token", "a", NULL},
    {"blanks around =", "Bearer scope = \"a\"", true, NULL, "a", NULL},
    {"commas in between", "Bearer ,, scope=a,,", true, NULL, "a", NULL},
    {"escapes", "Bearer scope=\"a\\\"b\"", true, NULL, "a\"b", NULL},
    {"a comma between quotes", "Bearer realm=\"a, Bearer b\", scope=c", true, NULL, "c", NULL},
    {"behind another scheme", "Basic realm=\"x\", Bearer scope=\"s\"", true, NULL, "s", NULL},
    {"before another scheme", "Bearer scope=\"s\", Digest realm=x, scope=t", true, NULL, "s", NULL},
    {"behind token68", "Negotiate YWJj/+==, Bearer scope=s", true, NULL, "s", NULL},
    {"the first of two", "Bearer scope=a, Bearer scope=b", true, NULL, "a", NULL},
    {"names in capitals", "Bearer SCOPE=a", true, NULL, "a", NULL},
    {"empty", "", false, NULL, NULL, NULL},
    {"another scheme", "Basic realm=x", false, NULL, NULL, NULL},
    {"a name twice", "Bearer scope=a, scope=b", false, NULL, NULL, NULL},
    {"an open quote", "Bearer scope=\"a", false, NULL, NULL, NULL},
    {"an escape of nothing", "Bearer scope=\"a\\", false, NULL, NULL, NULL},
    {"a control character", "Bearer scope=\"a\x01\"", false, NULL, NULL, NULL},
    {"no value, which is a token68", "Bearer scope=", true, NULL, NULL, NULL},
    {"no name", "Bearer =a", false, NULL, NULL, NULL},
};

static void same(fer_str got, const char *want)
{
    assert_int_equal(got.ptr != NULL, want != NULL);
    if (want) assert_str(got, want);
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_challenge c;
    assert_int_equal(fer_challenge_read(a, fer_str_of(row->text), &c), row->good);
    if (row->good) {
        same(c.error, row->error);
        same(c.scope, row->scope);
        same(c.metadata, row->metadata);
    }
    fer_arena_free(a);
}

/* What we write we read. */
static void there_and_back(void)
{
    fer_arena *a = fer_arena_new(0);
    const fer_challenge c = {FER_STR("insufficient_scope"), FER_STR("a \"word\"\n"), FER_STR("a b"),
                             FER_STR("https://x/y")};
    fer_challenge back;
    assert_true(fer_challenge_read(a, fer_challenge_write(a, &c), &back));
    assert_str(back.error, "insufficient_scope");
    assert_str(back.text, "a word");
    assert_str(back.scope, "a b");
    assert_str(back.metadata, "https://x/y");
    fer_arena_free(a);
}

static void its_size(void)
{
    static char text[FER_CHALLENGE_MAX + 2] = "Bearer scope=a";
    fer_arena *a = fer_arena_new(0);
    fer_challenge c;
    memset(text + 14, ' ', FER_CHALLENGE_MAX - 13);
    assert_true(fer_challenge_read(a, (fer_str){text, FER_CHALLENGE_MAX}, &c));
    assert_false(fer_challenge_read(a, (fer_str){text, FER_CHALLENGE_MAX + 1}, &c));
    fer_arena_free(a);
}

static const struct scope_row {
    const char *name, *one, *other, *both;
} scope_rows[] = {
    {"nothing", "", "", ""},
    {"one", "a", "", "a"},
    {"the other", "", "b c", "b c"},
    {"both", "a b", "c", "a b c"},
    {"the same", "a", "a", "a"},
    {"blanks", "  a ", " b  ", "a b"},
    {"a part of one", "ab", "a", "ab a"},
};

static void run_scope(const struct scope_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_str(fer_scope_union(a, fer_str_of(row->one), fer_str_of(row->other)), row->both);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("challenge", rows, run) + ROWS_RUN("challenge.scopes", scope_rows, run_scope) +
           ROWS_ONE("challenge", there_and_back) + ROWS_ONE("challenge", its_size);
}
