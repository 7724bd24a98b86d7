/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cgroups of sandboxes, where this process may make some: below its own, in version 2 where memory
 * and pids are delegated to it, else in version 1. A sandbox without one is watched instead.
 *
 * A folder is named after the process that made it, so that what a killed one has left is known
 * and removed by the next.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "proc_table.h"
#include "sandbox_parts.h"
#include "sys.h"

#define PREFIX    "ferrule-"
#define TEXT_MAX  ((size_t)1 << 20) /* bytes of files that say where cgroups are */
#define SMALL_MAX 4096

/* ---- files ---------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *file, const char *text)
{
    char path[FER_CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = fer_sys_open(path, O_WRONLY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    bool done = fer_sys_write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    fer_sys_close(fd);
    return done;
}

static bool write_number(const char *folder, const char *file, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return write_text(folder, file, text);
}

static bool read_small(const char *folder, const char *file, char to[SMALL_MAX])
{
    char path[FER_CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = fer_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? -1 : fer_sys_read(fd, to, SMALL_MAX - 1);
    if (fd >= 0) fer_sys_close(fd);
    to[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* ---- where ---------------------------------------------------------------------------------- */

static fer_str next_part(fer_str *rest, char end)
{
    size_t at = fer_str_find(*rest, 0, end);
    fer_str part = at == SIZE_MAX ? *rest : fer_str_slice(*rest, 0, at);
    *rest = at == SIZE_MAX ? FER_STR_NONE : fer_str_slice(*rest, at + 1, rest->len);
    return part;
}

/* Whether a list with commas has the word. */
static bool has_word(fer_str list, const char *word)
{
    while (list.len) {
        if (fer_str_eq(next_part(&list, ','), fer_str_of(word))) return true;
    }
    return false;
}

/* "4:memory:/a/b" or "0::/a/b": the path of the controller; of v2 where it is "". */
static fer_str own_path(fer_str cgroups, const char *controller)
{
    while (cgroups.len) {
        fer_str line = next_part(&cgroups, '\n');
        next_part(&line, ':');
        fer_str list = next_part(&line, ':');
        if (controller[0] ? has_word(list, controller) : !list.len) return line;
    }
    return FER_STR_NONE;
}

/* "36 25 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory": where it is mounted. */
static fer_str mount_of(fer_str mounts, const char *type, const char *controller, fer_str *root)
{
    while (mounts.len) {
        fer_str line = next_part(&mounts, '\n'), place = FER_STR_NONE;
        for (int field = 1; field <= 5; field++) {
            place = next_part(&line, ' ');
            if (field == 4) *root = place;
        }
        while (line.len && !fer_str_eq(next_part(&line, ' '), FER_STR("-"))) {
        }
        fer_str kind = next_part(&line, ' ');
        next_part(&line, ' ');
        if (!fer_str_eq(kind, fer_str_of(type))) continue;
        if (!controller[0] || has_word(line, controller)) return place;
    }
    return FER_STR_NONE;
}

/* The folder of our own cgroup; empty where it cannot be seen. */
static void folder_of(fer_str cgroups, fer_str mounts, const char *type, const char *controller,
                      char out[FER_CGROUP_PATH])
{
    fer_str root = FER_STR("/"), path = own_path(cgroups, controller);
    fer_str place = mount_of(mounts, type, controller, &root);
    out[0] = '\0';
    if (!path.len || !place.len) return;
    /* In a cgroup namespace, or a container, only a part of the tree is mounted. */
    if (root.len > 1 && path.len >= root.len && memcmp(path.ptr, root.ptr, root.len) == 0)
        path = fer_str_slice(path, root.len, path.len);
    int n = snprintf(out, FER_CGROUP_PATH - 64, "%.*s%.*s", FER_PRI(place), FER_PRI(path));
    while (n > 1 && n < FER_CGROUP_PATH && out[n - 1] == '/') out[--n] = '\0';
    if (n >= FER_CGROUP_PATH - 64) out[0] = '\0';
}

void fer_cgroup_locate(fer_str cgroups, fer_str mounts, fer_cgroup_place *out)
{
    char v2[FER_CGROUP_PATH], controllers[SMALL_MAX];
    *out = (fer_cgroup_place){0};
    folder_of(cgroups, mounts, "cgroup2", "", v2);
    if (v2[0] && read_small(v2, "cgroup.controllers", controllers) &&
        strstr(controllers, "memory") && strstr(controllers, "pids")) {
        out->version = 2;
        memcpy(out->memory, v2, sizeof v2);
        memcpy(out->pids, v2, sizeof v2);
        return;
    }
    folder_of(cgroups, mounts, "cgroup", "memory", out->memory);
    folder_of(cgroups, mounts, "cgroup", "pids", out->pids);
    if (out->memory[0] || out->pids[0]) out->version = 1;
    else snprintf(out->why, sizeof out->why, "no cgroups with memory and pids are mounted");
}

/* ---- leftovers ------------------------------------------------------------------------------ */

/* "ferrule-PID-START-NUMBER" of a process that is gone. */
static bool is_leftover(const char *name)
{
    fer_str rest = fer_str_of(name);
    uint64_t pid, start;
    fer_proc maker;
    if (!fer_str_starts(rest, PREFIX)) return false;
    rest = fer_str_slice(rest, sizeof PREFIX - 1, rest.len);
    if (!fer_parse_u64(next_part(&rest, '-'), &pid) ||
        !fer_parse_u64(next_part(&rest, '-'), &start))
        return false;
    return !fer_proc_read((pid_t)pid, &maker) || maker.start != start;
}

