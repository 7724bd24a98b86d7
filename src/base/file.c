/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "checked.h"
#include "errors.h"
#include "sys.h"

#define PIPE_CHUNK ((size_t)1 << 16)

static fer_code io_failed(fer_err *err, const char *what, const char *path)
{
    return fer_fail(err, FER_IO_ERROR, "cannot %s %s: %s", what, path, strerror(errno));
}

static fer_code too_large(fer_err *err, const char *name, size_t max)
{
    return fer_fail(err, FER_LIMIT_EXCEEDED, "%s is larger than the limit of %zu bytes", name, max);
}

/* read() that takes up again what a signal interrupted. */
static ssize_t read_some(int fd, char *to, size_t size)
{
    ssize_t n;
    do {
        n = fer_sys_read(fd, to, size);
    } while (n < 0 && errno == EINTR);
    return n;
}

static int open_file(const char *path, int flags)
{
    int fd;
    do {
        fd = fer_sys_open(path, flags | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static bool sync_file(int fd)
{
    int result;
    do {
        result = fer_sys_fsync(fd);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

static size_t expected_size(int fd)
{
    struct stat st;
    if (fer_sys_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0) return 0;
    return (size_t)st.st_size;
}

fer_code fer_file_read_fd(fer_arena *a, int fd, const char *name, size_t max, fer_str *out,
                          fer_err *err)
{
    size_t len = 0, cap = expected_size(fd);
    if (cap > max) return too_large(err, name, max);
    /* Room for one byte more than expected shows the end of the file in one read less. */
    if (!fer_add_size(cap ? cap : PIPE_CHUNK, 2, &cap)) return too_large(err, name, max);
    char *p = fer_arena_alloc(a, cap);
    if (!p) return fer_arena_failed(a, err);
    for (;;) {
        if (len + 1 == cap) {
            char *grown = fer_arena_grow(a, p, cap, cap * 2);
            if (!grown) return fer_arena_failed(a, err);
            p = grown;
            cap *= 2;
        }
        ssize_t n = read_some(fd, p + len, cap - len - 1);
        if (n < 0) return io_failed(err, "read", name);
        if (n == 0) break;
        len += (size_t)n;
        if (len > max) return too_large(err, name, max);
    }
    p[len] = '\0';
    *out = (fer_str){p, len};
    return FER_OK;
}

fer_code fer_file_read(fer_arena *a, const char *path, size_t max, fer_str *out, fer_err *err)
{
    int fd = open_file(path, O_RDONLY);
    if (fd < 0) return io_failed(err, "open", path);
    fer_code code = fer_file_read_fd(a, fd, path, max, out, err);
    fer_sys_close(fd);
    return code;
}

bool fer_file_write_all(int fd, fer_str s)
{
    while (s.len > 0) {
        ssize_t n = fer_sys_write(fd, s.ptr, s.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        s = fer_str_slice(s, (size_t)n, s.len);
    }
    return true;
}

/* The folder of the file that a path leads to. */
static bool folder_of(const char *named, char out[PATH_MAX])
{
    char *slash;
    if (!fer_sys_realpath(named, out)) {
        if (errno != ENOENT || strlen(named) >= PATH_MAX) return false;
        memcpy(out, named, strlen(named) + 1);
    }
    slash = strrchr(out, '/');
    if (slash) slash[slash == out] = '\0';
    else memcpy(out, ".", 2);
    return true;
}

/* Whether nobody else may look into the folder of a file. */
static bool is_private(const char *path)
{
    char folder[PATH_MAX];
    struct stat st;
    return folder_of(path, folder) && fer_sys_stat(folder, &st) == 0 && !(st.st_mode & 077);
}

/* Writes and syncs the new file; closes it in any case. */
static fer_code fill(int fd, const char *path, const char *beside, fer_str content, fer_err *err)
{
    struct stat st;
    fer_code code = FER_OK;
    bool there = fer_sys_stat(path, &st) == 0;
    if (!there && errno != ENOENT) {
        code = io_failed(err, "look at", path);
    } else if ((there || is_private(path)) &&
               fer_sys_fchmod(fd, there ? st.st_mode & 07777 : 0600) != 0) {
        code = io_failed(err, "set the mode of", beside);
    } else if (!fer_file_write_all(fd, content)) {
        code = io_failed(err, "write", beside);
    } else if (!sync_file(fd)) {
        code = io_failed(err, "sync", beside);
    }
    if (fer_sys_close(fd) != 0 && !code) code = io_failed(err, "close", beside);
    return code;
}

/* Makes the rename itself last, as far as the file system can: it has happened in any case. */
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == path) slash++;
    if (slash) *slash = '\0';
    int fd = open_file(slash ? path : ".", O_RDONLY | O_DIRECTORY);
    if (fd < 0) return;
    sync_file(fd);
    fer_sys_close(fd);
}

/* A pipe, a socket's or terminal's descriptor, a device: there is nothing to replace. */
static bool is_stream(const char *path)
{
    struct stat st;
    return fer_sys_stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static fer_code write_stream(const char *path, fer_str content, fer_err *err)
{
    int fd = open_file(path, O_WRONLY);
    if (fd < 0) return io_failed(err, "open", path);
    fer_code code = fer_file_write_all(fd, content) ? FER_OK : io_failed(err, "write", path);
    if (fer_sys_close(fd) != 0 && !code) code = io_failed(err, "close", path);
    return code;
}

/* Whether nobody writes it: who does has it locked. */
static bool is_left(const char *beside)
{
    int fd = open_file(beside, O_WRONLY);
    if (fd < 0) return false;
    bool left = fer_sys_flock(fd, LOCK_EX | LOCK_NB) == 0;
    fer_sys_close(fd);
    return left;
}

/* In a container each start has the same number: what a killed one left must not stop the next. */
static int open_beside(const char *beside)
{
    int fd = open_file(beside, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0 && errno == EEXIST) {
        if (is_left(beside) && fer_sys_unlink(beside) == 0)
            fd = open_file(beside, O_WRONLY | O_CREAT | O_EXCL);
        else errno = EEXIST;
    }
    if (fd >= 0) (void)fer_sys_flock(fd, LOCK_EX | LOCK_NB); /* where locks are to be had */
    return fd;
}

fer_code fer_file_replace(const char *named, fer_str content, fer_err *err)
{
    char beside[PATH_MAX + 32], path[PATH_MAX];
    if (is_stream(named)) return write_stream(named, content, err);
    /* A link stays a link: what it leads to is replaced. */
    if (!fer_sys_realpath(named, path)) {
        if (errno != ENOENT || strlen(named) >= sizeof path) return io_failed(err, "find", named);
        memcpy(path, named, strlen(named) + 1);
    }
    int len = snprintf(beside, sizeof beside, "%s.%ld.new", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof beside) {
        return fer_fail(err, FER_IO_ERROR, "the path of %.64s... is too long", path);
    }
    int fd = open_beside(beside);
    if (fd < 0) return io_failed(err, "create", beside);
    fer_code code = fill(fd, path, beside, content, err);
    if (!code && fer_sys_rename(beside, path) != 0) code = io_failed(err, "replace", path);
    if (code) fer_sys_unlink(beside);
    else sync_folder(path);
    return code;
}

fer_code fer_file_rewrite(const char *path, fer_str content, fer_err *err)
{
    int fd = open_file(path, O_WRONLY);
    if (fd < 0 && errno != ENOENT) return io_failed(err, "write", path);
    if (fd >= 0) fer_sys_close(fd);
    return fer_file_replace(path, content, err);
}

fer_code fer_file_lock(const char *path, int *out, fer_err *err)
{
    char folder[PATH_MAX];
    int bad;
    if (!folder_of(path, folder)) return io_failed(err, "find", path);
    int fd = open_file(folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return io_failed(err, "open", folder);
    do bad = fer_sys_flock(fd, LOCK_EX);
    while (bad && errno == EINTR);
    if (bad) {
        fer_code code = io_failed(err, "lock", folder);
        fer_sys_close(fd);
        return code;
    }
    *out = fd;
    return FER_OK;
}

void fer_file_unlock(int lock)
{
    fer_sys_close(lock);
}

fer_file_mark fer_file_mark_of(const char *path)
{
    struct stat st;
    if (fer_sys_stat(path, &st) != 0) return (fer_file_mark){0};
    return (fer_file_mark){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
                           (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec};
}

bool fer_file_mark_eq(const fer_file_mark *one, const fer_file_mark *other)
{
    return one->device == other->device && one->number == other->number &&
           one->size == other->size && one->seconds == other->seconds &&
           one->nanoseconds == other->nanoseconds;
}

bool fer_file_is_folder(const char *path)
{
    struct stat st;
    return fer_sys_stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool fer_file_exists(const char *path)
{
    struct stat st;
    return fer_sys_stat(path, &st) == 0;
}

struct walk {
    fer_arena *arena;
    size_t max;
    bool (*wanted)(fer_str name);
    fer_str *paths;
    size_t count;
    size_t cap;
    fer_err *err;
};

static fer_code walk_add(struct walk *w, fer_str path)
{
    if (w->count == w->max) {
        return fer_fail(w->err, FER_LIMIT_EXCEEDED, "folder.files: more than %zu files", w->max);
    }
    fer_str *paths = fer_arena_room(w->arena, w->paths, w->count, &w->cap, sizeof *paths);
    if (!paths) return fer_arena_failed(w->arena, w->err);
    w->paths = paths;
    w->paths[w->count++] = path;
    return FER_OK;
}

static fer_code walk_folder(struct walk *w, const char *folder, int depth);

static fer_code walk_entry(struct walk *w, const char *folder, const char *name, int depth)
{
    struct stat st;
    fer_str path = fer_arena_printf(w->arena, "%s/%s", folder, name);
    if (!path.ptr) return fer_arena_failed(w->arena, w->err);
    if (fer_sys_lstat(path.ptr, &st) != 0) return io_failed(w->err, "look at", path.ptr);
    if (S_ISDIR(st.st_mode)) return walk_folder(w, path.ptr, depth + 1);
    if (!w->wanted(fer_str_of(name))) return FER_OK;
    /* A link that leads nowhere is for the one who reads it to complain about. */
    if (S_ISLNK(st.st_mode) && fer_sys_stat(path.ptr, &st) != 0) {
        return errno == ENOENT || errno == ELOOP ? walk_add(w, path)
                                                 : io_failed(w->err, "follow", path.ptr);
    }
    return S_ISREG(st.st_mode) ? walk_add(w, path) : FER_OK;
}

static fer_code walk_folder(struct walk *w, const char *folder, int depth)
{
    if (depth > FER_WALK_DEPTH) {
        return fer_fail(w->err, FER_LIMIT_EXCEEDED, "folder.depth: %s is more than %d folders deep",
                        folder, FER_WALK_DEPTH);
    }
    DIR *dir = fer_sys_opendir(folder);
    /* One that is inside another is for the one who reads it to complain about, as a link is. */
    if (!dir && depth && errno == EACCES) return walk_add(w, fer_str_of(folder));
    if (!dir) return io_failed(w->err, "open the folder", folder);
    fer_code code = FER_OK;
    while (!code) {
        errno = 0;
        struct dirent *entry = fer_sys_readdir(dir);
        if (!entry) {
            if (errno) code = io_failed(w->err, "read the folder", folder);
            break;
        }
        bool skip = entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0;
        if (!skip) code = walk_entry(w, folder, entry->d_name, depth);
    }
    fer_sys_closedir(dir);
    return code;
}

static int compare_paths(const void *a, const void *b)
{
    return fer_str_cmp(*(const fer_str *)a, *(const fer_str *)b);
}

fer_code fer_file_walk(fer_arena *a, const char *folder, size_t max, bool (*wanted)(fer_str name),
                       struct fer_file_list *out, fer_err *err)
{
    struct walk w = {.arena = a, .max = max, .wanted = wanted, .err = err};
    fer_code code = walk_folder(&w, folder, 0);
    if (code) return code;
    if (w.count > 1) qsort(w.paths, w.count, sizeof *w.paths, compare_paths);
    *out = (struct fer_file_list){w.paths, w.count};
    return FER_OK;
}
