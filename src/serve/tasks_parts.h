/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files about tasks have for each other and for the methods: names and forms (tasks.c),
 * whose a task is (task_book.c), and what is asked of older servers about tasks without a request
 * of a client's (task_errands.c).
 */
#ifndef FER_TASKS_PARTS_H
#define FER_TASKS_PARTS_H

#include "request_state.h"
#include "tasks.h"

/* ---- tasks.c ---- */

/* The name by which a guest knows a server's task; empty: no memory. */
fer_str fer_task_name(fer_arena *a, const fer_guest *g, fer_str server, fer_str own);
/* Whose task it is, and its name there; NULL: there is none such, for this client. */
fer_server *fer_task_find(fer_ask *q, fer_str name, fer_str *own);
/* What a text about tasks is bound to: the principal, and what it is for. */
bool fer_task_bind(const fer_guest *g, fer_str what, unsigned char out[FER_STATE_BIND]);
/* Answers that the client has not declared that it knows tasks (2026-07-28). */
void fer_task_refuse_undeclared(fer_ask *q);
/* Adds the members of an older task but its status, in the form of 2026-07-28. */
void fer_task_members(fer_buf *b, const fer_json *doc, const yyjson_val *task, fer_str name);
/* Adds all of a task as tasks/get of 2026-07-28 has it, without braces: `status`, the members of
 * the older one, and `member` with its value (JSON) unless it is NULL. */
void fer_task_write(fer_buf *b, const fer_json *doc, fer_str name, const char *status,
                    const char *member, fer_str value);
/* The task that params of an older server's question name as theirs (`_meta`); or empty. */
fer_str fer_task_related(const yyjson_val *params);
/* A JSON object without that, as 2026-07-28 has none; the same where there is no memory. */
fer_str fer_task_unrelated(fer_arena *a, fer_str json);
/* The same with another name for the task, where it names one; and an answer with the name, which
 * every answer about a task has (2025-11-25). */
fer_str fer_task_related_as(fer_arena *a, fer_str json, fer_str name);
fer_str fer_task_answer_as(fer_arena *a, fer_str json, fer_str name);

/* ---- task_book.c ---- */

/* A server has begun a task for a request: its client hears how it goes on, and may list it. */
void fer_task_note(fer_ask *q, fer_server *server, fer_str own);
/* Whether a guest is one for whom it was begun, and in which session. */
bool fer_task_is_of(const fer_guest *g, const fer_server *server, fer_str own, uint64_t *session);
void fer_tasks_forget(fer_guest *g);

/* ---- task_errands.c ---- */

/* Something that is asked about a task of an older server's. */
typedef struct fer_errand fer_errand;

/* notifications/tasks/status of an older server's: its client is told, and all who listen. */
void fer_task_status(fer_front *s, fer_server *server, const fer_asker *who, fer_arena *a,
                     fer_str params);
/* The task asks for input: its questions are taken from now on, for the client of this request to
 * answer. `task`: as the server has it. */
void fer_task_attend(const fer_ask *q, fer_server *server, fer_str own, fer_str task);
/* That which takes the questions of a task; NULL: nothing does. */
fer_errand *fer_errand_find(const fer_front *s, const fer_server *server, const fer_asker *who,
                            fer_str own);
/* That which a question is for; NULL: it is none about a task that is attended to. */
fer_errand *fer_errand_of(fer_front *s, const fer_server *server, const fer_asker *who,
                          const fer_mcp_question *from);
/* Whom its questions are put to, and what that can be asked for. */
fer_peer *fer_errand_peer(const fer_errand *e);
fer_str fer_errand_abilities(const fer_errand *e);
/* There is a question: who listens is told. */
void fer_errand_asked(fer_errand *e);
/* Answers of a client's; what answers nothing is left alone. */
void fer_errand_answer(fer_errand *e, const fer_json *doc, const yyjson_val *responses);

#endif
