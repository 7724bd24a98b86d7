/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The root of a sandbox: a tmpfs with what the plan names, in a mount namespace of its own, in
 * which nothing else is left. No file of the host is changed: the only thing that is mounted over
 * is /tmp, and that in our namespace. Everything is written below the new root by names that we
 * make, before anybody else is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell.h"

#define BASE      "/tmp" /* where the new root is mounted until it is the root */
#define PATH_TEXT 4096

/* A path below the new root. */
static void below(const struct cell *c, char out[PATH_TEXT], const char *path)
{
    if (snprintf(out, PATH_TEXT, BASE "%s", path) < PATH_TEXT) return;
    errno = ENAMETOOLONG;
    cell_fail(c, "name a file of the root");
}

/* The folders above a path, made where they are not there. */
static void make_parents(const struct cell *c, char *path)
{
    for (char *at = path + sizeof BASE; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST) cell_fail(c, "make a folder of the root");
        *at = '/';
    }
}

/* `attributes` of mount_setattr for all mounts at and below a place. */
static void restrict_mount(const struct cell *c, const char *path, uint64_t attributes)
{
    struct mount_attr attr = {.attr_set = attributes};
    if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attr, sizeof attr) != 0)
        cell_fail(c, "make a mount read-only");
}

/* ---- what is seen of the host --------------------------------------------------------------- */

static void copy_link(const struct cell *c, const char *from, const char *to)
{
    char target[PATH_TEXT];
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0) cell_fail(c, from);
    else target[n] = '\0';
    if (symlink(target, to) != 0 && errno != EEXIST) cell_fail(c, to);
}

/*
 * Mounts the thing that is open as `source` at `to`. By its descriptor, as its own path may lie
 * below what was mounted over.
 */
static void mount_open(const struct cell *c, int source, const char *name, const char *to)
{
    struct stat st;
    char path[64];
    if (fstat(source, &st) != 0) cell_fail(c, name);
    if (S_ISDIR(st.st_mode)) {
        if (mkdir(to, 0755) != 0 && errno != EEXIST) cell_fail(c, to);
    } else {
        int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
        if (fd < 0) cell_fail(c, to);
        close(fd);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", source);
    if (mount(path, to, NULL, MS_BIND | MS_REC, NULL) != 0) cell_fail(c, name);
}

static void bind_one(const struct cell *c, const struct cell_bind *b, int source)
{
    char to[PATH_TEXT];
    struct stat st;
    if (source < 0) return;
    below(c, to, b->to);
    make_parents(c, to);
    if (lstat(b->from, &st) == 0 && S_ISLNK(st.st_mode)) {
        copy_link(c, b->from, to);
    } else {
        mount_open(c, source, b->from, to);
        restrict_mount(c, to, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    }
}

/* Opens what is to be bound, before anything is mounted. -1: there is none, which may be. */
static int open_source(const struct cell *c, const struct cell_bind *b)
{
    int fd = open(b->from, O_PATH | O_CLOEXEC);
    if (fd < 0 && !(b->optional && (errno == ENOENT || errno == EACCES))) cell_fail(c, b->from);
    return fd;
}

/* ---- what is the sandbox's own -------------------------------------------------------------- */

static void write_file(const struct cell *c, const struct cell_file *f)
{
    char to[PATH_TEXT];
    below(c, to, f->path);
    make_parents(c, to);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (fd < 0) cell_fail(c, f->path);
    for (uint64_t at = 0; at < f->size;) {
        ssize_t n = write(fd, f->bytes + at, f->size - at);
        if (n < 0 && errno != EINTR) cell_fail(c, f->path);
        if (n > 0) at += (uint64_t)n;
    }
    close(fd);
}

static void make_work(const struct cell *c)
{
    char options[160];
    unsigned long flags = MS_NOSUID | MS_NODEV;
    unsigned uid = c->plan.uid ? c->plan.uid : (unsigned)geteuid();
    unsigned gid = c->plan.gid ? c->plan.gid : (unsigned)getegid();
    if (!cell_flagged(c, CELL_EXEC_WORK)) flags |= MS_NOEXEC;
    snprintf(options, sizeof options, "size=%llu,nr_inodes=%llu,mode=0700,uid=%u,gid=%u",
             (unsigned long long)c->plan.disk, (unsigned long long)c->plan.inodes + 1, uid, gid);
    if (mkdir(BASE CELL_WORK, 0755) != 0 ||
        mount("work", BASE CELL_WORK, "tmpfs", flags, options) != 0)
        cell_fail(c, "make the work folder");
    if (symlink("work", BASE "/tmp") != 0) cell_fail(c, "make /tmp");
}

static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                      "/dev/urandom"};
#define DEVICES (sizeof devices / sizeof devices[0])

static void make_devices(const struct cell *c, const int open_devices[DEVICES])
{
    char to[PATH_TEXT];
    if (mkdir(BASE "/dev", 0755) != 0) cell_fail(c, "make /dev");
    for (size_t i = 0; i < DEVICES; i++) {
        below(c, to, devices[i]);
        mount_open(c, open_devices[i], devices[i], to);
        restrict_mount(c, to, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    }
    if (symlink("../work", BASE "/dev/shm") != 0) cell_fail(c, "make /dev/shm");
}

/*
 * A /proc of the new PID namespace: without one, it would be the host's. Only processes are in it,
 * no settings of the kernel. Some hosts, such as containers, do not allow it; then there is none.
 */
static void make_proc(struct cell *c)
{
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
    if (!cell_flagged(c, CELL_PROC) || !c->own_pids) return;
    if (mkdir(BASE "/proc", 0555) != 0) cell_fail(c, "make /proc");
    c->has_proc = mount("proc", BASE "/proc", "proc", flags, "subset=pid,hidepid=invisible") == 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void move_in(const struct cell *c)
{
    if (chdir(BASE) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) cell_fail(c, "change the root");
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) cell_fail(c, "leave the old root");
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                          MOUNT_ATTR_NOEXEC};
    if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attr, sizeof attr) != 0)
        cell_fail(c, "make the root read-only");
}

static void fill(struct cell *c, const int *sources, const int *open_devices)
{
    if (mount("root", BASE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0)
        cell_fail(c, "make the root");
    for (uint32_t i = 0; i < c->plan.bindc; i++) bind_one(c, &c->binds[i], sources[i]);
    for (uint32_t i = 0; i < c->plan.filec; i++) write_file(c, &c->files[i]);
    make_work(c);
    make_devices(c, open_devices);
    make_proc(c);
}

void cell_room_build(struct cell *c)
{
    int sources[CELL_BINDS_MAX], open_devices[DEVICES];
    if (!c->roomy) return; /* how it stands is known */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        cell_fail(c, errno == EINVAL ? "part from a host whose root is no mount, as in a chroot"
                                     : "part from the host");
    for (uint32_t i = 0; i < c->plan.bindc; i++) sources[i] = open_source(c, &c->binds[i]);
    for (size_t i = 0; i < DEVICES; i++) {
        open_devices[i] = open(devices[i], O_PATH | O_CLOEXEC);
        if (open_devices[i] < 0) cell_fail(c, devices[i]);
    }
    fill(c, sources, open_devices);
    move_in(c);
    cell_stand(c, FER_LAYER_MOUNT, FER_STAND_UP,
               cell_flagged(c, CELL_PROC) && !c->has_proc ? "no /proc can be had" : "");
}
