/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An authorization server, and the resource behind it, on the loopback: a table says what each path
 * answers. A thread of its own and nothing of the code that is tested, so that no fault meets it.
 * Connections end with their answers.
 */
#ifndef ISSUER_SERVER_H
#define ISSUER_SERVER_H

#include <stddef.h>

typedef struct issuer_answer {
    const char *path;
    int status;        /* 0: it never answers */
    const char *field; /* of the head, "Name: value"; or NULL */
    const char *body;  /* "@" stands for the origin of the server, where it is not larger than 4 KiB
                        */
} issuer_answer;

typedef struct issuer_server issuer_server;

issuer_server *issuer_start(void);
unsigned issuer_port(const issuer_server *s);
/* What it answers from now on; ended by a row without a path. Others are 404. */
void issuer_play(issuer_server *s, const issuer_answer *rows);
/* Requests so far. */
unsigned issuer_asked(issuer_server *s);
/* The body of the last request with one, at most `size` bytes with its NUL. */
void issuer_last(issuer_server *s, char *out, size_t size);
void issuer_stop(issuer_server *s);

#endif
