/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URIs: splitting, resolution (all examples of RFC 3986 5.4 and what they leave out), the
 * syntax of URIs and IRIs, and escapes.
 */
#include "rows.h"

#include <stdlib.h>

#include "uri.h"

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* ---- split ---------------------------------------------------------------------------------- */

/* A part that is not there is NULL. */
static const struct split_row {
    const char *name;
    fer_str text;
    const char *scheme, *authority, *path, *query, *fragment;
} split_rows[] = {
    {"nothing", {NULL, 0}, NULL, NULL, "", NULL, NULL},
    {"empty", T(""), NULL, NULL, "", NULL, NULL},
    {"RFC 3986 appendix B", T("http://www.ics.uci.edu/pub/ietf/uri/#Related"), "http",
     "www.ics.uci.edu", "/pub/ietf/uri/", NULL, "Related"},
    {"all parts", T("foo://example.com:8042/over/there?name=ferret#nose"), "foo",
     "example.com:8042", "/over/there", "name=ferret", "nose"},
    {"a urn", T("urn:example:animal:ferret:nose"), "urn", NULL, "example:animal:ferret:nose", NULL,
     NULL},
    {"a scheme alone", T("a:"), "a", NULL, "", NULL, NULL},
    {"a colon alone", T(":"), NULL, NULL, ":", NULL, NULL},
    {"a colon in front", T(":a"), NULL, NULL, ":a", NULL, NULL},
    {"a colon behind a slash", T("a/b:c"), NULL, NULL, "a/b:c", NULL, NULL},
    {"a colon behind a question mark", T("a?b:c"), NULL, NULL, "a", "b:c", NULL},
    {"a colon behind a hash sign", T("a#b:c"), NULL, NULL, "a", NULL, "b:c"},
    {"leniently, any scheme", T("1 2:b"), "1 2", NULL, "b", NULL, NULL},
    {"two slashes", T("//"), NULL, "", "", NULL, NULL},
    {"three slashes", T("///"), NULL, "", "/", NULL, NULL},
    {"an authority", T("//a"), NULL, "a", "", NULL, NULL},
    {"an authority and a query", T("//a?b"), NULL, "a", "", "b", NULL},
    {"an authority and a fragment", T("//a#b"), NULL, "a", "", NULL, "b"},
    {"one slash", T("/"), NULL, NULL, "/", NULL, NULL},
    {"an empty query", T("?"), NULL, NULL, "", "", NULL},
    {"an empty fragment", T("#"), NULL, NULL, "", NULL, ""},
    {"both empty", T("?#"), NULL, NULL, "", "", ""},
    {"a hash sign first", T("#?"), NULL, NULL, "", NULL, "?"},
    {"two question marks", T("?a?b"), NULL, NULL, "", "a?b", NULL},
    {"two hash signs", T("#a#b"), NULL, NULL, "", NULL, "a#b"},
    {"NUL is a byte like others", T("a\0b:/c"), "a", NULL, "/c", NULL, NULL},
    {"a scheme and an authority", T("a://"), "a", "", "", NULL, NULL},
};

static void assert_part(bool has, fer_str part, const char *expected)
{
    assert_int_equal(has, expected != NULL);
    /* "a\0b" is told by its beginning; its length is seen when the parts are joined. */
    if (expected) assert_true(fer_str_starts(part, expected));
    else assert_int_equal(part.len, 0);
}

static void run_split(const struct split_row *row)
{
    fer_uri uri;
    fer_uri_split(row->text, &uri);
    assert_part(uri.has_scheme, uri.scheme, row->scheme);
    assert_part(uri.has_authority, uri.authority, row->authority);
    assert_part(true, uri.path, row->path);
    assert_part(uri.has_query, uri.query, row->query);
    assert_part(uri.has_fragment, uri.fragment, row->fragment);
    /* Joined they are the text again. */
    char storage[256];
    fer_buf b;
    fer_buf_init_fixed(&b, storage, sizeof storage);
    fer_buf_add(&b, uri.scheme);
    if (uri.has_scheme) fer_buf_add_char(&b, ':');
    if (uri.has_authority) fer_buf_add_text(&b, "//");
    fer_buf_add(&b, uri.authority);
    fer_buf_add(&b, uri.path);
    if (uri.has_query) fer_buf_add_char(&b, '?');
    fer_buf_add(&b, uri.query);
    if (uri.has_fragment) fer_buf_add_char(&b, '#');
    fer_buf_add(&b, uri.fragment);
    assert_true(fer_str_eq(fer_buf_view(&b), row->text));
}

