/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The warden's watch. Every LOOK_MS it adds up what all processes of the sandbox use together,
 * which limits of single processes do not say: sixty processes of half the limit each are stopped
 * here. They are found by their parents from the first process down; orphans are its children, so
 * none is missed. All is read in the host's /proc, which nobody inside can see.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cell.h"

#define LOOK_MS   50   /* what can be used up between two looks is the limit's error */
#define TREE_MAX  8192 /* processes that are looked at; more than any limit allows */
#define PATH_TEXT 64
#define TEXT      4096

/* What all processes use, at one look. */
struct use {
    uint64_t ticks, memory, threads;
};

struct watch {
    const struct cell *cell;
    pid_t first;
    pid_t tree[TREE_MAX];
    size_t count;
    uint64_t memory_peak, thread_peak;
    bool hit; /* a limit: the end is under way */
};

/* ---- one process ---------------------------------------------------------------------------- */

static bool read_text(const char *path, char to[TEXT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, to, TEXT - 1);
    close(fd);
    to[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number after the n-th blank that follows `from`. */
static uint64_t field(const char *from, int n)
{
    for (; n > 0 && from; n--) from = strchr(from + 1, ' ');
    return from ? strtoull(from, NULL, 10) : 0;
}

/* "pid (name) S ...": user and system time, those of children it has waited for, threads. */
static void add_times(struct use *u, pid_t pid)
{
    char path[PATH_TEXT], text[TEXT];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const char *close = read_text(path, text) ? strrchr(text, ')') : NULL;
    if (!close) return;
    for (int at = 12; at <= 15; at++) u->ticks += field(close + 1, at); /* proc(5): 14 to 17 */
    u->threads += field(close + 1, 18);
}

static uint64_t kilobytes(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* Shared memory counts for each who has mapped it: rather too much than too little. */
static void add_memory(struct use *u, pid_t pid)
{
    char path[PATH_TEXT], text[TEXT];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (!read_text(path, text)) return;
    u->memory += (kilobytes(text, "\nRssAnon:") + kilobytes(text, "\nRssShmem:")) << 10;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void add_children(struct watch *w, pid_t pid, const char *thread)
{
    char path[PATH_TEXT + 256], text[TEXT];
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    pid_t child = 0;
    ssize_t n;
    if (fd < 0) return;
    while ((n = read(fd, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                child = child * 10 + (text[i] - '0');
            } else if (child) {
                if (w->count < TREE_MAX) w->tree[w->count++] = child;
                child = 0;
            }
        }
    }
    close(fd);
}

static void find_tree(struct watch *w)
{
    char path[PATH_TEXT];
    w->tree[0] = w->first;
    w->count = 1;
    for (size_t at = 0; at < w->count; at++) {
        struct dirent *entry;
        snprintf(path, sizeof path, "/proc/%d/task", (int)w->tree[at]);
        DIR *dir = opendir(path);
        if (!dir) continue;
        while ((entry = readdir(dir))) {
            if (entry->d_name[0] != '.') add_children(w, w->tree[at], entry->d_name);
        }
        closedir(dir);
    }
}

/* ---- limits --------------------------------------------------------------------------------- */

static void meet(struct watch *w, fer_box_limit limit)
{
    w->hit = true;
    cell_tell(w->cell, &(struct cell_record){.kind = CELL_LIMIT, .what = limit});
    kill(w->first, SIGKILL); /* and with it its PID namespace; what has none: */
    for (size_t i = 1; !w->cell->own_pids && i < w->count; i++) kill(w->tree[i], SIGKILL);
}

static void look(struct watch *w)
{
    const struct cell_plan *p = &w->cell->plan;
    struct use u = {0};
    find_tree(w);
    for (size_t i = 0; i < w->count; i++) {
        add_times(&u, w->tree[i]);
        if (i > 0) add_memory(&u, w->tree[i]); /* the first process is ours */
    }
    if (u.threads) u.threads--;
    if (u.memory > w->memory_peak) w->memory_peak = u.memory;
    if (u.threads > w->thread_peak) w->thread_peak = u.threads;
    if (w->hit) return;
    if (u.ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK) >= p->cpu_ms) meet(w, FER_BOX_CPU);
    else if (u.memory > p->memory) meet(w, FER_BOX_MEMORY);
    else if (u.threads > p->processes) meet(w, FER_BOX_PROCESSES);
}

static uint64_t milliseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_usec / 1000;
}

/* Whether the first process has ended; its usage is that of all, as it has waited for all. */
static bool has_ended(struct watch *w)
{
    struct rusage r;
    int status;
    pid_t ended = wait4(w->first, &status, WNOHANG, &r);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
    struct cell_record told = {.kind = CELL_USAGE,
                               .cpu_ms = milliseconds(r.ru_utime) + milliseconds(r.ru_stime),
                               .memory = w->memory_peak,
                               .processes = (uint32_t)w->thread_peak};
    if ((uint64_t)r.ru_maxrss << 10 > told.memory) told.memory = (uint64_t)r.ru_maxrss << 10;
    cell_tell(w->cell, &told);
    return true;
}

/*
 * Without a PID namespace the end of the first process ends nobody else; those come to be ours
 * then, and are ended until there are none.
 */
static void end_orphans(struct watch *w)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    w->first = getpid();
    for (find_tree(w); w->count > 1; find_tree(w)) {
        for (size_t i = 1; i < w->count; i++) kill(w->tree[i], SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        nanosleep(&pause, NULL);
    }
}

/* Whether the system shows who the children of a process are. */
bool cell_can_watch(const struct cell *c)
{
    if (!cell_wants(c, FER_LAYER_WATCHER)) {
        cell_stand(c, FER_LAYER_WATCHER, FER_STAND_REMOVED, "");
        return false;
    }
    char path[PATH_TEXT];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    if (access(path, R_OK) == 0) cell_stand(c, FER_LAYER_WATCHER, FER_STAND_UP, "");
    else cell_missing(c, FER_LAYER_WATCHER, path);
    return access(path, R_OK) == 0;
}

_Noreturn void cell_watch(const struct cell *c, pid_t first)
{
    static struct watch w;
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    sigset_t heard;
    w.cell = c;
    w.first = first;
    sigemptyset(&heard);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGCHLD);
    bool looks = c->watched;
    while (!has_ended(&w)) {
        int number = sigtimedwait(&heard, NULL, looks ? &pause : NULL);
        if (number == SIGTERM) kill(first, SIGTERM);
        if (number < 0 && looks) look(&w);
    }
    if (!c->own_pids) end_orphans(&w);
    _exit(0);
}
