/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam: every allocation and every system call of Ferrule passes here.
 *
 * The functions have two definitions, and the linker chooses: seam_plain.c calls
 * the system and nothing else (the library and the command), seam_faults.c counts
 * the calls and can make the n-th of a kind fail (tests; see faults.h). The rooms
 * are compiled once and know nothing of it. tools/check-seam refuses raw calls
 * elsewhere. The calls keep the meaning of their POSIX namesakes, errno included.
 */
#ifndef FER_SYS_H
#define FER_SYS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

void *fer_sys_malloc(size_t size);
/* The same, of zeros; where it is large, pages cost nothing until they are looked at. */
void *fer_sys_malloc_zero(size_t size);
void fer_sys_free(void *p);
int fer_sys_open(const char *path, int flags, mode_t mode);
ssize_t fer_sys_read(int fd, void *to, size_t size);
ssize_t fer_sys_write(int fd, const void *from, size_t size);
int fer_sys_close(int fd);
int fer_sys_fstat(int fd, struct stat *to);
int fer_sys_stat(const char *path, struct stat *to);
int fer_sys_lstat(const char *path, struct stat *to);
/* The path without links, in `to` of PATH_MAX bytes; NULL on failure. */
char *fer_sys_realpath(const char *path, char *to);
int fer_sys_fchmod(int fd, mode_t mode);
int fer_sys_fsync(int fd);
int fer_sys_rename(const char *from, const char *to);
int fer_sys_unlink(const char *path);
DIR *fer_sys_opendir(const char *path);
struct dirent *fer_sys_readdir(DIR *dir);
int fer_sys_closedir(DIR *dir);
/* Files of a folder that is open: names are looked up there, so a folder that is swapped is no
 * danger. */
int fer_sys_openat(int folder, const char *name, int flags, mode_t mode);
int fer_sys_renameat(int folder, const char *from, const char *to);
int fer_sys_unlinkat(int folder, const char *name);
DIR *fer_sys_fdopendir(int fd);
int fer_sys_mkdir(const char *path, mode_t mode);
int fer_sys_rmdir(const char *path);
int fer_sys_chmod(const char *path, mode_t mode);
ssize_t fer_sys_pread(int fd, void *to, size_t size, off_t at);
ssize_t fer_sys_pwrite(int fd, const void *from, size_t size, off_t at);
int fer_sys_fdatasync(int fd);
int fer_sys_ftruncate(int fd, off_t size);
/* Makes the file so long, with space on the disk for all of it. */
int fer_sys_fallocate(int fd, off_t size);
/* Writes of a file go past the system's cache, in whole blocks, or do so no more. */
int fer_sys_direct(int fd, bool on);
int fer_sys_flock(int fd, int operation);
/* A bell between threads: a descriptor that is readable from when it is rung until it is heard,
 * closed in programs; or -1. */
int fer_sys_bell(void);
void fer_sys_bell_ring(int bell);
void fer_sys_bell_hear(int bell);
/* Pages for code: to be written first (NULL: there are none), then to be run. */
void *fer_sys_pages(size_t size);
int fer_sys_pages_execute(void *pages, size_t size);
void fer_sys_pages_free(void *pages, size_t size);
/* A file's bytes as memory to be read, NULL on failure; the descriptor may be closed. */
void *fer_sys_map(int fd, size_t size);
void fer_sys_unmap(void *mapped, size_t size);
/*
 * A file in memory that holds these bytes and can never be changed again, to be executed by its
 * descriptor (struct fer_sys_launch); -1 where the system has none. Closed in programs.
 */
int fer_sys_sealed(const char *name, const void *bytes, size_t size);
/* Bytes of a file (or of this program) that are mapped for reading need no memory until they are
 * read again. */
void fer_sys_put_by(const void *mapped, size_t size);
/* The same for all that is only read of this program and its libraries: what a start needed once.
 * Nothing may have written into their code. */