/* ---- resolve --------------------------------------------------------------------------------- */

#define RFC_BASE "http://a/b/c/d;p?q"

static const struct resolve_row {
    const char *name;
    const char *base;
    const char *reference;
    const char *result;
} resolve_rows[] = {
    /* RFC 3986 5.4.1 */
    {"normal 1", RFC_BASE, "g:h", "g:h"},
    {"normal 2", RFC_BASE, "g", "http://a/b/c/g"},
    {"normal 3", RFC_BASE, "./g", "http://a/b/c/g"},
    {"normal 4", RFC_BASE, "g/", "http://a/b/c/g/"},
    {"normal 5", RFC_BASE, "/g", "http://a/g"},
    {"normal 6", RFC_BASE, "//g", "http://g"},
    {"normal 7", RFC_BASE, "?y", "http://a/b/c/d;p?y"},
    {"normal 8", RFC_BASE, "g?y", "http://a/b/c/g?y"},
    {"normal 9", RFC_BASE, "#s", "http://a/b/c/d;p?q#s"},
    {"normal 10", RFC_BASE, "g#s", "http://a/b/c/g#s"},
    {"normal 11", RFC_BASE, "g?y#s", "http://a/b/c/g?y#s"},
    {"normal 12", RFC_BASE, ";x", "http://a/b/c/;x"},
    {"normal 13", RFC_BASE, "g;x", "http://a/b/c/g;x"},
    {"normal 14", RFC_BASE, "g;x?y#s", "http://a/b/c/g;x?y#s"},
    {"normal 15", RFC_BASE, "", "http://a/b/c/d;p?q"},
    {"normal 16", RFC_BASE, ".", "http://a/b/c/"},
    {"normal 17", RFC_BASE, "./", "http://a/b/c/"},
    {"normal 18", RFC_BASE, "..", "http://a/b/"},
    {"normal 19", RFC_BASE, "../", "http://a/b/"},
    {"normal 20", RFC_BASE, "../g", "http://a/b/g"},
    {"normal 21", RFC_BASE, "../..", "http://a/"},
    {"normal 22", RFC_BASE, "../../", "http://a/"},
    {"normal 23", RFC_BASE, "../../g", "http://a/g"},
    /* RFC 3986 5.4.2 */
    {"abnormal 1", RFC_BASE, "../../../g", "http://a/g"},
    {"abnormal 2", RFC_BASE, "../../../../g", "http://a/g"},
    {"abnormal 3", RFC_BASE, "/./g", "http://a/g"},
    {"abnormal 4", RFC_BASE, "/../g", "http://a/g"},
    {"abnormal 5", RFC_BASE, "g.", "http://a/b/c/g."},
    {"abnormal 6", RFC_BASE, ".g", "http://a/b/c/.g"},
    {"abnormal 7", RFC_BASE, "g..", "http://a/b/c/g.."},
    {"abnormal 8", RFC_BASE, "..g", "http://a/b/c/..g"},
    {"abnormal 9", RFC_BASE, "./../g", "http://a/b/g"},
    {"abnormal 10", RFC_BASE, "./g/.", "http://a/b/c/g/"},
    {"abnormal 11", RFC_BASE, "g/./h", "http://a/b/c/g/h"},
    {"abnormal 12", RFC_BASE, "g/../h", "http://a/b/c/h"},
    {"abnormal 13", RFC_BASE, "g;x=1/./y", "http://a/b/c/g;x=1/y"},
    {"abnormal 14", RFC_BASE, "g;x=1/../y", "http://a/b/c/y"},
    {"abnormal 15", RFC_BASE, "g?y/./x", "http://a/b/c/g?y/./x"},
    {"abnormal 16", RFC_BASE, "g?y/../x", "http://a/b/c/g?y/../x"},
    {"abnormal 17", RFC_BASE, "g#s/./x", "http://a/b/c/g#s/./x"},
    {"abnormal 18", RFC_BASE, "g#s/../x", "http://a/b/c/g#s/../x"},
    {"abnormal 19, strict", RFC_BASE, "http:g", "http:g"},

    /* RFC 3986 5.2.4 */
    {"the example of dot segments", "x:/a/b/c/./../../g", "#", "x:/a/b/c/./../../g#"},
    {"the example of dot segments, resolved", "", "x:/a/b/c/./../../g", "x:/a/g"},
    {"the other example, resolved", "", "x:mid/content=5/../6", "x:mid/6"},
    {"a path of one dot", "", "x:.", "x:"},
    {"a path of two dots", "", "x:..", "x:"},
    {"dots in front", "", "x:.././../a", "x:a"},
    {"only dots", "http://a", "/././../..", "http://a/"},
    {"an empty segment stays", RFC_BASE, "g//h", "http://a/b/c/g//h"},
    {"an empty segment is a segment", RFC_BASE, "g//../h", "http://a/b/c/g/h"},

    /* What JSON Schema does with $id and $ref. */
    {"a fragment of the base is dropped", "http://a/b#c", "#d", "http://a/b#d"},
    {"a fragment of the base is dropped, empty reference", "http://a/b#c", "", "http://a/b"},
    {"an empty fragment stays", "http://a/b", "#", "http://a/b#"},
    {"a file name", "http://a/schemas/one.json", "two.json", "http://a/schemas/two.json"},
    {"an authority without a path", "http://a", "b", "http://a/b"},
    {"an authority without a path, a query", "http://a?x", "?y", "http://a?y"},
    {"another authority", "http://a/b", "//c/d/../e", "http://c/e"},
    {"another scheme", "http://a/b", "urn:x:y", "urn:x:y"},
    {"urn and fragment", "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed", "#/$defs/a",
     "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed#/$defs/a"},
    {"urn and query", "urn:example:a?+b", "#c", "urn:example:a?+b#c"},
    {"urn and a name, by the rules", "urn:example:root", "bar", "urn:bar"},
    {"tag and fragment", "tag:example.com,2020:a/b", "#c", "tag:example.com,2020:a/b#c"},
    {"tag and a name", "tag:example.com,2020:a/b", "c", "tag:example.com,2020:a/c"},
    {"file", "file:///a/b.json", "c.json#d", "file:///a/c.json#d"},

    /* Without a base, or with a relative one. */
    {"nothing at all", "", "", ""},
    {"no base, relative", "", "../a/./b#c", "../a/./b#c"},
    {"no base, absolute", "", "http://a/b/../c#d", "http://a/c#d"},
    {"no base, fragment", "", "#a", "#a"},
    {"a relative base", "a/b", "c", "a/c"},
    {"a relative base, fragment", "a/b", "#c", "a/b#c"},
    {"a relative base, up", "a/b", "../c", "/c"},
    {"a base of a fragment", "#a", "", ""},
    {"a base of a fragment, a name", "#a", "b", "b"},
    {"a base of an authority", "//a/b", "c", "//a/c"},

    /* A path is not read as something else. */
    {"not an authority", "a:/b", ".//c", "a:/.//c"},
    {"not an authority, again", "a:/b", "a:/.//c", "a:/.//c"},
    {"slashes behind an authority", "a://b/", ".//c", "a://b//c"},
    {"not a scheme", "a", "./b:c", "./b:c"},
    {"not a scheme, behind a slash", "a/", "./b:c", "a/b:c"},
};

