/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What schemas ask of numbers, exactly: multiples (against a second way of dividing that is
 * slow and plain), whole numbers, and hashes by value.
 */
#include "json_number.h"

#include "buf.h"
#include "json_hash.h"
#include "must_read.h"
#include "rows.h"

static fer_arena *arena;

static const yyjson_val *number(const char *text)
{
    return must_read(arena, fer_arena_copy(arena, fer_str_of(text)), fer_json_limits_file());
}

/* ---- multiples ------------------------------------------------------------------------------- */

static const struct multiple {
    const char *name;
    const char *x, *of;
    bool is;
} multiples[] = {
    {"a whole number", "10", "5", true},
    {"and none", "11", "5", false},
    {"zero", "0", "5", true},
    {"minus zero", "-0.0", "0.3", true},
    {"negative", "-15", "5", true},
    {"negative and none", "-16", "5", false},
    {"cents", "19.99", "0.01", true},
    {"three decimals", "19.999", "0.01", false},
    {"0.3 of 0.1", "0.3", "0.1", true},
    {"0.35 of 0.1", "0.35", "0.1", false},
    {"4.35 of 0.01", "4.35", "0.01", true},
    {"1.1 of 1.1", "1.1", "1.1", true},
    {"0.0075 of 0.0001", "0.0075", "0.0001", true},
    {"0.00751 of 0.0001", "0.00751", "0.0001", false},
    {"an exponent", "1e2", "5", true},
    {"the largest double of a half", "1.7976931348623157e308", "0.5", true},
    {"1e308 of 0.123456789 (suite)", "1e308", "0.123456789", false},
    {"1e400 of 7", "1e400", "7", false},
    {"1e400 of 8", "1e400", "8", true},
    {"1e-400 of 1e-401", "1e-400", "1e-401", true},
    {"1e-401 of 1e-400", "1e-401", "1e-400", false},
    {"an exponent of 18 digits", "1e999999999999999999", "3", false},
    {"of a power of two", "1e999999999999999999", "1024", true},
    {"a tiny one", "3", "1e-999999999999999999", true},
    {"a huge one", "3", "1e999999999999999999", false},
    {"2^64", "18446744073709551616", "4294967296", true},
    {"2^64 + 1", "18446744073709551617", "4294967296", false},
    {"2^64 - 1", "18446744073709551615", "3", true},
    {"-2^63", "-9223372036854775808", "2", true},
    {"-2^63 of 3", "-9223372036854775808", "3", false},
    {"a double of a whole number", "9007199254740993.0", "9007199254740993", true},
    {"a long one of itself", "123456789012345678901234567890", "123456789012345678901234567890",
     true},
    {"a long one of its half", "246913578024691357802469135780", "123456789012345678901234567890",
     true},
    {"a long one, one more", "246913578024691357802469135781", "123456789012345678901234567890",
     false},
    {"a divisor of zeros", "1000000000000000000000000000000000000000000", "1e30", true},
    {"a small one of a large one", "5", "10", false},
    {"2^70 of 2^35", "1180591620717411303424", "34359738368", true},
    {"5^30 of 5^29", "931322574615478515625", "186264514923095703125", true},
    {"10^31 of 5^29", "1e31", "186264514923095703125", true},
    {"10^28 of 5^29", "1e28", "186264514923095703125", false},
};

static void run_multiple(const struct multiple *row)
{
    arena = fer_arena_new(0);
    assert_int_equal(fer_number_multiple(number(row->x), number(row->of)), row->is);
    fer_arena_free(arena);
}

/* A number of at most 1000 digits: x * 10^tens modulo m, digit by digit, by taking off. */
#define DIGITS 1100
struct plain {
    size_t count; /* digits, the highest first; none: 0 */
    char digits[DIGITS];
};

static int compare(const struct plain *x, const struct plain *y)
{
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return memcmp(x->digits, y->digits, x->count);
}

static void trim(struct plain *x)
{
    size_t zeros = 0;
    while (zeros < x->count && x->digits[zeros] == '0') zeros++;
    memmove(x->digits, x->digits + zeros, x->count - zeros);
    x->count -= zeros;
}

static void take_off(struct plain *x, const struct plain *y)
{
    int borrow = 0;
    for (size_t i = 0; i < x->count; i++) {
        int d = x->digits[x->count - 1 - i] - '0' - borrow;
        if (i < y->count) d -= y->digits[y->count - 1 - i] - '0';
        borrow = d < 0;
        x->digits[x->count - 1 - i] = (char)('0' + d + borrow * 10);
    }
    assert_false(borrow);
    trim(x);
}

static bool divides_plainly(const struct plain *m, const struct plain *x, size_t tens)
{
    struct plain r = {0};
    for (size_t i = 0; i < x->count + tens; i++) {
        r.digits[r.count++] = i < x->count ? x->digits[i] : '0';
        trim(&r);
        while (compare(&r, m) >= 0) take_off(&r, m);
    }
    return r.count == 0;
}

static uint64_t state = 88172645463325252u;
static unsigned any(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 8) % below);
}

