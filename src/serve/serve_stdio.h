/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server over two descriptors, such as standard input and output, or over one that goes both
 * ways: a message on each line, and nothing else. One peer. At the end of the input what runs is
 * finished and answered; then it has ended. A reader that is behind is waited for: nothing more is
 * read until it catches up, and notes on the way are dropped meanwhile, answers never.
 */
#ifndef FER_SERVE_STDIO_H
#define FER_SERVE_STDIO_H

#include "serve.h"

typedef struct fer_stdio fer_stdio;

/* `ended` is called once, from the loop: the input has ended and all is answered, or nobody reads
 * the answers any more. */
/* `who` NULL: the front's host. */
fer_code fer_stdio_open(fer_front *s, fer_guest *who, int in, int out, void (*ended)(void *context),
                        void *context, fer_stdio **made, fer_err *err);
/* Reads no more, as at the end of the input. */
void fer_stdio_drain(fer_stdio *t);
/* The loop must run once more for the memory. */
void fer_stdio_close(fer_stdio *t);

#endif