static fer_code attempt_resolve(fer_arena *a, const void *p)
{
    const struct resolve_row *row = p;
    fer_str got = fer_uri_resolve(a, fer_str_of(row->base), fer_str_of(row->reference));
    if (!got.ptr) return fer_arena_code(a);
    assert_str(got, row->result);
    fer_uri uri;
    fer_uri_split(got, &uri);
    if (!uri.has_scheme) return FER_OK;
    /* What is absolute stays as it is. */
    got = fer_uri_resolve(a, fer_str_of(row->base), got);
    if (!got.ptr) return fer_arena_code(a);
    /* A base is not normalized, so only results without its dots are final. */
    if (!strstr(row->base, "/./")) assert_str(got, row->result);
    return FER_OK;
}

static void run_resolve(const struct resolve_row *row)
{
    size_t faults = rows_torture_arena(attempt_resolve, row);
    /* The smallest budget is 16 bytes. */
    if (strlen(row->result) >= 16) assert_true(faults > 0);
}

/* ---- syntax -----------------------------------------------------------------------------------
 */

enum kind {
    NO,      /* nothing of the four */
    IRI_REF, /* only an IRI reference */
    IRI,     /* and an IRI */
    URI_REF, /* a URI reference, and so an IRI reference */
    URI      /* all of them */
};

