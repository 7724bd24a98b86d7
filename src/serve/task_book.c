/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tasks were begun for whom. Their names say so by themselves; this is for what a server says
 * of a task unasked (2025-11-25), and for tasks/list, as a server lists everybody's. The oldest
 * make room.
 */
#include "sys.h"
#include "tasks_parts.h"

typedef struct fer_task_row {
    struct fer_task_row *next; /* an older one */
    const fer_server *server;
    uint64_t session; /* that began it */
    fer_str own;      /* behind it, in the same memory */
} fer_task_row;

static fer_task_row **find(fer_task_row **at, const fer_server *server, fer_str own)
{
    while (*at && ((*at)->server != server || !fer_str_eq((*at)->own, own))) at = &(*at)->next;
    return at;
}

static void drop(fer_guest *g, fer_task_row **at)
{
    fer_task_row *t = *at;
    if (!t) return;
    *at = t->next;
    g->task_count--;
    fer_sys_free(t);
}

static void drop_oldest(fer_guest *g)
{
    fer_task_row **at = &g->tasks;
    while (*at && (*at)->next) at = &(*at)->next;
    drop(g, at);
}

/* Without memory its client asks for it as ever, and is told nothing. */
void fer_task_note(fer_ask *q, fer_server *server, fer_str own)
{
    fer_guest *g = q->peer->guest;
    drop(g, find(&g->tasks, server, own));
    fer_task_row *t = fer_sys_malloc(sizeof *t + own.len);
    if (!t) return;
    if (g->task_count == FER_TASKS_KEPT) drop_oldest(g);
    memcpy(t + 1, own.ptr, own.len);
    *t = (fer_task_row){.next = g->tasks,
                        .server = server,
                        .session = q->peer->session,
                        .own = {(char *)(t + 1), own.len}};
    g->tasks = t;
    g->task_count++;
}

bool fer_task_is_of(const fer_guest *g, const fer_server *server, fer_str own, uint64_t *session)
{
    fer_task_row *first = g->tasks;
    const fer_task_row *t = *find(&first, server, own);
    if (t && session) *session = t->session;
    return t != NULL;
}

void fer_tasks_forget(fer_guest *g)
{
    while (g->tasks) drop(g, &g->tasks);
}
