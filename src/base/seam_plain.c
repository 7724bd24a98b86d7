/* SPDX-License-Identifier: Apache-2.0 */
/* The seam as it is delivered: each call goes straight to the system. */
#include "sys.h"

#include "seam_parts.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

void *fer_sys_malloc(size_t size)
{
    return malloc(size);
}
void *fer_sys_malloc_zero(size_t size)
{
    return calloc(1, size);
}
void fer_sys_free(void *p)
{
    free(p);
}
int fer_sys_open(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}
ssize_t fer_sys_read(int fd, void *to, size_t size)
{
    return read(fd, to, size);
}
ssize_t fer_sys_write(int fd, const void *from, size_t size)
{
    return write(fd, from, size);
}
int fer_sys_close(int fd)
{
    return close(fd);
}
int fer_sys_fstat(int fd, struct stat *to)
{
    return fstat(fd, to);
}
int fer_sys_stat(const char *path, struct stat *to)
{
    return stat(path, to);
}
int fer_sys_lstat(const char *path, struct stat *to)
{
    return lstat(path, to);
}
char *fer_sys_realpath(const char *path, char *to)
{
    return realpath(path, to);
}
int fer_sys_fchmod(int fd, mode_t mode)
{
    return fchmod(fd, mode);
}
int fer_sys_fsync(int fd)
{
    return fsync(fd);
}
int fer_sys_rename(const char *from, const char *to)
{
    return rename(from, to);
}
int fer_sys_unlink(const char *path)
{
    return unlink(path);
}
DIR *fer_sys_opendir(const char *path)
{
    return opendir(path);
}
struct dirent *fer_sys_readdir(DIR *dir)
{
    return readdir(dir);
}
int fer_sys_closedir(DIR *dir)
{
    return closedir(dir);
}
int fer_sys_openat(int folder, const char *name, int flags, mode_t mode)
{
    return openat(folder, name, flags, mode);
}
int fer_sys_renameat(int folder, const char *from, const char *to)
{
    return renameat(folder, from, folder, to);
}
int fer_sys_unlinkat(int folder, const char *name)
{
    return unlinkat(folder, name, 0);
}
DIR *fer_sys_fdopendir(int fd)
{
    return fdopendir(fd);
}
int fer_sys_mkdir(const char *path, mode_t mode)
{
    return mkdir(path, mode);
}
int fer_sys_rmdir(const char *path)
{
    return rmdir(path);
}
int fer_sys_chmod(const char *path, mode_t mode)
{
    return chmod(path, mode);
}
ssize_t fer_sys_pread(int fd, void *to, size_t size, off_t at)
{
    return pread(fd, to, size, at);
}
ssize_t fer_sys_pwrite(int fd, const void *from, size_t size, off_t at)
{
    return pwrite(fd, from, size, at);
}
int fer_sys_fdatasync(int fd)
{
    return fdatasync(fd);
}
int fer_sys_ftruncate(int fd, off_t size)
{
    return ftruncate(fd, size);
}
int fer_sys_fallocate(int fd, off_t size)
{
    return fallocate(fd, 0, 0, size);
}
int fer_sys_flock(int fd, int operation)
{
    return flock(fd, operation);
}
void *fer_sys_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
int fer_sys_pages_execute(void *pages, size_t size)
{
    return mprotect(pages, size, PROT_READ | PROT_EXEC);
}
void fer_sys_pages_free(void *pages, size_t size)
{
    munmap(pages, size);
}
void *fer_sys_map(int fd, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}
void fer_sys_unmap(void *mapped, size_t size)
{
    munmap(mapped, size);
}
int fer_sys_clock(clockid_t which, struct timespec *to)
{
    return clock_gettime(which, to);
}
int fer_sys_spawn(pid_t *child, char *const argv[], int out)
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
int fer_sys_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}
pid_t fer_sys_wait(pid_t child, int *status)
{
    return waitpid(child, status, 0);
}
int fer_sys_launch(struct fer_sys_launch *l, pid_t *child)
{
    return fer_seam_launch(l, child);
}
int fer_sys_pidfd(pid_t process)
{
    return fer_seam_pidfd(process);
}
int fer_sys_kill(pid_t process, int pidfd, int signal)
{
    return fer_seam_kill(process, pidfd, signal);
}
int fer_sys_peek(pid_t child, int *status)
{
    return fer_seam_peek(child, status);
}
ssize_t fer_sys_write_pipe(int fd, const void *from, size_t size)
{
    return fer_seam_write_pipe(fd, from, size);
}
int fer_sys_listen(const struct sockaddr *at, socklen_t size, int backlog)
{
    return fer_seam_listen(at, size, backlog);
}
int fer_sys_bound(int fd, struct sockaddr *to, socklen_t *size)
{
    return getsockname(fd, to, size);
}
int fer_sys_accept(int fd, struct sockaddr *from, socklen_t *size)
{
    return fer_seam_accept(fd, from, size);
}
int fer_sys_connect(const struct sockaddr *to, socklen_t size)
{
    return fer_seam_connect(to, size);
}
ssize_t fer_sys_recv(int fd, void *to, size_t size)
{
    return recv(fd, to, size, 0);
}
ssize_t fer_sys_send(int fd, const struct iovec *parts, size_t count)
{
    return fer_seam_send(fd, parts, count);
}
int fer_sys_shutdown(int fd)
{
    return shutdown(fd, SHUT_WR);
}
int fer_sys_random(void *to, size_t size)
{
    return getrandom(to, size, GRND_NONBLOCK) == (ssize_t)size ? 0 : -1;
}
