/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats: what the JSON Schema Test Suite leaves out of each grammar (the suite itself is
 * in test_formats_suite.c), the table, and texts made to keep a check busy.
 */
#include "rows.h"

#include <stdlib.h>

#include "formats.h"

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A63 A60 "aaa"
#define A64 A60 "aaaa"
#define U4  "\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC"
#define U56 U4 U4 U4 U4 U4 U4 U4 U4 U4 U4 U4 U4 U4 U4

/* ---- rows ---------------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    const char *format;
    fer_str text;
    bool valid;
} rows[] = {
    /* date */
    {"the first of all days", "date", T("0000-01-01"), true},
    {"year 0000 is a leap year", "date", T("0000-02-29"), true},
    {"the last of all days", "date", T("9999-12-31"), true},
    {"2000 is a leap year", "date", T("2000-02-29"), true},
    {"1900 is none", "date", T("1900-02-29"), false},
    {"2023 is none", "date", T("2023-02-29"), false},
    {"February 30 never is", "date", T("2024-02-30"), false},
    {"month 19", "date", T("2024-19-01"), false},
    {"day 99", "date", T("2024-01-99"), false},
    {"April 31", "date", T("2024-04-31"), false},
    {"a slash between", "date", T("2024/01/01"), false},
    {"one byte short", "date", T("2024-01-0"), false},
    {"NUL inside", "date", T("2024-01\0001"), false},
    {"a minus as a digit", "date", T("2024-01--1"), false},

    /* time */
    {"midnight", "time", T("00:00:00Z"), true},
    {"the last second", "time", T("23:59:59.999Z"), true},
    {"a leap second with a fraction", "time", T("23:59:60.5Z"), true},
    {"a leap second, lower case z", "time", T("23:59:60z"), true},
    {"a leap second at -00:00", "time", T("23:59:60-00:00"), true},
    {"a leap second, one minute east", "time", T("00:00:60+00:01"), true},
    {"a leap second, farthest east", "time", T("23:58:60+23:59"), true},
    {"a leap second, farthest west", "time", T("00:00:60-23:59"), true},
    {"a leap second, a minute off in the east", "time", T("23:59:60+23:59"), false},
    {"a leap second, a minute off in the west", "time", T("00:01:60-23:59"), false},
    {"a leap second, in Kathmandu", "time", T("05:44:60+05:45"), true},
    {"a leap second, not in Kathmandu", "time", T("05:45:60+05:45"), false},
    {"second 61", "time", T("23:59:61Z"), false},
    {"a dot without digits", "time", T("12:00:00.Z"), false},
    {"two dots", "time", T("12:00:00.1.2Z"), false},
    {"only a dot", "time", T("12:00:00."), false},
    {"a comma for the fraction", "time", T("12:00:00,5Z"), false},
    {"no seconds", "time", T("12:00Z"), false},
    {"an offset without a colon", "time", T("12:00:00+0100"), false},
    {"an offset of hours", "time", T("12:00:00+01"), false},
    {"a letter in the offset", "time", T("12:00:00+0a:00"), false},
    {"a letter in the offset's minutes", "time", T("12:00:00+00:0a"), false},
    {"a letter in the hour", "time", T("1a:00:00Z"), false},
    {"a letter in the minute", "time", T("12:0a:00Z"), false},
    {"a letter in the second", "time", T("12:00:0aZ"), false},
    {"a minus sign of Unicode", "time",
     T("12:00:00\xE2\x88\x92"
       "01:00"),
     false},
    {"empty", "time", T(""), false},
    {"NUL at the end", "time", T("12:00:00Z\0"), false},
    {"a blank before the offset", "time", T("12:00:00 Z"), false},

    /* date-time */
    {"year 0000", "date-time", T("0000-01-01T00:00:00Z"), true},
    {"a leap second in June", "date-time", T("2015-06-30T23:59:60Z"), true},
    {"a leap second on a day that ends no month", "date-time", T("2015-06-29T23:59:60Z"), false},
    {"a leap second east, on the first", "date-time", T("2017-01-01T08:59:60+09:00"), true},
    {"a leap second east, on the last", "date-time", T("2016-12-31T08:59:60+09:00"), false},
    {"a leap second west, on the last", "date-time", T("2016-12-31T15:59:60-08:00"), true},
    {"a leap second west, on the first", "date-time", T("2017-01-01T15:59:60-08:00"), false},
    {"a leap second on February 29", "date-time", T("2024-02-29T23:59:60Z"), true},
    {"a leap second on February 28 of a leap year", "date-time", T("2024-02-28T23:59:60Z"), false},
    {"a leap second on February 28", "date-time", T("2023-02-28T23:59:60Z"), true},
    {"a leap second before year 0000", "date-time", T("0000-01-01T00:59:60+01:00"), true},
    {"a blank for the T", "date-time", T("2024-01-01 00:00:00Z"), false},
    {"an underscore for the T", "date-time", T("2024-01-01_00:00:00Z"), false},
    {"no offset", "date-time", T("2024-01-01T00:00:00"), false},
    {"no time", "date-time", T("2024-01-01T"), false},
    {"only a date", "date-time", T("2024-01-01"), false},
    {"a bad date", "date-time", T("2024-13-01T00:00:00Z"), false},
    {"empty", "date-time", T(""), false},

    /* duration */
    {"hours alone", "duration", T("PT1H"), true},
    {"seconds alone", "duration", T("PT1S"), true},
    {"date and minutes", "duration", T("P1YT1M"), true},
    {"lower case, as ABNF has it", "duration", T("p1y2m3dt4h5m6s"), true},
    {"weeks, many digits", "duration", T("P000123W"), true},
    {"a week twice", "duration", T("P1W1W"), false},
    {"weeks without a number", "duration", T("PW"), false},
    {"weeks after the T", "duration", T("PT1W"), false},
    {"a year twice", "duration", T("P1Y1Y"), false},
    {"a day, then a month", "duration", T("P1D1M"), false},
    {"a unit without a number", "duration", T("PY"), false},
    {"T twice", "duration", T("PT1HT1M"), false},
    {"text behind", "duration", T("P1Dx"), false},
    {"text behind the time", "duration", T("PT1Hx"), false},
    {"NUL for a unit", "duration", T("P1\0"), false},
    {"NUL behind", "duration", T("P1D\0"), false},
    {"NUL behind the last unit", "duration", T("P1D1\0"), false},
    {"a number at the end", "duration", T("PT1H3"), false},
    {"only digits", "duration", T("P11"), false},

    /* email */
    {"the shortest", "email", T("a@b"), true},
    {"all of atext", "email", T("!#$%&'*+-/=?^_`{|}~@b.c"), true},
    {"an empty quoted string", "email", T("\"\"@b.c"), true},
    {"a quoted quote", "email", T("\"a\\\"b\"@b.c"), true},
    {"a quoted backslash", "email", T("\"a\\\\\"@b.c"), true},
    {"a backslash before the last quote", "email", T("\"a\\\"@b.c"), false},
    {"a backslash at the end", "email", T("\"a\\"), false},
    {"a quote that does not close", "email", T("\"ab@b.c"), false},
    {"text behind the quote", "email", T("\"a\"b@b.c"), false},
    {"a dot behind the quote", "email", T("\"a\".b@b.c"), false},
    {"a quote in the middle", "email", T("a\"b\"@b.c"), false},
    {"a tab between quotes", "email", T("\"a\tb\"@b.c"), false},
    {"a quoted tab", "email", T("\"a\\\tb\"@b.c"), false},
    {"DEL between quotes", "email", T("\"a\x7F\"@b.c"), false},
    {"NUL between quotes", "email", T("\"a\0\"@b.c"), false},
    {"NUL in the local part", "email", T("a\0b@b.c"), false},
    {"NUL in the domain", "email", T("a@b\0.c"), false},
    {"a letter past ASCII", "email", T("\xC3\xBC@b.c"), false},
    {"a letter past ASCII between quotes", "email", T("\"\xC3\xBC\"@b.c"), false},
    {"a domain past ASCII", "email", T("a@\xC3\xBC.c"), false},
    {"an A-label", "email", T("a@xn--bcher-kva.example"), true},
    {"a broken A-label", "email", T("a@xn--x.example"), false},
    {"no local part", "email", T("@b.c"), false},
    {"nothing but the sign", "email", T("@"), false},
    {"no sign", "email", T("abc"), false},
    {"empty", "email", T(""), false},
    {"two signs", "email", T("a@b@c"), false},
    {"a local part of 64", "email", T(A64 "@b.c"), true},
    {"a local part of 65", "email", T(A64 "a@b.c"), false},
    {"an address of 254", "email", T(A64 "@" A63 "." A63 "." A60 "a"), true},
    {"an address of 255", "email", T(A64 "@" A63 "." A63 "." A60 "aa"), false},
    {"a domain that ends in a dot", "email", T("a@b.c."), false},
    {"a domain with a hyphen in front", "email", T("a@-b.c"), false},
    {"a comment", "email", T("a(b)@b.c"), false},
    {"angle brackets", "email", T("<a@b.c>"), false},
    {"an IPv4 literal with a leading zero", "email", T("a@[127.0.0.01]"), false},
    {"an IPv6 literal, lower case tag", "email", T("a@[ipv6:2001:db8::1]"), true},
    {"an IPv6 literal without its tag", "email", T("a@[2001:db8::1]"), false},
    {"an IPv6 literal with nothing", "email", T("a@[IPv6:]"), false},
    {"an IPv6 literal with a zone", "email", T("a@[IPv6:fe80::1%eth0]"), false},
    {"a tag that is not registered", "email", T("a@[IPv9:abc]"), false},
    {"an empty literal", "email", T("a@[]"), false},
    {"a literal that does not close", "email", T("a@[127.0.0.1"), false},
    {"a bracket alone", "email", T("a@["), false},
    {"text behind a literal", "email", T("a@[127.0.0.1]x"), false},

    /* idn-email */
    {"a domain in capitals past ASCII", "idn-email", T("a@\xC3\x9C.c"), false},
    {"marks that combine with nothing", "idn-email", T("a@\xCC\x81.c"), false},
    {"a quoted letter past ASCII", "idn-email", T("\"\\\xC3\xBC\"@b.c"), false},
    {"bytes that are not UTF-8", "idn-email", T("\xC3@b.c"), false},
    {"bytes that are not UTF-8, quoted", "idn-email", T("\"\xFF\"@b.c"), false},
    {"a domain that is not UTF-8", "idn-email", T("a@\xC3.c"), false},
    {"a dot at the end", "idn-email", T("\xC3\xBC.@b.c"), false},
    {"two dots", "idn-email", T("\xC3\xBC..\xC3\xBC@b.c"), false},
    {"a literal", "idn-email", T("\xC3\xBC@[IPv6:::1]"), true},
    {"64 octets, not letters", "idn-email", T(U56 "aaaaaaaa@b.c"), false},
    {"emoji before the sign", "idn-email", T("\xF0\x9F\x98\x80@b.c"), true},
    {"emoji behind it", "idn-email", T("a@\xF0\x9F\x98\x80.c"), false},
    {"the address does not end", "idn-email", T("\xC3\xBC"), false},

    /* hostname */
    {"one letter", "hostname", T("a"), true},
    {"one digit", "hostname", T("1"), true},
    {"capitals", "hostname", T("WWW.EXAMPLE.COM"), true},
    {"253 octets", "hostname", T(A63 "." A63 "." A63 "." A60 "a"), true},
    {"254 octets", "hostname", T(A63 "." A63 "." A63 "." A60 "aa"), false},
    {"a hyphen before the dot", "hostname", T("a-.b"), false},
    {"a hyphen behind the dot", "hostname", T("a.-b"), false},
    {"two dots", "hostname", T("a..b"), false},
    {"NUL inside", "hostname", T("a\0b"), false},
    {"NUL at the end", "hostname", T("ab\0"), false},
    {"a blank", "hostname", T("a b"), false},
    {"a slash", "hostname", T("a/b"), false},
    {"a port", "hostname", T("a:80"), false},
    {"an address in brackets", "hostname", T("[::1]"), false},
    {"reserved hyphens, not an A-label", "hostname", T("ab--cd"), true},
    {"an A-label in capitals", "hostname", T("XN--BCHER-KVA"), true},
    {"an A-label of nothing", "hostname", T("xn--"), false},
    {"an A-label of ASCII only", "hostname", T("xn--abc-"), false},
    {"an A-label that ends in a hyphen", "hostname", T("xn--bcher-kva-"), false},
    {"an A-label that overflows", "hostname", T("xn--99999999999"), false},
    {"an A-label of a surrogate", "hostname", T("xn--ib9b"), false},
    {"an A-label with one letter twice", "hostname", T("xn--bcher-kvaa"), true},
    {"an A-label of emoji", "hostname", T("xn--e28h"), false},
    {"an A-label of an unassigned code point", "hostname", T("xn--zva"), false},
    {"an A-label of capitals", "hostname", T("xn--pwacd"), false},
    {"an A-label that is not in normal form", "hostname", T("xn--e-xbb"), false},
    {"an A-label with hyphens in places 3 and 4", "hostname", T("xn--aa---3ra"), false},
    {"an A-label whose letters end in a hyphen", "hostname", T("xn----dha"), false},
    {"an A-label of 64 octets", "hostname", T("xn--" A60), false},
    {"an A-label of 63 octets", "hostname", T("xn--tda" A10 A10 A10 A10 A10 "aaaaaa"), true},
    {"a joiner without a virama", "hostname", T("xn--ab-m1t"), false},
    {"a joiner behind a virama", "hostname", T("xn--11b2ezcw70k"), true},
    {"sharp s is a letter of its own", "hostname", T("xn--strae-oqa"), true},
    {"Hebrew and a label of letters", "hostname", T("abc.xn--4db"), true},
    {"Hebrew and a label of digits", "hostname", T("123.xn--4db"), false},
    {"Hebrew and a label that ends in a digit", "hostname", T("a1.xn--4db"), true},
    {"Hebrew, then a digit", "hostname", T("xn--0-zhc"), true},
    {"Hebrew, then Latin", "hostname", T("xn--b-zhc"), false},
    {"Hebrew with a point", "hostname", T("xn--7cb7d"), true},
    {"both kinds of digits", "hostname", T("xn--0-zhc64b"), false},
    {"Arabic digits first", "hostname", T("xn--ngb7i"), false},
    {"Arabic digits last", "hostname", T("xn--ngb6i"), true},
    {"Arabic digits alone", "hostname", T("xn--8hb"), false},
    {"a wide dot", "hostname",
     T("a\xE3\x80\x82"
       "b"),
     false},

    /* idn-hostname */
    {"plain", "idn-hostname", T("www.example.com"), true},
    {"capitals in ASCII", "idn-hostname", T("WWW.Example.com"), true},
    {"capitals past ASCII", "idn-hostname",
     T("B\xC3\x9C"
       "cher"),
     false},
    {"a capital next to a letter past ASCII", "idn-hostname",
     T("B\xC3\xBC"
       "cher"),
     false},
    {"lower case", "idn-hostname",
     T("b\xC3\xBC"
       "cher.example"),
     true},
    {"not in normal form", "idn-hostname", T("e\xCC\x81"), false},
    {"the same in normal form", "idn-hostname", T("\xC3\xA9"), true},
    {"fullwidth letters", "idn-hostname", T("\xEF\xBD\x81"), false},
    {"emoji", "idn-hostname", T("\xF0\x9F\x98\x80"), false},
    {"an underscore", "idn-hostname", T("\xC3\xBC_a"), false},
    {"a blank", "idn-hostname", T("\xC3\xBC a"), false},
    {"NUL", "idn-hostname", T("\xC3\xBC\0"), false},
    {"bytes that are not UTF-8", "idn-hostname", T("a\xC3"), false},
    {"a hyphen in front", "idn-hostname", T("-\xC3\xBC"), false},
    {"a hyphen at the end", "idn-hostname", T("\xC3\xBC-"), false},
    {"57 letters make 63 octets", "idn-hostname", T(U56 "\xC3\xBC"), true},
    {"58 letters make 64", "idn-hostname", T(U56 "\xC3\xBC\xC3\xBC"), false},
    {"two middle dots", "idn-hostname", T("l\xC2\xB7l\xC2\xB7l"), true},
    {"Hebrew, then ASCII letters", "idn-hostname", T("\xD7\x90.com"), true},
    {"Hebrew, then ASCII digits", "idn-hostname", T("\xD7\x90.1"), false},
    {"Hebrew, then a letter and a hyphen inside", "idn-hostname", T("\xD7\x90.a-b"), true},
    {"Latin, a mark at the end", "idn-hostname", T("\xD7\x90.x\xCC\xA3\xCC\x84"), true},
    {"255 octets in ASCII form", "idn-hostname", T(U56 "." U56 "." U56 "." U56 "." U56), false},
    {"dots of each kind", "idn-hostname",
     T("a.b\xE3\x80\x82"
       "c\xEF\xBC\x8E"
       "d\xEF\xBD\xA1"
       "e"),
     true},
    {"a wide dot that is cut", "idn-hostname", T("a\xE3\x80"), false},

    /* ipv4 */
    {"leading zeros", "ipv4", T("1.2.3.04"), false},
    {"two zeros", "ipv4", T("0.0.0.00"), false},
    {"four digits", "ipv4", T("1000.1.1.1"), false},
    {"the longest", "ipv4", T("255.255.255.255"), true},
    {"256", "ipv4", T("1.2.256.4"), false},
    {"NUL at the end", "ipv4", T("1.2.3.4\0"), false},
    {"dots only", "ipv4", T("..."), false},

    /* ipv6 */
    {"capitals", "ipv6", T("2001:DB8::ABCD"), true},
    {"one group left out", "ipv6", T("1:2:3:4:5:6:7::"), true},
    {"one group left out in front", "ipv6", T("::2:3:4:5:6:7:8"), true},
    {"nothing left out", "ipv6", T("1:2:3:4::5:6:7:8"), false},
    {"nine groups", "ipv6", T("1:2:3:4:5:6:7:8:9"), false},
    {"nothing left out at the end", "ipv6", T("1:2:3:4:5:6:7:8::"), false},
    {"four zeros", "ipv6", T("0000::0000"), true},
    {"five zeros", "ipv6", T("00000::"), false},
    {"six groups and a quad", "ipv6", T("1:2:3:4:5:6:1.2.3.4"), true},
    {"five groups and a quad", "ipv6", T("1:2:3:4:5:1.2.3.4"), false},
    {"six groups, a gap and a quad", "ipv6", T("1:2:3:4:5:6::1.2.3.4"), false},
    {"five groups, a gap and a quad", "ipv6", T("1:2:3:4:5::1.2.3.4"), true},
    {"a quad in front", "ipv6", T("1.2.3.4::"), false},
    {"a quad, then a group", "ipv6", T("::1.2.3.4:5"), false},
    {"a quad alone behind the gap", "ipv6", T("::1.2.3.4"), true},
    {"a quad that is a hexadecimal number", "ipv6", T("::a.2.3.4"), false},
    {"a zone", "ipv6", T("fe80::1%25eth0"), false},
    {"a zone of digits", "ipv6", T("fe80::1%1"), false},
    {"one colon", "ipv6", T(":"), false},
    {"three colons", "ipv6", T(":::"), false},
    {"four colons", "ipv6", T("::::"), false},
    {"a colon at the end", "ipv6", T("1:2:3:4:5:6:7:8:"), false},
    {"empty", "ipv6", T(""), false},
    {"NUL at the end", "ipv6", T("::1\0"), false},

    /* uuid */
    {"braces", "uuid", T("{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"), false},
    {"all ones", "uuid", T("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"), true},
    {"a dash for a digit", "uuid", T("-eb8aa08-aa98-11ea-b4aa-73b441d16380"), false},
    {"empty", "uuid", T(""), false},
    {"NUL for a digit", "uuid", T("2eb8aa08-aa98-11ea-b4aa-73b441d1638\0"), false},

    /* json-pointer and relative-json-pointer */
    {"an escape at the end", "json-pointer", T("/a~1"), true},
    {"a tilde, then NUL", "json-pointer", T("/a~\0"), false},
    {"a blank in front", "json-pointer", T(" /a"), false},
    {"zero", "relative-json-pointer", T("0"), true},
    {"a long number", "relative-json-pointer", T("99999999999999999999999999/a"), true},
    {"zeros in front", "relative-json-pointer", T("00"), false},
    {"only a sign", "relative-json-pointer", T("#"), false},
    {"text behind the sign", "relative-json-pointer", T("0#a"), false},
    {"a move forward", "relative-json-pointer", T("0+1/a"), true},
    {"a move back, the index", "relative-json-pointer", T("2-10#"), true},
    {"a move of nothing", "relative-json-pointer", T("0+0"), false},
    {"a move with a zero in front", "relative-json-pointer", T("0+01"), false},
    {"a move without a number", "relative-json-pointer", T("0+"), false},
    {"two moves", "relative-json-pointer", T("0+1-1"), false},

    /* uri-template */
    {"a reserved operator", "uri-template", T("{!a}"), true},
    {"two operators", "uri-template", T("{+?a}"), false},
    {"an operator alone", "uri-template", T("{+}"), false},
    {"an operator at the end", "uri-template", T("{+"), false},
    {"a brace at the end", "uri-template", T("a{"), false},
    {"braces in braces", "uri-template", T("{a{b}}"), false},
    {"a dot in front of a name", "uri-template", T("{..a}"), false},
    {"a dot behind a name", "uri-template", T("{a.}"), false},
    {"a hyphen in a name", "uri-template", T("{a-b}"), false},
    {"a blank in a name", "uri-template", T("{a b}"), false},
    {"a letter past ASCII in a name", "uri-template", T("{\xC3\xBC}"), false},
    {"a broken escape in a name", "uri-template", T("{%4}"), false},
    {"an escape inside a name", "uri-template", T("{a%20b}"), true},
    {"two modifiers", "uri-template", T("{a:1*}"), false},
    {"a prefix without a number", "uri-template", T("{a:}"), false},
    {"modifiers and names", "uri-template", T("{?a:1,b*,c}"), true},
    {"a modifier at the end", "uri-template", T("{a*"), false},
    {"a broken escape", "uri-template", T("a%4"), false},
    {"an escape that is not hexadecimal", "uri-template", T("a%4g"), false},
    {"private use", "uri-template", T("\xEE\x80\x80"), true},
    {"a noncharacter", "uri-template", T("\xEF\xBF\xBF"), false},
    {"bytes that are not UTF-8", "uri-template", T("a\xFF"), false},
    {"NUL", "uri-template", T("a\0"), false},
    {"NUL in braces", "uri-template", T("{\0}"), false},
    {"a quote", "uri-template", T("\""), false},
    {"angle brackets", "uri-template", T("<a>"), false},
    {"a pipe", "uri-template", T("a|b"), false},
    {"a caret", "uri-template", T("a^b"), false},
    {"brackets", "uri-template", T("[a]"), true},

    /* uri and its relatives; their grammar has tests of its own in test_uri.c */
    {"a scheme alone", "uri", T("a:"), true},
    {"a zone in an address", "uri", T("http://[fe80::1%25eth0]/"), false},
    {"no scheme", "uri", T("a/b"), false},
    {"no scheme in a reference", "uri-reference", T("a/b"), true},
    {"letters past ASCII", "uri", T("a:\xC3\xBC"), false},
    {"letters past ASCII in an IRI", "iri", T("a:\xC3\xBC"), true},
    {"no scheme in an IRI", "iri", T("\xC3\xBC"), false},
    {"no scheme in an IRI reference", "iri-reference", T("\xC3\xBC"), true},
};

