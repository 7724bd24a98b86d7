/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to somebody at a terminal: asked on standard error, answered on standard input. */
#ifndef FER_ASK_H
#define FER_ASK_H

#include "command.h"

#define FER_ANSWER_MAX 1024 /* bytes of an answer; what is longer is asked for again */

/* Whether there is somebody to ask. */
bool fer_ask_possible(void);
/*
 * Asks until the answer is one of the choices (NULL: any). An empty answer is `otherwise`,
 * NULL: asked again. False: the input has ended.
 */
bool fer_ask(const char *question, const char *const *choices, const char *otherwise,
             char answer[FER_ANSWER_MAX]);

#endif
