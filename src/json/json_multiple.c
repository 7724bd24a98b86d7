/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether one number is a whole multiple of another, exactly.
 *
 * With x = D * 10^e and m = C * 10^f (D, C whole, neither ending in 0): x is a multiple of m
 * where C divides D * 10^(e-f). For e < f that cannot be, as D does not end in 0. Else, of the
 * twos and fives in C, no more than 3322 (log2 10^1000) matter, so 10^(e-f) is cut there, and
 * a long division by at most 1000 digits decides, whatever the exponents.
 */
#include "json_number.h"

#include "json_value.h"

#define LIMB        UINT32_C(1000000000)
#define LIMB_DIGITS 9
#define LIMBS       ((FER_NUMBER_MAX + LIMB_DIGITS - 1) / LIMB_DIGITS + 1)
#define TENS_MAX    3322

__extension__ typedef unsigned __int128 u128;

/* A whole number in limbs of nine digits, the lowest first. */
struct big {
    size_t count;
    uint32_t limbs[LIMBS + 1];
};

static void big_trim(struct big *b)
{
    while (b->count && !b->limbs[b->count - 1]) b->count--;
}

static void big_of_digits(struct big *b, const char *digits, size_t count)
{
    b->count = 0;
    for (size_t end = count; end > 0;) {
        size_t from = end > LIMB_DIGITS ? end - LIMB_DIGITS : 0;
        uint32_t limb = 0;
        for (size_t i = from; i < end; i++) limb = limb * 10 + (uint32_t)(digits[i] - '0');
        b->limbs[b->count++] = limb;
        end = from;
    }
    big_trim(b);
}

static int big_cmp(const struct big *x, const struct big *y)
{
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    for (size_t i = x->count; i-- > 0;) {
        if (x->limbs[i] != y->limbs[i]) return x->limbs[i] < y->limbs[i] ? -1 : 1;
    }
    return 0;
}

/* x -= y * times, which is not more than x. */
static void big_sub_times(struct big *x, const struct big *y, uint64_t times)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < x->count; i++) {
        uint64_t take = (i < y->count ? y->limbs[i] * times : 0) + carry;
        carry = take / LIMB;
        take %= LIMB;
        if (x->limbs[i] < take) {
            x->limbs[i] += LIMB;
            carry++;
        }
        x->limbs[i] -= (uint32_t)take;
    }
    assert(carry == 0);
    big_trim(x);
}

/* The three limbs of b from `top` down, as one number. */
static u128 big_head(const struct big *b, size_t top)
{
    u128 head = 0;
    for (size_t i = 0; i < 3; i++) {
        size_t at = top - i;
        head = head * LIMB + (i <= top && at < b->count ? b->limbs[at] : 0);
    }
    return head;
}

/* r = (r * LIMB + limb) mod m; r < m before and after. Each turn takes off no more than there
 * is and leaves less than a few times m, as the heads are good to 18 digits. */
static void big_shift_mod(struct big *r, uint32_t limb, const struct big *m)
{
    memmove(r->limbs + 1, r->limbs, r->count * sizeof r->limbs[0]);
    r->limbs[0] = limb;
    r->count++;
    big_trim(r);
    while (big_cmp(r, m) >= 0) {
        u128 times = big_head(r, m->count) / (big_head(m, m->count) + 1);
        big_sub_times(r, m, times ? (uint64_t)times : 1);
    }
}

/* Whether C divides D * 10^tens. */
static bool divides(const struct big *c, const char *digits, size_t count, size_t tens)
{
    struct big r = {0};
    size_t total = count + tens, at = 0;
    size_t head = total % LIMB_DIGITS;
    while (at < total) {
        size_t end = at + (head ? head : LIMB_DIGITS);
        uint32_t limb = 0;
        for (; at < end; at++) limb = limb * 10 + (at < count ? (uint32_t)(digits[at] - '0') : 0);
        head = 0;
        big_shift_mod(&r, limb, c);
    }
    return r.count == 0;
}

static bool decimals(const fer_decimal *x, const fer_decimal *m)
{
    if (!x->count) return true;
    if (!m->count) return false;
    int64_t e = x->exponent - (int64_t)x->count, f = m->exponent - (int64_t)m->count;
    if (e < f) return false;
    uint64_t tens = (uint64_t)e - (uint64_t)f;
    struct big c;
    big_of_digits(&c, m->digits, m->count);
    return divides(&c, x->digits, x->count, tens > TENS_MAX ? TENS_MAX : (size_t)tens);
}

bool fer_number_multiple(const yyjson_val *x, const yyjson_val *of)
{
    if (fer_val_tag(of) == FER_TAG_UINT && of->uni.u64 != 0) {
        if (fer_val_tag(x) == FER_TAG_UINT) return x->uni.u64 % of->uni.u64 == 0;
        if (fer_val_tag(x) == FER_TAG_SINT) return (0 - x->uni.u64) % of->uni.u64 == 0;
    }
    fer_decimal dx, dm;
    fer_number_decimal(x, &dx);
    fer_number_decimal(of, &dm);
    return decimals(&dx, &dm);
}
