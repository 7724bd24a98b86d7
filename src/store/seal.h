/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that only this installation can read: AES-256-GCM under a key of the tenant's, which is
 * derived from one key file of the operator's. What a record belongs to (its scope, its
 * fingerprint) is given as `about`: it is not stored, but a record opens only under the same
 * words, so that no record can be put in the place of another.
 *
 * A sealed record is: version (1), ID of the key (4), nonce (12), ciphertext, tag (16). Nonces are
 * random; without random bytes nothing is sealed. The key file holds 32 bytes as 64 hexadecimal
 * digits, has mode 0600, is no link and belongs to who runs this; anything else is refused.
 * Deleting it makes every record unreadable (crypto-shredding).
 *
 * A fer_seal is immutable once made, and any thread may use it; each call needs an arena of its own
 * thread. Keys are wiped when it is freed.
 */
#ifndef FER_SEAL_H
#define FER_SEAL_H

#include "arena.h"

typedef struct fer_seal fer_seal;

#define FER_SEAL_KEY   32 /* bytes of a key */
#define FER_SEAL_EXTRA 33 /* bytes that sealing adds */

/*
 * The key of a file. Where there is no such file and `make` is set, one is made of random bytes,
 * durable before anything is sealed with it.
 */
fer_code fer_seal_new(const char *path, bool make, fer_seal **out, fer_err *err);
/* A key that is at hand: FER_SEAL_KEY bytes, copied. */
fer_code fer_seal_new_key(const unsigned char *key, fer_seal **out, fer_err *err);
void fer_seal_free(fer_seal *s);

/* Seals `plain` for a tenant. */
fer_code fer_seal_close(fer_arena *a, const fer_seal *s, fer_str tenant, fer_str about,
                        fer_str plain, fer_str *out, fer_err *err);
/*
 * Opens what was sealed. FER_INTEGRITY_BROKEN where the bytes, the tenant, what they are about or
 * the key are not those of the sealing; then nothing of the plain text is given.
 */
fer_code fer_seal_open(fer_arena *a, const fer_seal *s, fer_str tenant, fer_str about,
                       fer_str sealed, fer_str *out, fer_err *err);
/*
 * HMAC-SHA-256 under a key of the tenant's for this use ("downstream-key", "correlation" ...), for
 * names that must not be guessed: 32 bytes.
 */
fer_code fer_seal_name(const fer_seal *s, fer_str tenant, const char *use, fer_str text,
                       unsigned char out[32], fer_err *err);

#endif
