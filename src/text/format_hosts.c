/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host names: RFC 1123 for ASCII, RFC 5890 to 5893 for the others. A label that begins with
 * "xn--" is checked as an A-label in both formats. A name that ends in a dot is refused.
 */
#include "formats_shared.h"
#include "unicode.h"

#define LONGEST_LABEL 63
#define LONGEST_NAME  253
/*
 * Each octet of an ASCII form stands for at most one code point, of at most four bytes. What
 * is longer need not be looked at.
 */
#define LONGEST_TEXT ((size_t)LONGEST_NAME * 4)

struct host {
    fer_host_kind kind;
    size_t octets;     /* of the ASCII form up to here */
    bool right_left;   /* a label runs from right to left, which makes it a Bidi domain name */
    bool follows_rule; /* all labels keep the Bidi Rule */
};

/* The length of the label separator at `at`, or 0. RFC 3490 3.1 names the three wide ones. */
static size_t separator(fer_str s, size_t at, fer_host_kind kind)
{
    if (s.ptr[at] == '.') return 1;
    if (kind == FER_HOST_ASCII || s.len - at < 3) return 0;
    const char *p = s.ptr + at;
    bool wide = memcmp(p, "\xE3\x80\x82", 3) == 0 || memcmp(p, "\xEF\xBC\x8E", 3) == 0 ||
                memcmp(p, "\xEF\xBD\xA1", 3) == 0;
    return wide ? 3 : 0;
}

/* Letters, digits and inner hyphens; beyond ASCII what is UTF-8, in kinds that have it. */
static bool label_chars(fer_str label, fer_host_kind kind)
{
    for (size_t at = 0; at < label.len;) {
        char c = label.ptr[at];
        size_t len = fer_utf8_len(label, at);
        if (len == 0 || (len > 1 && kind == FER_HOST_ASCII)) return false;
        if (len == 1 && !fer_is_alpha(c) && !fer_is_digit(c) && c != '-') return false;
        at += len;
    }
    return label.len > 0 && label.ptr[0] != '-' && label.ptr[label.len - 1] != '-';
}

static int add_label(struct host *h, fer_str label)
{
    fer_idn_label facts;
    if (!label_chars(label, h->kind)) return 0;
    int good = fer_idn_label_check(label, h->kind == FER_HOST_IDN_LOOKUP, &facts);
    if (good != 1) return good;
    h->octets += (h->octets ? 1 : 0) + facts.octets;
    h->right_left |= facts.right_left;
    h->follows_rule &= facts.follows_rule;
    return facts.octets <= LONGEST_LABEL && h->octets <= LONGEST_NAME;
}

int fer_host_check(fer_str s, fer_host_kind kind)
{
    struct host h = {kind, 0, false, true};
    size_t first = 0, at = 0;
    if (s.len > LONGEST_TEXT) return 0;
    while (at < s.len) {
        size_t dot = separator(s, at, kind);
        if (dot == 0) {
            at++;
            continue;
        }
        int good = add_label(&h, fer_str_slice(s, first, at));
        if (good != 1) return good;
        at += dot;
        first = at;
    }
    int good = add_label(&h, fer_str_slice(s, first, s.len));
    if (good != 1) return good;
    /* RFC 5893 2: in a Bidi domain name every label keeps the rule. */
    return !h.right_left || h.follows_rule;
}

int fer_format_hostname(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_host_check(s, FER_HOST_ASCII);
}

int fer_format_idn_hostname(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_host_check(s, FER_HOST_IDN);
}