static const struct syntax_row {
    const char *name;
    fer_str text;
    enum kind kind;
} syntax_rows[] = {
    /* RFC 3986 1.1.2 */
    {"ftp", T("ftp://ftp.is.co.za/rfc/rfc1808.txt"), URI},
    {"ldap", T("ldap://[2001:db8::7]/c=GB?objectClass?one"), URI},
    {"mailto", T("mailto:John.Doe@example.com"), URI},
    {"news", T("news:comp.infosystems.www.servers.unix"), URI},
    {"tel", T("tel:+1-816-555-1212"), URI},
    {"telnet", T("telnet://192.0.2.16:80/"), URI},
    {"urn", T("urn:oasis:names:specification:docbook:dtd:xml:4.1.2"), URI},

    {"empty", T(""), URI_REF},
    {"a scheme alone", T("a:"), URI},
    {"a scheme of all characters", T("aZ9+-.:"), URI},
    {"a scheme with a digit in front", T("9a:"), NO},
    {"a scheme with an underscore", T("a_b:"), NO},
    {"a scheme past ASCII", T("\xC3\xBC:"), NO},
    {"a colon in front", T(":a"), NO},
    {"a colon in a later segment", T("a/:b"), URI_REF},
    {"all of pchar", T("/-._~!$&'()*+,;=:@%20"), URI_REF},
    {"all of a query", T("?-._~!$&'()*+,;=:@%20/?"), URI_REF},
    {"all of a fragment", T("#-._~!$&'()*+,;=:@%20/?"), URI_REF},
    {"a hash sign in a fragment", T("#a#b"), NO},
    {"brackets in a query", T("?a[]"), NO},
    {"brackets in a fragment", T("#[a]"), NO},
    {"a blank", T("a b"), NO},
    {"a tab", T("a\tb"), NO},
    {"NUL", T("a\0b"), NO},
    {"NUL at the end", T("a:b\0"), NO},
    {"DEL", T("a\x7F"), NO},
    {"a broken escape at the end", T("%"), NO},
    {"half an escape", T("%4"), NO},
    {"an escape that is not hexadecimal", T("%4G"), NO},
    {"an escape in a scheme", T("a%41:b"), NO},
    {"an escape of NUL", T("%00"), URI_REF},

    {"an empty authority", T("file:///etc"), URI},
    {"an empty host and a port", T("a://:80"), URI},
    {"an empty port", T("a://b:"), URI},
    {"a long port", T("a://b:99999999999999999999"), URI},
    {"two ports", T("a://b:1:2"), NO},
    {"a port with a sign", T("a://b:+1"), NO},
    {"user information", T("a://b:c:d@e"), URI},
    {"empty user information", T("a://@b"), URI},
    {"user information with an escape", T("a://%40@b"), URI},
    {"user information with a slash", T("a://b/c@d"), URI},
    {"user information with brackets", T("a://[b]@c"), NO},
    {"a host with an escape", T("a://%41"), URI},
    {"a host with a broken escape", T("a://%4"), NO},
    {"a host with a blank", T("a:// "), NO},
    {"an address", T("a://[::1]"), URI},
    {"an address and a port", T("a://[::1]:80/"), URI},
    {"an address and an empty port", T("a://[::1]:"), URI},
    {"an address and text", T("a://[::1]b"), NO},
    {"an address that does not close", T("a://[::1"), NO},
    {"an empty address", T("a://[]"), NO},
    {"an IPv4 address in brackets", T("a://[1.2.3.4]"), NO},
    {"an address with a zone", T("a://[fe80::1%25en1]"), NO},
    {"an address of the future", T("a://[v1F.a:b!]"), URI},
    {"a future without a version", T("a://[v.a]"), NO},
    {"a future without an address", T("a://[v1.]"), NO},
    {"a future without a dot", T("a://[v1]"), NO},
    {"a future with an escape", T("a://[v1.%41]"), NO},
    {"a future past ASCII", T("a://[v1.\xC3\xBC]"), NO},

    /* RFC 3987 */
    {"an IRI", T("http://r\xC3\xA9sum\xC3\xA9.example.org"), IRI},
    {"an IRI reference", T("r\xC3\xA9sum\xC3\xA9"), IRI_REF},
    {"letters in each part", T("a://\xC3\xBC@\xC3\xBC/\xC3\xBC?\xC3\xBC#\xC3\xBC"), IRI},
    {"letters in a port", T("a://b:\xC3\xBC"), NO},
    {"the first ucschar", T("\xC2\xA0"), IRI_REF},
    {"a C1 control", T("\xC2\x9F"), NO},
    {"before the surrogates", T("\xED\x9F\xBF"), IRI_REF},
    {"private use in a path", T("\xEE\x80\x80"), NO},
    {"private use in a query", T("?\xEE\x80\x80"), IRI_REF},
    {"private use in a fragment", T("#\xEE\x80\x80"), NO},
    {"private use in a host", T("//\xEE\x80\x80"), NO},
    {"U+F900", T("\xEF\xA4\x80"), IRI_REF},
    {"U+FDCF", T("\xEF\xB7\x8F"), IRI_REF},
    {"U+FDD0, a noncharacter", T("\xEF\xB7\x90"), NO},
    {"U+FDF0", T("\xEF\xB7\xB0"), IRI_REF},
    {"U+FFEF", T("\xEF\xBF\xAF"), IRI_REF},
    {"U+FFF0", T("\xEF\xBF\xB0"), NO},
    {"U+FFFD", T("\xEF\xBF\xBD"), NO},
    {"U+10000", T("\xF0\x90\x80\x80"), IRI_REF},
    {"U+1FFFD", T("\xF0\x9F\xBF\xBD"), IRI_REF},
    {"U+1FFFE", T("\xF0\x9F\xBF\xBE"), NO},
    {"U+E0FFF", T("\xF3\xA0\xBF\xBF"), NO},
    {"U+E1000", T("\xF3\xA1\x80\x80"), IRI_REF},
    {"U+EFFFD", T("\xF3\xAF\xBF\xBD"), IRI_REF},
    {"U+F0000 in a query", T("?\xF3\xB0\x80\x80"), IRI_REF},
    {"U+10FFFD in a query", T("?\xF4\x8F\xBF\xBD"), IRI_REF},
    {"U+10FFFE in a query", T("?\xF4\x8F\xBF\xBE"), NO},
    {"left-to-right mark", T("a\xE2\x80\x8E"), NO},
    {"right-to-left override", T("a\xE2\x80\xAE"), NO},
    {"zero width joiner", T("a\xE2\x80\x8D"), IRI_REF},
    {"bytes that are not UTF-8", T("a\xC3"), NO},
    {"a surrogate", T("\xED\xA0\x80"), NO},
    {"an escape that is not UTF-8", T("%FF"), URI_REF},
};

