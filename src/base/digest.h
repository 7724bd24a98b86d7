/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 by OpenSSL (which uses the processor's own instructions), of a text or of pieces; and
 * bytes as hexadecimal digits. A fer_digest belongs to one thread.
 */
#ifndef FER_DIGEST_H
#define FER_DIGEST_H

#include "str.h"

typedef struct fer_digest fer_digest;

#define FER_DIGEST_SIZE 32
#define FER_DIGEST_HEX  64 /* digits, no NUL */

/* The digest of a text. */
void fer_digest_text(fer_str text, unsigned char out[FER_DIGEST_SIZE]);

/* NULL: no memory. */
fer_digest *fer_digest_new(void);
void fer_digest_free(fer_digest *d);
/* The digest of up to three pieces in a row. False: OpenSSL failed. */
bool fer_digest_of(fer_digest *d, fer_str a, fer_str b, fer_str c,
                   unsigned char out[FER_DIGEST_SIZE]);

void fer_digest_hex(char *to, const unsigned char *bytes, size_t count);
/* Lower case only; false where it is not 2 * count such digits. */
bool fer_digest_unhex(fer_str text, unsigned char *to, size_t count);

#endif
