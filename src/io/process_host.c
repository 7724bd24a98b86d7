/* SPDX-License-Identifier: Apache-2.0 */
/* The house of all processes of one loop: marks, the look at /proc, orphans and leftovers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "errors.h"
#include "process_parts.h"
#include "sys.h"

#define REAP_MS      1000 /* between rounds for dead children that nobody waits for */
#define SWEEP_ROUNDS 10   /* looks at /proc until no leftover is found */

/* ---- what is to be seen --------------------------------------------------------------------- */

static bool in_a_session(const fer_process_host *h, const fer_proc *row)
{
    for (const fer_process *p = h->first; p; p = p->next) {
        if (p->pid && p->pid == row->session) return true;
    }
    return false;
}

/* Of those in a session of ours it is known whose they are. */
static bool wants_mark(void *context, const fer_proc *row)
{
    return !fer_proc_is_dead(row) && !in_a_session(context, row);
}

const fer_proc_table *fer_process_host_look(fer_process_host *h)
{
    uint64_t now = uv_now(h->loop);
    if (h->table_at == now && h->table.rows) return &h->table;
    fer_proc_table_read(&h->table, h->start, wants_mark, h);
    h->table_at = now;
    h->looks++;
    return &h->table;
}

void fer_process_host_changed(fer_process_host *h)
{
    h->table_at = UINT64_MAX;
}

void fer_process_host_reap(fer_process_host *h, pid_t child)
{
    int status;
    if (fer_sys_peek(child, &status) == 1) fer_sys_wait(child, &status);
    fer_process_host_changed(h);
}

bool fer_process_host_runs(const fer_process_host *h, pid_t pid)
{
    for (const fer_process *p = h->first; p; p = p->next) {
        if (p->pid == pid) return true;
    }
    return false;
}

struct orphan_search {
    const fer_process_host *host;
    bool found;
};

static void see_child(void *context, pid_t child)
{
    struct orphan_search *s = context;
    if (!s->found) s->found = !fer_process_host_runs(s->host, child);
}

bool fer_process_host_no_orphans(fer_process_host *h)
{
    struct orphan_search s = {.host = h};
    if (fer_sys_subreaper(-1) != 1) return false; /* they go elsewhere */
    return fer_proc_children(see_child, &s) && !s.found;
}

void fer_process_host_mark(const fer_process_host *h, const unsigned char random[16],
                           char mark[FER_MARK_TEXT])
{
    int at = snprintf(mark, FER_MARK_TEXT, "%d.%llu.", (int)h->pid, (unsigned long long)h->start);
    for (size_t i = 0, to = (size_t)at; i < 16; i++, to += 2)
        snprintf(mark + to, FER_MARK_TEXT - to, "%02x", random[i]);
}

/* ---- dead children that nobody waits for ---------------------------------------------------- */

/* A dead child of this process that neither we nor the rest of this program started. */
static bool is_stray(const fer_process_host *h, const fer_proc *row)
{
    return row->parent == h->pid && fer_proc_is_dead(row) && row->session != h->session &&
           !fer_process_host_runs(h, row->pid);
}

/*
 * An orphan that ends by itself has to be waited for. Of one that left its session nothing tells
 * whose it was once it is dead; so as not to take a child from another host in this process, or
 * from a program that waits for its own, it must have been there at two rounds.
 */
static void reap_strays(uv_timer_t *timer)
{
    fer_process_host *h = timer->data;
    size_t left = 0;
    fer_process_host_changed(h);
    fer_process_host_look(h);
    fer_proc_table seen = h->table;
    for (size_t i = 0; i < seen.count; i++) {
        fer_proc *row = &seen.rows[i];
        if (!is_stray(h, row)) continue;
        if (in_a_session(h, row) || fer_proc_table_has(&h->strays, row))
            fer_process_host_reap(h, row->pid);
        else seen.rows[left++] = *row;
    }
    /* The table becomes that of the strays, and their old one the next look. */
    h->table = h->strays;
    h->strays = seen;
    h->strays.count = left;
    fer_process_host_changed(h);
    if (left) uv_timer_start(&h->reap, reap_strays, REAP_MS, 0);
}

static void on_child_end(uv_signal_t *handle, int number)
{
    fer_process_host *h = handle->data;
    (void)number;
    if (!uv_is_active((uv_handle_t *)&h->reap) && !fer_process_host_no_orphans(h))
        uv_timer_start(&h->reap, reap_strays, REAP_MS, 0);
}

/* ---- hosts ---------------------------------------------------------------------------------- */

static void drop_host(fer_process_host *h)
{
    fer_proc_table_deinit(&h->table);
    fer_proc_table_deinit(&h->strays);
    fer_sys_free(h);
}

static void host_handle_closed(uv_handle_t *handle)
{
    fer_process_host *h = handle->data;
    if (--h->handles == 0 && h->freed) drop_host(h);
}

