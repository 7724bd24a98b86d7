/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam of the tests: counts every call and fails the planned ones. This file
 * alone in Ferrule has mutable file-scope state, and is never delivered.
 */
#include "faults.h"
#include "sys.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seam_parts.h"
#include "str.h"

enum kind {
    K_MALLOC,
    K_OPEN,
    K_READ,
    K_WRITE,
    K_CLOSE,
    K_STAT,
    K_FCHMOD,
    K_FSYNC,
    K_RENAME,
    K_UNLINK,
    K_OPENDIR,
    K_READDIR,
    K_PAGES,
    K_MAP,
    K_CLOCK,
    K_RANDOM,
    K_PIPE,
    K_SPAWN,
    K_WAIT,
    K_PIDFD,
    K_KILL,
    K_TRUNCATE,
    K_ALLOCATE,
    K_LOCK,
    K_MKDIR,
    K_WALL,
    K_LISTEN,
    K_ACCEPT,
    K_CONNECT,
    K_RECV,
    K_SEND,
    K_LIBRARY,
    KINDS
};

static const char *const kind_names[KINDS] = {
    "malloc", "open",   "read",    "write",   "close",   "stat",     "fchmod",   "fsync",
    "rename", "unlink", "opendir", "readdir", "pages",   "map",      "clock",    "random",
    "pipe",   "spawn",  "wait",    "pidfd",   "kill",    "truncate", "allocate", "lock",
    "mkdir",  "wall",   "listen",  "accept",  "connect", "recv",     "send",     "library"};

