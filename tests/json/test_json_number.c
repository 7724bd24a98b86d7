/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: how they are held, ordered and written, and that no digit is ever lost. */
#include "rows.h"

#include "json_number.h"
#include "json_value.h"

#define RAW YYJSON_TYPE_RAW

/* A number as the reader meets it: raw text, ended by NUL. */
static yyjson_val settled(const char *text)
{
    yyjson_val v = {.tag = (uint64_t)strlen(text) << 8 | YYJSON_TYPE_RAW, .uni.str = text};
    assert_true(fer_number_settle(&v, 18));
    return v;
}

static const char *canonical(const yyjson_val *v, char out[FER_NUMBER_TEXT])
{
    size_t len = fer_number_canonical(v, out);
    assert_true(len < FER_NUMBER_TEXT);
    out[len] = '\0';
    return out;
}

/* ---- held and written ----------------------------------------------------------- */

static const struct row {
    const char *name; /* the number */
    unsigned tag;
    const char *canonical;
} rows[] = {
    {"0", FER_TAG_UINT, "0"},
    {"-0", FER_TAG_UINT, "0"},
    {"0.0", FER_TAG_REAL, "0"},
    {"-0.0", FER_TAG_REAL, "0"},
    {"0e5", FER_TAG_REAL, "0"},
    {"-0E-5", FER_TAG_REAL, "0"},
    {"0e999999999999999999", FER_TAG_REAL, "0"},
    {"0.000000000000000000000000000000", FER_TAG_REAL, "0"},
    {"1", FER_TAG_UINT, "1"},
    {"-1", FER_TAG_SINT, "-1"},
    {"1.0", FER_TAG_REAL, "1"},
    {"10e-1", FER_TAG_REAL, "1"},
    {"1.00000000000000000000000000000", FER_TAG_REAL, "1"},
    {"1E5", FER_TAG_REAL, "100000"},
    {"1e+5", FER_TAG_REAL, "100000"},
    {"1e005", FER_TAG_REAL, "100000"},
    {"1e-0005", FER_TAG_REAL, "0.00001"},
    {"1e0000000000000000000000005", FER_TAG_REAL, "100000"},
    {"1e-7", FER_TAG_REAL, "1e-7"},
    {"0.1", FER_TAG_REAL, "0.1"},
    {"0.1000000000000000055511151231257827", RAW, "1000000000000000055511151231257827e-34"},
    {"0.10000000000000001", RAW, "10000000000000001e-17"},
    {"0.30000000000000004", FER_TAG_REAL, "0.30000000000000004"},
    {"0.300000000000000040000", FER_TAG_REAL, "0.30000000000000004"},
    {"0.30000000000000005", RAW, "30000000000000005e-17"},
    {"123456789.123456", FER_TAG_REAL, "123456789.123456"},
    {"1234567890.123456789", RAW, "1234567890123456789e-9"},
    {"-1.2345678901234567", FER_TAG_REAL, "-1.2345678901234567"},
    {"-1.23456789012345678", RAW, "-123456789012345678e-17"},
    {"3.141592653589793238462643383279", RAW, "3141592653589793238462643383279e-30"},
    /* about 2^53 */
    {"9007199254740991", FER_TAG_UINT, "9007199254740991"},
    {"9007199254740992", FER_TAG_UINT, "9007199254740992"},
    {"9007199254740993", FER_TAG_UINT, "9007199254740993e0"},
    {"9007199254740994", FER_TAG_UINT, "9007199254740994"},
    {"-9007199254740992", FER_TAG_SINT, "-9007199254740992"},
    {"-9007199254740993", FER_TAG_SINT, "-9007199254740993e0"},
    {"9007199254740993.0", RAW, "9007199254740993e0"},
    {"9007199254740992.0", FER_TAG_REAL, "9007199254740992"},
    {"123456789012345678", FER_TAG_UINT, "123456789012345678e0"},
    {"123456789012345680", FER_TAG_UINT, "123456789012345680"},
    {"10000000000000000", FER_TAG_UINT, "10000000000000000"},
    /* about 2^63 and 2^64 */
    {"9223372036854775807", FER_TAG_UINT, "9223372036854775807e0"},
    {"9223372036854775808", FER_TAG_UINT, "9223372036854775808e0"},
    {"9223372036854776000", FER_TAG_UINT, "9223372036854776000"},
    {"-9223372036854775807", FER_TAG_SINT, "-9223372036854775807e0"},
    {"-9223372036854775808", FER_TAG_SINT, "-9223372036854775808e0"},
    {"-9223372036854775809", RAW, "-9223372036854775809e0"},
    {"10000000000000000000", FER_TAG_UINT, "10000000000000000000"},
    {"18446744073709551615", FER_TAG_UINT, "18446744073709551615e0"},
    {"18446744073709551616", RAW, "18446744073709551616e0"},
    {"18446744073709551617", RAW, "18446744073709551617e0"},
    {"123456789012345678901234567890", RAW, "12345678901234567890123456789e1"},
    /* equal numbers have one form, however they are spelt: no 64-bit integer holds these */
    {"1e20", FER_TAG_REAL, "100000000000000000000"},
    {"100000000000000000000", FER_TAG_REAL, "100000000000000000000"},
    {"-10000000000000000000", FER_TAG_REAL, "-10000000000000000000"},
    {"-1e19", FER_TAG_REAL, "-10000000000000000000"},
    {"18446744073709552000", FER_TAG_REAL, "18446744073709552000"},
    {"1.8446744073709552e19", FER_TAG_REAL, "18446744073709552000"},
    {"1000000000000000000000", FER_TAG_REAL, "1e+21"},
    {"1e21", FER_TAG_REAL, "1e+21"},
    {"12300000000000000000000", FER_TAG_REAL, "1.23e+22"},
    /* about the ends of binary64 */
    {"1e22", FER_TAG_REAL, "1e+22"},
    {"1e23", FER_TAG_REAL, "1e+23"},
    {"5e-324", FER_TAG_REAL, "5e-324"},
    {"4.9406564584124654e-324", RAW, "49406564584124654e-340"},
    {"2e-324", RAW, "2e-324"},
    {"2.2250738585072014e-308", FER_TAG_REAL, "2.2250738585072014e-308"},
    {"1.7976931348623157e308", FER_TAG_REAL, "1.7976931348623157e+308"},
    {"1.7976931348623158e308", RAW, "17976931348623158e292"},
    {"1.7976931348623159e308", RAW, "17976931348623159e292"},
    {"1e308", FER_TAG_REAL, "1e+308"},
    {"1e309", RAW, "1e309"},
    {"1e400", RAW, "1e400"},
    {"1E+400", RAW, "1e400"},
    {"10e399", RAW, "1e400"},
    {"1.000e400", RAW, "1e400"},
    {"-0.1e401", RAW, "-1e400"},
    {"1e-400", RAW, "1e-400"},
    {"-1e-400", RAW, "-1e-400"},
    {"12.5e-400", RAW, "125e-401"},
    {"1e999999999", RAW, "1e999999999"},
    {"1e-999999999999999999", RAW, "1e-999999999999999999"},
    {"0.1e-999999999999999999", RAW, "1e-1000000000000000000"},
};

