/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers at random, against another implementation and against each other. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "json_number.h"
#include "json_value.h"

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

static uint64_t random_state = 20250607;

static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

#define DOUBLES 200000

/* Three kinds in turn: any bits, a sum of money, a whole number of any length. */
static double random_double(size_t i)
{
    uint64_t bits = next_random();
    double d;
    if (i % 3 == 1) return (double)(int64_t)(bits >> 30) / 100;
    if (i % 3 == 2) return (double)(int64_t)(bits >> next_random() % 64);
    memcpy(&d, &bits, sizeof d);
    return isfinite(d) ? d : 0;
}

/* Number::toString by trying how many digits it takes; no power of two is among the doubles. */
static void ecmascript(double d, char out[64])
{
    char text[40], digits[24];
    int precision = fabs(d) < 1e-300 ? 0 : 14;
    if (d == 0) {
        strcpy(out, "0");
        return;
    }
    do snprintf(text, sizeof text, "%.*e", precision, fabs(d));
    while (strtod(text, NULL) != fabs(d) && precision++ < 17);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10), k = 0, n = exponent + 1;
    for (const char *c = text; *c != 'e'; c++) {
        if (*c != '.') digits[k++] = *c;
    }
    while (k > 1 && digits[k - 1] == '0') k--;
    digits[k] = '\0';
    if (d < 0) *out++ = '-';
    if (k <= n && n <= 21) {
        sprintf(out, "%s%.*s", digits, n - k, "0000000000000000000000");
    } else if (0 < n && n <= 21) {
        sprintf(out, "%.*s.%s", n, digits, digits + n);
    } else if (-6 < n && n <= 0) {
        sprintf(out, "0.%.*s%s", -n, "000000", digits);
    } else {
        sprintf(out, "%.1s%s%se%+d", digits, k > 1 ? "." : "", digits + 1, n - 1);
    }
}

static double as_double(const yyjson_val *v)
{
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: return (double)v->uni.u64;
    case FER_TAG_SINT: return (double)v->uni.i64;
    case FER_TAG_REAL: return v->uni.f64;
    default: return (double)NAN;
    }
}

static bool same_as(double d, const char *shortest)
{
    char text[FER_NUMBER_TEXT];
    yyjson_val v = settled(shortest), real = {.tag = FER_TAG_REAL, .uni.f64 = d};
    if (as_double(&v) == d && strcmp(canonical(&v, text), shortest) == 0 &&
        strcmp(canonical(&real, text), shortest) == 0 && fer_number_cmp(&v, &real) == 0) {
        return true;
    }
    print_error("%.17g is %s: read as %.17g, written as %s\n", d, shortest, as_double(&v),
                canonical(&v, text));
    return false;
}

static void doubles_by_trying(void)
{
    size_t wrong = 0;
    char text[64];
    for (size_t i = 0; i < DOUBLES / 4 && wrong < 3; i++) {
        double d = random_double(i);
        ecmascript(d, text);
        wrong += !same_as(d, text);
    }
    assert_int_equal(wrong, 0);
}

/* All at once through one process: it reads the bits and prints one number a line. */
static void doubles_by_node(void)
{
    static double doubles[DOUBLES];
    char path[] = "/tmp/ferrule-doubles-XXXXXX", command[400], line[64];
    if (system("command -v node >/dev/null 2>&1") != 0) {
        print_message("# skipped: there is no node\n");
        skip();
    }
    for (size_t i = 0; i < DOUBLES; i++) doubles[i] = random_double(i);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(write(fd, doubles, sizeof doubles) == (ssize_t)sizeof doubles);
    close(fd);
    snprintf(command, sizeof command,
             "node -e 'const b=require(\"fs\").readFileSync(\"%s\");"
             "const d=new Float64Array(b.buffer,b.byteOffset,b.length/8);let s=[];"
             "for(const x of d)s.push(String(x));process.stdout.write(s.join(\"\\n\")+\"\\n\")'",
             path);
    FILE *node = popen(command, "r");
    assert_non_null(node);
    size_t lines = 0, wrong = 0;
    while (lines < DOUBLES && fgets(line, sizeof line, node)) {
        line[strcspn(line, "\n")] = '\0';
        if (wrong < 3) wrong += !same_as(doubles[lines], line);
        lines++;
    }
    assert_int_equal(pclose(node), 0);
    unlink(path);
    assert_int_equal(lines, DOUBLES);
    assert_int_equal(wrong, 0);
}

/* One value spelt in three ways has one form; the next one up has another and is larger. */
static void spellings(void)
{
    char digits[32], up[32], plain[80], science[80], shifted[80], above[80];
    char first[FER_NUMBER_TEXT], other[FER_NUMBER_TEXT];
    for (size_t round = 0; round < 20000; round++) {
        size_t count = 1 + next_random() % 24, zeros = next_random() % 24;
        for (size_t i = 0; i < count; i++) digits[i] = (char)('0' + next_random() % 10);
        if (digits[0] == '0') digits[0] = '1';
        if (digits[count - 1] == '9') digits[count - 1] = '8';
        digits[count] = '\0';
        memcpy(up, digits, sizeof up);
        up[count - 1]++;
        snprintf(plain, sizeof plain, "%s%.*s", digits, (int)zeros, "000000000000000000000000");
        snprintf(science, sizeof science, "%.1s.%s0e+0%zu", digits, digits + 1, count - 1 + zeros);
        snprintf(shifted, sizeof shifted, "0.000%sE%zu", digits, count + 3 + zeros);
        snprintf(above, sizeof above, "%se%zu", up, zeros);
        yyjson_val v = settled(plain), y = settled(science), z = settled(shifted);
        canonical(&v, first);
        if (strcmp(canonical(&y, other), first) != 0) fail_msg("%s: %s, %s", plain, first, other);
        if (strcmp(canonical(&z, other), first) != 0) fail_msg("%s: %s, %s", plain, first, other);
        assert_int_equal(fer_number_cmp(&v, &y), 0);
        assert_int_equal(fer_number_cmp(&z, &y), 0);
        y = settled(above);
        assert_true(strcmp(canonical(&y, other), first) != 0);
        assert_int_equal(fer_number_cmp(&v, &y), -1);
        assert_int_equal(fer_number_cmp(&y, &v), 1);
    }
}

int main(void)
{
    return ROWS_ONE("json doubles", doubles_by_trying) + ROWS_ONE("json doubles", doubles_by_node) +
           ROWS_ONE("json doubles", spellings);
}
