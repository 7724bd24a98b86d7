/* SPDX-License-Identifier: Apache-2.0 */
#include "proc_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "process.h"
#include "sys.h"

#define FIRST_ROWS 64
#define PATH_TEXT  64                /* bytes of a path in /proc */
#define STAT_TEXT  1024              /* bytes of a stat file: some fifty numbers */
#define PIECE      4096              /* bytes of an environment that are read at once */
#define ENV_MAX    ((size_t)4 << 20) /* bytes of one that are looked at */

void fer_proc_table_deinit(fer_proc_table *t)
{
    fer_sys_free(t->rows);
    *t = (fer_proc_table){0};
}

/* ---- one process ---------------------------------------------------------------------------- */

static ssize_t read_again(int fd, void *to, size_t size)
{
    ssize_t n;
    do n = fer_sys_read(fd, to, size);
    while (n < 0 && errno == EINTR);
    return n;
}

static int open_of(pid_t pid, const char *file)
{
    char path[PATH_TEXT];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return fer_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

/* The next of the words between blanks, taken off `*rest`. */
static fer_str next_word(fer_str *rest)
{
    size_t end = fer_str_find(*rest, 0, ' ');
    fer_str word = end == SIZE_MAX ? *rest : fer_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? FER_STR_NONE : fer_str_slice(*rest, end + 1, rest->len);
    return word;
}

static uint64_t next_number(fer_str *rest)
{
    uint64_t n = 0;
    return fer_parse_u64(next_word(rest), &n) ? n : 0;
}

/* "pid (name) state parent group session ... start ...": the name may hold brackets and blanks. */
static bool parse_stat(fer_str text, fer_proc *out)
{
    size_t close = text.len;
    while (close && text.ptr[close - 1] != ')') close--;
    if (!close || close + 2 > text.len) return false;
    fer_str rest = fer_str_slice(text, close + 1, text.len);
    out->state = next_word(&rest).ptr[0];
    out->parent = (pid_t)next_number(&rest);
    out->group = (pid_t)next_number(&rest);
    out->session = (pid_t)next_number(&rest);
    for (int field = 7; field < 22; field++) next_word(&rest); /* proc(5): start is the 22nd */
    out->start = next_number(&rest);
    return true;
}

bool fer_proc_read(pid_t pid, fer_proc *out)
{
    char text[STAT_TEXT];
    int fd = open_of(pid, "stat");
    if (fd < 0) return false;
    ssize_t n = read_again(fd, text, sizeof text);
    fer_sys_close(fd);
    *out = (fer_proc){.pid = pid};
    return n > 0 && parse_stat((fer_str){text, (size_t)n}, out);
}

/* ---- marks ---------------------------------------------------------------------------------- */

/* Where in a variable the reader is. */
struct env_reader {
    char *mark;
    size_t at;   /* bytes of "NAME=" that matched, and then of the value */
    bool other;  /* it is another variable */
    bool inside; /* in the value */
};

/* True: the value is whole. */
static bool take_byte(struct env_reader *r, char c)
{
    static const char name[] = FER_PROCESS_MARK "=";
    if (c == '\0') {
        if (r->inside) return true;
        *r = (struct env_reader){.mark = r->mark};
    } else if (r->inside) {
        if (r->at < FER_MARK_TEXT - 1) r->mark[r->at++] = c;
        r->mark[r->at] = '\0';
    } else if (!r->other) {
        r->other = name[r->at++] != c;
        r->inside = !r->other && name[r->at] == '\0';
        if (r->inside) r->at = 0;
    }
    return false;
}

bool fer_proc_is_gone(pid_t pid, uint64_t start)
{
    fer_proc now;
    if (fer_sys_kill(pid, -1, 0) != 0 && errno == ESRCH) return true;
    if (!fer_proc_read(pid, &now)) return false;
    return (now.start && now.start != start) || fer_proc_is_dead(&now);
}

void fer_proc_read_mark(pid_t pid, char mark[FER_MARK_TEXT])
{
    char piece[PIECE];
    struct env_reader r = {.mark = mark};
    int fd = open_of(pid, "environ");
    mark[0] = '\0';
    if (fd < 0) return;
    bool found = false;
    for (size_t total = 0; !found && total < ENV_MAX; total += sizeof piece) {
        ssize_t n = read_again(fd, piece, sizeof piece);
        if (n <= 0) break;
        for (ssize_t i = 0; i < n && !found; i++) found = take_byte(&r, piece[i]);
    }
    fer_sys_close(fd);
}

/* ---- all of them ---------------------------------------------------------------------------- */

fer_proc *fer_proc_table_add(fer_proc_table *t)
{
    if (t->count == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : FIRST_ROWS;
        fer_proc *rows = fer_sys_malloc(cap * sizeof *rows);
        if (!rows) return NULL;
        if (t->count) memcpy(rows, t->rows, t->count * sizeof *rows);
        fer_sys_free(t->rows);
        t->rows = rows;
        t->cap = cap;
    }
    return &t->rows[t->count++];
}

/* False: no memory. */
static bool add_process(fer_proc_table *t, pid_t pid, uint64_t since, fer_proc **out)
{
    fer_proc found;
    *out = NULL;
    if (!fer_proc_read(pid, &found) || found.start < since) return true;
    *out = fer_proc_table_add(t);
    if (*out) **out = found;
    return *out != NULL;
}

static int by_pid(const void *a, const void *b)
{
    const fer_proc *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Which processes, and what of them. */
struct look {
    uint64_t since;
    fer_proc_wants_mark *wants;
    void *context;
    bool marked; /* only those that have a mark */
};

/* A mark is read again where it counts: between two looks a number may have passed to another. */
static bool take_process(fer_proc_table *t, pid_t pid, const struct look *l)
{
    fer_proc *row;
    char glance[FER_MARK_TEXT];
    if (l->marked) fer_proc_read_mark(pid, glance);
    if (l->marked && !glance[0]) return true;
    bool all = add_process(t, pid, l->since, &row);
    if (row && (!l->wants || l->wants(l->context, row))) fer_proc_read_mark(pid, row->mark);
    return all;
}

static bool read_all(fer_proc_table *t, const struct look *l)
{
    struct dirent *entry;
    uint64_t pid;
    bool all = true;
    DIR *dir = fer_sys_opendir("/proc");
    t->count = 0;
    if (!dir) return false;
    while (all && (entry = fer_sys_readdir(dir))) {
        if (!fer_parse_u64(fer_str_of(entry->d_name), &pid) || (pid_t)pid == getpid()) continue;
        all = take_process(t, (pid_t)pid, l);
    }
    fer_sys_closedir(dir);
    if (t->count) qsort(t->rows, t->count, sizeof *t->rows, by_pid);
    return all;
}

bool fer_proc_table_read(fer_proc_table *t, uint64_t since, fer_proc_wants_mark *wants,
                         void *context)
{
    return read_all(t, &(struct look){.since = since, .wants = wants, .context = context});
}

bool fer_proc_table_read_marked(fer_proc_table *t)
{
    return read_all(t, &(struct look){.marked = true});
}

fer_proc *fer_proc_table_find(const fer_proc_table *t, pid_t pid)
{
    fer_proc key = {.pid = pid};
    return t->count ? bsearch(&key, t->rows, t->count, sizeof key, by_pid) : NULL;
}

bool fer_proc_table_has(const fer_proc_table *t, const fer_proc *row)
{
    const fer_proc *found = fer_proc_table_find(t, row->pid);
    return found && found->start == row->start;
}

/* ---- children ------------------------------------------------------------------------------- */

/* "12 345 ": the children of one thread. */
static bool see_children(fer_str task, void (*see)(void *context, pid_t child), void *context)
{
    char path[PATH_TEXT], piece[PIECE];
    uint64_t pid = 0;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/self/task/%.*s/children", FER_PRI(task));
    int fd = fer_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    while ((n = read_again(fd, piece, sizeof piece)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (fer_is_digit(piece[i])) {
                pid = pid * 10 + (uint64_t)(piece[i] - '0');
            } else if (pid) {
                see(context, (pid_t)pid);
                pid = 0;
            }
        }
    }
    fer_sys_close(fd);
    return n == 0;
}

bool fer_proc_children(void (*see)(void *context, pid_t child), void *context)
{
    struct dirent *entry;
    bool all = true;
    DIR *dir = fer_sys_opendir("/proc/self/task");
    if (!dir) return false;
    while (all && (entry = fer_sys_readdir(dir))) {
        if (entry->d_name[0] != '.') all = see_children(fer_str_of(entry->d_name), see, context);
    }
    fer_sys_closedir(dir);
    return all;
}

void fer_proc_signal(const fer_proc *seen, int signal)
{
    fer_proc now;
    int pidfd = fer_sys_pidfd(seen->pid);
    if (fer_proc_read(seen->pid, &now) && now.start == seen->start)
        fer_sys_kill(seen->pid, pidfd, signal);
    if (pidfd >= 0) fer_sys_close(pidfd);
}
