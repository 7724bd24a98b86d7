/* SPDX-License-Identifier: Apache-2.0 */
#include "weigh.h"

#include <string.h>

const float fer_weigh_fields[FER_FIELD_COUNT] = {
    [FER_FIELD_NAME] = 2.0F,       [FER_FIELD_NAMESPACE] = 1.0F,  [FER_FIELD_TITLE] = 1.0F,
    [FER_FIELD_TAG] = 1.0F,        [FER_FIELD_CATEGORY] = 1.0F,   [FER_FIELD_DESCRIPTION] = 1.0F,
    [FER_FIELD_PARAM_NAME] = 0.7F, [FER_FIELD_PARAM_TEXT] = 0.3F, [FER_FIELD_PARAM_VALUE] = 0.4F,
};

#define K1     0.9F
#define B      0.6F
#define LENGTH 20.0F /* of an ordinary document */

float fer_weigh_length(float length)
{
    return K1 * (1 - B + B * length / LENGTH);
}

/*
 * The natural logarithm of a number from 0.5 on, to 1e-7 of itself: the exponent, and a series
 * for the rest. A fifth of what log costs, and the same on every machine.
 */
static double quick_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(0x3FF0000000000000);
    double m;
    memcpy(&m, &bits, sizeof m); /* 1 to 2 */
    double t = (m - 1.4142135623730951) / (m + 1.4142135623730951), t2 = t * t;
    double series = 2 * t * (1 + t2 * (1.0 / 3 + t2 * (1.0 / 5 + t2 * (1.0 / 7 + t2 / 9))));
    return ((double)exponent + 0.5) * 0.6931471805599453 + series;
}

/* 1 + (docs - df + 0.5) / (df + 0.5), whose logarithm it is, is this quotient. */
double fer_weigh_rarity(size_t docs, size_t df)
{
    return quick_log(((double)(docs > df ? docs : df) + 1) / ((double)df + 0.5));
}
