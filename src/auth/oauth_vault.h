/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tokens of ours lie between runs: a folder of sealed records (store/seal.h), a file each,
 * mode 0600, replaced whole. A record opens under its own name only, so that none can be put in the
 * place of another. Names are digests: a listing of the folder tells nobody which servers there
 * are. One thread.
 */
#ifndef FER_OAUTH_VAULT_H
#define FER_OAUTH_VAULT_H

#include "file.h"
#include "seal.h"

#define FER_VAULT_RECORD ((size_t)256 << 10) /* bytes of a record */

typedef struct fer_vault fer_vault;

/* Nothing is made before something is put there. NULL: no memory. */
FER_MUST_USE fer_vault *fer_vault_new(const char *folder);
void fer_vault_free(fer_vault *v);

/* `kind` is "token" (of a server's URL) or "client" (of an issuer). FER_OK and `out->ptr` NULL:
 * there is none; FER_INTEGRITY_BROKEN: it does not open. */
fer_code fer_vault_get(fer_arena *a, fer_vault *v, const char *kind, fer_str name, fer_str *out,
                       fer_err *err);
fer_code fer_vault_put(fer_vault *v, const char *kind, fer_str name, fer_str value, fer_err *err);
/* Nothing there is no failure. */
fer_code fer_vault_remove(fer_vault *v, const char *kind, fer_str name, fer_err *err);
/* Which file it is now: another mark where somebody has written it. */
fer_file_mark fer_vault_mark(fer_vault *v, const char *kind, fer_str name);

#endif
