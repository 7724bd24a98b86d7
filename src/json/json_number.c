/* SPDX-License-Identifier: Apache-2.0 */
#include "json_number.h"

#include <math.h>
#include <string.h>

#include "checked.h"
#include "json_value.h"
#include "print.h"

/* ---- decimals ---------------------------------------------------------------- */

/* The exponent part of a number's text, "+12" or "-3". False: more digits than allowed. */
static bool parse_exponent(fer_str s, size_t max_digits, int64_t *out)
{
    bool negative = s.len && s.ptr[0] == '-';
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+')) s = fer_str_slice(s, 1, s.len);
    while (s.len > 1 && s.ptr[0] == '0') s = fer_str_slice(s, 1, s.len);
    uint64_t value;
    if (s.len > max_digits || s.len > 18 || !fer_parse_u64(s, &value)) return false;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* The text is a JSON number of at most FER_NUMBER_MAX characters. */
static bool parse_decimal(fer_str s, size_t max_exponent_digits, fer_decimal *out)
{
    int64_t exponent = 0, point = 0; /* digits before the point, leading zeros not counted */
    bool after_point = false;
    size_t i = 0, count = 0;
    out->count = 0;
    out->exponent = 0;
    out->negative = s.len && s.ptr[0] == '-';
    if (out->negative) i++;
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '.') {
            after_point = true;
        } else if (c == 'e' || c == 'E') {
            if (!parse_exponent(fer_str_slice(s, i + 1, s.len), max_exponent_digits, &exponent))
                return false;
            break;
        } else if (c == '0' && count == 0) {
            if (after_point) point--;
        } else {
            out->digits[count++] = c;
            if (!after_point) point++;
        }
    }
    while (count > 0 && out->digits[count - 1] == '0') count--;
    out->count = count;
    out->exponent = count ? exponent + point : 0;
    if (count == 0) out->negative = false;
    return true;
}

int fer_decimal_cmp(const fer_decimal *x, const fer_decimal *y)
{
    int sx = x->count == 0 ? 0 : x->negative ? -1 : 1;
    int sy = y->count == 0 ? 0 : y->negative ? -1 : 1;
    if (sx != sy) return sx < sy ? -1 : 1;
    if (sx == 0) return 0;
    if (x->exponent != y->exponent) return (x->exponent < y->exponent) == (sx > 0) ? -1 : 1;
    int order = fer_str_cmp((fer_str){x->digits, x->count}, (fer_str){y->digits, y->count});
    if (order == 0) return 0;
    return (order < 0) == (sx > 0) ? -1 : 1;
}

static void set_real(yyjson_val *v, double d)
{
    v->tag = FER_TAG_REAL;
    v->uni.f64 = d;
}

/* The shortest text that reads back as this binary64, by yyjson's writer. */
static size_t text_of_double(double d, char out[FER_NUMBER_TEXT])
{
    char storage[1024];
    yyjson_alc alc;
    yyjson_val v;
    size_t len = 0;
    set_real(&v, d);
    const char *text = yyjson_alc_pool_init(&alc, storage, sizeof storage)
                           ? yyjson_val_write_opts(&v, 0, &alc, &len, NULL)
                           : NULL;
    assert(text && len < FER_NUMBER_TEXT);
    memcpy(out, text, len);
    return len;
}

static void decimal_of_double(double d, fer_decimal *out)
{
    char text[FER_NUMBER_TEXT];
    size_t len = text_of_double(d, text);
    parse_decimal((fer_str){text, len}, 18, out);
}

static void decimal_of_u64(uint64_t value, bool negative, fer_decimal *out)
{
    char text[24];
    text[0] = '-';
    size_t len = fer_print_u64(text + negative, value) + negative;
    parse_decimal((fer_str){text, len}, 18, out);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

void fer_number_decimal(const yyjson_val *v, fer_decimal *out)
{
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: decimal_of_u64(v->uni.u64, false, out); return;
    case FER_TAG_SINT: decimal_of_u64(magnitude(v->uni.i64), v->uni.i64 < 0, out); return;
    case FER_TAG_REAL: decimal_of_double(v->uni.f64, out); return;
    default: /* raw */ parse_decimal(fer_val_str(v), 18, out); return;
    }
}

