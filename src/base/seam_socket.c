/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets that do not block, are closed in programs, and send without SIGPIPE. */
#include "seam_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* Fails with the error of what failed, not of closing. */
static int give_up(int fd)
{
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int prepare(int fd, sa_family_t family)
{
    int on = 1;
    /* Linux gives the file of a Unix socket the mode of the socket: nobody sees it with another. */
    if (family == AF_UNIX) return fchmod(fd, S_IRUSR | S_IWUSR);
    if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on)) return -1;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

int fer_seam_listen(const struct sockaddr *at, socklen_t size, int backlog)
{
    int fd = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (prepare(fd, at->sa_family) || bind(fd, at, size) || listen(fd, backlog)) return give_up(fd);
    return fd;
}

int fer_seam_accept(int fd, struct sockaddr *from, socklen_t *size)
{
    int on = 1, got = accept4(fd, from, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    /* Of a Unix socket this fails, and is not needed. */
    if (got >= 0 && from->sa_family != AF_UNIX)
        (void)setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return got;
}

int fer_seam_connect(const struct sockaddr *to, socklen_t size)
{
    int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    return connect(fd, to, size) ? give_up(fd) : fd;
}

ssize_t fer_seam_send(int fd, const struct iovec *parts, size_t count)
{
    struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = count};
    return sendmsg(fd, &m, MSG_NOSIGNAL);
}

int fer_sys_peer_user(int fd, uid_t *user)
{
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size)) return -1;
    *user = who.uid;
    return 0;
}

int fer_sys_notify(const char *path, const char *text)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(path), size = strlen(text);
    if (len >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(to.sun_path, path, len);
    if (to.sun_path[0] == '@') to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    socklen_t room = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    ssize_t sent = sendto(fd, text, size, MSG_NOSIGNAL, (const struct sockaddr *)&to, room);
    if (sent != (ssize_t)size) return give_up(fd);
    close(fd);
    return 0;
}

int fer_sys_adopt(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK)) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}