static const struct {
    const char *name;
    int number;
} errno_names[] = {{"EIO", EIO},       {"EINTR", EINTR},           {"EACCES", EACCES},
                   {"ENOENT", ENOENT}, {"ENOSPC", ENOSPC},         {"EMFILE", EMFILE},
                   {"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM},         {"EPIPE", EPIPE},
                   {"EISDIR", EISDIR}, {"ENOSYS", ENOSYS},         {"EOPNOTSUPP", EOPNOTSUPP},
                   {"EDQUOT", EDQUOT}, {"ECONNRESET", ECONNRESET}, {"ECONNABORTED", ECONNABORTED},
                   {"ENFILE", ENFILE}};

struct fault {
    enum kind kind;
    int error;      /* errno to fail with; 0 where `limit` or `shift` applies */
    uint64_t limit; /* at most so many bytes */
    int64_t shift;  /* seconds added to a clock */
    uint64_t delay; /* milliseconds before the call */
    bool kill;      /* the process is killed: before the call, or behind `limit` bytes of it */
    uint64_t nth;   /* 1-based */
    bool and_later;
};

/* Any thread may call what is below, also while another plan is made. */
static pthread_mutex_t plan_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault plan[16];
static size_t planned;
static _Atomic uint64_t calls[KINDS], injected;
static _Atomic int64_t live;
static _Atomic bool from_environment_done;

/* kill, torn=n and delay=n: effects on the process rather than on the call. */
static bool parse_process_effect(fer_str s, struct fault *f)
{
    f->error = 0;
    f->kill = fer_str_is(s, "kill") || fer_str_starts(s, "torn=");
    if (fer_str_is(s, "kill")) return true;
    if (fer_str_starts(s, "torn="))
        return f->kind == K_WRITE && fer_parse_u64(fer_str_slice(s, 5, s.len), &f->limit) &&
               f->limit > 0;
    return fer_str_starts(s, "delay=") && fer_parse_u64(fer_str_slice(s, 6, s.len), &f->delay);
}

static bool parse_effect(fer_str s, struct fault *f)
{
    uint64_t n;
    f->error = f->kind == K_MALLOC ? ENOMEM : EIO;
    if (s.len == 0) return true;
    if (fer_str_starts(s, "short=")) {
        f->error = 0;
        if (f->kind != K_READ && f->kind != K_WRITE && f->kind != K_RECV && f->kind != K_SEND)
            return false;
        return fer_parse_u64(fer_str_slice(s, 6, s.len), &f->limit) && f->limit > 0;
    }
    if ((s.ptr[0] == '+' || s.ptr[0] == '-') && fer_str_ends(s, "s")) {
        f->error = 0;
        if ((f->kind != K_CLOCK && f->kind != K_WALL) ||
            !fer_parse_u64(fer_str_slice(s, 1, s.len - 1), &n))
            return false;
        if (n > INT32_MAX) return false;
        f->shift = s.ptr[0] == '-' ? -(int64_t)n : (int64_t)n;
        return true;
    }
    for (size_t i = 0; i < FER_COUNT(errno_names); i++) {
        if (!fer_str_is(s, errno_names[i].name)) continue;
        f->error = errno_names[i].number;
        return true;
    }
    return parse_process_effect(s, f);
}

/* kind[:effect]@n[+] */
static bool parse_fault(fer_str s, struct fault *f)
{
    size_t at = fer_str_find(s, 0, '@');
    if (at == SIZE_MAX) return false;
    size_t colon = fer_str_find(fer_str_slice(s, 0, at), 0, ':');
    fer_str name = fer_str_slice(s, 0, colon == SIZE_MAX ? at : colon);
    fer_str effect = colon == SIZE_MAX ? FER_STR_NONE : fer_str_slice(s, colon + 1, at);
    fer_str nth = fer_str_slice(s, at + 1, s.len);
    *f = (struct fault){.kind = KINDS};
    for (int k = 0; k < KINDS; k++) {
        if (fer_str_is(name, kind_names[k])) f->kind = (enum kind)k;
    }
    f->and_later = fer_str_ends(nth, "+");
    if (f->and_later) nth.len--;
    return f->kind != KINDS && fer_parse_u64(nth, &f->nth) && f->nth > 0 && parse_effect(effect, f);
}

static bool parse_plan(fer_str rest)
{
    while (rest.len > 0) {
        size_t end = fer_str_find(rest, 0, ';');
        if (end == SIZE_MAX) end = rest.len;
        if (planned == FER_COUNT(plan)) return false;
        if (!parse_fault(fer_str_slice(rest, 0, end), &plan[planned])) return false;
        planned++;
        rest = end == rest.len ? FER_STR_NONE : fer_str_slice(rest, end + 1, rest.len);
    }
    return true;
}

bool fer_faults_begin(const char *text)
{
    pthread_mutex_lock(&plan_lock);
    from_environment_done = true;
    planned = 0;
    injected = 0;
    for (int k = 0; k < KINDS; k++) calls[k] = 0;
    bool good = parse_plan(fer_str_of(text));
    if (!good) planned = 0;
    pthread_mutex_unlock(&plan_lock);
    return good;
}

uint64_t fer_faults_calls(const char *kind)
{
    for (int k = 0; k < KINDS; k++) {
        if (strcmp(kind, kind_names[k]) == 0) return calls[k];
    }
    return 0;
}

uint64_t fer_faults_injected(void)
{
    return injected;
}

int64_t fer_faults_live(void)
{
    return live;
}

static void print_counts(void)
{
    for (int k = 0; k < KINDS; k++) {
        if (calls[k]) fprintf(stderr, "FI: %s %llu\n", kind_names[k], (unsigned long long)calls[k]);
    }
}

static void begin_from_environment(void)
{
    const char *text = getenv("FI");
    from_environment_done = true;
    if (!text) return;
    if (strcmp(text, "count") == 0) {
        atexit(print_counts);
        return;
    }
    if (!fer_faults_begin(text)) {
        fprintf(stderr, "FI: cannot make sense of '%s'\n", text);
        _exit(2);
    }
}

/* The fault for the n-th call of a kind, copied; false: there is none. */
static bool find_fault(enum kind kind, uint64_t n, struct fault *out)
{
    bool found = false;
    pthread_mutex_lock(&plan_lock);
    for (size_t i = 0; i < planned && !found; i++) {
        const struct fault *f = &plan[i];
        found = f->kind == kind && (n == f->nth || (f->and_later && n > f->nth));
        if (found) *out = *f;
    }
    pthread_mutex_unlock(&plan_lock);
    return found;
}

/* Counts a call; the fault that is due, until the thread's next call, or NULL. */
static const struct fault *due(enum kind kind)
{
    static _Thread_local struct fault f;
    if (!from_environment_done) begin_from_environment();
    if (!find_fault(kind, ++calls[kind], &f)) return NULL;
    injected++;
    if (f.kill && !f.limit) kill(getpid(), SIGKILL);
    if (f.delay) usleep((useconds_t)f.delay * 1000);
    return &f;
}

static bool fails(enum kind kind)
{
    const struct fault *f = due(kind);
    if (!f || !f->error) return false;
    errno = f->error;
    return true;
}

/* Whether the call fails; else cuts `*size` where the plan says so. */
static bool fails_or_cuts(enum kind kind, size_t *size)
{
    const struct fault *f = due(kind);
    if (!f) return false;
    errno = f->error;
    if (f->limit && f->limit < *size) *size = (size_t)f->limit;
    return f->error != 0;
}

static fer_faults_see *watcher;
static void *watched_by;

void fer_faults_watch(fer_faults_see *see, void *context)
{
    watcher = see;
    watched_by = context;
}

static void tell(struct fer_faults_op op)
{
    if (watcher) watcher(watched_by, &op);
}

int fer_faults_pass(const char *kind, size_t *size, bool *dies)
{
    const struct fault *f = NULL;
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kind, kind_names[k]) == 0) f = due((enum kind)k);
    if (f && size && f->limit && f->limit < *size) *size = (size_t)f->limit;
    if (dies) *dies = f && f->kill;
    return f ? f->error : 0;
}