static void run(const struct row *row)
{
    char text[FER_NUMBER_TEXT], again[FER_NUMBER_TEXT];
    yyjson_val v = settled(row->name);
    assert_string_equal(canonical(&v, text), row->canonical);
    assert_int_equal(fer_val_tag(&v), row->tag);
    if (row->tag == RAW) assert_str(fer_val_str(&v), row->name);
    /* The form is a number of the same value, and its own form. */
    if (strlen(text) > 20 && strstr(text, "e-1000")) return; /* one digit more than is read */
    yyjson_val back = settled(text);
    assert_int_equal(fer_number_cmp(&v, &back), 0);
    assert_string_equal(canonical(&back, again), text);
}

/* ---- as decimals ---------------------------------------------------------------- */

static const struct decimal {
    const char *name;
    bool negative;
    const char *digits;
    int64_t exponent;
} decimals[] = {
    {"0", false, "", 0},
    {"-0.000e7", false, "", 0},
    {"1", false, "1", 1},
    {"100", false, "1", 3},
    {"123.45", false, "12345", 3},
    {"0.00123", false, "123", -2},
    {"-5e-3", true, "5", -2},
    {"1e400", false, "1", 401},
    {"0.001e400", false, "1", 398},
    {"-120.0", true, "12", 3},
    {"0.5", false, "5", 0},
    {"1e-400", false, "1", -399},
    {"1.50e1", false, "15", 2},
    {"18446744073709551615", false, "18446744073709551615", 20},
};

static void run_decimal(const struct decimal *row)
{
    yyjson_val v = settled(row->name);
    fer_decimal d;
    fer_number_decimal(&v, &d);
    assert_int_equal(d.negative, row->negative);
    assert_str(((fer_str){d.digits, d.count}), row->digits);
    assert_int_equal(d.exponent, row->exponent);
}

static void longest_number(void)
{
    char text[FER_NUMBER_MAX + 1], out[FER_NUMBER_TEXT];
    memset(text, '7', FER_NUMBER_MAX);
    text[0] = '-';
    text[FER_NUMBER_MAX] = '\0';
    yyjson_val v = settled(text);
    canonical(&v, out);
    assert_int_equal(strncmp(out, text, FER_NUMBER_MAX), 0);
    assert_string_equal(out + FER_NUMBER_MAX, "e0");
    fer_decimal d;
    fer_number_decimal(&v, &d);
    assert_int_equal(d.count, FER_NUMBER_MAX - 1);
}