/* The double that a number is, exactly: whole numbers up to 2^53, reals by their binary value. */
static bool exact_double(const yyjson_val *v, double *out)
{
    const uint64_t exact_below = (uint64_t)1 << 53;
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: *out = (double)v->uni.u64; return v->uni.u64 <= exact_below;
    case FER_TAG_SINT: *out = (double)v->uni.i64; return magnitude(v->uni.i64) <= exact_below;
    default: return false;
    }
}

/* A short whole number against a real whose decimal is on the same side as its binary value. */
static bool cmp_as_double(const yyjson_val *x, const yyjson_val *y, int *order)
{
    bool real_x = fer_val_tag(x) == FER_TAG_REAL, real_y = fer_val_tag(y) == FER_TAG_REAL;
    double dx = real_x ? x->uni.f64 : 0, dy = real_y ? y->uni.f64 : 0;
    if ((!real_x && !exact_double(x, &dx)) || (!real_y && !exact_double(y, &dy))) return false;
    *order = dx < dy ? -1 : dx > dy;
    return true;
}

int fer_number_cmp(const yyjson_val *x, const yyjson_val *y)
{
    unsigned tx = fer_val_tag(x), ty = fer_val_tag(y);
    if (tx == ty && tx == FER_TAG_UINT) {
        return x->uni.u64 < y->uni.u64 ? -1 : x->uni.u64 > y->uni.u64;
    }
    if (tx == ty && tx == FER_TAG_REAL) {
        return x->uni.f64 < y->uni.f64 ? -1 : x->uni.f64 > y->uni.f64;
    }
    int order;
    if (cmp_as_double(x, y, &order)) return order;
    fer_decimal dx, dy;
    fer_number_decimal(x, &dx);
    fer_number_decimal(y, &dy);
    return fer_decimal_cmp(&dx, &dy);
}

bool fer_number_u64(const yyjson_val *v, uint64_t *out)
{
    fer_decimal d;
    uint64_t value = 0;
    if (fer_val_tag(v) == FER_TAG_UINT) {
        *out = v->uni.u64;
        return true;
    }
    fer_number_decimal(v, &d);
    bool whole = d.count == 0 || d.exponent >= (int64_t)d.count;
    if (d.negative || !whole || d.exponent > 20) return false;
    for (int64_t i = 0; i < d.exponent; i++) {
        uint64_t digit = i < (int64_t)d.count ? (uint64_t)(d.digits[i] - '0') : 0;
        if (!fer_mul_u64(value, 10, &value) || !fer_add_u64(value, digit, &value)) return false;
    }
    *out = value;
    return true;
}

/* From 2^53 on, binary64 has no fractions. */
static bool is_whole(double d)
{
    const double all = 9007199254740992.0;
    return d >= all || d <= -all || d == (double)(int64_t)d;
}

bool fer_number_is_integer(const yyjson_val *v)
{
    unsigned tag = fer_val_tag(v);
    if (tag == FER_TAG_UINT || tag == FER_TAG_SINT) return true;
    if (tag == FER_TAG_REAL) return is_whole(v->uni.f64);
    fer_decimal d;
    fer_number_decimal(v, &d);
    return d.count == 0 || d.exponent >= (int64_t)d.count;
}

/* In the tag of a real, where others have a length: its text is that of a whole number. */
#define WHOLE_TEXT ((uint64_t)1 << 8)

static bool is_whole_text(fer_str s)
{
    for (size_t i = s.ptr[0] == '-'; i < s.len; i++) {
        if (!fer_is_digit(s.ptr[i])) return false;
    }
    return true;
}

bool fer_number_is_integer_text(const yyjson_val *v)
{
    unsigned tag = fer_val_tag(v);
    if (tag == FER_TAG_UINT || tag == FER_TAG_SINT) return true;
    if (tag == FER_TAG_REAL) return v->tag & WHOLE_TEXT;
    return is_whole_text(fer_val_str(v));
}

/* ---- settling ------------------------------------------------------------------ */