static void run_syntax(const struct syntax_row *row)
{
    /* In memory of exactly its size. */
    char *copy = malloc(row->text.len ? row->text.len : 1);
    assert_non_null(copy);
    memcpy(copy, row->text.ptr, row->text.len);
    fer_str s = {copy, row->text.len};
    assert_int_equal(fer_uri_is(s), row->kind == URI);
    assert_int_equal(fer_uri_is_reference(s), row->kind == URI || row->kind == URI_REF);
    assert_int_equal(fer_iri_is(s), row->kind == URI || row->kind == IRI);
    assert_int_equal(fer_iri_is_reference(s), row->kind != NO);
    free(copy);
}

/* ---- escapes -----------------------------------------------------------------------------------
 */

static const struct decode_row {
    const char *name;
    fer_str text;
    fer_code code;
    fer_str result;
} decode_rows[] = {
    {"nothing", {NULL, 0}, FER_OK, T("")},
    {"no escape", T("abc"), FER_OK, T("abc")},
    {"one", T("a%20b"), FER_OK, T("a b")},
    {"both cases", T("%c3%BC"), FER_OK, T("\xC3\xBC")},
    {"NUL", T("%00"), FER_OK, T("\0")},
    {"not UTF-8", T("%ff"), FER_OK, T("\xFF")},
    {"a plus stays", T("a+b%2B"), FER_OK, T("a+b+")},
    {"once only", T("%2525"), FER_OK, T("%25")},
    {"a pointer", T("/a~1b%7E0/%25"), FER_OK, T("/a~1b~0/%")},
    {"a percent sign at the end", T("a%"), FER_INVALID_FORMAT, T("")},
    {"half an escape", T("a%4"), FER_INVALID_FORMAT, T("")},
    {"not hexadecimal", T("%4g"), FER_INVALID_FORMAT, T("")},
    {"not hexadecimal, first", T("%g4"), FER_INVALID_FORMAT, T("")},
    {"broken behind a good one", T("%41%"), FER_INVALID_FORMAT, T("")},
};

