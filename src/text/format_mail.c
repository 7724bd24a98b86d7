/* SPDX-License-Identifier: Apache-2.0 */
/*
 * E-mail addresses: Mailbox of RFC 5321 4.1.2, and with RFC 6531 3.3 for all scripts. The
 * lengths of RFC 5321 4.5.3.1 are kept. Comments, folding, names in front and obsolete forms
 * belong to the headers of messages and are refused. Of the address literals only IPv4 and
 * IPv6 are registered; leading zeros in them are refused as in the format ipv4.
 */
#include "formats_shared.h"

#define LONGEST_LOCAL   64
#define LONGEST_ADDRESS 254 /* a path of 256 without its angle brackets */

static bool is_atext(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/* The bytes of the character beyond ASCII at `at`, in addresses that may have it; otherwise 0. */
static size_t wide_len(fer_str s, size_t at, bool international)
{
    return international && (unsigned char)s.ptr[at] >= 0x80 ? fer_utf8_len(s, at) : 0;
}

/* The index behind a Quoted-string, which begins at 0; 0 where there is none. */
static size_t skip_quoted(fer_str s, bool international)
{
    size_t at = 1;
    while (at < s.len && s.ptr[at] != '"') {
        size_t wide = wide_len(s, at, international);
        if (wide == 0) {
            if (s.ptr[at] == '\\' && ++at == s.len) return 0;
            if (s.ptr[at] < 0x20 || s.ptr[at] > 0x7E) return 0;
            wide = 1;
        }
        at += wide;
    }
    return at < s.len ? at + 1 : 0;
}

/* The index behind a Dot-string, which begins at 0; 0 where there is none. */
static size_t skip_dotted(fer_str s, bool international)
{
    size_t at = 0, atom = 0; /* where the present atom begins */
    for (; at < s.len; at++) {
        size_t wide = wide_len(s, at, international);
        if (wide > 0) {
            at += wide - 1;
        } else if (s.ptr[at] == '.') {
            if (at == atom) return 0;
            atom = at + 1;
        } else if (!is_atext(s.ptr[at])) {
            break;
        }
    }
    return at > atom ? at : 0;
}

/* What stands between the brackets of an address literal. */
static bool is_literal(fer_str s)
{
    fer_str tag = FER_STR("IPv6:");
    if (s.len > tag.len && fer_str_eq_nocase(fer_str_slice(s, 0, tag.len), tag))
        return fer_ip_is_v6(fer_str_slice(s, tag.len, s.len));
    return fer_ip_is_v4(s);
}

static int check_address(fer_str s, bool international)
{
    if (s.len == 0 || s.len > LONGEST_ADDRESS) return 0;
    size_t at = s.ptr[0] == '"' ? skip_quoted(s, international) : skip_dotted(s, international);
    if (at == 0 || at > LONGEST_LOCAL || at >= s.len || s.ptr[at] != '@') return 0;
    fer_str domain = fer_str_slice(s, at + 1, s.len);
    if (domain.len > 2 && domain.ptr[0] == '[' && domain.ptr[domain.len - 1] == ']')
        return is_literal(fer_str_slice(domain, 1, domain.len - 1));
    return fer_host_check(domain, international ? FER_HOST_IDN_LOOKUP : FER_HOST_ASCII);
}

int fer_format_email(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return check_address(s, false);
}

int fer_format_idn_email(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return check_address(s, true);
}