/* Any number: kept as 64 bits where these hold exactly its decimal value, else as text. */
static bool settle_any(yyjson_val *v, fer_str s, size_t max_exponent_digits)
{
    fer_decimal exact, printed;
    yyjson_val read;
    if (!parse_decimal(s, max_exponent_digits, &exact)) return false;
    /* yyjson ends raw numbers with NUL, as its number reader wants it. */
    if (!yyjson_read_number(s.ptr, &read, 0, NULL, NULL)) return true; /* past binary64 */
    if (fer_val_tag(&read) == FER_TAG_REAL) {
        decimal_of_double(read.uni.f64, &printed);
        if (fer_decimal_cmp(&exact, &printed) != 0) return true;
        if (is_whole_text(s)) read.tag |= WHOLE_TEXT;
    }
    v->tag = read.tag;
    v->uni = read.uni;
    return true;
}

bool fer_number_settle(yyjson_val *v, size_t max_exponent_digits)
{
    return fer_number_settle_short(v) || settle_any(v, fer_val_str(v), max_exponent_digits);
}

/* ---- canonical text -------------------------------------------------------------- */

/* ECMAScript Number::toString, steps 6 to 10; `n` is the place of the point. */
static size_t write_ecmascript(const fer_decimal *d, char *out)
{
    const char *sign = d->negative ? "-" : "";
    int k = (int)d->count;
    int64_t n = d->exponent;
    int len;
    if (k == 0) {
        len = fer_print(out, FER_NUMBER_TEXT, "0");
    } else if (k <= n && n <= 21) {
        len = fer_print(out, FER_NUMBER_TEXT, "%s%.*s%.*s", sign, k, d->digits, (int)n - k,
                        "000000000000000000000");
    } else if (0 < n && n <= 21) {
        len = fer_print(out, FER_NUMBER_TEXT, "%s%.*s.%.*s", sign, (int)n, d->digits, k - (int)n,
                        d->digits + n);
    } else if (-6 < n && n <= 0) {
        len =
            fer_print(out, FER_NUMBER_TEXT, "%s0.%.*s%.*s", sign, (int)-n, "000000", k, d->digits);
    } else {
        len = fer_print(out, FER_NUMBER_TEXT, "%s%c%s%.*se%+lld", sign, d->digits[0],
                        k > 1 ? "." : "", k - 1, d->digits + 1, (long long)n - 1);
    }
    return (size_t)len;
}

/* The extension: all digits as an integer, "e", its exponent. */
static size_t write_exact(const fer_decimal *d, char *out)
{
    int len = fer_print(out, FER_NUMBER_TEXT, "%s%.*se%lld", d->negative ? "-" : "", (int)d->count,
                        d->digits, (long long)d->exponent - (long long)d->count);
    return (size_t)len;
}

/* Whether an integer is what the nearest binary64 prints as. */
static bool double_prints_same(const fer_decimal *exact, double nearest)
{
    fer_decimal printed;
    decimal_of_double(nearest, &printed);
    return fer_decimal_cmp(exact, &printed) == 0;
}

size_t fer_number_text(const yyjson_val *v, char out[FER_NUMBER_TEXT])
{
    switch (fer_val_tag(v)) {
    case FER_TAG_REAL: return text_of_double(v->uni.f64, out);
    case FER_TAG_UINT: return fer_print_u64(out, v->uni.u64);
    case FER_TAG_SINT:
        return (size_t)fer_print(out, FER_NUMBER_TEXT, "%lld", (long long)v->uni.i64);
    default: return (size_t)fer_print(out, FER_NUMBER_TEXT, "%.*s", FER_PRI(fer_val_str(v)));
    }
}

size_t fer_number_canonical(const yyjson_val *v, char out[FER_NUMBER_TEXT])
{
    const uint64_t exact_below = (uint64_t)1 << 53;
    fer_decimal d;
    if (fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 <= exact_below)
        return fer_print_u64(out, v->uni.u64);
    fer_number_decimal(v, &d);
    switch (fer_val_tag(v)) {
    case FER_TAG_REAL: return write_ecmascript(&d, out);
    case FER_TAG_UINT:
        if (double_prints_same(&d, (double)v->uni.u64)) {
            return write_ecmascript(&d, out);
        }
        return write_exact(&d, out);
    case FER_TAG_SINT:
        if (magnitude(v->uni.i64) <= exact_below || double_prints_same(&d, (double)v->uni.i64)) {
            return write_ecmascript(&d, out);
        }
        return write_exact(&d, out);
    default: return write_exact(&d, out);
    }
}
