/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Ed25519 key that signs checkpoints. The secret half is 64 hexadecimal digits in a file of
 * mode 0600; the public half, in a file beside it, is what who verifies needs. Immutable once made.
 */
#ifndef FER_LEDGER_SIGN_H
#define FER_LEDGER_SIGN_H

#include "str.h"

typedef struct fer_sign_key fer_sign_key;

#define FER_SIGN_SIZE 64
#define FER_SIGN_ID   16 /* digits that name a key: the first of SHA-256 of its public half */

/* A key of 32 secret bytes, or of the public half alone, which only verifies. NULL: no memory. */
fer_sign_key *fer_sign_key_new(const unsigned char secret[32]);
fer_sign_key *fer_sign_key_public(const unsigned char public_half[32]);
void fer_sign_key_free(fer_sign_key *k);

void fer_sign_key_half(const fer_sign_key *k, unsigned char public_half[32]);
const char *fer_sign_key_id(const fer_sign_key *k); /* FER_SIGN_ID digits, no NUL */

bool fer_sign(const fer_sign_key *k, fer_str text, unsigned char out[FER_SIGN_SIZE]);
bool fer_sign_holds(const fer_sign_key *k, fer_str text, const unsigned char sig[FER_SIGN_SIZE]);

#endif
