/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bearer tokens by which clients of the gateway are known. A token is 256 random bits, shown once,
 * when it is made; what is kept is its SHA-256, in a file that only its owner may read, with a
 * name, scopes, and when it was made and ends. Whoever reads the file cannot use the tokens.
 *
 * Its scopes (policy/access.h) say what it is good for; beside them it may say what its client is
 * shown: a mode, a toolset, whose calls they are.
 *
 * Reading, writing and asking are pure; time is given. Results live in the arena, where a list also
 * takes its additions from. Read by any number of threads, changed by one that is alone.
 */
#ifndef FER_BEARER_TOKENS_H
#define FER_BEARER_TOKENS_H

#include <ferrule/contract.h>

#include "arena.h"

#define FER_BEARERS_MAX       1000              /* tokens of a file */
#define FER_BEARER_SCOPES_MAX 100               /* scopes of a token */
#define FER_BEARER_EXPOSE_MAX 100               /* patterns of a token's toolset */
#define FER_BEARER_NAME_MAX   128               /* bytes of a name, a tenant, a pattern */
#define FER_BEARERS_FILE_MAX  ((size_t)4 << 20) /* bytes of a file */
#define FER_BEARER_BYTES      32                /* of randomness, and of a hash */
#define FER_BEARER_SHORT      16                /* characters below which one can be guessed */
#define FER_BEARER_TEXT       48                /* "fer_", 43 characters, NUL */
#define FER_BEARER_ID         13                /* 12 hexadecimal digits, NUL */

typedef struct fer_bearer {
    char
        id[FER_BEARER_ID]; /* says which, in logs and to revoke it; tells nothing about the token */
    fer_str name;          /* printable ASCII, no two the same */
    const fer_str *scopes;
    size_t scope_count;
    fer_str tenant;        /* whose calls its client's are; or empty */
    fer_str mode;          /* what its client is shown: "meta" ...; or empty: as the server says */
    const fer_str *expose; /* its toolset: patterns of tools under their own names */
    size_t expose_count;   /* 0: as the server says */
    int64_t created;       /* seconds since 1970 */
    int64_t expires;       /* the same; 0: never */
    uint8_t hash[FER_BEARER_BYTES];
} fer_bearer;

typedef struct fer_bearers {
    fer_arena *arena;
    fer_bearer *list; /* in the order in which they were made */
    size_t count, cap;
} fer_bearers;

/* What a new token is to be; everything is copied. */
typedef struct fer_bearer_wish {
    fer_str name;
    const fer_str *scopes;
    size_t scope_count; /* 0: "*" */
    fer_str tenant, mode;
    const fer_str *expose;
    size_t expose_count;
    int64_t expires; /* seconds since 1970; 0: never */
} fer_bearer_wish;

/* Strictly: an unknown field, a name, ID or hash that stands twice is FER_BAD_USAGE. An empty text
 * has no tokens. */
fer_code fer_bearers_read(fer_arena *a, fer_str text, fer_bearers *out, fer_err *err);
fer_code fer_bearers_write(fer_arena *a, const fer_bearers *t, fer_str *out, fer_err *err);

/* $XDG_CONFIG_HOME/ferrule/tokens.json, or below ~/.config; FER_BAD_USAGE without a home. */
fer_code fer_bearers_path(fer_arena *a, fer_str *out, fer_err *err);
/* No file is no tokens. FER_FORBIDDEN: others may read or change it, or it is a link or no file. */
fer_code fer_bearers_load(fer_arena *a, const char *path, fer_bearers *out, fer_err *err);
/* Replaces the file whole, or makes it, with mode 0600, and its folder, with mode 0700. */
fer_code fer_bearers_save(const char *path, const fer_bearers *t, fer_err *err);

/* A token that nobody has yet, of no list. False: the system has no randomness. */
bool fer_bearer_make(char text[FER_BEARER_TEXT]);
/* One more token; `text` is the only place where it ever is. FER_BAD_USAGE: a name that is none or
 * is taken, a scope that is none, an end that is past; FER_LIMIT_EXCEEDED. */
fer_code fer_bearers_add(fer_bearers *t, const fer_bearer_wish *wish, int64_t now,
                         char text[FER_BEARER_TEXT], fer_err *err);
/* Holds the file (by PATH.lock beside it) for one who changes it: whoever else wants to waits, so
 * that two who add a token lose none. `*lock` is for fer_bearers_unlock. */
fer_code fer_bearers_lock(const char *path, int *lock, fer_err *err);
void fer_bearers_unlock(int lock);

/* Takes out the one of that ID or name; false: there is none. */
bool fer_bearers_remove(fer_bearers *t, fer_str id_or_name);

/* Whose token it is; NULL: nobody's, or its time is over. All hashes are compared, each in constant
 * time. */
const fer_bearer *fer_bearers_find(const fer_bearers *t, fer_str token, int64_t now);
/* The same by the SHA-256 of its text. */
const fer_bearer *fer_bearers_find_hash(const fer_bearers *t, const uint8_t hash[FER_BEARER_BYTES],
                                        int64_t now);

#endif