void fer_sys_put_by_code(void);
/* Memory that was freed goes back to the system, as far as it can. */
void fer_sys_trim(void);
/* A shared library, which stays loaded, and one of its functions; NULL: there is none. */
void *fer_sys_library(const char *name);
void *fer_sys_symbol(void *library, const char *name);
int fer_sys_clock(clockid_t which, struct timespec *to);
/* Two ends of a pipe, the first for reading; both are closed in programs that are started. */
int fer_sys_pipe(int ends[2]);
/*
 * Starts a program, found along PATH, with these arguments (ended by NULL) and nothing of a
 * shell's: its standard output is `out`, it reads nothing and what it complains of is dropped.
 * 0, or the number of an error.
 */
int fer_sys_spawn(pid_t *child, char *const argv[], int out);
/* Waits until it has ended. */
pid_t fer_sys_wait(pid_t child, int *status);
/* A descriptor of ours, and the number by which a program gets it. */
struct fer_sys_handed {
    int from, to; /* `to` is 3 or more */
};
/*
 * A program to be started as the leader of a session of its own, with its three descriptors, those
 * that are handed to it and no other, all signals as a new program finds them, nothing blocked. It
 * is killed when the thread that started it ends.
 */
struct fer_sys_launch {
    const char *program; /* an absolute path */
    bool by_descriptor;  /* what is executed is open already, as `descriptor` */
    int descriptor;
    char *const *argv; /* ended by NULL, and so is `env` */
    char *const *env;
    const char *cwd; /* NULL: as ours */
    int in, out, err;
    const struct fer_sys_handed *handed;
    size_t handed_count; /* at most FER_SYS_HANDED_MAX */
    const char *failed;  /* out: what could not be done, such as "execute" */
};
#define FER_SYS_HANDED_MAX 32
/* 0, or the number of an error; then there is no child. */
int fer_sys_launch(struct fer_sys_launch *l, pid_t *child);
/* A descriptor that is readable once the process has ended, closed in programs; or -1. */
int fer_sys_pidfd(pid_t process);
/* Sends a signal: through `pidfd` where that is not -1. */
int fer_sys_kill(pid_t process, int pidfd, int signal);
/* Whether a child has ended: 1, and `*status` is as of wait, but it stays in the table; 0; or -1.
 */
int fer_sys_peek(pid_t child, int *status);
/* Makes this process the one to which orphans below it come (1) or not (0); -1 only asks. What
 * it was. */
int fer_sys_subreaper(int wanted);
/* Whether SIGPIPE is ignored, so that plain writes to pipes do no harm. */
bool fer_sys_pipe_is_safe(void);
/* Writes to a pipe; where nobody reads it, that is EPIPE and no signal. */
ssize_t fer_sys_write_pipe(int fd, const void *from, size_t size);
/* Bytes that can be read from a pipe now, or -1. */
int fer_sys_readable(int fd);
/*
 * A socket that listens, does not block and is closed in programs; or -1. The file of a Unix socket
 * has mode 0600 from its first moment.
 */
int fer_sys_listen(const struct sockaddr *at, socklen_t size, int backlog);
/* Where a socket is bound. */
int fer_sys_bound(int fd, struct sockaddr *to, socklen_t *size);
/* A connection that does not block and is closed in programs. Small pieces are sent at once. */
int fer_sys_accept(int fd, struct sockaddr *from, socklen_t *size);
/* A connection to a Unix socket, which is made or fails at once. */
int fer_sys_connect(const struct sockaddr *to, socklen_t size);
/* One datagram to a Unix socket, whose name begins with '@' where it is no file. */
int fer_sys_notify(const char *path, const char *text);
/* A socket that somebody else made: it does not block any more, and is closed in programs. */
int fer_sys_adopt(int fd);
ssize_t fer_sys_recv(int fd, void *to, size_t size);
/* Sends parts in one; where nobody reads, that is EPIPE and no signal. */
ssize_t fer_sys_send(int fd, const struct iovec *parts, size_t count);
/* Nothing more will be sent. */
int fer_sys_shutdown(int fd);
/* The user at the other end of a Unix socket. */
int fer_sys_peer_user(int fd, uid_t *user);
/* Fills `to` with random bytes; 0, or -1 where the system has none. */
int fer_sys_random(void *to, size_t size);

#endif
