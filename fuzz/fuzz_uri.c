/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A base, a newline, a reference. What must hold: the parts of a split, joined, are the text;
 * a URI is an IRI and a reference, and an IRI without letters past ASCII is a URI; a valid
 * reference resolves against a valid base to a URI, with the fragment of the reference; a
 * result that is resolved again and again stays as it is; decoding undoes encoding, and what
 * was encoded is a fragment.
 */
#include "fuzz.h"
#include "uri.h"

static void check_split(fer_arena *a, fer_str s)
{
    fer_uri uri;
    fer_buf b;
    fer_uri_split(s, &uri);
    fer_buf_init(&b, a, s.len + 1);
    fer_buf_add(&b, uri.scheme);
    if (uri.has_scheme) fer_buf_add_char(&b, ':');
    if (uri.has_authority) fer_buf_add_text(&b, "//");
    fer_buf_add(&b, uri.authority);
    fer_buf_add(&b, uri.path);
    if (uri.has_query) fer_buf_add_char(&b, '?');
    fer_buf_add(&b, uri.query);
    if (uri.has_fragment) fer_buf_add_char(&b, '#');
    fer_buf_add(&b, uri.fragment);
    HOLDS(fer_buf_code(&b, NULL) == FER_OK);
    HOLDS(fer_str_eq(fer_buf_view(&b), s));
}

static void check_kinds(fer_str s)
{
    bool ascii = true;
    for (size_t i = 0; i < s.len; i++) ascii &= (unsigned char)s.ptr[i] < 0x80;
    HOLDS(!fer_uri_is(s) || (ascii && fer_iri_is(s) && fer_uri_is_reference(s)));
    HOLDS(!fer_uri_is_reference(s) || (ascii && fer_iri_is_reference(s)));
    HOLDS(!fer_iri_is(s) || fer_iri_is_reference(s));
    if (ascii) {
        HOLDS(fer_iri_is(s) == fer_uri_is(s));
        HOLDS(fer_iri_is_reference(s) == fer_uri_is_reference(s));
    }
}

static void check_resolve(fer_arena *a, fer_str base, fer_str reference)
{
    fer_uri got, wanted;
    fer_str once = fer_uri_resolve(a, base, reference);
    HOLDS(once.ptr);
    HOLDS(once.len <= base.len + reference.len + 2);
    fer_uri_split(reference, &wanted);
    fer_uri_split(once, &got);
    HOLDS(got.has_fragment == wanted.has_fragment && fer_str_eq(got.fragment, wanted.fragment));
    if (fer_uri_is(base) && fer_uri_is_reference(reference)) HOLDS(fer_uri_is(once));
    if (fer_iri_is(base) && fer_iri_is_reference(reference)) HOLDS(fer_iri_is(once));
    if (!got.has_scheme) return;
    /* A base's own dot segments stay where the reference has no path, and go the second time. */
    fer_str twice = fer_uri_resolve(a, base, once);
    fer_str thrice = fer_uri_resolve(a, base, twice);
    HOLDS(twice.ptr && thrice.ptr);
    if (wanted.has_scheme || wanted.has_authority || wanted.path.len)
        HOLDS(fer_str_eq(once, twice));
    HOLDS(fer_str_eq(twice, thrice));
}

static void check_escapes(fer_arena *a, fer_str s)
{
    fer_buf b;
    fer_str back;
    fer_code code = fer_uri_decode(a, s, &back);
    HOLDS(code == FER_OK || code == FER_INVALID_FORMAT);
    HOLDS(code != FER_OK || back.len <= s.len);
    HOLDS(code == FER_OK || !fer_iri_is_reference(s));
    fer_buf_init(&b, a, 3 * s.len + 1);
    fer_buf_add_char(&b, '#');
    fer_uri_add_fragment(&b, s);
    HOLDS(fer_buf_code(&b, NULL) == FER_OK);
    HOLDS(fer_uri_is_reference(fer_buf_view(&b)));
    HOLDS(fer_uri_decode(a, fer_str_slice(fer_buf_view(&b), 1, b.len), &back) == FER_OK);
    HOLDS(fer_str_eq(back, s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str reference = fuzz_text(data, size);
    fer_str base = fuzz_until(&reference, '\n');
    fer_arena *a = fuzz_arena();
    check_split(a, base);
    check_split(a, reference);
    check_kinds(base);
    check_kinds(reference);
    check_resolve(a, base, reference);
    check_resolve(a, FER_STR_NONE, reference);
    check_escapes(a, reference);
    fer_arena_free(a);
    return 0;
}
