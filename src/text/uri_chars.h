/* SPDX-License-Identifier: Apache-2.0 */
/* The character classes that URIs, IRIs and URI templates share. For the files of this room. Pure.
 */
#ifndef FER_URI_CHARS_H
#define FER_URI_CHARS_H

#include "str.h"

/* ALPHA, DIGIT or one of "-._~". */
bool fer_uri_is_unreserved(char c);
/* One of "!$&'()*+,;=". */
bool fer_uri_is_sub_delim(char c);
/* The value of a hexadecimal digit, or -1. */
int fer_uri_hex(char c);
/* Whether "%" and two hexadecimal digits stand at `at`. */
bool fer_uri_is_escape(fer_str s, size_t at);
/* ucschar and iprivate of RFC 3987 2.2. */
bool fer_iri_is_ucschar(uint32_t c);
bool fer_iri_is_private(uint32_t c);

#endif