static void sweep(const char *folder)
{
    char path[FER_CGROUP_PATH + 260];
    struct dirent *entry;
    DIR *dir = folder[0] ? fer_sys_opendir(folder) : NULL;
    if (!dir) return;
    while ((entry = fer_sys_readdir(dir))) {
        if (!is_leftover(entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fer_sys_rmdir(path);
    }
    fer_sys_closedir(dir);
}

/* ---- making them ---------------------------------------------------------------------------- */

/* In v2 the controllers must be handed down, which is refused while processes are beside. */
static bool hand_down(const fer_cgroup_place *p)
{
    char given[SMALL_MAX];
    if (p->version != 2) return true;
    bool there = read_small(p->memory, "cgroup.subtree_control", given) &&
                 strstr(given, "memory") && strstr(given, "pids");
    return there || write_text(p->memory, "cgroup.subtree_control", "+memory +pids");
}

void fer_cgroup_find(fer_cgroup_place *out)
{
    fer_arena *a = fer_arena_new(TEXT_MAX * 3);
    fer_str cgroups = FER_STR_NONE, mounts = FER_STR_NONE;
    *out = (fer_cgroup_place){.why = "out of memory"};
    if (!a) return;
    if (fer_file_read(a, "/proc/self/cgroup", TEXT_MAX, &cgroups, NULL) ||
        fer_file_read(a, "/proc/self/mountinfo", TEXT_MAX, &mounts, NULL)) {
        snprintf(out->why, sizeof out->why, "/proc does not say which cgroup this is");
    } else {
        fer_cgroup_locate(cgroups, mounts, out);
        if (out->version && !hand_down(out)) {
            snprintf(out->why, sizeof out->why, "memory and pids are not delegated to this cgroup");
            out->version = 0;
        }
        if (out->version) sweep(out->memory);
        if (out->version == 1) sweep(out->pids);
    }
    fer_arena_free(a);
}

/* A folder below `place` with its limits set; false: it cannot be had. */
static bool make_one(fer_cgroup *g, const char *place, const char *name)
{
    char *path = g->paths[g->count];
    if (!place[0] || snprintf(path, FER_CGROUP_PATH, "%s/%s", place, name) >= FER_CGROUP_PATH)
        return false;
    if (fer_sys_mkdir(path, 0755) != 0) return false;
    char procs[FER_CGROUP_PATH + 64];
    snprintf(procs, sizeof procs, "%s/cgroup.procs", path);
    g->procs[g->count] = fer_sys_open(procs, O_WRONLY | O_CLOEXEC, 0);
    if (g->procs[g->count] >= 0) {
        g->count++;
        return true;
    }
    fer_sys_rmdir(path);
    return false;
}

/* Swap would be memory that is not counted; files of older kernels have other names. */
static bool hold_memory(int version, const char *path, uint64_t bytes)
{
    if (version == 1) {
        bool held = write_number(path, "memory.limit_in_bytes", bytes);
        write_number(path, "memory.memsw.limit_in_bytes", bytes);
        return held;
    }
    write_text(path, "memory.swap.max", "0");
    write_text(path, "memory.oom.group", "1");
    return write_number(path, "memory.max", bytes);
}

void fer_cgroup_make(const fer_cgroup_place *place, uint64_t number, const uint64_t *limits,
                     fer_cgroup *out)
{
    char name[96];
    fer_proc self;
    *out = (fer_cgroup){0};
    if (!place->version || !fer_proc_read(getpid(), &self)) return;
    snprintf(name, sizeof name, PREFIX "%d-%llu-%llu", (int)getpid(),
             (unsigned long long)self.start, (unsigned long long)number);
    /* The work folder is memory too, and has its own limit. */
    uint64_t bytes = limits[FER_BOX_MEMORY] + limits[FER_BOX_DISK];
    uint64_t processes = limits[FER_BOX_PROCESSES] + 1; /* and the first process */
    if (make_one(out, place->memory, name))
        out->memory = hold_memory(place->version, out->paths[0], bytes);
    if (place->version == 2 && out->count)
        out->pids = write_number(out->paths[0], "pids.max", processes);
    if (place->version == 1 && make_one(out, place->pids, name))
        out->pids = write_number(out->paths[out->count - 1], "pids.max", processes);
}

void fer_cgroup_close(fer_cgroup *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->procs[i] >= 0) fer_sys_close(g->procs[i]);
        g->procs[i] = -1;
    }
}

bool fer_cgroup_overrun(const fer_cgroup_place *place, const fer_cgroup *g)
{
    char text[SMALL_MAX];
    const char *file = place->version == 2 ? "memory.events" : "memory.oom_control";
    if (!g->memory || !read_small(g->paths[0], file, text)) return false;
    const char *at = strstr(text, "oom_kill ");
    return at && at[sizeof "oom_kill"] != '0';
}

bool fer_cgroup_remove(fer_cgroup *g)
{
    while (g->count) {
        if (fer_sys_rmdir(g->paths[g->count - 1]) != 0 && errno == EBUSY) return false;
        g->count--;
    }
    return true;
}
