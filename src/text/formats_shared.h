/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the formats share with each other: the checks that stand in the table of
 * formats.c, and the addresses and host names that URIs and e-mail addresses contain. Others
 * use formats.h. Pure.
 */
#ifndef FER_FORMATS_SHARED_H
#define FER_FORMATS_SHARED_H

#include "arena.h"
#include "str.h"

/* A check as fer_text_format has it: 1 yes, 0 no, -1 no memory. */
int fer_format_date(fer_arena *scratch, fer_str s);
int fer_format_date_time(fer_arena *scratch, fer_str s);
int fer_format_duration(fer_arena *scratch, fer_str s);
int fer_format_email(fer_arena *scratch, fer_str s);
int fer_format_hostname(fer_arena *scratch, fer_str s);
int fer_format_idn_email(fer_arena *scratch, fer_str s);
int fer_format_idn_hostname(fer_arena *scratch, fer_str s);
int fer_format_ipv4(fer_arena *scratch, fer_str s);
int fer_format_ipv6(fer_arena *scratch, fer_str s);
int fer_format_json_pointer(fer_arena *scratch, fer_str s);
int fer_format_regex(fer_arena *scratch, fer_str s);
int fer_format_relative_pointer(fer_arena *scratch, fer_str s);
int fer_format_relative_pointer_2020(fer_arena *scratch, fer_str s);
int fer_format_time(fer_arena *scratch, fer_str s);
int fer_format_uri_template(fer_arena *scratch, fer_str s);
int fer_format_uuid(fer_arena *scratch, fer_str s);

/* RFC 3986 3.2.2: IPv4address, without leading zeros, and IPv6address, without a zone. */
bool fer_ip_is_v4(fer_str s);
bool fer_ip_is_v6(fer_str s);

typedef enum fer_host_kind {
    FER_HOST_ASCII,     /* letters, digits, hyphens; A-labels are checked as such */
    FER_HOST_IDN,       /* U-labels too, in normal form C */
    FER_HOST_IDN_LOOKUP /* U-labels that are brought into normal form C first (RFC 5891 5.2) */
} fer_host_kind;
/* Whether the text is a host name: 1 yes, 0 no, -1 no memory. */
int fer_host_check(fer_str s, fer_host_kind kind);

/* What the rule about directions (RFC 5893) needs to know of one label. */
typedef struct fer_idn_label {
    size_t octets;     /* of its A-label, or of itself where it is ASCII */
    bool right_left;   /* it has characters that run from right to left */
    bool follows_rule; /* it keeps the Bidi Rule */
} fer_idn_label;
/*
 * Whether a label is an A-label ("xn--...") or, where it is not ASCII, a U-label of IDNA2008,
 * with all contextual rules: 1 yes, 0 no, -1 no memory. A plain ASCII label is taken as it is.
 */
int fer_idn_label_check(fer_str label, bool normalize, fer_idn_label *out);

#endif
