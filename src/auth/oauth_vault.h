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

/* `kind` is "token" (token_owner.h), "owners" (of a server's URL) or "client" (of an issuer).
 * FER_OK and `out->ptr` NULL: there is none; FER_INTEGRITY_BROKEN: it does not open. */
fer_code fer_vault_get(fer_arena *a, fer_vault *v, const char *kind, fer_str name, fer_str *out,
                       fer_err *err);
fer_code fer_vault_put(fer_vault *v, const char *kind, fer_str name, fer_str value, fer_err *err);
/* Nothing there is no failure. */
fer_code fer_vault_remove(fer_vault *v, const char *kind, fer_str name, fer_err *err);
/* Processes that read a record and write it again take turns; fer_file_unlock ends it. Waits for
 * whoever has it: held for as long as a file takes to be written. */
fer_code fer_vault_lock(fer_vault *v, int *out, fer_err *err);
/*
 * For what takes longer, such as a request: the turn of one record, which ends with the descriptor,
 * or with the process. Never waits: `*out` -1: another has it.
 */
fer_code fer_vault_try_turn(fer_vault *v, const char *kind, fer_str name, int *out, fer_err *err);
/* Which file it is now: another mark where somebody has written it. */
fer_file_mark fer_vault_mark(fer_vault *v, const char *kind, fer_str name);

#endif
