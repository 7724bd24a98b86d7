/* SPDX-License-Identifier: Apache-2.0 */
/* What the attempts are told of the host: on the command line, in this order. */
#ifndef ESCAPE_H
#define ESCAPE_H

enum escape_arg {
    ESCAPE_TCP = 1,  /* port of a listener on 127.0.0.1 */
    ESCAPE_UDP,      /* port */
    ESCAPE_ABSTRACT, /* name of a Unix socket, without its NUL */
    ESCAPE_SOCKET,   /* path of a Unix socket */
    ESCAPE_FILE,     /* path of a file that holds the secret */
    ESCAPE_VICTIM,   /* number of a process of the same user, with the secret in its variables */
    ESCAPE_ADDRESS,  /* of the secret in its memory */
    ESCAPE_SHM,      /* key of shared memory that holds the secret */
    ESCAPE_TMP,      /* number of the device of the host's /tmp */
    ESCAPE_ARGS
};

#define ESCAPE_VARIABLE "FERRULE_TEST_SECRET"
#define ESCAPE_SECRET   "a-secret-of-the-host"
#define ESCAPE_KEY      "ferrule-test-key"

#endif