void fer_faults_tell(const struct fer_faults_op *op)
{
    if (watcher) watcher(watched_by, op);
}

void *fer_sys_malloc(size_t size)
{
    if (fails(K_MALLOC)) return NULL;
    void *p = malloc(size);
    if (p) live++;
    return p;
}
void *fer_sys_malloc_zero(size_t size)
{
    if (fails(K_MALLOC)) return NULL;
    void *p = calloc(1, size);
    if (p) live++;
    return p;
}
void fer_sys_free(void *p)
{
    if (p) live--;
    free(p);
}
int fer_sys_open(const char *path, int flags, mode_t mode)
{
    return fails(K_OPEN) ? -1 : open(path, flags, mode);
}
ssize_t fer_sys_read(int fd, void *to, size_t size)
{
    return fails_or_cuts(K_READ, &size) ? -1 : read(fd, to, size);
}
/* A write of any kind, under way: how it is made is for the caller to say. */
static ssize_t write_by(ssize_t (*put)(int, const void *, size_t), int fd, const void *from,
                        size_t size)
{
    const struct fault *f = due(K_WRITE);
    if (f && f->error) {
        errno = f->error;
        return -1;
    }
    if (f && f->limit && f->limit < size) size = (size_t)f->limit;
    ssize_t n = put(fd, from, size);
    if (f && f->kill) kill(getpid(), SIGKILL);
    return n;
}
ssize_t fer_sys_write(int fd, const void *from, size_t size)
{
    return write_by(write, fd, from, size);
}
int fer_sys_close(int fd)
{
    int result = close(fd);
    return fails(K_CLOSE) ? -1 : result;
}
int fer_sys_fstat(int fd, struct stat *to)
{
    return fails(K_STAT) ? -1 : fstat(fd, to);
}
int fer_sys_stat(const char *path, struct stat *to)
{
    return fails(K_STAT) ? -1 : stat(path, to);
}
int fer_sys_lstat(const char *path, struct stat *to)
{
    return fails(K_STAT) ? -1 : lstat(path, to);
}
char *fer_sys_realpath(const char *path, char *to)
{
    return fails(K_STAT) ? NULL : realpath(path, to);
}
int fer_sys_fchmod(int fd, mode_t mode)
{
    return fails(K_FCHMOD) ? -1 : fchmod(fd, mode);
}
int fer_sys_fsync(int fd)
{
    int bad = fails(K_FSYNC) ? -1 : fsync(fd);
    if (!bad) tell((struct fer_faults_op){.kind = FER_OP_SYNC, .fd = fd});
    return bad;
}
int fer_sys_rename(const char *from, const char *to)
{
    return fails(K_RENAME) ? -1 : rename(from, to);
}
int fer_sys_unlink(const char *path)
{
    return fails(K_UNLINK) ? -1 : unlink(path);
}
DIR *fer_sys_opendir(const char *path)
{
    return fails(K_OPENDIR) ? NULL : opendir(path);
}
struct dirent *fer_sys_readdir(DIR *dir)
{
    return fails(K_READDIR) ? NULL : readdir(dir);
}
int fer_sys_closedir(DIR *dir)
{
    return closedir(dir);
}
int fer_sys_openat(int folder, const char *name, int flags, mode_t mode)
{
    int fd = fails(K_OPEN) ? -1 : openat(folder, name, flags, mode);
    if (fd >= 0) tell((struct fer_faults_op){.kind = FER_OP_OPEN, .fd = fd, .name = name});
    return fd;
}
int fer_sys_renameat(int folder, const char *from, const char *to)
{
    int bad = fails(K_RENAME) ? -1 : renameat(folder, from, folder, to);
    if (!bad) tell((struct fer_faults_op){.kind = FER_OP_RENAME, .name = from, .to = to});
    return bad;
}
int fer_sys_unlinkat(int folder, const char *name)
{
    int bad = fails(K_UNLINK) ? -1 : unlinkat(folder, name, 0);
    if (!bad) tell((struct fer_faults_op){.kind = FER_OP_UNLINK, .name = name});
    return bad;
}
DIR *fer_sys_fdopendir(int fd)
{
    return fails(K_OPENDIR) ? NULL : fdopendir(fd);
}
int fer_sys_mkdir(const char *path, mode_t mode)
{
    return fails(K_MKDIR) ? -1 : mkdir(path, mode);
}
int fer_sys_rmdir(const char *path)
{
    return fails(K_UNLINK) ? -1 : rmdir(path);
}
int fer_sys_chmod(const char *path, mode_t mode)
{
    return fails(K_MKDIR) ? -1 : chmod(path, mode);
}
ssize_t fer_sys_pread(int fd, void *to, size_t size, off_t at)
{
    return fails_or_cuts(K_READ, &size) ? -1 : pread(fd, to, size, at);
}
ssize_t fer_sys_pwrite(int fd, const void *from, size_t size, off_t at)
{
    const struct fault *f = due(K_WRITE);
    if (f && f->error) {
        errno = f->error;
        return -1;
    }
    if (f && f->limit && f->limit < size) size = (size_t)f->limit;
    ssize_t n = pwrite(fd, from, size, at);
    if (f && f->kill) kill(getpid(), SIGKILL);
    if (n > 0)
        tell((struct fer_faults_op){
            .kind = FER_OP_WRITE, .fd = fd, .bytes = from, .size = (size_t)n, .at = (uint64_t)at});
    return n;
}
int fer_sys_fdatasync(int fd)
{
    int bad = fails(K_FSYNC) ? -1 : fdatasync(fd);
    if (!bad) tell((struct fer_faults_op){.kind = FER_OP_SYNC, .fd = fd});
    return bad;
}
int fer_sys_ftruncate(int fd, off_t size)
{
    int bad = fails(K_TRUNCATE) ? -1 : ftruncate(fd, size);
    if (!bad) tell((struct fer_faults_op){.kind = FER_OP_SIZE, .fd = fd, .size = (size_t)size});
    return bad;
}
int fer_sys_fallocate(int fd, off_t size)
{
    int bad = fails(K_ALLOCATE) ? -1 : fallocate(fd, 0, 0, size);
    if (!bad) tell((struct fer_faults_op){.kind = FER_OP_ROOM, .fd = fd, .size = (size_t)size});
    return bad;
}
int fer_sys_flock(int fd, int operation)
{
    return fails(K_LOCK) ? -1 : flock(fd, operation);
}
void *fer_sys_pages(size_t size)
{
    if (fails(K_PAGES)) return NULL;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    live++;
    return p;
}
int fer_sys_pages_execute(void *pages, size_t size)
{
    return fails(K_PAGES) ? -1 : mprotect(pages, size, PROT_READ | PROT_EXEC);
}
void fer_sys_pages_free(void *pages, size_t size)
{
    live--;
    munmap(pages, size);
}
void *fer_sys_map(int fd, size_t size)
{
    if (fails(K_MAP)) return NULL;
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) return NULL;
    live++;
    return p;
}
void fer_sys_unmap(void *mapped, size_t size)
{
    live--;
    munmap(mapped, size);
}
void *fer_sys_library(const char *name)
{
    return fails(K_LIBRARY) ? NULL : dlopen(name, RTLD_LAZY | RTLD_NODELETE);
}
void *fer_sys_symbol(void *library, const char *name)
{
    return fails(K_LIBRARY) ? NULL : dlsym(library, name);
}
int fer_sys_clock(clockid_t which, struct timespec *to)
{
    const struct fault *f = due(K_CLOCK);
    if (f && f->error) {
        errno = f->error;
        return -1;
    }
    int result = clock_gettime(which, to);
    if (f) to->tv_sec += f->shift;
    const struct fault *wall = which == CLOCK_REALTIME ? due(K_WALL) : NULL;
    if (wall) to->tv_sec += wall->shift;
    return result;
}
static int spawn(pid_t *child, char *const argv[], int out)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!code)
        code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}
