/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URIs and IRIs: taking them apart, resolving one against another, and checking their
 * syntax by RFC 3986 and RFC 3987. Nothing is looked up and nothing is normalized beyond
 * what resolution asks for: case and escapes stay as they were written. Pure; every
 * function is linear in its input and may be called from any thread.
 */
#ifndef FER_URI_H
#define FER_URI_H

#include "arena.h"
#include "buf.h"
#include "str.h"

/* The parts of a URI reference, borrowed from its text, without their delimiters. */
typedef struct fer_uri {
    fer_str scheme;
    fer_str authority;
    fer_str path; /* always there, perhaps empty */
    fer_str query;
    fer_str fragment;
    bool has_scheme; /* "a:" has one; what has none is told from what has an empty one */
    bool has_authority;
    bool has_query;
    bool has_fragment;
} fer_uri;

/* Splits leniently by RFC 3986 appendix B; never fails. */
void fer_uri_split(fer_str text, fer_uri *out);

/*
 * The reference as seen from the base, by RFC 3986 5.2 (strict), with dot segments removed.
 * The fragment of the base is dropped. Where the base is empty the result is the reference
 * itself, and its dot segments are removed only where it has a scheme. Bases without a slash
 * in their path (urn:, tag:) work by the same rules, so only references that are absolute,
 * or consist of a query or a fragment, resolve to something useful. A path that would be read
 * as an authority or as a scheme gets "/." or "./" in front. `ptr` NULL: no memory.
 */
fer_str fer_uri_resolve(fer_arena *a, fer_str base, fer_str reference);

/* Whether the text is a URI, or a URI or relative reference (RFC 3986). */
bool fer_uri_is(fer_str s);
bool fer_uri_is_reference(fer_str s);
/*
 * The same for IRIs (RFC 3987). Bidirectional formatting characters are refused, as its
 * section 4.1 asks, and so is text that is not UTF-8.
 */
bool fer_iri_is(fer_str s);
bool fer_iri_is_reference(fer_str s);

/*
 * The text with its percent-escapes decoded; `s` itself where it has none, else bytes of the
 * arena. They need not be UTF-8. FER_INVALID_FORMAT where an escape is broken, or the code of
 * the arena; then `*out` is untouched.
 */
fer_code fer_uri_decode(fer_arena *a, fer_str s, fer_str *out);

/* Appends a fragment, without "#", with what a fragment may not hold percent-encoded. */
void fer_uri_add_fragment(fer_buf *b, fer_str fragment);

#endif
