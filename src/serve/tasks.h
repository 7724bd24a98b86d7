/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks: calls whose servers answer before they are done, with the name of a task that can be asked
 * for. 2026-07-28 has them as an extension, where the server decides; 2025-11-25 as an experiment,
 * where the client does. Between a server and a client of one era they pass as they are; for a
 * client of 2026-07-28 an older server's are put into the newer form, questions and news of them
 * included: docs/serve.md says how.
 *
 * A task's name is known to clients by another one of ours, which holds it and that of its server,
 * signed (request_state.h) and good for one principal: nobody asks for, changes or ends what is
 * another's (A49), and nothing has to be remembered for that.
 */
#ifndef FER_TASKS_H
#define FER_TASKS_H

#include "relay.h"

#define FER_TASKS_MS          3600000 /* that a server has for tasks/result (2025-11-25) */
#define FER_TASKS_KEPT        1000    /* tasks of one client that it is told of and may list */
#define FER_TASK_ERRANDS_MAX  256     /* requests about tasks that nobody's request waits for */
#define FER_TASK_ATTENDED_MAX 8       /* tasks of one client that ask for input at a time */

/* Whether the client of a request can be told of a task in place of a result. */
bool fer_ask_takes_task(const fer_ask *q);
/* Answers with the task that a server has begun. */
void fer_reply_task(fer_ask *q, const fer_envelope *e);

/* What is under way about tasks on its own: that which takes too long, or whose client has no say
 * any more, ends; or all of it. */
void fer_errands_sweep(fer_front *s, int64_t now);
void fer_errands_drain(fer_front *s);

#endif
