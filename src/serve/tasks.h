/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks: calls whose servers answer before they are done, with the name of a task that can be asked
 * for. 2026-07-28 has them as an extension, where the server decides; 2025-11-25 as an experiment,
 * where the client does. Between a server and a client of one era they pass as they are; for a
 * client of 2026-07-28 an older server's are put into the newer form, as far as they go:
 * docs/serve.md says how far.
 *
 * A task's name is known to clients by another one of ours, which holds it and that of its server,
 * signed (request_state.h) and good for one principal: nobody asks for, changes or ends what is
 * another's (A49), and nothing has to be remembered here.
 */
#ifndef FER_TASKS_H
#define FER_TASKS_H

#include "relay.h"

#define FER_TASKS_EXTENSION "io.modelcontextprotocol/tasks"
#define FER_TASKS_MS        3600000 /* that a server has for tasks/result (2025-11-25) */

/* Whether the client of a request can be told of a task in place of a result. */
bool fer_ask_takes_task(const fer_ask *q);
/* Answers with the task that a server has begun. */
void fer_reply_task(fer_ask *q, const fer_envelope *e);

#endif