int fer_sys_spawn(pid_t *child, char *const argv[], int out)
{
    return fails(K_SPAWN) ? errno : spawn(child, argv, out);
}
int fer_sys_pipe(int ends[2])
{
    return fails(K_PIPE) ? -1 : pipe2(ends, O_CLOEXEC);
}
pid_t fer_sys_wait(pid_t child, int *status)
{
    return fails(K_WAIT) ? -1 : waitpid(child, status, 0);
}
int fer_sys_launch(struct fer_sys_launch *l, pid_t *child)
{
    if (!fails(K_SPAWN)) return fer_seam_launch(l, child);
    l->failed = "start";
    return errno;
}
int fer_sys_pidfd(pid_t process)
{
    return fails(K_PIDFD) ? -1 : fer_seam_pidfd(process);
}
int fer_sys_kill(pid_t process, int pidfd, int signal)
{
    return fails(K_KILL) ? -1 : fer_seam_kill(process, pidfd, signal);
}
int fer_sys_peek(pid_t child, int *status)
{
    return fails(K_WAIT) ? -1 : fer_seam_peek(child, status);
}
ssize_t fer_sys_write_pipe(int fd, const void *from, size_t size)
{
    return write_by(fer_seam_write_pipe, fd, from, size);
}
int fer_sys_listen(const struct sockaddr *at, socklen_t size, int backlog)
{
    return fails(K_LISTEN) ? -1 : fer_seam_listen(at, size, backlog);
}
int fer_sys_bound(int fd, struct sockaddr *to, socklen_t *size)
{
    return fails(K_LISTEN) ? -1 : getsockname(fd, to, size);
}
int fer_sys_accept(int fd, struct sockaddr *from, socklen_t *size)
{
    return fails(K_ACCEPT) ? -1 : fer_seam_accept(fd, from, size);
}
int fer_sys_connect(const struct sockaddr *to, socklen_t size)
{
    return fails(K_CONNECT) ? -1 : fer_seam_connect(to, size);
}
ssize_t fer_sys_recv(int fd, void *to, size_t size)
{
    return fails_or_cuts(K_RECV, &size) ? -1 : recv(fd, to, size, 0);
}
ssize_t fer_sys_send(int fd, const struct iovec *parts, size_t count)
{
    size_t size = count ? parts[0].iov_len : 0, all = size;
    if (fails_or_cuts(K_SEND, &size)) return -1;
    if (size == all) return fer_seam_send(fd, parts, count);
    return fer_seam_send(fd, &(struct iovec){parts[0].iov_base, size}, 1);
}
int fer_sys_shutdown(int fd)
{
    return shutdown(fd, SHUT_WR);
}
int fer_sys_random(void *to, size_t size)
{
    if (fails(K_RANDOM)) return -1;
    return getrandom(to, size, GRND_NONBLOCK) == (ssize_t)size ? 0 : -1;
}
