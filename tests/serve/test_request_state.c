/* SPDX-License-Identifier: Apache-2.0 */
/* States that clients are given and bring back: what is good, and what is not. */
#include "request_state.h"
#include "rows.h"

static const unsigned char key[FER_STATE_KEY] = {1}, other_key[FER_STATE_KEY] = {2};

/* Written for what is bound to "a", read in some other way. */
static const struct row {
    const char *name;
    fer_state_kind kind;
    const char *inner;
    const char *bound;
    bool other_key;
    int flip;    /* the character of the text that is changed; -1: none */
    int64_t now; /* it ends at 100 */
    const char *why;
} rows[] = {
    {"as it was", FER_STATE_PARKED, "", "a", false, -1, 99, NULL},
    {"with a server's", FER_STATE_PASSED, "x\"y\\z", "a", false, -1, 0, NULL},
    {"at its end", FER_STATE_PARKED, "", "a", false, -1, 100, "expired"},
    {"of another request", FER_STATE_PARKED, "", "b", false, -1, 0, "another"},
    {"of another process", FER_STATE_PASSED, "s", "a", true, -1, 0, "not made here"},
    {"its format", FER_STATE_PARKED, "", "a", false, 0, 0, "not made here"},
    {"its kind", FER_STATE_PASSED, "s", "a", false, 2, 0, "not made here"},
    {"its round", FER_STATE_PARKED, "", "a", false, 6, 0, "not made here"},
    {"its number", FER_STATE_PARKED, "", "a", false, 12, 0, "not made here"},
    {"its end, changed", FER_STATE_PARKED, "", "a", false, 24, 0, "not made here"},
    {"its tag", FER_STATE_PARKED, "", "a", false, 50, 0, "not made here"},
    {"what is in it", FER_STATE_PASSED, "state", "a", false, 77, 0, "not made here"},
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *r = context;
    unsigned char bound[FER_STATE_BIND], wanted[FER_STATE_BIND];
    fer_str made = FER_STR("a"), read = fer_str_of(r->bound), text;
    fer_state in = {r->kind, 7, 123456789012, 100, fer_str_of(r->inner)}, out;
    fer_err err = {0};
    assert_true(fer_state_bind(&made, 1, bound) && fer_state_bind(&read, 1, wanted));
    fer_code code = fer_state_write(a, key, bound, &in, &text, &err);
    if (code) return code;
    if (r->flip >= 0) {
        char *at = (char *)(uintptr_t)text.ptr + r->flip;
        *at = *at == 'A' ? 'B' : 'A';
    }
    code = fer_state_read(a, r->other_key ? other_key : key, wanted, r->now, text, &out, &err);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    assert_int_equal(code, r->why ? FER_INVALID_PAGE_TOKEN : FER_OK);
    if (r->why) {
        assert_non_null(strstr(err.message, r->why));
        return FER_OK;
    }
    assert_int_equal(out.kind, r->kind);
    assert_int_equal(out.round, 7);
    assert_true(out.number == 123456789012 && out.until == 100);
    assert_str(out.inner, r->inner);
    return FER_OK;
}

static void run(const struct row *row)
{
    rows_torture_arena(attempt, row);
}

/* Texts that were never ours; and one of as many bytes as there may be, and one more. */
static void is_none_of_ours(void)
{
    static const char *const texts[] = {"", "A", "AAAA", "{\"a\":1}", "\xff\xfe"};
    unsigned char bound[FER_STATE_BIND] = {0};
    fer_arena *a = fer_arena_new(0);
    fer_state out;
    fer_err err = {0};
    for (size_t i = 0; i < FER_COUNT(texts); i++)
        assert_int_equal(fer_state_read(a, key, bound, 0, fer_str_of(texts[i]), &out, &err),
                         FER_INVALID_PAGE_TOKEN);
    char *large = fer_arena_alloc_zero(a, FER_STATE_MAX + 1, 1);
    memset(large, 'A', FER_STATE_MAX + 1);
    fer_str text = {large, FER_STATE_MAX};
    assert_int_equal(fer_state_read(a, key, bound, 0, text, &out, &err), FER_INVALID_PAGE_TOKEN);
    assert_null(strstr(err.message, "serve.state"));
    text.len++;
    assert_int_equal(fer_state_read(a, key, bound, 0, text, &out, &err), FER_INVALID_PAGE_TOKEN);
    assert_non_null(strstr(err.message, "serve.state"));
    fer_arena_free(a);
}

/* No two lists of texts are bound alike. */
static void counts_lengths(void)
{
    unsigned char x[FER_STATE_BIND], y[FER_STATE_BIND];
    fer_str one[] = {FER_STR("ab"), FER_STR("c")}, two[] = {FER_STR("a"), FER_STR("bc")};
    assert_true(fer_state_bind(one, 2, x) && fer_state_bind(two, 2, y));
    assert_memory_not_equal(x, y, sizeof x);
}

int main(void)
{
    return ROWS_RUN("state", rows, run) + ROWS_ONE("state", is_none_of_ours) +
           ROWS_ONE("state", counts_lengths);
}