static fer_code attempt(fer_arena *a, const void *p)
{
    const struct row *row = p;
    const fer_text_format *f = fer_text_format_find(fer_str_of(row->format), FER_DRAFT_V1);
    assert_non_null(f);
    int good = f->check(a, row->text);
    if (good < 0) return fer_arena_code(a);
    assert_int_equal(good, row->valid);
    return FER_OK;
}

/* The text lies in memory of exactly its size, so that a read past its end is seen. */
static void run_row(const struct row *row)
{
    struct row copy = *row;
    char *text = malloc(row->text.len ? row->text.len : 1);
    assert_non_null(text);
    memcpy(text, row->text.ptr, row->text.len);
    copy.text.ptr = text;
    rows_torture_arena(attempt, &copy);
    copy.text.ptr = row->text.len ? text : NULL;
    rows_torture_arena(attempt, &copy);
    free(text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void the_table_is_in_order(void)
{
    size_t count;
    const fer_text_format *f = fer_text_formats(&count);
    assert_true(count >= 19);
    for (size_t i = 0; i < count; i++) {
        assert_true(f[i].from <= f[i].to && f[i].check && f[i].expected[0]);
        assert_ptr_equal(fer_text_format_find(fer_str_of(f[i].name), f[i].from), &f[i]);
        assert_ptr_equal(fer_text_format_find(fer_str_of(f[i].name), f[i].to), &f[i]);
        if (i == 0) continue;
        int order = strcmp(f[i - 1].name, f[i].name);
        assert_true(order < 0 || (order == 0 && f[i - 1].to < f[i].from));
    }
}

/* Each `expected` holds an example; a message that misleads is worse than none. */
static const struct example_row {
    const char *name;
    const char *example;
} example_rows[] = {
    {"date", "2026-11-16"},
    {"date-time", "2026-11-16T09:30:00Z"},
    {"duration", "P3DT12H30M"},
    {"duration", "P2W"},
    {"email", "user@example.com"},
    {"hostname", "www.example.com"},
    {"idn-email", "user@example.com"},
    {"idn-hostname", "www.example.com"},
    {"ipv4", "192.0.2.1"},
    {"ipv6", "2001:db8::1"},
    {"iri", "https://example.com/path"},
    {"iri-reference", "../path#part"},
    {"json-pointer", "/items/0/name"},
    {"relative-json-pointer", "1/name"},
    {"relative-json-pointer", "0-1/name"},
    {"relative-json-pointer", "0#"},
    {"time", "09:30:00Z"},
    {"time", "09:30:00+01:00"},
    {"uri", "https://example.com/path"},
    {"uri-reference", "../path#part"},
    {"uri-template", "https://example.com/users/{id}"},
    {"uuid", "123e4567-e89b-12d3-a456-426614174000"},
};

static void run_example(const struct example_row *row)
{
    const fer_text_format *f = fer_text_format_find(fer_str_of(row->name), FER_DRAFT_V1);
    assert_non_null(f);
    assert_non_null(strstr(f->expected, row->example));
    assert_int_equal(f->check(NULL, fer_str_of(row->example)), 1);
}

static const struct draft_row {
    const char *name;
    unsigned from;
} draft_rows[] = {
    {"date-time", 4},     {"email", 4},        {"hostname", 4},
    {"ipv4", 4},          {"ipv6", 4},         {"uri", 4},
    {"uri-reference", 6}, {"uri-template", 6}, {"json-pointer", 6},
    {"date", 7},          {"time", 7},         {"idn-email", 7},
    {"idn-hostname", 7},  {"iri", 7},          {"iri-reference", 7},
    {"duration", 2019},   {"uuid", 2019},      {"relative-json-pointer", 7},
};

static void run_draft(const struct draft_row *row)
{
    static const unsigned drafts[] = {4, 6, 7, 2019, 2020, FER_DRAFT_V1};
    for (size_t i = 0; i < FER_COUNT(drafts); i++) {
        bool known = fer_text_format_find(fer_str_of(row->name), drafts[i]) != NULL;
        assert_int_equal(known, drafts[i] >= row->from);
    }
}

static void unknown_names_are_not_found(void)
{
    assert_null(fer_text_format_find(FER_STR_NONE, 2020));
    assert_null(fer_text_format_find(FER_STR("Date"), 2020));
    assert_null(fer_text_format_find(FER_STR("date\0"), 2020));
    assert_null(fer_text_format_find(FER_STR("date"), 3));
    assert_null(fer_text_format_find(FER_STR("color"), 4));
}

/* Moves among items came with draft 2020-12. */
static void relative_pointers_by_draft(void)
{
    fer_str name = FER_STR("relative-json-pointer"), text = FER_STR("0+1/a");
    assert_int_equal(fer_text_format_find(name, 7)->check(NULL, text), 0);
    assert_int_equal(fer_text_format_find(name, 2019)->check(NULL, text), 0);
    assert_int_equal(fer_text_format_find(name, 2020)->check(NULL, text), 1);
    assert_int_equal(fer_text_format_find(name, 7)->check(NULL, FER_STR("0/a")), 1);
}

/* ---- long texts ----------------------------------------------------------------------------- */

#define MEGABYTE ((size_t)1 << 20)

/* A head, a piece repeated to one megabyte, a tail. */
static const struct long_row {
    const char *name;
    const char *head;
    const char *piece;
    const char *tail;
} long_rows[] = {
    {"letters", "", "a", ""},
    {"digits", "", "1", ""},
    {"zeros", "0", "0", ""},
    {"dots", "", ".", ""},
    {"colons", "", ":", ""},
    {"groups", "", "1:", ""},
    {"labels", "", "a.", "a"},
    {"wide labels", "", "\xC3\xBC.", "a"},
    {"wide letters", "", "\xC3\xBC", ""},
    {"marks", "a", "\xCC\x81\xCC\xA3", ""},
    {"joiners", "\xD8\xA8", "\xE2\x80\x8C", "\xD8\xA8"},
    {"middle dots", "", "\xE3\x83\xBB", ""},
    {"Hebrew", "", "\xD7\x90", ""},
    {"one long A-label", "xn--", "a", ""},
    {"A-labels", "", "xn--4db.", "a"},
    {"a long local part", "", "a.", "a@b"},
    {"a long quoted local part", "\"", "\\\"", "\"@b"},
    {"a long fraction", "2024-01-01T12:00:00.", "9", "Z"},
    {"a long fraction of a time", "12:00:00.", "9", "Z"},
    {"long units", "P", "1", "Y"},
    {"many units", "P", "1Y", ""},
    {"weeks", "P", "1W", "W"},
    {"path segments", "a:", "/..", "/"},
    {"escapes", "a:", "%41", ""},
    {"broken at the end", "a:", "%41", "%4"},
    {"signs", "a://", "@", ""},
    {"brackets", "a://", "[", "]"},
    {"opening braces", "", "{", ""},
    {"expressions", "", "{a}", ""},
    {"names", "{a", ",a", "}"},
    {"dotted names", "{a", ".a", "}"},
    {"tildes", "/", "~0", "~"},
    {"steps", "", "/a", ""},
    {"hash signs", "0", "#", ""},
    {"NULs", "", NULL, ""},
    {"bytes that are not UTF-8", "", "\xFF", ""},
};

static void run_long(const struct long_row *row)
{
    size_t count, head = strlen(row->head), piece = row->piece ? strlen(row->piece) : 1;
    size_t tail = strlen(row->tail), len = head;
    char *text = malloc(head + MEGABYTE + piece + tail);
    const fer_text_format *f = fer_text_formats(&count);
    fer_arena *a = fer_arena_new(4 * MEGABYTE);
    assert_non_null(text);
    assert_non_null(a);
    memcpy(text, row->head, head);
    for (; len < MEGABYTE; len += piece) memcpy(text + len, row->piece ? row->piece : "", piece);
    memcpy(text + len, row->tail, tail);
    len += tail;
    rows_must_end(20);
    for (size_t i = 0; i < count; i++) {
        int good = f[i].check(a, (fer_str){text, len});
        assert_true(good == 0 || good == 1);
        fer_arena_reset(a);
    }
    rows_must_end(0);
    fer_arena_free(a);
    free(text);
}

int main(void)
{
    return ROWS_RUN("formats", rows, run_row) +
           ROWS_RUN("formats, examples", example_rows, run_example) +
           ROWS_RUN("formats, drafts", draft_rows, run_draft) +
           ROWS_RUN("formats, long texts", long_rows, run_long) +
           ROWS_ONE("formats", the_table_is_in_order) +
           ROWS_ONE("formats", unknown_names_are_not_found) +
           ROWS_ONE("formats", relative_pointers_by_draft);
}
