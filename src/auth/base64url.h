/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 in the alphabet of URLs, without padding (RFC 7515 2). Reading is strict: no blanks, no
 * padding, no bits behind the last byte, so that one value has one text. Pure.
 */
#ifndef FER_BASE64URL_H
#define FER_BASE64URL_H

#include "arena.h"

/* False: it is none, or (`out->ptr` NULL) there is no memory. */
bool fer_base64url_read(fer_arena *a, fer_str text, fer_str *out);
/* `ptr` NULL: no memory. */
fer_str fer_base64url_write(fer_arena *a, fer_str bytes);
/* Plain Base64 with padding, as HTTP Basic has it; `ptr` NULL: no memory. */
fer_str fer_base64_write(fer_arena *a, fer_str bytes);

#endif