static void any_digits(struct plain *x, size_t max)
{
    x->count = 1 + any((unsigned)max);
    for (size_t i = 0; i < x->count; i++) {
        x->digits[i] = (char)('0' + (any(3) ? any(10) : any(2) * 5));
    }
    if (x->digits[0] == '0') x->digits[0] = '1';
}

/* x = m * k, for a k of up to six digits. */
static void multiply(struct plain *x, const struct plain *m, unsigned k)
{
    unsigned carry = 0;
    size_t at = DIGITS;
    for (size_t i = m->count; i-- > 0; carry /= 10) {
        carry += (unsigned)(m->digits[i] - '0') * k;
        x->digits[--at] = (char)('0' + carry % 10);
    }
    for (; carry; carry /= 10) x->digits[--at] = (char)('0' + carry % 10);
    x->count = DIGITS - at;
    memmove(x->digits, x->digits + at, x->count);
}

static void check_random(size_t max_digits)
{
    struct plain x, m;
    char tx[DIGITS + 32], tm[DIGITS + 32];
    any_digits(&m, max_digits);
    if (any(2)) multiply(&x, &m, 1 + any(1000));
    else any_digits(&x, max_digits);
    int ex = (int)any(60) - 30, em = (int)any(60) - 30;
    snprintf(tx, sizeof tx, "%s%.*se%d", any(2) ? "-" : "", (int)x.count, x.digits, ex);
    snprintf(tm, sizeof tm, "%.*se%d", (int)m.count, m.digits, em);
    bool expected;
    if (ex >= em) {
        expected = divides_plainly(&m, &x, (size_t)(ex - em));
    } else {
        /* x is a multiple of m * 10^n where it is one of m and ends in that many zeros more. */
        struct plain longer = m;
        for (int n = ex; n < em; n++) longer.digits[longer.count++] = '0';
        expected = divides_plainly(&longer, &x, 0);
    }
    bool is = fer_number_multiple(number(tx), number(tm));
    if (is != expected) fail_msg("%s of %s: %d", tx, tm, is);
}

static void random_multiples(void)
{
    size_t hits = 0;
    for (size_t i = 0; i < 20000; i++) {
        arena = fer_arena_new(0);
        check_random(i % 100 == 0 ? 900 : i % 2 ? 18 : 60);
        fer_arena_free(arena);
        hits++;
    }
    print_message("# %zu pairs\n", hits);
}

/* ---- whole numbers ----------------------------------------------------------------------------
 */

static const struct whole {
    const char *name; /* the text */
    bool is, by_text;
    uint64_t u64;
    bool fits; /* 64 bits, without a sign */
} wholes[] = {
    {"0", true, true, 0, true},
    {"-0", true, true, 0, true},
    {"-0.0", true, false, 0, true},
    {"1", true, true, 1, true},
    {"1.0", true, false, 1, true},
    {"1e0", true, false, 1, true},
    {"10e-1", true, false, 1, true},
    {"0.1e1", true, false, 1, true},
    {"1.5", false, false, 0, false},
    {"15e-1", false, false, 0, false},
    {"1e-1", false, false, 0, false},
    {"-1", true, true, 0, false},
    {"-1.0", true, false, 0, false},
    {"1e400", true, false, 0, false},
    {"1e-400", false, false, 0, false},
    {"0e400", true, false, 0, true},
    {"0e-400", true, false, 0, true},
    {"1e999999999999999999", true, false, 0, false},
    {"18446744073709551615", true, true, UINT64_MAX, true},
    {"18446744073709551616", true, true, 0, false},
    {"18446744073709552000", true, true, 0, false}, /* a binary64, and a whole number in the text */
    {"100000000000000000000", true, true, 0, false},
    {"-100000000000000000000", true, true, 0, false},
    {"1000000000000000000000000000000", true, true, 0, false},
    {"1e20", true, false, 0, false},
    {"100000000000000000000.0", true, false, 0, false},
    {"1844674407370955161.5e1", true, false, UINT64_MAX, true},
    {"9007199254740993.0", true, false, 9007199254740993u, true},
    {"9007199254740993.5", false, false, 0, false},
    {"123456789012345678901234567890.0000001", false, false, 0, false},
    {"-9223372036854775808", true, true, 0, false},
    {"2.50", false, false, 0, false},
    {"250e-2", false, false, 0, false},
    {"200e-2", true, false, 2, true},
};

static void run_whole(const struct whole *row)
{
    uint64_t out = 0;
    arena = fer_arena_new(0);
    const yyjson_val *v = number(row->name);
    assert_int_equal(fer_number_is_integer(v), row->is);
    assert_int_equal(fer_number_is_integer_text(v), row->by_text);
    assert_int_equal(fer_number_u64(v, &out), row->fits);
    if (row->fits) assert_int_equal(out, row->u64);
    fer_arena_free(arena);
}

/* ---- hashes ------------------------------------------------------------------------------------
 */

