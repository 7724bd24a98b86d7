/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "errors.h"
#include "sys.h"

#define FIRST 3 /* descriptor that is handed over */

void fer_service_tell(const char *format, ...)
{
    const char *path = getenv("NOTIFY_SOCKET");
    char text[512];
    va_list args;
    if (!path || (path[0] != '/' && path[0] != '@')) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fer_sys_notify(path, text);
}

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    uint64_t n;
    return text && fer_parse_u64(fer_str_of(text), &n) ? n : 0;
}

void fer_service_tell_status(const fer_station *s)
{
    fer_view *v = fer_catalog_view(s->catalog);
    size_t count = fer_view_count(v), away = 0;
    for (size_t i = 0; i < s->place_count; i++) away += s->places[i]->code != FER_OK;
    fer_service_tell("STATUS=serving %zu tool%s of %zu backend%s%s", count, fer_s(count),
                     s->place_count, fer_s(s->place_count), away ? "; some are away" : "");
    fer_view_unref(v);
}

uint64_t fer_service_watchdog_us(void)
{
    uint64_t pid = number_of("WATCHDOG_PID");
    if (pid && pid != (uint64_t)getpid()) return 0;
    return number_of("WATCHDOG_USEC");
}

/* By its file, or by a name without one, which begins with NUL. */
static fer_code take_local(fer_arena *a, int fd, const struct sockaddr_un *at, socklen_t size,
                           fer_service_socket *out, fer_err *err)
{
    size_t len = size > offsetof(struct sockaddr_un, sun_path)
                     ? size - offsetof(struct sockaddr_un, sun_path)
                     : 0;
    bool named = len && !at->sun_path[0];
    fer_str name = named ? (fer_str){at->sun_path + 1, len - 1}
                         : (fer_str){at->sun_path, strnlen(at->sun_path, len)};
    fer_str path = fer_arena_printf(a, "%s%.*s", named ? "@" : "", FER_PRI(name));
    *out = (fer_service_socket){.fd = fd, .path = path.ptr};
    return path.ptr ? FER_OK : fer_arena_failed(a, err);
}

static fer_code take(fer_arena *a, int fd, fer_service_socket *out, fer_err *err)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
        struct sockaddr_un local;
        struct sockaddr_storage room;
    } at = {0};
    char text[INET6_ADDRSTRLEN];
    socklen_t size = sizeof at.room;
    if (fer_sys_bound(fd, &at.any, &size) || fer_sys_adopt(fd))
        return fer_fail(err, FER_BAD_USAGE, "descriptor %d of LISTEN_FDS is no socket: %s", fd,
                        strerror(errno));
    if (at.any.sa_family == AF_UNIX) return take_local(a, fd, &at.local, size, out, err);
    if (at.any.sa_family != AF_INET && at.any.sa_family != AF_INET6)
        return fer_fail(err, FER_BAD_USAGE,
                        "descriptor %d of LISTEN_FDS is no socket of TCP or Unix: ListenStream= "
                        "takes ADDRESS:PORT, or a path",
                        fd);
    bool four = at.any.sa_family == AF_INET;
    const void *from = four ? (const void *)&at.four.sin_addr : (const void *)&at.six.sin6_addr;
    if (!inet_ntop(at.any.sa_family, from, text, sizeof text)) return FER_IO_ERROR;
    *out = (fer_service_socket){.fd = fd,
                                .address = fer_arena_copy(a, fer_str_of(text)).ptr,
                                .port = ntohs(four ? at.four.sin_port : at.six.sin6_port)};
    return out->address ? FER_OK : fer_arena_failed(a, err);
}

fer_code fer_service_sockets(fer_arena *a, fer_service_socket out[FER_SERVICE_SOCKETS],
                             size_t *count, fer_err *err)
{
    uint64_t n = number_of("LISTEN_FDS");
    bool ours = number_of("LISTEN_PID") == (uint64_t)getpid();
    fer_code code = FER_OK;
    *count = 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (!ours || !n) return FER_OK;
    if (n > FER_SERVICE_SOCKETS)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "service.sockets: at most %d are taken",
                        FER_SERVICE_SOCKETS);
    for (size_t i = 0; !code && i < n; i++) {
        code = take(a, FIRST + (int)i, &out[i], err);
        if (!code) ++*count;
    }
    return code;
}