static const struct exponent {
    const char *name;
    size_t max_digits;
    bool fits;
} exponents[] = {
    {"1e12", 2, true},
    {"1e123", 2, false},
    {"1e-99", 2, true},
    {"1e+99", 2, true},
    {"1e0099", 2, true},
    {"1e-100", 2, false},
    {"1e0", 0, false},
    {"1.5", 0, true},
    {"12", 0, true},
    {"0e999", 2, false},
    {"1e999999999999999999", 18, true},
    {"1e1000000000000000000", 18, false},
    {"1e1000000000000000000", 99, false},
};

static void run_exponent(const struct exponent *row)
{
    yyjson_val v = {.tag = (uint64_t)strlen(row->name) << 8 | RAW, .uni.str = row->name};
    assert_int_equal(fer_number_settle(&v, row->max_digits), row->fits);
}

/* ---- in order: each with each --------------------------------------------------- */

static const struct ranked {
    const char *name;
    int rank;
} ranks[] = {
    {"-1e400", 0},
    {"-1.7976931348623157e308", 1},
    {"-18446744073709551616", 2},
    {"-9223372036854775809", 3},
    {"-9223372036854775808", 4},
    {"-9223372036854775807", 5},
    {"-2.5", 6},
    {"-2", 7},
    {"-2.0", 7},
    {"-20e-1", 7},
    {"-1e-400", 8},
    {"-2e-401", 9},
    {"0", 10},
    {"-0", 10},
    {"-0.0", 10},
    {"0e99", 10},
    {"1e-401", 11},
    {"1e-400", 12},
    {"5e-324", 13},
    {"0.1", 14},
    {"0.1000000000000000055511151231257827", 15},
    {"0.10000000000000002", 16},
    {"1", 17},
    {"1.0", 17},
    {"1e0", 17},
    {"0.1e1", 17},
    {"1.5", 18},
    {"2", 19},
    {"10", 20},
    {"9007199254740992", 21},
    {"9007199254740992.0", 21},
    {"9007199254740992.5", 22},
    {"9007199254740993", 23},
    {"9007199254740993.0", 23},
    {"9223372036854775807", 24},
    {"9223372036854775808", 25},
    {"18446744073709551615", 26},
    {"18446744073709551615.0", 26},
    {"18446744073709551616", 27},
    {"100000000000000000000", 28},
    {"1e20", 28},
    {"100000000000000000001", 29},
    {"1e308", 30},
    {"1e400", 31},
    {"10e399", 31},
    {"1.1e400", 32},
    {"1e999999999", 33},
};

static void run_ranked(const struct ranked *row)
{
    char mine[FER_NUMBER_TEXT], theirs[FER_NUMBER_TEXT];
    yyjson_val x = settled(row->name);
    canonical(&x, mine);
    for (size_t i = 0; i < FER_COUNT(ranks); i++) {
        yyjson_val y = settled(ranks[i].name);
        int expected = (row->rank > ranks[i].rank) - (row->rank < ranks[i].rank);
        if (fer_number_cmp(&x, &y) != expected)
            fail_msg("%s to %s: not %d", row->name, ranks[i].name, expected);
        if ((strcmp(mine, canonical(&y, theirs)) == 0) != (expected == 0))
            fail_msg("%s is %s, %s is %s", row->name, mine, ranks[i].name, theirs);
    }
}

/* ---- as 64-bit integers --------------------------------------------------------- */

static const struct whole {
    const char *name;
    bool is_whole;
    uint64_t value;
} wholes[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"-0.0", true, 0},
    {"2", true, 2},
    {"2.0", true, 2},
    {"2e0", true, 2},
    {"200e-2", true, 2},
    {"2.5", false, 0},
    {"-1", false, 0},
    {"-1.0", false, 0},
    {"1e-400", false, 0},
    {"1e19", true, UINT64_C(10000000000000000000)},
    {"1e20", false, 0},
    {"1e400", false, 0},
    {"9007199254740993", true, UINT64_C(9007199254740993)},
    {"9007199254740993.0", true, UINT64_C(9007199254740993)},
    {"9223372036854776000", true, UINT64_C(9223372036854776000)},
    {"9223372036854776000.0", true, UINT64_C(9223372036854776000)},
    {"18446744073709551615", true, UINT64_MAX},
    {"18446744073709551615.0", true, UINT64_MAX},
    {"18446744073709551616", false, 0},
    {"18446744073709551616.0", false, 0},
    {"1.8446744073709552e19", false, 0},
};

static void run_whole(const struct whole *row)
{
    yyjson_val v = settled(row->name);
    uint64_t value = 0;
    assert_int_equal(fer_number_u64(&v, &value), row->is_whole);
    assert_true(value == row->value);
}

int main(void)
{
    return ROWS_RUN("json number", rows, run) + ROWS_RUN("json decimal", decimals, run_decimal) +
           ROWS_ONE("json number", longest_number) +
           ROWS_RUN("json exponent", exponents, run_exponent) +
           ROWS_RUN("json number order", ranks, run_ranked) +
           ROWS_RUN("json whole number", wholes, run_whole);
}