/* Values of one row are equal; values of two are not. */
static const char *const equals[][6] = {
    {"0", "-0", "0.0", "-0.0", "0e400", "0e-400"},
    {"1", "1.0", "1e0", "10e-1", "0.1e1", "0.00001e5"},
    {"-1", "-1.0", "-1e0"},
    {"1e400", "10e399", "0.1e401"},
    {"-1e400", "-10e399"},
    {"1e-400", "10e-401"},
    {"1e999999999999999999", "10e999999999999999998"},
    {"18446744073709551616", "18446744073709551616.0", "1844674407370955161.6e1"},
    {"18446744073709551615", "18446744073709551615.0"},
    {"9007199254740993", "9007199254740993.0"},
    {"9007199254740992", "9007199254740992.0", "9.007199254740992e15"},
    {"0.1", "1e-1", "0.10"},
    {"\"1\"", "\"\\u0031\""},
    {"\"\""},
    {"null"},
    {"true"},
    {"false"},
    {"[]"},
    {"{}"},
    {"[[]]"},
    {"[{}]"},
    {"[1,2]", "[1.0,2e0]"},
    {"[2,1]"},
    {"[[1],2]"},
    {"[1,[2]]"},
    {"{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}"},
    {"{\"a\":2,\"b\":1}"},
    {"{\"a\":{\"b\":1}}"},
    {"{\"b\":{\"a\":1}}"},
    {"[\"a\",1,\"b\",2]"},
    {"[0]", "[-0.0]"},
    {"[null]"},
    {"[false]"},
};

static void equal_hashes(void)
{
    uint64_t hashes[FER_COUNT(equals)], other;
    arena = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(equals); i++) {
        assert_true(fer_json_hash(arena, number(equals[i][0]), &hashes[i]));
        for (size_t k = 1; k < 6 && equals[i][k]; k++) {
            assert_true(fer_json_hash(arena, number(equals[i][k]), &other));
            if (other != hashes[i]) fail_msg("%s and %s", equals[i][0], equals[i][k]);
        }
        for (size_t k = 0; k < i; k++) {
            if (hashes[k] == hashes[i]) fail_msg("%s and %s", equals[i][0], equals[k][0]);
        }
    }
    fer_arena_free(arena);
}

static const struct unique {
    const char *name;
    const char *list;
    size_t first, second; /* both 0: no two are equal */
} uniques[] = {
    {"none", "[]", 0, 0},
    {"one", "[1]", 0, 0},
    {"two", "[1,1.0]", 0, 1},
    {"numbers by value", "[1,2,3,1e0]", 0, 3},
    {"the first pair", "[1,2,2,1]", 1, 2},
    {"objects in any order", "[{\"a\":1,\"b\":[2]},0,{\"b\":[2.0],\"a\":1}]", 0, 2},
    {"lists keep theirs", "[[1,2],[2,1]]", 0, 0},
    {"true is not 1", "[1,true,0,false,null,\"\",[],{}]", 0, 0},
    {"a number is not its text", "[1,\"1\"]", 0, 0},
    {"deep", "[[[[1]]],[[[2]]],[[[1]]]]", 0, 2},
    {"long numbers", "[1e400,1e401,10e399]", 0, 2},
    {"nine", "[0,1,2,3,4,5,6,7,8]", 0, 0},
};

static fer_code attempt_unique(fer_arena *a, const void *data)
{
    const struct unique *row = data;
    fer_json *doc;
    size_t pair[2] = {0, 0};
    bool found = false;
    fer_code code = fer_json_read(a, fer_str_of(row->list), NULL, &doc, NULL);
    if (!code) code = fer_items_unique(a, fer_json_root(doc), &found, pair);
    if (code) return code;
    assert_int_equal(found, row->second > 0);
    assert_int_equal(pair[0], row->first);
    assert_int_equal(pair[1], row->second);
    return fer_items_unique(a, fer_json_root(doc), &found, NULL);
}

static void run_unique(const struct unique *row)
{
    rows_torture_arena(attempt_unique, row);
}

/* Depth costs memory of the arena, never the stack; many equal items end soon. */
static void deep_and_long(void)
{
    enum {
        DEPTH = 100000
    };
    fer_arena *a = fer_arena_new(0);
    char *text = fer_arena_alloc(a, DEPTH * 2 + 1);
    uint64_t hash;
    bool found = true;
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    fer_json_limits limits = *fer_json_limits_file();
    limits.depth = DEPTH + 1;
    assert_true(fer_json_hash(a, must_read(a, (fer_str){text, DEPTH * 2}, &limits), &hash));
    /* Many that are all different. */
    fer_buf b;
    fer_buf_init(&b, a, (size_t)8 << 20);
    for (size_t i = 0; i < DEPTH; i++) fer_buf_printf(&b, "%s%zu", i ? "," : "[", i);
    fer_buf_add_char(&b, ']');
    rows_must_end(60);
    const yyjson_val *list = must_read(a, fer_buf_view(&b), &limits);
    assert_int_equal(fer_items_unique(a, list, &found, NULL), FER_OK);
    assert_false(found);
    rows_must_end(0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("multiples", multiples, run_multiple) +
           ROWS_ONE("multiples", random_multiples) + ROWS_RUN("whole numbers", wholes, run_whole) +
           ROWS_ONE("hashes", equal_hashes) + ROWS_RUN("unique items", uniques, run_unique) +
           ROWS_ONE("hashes", deep_and_long);
}
