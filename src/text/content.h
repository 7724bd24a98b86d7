/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings and media types of strings (contentEncoding, contentMediaType). Pure. */
#ifndef FER_CONTENT_H
#define FER_CONTENT_H

#include "arena.h"
#include "str.h"

/* The bytes that a text stands for; FER_INVALID_FORMAT: it is not in that encoding. */
typedef fer_code fer_content_decode(fer_arena *a, fer_str text, fer_str *out);

/* base64, base64url, base32, base32hex, base16 (RFC 4648), 7bit, 8bit, binary; NULL: not known. */
fer_content_decode *fer_content_find(fer_str encoding);

/* application/json and anything that ends in +json, parameters allowed. */
bool fer_content_is_json(fer_str media_type);

#endif
