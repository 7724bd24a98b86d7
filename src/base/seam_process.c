/* SPDX-License-Identifier: Apache-2.0 */
/* Starting programs, telling them to end, and pipes without SIGPIPE. */
#include "seam_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- starting ------------------------------------------------------------------------------- */

#define CHILD_STACK (64 << 10) /* of the child until it is another program */
/* Code of the child leaves no marks of AddressSanitizer's in memory that is its parent's. */
#define IN_CHILD   __attribute__((no_sanitize("address")))
#define FIRST_FREE 3 /* descriptors below are those that every program has */

/* What the child needs, in memory that it shares with its parent, who waits meanwhile. */
struct start {
    struct fer_sys_launch *launch;
    pid_t parent;
    int error;
};

IN_CHILD static void default_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        if (number != SIGKILL && number != SIGSTOP) sigaction(number, &plain, NULL);
    }
}

/* The number of what is to be its descriptor number `i`, and where it goes. */
IN_CHILD static struct fer_sys_handed handed_at(const struct fer_sys_launch *l, size_t i)
{
    const int first[FIRST_FREE] = {l->in, l->out, l->err};
    return i < FIRST_FREE ? (struct fer_sys_handed){first[i], (int)i} : l->handed[i - FIRST_FREE];
}

/*
 * All that the program gets; first out of the way of each other, past the last number that is
 * wanted, as they may have such numbers themselves. So does the program where it is open.
 */
IN_CHILD static int place_descriptors(struct fer_sys_launch *l)
{
    size_t count = FIRST_FREE + l->handed_count;
    int moved[FIRST_FREE + FER_SYS_HANDED_MAX], past = FIRST_FREE;
    for (size_t i = 0; i < count; i++) {
        if (handed_at(l, i).to >= past) past = handed_at(l, i).to + 1;
    }
    for (size_t i = 0; i < count; i++) {
        moved[i] = fcntl(handed_at(l, i).from, F_DUPFD_CLOEXEC, past);
        if (moved[i] < 0) return -1;
    }
    if (l->by_descriptor) l->descriptor = fcntl(l->descriptor, F_DUPFD_CLOEXEC, past);
    if (l->by_descriptor && l->descriptor < 0) return -1;
    /* Also what others in this process have opened without care. */
    syscall(SYS_close_range, FIRST_FREE, ~0U, CLOSE_RANGE_CLOEXEC);
    for (size_t i = 0; i < count; i++) {
        if (dup2(moved[i], handed_at(l, i).to) < 0) return -1;
    }
    return 0;
}

IN_CHILD static int fail_at(struct start *s, const char *what)
{
    s->error = errno;
    s->launch->failed = what;
    return 127;
}

/* A script's interpreter opens the descriptor again, so it must stay open for one. */
IN_CHILD static void execute_open(const struct fer_sys_launch *l)
{
    char head[2] = {0};
    bool script = pread(l->descriptor, head, 2, 0) == 2 && head[0] == '#' && head[1] == '!';
    if (script) fcntl(l->descriptor, F_SETFD, 0);
    syscall(SYS_execveat, l->descriptor, "", l->argv, l->env, AT_EMPTY_PATH);
}

/* The child, on its own stack, until it is another program. All signals are blocked. */
IN_CHILD static int become(void *argument)
{
    struct start *s = argument;
    struct fer_sys_launch *l = s->launch;
    sigset_t none;
    sigemptyset(&none);
    if (setsid() < 0) return fail_at(s, "make a session for");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != s->parent) return 127; /* it died before */
    if (place_descriptors(l) != 0) return fail_at(s, "give descriptors to");
    if (l->cwd && chdir(l->cwd) != 0) return fail_at(s, "enter the folder of");
    default_signals();
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (l->by_descriptor) execute_open(l);
    else execve(l->program, l->argv, l->env);
    return fail_at(s, "execute");
}

/*
 * As vfork, but the child has a stack of its own: nothing of a large parent is copied. No signal
 * handler may run in the child, in memory that is its parent's: hence the mask.
 */
int fer_seam_launch(struct fer_sys_launch *l, pid_t *child)
{
    _Alignas(16) char stack[CHILD_STACK];
    struct fer_sys_launch copy = *l; /* the child moves descriptors in it */
    struct start s = {.launch = &copy, .parent = getpid()};
    sigset_t all, before;
    if (l->handed_count > FER_SYS_HANDED_MAX) return EMFILE;
    sigfillset(&all);
    copy.failed = "start";
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = clone(become, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &s);
    int number = pid < 0 ? errno : s.error;
    if (pid > 0 && number) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    l->failed = copy.failed;
    if (!number) *child = pid;
    return number;
}

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* since Linux 6.3, which wants to be told */
#endif

static bool write_whole(int fd, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, bytes + at, size - at);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) at += (size_t)n;
    }
    return true;
}

int fer_sys_sealed(const char *name, const void *bytes, size_t size)
{
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int fd = memfd_create(name, flags | MFD_EXEC);
    if (fd < 0 && errno == EINVAL) fd = memfd_create(name, flags);
    if (fd < 0) return -1;
    if (write_whole(fd, bytes, size) &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
        return fd;
    close(fd);
    return -1;
}

/* ---- ending --------------------------------------------------------------------------------- */

int fer_seam_pidfd(pid_t process)
{
    return (int)syscall(SYS_pidfd_open, process, 0); /* closed in programs by itself */
}

int fer_seam_kill(pid_t process, int pidfd, int signal)
{
    if (pidfd < 0) return kill(process, signal);
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int fer_seam_peek(pid_t child, int *status)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return -1;
    if (info.si_pid == 0) return 0;
    *status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
    return 1;
}

int fer_sys_subreaper(int wanted)
{
    int was = 0;
    if (prctl(PR_GET_CHILD_SUBREAPER, &was) != 0) return 0;
    if (wanted >= 0 && wanted != was) prctl(PR_SET_CHILD_SUBREAPER, wanted);
    return was;
}

/* ---- pipes ---------------------------------------------------------------------------------- */

bool fer_sys_pipe_is_safe(void)
{
    struct sigaction now;
    return sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* A SIGPIPE of this write is taken out again before anybody can see it; one that waited stays. */
ssize_t fer_seam_write_pipe(int fd, const void *from, size_t size)
{
    sigset_t pipe_only, before, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t done = write(fd, from, size);
    int number = errno;
    if (done < 0 && number == EPIPE && !sigismember(&pending, SIGPIPE)) {
        const struct timespec at_once = {0};
        while (sigtimedwait(&pipe_only, NULL, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return done;
}

int fer_sys_readable(int fd)
{
    int bytes = 0;
    return ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : -1;
}
