/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What interpreters, shells and compiled programs need: nothing of mounts, modules, keys, tracing,
 * other users, clocks or networks. Some calls are only of older machines, hence OLD.
 */
#include "cell_calls.h"

#include <asm/unistd.h>

#define CALL(name) {__NR_##name, CELL_CHECK_NONE, 0},
#ifdef __x86_64__
#define OLD(name) CALL(name)
#else
#define OLD(name)
#endif

/* clang-format off */
static const struct cell_call calls[] = {
    /* files that are open */
    CALL(read) CALL(write) CALL(readv) CALL(writev) CALL(pread64) CALL(pwrite64) CALL(preadv)
    CALL(pwritev) CALL(preadv2) CALL(pwritev2) CALL(close) CALL(close_range) CALL(lseek) CALL(dup)
    OLD(dup2) CALL(dup3) CALL(fcntl) CALL(fstat) CALL(fsync) CALL(fdatasync) CALL(sync_file_range)
    CALL(ftruncate) CALL(fallocate) CALL(fadvise64) CALL(readahead) CALL(flock)
    CALL(copy_file_range) CALL(sendfile) CALL(splice) CALL(tee) CALL(fgetxattr) CALL(flistxattr)
    CALL(fstatfs)
    /* files by name */
    OLD(open) CALL(openat) CALL(openat2) OLD(creat) OLD(stat) OLD(lstat) CALL(newfstatat)
    CALL(statx) CALL(statfs) OLD(access) CALL(faccessat) CALL(faccessat2) OLD(readlink)
    CALL(readlinkat) OLD(getdents) CALL(getdents64) CALL(getcwd) CALL(chdir) CALL(fchdir)
    OLD(mkdir) CALL(mkdirat) OLD(rmdir) OLD(rename) CALL(renameat) CALL(renameat2) OLD(link)
    CALL(linkat) OLD(symlink) CALL(symlinkat) OLD(unlink) CALL(unlinkat) CALL(truncate) OLD(chmod)
    CALL(fchmod) CALL(fchmodat) OLD(chown) CALL(fchown) OLD(lchown) CALL(fchownat) OLD(utime)
    OLD(utimes) CALL(utimensat) OLD(futimesat) CALL(umask) CALL(getxattr) CALL(lgetxattr)
    CALL(listxattr) CALL(llistxattr) OLD(inotify_init) CALL(inotify_init1) CALL(inotify_add_watch)
    CALL(inotify_rm_watch)
    /* memory */
    CALL(brk) CALL(munmap) CALL(mremap) CALL(madvise) CALL(mincore) CALL(msync) CALL(mlock)
    CALL(mlock2) CALL(munlock) CALL(mlockall) CALL(munlockall) CALL(membarrier) CALL(rseq)
    /* pipes and waiting */
    OLD(pipe) CALL(pipe2) OLD(poll) CALL(ppoll) OLD(select) CALL(pselect6) OLD(epoll_create)
    CALL(epoll_create1) CALL(epoll_ctl) OLD(epoll_wait) CALL(epoll_pwait) CALL(epoll_pwait2)
    OLD(eventfd) CALL(eventfd2) OLD(signalfd) CALL(signalfd4) CALL(timerfd_create)
    CALL(timerfd_settime) CALL(timerfd_gettime)
    /* processes and threads */
    OLD(fork) OLD(vfork) CALL(execve) CALL(execveat) CALL(exit) CALL(exit_group) CALL(wait4)
    CALL(waitid) CALL(set_tid_address) CALL(set_robust_list) CALL(get_robust_list) CALL(futex)
    CALL(futex_waitv) CALL(sched_yield) CALL(sched_getaffinity) CALL(sched_setaffinity)
    CALL(sched_getparam) CALL(sched_getscheduler) CALL(sched_get_priority_max)
    CALL(sched_get_priority_min) CALL(sched_rr_get_interval) CALL(getpriority) CALL(setpriority)
    CALL(ioprio_get) OLD(arch_prctl) CALL(getcpu) CALL(restart_syscall)
    /* who it is */
    CALL(getpid) CALL(gettid) CALL(getppid) CALL(getpgid) OLD(getpgrp) CALL(getsid) CALL(setsid)
    CALL(setpgid) CALL(getuid) CALL(geteuid) CALL(getgid) CALL(getegid) CALL(getresuid)
    CALL(getresgid) CALL(getgroups) CALL(capget) CALL(capset) CALL(uname) CALL(sysinfo)
    CALL(getrusage) CALL(times) CALL(getrlimit) CALL(setrlimit) CALL(getrandom)
    /* signals */
    CALL(kill) CALL(tkill) CALL(tgkill) CALL(rt_sigaction) CALL(rt_sigprocmask)
    CALL(rt_sigpending) CALL(rt_sigreturn) CALL(rt_sigsuspend) CALL(rt_sigtimedwait)
    CALL(rt_sigqueueinfo) CALL(rt_tgsigqueueinfo) CALL(sigaltstack) OLD(pause) OLD(alarm)
    /* time */
    CALL(clock_gettime) CALL(clock_getres) CALL(clock_nanosleep) CALL(nanosleep)
    CALL(gettimeofday) OLD(time) CALL(getitimer) CALL(setitimer) CALL(timer_create)
    CALL(timer_settime) CALL(timer_gettime) CALL(timer_getoverrun) CALL(timer_delete)
    /* what is connected already */
    CALL(sendto) CALL(recvfrom) CALL(sendmsg) CALL(recvmsg) CALL(sendmmsg) CALL(recvmmsg)
    CALL(shutdown) CALL(getsockopt) CALL(setsockopt) CALL(getsockname) CALL(getpeername)
    /* with a look at the arguments */
    {__NR_clone, CELL_CHECK_CLONE, 0},
    {__NR_socketpair, CELL_CHECK_UNIX, 0},
    {__NR_ioctl, CELL_CHECK_IOCTL, 0},
    {__NR_prctl, CELL_CHECK_PRCTL, 0},
    {__NR_prlimit64, CELL_CHECK_SELF, 0},
    {__NR_mknodat, CELL_CHECK_FIFO_AT, 0},
#ifdef __x86_64__
    {__NR_mknod, CELL_CHECK_FIFO, 0},
#endif
    {__NR_mmap, CELL_CHECK_WX, 0},
    {__NR_mprotect, CELL_CHECK_NO_X, 0},
    /* where the profile says so */
    {__NR_memfd_create, CELL_CHECK_NONE, CELL_MEMFD},
    {__NR_bind, CELL_CHECK_NONE, CELL_SOCKETS},
    {__NR_listen, CELL_CHECK_NONE, CELL_SOCKETS},
    {__NR_accept, CELL_CHECK_NONE, CELL_SOCKETS},
    {__NR_accept4, CELL_CHECK_NONE, CELL_SOCKETS},
    {__NR_connect, CELL_CHECK_NONE, CELL_SOCKETS},
    {__NR_socket, CELL_CHECK_UNIX, CELL_SOCKETS},
};
/* clang-format on */

const struct cell_call *cell_calls(size_t *count)
{
    *count = sizeof calls / sizeof calls[0];
    return calls;
}
