/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server at a Unix socket that speaks lines, as over standard input and output: what `ferrule
 * serve --stdio` attaches to. Each connection is a peer of its own. Only this user is let in.
 *
 * One gateway at a path: whoever holds the lock (PATH.lock) listens, and takes over a socket that
 * a killed one has left. One thread: that of the front's loop.
 */
#ifndef FER_SERVE_LOCAL_H
#define FER_SERVE_LOCAL_H

#include "serve.h"

#define FER_LOCAL_CLIENTS_MAX 1000 /* that are attached */

typedef struct fer_local fer_local;

typedef struct fer_local_events {
    void (*changed)(void *context, size_t clients); /* one more or less is attached; may be NULL */
    void (*drained)(void *context);                 /* after fer_local_drain: none is left */
} fer_local_events;

/*
 * Listens. `*out` is NULL where another gateway holds the path
 * already. Fails where the folder or the file is not this user's alone.
 */
fer_code fer_local_open(fer_front *s, const char *path, const fer_local_events *events,
                        void *context, fer_local **out, fer_err *err);
size_t fer_local_clients(const fer_local *l);
/*
 * Ends the place, and no connection: whoever looks for a gateway from now on finds none. How many
 * are attached, those included that came in the last moment.
 */
size_t fer_local_retire(fer_local *l);
/* Nobody is let in any more; what runs is answered, then connections end. */
void fer_local_drain(fer_local *l);
/* All ends now. The loop must run once more for the memory. */
void fer_local_close(fer_local *l);

/*
 * A connection to such a server: a descriptor, or -1 where nobody listens, or where whoever does is
 * another user.
 */
int fer_local_connect(const char *path);
/* Whether a folder is this user's alone, as that of a socket must be. */
bool fer_local_is_own(const char *folder);

#endif