static void watch_children(fer_process_host *h)
{
    h->child_end.data = h->reap.data = h->turn_end.data = h;
    uv_timer_init(h->loop, &h->reap);
    uv_prepare_init(h->loop, &h->turn_end);
    h->handles = 2;
    uv_unref((uv_handle_t *)&h->reap);
    uv_unref((uv_handle_t *)&h->turn_end);
    if (uv_signal_init(h->loop, &h->child_end) != 0) return;
    h->handles = 3;
    uv_unref((uv_handle_t *)&h->child_end);
    uv_signal_start(&h->child_end, on_child_end, SIGCHLD);
}

fer_code fer_process_host_new(uv_loop_t *loop, const fer_process_host_options *options,
                              fer_process_host **out, fer_err *err)
{
    fer_process_host *h = fer_sys_malloc(sizeof *h);
    fer_proc self;
    if (!h) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(h, 0, offsetof(fer_process_host, piece));
    h->loop = loop;
    h->pid = getpid();
    if (fer_proc_read(h->pid, &self)) {
        h->start = self.start;
        h->session = self.session;
    }
    h->alone = options && options->alone;
    h->adopts = fer_sys_subreaper(1) == 0;
    h->pipe_safe = fer_sys_pipe_is_safe();
    watch_children(h);
    *out = h;
    return FER_OK;
}

uv_loop_t *fer_process_host_loop(const fer_process_host *h)
{
    return h->loop;
}

/* Children that took off their mark, left their session and lost their parents. */
static void end_strays(fer_process_host *h)
{
    int status;
    fer_proc_table_read(&h->table, h->start, NULL, NULL);
    for (size_t i = 0; i < h->table.count; i++) {
        const fer_proc *row = &h->table.rows[i];
        if (row->parent != h->pid || row->session == h->session) continue;
        fer_sys_kill(row->pid, -1, SIGKILL); /* our child: its number cannot change hands */
        while (fer_sys_wait(row->pid, &status) < 0 && errno == EINTR) {
        }
    }
}

void fer_process_host_free(fer_process_host *h)
{
    if (!h) return;
    assert(!h->first);
    if (h->adopts && h->alone && !fer_process_host_no_orphans(h)) end_strays(h);
    if (h->adopts) fer_sys_subreaper(0);
    h->freed = true;
    uv_close((uv_handle_t *)&h->reap, host_handle_closed);
    uv_close((uv_handle_t *)&h->turn_end, host_handle_closed);
    if (h->handles == 3) uv_close((uv_handle_t *)&h->child_end, host_handle_closed);
}

/* ---- leftovers of hosts that are gone ------------------------------------------------------- */

/* "pid.start.random": whether the process that made the mark is gone. */
static bool maker_is_gone(const char *mark)
{
    fer_str text = fer_str_of(mark);
    uint64_t pid, start;
    size_t dot = fer_str_find(text, 0, '.');
    size_t second = dot == SIZE_MAX ? SIZE_MAX : fer_str_find(text, dot + 1, '.');
    if (second == SIZE_MAX || !fer_parse_u64(fer_str_slice(text, 0, dot), &pid) ||
        !fer_parse_u64(fer_str_slice(text, dot + 1, second), &start) || !pid || pid > INT32_MAX)
        return false; /* not one of ours */
    return fer_proc_is_gone((pid_t)pid, start);
}

/* In another PID namespace the numbers in a mark mean other processes. */
static bool is_near(pid_t pid)
{
    char path[64];
    struct stat ours, theirs, process;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    if (fer_sys_stat("/proc/self/ns/pid", &ours) != 0 || fer_sys_stat(path, &theirs) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return ours.st_ino == theirs.st_ino && fer_sys_stat(path, &process) == 0 &&
           process.st_uid == geteuid();
}

static bool is_leftover(const fer_proc *row)
{
    return row->mark[0] && !fer_proc_is_dead(row) && maker_is_gone(row->mark) && is_near(row->pid);
}

/* We may ourselves be a child of such a host, whose tree is then nothing to be swept by us. */
static bool is_own_tree(const fer_proc *row, const char *own)
{
    return own[0] && strcmp(row->mark, own) == 0;
}

/* How many were killed; `done` is what was there at the round before. */
static size_t sweep_round(const fer_proc_table *t, const fer_proc_table *done, const char *own)
{
    size_t killed = 0;
    for (size_t i = 0; i < t->count; i++) {
        const fer_proc *row = &t->rows[i];
        if (fer_proc_table_has(done, row) || !is_leftover(row) || is_own_tree(row, own)) continue;
        fer_proc_signal(row, SIGKILL);
        killed++;
    }
    return killed;
}

size_t fer_process_sweep(void)
{
    char own[FER_MARK_TEXT];
    fer_proc_table tables[2] = {0};
    size_t killed = 0, more = 1;
    fer_proc_read_mark(getpid(), own);
    /* Again, for what was started meanwhile. */
    for (int round = 0; more && round < SWEEP_ROUNDS; round++) {
        fer_proc_table_read_marked(&tables[round % 2]);
        more = sweep_round(&tables[round % 2], &tables[1 - round % 2], own);
        killed += more;
    }
    fer_proc_table_deinit(&tables[0]);
    fer_proc_table_deinit(&tables[1]);
    return killed;
}
