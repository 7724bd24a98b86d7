/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, exactly. A number of a document is one of yyjson's uint, sint or real
 * where that holds the decimal value of its text exactly as printed back in
 * shortest form, and `raw` text otherwise. As decimals all of them compare.
 */
#ifndef FER_JSON_NUMBER_H
#define FER_JSON_NUMBER_H

#include <yyjson.h>

#include "str.h"

#define FER_NUMBER_MAX 1000 /* characters; json.number cannot be set higher */

/* 0.d1d2d3... times ten to the exponent; no leading or trailing zeros; zero has no digits. */
typedef struct fer_decimal {
    bool negative;
    int64_t exponent;
    size_t count;
    char digits[FER_NUMBER_MAX];
} fer_decimal;

/* A whole number of at most 18 digits. */
static inline void fer_number_set_whole(yyjson_val *v, bool negative, uint64_t value)
{
    v->tag = negative && value ? YYJSON_TYPE_NUM | YYJSON_SUBTYPE_SINT
                               : YYJSON_TYPE_NUM | YYJSON_SUBTYPE_UINT;
    v->uni.u64 = negative ? 0 - value : value;
}

/*
 * A decimal of at most 15 digits, `after` of them behind the point. The digits are an exact
 * integer below 2^53, the power of ten is exact, and so one division gives the nearest
 * binary64, which prints back as the same decimal (Clinger's fast path).
 */
static inline void fer_number_set_decimal(yyjson_val *v, bool negative, uint64_t value,
                                          size_t after)
{
    static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    double d = (double)(int64_t)value / tens[after];
    v->tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL;
    v->uni.f64 = negative ? -d : d;
}

#define FER_WHOLE_CHARS   18 /* digits of a whole number that 64 bits hold for sure */
#define FER_DECIMAL_CHARS 16 /* digits and point of a decimal that binary64 holds for sure */

/* digits or digits.digits, of so many characters and a sign. */
static inline bool fer_number_settle_short(yyjson_val *v)
{
    const char *c = v->uni.str, *end = c + (size_t)(v->tag >> 8);
    bool negative = *c == '-';
    c += negative;
    const ptrdiff_t chars = end - c;
    uint64_t value = 0;
    unsigned digit;
    if (chars > FER_WHOLE_CHARS) return false;
    for (; c < end && (digit = (unsigned)(*c - '0')) <= 9; c++) value = value * 10 + digit;
    if (c == end) {
        fer_number_set_whole(v, negative, value);
        return true;
    }
    if (*c != '.' || chars > FER_DECIMAL_CHARS) return false;
    size_t after = (size_t)(end - ++c);
    for (; c < end && (digit = (unsigned)(*c - '0')) <= 9; c++) value = value * 10 + digit;
    if (c < end) return false;
    fer_number_set_decimal(v, negative, value, after);
    return true;
}

/* Turns a raw number that was just read into its exact form. False: too long an exponent. */
bool fer_number_settle(yyjson_val *v, size_t max_exponent_digits);

/* The decimal of any number of a document. */
void fer_number_decimal(const yyjson_val *v, fer_decimal *out);
/* -1, 0 or 1. */
int fer_decimal_cmp(const fer_decimal *x, const fer_decimal *y);
int fer_number_cmp(const yyjson_val *x, const yyjson_val *y);

/* The whole number that a number is, where 64 bits hold it: 2, 2.0 and 2e0 are all 2. */
bool fer_number_u64(const yyjson_val *v, uint64_t *out);

/* Whether a number is whole: 1.0 and 1e400 are. */
bool fer_number_is_integer(const yyjson_val *v);
/* Whether it is written as a whole number: 1.0 and 1e20 are not (draft-04). */
bool fer_number_is_integer_text(const yyjson_val *v);
/* Whether `x` is a whole multiple of `of`, exactly. */
bool fer_number_multiple(const yyjson_val *x, const yyjson_val *of);

/* Text of a number, as it is or canonical (RFC 8785, exact extension); returns its length. */
#define FER_NUMBER_TEXT (FER_NUMBER_MAX + 32)
size_t fer_number_text(const yyjson_val *v, char out[FER_NUMBER_TEXT]);
size_t fer_number_canonical(const yyjson_val *v, char out[FER_NUMBER_TEXT]);

#endif
