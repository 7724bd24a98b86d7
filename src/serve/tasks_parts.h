/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks.c has for the methods about tasks (methods/m_tasks.c). */
#ifndef FER_TASKS_PARTS_H
#define FER_TASKS_PARTS_H

#include "tasks.h"

/* The name by which a client knows a server's task; empty: no memory. */
fer_str fer_task_name(fer_ask *q, fer_str server, fer_str own);
/* Whose task it is, and its name there; NULL: there is none such, for this client. */
fer_server *fer_task_find(fer_ask *q, fer_str name, fer_str *own);
/* Adds the members of an older task but its status, in the form of 2026-07-28. */
void fer_task_members(fer_buf *b, const fer_json *doc, const yyjson_val *task, fer_str name);

#endif
