/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of internationalized host names. libidn2 registers them (RFC 5891 4): normal form,
 * permitted code points, hyphens, leading marks, the contextual rules, Punycode there and
 * back. Its check of directions leaves out that the two kinds of digits do not mix and that
 * marks at the end do not count, so the Bidi Rule (RFC 5893 2) stands here in full.
 */
#include <idn2.h>
#include <utf8proc.h>

#include "formats_shared.h"

#define LONGEST_LABEL 63
/* Of a U-label: each octet of its A-label stands for at most one code point of four bytes. */
#define LONGEST_TEXT ((size_t)LONGEST_LABEL * 4)

/* ---- directions -------------------------------------------------------------------------- */

#define BIT(class) (1u << UTF8PROC_BIDI_CLASS_##class)
/* Rules 2 and 5: what stands in labels of both directions. */
#define NEUTRAL    (BIT(EN) | BIT(ES) | BIT(CS) | BIT(ET) | BIT(ON) | BIT(BN) | BIT(NSM))
#define RIGHT_LEFT (BIT(R) | BIT(AL) | BIT(AN))

static unsigned direction(uint32_t c)
{
    return 1u << utf8proc_get_property((utf8proc_int32_t)c)->bidi_class;
}

/* Fills the two facts about directions of `count` code points, at least one. */
static void note_directions(const uint32_t *points, size_t count, fer_idn_label *out)
{
    unsigned first = direction(points[0]), all = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned d = direction(points[i]);
        all |= d;
        if (d != BIT(NSM)) last = d;
    }
    out->right_left = (all & RIGHT_LEFT) != 0;
    if (first == BIT(L)) {
        out->follows_rule = !(all & ~(BIT(L) | NEUTRAL)) && (last & (BIT(L) | BIT(EN)));
    } else if (first & (BIT(R) | BIT(AL))) {
        bool both_digits = (all & BIT(EN)) && (all & BIT(AN));
        out->follows_rule =
            !(all & ~(RIGHT_LEFT | NEUTRAL)) && (last & (RIGHT_LEFT | BIT(EN))) && !both_digits;
    } else {
        out->follows_rule = false;
    }
}

/* ---- labels ------------------------------------------------------------------------------------
 */

static int answer(int code)
{
    return code == IDN2_OK ? 1 : code == IDN2_MALLOC ? -1 : 0;
}

/* The code points that an A-label, in lower case, stands for. */
static int note_a_label(const char *label, fer_idn_label *out)
{
    uint32_t *points = NULL;
    size_t count = 0;
    int good = answer(idn2_to_unicode_8z4z(label, &points, 0));
    if (good != 1) return good;
    while (points[count]) count++;
    if (count > 0) note_directions(points, count, out);
    idn2_free(points);
    out->octets = strlen(label);
    return count > 0;
}

static int check_a_label(fer_str label, fer_idn_label *out)
{
    char lower[LONGEST_LABEL + 1];
    if (label.len > LONGEST_LABEL) return 0;
    for (size_t i = 0; i < label.len; i++) lower[i] = fer_lower(label.ptr[i]);
    lower[label.len] = '\0';
    int good = answer(idn2_register_u8(NULL, (const uint8_t *)lower, NULL, 0));
    return good == 1 ? note_a_label(lower, out) : good;
}

static int check_u_label(fer_str label, bool normalize, fer_idn_label *out)
{
    uint8_t text[LONGEST_TEXT + 1], *a_label = NULL;
    if (label.len > LONGEST_TEXT) return 0;
    memcpy(text, label.ptr, label.len);
    text[label.len] = '\0';
    int good = answer(idn2_register_u8(text, NULL, &a_label, normalize ? IDN2_NFC_INPUT : 0));
    if (good != 1) return good;
    good = note_a_label((const char *)a_label, out);
    idn2_free(a_label);
    return good;
}

int fer_idn_label_check(fer_str label, bool normalize, fer_idn_label *out)
{
    uint32_t points[LONGEST_LABEL];
    for (size_t i = 0; i < label.len; i++) {
        if ((unsigned char)label.ptr[i] >= 0x80) return check_u_label(label, normalize, out);
    }
    if (label.len >= 4 && fer_str_eq_nocase(fer_str_slice(label, 0, 4), FER_STR("xn--")))
        return check_a_label(label, out);
    if (label.len == 0 || label.len > LONGEST_LABEL) return 0;
    for (size_t i = 0; i < label.len; i++) points[i] = (uint32_t)fer_lower(label.ptr[i]);
    note_directions(points, label.len, out);
    out->octets = label.len;
    return 1;
}
