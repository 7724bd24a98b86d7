/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One gateway for all clients that start `ferrule serve --stdio`: each of these processes finds the
 * one that runs for the same configuration, or starts it, and passes lines between its client and
 * the gateway, as they are.
 *
 * A gateway is found by a Unix socket in a folder of this user's alone ($XDG_RUNTIME_DIR/ferrule,
 * else ~/.local/state/ferrule/run), whose name is a digest of all that makes a gateway another one:
 * its version, the home, the configuration, what is shown. Two that start at once agree by a
 * lock: one starts the gateway, the other waits for it.
 *
 * When the gateway ends, each request under way is answered with an error, and the next message
 * goes to the gateway that there is then; a client with a session does not notice: what opened its
 * session is said again, and the answer to that kept back.
 */
#ifndef FER_ATTACH_H
#define FER_ATTACH_H

#include "command.h"
#include "config.h"

#define FER_ATTACH_START_MS 30000              /* for a gateway to start */
#define FER_ATTACH_LINE_MAX ((size_t)64 << 20) /* bytes of a line of the gateway's */
#define FER_ATTACH_ASKS_MAX 1000    /* requests under way, as many as the gateway takes */
#define FER_ATTACH_HTTP     ".http" /* behind the name of the socket: of that for the operator */
#define FER_ATTACH_IDLE_S   300     /* that a gateway without clients waits for the next */

typedef struct fer_attach {
    const char *folder;
    const char *path;   /* of the socket; the lock that its gateway holds is beside it */
    const char *turn;   /* of the lock that whoever starts it holds */
    const char *log;    /* what it writes to standard error */
    const char *config; /* whole path of the configuration; NULL: there is none */
} fer_attach;

/*
 * Where the gateway of this command line is, or would be; makes the folder. `files` are those of
 * clients that are served in place of a configuration.
 */
fer_code fer_attach_find(fer_arena *a, fer_app *app, const char *const *files, size_t count,
                         fer_attach *out, fer_err *err);

/* The folder where gateways of this user are; makes it. */
fer_code fer_attach_folder(fer_arena *a, fer_str *out, fer_err *err);

/*
 * Passes lines until the client's input has ended and all is answered. `start`: a gateway is
 * started where none runs. -1: there is none to attach to, nothing was read, and why not is said;
 * else an exit code.
 */
int fer_attach_run(fer_app *app, const fer_attach *at, bool start);

#endif