static fer_code attempt_decode(fer_arena *a, const void *p)
{
    const struct decode_row *row = p;
    fer_str out = FER_STR("untouched");
    fer_code code = fer_uri_decode(a, row->text, &out);
    if (code != FER_OK) assert_str(out, "untouched");
    if (code == FER_LIMIT_EXCEEDED || code == FER_OUT_OF_MEMORY) return code;
    assert_int_equal(code, row->code);
    if (code == FER_OK) assert_true(fer_str_eq(out, row->result));
    return FER_OK;
}

static void run_decode(const struct decode_row *row)
{
    size_t faults = rows_torture_arena(attempt_decode, row);
    bool escapes = fer_str_find(row->text, 0, '%') != SIZE_MAX;
    if (escapes && row->text.len > 16) assert_true(faults > 0);
}

static const struct fragment_row {
    const char *name;
    fer_str text;
    const char *result;
} fragment_rows[] = {
    {"nothing", {NULL, 0}, ""},
    {"a pointer", T("/$defs/a~1b/0"), "/$defs/a~1b/0"},
    {"all that stays", T("azAZ09-._~!$&'()*+,;=:@/?"), "azAZ09-._~!$&'()*+,;=:@/?"},
    {"a percent sign", T("100%"), "100%25"},
    {"a hash sign", T("#"), "%23"},
    {"a blank", T("a b"), "a%20b"},
    {"quotes and braces", T("\"{}"), "%22%7B%7D"},
    {"brackets", T("[]"), "%5B%5D"},
    {"a backslash, a caret, a pipe", T("\\^|`"), "%5C%5E%7C%60"},
    {"NUL and DEL", T("\0\x7F"), "%00%7F"},
    {"past ASCII", T("\xC3\xBC"), "%C3%BC"},
};

static void run_fragment(const struct fragment_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_str back;
    fer_buf_init(&b, a, 1000);
    fer_uri_add_fragment(&b, row->text);
    assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
    assert_str(fer_buf_view(&b), row->result);
    assert_int_equal(fer_uri_decode(a, fer_buf_view(&b), &back), FER_OK);
    assert_true(fer_str_eq(back, row->text));
    fer_arena_free(a);
}

static void every_byte_comes_back(void)
{
    char bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = (char)i;
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_str back;
    fer_buf_init(&b, a, 1000);
    fer_buf_add_char(&b, '#');
    fer_uri_add_fragment(&b, (fer_str){bytes, 256});
    assert_true(fer_uri_is_reference(fer_buf_view(&b)));
    fer_str fragment = fer_str_slice(fer_buf_view(&b), 1, b.len);
    assert_int_equal(fer_uri_decode(a, fragment, &back), FER_OK);
    assert_true(fer_str_eq(back, (fer_str){bytes, 256}));
    fer_arena_free(a);
}

/* ---- long texts -------------------------------------------------------------------------------
 */

static void long_paths_end(void)
{
    static const char *const pieces[] = {"/..", "../", "/.", "/a/..", "a/", "//", "/a", "%"};
    static char text[1u << 20];
    for (size_t i = 0; i < FER_COUNT(pieces); i++) {
        size_t piece = strlen(pieces[i]);
        for (size_t at = 0; at < sizeof text; at++) text[at] = pieces[i][at % piece];
        fer_arena *a = fer_arena_new(0);
        fer_str s = {text, sizeof text}, out = FER_STR_NONE;
        rows_must_end(20);
        assert_non_null(fer_uri_resolve(a, FER_STR("http://a/b/c"), s).ptr);
        assert_non_null(fer_uri_resolve(a, s, FER_STR("b")).ptr);
        assert_non_null(fer_uri_resolve(a, s, s).ptr);
        assert_int_equal(fer_uri_decode(a, s, &out) == FER_OK, pieces[i][0] != '%');
        rows_must_end(0);
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("uri split", split_rows, run_split) +
           ROWS_RUN("uri resolve", resolve_rows, run_resolve) +
           ROWS_RUN("uri syntax", syntax_rows, run_syntax) +
           ROWS_RUN("uri decode", decode_rows, run_decode) +
           ROWS_RUN("uri fragment", fragment_rows, run_fragment) +
           ROWS_ONE("uri", every_byte_comes_back) + ROWS_ONE("uri", long_paths_end);
}
