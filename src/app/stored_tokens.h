/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of `ferrule token`, as a server asks for them: read again whenever their file has
 * changed, so that one that is revoked ends at once. Only tokens for every tool are taken: a server
 * does not tell clients apart yet, and what it cannot hold to its scopes it does not let in.
 */
#ifndef FER_STORED_TOKENS_H
#define FER_STORED_TOKENS_H

#include <sys/types.h>
#include <time.h>

#include "bearer_tokens.h"

typedef struct fer_stored_tokens {
    fer_arena *arena; /* of the list */
    const char *path; /* NULL: there is no place for such a file */
    fer_bearers list;
    struct timespec changed; /* the file that was read */
    ino_t file;
    bool read;
} fer_stored_tokens;

/* `path`, or where tokens are by default, in `a`. */
void fer_stored_tokens_init(fer_stored_tokens *t, fer_arena *a);
void fer_stored_tokens_deinit(fer_stored_tokens *t);
/* Whether somebody with this token may do everything; a fer_stored_tokens. */
bool fer_stored_tokens_know(void *context, fer_str token);

#endif
