/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is let in over HTTP, and as whom: the operator's token of this run, tokens of the
 * configuration, and those of `ferrule token`, whose file is read again whenever it has changed.
 * Beside them tokens of issuers (jwt_door.h). Each token is a guest of the front. One that is
 * revoked, has ended or was changed is over within FER_DOOR_LOOK_MS: its sessions end. A new one is
 * good at once.
 *
 * Tokens are compared by their SHA-256, all of them, each in a time that says nothing about either.
 */
#ifndef FER_DOORKEEPER_H
#define FER_DOORKEEPER_H

#include <sys/types.h>
#include <time.h>

#include "bearer_tokens.h"
#include "digest.h"
#include "jwt_door.h"
#include "log.h"
#include "serve_http.h"

#define FER_DOOR_LOOK_MS 2 /* so long the file of tokens is not looked at again */

#define FER_DENIED_MS  10000 /* in which ... */
#define FER_DENIED_MAX 100   /* ... so many refusals are written down; the others are counted */

typedef struct fer_doorkeeper {
    fer_front *front;
    fer_gateway *gateway;    /* whose ledger is told of refusals */
    const fer_log *log;      /* or NULL */
    struct fer_pulse *pulse; /* that remembers refusals; or NULL */
    fer_arena *arena;        /* of the list of the file */
    const char *path;        /* NULL: there is no such file */
    fer_bearers list;
    struct door_guest *stored; /* by the IDs of their tokens */
    struct door_guest *own;    /* those that no file has */
    fer_jwt_door *jwt;         /* those of issuers; or NULL. Held */
    struct timespec changed;   /* the file that was read */
    ino_t file;
    off_t size;
    bool read;
    char told[FER_ERR_TEXT]; /* what the log was told last of what is wrong with it; or empty */
    int64_t looked;          /* at the file, fer_clock_mono */
    fer_digest *digest;      /* of tokens that are shown */
    int64_t denied_since;    /* fer_clock_mono */
    size_t denied, unsaid;
} fer_doorkeeper;

/* `path` may be NULL. */
fer_code fer_doorkeeper_init(fer_doorkeeper *d, fer_front *front, fer_gateway *gateway,
                             const fer_log *log, const char *path, fer_err *err);
/* Before the front goes. */
void fer_doorkeeper_deinit(fer_doorkeeper *d);

/* A token of somebody's; `who` NULL: of the operator. */
fer_code fer_doorkeeper_add(fer_doorkeeper *d, fer_str token, const fer_guest_options *who,
                            fer_err *err);
/*
 * The token of the very first start: where the file has none, one is made, named "first", for
 * everything. `text` empty: there are some already, which were shown when they were made.
 */
fer_code fer_doorkeeper_first(fer_doorkeeper *d, char text[FER_BEARER_TEXT], fer_err *err);

/* What a web asks for; `door` is a fer_doorkeeper. */
fer_guest *fer_doorkeeper_admit(void *door, fer_str token, fer_stranger *no);
void fer_doorkeeper_look(void *door);
void fer_doorkeeper_denied(void *door, const fer_guest *who, const fer_inbound *in,
                           const char *why);

/* The mode of a name; false: there is none. */
bool fer_mode_of(fer_str name, fer_serve_mode *out);

#endif
